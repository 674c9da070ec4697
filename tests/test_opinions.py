"""Methods that decide by themselves: what `find` says is what their score and rule say of all pairs, one by one."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_methods import prose, row

import wirecopy
from quality.texts import Writer
from wirecopy import Article, Opinion, Opinions, Relation, methods, sharing
from wirecopy.errors import MismatchError, SourceError, UsageError
from wirecopy.matching import opinions
from wirecopy.methods import Method, Sketches
from wirecopy.model import Tokens, Verdict
from wirecopy.pile import weigh
from wirecopy.statistics import Statistics
from wirecopy.text import encode, tokenise

Record = dict[str, Any]

VARIANTS: dict[str, list[dict[str, Any]]] = {
    "codet": [{}, {"suffixes": 3}, {"suffixes": 2, "sort_words": False}, {"tree": False, "depth_words": 3}],
    "cosine": [{}, {"threshold": 0.3, "stopwords": "en", "stemmer": "porter"}],
    "document_image": [{"threshold": 0.3}, {"threshold": 0.2, "idf_over": "collection", "image_terms": 10}],
    "dsc": [{}, {"contained": 0.2, "step_words": 2}],
    "full_fingerprint": [{}, {"contained": 0.1}],
    "imatch": [{"high_share": 0.5}, {"form": "skip"}, {"form": "skip", "lexicons": 6, "hash_words": 30}],
    "minhash": [{}, {"threshold": 0.2}],
    "resemblance": [
        {},
        {"threshold": 0.6, "shingle_words": 1},
        {"threshold": 0.1},
        {"threshold": 0.2, "leave_out_share": 0.05},
        {"threshold": 0.2, "most_articles": 6},
        {"threshold": 0.3, "modulus": 5},
        {"threshold": 0.3, "shingle_characters": 6},
    ],
    "sentence_fingerprints": [
        {},
        {"exact_sentences": True, "more_than": 0},
        {"common_words": "en", "most_occurrences": 4, "more_than": 1},
    ],
    "sentence_lengths": [
        {},
        {"window_sentences": 3, "step_sentences": 2},
        {"window_sentences": 3, "step_sentences": 3, "contiguous_windows": 2},
        {"window_sentences": 2, "dynamic_jumping": True, "delimiters": ".", "stopwords": "en"},
    ],
    "simhash": [{}, {"bits": 64, "distance_bits": 12, "skip_words": 0}],
    "supershingles": [{}, {"minima": 0, "modulus": 3, "supershingle_length": 4, "min_common": 1}],
    "winnowing": [{}, {"contained": 0.1, "window_words": 4}],
}
METHODS = [
    methods.get(name, **parameters) for name in methods.names() for parameters in VARIANTS.get(name, [{}])
]
EACH = pytest.mark.parametrize("method", METHODS, ids=lambda method: f"{method.name}{METHODS.index(method)}")
DAYS = ["2024-03-01", "2024-03-02", "2024-03-02T10:00:00", None]


def make_pile(seed: int, articles: int = 32) -> list[Record]:
    """Articles that copy each other in many ways, dated and titled at random, with some that are empty or short."""
    writer = Writer(seed, words=500)
    draw = writer.random
    sources = [writer.write(draw.randint(60, 400)) for _ in range(5)]
    titles = ["", None, *(prose(writer.write(7)) for _ in range(3))]
    texts = ["", "…", "One.", "One.", "The of and.", "東京都は昨日の午後に新しい計画を発表した。" * 3]
    while len(texts) < articles:
        words = list(draw.choice(sources))
        kind = draw.randrange(5)
        if kind == 1:
            words = writer.edit(words, draw.choice([0.01, 0.05, 0.2]))
        elif kind == 2:
            words = writer.write(draw.randint(1, 90)) + words + writer.write(draw.randint(0, 90))
        elif kind == 3:
            start = draw.randrange(len(words) // 2)
            words = words[start : start + draw.randint(20, 200)] + draw.choice(sources)[:100]
        elif kind == 4:
            words = writer.write(draw.randint(5, 300))
        texts.append(prose(words))
    names = draw.sample(range(1000), len(texts))
    return [
        {"id": f"n{name}", "text": text, "title": draw.choice(titles), "published": draw.choice(DAYS)}
        for name, text in zip(names, texts, strict=True)
    ]


def by_time(articles: Sequence[Record]) -> list[Record]:
    return sorted(articles, key=lambda article: (article.get("published") or "9", article["id"]))


def read(method: Method, articles: Sequence[Record]) -> Tokens:
    """The words of articles, each behind its title where the method reads titles."""
    texts = [
        f"{article['title']}\n\n{article['text']}"
        if method.view.title and article.get("title")
        else article["text"]
        for article in articles
    ]
    return tokenise(*encode(texts), method.view, words=True)


def refer(method: Method, articles: Sequence[Record]) -> Statistics:
    """The statistics of a big collection, in which the words of these articles are neither rare nor common."""
    return Statistics.count([read(method, [*articles] * 8 + [{"text": "other"}] * 7000)], method.view)


def own(method: Method, articles: Sequence[Record]) -> Statistics:
    return Statistics.count([read(method, articles)], method.view)


def find(articles: Any, method: Method, **options: Any) -> Opinions:
    return wirecopy.opinions(articles, method, **options)


def common_keys(method: Method, sketches: Sketches) -> list[int]:
    keys = method.keys(sketches)
    rows = [row(keys, number) for number in range(len(sketches))]
    occurrences = Counter(key for keys in rows for key in keys)
    articles = Counter(key for keys in rows for key in set(keys))
    values = sorted(occurrences)
    columns = [np.array([count[key] for key in values], np.int64) for count in (occurrences, articles)]
    return [key for key, left_out in zip(values, method.common(*columns), strict=True) if left_out]


def judge_pairs(
    method: Method,
    articles: Sequence[Record],
    pairs: Sequence[tuple[Record, Record]],
    statistics: Statistics | None,
) -> list[tuple[Opinion, float, bool]]:
    """What the method says of each pair, read for itself; the rank in full; whether the two share a key."""
    common = np.array(common_keys(method, method.sketch(read(method, articles), statistics)), np.uint64)

    def sketch(side: list[Record]) -> Sketches:
        sketches = method.sketch(read(method, side), statistics)
        return sketches.keep(~np.isin(sketches.columns[0], common)) if len(common) else sketches

    queries, founds = sketch([query for query, _ in pairs]), sketch([found for _, found in pairs])
    scores = method.score(queries, founds)
    there, back = method.accepts(scores)
    probes, keys = method.probes(queries), method.keys(founds)
    judged = []
    for number, (query, found) in enumerate(pairs):
        ways = bool(there[number]), bool(back[number])
        refused = None
        if any(ways) and method.name in ("sentence_fingerprints", "sentence_lengths"):
            ways = scores.query_in_found[number] >= 0.8, scores.found_in_query[number] >= 0.8
            refused = Relation.PARTIAL
        relation = {
            (True, True): Relation.NEAR_DUPLICATE,
            (True, False): Relation.CONTAINED_IN,
            (False, True): Relation.CONTAINS,
            (False, False): refused,
        }[ways]
        in_found, in_query, rank = (
            float(column[number].round(4))
            for column in (scores.query_in_found, scores.found_in_query, scores.rank)
        )
        opinion = Opinion(query["id"], found["id"], relation, in_found, in_query, rank, (method.name,))
        shares = not {*row(probes, number)}.isdisjoint(row(keys, number))
        judged.append((opinion, float(scores.rank[number]), shares))
    return judged


def weigh_by(kind: str, method: Method, articles: Sequence[Record]) -> dict[str, Statistics]:
    """What `find` is given, and what brute force weighs by."""
    if not method.weighs_words:
        return {}
    return {"statistics": (refer if kind == "reference" else own)(method, articles)}


def test_every_method_takes_part() -> None:
    assert {method.name for method in METHODS} == {*methods.names()}


# All pairs.


@pytest.mark.parametrize("kind", ["reference", "own"])
@pytest.mark.parametrize("seed", range(2))
@EACH
def test_opinions_are_what_the_method_accepts_of_all_pairs(method: Method, seed: int, kind: str) -> None:
    pile = make_pile(seed)
    weighed = weigh_by(kind, method, pile)
    ranked = by_time(pile)
    pairs = [(ranked[later], ranked[earlier]) for later in range(len(ranked)) for earlier in range(later)]
    judged = judge_pairs(method, ranked, pairs, weighed.get("statistics"))
    accepted = [(opinion, shares) for opinion, _, shares in judged if opinion.relation]
    expected = [opinion for opinion, shares in accepted if shares]
    assert method.approximate or len(expected) == len(accepted)
    assert list(find(pile, method, **(weighed if kind == "reference" else {}))) == expected
    if kind == "reference":
        assert 0 < len(expected) < len(pairs) * 0.7, "some pairs, not all"


@EACH
def test_blocks_do_not_show(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    pile = make_pile(3)
    whole = list(find(pile, method))
    monkeypatch.setattr(sharing, "BLOCK_ARTICLES", 3)
    monkeypatch.setattr(sharing, "BLOCK_WORK", 4)
    monkeypatch.setattr(opinions, "BLOCK_PAIRS", 2)
    assert list(find(pile, method)) == whole


@pytest.mark.parametrize("asked", [0, 4])
@EACH
def test_any_order_any_threads_any_batches_give_the_same_opinions(
    method: Method, asked: int, tmp_path: Path
) -> None:
    pile = make_pile(4)
    pile[-1] |= {"text": pile[-5]["text"]}
    draw = random.Random(4)
    answers = set()
    for threads, batch_bytes in product((1, 2), (1, 5000, 4 << 20)):
        queries, others = pile[28 : 28 + asked], draw.sample(pile[: 32 - asked], 32 - asked)
        for name, records in (("queries", draw.sample(queries, asked)), ("pile", others)):
            lines = (json.dumps(record) + "\n" for record in records)
            (tmp_path / f"{name}.jsonl").write_text("".join(lines))
        found = find(
            [tmp_path / "pile.jsonl"],
            method,
            query=[tmp_path / "queries.jsonl"] if asked else None,
            threads=threads,
            batch_bytes=batch_bytes,
        )
        answers.add("".join(found.json_lines()) + str(found.verdicts))
    assert len(answers) == 1
    assert answers.pop().startswith("{"), "some opinions"


def test_the_later_article_is_the_query() -> None:
    text = prose(Writer(5).write(60))
    dates = {"d": "2021-01-01", "b": "2021-01-05", "c": "2021-01-04", "a": None}
    found = find(
        [{"id": name, "text": text, "published": date} for name, date in dates.items()], methods.get("exact")
    )
    assert [(one.query, one.found) for one in found] == [
        *(("c", "d"), ("b", "d"), ("b", "c"), ("a", "d"), ("a", "c"), ("a", "b"))
    ]


def test_no_rule_of_ours_touches_opinions() -> None:
    """A family of more than twenty, and a text in all articles, which `find` links and leaves out by itself."""
    writer = Writer(6)
    formula = writer.write(150)
    pile = [{"id": f"{i:02}", "text": prose(writer.write(30) + formula)} for i in range(40)]
    assert len(find(pile, methods.get("winnowing"))) == 40 * 39 // 2


def test_opinions_are_a_sequence_of_public_objects() -> None:
    found = find(make_pile(7), methods.get("resemblance", threshold=0.1))
    listed = list(found)
    assert len(listed) == len(found) > 5
    assert (found[0], found[-1], found[1:4], found[::-1]) == (
        *(listed[0], listed[-1], listed[1:4], listed[::-1]),
    )
    for number in (len(found), -len(found) - 1):
        with pytest.raises(IndexError):
            found[number]
    read_back = [json.loads(line) for line in "".join(found.json_lines()).splitlines()]
    assert read_back == [opinion.to_dict() for opinion in listed]
    assert list(read_back[0]) == [
        *("query", "found", "accepted", "relation"),
        *("query_in_found", "found_in_query", "rank", "methods"),
    ]
    assert found.verdicts == ()


def test_a_repeated_id_is_skipped_and_takes_no_part() -> None:
    text, other = (prose(Writer(seed).write(60)) for seed in (8, 9))
    found = find(
        [{"id": "a", "text": text}, {"id": "b", "text": other}, {"id": "a", "text": other}],
        methods.get("exact"),
    )
    assert len(found) == 0
    assert [skipped.where for skipped in found.skipped] == ["record:3"]


# A pile ranked against queries.


@pytest.mark.parametrize("top", [None, 1, 5, 1000])
@EACH
def test_queries_rank_every_article_best_first(method: Method, top: int | None) -> None:
    pile = make_pile(10)
    asked = pile[6:10] + pile[:1]
    namesake = {"id": asked[0]["id"], "text": pile[20]["text"], "title": None, "published": None}
    rest = by_time([*pile[10:], *pile[1:6], namesake])
    weighed = weigh_by("reference", method, pile)
    expected: list[Opinion] = []
    for query in by_time(asked):
        pairs = [(query, found) for found in rest if found["id"] != query["id"]]
        judged = judge_pairs(method, rest, pairs, weighed.get("statistics"))
        ranks = ((one, rank) for one, rank, _ in judged if rank > 0)
        best = sorted(ranks, key=lambda pair: (-pair[1], pair[0].found))
        expected += [one for one, _ in best[:top]]
    found = find(rest, method, query=asked, top=top, **weighed)
    assert list(found) == expected
    assert not found.skipped
    accepted = find(rest, method, query=asked, accepted=True, **weighed)
    assert list(accepted) == [one for one in find(rest, method, query=asked, **weighed) if one.accepted]


def test_a_method_without_threshold_ranks() -> None:
    pile = make_pile(11)
    image = methods.get("document_image")
    ranked = find(pile, image, query=[{"id": "q", "text": pile[-1]["text"]}])
    assert {one.relation for one in ranked} == {None}
    assert ranked[0].rank == 1
    assert [one.rank for one in ranked] == sorted((one.rank for one in ranked), reverse=True)


def test_equal_ranks_come_by_id() -> None:
    text = prose(Writer(12).write(60))
    pile = [
        {"id": name, "text": text, "published": date}
        for name, date in (("c", None), ("b", DAYS[0]), ("é", None), ("a", DAYS[1]), ("z", DAYS[0]))
    ]
    for method in METHODS:
        ranked = find(
            pile, method, query=[{"id": "q", "text": text}], **weigh_by("reference", method, pile[:1])
        )
        assert [one.found for one in ranked] in (["a", "b", "c", "z", "é"], []), method


def test_queries_are_last_in_time_whatever_their_dates() -> None:
    text = prose(Writer(13).write(60))
    pile = [{"id": "a", "text": text, "published": "2024-01-01"}]
    query = {"id": "q", "text": text, "published": "2001-01-01"}
    assert [(one.query, one.found) for one in find(pile, methods.get("exact"), query=[query])] == [("q", "a")]


def test_queries_do_not_match_each_other() -> None:
    text = prose(Writer(14).write(60))
    queries = [{"id": name, "text": text} for name in "qr"]
    assert len(find([], methods.get("exact"), query=queries)) == 0
    assert len(wirecopy.find([], query=queries)) == 0


def test_a_query_without_articles_finds_nothing() -> None:
    text = prose(Writer(15).write(60))
    pile = [{"id": name, "text": text} for name in "ab"]
    assert len(find(pile, methods.get("exact"), query=[])) == 0
    assert len(wirecopy.find(pile, query=[])) == 0


@pytest.mark.parametrize("decide", ["method", "alignment"])
def test_a_repeated_id_among_queries_is_skipped(decide: Any) -> None:
    text, other = (prose(Writer(seed).write(60)) for seed in (16, 17))
    pile = [{"id": name, "text": text} for name in "ab"]
    decide = wirecopy.find if decide == "alignment" else wirecopy.opinions
    found = decide(pile, query=[{"id": "q", "text": other}, {"id": "q", "text": text}], method="exact")
    assert [(one.query, one.found) for one in found] == []
    assert [skipped.where for skipped in found.skipped] == ["query:2"]


def test_a_query_without_id_replaces_nothing() -> None:
    text = prose(Writer(18).write(60))
    assert len(find([{"text": text}], methods.get("exact"), query=[{"text": text}])) == 1


WEIGHING = [method for method in METHODS if method.weighs_words and method.name in ("codet", "cosine")]


@pytest.mark.parametrize("method", WEIGHING, ids=str)
def test_a_query_is_weighed_by_the_pile_alone(method: Method) -> None:
    pile = make_pile(19)
    query, other = pile[-2:]
    alone = list(find(pile[:-2], method, query=[query]))
    both = [one for one in find(pile[:-2], method, query=[query, other]) if one.query == query["id"]]
    assert both == alone == list(find(pile[:-2], method, query=[query], statistics=own(method, pile[:-2])))


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_queries_take_nothing_out_of_the_pile(method: Method) -> None:
    pile = make_pile(19)
    copy = {"id": "copy", "text": pile[-1]["text"], "title": pile[-1].get("title")}
    weighed = weigh_by("own", method, pile)
    alone = list(find(pile, method, query=[copy], **weighed))
    both = find(pile, method, query=[pile[-1], copy], **weighed)
    assert [one for one in both if one.query == "copy"] == alone
    assert pile[-1]["id"] in {one.found for one in alone} or method.name in ("sentence_lengths",)
    assert (pile[-1]["id"], pile[-1]["id"]) not in {(one.query, one.found) for one in both}


def test_a_repeated_id_is_not_weighed() -> None:
    pile = make_pile(20)
    statistics, skipped = weigh([*pile, *pile[:3]], "cosine")
    assert len(skipped) == 3
    assert statistics.articles == len(pile)


# Nominating for the comparison.


@pytest.fixture(scope="module")
def copies() -> list[Record]:
    """Twelve articles: b is a, c has a's words in the midst of its own."""
    writer = Writer(21, words=5000)
    words = writer.write(400)
    texts = {"a": words, "b": words, "c": writer.write(150) + words + writer.write(150)}
    texts |= {f"x{number}": writer.write(250) for number in range(9)}
    return [{"id": name, "text": prose(text)} for name, text in texts.items()]


