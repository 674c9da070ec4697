"""Index segments: what articles are filed under, derived from the store and made again from it if missing or damaged.

A segment holds the articles of one slice of time from a first row to a last. A small one is kept in the store; a larger one is a file of
its own beside it, which is synced and has its name before it is in the catalogue. It has a part for each method, as
`rust/src/segments.rs` describes; their checksums are in the catalogue.
"""

from __future__ import annotations

import itertools
import json
import mmap
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import ArchiveError
from ..matching.collection import invert, rank
from ..methods import Method
from ..pairs import LEFT_OUT, Filed

IN_STORE_BYTES = 1 << 18
"""A smaller segment is kept in the store."""
FAN = 8
"""This many segments of a size are merged into one."""


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
        """The entry from the columns of the catalogue."""
        number, slice_, first, last, articles, parts, sums = row
        sizes = tuple(json.loads(parts))
        blocks = np.cumsum([0, *(-(-size // BLOCK) for size in sizes)])
        every = np.frombuffer(sums, "<u8").astype(np.uint64)
        each = tuple(every[start:end] for start, end in itertools.pairwise(blocks))
        return cls(number, slice_, first, last, articles, sizes, each)

    def row(self) -> tuple[Any, ...]:
        """The entry as columns of the catalogue."""
        sums = np.concatenate(self.sums).astype("<u8").tobytes()
        about = self.number, self.slice, self.first_row, self.last_row, self.articles
        return *about, json.dumps(self.parts), sums

    @property
    def bytes(self) -> int:
        """The size of the segment."""
        return sum(self.parts)


BLOCK = 1 << 20
Stored = tuple[Entry, bytes | None]
"""A segment as it is in the catalogue: with its bytes, or None if they are in a file."""


@dataclass(frozen=True)
class Part:
    """What one method filed: the bytes and their checksums, and the row and the number of words of each article."""

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
        """The rows of its articles in the store, by their places in time; in a segment that is not ranked, sorted."""
        return self.parts[0].rows

    @property
    def is_ranked(self) -> bool:
        """Whether its articles are numbered by their places in time, as they are unless an earlier wirecopy wrote it."""
        return self.parts[0].seal.is_ranked(self.parts[0].content)


def open_segment(entry: Entry, content: bytes | None, folder: Path) -> Segment:
    """The segment of an entry, from its bytes in the store or from its file; raises Damaged."""
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
    if len(data) != entry.bytes:
        raise Damaged(f"segment {entry.number} has {len(data)} bytes instead of {entry.bytes}")
    every, edges = np.frombuffer(data, np.uint8), itertools.pairwise(np.cumsum([0, *entry.parts]).tolist())
    sealed = zip(edges, entry.sums, strict=True)
    try:
        parts = tuple(_open_part(every[start:end], sums) for (start, end), sums in sealed)
    except ValueError as error:
        raise Damaged(f"segment {entry.number}: {error}") from error
    return Segment(entry, parts)


def _open_part(content: NDArray[np.uint8], sums: NDArray[np.uint64]) -> Part:
    seal = _core.Segment(sums)
    return Part(content, seal, *seal.articles(content))


def find_places(
    moments: NDArray[np.int64], get_ids: Callable[[NDArray[np.int64]], Sequence[str]]
) -> NDArray[np.uint32]:
    """The place of each of some articles in time: by moment, then by id."""
    return invert(rank(moments, get_ids), len(moments), LEFT_OUT)


def encode_parts(
    filed: Mapping[Method, Filed], rows: Sequence[int], moments: Sequence[int], ids: Sequence[str]
) -> list[bytes]:
    """The parts of a segment of these rows, one for each method."""
    numbers = np.array(rows, np.uint64)
    places = find_places(np.array(moments, np.int64), lambda some: [ids[one] for one in some.tolist()])
    return [_core.encode_segment(one.shards, numbers, one.words, places) for one in filed.values()]


def make_segment(
    number: int, slice_: int | None, first_row: int, last_row: int, parts: Sequence[bytes]
) -> Segment:
    """A segment of these parts, in memory only."""
    contents = [np.frombuffer(part, np.uint8) for part in parts]
    sums = tuple(_core.block_sums(content) for content in contents)
    opened = [_open_part(content, mine) for content, mine in zip(contents, sums, strict=True)]
    sizes = tuple(map(len, parts))
    return Segment(
        Entry(number, slice_, first_row, last_row, len(opened[0].rows), sizes, sums), tuple(opened)
    )


def write_segment(made: Segment, folder: Path) -> Stored:
    """Write a segment to its file unless it is small; returns it for the catalogue."""
    contents = [part.content.data for part in made.parts]
    if made.entry.bytes < IN_STORE_BYTES:
        return made.entry, b"".join(contents)
    _write_file(file_of(folder, made.entry.number), contents)
    return made.entry, None


def _write_file(path: Path, contents: Sequence[memoryview]) -> None:
    """Write a file; when this returns, it is on disk, whole and under its name."""
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
    """The path of the file of a segment."""
    return folder / f"{number:08}.segment"


def folder_of(archive: Path) -> Path:
    """The folder of the segment files of an archive."""
    return archive.with_name(archive.name + "-index")


def choose_merge(sizes: Sequence[int]) -> int:
    """How many of the last segments should be merged into one, by the number of articles of each; 0 for none.

    So there are fewer than `FAN` of each order of magnitude, and an article is written anew only once for each order.
    """
    tiers = [max(size, 1).bit_length() // 3 for size in sizes]
    for tier in sorted(set(tiers)):
        run = next((count for count, one in enumerate(reversed(tiers)) if one > tier), len(tiers))
        if tiers[len(tiers) - run :].count(tier) >= FAN:
            return run
    return 0


def merge_parts(
    segments: Sequence[Segment], kept: Sequence[NDArray[np.bool_]], places: NDArray[np.uint32]
) -> list[bytes]:
    """The parts of several segments, merged: of the articles that are kept, whose places in time are given; raises Damaged."""
    try:
        return [
            _core.merge_segments(
                [
                    (segment.parts[number].seal, segment.parts[number].content, keep)
                    for segment, keep in zip(segments, kept, strict=True)
                ],
                places,
            )
            for number in range(len(segments[0].parts))
        ]
    except ValueError as error:
        raise Damaged(str(error)) from error
