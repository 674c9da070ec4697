"""The boilerplate of a pile: what common keys and common passages have in common is compared, and learnt.

Keys find a formula before anything is compared, and save its pairs from it. A formula with words that vary has fewer keys in
common than articles; it shows afterwards, as passages of many articles that lie on each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .. import _core, boilerplate, text
from ..boilerplate import AGREE_SHARE, EXAMPLES, Common, Formula
from ..comparison import DEFAULT_PRESET, Compared, compare_rows, get_preset
from ..model import Tokens
from .collection import Pile

PASSAGE_ARTICLES = 7
"""Fewer than for a key, because not every article with a formula is a candidate with every other."""
LONGEST_WORDS = 120
"""A longer passage is a copy, however many articles have it."""


class Learner:
    """Learns the boilerplate of a pile: `known` is what to leave out, `formulas` what to show."""

    def __init__(self, pile: Pile, order: NDArray[np.int64]) -> None:
        self.pile = pile
        self.order = order
        self.known = boilerplate.NOTHING
        self.formulas: list[Formula] = []

    def learn(self, suspects: Mapping[int, Common]) -> list[int]:
        """Compare the examples of each suspect; learn those that are boilerplate, and name them."""
        if not suspects:
            return []
        ranks, tokens = self._read(suspects.values())
        read = {name: replace(one, rows=_rows(ranks, one)) for name, one in suspects.items()}
        return self._learn(ranks, tokens, read)

    def learn_passages(
        self, later: NDArray[np.uint32], earlier: NDArray[np.uint32], compared: Compared
    ) -> NDArray[np.uint32]:
        """Learn from the passages of matches; the articles that have what was learnt."""
        suspects = suspect_passages(later, earlier, compared)
        if not suspects:
            return np.empty(0, np.uint32)
        ranks, tokens = self._read(suspects.values())
        read = {}
        for name, one in suspects.items():
            rows = _rows(ranks, one)
            read[name] = replace(one, rows=rows, places=text.find_words(tokens, rows, one.places))
        names = self._learn(ranks, tokens, read)
        return np.concatenate([np.empty(0, np.uint32), *(suspects[name].holders for name in names)])

    def _learn(self, ranks: NDArray[np.uint32], tokens: Tokens, suspects: Mapping[int, Common]) -> list[int]:
        names = [
            name for name, guilty in zip(suspects, convict(tokens, suspects.values()), strict=True) if guilty
        ]
        if commons := [suspects[name] for name in names]:
            self.known = boilerplate.learn(tokens, commons, self.known)
            numbers = self.order[ranks].tolist()
            ids = [self.pile.ids[number] for number in numbers]
            self.formulas += boilerplate.describe(
                tokens, commons, self.known, ids, lambda row: self.pile.text_of(numbers[row])
            )
        return names

    def _read(self, commons: Iterable[Common]) -> tuple[NDArray[np.uint32], Tokens]:
        """The examples of all, each once: their ranks, rising, and their words."""
        ranks = np.unique(np.concatenate([common.rows for common in commons]))
        return ranks, text.tokenise(*self.pile.texts(self.order[ranks].tolist()), spans=True)


def _rows(ranks: NDArray[np.uint32], common: Common) -> NDArray[np.uint32]:
    return np.searchsorted(ranks, common.rows).astype(np.uint32)


def convict(tokens: Tokens, suspects: Iterable[Common]) -> list[bool]:
    """Whether each suspect's examples, rows of `tokens`, differ otherwise, each compared with the one before."""
    pairs = [common.rows[1:].astype(np.uint64) << np.uint64(32) | common.rows[:-1] for common in suspects]
    distinct = np.unique(np.concatenate(pairs))
    queries, founds = (distinct >> np.uint64(32)).astype(np.uint32), distinct.astype(np.uint32)
    compared = compare_rows(tokens, queries, founds, get_preset(DEFAULT_PRESET))
    agree = np.maximum(compared.query_covered, compared.found_covered) >= AGREE_SHARE
    return [bool(2 * agree[np.searchsorted(distinct, mine)].sum() < len(mine)) for mine in pairs]


def suspect_passages(
    later: NDArray[np.uint32], earlier: NDArray[np.uint32], compared: Compared
) -> dict[int, Common]:
    """Short passages that lie on each other in many articles, from matches that are no more; places are code points."""
    pair = np.repeat(np.arange(len(later)), np.diff(compared.passage_offsets))
    share = np.maximum(compared.query_covered, compared.found_covered)
    few = (share[pair] < AGREE_SHARE) & (compared.passages[:, 4:6].sum(axis=1) <= LONGEST_WORDS)
    pair, passages = pair[few], compared.passages[few].astype(np.int64)
    article = np.concatenate([later[pair], earlier[pair]]).astype(np.int64)
    start, end = np.concatenate([passages[:, 0:2], passages[:, 2:4]]).T
    spans = np.lexsort((end, start, article))
    before, after = spans[:-1], spans[1:]
    common = np.minimum(end[before], end[after]) - start[after]
    longer = np.maximum(end[before] - start[before], end[after] - start[after])
    on_each_other = (article[before] == article[after]) & (2 * common > longer)
    one = np.concatenate([np.arange(len(pair)), before[on_each_other]]).astype(np.uint32)
    other = np.concatenate([np.arange(len(pair), 2 * len(pair)), after[on_each_other]]).astype(np.uint32)
    group = _core.components(2 * len(pair), one, other)
    rows = np.lexsort((start, article, group))
    first = np.ones(len(rows), bool)
    first[1:] = (group[rows][1:] != group[rows][:-1]) | (article[rows][1:] != article[rows][:-1])
    rows = rows[first]
    names, begins, counts = np.unique(group[rows], return_index=True, return_counts=True)
    groups = (rows[begin : begin + count] for begin, count in zip(begins, counts, strict=True))
    return {
        int(name): Common(
            article[mine].astype(np.uint32),
            article[mine[:EXAMPLES]].astype(np.uint32),
            start[mine[:EXAMPLES]].astype(np.uint32),
        )
        for name, mine in zip(names, groups, strict=True)
        if len(mine) >= PASSAGE_ARTICLES
    }
