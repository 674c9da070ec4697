"""docs/results.md and its figures, made from the cells that `benchmarks/results.py` has run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from quality.report import table
from wirecopy.evaluation.drawing import Chart, Line, draw
from wirecopy.evaluation.experiments import Figure, show
from wirecopy.evaluation.experiments.drawing import draw as draw_figure

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


def render(cells: Cells, settings: Mapping[str, Sequence[str]], sizes: Sequence[int]) -> dict[str, str]:
    """The page and its pictures, by their paths below docs."""
    golds = {
        gold: (one, told) for one in _sets(cells) for gold, told in cells[f"set / {one}"]["golds"].items()
    }
    standings = {gold: _standings(cells, one, gold, settings) for gold, (one, _) in golds.items()}
    made: dict[str, str] = {}
    parts = [HEAD, _overview(standings), _race_part(cells), DETAILS]
    parts += [_describe(cells, gold, *golds[gold], standings[gold]) for gold in golds]
    parts += [*_growth(cells, sizes, made), *_papers(cells, made)]
    return {"results.md": "\n\n".join(part.strip() for part in parts if part) + "\n"} | made


def race(cells: Cells) -> str:
    """The race against other tools as a table, which the README has too."""
    rows = cells["race / 182k"]["rows"]
    own = rows["wirecopy"]
    heads = (
        "tool",
        "wall s",
        "CPU s",
        "peak MB",
        "wall ×",
        "CPU ×",
        "exact",
        "near",
        "contained",
        "partial",
        "precision",
    )
    return table(
        heads,
        [
            (
                TOOLS[name],
                *(f"{row['wall']:.2f}", f"{row['cpu']:.2f}", f"{row['peak_mb']:.0f}"),
                *(f"{row[measure] / own[measure]:.2f}" for measure in ("wall", "cpu")),
                *(f"{row[kind]:.3f}" for kind in ("exact", "near", "containment", "partial", "precision")),
            )
            for name, row in rows.items()
        ],
    )


TOOLS = {
    "wirecopy": "wirecopy",
    "gaoya_2w": "gaoya, MinHash of 2-word shingles",
    "rensa_rlsh_2w": "rensa, MinHash of 2-word shingles",
}


def _race_part(cells: Cells) -> str:
    return f"{RACE.strip()}\n\n{race(cells)}" if "race / 182k" in cells else ""


RACE = """
## Beside other tools

