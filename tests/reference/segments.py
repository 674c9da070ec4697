"""Segments, slowly: a dict from each key to who holds it. The twin of `rust/src/segments.rs`.

`decode` reads the bytes as that file's head describes them.
"""

from __future__ import annotations

import struct
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

    def look_up(self, keys: Iterable[int]) -> dict[int, Sequence[Held]]:
        """Who holds which of the keys."""
        return {key: self.holders[key] for key in keys if key in self.holders}

    def shard(self, number: int) -> dict[int, Sequence[Held]]:
        """The keys of one shard of 64."""
        return {key: held for key, held in self.holders.items() if key * 64 // 2**64 == number}


def pack(articles: Sequence[Filed], parts: int, *, placed: bool) -> list[bytes]:
    """What `rust/src/postings.rs` packs for each of some equal ranges of keys: key, left, right, row with words above, position."""
    packed = [b""] * parts
    segment = encode(articles, placed=placed)
    for key, holders in segment.holders.items():
        for one in holders:
            row = one.article + (min(one.words, LONGEST) << 24)
            packed[key * parts // 2**64] += struct.pack("<QQQII", key, one.left, one.right, row, one.position)
    return packed


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


def decode(content: bytes) -> Segment:
    assert content[:8] in (b"wirecpy\x01", b"wirecpy\x02")
    articles, postings = (int.from_bytes(content[at : at + 8], "little") for at in (8, 16))
    bits, key_width, article_width, position_width, words_width, context_width, shingle, _ = content[24:32]
    at = 32

    def column(count: int, width: int) -> list[int]:
        nonlocal at
        part, at = content[at : at + count * width], at + count * width
        return [int.from_bytes(part[i * width : (i + 1) * width], "little") for i in range(count)]

    rows, words, directory = column(articles, 8), column(articles, 4), column(2**bits + 1, 4)
    widths = (key_width, article_width, position_width, words_width, context_width, context_width)
    rests, *columns = (column(postings, width) for width in widths)
    if not words_width:
        columns[2] = [shingle] * postings
    assert at == len(content)
    holders: dict[int, list[Held]] = defaultdict(list)
    for first_bits in range(2**bits):
        for number in range(directory[first_bits], directory[first_bits + 1]):
            key = first_bits << (64 - bits) | rests[number]
            holders[key].append(Held(*(values[number] for values in columns)))
    assert list(holders) == sorted(holders)
    return Segment(rows, words, {key: sorted(held) for key, held in holders.items()})
