"""Windows over sentence lengths, slowly: the twin of `rust/src/lengths.rs`.

From Chang, Wang 2008, section 3: "a numeric sequence representing the number of words in sentences", "a sliding window is
used to extract feature vectors", "the minimum number of contiguously matched sub-sequences". That the last window ends the
article, and what follows what when windows were left out, is as the counts of its table 1 and common sense say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Lengths = Sequence[int]


def feature_string(text: str, delimiters: str, stopwords: str = "") -> list[int]:
    """The words between two delimiters, counted; where there never were any, there is no sentence."""
    lengths = []
    for part in re.split(f"[{re.escape(delimiters)}]", text):
        if words := re.findall(r"[^\W_]+", part.lower()):
            lengths.append(sum(word not in stopwords.split() for word in words))
    return lengths


def is_repetition(lengths: Lengths, start: int, step: int) -> bool:
    """Whether the SW elements at `start` equal those in front of them and those behind them."""
    if start - step < 0 or start + 2 * step > len(lengths):
        return False
    before, leading, after = (lengths[at : at + step] for at in (start - step, start, start + step))
    return before == leading == after


def filed(lengths: Lengths, window: int, step: int, dynamic: bool) -> list[int]:
    """Where the indexed windows start."""
    last = len(lengths) - window
    starts = sorted({*range(0, last, step), last}) if last >= 0 else []
    return [start for start in starts if not (dynamic and is_repetition(lengths, start, step))]


def vectors(lengths: Lengths, starts: Sequence[int], window: int) -> list[tuple[int, ...]]:
    return [tuple(lengths[start : start + window]) for start in starts]


def match(
    query: Lengths, found: Lengths, window: int, step: int, dynamic: bool, contiguous: int
) -> tuple[set[int], set[int]]:
    """The windows of the query and of the found article that match, by their starts.

    Every offset of one against the other is tried, and the indexed windows are read from left to right.
    """
    in_query: set[int] = set()
    in_found: set[int] = set()
    starts = filed(found, window, step, dynamic)
    for offset in range(-len(found), len(query) + 1):
        run: list[int] = []
        for start in [*starts, None]:
            if start is not None and equal(query, start + offset, found, start, window):
                run.append(start)
                continue
            if len(run) >= contiguous:
                in_found.update(run)
                in_query.update(start + offset for start in run)
            run = []
    return in_query, in_found


def equal(query: Lengths, here: int, found: Lengths, there: int, window: int) -> bool:
    return 0 <= here <= len(query) - window and (query[here : here + window] == found[there : there + window])
