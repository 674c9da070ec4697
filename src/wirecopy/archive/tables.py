"""What was grouped as the tables of an archive have it, and what these hold as it was grouped; articles there are known by their rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..comparison import NOT_COMPARED, RELATIONS, Compared
from ..forms import NO_SLOTS
from ..grouping.stories import gather, tell_stories
from ..grouping.ties import (
    BASES,
    FORM,
    IDENTICAL,
    LINK_KINDS,
    Facts,
    Grouped,
    Links,
    Ties,
    link_stories,
    tie_versions,
)
from ..matching import compare_more
from ..matching.collection import Pool
from ..matching.matches import Matches
from ..model import Relation
from .stock import Stock
from .told import NOTHING_SHARED, Member, Row, Shared

KINDS = (None, "collection", "placeholder")
_, COLLECTION, PLACEHOLDER = KINDS
NO_PARENT = (None,) * 7

Pair = tuple[int, int]
_NONE = np.empty(0, np.int64)
NO_LINKS = Links(_NONE, _NONE, np.empty(0, np.int8), _NONE, _NONE)


@dataclass(frozen=True)
class Telling:
    """All that the tables say of some articles."""

    shared: Shared
    members: Sequence[Member]
    links: Sequence[Row]


class Asking:
    """How pairs of a collection compare, by what is known or else by their texts; what had to be compared is kept."""

    def __init__(
        self, matches: Matches, pool: Pool, pairs: Iterable[Pair] = (), known: Compared = NOT_COMPARED
    ) -> None:
        self._matches = matches
        self._pool = pool
        self._places = {pair: place for place, pair in enumerate(pairs)}
        self._known = known
        self._made: list[tuple[NDArray[np.uint32], NDArray[np.uint32], Compared]] = []

    def __call__(self, later: NDArray[np.uint32], earlier: NDArray[np.uint32]) -> Compared:
        """How pairs of ranks compare."""
        pairs = zip(later.tolist(), earlier.tolist(), strict=True)
        places = np.array([self._places.get(pair, -1) for pair in pairs], np.int64)
        fresh, known = np.flatnonzero(places < 0), np.flatnonzero(places >= 0)
        made = NOT_COMPARED
        if len(fresh):
            made = compare_more(self._matches, (later[fresh], earlier[fresh]), self._pool)
            self._made.append((later[fresh], earlier[fresh], made))
        order = np.empty(len(places), np.int64)
        order[np.concatenate([known, fresh])] = np.arange(len(places))
        return Compared.join([self._known.take(places[known]), made]).take(order)

    def shared(self, rows: NDArray[np.int64]) -> Shared:
        """What was compared, by the row at each rank."""
        parts = [
            Shared(rows[later], rows[earlier], np.zeros(len(later), np.int64), made)
            for later, earlier, made in self._made
        ]
        return Shared.join([NOTHING_SHARED, *parts])


def tell(matches: Matches, stock: Stock, pool: Pool) -> Telling:
    """What the tables say of all articles, once they were matched with each other."""
    facts, asking = gather(matches, pool), Asking(matches, pool)
    grouped = tell_stories(matches, pool, facts=facts, ask=asking).grouped
    rows = stock.rows.astype(np.int64)
    found = rows[matches.queries], rows[matches.founds], matches.nominated.astype(np.int64)
    shared = Shared.join([Shared(*found, matches.compared), asking.shared(rows)])
    ranks = np.unique(np.concatenate([matches.queries, matches.founds]))
    links = grouped.links.rows()
    return Telling(shared, tell_members(grouped, facts, rows, ranks), name_links(links, rows))


def name_links(links: Iterable[Row], rows: NDArray[np.int64]) -> list[Row]:
    """Links between stories at some ranks, as they are stored; `rows` has the row at each rank."""
    return [(int(rows[one]), int(rows[other]), LINK_KINDS[kind], *rest) for one, other, kind, *rest in links]


def tell_members(
    grouped: Grouped, facts: Facts, rows: NDArray[np.int64], ranks: NDArray[np.uint32]
) -> list[Member]:
    """The articles at some ranks as members of their stories."""
    anchor, version, parent = (one[ranks] for one in (grouped.anchor, grouped.version, grouped.parent))
    distinct, places = np.unique(anchor * len(rows) + version, return_inverse=True)
    number = places - np.searchsorted(distinct, anchor * len(rows)) + 1
    words = facts.words[ranks]
    kinds = np.where(grouped.is_collection[ranks], 1, np.where(grouped.is_placeholder[ranks], 2, 0))
    about = rows[ranks], rows[anchor], rows[version], number, words, kinds
    compared = grouped.compare_parents(ranks, words)
    parents = rows[parent], *compared, grouped.basis[ranks], grouped.rivals[ranks]
    columns: Iterable[NDArray[Any]] = (*about, parent >= 0, *parents)
    told = []
    for *one, kind, has_parent, earlier, code, mine, theirs, shared, basis, rivals in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        came = (earlier, str(RELATIONS[code]), mine, theirs, shared, BASES[basis], rivals)
        told.append(Member._make((*one, KINDS[kind], *(came if has_parent else NO_PARENT))))
    return told


def thin_out(shared: Shared, known: Mapping[int, Member]) -> Shared:
    """The pairs without all but one of each article with a version: these say the same, unless one is a form only by its date."""
    version = np.array(
        [known[row].version if row in known else row for row in shared.founds.tolist()], np.int64
    )
    order = np.lexsort((shared.founds, shared.compared.relation == FORM, version, shared.queries))
    queries, version = shared.queries[order], version[order]
    is_first = np.append(True, (np.diff(queries) != 0) | (np.diff(version) != 0))[: len(order)]
    return shared.take(order[is_first])


def find_firsts(members: Iterable[Member]) -> set[int]:
    """The first articles of the stories and versions of some members."""
    return {row for one in members for row in (one.story, one.version)}


def find_unknown(stock: Stock, known: Collection[int], fresh: Collection[int]) -> list[Pair]:
    """The articles of a stock that nothing was told of and that did not just come: row and rank."""
    return [
        (row, rank) for rank, row in enumerate(stock.rows.tolist()) if row not in known and row not in fresh
    ]


def pair_up(pairs: Sequence[Pair], compared: Compared) -> Shared:
    """Pairs of rows that compare so, and were only asked for."""
    rows = np.array(pairs, np.int64).reshape(-1, 2)
    return Shared(rows[:, 0], rows[:, 1], np.zeros(len(rows), np.int64), compared)


def make_identical(number: int) -> Compared:
    """So many pairs with identical texts; no passages are told of them."""
    ones, none = np.ones(number), np.zeros(number + 1, np.int64)
    relation, tried = np.full(number, IDENTICAL, np.int8), np.zeros(number, np.uint8)
    return Compared(relation, ones, ones, ones, none, NOT_COMPARED.passages, tried, none, NO_SLOTS)


def ranks_of(stock: Stock, shared: Shared) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The ranks of both articles of each pair."""
    return stock.ranks_of(shared.queries), stock.ranks_of(shared.founds)


