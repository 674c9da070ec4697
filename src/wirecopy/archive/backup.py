"""A copy of an archive in one file, whole and of one moment, whatever is written meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from .. import _core
from ..errors import ArchiveError, UsageError
from ..matching.collection import Progress
from .locking import identify
from .marks import NAME
from .segments import Damaged, Segment, folder_of, open_segment
from .store import Store

MAX_SEGMENT_BYTES = 1 << 29
"""A larger segment does not fit well into a row of SQLite; it is left out, and made again when the copy is opened."""


def back_up(store: Store, path: Path, *, replace: bool = False, progress: Progress | None = None) -> None:
    """Copy the store to a new file, with its segments in it; it has its name only once it is whole and on disk.

    Raises UsageError if there is something already, unless it may be replaced, and ArchiveError if what is copied is damaged.
    """
    file = Path(os.path.realpath(path))
    _require_free(store, file, path, replace)
    part = file.with_name(file.name + "-part")
    try:
        _delete(part)
        with _whole(store) as (source, segments), _opened(part, path) as copy:
            source.copy_to(copy, progress and (lambda done, total: progress("copying", done, total)))
            with copy.change():
                for segment in segments:
                    if segment.entry.bytes <= MAX_SEGMENT_BYTES:
                        copy.fill_segment(segment)
            if problems := copy.find_damage():
                named = "; ".join(problem.replace(str(path), str(store.path)) for problem in problems)
                raise ArchiveError(
                    f"{named}; nothing was copied: wirecopy export {store.path} writes the articles that are whole"
                )
        _put_in_place(part, file)
    except OSError as error:
        raise ArchiveError(
            f"{path}: cannot be written: {error.strerror}; make room on the disk or check that the folder can be written"
        ) from error
    finally:
        with suppress(OSError):
            _delete(part)


def _require_free(store: Store, file: Path, path: Path, replace: bool) -> None:
    if not file.parent.is_dir() or file.is_dir():
        raise ArchiveError(
            f"{path}: cannot be written: {'a folder' if file.is_dir() else 'no such folder'}; name a file"
        )
    if identify(file) == store.identity:
        raise UsageError(f"{path}: is the archive itself; name another file for its copy")
    if file.exists() and not replace:
        raise UsageError(f"{path}: exists; name another file, or replace it with replace=True")
    if file.with_name(file.name + "-wal").exists():
        raise ArchiveError(
            f"{path}: cannot be replaced: its log stands beside it, so it is in use or was not closed; move both away"
        )


@contextmanager
def _whole(store: Store) -> Iterator[tuple[Store, list[Segment]]]:
    """The store at one moment, and its segments that are files: they are opened before a writer can merge them away."""
    for tries in range(20, -1, -1):
        with store.beside() as source, source.snapshot():
            entries = {entry.number: entry for entry in source.entries()}
            outside = source.segments_outside()
            segments = []
            for number in outside:
                with suppress(Damaged):
                    segments.append(open_segment(entries[number], None, folder_of(store.file)))
            lost = set(outside) - {segment.entry.number for segment in segments}
            with store.beside() as now:
                merged = lost - set(now.segments_outside())
            if not merged or not tries:
                yield source, list(filter(_is_sound, segments))
                return


def _is_sound(segment: Segment) -> bool:
    return all(
        np.array_equal(_core.block_sums(part.content), sums)
        for part, sums in zip(segment.parts, segment.entry.sums, strict=True)
    )


@contextmanager
def _opened(part: Path, path: Path) -> Iterator[Store]:
    """The store to copy to, which is called as it will be."""
    copy = Store(part)
    copy.path = path
    try:
        yield copy
    finally:
        copy.close()


def _put_in_place(part: Path, file: Path) -> None:
    with part.open("rb") as made:
        os.fsync(made.fileno())
    part.rename(file)
    folder = folder_of(file)  # of what was replaced
    with suppress(OSError):
        for path in [folder / NAME, *folder.glob("*.segment")]:
            path.unlink(missing_ok=True)
        folder.rmdir()
    here = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(here)
    finally:
        os.close(here)


def _delete(part: Path) -> None:
    for end in ("", "-wal", "-shm", "-journal"):
        Path(f"{part}{end}").unlink(missing_ok=True)
