"""Articles as the signs of random projections of their words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import UsageError
from ..model import Tokens, View
from ..statistics import Statistics
from . import Keys, Method, Scores, Sketches

_MOST_BITS = 160


@dataclass(frozen=True)
class SimHash(Method):
    """SimHash: bits that say of which sign the idf-weighted digests of an article's words add up to be.

    Charikar 2002, as in Varol, Can, Aykanat, Kaya 2011: without stopwords, words cut to their first five letters, the `skip_words` words
    of highest idf left out; a word adds its idf, ln(N/df) + 1, to each bit that is one in its SHA-1 and takes it away from
    each other; a bit is one if its sum is positive. Guarantees every pair whose hashes differ in at most
    `distance_bits` bits: of as many blocks of bits and one more, a pair has one in common. One key a block. Blind to
    partial copies: a few sentences more already change more than two bits of 160. Fails on very short articles, in which each word weighs much.

    Where the papers are silent: Distinct words count once, as Varol and others have it, not by how often they stand there. Ties in idf
    go by code point. A word that the Statistics do not know counts as in one article. The idf is rounded to a multiple of 2⁻²⁰, so that sums are exact in any
    order. Fewer `bits` (64 is usual) are the first ones. An article without words that count has no hash and matches nothing.
    """

    bits: int = _MOST_BITS
    distance_bits: int = 2
    skip_words: int = 2
    stopwords: str = "en"
    stemmer: str = "first5"

    paper: ClassVar[str] = "Charikar 2002"
    weighs_words = True
    spells_words = True

    def __post_init__(self) -> None:
        if not (0 <= self.distance_bits < self.bits <= _MOST_BITS and 0 <= self.skip_words < 2**32):
            raise UsageError(
                f"simhash: expected 0 <= distance_bits < bits <= {_MOST_BITS} and skip_words of 0 or more, got "
                f"{self.distance_bits}, {self.bits} and {self.skip_words}"
            )

    @property
    def view(self) -> View:
        """Stems without stopwords."""
        return View(stopwords=self.stopwords, stemmer=self.stemmer)

    def sketch(self, tokens: Tokens, statistics: Statistics | None = None) -> Sketches:
        """The hash, 64 bits a value, the highest bit first."""
        weighed = self.needed(statistics)
        return Sketches.of(*_core.simhash(tokens, weighed, skip_words=self.skip_words, bits=self.bits))

    def keys(self, sketches: Sketches) -> Keys:
        """A hash of each block's number and bits."""
        return Keys(*_core.simhash_keys(sketches, self.bits, self.distance_bits + 1))

    def score(self, query: Sketches, found: Sketches) -> Scores:
        """The share of bits that are equal; 0 where an article has no hash."""
        different = _core.count_different_bits(query, found)
        equal = 1 - np.where(different < 0, self.bits, different) / self.bits
        return Scores(equal, equal, equal)

    def accepts(self, scores: Scores) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Both ways, where at most `distance_bits` bits differ."""
        near = np.rint((1 - scores.query_in_found) * self.bits) <= self.distance_bits
        return near, near
