"""The command that says how good an answer is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any

import click

from ..comparison import DEFAULT_PRESET
from ..errors import UsageError, refuse
from ..model import Skipped, one_line
from ..sources import Fields, total_bytes
from ..sources.kinds import is_sqlite
from . import options
from .naming import read_within
from .show import print_table, show_progress
from .stories import all_files
from .words import in_options
from .writing import (
    check_writable,
    name_examples,
    name_output,
    open_output,
    say,
    write_line,
    write_skipped,
)

if TYPE_CHECKING:
    from ..evaluation.choosing import Choice
    from ..evaluation.scoring import Evaluation

KINDS = ("pairs", "clusters", "passages", "verdicts")


@click.command("evaluate")
@click.argument("gold", type=options.FILE)
@click.argument("results", nargs=-1, metavar="RESULT...", type=options.FILE)
@click.option("--kind", type=click.Choice(KINDS), help="What GOLD holds, if its fields do not tell.")
@options.file(
    "--in",
    "within",
    multiple=True,
    metavar="PATH|ARCHIVE",
    help="All articles that GOLD is about: for scores over all of them, by source and language, and for mistakes side by side; may be repeated.",
)
@click.option(
    "--task",
    metavar="NAME|FILE",
    help="The labels of GOLD: relations, cedar, codet, or a file that names them.",
)
@click.option(
    "--score",
    metavar="NAME",
    help="The field that pairs are ranked by; by default score, rank or covered, the larger of the shares covered.",
)
@options.flag(
    "--split",
    help="Tune the threshold on one half of the articles, report on the other; no class of duplicates is in both.",
)
@options.number("--seed", default=1, show_default=True, help="With --split: another seed, other halves.")
@click.option(
    "--choose",
    metavar="WISH",
    help="Name the result and the threshold that reach it: 'precision 0.99', 'recall 0.9', 'f1 0.95'. Without RESULT, all presets and methods are tried on the articles --in PATH.",
)
@options.html
@options.skipped
@options.fields
@options.as_json
@options.output
@options.quiet
def evaluate_command(
    gold: Path,
    results: tuple[Path, ...],
    kind: str | None,
    within: tuple[Path, ...],
    task: str | None,
    score: str | None,
    split: bool,
    seed: int,
    choose: str | None,
    html: Path | None,
    skipped: Path | None,
    fields: Fields,
    as_json: bool,
    output: Path | None,
    quiet: bool,
) -> int:
    """Say how good RESULT is against GOLD: pairs, clusters, passages or verdicts, as JSON lines, CSV or Parquet.

    RESULT is what find, pairs or stories write. Articles --in some paths say by source and language, and over all pairs, how good it is. Exit code
    3 says that it is done but some records of GOLD or RESULT were skipped, three of each kind named on stderr.
    """
    from .. import evaluation
    from ..evaluation import telling
    from ..evaluation.choosing import read_wish
    from ..evaluation.tasks import read_task

    read = [gold, *results, *([Path(task)] if task else [])]
    check_writable(output, html, skipped, inputs=all_files(within), files=read)
    refuse(
        (str(gold) == "-", "GOLD is read twice: give a file"),
        (
            not results and not (choose and within),
            "no RESULT: give one, or --choose WISH --in PATH to try all",
        ),
        (
            not results and any(map(is_sqlite, within)),
            "to try all, give files --in, not an archive: export it first",
        ),
        (len(results) > 1 and not choose, "several results: only with --choose, which chooses among them"),
        (split and choose, "--split or --choose: one at a time"),
        (html and choose, "--html shows one result: not with --choose"),
    )
    wish = read_wish(choose) if choose else None
    known = evaluation.read_known(within, fields) if within else None
    asked: dict[str, Any] = {"known": known, "task": read_task(task) if task else None, "score": score or ""}
    asked["kind"] = kind
    unusable: list[Skipped] = []
    with open_output(output) as out:
        if wish:
            with _tried(results, within, fields, quiet) as tried:
                told, unusable = _choose(gold, tried, asked, wish)
            write_line(told, out) if as_json or not out.isatty() else _show_choice(told, out)
        else:
            evaluated = evaluation.evaluate(gold, results[0], **asked)
            told, unusable = evaluated.to_dict(), list(evaluated.skipped)
            if split:
                told["split"] = _split(gold, results[0], asked, seed)
            if as_json or not out.isatty():
                write_line(told, out)
            else:
                show_evaluation(evaluated, told.get("split"), out)
            if html:
                _write_html(html, evaluated, gold, results[0], within, fields, quiet, told.get("split"))
            if not quiet:
                for said in telling.say_basis(evaluated):
                    say(in_options(said))
    write_skipped(unusable, skipped)
    return name_examples(unusable)


def _compare(gold: Path, result: Path, asked: Mapping[str, Any]) -> Any:
    from ..evaluation.comparing import compare_pairs
    from ..evaluation.reading import kind_of, read_gold, read_result

    if (asked["kind"] or kind_of(gold)) != "pairs":
        raise UsageError(f"{gold}: only pairs have thresholds to choose")
    truth = read_gold(gold, "pairs", asked["known"], asked["task"])
    answer = read_result(result, "pairs", truth.ids, asked["score"])
    return compare_pairs(truth, answer, asked["known"]), [*truth.skipped, *answer.skipped]


def _split(gold: Path, result: Path, asked: Mapping[str, Any], seed: int) -> dict[str, Any]:
    from ..evaluation.halves import tune

    return tune(_compare(gold, result, asked)[0], seed)


@contextmanager
def _tried(
    results: Sequence[Path], within: Sequence[Path], fields: Fields, quiet: bool
) -> Iterator[Iterable[tuple[str, Path]]]:
    """The results by name: those given, or, if there are none, what all presets and methods say of the articles."""
    from ..evaluation.trying import try_all

    if results:
        yield [(str(result), result) for result in results]
        return
    with TemporaryDirectory(prefix="wirecopy-") as folder, show_progress(quiet, None) as progress:
        tried = try_all(list(within), Path(folder), fields=fields, progress=progress)
        yield ((_in_options(name), path) for name, path in tried)


def _in_options(name: str) -> str:
    """What find has to be asked for, by the name of what was tried."""
    return f"--{name}{' --decide method' if name.startswith('method') else ''}"


def _choose(
    gold: Path, results: Iterable[tuple[str, Path]], asked: Mapping[str, Any], wish: Any
) -> tuple[dict[str, Any], list[Skipped]]:
    """The choices among some results, the best first, and what was skipped."""
    from ..evaluation.choosing import choose

    choices: list[Choice] = []
    unusable: list[Skipped] = []
    names: list[str] = []
    for name, result in results:
        pairs, skipped = _compare(gold, result, asked)
        unusable += [one for one in skipped if not names or not one.where.startswith(f"{gold}:")]
        names.append(name)
        if choice := choose(name, pairs, wish):
            choices.append(choice)
    other = "precision" if wish.measure == "recall" else "recall"
    choices.sort(key=lambda one: -getattr(one, other))
    told = {"wish": {wish.measure: wish.least}, "choices": [one.to_dict() for one in choices]}
    return told | {"results": names}, unusable


def _show_choice(told: Mapping[str, Any], out: IO[str]) -> None:
    from ..evaluation.telling import say_interval, say_value

    [(measure, least)] = told["wish"].items()
    if not told["choices"]:
        out.write(f"no result reaches {measure} {least:g} at any threshold\n")
        return
    rows = [
        (
            one_line(one["name"]),
            "all" if one["threshold"] is None else f"{one['threshold']:.4f}",
            *(say_value(one[name]) for name in ("precision", "recall", "f1")),
            say_interval(one["interval"]),
        )
        for one in told["choices"]
    ]
    heads = ("result", "threshold", "precision", "recall", "F1", f"{measure}, 95 %")
    print_table(heads, rows, out)


def _write_html(
    html: Path,
    evaluated: Evaluation,
    gold: Path,
    result: Path,
    within: Sequence[Path],
    fields: Fields,
    quiet: bool,
    split: Mapping[str, Any] | None,
) -> None:
    """Write an evaluation as an HTML page, with the mistakes side by side whose articles are `within` some paths."""
    from ..evaluation.page import write_page

    told: dict[str, Any] = {}
    if within:
        named = evaluated.mistakes.ids() if evaluated.mistakes else frozenset()
        with show_progress(quiet, total_bytes(list(within))) as progress:
            found = read_within(named.__contains__, within, fields, progress)
        told = {"articles": {one.id: one for one in found.articles}, "learnt": found.learnt}
        told["preset"] = found.preset or DEFAULT_PRESET
    told["made_from"] = list(map(str, (gold, result, *within)))
    with name_output(html):
        write_page(evaluated, html, gold=gold.name, result=result.name, split=split, **told)


def show_evaluation(evaluated: Evaluation, split: Mapping[str, Any] | None, out: IO[str]) -> None:
    """Print an evaluation as tables: as a whole, by what it differs, and by threshold."""
    from ..evaluation.telling import NAMES, say_measure, say_value

    columns = list(evaluated.scores.items())
    names = [name for name in NAMES if any(name in scores for _, scores in columns)]
    rows = [(NAMES[name], *(say_measure(name, scores) for _, scores in columns)) for name in names]
    heads = ("", *(name for name, _ in columns)) if len(columns) > 1 else ("", "")
    print_table(heads, rows, out)
    for by in dict.fromkeys(one["by"] for one in evaluated.by):
        some = [one for one in evaluated.by if one["by"] == by]
        shown = [name for name in (*NAMES, "agreeing") if any(one.get(name) is not None for one in some)]
        out.write("\n")
        told = [(one_line(str(one["value"])), *(say_value(one.get(name)) for name in shown)) for one in some]
        print_table((by, *(NAMES.get(name, name) for name in shown)), told, out)
    if split:
        _show_split(split, out)
    elif evaluated.thresholds:
        out.write("\n")
        lines = [
            (
                f"{one['threshold']:.4f}",
                f"{one['reported']:,}",
                *(say_value(one[name]) for name in ("precision", "recall", "f1")),
                "best" if one["best"] else "",
            )
            for one in evaluated.thresholds
        ]
        print_table((f"{evaluated.score} ≥", "reported", "precision", "recall", "F1", ""), lines, out)


def _show_split(split: Mapping[str, Any], out: IO[str]) -> None:
    from ..evaluation.telling import NAMES, say_measure

    out.write(f"\ntuned on the development half: threshold {split['threshold']:.4f}\n")
    halves = ("development", "test")
    names = [name for name in NAMES if name in split["test"]]
    rows = [(NAMES[name], *(say_measure(name, split[half]) for half in halves)) for name in names]
    print_table(("", *halves), rows, out)