CONTAINING = ("codet", "full_fingerprint", "sentence_fingerprints", "sentence_lengths", "winnowing")
PUBLISHED = [methods.get(name) for name in methods.names()]


@pytest.mark.parametrize("kind", ["reference", "own"])
@pytest.mark.parametrize("method", PUBLISHED, ids=lambda method: method.name)
def test_each_method_nominates_what_its_paper_claims(method: Method, kind: str, copies: list[Record]) -> None:
    if kind == "own" and method.name == "imatch":
        method = methods.get("imatch", high_share=0.5)
    statistics = refer(method, copies) if kind == "reference" and method.weighs_words else None
    found = wirecopy.find(copies, method=method, statistics=statistics)
    relations = {(match.query, match.found): match.relation for match in found}
    assert relations["b", "a"] is Relation.IDENTICAL
    if method.name in CONTAINING:
        assert relations == {
            ("b", "a"): Relation.IDENTICAL,
            ("c", "a"): Relation.CONTAINS,
            ("c", "b"): Relation.CONTAINS,
        }
    assert all(method.name in match.methods for match in found)
    assert {name for match in found for name in match.methods} == {method.name, "exact"}


@pytest.mark.parametrize("group", [slice(0, 8), slice(6, 14), slice(13, 5, -1)])
def test_several_methods_nominate_together_and_each_is_named(group: slice) -> None:
    pile = make_pile(22)
    chosen = [method for method in PUBLISHED if method.guaranteed_words is None][group]
    alone = {
        method.name: {(match.query, match.found) for match in wirecopy.find(pile, method=method)}
        for method in chosen
    }
    together = wirecopy.find(pile, method=chosen)
    assert {(match.query, match.found) for match in together} == set().union(*alone.values())
    named = {
        method.name: {
            (match.query, match.found)
            for match in wirecopy.find(pile, method=method)
            if method.name in match.methods
        }
        for method in chosen
    }
    for match in together:
        by = [method.name for method in chosen if (match.query, match.found) in named[method.name]]
        exact = ["exact"] * (match.relation is Relation.IDENTICAL)
        assert match.methods == tuple(dict.fromkeys([*by, *exact]))


