"""An archive loses nothing it has acknowledged: killed, let down by the disk, damaged. See `faults` for what that proves and what not.

All of it takes more than an hour. With FAULTS_KEPT=FOLDER what each part came to is kept there, and what is there is not run again: so a run
that was interrupted goes on, and `python -m quality.archive_faults` runs the next part alone, as long as there is one.
"""

import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import wirecopy
from quality.corpora import scratch
from quality.faults import (
    ADD_ARTICLES,
    ADD_BATCHES,
    CLEAR,
    STREAMED,
    WINDOW_DAYS,
    Answers,
    Ended,
    FaultError,
    NotPossibleError,
    Nursery,
    State,
    make_articles,
    make_churn,
    make_forgetting,
    make_streaming,
    require,
    require_stories,
    require_whole,
    small_segments,
    state_of,
    trace_options,
    traced_calls,
    write_lines,
)
from quality.report import Data, MissingError, Result, digest, say
from wirecopy import Archive
from wirecopy.errors import ArchiveError, WirecopyError
from wirecopy.files import open_whole
from wirecopy.model import Skipped

KILLS, CHURN_ARTICLES = 200, 2000
LARGE_KILLS, LARGE_ARTICLES, LARGE_BATCH = 10, 100_000, 100
DAMAGES, DAMAGED_ARTICLES = 1000, 500


@dataclass
class Tried:
    """How often something was tried, by kind, and each time that it went wrong."""

    runs: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    slowest_open: float = 0
    """In seconds, where that is measured."""

    def __add__(self, other: "Tried") -> "Tried":
        slowest = max(self.slowest_open, other.slowest_open)
        return Tried(self.runs + other.runs, self.failures + other.failures, slowest)

    def attempt(self, what: str, run: Callable[[], str]) -> None:
        """Try what says, when all is well, of which kind it was."""
        try:
            kind = run()
        except (FaultError, ArchiveError) as error:
            kind = "failed"
            self.failures.append(f"{what}: {error}")
        self.runs[kind] += 1

    @property
    def kills(self) -> int:
        return sum(count for kind, count in self.runs.items() if kind.startswith("killed"))


# Killed, or let down, at every call


class Fault(NamedTuple):
    """What happens at the call of that place."""

    kind: str
    place: int

    def injections(self, calls: Sequence[str]) -> list[str]:
        """As options of strace, which counts each system call by itself."""
        before = Counter(calls[: self.place])
        here = calls[self.place]
        if self.kind == "killed":
            return [f"{here}:signal=KILL:when={before[here] + 1}"]
        error, _, lasting = self.kind.partition(" ")
        if not lasting:
            return [f"{here}:error={error}:when={before[here] + 1}"]
        return [f"{call}:error={error}:when={before[call] + 1}+" for call in sorted(set(calls))]


ONCE = ("EIO", "ENOSPC")
KINDS = ("killed", *ONCE, "EIO from then on", "ENOSPC from then on")


