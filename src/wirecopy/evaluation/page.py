"""An evaluation as one HTML file: measures with their intervals, curves, by what they differ, and the worst mistakes side by side.

It stands on the frame of a report, whose script shows the pairs; all else is read without one. Ids and titles are hostile: they are escaped.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..alignment import NOTHING_LEARNT, align_articles
from ..boilerplate import Learnt
from ..comparison import DEFAULT_PRESET
from ..escaping import escape, isolate
from ..measures import Curve
from ..model import Article, Skipped, clean, count
from ..report import write_scores
from .drawing import Chart, Line, draw, draw_interval
from .mistakes import Mistake, Mistakes
from .scoring import Evaluation, best_place
from .telling import NAMES, say_basis, say_interval, say_measure, say_value

RARE = 0.05
"""If so few of all false cases are ever reported, the ROC curve has a logarithmic axis, on which they are seen."""
SKIPPED = 20
"""So many records that were skipped are listed."""
ALARM, MISS = "False alarm", "Missed"


def write_page(
    evaluated: Evaluation,
    path: Path,
    *,
    gold: str,
    result: str,
    split: Mapping[str, Any] | None = None,
    articles: Mapping[str, Article] | None = None,
    learnt: Learnt = NOTHING_LEARNT,
    preset: str = DEFAULT_PRESET,
    made_from: Sequence[str] = (),
) -> int:
    """Write an evaluation of `result` against `gold`, which are only names here, and return its size in bytes.

    Of mistakes whose `articles` are given both are shown side by side, by what was `learnt` where they are; others are only named. With
    `split`, the scores of both halves are told.
    """
    known = articles or {}
    mistakes = evaluated.mistakes or Mistakes()
    pairs = [
        (
            align_articles(known[one.query], known[one.found], preset=preset, learnt=learnt),
            f"{kind}: {_say_mistake(one)}.",
        )
        for kind, some in ((ALARM, mistakes.false_alarms), (MISS, mistakes.misses))
        for one in some
        if one.query in known and one.found in known
    ]
    title = f"{result} against {gold}"
    sections = [
        f"<h1>{isolate(clean(title))}</h1>",
        f'<p class="lead">{_lead(evaluated)}</p>',
        *(f'<p class="note">{escape(one)}.</p>' for one in say_basis(evaluated)),
        _section("Measures", _measures(evaluated.scores)),
        _section("Curves", _curves(evaluated)),
        _section("Worst mistakes", _mistakes(mistakes, known)),
        "".join(['<div class="halves">', *_by(evaluated.by), "</div>"] if evaluated.by else []),
        _section("Tuned on one half, reported on the other", _halves(split)),
        _section("Thresholds", _thresholds(evaluated)),
        _section("Records skipped", _skipped(evaluated.skipped)),
    ]
    content = "".join(['<article class="page scores">', *sections, "</article>"])
    return write_scores(path, title, content, pairs, preset=preset, made_from=made_from)


def _say_mistake(mistake: Mistake) -> str:
    told = [f"gold: {mistake.gold or 'not named'}", f"result: {mistake.said or 'not reported'}"]
    return "; ".join([*told, *([] if mistake.score is None else [f"score {mistake.score:.4g}"])])


def _section(title: str, content: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{content}</section>" if content else ""


def _lead(evaluated: Evaluation) -> str:
    """The answer in a sentence."""
    [scores, *_] = evaluated.scores.values()
    if evaluated.kind == "clusters":
        said = f"B³ F1 is {say_value(scores['b3_f1'])}, adjusted Rand {say_value(scores['adjusted_rand'])}"
        return f"{said}, over {count(evaluated.counts['articles'])}."
    if evaluated.kind == "passages":
        said = f"Plagdet is {say_value(scores['plagdet'])}: precision {say_value(scores['precision'])}"
        return (
            f"{said}, recall {say_value(scores['recall'])}, granularity {say_value(scores['granularity'])}."
        )
    what = "articles" if evaluated.kind == "verdicts" else "pairs"
    hits, reported, true = (f"{scores[name]:,}" for name in ("hits", "reported", "true"))
    found = f"<b>{hits} of {true}</b> true {what} are found: recall {say_measure('recall', scores)}."
    right = (
        f"<b>{hits} of {reported}</b> reported ones are true: precision {say_measure('precision', scores)}."
    )
    return f"{found} {right} F1 is {say_measure('f1', scores)}."


# Tables


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    """A table whose cells are HTML: a name, then numbers."""
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    body = "".join(
        f'<tr><th scope="row">{first}</th>'
        + "".join(f'<td class="number">{cell}</td>' for cell in cells)
        + "</tr>"
        for first, *cells in rows
    )
    if not body:
        return ""
    caption = escape(caption)
    table = f'<table class="measured"><caption class="unseen">{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return f'<div class="wide" tabindex="0" role="region" aria-label="{caption}">{table}</div>'


def _measures(scores: Mapping[str, Mapping[str, Any]], caption: str = "Measures") -> str:
    """The measures, two columns for each view: the value, and what it lies between, drawn too."""
    names = [name for name in NAMES if any(one.get(name) is not None for one in scores.values())]

    def cells(name: str) -> Iterator[str]:
        yield escape(NAMES[name])
        for one in scores.values():
            interval, error = (one.get(f"{name}_{more}") for more in ("interval", "error"))
            yield say_value(one.get(name))
            sure = f"{say_interval(interval)} {draw_interval(*interval)}" if interval else ""
            yield sure if error is None else f"<small>standard error {error:.5f}</small>"

    heads = [part for one in scores for part in (one if len(scores) > 1 else "value", "95 %")]
    return _table(["measure", *heads], map(list, map(cells, names)), caption)


def _by(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A table for each thing that scores are told by."""
    for by in dict.fromkeys(one["by"] for one in rows):
        some = [one for one in rows if one["by"] == by]
        shown = [name for name in (*NAMES, "agreeing") if any(one.get(name) is not None for one in some)]
        heads = [by, *(NAMES.get(name, name) for name in shown)]
        told = (
            [isolate(clean(str(one["value"]))), *(say_value(one.get(name)) for name in shown)] for one in some
        )
        yield _section(f"By {by}", _table(heads, told, f"Scores by {by}"))


