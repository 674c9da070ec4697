"""Candidate pairs of a collection, for any method: file keys, let them collide, join the collisions.

Articles are numbered as they were filed; a *rank* is an article's place when sorted by `published`, then by id. The later article
of a pair is the query, the earlier one is found. Queries do not belong to the collection: their ranks are behind all of it.

Each stage is a function of values: `file` of a batch, `collide` of a shard of keys, `agree` and `find_strangers` of the pairs of a range of
later articles, `suspect` of the common keys of a shard, `nominate` of pairs again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from . import _core, boilerplate, text
from .boilerplate import Common, Rule
from .methods import Method, Sketches
from .model import Articles, Columns, Tokens, View
from .statistics import Statistics

ALL_HOLDERS = 20
"""The most holders of a key that are paired all with all."""
LINKS = 2
"""How many of the earliest holders each holder of a more common key is linked to."""
SETTLED_WORDS = 12
"""How many of the words around a key, sixteen on each side, must be equal for its collision to count."""
LEFT_OUT = np.iinfo(np.uint32).max
"""The rank of an article that takes no part."""
SHARDS = 64
NOBODY = np.empty(0, np.uint32)
NO_NAMES = np.empty(0, np.uint64)

Shard = Sequence[tuple[_core.Postings, int]]
"""The postings of some keys, by batch, with the number of the first article of each."""
Pairs = tuple[NDArray[np.uint32], NDArray[np.uint32]]
"""Pairs of articles by their ranks: the later ones, the earlier ones."""


@dataclass(frozen=True)
class Filed:
    """What a method files a batch under: the number of words of each article, and the postings of all keys, in shards by key."""

    words: NDArray[np.uint32]
    shards: Sequence[_core.Postings] = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        rows = np.arange(len(self.words), dtype=np.uint64)
        return Filed.read, (_core.encode_segment(self.shards, rows, self.words),)

    @classmethod
    def read(cls, content: bytes) -> Filed:
        """The same from the bytes of a segment."""
        array = np.frombuffer(content, np.uint8)
        segment = _core.Segment(_core.block_sums(array))
        return cls(segment.articles(array)[1], [segment.shard(array, shard) for shard in range(SHARDS)])


@dataclass(frozen=True)
class Held:
    """The holders of some keys in a collection: the postings, and the rank and number of words of each article numbered in them.

    `own` is the rank of the article with each query's id, `articles` is how the collection names the article at each rank.
    """

    postings: Shard = field(repr=False)
    ranks: NDArray[np.uint32]
    words: NDArray[np.uint32]
    own: NDArray[np.uint32]
    articles: NDArray[Any]


class Lookup(Protocol):
    """Finds the holders of keys."""

    def look_up(
        self,
        method: Method,
        keys: NDArray[np.uint64],
        ids: Sequence[str],
        asking: Sequence[_core.Postings] | None = None,
    ) -> Held:
        """The holders of some sorted keys of a method, for queries with these ids.

        Given the postings of the queries that are `asking` to be linked, holders that change nothing then may be left out.
        """


class Asking(Protocol):
    """What is looked up in a collection."""

    @property
    def postings(self) -> Sequence[_core.Postings]:
        """The postings of the queries."""

    @property
    def own(self) -> NDArray[np.uint32]:
        """The rank of the article that each query is itself, `LEFT_OUT` for none."""

    @property
    def first(self) -> int:
        """The rank of the first query."""


@dataclass(frozen=True)
class Limits:
    """How keys with few and with many holders are treated; if `links` is None, all holders are paired."""

    all_holders: int
    links: int | None
    settled_words: int
    shingle_words: int
    grouped_words: int
    common_holders: int

    @classmethod
    def of(cls, method: Method, *, linked: bool) -> Limits:
        """The limits for the keys of a method."""
        shingle, window = _shingle(method)
        common = boilerplate.ARTICLES if method.guaranteed_words else np.iinfo(np.int64).max
        links, settled = (LINKS if linked else None), min(SETTLED_WORDS, window - 1)
        return cls(ALL_HOLDERS, links, settled, shingle, -(-(window - 1) // 2), int(common))


def _shingle(method: Method) -> tuple[int, int]:
    """How many words a shingle has, and how many shingles a window."""
    shingle = (method.shingle_words if method.guaranteed_words else None) or 1
    return shingle, (method.guaranteed_words or 1) - shingle + 1


def rule_of(method: Method) -> Rule:
    """The rule of boilerplate for the keys of a method; a key counts as its shingle and the words that settle it."""
    shingle, window = _shingle(method)
    return Rule(key_words=shingle + min(SETTLED_WORDS, window - 1))


@dataclass(frozen=True, slots=True)
class Evidence(Columns):
    """Collisions of keys that the words around them support, one in each row.

    `common` is the number of the key if it is common, else `RARE`; with the bit `LINKED` if the key only links.
    """

    later: NDArray[np.uint32]
    earlier: NDArray[np.uint32]
    later_position: NDArray[np.uint32]
    earlier_position: NDArray[np.uint32]
    common: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Commons:
    """Keys that many articles hold: key i has holders, by rank, and their positions in `offsets[i]:offsets[i + 1]`.

    `names` are names of the keys that are the same in every collection.
    """

    holders: NDArray[np.uint32]
    positions: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    names: NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Collided:
    """The evidence of one shard, its common keys, and how many collisions the words around do not support."""

    evidence: Evidence
    commons: Commons
    weak: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """Which pairs of some evidence agree: the rows sorted by pair, whether each row's pair agrees, and the pairs of one family."""

    order: NDArray[np.uint32]
    agreed: NDArray[np.uint8]
    families: Pairs


