"""The stories of an archive, kept in its tables: told whole whenever it learns, and in between where articles come or go.

In between, what is touched is told anew by the rule of `grouping` over what is known: the stories of the articles that came, of those that
they share something with, and of those that went. Where what tied the members of a story together is gone, they are compared with
its first. So the tables are exact whenever the archive has just learnt; until it learns again a pair may be missing that only all articles
together bring to light. `told_row` among the settings is the last article that they tell of; there is none before they were told.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..comparison import NOT_COMPARED
from ..errors import ArchiveError
from ..grouping.stories import Stories, gather, tell_stories
from ..grouping.ties import Facts, Grouped, link_stories
from ..matching import compare_more
from ..matching.collection import Pool
from ..matching.matches import Matches
from .index import Index
from .stock import Stock
from .tables import (
    NO_PARENT,
    Asking,
    Pair,
    Telling,
    find_firsts,
    find_unknown,
    group_as_told,
    link,
    make_identical,
    name_links,
    pair_up,
    pairs_of,
    ranks_of,
    tell_members,
    thin_out,
)
from .told import NOTHING_SHARED, AlteredError, Member, Row, Shared

MOST_MENDED = 200
"""So many members are compared with the first of their stories when what tied them is gone: a change must not wait for more."""
MOST_RETOLD = 200
"""Stories of more articles together are not told anew when one comes or goes, so that the cost of a change does not grow with them."""
MANY_GONE = 0.05
"""Where this share of all articles goes at once, the archive learns again: nothing is told before that."""


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
            matches = self._match(stock, shared.take(np.flatnonzero(nominated)), counted)
            asked = shared.take(np.flatnonzero(~nominated))
            asking = Asking(matches, pool, pairs_of(stock, asked), asked.compared)
        except (AlteredError, ArchiveError, LookupError, ValueError, TypeError):
            return None
        return tell_stories(matches, pool, rule, ask=asking)

    def read_some(self, stories: Sequence[int]) -> Stories:
        """Some stories, given by their first articles, as they are stored, whatever all articles together say; raises AlteredError."""
        store = self._store
        known = store.members("story", stories)
        stock = Stock(self._index, Pool(1), sorted({*stories, *known}))
        rows = stock.rows.tolist()
        shared = store.shared_by(sorted(rows))
        is_inside = np.isin(shared.queries, rows) & np.isin(shared.founds, rows)
        matches = self._match(stock, shared.take(np.flatnonzero(is_inside & (shared.compared.relation >= 0))))
        told = [known.get(row) or Member(row, row, row, 1, 0) for row in rows]
        return Stories(matches, group_as_told(told, matches))

    def _match(self, stock: Stock, shared: Shared, counted: NDArray[np.int64] | None = None) -> Matches:
        """Pairs of a stock as matches, in their order; the words of articles that are known are `counted`."""
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
            counted=counted,
        )

    # Where articles come or go

    def come(self, rows: Sequence[int], shared: Shared) -> None:
        """Tell of articles that came, in what they share with those before them."""
        store = self._store
        try:
            if len(shared):
                founds = {*shared.founds.tolist()} - {*rows}
                known = store.members("row", sorted(founds))
                store.add_shared(thin_out(shared, known))
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
        others |= store.members("row", sorted(find_firsts(others.values())))
        stock = Stock(self._index, pool, sorted({*inside, *beyond, *others}))
        mended = self._mend(stock, known, shared, pool, MOST_MENDED if mend else 0)
        store.add_shared(mended)
        shared = Shared.join([shared, mended])
        is_inside = np.isin(shared.queries, list(inside)) & np.isin(shared.founds, list(inside))
        matches, facts, grouped = self._group(stock, shared.take(np.flatnonzero(is_inside)), known, pool)
        rows = stock.rows.astype(np.int64)
        crossing = shared.take(np.flatnonzero(~is_inside & (shared.compared.relation >= 0)))
        sizes = store.count_versions(sorted({one.story for one in others.values()}))
        links = link(stock, grouped, [others[row] for row in others.keys() - inside], crossing, sizes)
        ranks = stock.ranks_of(np.array(sorted(inside)))
        sharing = np.concatenate([matches.queries, matches.founds, *ranks_of(stock, crossing)])
        told = tell_members(grouped, facts, rows, ranks[np.isin(ranks, sharing)])
        store.replace_members(inside, told)
        after = {int(rows[rank]) for rank in grouped.anchor[ranks].tolist()}
        named = name_links(links, rows)
        store.replace_links(before | after, [one for one in named if one[0] in after or one[1] in after])

    def _group(
        self, stock: Stock, shared: Shared, known: Mapping[int, Member], pool: Pool
    ) -> tuple[Matches, Facts, Grouped]:
        """The stories of a stock by what is shared; what has to be compared for that is kept."""
        is_match = shared.compared.relation >= 0
        counted = np.full(len(stock.ids), -1)
        if known:
            counted[stock.ranks_of(np.array(list(known)))] = [one.words for one in known.values()]
        matches = self._match(stock, shared.take(np.flatnonzero(is_match)), counted)
        asked = shared.take(np.flatnonzero(~is_match))
        asking = Asking(matches, pool, pairs_of(stock, asked), asked.compared)
        facts = gather(matches, pool)
        grouped = tell_stories(matches, pool, facts=facts, ask=asking).grouped
        self._store.add_shared(asking.shared(stock.rows.astype(np.int64)))
        return matches, facts, grouped

    def _place(self, fresh: Collection[int], founds: Collection[int]) -> bool:
        """Tell of articles that came into large stories and leave all others as they are; False if one of them comes before an anchor."""
        store, pool = self._store, Pool(1)
        known = store.members("row", sorted(founds))
        known |= store.members("row", sorted(find_firsts(known.values())))
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
            Member(row, row, row, 1, int(facts.words[rank]))
            for row, rank in find_unknown(stock, known, fresh)
        ]
        for one in tell_members(grouped, facts, rows, mine):
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
        store.add_links(name_links(links, rows))
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
            told.append(one if one.parent in mine else Member._make((*one[: -len(NO_PARENT)], *NO_PARENT)))
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
            parts.append(pair_up(same, make_identical(len(same))))
        if asked:
            found = pair_up(asked, NOT_COMPARED)
            nobody = self._match(stock, NOTHING_SHARED)
            later, earlier = ranks_of(stock, found)
            parts.append(pair_up(asked, compare_more(nobody, (later, earlier), pool)))
        return Shared.join(parts)
