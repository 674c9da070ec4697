"""What was found as one HTML page: the option --html of many commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..alignment import Pair
from ..matching.collection import open_pool
from ..model import Articles
from ..pile import Matches, Stories
from .show import show_progress, show_size
from .writing import name_output, say, summarise, write_lines, write_matches

if TYPE_CHECKING:
    from ..archive import Archive


def report_matches(
    matches: Matches,
    form: str,
    output: Path | None,
    boilerplate: Path | None,
    html: Path | None,
    quiet: bool,
    within: Sequence[Path],
    *,
    relations: Sequence[str] | None,
    pairs: str,
    threads: int | None,
) -> int:
    """Write the matches of articles `within` some paths, and their boilerplate and a page if files are named; return the exit code.

    A page tells no stories of some `relations` alone.
    """
    write_matches(matches, form, output, within)
    write_lines(boilerplate, matches.formulas)
    if html:
        asked = {"relation": ", ".join(relations)} if relations else {}
        asked |= {"pairs": pairs} if pairs != "linked" else {}
        write_html(matches, html, within, quiet, threads, stories=not relations, options=asked)
    return summarise(matches, quiet, counted=form == "table")


def write_html(
    told: Stories | Matches,
    output: Path,
    paths: Sequence[Path],
    quiet: bool,
    threads: int | None,
    **options: Any,  # what is asked of `prepare`
) -> None:
    """Write the report on what was found in some paths, and say first how large it will be."""
    from ..report import prepare

    with show_progress(quiet, None) as progress, open_pool(threads, progress) as pool:
        report = prepare(told, pool, made_from=list(map(str, paths)), **options)
        size = 0 if quiet else report.estimate()
    if not quiet:
        say(f"writing {output}: about {show_size(size)}")
    with name_output(output), show_progress(quiet, None) as progress, open_pool(threads, progress) as pool:
        report.write(output, pool)


def write_pair_html(pair: Pair, html: Path | None, preset: str, within: Sequence[Path]) -> None:
    """Write two articles that are `within` some paths side by side as an HTML page, if one is named."""
    if html:
        from ..report import write_pair

        with name_output(html):
            write_pair(html, pair, preset=preset, made_from=list(map(str, within)))


@contextmanager
def open_html(
    html: Path | None, store: Archive, preset: str | None
) -> Iterator[Callable[[Any, Articles, int], None]]:
    """The function that shows the answer for one text of a batch in an HTML page, if one is named, which is written at the end."""
    if html is None:
        yield lambda answer, batch, row: None
        return
    from ..report import open_answers

    def read_text(batch: Articles, row: int) -> str:
        return str(batch.text[batch.offsets[row] : batch.offsets[row + 1]].data, "utf-8")

    settings = store.settings
    answers = open_answers(
        html,
        store.get,
        preset=preset or settings.preset,
        methods=[one.name for one in settings.methods],
        boilerplate=store.learnt.known,
        made_from=[str(store.path)],
    )
    with name_output(html), answers as add:
        yield lambda answer, batch, row: add(answer, read_text(batch, row))
