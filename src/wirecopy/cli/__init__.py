"""The command line: data on stdout, talk on stderr.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done but some records were skipped.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal

import click

# NumPy's linear algebra is not used, and its threads cost a tenth of a second of CPU to start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from .. import methods
from ..comparison import DEFAULT_PRESET, PRESETS, compare
from ..errors import MissingExtra, SourceError, UsageError, WirecopyError
from ..model import Skipped
from ..pile import MEMORY_A_BYTE, Matches, Opinions, find, tune, weigh
from ..sources import Fields, read, total_bytes
from ..statistics import Statistics
from .show import TABLE_ROWS, print_table, show_progress, show_side_by_side, show_table

FILE = click.Path(path_type=Path)


def main() -> None:
    """Run a command; all errors end here."""
    try:
        code = app(standalone_mode=False)
    except click.exceptions.Exit as exit_:
        code = exit_.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = complain("interrupted", 1)
    except UsageError as error:
        code = complain(str(error), 2)
    except (WirecopyError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            code = 0
        else:
            code = complain(str(error), 1)
    except click.ClickException as error:
        error.show(sys.stderr)
        code = error.exit_code
    sys.exit(code or 0)


def complain(message: str, code: int) -> int:
    """Say what went wrong; the exit code."""
    print(f"wirecopy: {message}", file=sys.stderr)
    return code


preset_option = click.option(
    "--preset",
    type=click.Choice(list(PRESETS)),
    metavar="NAME",
    default=DEFAULT_PRESET,
    show_default=True,
    help="What counts as copied: "
    + "; ".join(f"{name}, for {preset.about}" for name, preset in PRESETS.items())
    + ".",
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress, no summary; complaints only.")
output_option = click.option(
    "-o", "--output", type=FILE, metavar="FILE", help="Write there instead of to stdout."
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
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
@click.option(
    "--decide",
    type=click.Choice(["alignment", "method"]),
    default="alignment",
    show_default=True,
    help="Who decides: the words, or the rule of the one --method given.",
)
@click.option(
    "--pairs",
    type=click.Choice(["linked", "all"]),
    default="linked",
    show_default=True,
    help="Members of a family too big to pair all with all: linked to its earliest members, or every pair.",
)
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
@click.option(
    "--verdicts",
    type=FILE,
    metavar="FILE",
    help="Write the verdict on each article to this file, as JSON lines, if the method gives one.",
)
@click.option("--text-field", metavar="NAME", help="Where the text stands in a record.")
@click.option("--id-field", metavar="NAME", help="Where the id stands in a record.")
@click.option("--published-field", metavar="NAME", help="Where the date stands in a record.")
@click.option("--title-field", metavar="NAME", help="Where the title stands, for methods that read it.")
@click.option("--jsonl", is_flag=True, help="One JSON object a line (the default off a terminal).")
@click.option("--csv", is_flag=True, help="One line a match, without passages.")
@click.option("--parquet", is_flag=True, help="A Parquet file; needs --output.")
@output_option
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="By default one for each core.")
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
    verdicts: Path | None,
    text_field: str | None,
    id_field: str | None,
    published_field: str | None,
    title_field: str | None,
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
    check_writable(output, boilerplate, verdicts)
    chosen = [read_method(one) for one in method] if method else None
    if statistics and not any(one.weighs_words for one in chosen or ()):
        raise UsageError("--statistics: no --method given weighs words")
    if decide == "alignment" and verdicts:
        raise UsageError("--verdicts: only with --decide method")
    if decide == "method" and boilerplate:
        raise UsageError("--boilerplate: not with --decide method, which knows none")
    if decide == "method" and form == "parquet":
        raise UsageError("--decide method writes JSON lines, CSV or a table")
    if verdicts and chosen and not chosen[0].gives_verdicts:
        raise UsageError(f"--verdicts: {chosen[0].name} decides on pairs, not on articles")
    inputs = list(paths)
    size = total_bytes(inputs)
    if not quiet and size is not None:
        needed = f"{size * MEMORY_A_BYTE / 1e6 + 60:,.0f} MB of memory"
        print(f"{size / 1e6:,.1f} MB of input, about {needed}", file=sys.stderr)
    asked: dict[str, Any] = {
        "query": query,
        "preset": preset,
        "method": chosen,
        "pairs": pairs,
        "threads": threads,
        "statistics": Statistics.load(statistics) if statistics else None,
        "top": top,
        "fields": Fields(text_field, id_field, published_field, title_field),
    }
    if decide == "method":
        with open_output(output) as out, show_progress(quiet, size) as progress:
            receive = opinion_writer(form, out)
            opinions = find(inputs, decide="method", progress=progress, receive=receive, **asked)
            if form == "table":
                show_opinions(opinions, out)
        write_lines(verdicts, opinions.verdicts)
        return summarise(opinions, len(opinions.pile.ids), quiet)
    with show_progress(quiet, size) as progress:
        matches = find(inputs, progress=progress, **asked)
    write_matches(matches, form, output)
    write_lines(boilerplate, matches.formulas)
    return summarise(matches, matches.counts["articles"], quiet)


@app.command("weigh")
@click.argument("name", metavar="METHOD")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=FILE)
@click.option("-o", "--output", type=FILE, metavar="FILE", required=True, help="Where to write the counts.")
@quiet_option
def weigh_command(name: str, paths: tuple[Path, ...], output: Path, quiet: bool) -> int:
    """Count in how many articles each word occurs, words as METHOD reads them.

    A reference collection for find --statistics.
    """
    check_writable(output)
    inputs = list(paths)
    with show_progress(quiet, total_bytes(inputs)) as progress:
        statistics, skipped = weigh(inputs, read_method(name), progress=progress)
    statistics.save(output)
    if not quiet:
        print(f"{len(statistics.words):,} words of {statistics.articles:,} articles", file=sys.stderr)
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
    heads = [field.name for field in fields(trials[0])]
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
    check_writable(output)
    query_text, found_text = read_text(query), read_text(found)
    match = compare(
        {"id": str(query), "text": query_text}, {"id": str(found), "text": found_text}, preset=preset
    )
    with open_output(output) as out:
        if as_json or not out.isatty():
            out.write(json.dumps(match.to_dict() if match else None, ensure_ascii=False) + "\n")
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
    """Write a small made-up archive whose copies are known to DIR."""
    from .. import demo

    if folder.exists() and any(folder.iterdir()) and not (folder / "truth.jsonl").exists():
        raise UsageError(f"{folder} holds other files: name a new folder")
    demo.write_archive(folder, seed)
    articles = folder / "articles.jsonl"
    print(f"wrote {articles} and its truth {folder / 'truth.jsonl'}", file=sys.stderr)
    if not run:
        return 0
    print(f"running: wirecopy find {articles}", file=sys.stderr)
    with show_progress(quiet, None) as progress:
        matches = find([articles], progress=progress)
    show_table(matches, sys.stdout)
    print()
    for formula in matches.formulas[:5]:
        print(f"boilerplate in {formula.articles} articles: {formula.example}")
    print(f"{len(matches.formulas)} formulas left out as boilerplate\n")
    print(demo.score(matches, demo.read_truth(folder)))
    return 0


def choose_form(jsonl: bool, csv: bool, parquet: bool, output: Path | None) -> str:
    """The form of the answer: as asked for, by the name of the file, a table on a terminal."""
    asked = [name for name, wanted in (("jsonl", jsonl), ("csv", csv), ("parquet", parquet)) if wanted]
    if len(asked) > 1:
        raise UsageError(f"one form at a time: got --{' and --'.join(asked)}")
    if asked == ["parquet"] and output is None:
        raise UsageError("--parquet needs a file: name it with --output")
    by_name = (
        "jsonl" if output is None else {".csv": "csv", ".parquet": "parquet"}.get(output.suffix, "jsonl")
    )
    form = asked[0] if asked else "table" if output is None and sys.stdout.isatty() else by_name
    if form == "parquet" and find_spec("pyarrow") is None:
        raise MissingExtra("a Parquet file", "arrow")
    return form


def read_method(given: str) -> methods.Method:
    """A method from `name` or `name:parameter=value,…`."""
    name, _, rest = given.partition(":")
    parameters: dict[str, Any] = {}
    for part in filter(None, re.split(r",(?=\w+=)", rest)):
        parameter, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f"--method {given}: expected parameter=value, got {part!r}")
        try:
            parameters[parameter] = json.loads(value)
        except ValueError:
            parameters[parameter] = value
    return methods.get(name, **parameters)


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


def check_writable(*outputs: Path | None) -> None:
    """Complain before the work about files that cannot be written after it."""
    for output in filter(None, outputs):
        if output.is_dir() or not output.absolute().parent.is_dir():
            raise SourceError(
                f"{output}: cannot be written: {'a folder' if output.is_dir() else 'no such folder'}"
            )


@contextmanager
def open_output(output: Path | None) -> Iterator[IO[str]]:
    """The file, or stdout."""
    if output is None:
        yield sys.stdout
        sys.stdout.flush()
    else:
        with output.open("w", encoding="utf-8") as out:
            yield out


def write_matches(matches: Matches, form: str, output: Path | None) -> None:
    """Write the matches in the form asked for."""
    if form == "parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(matches.to_arrow(), output)
        return
    with open_output(output) as out:
        if form == "jsonl":
            out.writelines(matches.json_lines())
        elif form == "csv":
            import csv

            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(
                (
                    "query",
                    "found",
                    "relation",
                    "query_covered",
                    "found_covered",
                    "resemblance",
                    "words",
                    "passages",
                    "methods",
                )
            )
            for *values, passages, by in matches.rows():
                writer.writerow((*values, sum(row[4] for row in passages), len(passages), " ".join(by)))
        else:
            show_table(matches, out)


OPINION_HEADS = ("query", "found", "relation", "query_in_found", "found_in_query", "rank", "methods")


def opinion_writer(form: str, out: IO[str]) -> Callable[[Opinions], None] | None:
    """What writes opinions as they come; None for a table."""
    if form == "jsonl":
        return lambda opinions: out.writelines(opinions.json_lines())
    if form == "csv":
        import csv

        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(OPINION_HEADS)
        return lambda opinions: writer.writerows(_opinion_cells(opinions))
    return None


def show_opinions(opinions: Opinions, out: IO[str]) -> None:
    """The first opinions as a table."""
    print_table(OPINION_HEADS, map(list, islice(_opinion_cells(opinions), TABLE_ROWS)), out)
    if len(opinions) > TABLE_ROWS:
        print(f"… and {len(opinions) - TABLE_ROWS:,} more: write them out with --jsonl or --csv", file=out)


def _opinion_cells(opinions: Opinions) -> Iterator[tuple[str, ...]]:
    for row in opinions.rows():
        *values, by = row.values()
        yield (*("" if value is None else str(value) for value in values), " ".join(by))


def write_lines(file: Path | None, things: Iterable[Any]) -> None:
    """Write things as JSON lines, if a file was named."""
    if file:
        with file.open("w", encoding="utf-8") as out:
            out.writelines(json.dumps(asdict(thing), ensure_ascii=False) + "\n" for thing in things)


def name_skipped(skipped: Sequence[Skipped]) -> int:
    """Name each record that was skipped; the exit code."""
    for one in skipped:
        print(f"skipped: {one}", file=sys.stderr)
    if skipped:
        print(f"{len(skipped):,} record{'s' * (len(skipped) > 1)} skipped", file=sys.stderr)
    return 3 if skipped else 0


def summarise(found: Matches | Opinions, articles: int, quiet: bool) -> int:
    """Name what was skipped, say what was done; the exit code."""
    code = name_skipped(found.skipped)
    if found.unreadable_dates:
        print(
            f"{found.unreadable_dates} dates are neither ISO 8601 nor RFC 2822 and count as missing",
            file=sys.stderr,
        )
    if not articles:
        print("no articles found", file=sys.stderr)
    elif not quiet and isinstance(found, Matches):
        counts = found.counts
        print(
            f"{articles:,} articles, {counts['candidates']:,} candidates, {counts['matches']:,} matches, "
            f"{len(found.formulas):,} formulas left out as boilerplate",
            file=sys.stderr,
        )
    elif not quiet and isinstance(found, Opinions):
        duplicates = sum(verdict.duplicate for verdict in found.verdicts)
        verdicts = f", {duplicates:,} of them duplicates by {found.method}" if found.verdicts else ""
        print(f"{articles:,} articles{verdicts}", file=sys.stderr)
    return code
