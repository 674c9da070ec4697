"""Figures of the papers as charts."""

from __future__ import annotations

import re
from typing import Any

from ..drawing import Chart, Line
from ..drawing import draw as draw_chart
from . import Figure


def draw(figure: Figure) -> str:
    """The figure as an SVG document: the first column is x, each other one a line, faint if it is published; what is no number is left out."""
    lines = [
        Line(head, [(_number(row[0]), _number(row[at])) for row in figure.rows], "published" in head)
        for at, head in enumerate(figure.heads)
        if at
    ]
    short = re.split("[:,]", figure.title)[0]  # what stands in one line above it
    return draw_chart(Chart(f"{figure.name}: {short}", figure.heads[0], "", lines))


def _number(cell: Any) -> float | None:
    try:
        return float(str(cell).replace(",", "").split(" ")[0].rstrip("%"))
    except ValueError:
        return None
