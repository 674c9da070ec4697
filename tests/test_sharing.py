"""Which articles share keys, for methods that decide by themselves: nothing is missed, nothing comes twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from test_methods import prose

from quality.texts import Writer
from wirecopy import _core, methods
from wirecopy.methods import Keys, Method, Scores, Sketches, count_shared
from wirecopy.model import Tokens
from wirecopy.sharing import Sharing, count_hits
from wirecopy.statistics import Statistics
from wirecopy.text import encode, tokenise


@dataclass(frozen=True)
class Made(Method):
    """A method whose sketches are made by the test."""

    share: float = 0.0
    mutual: bool = False  # type: ignore[misc]
    weighted: bool = False
    most_occurrences: int = 1000
    paper = "Nobody 1999"

    def sketch(self, tokens: Tokens, statistics: Statistics | None = None) -> Sketches:
        raise NotImplementedError

    def keys(self, sketches: Sketches) -> Keys:
        return Keys(sketches.columns[0], sketches.offsets)

    def elements(self, sketches: Sketches) -> Keys:
        values = sketches.columns[0]
        return Keys(values, sketches.offsets, weights=weigh(values) if self.weighted else None)

    def least_shared(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.share * totals

    def score(self, query: Sketches, found: Sketches) -> Scores:
        shared, one, other = count_shared(query, found)
        return Scores(shared / np.maximum(one, 1), shared / np.maximum(other, 1), shared.astype(float))

    def accepts(self, scores: Scores) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        return scores.query_in_found >= self.share, scores.found_in_query >= self.share


@dataclass(frozen=True)
class Thinned(Made):
    """Leaves out what occurs too often."""

    def common(self, occurrences: NDArray[np.int64], articles: NDArray[np.int64]) -> NDArray[np.bool_]:
        return occurrences > self.most_occurrences


@dataclass(frozen=True)
class Directed(Thinned):
    """Looked up under odd keys only."""

    def probes(self, sketches: Sketches) -> Keys:
        odd = sketches.keep(sketches.columns[0] % np.uint64(2) == 1)
        return Keys(odd.columns[0], odd.offsets)


@dataclass(frozen=True)
class Jumping(Made):
    """Filed under odd keys only; looked up under all, and under the odd ones above even ones."""

    def keys(self, sketches: Sketches) -> Keys:
        odd = sketches.keep(sketches.columns[0] % np.uint64(2) == 1)
        return Keys(odd.columns[0], odd.offsets)

    def probes(self, sketches: Sketches) -> Keys:
        even = sketches.keep(sketches.columns[0] % np.uint64(2) == 0)
        values = np.concatenate([sketches.columns[0], even.columns[0] + np.uint64(1)])
        owners = np.concatenate(
            [np.repeat(np.arange(len(one)), one.ends - one.starts) for one in (sketches, even)]
        )
        order = np.argsort(owners, kind="stable")
        return Keys(values[order], np.searchsorted(owners[order], np.arange(len(sketches) + 1)))


def weigh(keys: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Weights from 0.01 to 31, whatever the keys."""
    weights: NDArray[np.float64] = np.exp2(keys % np.uint64(11)) / 32 + 0.01
    return weights


def pack(articles: list[list[int]]) -> Sketches:
    offsets = np.cumsum([0, *map(len, articles)]).astype(np.int64)
    return Sketches.of(np.array([key for article in articles for key in article], np.uint64), offsets)


