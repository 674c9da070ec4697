"""A connection to the SQLite file of an archive: where that is, its format, snapshots, changes and errors.

A file is known by what it is: its path is made absolute, links are followed, and no change is acknowledged once another stands there.

The tables change by migration only. Migration N is `migrations/N.sql`: it makes format N of the one before, in a transaction of its own,
and is never edited once an archive may have gone through it.
"""

from __future__ import annotations

import ctypes
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote
from weakref import WeakSet

from ..errors import ArchiveError, MismatchError, WirecopyError
from .locking import close_kept, gone, identify, opening

MIGRATIONS = resources.files(__package__).joinpath("migrations")
FORMAT = sum(file.name.endswith(".sql") for file in MIGRATIONS.iterdir())
"""The format of the tables after all migrations."""
APPLICATION = 0x77637079
"""The number in the head of the file that marks it as an archive."""
COPIED_PAGES = 4096
"""How many pages are copied between two words on how far that is."""
RESTORE = "; restore it from a backup, or take what is whole: wirecopy export OLD | wirecopy add NEW -"
"""The way out of damage."""
MANY = 500
"""The most rows that are read at a time, and parameters of one statement."""
CACHED_KIB = 16_384
"""The size of a connection's page cache, in KiB."""
COMPLAINTS = sqlite3.Error, UnicodeDecodeError
"""What SQLite raises; its own message may quote what is damaged, and then cannot be decoded."""


