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
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from . import methods
from .comparison import DEFAULT_PRESET, PRESETS, compare
from .errors import MissingExtra, SourceError, UsageError, WirecopyError
from .model import Match
from .pile import MEMORY_A_BYTE, Matches, Opinions, Progress, find
from .sources import Fields, read, total_bytes

app = typer.Typer(
    name="wirecopy",
    help="Find copied news: which articles are identical, near-duplicate, contained in or partly copied from others.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

TABLE_ROWS = 20

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


PresetOption = Annotated[
    PresetName,
    typer.Option(
        metavar="NAME",
        help="What counts as copied: "
        + "; ".join(f"{name}, for {preset.about}" for name, preset in PRESETS.items())
        + ".",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary; complaints only.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write there instead of to stdout.")
]


def field_option(what: str) -> Any:
    """Where one field stands."""
    return typer.Option(metavar="NAME", help=f"Where the {what} stands in a record.")


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Find copied news: which articles are identical, near-duplicate, contained in or partly copied from others."""
    if version:
        import importlib.metadata

        print(f"wirecopy {importlib.metadata.version('wirecopy')}")
        raise typer.Exit


@app.command("find")
def find_command(
    paths: Annotated[list[str], typer.Argument(help="Files, folders, globs; - is stdin.", metavar="PATH...")],
    query: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Compare the pile with the articles of this file only."),
    ] = None,
    preset: PresetOption = _DEFAULT,
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[:PARAMETER=VALUE,...]",
            help="Nominate with this method, such as winnowing:window_words=8; may be repeated.",
        ),
    ] = None,
    decide: Annotated[
        Decide,
        typer.Option(
            metavar="alignment|method", help="Who decides: the words, or the rule of the one --method given."
        ),
    ] = Decide.ALIGNMENT,
    pairs: Annotated[
        Pairs,
        typer.Option(
            metavar="linked|all",
            help="Members of a family too big to pair all with all: linked to its earliest members, or every pair.",
        ),
    ] = Pairs.LINKED,
    boilerplate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the boilerplate that was left out to this file, as JSON lines."
        ),
    ] = None,
    text_field: Annotated[str | None, field_option("text")] = None,
    id_field: Annotated[str | None, field_option("id")] = None,
    published_field: Annotated[str | None, field_option("date")] = None,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="One JSON object a line (the default off a terminal).")
    ] = False,
    csv: Annotated[bool, typer.Option("--csv", help="One line a match, without passages.")] = False,
    parquet: Annotated[bool, typer.Option("--parquet", help="A Parquet file; needs --output.")] = False,
    output: Output = None,
    threads: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="By default one for each core.")
    ] = None,
    quiet: Quiet = False,
) -> int:
    """Find all copies in a pile of articles.

    Exit code 3 says that it is done but some records were skipped, each named on stderr.
    """
    form = choose_form(jsonl, csv, parquet, output)
    check_writable(output, boilerplate)
    chosen = [read_method(one) for one in method] if method else None
    inputs = [Path(path) for path in paths]
    size = total_bytes(inputs)
    if not quiet and size is not None:
        needed = f"{size * MEMORY_A_BYTE / 1e6 + 60:,.0f} MB of memory"
        print(f"{size / 1e6:,.1f} MB of input, about {needed}", file=sys.stderr)
    with show_progress(quiet, size) as progress:
        matches = find(
            inputs,
            query=query,
            preset=str(preset),
            method=chosen,
            decide=decide.value,
            pairs=pairs.value,
            threads=threads,
            fields=Fields(text_field, id_field, published_field),
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
    query: Annotated[Path, typer.Argument(metavar="QUERY", help="The text that may be a copy.")],
    found: Annotated[Path, typer.Argument(metavar="FOUND", help="The text it may be copied from.")],
    preset: PresetOption = _DEFAULT,
    as_json: Annotated[
        bool, typer.Option("--json", help="The match as a JSON object, null where there is none.")
    ] = False,
    output: Output = None,
) -> int:
    """Show what two texts share, side by side."""
    check_writable(output)
    query_text, found_text = read_text(query), read_text(found)
    match = compare(
        {"id": str(query), "text": query_text}, {"id": str(found), "text": found_text}, preset=str(preset)
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
def methods_command(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One method, in full.")] = None,
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
                ", ".join(f"{k}={v}" for k, v in one["parameters"].items()) or "none",
            )
            for one in found
        ]
        print_table(("method", "paper", "what it does", "parameters"), rows, sys.stdout)
    return 0


@app.command("demo")
def demo_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write the archive.")],
    run: Annotated[
        bool, typer.Option("--run", help="Then find its copies, and compare with the truth.")
    ] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="Another seed, another archive.")] = 1,
    quiet: Quiet = False,
) -> int:
    """Write a small made-up archive whose copies are known."""
    from . import demo

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
        print(f"{len(found.skipped):,} record{'s' * (len(found.skipped) > 1)} skipped", file=sys.stderr)
    return 3 if found.skipped else 0


def summarise(matches: Matches, quiet: bool) -> int:
    """Name what was skipped, say what was done; the exit code."""
    code = name_skipped(matches)
    if matches.unreadable_dates:
        print(
            f"{matches.unreadable_dates} dates are neither ISO 8601 nor RFC 2822 and count as missing",
            file=sys.stderr,
        )
    if not matches.counts["articles"]:
        print("no articles found", file=sys.stderr)
    elif not quiet:
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
    from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars
    from rich.text import Text

    class Amount(ProgressColumn):
        def render(self, task: Task) -> Text:
            scale, unit = (1e6, " MB") if task.description == "reading" else (1, "")
            total = f" of {task.total / scale:,.0f}" if task.total else ""
            rate = f"  {task.speed / scale:,.0f}{unit}/s" if task.speed else ""
            return Text(f"{task.completed / scale:,.0f}{total}{unit}{rate}")

    columns = (TextColumn("{task.description:<10}"), BarColumn(), Amount(), TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int, total: int) -> None:
            whole = total or size
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=whole)
            bars.update(tasks[stage], completed=done, total=whole)

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
    """The first matches as a table, a line each."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=out, width=None if out.isatty() else 140)
    width = max(12, console.width // 5)
    fixed = {"query": width, "found": width, "relation": 14, "of query": 8, "of found": 8, "words": 5}
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head, wide in fixed.items():
        table.add_column(head, no_wrap=True, width=wide, justify="right" if wide < 10 else "left")
    rest = console.width - sum(fixed.values()) - 2 * len(fixed)
    table.add_column("longest passage", no_wrap=True, overflow="ellipsis", width=max(10, rest))
    for match in matches[:TABLE_ROWS]:
        longest = max(match.passages, key=lambda passage: passage.words)
        cells = (
            cut_middle(match.query, width),
            cut_middle(match.found, width),
            str(match.relation),
            f"{match.query_covered:.0%}",
            f"{match.found_covered:.0%}",
            str(sum(passage.words for passage in match.passages)),
            " ".join(longest.text[:200].split()),
        )
        table.add_row(*map(Text, cells))
    console.print(table)
    if len(matches) > TABLE_ROWS:
        print(f"… and {len(matches) - TABLE_ROWS:,} more; write all with --output FILE", file=out)


def cut_middle(text: str, width: int) -> str:
    """The text, with … for its middle where it is too long."""
    kept = width - 1
    return text if len(text) <= width else f"{text[: kept // 2]}…{text[-(kept - kept // 2) :]}"


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
