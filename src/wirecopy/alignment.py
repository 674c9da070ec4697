"""Two articles laid side by side, piece by piece: what is the same, what was changed, added, cut or moved.

The passages are those of the comparison, whose words and `changed` they agree with. Every word has its *cell*: the word with the marks and
the white space around it that are nearer to it than to its neighbours. A piece is some cells that stand together in the query, in the
found article, or in both against each other; laid over both texts, the pieces of a pair cover each character once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise, zip_longest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from .comparison import DEFAULT_PRESET, _align, get_preset
from .model import Boilerplate, Columns
from .text import encode, tokenise

MINOR_WORDS = 8
"""Equal words of which a sentence is told that is too short for a passage."""
SIX = 6
"""Numbers that stand for a piece where many are told as one list."""


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


@dataclass(frozen=True, slots=True)
class Aligned:
    """The pieces of two articles, by their place in the query, and the spans of their passages in both."""

    pieces: tuple[Piece, ...]
    passages: tuple[tuple[Span, Span], ...]


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
        flat = np.column_stack([column.astype(np.int64) for column in self.pieces._arrays()]).ravel()
        edges = (self.offsets * SIX).tolist()
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


def align(
    query: str, found: str, *, preset: str = DEFAULT_PRESET, boilerplate: Boilerplate | None = None
) -> Aligned:
    """The pieces of two texts, and the passages that they share by a preset, `boilerplate` left out."""
    text, offsets = encode([query, found])
    one, other = np.array([0], np.uint32), np.array([1], np.uint32)
    rows = align_rows(text, offsets, one, other, preset=preset, boilerplate=boilerplate)
    pieces = rows.tell(0)
    spans: dict[int, list[Piece]] = {}
    for piece in pieces:
        spans.setdefault(piece.passage, []).append(piece)
    passages = [spans[number] for number in sorted(spans) if number >= 0]
    return Aligned(
        pieces,
        tuple(
            (
                (min(one.query[0] for one in own), max(one.query[1] for one in own)),
                (min(one.found[0] for one in own), max(one.found[1] for one in own)),
            )
            for own in passages
        ),
    )


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
    """The pieces of pairs of the texts `text[offsets[i]:offsets[i + 1]]`; places are code points, or code units of UTF-16."""
    tokens = tokenise(text, offsets, spans=True)
    assert tokens.starts is not None
    assert tokens.ends is not None
    compared = _core.compare(tokens, queries, founds, get_preset(preset).tried, boilerplate)
    all_marks = (
        _core.mark_boilerplate(tokens, boilerplate) if boilerplate else np.zeros(len(tokens.hashes), np.uint8)
    )
    edges = compared["passage_offsets"].tolist()
    rows: list[list[_Piece]] = []
    for number, pair in enumerate(zip(queries.tolist(), founds.tolist(), strict=True)):
        passages = [
            ((a, b), (c, d))
            for a, b, c, d in zip(
                *(
                    compared[name][edges[number] : edges[number + 1]].tolist()
                    for name in ("query_start", "query_end", "found_start", "found_end")
                ),
                strict=True,
            )
        ]
        sides = []
        for row in pair:
            at = slice(*tokens.offsets[row : row + 2].tolist())
            halves = [2] * (at.stop - at.start) if tokens.halves is None else tokens.halves[at].tolist()
            sides.append(
                Side(
                    bytes(text[offsets[row] : offsets[row + 1]]).decode(),
                    tokens.hashes[at].tolist(),
                    halves,
                    list(zip(tokens.starts[at].tolist(), tokens.ends[at].tolist(), strict=True)),
                    all_marks[at].tolist(),
                )
            )
        told = []
        for spans in passages:
            kept = [
                [i for i in range(*span) if not side.marks[i]]
                for span, side in zip(spans, sides, strict=True)
            ]
            found = _align(*([side.words[i] for i in own] for side, own in zip(sides, kept, strict=True)))
            told.append(_Passage(*spans, sorted((kept[0][i], kept[1][j]) for i, j in found)))
        rows.append(lay(sides[0], sides[1], told))
        if utf16:
            texts = [side.text for side in sides]
            rows[-1] = [
                piece._replace(
                    **{
                        name: tuple(len(text[:at].encode("utf-16-le")) // 2 for at in getattr(piece, name))
                        for name, text in zip(("query", "found"), texts, strict=True)
                    }
                )
                for piece in rows[-1]
            ]
    flat = [piece for row in rows for piece in row]
    columns = [
        np.array([KINDS.index(Kind(piece.kind)) for piece in flat], np.uint8),
        *(
            np.array([getattr(piece, side)[edge] for piece in flat], np.uint32)
            for side in ("query", "found")
            for edge in (0, 1)
        ),
        np.array([(piece.passage + 1) << 2 | piece.minor << 1 | piece.moved for piece in flat], np.uint32),
    ]
    return AlignedRows(np.cumsum([0, *map(len, rows)], dtype=np.int64), Pieces(*columns))


# The rest is slow, and on its way into the core.

Pair = tuple[int, int]
OPENING = "([{<«‹“‘„‚‟「『《〈（【〔［｛｟〖¿¡"
SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
MOST_MINOR = 1000


class _Piece(NamedTuple):
    kind: str
    query: Span
    found: Span
    passage: int
    moved: bool
    minor: bool


class _Passage(NamedTuple):
    """Its words in both, and which of them are equal."""

    query: Span
    found: Span
    pairs: list[Pair]


@dataclass(frozen=True)
class Side:
    """A text, its words (what each is matched by, how heavy it is in halves, where it stands), and which are boilerplate."""

    text: str
    words: Sequence[int]
    halves: Sequence[int]
    spans: Sequence[Span]
    marks: Sequence[int]

    def cells(self) -> list[Span]:
        """The text cut into one stretch a word."""
        edges = [0]
        for (_, end), (start, _) in zip(self.spans, self.spans[1:], strict=False):
            between = self.text[end:start]
            spaces = [place for place, one in enumerate(between) if one in SPACES]
            edges.append(end + (spaces[-1] + 1 if spaces else len(between.rstrip(OPENING))))
        edges.append(len(self.text))
        return list(pairwise(edges))


@dataclass(eq=False)
class Unit:
    """A passage, or words that are equal but too few for one (number -1)."""

    number: int
    query: Span
    found: Span
    pairs: list[Pair]
    moved: bool = True


@dataclass
class Told:
    """Of the words of one side: the unit that has each as an equal word, and which word of the other side it goes with."""

    unit: dict[int, Unit] = field(default_factory=dict)
    linked: dict[int, int] = field(default_factory=dict)


def lay(query: Side, found: Side, passages: Sequence[_Passage]) -> list[_Piece]:
    """The pieces of two texts, by their place in the query; swapping the texts swaps the answer."""
    if (len(query.words), list(query.words)) < (len(found.words), list(found.words)):
        turned = [_Passage(one.found, one.query, [(j, i) for i, j in one.pairs]) for one in passages]
        pieces = [turn(one) for one in lay_longer(found, query, turned)]
    else:
        pieces = lay_longer(query, found, passages)
    return sorted(pieces, key=lambda one: (one.query[0], one.query[0] < one.query[1], one.found))


TURNED = {"inserted": "dropped", "dropped": "inserted", "added": "cut", "cut": "added"}


def turn(piece: _Piece) -> _Piece:
    return piece._replace(kind=TURNED.get(piece.kind, piece.kind), query=piece.found, found=piece.query)


def lay_longer(query: Side, found: Side, passages: Sequence[_Passage]) -> list[_Piece]:
    """The pieces of two texts of which the first is the longer, in no order."""
    units = [Unit(number, *passage) for number, passage in enumerate(passages)]
    for unit in units:
        unit.pairs = without_chance(query, found, unit.pairs)
    told = Told(), Told()
    for unit in sorted(units, key=lambda one: (-weigh(query, one.pairs), one.query, one.found)):
        claim(unit, told)
    units += find_minor(query, found, told)
    for unit in in_order(query, units):
        unit.moved = False
    return cut_pieces(query, found, units, told)


def weigh(side: Side, pairs: Sequence[Pair]) -> int:
    return sum(side.halves[i] for i, _ in pairs)


def next_word(side: Side, at: int) -> int:
    """The number of the next word that is not boilerplate."""
    return next((i for i in range(at + 1, len(side.words)) if not side.marks[i]), len(side.words))


def cut_runs(pairs: Sequence[Pair], goes_on: Callable[[Pair, Pair], bool]) -> list[list[Pair]]:
    """Pairs in groups in which each goes on with the one before."""
    runs: list[list[Pair]] = []
    for pair in pairs:
        if runs and goes_on(runs[-1][-1], pair):
            runs[-1].append(pair)
        else:
            runs.append([pair])
    return runs


def touch(one: Pair, other: Pair) -> bool:
    return (one[0] + 1, one[1] + 1) == other


def without_chance(query: Side, found: Side, pairs: Sequence[Pair]) -> list[Pair]:
    """Equal words that do not stand alone; what boilerplate parts stands together."""

    def goes_on(one: Pair, other: Pair) -> bool:
        return (next_word(query, one[0]), next_word(found, one[1])) == other

    runs = cut_runs(pairs, goes_on)
    inner = [run for run in runs[1:-1] if weigh(query, run) > 2]
    return [pair for run in [*runs[:1], *inner, *runs[1:][-1:]] for pair in run]


def claim(unit: Unit, told: tuple[Told, Told]) -> None:
    """Give the words of a unit to it that no other has; both words of a pair go together if both are free."""
    for i, j in unit.pairs:
        free = i not in told[0].unit, j not in told[1].unit
        if free[0]:
            told[0].unit[i] = unit
        if free[1]:
            told[1].unit[j] = unit
        if all(free):
            told[0].linked[i] = j
            told[1].linked[j] = i


def find_minor(query: Side, found: Side, told: tuple[Told, Told]) -> list[Unit]:
    """Runs of equal words among those that are left, the heaviest first, each without what one before it has taken."""
    left = [
        [i for i in range(len(side.words)) if not side.marks[i] and i not in one.unit]
        for side, one in zip((query, found), told, strict=True)
    ]
    runs: list[list[Pair]] = []
    for shift in range(-len(left[0]), len(left[1])):
        pairs = [
            (left[0][at], left[1][at + shift])
            for at in range(len(left[0]))
            if 0 <= at + shift < len(left[1]) and query.words[left[0][at]] == found.words[left[1][at + shift]]
        ]
        runs += cut_runs(pairs, touch)
    runs = [run for run in runs if weigh(query, run) >= 2 * MINOR_WORDS]
    units: list[Unit] = []
    for run in sorted(runs, key=lambda run: (-weigh(query, run), run[0])):
        taken = [i in told[0].unit or j in told[1].unit for i, j in run]
        while taken and taken[0]:
            taken, run = taken[1:], run[1:]
        while taken and taken[-1]:
            taken, run = taken[:-1], run[:-1]
        if any(taken) or weigh(query, run) < 2 * MINOR_WORDS or len(units) == MOST_MINOR:
            continue
        spans = [(run[0][side], run[-1][side] + 1) for side in (0, 1)]
        units.append(Unit(-1, spans[0], spans[1], run))
        claim(units[-1], told)
    return units


def in_order(query: Side, units: Sequence[Unit]) -> list[Unit]:
    """The units with most equal words that stand in one order in both texts."""
    by_place = sorted(units, key=lambda one: (one.query, one.found))
    best: list[tuple[int, list[Unit]]] = []
    for unit in by_place:
        before = (0, list[Unit]())
        for earlier in best:
            last = earlier[1][-1]
            follows = all(
                one[edge] < other[edge]
                for one, other in ((last.query, unit.query), (last.found, unit.found))
                for edge in (0, 1)
            )
            if follows and earlier[0] > before[0]:
                before = earlier
        best.append((before[0] + weigh(query, unit.pairs), [*before[1], unit]))
    return max(best, key=lambda one: one[0])[1] if best else []


def cut_pieces(query: Side, found: Side, units: Sequence[Unit], told: tuple[Told, Told]) -> list[_Piece]:
    """All pieces, in no order."""
    pieces: list[_Piece] = []
    cells = query.cells(), found.cells()
    sides = query, found
    ordered = sorted(pair for unit in units if not unit.moved for pair in unit.pairs)

    def place(side: int, at: int, pairs: Sequence[Pair]) -> Span:
        """Where the other side would have a word: behind the last of these pairs that is before it."""
        before = [pair for pair in pairs if pair[side] < at]
        last = max(before, key=lambda pair: pair[side], default=None)
        edge = cells[1 - side][last[1 - side]][1] if last else 0
        return edge, edge

    def span(side: int, words: Sequence[int]) -> Span:
        return cells[side][words[0]][0], cells[side][words[-1]][1]

    def both(side: int, mine: Span, other: Span) -> tuple[Span, Span]:
        return (other, mine) if side else (mine, other)

    # Equal words.
    for unit in units:
        about = unit.number, unit.moved, unit.number < 0
        linked = [
            pair
            for pair in unit.pairs
            if told[0].linked.get(pair[0]) == pair[1] and told[0].unit[pair[0]] is unit
        ]

        def is_spelled(pair: Pair) -> bool:
            texts = [sides[side].text[slice(*cells[side][pair[side]])] for side in (0, 1)]
            return len({"".join(one for one in text if one not in SPACES) for text in texts}) > 1

        for run in cut_runs(
            linked, lambda one, other: touch(one, other) and is_spelled(one) == is_spelled(other)
        ):
            kind = "spelled" if is_spelled(run[0]) else "same"
            pieces.append(_Piece(kind, span(0, [i for i, _ in run]), span(1, [j for _, j in run]), *about))
        for side in (0, 1):
            alone = [
                pair
                for pair in unit.pairs
                if told[side].unit.get(pair[side]) is unit
                and told[side].linked.get(pair[side]) != pair[1 - side]
            ]
            for run in cut_runs(alone, touch):
                edge = cells[1 - side][run[0][1 - side]][0]
                mine = span(side, [pair[side] for pair in run])
                pieces.append(_Piece("same", *both(side, mine, (edge, edge)), *about))

    # Words inside of passages that are not equal: gap n of a passage is what stands before its pair n.
    passages = sorted(
        (one for one in units if one.number >= 0),
        key=lambda one: (-weigh(query, one.pairs), one.query, one.found),
    )
    inside: tuple[dict[int, tuple[Unit, int]], dict[int, tuple[Unit, int]]] = {}, {}
    for unit in passages:
        for side in (0, 1):
            for at in range(*(unit.query, unit.found)[side]):
                gap = sum(pair[side] < at for pair in unit.pairs)
                if at not in told[side].unit:
                    inside[side].setdefault(at, (unit, gap))
    for unit in passages:
        for gap in range(len(unit.pairs) + 1):
            parts = [
                together(
                    [
                        at
                        for at, where in inside[side].items()
                        if where == (unit, gap) and not sides[side].marks[at]
                    ]
                )
                for side in (0, 1)
            ]
            for mine, theirs in zip_longest(*parts):
                about = unit.number, unit.moved, False
                if mine and theirs:
                    pieces.append(_Piece("reworded", span(0, mine), span(1, theirs), *about))
                elif mine:
                    pieces.append(_Piece("inserted", span(0, mine), place(0, mine[0], unit.pairs), *about))
                else:
                    pieces.append(_Piece("dropped", place(1, theirs[0], unit.pairs), span(1, theirs), *about))

    # Boilerplate, and words outside of everything.
    for side in (0, 1):
        marked = [at for at in range(len(sides[side].words)) if sides[side].marks[at]]
        for unit in [*passages, None]:
            own = [at for at in marked if inside[side].get(at, (None,))[0] is unit]
            for words in together(own):
                where = place(side, words[0], unit.pairs if unit else ordered)
                about = (unit.number, unit.moved) if unit else (-1, False)
                pieces.append(_Piece("boilerplate", *both(side, span(side, words), where), *about, False))
        rest = [
            at
            for at in range(len(sides[side].words))
            if at not in told[side].unit and at not in inside[side] and not sides[side].marks[at]
        ]
        for words in together(rest):
            where = place(side, words[0], ordered)
            pieces.append(
                _Piece(("added", "cut")[side], *both(side, span(side, words), where), -1, False, False)
            )
        if not sides[side].words and sides[side].text:
            mine = 0, len(sides[side].text)
            pieces.append(_Piece(("added", "cut")[side], *both(side, mine, (0, 0)), -1, False, False))
    return pieces


def together(numbers: Sequence[int]) -> list[list[int]]:
    """Numbers in groups that follow each other."""
    groups: list[list[int]] = []
    for number in sorted(numbers):
        if groups and groups[-1][-1] + 1 == number:
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups
