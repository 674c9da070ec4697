"""Families too big to compare whole: everything identical to what was compared, counted but not read, and whether others are left out.

Articles that are identical in words are filed under one key of the method `exact`, and compare in the same way. A candidate that shares
a key with few holders has its identical ones among the candidates; only what a common key links can have others, or what a method
nominates that does not go by words alone.
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
from ..methods import Method
from ..pairs import NO_NAMES, Limits, Nominated, Queries, distinct
from .index import NO_MOMENTS, NO_ROWS, Index
from .looking import Within
from .segments import Segment

KEY = "exact"
LAST = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Twins:
    """Articles that are identical in words, within the limits of a question: their key, how many, and the rows of the earliest."""

    key: int
    count: int
    rows: NDArray[np.uint64]


def goes_by_words(method: Method) -> bool:
    """Whether a method files articles that are identical in words under the same keys, whatever their titles and sentences."""
    return not method.view.title and method.view.sentences is None


class Families:
    """What one lookup says of identical articles, and of holders of common keys that are no candidates."""

    def __init__(self, index: Index, within: Within) -> None:
        self._index = index
        self._within = within
        methods = [one.name for one in index.settings.methods]
        self._number = methods.index(KEY) if KEY in methods else None
        self._examples: dict[tuple[int, int], tuple[Segment, int]] = {}
        """The number of an article in a segment, by the number of the segment and the key that it has."""

    def keys(self, bodies: Sequence[bytes]) -> list[int | None]:
        """The key that is the same for articles with the same words; None if there is none, or the archive does not keep it."""
        if self._number is None:
            return [None] * len(bodies)
        method = self._index.settings.methods[self._number]
        once = list(dict.fromkeys(bodies))
        offsets = np.cumsum([0, *map(len, once)]).astype(np.int64)
        tokens = text.tokenise(np.frombuffer(b"".join(once), np.uint8), offsets, method.view)
        found = method.keys(method.sketch(tokens, None))
        values, starts = found.values.tolist(), found.offsets.tolist()
        pairs = zip(once, itertools.pairwise(starts), strict=True)
        keys = {body: values[start] if start < end else None for body, (start, end) in pairs}
        return [keys[body] for body in bodies]

    def twins(self, key: int, own: int | None, most: int | None) -> Twins:
        """The articles with this key, but not the one of the row `own`; at least the `most` earliest of them, or all."""

        def find(segment: Segment) -> tuple[int, NDArray[np.uint64]]:
            part, kept = segment.parts[self._number or 0], self._within.kept(segment)
            enough = LAST if most is None or not segment.is_ranked else most + 1
            number, first = part.seal.tally(part.content, key, kept, enough)
            rows = segment.rows[first]
            if number:
                self._examples[segment.entry.number, key] = segment, int(first[0])
            if number and own is not None and segment.entry.first_row <= own <= segment.entry.last_row:
                mine = np.flatnonzero(segment.rows == np.uint64(own))
                held = [
                    part.seal.repeats(part.content, np.array([key], np.uint64), int(one))[0] for one in mine
                ]
                return number - bool(sum(held) and kept[mine[0]]), rows[rows != np.uint64(own)]
            return number, rows

        found = self._index.sound(find)
        return Twins(
            key, sum(number for number, _ in found), np.concatenate([NO_ROWS, *(rows for _, rows in found)])
        )

    def _holders(self, segment: Segment, key: int) -> NDArray[np.uint32]:
        """The numbers of all articles of a segment with a key, also of those that are not live or beyond the limits."""
        part = segment.parts[self._number or 0]
        return part.seal.holders(part.content, key)

    def sort(self, rows: NDArray[np.uint64]) -> list[int]:
        """Rows by time."""
        moments = self._index.moments[self._index.places(rows)] if len(rows) else NO_MOMENTS
        order = rank(moments, lambda tied: self._within.ids_of(rows[tied].tolist()))
        sorted_rows: list[int] = rows[order].tolist()
        return sorted_rows

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
        if number == self._number:  # whoever holds the key of twins is one of them
            keys = keys[[key not in {one.key for one in twins} for key in keys.tolist()]]
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
        """How many of these are of identical articles: in a segment each of them has as many as the others."""

        def count(segment: Segment) -> NDArray[np.int64]:
            part, counts = segment.parts[number], np.zeros(len(keys), np.int64)
            for one in twins if goes_by_words(self._index.settings.methods[number]) else ():
                like, example = self._examples.get((segment.entry.number, one.key), (None, 0))
                if like is segment:
                    exact = segment.parts[self._number or 0]
                    identical = exact.seal.count(exact.content, np.array([one.key], np.uint64))
                    counts += part.seal.repeats(part.content, keys, example) * identical
            return counts

        return sum(self._index.sound(count), np.zeros(len(keys), np.int64))


def _linking(nominated: Nominated, query: int, matched: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Where a query has the keys that link it to some sorted rows, sorted."""
    queries, founds, positions = nominated.links
    place = np.minimum(np.searchsorted(matched, founds), len(matched) - 1)
    return distinct(positions[(queries == query) & (matched[place] == founds)])
