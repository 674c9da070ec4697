"""The experiments of the papers, a file each: their design on a corpus that is named or made up, and their tables with ours beside.

A file has `PAPER`, `TABLES` (what it can reproduce), `CORPUS` (what it reads: articles, or labelled pages), and `run(setting)`, which yields `Table`s and `Figure`s. `names` finds the files.
"""

from __future__ import annotations

import hashlib
import pkgutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from ...errors import UsageError
from ...extraction.labelled import PageText
from ...files import open_whole
from ...model import Article

Out = TypeVar("Out")
HELPERS = ("drawing", "furniture", "writing")
"""Modules here that are no experiments."""


@dataclass(frozen=True)
class Setting:
    """What an experiment runs on: the articles or labelled pages of a corpus, or as many made up from a seed; `wanted` are the tables asked for."""

    corpus: Sequence[Article] = field(default=(), repr=False)
    pages: Sequence[PageText] = field(default=(), repr=False)
    named: str = ""
    articles: int | None = None
    seed: int = 1
    wanted: Sequence[str] = ()
    say: Callable[[str], None] = lambda _: None

    def wants(self, *tables: str) -> bool:
        """Whether one of the tables is asked for."""
        return not self.wanted or any(table in self.wanted for table in tables)


@dataclass(frozen=True)
class Table:
    """A table of a paper with our figures beside; `notes` say on what, and what differs and why it may."""

    name: str
    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Any]]
    notes: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """The table as its public JSON object."""
        heads = list(self.heads)
        for at, head in enumerate(self.heads):
            if self.heads.count(head) > 1:  # `published` beside each of several columns
                heads[at] = f"{self.heads[at - 1]} {head}"
        rows = [dict(zip(heads, row, strict=True)) for row in self.rows]
        kind = "figure" if isinstance(self, Figure) else "table"
        return {
            "table": self.name,
            "kind": kind,
            "title": self.title,
            "rows": rows,
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class Figure(Table):
    """A figure: the first column is its x, each other column a line."""


def names() -> list[str]:
    """The papers whose experiments can be run."""
    inside = import_module(__name__).__path__
    found = (one.name for one in pkgutil.iter_modules(inside))
    return sorted(name.replace("_", "-") for name in found if name not in HELPERS)


def get(name: str) -> Any:
    """The experiment of this name."""
    if name not in names():
        raise UsageError(f"no experiment named {name!r}; there are: {', '.join(names())}")
    return import_module(f"{__name__}.{name.replace('-', '_')}")


def run(name: str, setting: Setting) -> Iterator[Table]:
    """Yields the tables and figures of a paper that are asked for."""
    experiment = get(name)
    unknown = [one for one in setting.wanted if one not in experiment.TABLES]
    if unknown:
        raise UsageError(f"{name} has no table {unknown[0]!r}; there are: {', '.join(experiment.TABLES)}")
    return iter(experiment.run(setting))


def timed(work: Callable[[], Out]) -> tuple[Out, float]:
    """What some work gives, and how many seconds it took."""
    start = time.perf_counter()
    done = work()
    return done, time.perf_counter() - start


def describe(articles: Sequence[Article], setting: Setting) -> str:
    """The corpus in a few words, with its digest."""
    digest = hashlib.blake2b(digest_size=8)
    size = 0
    for one in articles:
        data = f"{one.id}\0{one.text}\0".encode()
        size += len(data)
        digest.update(data)
    named = setting.named or f"made up from seed {setting.seed}"
    return f"{len(articles):,} articles, {size / 1e6:.1f} MB, {named}; digest {digest.hexdigest()}"


SHAPED = (
    "The generator of this corpus was shaped after looking at the paper's tables, so that their effects can show: figures that agree here are no reproduction "
    "of its result. For that name a corpus of your own."
)


def say_shaped(setting: Setting) -> list[str]:
    """What has to be said of figures on made-up articles that were shaped after the paper; nothing of a corpus that is named."""
    return [] if setting.corpus else [SHAPED]


def show(value: Any, digits: int = 3) -> str:
    """A cell: shares with some digits, numbers with commas, nothing for None."""
    if value is None:
        return ""
    return (
        f"{value:.{digits}f}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )


def write_figures(tables: Sequence[Table], folder: Path) -> list[Path]:
    """The figures among some tables as SVG files in a folder."""
    from .drawing import draw

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for one in tables:
        if isinstance(one, Figure):
            path = folder / f"{one.name.replace(' ', '-')}.svg"
            with open_whole(path, encoding="utf-8") as out:
                out.write(draw(one))
            written.append(path)
    return written
