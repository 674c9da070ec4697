"""A report as its page reads it: what is embedded, taken out again by the browser's rules."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

KINDS = ("same", "reworded", "inserted", "dropped", "added", "cut", "spelled", "boilerplate")


class _Page(HTMLParser):
    """Elements with their attributes and what stands in them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None], list[str]]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes), []))

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] in (self.lasttag, "title"):
            self.elements[-1][2].append(data)

    def handle_endtag(self, tag: str) -> None:
        self.lasttag = ""


@dataclass(frozen=True)
class Read:
    """A report that was read."""

    head: dict[str, Any]
    index: Any
    blocks: list[dict[str, Any]]
    elements: list[tuple[str, dict[str, str | None], str]]

    @property
    def entries(self) -> list[dict[str, Any]]:
        """All rows, in the order of the index."""
        return [entry for block in self.blocks for entry in block["stories"]]

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [one for one in self.entries if one["story"]["kind"] == kind]

    def content(self, tag: str, **attributes: str) -> list[str]:
        """What stands in each element of this kind."""
        return [
            content
            for name, has, content in self.elements
            if name == tag and all(has.get(one) == value for one, value in attributes.items())
        ]


def unpack(packed: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(packed, validate=True), -15))


def read_report(path: Path) -> Read:
    """The report in a file."""
    page = _Page()
    page.feed(path.read_bytes().decode("utf-8"))
    page.close()
    elements = [(tag, attributes, "".join(parts)) for tag, attributes, parts in page.elements]
    by_id = {
        has["id"]: content.strip() for tag, has, content in elements if tag == "script" and has.get("id")
    }
    blocks = [has["id"] for tag, has, _ in elements if tag == "script" and has.get("class") == "block"]
    assert blocks == [f"block-{number}" for number in range(len(blocks))]
    return Read(
        json.loads(by_id["head"]),
        unpack(by_id["index"]),
        [unpack(by_id[name]) for name in blocks if name],
        elements,
    )


class Piece(NamedTuple):
    kind: str
    sides: tuple[tuple[int, int], tuple[int, int]]
    """The span in the query, and in the found article."""
    flags: int


def pieces(pair: dict[str, Any]) -> Iterator[Piece]:
    """The pieces of a pair; each starts so far behind the last one, and is so long, in both texts."""
    flat, at = pair["pieces"], [0, 0]
    for place in range(0, len(flat), 6):
        kind, *steps, flags = flat[place : place + 6]
        spans = []
        for side in (0, 1):
            start = at[side] + steps[2 * side]
            at[side] = start + steps[2 * side + 1]
            spans.append((start, at[side]))
        yield Piece(KINDS[kind], (spans[0], spans[1]), flags)


def cut(text: str, span: tuple[int, int]) -> str:
    """What stands in a span of a text, in UTF-16 as JavaScript counts."""
    units = text.encode("utf-16-le", "surrogatepass")
    return units[2 * span[0] : 2 * span[1]].decode("utf-16-le", "surrogatepass")


def rebuild(pair: dict[str, Any], side: int, text: str) -> str:
    """The text of one side of a pair, put together from its pieces, which must not overlap."""
    spans = sorted(piece.sides[side] for piece in pieces(pair))
    at, parts = 0, []
    for start, end in spans:
        assert start in (at, end), (at, start, end)
        parts.append(cut(text, (start, end)))
        at = max(at, end)
    return "".join(parts)
