"""How well an answer agrees with the truth: one definition of each measure.

Shares of counts (`rate`), rankings (`area`, `average_precision`, `discordant`), clusters (`b_cubed`, `adjusted_rand`), passages (`plagdet`),
and how far a share may be off (`wilson`, and `bootstrap` where pairs come in families).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core

NORMAL_95 = 1.959963984540054
"""So many standard deviations on either side hold 95 % of a normal distribution."""
DRAWS = 1000
"""How often a bootstrap draws."""


class Rates(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f: float


class Interval(NamedTuple):
    """What a share lies between, with 95 % confidence."""

    low: float
    high: float


class Area(NamedTuple):
    """The area under the ROC curve, and its standard error."""

    area: float
    error: float


class PassageRates(NamedTuple):
    """How well reported passages cover the true ones; `granularity` is how many are reported for each that is found."""

    precision: float
    recall: float
    granularity: float
    plagdet: float


def harmonic(precision: float, recall: float) -> float:
    """The harmonic mean of precision and recall, 0 if both are."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def rate(hits: float, reported: float, true: float) -> Rates:
    """Precision and recall of an answer: how many of what is `reported` and of what is `true` are hits; of nothing, all are."""
    precision = hits / reported if reported else 1.0
    recall = hits / true if true else 1.0
    return Rates(precision, recall, harmonic(precision, recall))


def f_of(hits: NDArray[Any], reported: NDArray[Any], true: ArrayLike) -> NDArray[np.float64]:
    """The F that `rate` gives, of many answers at once, each of which reports something or has something to find."""
    both: NDArray[np.float64] = 2 * hits / (reported + np.asarray(true))
    return both


# How far a share may be off


def wilson(hits: float, of: float) -> Interval:
    """The interval of a share that was counted on independent cases (Wilson 1927)."""
    if not of:
        return Interval(0.0, 1.0)
    share, slack = hits / of, NORMAL_95**2 / of
    middle = (share + slack / 2) / (1 + slack)
    reach = NORMAL_95 * math.sqrt((share * (1 - share) + slack / 4) / of) / (1 + slack)
    low, high = max(0.0, middle - reach), min(1.0, middle + reach)
    return Interval(0.0 if hits == 0 else low, 1.0 if hits == of else high)


def bootstrap(
    counts: NDArray[Any],
    measure: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    seed: int = 1,
    draws: int = DRAWS,
) -> Interval | None:
    """The interval of a measure of counts, by drawing families with replacement: the pairs of one are no independent cases.

    `counts` has a row for each family; `measure` gives a value for each row of summed counts. None if there are fewer than two families, or
    nothing to measure. Families with the same counts are drawn together, so that millions cost no more than their different counts.
    """
    kinds, sizes = np.unique(np.asarray(counts), axis=0, return_counts=True)
    families = int(sizes.sum())
    if families < 2:
        return None
    drawn = np.random.default_rng(seed).multinomial(families, sizes / families, size=draws)
    values = measure(drawn.astype(np.float64) @ kinds.astype(np.float64))
    values = values[np.isfinite(values)]
    if not len(values):
        return None
    low, high = np.percentile(values, [2.5, 97.5])
    return Interval(float(low), float(high))


# Rankings


def area(labels: ArrayLike, scores: ArrayLike, unscored: tuple[int, int] = (0, 0)) -> Area | None:
    """How often a true case scores above a false one, ties counting half, with the error of Hanley and McNeil (1982); None if there are no such two.

    `unscored` says how many more true and false cases there are, all with the score 0: of the pairs of a collection, those that nobody reports.
    """
    true, false = _by_score(labels, scores, unscored)[1:]
    positive, negative = float(true.sum()), float(false.sum())
    if not positive or not negative:
        return None
    under = float((true * (np.cumsum(false) - false / 2)).sum() / (positive * negative))
    return Area(under, area_error(under, positive, negative))


def area_error(area: float, positive: float, negative: float) -> float:
    """The standard error of an area under the ROC curve of so many true and false cases (Hanley and McNeil 1982)."""
    both_true, both_false = area / (2 - area), 2 * area**2 / (1 + area)
    variance = area * (1 - area)
    variance += (positive - 1) * (both_true - area**2) + (negative - 1) * (both_false - area**2)
    return math.sqrt(max(0.0, variance / (positive * negative)))


def average_precision(
    labels: ArrayLike, scores: ArrayLike, unscored: tuple[int, int] = (0, 0)
) -> float | None:
    """The precision at each true case, from the highest score down, on average; None without true cases. `unscored` as for `area`."""
    true, false = _by_score(labels, scores, unscored)[1:]
    if not true.sum():
        return None
    true, false = true[::-1], false[::-1]
    found = np.cumsum(true)
    reported = found + np.cumsum(false)
    return float((true * found / np.maximum(reported, 1)).sum() / found[-1])


