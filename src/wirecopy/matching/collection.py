"""What is matched, articles sorted by time; and the threads that do it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import refuse
from ..forms import Origins
from ..methods import Method, Sketches
from ..model import Article, Remarks, Skipped
from ..pairs import Shard

Texts = tuple[NDArray[np.uint8], NDArray[np.int64]]
"""Texts as one UTF-8 buffer and its offsets."""
Progress = Callable[[str, int, int], None]
"""Called with the name of a stage, how much of it is done, and how much there is to do."""
Chunk = Sequence[NDArray[Any]]
"""Some columns."""
TIED_AT_ONCE = 1 << 16
"""So many articles have their ids read at a time to sort those of one date."""
In = TypeVar("In")
Out = TypeVar("Out")


class Collection(Protocol):
    """Articles by rank, which is their place when sorted by `published`, then by id; ids that are only numbers by number, and first."""

    @property
    def ids(self) -> Sequence[str]:
        """The id at each rank."""

    @property
    def labels(self) -> Sequence[Any] | None:
        """The value at each rank of a frame's index, if these are the ids of all articles."""

    @property
    def skipped(self) -> Sequence[Skipped]:
        """Records that could not be used."""

    @property
    def warnings(self) -> Sequence[str]:
        """Reasons why answers may not be what was expected."""

    @property
    def remarks(self) -> Remarks:
        """What is odd about the articles."""

    @property
    def missing_fields(self) -> Sequence[str]:
        """The fields that were asked for by name and that no record has."""

    def texts(self, ranks: NDArray[np.uint32]) -> Texts:
        """The texts at some ranks."""

    def articles(self, ranks: NDArray[np.uint32]) -> list[Article]:
        """The articles at some ranks, with their texts and, of what is known about them, `KEPT`."""

    def describe(self, ranks: NDArray[np.uint32]) -> list[Article]:
        """The same without their texts."""

    def origins(self, ranks: NDArray[np.uint32]) -> Origins:
        """The dates and addresses of the articles at some ranks."""

    def count_sources(self, ranks: NDArray[np.uint32]) -> Mapping[str, int]:
        """How many of the articles at some ranks are of each source, if sources are known."""


class Filing(Protocol):
    """What the articles of a collection are filed under; they are numbered as they were filed."""

    @property
    def ranks(self) -> NDArray[np.uint32]:
        """The rank of each article."""

    def count_shards(self, method: Method) -> int:
        """How many shards the postings of a method are in."""

    def shards(self, method: Method, *, last: bool) -> tuple[NDArray[np.uint32], Iterator[Shard]]:
        """The number of words of each article, and the postings of each shard, which are given away the `last` time."""

    def sketches(self, method: Method) -> tuple[Sketches, NDArray[np.int64]]:
        """What a method remembers of each article, and the number of the article at each rank."""


def rank(
    published: NDArray[np.int64],
    get_ids: Callable[[NDArray[np.int64]], Sequence[Any]],
    matters: NDArray[np.bool_] | None = None,
) -> NDArray[np.int64]:
    """The indices of the articles, sorted by `published`, then by id.

    Ids, or what they are sorted by, are asked for only where dates are equal, and only of articles whose order `matters` (by default, all).
    """
    order = np.argsort(published, kind="stable") if matters is None else np.lexsort((matters, published))
    times = published[order]
    same = times[1:] == times[:-1]
    if matters is not None:
        same &= matters[order[1:]] & matters[order[:-1]]
    starts = np.flatnonzero(np.append(True, ~same))
    for first, last in pairwise(_cut(starts, len(order))):
        inside = same[first : last - 1]
        if inside.any():
            tied = first + np.flatnonzero(np.append(False, inside) | np.append(inside, False))
            ids = get_ids(order[tied])
            by_id = np.array(sorted(range(len(tied)), key=ids.__getitem__))
            order[tied] = order[tied][by_id[np.argsort(times[tied][by_id], kind="stable")]]
    return order


def _cut(starts: NDArray[np.int64], end: int) -> list[int]:
    """Some of these places, from the first to the end, so that `TIED_AT_ONCE` or a few more lie between one and the next."""
    edges = [0]
    while edges[-1] < end:
        place = int(np.searchsorted(starts, edges[-1] + TIED_AT_ONCE))
        edges.append(int(starts[place]) if place < len(starts) else end)
    return edges


