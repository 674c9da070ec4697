"""What one published method says of pairs by itself: its own score, its own decision."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from .. import text
from ..methods import Method, Scores
from ..model import Opinion, Relation, Skipped
from .collection import Pile, Pool

BLOCK_PAIRS = 512


@dataclass(frozen=True)
class Opinions(Sequence[Opinion]):
    """Opinions in the order of time, or, where a pile was ranked against a query, by rank."""

    pile: Pile = field(repr=False)
    queries: NDArray[np.int64] = field(repr=False)
    founds: NDArray[np.int64] = field(repr=False)
    scores: Scores = field(repr=False)
    accepted: tuple[NDArray[np.bool_], NDArray[np.bool_]] = field(repr=False)
    method: str

    def __len__(self) -> int:
        return len(self.queries)

    @overload
    def __getitem__(self, row: int) -> Opinion: ...
    @overload
    def __getitem__(self, row: slice) -> list[Opinion]: ...
    def __getitem__(self, row: int | slice) -> Opinion | list[Opinion]:
        if isinstance(row, slice):
            return [self[i] for i in range(*row.indices(len(self)))]
        query_in_found, found_in_query = (bool(side[row]) for side in self.accepted)
        relation = {
            (True, True): Relation.NEAR_DUPLICATE,
            (True, False): Relation.CONTAINED_IN,
            (False, True): Relation.CONTAINS,
        }.get((query_in_found, found_in_query))
        return Opinion(
            self.pile.ids[self.queries[row]],
            self.pile.ids[self.founds[row]],
            relation,
            round(float(self.scores.query_in_found[row]), 4),
            round(float(self.scores.found_in_query[row]), 4),
            round(float(self.scores.rank[row]), 4),
            (self.method,),
        )

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


def judge(
    method: Method,
    pile: Pile,
    order: NDArray[np.int64],
    pairs: tuple[NDArray[np.uint32], NDArray[np.uint32]],
    pool: Pool,
    *,
    rank_all: bool,
) -> Opinions:
    """What the method says of pairs of ranks: those it accepts, or, to rank, all with a score."""
    queries, founds = (order[side] for side in pairs)

    def score(start: int) -> Scores:
        block = slice(start, start + BLOCK_PAIRS)
        sides = (pile.texts(side[block].tolist()) for side in (queries, founds))
        query, found = (method.sketch(text.tokenise(*side, method.view)) for side in sides)
        return method.score(query, found)

    parts = list(pool.map(score, range(0, len(queries), BLOCK_PAIRS)))
    scores = Scores(
        *(
            np.concatenate([np.empty(0), *(getattr(part, name) for part in parts)])
            for name in ("query_in_found", "found_in_query", "rank")
        )
    )
    accepted = method.accepts(scores)
    chosen = np.flatnonzero(scores.rank > 0 if rank_all else accepted[0] | accepted[1])
    if rank_all:
        chosen = chosen[np.argsort(-scores.rank[chosen], kind="stable")]
    return Opinions(
        pile,
        queries[chosen],
        founds[chosen],
        Scores(scores.query_in_found[chosen], scores.found_in_query[chosen], scores.rank[chosen]),
        (accepted[0][chosen], accepted[1][chosen]),
        method.name,
    )
