"""What every kind of source gives out: pieces of work that become batches of articles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wirecopy.model import UNDATED, Articles, Skipped
from wirecopy.sources.fields import Fields, Record, Unusable, remark

MAX_RECORD_BYTES = 256 << 20
"""A longer record is a broken file (a missing line end or quote), not an article."""


@dataclass(frozen=True, slots=True)
class Work:
    """Some input that is read but not yet parsed. Calling it parses it: on any thread, in any order, once or more."""

    parse: Callable[[], Articles]
    source_bytes: int = 0
    """How many bytes of the input's files this is; all work together has `total_bytes`."""

    def __call__(self) -> Articles:
        """The articles of this input."""
        return self.parse()


def articles(
    records: Sequence[Record],
    skipped: Sequence[Skipped] = (),
    fields: Fields = Fields(),  # noqa: B008 - frozen
) -> Articles:
    """A batch from records; where a record has no `about`, its columns are empty."""
    dates = [record.published for record in records]
    published = fields.moments(dates)
    unreadable = [dates[row] for row in np.flatnonzero(published == UNDATED).tolist() if dates[row].strip()]
    texts = [record.text for record in records]
    text = np.frombuffer(b"".join(texts), np.uint8)
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    columns = [
        [record.about[number] if record.about else "" for record in records]
        for number in range(len(fields.about_names))
    ]
    about = fields.known(columns)
    numbers = [record.number for record in records]
    return Articles(
        [record.id for record in records],
        text,
        offsets,
        published,
        skipped,
        remark(unreadable, text, offsets),
        [record.where for record in records].__getitem__,
        about,
        fields.held(
            any(record.id != record.where for record in records),
            any(record.published for record in records),
            about,
        ),
        None if numbers.count(None) == len(numbers) else numbers,
    )


def parse_each(
    items: Iterable[tuple[str, Any]], parse: Callable[[Any, str], Record], fields: Fields
) -> Articles:
    """A batch from items, each given behind its place; one for which `parse(item, where)` raises Unusable is skipped."""
    records, skipped = [], []
    for where, item in items:
        try:
            records.append(parse(item, where))
        except Unusable as problem:
            skipped.append(Skipped(where, str(problem)))
    return articles(records, skipped, fields)


def skip(where: str, reason: str, source_bytes: int = 0) -> Work:
    """Work that returns a batch without articles, in which this one record is skipped."""
    return Work(lambda: articles([], [Skipped(where, reason)]), source_bytes)
