"""Shingles and winnowing, slowly: the twin of `rust/src/shingles.rs` and `boilerplate.rs`.

From Schleimer, Wilkerson, Aiken 2003, definition 1: "In each window select the minimum hash value. If there is more than
one hash with the minimum value, select the rightmost occurrence." Words of half weight and the half windows at the edges
are ours.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import xxhash

Words = Sequence[int]

FORMULA_WORDS = 5


def spans(weights: Sequence[int], shingle_words: int) -> list[tuple[int, int]]:
    """Start and end of each shingle: from each word on, the shortest run that weighs enough halves."""
    found = []
    for start in range(len(weights)):
        for end in range(start + 1, len(weights) + 1):
            if sum(weights[start:end]) >= 2 * shingle_words:
                found.append((start, end))
                break
    return found


def digest(words: Words, seed: int) -> int:
    return xxhash.xxh3_64_intdigest(b"".join(word.to_bytes(8, "little") for word in words), seed)


def smallness(words: Words) -> int:
    """The number by which shingles are compared and formulas are known: a polynomial of the words, stirred; never 0."""
    total = 0
    for word in words:
        total = (total * 0x9E3779B97F4A7C15 + word) % 2**64
    total = ((total ^ total >> 29) * 0xBF58476D1CE4E5B9) % 2**64
    return max(total ^ total >> 32, 1)


def winnow(
    words: Words, weights: Sequence[int], shingle_words: int, window_words: int
) -> list[tuple[int, int, int]]:
    """Hash, start and end of the shingles that are kept, by their place.

    A window is so many words; in an article with words of half weight, a quarter of that.
    """
    window_halves = -(-window_words // 2) if 1 in weights else 2 * window_words - 1
    shingles = spans(weights, shingle_words)
    if not shingles:
        return []
    ranks = [smallness(words[start:end]) for start, end in shingles]
    places = range(len(shingles))
    windows = []
    for start in places:
        ends = [end for end in range(start + 1, len(ranks) + 1) if sum(weights[start:end]) >= window_halves]
        windows += [range(start, ends[0])] if ends else []
    windows = windows or [range(len(ranks))]
    windows.append(range(max(i for i in places if sum(weights[:i]) < window_words) + 1))
    windows.append(
        range(min(i for i in places if sum(weights[i + 1 : len(ranks)]) < window_words), len(ranks))
    )
    kept = {min(window, key=lambda i: (ranks[i], -i)) for window in windows}
    return [
        (digest(words[start:end], shingle_words), start, end)
        for start, end in (shingles[i] for i in sorted(kept))
    ]


def whole_hash(words: Words) -> list[int]:
    return [digest(words, 0)] if words else []


def common(
    articles: Sequence[tuple[Words, Sequence[int]]],
    places: Sequence[tuple[int, int]],
    reach_words: int,
    least: int,
) -> set[tuple[int, ...]]:
    """The shingles that start within reach of at least so many of the places, each an article and a word."""
    count: Counter[tuple[int, ...]] = Counter()
    for article, place in places:
        words, weights = articles[article]
        count.update(
            {
                tuple(words[start:end])
                for start, end in spans(weights, FORMULA_WORDS)
                if place - reach_words <= start < place + reach_words
            }
        )
    return {shingle for shingle, near in count.items() if near >= least}


def mark(words: Words, weights: Sequence[int], formulas: set[tuple[int, ...]], gap_words: int) -> list[int]:
    """1 for each word in one of these shingles, or in a short gap between two such words."""
    marked = sorted(
        {
            i
            for start, end in spans(weights, FORMULA_WORDS)
            if tuple(words[start:end]) in formulas
            for i in range(start, end)
        }
    )
    closed = {
        i
        for one, other in itertools.pairwise(marked)
        if other - one - 1 <= gap_words
        for i in range(one, other)
    }
    return [int(i in closed or i in marked) for i in range(len(words))]


def traces(words: Words, weights: Sequence[int]) -> list[int]:
    """The lower 32 bits of each distinct formula shingle of an article."""
    spelt = {tuple(words[start:end]) for start, end in spans(weights, FORMULA_WORDS)}
    return [number % 2**32 for number in {smallness(shingle) for shingle in spelt}]


def may_hold(traces: Sequence[int], shingles: Sequence[int]) -> bool:
    """Whether one of the shingles has the bits of one of the traces."""
    return any(shingle % 2**32 == trace for shingle in shingles for trace in traces)
