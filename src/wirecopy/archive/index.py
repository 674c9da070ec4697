"""An archive as one process sees it: its live articles and what they are filed under, as of the store's last commit that was taken in.

Every process has an index of its own, which takes in what was committed since: new rows, removals, other segments.
A segment that is missing or damaged is made again from the store, in memory; the next writer puts it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..boilerplate import Learnt
from ..errors import ArchiveError
from ..model import UNDATED, Articles, count
from . import marks
from .connection import RESTORE
from .segments import (
    Damaged,
    Entry,
    Part,
    Segment,
    encode_parts,
    file_of,
    folder_of,
    make_segment,
    open_segment,
)
from .settings import Settings, require_text_version
from .store import Store

NO_ROWS, NO_MOMENTS = np.empty(0, np.uint64), np.empty(0, np.int64)
Out = TypeVar("Out")
MANY_HOLDERS = 256
"""A key with more postings in a segment is not read whole where few of its holders matter."""
Crowds = Callable[[Segment, Part, NDArray[np.uint64]], tuple[_core.Postings, NDArray[np.uint32]]]
"""Gives the postings that matter of keys with very many holders in a segment, and the numbers of their articles."""


def moments_of(known: Mapping[int, int | None], rows: Sequence[int]) -> list[int]:
    """The moment of each of some rows, `UNDATED` where the store has none."""
    return [UNDATED if (moment := known[row]) is None else moment for row in rows]


def batch_of(store: Store, rows: Sequence[int]) -> Articles:
    """Some articles with text and title, without dates, in the order of the rows given."""
    about, bodies = store.articles(rows), store.texts(rows)
    return Articles(
        [article.id for article in about],
        np.frombuffer(b"".join(bodies), np.uint8),
        np.cumsum([0, *map(len, bodies)]).astype(np.int64),
        np.zeros(len(rows), np.int64),
        about={"title": [article.title or "" for article in about]},
    )


def whole_batch_of(store: Store, rows: Sequence[int]) -> Articles:
    """The same with dates and addresses."""
    batch = batch_of(store, rows)
    moments = np.array(moments_of(store.moments_at(rows), rows), np.int64)
    return replace(batch, published=moments, about={**batch.about, "url": store.addresses_of(rows)})


@dataclass(frozen=True)
class Roll:
    """What is known of the articles of an open segment, by their numbers in it: which are live, and when they were published.

    Sources are read when they are asked for. An article's moment and source never change; one that is removed is struck off.
    """

    segment: Segment = field(repr=False)
    live: NDArray[np.bool_] = field(repr=False)
    moments: NDArray[np.int64] = field(repr=False)
    store: Store = field(repr=False)

    @cached_property
    def sources(self) -> NDArray[np.object_]:
        """The source of each article, "" where none is known."""
        found = self.store.sources_of(self.segment.rows.tolist())
        return np.array([found.get(row, "") for row in self.segment.rows.tolist()], object)


class Index:
    """Rows and moments of the live articles, the open segments, and the boilerplate; empty before the first `refresh`."""

    def __init__(self, store: Store, settings: Settings, missing: str | None) -> None:
        self.store = store
        self.settings = settings
        self._missing = missing
        self.folder = folder_of(store.file)
        self.is_behind = True
        """Whether the store may hold something that is not taken in yet."""
        self._name = ""
        self._empty()

    def _empty(self) -> None:
        self.rows, self.moments = NO_ROWS, NO_MOMENTS
        self.segments: list[Segment] = []
        self.mended: set[int] = set()
        """The numbers of the segments that were damaged and made again."""
        self._rolls: dict[int, Roll] = {}
        self.learnt = Learnt()
        self.told_row: int | None = None
        """The last article that stories tell of; None if none are told."""
        self._change = self._learnt_change = -1
        self._last_row = 0

    def is_current(self) -> bool:
        """Whether all that the store's snapshot sees is taken in."""
        return bool(self.store.setting("change", 0) == self._change)

    def catch_up(self) -> None:
        """Take in what was committed since the last time, if anything was; raises ArchiveError if something is missing."""
        if self._missing:
            raise ArchiveError(self._missing)
        if self.store.has_changed() or self.is_behind:
            self.refresh()

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Let all reads and the index see one moment, whatever is committed meanwhile."""
        self.catch_up()
        while True:
            with self.store.snapshot():
                if self.is_current():
                    yield
                    return
            self.refresh()

    def refresh(self) -> None:
        """Take in what was committed since the last time; within a snapshot, what that sees.

        Raises MismatchError if the articles were filed when words were read in another way than now.
        """
        self.is_behind = True
        while not self._take_in():
            pass
        self.is_behind = False

    def _take_in(self) -> bool:
        """Take in what was committed; False if a segment was merged away before its file was opened: then look again."""
        store = self.store
        can_look_again = not store.is_in_snapshot
        with store.snapshot(), store.decoding("an article or a segment"):
            change = store.setting("change", 0)
            if change == self._change:
                return True
            is_first = self._change < 0
            require_text_version(store)
            if self._change < store.setting("removals_since", 0):
                self._empty()
            self._take_in_rows()
            found = store.entries()
            known = {segment.entry.number: segment for segment in self.segments}
            fresh = [entry.number for entry in found if entry.number not in known]
            contents = store.segment_contents(fresh)
            segments = []
            for entry in found:
                segment = known.get(entry.number)
                if segment is None:
                    try:
                        segment = open_segment(entry, contents[entry.number], self.folder)
                    except Damaged:
                        if can_look_again and not self._is_current(entry.number):
                            return False
                        segment = self._mend(entry)
                segments.append(segment)
            self.segments = segments
            self._rolls = {
                entry.number: self._rolls[entry.number] for entry in found if entry.number in self._rolls
            }
            self.mended &= {entry.number for entry in found}
            if (learnt := store.setting("learnt_change", -1)) != self._learnt_change:
                self._learnt_change, self.learnt = learnt, store.learnt()
            self.told_row = store.setting("told_row")
            if is_first:
                self._require_whole()
            self._change = change
        return True

    def _require_whole(self) -> None:
        """Raise ArchiveError unless every article is live once, and in a segment."""
        self.store.require_count(len(self.rows))
        filed = sum(int((self.places(segment.rows) >= 0).sum()) for segment in self.segments)
        if bool((self.rows[1:] <= self.rows[:-1]).any()) or filed != len(self.rows):
            raise ArchiveError(
                f"{self.store.path}: damaged: {len(self.rows):,} articles are there, {filed:,} in segments{RESTORE}"
            )

    def _take_in_rows(self) -> None:
        new = self.store.moments(self._last_row + 1)
        gone = self.store.removed_since(self._change)
        if new:
            self._last_row = new[-1][0]
            rows = np.array([row for row, _ in new], np.uint64)
            moments = np.array([UNDATED if moment is None else moment for _, moment in new], np.int64)
            self.rows = np.concatenate([self.rows, rows])
            self.moments = np.concatenate([self.moments, moments])
        if len(gone):
            kept = ~np.isin(self.rows, gone)
            self.rows, self.moments = self.rows[kept], self.moments[kept]
            for roll in self._rolls.values():
                roll.live[np.isin(roll.segment.rows, gone)] = False

    def _is_current(self, number: int) -> bool:
        """Whether the segment is in the catalogue now, not only in what this snapshot sees."""
        with self.store.beside() as other:
            return number in other.segment_contents([number])

    def _mend(self, entry: Entry) -> Segment:
        self.mended.add(entry.number)
        return self.make_again(entry.number, entry.slice, entry.first_row, entry.last_row)

    def make_again(self, number: int, slice_: int | None, first_row: int, last_row: int) -> Segment:
        """A segment made from the articles in the store."""
        with self.store.snapshot():
            found = dict(self.store.moments(first_row, last_row))
            rows = self.settings.slices(found.items()).get(slice_, [])
            batch = batch_of(self.store, rows)
        parts = encode_parts(self.settings.file(batch), rows, moments_of(found, rows), batch.ids)
        return make_segment(number, slice_, first_row, last_row, parts)

    def sound(self, work: Callable[[Segment], Out]) -> list[Out]:
        """The result of some work on every segment; a damaged segment is made again, and the work repeated."""
        done = []
        for place, segment in enumerate(self.segments):
            try:
                done.append(work(segment))
            except ValueError:
                with self.store.snapshot():
                    self.segments[place] = self._mend(segment.entry)
                done.append(work(self.segments[place]))
        return done

    def roll(self, segment: Segment) -> Roll:
        """What is known of the articles of a segment."""
        known = self._rolls.get(segment.entry.number)
        if known is None or known.segment is not segment:
            places = self.places(segment.rows)
            live = places >= 0
            moments = np.full(len(places), UNDATED)
            moments[live] = self.moments[places[live]]
            known = self._rolls[segment.entry.number] = Roll(segment, live, moments, self.store)
        return known

    def look_up(
        self, number: int, keys: NDArray[np.uint64], crowds: Crowds | None = None
    ) -> tuple[list[tuple[_core.Postings, int]], NDArray[np.uint64], NDArray[np.uint32]]:
        """The postings of some sorted keys by the method of this number, and the row and the number of words of each holder.

        Of keys with very many holders, only those that `crowds` gives.
        """

        def find(segment: Segment) -> list[tuple[_core.Postings, NDArray[np.uint64], NDArray[np.uint32]]]:
            part = segment.parts[number]
            if crowds is None:
                some = [part.seal.look_up(part.content, keys)]
            else:
                postings, articles, crowded = part.seal.look_up_rare(part.content, keys, MANY_HOLDERS)
                some = [(postings, articles)]
                if len(crowded):
                    some.append(crowds(segment, part, crowded))
            held = [one for one in some if len(one[1])]
            return [(postings, part.rows[articles], part.words[articles]) for postings, articles in held]

        found = [one for some in self.sound(find) for one in some]
        firsts = np.cumsum([0, *(len(rows) for _, rows, _ in found)]).tolist()
        postings = [(one, first) for (one, *_), first in zip(found, firsts, strict=False)]
        rows = np.concatenate([NO_ROWS, *(rows for _, rows, _ in found)])
        return postings, rows, np.concatenate([np.empty(0, np.uint32), *(words for *_, words in found)])

    def find_damage(self) -> list[str]:
        """What is wrong with the segments, in words; all are read, and the damaged ones made again."""
        before = set(self.mended)

        def read_all(segment: Segment) -> None:
            for part in segment.parts:
                for shard in range(64):
                    part.seal.shard(part.content, shard)

        self.refresh()
        self.sound(read_all)
        filed = np.concatenate([NO_ROWS, *(segment.rows for segment in self.segments)])
        missing = len(np.setdiff1d(self.rows, filed))
        damaged = [
            f"segment {number}: damaged, made again from the articles" for number in self.mended | before
        ]
        return [f"{self.store.path}: {count(missing)} in no segment"] * bool(missing) + damaged

    def write_mark(self) -> None:
        """Note in the folder which change was taken in; only for the writer."""
        self._name = self._name or self.store.setting("archive", "")
        if self._name:
            marks.write_mark(self.folder, marks.Mark(self._name, self._change, self._last_row))

    def places(self, rows: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The place of each row among the live ones, -1 for a row that is not live."""
        found = np.searchsorted(self.rows, rows)
        here = found < len(self.rows)
        here[here] = self.rows[found[here]] == rows[here]
        return np.where(here, found, -1)

    def delete_files(self) -> None:
        """Delete files of segments that are not in the catalogue; only for the writer."""
        needed = {marks.NAME, *(file_of(self.folder, segment.entry.number).name for segment in self.segments)}
        found: list[Path] = []
        with suppress(OSError):  # no folder, or none that can be read: then another time
            found = [path for path in self.folder.iterdir() if path.name not in needed]
        for path in found:
            with suppress(OSError):
                path.unlink()
