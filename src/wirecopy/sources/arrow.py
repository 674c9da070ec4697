"""Parquet and Arrow files, Arrow tables, and whatever speaks Arrow's stream interface; needs the extra `arrow`."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wirecopy.errors import MissingExtra, SourceError
from wirecopy.model import UNDATED, Articles, Skipped
from wirecopy.sources.fields import (
    Fields,
    Unusable,
    about_text,
    date_text,
    id_text,
    is_missing,
    no_text,
    remark,
)
from wirecopy.sources.opening import Stream
from wirecopy.sources.work import Work, skip
from wirecopy.text import mend

_MAX_ROWS = 65536
_BATCH_BYTES = 8 << 20


def read_table(
    table: Any, name: str, fields: Fields, batch_bytes: int, by_index: bool = False
) -> Iterator[Work]:
    """The work in an object with `__arrow_c_stream__`; its rows are named `name:N`, from 1.

    With `by_index`, the id of a row without one is that of `_index`.
    """
    pa = _pyarrow("an Arrow table")
    try:
        reader = pa.RecordBatchReader.from_stream(table)
    except (pa.ArrowException, TypeError) as error:
        what = type(table).__name__
        raise SourceError(
            f"{what}: expected a table with named columns, got: {_line(error)}; give a frame, or a list of texts"
        ) from None
    index = _index(table, fields) if by_index else None
    yield from _read_batches(reader, reader.schema, name, fields, batch_bytes, index=index)


def read_file(path: Path, compression: str, shown: str, fields: Fields, batch_bytes: int) -> Iterator[Work]:
    """The work in a Parquet or Arrow file; its rows are numbered from 1, like lines."""
    size = path.stat().st_size
    if not size:
        yield skip(shown, "empty")
        return
    names = {*fields.text_names, *fields.id_names, *fields.published_names}.union(*fields.about_names)
    try:
        schema, batches = _open(path, compression, shown, names, batch_bytes)
    except (_pyarrow(shown).ArrowException, OSError) as error:
        yield skip(shown, f"not a Parquet or Arrow file: {_line(error)}", size)
        return
    yield from _read_batches(batches, schema, shown, fields, batch_bytes, size)


def open_batches(path: Path, compression: str, shown: str, names: Collection[str]) -> Iterator[Any]:
    """Yields the columns of these names of a Parquet or Arrow file, some rows at a time. Raises SourceError."""
    arrow_error = _pyarrow(shown).ArrowException
    try:
        if path.stat().st_size:
            yield from _open(path, compression, shown, names, _BATCH_BYTES)[1]
    except (arrow_error, OSError) as error:
        raise SourceError(f"{shown}: cannot be read: {_line(error)}") from None


def _open(
    path: Path, compression: str, shown: str, names: Collection[str], batch_bytes: int
) -> tuple[Any, Iterator[Any]]:
    """The schema of a Parquet or Arrow file, and its batches, of Parquet with the columns of these names only."""
    pa = _pyarrow(shown)
    if compression:
        with path.open("rb", buffering=0) as file:
            source = pa.BufferReader(Stream(file, compression).readall())
    else:
        source = pa.memory_map(str(path))
    magic = source.read(4)
    source.seek(0)
    if magic == b"PAR1":
        parquet = importlib.import_module("pyarrow.parquet").ParquetFile(source)
        schema = parquet.schema_arrow
        columns = [name for name in schema.names if name in names]
        groups = range(parquet.num_row_groups)
        unpacked = sum(parquet.metadata.row_group(number).total_byte_size for number in groups)
        rows = _rows_a_batch(parquet.metadata.num_rows, unpacked, batch_bytes)
        return schema, parquet.iter_batches(batch_size=rows, columns=columns)
    if magic == b"ARRO":
        arrow = pa.ipc.open_file(source)
        return arrow.schema, (arrow.get_batch(number) for number in range(arrow.num_record_batches))
    arrow = pa.ipc.open_stream(source)
    return arrow.schema, arrow


@dataclass(frozen=True, slots=True)
class Index:
    """What the rows of a table are called: by `labels`, or by their numbers from 0 if there are none."""

    labels: Sequence[Any] | None = None
    texts: Sequence[str] | None = None
    is_id: bool = False
    """Whether the labels are the ids that are read as a column."""

    def label(self, row: int) -> Any:
        """The value of the index at a row."""
        return row if self.labels is None else self.labels[row]

    def id(self, row: int) -> str:
        """The label of a row as text."""
        return str(row) if self.texts is None else self.texts[row]

    def number(self, row: int) -> int | None:
        """The label of a row if it is a whole number."""
        label = self.label(row)
        return label if isinstance(label, int) and not isinstance(label, bool) else None


def _index(table: Any, fields: Fields) -> Index:
    """The index of a pandas frame; of one whose values are not different texts, and of any other table, the row numbers."""
    index: Any = getattr(table, "index", None)
    if not (hasattr(index, "is_unique") and hasattr(index, "tolist")):
        return Index()
    labels = index.tolist()
    texts = [mend(str(label)) for label in labels]
    if len({"", *texts}) <= len(texts):
        return Index()
    name = fields.id_names[0]
    return Index(labels, texts, index.name == name and name not in table.columns)


def _size(pa: Any, batch: Any) -> int:
    """In bytes; pyarrow before 24 does not measure views, and what they point into may be shared by more batches."""
    try:
        return int(batch.nbytes)
    except pa.ArrowTypeError:
        return int(batch.get_total_buffer_size())


def _rows_a_batch(rows: int, size: int, batch_bytes: int) -> int:
    return min(max(rows * batch_bytes // max(size, 1), 1), _MAX_ROWS)


def _read_batches(
    batches: Any,
    schema: Any,
    name: str,
    fields: Fields,
    batch_bytes: int,
    source_bytes: int = 0,
    index: Index | None = None,
) -> Iterator[Work]:
    pa = _pyarrow(name)
    problem = _no_text_column(pa, schema, fields)
    if problem:
        yield skip(name, problem, source_bytes)
        return
    first = 1
    try:
        for batch in batches:
            rows = _rows_a_batch(len(batch), _size(pa, batch), batch_bytes)
            for start in range(0, len(batch), rows):
                piece = batch.slice(start, rows)
                yield Work(partial(_parse, piece, first + start, name, fields, index), source_bytes)
                source_bytes = 0
            first += len(batch)
    except (pa.ArrowException, OSError) as error:
        yield skip(f"{name}:{first}", f"cannot be read from here on: {_line(error)}", source_bytes)


def _no_text_column(pa: Any, schema: Any, fields: Fields) -> str | None:
    there = [name for name in fields.text_names if name in schema.names]
    if not there:
        return no_text(schema.names, fields, "columns")
    for name in there:
        kind = schema.field(schema.names.index(name)).type
        if not _is_text(pa, kind):
            return f"column '{name}' is {kind}, not text; name another with fields=Fields(text=…)"
    return None


def _is_text(pa: Any, kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_text(pa, kind.value_type)
    texts = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.null())
    return kind in texts


def _is_date(pa: Any, kind: Any) -> bool:
    return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))


def _parse(batch: Any, first: int, name: str, fields: Fields, index: Index | None) -> Articles:
    pa = _pyarrow(name)
    text, bad = _texts(pa, batch, fields)
    ids, bad_ids = _ids(batch, fields)
    bad = bad_ids | bad
    published, unreadable = _published(pa, batch, fields)
    kept = [row for row in range(len(batch)) if row not in bad]
    if bad:
        text = text.take(pa.array(kept, pa.int64()))
    data, offsets = _buffers(text)
    odd_dates: list[str] = []
    if unreadable[kept].any():
        dates = _known(pa, batch, fields.published_names)
        odd_dates = [dates[row] for row in kept if unreadable[row]]
    columns = [_known(pa, batch, names) for names in fields.about_names]
    about = fields.known([[column[row] for row in kept] for column in columns])
    numbers, labels = None, None
    if index is not None:
        before = first - 1
        numbers = [None if ids[row] else index.number(before + row) for row in kept]
        if index.is_id or not any(ids[row] for row in kept):
            labels = [index.label(before + row) for row in kept]
    return Articles(
        [
            ids[row] or (f"{name}:{first + row}" if index is None else index.id(first - 1 + row))
            for row in kept
        ],
        data,
        offsets,
        published[kept],
        [Skipped(f"{name}:{first + row}", reason) for row, reason in sorted(bad.items())],
        remark(odd_dates, data, offsets),
        lambda row: f"{name}:{first + kept[row]}",
        about,
        fields.held(any(ids), bool((unreadable | (published != UNDATED)).any()), about),
        numbers,
        labels,
    )


def _texts(pa: Any, batch: Any, fields: Fields) -> tuple[Any, dict[int, str]]:
    """The texts, and why rows have none, by row."""
    columns = [_plain(pa, column) for column in _columns(batch, fields.text_names)]
    # Of one column, `coalesce` would copy what holds nulls.
    text = columns[0] if len(columns) == 1 else importlib.import_module("pyarrow.compute").coalesce(*columns)
    nulls = np.flatnonzero(text.is_null().to_numpy(zero_copy_only=False))
    bad = dict.fromkeys(nulls.tolist(), "the text is null")
    strings = text.view(pa.large_string())
    try:
        strings.validate(full=True)
    except pa.ArrowInvalid:
        for row, value in enumerate(text.to_pylist()):
            try:
                (value or b"").decode()
            except UnicodeDecodeError as error:
                bad[row] = f"not UTF-8 text at byte {error.start}"
    return strings, bad


def _columns(batch: Any, names: Sequence[str]) -> list[Any]:
    """The columns with these names, in their order; of several with one name the first."""
    there = batch.schema.names
    return [batch.column(there.index(name)) for name in names if name in there]


def _plain(pa: Any, column: Any) -> Any:
    """A text column as large_binary; the characters are only copied of dictionaries and views."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if column.type == pa.string_view():
        column = column.cast(pa.large_string())
    return column.cast(pa.large_binary())


