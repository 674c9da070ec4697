"""Stories: a sequence of them, held as columns, that can be turned into tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..comparison import NOT_COMPARED, RELATIONS, get_preset
from ..errors import MissingExtra, refuse
from ..escaping import ROWS, show_table
from ..matching import compare_more
from ..matching.collection import Collection, Out, Pool, open_pool
from ..matching.matches import Matches
from ..matching.opinions import Opinions
from ..methods import RELATIONS as METHOD_RELATIONS
from ..model import KEPT, UNDATED, Remarks, Skipped, count
from ..text import count_words, tokenise
from . import group, group_closed
from .columns import Records, json_lines, read
from .covering import KEEP, cover
from .graphs import ARTICLE_HEADS, Graph, link_sources
from .records import Dropped, Kept, Link, Series, Story
from .telling import Shape, Telling, count_bridges, tell_seen, tell_sources
from .ties import (
    BASES,
    FORM,
    IDENTICAL,
    LINK_KINDS,
    PLACEHOLDER_WORDS,
    Ask,
    Facts,
    Grouped,
    Ties,
    close,
    tie_versions,
)

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

READ_AT_ONCE = 1 << 11
"""So many articles are read at a time."""
RULES = ("anchored", "closure")
STORY_HEADS = (
    *("story", "article", "version", "title", "source", "published", "url", "agency"),
    *("parent", "relation", "covered", "parent_covered", "words", "basis", "rivals", "after_seconds"),
)


@dataclass(frozen=True)
class Stories(Sequence[Story]):
    """The stories of two or more articles, by the time of their first.

    An article that shares its text with no other is no story here, but `of` tells of it as one, and it may be linked to others.
    """

    matches: Matches | Opinions = field(repr=False)
    grouped: Grouped = field(repr=False)
    rule: str = "anchored"
    former: Mapping[str, str] = field(default_factory=dict, repr=False)
    """By the id of an article that began a story and is no longer there, that of the earliest article that is left of it."""

    @cached_property
    def _members(self) -> dict[int, NDArray[np.int64]]:
        """The articles of each story of two or more, by its anchor, in the order of time."""
        anchor = self.grouped.anchor
        several = np.flatnonzero(np.bincount(anchor, minlength=len(anchor))[anchor] > 1)
        order = several[np.argsort(anchor[several], kind="stable")]
        anchors, starts = np.unique(anchor[order], return_index=True)
        parts = np.split(order, starts[1:]) if len(order) else []
        return dict(zip(anchors.tolist(), parts, strict=True))

    @cached_property
    def _anchors(self) -> list[int]:
        return list(self._members)

    @cached_property
    def _ranks(self) -> dict[str, int]:
        return {id: rank for rank, id in enumerate(self._collection.ids)}

    @property
    def _collection(self) -> Collection:
        return self.matches.found_side

    @property
    def ids(self) -> Sequence[str]:
        """The ids of all articles, by time."""
        return self._collection.ids

    @property
    def articles(self) -> int:
        """How many articles there are in all, those in no story included."""
        return len(self.grouped.anchor)

    @property
    def skipped(self) -> Sequence[Skipped]:
        """Records that could not be used."""
        return self.matches.skipped

    @property
    def remarks(self) -> Remarks:
        """What is odd about the articles."""
        return self.matches.remarks

    @property
    def missing_fields(self) -> Sequence[str]:
        """The fields that were asked for by name and that no record has."""
        return self.matches.missing_fields

    @property
    def warnings(self) -> Sequence[str]:
        """Reasons why the answer may not be what was expected."""
        return self.matches.warnings

    @property
    def placeholders(self) -> int:
        """How many articles have a short text that others have under other titles, and so are in no story."""
        return int(self.grouped.is_placeholder.sum())

    def __len__(self) -> int:
        return len(self._anchors)

    def __repr__(self) -> str:
        inside = sum(map(len, self._members.values()))
        return f"<Stories: {len(self):,} of {inside:,} among {count(self.articles)}>"

    def _repr_html_(self) -> str:
        rows = [
            (
                len(one.articles),
                len(one.versions),
                len(one.sources),
                one.first_seen or "",
                one.title or "",
                one.id,
            )
            for one in self.tell(range(min(ROWS, len(self))))
        ]
        heads = ("articles", "versions", "sources", "first seen", "title", "id")
        return show_table(repr(self).strip("<>"), heads, rows, len(self) - len(rows))

    @overload
    def __getitem__(self, row: int) -> Story: ...
    @overload
    def __getitem__(self, row: slice) -> list[Story]: ...
    def __getitem__(self, row: int | slice) -> Story | list[Story]:
        if isinstance(row, slice):
            return list(self.tell(range(*row.indices(len(self)))))
        if not -len(self) <= row < len(self):
            raise IndexError(f"story {row} of {len(self)}")
        [story] = self.tell([row % len(self)])
        return story

    def __iter__(self) -> Iterator[Story]:
        return self.tell(range(len(self)))

    def of(self, article: str) -> Story | None:
        """The story that an article is in, by its id; None if there is no such article.

        In an archive an article that has expired and began a story leads to what is left of it.
        """
        rank = self._ranks.get(self.former.get(article, article))
        if rank is None:
            return None
        anchor = int(self.grouped.anchor[rank])
        [story] = read(self._read([self._members.get(anchor, np.array([anchor]))]))
        assert isinstance(story, Story)
        return story

    def tell(self, rows: Iterable[int]) -> Iterator[Story]:
        """The stories of some rows."""
        return chain.from_iterable(self._tell(rows, read))

    def json_lines(self) -> Iterator[str]:
        """All stories as lines of JSON, many lines at a time."""
        return self._tell(range(len(self)), json_lines)

    def _tell(self, rows: Iterable[int], make: Callable[[Records], Out]) -> Iterator[Out]:
        """What is made of the stories of some rows, many at a time."""
        parts = list(self._cut(rows))
        with open_pool(None if len(parts) > 1 else 1) as pool:  # what comes next is read meanwhile
            yield from pool.map(lambda some: make(self._read(some)), parts)

    def _cut(self, rows: Iterable[int]) -> Iterator[list[NDArray[np.int64]]]:
        """The articles of the stories of some rows, as many stories at a time as are read together."""
        waiting: list[NDArray[np.int64]] = []
        number = 0
        for row in rows:
            waiting.append(self._members[self._anchors[row]])
            number += len(waiting[-1])
            if number >= READ_AT_ONCE:
                yield waiting
                waiting, number = [], 0
        if waiting:
            yield waiting

    def sizes(self) -> NDArray[np.int64]:
        """How many articles each story has."""
        return np.array([len(members) for members in self._members.values()], np.int64)

    def _read(self, stories: Sequence[NDArray[np.int64]]) -> Records:
        """The stories with these articles, which are read together."""
        shape = Shape(self.grouped, stories)
        ranks = shape.ranks.astype(np.uint32)
        about = self._collection.describe(ranks), *self._collection.origins(ranks)
        # Articles of one version have the same words.
        tokens = tokenise(*self._collection.texts(ranks[shape.firsts]))
        changed = np.flatnonzero(shape.changed >= 0)
        counted = _core.count_changes(
            tokens, changed.astype(np.uint32), shape.changed[changed].astype(np.uint32)
        )
        changes = np.zeros((len(counted), len(shape.firsts)), np.int64)
        changes[:, changed] = counted
        return Telling(shape, *about, np.diff(tokens.offsets), list(changes), self._bridges).stories()

    @cached_property
    def _bridges(self) -> NDArray[np.int64]:
        return count_bridges(self.grouped)

    @property
    def links(self) -> list[Link]:
        """What joins two stories, single articles among them."""
        ids, links = self._collection.ids, self.grouped.links
        return [
            Link(ids[one], ids[other], LINK_KINDS[kind], articles, words)
            for one, other, kind, articles, words in links.rows()
        ]

    @property
    def series(self) -> list[Series]:
        """Articles in one form, by the time of the first."""
        grouped = self.grouped
        inside = np.flatnonzero(grouped.series >= 0)
        order = inside[np.argsort(grouped.series[inside], kind="stable")]
        firsts, starts = np.unique(grouped.series[order], return_index=True)
        if not len(firsts):
            return []
        ties = grouped.ties.take(grouped.ties.relation == FORM)
        other = np.bincount(grouped.compared.pairs, grouped.compared.passages.other, len(grouped.compared))
        slots = np.zeros(len(grouped.anchor), np.int64)
        np.maximum.at(slots, grouped.series[ties.later], other[ties.row].astype(np.int64))
        told = []
        for first, members in zip(firsts.tolist(), np.split(order, starts[1:]), strict=True):
            articles = self._collection.articles(members.astype(np.uint32))
            dates = self._collection.origins(members.astype(np.uint32))[0]
            ids = tuple(one.id for one in articles)
            seen = tell_seen(articles, dates.tolist())
            told.append(
                Series(ids[0], articles[0].title, ids, tell_sources(articles), *seen, int(slots[first]))
            )
        return told

    def keep_one(self, keep: str = "longest", *, threads: int | None = None) -> Kept:
        """One of each: all articles but those that a kept one covers by the share that makes a copy, never across forms.

        Of two that cover each other, the `longest` or the `earliest` is kept; of one that holds the other whole, always that one.
        """
        matches = self.matches
        refuse(
            (keep not in KEEP, f"keep: expected {' or '.join(map(repr, KEEP))}, got {keep!r}"),
            (self.rule != "anchored", "keep_one: not by closure, which drops what nothing kept covers"),
        )
        assert isinstance(matches, Matches)
        collection = self._collection

        def sequences(ranks: Sequence[int]) -> list[NDArray[np.uint64]]:
            tokens = tokenise(*collection.texts(np.array(ranks, np.uint32)))
            edges = pairwise(tokens.offsets.tolist())
            return [sample_sequences(tokens.hashes[start:end]) for start, end in edges]

        with open_pool(threads) as pool:
            covering = cover(
                self.grouped,
                gather(matches, pool).words,
                get_preset(matches.preset).covered,
                keep,
                lambda *pairs: compare_more(matches, pairs, pool),
                sequences,
            )
        ids, keeper = self.ids, covering.keeper
        kept = np.flatnonzero(keeper == np.arange(len(keeper)))
        dropped = np.flatnonzero(keeper != np.arange(len(keeper)))
        return Kept(
            tuple(ids[rank] for rank in kept.tolist()),
            tuple(
                Dropped(ids[rank], ids[keeper[rank]], float(covering.covered[rank]))
                for rank in dropped.tolist()
            ),
        )

    def graph(self, by: str | None = None) -> Graph:
        """The links between all articles that match, or, `by="source"`, between sources: who carries later what another had.

        Between sources those articles count whose parent is of another source and, by their dates, earlier.
        """
        refuse((by not in (None, "source"), f"by: expected None or 'source', got {by!r}"))
        if by == "source":
            return link_sources(self._copies())
        matches = self.matches
        if isinstance(matches, Opinions):
            ties = _accepted(matches)
            rows = zip(ties.earlier.tolist(), ties.later.tolist(), ties.relation.tolist(), strict=True)
            edges = [(one, other, code, None, matches.method) for one, other, code in rows]
        else:
            by_methods = [" ".join(names) for names in matches.combinations]
            columns = matches.founds, matches.queries, matches.compared.relation, matches.words
            rows_of = zip(*(column.tolist() for column in (*columns, matches.nominated)), strict=True)
            edges = [(one, other, code, words, by_methods[who]) for one, other, code, words, who in rows_of]
        ranks = np.array(sorted({rank for edge in edges for rank in edge[:2]}), np.uint32)
        articles = self._collection.articles(ranks) if len(ranks) else []
        nodes = {one.id: {name: value for name in KEPT if (value := getattr(one, name))} for one in articles}
        ids = self.ids
        told = [(ids[one], ids[other], str(RELATIONS[code]), *rest) for one, other, code, *rest in edges]
        return Graph(ARTICLE_HEADS, told, nodes)

    def _copies(self) -> Iterator[tuple[str, str, int, float]]:
        """Source of the parent, source, equal words and delay of each article whose parent is of another source and earlier."""
        grouped = self.grouped
        ranks = np.flatnonzero(grouped.parent >= 0)
        ranks = ranks[grouped.basis[ranks] < BASES.index("same-time")]
        both = np.unique(np.concatenate([ranks, grouped.parent[ranks]])).astype(np.uint32)
        if not len(both):
            return
        sources = dict(
            zip(both.tolist(), (one.source for one in self._collection.articles(both)), strict=True)
        )
        dates = dict(zip(both.tolist(), self._collection.origins(both)[0].tolist(), strict=True))
        tokens = tokenise(*self._collection.texts(ranks.astype(np.uint32)))
        whole = np.diff(tokens.offsets)
        words = np.where(grouped.tie[ranks] < 0, whole, np.append(grouped.ties.words, 0)[grouped.tie[ranks]])
        for rank, shared in zip(ranks.tolist(), words.tolist(), strict=True):
            parent = int(grouped.parent[rank])
            found, query = sources[parent], sources[rank]
            if found and query and found != query:
                yield found, query, shared, (dates[rank] - dates[parent]) / 1e6

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The columns `STORY_HEADS` of each article that is in a story."""
        for story in self:
            for one in story.articles:
                about = one.title, one.source, one.published, one.url, one.agency
                parent = one.parent
                tie: tuple[Any, ...] = (None,) * 8
                if parent:
                    shares = parent.covered, parent.parent_covered, parent.words
                    rest = parent.basis, parent.rivals, parent.after_seconds
                    tie = (parent.article, str(parent.relation), *shares, *rest)
                yield story.id, one.id, one.version, *about, *tie

    def to_arrow(self) -> pyarrow.Table:
        """One row an article that is in a story, as an Arrow table."""
        try:
            import pyarrow as pa
        except ImportError:
            raise MissingExtra("an Arrow table", "arrow") from None
        types = dict.fromkeys(STORY_HEADS, pa.string())
        types |= dict.fromkeys(("version", "words", "rivals"), pa.int64())
        types |= dict.fromkeys(("covered", "parent_covered", "after_seconds"), pa.float64())
        rows = list(self.rows())
        columns = zip(*rows, strict=True) if rows else [()] * len(STORY_HEADS)
        return pa.table(
            {head: pa.array(column, types[head]) for head, column in zip(STORY_HEADS, columns, strict=True)}
        )

    def to_pandas(self) -> pandas.DataFrame:
        """One row an article that is in a story, as a pandas frame."""
        frame: pandas.DataFrame = self.to_arrow().to_pandas()
        return frame

    def to_polars(self) -> polars.DataFrame:
        """One row an article that is in a story, as a polars frame."""
        import polars

        frame = polars.from_arrow(self.to_arrow())
        assert isinstance(frame, polars.DataFrame)
        return frame


