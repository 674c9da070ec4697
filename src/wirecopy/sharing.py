"""The pairs of a collection that share keys, for a method that decides by itself: no other rule is applied."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .methods import Keys, Method, Sketches

BLOCK_ARTICLES = 1 << 10
BLOCK_WORK = 1 << 20
"""The most articles, and look-ups of earlier ones, in a block of work."""

Map = Callable[[Callable[[int], Any], Iterable[int]], Iterable[Any]]


class Sharing:
    """The pairs of a collection that share enough to be accepted by a method."""

    def __init__(
        self, method: Method, sketches: Sketches, order: NDArray[np.int64], apply: Map = map
    ) -> None:
        """`order` is the number of the article at each rank. Keys that the method calls common are left out of the sketches."""
        # A key of one article alone makes no pair, unless others are looked up under it without being filed there.
        keep_all = method.leaves_out or method.is_directed
        keys = (method.keys if method.is_directed else method.elements)(sketches)
        rows = keys.values, *_bounds(keys, order), keys.weights
        parts = apply(lambda part: _core.file_part(*rows, part, keep_all), range(_core.PARTS))
        self._method, self._order = method, order
        self._index = _core.Index(len(order), list(parts))
        self._common: _core.Numbers | None = None
        if method.leaves_out:
            values, occurrences, articles = self._index.counts()
            is_common = method.common(occurrences, articles)
            self._index.leave_out(is_common)
            self._common = _core.Numbers(values[is_common], np.zeros(np.count_nonzero(is_common), np.uint32))
        self._kept = self.leave_out(sketches)
        self.sketches = self._kept.take(order)
        """The sketches by rank, without common keys."""

    def leave_out(self, sketches: Sketches) -> Sketches:
        """Some sketches without the keys that are common in this collection."""
        return sketches.keep(self._common.look_up(sketches.columns[0]) != 0) if self._common else sketches

    @cached_property
    def _probes(self) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
        probes = self._method.probes(self._kept)
        return probes.values, *_bounds(probes, self._order)

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """Ranges of ranks, for the later articles of pairs, that are each a moderate piece of work."""
        work, method = np.ones(len(self._order), np.int64), self._method
        if not method.is_directed:
            work = self._index.limit(method.least_shared(self._index.totals()), method.mutual)
        block = np.maximum(np.cumsum(work) // BLOCK_WORK, np.arange(len(work)) // BLOCK_ARTICLES)
        return list(pairwise([*np.flatnonzero(np.diff(block, prepend=-1)).tolist(), len(work)]))

    def pairs(
        self, start: int, end: int, most: int
    ) -> Iterator[tuple[NDArray[np.uint32], NDArray[np.uint32]]]:
        """The pairs (later, earlier) whose later article is in `start:end`, about `most` at a time."""
        assert self.blocks or start == end  # which says what is shared at least
        while start < end:
            if self._method.is_directed:
                later, earlier, start = self._index.probe(*self._probes, start, end, most)
            else:
                later, earlier, start = self._index.pairs(start, end, most)
            yield later, earlier


def count_hits(queries: Sketches, table: Sketches, own: NDArray[np.uint32]) -> NDArray[np.int64]:
    """How many elements of each query occur, equal in all columns, in an article of a table other than its own."""
    if not len(queries):
        return np.empty(0, np.int64)
    queried, mine = _elements(queries)
    held, theirs = _elements(table)
    columns = [np.concatenate(both) for both in zip(mine, theirs, strict=True)]
    order = np.lexsort(columns)
    differ = np.any([np.diff(column[order]) != 0 for column in columns], axis=0)
    group = np.empty(len(order), np.int64)
    group[order] = np.cumsum(np.concatenate([[True], differ])[: len(order)])
    query_group, held_group = group[: len(queried)], group[len(queried) :]
    pairs = np.unique(held_group * (len(table) + 1) + held)
    holders = np.bincount(pairs // (len(table) + 1), minlength=len(order) + 1)
    owned = np.isin(query_group * (len(table) + 1) + np.minimum(own[queried], len(table)), pairs)
    return np.bincount(queried[holders[query_group] > owned], minlength=len(queries))


def _elements(sketches: Sketches) -> tuple[NDArray[np.int64], list[NDArray[Any]]]:
    """The article of each element, and the columns of all articles, concatenated."""
    lengths = sketches.ends - sketches.starts
    owners = np.repeat(np.arange(len(sketches)), lengths)
    places = np.arange(len(owners)) + np.repeat(sketches.starts - (np.cumsum(lengths) - lengths), lengths)
    return owners, [column[places] for column in sketches.columns]


def _bounds(keys: Keys, order: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return keys.offsets[order], keys.offsets[order + 1]
