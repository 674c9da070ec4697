"""Families too big to compare whole: everything identical to what was compared, counted but not read, and whether others are left out.

Articles that are identical in words are filed under one key of the method `exact`, and compare in the same way. A candidate that shares
a key with few holders has its identical ones among the candidates; only what a common key links can have others.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _core, text
from ..boilerplate import Learnt
from ..matching.collection import rank
from ..pairs import NO_NAMES, Limits, Nominated, Queries
from .index import NO_MOMENTS, NO_ROWS, Index
from .looking import Within
from .segments import Segment

KEY = "exact"


@dataclass(frozen=True)
class Twins:
    """Articles that are identical in words: their key, and how many of them are within the limits of a question."""

    key: int
    count: int


class Families:
    """What one lookup says of identical articles, and of holders of common keys that are no candidates."""

    def __init__(self, index: Index, within: Within) -> None:
        self._index = index
        self._within = within
        methods = [one.name for one in index.settings.methods]
        self._number = methods.index(KEY) if KEY in methods else None
        self._known: dict[tuple[int, int], tuple[Segment, NDArray[np.uint32]]] = {}

    def keys(self, bodies: Sequence[bytes]) -> list[int | None]:
        """The key that is the same for articles with the same words; None if there is none, or the archive does not keep it."""
        if self._number is None:
            return [None] * len(bodies)
        method = self._index.settings.methods[self._number]
        offsets = np.cumsum([0, *map(len, bodies)]).astype(np.int64)
        tokens = text.tokenise(np.frombuffer(b"".join(bodies), np.uint8), offsets, method.view)
        found = method.keys(method.sketch(tokens, None))
        starts = found.offsets.tolist()
        return [
            int(found.values[start]) if start < end else None for start, end in itertools.pairwise(starts)
        ]

    def twins(self, key: int) -> Twins:
        """The articles with this key."""
        return Twins(key, sum(len(kept) for _, kept in self._kept(key)))

    def _holders(self, segment: Segment, key: int) -> NDArray[np.uint32]:
        """The numbers of all articles of a segment with a key, also of those that are not live or beyond the limits."""
        known = self._known.get((segment.entry.number, key))
        if known is None or known[0] is not segment:
            part = segment.parts[self._number or 0]
            known = segment, part.seal.holders(part.content, key)
            self._known[segment.entry.number, key] = known
        return known[1]

    def _kept(self, key: int) -> list[tuple[Segment, NDArray[np.uint32]]]:
        """The numbers of the articles with a key that are within the limits, by segment, where there are any."""

        def find(segment: Segment) -> tuple[Segment, NDArray[np.uint32]]:
            held = self._holders(segment, key)
            return segment, held[self._within.kept(segment)[held]] if len(held) else held

        return [one for one in self._index.sound(find) if len(one[1])]

    def holds(self, twins: Twins, row: int | None) -> bool:
        """Whether the article of this row is one of them."""
        return row is not None and any(
            (segment.rows[mine] == np.uint64(row)).any() for segment, mine in self._kept(twins.key)
        )

    def earliest(self, twins: Twins, most: int | None) -> list[int]:
        """The rows of the earliest of them."""
        found = np.concatenate(
            [
                NO_ROWS,
                *(one.rows[mine[:most] if one.is_ranked else mine] for one, mine in self._kept(twins.key)),
            ]
        )
        moments = self._index.moments[self._index.places(found)] if len(found) else NO_MOMENTS
        order = rank(moments, lambda tied: self._index.store.ids_of(found[tied].tolist()))
        return [int(row) for row in found[order[:most]]]

    def are_left_out(
        self,
        query: int,
        asked: Sequence[tuple[Queries, Nominated]],
        matched: NDArray[np.uint64],
        compared: NDArray[np.uint64],
        twins: Sequence[Twins],
        learnt: Learnt,
    ) -> bool:
        """Whether an article that shares what links a query to the `matched` rows is neither `compared` nor identical to one that is."""
        return any(
            self._leaves_out(queries, query, positions, compared, twins, learnt)
            for queries, nominated in asked
            if len(positions := _linking(nominated, query, matched))
        )

    def _leaves_out(
        self,
        queries: Queries,
        query: int,
        positions: NDArray[np.uint32],
        compared: NDArray[np.uint64],
        twins: Sequence[Twins],
        learnt: Learnt,
    ) -> bool:
        method, shards = queries.method, queries.postings
        number = self._index.settings.methods.index(method)
        asking = _core.postings_at(shards, query, positions, _core.distinct_keys(shards))
        keys = _core.distinct_keys([asking])
        open_keys = keys[self._count(number, keys) > self._count_twins(number, keys, twins)]
        if not len(open_keys):
            return False
        asking = _core.postings_at(shards, query, positions, open_keys)
        limits, names = Limits.of(method, linked=True), learnt.names.get(str(method), NO_NAMES)

        def look(segment: Segment) -> bool:
            part, counted = segment.parts[number], np.zeros(len(segment.rows), bool)
            for one in twins:
                counted[self._holders(segment, one.key)] = True
            known = {"counted": counted, "rows": compared, "boilerplate": names}
            kept = self._within.kept(segment)
            return part.seal.holds_another(part.content, asking, limits, kept=kept, **known)

        return any(self._index.sound(look))

    def _count(self, number: int, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """How many postings each key has."""

        def count(segment: Segment) -> NDArray[np.int64]:
            return segment.parts[number].seal.count(segment.parts[number].content, keys)

        return sum(self._index.sound(count), np.zeros(len(keys), np.int64))

    def _count_twins(
        self, number: int, keys: NDArray[np.uint64], twins: Sequence[Twins]
    ) -> NDArray[np.int64]:
        """How many of these are of identical articles: in a segment each of them has as many as the first."""

        def count(segment: Segment) -> NDArray[np.int64]:
            part, counts = segment.parts[number], np.zeros(len(keys), np.int64)
            for held in (self._holders(segment, one.key) for one in twins):
                if len(held):
                    counts += part.seal.repeats(part.content, keys, int(held[0])) * len(held)
            return counts

        return sum(self._index.sound(count), np.zeros(len(keys), np.int64))


def _linking(nominated: Nominated, query: int, matched: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Where a query has the keys that link it to some rows, sorted."""
    queries, founds, positions = nominated.links
    return np.unique(positions[(queries == query) & np.isin(founds, matched)])
