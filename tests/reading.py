"""Reads articles, and makes things to read them from."""

import io
import sys
from datetime import UTC, datetime
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from wirecopy import sources
from wirecopy.model import Remarks, held_by_either, missing

Row = tuple[str, str, int]
# What Arrow has for text.
KINDS = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.dictionary(pa.int32(), pa.string()),
    pa.binary(),
]


class Read:
    """Everything that a source holds, batches joined."""

    def __init__(self, inputs: Any, **options: Any) -> None:
        self.work = list(sources.read(inputs, **options))
        batches = [work() for work in self.work]
        self.rows: list[Row] = []
        self.about: dict[str, list[str]] = {}
        for batch in batches:
            assert batch.text.dtype == np.uint8
            assert batch.offsets.dtype == batch.published.dtype == np.int64
            assert len(batch.ids) == len(batch.published) == len(batch.offsets) - 1
            assert batch.offsets[0] == 0
            assert batch.offsets[-1] == len(batch.text)
            for name, column in batch.about.items():
                assert len(column) == len(batch)
                self.about[name] = [*self.about.get(name, []), *column]
            for row, id in enumerate(batch.ids):
                text = bytes(batch.text[batch.offsets[row] : batch.offsets[row + 1]]).decode()
                self.rows.append((id, text, int(batch.published[row])))
        self.skipped = [(skipped.where, skipped.reason) for batch in batches for skipped in batch.skipped]
        self.missing = missing(reduce(held_by_either, (batch.held for batch in batches), {}))
        self.remarks = sum((batch.remarks for batch in batches), Remarks())
        self.unreadable_dates = self.remarks.unreadable_dates

    @property
    def texts(self) -> dict[str, str]:
        return {id: text for id, text, _ in self.rows}


def micros(*when: int) -> int:
    """Microseconds since 1970 at this moment in UTC."""
    return int(datetime(*when, tzinfo=UTC).timestamp()) * 10**6  # type: ignore[arg-type, misc]


def pipe(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """Give it on stdin."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
