"""A chain with two labels by trying every labelling: the twin of `rust/src/crf.rs`."""

from collections.abc import Sequence
from itertools import pairwise, product
from math import exp, log

Transitions = Sequence[Sequence[float]]


def score(labels: Sequence[int], scores: Sequence[float], transitions: Transitions) -> float:
    steps = sum(transitions[before][after] for before, after in pairwise(labels))
    return steps + sum(score for label, score in zip(labels, scores, strict=True) if label)


def best(scores: Sequence[float], transitions: Transitions) -> tuple[int, ...]:
    return max(product((0, 1), repeat=len(scores)), key=lambda labels: score(labels, scores, transitions))


def log_sum(scores: Sequence[float], transitions: Transitions) -> float:
    return log(sum(exp(score(labels, scores, transitions)) for labels in product((0, 1), repeat=len(scores))))


def marginals(scores: Sequence[float], transitions: Transitions) -> list[float]:
    """How likely each label is 1."""
    sums = [0.0] * len(scores)
    whole = log_sum(scores, transitions)
    for labels in product((0, 1), repeat=len(scores)):
        share = exp(score(labels, scores, transitions) - whole)
        sums = [sum_ + share * label for sum_, label in zip(sums, labels, strict=True)]
    return sums


def loss(scores: Sequence[float], labels: Sequence[int], transitions: Transitions) -> float:
    return log_sum(scores, transitions) - score(labels, scores, transitions)


def least(scores: Sequence[float], words: Sequence[float]) -> float:
    """What a block must score to be taken: half the log-odds of half the best F that can be expected of the words.

    Where no block reaches that, the whole of these log-odds, but 1 in 50.
    """
    likely = [1 / (1 + exp(-score)) for score in scores]
    expected = sum(one * size for one, size in zip(likely, words, strict=True))
    half = 0.0
    for at in likely:
        taken = [(one, size) for one, size in zip(likely, words, strict=True) if one >= at]
        hits = sum(one * size for one, size in taken)
        half = max(half, hits / (sum(size for _, size in taken) + expected) if hits else 0.0)
    whole = log(half / (1 - half)) if half else -4.0
    return whole / 2 if max(scores) > whole / 2 + 1e-9 else max(whole, -4.0)
