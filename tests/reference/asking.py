"""The candidates of queries, slowly: the twin of `rust/src/asking.rs`, from "How candidates are settled" in ARCHITECTURE.md.

Places and the rule that two of them settle are those of the twin for piles.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import xxhash

from . import segments
from .postings import REPEATS, Limits, Place, Rule, settles, spanned


class Met(NamedTuple):
    """A place of the query that settles with one of an article."""

    query_position: int
    found_position: int
    linked: bool
    boilerplate: bool


def name(key: int, side: str, words: Sequence[int | None]) -> int:
    """What a common key with these words on one side is called; alone it is called what it is."""
    bits = segments.around(word for word in words if word is not None)
    content = key.to_bytes(8, "little") + bits.to_bytes(8, "little")
    return xxhash.xxh3_64_intdigest(content, seed={"right": 0, "left": 1}[side])


def few_places(places: Sequence[Place]) -> list[Place]:
    """The places of one key, article by article in time, the first eight of each."""
    by_rank: dict[int, list[Place]] = defaultdict(list)
    for one in sorted(places, key=lambda one: (one.rank, one.position)):
        by_rank[one.rank].append(one)
    return [one for mine in by_rank.values() for one in mine[:REPEATS]]


def distinct(places: Sequence[Place]) -> list[int]:
    return sorted({one.rank for one in places})


def ask(
    asked: Mapping[int, Sequence[Place]],
    filed: Mapping[int, Sequence[Place]],
    query_words: int,
    found_words: Sequence[int],
    own: int | None,
    boilerplate: set[int],
    limits: Limits,
    rule: Rule,
) -> list[int]:
    """The candidates of one query, by rank: `asked` are the places of its keys, `filed` those of the collection's."""
    pairs: dict[int, list[Met]] = defaultdict(list)
    for key, mine in asked.items():
        holders = few_places([one for one in filed.get(key, ()) if one.rank != own])
        for place in few_places(mine):
            for holder, linked, called in meet(key, place, holders, limits):
                pairs[holder.rank].append(Met(place.position, holder.position, linked, called in boilerplate))
    kept: list[int] = []
    only_linked: list[int] = []
    for rank, rows in pairs.items():
        shares = (
            spanned((row.query_position for row in rows), rule) / max(1, query_words),
            spanned((row.found_position for row in rows), rule) / max(1, found_words[rank]),
        )
        if all(row.boilerplate for row in rows) and max(shares) < rule.agree_share:
            continue
        (only_linked if all(row.linked for row in rows) else kept).append(rank)
    only_linked.sort(key=lambda rank: (-len(pairs[rank]), rank))
    return sorted(kept + only_linked[: limits.links])


def meet(key: int, place: Place, holders: Sequence[Place], limits: Limits) -> list[tuple[Place, bool, int]]:
    """The holders that settle with a place of the query: whether they are only linked, and by which name."""
    if len(distinct(holders)) <= limits.all_holders:
        return [(one, False, key) for one in holders if settles(place, one, limits)]
    settling = [one for one in holders[: 2 * limits.links] if settles(place, one, limits)]
    met = [(one, True, key) for one in settling[: limits.links]]
    for side in ("right", "left"):
        words = getattr(place, side)[: limits.grouped_words]
        group = [one for one in holders if getattr(one, side)[: limits.grouped_words] == words]
        if not group or (None in words and group[0].around()):
            continue
        ranks = distinct(group)
        linked = len(ranks) > limits.all_holders
        partners = ranks[: limits.links] if linked else ranks
        met += [
            (one, linked, name(key, side, words))
            for one in group
            if one.rank in partners and settles(place, one, limits)
        ]
    return met
