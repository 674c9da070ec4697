"""What one published method says by itself: its own score and decision for pairs, its verdict on an article."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ..methods import Method, Scores, Sketches
from ..model import Opinion, Relation, Skipped, Verdict
from ..pairs import Sharing, count_hits
from .collection import Pile, Pool

BLOCK_ARTICLES = 1024
BLOCK_PAIRS = 1 << 16
LINES = 1 << 12


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
        return next(iter(self._opinions(range(len(self))[row], range(len(self))[row] + 1)))

    def __iter__(self) -> Iterator[Opinion]:
        for start in range(0, len(self), LINES):
            yield from self._opinions(start, start + LINES)

    def _opinions(self, start: int, end: int) -> Iterable[Opinion]:
        rows = slice(start, end)
        scores = self.scores.query_in_found, self.scores.found_in_query, self.scores.rank
        rounded = (score[rows].round(4) for score in scores)
        columns = *(column[rows] for column in (self.queries, self.founds, *self.accepted)), *rounded
        ids = self.pile.ids
        for query, found, *accepted, in_found, in_query, rank in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            relation = RELATIONS[accepted[0], accepted[1]]
            yield Opinion(ids[query], ids[found], relation, in_found, in_query, rank, (self.method,))

    @property
    def skipped(self) -> Sequence[Skipped]:
        """Records that could not be used."""
        return self.pile.skipped

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each opinion as its public JSON object."""
        return (opinion.to_dict() for opinion in self)

    def json_lines(self) -> Iterator[str]:
        """Each opinion as a line of JSON."""
        return (json.dumps(row, ensure_ascii=False) + "\n" for row in self.rows())


RELATIONS = {
    (True, True): Relation.NEAR_DUPLICATE,
    (True, False): Relation.CONTAINED_IN,
    (False, True): Relation.CONTAINS,
    (False, False): None,
}

Progress = Callable[[str, int, int], None]
Columns = tuple[NDArray[Any], ...]


def judge(
    method: Method,
    pile: Pile,
    order: NDArray[np.int64],
    sketches: Sketches,
    asked: int,
    top: int | None,
    pool: Pool,
    progress: Progress,
) -> Opinions:
    """What the method accepts of all pairs; with queries, which have the last `asked` ranks, its `top` for each."""
    sharing = Sharing(method, sketches, order, pool.map)
    sketches, articles = sharing.sketches, len(order) - asked

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

    def judge_articles(start: int) -> Columns:
        end = min(start + BLOCK_ARTICLES, articles)
        parts = []
        for later, earlier in sharing.pairs(start, end, BLOCK_PAIRS):
            columns = score(later, earlier)
            parts.append(_take(columns, np.flatnonzero(columns[5] | columns[6])))
        columns = _join(parts)
        return _take(columns, np.lexsort((columns[1], columns[0])))

    def rank_articles(query: int) -> Columns:
        columns = score(np.full(articles, query, np.uint32), np.arange(articles, dtype=np.uint32))
        best = np.argsort(-columns[4], kind="stable")
        return _take(columns, best[: np.count_nonzero(columns[4] > 0)][:top])

    work, starts = (
        (rank_articles, range(articles, len(order)))
        if asked
        else (judge_articles, range(0, articles, BLOCK_ARTICLES))
    )
    parts = []
    for part in pool.map(work, starts):
        parts.append(part)
        progress("judging", len(parts), len(starts))
    later, earlier, in_found, in_query, ranks, *accepted = _join(parts)
    return Opinions(
        pile,
        order[later],
        order[earlier],
        Scores(in_found, in_query, ranks),
        (accepted[0], accepted[1]),
        method.name,
        _give_verdicts(method, pile, order, sketches, asked),
    )


def _give_verdicts(
    method: Method, pile: Pile, order: NDArray[np.int64], sketches: Sketches, asked: int
) -> Sequence[Verdict]:
    """On all articles against each other, or on the queries against the others."""
    if method.verdict(np.empty(0, np.int64)) is None:
        return ()
    first = len(order) - asked
    hits = count_hits(sketches, np.arange(len(order)) < first)
    judged = slice(first, None) if asked else slice(None)
    duplicates = method.verdict(hits[judged])
    assert duplicates is not None
    columns = order[judged].tolist(), hits[judged].tolist(), duplicates.tolist()
    return [Verdict(pile.ids[number], *rest) for number, *rest in zip(*columns, strict=True)]


def _take(columns: Columns, rows: NDArray[Any]) -> Columns:
    return tuple(column[rows] for column in columns)


def _join(parts: Sequence[Columns]) -> Columns:
    if not parts:
        none = np.empty(0, np.uint32)
        return (none, none, *(np.empty(0) for _ in range(3)), *(np.empty(0, bool) for _ in range(2)))
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))
