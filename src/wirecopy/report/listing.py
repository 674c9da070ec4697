"""What a report lists, one row each: stories, collections, series, and what articles share with others outside their story."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..grouping.stories import Stories
from ..grouping.ties import CONTAINED_IN, CONTAINS, FORM, LINK_KINDS, Grouped, Ties
from ..matching.collection import Collection
from ..matching.matches import Matches

KINDS = ("story", "collection", "series", "matches")
"""The kinds of rows, in the order of the index."""
SHOWN_MEMBERS = 200
"""So many articles of a row are shown in full."""
SHOWN_LINKS = 100

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its kind, its articles by number, the first one first, and the pairs that are shown, the later article first.

    Of a story, `place` is its place among the stories, -1 where it has one article only.
    """

    kind: str
    articles: tuple[int, ...]
    pairs: tuple[Pair, ...]
    place: int = -1

    @property
    def first(self) -> int:
        """Its first article."""
        return self.articles[0]


@dataclass(frozen=True)
class Listing:
    """All rows, in the order of the index, and what joins those that are stories."""

    matches: Matches
    rows: Sequence[Row]
    counts: dict[str, int]
    """How many rows of each kind there are in all."""
    stories: Stories | None = None
    links: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    """By its anchor, what joins a story to others."""

    @property
    def sides(self) -> Sequence[Collection]:
        """The collections whose articles are numbered through: what is found, then queries that are no part of it."""
        matches = self.matches
        same = matches.query_side is matches.found_side
        return [matches.found_side] if same else [matches.found_side, matches.query_side]

    @classmethod
    def of_stories(cls, stories: Stories, top: int | None) -> Listing:
        """The rows of stories, the largest first; of each kind the `top` ones."""
        grouped = stories.grouped
        every = (_tell_stories(grouped), _collections(grouped), _series(grouped), _matches(grouped))
        return cls._list(stories, *_choose(every, top))

    @classmethod
    def of_story(cls, stories: Stories, id: str) -> Listing:
        """The one story of this id, which may be that of an article that shares its text with no other."""
        grouped, first = stories.grouped, stories.ids.index(id)
        known = (row for row in chain(_tell_stories(grouped), _collections(grouped)) if row.first == first)
        row = next(known, Row("story", (first,), ()))
        return cls._list(stories, [row], {kind: int(kind == row.kind) for kind in KINDS})

    @classmethod
    def _list(cls, stories: Stories, rows: Sequence[Row], counts: dict[str, int]) -> Listing:
        assert isinstance(stories.matches, Matches)
        row_of = {row.first: number for number, row in enumerate(rows) if row.kind in KINDS[:2]}
        return cls(stories.matches, rows, counts, stories, _links(stories, row_of))

    @classmethod
    def of_pairs(cls, matches: Matches, top: int | None) -> Listing:
        """What each query shares with others, one row a query; those that are no part of a pile are numbered behind it."""
        behind = len(matches.found_side.ids) if matches.query_side is not matches.found_side else 0
        rows = []
        order = np.lexsort((matches.founds, -matches.words, matches.queries))
        for some in _runs(matches.queries[order]):
            query = int(matches.queries[order[some.start]]) + behind
            founds = matches.founds[order[some]].tolist()
            pairs = tuple((query, found) for found in founds[:SHOWN_MEMBERS])
            rows.append(Row("matches", (query, *founds), pairs))
        chosen, counts = _choose(((), (), (), rows), top)
        return cls(matches, chosen, counts)


def _choose(every: Iterable[Iterable[Row]], top: int | None) -> tuple[list[Row], dict[str, int]]:
    """The `top` rows of each kind, the largest first, and how many there are of each."""
    rows: list[Row] = []
    counts = {}
    for kind, some in zip(KINDS, every, strict=True):
        # Of two with as many articles the earlier comes first: articles are numbered by time.
        in_order = sorted(some, key=lambda row: (-len(row.articles), row.first))
        counts[kind] = len(in_order)
        rows += in_order[:top]
    return rows, counts


def _runs(values: NDArray[Any]) -> Iterator[slice]:
    """Where equal values stand, which are sorted."""
    fresh = np.flatnonzero(values[1:] != values[:-1]) + 1
    return (slice(*edges) for edges in pairwise([0, *fresh.tolist(), len(values)] if len(values) else []))


