"""The command that writes what was found as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from . import options
from .html import write_html
from .stories import all_files, paths_or_archive, summarise_stories, tell
from .writing import check_writable


@click.command("report")
@paths_or_archive
@options.file("-o", "--output", required=True, help="The HTML file to write.")
@options.flag("--without-texts", help="Say how much is shared and where, and leave the articles out.")
@options.number("--top", help="List the N largest stories only, and of all else as many.")
@options.preset
@options.method(help="Nominate with this method, such as winnowing:window_words=8; may be repeated.")
@options.work
@options.memory
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
    with tell(paths, output, skipped, quiet, decide="alignment", rule="anchored", **asked) as told:
        write_html(told, output, paths, quiet, asked["threads"], texts=not without_texts, top=top)
        return summarise_stories(told, quiet)
