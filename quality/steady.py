"""A service under a steady load of all that it does, while a clock that runs ahead lets eight months go by.

What it serves, sends and forgets goes by days: articles leave a window of ten, messages are forgotten after thirty, a request under a key after
one, a session after half a day. So the service is told another time, a third of a day later at each step, and what it is given is dated so.
"""

from __future__ import annotations

import json
import os
import random
import re
import socket
import sqlite3
import struct
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from http.client import HTTPException
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote, unquote, urlencode

from receivers import Receiver, free_port, receiving
from services import Reply, Served, make_token, serving

from quality.texts import Writer, join
from wirecopy import Archive
from wirecopy.archive.desk import Desk
from wirecopy.evaluation.judging import make_queue
from wirecopy.evaluation.pooling import Nominated
from wirecopy.evaluation.tasks import DEFAULT_TASK

DAYS = 240
"""How long the service lives by its own clock."""
STEPS_A_DAY = 3
WINDOW_DAYS = 10
PAIRS = 20
RATE = 22.0
"""Requests a second: about a third of a core."""
AT_ONCE = 8
HELD = 40
"""How many connections strangers hold open at most; the service closes them after ten seconds."""
DAY = 86_400
_SECOND = 1_000_000
FORGOTTEN = {
    "articles": "moment < (SELECT value FROM settings WHERE name = 'clock') - {window} - {slack}",
    "sessions": "expires < {now} - {slack}",
    "requests": "made < {now} - {day} - {slack}",
    "messages": "state <> 'waiting' AND max(made, coalesce(tried, 0)) < {now} - 30 * {day} - {slack}",
}
"""What is to be gone from tables by now."""
SLACK_SECONDS = 60
"""So long, by our clock, it may take until the next request lets it go: a change of articles, somebody who signs in."""
KEPT = ("judgements", "sqlite_sequence")
"""Tables that grow with what people say, and one row for each table."""
MOST = {
    "MB": (1.1, 0),
    "files": (1, 2),
    "sockets": (1, HELD),
    "threads": (1, 2),
    "store": (1.15, 0),
    "log": (1.25, 4 << 20),
}
ROWS, SEGMENTS = (1.25, 60), (1.25, 1 << 20)
"""How much more than at first there may be at the end: so many times as much, and so much beside it."""


_AHEAD = """
import mmap, struct, sys, time
with open(sys.argv.pop(1), "rb") as file:
    ahead = mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ)
now, now_ns = time.time, time.time_ns
time.time = lambda: now() + struct.unpack("d", ahead)[0]
time.time_ns = lambda: now_ns() + int(struct.unpack("d", ahead)[0] * 1e9)
from wirecopy.__main__ import main
main()
"""
"""The program with another clock: all of it asks Python for the time. (faketime would do, but Python's own locks then spin.)"""


class Calendar:
    """The service's clock, that runs ahead of ours by what a file says."""

    def __init__(self, folder: Path, minutes: float) -> None:
        self._file = folder / "ahead"
        self._file.write_bytes(struct.pack("d", 0.0))
        self.step_seconds = minutes * 60 / (DAYS * STEPS_A_DAY)
        self.ahead = 0.0
        self.program = (sys.executable, "-c", _AHEAD, str(self._file))

    def step(self) -> None:
        """Let a part of a day go by."""
        self.ahead += DAY / STEPS_A_DAY
        with self._file.open("r+b") as file:
            file.write(struct.pack("d", self.ahead))

    def now(self) -> float:
        """What the service takes for now."""
        return time.time() + self.ahead


