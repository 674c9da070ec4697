"""Text that others wrote, as HTML that shows it and does nothing else."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

ROWS = 20
"""A table in a notebook has so many rows; of the rest it says how many there are."""
CELL = 200
"""So many characters of a text stand in a cell."""
_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""What a page cannot hold as text."""


def clean_text(text: str) -> str:
    """The text with U+FFFD for what no page can hold."""
    return _NO_TEXT.sub("\ufffd", text)


def escape(text: str) -> str:
    """The text as HTML, between tags and in quoted attributes; U+FFFD stands for what no page can hold."""
    return html.escape(clean_text(text))


def isolate(text: str) -> str:
    """The text as HTML whose direction, and whose marks that turn it, end with it."""
    return f"<bdi>{escape(text)}</bdi>"


_ADDRESS = re.compile(r"https?://[^\x00-\x20\x7f-\x9f\\/?#][^\x00-\x20\x7f-\x9f]*", re.IGNORECASE)


def safe_address(address: str | None) -> str | None:
    """The address if a person may follow it, which is one of http or https with a host; else None."""
    return address if address and _ADDRESS.fullmatch(address) else None


STYLE = """
.wirecopy { font: 13px/1.45 system-ui, sans-serif; }
.wirecopy table { border-collapse: collapse; margin: .3em 0; }
.wirecopy th, .wirecopy td { border-bottom: 1px solid #8884; padding: .2em .8em .2em 0; text-align: start; vertical-align: top; }
.wirecopy th { font-weight: 600; }
.wirecopy td.number { text-align: end; font-variant-numeric: tabular-nums; }
.wirecopy p { margin: .2em 0; }
.wirecopy .more { opacity: .7; }
"""
"""The look of answers in a notebook."""


def show_table(
    caption: str, heads: Sequence[str], rows: Iterable[Sequence[str | float]], more: int = 0
) -> str:
    """A small table as HTML with its own style, for a notebook: numbers to the right, long texts cut; `more` rows are not shown."""
    said = f"<p>{isolate(caption)}</p>"
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    if body:
        head = "".join(f"<th>{isolate(one)}</th>" for one in heads)
        said += f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    if more > 0:
        said += f'<p class="more">… {more:,} more</p>'
    return f'<div class="wirecopy"><style>{STYLE}</style>{said}</div>'


def _cell(value: str | float) -> str:
    if isinstance(value, str):
        line = " ".join(value[: 4 * CELL].split())
        return f"<td>{isolate(line if len(line) <= CELL else line[: CELL - 1] + '…')}</td>"
    return f'<td class="number">{f"{value:,}" if isinstance(value, int) else f"{value:.0%}"}</td>'
