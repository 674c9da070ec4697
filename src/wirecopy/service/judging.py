"""Judging: the pages on which people say how two articles relate, and their judgements as the API has them.

Whoever judges is shown two articles and nothing else: no score, no method, no label of another. What was said is on disk before the next
pair is shown. A form names the pair, or the judgement, that it was made for, so that a stale tab does what it showed, or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict
from urllib.parse import urlencode

import msgspec
from litestar import Response, Router, delete, get, post
from litestar.di import Provide
from litestar.params import Parameter
from litestar.response import Redirect

from ..archive import Archive
from ..archive.desk import Desk
from ..archive.queues import SKIPPED, Queue, Queued, Said
from ..evaluation.judging import measure_progress, read_said, show_moment, task_of
from ..evaluation.tasks import Task
from ..model import Relation
from .access import Caller, require
from .pages import lay_pair, show, show_problem
from .problems import Problem
from .readers import Readers
from .sessions import Asked, Visitor, find_visitor, take_form
from .settings import Settings

OWN_KEYS = ("u", "s", "m", "?")
"""Keys that are no label's, whatever a task says."""
ABOUT = {
    Relation.IDENTICAL: "the same words in the same order",
    Relation.NEAR_DUPLICATE: "each is nearly all in the other",
    Relation.CONTAINS: "the left holds nearly all of the right, and more",
    Relation.CONTAINED_IN: "nearly all of the left is in the right, which has more",
    Relation.PARTIAL: "they share a passage, not more",
    Relation.FORM: "the same form, filled in otherwise: no copy",
    "neither": "nothing is copied",
    "questionable": "it cannot be told",
}
"""What the labels of our own task mean, seen from the left."""


@dataclass(frozen=True, slots=True)
class Button:
    """A label as a judge has it: the digit and the key that say it, and what it means."""

    name: str
    digit: str
    key: str
    about: str


def buttons(task: Task) -> list[Button]:
    """The labels of a task as judges have them; the first nine have a digit."""
    return [
        Button(
            one.name,
            str(place) if place < 10 else "",
            one.key if one.key not in OWN_KEYS else "",
            ABOUT.get(one.name, ""),
        )
        for place, one in enumerate(task.labels, 1)
    ]


def require_queue(desk: Desk, number: int) -> Queue:
    """The queue with this number; raises a Problem if there is none."""
    found = next((one for one in desk.queues.all() if one.number == number), None)
    if found is None:
        raise Problem(404, "There is no such queue.")
    return found


def require_pair(desk: Desk, queue: Queue, place: str) -> Queued:
    """The pair at a place, as a form names it."""
    found = desk.queues.pair(queue.number, int(place)) if place.isdecimal() and len(place) < 10 else None
    if found is None:
        raise Problem(404, "There is no such pair.")
    return found


# Pages


@get("/judge")
async def list_queues(
    request: Asked, visitor: Visitor, readers: Readers, settings: Settings
) -> Response[Any]:
    """The queues, and what is left of each for who asks."""
    visitor.require("judge")

    def tell(desk: Desk) -> list[dict[str, Any]]:
        told = []
        for one in desk.queues.all():
            to_judge, to_resolve = desk.queues.count_open(one.number, visitor.name)
            told.append(one._asdict() | {"to_judge": to_judge, "to_resolve": to_resolve})
        return told

    queues = await readers.desk(tell)
    return show(request, visitor, settings, "queues.html", queues=queues, is_admin=visitor.allows("admin"))


@dataclass(frozen=True, slots=True)
class _Next:
    """What is next for a judge: a queue, how many pairs are left of it, a pair if there is one, and what was said last."""

    queue: Queue
    left: int
    pair: Queued | None
    resolving: bool
    last: Said | None


@get("/judge/{number:int}")
async def judge(
    request: Asked,
    visitor: Visitor,
    readers: Readers,
    settings: Settings,
    number: int,
    resolve: bool = False,
    pair: str = "",
    note: str = "",
) -> Response[Any]:
    """The next pair for who asks, or the one that was asked for."""
    visitor.require("judge")

    def find(desk: Desk) -> _Next:
        queue = require_queue(desk, number)
        to_judge, to_resolve = desk.queues.count_open(number, visitor.name)
        turn = desk.queues.turn(number, visitor.name, resolving=resolve)
        chosen, resolving = (turn.pair, turn.resolving) if turn else (None, False)
        if pair:
            chosen = require_pair(desk, queue, pair)
            resolving = desk.queues.is_disagreed(number, chosen, visitor.name)
        left = to_resolve if resolve else to_judge + to_resolve
        return _Next(queue, left, chosen, resolving, desk.queues.last(number, visitor.name))

    found = await readers.desk(find)
    common: dict[str, Any] = {"queue": found.queue, "last": found.last, "resolving_only": resolve}
    common["note"] = NOTES.get(note, "")
    if found.pair is None:
        return show(request, visitor, settings, "judged.html", **common)
    sides = found.pair
    values = await readers.ask(lambda archive: lay_blind(archive, sides))
    if values is None:
        raise Problem(404, "One of these articles is not here, or no longer.")
    values |= common | {"pair": sides, "left": found.left, "resolving": found.resolving}
    return show(request, visitor, settings, "judging.html", labels=buttons(task_of(found.queue)), **values)


