"""The stories of an archive, kept in its tables: told whole whenever it learns, and in between where articles come or go.

In between, what is touched is told anew by the rule of `grouping` over what is known: the stories of the articles that came, of those that
they share something with, and of those that went. Where what tied the members of a story together is gone, they are compared with
its first. So the tables are exact whenever the archive has just learnt; until it learns again a pair may be missing that only all articles
together bring to light. `told_row` among the settings is the last article that they tell of; there is none before they were told.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..comparison import NOT_COMPARED, RELATIONS, Compared
from ..errors import ArchiveError
from ..forms import NO_SLOTS
from ..grouping import (
    BASES,
    FORM,
    IDENTICAL,
    LINK_KINDS,
    Facts,
    Grouped,
    Links,
    Ties,
    link_stories,
    tie_versions,
)
from ..grouping.stories import Stories, gather, tell_stories
from ..matching import compare_more
from ..matching.collection import Pool
from ..matching.matches import Matches
from ..model import Relation
from .index import Index
from .stock import Stock
from .told import NOTHING_SHARED, AlteredError, Member, Row, Shared

COLLECTION, PLACEHOLDER = "collection", "placeholder"
NO_PARENT: dict[str, Any] = dict.fromkeys(Member._fields[Member._fields.index("parent") :])
MOST_MENDED = 200
"""So many members are compared with the first of their stories when what tied them is gone: a change must not wait for more."""
MOST_RETOLD = 200
"""Stories of more articles together are not told anew when one comes or goes, so that the cost of a change does not grow with them."""
MANY_GONE = 0.05
"""Where this share of all articles goes at once, the archive learns again: nothing is told before that."""

Pair = tuple[int, int]
_NONE = np.empty(0, np.int64)
NO_LINKS = Links(_NONE, _NONE, np.empty(0, np.int8), _NONE, _NONE)


@dataclass(frozen=True)
class Telling:
    """All that the tables say of some articles."""

    shared: Shared
    members: Sequence[Member]
    links: Sequence[Row]


class Asking:
    """How pairs of a collection compare, by what is known or else by their texts; what had to be compared is kept."""

    def __init__(
        self, matches: Matches, pool: Pool, pairs: Iterable[Pair] = (), known: Compared = NOT_COMPARED
    ) -> None:
        self._matches = matches
        self._pool = pool
        self._places = {pair: place for place, pair in enumerate(pairs)}
        self._known = known
        self._made: list[tuple[NDArray[np.uint32], NDArray[np.uint32], Compared]] = []

    def __call__(self, later: NDArray[np.uint32], earlier: NDArray[np.uint32]) -> Compared:
        """How pairs of ranks compare."""
        pairs = zip(later.tolist(), earlier.tolist(), strict=True)
        places = np.array([self._places.get(pair, -1) for pair in pairs], np.int64)
        fresh, known = np.flatnonzero(places < 0), np.flatnonzero(places >= 0)
        made = NOT_COMPARED
        if len(fresh):
            made = compare_more(self._matches, (later[fresh], earlier[fresh]), self._pool)
            self._made.append((later[fresh], earlier[fresh], made))
        order = np.empty(len(places), np.int64)
        order[np.concatenate([known, fresh])] = np.arange(len(places))
        return Compared.join([self._known.take(places[known]), made]).take(order)

    def shared(self, rows: NDArray[np.int64]) -> Shared:
        """What was compared, by the row at each rank."""
        parts = [
            Shared(rows[later], rows[earlier], np.zeros(len(later), np.int64), made)
            for later, earlier, made in self._made
        ]
        return Shared.join([NOTHING_SHARED, *parts])


def tell(matches: Matches, stock: Stock, pool: Pool) -> Telling:
    """What the tables say of all articles, once they were matched with each other."""
    facts, asking = gather(matches, pool), Asking(matches, pool)
    grouped = tell_stories(matches, pool, facts=facts, ask=asking).grouped
    rows = stock.rows.astype(np.int64)
    found = rows[matches.queries], rows[matches.founds], matches.nominated.astype(np.int64)
    shared = Shared.join([Shared(*found, matches.compared), asking.shared(rows)])
    ranks = np.unique(np.concatenate([matches.queries, matches.founds]))
    links = grouped.links.rows()
    return Telling(shared, _tell_members(grouped, facts, rows, ranks), _name_links(links, rows))


def _name_links(links: Iterable[Row], rows: NDArray[np.int64]) -> list[Row]:
    return [(int(rows[one]), int(rows[other]), LINK_KINDS[kind], *rest) for one, other, kind, *rest in links]


def _tell_members(
    grouped: Grouped, facts: Facts, rows: NDArray[np.int64], ranks: NDArray[np.uint32]
) -> list[Member]:
    """The articles at some ranks as members of their stories."""
    anchor, version, ties = grouped.anchor[ranks], grouped.version[ranks], grouped.ties
    distinct, places = np.unique(np.column_stack([anchor, version]), axis=0, return_inverse=True)
    number = places.reshape(-1) - np.searchsorted(distinct[:, 0], anchor) + 1
    columns = rows[ranks], rows[anchor], rows[version], number, facts.words[ranks]
    kinds = np.where(grouped.is_collection[ranks], 1, np.where(grouped.is_placeholder[ranks], 2, 0))
    parents = grouped.parent[ranks], grouped.tie[ranks], grouped.basis[ranks], grouped.rivals[ranks]
    told = []
    for row, story, first, at, words, kind, parent, tie, basis, rivals in zip(
        *(column.tolist() for column in (*columns, kinds, *parents)), strict=True
    ):
        one = Member(row, story, first, at, words, (None, COLLECTION, PLACEHOLDER)[kind])
        if parent >= 0:
            how: tuple[str, float, float, int] = str(Relation.IDENTICAL), 1.0, 1.0, words
            if tie >= 0:
                shares = float(ties.covered[tie]), float(ties.parent_covered[tie])
                how = str(RELATIONS[ties.relation[tie]]), *shares, int(ties.words[tie])
            relation, covered, parent_covered, common = how
            one = one._replace(
                parent=int(rows[parent]),
                relation=relation,
                covered=covered,
                parent_covered=parent_covered,
                shared=common,
                basis=BASES[basis],
                rivals=rivals,
            )
        told.append(one)
    return told


class Teller:
    """Keeps the stories of an archive; all but reading is done within a change."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._store = index.store

    @property
    def last_row(self) -> int | None:
        """The last article that is told of; None if none was, or what was told is lost."""
        row: int | None = self._store.setting("told_row")
        return row

    def is_complete(self) -> bool:
        """Whether all articles are told of."""
        last = self.last_row
        return last is not None and not self._store.count_beyond(last)

    def write(self, telling: Telling) -> None:
        """Write what is told of all articles."""
        self._store.forget_told()
        self._store.add_shared(telling.shared)
        self._store.replace_members((), telling.members)
        self._store.replace_links((), telling.links)
        self._store.set("told_row", self._store.next_number("articles") - 1)
        self._store.set("told_counts", self._store.count_told())

    def forget(self) -> None:
        """Forget all stories: the next to write tells them anew."""
        self._store.forget_told()
        self._store.set("told_row", None)

    def read(self, stock: Stock, pool: Pool, rule: str) -> Stories | None:
        """The stories of all articles, from what is stored; None if that is not what all articles together say."""
        if self.last_row is None or self._store.setting("unlearnt", 0):
            return None
        try:
            if self._store.setting("told_counts") != self._store.count_told():
                return None
            shared, members = self._store.all_shared(), self._store.all_members()
            counted = np.full(len(stock.ids), -1)
            rows = np.array([one.row for one in members], np.int64)
            counted[stock.ranks_of(rows)] = [one.words for one in members]
            nominated = shared.nominated > 0
            matches = self._match(stock, shared.take(np.flatnonzero(nominated)))
            asked = shared.take(np.flatnonzero(~nominated))
            asking = Asking(matches, pool, _pairs(stock, asked), asked.compared)
        except (AlteredError, ArchiveError, LookupError, ValueError, TypeError):
            return None
        facts = gather(matches, pool, counted) if rule == "anchored" else None
        return tell_stories(matches, pool, rule, facts=facts, ask=asking)

    def read_some(self, stories: Sequence[int]) -> Stories:
        """Some stories, given by their first articles, as they are stored, whatever all articles together say; raises AlteredError."""
        store, pool = self._store, Pool(1)
        known = store.members("story", stories)
        stock = Stock(self._index, pool, sorted({*stories, *known}))
        rows = stock.rows.astype(np.int64)
        ranks = {row: rank for rank, row in enumerate(rows.tolist())}
        told = [known.get(row) or Member(row, row, row, 1, 0) for row in rows.tolist()]
        shared = store.shared_by(sorted(ranks))
        is_inside = np.isin(shared.queries, rows) & np.isin(shared.founds, rows)
        matches = self._match(stock, shared.take(np.flatnonzero(is_inside & (shared.compared.relation >= 0))))
        anchor, version = (
            np.array([ranks[getattr(one, name)] for one in told], np.int64) for name in ("story", "version")
        )
        parent = np.array([-1 if one.parent is None else ranks.get(one.parent, -1) for one in told], np.int64)
        is_placeholder = np.array([one.kind == PLACEHOLDER for one in told], bool)
        ties, tie = _tie_parents(told, version, parent)
        others = tie_versions(version, is_placeholder, matches.queries, matches.founds, matches.compared)
        pairs = zip(others.later.tolist(), others.earlier.tolist(), strict=True)
        tied = {*zip(ties.later.tolist(), ties.earlier.tolist(), strict=True)}
        ties = Ties.join([ties, others.take(np.array([pair not in tied for pair in pairs], bool))])
        none = np.full(len(told), -1)
        grouped = Grouped(
            *(anchor, version, parent, tie),
            np.array([BASES.index(one.basis) if one.basis else 0 for one in told], np.int8),
            np.array([one.rivals or 0 for one in told], np.int64),
            none,
            np.array([one.kind == COLLECTION for one in told], bool),
            is_placeholder,
            ties,
            matches.compared,
            NO_LINKS,
        )
        return Stories(matches, grouped)

    def _match(self, stock: Stock, shared: Shared) -> Matches:
        """Pairs of a stock as matches, in their order."""
        settings, index = self._index.settings, self._index
        queries, founds = stock.ranks_of(shared.queries), stock.ranks_of(shared.founds)
        order = np.lexsort((founds, queries))
        plan = settings.plan()
        return Matches(
            *(stock, stock, queries[order], founds[order]),
            shared.nominated[order].astype(np.uint16),
            shared.compared.take(order),
            [one.name for one in plan.nominating],
            index.learnt,
            {"articles": len(stock.ids), "matches": len(order)},
            plan.preset,
        )

    # Where articles come or go

    def come(self, rows: Sequence[int], shared: Shared) -> None:
        """Tell of articles that came, in what they share with those before them."""
        store = self._store
        try:
            if len(shared):
                founds = {*shared.founds.tolist()} - {*rows}
                known = store.members("row", sorted(founds))
                store.add_shared(_thin_out(shared, known))
                stories = sorted({one.story for one in known.values()})
                is_large = store.count_members(stories) > MOST_RETOLD
                if not is_large or not self._place(rows, founds):
                    self._retell({*rows, *founds}, mend=is_large)
            store.set("told_row", max(rows))
        except (AlteredError, ArchiveError, LookupError):
            self.forget()

    def go(self, rows: Sequence[int], *, expired: bool = False) -> None:
        """Tell the stories of articles that are about to go without them; whoever expires and began one leads to what is left of it."""
        try:
            self._let_go(rows, expired)
        except (AlteredError, ArchiveError, LookupError):
            self._store.replace_heirs(rows, ())
            self.forget()

    def _let_go(self, rows: Sequence[int], expired: bool) -> None:
        store = self._store
        gone = store.members("row", rows)
        known = store.members("story", sorted({one.story for one in gone.values()}))
        left: defaultdict[int, list[int]] = defaultdict(list)
        for one in known.values():
            if one.row not in gone:
                left[one.story].append(one.row)
        lines = store.lines_at(rows)
        heirs = Counter(line for line, _ in store.heirs_of(sorted({line for line, _ in lines})))
        began = [row for row in rows if row in left] if expired else []
        ids = store.ids_of(began)
        is_kept = self.last_row is not None and len(rows) <= MANY_GONE * len(self._index.rows)
        if is_kept:
            stories = {one.story for one in gone.values()}
            links = store.links_of(sorted(stories))
            store.forget_pairs(rows)
            store.replace_links(stories, ())
            large = {story for story, some in left.items() if len(some) > MOST_RETOLD}
            for story in large:
                self._hand_down(story, [known[row] for row in left[story]], links)
            if touched := {row for story in left.keys() - large for row in left[story]}:
                self._retell(touched, mend=True)
        else:
            self.forget()
        now = store.members("row", [row for some in left.values() for row in some]) if is_kept else {}
        parts = {
            story: {now[row].story if row in now else row for row in some} for story, some in left.items()
        }
        of = {row: one.story for row, one in gone.items()}
        store.replace_heirs(
            rows, [(line, part) for line, row in lines for part in parts.get(of.get(row, row), ())]
        )
        for id, row in zip(ids, began, strict=True):
            whole = (line for line, heir in lines if heir == row and heirs[line] == 1)
            store.add_former(id, next(whole, None), parts[row])

    def _retell(self, touched: Collection[int], *, mend: bool = False) -> None:
        """Tell the stories anew that some articles are in, and what these are linked to."""
        store, pool = self._store, Pool(1)
        known = store.members("row", sorted(touched))
        before = {known[row].story if row in known else row for row in touched}
        known |= store.members("story", sorted(before))
        inside = {*touched, *known}
        shared = store.shared_by(sorted(inside))
        beyond = {*shared.queries.tolist(), *shared.founds.tolist()} - inside
        others = store.members("row", sorted(beyond))
        others |= store.members("row", sorted(_firsts(others.values())))
        stock = Stock(self._index, pool, sorted({*inside, *beyond, *others}))
        mended = self._mend(stock, known, shared, pool, MOST_MENDED if mend else 0)
        store.add_shared(mended)
        shared = Shared.join([shared, mended])
        is_inside = np.isin(shared.queries, list(inside)) & np.isin(shared.founds, list(inside))
        matches, facts, grouped = self._group(stock, shared.take(np.flatnonzero(is_inside)), known, pool)
        rows = stock.rows.astype(np.int64)
        crossing = shared.take(np.flatnonzero(~is_inside & (shared.compared.relation >= 0)))
        sizes = store.count_versions(sorted({one.story for one in others.values()}))
        links = _link(stock, grouped, [others[row] for row in others.keys() - inside], crossing, sizes)
        ranks = stock.ranks_of(np.array(sorted(inside)))
        sharing = np.concatenate([matches.queries, matches.founds, *_ranks(stock, crossing)])
        told = _tell_members(grouped, facts, rows, ranks[np.isin(ranks, sharing)])
        store.replace_members(inside, told)
        after = {int(rows[rank]) for rank in grouped.anchor[ranks].tolist()}
        named = _name_links(links, rows)
        store.replace_links(before | after, [one for one in named if one[0] in after or one[1] in after])

    def _group(
        self, stock: Stock, shared: Shared, known: Mapping[int, Member], pool: Pool
    ) -> tuple[Matches, Facts, Grouped]:
        """The stories of a stock by what is shared; what has to be compared for that is kept."""
        is_match = shared.compared.relation >= 0
        matches = self._match(stock, shared.take(np.flatnonzero(is_match)))
        asked = shared.take(np.flatnonzero(~is_match))
        asking = Asking(matches, pool, _pairs(stock, asked), asked.compared)
        counted = np.full(len(stock.ids), -1)
        if known:
            counted[stock.ranks_of(np.array(list(known)))] = [one.words for one in known.values()]
        facts = gather(matches, pool, counted)
        grouped = tell_stories(matches, pool, facts=facts, ask=asking).grouped
        self._store.add_shared(asking.shared(stock.rows.astype(np.int64)))
        return matches, facts, grouped

    def _place(self, fresh: Collection[int], founds: Collection[int]) -> bool:
        """Tell of articles that came into large stories and leave all others as they are; False if one of them comes before an anchor."""
        store, pool = self._store, Pool(1)
        known = store.members("row", sorted(founds))
        known |= store.members("row", sorted(_firsts(known.values())))
        inside = {*fresh, *founds, *known}
        shared = store.shared_by(sorted(inside), ("query",))
        shared = shared.take(np.flatnonzero(np.isin(shared.founds, list(inside))))
        stock = Stock(self._index, pool, sorted(inside))
        _, facts, grouped = self._group(stock, shared, known, pool)
        rows = stock.rows.astype(np.int64)
        mine = stock.ranks_of(np.array(sorted(fresh), np.int64))
        old = {
            int(rank) for rank in stock.ranks_of(np.array([one.story for one in known.values()], np.int64))
        }
        if any(rank in mine for rank in grouped.anchor[sorted(old)].tolist()):
            return False
        numbers = store.last_numbers(sorted({one.story for one in known.values()}))
        told = [
            Member(row, row, row, 1, int(facts.words[rank])) for row, rank in _unknown(stock, known, fresh)
        ]
        for one in _tell_members(grouped, facts, rows, mine):
            like = known.get(one.version)
            story = known[one.story].story if one.story in known else one.story
            number = like.number if like else numbers.get(story, 1) + 1 if story != one.row else 1
            told.append(
                one._replace(story=story, version=like.version if like else one.version, number=number)
            )
        store.replace_members((), told)
        ties = grouped.ties.take(np.isin(grouped.ties.later, mine) | np.isin(grouped.ties.earlier, mine))
        placed = {**known, **{one.row: one for one in told}}
        columns = ([getattr(placed[row], name) for row in rows.tolist()] for name in ("story", "version"))
        anchor, version = (stock.ranks_of(np.array(some, np.int64)).astype(np.int64) for some in columns)
        links = link_stories(anchor, version, grouped.is_collection, ties).rows()
        store.add_links(_name_links(links, rows))
        return True

    def _hand_down(self, story: int, left: Sequence[Member], links: Sequence[Row]) -> None:
        """Let a large story go on with those that are left, as they are; the first of them is its anchor now."""
        stock = Stock(self._index, Pool(1), [one.row for one in left])
        mine = {one.row: one for one in left}
        first, versions, numbers = int(stock.rows[0]), dict[int, int](), dict[int, int]()
        told = []
        for row in stock.rows.tolist():
            version = versions.setdefault(mine[row].version, row)
            number = numbers.setdefault(version, len(numbers) + 1)
            one = mine[row]._replace(story=first, version=version, number=number)
            told.append(one if one.parent in mine else one._replace(**NO_PARENT))
        self._store.replace_members(mine, told)
        ends = (
            (first if one == story else one, first if other == story else other, *rest)
            for one, other, *rest in links
        )
        self._store.add_links([one for one in ends if first in one[:2]])

    def _mend(
        self, stock: Stock, known: Mapping[int, Member], shared: Shared, pool: Pool, most: int
    ) -> Shared:
        """What ties the members of stories that lost some: identical ones stay so, the `most` others are compared with the first that is left."""
        pairs = {
            frozenset(pair) for pair in zip(shared.queries.tolist(), shared.founds.tolist(), strict=True)
        }
        ranks = dict(zip(stock.rows.tolist(), range(len(stock.ids)), strict=True))
        same: list[Pair] = []
        asked: list[Pair] = []
        firsts: dict[int, int] = {}
        versions: dict[int, int] = {}
        for row in sorted(known, key=ranks.__getitem__):
            one = known[row]
            first, mine = firsts.setdefault(one.story, row), versions.setdefault(one.version, row)
            if mine != row and frozenset((row, mine)) not in pairs:
                same.append((row, mine))
            elif mine == row != first and frozenset((row, first)) not in pairs:
                asked.append((row, first))
        asked = asked[:most]
        parts = [NOTHING_SHARED]
        if same:
            parts.append(_pair_up(same, _identical(len(same))))
        if asked:
            found = _pair_up(asked, NOT_COMPARED)
            nobody = self._match(stock, NOTHING_SHARED)
            later, earlier = _ranks(stock, found)
            parts.append(_pair_up(asked, compare_more(nobody, (later, earlier), pool)))
        return Shared.join(parts)


