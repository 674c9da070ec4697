"""What one version changed of another, in words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..comparison import align_words

MOVED_WORDS = 8
"""So many equal words in a row, elsewhere in the other text, are moved."""


def count_changes(query: Sequence[int], found: Sequence[int]) -> tuple[int, int, int, int]:
    """How many words of `query` are added, how many of `found` are cut, how many stand in the place of others, and how many are moved.

    Words are given by their hashes. One equal word alone between others is chance.
    """
    equal = align_words(query, found)
    near = {place for one, other in equal for place in ((one - 1, other - 1), (one + 1, other + 1))}
    edges = {(0, 0), (len(query) - 1, len(found) - 1)}
    places = [(-1, -1), *sorted(set(equal) & (near | edges)), (len(query), len(found))]
    gaps = [
        (range(one + 1, next_one), range(other + 1, next_other))
        for (one, other), (next_one, next_other) in pairwise(places)
        if next_one - one > 1 or next_other - other > 1
    ]
    runs = {
        tuple(found[at : at + MOVED_WORDS]): at
        for _, gap in gaps
        for at in range(gap.start, gap.stop - MOVED_WORDS + 1)
    }
    here, there = np.zeros(len(query), bool), np.zeros(len(found), bool)
    for gap, _ in gaps if runs else ():
        for at in range(gap.start, gap.stop - MOVED_WORDS + 1):
            place = runs.get(tuple(query[at : at + MOVED_WORDS]))
            if place is not None:
                here[at : at + MOVED_WORDS] = there[place : place + MOVED_WORDS] = True
    added = cut = reworded = 0
    for gap, other in gaps:
        more = len(gap) - int(here[gap.start : gap.stop].sum())
        less = len(other) - int(there[other.start : other.stop].sum())
        both = min(more, less)
        added, cut, reworded = added + more - both, cut + less - both, reworded + both
    return added, cut, reworded, int(here.sum())
