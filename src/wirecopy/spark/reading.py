"""Records of a frame as articles, each with its rank; what cannot be used is told.

    frame ─Read→ articles, skipped records, facts ─duplicates→ ─by range of (published, id), sorted─Rank→ ranked articles

A frame has no order, so of two records with one id neither is the first, unless a column says which. A rank is the number of a range and a
place in it: whatever the ranges are, ranks are in the order of time and id.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as sql

from ..addresses import number_addresses
from ..errors import NothingRead, UsageError
from ..model import KEPT, Articles, Remarks, Skipped, held_by_either, list_skipped
from ..sources import Fields, jsonl
from ..sources.arrow import read_table
from .moving import Batches, run

RANGE_BITS = 20
"""The bits of a rank that are the place in its range."""
MOST_RANGES = (1 << 12) - 1
BATCH_BYTES = 4 << 20
ARTICLE, SKIPPED, FACTS = range(3)
LINE, ORDER = "value", "wirecopy_order"
NO_ID = "no id; where articles have no order, each needs its own"
_ABOUT = ("title", "source", "written", "url", "agency")
"""The columns of `KEPT`; `published` is a number here, and `written` as it was."""
READ = "kind int, id string, text string, published long, address long, " + ", ".join(
    f"{name} string" for name in _ABOUT
)
RANKED = f"rank long, {READ.removeprefix('kind int, ')}"


def open_files(session: SparkSession, paths: Sequence[str], is_lines: bool) -> DataFrame:
    """The records of Parquet files, or the lines of files of JSON lines, with a column that orders them."""
    place = [sql.col("_metadata.file_path")]
    if is_lines:
        frame = session.read.option("lineSep", "\n").text(list(paths))
        place += [sql.col("_metadata.file_block_start"), sql.monotonically_increasing_id()]
    else:
        frame = session.read.parquet(*paths)
        place.append(sql.col("_metadata.row_index"))
    named = [one.alias(f"place{number}") for number, one in enumerate(place)]
    return frame.withColumn(ORDER, sql.struct(*named))


def schema_of(columns: str) -> pa.Schema:
    """The Arrow schema of columns as Spark writes them."""
    kinds = {
        "int": pa.int32(),
        "long": pa.int64(),
        "string": pa.string(),
        "double": pa.float64(),
        "binary": pa.binary(),
    }
    return pa.schema([(name, kinds[kind]) for name, kind in (one.split() for one in columns.split(", "))])


@dataclass(frozen=True)
class Read:
    """Reads the articles of a partition: rows of a table, or lines of JSON; with those of duplicates, the column that orders them."""

    fields: Fields
    is_lines: bool
    order: pa.DataType | None = None
    """The type of the column that orders records, if there is one."""

    @property
    def ordered(self) -> bool:
        """Whether there is a column that orders records."""
        return self.order is not None

    def __call__(self, batches: Batches) -> Batches:
        """Rows of `READ`."""
        from pyspark import TaskContext

        context = TaskContext.get()
        name = f"partition {context.partitionId() if context else 0}"
        facts: list[Articles] = []
        for articles, order in self._read(name, batches):
            ids = list(articles.ids)
            where = articles.where or (lambda row: name)
            named = [row for row, id in enumerate(ids) if id != where(row)]
            skipped = [*articles.skipped]
            if len(named) < len(ids):
                lost = sorted(set(range(len(ids))) - set(named))
                skipped += [Skipped(where(row), NO_ID) for row in lost]
                remarks, held = articles.remarks, articles.held
                articles = replace(articles.take(named), remarks=remarks, held=held)
                order = None if order is None else order.take(pa.array(named))
            yield from self._tell(articles, order)
            facts.append(_facts_of(articles, skipped))
            facts = [_facts_of(*_add(facts))]
        if facts:
            yield from self._tell_facts(facts[0])

    def _read(self, name: str, batches: Batches) -> Iterator[tuple[Articles, pa.Array | None]]:
        """The articles of each batch, with the values that order them."""
        if self.is_lines:
            line = 1
            for batch in batches:
                values = batch.column(LINE).cast(pa.binary()).to_pylist()
                content = b"".join(one for value in values for one in (value, b"\n"))
                articles = jsonl.parse(np.frombuffer(content, np.uint8), line, name, self.fields)
                yield articles, self._order(batch, articles, name, line)
                line += len(values)
            return
        row = 1
        for batch in batches:
            plain = batch.drop_columns([ORDER]) if self.ordered else batch
            for work in read_table(pa.Table.from_batches([plain]), name, self.fields, BATCH_BYTES):
                articles = work()
                order = self._order(batch, articles, name, 1)
                yield replace(articles, **_renumbered(articles, name, row - 1)), order
            row += batch.num_rows

    def _order(self, batch: pa.RecordBatch, articles: Articles, name: str, first: int) -> pa.Array | None:
        if not self.ordered:
            return None
        where = articles.where
        assert where is not None
        rows = [int(where(row).removeprefix(f"{name}:")) - first for row in range(len(articles))]
        return batch.column(ORDER).take(pa.array(rows, pa.int64()))

    def _tell(self, articles: Articles, order: pa.Array | None) -> Batches:
        number = len(articles)
        if not number:
            return
        about = articles.about
        texts = pa.LargeStringArray.from_buffers(
            number,
            pa.py_buffer(np.ascontiguousarray(articles.offsets)),
            pa.py_buffer(np.ascontiguousarray(articles.text)),
        )
        columns = [
            pa.array(np.full(number, ARTICLE, np.int32)),
            pa.array(articles.ids, pa.string()),
            texts.cast(pa.string()),
            pa.array(articles.published),
            pa.array(number_addresses(about.get("url") or [""] * number)),
            *(
                pa.array([one or None for one in about.get(field) or [""] * number], pa.string())
                for field in KEPT
            ),
        ]
        names = [*schema_of(READ).names, *[ORDER] * self.ordered]
        yield pa.RecordBatch.from_arrays([*columns, *([order] * self.ordered)], names=names)

    def _tell_facts(self, articles: Articles) -> Batches:
        rows = [(SKIPPED, one.where, json.dumps([one.reason, one.more])) for one in articles.skipped]
        told = {"remarks": asdict(articles.remarks), "held": dict(articles.held)}
        rows.append((FACTS, "", json.dumps(told)))
        columns = [pa.array([row[at] for row in rows]) for at in range(3)]
        schema = schema_of(READ)
        arrays = [columns[0].cast(pa.int32()), *columns[1:]]
        arrays += [pa.nulls(len(rows), field.type) for field in list(schema)[3:]]
        names = list(schema.names)
        if self.ordered:
            arrays.append(pa.nulls(len(rows), self.order))
            names.append(ORDER)
        yield pa.RecordBatch.from_arrays(arrays, names=names)


def _renumbered(articles: Articles, name: str, before: int) -> dict[str, Any]:
    """What a batch tells of its rows, which are so many further down in the partition."""

    def move(where: str) -> str:
        place = where.removeprefix(f"{name}:")
        return f"{name}:{before + int(place)}" if place.isdecimal() else where

    place_of = articles.where
    ids = [move(id) if place_of and id == place_of(row) else id for row, id in enumerate(articles.ids)]
    return {
        "ids": ids,
        "where": None if place_of is None else (lambda row: move(place_of(row))),
        "skipped": [replace(one, where=move(one.where)) for one in articles.skipped],
    }


def _facts_of(articles: Articles, skipped: Sequence[Skipped]) -> Articles:
    """A batch without its articles."""
    none = Articles((), np.empty(0, np.uint8), np.zeros(1, np.int64), np.empty(0, np.int64))
    return replace(none, skipped=list_skipped(skipped), remarks=articles.remarks, held=articles.held)


def _add(facts: Iterable[Articles]) -> tuple[Articles, Sequence[Skipped]]:
    first, *others = facts
    for other in others:
        first = replace(
            first,
            skipped=[*first.skipped, *other.skipped],
            remarks=first.remarks + other.remarks,
            held=held_by_either(first.held, other.held),
        )
    return first, first.skipped


@dataclass(frozen=True)
class Told:
    """What reading tells beside articles: the skipped records, what is odd, which of the fields asked for were there."""

    skipped: Sequence[Skipped]
    remarks: Remarks
    held: dict[str, bool]

    @classmethod
    def collect(cls, read: DataFrame) -> Told:
        """What all partitions told."""
        rows = (
            read.where(sql.col("kind") != ARTICLE)
            .select("kind", "id", "text")
            .orderBy("kind", "id")
            .collect()
        )
        skipped, remarks, held = list[Skipped](), Remarks(), dict[str, bool]()
        for kind, where, text in rows:
            told = json.loads(text)
            if kind == SKIPPED:
                skipped.append(Skipped(where, *told))
            else:
                remarks, held = remarks + Remarks(**told["remarks"]), held_by_either(held, told["held"])
        return cls(list_skipped(skipped), remarks, held)


def drop_repeated(read: DataFrame, ordered: bool) -> tuple[DataFrame, list[Skipped]]:
    """The articles, each id once, and what is skipped for that: all but the first, by the column that orders them.

    Without one, records that are the same are one article. Raises UsageError for those that are not.
    """
    articles = read.where(sql.col("kind") == ARTICLE)
    repeated = articles.groupBy("id").count().where("count > 1")
    if repeated.isEmpty():
        return articles, []
    again = articles.join(sql.broadcast(repeated.select("id")), "id")
    if not ordered:
        content = sql.xxhash64("text", "published", *_ABOUT)
        differing = (
            again.groupBy("id").agg(sql.countDistinct(content).alias("contents")).where("contents > 1")
        )
        names = [row.id for row in differing.orderBy("id").limit(3).collect()]
        if names:
            shown = ", ".join(map(repr, names))
            raise UsageError(
                f"several records have one id, {shown} for example, and a frame has no order: name what orders them "
                "with order_by=[column, …], so that the first counts, or give each its own id"
            )
    first = Window.partitionBy("id").orderBy(ORDER if ordered else "id")
    numbered = again.withColumn("nth", sql.row_number().over(first))
    kept = numbered.where("nth = 1").drop("nth", *[ORDER] * ordered)
    others = [
        Skipped(row.id, f"an article with the id {row.id!r} was read before; give each its own")
        for row in numbered.where("nth > 1").select("id").orderBy("id").toLocalIterator()
    ]
    alone = articles.join(sql.broadcast(repeated.select("id")), "id", "left_anti").drop(*[ORDER] * ordered)
    return alone.unionByName(kept), list_skipped(others)


@dataclass(frozen=True)
class Rank:
    """Gives the sorted articles of each range their ranks."""

    def __call__(self, batches: Batches) -> Batches:
        """Rows of `RANKED`."""
        from pyspark import TaskContext

        context = TaskContext.get()
        first, place = (context.partitionId() if context else 0) << RANGE_BITS, 0
        for batch in batches:
            if place + batch.num_rows > 1 << RANGE_BITS:
                raise ValueError(
                    f"expected up to {1 << RANGE_BITS:,} articles in a range; ask for more parts"
                )
            ranks = np.arange(first + place, first + place + batch.num_rows)
            place += batch.num_rows
            columns = [batch.column(name) for name in schema_of(RANKED).names[1:]]
            yield pa.RecordBatch.from_arrays([pa.array(ranks), *columns], schema=schema_of(RANKED))


def rank(articles: DataFrame, ranges: int, package: str | None) -> DataFrame:
    """The articles with their ranks, as `RANKED`."""
    by_time = articles.drop("kind").repartitionByRange(ranges, "published", "id")
    return run(by_time.sortWithinPartitions("published", "id"), Rank(), RANKED, package)


def require_articles(told: Told) -> None:
    """Raise NothingRead: nothing but skipped records was read."""
    raise NothingRead(told.skipped)
