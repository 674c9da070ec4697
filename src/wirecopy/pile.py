"""The whole job on a pile: read, nominate, learn boilerplate, compare.

Two passes over the words. The first files each batch's keys and forgets its words; the second reads again only the
articles that are candidates, a block of related pairs at a time. Texts and keys are what is held in memory.
"""

from __future__ import annotations

import os
from bisect import bisect
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _core, boilerplate, methods, pairs, sources, text
from .comparison import DEFAULT_PRESET, RELATIONS, Compared, Preset, build_match, compare_rows, get_preset
from .errors import UsageError
from .model import UNDATED, Articles, Match, Skipped, Tokens

DEFAULT_METHODS = ("exact", "winnowing")
BLOCK_PAIRS = 2048
LEFT_OUT = np.iinfo(np.uint32).max

Progress = Callable[[str, int, int], None]
"""Called with a stage, what is done of it and how much there is (0 where that is not known)."""

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
    pool = Pool(threads or len(os.sched_getaffinity(0)))
    try:
        yield pool
    finally:
        if pool.executor is not None:
            pool.executor.shutdown(cancel_futures=True)


class Pile:
    """The articles of a pile, batch by batch, in the order they were read; `rank` puts them in time."""

    def __init__(self) -> None:
        self.batches: list[Articles] = []
        self.firsts: list[int] = []
        self.ids: list[str] = []
        self.skipped: list[Skipped] = []
        self.unreadable_dates = 0
        self.left_out: list[int] = []
        self._seen: set[str] = set()

    def add(self, batch: Articles) -> None:
        """Take in a batch; a repeated id is a skipped record."""
        first = len(self.ids)
        self.batches.append(batch)
        self.firsts.append(first)
        self.ids.extend(batch.ids)
        self.skipped.extend(batch.skipped)
        self.unreadable_dates += batch.unreadable_dates
        seen = self._seen
        expected = len(seen) + len(batch.ids)
        before = len(seen)
        seen.update(batch.ids)
        if len(seen) != expected:
            self._leave_out_repeated(first, batch.ids, before)

    def _leave_out_repeated(self, first: int, ids: Sequence[str], before: int) -> None:
        earlier = set(self.ids[:first]) if before else set()
        for number, name in enumerate(ids, first):
            if name in earlier:
                self.left_out.append(number)
                self.skipped.append(Skipped(name, "the same id was read before; ids must differ"))
            earlier.add(name)

    def rank(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """The rank of each article, by `published` then id, and the article at each rank."""
        published = np.concatenate([batch.published for batch in self.batches] or [np.empty(0, np.int64)])
        order = np.argsort(published, kind="stable")
        if left_out := self.left_out:
            order = order[~np.isin(order, left_out)]
        times = published[order]
        ids = self.ids
        edges = np.flatnonzero(np.concatenate([[True], times[1:] != times[:-1], [True]])) if len(order) else []
        for start, end in zip(edges, edges[1:], strict=False):
            if end - start > 1:
                order[start:end] = sorted(order[start:end].tolist(), key=ids.__getitem__)
        ranks = np.full(len(ids), LEFT_OUT, np.uint32)
        ranks[order] = np.arange(len(order), dtype=np.uint32)
        return ranks, order

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
        return memoryview(batch.text)[batch.offsets[row] : batch.offsets[row + 1]]  # type: ignore[arg-type]





@dataclass(frozen=True)
class Matches(Sequence[Match]):
    """Matches as columns, made into `Match` objects when looked at; in order of (query, found) in time."""

    pile: Pile
    queries: NDArray[np.int64]
    founds: NDArray[np.int64]
    nominated: NDArray[np.uint8]
    compared: Compared
    methods: tuple[str, ...]
    formulas: tuple[boilerplate.Formula, ...]
    counts: dict[str, int]

    def __len__(self) -> int:
        return len(self.queries)

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            return [self[i] for i in range(*row.indices(len(self)))]
        if not -len(self) <= row < len(self):
            raise IndexError(f"match {row} of {len(self)}")
        row %= len(self)
        query, found = int(self.queries[row]), int(self.founds[row])
        query_text = bytes(self.pile.bytes_of(query)).decode()
        ids = self.pile.ids
        return build_match(self.compared, row, ids[query], ids[found], query_text, self.methods_of(row))

    def methods_of(self, row: int) -> tuple[str, ...]:
        """The methods that nominated a pair."""
        return tuple(name for bit, name in enumerate(self.methods) if self.nominated[row] >> bit & 1)

    @property
    def skipped(self) -> Sequence[Skipped]:
        """Records that could not be used."""
        return self.pile.skipped


def find(
    articles: Any,
    *,
    preset: str = DEFAULT_PRESET,
    method: str | methods.Method | Sequence[str | methods.Method] = DEFAULT_METHODS,
    pairs_of_families: str = "linked",
    threads: int | None = None,
    batch_bytes: int = 4 << 20,
    fields: sources.Fields | None = None,
    progress: Progress | None = None,
) -> Matches:
    """All copies in a pile of articles: paths, texts, `Article`s, dicts or Arrow tables."""
    chosen = [method] if isinstance(method, str | methods.Method) else list(method)
    nominating = [methods.get(one) if isinstance(one, str) else one for one in chosen]
    units = sources.read(articles, fields=fields or sources.Fields(), batch_bytes=batch_bytes)
    with open_pool(threads) as pool:
        return match_pile(
            units, nominating, get_preset(preset), pairs_of_families == "linked", pool, progress or (lambda *_: None)
        )


def match_pile(
    units: Iterable[Callable[[], Articles]],
    nominating: Sequence[methods.Method],
    preset: Preset,
    linked: bool,
    pool: Pool,
    progress: Progress,
) -> Matches:
    """Read, nominate, compare."""
    pile = Pile()
    filed: list[list[_core.Postings]] = [[] for _ in nominating]
    lengths: list[NDArray[np.int64]] = []

    def take_in(unit: Callable[[], Articles]) -> tuple[Articles, NDArray[np.int64], list[_core.Postings]]:
        batch = unit()
        tokens = text.tokenise(batch.text, batch.offsets)
        postings = [pairs.file(tokens, one.keys(one.sketch(tokens))) for one in nominating]
        return batch, np.diff(tokens.offsets), postings

    read = 0
    for batch, words, postings in pool.map(take_in, units):
        pile.add(batch)
        lengths.append(words)
        for mine, new in zip(filed, postings, strict=True):
            mine.append(new)
        read += len(batch.text)
        progress("reading", read, 0)
    ranks, order = pile.rank()
    words_by_rank = np.concatenate(lengths)[order].astype(np.uint32) if lengths else np.empty(0, np.uint32)
    nominated = [
        pairs.find_candidates(one, postings, pile.firsts, ranks, words_by_rank, linked=linked, apply=pool.map)
        for one, postings in zip(nominating, filed, strict=True)
    ]
    later, earlier, by = unite(nominated)
    shingles, formulas = learn_boilerplate(pile, order, nominated)
    compared, kept = compare_candidates(pile, order, later, earlier, shingles, preset, pool, progress)
    counts = {
        "articles": len(order),
        "collisions": sum(one.collisions for one in nominated),
        "candidates": len(later),
        "matches": len(kept),
    }
    return Matches(
        pile, order[later[kept]], order[earlier[kept]], by[kept], compared,
        tuple(one.name for one in nominating), formulas, counts,
    )


def unite(nominated: Sequence[pairs.Candidates]) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint8]]:
    """The candidates of all methods, rising by (later, earlier), with a bit for each method that nominated."""
    joined = [one.later.astype(np.uint64) << np.uint64(32) | one.earlier for one in nominated]
    everything = np.sort(np.concatenate(joined))
    everything = everything[np.concatenate([[True], everything[1:] != everything[:-1]])] if len(everything) else everything
    by = np.zeros(len(everything), np.uint8)
    for bit, mine in enumerate(joined):
        by[np.searchsorted(everything, mine)] |= np.uint8(1 << bit)
    return (everything >> np.uint64(32)).astype(np.uint32), everything.astype(np.uint32), by


