"""The stages of `matching` from texts to candidates as tasks: each takes the batches of a partition and gives batches, by the same kernels.

    File      texts → postings by part of the keys
    Collide   postings of a part → evidence by range of the later article, common keys of the part
    Agree     evidence of a range → meetings of the range, strangers by part, families
    Suspect   strangers and common keys of a part → those that may be boilerplate
    Nominate  meetings of a range → candidates

A rank is a range and a place in it (`reading.py`). A common key is known by its part and its number there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .. import _core
from ..matching.chunks import decode
from ..matching.hot import PACKED, ROW_BITS, Slices
from ..matching.meeting import concatenate
from ..methods import Method
from ..model import Articles
from ..pairs import (
    NOBODY,
    Agreement,
    Commons,
    Evidence,
    Limits,
    Strangers,
    agree,
    collide,
    distinct,
    file,
    find_strangers,
    join_evidence,
    nominate,
    rule_of,
    suspect,
    tokenise,
    unite,
)
from ..statistics import Statistics
from .moving import Batches, Gathered, Sent, emit, gather, join, measure, send
from .reading import RANGE_BITS, schema_of

FILED_BYTES, MOST_FILED_BYTES, PART_BYTES = 8 << 20, 64 << 20, 32 << 10
"""About so many bytes of text are filed at a time, and more where there are many parts: so many for each, for a chunk has its price."""
NO_ROWS = np.empty(0, np.int64)
ROW_MASK = np.uint32((1 << ROW_BITS) - 1)
SPLIT_PAIRS = 4096
"""Pairs of one family that are compared in one place: those of a text with very many copies are cut."""


def view(packed: NDArray[np.uint8]) -> NDArray[Any]:
    """Packed postings as records; their `row` is that of the article alone."""
    postings = packed.view(PACKED).copy()
    postings["row"] &= ROW_MASK
    return postings


def part_of(keys: NDArray[np.uint64], parts: int) -> NDArray[np.int64]:
    """Which of some equal ranges of keys each is in."""
    return ((keys >> np.uint64(32)) * np.uint64(parts) >> np.uint64(32)).astype(np.int64)


def rows_of(packed: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """The rows of a batch that packed postings are of, sorted."""
    return distinct(packed.view(PACKED)["row"] & ROW_MASK)


def range_of(ranks: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The range of each rank."""
    return ranks >> np.uint32(RANGE_BITS)


