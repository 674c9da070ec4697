"""Shingle sets, slowly: the twin of `shingle_sets` and `character_sets`, and of the methods that compare such sets.

From Broder 1997 (On the resemblance and containment of documents), Gibson, Wellner, Lubar 2008, section 2.2, and Varol,
Can, Aykanat, Kaya 2011, section 4. Sets hold the shingles themselves, as tuples of words. That short articles are one shingle, and
that words of scripts without spaces count half, is ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TypeVar

import xxhash

Word = TypeVar("Word", int, str)


def read(text: str, stopwords: str = "", first: int | None = None) -> list[str]:
    """The words of a plain text, without stopwords, cut to their first letters."""
    return [word[:first] for word in text.split() if word not in stopwords.split()]


def cut(
    words: Sequence[Word],
    length: int,
    step: int = 1,
    weights: Sequence[int] | None = None,
    *,
    whole: bool = True,
) -> set[tuple[Word, ...]]:
    """The shingles of so many words: all, or with a longer step the first at or after each multiple of it."""
    weights = weights or [2] * len(words)
    shingles = []
    for start in range(len(words)):
        ends = range(start, min(start + 2 * length, len(words)) + 1)
        shingles += [(start, end) for end in ends if sum(weights[start:end]) >= 2 * length][:1]
    if not shingles:
        return {tuple(words)} if whole and words else set()
    kept = shingles if step == 1 else []
    for multiple in range(0, sum(weights) + 1, 2 * step) if step > 1 else ():
        kept += [(start, end) for start, end in shingles if sum(weights[:start]) >= multiple][:1]
    return {tuple(words[start:end]) for start, end in kept}


def digest(words: Sequence[int], seed: int) -> int:
    return xxhash.xxh3_64_intdigest(b"".join(word.to_bytes(8, "little") for word in words), seed)


def hash_spelt(words: Sequence[str], seed: int) -> int:
    """The hash of a shingle of words that are spelt."""
    return digest([xxhash.xxh3_64_intdigest(word.encode()) for word in words], seed)


def hash_characters(words: Sequence[str], seed: int) -> int:
    """The hash of a shingle of characters."""
    return xxhash.xxh3_64_intdigest("".join(words).encode(), seed)


def containment(one: set[tuple[Word, ...]], other: set[tuple[Word, ...]]) -> Fraction:
    """How much of one is in the other."""
    return Fraction(len(one & other), len(one)) if one else Fraction(0)


def resemblance(one: set[tuple[Word, ...]], other: set[tuple[Word, ...]]) -> Fraction:
    return Fraction(len(one & other), len(one | other)) if one | other else Fraction(0)


def too_common(
    articles: Iterable[set[tuple[Word, ...]]], share: str, most_articles: int
) -> set[tuple[Word, ...]]:
    """Shingles in the most articles, as many as fit into the share with all that are as frequent; and those in too many."""
    count: Counter[tuple[Word, ...]] = Counter(shingle for article in articles for shingle in article)
    left_out: set[tuple[Word, ...]] = set()
    for holders in sorted(set(count.values()), reverse=True):
        fits = {shingle for shingle, number in count.items() if number >= holders}
        if len(fits) <= Fraction(share) * len(count):
            left_out = fits
    return left_out | {shingle for shingle, number in count.items() if 0 < most_articles <= number}
