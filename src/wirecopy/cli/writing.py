"""What commands leave behind: answers in the form asked for, and what is said of them on stderr."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from ..errors import MissingExtra, NothingRead, SourceError, UsageError
from ..files import open_whole
from ..model import MATCH_HEADS, Opinion, Relation, Remarks, Skipped, clean, count, one_line
from ..pile import Matches, Opinions, Stories
from ..sources import files_read
from .naming import Ids
from .show import TABLE_ROWS, print_table, show_answer, show_progress, show_table
from .words import in_options

if TYPE_CHECKING:
    import pyarrow

    from ..archive import Added, Answer, Archive, Ranked

EXAMPLES = 3
"""How many skipped records of a kind are named."""


class _Tamed:
    """A terminal that data cannot steer: control characters are left out."""

    def __init__(self, out: IO[str]) -> None:
        self.out = out

    def write(self, text: str) -> int:
        return self.out.write(clean(text))

    def writelines(self, lines: Iterable[str]) -> None:
        self.out.writelines(map(clean, lines))


def tame(out: IO[str]) -> IO[str]:
    """The stream to write data to: on a terminal, one that leaves out what would steer it; else `out` itself."""
    return cast(IO[str], _Tamed(out)) if out.isatty() else out


def choose_form(
    forms: Sequence[str], raw: bool, text: bool, output: Path | None, more: Sequence[str] = ()
) -> str:
    """The form of the answer: the one asked for, else by the name of the file, else a table on a terminal, JSON lines off it.

    CSV with `raw` is the form "raw csv", JSON lines with `text` the form "full jsonl". A device, and a file whose name has no ending, gets
    JSON lines. A command may have `more` forms, whose files end as they are named.
    """
    if len(forms) > 1:
        raise UsageError(f"one form at a time: got --{' and --'.join(forms)}")
    if "parquet" in forms and output is None:
        raise UsageError("--parquet needs a file: name it with --output")
    if forms:
        form = forms[0]
    elif output:
        form = (_SUFFIXES | {f".{one}": one for one in more}).get(output.suffix.lower(), "")
        if not form:
            endings = ", ".join([*(f".{one}" for one in more), ".csv", ".tsv", ".jsonl"])
            told = f"expected {endings} or .parquet, got {output.suffix}"
            raise UsageError(f"{output}: {told}; or name the form with --jsonl, --csv or --parquet")
    else:
        form = "table" if sys.stdout.isatty() else "jsonl"
    if form == "parquet" and find_spec("pyarrow") is None:
        raise MissingExtra("a Parquet file", "arrow")
    if raw and form not in CSV:
        raise UsageError("--raw: only with --csv")
    if text and form != "jsonl":
        raise UsageError("--text: only with --jsonl; all other forms have the texts")
    return f"raw {form}" if raw else FULL if text else form


def check_writable(*outputs: Path | None, inputs: Iterable[Path] = (), files: Iterable[Path] = ()) -> None:
    """Raise an error, before the work begins, if an output cannot be written, is named twice, or is one of the files that are read.

    These are single `files`, and `inputs` with all the files that they name.
    """
    written: dict[object, Path] = {}
    for output in filter(None, outputs):
        if output.is_dir() or not output.absolute().parent.is_dir():
            raise SourceError(
                f"{output}: cannot be written: {'a folder' if output.is_dir() else 'no such folder'}"
            )
        if output.exists() and not output.is_file():
            continue  # a device loses nothing
        if (same := _identity(output)) in written:
            raise UsageError(f"{output}: cannot be written: two outputs are one file")
        written[same] = output
    if not any(output.exists() for output in written.values()):
        return
    for file in chain(files, *map(_files_read, inputs)):
        if found := written.get(_identity(file)):
            raise UsageError(f"{found}: cannot be written: it is one of the inputs")


def _files_read(path: Path) -> Iterator[Path]:
    with suppress(SourceError):  # whoever reads it complains
        yield from files_read(Path("/dev/stdin") if str(path) == "-" else path)


def _identity(path: Path) -> object:
    """A value that is the same for all names of a file, links included."""
    try:
        known = path.stat()
    except OSError:
        return os.path.realpath(path)
    return known.st_dev, known.st_ino


@contextmanager
def name_output(output: Path | None) -> Iterator[None]:
    """Raise an error of writing the file, or stdout, as a SourceError that names it."""
    try:
        yield
    except OSError as error:
        is_other = error.filename and Path(error.filename) != output
        if is_other or error.errno is None or isinstance(error, BrokenPipeError):
            raise
        raise SourceError(f"{output or 'stdout'}: cannot be written: {os.strerror(error.errno)}") from error


@contextmanager
def open_output(output: Path | None) -> Iterator[IO[str]]:
    """A file that takes its place once all is written, or stdout; errors of writing name it."""
    with name_output(output):
        if output is None:
            yield sys.stdout
            sys.stdout.flush()
            return
        with open_whole(output, encoding="utf-8", errors="backslashreplace") as out:
            yield out


def write_matches(matches: Matches, form: str, output: Path | None, within: Sequence[Path]) -> None:
    """Write the matches in the form asked for."""
    if form == "parquet":
        write_parquet(matches.to_arrow(), output)
        return
    with open_output(output) as out:
        if form in JSONL:
            tame(out).writelines(matches.json_lines(text=form == FULL))
        elif form in CSV:
            csv_writer(MATCH_HEADS, form, out)(matches.rows())
        else:
            show_table(matches, out, within)


def write_parquet(table: pyarrow.Table, output: Path | None) -> None:
    """Write a table to a Parquet file."""
    import pyarrow.parquet

    assert output is not None
    # Given a name, pyarrow deletes what it stands for if writing fails: a link, or as root a device.
    with name_output(output), open_whole(output, "wb") as out:
        pyarrow.parquet.write_table(table, out)


FOUND_HEADS = ("copied", "articles", "contained_in_count", "form_of_count", "at_least", "story")
"""The columns of CSV that a match with an archive has beside those of any match."""


def answer_writer(
    form: str, out: IO[str], by_method: bool, archive: Archive, *, some: bool = False
) -> Callable[[Any], None]:
    """The function that writes an answer of an archive: a `Ranked` if its method decides, else an `Answer`, of all relations or `some`."""
    if form == "table" and by_method:
        return lambda answer: _show_ranked(answer, out)
    if form == "table":
        ids = Ids(archive.ids)
        return lambda answer: show_answer(answer, ids, out, some=some)
    if form in CSV:
        heads = OPINION_HEADS if by_method else (*MATCH_HEADS, *FOUND_HEADS)
        write = csv_writer(heads, form, out)
        return lambda answer: write(_opinion_cells(answer.opinions) if by_method else _found_cells(answer))
    full = {"text": True} if form == FULL else {}
    return lambda answer: write_line(answer.to_dict(**full), out)


def _found_cells(answer: Answer) -> Iterator[tuple[Any, ...]]:
    counts = answer.articles, answer.contained_in_count, answer.form_of_count, SHOWN[str(answer.at_least)]
    for one in answer.found:
        yield *one.match.to_row(answer.article, one.article), answer.copied, *counts, one.story


CSV = ("csv", "raw csv", "tsv", "raw tsv")
"""The forms that are CSV, with commas or tabs."""
FULL = "full jsonl"
"""JSON lines with texts."""
JSONL = ("jsonl", FULL)
_SUFFIXES = {"": "jsonl", ".jsonl": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"}
"""What the end of an output's name says of its form."""

