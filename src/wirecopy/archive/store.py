"""The store of record: one SQLite file with articles, settings, what was learnt, and the catalogue of index segments.

What is committed here is acknowledged; all else can be made again from it. Any SQLite tool can look at it through the views
`article` (an article with its text), `setting`, `segment` and `formula`, which stay when the tables behind them change.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArchiveError, MismatchError
from ..model import ABOUT, Article, Articles

FORMAT = 1
"""Of the tables; each step up to it is in MIGRATIONS."""
APPLICATION = 0x77637079
"""What says, in the file's head, that it is an archive of ours."""
CACHED_KIB = 16_384
"""Pages of the file that a connection remembers, in KiB."""
MANY = 500
"""Parameters of one statement."""

_COLUMNS = ", ".join(f"{name} TEXT NOT NULL" for name in ABOUT)
_FIELDS = ", ".join(f"nullif({name}, '') AS {name}" for name in ABOUT)


def _make_tables(connection: sqlite3.Connection) -> None:
    for statement in (
        f"""CREATE TABLE articles (row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, moment INTEGER,
            content BLOB NOT NULL, added INTEGER NOT NULL, {_COLUMNS})""",
        "CREATE TABLE texts (row INTEGER PRIMARY KEY, text TEXT NOT NULL)",
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value) WITHOUT ROWID",
        "CREATE TABLE removals (row INTEGER PRIMARY KEY, change INTEGER NOT NULL)",
        """CREATE TABLE segments (number INTEGER PRIMARY KEY AUTOINCREMENT, slice INTEGER, first_row INTEGER NOT NULL,
            last_row INTEGER NOT NULL, articles INTEGER NOT NULL, parts TEXT NOT NULL, sums BLOB NOT NULL, content BLOB)""",
        "CREATE TABLE learnt (name TEXT PRIMARY KEY, value BLOB NOT NULL)",
        """CREATE TABLE formulas (place INTEGER PRIMARY KEY, articles INTEGER NOT NULL, example TEXT NOT NULL,
            article TEXT NOT NULL, sources TEXT NOT NULL)""",
        f"""CREATE VIEW article AS SELECT id, text, {_FIELDS},
            strftime('%Y-%m-%dT%H:%M:%SZ', added / 1000000, 'unixepoch') AS added FROM articles JOIN texts USING (row)""",
        "CREATE VIEW setting AS SELECT name, value FROM settings WHERE typeof(value) <> 'blob'",
        """CREATE VIEW segment AS SELECT number, articles, first_row, last_row,
            CASE WHEN content IS NULL THEN 'file' ELSE 'in here' END AS kept FROM segments""",
        "CREATE VIEW formula AS SELECT articles, example, article, sources FROM formulas ORDER BY place",
        f"PRAGMA application_id = {APPLICATION}",
    ):
        connection.execute(statement)


MIGRATIONS = (_make_tables,)