182,067 made-up articles (501 MB) whose copies are known, of `../shared/bench`; the fastest tools that find pairs worth having, each from JSON lines to pairs in a
process of its own, median of three interleaved rounds; × is times what wirecopy needs, recall is by kind of copy. Others worked on the machine: trust the ratios. `make bench` races more.
"""


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
    names = sorted(one.name for one in standings[golds[0]][1:]) if golds else []
    of = {(gold, one.name): one for gold, some in standings.items() for one in some}
    rows = [
        (
            _named(name),
            *(f"{_share(of[gold, name].published)} / {_share(of[gold, name].tuned)}" for gold in golds),
        )
        for name in ("default", *names)
    ]
    heads = ("labels", "default", "best as published", "default tuned", "best tuned", "is the default best?")
    return "\n\n".join(
        [
            "## At a glance",
            "F1 of pairs on the test half, as published / tuned.",
            table(("method", *golds), rows),
            "Is the default better than every method, or as good as the best?",
            table(heads, [_verdict(gold, standings[gold]) for gold in golds]),
            "Where it is not, the set says why.",
        ]
    )


def _verdict(gold: str, standings: Sequence[Standing]) -> tuple[str, ...]:
    own, *others = standings
    published = max(others, key=lambda one: one.published or 0)
    tuned = max(others, key=lambda one: one.tuned or 0)
    as_is, fitted = (own.published or 0) + LEAD, (own.tuned or 0) + LEAD
    first = as_is >= (published.published or 0)
    second, third = as_is >= (tuned.tuned or 0), fitted >= (tuned.tuned or 0)
    said = (
        "yes"
        if first and second
        else "as published; tuned if it is tuned too"
        if first and third
        else "as published; tuned no"
        if first
        else "only tuned"
        if third
        else "no"
    )
    return (
        gold,
        _share(own.published),
        f"{_share(published.published)} `{published.name}`",
        _share(own.tuned),
        f"{_share(tuned.tuned)} `{tuned.name}`",
        said,
    )


def _named(name: str) -> str:
    return f"**{name}**" if name == "default" else f"`{name}`"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _describe(
    cells: Cells, gold: str, one: str, told: Mapping[str, Any], standings: Sequence[Standing]
) -> str:
    heads = ("method", "P", "R", "F1", "F1 on test", "tuned", "tuned to", "CPU s", "peak MB")
    rows = [
        (
            _named(row.name),
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
    return "\n\n".join(filter(None, [f"### {gold}", said, NOTES.get(gold), table(heads, rows)]))


NOTES: Mapping[str, str] = {
    "Clough–Stevenson": "Two thirds of the copied answers were reworded as their writers were told, and a third so much that no run of words is left. Whoever counts single words or pairs of them at a low "
    "threshold finds these too, among answers to five questions where nothing else is alike. 95 pairs in two halves: differences under 0.1 mean little.",
    "Korean forms": "Drawn from what the default with all its relations found, so its recall is 1 by design, and the pairs that readers call common background are its partial matches.",
    "Reuters forms": "Drawn from what the default found before it knew forms; the constants of forms were chosen on two thirds of these labels. Pairs count alike, whatever stratum they stand for.",
    "Reuters overlap": "The reference counts 5-word shingles: half of all, or four fifths of the smaller article's. A method that does the same answers the question as it is put. The default asks another: "
    "it reports every pair with a passage of 20 words, 1,080 forms and 548 partial copies among them, and finds all that is listed.",
    "PAN13 all classes": "Classes 03 to 05 are shuffled, translated there and back, and summarised: not what a finder of copied wording promises. Only pairs that the organisers list count.",
    "Chinese": "Copies have 2 to 15 % of their characters edited, so every measure of whole texts finds them. The default also reports articles that share one passage of 20 words with the copy's original: "
    "these count as wrong here, where less than 2 % of the shorter text is shared.",
    "news20k": "Pairs of two copies of one article count as neither right nor wrong.",
}
"""What has to be known to read the figures of a gold, above all where the default is not best."""


def _growth(cells: Cells, sizes: Sequence[int], made: dict[str, str]) -> Iterator[str]:
    runs: dict[str, dict[int, Any]] = {}
    for name, cell in sorted(cells.items()):
        if name.startswith("growth / "):
            _, contestant, size = name.split(" / ")
            runs.setdefault(contestant, {})[int(size)] = cell
    if not runs:
        return
    yield GROWTH
    for head, key, unit in (("CPU time", "cpu", "s"), ("Peak memory", "peak_mb", "MB")):
        others = [name for name in runs if name != "default"]
        for number, some in enumerate((others[: len(others) // 2], others[len(others) // 2 :]), 1):
            lines = [
                Line(name, [(size, cell.get(key)) for size, cell in sorted(runs[name].items())])
                for name in ("default", *some)
            ]
            chart = Chart(f"{head} by articles", "articles", unit, lines, across_log=True, up_log=True)
            path = f"pictures/growth-{'cpu' if key == 'cpu' else 'memory'}-{number}.svg"
            made[path] = draw(chart)
            yield f"![{head} of the default, {', '.join(some)} by number of articles, both axes logarithmic]({path})"
        ordered = sorted(runs.items(), key=lambda one: (one[0] != "default", one[0]))
        rows = (
            (_named(name), *(_cell(by_size.get(size, {}), key) for size in sizes))
            for name, by_size in ordered
        )
        yield table((f"{head}, {unit}", *(f"{size:,}" for size in sizes)), rows)


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


def _papers(cells: Cells, made: dict[str, str]) -> Iterator[str]:
    """The papers' experiments on corpora that were not made for them, and what the made-up ones add."""
    runs = {
        name.removeprefix("paper / "): cell for name, cell in cells.items() if name.startswith("paper / ")
    }
    if not runs:
        return
    yield PAPERS
    times = [
        (name.removeprefix("made up / "), f"{cell['cpu']:.0f}", f"{cell['peak_mb']:,}")
        for name, cell in sorted(cells.items())
        if name.startswith("made up / ") and "cpu" in cell
    ]
    yield table(("`wirecopy reproduce`, made-up corpus", "CPU s", "peak MB"), times)
    for name, cell in sorted(runs.items()):
        paper = name.partition(",")[0]
        yield f"### {name}, on {cell['corpus']}"
        yield FOUND[name]
        yield f"{cell['cpu']:.0f} CPU seconds, {cell['peak_mb']:,} MB."
        own = cells.get(f"made up / {paper}", {}).get("tables", ())
        told = {one["table"] for one in cell["tables"]}
        added = [
            one for one in own if one["table"] in MECHANISMS and one["table"] not in told and "," not in name
        ]
        common = [
            note for note in cell["tables"][0]["notes"] if all(note in one["notes"] for one in cell["tables"])
        ]
        yield "\n".join(f"- {note}" for note in common)
        for one in [*cell["tables"], *added]:
            yield from _paper_table(paper, one, common, made)