def make_formula() -> list[Record]:
    """Forty articles of mostly stopwords, of which twenty-five end alike."""
    writer = Writer(1)
    stopwords = ["the", "of", "and", "to", "in", "that", "it", "for", "on", "with", "as", "was", "by"]

    def write(count: int) -> list[str]:
        words = (
            [word, *writer.random.choices(stopwords, k=writer.random.choice((2, 3, 4)))]
            for word in writer.write(count)
        )
        return [word for part in words for word in part]

    formula = write(20)
    return [
        {"id": f"{i:02}", "text": " ".join(write(20) + (formula if i < 25 else [])) + "."} for i in range(40)
    ]


def test_the_order_of_methods_changes_nothing() -> None:
    pile = make_formula()
    one, other = (
        {(match.query, match.found, *match.passages) for match in wirecopy.find(pile, method=chosen)}
        for chosen in (["winnowing", "full_fingerprint"], ["full_fingerprint", "winnowing"])
    )
    assert one == other


def test_no_more_than_eight_methods_nominate() -> None:
    with pytest.raises(UsageError, match="expected one to 8 methods, got 9"):
        wirecopy.find([], method=methods.names()[:9])


# The verdict on an article.

SENTENCES = [
    "Treaty senate vote.",
    "Senate vote treaty.",
    "Vote.",
    "Governor.",
    "Senate governor vote.",
    "Vote vote.",
]
ARTICLES = st.lists(
    st.tuples(
        st.sampled_from(["", *(sentence[:-1] for sentence in SENTENCES)]),
        st.lists(st.sampled_from(SENTENCES)),
    ),
    max_size=6,
)