@dataclass
class Load:
    """Those who ask, and what came of it."""

    served: Served
    calendar: Calendar
    token: str
    webhooks: Sequence[str] = ()
    writer: Writer = field(default_factory=lambda: Writer(22))
    known: deque[tuple[str, list[str]]] = field(default_factory=lambda: deque(maxlen=300))
    """Ids and words of articles that came last."""
    undated: deque[str] = field(default_factory=deque)
    held: deque[socket.socket] = field(default_factory=lambda: deque(maxlen=HELD))
    """Connections on which nothing more is said."""
    answered: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    labels: dict[int, str] = field(default_factory=dict)
    """What was said last of each pair, once that was acknowledged."""
    cookie: str = ""
    number: int = 0

    @property
    def chance(self) -> random.Random:
        return self.writer.random

    def ask(self, method: str, path: str, content: object = None, **given: object) -> Reply:
        """One request, whose answer must be none of a fault."""
        reply = self.served.ask(method, path, content, **given)  # type: ignore[arg-type]
        self.answered[reply.status] += 1
        if reply.status >= 500 and reply.status != 503:
            self.wrong.append(f"{method} {path} answered {reply.status}: {reply.content[:300]!r}")
        return reply

    def expect(self, reply: Reply, *statuses: int) -> Reply:
        """An answer that is one of these, or a refusal to be tried later."""
        if reply.status not in (*statuses, 503):
            self.wrong.append(f"answered {reply.status}, not {statuses}: {reply.content[:300]!r}")
        return reply

    # Articles

    def write(self) -> list[str]:
        """The words of an article, of which every third is made from another."""
        if self.known and self.chance.random() < 0.35:
            _, words = self.chance.choice(list(self.known))
            edited = self.writer.edit(words, self.chance.choice((0.0, 0.02, 0.1)))
            return edited[: self.chance.randint(80, 500)] + self.writer.write(self.chance.randint(0, 80))
        return self.writer.write(self.chance.randint(120, 400))

    def make(self) -> dict[str, str]:
        """An article of now, or of any odd date."""
        self.number += 1
        words, odd = self.write(), self.chance.random()
        ago = self.chance.uniform(0, 0.8) * DAY
        if odd < 0.02:
            ago = 100 * DAY  # late
        elif odd < 0.03:
            ago = -2 * DAY  # ahead, and not believed
        at = datetime.fromtimestamp(self.calendar.now() - ago, UTC).isoformat()
        id = f"{self.number}"
        if odd > 0.997:
            id, at = f"undated {self.number}", "some day"
            self.undated.append(id)
        elif odd >= 0.03:
            self.known.append((id, words))
        return {
            "id": id,
            "text": join(words),
            "title": f"On {words[0]}",
            "published": at,
            "source": f"Courier {self.number % 9}",
            "author": f"Author {self.number % 5}",
        }

    def any_id(self) -> str:
        """The id of an article that was there not long ago."""
        return self.chance.choice(list(self.known))[0] if self.known else "none"

    def add(self) -> None:
        articles = [self.make() for _ in range(self.chance.choice((1, 1, 4)))]
        headers = {"Idempotency-Key": f"add-{self.number}"} if self.chance.random() < 0.7 else {}
        first = self.expect(self.ask("POST", "/v1/articles", articles, headers=headers), 200)
        if headers and first.status == 200 and self.chance.random() < 0.3:
            again = self.ask("POST", "/v1/articles", articles, headers=headers)
            if again.status == 200 and again.content != first.content and not self.undated:
                self.wrong.append("a repeated request was answered otherwise")

    def observe(self) -> None:
        query = {"notify": "true", "seen": [self.any_id() for _ in range(5)]}
        self.expect(self.ask("POST", "/v1/observe", self.make(), **query), 200)

    def put(self) -> None:
        article = self.make()
        self.expect(self.ask("PUT", "/v1/articles", article, id=article["id"]), 200, 201)

    def remove(self) -> None:
        while len(self.undated) > 5:
            self.expect(self.ask("DELETE", "/v1/articles", id=self.undated.popleft()), 200)
        self.expect(self.ask("DELETE", "/v1/articles", id=[self.any_id(), "none"]), 200)

    def check(self) -> None:
        kind = self.chance.choice(("text/plain", "text/html"))
        text = join(self.write())
        content = (
            text if kind == "text/plain" else f"<html><body><article><p>{text}</p></article></body></html>"
        )
        self.expect(self.ask("POST", "/v1/check", content.encode(), kind=kind), 200)

    def check_and_tell(self) -> None:
        article = {**self.make(), "id": f"draft {self.number}"}
        self.expect(self.ask("POST", "/v1/check", article, notify="true", text="true"), 200)

    def read(self) -> None:
        id = self.any_id()
        self.expect(self.ask("GET", "/v1/articles", id=id), 200, 404)
        stories = self.expect(self.ask("GET", "/v1/stories", limit=10), 200)
        tag = {"If-None-Match": stories.headers.get("etag", "")}
        self.expect(self.ask("GET", "/v1/stories", limit=10, headers=tag), 200, 304)
        self.expect(self.ask("GET", "/v1/story", id=id), 200, 404)
        self.expect(self.ask("GET", "/v1/pairs", article=id), 200, 404)
        self.expect(self.ask("GET", "/v1/pairs", query=id, found=self.any_id()), 200, 404)
        self.expect(self.ask("GET", "/metrics"), 200)

    # People

    def judge(self) -> None:
        pair, label = self.chance.randrange(PAIRS), self.chance.choice(list(DEFAULT_TASK.counts()))
        said = {"queue": "pairs", "query": f"kept {pair}", "found": f"kept {pair + PAIRS}", "label": label}
        if self.expect(self.ask("POST", "/v1/judgements", said), 201).status == 201:
            self.labels[pair] = label

    def browse(self) -> None:
        """Look at pages as a person does, who signs in again once the session is over."""
        if self._page("GET", "/").status == 303:
            form = self._read_form(self._page("GET", "/sign-in"))
            self._page("POST", "/sign-in", {"form": form, "token": self.token, "next": "/stories"})
        form = self._read_form(self._page("GET", "/"))
        self._page("POST", "/check", {"form": form, "text": join(self.write())})
        given = quote(self.any_id())
        odd = (f"/story?id={given}", f"/pair?query={given}&found={quote(self.any_id())}", "/judge/1")
        for address in ("/stories", "/webhooks", "/judge", "/judge/1/agreement", *odd):
            self.expect(self._page("GET", address), 200, 303, 404)

    def _page(self, method: str, path: str, form: Mapping[str, str] | None = None) -> Reply:
        headers = {"Cookie": self.cookie, "Sec-Fetch-Site": "same-origin"}
        content = urlencode(form).encode() if form else None
        kind = "application/x-www-form-urlencoded"
        address, _, query = path.partition("?")
        asked: dict[str, Any] = {
            name: unquote(value)
            for name, _, value in (one.partition("=") for one in query.split("&"))
            if name
        }
        reply = Served(self.served.process, self.served.url).ask(
            method, address, content, kind=kind, headers=headers, **asked
        )
        self.answered[reply.status] += 1
        if reply.status >= 500 and reply.status != 503:
            self.wrong.append(f"{method} {path} answered {reply.status}")
        self.cookie = reply.headers.get("set-cookie", self.cookie).partition(";")[0]
        return reply

    def _read_form(self, reply: Reply) -> str:
        found = re.search(rb'name="form" value="(\w+)"', reply.content)
        return found[1].decode() if found else ""

    # Webhooks

    def look_after(self) -> None:
        """Send again what is dead, let those be told again that were disabled, draw another secret."""
        for one in self.expect(self.ask("GET", "/v1/webhooks"), 200).json()["webhooks"]:
            if one["disabled"]:
                self.expect(self.ask("PATCH", f"/v1/webhooks/{one['id']}", {"enabled": True}), 200)
        chosen = self.chance.choice(list(self.webhooks))
        self.expect(
            self.ask("POST", f"/v1/webhooks/{chosen}/{self.chance.choice(['secret', 'test'])}"), 201, 202, 422
        )
        found = self.expect(self.ask("GET", "/v1/messages", state="dead", limit=5), 200).json()["messages"]
        for one in found[:2]:
            self.expect(self.ask("GET", f"/v1/messages/{one['id']}"), 200, 404)
            self.expect(self.ask("POST", f"/v1/messages/{one['id']}/replay"), 202, 404, 409)

    # Strangers

    def annoy(self) -> None:
        """Say what makes no sense, or nothing after the first words."""
        plain = self.chance.choice(
            (
                partial(self.ask, "POST", "/v1/articles", b"{" * 5000),
                partial(self.ask, "POST", "/v1/articles", [{"id": "x" * 3000, "text": 7}]),
                partial(
                    self.ask, "POST", "/v1/check", b"\xff\xfe" * 50_000, kind="text/plain; charset=utf-8"
                ),
                partial(self.ask, "POST", "/v1/check", b"<" * 20_000, kind="text/html"),
                partial(self.ask, "GET", "/v1/articles", id="\U0001f4f0\n\x00" * 300),
                partial(self.ask, "GET", f"/v1/{'x/' * 200}"),
                partial(self.ask, "BREW", "/v1/check"),
                partial(self.ask, "GET", "/v1/stories", token="wc_" + "x" * 30),
                partial(
                    self.ask, "GET", "/", headers={"Cookie": "x=" + "y" * 3000, "Host": "elsewhere.example"}
                ),
                partial(
                    self.ask, "POST", "/check", b"form=x&text=y", kind="application/x-www-form-urlencoded"
                ),
                None,
            )
        )
        if plain is not None:
            plain()
            return
        connected = socket.create_connection(self.served.place, timeout=5)
        with suppress(OSError):
            connected.sendall(
                self.chance.choice(
                    (
                        b"GET / HTTP/1.1\r\nHost: loc",
                        b"\x16\x03\x01" * 100,
                        b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx",
                        b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
                        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5000,
                    )
                )
            )
        if len(self.held) == self.held.maxlen:
            self.held.popleft().close()
        self.held.append(connected)


