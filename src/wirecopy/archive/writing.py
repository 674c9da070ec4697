"""Changes of an archive, each whole or not at all: articles come, go and expire, segments are merged."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..model import ABOUT, UNDATED, Articles, Skipped
from ..pile import Filed
from .answers import Added
from .filing import Filer
from .index import Index
from .segments import Damaged, Segment, choose_merge, make_segment, merge_parts, write_segment
from .settings import SECOND, Settings
from .store import Store

DAY = 86_400 * SECOND
REMOVALS_KEPT = 1000
"""A reader that is more changes behind starts again."""


class Writer:
    """The one that changes the store, and keeps the index of its process with it."""

    def __init__(self, store: Store, settings: Settings, index: Index, filer: Filer, folder: Path) -> None:
        self._store = store
        self._settings = settings
        self._index = index
        self._filer = filer
        self._folder = folder

    @contextmanager
    def changing(self) -> Iterator[None]:
        """A change of the archive: counted, committed, taken in."""
        self._index.is_behind = True
        with self._store.change():
            self._store.set("change", self._store.setting("change", 0) + 1)
            yield
        self._index.refresh()

    def add(
        self, batch: Articles, filed: Filed, contents: Sequence[bytes], replace: bool, seen: set[str]
    ) -> Added:
        """Add a batch in one change; `seen` are the ids that were read before, and takes in these."""
        store = self._store
        known = {
            id: (row, content)
            for id, row, content in store.select("id, row, content", "articles", "id", list(batch.ids))
        }
        fresh, skipped, already = [], list(batch.skipped), 0
        for row, id in enumerate(batch.ids):
            there = known.get(id)
            if id in seen:
                skipped.append(
                    _repeated(batch, row, f"an article with the id {id!r} was read before; give each its own")
                )
            elif there and there[1] == contents[row]:
                already += 1
            elif there and not replace:
                skipped.append(
                    _repeated(
                        batch, row, f"the archive has the id {id!r} with other content; add it with --replace"
                    )
                )
            else:
                fresh.append(row)
            seen.add(id)
        cut = self._cut(batch.published[fresh])
        kept = [row for row in fresh if batch.published[row] >= cut]
        replaced = [known[batch.ids[row]][0] for row in kept if batch.ids[row] in known]
        late = len(fresh) - len(kept)
        if kept:
            self._insert(batch, filed, contents, kept, replaced)
        return Added(
            len(kept) - len(replaced),
            already,
            len(replaced),
            late,
            skipped,
            batch.unreadable_dates,
            batch.held,
        )

    def _insert(
        self,
        batch: Articles,
        filed: Filed,
        contents: Sequence[bytes],
        kept: Sequence[int],
        replaced: Sequence[int],
    ) -> None:
        store, settings = self._store, self._settings
        moments = [None if moment == UNDATED else moment for moment in batch.published.tolist()]
        slices = {row: settings.slice_of(moments[row]) for row in kept}
        first = _next(store, "articles")
        rows = {row: first + place for place, row in enumerate(kept)}
        number = _next(store, "segments")
        entries: list[tuple[Any, ...]] = []
        by_slice = sorted(kept, key=lambda row: (slices[row] is not None, slices[row] or 0, row))
        for slice_, group in groupby(by_slice, key=slices.__getitem__):
            mine = list(group)
            its = filed if len(mine) == len(batch) else self._filer.file(batch.take(mine))
            its_rows = [rows[row] for row in mine]
            made = make_segment(
                number + len(entries), slice_, its_rows[0], its_rows[-1], self._filer.encode(its, its_rows)
            )
            entries.append(write_segment(made, self._folder))
        edges = batch.offsets.tolist()
        data = batch.text.data
        added = time.time_ns() // 1000
        columns = [batch.about.get(name) or [""] * len(batch) for name in ABOUT]
        with self.changing():
            self.remove_rows(replaced)
            store.insert(
                "articles",
                (
                    (
                        rows[row],
                        batch.ids[row],
                        moments[row],
                        contents[row],
                        added,
                        *(column[row] for column in columns),
                    )
                    for row in kept
                ),
                5 + len(ABOUT),
            )
            store.insert(
                "texts", ((rows[row], str(data[edges[row] : edges[row + 1]], "utf-8")) for row in kept), 2
            )
            store.insert("segments", entries, 8)
            store.set("unlearnt", store.setting("unlearnt", 0) + len(kept))
            if settings.window is not None:
                store.set("clock", self._clock(batch.published[list(kept)]))

    def remove_rows(self, rows: Sequence[int]) -> None:
        """Remove articles, within a change."""
        store = self._store
        change = store.setting("change", 0)
        for table in ("articles", "texts"):
            store.delete(table, "row", rows)
        store.insert("removals", ((row, change) for row in rows), 2)
        store.set("unlearnt", store.setting("unlearnt", 0) + len(rows))

    def _clock(self, moments: NDArray[np.int64]) -> int | None:
        """The window's clock once these have come: the newest date that is at most a day ahead of the wall clock."""
        before: int | None = self._store.setting("clock")
        believed = moments[moments <= time.time_ns() // 1000 + DAY]
        newest = int(believed.max()) if len(believed) else None
        return max((one for one in (before, newest) if one is not None), default=None)

    def _cut(self, moments: NDArray[np.int64]) -> int:
        """What was published before is no longer kept."""
        clock = self._clock(moments) if self._settings.window is not None else None
        return np.iinfo(np.int64).min if clock is None else clock - (self._settings.window or 0)

    def expire(self, now: int | None = None) -> int:
        """Remove what has left the window; how many there were."""
        cut = self._cut(np.empty(0, np.int64)) if now is None else now - (self._settings.window or 0)
        rows = self._index.rows[self._index.moments < cut].tolist()
        if rows:
            with self.changing():
                self.remove_rows(rows)
        return len(rows)

    def _slices(self) -> list[int | None]:
        return list(dict.fromkeys(segment.entry.slice for segment in self._index.segments))

    def _slice(self, slice_: int | None) -> list[Segment]:
        """The segments of a slice of time, the first rows first."""
        return [segment for segment in self._index.segments if segment.entry.slice == slice_]

    def tidy(self) -> None:
        """Let go of what has expired, drop and merge segments."""
        if self._settings.window is not None:
            self.expire()
        live = self._index.rows
        if sum(segment.entry.articles for segment in self._index.segments) > len(live):
            for segment in self._index.segments:
                if 2 * np.isin(segment.rows, live).sum() < segment.entry.articles:
                    self._merge([segment])
        for slice_ in self._slices():
            while count := choose_merge([one.entry.articles for one in self._slice(slice_)]):
                self._merge(self._slice(slice_)[-count:])

    def _merge(self, segments: Sequence[Segment]) -> None:
        """One segment in place of several of a slice, without what is no longer live; none if nothing is."""
        live = self._index.rows
        entries: list[tuple[Any, ...]] = []
        if any(np.isin(segment.rows, live).any() for segment in segments):
            first, last = segments[0].entry, segments[-1].entry
            number = _next(self._store, "segments")
            try:
                parts = merge_parts(segments, live)
                made = make_segment(number, first.slice, first.first_row, last.last_row, parts)
            except Damaged:
                made = self._filer.make_again(number, first.slice, first.first_row, last.last_row)
            entries.append(write_segment(made, self._folder))
        with self.changing():
            self._store.delete("segments", "number", [segment.entry.number for segment in segments])
            self._store.insert("segments", entries, 8)
            oldest = self._store.setting("change") - REMOVALS_KEPT
            if oldest > 0:
                self._store.execute("DELETE FROM removals WHERE change <= ?", (oldest,))
                self._store.set("removals_since", oldest)
        self._index.delete_files()

    def put_back(self) -> None:
        """Write the segments that had to be made again."""
        for segment in [one for one in self._index.segments if one.entry.number in self._index.mended]:
            self._merge([segment])

    def compact(self) -> None:
        """Make one segment of all of a slice."""
        for mine in map(self._slice, self._slices()):
            live = sum(len(np.intersect1d(segment.rows, self._index.rows)) for segment in mine)
            if len(mine) > 1 or live < sum(segment.entry.articles for segment in mine):
                self._merge(mine)


def digest(batch: Articles) -> list[bytes]:
    """The BLAKE3 of all that is kept of each article."""
    columns = [batch.about.get(name) or [""] * len(batch) for name in ABOUT]
    edges = batch.offsets.tolist()
    whole = [
        join_fields(batch.text.data[start:end], about)
        for start, end, *about in zip(edges, edges[1:], *columns, strict=False)
    ]
    return [bytes.fromhex(digest) for digest in _core.blake3_hex(whole)]


def join_fields(body: bytes | memoryview, about: Sequence[str]) -> bytes:
    """What the checksum of an article is of."""
    return b"\0".join([str([*map(len, about)]).encode(), body, *(one.encode() for one in about)])


def _repeated(batch: Articles, row: int, reason: str) -> Skipped:
    return Skipped(batch.where(row) if batch.where else batch.ids[row], reason)


def _next(store: Store, table: str) -> int:
    """The next number of a table whose numbers are never used again."""
    with store.errors("read"):
        found = store.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return int(found[0]) + 1 if found else 1
