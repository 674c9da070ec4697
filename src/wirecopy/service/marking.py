"""Texts with marks, as HTML that needs no script: a checked text by where its passages are found, and two articles side by side.

What the page's script makes of the same pieces is in `report/check.js` and `report/pair.js`; classes and looks are those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from ..alignment import Kind, Piece, Span
from ..escaping import escape

HUES = 8
"""So many colours there are for sources."""
NAMED = 3
"""So many sources of a passage are numbered in it."""
_TAGS = {
    Kind.INSERTED: "ins",
    Kind.DROPPED: "del",
    Kind.ADDED: "span",
    Kind.CUT: "span",
    Kind.BOILERPLATE: "span",
}
_EDGES = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Link:
    """A passage, or a stretch too short for one, that stands on both sides."""

    number: int
    query: Span
    found: Span
    moved: bool
    minor: bool


def find_links(pieces: Sequence[Piece]) -> dict[int, Link]:
    """What is linked between both sides, by the place of each piece that is a part of it; numbered in the order of the query."""
    parts: dict[tuple[bool, int], list[int]] = {}
    for place, piece in enumerate(pieces):
        if piece.passage >= 0:
            parts.setdefault((False, piece.passage), []).append(place)
        elif piece.minor:
            parts.setdefault((True, place), []).append(place)
    found = []
    for (minor, _), places in parts.items():
        some = [pieces[place] for place in places]
        sides = [
            [span for span in ((one.query, one.found)[side] for one in some) if span[1] > span[0]]
            for side in (0, 1)
        ]
        if all(sides):
            spans = [(min(start for start, _ in side), max(end for _, end in side)) for side in sides]
            found.append((spans, any(one.moved for one in some), minor, places))
    found.sort(key=lambda one: one[0][0])
    return {
        place: Link(number, spans[0], spans[1], moved, minor)
        for number, (spans, moved, minor, places) in enumerate(found, 1)
        for place in places
    }


def mark_side(text: str, pieces: Sequence[Piece], side: str) -> Markup:
    """The text of one side, `query` or `found`, cut into its pieces; what is linked leads to its other end."""
    links, at = find_links(pieces), ("query", "found").index(side)
    gap = (Kind.DROPPED, Kind.INSERTED)[at]
    spans = [(piece.query, piece.found)[at] for piece in pieces]
    laid = [place for place, (start, end) in enumerate(spans) if end > start or pieces[place].kind is gap]
    laid.sort(key=lambda place: spans[place])
    made: list[str] = []
    labelled: set[int] = set()
    box: Link | None = None
    for place in laid:
        (start, end), link = spans[place], links.get(place)
        if start == end:
            made += ['<i class="gap" aria-hidden="true"></i>'] * (link is not None and link == box)
            continue
        if link != box:
            made += ["</span>"] * (box is not None)
            if link:
                made.append(f'<span class="passage{" moved" * link.moved}" data-link="{link.number}">')
                made += [_label(link, side)] * (link.number not in labelled)
                labelled.add(link.number)
            box = link
        made.append(_words(text[start:end], pieces[place].kind))
    made += ["</span>"] * (box is not None)
    return Markup("".join(made))


def _label(link: Link, side: str) -> str:
    other = "found" if side == "query" else "query"
    words = f"Passage {link.number}{' has moved' * link.moved}: go to its other end"
    face = f"{'⇅&thinsp;' * link.moved}{link.number}"
    return f'<a class="label" id="{side}-{link.number}" href="#{other}-{link.number}" title="{words}" aria-label="{words}">{face}</a>'


def _words(text: str, kind: Kind) -> str:
    """A piece as HTML: the white space around it is not marked."""
    found = _EDGES.fullmatch(text)
    assert found
    before, words, after = map(escape, found.groups())
    tag = _TAGS.get(kind, "mark")
    return f'{before}<{tag} class="{kind}">{words}</{tag}>{after}' if words else before + after


@dataclass(frozen=True, slots=True)
class Source:
    """Where parts of a text are found: what to call it, and the spans of the text that are the same there."""

    name: str
    spans: Sequence[Span]


def mark_checked(text: str, sources: Sequence[Source], fresh: Sequence[Span]) -> Markup:
    """A text coloured by the best source that has each stretch, sources numbered as they are given; what is new is told apart."""
    return Markup("".join(_stretches(text, sources, fresh)))


def _stretches(text: str, sources: Sequence[Source], fresh: Sequence[Span]) -> Iterator[str]:
    new = len(sources)
    steps = [
        (edge, rank, step)
        for rank, spans in enumerate([*(one.spans for one in sources), fresh])
        for start, end in spans
        if end > start
        for edge, step in ((start, 1), (end, -1))
    ]
    steps.sort(key=lambda one: one[0])
    depth: dict[int, int] = {}
    edges = sorted({0, len(text), *(edge for edge, *_ in steps)})
    at = 0
    for start, end in pairwise(edges):
        while at < len(steps) and steps[at][0] <= start:
            depth[steps[at][1]] = depth.get(steps[at][1], 0) + steps[at][2]
            at += 1
        ranks = sorted(rank for rank, many in depth.items() if many > 0)
        words = text[start:end]
        if new in ranks:
            ranks.remove(new)
            kind = "new"
        else:
            kind = ""
        if not ranks or not words.strip():
            yield f'<span class="new">{escape(words)}</span>' if kind and not ranks else escape(words)
            continue
        names = ", ".join(sources[rank].name for rank in ranks[:5])
        numbers = ",".join(str(rank + 1) for rank in ranks[:NAMED])
        yield (
            f'<mark class="source-{ranks[0] % HUES}" data-of="{" ".join(map(str, ranks))}" title="{escape(names)}">'
            f"<sup>{numbers}</sup>{escape(words)}</mark>"
        )
