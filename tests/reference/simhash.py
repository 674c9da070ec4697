"""SimHash, slowly: from section 4 of CoDet (Varol, Can, Aykanat, Kaya 2011), after Charikar 2002.

An article is a list of words as the view has them; `frequencies` says in how many of `articles` articles each is.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping


def simhash(
    words: Iterable[str], frequencies: Mapping[str, int], articles: int, skip: int, bits: int
) -> list[int] | None:
    """The bits of an article, None where no word counts."""

    def weigh(word: str) -> int:
        return round((math.log(articles / frequencies.get(word, 1)) + 1) * 2**20)

    terms = sorted(set(words), key=lambda word: (-weigh(word), word))[skip:]
    if not terms:
        return None
    vector = [0] * bits
    for term in terms:
        digest = int.from_bytes(hashlib.sha1(term.encode()).digest(), "big")
        for i in range(bits):
            if digest >> (159 - i) & 1 == 0:
                vector[i] -= weigh(term)
            else:
                vector[i] += weigh(term)
    return [1 if element > 0 else 0 for element in vector]


def distance(one: list[int], other: list[int]) -> int:
    return sum(left != right for left, right in zip(one, other, strict=True))


def blocks(value: list[int], count: int) -> list[tuple[int, list[int]]]:
    """So many blocks of bits, nearly equal, with their numbers."""
    edges = [number * len(value) // count for number in range(count + 1)]
    return [(number, value[edges[number] : edges[number + 1]]) for number in range(count)]