def learn_boilerplate(
    pile: Pile, order: NDArray[np.int64], nominated: Sequence[pairs.Candidates]
) -> tuple[NDArray[np.uint64], tuple[boilerplate.Formula, ...]]:
    """The shingles of all formulas, and the formulas for people to see."""
    formulas = [formula for one in nominated for formula in one.formulas]
    if not formulas:
        return np.empty(0, np.uint64), ()
    rows = np.concatenate([ranks for ranks, _ in formulas])
    places = np.concatenate([places for _, places in formulas])
    edges = np.concatenate([[0], np.cumsum([len(ranks) for ranks, _ in formulas])]).tolist()
    tokens = text.tokenise(*pile.texts(order[rows].tolist()))
    return boilerplate.learn_shingles(tokens, list(zip(edges, edges[1:], strict=False)), places), ()


def compare_candidates(
    pile: Pile,
    order: NDArray[np.int64],
    later: NDArray[np.uint32],
    earlier: NDArray[np.uint32],
    shingles: NDArray[np.uint64],
    preset: Preset,
    pool: Pool,
    progress: Progress,
) -> tuple[Compared, NDArray[np.int64]]:
    """Compare all candidates, related pairs together; the matches, and which candidates they are."""
    component = _core.components(len(order), later, earlier)
    related = np.argsort(component[later], kind="stable")
    blocks = [related[start : start + BLOCK_PAIRS] for start in range(0, len(related), BLOCK_PAIRS)]

    def compare_block(block: NDArray[np.int64]) -> tuple[NDArray[np.int64], Compared]:
        ranks = np.sort(np.concatenate([later[block], earlier[block]]))
        ranks = ranks[np.concatenate([[True], ranks[1:] != ranks[:-1]])]
        tokens = text.tokenise(*pile.texts(order[ranks].tolist()), spans=True)
        queries, founds = (np.searchsorted(ranks, side[block]).astype(np.uint32) for side in (later, earlier))
        by_found = np.argsort(founds, kind="stable")
        marks = boilerplate.mark(tokens, shingles)
        compared = compare_rows(tokens, queries[by_found], founds[by_found], preset, marks)
        return select(compared, block[by_found], compared.relation >= 0)

    done, parts, numbers = 0, [], []
    for number, compared in pool.map(compare_block, blocks):
        parts.append(compared)
        numbers.append(number)
        done += BLOCK_PAIRS
        progress("comparing", min(done, len(later)), len(later))
    joined, kept = join(parts), np.concatenate(numbers or [np.empty(0, np.int64)])
    by_time = np.argsort(kept, kind="stable")
    _, ordered = select(joined, kept, by_time)
    return ordered, kept[by_time]


def select(compared: Compared, numbers: NDArray[np.int64], rows: NDArray[Any]) -> tuple[NDArray[np.int64], Compared]:
    """Some rows of compared pairs, in the order given."""
    rows = np.flatnonzero(rows) if rows.dtype == bool else rows
    counts = np.diff(compared.passage_offsets)[rows]
    offsets = np.concatenate([[0], np.cumsum(counts)])
    passages = np.repeat(compared.passage_offsets[rows] - offsets[:-1], counts) + np.arange(offsets[-1])
    return numbers[rows], Compared(
        compared.relation[rows],
        compared.query_covered[rows],
        compared.found_covered[rows],
        compared.resemblance[rows],
        offsets,
        compared.passages[passages],
    )


def join(parts: Sequence[Compared]) -> Compared:
    """Several lots of compared pairs as one."""
    none = Compared(*(np.empty(0, kind) for kind in (np.int8, float, float, float)), np.zeros(1, np.int64), np.empty((0, 6), np.uint32))  # type: ignore[arg-type]
    parts = [none, *parts]
    counts = np.concatenate([np.diff(part.passage_offsets) for part in parts])
    return Compared(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("relation", "query_covered", "found_covered", "resemblance")),
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([part.passages for part in parts]),
    )