def pairs_of(stock: Stock, shared: Shared) -> Iterable[Pair]:
    """The pairs by their ranks."""
    queries, founds = ranks_of(stock, shared)
    return zip(queries.tolist(), founds.tolist(), strict=True)


def link(
    stock: Stock, grouped: Grouped, others: Sequence[Member], crossing: Shared, sizes: Mapping[int, int]
) -> list[Row]:
    """What joins stories that were told anew to each other, and to others that were not, whose versions have so many articles."""
    anchor, version = grouped.anchor.copy(), grouped.version.copy()
    is_collection, is_placeholder = grouped.is_collection.copy(), grouped.is_placeholder.copy()
    if others:
        columns = ([getattr(one, name) for one in others] for name in ("row", "story", "version"))
        ranks, stories, versions = (stock.ranks_of(np.array(rows, np.int64)) for rows in columns)
        anchor[ranks], version[ranks] = stories, versions
        is_collection[ranks] = [one.kind == COLLECTION for one in others]
        is_placeholder[ranks] = [one.kind == PLACEHOLDER for one in others]
        here = sorted({one.version for one in others})
        firsts = stock.ranks_of(np.array(here, np.int64)).astype(np.int64)
        # Those of their versions that are not here count too.
        more = [sizes[one] - int(np.sum(version == rank)) for one, rank in zip(here, firsts, strict=True)]
        version = np.append(version, np.repeat(firsts, more))
    ties = tie_versions(version, is_placeholder, *ranks_of(stock, crossing), crossing.compared)
    every = Ties.join([grouped.ties, ties])
    return list(link_stories(anchor, version, is_collection, every).rows())


def group_as_told(told: Sequence[Member], matches: Matches) -> Grouped:
    """Stories as members tell of them, those of a stock in the order of its ranks; `matches` are what they share."""
    ranks = {one.row: rank for rank, one in enumerate(told)}
    anchor, version = (
        np.array([ranks[getattr(one, name)] for one in told], np.int64) for name in ("story", "version")
    )
    parent = np.array([-1 if one.parent is None else ranks.get(one.parent, -1) for one in told], np.int64)
    is_placeholder = np.array([one.kind == PLACEHOLDER for one in told], bool)
    ties, tie = _tie_parents(told, version, parent)
    others = tie_versions(version, is_placeholder, matches.queries, matches.founds, matches.compared)
    pairs = zip(others.later.tolist(), others.earlier.tolist(), strict=True)
    tied = {*zip(ties.later.tolist(), ties.earlier.tolist(), strict=True)}
    return Grouped(
        *(anchor, version, parent, tie),
        np.array([BASES.index(one.basis) if one.basis else 0 for one in told], np.int8),
        np.array([one.rivals or 0 for one in told], np.int64),
        np.full(len(told), -1),
        np.array([one.kind == COLLECTION for one in told], bool),
        is_placeholder,
        Ties.join([ties, others.take(np.array([pair not in tied for pair in pairs], bool))]),
        matches.compared,
        NO_LINKS,
    )


def _tie_parents(
    told: Sequence[Member], version: NDArray[np.int64], parent: NDArray[np.int64]
) -> tuple[Ties, NDArray[np.int64]]:
    """What members are to their parents of other versions, each pair of versions once, and which of these each member goes by."""
    places: dict[Pair, int] = {}
    tie = np.full(len(told), -1)
    columns: list[tuple[int, int, int, float, float, int, int, bool]] = []
    for rank, one in enumerate(told):
        pair = int(version[rank]), int(version[parent[rank]])
        if parent[rank] < 0 or pair[0] == pair[1] or one.relation is None:
            continue
        tie[rank] = places.setdefault(pair, len(columns))
        if tie[rank] == len(columns):
            shares = one.covered or 0.0, one.parent_covered or 0.0, one.shared or 0
            columns.append((*pair, RELATIONS.index(Relation(one.relation)), *shares, -1, False))
    kinds = (np.int64, np.int64, np.int8, np.float64, np.float64, np.int64, np.int64, np.bool_)
    values = zip(*columns, strict=True) if columns else [()] * len(kinds)
    return Ties(*(np.array(some, kind) for some, kind in zip(values, kinds, strict=True))), tie
