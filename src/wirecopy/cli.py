"""The command line: data on stdout, talk on stderr.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done but some records were skipped.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from . import methods
from .comparison import DEFAULT_PRESET, PRESETS, compare
from .errors import SourceError, UsageError, WirecopyError
from .model import Match
from .pile import MEMORY_A_BYTE, Matches, Opinions, Progress, find
from .sources import Fields, total_bytes

app = typer.Typer(
    name="wirecopy",
    help="Find copied news: which articles are identical, near-duplicate, contained in or partly copied from others.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

TABLE_ROWS = 40

PresetName = StrEnum("PresetName", {name: name for name in PRESETS})  # type: ignore[misc]


_DEFAULT = PresetName(DEFAULT_PRESET)


class Decide(StrEnum):
    """Who decides on a candidate."""

    ALIGNMENT = "alignment"
    METHOD = "method"


class Pairs(StrEnum):
    """How much of a big family is written out."""

    LINKED = "linked"
    ALL = "all"


def main() -> None:
    """Run a command; all errors end here."""
    try:
        code = app(standalone_mode=False)
    except typer.Exit as exit_:
        code = exit_.exit_code
    except typer.Abort:
        code = complain("interrupted", 1)
    except KeyboardInterrupt:
        code = complain("interrupted", 1)
    except UsageError as error:
        code = complain(str(error), 2)
    except (WirecopyError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            code = 0
        else:
            code = complain(str(error), 1)
    except typer._click.exceptions.ClickException as error:  # the CLI library's own complaints about usage
        error.show(sys.stderr)
        code = error.exit_code
    sys.exit(code or 0)


def complain(message: str, code: int) -> int:
    """Say what went wrong; the exit code."""
    print(f"wirecopy: {message}", file=sys.stderr)
    return code


Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary; complaints only.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write there instead of to stdout.")]
JsonLines = Annotated[
    bool, typer.Option("--jsonl", help="One JSON object a line (the default off a terminal).")
]
Csv = Annotated[bool, typer.Option("--csv", help="One line a match, without passages.")]
Parquet = Annotated[bool, typer.Option("--parquet", help="A Parquet file; needs --output.")]


@app.command("find")
def find_command(
    paths: Annotated[list[str], typer.Argument(help="Files, folders, globs; - is stdin.", metavar="PATH…")],
    preset: Annotated[PresetName, typer.Option(help="What counts as copied.")] = _DEFAULT,
    method: Annotated[
        list[str] | None,
        typer.Option(help="Nominate with this method, such as winnowing:window_words=8; may be repeated."),
    ] = None,
    query: Annotated[
        Path | None, typer.Option(help="Compare the pile with the articles of this file only.")
    ] = None,
    decide: Annotated[
        Decide, typer.Option(help="The comparison of the words, or the rule of the one --method given.")
    ] = Decide.ALIGNMENT,
    pairs: Annotated[Pairs, typer.Option(help="How much of a big family is written out.")] = Pairs.LINKED,
    boilerplate: Annotated[
        Path | None, typer.Option(help="Write the boilerplate that was left out to this file, as JSON lines.")
    ] = None,
    text_field: Annotated[str | None, typer.Option(help="Where the text stands in a record.")] = None,
    id_field: Annotated[str | None, typer.Option(help="Where the id stands in a record.")] = None,
    date_field: Annotated[str | None, typer.Option(help="Where the date stands in a record.")] = None,
    jsonl: JsonLines = False,
    csv: Csv = False,
    parquet: Parquet = False,
    output: Output = None,
    threads: Annotated[int | None, typer.Option(min=1, help="By default one for each core.")] = None,
    quiet: Quiet = False,
) -> int:
    """Find all copies in a pile of articles."""
    form = choose_form(jsonl, csv, parquet, output)
    inputs = [Path(path) for path in paths]
    size = total_bytes(inputs)
    if not quiet and size is not None:
        needed = f"{size * MEMORY_A_BYTE / 1e6 + 60:,.0f} MB of memory"
        print(f"{size / 1e6:,.1f} MB of input, about {needed}", file=sys.stderr)
    with show_progress(quiet, size) as progress:
        matches = find(
            inputs,
            preset=str(preset),
            query=query,
            method=[read_method(one) for one in method] if method else None,
            decide=decide.value,
            pairs=pairs.value,
            threads=threads,
            fields=Fields(text_field, id_field, date_field),
            progress=progress,
        )
    if isinstance(matches, Opinions):
        return write_opinions(matches, form, output)
    write_matches(matches, form, output)
    if boilerplate:
        lines = (json.dumps(asdict(formula), ensure_ascii=False) + "\n" for formula in matches.formulas)
        with boilerplate.open("w", encoding="utf-8") as out:
            out.writelines(lines)
    return summarise(matches, quiet)


@app.command("compare")
def compare_command(
    query: Annotated[Path, typer.Argument(help="The text that may be a copy.")],
    found: Annotated[Path, typer.Argument(help="The text it may be copied from.")],
    preset: Annotated[PresetName, typer.Option(help="What counts as copied.")] = _DEFAULT,
    as_json: Annotated[
        bool, typer.Option("--json", help="The match as a JSON object, null where there is none.")
    ] = False,
    output: Output = None,
) -> int:
    """Show what two texts share, side by side."""
    texts = [read_text(path) for path in (query, found)]
    names = (str(query), str(found))
    match = compare(
        {"id": names[0], "text": texts[0]}, {"id": names[1], "text": texts[1]}, preset=str(preset)
    )
    with open_output(output) as out:
        if as_json or not out.isatty():
            out.write(json.dumps(match.to_dict() if match else None, ensure_ascii=False) + "\n")
        elif match is None:
            out.write(f"no copy: no common passage of {PRESETS[preset].min_passage_words} words\n")
        else:
            show_side_by_side(match, texts[0], texts[1], out)
    return 0


@app.command("methods")
def methods_command(
    name: Annotated[str | None, typer.Argument(help="One method, in full.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> int:
    """List the methods there are, with their parameters and papers."""
    found = [methods.describe(one) for one in ([name] if name else methods.names())]
    if as_json:
        print(json.dumps(found[0] if name else found, indent=2, ensure_ascii=False))
    elif name:
        one = found[0]
        print(f"{one['name']}: {one['paper']}\n\n{one['about']}\n")
        for parameter, default in one["parameters"].items():
            print(f"  {parameter} = {default}")
    else:
        rows = [
            (
                one["name"],
                one["paper"],
                one["summary"],
                ", ".join(f"{k}={v}" for k, v in one["parameters"].items()),
            )
            for one in found
        ]
        print_table(("method", "paper", "what it does", "parameters"), rows, sys.stdout)
    return 0


@app.command("demo")
def demo_command(
    folder: Annotated[Path, typer.Argument(help="Where to write the archive.")],
    run: Annotated[
        bool, typer.Option("--run", help="Then find its copies, and compare with the truth.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Another seed, another archive.")] = 1,
    quiet: Quiet = False,
) -> int:
    """Write a small made-up archive whose copies are known."""
    from . import demo

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
    if asked:
        return asked[0]
    if output is not None:
        return {".csv": "csv", ".parquet": "parquet"}.get(output.suffix, "jsonl")
    return "table" if sys.stdout.isatty() else "jsonl"


def read_method(given: str) -> methods.Method:
    """A method from `name` or `name:parameter=value,…`."""
    name, _, rest = given.partition(":")
    parameters: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        parameter, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f"--method {given}: expected parameter=value, got {part!r}")
        try:
            parameters[parameter] = json.loads(value)
        except ValueError:
            parameters[parameter] = value
    return methods.get(name, **parameters)


def read_text(path: Path) -> str:
    """A text file, or stdin."""
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{path}: not UTF-8 text at byte {error.start}; convert it, e.g. with iconv"
        ) from None


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


def write_opinions(opinions: Opinions, form: str, output: Path | None) -> int:
    """Write a method's opinions in the form asked for; the exit code."""
    if form == "parquet":
        raise UsageError("--decide method writes JSON lines, CSV or a table")
    with open_output(output) as out:
        if form == "jsonl":
            out.writelines(opinions.json_lines())
        else:
            rows = [row | {"methods": " ".join(row["methods"])} for row in opinions.rows()]
            heads = ("query", "found", "relation", "query_in_found", "found_in_query", "rank", "methods")
            if form == "csv":
                import csv

                writer = csv.DictWriter(out, heads, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
            else:
                print_table(heads, ([str(row[head]) for head in heads] for row in rows[:TABLE_ROWS]), out)
    return name_skipped(opinions)


def name_skipped(found: Matches | Opinions) -> int:
    """Name each record that was skipped; the exit code."""
    for skipped in found.skipped:
        print(f"skipped: {skipped}", file=sys.stderr)
    if found.skipped:
        print(f"{len(found.skipped):,} records skipped", file=sys.stderr)
    return 3 if found.skipped else 0


def summarise(matches: Matches, quiet: bool) -> int:
    """Name what was skipped, say what was done; the exit code."""
    code = name_skipped(matches)
    if matches.unreadable_dates:
        print(
            f"{matches.unreadable_dates} dates are neither ISO 8601 nor RFC 2822 and count as missing",
            file=sys.stderr,
        )
    if not quiet:
        counts = matches.counts
        print(
            f"{counts['articles']:,} articles, {counts['candidates']:,} candidates, {counts['matches']:,} matches, "
            f"{len(matches.formulas):,} formulas left out as boilerplate",
            file=sys.stderr,
        )
    return code


@contextmanager
def show_progress(quiet: bool, size: int | None) -> Iterator[Progress | None]:
    """A bar on stderr with rate and time left, if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import (
        Progress as Bars,
    )

    with Bars(
        TextColumn("{task.description:<10}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
        TextColumn("{task.speed:,.0f}/s"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bars:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total or size)
            bars.update(tasks[stage], completed=done, total=total or size)

        yield report


def print_table(heads: Iterable[str], rows: Iterable[Iterable[str]], out: IO[str]) -> None:
    """A table as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console(file=out, width=None if out.isatty() else 140).print(table)


def show_table(matches: Matches, out: IO[str]) -> None:
    """The first matches as a table."""

    def cells(match: Match) -> tuple[str, ...]:
        longest = max(match.passages, key=lambda passage: passage.words, default=None)
        return (
            match.query,
            match.found,
            str(match.relation),
            f"{match.query_covered:.0%}",
            f"{match.found_covered:.0%}",
            str(sum(passage.words for passage in match.passages)),
            " ".join(longest.text.split())[:60] if longest else "",
        )

    heads = ("query", "found", "relation", "of query", "of found", "words", "longest passage")
    print_table(heads, map(cells, matches[:TABLE_ROWS]), out)
    if len(matches) > TABLE_ROWS:
        print(f"… and {len(matches) - TABLE_ROWS:,} more; write all with --output FILE", file=out)


def show_side_by_side(match: Match, query: str, found: str, out: IO[str]) -> None:
    """Both texts in two columns, each passage in its colour."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    colours = ("green", "cyan", "yellow", "magenta", "blue", "red")

    def paint(text: str, span: Callable[[Any], tuple[int, int]]) -> Text:
        painted = Text(text)
        for number, passage in enumerate(match.passages):
            painted.stylize(colours[number % len(colours)], *span(passage))
        return painted

    table = Table(expand=True, box=None, padding=(0, 2, 0, 0))
    table.add_column(match.query, ratio=1)
    table.add_column(match.found, ratio=1)
    table.add_row(paint(query, lambda passage: passage.query), paint(found, lambda passage: passage.found))
    console = Console(file=out)
    console.print(table)
    console.print(Text(str(match)))