class Sweep:
    """Work on 200 articles, with a fault at one of its calls: an add in four batches, a stream, removal, expiry and compaction, or filing anew."""

    def __init__(self, folder: Path, work: str) -> None:
        self._folder, self._work = folder, work
        self._articles = make_articles(ADD_ARTICLES, hours=2.5 if work == "stream" else 2)
        self._source = write_lines(folder / "articles.jsonl", self._articles)
        dates = {article["id"]: article["published"] for article in self._articles}
        queries = [self._articles[place]["text"] for place in (3, 60, 120, 199)]
        self._answers = Answers(folder / "sound", queries, dates)
        self._before = folder / "before"
        self._before.mkdir()
        self._states: list[State] = []
        """What is there after each part of the work."""
        if work == "add":
            size = ADD_ARTICLES // ADD_BATCHES
            self._states += [state_of(self._articles[:end]) for end in range(0, ADD_ARTICLES + 1, size)]
            return
        small_segments(fan=8)
        known = self._articles[: -STREAMED if work == "stream" else ADD_ARTICLES]
        with Archive.open(self._before / "archive", create=True, window=f"{WINDOW_DAYS}d") as archive:
            for start in range(0, ADD_ARTICLES, 50):
                archive.add(known[start : start + 50])
            self._states.append({one.id: one.text for one in archive.articles()})
        if work == "stream":
            for step in make_streaming(self._articles):
                self._states += step.states(self._states[-1], dates)[-2:]
            return
        if work == "anew":
            with contextlib.closing(sqlite3.connect(self._before / "archive")) as store, store:
                store.execute("UPDATE settings SET value = 'old' WHERE name = 'text_version'")
            self._states *= 2
            return
        for step in make_forgetting(self._articles):
            self._states.append(step.states(self._states[-1], dates)[-1])

    def calls(self, nursery: Nursery) -> list[str]:
        """The calls, from a run without a fault."""
        ended = self._do(nursery, self._fresh(), False, [])
        require(ended.code == 0, f"{self._work} without a fault: {ended.error}")
        return traced_calls(self._folder / "trace")

    def run(self, nursery: Nursery, calls: Sequence[str], fault: Fault) -> str:
        """Raise FaultError unless all that was acknowledged is there, and a new process goes on."""
        archive = self._fresh()
        ended = self._do(nursery, archive, fault.kind in ONCE, fault.injections(calls))
        self._judge(ended, fault)
        with Archive.open(archive, create=True, threads=1) as opened:
            if self._work == "anew":
                opened.learn()
            self._answers.require(opened, require_whole(opened, self._states[ended.done :]))
            if self._work == "add":
                opened.add(self._source)
            elif self._work in ("forget", "stream"):
                make = make_forgetting if self._work == "forget" else make_streaming
                for step in make(self._articles):
                    step.run(opened)
            self._answers.require(opened, require_whole(opened, self._states[-1:]))
            require_stories(opened)
        left = [path.name for path in archive.with_name(archive.name + "-index").glob("*.part")]
        require(not left, f"left over: {left}")
        return f"{self._work}: {fault.kind}"

    def _do(self, nursery: Nursery, archive: Path, again: bool, injections: Sequence[str]) -> Ended:
        trace = trace_options(archive, self._folder / "trace", injections)
        return nursery.run(self._work, str(archive), str(self._source), again, trace=trace)

    def _judge(self, ended: Ended, fault: Fault) -> None:
        if fault.kind == "killed":
            require(ended.code == -signal.SIGKILL, f"not killed but {ended.code}: {ended.error}")
            return
        require(ended.code in (0, 1) and "Traceback" not in ended.error, f"{ended.code}: {ended.error}")
        errors = [one["error"] for one in ended.said if "error" in one]
        if ended.code:
            errors.append(ended.error.removeprefix("wirecopy: ").strip())
        for error in errors:
            require(CLEAR.fullmatch(error), f"not clear: {error}")
        done, looked = 0, False
        for one in ended.said:
            done = max(done, one.get("done", 0))
            if "seen" in one:
                looked = True
                require(len(one["seen"]) == one["length"], "an index that is not the store")
                states = [set(state) for state in self._states[done:]]
                require(set(one["seen"]) in states, "not as acknowledged while open")
        if ended.code == 0:
            require(done == len(self._states) - 1, f"ended well after part {done}")
        elif (
            fault.kind in ONCE and "readonly" not in ended.error
        ):  # as SQLite opens what it could not open to write
            require(not looked, f"does not go on in the same process: {ended.error}")

    def _fresh(self) -> Path:
        home = self._folder / "home"
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(self._before, home)
        return home / "archive"


