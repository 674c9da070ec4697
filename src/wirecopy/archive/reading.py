"""What an archive is given, read: batches of any source, ids for records that have none, moments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from .. import _core
from ..errors import UsageError
from ..model import UNDATED, Article, Articles
from ..sources import Fields, read
from ..text import utf8


def read_batches(
    given: Any, fields: Fields | None, about: tuple[str, ...], unnamed: str
) -> Iterator[Articles]:
    """The batches of what is given, a batch or any source; raises UsageError for a record that cannot be used."""
    if isinstance(given, Articles):
        yield given
        return
    one = isinstance(given, str | Article | Mapping)
    reading = replace(fields or Fields(), about=about)
    for part in read([given] if one else given, fields=reading, unnamed=unnamed):
        batch = part()
        for skipped in batch.skipped:
            raise UsageError(str(skipped))
        yield batch


def name_by_text(record: Any, fields: Fields) -> Any:
    """A record, or a list of them, with a hash of the text as id where there is none: a place would mean nothing in the next call."""
    if isinstance(record, list | tuple):
        return [name_by_text(one, fields) for one in record]
    if not isinstance(record, Mapping) or any(record.get(name) is not None for name in fields.id_names):
        return record
    body = next((record[name] for name in fields.text_names if isinstance(record.get(name), str)), None)
    return record if body is None else {**record, fields.id_names[0]: _core.blake3_hex([utf8(body)])[0]}


def read_moment(date: str | None) -> int | None:
    """A date in microseconds; raises UsageError if it cannot be read."""
    if date is None:
        return None
    found = int(_core.moments([date])[0])
    if found == UNDATED:
        raise UsageError(f"expected a date such as 2026-03-01 or 2026-03-01T12:00:00Z, got {date!r}")
    return found
