"""Thresholds by intent: where to cut a ranking so that its precision, recall or F is what is wanted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import UsageError
from ..measures import Interval
from .comparing import Compared

MEASURES = ("precision", "recall", "f1")
_WISH = re.compile(r"\s*(precision|recall|f1)\s*(?:>=|≥|=|:)?\s*(0?\.\d+|0|1(?:\.0*)?)\s*")


class Wish(NamedTuple):
    """What is wanted of a measure: at least this much."""

    measure: str
    least: float


@dataclass(frozen=True)
class Choice:
    """Where a result reaches a wish, and what it is worth there; `threshold` is None where nothing needs to be cut off."""

    name: str
    threshold: float | None
    precision: float
    recall: float
    f1: float
    interval: Interval | None
    """Of the measure that is wished for."""

    def to_dict(self) -> dict[str, Any]:
        """The choice as its public JSON object."""
        return {name: getattr(self, name) for name in self.__match_args__}


def read_wish(said: str) -> Wish:
    """The wish in words: `precision 0.99`."""
    found = _WISH.fullmatch(said)
    if not found:
        raise UsageError(
            f"{said!r}: expected a measure and a share, such as 'precision 0.99'; measures: {', '.join(MEASURES)}"
        )
    return Wish(found[1], float(found[2]))


def choose(name: str, pairs: Compared, wish: Wish) -> Choice | None:
    """The threshold at which a result reaches the wish and is best otherwise: most recall, or for recall most precision; None if at none, or if gold has no copies."""
    view = pairs.view("copies")
    true, curve = int(view.true.sum()), view.curve()
    precision, recall, f1 = curve.rates(true)
    wished = {"precision": precision, "recall": recall, "f1": f1}[wish.measure]
    other = {"precision": recall, "recall": precision, "f1": f1}[wish.measure]
    reaching = np.flatnonzero(wished >= wish.least)
    if not len(reaching) or not true:
        return None
    at = int(reaching[np.argmax(other[reaching])])
    is_all = at == len(curve.thresholds) - 1 and bool(pairs.result.accepted.all())
    threshold = None if is_all else float(curve.thresholds[at])
    kept = pairs if threshold is None else pairs.at_least(threshold)
    interval = kept.view("copies").intervals()[wish.measure]
    return Choice(name, threshold, float(precision[at]), float(recall[at]), float(f1[at]), interval)
