"""Images: the heaviest terms of each stretch of an article."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import UsageError
from ..model import Tokens, View
from ..statistics import Statistics
from . import LONGEST, Scores, Similarity, Sketches, jaccard, shared_at

PAIRS = 100_000
"""Pairs that tuning compares at once."""


@dataclass(frozen=True, slots=True)
class Trial:
    """How well images of one size keep the rankings that all terms give, over all queries."""

    image_terms: int
    discordant: int
    """Pairs of articles that the images put in the opposite order: the paper's swaps."""
    tied: int
    """Pairs of articles that all terms put in an order and the images level."""
    image_share: float
    """Terms of all images, by words of all articles."""
    chosen: bool = False

    @property
    def equal(self) -> bool:
        """Whether the rankings are the same."""
        return self.discordant == self.tied == 0


@dataclass(frozen=True)
class DocumentImage(Similarity):
    """The heaviest terms of each hundred words, compared as sets.

    Uwamahoro, Zhang, Mtafya, Li, Long 2014. An article without stopwords, stemmed, is cut into
    max(1, ⌊terms / sentence_words⌋) pseudo-sentences whose sizes differ by at most one; its image is the union of the `image_terms` terms
    of each with the highest weight (1 + log10 tf) · log10(N / df). Two articles are as similar as their images by Jaccard. The method
    ranks articles against a query. Guarantees that articles whose images share a term share a key. Files up to `image_terms`
    keys for each `sentence_words` terms, about a quarter of the terms. Blind to the order of words, so that two reports of one event
    look alike; fails on short articles, where a single pseudo-sentence leaves nothing to weigh, and a passage in a long
    article hardly shows.

    Choices: N and df are over the pseudo-sentences of the one article (`idf_over="document"`, what the paper's algorithm takes as input)
    or of the collection (`"collection"`, from Statistics; an unknown term has df 1); an article
    without terms has no pseudo-sentence to count in N. Terms of equal weight go by tf, then by first occurrence; an article
    with one pseudo-sentence has only weights of 0 by `"document"`, and so is decided by these. The longer pseudo-sentences come
    first. Characters of scripts without spaces count half in `sentence_words`. The paper has no threshold; a `threshold` above 0 is ours, and accepts
    images with at least that Jaccard.
    """

    sentence_words: int = 100
    image_terms: int = 30
    idf_over: str = "document"
    stopwords: str = "en"
    stemmer: str = "porter"
    threshold: float = 0.0

    paper: ClassVar[str] = "Uwamahoro, Zhang, Mtafya, Li, Long 2014"
    mutual: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (1 <= self.sentence_words <= LONGEST and 1 <= self.image_terms <= LONGEST):
            raise UsageError(
                f"document_image: expected sentence_words and image_terms from 1 to {LONGEST}, got "
                f"{self.sentence_words} and {self.image_terms}"
            )
        if self.idf_over not in ("document", "collection"):
            raise UsageError(
                f"document_image: expected idf_over to be document or collection, got {self.idf_over!r}"
            )
        if not 0 <= self.threshold <= 1:
            raise UsageError(f"document_image: expected 0 <= threshold <= 1, got {self.threshold}")

    @property
    def weighs_words(self) -> bool:
        """Whether df is that of a collection."""
        return self.idf_over == "collection"

    @property
    def view(self) -> View:
        """Stems without stopwords; frequencies of a collection are over its pseudo-sentences."""
        pieces = self.sentence_words if self.weighs_words else 0
        return View(stopwords=self.stopwords, stemmer=self.stemmer, piece_words=pieces)

    @property
    def only_ranks(self) -> bool:
        """Whether there is no threshold, as in the paper."""
        return self.threshold == 0

    def sketch(self, tokens: Tokens, statistics: Statistics | None = None) -> Sketches:
        """The image: hashes of its terms, sorted."""
        weighed = self.needed(statistics) if self.weighs_words else None
        images = _core.make_images(
            tokens, weighed, piece_words=self.sentence_words, image_terms=self.image_terms
        )
        return Sketches.of(*images)

    def similarity(self, query: Sketches, found: Sketches) -> NDArray[np.float64]:
        """Jaccard of the images."""
        return jaccard(query, found)

    def least_shared(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """How many terms are shared where the Jaccard is `threshold`."""
        return shared_at(totals, self.threshold)

    def accepts(self, scores: Scores) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Where the similarity reaches the threshold; nowhere if there is none."""
        accepted = (scores.rank >= self.threshold) & (not self.only_ranks)
        return accepted, accepted

    def tune(self, tokens: Tokens, statistics: Statistics | None, queries: NDArray[np.int64]) -> list[Trial]:
        """A trial for images of 5, 10, 20, 30 … terms each, by the paper's EDTA; one of them is chosen.

        For each of the queries, which are rows of the collection, the other articles are ranked twice: by Jaccard of all terms and of
        the images. An error is a pair of articles that all terms put in an order and the images in the opposite one, or level. What all
        terms put level is no error, so rows can be in any order. The smallest image with the fewest errors is chosen: the
        paper's smallest with equal rankings, if there is one. Levelled pairs count because otherwise images that share nothing
        would win.
        """
        articles = len(tokens)
        if len(queries) and not 0 <= queries.min() <= queries.max() < articles:
            raise UsageError(f"document_image: expected queries among {articles} articles, got {queries}")
        if self.weighs_words and statistics is None:
            statistics = Statistics.count([tokens], self.view)
        whole = Sketches.of(*_core.distinct(tokens.hashes, tokens.offsets))
        sizes = [size for size in (5, *range(10, self.sentence_words, 10)) if size < self.sentence_words]
        sizes.append(self.sentence_words)
        images = [replace(self, image_terms=size).sketch(tokens, statistics) for size in sizes]
        counts = np.zeros((len(sizes), 2), np.int64)
        others = max(articles - 1, 0)
        step = max(1, PAIRS // max(1, others))
        for first in range(0, len(queries), step):
            some = queries[first : first + step]
            query, found = np.repeat(some, others), np.tile(np.arange(others), len(some))
            found += found >= query
            expected = jaccard(whole.take(query), whole.take(found))
            for row, image in enumerate(images):
                got = jaccard(image.take(query), image.take(found))
                counts[row] += [part.sum() for part in _core.count_discordant(expected, got, others)]
        chosen = int(counts.sum(axis=1).argmin())
        words = max(1, len(tokens.hashes))
        return [
            Trial(size, discordant, tied, len(image.columns[0]) / words, row == chosen)
            for row, (size, (discordant, tied), image) in enumerate(
                zip(sizes, counts.tolist(), images, strict=True)
            )
        ]
