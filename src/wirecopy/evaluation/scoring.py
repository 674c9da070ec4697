"""A result against gold: what is found, what is missed, and by what it differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..comparison import RELATIONS
from ..measures import (
    Curve,
    area,
    average_precision,
    harmonic,
    pairs_of_clusters,
    plagdet,
    rate,
    sweep,
    wilson,
)
from ..model import Skipped
from . import mistakes
from .comparing import FORM, UNLISTED, Compared, compare_pairs, score_clusters
from .mistakes import Mistakes
from .reading import kind_of, read_gold, read_result
from .records import NOBODY, TURNED, Kind, Known, Table
from .tasks import Counts, Task

VIEWS = ("copies", "overlap")
MOST_VALUES = 30
"""So many classes, sources and languages are scored by themselves."""
STEPS = 20
"""A sweep is told at so many thresholds, and at the best."""
DRAWN = 400
"""A curve is drawn through about so many points."""


@dataclass(frozen=True)
class Evaluation:
    """How good a result is: `scores` has a column of measures for each view, `by` one for each relation, class, source and language."""

    kind: Kind
    counts: Mapping[str, Any]
    scores: Mapping[str, Mapping[str, Any]]
    by: Sequence[Mapping[str, Any]] = ()
    thresholds: Sequence[Mapping[str, Any]] = ()
    score: str = ""
    skipped: Sequence[Skipped] = field(default=(), repr=False)
    mistakes: Mistakes | None = None
    curve: Curve | None = field(default=None, repr=False)
    """What is reported at some of the thresholds, close enough to be drawn."""
    ranking: Curve | None = field(default=None, repr=False)
    """The same over all cases, those that are not reported at 0: what the ROC curve is drawn through."""

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as its public JSON object."""
        told: dict[str, Any] = {"kind": self.kind, "counts": dict(self.counts), "scores": {**self.scores}}
        told |= {"by": [*self.by], "score": self.score or None, "thresholds": [*self.thresholds]}
        return told | ({"mistakes": self.mistakes.to_dict()} if self.mistakes else {})


def _row(pairs: Compared, by: str, value: str) -> dict[str, Any]:
    view = pairs.view("copies")
    hits, reported, true = view.counts()
    rates = rate(hits, reported, true)
    told = {"by": by, "value": value, "true": true, "reported": reported, "hits": hits}
    told |= {"precision": rates.precision, "recall": rates.recall, "f1": rates.f}
    return told if pairs.is_closed else told | view.ranking()


def score_by_relation(pairs: Compared) -> Iterator[dict[str, Any]]:
    """For each relation: of gold's pairs how many are found and called so, of those reported as such how many are true."""
    gold, result = pairs.gold, pairs.result
    if not gold.relation.any() and not result.relation.any():
        return
    view = pairs.view("overlap")
    listed = pairs.at >= 0
    turned = np.zeros(len(result), bool)
    turned[listed] = result.query[listed] != gold.query[pairs.at[listed]]
    called = np.where(turned, TURNED[result.relation], result.relation)
    found = np.zeros(len(gold), np.uint8)
    found[pairs.at[listed & view.shown]] = called[listed & view.shown]
    is_found = np.zeros(len(gold), bool)
    is_found[pairs.at[listed & view.shown]] = True
    for code, name in enumerate(RELATIONS, 1):
        mine = (gold.relation == code) & view.true
        reported = (result.relation == code) & view.counted & view.shown
        true, hits = int(mine.sum()), int((mine & is_found).sum())
        right = int((reported & view.hit).sum())
        if true or reported.any():
            yield {
                "by": "relation",
                "value": str(name),
                "true": true,
                "reported": int(reported.sum()),
                "hits": hits,
                "precision": right / int(reported.sum()) if reported.any() else None,
                "recall": hits / true if true else None,
                "agreeing": int((found[mine] == code).sum()) / hits if hits else None,
            }


def score_by(pairs: Compared, gold: Table, known: Known | None) -> Iterator[dict[str, Any]]:
    """The scores by relation, by the classes of gold, and by source and language of either article, of those with most pairs."""
    yield from score_by_relation(pairs)
    if gold.groups:
        # A class is scored with all that is none, of whatever class.
        of_result = np.where(pairs.at >= 0, pairs.gold.group[pairs.at] if len(pairs.gold) else 0, NOBODY)
        wrong = np.isin(pairs.truth, (Counts.NO, UNLISTED))
        for number, name in enumerate(gold.groups[:MOST_VALUES]):
            mine = (pairs.gold.group == number) | (pairs.gold.counts == Counts.NO)
            part = pairs.where(mine, (of_result == number) | wrong)
            yield _row(part, "class", name)
    for by, (values, names) in (known.fields if known else {}).items():
        sides = [values[side] for one in (pairs.gold, pairs.result) for side in (one.query, one.found)]
        often = np.bincount(np.concatenate(sides), minlength=len(names))
        for number in np.argsort(-often, kind="stable")[:MOST_VALUES].tolist():
            mine, ours = (
                (values[one.query] == number) | (values[one.found] == number)
                for one in (pairs.gold, pairs.result)
            )
            if names[number] and often[number]:
                yield _row(pairs.where(mine, ours), by, names[number])


