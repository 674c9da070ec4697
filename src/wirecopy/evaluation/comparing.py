"""The pairs of a result beside those of gold: which are hits, how sure that is, and how they rank and cluster.

A pair counts whichever of its articles is called the query. If gold names no pair that is none, every pair that it does not name is none;
else such pairs are only counted. A form is no copy: the view `copies` is of what is copied, `overlap` of all that shares its words, forms
included.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..comparison import RELATIONS
from ..measures import (
    Curve,
    Interval,
    adjusted_rand,
    area,
    average_precision,
    b_cubed,
    bootstrap,
    f_of,
    rate,
    sweep,
    wilson,
)
from .records import Known, Pairs, Table
from .tasks import Counts

UNLISTED = 254
"""What gold says of a pair that it does not name."""
FORM = RELATIONS.index("form") + 1


@dataclass(frozen=True)
class Compared:
    """The pairs of a result beside those of gold.

    `truth` is what gold says of each reported pair (`Counts`, or `UNLISTED`), `at` its place in gold; `family` the class of duplicates
    that each article is in by gold.
    """

    gold: Pairs
    result: Pairs
    truth: NDArray[np.uint8]
    at: NDArray[np.int64]
    family: NDArray[np.uint32]
    is_closed: bool
    members: NDArray[np.uint32] | None = None
    """All articles there are; None if that is not known."""

    def view(self, name: str) -> View:
        """What is true, reported and hit if forms are no copies, or if they are overlap like any other."""
        with_forms = name == "overlap"
        true = self.gold.counts == Counts.COPY
        hit = self.truth == Counts.COPY
        shown = self.result.accepted & (with_forms | (self.result.relation != FORM))
        if with_forms:
            true, hit = true | (self.gold.counts == Counts.FORM), hit | (self.truth == Counts.FORM)
        counted = (self.truth != Counts.OPEN) & (self.is_closed | (self.truth != UNLISTED))
        return View(self, true, hit & counted, counted, shown)

    def where(self, gold: NDArray[np.bool_], result: NDArray[np.bool_]) -> Compared:
        """Some of the pairs of gold and of the result; what is left is compared as before."""
        places = np.append(
            np.where(gold, np.cumsum(gold) - 1, -1), -1
        )  # the last is for what gold does not name
        kept = np.flatnonzero(result)
        at = places[self.at[kept]]
        parts = self.gold.take(gold), self.result.take(kept), self.truth[kept]
        return Compared(*parts, at, self.family, self.is_closed, self.members)

    def within(self, articles: NDArray[np.bool_]) -> Compared:
        """The pairs of which both articles are among some."""
        part = self.where(*(articles[one.query] & articles[one.found] for one in (self.gold, self.result)))
        return replace(part, members=None if self.members is None else self.members[articles[self.members]])

    def at_least(self, threshold: float) -> Compared:
        """The same, with what scores less left out of the result; the rest is accepted, whatever its method decides."""
        part = self.where(np.ones(len(self.gold), bool), self.result.score >= threshold)
        return replace(part, result=replace(part.result, accepted=np.ones(len(part.result), bool)))


@dataclass(frozen=True)
class View:
    """Which pairs of gold are `true`, and of the result which are `hit`, which are `counted` at all, and which are `shown` as found."""

    pairs: Compared
    true: NDArray[np.bool_]
    hit: NDArray[np.bool_]
    counted: NDArray[np.bool_]
    shown: NDArray[np.bool_]

    def counts(self) -> tuple[int, int, int]:
        """How many pairs are hits, reported and true."""
        reported = self.counted & self.shown
        return int((self.hit & reported).sum()), int(reported.sum()), int(self.true.sum())

    @property
    def ranked(self) -> NDArray[np.bool_]:
        """Which pairs of the result a threshold may report: also those that their method does not accept."""
        return self.counted & (self.shown | ~self.pairs.result.accepted)

    def curve(self) -> Curve:
        """What is reported at each threshold of the score."""
        return sweep(self.hit[self.ranked], self.pairs.result.score[self.ranked])

    def ranking_curve(self) -> Curve | None:
        """The same over all cases that `ranking` is over, with those that are not reported at 0; None where it says nothing."""
        rest = self._unscored()
        return rest and sweep(self.hit[self.ranked], self.pairs.result.score[self.ranked], rest)

    def intervals(self) -> dict[str, Interval | None]:
        """What precision, recall and F lie between, by families if some have several pairs."""
        hits, reported, true = self.counts()
        shown = self.counted & self.shown
        of_result, of_gold = (self.pairs.family[one.query] for one in (self.pairs.result, self.pairs.gold))
        families = len(self.pairs.family)
        counts = np.column_stack(
            [
                np.bincount(of_result[shown & self.hit], minlength=families),
                np.bincount(of_result[shown], minlength=families),
                np.bincount(of_gold[self.true], minlength=families),
            ]
        )
        counts = counts[counts.any(axis=1)]
        if not len(counts) or counts.max() < 2:
            return {"precision": wilson(hits, reported), "recall": wilson(hits, true), "f1": None}
        return {
            "precision": _interval(counts[:, :2]),
            "recall": _interval(counts[:, [0, 2]]),
            "f1": bootstrap(counts, lambda drawn: f_of(*drawn.T)),
        }

    def measures(self) -> dict[str, Any]:
        """All that can be said of the pairs as a whole."""
        hits, reported, true = self.counts()
        rates, sure = rate(hits, reported, true), self.intervals()
        told: dict[str, Any] = {"true": true, "reported": reported, "hits": hits}
        for name, value in zip(("precision", "recall", "f1"), rates, strict=True):
            told |= {name: value, f"{name}_interval": sure[name]}
        return told | self.ranking() | self.clusters()

    def ranking(self) -> dict[str, Any]:
        """AU-ROC and average precision: over all pairs of articles if gold is closed, else over those that it names."""
        rest = self._unscored()
        if rest is None:
            return {}
        hit, score = self.hit[self.ranked], self.pairs.result.score[self.ranked]
        under = area(hit, score, rest)
        return {
            "auroc": under and under.area,
            "auroc_error": under and under.error,
            "average_precision": average_precision(hit, score, rest),
        }

    def _unscored(self) -> tuple[int, int] | None:
        """How many more true and false cases there are than the result ranks; None if it has no scores, or that cannot be known."""
        pairs = self.pairs
        if not np.any(pairs.result.score) or (pairs.is_closed and pairs.members is None):
            return None
        settled = pairs.gold.counts != Counts.OPEN
        true, cases = int(self.true.sum()), int(settled.sum())
        if pairs.members is not None and pairs.is_closed:
            articles = len(pairs.members)
            cases = articles * (articles - 1) // 2 - int((~settled).sum())
        found = int(self.hit[self.ranked].sum())
        return true - found, max(0, cases - true - (int(self.ranked.sum()) - found))

    def clusters(self) -> dict[str, Any]:
        """B³ and adjusted Rand of what the pairs join, over all articles, if it is known which there are."""
        members = self.pairs.members
        if members is None or not self.pairs.is_closed:
            return {}
        result, gold, ids = self.pairs.result, self.pairs.gold, len(self.pairs.family)
        joining = self.counted & self.shown
        truth = _core.components(ids, gold.query[self.true], gold.found[self.true])
        answer = _core.components(ids, result.query[joining], result.found[joining])
        return score_clusters(truth[members], answer[members])


def _interval(counts: NDArray[np.int64]) -> Interval | None:
    """Of a share, by families; where no draw differs, by Wilson, each family being one case."""
    sure = bootstrap(
        counts,
        lambda drawn: np.divide(drawn[:, 0], drawn[:, 1], where=drawn[:, 1] > 0, out=np.ones(len(drawn))),
    )
    if sure is None or sure.low == sure.high:
        there = counts[:, 1] > 0
        return wilson(int((counts[there, 0] == counts[there, 1]).sum()), int(there.sum()))
    return sure


def score_clusters(truth: NDArray[Any], answer: NDArray[Any]) -> dict[str, Any]:
    """B³ and adjusted Rand of clusters."""
    rates = b_cubed(truth, answer)
    told = {"b3_precision": rates.precision, "b3_recall": rates.recall, "b3_f1": rates.f}
    return told | {"adjusted_rand": adjusted_rand(truth, answer)}


def compare_pairs(gold: Table, result: Table, known: Known | None = None) -> Compared:
    """The pairs of a result beside those of gold; with all articles `known`, those of others are left out."""
    assert gold.pairs is not None
    assert result.pairs is not None
    theirs, ours = gold.pairs, result.pairs
    members = None
    if known:
        members = np.arange(known.articles, dtype=np.uint32)
        ours = ours.take((ours.query < known.articles) & (ours.found < known.articles))
    at = _find(ours.keys(), theirs.keys())
    truth = np.full(len(at), UNLISTED, np.uint8)
    truth[at >= 0] = theirs.counts[at[at >= 0]]
    related = theirs.take(np.isin(theirs.counts, (Counts.COPY, Counts.FORM)))
    family = _core.components(len(gold.ids), related.query, related.found)
    is_closed = not (theirs.counts == Counts.NO).any()
    return Compared(theirs, ours, truth, at, family, is_closed, members)


def _find(asked: NDArray[np.uint64], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The place of each key that is asked for, -1 if it is not there. Both are sorted: neighbours are found in neighbouring memory."""
    at = np.full(len(asked), -1, np.int64)
    if not len(keys):
        return at
    order, wanted = np.argsort(keys, kind="stable"), np.argsort(asked, kind="stable")
    keys, asked = keys[order], asked[wanted]
    places = np.searchsorted(keys, asked)
    np.minimum(places, len(keys) - 1, out=places)
    there = keys[places] == asked
    at[wanted[there]] = order[places[there]]
    return at
