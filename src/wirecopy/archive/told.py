"""What articles share and the stories that this makes, as the tables of the store keep them.

All of it is derived from the articles and can be told again; only `former` and `heirs`, which articles that began a story have expired
and who carries it on, are history. Articles are known by their rows. Each row of these tables has a checksum: what is not as it was written is told anew.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
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
PASSAGE = ("query_start", "query_end", "found_start", "found_end", "words", "changed", "same", "other")
"""The columns of a passage as they are stored: others, or another order, need a migration that forgets what was told."""
_RELATIONS: Sequence[str | None] = [*map(str, RELATIONS), None]
"""What is stored of a relation, by its code: -1 is none."""
_CODES = {name: code for code, name in enumerate(_RELATIONS[:-1])} | {None: -1}
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
        """The pairs as values to store, and their checksums, in the order of their table."""
        ordered = self.take(np.lexsort((self.founds, self.queries)))
        compared = ordered.compared
        columns = [getattr(compared.passages, name) for name in PASSAGE]
        packed = np.column_stack(columns).astype("<u4").tobytes()
        edges = (compared.passage_offsets * (4 * len(PASSAGE))).tolist()
        return zip(
            ordered.queries.tolist(),
            ordered.founds.tolist(),
            [_RELATIONS[code] for code in compared.relation.tolist()],
            compared.query_covered.tolist(),
            compared.found_covered.tolist(),
            compared.resemblance.tolist(),
            ordered.nominated.tolist(),
            [packed[start:end] for start, end in pairwise(edges)],
            ordered._sums().tolist(),
            strict=True,
        )

    def _sums(self) -> NDArray[np.int64]:
        """The checksum of each pair."""
        compared, offsets = self.compared, self.compared.passage_offsets
        places = np.arange(len(compared.passages)) - offsets[compared.pairs]
        passages = _mix([places, *(getattr(compared.passages, name) for name in PASSAGE)])
        added_up = np.append(np.zeros(1, np.uint64), np.cumsum(passages))[offsets]
        shares = compared.query_covered, compared.found_covered, compared.resemblance
        columns = self.queries, self.founds, compared.relation, *shares, self.nominated, np.diff(added_up)
        return (_mix(columns) >> np.uint64(33)).astype(np.int64)

    @staticmethod
    def read(rows: Sequence[Row]) -> Shared:
        """The pairs, from values that were stored with their checksums; raises AlteredError."""
        if not rows:
            return NOTHING_SHARED
        try:
            shared, made = Shared._read(rows)
            altered = np.flatnonzero(shared._sums() != made)
        except (LookupError, ValueError, TypeError, ArithmeticError):
            raise AlteredError from None
        _checked(rows[row] for row in altered.tolist())  # as pairs were summed up before
        return shared

    @staticmethod
    def _read(rows: Sequence[Row]) -> tuple[Shared, NDArray[np.int64]]:
        queries, founds, relations, *floats, nominated, packed, made = zip(*rows, strict=True)
        mine, theirs, resemblance = (np.array(one, np.float64) for one in floats)
        values = np.frombuffer(b"".join(packed), "<u4").astype(np.uint32).reshape(-1, len(PASSAGE))
        sizes = [len(one) // (4 * len(PASSAGE)) for one in packed]
        compared = Compared(
            np.array([_CODES[one] for one in relations], np.int8),
            *(mine, theirs, resemblance),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            Passages(**dict(zip(PASSAGE, np.ascontiguousarray(values.T), strict=True))),
            np.zeros(len(rows), np.uint8),
            np.zeros(len(rows) + 1, np.int64),
            NO_SLOTS,
        )
        one, other, by, sums = (np.array(column, np.int64) for column in (queries, founds, nominated, made))
        return Shared(one, other, by, compared), sums


_NONE = np.empty(0, np.int64)
NOTHING_SHARED = Shared(_NONE, _NONE, _NONE, NOT_COMPARED)


_MIX = np.uint64(0x9E3779B97F4A7C15)


def _mix(columns: Iterable[NDArray[Any]]) -> NDArray[np.uint64]:
    """One number for the values of each row."""
    mixed = np.zeros(1, np.uint64)
    for column in columns:
        bits = column.view(np.uint64) if column.dtype.kind == "f" else column.astype(np.uint64)
        mixed = (mixed ^ bits) * _MIX
        mixed ^= mixed >> np.uint64(32)
    return mixed


def _sum(values: Sequence[Any]) -> int:
    return zlib.crc32(repr(tuple(values)).encode())  # a Member names its fields


def _checked(found: Iterable[Row]) -> list[Row]:
    """Rows without their checksums, which are their last values; raises AlteredError."""
    rows = []
    for one in found:
        values = one[:-1]
        if one[-1] != _sum(values):
            raise AlteredError
        rows.append(values)
    return rows


class Told(Connection):
    """The contents of these tables, as values."""

    def _insert_summed(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        summed = ((*row, _sum(row)) for row in rows)
        self.insert(table, (*columns, "sum"), summed, "INSERT OR REPLACE")

    def all_shared(self) -> Shared:
        """All pairs; raises AlteredError."""
        return Shared.read(self.read(f"SELECT {', '.join(MATCH)}, sum FROM matches NOT INDEXED"))

    def shared_by(self, rows: Sequence[int], sides: Sequence[str] = ("query", "found")) -> Shared:
        """The pairs that some articles are in, or are on one side of; raises AlteredError."""
        columns = f"{', '.join(MATCH)}, sum"
        found = {one[:2]: one for side in sides for one in self.select(columns, "matches", side, rows)}
        return Shared.read(list(found.values()))

    def add_shared(self, shared: Shared) -> None:
        """Add pairs."""
        self.insert("matches", (*MATCH, "sum"), shared.rows(), "INSERT OR REPLACE")

    def all_members(self) -> list[Member]:
        """All articles that share something; raises AlteredError."""
        return self._members(self.read(f"SELECT {', '.join(Member._fields)}, sum FROM members NOT INDEXED"))

    def members(self, by: str, values: Sequence[int]) -> dict[int, Member]:
        """Those whose `row` or `story` is one of the values, by row; raises AlteredError."""
        found = self.select(f"{', '.join(Member._fields)}, sum", "members", by, values)
        return {one.row: one for one in self._members(found)}

    def stories_of(self, rows: Sequence[int]) -> dict[int, int]:
        """The first article of the story of each of some articles, which is itself if it shares nothing; raises AlteredError."""
        known = self.members("row", rows)
        alone = [row for row in rows if row not in known]
        for side in ("query", "found") if alone else ():
            if any(relation for (relation,) in self.select("relation", "matches", side, alone)):
                raise AlteredError
        return {row: known[row].story if row in known else row for row in rows}

    def list_stories(self, before: int | None, most: int) -> list[int]:
        """The first articles of some stories of two or more, the last that came first, those before that of a row."""
        within, values = ("WHERE story < ?", (before,)) if before is not None else ("", ())
        query = f"SELECT story FROM members {within} GROUP BY story HAVING count(*) > 1 ORDER BY story DESC LIMIT ?"
        return [row for (row,) in self.read(query, (*values, most))]

    def _members(self, found: Iterable[Row]) -> list[Member]:
        return [Member(*values) for values in _checked(found)]

    def replace_members(self, gone: Collection[int], made: Iterable[Member]) -> None:
        """Put what is told of articles in the place of what was."""
        self.delete("members", "row", list(gone))
        self._insert_summed("members", Member._fields, made)

    def all_links(self) -> list[Row]:
        """All links between stories; raises AlteredError."""
        return _checked(self.read(f"SELECT {', '.join(LINK)}, sum FROM links NOT INDEXED"))

    def replace_links(self, stories: Collection[int], made: Iterable[Row]) -> None:
        """Put links in the place of those that some stories have."""
        for side in ("later", "earlier"):
            self.delete("links", side, list(stories))
        self._insert_summed("links", LINK, made)

    def links_of(self, stories: Sequence[int]) -> list[Row]:
        """The links that some stories have; raises AlteredError."""
        columns = f"{', '.join(LINK)}, sum"
        found = {
            one[:3]: one
            for side in ("later", "earlier")
            for one in self.select(columns, "links", side, stories)
        }
        return _checked(found.values())

    def add_links(self, made: Iterable[Row]) -> None:
        """Add links, but for those that there are."""
        self.insert("links", (*LINK, "sum"), ((*row, _sum(row)) for row in made), "INSERT OR IGNORE")

    def count_members(self, stories: Sequence[int]) -> int:
        """How many articles some stories have together."""
        return sum(number for (number,) in self.select("count(*)", "members", "story", stories))

    def count_versions(self, stories: Sequence[int]) -> dict[int, int]:
        """How many articles each version of some stories has."""
        return dict(Counter(version for (version,) in self.select("version", "members", "story", stories)))

    def last_numbers(self, stories: Sequence[int]) -> dict[int, int]:
        """The number of the last version of each of some stories."""
        found = sorted(self.select("story, number", "members", "story", stories))
        return dict(found)

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

    def count_told(self) -> str:
        """How many rows each of these tables has."""
        counts = (self.read(f"SELECT count(*) FROM {table} NOT INDEXED")[0][0] for table in _SIDES)
        return " ".join(map(str, counts))

    def find_untold(self, summed: Collection[str] = ("matches", "members", "links")) -> list[str]:
        """What is wrong with these tables, in words: rows that are not as they were written, in some of them, or stray."""
        problems = []
        read_all = {"matches": self.all_shared, "members": self.all_members, "links": self.all_links}
        for table, sides in _SIDES.items():
            try:
                if table in summed:
                    read_all[table]()
            except AlteredError:
                problems.append(f"{table}: not as they were written")
                continue
            strays = " OR ".join(
                f"{side} NOT IN (SELECT row FROM {within})" for side, within in sides.items()
            )
            if self.read(f"SELECT count(*) FROM {table} WHERE {strays}")[0][0]:
                problems.append(f"{table}: of articles of which nothing is told")
        return problems

    # Articles that began a story and have expired. All that began one after the other are of one line, whose heirs carry the story on.

    def former(self, ids: Sequence[str] | None = None) -> dict[str, str]:
        """By the id of each of them, or of some, that of the earliest article that carries its story on."""
        table = "former JOIN heirs USING (line) JOIN articles USING (row)"
        columns = "former.id, articles.id, moment"
        found = (
            self.read(f"SELECT {columns} FROM {table}")
            if ids is None
            else self.select(columns, table, "former.id", ids)
        )
        earliest: dict[str, tuple[bool, int, str]] = {}
        for id, heir, moment in found:
            place = moment is None, moment or 0, heir
            earliest[id] = min(place, earliest.get(id, place))
        live = {id for (id,) in self.select("id", "articles", "id", list(earliest))}
        return {id: place[2] for id, place in earliest.items() if id not in live}

    def lines_at(self, rows: Sequence[int]) -> list[tuple[int, int]]:
        """The lines that some articles carry on, each with the row."""
        return [(line, row) for line, row in self.select("line, row", "heirs", "row", rows)]

    def heirs_of(self, lines: Sequence[int]) -> list[tuple[int, int]]:
        """The articles that carry some lines on, each with its line."""
        return [(line, row) for line, row in self.select("line, row", "heirs", "line", lines)]

    def replace_heirs(self, gone: Sequence[int], made: Iterable[tuple[int, int]]) -> None:
        """Let others carry lines on than those that are gone; a line that nobody carries on ends."""
        lines = sorted({line for line, _ in self.lines_at(gone)})
        self.delete("heirs", "row", gone)
        self.insert("heirs", ("line", "row"), sorted(set(made)), "INSERT OR IGNORE")
        left = {line for line, _ in self.heirs_of(lines)}
        self.delete("former", "line", [line for line in lines if line not in left])

    def add_former(self, id: str, line: int | None, heirs: Iterable[int]) -> None:
        """Let an id lead to heirs, by a line that has them already or by a new one."""
        if line is None:
            [(line,)] = self.read(
                "SELECT max((SELECT coalesce(max(line), 0) FROM heirs), (SELECT coalesce(max(line), 0) FROM former)) + 1"
            )
            self.insert("heirs", ("line", "row"), [(line, row) for row in heirs])
        self.insert("former", ("id", "line"), [(id, line)], "INSERT OR REPLACE")

    def forget_former(self, ids: Sequence[str]) -> None:
        """Let some ids lead nowhere."""
        self.delete("former", "id", ids)
