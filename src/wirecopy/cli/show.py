"""What people look at: tables, progress bars, two texts side by side."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..comparison import RELATIONS
from ..model import Article, Match, clean, count, one_line
from ..pile import Matches, Progress
from .naming import Ids

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


def print_text(text: str, out: IO[str]) -> None:
    """Print paragraphs, wrapped between words."""
    from rich.text import Text

    console = open_console(out)
    for paragraph in text.split("\n\n"):
        console.print(Text(plain(paragraph)), end="\n\n")


def show_table(matches: Matches, out: IO[str], within: Sequence[Path] = (), rows: int = TABLE_ROWS) -> None:
    """Print the `rows` most telling matches: the closest relations first, then the most words; at the end how many there are of each.

    A match has a line for each article, and on a wide terminal one for its longest passage. `within` is where the articles are.
    """
    if not len(matches):
        if matches.articles:
            out.write(f"nothing found: no copies among {count(matches.articles)}\n")
        return
    console = open_console(out)
    shown = np.lexsort((-matches.words, matches.compared.relation))[:rows].tolist()
    told = list(matches.tell(shown))
    ids = Ids(lambda: chain(matches.query_side.ids, matches.found_side.ids))
    lines: list[_Line] = []
    for match, query, found in told:
        longest = f"“{_longest(match)}”" if console.width >= WIDE else ""
        lines.append(_Line(str(match.relation), match.query_covered, query))
        lines.append(_Line(count(match.words, "word"), match.found_covered, found, longest))
    _print_lines(console, lines, ids)
    more = len(matches) - len(shown)
    if more:
        print(f"… and {more:,} more; write all with --output FILE", file=out)
    kinds = (f"{number:,} {relation}" for relation, number in matches.count_relations().items())
    print(f"{count(len(matches), 'match', 'matches')}: {', '.join(kinds)}", file=out)
    if within:
        places = " ".join(f"--in {quote(clean(str(path)))}" for path in within)
        print(f"side by side: wirecopy show ID ID {places}", file=out)


def show_answer(answer: Answer, ids: Ids, out: IO[str], *, some: bool = False) -> None:
    """Print what a text shares with an archive that has these ids: the verdict, and the articles found, each with its longest passage.

    `some` says that only some relations were asked for.
    """
    out.write(one_line(f"{answer.query}: {say_verdict(answer)}") + "\n")
    if not answer.found:
        return
    shown = sorted(answer.found, key=lambda one: (RELATIONS.index(one.match.relation), -one.match.words))
    lines = []
    for match, article in ((one.match, one.article) for one in shown[:TABLE_ROWS]):
        longest = f"{count(match.words, 'word')}: “{_longest(match)}”"
        lines.append(_Line(str(match.relation), match.query_covered, article, longest))
    _print_lines(open_console(out), lines, ids)
    if answer.articles > len(lines):
        name_more = f"name more with --top N{' or without --relation' if some else ''}"
        way_out = "write all with --output FILE" if len(shown) > len(lines) else name_more
        print(f"… and {answer.articles - len(lines):,} more; {way_out}", file=out)
    if said := say_stories(answer, ids):
        print(said, file=out)
    out.write("\n")


def say_stories(answer: Answer, ids: Ids) -> str:
    """The stories that the articles found are in with others, by their ids, the first three; nothing if they are in none."""
    others = [one.story for one in answer.found if one.story != one.article.id]
    named = [story for story in answer.stories if story in others]
    if not named:
        return ""
    # As the table shortens them, which knows what folders all have in common.
    short = ids.shorten([*named[:3], *(one.article.id for one in answer.found)], WIDE // 5)
    shown = [one_line(short[name]) for name in named[:3]]
    more = [f"{len(named) - 3:,} more"] * (len(named) > 3)
    return f"{'story' if len(named) == 1 else 'stories'}: {', '.join([*shown, *more])}"


def say_verdict(answer: Answer) -> str:
    """The verdict on a text: how much of it is copied, and from how many articles."""
    copies = answer.articles - answer.form_of_count
    least = "at least " * answer.at_least
    also = f", form of {least}{count(answer.form_of_count)}" if answer.form_of_count else ""
    if not copies:
        return f"nothing copied{also}"
    longest = count(answer.longest_words, "word")
    return f"{answer.copied:.0%} copied from {least}{count(copies)}, longest passage {longest}{also}"


def show_date(published: str) -> str:
    """The day of a date as YYYY-MM-DD; the first ten characters of one in no known form."""
    if "," in published[:4]:
        from email.utils import parsedate_to_datetime

        with suppress(ValueError):
            return parsedate_to_datetime(published).date().isoformat()
    return clean(published[:10])


def show_size(size: int) -> str:
    """A number of bytes, for people."""
    if size < 10_000:
        return f"{size:,} bytes"
    return f"{size / 1000:,.0f} kB" if size < 1e7 else f"{size / 1e6:,.0f} MB"


WIDE = 100
"""A terminal of at least this width shows a passage of each match."""


@dataclass(frozen=True)
class _Line:
    """A line of a table: what is said of an article, how much of it is shared, and what stands below."""

    lead: str
    share: float
    article: Article
    below: str = ""


def _longest(match: Match) -> str:
    """The longest passage of a match, on one line."""
    longest = max(match.passages, key=lambda passage: passage.words, default=None)
    return clean(" ".join(longest.text[:1000].split())) if longest else ""


def _print_lines(console: Console, lines: Sequence[_Line], ids: Ids) -> None:
    """Print lines as a table; dates and sources if there are any, titles where ids leave room, and ids whole or so that they are clear."""
    is_wide = console.width >= WIDE
    columns = {
        "relation": [line.lead for line in lines],
        "share": [f"{line.share:.0%}" if is_wide else "" for line in lines],
        "date": [show_date(line.article.published or "") for line in lines],
        "source": [fit(plain(line.article.source), console.width // 6) for line in lines],
    }
    titles, names = [line.article.title for line in lines], [line.article.id for line in lines]
    print_columns(console, columns, titles, names, ids, [line.below for line in lines])


def print_columns(
    console: Console,
    columns: Mapping[str, Sequence[str]],
    titles: Sequence[str | None],
    names: Sequence[str],
    ids: Ids,
    below: Sequence[str] = (),
) -> None:
    """Print rows of some columns, those that are empty left out, each with a title, if there are any, and an id, and what stands `below` it."""
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text

    shown = ids.shorten(names, console.width // 4)
    columns = {head: cells for head, cells in columns.items() if any(cells)}
    widths = [max(map(cell_len, [head, *cells])) for head, cells in columns.items()]
    rest = console.width - sum(widths) - 2 * len(widths)

    def write(cells: Iterable[str], title: str, name: str, style: str = "") -> None:
        start = "".join(set_cell_size(cell, wide + 2) for cell, wide in zip(cells, widths, strict=True))
        room = max(8, rest - cell_len(name) - 2)
        end = f"{set_cell_size(fit(title, room), room)}  {name}" if any(titles) else name
        console.print(Text(start + end, style), soft_wrap=True)

    write(columns, "title", "id", "bold")
    for number, (title, name) in enumerate(zip(titles, names, strict=True)):
        write([cells[number] for cells in columns.values()], plain(title), one_line(shown[name]))
        if below and below[number]:
            indent = " " * (widths[0] + 2)
            line = fit(below[number], console.width - len(indent))
            console.print(Text(indent + line, "dim"), soft_wrap=True)


def plain(text: str | None) -> str:
    """A text on one line, or nothing."""
    return " ".join(clean(text or "").split())


def fit(text: str, width: int) -> str:
    """The text, cut behind a word where it is wider than `width` on a terminal; … stands for what is left out."""
    from rich.cells import cell_len, chop_cells

    if cell_len(text) <= width:
        return text
    start = chop_cells(text, max(1, width - 1))[0]
    words = start.rpartition(" ")[0] if text[len(start)] != " " else start
    is_spaced = cell_len(words) >= width // 2
    return f"{(words if is_spaced else start).rstrip()}…"
