"""CSV and TSV with a header line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from wirecopy.sources import work
from wirecopy.sources.fields import ABOUT_NAMES, Fields, Record, Unusable, no_text, record
from wirecopy.sources.opening import Stream
from wirecopy.sources.unpacking import Damaged
from wirecopy.sources.work import Work, parse_each, skip
from wirecopy.text import mend

_ROWS_A_BATCH = 4096
_LINE_COST = 64
"""The bytes that a line takes in memory beside its own."""
_UNCLOSED = "a quote that opens here is never closed; close it, or double it where it is part of a text"


def read_rows(stream: Stream, kind: str) -> Iterator[tuple[int, list[str] | str]]:
    """The line in which each row of a table begins, and the row, or the reason why it cannot be read; the first is the header.

    `kind` is "tsv", or "csv", whose delimiter is found by its header.
    """
    csv.field_size_limit(max(csv.field_size_limit(), work.MAX_RECORD_BYTES))
    delimiter = "\t" if kind == "tsv" else find_delimiter(stream.peek(64 << 10))
    # Broken UTF-8 becomes lone surrogates, by which the row is known.
    lines = io.TextIOWrapper(io.BufferedReader(_Believable(stream)), "utf-8", "surrogateescape", newline="")
    return _rows(_Lines(lines, stream), delimiter)


def read(stream: Stream, path: str, kind: str, fields: Fields, batch_bytes: int) -> Iterator[Work]:
    """Yields the work in a table, whose kind is "csv" or "tsv"."""
    rows = read_rows(stream, kind)
    line, header = next(rows)
    if isinstance(header, str) or not set(fields.text_names) & set(header):
        reason = header if isinstance(header, str) else no_text(header, fields, "columns")
        yield skip(f"{path}:{line}", reason, stream.source_bytes)
        return
    parse = partial(_record, header, fields)
    batch: list[tuple[str, list[str] | str]] = []
    size = counted = 0
    for line, row in rows:
        if row:
            batch.append((f"{path}:{line}", row))
            size += sum(map(len, row))
        if size >= batch_bytes or len(batch) >= _ROWS_A_BATCH:
            yield Work(partial(parse_each, batch, parse, fields), stream.source_bytes - counted)
            batch, size, counted = [], 0, stream.source_bytes
    if batch:
        yield Work(partial(parse_each, batch, parse, fields), stream.source_bytes - counted)


def is_table(head: bytes, fields: Fields) -> bool:
    """Whether these are the first bytes of a table: its first line names the text field, and another known field.

    If the user gave the name of the text field, any other name is enough.
    """
    line = re.split(rb"[\r\n]", head, maxsplit=1)[0].decode("utf-8", "replace")
    names = set(next(csv.reader([line], delimiter=find_delimiter(head)), ()))
    known = {*fields.id_names, *fields.published_names}.union(*ABOUT_NAMES.values())
    others = names.difference(fields.text_names)
    return len(others) < len(names) and bool(others if fields.text is not None else others & known)


class _Believable(io.RawIOBase):
    """The bytes of a stream; raises Damaged in a line that unpacks to more than is believed."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._line = 0

    def readable(self) -> bool:
        """Return True, as `io` asks of what can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Copy the next bytes into the buffer and return how many: 0 at the end."""
        count = self._stream.readinto(buffer)
        read = bytes(memoryview(buffer)[:count])
        rest = count - 1 - max(read.rfind(b"\n"), read.rfind(b"\r"))
        self._line = rest if rest < count else self._line + count
        if reason := self._stream.too_dense(self._line):
            raise Damaged(reason)
        return count


class _Lines:
    """Iterates over lines, and can go back to the beginning of the record that is being read, which is line `first`."""

    def __init__(self, lines: io.TextIOWrapper, stream: Stream) -> None:
        self._lines: Iterator[str] = iter(lines)
        self._stream = stream
        self._size = 0
        self._is_each_alone = False
        self.first = 1
        self.record: list[str] = []
        self.is_at_end = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if not (self._is_each_alone and self.record):
            for line in self._lines:
                self.record.append(line)
                self._size += len(line) + _LINE_COST
                if reason := self._stream.too_dense(self._size):
                    raise Damaged(reason)
                return line
        self.is_at_end = True
        raise StopIteration

    def end_record(self) -> None:
        """Note that the next line begins another record."""
        self.first += len(self.record)
        self.record, self._size = [], 0

    def give_up_record(self) -> None:
        """Go back to the second line of the record, which begins another after all.

        The quote was still open at the end of each of its lines: one that opens there is never closed either, and each
        line is a record by itself.
        """
        if not self._is_each_alone:
            self._lines, self._is_each_alone = iter(self.record[1:]), True
        self.record, self.is_at_end = self.record[:1], False
        self.end_record()


def _rows(lines: _Lines, delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """Yields the line in which each row begins, and the row, or the reason why it cannot be read."""
    rows = csv.reader(lines, delimiter=delimiter)
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except Damaged as damage:
            yield lines.first, str(damage)
            return
        except csv.Error as error:
            yield lines.first, f"not CSV: {error}"
        else:
            # Only in a quote does a row go on where the file ends.
            if lines.is_at_end:
                yield lines.first, _UNCLOSED
                lines.give_up_record()
                continue
            yield lines.first, row
        lines.end_record()


def find_delimiter(head: bytes) -> str:
    """The delimiter that occurs most in the header."""
    header = head.lstrip().partition(b"\n")[0].decode("utf-8", "replace")
    unquoted = "".join(header.split('"')[::2])
    return max(",;\t|", key=unquoted.count)


def _record(header: Sequence[str], fields: Fields, row: list[str] | str, where: str) -> Record:
    """The article in a row, where an empty cell is nothing; raises Unusable."""
    if isinstance(row, str):
        raise Unusable(row)
    if len(row) != len(header):
        raise Unusable(
            f"{len(row)} fields where the header has {len(header)}; quote fields that hold the delimiter"
        )
    values = {name: cell for name, cell in zip(header, row, strict=True) if cell}
    if any(mend(cell) != cell for cell in values.values()):
        raise Unusable("not UTF-8; name its encoding, such as fields=Fields(encoding='latin1')")
    if not set(fields.text_names) & set(values):
        raise Unusable("the text is empty")
    return record(values, fields, where)
