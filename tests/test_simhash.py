"""SimHash equals its slow twin, and every pair within the distance shares a key."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
import xxhash
from hypothesis import event, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import simhash as twin
from weighed import STOPWORDS, collections, sketch

from quality.texts import Writer
from wirecopy import _core, methods
from wirecopy.errors import UsageError
from wirecopy.methods import Sketches


def rows(values: NDArray[np.uint64], ends: NDArray[np.int64]) -> list[list[int]]:
    return [values[start:end].tolist() for start, end in itertools.pairwise(ends.tolist())]


def pack(bits: list[int]) -> list[int]:
    """Bits in numbers of 64, the highest first."""
    digits = "".join(map(str, bits)).ljust(-(-len(bits) // 64) * 64, "0")
    return [int(digits[start : start + 64], 2) for start in range(0, len(digits), 64)]


def block_keys(bits: list[int], blocks: int) -> list[int]:
    keys = []
    for number, block in twin.blocks(bits, blocks):
        before = number * len(bits) // blocks
        alone = [0] * before + block + [0] * (len(bits) - before - len(block))
        spelt = b"".join(value.to_bytes(8, "little") for value in pack(alone))
        keys.append(xxhash.xxh3_64_intdigest(spelt, number))
    return keys


@settings(max_examples=200)
@given(
    collections,
    collections.filter(len),
    st.integers(0, 3),
    st.sampled_from([1, 5, 8, 12, 63, 64, 65, 128, 160]),
    st.integers(0, 4),
    st.booleans(),
)
def test_hashes_keys_scores_and_decisions_are_the_twins(
    collection: list[list[str]],
    reference: list[list[str]],
    skip: int,
    bits: int,
    distance_bits: int,
    stemmed: bool,
) -> None:
    distance_bits = min(distance_bits, bits - 1)
    method = methods.get(
        "simhash",
        bits=bits,
        distance_bits=distance_bits,
        skip_words=skip,
        stopwords=" ".join(STOPWORDS) if stemmed else "",
        stemmer="first5" if stemmed else "",
    )

    def cut(article: list[str]) -> list[str]:
        return [word[:5] for word in article if word not in STOPWORDS] if stemmed else article

    frequencies = Counter(word for article in reference for word in set(cut(article)))
    expected = [twin.simhash(cut(article), frequencies, len(reference), skip, bits) for article in collection]
    sketches = sketch(method, [" ".join(one) for one in collection], [" ".join(one) for one in reference])
    assert rows(sketches.columns[0], sketches.offsets) == [pack(one) if one else [] for one in expected]
    keys = method.keys(sketches)
    blocks = distance_bits + 1
    assert rows(keys.values, keys.offsets) == [block_keys(one, blocks) if one else [] for one in expected]

    pairs = np.array(list(itertools.product(range(len(collection)), repeat=2)), np.int64).reshape(-1, 2)
    scores = method.score(sketches.take(pairs[:, 0]), sketches.take(pairs[:, 1]))
    near, equal = [], []
    for query, found in pairs.tolist():
        one, other = expected[query], expected[found]
        apart = twin.distance(one, other) if one and other else bits
        near.append(apart <= distance_bits)
        equal.append(1 - apart / bits)
    for column in (scores.query_in_found, scores.found_in_query, scores.rank):
        assert column.tolist() == equal
    for way in method.accepts(scores):
        assert way.tolist() == near
    event("some near" if any(near) else "none near")


def family(seed: int, articles: int) -> list[str]:
    """Articles of which most are copies with a few words edited."""
    writer = Writer(seed, words=3_000)
    sources = [writer.write(writer.random.randint(3, 120)) for _ in range(articles // 20)]
    edited = (
        writer.edit(writer.random.choice(sources), writer.random.choice([0.005, 0.01, 0.03]))
        for _ in range(articles)
    )
    return [" ".join(words) for words in edited]


@pytest.mark.parametrize(("bits", "distance_bits"), [(160, 2), (64, 2), (160, 9)])
def test_of_five_thousand_articles_every_pair_within_the_distance_shares_a_key(
    bits: int, distance_bits: int
) -> None:
    method = methods.get("simhash", bits=bits, distance_bits=distance_bits)
    sketches = sketch(method, family(11, 5_000))
    has = sketches.ends > sketches.starts
    hashes = sketches.columns[0].reshape(-1, -(-bits // 64))
    keys = method.keys(sketches).values.reshape(-1, distance_bits + 1)
    assert len(hashes) == len(keys) == has.sum() > 4_900
    accepted = 0
    for start in range(0, len(hashes), 250):
        chunk = slice(start, start + 250)
        different = sum(
            np.bitwise_count(hashes[chunk, None, column] ^ hashes[None, :, column]).astype(np.int64)
            for column in range(hashes.shape[1])
        )
        query, found = np.nonzero(different <= distance_bits)
        query, found = query[query + start != found] + start, found[query + start != found]
        shared = (keys[query] == keys[found]).any(axis=1)
        assert shared.all()
        numbers = np.flatnonzero(has)
        scores = method.score(sketches.take(numbers[query]), sketches.take(numbers[found]))
        assert all(way.all() for way in method.accepts(scores))
        accepted += len(query)
    assert accepted > 10_000


def test_the_hash_of_one_word_is_its_sha1() -> None:
    method = methods.get("simhash", skip_words=0)
    sketches = sketch(method, ["Treaties"])
    digest = int(hashlib.sha1(b"treat").hexdigest(), 16)
    assert sketches.columns[0].tolist() == [
        digest >> 96,
        digest >> 32 & 2**64 - 1,
        (digest & 2**32 - 1) << 32,
    ]
    short = sketch(methods.get("simhash", skip_words=0, bits=64), ["Treaties"])
    assert short.columns[0].tolist() == [digest >> 96]


def test_a_bit_is_set_only_if_its_sum_is_positive() -> None:
    """Of two words of equal weight a bit is one where both have it."""
    method = methods.get("simhash", skip_words=0, bits=64)
    one, other = (int.from_bytes(hashlib.sha1(word).digest()[:8], "big") for word in (b"treat", b"voter"))
    assert sketch(method, ["treaty voters"]).columns[0].tolist() == [one & other]


def test_a_word_counts_once_however_often_it_stands_there() -> None:
    method = methods.get("simhash", skip_words=0)
    twice, once = (
        sketch(method, ["envoy treaty vote vote vote", "vote treaty envoy"]).columns[0].reshape(2, -1)
    )
    assert twice.tolist() == once.tolist()


def test_the_two_rarest_words_do_not_count() -> None:
    reference = ["aa bb cc dd ee", "cc dd ee", "dd ee"]
    plain = sketch(methods.get("simhash", skip_words=0, stopwords=""), ["dd cc ee"], reference)
    skipped = sketch(methods.get("simhash", stopwords=""), ["ee cc bb dd aa"], reference)
    assert len(plain.columns[0]) == 3
    assert skipped.columns[0].tolist() == plain.columns[0].tolist()


def test_more_words_than_one_sum_holds_are_added_up() -> None:
    """Beyond 64 words of the largest weight, 32 bits do not hold the sum."""
    words = [f"w{i}" for i in range(2_000)]
    reference = [" ".join(words)] + [""] * 999
    method = methods.get("simhash", stemmer="")
    sketches = sketch(method, [" ".join(words)], reference)
    expected = twin.simhash(words, dict.fromkeys(words, 1), 1_000, 2, 160)
    assert expected is not None
    assert sketches.columns[0].tolist() == pack(expected)


def test_articles_without_words_that_count_match_nothing() -> None:
    method = methods.get("simhash")
    texts = ["", "the of", "envoy", "envoy treaty", "envoy treaty vote"]
    sketches = sketch(method, texts)
    assert (sketches.ends - sketches.starts).tolist() == [0, 0, 0, 0, 3]
    for shift in range(5):
        scores = method.score(sketches, sketches.take(np.roll(np.arange(5), shift)))
        accepted = [way.tolist() for way in method.accepts(scores)]
        assert accepted == [[shift == 0 and row == 4 for row in range(5)]] * 2


@pytest.mark.parametrize("bits", range(1, 161))
def test_a_score_says_the_distance_exactly(bits: int) -> None:
    for distance_bits in {0, bits // 2, bits - 1}:
        method = methods.get("simhash", bits=bits, distance_bits=distance_bits)
        words = -(-bits // 64)
        nothing = np.zeros((bits + 1, words), np.uint64)
        some = np.array([pack([1] * ones + [0] * (bits - ones)) for ones in range(bits + 1)], np.uint64)
        ends = np.arange(bits + 2) * words
        scores = method.score(Sketches.of(nothing.ravel(), ends), Sketches.of(some.ravel(), ends))
        expected = [ones <= distance_bits for ones in range(bits + 1)]
        assert [way.tolist() for way in method.accepts(scores)] == [expected] * 2


@pytest.mark.parametrize(
    "bad",
    [
        {"bits": 0},
        {"bits": 161},
        {"distance_bits": -1},
        {"bits": 64, "distance_bits": 64},
        {"skip_words": -1},
    ],
)
def test_parameters_out_of_range_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="simhash: expected 0 <= distance_bits < bits <= 160"):
        methods.get("simhash", **bad)


def test_an_unknown_stemmer_is_refused() -> None:
    with pytest.raises(UsageError, match="simhash: expected a stemmer"):
        methods.get("simhash", stemmer="klingon")


def test_rows_that_are_no_hashes_are_refused() -> None:
    values = np.array([1, 2], np.uint64)
    one, two = (Sketches.of(values, np.array([0, end])) for end in (1, 2))
    with pytest.raises(ValueError, match="expected 1 values an article, got 2"):
        _core.simhash_keys(two, 64, 3)
    with pytest.raises(ValueError, match="expected 1 to 64 blocks, got 65"):
        _core.simhash_keys(two, 64, 65)
    with pytest.raises(ValueError, match="expected 1 to 160 bits, got 161"):
        _core.simhash_keys(two, 161, 3)
    with pytest.raises(ValueError, match="expected rows of one length, got 1 and 2"):
        _core.count_different_bits(one, two)
