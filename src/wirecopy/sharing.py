"""The pairs of a collection that share keys, for a method that decides by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .methods import Keys, Method, Sketches

BLOCK_ARTICLES = 1 << 10
BLOCK_WORK = 1 << 20
"""Articles, and look-ups of earlier ones, that make a block of work."""

Map = Callable[[Callable[[int], Any], Iterable[int]], Iterable[Any]]


class Sharing:
    """The pairs of a collection that share enough to be accepted by a method; no rule of ours is applied."""

    def __init__(
        self,
        method: Method,
        sketches: Sketches,
        order: NDArray[np.int64],
        apply: Map = map,
        queries: int = 0,
    ) -> None:
        """`order` is the article at each rank; keys that the method calls common are left out of the sketches.

        The last `queries` articles are not filed, and nothing is looked up for them.
        """
        leaves_out = type(method).common is not Method.common
        probes_itself = type(method).probes is Method.probes
        everyone, order = order, order[: len(order) - queries]
        # A key of one article alone makes no pair, unless others are looked up under it without being filed there.
        keep_all = leaves_out or not probes_itself
        index = _file((method.elements if probes_itself else method.keys)(sketches), order, keep_all, apply)
        if leaves_out:
            values, occurrences, articles = index.counts()
            common = method.common(occurrences, articles)
            index.leave_out(common)
            known = _core.Numbers(values[common], np.zeros(np.count_nonzero(common), np.uint32))
            sketches = sketches.keep(known.look_up(sketches.columns[0]) != 0)
        self.sketches = sketches.take(everyone)
        """The sketches by rank, without common keys."""
        if probes_itself:
            work = index.limit(method.least_shared(index.totals()), method.mutual)
            self._next = index.pairs
        else:
            probes = method.probes(sketches)
            work = np.ones(len(order), np.int64)
            self._next = partial(index.probe, probes.values, *_bounds(probes, order))
        block = np.maximum(np.cumsum(work) // BLOCK_WORK, np.arange(len(order)) // BLOCK_ARTICLES)
        starts = np.flatnonzero(np.diff(block, prepend=-1))
        self.blocks = list(pairwise([*starts.tolist(), len(order)]))
        """Stretches of ranks for the later articles of pairs, each a moderate piece of work."""

    def pairs(
        self, start: int, end: int, most: int
    ) -> Iterator[tuple[NDArray[np.uint32], NDArray[np.uint32]]]:
        """Pairs (later, earlier) of the later articles from `start` to `end`, some `most` at a time."""
        while start < end:
            later, earlier, start = self._next(start, end, most)
            yield later, earlier


def count_hits(sketches: Sketches, table: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many elements of each article are, in all columns, in another article of the `table`, a flag an article."""
    lengths = sketches.ends - sketches.starts
    if not lengths.sum():
        return np.zeros(len(sketches), np.int64)
    owners = np.repeat(np.arange(len(sketches)), lengths)
    places = np.arange(len(owners)) + np.repeat(sketches.starts - (np.cumsum(lengths) - lengths), lengths)
    columns = [column[places] for column in sketches.columns]
    order = np.lexsort((owners, *columns))
    owners = owners[order]
    differ = np.any([np.diff(column[order]) != 0 for column in columns], axis=0)
    first = np.concatenate([[True], differ])
    group = np.cumsum(first) - 1
    holds = table[owners] & (first | np.concatenate([[True], np.diff(owners) != 0]))
    others = np.bincount(group, holds)[group] - table[owners]
    return np.bincount(owners[others > 0], minlength=len(sketches))


def _file(keys: Keys, order: NDArray[np.int64], keep_all: bool, apply: Map) -> _core.Index:
    rows = keys.values, *_bounds(keys, order), keys.weights
    parts = apply(lambda part: _core.file_part(*rows, part, keep_all), range(_core.PARTS))
    return _core.Index(len(order), list(parts))


def _bounds(keys: Keys, order: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return keys.offsets[order], keys.offsets[order + 1]