def _halves(split: Mapping[str, Any] | None) -> str:
    if not split:
        return ""
    pairs = count(split["dropped"], "pair has", "pairs have")
    note = f"Threshold {split['threshold']:.4g}. {pairs} an article in each half, and count in neither."
    halves = {name: split[name] for name in ("development", "test")}
    return f'<p class="note">{escape(note)}</p>{_measures(halves, "Scores of both halves")}'


def _thresholds(evaluated: Evaluation) -> str:
    rows = (
        [
            f"{one['threshold']:.4g}",
            f"{one['reported']:,}",
            *(say_value(one[name]) for name in ("precision", "recall", "f1")),
            "best F1" if one["best"] else "",
        ]
        for one in evaluated.thresholds
    )
    heads = [f"{evaluated.score} at least", "reported", "precision", "recall", "F1", ""]
    table = _table(heads, rows, "Thresholds")
    return (
        f"<details><summary>{count(len(evaluated.thresholds), 'threshold')}, evenly over what is reported</summary>{table}</details>"
        if table
        else ""
    )


def _skipped(skipped: Sequence[Skipped]) -> str:
    shown = "".join(f"<li>{isolate(clean(str(one)))}</li>" for one in skipped[:SKIPPED])
    more = sum(1 + one.more for one in skipped) - len(skipped[:SKIPPED])
    rest = f'<p class="note">and {more:,} more</p>' if more > 0 else ""
    return f"<ul>{shown}</ul>{rest}" if shown else ""


# Mistakes


def _mistakes(mistakes: Mistakes, articles: Mapping[str, Article]) -> str:
    kinds = (
        ("False alarms", mistakes.false_alarms, mistakes.false_alarm_count),
        ("Misses", mistakes.misses, mistakes.miss_count),
    )
    parts = []
    for title, some, many in kinds:
        said = f"the {len(some):,} worst of {many:,}" if many > len(some) else f"{many:,}" if many else "none"
        rows = "".join(f"<li>{_mistake(one, articles)}</li>" for one in some)
        listed = f'<ol class="plain mistakes">{rows}</ol>' if rows else ""
        parts.append(f"<div><h3>{title} <small>{said}</small></h3>{listed}</div>")
    return "".join(['<div class="halves">', *parts, "</div>"]) if mistakes != Mistakes() else ""


