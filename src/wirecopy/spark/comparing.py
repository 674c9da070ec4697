"""What candidates are: compared with their texts, and settled once the collection is known.

Compare   candidates of a group with their texts → matches, traces, slots by range of names
Vary      slots of a range of names → the names that vary
Touch     traces → articles that may hold some boilerplate
Settle    matches → matches once it is known which are forms
Show      matches → the columns of `Matches.to_arrow`
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .. import forms, text
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
from ..model import TOLD_HEADS, Boilerplate
from ..pairs import distinct
from .moving import Batches, Gathered, Sent, emit, join, send
from .reading import schema_of
from .stages import ByBucket, part_of, split, take_texts

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


def read_without_slots(rows: pa.Table, relation: str) -> Compared:
    """The pairs in rows of `MATCHED` or `SETTLED`, without slots; the codes of their relations are in this column."""
    none = np.zeros(rows.num_rows + 1, np.int64), NO_SLOTS.arrays
    return _read_pairs(rows, relation, none) if rows.num_rows else NOT_COMPARED


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