def _members(first: NDArray[np.int64], inside: NDArray[np.bool_]) -> Iterator[list[int]]:
    """The articles that have the same first one, of those inside, in the order of time."""
    some = np.flatnonzero(inside)
    order = some[np.argsort(first[some], kind="stable")]
    return (order[run].tolist() for run in _runs(first[order]))


def choose_members(members: Sequence[int], version: NDArray[np.int64]) -> list[int]:
    """The members that are shown in full: of many those that begin a version, then others, the earliest first."""
    if len(members) <= SHOWN_MEMBERS:
        return list(members)
    return sorted(sorted(members, key=lambda one: (version[one] != one, one))[:SHOWN_MEMBERS])


def _tell_stories(grouped: Grouped) -> Iterator[Row]:
    sizes = np.bincount(grouped.anchor, minlength=len(grouped.anchor))[grouped.anchor]
    for place, members in enumerate(_members(grouped.anchor, sizes > 1)):
        if not grouped.is_collection[members[0]]:
            yield Row("story", tuple(members), _inside(grouped, members), place)


def _inside(grouped: Grouped, members: Sequence[int]) -> tuple[Pair, ...]:
    """Each member that is shown with its parent and with the anchor."""
    pairs = [
        (one, other)
        for one in choose_members(members, grouped.version)
        for other in (int(grouped.parent[one]), members[0])
        if 0 <= other < one
    ]
    return tuple(dict.fromkeys(pairs))


def _across(grouped: Grouped) -> tuple[Ties, NDArray[np.bool_], NDArray[np.bool_]]:
    """What ties versions of different stories, forms apart; and whether the later, or the earlier, is a collection of the other."""
    ties = grouped.ties.take(
        (grouped.anchor[grouped.ties.later] != grouped.anchor[grouped.ties.earlier])
        & (grouped.ties.relation != FORM)
    )
    collection = grouped.is_collection
    by_later = (ties.relation == CONTAINS) & collection[ties.later]
    return ties, by_later, ~by_later & (ties.relation == CONTAINED_IN) & collection[ties.earlier]


def _collections(grouped: Grouped) -> Iterator[Row]:
    ties, by_later, by_earlier = _across(grouped)
    collected: defaultdict[int, list[Pair]] = defaultdict(list)
    for number in np.flatnonzero(by_later | by_earlier).tolist():
        pair = int(ties.later[number]), int(ties.earlier[number])
        collected[int(grouped.anchor[pair[0] if by_later[number] else pair[1]])].append(pair)
    sizes = np.bincount(grouped.anchor, minlength=len(grouped.anchor))[grouped.anchor]
    places = {members[0]: place for place, members in enumerate(_members(grouped.anchor, sizes > 1))}
    for members in _members(grouped.anchor, grouped.is_collection[grouped.anchor]):
        pairs = (*_inside(grouped, members), *collected[members[0]][:SHOWN_MEMBERS])
        yield Row("collection", tuple(members), tuple(dict.fromkeys(pairs)), places.get(members[0], -1))


def _series(grouped: Grouped) -> Iterator[Row]:
    for members in _members(grouped.series, grouped.series >= 0):
        shown = choose_members(members[1:], grouped.version)
        yield Row("series", tuple(members), tuple((one, members[0]) for one in shown))


def _matches(grouped: Grouped) -> Iterator[Row]:
    """What an article shares with earlier ones outside its story, but for what collections collect."""
    ties, by_later, by_earlier = _across(grouped)
    ties = ties.take(~by_later & ~by_earlier)
    ties = ties.take(np.lexsort((ties.earlier, -ties.words, ties.later)))
    for run in _runs(ties.later):
        later, others = int(ties.later[run.start]), ties.earlier[run].tolist()
        pairs = tuple((later, other) for other in others[:SHOWN_MEMBERS])
        yield Row("matches", (later, *others), pairs)


def _links(stories: Stories, row_of: dict[int, int]) -> dict[int, list[dict[str, Any]]]:
    """By anchor, what joins a story that is listed to others, those with most words first."""
    ids, links = stories.ids, stories.grouped.links
    found: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for later, earlier, kind, articles, words in links.rows():
        for mine, other in ((later, earlier), (earlier, later)):
            if mine in row_of:
                told = {"story": ids[other], "row": row_of.get(other), "kind": LINK_KINDS[kind]}
                found[mine].append(told | {"articles": articles, "words": words, "outgoing": mine == later})
    return {
        anchor: sorted(some, key=lambda one: (-one["words"], one["story"]))[:SHOWN_LINKS]
        for anchor, some in found.items()
    }
