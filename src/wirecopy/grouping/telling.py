"""One story as its record: who is in it, in which versions, where it comes from, and how well it holds together."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..comparison import RELATIONS
from ..model import UNDATED, Article, Relation
from . import BASES, FORM, Grouped, Pair
from .records import Change, Cohesion, Member, Origin, Parent, Story, Version

Counts = tuple[int, int, int, int]
"""Words added, cut, reworded and moved."""


class Plain:
    """What was grouped, as lists: a record asks for single values, which an array gives ten times as slowly."""

    def __init__(self, grouped: Grouped) -> None:
        self.version: list[int] = grouped.version.tolist()
        self.parent: list[int] = grouped.parent.tolist()
        self.tie: list[int] = grouped.tie.tolist()
        self.basis = [BASES[code] for code in grouped.basis.tolist()]
        self.rivals: list[int] = grouped.rivals.tolist()
        self.is_collection: list[bool] = grouped.is_collection.tolist()
        ties = grouped.ties
        columns = ties.covered, ties.parent_covered, ties.words
        self.shares: list[tuple[float, float, int]] = list(
            zip(*(one.tolist() for one in columns), strict=True)
        )
        self.relation = [RELATIONS[code] for code in ties.relation.tolist()]
        self.inside = find_inside(grouped)


def find_inside(grouped: Grouped) -> dict[int, list[Pair]]:
    """The ties between versions of one story, by its anchor."""
    ties, anchor = grouped.ties, grouped.anchor
    same = (anchor[ties.later] == anchor[ties.earlier]) & (ties.relation != FORM)
    inside: defaultdict[int, list[Pair]] = defaultdict(list)
    one, other = ties.later[same], ties.earlier[same]
    for story, later, earlier in zip(anchor[one].tolist(), one.tolist(), other.tolist(), strict=True):
        inside[story].append((later, earlier))
    return inside


@dataclass(frozen=True)
class Telling:
    """One story, about to be told; articles are known by their ranks."""

    grouped: Plain
    members: list[int]
    articles: dict[int, Article]
    dated: dict[int, int]
    placed: dict[int, int]
    words: dict[int, int]
    changes: dict[int, Counts]

    @cached_property
    def numbers(self) -> dict[int, int]:
        """The number of each version, by its first article."""
        return {first: number for number, first in enumerate(self.inside, 1)}

    @cached_property
    def inside(self) -> dict[int, list[int]]:
        """The articles of each version, by its first."""
        inside: defaultdict[int, list[int]] = defaultdict(list)
        for rank in self.members:
            inside[self.grouped.version[rank]].append(rank)
        return inside

    def story(self) -> Story:
        """Its record."""
        articles = [self.articles[rank] for rank in self.members]
        members = tuple(map(self._member, self.members))
        is_collection = self.grouped.is_collection[self.members[0]]
        return Story(
            articles[0].id,
            articles[0].title,
            "collection" if is_collection else "story",
            members,
            tuple(self._versions()),
            tell_sources(articles),
            *tell_seen(articles, [self.dated[rank] for rank in self.members]),
            self._origin(articles),
            self._cohesion(members),
        )

    def _member(self, rank: int) -> Member:
        article = self.articles[rank]
        version = self.numbers[self.grouped.version[rank]]
        about = article.published, article.source, article.title, article.url, article.agency
        return Member(article.id, *about, version, self._parent(rank))

    def _parent(self, rank: int) -> Parent | None:
        grouped = self.grouped
        parent, tie = grouped.parent[rank], grouped.tie[rank]
        if parent < 0:
            return None
        mine, theirs = self.dated[rank], self.dated[parent]
        after = None if UNDATED in (mine, theirs) else (mine - theirs) / 1e6
        basis = grouped.basis[rank], grouped.rivals[rank], after
        id = self.articles[parent].id
        if tie < 0:
            return Parent(id, Relation.IDENTICAL, 1.0, 1.0, self.words[rank], *basis)
        return Parent(id, grouped.relation[tie], *grouped.shares[tie], *basis)

    def _versions(self) -> Iterator[Version]:
        for first, ranks in self.inside.items():
            articles = [self.articles[rank] for rank in ranks]
            seen = tell_seen(articles, [self.dated[rank] for rank in ranks])
            ids = tuple(article.id for article in articles)
            parent = self.grouped.parent[first]
            change = None
            if parent >= 0:
                before = self.grouped.version[parent]
                addresses = {self.placed[rank] for rank in self.inside[before]} - {0}
                revised = any(self.placed[rank] in addresses for rank in ranks)
                change = Change(self.numbers[before], *self.changes[first], revised)
            yield Version(self.numbers[first], ids, self.words[first], *seen, change)

    def _origin(self, articles: Sequence[Article]) -> Origin:
        if credited := [article.agency for article in articles if article.agency]:
            [(agency, _)] = Counter(credited).most_common(1)
            own = next((one.id for one in articles if one.source and is_of(agency, one.source)), None)
            return Origin(agency, own, "credited", own is not None)
        first, *others = (self.dated[rank] for rank in self.members)
        basis = "undated" if first == UNDATED else "same-time" if first in others else "earliest"
        return Origin(None, articles[0].id, basis, True)

    def _cohesion(self, members: Sequence[Member]) -> Cohesion:
        ties = [(max(one.parent.covered, one.parent.parent_covered), one) for one in members if one.parent]
        pairs = self.grouped.inside.get(self.members[0], [])
        bridges = count_bridges(pairs) if len(self.numbers) > 1 else 0
        if not ties:
            return Cohesion(1.0, None, bridges)
        weakest, member = min(ties, key=lambda tie: tie[0])
        assert member.parent
        return Cohesion(weakest, (member.id, member.parent.article), bridges)


def is_of(agency: str, source: str) -> bool:
    """Whether a source is an agency's own: its name, or an address that holds it."""
    name, place = (re.sub(r"[^\w]+", " ", one.casefold()).split() for one in (agency, source))
    return bool(name) and (
        "".join(name) in place or any(place[at : at + len(name)] == name for at in range(len(place)))
    )


def count_bridges(pairs: Sequence[tuple[int, int]]) -> int:
    """How many of some distinct pairs are all that joins two parts (Tarjan 1974)."""
    if len(pairs) < 3:
        return len(pairs)
    near: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, (one, other) in enumerate(pairs):
        near[one].append((other, number))
        near[other].append((one, number))
    seen: dict[int, int] = {}
    lowest: dict[int, int] = {}
    bridges = 0
    for root in near:
        if root in seen:
            continue
        seen[root] = lowest[root] = len(seen)
        path = [(root, -1, iter(near[root]))]
        while path:
            node, by, rest = path[-1]
            for other, number in rest:
                if number == by:
                    continue
                if other not in seen:
                    seen[other] = lowest[other] = len(seen)
                    path.append((other, number, iter(near[other])))
                    break
                lowest[node] = min(lowest[node], seen[other])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[node])
                    bridges += lowest[node] > seen[above]
    return bridges


def tell_sources(articles: Sequence[Article]) -> tuple[str, ...]:
    """The sources of some articles, each once, in their order."""
    return tuple(dict.fromkeys(article.source for article in articles if article.source))


def tell_seen(articles: Sequence[Article], dates: Sequence[int]) -> tuple[str | None, str | None]:
    """When the first and the last of some articles, in the order of time, were published, as that is written; None if no date is known."""
    dated = len(dates) - dates.count(UNDATED)
    return (articles[0].published, articles[dated - 1].published) if dated else (None, None)
