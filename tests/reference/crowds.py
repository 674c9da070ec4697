"""Who matters of the many that hold a key, slowly. The twin of `rust/src/crowds.rs`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .segments import Held

REPEATS = 8


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
