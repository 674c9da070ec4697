"""Which articles of a collection meet by a method's keys: evidence by range of later articles, common keys by shard.

A range has all evidence of its later articles, so that it tells by itself which pairs agree, who is a stranger to a common key, and
which pairs are candidates. Families are joined over all ranges; a common key is suspected by the strangers of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..boilerplate import Common
from ..methods import Method
from ..pairs import (
    LEFT_OUT,
    NO_NAMES,
    NOBODY,
    Agreement,
    Commons,
    Evidence,
    Limits,
    Pairs,
    Shard,
    Strangers,
    agree,
    collide,
    cut,
    find_strangers,
    join_evidence,
    nominate,
    rule_of,
    suspect,
)
from .collection import Chunk, Collection, Filing, Kept, Pool

NO_PAIRS: Pairs = NOBODY, NOBODY


@dataclass(frozen=True)
class Meeting:
    """The evidence of one range of later articles, which pairs agree, and the strangers."""

    evidence: Evidence
    agreement: Agreement
    strangers: Strangers

    @property
    def columns(self) -> Chunk:
        """All arrays; `of` puts them together again."""
        order, agreed, families = self.agreement.order, self.agreement.agreed, self.agreement.families
        return [*self.evidence.arrays, order, agreed, *families, *self.strangers.arrays]

    @classmethod
    def of(cls, columns: Chunk) -> Meeting:
        """The meeting whose `columns` these are."""
        later, earlier, later_position, earlier_position, common, order, agreed, *rest = columns
        evidence = Evidence(later, earlier, later_position, earlier_position, common)
        return cls(evidence, Agreement(order, agreed, (rest[0], rest[1])), Strangers(rest[2], rest[3]))


@dataclass(frozen=True)
class Met:
    """How a method's keys collide: the meetings of each range, the common keys of each shard, their names in order of their numbers.

    `firsts` are the number of the first common key of each shard, and behind these how many there are; `collisions` counts also those that
    the words around do not support.
    """

    method: Method
    articles: int
    meetings: Kept
    commons: Kept
    names: NDArray[np.uint64]
    firsts: Sequence[int]
    collisions: int

    def suspects(self) -> dict[int, Common]:
        """The common keys that may be boilerplate, by number."""
        families, strangers = [NO_PAIRS], [Strangers(NOBODY, NOBODY)]
        for meeting in map(Meeting.of, self.meetings):
            families.append(meeting.agreement.families)
            strangers.append(meeting.strangers)
        family = _core.components(self.articles, *concatenate(families))
        everyone = Strangers.join(strangers)
        everyone = everyone.take(np.argsort(everyone.number, kind="stable"))
        places = np.searchsorted(everyone.number, self.firsts).tolist()
        suspects: dict[int, Common] = {}
        for first, (start, end), chunk in zip(self.firsts, pairwise(places), self.commons, strict=False):
            mine = Strangers(everyone.number[start:end] - np.uint32(first), everyone.rank[start:end])
            found = suspect(mine, family, Commons(*chunk), rule_of(self.method))
            suspects |= {first + number: common for number, common in found.items()}
        return suspects

    def nominate(self, is_boilerplate: NDArray[np.bool_], pool: Pool) -> Pairs:
        """The candidates, sorted; what is boilerplate is told by the numbers of common keys."""

        def nominate_range(columns: Chunk) -> Pairs:
            meeting = Meeting.of(columns)
            return nominate(meeting.evidence, meeting.agreement, is_boilerplate)

        return concatenate([NO_PAIRS, *pool.map(nominate_range, self.meetings)])


def meet(
    method: Method,
    collection: Collection,
    filing: Filing,
    pool: Pool,
    *,
    linked: bool = True,
    names: NDArray[np.uint64] | None = None,
    last: bool = True,
) -> Met:
    """How a method's keys collide in a collection; common keys are numbered by their place in `names`, if given."""
    limits, ranks, articles = Limits.of(method, linked=linked), filing.ranks, len(collection.ids)
    filed, shards = filing.shards(method, last=last)
    words = np.zeros(articles, np.uint32)
    words[ranks[ranks != LEFT_OUT]] = filed[ranks != LEFT_OUT]
    edges = pool.cut(articles)

    def collide_shard(shard: Shard) -> list[Chunk]:
        collided = collide(shard, ranks, limits, names)
        commons = collided.commons
        known: Chunk = [commons.names, np.array([collided.weak])]
        holders: Chunk = [commons.holders, commons.positions, commons.offsets, commons.names]
        return [known, holders, *(part.arrays for part in cut(collided.evidence, edges))]

    name = f"{method}{'' if linked else ', all pairs'}"
    known, commons, *ranges = pool.scatter(
        f"collide {name}",
        collide_shard,
        shards,
        len(edges) + 3,
        stage=f"nominating by {method.name}",
        total=filing.count_shards(method),
    )
    by_shard = [(chunk[0], int(chunk[1][0])) for chunk in known]
    firsts = list(accumulate((len(mine) for mine, _ in by_shard), initial=0))
    counted = firsts if names is None else [0] * len(firsts)

    def agree_range(kept: Kept) -> list[Chunk]:
        evidence = join_evidence([Evidence(*chunk) for chunk in kept], counted)
        kept.drop()
        agreement = agree(evidence, words, rule_of(method))
        return [Meeting(evidence, agreement, find_strangers(evidence, agreement)).columns]

    [meetings] = pool.scatter(f"agree {name}", agree_range, ranges)
    collisions = sum(len(chunk[0]) for chunk in meetings) + sum(weak for _, weak in by_shard)
    every = np.concatenate([NO_NAMES, *(mine for mine, _ in by_shard)])
    return Met(method, articles, meetings, commons, every, firsts, collisions)


def concatenate(parts: Sequence[Pairs] | Iterator[Pairs]) -> Pairs:
    """The pairs of all parts."""
    later, earlier = zip(*[NO_PAIRS, *parts], strict=True)
    return np.concatenate(later), np.concatenate(earlier)
