"""The frame of a page that needs no other file: its policy, and what is embedded in it.

A page holds one style and at most one script, both ours and named by their hashes; nothing else may run, load or be sent. Data stands in
elements that no browser runs, as JSON without `<`, or compressed and in base64, and only ever becomes text.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import IO, Any

from ..escaping import escape, isolate

LEVEL = 6
"""How hard blocks are compressed: fixed, so that a report is the same bytes each time."""
SCRIPTS = ("data.js", "overview.js", "lists.js", "story.js", "pair.js", "check.js", "scores.js", "report.js")
"""The files of the one script, in order."""
_MARK = re.compile(r"\{\{(\w+)\}\}")


@cache
def template(name: str) -> str:
    """A file of this folder: a frame, a style, a script."""
    return Path(__file__).with_name(name).read_text("utf-8")


def policy(style: str, script: str | None = None) -> str:
    """What a page with this style and script allows: these two, and nothing else."""
    rules = ["default-src 'none'"]
    rules += [f"script-src {_hash(script)}"] if script is not None else []
    rules += [f"style-src {_hash(style)}", "base-uri 'none'", "form-action 'none'"]
    rules += ["require-trusted-types-for 'script'", "trusted-types 'none'"]
    return "; ".join(rules)


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def fill(frame: str, values: Mapping[str, str]) -> str:
    """A frame with a value for each of its marks, `{{name}}`; what a value holds is no mark."""
    return _MARK.sub(lambda mark: values[mark[1]], frame)


def as_json(value: Any) -> str:
    """A value as JSON that may stand in a script element: it holds no `<`, and is ASCII."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def pack(value: Any) -> str:
    """A value as JSON, compressed by deflate and in base64."""
    try:
        plain = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half a character, which JSON can only hold as an escape
        plain = json.dumps(value, separators=(",", ":")).encode()
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(packer.compress(plain) + packer.flush()).decode()


def as_block(number: int, packed: str) -> bytes:
    """A block of the page: data that the script unpacks when it is asked for."""
    return f'<script type="text/plain" class="block" id="block-{number}">{packed}</script>\n'.encode()


def build_page(
    head: Mapping[str, Any], index: Any, blocks: Iterable[bytes] | IO[bytes], content: str = ""
) -> Iterator[bytes]:
    """A report, part by part: head, index, script, then its blocks, which may come from a file.

    A page that is read without its script has `content`, as HTML, in which nothing may stand that is not escaped.
    """
    style, script = template("report.css"), "\n".join(map(template, SCRIPTS))
    before, after = template("page.html").split("{{blocks}}")
    values = {"policy": policy(style, script), "title": escape(head["title"]), "style": style}
    values |= {"content": content, "summary": "" if content else summarise(head)}
    values |= {"head": as_json(head), "index": pack(index), "script": script}
    yield fill(before, values).encode()
    yield from blocks
    yield after.encode()


def summarise(head: Mapping[str, Any]) -> str:
    """What is read where no script runs, as HTML."""
    counts = "".join(f"<li>{escape(name)}: {number:,}</li>" for name, number in head["counts"].items())
    said = "This page is read with a browser that runs its script."
    return f"<h1>{isolate(head['title'])}</h1><p>{said}</p><ul>{counts}</ul>"