def lay_blind(archive: Archive, pair: Queued) -> dict[str, Any] | None:
    """Two articles side by side, without what the comparison says of them; None if one of them is not there."""
    laid = lay_pair(archive, pair.query, pair.found, "")
    return laid and {name: laid[name] for name in ("query", "found", "words", "marked")}


NOTES = {
    "changed": "You had judged that pair already, in another tab or before: what you say now stands instead.",
    "undone": "Taken back. Here is the pair again.",
    "gone": "That was taken back already.",
}
"""What a judge is told after a form was taken, by what stands in the address."""


def _onward(number: int, form: Mapping[str, str], **options: str) -> Response[Any]:
    """To the next pair."""
    given = {"resolve": "1"} if form.get("resolve") == "1" else {}
    query = urlencode(given | {name: value for name, value in options.items() if value})
    return Redirect(f"/judge/{number}{f'?{query}' if query else ''}", status_code=303)


@post("/judge/{number:int}/say")
async def say(request: Asked, visitor: Visitor, readers: Readers, number: int) -> Response[Any]:
    """Take what a judge says of a pair."""
    form = await take_form(request, visitor, "judge")
    label = form.get("label", "")

    def store(desk: Desk) -> bool:
        queue = require_queue(desk, number)
        if label not in task_of(queue).counts():
            raise Problem(422, "This task has no such label.")
        pair = require_pair(desk, queue, form.get("pair", ""))
        before = desk.queues.say(number, pair, visitor.name, label).before
        return before not in (None, label)

    changed = await readers.desk(store)
    return _onward(number, form, note="changed" if changed else "")


@post("/judge/{number:int}/skip")
async def skip(request: Asked, visitor: Visitor, readers: Readers, number: int) -> Response[Any]:
    """Put a pair behind the others."""
    form = await take_form(request, visitor, "judge")

    def store(desk: Desk) -> None:
        pair = require_pair(desk, require_queue(desk, number), form.get("pair", ""))
        desk.queues.say(number, pair, visitor.name, SKIPPED)

    await readers.desk(store)
    return _onward(number, form)


@post("/judge/{number:int}/undo")
async def undo(request: Asked, visitor: Visitor, readers: Readers, number: int) -> Response[Any]:
    """Take back the judgement that a page named, and show its pair."""
    form = await take_form(request, visitor, "judge")
    given = form.get("number", "")

    def store(desk: Desk) -> int | None:
        said = desk.queues.undo(int(given), visitor.name) if given.isdecimal() and len(given) < 16 else None
        pair = said and desk.queues.pair_of(said.queue, said.query, said.found)
        return pair.place if pair else None

    place = await readers.desk(store)
    if place is None:
        return _onward(number, form, note="gone")
    return _onward(number, form, pair=str(place), note="undone")


@get("/judge/{number:int}/guide")
async def guide(
    request: Asked, visitor: Visitor, readers: Readers, settings: Settings, number: int
) -> Response[Any]:
    """What the labels mean, and the keys."""
    visitor.require("judge")
    queue = await readers.desk(lambda desk: require_queue(desk, number))
    return show(request, visitor, settings, "guiding.html", queue=queue, labels=buttons(task_of(queue)))


@get("/judge/{number:int}/agreement")
async def agreement(
    request: Asked, visitor: Visitor, readers: Readers, settings: Settings, number: int
) -> Response[Any]:
    """How far people agree, as of now; for those who look after the archive, as it says who judged."""
    visitor.require("admin")
    queue = await readers.desk(lambda desk: require_queue(desk, number))
    progress = await readers.desk(lambda desk: measure_progress(desk.queues, queue))
    return show(request, visitor, settings, "agreement.html", queue=queue, progress=progress)


router = Router(
    "/",
    route_handlers=[list_queues, judge, say, skip, undo, guide, agreement],
    dependencies={"visitor": Provide(find_visitor, sync_to_thread=False)},
    exception_handlers={Exception: show_problem},
    include_in_schema=False,
)


