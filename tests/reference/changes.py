"""What one version changed of another, in words, slowly. The twin of `rust/src/changes.rs`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

MOVED_WORDS = 8
Places = list[tuple[int, int]]


def find_anchors(query: Sequence[int], found: Sequence[int]) -> Places:
    """The places of two words in a row that both texts have once: the longest chain of them that rises in both."""
    mine, theirs = ([tuple(side[at : at + 2]) for at in range(len(side) - 1)] for side in (query, found))
    common = [
        (here, theirs.index(pair))
        for here, pair in enumerate(mine)
        if mine.count(pair) == theirs.count(pair) == 1
    ]

    @cache
    def longest(number: int) -> int:
        """How many anchors the longest chain has that ends with this one."""
        return 1 + max(
            (longest(one) for one in range(number) if common[one][1] < common[number][1]), default=0
        )

    chain: Places = []
    # Of chains of one length, the one whose anchors stand earliest in the found text, from the last backwards.
    for wanted in range(max(map(longest, range(len(common))), default=0), 0, -1):
        fitting = [
            pair
            for number, pair in enumerate(common)
            if longest(number) == wanted
            and (not chain or (pair[0] < chain[-1][0] and pair[1] < chain[-1][1]))
        ]
        chain.append(min(fitting, key=lambda pair: pair[1]))
    return chain[::-1]


def extend(
    query: Sequence[int], found: Sequence[int], start: tuple[int, int], end: tuple[int, int]
) -> Places:
    """The places of equal words from a start on without a break, then from an end backwards."""
    (here, there), behind = start, []
    forward: Places = []
    while here < end[0] and there < end[1] and query[here] == found[there]:
        forward.append((here, there))
        here, there = here + 1, there + 1
    one, other = end[0] - 1, end[1] - 1
    while one >= here and other >= there and query[one] == found[other]:
        behind.append((one, other))
        one, other = one - 1, other - 1
    return forward + behind[::-1]


def align(query: Sequence[int], found: Sequence[int]) -> Places:
    """The places of equal words: both ends, between them the anchors, and what follows and goes before each without a break."""
    ends = extend(query, found, (0, 0), (len(query), len(found)))
    first = next(
        (number for number, (here, there) in enumerate(ends) if here != number or there != number), len(ends)
    )
    last = len(ends) - first
    inner, theirs = query[first : len(query) - last], found[first : len(found) - last]
    equal: Places = []
    start = (0, 0)
    for anchor in [*find_anchors(inner, theirs), (len(inner), len(theirs))]:
        equal += [*extend(inner, theirs, start, anchor), anchor]
        start = anchor[0] + 1, anchor[1] + 1
    middle = [(here + first, there + first) for here, there in equal[:-1]]
    return ends[:first] + middle + ends[first:]


def count_changes(query: Sequence[int], found: Sequence[int]) -> tuple[int, int, int, int]:
    """How many words of `query` are added, how many of `found` are cut, how many stand in the place of others, and how many are moved."""
    edges = [(-1, -1), *align(query, found), (len(query), len(found))]
    gaps = [(range(one[0] + 1, other[0]), range(one[1] + 1, other[1])) for one, other in pairwise(edges)]
    there = {
        tuple(found[at : at + MOVED_WORDS]): at
        for _, gap in gaps
        for at in gap
        if at + MOVED_WORDS <= gap.stop
    }
    ours, theirs = set[int](), set[int]()
    for gap, _ in gaps:
        for at in gap:
            place = there.get(tuple(query[at : at + MOVED_WORDS])) if at + MOVED_WORDS <= gap.stop else None
            if place is not None:
                ours.update(range(at, at + MOVED_WORDS))
                theirs.update(range(place, place + MOVED_WORDS))
    added = cut = reworded = 0
    for mine, others in gaps:
        more, less = len(set(mine) - ours), len(set(others) - theirs)
        added += max(0, more - less)
        cut += max(0, less - more)
        reworded += min(more, less)
    return added, cut, reworded, len(ours)