class Store:
    """A connection to the file. Reads see one moment within `snapshot`; a change is made whole within `change`, or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self.errors("opened"):
            self._connection = sqlite3.connect(
                path, timeout=30, isolation_level=None, check_same_thread=False, cached_statements=64
            )
            self.execute(f"PRAGMA cache_size = -{CACHED_KIB}")
            self._version = -1
            if not self.execute("PRAGMA application_id").fetchone()[0] and self._is_empty():
                return
            found = self.execute("PRAGMA application_id").fetchone()[0]
            if found != APPLICATION:
                raise ArchiveError(f"{path}: expected an archive of wirecopy, got another SQLite file")
            form = self.execute("PRAGMA user_version").fetchone()[0]
            if form > FORMAT:
                raise MismatchError(
                    f"format of the archive {path}",
                    f"up to {FORMAT}",
                    form,
                    "open it with the version of wirecopy that wrote it, or a newer one",
                )

    def _is_empty(self) -> bool:
        with self.errors("read"):
            return not self.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]

    @property
    def is_new(self) -> bool:
        """Whether nothing was ever written, or whoever made it came no further than the tables."""
        return self._is_empty() or self.setting("methods") is None

    def prepare(self) -> None:
        """Bring the tables up to date; only for the writer."""
        with self.errors("written"):
            self.execute("PRAGMA journal_mode = WAL")
            self.execute("PRAGMA synchronous = FULL")
            self.execute("PRAGMA wal_autocheckpoint = 16000")
            before = self.execute("PRAGMA user_version").fetchone()[0]
        for form in range(before, FORMAT):
            with self.change():
                MIGRATIONS[form](self._connection)
                self.execute(f"PRAGMA user_version = {form + 1}")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def errors(self, what: str) -> Iterator[None]:
        """What SQLite complains about, as an ArchiveError with a way out."""
        try:
            yield
        except sqlite3.Error as error:
            raise ArchiveError(f"{self.path}: cannot be {what}: {error}{_way_out(error)}") from error

    def execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run one statement."""
        return self._connection.execute(statement, values)

    def insert(self, table: str, rows: Iterable[Sequence[Any]], columns: int) -> None:
        """Add rows to a table."""
        self._connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})", rows)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All reads see the same moment; one within another is the same."""
        with self.errors("read"):
            if self.is_in_snapshot:
                yield
                return
            try:
                self.execute("BEGIN")
                yield
            finally:
                if self._connection.in_transaction:  # SQLite itself ends it after some errors
                    self.execute("COMMIT")

    @property
    def is_in_snapshot(self) -> bool:
        """Whether reads see one moment only."""
        return self._connection.in_transaction

    @contextmanager
    def change(self) -> Iterator[None]:
        """All that is written is committed at the end, and on disk then; nothing of it is if anything fails."""
        with self.errors("written"):
            try:
                self.execute("BEGIN IMMEDIATE")
                yield
                self.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self.execute("ROLLBACK")
                raise

    def has_changed(self) -> bool:
        """Whether another connection has committed since this was last asked."""
        with self.errors("read"):
            before, self._version = self._version, self.execute("PRAGMA data_version").fetchone()[0]
        return before != self._version

    def setting(self, name: str, default: Any = None) -> Any:
        """What a setting is."""
        with self.errors("read"):
            found = self.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        return found[0] if found else default

    def set(self, name: str, value: Any) -> None:
        """Write a setting."""
        self.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))

    def select(self, columns: str, table: str, by: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The rows of a table in which `by` is one of the values, in any order."""
        found: list[tuple[Any, ...]] = []
        for start in range(0, len(values), MANY):
            some = values[start : start + MANY]
            marks = ", ".join("?" * len(some))
            with self.errors("read"):
                found += self.execute(f"SELECT {columns} FROM {table} WHERE {by} IN ({marks})", some)
        return found

    def delete(self, table: str, by: str, values: Sequence[Any]) -> None:
        """Delete the rows in which `by` is one of the values."""
        self._connection.executemany(f"DELETE FROM {table} WHERE {by} = ?", ((value,) for value in values))

    def texts(self, rows: Sequence[int]) -> list[bytes]:
        """The texts of some articles as UTF-8, in the order asked for; raises KeyError for one that is not there."""
        found = dict(self.select("row, CAST(text AS BLOB)", "texts", "row", rows))
        return [found[row] for row in rows]

    def batch(self, rows: Sequence[int]) -> Articles:
        """Some articles with text and title, without dates, in the order asked for."""
        about, bodies = self.articles(rows), self.texts(rows)
        return Articles(
            [article.id for article in about],
            np.frombuffer(b"".join(bodies), np.uint8),
            np.cumsum([0, *map(len, bodies)]).astype(np.int64),
            np.zeros(len(rows), np.int64),
            about={"title": [article.title or "" for article in about]},
        )

    def articles(self, rows: Sequence[int]) -> list[Article]:
        """Some articles without their texts, in the order asked for."""
        found = {
            row: Article(id, "", **{name: value or None for name, value in zip(ABOUT, values, strict=True)})
            for row, id, *values in self.select(f"row, id, {', '.join(ABOUT)}", "articles", "row", rows)
        }
        return [found[row] for row in rows]


def _way_out(error: sqlite3.Error) -> str:
    message = str(error)
    if "SHM" in getattr(error, "sqlite_errorname", ""):
        return "; make room on the disk: even to read, 32 kB are needed beside it"
    if "full" in message:
        return "; make room on the disk and go on: what was acknowledged is kept"
    if "locked" in message:
        return "; another program is writing to it: try again when it is done"
    if "malformed" in message or "not a database" in message:
        return "; restore it from a backup, or name an archive"
    if "readonly" in message or "unable to open" in message:
        return "; check that file and folder can be written"
    return "; check the disk and try again: what was acknowledged is kept"


def take_lock(path: Path) -> int:
    """Hold the lock of the one writer until the file is closed."""
    place = path.with_name(path.name + "-lock")
    try:
        lock = os.open(place, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            who = os.pread(lock, 32, 0).decode(errors="replace").strip()
            os.close(lock)
            raise
    except BlockingIOError:
        raise ArchiveError(
            f"{path}: another program is writing to it (process {who or 'unknown'}); wait for it to end. Reading is possible"
        ) from None
    except OSError as error:
        raise ArchiveError(
            f"{place}: cannot be locked: {error.strerror}; make room on the disk or check that the file can be written"
        ) from error
    with suppress(OSError):  # who it is only helps the message above
        os.ftruncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
    return lock


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Be the one writer meanwhile."""
    lock = take_lock(path)
    try:
        yield
    finally:
        os.close(lock)
