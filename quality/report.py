"""What a set measured, on which data; how that reads as a table."""

import hashlib
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


class MissingError(Exception):
    """Data that a set needs are not at hand; says which, and how to get them."""


@dataclass(frozen=True)
class Data:
    """What was measured on: a name, how much it is, who made the labels, and the digest of every byte of it."""

    name: str
    size: str
    labels: str
    digest: str


@dataclass(frozen=True)
class Result:
    """The measures of one case of a set; `notes` are paragraphs and tables in Markdown."""

    case: str
    data: Data
    measures: Mapping[str, float]
    notes: Sequence[str] = field(default=())


@dataclass(frozen=True)
class Bound:
    """What a measure must not fall below, or not rise above."""

    limit: float
    is_floor: bool = True

    def holds(self, measured: float) -> bool:
        return measured >= self.limit if self.is_floor else measured <= self.limit

    def __str__(self) -> str:
        return f"{'≥' if self.is_floor else '≤'} {show(self.limit)}"


@dataclass(frozen=True)
class Checked:
    """One line of the table."""

    set_name: str
    case: str
    measure: str
    measured: str
    floor: str
    ok: bool


def at_least(limit: float) -> Bound:
    return Bound(limit)


def at_most(limit: float) -> Bound:
    return Bound(limit, is_floor=False)


def digest(parts: Iterable[Path | str]) -> str:
    """Files and texts as one digest, short enough to read."""
    whole = hashlib.sha256()
    for part in parts:
        if isinstance(part, str):
            whole.update(part.encode("utf-8", "surrogatepass"))
            continue
        with part.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()[:16]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def show(value: float) -> str:
    """Counts without, shares with decimals; a share that is not quite 1 never reads as 1."""
    if isinstance(value, int):
        return f"{value:,}"
    for digits in range(3, 6):
        text = f"{value:.{digits}f}"
        if value == 1 or float(text) != 1:
            return text
    return text


def print_table(rows: Sequence[Checked]) -> None:
    cells = [("set", "case", "measure", "measured", "floor", "ok")]
    cells += [(r.set_name, r.case, r.measure, r.measured, r.floor, "ok" if r.ok else "MISSED") for r in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(6)]
    for row in cells:
        columns = zip(row, widths, (0, 0, 0, 1, 1, 0), strict=True)
        print("  ".join(cell.rjust(w) if right else cell.ljust(w) for cell, w, right in columns).rstrip())


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, numbers to the right."""
    lines = [heads, ["---"] + ["--:"] * (len(heads) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def describe(results: Sequence[Result], bounds: Mapping[tuple[str, str], Bound]) -> str:
    """One set in Markdown: a table with a column for each case, the data, the notes."""

    def cell(result: Result, measure: str) -> str:
        if measure not in result.measures:
            return ""
        bound = bounds.get((result.case, measure))
        return show(result.measures[measure]) + (f" ({bound})" if bound else "")

    measures = list(dict.fromkeys(measure for result in results for measure in result.measures))
    rows = [[measure, *(cell(result, measure) for result in results)] for measure in measures]
    data = dict.fromkeys(result.data for result in results)
    about = [f"- {one.name}: {one.size}; labels: {one.labels}; digest `{one.digest}`." for one in data]
    notes = dict.fromkeys(note for result in results for note in result.notes)
    heads = ["development result", *(result.case for result in results)]
    return "\n\n".join([table(heads, rows), "\n".join(about), *notes])


def rewrite(page: str, name: str, block: str) -> str:
    """The page with what stands between the markers of a set replaced."""
    pattern = re.compile(rf"(<!-- measured: {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not pattern.search(page):
        raise ValueError(
            f"no '<!-- measured: {name} -->' … '<!-- end -->' in the page: put them where the table should stand"
        )
    return pattern.sub(lambda found: f"{found[1]}{block}\n{found[2]}", page)
