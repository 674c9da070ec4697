"""JSON lines: cut into chunks at line ends here, parsed by the core."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from wirecopy import _core
from wirecopy.model import UNDATED, Articles, Skipped, SkippedLines
from wirecopy.sources import work
from wirecopy.sources.fields import Fields, remark
from wirecopy.sources.opening import Stream
from wirecopy.sources.unpacking import Damaged
from wirecopy.sources.work import Work, articles, skip


def read(stream: Stream, path: str, fields: Fields, batch_bytes: int) -> Iterator[Work]:
    """Yields the work in a stream of lines, whose places are named `path:N`."""
    counted = 0
    for piece in cut(stream, path, batch_bytes):
        if isinstance(piece, Skipped):
            yield skip(piece.where, piece.reason)
            continue
        yield Work(partial(parse, *piece, path, fields), stream.source_bytes - counted)
        counted = stream.source_bytes
    if stream.source_bytes > counted:
        yield Work(partial(articles, []), stream.source_bytes - counted)


def cut(stream: Stream, path: str, batch_bytes: int) -> Iterator[tuple[NDArray[np.uint8], int] | Skipped]:
    """Yields pieces of whole lines, each with the number of its first, and what cannot be read."""
    line = 1
    carry = np.empty(0, np.uint8)
    overlong = done = False
    while not done:
        buffer, damage = _fill(stream, carry, max(batch_bytes, len(carry)))
        done = damage is not None
        if overlong:
            ends = np.flatnonzero(buffer == ord("\n"))
            overlong = not len(ends)
            line += not overlong
            buffer = buffer[len(buffer) if overlong else ends[0] + 1 :]
        new_lines, end = _core.line_ends(buffer)
        if damage == "":
            end = len(buffer)
        elif not end and (reason := _too_long(len(buffer)) or stream.too_dense(len(buffer))):
            yield Skipped(f"{path}:{line}", reason)
            overlong, buffer = True, buffer[:0]
        if end:
            yield buffer[:end], line
        line += new_lines
        carry = buffer[end:].copy()
        if damage:
            yield Skipped(f"{path}:{line}", damage)


def _too_long(size: int) -> str:
    limit = work.MAX_RECORD_BYTES
    return f"longer than {limit} bytes; cut it into records" if size > limit else ""


def _fill(stream: Stream, carry: NDArray[np.uint8], size: int) -> tuple[NDArray[np.uint8], str | None]:
    """The carried bytes and `size` more, and None; at the end of the stream what is there, and why it ended: "" if well."""
    buffer = np.empty(len(carry) + size, np.uint8)
    buffer[: len(carry)] = carry
    view = buffer.data
    filled = len(carry)
    while filled < len(buffer):
        try:
            count = stream.readinto(view[filled:])
        except Damaged as damage:
            return buffer[:filled], str(damage)
        if not count:
            return buffer[:filled], ""
        filled += count
    return buffer, None


def parse(data: NDArray[np.uint8], first_line: int, path: str, fields: Fields) -> Articles:
    """The articles in lines of JSON, of which the first is line `first_line` of `path`."""
    dated = [] if fields.date_format is None else [fields.published_names]
    text, offsets, ids, published, other_dates, about, lines, (bad, which, reasons) = _core.read_jsonl(
        data,
        fields.text_names,
        fields.id_names,
        fields.published_names,
        [*fields.about_names, *dated],
        work.MAX_RECORD_BYTES,
    )
    unreadable = [date for _, date in other_dates]
    if dated:
        dates = about.pop()
        published = fields.moments(dates)
        unreadable = [
            dates[row] for row in np.flatnonzero(published == UNDATED).tolist() if dates[row].strip()
        ]
    known_about = fields.known(about)
    held = fields.held(any(ids), bool(other_dates) or bool((published != UNDATED).any()), known_about)
    if "" in ids:
        ids = [
            known or f"{path}:{first_line + line}" for known, line in zip(ids, lines.tolist(), strict=True)
        ]
    return Articles(
        ids,
        text,
        offsets,
        published,
        SkippedLines(path, bad + first_line, which, reasons) if len(bad) else (),
        remark(unreadable, text, offsets),
        lambda row: f"{path}:{first_line + int(lines[row])}",
        known_about,
        held,
    )
