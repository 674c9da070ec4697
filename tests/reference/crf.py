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
    """What a block must score to be taken: the log-odds of half the best F that can be expected of the words, but 1 in 50.

    Where the words of blocks likelier than not are 0.8 likely, nothing below -0.2 is taken.
    """
    likely = [1 / (1 + exp(-score)) for score in scores]
    expected = sum(one * size for one, size in zip(likely, words, strict=True))
    half = 0.0
    for at in likely:
        taken = [(one, size) for one, size in zip(likely, words, strict=True) if one >= at]
        hits = sum(one * size for one, size in taken)
        half = max(half, hits / (sum(size for _, size in taken) + expected) if hits else 0.0)
    better = [(one, size) for one, size in zip(likely, words, strict=True) if one > 0.5]
    sure = sum(one * size for one, size in better) > 0.8 * sum(size for _, size in better)
    return max(log(half / (1 - half)) if half else -4.0, -0.2 if sure else -4.0)
