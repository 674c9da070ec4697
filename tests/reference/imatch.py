"""I-Match, slowly: from Chowdhury, Frieder, Grossman, McCabe 2002, Kolcz, Chowdhury, Alspector 2004 and section 4 of CoDet.

An article is a list of words as the view has them; `frequencies` says in how many of `articles` articles each is.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import xxhash

Frequencies = Mapping[str, int]


def idf(word: str, frequencies: Frequencies, articles: int) -> float:
    return math.log(articles / frequencies.get(word, 1)) + 1


def in_range(
    words: Iterable[str], frequencies: Frequencies, articles: int, low: float, high: float
) -> list[str]:
    """The distinct words whose document frequency lies in a range, in alphabetical order."""
    least, most = (Fraction(repr(share)) * articles for share in (low, high))

    def lies(word: str) -> bool:
        count = frequencies.get(word, 1)
        return least <= count <= most

    return sorted({word for word in words if lies(word)})


def after_skipping(
    words: Iterable[str], frequencies: Frequencies, articles: int, skip: int, most: int
) -> list[str]:
    """Two words of highest idf are ignored, the next ten are used."""
    ranked = sorted(set(words), key=lambda word: (-idf(word, frequencies, articles), word))
    return ranked[skip:][:most]


def in_lexicon(words: Iterable[str], number: int, left_out: float) -> list[str]:
    """What of the words a lexicon has; the one with number 0 has all."""
    return [
        word
        for word in words
        if number == 0 or (xxhash.xxh3_64_intdigest(word.encode(), number) >> 11) / 2**53 >= left_out
    ]


def fingerprint(chosen: Sequence[str]) -> set[bytes]:
    """The first 128 bits of the SHA-1 of all words; none without words."""
    return {hashlib.sha1(" ".join(chosen).encode()).digest()[:16]} if chosen else set()
