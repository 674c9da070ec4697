"""Stories from matches, one article after the other, slowly. The twin of `wirecopy.grouping.group`, written from docs/stories.md.

Articles are numbers in the order of time. A match of two is known by the later and the earlier of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

STRONG = ("near-duplicate", "contains", "contained-in")
TURNED = {"contains": "contained-in", "contained-in": "contains"}
Span = tuple[int, int]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Tie:
    """What a later version is to an earlier one, how many words are equal, and where in both."""

    relation: str
    words: int
    later_spans: tuple[Span, ...]
    earlier_spans: tuple[Span, ...]

    def turned(self) -> Tie:
        relation = TURNED.get(self.relation, self.relation)
        return Tie(relation, self.words, self.earlier_spans, self.later_spans)


@dataclass(frozen=True)
class Told:
    """For each article the first of its story, the first with its text, its parent, what that rests on, and how many rivals it has."""

    anchor: list[int]
    version: list[int]
    parent: list[int | None]
    basis: list[str | None]
    rivals: list[int]
    collections: set[int]
    placeholders: set[int]
    series: set[frozenset[int]]


Ask = Callable[[int, int], Tie | None]


def join(number: int, pairs: Sequence[Pair]) -> list[int]:
    """The smallest number that each is joined to by pairs."""
    first = list(range(number))
    changed = True
    while changed:
        changed = False
        for one, other in pairs:
            least = min(first[one], first[other])
            changed |= first[one] != least or first[other] != least
            first[one] = first[other] = least
    return first


def find_versions(
    words: Sequence[int], titles: Sequence[str], matches: Mapping[Pair, Tie]
) -> tuple[list[int], set[int]]:
    version = join(len(words), [pair for pair, tie in matches.items() if tie.relation == "identical"])
    placeholders: set[int] = set()
    for first in set(version):
        mine = [one for one, it in enumerate(version) if it == first]
        named = [one for one in mine if titles[one] and words[one] < 20]
        if titles[first] and any(titles[one] != titles[first] for one in named):
            placeholders.update(mine)
    return [one if one in placeholders else first for one, first in enumerate(version)], placeholders


def tie_versions(version: Sequence[int], left_out: set[int], matches: Mapping[Pair, Tie]) -> dict[Pair, Tie]:
    """What versions share: as the first of their matches says that calls it no form, or else as the first."""
    ties: dict[Pair, Tie] = {}
    for (later, earlier), tie in sorted(matches.items()):
        one, other = version[later], version[earlier]
        if one == other or {one, other} & left_out:
            continue
        if one < other:
            one, other, tie = other, one, tie.turned()
        if (one, other) not in ties or (ties[one, other].relation == "form" != tie.relation):
            ties[one, other] = tie
    return ties


class Desk:
    """Where one version after the other gets its story."""

    def __init__(self, words: Sequence[int], ties: Mapping[Pair, Tie], ask: Ask) -> None:
        self.words, self.given, self.ask = words, dict(ties), ask
        self.known: dict[Pair, Tie | None] = dict(ties)
        self.anchor = list(range(len(words)))
        self.parent: dict[int, int] = {}
        self.rests: dict[int, tuple[str, int]] = {}
        self.collections: set[int] = set()

    def look(self, later: int, earlier: int) -> Tie | None:
        if (later, earlier) not in self.known:
            self.known[later, earlier] = self.ask(later, earlier)
        return self.known[later, earlier]

    def ties_of(self, version: int) -> dict[int, Tie]:
        return {
            earlier: tie for (later, earlier), tie in sorted(self.known.items()) if later == version and tie
        }

    def find_collections(self) -> None:
        for owner in range(len(self.words)):
            places = []
            for (later, earlier), tie in self.given.items():
                if (later, tie.relation) == (owner, "contains"):
                    places.append((tie.later_spans, earlier))
                elif (earlier, tie.relation) == (owner, "contained-in"):
                    places.append((tie.earlier_spans, later))
            if len(places) < 2:
                continue
            around = [(min(s for s, _ in spans), max(e for _, e in spans), held) for spans, held in places]
            firsts = sorted(around, key=lambda one: (one[1], one[2]))[:3]
            lasts = sorted(around, key=lambda one: (-one[0], one[2]))[:3]
            for _, end, one in firsts:
                for start, _, other in lasts:
                    if end <= start and self.look(max(one, other), min(one, other)) is None:
                        self.collections.add(owner)

    def guess(self) -> None:
        """Compare each member of a family with its first, if there are two members or more beside that."""
        strong = [pair for pair, tie in self.given.items() if tie.relation in STRONG]
        family = join(len(self.words), strong)
        later = {one for one, _ in strong}
        for one in later:
            if sum(family[other] == family[one] for other in later) > 1:
                self.look(one, family[one])

    def settle(self, version: int) -> None:
        tried: set[int] = set()
        asked = False
        while True:
            left = {
                earlier: tie
                for earlier, tie in self.ties_of(version).items()
                if tie.relation in STRONG and earlier not in tried
            }
            if not left and asked:
                return
            if not left:
                asked = True
                self.ask_more(version)
                continue
            most = max(tie.words for tie in left.values())
            parent = min(earlier for earlier, tie in left.items() if tie.words >= 0.98 * most)
            anchor = self.anchor[parent]
            if (version, anchor) not in self.known:
                self.look(version, anchor)
                continue
            tried.add(parent)
            if self.may_join(version, parent, anchor):
                self.anchor[version], self.parent[version] = anchor, parent
                others = [
                    tie
                    for earlier, tie in self.ties_of(version).items()
                    if tie.relation in STRONG and earlier != parent
                ]
                near = any(tie.words >= 0.98 * left[parent].words for tie in others)
                self.rests[version] = "tied" if near else "clear" if others else "only", len(others)
                return

    def ask_more(self, version: int) -> None:
        shared: dict[int, int] = {}
        for earlier, tie in self.ties_of(version).items():
            if tie.relation != "form":
                story = self.anchor[earlier]
                shared[story] = max(shared.get(story, 0), tie.words)
        for story in sorted(shared, key=lambda one: (-shared[one], one))[:3]:
            members = [one for one in self.parent if self.anchor[one] == story]
            short = sorted(members, key=lambda one: (self.words[one], one))[:3]
            for one in (story, *short):
                self.look(version, one)

    def may_join(self, version: int, parent: int, anchor: int) -> bool:
        with_anchor, tie = self.known[version, anchor], self.known[version, parent]
        assert tie
        if with_anchor is None or with_anchor.relation == "form":
            return False
        if tie.relation != "near-duplicate" and {version, parent} & self.collections:
            return False
        if tie.relation != "contains":
            return True
        own: set[int] = set()
        others: set[int] = set()
        for earlier, one in self.ties_of(version).items():
            if one.relation != "form":
                places = {at for start, end in one.later_spans for at in range(start, end)}
                (own if self.anchor[earlier] == anchor else others).update(places)
        return len(others - own) <= 0.5 * len(own)


def group(
    published: Sequence[int | None],
    words: Sequence[int],
    titles: Sequence[str],
    matches: Mapping[Pair, Tie],
    ask: Ask,
) -> Told:
    """The stories of articles that match so; `ask` says of two that were not compared how they match."""
    version, placeholders = find_versions(words, titles, matches)
    desk = Desk(words, tie_versions(version, placeholders, matches), ask)
    desk.find_collections()
    desk.guess()
    for one in sorted({later for (later, _), tie in desk.given.items() if tie.relation != "form"}):
        desk.settle(one)
    anchor = [desk.anchor[first] for first in version]
    parent: list[int | None] = []
    basis: list[str | None] = []
    rivals = []
    for one, first in enumerate(version):
        before = version[:one].count(first)
        mine = desk.parent.get(one) if one == first else first
        said, others = desk.rests.get(one, ("", 0))
        if one != first:
            said, others = "tied" if before > 1 else "only", before - 1
        if mine is not None and published[one] == published[mine]:
            said = "same-time"
        if mine is not None and None in (published[one], published[mine]):
            said = "undated"
        parent.append(mine)
        basis.append(None if mine is None else said)
        rivals.append(0 if mine is None else others)
    forms = [pair for pair, tie in desk.known.items() if tie and tie.relation == "form"]
    inside = join(len(words), forms)
    held = {one for pair in forms for one in pair}
    series = {
        frozenset(one for one, first in enumerate(version) if first in held and inside[first] == at)
        for at in {inside[one] for one in held}
    }
    collections = {one for one, first in enumerate(version) if first in desk.collections}
    return Told(anchor, version, parent, basis, rivals, collections, placeholders, series)
