"""The live articles of an archive as a collection, and its index as what they are filed under."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import ArchiveError
from ..matching.collection import Pool, Texts, rank
from ..methods import Method, Sketches
from ..model import Skipped
from ..pairs import LEFT_OUT, NOBODY, SHARDS, Shard, sketch
from .index import Index
from .segments import Segment
from .settings import Settings
from .store import Store

BATCH_ARTICLES = 2000


class Stock:
    """All live articles. In the index a number is a place in all segments on end; texts come from the store when they are needed."""

    skipped: Sequence[Skipped] = ()
    warnings: Sequence[str] = ()
    unreadable_dates = 0
    missing_fields: Sequence[str] = ()

    def __init__(self, store: Store, settings: Settings, index: Index, pool: Pool) -> None:
        self._store = store
        self._settings = settings
        self._index = index
        self._pool = pool
        self._lock = Lock()
        ids = store.ids_of(index.rows.tolist())
        order = rank(index.moments, lambda places: [ids[place] for place in places.tolist()])
        self._rows = index.rows[order]
        """The row at each rank."""
        self.ids = [ids[place] for place in order.tolist()]

    @cached_property
    def _filed_rows(self) -> NDArray[np.uint64]:
        return np.concatenate([np.empty(0, np.uint64), *(segment.rows for segment in self._index.segments)])

    @cached_property
    def ranks(self) -> NDArray[np.uint32]:
        """The rank of each article of the index by its number."""
        by_row = np.argsort(self._rows, kind="stable")
        places = np.searchsorted(self._rows[by_row], self._filed_rows)
        here = np.append(self._rows[by_row], 0)[places] == self._filed_rows
        return np.where(here, np.append(by_row, 0)[places], LEFT_OUT).astype(np.uint32)

    def shards(self, method: Method, *, last: bool) -> tuple[NDArray[np.uint32], Iterator[Shard]]:
        """The words of each article, and the postings of each shard, decoded when they are asked for: nothing is kept."""
        number, segments = self._settings.methods.index(method), self._index.segments
        firsts = list(accumulate((len(segment.rows) for segment in segments), initial=0))

        def decode(shard: int) -> Shard:
            def read(segment: Segment) -> _core.Postings:
                return segment.parts[number].seal.shard(segment.parts[number].content, shard)

            return list(zip(self._index.sound(read), firsts, strict=False))

        words = np.concatenate([NOBODY, *(segment.parts[number].words for segment in segments)])
        return words, map(decode, range(SHARDS))

    def sketches(self, method: Method) -> tuple[Sketches, NDArray[np.int64]]:
        """What a method remembers of the article at each rank."""
        statistics = self._settings.statistics if method.weighs_words else None

        def sketch_batch(start: int) -> Sketches:
            with self._lock:
                batch = self._store.batch(self._rows[start : start + BATCH_ARTICLES].tolist())
            return sketch(batch, method, statistics)

        starts = range(0, max(1, len(self._rows)), BATCH_ARTICLES)
        return Sketches.join(list(self._pool.map(sketch_batch, starts))), np.arange(len(self._rows))

    def texts(self, ranks: NDArray[np.uint32]) -> Texts:
        """The texts at some ranks."""
        rows = self._rows[ranks].tolist()
        try:
            with self._lock:
                parts = self._store.texts(rows)
        except KeyError:
            raise ArchiveError(
                f"{self._store.path}: an article of these matches was removed since; ask again"
            ) from None
        offsets = np.fromiter(accumulate(map(len, parts), initial=0), np.int64, len(parts) + 1)
        return np.frombuffer(b"".join(parts), np.uint8), offsets

    def count_sources(self, ranks: NDArray[np.uint32]) -> Mapping[str, int]:
        """How many of some articles are of each source, the most common first."""
        with self._lock:
            found = self._store.sources_of(self._rows[ranks].tolist())
        counts = Counter(filter(None, found.values()))
        return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))
