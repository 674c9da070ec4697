"""Models from labelled pages (docs/extraction.md).

The `crf`: trees are grown over the values of blocks, each where those before are most wrong (first look); then
over these values and what the first look says about the blocks around (second look). The chain's transitions are set, not
learnt: trained together with the trees they explain the long runs of a page so well that the trees learn little,
and one wrong block flips a whole column (compare piecewise training: Sutton and McCallum 2005). What the second look
learns from must be like what it will meet: the first look at a page comes from trees that have not seen its
site.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wirecopy import _core
from wirecopy.errors import MissingExtra, SourceError
from wirecopy.extraction import MAX_PAGE_BYTES, MAX_PAGE_TAGS
from wirecopy.extraction.labelled import Flags, LabelledPage
from wirecopy.model import count
from wirecopy.text import utf8

FORMAT = 1

TREES = (200, 300)
RATES = (0.06, 0.08)
FORESTS = 3
LEAVES = (24, 32)
LEAST_LEAF = 3.0
SHRINKAGE = 1.0
VALUES_A_TREE = 0.25
PAGES_A_TREE = 0.3
AGAIN = 0.02
TRANSITION = 0.25
"""Chosen by cross-validation over the development pages, over sites and with collections left out (docs/extraction.md)."""

DOUBTFUL = 0.97
DOUBTED = 0.2
"""A label that trees of other sites find this unlikely is more often a mistake than a lesson, and counts only so much."""

MAXENT_C = 1.0
WORD_GROUPS = 12
"""A word of fewer sites is not learnt."""

BINS = 64
INNER_FOLDS = 3

Floats = NDArray[np.float64]
Progress = Callable[[str], None]


def _in_order(pages: Sequence[LabelledPage]) -> list[LabelledPage]:
    """Pages are drawn by their place: the same for any order."""
    return sorted(pages, key=lambda page: (page.collection, page.id))


def _importance(pages: Sequence[LabelledPage]) -> Floats:
    """Large collections count more than small ones, but not as much more as they are larger."""
    sizes = {page.collection: 0 for page in pages}
    for page in pages:
        sizes[page.collection] += 1
    importance: Floats = np.array([sizes[page.collection] ** -0.5 for page in pages])
    importance /= importance.mean()
    return importance


def part(groups: Sequence[str], number: int, salt: str = "") -> NDArray[np.int64]:
    """Which of so many parts each page falls to, by its group: the same for any order."""
    drawn = {group: int.from_bytes(hashlib.blake2b(utf8(salt + group)).digest()[:8]) for group in groups}
    chosen = {group: place % number for group, place in drawn.items()}
    if len(set(chosen.values())) < number:
        # A few groups may all fall to one part; dealt out, they do not.
        chosen = {group: place % number for place, group in enumerate(sorted(drawn, key=drawn.__getitem__))}
    return np.array([chosen[group] for group in groups], np.int64)


def _likely(scores: Floats) -> Floats:
    likely: Floats = 1 / (1 + np.exp(-scores))
    return likely


class _Bins:
    """Values as small numbers: amounts by quantile, choices as they are; 0 is missing."""

    def __init__(self, values: NDArray[np.float32], is_amount: Sequence[bool]) -> None:
        self.is_amount = list(is_amount)
        self.edges = [
            self._edges(values[:, column]) if amount else None for column, amount in enumerate(is_amount)
        ]

    @staticmethod
    def _edges(column: NDArray[np.float32]) -> NDArray[np.float32]:
        known = column[~np.isnan(column)]
        distinct = np.unique(known)
        if len(distinct) > BINS:
            return np.unique(np.quantile(known, np.linspace(0, 1, BINS + 1)[1:-1], method="lower"))
        return distinct[:-1]

    def __call__(self, values: NDArray[np.float32]) -> NDArray[np.uint8]:
        """The values by column."""
        binned = np.empty(values.shape[::-1], np.uint8)
        for column, edges in enumerate(self.edges):
            given = values[:, column]
            if edges is None:
                binned[column] = np.minimum(given, 255)
            else:
                binned[column] = np.where(np.isnan(given), 0, np.searchsorted(edges, given) + 1)
        return binned

    def at(self, column: int, bin_number: int) -> float:
        """The value that a bin ends at."""
        edges = self.edges[column]
        if edges is None:
            return float(bin_number)
        return float(edges[bin_number - 1]) if bin_number else float("-inf")


def _grow(
    look: int,
    binned: NDArray[np.uint8],
    bins: _Bins,
    labels: Flags,
    sequences: NDArray[np.int64],
    weight: Floats,
    seed: int = 1,
) -> tuple[float, list[Any]]:
    """What speaks for CONTENT before anything is seen, and the trees."""
    columns, rows = binned.shape
    flat = binned.reshape(-1)
    random = np.random.default_rng(seed)
    lengths = np.diff(sequences)
    share = float(np.clip(np.average(labels, weights=weight), 1e-6, 1 - 1e-6))
    bias = float(np.log(share / (1 - share)))
    scores = np.full(rows, bias)
    slopes, curves = np.zeros(rows, np.float32), np.zeros(rows, np.float32)
    trees = []
    for _ in range(TREES[look]):
        chosen = np.flatnonzero(np.repeat(random.random(len(lengths)) < PAGES_A_TREE, lengths))
        asked = np.sort(random.choice(columns, max(1, int(columns * VALUES_A_TREE)), replace=False))
        likely = _likely(scores[chosen])
        slopes[chosen] = weight[chosen] * (labels[chosen] - likely)
        curves[chosen] = weight[chosen] * np.maximum(likely * (1 - likely), 1e-3)
        tree, added = _core.grow_tree(
            flat,
            asked.astype(np.uint32),
            bins.is_amount,
            chosen.astype(np.uint32),
            slopes,
            curves,
            (LEAVES[look], LEAST_LEAF, SHRINKAGE, RATES[look]),
        )
        scores += added
        trees.append(tree)
    return bias, trees


def _look(
    bias: float, trees: Sequence[Any], bins: _Bins, names: Sequence[str], forests: int = 1
) -> dict[str, Any]:
    """A look in the model's plain form: the mean of so many forests."""
    used = sorted({value for tree in trees for value in tree[0] if value >= 0})
    place = {value: number for number, value in enumerate(used)}
    plain = []
    for value, at, yes, no, score in trees:
        plain.append(
            {
                "value": [place.get(one, -1) for one in value],
                "at": [
                    max(bins.at(one, int(edge)), -3e38) if one >= 0 else 0
                    for one, edge in zip(value, at, strict=True)
                ],
                "yes": list(yes),
                "no": list(no),
                "score": [float(f"{one / forests:.5g}") for one in score],
            }
        )
    return {"bias": bias, "values": [names[value] for value in used], "trees": plain}


