"""The command that does the job on Spark."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError, refuse
from ..model import count
from ..spark import open_files, open_session, run
from ..statistics import Statistics
from . import options
from .show import print_table
from .writing import name_examples, say

if TYPE_CHECKING:
    from ..spark.engine import Job

LINE_ENDINGS = (".jsonl", ".ndjson", ".json", ".jsonl.gz", ".ndjson.gz", ".json.gz", ".jsonl.zst")
STORIES_AT_ONCE = 1 << 12


@click.command("spark")
@click.argument("inputs", nargs=-1, required=True, metavar="IN...")
@click.argument("out", metavar="OUT")
@click.option(
    "--master",
    metavar="URL",
    help="Where Spark runs, such as spark://host:7077, yarn or local[4]. By default here.",
)
@click.option("--remote", metavar="URL", help="A Spark Connect server instead, such as sc://host:15002.")
@options.flag(
    "--lines",
    "is_lines",
    help="IN is JSON lines, whatever its names. Else what ends in .jsonl or the like is, and all other is Parquet.",
)
@options.preset
@options.method(help="Nominate with this method, such as winnowing:window_words=8; may be repeated.")
@options.pairs
@options.relation
@options.file(
    "--statistics", help="Weigh words by these, made by wirecopy weigh, instead of by those of the articles."
)
@options.flag("--stories", "tells_stories", help="Tell the stories as well: JSON lines in OUT/stories.")
@options.number(
    "--parts", help="Cut keys and articles into so many parts; by default as their number asks for."
)
@options.fields
@options.quiet
def spark_command(
    inputs: tuple[str, ...],
    out: str,
    master: str | None,
    remote: str | None,
    is_lines: bool,
    method: tuple[str, ...],
    statistics: Path | None,
    tells_stories: bool,
    quiet: bool,
    **asked: Any,  # preset, pairs, relations, parts, fields
) -> int:
    """Find all copies on Spark, with the answer of find: IN are files or folders that its workers reach, OUT a folder that they do.

    In OUT are matches, formulas, skipped, counts and stages as Parquet, and what the stages left. Exit code 3 says that it is done but some
    records were skipped, three of each kind named on stderr.
    """
    refuse((master and remote, "--master or --remote: one of them"))
    named = {path.rstrip("/").endswith(LINE_ENDINGS) for path in inputs}
    if len(named) > 1 and not is_lines:
        raise UsageError("IN: JSON lines or Parquet, not both; give them in two runs, or name them alike")
    if not (master or remote):
        _require_files([*inputs])
    chosen = [options.read_method(one) for one in method]
    asked |= {"method": chosen or None, "statistics": Statistics.load(statistics) if statistics else None}
    session = open_session(master, remote)
    try:
        articles = open_files(session, inputs, is_lines or named == {True})
        with run(articles, work=_place(out), say=(lambda line: None) if quiet else say, **asked) as job:
            if tells_stories:
                _write_stories(job, f"{_place(out)}/stories")
            return _summarise(job, quiet)
    finally:
        session.stop()


def _require_files(inputs: list[str]) -> None:
    """Raise UsageError for a path that is not on this machine, where Spark runs here."""
    for path in inputs:
        if "://" not in path and "*" not in path and not Path(path).exists():
            raise UsageError(f"{path}: no such file or folder")


def _place(path: str) -> str:
    """A path as all of Spark means it: one without a scheme that is on this machine, in full."""
    return path if "://" in path or path.startswith("/") else str(Path(path).absolute())


def _write_stories(job: Job, place: str) -> None:
    mode = "overwrite"
    with job.stories("anchored") as told:
        lines = (line for some in told.json_lines() for line in some.splitlines())
        while some := list(islice(lines, STORIES_AT_ONCE)):
            job.spark.createDataFrame([(line,) for line in some], "value string").coalesce(1).write.mode(
                mode
            ).text(place)
            mode = "append"


def _summarise(job: Job, quiet: bool) -> int:
    """Say what was found and what the stages were given; return the exit code."""
    if not quiet:
        heads = ("given to", "parts", "MB", "largest MB", "largest/median", "seconds")
        rows = [
            (
                one.stage,
                f"{one.parts:,}",
                f"{one.bytes / 1e6:,.1f}",
                f"{one.largest / 1e6:,.1f}",
                f"{one.largest / max(1, one.median):.2f}",
                f"{one.seconds:,.1f}",
            )
            for one in job.loads
        ]
        print_table(heads, rows, sys.stderr)
    for warning in job.warnings:
        say(f"warning: {warning}")
    code = name_examples(job.skipped)
    if not quiet:
        counts = job.counts
        say(
            f"{count(counts['articles'])}, {count(counts['candidates'], 'candidate')}, "
            f"{count(counts['matches'], 'match', 'matches')}, {count(len(job.formulas), 'formula')} left out as boilerplate"
        )
    return code