def invert(order: NDArray[np.int64], articles: int, left_out: int) -> NDArray[np.uint32]:
    """The rank of each of N `articles`, from the article at each rank; `left_out` for one without a rank."""
    ranks = np.full(articles, left_out, np.uint32)
    ranks[order] = np.arange(len(order), dtype=np.uint32)
    return ranks


class Kept(Protocol):
    """Chunks that a stage leaves for a later one, in order."""

    def __iter__(self) -> Iterator[Chunk]: ...

    def __len__(self) -> int: ...

    def drop(self) -> None:
        """Forget them: no later stage needs them."""


class InMemory(list[Chunk]):
    """Chunks that are kept in memory."""

    def drop(self) -> None:
        """Forget them."""
        self.clear()


class Pool:
    """How work is done: threads that apply a function to many items, the function that is told of progress, where stages leave chunks."""

    def __init__(self, threads: int, progress: Progress | None = None) -> None:
        self.threads = threads
        self.progress: Progress = progress or (lambda stage, done, total: None)
        self.executor = ThreadPoolExecutor(threads) if threads > 1 else None

    def map(
        self, function: Callable[[In], Out], items: Iterable[In], stage: str = "", total: int = 0
    ) -> Iterator[Out]:
        """The result of `function` for each item, in order; only a few are computed ahead. Progress is told of a stage that is named."""
        if stage:
            self.progress(stage, 0, total)
            yield from self._tell(self.map(function, items), stage, total, lambda _: 1)
            return
        if self.executor is None:
            yield from map(function, items)
            return
        waiting: deque[Future[Out]] = deque()
        for item in items:
            waiting.append(self.executor.submit(function, item))
            del item
            if len(waiting) > 2 * self.threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def cut(self, articles: int) -> NDArray[np.uint32]:
        """The first ranks of the ranges that the pairs of N articles are worked on by, but that of the first: here there is one."""
        return np.empty(0, np.uint32)

    def cut_names(self, size: int) -> int:
        """In how many ranges slots are learnt from that take so many bytes: here in one."""
        return 1

    def scatter(
        self,
        name: str,
        function: Callable[[In], Sequence[Chunk]],
        items: Iterable[In],
        buckets: int = 1,
        *,
        stage: str = "",
        total: int = 0,
        size: Callable[[Chunk], int] = lambda _: 1,
    ) -> Sequence[Kept]:
        """What `function` gives for each item, a chunk for each of some buckets, kept by bucket.

        `name` is that of the stage, the same whenever the same work is done. Progress is told of a `stage`; `size` says by the first chunk how
        much was done.
        """
        done = self.done(name)
        if done is not None:
            return done
        results = self.map(function, items)
        if stage:
            results = self._tell(results, stage, total, lambda chunks: size(chunks[0]))
        return self.keep(name, buckets, results)

    def done(self, name: str) -> Sequence[Kept] | None:
        """What a stage of this name left before; here nothing is known of that."""
        return None

    def keep(self, name: str, buckets: int, results: Iterable[Sequence[Chunk]]) -> Sequence[Kept]:
        """The results of a stage by bucket: here in memory."""
        kept = [InMemory() for _ in range(buckets)]
        for chunks in results:
            for bucket, chunk in zip(kept, chunks, strict=True):
                bucket.append(chunk)
        return kept

    def _tell(
        self, results: Iterable[Out], stage: str, total: int, size: Callable[[Out], int]
    ) -> Iterator[Out]:
        """The results, of which progress is told by their sizes."""
        done = 0
        for result in results:
            done += size(result)
            self.progress(stage, done, total)
            yield result

    def map_parts(self, function: Callable[[int], Out], parts: Iterable[int]) -> Iterator[Out]:
        """The result of `function` for each part of an index."""
        return self.map(function, parts, "indexing", _core.PARTS)


@contextmanager
def open_pool(
    threads: int | None,
    progress: Progress | None = None,
    make: Callable[[int, Progress | None], Pool] | None = None,
) -> Iterator[Pool]:
    """A pool of N threads, by default one for each core that this process may use; `make` makes another than a plain one."""
    refuse((threads is not None and threads < 1, f"threads: expected at least 1, got {threads}"))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    pool = (make or Pool)(threads or cores, progress)
    try:
        yield pool
    finally:
        if pool.executor is not None:
            pool.executor.shutdown(cancel_futures=True)
