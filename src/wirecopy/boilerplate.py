"""Which passages are too common to be copying.

The rule, for all nominating methods whose keys have places. A key is *common* if it stands, with the words around it,
in `ARTICLES` articles or more. Two articles *agree* if the stretches of keys that they share (gaps up to
`AGREE_GAP_WORDS` words) cover `AGREE_SHARE` of one of them. A common key is suspected if `ARTICLES` of its holders agree
with fewer than half of the earlier holders that they were paired with. Then `EXAMPLES` of these strangers are compared,
each with the one before: unless half of these pairs turn out to be covered by `AGREE_SHARE` after all, the key is
boilerplate. In 5,000 reprints of one text hardly any is a stranger, so none of its keys is.

What stands around such a key in half of these articles is the formula: its 5-word shingles are
looked up in every article that is compared, gaps of up to `GAP_WORDS` words (a date, a name) are closed, and the
words so marked are left out before comparing. So they are in no passage, no coverage and no relation but `identical`.

How the constants were chosen: ARCHITECTURE.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import _core
from .model import Tokens

ARTICLES = 8
AGREE_GAP_WORDS = 50
AGREE_SHARE = 0.5
SHINGLE_WORDS = 5
REACH_WORDS = 100
"""How far from a common key its formula can go on."""
EXAMPLES = 16
"""Holders that are read to learn a formula."""
GAP_WORDS = 8


@dataclass(frozen=True, slots=True)
class Common:
    """Something that many articles have in common: the `holders`, and some of them as examples.

    `ranks` are the examples, `places` the word at which each of them has it.
    """

    holders: NDArray[np.uint32]
    ranks: NDArray[np.uint32]
    places: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Formula:
    """One piece of boilerplate: in how many articles it stands, and how it reads in one of them."""

    articles: int
    example: str
    article: str


def learn_shingles(tokens: Tokens, commons: Sequence[Common]) -> NDArray[np.uint64]:
    """The shingles of all formulas; the rows of `tokens` are the articles of `commons`, one after another."""
    found, start = [], 0
    for common in commons:
        end = start + len(common.ranks)
        words = slice(tokens.offsets[start], tokens.offsets[end])
        found.append(
            _core.common_shingles(
                tokens.hashes[words],
                tokens.offsets[start : end + 1] - tokens.offsets[start],
                None if tokens.halves is None else tokens.halves[words],
                common.places,
                SHINGLE_WORDS,
                REACH_WORDS,
                len(common.ranks) // 2,
            )
        )
        start = end
    return np.unique(np.concatenate(found))


def mark(tokens: Tokens, shingles: NDArray[np.uint64]) -> NDArray[np.uint8] | None:
    """1 for every word of boilerplate; None where there is none to look for."""
    if not len(shingles):
        return None
    return _core.mark_boilerplate(
        tokens.hashes, tokens.offsets, tokens.halves, shingles, SHINGLE_WORDS, GAP_WORDS
    )


def describe(
    tokens: Tokens,
    commons: Sequence[Common],
    shingles: NDArray[np.uint64],
    ids: Sequence[str],
    text_of: Callable[[int], str],
) -> list[Formula]:
    """The formulas for people to see, the most common first; arguments as in `learn_shingles`."""
    marks = mark(tokens, shingles)
    assert tokens.starts is not None
    assert tokens.ends is not None
    assert marks is not None
    rows = np.cumsum([0] + [len(common.ranks) for common in commons])[:-1].tolist()
    formulas: list[Formula] = []
    seen: set[int] = set()
    for common, row in sorted(
        zip(commons, rows, strict=True), key=lambda pair: (-len(pair[0].holders), pair[1])
    ):
        first, last = (int(edge) for edge in tokens.offsets[row : row + 2])
        start = end = first + int(common.places[0])
        while start > first and marks[start - 1]:
            start -= 1
        while end < last and marks[end]:
            end += 1
        words = tokens.hashes[start:end].tolist()
        runs = {
            hash(tuple(words[i : i + SHINGLE_WORDS])) for i in range(max(1, len(words) - SHINGLE_WORDS + 1))
        }
        if end > start and runs.isdisjoint(seen):
            example = text_of(row)[int(tokens.starts[start]) : int(tokens.ends[end - 1])]
            formulas.append(Formula(len(common.holders), example, ids[row]))
        seen |= runs
    return formulas
