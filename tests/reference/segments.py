"""Segments, slowly: a dict from each key to who holds it. The twin of `rust/src/segments.rs`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

CONTEXT = 16
LONGEST = 255


class Held(NamedTuple):
    """Where an article holds a key: its number, the first word, how many words, and the words on both sides."""

    article: int
    position: int
    words: int
    left: int
    right: int


def around(words: Iterable[int]) -> int:
    """Sixteen words, the nearest first, as four bits each: which fifteenth of 65,536 the lowest bits of its hash lie in."""
    return sum((word % 65536 * 15 // 65536 + 1) * 16**place for place, word in enumerate([*words][:CONTEXT]))


@dataclass(frozen=True)
class Filed:
    """An article: row in the store, words, and its keys with where each begins and ends, if that is known."""

    row: int
    words: Sequence[int]
    keys: Sequence[tuple[int, int, int]]


@dataclass(frozen=True)
class Segment:
    rows: Sequence[int]
    words: Sequence[int]
    holders: Mapping[int, Sequence[Held]] = field(repr=False)

    def look_up(self, keys: Sequence[int]) -> list[tuple[int, Held]]:
        """Which of the keys is held, and by whom; sorted."""
        return sorted((which, held) for which, key in enumerate(keys) for held in self.holders.get(key, ()))

    def shard(self, number: int) -> dict[int, Sequence[Held]]:
        """The keys of one shard of 64."""
        return {key: held for key, held in self.holders.items() if key * 64 // 2**64 == number}


def encode(articles: Sequence[Filed], *, placed: bool) -> Segment:
    holders: dict[int, list[Held]] = defaultdict(list)
    for number, article in enumerate(articles):
        for key, start, end in article.keys:
            left, right = around(reversed(article.words[:start])), around(article.words[end:])
            words = min(end - start, LONGEST)
            holders[key].append(
                Held(number, start, words, left, right) if placed else Held(number, 0, 0, 0, 0)
            )
    return Segment(
        [article.row for article in articles],
        [len(article.words) for article in articles],
        {key: sorted(held) for key, held in holders.items()},
    )
