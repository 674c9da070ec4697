"""The stages of `matching` as tasks: each takes the batches of a partition and gives batches, by the same kernels.

    File      texts → postings by part of the keys
    Collide   postings of a part → evidence by range of the later article, common keys of the part
    Agree     evidence of a range → meetings of the range, strangers by part, families
    Suspect   strangers and common keys of a part → those that may be boilerplate
    Nominate  meetings of a range → candidates
    Compare   candidates of a group with their texts → matches, traces, slots by range of names
    Vary      slots of a range of names → the names that vary
    Touch     traces → articles that may hold some boilerplate
    Settle    matches → matches once it is known which are forms

A rank is a range and a place in it (`reading.py`). A common key is known by its part and its number there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .. import _core, forms, text
from ..boilerplate import NOTHING
from ..comparison import (
    NOT_COMPARED,
    RELATIONS,
    Compared,
    Passages,
    Preset,
    Trace,
    compare_rows,
    settle,
)
from ..forms import NO_SLOTS, SlotColumns
from ..matching import BLOCK_PAIRS
from ..matching.chunks import decode, encode
from ..matching.hot import PACKED, ROW_BITS, Slices
from ..matching.hot import split as split_hot
from ..matching.meeting import concatenate
from ..methods import Method
from ..model import TOLD_HEADS, Articles, Boilerplate
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

FILED_BYTES = 8 << 20
"""About so many bytes of text are filed at a time."""
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


def read_articles(batches: Batches, titled: bool) -> Iterator[tuple[int, Articles]]:
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
        if size > FILED_BYTES:
            yield from give()
            waiting, size = [], 0
    if waiting:
        yield from give()


class ByBucket:
    """A task that works on the gathered chunks of each bucket."""

    def __call__(self, batches: Batches) -> Batches:
        """The chunks that are given for others."""
        return emit(self._give(gather(batches)))

    def _give(self, gathered: Gathered) -> Iterator[Sent]:
        raise NotImplementedError


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
        return emit(
            one for first, articles in read_articles(batches, titled) for one in self._file(first, articles)
        )

    def _file(self, first: int, articles: Articles) -> Iterator[Sent]:
        filed = file(articles, self.methods, self.statistics)
        for number, method in enumerate(self.methods):
            words = filed[method].words
            parts = _core.pack(filed[method].shards, self.parts)
            if self.hot:
                parts, _ = split_hot(parts, first, self.hot[number])
            for part, packed in enumerate(parts):
                if len(packed):
                    yield send(str(number), part, first, packed, words[rows_of(packed)])


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
        parts, firsts, used, hot, holders, counted = [], [0], [], [], [], []
        for part, content in chunks:
            received = decode(content)
            mine, words, *called = received[5:]
            evidence = Evidence(*received[:5])
            plain = evidence.common & ~np.uint32(_core.LINKED)
            is_common = plain != _core.RARE
            numbers = distinct(plain[is_common])
            evidence.common[is_common] = np.searchsorted(numbers, plain[is_common]).astype(np.uint32) | (
                evidence.common[is_common] & np.uint32(_core.LINKED)
            )
            parts.append(evidence)
            firsts.append(firsts[-1] + len(numbers))
            used.append(
                called[0][numbers] if called else np.uint64(part) << np.uint64(32) | numbers.astype(np.uint64)
            )
            hot.append(np.full(len(numbers), len(called), np.uint8))
            holders.append(mine)
            counted.append(words)
        evidence = join_evidence(parts, firsts)
        who, places = np.unique(np.concatenate(holders), return_index=True)
        words, names, is_hot = np.concatenate(counted)[places], np.concatenate(used), np.concatenate(hot)
        evidence = Evidence(
            np.searchsorted(who, evidence.later).astype(np.uint32),
            np.searchsorted(who, evidence.earlier).astype(np.uint32),
            *evidence.arrays[2:],
        )
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


MATCHED = (
    "later long, earlier long, by int, linked int, query string, found string, relation int, query_covered double, "
    "found_covered double, resemblance double, tried int, passages binary, slots binary, query_date long, found_date long, "
    "query_address long, found_address long, "
    + ", ".join(f"{name} string" for name in TOLD_HEADS)
    + ", texts binary"
)
COMPARED = f"kind string, bucket int, place long, chunk binary, {MATCHED}"
COMPARED_SCHEMA = schema_of(COMPARED)
TEXT_COLUMNS = ("rank", "id", "text", "published", "address", "title", "source", "written", "url")
PAIR_COLUMNS = ("later", "earlier", "by", "linked", "block")


@dataclass(frozen=True)
class Compare:
    """Compares the pairs of a group with their texts; gives matches, and while learning traces and slots too."""

    preset: Preset
    known: NDArray[np.uint64]
    name_parts: int = 0
    """While learning, into how many ranges the names of slots are cut."""

    def __call__(self, batches: Batches) -> Batches:
        """Rows of `COMPARED`, of pairs and texts that come in any order."""
        texts, pairs = [], []
        size = 0
        for batch in batches:
            size += batch.nbytes
            is_text = pc.is_valid(batch.column("rank"))
            texts.append(batch.filter(is_text).select(TEXT_COLUMNS))
            pairs.append(batch.filter(pc.invert(is_text)).select(PAIR_COLUMNS))
        if not sum(one.num_rows for one in pairs):
            return
        table = pa.Table.from_batches(texts).combine_chunks().sort_by("rank")
        asked = pa.Table.from_batches(pairs)
        columns = {name: asked.column(name).to_numpy() for name in PAIR_COLUMNS}
        order = np.lexsort((columns["earlier"], columns["later"], columns["block"]))
        ranks = table.column("rank").to_numpy().astype(np.uint32)
        body, offsets = take_texts(table.column("text").combine_chunks())
        boilerplate = Boilerplate(self.known, NOTHING.gap_words)
        rest = table.drop_columns(["text"])
        compared = 0
        for start in range(0, len(order), BLOCK_PAIRS):
            rows = order[start : start + BLOCK_PAIRS]
            mine = {name: column[rows] for name, column in columns.items()}
            compared += len(rows)
            yield from self._compare(mine, ranks, (body, offsets), rest, boilerplate)
        facts = [send("load", 0, 0, np.array([size])), send("comparisons", 0, 0, np.array([compared]))]
        yield from _widen(emit(facts))

    def _compare(
        self,
        pairs: Mapping[str, NDArray[Any]],
        ranks: NDArray[np.uint32],
        texts: tuple[NDArray[np.uint8], NDArray[np.int64]],
        rest: pa.Table,
        boilerplate: Boilerplate,
    ) -> Batches:
        sides = pairs["later"].astype(np.uint32), pairs["earlier"].astype(np.uint32)
        places = np.searchsorted(ranks, distinct(np.concatenate(sides)))
        data, edges = texts[0].data, texts[1]
        bodies = [data[edges[place] : edges[place + 1]] for place in places.tolist()]
        offsets = np.cumsum([0, *map(len, bodies)])
        tokens = text.tokenise(np.frombuffer(b"".join(bodies), np.uint8), offsets, spans=True, kinds=True)
        local = ranks[places]
        queries, founds = (np.searchsorted(local, side).astype(np.uint32) for side in sides)
        by_found = np.argsort(founds, kind="stable")
        rows = queries[by_found], founds[by_found]
        compared, left = compare_rows(tokens, *rows, self.preset, boilerplate, trace=bool(self.name_parts))
        if self.name_parts:
            yield from _widen(emit(self._learn(local, left, compared, *rows)))
        matched = np.flatnonzero(compared.relation >= 0)
        if len(matched):
            kept = {name: column[by_found[matched]] for name, column in pairs.items()}
            mine = [side[matched] for side in rows]
            yield _match_rows(kept, compared.take(matched), mine, bodies, rest.take(pa.array(places)))

    def _learn(
        self,
        ranks: NDArray[np.uint32],
        left: Trace,
        compared: Compared,
        queries: NDArray[np.uint32],
        founds: NDArray[np.uint32],
    ) -> Iterator[Sent]:
        yield send("trace", 0, 0, ranks, left.shingles, left.offsets)
        counts, slots = np.diff(compared.slot_offsets), compared.slots
        later, earlier = (np.repeat(ranks[side], counts) for side in (queries, founds))
        short = np.flatnonzero(slots.long == 0)
        for place, some in split(part_of(slots.name[short], self.name_parts)):
            rows = short[some]
            columns = slots.name[rows], later[rows], earlier[rows], slots.query[rows], slots.found[rows]
            yield send("slots", place, 0, *columns)


def _widen(batches: Batches) -> Batches:
    """Chunks as rows of `COMPARED`."""
    for batch in batches:
        more = [pa.nulls(batch.num_rows, one.type) for one in list(COMPARED_SCHEMA)[4:]]
        yield pa.RecordBatch.from_arrays([*batch.columns, *more], schema=COMPARED_SCHEMA)


def _match_rows(
    pairs: Mapping[str, NDArray[Any]],
    compared: Compared,
    sides: Sequence[NDArray[np.uint32]],
    bodies: Sequence[memoryview],
    about: pa.Table,
) -> pa.RecordBatch:
    """Compared pairs as rows of `COMPARED`; `sides` are the rows of `bodies` and `about` that each is of."""
    number = len(compared)
    query, found = (about.take(pa.array(side)) for side in sides)
    told = [one.column(name) for one in (query, found) for name in ("title", "source", "written", "url")]
    columns: dict[str, Any] = {
        "kind": pa.array(["match"] * number),
        "bucket": pa.nulls(number, pa.int32()),
        "place": pa.nulls(number, pa.int64()),
        "chunk": pa.nulls(number, pa.binary()),
        **{name: pairs[name] for name in ("later", "earlier", "by", "linked")},
        "query": query.column("id"),
        "found": found.column("id"),
        **{
            name: getattr(compared, name)
            for name in ("relation", "query_covered", "found_covered", "resemblance", "tried")
        },
        "passages": _pack_lists(compared.passage_offsets, compared.passages.arrays),
        "slots": _pack_lists(compared.slot_offsets, compared.slots.arrays),
        "query_date": query.column("published"),
        "found_date": found.column("published"),
        "query_address": query.column("address"),
        "found_address": found.column("address"),
        **dict(zip(TOLD_HEADS, told, strict=True)),
        "texts": _cut_texts(compared, sides, bodies),
    }
    arrays = []
    for one in COMPARED_SCHEMA:
        column = columns[one.name]
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        if not isinstance(column, pa.Array):
            column = pa.array(column)
        arrays.append(column.cast(one.type))
    return pa.RecordBatch.from_arrays(arrays, schema=COMPARED_SCHEMA)


def _pack_lists(offsets: NDArray[np.int64], columns: Sequence[NDArray[Any]]) -> pa.Array:
    """The values of each list, as the bytes of a chunk."""
    edges = offsets.tolist()
    return pa.array(
        [b"".join(encode([one[start:end] for one in columns])) for start, end in pairwise(edges)], pa.binary()
    )


def _unpack_lists(column: Any) -> tuple[NDArray[np.int64], list[NDArray[Any]]]:
    """The offsets of lists that `_pack_lists` made bytes of, and their values."""
    chunks = [decode(memoryview(one)) for one in column.to_pylist()]
    offsets = np.cumsum([0, *(len(chunk[0]) for chunk in chunks)])
    return offsets, [np.concatenate(parts) for parts in zip(*chunks, strict=True)]


def _cut_texts(
    compared: Compared, sides: Sequence[NDArray[np.uint32]], bodies: Sequence[memoryview]
) -> pa.Array:
    """The texts of the passages of each pair: of the query, then of what was found, as an Arrow table in bytes."""
    passages, edges = compared.passages, compared.passage_offsets.tolist()
    texts: dict[int, str] = {}
    cut = []
    for row, (query, found) in enumerate(zip(sides[0].tolist(), sides[1].tolist(), strict=True)):
        of = slice(edges[row], edges[row + 1])
        pieces = []
        for side, starts, ends in (
            (query, passages.query_start[of], passages.query_end[of]),
            (found, passages.found_start[of], passages.found_end[of]),
        ):
            if side not in texts:
                texts[side] = str(bodies[side], "utf-8")
            pieces += [
                texts[side][start:end].encode()
                for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
            ]
        sizes = np.array([len(piece) for piece in pieces], np.int64)
        cut.append(b"".join(encode([sizes, np.frombuffer(b"".join(pieces), np.uint8)])))
    return pa.array(cut, pa.binary())


def uncut_texts(content: bytes) -> list[str]:
    """The texts of the passages of a pair: those of the query, then those of what was found."""
    sizes, body = decode(content)
    edges = np.cumsum([0, *sizes.tolist()]).tolist()
    return [str(body.data[start:end], "utf-8") for start, end in pairwise(edges)]


def read_compared(rows: pa.RecordBatch | pa.Table) -> Compared:
    """The compared pairs in rows of `MATCHED`."""
    return (
        _read_pairs(rows, "relation", _unpack_lists(rows.column("slots"))) if rows.num_rows else NOT_COMPARED
    )


def read_settled(rows: pa.Table) -> Compared:
    """The settled pairs in rows of `SETTLED`; they have no slots any more."""
    none = np.zeros(rows.num_rows + 1, np.int64), NO_SLOTS.arrays
    return _read_pairs(rows, "code", none) if rows.num_rows else NOT_COMPARED


def _read_pairs(
    rows: pa.RecordBatch | pa.Table, relation: str, slots: tuple[NDArray[np.int64], list[NDArray[Any]]]
) -> Compared:
    offsets, passages = _unpack_lists(rows.column("passages"))
    return Compared(
        rows.column(relation).to_numpy().astype(np.int8),
        rows.column("query_covered").to_numpy(),
        rows.column("found_covered").to_numpy(),
        rows.column("resemblance").to_numpy(),
        offsets,
        Passages(*passages),
        rows.column("tried").to_numpy().astype(np.uint8),
        slots[0],
        SlotColumns(*slots[1]),
    )


@dataclass(frozen=True)
class Vary(ByBucket):
    """Finds the names of slots that vary, of one range of names."""

    def _give(self, gathered: Gathered) -> Iterator[Sent]:
        for part, kinds in gathered.items():
            chunks = [decode(chunk) for _, chunk in kinds["slots"]]
            name, later, earlier, query, found = join(
                chunks, (np.uint64, np.uint32, np.uint32, np.uint64, np.uint64)
            )
            none = np.zeros(len(name), np.uint8)
            slots = SlotColumns(later, none, name, query, found, later, none, none)
            varying = forms.learn(slots, later, earlier)
            if len(varying):
                yield send("varying", part, 0, varying)


@dataclass(frozen=True)
class Touch:
    """Finds the articles that may hold some boilerplate, by their traces."""

    fresh: NDArray[np.uint64]

    def __call__(self, batches: Batches) -> Batches:
        """The ranks of these articles."""
        for batch in batches:
            for content in batch.column("chunk"):
                ranks, shingles, offsets = decode(memoryview(content.as_buffer()))
                touched = ranks[Trace(shingles, offsets).may_hold(self.fresh)]
                if len(touched):
                    yield pa.RecordBatch.from_arrays([pa.array(touched.astype(np.int64))], names=["rank"])


SETTLED = (
    "later long, earlier long, by int, linked int, query string, found string, relation string, code int, query_covered double, "
    "found_covered double, resemblance double, tried int, passages binary, texts binary, query_date long, found_date long, "
    "query_address long, found_address long, " + ", ".join(f"{name} string" for name in TOLD_HEADS)
)
SETTLED_SCHEMA = schema_of(SETTLED)


@dataclass(frozen=True)
class Settle:
    """Settles which matches are forms, by the names of the slots that vary."""

    varying: NDArray[np.uint64]

    def __call__(self, batches: Batches) -> Batches:
        """Rows of `SETTLED`."""
        for batch in batches:
            if not batch.num_rows:
                continue
            sides = [
                (batch.column(f"{side}_date").to_numpy(), batch.column(f"{side}_address").to_numpy())
                for side in ("query", "found")
            ]

            def tell(some: NDArray[np.int64], sides: Sequence[forms.Origins] = sides) -> forms.Apart:
                return forms.tell_apart(*((dates[some], addresses[some]) for dates, addresses in sides))

            settled = settle(read_compared(batch), self.varying, tell)
            columns = {
                "relation": pa.array([str(RELATIONS[code]) for code in settled.relation.tolist()]),
                "code": pa.array(settled.relation.astype(np.int32)),
                "passages": _pack_lists(settled.passage_offsets, settled.passages.arrays),
            }
            arrays = [
                columns[one.name] if one.name in columns else batch.column(one.name) for one in SETTLED_SCHEMA
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=SETTLED_SCHEMA)


_SLOTS = "struct<same: long, other: long>"
MATCHES = (
    "query string, found string, relation string, query_covered double, found_covered double, resemblance double, "
    f"slots {_SLOTS}, passages array<struct<query: array<long>, found: array<long>, words: long, changed: long, slots: {_SLOTS}, "
    "text: string, found_text: string>>, methods array<string>, "
    + ", ".join(f"{name} string" for name in TOLD_HEADS)
)


@dataclass(frozen=True)
class Show:
    """Gives settled matches the columns that `Matches.to_arrow` has."""

    combinations: Sequence[Sequence[str]]
    names: Sequence[str] = field(default=tuple(TOLD_HEADS))

    def __call__(self, batches: Batches) -> Batches:
        """Rows of `MATCHES`."""
        for batch in batches:
            if not batch.num_rows:
                continue
            lists = [Passages(*decode(memoryview(one))) for one in batch.column("passages").to_pylist()]
            texts = [uncut_texts(one) for one in batch.column("texts").to_pylist()]
            told = [_tell_passages(passages, some) for passages, some in zip(lists, texts, strict=True)]
            whole = [{"same": int(one.same.sum()), "other": int(one.other.sum())} for one in lists]
            plain = ("query", "found", "relation", "query_covered", "found_covered", "resemblance")
            methods = [list(self.combinations[by]) for by in batch.column("by").to_pylist()]
            columns = {
                **{name: batch.column(name) for name in plain},
                "slots": pa.array(whole, _SLOT_TYPE),
                "passages": pa.array(told, pa.list_(_PASSAGE_TYPE)),
                "methods": pa.array(methods, pa.list_(pa.string())),
                **{name: batch.column(name) for name in self.names},
            }
            yield pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


_SLOT_TYPE = pa.struct([("same", pa.int64()), ("other", pa.int64())])
_PASSAGE_TYPE = pa.struct(
    [
        ("query", pa.list_(pa.int64())),
        ("found", pa.list_(pa.int64())),
        ("words", pa.int64()),
        ("changed", pa.int64()),
        ("slots", _SLOT_TYPE),
        ("text", pa.string()),
        ("found_text", pa.string()),
    ]
)


def _tell_passages(passages: Passages, texts: Sequence[str]) -> list[dict[str, Any]]:
    number = len(passages)
    rows: Iterable[Any] = passages.rows()
    return [
        {
            "query": [start, end],
            "found": [begin, stop],
            "words": words,
            "changed": changed,
            "slots": {"same": same, "other": other},
            "text": texts[row],
            "found_text": texts[number + row],
        }
        for row, (start, end, begin, stop, words, changed, same, other) in enumerate(rows)
    ]
