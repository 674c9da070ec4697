"""Resemblance of shingle sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import UsageError
from ..model import Tokens
from ..statistics import Statistics
from . import LARGEST, LONGEST, Similarity, Sketches, jaccard, shared_at


@dataclass(frozen=True)
class Resemblance(Similarity):
    """Resemblance of shingle sets: what both have, of what either has.

    Broder 1997, as Gibson, Wellner, Lubar 2008 use it in CEDAR: two articles are duplicates of each other where |A ∩ B| / |A ∪ B| of their distinct
    shingles of `shingle_words` words is at least `threshold`. Guarantees every such pair. Files a key for every distinct shingle, about one a word;
    common phrases are keys too, unless they are left out. Blind to a short article inside a long one, which resembles it little.

    CEDAR tries 1 to 10 words and finds 2 best, with 0.4 as the threshold, or 0.35 where the most frequent shingles are left out.

    - `leave_out_share` leaves out that share of the distinct shingles, those in the most articles (CEDAR tries up to
      0.1, and takes 0.05). Shingles in equally many articles stay or go together: where not all of them fit into the share,
      they stay. So never more than the share is left out, and the answer does not depend on the order of the articles.
    - `most_articles` leaves out shingles that are in so many articles or more (Broder, Glassman, Manasse, Zweig 1997: 1000); 0 leaves
      out none.
    - `modulus` keeps only shingles whose hash it divides (Broder, Glassman, Manasse, Zweig 1997: 25), and resemblance is that of what is kept:
      fewer keys, at the price of an estimate. An article of which nothing is kept resembles none.
    - `shingle_characters`, if not 0, makes shingles of so many characters in place of `shingle_words` words, as CEDAR proposes for
      scripts without spaces: of the words as they are compared, without what stands between them.

    An article shorter than a shingle is one shingle as a whole.
    """

    shingle_words: int = 2
    threshold: float = 0.4
    leave_out_share: float = 0.0
    most_articles: int = 0
    modulus: int = 1
    shingle_characters: int = 0

    paper: ClassVar[str] = "Broder 1997; Gibson, Wellner, Lubar 2008"
    mutual: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (
            1 <= self.shingle_words <= LONGEST
            and 0 <= self.shingle_characters <= LONGEST
            and 0 < self.threshold <= 1
            and 0 <= self.leave_out_share < 1
            and self.most_articles >= 0
            and 1 <= self.modulus <= LARGEST
        ):
            raise UsageError(
                f"resemblance: expected shingle_words from 1 and shingle_characters from 0 to {LONGEST}, 0 < threshold <= 1, "
                "0 <= leave_out_share < 1, most_articles from 0 and modulus from 1 to 2^64 - 1, got "
                f"{self.shingle_words}, {self.shingle_characters}, {self.threshold}, {self.leave_out_share}, "
                f"{self.most_articles} and {self.modulus}"
            )

    @property
    def spells_words(self) -> bool:
        """Whether shingles are of characters."""
        return self.shingle_characters > 0

    def sketch(self, tokens: Tokens, statistics: Statistics | None = None) -> Sketches:
        """The distinct shingles that are kept."""
        if self.shingle_characters:
            return Sketches.of(*_core.character_sets(tokens, self.shingle_characters, self.modulus))
        return Sketches.of(*_core.shingle_sets(tokens, self.shingle_words, modulus=self.modulus))

    @property
    def compares_keys(self) -> bool:
        """Whether a share of the shingles is left out."""
        return self.leave_out_share > 0

    def common(self, occurrences: NDArray[np.int64], articles: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Shingles in too many articles, and the most frequent ones."""
        left_out = articles >= self.most_articles if self.most_articles else np.zeros(len(articles), bool)
        if fitting := int(len(articles) * self.leave_out_share + 1e-9):
            first_not_to_fit = len(articles) - 1 - fitting
            left_out |= articles > np.partition(articles, first_not_to_fit)[first_not_to_fit]
        return left_out

    def similarity(self, query: Sketches, found: Sketches) -> NDArray[np.float64]:
        """The resemblance."""
        return jaccard(query, found)

    def least_shared(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """How many shingles are shared where the resemblance is `threshold`."""
        return shared_at(totals, self.threshold)
