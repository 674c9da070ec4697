"""Shingles of shingles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import UsageError
from ..model import Tokens
from ..statistics import Statistics
from . import LARGEST, LONGEST, Method, Scores, Sketches, count_shared

MOST_MINIMA = 4096


@dataclass(frozen=True)
class Supershingles(Method):
    """Shingles of the shingles that a sketch keeps: one or two in common make near-duplicates.

    Broder, Glassman, Manasse, Zweig 1997, who bring them up, and Fetterly, Manasse, Najork 2003, whose numbers are the defaults: of the shingles of `shingle_words` words the `minima`
    under as many random orders are kept, every `supershingle_length` of them in turn are a supershingle, and pairs that share `min_common`
    supershingles are near-duplicates. Guarantees every pair that does; whether a pair does is chance, for resemblance r the chance that a
    supershingle is shared is r to the power of `supershingle_length`: with the defaults 88 % of pairs at r = 0.95 are taken, 42 % at 0.9 and 3 % at 0.8.
    Files `minima / supershingle_length` keys an article, 6 by default. Blind to anything less alike, such as an article inside another.

    With `minima` 0 it is what Gibson, Wellner, Lubar 2008 describe: the sketch is the shingles whose hash `modulus` divides (25), it is sorted, and every run of
    `supershingle_length` of it is a supershingle; there `min_common` is 1. Neither they nor the paper of 1997 give the
    length, and an article of a hundred words keeps four shingles: an article that keeps fewer than
    `supershingle_length` has no key. That is why it is not the default.

    The minima are those of `minhash`. An article shorter than a shingle is one shingle as a whole. The score is the share of each
    article's distinct supershingles that the other has, the rank how many they share.
    """

    shingle_words: int = 5
    minima: int = 84
    modulus: int = 25
    supershingle_length: int = 14
    min_common: int = 2

    paper: ClassVar[str] = "Broder, Glassman, Manasse, Zweig 1997; Fetterly, Manasse, Najork 2003"
    mutual: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (
            1 <= self.shingle_words <= LONGEST
            and 0 <= self.minima <= MOST_MINIMA
            and 1 <= self.modulus <= LARGEST
            and 1 <= self.supershingle_length <= LONGEST
            and 1 <= self.min_common <= LONGEST
        ):
            raise UsageError(
                f"supershingles: expected shingle_words and supershingle_length from 1 to {LONGEST}, minima from 0 to "
                f"{MOST_MINIMA}, modulus from 1 to 2^64 - 1 and min_common from 1 to {LONGEST}, got {self.shingle_words}, "
                f"{self.supershingle_length}, {self.minima}, {self.modulus} and {self.min_common}"
            )
        if self.minima and self.minima < self.supershingle_length * self.min_common:
            raise UsageError(
                f"supershingles: expected minima for at least {self.min_common} supershingles of "
                f"{self.supershingle_length}, got {self.minima}"
            )

    def sketch(self, tokens: Tokens, statistics: Statistics | None = None) -> Sketches:
        """The distinct supershingles."""
        if self.minima:
            minima, offsets = _core.signatures(tokens, self.shingle_words, self.minima)
            shingles, step = Tokens(minima.astype(np.uint64), offsets), self.supershingle_length
        else:
            shingles = Tokens(*_core.shingle_sets(tokens, self.shingle_words, modulus=self.modulus))
            step = 1
        supershingles = _core.shingle_sets(shingles, self.supershingle_length, step_words=step, whole=False)
        return Sketches.of(*supershingles)

    def score(self, query: Sketches, found: Sketches) -> Scores:
        """The share of each article's supershingles that the other has, and how many they share."""
        shared, in_query, in_found = count_shared(query, found)
        return Scores(
            shared / np.maximum(in_query, 1), shared / np.maximum(in_found, 1), shared.astype(np.float64)
        )

    def least_shared(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """`min_common`, whatever the article."""
        return np.full_like(totals, self.min_common)

    def accepts(self, scores: Scores) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Both ways, where at least `min_common` are shared."""
        enough = scores.rank >= self.min_common
        return enough, enough
