"""Graphs of who is linked to whom: between articles, all matches; between sources, who carries whose texts later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from ..errors import MissingExtra
from ..model import clean, count

if TYPE_CHECKING:
    import pyarrow

ARTICLE_HEADS = ("found", "query", "relation", "words", "method")
SOURCE_HEADS = ("found", "query", "articles", "words", "median_delay_seconds")
_TYPES = {"words": "long", "articles": "long", "median_delay_seconds": "double"}


@dataclass(frozen=True)
class Graph(Sequence[tuple[Any, ...]]):
    """A directed graph as its edges, from what is `found`, the earlier, to the `query`, with the columns `heads`.

    `nodes` are all that are in an edge, each with what is known of it.
    """

    heads: tuple[str, ...]
    edges: Sequence[tuple[Any, ...]]
    nodes: Mapping[str, Mapping[str, str]]

    def __len__(self) -> int:
        return len(self.edges)

    def __getitem__(self, row: Any) -> Any:
        return self.edges[row]

    def __repr__(self) -> str:
        return f"<Graph: {count(len(self.nodes), 'node')}, {count(len(self), 'edge')}>"

    def to_dict(self) -> dict[str, Any]:
        """The graph as a JSON object, in the form that d3 and networkx call node-link: `nodes` and `links`."""
        ends = {"found": "source", "query": "target"}
        heads = [ends.get(head, head) for head in self.heads]
        return {
            "directed": True,
            "multigraph": False,
            "nodes": [{"id": name, **about} for name, about in self.nodes.items()],
            "links": [dict(zip(heads, edge, strict=True)) for edge in self.edges],
        }

    def graphml(self) -> Iterator[str]:
        """The lines of the graph as GraphML."""
        known = list(dict.fromkeys(name for about in self.nodes.values() for name in about))
        yield '<?xml version="1.0" encoding="UTF-8"?>\n'
        yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        for name in known:
            yield f'<key id="node_{name}" for="node" attr.name="{name}" attr.type="string"/>\n'
        for name in self.heads[2:]:
            yield f'<key id="{name}" for="edge" attr.name="{name}" attr.type="{_TYPES.get(name, "string")}"/>\n'
        yield '<graph edgedefault="directed">\n'
        for node, about in self.nodes.items():
            told = "".join(_data(f"node_{name}", value) for name, value in about.items())
            yield f"<node id={_quote(node)}>{told}</node>\n"
        for found, query, *values in self.edges:
            told = "".join(
                _data(name, value)
                for name, value in zip(self.heads[2:], values, strict=True)
                if value is not None
            )
            yield f"<edge source={_quote(found)} target={_quote(query)}>{told}</edge>\n"
        yield "</graph>\n</graphml>\n"

    def to_arrow(self) -> pyarrow.Table:
        """The edges as an Arrow table."""
        try:
            import pyarrow as pa
        except ImportError:
            raise MissingExtra("an Arrow table", "arrow") from None
        types = {"long": pa.int64(), "double": pa.float64()}
        columns = zip(*self.edges, strict=True) if self.edges else [()] * len(self.heads)
        return pa.table(
            {
                head: pa.array(column, types.get(_TYPES.get(head, ""), pa.string()))
                for head, column in zip(self.heads, columns, strict=True)
            }
        )


def _plain(text: str) -> str:
    """A text without what XML cannot hold."""
    return clean(text, "\ufffd").replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")


def _quote(name: str) -> str:
    return quoteattr(_plain(name))


def _data(key: str, value: object) -> str:
    return f'<data key="{key}">{escape(_plain(str(value)))}</data>'


def link_sources(
    copies: Iterator[tuple[str, str, int, float]],
) -> Graph:
    """The graph between sources, from the copies of one from another: the source found, that of the copy, equal words, seconds after it."""
    between: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for found, query, words, after in copies:
        between.setdefault((found, query), []).append((words, after))
    edges = [
        (*pair, len(some), sum(words for words, _ in some), float(median(after for _, after in some)))
        for pair, some in between.items()
    ]
    edges.sort(key=lambda edge: (-edge[2], edge[0], edge[1]))
    names = sorted({name for pair in between for name in pair})
    return Graph(SOURCE_HEADS, edges, {name: {} for name in names})