def _tie_parents(
    told: Sequence[Member], version: NDArray[np.int64], parent: NDArray[np.int64]
) -> tuple[Ties, NDArray[np.int64]]:
    """What members are to their parents of other versions, each pair of versions once, and which of these each member goes by."""
    places: dict[Pair, int] = {}
    tie = np.full(len(told), -1)
    columns: list[tuple[int, int, int, float, float, int, int, bool]] = []
    for rank, one in enumerate(told):
        pair = int(version[rank]), int(version[parent[rank]])
        if parent[rank] < 0 or pair[0] == pair[1] or one.relation is None:
            continue
        tie[rank] = places.setdefault(pair, len(columns))
        if tie[rank] == len(columns):
            shares = one.covered or 0.0, one.parent_covered or 0.0, one.shared or 0
            columns.append((*pair, RELATIONS.index(Relation(one.relation)), *shares, -1, False))
    kinds = (np.int64, np.int64, np.int8, np.float64, np.float64, np.int64, np.int64, np.bool_)
    values = zip(*columns, strict=True) if columns else [()] * len(kinds)
    return Ties(*(np.array(some, kind) for some, kind in zip(values, kinds, strict=True))), tie


def _thin_out(shared: Shared, known: Mapping[int, Member]) -> Shared:
    """The pairs without all but one of each article with a version: these say the same, unless one is a form only by its date."""
    version = np.array(
        [known[row].version if row in known else row for row in shared.founds.tolist()], np.int64
    )
    order = np.lexsort((shared.founds, shared.compared.relation == FORM, version, shared.queries))
    queries, version = shared.queries[order], version[order]
    is_first = np.append(True, (np.diff(queries) != 0) | (np.diff(version) != 0))[: len(order)]
    return shared.take(order[is_first])


