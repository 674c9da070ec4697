"""Cosines of weighted words equal their slow twin, and everything they accept shares a key."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import cosine as twin
from weighed import weigh

from quality.texts import Writer
from wirecopy import _core, methods
from wirecopy.errors import MismatchError, UsageError
from wirecopy.methods import Sketches
from wirecopy.methods.cosine import Cosine
from wirecopy.model import Tokens
from wirecopy.statistics import Statistics
from wirecopy.text import encode, tokenise

NEAR = 1e-11
"""By how much the twin, which sums in another way, may differ."""


class Collection:
    """Texts as a method reads them, and as its twin does; `counted` of them are in the Statistics."""

    def __init__(self, method: Cosine, texts: list[str], counted: int | None = None) -> None:
        self.tokens = tokenise(*encode(texts), method.view, words=True)
        self.words = [self.tokens.spell(row) for row in range(len(texts))]
        seen = tokenise(*encode(texts[:counted]), method.view)
        self.statistics = Statistics.count([seen], method.view)
        self.vectors = [twin.weigh(words, self.words[:counted]) for words in self.words]
        self.sketches = method.sketch(self.tokens, self.statistics)


def rarity(held: int) -> int:
    """The octave that a frequency is in, and the eighth of it: whatever is rarer has less."""
    octave = held.bit_length() - 1
    return 8 * octave + (8 * held >> octave) - 8


def pair_up(sketches: Sketches) -> tuple[list[tuple[int, int]], Sketches, Sketches]:
    rows = range(len(sketches))
    pairs = list(itertools.product(rows, rows))
    query, found = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    return pairs, sketches.take(query), sketches.take(found)


def all_pairs(method: Cosine, sketches: Sketches) -> tuple[list[tuple[int, int]], NDArray[np.float64]]:
    pairs, query, found = pair_up(sketches)
    scores = method.score(query, found)
    assert scores.query_in_found.tolist() == scores.found_in_query.tolist() == scores.rank.tolist()
    return pairs, scores.rank


@st.composite
def collections(draw: st.DrawFn) -> list[str]:
    """Texts that copy each other more or less."""
    words = draw(
        st.sampled_from([["aa", "bb", "cc"], [f"w{i}" for i in range(12)], ["東", "bb", "京", "été"]])
    )
    texts = draw(st.lists(st.lists(st.sampled_from(words), max_size=25), max_size=7))
    if len(texts) > 1 and draw(st.booleans()):
        texts[-1] = texts[0] + texts[-1][:3]
    return [" ".join(text) for text in texts]


drawn_methods = st.builds(
    Cosine,
    threshold=st.sampled_from([0.05, 0.3, 0.5, 0.8, 0.95, 1.0]) | st.floats(0.01, 1),
    stopwords=st.sampled_from(["", "aa w1"]),
    stemmer=st.sampled_from(["", "first5"]),
)


@settings(max_examples=250)
@given(drawn_methods, collections(), st.integers(0, 7))
@example(Cosine(), [], 0)
@example(Cosine(), ["", "…", "one", "one one"], 4)
@example(Cosine(threshold=1.0), ["one", "one one", "one two", "two one two one"], 4)
def test_vectors_and_cosines_are_those_of_the_twin(method: Cosine, texts: list[str], counted: int) -> None:
    collection = Collection(method, texts, counted)
    terms, weights, _ = collection.sketches.columns
    for (start, end), vector in zip(
        itertools.pairwise(collection.sketches.offsets.tolist()), collection.vectors, strict=True
    ):
        assert terms[start:end].tolist() == sorted(set(terms[start:end].tolist()))
        length = math.sqrt(math.fsum(weight**2 for weight in vector.values()))
        expected = sorted(weight / length for weight in vector.values())
        assert sorted(weights[start:end].tolist()) == pytest.approx(expected, abs=NEAR)
    pairs, got = all_pairs(method, collection.sketches)
    expected = [twin.cosine(collection.vectors[q], collection.vectors[f]) for q, f in pairs]
    assert got.tolist() == pytest.approx(expected, abs=NEAR)
    keys = method.keys(collection.sketches)
    filed = [set(keys.values[start:end].tolist()) for start, end in itertools.pairwise(keys.offsets)]
    scores = methods.Scores(got, got, got)
    for number, ((q, f), cosine) in enumerate(zip(pairs, expected, strict=True)):
        accepted = {bool(way[number]) for way in method.accepts(scores)}
        if abs(cosine - method.threshold) > NEAR:
            assert accepted == {cosine >= method.threshold}
        if True in accepted:
            assert filed[q] & filed[f]
            event("accepted")


@settings(max_examples=200)
@given(drawn_methods, collections())
def test_terms_stand_by_rarity_and_keys_are_no_more_of_the_first_than_it_takes(
    method: Cosine, texts: list[str]
) -> None:
    collection = Collection(method, texts)
    terms, weights, keys = (column.tolist() for column in collection.sketches.columns)
    for (start, end), words, vector in zip(
        itertools.pairwise(collection.sketches.offsets.tolist()),
        collection.words,
        collection.vectors,
        strict=True,
    ):
        held = {word: sum(word in other for other in collection.words) for word in words}
        length = math.sqrt(math.fsum(weight**2 for weight in vector.values()))
        expected = sorted((rarity(held[word]), vector[word] / length) for word in held)
        got = sorted((terms[i] >> 56, weights[i]) for i in range(start, end))
        assert [number for number, _ in got] == [number for number, _ in expected]
        assert [weight for _, weight in got] == pytest.approx([weight for _, weight in expected], abs=NEAR)
        count = sum(keys[start:end])
        assert keys[start:end] == [1] * count + [0] * (end - start - count)
        assert end == start or count
        rest = math.sqrt(math.fsum(weight**2 for weight in weights[start + count : end]))
        assert rest < method.threshold
        if count:
            last = math.sqrt(math.fsum(weight**2 for weight in weights[start + count - 1 : end]))
            assert last >= method.threshold - 2e-9
        event("some are not keys" if count < end - start else "all are keys")


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=30))
@example([2**32 - 1, 2**32 - 200, 2**31, 0, 1, 7, 8, 15, 16, 17, 18])
def test_a_rarer_word_never_stands_after_a_more_common_one_of_another_eighth_of_an_octave(
    frequencies: list[int],
) -> None:
    words = np.arange(len(frequencies), dtype=np.uint64) * np.uint64(2**60 + 2**30)
    offsets = np.array([0, len(words)], np.int64)
    terms, *_ = _core.make_vectors(Tokens(words, offsets), weigh(frequencies, 2**32 - 1), 0.5)
    codes = [
        min(255, rarity(round(float(np.float32(max(1, held)))))) << 56 | word >> 8
        for held, word in zip(frequencies, words.tolist(), strict=True)
    ]
    assert terms.tolist() == sorted(codes)


def test_a_cosine_by_hand() -> None:
    # N 3. a weighs 1, b ln 1.5 + 1 = 1.405465, c ln 3 + 1 = 2.098612. The second article is (2, 1.405465):
    # (2 + 1.975332) / (1.724915 · 2.444449) = 0.942811; the third shares a: 1 / (1.724915 · 2.324688) = 0.249383.
    collection = Collection(Cosine(), ["a b", "a a b", "a c"])
    _, cosines = all_pairs(Cosine(), collection.sketches)
    assert cosines.reshape(3, 3)[0].tolist() == pytest.approx([1, 0.942811, 0.249383], abs=1e-6)


def test_a_text_and_its_repetition_have_exactly_one() -> None:
    text = Writer(2).text(700)
    collection = Collection(Cosine(threshold=1.0), [text, f"{text} {text}", f"{text} {text} {text}", "other"])
    _, cosines = all_pairs(Cosine(threshold=1.0), collection.sketches)
    assert cosines.reshape(4, 4)[:3, :3].tolist() == [[1.0] * 3] * 3


def test_accepted_pairs_of_real_size_share_a_key() -> None:
    writer = Writer(6, words=2000)
    texts = []
    for _ in range(7):
        words = writer.write(writer.random.randint(50, 300))
        texts += [" ".join(writer.edit(words, share)) for share in (0, 0.02, 0.2, 0.4)]
    for threshold in (0.5, 0.8, 0.95):
        method = Cosine(threshold=threshold)
        collection = Collection(method, texts)
        pairs, cosines = all_pairs(method, collection.sketches)
        keys = method.keys(collection.sketches)
        filed = [set(keys.values[start:end].tolist()) for start, end in itertools.pairwise(keys.offsets)]
        accepted = [
            pair
            for pair, cosine in zip(pairs, cosines, strict=True)
            if cosine >= threshold and len({*pair}) > 1
        ]
        assert len(accepted) >= 7
        assert all(filed[q] & filed[f] for q, f in accepted)
        assert len(keys.values) < len(collection.sketches.columns[0])
        brute = [twin.cosine(collection.vectors[q], collection.vectors[f]) for q, f in pairs]
        assert cosines.tolist() == pytest.approx(brute, abs=NEAR)


def test_an_unknown_word_is_in_one_article() -> None:
    collection = Collection(Cosine(), ["a b", "a c", "z a", "c a"], counted=2)
    _, weights, _ = collection.sketches.columns
    assert sorted(weights[4:6].tolist()) == sorted(weights[6:8].tolist())


def test_words_are_weighed_by_statistics_of_the_same_view() -> None:
    tokens = tokenise(*encode(["some words"]))
    with pytest.raises(UsageError, match="expected Statistics to weigh words by, got none"):
        Cosine().sketch(tokens)
    with pytest.raises(MismatchError, match="view"):
        Cosine(stemmer="porter").sketch(tokens, Statistics.count([tokens]))


@pytest.mark.parametrize("threshold", [0, -0.5, 1.01, math.nan, math.inf])
def test_a_threshold_out_of_range_is_refused(threshold: float) -> None:
    with pytest.raises(UsageError, match="cosine: expected 0 < threshold <= 1, got"):
        methods.get("cosine", threshold=threshold)


WORDS, OFFSETS = np.array([1, 2, 3], np.uint64), np.array([0, 3], np.int64)
TOKENS, HELD = Tokens(WORDS, OFFSETS), weigh([1, 1, 1], 3)


def side(
    words: int = 3, weights: int = 3, starts: Sequence[int] = (0,), ends: Sequence[int] = (3,)
) -> Sketches:
    columns = WORDS[:words], np.ones(weights), np.ones(words, np.uint8)
    return Sketches(columns, np.array(starts, np.int64), np.array(ends, np.int64))


@pytest.mark.parametrize(
    "call",
    [
        lambda: _core.make_vectors(Tokens(WORDS, OFFSETS[:1]), HELD, 0.5),
        lambda: _core.make_vectors(TOKENS, weigh([1, 1], 3), 0.5),
        lambda: _core.make_vectors(TOKENS, HELD, 0.0),
        lambda: _core.make_vectors(TOKENS, HELD, math.nan),
        lambda: _core.multiply_vectors(side(), side(weights=2)),
        lambda: _core.multiply_vectors(side(words=2), side()),
        lambda: _core.multiply_vectors(side(), side(starts=[], ends=[])),
        lambda: _core.multiply_vectors(side(), side(ends=[])),
        lambda: _core.multiply_vectors(side(), side(starts=[3], ends=[0])),
    ],
)
def test_arguments_that_make_no_sense_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="expected"):
        call()
