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


class Boilerplate:
    """What is known of a pile's boilerplate: `shingles` to look for, `formulas` to show."""

    def __init__(self, pile: Pile, order: NDArray[np.int64]) -> None:
        self.pile = pile
        self.order = order
        self.shingles = np.empty(0, np.uint64)
        self._commons: list[Common] = []

    def learn(self, suspects: Mapping[int, Common]) -> list[int]:
        """Compare the examples of each suspect; learn those that are boilerplate, and name them."""
        if not suspects:
            return []
        guilty = convict(self._read(suspects.values()), list(suspects.values()))
        names = [name for name, is_guilty in zip(suspects, guilty, strict=True) if is_guilty]
        if commons := [suspects[name] for name in names]:
            new = boilerplate.learn_shingles(self._read(commons), commons)
            self.shingles = np.union1d(self.shingles, new)
            self._commons += commons
        return names

    def learn_passages(
        self, later: NDArray[np.uint32], earlier: NDArray[np.uint32], compared: Compared
    ) -> NDArray[np.uint32]:
        """Learn from the passages of matches; the articles that have what was learnt."""
        suspects = suspect_passages(later, earlier, compared)
        if not suspects:
            return np.empty(0, np.uint32)
        ends = np.cumsum([len(common.ranks) for common in suspects.values()])
        places = np.concatenate([common.places for common in suspects.values()])
        words = text.find_words(self._read(suspects.values()), np.arange(ends[-1]), places)
        for common, mine in zip(list(suspects.items()), np.split(words, ends[:-1]), strict=True):
            suspects[common[0]] = replace(common[1], places=mine)
        names = self.learn(suspects)
        return np.concatenate([np.empty(0, np.uint32), *(suspects[name].holders for name in names)])

    @property
    def formulas(self) -> list[Formula]:
        """The formulas, the most common first."""
        if not self._commons:
            return []
        numbers = self._numbers(self._commons)
        ids = [self.pile.ids[number] for number in numbers]
        tokens = text.tokenise(*self.pile.texts(numbers), spans=True)
        return boilerplate.describe(
            tokens, self._commons, self.shingles, ids, lambda row: self.pile.text_of(numbers[row])
        )

    def _numbers(self, commons: Iterable[Common]) -> list[int]:
        numbers: list[int] = self.order[np.concatenate([common.ranks for common in commons])].tolist()
        return numbers

    def _read(self, commons: Iterable[Common]) -> Tokens:
        return text.tokenise(*self.pile.texts(self._numbers(commons)), spans=True)


def convict(tokens: Tokens, suspects: list[Common]) -> list[bool]:
    """Whether each suspect's examples differ otherwise, each compared with the one before.

    The rows of `tokens` are the articles of `suspects`, one after another.
    """
    edges = np.cumsum([0] + [len(common.ranks) for common in suspects])
    queries = np.setdiff1d(np.arange(edges[-1]), edges[:-1]).astype(np.uint32)
    compared = compare_rows(tokens, queries, queries - np.uint32(1), get_preset(DEFAULT_PRESET))
    agree = np.maximum(compared.query_covered, compared.found_covered) >= AGREE_SHARE
    owner = np.searchsorted(edges, queries, side="right") - 1
    agreeing = np.bincount(owner, agree, len(suspects))
    return [bool(2 * count < len(common.ranks) - 1) for count, common in zip(agreeing, suspects, strict=True)]


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
