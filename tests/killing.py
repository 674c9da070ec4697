"""A service that is killed at any moment while it adds, checks, is told judgements and tells others: what it has acknowledged is there."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any

from receivers import Receiver
from services import Served, serving

from quality.texts import Writer
from wirecopy import Archive
from wirecopy.archive.desk import Desk
from wirecopy.archive.policies import Policy
from wirecopy.evaluation.judging import make_queue
from wirecopy.evaluation.pooling import Nominated
from wirecopy.evaluation.tasks import DEFAULT_TASK
from wirecopy.service.delivering import deliver_due

SENDERS = 3
MOST_SECONDS = 1.5
"""A service is killed within so long of its start: by then it has added some hundred articles."""
PAIRS = 50
QUEUE = "pairs"
LABELS = list(DEFAULT_TASK.counts())


@dataclass
class Life:
    """What was sent to a service, and what it said before it was killed."""

    seed: int
    acknowledged: dict[str, str] = field(default_factory=dict)
    """The texts by id of what was said to be added, or observed."""
    removed: set[str] = field(default_factory=set)
    """What was said to be removed."""
    unsure: set[str] = field(default_factory=set)
    """What was to be removed when it was killed."""
    told: dict[str, str] = field(default_factory=dict)
    """What was observed, by its id, to copy another article: somebody has to be told of it."""
    judged: dict[str, str] = field(default_factory=dict)
    """The last label of a pair that was acknowledged."""
    judging: dict[str, str] = field(default_factory=dict)
    """The last label of a pair that was sent."""
    wrong: list[str] = field(default_factory=list)
    checks: int = 0

    @property
    def gone(self) -> set[str]:
        """What may not be there any more."""
        return self.removed | self.unsure


def prepare(archive: Path, receiver: Receiver) -> None:
    """Make an archive with pairs to be judged, and a webhook that is told of all copies."""
    writer = Writer(1)
    with Archive.open(archive, create=True) as store:
        store.add([{"id": f"pair {number}", "text": writer.text(100)} for number in range(PAIRS + 1)])
    with Desk(archive) as desk:
        pairs = [Nominated(f"pair {number}", f"pair {PAIRS}", "", ()) for number in range(PAIRS)]
        make_queue(desk.queues, QUEUE, DEFAULT_TASK, pairs)
        desk.outbox.add(receiver.url, Policy())


def live(archive: Path, seed: int, receiver: Receiver) -> Life:
    """Let a service be killed while some send to it, and it sends to a receiver; what is wrong afterwards is named."""
    life, chance = Life(seed), random.Random(seed)
    options = ("--quiet", "--rate", 100_000, "--deliver-to", "{}:{}".format(*receiver.place))
    with serving(archive, *options) as served:
        senders = [threading.Thread(target=_send, args=(served, life, number)) for number in range(SENDERS)]
        senders.append(threading.Thread(target=_judge, args=(served, life)))
        for sender in senders:
            sender.start()
        threading.Event().wait(chance.uniform(0.05, MOST_SECONDS))
        served.process.kill()
        for sender in senders:
            sender.join()
    life.wrong += compare(archive, [life])
    return life


def _send(served: Served, life: Life, sender: int) -> None:
    """Add, observe, check and remove until the service is gone."""
    writer, number, before = Writer(1000 * life.seed + sender), 0, ""
    try:
        while True:
            number += 1
            id, text = f"{life.seed}-{sender}-{number}", writer.text(60)
            is_observed = number % 3 == 0
            copied = life.acknowledged.get(before, "") if is_observed else ""
            text = f"{copied}\n\n{text}" if copied else text
            route = "/v1/observe" if is_observed else "/v1/articles"
            query: dict[str, Any] = {"notify": "true"} if is_observed else {}
            headers = {"Idempotency-Key": id}
            reply = served.ask("POST", route, {"id": id, "text": text}, headers=headers, **query)
            if reply.status == 200:
                told = reply.json()
                if told["kept"] if is_observed else told["added"]:
                    life.acknowledged[id] = text
                    if copied:
                        life.told[id] = before
            elif reply.status != 503:
                life.wrong.append(f"{route} answered {reply.status}: {reply.content[:200]!r}")
            if number % 4 == 0:
                checked = served.ask("POST", "/v1/check", {"id": "?", "text": text})
                life.checks += 1
                is_there = id in life.acknowledged
                if checked.status == 200 and is_there and id not in checked.json()["contained_in"]:
                    life.wrong.append(f"{id} was acknowledged and then not found")
            if number % 7 == 0:
                life.unsure.add(id)
                if served.ask("DELETE", "/v1/articles", id=id).status == 200:
                    life.removed.add(id)
            before = "" if number % 7 == 0 else id
    except (OSError, HTTPException, ValueError):  # killed
        return


def _judge(served: Served, life: Life) -> None:
    """Judge pairs until the service is gone."""
    chance = random.Random(-life.seed)
    try:
        while True:
            pair, label = f"pair {chance.randrange(PAIRS)}", chance.choice(LABELS)
            life.judging[pair] = label
            said = {"queue": QUEUE, "query": pair, "found": f"pair {PAIRS}", "label": label}
            if served.ask("POST", "/v1/judgements", said).status == 201:
                life.judged[pair] = label
    except (OSError, HTTPException, ValueError):  # killed
        return


def compare(archive: Path, lives: Sequence[Life]) -> Iterator[str]:
    """What an archive has not as it was acknowledged in some lives, each after the other."""
    with Archive.open(archive) as store:
        for life in lives:
            for id, text in life.acknowledged.items():
                found = store.get(id)
                if id in life.removed:
                    if found is not None:
                        yield f"{id} was said to be removed and is there"
                elif found is None:
                    if id not in life.unsure:
                        yield f"{id} was acknowledged and is lost"
                elif found.text != text:
                    yield f"{id} is not as it was sent"
        yield from store.verify()
    allowed: defaultdict[str, set[str]] = defaultdict(set)
    for life in lives:
        for pair, label in life.judging.items():
            allowed[pair] = {label, life.judged[pair]} if pair in life.judged else allowed[pair] | {label}
    certain = {pair for life in lives for pair in life.judged}
    with Desk(archive) as desk:
        said = {one.query: one.label for one in desk.queues.said()}
        told = {json.loads(one.payload)["data"].get("query") for one in desk.outbox.messages(limit=1_000_000)}
    for pair in certain:
        if said.get(pair) not in allowed[pair]:
            yield f"{pair} was judged {allowed[pair]}, and is {said.get(pair)}"
    for life in lives:
        for id, copied in life.told.items():
            if not {id, copied} & life.gone and id not in told:
                yield f"{id} was observed to copy {copied}, and nobody is told"


def conclude(archive: Path, lives: Sequence[Life], receiver: Receiver) -> Iterator[str]:
    """Let be sent what is left, and name what is wrong after all lives."""
    yield from compare(archive, lives)
    with Desk(archive) as desk:
        deliver_due(
            desk, [receiver.place], lambda: time.time() + 600
        )  # claims of the killed are over by then
        states = {one.id: one.state for one in desk.outbox.messages(limit=1_000_000)}
    if waiting := [id for id, state in states.items() if state not in ("delivered", "removed")]:
        yield f"{len(waiting)} messages were not delivered"
    queries: defaultdict[str, set[str]] = defaultdict(set)
    for headers, body in receiver.received:
        queries[headers["webhook-id"]].add(json.loads(body)["data"].get("query", ""))
    heard = set().union(*queries.values())
    for id, said in queries.items():
        if id not in states or len(said) > 1:
            yield f"{id} was sent, {'not as one message' if id in states else 'and is none of ours'}: {said}"
    for life in lives:
        for id, copied in life.told.items():
            if not {id, copied} & life.gone and id not in heard:
                yield f"the receiver was not told of {id}"
