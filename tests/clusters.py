"""Jobs on a cluster of Spark that a test has started: what they are given, what they answer, and what happens to them meanwhile."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))

import wirecopy  # noqa: E402
from quality.texts import Writer, join  # noqa: E402
from wirecopy.demo import write_archive  # noqa: E402

STAGES = ("read", "ranked", "linked-collided", "linked-met", "candidates", "learning", "settled", "matches")
"""Folders that every job writes."""
KINDS = ("executor", "python", "worker")
_PROGRAMS = {
    "executor": "CoarseGrainedExecutorBackend",
    "worker": "deploy.worker.Worker",
    "python": "pyspark.daemon",
}
SETTINGS = {
    "spark.speculation": "true",
    "spark.speculation.interval": "50ms",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.3",
    "spark.speculation.minTaskRuntime": "50ms",
    "spark.task.maxFailures": "20",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    "spark.eventLog.rolling.enabled": "false",
}
"""With these tasks are tried on another host whenever they seem slow, and what happens is written down."""


def make_articles(folder: Path, number: int, seed: int = 1) -> list[dict[str, Any]]:
    """The demo archive, and made-up articles: copies, parts, updates of forms, reprints, a formula at the end of every seventh."""
    write_archive(folder)
    demo = [json.loads(line) for line in (folder / "articles.jsonl").read_text("utf-8").splitlines()]
    articles = [
        {name: one.get(name) for name in ("id", "text", "title", "published", "source")} for one in demo
    ]
    writer, chance = Writer(seed), random.Random(seed)
    formula, reprinted = writer.write(30), writer.write(120)
    texts: list[list[str]] = []
    for row in range(number):
        kind = row % 8 if row > 8 else 0
        if kind == 1:
            words = writer.edit(chance.choice(texts), 0.05)
        elif kind == 2:
            words = writer.write(60) + chance.choice(texts)[20:70]
        elif kind == 3:
            words = list(chance.choice(texts))
        elif row % 40 == 4:
            words = reprinted
        else:
            words = writer.write(chance.randint(40, 160))
        texts.append(words)
        when = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(minutes=chance.randrange(60 * 24 * 30))
        text = join(words + formula if row % 7 == 0 else words)
        made = {"id": f"made-{row}", "text": text, "title": f"On {words[0]}", "source": f"Echo {row % 5}"}
        articles.append({**made, "published": when.isoformat() if row % 11 else None})
    chance.shuffle(articles)
    return articles


def write_parquet(articles: Sequence[Mapping[str, Any]], path: Path) -> Path:
    pq.write_table(pa.Table.from_pylist(list(articles)), path, row_group_size=100)
    return path


def _sort(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def answer_here(articles: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What `find` and `stories` say, as a job on Spark has it in `answer_of`."""
    found, told = wirecopy.find(list(articles)), wirecopy.stories(list(articles))
    return {
        "matches": _sort(found.to_arrow().to_pylist()),
        "formulas": _sort([one.to_dict() for one in found.formulas]),
        "counts": {name: found.counts[name] for name in ("collisions", "candidates", "comparisons")},
        "stories": sorted("".join(told.json_lines()).splitlines()),
    }


def answer_of(job: Any) -> dict[str, Any]:
    with job.stories("anchored") as told:
        stories = sorted("".join(told.json_lines()).splitlines())
    return {
        "matches": _sort(job.matches.toArrow().to_pylist()),
        "formulas": _sort([one.to_dict() for one in job.formulas]),
        "counts": {name: job.counts[name] for name in ("collisions", "candidates", "comparisons")},
        "stories": stories,
    }


