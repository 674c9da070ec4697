"""An archive as a lookup: which of its live articles within limits hold some keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..comparison import RELATIONS
from ..errors import UsageError
from ..matching.collection import invert, rank
from ..methods import Method
from ..model import UNDATED, Relation
from ..pairs import ALL_HOLDERS, LEFT_OUT, NOBODY, Held
from ..pairs import Limits as Linking
from .index import Index, Roll
from .segments import Part, Segment

TOP = 20
"""How many articles an answer names unless told otherwise."""


@dataclass(frozen=True)
class Limits:
    """Which articles an answer may name."""

    top: int | None = TOP
    min_share: float = 0.0
    since: int | None = None
    until: int | None = None
    source: str | None = None
    not_source: str | None = None
    relations: tuple[Relation, ...] = RELATIONS

    def __post_init__(self) -> None:
        if self.top is not None and self.top < 1:
            raise UsageError(f"top: expected 1 or more, got {self.top}")
        if not 0 <= self.min_share <= 1:
            raise UsageError(f"min_share: expected 0 to 1, got {self.min_share}")

    def _takes(self, source: str | None) -> bool:
        return self.source in (None, source) and (self.not_source is None or source != self.not_source)

    def take(self, rows: NDArray[np.uint64], index: Index) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Which of some rows are live and may be named, and the moment of each."""
        places = index.places(rows)
        moments = np.where(places >= 0, index.moments[places] if len(index.moments) else 0, 0)
        kept = places >= 0
        if self.since is not None:
            kept &= (moments >= self.since) & (moments < UNDATED)  # what has no date is in no range of dates
        if self.until is not None:
            kept &= moments <= self.until
        if self.source is not None or self.not_source is not None:
            known = index.store.sources_of(rows[kept].tolist())
            kept &= np.array([self._takes(known.get(row)) for row in rows.tolist()], bool)
        return kept, moments

    def take_from(self, roll: Roll) -> NDArray[np.bool_]:
        """Which articles of a segment are live and may be named."""
        kept = roll.live
        if self.since is not None:
            kept = kept & (roll.moments >= self.since) & (roll.moments < UNDATED)
        if self.until is not None:
            kept = kept & (roll.moments <= self.until)
        if self.source is not None:
            kept = kept & (roll.sources == self.source)
        if self.not_source is not None:
            kept = kept & (roll.sources != self.not_source)
        return kept


class Within:
    """The live articles of an archive within limits, as of the moment that the store's snapshot and the index show."""

    def __init__(self, index: Index, limits: Limits) -> None:
        self._index = index
        self._limits = limits
        self._kept: dict[int, tuple[Roll, NDArray[np.bool_]]] = {}
        self._ids: dict[int, str] = {}
        self._rows: dict[str, int | None] = {}

    def kept(self, segment: Segment) -> NDArray[np.bool_]:
        """Which articles of a segment are live and within the limits."""
        number, roll = segment.entry.number, self._index.roll(segment)
        if number not in self._kept or self._kept[number][0] is not roll:
            self._kept[number] = roll, self._limits.take_from(roll)
        return self._kept[number][1]

    def ids_of(self, rows: Sequence[int]) -> list[str]:
        """The ids of some rows, each of which is read once."""
        if unread := [row for row in rows if row not in self._ids]:
            self._ids.update(zip(unread, self._index.store.ids_of(unread), strict=True))
        return [self._ids[row] for row in rows]

    def rows_of(self, ids: Sequence[str]) -> list[int | None]:
        """The row of the article with each of some ids, None where there is none; each is read once."""
        if unread := [id for id in ids if id not in self._rows]:
            self._rows |= dict.fromkeys(unread) | self._index.store.rows_of(unread)
        return [self._rows[id] for id in ids]

    def look_up(
        self,
        method: Method,
        keys: NDArray[np.uint64],
        ids: Sequence[str],
        asking: Sequence[_core.Postings] | None = None,
    ) -> Held:
        """The holders of some keys; an article is named by its row.

        The order of articles in time matters only among the holders of a key that many hold: only where these have the same date
        are their ids read.
        """

        def read_earliest(
            segment: Segment, part: Part, crowded: NDArray[np.uint64]
        ) -> tuple[_core.Postings, NDArray[np.uint32]]:
            limits = Linking.of(method, linked=True)
            return part.seal.earliest(part.content, crowded, asking or (), self.kept(segment), limits)

        crowds = read_earliest if asking is not None else None
        number = self._index.settings.methods.index(method)
        postings, rows, words = self._index.look_up(number, keys, crowds)
        if not len(rows):
            return Held(postings, NOBODY, words, np.full(len(ids), LEFT_OUT, np.uint32), rows)
        distinct, inverse = np.unique(rows, return_inverse=True)
        kept, moments = self._limits.take(distinct, self._index)
        matters = np.zeros(len(distinct), bool)
        matters[inverse[_core.hold_common(postings, len(rows), ALL_HOLDERS)]] = True
        chosen = np.flatnonzero(kept)

        def get_ids(places: NDArray[np.int64]) -> list[str]:
            return self.ids_of(distinct[chosen[places]].tolist())

        order = chosen[rank(moments[chosen], get_ids, matters[chosen])]
        ranks = invert(order, len(distinct), LEFT_OUT)
        mine = self.rows_of(ids)
        known = dict(zip(distinct.tolist(), ranks.tolist(), strict=True)) if any(mine) else {}
        own = np.array([known.get(row or 0, LEFT_OUT) for row in mine], np.uint32)
        return Held(postings, ranks[inverse], words, own, distinct[order])
