"""Index segments: what articles are filed under, derived from the store and made again wherever it is missing or damaged.

A segment holds the articles of one slice of time whose rows lie between two. A small one is kept in the store; a larger one is a file of
its own beside it, which is synced and has its name before the catalogue knows it. Its parts, one a method, are as
`rust/src/segments.rs` describes; their checksums are in the catalogue.
"""

from __future__ import annotations

import itertools
import json
import mmap
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import ArchiveError
from ..model import count

IN_STORE_BYTES = 1 << 18
"""A smaller segment is kept in the store."""
FAN = 8
"""So many segments of a size become one."""


class Damaged(Exception):  # noqa: N818 - reads as what happened
    """A segment that cannot be used and has to be made again."""


@dataclass(frozen=True)
class Entry:
    """A row of the catalogue."""

    number: int
    slice: int | None
    first_row: int
    last_row: int
    articles: int
    parts: tuple[int, ...]
    sums: tuple[NDArray[np.uint64], ...] = field(repr=False)

    @classmethod
    def read(cls, row: Sequence[Any]) -> Entry:
        """From the columns of the catalogue."""
        number, slice_, first, last, articles, parts, sums = row
        sizes = tuple(json.loads(parts))
        blocks = np.cumsum([0, *(-(-size // BLOCK) for size in sizes)])
        every = np.frombuffer(sums, "<u8").astype(np.uint64)
        each = tuple(every[start:end] for start, end in itertools.pairwise(blocks))
        return cls(number, slice_, first, last, articles, sizes, each)

    def row(self) -> tuple[Any, ...]:
        """The columns of the catalogue."""
        sums = np.concatenate(self.sums).astype("<u8").tobytes()
        about = self.number, self.slice, self.first_row, self.last_row, self.articles
        return *about, json.dumps(self.parts), sums

    @property
    def bytes(self) -> int:
        """Its size."""
        return sum(self.parts)


BLOCK = 1 << 20
Stored = tuple[Entry, bytes | None]
"""A segment as the catalogue has it: with its bytes unless they are in a file."""


@dataclass(frozen=True)
class Part:
    """What one method filed: bytes behind their checksums, and the rows and words of the articles."""

    content: NDArray[np.uint8] = field(repr=False)
    seal: _core.Segment = field(repr=False)
    rows: NDArray[np.uint64] = field(repr=False)
    words: NDArray[np.uint32] = field(repr=False)


@dataclass(frozen=True)
class Segment:
    """A segment that is open."""

    entry: Entry
    parts: tuple[Part, ...]

    @property
    def rows(self) -> NDArray[np.uint64]:
        """The rows of its articles in the store, rising."""
        return self.parts[0].rows


def open_segment(entry: Entry, content: bytes | None, folder: Path) -> Segment:
    """A segment of the catalogue, from the store or from its file; raises Damaged."""
    data: bytes | mmap.mmap
    if content is None:
        try:
            with file_of(folder, entry.number).open("rb") as file:
                if os.fstat(file.fileno()).st_size != entry.bytes:
                    raise Damaged(
                        f"{file.name} has another size than the {entry.bytes} bytes it was written with"
                    )
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise Damaged(str(error)) from error
    else:
        data = content
    return _open(entry, np.frombuffer(data, np.uint8))


def _open(entry: Entry, content: NDArray[np.uint8]) -> Segment:
    edges = np.cumsum([0, *entry.parts]).tolist()
    if edges[-1] != len(content):
        raise Damaged(f"segment {entry.number} has {len(content)} bytes instead of {edges[-1]}")
    parts = []
    try:
        for start, end, sums in zip(edges, edges[1:], entry.sums, strict=False):
            parts.append(_open_part(content[start:end], sums))
    except ValueError as error:
        raise Damaged(f"segment {entry.number}: {error}") from error
    return Segment(entry, tuple(parts))


def _open_part(content: NDArray[np.uint8], sums: NDArray[np.uint64]) -> Part:
    seal = _core.Segment(sums)
    return Part(content, seal, *seal.articles(content))


def make_segment(
    number: int, slice_: int | None, first_row: int, last_row: int, parts: Sequence[bytes]
) -> Segment:
    """A segment that is in memory only."""
    contents = [np.frombuffer(part, np.uint8) for part in parts]
    sums = tuple(_core.block_sums(content) for content in contents)
    opened = [_open_part(content, mine) for content, mine in zip(contents, sums, strict=True)]
    sizes = tuple(map(len, parts))
    return Segment(
        Entry(number, slice_, first_row, last_row, len(opened[0].rows), sizes, sums), tuple(opened)
    )


def write_segment(made: Segment, folder: Path) -> Stored:
    """The segment for the catalogue: with its bytes if it is small, else its file is written."""
    contents = [part.content.data for part in made.parts]
    if made.entry.bytes < IN_STORE_BYTES:
        return made.entry, b"".join(contents)
    _write_file(file_of(folder, made.entry.number), contents)
    return made.entry, None


def _write_file(path: Path, contents: Sequence[memoryview]) -> None:
    """Write a file that is on disk, whole and under its name, when this returns."""
    unfinished = path.with_suffix(".part")
    try:
        path.parent.mkdir(exist_ok=True)
        with unfinished.open("wb", buffering=0) as file:
            for left in contents:
                while left:
                    left = left[file.write(left) :]
            os.fsync(file.fileno())
        unfinished.rename(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink()  # on a full disk its room is needed
        raise ArchiveError(
            f"{path}: cannot be written: {error.strerror}; make room on the disk or check that the folder can be "
            "written, and go on: what was acknowledged is kept"
        ) from error


def file_of(folder: Path, number: int) -> Path:
    """Where the file of a segment is."""
    return folder / f"{number:08}.segment"


def folder_of(archive: Path) -> Path:
    """Where the files of the segments of an archive are."""
    return archive.with_name(archive.name + "-index")


def require_no_segments(archive: Path) -> None:
    """Raise ArchiveError if there are segments: then the archive, which is empty, was one with articles."""
    folder = folder_of(archive)
    if found := len(list(folder.glob("*.segment"))):
        raise ArchiveError(
            f"{archive}: empty, but {folder} holds {count(found, 'segment')} of its articles: restore it"
            " from a backup, or delete both to begin anew"
        )


def choose_merge(sizes: Sequence[int]) -> int:
    """How many of the last segments, given by their articles, should become one; 0 for none.

    Of each order of magnitude there are fewer than `FAN`, so that an article is written anew only as often as there are orders.
    """
    tiers = [max(size, 1).bit_length() // 3 for size in sizes]
    for tier in sorted(set(tiers)):
        run = next((count for count, one in enumerate(reversed(tiers)) if one > tier), len(tiers))
        if tiers[len(tiers) - run :].count(tier) >= FAN:
            return run
    return 0


def merge_parts(segments: Sequence[Segment], live: NDArray[np.uint64]) -> list[bytes]:
    """The parts of one segment made of several, without articles that are no longer live; raises Damaged."""
    kept = [np.isin(segment.rows, live) for segment in segments]
    try:
        return [
            _core.merge_segments(
                [
                    (segment.parts[number].seal, segment.parts[number].content, keep)
                    for segment, keep in zip(segments, kept, strict=True)
                ]
            )
            for number in range(len(segments[0].parts))
        ]
    except ValueError as error:
        raise Damaged(str(error)) from error
