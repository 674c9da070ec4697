"""Every third word shingle of an article."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .. import _core
from ..errors import UsageError
from ..model import Tokens
from ..statistics import Statistics
from . import LONGEST, Sketches
from .full_fingerprint import FullFingerprint


@dataclass(frozen=True)
class Dsc(FullFingerprint):
    """Digital Syntactic Clustering: containment by every third shingle, counted from the article's start.

    Broder, Glassman, Manasse, Zweig 1997, as Varol, Can, Aykanat, Kaya 2011, section 4, use it. Guarantees every pair of which one article has at least the
    share `contained` of its distinct kept shingles among those that the other keeps; each way is decided by itself. Files
    a key for every `step_words` words. Blind to a copy that an insertion moved: unless
    the words before it differ by a multiple of `step_words`, the two keep different shingles of the same text (the
    paper measures F1 0.30). In the paper of 1997 the choice of shingles does not depend on their places; for that, see `resemblance` with its `modulus`.

    "Every three overlapping substrings of size four" is read as the shingles at words 0, 3, 6 … of both
    articles. Stopwords, stems, hashes and short articles are those of `full_fingerprint`.
    """

    step_words: int = 3

    paper: ClassVar[str] = "Broder, Glassman, Manasse, Zweig 1997"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.step_words <= LONGEST:
            raise UsageError(f"{self.name}: expected step_words from 1 to {LONGEST}, got {self.step_words}")

    def sketch(self, tokens: Tokens, statistics: Statistics | None = None) -> Sketches:
        """The distinct shingles at every step."""
        return Sketches.of(*_core.shingle_sets(tokens, self.shingle_words, step_words=self.step_words))
