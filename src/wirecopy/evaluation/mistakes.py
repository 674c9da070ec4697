"""The worst mistakes of a result: what it reports with the highest scores and is none, and what it misses although gold is surest of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..comparison import RELATIONS
from ..measures import Span
from .comparing import Compared
from .records import Ids
from .tasks import Counts

MOST = 20
"""So many are told of each kind."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A pair that a result has wrong: what gold and the result say of it, empty where they do not name it, and its score."""

    query: str
    found: str
    gold: str
    said: str
    score: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The mistake as its public JSON object."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Mistakes:
    """The worst of each kind, the worst first, and how many there are."""

    false_alarms: Sequence[Mistake] = ()
    misses: Sequence[Mistake] = ()
    false_alarm_count: int = 0
    miss_count: int = 0

    def ids(self) -> frozenset[str]:
        """The articles that they are about."""
        return frozenset(id for one in (*self.false_alarms, *self.misses) for id in (one.query, one.found))

    def to_dict(self) -> dict[str, Any]:
        """The mistakes as their public JSON object."""
        told: dict[str, Any] = {"false_alarm_count": self.false_alarm_count, "miss_count": self.miss_count}
        told |= {name: [one.to_dict() for one in getattr(self, name)] for name in ("false_alarms", "misses")}
        return told


def find_worst(
    places: NDArray[np.int64], keys: Sequence[NDArray[Any]], most: int = MOST
) -> NDArray[np.int64]:
    """The places with the largest keys, the first key first, and of those that are level the earliest; in that order.

    Nothing is sorted but what is chosen: there may be millions.
    """
    level, chosen = places, [places[:0]]
    for key in keys:
        room = most - sum(map(len, chosen))
        if len(level) <= room:
            break
        values = key[level]
        least = np.partition(values, len(values) - room)[len(values) - room]
        chosen.append(level[values > least])
        level = level[values == least]
    chosen.append(level[: most - sum(map(len, chosen))])
    best = np.concatenate(chosen)
    return best[np.lexsort((best, *(-key[best].astype(np.float64) for key in reversed(keys))))]


def of_pairs(pairs: Compared, ids: Ids) -> Mistakes:
    """The mistakes of pairs, forms being no copies: false alarms by score, misses by what gold says is shared, then by relation."""
    view, gold, result = pairs.view("copies"), pairs.gold, pairs.result
    reported = view.counted & view.shown
    wrong = np.flatnonzero(reported & ~view.hit)
    found = np.zeros(len(gold), bool)
    found[pairs.at[reported & view.hit]] = True
    missed = np.flatnonzero(view.true & ~found)
    said_at = np.full(len(gold), -1, np.int64)
    listed = np.flatnonzero(pairs.at >= 0)
    said_at[pairs.at[listed]] = listed

    def of_gold(row: int) -> str:
        return _gold_says(int(gold.counts[row]), int(gold.relation[row])) if row >= 0 else ""

    def of_result(row: int) -> str:
        said = _name_relation(int(result.relation[row])) or "copy"
        return said if result.accepted[row] else "not accepted"

    def tell(side: Any, row: int, gold_says: str, at: int) -> Mistake:
        names = ids.names[side.query[row]], ids.names[side.found[row]]
        score = float(result.score[at]) if at >= 0 and np.any(result.score) else None
        return Mistake(*names, gold_says, of_result(at) if at >= 0 else "", score)

    return Mistakes(
        [
            tell(result, row, of_gold(int(pairs.at[row])), row)
            for row in find_worst(wrong, [result.score, _closeness(result.relation)]).tolist()
        ],
        [
            tell(gold, row, of_gold(row), int(said_at[row]))
            for row in find_worst(missed, [gold.score, _closeness(gold.relation)]).tolist()
        ],
        len(wrong),
        len(missed),
    )


def _closeness(relation: NDArray[np.uint8]) -> NDArray[np.int8]:
    """The closer a relation, the larger; one that is not told is the least."""
    return np.where(relation == 0, 0, len(RELATIONS) + 1 - relation.astype(np.int8)).astype(np.int8)


def _name_relation(code: int) -> str:
    return str(RELATIONS[code - 1]) if code else ""


def _gold_says(counts: int, relation: int) -> str:
    if counts == Counts.NO:
        return "no copy"
    return _name_relation(relation) or ("form" if counts == Counts.FORM else "copy")


def of_clusters(truth: NDArray[Any], answer: NDArray[Any], names: Sequence[str]) -> Mistakes:
    """The mistakes of clusters: of each that joins what gold keeps apart two articles, and of each of gold that is torn, the largest first."""
    alarms, joined = _torn(answer, truth)
    misses, parted = _torn(truth, answer)
    return Mistakes(
        [Mistake(names[one], names[other], "apart", "one cluster") for one, other in alarms],
        [Mistake(names[one], names[other], "one cluster", "apart") for one, other in misses],
        joined,
        parted,
    )


def _torn(clusters: NDArray[Any], parts: NDArray[Any]) -> tuple[list[tuple[int, int]], int]:
    """Two articles of each cluster that lies in several parts, one of the part with its first article and one of none; and how many such there are."""
    _, cluster, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    order = np.argsort(cluster, kind="stable")
    first = order[np.concatenate([[0], np.cumsum(sizes)[:-1]])] if len(order) else order
    other = np.flatnonzero(parts != parts[first[cluster]])
    torn, at = np.unique(cluster[other], return_index=True)
    largest = find_worst(np.arange(len(torn)), [sizes[torn]])
    return [(int(first[torn[one]]), int(other[at[one]])) for one in largest.tolist()], len(torn)


Passages = Mapping[tuple[int, int], Sequence[Span]]


def of_passages(true: Passages, reported: Passages, ids: Ids) -> Mistakes:
    """The mistakes of passages: pairs in which some are reported and gold has none, and pairs of which all are missed, the most characters first."""
    alarms = {pair: _length(spans) for pair, spans in reported.items() if true.get(pair) == [] and spans}
    misses = {pair: _length(spans) for pair, spans in true.items() if spans and not reported.get(pair)}

    def tell(found: Mapping[tuple[int, int], int], gold: str, said: str) -> list[Mistake]:
        worst = sorted(found, key=lambda pair: (-found[pair], pair))[:MOST]
        return [
            Mistake(ids.names[one], ids.names[other], gold.format(many), said.format(many))
            for one, other in worst
            for many in (found[one, other],)
        ]

    return Mistakes(
        tell(alarms, "no copy", "{:,} characters"),
        tell(misses, "{:,} characters", ""),
        len(alarms),
        len(misses),
    )


def _length(spans: Sequence[Span]) -> int:
    return sum(end - start for start, end, *_ in spans)
