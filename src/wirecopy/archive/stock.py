"""The live articles of an archive as a pile, for the job that `find` does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ..errors import ArchiveError
from ..methods import Method
from ..model import ABOUT, UNDATED, Articles
from ..pile import LEFT_OUT, Filed, Pile
from .segments import Segment
from .store import Store

BATCH_ARTICLES = 2000


class Stock(Pile):
    """All segments on end: an article's number is its place there. Texts come from the store when they are needed."""

    def __init__(self, store: Store, segments: Sequence[Segment], live: NDArray[np.uint64]) -> None:
        super().__init__()
        self._store = store
        self._lock = Lock()
        self._rows = np.concatenate([np.empty(0, np.uint64), *(segment.rows for segment in segments)])
        self.firsts = (
            list(accumulate((len(segment.rows) for segment in segments[:-1]), initial=0)) if segments else []
        )
        self._live = np.isin(self._rows, live)
        known = {
            row: (id, moment) for row, id, moment in store.execute("SELECT row, id, moment FROM articles")
        }
        missing = ("", None)
        about = [known.get(row, missing) for row in self._rows.tolist()]
        self.ids = [id for id, _ in about]
        self._moments = np.array([UNDATED if moment is None else moment for _, moment in about], np.int64)
        self._segments = segments

    def rank(self, *, with_own: bool = True) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """The rank of each live article, by `published` then id, and the article at each rank."""
        numbers = np.flatnonzero(self._live).tolist()
        numbers.sort(key=self.ids.__getitem__)
        order = np.array(numbers, np.int64)
        order = order[np.argsort(self._moments[order], kind="stable")]
        ranks = np.full(len(self.ids), LEFT_OUT, np.uint32)
        ranks[order] = np.arange(len(order), dtype=np.uint32)
        return ranks, order

    @staticmethod
    def shards(segment: Segment, methods: Sequence[Method], directed: Sequence[Method]) -> Filed:
        """What a segment's articles are filed under, for methods that ask under the same keys; raises ValueError for damage."""
        return {
            method: (
                part.words.astype(np.int64),
                [part.seal.shard(part.content, shard) for shard in range(64)],
            )
            for method, part in zip(methods, segment.parts, strict=True)
            if method not in directed
        }

    @property
    def batches(self) -> list[Articles]:
        """All articles, dead ones without text, in batches as they are numbered."""
        return list(self._read())

    @batches.setter
    def batches(self, value: list[Articles]) -> None:
        assert not value

    def _read(self) -> Iterator[Articles]:
        for start in range(0, len(self._rows), BATCH_ARTICLES):
            numbers = range(start, min(start + BATCH_ARTICLES, len(self._rows)))
            text, offsets = self.texts(numbers)
            rows = self._rows[numbers.start : numbers.stop].tolist()
            with self._lock:
                titles = dict(self._store.select("row, title", "articles", "row", rows))
            yield Articles(
                self.ids[numbers.start : numbers.stop],
                text,
                offsets,
                self._moments[numbers.start : numbers.stop],
                about={
                    name: [titles.get(row, "") if name == "title" else "" for row in rows] for name in ABOUT
                },
            )

    def without_queries(self) -> list[Articles]:
        """The live articles."""
        return [batch.take([row for row, id in enumerate(batch.ids) if id]) for batch in self._read()]

    def texts(self, numbers: Iterable[int]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The texts of some articles as a batch."""
        rows = [int(self._rows[number]) if self._live[number] else 0 for number in numbers]
        with self._lock, self._store.errors("read"):
            found = dict(
                self._store.select("row, CAST(text AS BLOB)", "texts", "row", [row for row in rows if row])
            )
        found[0] = b""
        if not found.keys() >= set(rows):
            raise ArchiveError(
                f"{self._store.path}: an article of these matches was removed since; ask again"
            )
        parts = [found[row] for row in rows]
        offsets = np.fromiter(accumulate(map(len, parts), initial=0), np.int64, len(parts) + 1)
        return np.frombuffer(b"".join(parts), np.uint8), offsets

    def count_sources(self, numbers: Sequence[int]) -> Mapping[str, int]:
        """How many of some articles are of each source, the most common first."""
        with self._lock:
            found = self._store.select("source", "articles", "row", self._rows[numbers].tolist())
        counts = Counter(source for (source,) in found if source)
        return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))

    def bytes_of(self, number: int) -> memoryview:
        """The text of one article as UTF-8."""
        return self.texts([number])[0].data
