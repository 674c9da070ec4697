"""Two texts side by side, passage by passage."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from ..alignment import Kind, Pair, Piece
from ..model import Article, clean, count
from .show import open_console, show_date

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

COLOURS = ("green", "cyan", "yellow", "magenta", "blue", "red")
CHANGED = (Kind.REWORDED, Kind.INSERTED, Kind.DROPPED)
GUTTER = "  "
LEAST_WIDTH = 8
LEFT_TO_RIGHT = "\u200e"
"""Of no width; keeps a terminal that sets text from right to left from swapping the columns."""
ELSEWHERE = "…"
"""Stands for a part that is shown beside what it was moved from or to."""


@dataclass
class Stretch:
    """A passage, or words too few for one, or what stands before it: the pieces of each side, in the order of that side."""

    query: list[Piece | None] = field(default_factory=list)
    found: list[Piece | None] = field(default_factory=list)

    def side(self, name: str) -> list[Piece | None]:
        """The pieces of one side; None where others are shown elsewhere."""
        return self.query if name == "query" else self.found


def show_side_by_side(
    pair: Pair, verdict: str, notes: Sequence[str], out: IO[str], *, spelling: bool, paged: bool
) -> None:
    """Print both texts in two columns below a verdict: each passage beside itself, in its colour, what is not shared before and between.

    What stands in one only is in brackets, in bold too where the terminal can; boilerplate is in braces, and grey. A passage that
    stands elsewhere in the found article is moved to where the query has it, with what is before it. If it is to be `paged`, what is
    longer than the terminal is.
    """
    console = open_console(out)
    with console.capture() as captured:
        for line in _lines(pair, verdict, notes, console, spelling=spelling):
            console.print(line, soft_wrap=True)
    shown = captured.get()
    if paged and out.isatty() and shown.count("\n") >= console.height:
        from click import echo_via_pager

        echo_via_pager(shown.removesuffix("\n"), color=console.color_system is not None)
    else:
        out.write(shown)


def _lines(
    pair: Pair, verdict: str, notes: Sequence[str], console: Console, *, spelling: bool
) -> Iterator[Text]:
    from rich.text import Text

    width = max(LEAST_WIDTH, (console.width - len(GUTTER)) // 2)
    mark = LEFT_TO_RIGHT if any(_is_right_to_left(one.text) for one in (pair.query, pair.found)) else ""

    def beside(left: Text, right: Text) -> Iterator[Text]:
        """Lines with both texts, each wrapped to its column."""
        sides = [side.wrap(console, width, overflow="fold", tab_size=4) for side in (left, right)]
        for number in range(max(map(len, sides))):
            mine, theirs = (side[number] if number < len(side) else Text() for side in sides)
            mine.rstrip()
            theirs.rstrip()
            room = " " * (width - mine.cell_len if theirs else 0)
            yield Text.assemble(mark, mine, room, GUTTER if theirs else "", mark if theirs else "", theirs)

    def under(text: Text) -> Iterator[Text]:
        """Lines of a text, wrapped to the whole width."""
        for line in text.wrap(console, console.width):
            line.rstrip()
            yield line

    yield from under(Text(verdict))
    yield Text()
    yield from beside(*(Text(clean(one.id), "bold") for one in (pair.query, pair.found)))
    yield from beside(*(Text(_say_about(one), "italic") for one in (pair.query, pair.found)))
    write = _Writer(pair, spelling)
    for number, (before, unit, after) in enumerate(_arrange(pair.pieces)):
        colour = COLOURS[number % len(COLOURS)]
        for stretch, style in ((before, ""), (unit, colour), (after, "")):
            head = _say_head(pair, stretch)
            cells = [write.side(stretch, name, style) for name in ("query", "found")]
            if any(cell.plain for cell in cells):
                yield from beside(Text(head, "bold"), Text("──", "bold"))
                yield from beside(*cells)
                yield Text()
    used = {piece.kind for piece in pair.pieces}
    legend = ["[ ]: not so in the other"] * bool(used.intersection(write.marked))
    legend += ["{ }: boilerplate, which does not count"] * (Kind.BOILERPLATE in used)
    for line in [*legend, *notes]:
        yield from under(Text(line, "dim"))


class _Writer:
    """Writes the pieces of a pair's sides, marked."""

    def __init__(self, pair: Pair, spelling: bool) -> None:
        self.texts = {"query": pair.query.text, "found": pair.found.text}
        self.marked = (*CHANGED, *[Kind.SPELLED] * spelling)

    def side(self, stretch: Stretch, name: str, style: str) -> Text:
        """One side of a stretch, without white space at its ends."""
        from rich.text import Text

        written = Text(style=style)
        for piece in stretch.side(name):
            if piece is None:
                written.append(f"{ELSEWHERE} ")
                continue
            text = clean(self.texts[name][slice(*getattr(piece, name))], " ")
            body = _without_marks(text) if piece.kind in CHANGED else text.rstrip()
            if body and piece.kind in self.marked:
                written.append(f"[{body}]", "bold")
            elif body and piece.kind == Kind.BOILERPLATE:
                written.append("{" + body + "}", "not bold dim default")
            else:
                written.append(body)
            written.append(text[len(body) :])
        plain = written.plain
        return written[len(plain) - len(plain.lstrip()) : len(plain.rstrip())] if plain.strip() else Text()


