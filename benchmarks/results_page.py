"""docs/results.md and its figures, made from the cells that `benchmarks/results.py` has run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from quality.report import table
from wirecopy.evaluation.drawing import Chart, Line, draw

Cells = Mapping[str, Any]
LEAD = 0.0005
"""By so little F1 scores differ that are shown alike."""


class Standing(NamedTuple):
    """How a contestant does on one gold: F1 on the test half as it is and tuned, and what it was tuned to."""

    name: str
    rates: Sequence[float] | None
    published: float | None
    tuned: float | None
    setting: str
    cpu: float | None
    peak: float | None


def write(cells: Cells, page: Path, settings: Mapping[str, Sequence[str]], sizes: Sequence[int]) -> None:
    """Write the page, and its figures beside it."""
    golds = {
        gold: (one, told) for one in _sets(cells) for gold, told in cells[f"set / {one}"]["golds"].items()
    }
    standings = {gold: _standings(cells, one, gold, settings) for gold, (one, _) in golds.items()}
    parts = [HEAD, _overview(standings), DETAILS]
    parts += [_describe(cells, gold, *golds[gold], standings[gold]) for gold in golds]
    parts.append(_growth(cells, settings, sizes, page.parent / "pictures"))
    parts += _papers(cells)
    page.write_text("\n\n".join(part.strip() for part in parts if part) + "\n", "utf-8")


HEAD = """
# Results

Every method and the default on the same data: how good, how fast, how much memory. Made by `python -m benchmarks.results` (which runs what
`benchmarks/results.json` does not hold yet) and `python -m benchmarks.results --write`; do not edit it.

**Every figure is a development result.** The sets were there while wirecopy was built, and its constants were settled on some of them
([quality.md](quality.md) says which). Where a gold is computed or planted, that is said: it rewards whoever measures as it does.

