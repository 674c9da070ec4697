"""Cosine of tf-idf vectors, slowly: the twin of `make_vectors` and `multiply_vectors` in `rust/src/weights.rs`.

From Gibson, Wellner, Lubar 2008, section 2.1: "The weight for each term is computed by the number of occurrences of the term in
the document and an inverse measure of its frequency across a document collection."
"""

from __future__ import annotations

import math
from collections import Counter

Words = list[str]


def weigh(article: Words, collection: list[Words]) -> dict[str, float]:
    """tf × (ln(N / df) + 1); a word that the collection does not have is taken to be in one article."""
    weights = {}
    for word, tf in Counter(article).items():
        held = max(1, sum(word in other for other in collection))
        weights[word] = tf * (math.log(max(len(collection), 1) / held) + 1)
    return weights


def cosine(query: dict[str, float], found: dict[str, float]) -> float:
    product = math.fsum(query[word] * found[word] for word in query.keys() & found.keys())
    lengths = [math.sqrt(math.fsum(weight**2 for weight in side.values())) for side in (query, found)]
    return product / (lengths[0] * lengths[1]) if product else 0.0