ACTIONS: Mapping[Callable[[Load], None], float] = {
    Load.check: 8,
    Load.check_and_tell: 1,
    Load.add: 3,
    Load.observe: 3,
    Load.put: 0.5,
    Load.remove: 0.05,
    Load.read: 1,
    Load.judge: 0.1,
    Load.browse: 0.3,
    Load.look_after: 0.1,
    Load.annoy: 1.5,
}
"""What is done, and how often beside the others."""


def live(folder: Path, minutes: float) -> list[str]:
    """Let a service live for so many minutes, and eight months by its own clock; returns what is wrong."""
    archive, calendar = folder / "news.db", Calendar(folder, minutes)
    with Archive.open(archive, create=True, window=f"{WINDOW_DAYS}d") as store:
        writer = Writer(7)
        store.add([{"id": f"kept {number}", "text": writer.text(120)} for number in range(2 * PAIRS)])
    with Desk(archive) as desk:
        pairs = [Nominated(f"kept {one}", f"kept {one + PAIRS}", "", ()) for one in range(PAIRS)]
        make_queue(desk.queues, "pairs", DEFAULT_TASK, pairs)
    token = make_token(archive, "admin")
    with ExitStack() as stack:
        good, bad = (stack.enter_context(receiving()) for _ in range(2))
        nobody = Receiver(free_port())
        named = [("--deliver-to", f"127.0.0.1:{one.port}") for one in (good, bad, nobody)]
        options = [part for one in named for part in one]
        served = stack.enter_context(
            serving(archive, "--rate", 100_000, *options, token=token, program=calendar.program)
        )
        load = Load(served, calendar, token)
        load.webhooks = [
            make_webhook(load, one, policy) for one, policy in choose_policies(good, bad, nobody)
        ]
        measured = list(run(load, archive, bad, minutes))
        for one in load.held:
            one.close()
        code = served.stop()
    wrong = load.wrong[:20] + [line for line in served.said if '"fault"' in line or "Traceback" in line][:20]
    wrong += [f"ended with exit code {code}"] * bool(code)
    return wrong + list(find_grown(measured)) + list(find_lost(archive, load))


