"""Records as columns, whatever they are about: the fields that are asked for, of JSON lines, CSV and Parquet.

Made for millions of rows: a value is some bytes between two offsets, and becomes a Python object only where somebody looks at it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wirecopy import _core
from wirecopy.errors import SourceError
from wirecopy.model import Skipped, SkippedLines
from wirecopy.sources import csv_files, jsonl, work
from wirecopy.sources.arrow import open_batches
from wirecopy.sources.kinds import kind_of_file
from wirecopy.sources.opening import Stream
from wirecopy.sources.paths import find
from wirecopy.sources.unpacking import Damaged

_BATCH_BYTES = 8 << 20
_ROWS = 1 << 16


@dataclass(frozen=True, slots=True)
class Column:
    """Texts in UTF-8: that of row i is `text[offsets[i]:offsets[i + 1]]`, empty where a record has nothing."""

    text: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def is_there(self) -> NDArray[np.bool_]:
        """Which rows have something."""
        return self.offsets[1:] > self.offsets[:-1]

    def __getitem__(self, row: int) -> str:
        return str(self.text.data[self.offsets[row] : self.offsets[row + 1]], "utf-8", "replace")

    def take(self, rows: NDArray[np.int64]) -> Column:
        """The texts of some rows."""
        starts, lengths = self.offsets[rows], np.diff(self.offsets)[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return Column(self.text[np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])], offsets)

    def hashes(self) -> NDArray[np.uint64]:
        """A hash of each text."""
        return _core.hash_texts(self.text, self.offsets)

    def numbers(self) -> NDArray[np.float64]:
        """The number that each text is, NaN where it is none."""
        return _core.read_numbers(self.text, self.offsets)


@dataclass(frozen=True, slots=True)
class Rows:
    """Some records of a file: its columns by name, only those that some record holds, and the line that each row stands on."""

    path: str
    columns: Mapping[str, Column]
    lines: NDArray[np.int64]
    skipped: Sequence[Skipped] = field(default=())

    def __len__(self) -> int:
        return len(self.lines)

    def where(self, row: int) -> str:
        """The place of a row."""
        return f"{self.path}:{self.lines[row]}"


def read_rows(path: Path, names: Sequence[str]) -> Iterator[Rows]:
    """Yields the records of a file, some at a time, with the fields of these names. Raises SourceError if it cannot be read at all."""
    files = find(str(path)).files
    if len(files) != 1 or path.is_dir():
        raise SourceError(f"{path}: expected one file of records, got a folder")
    [file] = files
    kind, compression = kind_of_file(file)
    if file.problem:
        raise SourceError(f"{path}: {file.problem}")
    if kind == "arrow":
        yield from _read_arrow(file.path, compression, file.shown, names)
        return
    try:
        place = Path("/dev/stdin") if str(path) == "-" else file.path
        with place.open("rb", buffering=0) as raw:
            stream = Stream(raw, None if file.is_pipe else compression)
            is_json = kind in ("jsonl", "json") or stream.peek(1 << 10).lstrip().startswith(b"{")
            if is_json:
                yield from _read_lines(stream, file.shown, names)
            elif kind in ("csv", "tsv", "text") and stream.peek(1):
                yield from _read_csv(stream, file.shown, kind, names)
    except Damaged as damage:
        raise SourceError(f"{path}: {damage}") from None


def _read_lines(stream: Stream, path: str, names: Sequence[str]) -> Iterator[Rows]:
    for piece in jsonl.cut(stream, path, _BATCH_BYTES):
        if isinstance(piece, Skipped):
            yield Rows(path, {}, np.empty(0, np.int64), [piece])
            continue
        data, first = piece
        columns, lines, (bad, which, reasons) = _core.read_columns(data, names, work.MAX_RECORD_BYTES)
        skipped = SkippedLines(path, bad + first, which, reasons) if len(bad) else ()
        yield Rows(path, _held(names, [Column(*one) for one in columns]), lines + first, skipped)


def _held(names: Sequence[str], columns: Sequence[Column]) -> dict[str, Column]:
    return {name: column for name, column in zip(names, columns, strict=True) if len(column.text)}


def _read_csv(stream: Stream, path: str, kind: str, names: Sequence[str]) -> Iterator[Rows]:
    rows = csv_files.read_rows(stream, kind)
    line, header = next(rows, (1, ""))
    if isinstance(header, str):
        yield Rows(path, {}, np.empty(0, np.int64), [Skipped(f"{path}:{line}", header or "empty")])
        return
    wanted = [(name, header.index(name)) for name in names if name in header]
    while some := list(islice(rows, _ROWS)):
        bad = [
            Skipped(
                f"{path}:{line}",
                row if isinstance(row, str) else f"{len(row)} fields where the header has {len(header)}",
            )
            for line, row in some
            if row and (isinstance(row, str) or len(row) != len(header))
        ]
        kept = [(line, row) for line, row in some if not isinstance(row, str) and len(row) == len(header)]
        cells = {name: _column([row[at] for _, row in kept]) for name, at in wanted}
        columns = _held(list(cells), list(cells.values()))
        yield Rows(path, columns, np.array([line for line, _ in kept], np.int64), bad)


def _column(values: Sequence[str]) -> Column:
    """A column of texts; the apostrophe that keeps a spreadsheet from taking one for a formula is left out."""
    encoded = [
        (value[1:] if value[:1] == "'" and value[1:2] in "=+-@\t" else value).encode("utf-8", "replace")
        for value in values
    ]
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=offsets[1:])
    return Column(np.frombuffer(b"".join(encoded), np.uint8), offsets)


def _read_arrow(path: Path, compression: str, shown: str, names: Sequence[str]) -> Iterator[Rows]:
    first = 1
    for batch in open_batches(path, compression, shown, names):
        cells = {name: _arrow_column(batch.column(name)) for name in names if name in batch.schema.names}
        lines = np.arange(first, first + len(batch), dtype=np.int64)
        yield Rows(shown, _held(list(cells), list(cells.values())), lines)
        first += len(batch)


def _arrow_column(column: Any) -> Column:
    """A column of any type as texts: numbers as they are written, lists and structs as JSON."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_nested(kind):
        written = [None if value is None else json.dumps(value, default=str) for value in column.to_pylist()]
        column = pa.array(written, pa.large_string())
    texts = column.cast(pa.large_string()).fill_null("")
    _, offsets, data = texts.buffers()
    if not len(texts):
        return Column(np.empty(0, np.uint8), np.zeros(1, np.int64))
    ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return Column(np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]], ends - ends[0])
