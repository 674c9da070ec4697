"""The blocks of pages as a table, for a person; nothing of them reaches a terminal but printable characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

from ..model import Block, clean
from ..report.extracted import label, reasons
from .show import open_console


def show_blocks(blocks: Sequence[Block], out: IO[str]) -> None:
    """Print a table of blocks, under each what speaks for and against it."""
    from rich.cells import cell_len, set_cell_size

    # Rich's own tables take half a second for a thousand rows, and a page may have a hundred thousand blocks.
    console = open_console(out)
    coloured = console.color_system is not None and not console.no_color
    rest = max(30, console.width - 17)
    path_width = rest * 3 // 10
    text_width = rest - path_width - 2
    out.write(f"{'label':<7}  {'score':>6}  {'path':<{path_width}}  text\n")

    def fit(text: str, width: int) -> str:
        return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"

    for block in blocks:
        path = cut_front(clean(block.path), path_width)
        text = fit(" ".join(clean(block.text[:300]).split()), text_width)
        line = f"{label(block):<7}  {block.score:>+6.2f}  {path:<{path_width}}  {text}"
        if block.reasons:
            line += f"\n{'':17}{fit(clean(reasons(block)), rest)}"
        out.write(f"\x1b[{32 if block.content else 2}m{line}\x1b[0m\n" if coloured else f"{line}\n")


def cut_front(text: str, width: int) -> str:
    """The text, its beginning replaced by … where it is longer than `width`."""
    return text if len(text) <= width else f"…{text[1 - width :]}"
