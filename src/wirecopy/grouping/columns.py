"""Records by columns, one inside the other: made into Python objects, or into lines of JSON without making these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .records import Record


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts, or None, by their places among some; None at -1."""

    texts: Sequence[str | None]
    places: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Lists:
    """A list for each row: row i has the rows `offsets[i]` to before `offsets[i + 1]` of another column."""

    offsets: NDArray[np.int64]
    of: Column


@dataclass(frozen=True, slots=True)
class Maybe:
    """The values of another column, but None in rows that are not `present`."""

    present: NDArray[np.bool_]
    of: Column


@dataclass(frozen=True, slots=True)
class Records:
    """Records of a class, a column for each of its fields."""

    kind: type[Record]
    fields: tuple[Column, ...]


Column = NDArray[np.int64] | NDArray[np.float64] | NDArray[np.bool_] | Texts | Lists | Maybe | Records


def read(column: Column) -> list[Any]:
    """The value of each row; a number that is none is None."""
    match column:
        case Texts(texts, places):
            return [None if place < 0 else texts[place] for place in places.tolist()]
        case Lists(offsets, of):
            values = read(of)
            return [tuple(values[start:end]) for start, end in pairwise(offsets.tolist())]
        case Maybe(present, of):
            both = zip(present.tolist(), read(of), strict=True)
            return [value if is_present else None for is_present, value in both]
        case Records(kind, fields):
            return [kind(*values) for values in zip(*map(read, fields), strict=True)]
    return [None if value != value else value for value in column.tolist()]


def json_lines(column: Column) -> str:
    """The rows as lines of JSON, each what `json` makes of `Record.to_dict`."""
    return _core.json_lines(_plain(column))


def _plain(column: Column) -> Any:
    """A column as the core reads it."""
    match column:
        case Texts(texts, places):
            return texts, places
        case Lists(offsets, of):
            return offsets, _plain(of)
        case Maybe(present, of):
            return present, _plain(of)
        case Records(kind, fields):
            return dict(zip(kind.json_names(), map(_plain, fields), strict=True))
    return column