def _buffers(text: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    _, offsets, data = text.buffers()
    if not len(text):
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    ends = np.frombuffer(offsets, np.int64)[text.offset : text.offset + len(text) + 1]
    return np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]], ends - ends[0]


def _ids(batch: Any, fields: Fields) -> tuple[list[str], dict[int, str]]:
    """The ids, empty where there is none, and why rows have no usable one, by row."""
    ids, bad = [""] * len(batch), {}
    for column in _columns(batch, fields.id_names):
        for row, value in enumerate(_values(column)):
            try:
                ids[row] = id_text(fields.id_names[0], value)
            except Unusable as problem:
                bad[row] = str(problem)
    return ids, bad


def _known(pa: Any, batch: Any, names: Sequence[str]) -> list[str]:
    """The first value under one of the names, row by row; one that is not UTF-8 is empty."""
    known: list[str | None] = [None] * len(batch)
    for column in _columns(batch, names):
        found = _said(pa, column)
        known = [value if before is None else before for before, value in zip(known, found, strict=True)]
    return [value or "" for value in known]


def _said(pa: Any, column: Any) -> list[str | None]:
    """The values of a column as text, None where it is null."""
    if _is_text(pa, column.type):
        return [None if value is None else _decode(value) for value in _plain(pa, column).to_pylist()]
    if _is_date(pa, column.type):
        moments, there = _moments(pa, column, Fields())
        zone: Literal["UTC", "naive"] = "UTC" if getattr(column.type, "tz", None) else "naive"
        written = np.datetime_as_string(moments.view("M8[us]"), unit="auto", timezone=zone).tolist()
        return [date if dated else None for date, dated in zip(written, there, strict=True)]
    return [None if is_missing(value) else about_text(value) for value in _values(column)]