def _firsts(members: Iterable[Member]) -> set[int]:
    """The first articles of the stories and versions of some members."""
    return {row for one in members for row in (one.story, one.version)}


def _unknown(stock: Stock, known: Collection[int], fresh: Collection[int]) -> list[Pair]:
    """The articles of a stock that nothing was told of and that did not just come: row and rank."""
    return [
        (row, rank) for rank, row in enumerate(stock.rows.tolist()) if row not in known and row not in fresh
    ]


def _pair_up(pairs: Sequence[Pair], compared: Compared) -> Shared:
    rows = np.array(pairs, np.int64).reshape(-1, 2)
    return Shared(rows[:, 0], rows[:, 1], np.zeros(len(rows), np.int64), compared)


def _identical(number: int) -> Compared:
    """So many pairs with identical texts; no passages are told of them."""
    ones, none = np.ones(number), np.zeros(number + 1, np.int64)
    relation, tried = np.full(number, IDENTICAL, np.int8), np.zeros(number, np.uint8)
    return Compared(relation, ones, ones, ones, none, NOT_COMPARED.passages, tried, none, NO_SLOTS)


def _ranks(stock: Stock, shared: Shared) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    return stock.ranks_of(shared.queries), stock.ranks_of(shared.founds)


def _pairs(stock: Stock, shared: Shared) -> Iterable[Pair]:
    queries, founds = _ranks(stock, shared)
    return zip(queries.tolist(), founds.tolist(), strict=True)