def fingerprints(title: str, sentences: list[str], exact: bool) -> list[tuple[str, ...]]:
    words = [sentence.lower().strip(".").split() for sentence in ([title] if title else []) + sentences]
    return [tuple(one if exact else sorted(one)) for one in words]


@settings(max_examples=60)
@given(ARTICLES, ARTICLES, st.booleans(), st.integers(1, 4) | st.just(300), st.integers(0, 3), st.booleans())
def test_verdicts_count_sentences_that_others_have(
    sources: list[tuple[str, list[str]]],
    targets: list[tuple[str, list[str]]],
    exact: bool,
    most_occurrences: int,
    more_than: int,
    with_query: bool,
) -> None:
    method = methods.get(
        "sentence_fingerprints",
        common_share=1.0,
        exact_sentences=exact,
        most_occurrences=300 if with_query else most_occurrences,
        more_than=more_than,
    )
    targets = targets if with_query else []
    made = [
        [
            {"id": f"{name}{number}", "title": title, "text": " ".join(sentences) or "…"}
            for number, (title, sentences) in enumerate(side)
        ]
        for name, side in (("s", sources), ("t", targets))
    ]
    table = [fingerprints(*article, exact) for article in sources]
    occurrences = Counter(one for sentences in table for one in sentences)
    kept = {one for one, count in occurrences.items() if count <= (300 if with_query else most_occurrences)}
    asked = [fingerprints(*article, exact) for article in targets] or table
    expected = []
    for number, mine in enumerate(asked):
        me = None if targets else number
        hits = sum(
            one in kept and any(one in other for at, other in enumerate(table) if at != me) for one in mine
        )
        expected.append(Verdict(f"{'t' if targets else 's'}{number}", hits, hits > more_than))
    found = find(made[0], method, query=made[1] if targets else None)
    assert found.verdicts == expected


