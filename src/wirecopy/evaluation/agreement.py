"""How far people agree: percent and Cohen's kappa by group, what they disagree on, and what a third makes of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from ..model import UNDATED, Skipped
from ..sources.tables import Rows, read_rows
from .records import Skipping
from .tasks import Task

FIELDS = ("query", "found", "group", "judge", "label", "at")


class Judgement(NamedTuple):
    """What a person says of a pair, and when (ISO 8601)."""

    query: str
    found: str
    group: str
    judge: str
    label: str
    at: str = ""

    @property
    def pair(self) -> frozenset[str]:
        """The two articles, whichever is called the query."""
        return frozenset((self.query, self.found))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How two judges agree on the pairs of a group that both judged; `kappa` is None where each has one label for all."""

    group: str
    judges: tuple[str, str]
    pairs: int
    agreed: int
    percent: float
    kappa: float | None

    def to_dict(self) -> dict[str, Any]:
        """The agreement as its public JSON object."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Settled:
    """A pair that was judged: its label, None while it is open, who said what, and how it was settled.

    `how` is `alone` if one judged it, `agreed` if the first two say the same, `resolved` if a third decided, else `open`.
    """

    query: str
    found: str
    group: str
    label: str | None
    how: str
    judges: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """The pair as its public JSON object."""
        return asdict(self)


def kappa(one: Sequence[str], other: Sequence[str]) -> float | None:
    """Cohen's kappa of two judges' labels for the same cases: how much of the agreement that chance does not bring is there.

    None if there are no cases, or if both have one and the same label for all.
    """
    if len(one) != len(other):
        raise ValueError(f"expected as many labels of both judges, got {len(one)} and {len(other)}")
    mine, theirs, cases = Counter(one), Counter(other), len(one)
    agreed = sum(first == second for first, second in zip(one, other, strict=True))
    by_chance = sum(mine[label] * theirs[label] for label in mine)
    if by_chance == cases**2:
        return None
    return (agreed * cases - by_chance) / (cases**2 - by_chance)


def settle(judgements: Iterable[Judgement], resolver: str | None = None) -> list[Settled]:
    """The judged pairs, each settled if the first two judges agree, or by a third: the `resolver`, or whoever judged it after them.

    Of a judge who judged a pair again, the last judgement counts; those that do not say when come in the order given, before all that do.
    Pairs are sorted by group, then by their ids.
    """
    by_pair: dict[frozenset[str], dict[str, Judgement]] = {}
    said_by_all = list(judgements)
    moments = _core.moments([one.at for one in said_by_all])
    in_time = np.argsort(np.where(moments == UNDATED, np.iinfo(np.int64).min, moments), kind="stable")
    for one in (said_by_all[place] for place in in_time.tolist()):
        by_pair.setdefault(one.pair, {})[one.judge] = one
    settled = []
    for said in by_pair.values():
        others = [one for one in said.values() if one.judge != resolver]
        third = said.get(resolver or "") or (others[2] if len(others) > 2 else None)
        labels = [one.label for one in others[:2]]
        first = next(iter(said.values()))
        label, how = None, "open"
        if len(labels) == 2 and labels[0] == labels[1]:
            label, how = labels[0], "agreed"
        elif third:
            label, how = third.label, "resolved"
        elif len(labels) == 1:
            label, how = labels[0], "alone"
        told = {one.judge: one.label for one in said.values()}
        settled.append(Settled(first.query, first.found, first.group, label, how, told))
    return sorted(settled, key=lambda one: (_in_order(one.group), one.query, one.found))


def agreements(settled: Sequence[Settled], resolver: str | None = None) -> list[Agreement]:
    """How each two judges agree in each group, on the pairs of which they are the first two to judge."""
    labels: defaultdict[tuple[str, tuple[str, str]], list[tuple[str, str]]] = defaultdict(list)
    for one in settled:
        first = [(judge, label) for judge, label in one.judges.items() if judge != resolver][:2]
        if len(first) == 2:
            (judge, label), (other, its) = sorted(first)
            labels[one.group, (judge, other)].append((label, its))
    told = []
    for (group, judges), said in sorted(labels.items(), key=lambda item: (_in_order(item[0][0]), item[0])):
        agreed = sum(mine == theirs for mine, theirs in said)
        mine, theirs = zip(*said, strict=True)
        told.append(Agreement(group, judges, len(said), agreed, agreed / len(said), kappa(mine, theirs)))
    return told


def mean_kappa(told: Sequence[Agreement]) -> float | None:
    """The mean over groups, as CoDet reports it; groups in which it is not defined are left out."""
    known = [one.kappa for one in told if one.kappa is not None]
    return float(np.mean(known)) if known else None


def _in_order(group: str) -> tuple[int, str]:
    """By number where a group is one, so that 10 comes after 9."""
    return (int(group), "") if group.isdecimal() else (1 << 62, group)


def read_judgements(
    paths: Iterable[Path], task: Task, pairs: Collection[frozenset[str]] | None = None
) -> tuple[list[Judgement], list[Skipped]]:
    """The judgements in some files, and the records that are none: without pair, judge or label, or with a label that the task has not.

    If `pairs` are given, a judgement of another is none either.
    """
    skipping = Skipping()
    judgements: list[Judgement] = []
    labels = task.counts()
    for path in paths:
        for rows in read_rows(path, FIELDS):
            skipping.read(rows)
            reasons = [_wrong(rows, row, labels, pairs) for row in range(len(rows))]
            bad = np.array([bool(reason) for reason in reasons], bool)
            kept = skipping.tell(bad, rows.where, reasons.__getitem__)
            judgements += _judgements(rows, np.flatnonzero(kept).tolist())
    return judgements, skipping.all()


def _wrong(rows: Rows, row: int, labels: Iterable[str], pairs: Collection[frozenset[str]] | None) -> str:
    value = {name: column[row] for name, column in rows.columns.items()}
    for name in ("query", "found", "judge", "label"):
        if not value.get(name):
            return f"no '{name}'"
    if value["query"] == value["found"]:
        return f"{value['query']!r} is paired with itself"
    if value["label"] not in labels:
        return f"nobody knows the label {value['label']!r}: expected {', '.join(labels)}, or give task=read_task(FILE)"
    if pairs is not None and frozenset((value["query"], value["found"])) not in pairs:
        return f"not in the pool: {value['query']!r} and {value['found']!r}"
    return ""


def _judgements(rows: Rows, kept: Sequence[int]) -> Iterator[Judgement]:
    for row in kept:
        yield Judgement(*(rows.columns[name][row] if name in rows.columns else "" for name in FIELDS))
