"""Trees grown by trying every split, and walked node by node: the twin of `rust/src/trees.rs`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any


@dataclass
class Leaf:
    rows: list[int]
    score: float
    split: tuple[float, list[int], list[int]] | None


def grow(
    bins: Sequence[Sequence[int]],
    is_amount: Sequence[bool],
    slopes: Sequence[float],
    weights: Sequence[float],
    chosen: Sequence[int],
    *,
    leaves: int,
    least: float,
    shrinkage: float,
    rate: float,
) -> list[Leaf]:
    """The leaves of a tree over columns of bins: always the split that gains most, until there are enough leaves."""

    def sums(rows: Sequence[int]) -> tuple[float, float]:
        return sum(slopes[row] for row in rows), sum(weights[row] for row in rows)

    def worth(rows: Sequence[int]) -> float:
        slope, weight = sums(rows)
        return slope**2 / (weight + shrinkage)

    def leaf(rows: list[int]) -> Leaf:
        best = None
        for column, amount in zip(bins, is_amount, strict=True):
            for at in sorted({column[row] for row in rows}):
                yes = [row for row in rows if (column[row] <= at if amount else column[row] == at)]
                no = [row for row in rows if row not in yes]
                if min(sums(yes)[1], sums(no)[1]) < least or not yes or not no:
                    continue
                gain = worth(yes) + worth(no) - worth(rows)
                if gain > (best[0] if best else 1e-9):
                    best = gain, yes, no
        slope, weight = sums(rows)
        return Leaf(rows, rate * slope / (weight + shrinkage), best)

    found = [leaf(list(chosen))]
    while len(found) < leaves and any(one.split for one in found):
        widest = max((one for one in found if one.split), key=lambda one: one.split[0] if one.split else 0)
        assert widest.split
        _, yes, no = widest.split
        found.remove(widest)
        found += [leaf(yes), leaf(no)]
    return found


def walk(tree: dict[str, Any], row: Sequence[float], is_amount: Sequence[bool]) -> float:
    """The score of a row by a tree in its plain form; what is missing is at most everything."""
    node = 0
    while (asked := tree["value"][node]) >= 0:
        given, at = row[asked], tree["at"][node]
        holds = given <= at or isnan(given) if is_amount[asked] else given == at
        node = tree["yes" if holds else "no"][node]
    return float(tree["score"][node])