def make_bare_python(folder: Path) -> Path:
    """A Python that has all that this one has, but for wirecopy."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    here = Path(pa.__file__).parents[1]
    there = next(folder.glob("lib/python*/site-packages"))
    for entry in here.iterdir():
        if not entry.name.startswith(("wirecopy", "__", "_virtualenv", "distutils-precedence")):
            (there / entry.name).symlink_to(entry)
    return folder / "bin" / "python"


# Processes


def processes_below(roots: Sequence[int]) -> dict[int, str]:
    """The processes that some have started, and those in turn: their command lines."""
    parents: dict[int, int] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdecimal():
            try:
                content = (path / "stat").read_text()
            except OSError:
                continue
            parents[int(path.name)] = int(content.rpartition(")")[2].split()[1])
    mine, grew = set(roots), True
    while grew:
        fresh = {one for one, parent in parents.items() if parent in mine} - mine
        mine, grew = mine | fresh, bool(fresh)
    commands = {}
    for one in mine - set(roots):
        try:
            commands[one] = Path(f"/proc/{one}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
    return commands


def find_processes(roots: Sequence[int], kind: str) -> list[int]:
    """The processes of a kind: of `python` the workers that tasks run in, not the daemons that start them."""
    commands = processes_below(roots)
    found = sorted(one for one, command in commands.items() if _PROGRAMS[kind] in command)
    if kind == "python":
        return [one for one in found if _PROGRAMS[kind] in commands.get(_parent_of(one), "")]
    return [one for one in found if "/bin/sh" not in commands[one]]


def _parent_of(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


@dataclass
class Chaos:
    """Kills a process in each stage of a job, as soon as the stage has begun; what was killed in which is in `killed`."""

    roots: Sequence[int]
    kinds: Mapping[str, str]
    """The kind that is killed in each stage."""
    seed: int
    killed: list[tuple[str, str]] = field(default_factory=list)

    def __call__(self, stage: str) -> None:
        """A stage is running."""
        kind = self.kinds.get(stage)
        if kind is None or stage in dict(self.killed):
            return
        victims = find_processes(self.roots, kind)
        if victims:
            os.kill(random.Random(f"{self.seed} {stage}").choice(victims), signal.SIGKILL)
            self.killed.append((stage, kind))


@dataclass
class Slow:
    """Stops the Python workers of one host in a stage: it is so slow that others have to do what they were to do."""

    roots: Sequence[int]
    host: str
    stage: str
    stopped: list[int] = field(default_factory=list)

    def __call__(self, stage: str) -> None:
        """A stage is running."""
        if stage != self.stage or self.stopped:
            return
        executors = [one for one in find_processes(self.roots, "executor") if self._is_there(one)]
        for one in find_processes(executors, "python"):
            os.kill(one, signal.SIGSTOP)
            self.stopped.append(one)

    def release(self) -> None:
        """Let those go on that Spark has not ended meanwhile."""
        for one in {*self.stopped} & {*find_processes(self.roots, "python")}:
            os.kill(one, signal.SIGCONT)

    def _is_there(self, executor: int) -> bool:
        return f"--hostname {self.host} " in processes_below([_parent_of(executor)]).get(executor, "")


# A driver of its own


def run_job(
    articles: Path,
    work: Path,
    environment: Mapping[str, str],
    meanwhile: Callable[[str], None] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """The answer of a job whose driver is a process of its own: `meanwhile` is told again and again which stage runs."""
    asked = {"articles": str(articles), "work": str(work), **options}
    command = [sys.executable, __file__, json.dumps(asked)]
    cleaned = {
        name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))
    }
    work.mkdir(parents=True)
    with (work / "driver.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env={**cleaned, **environment}, cwd=work)
    pause = threading.Event()
    try:
        while process.poll() is None:
            for stage in _running(work) if meanwhile else ():
                assert meanwhile
                meanwhile(stage)
            pause.wait(0.02)
    finally:
        process.kill()
        process.wait()
    said = (work / "driver.log").read_text("utf-8", "replace")
    if process.returncode:
        raise AssertionError(f"exit code {process.returncode}: {said[-6000:]}")
    answer: dict[str, Any] = json.loads((work / "answer.json").read_text())
    return answer


def _running(work: Path) -> Iterator[str]:
    """The stages that are being written."""
    for path in work.glob("*/_temporary"):
        yield path.parent.name


def read_events(logs: Iterable[Path]) -> Iterator[dict[str, Any]]:
    """What some event logs have of jobs."""
    for path in logs:
        for line in path.read_text("utf-8").splitlines():
            yield json.loads(line)


@contextmanager
def open_session() -> Iterator[Any]:
    """The session that the environment asks for: of a master, or of a Connect server."""
    from pyspark.sql import SparkSession

    if remote := os.environ.get("REMOTE"):
        session = SparkSession.builder.remote(remote).getOrCreate()
    else:
        session = SparkSession.builder.master(os.environ["MASTER"]).getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def main() -> None:
    """Do one job, as `run_job` asks."""
    from wirecopy.spark import run

    asked = json.loads(sys.argv[1])
    articles, work = asked.pop("articles"), asked.pop("work")
    with open_session() as session:
        frame = session.read.parquet(articles)
        if partitions := asked.pop("partitions", None):
            frame = frame.repartition(partitions)
        with run(frame, work=work, say=lambda line: print(line, flush=True), **asked) as job:
            Path(work, "answer.json").write_text(json.dumps(answer_of(job)))


if __name__ == "__main__":
    main()
