"""Lines over two axes as SVG: nothing to load, no style of its own, text escaped.

What is drawn can stand alone in a file, where its colours are those written here, or in a page, whose style sheet names others by class.
Lines differ by dashes as well as by colour.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from ..escaping import escape
from ..model import clean

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 400, 280, 48, 34, 14, 44
ENTRY = 18
"""The height of a line of the legend."""
COLOURS = ("#0f5578", "#a1352a", "#1f6a35", "#5f3d98", "#7d5200", "#00695c", "#8a2a6b", "#455a64")
DASHES = ("", "7 4", "2 3", "9 3 2 3")
TICKS = 5
DOTTED = 24
"""Of a line of so few points each is marked."""
_ROOM = 8.5
"""So wide a letter of the legend is at most, but for wide scripts."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points (x, y), from left to right or as a curve runs; what is no finite number is left out."""

    name: str
    points: Sequence[tuple[float | None, float | None]]
    faint: bool = False
    """Whether it is there to compare with: what is published, what chance would give."""


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over a common x; an axis without `edges` reaches as far as the points do, and may be logarithmic."""

    title: str
    across: str
    up: str
    lines: Sequence[Line]
    across_edges: tuple[float, float] | None = None
    up_edges: tuple[float, float] | None = None
    across_log: bool = False
    up_log: bool = False


@dataclass(frozen=True, slots=True)
class _Axis:
    low: float
    high: float
    is_log: bool
    start: float
    end: float

    @classmethod
    def over(
        cls,
        values: Sequence[float],
        edges: tuple[float, float] | None,
        is_log: bool,
        span: tuple[float, float],
    ) -> _Axis:
        none = (1.0, 10.0) if is_log else (0.0, 1.0)
        low, high = edges or (min(values, default=none[0]), max(values, default=none[1]))
        if low >= high:
            around = max(0.5, abs(low) / 2)
            low, high = (low / 2, low * 2) if is_log else (low - around, low + around)
        return cls(low, high, is_log, *span)

    def place(self, value: float) -> float:
        low, high, at = (math.log10(one) if self.is_log else one for one in (self.low, self.high, value))
        return self.start + (at - low) / (high - low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round numbers along the axis: about `TICKS`, or, where it is logarithmic, powers of ten and, of few of these, twos and fives."""
        if self.is_log:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            steps = (1, 2, 5) if len(powers) < 4 else (1,)
            every = [step * 10.0**power for power in powers for step in steps]
        else:
            rough = (self.high - self.low) / TICKS
            unit = 10.0 ** math.floor(math.log10(rough))
            step = next(unit * one for one in (1, 2, 2.5, 5, 10) if unit * one >= rough * 0.999)
            first = math.ceil(self.low / step - 1e-9)
            every = [step * number for number in range(first, math.floor(self.high / step + 1e-9) + 1)]
        slack = 1e-9 * abs(self.high)
        return [one for one in every if self.low - slack <= one <= self.high + slack]


