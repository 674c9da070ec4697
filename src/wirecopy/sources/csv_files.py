"""CSV and TSV with a header line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from functools import partial

from wirecopy.model import Articles, Skipped
from wirecopy.sources import work
from wirecopy.sources.fields import Fields, Unusable, no_text, record
from wirecopy.sources.opening import Stream
from wirecopy.sources.unpacking import Damaged
from wirecopy.sources.work import Work, articles, skip

_ROWS_A_BATCH = 4096


def read(stream: Stream, path: str, kind: str, fields: Fields, batch_bytes: int) -> Iterator[Work]:
    """The work in a table; `kind` is "csv", whose delimiter is looked for, or "tsv"."""
    csv.field_size_limit(max(csv.field_size_limit(), work.MAX_RECORD_BYTES))
    delimiter = "\t" if kind == "tsv" else _delimiter(stream.peek(64 << 10))
    # Broken UTF-8 becomes lone surrogates, by which the row is known.
    lines = io.TextIOWrapper(io.BufferedReader(stream), "utf-8", "surrogateescape", newline="")
    rows = csv.reader(lines, delimiter=delimiter)
    header: list[str] | None = None
    batch: list[tuple[int, list[str] | str]] = []
    size = counted = 0
    damage = ""
    while True:
        line = rows.line_num + 1
        row: list[str] | str
        try:
            row = next(rows)
        except StopIteration:
            break
        except Damaged as problem:
            damage = str(problem)
            break
        except csv.Error as error:
            row = f"not CSV: {error}"
        if header is None:
            if isinstance(row, str) or not set(fields.text_names) & set(row):
                reason = row if isinstance(row, str) else no_text(row, fields, "columns")
                yield skip(f"{path}:{line}", reason, stream.source_bytes)
                return
            header = row
            continue
        if row:
            batch.append((line, row))
            size += sum(map(len, row))
        if size >= batch_bytes or len(batch) >= _ROWS_A_BATCH:
            yield Work(partial(_parse, batch, header, path, fields), stream.source_bytes - counted)
            batch, size, counted = [], 0, stream.source_bytes
    if batch:
        yield Work(partial(_parse, batch, header or [], path, fields), stream.source_bytes - counted)
        counted = stream.source_bytes
    if damage:
        yield skip(f"{path}:{rows.line_num + 1}", damage, stream.source_bytes - counted)


def _delimiter(head: bytes) -> str:
    """The delimiter that occurs most in the header."""
    header = head.lstrip().partition(b"\n")[0].decode("utf-8", "replace")
    unquoted = "".join(header.split('"')[::2])
    return max(",;\t|", key=unquoted.count)


def _parse(
    rows: Sequence[tuple[int, list[str] | str]], header: Sequence[str], path: str, fields: Fields
) -> Articles:
    records, skipped = [], []
    for line, row in rows:
        try:
            if isinstance(row, str):
                raise Unusable(row)
            records.append(record(_values(row, header, fields), fields, f"{path}:{line}"))
        except Unusable as problem:
            skipped.append(Skipped(f"{path}:{line}", str(problem)))
    return articles(records, skipped, fields)


def _values(row: Sequence[str], header: Sequence[str], fields: Fields) -> dict[str, str]:
    """What a row holds by the header's names; an empty cell is nothing."""
    if len(row) != len(header):
        raise Unusable(
            f"{len(row)} fields where the header has {len(header)}; quote fields that hold the delimiter"
        )
    values = {name: cell for name, cell in zip(header, row, strict=True) if cell}
    if any(
        "\ud800" <= character <= "\udfff"
        for cell in values.values()
        if not cell.isascii()
        for character in cell
    ):
        raise Unusable("not UTF-8; convert the file, e.g. iconv -f latin1 -t utf-8")
    if not set(fields.text_names) & set(values):
        raise Unusable("the text is empty")
    return values
