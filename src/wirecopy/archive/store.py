"""The store of record: one SQLite file with articles, settings, what was learnt, and the catalogue of index segments.

What is committed here is acknowledged; all else can be made again from it. All SQL is here, by table, but for the tables
themselves, which are in `migrations/`. Any SQLite tool can look at it through the views `article` (an article with its text),
`setting`, `segment` and `formula`, which stay when the tables behind them change.
"""

from __future__ import annotations

import operator
import secrets
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..boilerplate import Learnt
from ..errors import ArchiveError
from ..model import ABOUT, UNDATED, Article, Articles, Skipped, count
from .connection import MANY, RESTORE, require_text
from .digests import FIELDS, FORM, find_whole, sum_place
from .learnt import pack, unpack
from .locking import gone
from .segments import BLOCK, Entry, Segment, Stored
from .told import Told

CATALOGUE = ("number", "slice", "first_row", "last_row", "articles", "parts", "sums")
FORMULA = ("place", "articles", "example", "article", "sources")
PROBLEMS = 5
"""The most problems that SQLite is asked to name: a lost page makes one of every value that was on it."""
PASSED = 1 << 18
"""The most rows that are remembered as compared with their checksums: these take 16 MB."""
_CHECKED = ", ".join(
    [
        *("row", "id", "moment", "sum", "content_form", "content"),
        *(f"CAST({name} AS BLOB)" for name in FIELDS if name != "text"),
    ]
)
_DESCRIBED = ", ".join(["row", "id", *ABOUT])
LAST_ROW = np.iinfo(np.int64).max


class Content(NamedTuple):
    """The row of an article, its checksum, and which form that has."""

    row: int
    digest: bytes
    form: int


