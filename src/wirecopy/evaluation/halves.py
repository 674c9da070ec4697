"""Articles in two halves, for tuning and for reporting, such that no class of duplicates is in both (CEDAR's section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from .comparing import Compared
from .scoring import best_place


@dataclass(frozen=True)
class Halves:
    """The pairs of the development half and of the test half; `dropped` pairs have an article in each, and are in neither."""

    development: Compared
    test: Compared
    dropped: int


def part(pairs: Compared, seed: int = 1) -> Halves:
    """The pairs in halves of about as many articles that gold relates, each class of duplicates whole in one of them.

    Classes are dealt in random order, the bigger first, each to the half that has fewer articles.
    """
    classes, sizes = np.unique(pairs.family, return_counts=True)
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(len(classes))
    big = shuffled[np.argsort(-sizes[shuffled], kind="stable")]
    in_development = np.zeros(len(classes), bool)
    many = big[sizes[big] > 1]
    held = [0, 0]
    for number in many.tolist():
        half = int(held[1] < held[0])
        in_development[number] = half == 0
        held[half] += int(sizes[number])
    alone = big[sizes[big] == 1]
    in_development[alone[::2]] = True
    chosen: NDArray[np.bool_] = in_development[np.searchsorted(classes, pairs.family)]
    development, test = pairs.within(chosen), pairs.within(~chosen)
    kept = sum(len(one.gold) + len(one.result) for one in (development, test))
    return Halves(development, test, len(pairs.gold) + len(pairs.result) - kept)


def tune(pairs: Compared, seed: int = 1) -> dict[str, Any]:
    """The threshold with the best F on the development half, and the scores of both halves with it."""
    halves = part(pairs, seed)
    if not all(half.view("copies").true.any() for half in (halves.development, halves.test)):
        raise UsageError("gold has no two classes of duplicates: one half has nothing to find")
    view = halves.development.view("copies")
    curve = view.curve()
    if not len(curve.thresholds):
        raise UsageError("no pair of the development half has a score to tune a threshold on")
    threshold = float(curve.thresholds[best_place(curve, int(view.true.sum()))])
    scores = {
        name: half.at_least(threshold).view("copies").measures() | half.view("copies").ranking()
        for name, half in (("development", halves.development), ("test", halves.test))
    }
    return {"threshold": threshold, "dropped": halves.dropped, "seed": seed, **scores}