def filler(number: int) -> str:
    return f"Sentence number x{number} stands here alone."


@pytest.mark.parametrize(("occurrences", "hits"), [(300, 1), (301, 0)])
def test_a_sentence_counts_up_to_three_hundred_times(occurrences: int, hits: int) -> None:
    method = methods.get("sentence_fingerprints", exact_sentences=True)
    pile = [
        {"id": f"{number:03}", "text": f"Harbour master refuses every ferry. {filler(number)}"}
        for number in range(occurrences)
    ]
    assert {verdict.hits for verdict in find(pile, method).verdicts} == {hits}


@pytest.mark.parametrize(("more", "hits"), [(0, 3), (1, 0)])
def test_occurrences_are_counted_not_articles(more: int, hits: int) -> None:
    method = methods.get("sentence_fingerprints", exact_sentences=True)
    again = "Harbour master refuses every ferry. "
    pile = [{"id": f"{number:03}", "text": again * 3 + filler(number)} for number in range(100)]
    pile[0]["text"] = again * more + pile[0]["text"]
    found = find(pile, method)
    assert {(verdict.hits, verdict.duplicate) for verdict in found.verdicts} == {(hits, hits > 2)}
    assert len(found) == (100 * 99 // 2 if hits else 0)


def test_a_query_adds_nothing_to_the_table() -> None:
    method = methods.get("sentence_fingerprints", exact_sentences=True)
    again = "Harbour master refuses every ferry. "
    pile = [{"id": f"{number:03}", "text": again + filler(number)} for number in range(300)]
    (verdict,) = find(pile, method, query=[{"id": "q", "text": again}]).verdicts
    assert verdict.hits == 1


def test_an_article_never_collides_with_itself() -> None:
    method = methods.get("sentence_fingerprints", exact_sentences=True)
    pile = [{"id": "a", "text": "Harbour master refuses. " * 5}, {"id": "b", "text": "Ferry sails."}]
    assert [verdict.hits for verdict in find(pile, method).verdicts] == [0, 0]
    assert [verdict.hits for verdict in find(pile, method, query=[pile[0]]).verdicts] == [0]


def test_a_verdict_may_come_from_several_articles() -> None:
    method = methods.get("sentence_fingerprints", exact_sentences=True)
    parts = [filler(number) for number in range(3)]
    pile = [{"id": f"{number}", "text": part} for number, part in enumerate(parts)]
    found = find([*pile, {"id": "z", "text": " ".join(parts)}], method)
    assert len(found) == 0
    assert found.verdicts[-1] == Verdict("z", 3, True)


TITLED = [
    {"id": "a", "title": "Ferry refused", "text": "Own words."},
    {"id": "b", "text": "Ferry refused! Other words."},
]


def test_a_title_is_the_first_sentence_in_every_source(tmp_path: Path) -> None:
    method = methods.get("sentence_fingerprints", exact_sentences=True, more_than=0)
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(one) + "\n" for one in TITLED))
    (tmp_path / "a.json").write_text(json.dumps(TITLED))
    (tmp_path / "a.csv").write_text(
        "id,title,text\na,Ferry refused,Own words.\nb,,Ferry refused! Other words.\n"
    )
    (tmp_path / "b").write_text("Ferry refused! Other words.")
    titled = Article("a", "Own words.", title="Ferry refused")
    for articles in (
        *(TITLED, [titled, TITLED[1]], [titled, tmp_path / "b"], pyarrow.Table.from_pylist(TITLED)),
        *([tmp_path / "a.jsonl"], [tmp_path / "a.json"], [tmp_path / "a.csv"]),
    ):
        found = find(articles, method)
        assert [(one.relation, one.query_in_found) for one in found] == [(Relation.PARTIAL, 0.5)], articles
        assert [verdict.hits for verdict in found.verdicts] == [1, 1]


