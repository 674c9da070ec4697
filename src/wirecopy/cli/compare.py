"""The commands that look at two articles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO

import click

from ..alignment import Pair, align_articles
from ..comparison import DEFAULT_PRESET, PRESETS
from ..model import clean
from ..sources import Fields, total_bytes
from . import options
from .html import write_pair_html
from .naming import read_named
from .show import show_progress
from .side_by_side import show_side_by_side
from .writing import check_writable, open_output, write_line

ALONE = "compared by themselves: with --in PATH|ARCHIVE what is boilerplate there does not count, as for find"
spelling = options.flag("--spelling", help="Mark words that are only spelled otherwise, too.")


@click.command("compare")
@click.argument("query")
@click.argument("found")
@options.within
@options.place_preset
@spelling
@options.flag("--json", "as_json", help="The match as a JSON object, null where there is none.")
@options.html
@options.fields
@options.output
@options.quiet
def compare_command(
    query: str,
    found: str,
    within: tuple[Path, ...],
    preset: str | None,
    spelling: bool,
    as_json: bool,
    html: Path | None,
    fields: Fields,
    output: Path | None,
    quiet: bool,
) -> int:
    """Show what QUERY, which may be a copy, shares with FOUND, side by side: files of one text each, or ids --in a pile or archive.

    Off a terminal it is written as JSON.
    """
    check_writable(output, html, inputs=[*within, *map(Path, filter(None, (query, found)))])
    pair, chosen = read_pair(query, found, within, preset, fields, quiet=quiet)
    with open_output(output) as out:
        if as_json or not out.isatty():
            write_line(pair.match.to_dict() if pair.match else None, out)
        else:
            show_pair(pair, chosen, within, out, spelling=spelling)
    write_pair_html(pair, html, chosen, within)
    return 0


@click.command("show")
@click.argument("query")
@click.argument("found")
@options.within
@options.place_preset
@spelling
@options.flag("--json", "as_json", help="The match as a JSON object, with the pieces of both texts.")
@options.html
@options.fields
@options.output
@options.quiet
def show_command(
    query: str,
    found: str,
    within: tuple[Path, ...],
    preset: str | None,
    spelling: bool,
    as_json: bool,
    html: Path | None,
    fields: Fields,
    output: Path | None,
    quiet: bool,
) -> int:
    """Show two articles side by side, as find sees them: files of one text each, or ids --in a pile or archive.

    Passages stand beside each other, what is changed, moved, or boilerplate is marked. What is longer than the terminal goes to the
    pager of $PAGER.
    """
    check_writable(output, html, inputs=[*within, *map(Path, filter(None, (query, found)))])
    pair, chosen = read_pair(query, found, within, preset, fields, quiet=quiet)
    with open_output(output) as out:
        if as_json:
            write_line(pair.to_dict(), out)
        else:
            show_pair(pair, chosen, within, out, spelling=spelling)
    write_pair_html(pair, html, chosen, within)
    return 0


def read_pair(
    query: str, found: str, within: Sequence[Path], preset: str | None, fields: Fields, *, quiet: bool
) -> tuple[Pair, str]:
    """Two articles that are named, aligned by what is known where they are, and the preset that was used."""
    with show_progress(quiet or not within, total_bytes(list(within)) if within else None) as progress:
        named = read_named((query, found), within, fields, progress)
    mine, theirs = named.articles
    chosen = preset or named.preset or DEFAULT_PRESET
    return align_articles(mine, theirs, preset=chosen, learnt=named.learnt), chosen


def show_pair(
    pair: Pair,
    preset: str,
    within: Sequence[Path],
    out: IO[str],
    *,
    spelling: bool = False,
    paged: bool = True,
) -> None:
    """Print two articles side by side, and what they were compared by; `paged` if that is longer than the terminal."""
    least = PRESETS[preset].min_passage_words
    verdict = (
        str(pair.match).splitlines()[0] if pair.match else f"no copy: no common passage of {least} words"
    )
    notes = [] if within else [ALONE]
    if preset != DEFAULT_PRESET:
        notes.append(f"by the preset {preset}: {PRESETS[preset].about}")
    show_side_by_side(pair, clean(verdict), notes, out, spelling=spelling, paged=paged)
