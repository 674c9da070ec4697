"""Winnowing and the other kernels over shingles equal their slow twins, and refuse what makes no sense."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import shingles as twin

from wirecopy import _core
from wirecopy.comparison import PRESETS
from wirecopy.methods import Keys, Sketches
from wirecopy.model import Boilerplate, Tokens

U64, I64, U32, U8 = np.uint64, np.int64, np.uint32, np.uint8


def array(values: list[int], kind: Any) -> NDArray[Any]:
    return np.array(values, kind)


words = st.integers(1, 2**64 - 1) | st.sampled_from([1, 2, 3, 2**64 - 1])
few_words = st.integers(1, 4)
two_words = st.integers(1, 2)


@st.composite
def batches(draw: st.DrawFn, most: int = 40) -> list[tuple[list[int], list[int]]]:
    """Articles as (word hashes, weights); words repeat, so that there are ties, and some are halves."""
    kind = draw(st.sampled_from(["full", "half", "mixed"]))
    weight = {"full": st.just(2), "half": st.just(1), "mixed": st.sampled_from([1, 2])}[kind]
    alphabet = draw(st.sampled_from([two_words, few_words, words]))
    articles = draw(st.lists(st.lists(st.tuples(alphabet, weight), max_size=most), max_size=4))
    return [([w for w, _ in article], [h for _, h in article]) for article in articles]


def pack(articles: list[tuple[list[int], list[int]]]) -> Tokens:
    halves = np.array([h for _, weights in articles for h in weights], np.uint8)
    return Tokens(
        np.array([w for article, _ in articles for w in article], np.uint64),
        np.cumsum([0] + [len(article) for article, _ in articles]).astype(np.int64),
        halves if 1 in halves else None,
    )


@settings(max_examples=500)
@given(batches(), st.integers(1, 6), st.integers(1, 20))
@example([([7] * 40, [2] * 40)], 5, 16)
@example([([7] * 40, [1] * 40)], 5, 16)
@example([([1, 2, 3, 4, 5], [2] * 5)], 5, 16)
@example([([1, 2, 3, 4], [2] * 4), ([], []), ([1, 2, 3, 4, 5, 6], [1, 2, 1, 2, 2, 2])], 5, 1)
def test_winnowing_keeps_what_the_paper_says(
    articles: list[tuple[list[int], list[int]]], shingle_words: int, window_words: int
) -> None:
    values, offsets, starts, ends = _core.winnow(pack(articles), shingle_words, window_words)
    kept = list(zip(values.tolist(), starts.tolist(), ends.tolist(), strict=True))
    edges = offsets.tolist()
    got = [kept[start:end] for start, end in itertools.pairwise(edges)]
    assert got == [
        twin.winnow(article, weights, shingle_words, window_words) for article, weights in articles
    ]


@given(
    st.integers(0, 2**32), st.integers(1, 8), st.integers(1, 24), st.sampled_from(["full", "half", "mixed"])
)
@settings(max_examples=300)
def test_texts_that_share_a_run_of_the_guaranteed_weight_share_a_key(
    seed: int, shingle_words: int, window_words: int, kind: str
) -> None:
    draw = random.Random(seed)
    weight = {"full": [2], "half": [1], "mixed": [1, 2]}[kind]

    def write(halves: int, start: int) -> tuple[list[int], list[int]]:
        weights: list[int] = []
        while sum(weights) < halves:
            weights.append(draw.choice(weight))
        return [draw.randrange(start, 2**64) for _ in weights], weights

    run = write(2 * (shingle_words + window_words - 1), 0)
    sides = []
    for _ in range(2):
        before, after = write(draw.randrange(60), 0), write(draw.randrange(60), 0)
        sides.append((before[0] + run[0] + after[0], before[1] + run[1] + after[1]))
    values, offsets, *_ = _core.winnow(pack(sides), shingle_words, window_words)
    assert set(values[: offsets[1]].tolist()) & set(values[offsets[1] :].tolist())


@given(batches())
def test_a_whole_article_has_one_hash_and_an_empty_one_has_none(
    articles: list[tuple[list[int], list[int]]],
) -> None:
    values, ends = _core.whole_hashes(pack(articles))
    edges = ends.tolist()
    got = [values[start:end].tolist() for start, end in itertools.pairwise(edges)]
    assert got == [twin.whole_hash(article) for article, _ in articles]


@given(
    st.lists(
        st.tuples(st.lists(few_words | words, max_size=12), st.lists(few_words, max_size=12)), max_size=5
    )
)
def test_shared_values_are_counted_once(rows: list[tuple[list[int], list[int]]]) -> None:
    packed = [pack([(row[side], [2] * len(row[side])) for row in rows]) for side in (0, 1)]
    sides = [(side.hashes, side.offsets) for side in packed]
    expected = [(len(set(one) & set(other)), len(set(one)), len(set(other))) for one, other in rows]
    for make_rows in (lambda values, offsets: (values, offsets), _core.distinct):
        query, found = (Sketches.of(*make_rows(*side)) for side in sides)
        counts = _core.count_shared(query, found)
        assert list(zip(*(column.tolist() for column in counts), strict=True)) == expected


@given(batches())
def test_the_distinct_values_of_a_row_rise(articles: list[tuple[list[int], list[int]]]) -> None:
    tokens = pack(articles)
    values, offsets = _core.distinct(tokens.hashes, tokens.offsets)
    got = [values[start:end].tolist() for start, end in itertools.pairwise(offsets.tolist())]
    assert got == [sorted(set(article)) for article, _ in articles]


@given(st.dictionaries(few_words | words, st.integers(0, 2**32 - 2)), st.lists(few_words | words))
def test_numbers_are_looked_up(numbers: dict[int, int], asked: list[int]) -> None:
    table = _core.Numbers(array(list(numbers), U64), array(list(numbers.values()), U32))
    assert table.look_up(array(asked, U64)).tolist() == [numbers.get(one, 2**32 - 1) for one in asked]


@st.composite
def formula_batches(draw: st.DrawFn) -> list[tuple[list[int], list[int]]]:
    """Articles of up to 40 words that share slices of one text; a word weighs the same wherever it stands."""
    dice = random.Random(draw(st.integers(0, 2**32)))
    vocabulary = dice.choice([2, 4, 2**32])
    halved: tuple[int, ...] = dice.choice([(), (0, 1), (0,)])

    def write(most: int) -> list[int]:
        return [dice.randint(1, vocabulary) for _ in range(dice.randint(0, most))]

    shared = [*write(20), 1, 2, 2, 1, 1]
    articles = []
    for _ in range(dice.randint(0, 5)):
        cut = slice(dice.randint(0, 8), dice.randint(8, len(shared) + 4))
        articles.append(write(8) + shared[cut] + write(8))
    return [(article, [1 if word % 2 in halved else 2 for word in article]) for article in articles]


@settings(max_examples=500)
@given(formula_batches() | batches(24), st.data(), st.integers(0, 12), st.integers(1, 3))
def test_shingles_around_places_that_many_of_them_have_are_found(
    articles: list[tuple[list[int], list[int]]], data: st.DataObject, reach: int, least: int
) -> None:
    a_place = st.tuples(st.integers(0, max(0, len(articles) - 1)), st.integers(0, 24))
    places = data.draw(st.lists(a_place, min_size=2, max_size=8)) if articles else []
    rows, starts = (array([place[side] for place in places], U32) for side in (0, 1))
    got = _core.common_shingles(pack(articles), rows, starts, reach_words=reach, least=least)
    expected = twin.common(articles, places, reach, least)
    assert got.tolist() == sorted(map(twin.smallness, expected))
    event(f"{'some' if expected else 'none'}, least {least}")


@settings(max_examples=500)
@given(formula_batches() | batches(30), st.data(), st.integers(0, 6))
def test_words_of_formulas_and_short_gaps_between_them_are_marked(
    articles: list[tuple[list[int], list[int]]], data: st.DataObject, gap_words: int
) -> None:
    spelt = {
        tuple(words[start:end])
        for words, weights in articles
        for start, end in twin.spans(weights, twin.FORMULA_WORDS)
    }
    formulas = data.draw(st.sets(st.sampled_from(sorted(spelt)))) if spelt else set()
    shingles = array(sorted(map(twin.smallness, formulas)), U64)
    got = _core.mark_boilerplate(pack(articles), Boilerplate(shingles, gap_words))
    assert got.tolist() == [
        mark for article, weights in articles for mark in twin.mark(article, weights, formulas, gap_words)
    ]
    event("some" if formulas else "none")


WORDS, OFFSETS = array([1, 2, 3], U64), array([0, 3], I64)
BAD_OFFSETS = [[], [0], [0, 2], [0, 4], [1, 3], [0, 4, 3], [-1, 3], [3], [0, -1, 3]]
ONE = array([0], U32)
FORMULAS, PRESET = Boilerplate(WORDS, 9), PRESETS["syndication"]


@pytest.mark.parametrize("offsets", BAD_OFFSETS)
@pytest.mark.parametrize(
    "call",
    [
        lambda o: _core.winnow(Tokens(WORDS, o), 5, 16),
        lambda o: _core.whole_hashes(Tokens(WORDS, o)),
        lambda o: _core.distinct(WORDS, o),
        lambda o: _core.common_shingles(Tokens(WORDS, o), ONE, ONE, reach_words=9, least=1),
        lambda o: _core.mark_boilerplate(Tokens(WORDS, o), FORMULAS),
        lambda o: _core.file(Tokens(WORDS, o), Keys(WORDS, OFFSETS)),
        lambda o: _core.file(Tokens(WORDS, OFFSETS), Keys(WORDS, o)),
        lambda o: _core.compare(Tokens(WORDS, o), ONE, ONE, [PRESET], FORMULAS),
        lambda o: _core.count_articles(Tokens(WORDS, o)),
    ],
)
def test_offsets_that_do_not_fit_are_refused(
    call: Callable[[NDArray[np.int64]], object], offsets: list[int]
) -> None:
    with pytest.raises(ValueError, match="expected"):
        call(array(offsets, I64))


@pytest.mark.parametrize("halves", [[], [2], [2, 1], [2, 1, 1, 1]])
@pytest.mark.parametrize(
    "call",
    [
        lambda h: _core.winnow(Tokens(WORDS, OFFSETS, h), 5, 16),
        lambda h: _core.common_shingles(Tokens(WORDS, OFFSETS, h), ONE, ONE, reach_words=9, least=1),
        lambda h: _core.mark_boilerplate(Tokens(WORDS, OFFSETS, h), FORMULAS),
        lambda h: _core.compare(Tokens(WORDS, OFFSETS, h), ONE, ONE, [PRESET], FORMULAS),
    ],
)
def test_weights_of_another_length_are_refused(
    call: Callable[[NDArray[np.uint8]], object], halves: list[int]
) -> None:
    with pytest.raises(ValueError, match="expected"):
        call(array(halves, U8))


@pytest.mark.parametrize(("shingle_words", "window_words"), [(0, 16), (5, 0), (0, 0), (2**20, 1), (1, 2**20)])
def test_sizes_out_of_range_are_refused(shingle_words: int, window_words: int) -> None:
    with pytest.raises(ValueError, match="expected"):
        _core.winnow(Tokens(WORDS, OFFSETS), shingle_words, window_words)