def tell_thresholds(curve: Curve, true: int, steps: int = STEPS) -> list[dict[str, Any]]:
    """Precision and recall at some thresholds, evenly over what is reported, and at the one with the best F, marked `best`."""
    if not len(curve.thresholds):
        return []
    shares = np.linspace(1 / steps, 1, steps) * curve.reported[-1]
    places = np.unique(np.minimum(np.searchsorted(curve.reported, shares), len(curve.reported) - 1))
    best = best_place(curve, true)
    told = []
    for place in np.union1d(places, [best]).tolist():
        rates = rate(int(curve.hits[place]), int(curve.reported[place]), true)
        told.append(
            {
                "threshold": float(curve.thresholds[place]),
                "reported": int(curve.reported[place]),
                **dict(zip(("precision", "recall", "f1"), rates, strict=True)),
                "best": place == best,
            }
        )
    return told


def thin(curve: Curve | None, true: int, points: int = DRAWN) -> Curve | None:
    """About so many places of a curve, evenly over what is reported, what of it is hit, and the thresholds, and the best; None of none."""
    if curve is None or not len(curve.thresholds):
        return None
    steps = np.linspace(0, 1, points // 3)
    places = [
        np.searchsorted(rising, rising[0] + steps * (rising[-1] - rising[0]))
        for rising in (curve.hits, curve.reported, -curve.thresholds)
    ]
    every = np.concatenate([*places, [best_place(curve, true)]])
    some = np.unique(np.minimum(every, len(curve.thresholds) - 1))
    return Curve(*(part[some] for part in curve))


def best_place(curve: Curve, true: int) -> int:
    """Where a curve has the best F."""
    return int(np.argmax(curve.rates(true)[2]))


def evaluate(
    gold: Path,
    result: Path,
    *,
    kind: Kind | None = None,
    known: Known | None = None,
    task: Task | None = None,
    score: str = "",
) -> Evaluation:
    """How good the result in a file is against the gold in another.

    `kind` is what gold holds, by default told by its fields. With all articles `known`, ranking and clusters are measured over all of them, and
    pairs by their sources and languages.
    """
    kind = kind or kind_of(gold)
    truth = read_gold(gold, kind, known, task)
    answer = read_result(result, kind, truth.ids, score)
    skipped = [*truth.skipped, *answer.skipped]
    if kind == "pairs":
        return _evaluate_pairs(truth, answer, known, skipped)
    score_others = {"clusters": _score_clusters, "verdicts": _score_verdicts, "passages": _score_passages}
    return score_others[kind](truth, answer, skipped)


def _evaluate_pairs(
    gold: Table, result: Table, known: Known | None, skipped: Sequence[Skipped]
) -> Evaluation:
    pairs = compare_pairs(gold, result, known)
    views = VIEWS if has_forms(pairs) else VIEWS[:1]
    view = pairs.view("copies")
    outside = int((pairs.truth == UNLISTED).sum())
    counts = {
        "gold": len(pairs.gold),
        "closed": pairs.is_closed,
        "open": int((pairs.gold.counts == Counts.OPEN).sum()),
        "result": result.records,
        "outside_gold": outside,
        "repeated": result.repeated,
        "articles": None if pairs.members is None else len(pairs.members),
        "families": len(np.unique(pairs.family[pairs.gold.query[view.true]])),
    }
    true, curve = int(view.true.sum()), view.curve() if result.score_name else None
    thresholds = tell_thresholds(curve, true) if curve else []
    return Evaluation(
        "pairs",
        counts,
        {name: pairs.view(name).measures() for name in views},
        list(score_by(pairs, gold, known)),
        thresholds,
        result.score_name,
        skipped,
        mistakes.of_pairs(pairs, gold.ids),
        thin(curve, true),
        thin(view.ranking_curve(), true),
    )


def has_forms(pairs: Compared) -> bool:
    """Whether gold or the result knows forms."""
    return bool((pairs.gold.counts == Counts.FORM).any() or (pairs.result.relation == FORM).any())


def _score_clusters(gold: Table, result: Table, skipped: Sequence[Skipped]) -> Evaluation:
    """B³ and adjusted Rand over the articles of gold; what a result does not name is alone, and pairs are closed transitively."""
    assert gold.articles is not None
    articles = len(gold.ids)
    if result.pairs is not None:
        shown = result.pairs.take(result.pairs.accepted & (result.pairs.relation != FORM))
        answer = _core.components(articles, shown.query, shown.found).astype(np.int64)
    else:
        assert result.articles is not None
        assert result.clusters is not None
        answer = np.arange(articles, dtype=np.int64) + len(result.clusters) + 1
        answer[result.articles] = result.clusters
    answer = answer[gold.articles]
    assert gold.clusters is not None
    joined = pairs_of_clusters(gold.clusters, answer)
    measures = score_clusters(gold.clusters, answer)
    measures |= {"precision": joined.precision, "recall": joined.recall, "f1": joined.f}
    counts = {
        "articles": len(answer),
        "gold_clusters": len(np.unique(gold.clusters)),
        "result_clusters": len(np.unique(answer)),
    }
    names = [gold.ids.names[one] for one in gold.articles.tolist()]
    wrong = mistakes.of_clusters(gold.clusters, answer, names)
    return Evaluation("clusters", counts, {"clusters": measures}, skipped=skipped, mistakes=wrong)


def _score_verdicts(gold: Table, result: Table, skipped: Sequence[Skipped]) -> Evaluation:
    """Precision and recall of the articles that are called duplicates."""
    assert gold.articles is not None
    assert gold.duplicate is not None
    assert result.articles is not None
    assert result.duplicate is not None
    said, score = np.zeros(len(gold.ids), bool), np.zeros(len(gold.ids))
    said[result.articles] = result.duplicate
    if result.scores is not None:
        score[result.articles] = result.scores
    said, score = said[gold.articles], score[gold.articles]
    hits, reported, true = (int(one.sum()) for one in (said & gold.duplicate, said, gold.duplicate))
    rates = rate(hits, reported, true)
    measures: dict[str, Any] = {"true": true, "reported": reported, "hits": hits}
    measures |= {"precision": rates.precision, "precision_interval": wilson(hits, reported)}
    measures |= {"recall": rates.recall, "recall_interval": wilson(hits, true), "f1": rates.f}
    thresholds: list[dict[str, Any]] = []
    curve = ranking = None
    if result.scores is not None:
        under = area(gold.duplicate, score)
        measures |= {"auroc": under and under.area, "auroc_error": under and under.error}
        measures |= {"average_precision": average_precision(gold.duplicate, score)}
        curve = sweep(gold.duplicate[score > 0], score[score > 0])
        ranking = sweep(gold.duplicate, score)
        thresholds = tell_thresholds(curve, true)
    counts = {"gold": len(gold.articles), "result": len(result.articles)}
    return Evaluation(
        "verdicts",
        counts,
        {"articles": measures},
        thresholds=thresholds,
        score=result.score_name,
        skipped=skipped,
        curve=thin(curve, true),
        ranking=thin(ranking, true),
    )


def _score_passages(gold: Table, result: Table, skipped: Sequence[Skipped]) -> Evaluation:
    """PAN's measures of passages, for all pairs of gold and for each class."""
    assert gold.passages is not None
    assert result.passages is not None
    reported = dict(result.passages)
    for (query, found), spans in result.passages.items():
        if (query, found) not in gold.passages and (found, query) in gold.passages:
            reported[found, query] = [(*one[2:], *one[:2]) for one in spans]
    classes: dict[str, list[tuple[int, int]]] = {}
    for pair, name in (gold.classes or {}).items():
        classes.setdefault(name, []).append(pair)

    def measure(pairs: Sequence[tuple[int, int]]) -> dict[str, Any]:
        assert gold.passages is not None
        rates = plagdet({pair: gold.passages[pair] for pair in pairs}, reported)
        told = {"pairs": len(pairs), "cases": sum(len(gold.passages[pair]) for pair in pairs)}
        told |= {"reported": sum(len(reported.get(pair, ())) for pair in pairs)}
        return told | rates._asdict() | {"f1": harmonic(rates.precision, rates.recall)}

    by = [{"by": "class", "value": name, **measure(pairs)} for name, pairs in sorted(classes.items())]
    counts = {"gold": len(gold.passages), "result": result.records}
    wrong = mistakes.of_passages(gold.passages, reported, gold.ids)
    measures = measure(list(gold.passages))
    return Evaluation("passages", counts, {"passages": measures}, by, skipped=skipped, mistakes=wrong)
