"""The command line: data on stdout, talk on stderr.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done but some records were skipped.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import fields as fields_of
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Literal

import click

# NumPy's linear algebra is not used, and its threads cost a tenth of a second of CPU to start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from .. import methods
from ..comparison import DEFAULT_PRESET, PRESETS, compare
from ..errors import SourceError, UsageError, WirecopyError, refuse
from ..model import count, one_line
from ..pile import MEMORY_A_BYTE, find, opinions, tune, weigh
from ..sources import Fields, read, total_bytes
from ..statistics import Statistics
from .archive import ARCHIVE_COMMANDS
from .options import (
    FILE,
    accepted_option,
    csv_option,
    decide_option,
    field_options,
    jsonl_option,
    output_option,
    pairs_option,
    parquet_option,
    preset_option,
    quiet_option,
    read_method,
    threads_option,
)
from .pages import extract_command, train_command
from .show import print_table, show_progress, show_side_by_side, show_table
from .watch import watch_command
from .writing import (
    check_writable,
    choose_form,
    name_output,
    name_skipped,
    open_output,
    opinion_writer,
    say,
    show_opinions,
    summarise,
    tame,
    write_lines,
    write_matches,
)


def main() -> None:
    """Run a command; all errors end here."""
    set_streams()
    try:
        code = app(standalone_mode=False)
    except click.exceptions.Exit as exit_:
        code = exit_.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = complain("interrupted", 1)
    except UsageError as error:
        code = complain(str(error), 2)
    except WirecopyError as error:
        code = complain(str(error), 1)
    except OSError as error:
        what = error.strerror or str(error)
        code = complain(f"{error.filename}: {what}" if error.filename else what, 1)
    except click.ClickException as error:
        error.show(sys.stderr)
        code = error.exit_code
    sys.exit(code or 0)


def set_streams() -> None:
    """Data is UTF-8 whatever the locale; a terminal is left its own encoding, and shows as an escape what that lacks."""
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, TextIOWrapper):  # it may be closed
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors=errors)


def complain(message: str, code: int) -> int:
    """Say what went wrong; the exit code."""
    say(f"wirecopy: {one_line(message)}")
    return code


class Commands(click.Group):
    """All commands; to each, a reader that leaves early is no error. Click would make it exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            return 0


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="wirecopy", message="%(prog)s %(version)s", prog_name="wirecopy")
def app() -> None:
    """Find copied news: which articles are identical, near-duplicate, contained in or partly copied from others."""


