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

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..comparison import RELATIONS, Compared
from ..model import UNDATED, Columns, Relation

BAND = 0.02
"""Matches whose equal words differ by less are equally good parents."""
OTHERS = 0.5
SHORTEST = 3
PLACEHOLDER_WORDS = 20
"""Identical texts of fewer words under different titles are placeholders ("no news record"), not copies."""
TRIED_STORIES = 3
"""Of so many stories, those with most equal words, the shortest versions are asked for."""
TRIED_PLACES = 3

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


def group(
    facts: Facts, later: NDArray[np.uint32], earlier: NDArray[np.uint32], compared: Compared, ask: Ask
) -> Grouped:
    """The stories of articles that match so: article `later[i]` is the query of pair i, `earlier[i]` the found one, by rank."""
    version, is_placeholder = find_versions(facts, later, earlier, compared.relation)
    ties = tie_versions(version, is_placeholder, later, earlier, compared)
    table = _Table(facts, version, ties, compared, ask)
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


def close(articles: int, later: NDArray[np.uint32], earlier: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The first article of each article's component over some pairs: the rule of CEDAR, for evaluation."""
    component = _core.components(articles, later.astype(np.uint32), earlier.astype(np.uint32))
    _, firsts, places = np.unique(component, return_index=True, return_inverse=True)
    return firsts[places].astype(np.int64)


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


def _count_before(version: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many articles of its version come before each article."""
    order = np.argsort(version, kind="stable")
    starts = np.searchsorted(version[order], version[order])
    before = np.empty(len(version), np.int64)
    before[order] = np.arange(len(version)) - starts
    return before


class _Table:
    """What is known while stories are made. Versions are known by the rank of their first article."""

    def __init__(
        self, facts: Facts, version: NDArray[np.int64], ties: Ties, compared: Compared, ask: Ask
    ) -> None:
        articles = len(version)
        self.words = facts.words
        self.anchor = np.arange(articles)
        self.parent = np.full(articles, -1)
        self.tie = np.full(articles, -1)
        self.basis = np.zeros(articles, np.int8)
        self.rivals = np.zeros(articles, np.int64)
        self.is_collection = np.zeros(articles, bool)
        self.asked = 0
        self._ask = ask
        self._parts = [ties]
        self._compared = [compared]
        self._first_ties, self._first_rows = [0], [0]
        """Where the ties and the rows of each part begin."""
        self._known: dict[Pair, int] = {}
        self._of: defaultdict[int, list[int]] = defaultdict(list)
        """The ties of each version with earlier ones."""
        self._relation: list[int] = []
        self._shared: list[int] = []
        self._earlier: list[int] = []
        self._note(ties)

    def _note(self, ties: Ties) -> None:
        first = len(self._relation)
        pairs = zip(ties.later.tolist(), ties.earlier.tolist(), strict=True)
        for number, pair in enumerate(pairs, first):
            self._known[pair] = number
            self._of[pair[0]].append(number)
        self._relation += ties.relation.tolist()
        self._shared += ties.words.tolist()
        self._earlier += ties.earlier.tolist()

    def columns(self) -> tuple[Ties, Compared]:
        """All ties, and what they share."""
        return Ties.join(self._parts), Compared.join(self._compared)

    def find_out(self, pairs: Iterable[Pair]) -> None:
        """Ask for pairs of versions that are not known yet."""
        fresh = sorted(set(pairs) - self._known.keys())
        if not fresh:
            return
        later, earlier = (np.array(side, np.uint32) for side in zip(*fresh, strict=True))
        compared = self._ask(later, earlier)
        self.asked += len(fresh)
        first = self._first_rows[-1] + len(self._compared[-1])
        everyone = np.arange(len(self.anchor))
        ties = tie_versions(everyone, np.zeros(len(everyone), bool), later, earlier, compared)
        self._known.update(dict.fromkeys(fresh, -1))
        self._first_rows.append(first)
        self._first_ties.append(len(self._relation))
        self._note(ties)
        self._parts.append(replace(ties, row=ties.row + first))
        self._compared.append(compared)

    def _spans(self, tie: int, of_later: bool) -> list[Pair]:
        """Where the passages of a tie stand in one of its versions, in code points."""
        part = bisect_right(self._first_ties, tie) - 1
        ties, compared, tie = self._parts[part], self._compared[part], tie - self._first_ties[part]
        row, passages = int(ties.row[tie]) - self._first_rows[part], compared.passages
        some = slice(*compared.passage_offsets[row : row + 2].tolist())
        starts, ends = passages.query_start, passages.query_end
        if of_later == bool(ties.turned[tie]):
            starts, ends = passages.found_start, passages.found_end
        return list(zip(starts[some].tolist(), ends[some].tolist(), strict=True))

    def find_collections(self) -> None:
        """Which versions contain two others in disjoint places that share nothing with each other."""
        inside: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
        ties = self._parts[0].take(np.isin(self._parts[0].relation, (CONTAINS, CONTAINED_IN)))
        owners = np.where(ties.relation == CONTAINS, ties.later, ties.earlier)
        several = np.unique(owners)[np.unique(owners, return_counts=True)[1] > 1]
        ties, owners = ties.take(of_several := np.isin(owners, several)), owners[of_several]
        is_later = owners == ties.later
        reached = _reach(self._compared[0], ties.row, is_later == ties.turned)
        columns = owners, *reached, np.where(is_later, ties.earlier, ties.later)
        for owner, start, end, held in zip(*(one.tolist() for one in columns), strict=True):
            inside[owner].append((start, end, held))
        apart: dict[int, list[Pair]] = {}
        for owner, places in inside.items():
            firsts = nsmallest(TRIED_PLACES, places, key=lambda place: (place[1], place[2]))
            lasts = nsmallest(TRIED_PLACES, places, key=lambda place: (-place[0], place[2]))
            apart[owner] = [
                (max(one[2], other[2]), min(one[2], other[2]))
                for one in firsts
                for other in lasts
                if one[1] <= other[0]
            ]
        self.find_out(pair for pairs in apart.values() for pair in pairs)
        for owner, pairs in apart.items():
            self.is_collection[owner] = any(self._known[pair] < 0 for pair in pairs)

    def settle(self) -> None:
        """Give each version its parent and its story; families that need the same batch of comparisons go on together."""
        ties = self._parts[0]
        joining = ties.take(ties.relation != FORM)
        strong = ties.take((ties.relation != FORM) & (ties.relation != PARTIAL))
        self.find_out(self._first_guesses(strong))
        component = close(
            len(self.anchor), joining.later.astype(np.uint32), joining.earlier.astype(np.uint32)
        )
        members: defaultdict[int, list[int]] = defaultdict(list)
        for one in np.unique(joining.later).tolist():
            members[int(component[one])].append(one)
        waiting = [(family, next(family, None)) for family in map(self._settle_family, members.values())]
        while waiting := [(family, asked) for family, asked in waiting if asked is not None]:
            self.find_out(pair for _, asked in waiting for pair in asked)
            waiting = [(family, next(family, None)) for family, _ in waiting]

    def _first_guesses(self, strong: Ties) -> list[Pair]:
        """Each version of a family with the first one, which most probably is the anchor."""
        articles = len(self.anchor)
        family = close(articles, strong.later.astype(np.uint32), strong.earlier.astype(np.uint32))
        later = np.unique(strong.later)
        later = later[np.bincount(family[later], minlength=articles)[family[later]] > 1]
        return list(zip(later.tolist(), family[later].tolist(), strict=True))

    def _settle_family(self, versions: Sequence[int]) -> Generator[list[Pair], None, None]:
        """Settle the versions of one family in order; gives out the pairs that have to be known before it can go on."""
        members: defaultdict[int, list[int]] = defaultdict(list)
        for version in versions:
            tried: set[int] = set()
            asked_more = False
            while True:
                tie = self._best(version, tried)
                if tie is None and asked_more:
                    break
                if tie is None:
                    asked_more = True
                    if wanted := self._more(version, members):
                        yield wanted
                    continue
                tried.add(tie)
                anchor = int(self.anchor[self._earlier[tie]])
                if (version, anchor) not in self._known:
                    yield [(version, anchor)]
                    tried.discard(tie)  # what came to light may be a better parent
                    continue
                if self._may_join(version, tie, anchor):
                    self._join(version, tie, anchor)
                    members[anchor].append(version)
                    break

    def _candidates(self, version: int) -> list[int]:
        return [tie for tie in self._of[version] if self._relation[tie] in (NEAR, CONTAINS, CONTAINED_IN)]

    def _best(self, version: int, tried: set[int]) -> int | None:
        """The tie with the best parent that was not tried."""
        left = [tie for tie in self._candidates(version) if tie not in tried]
        if not left:
            return None
        least = (1 - BAND) * max(self._shared[tie] for tie in left)
        return min((tie for tie in left if self._shared[tie] >= least), key=self._earlier.__getitem__)

    def _may_join(self, version: int, tie: int, anchor: int) -> bool:
        known, relation = self._known[version, anchor], self._relation[tie]
        if known < 0 or self._relation[known] == FORM:
            return False
        is_contained = relation in (CONTAINS, CONTAINED_IN)
        if is_contained and (self.is_collection[version] or self.is_collection[self._earlier[tie]]):
            return False
        mine = [(other, int(self.anchor[self._earlier[other]])) for other in self._of[version]]
        if relation != CONTAINS or all(story == anchor for _, story in mine):
            return True
        spans: tuple[list[Pair], list[Pair]] = [], []
        for other, story in mine:
            if self._relation[other] != FORM:
                spans[story == anchor].extend(self._spans(other, True))
        own = _measure(spans[True])
        return _measure(spans[True] + spans[False]) - own <= OTHERS * own

    def _join(self, version: int, tie: int, anchor: int) -> None:
        others = [one for one in self._candidates(version) if one != tie]
        least = (1 - BAND) * self._shared[tie]
        basis = "tied" if any(self._shared[one] >= least for one in others) else "clear"
        self.anchor[version] = anchor
        self.parent[version] = self._earlier[tie]
        self.tie[version] = tie
        self.rivals[version] = len(others)
        self.basis[version] = BASES.index(basis if others else "only")

    def _more(self, version: int, members: defaultdict[int, list[int]]) -> list[Pair]:
        """The anchors and shortest versions of stories that a version shares something with, where that is not known."""
        shared: defaultdict[int, int] = defaultdict(int)
        for tie in self._of[version]:
            if self._relation[tie] != FORM:
                story = int(self.anchor[self._earlier[tie]])
                shared[story] = max(shared[story], self._shared[tie])
        stories = nsmallest(TRIED_STORIES, shared, key=lambda story: (-shared[story], story))
        wanted = []
        for story in stories:
            short = nsmallest(SHORTEST, members[story], key=lambda one: (self.words[one], one))
            wanted += [(version, one) for one in (story, *short) if (version, one) not in self._known]
        return wanted


def _reach(
    compared: Compared, rows: NDArray[np.int64], of_found: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the first passage of each of some rows begins, and the last ends, in its query or found article."""
    edges = np.column_stack([compared.passage_offsets[rows], compared.passage_offsets[rows + 1]]).ravel()
    passages, reached = compared.passages, []
    for part, reduce in (("start", np.minimum.reduceat), ("end", np.maximum.reduceat)):
        sides = (getattr(passages, f"{side}_{part}") for side in ("query", "found"))
        query, found = (reduce(np.append(side, 0).astype(np.int64), edges)[::2] for side in sides)
        reached.append(np.where(of_found, found, query))
    return reached[0], reached[1]


def _measure(spans: list[Pair]) -> int:
    """How much some spans cover together."""
    covered, reached = 0, 0
    for start, end in sorted(spans):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered
