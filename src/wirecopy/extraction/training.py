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
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
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
"""A label that trees of other sites find this unlikely is more often wrong than right, and counts only so much."""

MAXENT_C = 1.0
WORD_GROUPS = 12
"""A word that occurs on fewer sites is not learnt."""

BINS = 64
INNER_FOLDS = 3

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Progress = Callable[[str], None]


def _in_order(pages: Sequence[LabelledPage]) -> list[LabelledPage]:
    """The pages sorted: they are drawn by their place, and the model must not depend on the order in which they are given."""
    return sorted(pages, key=lambda page: (page.collection, page.id))


def _importance(pages: Sequence[LabelledPage]) -> Floats:
    """The weight of each page: a large collection counts more than a small one, but less than its size."""
    sizes = Counter(page.collection for page in pages)
    importance: Floats = np.array([sizes[page.collection] ** -0.5 for page in pages])
    importance /= importance.mean()
    return importance


def part(groups: Sequence[str], number: int, salt: str = "") -> Ints:
    """The part of each page, below `number`, given its group: a group is in one part, whatever the order of the pages."""
    drawn = {group: int.from_bytes(hashlib.blake2b(utf8(salt + group)).digest()[:8]) for group in groups}
    chosen = {group: place % number for group, place in drawn.items()}
    if len(set(chosen.values())) < number:
        # A few groups may all fall to one part; dealt out, they do not.
        chosen = {group: place % number for place, group in enumerate(sorted(drawn, key=drawn.__getitem__))}
    return np.array([chosen[group] for group in groups], np.int64)


def _likely(scores: Floats) -> Floats:
    return 1 / (1 + np.exp(-scores))


class _Bins:
    """Values as small numbers, by column: amounts by quantile, choices as they are; 0 is missing."""

    def __init__(self, values: NDArray[np.float32], with_context: bool) -> None:
        features = _core.feature_names(with_context)
        self.names = [name for name, _ in features]
        self.is_amount = [amount for _, amount in features]
        sample = values[:: max(1, len(values) // 200_000)]
        self.edges = [
            self._edges(sample[:, column]) if amount else None for column, amount in enumerate(self.is_amount)
        ]
        self.numbers = np.empty(values.shape[::-1], np.uint8)
        for column, edges in enumerate(self.edges):
            given = values[:, column]
            if edges is None:
                self.numbers[column] = np.minimum(given, 255)
            else:
                self.numbers[column] = np.where(np.isnan(given), 0, np.searchsorted(edges, given) + 1)

    @staticmethod
    def _edges(column: NDArray[np.float32]) -> NDArray[np.float32]:
        known = column[~np.isnan(column)]
        distinct = np.unique(known)
        if len(distinct) > BINS:
            return np.unique(np.quantile(known, np.linspace(0, 1, BINS + 1)[1:-1], method="lower"))
        return distinct[:-1]

    def at(self, column: int, bin_number: int) -> float:
        """The largest value of a bin."""
        edges = self.edges[column]
        if edges is None:
            return float(bin_number)
        return float(edges[bin_number - 1]) if bin_number else float("-inf")


def _grow(
    look: int,
    binned: NDArray[np.uint8],
    bins: _Bins,
    labels: Flags,
    lengths: Ints,
    weight: Floats,
    seed: int = 1,
) -> tuple[float, list[Any]]:
    """The log-odds of CONTENT before anything is seen, and the trees; `lengths` are the numbers of blocks of the pages."""
    columns, rows = binned.shape
    flat = binned.reshape(-1)
    random = np.random.default_rng(seed)
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


def _look(bias: float, trees: Sequence[Any], bins: _Bins, forests: int = 1) -> dict[str, Any]:
    """A look in the model's plain form: the mean of `forests` forests."""
    used = sorted({value for tree in trees for value in tree[0] if value >= 0})
    place = {value: number for number, value in enumerate(used)}
    plain = [
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
        for value, at, yes, no, score in trees
    ]
    return {"bias": bias, "values": [bins.names[value] for value in used], "trees": plain}


def _all_labels(pages: Sequence[LabelledPage]) -> Flags:
    labels = np.concatenate([page.labels for page in pages])
    if labels.all() or not labels.any():
        every = "every" if labels.all() else "no"
        raise SourceError(
            f"nothing to learn: {every} block of {count(len(pages), 'page')} is CONTENT; does each text stand in its page?"
        )
    return labels


def train_crf(pages: Sequence[LabelledPage], progress: Progress = lambda _: None) -> dict[str, Any]:
    """A `crf` from labelled pages, in the model's plain form."""
    pages = _in_order(pages)
    labels = _all_labels(pages)
    lengths = np.array([len(page.labels) for page in pages])
    weight = np.repeat(_importance(pages), lengths)
    first, likely = _first_look(pages, labels, lengths, weight, progress)
    progress("second look")
    weight *= np.where(np.abs(labels - likely) > DOUBTFUL, DOUBTED, 1.0)
    return {
        "wirecopy_model": FORMAT,
        "kind": "crf",
        "again": AGAIN,
        "transitions": [[0.0, -TRANSITION], [-TRANSITION, 0.0]],
        "looks": [first, _second_look(pages, labels, lengths, weight, likely)],
    }


def _first_look(
    pages: Sequence[LabelledPage], labels: Flags, lengths: Ints, weight: Floats, progress: Progress
) -> tuple[dict[str, Any], NDArray[np.float32]]:
    """The first look, and how likely each block is CONTENT by trees that have not seen its group."""
    bins = _Bins(np.concatenate([page.values for page in pages]), False)
    progress("first look")
    groups = [page.group for page in pages]
    if len(set(groups)) == 1:
        groups = [page.id for page in pages]
    inner = part(groups, INNER_FOLDS, "inner")

    def grow(seen: Flags) -> tuple[float, list[Any]]:
        rows = np.repeat(seen, lengths)
        return _grow(
            0, np.ascontiguousarray(bins.numbers[:, rows]), bins, labels[rows], lengths[seen], weight[rows]
        )

    def look_out(fold: int) -> Floats:
        asked = inner == fold
        if not asked.any() or asked.all():
            return np.zeros(lengths[asked].sum())
        bias, trees = grow(~asked)
        others = bins.numbers[:, np.repeat(asked, lengths)].reshape(-1)
        scores = np.full(int(lengths[asked].sum()), bias)
        for tree in trees:
            scores += _core.walk_tree(others, bins.is_amount, tree)
        progress(f"first look, fold {fold + 1} of {INNER_FOLDS}")
        return _likely(scores)

    likely = np.zeros(len(labels), np.float32)
    with ThreadPoolExecutor(2) as pool:
        folds = pool.map(look_out, range(INNER_FOLDS))
        whole = pool.submit(grow, np.ones(len(pages), bool))
        for fold, found in enumerate(folds):
            likely[np.repeat(inner == fold, lengths)] = found
    return _look(*whole.result(), bins), likely


def _second_look(
    pages: Sequence[LabelledPage], labels: Flags, lengths: Ints, weight: Floats, likely: NDArray[np.float32]
) -> dict[str, Any]:
    """The second look, at the blocks that the first one finds likely enough."""
    again = likely >= np.float32(AGAIN)
    if not again.any():
        raise SourceError(
            f"{count(len(pages), 'page')} to learn from, and a crf needs two or more with an article, each looked at by trees of"
            " others: give more pages, or train without cross-validation, which leaves out a part of them at a time"
        )
    ends = np.cumsum(lengths)
    with ThreadPoolExecutor(2) as pool:
        parts = pool.map(
            lambda page, start, end: page.look_again(likely[start:end], AGAIN), pages, ends - lengths, ends
        )
        bins = _Bins(np.concatenate(list(parts)), True)
        left = np.diff(np.cumsum(again)[ends - 1], prepend=0)
        grow = partial(_grow, 1, bins.numbers, bins, labels[again], left, weight[again])
        forests = list(pool.map(grow, range(1, FORESTS + 1)))
    trees = [tree for _, forest in forests for tree in forest]
    return _look(forests[0][0], trees, bins, FORESTS)


def train_maxent(pages: Sequence[LabelledPage], progress: Progress = lambda _: None) -> dict[str, Any]:
    """A `maxent` from labelled pages, in the model's plain form; it weighs the words of a block as often as they occur."""
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
    block = np.repeat(np.arange(len(lengths)), lengths)
    occurrences = np.ones(is_known.sum()), (block[is_known], column[is_known])
    counts = csr_matrix(occurrences, shape=(len(lengths), len(known)))
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
    """The words that occur on `WORD_GROUPS` sites or more, sorted; if there are few sites, on a third of them or more."""
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
