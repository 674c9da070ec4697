"""What articles are to each other, as columns: pairs of versions that share something, links between stories, and whole stories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..comparison import RELATIONS, Compared
from ..model import Columns, Relation

PLACEHOLDER_WORDS = 20
"""Identical texts of fewer words under different titles are placeholders ("no news record"), not copies."""

IDENTICAL, NEAR, CONTAINS, CONTAINED_IN, PARTIAL, FORM = (
    RELATIONS.index(one)
    for one in (
        *(Relation.IDENTICAL, Relation.NEAR_DUPLICATE, Relation.CONTAINS),
        *(Relation.CONTAINED_IN, Relation.PARTIAL, Relation.FORM),
    )
)
_TURNED = np.arange(len(RELATIONS), dtype=np.int8)
_TURNED[[CONTAINS, CONTAINED_IN]] = CONTAINED_IN, CONTAINS

BASES = ("only", "clear", "tied", "same-time", "undated")
"""What a parent rests on; its code is its place here."""
LINK_KINDS = ("partial", "form", "collects", "continues")
"""What joins two stories; its code is its place here."""

Pair = tuple[int, int]
Ask = Callable[[NDArray[np.uint32], NDArray[np.uint32]], Compared]
"""How pairs of articles compare, the later ones given first, by rank; no match has the relation -1."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of the article at each rank: its date in microseconds, its words, a number for its title.

    Only those of articles that are in a match count.
    """

    published: NDArray[np.int64]
    words: NDArray[np.int64]
    titles: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ties(Columns):
    """Pairs of versions, each known by the rank of its first article: what the `later` is to the `earlier`, and what they share.

    `row` is the pair's row among what was compared; it is `turned` where the query there is of the earlier version.
    """

    later: NDArray[np.int64]
    earlier: NDArray[np.int64]
    relation: NDArray[np.int8]
    covered: NDArray[np.float64]
    parent_covered: NDArray[np.float64]
    words: NDArray[np.int64]
    row: NDArray[np.int64]
    turned: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Links(Columns):
    """What joins two stories, known by their anchors: how many articles of both take part, and the most equal words of two of them."""

    later: NDArray[np.int64]
    earlier: NDArray[np.int64]
    kind: NDArray[np.int8]
    articles: NDArray[np.int64]
    words: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Grouped:
    """Stories as columns, one row for each article by rank.

    `anchor` is the first article of its story, `version` the first one with its text, `parent` the earlier one that it most probably
    comes from, or -1; `tie` is the row of `ties` that says so, -1 where the two are identical or there is none. `series` is the first
    article in one form with it, or -1. `ties` are all pairs of versions that are known to share something, `compared` what they share.
    """

    anchor: NDArray[np.int64]
    version: NDArray[np.int64]
    parent: NDArray[np.int64]
    tie: NDArray[np.int64]
    basis: NDArray[np.int8]
    rivals: NDArray[np.int64]
    series: NDArray[np.int64]
    is_collection: NDArray[np.bool_]
    is_placeholder: NDArray[np.bool_]
    ties: Ties = field(repr=False)
    compared: Compared = field(repr=False)
    links: Links = field(repr=False)
    asked: int = 0
    """How many pairs were asked for."""

    def compare_parents(
        self, ranks: NDArray[Any], words: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """What articles of so many words are to their parents: relation, the shares of both, equal words."""
        tie = self.tie[ranks]
        tied, ties = np.flatnonzero(tie >= 0), self.ties.take(tie[tie >= 0])
        relation, shared = np.full(len(tie), IDENTICAL), words.copy()
        covered, parent_covered = np.ones(len(tie)), np.ones(len(tie))
        relation[tied], shared[tied] = ties.relation, ties.words
        covered[tied], parent_covered[tied] = ties.covered, ties.parent_covered
        return relation, covered, parent_covered, shared


def close(articles: int, later: NDArray[np.uint32], earlier: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The first article of each article's component over some pairs: the rule of CEDAR, for evaluation."""
    component = _core.components(articles, later.astype(np.uint32), earlier.astype(np.uint32))
    _, firsts, places = np.unique(component, return_index=True, return_inverse=True)
    return firsts[places].astype(np.int64)