def test_a_method_that_reads_no_titles_is_not_given_them() -> None:
    pile = [{"id": name, "title": f"Title {name}", "text": "The same words here."} for name in "ab"]
    assert len(find(pile, methods.get("exact"))) == 1
    found = wirecopy.find(pile, method=["exact", "sentence_fingerprints"])
    assert found[0].relation is Relation.IDENTICAL
    assert found[0].passages[0].query == (0, len("The same words here"))


# What single papers leave out or read otherwise.

WORDS = st.lists(st.sampled_from("abcde"), max_size=9)


@settings(max_examples=60)
@given(
    st.lists(WORDS, max_size=7),
    st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9]),
    st.integers(0, 4),
    st.sampled_from([0.1, 0.4, 1.0]),
)
def test_resemblance_leaves_out_frequent_shingles(
    articles: list[list[str]], share: float, most_articles: int, threshold: float
) -> None:
    method = methods.get(
        "resemblance", leave_out_share=share, most_articles=most_articles, threshold=threshold
    )
    sets = [{*pairwise(words)} or {tuple(words)} - {()} for words in articles]
    holders = Counter(shingle for shingles in sets for shingle in shingles)
    falling = sorted(holders.values(), reverse=True)
    fitting = int(len(holders) * share + 1e-9)
    kept = {
        shingle
        for shingle, count in holders.items()
        if (not fitting or count <= falling[fitting]) and not 0 < most_articles <= count
    }
    expected = {}
    for later, one in enumerate(sets):
        for earlier, other in enumerate(sets[:later]):
            either = (one | other) & kept
            if either and len(one & other & kept) / len(either) >= threshold:
                expected[str(later), str(earlier)] = round(len(one & other & kept) / len(either), 4)
    pile = [{"id": str(number), "text": " ".join(words) or "…"} for number, words in enumerate(articles)]
    assert {(one.query, one.found): one.rank for one in find(pile, method)} == expected


