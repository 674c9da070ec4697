"""The contract that every method keeps, run over all there are."""

from __future__ import annotations

import contextlib
import dataclasses
import pickle
import random
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wirecopy
from quality.texts import Writer
from wirecopy import methods
from wirecopy.errors import UsageError
from wirecopy.methods import RELATIONS, Keys, Method, Scores
from wirecopy.model import Relation, Tokens
from wirecopy.statistics import Statistics
from wirecopy.text import encode, tokenise

NAMES = methods.names()


ALIKE = [name for name in NAMES if type(methods.get(name)).probes is Method.probes]
"""Methods that read the query as they read what is found."""
ACCEPTING = [name for name in ALIKE if not methods.get(name).approximate]
"""Those of them that find every pair that they accept, by what both share."""
WEIGHING = [name for name in NAMES if methods.get(name).weighs_words]


@pytest.fixture(params=NAMES)
def method(request: pytest.FixtureRequest) -> Method:
    return methods.get(request.param)


def make_collection(seed: int) -> list[str]:
    """Articles that copy each other in many ways, with some that are empty, short or in another script."""
    writer = Writer(seed, words=400)
    sources = [writer.write(writer.random.randint(5, 500)) for _ in range(4)]
    texts = ["", "One.", "One.", "one two three four", "東京都は昨日の午後に新しい計画を発表した。" * 3]
    for _ in range(16):
        words = list(writer.random.choice(sources))
        if writer.random.random() < 0.7:
            words = writer.edit(words, writer.random.choice([0, 0.02, 0.1]))
        if writer.random.random() < 0.4:
            words = writer.write(writer.random.randint(0, 60)) + words[: writer.random.randint(0, len(words))]
        texts.append(prose(words))
    return texts


def prose(words: list[str]) -> str:
    """The words in sentences; where one ends depends on its last word, so that copies have the same."""
    ended = (f"{word}." if sum(word.encode()) % 7 == 0 else word for word in words)
    return " ".join(word.capitalize() for word in ended)


def read(method: Method, texts: list[str]) -> Tokens:
    return tokenise(*encode(texts), method.view, words=True)


def count(method: Method, texts: list[str]) -> Statistics:
    """The statistics of a collection in which the words of these are neither rare nor common."""
    return Statistics.count([read(method, texts * 8 + ["other"] * 7000)], method.view)


def row(keys: Keys, number: int) -> list[int]:
    values: list[int] = keys.values[keys.offsets[number] : keys.offsets[number + 1]].tolist()
    return values


def test_the_methods_of_this_release_are_found() -> None:
    assert {"exact", "winnowing"} <= set(NAMES)
    assert sorted(NAMES) == NAMES


def test_a_method_is_a_frozen_dataclass(method: Method) -> None:
    assert dataclasses.is_dataclass(method)
    assert type(method).__dataclass_params__.frozen
    for field in dataclasses.fields(method):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(method, field.name, None)


def test_a_method_prints_compares_and_pickles(method: Method) -> None:
    parameters = {field.name: getattr(method, field.name) for field in dataclasses.fields(method)}  # type: ignore[arg-type]
    assert (
        repr(method) == f"{type(method).__name__}({', '.join(f'{k}={v!r}' for k, v in parameters.items())})"
    )
    again = methods.get(method.name, **parameters)
    assert again == method
    assert hash(again) == hash(method)
    assert pickle.loads(pickle.dumps(method)) == method
    for name, value in parameters.items():
        if isinstance(value, int) and not isinstance(value, bool):
            others = []
            for other in (value - 1, value + 1):
                with contextlib.suppress(UsageError):
                    others.append(methods.get(method.name, **{name: other}))
            assert others, f"{name} takes no other value than {value}"
            assert method not in others


def test_its_name_is_that_of_its_file(method: Method) -> None:
    assert method.name in NAMES
    assert methods.find_class(method.name) is type(method)
    assert type(method).__module__ == f"wirecopy.methods.{method.name}"


def test_every_parameter_has_a_default_and_shows_in_the_description(method: Method) -> None:
    described = methods.describe(method.name)
    assert described["name"] == method.name
    assert described["paper"] == method.paper
    assert re.search(r"\b(19|20)\d\d\b", described["paper"])
    assert described["about"].startswith(described["summary"])
    fields = dataclasses.fields(method)  # type: ignore[arg-type]
    assert described["parameters"] == {field.name: field.default for field in fields}
    assert dataclasses.MISSING not in described["parameters"].values()


