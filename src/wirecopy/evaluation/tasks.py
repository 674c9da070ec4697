"""What people may say of a pair: the labels of a task, the key for each, and what each counts as."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

from ..comparison import RELATIONS
from ..errors import SourceError, UsageError
from ..model import Relation


class Counts(IntEnum):
    """What a label says of a pair: that it is no copy, a form, a copy, or that it is not settled."""

    NO = 0
    FORM = 1
    COPY = 2
    OPEN = 3


@dataclass(frozen=True, slots=True)
class Label:
    """One thing to say of a pair, the key that says it, and what it counts as."""

    name: str
    key: str
    counts: Counts


@dataclass(frozen=True, slots=True)
class Task:
    """The labels that judges choose from, in the order shown."""

    name: str
    labels: tuple[Label, ...]

    def counts(self) -> dict[str, Counts]:
        """What each label counts as."""
        return {label.name: label.counts for label in self.labels}

    def to_dict(self) -> dict[str, object]:
        """The task as its file has it."""
        return {
            "name": self.name,
            "labels": [
                {"label": one.name, "key": one.key, "counts": one.counts.name.lower()} for one in self.labels
            ],
        }


def _task(name: str, *labels: tuple[str, str, Counts]) -> Task:
    return Task(name, tuple(Label(*label) for label in labels))


_KEYS = {
    Relation.IDENTICAL: "i",
    Relation.NEAR_DUPLICATE: "d",
    Relation.CONTAINS: "c",
    Relation.CONTAINED_IN: "b",
    Relation.PARTIAL: "p",
    Relation.FORM: "f",
}
TASKS = {
    task.name: task
    for task in (
        _task(
            "relations",
            *(
                (str(one), _KEYS[one], Counts.FORM if one is Relation.FORM else Counts.COPY)
                for one in RELATIONS
            ),
            ("neither", "n", Counts.NO),
            ("questionable", "q", Counts.OPEN),
        ),
        _task(
            "cedar",
            ("identical", "i", Counts.COPY),
            ("near-duplicate", "d", Counts.COPY),
            ("neither", "n", Counts.NO),
            ("questionable", "q", Counts.OPEN),
        ),
        _task("codet", ("containment", "y", Counts.COPY), ("no containment", "n", Counts.NO)),
    )
}
"""The tasks that are given: ours, the default; CEDAR's (Gibson, Wellner, Lubar 2008); CoDet's (Varol and others 2011)."""
DEFAULT_TASK = TASKS["relations"]

PLAIN = {
    **dict.fromkeys(("true", "True", "TRUE", "yes", "1", "copy", "update"), Counts.COPY),
    **dict.fromkeys(("false", "False", "FALSE", "no", "0"), Counts.NO),
}
"""What gold may say beside the labels of a task."""


def known_labels(task: Task | None = None) -> dict[str, Counts]:
    """What each label that gold may hold counts as: those of the task, or of all that are given, and plain yes and no."""
    tasks = [task] if task else TASKS.values()
    return PLAIN | {name: counts for one in tasks for name, counts in one.counts().items()}


def read_task(given: str | Path) -> Task:
    """The task of this name, or in this file: `{"name": …, "labels": [{"label": …, "key": …, "counts": "copy"}, …]}`."""
    if str(given) in TASKS:
        return TASKS[str(given)]
    path = Path(given)
    if not path.is_file():
        raise UsageError(f"no task named {str(given)!r}; there are {', '.join(TASKS)}, or name a file")
    try:
        return build_task(json.loads(path.read_text("utf-8")), path.stem, str(path))
    except (OSError, ValueError) as error:
        raise SourceError(f"{path}: expected a task as JSON, got: {error!r}") from None


def build_task(record: Any, name: str, where: str) -> Task:
    """The task that a JSON object holds, as `to_dict` gives it; without a name of its own it has the one given."""
    try:
        labels = tuple(
            Label(str(one["label"]), str(one["key"]), Counts[str(one["counts"]).upper()])
            for one in record["labels"]
        )
    except (TypeError, KeyError) as error:
        kinds = ", ".join(one.name.lower() for one in Counts)
        raise SourceError(
            f"{where}: expected an object with labels, each with label, key and counts ({kinds}), got: {error!r}"
        ) from None
    for part, values in (("label", [one.name for one in labels]), ("key", [one.key for one in labels])):
        if repeated := {value for value in values if values.count(value) > 1}:
            raise SourceError(
                f"{where}: the {part} {min(repeated)!r} stands there twice; each must be another"
            )
    if not labels:
        raise SourceError(f"{where}: no labels; a task needs two or more")
    return Task(str(record.get("name") or name), labels)