@app.command("find")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=FILE)
@click.option(
    "--query", type=FILE, metavar="FILE", help="Compare the pile with the articles of this file only."
)
@preset_option
@click.option(
    "--method",
    multiple=True,
    metavar="NAME[:PARAMETER=VALUE,...]",
    help="Nominate with this method, such as winnowing:window_words=8; may be repeated.",
)
@decide_option("the one --method given")
@pairs_option
@click.option(
    "--boilerplate",
    type=FILE,
    metavar="FILE",
    help="Write the boilerplate that was left out to this file, as JSON lines.",
)
@click.option(
    "--statistics",
    type=FILE,
    metavar="FILE",
    help="Weigh words by these, made by wirecopy weigh, instead of by the pile's own.",
)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --decide method and --query: the N best only.",
)
@accepted_option
@click.option(
    "--verdicts",
    type=FILE,
    metavar="FILE",
    help="Write the verdict on each article to this file, as JSON lines, if the method gives one.",
)
@field_options
@jsonl_option
@csv_option
@parquet_option
@output_option
@threads_option
@quiet_option
def find_command(
    paths: tuple[Path, ...],
    query: Path | None,
    preset: str,
    method: tuple[str, ...],
    decide: Literal["alignment", "method"],
    pairs: Literal["linked", "all"],
    boilerplate: Path | None,
    statistics: Path | None,
    top: int | None,
    accepted: bool,
    verdicts: Path | None,
    fields: Fields,
    jsonl: bool,
    csv: bool,
    parquet: bool,
    output: Path | None,
    threads: int | None,
    quiet: bool,
) -> int:
    """Find all copies in a pile of articles.

    Exit code 3 says that it is done but some records were skipped, each named on stderr.
    """
    form = choose_form(jsonl, csv, parquet, output)
    check_writable(output, boilerplate, verdicts, inputs=[*paths, *filter(None, (query, statistics))])
    by_method = decide == "method"
    refuse(
        (by_method and len(method) != 1, f"--decide method: needs one --method, got {len(method)}"),
        (
            by_method and preset != DEFAULT_PRESET,
            "--preset: not with --decide method, which compares no words",
        ),
        (by_method and boilerplate, "--boilerplate: not with --decide method, which knows none"),
        (by_method and pairs == "all", "--pairs: not with --decide method, which gives all"),
        (by_method and form == "parquet", "--decide method writes JSON lines, CSV or a table"),
        (not by_method and verdicts, "--verdicts: only with --decide method"),
        (not by_method and accepted, "--accepted: only with --decide method"),
        (
            top and not (by_method and query),
            "--top: the best of a ranking, which needs --decide method and --query FILE",
        ),
    )
    chosen = [read_method(one) for one in method] if method else None
    if verdicts and chosen and not chosen[0].gives_verdicts:
        raise UsageError(f"--verdicts: {chosen[0].name} decides on pairs, not on articles")
    inputs = list(paths)
    size = total_bytes(inputs)
    if not quiet and size is not None:
        needed = f"{size * MEMORY_A_BYTE / 1e6 + 60:,.0f} MB of memory"
        say(f"{size / 1e6:,.1f} MB of input, about {needed}")
    weights = Statistics.load(statistics) if statistics else None
    common: dict[str, Any] = {"query": query, "statistics": weights, "threads": threads, "fields": fields}
    if by_method and chosen:
        with open_output(output) as out, show_progress(quiet, size) as progress:
            receive = opinion_writer(form, out)
            own: dict[str, Any] = {"top": top, "accepted": accepted}
            told = opinions(inputs, chosen[0], progress=progress, receive=receive, **own, **common)
            if form == "table":
                show_opinions(told, out)
        write_lines(verdicts, told.verdicts)
        return summarise(told, quiet)
    with show_progress(quiet, size) as progress:
        matches = find(inputs, preset=preset, method=chosen, pairs=pairs, progress=progress, **common)
    write_matches(matches, form, output)
    write_lines(boilerplate, matches.formulas)
    return summarise(matches, quiet)


app.add_command(extract_command)
app.add_command(train_command)
for command in (*ARCHIVE_COMMANDS, watch_command):
    app.add_command(command)


@app.command("weigh")
@click.argument("name", metavar="METHOD")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=FILE)
@click.option("-o", "--output", type=FILE, metavar="FILE", required=True, help="Where to write the counts.")
@quiet_option
def weigh_command(name: str, paths: tuple[Path, ...], output: Path, quiet: bool) -> int:
    """Count in how many articles each word occurs, words as METHOD reads them.

    A reference collection for find --statistics.
    """
    inputs = list(paths)
    check_writable(output, inputs=inputs)
    with show_progress(quiet, total_bytes(inputs)) as progress:
        statistics, skipped = weigh(inputs, read_method(name), progress=progress)
    with name_output(output):
        statistics.save(output)
    if not quiet:
        say(f"{count(len(statistics.words), 'word')} of {count(statistics.articles)}")
    return name_skipped(skipped)


@app.command("tune")
@click.argument("name", metavar="METHOD")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=FILE)
@click.option(
    "--queries",
    type=click.IntRange(min=1),
    metavar="N",
    help="Ask about the earliest N articles; by default all.",
)
def tune_command(name: str, paths: tuple[Path, ...], queries: int | None) -> int:
    """Try a parameter of METHOD on a collection, by the procedure of its paper.

    document_image: how images of 5, 10, 20, 30 ... terms rank the articles, against all terms (EDTA).
    """
    trials, skipped = tune(list(paths), read_method(name), queries=queries)
    heads = [field.name for field in fields_of(trials[0])]
    rows = [[_show_value(getattr(trial, head)) for head in heads] for trial in trials]
    print_table([head.replace("_", " ") for head in heads], rows, sys.stdout)
    return name_skipped(skipped)


def _show_value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}"


