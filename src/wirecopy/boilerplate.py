"""Which passages are too common to be copying.

The rule, for all nominating methods whose keys have places. A key is *common* if it stands, with the words around it,
in `COMMON_HOLDERS` articles or more. Two articles *agree* if the stretches between the keys they share (gaps up to
`AGREE_GAP_WORDS`) cover `AGREE_SHARE` of one of them; articles that agree are one family. A common key held by
`BOILERPLATE_FAMILIES` families or more is boilerplate: many articles have it that otherwise differ. A text reprinted
5,000 times is one family and never boilerplate.

What stands around such a key in half of its holders, one of each family, is the formula: its 5-word shingles are
looked up in every article that is compared, gaps of up to `GAP_WORDS` words (a date, a name) are closed, and the
words so marked are left out before comparing. So they are in no passage, no coverage and no relation but `identical`.

How the constants were chosen: ARCHITECTURE.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import _core
from .model import Tokens

COMMON_HOLDERS = 8
BOILERPLATE_FAMILIES = 8
AGREE_GAP_WORDS = 50
AGREE_SHARE = 0.5
SHINGLE_WORDS = 5
REACH_WORDS = 100
"""How far from a common key its formula can go on."""
EXAMPLES = 16
"""Holders that are read to learn a formula."""
GAP_WORDS = 8


@dataclass(frozen=True, slots=True)
class Formula:
    """One piece of boilerplate: in how many articles it stands, and how it reads in one of them."""

    articles: int
    example: str
    article: str


def learn_shingles(tokens: Tokens, groups: Sequence[tuple[int, int]], places: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """The shingles of formulas: rows `start:end` of each group hold one common key, row i at word `places[i]`."""
    found = []
    for start, end in groups:
        words = slice(tokens.offsets[start], tokens.offsets[end])
        found.append(
            _core.common_shingles(
                tokens.hashes[words],
                tokens.offsets[start : end + 1] - tokens.offsets[start],
                None if tokens.halves is None else tokens.halves[words],
                places[start:end],
                SHINGLE_WORDS,
                REACH_WORDS,
                max(BOILERPLATE_FAMILIES // 2, (end - start) // 2),
            )
        )
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.uint64)


def mark(tokens: Tokens, shingles: NDArray[np.uint64]) -> NDArray[np.uint8] | None:
    """1 for every word of boilerplate; None where there is none to look for."""
    if not len(shingles):
        return None
    return _core.mark_boilerplate(tokens.hashes, tokens.offsets, tokens.halves, shingles, SHINGLE_WORDS, GAP_WORDS)