def _all_labels(pages: Sequence[LabelledPage]) -> Flags:
    labels = np.concatenate([page.labels for page in pages])
    if labels.all() or not labels.any():
        every = "every" if labels.all() else "no"
        raise SourceError(
            f"nothing to learn: {every} block of {count(len(pages), 'page')} is CONTENT; does each text stand in its page?"
        )
    return labels


def _stack(pages: Sequence[LabelledPage]) -> tuple[NDArray[np.float32], Flags, NDArray[np.int64]]:
    values = np.concatenate([page.values for page in pages])
    labels = _all_labels(pages)
    return values, labels, np.cumsum([0, *(len(page.labels) for page in pages)])


def train_crf(pages: Sequence[LabelledPage], progress: Progress = lambda _: None) -> dict[str, Any]:
    """A `crf` from labelled pages, in its plain form."""
    pages = _in_order(pages)
    values, labels, sequences = _stack(pages)
    weight = np.repeat(_importance(pages), np.diff(sequences))
    first_names = _core.feature_names(False)
    bins = _Bins(values[:: max(1, len(values) // 200_000)], [amount for _, amount in first_names])
    binned = bins(values)
    del values
    progress("first look")
    groups = [page.group for page in pages]
    if len(set(groups)) == 1:
        groups = [page.id for page in pages]
    inner = part(groups, INNER_FOLDS, "inner")
    lengths = np.diff(sequences)

    def look_out(fold: int) -> Floats:
        """How likely blocks are CONTENT by trees that have not seen their group; those of the last fold see all."""
        seen, asked = inner != fold, inner == fold
        if fold == INNER_FOLDS:
            seen, asked = seen | True, asked | True
        if not asked.any() or not seen.any():
            return np.empty(0)
        rows = np.repeat(seen, lengths)
        bias, trees = _grow(
            0,
            np.ascontiguousarray(binned[:, rows]),
            bins,
            labels[rows],
            np.cumsum([0, *lengths[seen]]),
            weight[rows],
        )
        if fold == INNER_FOLDS:
            looks.append(_look(bias, trees, bins, [name for name, _ in first_names]))
            return np.empty(0)
        others = binned[:, np.repeat(asked, lengths)].reshape(-1)
        scores = np.full(int(lengths[asked].sum()), bias)
        for tree in trees:
            scores += _core.walk_tree(others, bins.is_amount, tree)
        progress(f"first look, fold {fold + 1} of {INNER_FOLDS}")
        return _likely(scores)

    looks: list[dict[str, Any]] = []
    likely = np.zeros(len(labels), np.float32)
    with ThreadPoolExecutor(2) as pool:
        for fold, found in enumerate(pool.map(look_out, range(INNER_FOLDS + 1))):
            if len(found):
                likely[np.repeat(inner == fold, lengths)] = found
    del binned
    progress("second look")
    spans = pairwise(sequences.tolist())
    with ThreadPoolExecutor(2) as pool:
        parts = pool.map(
            lambda one: one[0].look_again(likely[one[1][0] : one[1][1]], AGAIN),
            zip(pages, spans, strict=True),
        )
        values = np.concatenate(list(parts))
    names = _core.feature_names(True)
    bins = _Bins(values[:: max(1, len(values) // 200_000)], [amount for _, amount in names])
    binned = bins(values)
    del values
    again = likely >= np.float32(AGAIN)
    if not again.any():
        raise SourceError(
            f"{count(len(pages), 'page')} to learn from, and a crf needs two or more with an article, each looked at by trees of"
            " others: give more pages. Cross-validation leaves out a part of them at a time; --folds 0 does without"
        )
    left = np.concatenate([[0], np.cumsum(again)])[sequences]
    weight *= np.where(np.abs(labels - likely) > DOUBTFUL, DOUBTED, 1.0)
    with ThreadPoolExecutor(2) as pool:
        forests = list(
            pool.map(
                lambda seed: _grow(1, binned, bins, labels[again], left, weight[again], seed),
                range(1, FORESTS + 1),
            )
        )
    trees = [tree for _, forest in forests for tree in forest]
    looks.append(_look(forests[0][0], trees, bins, [name for name, _ in names], FORESTS))
    return {
        "wirecopy_model": FORMAT,
        "kind": "crf",
        "again": AGAIN,
        "transitions": [[0.0, -TRANSITION], [-TRANSITION, 0.0]],
        "looks": looks,
    }


def train_maxent(pages: Sequence[LabelledPage], progress: Progress = lambda _: None) -> dict[str, Any]:
    """A `maxent` from labelled pages, in its plain form: the words of a block, each as often as it stands there."""
    pages = _in_order(pages)
    try:
        from scipy.sparse import csr_matrix
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise MissingExtra("training maxent", "train") from None

    known = _known_words(pages)
    words = np.concatenate([page.words for page in pages])
    column = np.minimum(np.searchsorted(known, words), len(known) - 1)
    is_known = known[column] == words
    lengths = np.concatenate([np.diff(page.offsets) for page in pages])
    before = np.concatenate([[0], np.cumsum(is_known)])
    ends = before[np.concatenate([[0], np.cumsum(lengths)])]
    counts = csr_matrix((np.ones(ends[-1]), column[is_known], ends), shape=(len(lengths), len(known)))
    counts.sum_duplicates()
    progress(f"weighing {count(len(known), 'word')}")
    model = LogisticRegression(C=MAXENT_C, max_iter=1000)
    model.fit(counts, _all_labels(pages), np.repeat(_importance(pages), [len(page.labels) for page in pages]))
    weights = dict(zip(known.tolist(), model.coef_[0].tolist(), strict=True))
    spelt: dict[int, str] = {}
    for page in pages:
        if len(spelt) == len(weights):
            break
        found = _core.spell_words(page.path.read_bytes(), None, MAX_PAGE_BYTES, MAX_PAGE_TAGS)
        spelt |= {hash_: word for hash_, word in found if hash_ in weights}
    return {
        "wirecopy_model": FORMAT,
        "kind": "maxent",
        "bias": float(model.intercept_[0]),
        "words": dict(sorted((word, float(f"{weights[hash_]:.5g}")) for hash_, word in spelt.items())),
    }


def _known_words(pages: Sequence[LabelledPage]) -> NDArray[np.uint64]:
    """The words of enough sites, sorted; of few sites, a third of them is enough."""
    of_group: dict[str, list[NDArray[np.uint64]]] = {}
    for page in pages:
        of_group.setdefault(page.group, []).append(page.words)
    words, groups = np.unique(
        np.concatenate([np.unique(np.concatenate(parts)) for parts in of_group.values()]), return_counts=True
    )
    known = words[groups >= min(WORD_GROUPS, max(2, len(of_group) // 3), len(of_group))]
    if not len(known):
        raise SourceError(f"nothing to learn: no word is on enough of {count(len(of_group), 'site')}")
    return known


TRAINERS: dict[str, Callable[[Sequence[LabelledPage], Progress], dict[str, Any]]] = {
    "crf": train_crf,
    "maxent": train_maxent,
}
"""What makes a model of each kind."""