def _link(
    stock: Stock, grouped: Grouped, others: Sequence[Member], crossing: Shared, sizes: Mapping[int, int]
) -> list[Row]:
    """What joins stories that were told anew to each other, and to others that were not, whose versions have so many articles."""
    anchor, version = grouped.anchor.copy(), grouped.version.copy()
    is_collection, is_placeholder = grouped.is_collection.copy(), grouped.is_placeholder.copy()
    if others:
        columns = ([getattr(one, name) for one in others] for name in ("row", "story", "version"))
        ranks, stories, versions = (stock.ranks_of(np.array(rows, np.int64)) for rows in columns)
        anchor[ranks], version[ranks] = stories, versions
        is_collection[ranks] = [one.kind == COLLECTION for one in others]
        is_placeholder[ranks] = [one.kind == PLACEHOLDER for one in others]
        here = sorted({one.version for one in others})
        firsts = stock.ranks_of(np.array(here, np.int64)).astype(np.int64)
        # Those of their versions that are not here count too.
        more = [sizes[one] - int(np.sum(version == rank)) for one, rank in zip(here, firsts, strict=True)]
        version = np.append(version, np.repeat(firsts, more))
    ties = tie_versions(version, is_placeholder, *_ranks(stock, crossing), crossing.compared)
    every = Ties.join([grouped.ties, ties])
    return list(link_stories(anchor, version, is_collection, every).rows())
