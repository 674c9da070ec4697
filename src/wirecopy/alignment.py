"""Two articles laid side by side, piece by piece: what is the same, what was changed, added, cut or moved.

The passages are those of the comparison, whose words and `changed` they agree with. Every word has its *cell*: the word with the marks and
the white space around it that are nearer to it than to its neighbours. A piece is some cells that stand together in the query, in the
found article, or in both against each other; laid over both texts, the pieces of a pair cover each character once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from .boilerplate import Learnt
from .comparison import DEFAULT_PRESET, compare_knowing, compare_rows, get_preset
from .model import Article, Boilerplate, Columns, Match, Relation
from .text import encode, tokenise

MINOR_WORDS = 8
"""Equal words of which a sentence is told that is too short for a passage."""
BLOCK_PAIRS = 1 << 11
"""So many pairs have their words in memory at a time."""


class Kind(StrEnum):
    """What a piece is.

    In a passage: the `same` words, the same but `spelled` otherwise (case, marks), `reworded`, `inserted` (the query alone has it),
    `dropped` (the found article alone). Outside of passages: `added`, `cut`. Anywhere: `boilerplate`, of one side each.
    """

    SAME = "same"
    REWORDED = "reworded"
    INSERTED = "inserted"
    DROPPED = "dropped"
    ADDED = "added"
    CUT = "cut"
    SPELLED = "spelled"
    BOILERPLATE = "boilerplate"


KINDS = tuple(Kind)
"""A kind's code is its place here."""

Span = tuple[int, int]


class Piece(NamedTuple):
    """A stretch of both articles, as spans of code points; a side that has nothing of it has an empty span where it would stand.

    `passage` is the number of the passage it lies in, -1 outside of all. Pieces that are `moved` stand in another order in the found
    article; a `minor` one has the same words, but too few for a passage.
    """

    kind: Kind
    query: Span
    found: Span
    passage: int
    moved: bool
    minor: bool

    def to_dict(self) -> dict[str, Any]:
        """The piece as its public JSON object."""
        spans = {"query": list(self.query), "found": list(self.found)}
        passage = None if self.passage < 0 else self.passage
        return {"kind": str(self.kind), **spans, "passage": passage, "moved": self.moved, "minor": self.minor}


@dataclass(frozen=True, slots=True)
class Aligned:
    """The pieces of two articles, by their place in the query, and the spans of their passages in both."""

    pieces: tuple[Piece, ...]
    passages: tuple[tuple[Span, Span], ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two articles side by side: how they compare, None if neither copies the other, and their pieces."""

    query: Article
    found: Article
    match: Match | None
    pieces: tuple[Piece, ...]

    def to_dict(self) -> dict[str, Any]:
        """The match as its public JSON object, with its pieces; of two articles that are none, `relation` is None."""
        nothing = Match(self.query.id, self.found.id, Relation.PARTIAL, 0.0, 0.0, 0.0, ())
        told = self.match.to_dict() if self.match else {**nothing.to_dict(), "relation": None}
        return told | {"pieces": [piece.to_dict() for piece in self.pieces]}


@dataclass(frozen=True, slots=True)
class Pieces(Columns):
    """Pieces as columns; `kind` is a place in `KINDS`, `flags` are `moved`, twice `minor`, and four times the passage counted from 1."""

    kind: NDArray[np.uint8]
    query_start: NDArray[np.uint32]
    query_end: NDArray[np.uint32]
    found_start: NDArray[np.uint32]
    found_end: NDArray[np.uint32]
    flags: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class AlignedRows:
    """Aligned pairs of a batch: pair i has the pieces `offsets[i]:offsets[i + 1]`."""

    offsets: NDArray[np.int64]
    pieces: Pieces

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def numbers(self) -> Iterator[list[int]]:
        """The pieces of each pair as one list, six numbers a piece, in the order of the columns."""
        flat = np.column_stack([column.astype(np.int64) for column in self.pieces.arrays]).ravel()
        edges = (self.offsets * len(Pieces.__match_args__)).tolist()
        return (flat[start:end].tolist() for start, end in pairwise(edges))

    def tell(self, row: int) -> tuple[Piece, ...]:
        """The pieces of one pair."""
        some = self.pieces.rows(slice(*self.offsets[row : row + 2].tolist()))
        return tuple(
            Piece(
                KINDS[kind], (start, end), (begin, stop), (flags >> 2) - 1, bool(flags & 1), bool(flags & 2)
            )
            for kind, start, end, begin, stop, flags in some
        )


NOTHING_LEARNT = Learnt()
_NO_PIECES = Pieces(np.empty(0, np.uint8), *[np.empty(0, np.uint32)] * 5)


def align(
    query: str, found: str, *, preset: str = DEFAULT_PRESET, boilerplate: Boilerplate | None = None
) -> Aligned:
    """The pieces of two texts, and the passages that they share by a preset, `boilerplate` left out."""
    text, offsets = encode([query, found])
    pair = np.array([0], np.uint32), np.array([1], np.uint32)
    tokens = tokenise(text, offsets, spans=True)
    compared, _ = compare_rows(tokens, *pair, get_preset(preset), boilerplate)
    aligned = align_rows(text, offsets, *pair, preset=preset, boilerplate=boilerplate)
    passages = (((start, end), (begin, stop)) for start, end, begin, stop, *_ in compared.passages.rows())
    return Aligned(aligned.tell(0), tuple(passages))


def align_articles(
    query: Article, found: Article, *, preset: str = DEFAULT_PRESET, learnt: Learnt = NOTHING_LEARNT
) -> Pair:
    """Two articles side by side, as those who know what was `learnt` of their collection see them."""
    match = compare_knowing(query, found, get_preset(preset), learnt.known, learnt.varying)
    pieces = align(query.text, found.text, preset=preset, boilerplate=learnt.known).pieces
    return Pair(query, found, match, pieces)


def align_rows(
    text: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    queries: NDArray[np.uint32],
    founds: NDArray[np.uint32],
    *,
    preset: str = DEFAULT_PRESET,
    boilerplate: Boilerplate | None = None,
    utf16: bool = False,
) -> AlignedRows:
    """The pieces of pairs of the texts `text[offsets[i]:offsets[i + 1]]`, UTF-8; places are code points, or code units of UTF-16.

    A block of pairs at a time, so that the words of all need not be kept.
    """
    presets = get_preset(preset).tried
    parts: list[Pieces] = []
    counts = [np.zeros(1, np.int64)]
    for start in range(0, len(queries), BLOCK_PAIRS):
        pairs = np.stack([side[start : start + BLOCK_PAIRS] for side in (queries, founds)])
        rows, places = np.unique(pairs, return_inverse=True)
        own, edges = _take_texts(text, offsets, rows)
        tokens = tokenise(own, edges, spans=True)
        sides = places.reshape(pairs.shape).astype(np.uint32)
        laid = _core.lay(
            *(tokens, own, edges, *sides, presets, boilerplate), minor_words=MINOR_WORDS, utf16=utf16
        )
        parts.append(Pieces(*laid[:6]))
        counts.append(np.diff(laid[6]))
    return AlignedRows(np.cumsum(np.concatenate(counts)), Pieces.join(parts) if parts else _NO_PIECES)


def _take_texts(
    text: NDArray[np.uint8], offsets: NDArray[np.int64], rows: NDArray[np.uint32]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Some of the texts, concatenated, and their offsets."""
    parts = [text[offsets[row] : offsets[row + 1]] for row in rows.tolist()]
    return np.concatenate(parts), np.cumsum([0, *map(len, parts)], dtype=np.int64)
