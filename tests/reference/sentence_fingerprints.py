"""Sentence fingerprints, slowly: from Yoon, Jang, Kim, Park 2012, section 2.

An article is a list of sentences, a sentence a list of folded words.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence
from fractions import Fraction

Article = Sequence[Sequence[str]]


def common_words(collection: Sequence[Article], share: float) -> set[str]:
    """Words in more than this share of a collection."""
    holders = Counter(
        word for article in collection for word in {w for sentence in article for w in sentence}
    )
    most = Fraction(repr(share)) * len(collection)
    return {word for word, count in holders.items() if count > most}


def fingerprints(article: Article, common: set[str], *, exact: bool = False) -> list[bytes]:
    """One for each sentence that has words left."""
    found = []
    for sentence in article:
        words = list(sentence) if exact else sorted(word for word in sentence if word not in common)
        if words:
            found.append(hashlib.md5(" ".join(words).encode()).digest())
    return found


def collide(target: Sequence[bytes], table: Collection[bytes]) -> int:
    """How many hash values of the target are in the table, each time."""
    return sum(1 if value in table else 0 for value in target)


def build_table(sources: Sequence[Sequence[bytes]], most_occurrences: int) -> set[bytes]:
    """The development phase: what occurs too often is not in the table."""
    occurrences = Counter(value for source in sources for value in source)
    return {value for value, count in occurrences.items() if count <= most_occurrences}


def decide(target: Sequence[bytes], table: Collection[bytes], more_than: int) -> bool:
    """The application phase."""
    return collide(target, table) > more_than
