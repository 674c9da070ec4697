"""What was found as one HTML file that needs no other: it opens from disk, prints, and can be sent.

A report is head, index, script, then blocks of rows, which the page unpacks when they are asked for; `page.py` frames them, `listing.py`
says which rows there are, `telling.py` what is told of each, `overview.py` what of the whole. Blocks go to a file as they are made, so
that memory does not grow with the report, and the same report is the same bytes.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..errors import refuse
from ..files import open_whole
from ..grouping.stories import Stories, tell_stories
from ..matching.collection import Pool, Progress, open_pool
from ..matching.matches import Matches
from ..model import count
from .listing import SHOWN_MEMBERS, Listing, Row
from .overview import LIMITS, Overview, tell_about
from .page import as_block, build_page, pack
from .telling import BLOCK_ROWS, INDEX_HEADS, Teller
from .views import open_answers, write_pair, write_scores

__all__ = ["Report", "open_answers", "prepare", "write_pair", "write_report", "write_scores"]

SAMPLED = 4
"""So many blocks are made to estimate the size of all."""


def write_report(
    told: Stories | Matches,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    texts: bool = True,
    top: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> int:
    """Write what was found as one HTML file, and return its size in bytes; an earlier file stays until the new one is whole.

    Of matches the stories are told, and of matches of queries what each query shares. Without `texts` the report says how much is shared
    and where, and holds no article; with `top` it lists so many of the largest stories, collections, series and other matches.
    """
    with open_pool(threads, progress) as pool:
        return prepare(told, pool, title=title, texts=texts, top=top).write(Path(path), pool)


def prepare(
    told: Stories | Matches,
    pool: Pool,
    *,
    title: str | None = None,
    texts: bool = True,
    top: int | None = None,
    only: str | None = None,
    stories: bool = True,
    made_from: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
) -> Report:
    """The report on stories or matches, about to be written; it says what it was `made_from`, and with which options.

    With `only` it has the story of this id alone. Without `stories` none are told of matches.
    """
    matches = told.matches if isinstance(told, Stories) else told
    refuse(
        (
            not isinstance(matches, Matches),
            "a report shows passages, and a method that decides by itself gives none",
        ),
        (top is not None and top < 1, f"top: expected 1 or more, got {top}"),
    )
    assert isinstance(matches, Matches)
    if isinstance(told, Stories):
        listing = Listing.of_stories(told, top) if only is None else Listing.of_story(told, only)
    elif stories and matches.query_side is matches.found_side:
        listing = Listing.of_stories(tell_stories(matches, pool), top)
    else:
        listing = Listing.of_pairs(matches, top)
    if title is None:
        title = (
            f"Copies in {', '.join(made_from)}" if made_from else f"Copies among {count(matches.articles)}"
        )
    return Report(listing, title, tuple(made_from), dict(options or {}), texts, top)


@dataclass(frozen=True)
class Report:
    """A report that is ready to be written."""

    listing: Listing
    title: str
    made_from: Sequence[str]
    options: Mapping[str, str]
    texts: bool
    top: int | None

    @cached_property
    def _overview(self) -> Overview:
        return Overview(self.listing)

    @property
    def _about(self) -> dict[str, Any]:
        matches, listing = self.listing.matches, self.listing
        limits = [*LIMITS]
        if not self.texts:
            limits.append("The texts were left out.")
        if any(len(row.articles) > SHOWN_MEMBERS for row in listing.rows):
            limits.append(f"Of more than {SHOWN_MEMBERS} articles of a story, so many are shown in full.")
        if self.top is not None and sum(listing.counts.values()) > len(listing.rows):
            limits.append(f"Of each kind only the {self.top:,} largest are listed.")
        how = matches.preset, matches.methods, self.made_from, self.options
        return tell_about(*how, texts=self.texts, limits=limits, top=self.top)

    @cached_property
    def _blocks(self) -> list[Sequence[Row]]:
        rows = self.listing.rows
        return [rows[start : start + BLOCK_ROWS] for start in range(0, len(rows), BLOCK_ROWS)]

    @cached_property
    def _tell(self) -> Teller:
        return Teller(self.listing, self._overview.sources, self.texts)

    def estimate(self) -> int:
        """About how many bytes it will have, by some of its blocks."""
        blocks = self._blocks
        told = [self._tell.tell(some) for some in blocks[:: max(1, len(blocks) // SAMPLED)]]
        index = pack(_index([line for block in told for line in block.lines]))
        sampled = len(index) + sum(len(block.packed) for block in told)
        return sum(map(len, self._build((), ()))) + sampled * len(blocks) // max(1, len(told))

    def write(self, path: Path, pool: Pool) -> int:
        """Write it, and return its size in bytes."""
        with tempfile.TemporaryFile() as made:
            lines: list[tuple[Any, ...]] = []
            blocks = self._blocks
            for number, block in enumerate(pool.map(self._tell.tell, blocks, "writing", len(blocks))):
                made.write(as_block(number, block.packed))
                lines += block.lines
            made.seek(0)
            with open_whole(path, "wb") as out:
                return sum(map(out.write, self._build(lines, made)))

    def _build(self, lines: Sequence[tuple[Any, ...]], blocks: Iterable[bytes]) -> Iterator[bytes]:
        """The page with these lines of its index."""
        head = self._overview.head(self.title, self._about)
        head |= {"block_stories": BLOCK_ROWS, "blocks": len(self._blocks)}
        return build_page(head, _index(lines), blocks)


def _index(lines: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    """The index by columns."""
    columns = zip(*lines, strict=True) if lines else [()] * len(INDEX_HEADS)
    return {head: list(column) for head, column in zip(INDEX_HEADS, columns, strict=True)}
