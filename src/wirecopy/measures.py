"""How well an answer agrees with the truth: one definition of each measure."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Rates(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f: float


def b_cubed(truth: ArrayLike, answer: ArrayLike) -> Rates:
    """B³ of clusters (Bagga and Baldwin 1998): the share of each item's cluster that is rightly there, and of its true one that is found.

    `truth` and `answer` name the cluster of each item; the means are over items.
    """
    right, true, given = _overlaps(truth, answer)
    if not len(right):
        return Rates(1.0, 1.0, 1.0)
    precision, recall = float(np.mean(right / given)), float(np.mean(right / true))
    return Rates(precision, recall, 2 * precision * recall / (precision + recall))


def adjusted_rand(truth: ArrayLike, answer: ArrayLike) -> float:
    """The share of pairs of items that both clusterings join or keep apart, corrected for chance (Hubert and Arabie 1985)."""
    right, true, given = _overlaps(truth, answer)
    items = len(right)
    joined, truly, wrongly = (float(np.sum(sizes - 1)) / 2 for sizes in (right, true, given))
    pairs = items * (items - 1) / 2
    expected = truly * wrongly / pairs if pairs else 0.0
    most = (truly + wrongly) / 2
    return 1.0 if most == expected else (joined - expected) / (most - expected)


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