def sweep(folder: Path, *, work: str, every: int = 1, kinds: Sequence[str] = KINDS) -> Tried:
    """Each kind of fault at every so manyth call, other ones for each kind."""
    tried = Tried()
    with Nursery(folder / "nursery") as nursery:
        sweeping = Sweep(folder, work)
        calls = sweeping.calls(nursery)
        for kind in kinds:
            for place in range(KINDS.index(kind) * every // len(KINDS), len(calls), every):
                what = f"{work} {kind} at call {place + 1}, {calls[place]}"
                tried.attempt(what, partial(sweeping.run, nursery, calls, Fault(kind, place)))
    return tried


# Killed at any moment


def kill_churns(folder: Path, *, kills: int, articles: int, seed: int = 1) -> Tried:
    """Lives of archives, each cut short again and again until it is at its end, until there were so many kills.

    Where a life does not get on, as on a busy machine, it is given longer.
    """
    tried = Tried()
    rng = random.Random(seed)
    with Nursery(folder / "nursery") as nursery:
        started = time.perf_counter()
        nursery.run("churn", str(folder / "timed"), articles, 0, 0)
        whole = time.perf_counter() - started
        while tried.kills < kills and not tried.failures:
            seed += 1
            churned = Churned(folder, articles, seed)
            stalled = 0
            while not churned.is_over and tried.kills < kills and not tried.failures:
                first, moment = churned.step, rng.uniform(0, (1 + stalled) * whole / 8)
                what = f"killed in life {seed} at step {first + 1}"
                tried.attempt(what, partial(churned.cut_short, nursery, moment))
                stalled = stalled + 1 if churned.step == first else 0
    return tried


class Churned:
    """The life of one archive."""

    def __init__(self, folder: Path, articles: int, seed: int) -> None:
        home = folder / f"life-{seed}"
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        self._archive = home / "archive"
        self._number = articles
        self._seed = seed
        self._steps = make_churn(articles, seed)
        made = [article for step in self._steps if step.kind == "add" for article in step.articles]
        self._dates = {article["id"]: article["published"] for article in made}
        self._answers = Answers(
            folder / "sound", [one["text"] for one in made[:: articles // 5]], self._dates
        )
        self._state: State = {}
        self.step = 0
        """The step to begin with."""

    @property
    def is_over(self) -> bool:
        return self.step == len(self._steps)

    def cut_short(self, nursery: Nursery, moment: float) -> str:
        """Go on with it, killed after so many seconds; raise FaultError unless it is as it was acknowledged."""
        ended = nursery.run(
            "churn", str(self._archive), self._number, self._seed, self.step, kill_after=moment
        )
        require(ended.code in (0, -signal.SIGKILL), ended.error)
        done = max((one["step"] + 1 for one in ended.said), default=self.step)
        for step in self._steps[self.step : done]:
            self._state = step.states(self._state, self._dates)[-1]
        self.step = done
        allowed = [self._state] if self.is_over else self._steps[done].states(self._state, self._dates)
        with Archive.open(self._archive, create=True, window=f"{WINDOW_DAYS}d") as opened:
            self._state = require_whole(opened, allowed)
            self._answers.require(opened, self._state)
            if self.is_over:
                require_stories(opened)
        return "lived to the end" if self.is_over else f"killed in {self._steps[done].kind}"


def kill_large(folder: Path, *, kills: int, articles: int, batch: int) -> Tried:
    """Kills of what adds to a large archive and compacts it, and how long it takes to open it again."""
    tried = Tried()
    rng = random.Random(7)
    more = 20 * batch
    made = make_articles(articles + (2 * kills + 1) * more, hours=24 * 27 / 2 / articles)
    state = state_of(made[:articles])
    path = folder / "large"
    with Archive.open(path, create=True) as opened:
        opened.add(made[:articles])

    def cut_short(nursery: Nursery, number: int, moment: float | None) -> str:
        new = made[articles + number * more : articles + (number + 1) * more]
        source = write_lines(folder / "more.jsonl", new)
        ended = nursery.run("grow", str(path), str(source), batch, kill_after=moment)
        require(ended.code in (0, -signal.SIGKILL), ended.error)
        started = time.perf_counter()
        with Archive.open(path) as opened:
            tried.slowest_open = max(tried.slowest_open, time.perf_counter() - started)
            states = [state | state_of(new[:end]) for end in range(ended.done * batch, len(new) + 1, batch)]
            state.update(require_whole(opened, states))
            old = made[4 : articles : articles // 20]
            for query in [*old, *new[204 : ended.done * batch : 50]]:  # of one of the 200 before it
                [answer] = opened.check(query)
                require(answer.found, f"{query['id']} has most of an earlier article: not found")
        compacting = any("compacting" in one for one in ended.said)
        return f"killed in {'compact' if compacting else 'add'}" if ended.code else "lived to the end"

    with Nursery(folder / "nursery") as nursery:
        started = time.perf_counter()
        tried.attempt("without a kill", partial(cut_short, nursery, 0, None))
        whole = time.perf_counter() - started
        for number in range(1, 2 * kills + 1):
            if tried.kills < kills:
                tried.attempt(f"kill {number}", partial(cut_short, nursery, number, rng.uniform(0, whole)))
    with Archive.open(path) as opened:
        live = [article for article in made if article["id"] in state]
        same = [m.to_dict() for m in opened.pairs()] == [m.to_dict() for m in wirecopy.find(live)]
        if not same:
            tried.failures.append("at the end: pairs answers otherwise")
    return tried


# Damaged


class Damage(NamedTuple):
    """Something that happens to the files of the segments, drawn from a seed."""

    kind: str
    seed: int

    def do(self, folder: Path) -> None:
        rng = random.Random(self.seed)
        files = sorted(folder.glob("*.segment"))
        path = rng.choice(files)
        before = path.read_bytes()
        size = len(before)
        start, other = sorted(rng.sample(range(size), 2))
        length = min(rng.choice([1, 16, 512, 4096]), other - start, size - other)
        if self.kind == "flip":
            after = before[:start] + bytes([before[start] ^ 1 << rng.randrange(8)]) + before[start + 1 :]
        elif self.kind == "truncate":
            after = before[:start]
        elif self.kind == "append":
            after = before + rng.randbytes(length)
        elif self.kind == "zero":
            after = before[:start] + bytes(length) + before[start + length :]
        elif self.kind == "swap":
            middle = before[start + length : other]
            one, two = before[start : start + length], before[other : other + length]
            after = before[:start] + two + middle + one + before[other + length :]
        elif self.kind == "swap files":
            second = rng.choice([file for file in files if file != path])
            after = second.read_bytes()
            second.write_bytes(before)
        else:
            path.unlink()
            return
        if after == before:
            after = before[:-1] + bytes([before[-1] ^ 255])
        path.write_bytes(after)


DAMAGE_KINDS = ("flip", "truncate", "append", "zero", "swap", "swap files", "delete")


class Damaged:
    """An archive of 500 articles, whose segments are files of one to three blocks; copies of it are damaged."""

    def __init__(self, folder: Path) -> None:
        small_segments(fan=8)
        articles = make_articles(DAMAGED_ARTICLES, words=300)
        self.state = state_of(articles)
        self._folder = folder
        self._sound = folder / "undamaged"
        self._sound.mkdir()
        self._queries = [articles[place]["text"] for place in (3, 44, 250, 499)]
        with Archive.open(
            self._sound / "archive", create=True, method=("exact", "winnowing", "full_fingerprint")
        ) as sound:
            sound.add(articles[:400])
            sound.compact()
            sound.add(articles[400:450])
            sound.add(articles[450:])
            self._expected = self._ask(sound)

    def copy(self) -> Path:
        """A copy of it, closed."""
        home = self._folder / "damaged"
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(self._sound, home)
        return home / "archive"

    def run(self, damage: Damage) -> str:
        """Raise FaultError unless the damage is noticed and mended, and the answers are as ever."""
        path = self.copy()
        damage.do(path.with_name(path.name + "-index"))
        self.require_mended(path, ("verify", "ask", "compact")[damage.seed % 3])
        return damage.kind

    def require_mended(self, path: Path, first: str) -> None:
        """Raise FaultError unless damage is noticed, whatever is done first, and the answers are as ever."""
        with Archive.open(path) as opened:
            if first == "compact":
                opened.compact()
            elif first == "verify":
                require(opened.verify(), "verify did not notice")
            require(self._ask(opened) == self._expected, "answers otherwise")
            if first == "ask":
                require(opened.verify(), "verify did not notice")
        with Archive.open(path) as opened:
            require_whole(opened, [self.state])
            require(self._ask(opened) == self._expected, "answers otherwise when opened again")

    def _ask(self, archive: Archive) -> tuple[list[object], list[object]]:
        checks: list[object] = [
            answer.to_dict() for query in self._queries for answer in archive.check(query)
        ]
        return checks, [match.to_dict() for match in archive.pairs()]


def damage_segments(folder: Path, *, number: int, seed: int = 1) -> Tried:
    """So many damages, each to a copy."""
    tried = Tried()
    damaged = Damaged(folder)
    for place in range(number):
        damage = Damage(DAMAGE_KINDS[place % len(DAMAGE_KINDS)], seed * 1_000_003 + place)
        tried.attempt(f"{damage.kind} of seed {damage.seed}", partial(damaged.run, damage))
    return tried


class StoreDamage(NamedTuple):
    """Something that happens to the SQLite file, drawn from a seed."""

    kind: str
    seed: int

    def do(self, path: Path) -> None:
        rng = random.Random(f"{self.kind} {self.seed}")
        before = path.read_bytes()
        start = rng.randrange(len(before))
        if self.kind == "flip":
            after = before[:start] + bytes([before[start] ^ 1 << rng.randrange(8)]) + before[start + 1 :]
        elif self.kind == "flips":
            changed = bytearray(before)
            for _ in range(20):
                changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
            after = bytes(changed)
        elif self.kind == "zero":
            length = rng.choice([1, 16, 512, 4096])
            after = before[:start] + bytes(min(length, len(before) - start)) + before[start + length :]
        elif self.kind == "noise":
            length = min(rng.choice([1, 16, 512, 4096]), len(before) - start)
            after = before[:start] + rng.randbytes(length) + before[start + length :]
        else:
            after = before[:start]
        path.write_bytes(after)


STORE_DAMAGE_KINDS = ("flip", "flips", "zero", "noise", "cut short")


class DamagedStore:
    """An archive of 120 articles with all that is known of each, and a formula; copies of its SQLite file are damaged."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        formula = " ".join(article["text"] for article in make_articles(1, seed=9, words=30))
        self._articles = [
            one
            | {"title": f"Title {place}", "source": f"paper {place % 7}", "text": f"{one['text']} {formula}"}
            for place, one in enumerate(make_articles(120))
        ]
        self._sound = folder / "undamaged"
        self._sound.mkdir()
        with Archive.open(self._sound / "archive", create=True, window="52w") as sound:
            sound.add(self._articles[:100])
            sound.add(self._articles[100:])
            sound.remove(self._articles[7]["id"])
            sound.learn()
        self._expected = {}
        for name, ask in self._questions().items():
            with Archive.open(self._copy(), threads=1) as copy:
                self._expected[name] = ask(copy)

    def _copy(self) -> Path:
        home = self._folder / "damaged"
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(self._sound, home)
        return home / "archive"

    def _questions(self) -> dict[str, Callable[[Archive], object]]:
        queries = [self._articles[place]["text"] for place in (3, 44, 119)]

        def add(archive: Archive) -> object:
            added = archive.add(
                [*self._articles, {"id": "new", "text": "something new in the harbour"}], learn=False
            )
            as_ever = (added.added, added.known, len(added.skipped)) == (2, 119, 0)
            # Over an article whose id or checksum is damaged it goes as over another one.
            return as_ever or bool(archive.verify())

        def check(archive: Archive) -> object:
            answers = [one for query in queries for one in archive.check(query)]
            if any(found.story is None for one in answers for found in one.found):
                raise ArchiveError("check: stories are not named; they are damaged")
            return [one.to_dict() for one in answers]

        def info(archive: Archive) -> object:
            told = archive.info()
            if noticed := told["missing"] or told["stories_stale"]:
                raise ArchiveError(f"info: {noticed}")
            return {name: value for name, value in told.items() if "_bytes" not in name}

        def save(archive: Archive) -> object:
            skipped: list[Skipped] = []
            saved = [asdict(article) for article in archive.articles(skip=skipped.append)]
            if skipped:
                added = {one["id"]: one for one in self._articles}
                for one in saved:
                    require(
                        one.items() >= added.get(one["id"], {"id": ""}).items(), f"{one['id']} is altered"
                    )
                raise ArchiveError(f"{skipped[0]}; the rest is saved")
            return saved

        return {
            "export": lambda archive: [asdict(article) for article in archive.articles()],
            "save": save,
            "info": info,
            "formulas": lambda archive: [formula.to_dict() for formula in archive.formulas],
            "check": check,
            "stories": lambda archive: [story.to_dict() for story in archive.stories()],
            "pairs": lambda archive: [match.to_dict() for match in archive.pairs()],
            "verify": lambda archive: archive.verify(),
            "add": add,
        }

    def run(self, damage: StoreDamage) -> str:
        """Raise FaultError unless each question is answered rightly or with a clear error, and verify notices what is not right."""
        kinds = set()
        for name, ask in self._questions().items():
            path = self._copy()
            damage.do(path)
            try:
                with Archive.open(path, threads=1) as opened:
                    answer = ask(opened)
            except WirecopyError as error:
                require(CLEAR.match(str(error)), f"{name}: not clear: {error}")
                kinds.add("refused")
                continue
            except Exception as error:
                raise FaultError(f"{name}: {error!r}") from error
            if name == "verify" and answer:
                kinds.add("noticed")
                continue
            require(answer == self._expected[name], f"{name}: answers otherwise")
        return f"{damage.kind}: {'noticed' if kinds else 'harmless'}"


def damage_store(folder: Path, *, number: int, seed: int = 1) -> Tried:
    """So many damages, each to copies."""
    tried = Tried()
    damaged = DamagedStore(folder)
    for place in range(number):
        damage = StoreDamage(STORE_DAMAGE_KINDS[place % len(STORE_DAMAGE_KINDS)], seed * 1_000_003 + place)
        tried.attempt(f"{damage.kind} of seed {damage.seed}", partial(damaged.run, damage))
    return tried


# All of it

CASES: dict[str, Sequence[Callable[[Path], Tried]]] = {
    "at every call of an add": [partial(sweep, work="add", kinds=[kind]) for kind in KINDS],
    "at every call of a stream": [partial(sweep, work="stream", kinds=[kind]) for kind in KINDS],
    "at every call of forgetting": [partial(sweep, work="forget", kinds=[kind]) for kind in KINDS],
    "at every call of filing anew": [partial(sweep, work="anew", kinds=[kind]) for kind in KINDS],
    "at any moment": [partial(kill_churns, kills=KILLS, articles=CHURN_ARTICLES)],
    "at any moment, large": [
        partial(kill_large, kills=LARGE_KILLS, articles=LARGE_ARTICLES, batch=LARGE_BATCH)
    ],
    "damaged segments": [partial(damage_segments, number=DAMAGES)],
    "damaged store": [partial(damage_store, number=DAMAGES)],
}


def measure() -> Iterator[Result]:
    made = digest(article["text"] for article in make_articles(CHURN_ARTICLES))
    size = f"{ADD_ARTICLES} to {LARGE_ARTICLES:,} articles from seeds; the digest is of {CHURN_ARTICLES:,}"
    data = Data("made-up articles for faults", size, "what a process was told is on disk", made)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        running = {
            case: [pool.submit(run_part, case, number) for number in range(len(works))]
            for case, works in CASES.items()
        }
        for case, parts in running.items():
            tried = Tried()
            for part in parts:
                try:
                    tried += part.result()
                except NotPossibleError as error:
                    raise MissingError(str(error)) from None
            say(f"  {case}: {dict(tried.runs)}")
            for failure in tried.failures[:5]:
                say(f"  {failure}")
            number = tried.runs.total() - tried.runs["lived to the end"]
            measures: dict[str, float] = {"tried": number, "went wrong": len(tried.failures)}
            if tried.slowest_open:
                measures["slowest open, s"] = tried.slowest_open
            counts = ", ".join(f"{kind} {count}" for kind, count in tried.runs.items())
            yield Result(case, data, measures, [f"Tried, {case}: {counts}."])


def _kept(case: str, number: int) -> Path | None:
    """Where what a part came to is kept, if it is."""
    folder = os.environ.get("FAULTS_KEPT")
    return Path(folder) / f"{case}, part {number + 1}.json" if folder else None


def run_part(case: str, number: int) -> Tried:
    """What one part of a case comes to, or came to when it was kept."""
    kept = _kept(case, number)
    if kept and kept.exists():
        known = json.loads(kept.read_text("utf-8"))
        return Tried(Counter(known["runs"]), known["failures"], known["slowest_open"])
    with scratch() as folder:
        tried = CASES[case][number](folder)
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with open_whole(kept, encoding="utf-8") as out:
            json.dump(vars(tried), out)
    return tried


def main() -> int:
    """Run the next part that is not kept yet; 0 if there was one and nothing went wrong, 1 if something did, 2 if there is none."""
    for case, parts in CASES.items():
        for number in range(len(parts)):
            if (kept := _kept(case, number)) and not kept.exists():
                started, tried = time.monotonic(), run_part(case, number)
                say(f"{kept.stem}: {dict(tried.runs)}, {time.monotonic() - started:.0f} s")
                for failure in tried.failures:
                    say(f"  {failure}")
                return 1 if tried.failures else 0
    say("nothing to run: all parts are kept, or FAULTS_KEPT names no folder")
    return 2


if __name__ == "__main__":
    sys.exit(main())
