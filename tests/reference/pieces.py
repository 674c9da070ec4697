"""Two articles laid side by side, slowly: the twin of `rust/src/pieces.rs`, and of how `align.rs` tells runs of equal words.

As `align.py`, exact for articles in which no gram stands often and that share few runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import NamedTuple

from . import align

Pair = tuple[int, int]
Span = tuple[int, int]
OPENING = "([{<«‹“‘„‚‟「『《〈（【〔［｛｟〖¿¡"
SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
STOPS, PAUSES = '.!?…。！？؟।"”»', ",;:–—)]、，；：،؛"
SIDES = (0, 1)


class Piece(NamedTuple):
    kind: str
    query: Span
    found: Span
    passage: int
    moved: bool
    minor: bool


class Passage(NamedTuple):
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
        for (_, end), (start, _) in pairwise(self.spans):
            between = self.text[min(end, start) : start]
            spaces = [place for place, one in enumerate(between) if one in SPACES]
            edges.append(min(end, start) + (spaces[-1] + 1 if spaces else len(between.rstrip(OPENING))))
        return list(pairwise([*edges, len(self.text)])) if self.spans else []

    def kept(self) -> list[int]:
        return [at for at in range(len(self.words)) if not self.marks[at]]


def common(query: Side, found: Side, gaps: tuple[range, range]) -> list[Pair]:
    """The pairs of a heaviest common subsequence: where two words differ, the query's is left out first if nothing is lost by it."""
    one, other = ([side.words[at] for at in gap] for side, gap in zip((query, found), gaps, strict=True))
    light = {word for word, half in zip(query.words, query.halves, strict=True) if half == 1}
    pairs, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            pairs.append((gaps[0][i], gaps[1][j]))
            i, j = i + 1, j + 1
        elif align.lcs(one[i + 1 :], other[j:], light) >= align.lcs(one[i:], other[j + 1 :], light):
            i += 1
        else:
            j += 1
    return pairs


def find_passages(query: Side, found: Side, settings: align.Settings) -> list[Passage]:
    """The passages with all their equal words."""
    if list(query.words) == list(found.words):
        whole = 0, len(query.words)
        return [Passage(whole, whole, [(at, at) for at in range(*whole)])] if query.words else []
    numbers = query.kept(), found.kept()
    words = [[side.words[at] for at in kept] for side, kept in zip((query, found), numbers, strict=True)]
    if (len(words[0]), words[0]) < (len(words[1]), words[1]):
        turned = find_passages(found, query, settings)
        return sorted(Passage(one.found, one.query, [(j, i) for i, j in one.pairs]) for one in turned)
    sides = [
        Side("", own, [side.halves[at] for at in kept], (), [0] * len(own))
        for side, own, kept in zip((query, found), words, numbers, strict=True)
    ]
    light = {word for side in sides for word, half in zip(side.words, side.halves, strict=True) if half == 1}
    bridged = settings.bridged_words * (2 if 1 in [*query.halves, *found.halves] else 1)
    passages = []
    for _, runs in align.chained(words[0], words[1], settings, light, bridged):
        pairs: list[Pair] = []
        for run in runs:
            if pairs:
                gaps = range(pairs[-1][0] + 1, run.query), range(pairs[-1][1] + 1, run.found)
                pairs += common(sides[0], sides[1], gaps)
            pairs += [(run.query + step, run.found + step) for step in range(run.length)]
        placed = [(numbers[0][i], numbers[1][j]) for i, j in pairs]
        spans = [(placed[0][side], placed[-1][side] + 1) for side in SIDES]
        passages.append(Passage(spans[0], spans[1], placed))
    return sorted(passages)


@dataclass(eq=False)
class Unit:
    """A passage, or words that are equal but too few for one (number -1)."""

    number: int
    query: Span
    found: Span
    pairs: list[Pair]
    moved: bool = True

    @property
    def about(self) -> tuple[int, bool, bool]:
        return self.number, self.moved, self.number < 0


