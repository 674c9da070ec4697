"""`supershingles` shares what its papers say, in the form of Fetterly and in that of CEDAR."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest
import xxhash
from reference import shingle_sets, signatures

from quality.texts import Writer
from wirecopy import _core, methods
from wirecopy.errors import UsageError
from wirecopy.model import Tokens
from wirecopy.text import encode, tokenise

CEDAR: dict[str, Any] = {
    "shingle_words": 2,
    "minima": 0,
    "modulus": 3,
    "supershingle_length": 3,
    "min_common": 1,
}
FETTERLY: dict[str, Any] = {"shingle_words": 2, "minima": 20, "supershingle_length": 3, "min_common": 2}


def make_corpus(seed: int) -> list[str]:
    writer = Writer(seed, words=60)
    sources = [writer.write(writer.random.randint(10, 40)) for _ in range(2)]
    texts = ["", "tax", "tax vote", "tax vote"]
    return texts + [" ".join(writer.edit(writer.random.choice(sources), 0.03)) for _ in range(6)]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "parameters", [CEDAR, FETTERLY, {**CEDAR, "min_common": 3}, {**FETTERLY, "min_common": 1}]
)
def test_supershingles_equal_their_twin(seed: int, parameters: dict[str, Any]) -> None:
    texts = make_corpus(seed)
    method: Any = methods.get("supershingles", **parameters)
    sketches = method.sketch(tokenise(*encode(texts), method.view))
    sets = []
    for text in texts:
        words = text.split()
        if method.minima:
            hashes = [xxhash.xxh3_64_intdigest(word.encode()) for word in words]
            minima = signatures.sign(hashes, [2] * len(words), method.shingle_words, method.minima)
            sets.append(signatures.groups(minima, method.supershingle_length))
        else:
            cut = shingle_sets.cut(words, method.shingle_words)
            sketch = {shingle_sets.hash_spelt(shingle, method.shingle_words) for shingle in cut}
            kept = {one for one in sketch if one % method.modulus == 0}
            sets.append(signatures.runs(kept, method.supershingle_length))
    keys = method.keys(sketches)
    edges = itertools.pairwise(keys.offsets.tolist())
    assert [keys.values[start:end].tolist() for start, end in edges] == [sorted(one) for one in sets]
    pairs = list(itertools.product(range(len(texts)), repeat=2))
    query, found = (sketches.take(np.array(side)) for side in zip(*pairs, strict=True))
    scores = method.score(query, found)
    accepted = method.accepts(scores)
    for number, (one, other) in enumerate(pairs):
        shared = len(sets[one] & sets[other])
        assert scores.rank[number] == shared
        assert scores.query_in_found[number] == shared / max(1, len(sets[one]))
        assert scores.found_in_query[number] == shared / max(1, len(sets[other]))
        assert [bool(way[number]) for way in accepted] == [shared >= method.min_common] * 2
    assert accepted[0].any()
    assert not accepted[0].all()


def test_fetterly_has_six_supershingles_of_fourteen_minima() -> None:
    method: Any = methods.get("supershingles")
    assert (method.shingle_words, method.minima, method.supershingle_length, method.min_common) == (
        5,
        84,
        14,
        2,
    )
    texts = [Writer(seed).text(length) for seed, length in ((1, 400), (2, 60), (3, 1))]
    keys = method.keys(method.sketch(tokenise(*encode([*texts, ""]), method.view)))
    assert np.diff(keys.offsets).tolist() == [6, 6, 6, 0]
    assert method.least_shared(np.array([6, 6])).tolist() == [2, 2]


def test_a_sketch_shorter_than_a_supershingle_has_none() -> None:
    method = methods.get("supershingles", **{**CEDAR, "modulus": 1})
    keys = method.keys(method.sketch(tokenise(*encode(["a b", "a b c", "a b c d", "a b c d e"]))))
    assert np.diff(keys.offsets).tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize(("resemblance", "expected"), [(0.95, 0.879), (0.9, 0.415), (0.8, 0.026)])
def test_pairs_are_taken_as_often_as_independent_minima_would(resemblance: float, expected: float) -> None:
    """Two or more of six supershingles, each shared with a probability of r to the power of 14."""
    draw = random.Random(int(resemblance * 100))
    size, pairs = 400, 1500
    apart = round(size * (1 - resemblance) / 2)
    hashes = np.array([draw.getrandbits(64) for _ in range(pairs * size)], np.uint64).reshape(pairs, size)
    sides = []
    for side in (hashes[:, apart:], hashes[:, : size - apart]):
        offsets = np.arange(0, side.size + 1, side.shape[1], dtype=np.int64)
        minima, offsets = _core.signatures(Tokens(side.ravel(), offsets), 1, 84)
        sides.append(minima.reshape(pairs, 6, 14))
    taken = ((sides[0] == sides[1]).all(axis=2).sum(axis=1) >= 2).mean()
    assert abs(taken - expected) < 4 * (expected * (1 - expected) / pairs) ** 0.5


@pytest.mark.parametrize(
    "bad",
    [
        {"shingle_words": 0},
        {"shingle_words": 2**17},
        {"minima": -1},
        {"minima": 4097},
        {"modulus": 0},
        {"modulus": 2**64},
        {"supershingle_length": 0},
        {"min_common": 0},
        {"minima": 27},
        {"min_common": 7},
    ],
)
def test_parameters_out_of_range_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"supershingles: expected .*, got "):
        methods.get("supershingles", **bad)
