"""The boilerplate of a collection, learnt from common keys before articles are compared, and from common passages after.

Most formulas are found by their keys, so that pairs which share nothing else need not be compared. A formula with words that vary has
too few keys in common; it shows afterwards, as passages of many articles that overlap. Both are learnt with the default
preset, whichever is asked for, so that all presets leave out the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from .. import _core, boilerplate, text
from ..boilerplate import AGREE_SHARE, EXAMPLES, LONGEST_WORDS, NOTHING, Common, Formula
from ..comparison import DEFAULT_PRESET, PRESETS, Compared, compare_rows
from ..model import Boilerplate, Tokens
from ..pairs import Pairs
from .collection import Collection

PASSAGE_ARTICLES = 7
"""The articles that make a passage common: fewer than for a key, because not all holders of a formula are candidates."""
PASSAGE_SHARE = 0.5
"""A match that covers this share of either article is more than a formula."""
LOT = 64
"""The most suspects that are read at a time."""


def convict(collection: Collection, suspects: Mapping[int, Common]) -> tuple[dict[int, Common], Boilerplate]:
    """The suspects that are boilerplate, with one example each, and their shingles."""
    names = list(suspects)
    convicted: dict[int, Common] = {}
    known = NOTHING
    for start in range(0, len(names), LOT):
        lot = {name: suspects[name] for name in names[start : start + LOT]}
        ranks, tokens = read(collection, lot.values())
        read_lot = {name: _in_rows(one, ranks) for name, one in lot.items()}
        guilty = list(compress(lot, are_strangers(tokens, read_lot.values())))
        known = boilerplate.learn(tokens, [read_lot[name] for name in guilty], known)
        convicted |= {name: replace(lot[name], rows=lot[name].rows[:1]) for name in guilty}
    return convicted, known


def read(collection: Collection, commons: Iterable[Common]) -> tuple[NDArray[np.uint32], Tokens]:
    """The distinct examples of all: their ranks, sorted, and their words."""
    ranks = np.unique(np.concatenate([common.rows for common in commons]))
    return ranks, text.tokenise(*collection.texts(ranks), spans=True)


def _in_rows(common: Common, ranks: NDArray[np.uint32]) -> Common:
    """The same, with its examples given by their places in `ranks`."""
    return replace(common, rows=np.searchsorted(ranks, common.rows).astype(np.uint32))


def are_strangers(tokens: Tokens, suspects: Iterable[Common]) -> list[bool]:
    """Whether the examples of each suspect, rows of `tokens`, share little else; each is compared with the one before."""
    pairs = [common.rows[1:].astype(np.uint64) << np.uint64(32) | common.rows[:-1] for common in suspects]
    distinct = np.unique(np.concatenate(pairs))
    queries, founds = (distinct >> np.uint64(32)).astype(np.uint32), distinct.astype(np.uint32)
    compared, _ = compare_rows(tokens, queries, founds, PRESETS[DEFAULT_PRESET], alone=True)
    agree = np.maximum(compared.query_covered, compared.found_covered) >= AGREE_SHARE
    longest = np.zeros(len(distinct), np.int64)
    np.maximum.at(longest, compared.pairs, compared.passages.words)
    agree |= longest > LONGEST_WORDS
    return [bool(2 * agree[np.searchsorted(distinct, mine)].sum() < len(mine)) for mine in pairs]


def describe(collection: Collection, commons: Sequence[Common], known: Boilerplate) -> list[Formula]:
    """The formulas for people to see, the most common first."""
    if not commons:
        return []
    ranks, tokens = read(collection, commons)
    return boilerplate.describe(
        tokens,
        [_in_rows(common, ranks) for common in commons],
        known,
        [collection.ids[rank] for rank in ranks.tolist()],
        lambda row: str(collection.texts(ranks[row : row + 1])[0].data, "utf-8"),
        collection.count_sources,
    )


def are_short(compared: Compared) -> NDArray[np.bool_]:
    """Which pairs share little, and needed no stricter preset: their passages may be boilerplate."""
    share = np.maximum(compared.query_covered, compared.found_covered)
    shared = np.bincount(compared.pairs, compared.passages.words, len(compared))
    few: NDArray[np.bool_] = (share < PASSAGE_SHARE) & (shared <= LONGEST_WORDS) & (compared.tried == 0)
    return few


def suspect_passages(collection: Collection, pairs: Pairs, compared: Compared) -> dict[int, Common]:
    """Passages that overlap in many articles, from matches that share little else and needed no stricter preset."""
    later, earlier = pairs
    pair = compared.pairs
    few = are_short(compared)[pair]
    pair, passages = pair[few], compared.passages.take(few)
    article = np.concatenate([later[pair], earlier[pair]]).astype(np.int64)
    start = np.concatenate([passages.query_start, passages.found_start]).astype(np.int64)
    end = np.concatenate([passages.query_end, passages.found_end]).astype(np.int64)
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
    suspects = {
        int(name): Common(
            article[mine].astype(np.uint32),
            article[mine[:EXAMPLES]].astype(np.uint32),
            start[mine[:EXAMPLES]].astype(np.uint32),
        )
        for name, mine in zip(names, groups, strict=True)
        if len(mine) >= PASSAGE_ARTICLES
    }
    return _place_in_words(collection, suspects)


def _place_in_words(collection: Collection, suspects: Mapping[int, Common]) -> dict[int, Common]:
    """The same, with places in words instead of code points."""
    if not suspects:
        return {}
    ranks, tokens = read(collection, suspects.values())
    return {
        name: replace(one, places=text.find_words(tokens, _in_rows(one, ranks).rows, one.places))
        for name, one in suspects.items()
    }
