"""What gold and results are made of: ids as numbers, pairs as columns, and what was skipped."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ..comparison import RELATIONS
from ..measures import Span
from ..model import LISTED, Columns, Skipped, list_skipped
from ..sources.tables import Column, Rows

Kind = Literal["pairs", "clusters", "passages", "verdicts"]
KINDS: tuple[Kind, ...] = ("pairs", "clusters", "passages", "verdicts")
NOBODY = np.uint32(2**32 - 1)
"""The number of an id that is not known."""
RELATION_CODES = {str(one): code for code, one in enumerate(RELATIONS, 1)}
TURNED = np.array([0, *(RELATION_CODES[str(one)] for one in RELATIONS)], np.uint8)
"""The code of each relation seen from the other side."""
TURNED[[RELATION_CODES["contains"], RELATION_CODES["contained-in"]]] = TURNED[
    [RELATION_CODES["contained-in"], RELATION_CODES["contains"]]
]


class Names(Sequence[str]):
    """Texts that are kept as bytes, some at a time: of millions of ids hardly one is ever looked at."""

    def __init__(self) -> None:
        self._parts: list[Column] = []
        self._firsts: list[int] = []
        self._many = 0

    def __len__(self) -> int:
        return self._many

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(self._many))]
        if not 0 <= place < self._many:
            raise IndexError(place)
        part = bisect_right(self._firsts, place) - 1
        return self._parts[part][int(place) - self._firsts[part]]

    def add(self, column: Column, rows: NDArray[np.int64]) -> None:
        """Add the texts of some rows of a column."""
        self._parts.append(column.take(rows))
        self._firsts.append(self._many)
        self._many += len(rows)


class Ids:
    """Ids as numbers, in the order in which they are first seen."""

    def __init__(self) -> None:
        self._hashes = np.empty(0, np.uint64)
        self._numbers = np.empty(0, np.uint32)
        self.names = Names()

    def __len__(self) -> int:
        return len(self.names)

    def number(self, column: Column, *, new: bool = True) -> NDArray[np.uint32]:
        """The number of each id of a column; one that is not known gets a `new` one, or is `NOBODY`."""
        distinct, first, places = np.unique(column.hashes(), return_index=True, return_inverse=True)
        at = np.searchsorted(self._hashes, distinct)
        at_known = np.minimum(at, max(0, len(self._hashes) - 1))
        is_known = self._hashes[at_known] == distinct if len(self._hashes) else np.zeros(len(distinct), bool)
        numbers = np.full(len(distinct), NOBODY)
        numbers[is_known] = self._numbers[at_known[is_known]]
        if new and not is_known.all():
            fresh = np.flatnonzero(~is_known)
            fresh = fresh[np.argsort(first[fresh])]
            numbers[fresh] = np.arange(len(self.names), len(self.names) + len(fresh), dtype=np.uint32)
            self.names.add(column, first[fresh])
            fresh.sort()
            self._hashes = np.insert(self._hashes, at[fresh], distinct[fresh])
            self._numbers = np.insert(self._numbers, at[fresh], numbers[fresh])
        return numbers[places]


@dataclass(frozen=True, slots=True)
class Known:
    """All articles of a collection: their ids, and for each of some fields the value of each article, as a place in its names."""

    ids: Ids
    articles: int
    fields: Mapping[str, tuple[NDArray[np.uint32], Sequence[str]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pairs(Columns):
    """Pairs of articles by number, each once.

    `counts` is a `Counts`; `relation` a place in `RELATIONS` plus one, 0 where none is told; `group` a place in the names of the classes;
    `line` where the pair stands. What is only ranked is not `accepted`.
    """

    query: NDArray[np.uint32]
    found: NDArray[np.uint32]
    counts: NDArray[np.uint8]
    relation: NDArray[np.uint8]
    group: NDArray[np.uint32]
    score: NDArray[np.float64]
    accepted: NDArray[np.bool_]
    line: NDArray[np.int64]

    def keys(self) -> NDArray[np.uint64]:
        """A number for each pair, whichever article is called the query."""
        keys = np.minimum(self.query, self.found).astype(np.uint64)
        keys <<= np.uint64(32)
        keys |= np.maximum(self.query, self.found)
        return keys


class Gathering:
    """Pairs as they come, in columns that grow by doubling: nothing is held twice, as it would be until parts are joined."""

    def __init__(self) -> None:
        kinds = (np.uint32, np.uint32, np.uint8, np.uint8, np.uint32, np.float64, np.bool_, np.int64)
        self._columns: list[NDArray[Any]] = [np.empty(0, kind) for kind in kinds]
        self._many = 0

    def add(self, pairs: Pairs) -> None:
        """Add some."""
        end = self._many + len(pairs)
        for place, name in enumerate(Pairs.__match_args__):
            held = self._columns[place]
            if end > len(held):
                grown = np.empty(max(end, 2 * len(held)), held.dtype)
                grown[: self._many] = held[: self._many]
                self._columns[place] = grown
            self._columns[place][self._many : end] = getattr(pairs, name)
        self._many = end

    def all(self) -> Pairs:
        """All of them."""
        return Pairs(*(column[: self._many] for column in self._columns))


@dataclass(frozen=True)
class Table:
    """What was read of a file: pairs, or the cluster of each article, or passages, or verdicts; and what was skipped."""

    kind: Kind
    ids: Ids
    skipped: Sequence[Skipped]
    pairs: Pairs | None = None
    groups: Sequence[str] = ()
    articles: NDArray[np.uint32] | None = None
    clusters: NDArray[np.uint32] | None = None
    passages: Mapping[tuple[int, int], Sequence[Span]] | None = None
    classes: Mapping[tuple[int, int], str] | None = None
    duplicate: NDArray[np.bool_] | None = None
    scores: NDArray[np.float64] | None = None
    score_name: str = ""
    records: int = 0
    repeated: int = 0
    """Pairs of a result that stand there more than once; the one with the best score counts."""


class Skipping:
    """Collects what is skipped of a file, of each kind the first thousand, and how many more."""

    def __init__(self) -> None:
        self._parts: list[Sequence[Skipped]] = []

    def read(self, rows: Rows) -> None:
        """Note what could not be read."""
        if rows.skipped:
            self._parts.append(rows.skipped)

    def empty(self, path: Path, records: int) -> None:
        """Note that a file holds nothing at all, if it has no records, bad ones included."""
        if not records and not self._parts:
            self._parts.append([Skipped(str(path), "empty")])

    def tell(
        self,
        bad: NDArray[np.bool_],
        where: Callable[[int], str],
        reason: Callable[[int], str],
    ) -> NDArray[np.bool_]:
        """Note the rows that are bad, each with its reason; return which are not."""
        rows = np.flatnonzero(bad)
        listed = [Skipped(where(row), reason(row)) for row in rows[:LISTED].tolist()]
        if len(rows) > LISTED:
            listed[-1] = Skipped(listed[-1].where, listed[-1].reason, len(rows) - LISTED)
        if listed:
            self._parts.append(listed)
        return ~bad

    def all(self) -> list[Skipped]:
        """All of them."""
        return list_skipped(*self._parts)


def named_fields(articles: Iterator[tuple[Sequence[str], Mapping[str, Sequence[str]]]]) -> Known:
    """The articles of a collection, given as batches of ids with what is known about each."""
    ids = Ids()
    parts: dict[str, list[NDArray[np.uint32]]] = {}
    names: dict[str, Ids] = {}
    for batch, about in articles:
        before = len(ids)
        numbers, first = np.unique(ids.number(as_column(batch)), return_index=True)
        fresh = first[numbers >= before].tolist()
        for name, values in about.items():
            held = names.setdefault(name, Ids())
            parts.setdefault(name, []).append(held.number(as_column([values[row] for row in fresh])))
    return Known(
        ids, len(ids), {name: (np.concatenate(some), names[name].names) for name, some in parts.items()}
    )


def as_column(values: Sequence[str]) -> Column:
    """Texts as a column."""
    encoded = [value.encode("utf-8", "replace") for value in values]
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=offsets[1:])
    return Column(np.frombuffer(b"".join(encoded), np.uint8), offsets)