def find_versions(
    facts: Facts, later: NDArray[np.uint32], earlier: NDArray[np.uint32], relation: NDArray[np.int8]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The first article with the text of each, and which articles are placeholders: these are versions of their own."""
    articles = len(facts.published)
    same = relation == IDENTICAL
    version = close(articles, later[same], earlier[same])
    short = (facts.words < PLACEHOLDER_WORDS) & (facts.titles != 0)
    differs = short & (facts.titles != facts.titles[version]) & (facts.titles[version] != 0)
    is_placeholder = np.zeros(articles, bool)
    is_placeholder[version[differs]] = True
    is_placeholder = is_placeholder[version]
    return np.where(is_placeholder, np.arange(articles), version), is_placeholder


def tie_versions(
    version: NDArray[np.int64],
    left_out: NDArray[np.bool_],
    later: NDArray[np.uint32],
    earlier: NDArray[np.uint32],
    compared: Compared,
) -> Ties:
    """The pairs of articles as pairs of versions, each once; what is a form by some dates and a copy by others is a copy."""
    one, other = version[later], version[earlier]
    kept = np.flatnonzero((one != other) & ~left_out[one] & ~left_out[other] & (compared.relation >= 0))
    one, other = one[kept], other[kept]
    turned = one < other
    relation = compared.relation[kept]
    words = np.bincount(compared.pairs, compared.passages.words, len(compared)).astype(np.int64)[kept]
    mine, theirs = compared.query_covered[kept], compared.found_covered[kept]
    ties = Ties(
        np.where(turned, other, one),
        np.where(turned, one, other),
        np.where(turned, _TURNED[relation], relation),
        np.where(turned, theirs, mine),
        np.where(turned, mine, theirs),
        words,
        kept,
        turned,
    )
    order = np.lexsort((kept, ties.relation == FORM, ties.earlier, ties.later))
    ties = ties.take(order)
    fresh = np.append(True, (np.diff(ties.later) != 0) | (np.diff(ties.earlier) != 0))[: len(ties)]
    return ties.take(fresh)


def find_series(version: NDArray[np.int64], ties: Ties) -> NDArray[np.int64]:
    """The first article in one form with each, -1 for those that are in none."""
    forms = ties.take(ties.relation == FORM)
    first = close(len(version), forms.later.astype(np.uint32), forms.earlier.astype(np.uint32))
    in_form = np.zeros(len(version), bool)
    in_form[forms.later] = in_form[forms.earlier] = True
    return np.where(in_form[version], first[version], -1)


def link_stories(
    anchor: NDArray[np.int64], version: NDArray[np.int64], is_collection: NDArray[np.bool_], ties: Ties
) -> Links:
    """What joins different stories, by their order in time; a collection comes before what it collects."""
    ties = ties.take(anchor[ties.later] != anchor[ties.earlier])
    contains = np.isin(ties.relation, (CONTAINS, CONTAINED_IN))
    collects = contains & (is_collection[ties.later] | is_collection[ties.earlier])
    kind = np.select(
        [ties.relation == PARTIAL, ties.relation == FORM, collects],
        [LINK_KINDS.index(one) for one in ("partial", "form", "collects")],
        LINK_KINDS.index("continues"),
    ).astype(np.int8)
    one, other = anchor[ties.later], anchor[ties.earlier]
    is_earlier_first = np.where(collects, ties.relation == CONTAINED_IN, one < other)
    ends = np.where(is_earlier_first, other, one), np.where(is_earlier_first, one, other)
    key = (ends[0] * len(anchor) + ends[1]) * len(LINK_KINDS) + kind
    _, firsts, places = np.unique(key, return_index=True, return_inverse=True)
    words = np.zeros(len(firsts), np.int64)
    np.maximum.at(words, places, ties.words)
    # Each version takes part once.
    taking = np.tile(places, 2) * len(version) + np.concatenate([ties.later, ties.earlier])
    link, one = np.divmod(np.unique(taking), len(version))
    sizes = np.bincount(version, minlength=len(version))
    articles = np.bincount(link, sizes[one], len(firsts)).astype(np.int64)
    return Links(ends[0][firsts], ends[1][firsts], kind[firsts], articles, words)
