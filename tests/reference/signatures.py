"""MinHash signatures and supershingles, slowly: the twin of `rust/src/signatures.rs`.

From Dahlgaard, Knudsen, Thorup 2017 (Fast Similarity Sketching), algorithm 1: "for i = 1 to 2t, for a in A: (b, v) = h_i(a); if i > t then b = i - t;
S[b] = min(S[b], (i, v))", without its shortcut, so that all rounds are drawn. Fetterly, Manasse, Najork 2003 for the supershingles.
"""

from __future__ import annotations

from collections.abc import Sequence

import xxhash

from reference.shingle_sets import cut, digest

SCHEME = 1
ALL = 2**64


def stir(number: int) -> int:
    """The last steps of SplitMix64 (Steele, Lea, Flood 2014)."""
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 % ALL
    number = (number ^ number >> 27) * 0x94D049BB133111EB % ALL
    return number ^ number >> 31


def element(shingle: Sequence[int]) -> int:
    """The number of a shingle: a polynomial of its words, stirred; never 0."""
    total = 0
    for word in shingle:
        total = (total * 0x9E3779B97F4A7C15 + word) % ALL
    total = (total ^ total >> 29) * 0xBF58476D1CE4E5B9 % ALL
    return max(total ^ total >> 32, 1)


def sign(words: Sequence[int], weights: Sequence[int], shingle_words: int, size: int) -> list[int]:
    """The signature of an article; empty without words."""
    elements = [element(shingle) for shingle in cut(words, shingle_words, weights=weights)]
    if not elements:
        return []
    sketch: list[tuple[int, int]] = [(2 * size, 0)] * size
    for i in range(2 * size):
        for a in elements:
            drawn = stir(a ^ stir((SCHEME << 32) + i))
            bucket, value = (drawn * size // ALL, drawn * size % ALL) if i < size else (i - size, drawn)
            sketch[bucket] = min(sketch[bucket], (i, value >> 16))
    return [((i << 48) + value) * 0x9E3779B97F4A7C15 % ALL >> 32 for i, value in sketch]


def band_keys(signature: Sequence[int], bands: int, rows: int) -> list[int]:
    if not signature:
        return []
    return [
        xxhash.xxh3_64_intdigest(
            b"".join(value.to_bytes(4, "little") for value in signature[band * rows : (band + 1) * rows]),
            band,
        )
        for band in range(bands)
    ]


def groups(signature: Sequence[int], length: int) -> set[int]:
    """Supershingles of minima: every so many in turn."""
    starts = range(0, len(signature) - length + 1, length)
    return {digest(signature[start : start + length], length) for start in starts}


def runs(sketch: set[int], length: int) -> set[int]:
    """Supershingles of a sketch: sorted, and shingled again."""
    ordered = sorted(sketch)
    return {digest(ordered[start : start + length], length) for start in range(len(ordered) - length + 1)}
