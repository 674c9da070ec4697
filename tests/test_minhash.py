"""`minhash` estimates resemblance as sharply as it says, and its signatures are those of its twin."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import xxhash
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference import shingle_sets, signatures

from quality.texts import Writer
from wirecopy import _core, methods
from wirecopy.errors import UsageError
from wirecopy.methods import minhash
from wirecopy.model import Tokens
from wirecopy.text import encode, tokenise

U64, U32, I64, U8 = np.uint64, np.uint32, np.int64, np.uint8

Article = list[tuple[int, int]]
words = st.integers(0, 3) | st.integers(0, 2**64 - 1)
weights = st.sampled_from([st.just(2), st.just(1), st.sampled_from([1, 2])])
batches = weights.flatmap(
    lambda weight: st.lists(st.lists(st.tuples(words, weight), max_size=12), max_size=3)
)


def pack(rows: list[list[int]], kind: Any) -> tuple[Any, Any]:
    values = np.array([value for row in rows for value in row], kind)
    return values, np.cumsum([0] + [len(row) for row in rows]).astype(I64)


def unpack(values: Any, offsets: Any) -> list[list[int]]:
    return [values[start:end].tolist() for start, end in itertools.pairwise(offsets.tolist())]


@settings(max_examples=300)
@given(batches, st.integers(1, 4), st.integers(1, 24))
@example([[(7, 2)]], 2, 24)
@example([[(1, 2), (2, 2), (3, 2)] * 9], 1, 3)
def test_signatures_equal_their_twin(articles: list[Article], shingle_words: int, size: int) -> None:
    hashes, offsets = pack([[word for word, _ in article] for article in articles], U64)
    halves, _ = pack([[weight for _, weight in article] for article in articles], U8)
    got = unpack(*_core.signatures(Tokens(hashes, offsets, halves), shingle_words, size))
    assert got == [
        signatures.sign([w for w, _ in article], [h for _, h in article], shingle_words, size)
        for article in articles
    ]


@settings(max_examples=100)
@given(st.lists(st.booleans(), max_size=4), st.integers(1, 5), st.integers(1, 5), st.integers(0, 3))
def test_keys_of_bands_equal_their_twin(filled: list[bool], bands: int, rows: int, spare: int) -> None:
    draw = random.Random(bands)
    made = [[draw.getrandbits(32) for _ in range(bands * rows + spare)] if one else [] for one in filled]
    got = unpack(*_core.band_keys(methods.Sketches.of(*pack(made, U32)), bands, rows))
    assert got == [signatures.band_keys(signature, bands, rows) for signature in made]


def estimates(pairs: list[tuple[list[int], list[int]]], size: int) -> Any:
    """The estimated resemblance of pairs of sets of numbers."""
    method = methods.get("minhash", signature_values=size)
    sides = []
    for side in (0, 1):
        tokens = Tokens(*pack([pair[side] for pair in pairs], U64))
        sides.append(methods.Sketches.of(*_core.signatures(tokens, 1, size)))
    return method.score(*sides).rank


@pytest.mark.parametrize("size", [64, 256])
@pytest.mark.parametrize("consecutive", [False, True])
def test_estimates_keep_within_three_standard_deviations(size: int, consecutive: bool) -> None:
    draw = random.Random(size + consecutive)
    pairs, truth = [], []
    for _ in range(1000):
        union = draw.randint(2, draw.choice([20, 200, 2000]))
        first, last = sorted(draw.randint(0, union) for _ in range(2))
        start = draw.randrange(2**32)
        numbers = range(start, start + union)
        elements = list(numbers) if consecutive else [draw.getrandbits(64) for _ in numbers]
        one, other = elements[:last], elements[first:]
        pairs.append((one, other))
        truth.append(len({*one} & {*other}) / len({*one} | {*other}))
    errors = estimates(pairs, size) - np.array(truth)
    allowed = 3 * np.sqrt(np.array(truth) * (1 - np.array(truth)) / size)
    assert (np.abs(errors) > allowed + 1e-12).mean() <= 0.01
    assert abs(errors.mean()) <= 0.005


@pytest.mark.parametrize("seed", range(5))
def test_one_word_at_the_head_leaves_the_estimate_above_95_percent(seed: int) -> None:
    writer = Writer(seed, words=5000)
    texts = [writer.write(writer.random.randint(300, 900)) for _ in range(200)]
    longer = [[*writer.write(1), *text] for text in texts]
    method = methods.get("minhash")
    one, other = (
        method.sketch(tokenise(*encode(" ".join(text) for text in side), method.view))
        for side in (texts, longer)
    )
    assert method.score(one, other).rank.min() > 0.95


@pytest.mark.parametrize("seed", range(3))
def test_the_estimate_is_of_the_resemblance_of_shingles(seed: int) -> None:
    writer = Writer(seed, words=300)
    sources = [writer.write(200) for _ in range(20)]
    pairs = [(source, writer.edit(source, share)) for source in sources for share in (0, 0.02, 0.1, 0.3)]
    for shingle_words in (1, 2, 5):
        method = methods.get("minhash", shingle_words=shingle_words, signature_values=2048)
        one, other = (
            method.sketch(tokenise(*encode(" ".join(pair[side]) for pair in pairs))) for side in (0, 1)
        )
        scores = method.score(one, other)
        for estimate, pair in zip(scores.rank, pairs, strict=True):
            truth = shingle_sets.resemblance(*(shingle_sets.cut(side, shingle_words) for side in pair))
            assert abs(estimate - float(truth)) <= 4 * (float(truth) * (1 - float(truth)) / 2048) ** 0.5
        ways = method.accepts(scores)
        assert ways[0].tolist() == ways[1].tolist() == (scores.rank >= 0.4).tolist()


def test_order_and_repeats_do_not_count_among_single_words() -> None:
    method = methods.get("minhash", shingle_words=1)
    rows = method.sketch(tokenise(*encode(["a b c", "c a b", "b c a c a", "a b"])))
    one, *others = unpack(rows.columns[0], rows.offsets)
    assert others[0] == others[1] == one != others[2]


def test_equal_sets_have_estimate_1_and_empty_ones_match_nothing() -> None:
    method = methods.get("minhash")
    texts = ["tax", "tax", "tax vote", "", "..."]
    sketches = method.sketch(tokenise(*encode(texts), method.view))
    pairs = np.array(list(itertools.product(range(5), repeat=2)))
    scores = method.score(sketches.take(pairs[:, 0]), sketches.take(pairs[:, 1]))
    table = scores.rank.reshape(5, 5)
    assert table.tolist() == [[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0] * 5, [0] * 5]
    assert np.diff(method.keys(sketches).offsets).tolist() == [70, 70, 70, 0, 0]


@pytest.mark.parametrize(
    ("threshold", "size", "expected"),
    [(0.4, 256, (70, 3)), (0.5, 128, (35, 3)), (0.8, 128, (16, 6)), (1.0, 128, (1, 128)), (0.99, 1, (1, 1))],
)
def test_bands_come_from_the_threshold(threshold: float, size: int, expected: tuple[int, int]) -> None:
    method: Any = methods.get("minhash", threshold=threshold, signature_values=size)
    assert method.bands == expected


@given(st.floats(0.05, 1), st.integers(100, 4096))
def test_bands_fit_are_enough_and_could_not_be_longer(threshold: float, size: int) -> None:
    method: Any = methods.get("minhash", threshold=threshold, signature_values=size)
    bands, length = method.bands

    def recall(bands: int, length: int) -> float:
        return 1 - float(1 - threshold**length) ** bands

    assert bands * length <= size
    assert recall(bands, length) >= 0.99 - 1e-12
    assert bands == 1 or recall(bands - 1, length) < 0.99
    assert length == size or recall(size // (length + 1), length + 1) < 0.99


def test_the_recall_curve_is_what_happens() -> None:
    method: Any = methods.get("minhash")
    curve = method.recall_curve()
    assert curve[0] == (0, 0)
    assert curve[-1] == (1, 1)
    assert dict(curve)[0.4] >= minhash.RECALL
    assert [chance for _, chance in curve] == sorted(chance for _, chance in curve)
    draw = random.Random(7)
    size, pairs = 300, 600
    for resemblance, expected in ((0.1, dict(curve)[0.1]), (0.2, dict(curve)[0.2]), (0.4, dict(curve)[0.4])):
        apart = round(size * (1 - resemblance) / 2)
        sets = [[draw.getrandbits(64) for _ in range(size)] for _ in range(pairs)]
        sides = []
        for cut in (slice(apart, None), slice(None, size - apart)):
            tokens = Tokens(*pack([one[cut] for one in sets], U64))
            keys = method.keys(methods.Sketches.of(*_core.signatures(tokens, 1, 256)))
            sides.append(keys.values.reshape(pairs, -1))
        nominated = (sides[0] == sides[1]).any(axis=1).mean()
        assert abs(nominated - expected) <= 4 * (expected * (1 - expected) / pairs) ** 0.5


def test_the_scheme_does_not_change_unnoticed() -> None:
    """Signatures are compared across versions: whoever changes these values gives the scheme a new number."""
    assert _core.SIGNATURE_SCHEME == signatures.SCHEME == 1
    sketches = methods.get("minhash", signature_values=64).sketch(tokenise(*encode(["The quick brown fox."])))
    assert xxhash.xxh3_64_hexdigest(sketches.columns[0].astype("<u4").tobytes()) == "eeb56d13044deda1"


@pytest.mark.parametrize(
    "bad",
    [
        {"shingle_words": 0},
        {"shingle_words": 65537},
        {"threshold": 0.0},
        {"threshold": 1.1},
        {"threshold": float("nan")},
        {"signature_values": 0},
        {"signature_values": 4097},
        {"threshold": 0.01},
        {"threshold": 1e-300},
        {"signature_values": 9},
    ],
)
def test_parameters_out_of_range_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"minhash: expected .*, got "):
        methods.get("minhash", **bad)


ROW, EDGES = np.zeros(4, U32), np.array([0, 4], I64)
SIGNED = methods.Sketches.of(ROW, EDGES)


@pytest.mark.parametrize(
    "call",
    [
        lambda: _core.signatures(Tokens(ROW.astype(U64), EDGES[1:]), 1, 1),
        lambda: _core.signatures(Tokens(ROW.astype(U64), EDGES, np.ones(3, U8)), 1, 1),
        lambda: _core.signatures(Tokens(ROW.astype(U64), EDGES), 0, 1),
        lambda: _core.signatures(Tokens(ROW.astype(U64), EDGES), 1, 4097),
        lambda: _core.band_keys(methods.Sketches.of(ROW, EDGES + 1), 1, 1),
        lambda: _core.band_keys(SIGNED, 5, 1),
        lambda: _core.band_keys(SIGNED, 0, 1),
        lambda: _core.band_keys(SIGNED, 1, 0),
        lambda: _core.band_keys(SIGNED, 2**63, 2),
        lambda: _core.count_equal(SIGNED, replace(SIGNED, ends=EDGES[1:] - 1)),
        lambda: _core.count_equal(SIGNED, methods.Sketches.of(ROW, EDGES[:1])),
        lambda: _core.count_equal(replace(SIGNED, ends=EDGES[1:] + 1), SIGNED),
    ],
)
def test_arguments_that_make_no_sense_are_refused(call: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        call()
