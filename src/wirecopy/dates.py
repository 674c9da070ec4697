"""Dates of articles: ISO 8601, and RFC 2822 as feeds have it, as moments."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from . import _core
from .model import UNDATED


def moments(dates: Sequence[str]) -> tuple[NDArray[np.int64], int]:
    """Dates as microseconds since 1970 UTC, and how many of them could not be read."""
    published = _core.iso_microseconds(dates)
    others = [
        (row, dates[row]) for row in np.flatnonzero(published == UNDATED).tolist() if dates[row].strip()
    ]
    return with_others(published, others)


def with_others(
    published: NDArray[np.int64], others: Sequence[tuple[int, str]]
) -> tuple[NDArray[np.int64], int]:
    """`published` with those of the other dates that are RFC 2822, given with their rows, and how many are not."""
    if not others:
        return published, 0
    filled = published.copy()
    for row, date in others:
        filled[row] = rfc2822_microseconds(date)
    return filled, sum(int(filled[row]) == UNDATED for row, _ in others)


_RFC2822 = re.compile(
    r"\s*(?:[A-Za-z]{3}\s*,?\s+)?\d{1,2}\s+[A-Za-z]{3}\s+\d{4}\s+\d{2}:\d{2}(?::\d{2})?"
    r"(?:\s+(?:[+-]\d{4}|[A-Za-z]{1,5}))?(?:\s*\([^)]*\))?\s*",
    re.ASCII,
)
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def rfc2822_microseconds(date: str) -> int:
    """The moment of an RFC 2822 date, in UTC where its zone is missing or unknown; `UNDATED` for anything else."""
    # The parser of the standard library guesses at anything; only the real form is given to it.
    if not _RFC2822.fullmatch(date):
        return UNDATED
    from email.utils import parsedate_to_datetime  # slow to import, and rarely needed

    try:
        moment = parsedate_to_datetime(date)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=datetime.UTC)
        return (moment - _EPOCH) // datetime.timedelta(microseconds=1)
    except (ValueError, TypeError, OverflowError, IndexError):
        return UNDATED
