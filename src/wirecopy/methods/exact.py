"""Articles with the same words in the same order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..model import Tokens
from ..statistics import Statistics
from . import Similarity, Sketches, count_shared


@dataclass(frozen=True)
class Exact(Similarity):
    """Identical duplicates: equal after normalising, found by hashing.

    Gibson, Wellner, Lubar 2008, section 2. Guarantees every pair of articles that have the same words in the same order; white space, punctuation, case and
    disguises do not count. One key an article. Finds nothing else: one changed word hides a copy. An article without
    words has no key.
    """

    paper: ClassVar[str] = "Gibson, Wellner, Lubar 2008"
    threshold = 1.0

    def sketch(self, tokens: Tokens, statistics: Statistics | None = None) -> Sketches:
        """One hash of all words of an article."""
        return Sketches.of(*_core.whole_hashes(tokens))

    def similarity(self, query: Sketches, found: Sketches) -> NDArray[np.float64]:
        """1 where the hashes are equal, else 0."""
        return count_shared(query, found)[0].astype(float)
