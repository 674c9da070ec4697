"""Made-up texts at scale: words of an own vocabulary as often as Zipf's law has it, sentences of many lengths; or sentences that are borrowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]


@dataclass
class Writer:
    """Writes sentences from a seed. Words differ by topic: each topic has some of its own, which it uses often."""

    seed: int
    words: int = 30_000
    sentence_words: float = 14.0
    _rng: np.random.Generator = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)
        lengths = self._rng.integers(2, 5, self.words * 2)
        made = ("".join(self._rng.choice(_SYLLABLES, length)) for length in lengths.tolist())
        self._vocabulary = list(dict.fromkeys(made))[: self.words]
        self._sums = np.cumsum(1 / (np.arange(len(self._vocabulary)) + 2.7))

    @property
    def random(self) -> np.random.Generator:
        """Where all chance comes from."""
        return self._rng

    def lengths(self, sentences: int) -> NDArray[np.int64]:
        """The number of words of so many sentences: log-normal, as prose has it."""
        drawn = self._rng.lognormal(np.log(self.sentence_words), 0.45, sentences)
        return np.maximum(3, drawn.round()).astype(np.int64)

    def sentences(self, lengths: Sequence[int] | NDArray[np.int64], topic: int | None = None) -> list[str]:
        """Sentences of these lengths; with a topic, a third of their words are of the two hundred that it has."""
        lengths = np.asarray(lengths)
        total = int(lengths.sum())
        drawn = np.searchsorted(self._sums, self._rng.random(total) * self._sums[-1])
        if topic is not None:
            own = np.random.default_rng([self.seed, topic]).integers(500, len(self._vocabulary), 200)
            mine = self._rng.random(total) < 1 / 3
            drawn[mine] = own[self._rng.integers(0, 200, int(mine.sum()))]
        words = [self._vocabulary[one] for one in np.minimum(drawn, len(self._vocabulary) - 1).tolist()]
        ends = np.cumsum(lengths).tolist()
        return [
            " ".join(words[start:end]).capitalize() + "."
            for start, end in zip([0, *ends[:-1]], ends, strict=True)
        ]

    def prose(self, sentences: int, topic: int | None = None) -> list[str]:
        """So many sentences of prose."""
        return self.sentences(self.lengths(sentences), topic)

    def common_word(self) -> str:
        """One of the ten most common words."""
        return self._vocabulary[int(self._rng.integers(10))]

    def edit(self, sentence: str, share: float) -> str:
        """A sentence with a share of its words replaced."""
        return _edit(sentence, share, self._vocabulary, self._rng)


@dataclass
class Borrower:
    """Gives out sentences of some texts as if it had written them."""

    seed: int
    texts: Sequence[str] = field(repr=False)
    random: np.random.Generator = field(init=False, repr=False)
    """Where all chance comes from."""

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)
        words = Counter(word for one in self.texts[:2000] for word in one.split())
        self._vocabulary = list(words)
        self._common = [word for word, _ in words.most_common(10)]

    def prose(self, sentences: int, topic: int | None = None) -> list[str]:
        """So many sentences that follow each other in a text, whatever the topic; fewer if it has fewer."""
        told = split(self.texts[int(self.random.integers(len(self.texts)))])
        first = int(self.random.integers(max(1, len(told) - sentences + 1)))
        return told[first : first + sentences]

    def common_word(self) -> str:
        """One of the ten most common words."""
        return self._common[int(self.random.integers(len(self._common)))]

    def edit(self, sentence: str, share: float) -> str:
        """A sentence with a share of its words replaced."""
        return _edit(sentence, share, self._vocabulary, self.random)


def _edit(sentence: str, share: float, vocabulary: Sequence[str], rng: np.random.Generator) -> str:
    words = sentence.rstrip(".").split()
    for place in np.flatnonzero(rng.random(len(words)) < share).tolist():
        words[place] = vocabulary[int(rng.integers(len(vocabulary)))]
    return " ".join(words) + "."


def split(told: str) -> list[str]:
    """The sentences of a text, cut where a full stop is followed by a space or a paragraph ends."""
    return [f"{one.strip().rstrip('.')}." for one in told.replace("\n\n", " ").split(". ") if one.strip()]


def paragraphs(sentences: Sequence[str], size: int = 4) -> list[str]:
    """Sentences as paragraphs of some each."""
    return [" ".join(sentences[start : start + size]) for start in range(0, len(sentences), size)]
