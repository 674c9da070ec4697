"""Windows over the lengths of sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import UsageError
from ..model import Tokens, View
from ..statistics import Statistics
from . import LONGEST, Keys, Method, Scores, Sketches

DELIMITERS = ".!?…؟۔।。！？"


@dataclass(frozen=True)
class SentenceLengths(Method):
    """The same numbers of words in sentences that follow each other.

    Chang, Wang 2008. An article becomes its feature string, the number of words in each sentence. It is filed under
    windows of `window_sentences` such numbers, one every `step_sentences` and the one that ends it; a query is
    looked up with every window it has. A pair matches by `contiguous_windows` windows that are filed one after
    another and stand at the same distances in the query. The words themselves do not count, so a copy with every
    word replaced or translated word by word is still found.

    Guarantees every pair that shares the lengths of `window_sentences + step_sentences * contiguous_windows - 1`
    sentences on end; with `dynamic_jumping` only where they do not repeat. With steps of 1 files as many keys as
    there are sentences, less `window_sentences - 1`; longer steps and `dynamic_jumping`, which leaves out a window
    if its first `step_sentences` lengths stand before and behind them as well, file fewer. Scoring takes n log n in
    the sentences, however often lengths repeat; `dynamic_jumping` with several `contiguous_windows` takes
    some times that, and far more on texts made for it.

    Blind to articles that file fewer than `contiguous_windows` windows, which do not even match themselves, and to
    copies in which a word or a sentence was added or dropped every few sentences. Fails on texts with regular
    sentence lengths (poems, lyrics, tables, lists): these match each other whatever they say. Single windows of 8
    also match by chance in a large collection; windows of 16, or 5 contiguous ones of 8, rarely do (tables 3 and
    7).

    Where the paper is silent: it names "." and "!" as delimiters, the default adds "?", the ellipsis and the full
    stops and marks of other scripts; no `delimiters` at all is the default rule for sentences. A point inside a
    number delimits too. A sentence that `stopwords` emptied has length 0. The paper ranks by a weighted sum of the
    matched windows without saying how they weigh: here each weighs 1, and those of the query are counted, so that a
    window twice in the query and once in the found article counts 2, and the other way round 1. A match says that
    text is shared, not how much: any window is accepted, and the relation follows from the shares, at 0.8.
    `found_in_query` is the share of the filed windows that match; `query_in_found` divides by the windows that the
    query would file, since with longer steps no more can match than are filed, and is 1 at most.
    """

    window_sentences: int = 8
    step_sentences: int = 1
    dynamic_jumping: bool = False
    contiguous_windows: int = 1
    delimiters: str = DELIMITERS
    stopwords: str = ""

    paper: ClassVar[str] = "Chang, Wang 2008"
    accepts_parts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (
            1 <= self.step_sentences <= self.window_sentences <= LONGEST
            and 1 <= self.contiguous_windows <= LONGEST
        ):
            raise UsageError(
                f"sentence_lengths: expected window_sentences and contiguous_windows from 1 to {LONGEST} and "
                f"step_sentences from 1 to window_sentences, got {self.window_sentences}, {self.contiguous_windows} "
                f"and {self.step_sentences}"
            )

    @property
    def view(self) -> View:
        """Sentences between delimiters, without stopwords."""
        return View(sentences=self.delimiters, stopwords=self.stopwords)

    @property
    def minimum_matching_sentences(self) -> int:
        """The fewest sentences that a match spans (equation 1); it spans fewer only where it ends with the found article."""
        return self.window_sentences + self.step_sentences * (self.contiguous_windows - 1)

    def sketch(self, tokens: Tokens, statistics: Statistics | None = None) -> Sketches:
        """The feature string: the number of words in each sentence."""
        return Sketches.of(*_core.sentence_lengths(tokens))

    def keys(self, sketches: Sketches) -> Keys:
        """The distinct windows that are filed."""
        return self._windows(sketches, self.step_sentences, self.dynamic_jumping)

    def probes(self, sketches: Sketches) -> Keys:
        """All distinct windows: jumping in queries too would miss a copy that begins between two steps."""
        return self._windows(sketches, 1, False)

    def _windows(self, sketches: Sketches, step: int, dynamic: bool) -> Keys:
        windows = _core.window_hashes(sketches, window=self.window_sentences, step=step, dynamic=dynamic)
        return Keys(*_core.distinct(*windows))

    def score(self, query: Sketches, found: Sketches) -> Scores:
        """The share of each side's windows that match, and how many of the query's do."""
        in_query, in_found, query_filed, found_filed = _core.match_windows(
            query,
            found,
            window=self.window_sentences,
            step=self.step_sentences,
            dynamic=self.dynamic_jumping,
            contiguous=self.contiguous_windows,
        )
        return Scores(
            np.minimum(in_query / np.maximum(query_filed, 1), 1),
            in_found / np.maximum(found_filed, 1),
            in_query.astype(float),
        )

    def accepts(self, scores: Scores) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Both ways, where any window matches."""
        return scores.rank > 0, scores.rank > 0
