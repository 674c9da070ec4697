"""What articles share and the stories that this makes, as the tables of the store keep them.

All of it is derived from the articles and can be told again; only `former`, the ids of articles that began a story and have expired, is
history. Articles are known by their rows. Each row of these tables has a checksum: what is not as it was written is told anew.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..comparison import NOT_COMPARED, RELATIONS, Compared, Passages
from ..forms import NO_SLOTS
from .connection import Connection

MATCH = (
    "query",
    "found",
    "relation",
    "query_covered",
    "found_covered",
    "resemblance",
    "nominated",
    "passages",
)
LINK = ("later", "earlier", "kind", "articles", "words")
PASSAGE = tuple(one.name for one in fields(Passages))
_CODES: dict[str | None, int] = {str(relation): code for code, relation in enumerate(RELATIONS)} | {None: -1}
Row = tuple[Any, ...]


class AlteredError(Exception):
    """A row of these tables is not as it was written."""


class Member(NamedTuple):
    """An article that shares something with others: its story and version, by their first articles, and its parent.

    `number` is that of its version in the story, `kind` is set for a collection and for a placeholder; `shared` are the words that it has in
    common with its parent.
    """

    row: int
    story: int
    version: int
    number: int
    words: int
    kind: str | None = None
    parent: int | None = None
    relation: str | None = None
    covered: float | None = None
    parent_covered: float | None = None
    shared: int | None = None
    basis: str | None = None
    rivals: int | None = None


@dataclass(frozen=True)
class Shared:
    """Pairs of articles, by their rows, and how they compare; `nominated` is 0 for one that was only asked for."""

    queries: NDArray[np.int64]
    founds: NDArray[np.int64]
    nominated: NDArray[np.int64]
    compared: Compared

    def __len__(self) -> int:
        return len(self.queries)

    def take(self, places: NDArray[np.int64]) -> Shared:
        """Some of the pairs."""
        columns = self.queries[places], self.founds[places], self.nominated[places]
        return Shared(*columns, self.compared.take(places))

    @staticmethod
    def join(parts: Sequence[Shared]) -> Shared:
        """The pairs of all parts."""
        queries, founds, nominated = (
            np.concatenate([getattr(one, name) for one in parts])
            for name in ("queries", "founds", "nominated")
        )
        return Shared(queries, founds, nominated, Compared.join([one.compared for one in parts]))

    def rows(self) -> Iterable[Row]:
        """The pairs as values to store."""
        compared = self.compared
        packed = (
            np.column_stack([getattr(compared.passages, name) for name in PASSAGE]).astype("<u4").tobytes()
        )
        edges = (compared.passage_offsets * (4 * len(PASSAGE))).tolist()
        columns = (
            *(self.queries.tolist(), self.founds.tolist(), compared.relation.tolist()),
            *(compared.query_covered.tolist(), compared.found_covered.tolist()),
            *(compared.resemblance.tolist(), self.nominated.tolist(), edges, edges[1:]),
        )
        for query, found, code, *shares, nominated, start, end in zip(*columns, strict=False):
            relation = str(RELATIONS[code]) if code >= 0 else None
            yield query, found, relation, *shares, nominated, packed[start:end]

    @staticmethod
    def read(rows: Sequence[Row]) -> Shared:
        """The pairs, from values that were stored."""
        if not rows:
            return NOTHING_SHARED
        queries, founds, relations, *floats, nominated, packed = zip(*rows, strict=True)
        mine, theirs, resemblance = (np.array(one, np.float64) for one in floats)
        values = np.frombuffer(b"".join(packed), "<u4").astype(np.uint32).reshape(-1, len(PASSAGE))
        sizes = [len(one) // (4 * len(PASSAGE)) for one in packed]
        compared = Compared(
            np.array([_CODES[one] for one in relations], np.int8),
            *(mine, theirs, resemblance),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            Passages(*np.ascontiguousarray(values.T)),
            np.zeros(len(rows), np.uint8),
            np.zeros(len(rows) + 1, np.int64),
            NO_SLOTS,
        )
        one, other, by = (np.array(column, np.int64) for column in (queries, founds, nominated))
        return Shared(one, other, by, compared)


_NONE = np.empty(0, np.int64)
NOTHING_SHARED = Shared(_NONE, _NONE, _NONE, NOT_COMPARED)


def _sum(values: Sequence[Any]) -> int:
    return zlib.crc32(repr(tuple(values)).encode())


def _checked(found: Iterable[Row]) -> list[Row]:
    """Rows without their checksums, which are their last values; raises AlteredError."""
    rows = []
    for *values, made in found:
        if made != _sum(values):
            raise AlteredError
        rows.append(tuple(values))
    return rows


class Told(Connection):
    """The contents of these tables, as values."""

    def _insert_summed(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        summed = ((*row, _sum(row)) for row in rows)
        self.insert(table, (*columns, "sum"), summed, "INSERT OR REPLACE")

    def all_shared(self) -> Shared:
        """All pairs; raises AlteredError."""
        return Shared.read(_checked(self.read(f"SELECT {', '.join(MATCH)}, sum FROM matches")))

    def shared_by(self, rows: Sequence[int]) -> Shared:
        """The pairs that some articles are in; raises AlteredError."""
        columns = f"{', '.join(MATCH)}, sum"
        found = {
            one[:2]: one for side in ("query", "found") for one in self.select(columns, "matches", side, rows)
        }
        return Shared.read(_checked(found.values()))

    def add_shared(self, shared: Shared) -> None:
        """Add pairs."""
        self._insert_summed("matches", MATCH, shared.rows())

    def all_members(self) -> list[Member]:
        """All articles that share something; raises AlteredError."""
        return self._members(self.read(f"SELECT {', '.join(Member._fields)}, sum FROM members"))

    def members(self, by: str, values: Sequence[int]) -> dict[int, Member]:
        """Those whose `row` or `story` is one of the values, by row; raises AlteredError."""
        found = self.select(f"{', '.join(Member._fields)}, sum", "members", by, values)
        return {one.row: one for one in self._members(found)}

    def stories_of(self, rows: Sequence[int]) -> dict[int, str]:
        """The id of the story of each of some articles that share something; what is stored is taken as it is."""
        table = "members JOIN articles ON articles.row = story"
        return dict(self.select("members.row, id", table, "members.row", rows))

    def _members(self, found: Iterable[Row]) -> list[Member]:
        return [Member(*values) for values in _checked(found)]

    def replace_members(self, gone: Collection[int], made: Iterable[Member]) -> None:
        """Put what is told of articles in the place of what was."""
        self.delete("members", "row", list(gone))
        self._insert_summed("members", Member._fields, made)

    def all_links(self) -> list[Row]:
        """All links between stories; raises AlteredError."""
        return _checked(self.read(f"SELECT {', '.join(LINK)}, sum FROM links"))

    def replace_links(self, stories: Collection[int], made: Iterable[Row]) -> None:
        """Put links in the place of those that some stories have."""
        for side in ("later", "earlier"):
            self.delete("links", side, list(stories))
        self._insert_summed("links", LINK, made)

    def forget_pairs(self, rows: Collection[int]) -> None:
        """Forget what some articles share, and what is told of them."""
        for table, side in (("matches", "query"), ("matches", "found"), ("members", "row")):
            self.delete(table, side, list(rows))

    def forget_told(self) -> None:
        """Forget all that can be told anew."""
        for table in ("matches", "members", "links"):
            self.execute(f"DELETE FROM {table}")

    def count_stories(self) -> tuple[int, int]:
        """How many stories of two or more articles there are, and how many articles these have."""
        told = "SELECT count(*) AS articles FROM members GROUP BY story HAVING count(*) > 1"
        [(stories, articles)] = self.read(f"SELECT count(*), coalesce(sum(articles), 0) FROM ({told})")
        return stories, articles

    def count_beyond(self, row: int) -> int:
        """How many articles have come after that of a row."""
        return int(self.read("SELECT count(*) FROM articles WHERE row > ?", (row,))[0][0])

    def rows_beyond(self, row: int) -> list[int]:
        """The rows of the articles that have come after that of a row."""
        return [
            found for (found,) in self.read("SELECT row FROM articles WHERE row > ? ORDER BY row", (row,))
        ]

    def find_untold(self) -> list[str]:
        """What is wrong with these tables, in words: rows that are not as they were written, or tell of articles that are gone."""
        problems = []
        for table, sides in _SIDES.items():
            try:
                found = self.read(f"SELECT {', '.join(_COLUMNS[table])}, sum FROM {table}")
                _checked(found)
            except AlteredError:
                problems.append(f"{table}: not as they were written")
                continue
            strays = " OR ".join(
                f"{side} NOT IN (SELECT row FROM {within})" for side, within in sides.items()
            )
            if self.read(f"SELECT count(*) FROM {table} WHERE {strays}")[0][0]:
                problems.append(f"{table}: of articles of which nothing is told")
        return problems

    # Articles that began a story and have expired

    def former(self) -> dict[str, str]:
        """By the id of each, that of the earliest article that its story has now."""
        found = self.read(
            "SELECT former.id, articles.id FROM former JOIN articles USING (row)"
            " WHERE NOT EXISTS (SELECT 1 FROM articles AS live WHERE live.id = former.id)"
            " ORDER BY moment IS NOT NULL, moment DESC, articles.id DESC"
        )
        return dict(found)

    def former_at(self, rows: Sequence[int]) -> list[tuple[str, int]]:
        """The ids that lead to some rows, each with the row."""
        return [(id, row) for id, row in self.select("id, row", "former", "row", rows)]

    def replace_former(self, gone: Collection[int], made: Iterable[tuple[str, int]]) -> None:
        """Let ids lead to rows, and none to those that are gone."""
        self.delete("former", "row", list(gone))
        self.insert("former", ("id", "row"), sorted(set(made)), "INSERT OR IGNORE")

    def forget_former(self, ids: Sequence[str]) -> None:
        """Let some ids lead nowhere."""
        self.delete("former", "id", ids)


_COLUMNS = {"matches": MATCH, "members": Member._fields, "links": LINK}
_SIDES = {
    "matches": {
        "query": "articles",
        "found": "articles",
        "relation IS NOT NULL AND query": "members",
        "relation IS NOT NULL AND found": "members",
    },
    "members": {"row": "articles", "story": "members", "version": "members", "parent": "members"},
    "links": {"later": "members", "earlier": "members"},
}
"""The columns that name articles, and where these must be."""