def sample_sequences(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A quarter of the sequences of three words, chosen by what they are."""
    if len(words) < 3:
        return words[:0]
    mixed: NDArray[np.uint64] = (words[:-2] * _MIX + words[1:-1]) * _MIX + words[2:]
    is_chosen: NDArray[np.bool_] = (mixed * _MIX) >> np.uint64(62) == 0
    return mixed[is_chosen]


_MIX = np.uint64(0x9E3779B97F4A7C15)


def tell_stories(
    matches: Matches | Opinions,
    pool: Pool,
    rule: str = "anchored",
    *,
    facts: Facts | None = None,
    ask: Ask | None = None,
) -> Stories:
    """The stories of a collection that was matched with itself, or that one method has an opinion on.

    The `facts` of its articles, and who is asked for pairs that were not matched, can be given.
    """
    by_method = isinstance(matches, Opinions)
    refuse(
        (matches.query_side is not matches.found_side, "stories: expected matches of a pile with itself"),
        (rule not in RULES, f"rule: expected {' or '.join(map(repr, RULES))}, got {rule!r}"),
        (
            by_method and rule != "closure",
            "a method that decides by itself gives stories by rule='closure' only",
        ),
    )
    pool.progress("grouping", 0, 0)
    collection = matches.found_side
    if isinstance(matches, Opinions):
        everyone = np.arange(len(collection.ids))
        published = collection.origins(everyone.astype(np.uint32))[0]
        grouped = group_closed(published, everyone, _accepted(matches), NOT_COMPARED)
    elif rule == "closure":
        published = collection.origins(np.arange(len(collection.ids), dtype=np.uint32))[0]
        found = matches.queries, matches.founds
        version = close(len(published), *(side[matches.compared.relation == IDENTICAL] for side in found))
        ties = tie_versions(version, np.zeros(len(version), bool), *found, matches.compared)
        grouped = group_closed(published, version, ties, matches.compared)
    else:
        # Stories are the same for linked families and for all pairs: what links leave out is asked for.
        found, compared = (matches.queries, matches.founds), matches.compared
        if matches.linked is not None:
            kept = np.flatnonzero(matches.linked)
            found, compared = (matches.queries[kept], matches.founds[kept]), compared.take(kept)
        asking = ask or (lambda *pairs: compare_more(matches, pairs, pool))
        grouped = group(facts or gather(matches, pool), *found, compared, asking)
    pool.progress("grouping", 1, 1)
    return Stories(matches, grouped, rule)


def _accepted(opinions: Opinions) -> Ties:
    """The pairs that a method accepts, as ties of versions of one article each; it counts no equal words."""
    scored = opinions.scored.take(opinions.scored.relation > 0)
    codes = np.array([-1 if one is None else RELATIONS.index(one) for one in METHOD_RELATIONS], np.int8)
    none = np.zeros(len(scored), np.int64)
    return Ties(
        scored.query.astype(np.int64),
        scored.found.astype(np.int64),
        codes[scored.relation],
        scored.query_in_found.round(4),
        scored.found_in_query.round(4),
        none,
        none - 1,
        none.astype(bool),
    )


def gather(matches: Matches, pool: Pool) -> Facts:
    """What is known of the articles that are in a match."""
    collection, counted = matches.found_side, matches.counted
    ranks = np.unique(np.concatenate([matches.queries, matches.founds])).astype(np.uint32)
    published = np.full(len(collection.ids), UNDATED)
    words, titles = np.zeros_like(published), np.zeros_like(published)
    if not len(ranks):
        return Facts(published, words, titles)
    published[ranks] = collection.origins(ranks)[0]
    if counted is not None:
        words[ranks] = counted[ranks]
    fresh = ranks if counted is None else ranks[counted[ranks] < 0]
    parts = [fresh[start : start + READ_AT_ONCE] for start in range(0, len(fresh), READ_AT_ONCE)]

    counts = pool.map(lambda some: count_words(tokenise(*collection.texts(some))), parts)
    words[fresh] = np.concatenate([words[:0], *counts])
    same = matches.compared.relation == IDENTICAL
    alike = np.unique(np.concatenate([matches.queries[same], matches.founds[same]]))
    short = alike[words[alike] < PLACEHOLDER_WORDS].astype(np.uint32)
    names = [(one.title or "").casefold().strip() for one in collection.articles(short)] if len(short) else []
    numbers: dict[str, int] = {"": 0}
    titles[short] = [numbers.setdefault(name, len(numbers)) for name in names]
    return Facts(published, words, titles)
