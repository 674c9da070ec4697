"""Which version comes from which, and what is one story: the rules of `grouping`, one family after the other."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from heapq import nsmallest

import numpy as np
from numpy.typing import NDArray

from ..comparison import Compared
from .ties import (
    BASES,
    CONTAINED_IN,
    CONTAINS,
    FORM,
    NEAR,
    PARTIAL,
    Ask,
    Facts,
    Pair,
    Ties,
    close,
    tie_versions,
)

BAND = 0.02
"""Matches whose equal words differ by less are equally good parents."""
OTHERS = 0.5
SHORTEST = 3
TRIED_STORIES = 3
"""Of so many stories, those with most equal words, the shortest versions are asked for."""
TRIED_PLACES = 3


class Table:
    """What is known while stories are made. Versions are known by the rank of their first article."""

    def __init__(
        self, facts: Facts, version: NDArray[np.int64], ties: Ties, compared: Compared, ask: Ask
    ) -> None:
        articles = len(version)
        self.words = facts.words
        self.anchor = np.arange(articles)
        self.parent = np.full(articles, -1)
        self.tie = np.full(articles, -1)
        self.basis = np.zeros(articles, np.int8)
        self.rivals = np.zeros(articles, np.int64)
        self.is_collection = np.zeros(articles, bool)
        self.asked = 0
        self._ask = ask
        self._parts = [ties]
        self._compared = [compared]
        self._first_ties, self._first_rows = [0], [0]
        """Where the ties and the rows of each part begin."""
        self._known: dict[Pair, int] = {}
        self._of: defaultdict[int, list[int]] = defaultdict(list)
        """The ties of each version with earlier ones."""
        self._relation: list[int] = []
        self._shared: list[int] = []
        self._earlier: list[int] = []
        self._note(ties)

    def _note(self, ties: Ties) -> None:
        first = len(self._relation)
        pairs = zip(ties.later.tolist(), ties.earlier.tolist(), strict=True)
        for number, pair in enumerate(pairs, first):
            self._known[pair] = number
            self._of[pair[0]].append(number)
        self._relation += ties.relation.tolist()
        self._shared += ties.words.tolist()
        self._earlier += ties.earlier.tolist()

    def columns(self) -> tuple[Ties, Compared]:
        """All ties, and what they share."""
        return Ties.join(self._parts), Compared.join(self._compared)

    def find_out(self, pairs: Iterable[Pair]) -> None:
        """Ask for pairs of versions that are not known yet."""
        fresh = sorted(set(pairs) - self._known.keys())
        if not fresh:
            return
        later, earlier = (np.array(side, np.uint32) for side in zip(*fresh, strict=True))
        compared = self._ask(later, earlier)
        self.asked += len(fresh)
        first = self._first_rows[-1] + len(self._compared[-1])
        everyone = np.arange(len(self.anchor))
        ties = tie_versions(everyone, np.zeros(len(everyone), bool), later, earlier, compared)
        self._known.update(dict.fromkeys(fresh, -1))
        self._first_rows.append(first)
        self._first_ties.append(len(self._relation))
        self._note(ties)
        self._parts.append(replace(ties, row=ties.row + first))
        self._compared.append(compared)

    def _spans(self, tie: int, of_later: bool) -> list[Pair]:
        """Where the passages of a tie stand in one of its versions, in code points."""
        part = bisect_right(self._first_ties, tie) - 1
        ties, compared, tie = self._parts[part], self._compared[part], tie - self._first_ties[part]
        row, passages = int(ties.row[tie]) - self._first_rows[part], compared.passages
        some = slice(*compared.passage_offsets[row : row + 2].tolist())
        starts, ends = passages.query_start, passages.query_end
        if of_later == bool(ties.turned[tie]):
            starts, ends = passages.found_start, passages.found_end
        return list(zip(starts[some].tolist(), ends[some].tolist(), strict=True))

    def find_collections(self) -> None:
        """Which versions contain two others in disjoint places that share nothing with each other."""
        inside: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
        ties = self._parts[0].take(np.isin(self._parts[0].relation, (CONTAINS, CONTAINED_IN)))
        owners = np.where(ties.relation == CONTAINS, ties.later, ties.earlier)
        several = np.unique(owners)[np.unique(owners, return_counts=True)[1] > 1]
        ties, owners = ties.take(of_several := np.isin(owners, several)), owners[of_several]
        is_later = owners == ties.later
        reached = _reach(self._compared[0], ties.row, is_later == ties.turned)
        columns = owners, *reached, np.where(is_later, ties.earlier, ties.later)
        for owner, start, end, held in zip(*(one.tolist() for one in columns), strict=True):
            inside[owner].append((start, end, held))
        apart: dict[int, list[Pair]] = {}
        for owner, places in inside.items():
            firsts = nsmallest(TRIED_PLACES, places, key=lambda place: (place[1], place[2]))
            lasts = nsmallest(TRIED_PLACES, places, key=lambda place: (-place[0], place[2]))
            apart[owner] = [
                (max(one[2], other[2]), min(one[2], other[2]))
                for one in firsts
                for other in lasts
                if one[1] <= other[0]
            ]
        self.find_out(pair for pairs in apart.values() for pair in pairs)
        for owner, pairs in apart.items():
            self.is_collection[owner] = any(self._known[pair] < 0 for pair in pairs)

    def settle(self) -> None:
        """Give each version its parent and its story; families that need the same batch of comparisons go on together."""
        ties = self._parts[0]
        joining = ties.take(ties.relation != FORM)
        strong = ties.take((ties.relation != FORM) & (ties.relation != PARTIAL))
        self.find_out(self._first_guesses(strong))
        component = close(
            len(self.anchor), joining.later.astype(np.uint32), joining.earlier.astype(np.uint32)
        )
        members: defaultdict[int, list[int]] = defaultdict(list)
        for one in np.unique(joining.later).tolist():
            members[int(component[one])].append(one)
        waiting = [(family, next(family, None)) for family in map(self._settle_family, members.values())]
        while waiting := [(family, asked) for family, asked in waiting if asked is not None]:
            self.find_out(pair for _, asked in waiting for pair in asked)
            waiting = [(family, next(family, None)) for family, _ in waiting]

    def _first_guesses(self, strong: Ties) -> list[Pair]:
        """Each version of a family with the first one, which most probably is the anchor."""
        articles = len(self.anchor)
        family = close(articles, strong.later.astype(np.uint32), strong.earlier.astype(np.uint32))
        later = np.unique(strong.later)
        later = later[np.bincount(family[later], minlength=articles)[family[later]] > 1]
        return list(zip(later.tolist(), family[later].tolist(), strict=True))

    def _settle_family(self, versions: Sequence[int]) -> Generator[list[Pair], None, None]:
        """Settle the versions of one family in order; gives out the pairs that have to be known before it can go on."""
        members: defaultdict[int, list[int]] = defaultdict(list)
        for version in versions:
            tried: set[int] = set()
            asked_more = False
            while True:
                tie = self._best(version, tried)
                if tie is None and asked_more:
                    break
                if tie is None:
                    asked_more = True
                    if wanted := self._more(version, members):
                        yield wanted
                    continue
                tried.add(tie)
                anchor = int(self.anchor[self._earlier[tie]])
                if (version, anchor) not in self._known:
                    yield [(version, anchor)]
                    tried.discard(tie)  # what came to light may be a better parent
                    continue
                if self._may_join(version, tie, anchor):
                    self._join(version, tie, anchor)
                    members[anchor].append(version)
                    break

    def _candidates(self, version: int) -> list[int]:
        return [tie for tie in self._of[version] if self._relation[tie] in (NEAR, CONTAINS, CONTAINED_IN)]

    def _best(self, version: int, tried: set[int]) -> int | None:
        """The tie with the best parent that was not tried."""
        left = [tie for tie in self._candidates(version) if tie not in tried]
        if not left:
            return None
        least = (1 - BAND) * max(self._shared[tie] for tie in left)
        return min((tie for tie in left if self._shared[tie] >= least), key=self._earlier.__getitem__)

    def _may_join(self, version: int, tie: int, anchor: int) -> bool:
        known, relation = self._known[version, anchor], self._relation[tie]
        if known < 0 or self._relation[known] == FORM:
            return False
        is_contained = relation in (CONTAINS, CONTAINED_IN)
        if is_contained and (self.is_collection[version] or self.is_collection[self._earlier[tie]]):
            return False
        mine = [(other, int(self.anchor[self._earlier[other]])) for other in self._of[version]]
        if relation != CONTAINS or all(story == anchor for _, story in mine):
            return True
        spans: tuple[list[Pair], list[Pair]] = [], []
        for other, story in mine:
            if self._relation[other] != FORM:
                spans[story == anchor].extend(self._spans(other, True))
        own = _measure(spans[True])
        return _measure(spans[True] + spans[False]) - own <= OTHERS * own

    def _join(self, version: int, tie: int, anchor: int) -> None:
        others = [one for one in self._candidates(version) if one != tie]
        least = (1 - BAND) * self._shared[tie]
        basis = "tied" if any(self._shared[one] >= least for one in others) else "clear"
        self.anchor[version] = anchor
        self.parent[version] = self._earlier[tie]
        self.tie[version] = tie
        self.rivals[version] = len(others)
        self.basis[version] = BASES.index(basis if others else "only")

    def _more(self, version: int, members: defaultdict[int, list[int]]) -> list[Pair]:
        """The anchors and shortest versions of stories that a version shares something with, where that is not known."""
        shared: defaultdict[int, int] = defaultdict(int)
        for tie in self._of[version]:
            if self._relation[tie] != FORM:
                story = int(self.anchor[self._earlier[tie]])
                shared[story] = max(shared[story], self._shared[tie])
        stories = nsmallest(TRIED_STORIES, shared, key=lambda story: (-shared[story], story))
        wanted = []
        for story in stories:
            short = nsmallest(SHORTEST, members[story], key=lambda one: (self.words[one], one))
            wanted += [(version, one) for one in (story, *short) if (version, one) not in self._known]
        return wanted


def _reach(
    compared: Compared, rows: NDArray[np.int64], of_found: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the first passage of each of some rows begins, and the last ends, in its query or found article."""
    edges = np.column_stack([compared.passage_offsets[rows], compared.passage_offsets[rows + 1]]).ravel()
    passages, reached = compared.passages, []
    for part, reduce in (("start", np.minimum.reduceat), ("end", np.maximum.reduceat)):
        sides = (getattr(passages, f"{side}_{part}") for side in ("query", "found"))
        query, found = (reduce(np.append(side, 0).astype(np.int64), edges)[::2] for side in sides)
        reached.append(np.where(of_found, found, query))
    return reached[0], reached[1]


def _measure(spans: list[Pair]) -> int:
    """How much some spans cover together."""
    covered, reached = 0, 0
    for start, end in sorted(spans):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered
