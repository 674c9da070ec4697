"""What people look at: tables, progress bars, two texts side by side."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from ..model import Match
from ..pile import Matches, Progress

TABLE_ROWS = 20


@contextmanager
def show_progress(quiet: bool, size: int | None) -> Iterator[Progress | None]:
    """A bar on stderr with rate and time left, if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars
    from rich.text import Text

    class Amount(ProgressColumn):
        def render(self, task: Task) -> Text:
            scale, unit = (1e6, " MB") if task.description == "reading" else (1, "")
            total = f" of {task.total / scale:,.0f}" if task.total else ""
            rate = f"  {task.speed / scale:,.0f}{unit}/s" if task.speed else ""
            return Text(f"{task.completed / scale:,.0f}{total}{unit}{rate}")

    columns = (TextColumn("{task.description:<10}"), BarColumn(), Amount(), TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int, total: int) -> None:
            whole = total or size
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=whole)
            bars.update(tasks[stage], completed=done, total=whole)

        yield report


def print_table(heads: Iterable[str], rows: Iterable[Iterable[str]], out: IO[str]) -> None:
    """A table as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console(file=out, width=None if out.isatty() else 140).print(table)


def show_table(matches: Matches, out: IO[str]) -> None:
    """The first matches as a table, a line each."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=out, width=None if out.isatty() else 140)
    narrow = {"relation": 14, "of query": 8, "of found": 8, "words": 5}
    width = max(8, min(console.width // 6, (console.width - sum(narrow.values()) - 12) // 3))
    fixed = {"query": width, "found": width, **narrow}
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head, wide in fixed.items():
        table.add_column(head, no_wrap=True, width=wide, justify="right" if wide < 10 else "left")
    rest = console.width - sum(fixed.values()) - 2 * len(fixed)
    table.add_column("longest passage", no_wrap=True, overflow="ellipsis", width=max(10, rest))
    for match in matches[:TABLE_ROWS]:
        longest = max(match.passages, key=lambda passage: passage.words)
        cells = (
            cut_middle(match.query, width),
            cut_middle(match.found, width),
            str(match.relation),
            f"{match.query_covered:.0%}",
            f"{match.found_covered:.0%}",
            str(sum(passage.words for passage in match.passages)),
            " ".join(longest.text[:200].split()),
        )
        table.add_row(*map(Text, cells))
    console.print(table)
    if len(matches) > TABLE_ROWS:
        print(f"… and {len(matches) - TABLE_ROWS:,} more; write all with --output FILE", file=out)


def cut_middle(text: str, width: int) -> str:
    """The text, with … for its middle where it is too long."""
    kept = width - 1
    return text if len(text) <= width else f"{text[: kept // 2]}…{text[-(kept - kept // 2) :]}"


def show_side_by_side(match: Match, query: str, found: str, out: IO[str]) -> None:
    """Both texts in two columns, each passage in its colour."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    colours = ("green", "cyan", "yellow", "magenta", "blue", "red")

    def paint(text: str, span: Callable[[Any], tuple[int, int]]) -> Text:
        painted = Text(text)
        for number, passage in enumerate(match.passages):
            painted.stylize(colours[number % len(colours)], *span(passage))
        return painted

    table = Table(expand=True, box=None, padding=(0, 2, 0, 0))
    table.add_column(match.query, ratio=1)
    table.add_column(match.found, ratio=1)
    table.add_row(paint(query, lambda passage: passage.query), paint(found, lambda passage: passage.found))
    console = Console(file=out)
    console.print(table)
    console.print(Text(str(match)))
