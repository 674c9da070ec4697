"""`wirecopy evaluate --html`: the page says what the scores say, and has the worst mistakes with their texts."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from program import talk, wirecopy
from records import jsonl
from reports import Read, read_report, rebuild

from wirecopy.evaluation.mistakes import find_worst

Row = dict[str, Any]


def write(path: Path, *rows: Row) -> Path:
    path.write_bytes(jsonl(*rows))
    return path


def pair(query: object, found: object, **more: Any) -> Row:
    return {"query": str(query), "found": str(found), **more}


WORDS = "the harbour council voted on Tuesday evening to close the old fish market at the end of the year"
ARTICLES = [
    {"id": name, "text": f"{WORDS} {name * 3}", "title": f"Title {name}", "source": f"Paper {name}"}
    for name in "abcdef"
]
GOLD = [
    *(pair("a", "b", relation="identical"), pair("c", "d", relation="partial")),
    *(pair("e", "f", relation="near-duplicate"), pair("a", "f", relation="form")),
]
RESULT = [
    *(pair("b", "a", score=0.9, relation="identical"), pair("f", "a", score=0.8, relation="partial")),
    *(pair("d", "e", score=0.95, relation="partial"), pair("b", "c", score=0.2, relation="partial")),
    pair("f", "e", score=0.7, relation="form"),
]


def page(
    folder: Path, gold: list[Row], result: list[Row], *options: object, code: int = 0
) -> tuple[Row, Read]:
    html = folder / "page.html"
    done = wirecopy(
        *("evaluate", write(folder / "gold.jsonl", *gold), write(folder / "result.jsonl", *result)),
        *("--html", html, *options),
    )
    assert done.returncode == code, done.stderr.decode()
    return json.loads(done.stdout), read_report(html)


def text(read: Read) -> str:
    """What the page says without its script."""
    return " ".join(content for tag, _, content in read.elements if tag not in ("script", "style"))


def test_the_worst_mistakes_are_those_with_the_highest_score_and_the_closest_relation(tmp_path: Path) -> None:
    told = page(tmp_path, GOLD, RESULT)[0]["mistakes"]
    assert [(one["query"], one["found"], one["gold"], one["said"]) for one in told["false_alarms"]] == [
        *(("d", "e", "", "partial"), ("f", "a", "form", "partial"), ("b", "c", "", "partial")),
    ]
    assert [one["score"] for one in told["false_alarms"]] == [0.95, 0.8, 0.2]
    assert [(one["query"], one["found"], one["gold"], one["said"]) for one in told["misses"]] == [
        *(("e", "f", "near-duplicate", "form"), ("c", "d", "partial", "")),
    ]
    assert (told["false_alarm_count"], told["miss_count"]) == (3, 2)


def test_what_gold_says_is_shared_makes_a_miss_worse(tmp_path: Path) -> None:
    gold = [pair(n, n + 50, query_covered=n / 100, found_covered=0) for n in range(40)]
    told = page(tmp_path, gold, [pair("x", "y")])[0]["mistakes"]
    assert [int(one["query"]) for one in told["misses"]] == list(range(39, 19, -1))
    assert told["miss_count"] == 40


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=40), st.integers(1, 9))
def test_the_worst_are_those_that_sorting_would_put_first(keys: list[tuple[int, int]], most: int) -> None:
    columns = [np.array([key[side] for key in keys], np.int64) for side in (0, 1)]
    places = np.arange(len(keys))[::2]
    expected = sorted(places.tolist(), key=lambda place: (-keys[place][0], -keys[place][1], place))[:most]
    assert find_worst(places, columns, most).tolist() == expected


def test_mistakes_have_their_texts_where_articles_are_given(tmp_path: Path) -> None:
    articles = write(tmp_path / "articles.jsonl", *ARTICLES)
    _, read = page(tmp_path, GOLD, RESULT, "--in", articles)
    [block] = read.blocks
    assert [(one["query"], one["found"]) for one in block["pairs"]] == [
        *(("d", "e"), ("f", "a"), ("b", "c"), ("e", "f"), ("c", "d")),
    ]
    for one in block["pairs"]:
        for side, name in enumerate(("query", "found")):
            whole = block["articles"][one[name]]["text"]
            assert rebuild(one, side, whole) == whole
    assert block["pairs"][0]["said"] == "False alarm: gold: not named; result: partial; score 0.95."
    links = [
        has["href"] for tag, has, _ in read.elements if tag == "a" and "#pair" in (has.get("href") or "")
    ]
    assert links[0] == "#pair/d/e"
    archive = tmp_path / "news.db"
    assert wirecopy("add", archive, articles).returncode == 0
    _, other = page(tmp_path, GOLD, RESULT, "--in", archive)
    assert [one["pieces"] for one in other.blocks[0]["pairs"]] == [one["pieces"] for one in block["pairs"]]


def test_without_articles_mistakes_are_named(tmp_path: Path) -> None:
    _, read = page(tmp_path, GOLD, RESULT)
    assert read.blocks == [{"pairs": [], "articles": {}}]
    assert not [has for tag, has, _ in read.elements if tag == "a" and "#pair" in (has.get("href") or "")]
    assert {"d", "e"} <= set(read.content("bdi"))
    few = write(tmp_path / "few.jsonl", *ARTICLES[:2])
    _, read = page(tmp_path, GOLD[:1], RESULT, "--in", few)
    assert read.blocks == [{"pairs": [], "articles": {}}]


def test_the_page_has_the_measures_intervals_and_curves(tmp_path: Path) -> None:
    articles = write(tmp_path / "articles.jsonl", *ARTICLES)
    told, read = page(tmp_path, GOLD, RESULT, "--in", articles, "--split")
    said = text(read)
    scores = told["scores"]["copies"]
    for name in ("precision", "recall", "average_precision", "b3_f1"):
        assert f"{scores[name]:.3f}" in said
    low, high = scores["recall_interval"]
    assert f"[{low:.3f}–{high:.3f}]" in said
    assert [
        has["aria-label"] for tag, has, _ in read.elements if tag == "svg" and has.get("class") == "curve"
    ] == [
        *("Precision and recall", "By threshold", "ROC"),
    ]
    for title in ("By relation", "By source", "Worst mistakes", "Tuned on one half, reported on the other"):
        assert title in said
    names = [
        tag for tag, has, _ in read.elements if has.get("style") or any(one.startswith("on") for one in has)
    ]
    assert not names


def test_the_roc_curve_spans_what_the_area_is_measured_over(tmp_path: Path) -> None:
    gold = [*(pair(1, n, label=n % 2 == 0) for n in range(2, 42))]
    result = [pair(1, n, score=((n * 7) % 40) / 40) for n in range(2, 30)]
    told, read = page(tmp_path, gold, result)
    [path] = [
        has["d"] or ""
        for tag, has, _ in read.elements
        if tag == "path" and has.get("class") == "line-1" and (has.get("d") or "").count(",") > 20
    ][2:]
    placed = np.array([[float(x), float(y)] for x, y in re.findall(r"([-\d.]+),([-\d.]+)", path)])
    across = (placed[:, 0] - placed[0, 0]) / (placed[-1, 0] - placed[0, 0])
    up = (placed[:, 1] - placed[0, 1]) / (placed[-1, 1] - placed[0, 1])
    assert np.trapezoid(up, across) == pytest.approx(told["scores"]["copies"]["auroc"], abs=0.005)


def test_false_alarms_that_are_rare_are_seen_on_a_logarithmic_axis(tmp_path: Path) -> None:
    articles = write(tmp_path / "articles.jsonl", *({"id": str(n), "text": f"t {n}"} for n in range(200)))
    gold = [pair(n, n + 100) for n in range(50)]
    result = [pair(n, n + 100, score=1 - n / 99) for n in range(40)] + [pair(1, 2, score=0.5)]
    told, read = page(tmp_path, gold, result, "--in", articles)
    assert told["scores"]["copies"]["auroc"] == pytest.approx(0.9, abs=0.01)
    assert {"1e-05", "0.001", "1"} <= {one.strip() for one in read.content("text")}
    best = max(told["thresholds"], key=lambda row: row["f1"])
    assert f"best F1: {best['f1']:.3f}" in text(read)


@pytest.mark.parametrize(
    ("gold", "result", "lead"),
    [
        (
            [{"id": id, "cluster": id in "ab"} for id in "abcd"],
            [{"id": id, "cluster": id in "abc"} for id in "abcd"],
            "B³ F1",
        ),
        (
            [pair(1, 2, passages=[{"query": [0, 9], "found": [3, 12]}]), pair(1, 3, passages=[])],
            [pair(1, 3, passages=[{"query": [0, 9], "found": [3, 12]}])],
            "Plagdet is 0.000",
        ),
        (
            [{"article": id, "duplicate": id in "ab"} for id in "abcd"],
            [{"article": id, "duplicate": True, "hits": hits} for id, hits in zip("ac", (3, 2), strict=True)],
            "1 of 2",
        ),
    ],
    ids=["clusters", "passages", "verdicts"],
)
def test_every_kind_has_its_page(tmp_path: Path, gold: list[Row], result: list[Row], lead: str) -> None:
    told, read = page(tmp_path, gold, result)
    assert lead in text(read)
    if told["kind"] == "clusters":
        assert told["mistakes"]["false_alarms"][0] | {"score": None} == {
            **pair("a", "c", gold="apart", said="one cluster", score=None)
        }
        assert told["mistakes"]["misses"][0]["said"] == "apart"
    if told["kind"] == "passages":
        assert told["mistakes"]["misses"][0]["gold"] == "9 characters"
        assert told["mistakes"]["false_alarms"][0]["said"] == "9 characters"


@pytest.mark.parametrize(
    ("gold", "result"),
    [
        ([pair(1, 2)], []),
        ([pair(1, 2)], [pair(1, 2, score=1)]),
        ([pair(1, 2, label=False)], [pair(1, 2, score=1)]),
        ([pair(1, 2)], [pair(3, 4, score=1)]),
        ([pair(1, n) for n in range(2, 9)], [pair(1, n, score=0.5) for n in range(2, 30)]),
        ([pair(1, 2)], [pair(1, 2, score=-3), pair(1, 3, score=-1e300), pair(1, 4, score=1e300)]),
    ],
    ids=["nothing", "one", "no positives", "none right", "all ties", "wild scores"],
)
def test_odd_results_have_a_page(tmp_path: Path, gold: list[Row], result: list[Row]) -> None:
    _, read = page(tmp_path, gold, result)
    assert "NaN" not in text(read).replace("Infinity", "NaN")
    assert read.content("h1")[0] == "" or "against" in read.content("bdi")[0]


def test_bad_gold_stands_in_the_page(tmp_path: Path) -> None:
    _, read = page(tmp_path, [pair(1, 2), pair(3, 3)], [pair(1, 2)], code=3)
    assert "gold.jsonl:2: '3' is paired with itself" in text(read)


def test_a_page_is_of_one_result(tmp_path: Path) -> None:
    gold, html = write(tmp_path / "gold.jsonl", *GOLD), tmp_path / "page.html"
    done = wirecopy("evaluate", gold, gold, "--choose", "precision 0.9", "--html", html)
    assert (done.returncode, "not with --choose" in talk(done)) == (2, True)
    done = wirecopy("evaluate", gold, gold, "--html", gold)
    assert (done.returncode, gold.read_bytes()) == (2, jsonl(*GOLD))
