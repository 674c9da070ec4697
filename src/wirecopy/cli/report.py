"""The command that writes what was found as one HTML file, and the option by which other commands do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ..matching.matches import Matches
from ..pile import Stories
from . import options
from .show import show_progress
from .stories import all_files, paths_or_archive, summarise_stories, tell
from .writing import check_writable, name_output, say


@click.command("report")
@paths_or_archive
@options.file("-o", "--output", required=True, help="The HTML file to write.")
@options.flag("--without-texts", help="Say how much is shared and where, and leave the articles out.")
@options.number("--top", help="List the N largest stories only, and of all else as many.")
@options.preset
@options.method(help="Nominate with this method, such as winnowing:window_words=8; may be repeated.")
@options.skipped
@options.fields
@options.threads
@options.quiet
def report_command(
    paths: tuple[Path, ...],
    output: Path,
    without_texts: bool,
    top: int | None,
    skipped: Path | None,
    quiet: bool,
    **asked: Any,  # what is asked of `tell`
) -> int:
    """Write a report on a pile or an archive: one HTML file with its stories, and every copy beside what it was copied from.

    It needs no other file and no network, and can be sent. Exit code 3 says that it is done but some records were skipped, three of each
    kind named on stderr.
    """
    check_writable(output, skipped, inputs=all_files(paths))
    with tell(paths, skipped, quiet, decide="alignment", rule="anchored", **asked) as told:
        write_html(told, output, paths, quiet, asked["threads"], texts=not without_texts, top=top)
        return summarise_stories(told, quiet)


def write_html(
    told: Stories | Matches,
    output: Path,
    paths: Sequence[Path],
    quiet: bool,
    threads: int | None,
    *,
    texts: bool = True,
    top: int | None = None,
) -> None:
    """Write the report on what was found in some paths, and say first how large it will be."""
    from ..matching.collection import open_pool
    from ..report import prepare

    names = [str(path) for path in paths]
    with open_pool(threads) as pool:
        report = prepare(told, pool, made_from=names, texts=texts, top=top)
        if not quiet:
            say(f"{output}: about {report.estimate() / 1e6:,.1f} MB")
        with name_output(output), show_progress(quiet, None) as progress:
            pool.progress = progress or pool.progress
            report.write(output, pool)
