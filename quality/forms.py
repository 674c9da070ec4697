"""Forms filled in anew, told from copies and updates: four newswires against pairs that were read (quality/labels)."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import wirecopy
from quality.corpora import ROOT, Row, read_jsonl, unpack
from quality.report import Data, Result, digest, say, show, table
from wirecopy.measures import bootstrap, rate

LABELS = ROOT / "quality" / "labels" / "forms.jsonl"
PARTS = ("chosen on", "held back")
FORM = "form"


class Case(NamedTuple):
    name: str
    folder: str
    read: Callable[[Path], Any] = lambda path: [path]


class Pair(NamedTuple):
    """A pair that was read, whether it is reported at all, and whether it is called a form."""

    number: str
    label: str
    second: str | None
    weight: float
    series: str
    part: str
    is_partial: bool
    found: bool
    called: bool


class Rates(NamedTuple):
    """Each pair weighted by how many of its stratum it stands for; NaN where there is nothing to count."""

    precision: float
    recall: float
    misled: float


def without_dates(path: Path) -> list[Row]:
    """The articles of a set as if nothing said when they were published."""
    return [{"id": row["id"], "text": row["text"]} for row in read_jsonl(path)]


CASES = (
    Case("Reuters", "reuters21578"),
    Case("Reuters, undated", "reuters21578", without_dates),
    Case("Chinese", "xinwenlianbo-zh"),
    Case("Korean", "korean"),
    Case("Turkish", "turkish"),
)


def measure() -> Iterator[Result]:
    labels = read_jsonl(LABELS)
    for case in CASES:
        say(f"  {case.name}")
        path = unpack(case.folder) / "articles.jsonl"
        own = [row for row in labels if row["set"] == case.folder]
        called = {frozenset((one.query, one.found)): one.relation for one in wirecopy.find(case.read(path))}
        pairs = [judge(row, called) for row in own]
        data = Data(
            f"{case.folder} with labels of forms",
            f"{len(own)} labelled pairs",
            "read by the project, see quality/labels/README.md",
            digest([path, *("|".join(map(str, row.values())) for row in own)]),
        )
        found = [one for one in pairs if one.found]
        lost = {"labelled pairs not found": len(pairs) - len(found)}
        yield Result(case.name, data, measures(found) | lost, notes(case.name, found))


def judge(row: Row, called: dict[frozenset[str], wirecopy.Relation]) -> Pair:
    relation = called.get(frozenset((row["query"], row["found"])))
    own: Row = {name: row.get(name) for name in ("number", "label", "second", "weight", "series", "part")}
    is_partial = row["relation"] == "partial"
    return Pair(**own, is_partial=is_partial, found=relation is not None, called=relation == FORM)


def measures(pairs: Sequence[Pair]) -> dict[str, float]:
    """The rates on all labels, but those of partial matches by themselves; a rate of nothing is left out."""
    whole, partial = (rates([one for one in pairs if one.is_partial == which]) for which in (False, True))
    named = {
        "precision": whole.precision,
        "recall": whole.recall,
        "copies and updates called form": whole.misled,
        "partial: precision": partial.precision,
        "partial: recall": partial.recall,
        "partial: copies and updates called form": partial.misled,
    }
    counts = {
        "forms labelled": sum(one.label == FORM for one in pairs),
        "others called form": sum(one.label != FORM and one.called for one in pairs),
    }
    return {name: value for name, value in named.items() if not np.isnan(value)} | counts


def weigh(pairs: Sequence[Pair]) -> tuple[float, float, float, float, float]:
    """The weight of forms called forms, of all that is called so, of all forms, of others called form, of all others."""
    weights: defaultdict[tuple[str, bool], float] = defaultdict(float)
    for one in pairs:
        weights[one.label, one.called] += one.weight
    called = sum(weight for (_, is_called), weight in weights.items() if is_called)
    forms = weights[FORM, True] + weights[FORM, False]
    misled = weights["copy", True] + weights["update", True]
    others = misled + weights["copy", False] + weights["update", False]
    return weights[FORM, True], called, forms, misled, others


def rates(pairs: Sequence[Pair]) -> Rates:
    right, called, forms, misled, others = weigh(pairs)
    precision, recall, _ = rate(right, called, forms)
    told = (precision, called), (recall, forms), (rate(misled, others, 0).precision, others)
    return Rates(*(value if whole else float("nan") for value, whole in told))


def intervals(pairs: Sequence[Pair]) -> list[tuple[float, float]]:
    """95 % of each rate, by drawing series with replacement: the pairs of one report are no independent draws."""
    series: defaultdict[str, list[Pair]] = defaultdict(list)
    for one in pairs:
        series[one.series].append(one)
    counts = np.array([weigh(some) for some in series.values()])

    def share(part: int, whole: int) -> tuple[float, float]:
        def measure(drawn: NDArray[np.float64]) -> NDArray[np.float64]:
            with np.errstate(invalid="ignore", divide="ignore"):
                return drawn[:, part] / drawn[:, whole]

        return bootstrap(counts, measure) or (0, 1)

    return [share(0, 1), share(0, 2), share(3, 4)]


def notes(name: str, pairs: Sequence[Pair]) -> list[str]:
    if not any(one.label == FORM and not one.is_partial for one in pairs):
        return [f"{name}, pair by pair:\n\n{listing(pairs)}"]
    heads = (
        f"{name}, with 95 % by series",
        *("precision", "recall", "copies and updates called form"),
        *("series", "forms called form", "others called form"),
    )
    lines = [
        (f"{kind}{part or 'all'}", *rates_and_counts(some))
        for kind, is_partial in (("", False), ("partial: ", True))
        for part in (*PARTS, None)
        if (some := [one for one in pairs if one.is_partial == is_partial and part in (None, one.part)])
    ]
    second = [one._replace(label=one.second) for one in pairs if one.second and not one.is_partial]
    lines.append(("by the second reader's labels", *rates_and_counts(second)))
    missed = [one.number for one in pairs if one.label == FORM and not one.called and not one.is_partial]
    wrong = [f"{one.number} ({one.label})" for one in pairs if one.label != FORM and one.called]
    said = f"{name}: forms missed, without partial ones: {listed(missed)}. Called form, but none: {listed(wrong)}."
    return [table(heads, lines), said]


def rates_and_counts(pairs: Sequence[Pair]) -> list[str]:
    forms, others = ([one.called for one in pairs if (one.label == FORM) == which] for which in (True, False))
    return [
        *(
            "" if np.isnan(rate) else f"{show(rate)} [{low:.2f}–{high:.2f}]"
            for rate, (low, high) in zip(rates(pairs), intervals(pairs), strict=True)
        ),
        str(len({one.series for one in pairs})),
        *(f"{sum(some)} of {len(some)}" for some in (forms, others)),
    ]


def listing(pairs: Sequence[Pair]) -> str:
    """What every pair is labelled and called, by number."""
    by = defaultdict(list)
    for one in pairs:
        by[one.label, "form" if one.called else "no form"].append(one.number)
    return table(
        ("labelled", "called", "pairs", "which"),
        ((*key, str(len(names)), listed(names)) for key, names in sorted(by.items())),
    )


def listed(names: Sequence[str]) -> str:
    return " ".join(sorted(names, key=lambda name: int(name.split()[0][1:]))) or "none"
