"""Matches → stories: which articles carry one text, which came first, and which most probably comes from which. No storage.

Articles are in the order of their ranks, by `published`, then by id. Identical texts are one *version*; it stands where its first
article does. Then each version, in this order, looks for its *parent*, an earlier version that it is a near-duplicate of, contains or is
contained in: the one with most equal words, of those within `BAND` the earliest. It joins the parent's story, or tries the next, if

- it shares a passage with the story's first article, its *anchor*, and is no form of it: so no chain makes a giant, and no form a story;
- neither is a *collection* (a digest, a live blog) that merely contains the other. A collection contains two versions in disjoint places
  that share nothing with each other;
- and, where it contains the parent, other stories cover at most `OTHERS` as much of it as this one does.

Whoever finds no parent so begins a story. Big families are linked, not paired all with all: pairs that were not written out are asked for
where a decision needs them. These are a version with the anchor of the story that it may join, and with the `SHORTEST` versions of
stories that it shares something with before it begins its own. Families do not wait for each other: what all of them need next is
compared in one batch. The answer is the same for any order of the articles, of the batches and of the families.

Cost: the columns are sorted in NumPy; each version that shares something with an earlier one is one step in Python, some microseconds
for each of its matches. What was measured before these rules were taken: docs/stories.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..comparison import Compared
from ..model import UNDATED
from .settling import Table
from .ties import (
    BASES,
    Ask,
    Facts,
    Grouped,
    Ties,
    close,
    find_series,
    find_versions,
    link_stories,
    tie_versions,
)


def group(
    facts: Facts, later: NDArray[np.uint32], earlier: NDArray[np.uint32], compared: Compared, ask: Ask
) -> Grouped:
    """The stories of articles that match so: article `later[i]` is the query of pair i, `earlier[i]` the found one, by rank."""
    version, is_placeholder = find_versions(facts, later, earlier, compared.relation)
    ties = tie_versions(version, is_placeholder, later, earlier, compared)
    table = Table(facts, version, ties, compared, ask)
    table.find_collections()
    table.settle()
    ties, compared = table.columns()
    anchor = table.anchor[version]
    told = _tell_parents(facts.published, version, table.parent, table.tie, table.basis, table.rivals)
    is_collection = table.is_collection[version]
    marks = find_series(version, ties), is_collection, is_placeholder
    links = link_stories(anchor, version, is_collection, ties)
    return Grouped(anchor, version, *told, *marks, ties, compared, links, table.asked)


def _tell_parents(
    published: NDArray[np.int64],
    version: NDArray[np.int64],
    parent: NDArray[np.int64],
    tie: NDArray[np.int64],
    basis: NDArray[np.int8],
    rivals: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int8], NDArray[np.int64]]:
    """The parents of all articles, with ties, bases and rivals, from those of versions: of identical articles the first is the parent."""
    first = version == np.arange(len(version))
    parent, tie = np.where(first, parent, version), np.where(first, tie, -1)
    rivals = np.where(first, rivals, _count_before(version) - 1)
    alike = np.where(rivals > 0, BASES.index("tied"), BASES.index("only"))
    basis = np.where(first, basis, alike).astype(np.int8)
    has_parent = np.flatnonzero(parent >= 0)
    mine, theirs = published[has_parent], published[parent[has_parent]]
    basis[has_parent[mine == theirs]] = BASES.index("same-time")
    basis[has_parent[(mine == UNDATED) | (theirs == UNDATED)]] = BASES.index("undated")
    return parent, tie, basis, np.where(parent >= 0, rivals, 0)


def group_closed(
    published: NDArray[np.int64], version: NDArray[np.int64], ties: Ties, compared: Compared
) -> Grouped:
    """Stories by transitive closure: all that is tied is one. The parent of an article is the earliest that it is tied to."""
    articles = len(version)
    ranks = np.arange(articles)
    joined = np.concatenate([ties.later, ranks]), np.concatenate([ties.earlier, version])
    anchor = close(articles, *(side.astype(np.uint32) for side in joined))
    order = np.lexsort((ties.earlier, ties.later))
    firsts, starts, counts = np.unique(ties.later[order], return_index=True, return_counts=True)
    parent, tie, rivals = np.full(articles, -1), np.full(articles, -1), np.zeros(articles, np.int64)
    parent[firsts], tie[firsts], rivals[firsts] = ties.earlier[order[starts]], order[starts], counts - 1
    basis = np.where(rivals > 0, BASES.index("tied"), BASES.index("only")).astype(np.int8)
    told = _tell_parents(published, version, parent, tie, basis, rivals)
    no = np.zeros(articles, bool)
    series = np.full(articles, -1)
    return Grouped(
        anchor, version, *told, series, no, no, ties, compared, link_stories(anchor, version, no, ties)
    )


def _count_before(version: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many articles of its version come before each article."""
    order = np.argsort(version, kind="stable")
    starts = np.searchsorted(version[order], version[order])
    before = np.empty(len(version), np.int64)
    before[order] = np.arange(len(version)) - starts
    return before
