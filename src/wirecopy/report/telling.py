"""Rows → what a page knows of them: the block with their articles and pairs, and their lines of the index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..comparison import RELATIONS
from ..grouping.records import Story
from ..grouping.telling import tell_seen, tell_sources
from ..model import UNDATED, Article
from .articles import Paired, Sheet, count_layers, find_carried
from .listing import KINDS, Listing, Pair, Row
from .page import pack

BLOCK_ROWS = 32
"""So many rows are one block."""
ROWS_AT_ONCE = 8
"""So many rows are read and compared together: texts may be long, and their words take several times as much."""
MOST_TEXT = 4 << 20
"""So many characters of the texts of one row are shown."""
INDEX_HEADS = (
    *("id", "title", "kind", "articles", "versions", "sources", "first", "last"),
    *("moment", "words", "relations", "weakest"),
)


@dataclass(frozen=True)
class Block:
    """Some rows as a page has them: packed, and the columns of the index for each."""

    packed: str
    lines: Sequence[tuple[Any, ...]]


@dataclass(frozen=True)
class Teller:
    """How rows are told: with or without texts; `sources` has the place of each source in the head."""

    listing: Listing
    sources: Mapping[str, int]
    texts: bool = True

    def tell(self, rows: Sequence[Row]) -> Block:
        """The block of some rows."""
        entries: list[dict[str, Any]] = []
        lines: list[tuple[Any, ...]] = []
        for start in range(0, len(rows), ROWS_AT_ONCE):
            tellings = self._read(rows[start : start + ROWS_AT_ONCE])
            in_full = [number for one in tellings for number in one.in_full()]
            pieces = dict(zip(in_full, tellings[0].paired.align(in_full), strict=True))
            entries += [one.entry(pieces) for one in tellings]
            lines += [one.line() for one in tellings]
        return Block(pack({"stories": entries}), lines)

    def _read(self, rows: Sequence[Row]) -> list[_Telling]:
        """Some rows, read and compared together, about to be told."""
        stories = self._tell_stories(rows)
        pairs = [
            _with_weakest(row, story) if story else row.pairs
            for row, story in zip(rows, stories, strict=True)
        ]
        shown = [_shown(row, some) for row, some in zip(rows, pairs, strict=True)]
        sheet = Sheet.read(self.listing.matches, (one for some in shown for one in some))
        paired = sheet.compare([pair for some in pairs for pair in some])
        tellings, first = [], 0
        for row, story, some, numbers in zip(rows, stories, pairs, shown, strict=True):
            of_pairs = range(first, first + len(some))
            tellings.append(_Telling(self, row, story, sheet, paired, of_pairs, some, numbers))
            first += len(some)
        return tellings

    def _tell_stories(self, rows: Sequence[Row]) -> list[Story | None]:
        """The stories of those rows that are stories or collections."""
        stories = self.listing.stories
        if stories is None:
            return [None] * len(rows)
        told = iter(stories.tell(row.place for row in rows if row.place >= 0))
        ids = stories.ids
        return [
            next(told) if row.place >= 0 else stories.of(ids[row.first]) if row.kind in KINDS[:2] else None
            for row in rows
        ]


def _with_weakest(row: Row, story: Story) -> tuple[Pair, ...]:
    """The pairs of a story, and its weakest one."""
    if story.cohesion.pair is None:
        return row.pairs
    numbers = {member.id: number for member, number in zip(story.articles, row.articles, strict=True)}
    one, other = (numbers[id] for id in story.cohesion.pair)
    return tuple(dict.fromkeys([*row.pairs, (one, other)]))


def _shown(row: Row, pairs: Iterable[Pair]) -> list[int]:
    """The articles of a row that are in a pair that is shown, its first one first."""
    return list(dict.fromkeys([row.first, *(number for pair in pairs for number in sorted(pair))]))


@dataclass(frozen=True)
class _Telling:
    """One row, about to be told: the pairs `of_pairs` of those compared are its own."""

    teller: Teller
    row: Row
    story: Story | None
    sheet: Sheet
    paired: Paired
    of_pairs: range
    pairs: Sequence[Pair]
    numbers: Sequence[int]

    @cached_property
    def _names(self) -> dict[int, str]:
        """The name of each article in the page: its id, unless a query has that of an article that it is compared with."""
        ids = {number: self.sheet[number].id for number in self.numbers}
        taken = {ids[number] for number in self.numbers[1:]}
        first = self.row.first
        if ids[first] in taken:
            ids[first] = f"{ids[first]} (query)"
        return ids

    @cached_property
    def _with_text(self) -> set[int]:
        """The articles whose texts are shown."""
        room, shown = MOST_TEXT, set()
        for number in self.numbers if self.teller.texts else ():
            size = len(self.sheet[number].text)
            if size <= room:
                room -= size
                shown.add(number)
        return shown

    def in_full(self) -> list[int]:
        """The pairs of which both texts are shown."""
        pairs = zip(self.of_pairs, self.pairs, strict=True)
        return [number for number, pair in pairs if self._with_text.issuperset(pair)]

    def entry(self, pieces: Mapping[int, Sequence[int]]) -> dict[str, Any]:
        """What a block has of the row, with the pieces of those pairs that are shown in full."""
        names, texts, row, paired = self._names, self._with_text, self.row, self.paired
        pairs = [
            paired.tell(
                number, (names[one], names[other]), pieces.get(number) or paired.coarse_pieces(number)
            )
            for number, (one, other) in zip(self.of_pairs, self.pairs, strict=True)
            if paired.compared.relation[number] >= 0
        ]
        return {
            "story": self._record(names),
            "articles": {names[one]: self.sheet.tell(one, one in texts) for one in self.numbers},
            "pairs": pairs,
            "heat": self._heat(pieces) if self.story else None,
            "links": self.teller.listing.links.get(row.first, []),
            "left_out": len(set(row.articles).difference(self.numbers)),
        }

    def _record(self, names: Mapping[int, str]) -> dict[str, Any]:
        if self.story:
            return self.story.to_dict()
        articles, moments = self._articles()
        first, last = tell_seen(articles, moments)
        return {
            "id": names[self.row.first],
            "title": articles[0].title,
            "kind": self.row.kind,
            "articles": [names.get(number) or self._id(number) for number in self.row.articles],
            "sources": list(tell_sources(articles)),
            "first_seen": first,
            "last_seen": last,
        }

    def _id(self, number: int) -> str:
        return self.teller.listing.matches.found_side.ids[number]

    def _articles(self) -> tuple[list[Article], list[int]]:
        """The articles of the row that are shown, and their dates."""
        known = set(self.numbers)
        shown = [number for number in self.row.articles if number in known]
        return [self.sheet[number] for number in shown], [self._moment(number) for number in shown]

    def _moment(self, number: int) -> int:
        return self.sheet.moments[self.sheet.place(number)]

    def _heat(self, pieces: Mapping[int, Sequence[int]]) -> dict[str, Any]:
        """How many members carry each stretch of the anchor: those with the text of a member that is shown do as it does.

        To the word where pieces are known, else by passages, in which a formula may stand that does not count.
        """
        listing, row = self.teller.listing, self.row
        assert listing.stories is not None
        version = listing.stories.grouped.version
        sizes: dict[int, int] = {}
        for number in row.articles[1:]:
            sizes[int(version[number])] = sizes.get(int(version[number]), 0) + 1
        layers: list[tuple[Iterable[tuple[int, int]], int]] = []
        whole = int(self.sheet.units[self.sheet.place(row.first)][-1])
        if row.first in sizes:
            layers.append(([(0, whole)], sizes[row.first]))
        for number, pair in zip(self.of_pairs, self.pairs, strict=True):
            if pair[1] == row.first and pair[0] != row.first and version[pair[0]] == pair[0]:
                passages = [(begin, stop) for _, _, begin, stop in self.paired.spans(number)]
                spans = find_carried(pieces[number]) if number in pieces else passages
                layers.append((spans, sizes.get(pair[0], 0)))
        return {"article": self.sheet[row.first].id, "spans": count_layers(layers)}

    def line(self) -> tuple[Any, ...]:
        """What the index has of the row, as `INDEX_HEADS`."""
        places, compared = self.teller.sources, self.paired.compared
        own = list(self.of_pairs)
        codes = {int(compared.relation[pair]) for pair in own}
        first = self._moment(self.row.first)
        if self.story:
            story = self.story
            names, seen, versions = story.sources, (story.first_seen, story.last_seen), len(story.versions)
            weakest = story.cohesion.weakest
            title, id, moment = story.title, story.id, first
        else:
            articles, moments = self._articles()
            names = tell_sources(articles)
            seen, versions = tell_seen(articles, moments), len(self.row.articles)
            shares = zip(
                compared.query_covered[own].tolist(), compared.found_covered[own].tolist(), strict=True
            )
            weakest = min((max(both) for both in shares), default=1.0)
            title, id, moment = articles[0].title, self._names[self.row.first], min(moments)
        return (
            id,
            title,
            self.row.kind,
            len(self.row.articles),
            versions,
            [places[name] for name in names],
            *seen,
            None if moment == UNDATED else moment // 1000,
            self.sheet.words(self.row.first),
            sum(1 << code for code in codes if 0 <= code < len(RELATIONS)),
            weakest,
        )