@dataclass
class Told:
    """Of the words of one side: the unit that has each as an equal word, with which word of the other side it goes, and for other
    words the passage they lie in and how many of its pairs are before them."""

    unit: dict[int, Unit] = field(default_factory=dict)
    linked: dict[int, int] = field(default_factory=dict)
    inside: dict[int, tuple[Unit, int]] = field(default_factory=dict)


TURNED = {"inserted": "dropped", "dropped": "inserted", "added": "cut", "cut": "added"}


def lay(query: Side, found: Side, passages: Sequence[Passage], minor_words: int) -> list[Piece]:
    """The pieces of two texts, by their place in the query; swapping the texts swaps the answer."""
    if (len(query.words), list(query.words)) < (len(found.words), list(found.words)):
        turned = [Passage(one.found, one.query, [(j, i) for i, j in one.pairs]) for one in passages]
        pieces = [
            one._replace(kind=TURNED.get(one.kind, one.kind), query=one.found, found=one.query)
            for one in Laying(found, query, turned, minor_words).pieces
        ]
    else:
        pieces = Laying(query, found, passages, minor_words).pieces
    some = [one for one in pieces if one.query[0] < one.query[1] or one.found[0] < one.found[1]]
    return sorted(some, key=lambda one: (one.query[0], one.query[0] < one.query[1], one.found))


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


def together(numbers: Sequence[int]) -> list[list[int]]:
    """Numbers in groups that follow each other."""
    return [[number for number, _ in run] for run in cut_runs([(one, one) for one in sorted(numbers)], touch)]