def _decode(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return ""


def _values(column: Any) -> list[Any]:
    """The values of a column, None for one that Python cannot hold, such as a string that is not UTF-8."""
    try:
        return list(column.to_pylist())
    except ValueError:
        return [_value(scalar) for scalar in column]


def _value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except ValueError:
        return None


def _published(pa: Any, batch: Any, fields: Fields) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The dates in microseconds, and whether there is one that cannot be read, row by row."""
    published = np.full(len(batch), UNDATED)
    there = np.zeros(len(batch), bool)
    for column in _columns(batch, fields.published_names):
        if not there.all():
            found, dated = _moments(pa, column, fields)
            published = np.where(there, published, found)
            there |= dated
    return published, there & (published == UNDATED)


def _moments(pa: Any, column: Any, fields: Fields) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The dates of a column in microseconds, and whether it holds something, row by row."""
    if _is_date(pa, column.type):
        unit = pa.timestamp("us", getattr(column.type, "tz", None))
        micros = column.cast(unit, safe=False).cast(pa.int64()).fill_null(UNDATED)
        return micros.to_numpy(zero_copy_only=False), column.is_valid().to_numpy(zero_copy_only=False)
    dates = [date_text(value) for value in _values(column)]
    return fields.moments(dates), np.array([bool(date.strip()) for date in dates], bool)


def _line(error: BaseException) -> str:
    return str(error).partition("\n")[0]


def _pyarrow(what: str) -> Any:
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        raise MissingExtra(what, "arrow") from None
