"""For methods that weigh words: small collections, their sketches, and statistics with any frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from wirecopy.methods import Method, Sketches
from wirecopy.statistics import Statistics
from wirecopy.text import encode, tokenise

STOPWORDS = ["the", "of"]
VOCABULARY = [
    *("école", "zürich", "東", "żółw", *STOPWORDS, "nation", "nationals", "nationality", "vote", "voters")
]
articles = st.lists(st.sampled_from(VOCABULARY), max_size=14)
collections = st.lists(articles, max_size=6)


def count(method: Method, texts: list[str]) -> Statistics:
    return Statistics.count([tokenise(*encode(texts), method.view)], method.view)


def sketch(method: Method, texts: list[str], reference: list[str] | None = None) -> Sketches:
    """The texts by the statistics of a reference collection, or by their own."""
    tokens = tokenise(*encode(texts), method.view, words=True)
    return method.sketch(tokens, count(method, texts if reference is None else reference))


def fingerprints(sketches: Sketches) -> list[list[bytes]]:
    """The 128-bit fingerprints of each article."""
    first, last = (column.tolist() for column in sketches.columns)
    digests = [(f << 64 | s).to_bytes(16, "big") for f, s in zip(first, last, strict=True)]
    return [
        digests[start:end]
        for start, end in zip(sketches.starts.tolist(), sketches.ends.tolist(), strict=True)
    ]


@dataclass(frozen=True)
class Weighed:
    """Statistics by which the words of any batch have the same frequencies."""

    articles: int
    given: NDArray[np.uint32]

    def frequencies(self, _: NDArray[np.uint64]) -> NDArray[np.uint32]:
        return self.given


def weigh(frequencies: Sequence[int], articles: int) -> Any:
    """Statistics by which the words of a batch have these frequencies, whether they fit or not."""
    return Weighed(articles, np.array(frequencies, np.uint32))
