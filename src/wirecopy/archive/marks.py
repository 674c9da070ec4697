"""Which change of an archive its index folder has seen last: so that a store that has lost its log is noticed.

The log, `-wal`, holds what was committed last. Without it SQLite opens what was there before and finds nothing wrong. The mark is written
after the commit, so it is never ahead of a store that is whole; it may be behind, and says nothing then.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..errors import ArchiveError
from ..model import count
from .segments import folder_of
from .store import Store

NAME = "last-change"
_FORM = re.compile(rb"([0-9a-f]{16}) (\d{20}) (\d{20})\n")


@dataclass(frozen=True)
class Mark:
    """The archive, by the name that it drew, the number of its last change, and the last row that an article of it has."""

    archive: str
    change: int
    last_row: int


def read_mark(folder: Path) -> Mark | None:
    """The mark in an index folder; None where there is none that can be read."""
    with suppress(OSError):
        if found := _FORM.fullmatch((folder / NAME).read_bytes()):
            return Mark(found[1].decode(), int(found[2]), int(found[3]))
    return None


def write_mark(folder: Path, mark: Mark) -> None:
    """Write the mark, all of one length, over the one that is there; where that fails nothing is lost."""
    content = b"%s %020d %020d\n" % (mark.archive.encode(), mark.change, mark.last_row)
    with suppress(OSError):
        try:
            file = _open(folder)
        except FileNotFoundError:
            folder.mkdir()
            file = _open(folder)
        try:
            os.pwrite(file, content, 0)
        finally:
            os.close(file)


def _open(folder: Path) -> int:
    return os.open(f"{folder}/{NAME}", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)


def find_missing(store: Store) -> str | None:
    """What a store lacks that the index folder beside it has seen, with the way out; None if nothing."""
    folder = folder_of(store.file)
    mark = read_mark(folder)  # before the store is read: it may be written meanwhile
    if mark is None:
        return None
    with store.snapshot():
        change, last_row = store.setting("change", 0), store.next_number("articles") - 1
        is_same = store.setting("archive") == mark.archive
    if not is_same or mark.change <= change:
        return None
    articles = f", with {count(mark.last_row - last_row)}" if mark.last_row > last_row else ""
    return (
        f"{store.path}: the last {count(mark.change - change, 'change')} it was given are missing{articles}: its log was lost, or it was"
        f" copied without {store.file.name}-wal; put that beside it or restore a backup, or go on without: delete {folder}, which is"
        " made again"
    )


def require_unused(archive: Path) -> None:
    """Raise ArchiveError if an empty file has an index beside it: then it had articles."""
    folder = folder_of(archive)
    found = len(list(folder.glob("*.segment")))
    if found or read_mark(folder):
        seen = count(found, "segment") if found else "a mark"
        raise ArchiveError(
            f"{archive}: empty, but {folder} holds {seen} of its articles; restore it from a backup, or delete both to begin anew"
        )