def pairs_of(sharing: Sharing, articles: int, block: int, most: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start in range(0, articles, block):
        for later, earlier in sharing.pairs(start, min(start + block, articles), most):
            found += zip(later.tolist(), earlier.tolist(), strict=True)
    return found


keys = st.integers(0, 9) | st.sampled_from([2**64 - 1, 2**63, 2**60, 2**62 + 1])
collections = st.lists(st.lists(keys, max_size=8) | st.lists(keys, min_size=12, max_size=40), max_size=9)


@settings(max_examples=300)
@given(
    collections,
    st.randoms(),
    st.sampled_from([0, 0.3, 0.5, 0.6, 1.0]),
    st.booleans(),
    st.booleans(),
    st.integers(1, 12) | st.just(1000),
    st.integers(1, 4),
)
def test_pairs_that_share_enough_are_found_once(
    articles: list[list[int]],
    dice: Any,
    share: float,
    mutual: bool,
    weighted: bool,
    most_occurrences: int,
    block: int,
) -> None:
    order = list(range(len(articles)))
    dice.shuffle(order)
    method = (Made if most_occurrences == 1000 else Thinned)(share, mutual, weighted, most_occurrences)
    sharing = Sharing(method, pack(articles), np.array(order, np.int64))
    found = pairs_of(sharing, len(articles), block, 1)
    every = [key for article in articles for key in article]
    sets = [{key for key in articles[row] if every.count(key) <= most_occurrences} for row in order]
    assert len(found) == len(set(found))
    for later in range(len(sets)):
        for earlier in range(later):
            both, *each = (
                sum(float(weigh(np.array([key], np.uint64))[0]) ** 2 if weighted else 1 for key in keys)
                for keys in (sets[later] & sets[earlier], sets[later], sets[earlier])
            )
            enough = share * (sum(each) / 2 if mutual else min(each))
            assert both or (later, earlier) not in found
            if both and both >= enough * (1 - 1e-9):
                assert (later, earlier) in found
                event("shares enough")
            elif (later, earlier) not in found:
                event("shares less, and is passed over" if both else "shares nothing")
    assert all(later > earlier for later, earlier in found)
    kept = [
        {*sharing.sketches.columns[0][start:end].tolist()}
        for start, end in zip(sharing.sketches.starts, sharing.sketches.ends, strict=True)
    ]
    assert kept == sets


@pytest.mark.parametrize(
    "asked",
    [
        methods.get("codet", suffixes=3),
        methods.get("codet", sort_words=False),
        methods.get("resemblance", shingle_words=1, threshold=0.5),
        methods.get("resemblance", threshold=0.1),
        methods.get("cosine", threshold=0.7),
    ],
    ids=str,
)
def test_few_pairs_are_scored_that_are_not_accepted(asked: Method) -> None:
    """Nearly all of these articles share words, first words of sentences, and pairs of words."""
    writer = Writer(3, words=3000)
    texts = [writer.write(writer.random.randint(80, 400)) for _ in range(250)]
    texts += [writer.edit(words, 0.05) for words in texts[:25]]
    tokens = tokenise(*encode([prose(words) for words in texts]), asked.view, words=asked.spells_words)
    sketches = asked.sketch(tokens, Statistics.count([tokens], asked.view))
    sharing = Sharing(asked, sketches, np.arange(len(texts)))
    pairs = np.array(pairs_of(sharing, len(texts), 100, 1000))
    there, back = asked.accepts(asked.score(sketches.take(pairs[:, 0]), sketches.take(pairs[:, 1])))
    accepted = np.count_nonzero(there | back)
    assert accepted >= 25
    assert len(pairs) <= 2 * accepted


@given(collections, st.integers(1, 12))
def test_probes_of_the_later_meet_keys_of_the_earlier(
    articles: list[list[int]], most_occurrences: int
) -> None:
    method = Directed(most_occurrences=most_occurrences)
    sharing = Sharing(method, pack(articles), np.arange(len(articles)))
    every = [key for article in articles for key in article]
    expected = [
        (later, earlier)
        for later in range(len(articles))
        for earlier in range(later)
        if any(
            key % 2 and every.count(key) <= most_occurrences
            for key in {*articles[later]} & {*articles[earlier]}
        )
    ]
    assert sorted(pairs_of(sharing, len(articles), 4, 2)) == expected


@given(st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=7))
def test_a_key_of_one_article_alone_is_found_by_the_probe_of_another(articles: list[list[int]]) -> None:
    """An even key is no key, but probes the odd one above it."""
    sharing = Sharing(Jumping(), pack(articles), np.arange(len(articles)))
    expected = [
        (later, earlier)
        for later in range(len(articles))
        for earlier in range(later)
        if {key | 1 for key in articles[later]} & {key for key in articles[earlier] if key % 2}
    ]
    assert sorted(pairs_of(sharing, len(articles), 4, 2)) == expected


elements = st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), max_size=6), max_size=8)


def pack_elements(articles: list[list[tuple[int, int]]]) -> Sketches:
    columns = [np.array([one[i] for mine in articles for one in mine], np.uint64) for i in (0, 1)]
    offsets = np.cumsum([0, *map(len, articles)]).astype(np.int64)
    return Sketches.of(columns[0], offsets, columns[1])


@given(elements, elements, st.data())
def test_hits_are_elements_that_another_article_of_the_table_has(
    queries: list[list[tuple[int, int]]], table: list[list[tuple[int, int]]], data: st.DataObject
) -> None:
    own = [data.draw(st.sampled_from([2**32 - 1, *range(len(table))])) for _ in queries]
    hits = count_hits(pack_elements(queries), pack_elements(table), np.array(own, np.uint32))
    assert hits.tolist() == [
        sum(any(one in other for place, other in enumerate(table) if place != mine) for one in query)
        for query, mine in zip(queries, own, strict=True)
    ]


def test_sketches_are_joined_taken_and_thinned() -> None:
    joined = Sketches.join([pack([[1, 2], []]), pack([]), pack([[3], [4, 5, 6]])])
    assert joined.offsets.tolist() == [0, 2, 2, 3, 6]
    taken = joined.take(np.array([3, 0, 3]))
    assert [taken.columns[0][s:e].tolist() for s, e in zip(taken.starts, taken.ends, strict=True)] == [
        [4, 5, 6],
        [1, 2],
        [4, 5, 6],
    ]
    with pytest.raises(AssertionError, match="taken out of others"):
        taken.offsets  # noqa: B018
    thinned = joined.keep(joined.columns[0] % 2 == 0)
    assert thinned.columns[0].tolist() == [2, 4, 6]
    assert thinned.offsets.tolist() == [0, 1, 1, 1, 3]


def test_the_kernels_refuse_what_makes_no_sense() -> None:
    values, starts, ends = np.array([1, 2], np.uint64), np.array([0], np.int64), np.array([2], np.int64)
    parts = [_core.file_part(values, starts, ends, None, part, True) for part in range(16)]
    index, unlimited = _core.Index(1, parts), _core.Index(1, parts)
    assert index.limit(np.ones(1), False).tolist() == [2]
    for call in (
        lambda: _core.file_part(values, starts, ends, None, 16, True),
        lambda: _core.file_part(values, starts, ends + 1, None, 0, True),
        lambda: _core.file_part(values, starts - 1, ends, None, 0, True),
        lambda: _core.file_part(values, starts, np.empty(0, np.int64), None, 0, True),
        lambda: _core.file_part(values, starts, ends, np.ones(1), 0, True),
        lambda: _core.Index(1, []),
        lambda: _core.Index(0, parts),
        lambda: index.leave_out(np.zeros(3, bool)),
        lambda: index.limit(np.ones(2), False),
        lambda: index.pairs(0, 2, 1),
        lambda: index.pairs(1, 0, 1),
        lambda: unlimited.pairs(0, 1, 1),
        lambda: index.probe(values, starts, ends, 0, 2, 1),
    ):
        with pytest.raises(ValueError, match="expected"):
            call()
