"""`wirecopy reproduce`: the papers' tables on small corpora, with the published figures beside, and findings that must show."""

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from program import talk, wirecopy
from records import jsonl

from wirecopy.errors import UsageError
from wirecopy.evaluation import experiments
from wirecopy.evaluation.experiments import Figure, Setting, Table
from wirecopy.evaluation.experiments.drawing import draw

pytestmark = pytest.mark.slow
SIZES = {"chang-wang": 120, "yoon": 8000, "uwamahoro": 22, "codet": 500, "cedar": 60}
PARTS: dict[str, tuple[str, ...]] = {
    "cedar": ("1", "2", "figure 5"),
    "codet": ("pool", "1", "2", "4", "5", "sorting"),
}


@cache
def tables(name: str) -> dict[str, Table]:
    setting = Setting(articles=SIZES[name], wanted=PARTS.get(name, ()))
    return {table.name: table for table in experiments.run(name, setting)}


def column(table: Table, head: str) -> list[Any]:
    return [row[list(table.heads).index(head)] for row in table.rows]


def test_every_paper_has_its_experiment() -> None:
    assert experiments.names() == ["cedar", "chang-wang", "codet", "uwamahoro", "yoon"]


@pytest.mark.parametrize("name", SIZES)
def test_a_paper_has_its_tables_with_the_corpus_named(name: str) -> None:
    made = tables(name)
    wanted = PARTS.get(name, experiments.get(name).TABLES)
    assert set(made) == set(wanted)
    for table in made.values():
        assert table.rows
        assert all(len(row) == len(table.heads) for row in table.rows)
        assert "digest" in table.notes[0]
        assert any("Published" in note for note in table.notes)


def test_windows_are_filed_as_chang_and_wang_count_them() -> None:
    made = tables("chang-wang")
    windows = dict(zip(column(made["1"], "configuration"), column(made["1"], "windows"), strict=True))
    assert windows["WS08SW1wDJ"] < windows["WS08SW1"]
    assert windows["WS08SW2"] == pytest.approx(windows["WS08SW1"] / 2, rel=0.02)
    precision = dict(zip(column(made["3"], "configuration"), column(made["3"], "P"), strict=True))
    recall = dict(zip(column(made["3"], "configuration"), column(made["3"], "R"), strict=True))
    assert precision["WS16SW1"] > 0.95
    assert recall["WS08SW1"] >= recall["WS16SW1"] > recall["WS32SW1"] > recall["WS64SW1"]
    by_t = column(made["7"], "R")[:4]
    assert by_t == sorted(by_t, reverse=True)


def test_sorted_words_find_what_exact_sentences_miss() -> None:
    made = tables("yoon")
    recall = {row[0]: row[2] for row in made["2"].rows if row[1] == "R"}
    assert recall["proposed"] > recall["Wang09, exact sentences"] > recall["Chowdhury02"]
    by_delta = column(made["7"], "R")
    assert by_delta == sorted(by_delta, reverse=True)


def test_sorting_saves_codet_nearly_all_similarities() -> None:
    off, on = column(tables("codet")["sorting"], "ours")
    assert on < off / 20
    f1 = dict(zip(column(tables("codet")["1"], "method"), column(tables("codet")["1"], "F1"), strict=True))
    assert f1["FFP"] > f1["CoDet"] > f1["I-Match"]


def test_images_are_a_quarter_of_the_terms() -> None:
    whole = next(row for row in tables("uwamahoro")["1"].rows if row[0] == "all")
    assert 0.2 < whole[2] / whole[1] < 0.35
    kept = tables("uwamahoro")["EDTA"].rows
    assert kept[-1][1] < kept[0][1]


def test_extraction_does_better_than_filters_and_these_than_nothing() -> None:
    made = tables("cedar")
    areas = {row[0]: float(row[1].split()[0]) for table in ("1", "2") for row in made[table].rows}
    assert areas["crf (CE-BEST)"] > areas["heuristic, 5 % and MinBlock 12"] > areas["heuristic"]


def test_the_same_seed_makes_the_same_tables() -> None:
    again = experiments.run("uwamahoro", Setting(articles=22, wanted=("1", "2", "EDTA")))
    assert all(table == tables("uwamahoro")[table.name] for table in again)


def test_a_figure_is_drawn_as_svg_with_its_text_escaped(tmp_path: Path) -> None:
    figure = Figure("9", "<b> & co", ("x <", "one", "two"), [(1, 0.5, "0.25"), (2, "", 0.75), (3, 1.0, None)])
    root = ElementTree.fromstring(draw(figure))
    shown = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "9: <b> & co" in shown
    assert {"one", "two", "x <"} <= set(shown)
    lines = [one.attrib["points"].split() for one in root.iter("{http://www.w3.org/2000/svg}polyline")]
    assert [len(points) for points in lines] == [2, 2]
    assert experiments.write_figures([figure, Table("1", "", (), [])], tmp_path / "made") == [
        tmp_path / "made" / "9.svg"
    ]


def run(*arguments: object) -> Sequence[dict[str, Any]]:
    done = wirecopy("reproduce", *arguments, "--json", "-q")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_command_runs_on_a_corpus_that_is_named(tmp_path: Path) -> None:
    corpus = tmp_path / "news.jsonl"
    texts = [" ".join(f"Word{n} number{n * i % 97} is here today." for n in range(90)) for i in range(1, 25)]
    corpus.write_bytes(jsonl(*({"id": str(i), "text": text} for i, text in enumerate(texts))))
    [table] = run("uwamahoro", "--corpus", corpus, "--table", "2")
    assert table["table"] == "2"
    assert "24 articles" in table["notes"][0] or "22 articles" in table["notes"][0]
    assert "news.jsonl" in table["notes"][0]


def test_figures_are_written_where_they_are_wanted(tmp_path: Path) -> None:
    assert (
        wirecopy("reproduce", "uwamahoro", "--table", "3", "--figures", tmp_path / "svg", "-q").returncode
        == 0
    )
    assert [path.name for path in (tmp_path / "svg").iterdir()] == ["3.svg"]


def test_what_there_is_not_is_said() -> None:
    done = wirecopy("reproduce", "broder")
    assert (done.returncode, "there are: cedar, chang-wang" in talk(done)) == (2, True)
    done = wirecopy("reproduce", "yoon", "--table", "9")
    assert (done.returncode, "yoon has no table '9'" in talk(done)) == (2, True)
    with pytest.raises(UsageError):
        experiments.get("drawing")
