"""A connection to the SQLite file of an archive: its format, snapshots, changes and errors; and the writer's lock.

The tables change by migration only. Migration N is `migrations/N.sql`: it makes format N of the one before, in a transaction of its own,
and is never edited once an archive may have gone through it.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import resources
from pathlib import Path
from typing import Any

from ..errors import ArchiveError, MismatchError

MIGRATIONS = resources.files(__package__).joinpath("migrations")
FORMAT = sum(file.name.endswith(".sql") for file in MIGRATIONS.iterdir())
"""The format of the tables after all migrations."""
APPLICATION = 0x77637079
"""The number in the head of the file that marks it as an archive."""
CACHED_KIB = 16_384
"""The size of a connection's page cache, in KiB."""


class Connection:
    """An open SQLite file: within `snapshot` all reads see one moment, within `change` all is written or nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self.errors("opened"):
            self._connection = sqlite3.connect(
                path, timeout=30, isolation_level=None, check_same_thread=False, cached_statements=64
            )
            self.execute(f"PRAGMA cache_size = -{CACHED_KIB}")
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
            self.execute("PRAGMA synchronous = FULL")
            self.execute("PRAGMA wal_autocheckpoint = 16000")
        for number in range(self.format + 1, FORMAT + 1):
            with self.change():
                for statement in MIGRATIONS.joinpath(f"{number}.sql").read_text("utf-8").split(";\n"):
                    self.execute(statement)
                self.execute(f"PRAGMA user_version = {number}")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def errors(self, what: str) -> Iterator[None]:
        """Raise what SQLite complains about as an ArchiveError with a way out."""
        try:
            yield
        except sqlite3.Error as error:
            raise ArchiveError(f"{self.path}: cannot be {what}: {error}{_way_out(error)}") from error

    def execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run one statement."""
        return self._connection.execute(statement, values)

    def read(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows that a statement gives; raises ArchiveError."""
        with self.errors("read"):
            return self.execute(statement, values).fetchall()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads see one moment; a snapshot within another sees that of the other."""
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
        """Whether a snapshot or a change is open."""
        with self.errors("read"):
            return self._connection.in_transaction

    @contextmanager
    def change(self) -> Iterator[None]:
        """Commit all that is written, so that it is on disk at the end; nothing is written if anything fails."""
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
        before, self._version = self._version, self.read("PRAGMA data_version")[0][0]
        return before != self._version


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
    """Take the lock of the one writer; returns its open file, which holds the lock until it is closed."""
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
    """Hold the lock of the one writer."""
    lock = take_lock(path)
    try:
        yield
    finally:
        os.close(lock)
