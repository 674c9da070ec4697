"""Work in a folder goes on where it was killed or let down by the disk, and comes to the same bytes. See `faults` for what that proves and what not."""

import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import wirecopy
from quality.archive_faults import KINDS, Fault, Tried
from quality.corpora import scratch, write_jsonl
from quality.faults import (
    CALLS,
    CLEAR,
    Ended,
    NotPossibleError,
    Nursery,
    require,
    small_disk,
    trace_paths,
    traced_calls,
)
from quality.piles import make_pile
from quality.report import Data, MissingError, Result, digest, say
from wirecopy.pile.folder import LIST, LOCK

PARTS = 2
"""Of keys: each is a file, so few."""
STAGES, BUCKETS = 8, 12
"""More than there are."""
KILLS, KILLED_PILES = 60, 24
WORK_CALLS = (*CALLS, "link", "linkat", "rmdir")


def make_articles(piles: int) -> list[dict[str, Any]]:
    """The articles of so many made-up piles, with ids of their own."""
    return [{**one, "id": f"{seed}-{one['id']}"} for seed in range(piles) for one in make_pile(seed)]


class Work:
    """A pile of articles, the answer in memory, and the folder in which it is asked for again."""

    def __init__(self, folder: Path, piles: int, home: Path | None = None) -> None:
        articles = make_articles(piles)
        self.pile = write_jsonl(folder / "pile.jsonl", articles)
        self.out, self.log = folder / "out.jsonl", folder / "trace"
        self.work = (home or folder) / "work"
        self._expected = "".join(wirecopy.find(self.pile).json_lines())
        require(self._expected, "nothing is found")

    def begin(self) -> None:
        """As if nothing was ever done."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.out.unlink(missing_ok=True)

    def run(
        self, nursery: Nursery, faults: Sequence[str] | None = None, kill_after: float | None = None
    ) -> Ended:
        """Do it, from where it is: traced, if faults are given, or killed after so many seconds."""
        trace = [] if faults is None else trace_paths(self._paths(), self.log, faults, WORK_CALLS)
        asked = str(self.pile), str(self.work), str(self.out), PARTS
        return nursery.run("find", *asked, trace=trace, kill_after=kill_after)

    def _paths(self) -> list[Path]:
        stages = [self.work / f"{stage:02}{end}" for stage in range(STAGES) for end in ("", ".part")]
        files = [stage / f"{bucket:06}" for stage in stages for bucket in range(BUCKETS)]
        return [self.work, self.work / LIST, self.work / LOCK, *stages, *files]

    def finish(self, nursery: Nursery) -> None:
        """Raise FaultError unless the same command goes on and comes to the same bytes, and nothing is left."""
        ended = self.run(nursery)
        require(ended.code == 0, f"does not go on: {ended.error}")
        require(self.out.read_text("utf-8") == self._expected, "answers otherwise")
        require(not self.work.exists(), "the folder is left")


def sweep(folder: Path, *, every: int = 1, kinds: Sequence[str] = KINDS) -> Tried:
    """Each kind of fault at every so manyth call, other ones for each kind."""
    tried, work = Tried(), Work(folder, 1)

    def run(fault: Fault) -> str:
        work.begin()
        ended = work.run(nursery, fault.injections(calls))
        if fault.kind == "killed":
            require(ended.code == -signal.SIGKILL, f"not killed but {ended.code}: {ended.error}")
        else:
            _require_clear(ended, work)
        work.finish(nursery)
        return fault.kind

    with Nursery(folder / "nursery") as nursery:
        ended = work.run(nursery, [])
        require(ended.code == 0, f"without a fault: {ended.error}")
        calls = traced_calls(work.log)
        for kind in kinds:
            for place in range(KINDS.index(kind) * every // len(KINDS), len(calls), every):
                what = f"{kind} at call {place + 1}, {calls[place]}"
                tried.attempt(what, partial(run, Fault(kind, place)))
    return tried


def _require_clear(ended: Ended, work: Work) -> None:
    """Raise FaultError unless it ended well, or with an error that says what, where and the way out."""
    require(ended.code in (0, 1) and "Traceback" not in ended.error, f"{ended.code}: {ended.error}")
    if ended.code:
        error = ended.error.removeprefix("wirecopy: ").strip()
        require(CLEAR.fullmatch(error) and str(work.work) in error, f"not clear: {error}")


def kill(folder: Path, *, kills: int, piles: int, seed: int = 1) -> Tried:
    """Killed at moments drawn from a seed, up to three times before it may come to its end."""
    tried, work, rng = Tried(), Work(folder, piles), random.Random(seed)

    def run(moments: Sequence[float]) -> str:
        work.begin()
        killed = 0
        for moment in moments:
            ended = work.run(nursery, kill_after=moment)
            require(ended.code in (0, -signal.SIGKILL), ended.error)
            killed += ended.code != 0
        tried.runs["killed"] += killed
        work.finish(nursery)
        return "came to the end"

    with Nursery(folder / "nursery") as nursery:
        started = time.perf_counter()
        work.finish(nursery)
        whole = time.perf_counter() - started
        while tried.runs["killed"] < kills and not tried.failures:
            left = kills - tried.runs["killed"]
            moments = [rng.uniform(0, whole) for _ in range(min(left, rng.randint(1, 3)))]
            tried.attempt(f"killed after {moments} s", partial(run, moments))
    return tried


def fill_disk(folder: Path, *, piles: int) -> Tried:
    """A disk that is full, and made larger a little at a time."""
    tried = Tried()
    with small_disk(folder / "disk", "64k") as disk, Nursery(folder / "nursery") as nursery:
        work, done = Work(folder, piles, disk), -1

        def run() -> str:
            nonlocal done
            size = 64
            while (ended := work.run(nursery)).code:
                require("No space left on device" in ended.error, f"not clear: {ended.error}")
                _require_clear(ended, work)
                stages = len(list(work.work.glob("[0-9][0-9]")))
                require(stages >= done, f"{stages} stages are left of {done}")
                done = stages
                tried.runs["full"] += 1
                size += 64 + size // 4
                subprocess.run(["mount", "-o", f"remount,size={size}k", str(disk)], check=True)
            require(done > 0, "no stage was done before the disk was full")
            work.finish(nursery)
            return "came to the end"

        tried.attempt("on a disk that is full", run)
    return tried


def measure() -> Iterator[Result]:
    made = digest([str(make_articles(KILLED_PILES))])
    data = Data(
        "made-up piles for faults", f"{KILLED_PILES} piles; at every call one of them", "find in memory", made
    )
    cases: dict[str, Callable[[Path], Tried]] = {
        "at every call": sweep,
        "at any moment": partial(kill, kills=KILLS, piles=KILLED_PILES),
        "on a full disk": partial(fill_disk, piles=KILLED_PILES),
    }
    for case, run in cases.items():
        with scratch() as folder:
            try:
                tried = run(folder)
            except NotPossibleError as error:
                raise MissingError(str(error)) from None
        say(f"  {case}: {dict(tried.runs)}")
        for failure in tried.failures[:5]:
            say(f"  {failure}")
        number = tried.runs.total() - tried.runs["came to the end"]
        counts = ", ".join(f"{kind} {count}" for kind, count in tried.runs.items())
        measures = {"tried": number, "went wrong": len(tried.failures)}
        yield Result(case, data, measures, [f"Tried, {case}: {counts}."])
