"""Figures as SVG: lines over a common x, nothing to load, text escaped."""

from __future__ import annotations

from html import escape
from typing import Any

from . import Figure

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 400, 60, 40, 170, 50
COLOURS = ("#1b6ca8", "#c2412d", "#2e7d32", "#7b1fa2", "#b26a00", "#00695c", "#5d4037", "#455a64")


def draw(figure: Figure) -> str:
    """The figure as an SVG document: the first column is x, each other one a line; what is no number is left out."""
    xs = [_number(row[0]) for row in figure.rows]
    lines = {
        head: [
            (x, y)
            for x, row in zip(xs, figure.rows, strict=True)
            if None not in (x, y := _number(row[at + 1]))
        ]
        for at, head in enumerate(figure.heads[1:])
    }
    known = [point for points in lines.values() for point in points]
    low, high = _edges([x for x, _ in known])
    bottom, top = _edges([y for _, y in known])

    def place(x: float, y: float) -> str:
        across = LEFT + (x - low) / (high - low) * (WIDTH - LEFT - RIGHT)
        down = HEIGHT - BOTTOM - (y - bottom) / (top - bottom) * (HEIGHT - TOP - BOTTOM)
        return f"{across:.1f},{down:.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="20" font-weight="bold">{escape(f"{figure.name}: {figure.title}")}</text>',
        f'<path d="M{LEFT},{TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" fill="none" stroke="#333"/>',
        f'<text x="{(LEFT + WIDTH - RIGHT) // 2}" y="{HEIGHT - 10}" text-anchor="middle">{escape(figure.heads[0])}</text>',
    ]
    for step in range(5):
        x, y = low + (high - low) * step / 4, bottom + (top - bottom) * step / 4
        across, down = place(x, y).split(",")
        parts.append(f'<text x="{across}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{x:.4g}</text>')
        parts.append(f'<text x="{LEFT - 6}" y="{down}" text-anchor="end">{y:.4g}</text>')
    for number, (head, points) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(place(x, y) for x, y in points if x is not None and y is not None)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(
            f'<text x="{WIDTH - RIGHT + 8}" y="{TOP + 16 * number}" fill="{colour}">{escape(head)}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def _number(cell: Any) -> float | None:
    try:
        return float(str(cell).replace(",", "").split(" ")[0].rstrip("%"))
    except ValueError:
        return None


def _edges(values: list[Any]) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)
