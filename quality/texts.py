"""Made-up texts, from a seed: words of an own vocabulary, the common ones often, as in real text."""

from __future__ import annotations

import random
from collections.abc import Sequence

_SYLLABLES = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]


def vocabulary(random_: random.Random, size: int, prefix: str = "") -> list[str]:
    """Distinct words of two to four syllables."""
    words: dict[str, None] = {}
    while len(words) < size:
        words[prefix + "".join(random_.choices(_SYLLABLES, k=random_.randint(2, 4)))] = None
    return list(words)


class Writer:
    """Writes texts; `write(n)` gives n words, drawn with frequencies that fall as in Zipf's law."""

    def __init__(self, seed: int, words: int = 20_000, prefix: str = "") -> None:
        self.random = random.Random(seed)
        self.words = vocabulary(self.random, words, prefix)
        sums, total = [], 0.0
        for place in range(1, words + 1):
            total += 1 / (place + 2.7)
            sums.append(total)
        self._sums = sums

    def write(self, count: int) -> list[str]:
        return self.random.choices(self.words, cum_weights=self._sums, k=count)

    def text(self, count: int) -> str:
        return join(self.write(count))

    def edit(self, words: Sequence[str], share: float) -> list[str]:
        """The words with a share of them replaced, dropped or preceded by a new one."""
        edited: list[str] = []
        for word in words:
            if self.random.random() >= share:
                edited.append(word)
            elif (kind := self.random.randrange(3)) < 2:
                edited += self.write(1) + [word] * kind
        return edited


def join(words: Sequence[str]) -> str:
    """Words as sentences of a dozen words, four sentences a paragraph."""
    parts: list[str] = []
    for start in range(0, len(words), 12):
        sentence = " ".join(words[start : start + 12])
        parts.append(sentence[:1].upper() + sentence[1:] + "." + ("\n\n" if start % 48 == 36 else " "))
    return "".join(parts).strip()