- A cell is one run of `wirecopy find` as a process of its own, on two cores that were shared with other work: CPU seconds, not wall time.
- *As published*: the method decides by itself (`--decide method`) with the parameters of its paper; `document_image` only ranks, so it has no such line.
- *Tuned*: of the settings that are tried (`SETTINGS` in `benchmarks/results.py`) and all thresholds of the score, the one with the best F1 on one half of the articles; what is
  told is F1 on the other, with no class of duplicates in both ([evaluation.md](evaluation.md#a-threshold)). The default is tuned likewise, over presets and the share covered.
- A method that knows no forms cannot tell them from copies. Where labels do, they say so.
"""
DETAILS = """
## Set by set

P, R and F1 are of all pairs, at the published setting; the two columns after them are F1 on the test half, as published and tuned.
"""


def _sets(cells: Cells) -> list[str]:
    from benchmarks.sets import SETS

    return [name for name in SETS if f"set / {name}" in cells]


def _standings(cells: Cells, one: str, gold: str, settings: Mapping[str, Sequence[str]]) -> list[Standing]:
    """The default and every method on one gold, the best as published first."""
    told = [_standing(cells, one, gold, "default", ["default", "--preset strict", "--preset any-reuse"])]
    for name, given in settings.items():
        tried = [f"{name}:{some}" if some else name for some in given]
        told.append(_standing(cells, one, gold, name, tried))
    return told[:1] + sorted(
        told[1:], key=lambda standing: -max(standing.published or 0, standing.tuned or 0)
    )


def _standing(cells: Cells, one: str, gold: str, name: str, tried: Sequence[str]) -> Standing:
    runs = {some: cells[f"{one} / {some}"] for some in tried if "scores" in cells.get(f"{one} / {some}", ())}
    scores = {some: run["scores"][gold] for some, run in runs.items()}
    best = max(
        (
            (half["development"][2], some, half, half["test"][2])
            for some, score in scores.items()
            for half in _halves(score)
        ),
        key=lambda trial: trial[0],
        default=None,
    )
    own = runs.get(name)
    return Standing(
        name,
        scores[name]["all"] if own else None,
        scores[name]["test"][2] if own else None,
        best[3] if best else None,
        _setting(name, best[1], best[2]) if best else "",
        own["cpu"] if own else None,
        own["peak_mb"] if own else None,
    )


def _halves(score: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """As it is, and with the tuned threshold."""
    return [score, score["tuned"]] if "tuned" in score else [score]


def _setting(name: str, tried: str, half: Mapping[str, Any]) -> str:
    given = tried.removeprefix(name).removeprefix(":") or "as it is"
    cut = f", {half.get('by', 'score')} ≥ {half['threshold']:g}" if "threshold" in half else ""
    return f"`{given}`{cut}"


def _overview(standings: Mapping[str, Sequence[Standing]]) -> str:
    """F1 of every method on every gold, and where the default is not best."""
    golds = list(standings)
    names = [standing.name for standing in standings[golds[0]]] if golds else []
    order = {
        name: [next(one for one in standings[gold] if one.name == name) for gold in golds] for name in names
    }
    rows = [
        (
            f"**{name}**" if name == "default" else f"`{name}`",
            *(f"{_share(one.published)} / {_share(one.tuned)}" for one in row),
        )
        for name, row in sorted(order.items(), key=lambda one: (one[0] != "default", one[0]))
    ]
    lines = [_verdict(gold, standings[gold]) for gold in golds]
    return "\n\n".join(
        [
            "## At a glance",
            "F1 of pairs on the test half, as published / tuned.",
            table(("method", *golds), rows),
            "Is the default, as it is, better than every method, as published and tuned?",
            "\n".join(lines),
        ]
    )


def _verdict(gold: str, standings: Sequence[Standing]) -> str:
    own, *others = standings
    least = (own.published or 0.0) + LEAD
    above = [
        f"`{one.name}` {how} ({_share(value)})"
        for how in ("as published", "tuned")
        for one in others
        if (value := one.published if how == "as published" else one.tuned) is not None and value > least
    ]
    said = f"- **{gold}**: {_share(own.published)}, tuned {_share(own.tuned)}: "
    return said + (f"no; above it {_listed(above)}." if above else "yes.")


def _listed(names: Sequence[str], most: int = 6) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _describe(
    cells: Cells, gold: str, one: str, told: Mapping[str, Any], standings: Sequence[Standing]
) -> str:
    heads = ("method", "P", "R", "F1", "F1 on test", "tuned", "tuned to", "CPU s", "peak MB")
    rows = [
        (
            f"**{row.name}**" if row.name == "default" else f"`{row.name}`",
            *(map(_share, row.rates) if row.rates else ("–", "–", "–")),
            _share(row.published),
            _share(row.tuned),
            row.setting,
            "–" if row.cpu is None else f"{row.cpu:.1f}",
            "–" if row.peak is None else f"{row.peak:,.0f}",
        )
        for row in standings
    ]
    articles = cells[f"set / {one}"]["articles"]
    said = f"{articles:,} articles, {told['pairs']:,} true pairs; labels: {told['made by']}; digest `{told['digest']}`."
    return "\n\n".join([f"### {gold}", said, *NOTES.get(gold, ()), table(heads, rows)])


NOTES: Mapping[str, Sequence[str]] = {}


def _growth(cells: Cells, settings: Mapping[str, Sequence[str]], sizes: Sequence[int], pictures: Path) -> str:
    runs: dict[str, dict[int, Any]] = {}
    for name, cell in cells.items():
        if name.startswith("growth / "):
            _, contestant, size = name.split(" / ")
            runs.setdefault(contestant, {})[int(size)] = cell
    if not runs:
        return ""
    parts = [GROWTH]
    for head, key, unit in (("CPU time", "cpu", "s"), ("Peak memory", "peak_mb", "MB")):
        rows = []
        for name, by_size in sorted(runs.items(), key=lambda one: (one[0] != "default", one[0])):
            cells_of = (by_size.get(size, {}) for size in sizes)
            rows.append((f"`{name}`", *(_cell(cell, key) for cell in cells_of)))
        parts.append(table((f"{head}, {unit}", *(f"{size:,}" for size in sizes)), rows))
        lines = [
            Line(name, [(size, cell.get(key)) for size, cell in sorted(by_size.items())])
            for name, by_size in sorted(runs.items())
        ]
        chart = Chart(f"{head} by articles", "articles", unit, lines, across_log=True, up_log=True)
        path = pictures / f"growth-{'cpu' if key == 'cpu' else 'memory'}.svg"
        path.write_text(draw(chart), "utf-8")
        parts.append(
            f"![{head} of every method by number of articles, both axes logarithmic](pictures/{path.name})"
        )
    return "\n\n".join(parts)


GROWTH = """
## As piles grow

The first so many of the 182,067 articles of `../shared/bench`, each method as published (`document_image` with a threshold of 0.5). A run that would
take more than 300 CPU seconds is stopped, which a dash says, and bigger piles are not tried.
"""


def _cell(cell: Mapping[str, Any], key: str) -> str:
    if "stopped" in cell:
        return "–"
    value = cell.get(key)
    return "" if value is None else f"{value:,.1f}" if key == "cpu" else f"{value:,.0f}"


def _papers(cells: Cells) -> list[str]:
    return []