class Connection:
    """An open SQLite file: within `snapshot` all reads see one moment, within `change` all is written or nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        """As it was given, for messages."""
        self.file = Path(os.path.realpath(path))
        self._names = str(self.file), f"{self.file}-wal"
        self._frozen: object = None
        """What tells whether a file that is read without locks has changed."""
        before = identify(self.file)
        with self.errors("opened"):
            self._connection = self._connect()
            found = identify(self.file)
            if found is None or before not in (None, found):
                raise ArchiveError(gone(path))
            self.identity = found
            self._log: object = None
            _open.add(self)
            self.execute(f"PRAGMA cache_size = -{CACHED_KIB}")
            self.execute("PRAGMA synchronous = FULL")
            self._version = -1
            [(found,)] = self.execute("PRAGMA application_id")
            if not found and self.is_empty():
                return
            if found != APPLICATION:
                raise ArchiveError(f"{path}: expected an archive of wirecopy, got another SQLite file")
            if self.format > FORMAT:
                raise MismatchError(
                    f"format of the archive {path}",
                    f"up to {FORMAT}",
                    self.format,
                    "open it with the version of wirecopy that wrote it, or a newer one",
                )

    def _connect(self) -> sqlite3.Connection:
        """Open the file; where SQLite cannot keep its log beside it and there is none, without locks."""
        with opening():
            connection = _connect(str(self.file))
        try:
            connection.execute("SELECT count(*) FROM sqlite_schema")
        except sqlite3.OperationalError:
            if os.access(self.file.parent, os.W_OK) or not os.access(self.file, os.R_OK):
                raise
            connection.close()
            if self._log_bytes():
                raise ArchiveError(
                    f"{self.path}: cannot be opened: it has a log, {self.file.name}-wal, and the folder cannot be written; "
                    "copy both to a folder that can be"
                ) from None
            with opening():
                connection = _connect(f"file:{quote(str(self.file))}?immutable=1", uri=True)
            self._frozen = self._stamp()
        return connection

    def _log_bytes(self) -> int:
        try:
            return Path(self._names[1]).stat().st_size
        except OSError:
            return 0

    def _stamp(self) -> object:
        known = self.file.stat()
        return known.st_ino, known.st_size, known.st_mtime_ns, self._log_bytes()

    @property
    def bytes(self) -> int:
        """The size of the file and its log."""
        return self.file.stat().st_size + self._log_bytes()

    def require_here(self) -> None:
        """Raise ArchiveError if the path leads no longer to the file that is open, or to its log."""
        file, log = map(identify, self._names)
        self._log = self._log or log
        if file != self.identity or log != self._log:
            raise ArchiveError(gone(self.path))

    def is_empty(self) -> bool:
        """Whether nothing was ever written."""
        return not self.read("SELECT count(*) FROM sqlite_schema")[0][0]

    @property
    def format(self) -> int:
        """The format of the tables, 0 before there are any."""
        return int(self.read("PRAGMA user_version")[0][0])

    def prepare(self) -> None:
        """Bring the tables up to date; only for the writer."""
        with self.errors("written"):
            self.execute("PRAGMA journal_mode = WAL")
            self.execute("PRAGMA wal_autocheckpoint = 4000")
        for number in range(self.format + 1, FORMAT + 1):
            with self.change():
                for statement in MIGRATIONS.joinpath(f"{number}.sql").read_text("utf-8").split(";\n"):
                    self.execute(statement)
                self.execute(f"PRAGMA user_version = {number}")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        _open.discard(self)
        close_kept(self.identity)

    def leave_to_parent(self) -> None:
        """In a process that was forked: SQLite allows no use of what was open before, not even to close it."""
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._connection))
        self._connection = cast(sqlite3.Connection, _Forked(self.path))

    def copy_to(self, other: Connection, told: Callable[[int, int], object] | None = None) -> None:
        """Copy all pages into an empty file, as this one's snapshot sees them; `told` how many of how many."""

        def tell(_: int, left: int, pages: int) -> None:
            if told:
                told(pages - left, pages)

        try:
            self._connection.backup(other._connection, pages=COPIED_PAGES, progress=tell)
        except COMPLAINTS as error:
            is_written = any(one in getattr(error, "sqlite_errorname", "") for one in _WRITING)
            raise (other._tell(error, "written") if is_written else self._tell(error, "read")) from error

    @contextmanager
    def errors(self, what: str) -> Iterator[None]:
        """Raise what SQLite complains about as an ArchiveError with a way out."""
        try:
            yield
        except COMPLAINTS as error:
            raise self._tell(error, what) from error

    def _tell(self, error: sqlite3.Error | UnicodeDecodeError, what: str) -> ArchiveError:
        said = " ".join(str(error).split())
        return ArchiveError(f"{self.path}: cannot be {what}: {said}{_way_out(error)}")

    @contextmanager
    def decoding(self, what: str) -> Iterator[None]:
        """Raise whatever comes of values that nobody wrote as an ArchiveError with a way out."""
        try:
            yield
        except WirecopyError:
            raise
        except (LookupError, ValueError, TypeError, ArithmeticError, AttributeError) as error:
            raise ArchiveError(f"{self.path}: damaged: {what} cannot be read: {error!r}{RESTORE}") from error

    def execute(self, statement: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> sqlite3.Cursor:
        """Run one statement."""
        return self._connection.execute(statement, values)

    def read(self, statement: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        """The rows that a statement gives; raises ArchiveError."""
        try:  # not by `errors`, whose generator takes longer than many a statement
            return self._connection.execute(statement, values).fetchall()
        except COMPLAINTS as error:
            raise self._tell(error, "read") from error

    def insert(
        self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], verb: str = "INSERT"
    ) -> None:
        """Add rows to a table."""
        marks = ", ".join("?" * len(columns))
        self._connection.executemany(f"{verb} INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)

    def select(self, columns: str, table: str, by: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The rows of a table in which `by` is one of the values, in any order."""
        found: list[tuple[Any, ...]] = []
        for start in range(0, len(values), MANY):
            some = values[start : start + MANY]
            marks = ", ".join("?" * len(some))
            found += self.read(f"SELECT {columns} FROM {table} WHERE {by} IN ({marks})", some)
        return found

    def delete(self, table: str, by: str, values: Sequence[Any]) -> None:
        """Delete the rows in which `by` is one of the values."""
        self._connection.executemany(f"DELETE FROM {table} WHERE {by} = ?", ((value,) for value in values))

    def next_number(self, table: str) -> int:
        """The next number of a table whose numbers are never used again."""
        found = self.read("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
        with self.decoding(f"the number of {table}"):
            return int(found[0][0]) + 1 if found else 1

    def shrink(self) -> None:
        """Give room back to the disk."""
        with self.errors("written"):
            self.execute("VACUUM")
            self.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads see one moment; a snapshot within another sees that of the other."""
        with self.errors("read"):
            if self._connection.in_transaction:
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
        """Whether a snapshot or a change is open."""
        with self.errors("read"):
            return self._connection.in_transaction

    @contextmanager
    def change(self) -> Iterator[None]:
        """Commit all that is written, so that it is on disk at the end; nothing is written if anything fails."""
        with self.errors("written"):
            try:
                self.execute("BEGIN IMMEDIATE")
                self.require_here()
                yield
                self.execute("COMMIT")
                self.require_here()
            except BaseException:
                if self._connection.in_transaction:
                    self.execute("ROLLBACK")
                raise

    def has_changed(self) -> bool:
        """Whether another connection has committed since this was last asked."""
        if self._frozen and self._frozen != self._stamp():
            raise ArchiveError(f"{self.path}: changed while it was read without locks; open it again")
        before, self._version = self._version, self.read("PRAGMA data_version")[0][0]
        return before != self._version


def require_text(value: Any) -> str:
    """A text, where nothing else can have been written; raises TypeError."""
    if not isinstance(value, str):
        raise TypeError(f"expected text, got {value!r:.40}")
    return value


def _connect(name: str, *, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(
        name, timeout=30, isolation_level=None, check_same_thread=False, cached_statements=64, uri=uri
    )


_DAMAGED = ("malformed", "not a database", "Could not decode")
_WRITING = ("FULL", "WRITE", "FSYNC", "TRUNCATE", "READONLY")
"""What the names of errors hold that come of writing."""


def _way_out(error: sqlite3.Error | UnicodeDecodeError) -> str:
    message = str(error)
    if "SHM" in getattr(error, "sqlite_errorname", ""):
        return "; make room on the disk: even to read, 32 kB are needed beside it"
    if "full" in message:
        return "; make room on the disk and go on: what was acknowledged is kept"
    if "locked" in message:
        return "; another program is writing to it: try again when it is done"
    if isinstance(error, UnicodeDecodeError) or any(one in message for one in _DAMAGED):
        return f"{RESTORE}, or name an archive"
    if "readonly" in message or "unable to open" in message:
        return "; check that file and folder can be written"
    return "; check the disk and try again: what was acknowledged is kept"


class _Forked:
    """What stands in for a connection in a process that was forked since it was opened."""

    in_transaction = False

    def __init__(self, path: Path) -> None:
        self._path = path

    def close(self) -> None:
        """Do nothing: it is the parent's."""

    def __getattr__(self, name: str) -> Any:
        raise ArchiveError(f"{self._path}: opened before this process was forked; open it again in this one")


_open: WeakSet[Connection] = WeakSet()


def _leave_to_parent() -> None:
    for connection in list(_open):
        connection.leave_to_parent()


os.register_at_fork(after_in_child=_leave_to_parent)