def test_its_docstring_names_paper_guarantee_cost_and_limits(method: Method) -> None:
    about = " ".join(methods.describe(method.name)["about"].split())
    authors = re.findall(r"[A-Z]\w+", method.paper)
    assert all(author in about for author in authors), "the paper"
    assert re.search(r"\bguarantee|\bapproximate|\bcertain", about, re.IGNORECASE), "what it guarantees"
    assert re.search(r"\bkeys?\b", about), "what it costs"
    assert re.search(r"\bblind\b|\bfails?\b|nothing else|\bmisses\b", about, re.IGNORECASE), "where it fails"


def test_unknown_methods_and_parameters_are_refused(method: Method) -> None:
    with pytest.raises(UsageError, match=f"no method named 'nonesuch'; there are: .*{method.name}"):
        methods.get("nonesuch")
    with pytest.raises(UsageError, match=f"{method.name} has no parameter zeal; it has: "):
        methods.get(method.name, zeal=3)
    with pytest.raises(UsageError, match="no method named"):
        wirecopy.find([], method="nonesuch")


@pytest.mark.parametrize(
    "bad", [{"shingle_words": 0}, {"window_words": 0}, {"contained": 0}, {"contained": 1.5}]
)
def test_winnowing_refuses_parameters_out_of_range(bad: dict[str, Any]) -> None:
    with pytest.raises(
        UsageError, match="expected shingle_words and window_words from 1 to 65536 and 0 < contained <= 1"
    ):
        methods.get("winnowing", **bad)


