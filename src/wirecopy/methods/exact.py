"""Articles with the same words in the same order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..model import Tokens
from ..statistics import Statistics
from . import Keys, Method, Scores, Sketches, count_shared


@dataclass(frozen=True)
class Exact(Method):
    """Identical duplicates: equal after normalising, found by hashing.

    Gibson, Wellner, Lubar 2008, section 2. Guarantees every pair of articles that have the same words in the same order; white space, punctuation, case and
    disguises do not count. One key an article. Finds nothing else: one changed word hides a copy. An article without
    words has no key.
    """

    paper: ClassVar[str] = "Gibson, Wellner, Lubar 2008"

    def sketch(self, tokens: Tokens, statistics: Statistics | None = None) -> Sketches:
        """A hash of all words."""
        return Sketches.of(*_core.whole_hashes(tokens))

    def keys(self, sketches: Sketches) -> Keys:
        """The hash itself."""
        return Keys(sketches.columns[0], sketches.offsets)

    def score(self, query: Sketches, found: Sketches) -> Scores:
        """1 where the hashes are equal, else 0."""
        shared = count_shared(query, found)[0].astype(float)
        return Scores(shared, shared, shared)

    def accepts(self, scores: Scores) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Equal is equal."""
        return scores.query_in_found == 1, scores.found_in_query == 1
