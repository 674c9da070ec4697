"""What commands leave behind: answers in the form asked for, and what is said of them on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from ..errors import MissingExtra, SourceError, UsageError
from ..model import Opinion, Skipped, clean, count, one_line
from ..pile import Matches, Opinions
from ..sources import files_read
from .show import TABLE_ROWS, print_table, show_answer, show_table

if TYPE_CHECKING:
    from ..archive import Answer, Judged


class _Tamed:
    """A terminal that nothing in data can steer."""

    def __init__(self, out: IO[str]) -> None:
        self.out = out

    def write(self, text: str) -> int:
        return self.out.write(clean(text))

    def writelines(self, lines: Iterable[str]) -> None:
        self.out.writelines(map(clean, lines))


def tame(out: IO[str]) -> IO[str]:
    """Where to write data; what would steer a terminal is left out there, and nowhere else."""
    return cast(IO[str], _Tamed(out)) if out.isatty() else out


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


def check_writable(*outputs: Path | None, inputs: Iterable[Path] = (), files: Iterable[Path] = ()) -> None:
    """Complain before the work about files that cannot be written after it, or must not be: one file twice, and what is read:
    `inputs` with all they name, and single `files`.
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
    """What all names of a file have in common, links too."""
    try:
        known = path.stat()
    except OSError:
        return path.resolve()
    return known.st_dev, known.st_ino


@contextmanager
def name_output(output: Path | None) -> Iterator[None]:
    """What goes wrong in writing the file, or stdout, is said with its name."""
    try:
        yield
    except OSError as error:
        is_other = error.filename and Path(error.filename) != output
        if is_other or error.errno is None or isinstance(error, BrokenPipeError):
            raise
        raise SourceError(f"{output or 'stdout'}: cannot be written: {os.strerror(error.errno)}") from error


@contextmanager
def open_output(output: Path | None) -> Iterator[IO[str]]:
    """The file, or stdout."""
    with name_output(output):
        if output is None:
            yield sys.stdout
            sys.stdout.flush()
            return
        with output.open("w", encoding="utf-8", errors="backslashreplace") as out:
            yield out


MATCH_HEADS = (
    *("query", "found", "relation", "query_covered", "found_covered", "resemblance"),
    *("words", "passages", "methods"),
)


def write_matches(matches: Matches, form: str, output: Path | None) -> None:
    """Write the matches in the form asked for."""
    if form == "parquet":
        import pyarrow.parquet

        assert output is not None
        table = matches.to_arrow()
        # Given a name, pyarrow deletes what it stands for if writing fails: a link, or as root a device.
        with name_output(output), output.open("wb") as out:
            pyarrow.parquet.write_table(table, out)
        return
    with open_output(output) as out:
        if form == "jsonl":
            tame(out).writelines(matches.json_lines())
        elif form == "csv":
            csv_writer(MATCH_HEADS, out)(
                (*values, sum(row[4] for row in passages), len(passages), " ".join(by))
                for *values, passages, by in matches.rows()
            )
        else:
            show_table(matches, out)


SOURCE_HEADS = ("copied", "published", "source", "title", "url")
"""What CSV says of a match with an archive beside what it says of any match."""


def answer_writer(form: str, out: IO[str]) -> Callable[[Answer], None]:
    """What writes the answers of an archive, one after the other."""
    if form == "table":
        return lambda answer: show_answer(answer, out)
    if form == "csv":
        write = csv_writer((*MATCH_HEADS, *SOURCE_HEADS), out)
        return lambda answer: write(_source_cells(answer))
    return lambda answer: write_line(answer.to_dict(), out)


def _source_cells(answer: Answer) -> Iterator[tuple[Any, ...]]:
    for source in answer.sources:
        match, article = source.match, source.article
        yield (
            *(match.query, match.found, match.relation),
            *(match.query_covered, match.found_covered, match.resemblance),
            *(sum(passage.words for passage in match.passages), len(match.passages)),
            *(" ".join(match.methods), answer.copied),
            *(article.published, article.source, article.title, article.url),
        )


def csv_writer(heads: Sequence[str], out: IO[str]) -> Callable[[Iterable[Sequence[Any]]], None]:
    """What writes rows of CSV, below a line with their heads."""
    import csv

    writer = csv.writer(tame(out), lineterminator="\n")
    writer.writerow(heads)
    return writer.writerows


def write_line(record: Mapping[str, Any], out: IO[str]) -> None:
    """Write one line of JSON."""
    tame(out).write(json.dumps(record, ensure_ascii=False) + "\n")


