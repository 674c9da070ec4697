"""Stories as columns: who is in them, in which versions, where they come from, and how well they hold together.

Many stories are told at a time. Their articles are known by their places: story after story, in each by time; -1 is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..comparison import RELATIONS
from ..model import UNDATED, Article
from .columns import Lists, Maybe, Records, Texts
from .records import Change, Cohesion, Member, Origin, Parent, Story, Version
from .ties import BASES, FORM, Grouped

KINDS = ("story", "collection")
ORIGINS = ("credited", "earliest", "same-time", "undated")
"""What an origin rests on; its code is its place here."""

Numbers = NDArray[np.int64]


def count_bridges(grouped: Grouped) -> Numbers:
    """How many ties between versions there are without which a story would fall apart, by its anchor."""
    ties, anchor = grouped.ties, grouped.anchor
    inside = ties.take((anchor[ties.later] == anchor[ties.earlier]) & (ties.relation != FORM))
    sides = (side.astype(np.uint32) for side in (inside.later, inside.earlier))
    is_bridge = _core.find_bridges(len(anchor), *sides)
    return np.bincount(anchor[inside.later[is_bridge]], minlength=len(anchor))


@dataclass(frozen=True)
class Shape:
    """Some stories by the ranks of their articles: which of these are one version. Versions are numbered through all stories."""

    grouped: Grouped
    stories: Sequence[Numbers]

    @cached_property
    def ranks(self) -> Numbers:
        """The rank of each article."""
        return np.concatenate(self.stories)

    @cached_property
    def offsets(self) -> Numbers:
        """Where the articles of each story begin, and where all end."""
        return _add_up([len(one) for one in self.stories])

    @cached_property
    def story(self) -> Numbers:
        """The story of each article."""
        return np.repeat(np.arange(len(self.stories)), np.diff(self.offsets))

    @cached_property
    def _order(self) -> Numbers:
        return np.argsort(self.ranks)

    def _find(self, ranks: Numbers) -> Numbers:
        """Where the articles of some ranks, or -1, are."""
        wanted = np.where(ranks < 0, self.ranks[0], ranks)
        found = self._order[np.searchsorted(self.ranks, wanted, sorter=self._order)]
        return np.where(ranks < 0, -1, found)

    @cached_property
    def parent(self) -> Numbers:
        """The parent of each article."""
        return self._find(self.grouped.parent[self.ranks])

    @cached_property
    def firsts(self) -> Numbers:
        """The first article of each version."""
        return np.flatnonzero(self.grouped.version[self.ranks] == self.ranks)

    @cached_property
    def version(self) -> Numbers:
        """The version of each article."""
        return np.searchsorted(self.firsts, self._find(self.grouped.version[self.ranks]))

    @cached_property
    def version_offsets(self) -> Numbers:
        """Where the versions of each story begin, and where all end."""
        return np.searchsorted(self.firsts, self.offsets)

    @cached_property
    def number(self) -> Numbers:
        """The number of each version in its story."""
        return np.arange(1, len(self.firsts) + 1) - self.version_offsets[self.story[self.firsts]]

    @cached_property
    def changed(self) -> Numbers:
        """The version that each version changed, that of its parent."""
        parent = self.parent[self.firsts]
        return np.where(parent < 0, -1, self.version[parent])


@dataclass(frozen=True)
class Telling:
    """Some stories, about to be told: what is known of their articles, and the words of their versions."""

    shape: Shape
    articles: Sequence[Article]
    dates: Numbers
    addresses: Numbers
    words: Numbers
    changes: Sequence[Numbers]
    """For each version, words added, cut, reworded and moved."""
    bridges: Numbers
    """Of all stories, by anchor."""

    def stories(self) -> Records:
        """Their records."""
        shape, anchors = self.shape, self.shape.offsets[:-1]
        is_collection = shape.grouped.is_collection[shape.ranks[anchors]]
        return Records(
            Story,
            (
                self._about("id", anchors),
                self._about("title", anchors),
                Texts(KINDS, is_collection.astype(np.int64)),
                Lists(shape.offsets, self._members()),
                Lists(shape.version_offsets, self._versions()),
                self._sources(),
                *self._seen(np.arange(len(self.articles)), shape.offsets),
                self._origins(),
                self._cohesion(),
            ),
        )

    @cached_property
    def _texts(self) -> dict[str, list[str | None]]:
        """What is known of the articles, by the names of fields."""
        names = ("id", "published", "source", "title", "url", "agency")
        return {name: [getattr(article, name) for article in self.articles] for name in names}

    def _about(self, name: str, places: Numbers) -> Texts:
        return Texts(self._texts[name], places)

    def _seen(self, places: Numbers, offsets: Numbers) -> tuple[Texts, Texts]:
        """When the first and the last of each list of articles, in the order of time, were published; None if no date is known."""
        dated = np.add.reduceat(self.dates[places] != UNDATED, offsets[:-1], dtype=np.int64)
        first, last = offsets[:-1], offsets[:-1] + np.maximum(dated - 1, 0)
        seen = (np.where(dated > 0, places[one], -1) for one in (first, last))
        one, other = (self._about("published", some) for some in seen)
        return one, other

    def _members(self) -> Records:
        here = np.arange(len(self.articles))
        about = (self._about(name, here) for name in self._texts)
        return Records(Member, (*about, self.shape.number[self.shape.version], self._parents()))

    @cached_property
    def _compared(self) -> tuple[Numbers, NDArray[np.float64], NDArray[np.float64], Numbers]:
        return self.shape.grouped.compare_parents(self.shape.ranks, self.words[self.shape.version])

    def _parents(self) -> Maybe:
        shape, grouped = self.shape, self.shape.grouped
        relation, covered, parent_covered, words = self._compared
        theirs = self.dates[shape.parent]
        is_known = (self.dates != UNDATED) & (theirs != UNDATED)
        after = np.where(is_known, (self.dates - np.where(is_known, theirs, 0)) / 1e6, np.nan)
        parents = Records(
            Parent,
            (
                self._about("id", shape.parent),
                Texts(RELATIONS, relation),
                covered,
                parent_covered,
                words,
                Texts(BASES, grouped.basis[shape.ranks].astype(np.int64)),
                grouped.rivals[shape.ranks],
                after,
            ),
        )
        return Maybe(shape.parent >= 0, parents)

    def _versions(self) -> Records:
        shape = self.shape
        places, offsets = _gather(len(shape.firsts), shape.version)
        seen = self._seen(places, offsets)
        changes = Records(Change, (shape.number[shape.changed], *self.changes, self._is_revised()))
        articles = Lists(offsets, self._about("id", places))
        change = Maybe(shape.changed >= 0, changes)
        return Records(Version, (shape.number, articles, self.words, *seen, change))

    def _is_revised(self) -> NDArray[np.bool_]:
        """Which versions have an address of those that they changed."""
        shape = self.shape
        addresses, places = np.unique(self.addresses, return_inverse=True)
        changed = shape.changed[shape.version]
        asked = np.flatnonzero((changed >= 0) & (self.addresses != 0))
        there = shape.version * len(addresses) + places
        wanted = changed[asked] * len(addresses) + places[asked]
        found = shape.version[asked[np.isin(wanted, there)]]
        return np.bincount(found, minlength=len(shape.firsts)) > 0

    def _sources(self) -> Lists:
        """The sources of each story, each once, in the order of its articles."""
        shape = self.shape
        numbers = {"": 0}
        source = np.array([numbers.setdefault(one or "", len(numbers)) for one in self._texts["source"]])
        _, firsts = np.unique(shape.story * len(numbers) + source, return_index=True)
        firsts = np.sort(firsts[source[firsts] > 0])
        offsets = _add_up(np.bincount(shape.story[firsts], minlength=len(shape.stories)))
        return Lists(offsets, self._about("source", firsts))

    def _origins(self) -> Records:
        """The agency that most articles credit, and its own first article; else the first article."""
        shape = self.shape
        origin, agency = shape.offsets[:-1].copy(), np.full(len(shape.stories), -1)
        first, second = self.dates[origin], self.dates[origin + (np.diff(shape.offsets) > 1)]
        is_alone = np.diff(shape.offsets) == 1
        bases = [first == UNDATED, (first == second) & ~is_alone]
        basis = np.select(
            bases, [ORIGINS.index("undated"), ORIGINS.index("same-time")], ORIGINS.index("earliest")
        )
        credits, sources = self._texts["agency"], self._texts["source"]
        credited = np.array([place for place, one in enumerate(credits) if one], np.int64)
        for story in np.unique(shape.story[credited]).tolist():
            start, end = shape.offsets[story : story + 2].tolist()
            [(name, _)] = Counter(filter(None, credits[start:end])).most_common(1)
            agency[story] = credits.index(name, start)
            own = (place for place in range(start, end) if is_of(name, sources[place] or ""))
            origin[story], basis[story] = next(own, -1), ORIGINS.index("credited")
        named = self._about("agency", agency), self._about("id", origin)
        return Records(Origin, (*named, Texts(ORIGINS, basis), origin >= 0))

    def _cohesion(self) -> Records:
        """The least share that a member has in common with its parent, and the first such pair."""
        shape = self.shape
        _, covered, parent_covered, _ = self._compared
        shares = np.where(shape.parent >= 0, np.maximum(covered, parent_covered), np.inf)
        least = np.minimum.reduceat(shares, shape.offsets[:-1])
        weakest = np.flatnonzero(shares == least[shape.story])
        _, firsts = np.unique(shape.story[weakest], return_index=True)
        weak = weakest[firsts]
        pairs = self._about("id", np.column_stack([weak, shape.parent[weak]]).ravel())
        present = np.isfinite(least)
        pair = Maybe(present, Lists(np.arange(0, 2 * len(weak) + 1, 2), pairs))
        return Records(
            Cohesion, (np.where(present, least, 1.0), pair, self.bridges[shape.ranks[shape.offsets[:-1]]])
        )


def _add_up(sizes: Sequence[int] | Numbers) -> Numbers:
    """The offsets of lists of these sizes."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _gather(rows: int, owners: Numbers) -> tuple[Numbers, Numbers]:
    """The places that each row owns, in their order, and their offsets."""
    return np.argsort(owners, kind="stable"), _add_up(np.bincount(owners, minlength=rows))


@lru_cache(1 << 12)
def is_of(agency: str, source: str) -> bool:
    """Whether a source is an agency's own: its name, or an address that holds it."""
    name, place = (re.sub(r"[^\w]+", " ", one.casefold()).split() for one in (agency, source))
    return bool(name) and (
        "".join(name) in place or any(place[at : at + len(name)] == name for at in range(len(place)))
    )


def tell_sources(articles: Sequence[Article]) -> tuple[str, ...]:
    """The sources of some articles, each once, in their order."""
    return tuple(dict.fromkeys(article.source for article in articles if article.source))


def tell_seen(articles: Sequence[Article], dates: Sequence[int]) -> tuple[str | None, str | None]:
    """When the first and the last of some articles, in the order of time, were published, as that is written; None if no date is known."""
    dated = len(dates) - dates.count(UNDATED)
    return (articles[0].published, articles[dated - 1].published) if dated else (None, None)
