"""Two articles compared: the kernel equals its slow twin on short texts, and holds its promises on all."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, event, example, given, settings
from hypothesis import strategies as st
from reference import align as twin
from reference import text as twin_text
from texts import Writer, join

import wirecopy
from wirecopy import _core
from wirecopy.comparison import PRESETS
from wirecopy.errors import UsageError
from wirecopy.model import Match, Relation

U64, I64, U32, U8 = np.uint64, np.int64, np.uint32, np.uint8
Article = list[int]

SETTINGS = {
    name: twin.Settings(
        preset.seed_words,
        preset.bridged_words,
        preset.min_passage_words,
        preset.covered,
        preset.gap_words_a_word,
    )
    for name, preset in PRESETS.items()
}


def run(
    articles: Sequence[Sequence[int]],
    pairs: Sequence[tuple[int, int]],
    settings_: twin.Settings,
    halves: Sequence[int] | None = None,
    marks: Sequence[Sequence[int]] | None = None,
) -> list[twin.Compared]:
    """The kernel's answer for some pairs, in the twin's words."""
    answer = _core.compare(
        np.array([word for article in articles for word in article], U64),
        np.cumsum([0] + [len(article) for article in articles]).astype(I64),
        None if halves is None else np.array(halves, U8),
        None if marks is None else np.array([mark for row in marks for mark in row], U8),
        np.array([query for query, _ in pairs], U32),
        np.array([found for _, found in pairs], U32),
        *astuple(settings_),
    )
    columns = ("query_start", "query_end", "found_start", "found_end", "words", "changed")
    passages = [
        twin.Passage((a, b), (c, d), words, changed)
        for a, b, c, d, words, changed in zip(*(answer[name].tolist() for name in columns), strict=True)
    ]
    edges = answer["passage_offsets"].tolist()
    return [
        twin.Compared(
            bool(answer["identical"][i]),
            float(answer["query_covered"][i]),
            float(answer["found_covered"][i]),
            float(answer["resemblance"][i]),
            passages[edges[i] : edges[i + 1]],
        )
        for i in range(len(pairs))
    ]


def compare(query: Article, found: Article, settings_: twin.Settings) -> twin.Compared:
    return run([query, found], [(0, 1)], settings_)[0]


@st.composite
def related(draw: st.DrawFn, most: int = 40, letters: int = 12) -> tuple[Article, Article]:
    """Two articles of few distinct words, of which one is put together from pieces of the other, edited."""
    words = st.integers(1, draw(st.integers(1, letters)))
    one = draw(st.lists(words, max_size=most))
    other: Article = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(one)))
        piece = one[start : draw(st.integers(start, len(one)))]
        for at in draw(st.lists(st.integers(0, most), max_size=3)):
            piece[at : at + draw(st.integers(0, 2))] = draw(st.lists(words, max_size=2))
        other += piece + draw(st.lists(words, max_size=4))
    return (one, other[:most]) if draw(st.booleans()) else (other[:most], one)


any_settings = st.sampled_from(list(SETTINGS.values())) | st.builds(
    twin.Settings,
    st.integers(1, 4),
    st.integers(0, 8),
    st.integers(1, 8),
    st.sampled_from([0.5, 0.8, 0.9, 1.0]),
    st.integers(1, 8),
)


@settings(max_examples=1500)
@given(related(), any_settings)
def test_texts_under_forty_words_compare_as_the_twin_says(
    pair: tuple[Article, Article], settings_: twin.Settings
) -> None:
    assume(twin.fits(*pair, settings_.seed_words))
    expected = twin.compare(*pair, settings_)
    event(f"{min(len(expected.passages), 3)} passages")
    assert compare(*pair, settings_) == expected


@settings(max_examples=300)
@given(related(), any_settings)
def test_characters_that_count_half_make_passages_of_half_the_words(
    pair: tuple[Article, Article], settings_: twin.Settings
) -> None:
    assume(twin.fits(*pair, settings_.seed_words))
    expected = twin.compare(*pair, settings_, characters=True)
    got = run(pair, [(0, 1)], settings_, halves=[1] * sum(map(len, pair)))[0]
    halved = [one._replace(words=-(-one.words // 2)) for one in expected.passages]
    assert got == expected._replace(passages=halved)


@settings(max_examples=400)
@given(related(most=120, letters=40), any_settings)
@example(([1] * 120, [1] * 90), SETTINGS["any-reuse"])
@example(([1, 2] * 60, [2, 1] * 60), SETTINGS["syndication"])
def test_swapping_the_arguments_swaps_the_answer_and_nothing_else(
    pair: tuple[Article, Article], settings_: twin.Settings
) -> None:
    there, back = run(pair, [(0, 1), (1, 0)], settings_)
    assert back == twin.Compared(
        there.identical,
        there.found_covered,
        there.query_covered,
        there.resemblance,
        sorted(twin.Passage(one.found, one.query, one.words, one.changed) for one in there.passages),
    )


@settings(max_examples=500)
@given(related(most=150, letters=60), any_settings)
@example(([1] * 150, [1] * 140), SETTINGS["any-reuse"])
def test_passages_say_what_is_there(pair: tuple[Article, Article], settings_: twin.Settings) -> None:
    query, found = pair
    compared = compare(query, found, settings_)
    assert compared.identical == (query == found)
    assert compared.resemblance == twin.resemblance(query, found)
    assert compared.query_covered == (
        1.0 if query == found else twin.coverage(len(query), [one.query for one in compared.passages])
    )
    assert compared.found_covered == (
        1.0 if query == found else twin.coverage(len(found), [one.found for one in compared.passages])
    )
    for one in compared.passages:
        (a, b), (c, d) = one.query, one.found
        assert 0 <= a < b <= len(query)
        assert 0 <= c < d <= len(found)
        assert query[a] == found[c]
        assert query[b - 1] == found[d - 1]
        assert one.words <= twin.lcs(query[a:b], found[c:d])
        assert one.words + one.changed == max(b - a, d - c)
        assert query == found or 2 * one.words >= settings_.min_passage_words


@settings(max_examples=300)
@given(related(most=150, letters=60), any_settings)
def test_no_two_words_are_in_two_passages_on_both_sides(
    pair: tuple[Article, Article], settings_: twin.Settings
) -> None:
    """Passages may share words of one side (a text that says a thing twice), but not the same words of both."""
    assume(twin.fits(*pair, settings_.seed_words))
    seen: set[tuple[int, int]] = set()
    for one in compare(*pair, settings_).passages:
        cells = {(i, j) for i in range(*one.query) for j in range(*one.found) if pair[0][i] == pair[1][j]}
        assert not cells & seen
        seen |= cells


@settings(max_examples=300)
@given(
    st.lists(st.lists(st.integers(1, 30), max_size=80), min_size=2, max_size=6), any_settings, st.randoms()
)
def test_a_pair_compares_the_same_in_any_batch(
    articles: list[Article], settings_: twin.Settings, draw: Any
) -> None:
    articles = [*articles, articles[0] + articles[1]]
    pairs = [(draw.randrange(len(articles)), draw.randrange(len(articles))) for _ in range(8)]
    together = run(articles, pairs, settings_)
    assert together == [compare(articles[query], articles[found], settings_) for query, found in pairs]


@pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="with one character of half weight in the batch, equal words in gaps count half",
)
def test_a_pair_compares_the_same_beside_an_article_in_another_script() -> None:
    query = [*range(1, 31), 901, 40, 902, 41, 903, *range(50, 80)]
    found = [*range(1, 31), 911, 40, 912, 41, 913, *range(50, 80)]
    alone = compare(query, found, SETTINGS["syndication"])
    halves = [2] * (len(query) + len(found)) + [1] * 5
    beside = run([query, found, [1001, 1002, 1003, 1004, 1005]], [(0, 1)], SETTINGS["syndication"], halves)
    assert beside == [alone]


@settings(max_examples=400)
@given(related(), any_settings, st.data())
def test_boilerplate_is_as_if_it_were_not_there(
    pair: tuple[Article, Article], settings_: twin.Settings, data: st.DataObject
) -> None:
    marks = [data.draw(st.lists(st.sampled_from([0, 0, 1]), min_size=len(a), max_size=len(a))) for a in pair]
    kept = [[i for i, mark in enumerate(row) if not mark] for row in marks]
    bare = [[article[i] for i in places] for article, places in zip(pair, kept, strict=True)]
    assume(twin.fits(bare[0], bare[1], settings_.seed_words))
    assume(bare[0] != bare[1])
    got = run(pair, [(0, 1)], settings_, marks=marks)[0]
    expected = twin.compare(bare[0], bare[1], settings_)
    assert got == twin.Compared(
        pair[0] == pair[1],
        expected.query_covered,
        expected.found_covered,
        twin.resemblance(*pair),
        [
            one._replace(
                query=(kept[0][one.query[0]], kept[0][one.query[1] - 1] + 1),
                found=(kept[1][one.found[0]], kept[1][one.found[1] - 1] + 1),
            )
            for one in expected.passages
        ],
    )


def test_articles_that_are_nothing_but_boilerplate_match_only_as_identical() -> None:
    formula = list(range(1, 41))
    same, other = run(
        [formula, formula, [*formula[:35], 99]],
        [(0, 1), (0, 2)],
        SETTINGS["any-reuse"],
        marks=[[1] * 40, [1] * 40, [1] * 36],
    )
    assert same.identical
    assert not other.identical
    assert not other.passages
    assert other.query_covered == 0


HOSTILE = {
    "one word": ([7] * 200_000, [7] * 199_000),
    "two words": ([1, 2] * 100_000, [2, 1] * 99_000),
    "period of sixteen": (list(range(1, 17)) * 6_000, list(range(1, 17)) * 6_000 + [99]),
    "period of seventeen": (list(range(1, 18)) * 6_000, [99, *list(range(1, 18)) * 5_900]),
    "every other word": (
        [n for i in range(60_000) for n in (7, i + 10)],
        [n for i in range(60_000) for n in (7, 60_000 - i + 10)],
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("preset", PRESETS)
def test_hostile_texts_cost_no_more_than_their_length(name: str, preset: str) -> None:
    query, found = HOSTILE[name]
    there, back = run([query, found], [(0, 1), (1, 0)], SETTINGS[preset])
    assert (there.query_covered, there.found_covered) == (back.found_covered, back.query_covered)
    if "every" not in name:
        assert min(there.query_covered, there.found_covered) > 0.8


sizes = st.integers(0, 4) | st.sampled_from([2**31, 2**62])
small = st.lists(st.integers(0, 3), max_size=8)


@settings(max_examples=500)
@given(
    small, small, st.none() | small, st.none() | small, small, small, sizes, sizes, sizes, st.floats(), sizes
)
def test_no_argument_makes_the_kernel_panic(
    words: list[int],
    cuts: list[int],
    halves: list[int] | None,
    marks: list[int] | None,
    queries: list[int],
    founds: list[int],
    seed_words: int,
    bridged_words: int,
    min_passage_words: int,
    covered: float,
    gap_words: int,
) -> None:
    offsets = np.array([0, *sorted(cuts), len(words)], I64)
    with contextlib.suppress(ValueError, OverflowError):
        _core.compare(
            np.array(words, U64),
            offsets,
            None if halves is None else np.array(halves, U8),
            None if marks is None else np.array(marks, U8),
            np.array(queries, U32),
            np.array(founds, U32),
            seed_words,
            bridged_words,
            min_passage_words,
            covered,
            gap_words,
        )


@pytest.mark.parametrize(
    "changes",
    [
        {"queries": [2]},
        {"founds": [2]},
        {"queries": [0, 1]},
        {"seed_words": 0},
        {"min_passage_words": 0},
        {"gap_words_a_word": 0},
    ],
)
def test_arguments_that_do_not_fit_are_refused(changes: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {
        "queries": [0],
        "founds": [1],
        "seed_words": 4,
        "bridged_words": 10,
        "min_passage_words": 20,
        "covered": 0.8,
        "gap_words_a_word": 4,
        **changes,
    }
    for name in ("queries", "founds"):
        arguments[name] = np.array(arguments[name], U32)
    with pytest.raises(ValueError, match="expected"):
        _core.compare(np.arange(6, dtype=U64), np.array([0, 3, 6], I64), halves=None, marks=None, **arguments)


# Through the public face.


@pytest.fixture(scope="module")
def writer() -> Writer:
    return Writer(11)


def matched(query: str, found: str, preset: str = "syndication") -> Match:
    match = wirecopy.compare(query, found, preset=preset)
    assert match is not None
    return match


def test_passages_begin_and_end_at_word_edges(writer: Writer) -> None:
    for _ in range(50):
        words = writer.write(120)
        query, found = join(writer.edit(words, 0.03)), join(writer.write(40) + words[20:100])
        match = matched(query, found)
        for side, text in (("query", query), ("found", found)):
            spans = [(word.start, word.end) for word in twin_text.split_words(text)]
            for passage in match.passages:
                start, end = getattr(passage, side)
                assert start in {edge for edge, _ in spans}
                assert end in {edge for _, edge in spans}
        assert all(passage.text == query[slice(*passage.query)] for passage in match.passages)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_moved_paragraph_is_still_found(writer: Writer, preset: str) -> None:
    paragraphs = [writer.write(60) for _ in range(4)]
    query = join([word for i in (2, 0, 3, 1) for word in paragraphs[i]])
    found = join([word for paragraph in paragraphs for word in paragraph])
    match = matched(query, found, preset)
    assert match.relation is Relation.NEAR_DUPLICATE
    assert match.query_covered > 0.98
    assert len(match.passages) >= 3


@pytest.mark.parametrize("preset", PRESETS)
def test_edits_inside_a_passage_are_bridged_and_counted(writer: Writer, preset: str) -> None:
    words = [f"w{i}" for i in range(120)]
    edited = list(words)
    edited[30:31] = ["ein", "zwei"]
    edited[61:64] = ["drei"]
    edited[90] = "vier"
    match = matched(" ".join(edited), " ".join(words), preset)
    (passage,) = match.passages
    assert passage.words == 120 - 1 - 3 - 1
    assert passage.changed == 5
    assert match.relation is Relation.NEAR_DUPLICATE
    assert (match.query_covered, match.found_covered) == (1, 1)


@pytest.mark.parametrize(("preset", "least"), [("strict", 40), ("syndication", 20), ("any-reuse", 12)])
def test_a_passage_needs_the_words_of_its_preset(writer: Writer, preset: str, least: int) -> None:
    lone = [f"q{i}" for i in range(200)], [f"f{i}" for i in range(200)]
    for length, reported in ((least, True), (least - 1, False)):
        run_ = [f"r{i}" for i in range(length)]
        query, found = (" ".join(words[:100] + run_ + words[100:]) for words in lone)
        match = wirecopy.compare(query, found, preset=preset)
        assert (match is not None) == reported
        if match:
            assert match.relation is Relation.PARTIAL
            assert [passage.words for passage in match.passages] == [length]


def test_the_relation_follows_the_shares(writer: Writer) -> None:
    words = writer.write(200)
    whole = join(words)
    assert matched(whole, whole.upper().replace(".", " ;\n")).relation is Relation.IDENTICAL
    assert matched(whole, join(words[:170])).relation is Relation.NEAR_DUPLICATE
    assert matched(whole, join(words[:100])).relation is Relation.CONTAINS
    assert matched(join(words[50:150]), whole).relation is Relation.CONTAINED_IN
    assert matched(whole, join(words[:100] + writer.write(100))).relation is Relation.PARTIAL
    assert wirecopy.compare(whole, writer.text(200)) is None


def test_texts_without_words_and_with_one() -> None:
    match = matched("", "")
    assert (match.relation, match.passages) == (Relation.IDENTICAL, ())
    assert matched("…", " \n").relation is Relation.IDENTICAL
    assert matched("One", "one!").relation is Relation.IDENTICAL
    assert wirecopy.compare("one", "two") is None
    assert wirecopy.compare("one", "") is None


def test_words_in_a_script_without_spaces_count_half() -> None:
    draw = random.Random(5)
    letters = [chr(0x4E00 + i) for i in range(3000)]
    query, found = ("".join(draw.choices(letters, k=300)) for _ in range(2))
    shared = "".join(draw.sample(letters, 40))
    match = matched(query[:90] + shared + query[90:], found[:30] + shared + found[30:])
    assert [passage.words for passage in match.passages] == [20]
    assert match.passages[0].text == shared
    assert (
        wirecopy.compare(query[:90] + shared[:38] + query[90:], found[:30] + shared[:38] + found[30:]) is None
    )


def test_bad_arguments_say_what_was_expected() -> None:
    with pytest.raises(UsageError, match=r"no preset named 'loose'; there are: strict"):
        wirecopy.compare("one", "two", preset="loose")
    with pytest.raises(UsageError, match="query: expected a text"):
        wirecopy.compare(3, "two")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="found: expected a text"):
        wirecopy.compare("two", {"id": "x"})
