"""Winnowed word shingles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .. import _core
from ..errors import UsageError
from ..model import Tokens
from ..statistics import Statistics
from . import LONGEST, Containment, Keys, Sketches


@dataclass(frozen=True)
class Winnowing(Containment):
    """The smallest shingle of words of every window.

    Schleimer, Wilkerson, Aiken 2003. Guarantees that two articles that share a run of `shingle_words + window_words - 1` words share a key. Files about
    2 / (window_words + 1) keys a word. Blind to copies in which no run of `shingle_words` words survives: heavy
    paraphrase, translation.

    The paper has no threshold for whole documents; `contained` is ours: the share of one article's keys that the
    other must have.
    """

    shingle_words: int = 5
    window_words: int = 16
    contained: float = 0.5

    paper: ClassVar[str] = "Schleimer, Wilkerson, Aiken 2003"

    def __post_init__(self) -> None:
        if not (
            1 <= self.shingle_words <= LONGEST
            and 1 <= self.window_words <= LONGEST
            and 0 < self.contained <= 1
        ):
            raise UsageError(
                f"winnowing: expected shingle_words and window_words from 1 to {LONGEST} and 0 < contained <= 1, got "
                f"{self.shingle_words}, {self.window_words} and {self.contained}"
            )

    @property
    def guaranteed_words(self) -> int:
        """The shortest run of words that is sure to make two articles that share it a candidate."""
        return self.shingle_words + self.window_words - 1

    def sketch(self, tokens: Tokens, statistics: Statistics | None = None) -> Sketches:
        """The winnowed shingles, with their places."""
        return Sketches.of(*_core.winnow(tokens, self.shingle_words, self.window_words))

    def keys(self, sketches: Sketches) -> Keys:
        """The shingles themselves."""
        values, starts, ends = sketches.columns
        return Keys(values, sketches.offsets, starts, ends)
