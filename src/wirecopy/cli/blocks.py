"""The blocks of pages, for a person: as a table, and as one HTML file.

What stands in pages is hostile. Nothing of it reaches a terminal but printable characters, and nothing reaches the
HTML file but escaped text: no markup, no attribute, no address that could be followed.
"""

from __future__ import annotations

import base64
import hashlib
import html
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import IO

from ..model import Block, Extracted, clean, count
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


def label(block: Block) -> str:
    """The label of a block for a person: CONTENT, or a dash."""
    return "CONTENT" if block.content else "-"


def reasons(block: Block) -> str:
    """What speaks for or against a block, the weightiest first."""
    return "; ".join(f"{reason} {part:+.2f}" for reason, part in block.reasons)


def cut_front(text: str, width: int) -> str:
    """The text, its beginning replaced by … where it is longer than `width`."""
    return text if len(text) <= width else f"…{text[1 - width :]}"


def write_html(found: Iterable[Extracted], out: IO[str], model: str) -> None:
    """Write all pages into one HTML file that needs no other: contents, then the blocks of each page."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as sections:
        contents = []
        for number, one in enumerate(found, 1):
            sections.write(_section(one, number))
            contents.append(_entry(one, number))
        name = f"Blocks of {count(len(contents), 'page')}"
        out.write(_HEAD.format(name=name, policy=_POLICY, style=_STYLE, model=_escape(model)))
        if len(contents) > 1:
            out.write(f"<nav><ol>\n{''.join(contents)}</ol></nav>\n")
        sections.seek(0)
        shutil.copyfileobj(sections, out)
    out.write("</body>\n</html>\n")


def _section(found: Extracted, number: int) -> str:
    article = found.article
    known = {name: value for name, value in asdict(article).items() if value and name != "text"}
    content = sum(block.content for block in found.blocks)
    known |= {"status": found.status, "blocks": f"{content:,} of {len(found.blocks):,} are content"}
    facts = "".join(f"<dt>{name}</dt><dd><bdi>{_escape(value)}</bdi></dd>" for name, value in known.items())
    blocks = "".join(map(_block, found.blocks))
    heading = f"<h2><bdi>{_escape(article.title or article.id)}</bdi></h2>"
    return f'<section id="page{number}">\n{heading}\n<dl>{facts}</dl>\n{blocks}</section>\n'


def _block(block: Block) -> str:
    kind = "content" if block.content else "rest"
    why = " · ".join(filter(None, (label(block), f"{block.score:+.2f}", block.path, reasons(block))))
    return f'<div class="{kind}"><p dir="auto">{_escape(block.text)}</p><small>{_escape(why)}</small></div>\n'


def _entry(found: Extracted, number: int) -> str:
    status = "" if found.status == "ok" else f" <em>{_escape(found.status)}</em>"
    title = found.article.title or found.article.id
    return f'<li><a href="#page{number}"><bdi>{_escape(title)}</bdi></a>{status}</li>\n'


def _escape(text: str) -> str:
    return html.escape(clean(text))


_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em; }
h1, h2 { line-height: 1.2; }
section { border-top: 1px solid #8888; margin-top: 3em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1em; font-size: .9em; }
dt { opacity: .7; }
dd { margin: 0; overflow-wrap: anywhere; }
div { border-left: .4em solid; margin: .4em 0; padding: .2em .8em; overflow-wrap: anywhere; }
div p { margin: 0; white-space: pre-line; }
div small { display: block; opacity: .55; font-size: .72em; }
div:hover small { opacity: 1; }
.content { border-color: #2a9d4a; background: #2a9d4a22; }
.rest { border-color: #8888; background: #8881; color: #777; }
"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
<style>{style}</style>
</head>
<body>
<h1>{name}</h1>
<p>Green is what the model <code>{model}</code> takes for the article, grey is the rest. Under each block: its label, how much
speaks for CONTENT before its neighbours are heard, the tags it stands in, and what counted most.</p>
"""
