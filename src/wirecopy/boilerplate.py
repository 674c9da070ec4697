"""Which passages are too common to be copying.

The rule, for all nominating methods whose keys have places. A key is *common* if it occurs, with the words around it,
in `ARTICLES` articles or more. Two articles *agree* if the stretches of keys that they share (gaps up to
`AGREE_GAP_WORDS` words) cover `AGREE_SHARE` of one of them. A common key is suspected if `ARTICLES` of its holders agree
with fewer than half of the earlier holders that they were paired with; holders that share `FAMILY_SHARE` of both
articles are one family and count once. Then `EXAMPLES` of these strangers are compared,
each with the one before: unless half of these pairs turn out to be covered by `AGREE_SHARE` after all, or to share a
passage of more than `LONGEST_WORDS`, the key is boilerplate. In 5,000 reprints of one text hardly any is a stranger, so none of its keys is.

What stands around such a key in half of these articles is the formula: its 5-word shingles are
looked up in every article that is compared, gaps of up to `GAP_WORDS` words (a date, a name) are closed, and the
words so marked are left out before comparing. So they are in no passage, no coverage and no relation but `identical`.

How the constants were chosen: docs/boilerplate.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .model import Boilerplate, Tokens, count, shorten

ARTICLES = 8
AGREE_GAP_WORDS = 50
AGREE_SHARE = 0.7
FAMILY_SHARE = 0.7
SHINGLE_WORDS = 5
REACH_WORDS = 100
"""How far from a common key its formula can reach."""
EXAMPLES = 12
"""The most holders that are read to learn a formula."""
GAP_WORDS = 8
LONGEST_WORDS = 120
"""A longer passage is a copy, however many articles have it."""
NOTHING = Boilerplate(np.empty(0, np.uint64), GAP_WORDS)


@dataclass(frozen=True, slots=True)
class Rule:
    """The constants above, for a method whose keys count as `key_words` words each."""

    key_words: int
    articles: int = ARTICLES
    examples: int = EXAMPLES
    agree_gap_words: int = AGREE_GAP_WORDS
    agree_share: float = AGREE_SHARE
    family_share: float = FAMILY_SHARE


@dataclass(frozen=True, slots=True)
class Common:
    """Something that many articles have in common: its `holders`, and some of them as examples.

    `rows` are the examples, by rank or, once they are read, by row; `places` are the words at which each has it.
    """

    holders: NDArray[np.uint32]
    rows: NDArray[np.uint32]
    places: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Formula:
    """One piece of boilerplate: in how many articles it occurs, and how it reads in one of them.

    `sources` is in how many articles of each source, if sources are known.
    """

    articles: int
    example: str
    article: str
    sources: Mapping[str, int] = field(default_factory=dict, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The formula as its public JSON object."""
        known = {"articles": self.articles, "example": self.example, "article": self.article}
        return {**known, "sources": dict(self.sources)} if self.sources else known


@dataclass(frozen=True, slots=True)
class Learnt:
    """What a collection teaches: the boilerplate that comparisons leave out, and the formulas for people to see.

    `names` are, for each nominating method, the names of the common keys that are boilerplate, sorted; `varying` are those of the
    slots that its forms fill in anew.
    """

    known: Boilerplate = NOTHING
    names: Mapping[str, NDArray[np.uint64]] = field(default_factory=dict)
    formulas: Sequence[Formula] = ()
    varying: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))

    def __repr__(self) -> str:
        first = f", such as {shorten(self.formulas[0].example, 60)!r}" if self.formulas else ""
        return f"<Learnt: {count(len(self.formulas), 'formula')}{first}>"


def unite(parts: Sequence[Learnt]) -> Learnt:
    """What several collections teach, for a comparison of articles of either."""
    shingles = np.concatenate([NOTHING.shingles, *(part.known.shingles for part in parts)])
    varying = np.concatenate([np.empty(0, np.uint64), *(part.varying for part in parts)])
    return Learnt(replace(NOTHING, shingles=np.unique(shingles)), varying=np.unique(varying))


def learn(tokens: Tokens, commons: Sequence[Common], known: Boilerplate) -> Boilerplate:
    """The known boilerplate with the shingles of these formulas added, whose examples are rows of `tokens`."""
    found = [
        _core.common_shingles(
            tokens, common.rows, common.places, reach_words=REACH_WORDS, least=len(common.rows) // 2
        )
        for common in commons
    ]
    return replace(known, shingles=np.unique(np.concatenate([known.shingles, *found])))


def describe(
    tokens: Tokens,
    commons: Sequence[Common],
    known: Boilerplate,
    ids: Sequence[str],
    text_of: Callable[[int], str],
    count_sources: Callable[[NDArray[np.uint32]], Mapping[str, int]],
) -> list[Formula]:
    """The formulas for people to see, the most common first.

    `ids` and `text_of` give the ids and texts of rows, `count_sources` how many of some holders are of each source.
    """
    assert tokens.starts is not None
    assert tokens.ends is not None
    marks = _core.mark_boilerplate(tokens, known)
    formulas: list[Formula] = []
    seen: set[int] = set()
    for common in sorted(
        commons, key=lambda common: (-len(common.holders), ids[common.rows[0]], common.places[0])
    ):
        row = int(common.rows[0])
        first, last = (int(edge) for edge in tokens.offsets[row : row + 2])
        place = first + int(common.places[0])
        low, high = max(first, place - REACH_WORDS), min(last, place + REACH_WORDS)
        near = low + np.flatnonzero(marks[low:high])
        if not len(near):
            continue
        start = end = int(near[np.argmin(np.abs(near - place))])
        while start > first and marks[start - 1]:
            start -= 1
        while end < last and marks[end]:
            end += 1
        words = tokens.hashes[start:end].tolist()
        runs = {
            hash(tuple(words[i : i + SHINGLE_WORDS])) for i in range(max(1, len(words) - SHINGLE_WORDS + 1))
        }
        if runs.isdisjoint(seen):
            example = text_of(row)[int(tokens.starts[start]) : int(tokens.ends[end - 1])]
            sources = count_sources(common.holders)
            formulas.append(Formula(len(common.holders), example, ids[row], sources))
        seen |= runs
    return formulas