def choose_policies(*receivers: Receiver) -> Iterator[tuple[Receiver, dict[str, object]]]:
    good, bad, nobody = receivers
    yield good, {}
    yield good, {"source": "Courier 3", "passages": True}
    yield bad, {"min_share": 0.3}
    yield nobody, {"min_share": 0.9, "author": "Author 1"}


def make_webhook(load: Load, receiver: Receiver, policy: Mapping[str, object]) -> str:
    reply = load.expect(load.ask("POST", "/v1/webhooks", {"url": receiver.url, "policy": policy}), 201)
    return str(reply.json()["id"])


def run(load: Load, archive: Path, bad: Receiver, minutes: float) -> Iterator[dict[str, float]]:
    """Ask as long as that, and give what is measured at each sixtieth of the time."""
    began, spent = time.monotonic(), cpu(load.served.process.pid)
    room = threading.Semaphore(AT_ONCE)
    measures = 60
    each = minutes * 60 / measures
    with ThreadPoolExecutor(AT_ONCE) as pool, ticking(load.calendar):
        number = made = 0
        for measure_number in range(1, measures + 1):
            misbehave(bad, measure_number)
            while (now := time.monotonic() - began) < each * measure_number:
                if (due := number / RATE) > now:
                    time.sleep(due - now)
                number += 1
                [action] = load.chance.choices(list(ACTIONS), list(ACTIONS.values()))
                room.acquire()
                pool.submit(attempt, load, action, room)
            before, spent = spent, cpu(load.served.process.pid)
            asked, made = load.answered.total() - made, load.answered.total()
            told = measure(load, archive) | {"cpu": (spent - before) / each, "requests": asked}
            bad.received.clear()
            show(measure_number * each / 60, told)
            yield told


