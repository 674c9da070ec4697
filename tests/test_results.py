"""docs/results.md is what its cells say, holds every method there is, and the README claims nothing beyond it."""

from __future__ import annotations

import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from wirecopy import methods
from wirecopy.cli.options import read_method

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))

from benchmarks import results, results_page, sets  # noqa: E402
from quality.report import MissingError  # noqa: E402

README = (ROOT / "README.md").read_text("utf-8")
PAGE = (ROOT / "docs" / "results.md").read_text("utf-8")


@cache
def cells() -> dict[str, Any]:
    return results.read_cells()


def own_methods() -> list[str]:
    """The methods of this package, whatever else is installed."""
    return [name for name in methods.names() if (ROOT / "src/wirecopy/methods" / f"{name}.py").is_file()]


def test_every_method_is_tried_as_published_and_otherwise() -> None:
    assert sorted(results.SETTINGS) == own_methods()
    for name, settings in results.SETTINGS.items():
        as_published = methods.get(name)
        assert ("" in settings) != as_published.only_ranks
        for given in filter(None, settings):
            assert read_method(f"{name}:{given}") != as_published


def test_the_page_and_its_pictures_are_what_the_cells_say() -> None:
    for path, content in results_page.render(cells(), results.SETTINGS, results.SIZES).items():
        assert (ROOT / "docs" / path).read_text("utf-8") == content, (
            f"{path}: run python -m benchmarks.results --write"
        )


@pytest.mark.parametrize("name", own_methods())
def test_every_method_is_on_every_set_of_the_page(name: str) -> None:
    golds = re.findall(r"^### (.*)$", PAGE.split("## Set by set")[1].split("\n## ")[0], re.MULTILINE)
    assert len(golds) >= len(sets.SETS)
    for part in re.split(r"^### ", PAGE.split("## Set by set")[1].split("\n## ")[0], flags=re.MULTILINE)[1:]:
        row = re.search(rf"^\| `{name}` \|(.*)$", part, re.MULTILINE)
        assert row, part.splitlines()[0]
        assert re.search(r"\d\.\d{3}", row[1])


def test_every_set_has_every_contestant() -> None:
    missing = [name for name in results.names() if name.split(" / ")[0] in sets.SETS and name not in cells()]
    assert missing == []


def measured_rows(page: str) -> list[list[str]]:
    """The cells of the rows of tables that hold a decimal, outside of code."""
    bare = re.sub(r"<!-- made: .*?<!-- end -->|^```.*?^```", "", page, flags=re.DOTALL | re.MULTILINE)
    rows = (line.strip("|").split("|") for line in bare.splitlines() if re.search(r"^\|.*\d\.\d", line))
    return [[cell.strip() for cell in row] for row in rows]


def test_what_the_readme_measures_is_in_the_results_or_made_by_the_command_it_names() -> None:
    elsewhere = (ROOT / "docs" / "extraction.md").read_text("utf-8")
    rows = measured_rows(README)
    assert len(rows) == 8
    known = {tuple(row) for row in measured_rows(PAGE)}
    for row in rows:
        if tuple(row) not in known:  # a row of the table of extractors
            assert f"| {row[1]} |" in elsewhere
    assert "`python benchmarks/extraction.py --peers --speed`" in README


def test_the_readmes_share_of_forms_is_that_of_the_labels() -> None:
    rows = [json.loads(line) for line in (ROOT / "quality/labels/forms.jsonl").read_text().splitlines()]
    near = [row for row in rows if row["set"] == "reuters21578" and row["relation"] == "near-duplicate"]
    forms = sum(row["weight"] for row in near if row["label"] == "form")
    assert "seven in ten near-duplicates in the Reuters newswire" in README
    assert 0.65 <= forms / sum(row["weight"] for row in near) < 0.75


def test_a_set_is_made_and_scored(tmp_path: Path) -> None:
    one = sets.get("demo", tmp_path)
    assert one == sets.get("demo", tmp_path)
    told = one.describe()
    assert told["golds"]["demo"]["pairs"] < told["golds"]["demo, forms count"]["pairs"]
    truth = [json.loads(line) for line in one.golds[0].path.read_text("utf-8").splitlines()]
    found = tmp_path / "found.jsonl"
    found.write_text("".join(json.dumps(row | {"rank": 0.5}) + "\n" for row in truth), "utf-8")
    for gold in one.golds:
        scores = results.score(one.articles, gold, found)
        assert scores["all"] == scores["test"] == scores["tuned"]["test"] == [1.0, 1.0, 1.0]
    wrong = {"query": truth[0]["query"], "found": "nobody", "rank": 0.9}
    found.write_text("".join(json.dumps(row) + "\n" for row in (truth[0] | {"rank": 0.5}, wrong)), "utf-8")
    assert (
        results.score(one.articles, one.golds[1], found)["all"][0] == 1.0
    )  # an article that is none does not count


def test_a_cell_costs_time_and_memory_and_one_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    cell = results.launch([sys.executable, "-c", "bytearray(200_000_000)"], 60)
    assert cell["cpu"] > 0
    assert 190 < cell["peak_mb"] < 400
    assert results.launch([sys.executable, "-c", "while True: pass"], 1) == {"stopped": 1}
    with pytest.raises(RuntimeError, match="exit code 5"):
        results.launch([sys.executable, "-c", "raise SystemExit(5)"], 60)


def test_what_is_not_at_hand_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WIRECOPY_DATA_DIR", str(tmp_path))
    with pytest.raises(MissingError, match="unpack it"):
        sets.labelled_pages("dragnet")
