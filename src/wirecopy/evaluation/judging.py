"""Queues of pairs that people judge in an archive: where their pairs come from, and what becomes of what was said."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from .. import _core
from ..archive.queues import Queue, Queued, Queues, Said
from ..model import UNDATED, Relation
from .agreement import Agreement, Judgement, agreements, mean_kappa, settle
from .pooling import Nominated
from .tasks import Task, build_task

_TURNED: Mapping[str, str] = {
    Relation.CONTAINS: Relation.CONTAINED_IN.value,
    Relation.CONTAINED_IN: Relation.CONTAINS.value,
}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a queue is: of its pairs, how many are `agreed`, `resolved`, judged by one `alone`, `open`; and how judges agree by group."""

    pairs: int
    how: Mapping[str, int]
    agreements: Sequence[Agreement]

    @property
    def kappa(self) -> float | None:
        """The mean over groups."""
        return mean_kappa(self.agreements)

    @property
    def percent(self) -> float | None:
        """The share of pairs on which two judges agree; None while there is none that two have judged."""
        both = sum(one.pairs for one in self.agreements)
        return sum(one.agreed for one in self.agreements) / both if both else None


def make_queue(queues: Queues, name: str, task: Task, pairs: Iterable[Nominated]) -> tuple[Queue, int]:
    """The queue of this name with these pairs behind those that it has, and how many are new."""
    rows = (
        Queued(0, one.query, one.found, one.group, json.dumps(one.nominated, ensure_ascii=False))
        for one in pairs
    )
    return queues.make(name, json.dumps(task.to_dict(), ensure_ascii=False), rows)


def task_of(queue: Queue) -> Task:
    """The task of a queue."""
    return build_task(json.loads(queue.task), queue.name, f"queue {queue.name!r}")


def read_said(said: Iterable[Said]) -> list[Judgement]:
    """What people said as judgements, as `pool --judged` and `evaluate` read them."""
    return [Judgement(*one[2:7], show_moment(one.made)) for one in said]


def take_in(queues: Queues, queue: Queue, judgements: Iterable[Judgement], now: int) -> tuple[int, int]:
    """Add judgements from elsewhere to a queue that has their pairs; returns how many are new, and how many were known or older.

    One of a pair that stands there the other way round is turned. Those without a date that can be read were made now.
    """
    pairs = {(one.query, one.found): one for one in queues.pairs(queue.number)}
    rows = []
    for one in judgements:
        pair = pairs.get((one.query, one.found))
        label = one.label if pair else _TURNED.get(one.label, one.label)
        [made] = _core.moments([one.at]).tolist()
        rows.append((pair or pairs[one.found, one.query], one.judge, label, now if made == UNDATED else made))
    return queues.say_all(queue.number, rows)


def measure_progress(queues: Queues, queue: Queue) -> Progress:
    """How far a queue is, and how its judges agree."""
    settled = settle(read_said(queues.all_said(queue.number)))
    return Progress(queue.pairs, Counter(one.how for one in settled), agreements(settled))


def show_moment(moment: int) -> str:
    """A moment in microseconds as ISO 8601, of one length, so that texts sort as moments do."""
    return datetime.fromtimestamp(moment // 1_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%S") + (
        f".{moment % 1_000_000:06}Z"
    )
