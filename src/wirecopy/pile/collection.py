"""The articles of a pile, and the threads that work on them."""

from __future__ import annotations

import os
from bisect import bisect
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from ..model import Articles, Skipped, held_by_either

LEFT_OUT = np.iinfo(np.uint32).max
"""The rank of an article that takes no part."""

In = TypeVar("In")
Out = TypeVar("Out")


class Pool:
    """Threads that apply a function to many things, results in order, few of them waiting at a time."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.executor = ThreadPoolExecutor(threads) if threads > 1 else None

    def map(self, function: Callable[[In], Out], items: Iterable[In]) -> Iterator[Out]:
        """`function` of each item, in order."""
        if self.executor is None:
            yield from map(function, items)
            return
        waiting: deque[Future[Out]] = deque()
        for item in items:
            waiting.append(self.executor.submit(function, item))
            if len(waiting) > 2 * self.threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


@contextmanager
def open_pool(threads: int | None) -> Iterator[Pool]:
    """A pool of so many threads, by default one for each core this process may use."""
    if threads is not None and threads < 1:
        raise UsageError(f"threads: expected at least 1, got {threads}")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    pool = Pool(threads or cores)
    try:
        yield pool
    finally:
        if pool.executor is not None:
            pool.executor.shutdown(cancel_futures=True)


class Pile:
    """The articles of a pile, batch by batch, numbered in the order they were read; ranks put them in time."""

    def __init__(self, queries: Sequence[Articles] | None = None) -> None:
        """Queries, which must be added first, come last in time."""
        self._last = sum(map(len, queries or ()))
        self.asked: int | None = None if queries is None else self._last
        """How many of the articles are queries; None if there is no question."""
        self.question_batches = len(queries or ())
        self.batches: list[Articles] = []
        self.firsts: list[int] = []
        self.ids: list[str] = []
        self.skipped: list[Skipped] = []
        self.unreadable_dates = 0
        self.held: dict[str, bool] = {}
        self.own: dict[int, int] = {}
        """The article of the pile that has a query's id, by the query's number: the two are never compared."""
        self._queries: dict[str, int] = {}
        self._repeated: list[int] = []
        self._seen: set[str] = set()

    def add(self, batch: Articles) -> None:
        """Take in a batch; a repeated id is a skipped record."""
        self.firsts.append(len(self.ids))
        self.batches.append(batch)
        self.skipped.extend(batch.skipped)
        self.unreadable_dates += batch.unreadable_dates
        self.held = held_by_either(self.held, batch.held)
        if self.firsts[-1] == self._last and self._last:
            self._queries = {name: number for number, name in reversed(list(enumerate(self.ids)))}
            self._seen = set()
        fresh = set(batch.ids)
        if len(fresh) != len(batch.ids) or not self._seen.isdisjoint(fresh):
            self._note_repeated(batch)
        if not self._queries.keys().isdisjoint(fresh):
            for row, name in reversed(list(enumerate(batch.ids))):
                if name in self._queries and name not in self._seen:
                    self.own[self._queries[name]] = len(self.ids) + row
        self.ids.extend(batch.ids)
        self._seen |= fresh

    def _note_repeated(self, batch: Articles) -> None:
        before = set(self._seen)
        for row, name in enumerate(batch.ids):
            if name in before:
                number = len(self.ids) + row
                self._repeated.append(number)
                if number < self._last:
                    assert self.asked is not None
                    self.asked -= 1
                where = batch.where(row) if batch.where else name
                self.skipped.append(
                    Skipped(where, f"an article with the id {name!r} was read before; give each its own")
                )
            before.add(name)

    def rank(self, *, with_own: bool = True) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """The rank of each article, by `published` then id, and the article at each rank; queries come last.

        Articles that are a query themselves can be left out.
        """
        left_out = self._repeated if with_own else [*self._repeated, *self.own.values()]
        last = self._last
        published = np.concatenate([batch.published for batch in self.batches] or [np.empty(0, np.int64)])
        order = np.argsort(published, kind="stable")
        order = np.concatenate([order[order >= last], order[order < last]]) if last else order
        if left_out:
            order = order[~np.isin(order, left_out)]
        times = published[order]
        other = (times[1:] != times[:-1]) | ((order[1:] < last) != (order[:-1] < last))
        edges = np.flatnonzero(np.concatenate([[True], other, [True]])).tolist()
        for start, end in pairwise(edges):
            if end - start > 1:
                order[start:end] = sorted(order[start:end].tolist(), key=self.ids.__getitem__)
        ranks = np.full(len(self.ids), LEFT_OUT, np.uint32)
        ranks[order] = np.arange(len(order), dtype=np.uint32)
        return ranks, order

    def without_queries(self) -> list[Articles]:
        """The batches without queries, articles that are a query themselves, and repeated records."""
        left_out = {*range(self._last), *self._repeated, *self.own.values()}
        if not left_out:
            return self.batches
        kept = (
            [row for row in range(len(batch)) if first + row not in left_out]
            for first, batch in zip(self.firsts, self.batches, strict=True)
        )
        return [
            batch if len(rows) == len(batch) else batch.take(rows)
            for batch, rows in zip(self.batches, kept, strict=True)
        ]

    def texts(self, numbers: Iterable[int]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The texts of some articles as a batch."""
        parts = [self.bytes_of(number) for number in numbers]
        offsets = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        return np.frombuffer(b"".join(parts), np.uint8), offsets

    def bytes_of(self, number: int) -> memoryview:
        """The text of one article as UTF-8."""
        at = bisect(self.firsts, number) - 1
        batch, row = self.batches[at], number - self.firsts[at]
        return batch.text.data[batch.offsets[row] : batch.offsets[row + 1]]

    def count_sources(self, numbers: Sequence[int]) -> Mapping[str, int]:
        """How many of some articles are of each source, where that is known; a pile does not ask."""
        return {}

    def text_of(self, number: int) -> str:
        """The text of one article."""
        return str(self.bytes_of(number), "utf-8")