def attempt(load: Load, action: Callable[[Load], None], room: threading.Semaphore) -> None:
    try:
        action(load)
    except (OSError, HTTPException) as error:
        load.wrong.append(f"{action.__name__}: {type(error).__name__}: {error}")
    except Exception as error:
        load.wrong.append(f"{action.__name__}, a fault of this load: {type(error).__name__}: {error}")
    finally:
        room.release()


@contextmanager
def ticking(calendar: Calendar) -> Iterator[None]:
    """Let days go by."""
    ended = threading.Event()

    def tick() -> None:
        while not ended.wait(calendar.step_seconds):
            calendar.step()

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        yield
    finally:
        ended.set()
        ticker.join()


def misbehave(receiver: Receiver, number: int) -> None:
    """Let a receiver be well, then fail, be slow, ask for time, be gone, and well again."""
    receiver.status, receiver.seconds, receiver.headers = 200, 0.0, {}
    match number % 10:
        case 2:
            receiver.status = 500
        case 4:
            receiver.seconds = 3.0
        case 5:
            receiver.status, receiver.headers = 503, {"Retry-After": "3600"}
        case 7:
            receiver.status = 410
        case 8:
            receiver.status, receiver.headers = 302, {"Location": "http://127.0.0.1/"}


# What is measured


