"""One of each: which articles may be left out, since one that is kept covers them.

An article is left out only for one that is kept and covers the share of it that makes a copy; never across forms. The longest come first
(or, where two cover each other, the earliest), and each is kept unless one before it covers it. Pairs of kept articles that links did not
write out are compared, until none of them covers another; those that have hardly a word sequence in common are not asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .ties import FORM, Ask, Grouped, Pair, Ties, close, tie_versions

KEEP = ("longest", "earliest")
ALIKE = 0.2
"""A pair is asked for if it has this share of the word sequences of the shorter: a tenth of the words edited leave three quarters."""
FEWEST = 8
"""Of a text with fewer sequences nothing can be said so."""
ROUNDS = 10

Sequences = Callable[[Sequence[int]], Sequence[NDArray[np.uint64]]]
"""Some of the word sequences of articles, the same in all, by rank."""


@dataclass(frozen=True, slots=True)
class Covering:
    """For each article by rank: the one for which it is left out, itself if it is kept; and the share of it that this covers."""

    keeper: NDArray[np.int64]
    covered: NDArray[np.float64]
    asked: int


def cover(
    grouped: Grouped, words: NDArray[np.int64], share: float, keep: str, ask: Ask, sequences: Sequences
) -> Covering:
    """Which articles are left out for which, where `share` of an article makes a copy."""
    articles = len(grouped.version)
    ties = grouped.ties
    family = close(articles, ties.later.astype(np.uint32), ties.earlier.astype(np.uint32))
    covers = _Covers(share)
    covers.note(ties)
    asked = 0
    while True:
        keeper = covers.decide(words, keep)
        left = np.unique(np.concatenate([ties.later, ties.earlier])).tolist()
        wanted = sorted(
            _ask_for([one for one in left if one not in keeper], family, grouped, covers, sequences)
        )
        if not wanted:
            break
        later, earlier = (np.array(side, np.uint32) for side in zip(*wanted, strict=True))
        everyone = np.arange(articles)
        covers.known.update(wanted)
        covers.note(tie_versions(everyone, np.zeros(articles, bool), later, earlier, ask(later, earlier)))
        asked += len(wanted)
    whose = np.array([keeper.get(one, one) for one in range(articles)])[grouped.version]
    return _verify(whose, grouped.version, share, ask, asked)


def _verify(
    keeper: NDArray[np.int64], version: NDArray[np.int64], share: float, ask: Ask, asked: int
) -> Covering:
    """The same, but that each article is compared with the one that it is left out for: by its own date it may be a form of that.

    Then it is kept, or the first with its text is.
    """
    one = np.flatnonzero(version[keeper] != version)
    other = keeper[one]
    pairs = (side(one, other).astype(np.uint32) for side in (np.maximum, np.minimum))
    compared = ask(*pairs)
    is_later = one > other
    covered = np.where(is_later, compared.query_covered, compared.found_covered)
    is_wrong = (compared.relation < 0) | (compared.relation == FORM) | (covered < share)
    shares = np.ones(len(keeper))
    shares[one] = covered
    wrong = one[is_wrong]
    _, firsts, places = np.unique(version[wrong], return_index=True, return_inverse=True)
    kept = keeper.copy()
    kept[wrong], shares[wrong] = wrong[firsts[places]], 1
    return Covering(kept, shares, asked + len(one))


class _Covers:
    """Which versions cover which, as far as it is known."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.known: set[Pair] = set()
        self.by: defaultdict[int, dict[int, float]] = defaultdict(dict)
        """What covers each version, and which share of it."""

    def note(self, ties: Ties) -> None:
        columns = ties.later, ties.earlier, ties.relation, ties.covered, ties.parent_covered
        for later, earlier, relation, covered, parent_covered in zip(
            *(c.tolist() for c in columns), strict=True
        ):
            self.known.add((later, earlier))
            if relation != FORM and covered >= self.share:
                self.by[later][earlier] = covered
            if relation != FORM and parent_covered >= self.share:
                self.by[earlier][later] = parent_covered

    def decide(self, words: NDArray[np.int64], keep: str) -> dict[int, int]:
        """What is left out, and for which kept version."""
        last: set[int] = set()
        if keep == "earliest":
            last = {
                one for one, by in self.by.items() if any(one not in self.by.get(other, ()) for other in by)
            }

        def place(one: int) -> tuple[bool, int, int]:
            return one in last, 0 if keep == "earliest" and one not in last else -int(words[one]), one

        for _ in range(ROUNDS):
            keeper: dict[int, int] = {}
            everyone = {*self.by, *(other for by in self.by.values() for other in by)}
            done: set[int] = set()
            for one in sorted(everyone, key=place):
                mine = [other for other in self.by.get(one, ()) if other in done and other not in keeper]
                if mine:
                    keeper[one] = max(mine, key=lambda other: (self.by[one][other], -other))
                done.add(one)
            covered = {
                one
                for one in everyone
                if one not in keeper and any(other not in keeper for other in self.by.get(one, ()))
            }
            if covered <= last:
                break
            last |= covered
        return keeper


def _ask_for(
    kept: Iterable[int], family: NDArray[np.int64], grouped: Grouped, covers: _Covers, sequences: Sequences
) -> set[Pair]:
    """The pairs of kept versions of one family that may cover each other and that are not known."""
    families: defaultdict[int, list[int]] = defaultdict(list)
    for one in kept:
        if not grouped.is_placeholder[one]:
            families[int(family[one])].append(one)
    wanted: set[Pair] = set()
    for members in families.values():
        pairs = [
            (later, earlier)
            for earlier, later in combinations(members, 2)
            if (later, earlier) not in covers.known
            and (grouped.series[later] < 0 or grouped.series[later] != grouped.series[earlier])
        ]
        if pairs:
            some = sorted({one for pair in pairs for one in pair})
            held = {one: set(mine.tolist()) for one, mine in zip(some, sequences(some), strict=True)}
            wanted |= {pair for pair in pairs if _alike(held[pair[0]], held[pair[1]])}
    return wanted


def _alike(one: set[int], other: set[int]) -> bool:
    fewest = min(len(one), len(other))
    return fewest < FEWEST or len(one & other) >= ALIKE * fewest