def _arrange(pieces: Sequence[Piece]) -> list[tuple[Stretch, Stretch, Stretch]]:
    """Passages and minor pieces by their place in the query, each with what stands before it, and the last with what stands behind.

    What stands before is what each side has since the passage before it there; so all of both texts is shown.
    """
    units: dict[object, tuple[Stretch, Stretch, Stretch]] = {}

    def unit_of(piece: Piece) -> object:
        """What a piece belongs to; None outside of all."""
        return piece if piece.minor else piece.passage if piece.passage >= 0 else None

    for piece in pieces:
        if (unit := unit_of(piece)) is not None:
            units.setdefault(unit, (Stretch(), Stretch(), Stretch()))
    if not units:
        units[None] = Stretch(), Stretch(), Stretch()
    for name in ("query", "found"):
        waiting: list[Piece | None] = []
        last = None
        for piece in sorted(pieces, key=lambda piece: getattr(piece, name)):
            start, end = getattr(piece, name)
            unit = unit_of(piece)
            if start == end:
                continue
            if unit is None:
                waiting.append(piece)
                continue
            before, own, _ = units[unit]
            before.side(name).extend(waiting)
            if own.side(name) and last is not unit:
                own.side(name).append(None)
            own.side(name).append(piece)
            waiting, last = [], unit
        list(units.values())[-1][2].side(name).extend(waiting)
    return list(units.values())


def _say_head(pair: Pair, stretch: Stretch) -> str:
    """What is said of a stretch above it: of a passage how many words it has, of others what they are."""
    pieces = [piece for piece in (*stretch.query, *stretch.found) if piece]
    if not pieces:
        return ""
    first, moved = pieces[0], ", moved" * pieces[0].moved
    if first.minor:
        return f"── too short for a passage{moved} ──"
    if first.passage < 0 or pair.match is None:
        is_boilerplate = all(piece.kind == Kind.BOILERPLATE for piece in pieces)
        return "── boilerplate ──" if is_boilerplate else "── not in a passage ──"
    passage = pair.match.passages[first.passage]
    also = f", {passage.changed:,} changed" if passage.changed else ""
    return f"── {first.passage + 1}: {count(passage.words, 'word')}{also}{moved} ──"


def _without_marks(text: str) -> str:
    """A text without the marks and the white space at its end."""
    end = len(text)
    while end and unicodedata.category(text[end - 1])[0] in "PZC":
        end -= 1
    return text[:end]


def _say_about(article: Article) -> str:
    about = article.title, article.source, show_date(article.published or "")
    return " · ".join(" ".join(clean(one).split()) for one in about if one)


def _is_right_to_left(text: str) -> bool:
    return not text.isascii() and any(unicodedata.bidirectional(one) in ("R", "AL") for one in text)
