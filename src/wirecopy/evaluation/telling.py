"""An evaluation in words, for a terminal and for a page: what measures are called, their values, and what they are of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..model import count
from .scoring import Evaluation

NAMES = {
    "true": "true",
    "reported": "reported",
    "hits": "hits",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "auroc": "AU-ROC",
    "average_precision": "average precision",
    "b3_precision": "B³ precision",
    "b3_recall": "B³ recall",
    "b3_f1": "B³ F1",
    "adjusted_rand": "adjusted Rand",
    "pairs": "pairs",
    "cases": "passages",
    "granularity": "granularity",
    "plagdet": "plagdet",
}
"""What each measure is called, in the order in which they are told."""


def say_measure(name: str, scores: Mapping[str, Any]) -> str:
    """The value of a measure with its interval or error; nothing if it has none."""
    value = scores.get(name)
    if name == "auroc" and value is not None:
        return f"{value:.5f} ± {scores['auroc_error']:.5f}"
    return " ".join(filter(None, (say_value(value), say_interval(scores.get(f"{name}_interval")))))


def say_interval(interval: Sequence[float] | None) -> str:
    """An interval; nothing if there is none."""
    return f"[{interval[0]:.3f}–{interval[1]:.3f}]" if interval else ""


def say_value(value: Any) -> str:
    """A share with three digits, a number with commas; nothing for None."""
    return "" if value is None else f"{value:.3f}" if isinstance(value, float) else f"{value:,}"


def say_basis(evaluated: Evaluation) -> Iterator[str]:
    """What the scores are of, where that is not plain."""
    counts = evaluated.counts
    if evaluated.kind != "pairs":
        return
    if counts["closed"]:
        yield f"{count(counts['gold'], 'gold pair')}; every other pair counts as no copy"
        if evaluated.score and counts["articles"] is None:
            yield "AU-ROC and clusters are over all articles, which are not known"
    else:
        said = f"{counts['outside_gold']:,} reported that gold does not name are left out"
        yield f"{count(counts['gold'], 'gold pair')}; {said}"
    if counts["open"]:
        yield f"{count(counts['open'], 'pair is', 'pairs are')} questionable: left out"
