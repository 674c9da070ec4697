"""Hot keys as tasks: what `matching.hot` does in pieces, moved from task to task.

    FindHot   texts of a sample → how many articles hold each key
    Summarise entries of a slice → summaries of keys and groups by part
    Settle    summaries of a part → a piece, heads by slice
    Link      entries of a slice and its heads → a piece
    Conclude  pieces → evidence by range, holders of common keys by name

Beside each entry goes the number of words of its article: whoever finds evidence tells that too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..matching import hot
from ..matching.chunks import decode
from ..matching.collection import Chunk
from ..matching.hot import Piece, Slices
from ..methods import Method
from ..model import Articles
from ..pairs import NO_NAMES, Commons, Limits, distinct, file
from ..statistics import Statistics
from .moving import Batches, Gathered, Sent, emit, measure, send
from .stages import ByBucket, part_of, range_of, read_articles, split, view

RANK = 3
"""Which column of entries, summaries and heads is the rank."""


@dataclass(frozen=True)
class FindHot:
    """Counts how many of some ranked articles hold each key, by part of the keys."""

    methods: Sequence[Method]
    statistics: Mapping[Method, Statistics]
    parts: int

    def __call__(self, batches: Batches) -> Batches:
        """Chunks of keys and counts."""
        titled = any(one.view.title for one in self.methods)
        held: list[list[NDArray[np.uint64]]] = [[NO_NAMES] for _ in self.methods]
        for _, articles in read_articles(batches, titled):
            for number, keys in enumerate(self._keys(articles)):
                held[number].append(keys)
        return emit(
            one for number, keys in enumerate(held) for one in self._count(number, np.concatenate(keys))
        )

    def _keys(self, articles: Articles) -> Iterator[NDArray[np.uint64]]:
        """The keys of each method, each as often as articles hold it."""
        filed = file(articles, self.methods, self.statistics)
        for method in self.methods:
            [packed] = _core.pack(filed[method].shards, 1)
            postings = view(packed)
            order = np.lexsort((postings["row"], postings["key"]))
            keys, rows = postings["key"][order], postings["row"][order]
            yield keys[np.append(True, (keys[1:] != keys[:-1]) | (rows[1:] != rows[:-1]))[: len(keys)]]

    def _count(self, number: int, held: NDArray[np.uint64]) -> Iterator[Sent]:
        keys, counts = np.unique(held, return_counts=True)
        for part, rows in split(part_of(keys, self.parts)):
            yield send(str(number), part, 0, keys[rows], counts[rows])
        yield send(f"total {number}", 0, 0, np.array([len(held)]))


@dataclass(frozen=True)
class FileHot:
    """Files ranked articles: the entries of hot keys by slice."""

    methods: Sequence[Method]
    statistics: Mapping[Method, Statistics]
    slices: Sequence[Slices]

    def __call__(self, batches: Batches) -> Batches:
        """Chunks of entries."""
        titled = any(one.view.title for one in self.methods)
        return emit(one for first, some in read_articles(batches, titled) for one in self._file(first, some))

    def _file(self, first: int, articles: Articles) -> Iterator[Sent]:
        filed = file(articles, self.methods, self.statistics)
        for number, (method, slices) in enumerate(zip(self.methods, self.slices, strict=True)):
            if len(slices.keys):
                lengths = _Lengths(first + np.arange(len(articles)), filed[method].words)
                _, sent = hot.split(_core.pack(filed[method].shards, 1), first, slices)
                for place, chunk in sent:
                    yield send(f"hot {number}", place, first, *lengths.beside(chunk))


class _Lengths:
    """How many words articles have, by rank."""

    def __init__(self, ranks: NDArray[Any], words: NDArray[np.uint32]) -> None:
        self._ranks, self._words = ranks, words

    @classmethod
    def gather(cls, *lists: Sequence[Chunk]) -> _Lengths:
        """Those that stand beside the entries of chunks."""
        chunks = [chunk for chunks in lists for chunk in chunks]
        ranks = np.concatenate([np.empty(0, np.uint32), *(chunk[RANK] for chunk in chunks)])
        words = np.concatenate([np.empty(0, np.uint32), *(chunk[-1] for chunk in chunks)])
        known, places = np.unique(ranks, return_index=True)
        return cls(known, words[places])

    def of(self, ranks: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """The words of some articles."""
        return self._words[np.searchsorted(self._ranks, ranks)]

    def beside(self, chunk: Chunk) -> Chunk:
        """A chunk of entries with the words of their articles."""
        return [*chunk, self.of(chunk[RANK])]

    def of_piece(self, piece: Piece) -> Chunk:
        """A piece as a chunk, with the words of the articles that it has evidence of."""
        evidence = piece.collided.evidence
        who = distinct(np.concatenate([evidence.later, evidence.earlier]))
        return [*piece.chunk, who, self.of(who)]


def _plain(chunks: Iterable[Chunk]) -> list[Chunk]:
    return [chunk[:-1] for chunk in chunks]


@dataclass(frozen=True)
class OfMethods(ByBucket):
    """A task of several methods, whose chunks have its number behind their kind."""

    methods: Sequence[Method]

    def _read(
        self, kinds: Mapping[str, list[tuple[int, memoryview]]], kind: str
    ) -> Iterator[tuple[int, Limits, list[Chunk]]]:
        """The number of each method that has chunks of a kind, its limits, and these."""
        for number, method in enumerate(self.methods):
            if chunks := kinds.get(f"{kind} {number}"):
                yield number, Limits.of(method, linked=True), [decode(chunk) for _, chunk in chunks]


@dataclass(frozen=True)
class Summarise(OfMethods):
    """Summarises the entries of a slice."""

    parts: int

    def _give(self, gathered: Gathered) -> Iterator[Sent]:
        for place, kinds in gathered.items():
            for number, limits, chunks in self._read(kinds, "hot"):
                yield send("load", place, number, np.array([measure(kinds[f"hot {number}"])]))
                lengths = _Lengths.gather(chunks)
                sent = hot.summarise(place, _plain(chunks), self.parts, limits)
                for kind, summaries in zip(("keys", "groups"), sent, strict=True):
                    for part, chunk in summaries:
                        yield send(f"{kind} {number}", part, place, *lengths.beside(chunk))


@dataclass(frozen=True)
class Settle(OfMethods):
    """Settles the keys of a part of the summaries, or, given the keys that are `common`, their groups."""

    common: Sequence[NDArray[np.uint64]] | None = None

    def _give(self, gathered: Gathered) -> Iterator[Sent]:
        kind = "keys" if self.common is None else "groups"
        for part, kinds in gathered.items():
            for number, limits, chunks in self._read(kinds, kind):
                yield send("load", part, number, np.array([measure(kinds[f"{kind} {number}"])]))
                lengths, plain = _Lengths.gather(chunks), _plain(chunks)
                if self.common is None:
                    settled = hot.settle_keys(plain, limits)
                else:
                    settled = hot.settle_groups(plain, self.common[number], limits)
                yield from _send_piece(kind, number, part, settled.piece, lengths)
                yield send(f"common {number}", part, 0, settled.common)
                for place, chunk in settled.heads:
                    yield send(f"heads {number}", place, part, *lengths.beside(chunk))


def _send_piece(what: str, number: int, bucket: int, piece: Piece, lengths: _Lengths) -> Iterator[Sent]:
    yield send(f"piece {number}", bucket, 0, *lengths.of_piece(piece))
    yield send(f"support {number}", bucket, 0, *piece.support)


@dataclass(frozen=True)
class Link(OfMethods):
    """Links the entries of a slice to the heads that were sent to it."""

    def _give(self, gathered: Gathered) -> Iterator[Sent]:
        for place, kinds in gathered.items():
            heads = {number: chunks for number, _, chunks in self._read(kinds, "heads")}
            for number, limits, chunks in self._read(kinds, "hot"):
                mine = heads.get(number, [])
                yield send("load", place, number, np.array([sum(map(measure, kinds.values()))]))
                piece = hot.link(_plain(chunks), _plain(mine), limits)
                yield from _send_piece("link", number, place, piece, _Lengths.gather(chunks, mine))


@dataclass(frozen=True)
class Conclude(OfMethods):
    """Concludes pieces, once it is known which keys are common: their `names` of each method."""

    names: Sequence[NDArray[np.uint64]]
    parts: int
    first: int
    """The least place of evidence, behind those of the parts of ordinary keys."""

    def _give(self, gathered: Gathered) -> Iterator[Sent]:
        for bucket, kinds in gathered.items():
            for number, _, chunks in self._read(kinds, "piece"):
                for nth, (*chunk, who, words) in enumerate(chunks):
                    collided = Piece.of(chunk).conclude(self.names[number])
                    evidence, place = collided.evidence, self.first + (bucket << 8 | nth)
                    for later_range, rows in split(range_of(evidence.later)):
                        some = evidence.take(rows)
                        mine = distinct(np.concatenate([some.later, some.earlier]))
                        counted = words[np.searchsorted(who, mine)]
                        names = collided.commons.names
                        yield send(
                            f"evidence {number}", later_range, place, *some.arrays, mine, counted, names
                        )
                    yield from send_holders(number, collided.commons, self.parts)
                    yield send("weak", bucket, number, np.array([collided.weak]))


def send_holders(number: int, commons: Commons, parts: int) -> Iterator[Sent]:
    """The holders of hot common keys, by part of their names."""
    names = np.repeat(commons.names, np.diff(commons.offsets))
    for part, rows in split(part_of(names, parts)):
        columns = names[rows], commons.holders[rows], commons.positions[rows]
        yield send(f"hot commons {number}", part, 0, *columns)
