"""What one published method says by itself: its own score and decision for a pair, its verdict on an article."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..methods import RELATIONS, Method, Sketches
from ..model import Columns, Opinion, Verdict, count
from ..sharing import Sharing, count_hits
from .collection import Collection, Pool
from .matches import Matches, Sides

BLOCK_PAIRS = 1 << 16


@dataclass(frozen=True, slots=True)
class Scored(Columns):
    """Scored pairs as columns; articles are given by rank, relations as indices into `methods.RELATIONS`."""

    query: NDArray[np.uint32]
    found: NDArray[np.uint32]
    relation: NDArray[np.uint8]
    query_in_found: NDArray[np.float64]
    found_in_query: NDArray[np.float64]
    rank: NDArray[np.float64]

    def shown(self) -> Scored:
        """The same, with rounded scores."""
        scores = (score.round(4) for score in (self.query_in_found, self.found_in_query, self.rank))
        return Scored(self.query, self.found, self.relation, *scores)

    def tell(self, query_ids: Sequence[str], found_ids: Sequence[str], method: str) -> Iterator[Opinion]:
        """The pairs as opinions of a method."""
        for query, found, relation, in_found, in_query, rank in self.shown().rows():
            sides = query_ids[query], found_ids[found]
            yield Opinion(*sides, RELATIONS[relation], in_found, in_query, rank, (method,))


_NONE = np.empty(0, np.uint32)
NOT_SCORED = Scored(_NONE, _NONE, _NONE.astype(np.uint8), *[np.empty(0)] * 3)


@dataclass(frozen=True)
class Opinions(Sides, Sequence[Opinion]):
    """Opinions, sorted by time, or, if a collection was ranked against queries, by rank."""

    scored: Scored = field(repr=False)
    method: str
    verdicts: Sequence[Verdict] = field(default=(), repr=False)
    """The verdict on each article, if the paper of the method decides on articles too."""

    def __len__(self) -> int:
        return len(self.scored)

    def __repr__(self) -> str:
        accepted = np.count_nonzero(self.scored.relation)
        return f"<Opinions of {self.method}: {len(self):,} among {count(self.articles)}, {accepted:,} accepted{self._left_out}>"

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
        return self.scored.take(rows).tell(self.query_side.ids, self.found_side.ids, self.method)

    def json_lines(self) -> Iterator[str]:
        """The opinions as lines of JSON, many lines at a time."""
        relations, by = [json.dumps(relation) for relation in RELATIONS], json.dumps([self.method])
        ids = self.query_side.ids, self.found_side.ids
        for start in range(0, len(self), BLOCK_PAIRS):
            some = self.scored.take(slice(start, start + BLOCK_PAIRS)).shown()
            yield _core.opinion_lines(some, *ids, relations, by)


Receive = Callable[[Opinions], None]
Sketched = tuple[Collection, Sketches]
"""Articles, and what a method remembers of the article at each rank."""


def opine_on_pairs(
    method: Method,
    collection: Collection,
    sketches: Sketches,
    order: NDArray[np.int64],
    pool: Pool,
    receive: Receive | None = None,
) -> Opinions:
    """The pairs of a collection that a method accepts; `order` is the number of the sketch at each rank.

    If `receive` is given, it is called with the opinions, a block at a time, and these are not kept.
    """
    sharing = Sharing(method, sketches, order, pool.map_parts)

    def opine(block: tuple[int, int]) -> Scored:
        parts = [NOT_SCORED]
        for later, earlier in sharing.pairs(*block, BLOCK_PAIRS):
            scored = score(method, sharing.sketches, later, sharing.sketches, earlier)
            parts.append(scored.take(scored.relation > 0))
        scored = Scored.join(parts)
        return scored.take(np.lexsort((scored.found, scored.query)))

    scored = _collect(opine, sharing.blocks, (collection, collection), method, pool, receive)
    articles = np.arange(len(order), dtype=np.uint32)
    verdicts = give_verdicts(method, collection.ids, sharing.sketches, sharing.sketches, articles)
    return Opinions(collection, collection, scored, method.name, verdicts)


def confirm(
    matches: Matches,
    method: Method,
    collection: Collection,
    sketches: Sketches,
    order: NDArray[np.int64],
    pool: Pool,
) -> Matches:
    """The matches of a collection whose two articles stand in one cluster of what a method accepts, closed transitively (CEDAR's future work)."""
    later, earlier = [_NONE], [_NONE]

    def take(opinions: Opinions) -> None:
        later.append(opinions.scored.query)
        earlier.append(opinions.scored.found)

    opine_on_pairs(method, collection, sketches, order, pool, take)
    cluster = _core.components(len(order), np.concatenate(later), np.concatenate(earlier))
    return matches.where(cluster[matches.queries] == cluster[matches.founds])


def opine_on_queries(
    method: Method,
    queries: Sketched,
    articles: Sketched,
    by_id: NDArray[np.int64],
    own: NDArray[np.uint32],
    pool: Pool,
    *,
    top: int | None = None,
    accepted: bool = False,
    receive: Receive | None = None,
) -> Opinions:
    """The articles of a collection ranked against each query, by `rank_found`; `own` is the rank of the article that each query is."""
    (querying, query_sketches), (collection, sketches) = queries, articles

    def opine(query: int) -> Scored:
        mine = int(own[query])
        return rank_found(method, query_sketches, query, sketches, by_id, mine, top=top, accepted=accepted)

    scored = _collect(opine, range(len(query_sketches)), (querying, collection), method, pool, receive)
    verdicts = give_verdicts(method, querying.ids, query_sketches, sketches, own)
    return Opinions(querying, collection, scored, method.name, verdicts)


def _collect(
    opine: Callable[[Any], Scored],
    blocks: Sequence[Any],
    sides: tuple[Collection, Collection],
    method: Method,
    pool: Pool,
    receive: Receive | None,
) -> Scored:
    """The scores of all blocks, concatenated; none if `receive` takes them."""
    parts = [NOT_SCORED]
    for number, scored in enumerate(pool.map(opine, blocks), 1):
        if receive is None:
            parts.append(scored)
        else:
            receive(Opinions(*sides, scored, method.name))
        pool.progress(f"deciding by {method.name}", number, len(blocks))
    return Scored.join(parts)


def place_by_id(ids: Sequence[Any]) -> NDArray[np.int64]:
    """The place of each id, or of what it is sorted by, when all are sorted."""
    places = np.empty(len(ids), np.int64)
    places[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    return places


def rank_found(
    method: Method,
    queries: Sketches,
    query: int,
    founds: Sketches,
    by_id: NDArray[np.int64],
    own: int = -1,
    *,
    top: int | None = None,
    accepted: bool = False,
) -> Scored:
    """The articles with a rank above 0 against one query, or those accepted, sorted by falling rank, then by id; the first `top`.

    The query is not compared with the article at rank `own`, which it is itself.
    """
    parts = [NOT_SCORED]
    for start in range(0, len(founds), BLOCK_PAIRS):
        found = np.arange(start, min(start + BLOCK_PAIRS, len(founds)), dtype=np.uint32)
        found = found[found != own]
        scored = score(method, queries, np.full(len(found), query, np.uint32), founds, found)
        parts.append(scored.take(scored.relation > 0 if accepted else scored.rank > 0))
    scored = Scored.join(parts)
    return scored.take(np.lexsort((by_id[scored.found], -scored.rank))[:top])


def score(
    method: Method,
    queries: Sketches,
    query: NDArray[np.uint32],
    founds: Sketches,
    found: NDArray[np.uint32],
) -> Scored:
    """The scores of pairs of rows, and whether the method accepts them."""
    scores = method.score(queries.take(query), founds.take(found))
    shares = scores.query_in_found, scores.found_in_query, scores.rank
    return Scored(query, found, method.relate(scores), *shares)


def give_verdicts(
    method: Method, ids: Sequence[str], queries: Sketches, table: Sketches, own: NDArray[np.uint32]
) -> Sequence[Verdict]:
    """The verdict on each query against all articles of a table but its own; none if the method gives no verdicts."""
    if not method.gives_verdicts:
        return ()
    hits = count_hits(queries, table, own)
    return [Verdict(*one) for one in zip(ids, hits.tolist(), method.verdict(hits).tolist(), strict=True)]
