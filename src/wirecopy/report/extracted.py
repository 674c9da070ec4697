"""The blocks of web pages as one HTML file, for a person.

What stands in pages is hostile: nothing reaches the file but escaped text, no markup, no attribute, no address that could be followed.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from typing import IO

from ..escaping import escape, isolate
from ..model import Block, Extracted, clean, count
from .page import fill, policy, template


def write_extracted(found: Iterable[Extracted], out: IO[str], model: str) -> None:
    """Write all pages into one HTML file that needs no other: contents, then the blocks of each page."""
    style = template("extracted.css")
    before, after = template("extracted.html").split("{{blocks}}")
    with tempfile.TemporaryFile("w+", encoding="utf-8") as sections:
        contents = []
        for number, one in enumerate(found, 1):
            sections.write(_section(one, number))
            contents.append(_entry(one, number))
        values = {"policy": policy(style), "style": style, "model": escape(clean(model))}
        values["title"] = f"Blocks of {count(len(contents), 'page')}"
        values["contents"] = f"<nav><ol>\n{''.join(contents)}</ol></nav>\n" if len(contents) > 1 else ""
        out.write(fill(before, values))
        sections.seek(0)
        shutil.copyfileobj(sections, out)
    out.write(after)


def label(block: Block) -> str:
    """The label of a block for a person: CONTENT, or a dash."""
    return "CONTENT" if block.content else "-"


def reasons(block: Block) -> str:
    """What speaks for or against a block, the weightiest first."""
    return "; ".join(f"{reason} {part:+.2f}" for reason, part in block.reasons)


def _section(found: Extracted, number: int) -> str:
    article = found.article
    known = {name: value for name, value in asdict(article).items() if value and name != "text"}
    content = sum(block.content for block in found.blocks)
    known |= {"status": found.status, "blocks": f"{content:,} of {len(found.blocks):,} are content"}
    facts = "".join(f"<dt>{name}</dt><dd>{isolate(clean(value))}</dd>" for name, value in known.items())
    blocks = "".join(map(_block, found.blocks))
    heading = f"<h2>{isolate(clean(article.title or article.id))}</h2>"
    return f'<section id="page{number}">\n{heading}\n<dl>{facts}</dl>\n{blocks}</section>\n'


def _block(block: Block) -> str:
    kind = "content" if block.content else "rest"
    why = " · ".join(filter(None, (label(block), f"{block.score:+.2f}", block.path, reasons(block))))
    return f'<div class="{kind}"><p dir="auto">{escape(clean(block.text))}</p><small>{escape(clean(why))}</small></div>\n'


def _entry(found: Extracted, number: int) -> str:
    status = "" if found.status == "ok" else f" <em>{escape(clean(found.status))}</em>"
    title = found.article.title or found.article.id
    return f'<li><a href="#page{number}">{isolate(clean(title))}</a>{status}</li>\n'