# The API


class NewJudgement(msgspec.Struct, forbid_unknown_fields=True):
    """What someone says of a pair of a queue: one of the labels of its task."""

    queue: str
    query: str
    found: str
    label: str


class JudgementShape(TypedDict):
    """What someone says of a pair."""

    number: int
    queue: str
    query: str
    found: str
    group: str
    judge: str
    label: str
    at: str


class JudgementsShape(TypedDict):
    """Some judgements, and where to go on; None at the end."""

    judgements: list[JudgementShape]
    next: str | None


QueueName = Annotated[str | None, Parameter(description="Only those of this queue.", max_length=200)]
Cursor = Annotated[
    str | None, Parameter(description="The `next` of the answer before.", max_length=20, pattern="^[0-9]+$")
]
Limit = Annotated[int, Parameter(ge=1, le=1000, description="Give at most so many.")]


def _name_queue(desk: Desk, name: str) -> Queue:
    found = desk.queues.get(name)
    if found is None:
        raise Problem(404, f"there is no queue named {name!r:.80}")
    return found


def _shape(said: Said, queues: Mapping[int, str]) -> JudgementShape:
    return {
        "number": said.number,
        "queue": queues.get(said.queue, ""),
        "query": said.query,
        "found": said.found,
        "group": said.group,
        "judge": said.judge,
        "label": said.label,
        "at": show_moment(said.made),
    }


@get("/", guards=[require("judge")], operation_id="list_judgements")
async def list_judgements(
    readers: Readers, caller: Caller, queue: QueueName = None, cursor: Cursor = None, limit: Limit = 100
) -> JudgementsShape:
    """List judgements that stand, the oldest first: one's own, and with the scope admin those of all."""

    def work(desk: Desk) -> JudgementsShape:
        names = {one.number: one.name for one in desk.queues.all()}
        which = _name_queue(desk, queue).number if queue is not None else None
        judge = None if caller.allows("admin") else caller.name
        after = min(int(cursor or 0), 1 << 62)
        found = desk.queues.said(queue=which, judge=judge, after=after, most=limit + 1)
        onward = str(found[limit - 1].number) if len(found) > limit else None
        return {"judgements": [_shape(one, names) for one in found[:limit]], "next": onward}

    return await readers.desk(work)


@post("/", guards=[require("judge")], operation_id="add_judgement")
async def add_judgement(readers: Readers, caller: Caller, data: NewJudgement) -> JudgementShape:
    """Say how two articles of a queue relate; what the same person said of them before stands no more. The answer is given once it is on disk."""

    def work(desk: Desk) -> JudgementShape:
        queue = _name_queue(desk, data.queue)
        labels = task_of(queue).counts()
        if data.label not in labels:
            raise Problem(422, f"this task has no such label: expected {', '.join(labels)}")
        pair = desk.queues.pair_of(queue.number, data.query, data.found)
        if pair is None:
            raise Problem(404, "the queue has no such pair")
        number = desk.queues.say(queue.number, pair, caller.name, data.label).number
        [stored] = desk.queues.said(judge=caller.name, after=number - 1, most=1)
        return _shape(stored, {queue.number: queue.name})

    return await readers.desk(work)


@delete("/{number:int}", guards=[require("judge")], operation_id="undo_judgement")
async def undo_judgement(readers: Readers, caller: Caller, number: int) -> None:
    """Take back a judgement: one's own, and with the scope admin that of anybody."""
    judge = None if caller.allows("admin") else caller.name
    if not 0 < number < 1 << 62 or await readers.desk(lambda desk: desk.queues.undo(number, judge)) is None:
        raise Problem(404, "there is no such judgement of yours")


@get(
    "/export", guards=[require("judge")], operation_id="export_judgements", media_type="application/x-ndjson"
)
async def export_judgements(readers: Readers, caller: Caller, queue: str) -> Response[bytes]:
    """Give all judgements of a queue as JSON lines, as `wirecopy pool --judged` and `wirecopy evaluate` read them: one's own, and with the scope admin those of all."""

    def work(desk: Desk) -> bytes:
        said = desk.queues.all_said(_name_queue(desk, queue).number)
        mine = [one for one in said if caller.allows("admin") or one.judge == caller.name]
        return b"".join(msgspec.json.encode(one._asdict()) + b"\n" for one in read_said(mine))

    return Response(await readers.desk(work), media_type="application/x-ndjson")


api = Router(
    "/v1/judgements", route_handlers=[list_judgements, add_judgement, undo_judgement, export_judgements]
)