def make_sentences(draw: random.Random, lengths: Sequence[int], word: str) -> list[str]:
    return [" ".join(f"{word}{draw.randrange(10**6)}" for _ in range(length)) + "." for length in lengths]


def shared_run(seed: int, sentences: int) -> list[Record]:
    """Two articles that share a run of sentences, all of different lengths, at other places, and nothing else."""
    draw = random.Random(seed)
    lengths = draw.sample(range(5, 60), sentences)
    run = make_sentences(draw, lengths, "run")
    pile = []
    for number, name in enumerate("ab"):
        before, after = (
            make_sentences(
                draw, [100 + 2 * draw.randrange(50) + number for _ in range(draw.randrange(12))], name
            )
            for _ in range(2)
        )
        pile.append({"id": name, "text": " ".join([*before, *run, *after])})
    return pile


JUMPS = [
    {"step_sentences": 2},
    {"step_sentences": 5, "window_sentences": 6},
    {"step_sentences": 2, "contiguous_windows": 3},
    {"dynamic_jumping": True},
    {"step_sentences": 3, "dynamic_jumping": True},
]


@pytest.mark.parametrize("jumps", JUMPS, ids=str)
def test_a_query_is_read_at_every_sentence(jumps: dict[str, Any]) -> None:
    method: Any = methods.get("sentence_lengths", **jumps)
    promised = method.window_sentences + method.step_sentences * method.contiguous_windows - 1
    for seed in range(20):
        pile = shared_run(seed, promised)
        assert [(one.query, one.found) for one in find(pile, method)] == [("b", "a")], seed


def test_a_query_is_read_at_every_sentence_when_nominating() -> None:
    method = methods.get("sentence_lengths", step_sentences=2)
    for seed in range(20):
        assert len(wirecopy.find(shared_run(seed, 9), method=method)) == 1, seed


# What cannot be meant, and what has nothing in it.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "document_image"}, "only ranks: give it a query, or a threshold"),
        ({"method": "exact", "top": 3}, "top: expected 1 or more, with a query, got 3"),
        ({"method": "exact", "top": 0, "query": ["x"]}, "top: expected 1 or more.*got 0"),
        ({"method": "document_image", "top": 3, "accepted": True}, "only ranks.*; top: .*; accepted: "),
        ({"method": "cosine:threshold=1"}, "no method named 'cosine:threshold=1'"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        wirecopy.opinions(["one", "two"], **options)


@pytest.mark.parametrize("name", methods.names())
def test_unknown_parameters_stemmers_and_languages_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="has no parameter zeal"):
        methods.get(name, zeal=1)
    for parameter in {"stopwords", "common_words"} & set(methods.describe(name)["parameters"]):
        with pytest.raises(UsageError, match=f"{name}: expected stopwords.*got english; the languages are:"):
            methods.get(name, **{parameter: "english"})
    if "stemmer" in methods.describe(name)["parameters"]:
        with pytest.raises(UsageError, match=f"{name}: expected a stemmer.*got klingon"):
            methods.get(name, stemmer="klingon")