@pytest.mark.parametrize(
    "bad",
    [{"shingle_words": 70_000}, {"window_words": 2**40}, {"window_words": "8"}, {"shingle_words": 2.5}],
)
def test_winnowing_refuses_what_its_kernel_would_refuse(bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        methods.get("winnowing", **bad)


@pytest.mark.parametrize("seed", range(3))
def test_keys_and_probes_are_ragged_columns(method: Method, seed: int) -> None:
    texts = make_collection(seed)
    tokens = read(method, texts)
    sketches = method.sketch(tokens, count(method, texts))
    for keys in (method.keys(sketches), method.probes(sketches)):
        assert keys.values.dtype == np.uint64
        assert keys.offsets.dtype == np.int64
        assert len(keys.offsets) == len(texts) + 1
        assert keys.offsets[0] == 0
        assert keys.offsets[-1] == len(keys.values)
        assert (np.diff(keys.offsets) >= 0).all()
        assert (keys.starts is None) == (keys.ends is None)
        if keys.starts is not None and keys.ends is not None:
            assert method.shingle_words is not None
            assert len(keys.starts) == len(keys.ends) == len(keys.values)
            words = np.repeat(np.diff(tokens.offsets), np.diff(keys.offsets))
            assert (keys.starts < keys.ends).all()
            assert (keys.ends <= words).all()


def test_a_batch_may_be_empty(method: Method) -> None:
    for texts in ([], ["", "…"]):
        keys = method.keys(method.sketch(read(method, texts), count(method, texts)))
        assert keys.offsets.tolist() == [0] * (len(texts) + 1)


@pytest.mark.parametrize("seed", range(3))
def test_a_row_does_not_depend_on_the_rows_beside_it(method: Method, seed: int) -> None:
    texts = make_collection(seed)
    statistics = count(method, texts)
    together = method.keys(method.sketch(read(method, texts), statistics))
    for number, text in enumerate(texts):
        alone = method.keys(method.sketch(read(method, [text]), statistics))
        assert row(alone, 0) == row(together, number)


@pytest.mark.parametrize("seed", range(6))
def test_what_a_method_accepts_shares_a_key(method: Method, seed: int) -> None:
    texts = make_collection(seed)
    statistics = count(method, texts)
    pairs = [(q, f) for q in range(len(texts)) for f in range(len(texts)) if q != f]
    queries = method.sketch(read(method, [texts[q] for q, _ in pairs]), statistics)
    founds = method.sketch(read(method, [texts[f] for _, f in pairs]), statistics)
    scores = method.score(queries, founds)
    ways = method.accepts(scores)
    for column in (scores.query_in_found, scores.found_in_query, scores.rank, *ways):
        assert len(column) == len(pairs)
        assert np.isfinite(column).all()
    accepted = ways[0] | ways[1]
    assert accepted.any() != method.only_ranks
    if not method.approximate:
        keys, probes = method.keys(founds), method.probes(queries)
        for number in np.flatnonzero(accepted).tolist():
            assert set(row(keys, number)) & set(row(probes, number)), [texts[i] for i in pairs[number]]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("method", ACCEPTING, indirect=True)
def test_what_a_method_accepts_shares_as_much_as_it_says(method: Method, seed: int) -> None:
    texts = make_collection(seed)
    sketches = method.sketch(read(method, texts), count(method, texts))
    elements = method.elements(sketches)
    weights = np.ones(len(elements.values)) if elements.weights is None else elements.weights
    assert (weights > 0).all()
    vectors = [
        dict(zip(row(elements, number), weights[start:end].tolist(), strict=True))
        for number, (start, end) in enumerate(pairwise(elements.offsets.tolist()))
    ]
    least = method.least_shared(np.array([sum(weight**2 for weight in one.values()) for one in vectors]))
    query, found = np.divmod(np.arange(len(texts) ** 2), len(texts))
    there, back = method.accepts(method.score(sketches.take(query), sketches.take(found)))
    for one, other in zip(query[there | back].tolist(), found[there | back].tolist(), strict=True):
        shared = sum(weight * vectors[other].get(key, 0) for key, weight in vectors[one].items())
        needed = float((np.mean if method.mutual else np.min)(least[[one, other]]))
        assert shared > 0
        assert shared >= needed * (1 - 1e-9)


@pytest.mark.parametrize("method", ALIKE, indirect=True)
def test_the_roles_in_a_score_can_be_turned(method: Method) -> None:
    texts = make_collection(9)
    statistics = count(method, texts)
    draw = random.Random(9)
    one, other = (method.sketch(read(method, draw.sample(texts, len(texts))), statistics) for _ in range(2))
    there, back = method.score(one, other), method.score(other, one)
    assert there.query_in_found.tolist() == back.found_in_query.tolist()
    assert there.found_in_query.tolist() == back.query_in_found.tolist()
    assert there.rank.tolist() == back.rank.tolist()


def test_a_text_is_wholly_in_itself(method: Method) -> None:
    texts = [prose(Writer(3).write(400))]
    sketches = method.sketch(read(method, texts), count(method, texts))
    scores = method.score(sketches, sketches)
    assert scores.query_in_found[0] == scores.found_in_query[0] >= 1
    assert [bool(way[0]) for way in method.accepts(scores)] == [not method.only_ranks] * 2


@pytest.mark.parametrize(
    ("shares", "way", "part"),
    [
        ((0.8, 1.0), Relation.NEAR_DUPLICATE, Relation.NEAR_DUPLICATE),
        ((0.8, 0.79), Relation.CONTAINED_IN, Relation.CONTAINED_IN),
        ((0.1, 0.9), Relation.CONTAINS, Relation.CONTAINS),
        ((0.79, 0.79), None, Relation.PARTIAL),
    ],
)
def test_a_relation_says_what_was_accepted_or_of_parts_how_much_is_shared(
    method: Method,
    shares: tuple[float, float],
    way: Relation | None,
    part: Relation,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_found, in_query = (np.array([share, share]) for share in shares)
    listed = np.array([True, False])
    ways = (
        (listed, listed) if method.accepts_parts else ((in_found >= 0.8) & listed, (in_query >= 0.8) & listed)
    )
    monkeypatch.setattr(type(method), "accepts", lambda *_: ways)
    numbers = method.relate(Scores(in_found, in_query, listed.astype(float)))
    assert numbers.dtype == np.uint8
    assert [RELATIONS[number] for number in numbers.tolist()] == [part if method.accepts_parts else way, None]


def test_only_what_counts_sentences_or_windows_accepts_parts(method: Method) -> None:
    """The papers of all others decide on shares, on resemblance or on articles as wholes."""
    assert method.accepts_parts == (method.name in ("sentence_fingerprints", "sentence_lengths"))


@pytest.mark.parametrize("name", ["sentence_fingerprints", "sentence_lengths"])
def test_a_few_sentences_in_common_are_no_near_duplicates(name: str) -> None:
    writer = Writer(8)

    def sentences(number: int) -> list[str]:
        return [
            " ".join(writer.write(writer.random.randint(5, 40))).capitalize() + "." for _ in range(number)
        ]

    shared, more, other = sentences(10), sentences(5), sentences(50)
    texts = {"a": shared, "b": shared + more, "c": other[:25] + shared + other[25:]}
    articles = [{"id": key, "text": " ".join(text)} for key, text in texts.items()]
    method = methods.get(name)
    statistics = count(method, [one["text"] for one in articles]) if method.weighs_words else None
    found = wirecopy.opinions(articles, name, statistics=statistics)
    relations = {(one.query, one.found): one.relation for one in found}
    assert relations == {
        ("b", "a"): Relation.CONTAINS,
        ("c", "a"): Relation.CONTAINS,
        ("c", "b"): Relation.PARTIAL,
    }


def test_common_keys_are_a_mask(method: Method) -> None:
    mask = method.common(np.array([1, 5, 900], np.int64), np.array([1, 5, 400], np.int64))
    assert mask.dtype == bool
    assert len(mask) == 3


def test_only_some_papers_decide_on_articles_or_tune(method: Method) -> None:
    if not method.gives_verdicts:
        with pytest.raises(UsageError, match=f"{method.name}: its paper decides on pairs"):
            method.verdict(np.array([3]))
    if type(method).tune is Method.tune:
        with pytest.raises(UsageError, match=f"{method.name}: its paper has no way to tune it"):
            method.tune(read(method, []), None, np.empty(0, np.int64))


def test_each_method_finds_identical_articles_by_itself(method: Method) -> None:
    text = prose(Writer(4).write(400))
    found = wirecopy.find(
        [{"id": "a", "text": text}, {"id": "b", "text": text.upper()}],
        method=method.name,
        statistics=count(method, [text]) if method.weighs_words else None,
    )
    by = tuple(dict.fromkeys([method.name, "exact"]))
    assert [(m.query, m.found, m.relation, m.methods) for m in found] == [("b", "a", "identical", by)]


def test_two_equal_articles_alone_are_found_whatever_nominates(method: Method) -> None:
    text = prose(Writer(4).write(400))
    found = wirecopy.find([{"id": "a", "text": text}, {"id": "b", "text": text}], method=method.name)
    assert [(m.query, m.found, m.relation) for m in found] == [("b", "a", "identical")]
    assert bool(found.warnings) == method.weighs_words
    if not method.only_ranks:
        assert bool(wirecopy.opinions(["one", "two"], method.name).warnings) == method.weighs_words


def test_a_small_pile_is_warned_of_where_words_are_weighed_by_it(method: Method) -> None:
    assert method.warn_of_few(200) is None
    warning = method.warn_of_few(2)
    assert (warning is not None) == method.weighs_words
    if warning:
        assert warning.startswith(f"{method.name}: 2 articles cannot tell rare words from common ones")
        assert "statistics=Statistics.load(FILE), made by wirecopy weigh" in warning


@pytest.mark.parametrize("articles", [199, 200])
@pytest.mark.parametrize("method", WEIGHING, indirect=True)
def test_no_method_misses_equal_articles_in_a_pile_that_is_not_warned_of(
    method: Method, articles: int
) -> None:
    writer = Writer(6, words=5000)
    texts = [prose(writer.write(200)) for _ in range(articles - 1)]
    pile = [{"id": f"{number:03}", "text": text} for number, text in enumerate([*texts, texts[0]])]
    opinions = wirecopy.opinions(pile, method)
    missed = (f"{articles - 1}", "000") not in {(one.query, one.found) for one in opinions}
    assert missed == (method.name == "imatch" and articles == 199)


THIRD_PARTY = '''
from dataclasses import dataclass

import numpy as np

from wirecopy.methods import Keys, Method, Scores, Sketches


@dataclass(frozen=True)
class FirstWord(Method):
    """The first word (Nobody 1999)."""

    least: int = 1
    paper = "Nobody 1999"

    def sketch(self, tokens, statistics=None):
        first = [tokens.hashes[start:end][:1] for start, end in zip(tokens.offsets, tokens.offsets[1:])]
        words = np.concatenate([np.empty(0, np.uint64), *first])
        return Sketches.of(words, np.cumsum([0] + [len(one) for one in first]))

    def keys(self, sketches):
        return Keys(sketches.columns[0], sketches.offsets)

    def score(self, query, found):
        same = (query.columns[0][query.starts] == found.columns[0][found.starts]).astype(float)
        return Scores(same, same, same)

    def accepts(self, scores):
        return scores.query_in_found >= self.least, scores.found_in_query >= self.least
'''


@pytest.fixture
def third_party(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package that adds a method, as installed."""
    (tmp_path / "first_word.py").write_text(THIRD_PARTY)
    info = tmp_path / "wirecopy_first_word-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wirecopy-first-word\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[wirecopy.methods]\nfirst_word = first_word:FirstWord\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "first_word", raising=False)
    return "first_word"


def test_another_package_adds_a_method(third_party: str) -> None:
    assert third_party in methods.names()
    assert methods.get(third_party, least=1).name == third_party
    assert methods.describe(third_party)["parameters"] == {"least": 1}
    words = [f"w{i}" for i in range(30)]
    other = [*words[:1], *(f"x{i}" for i in range(40)), *words[1:]]
    texts = [{"id": "a", "text": " ".join(words)}, {"id": "b", "text": " ".join(other)}]
    (match,) = wirecopy.find(texts, method=third_party)
    assert (match.query, match.found, match.methods) == ("b", "a", (third_party,))


def test_candidates_of_several_methods_are_united(third_party: str) -> None:
    text = Writer(5).text(60)
    found = wirecopy.find(
        [{"id": "a", "text": text}, {"id": "b", "text": text}], method=[third_party, "exact"]
    )
    assert found[0].methods == (third_party, "exact")