@app.command("compare")
@click.argument("query", type=FILE)
@click.argument("found", type=FILE)
@preset_option
@click.option("--json", "as_json", is_flag=True, help="The match as a JSON object, null where there is none.")
@output_option
def compare_command(query: Path, found: Path, preset: str, as_json: bool, output: Path | None) -> int:
    """Show what QUERY, which may be a copy, shares with FOUND, side by side."""
    check_writable(output, inputs=[query, found])
    query_text, found_text = read_text(query), read_text(found)
    match = compare(
        {"id": str(query), "text": query_text}, {"id": str(found), "text": found_text}, preset=preset
    )
    with open_output(output) as out:
        if as_json or not out.isatty():
            tame(out).write(json.dumps(match.to_dict() if match else None, ensure_ascii=False) + "\n")
        elif match is None:
            out.write(f"no copy: no common passage of {PRESETS[preset].min_passage_words} words\n")
        else:
            show_side_by_side(match, query_text, found_text, out)
    return 0


@app.command("methods")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def methods_command(name: str | None, as_json: bool) -> int:
    """List the methods there are, or show one in full, with parameters and papers."""
    found = [methods.describe(one) for one in ([name] if name else methods.names())]
    if as_json:
        print(json.dumps(found[0] if name else found, indent=2, ensure_ascii=False))
    elif name:
        one = found[0]
        print(f"{one['name']}: {one['paper']}\n\n{one['about']}\n")
        for parameter, default in one["parameters"].items():
            print(f"  {parameter} = {default}")
        if one["recall_curve"]:
            print("\n  resemblance  probability of being looked at")
            for resemblance, probability in one["recall_curve"]:
                print(f"  {resemblance:11.2f}  {probability:.4f}")
    else:
        rows = [
            (
                one["name"],
                one["paper"],
                one["summary"],
                ", ".join(f"{k}={v}" for k, v in one["parameters"].items()) or "none",
            )
            for one in found
        ]
        print_table(("method", "paper", "what it does", "parameters"), rows, sys.stdout)
    return 0


@app.command("demo")
@click.argument("folder", type=FILE, metavar="DIR")
@click.option("--run", is_flag=True, help="Then find its copies, and compare with the truth.")
@click.option(
    "--seed", type=int, default=1, show_default=True, metavar="N", help="Another seed, another archive."
)
@quiet_option
def demo_command(folder: Path, run: bool, seed: int, quiet: bool) -> int:
    """Write a small made-up archive whose copies are known to DIR: pages, and their texts."""
    from .. import demo

    if folder.exists() and not folder.is_dir():
        raise SourceError(f"{folder}: a file; name a folder")
    if folder.exists() and any(folder.iterdir()) and not (folder / "truth.jsonl").exists():
        raise UsageError(f"{folder} holds other files: name a new folder")
    demo.write_archive(folder, seed)
    pages, articles, truth = folder / "pages", folder / "articles.jsonl", folder / "truth.jsonl"
    say(f"wrote {pages}, their texts {articles} and the truth {truth}")
    if not run:
        return 0
    say(f"running: wirecopy find {pages}")
    with show_progress(quiet, None) as progress:
        matches = find([pages], progress=progress)
    show_table(matches, sys.stdout)
    print()
    for formula in matches.formulas[:5]:
        print(f"boilerplate in {count(formula.articles)}: {formula.example}")
    print(f"{count(len(matches.formulas), 'formula')} left out as boilerplate\n")
    say(f"running: wirecopy find {articles}")
    different = demo.differences(find([articles]), matches)
    if different:
        print(*different, f"{len(different)} pairs are not as from the texts", sep="\n")
    else:
        print("the answer is the same as from the texts")
    print(demo.score(matches, demo.read_truth(folder)))
    return 0


def read_text(path: Path) -> str:
    """The one text of a file, or of stdin."""
    batches = [work() for work in read([path])]
    for skipped in (skipped for batch in batches for skipped in batch.skipped):
        raise SourceError(str(skipped))
    articles = sum(map(len, batches))
    if articles != 1:
        raise SourceError(
            f"{path}: expected one text, got {articles} articles; compare many with wirecopy find"
        )
    return next(bytes(batch.text).decode() for batch in batches if len(batch))