@pytest.mark.parametrize("decide", ["method", "alignment"])
@pytest.mark.parametrize("method", [one for one in METHODS if one.weighs_words], ids=str)
def test_statistics_of_another_view_are_refused(method: Method, decide: Any) -> None:
    other = Statistics.count([], methods.get("cosine", stemmer="german").view)
    with pytest.raises(MismatchError, match="view of the statistics"):
        (wirecopy.find if decide == "alignment" else wirecopy.opinions)(
            ["one", "two"], method=method, statistics=other
        )


@pytest.mark.parametrize(
    "pile",
    [
        [],
        ["one"],
        [""],
        ["", "…"],
        [{"id": "a", "text": ""}, {"id": "b", "text": "…"}, {"id": "c", "text": "\n"}],
    ],
    ids=str,
)
def test_a_pile_without_pairs_has_no_opinions(pile: list[Any]) -> None:
    for method in METHODS:
        assert list(find(pile, method)) == [], method
        assert not any(verdict.hits for verdict in find(pile, method).verdicts)
        assert [one.rank for one in find(pile, method, query=[{"id": "q", "text": "… two"}])] == [], method
        assert list(find(pile, method, query=[{"id": "q", "text": ""}])) == [], method
        assert list(wirecopy.find(pile, method=method)) == [], method


def test_statistics_may_be_those_of_no_articles() -> None:
    text = prose(Writer(30).write(200))
    pile = [{"id": name, "text": text} for name in "ab"]
    for method in METHODS:
        if method.weighs_words:
            found = find(pile, method, statistics=Statistics.count([], method.view))
            assert all(np.isfinite([one.rank, one.query_in_found]).all() for one in found)


# Statistics from a file.


@pytest.mark.parametrize("method", [one for one in METHODS if one.weighs_words], ids=str)
def test_weighing_first_gives_the_same(method: Method, tmp_path: Path) -> None:
    pile = make_pile(31)
    statistics, skipped = weigh(pile, method, threads=2, batch_bytes=900)
    assert not skipped
    expected = own(method, pile)
    assert statistics.words.tolist() == expected.words.tolist()
    assert statistics.counts.tolist() == expected.counts.tolist()
    assert statistics.articles == expected.articles
    statistics.save(tmp_path / "words")
    loaded = Statistics.load(tmp_path / "words")
    assert list(find(pile, method, statistics=loaded)) == list(find(pile, method))
    nominated = [wirecopy.find(pile, method=method, statistics=given) for given in (loaded, None)]
    assert list(nominated[0]) == list(nominated[1])


def test_damaged_statistics_are_refused_or_harmless(tmp_path: Path) -> None:
    Statistics.count([tokenise(*encode(["a b", "b c d"]))]).save(tmp_path / "words")
    good = (tmp_path / "words").read_bytes()
    draw = random.Random(32)
    refused = 0
    for number in range(900):
        bad = bytearray(good[: draw.randrange(len(good))] if number % 3 == 0 else good)
        for _ in range(number % 3 if bad else 0):
            bad[draw.randrange(len(bad))] = draw.randrange(256)
        (tmp_path / "words").write_bytes(bad)
        try:
            Statistics.load(tmp_path / "words").frequencies(tokenise(*encode(["a"])).hashes)
        except (SourceError, MismatchError):
            refused += 1
    assert refused > 500


@pytest.mark.parametrize(
    "wrong",
    [
        {"counts": np.ones(1, np.int64)},
        {"words": np.ones(4)},
        {"words": np.ones((2, 2), np.uint64), "counts": np.ones((2, 2), np.int64)},
        {"counts": np.ones(4, np.int8)},
        {"words": np.array(["a", "b", "c", "d"])},
        {"articles": np.arange(3)},
    ],
    ids=str,
)
def test_statistics_with_other_columns_are_refused(wrong: dict[str, Any], tmp_path: Path) -> None:
    Statistics.count([tokenise(*encode(["a b", "b c d"]))]).save(tmp_path / "words.npz")
    np.savez(tmp_path / "words.npz", **{**np.load(tmp_path / "words.npz"), **wrong})
    with pytest.raises(SourceError, match=r"words\.npz: expected statistics"):
        Statistics.load(tmp_path / "words.npz")
