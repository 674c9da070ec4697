"""What articles in memory are filed under, as a lookup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..matching import Plan
from ..matching.collection import Pool
from ..methods import Method, Sketches
from ..pairs import NOBODY, SHARDS, Filed, Held, Shard, by_shard, file
from ..statistics import Statistics
from .articles import Pile


@dataclass(frozen=True)
class Shelf:
    """What the articles of a pile are filed under: a `Filing`, and a `Lookup` for queries."""

    pile: Pile
    pool: Pool
    statistics: Mapping[Method, Statistics]
    filed: dict[Method, list[Filed]] = field(repr=False)

    @classmethod
    def fill(cls, plan: Plan, pile: Pile, filed: Sequence[dict[Method, Filed]], pool: Pool) -> Shelf:
        """The shelf with what was filed while reading, and what methods that weigh words file: they need all words first."""
        weighing = [one for one in plan.nominating if one.weighs_words]
        statistics = {
            one: pile.weigh(one, pool) if plan.statistics is None else plan.statistics for one in weighing
        }
        later = [one for one in weighing if not one.is_directed]
        weighed = partial(file, methods=later, statistics=statistics)
        more = pool.map(weighed, pile.batches, "filing", len(pile.batches)) if later else ()
        every = [*filed, *more]
        keyed = [one for one in plan.nominating if not one.is_directed]
        batches = {one: [mine[one] for mine in every if one in mine] for one in keyed}
        return cls(pile, pool, statistics, batches)

    @property
    def ranks(self) -> NDArray[np.uint32]:
        """The rank of each article by its number."""
        return self.pile.ranks

    def count_shards(self, method: Method) -> int:
        """How many shards there are."""
        return SHARDS

    def shards(self, method: Method, *, last: bool) -> tuple[NDArray[np.uint32], Iterator[Shard]]:
        """The number of words of each article, and the postings of each shard, which leave the shelf the `last` time."""
        return by_shard(self.filed.pop(method) if last else self.filed[method])

    def sketches(self, method: Method) -> tuple[Sketches, NDArray[np.int64]]:
        """What a method remembers of each article, by number, and the number of the article at each rank."""
        return self.pile.sketch(method, self.statistics.get(method), self.pool), self.pile.order

    def look_up(
        self,
        method: Method,
        keys: NDArray[np.uint64],
        ids: Sequence[str],
        asking: Sequence[_core.Postings] | None = None,
    ) -> Held:
        """All holders of some keys, whoever is `asking`."""
        if method.is_directed:
            weighed = partial(file, methods=[method], statistics=self.statistics)
            files = self.pool.map(weighed, self.pile.batches, "filing", len(self.pile.batches))
            words, shards = by_shard([filed[method] for filed in files])
        else:
            words, shards = self.shards(method, last=False)
        found = [_core.look_up(shard, keys) for shard in shards]
        firsts = np.cumsum([0, *(len(numbers) for _, numbers in found)]).tolist()
        numbers = np.concatenate([NOBODY, *(numbers for _, numbers in found)])
        postings = [(postings, first) for (postings, _), first in zip(found, firsts, strict=False)]
        ranks = self.pile.ranks[numbers]
        everyone = np.arange(len(self.pile.ids), dtype=np.uint32)
        return Held(postings, ranks, words[numbers], self.pile.own(ids), everyone)
