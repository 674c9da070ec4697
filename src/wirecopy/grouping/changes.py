"""What one version changed of another, in words.

Two texts are laid side by side at the pairs of words that each has once, as many of these as stand in one order in both, and from there
on as far as the words are equal. What lies between is added, cut, or stands in the place of something else; but a stretch of
`MOVED_WORDS` words or more that both have, each in such a gap, was moved.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

MOVED_WORDS = 8

Words = NDArray[np.uint64]
Places = NDArray[np.int64]
_MIX = np.uint64(0x9E3779B97F4A7C15)


def count_changes(query: Words, found: Words) -> tuple[int, int, int, int]:
    """How many words of `query` are added, how many of `found` are cut, how many stand in the place of others, and how many are moved.

    Words are given by their hashes.
    """
    here, there = _align(query, found)
    edges = np.concatenate([[-1], here, [len(query)]]), np.concatenate([[-1], there, [len(found)]])
    more, less = (np.diff(side) - 1 for side in edges)
    moved = 0
    if more.max(initial=0) >= MOVED_WORDS and less.max(initial=0) >= MOVED_WORDS:
        ours, theirs = _find_moved(query, found, edges)
        moved = int(ours.sum())
        more, less = (_count_left(side, marks) for side, marks in zip(edges, (ours, theirs), strict=True))
    both = np.minimum(more, less)
    return int((more - both).sum()), int((less - both).sum()), int(both.sum()), moved


def _align(query: Words, found: Words) -> tuple[Places, Places]:
    """The places of words that are the same in both, in order."""
    here, there = _find_anchors(query, found)
    here = np.concatenate([[-1], here, [len(query)]])
    there = np.concatenate([[-1], there, [len(found)]])
    shift = there - here
    place = np.arange(len(query))
    before = np.searchsorted(here, place, "right") - 1
    # Forward from the anchor before, without a break.
    reached = place + shift[before]
    same = (reached < there[before + 1]) & (reached >= 0)
    same[same] = query[same] == found[reached[same]]
    broken = np.maximum.accumulate(np.where(same, -1, place)) if len(place) else place
    forward = same & (broken <= here[before])
    last = np.maximum.accumulate(np.where(forward, place, here[before]))
    # Backward from the anchor behind, as far as that leaves free.
    reaching = place + shift[before + 1]
    same = (reaching > last + shift[before]) & (reaching < len(found)) & (reaching >= 0) & ~forward
    same[same] = query[same] == found[reaching[same]]
    breaks = np.where(same, len(query), place)[::-1]
    broken = np.minimum.accumulate(breaks)[::-1] if len(place) else place
    backward = same & (broken >= here[before + 1])
    is_equal = forward | backward
    return place[is_equal], np.where(forward, reached, reaching)[is_equal]


def _find_anchors(query: Words, found: Words) -> tuple[Places, Places]:
    """The places of pairs of words that both texts have once, as many as there are in order in both."""
    (mine, here), (others, there) = _once(query), _once(found)
    if not len(mine) or not len(others):
        return here[:0], there[:0]
    at = np.minimum(np.searchsorted(others, mine), len(others) - 1)
    is_common = others[at] == mine
    here, there = here[is_common], there[at[is_common]]
    order = np.argsort(here)
    here, there = here[order], there[order]
    if (there[1:] > there[:-1]).all():
        return here, there
    kept = _longest_rising(there.tolist())
    return here[kept], there[kept]


def _once(words: Words) -> tuple[Words, Places]:
    """The pairs of words that a text has once, sorted, and their places."""
    pairs = words[:-1] * _MIX + words[1:]
    order = np.argsort(pairs)
    pairs = pairs[order]
    differs = np.ones(len(pairs) + 1, bool)
    np.not_equal(pairs[1:], pairs[:-1], out=differs[1:-1])
    once = differs[1:] & differs[:-1] if len(pairs) else differs[:0]
    return pairs[once], order[once]


def _longest_rising(values: list[int]) -> list[int]:
    """The places of as many values as rise from each to the next."""
    lasts: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for place, value in enumerate(values):
        at = bisect_left(lasts, value)
        lasts[at : at + 1] = [value]
        ends[at : at + 1] = [place]
        before.append(ends[at - 1] if at else -1)
    chain = []
    place = ends[-1]
    while place >= 0:
        chain.append(place)
        place = before[place]
    return chain[::-1]


def _find_moved(
    query: Words, found: Words, edges: tuple[Places, Places]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which words of both are moved."""
    starts = []
    for side in edges:
        gaps = np.flatnonzero(np.diff(side) > MOVED_WORDS)
        pairs = zip(side[gaps].tolist(), side[gaps + 1].tolist(), strict=True)
        starts.append([at for low, high in pairs for at in range(low + 1, high - MOVED_WORDS + 1)])
    runs = {found[at : at + MOVED_WORDS].tobytes(): at for at in starts[1]}
    ours, theirs = np.zeros(len(query), bool), np.zeros(len(found), bool)
    for at in starts[0]:
        place = runs.get(query[at : at + MOVED_WORDS].tobytes())
        if place is not None:
            ours[at : at + MOVED_WORDS] = theirs[place : place + MOVED_WORDS] = True
    return ours, theirs


def _count_left(edges: Places, moved: NDArray[np.bool_]) -> Places:
    """How many words between edges are not moved."""
    before: Places = np.concatenate([[0], np.cumsum(~moved)])
    return before[edges[1:]] - before[edges[:-1] + 1]