OPINION_HEADS = ("query", "found", "relation", "query_in_found", "found_in_query", "rank", "methods")


def opinion_writer(form: str, out: IO[str]) -> Callable[[Opinions], None] | None:
    """What writes opinions as they come; None for a table."""
    if form == "jsonl":
        return lambda opinions: tame(out).writelines(opinions.json_lines())
    if form == "csv":
        write = csv_writer(OPINION_HEADS, out)
        return lambda opinions: write(_opinion_cells(opinions))
    return None


def show_opinions(opinions: Sequence[Opinion], out: IO[str]) -> None:
    """The first opinions as a table."""
    print_table(OPINION_HEADS, map(list, islice(_opinion_cells(opinions), TABLE_ROWS)), out)
    if len(opinions) > TABLE_ROWS:
        print(f"… and {len(opinions) - TABLE_ROWS:,} more: write them out with --jsonl or --csv", file=out)


def _opinion_cells(opinions: Iterable[Opinion]) -> Iterator[tuple[str, ...]]:
    for opinion in opinions:
        *values, by = opinion.to_dict().values()
        yield (*("" if value is None else str(value) for value in values), " ".join(by))


def judged_writer(form: str, out: IO[str]) -> Callable[[Judged], None]:
    """What writes what an archive's method says of texts, one after the other."""
    if form == "table":
        return lambda judged: _show_judged(judged, out)
    if form == "csv":
        write = csv_writer(OPINION_HEADS, out)
        return lambda judged: write(_opinion_cells(judged.opinions))
    return lambda judged: write_line(judged.to_dict(), out)


def _show_judged(judged: Judged, out: IO[str]) -> None:
    verdict, ranked = judged.verdict, len(judged.opinions)
    said = [f"{count(ranked)} ranked" if ranked else "nothing ranked"]
    if verdict:
        said.append(f"{'a' if verdict.duplicate else 'no'} duplicate by {count(verdict.hits, 'hit')}")
    out.write(one_line(f"{judged.query}: {', '.join(said)}") + "\n")
    if ranked:
        show_opinions(judged.opinions, out)
        out.write("\n")


def write_lines(file: Path | None, things: Iterable[Any]) -> None:
    """Write things as JSON lines, if a file was named."""
    if file:
        with open_output(file) as out:
            for thing in things:
                write_line(thing.to_dict(), out)


def say(message: str) -> None:
    """Talk, a whole line at a time, as other threads may too."""
    sys.stderr.write(clean(message) + "\n")
    sys.stderr.flush()


def name_skipped(skipped: Sequence[Skipped]) -> int:
    """Name each record that was skipped; the exit code."""
    for one in skipped:
        say_skipped(one)
    return count_skipped(len(skipped))


def say_skipped(skipped: Skipped) -> None:
    """Name one record that was skipped."""
    say(f"skipped: {one_line(str(skipped))}")


def count_skipped(skipped: int) -> int:
    """Say how many records were skipped; the exit code."""
    if skipped:
        say(f"{count(skipped, 'record')} skipped")
    return 3 if skipped else 0


def say_unreadable(dates: int) -> None:
    """Say how many dates could not be read."""
    if dates:
        say(f"{count(dates, 'date')} in neither ISO 8601 nor RFC 2822, counted as missing")


def say_missing(fields: Sequence[str]) -> None:
    """Name the fields that were asked for and are not there."""
    for name in fields:
        say(f"no record has the field {name!r}")


def summarise(found: Matches | Opinions, articles: int, quiet: bool) -> int:
    """Name what was skipped, say what was done; the exit code."""
    code = name_skipped(found.skipped)
    say_unreadable(found.unreadable_dates)
    say_missing(found.missing_fields)
    for warning in getattr(found, "warnings", ()):
        say(f"warning: {warning}")
    if not articles:
        say("no articles found")
    elif not quiet and isinstance(found, Matches):
        counts = found.counts
        say(
            f"{count(articles)}, {count(counts['candidates'], 'candidate')}, "
            f"{count(counts['matches'], 'match', 'matches')}, "
            f"{count(len(found.formulas), 'formula')} left out as boilerplate"
        )
    elif not quiet and isinstance(found, Opinions):
        duplicates = sum(verdict.duplicate for verdict in found.verdicts)
        verdicts = f", {duplicates:,} of them duplicates by {found.method}" if found.verdicts else ""
        say(f"{count(articles)}{verdicts}")
    return code
