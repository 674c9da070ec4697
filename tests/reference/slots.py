"""What a passage is filled with, slowly: the twin of `rust/src/slots.rs`.

A slot is told by all words of both sides that are in no run, one gap after the other; its name is a tuple of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .align import Light, Run


@dataclass(frozen=True)
class Side:
    """The words of an article, and of each what value it belongs to: its place, where it ends and what it says, or None."""

    words: Sequence[int]
    values: Sequence[tuple[int, int, int] | None]

    def said_at(self, start: int, end: int) -> list[tuple[int, int, int]]:
        """The values that have a place there, or, where that is nothing, that end or begin there."""
        here = sorted({value for value in self.values if value is not None})
        if start == end:
            return [value for value in here if value[0] <= start <= value[1]]
        return [value for value in here if value[0] < end and value[1] > start]


@dataclass(frozen=True)
class Rule:
    slot_words: int
    edge_words: int
    before_words: int
    after_words: int
    inner_words: int


class Slot(NamedTuple):
    value: bool
    name: tuple[object, ...]
    query: object
    found: object
    place: int
    inner: bool
    long: bool


def common(one: Sequence[int], other: Sequence[int]) -> list[tuple[int, int]]:
    """A longest common subsequence; of equally long ones, that which takes the first word of `other` last."""
    table = {}
    for i in reversed(range(len(one) + 1)):
        for j in reversed(range(len(other) + 1)):
            if i == len(one) or j == len(other):
                table[i, j] = 0
            elif one[i] == other[j]:
                table[i, j] = table[i + 1, j + 1] + 1
            else:
                table[i, j] = max(table[i + 1, j], table[i, j + 1])
    i = j = 0
    pairs = []
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif table[i + 1, j] >= table[i, j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def align(query: Side, found: Side, chain: Sequence[Run]) -> list[Run]:
    """All runs of a passage, those inside its gaps too."""
    pairs: list[tuple[int, int]] = []
    for run in chain:
        if pairs:
            i, j = pairs[-1][0] + 1, pairs[-1][1] + 1
            more = common(query.words[i : run.query], found.words[j : run.found])
            pairs += [(i + one, j + other) for one, other in more]
        pairs += [(run.query + n, run.found + n) for n in range(run.length)]
    runs: list[Run] = []
    for i, j in pairs:
        if runs and (runs[-1].query + runs[-1].length, runs[-1].found + runs[-1].length) == (i, j):
            runs[-1] = runs[-1]._replace(length=runs[-1].length + 1)
        else:
            runs.append(Run(i, j, 1))
    return runs


def find(
    query: Side, found: Side, chain: Sequence[Run], free: Sequence[tuple[int, int]], rule: Rule, light: Light
) -> tuple[int, list[Slot]]:
    """How many values are the same, and the slots."""

    def weight(words: Sequence[int]) -> int:
        return sum(1 if word in light else 2 for word in words)

    def beside(places: Sequence[int], most: int) -> list[object]:
        parts: list[object] = []
        halves = 0
        for place in places:
            part: object = query.words[place] if query.values[place] is None else "value"
            if part == "value" and parts and parts[-1] == "value":
                continue
            parts.append(part)
            halves += weight([query.words[place]])
            if halves >= 2 * most:
                return parts
        return [*parts, "ends"]

    runs = align(query, found, chain)
    done: tuple[set[object], set[object]] = (set(), set())
    same = 0
    for run in runs:
        for n in range(run.length):
            one, other = query.values[run.query + n], found.values[run.found + n]
            if one and other and one[2] == other[2] and one not in done[0] and other not in done[1]:
                same += 1
                done[0].add(one)
                done[1].add(other)
    first, last = runs[0], runs[-1]
    start = max(free[0][0], first.query - rule.edge_words), max(free[1][0], first.found - rule.edge_words)
    end = (
        min(free[0][1], last.query + last.length + rule.edge_words),
        min(free[1][1], last.found + last.length + rule.edge_words),
    )
    whole = sum(weight(query.words[run.query : run.query + run.length]) for run in runs)
    slots: list[Slot] = []
    for n in range(len(runs) + 1):
        before, after = runs[n - 1] if n else None, runs[n] if n < len(runs) else None
        place = sum(weight(query.words[run.query : run.query + run.length]) for run in runs[:n])
        mine = (before.query + before.length if before else start[0]), (after.query if after else end[0])
        theirs = (before.found + before.length if before else start[1]), (after.found if after else end[1])
        ones = [one for one in query.said_at(*mine) if one not in done[0]]
        others = [one for one in found.said_at(*theirs) if one not in done[1]]
        if before and after:
            if (mine[0] == mine[1] and not ones) or (theirs[0] == theirs[1] and not others):
                continue
        elif before:
            ones, others = ones[:1], others[:1]
        else:
            ones, others = ones[-1:], others[-1:]
        longer = max(weight(query.words[slice(*mine)]), weight(found.words[slice(*theirs)]))
        long = bool(before and after) and longer > 2 * rule.slot_words
        inner = min(place, whole - place) >= 2 * rule.inner_words
        left: list[object] = ["edge"]
        right: list[object] = ["edge"]
        if before:
            places = range(before.query, before.query + before.length)[::-1]
            left = beside(places, rule.before_words)
        if after:
            right = beside(range(after.query, after.query + after.length), rule.after_words)
        name = (*left, "|", *right)
        told = same, len(slots)
        for one in list(ones):
            equal = next((other for other in others if other[2] == one[2]), None)
            if equal:
                same += 1
                ones.remove(one)
                others.remove(equal)
                done[0].add(one)
                done[1].add(equal)
        for number, (one, other) in enumerate(zip(ones, others, strict=False)):
            done[0].add(one)
            done[1].add(other)
            named = (*name, number) if number else name
            slots.append(Slot(True, named, one[2], other[2], place, inner, long))
        if before and after and mine[0] < mine[1] and theirs[0] < theirs[1] and told == (same, len(slots)):
            held = tuple(query.words[slice(*mine)]), tuple(found.words[slice(*theirs)])
            slots.append(Slot(False, name, *held, place, inner, long))
    return same, slots
