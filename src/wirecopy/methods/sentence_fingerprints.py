"""Sentences as digests of their sorted, uncommon words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import UsageError
from ..model import Tokens, View
from ..statistics import Statistics
from . import Method, Scores, Sketches


@dataclass(frozen=True)
class SentenceFingerprints(Method):
    """An MD5 of each sentence, without its common words and in alphabetical order.

    Yoon, Jang, Kim, Park 2012. Guarantees every pair that shares more than `more_than` sentences, whatever their common words and the
    order of the others; sentences that occur more than `most_occurrences` times in the collection do not count. One key
    a sentence. Blind to a sentence in which one uncommon word was changed, and to copies of fewer sentences than that.

    A word is common if more than `common_share` of the articles of the Statistics have it: the paper's
    300,000 of about 500,000; 1 cuts none. `common_words` are common whatever their number: words with spaces or commas between
    them (one alone as `the,`), or the code of a language whose stopwords they are. A title, where it is known, is the first sentence.
    `exact_sentences` is the paper's comparison: all words, in their own order.

    Where the paper is silent: Repeated words stay. The digest is that of the folded words in UTF-8, sorted by code point,
    one space between two. A sentence without uncommon words has no fingerprint; in a handful of articles on one story every word is common, so weigh
    them by a reference collection. The paper counts an article's sentences that are in any
    other article (its verdict); counting for each pair, each sentence of an article as often as it stands there, is
    ours. The larger count decides and ranks; it does not say how much is shared, so the relation follows from the shares of
    both articles' fingerprints, at 0.8. The paper says that δ was "three" and that more than δ must collide, but its figures fit only if three suffice: δ is 2 here.
    """

    common_share: float = 0.6
    common_words: str = ""
    exact_sentences: bool = False
    most_occurrences: int = 300
    more_than: int = 2

    paper: ClassVar[str] = "Yoon, Jang, Kim, Park 2012"
    accepts_parts: ClassVar[bool] = True
    spells_words = True

    def __post_init__(self) -> None:
        if not (0 <= self.common_share <= 1 and self.most_occurrences >= 1 and self.more_than >= 0):
            raise UsageError(
                "sentence_fingerprints: expected common_share from 0 to 1, more_than of 0 or more and most_occurrences of 1 or "
                f"more, got {self.common_share}, {self.more_than} and {self.most_occurrences}"
            )

    @property
    def view(self) -> View:
        """Sentences, without the words that are common whatever their number."""
        return View(sentences="", stopwords="" if self.exact_sentences else self.common_words, title=True)

    @property
    def weighs_words(self) -> bool:
        """Whether common words are left out."""
        return not self.exact_sentences

    def sketch(self, tokens: Tokens, statistics: Statistics | None = None) -> Sketches:
        """The first and the last 64 bits of each sentence's fingerprint, once for each occurrence."""
        if self.exact_sentences:
            return Sketches.of(*_core.sentence_digests(tokens))
        statistics = self.needed(statistics)
        most_articles = int(self.common_share * statistics.articles + 1e-9)
        return Sketches.of(*_core.sentence_digests(tokens, statistics, most_articles=most_articles))

    def common(self, occurrences: NDArray[np.int64], articles: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Sentences that occur more than `most_occurrences` times, in however many articles."""
        return occurrences > self.most_occurrences

    def score(self, query: Sketches, found: Sketches) -> Scores:
        """The share of each article's fingerprints that the other has; the larger number of them ranks."""
        in_query, in_found = _core.count_collisions(query, found)
        return Scores(
            in_query / np.maximum(query.ends - query.starts, 1),
            in_found / np.maximum(found.ends - found.starts, 1),
            np.maximum(in_query, in_found).astype(float),
        )

    def accepts(self, scores: Scores) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Both ways, where more than `more_than` sentences are shared."""
        return scores.rank > self.more_than, scores.rank > self.more_than

    def verdict(self, hits: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether more than `more_than` sentences of an article are in other articles, whichever these are."""
        return hits > self.more_than
