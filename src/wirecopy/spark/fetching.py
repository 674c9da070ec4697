"""Articles that the driver needs, out of the frame that has them all: as a collection by rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import IO, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from ..forms import Origins
from ..matching.collection import Texts
from ..model import KEPT, Article, Remarks, Skipped
from .reading import RANGE_BITS
from .stages import take_texts


class Fetched:
    """Some articles of a ranked frame: a `Collection` by their ranks in the frame, or by their places among them if it is `dense`."""

    labels: Sequence[Any] | None = None
    skipped: Sequence[Skipped] = ()
    warnings: Sequence[str] = ()
    remarks = Remarks()
    missing_fields: Sequence[str] = ()

    def __init__(self, table: pa.Table, texts: Texts, *, dense: bool = False) -> None:
        """The articles of a table without texts, sorted by rank, and their texts."""
        self.ranks: NDArray[np.uint32] = table.column("rank").to_numpy().astype(np.uint32)
        self._table, self._texts, self._dense = table, texts, dense
        self.ids: Any = table.column("id").to_pylist() if dense else _Ids(self)

    def rows(self, ranks: NDArray[Any]) -> NDArray[np.int64]:
        """The rows of some articles."""
        return ranks.astype(np.int64) if self._dense else np.searchsorted(self.ranks, ranks)

    def id_of(self, rank: int) -> str:
        """The id of an article."""
        return str(self._table.column("id")[int(self.rows(np.array([rank]))[0])])

    def texts(self, ranks: NDArray[np.uint32]) -> Texts:
        """The texts at some ranks."""
        body, edges = self._texts
        rows = self.rows(ranks)
        starts, ends = edges[rows].tolist(), edges[rows + 1].tolist()
        parts = [body.data[start:end] for start, end in zip(starts, ends, strict=True)]
        return np.frombuffer(b"".join(parts), np.uint8), np.cumsum([0, *map(len, parts)])

    def articles(self, ranks: NDArray[np.uint32]) -> list[Article]:
        """The articles at some ranks."""
        body, offsets = self.texts(ranks)
        texts = [str(body.data[start:end], "utf-8") for start, end in pairwise(offsets.tolist())]
        return self._describe(ranks, texts)

    def describe(self, ranks: NDArray[np.uint32]) -> list[Article]:
        """The same without their texts."""
        return self._describe(ranks, [""] * len(ranks))

    def _describe(self, ranks: NDArray[np.uint32], texts: Iterable[str]) -> list[Article]:
        rows = self._table.take(pa.array(self.rows(ranks)))
        names = ["written" if name == "published" else name for name in KEPT]
        about = zip(*(rows.column(name).to_pylist() for name in names), strict=True)
        told = zip(rows.column("id").to_pylist(), texts, about, strict=True)
        return [Article(id, text, **dict(zip(KEPT, values, strict=True))) for id, text, values in told]

    def origins(self, ranks: NDArray[np.uint32]) -> Origins:
        """The dates and addresses of the articles at some ranks."""
        rows = self._table.take(pa.array(self.rows(ranks)))
        return rows.column("published").to_numpy(), rows.column("address").to_numpy()

    def count_sources(self, ranks: NDArray[np.uint32]) -> Mapping[str, int]:
        """Nothing: sources are not counted."""
        return {}


class _Ids:
    """The id at each rank."""

    def __init__(self, fetched: Fetched) -> None:
        self._fetched = fetched

    def __getitem__(self, rank: int) -> str:
        return self._fetched.id_of(rank)


def fetch(ranked: DataFrame, ranks: NDArray[np.uint32]) -> Fetched:
    """The articles at some ranks of a frame, in memory."""
    table, texts = _take(_wanted(ranked, ranks).toArrow())
    return Fetched(table, texts)


def spool(ranked: DataFrame, ranks: NDArray[np.uint32], ranges: int, file: IO[bytes]) -> Fetched:
    """The articles at some ranks of a frame, dense; their texts are put into a file, a range at a time."""
    wanted, tables, lengths = _wanted(ranked, ranks), [], [np.empty(0, np.int64)]
    for place in range(ranges):
        inside = sql.col("rank").between(place << RANGE_BITS, (place + 1 << RANGE_BITS) - 1)
        table, (body, offsets) = _take(wanted.where(inside).toArrow())
        file.write(body.data)
        tables.append(table)
        lengths.append(np.diff(offsets))
    file.flush()
    offsets = np.cumsum(np.concatenate([[0], *lengths]))
    body = np.memmap(file, np.uint8, "r") if offsets[-1] else np.empty(0, np.uint8)
    return Fetched(pa.concat_tables(tables), (body, offsets), dense=True)


def _wanted(ranked: DataFrame, ranks: NDArray[np.uint32]) -> DataFrame:
    wanted = pa.table({"rank": pa.array(np.unique(ranks).astype(np.int64))})
    return ranked.join(sql.broadcast(ranked.sparkSession.createDataFrame(wanted)), "rank")


def _take(table: pa.Table) -> tuple[pa.Table, Texts]:
    table = table.combine_chunks().sort_by("rank")
    return table.drop_columns(["text"]), take_texts(table.column("text").combine_chunks())
