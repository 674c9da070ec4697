"""Changes of an archive, each of which is made whole or not at all: articles come, go and expire, segments are merged."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..boilerplate import Learnt
from ..errors import NothingRead
from ..matching.collection import Pool, Progress
from ..methods import Method
from ..model import UNDATED, Articles, Skipped, list_skipped
from ..pairs import Filed
from ..sources import Work
from . import segments
from .answers import Added
from .checking import Examined, examine
from .digests import FORM, digest, values_of
from .elsewhere import find_elsewhere
from .index import Index, batch_of, moments_of, whole_batch_of
from .looking import Limits
from .outbox import Outbox
from .segments import (
    Damaged,
    Segment,
    Stored,
    choose_merge,
    encode_parts,
    find_places,
    make_segment,
    merge_parts,
    write_segment,
)
from .settings import is_current, require_text_version, show_moment
from .telling import Teller
from .tokens import Tokens

ANEW_ARTICLES = 1000
"""The most articles of a segment that is filed anew; segments are merged afterwards."""
TOLD_ARTICLES = 100
"""The most new articles that stories are told of at a time."""
REMOVALS_KEPT = 1000
"""The changes whose removals are kept: a reader that is further behind starts again."""


class Writer:
    """Changes the store, and takes each change into the index of its process."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._store = index.store
        self._settings = index.settings
        self.teller = Teller(index)
        self.outbox = Outbox(index.store)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Count a change of the archive, commit it, and take it in."""
        self._index.is_behind = True
        with self._store.change():
            self._store.set("change", self._store.setting("change", 0) + 1)
            yield
            self._store.seal()
        self._index.refresh()
        self._index.write_mark()

    def begin(self, pool: Pool, progress: Progress | None) -> None:
        """Bring the tables up to date, file articles anew if they must be, take in what there is, and put files in order."""
        self._store.prepare()
        self._store.ensure_name()
        self.file_anew(pool, progress)
        self._index.catch_up()
        self._index.delete_files()
        self.put_back()
        self._index.write_mark()

    def add_all(
        self,
        work: Iterable[Work],
        pool: Pool,
        replace: bool,
        progress: Progress | None,
        skip: Callable[[Skipped], object] | None,
    ) -> Added:
        """Add what is read, each batch in one change; returns what came of all, and which files the archive has elsewhere.

        Raises NothingRead if no record can be used.
        """
        total, done, seen, articles = Added(), 0, set[str](), 0
        elsewhere, was_empty = dict[str, Sequence[str]](), not self._store.count()

        def take_in(part: Work) -> tuple[int, Articles, dict[Method, Filed], list[bytes]]:
            batch = part()
            return part.source_bytes, batch, self._settings.file(batch), digest(values_of(batch))

        for source_bytes, batch, filed, contents in pool.map(take_in, work):
            added = self.add(batch, filed, contents, replace, seen)
            skipped = list_skipped(batch.skipped, added.skipped, tell=skip)
            total += dataclasses.replace(added, skipped=skipped)
            if not was_empty:
                elsewhere |= find_elsewhere(self._store, batch, contents)
            done += source_bytes
            articles += len(batch)
            if progress:
                progress("adding", done, 0)
        if total.skipped and not articles:
            raise NothingRead(total.skipped)
        others = {id: [one for one in ids if one not in seen] for id, ids in elsewhere.items()}
        return dataclasses.replace(total, elsewhere={id: ids for id, ids in others.items() if ids})

    def add_one(
        self,
        batch: Articles,
        replace: bool,
        examined: Examined | None = None,
        notify: Callable[[], object] | None = None,
    ) -> Added:
        """Add a batch that is read by itself; if it was `examined` before, stories tell of it at once.

        `notify` is called within the change, or in one of its own if the batch is answered but not kept, for being older than the window.
        """
        filed, contents = self._settings.file(batch), digest(values_of(batch))
        added = self.add(batch, filed, contents, replace, set(), examined, notify)
        if added.late and notify:
            notify()
        return added

    def add(
        self,
        batch: Articles,
        filed: Mapping[Method, Filed],
        contents: Sequence[bytes],
        replace: bool,
        seen: set[str],
        examined: Examined | None = None,
        notify: Callable[[], object] | None = None,
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
                refused[row] = f"the archive has the id {id!r} with other content; add it with replace=True"
            else:
                fresh[id] = row
            seen.add(id)
        where = batch.where or batch.ids.__getitem__
        skipped = [Skipped(where(row), reason) for row, reason in refused.items()]
        latest = self._settings.latest_believed()
        clock = self._clock_after(batch.published[list(fresh.values())], latest)
        cut = self._cut(clock)
        kept = [row for row in fresh.values() if batch.published[row] >= cut]
        replaced = [known[batch.ids[row]].row for row in kept if batch.ids[row] in known]
        if kept:
            self._insert(batch, filed, contents, kept, replaced, clock, examined, notify)
        late = len(fresh) - len(kept)
        counts = len(kept) - len(replaced), already, len(replaced), late
        ahead = {
            batch.ids[row]: str(show_moment(int(batch.published[row])))
            for row in kept
            if latest < batch.published[row] != UNDATED
        }
        warnings = [self._clock_warning(clock)] if late and clock is not None and clock > latest else []
        return Added(*counts, skipped, batch.remarks, batch.held, ahead, warnings)

    def _insert(
        self,
        batch: Articles,
        filed: Mapping[Method, Filed],
        contents: Sequence[bytes],
        kept: Sequence[int],
        replaced: Sequence[int],
        clock: int | None,
        examined: Examined | None,
        notify: Callable[[], object] | None,
    ) -> None:
        store, settings, teller = self._store, self._settings, self.teller
        rows = dict(zip(kept, itertools.count(store.next_number("articles")), strict=False))
        number = store.next_number("segments")
        made: list[Stored] = []
        for slice_, mine in settings.slices((place, int(batch.published[place])) for place in kept).items():
            its = filed if len(mine) == len(batch) else settings.file(batch.take(mine))
            moments, ids = batch.published[mine].tolist(), [batch.ids[place] for place in mine]
            parts = encode_parts(its, [rows[place] for place in mine], moments, ids)
            made.append(self._write(number + len(made), slice_, rows[mine[0]], rows[mine[-1]], parts))
        with self.changing():
            is_told = len(rows) == len(batch) and examined is not None and teller.is_complete()
            if replaced:
                teller.go(replaced)
            store.remove_articles(replaced)
            store.add_articles(batch, rows, contents)
            store.forget_former([batch.ids[place] for place in kept])
            if examined is not None and is_told and teller.last_row is not None:
                teller.come(list(rows.values()), examined.shared(list(rows.values())))
            store.replace_segments([], made)
            if settings.window is not None:
                store.set("clock", clock)
            if notify:
                notify()

    def _write(
        self, number: int, slice_: int | None, first_row: int, last_row: int, parts: Sequence[bytes]
    ) -> Stored:
        """Write a segment of these rows; returns it for the catalogue."""
        made = make_segment(number, slice_, first_row, last_row, parts)
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
        moments = dict(store.moments())
        batches = [
            (slice_, rows[start : start + ANEW_ARTICLES])
            for slice_, rows in self._settings.slices(moments.items()).items()
            for start in range(0, len(rows), ANEW_ARTICLES)
        ]
        number, done, articles = store.next_number("segments"), 0, store.count()
        made: list[Stored] = []

        def file(batch: Articles) -> tuple[dict[Method, Filed], Sequence[str]]:
            return self._settings.file(batch), batch.ids

        filed = pool.map(file, (batch_of(store, rows) for _, rows in batches))
        for (slice_, rows), (its, ids) in zip(batches, filed, strict=True):
            parts = encode_parts(its, rows, moments_of(moments, rows), ids)
            made.append(self._write(number + len(made), slice_, rows[0], rows[-1], parts))
            done += len(rows)
            if progress:
                progress("filing", done, articles)
        with self.changing():
            store.replace_segments([entry.number for entry in store.entries()], made)
            store.set_learnt(Learnt(), unlearnt=articles)
            self.teller.forget()
            store.set("text_version", _core.TEXT_VERSION)

    def remove(self, ids: Collection[str]) -> int:
        """Remove articles by their ids; returns how many there were."""
        with self.changing():
            rows = list(self._store.rows_of(sorted(ids)).values())
            self.teller.go(rows)
            self._store.remove_articles(rows)
            self._store.forget_former(sorted(ids))
            self.outbox.scrub(ids)
            Tokens(self._store).forget_requests()
        return len(rows)

    def tell_new(self) -> bool:
        """Let stories tell of the articles that came since they were told; False if they have to be told anew."""
        while (last := self.teller.last_row) is not None and (rows := self._store.rows_beyond(last)):
            some = rows[:TOLD_ARTICLES]
            with self._index.at_one_moment():
                batch = whole_batch_of(self._store, some)
                examined = examine(self._settings.plan(), batch, self._index, Limits())
            with self.changing():
                self.teller.come(some, examined.shared(some))
        return last is not None

    def _clock_after(self, moments: NDArray[np.int64], latest: int) -> int | None:
        """The clock of the window once articles of these moments are added: the newest date up to the latest that is believed."""
        if self._settings.window is None:
            return None
        before: int | None = self._store.setting("clock")
        believed = moments[moments <= latest]
        newest = int(believed.max()) if len(believed) else None
        return max((one for one in (before, newest) if one is not None), default=None)

    def _cut(self, clock: int | None) -> int:
        """The earliest moment that a window of this clock keeps."""
        window = self._settings.window
        return np.iinfo(np.int64).min if clock is None or window is None else clock - window

    def _clock_warning(self, clock: int) -> str:
        path = self._store.path
        return (
            f"the window of {path} ends {show_moment(clock)}, ahead of now: "
            f"set its clock with Archive.open({str(path)!r}).expire(now=DATE)"
        )

    def expire(self, now: int | None = None) -> int:
        """Set the clock of the window, if a moment is given, and remove the articles that have left it; returns how many."""
        clock: int | None = self._store.setting("clock") if now is None else now
        rows = self._index.rows[self._index.moments < self._cut(clock)].tolist()
        if rows or now is not None:
            with self.changing():
                self.teller.go(rows, expired=True)
                self._store.remove_articles(rows)
                self._store.set("clock", clock)
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
        index = self._index
        kept = [np.isin(segment.rows, index.rows) for segment in segments]
        written: list[Stored] = []
        if any(keep.any() for keep in kept):
            first, last = segments[0].entry, segments[-1].entry
            number = self._store.next_number("segments")
            try:
                live = [segment.rows[keep] for segment, keep in zip(segments, kept, strict=True)]
                rows = np.concatenate(live)
                moments = index.moments[index.places(rows)]
                places = find_places(moments, lambda tied: self._store.ids_of(rows[tied].tolist()))
                parts = merge_parts(segments, kept, places)
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
        """Write the segments that were made again, and into files the large ones that a backup has in its store."""
        wanted = {*self._index.mended, *self._store.segments_inside(max(1, segments.IN_STORE_BYTES))}
        for segment in [one for one in self._index.segments if one.entry.number in wanted]:
            self._merge([segment])

    def compact(self, progress: Progress | None) -> None:
        """Merge all segments of each slice into one."""
        if progress:
            progress("merging segments", 0, 0)
        for mine in map(self._slice, self._slices()):
            live = sum(len(np.intersect1d(segment.rows, self._index.rows)) for segment in mine)
            is_whole = live == sum(segment.entry.articles for segment in mine)
            if len(mine) > 1 or not is_whole or not mine[0].is_ranked:
                self._merge(mine)
        if progress:
            progress("merging segments", 1, 1)

    def shrink(self, progress: Progress | None) -> None:
        """Forget messages of long ago, and give room back to the disk."""
        if progress:
            progress("giving room back", 0, 0)
        self.outbox.forget_old()
        self._store.shrink()
