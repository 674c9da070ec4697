"""The articles of a block, read once: what a page shows of each, and how pairs of them compare, piece by piece.

Places in texts are code points everywhere else; a page counts as JavaScript does, in UTF-16, and they are converted here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..alignment import KINDS, AlignedRows, Kind, Pieces, align_rows
from ..comparison import RELATIONS, Compared, compare_rows, get_preset
from ..escaping import safe_address
from ..matching import settle_pairs
from ..matching.matches import Matches
from ..model import Article, Tokens
from ..text import count_words, encode, tokenise

LOOKED_AT = 1000
"""Of so many characters the direction of a text is told."""
SAME, ADDED, CUT, SPELLED = (KINDS.index(kind) for kind in (Kind.SAME, Kind.ADDED, Kind.CUT, Kind.SPELLED))
"""Kinds of pieces, by their place in the list that the page knows."""
_ABOUT = ("title", "published", "source", "author", "agency", "language")


def tell_direction(text: str) -> str:
    """The direction of a text, "rtl" or "ltr", by the first of its characters that has one."""
    for character in text[:LOOKED_AT]:
        kind = unicodedata.bidirectional(character)
        if kind in ("R", "AL"):
            return "rtl"
        if kind == "L":
            return "ltr"
    return "ltr"


def tell_article(article: Article, words: int, length: int, texts: bool) -> dict[str, Any]:
    """What a page knows of an article; its address only if a person may follow it, its text only if `texts` are shown."""
    told: dict[str, Any] = {name: getattr(article, name) for name in _ABOUT}
    told |= {"url": safe_address(article.url), "words": words, "length": length}
    told["dir"] = tell_direction(article.text or article.title or "")
    return told | ({"text": article.text} if texts else {})


@dataclass(frozen=True)
class Sheet:
    """Some articles of the two sides of matches, known by number: their rank, and behind all found ones those of queries."""

    matches: Matches
    numbers: NDArray[np.int64]
    articles: Sequence[Article]
    body: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    tokens: Tokens

    @classmethod
    def read(cls, matches: Matches, numbers: Iterable[int]) -> Sheet:
        """The articles with these numbers."""
        every = np.unique(np.fromiter(numbers, np.int64))
        behind = len(matches.found_side.ids)
        articles: list[Article] = []
        for side, ranks in (
            (matches.found_side, every[every < behind]),
            (matches.query_side, every[every >= behind] - behind),
        ):
            if len(ranks):
                articles += side.articles(ranks.astype(np.uint32))
        body, offsets = encode([one.text for one in articles])
        return cls(matches, every, articles, body, offsets, tokenise(body, offsets, spans=True, kinds=True))

    @cached_property
    def _places(self) -> dict[int, int]:
        return {number: place for place, number in enumerate(self.numbers.tolist())}

    def place(self, number: int) -> int:
        """The row of an article, by its number."""
        return self._places[number]

    def __getitem__(self, number: int) -> Article:
        return self.articles[self.place(number)]

    @cached_property
    def _words(self) -> list[int]:
        counted: list[int] = count_words(self.tokens).tolist()
        return counted

    def words(self, number: int) -> int:
        """How many words an article has."""
        return self._words[self.place(number)]

    def tell(self, number: int, texts: bool) -> dict[str, Any]:
        """What a page knows of an article."""
        place = self.place(number)
        return tell_article(self.articles[place], self.words(number), int(self.units[place][-1]), texts)

    @cached_property
    def moments(self) -> Sequence[int]:
        """When each article was published, by row, in microseconds; `UNDATED` where that is not known."""
        behind = len(self.matches.found_side.ids)
        found, asked = self.numbers[self.numbers < behind], self.numbers[self.numbers >= behind] - behind
        moments: list[int] = self.matches.found_side.origins(found.astype(np.uint32))[0].tolist()
        if len(asked):
            moments += self.matches.query_side.origins(asked.astype(np.uint32))[0].tolist()
        return moments

    @cached_property
    def units(self) -> Sequence[NDArray[np.int64] | range]:
        """By row, for each place in a text in code points the same in UTF-16."""
        wide = self.body >= 0xF0  # begins a character of four bytes, which are two units
        before = np.concatenate([[0], np.cumsum(wide)])
        several = np.diff(before[self.offsets]) > 0
        return [
            to_units(article.text) if is_wide else range(len(article.text) + 1)
            for article, is_wide in zip(self.articles, several.tolist(), strict=True)
        ]

    def compare(self, pairs: Sequence[tuple[int, int]]) -> Paired:
        """How pairs of articles compare, each a query and a found one by number; the answer has them in the same order."""
        rows = np.searchsorted(self.numbers, np.array(pairs, np.int64).reshape(-1, 2)).astype(np.uint32)
        order = np.argsort(rows[:, 1], kind="stable")  # the core reads what is found once
        queries, founds = rows[order, 0], rows[order, 1]
        matches = self.matches
        preset, learnt = get_preset(matches.preset), matches.learnt
        compared, _ = compare_rows(self.tokens, queries, founds, preset, learnt.known)
        behind = len(matches.found_side.ids) if matches.query_side is not matches.found_side else 0
        mine, theirs = self.numbers[queries] - behind, self.numbers[founds]
        compared = settle_pairs(
            compared,
            learnt,
            (matches.query_side, mine.astype(np.uint32)),
            (matches.found_side, theirs.astype(np.uint32)),
        )
        back = np.argsort(order, kind="stable")
        return Paired(self, rows, compared.take(back))


@dataclass(frozen=True)
class Paired:
    """Pairs of articles of a sheet, by row, and how they compare."""

    sheet: Sheet
    rows: NDArray[np.uint32]
    compared: Compared

    def tell(self, pair: int, names: tuple[str, str], pieces: Sequence[int]) -> dict[str, Any]:
        """What a page knows of a pair, whose articles have these names there."""
        compared = self.compared
        passages = compared.passages.take(slice(*compared.passage_offsets[pair : pair + 2].tolist()))
        return {
            "query": names[0],
            "found": names[1],
            "relation": str(RELATIONS[compared.relation[pair]]),
            "query_covered": float(compared.query_covered[pair]),
            "found_covered": float(compared.found_covered[pair]),
            "resemblance": float(compared.resemblance[pair]),
            "words": int(passages.words.sum()),
            "slots": {"same": int(passages.same.sum()), "other": int(passages.other.sum())},
            "pieces": pieces,
        }

    def align(self, pairs: Sequence[int]) -> Iterator[list[int]]:
        """The pieces of some pairs, as `pack_pieces` has them."""
        sheet = self.sheet
        queries, founds = np.ascontiguousarray(self.rows[list(pairs)].T)
        texts = sheet.body, sheet.offsets
        known, preset = sheet.matches.learnt.known, sheet.matches.preset
        return pack_pieces(align_rows(*texts, queries, founds, preset=preset, boilerplate=known, utf16=True))

    def spans(self, pair: int) -> list[tuple[int, int, int, int]]:
        """Where the passages of a pair start and end in the query, and in the found article, in UTF-16."""
        compared = self.compared
        passages = compared.passages.rows(slice(*compared.passage_offsets[pair : pair + 2].tolist()))
        query, found = (self.sheet.units[row] for row in self.rows[pair].tolist())
        return [
            (int(query[start]), int(query[end]), int(found[begin]), int(found[stop]))
            for start, end, begin, stop, *_ in passages
        ]

    def coarse_pieces(self, pair: int) -> list[int]:
        """The pieces of a pair by its passages alone: what is shared, and what only one of the two has."""
        query, found = (int(self.sheet.units[row][-1]) for row in self.rows[pair].tolist())
        is_whole = RELATIONS[self.compared.relation[pair]] == "identical"
        spans = [(0, query, 0, found)] if is_whole else self.spans(pair)
        return pack_one(list(_lay_out(spans, query, found)))


Laid = tuple[int, int, int, int, int, int]
"""A piece: its kind, where it starts and ends in the query and in the found article, its flags."""


def pack_one(laid: Sequence[Laid]) -> list[int]:
    """The pieces of one pair, as `pack_pieces` has them."""
    columns = np.array(laid, np.int64).reshape(-1, 6).T
    [packed] = pack_pieces(AlignedRows(np.array([0, len(laid)]), Pieces(*columns)))
    return packed


def pack_pieces(aligned: AlignedRows) -> Iterator[list[int]]:
    """The pieces of each pair as a page has them, so that they are small numbers, which compress well.

    A piece is six of them: its kind; in both texts how far behind the one before it starts, and how long it is; its flags.
    """
    pieces = aligned.pieces
    columns = [pieces.kind.astype(np.int64)]
    firsts = aligned.offsets[:-1][np.diff(aligned.offsets) > 0]
    for start, end in ((pieces.query_start, pieces.query_end), (pieces.found_start, pieces.found_end)):
        before = np.concatenate([[0], end[:-1].astype(np.int64)])[: len(end)]
        before[firsts] = 0
        columns += [start - before, end.astype(np.int64) - start]
    table = np.column_stack([*columns, pieces.flags.astype(np.int64)])
    return (table[start:stop].ravel().tolist() for start, stop in pairwise(aligned.offsets.tolist()))


def find_carried(pieces: Sequence[int]) -> list[tuple[int, int]]:
    """The stretches of the found article whose words the query has too, from pieces as `pack_pieces` has them."""
    carried, at = [], 0
    for kind, gap, length in zip(pieces[::6], pieces[3::6], pieces[4::6], strict=True):
        start, at = at + gap, at + gap + length
        if kind in (SAME, SPELLED):
            carried.append((start, at))
    return carried


def _lay_out(spans: Sequence[tuple[int, int, int, int]], query: int, found: int) -> Iterator[Laid]:
    """Passages as pieces that cover both texts, of these lengths; what two passages share is of the first of them."""
    mine, theirs = (_clip([span[side : side + 2] for span in spans]) for side in (0, 2))
    order = sorted(range(len(spans)), key=lambda number: mine[number])
    at = 0
    for passage, number in enumerate(order, 1):
        start, end = mine[number]
        if at < start:
            yield ADDED, at, start, theirs[number][0], theirs[number][0], 0
        yield SAME, start, end, *theirs[number], passage << 2
        at = end
    if at < query:
        yield ADDED, at, query, found, found, 0
    at = 0
    for start, end in [*sorted(theirs), (found, found)]:
        if at < start:
            yield CUT, query, query, at, start, 0
        at = end


def _clip(spans: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """The spans without what an earlier one in the text has of them."""
    clipped, at = [(0, 0)] * len(spans), 0
    for number in sorted(range(len(spans)), key=spans.__getitem__):
        start, end = spans[number]
        clipped[number] = max(start, at), max(end, at)
        at = max(at, end)
    return clipped


def to_units(text: str) -> NDArray[np.int64]:
    """For each place in a text in code points the same in UTF-16."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.concatenate([[0], np.cumsum(1 + (codes > 0xFFFF))])


def merge(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The stretches that some spans cover, in order."""
    last: tuple[int, int] | None = None
    for start, end in sorted(spans):
        if last is None or start > last[1]:
            if last:
                yield last
            last = start, end
        else:
            last = last[0], max(last[1], end)
    if last:
        yield last


def count_layers(layers: Iterable[tuple[Iterable[tuple[int, int]], int]]) -> list[int]:
    """How many of some layers, each counted so many times, lie over each stretch: start, end and count, one after the other."""
    edges: dict[int, int] = {}
    for spans, times in layers:
        for start, end in merge(spans):
            edges[start] = edges.get(start, 0) + times
            edges[end] = edges.get(end, 0) - times
    flat: list[int] = []
    level = 0
    for start, end in pairwise(sorted(edges)):
        level += edges[start]
        if level and flat[-2:] == [start, level]:
            flat[-2] = end
        elif level:
            flat += [start, end, level]
    return flat
