"""From filed keys to candidates, slowly: the twin of `rust/src/postings.rs`, `collisions.rs`, `sides.rs` and `candidates.rs`.

Written from "How candidates are settled" in ARCHITECTURE.md. Words are compared as they are, where the core keeps four bits
of each: the two agree on texts of words that differ in these bits.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import xxhash

from . import segments

CONTEXT = 16
REPEATS = 8
SIDES = ("right", "left")


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
    """One collision. `common` is its common key, by name or number; `linked` says that this only links."""

    later: int
    earlier: int
    later_position: int
    earlier_position: int
    common: int | None
    linked: bool = False


Holders = Sequence[tuple[int, int]]
"""Articles by rank, and where each has a key."""


class Collided(NamedTuple):
    rows: list[Row]
    weak: int
    commons: dict[int, Holders]
    """The common keys by name."""


@dataclass(frozen=True)
class Limits:
    all_holders: int
    links: int | None
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


def name(key: int, side: str, words: Sequence[int | None]) -> int:
    """What a common key with these words on one side is called; alone it is called what it is."""
    bits = segments.around(word for word in words if word is not None)
    content = key.to_bytes(8, "little") + bits.to_bytes(8, "little")
    return xxhash.xxh3_64_intdigest(content, seed=SIDES.index(side))


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


def few_places(places: Iterable[Place]) -> list[Place]:
    """The places of one key, article by article in time, the first eight of each."""
    by_rank: dict[int, list[Place]] = defaultdict(list)
    for one in sorted(places, key=lambda one: (one.rank, one.position)):
        by_rank[one.rank].append(one)
    return [one for mine in by_rank.values() for one in mine[:REPEATS]]


def distinct(places: Iterable[Place]) -> list[int]:
    return sorted({one.rank for one in places})


class Met(NamedTuple):
    """Two places that may settle, by which name, and whether the key only links them."""

    later: Place
    earlier: Place
    name: int
    linked: bool = False


def meet(
    key: int, later: Place, holders: Sequence[Place], limits: Limits, level: str = "whole"
) -> Iterator[Met]:
    """Whom a holder of a key, of the collection or a query, meets among the earlier ones of the collection.

    A level but the whole is one of the links of a key that is common, whoever holds it here: those of the key itself or of a side.
    """
    before = [one for one in holders if one.rank < later.rank]
    if level == "whole" and len(distinct(holders)) <= limits.all_holders:
        yield from (Met(later, one, key) for one in before)
    elif limits.links is None:
        for one in before:
            shared = [
                side for side in SIDES if share(side, later, one, limits) and settles(later, one, limits)
            ]
            yield from (Met(later, one, name_of(side, key, later, limits)) for side in shared)
            if not shared:
                yield Met(later, one, key)
    else:
        settling = [one for one in before[: 2 * limits.links] if settles(later, one, limits)]
        if level in ("whole", "key"):
            yield from (Met(later, one, key, True) for one in settling[: limits.links])
        for side in sides_of(level):
            group = same_side(side, later, holders, limits)
            ranks = distinct(group)
            if not group or is_cut_short(side, group[0], limits):
                continue
            linked = len(ranks) > limits.all_holders
            for one in group:
                if one.rank < later.rank and (not linked or one.rank in ranks[: limits.links]):
                    yield Met(later, one, name_of(side, key, later, limits), linked)


def sides_of(level: str) -> list[str]:
    return [side for side in SIDES if level in ("whole", side)]


def near(side: str, one: Place, limits: Limits) -> tuple[int | None, ...]:
    words: tuple[int | None, ...] = getattr(one, side)
    return words[: limits.grouped_words]


def name_of(side: str, key: int, one: Place, limits: Limits) -> int:
    return name(key, side, near(side, one, limits))


def same_side(side: str, one: Place, holders: Sequence[Place], limits: Limits) -> list[Place]:
    """The holders with the same words on one side."""
    return [other for other in holders if near(side, other, limits) == near(side, one, limits)]


def is_cut_short(side: str, one: Place, limits: Limits) -> bool:
    """The edge of a text is no words, unless there are none around the key at all."""
    return None in near(side, one, limits) and one.around() > 0


def share(side: str, later: Place, earlier: Place, limits: Limits) -> bool:
    return bool(same_side(side, later, [earlier], limits)) and not is_cut_short(side, later, limits)


def collide(
    filed: Mapping[int, Sequence[Place]],
    limits: Limits,
    known: Collection[int] | None = None,
    level: str = "whole",
) -> Collided:
    """The evidence of all keys of a collection, how many collisions were weak, and the common keys."""
    answer = Collided([], 0, {})
    for key, places in filed.items():
        holders = few_places(places)
        met = [one for later in holders for one in meet(key, later, holders, limits, level)]
        if known is None and limits.links is None:
            met = [one._replace(name=key) for one in met]
        answer = add(answer, met, limits, known)
        if known is None:
            report(answer, key, holders, limits, level)
    if known is None:
        rows = [row if row.common in answer.commons else row._replace(common=None) for row in answer.rows]
        answer = answer._replace(rows=rows)
    return answer


def add(answer: Collided, met: Sequence[Met], limits: Limits, known: Collection[int] | None) -> Collided:
    """What was there, and those that settle of some that met; with `known` names, others are rare."""
    settled = [one for one in met if settles(one.later, one.earlier, limits)]
    rows = [
        Row(
            one.later.rank,
            one.earlier.rank,
            one.later.position,
            one.earlier.position,
            one.name if known is None or one.name in known else None,
            one.linked,
        )
        for one in settled
    ]
    return answer._replace(rows=answer.rows + rows, weak=answer.weak + len(met) - len(settled))


def report(answer: Collided, key: int, holders: Sequence[Place], limits: Limits, level: str) -> None:
    """Notes which common keys there are: the key with those that it supports, and with the words on each side those that have them."""
    supported = {rank for row in answer.rows if row.common == key for rank in (row.later, row.earlier)}
    groups = {key: [one for one in holders if one.rank in supported]}
    is_common = level != "whole" or len(distinct(holders)) > limits.all_holders
    if is_common and limits.links is not None:
        for side, one in itertools.product(sides_of(level), holders):
            group = same_side(side, one, holders, limits)
            if not is_cut_short(side, group[0], limits) and len(distinct(group)) > 1:
                groups[name_of(side, key, one, limits)] = group
    for called, group in groups.items():
        if len(distinct(group)) >= limits.common_holders:
            answer.commons[called] = first_places(group)


def first_places(holders: Iterable[Place]) -> Holders:
    first: dict[int, int] = {}
    for one in holders:
        first[one.rank] = min(one.position, first.get(one.rank, one.position))
    return sorted(first.items())


def collide_queries(
    asked: Mapping[int, Sequence[Place]],
    filed: Mapping[int, Sequence[Place]],
    own: Mapping[int, int],
    limits: Limits,
    known: Collection[int],
    level: str = "whole",
) -> Collided:
    """The evidence between queries, whose ranks come behind, and a collection; `own` is who a query is itself."""
    answer = Collided([], 0, {})
    for key, places in asked.items():
        for later in few_places(places):
            holders = few_places(one for one in filed.get(key, ()) if one.rank != own.get(later.rank))
            answer = add(answer, list(meet(key, later, holders, limits, level)), limits, known)
    return answer


@dataclass(frozen=True)
class Rule:
    articles: int
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


Pair = tuple[int, int]


def by_pair(rows: Iterable[Row]) -> dict[Pair, list[Row]]:
    pairs: dict[Pair, list[Row]] = defaultdict(list)
    for row in rows:
        pairs[row.later, row.earlier].append(row)
    return pairs


def shares(rows: Sequence[Row], words: Sequence[int], rule: Rule) -> dict[Pair, tuple[float, float]]:
    """How much of the later and of the earlier article each pair shares."""
    return {
        (later, earlier): (
            spanned((row.later_position for row in mine), rule) / max(1, words[later]),
            spanned((row.earlier_position for row in mine), rule) / max(1, words[earlier]),
        )
        for (later, earlier), mine in by_pair(rows).items()
    }


def agreeing(rows: Sequence[Row], words: Sequence[int], rule: Rule) -> set[Pair]:
    """The pairs that share the stated part of one of the two."""
    return {pair for pair, both in shares(rows, words, rule).items() if max(both) >= rule.agree_share}


def families(rows: Sequence[Row], words: Sequence[int], rule: Rule) -> list[Pair]:
    """The pairs that share the stated part of both, rising."""
    return sorted(pair for pair, both in shares(rows, words, rule).items() if min(both) >= rule.family_share)


def strangers(rows: Sequence[Row], agreed: set[Pair]) -> list[tuple[int, int]]:
    """The common keys and later articles that agree with fewer than half of those they met by the key, rising."""
    met: dict[tuple[int, int], list[bool]] = defaultdict(list)
    for row in rows:
        if row.common is not None:
            met[row.common, row.later].append((row.later, row.earlier) in agreed)
    return sorted(one for one, friends in met.items() if 2 * sum(friends) < len(friends))


def suspects(
    rows: Sequence[Row],
    commons: Mapping[int, Holders],
    agreed: set[Pair],
    family: Sequence[int],
    rule: Rule,
) -> dict[int, Holders]:
    """The common keys that may be boilerplate, each with some of its strangers.

    Of a family the earliest stranger stands for all.
    """
    found: dict[int, Holders] = {}
    everyone = strangers(rows, agreed)
    for common, holders in commons.items():
        first_of: dict[int, int] = {}
        for number, rank in everyone:
            if number == common:
                first_of.setdefault(family[rank], rank)
        if len(first_of) >= rule.articles:
            firsts = set(first_of.values())
            found[common] = [holder for holder in holders if holder[0] in firsts][: rule.examples]
    return found


def nominate(rows: Sequence[Row], agreed: set[Pair], boilerplate: Collection[int], links: int) -> list[Pair]:
    """The candidates: pairs that agree or that a key outside boilerplate supports; of those only linked, a few of each article."""
    innocent = {
        pair: mine
        for pair, mine in by_pair(rows).items()
        if pair in agreed or any(row.common is None or row.common not in boilerplate for row in mine)
    }
    kept = {pair for pair, mine in innocent.items() if not all(row.linked for row in mine)}
    for later in {pair[0] for pair in innocent}:
        only_linked = [pair for pair in innocent if pair[0] == later and pair not in kept]
        kept |= set(sorted(only_linked, key=lambda pair: (-len(innocent[pair]), pair[1]))[:links])
    return sorted(kept)


def components(articles: int, links: Sequence[tuple[int, int]]) -> list[int]:
    """The lowest article that each can be reached from."""
    lowest = list(range(articles))
    for _ in range(articles):
        for one, other in links:
            lowest[one] = lowest[other] = min(lowest[one], lowest[other])
    return lowest


Held = Iterable[tuple[int, int]]
"""Who holds what: articles and keys, as often as they occur."""


def count_holders(held: Held, left_out: Collection[int], keys: Sequence[int]) -> tuple[list[int], list[int]]:
    """How often each key occurs, and in how many articles."""
    live = [(article, key) for article, key in held if article not in left_out]
    occurrences, articles = (Counter(key for _, key in some) for some in (live, set(live)))
    return [occurrences[key] for key in keys], [articles[key] for key in keys]


def hold_common(held: Held, articles: int, most: int) -> list[bool]:
    """Whether each article holds a key that more than `most` of them hold."""
    distinct_ = set(held)
    holders = Counter(key for _, key in distinct_)
    common = {article for article, key in distinct_ if holders[key] > most}
    return [article in common for article in range(articles)]
