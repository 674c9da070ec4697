"""Who matters of the many that hold a key, slowly. The twin of `rust/src/crowds.rs`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import xxhash

from .postings import Limits as Limits
from .segments import CONTEXT, Held, Segment

REPEATS = 8
SIDES = ("right", "left")


def few_of_each(held: Sequence[Held]) -> list[Held]:
    """The first places of each article, by article and place."""
    by_place = sorted(held, key=lambda one: (one.article, one.position))
    return [
        one
        for number, one in enumerate(by_place)
        if sum(other.article == one.article for other in by_place[:number]) < REPEATS
    ]


def nearest(around: int, words: int) -> int:
    return around & ((1 << 4 * words) - 1)


def earliest(
    held: Sequence[Held], asked: Sequence[Held], kept: Collection[int], enough: int, grouped: int
) -> set[int]:
    """The first articles that hold a key, and of each group with the same words on one side as who asks; articles are numbered by time."""
    places = [one for one in few_of_each(held) if one.article in kept]
    groups = [places]
    for asking in asked:
        left, right = nearest(asking.left, grouped), nearest(asking.right, grouped)
        groups.append([one for one in places if nearest(one.left, grouped) == left])
        groups.append([one for one in places if nearest(one.right, grouped) == right])
    return {article for group in groups for article in sorted({one.article for one in group})[:enough]}


def holds_another(
    segment: Segment,
    asked: Mapping[int, Sequence[Held]],
    kept: Collection[int],
    counted: Collection[int],
    rows: Collection[int],
    boilerplate: Collection[int],
    limits: Limits,
) -> bool:
    """Whether any article that is kept, not counted, and none of the known rows has evidence in common with who asks."""
    return any(
        supports(key, asking, one, boilerplate, limits)
        for key, places in asked.items()
        for asking in places
        for one in segment.holders.get(key, ())
        if one.article in kept and one.article not in counted and segment.rows[one.article] not in rows
    )


def supports(key: int, asking: Held, one: Held, boilerplate: Collection[int], limits: Limits) -> bool:
    """Enough words around agree; and not all that both share, the words on each side or else the key alone, is boilerplate."""
    shared = [side for side in SIDES if shares(side, asking, one, limits.grouped_words)]
    names = [name(key, side, asking, limits.grouped_words) for side in shared] or [key]
    return settles(asking, one, limits) and not set(names) <= set(boilerplate)


def words_beside(side: str, one: Held) -> list[int]:
    """The sixteen words on one side, the nearest first; 0 is outside the text."""
    return [getattr(one, side) >> 4 * place & 15 for place in range(CONTEXT)]


def shares(side: str, asking: Held, one: Held, grouped: int) -> bool:
    """The nearest words on one side are the same; where the text of who asks ends among them they count as none, unless it has no others."""
    near, other = words_beside(side, asking)[:grouped], words_beside(side, one)[:grouped]
    return near == other and (0 not in near or asking.left == asking.right == 0)


def name(key: int, side: str, one: Held, grouped: int) -> int:
    near = nearest(getattr(one, side), grouped)
    return xxhash.xxh3_64_intdigest(
        key.to_bytes(8, "little") + near.to_bytes(8, "little"), seed=SIDES.index(side)
    )


def settles(asking: Held, one: Held, limits: Limits) -> bool:
    there = [sum(word > 0 for side in SIDES for word in words_beside(side, held)) for held in (asking, one)]
    wanted = max(0, limits.settled_words - max(0, asking.words - limits.shingle_words))
    agreeing = sum(agreement(words_beside(side, asking), words_beside(side, one)) for side in SIDES)
    return agreeing >= min(wanted, (min(there) + 1) // 2)


def agreement(one: Sequence[int], other: Sequence[int]) -> int:
    """Words that agree, going outwards, before the third that does not."""
    differing = [place for place in range(CONTEXT) if one[place] != other[place] or one[place] == 0]
    end = differing[2] if len(differing) > 2 else CONTEXT
    return end - sum(place < end for place in differing)