@dataclass(frozen=True, slots=True)
class Strangers(Columns):
    """Holders of common keys that agree with fewer than half of those they were paired with: the number of the key, and the rank."""

    number: NDArray[np.uint32]
    rank: NDArray[np.uint32]


def tokenise(batch: Articles, method: Method, *, words: bool | None = None) -> Tokens:
    """The words of a batch as a method reads them."""
    texts = batch.titled_text() if method.view.title else (batch.text, batch.offsets)
    return text.tokenise(*texts, method.view, words=method.spells_words if words is None else words)


def sketch(batch: Articles, method: Method, statistics: Statistics | None) -> Sketches:
    """What a method remembers of the articles of a batch."""
    return method.sketch(tokenise(batch, method), statistics)


def file(
    batch: Articles, methods: Sequence[Method], statistics: Mapping[Method, Statistics]
) -> dict[Method, Filed]:
    """What a batch is filed under by each method."""
    tokens = tokenise_views(batch, methods)
    return {one: file_tokens(tokens[one.view], one, statistics.get(one)) for one in methods}


def tokenise_views(batch: Articles, methods: Sequence[Method]) -> dict[View, Tokens]:
    """The words of a batch in each view; methods with the same one share them."""
    by_view = {one.view: one for one in methods}
    spelt = {one.view for one in methods if one.spells_words}
    return {view: tokenise(batch, one, words=view in spelt) for view, one in by_view.items()}


def file_tokens(
    tokens: Tokens, method: Method, statistics: Statistics | None, *, probes: bool = False
) -> Filed:
    """What articles are filed under by a method, or, with `probes`, looked up under."""
    keys = (method.probes if probes else method.keys)(method.sketch(tokens, statistics))
    return Filed(np.diff(tokens.offsets).astype(np.uint32), _core.file(tokens, keys))


def by_shard(batches: Sequence[Filed]) -> tuple[NDArray[np.uint32], Iterator[Shard]]:
    """The number of words of all articles, and the postings of each shard, of which no reference is kept once they are given."""
    words = np.concatenate([NOBODY, *(batch.words for batch in batches)])
    firsts = np.cumsum([0, *(len(batch.words) for batch in batches)]).tolist()
    shards = list(zip(*(batch.shards for batch in batches), strict=True)) or [()]

    def give() -> Iterator[Shard]:
        while shards:
            yield list(zip(shards.pop(), firsts, strict=False))

    return words, give()


def collide(
    shard: Shard,
    ranks: NDArray[np.uint32],
    limits: Limits,
    known: NDArray[np.uint64] | None = None,
    level: str = "whole",
) -> Collided:
    """The evidence of one shard; common keys are numbered from 0, or by their place in the names `known`, if given.

    The level `key` is only the links of keys, `right` and `left` only the evidence among holders with the same words on that side; keys
    are taken to be common then. For keys that are not wholly in the shard: see `matching.hot`.
    """
    columns, weak, (holders, positions, sizes, names) = _core.collide(
        shard, ranks, limits, known=known, level=level
    )
    commons = Commons(holders, positions, np.concatenate([[0], np.cumsum(sizes)]), names)
    return Collided(Evidence(*columns), commons, weak)


def cut(evidence: Evidence, edges: NDArray[np.uint32]) -> list[Evidence]:
    """The evidence of each range of later articles, whose first ranks but that of the first range are `edges`."""
    if not len(edges):
        return [evidence]
    ranges = np.searchsorted(edges, evidence.later, side="right")
    order = np.argsort(ranges, kind="stable")
    places = np.searchsorted(ranges[order], np.arange(len(edges) + 2)).tolist()
    return [evidence.take(order[start:end]) for start, end in pairwise(places)]


def join_evidence(parts: Sequence[Evidence], firsts: Iterable[int]) -> Evidence:
    """The evidence of all shards, concatenated; of each the common keys are numbered on from a first number."""
    evidence, start = Evidence.join(parts), 0
    for part, first in zip(parts, firsts, strict=False):
        common = evidence.common[start : start + len(part)]
        common[common & ~np.uint32(_core.LINKED) != _core.RARE] += np.uint32(first)
        start += len(part)
    return evidence


def agree(evidence: Evidence, words: NDArray[np.uint32], rule: Rule) -> Agreement:
    """Which pairs agree; `words` is the number of words of the article at each rank."""
    order, agreed, *families = _core.agree(evidence, words, rule)
    return Agreement(order, agreed, (families[0], families[1]))


