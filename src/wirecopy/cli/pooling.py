"""The command that makes a test collection: what all methods nominate, and what people say of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from ..errors import SourceError, refuse
from ..model import count, one_line
from ..sources import Fields, total_bytes
from . import options
from .naming import Ids
from .show import TABLE_ROWS, open_console, print_table, show_progress
from .writing import (
    CSV,
    check_writable,
    csv_writer,
    name_examples,
    open_output,
    say,
    write_line,
    write_skipped,
)

if TYPE_CHECKING:
    from ..evaluation.agreement import Agreement, Settled
    from ..evaluation.pooling import Nominated
    from ..methods import Method

POOL_HEADS = ("query", "found", "group", "nominated")
COLLECTION_HEADS = ("query", "found", "group", "label", "how", "judges", "nominated")


@click.command("pool")
@options.paths
@options.method(
    help="Nominate with this method, permissively but for the parameters given, or with alignment; may be repeated. By default CoDet's five."
)
@options.file(
    "--pool", "earlier", multiple=True, help="An earlier pool, whose pairs are left out; may be repeated."
)
@options.number("--groups", default=20, show_default=True, help="Deal the pairs into so many groups.")
@options.file(
    "--judged", multiple=True, help="Judgements of the pairs of the pools PATH: write the test collection."
)
@click.option(
    "--task",
    default="relations",
    show_default=True,
    metavar="NAME|FILE",
    help="With --judged: the labels: relations, cedar, codet, or a file that names them.",
)
@click.option(
    "--resolver", metavar="JUDGE", help="With --judged: who decides; by default whoever judged a pair third."
)
@options.file(
    "--disagreements", help="With --judged: write the pairs that are still open to this file, as JSON lines."
)
@options.skipped
@options.fields
@options.forms("jsonl", "csv", jsonl="One pair a line, as a JSON object.", csv="One line a pair.")
@options.threads
@options.quiet
def pool_command(
    paths: tuple[Path, ...],
    method: tuple[str, ...],
    earlier: tuple[Path, ...],
    groups: int,
    judged: tuple[Path, ...],
    task: str,
    resolver: str | None,
    disagreements: Path | None,
    skipped: Path | None,
    form: str,
    output: Path | None,
    fields: Fields,
    threads: int | None,
    quiet: bool,
) -> int:
    """Pool the pairs that several methods nominate among articles, in groups to be judged; or, with --judged, make a test collection of them.

    Exit code 3 says that it is done but some records were skipped, three of each kind named on stderr.
    """
    read = [*judged, *earlier, *paths, Path(task)] if judged else earlier
    check_writable(output, disagreements, skipped, inputs=() if judged else paths, files=read)
    refuse(
        (judged and (method or earlier), "--judged: PATH is a pool then; --method and --pool make one"),
        (not judged and (resolver or disagreements), "--resolver, --disagreements: only with --judged"),
        (
            not judged and any(str(path) == "-" for path in paths),
            "every method reads the articles: give files",
        ),
        (form == "parquet", "pool writes JSON lines, CSV or a table"),
    )
    if judged:
        return _collect(paths, judged, task, resolver, disagreements, skipped, form, output, quiet)
    from ..evaluation.pooling import pool, read_pools

    known, unusable = read_pools(earlier)
    chosen = _choose(method)
    with show_progress(quiet, total_bytes(list(paths))) as progress:
        made = pool(
            list(paths),
            chosen,
            known={frozenset((one.query, one.found)) for one in known},
            groups=groups,
            threads=threads,
            fields=fields,
            progress=progress,
        )
    with open_output(output) as out:
        _write([one.to_dict() for one in made.pairs], POOL_HEADS, form, out)
    if not quiet:
        for name, number in made.counts.items():
            say(f"{name}: {count(number, 'pair')}")
        say(
            f"{count(len(made.pairs), 'pair')} to judge{f', {len(known):,} in the earlier pool' if known else ''}"
        )
    write_skipped([*unusable, *made.skipped], skipped)
    return name_examples([*unusable, *made.skipped])


def _choose(given: Sequence[str]) -> list[Method | str]:
    from ..evaluation.pooling import ALIGNMENT, CODET, PERMISSIVE

    chosen: list[Method | str] = []
    for one in given or CODET:
        name, _, rest = one.partition(":")
        loose = (f"{key}={value}" for key, value in PERMISSIVE.get(name, {}).items())
        parameters = ",".join([*loose, *filter(None, [rest])])
        chosen.append(ALIGNMENT if one == ALIGNMENT else options.read_method(f"{name}:{parameters}"))
    return chosen


def _write(records: Sequence[Mapping[str, Any]], heads: Sequence[str], form: str, out: IO[str]) -> None:
    if form == "jsonl":
        for one in records:
            write_line(one, out)
        return
    rows = [[_cell(one[head]) for head in heads] for one in records]
    if form in CSV:
        csv_writer(heads, form, out)(rows)
        return
    names = {name for row in rows[:TABLE_ROWS] for name in row[:2]}
    ids = Ids(lambda: [name for row in rows for name in row[:2]])
    shown = ids.shorten(sorted(names), open_console(out).width // 3) if names else {}
    told = ([shown[row[0]], shown[row[1]], *row[2:]] for row in rows[:TABLE_ROWS])
    print_table(heads, (map(one_line, row) for row in told), out)
    if len(rows) > TABLE_ROWS:
        print(f"… and {len(rows) - TABLE_ROWS:,} more; write all with --output FILE", file=out)


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{judge}={label}" for judge, label in value.items())
    return " ".join(value) if isinstance(value, list | tuple) else str(value)


def _collect(
    pools: Sequence[Path],
    judged: Sequence[Path],
    task: str,
    resolver: str | None,
    disagreements: Path | None,
    skipped: Path | None,
    form: str,
    output: Path | None,
    quiet: bool,
) -> int:
    from ..evaluation.agreement import agreements, read_judgements, settle
    from ..evaluation.pooling import collect, read_pools
    from ..evaluation.tasks import read_task

    pairs, bad_pairs = read_pools(pools)
    if not pairs:
        raise SourceError(f"{pools[0]}: no pair in the pool; make it with wirecopy pool ARTICLES... -o POOL")
    known = {frozenset((one.query, one.found)): one for one in pairs}
    judgements, bad = read_judgements(judged, read_task(task), known)
    ours = [one._replace(group=known[one.pair].group or one.group) for one in judgements]
    settled = settle(ours, resolver)
    told = agreements(settled, resolver)
    open_pairs = [one for one in settled if one.label is None]
    with open_output(output) as out:
        if form == "table":
            _show_agreement(told, out)
        else:
            _write(collect(pairs, settled), COLLECTION_HEADS, form, out)
    if disagreements:
        with open_output(disagreements) as out:
            for one in open_pairs:
                write_line(one.to_dict(), out)
    if not quiet:
        _say_agreement(told, settled, pairs)
    write_skipped([*bad_pairs, *bad], skipped)
    return name_examples([*bad_pairs, *bad])


def _show_agreement(told: Sequence[Agreement], out: IO[str]) -> None:
    rows = [
        (
            *(one_line(one.group), one_line(" ".join(one.judges)), f"{one.pairs:,}", f"{one.agreed:,}"),
            *(f"{one.percent:.1%}", "" if one.kappa is None else f"{one.kappa:.3f}"),
        )
        for one in told
    ]
    print_table(("group", "judges", "pairs", "agreed", "percent", "kappa"), rows, out)


def _say_agreement(told: Sequence[Agreement], settled: Sequence[Settled], pairs: Sequence[Nominated]) -> None:
    from ..evaluation.agreement import mean_kappa

    both, agreed = sum(one.pairs for one in told), sum(one.agreed for one in told)
    if both:
        mean = mean_kappa(told)
        kappa = "" if mean is None else f", kappa {mean:.2f} in the mean of {count(len(told), 'group')}"
        say(f"two judges agree on {agreed:,} of {count(both, 'pair')} ({agreed / both:.1%}){kappa}")
    how = {name: sum(one.how == name for one in settled) for name in ("agreed", "resolved", "alone", "open")}
    said = ", ".join(f"{number:,} {name}" for name, number in how.items() if number)
    say(f"{count(len(settled), 'pair')} judged of {len(pairs):,}{': ' if said else ''}{said}")