def split(values: NDArray[Any]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Each distinct value, and the rows that have it."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(values) else NO_ROWS
    for start, end in pairwise([*begins.tolist(), len(values)]):
        yield int(ordered[start]), order[start:end]


def take_texts(column: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The strings of an Arrow column as one buffer, and its offsets."""
    strings = column.cast(pa.large_binary())
    _, offsets, data = strings.buffers()
    if not len(strings):
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    ends = np.frombuffer(offsets, np.int64)[strings.offset : strings.offset + len(strings) + 1]
    return np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]], ends - ends[0]


def read_articles(
    batches: Batches, titled: bool, filed_bytes: int = FILED_BYTES
) -> Iterator[tuple[int, Articles]]:
    """The articles of ranked rows, a few megabytes at a time, each with the rank of its first: the others follow."""
    waiting: list[pa.RecordBatch] = []
    size = 0

    def give() -> Iterator[tuple[int, Articles]]:
        table = pa.Table.from_batches(waiting).combine_chunks()
        ranks = table.column("rank").to_numpy()
        edges = np.flatnonzero(np.concatenate([[True], np.diff(ranks) != 1, [True]])).tolist()
        for start, end in pairwise(edges):
            piece = table.slice(start, end - start)
            body, offsets = take_texts(piece.column("text").combine_chunks())
            titles = {"title": [one or "" for one in piece.column("title").to_pylist()]} if titled else {}
            none = np.zeros(end - start, np.int64)
            yield int(ranks[start]), Articles(range(end - start), body, offsets, none, about=titles)  # type: ignore[arg-type]

    for batch in batches:
        waiting.append(batch)
        size += batch.nbytes
        if size > filed_bytes:
            yield from give()
            waiting, size = [], 0
    if waiting:
        yield from give()


class ByBucket(ABC):
    """A task that works on the gathered chunks of each bucket."""

    def __call__(self, batches: Batches) -> Batches:
        """The chunks that are given for others."""
        return emit(self._give(gather(batches)))

    @abstractmethod
    def _give(self, gathered: Gathered) -> Iterator[Sent]:
        """The chunks that come of those of each bucket."""


@dataclass(frozen=True)
class File:
    """Files ranked articles: postings of each method by part of the keys, with the words of the articles they are of; not those of hot keys."""

    methods: Sequence[Method]
    statistics: Mapping[Method, Statistics]
    parts: int
    hot: Sequence[Slices] = ()

    def __call__(self, batches: Batches) -> Batches:
        """Chunks of postings by part."""
        titled = any(one.view.title for one in self.methods)
        size = min(max(FILED_BYTES, self.parts * PART_BYTES), MOST_FILED_BYTES)
        read = read_articles(batches, titled, size)
        return emit(one for first, articles in read for one in self._file(first, articles))

    def _file(self, first: int, articles: Articles) -> Iterator[Sent]:
        filed = file(articles, self.methods, self.statistics)
        for number, method in enumerate(self.methods):
            words = filed[method].words
            parts = _core.pack(filed[method].shards, self.parts)
            if self.hot:
                parts = _leave_out(parts, self.hot[number])
            for part, packed in enumerate(parts):
                if len(packed):
                    yield send(str(number), part, first, packed, words[rows_of(packed)])


def _leave_out(parts: Sequence[NDArray[np.uint8]], hot: Slices) -> list[NDArray[np.uint8]]:
    """The packed postings of each part without those of hot keys."""
    postings = np.concatenate(parts).view(PACKED)
    rows, _ = hot.find(postings["key"])
    kept = np.ones(len(postings), bool)
    kept[rows] = False
    edges = np.cumsum([len(part) for part in parts])[:-1] // PACKED.itemsize
    ends = np.append(0, np.cumsum(kept))[edges] * PACKED.itemsize
    return np.split(postings[kept].view(np.uint8), ends)


@dataclass(frozen=True)
class Weigh:
    """Counts in how many of the ranked articles each word occurs, by range of words."""

    method: Method
    parts: int

    def __call__(self, batches: Batches) -> Batches:
        """Chunks of words by range."""
        read = read_articles(batches, self.method.view.title)
        tokens = (tokenise(articles, self.method, words=False) for _, articles in read)
        counted = Statistics.count(tokens, self.method.view)
        chunks = [
            send("words", place, 0, counted.words[rows], counted.counts[rows])
            for place, rows in split(part_of(counted.words, self.parts))
        ]
        return emit([*chunks, send("articles", 0, 0, np.array([counted.articles]))])


@dataclass(frozen=True)
class Add(ByBucket):
    """Adds up what was counted in several partitions, but for what comes to less than the `least`."""

    least: int = 1

    def _give(self, gathered: Gathered) -> Iterator[Sent]:
        for bucket, kinds in gathered.items():
            for kind, contents in kinds.items():
                chunks = [decode(chunk) for _, chunk in contents]
                if len(chunks[0]) == 1:
                    yield send(kind, bucket, 0, np.sum([chunk[0] for chunk in chunks], axis=0))
                    continue
                names, counts = join(chunks, (np.uint64, np.int64))
                known, places = np.unique(names, return_inverse=True)
                total = np.zeros(len(known), np.int64)
                np.add.at(total, places, counts)
                kept = total >= self.least
                yield send(kind, bucket, 0, known[kept], total[kept])


@dataclass(frozen=True)
class Collide(ByBucket):
    """Collides the postings of a part; without links, all holders of a key are paired, common ones known by `names`."""

    methods: Sequence[Method]
    linked: bool = True
    names: Sequence[NDArray[np.uint64]] | None = None

    def _give(self, gathered: Gathered) -> Iterator[Sent]:
        for part, kinds in gathered.items():
            for kind, chunks in sorted(kinds.items()):
                number = int(kind)
                yield send("load", part, number, np.array([measure(chunks)]))
                yield from self._collide_part(number, part, chunks)

    def _collide_part(
        self, number: int, part: int, chunks: Sequence[tuple[int, memoryview]]
    ) -> Iterator[Sent]:
        method, first = self.methods[number], 0
        shard, ranks, holders, counted = [], [], [], []
        for place, content in chunks:
            packed, words = decode(content)
            rows: NDArray[np.uint32] = rows_of(packed)
            size = int(rows[-1]) + 1
            shard.append((_core.unpack(packed), first))
            ranks.append(np.arange(place, place + size, dtype=np.uint32))
            holders.append(np.uint32(place) + rows)
            counted.append(words)
            first += size
        limits = Limits.of(method, linked=self.linked)
        known = self.names[number] if self.names is not None else None
        collided = collide(shard, np.concatenate(ranks), limits, known)
        del shard
        who, counts = np.concatenate(holders), np.concatenate(counted)
        evidence, commons = collided.evidence, collided.commons
        for later_range, places in split(range_of(evidence.later)):
            some = evidence.take(places)
            mine = distinct(np.concatenate([some.later, some.earlier]))
            yield send(
                f"evidence {number}",
                later_range,
                part,
                *some.arrays,
                mine,
                counts[np.searchsorted(who, mine)],
            )
        if len(commons.names):
            columns = commons.holders, commons.positions, commons.offsets, commons.names
            yield send(f"commons {number}", part, 0, *columns)
        yield send("weak", part, number, np.array([collided.weak]))


@dataclass(frozen=True)
class Agree(ByBucket):
    """Says which pairs of a range agree, who is a stranger to a common key, and which are of one family."""

    methods: Sequence[Method]
    parts: int

    def _give(self, gathered: Gathered) -> Iterator[Sent]:
        for later_range, kinds in gathered.items():
            for kind, chunks in sorted(kinds.items()):
                number = int(kind.removeprefix("evidence "))
                yield send("load", later_range, number, np.array([measure(chunks)]))
                yield from self._agree_range(number, later_range, chunks)

    def _agree_range(
        self, number: int, later_range: int, chunks: Sequence[tuple[int, memoryview]]
    ) -> Iterator[Sent]:
        evidence, who, words, names, is_hot = _join_evidence(chunks)
        agreement = agree(evidence, words, rule_of(self.methods[number]))
        strangers = find_strangers(evidence, agreement)
        columns = [*evidence.arrays, agreement.order, agreement.agreed, who, names, is_hot]
        yield send(f"meetings {number}", later_range, number, *columns)
        yield send("evidence", later_range, number, np.array([len(evidence)]))
        yield send(f"families {number}", later_range, 0, *(who[side] for side in agreement.families))
        of_hot = is_hot[strangers.number] == 1
        called, ranks = names[strangers.number], who[strangers.rank]
        rows = np.flatnonzero(~of_hot)
        for part, some in split(called[rows] >> np.uint64(32)):
            mine = rows[some]
            numbers = called[mine].astype(np.uint32)
            yield send(f"strangers {number}", part, later_range, numbers, ranks[mine])
        rows = np.flatnonzero(of_hot)
        for part, some in split(part_of(called[rows], self.parts)):
            mine = rows[some]
            yield send(f"hot strangers {number}", part, later_range, called[mine], ranks[mine])


def _join_evidence(
    chunks: Iterable[tuple[int, memoryview]],
) -> tuple[Evidence, NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint8]]:
    """The evidence of all parts, its articles and common keys numbered from 0; of each article the rank and words, of each key the id, and if it is hot."""
    parts, firsts, names, hot, holders, counted = [], [0], [], [], [], []
    for part, content in chunks:
        columns = decode(content)
        mine, words, *called = columns[5:]
        evidence = Evidence(*columns[:5])
        plain = evidence.common & ~np.uint32(_core.LINKED)
        is_common = plain != _core.RARE
        numbers = distinct(plain[is_common])
        evidence.common[is_common] = np.searchsorted(numbers, plain[is_common]).astype(np.uint32) | (
            evidence.common[is_common] & np.uint32(_core.LINKED)
        )
        parts.append(evidence)
        firsts.append(firsts[-1] + len(numbers))
        ids = np.uint64(part) << np.uint64(32) | numbers.astype(np.uint64)
        names.append(called[0][numbers] if called else ids)
        hot.append(np.full(len(numbers), len(called), np.uint8))
        holders.append(mine)
        counted.append(words)
    joined = join_evidence(parts, firsts)
    who, places = np.unique(np.concatenate(holders), return_index=True)
    sides = (np.searchsorted(who, side).astype(np.uint32) for side in (joined.later, joined.earlier))
    evidence = Evidence(*sides, *joined.arrays[2:])
    return evidence, who, np.concatenate(counted)[places], np.concatenate(names), np.concatenate(hot)


Families = tuple[NDArray[np.uint32], NDArray[np.uint32]]
"""Articles that are in a family with an earlier one, sorted, and the earliest of each one's family."""


@dataclass(frozen=True)
class Suspect(ByBucket):
    """Finds the common keys of a part that may be boilerplate: for each its id, size and name, with examples of its holders.

    The id of an ordinary key is its part and number, that of a hot one its name.
    """

    methods: Sequence[Method]
    families: Sequence[Families]

    def _give(self, gathered: Gathered) -> Iterator[Sent]:
        for part, kinds in gathered.items():
            for number in range(len(self.methods)):
                lists = [decode(chunk) for _, chunk in kinds.get(f"strangers {number}", ())]
                if lists and f"commons {number}" in kinds:
                    [(_, content)] = kinds[f"commons {number}"]
                    commons = Commons(*decode(content))
                    first = np.uint64(part) << np.uint64(32)
                    ids = first | np.arange(len(commons.names), dtype=np.uint64)
                    numbers, ranks = join(lists, (np.uint32, np.uint32))
                    yield from self._suspect(number, part, "suspects", ids, commons, numbers, ranks)
                lists = [decode(chunk) for _, chunk in kinds.get(f"hot strangers {number}", ())]
                if lists and f"hot commons {number}" in kinds:
                    holders = [decode(chunk) for _, chunk in kinds[f"hot commons {number}"]]
                    commons = _list_holders(*join(holders, (np.uint64, np.uint32, np.uint32)))
                    names, ranks = join(lists, (np.uint64, np.uint32))
                    numbers = np.searchsorted(commons.names, names).astype(np.uint32)
                    yield from self._suspect(
                        number, part, "hot suspects", commons.names, commons, numbers, ranks
                    )

    def _suspect(
        self,
        number: int,
        part: int,
        kind: str,
        ids: NDArray[np.uint64],
        commons: Commons,
        numbers: NDArray[np.uint32],
        ranks: NDArray[np.uint32],
    ) -> Iterator[Sent]:
        order = np.lexsort((ranks, numbers))
        who = distinct(commons.holders)
        places = np.searchsorted(who, ranks[order]).astype(np.uint32)
        members, roots = self.families[number]
        family = who.copy()
        if len(members):
            at = np.minimum(np.searchsorted(members, who), len(members) - 1)
            is_member = members[at] == who
            family[is_member] = roots[at[is_member]]
        local = replace(commons, holders=np.searchsorted(who, commons.holders).astype(np.uint32))
        rule = rule_of(self.methods[number])
        found = suspect(Strangers(numbers[order], places), family, local, rule)
        if found:
            rows = np.array(list(found), np.int64)
            examples = np.cumsum([0, *(len(common.rows) for common in found.values())])
            holders = who[np.concatenate([common.rows for common in found.values()])]
            positions = np.concatenate([common.places for common in found.values()])
            sizes = np.diff(commons.offsets)[rows]
            columns = ids[rows], sizes, commons.names[rows], examples, holders, positions
            yield send(f"{kind} {number}", part, 0, *columns)


def _list_holders(
    names: NDArray[np.uint64], ranks: NDArray[np.uint32], positions: NDArray[np.uint32]
) -> Commons:
    """Common keys by name, from their holders in any order."""
    order = np.lexsort((ranks, names))
    known, sizes = np.unique(names, return_counts=True)
    return Commons(ranks[order], positions[order], np.concatenate([[0], np.cumsum(sizes)]), known)


Guilty = tuple[NDArray[np.uint64], NDArray[np.uint64]]
CANDIDATES = "later long, earlier long, by int, linked int, block long, place long"
CANDIDATE_SCHEMA = schema_of(CANDIDATES)


@dataclass(frozen=True)
class Nominate:
    """Nominates the candidates of a range; `guilty` are, of each method, the ids of common keys that are boilerplate, ordinary and hot ones, sorted.

    `linked` has a bit for each method that nominates a pair also where big families are linked. Pairs of one family have one block.
    """

    guilty: Sequence[Guilty]

    def __call__(self, batches: Batches) -> Batches:
        """Rows of `CANDIDATES`."""
        for later_range, kinds in gather(batches).items():
            nominated, linked_only = [], []
            for number, guilty in enumerate(self.guilty):
                few = [
                    self._nominate(decode(chunk), guilty) for _, chunk in kinds.get(f"meetings {number}", ())
                ]
                every = [self._nominate(decode(chunk), None) for _, chunk in kinds.get(f"all {number}", ())]
                linked_only.append(concatenate(few))
                nominated.append(concatenate(few + every))
            later, earlier, by = unite(nominated)
            if not len(later):
                continue
            *linked_pairs, linked_by = unite(linked_only)
            linked = np.zeros(len(by), np.uint16)
            linked[np.searchsorted(_join_pairs(later, earlier), _join_pairs(*linked_pairs))] = linked_by
            begins = np.flatnonzero(np.concatenate([[True], later[1:] != later[:-1]]))
            lowest = np.repeat(earlier[begins], np.diff(np.append(begins, len(later))))
            place = _count_within(lowest) // SPLIT_PAIRS
            columns = later, earlier, by, linked, lowest, place << 12 | later_range
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array(np.asarray(one).astype(kind.type.to_pandas_dtype()))
                    for one, kind in zip(columns, CANDIDATE_SCHEMA, strict=True)
                ],
                schema=CANDIDATE_SCHEMA,
            )

    def _nominate(
        self, columns: Sequence[NDArray[Any]], guilty: Guilty | None
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        *evidence, order, agreed, who, names, is_hot = columns
        agreement = Agreement(order, agreed, (NOBODY, NOBODY))
        is_boilerplate = np.ones(len(names), bool)
        if guilty is not None:
            is_boilerplate = np.where(is_hot == 1, np.isin(names, guilty[1]), np.isin(names, guilty[0]))
        later, earlier = nominate(Evidence(*evidence), agreement, is_boilerplate)
        return who[later], who[earlier]


def _join_pairs(later: NDArray[np.uint32], earlier: NDArray[np.uint32]) -> NDArray[np.uint64]:
    return later.astype(np.uint64) << np.uint64(32) | earlier


def _count_within(values: NDArray[Any]) -> NDArray[np.int64]:
    """How often each value came before."""
    before = np.zeros(len(values), np.int64)
    for _, rows in split(values):
        before[rows] = np.arange(len(rows))
    return before
