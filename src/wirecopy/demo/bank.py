"""Sentences to draw from.

Only `random()` is drawn from the generator, the one stream that Python promises to keep: a seed gives the same bytes
everywhere.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


@lru_cache
def read_bank(name: str) -> Mapping[str, Sequence[str]]:
    """The lists of lines in a text file of this folder, by name; a line `@name` begins a list."""
    bank: dict[str, list[str]] = {}
    for line in Path(__file__).with_name(name).read_text("utf-8").split("\n"):
        if line.startswith("@"):
            alternatives = bank[line[1:]] = []
        elif line and not line.startswith("#"):
            alternatives.append(line)
    return bank


class Draw:
    """Draws numbers, items and sentences."""

    def __init__(self, seed: int, bank: Mapping[str, Sequence[str]]) -> None:
        self.bank = bank
        self._random = random.Random(seed).random

    def between(self, low: int, high: int) -> int:
        """A number from low to high, both included."""
        return low + int(self._random() * (high - low + 1))

    def chance(self, share: float) -> bool:
        """Whether a draw succeeds that does so with this probability."""
        return self._random() < share

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.between(0, len(items) - 1)]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """The items in random order."""
        return [item for _, _, item in sorted((self._random(), i, item) for i, item in enumerate(items))]

    def fill(self, template: str, cast: Mapping[str, str]) -> str:
        """The template with every slot filled: by the cast, or by a draw from the list of its name."""

        def draw(slot: re.Match[str]) -> str:
            return cast.get(slot[1]) or self.fill(self.pick(self.bank[slot[1]]), cast)

        return re.sub(r"\{(\w+)\}", draw, template)
