"""The live articles of an archive and what they are filed under, as far as the store has committed it.

Every process has an index of its own, brought up to date by what was committed since: new rows, removals, other segments.
A segment that is missing or damaged is made again from the store, in memory; whoever writes next puts it back.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..boilerplate import Learnt
from ..model import UNDATED, count
from .segments import Damaged, Entry, Segment, file_of, open_segment
from .settings import require_text_version
from .store import Store

NO_ROWS, NO_MOMENTS = np.empty(0, np.uint64), np.empty(0, np.int64)
Out = TypeVar("Out")


class Index:
    """Rows and moments of the live articles, the open segments, and the boilerplate; nothing before the first `refresh`."""

    def __init__(self, store: Store, folder: Path, file: Callable[..., Segment]) -> None:
        self._store = store
        self._folder = folder
        self._file = file
        self.is_behind = True
        """Whether the store may have what is not taken in yet."""
        self._empty()

    def _empty(self) -> None:
        self.rows, self.moments = NO_ROWS, NO_MOMENTS
        self.segments: list[Segment] = []
        self.mended: set[int] = set()
        """Numbers of segments that were found damaged and stand here made again."""
        self.learnt = Learnt()
        self._change = self._learnt_change = -1
        self._last_row = 0

    def is_current(self) -> bool:
        """Whether nothing was committed since, as far as the store's snapshot sees."""
        return bool(self._store.setting("change", 0) == self._change)

    def refresh(self) -> None:
        """Take in what was committed since the last time, or until the snapshot that this is within.

        Raises MismatchError if words are read in another way now than when the articles were filed.
        """
        self.is_behind = True
        while not self._take_in():
            pass
        self.is_behind = False

    def _take_in(self) -> bool:
        """False if a segment was merged away between catalogue and file: then look again, if that shows anything else."""
        store = self._store
        can_look_again = not store.is_in_snapshot
        with store.snapshot():
            change = store.setting("change", 0)
            if change == self._change:
                return True
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
                        segment = open_segment(entry, contents[entry.number], self._folder)
                    except Damaged:
                        if can_look_again and not self._is_current(entry.number):
                            return False
                        segment = self._mend(entry)
                segments.append(segment)
            self.segments = segments
            self.mended &= {entry.number for entry in found}
            if (learnt := store.setting("learnt_change", -1)) != self._learnt_change:
                self._learnt_change, self.learnt = learnt, store.learnt()
            self._change = change
        return True

    def _take_in_rows(self) -> None:
        new = self._store.moments(self._last_row + 1)
        gone = self._store.removed_since(self._change)
        if new:
            self._last_row = new[-1][0]
            rows = np.array([row for row, _ in new], np.uint64)
            moments = np.array([UNDATED if moment is None else moment for _, moment in new], np.int64)
            self.rows = np.concatenate([self.rows, rows])
            self.moments = np.concatenate([self.moments, moments])
        if len(gone):
            kept = ~np.isin(self.rows, gone)
            self.rows, self.moments = self.rows[kept], self.moments[kept]

    def _is_current(self, number: int) -> bool:
        """Whether the segment is in the catalogue now, not only in what this snapshot sees."""
        with self._store.beside() as other:
            return number in other.segment_contents([number])

    def _mend(self, entry: Entry) -> Segment:
        self.mended.add(entry.number)
        return self._file(entry.number, entry.slice, entry.first_row, entry.last_row)

    def sound(self, work: Callable[[Segment], Out]) -> list[Out]:
        """Some work on every segment; one that turns out to be damaged is made again and the work repeated."""
        done = []
        for place, segment in enumerate(self.segments):
            try:
                done.append(work(segment))
            except ValueError:
                with self._store.snapshot():
                    self.segments[place] = self._mend(segment.entry)
                done.append(work(self.segments[place]))
        return done

    def look_up(
        self, number: int, keys: NDArray[np.uint64]
    ) -> tuple[list[tuple[_core.Postings, int]], NDArray[np.uint64], NDArray[np.uint32]]:
        """The postings of some keys, which rise, by the method of that number, and of each holder the row and the words."""

        def find(segment: Segment) -> tuple[_core.Postings, NDArray[np.uint64], NDArray[np.uint32]]:
            part = segment.parts[number]
            postings, articles = part.seal.look_up(part.content, keys)
            return postings, part.rows[articles], part.words[articles]

        found = self.sound(find)
        firsts = np.cumsum([0, *(len(rows) for _, rows, _ in found)]).tolist()
        postings = [(one, first) for (one, *_), first in zip(found, firsts, strict=False)]
        rows = np.concatenate([NO_ROWS, *(rows for _, rows, _ in found)])
        return postings, rows, np.concatenate([np.empty(0, np.uint32), *(words for *_, words in found)])

    def find_damage(self) -> list[str]:
        """What is wrong with the segments, all of which are read; those that are damaged are made again."""
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
        return [f"{self._store.path}: {count(missing)} in no segment"] * bool(missing) + damaged

    def places(self, rows: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Where some rows stand among the live ones, -1 for a row that is not live."""
        found = np.searchsorted(self.rows, rows)
        here = found < len(self.rows)
        here[here] = self.rows[found[here]] == rows[here]
        return np.where(here, found, -1)

    def delete_files(self) -> None:
        """Delete files that no segment of the catalogue needs; only for the writer."""
        needed = {file_of(self._folder, segment.entry.number).name for segment in self.segments}
        found: list[Path] = []
        with suppress(OSError):  # no folder, or none that can be read: then another time
            found = [path for path in self._folder.iterdir() if path.name not in needed]
        for path in found:
            with suppress(OSError):
                path.unlink()
