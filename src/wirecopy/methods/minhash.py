"""Estimated resemblance of shingle sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import UsageError
from ..model import Tokens
from ..statistics import Statistics
from . import LONGEST, Keys, Similarity, Sketches

MOST_VALUES = 4096
RECALL = 0.99
"""The least probability that a pair whose resemblance is the threshold shares a key."""


@dataclass(frozen=True)
class Minhash(Similarity):
    """Resemblance of shingle sets, estimated from signatures of equal length.

    Broder 1997: the smallest shingle under a random order is the same in two articles with the probability of their
    resemblance, so the share of `signature_values` such minima that agree estimates it, with a
    standard deviation of sqrt(r (1 - r) / signature_values). Every shingle counts, wherever it stands and however short the article is.
    Approximate twice over: the estimate errs on either side of `threshold`, and a pair is looked at only if all values of
    one band agree. Bands are cut from the threshold, so that a pair that resembles just that much shares one with a probability of at
    least 0.99; `recall_curve` has the rest. Files a key a band, 70 by default, whatever the length of the article.
    Blind to a short article inside a long one, which resembles it little.

    The minima are drawn by Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup 2017): unbiased and as sharp as independent
    orders, in time that hardly grows with their number. Values have 32 bits. There is no seed: signatures of the same scheme (1)
    and length can always be compared. Shingles of 2 words and the threshold are those of `resemblance`. An article shorter than a shingle is one shingle
    as a whole; one without words resembles nothing.
    """

    shingle_words: int = 2
    threshold: float = 0.4
    signature_values: int = 256

    paper: ClassVar[str] = "Broder 1997"
    approximate: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (
            1 <= self.shingle_words <= LONGEST
            and 0 < self.threshold <= 1
            and 1 <= self.signature_values <= MOST_VALUES
        ):
            raise UsageError(
                f"minhash: expected shingle_words from 1 to {LONGEST}, 0 < threshold <= 1 and signature_values from 1 to "
                f"{MOST_VALUES}, got {self.shingle_words}, {self.threshold} and {self.signature_values}"
            )
        if (needed := bands_for(self.threshold, 1)) > self.signature_values:
            raise UsageError(
                f"minhash: expected at least {needed} signature_values for a threshold of {self.threshold}, "
                f"got {self.signature_values}"
            )

    @property
    def bands(self) -> tuple[int, int]:
        """The number of bands and the values of each: the longest bands of which enough fit into a signature."""
        return next(
            (bands, length)
            for length in range(self.signature_values, 0, -1)
            if (bands := bands_for(self.threshold, length)) * length <= self.signature_values
        )

    def recall_curve(self) -> list[tuple[float, float]]:
        """Pairs of a resemblance and the probability that such a pair shares a key."""
        bands, length = self.bands
        return [(step / 20, 1 - (1 - (step / 20) ** length) ** bands) for step in range(21)]

    def sketch(self, tokens: Tokens, statistics: Statistics | None = None) -> Sketches:
        """The signatures."""
        return Sketches.of(*_core.signatures(tokens, self.shingle_words, self.signature_values))

    def keys(self, sketches: Sketches) -> Keys:
        """A hash of each band."""
        return Keys(*_core.band_keys(sketches, *self.bands))

    def similarity(self, query: Sketches, found: Sketches) -> NDArray[np.float64]:
        """The share of equal values."""
        return _core.count_equal(query, found) / self.signature_values


def bands_for(threshold: float, length: int) -> int:
    """The fewest bands of `length` values of which a pair at the threshold shares one with probability `RECALL`."""
    agrees = threshold**length
    if agrees >= RECALL:
        return 1
    if agrees * MOST_VALUES < 1:
        return MOST_VALUES + 1
    return math.ceil(math.log(1 - RECALL) / math.log1p(-agrees))
