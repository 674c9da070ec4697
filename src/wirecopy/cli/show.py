"""What people look at: tables, progress bars, two texts side by side."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from operator import attrgetter
from typing import IO, TYPE_CHECKING, Any

from ..model import Match, clean, count, one_line
from ..pile import Matches, Progress

if TYPE_CHECKING:
    from rich.console import Console

    from ..archive import Answer

TABLE_ROWS = 20
IN_BYTES = ("reading", "adding")
"""The stages that count bytes of the input."""


@contextmanager
def show_progress(quiet: bool, size: int | None) -> Iterator[Progress | None]:
    """A function that shows progress on stderr, as a bar with rate and time left; None if quiet or off a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars
    from rich.text import Text

    class Amount(ProgressColumn):
        def render(self, task: Task) -> Text:
            scale, unit = (1e6, " MB") if task.description in IN_BYTES else (1, "")
            if not (task.completed or task.total):
                return Text("")
            total = f" of {task.total / scale:,.0f}" if task.total else ""
            rate = f"  {task.speed / scale:,.0f}{unit}/s" if task.speed else ""
            return Text(f"{task.completed / scale:,.0f}{total}{unit}{rate}")

    # What cannot say how far it is shows by its spinner and clock that it works.
    columns = (
        *(SpinnerColumn(finished_text=" "), TextColumn("{task.description}"), BarColumn(20)),
        *(Amount(), TimeElapsedColumn(), TimeRemainingColumn()),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int, total: int) -> None:
            whole = total or (size if stage in IN_BYTES else None)
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=whole)
            bars.update(tasks[stage], completed=done, total=whole)

        yield report


def open_console(out: IO[str]) -> Console:
    """A console that writes to `out`, as wide as the terminal, or 140 characters off a terminal."""
    from rich.console import Console

    return Console(file=out, width=None if out.isatty() else 140)


def print_table(heads: Iterable[str], rows: Iterable[Iterable[str]], out: IO[str]) -> None:
    """Print a table; what is too wide for its column is wrapped."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*(Text(clean(cell)) for cell in row))
    open_console(out).print(table)


def show_table(matches: Matches, out: IO[str]) -> None:
    """Print the first matches as a table, a line each."""
    console = open_console(out)
    width = _id_width(console.width)
    rows = [
        {"query": cut_middle(clean(match.query), width), **_cells(match, width)}
        for match in matches[:TABLE_ROWS]
    ]
    _print_rows(console, {"query": width, "found": width, **NARROW}, rows)
    if len(matches) > TABLE_ROWS:
        print(f"… and {len(matches) - TABLE_ROWS:,} more; write all with --output FILE", file=out)


def show_answer(answer: Answer, out: IO[str]) -> None:
    """Print what a text shares with an archive: the verdict, and the articles found as a table."""
    out.write(one_line(f"{answer.query}: {say_verdict(answer)}") + "\n")
    if not answer.found:
        return
    console = open_console(out)
    width = _id_width(console.width)
    shown = answer.found[:TABLE_ROWS]
    columns = {"found": width, **NARROW}
    if any(one.article.published for one in shown):
        columns["published"] = 10
    if console.width >= ROOMY and any(one.article.source for one in shown):
        columns["source"] = width
    rows = [
        _cells(one.match, width)
        | {
            "published": show_date(one.article.published or ""),
            "source": cut_middle(clean(one.article.source or ""), width),
        }
        for one in shown
    ]
    _print_rows(console, columns, rows)
    if answer.articles > len(shown):
        way_out = (
            "write all with --output FILE" if len(answer.found) > len(shown) else "name more with --top N"
        )
        print(f"… and {answer.articles - len(shown):,} more; {way_out}", file=out)
    out.write("\n")


def say_verdict(answer: Answer) -> str:
    """The verdict on a text: how much of it is copied, and from how many articles."""
    copies = answer.articles - answer.form_of_count
    also = f", form of {count(answer.form_of_count)}" if answer.form_of_count else ""
    if not copies:
        return f"nothing copied{also}"
    longest = count(answer.longest_words, "word")
    least = "at least " * answer.at_least
    return f"{answer.copied:.0%} copied from {least}{count(copies)}, longest passage {longest}{also}"


def show_date(published: str) -> str:
    """The day of a date as YYYY-MM-DD; the first ten characters of one in no known form."""
    if "," in published[:4]:
        from email.utils import parsedate_to_datetime

        with suppress(ValueError):
            return parsedate_to_datetime(published).date().isoformat()
    return clean(published[:10])


NARROW = {"relation": 14, "of query": 8, "of found": 8, "words": 5}
"""Columns of every table of matches, and how wide they are."""
ROOMY = 110
"""A terminal of at least this width has room for the sources."""


def _id_width(width: int) -> int:
    """The width of a column of ids on a terminal of this width."""
    return max(8, min(width // 6, (width - sum(NARROW.values()) - 12) // 3))


def _cells(match: Match, width: int) -> dict[str, str]:
    """The cells of a match, by the columns that every table of matches has."""
    longest = max(match.passages, key=lambda passage: passage.words, default=None)
    return {
        "found": cut_middle(clean(match.found), width),
        "relation": str(match.relation),
        "of query": f"{match.query_covered:.0%}",
        "of found": f"{match.found_covered:.0%}",
        "words": str(sum(passage.words for passage in match.passages)),
        "longest passage": clean(" ".join(longest.text[:200].split())) if longest else "",
    }


def _print_rows(console: Console, columns: Mapping[str, int], rows: Iterable[Mapping[str, str]]) -> None:
    """Print one line for each row, in columns of these widths; the longest passage gets the rest."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head, wide in columns.items():
        table.add_column(
            head, no_wrap=True, width=wide, justify="right" if head in NARROW and wide < 10 else "left"
        )
    rest = console.width - sum(columns.values()) - 2 * len(columns)
    table.add_column("longest passage", no_wrap=True, overflow="ellipsis", width=max(10, rest))
    for row in rows:
        table.add_row(*(Text(row[head]) for head in (*columns, "longest passage")))
    console.print(table)


def cut_middle(text: str, width: int) -> str:
    """The text, its middle replaced by … where it is longer than `width`."""
    kept = width - 1
    return text if len(text) <= width else f"{text[: kept // 2]}…{text[-(kept - kept // 2) :]}"


def show_side_by_side(match: Match, query: str, found: str, out: IO[str]) -> None:
    """Print both texts in two columns, each passage in its colour."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    colours = ("green", "cyan", "yellow", "magenta", "blue", "red")

    def paint(text: str, span: Callable[[Any], tuple[int, int]]) -> Text:
        painted = Text(clean(text, " "))  # as many characters, so that the spans stay
        for number, passage in enumerate(match.passages):
            painted.stylize(colours[number % len(colours)], *span(passage))
        return painted

    table = Table(expand=True, box=None, padding=(0, 2, 0, 0))
    table.add_column(Text(clean(match.query)), ratio=1)
    table.add_column(Text(clean(match.found)), ratio=1)
    table.add_row(paint(query, attrgetter("query")), paint(found, attrgetter("found")))
    console = Console(file=out)
    console.print(table)
    console.print(Text(str(match)))
