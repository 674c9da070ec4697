"""The live articles of an archive as a collection, and what they are filed under."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..addresses import number_addresses
from ..forms import Origins
from ..matching.collection import Pool, Texts, invert, rank
from ..methods import Method, Sketches
from ..model import Article, Remarks, Skipped
from ..pairs import LEFT_OUT, NOBODY, SHARDS, Shard, sketch
from .index import NO_ROWS, Index, batch_of, moments_of
from .segments import Segment

BATCH_ARTICLES = 2000


class Stock:
    """All live articles, or those of some rows. All are numbered through all segments, concatenated; texts are read when needed."""

    labels: Sequence[Any] | None = None
    skipped: Sequence[Skipped] = ()
    warnings: Sequence[str] = ()
    remarks = Remarks()
    missing_fields: Sequence[str] = ()

    def __init__(self, index: Index, pool: Pool, some: Sequence[int] | None = None) -> None:
        self._index = index
        self._store = index.store
        self._pool = pool
        self._lock = Lock()
        rows, moments = index.rows, index.moments
        if some is not None:
            rows = np.array(some, np.uint64)
            moments = np.array(moments_of(index.store.moments_at(some), some), np.int64)
        ids = index.store.ids_of(rows.tolist())
        self._order = rank(moments, lambda places: [ids[place] for place in places.tolist()])
        self.rows = rows[self._order]
        """The row at each rank."""
        self._moments = moments[self._order]
        self.ids = [ids[place] for place in self._order.tolist()]
        # Every stage asks for the addresses of the same articles.
        self._addresses, self._is_numbered = np.zeros(len(ids), np.int64), np.zeros(len(ids), bool)

    def ranks_of(self, rows: NDArray[np.int64]) -> NDArray[np.uint32]:
        """The rank of each of some rows; raises LookupError if one is not here."""
        order = np.argsort(self.rows)
        wanted = rows.astype(np.uint64)
        places = np.searchsorted(self.rows[order], wanted)
        if len(places) and (places.max() == len(order) or (self.rows[order[places]] != wanted).any()):
            raise LookupError("a row that is not here")
        return order[places].astype(np.uint32)

    @cached_property
    def ranks(self) -> NDArray[np.uint32]:
        """The rank of each article by its number, `LEFT_OUT` for one that is not live."""
        filed = np.concatenate([NO_ROWS, *(segment.rows for segment in self._index.segments)])
        by_place = invert(self._order, len(self._order), LEFT_OUT)
        return np.append(by_place, np.uint32(LEFT_OUT))[self._index.places(filed)]

    def shards(self, method: Method, *, last: bool) -> tuple[NDArray[np.uint32], Iterator[Shard]]:
        """The words of each article, and the postings of each shard, decoded when they are asked for: nothing is kept."""
        number, segments = self._index.settings.methods.index(method), self._index.segments
        firsts = list(accumulate((len(segment.rows) for segment in segments), initial=0))

        def decode(shard: int) -> Shard:
            def read(segment: Segment) -> _core.Postings:
                return segment.parts[number].seal.shard(segment.parts[number].content, shard)

            return list(zip(self._index.sound(read), firsts, strict=False))

        words = np.concatenate([NOBODY, *(segment.parts[number].words for segment in segments)])
        return words, map(decode, range(SHARDS))

    def sketches(self, method: Method) -> tuple[Sketches, NDArray[np.int64]]:
        """What a method remembers of the article at each rank."""
        statistics = self._index.settings.statistics if method.weighs_words else None

        def sketch_batch(start: int) -> Sketches:
            with self._lock:
                batch = batch_of(self._store, self.rows[start : start + BATCH_ARTICLES].tolist())
            return sketch(batch, method, statistics)

        starts = range(0, max(1, len(self.rows)), BATCH_ARTICLES)
        parts = self._pool.map(sketch_batch, starts, f"sketching for {method.name}", len(starts))
        return Sketches.join(list(parts)), np.arange(len(self.rows))

    def texts(self, ranks: NDArray[np.uint32]) -> Texts:
        """The texts at some ranks."""
        rows = self.rows[ranks].tolist()
        with self._lock:
            parts = self._store.texts(rows)
        offsets = np.fromiter(accumulate(map(len, parts), initial=0), np.int64, len(parts) + 1)
        return np.frombuffer(b"".join(parts), np.uint8), offsets

    def articles(self, ranks: NDArray[np.uint32]) -> list[Article]:
        """The articles at some ranks."""
        rows = self.rows[ranks].tolist()
        with self._lock:
            return self._store.whole_articles(rows)

    def describe(self, ranks: NDArray[np.uint32]) -> list[Article]:
        """The same without their texts."""
        rows = self.rows[ranks].tolist()
        with self._lock:
            return self._store.articles(rows)

    def origins(self, ranks: NDArray[np.uint32]) -> Origins:
        """The dates and addresses of the articles at some ranks."""
        with self._lock:
            fresh = ranks[~self._is_numbered[ranks]]
            self._addresses[fresh] = number_addresses(self._store.addresses_of(self.rows[fresh].tolist()))
            self._is_numbered[fresh] = True
        return self._moments[ranks], self._addresses[ranks]

    def count_sources(self, ranks: NDArray[np.uint32]) -> Mapping[str, int]:
        """How many of some articles are of each source, the most common first."""
        with self._lock:
            found = self._store.sources_of(self.rows[ranks].tolist())
        counts = Counter(filter(None, found.values()))
        return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))