_FORMULA = re.compile(r"(?![+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?\Z)[=+@\t\r\n-]", re.ASCII)
"""The beginning of a cell that spreadsheets would run, numbers apart."""


class _Lines:
    """Writes lines with another end: csv quotes only those line ends that are its own, and a cell may hold either."""

    def __init__(self, out: IO[str]) -> None:
        self.out = out

    def write(self, line: str) -> int:
        return self.out.write(line.removesuffix("\r\n") + "\n")


def csv_writer(heads: Sequence[str], form: str, out: IO[str]) -> Callable[[Iterable[Sequence[Any]]], None]:
    """The function that writes rows of CSV; the line with their heads is written here."""
    import csv

    delimiter = "\t" if form.endswith("tsv") else ","
    writer = csv.writer(_Lines(tame(out)), delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(heads)
    return writer.writerows if form.startswith("raw") else lambda rows: writer.writerows(map(_as_text, rows))


def _as_text(row: Sequence[Any]) -> list[Any]:
    """The row with an apostrophe before each text that a spreadsheet would take for a formula."""
    return [f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell for cell in row]


def write_line(record: Mapping[str, Any] | None, out: IO[str]) -> None:
    """Write a record as one line of JSON."""
    tame(out).write(json.dumps(record, ensure_ascii=False) + "\n")


OPINION_HEADS = (
    *("query", "found", "accepted", "relation"),
    *("query_in_found", "found_in_query", "rank", "methods"),
)


SHOWN = {"None": "", "True": "yes", "False": "no"}


def write_opinions(
    ask: Callable[..., Opinions], form: str, output: Path | None, quiet: bool, size: int | None = None
) -> Opinions:
    """Write the opinions that `ask` gives as they come, and return all of them; `size` is that of the input, in bytes."""
    with open_output(output) as out, show_progress(quiet, size) as progress:
        told = ask(progress=progress, receive=opinion_writer(form, out))
        if form == "table":
            show_opinions(told, out)
    return told


def opinion_writer(form: str, out: IO[str]) -> Callable[[Opinions], None] | None:
    """The function that writes opinions as they come; None for a table, which is written at the end."""
    if form in JSONL:
        return lambda opinions: tame(out).writelines(opinions.json_lines())
    if form in CSV:
        write = csv_writer(OPINION_HEADS, form, out)
        return lambda opinions: write(_opinion_cells(opinions))
    return None


def show_opinions(opinions: Sequence[Opinion], out: IO[str]) -> None:
    """Print the first opinions as a table."""
    print_table(OPINION_HEADS, map(list, islice(_opinion_cells(opinions), TABLE_ROWS)), out)
    if len(opinions) > TABLE_ROWS:
        print(f"… and {len(opinions) - TABLE_ROWS:,} more: write them out with --jsonl or --csv", file=out)


def _opinion_cells(opinions: Iterable[Opinion]) -> Iterator[tuple[str, ...]]:
    for opinion in opinions:
        *values, by = opinion.to_dict().values()
        yield (*(SHOWN.get(str(value), str(value)) for value in values), " ".join(by))


def _show_ranked(ranked: Ranked, out: IO[str]) -> None:
    out.write(one_line(f"{ranked.query}: {say_ranked(ranked)}") + "\n")
    if ranked.opinions:
        show_opinions(ranked.opinions, out)
        out.write("\n")


def say_ranked(ranked: Ranked) -> str:
    """How many articles a method ranks and accepts for a text, and its verdict, on one line."""
    accepted = sum(opinion.accepted for opinion in ranked.opinions)
    number = len(ranked.opinions)
    said = [f"{count(number)} ranked, {accepted:,} accepted" if number else "nothing ranked"]
    if verdict := ranked.verdict:
        said.append(f"{'a' if verdict.duplicate else 'no'} duplicate by {count(verdict.hits, 'hit')}")
    return ", ".join(said)


def write_lines(file: Path | None, things: Iterable[Any]) -> None:
    """Write things as JSON lines to the file, if one is named."""
    if file:
        with open_output(file) as out:
            for thing in things:
                write_line(thing.to_dict(), out)


def say(message: str) -> None:
    """Write a message to stderr, in words of the command line and as a whole line, since other threads may write too."""
    sys.stderr.write(clean(in_options(message)) + "\n")
    sys.stderr.flush()


def name_problems(read: Matches | Opinions | Stories | Added) -> int:
    """Name records that were skipped and each field that no record has, say what is odd about the others; return the exit code."""
    code = name_examples(read.skipped)
    say_remarks(read.remarks)
    say_missing(read.missing_fields)
    return code


def say_remarks(remarks: Remarks) -> None:
    """Say what is odd about the articles that were read."""
    if dates := remarks.unreadable_dates:
        example = one_line(remarks.example)[:60]
        said = f"{count(dates, 'date')} cannot be read, such as {example!r}: counted as missing"
        say(f"{said}; name their form with --date-format, such as %d/%m/%Y")
    if remarks.empty_texts:
        say(f"{count(remarks.empty_texts, 'text is', 'texts are')} empty")


@contextmanager
def open_skipped(file: Path | None) -> Iterator[Callable[[Skipped], None] | None]:
    """The function that writes each record that is skipped to the file, as a JSON line; None if no file is named."""
    if file is None:
        yield None
        return
    nothing_read: NothingRead | None = None
    with open_output(file) as out:
        try:
            yield lambda one: write_line({"where": one.where, "reason": in_options(one.reason)}, out)
        except NothingRead as error:  # of which the file tells
            nothing_read = error
    if nothing_read:
        raise nothing_read


def write_skipped(skipped: Iterable[Skipped], file: Path | None) -> None:
    """Write records that were skipped to the file, if one is named, as JSON lines; of a flood of one kind the first are there."""
    with open_skipped(file) as write:
        if write:
            for one in skipped:
                write(one)


def name_examples(skipped: Sequence[Skipped]) -> int:
    """Name the first skipped records of each kind, say how many there are; return the exit code."""
    counts: Counter[str] = Counter()
    examples: dict[str, list[Skipped]] = {}
    for one in skipped:
        kind = one.kind(counts)
        counts[kind] += 1 + one.more
        examples.setdefault(kind, []).append(one)
    for kind, some in examples.items():
        for one in some[:EXAMPLES]:
            say_skipped(one)
        if (more := counts[kind] - EXAMPLES) > 0:
            say(f"skipped: {more:,} more (--skipped FILE has all): {one_line(kind) or 'other reasons'}")
    return count_skipped(counts.total())


def name_skipped(skipped: Sequence[Skipped]) -> int:
    """Name each record that was skipped; return the exit code."""
    for one in skipped:
        say_skipped(one)
    return count_skipped(len(skipped))


def say_skipped(skipped: Skipped) -> None:
    """Name one record that was skipped."""
    say(f"skipped: {one_line(f'{skipped.where}: {skipped.reason}')}")


def say_ahead(id: str, date: str) -> None:
    """Name one article whose date is not believed."""
    say(f"not believed: {one_line(id)}: dated {date}, ahead of now; kept, and the window stays where it is")


def count_skipped(skipped: int) -> int:
    """Say how many records were skipped; return the exit code."""
    if skipped:
        say(f"{count(skipped, 'record')} skipped")
    return 3 if skipped else 0


def say_missing(fields: Sequence[str]) -> None:
    """Name the fields that were asked for and that no record has."""
    for name in fields:
        say(f"no record has the field {name!r}")


def _say_relations(matches: Matches) -> str:
    """How many matches are of each relation, if some are forms."""
    counts = matches.count_relations()
    if Relation.FORM not in counts:
        return ""
    return f" ({', '.join(f'{number:,} {relation}' for relation, number in counts.items())})"


def summarise(found: Matches | Opinions, quiet: bool, *, counted: bool = False) -> int:
    """Name what was skipped, say what was done, but not again what a table has `counted`; return the exit code."""
    articles = found.articles
    code = name_problems(found)
    for warning in found.warnings:
        say(f"warning: {warning}")
    if not articles:
        say("no articles found")
    elif not quiet and isinstance(found, Matches):
        counts = found.counts
        matches = f"{count(counts['matches'], 'match', 'matches')}{_say_relations(found)}, "
        say(
            f"{count(articles)}, {count(counts['candidates'], 'candidate')}, {'' if counted else matches}"
            f"{count(len(found.formulas), 'formula')} left out as boilerplate"
        )
    elif not quiet and isinstance(found, Opinions):
        duplicates = sum(verdict.duplicate for verdict in found.verdicts)
        verdicts = f", {duplicates:,} of them duplicates by {found.method}" if found.verdicts else ""
        say(f"{count(articles)}{verdicts}")
    return code
