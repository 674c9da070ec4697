"""An archive as a lookup: who holds some keys, of the live articles within limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import UsageError
from ..matching.collection import invert, rank
from ..methods import Method
from ..model import UNDATED
from ..pairs import ALL_HOLDERS, LEFT_OUT, Held
from .index import Index
from .settings import Settings
from .store import Store


class Limits:
    """Which articles an answer may name."""

    def __init__(
        self,
        top: int | None = None,
        min_share: float = 0.0,
        since: int | None = None,
        until: int | None = None,
        source: str | None = None,
        not_source: str | None = None,
    ) -> None:
        if top is not None and top < 1:
            raise UsageError(f"top: expected 1 or more, got {top}")
        if not 0 <= min_share <= 1:
            raise UsageError(f"min_share: expected 0 to 1, got {min_share}")
        self.top = top
        self.min_share = min_share
        self.since = np.iinfo(np.int64).min if since is None else since
        # An article without a date is within no range of dates.
        self.until = until if until is not None else UNDATED if since is None else UNDATED - 1
        self.names_source = source is not None or not_source is not None
        self._source = source
        self._not_source = not_source

    def takes(self, source: str | None) -> bool:
        """Whether an article of this source may be named."""
        wanted = self._source is None or source == self._source
        return wanted and (self._not_source is None or source != self._not_source)

    def take(
        self, rows: NDArray[np.uint64], index: Index, store: Store
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Which of some rows are live and may be named, and the moment of each."""
        places = index.places(rows)
        moments = np.where(places >= 0, index.moments[places] if len(index.moments) else 0, 0)
        kept = (places >= 0) & (moments >= self.since) & (moments <= self.until)
        if self.names_source:
            known = store.sources_of(rows[kept].tolist())
            kept &= np.array([self.takes(known.get(row)) for row in rows.tolist()], bool)
        return kept, moments


class Within:
    """The live articles of an archive within limits, as of the moment that the store's snapshot and the index show."""

    def __init__(self, store: Store, settings: Settings, index: Index, limits: Limits) -> None:
        self._store = store
        self._settings = settings
        self._index = index
        self._limits = limits

    def look_up(self, method: Method, keys: NDArray[np.uint64], ids: Sequence[str]) -> Held:
        """The holders of some keys; an article is called by its row.

        Who was first matters only among the holders of a key that many hold: only their ids are looked up, where dates are equal.
        """
        postings, rows, words = self._index.look_up(self._settings.methods.index(method), keys)
        distinct, inverse = np.unique(rows, return_inverse=True)
        kept, moments = self._limits.take(distinct, self._index, self._store)
        matters = np.zeros(len(distinct), bool)
        matters[inverse[_core.hold_common(postings, len(rows), ALL_HOLDERS)]] = True
        chosen = np.flatnonzero(kept)

        def get_ids(places: NDArray[np.int64]) -> list[str]:
            return self._store.ids_of(distinct[chosen[places]].tolist())

        order = chosen[rank(moments[chosen], get_ids, matters[chosen])]
        ranks = invert(order, len(distinct), LEFT_OUT)
        return Held(postings, ranks[inverse], words, self._own(ids, distinct, ranks), distinct[order])

    def _own(
        self, ids: Sequence[str], rows: NDArray[np.uint64], ranks: NDArray[np.uint32]
    ) -> NDArray[np.uint32]:
        """The rank of the article with each of some ids."""
        mine = self._store.rows_of(ids)
        known = dict(zip(rows.tolist(), ranks.tolist(), strict=True)) if mine else {}
        return np.array([known.get(mine.get(id), LEFT_OUT) for id in ids], np.uint32)
