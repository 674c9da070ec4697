"""How a task gets to executors, and chunks of columns from task to task: as rows of bytes, each for a bucket.

Rows of bytes and not of values: postings as rows of Spark's own cost several times the time. All frames are moved by the public DataFrame
API, so that it is the same over Spark Connect.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql

from ..matching.chunks import decode, encode
from ..matching.collection import Chunk
from .shipping import entering

Batches = Iterator[pa.RecordBatch]
Task = Callable[[Batches], Batches]
EMITTED_BYTES = 16 << 20
"""About so many bytes are given to Spark in one batch."""
CHUNKS = "kind string, bucket int, place long, chunk binary"
CHUNK_SCHEMA = pa.schema(
    [("kind", pa.string()), ("bucket", pa.int32()), ("place", pa.int64()), ("chunk", pa.binary())]
)


class Sent(NamedTuple):
    """A chunk of a kind for a bucket; of one kind and bucket those with lower places come first."""

    kind: str
    bucket: int
    place: int
    chunk: bytes


def send(kind: str, bucket: int, place: int, *columns: Any) -> Sent:
    """Some columns as a chunk for a bucket."""
    return Sent(kind, bucket, place, b"".join(encode(columns)))


def emit(rows: Iterable[Sent]) -> Batches:
    """Chunks as batches of a bounded size."""
    waiting: list[Sent] = []
    size = 0
    for row in rows:
        waiting.append(row)
        size += len(row.chunk)
        if size > EMITTED_BYTES:
            yield _as_batch(waiting)
            waiting, size = [], 0
    if waiting:
        yield _as_batch(waiting)


def _as_batch(rows: Sequence[Sent]) -> pa.RecordBatch:
    columns = zip(zip(*rows, strict=True), CHUNK_SCHEMA, strict=True)
    return pa.RecordBatch.from_arrays(
        [pa.array(column, field.type) for column, field in columns], schema=CHUNK_SCHEMA
    )


def as_table(rows: Sequence[Sent]) -> pa.Table:
    """Chunks as a table."""
    return pa.Table.from_batches([_as_batch(rows)])


Gathered = dict[int, dict[str, list[tuple[int, memoryview]]]]


def gather(batches: Iterable[pa.RecordBatch]) -> Gathered:
    """The chunks of each bucket by their kind, in order of their places."""
    found: Gathered = {}
    for batch in batches:
        kinds, buckets, places = (batch.column(name).to_pylist() for name in ("kind", "bucket", "place"))
        for kind, bucket, place, chunk in zip(kinds, buckets, places, batch.column("chunk"), strict=True):
            found.setdefault(bucket, {}).setdefault(kind, []).append((place, memoryview(chunk.as_buffer())))
    for of_bucket in found.values():
        for chunks in of_bucket.values():
            chunks.sort(key=lambda one: one[0])
    return dict(sorted(found.items()))


def measure(chunks: Iterable[tuple[int, memoryview]]) -> int:
    """How many bytes some gathered chunks are."""
    return sum(len(chunk) for _, chunk in chunks)


def run(frame: DataFrame, task: Task, schema: str, package: str | None = None) -> DataFrame:
    """The frame that a task makes of the batches of each partition; a `package` that was sent to executors is found by its name there."""
    payload, enter = pickle.dumps(task), entering(package)

    def stage(batches: Batches) -> Batches:
        # Sent by value: nothing of this package can be imported before it is found.
        import pickle

        if wrong := enter():
            raise RuntimeError(f"wirecopy on a worker: {wrong}, which is not what the driver has")
        yield from pickle.loads(payload)(batches)

    return frame.mapInArrow(stage, schema)


def regroup(frame: DataFrame, parts: int, column: str = "bucket") -> DataFrame:
    """The same rows, all of a bucket in one partition."""
    if hasattr(
        frame, "repartitionById"
    ):  # since Spark 4.1; by hash some partitions have more buckets than others
        return frame.repartitionById(parts, column)
    return frame.repartition(parts, column)


Collected = dict[str, list[tuple[int, Chunk]]]


def collect(frame: DataFrame, *kinds: str) -> Collected:
    """The chunks of each of some kinds, in one job; each with its bucket, by bucket and place. A kind may end in `%`, for all that begin so."""
    wanted = [sql.col("kind").like(kind) for kind in kinds]
    table = frame.where(reduce(Column.__or__, wanted)).select("kind", "bucket", "place", "chunk").toArrow()
    names, buckets, places = (table.column(name).to_pylist() for name in ("kind", "bucket", "place"))
    found: Collected = {}
    for row in sorted(range(table.num_rows), key=lambda row: (buckets[row], places[row])):
        chunk = decode(memoryview(table.column("chunk")[row].as_buffer()))
        found.setdefault(names[row], []).append((buckets[row], chunk))
    return found


def add_up(collected: Collected, kind: str) -> int:
    """The sum of chunks that are one number each."""
    return sum(int(chunk[0][0]) for _, chunk in collected.get(kind, ()))


def join(chunks: Iterable[Chunk], kinds: Sequence[type]) -> list[Any]:
    """Each column of all chunks, concatenated; of no chunks, an empty one of its kind."""
    columns = list(zip(*chunks, strict=True)) or [()] * len(kinds)
    return [np.concatenate([np.empty(0, kind), *parts]) for kind, parts in zip(kinds, columns, strict=True)]


def join_collected(collected: Collected, kind: str, kinds: Sequence[type]) -> list[Any]:
    """Each column of all chunks of a kind, concatenated."""
    return join([chunk for _, chunk in collected.get(kind, ())], kinds)