FOUND: Mapping[str, str] = {
    "cedar": "Filters help as published, and extraction makes them needless. That the whole page does better than without its scripts does not show, on the contrary; tables `scripts` and `edits`, of "
    "made-up pages, say when the two findings that do not show would.",
    "chang-wang": "What the paper finds shows: recall falls and precision rises with t, and windows of 16 at t = 1 find what windows of 8 do at t = 9. The best t is 3 here, 5 there.",
    "chang-wang, papers": "Recall by size of window is the paper's to a few documents, and the best F1 is that of windows of 16. The hundreds of wrong finds of windows of 8 do not show: there they come "
    "from the short sentences of converted PDFs, which web pages do not have, so that ranking has little to mend.",
    "codet": "The paper's order shows, full fingerprints before CoDet before the others, but for DSC, whose precision is 0.22 there: these articles share little but what is copied. A depth of one word is best, as "
    "there are no two reports of one event; table `depth`, of made-up articles, says when five are.",
    "uwamahoro": "Images of 30 terms do not keep the rankings of unrelated articles, as their scores lie too close together; table `gaps` says how far apart they must be.",
    "yoon": "The order of the three models in recall and F shows, and that precision falls at low cut-offs. Precision is lower than published: one post in ten quotes a sentence or two by design, and a fragment "
    "that passes for a sentence (`Mr.`, `3.`), or a closing formula in fewer than 300 articles, makes three of them. With δ = 4 hardly one is wrong.",
}
"""What the experiments on corpora of others say of each paper's findings."""
MECHANISMS = ("blocks", "scripts", "edits", "depth")
"""Tables of made-up corpora that say when a finding shows."""


def _paper_table(
    paper: str, told: Mapping[str, Any], common: Sequence[str], made: dict[str, str]
) -> Iterator[str]:
    is_figure = told["kind"] == "figure"
    heads = list(told["rows"][0]) if told["rows"] else []
    number = told["table"].removeprefix("figure ")
    yield f"**{'Figure' if is_figure else 'Table'} {number}. {told['title']}**"
    if is_figure:
        path = f"pictures/{paper}-{number}.svg"
        made[path] = draw_figure(
            Figure(number, told["title"], heads, [list(row.values()) for row in told["rows"]])
        )
        yield f"![{told['title']}]({path})"
    yield table(heads, ([show(cell) for cell in row.values()] for row in told["rows"]))
    yield "\n".join(f"- {note}" for note in told["notes"] if note not in common)


PAPERS = """
## The papers' experiments

`wirecopy reproduce PAPER --corpus PATH` on corpora that were not made for them, at the papers' sizes where there are as many articles, each table with the published figures
beside. Times are wall times of a machine that others used too. On the corpora that the command makes up by itself (no `--corpus`), each takes:
"""
