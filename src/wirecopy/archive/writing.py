"""Changes of an archive, each of which is made whole or not at all: articles come, go and expire, segments are merged."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..boilerplate import Learnt
from ..matching.collection import Pool, Progress
from ..methods import Method
from ..model import Articles, Skipped
from ..pairs import Filed
from .answers import Added
from .digests import FORM, digest, values_of
from .index import Index
from .segments import (
    Damaged,
    Segment,
    Stored,
    choose_merge,
    encode_parts,
    make_segment,
    merge_parts,
    write_segment,
)
from .settings import SECOND, is_current, require_text_version

DAY = 86_400 * SECOND
ANEW_ARTICLES = 1000
"""The most articles of a segment that is filed anew; segments are merged afterwards."""
REMOVALS_KEPT = 1000
"""The changes whose removals are kept: a reader that is further behind starts again."""


class Writer:
    """Changes the store, and takes each change into the index of its process."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._store = index.store
        self._settings = index.settings

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Count a change of the archive, commit it, and take it in."""
        self._index.is_behind = True
        with self._store.change():
            self._store.set("change", self._store.setting("change", 0) + 1)
            yield
        self._index.refresh()

    def add(
        self,
        batch: Articles,
        filed: Mapping[Method, Filed],
        contents: Sequence[bytes],
        replace: bool,
        seen: set[str],
    ) -> Added:
        """Add a batch in one change; `seen` are the ids that were read before, to which those of the batch are added."""
        known = self._store.contents(batch.ids)
        by_form = {FORM: contents}
        for form in {one.form for one in known.values()} - {FORM}:
            by_form[form] = digest(values_of(batch), form)
        fresh, refused, already = dict[str, int](), {}, 0
        for row, id in enumerate(batch.ids):
            there = known.get(id)
            if id in fresh:
                is_known = contents[row] == contents[fresh[id]]
            else:
                is_known = there is not None and there.digest == by_form[there.form][row]
            if is_known:
                already += 1
            elif id in seen:
                refused[row] = f"an article with the id {id!r} was read before; give each its own"
            elif there and not replace:
                refused[row] = f"the archive has the id {id!r} with other content; add it with --replace"
            else:
                fresh[id] = row
            seen.add(id)
        where = batch.where or batch.ids.__getitem__
        skipped = [*batch.skipped, *(Skipped(where(row), reason) for row, reason in refused.items())]
        cut = self._cut(batch.published[list(fresh.values())])
        kept = [row for row in fresh.values() if batch.published[row] >= cut]
        replaced = [known[batch.ids[row]].row for row in kept if batch.ids[row] in known]
        if kept:
            self._insert(batch, filed, contents, kept, replaced)
        counts = len(kept) - len(replaced), already, len(replaced), len(fresh) - len(kept)
        return Added(*counts, skipped, batch.unreadable_dates, batch.held)

    def _insert(
        self,
        batch: Articles,
        filed: Mapping[Method, Filed],
        contents: Sequence[bytes],
        kept: Sequence[int],
        replaced: Sequence[int],
    ) -> None:
        store, settings = self._store, self._settings
        rows = dict(zip(kept, itertools.count(store.next_number("articles")), strict=False))
        number = store.next_number("segments")
        made: list[Stored] = []
        for slice_, mine in settings.slices((place, int(batch.published[place])) for place in kept).items():
            its = filed if len(mine) == len(batch) else settings.file(batch.take(mine))
            made.append(self._write(number + len(made), slice_, [rows[place] for place in mine], its))
        with self.changing():
            store.remove_articles(replaced)
            store.add_articles(batch, rows, contents)
            store.replace_segments([], made)
            if settings.window is not None:
                store.set("clock", self._clock(batch.published[list(kept)]))

    def _write(
        self, number: int, slice_: int | None, rows: Sequence[int], filed: Mapping[Method, Filed]
    ) -> Stored:
        """Write a segment of these rows; returns it for the catalogue."""
        made = make_segment(number, slice_, rows[0], rows[-1], encode_parts(filed, rows))
        return write_segment(made, self._index.folder)

    def file_anew(self, pool: Pool, progress: Progress | None) -> None:
        """File all articles again if their words were read in another way than now; nothing is changed before all are filed.

        Raises MismatchError if a method weighs words: its statistics are of words read in that way.
        """
        store = self._store
        if is_current(store):
            return
        if any(one.weighs_words for one in self._settings.methods):
            require_text_version(store)
        batches = [
            (slice_, rows[start : start + ANEW_ARTICLES])
            for slice_, rows in self._settings.slices(store.moments()).items()
            for start in range(0, len(rows), ANEW_ARTICLES)
        ]
        number, done, articles = store.next_number("segments"), 0, store.count()
        made: list[Stored] = []
        filed = pool.map(self._settings.file, (store.batch(rows) for _, rows in batches))
        for (slice_, rows), its in zip(batches, filed, strict=True):
            made.append(self._write(number + len(made), slice_, rows, its))
            done += len(rows)
            if progress:
                progress("filing", done, articles)
        with self.changing():
            store.replace_segments([entry.number for entry in store.entries()], made)
            store.set_learnt(Learnt(), unlearnt=articles)
            store.set("text_version", _core.TEXT_VERSION)

    def _clock(self, moments: NDArray[np.int64]) -> int | None:
        """The clock of the window once articles of these moments are added: the newest date at most a day ahead of the wall clock."""
        before: int | None = self._store.setting("clock")
        believed = moments[moments <= time.time_ns() // 1000 + DAY]
        newest = int(believed.max()) if len(believed) else None
        return max((one for one in (before, newest) if one is not None), default=None)

    def _cut(self, moments: NDArray[np.int64]) -> int:
        """The earliest moment that is still kept once articles of these moments are added."""
        clock = self._clock(moments) if self._settings.window is not None else None
        return np.iinfo(np.int64).min if clock is None else clock - (self._settings.window or 0)

    def expire(self, now: int | None = None) -> int:
        """Remove the articles that have left the window; returns how many."""
        cut = self._cut(np.empty(0, np.int64)) if now is None else now - (self._settings.window or 0)
        rows = self._index.rows[self._index.moments < cut].tolist()
        if rows:
            with self.changing():
                self._store.remove_articles(rows)
        return len(rows)

    def _slices(self) -> list[int | None]:
        return list(dict.fromkeys(segment.entry.slice for segment in self._index.segments))

    def _slice(self, slice_: int | None) -> list[Segment]:
        """The segments of a slice of time, sorted by rows."""
        return [segment for segment in self._index.segments if segment.entry.slice == slice_]

    def tidy(self) -> None:
        """Remove what has expired, drop and merge segments."""
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
        """Put one segment in place of several of a slice, without articles that are no longer live; none if no article is."""
        live = self._index.rows
        written: list[Stored] = []
        if any(np.isin(segment.rows, live).any() for segment in segments):
            first, last = segments[0].entry, segments[-1].entry
            number = self._store.next_number("segments")
            try:
                parts = merge_parts(segments, live)
                made = make_segment(number, first.slice, first.first_row, last.last_row, parts)
            except Damaged:
                made = self._index.make_again(number, first.slice, first.first_row, last.last_row)
            written.append(write_segment(made, self._index.folder))
        with self.changing():
            self._store.replace_segments([segment.entry.number for segment in segments], written)
            oldest = self._store.setting("change") - REMOVALS_KEPT
            if oldest > 0:
                self._store.forget_removals(oldest)
        self._index.delete_files()

    def put_back(self) -> None:
        """Write the segments that were made again."""
        for segment in [one for one in self._index.segments if one.entry.number in self._index.mended]:
            self._merge([segment])

    def compact(self) -> None:
        """Merge all segments of each slice into one."""
        for mine in map(self._slice, self._slices()):
            live = sum(len(np.intersect1d(segment.rows, self._index.rows)) for segment in mine)
            if len(mine) > 1 or live < sum(segment.entry.articles for segment in mine):
                self._merge(mine)
