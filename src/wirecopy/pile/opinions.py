"""What one published method says by itself: its own score and decision for pairs, its verdict on an article."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..methods import Method, Scores, Sketches
from ..model import Opinion, Relation, Skipped, Verdict, missing
from ..sharing import Sharing, count_hits
from .collection import Pile, Pool

BLOCK_PAIRS = 1 << 16
Columns = tuple[NDArray[Any], ...]


@dataclass(frozen=True)
class Opinions(Sequence[Opinion]):
    """Opinions in the order of time, or, where a pile was ranked against queries, by rank."""

    pile: Pile = field(repr=False)
    queries: NDArray[np.int64] = field(repr=False)
    founds: NDArray[np.int64] = field(repr=False)
    scores: Scores = field(repr=False)
    accepted: tuple[NDArray[np.bool_], NDArray[np.bool_]] = field(repr=False)
    method: str
    verdicts: Sequence[Verdict] = field(default=(), repr=False)
    """On each article, for a paper that decides on an article against all others and not on a pair."""

    def __len__(self) -> int:
        return len(self.queries)

    @overload
    def __getitem__(self, row: int) -> Opinion: ...
    @overload
    def __getitem__(self, row: slice) -> list[Opinion]: ...
    def __getitem__(self, row: int | slice) -> Opinion | list[Opinion]:
        if isinstance(row, slice):
            return [self[i] for i in range(*row.indices(len(self)))]
        number = range(len(self))[row]
        (opinion,) = self._opinions(slice(number, number + 1))
        return opinion

    def __iter__(self) -> Iterator[Opinion]:
        for start in range(0, len(self), BLOCK_PAIRS):
            yield from self._opinions(slice(start, start + BLOCK_PAIRS))

    def _opinions(self, rows: slice) -> Iterable[Opinion]:
        columns: Columns = self.queries, self.founds, self._relations, *self._rounded
        ids = self.pile.ids
        for query, found, relation, in_found, in_query, rank in zip(
            *(column[rows].tolist() for column in columns), strict=True
        ):
            yield Opinion(
                ids[query], ids[found], RELATIONS[relation], in_found, in_query, rank, (self.method,)
            )

    @property
    def _relations(self) -> NDArray[np.uint8]:
        return self.accepted[0].astype(np.uint8) + 2 * self.accepted[1].astype(np.uint8)

    @property
    def _rounded(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        scores = self.scores
        return scores.query_in_found.round(4), scores.found_in_query.round(4), scores.rank.round(4)

    @property
    def skipped(self) -> Sequence[Skipped]:
        """Records that could not be used."""
        return self.pile.skipped

    @property
    def unreadable_dates(self) -> int:
        """How many dates could not be read, and count as missing."""
        return self.pile.unreadable_dates

    @property
    def missing_fields(self) -> Sequence[str]:
        """The fields that were asked for by name and that no record holds."""
        return missing(self.pile.held)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each opinion as its public JSON object."""
        return (opinion.to_dict() for opinion in self)

    def json_lines(self) -> Iterator[str]:
        """The opinions as JSON lines, many at a time."""
        relations, by = [json.dumps(relation) for relation in RELATIONS], json.dumps([self.method])
        in_found, in_query, rank = self._rounded
        numbers = self._relations
        for start in range(0, len(self), BLOCK_PAIRS):
            rows = slice(start, start + BLOCK_PAIRS)
            yield _core.opinion_lines(
                self.queries[rows],
                self.founds[rows],
                numbers[rows],
                in_found[rows],
                in_query[rows],
                rank[rows],
                self.pile.ids,
                relations,
                by,
            )


RELATIONS = (None, Relation.CONTAINED_IN, Relation.CONTAINS, Relation.NEAR_DUPLICATE)
"""By what is accepted: 1 for the query in the found article, 2 for the other way round."""

Progress = Callable[[str, int, int], None]
Receive = Callable[[Opinions], None]


def judge(
    method: Method,
    pile: Pile,
    order: NDArray[np.int64],
    sketches: Sketches,
    top: int | None,
    pool: Pool,
    progress: Progress,
    receive: Receive | None,
) -> Opinions:
    """What the method accepts of all pairs; with queries, its `top` for each.

    With `receive`, opinions go there, a block at a time, and are not kept.
    """
    articles = len(order) - (pile.asked or 0)
    sharing = Sharing(method, sketches, order, pool.map, pile.asked or 0)
    sketches = sharing.sketches
    by_id = np.empty(articles, np.int64)
    by_id[sorted(range(articles), key=lambda rank: pile.ids[order[rank]]) if pile.asked else slice(None)] = (
        np.arange(articles)
    )

    def score(later: NDArray[np.uint32], earlier: NDArray[np.uint32]) -> Columns:
        scores = method.score(sketches.take(later), sketches.take(earlier))
        return (
            later,
            earlier,
            scores.query_in_found,
            scores.found_in_query,
            scores.rank,
            *method.accepts(scores),
        )

    def judge_articles(block: tuple[int, int]) -> Columns:
        parts = []
        for later, earlier in sharing.pairs(*block, BLOCK_PAIRS):
            columns = score(later, earlier)
            parts.append(_take(columns, np.flatnonzero(columns[5] | columns[6])))
        columns = _join(parts)
        return _take(columns, np.lexsort((columns[1], columns[0])))

    def rank_articles(block: tuple[int, int]) -> Columns:
        parts = []
        for start in range(0, articles, BLOCK_PAIRS):
            found = np.arange(start, min(start + BLOCK_PAIRS, articles), dtype=np.uint32)
            columns = score(np.full(len(found), block[0], np.uint32), found)
            parts.append(_take(columns, np.flatnonzero(columns[4] > 0)))
        columns = _join(parts)
        return _take(columns, np.lexsort((by_id[columns[1]], -columns[4]))[:top])

    def opinions(part: Columns, verdicts: Sequence[Verdict] = ()) -> Opinions:
        later, earlier, in_found, in_query, ranks, *accepted = part
        scores = Scores(in_found, in_query, ranks)
        sides = accepted[0], accepted[1]
        return Opinions(pile, order[later], order[earlier], scores, sides, method.name, verdicts)

    work, blocks = judge_articles, sharing.blocks
    if pile.asked is not None:
        work, blocks = rank_articles, [(rank, rank + 1) for rank in range(articles, len(order))]
    parts = []
    for number, part in enumerate(pool.map(work, blocks), 1):
        if receive is None:
            parts.append(part)
        else:
            receive(opinions(part))
        progress("judging", number, len(blocks))
    return opinions(_join(parts), _give_verdicts(method, pile, order, sketches))


def _give_verdicts(
    method: Method, pile: Pile, order: NDArray[np.int64], sketches: Sketches
) -> Sequence[Verdict]:
    """On all articles against each other, or on the queries against the others."""
    if not method.gives_verdicts:
        return ()
    first = len(order) - (pile.asked or 0)
    hits = count_hits(sketches, np.arange(len(order)) < first)
    judged = slice(None) if pile.asked is None else slice(first, None)
    columns = order[judged].tolist(), hits[judged].tolist(), method.verdict(hits[judged]).tolist()
    return [Verdict(pile.ids[number], *rest) for number, *rest in zip(*columns, strict=True)]


def _take(columns: Columns, rows: NDArray[Any]) -> Columns:
    return tuple(column[rows] for column in columns)


def _join(parts: Sequence[Columns]) -> Columns:
    if not parts:
        none = np.empty(0, np.uint32)
        return (none, none, *(np.empty(0) for _ in range(3)), *(np.empty(0, bool) for _ in range(2)))
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))