def measure(load: Load, archive: Path) -> dict[str, float]:
    """Memory, files and threads of the service, bytes on the disk, rows of all tables, and how many of those should be gone."""
    process = load.served.process.pid
    told = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    measured: dict[str, float] = {"MB": int(told["VmRSS"].split()[0]) / 1024}
    led = list(descriptors(process))
    measured["sockets"] = sum(one.startswith("socket:") for one in led)
    measured["files"] = len(led) - measured["sockets"]
    measured["threads"] = int(told["Threads"])
    measured["store"] = archive.stat().st_size
    measured["log"] = archive.with_name(f"{archive.name}-wal").stat().st_size
    folder = archive.with_name(f"{archive.name}-index")
    measured["segments"] = sum(size_of(one) for one in folder.iterdir()) if folder.exists() else 0
    with closing(sqlite3.connect(f"file:{archive}?mode=ro", uri=True, timeout=30)) as connection:
        names = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        for name in names:
            [(measured[f"rows of {name}"],)] = connection.execute(f'SELECT count(*) FROM "{name}"')
        given = {
            "now": int(load.calendar.now() * _SECOND),
            "day": DAY * _SECOND,
            "slack": int(SLACK_SECONDS / load.calendar.step_seconds * DAY / STEPS_A_DAY * _SECOND),
            "window": WINDOW_DAYS * DAY * _SECOND,
        }
        for name, where in FORGOTTEN.items():
            query = f"SELECT count(*) FROM {name} WHERE {where.format(**given)}"
            [(measured[f"overdue {name}"],)] = connection.execute(query)
    return measured


def descriptors(process: int) -> Iterator[str]:
    """Where the open files and connections of a process lead."""
    for one in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            yield str(one.readlink())


def size_of(file: Path) -> int:
    with suppress(FileNotFoundError):  # dropped meanwhile
        return file.stat().st_size
    return 0


def cpu(process: int) -> float:
    """The CPU seconds of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


SHOWN = ("articles", "messages", "mentions", "requests", "sessions", "matches", "former", "heirs", "removals")


def show(minutes: float, told: Mapping[str, float]) -> None:
    rows = ", ".join(f"{name} {told[f'rows of {name}']:.0f}" for name in SHOWN)
    sizes = ", ".join(f"{name} {told[name] / 1e6:.2f} MB" for name in ("store", "log", "segments"))
    print(
        f"{minutes:5.1f} min: {told['requests']:.0f} requests, {told['cpu']:.2f} cores, {told['MB']:.1f} MB, "
        f"{told['files']:.0f} files, {told['sockets']:.0f} sockets, {told['threads']:.0f} threads; {sizes}; {rows}",
        flush=True,
    )


def find_grown(measured: Sequence[Mapping[str, float]]) -> Iterator[str]:
    """What grows: the median of the last third is held against that of the second sixth; and what should be gone, and is not."""
    sixth = len(measured) // 6
    first, last = measured[sixth : 2 * sixth], measured[4 * sixth :]
    print(f"\n{'':24}{'second sixth':>16}{'last third':>16}{'at most':>16}")
    for name in measured[-1]:
        if name.startswith("overdue"):
            if left := max(one[name] for one in measured if name in one):
                yield f"{name}: {left:.0f}"
            continue
        if name in ("cpu", "requests") or name.removeprefix("rows of ") in KEPT:
            continue
        before, after = (median(one.get(name, 0) for one in some) for some in (first, last))
        times, beside = ROWS if name.startswith("rows") else SEGMENTS if name == "segments" else MOST[name]
        print(f"{name:24}{before:16,.0f}{after:16,.0f}{times * before + beside:16,.0f}")
        if after > times * before + beside:
            yield f"{name} grew from {before:,.0f} to {after:,.0f}"


def find_lost(archive: Path, load: Load) -> Iterator[str]:
    """What is not in the archive as it was acknowledged."""
    with Archive.open(archive) as store:
        yield from store.verify()
    with Desk(archive) as desk:
        said = {one.query: one.label for one in desk.queues.said()}
    for pair, label in load.labels.items():
        if said.get(f"kept {pair}") != label:
            yield f"of pair {pair} was said {label}, kept is {said.get(f'kept {pair}')}"
    print(f"\nanswered: {json.dumps(dict(sorted(load.answered.items())))}")