class Laying:
    """Two texts, the longer first, and what becomes of their words."""

    def __init__(self, query: Side, found: Side, passages: Sequence[Passage], minor_words: int) -> None:
        self.sides, self.cells = (query, found), (query.cells(), found.cells())
        self.told = Told(), Told()
        self.passages = [Unit(number, *passage) for number, passage in enumerate(passages)]
        for unit in self.passages:
            unit.pairs = self.slide(self.without_chance(unit.pairs))
        self.passages.sort(key=lambda one: (-self.weigh(one.pairs), one.query, one.found))
        for unit in self.passages:
            self.claim(unit)
        self.units = [*self.passages, *self.find_minor(minor_words)]
        for unit in self.in_order():
            unit.moved = False
        self.in_place = sorted(pair for unit in self.units if not unit.moved for pair in unit.pairs)
        for unit in self.passages:
            self.enclose(unit)
        self.pieces = [piece for unit in self.units for piece in self.tell_equal(unit)]
        self.pieces += [piece for unit in self.passages for piece in self.tell_gaps(unit)]
        self.pieces += [piece for side in SIDES for piece in self.tell_rest(side)]

    def weigh(self, pairs: Sequence[Pair]) -> int:
        return sum(self.sides[0].halves[i] for i, _ in pairs)

    def without_chance(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Equal words that do not stand alone; what boilerplate parts stands together."""
        kept = [side.kept() for side in self.sides]

        def goes_on(one: Pair, other: Pair) -> bool:
            return all(own.index(b) == own.index(a) + 1 for own, a, b in zip(kept, one, other, strict=True))

        runs = cut_runs(pairs, goes_on)
        chosen = [run for at, run in enumerate(runs) if at in (0, len(runs) - 1) or self.weigh(run) > 2]
        return [pair for run in chosen for pair in run]

    def slide(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Pairs of which what one side alone has between them begins with a sentence, or behind a mark, if it may as well begin there.

        Both runs beside it keep two words.
        """
        runs = cut_runs(pairs, touch)
        for at in range(1, len(runs)):
            before, after = runs[at - 1], runs[at]
            gaps = [range(before[-1][side] + 1, after[0][side]) for side in SIDES]
            if bool(gaps[0]) == bool(gaps[1]):
                continue
            side = 0 if gaps[0] else 1
            own, gap = self.sides[side], gaps[side]
            if any(own.marks[word] for word in gap):
                continue
            words = range(before[0][side], after[-1][side] + 1)
            other = [pair[1 - side] for pair in (*before, *after)]
            best = (-1, 0, 0)
            for shift in range(min(0, 2 - len(before)), max(0, len(after) - 2) + 1):
                moved = range(gap.start + shift, gap.stop + shift)
                rest = [word for word in words if word not in moved]
                if [own.words[word] for word in rest] == [self.sides[1 - side].words[word] for word in other]:
                    best = max(best, (self.ends_at(side, moved.start - 1), -abs(shift), -shift))
            shift = -best[2]
            rest = [word for word in words if word not in range(gap.start + shift, gap.stop + shift)]
            joined = [
                (mine, theirs) if side == 0 else (theirs, mine)
                for mine, theirs in zip(rest, other, strict=True)
            ]
            cut = len(before) + shift
            runs[at - 1], runs[at] = joined[:cut], joined[cut:]
        return [pair for run in runs for pair in run]

    def ends_at(self, side: int, word: int) -> int:
        """How much ends with a word: 3 a line, 2 a sentence, 1 a part of one, 0 nothing."""
        cell = self.sides[side].text[slice(*self.cells[side][word])]
        last = cell.rstrip(SPACES)[-1:]
        return 3 if "\n" in cell else 2 if last and last in STOPS else 1 if last and last in PAUSES else 0

    def claim(self, unit: Unit) -> None:
        """Give the words of a unit to it that no other has; both words of a pair go together if both are free."""
        for pair in unit.pairs:
            free = [pair[side] not in self.told[side].unit for side in SIDES]
            for side in SIDES:
                self.told[side].unit.setdefault(pair[side], unit)
                if all(free):
                    self.told[side].linked[pair[side]] = pair[1 - side]

    def find_minor(self, minor_words: int) -> list[Unit]:
        """Runs of equal words among those that are left, the heaviest first, each without what one before it has taken."""
        left = [
            [at for at in side.kept() if at not in told.unit]
            for side, told in zip(self.sides, self.told, strict=True)
        ]
        runs: list[list[Pair]] = []
        for shift in range(-len(left[0]), len(left[1])):
            places = [at for at in range(len(left[0])) if 0 <= at + shift < len(left[1])]
            pairs = [(left[0][at], left[1][at + shift]) for at in places]
            runs += cut_runs(
                [p for p in pairs if self.sides[0].words[p[0]] == self.sides[1].words[p[1]]], touch
            )
        units: list[Unit] = []
        for run in sorted(runs, key=lambda run: (-self.weigh(run), run[0])):
            free = [i not in self.told[0].unit and j not in self.told[1].unit for i, j in run]
            if not any(free) or self.weigh(run) < 2 * minor_words:
                continue
            start, end = free.index(True), len(free) - free[::-1].index(True)
            rest = run[start:end]
            if all(free[start:end]) and self.weigh(rest) >= 2 * minor_words:
                spans = [(rest[0][side], rest[-1][side] + 1) for side in SIDES]
                units.append(Unit(-1, spans[0], spans[1], rest))
                self.claim(units[-1])
        return units

    def in_order(self) -> list[Unit]:
        """The units with most equal words that stand in one order in both texts."""
        best: list[tuple[int, list[Unit]]] = []
        for unit in sorted(self.units, key=lambda one: (one.query, one.found)):
            before = (0, list[Unit]())
            for earlier in best:
                last = earlier[1][-1]
                spans = (last.query, unit.query), (last.found, unit.found)
                follows = all(one[edge] < other[edge] for one, other in spans for edge in (0, 1))
                if follows and earlier[0] > before[0]:
                    before = earlier
            best.append((before[0] + self.weigh(unit.pairs), [*before[1], unit]))
        return max(best, key=lambda one: one[0])[1] if best else []

    def enclose(self, unit: Unit) -> None:
        """Give a passage the words in it that are not equal words of any."""
        for side, (start, end) in zip(SIDES, (unit.query, unit.found), strict=True):
            for at in range(start, end):
                if at not in self.told[side].unit:
                    gap = sum(pair[side] < at for pair in unit.pairs)
                    self.told[side].inside.setdefault(at, (unit, gap))

    def span(self, side: int, words: Sequence[int]) -> Span:
        return self.cells[side][words[0]][0], self.cells[side][words[-1]][1]

    def place(self, side: int, at: int, pairs: Sequence[Pair]) -> Span:
        """Where the other side would have a word: behind the last of these pairs that is before it."""
        before = [pair for pair in pairs if pair[side] < at]
        last = max(before, key=lambda pair: pair[side], default=None)
        edge = self.cells[1 - side][last[1 - side]][1] if last else 0
        return edge, edge

    def is_spelled(self, pair: Pair) -> bool:
        texts = [self.sides[side].text[slice(*self.cells[side][pair[side]])] for side in SIDES]
        return len({"".join(one for one in text if one not in SPACES) for text in texts}) > 1

    def tell_equal(self, unit: Unit) -> list[Piece]:
        own = [[self.told[side].unit[pair[side]] is unit for side in SIDES] for pair in unit.pairs]
        linked = [
            pair
            for pair, is_own in zip(unit.pairs, own, strict=True)
            if all(is_own) and self.told[0].linked.get(pair[0]) == pair[1]
        ]
        pieces = []
        for run in cut_runs(linked, lambda a, b: touch(a, b) and self.is_spelled(a) == self.is_spelled(b)):
            kind = "spelled" if self.is_spelled(run[0]) else "same"
            spans = [self.span(side, [pair[side] for pair in run]) for side in SIDES]
            pieces.append(Piece(kind, spans[0], spans[1], *unit.about))
        for side in SIDES:
            some = zip(unit.pairs, own, strict=True)
            alone = [pair for pair, is_own in some if is_own[side] and pair not in linked]
            for run in cut_runs(alone, touch):
                edge = self.cells[1 - side][run[0][1 - side]][0]
                mine = self.span(side, [pair[side] for pair in run])
                pieces.append(one_sided("same", side, mine, (edge, edge), unit.about))
        return pieces

    def tell_gaps(self, unit: Unit) -> list[Piece]:
        """What lies between the pairs of a passage: gap n is what stands behind n of them."""
        pieces = []
        for gap in range(1, len(unit.pairs)):
            parts = [
                together([at for at in side.kept() if told.inside.get(at) == (unit, gap)])
                for side, told in zip(self.sides, self.told, strict=True)
            ]
            for mine, theirs in zip_longest(*parts):
                if mine and theirs:
                    pieces.append(Piece("reworded", self.span(0, mine), self.span(1, theirs), *unit.about))
                    continue
                side, words = (0, mine) if mine else (1, theirs)
                where = self.place(side, words[0], unit.pairs)
                kind = ("inserted", "dropped")[side]
                pieces.append(one_sided(kind, side, self.span(side, words), where, unit.about))
        return pieces

    def tell_rest(self, side: int) -> list[Piece]:
        """Boilerplate, and words that lie in no unit."""
        own, told, alone = self.sides[side], self.told[side], ("added", "cut")[side]
        if not own.words:
            return [one_sided(alone, side, (0, len(own.text)), (0, 0), (-1, False, False))]
        pieces = []
        marked = [at for at in range(len(own.words)) if own.marks[at]]
        for unit in (*self.passages, None):
            within = [at for at in marked if (told.inside[at][0] if at in told.inside else None) is unit]
            about = unit.about if unit else (-1, False, False)
            for words in together(within):
                where = self.place(side, words[0], unit.pairs if unit else self.in_place)
                pieces.append(one_sided("boilerplate", side, self.span(side, words), where, about))
        rest = [at for at in own.kept() if at not in told.unit and at not in told.inside]
        for words in together(rest):
            where = self.place(side, words[0], self.in_place)
            pieces.append(one_sided(alone, side, self.span(side, words), where, (-1, False, False)))
        return pieces


def one_sided(kind: str, side: int, mine: Span, other: Span, about: tuple[int, bool, bool]) -> Piece:
    query, found = (other, mine) if side else (mine, other)
    return Piece(kind, query, found, *about)
