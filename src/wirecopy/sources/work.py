"""What every kind of source gives out: pieces of work that become batches of articles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from wirecopy.model import Articles, Skipped
from wirecopy.sources.fields import Fields, Record, moments

MAX_RECORD_BYTES = 256 << 20
"""A longer record is a broken file (a missing line end or quote), not an article."""


@dataclass(frozen=True, slots=True)
class Work:
    """Some input that is read but not yet parsed. Calling it parses: on any thread, in any order, once or more."""

    parse: Callable[[], Articles]
    source_bytes: int = 0
    """How much of the input's files this is; over all work it sums up to `total_bytes`."""

    def __call__(self) -> Articles:
        """The batch."""
        return self.parse()


def articles(
    records: Sequence[Record],
    skipped: Sequence[Skipped] = (),
    fields: Fields = Fields(),  # noqa: B008 - frozen
) -> Articles:
    """A batch from records; of one without `about`, nothing is known."""
    published, unreadable = moments([record.published for record in records])
    texts = [record.text for record in records]
    columns = [
        [record.about[number] if record.about else "" for record in records]
        for number in range(len(fields.about_names))
    ]
    about = fields.known(columns)
    return Articles(
        [record.id for record in records],
        np.frombuffer(b"".join(texts), np.uint8),
        np.fromiter(accumulate(map(len, texts), initial=0), np.int64, len(texts) + 1),
        published,
        skipped,
        unreadable,
        [record.where for record in records].__getitem__,
        about,
        fields.held(
            any(record.id != record.where for record in records),
            any(record.published for record in records),
            about,
        ),
    )


def skip(where: str, reason: str, source_bytes: int = 0) -> Work:
    """Work that yields nothing but the complaint."""
    return Work(lambda: articles([], [Skipped(where, reason)]), source_bytes)