def draw(chart: Chart) -> str:
    """The chart as an SVG element, which is a document too."""
    lines = [(line, _known(line, chart)) for line in chart.lines]
    points = [point for _, some in lines for point in some]
    across = _Axis.over([x for x, _ in points], chart.across_edges, chart.across_log, (LEFT, WIDTH - RIGHT))
    up = _Axis.over([y for _, y in points], chart.up_edges, chart.up_log, (HEIGHT - BOTTOM, TOP))
    named = [(line, some) for line, some in lines if line.name]
    entries = _lay_out([line.name for line, _ in named])
    height = HEIGHT + ENTRY * (entries[-1][1] + 1 if entries else 0)
    title = escape(clean(chart.title))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="curve" role="img" aria-label="{title}" viewBox="0 0 {WIDTH} {height}" '
        'font-family="system-ui, sans-serif" font-size="12">',
        f'<rect class="ground" width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text class="title" x="{LEFT}" y="20" font-weight="600" fill="#1c1e20">{title}</text>',
        *_draw_axes(chart, across, up),
    ]
    parts += [_draw_line(line, some, number, across, up) for number, (line, some) in enumerate(lines)]
    places = {id(line): number for number, (line, _) in enumerate(lines)}
    for (line, some), (x, row) in zip(named, entries, strict=True):
        y, number = HEIGHT + ENTRY * row + 4, places[id(line)]
        stroke = f'<path d="M{x},{y}h26" {_stroke(line, number)}/>'
        sample = _dot(x + 13, y, number) if len(some) == 1 else stroke
        parts.append(
            f'{sample}<text x="{x + 32}" y="{y + 4}" fill="#5a5f65">{escape(clean(line.name))}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def _known(line: Line, chart: Chart) -> list[tuple[float, float]]:
    """The points of a line that have a place."""
    return [
        (float(x), float(y))
        for x, y in line.points
        if x is not None and y is not None and math.isfinite(x) and math.isfinite(y)
        if (x > 0 or not chart.across_log) and (y > 0 or not chart.up_log)
    ]


def _lay_out(names: Sequence[str]) -> list[tuple[float, int]]:
    """Where each entry of the legend stands, and in which of its lines."""
    places: list[tuple[float, int]] = []
    x, row = float(LEFT), 0
    for name in names:
        width = 44 + _ROOM * len(name)
        if x > LEFT and x + width > WIDTH:
            x, row = float(LEFT), row + 1
        places.append((x, row))
        x += width
    return places


def _draw_axes(chart: Chart, across: _Axis, up: _Axis) -> list[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = []
    for value in up.ticks():
        y = round(up.place(value), 1)
        parts.append(f'<path class="grid" d="M{LEFT},{y}H{right}" stroke="#e2dfd7"/>')
        parts.append(
            f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end" fill="#5a5f65">{_say(value)}</text>'
        )
    for value in across.ticks():
        x = round(across.place(value), 1)
        parts.append(
            f'<text x="{x}" y="{bottom + 16}" text-anchor="middle" fill="#5a5f65">{_say(value)}</text>'
        )
    parts.append(f'<path class="axis" d="M{LEFT},{TOP}V{bottom}H{right}" fill="none" stroke="#5a5f65"/>')
    middle = (LEFT + right) / 2
    names = (
        (chart.across, f'x="{middle}" y="{HEIGHT - 12}"'),
        (chart.up, f'transform="translate(12 {(TOP + bottom) / 2}) rotate(-90)"'),
    )
    for name, where in names:
        parts.append(f'<text {where} text-anchor="middle" fill="#5a5f65">{escape(clean(name))}</text>')
    return parts


def _draw_line(
    line: Line, points: Sequence[tuple[float, float]], number: int, across: _Axis, up: _Axis
) -> str:
    every = ((round(across.place(x), 1), round(up.place(y), 1)) for x, y in points)
    placed = [one for one, _ in groupby(every)]
    path = " ".join(f"{x:g},{y:g}" for x, y in placed)
    drawn = f'<path d="M{path}" {_stroke(line, number)}/>' if placed else ""
    if line.faint or len(placed) > DOTTED:
        return drawn
    return drawn + "".join(_dot(x, y, number) for x, y in placed)


def _dot(x: float, y: float, number: int) -> str:
    place = number % len(COLOURS)
    return f'<circle class="dot line-{place + 1}" cx="{x:g}" cy="{y:g}" r="3" fill="{COLOURS[place]}"/>'


def _stroke(line: Line, number: int) -> str:
    place = number % len(COLOURS)
    dashes = DASHES[number % len(DASHES)]
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    if line.faint:
        return 'class="faint" fill="none" stroke="#9a9da0" stroke-dasharray="3 3"'
    return f'class="line-{place + 1}" fill="none" stroke="{COLOURS[place]}" stroke-width="2" stroke-linejoin="round"{dashed}'


def _say(value: float) -> str:
    """A number at an axis."""
    value = 0.0 if abs(value) < 1e-12 else value
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.4g}"


def draw_interval(low: float, high: float) -> str:
    """Where an interval lies between 0 and 1, small, to stand beside what says it."""
    start, width = 1 + 78 * low, max(2.0, 78 * (high - low))
    return (
        '<svg class="interval" viewBox="0 0 80 8" aria-hidden="true"><path class="grid" d="M1,4H79"/>'
        f'<rect class="line-1" x="{min(start, 79 - width):.1f}" y="2" width="{width:.1f}" height="4"/></svg>'
    )