class Store(Told):
    """The contents of the tables, as values."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._passed: set[int] = set()
        """Rows whose articles were compared with their checksums."""

    @contextmanager
    def beside(self) -> Iterator[Store]:
        """Another connection, which sees what is committed now, whatever this one's snapshot is."""
        self.read("PRAGMA data_version")  # complains if this one is closed
        other = Store(self.file)
        other.path = self.path
        try:
            if other.identity != self.identity:
                raise ArchiveError(gone(self.path))
            yield other
        finally:
            other.close()

    # Settings

    def setting(self, name: str, default: Any = None) -> Any:
        """The value of a setting."""
        found = self.read("SELECT value FROM settings WHERE name = ?", (name,))
        value = found[0][0] if found else default
        if isinstance(default, int) and not isinstance(value, int):
            raise ArchiveError(f"{self.path}: damaged: {name} is no number{RESTORE}")
        return value

    def set(self, name: str, value: Any) -> None:
        """Write a setting."""
        self.execute("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", (name, value))

    def seal(self) -> None:
        """Write a checksum of the numbers that a change may have changed."""
        self.set("numbers_sum", self._sum_numbers())

    def _sum_numbers(self) -> str:
        """The number of the last change, and a checksum of what else is counted; raises TypeError for what is no number."""
        found = [self.setting(name) for name in ("window", "clock", "unlearnt", "removals_since")]
        told = self.setting("told_row")
        found += [] if told is None else [told]  # archives of older formats have none
        numbers = [None if value is None else operator.index(value) for value in found]
        return f"{self.setting('change', 0)} {zlib.crc32(repr(numbers).encode())}"

    def require_sealed(self) -> None:
        """Raise ArchiveError if settings cannot be found by their names, or numbers are others than were written with the last change."""
        with self.snapshot(), self.decoding("its settings"):
            names = [require_text(name) for (name,) in self.read("SELECT name FROM settings")]
            made, now = self.setting("numbers_sum", ""), self._sum_numbers()
            # What was last changed by an older version has the checksum of an earlier change, or none.
            if names != sorted({*names}) or (made != now and made.split()[:1] == now.split()[:1]):
                raise ValueError("clock or counts are not as they were written")

    @property
    def is_new(self) -> bool:
        """Whether it has no settings yet: nothing was written, or only the tables."""
        return self.is_empty() or not self.read("SELECT count(*) FROM settings")[0][0]

    def ensure_name(self) -> None:
        """Draw a name for an archive that has none, by which its index knows it."""
        if self.setting("archive") is None:
            with self.change():
                self.set("archive", secrets.token_hex(8))

    # Articles and texts

    def count(self) -> int:
        """How many articles there are."""
        return int(self.read("SELECT count(*) FROM articles")[0][0])

    def rows_of(self, ids: Sequence[object]) -> dict[str, int]:
        """The row of each of the ids that occurs."""
        return dict(self.select("id, row", "articles", "id", ids))

    def all_ids(self) -> dict[str, int]:
        """The row of every id."""
        found = self.read("SELECT id, row FROM articles")
        with self.decoding("an id"):
            return {require_text(id): row for id, row in found}

    def ids_of(self, rows: Sequence[int]) -> list[str]:
        """The ids of some rows, in the order of the rows given."""
        found = dict(self.select("row, id", "articles", "row", rows))
        with self.decoding("an article"):
            return [require_text(found[row]) for row in rows]

    def named(self, rows: Sequence[int]) -> dict[int, str]:
        """The ids of some rows, compared with their checksums; raises ArchiveError."""
        found = {row: (id, moment, made) for row, id, moment, made in self._places(rows)}
        with self.decoding("an article"):
            if any(made not in (None, sum_place(row, *place)) for row, (*place, made) in found.items()):
                raise ValueError("not as it was added")
            return {row: require_text(found[row][0]) for row in rows}

    def _places(self, rows: Sequence[int]) -> list[tuple[Any, ...]]:
        return self.select("row, id, moment, sum", "articles", "row", rows)

    def sources_of(self, rows: Sequence[int]) -> dict[int, str]:
        """The source of each of some rows, "" where none is known."""
        return dict(self.select("row, source", "articles", "row", rows))

    def addresses_of(self, rows: Sequence[int]) -> list[str]:
        """The addresses of some rows, in the order of the rows given, "" where none is known."""
        found = dict(self.select("row, url", "articles", "row", sorted(set(rows))))
        self._require_all(rows, found)
        return [found[row] for row in rows]

    def contents(self, ids: Sequence[str]) -> dict[str, Content]:
        """The content of each of the ids that occurs."""
        found = self.select("id, row, content, content_form", "articles", "id", ids)
        return {id: Content(*content) for id, *content in found}

    def moments(self, first_row: int = 0, last_row: int = LAST_ROW) -> list[tuple[int, int | None]]:
        """The rows between two, both included, sorted, each with its moment."""
        query = "SELECT row, moment FROM articles WHERE row BETWEEN ? AND ? ORDER BY row"
        return self.read(query, (first_row, last_row))

    def moments_at(self, rows: Sequence[int]) -> dict[int, int | None]:
        """The moment of each of some rows."""
        return dict(self.select("row, moment", "articles", "row", rows))

    def span(self) -> tuple[int | None, int | None]:
        """The first and the last moment of all articles, each of which is compared with its checksum."""
        number, altered, may_lack = 0, 0, self._may_lack_sums
        with self.snapshot(), self.decoding("an article"):
            for row, id, moment, made in self.execute(
                "SELECT row, id, moment, sum FROM articles NOT INDEXED"
            ):
                number += 1
                if made != sum_place(row, id, moment) and not (made is None and may_lack):
                    altered += 1
            self.require_count(number)
            if altered:
                raise ArchiveError(f"{self.path}: damaged: {count(altered)} with another id or date{RESTORE}")
            # To SQLite, whatever is no number is greater than any.
            [ends] = self.read("SELECT min(moment), max(moment) FROM articles NOT INDEXED")
            first, last = (None if moment is None else operator.index(moment) for moment in ends)
            return first, last

    def all_articles(self, skip: Callable[[Skipped], object] | None = None) -> Iterator[Article]:
        """All articles with their texts, the earliest first, the undated last.

        One that is not as it was added is left out and told to `skip`; without that, ArchiveError is raised.
        """
        found = self.execute("SELECT row FROM articles NOT INDEXED ORDER BY moment IS NULL, moment, id")
        order = list(dict.fromkeys(row for (row,) in found))
        if skip is None:
            self.require_count(len(order))
        elif lost := self._miscount(len(order)):
            skip(Skipped(str(self.path), lost))
        for start in range(0, len(order), MANY):
            rows = order[start : start + MANY]
            altered = self.find_altered(rows)
            for row, what in altered.items():
                if skip is None:
                    raise ArchiveError(f"{self.path}: {what}{RESTORE}")
                skip(Skipped(f"{self.path} row {row}", what))
            self._passed.update(rows)
            whole = [row for row in rows if row not in altered]
            with self.decoding("an article"):
                yield from self.whole_articles(whole)
            self._passed.clear()

    def require_count(self, number: int) -> None:
        """Raise ArchiveError unless that many articles are found by their ids: else some were lost."""
        if lost := self._miscount(number):
            raise ArchiveError(f"{self.path}: damaged: {lost}{RESTORE}")

    def _miscount(self, number: int) -> str:
        named = self.count()
        return "" if number == named else f"{number:,} articles and {named:,} of their ids are there"

    def add_articles(self, batch: Articles, rows: Mapping[int, int], contents: Sequence[bytes]) -> None:
        """Add articles of a batch under new rows, given by their places in it."""
        edges, moments, data = batch.offsets.tolist(), batch.published.tolist(), batch.text.data
        added = time.time_ns() // 1000
        columns = [batch.about.get(name) or [""] * len(batch) for name in ABOUT]
        self.insert(
            "articles",
            ("row", "id", "moment", "sum", "content", "content_form", "added", *ABOUT),
            (
                (
                    *(row, batch.ids[place], moment, sum_place(row, batch.ids[place], moment)),
                    *(contents[place], FORM, added, *(column[place] for column in columns)),
                )
                for place, row in rows.items()
                for moment in [None if moments[place] == UNDATED else moments[place]]
            ),
        )
        bodies = ((row, str(data[edges[at] : edges[at + 1]], "utf-8")) for at, row in rows.items())
        self.insert("texts", ("row", "text"), bodies)
        self.set("unlearnt", self.setting("unlearnt", 0) + len(rows))

    def remove_articles(self, rows: Sequence[int]) -> None:
        """Remove articles, and note that for readers."""
        change = self.setting("change", 0)
        for table in ("articles", "texts"):
            self.delete(table, "row", rows)
        self.insert("removals", ("row", "change"), ((row, change) for row in rows))
        self.set("unlearnt", self.setting("unlearnt", 0) + len(rows))

    def removed_since(self, change: int) -> NDArray[np.uint64]:
        """The rows that were removed after the change of this number."""
        found = self.execute("SELECT row FROM removals WHERE change > ?", (change,)).fetchall()
        return np.array(found, np.uint64).ravel()

    def forget_removals(self, change: int) -> None:
        """Forget what was removed up to the change of this number; a reader that is further behind starts again."""
        self.execute("DELETE FROM removals WHERE change <= ?", (change,))
        self.set("removals_since", change)

    def texts(self, rows: Sequence[int]) -> list[bytes]:
        """The texts of some articles as UTF-8, in the order of the rows given.

        Each article is compared with its checksums when this first reads it. Raises ArchiveError for an article that is gone, or not as it
        was added.
        """
        with self.snapshot():
            found = dict(self.select("row, CAST(text AS BLOB)", "texts", "row", rows))
            self._require_all(rows, found)
            fresh = [row for row in rows if row not in self._passed]
            for what in (self.find_altered(fresh, found) if fresh else {}).values():
                raise ArchiveError(f"{self.path}: {what}{RESTORE}")
        if len(self._passed) + len(fresh) > PASSED:
            self._passed.clear()
        self._passed.update(fresh)
        return [found[row] for row in rows]

    def _require_all(self, rows: Sequence[int], found: Mapping[int, object]) -> None:
        """Raise ArchiveError if an article that an answer speaks of is not among those found."""
        if not found.keys() >= set(rows):
            said = "an article of this answer was removed since, or lost; ask again, within Archive.at_one_moment"
            raise ArchiveError(f"{self.path}: {said} if others write meanwhile, or see wirecopy verify")

    def find_altered(self, rows: Sequence[int], bodies: Mapping[int, bytes] | None = None) -> dict[int, str]:
        """Those of some rows whose article is not as it was added, each with what is said of it."""
        if bodies is None:
            bodies = dict(self.select("row, CAST(text AS BLOB)", "texts", "row", rows))
        found = self.select(_CHECKED, "articles", "row", rows)
        altered = dict.fromkeys(rows, "an article is damaged or gone")
        with self.decoding("an article"):
            # Those of older formats have no sum: their ids are compared with the index of ids.
            may_lack = self._may_lack_sums
            named = self.rows_of([id for _, id, _, made, *_ in found if made is None]) if may_lack else {}
            for row in find_whole(found, bodies, named):
                del altered[row]
        ids = {one[0]: one[1] for one in found} if altered else {}
        return {
            row: f"the article {ids[row]!r} changed since being added" if row in ids else what
            for row, what in altered.items()
        }

    @property
    def _may_lack_sums(self) -> bool:
        """Whether the archive is of an older format, in which rows had no sum; newer ones also sum up what they were made with."""
        return self.setting("made_with") is None

    def articles(self, rows: Sequence[int]) -> list[Article]:
        """Some articles without their texts, in the order of the rows given."""
        with self.decoding("an article"):
            found = {
                row: Article(require_text(id), "", *[require_text(value) or None for value in values])
                for row, id, *values in self.select(_DESCRIBED, "articles", "row", rows)
            }
        self._require_all(rows, found)
        return [found[row] for row in rows]

    def whole_articles(self, rows: Sequence[int]) -> list[Article]:
        """Some articles with their texts, in the order of the rows given, compared with their checksums as by `texts`."""
        pairs = zip(self.articles(rows), self.texts(rows), strict=True)
        return [replace(article, text=body.decode()) for article, body in pairs]

    def find_damage(self) -> list[str]:
        """What is wrong with the file, in words: damage, articles without text, articles changed since they were added."""
        with self.snapshot():
            found = self.execute(f"PRAGMA integrity_check({PROBLEMS})")
            problems = [" ".join(said.split()) for (said,) in found if said != "ok"]
            orphans = "SELECT count(*) FROM articles LEFT JOIN texts USING (row) WHERE text IS NULL"
            if lost := self.execute(orphans).fetchone()[0]:
                problems.append(f"{count(lost)} without text")
            if altered := self._count_altered():
                problems.append(f"{count(altered)} changed since being added; restore a backup")
        return [f"{self.path}: {problem}" for problem in problems]

    def _count_altered(self) -> int:
        rows = [row for (row,) in self.execute("SELECT row FROM articles NOT INDEXED JOIN texts USING (row)")]
        parts = (rows[start : start + MANY] for start in range(0, len(rows), MANY))
        return sum(len(self.find_altered(part)) for part in parts)

    # Segments

    def entries(self) -> list[Entry]:
        """The catalogue, sorted by rows."""
        found = self.read(f"SELECT {', '.join(CATALOGUE)} FROM segments ORDER BY first_row")
        with self.decoding("the catalogue of segments"):
            return [Entry.read(row) for row in found]

    def segment_contents(self, numbers: Sequence[int]) -> dict[int, bytes | None]:
        """The bytes of each of the segments that is in the catalogue; None for one that is a file."""
        return dict(self.select("number, content", "segments", "number", numbers))

    def segments_outside(self) -> list[int]:
        """The numbers of the segments that are files."""
        return [number for (number,) in self.read("SELECT number FROM segments WHERE content IS NULL")]

    def segments_inside(self, least_bytes: int) -> list[int]:
        """The numbers of the segments in the store that have so many bytes."""
        query = "SELECT number FROM segments WHERE length(content) >= ?"
        return [number for (number,) in self.read(query, (least_bytes,))]

    def fill_segment(self, segment: Segment) -> None:
        """Put the bytes of a segment that is a file into the store."""
        number = segment.entry.number
        self.execute(
            "UPDATE segments SET content = zeroblob(?) WHERE number = ?", (segment.entry.bytes, number)
        )
        with self._connection.blobopen("segments", "content", number) as blob:
            for part in segment.parts:
                for start in range(0, len(part.content), BLOCK):
                    blob.write(part.content[start : start + BLOCK].tobytes())

    def replace_segments(self, gone: Sequence[int], made: Iterable[Stored]) -> None:
        """Take segments out of the catalogue, by their numbers, and put others in, each with its bytes unless it is a file."""
        self.delete("segments", "number", gone)
        rows = ((*entry.row(), content) for entry, content in made)
        self.insert("segments", (*CATALOGUE, "content"), rows)

    # What was learnt

    def learnt(self) -> Learnt:
        """The boilerplate, and which slots vary, as they were last learnt."""
        with self.decoding("the boilerplate"):
            made = self.setting("learnt_sum")
            if made is not None and made != self._sum_learnt():
                raise ValueError("not as it was learnt")
            return unpack(*self._read_learnt())

    def _read_learnt(self) -> tuple[list[Any], list[Any]]:
        stored = self.read("SELECT name, value FROM learnt ORDER BY name")
        return stored, self.read(f"SELECT {', '.join(FORMULA)} FROM formulas ORDER BY place")

    def _sum_learnt(self) -> str:
        """When it was learnt, and a checksum of what."""
        stored, formulas = self._read_learnt()
        return f"{self.setting('learnt_change', -1)} {zlib.crc32(repr(stored + formulas).encode())}"

    def set_learnt(self, learnt: Learnt, unlearnt: int = 0) -> None:
        """Write what was learnt, and how many articles it was learnt without."""
        self.execute("DELETE FROM learnt")
        self.execute("DELETE FROM formulas")
        values, formulas = pack(learnt)
        self.insert("learnt", ("name", "value"), values)
        self.insert("formulas", FORMULA, formulas)
        self.set("unlearnt", unlearnt)
        self.set("learnt_change", self.setting("change", 0))
        self.set("learnt_sum", self._sum_learnt())
