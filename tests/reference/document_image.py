"""Document images, slowly: the twin of `make_images`, `cut_pieces` and `count_discordant` in `rust/src/weights.rs`.

From Uwamahoro et al. 2014: "Each document is split into equal sentences of one hundred terms as minimum threshold"; the
weight of a term is (1 + log10 tf) × log10 N/df; "top-k terms with high tf-idf score from each sentence" make the image by
union; similarity is Jaccard. Weights are decimals of forty digits here, compared to thirty: equal on paper is equal.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

Words = list[str]

FORTY = Context(prec=40)


def cut(words: Words, halves: Sequence[int], sentence_words: int) -> list[Words]:
    """As many sentences as there can be of at least so many words, as even as can be, the longer ones first; none of none."""
    left = max(1, sum(halves) // (2 * sentence_words)) if words else 0
    sentences = []
    while left:
        size = -(-len(words) // left)
        sentences.append(words[:size])
        words, left = words[size:], left - 1
    return sentences


@lru_cache(None)
def weigh(tf: int, held: int, sentences: int) -> Decimal:
    tenfold = FORTY.log10(Decimal(tf)) + 1
    rarity = FORTY.log10(FORTY.divide(Decimal(sentences), Decimal(held)))
    return FORTY.multiply(tenfold, rarity).quantize(Decimal("1e-30"), context=FORTY)


def draw(sentences: list[Words], image_terms: int, collection: list[Words] | None = None) -> set[str]:
    """The image of an article; N and df are over the sentences of the collection, or else of the article."""
    over = sentences if collection is None else collection
    image: set[str] = set()
    for sentence in sentences:

        def key(term: str, sentence: Words = sentence) -> tuple[Decimal, int, int]:
            held = sum(term in other for other in over)
            tf = sentence.count(term)
            return -weigh(tf, max(held, 1), max(len(over), 1)), -tf, sentence.index(term)

        image.update(sorted(set(sentence), key=key)[:image_terms])
    return image


def jaccard(query: set[str], found: set[str]) -> Fraction:
    return Fraction(len(query & found), max(1, len(query | found)))


def compare(expected: Sequence[Fraction], got: Sequence[Fraction]) -> tuple[int, int]:
    """Pairs in an expected order that are got in the opposite one, and that are got level."""
    turned = level = 0
    for one, other in itertools.permutations(range(len(expected)), 2):
        if expected[one] > expected[other]:
            turned += got[one] < got[other]
            level += got[one] == got[other]
    return turned, level


def tune(
    terms: list[set[str]], images: list[list[set[str]]], queries: Sequence[int]
) -> list[tuple[int, int]]:
    """For each size of image, the pairs that all queries together find turned and level."""
    trials = []
    for sized in images:
        turned = level = 0
        for query in queries:
            others = [row for row in range(len(terms)) if row != query]
            expected = [jaccard(terms[query], terms[row]) for row in others]
            more = compare(expected, [jaccard(sized[query], sized[row]) for row in others])
            turned, level = turned + more[0], level + more[1]
        trials.append((turned, level))
    return trials
