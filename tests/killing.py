"""A service that is killed at any moment while articles are added and texts are checked: what it has acknowledged is there."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path

from services import Served, serving

from quality.texts import Writer
from wirecopy import Archive

SENDERS = 3
MOST_SECONDS = 1.5
"""A service is killed within so long of its start: by then it has added some hundred articles."""


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
    wrong: list[str] = field(default_factory=list)
    checks: int = 0


def live(archive: Path, seed: int) -> Life:
    """Let a service be killed while some send to it; what is wrong afterwards is named."""
    life, chance = Life(seed), random.Random(seed)
    with serving(archive, "--quiet", "--no-deliver", "--rate", 100_000) as served:
        senders = [threading.Thread(target=_send, args=(served, life, number)) for number in range(SENDERS)]
        for sender in senders:
            sender.start()
        threading.Event().wait(chance.uniform(0.05, MOST_SECONDS))
        served.process.kill()
        for sender in senders:
            sender.join()
    _compare(archive, life)
    return life


def _send(served: Served, life: Life, sender: int) -> None:
    """Add, observe, check and remove until the service is gone."""
    writer, number = Writer(1000 * life.seed + sender), 0
    try:
        while True:
            number += 1
            id, text = f"{life.seed}-{sender}-{number}", writer.text(60)
            route = "/v1/observe" if number % 3 == 0 else "/v1/articles"
            headers = {"Idempotency-Key": id}
            reply = served.ask("POST", route, {"id": id, "text": text}, headers=headers)
            if reply.status == 200:
                told = reply.json()
                if told["added"] if route == "/v1/articles" else told["kept"]:
                    life.acknowledged[id] = text
            elif reply.status != 503:
                life.wrong.append(f"{route} answered {reply.status}: {reply.content[:200]!r}")
            if number % 4 == 0:
                checked = served.ask("POST", "/v1/check", {"id": "?", "text": text})
                life.checks += 1
                if checked.status == 200 and id not in checked.json()["contained_in"]:
                    life.wrong.append(f"{id} was acknowledged and then not found")
            if number % 7 == 0:
                life.unsure.add(id)
                if served.ask("DELETE", "/v1/articles", id=id).status == 200:
                    life.removed.add(id)
    except (OSError, HTTPException, ValueError):  # killed
        return


def _compare(archive: Path, life: Life) -> None:
    with Archive.open(archive) as store:
        for id, text in life.acknowledged.items():
            found = store.get(id)
            if id in life.removed:
                if found is not None:
                    life.wrong.append(f"{id} was said to be removed and is there")
            elif found is None:
                if id not in life.unsure:
                    life.wrong.append(f"{id} was acknowledged and is lost")
            elif found.text != text:
                life.wrong.append(f"{id} is not as it was sent")
        life.wrong += store.verify()
