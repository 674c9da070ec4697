"""Winnowed word shingles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import UsageError
from ..model import Tokens
from ..statistics import Statistics
from . import Keys, Method, Scores

LONGEST = 65536


@dataclass(frozen=True)
class Winnowing(Method):
    """The smallest shingle of words of every window.

    Schleimer, Wilkerson, Aiken 2003. Guarantees that two articles that share a run of `shingle_words + window_words - 1` words share a key. Files about
    2 / (window_words + 1) keys a word. Blind to copies in which no run of `shingle_words` words survives: heavy
    paraphrase, translation.

    The paper has no threshold for whole documents; `contained` is ours: the share of one article's keys that the
    other must have.
    """

    shingle_words: int = 5
    window_words: int = 16
    contained: float = 0.5

    paper: ClassVar[str] = "Schleimer, Wilkerson, Aiken 2003"

    def __post_init__(self) -> None:
        if not (
            1 <= self.shingle_words <= LONGEST
            and 1 <= self.window_words <= LONGEST
            and 0 < self.contained <= 1
        ):
            raise UsageError(
                f"winnowing: expected shingle_words and window_words from 1 to {LONGEST} and 0 < contained <= 1, got "
                f"{self.shingle_words}, {self.window_words} and {self.contained}"
            )

    @property
    def guaranteed_words(self) -> int:
        """Every common run of so many words makes a pair a candidate."""
        return self.shingle_words + self.window_words - 1

    def sketch(self, tokens: Tokens, statistics: Statistics | None = None) -> Keys:
        """The winnowed shingles, with their places."""
        return Keys(
            *_core.winnow(tokens.hashes, tokens.offsets, tokens.halves, self.shingle_words, self.window_words)
        )

    def keys(self, sketches: Keys) -> Keys:
        """The shingles themselves."""
        return sketches

    def score(self, query: Keys, found: Keys, common: NDArray[np.uint64] | None = None) -> Scores:
        """Share of each article's distinct keys that the other has."""
        shared = _core.count_shared(query.values, query.offsets, found.values, found.offsets)
        in_found, in_query = (
            shared / np.maximum(_core.count_shared(side.values, side.offsets, side.values, side.offsets), 1)
            for side in (query, found)
        )
        return Scores(in_found, in_query, np.maximum(in_found, in_query))

    def accepts(self, scores: Scores) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Either share reaches `contained`."""
        return scores.query_in_found >= self.contained, scores.found_in_query >= self.contained
