"""From filed keys to candidates, slowly: the twin of `rust/src/postings.rs` and `candidates.rs`.

Words are compared as they are, where the core keeps four bits of each: the two agree on texts of words that differ in
these bits.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

CONTEXT = 16
REPEATS = 8


class Place(NamedTuple):
    """A key of an article: where it stands, of how many words, and those on each side, the nearest first.

    None is outside the text.
    """

    rank: int
    position: int
    words: int
    left: tuple[int | None, ...]
    right: tuple[int | None, ...]

    def around(self) -> int:
        return sum(word is not None for word in self.left + self.right)


class Row(NamedTuple):
    """One collision. `common` is how many holders its common key has and who they are, or 'rare' or 'linked'."""

    later: int
    earlier: int
    later_position: int
    earlier_position: int
    common: str | tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Limits:
    all_holders: int
    links: int
    settled_words: int
    shingle_words: int
    grouped_words: int
    common_holders: int


def place(words: Sequence[int], rank: int, start: int, end: int) -> Place:
    left: list[int | None] = list(reversed(words[:start]))
    right: list[int | None] = list(words[end:])
    outside = [None] * CONTEXT
    return Place(
        rank, start, end - start, tuple((left + outside)[:CONTEXT]), tuple((right + outside)[:CONTEXT])
    )


def placeless(rank: int) -> Place:
    return Place(rank, 0, 0, (None,) * CONTEXT, (None,) * CONTEXT)


def agreement(one: Sequence[int | None], other: Sequence[int | None]) -> int:
    """Words that agree outwards, up to the third that does not."""
    agreeing = mismatches = 0
    for left, right in zip(one, other, strict=True):
        if left is not None and left == right:
            agreeing += 1
        else:
            mismatches += 1
            if mismatches == 3:
                break
    return agreeing


def settles(later: Place, earlier: Place, limits: Limits) -> bool:
    """Enough words around agree; what a shingle has more than the ordinary number of words counts among them."""
    half = -(-min(later.around(), earlier.around()) // 2)
    more = max(0, later.words - limits.shingle_words)
    agreeing = agreement(later.left, earlier.left) + agreement(later.right, earlier.right)
    return agreeing >= min(max(0, limits.settled_words - more), half)


def collide(filed: dict[int, list[Place]], limits: Limits) -> tuple[list[Row], int]:
    """The evidence of all keys, and how many collisions were weak."""
    rows: list[Row] = []
    weak = 0
    for postings in filed.values():
        holders: list[Place] = []
        for rank in sorted({one.rank for one in postings}):
            mine = [one for one in postings if one.rank == rank]
            holders += sorted(mine, key=lambda one: one.position)[:REPEATS]
        distinct = len({one.rank for one in holders})
        if distinct < 2:
            continue
        if distinct <= limits.all_holders:
            pairs = [
                (later, earlier) for later in holders for earlier in holders if earlier.rank < later.rank
            ]
            settled = [pair for pair in pairs if settles(*pair, limits)]
            weak += len(pairs) - len(settled)
            rows += label(settled, "rare", holders, limits)
        else:
            linked = []
            for later in holders:
                earliest = [earlier for earlier in holders if earlier.rank < later.rank][: 2 * limits.links]
                good = [earlier for earlier in earliest if settles(later, earlier, limits)]
                linked += [(later, earlier) for earlier in good[: limits.links]]
            rows += label(linked, "linked", holders, limits)
            rows += group([(one.right[: limits.grouped_words], one) for one in holders], limits)
            rows += group([(one.left[: limits.grouped_words], one) for one in holders], limits)
    return rows, weak


def label(
    pairs: Sequence[tuple[Place, Place]], otherwise: str, holders: Sequence[Place], limits: Limits
) -> list[Row]:
    """The pairs as rows: of a common key, if enough articles are in one of them."""
    supported = {one.rank for pair in pairs for one in pair}
    common: str | tuple[tuple[int, int], ...] = otherwise
    if len(supported) >= limits.common_holders:
        common = first_places(one for one in holders if one.rank in supported)
    return [
        Row(later.rank, earlier.rank, later.position, earlier.position, common) for later, earlier in pairs
    ]


def first_places(holders: Iterable[Place]) -> tuple[tuple[int, int], ...]:
    first: dict[int, int] = {}
    for one in holders:
        first[one.rank] = min(one.position, first.get(one.rank, one.position))
    return tuple(sorted(first.items()))


def group(sided: Sequence[tuple[tuple[int | None, ...], Place]], limits: Limits) -> list[Row]:
    """Holders with the same words on one side that settle: all pairs of a small group, links of a big one.

    The edge of a text is no words: such a group is left out, unless its earliest holder has no words around the key.
    """
    groups: dict[tuple[int | None, ...], list[Place]] = defaultdict(list)
    for words, one in sided:
        groups[words].append(one)
    rows = []
    for words, members in groups.items():
        ranks = sorted({one.rank for one in members})
        cut_short = None in words and min(members, key=lambda one: (one.rank, one.position)).around()
        if cut_short or len(ranks) < 2:
            continue
        common: str | tuple[tuple[int, int], ...] = "rare"
        if len(ranks) >= limits.common_holders:
            common = first_places(members)
        earliest = ranks if len(ranks) <= limits.all_holders else ranks[: limits.links]
        rows += [
            Row(later.rank, earlier.rank, later.position, earlier.position, common)
            for later in members
            for earlier in members
            if earlier.rank < later.rank and earlier.rank in earliest and settles(later, earlier, limits)
        ]
    return rows


@dataclass(frozen=True)
class Rule:
    boilerplate_articles: int
    examples: int
    agree_gap_words: int
    key_words: int
    agree_share: float
    family_share: float


def spanned(positions: Iterable[int], rule: Rule) -> int:
    """Words covered by the keys at these places and by the gaps between them."""
    places = sorted(positions)
    total = rule.key_words
    for one, other in itertools.pairwise(places):
        total += other - one if other - one <= rule.agree_gap_words else rule.key_words
    return total


def shares(
    rows: Sequence[Row], words: Sequence[int], rule: Rule
) -> dict[tuple[int, int], tuple[float, float]]:
    """How much of the later and of the earlier article each pair shares."""
    pairs: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in rows:
        pairs[row.later, row.earlier].append(row)
    return {
        (later, earlier): (
            spanned((row.later_position for row in mine), rule) / words[later],
            spanned((row.earlier_position for row in mine), rule) / words[earlier],
        )
        for (later, earlier), mine in pairs.items()
    }


def agreeing(rows: Sequence[Row], words: Sequence[int], rule: Rule) -> set[tuple[int, int]]:
    """The pairs that share the stated part of one of the two."""
    return {pair for pair, both in shares(rows, words, rule).items() if max(both) >= rule.agree_share}


def suspects(
    rows: Sequence[Row], commons: Sequence[Sequence[tuple[int, int]]], words: Sequence[int], rule: Rule
) -> dict[int, list[tuple[int, int]]]:
    """The common keys that may be boilerplate, each with some of its strangers; a row's `common` is '#' and a number.

    Of a family, articles that share the stated part of both, the earliest stranger stands for all.
    """
    agreed = agreeing(rows, words, rule)
    close = [pair for pair, both in shares(rows, words, rule).items() if min(both) >= rule.family_share]
    family = components(len(words), close)
    found = {}
    for number, holders in enumerate(commons):
        strangers: dict[int, int] = {}
        for rank, _ in sorted(holders):
            met = [row for row in rows if row.common == f"#{number}" and row.later == rank]
            friends = [row for row in met if (row.later, row.earlier) in agreed]
            if met and 2 * len(friends) < len(met):
                strangers.setdefault(family[rank], rank)
        if len(strangers) >= rule.boilerplate_articles:
            firsts = set(strangers.values())
            found[number] = [holder for holder in holders if holder[0] in firsts][: rule.examples]
    return found


def nominate(
    rows: Sequence[Row],
    agreed: set[tuple[int, int]],
    boilerplate: set[int],
    sizes: Sequence[int],
    all_holders: int,
    links: int,
) -> list[tuple[int, int]]:
    """The candidates; `common` of a row as in `suspects`."""
    pairs: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in rows:
        pairs[row.later, row.earlier].append(row)
    innocent = {
        pair: mine
        for pair, mine in pairs.items()
        if pair in agreed or any(row.common not in {f"#{number}" for number in boilerplate} for row in mine)
    }
    big = {"linked"} | {f"#{number}" for number, size in enumerate(sizes) if size > all_holders}
    kept = {pair for pair, mine in innocent.items() if any(row.common not in big for row in mine)}
    for later in {pair[0] for pair in innocent}:
        only_linked = [pair for pair in innocent if pair[0] == later and pair not in kept]
        kept_ = sorted(only_linked, key=lambda pair: (-len(pairs[pair]), pair[1]))[:links]
        kept |= set(kept_)
    return sorted(kept)


def components(articles: int, links: Sequence[tuple[int, int]]) -> list[int]:
    """The lowest article that each can be reached from."""
    lowest = list(range(articles))
    for _ in range(articles):
        for one, other in links:
            lowest[one] = lowest[other] = min(lowest[one], lowest[other])
    return lowest
