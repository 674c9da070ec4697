"""Where the data are, and how copies are planted in them."""

import importlib
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from quality.report import MissingError
from quality.texts import Writer, join
from wirecopy.evaluation import Evaluation, evaluate

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("WIRECOPY_SHARED_DIR") or ROOT.parent / "shared")
BENCH = Path(os.environ.get("WIRECOPY_BENCH_DIR") or Path.home() / ".cache" / "wirecopy-bench")
WIRECOPY = str(Path(sys.executable).with_name("wirecopy"))

Row = dict[str, Any]


def data_module(name: str) -> Any:
    """A module of the development data: `load` or `score_pairs`."""
    return _module("data", name)


def bench_module(name: str) -> Any:
    """A module of the benchmark kit."""
    return _module("bench", name)


def _module(folder: str, name: str) -> Any:
    home = SHARED / folder
    if not (home / f"{name}.py").is_file():
        raise MissingError(f"no ../shared/{folder}/{name}.py beside the project (or in $WIRECOPY_SHARED_DIR)")
    if str(home) not in sys.path:
        sys.path.append(str(home))
    return importlib.import_module(name)


def unpack(name: str) -> Path:
    """The folder of a development set."""
    folder: Path = data_module("load").unpack(name)
    return folder


def bench_corpus(name: str) -> Path:
    """A corpus of the benchmark kit, as the path without its endings."""
    base = BENCH / "data" / name
    if not base.with_suffix(".jsonl").is_file():
        raise MissingError(
            f"no data/{name}.jsonl in $WIRECOPY_BENCH_DIR: make it with make_corpus.py of ../shared/bench"
        )
    return base


def read_jsonl(path: Path) -> list[Row]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def write_jsonl(path: Path, rows: Iterable[Row]) -> Path:
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return path


def score(gold: Path, result: Iterable[Row], **options: Any) -> Evaluation:
    """How good matches, or records like them, are against a file of gold."""
    with scratch() as folder:
        return evaluate(gold, write_jsonl(folder / "result.jsonl", result), **options)


def news_or_made_up(number: int) -> tuple[str, list[Row]]:
    """So many articles of the benchmark kit's 20,000, or made-up ones where it is not at hand; with their name."""
    try:
        articles = read_jsonl(bench_corpus("news20k").with_suffix(".jsonl"))
    except MissingError:
        return "made-up articles", made_up(number)
    return "news20k of ../shared/bench", articles[:number]


def made_up(number: int) -> list[Row]:
    """Articles of 100 to 2,000 words, which cost about what the shorter ones of the kit do; every tenth is a copy, lightly edited."""
    writer = Writer(20)
    texts: list[list[str]] = []
    for i in range(number):
        if i % 10 == 9:
            texts.append(writer.edit(writer.random.choice(texts), writer.random.uniform(0, 0.1)))
        else:
            texts.append(writer.write(writer.random.randint(100, 2000)))
    return [{"id": str(i), "text": join(words)} for i, words in enumerate(texts)]


def split_words(text: str) -> list[str]:
    """Words with the white space after them, so that joined they are the text."""
    return re.findall(r"\S+\s*", text)


def edit(
    units: Sequence[str], share: float, bursts: bool, rng: random.Random, pool: Sequence[str]
) -> list[str]:
    """A share of the units replaced (half of them), dropped or with another after them; scattered or in runs of 3 to 12."""
    marked: set[int] = set()
    while len(marked) < share * len(units):
        start = rng.randrange(len(units))
        marked.update(range(start, min(len(units), start + (rng.randint(3, 12) if bursts else 1))))

    def change(unit: str) -> list[str]:
        other, kind = rng.choice(pool), rng.random()
        return [other] if kind < 0.5 else [] if kind < 0.75 else [unit, other]

    return [new for i, unit in enumerate(units) for new in (change(unit) if i in marked else [unit])]


class Run(NamedTuple):
    """One run of the command line."""

    wall: float
    cpu: float
    stderr: str


@contextmanager
def scratch() -> Iterator[Path]:
    with TemporaryDirectory(prefix="wirecopy-quality-") as folder:
        yield Path(folder)


def run_find(articles: Path, out: Path, *options: str) -> Run:
    """`wirecopy find` as a user runs it, timed."""
    log = out.with_suffix(".log")
    with log.open("wb") as errors:
        start = time.perf_counter()
        command = [WIRECOPY, "find", str(articles), "--jsonl", "-o", str(out), *options]
        child = subprocess.Popen(command, stderr=errors)
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"wirecopy find: exit code {child.returncode}: {log.read_text()[-500:]}")
    return Run(wall, used.ru_utime + used.ru_stime, log.read_text())


def connected(pairs: Iterable[tuple[str, str]]) -> Callable[[str], str]:
    """Which component an article is in, by the name of one of its members."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while (above := parent.get(name, name)) != name:
            parent[name] = name = parent.get(above, above)
        return name

    for one, other in pairs:
        parent[root(one)] = root(other)
    return root
