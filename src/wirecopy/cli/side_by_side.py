"""Two texts side by side, passage by passage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import IO, TYPE_CHECKING

from ..comparison import find_changed
from ..model import Article, Match, clean, count
from .show import show_date

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_MARKS = re.compile(r"[^\w\s]*")
COLOURS = ("green", "cyan", "yellow", "magenta", "blue", "red")


def show_side_by_side(match: Match, query: Article, found: Article, out: IO[str]) -> None:
    """Print both texts in two columns: each passage beside itself, in its colour, and what is not shared before and between them.

    What stands in one only is in brackets, in bold too where the terminal can. A passage that stands elsewhere in the found article
    is moved to where the query has it, with what is before it.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(expand=True, box=None, padding=(0, 2, 0, 0))
    for article in (query, found):
        table.add_column(Text(clean(article.id)), ratio=1, overflow="fold")
    table.add_row(*(Text(_say_about(article), "italic") for article in (query, found)))
    in_order = sorted(match.passages, key=lambda passage: passage.query)
    spans = [_with_marks(query.text, passage.query) for passage in in_order]
    found_spans = [_with_marks(found.text, passage.found) for passage in in_order]
    gaps = _gaps(query.text, spans), _gaps(found.text, found_spans)
    for number, passage in enumerate(in_order):
        _add(table, *(Text(side[number], "dim") for side in gaps))
        colour = COLOURS[number % len(COLOURS)]
        also = f", {passage.changed:,} changed" if passage.changed else ""
        head = f"── {number + 1}: {count(passage.words, 'word')}{also} ──"
        table.add_row(Text(head, "bold"), Text("──", "bold"))
        texts = query.text[slice(*spans[number])], found.text[slice(*found_spans[number])]
        sides = zip(texts, find_changed(*texts), strict=True)
        _add(table, *(_mark(clean(text, " "), changed, colour) for text, changed in sides))
    _add(table, *(Text(side[-1], "dim") for side in gaps))
    console = Console(file=out)
    console.print(table)
    console.print(Text(str(match).splitlines()[0]))
    if any(passage.changed for passage in match.passages):
        console.print(Text("[ ]: not so in the other"))


def _say_about(article: Article) -> str:
    about = article.title, article.source, show_date(article.published or "")
    return " · ".join(" ".join(clean(one).split()) for one in about if one)


def _with_marks(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """A span with the marks, such as a full stop, that follow its last word."""
    marks = _MARKS.match(text, span[1])
    return span[0], marks.end() if marks else span[1]


def _gaps(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """What stands before each span of a text since the span before it in the text, and last what stands behind them all."""
    by_place = sorted(range(len(spans)), key=spans.__getitem__)
    ends = {later: spans[earlier][1] for earlier, later in pairwise(by_place)}
    starts = [(ends.get(number, 0), spans[number][0]) for number in range(len(spans))]
    behind = max((end for _, end in spans), default=0)
    return [clean(text[start:end], " ").strip() for start, end in [*starts, (behind, len(text))]]


def _mark(text: str, spans: Iterable[tuple[int, int]], colour: str) -> Text:
    """A text in a colour, brackets around these spans of it."""
    from rich.text import Text

    marked, at = Text(style=colour), 0
    for start, end in spans:
        marked.append(text[at:start]).append(f"[{text[start:end]}]", "bold")
        at = end
    return marked.append(text[at:])


def _add(table: Table, *cells: Text) -> None:
    """Add a row and an empty line, unless it is empty."""
    from rich.text import Text

    if any(cells):
        table.add_row(*cells)
        table.add_row(Text(""), Text(""))
