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
from ..boilerplate import AGREE_SHARE, EXAMPLES, LONGEST_WORDS, Common, Formula
from ..comparison import DEFAULT_PRESET, Compared, compare_rows, get_preset
from ..model import Tokens
from .collection import Pile

PASSAGE_ARTICLES = 7
"""Fewer than for a key, because not every article with a formula is a candidate with every other."""
PASSAGE_SHARE = 0.5
"""Matches that cover more of either article are more than a formula."""
LOT = 64
"""Suspects that are read at a time."""


class Learner:
    """Learns the boilerplate of a pile: `known` is what to leave out."""

    def __init__(self, pile: Pile, order: NDArray[np.int64]) -> None:
        self.pile = pile
        self.order = order
        self.known = boilerplate.NOTHING
        self._learnt: list[Common] = []

    def learn(self, suspects: Mapping[int, Common], *, in_words: bool = True) -> list[int]:
        """Compare the examples of each suspect; learn those that are boilerplate, and name them.

        Their places are words, or code points.
        """
        names = list(suspects)
        return [
            name
            for start in range(0, len(names), LOT)
            for name in self._learn({name: suspects[name] for name in names[start : start + LOT]}, in_words)
        ]

    def learn_passages(
        self, later: NDArray[np.uint32], earlier: NDArray[np.uint32], compared: Compared
    ) -> NDArray[np.uint32]:
        """Learn from the passages of matches; the articles that have what was learnt."""
        suspects = suspect_passages(later, earlier, compared)
        names = self.learn(suspects, in_words=False)
        return np.concatenate([np.empty(0, np.uint32), *(suspects[name].holders for name in names)])

    def _learn(self, suspects: Mapping[int, Common], in_words: bool) -> list[int]:
        ranks, tokens = self._read(suspects.values())
        read = {name: _in_rows(one, ranks, tokens, in_words) for name, one in suspects.items()}
        names = [name for name, guilty in zip(read, convict(tokens, read.values()), strict=True) if guilty]
        if names:
            self.known = boilerplate.learn(tokens, [read[name] for name in names], self.known)
            self._learnt += [replace(read[name], rows=suspects[name].rows[:1]) for name in names]
        return names

    @property
    def formulas(self) -> list[Formula]:
        """What was learnt, for people to see, the most common first."""
        if not self._learnt:
            return []
        ranks, tokens = self._read(self._learnt)
        numbers = self.order[ranks].tolist()
        ids = [self.pile.ids[number] for number in numbers]
        commons = [_in_rows(common, ranks, tokens, True) for common in self._learnt]
        return boilerplate.describe(
            tokens,
            commons,
            self.known,
            ids,
            lambda row: self.pile.text_of(numbers[row]),
            lambda holders: self.pile.count_sources(self.order[holders].tolist()),
        )

    def _read(self, commons: Iterable[Common]) -> tuple[NDArray[np.uint32], Tokens]:
        """The examples of all, each once: their ranks, rising, and their words."""
        ranks = np.unique(np.concatenate([common.rows for common in commons]))
        return ranks, text.tokenise(*self.pile.texts(self.order[ranks].tolist()), spans=True)


def _in_rows(common: Common, ranks: NDArray[np.uint32], tokens: Tokens, in_words: bool) -> Common:
    """The same with rows of tokens in place of ranks, and places in words."""
    rows = np.searchsorted(ranks, common.rows).astype(np.uint32)
    return replace(
        common, rows=rows, places=common.places if in_words else text.find_words(tokens, rows, common.places)
    )


def convict(tokens: Tokens, suspects: Iterable[Common]) -> list[bool]:
    """Whether each suspect's examples, rows of `tokens`, differ otherwise, each compared with the one before."""
    pairs = [common.rows[1:].astype(np.uint64) << np.uint64(32) | common.rows[:-1] for common in suspects]
    distinct = np.unique(np.concatenate(pairs))
    queries, founds = (distinct >> np.uint64(32)).astype(np.uint32), distinct.astype(np.uint32)
    compared = compare_rows(tokens, queries, founds, get_preset(DEFAULT_PRESET))
    agree = np.maximum(compared.query_covered, compared.found_covered) >= AGREE_SHARE
    longest = np.zeros(len(distinct), np.int64)
    np.maximum.at(
        longest,
        np.repeat(np.arange(len(distinct)), np.diff(compared.passage_offsets)),
        compared.passages[:, 4],
    )
    agree |= longest > LONGEST_WORDS
    return [bool(2 * agree[np.searchsorted(distinct, mine)].sum() < len(mine)) for mine in pairs]


def suspect_passages(
    later: NDArray[np.uint32], earlier: NDArray[np.uint32], compared: Compared
) -> dict[int, Common]:
    """Short passages that lie on each other in many articles, from matches that are no more; places are code points."""
    pair = np.repeat(np.arange(len(later)), np.diff(compared.passage_offsets))
    share = np.maximum(compared.query_covered, compared.found_covered)
    shared = np.bincount(pair, compared.passages[:, 4], len(later))
    few = (share[pair] < PASSAGE_SHARE) & (shared[pair] <= LONGEST_WORDS)
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
