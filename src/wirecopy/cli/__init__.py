"""The command line: data on stdout, talk on stderr.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done but some records were skipped, 4 a text is copied by more than `check --fail-over`,
130 interrupted.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Literal

import click

# NumPy's linear algebra is not used, and its threads cost a tenth of a second of CPU to start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from .. import methods
from ..comparison import DEFAULT_PRESET
from ..errors import INTERRUPTED, NothingRead, UsageError, WirecopyError, refuse
from ..model import count, one_line
from ..pile import find, opinions, tune, weigh
from ..sources import total_bytes
from ..statistics import Statistics
from . import options
from .archive import archive_commands
from .compare import compare_command, show_command
from .demo import demo_command
from .evaluation import evaluate_command
from .html import report_matches
from .judge import judge_command
from .pages import extract_command, train_command
from .pooling import pool_command
from .report import report_command
from .reproducing import reproduce_command
from .serve import serve_command, token_command
from .show import WIDE, open_console, print_table, print_text, show_progress
from .spark import spark_command
from .stories import dedup_command, graph_command, stories_command
from .watch import watch_command
from .webhook import webhook_command
from .working import work_in
from .writing import (
    CSV,
    FULL,
    check_writable,
    csv_writer,
    name_examples,
    name_output,
    open_output,
    open_skipped,
    say,
    summarise,
    write_line,
    write_lines,
    write_opinions,
)


def main() -> None:
    """Run a command; all errors end here, as a line on stderr and an exit code."""
    set_streams()
    try:
        code = app(standalone_mode=False)
        with name_output(None):
            sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        code = complain("interrupted", INTERRUPTED)
    except WirecopyError as error:
        code = complain(str(error), 2 if isinstance(error, UsageError) else 1)
    except OSError as error:
        what = error.strerror or str(error)
        code = complain(f"{error.filename}: {what}" if error.filename else what)
    except click.ClickException as error:
        error.show(sys.stderr)
        code = error.exit_code
    try:
        sys.stdout.flush()
    except OSError:  # which was named; Python would try again, and complain in its own way
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(code or 0)


def set_streams() -> None:
    """Read and write data as UTF-8, lines ended by line feeds alone, whatever the locale.

    A terminal keeps its encoding, and shows escapes for what that lacks.
    """
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, TextIOWrapper):  # not where tests put another in its place
            encoding = None if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors=errors, newline="\n")


def complain(message: str, code: int = 1) -> int:
    """Say what went wrong; return the exit code."""
    say(f"wirecopy: {one_line(message)}")
    return code


SECTIONS = {
    "Find copies": ("demo", "find", "show", "compare", "spark"),
    "Tell stories": ("stories", "report", "graph", "dedup"),
    "Take articles out of web pages": ("extract", "train"),
    "Keep an archive, and ask it": ("add", "check", "watch", "pairs", "info"),
    "Let others ask it, and be told": ("serve", "token", "webhook"),
    "Look after an archive": ("remove", "expire", "verify", "compact", "backup", "export"),
    "Published methods": ("methods", "weigh", "tune"),
    "Measure": ("pool", "judge", "evaluate", "reproduce"),
}
"""The commands by task, in the order of use."""


class Commands(click.Group):
    """All commands.

    A reader of the output that leaves early is no error, where click would exit with code 1; where nothing was read, what was skipped
    is named as it is beside what was.
    """

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of use."""
        return [name for names in SECTIONS.values() for name in names]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command does, by task."""
        wide = max(map(len, self.commands))
        for title, names in SECTIONS.items():
            with formatter.section(title):
                limit = formatter.width - wide - 6
                rows = [(name.ljust(wide), self.commands[name].get_short_help_str(limit)) for name in names]
                formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            return 0
        except NothingRead as error:
            code = name_examples(error.skipped)
            say("no articles found")
            return code


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="wirecopy", message="%(prog)s %(version)s", prog_name="wirecopy")
def app() -> None:
    """Find copied news: which articles are identical, near-duplicate, contained in or partly copied from others."""


@app.command("find")
@options.paths
@options.file("--query", help="Compare the pile with the articles of this file only.")
@options.preset
@options.method(help="Nominate with this method, such as winnowing:window_words=8; may be repeated.")
@options.decide("the one --method given")
@options.pairs
@options.relation
@options.confirm
@options.boilerplate
@options.html
@options.file(
    "--statistics", help="Weigh words by these, made by wirecopy weigh, instead of by the pile's own."
)
@options.number("--top", help="With --decide method and --query: the N best only.")
@options.accepted
@options.file(
    "--verdicts",
    help="Write the verdict on each article to this file, as JSON lines, if the method gives one.",
)
@options.work
@options.memory
@options.skipped
@options.fields
@options.forms("jsonl", "csv", "parquet")
@options.threads
@options.quiet
def find_command(
    paths: tuple[Path, ...],
    query: Path | None,
    preset: str,
    method: tuple[str, ...],
    decide: Literal["alignment", "method"],
    pairs: Literal["linked", "all"],
    relations: tuple[str, ...] | None,
    confirm: str | None,
    boilerplate: Path | None,
    html: Path | None,
    statistics: Path | None,
    top: int | None,
    accepted: bool,
    verdicts: Path | None,
    work: Path | None,
    memory: int | None,
    skipped: Path | None,
    form: str,
    output: Path | None,
    quiet: bool,
    **common: Any,  # fields and threads
) -> int:
    """Find all copies in a pile of articles.

    Exit code 3 says that it is done but some records were skipped, three of each kind named on stderr.
    """
    read_too = filter(None, (query, statistics))
    check_writable(output, boilerplate, html, verdicts, skipped, inputs=[*paths, *read_too])
    by_method = decide == "method"
    given: dict[str, object] = {"preset": preset != DEFAULT_PRESET, "relation": relations}
    given |= {"confirm": confirm, "boilerplate": boilerplate, "html": html, "pairs": pairs == "all"}
    refuse(
        (by_method and len(method) != 1, f"--decide method: needs one --method, got {len(method)}"),
        *options.needing_alignment(by_method, **given, parquet=form == "parquet", text=form == FULL),
        (confirm and query, "--confirm: not with --query, which is in no cluster"),
        (not by_method and verdicts, "--verdicts: only with --decide method"),
        (not by_method and accepted, "--accepted: only with --decide method"),
        (by_method and work, "--work: not with --decide method, which holds all sketches in memory"),
        (
            top and not (by_method and query),
            "--top: the best of a ranking, which needs --decide method and --query FILE",
        ),
    )
    chosen = [options.read_method(one) for one in method]
    if verdicts and chosen and not chosen[0].gives_verdicts:
        raise UsageError(f"--verdicts: {chosen[0].name} decides on pairs, not on articles")
    inputs = list(paths)
    size = total_bytes(inputs)
    can_work = not (by_method or query or confirm or any(one.is_directed for one in chosen))
    common |= {"query": query, "statistics": Statistics.load(statistics) if statistics else None}
    with work_in(work, memory, size, output, quiet, can_work=can_work, always=True) as how:
        if by_method:
            with open_skipped(skipped) as skip:
                ask = partial(opinions, inputs, chosen[0], top=top, accepted=accepted, skip=skip, **common)
                told = write_opinions(ask, form, output, quiet, size)
            write_lines(verdicts, told.verdicts)
            return summarise(told, quiet)
        common |= {"preset": preset, "method": chosen or None, "pairs": pairs, "relations": relations}
        common["about"] = form != "jsonl" or html is not None
        common["confirm"] = options.read_method(confirm) if confirm else None
        with show_progress(quiet, size) as progress, open_skipped(skipped) as skip:
            matches = find(inputs, progress=progress, skip=skip, **how, **common)
        within = [*paths, *filter(None, [query])]
        asked = {name: common[name] for name in ("relations", "pairs", "threads")}
        return report_matches(matches, form, output, boilerplate, html, quiet, within, **asked)


ELSEWHERE = (
    *(
        demo_command,
        show_command,
        compare_command,
        stories_command,
        report_command,
        graph_command,
        dedup_command,
        extract_command,
        train_command,
        watch_command,
        pool_command,
        judge_command,
        evaluate_command,
        reproduce_command,
        serve_command,
        spark_command,
        token_command,
        webhook_command,
    ),
    *archive_commands.commands.values(),
)
for command in ELSEWHERE:
    app.add_command(command)


@app.command("weigh")
@click.argument("name", metavar="METHOD")
@options.paths
@options.file("-o", "--output", required=True, help="Where to write the counts.")
@options.skipped
@options.fields
@options.threads
@options.quiet
def weigh_command(
    name: str, paths: tuple[Path, ...], output: Path, skipped: Path | None, quiet: bool, **common: Any
) -> int:
    """Count in how many articles each word occurs, words as METHOD reads them.

    A reference collection for find --statistics.
    """
    inputs = list(paths)
    check_writable(output, skipped, inputs=inputs)
    method = options.read_method(name)
    with show_progress(quiet, total_bytes(inputs)) as progress, open_skipped(skipped) as skip:
        statistics, unused = weigh(inputs, method, progress=progress, skip=skip, **common)
    with name_output(output):
        statistics.save(output)
    if not quiet:
        say(f"{count(len(statistics.words), 'word')} of {count(statistics.articles)}")
    return name_examples(unused)


@app.command("tune")
@click.argument("name", metavar="METHOD")
@options.paths
@options.number("--queries", help="Ask about the earliest N articles; by default all.")
@options.skipped
@options.fields
@options.forms("jsonl", "csv")
@options.threads
@options.quiet
def tune_command(
    name: str,
    paths: tuple[Path, ...],
    queries: int | None,
    skipped: Path | None,
    form: str,
    output: Path | None,
    quiet: bool,
    **common: Any,  # fields and threads
) -> int:
    """Try a parameter of METHOD on a collection, by the procedure of its paper.

    document_image: how images of 5, 10, 20, 30 ... terms rank the articles, against all terms (EDTA).
    """
    refuse((form == "parquet", "tune writes JSON lines, CSV or a table"))
    check_writable(output, skipped, inputs=paths)
    method = options.read_method(name)
    with show_progress(quiet, total_bytes(list(paths))) as progress, open_skipped(skipped) as skip:
        trials, unused = tune(list(paths), method, queries=queries, progress=progress, skip=skip, **common)
    told = [asdict(trial) for trial in trials]
    with open_output(output) as out:
        if form == "jsonl":
            for one in told:
                write_line(one, out)
        elif form in CSV:
            csv_writer(list(told[0]), form, out)([list(one.values()) for one in told])
        else:
            rows = [map(_show_value, one.values()) for one in told]
            print_table([head.replace("_", " ") for head in told[0]], rows, out)
    return name_examples(unused)


def _show_value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}"


@app.command("methods")
@click.argument("name", required=False)
@options.as_json
@options.no_talk
def methods_command(name: str | None, as_json: bool) -> int:
    """List the methods there are, or show one in full, with parameters and papers."""
    found = [methods.describe(one) for one in ([name] if name else methods.names())]
    if as_json:
        print(json.dumps(found[0] if name else found, indent=2, ensure_ascii=False))
    elif name:
        [one] = found
        print(f"{one['name']}: {one['paper']}\n")
        print_text(one["about"], sys.stdout)
        for parameter, default in one["parameters"].items():
            print(f"  {parameter} = {default}")
        if one["recall_curve"]:
            print("\n  resemblance  probability of being looked at")
            for resemblance, probability in one["recall_curve"]:
                print(f"  {resemblance:11.2f}  {probability:.4f}")
    else:
        rows = []
        for one in found:
            parameters = ", ".join(f"{name}={value}" for name, value in one["parameters"].items())
            rows.append((one["name"], one["summary"], one["paper"], parameters or "none"))
        heads = ("method", "what it does", "paper", "parameters")
        columns = len(heads) if open_console(sys.stdout).width >= WIDE else -1
        print_table(heads[:columns], [row[:columns] for row in rows], sys.stdout)
        print("\none in full, with its parameters: wirecopy methods NAME")
    return 0