def _mistake(mistake: Mistake, articles: Mapping[str, Article]) -> str:
    both = "<br>".join(_name(id, articles.get(id)) for id in (mistake.query, mistake.found))
    if mistake.query in articles and mistake.found in articles:
        href = "/".join(map(_quote, (mistake.query, mistake.found)))
        both = f'<a href="#pair/{escape(href)}">{both}</a>'
    else:
        both = f"<p>{both}</p>"
    return f"{both}<small>{escape(clean(_say_mistake(mistake)))}</small>"


def _quote(id: str) -> str:
    """An id as the script writes it in an address (`encodeURIComponent`)."""
    return quote(id.encode("utf-8", "replace"), safe="!'()*")


def _name(id: str, article: Article | None) -> str:
    name = clean((article and article.title) or id)
    about = filter(None, (article.source, (article.published or "")[:10])) if article else ()
    said = " · ".join(about)
    return isolate(name) + (f" <small>{isolate(clean(said))}</small>" if said else "")


# Curves


def _curves(evaluated: Evaluation) -> str:
    [scores, *_] = evaluated.scores.values()
    curve, true = evaluated.curve, int(scores.get("true", 0))
    if curve is None or not true:
        return ""
    if len(curve.thresholds) < 2:
        return '<p class="note">All scores are the same: there is no threshold to choose.</p>'
    charts = [_precision_recall(curve, true), _sweep(curve, true, evaluated.score)]
    if evaluated.ranking is not None and evaluated.ranking.hits[-1] < evaluated.ranking.reported[-1]:
        charts.append(_roc(evaluated.ranking))
    return "".join(['<div class="curves">', *map(draw, charts), "</div>"])


def _precision_recall(curve: Curve, true: int) -> Chart:
    """Precision over recall, in steps, as average precision sums it."""
    precision, recall, f1 = curve.rates(true)
    before = [0.0, *recall[:-1].tolist()]
    steps = zip(before, recall.tolist(), precision.tolist(), strict=True)
    points = [point for start, end, height in steps for point in ((start, height), (end, height))]
    best = best_place(curve, true)
    lines = [
        Line("", points),
        Line(f"best F1: {f1[best]:.3f}", [(float(recall[best]), float(precision[best]))]),
    ]
    return Chart("Precision and recall", "recall", "precision", lines, (0, 1), (0, 1))


def _sweep(curve: Curve, true: int, score: str) -> Chart:
    thresholds, names = curve.thresholds.tolist(), ("precision", "recall", "F1")
    lines = [
        Line(name, list(zip(thresholds, values.tolist(), strict=True)))
        for name, values in zip(names, curve.rates(true), strict=True)
    ]
    return Chart("By threshold", f"{score} at least", "share", lines, up_edges=(0, 1))


def _roc(curve: Curve) -> Chart:
    """How many of all true cases are found for how many of all false ones, from nothing to all."""
    false = curve.reported - curve.hits
    across, up = false / false[-1], curve.hits / max(1, curve.hits[-1])
    is_log = bool(len(across) > 1 and across[-2] < RARE)
    low = 10.0 ** math.floor(math.log10(0.5 / float(false[-1]))) if is_log else 0.0
    points = zip((0.0, *across.tolist()), (0.0, *up.tolist()), strict=True)
    steps = [step / 50 for step in range(51)]
    chance = [low ** (1 - step) for step in steps] if is_log else steps
    lines = [
        Line("", [(max(x, low), y) for x, y in points]),
        Line("by chance", [(one, one) for one in chance], faint=True),
    ]
    heads = "ROC", "share of what is false, reported", "share of what is true, found"
    return Chart(*heads, lines, (low, 1), (0, 1), across_log=is_log)