def find_strangers(evidence: Evidence, agreement: Agreement) -> Strangers:
    """The strangers among the later articles, sorted by the number of the key, then by rank."""
    return Strangers(*_core.find_strangers(evidence, agreement))


def suspect(
    strangers: Strangers, family: NDArray[np.uint32], commons: Commons, rule: Rule
) -> dict[int, Common]:
    """The common keys that may be boilerplate, by number; `family` is the rank of the earliest article of each one's family."""
    numbers, ranks, positions, offsets = _core.suspect(strangers, family, commons, rule)
    edges = offsets.tolist()
    return {
        number: Common(
            commons.holders[commons.offsets[number] : commons.offsets[number + 1]],
            ranks[start:end],
            positions[start:end],
        )
        for number, start, end in zip(numbers.tolist(), edges, edges[1:], strict=False)
    }


def nominate(evidence: Evidence, agreement: Agreement, is_boilerplate: NDArray[np.bool_]) -> Pairs:
    """The candidates, sorted: pairs that agree, or share a key that is not boilerplate; that is told by the number of a common key."""
    return _core.nominate(evidence, agreement, is_boilerplate, LINKS)


@dataclass(frozen=True)
class Nominated:
    """Candidates: the number of each query, and how the collection names the article.

    `links` are collisions of keys that only link: the number of the query, how the collection names the article, and where the query has
    the key. Other holders of such a key may not be candidates.
    """

    queries: NDArray[np.uint32]
    founds: NDArray[Any]
    links: tuple[NDArray[np.uint32], NDArray[Any], NDArray[np.uint32]]


@dataclass(frozen=True)
class Queries:
    """Articles that are looked up by a method: their keys, and the holders of these."""

    method: Method
    filed: Filed
    held: Held

    @classmethod
    def look_up(
        cls,
        ids: Sequence[str],
        tokens: Tokens,
        method: Method,
        statistics: Statistics | None,
        lookup: Lookup,
        *,
        linked: bool,
    ) -> Queries:
        """The articles with these ids and words, looked up; a directed method does not look up keys that it leaves out."""
        filed = file_tokens(tokens, method, statistics, probes=True)
        keys = _core.distinct_keys(filed.shards)
        asking = filed.shards if linked and not method.is_directed else None
        held = lookup.look_up(method, keys, ids, asking)
        if method.is_directed and method.leaves_out:
            held = lookup.look_up(method, keys[~is_common(method, keys, held)], ids)
        return cls(method, filed, held)

    @property
    def postings(self) -> Sequence[_core.Postings]:
        """The postings of the queries."""
        return self.filed.shards

    @property
    def own(self) -> NDArray[np.uint32]:
        """The rank of the article with each query's id."""
        return self.held.own

    @property
    def first(self) -> int:
        """The rank of the first query: behind all articles."""
        return len(self.held.articles)

    def nominate(self, boilerplate: NDArray[np.uint64], *, linked: bool) -> Nominated:
        """The candidates; `boilerplate` are the names of the common keys that are boilerplate, sorted."""
        held, method = self.held, self.method
        if not len(held.ranks):
            return Nominated(NOBODY, held.articles[:0], (NOBODY, held.articles[:0], NOBODY))
        words = np.zeros(self.first + len(self.filed.words), np.uint32)
        alive = held.ranks != LEFT_OUT
        words[held.ranks[alive]] = held.words[alive]
        words[self.first :] = self.filed.words
        limits = Limits.of(method, linked=linked and not method.is_directed)
        columns, _, _ = _core.collide(held.postings, held.ranks, limits, queries=self, known=boilerplate)
        evidence = Evidence(*columns)
        agreement = agree(evidence, words, rule_of(method))
        query, found = nominate(evidence, agreement, np.ones(len(boilerplate), bool))
        first, links = np.uint32(self.first), evidence.take(evidence.common >= np.uint32(_core.LINKED))
        linked_pairs = links.later - first, held.articles[links.earlier], links.later_position
        return Nominated(query - first, held.articles[found], linked_pairs)


def is_common(method: Method, keys: NDArray[np.uint64], held: Held) -> NDArray[np.bool_]:
    """Which of some sorted keys the paper of a method leaves out as too common."""
    return method.common(*_core.count_holders(held.postings, held.ranks, keys))


def unite(nominated: Sequence[Pairs]) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint16]]:
    """The candidates of all methods, sorted by (later, earlier), each with a bit set for each method that nominated it."""
    joined = [later.astype(np.uint64) << np.uint64(32) | earlier for later, earlier in nominated]
    pairs = distinct(np.concatenate([NO_NAMES, *joined]))
    by = np.zeros(len(pairs), np.uint16)
    for bit, mine in enumerate(joined):
        by[np.searchsorted(pairs, mine)] |= np.uint16(1 << bit)
    return (pairs >> np.uint64(32)).astype(np.uint32), pairs.astype(np.uint32), by


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """The distinct values, sorted; np.unique hashes, which is slow for many."""
    values = np.sort(values)
    return values[np.concatenate([[True], values[1:] != values[:-1]])] if len(values) else values