class Curve(NamedTuple):
    """What is reported at each threshold, from the highest down: how many, and how many of them are hits."""

    thresholds: NDArray[np.float64]
    hits: NDArray[np.int64]
    reported: NDArray[np.int64]

    def rates(self, true: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Precision, recall and F at each threshold, of so many true cases, as `rate` has them."""
        recall = self.hits / true if true else np.ones(len(self.hits))
        return self.hits / self.reported, recall, f_of(self.hits, self.reported, true)


def sweep(labels: ArrayLike, scores: ArrayLike, unscored: tuple[int, int] = (0, 0)) -> Curve:
    """What is reported if a case with at least this score is, for each score that occurs. `unscored` as for `area`."""
    thresholds, true, false = _by_score(labels, scores, unscored)
    hits = np.cumsum(true[::-1])
    return Curve(thresholds[::-1], hits, hits + np.cumsum(false[::-1]))


def _by_score(
    labels: ArrayLike, scores: ArrayLike, unscored: tuple[int, int]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """The different scores, rising, and how many true and false cases have each."""
    is_true, scored = np.asarray(labels, bool), np.asarray(scores, np.float64)
    if any(unscored):
        is_true, scored = np.append(is_true, [True, False]), np.append(scored, [0.0, 0.0])
    order = np.argsort(scored, kind="stable")
    scored, is_true = scored[order], is_true[order]
    firsts = np.flatnonzero(np.append(True, scored[1:] != scored[:-1])) if len(scored) else order
    true = np.add.reduceat(is_true.astype(np.int64), firsts) if len(firsts) else np.zeros(0, np.int64)
    all_cases = np.diff(np.append(firsts, len(scored)))
    false = all_cases - true
    if any(unscored):
        at = int(np.searchsorted(scored[firsts], 0.0))
        true[at] += unscored[0] - 1
        false[at] += unscored[1] - 1
    return scored[firsts], true, false


def discordant(expected: ArrayLike, got: ArrayLike) -> tuple[int, int]:
    """How many pairs of items two scorings rank the other way round, and how many `got` leaves level that `expected` ranks."""
    one, other = np.asarray(expected, np.float64), np.asarray(got, np.float64)
    if not len(one):
        return 0, 0
    swapped, level = _core.count_discordant(one, other, len(one))
    return int(swapped.sum()), int(level.sum())


# Clusters


def b_cubed(truth: ArrayLike, answer: ArrayLike) -> Rates:
    """B³ of clusters (Bagga and Baldwin 1998): the share of each item's cluster that is rightly there, and of its true one that is found.

    `truth` and `answer` name the cluster of each item; the means are over items.
    """
    right, true, given = _overlaps(truth, answer)
    if not len(right):
        return Rates(1.0, 1.0, 1.0)
    precision, recall = float(np.mean(right / given)), float(np.mean(right / true))
    return Rates(precision, recall, harmonic(precision, recall))


def adjusted_rand(truth: ArrayLike, answer: ArrayLike) -> float:
    """The share of pairs of items that both clusterings join or keep apart, corrected for chance (Hubert and Arabie 1985)."""
    joined, truly, given, items = _joined(truth, answer)
    pairs = items * (items - 1) / 2
    expected = truly * given / pairs if pairs else 0.0
    most = (truly + given) / 2
    return 1.0 if most == expected else (joined - expected) / (most - expected)


def pairs_of_clusters(truth: ArrayLike, answer: ArrayLike) -> Rates:
    """Precision and recall of the pairs of items that clusters join."""
    joined, truly, given, _ = _joined(truth, answer)
    return rate(joined, given, truly)


def _joined(truth: ArrayLike, answer: ArrayLike) -> tuple[float, float, float, int]:
    """How many pairs both clusterings join, the truth does, and the answer does; and how many items there are."""
    right, true, given = _overlaps(truth, answer)
    joined, truly, wrongly = (float(np.sum(sizes - 1)) / 2 for sizes in (right, true, given))
    return joined, truly, wrongly, len(right)


def _overlaps(
    truth: ArrayLike, answer: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """For each item, how many are in both of its clusters, in its true one, and in the one given."""
    _, true, sizes = np.unique(np.asarray(truth), return_inverse=True, return_counts=True)
    _, given, other_sizes = np.unique(np.asarray(answer), return_inverse=True, return_counts=True)
    if len(true) != len(given):
        raise ValueError(f"expected as many items in both clusterings, got {len(true)} and {len(given)}")
    both = true.astype(np.int64) * max(1, len(other_sizes)) + given
    _, cell, right = np.unique(both, return_inverse=True, return_counts=True)
    return right[cell], sizes[true], other_sizes[given]


# Passages

Span = tuple[int, int, int, int]
"""A passage: start and end in the query, start and end in what was found."""
Spans = Mapping[Any, Sequence[Span]]
"""The different passages of each pair."""


def plagdet(true: Spans, reported: Spans) -> PassageRates:
    """How well passages are found (Potthast and others 2010): F of characters, passages counting alike, divided by log2(1 + granularity).

    Only pairs of which `true` knows count, those without a passage included. A passage is found by one that overlaps it on both sides.
    """
    given = {pair: reported[pair] for pair in true if reported.get(pair)}
    recall, precision = _macro_average(true, given), _macro_average(given, true)
    finders = [
        sum(_overlap(one, other) for other in given.get(pair, ())) for pair in true for one in true[pair]
    ]
    found = sum(number > 0 for number in finders)
    granularity = sum(finders) / found if found else 1.0
    return PassageRates(
        precision, recall, granularity, harmonic(precision, recall) / math.log2(1 + granularity)
    )


def _macro_average(passages: Spans, others: Spans) -> float:
    shares = [
        _covered(one, [other for other in others.get(pair, ()) if _overlap(one, other)])
        for pair, ones in passages.items()
        for one in ones
    ]
    if not shares:
        return 0.0 if any(others.values()) else 1.0
    return sum(shares) / len(shares)


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def _covered(one: Span, others: Sequence[Span]) -> float:
    """How much of a passage, both sides together, others cover."""
    covered = 0
    for start in (0, 2):
        reach = one[start]
        for low, high in sorted((other[start], other[start + 1]) for other in others):
            low, high = max(low, reach), min(high, one[start + 1])
            if high > low:
                covered, reach = covered + high - low, high
    return covered / max(1, one[1] - one[0] + one[3] - one[2])
