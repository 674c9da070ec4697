"""What people judge: queues of pairs, and what was said of them.

A pair is judged by two people, each without knowing of the other; where they disagree, a third resolves it. A judgement stands until it is
undone; of each person at most one of a pair stands, whatever tabs and processes do at the same time. A pair that was skipped has one
with an empty label, which only puts it behind the others, for whom it was skipped by.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..errors import UsageError
from .connection import MANY, Connection, require_text
from .tokens import read_clock

SKIPPED = ""
"""The label of a pair that was skipped."""
JUDGES = 2
"""So many people judge each pair; one more resolves it where they disagree."""
_SAID = 'number, queue, query, found, "group", judge, label, made'
_STANDS = "FROM judgements WHERE queue = q.queue AND query = q.query AND found = q.found AND undone IS NULL"
_OTHERS = f"{_STANDS} AND judge <> :judge AND label <> ''"
_HERE = "EXISTS (SELECT 1 FROM articles WHERE id = q.query) AND EXISTS (SELECT 1 FROM articles WHERE id = q.found)"
_OPEN = {
    False: f"(SELECT count(*) {_OTHERS}) < {JUDGES}",
    True: f"(SELECT count(*) = {JUDGES} AND min(label) <> max(label) {_OTHERS})",
}
"""Which pairs are open to someone: for judging, those that too few others have judged; for resolving, those others disagree on."""
_MINE = f"{_STANDS} AND judge = :judge"


class Queue(NamedTuple):
    """Pairs to be judged by the labels of a task, which is kept as JSON."""

    number: int
    name: str
    task: str
    made: int
    pairs: int


class Queued(NamedTuple):
    """A pair of a queue: its place there, its group, and who nominated it, as JSON."""

    place: int
    query: str
    found: str
    group: str
    nominated: str = "[]"


class Said(NamedTuple):
    """What a person said of a pair, and when, in microseconds."""

    number: int
    queue: int
    query: str
    found: str
    group: str
    judge: str
    label: str
    made: int


class Turn(NamedTuple):
    """What is next for someone: a pair, and whether others disagree on it."""

    pair: Queued
    resolving: bool


class Stored(NamedTuple):
    """A judgement that is on disk: its number, and what the same person had said of the pair before, None if nothing."""

    number: int
    before: str | None


class Queues:
    """Queues of pairs and their judgements."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    # Queues

    def make(
        self, name: str, task: str, pairs: Iterable[Queued], now: int | None = None
    ) -> tuple[Queue, int]:
        """The queue of this name with pairs behind those that it has, and how many of them are new; raises UsageError if its task is another.

        A pair that it has, in either order, is not added again. The places of those given do not count.
        """
        connection = self._connection
        with connection.change():
            known = self.get(name)
            if known is None:
                row = name, task, now or read_clock()
                connection.insert("queues", ("name", "task", "made"), [row])
                known = self._get(name)
            if known.task != task:
                raise UsageError(
                    f"queue {name!r} has another task; name another queue, or give it the same task"
                )
            held = {frozenset((one.query, one.found)) for one in self.pairs(known.number)}
            [(last,)] = connection.execute(
                "SELECT coalesce(max(place), 0) FROM queued WHERE queue = ?", (known.number,)
            )
            fresh: list[tuple[Any, ...]] = []
            for _, query, found, group, nominated in pairs:
                if query != found and (pair := frozenset((query, found))) not in held:
                    held.add(pair)
                    fresh.append((known.number, last + len(fresh) + 1, query, found, group, nominated))
            columns = "queue", "place", "query", "found", '"group"', "nominated"
            connection.insert("queued", columns, fresh)
            return known._replace(pairs=known.pairs + len(fresh)), len(fresh)

    def all(self) -> list[Queue]:
        """All queues, the oldest first."""
        found = self._connection.read(
            "SELECT number, name, task, made, (SELECT count(*) FROM queued WHERE queue = number) FROM queues ORDER BY number"
        )
        with self._connection.decoding("a queue"):
            return [
                Queue(number, require_text(name), require_text(task), made, pairs)
                for number, name, task, made, pairs in found
            ]

    def get(self, name: str) -> Queue | None:
        """The queue of this name, or None."""
        return next((one for one in self.all() if one.name == name), None)

    def _get(self, name: str) -> Queue:
        found = self.get(name)
        assert found is not None
        return found

    def pairs(self, queue: int) -> list[Queued]:
        """All pairs of a queue, in order."""
        return self._queued("queue = ?", (queue,))

    def pair(self, queue: int, place: int) -> Queued | None:
        """The pair at a place."""
        return next(iter(self._queued("queue = ? AND place = ?", (queue, place))), None)

    def pair_of(self, queue: int, query: str, found: str) -> Queued | None:
        """The pair of two articles, if they stand in the queue in this order."""
        where = "queue = ? AND query = ? AND found = ?"
        return next(iter(self._queued(where, (queue, query, found))), None)

    def _queued(self, where: str, values: Sequence[Any]) -> list[Queued]:
        found = self._connection.read(
            f'SELECT place, query, found, "group", nominated FROM queued WHERE {where} ORDER BY place', values
        )
        return self._pairs(found)

    def _pairs(self, rows: Iterable[Sequence[Any]]) -> list[Queued]:
        with self._connection.decoding("a pair to be judged"):
            return [Queued(int(place), *map(require_text, about)) for place, *about in rows]

    # Judging

    def turn(self, queue: int, judge: str, *, resolving: bool = False) -> Turn | None:
        """The next pair for someone who judges, or of those that others disagree on; None if there is none.

        Those that were skipped come last. Pairs of articles that are no longer in the archive are left out.
        """
        for one in (True,) if resolving else (False, True):
            for mine, order in (("NULL", "place"), ("''", f"(SELECT number {_MINE})")):
                rows = self._connection.read(
                    f'SELECT place, query, found, "group", nominated FROM queued AS q WHERE queue = :queue AND {_HERE} '
                    f"AND (SELECT label {_MINE}) IS {mine} AND {_OPEN[one]} ORDER BY {order} LIMIT 1",
                    {"queue": queue, "judge": judge},
                )
                if rows:
                    return Turn(self._pairs(rows)[0], one)
        return None

    def count_open(self, queue: int, judge: str) -> tuple[int, int]:
        """How many pairs are left for someone to judge, and to resolve."""
        theirs = "CASE WHEN judge <> :judge THEN label END"
        [(to_judge, to_resolve)] = self._connection.read(
            f"WITH told AS (SELECT query, found, count({theirs}) AS others, min({theirs}) <> max({theirs}) AS differ, "
            "max(judge = :judge) AS mine FROM judgements WHERE queue = :queue AND undone IS NULL AND label <> '' "
            "GROUP BY query, found) "
            f"SELECT sum(coalesce(others, 0) < {JUDGES}), sum(others = {JUDGES} AND differ) FROM queued AS q "
            f"LEFT JOIN told USING (query, found) WHERE queue = :queue AND NOT coalesce(mine, 0) AND {_HERE}",
            {"queue": queue, "judge": judge},
        )
        return to_judge or 0, to_resolve or 0

    def is_disagreed(self, queue: int, pair: Queued, judge: str) -> bool:
        """Whether others disagree on a pair, so that someone may resolve it."""
        where = {"queue": queue, "place": pair.place, "judge": judge}
        [(disagreed,)] = self._connection.read(
            f"SELECT {_OPEN[True]} FROM queued AS q WHERE queue = :queue AND place = :place", where
        )
        return bool(disagreed)

    def say(self, queue: int, pair: Queued, judge: str, label: str, made: int | None = None) -> Stored:
        """Store what someone says of a pair, or that it was skipped; on disk when this returns.

        What the same person said of it before stands no more; if that is the same, nothing changes. A skip changes no judgement.
        """
        with self._connection.change():
            return self._say(queue, pair, judge, label, made or read_clock())

    def say_all(self, queue: int, said: Iterable[tuple[Queued, str, str, int]]) -> tuple[int, int]:
        """Store judgements with pair, judge, label and moment, all or none; returns how many are new, and how many were known or older than what stands."""
        fresh = known = 0
        with self._connection.change():
            for pair, judge, label, made in sorted(said, key=lambda one: one[-1]):
                before = self._standing(queue, pair, judge)
                if before and before.label != SKIPPED and (before.label == label or before.made >= made):
                    known += 1
                else:
                    self._say(queue, pair, judge, label, made)
                    fresh += 1
        return fresh, known

    def _say(self, queue: int, pair: Queued, judge: str, label: str, made: int) -> Stored:
        connection, before = self._connection, self._standing(queue, pair, judge)
        if before and before.label != SKIPPED and label in (before.label, SKIPPED):
            return Stored(before.number, before.label)
        if before:
            connection.execute("UPDATE judgements SET undone = ? WHERE number = ?", (made, before.number))
        columns = "queue", "query", "found", '"group"', "judge", "label", "made"
        row = queue, pair.query, pair.found, pair.group, judge, label, made
        connection.insert("judgements", columns, [row])
        [(number,)] = connection.execute("SELECT last_insert_rowid()")
        return Stored(number, before.label if before and before.label != SKIPPED else None)

    def _standing(self, queue: int, pair: Queued, judge: str) -> Said | None:
        where = "queue = ? AND query = ? AND found = ? AND judge = ? AND undone IS NULL"
        return next(iter(self._said(where, (queue, pair.query, pair.found, judge))), None)

    def last(self, queue: int, judge: str) -> Said | None:
        """What someone said or skipped last in a queue, of what stands; None if nothing."""
        where = "queue = ? AND judge = ? AND undone IS NULL ORDER BY number DESC LIMIT 1"
        return next(iter(self._said(where, (queue, judge))), None)

    def undo(self, number: int, judge: str | None = None, now: int | None = None) -> Said | None:
        """Take back one judgement, of anybody or of one person only; None if there is none that stands."""
        with self._connection.change():
            found = next(iter(self._said("number = ? AND undone IS NULL", (number,))), None)
            if found is None or judge not in (None, found.judge):
                return None
            self._connection.execute(
                "UPDATE judgements SET undone = ? WHERE number = ?", (now or read_clock(), number)
            )
            return found

    # Reading

    def _said(self, where: str, values: Sequence[Any]) -> list[Said]:
        rows, text = (
            self._connection.read(f"SELECT {_SAID} FROM judgements WHERE {where}", values),
            require_text,
        )
        with self._connection.decoding("a judgement"):
            return [
                Said(
                    int(number),
                    int(queue),
                    text(query),
                    text(found),
                    text(group),
                    text(judge),
                    text(label),
                    int(made),
                )
                for number, queue, query, found, group, judge, label, made in rows
            ]

    def said(
        self, *, queue: int | None = None, judge: str | None = None, after: int = 0, most: int = MANY
    ) -> list[Said]:
        """The judgements that stand, of a queue and of a person if these are given, by number, up to so many behind one."""
        values: list[Any] = [after]
        where = "undone IS NULL AND label <> '' AND number > ?"
        for name, value in (("queue", queue), ("judge", judge)):
            if value is not None:
                where += f" AND {name} = ?"
                values.append(value)
        return self._said(f"{where} ORDER BY number LIMIT ?", [*values, most])

    def all_said(self, queue: int) -> list[Said]:
        """All judgements of a queue that stand, by number."""
        return self._said("queue = ? AND undone IS NULL AND label <> '' ORDER BY number", (queue,))
