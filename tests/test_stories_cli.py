"""`wirecopy stories`: tables, files, one story, links and series."""

import csv
import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow.parquet
import pytest
from program import on_terminal, talk, wirecopy
from records import jsonl, lines

from quality.texts import Writer, join


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two stories, of three articles and of two, and a form of three days."""
    writer = Writer(51)
    one, other, form = writer.write(150), writer.write(150), writer.write(80)
    texts = [one, one, [*one[:80], *writer.write(20)], other, other[:100]]
    records: list[dict[str, Any]] = [
        {
            "id": f"news/{number}",
            "text": join(words),
            "title": f"Title of number {number}, which is long enough to be cut on a narrow terminal",
            "source": "Courier" if number % 2 else "Echo",
            "published": f"2024-03-{number + 1:02}",
            "agency": "Reuters" if number == 1 else None,
        }
        for number, words in enumerate(texts)
    ]
    for day in range(3):
        filled = [str(writer.random.randint(100, 999)) if n % 12 == 5 else w for n, w in enumerate(form)]
        records.append({"id": f"form/{day}", "text": join(filled), "published": f"2024-04-{day + 1:02}"})
    path = tmp_path_factory.mktemp("news") / "articles.jsonl"
    path.write_bytes(jsonl(*records))
    return path


def test_json_lines_have_one_story_each(news: Path) -> None:
    ran = wirecopy("stories", news)
    assert ran.returncode == 0
    first, second = lines(ran.stdout)
    assert list(first) == [
        *("id", "title", "kind", "articles", "versions", "sources"),
        *("first_seen", "last_seen", "origin", "cohesion"),
    ]
    assert [one["id"] for one in first["articles"]] == ["news/0", "news/1", "news/2"]
    assert first["origin"] == {"agency": "Reuters", "article": None, "basis": "credited", "present": False}
    assert first["versions"][1]["change"]["from"] == 1
    assert second["articles"][1]["parent"] == {
        "article": "news/3",
        "relation": "contained-in",
        "covered": 1.0,
        "parent_covered": 0.6667,
        "words": 100,
        "basis": "only",
        "rivals": 0,
        "after_seconds": 86400.0,
    }
    assert "8 articles, 2 stories of 5 articles, the largest of 3" in talk(ran)
    assert not talk(wirecopy("stories", news, "--quiet"))


def test_csv_and_parquet_have_one_row_an_article(news: Path, tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(wirecopy("stories", news, "--csv").stdout.decode())))
    assert [(row["story"], row["article"], row["parent"]) for row in rows] == [
        ("news/0", "news/0", ""),
        ("news/0", "news/1", "news/0"),
        ("news/0", "news/2", "news/0"),
        ("news/3", "news/3", ""),
        ("news/3", "news/4", "news/3"),
    ]
    wirecopy("stories", news, "-o", tmp_path / "out.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert table.column("article").to_pylist() == [row["article"] for row in rows]
    assert table.column_names == list(rows[0])


@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal_shows_the_largest_first_and_fits(news: Path, width: int) -> None:
    code, shown = on_terminal("stories", news, "--quiet", width=width)
    assert code == 0
    rows = shown.splitlines()
    assert max(map(len, rows[1:3])) <= width
    assert rows[1].split()[0] == "3"
    assert "2024-03-01" in rows[1]
    assert "Title of number 0" in rows[1]
    assert "2 stories of 5 articles, the largest of 3" in shown
    assert f"one in full: wirecopy stories {news} --story ID" in shown


def test_one_story_is_shown_in_full_by_any_of_its_articles(news: Path) -> None:
    [story] = lines(wirecopy("stories", news, "--story", "news/1").stdout)
    assert story["id"] == "news/0"
    code, shown = on_terminal("stories", news, "--story", "news/1", "--quiet", width=120)
    assert code == 0
    assert "credited to Reuters, which is not among these articles" in shown
    assert "version 2, of version 1:" in shown
    assert "20 words" in shown
    ran = wirecopy("stories", news, "--story", "nobody")
    assert ran.returncode == 1
    assert "no article of" in talk(ran)


def test_links_and_series_are_written(news: Path, tmp_path: Path) -> None:
    links = tmp_path / "links.jsonl"
    [series] = lines(wirecopy("stories", news, "--series", "--links", links).stdout)
    assert series["articles"] == ["form/0", "form/1", "form/2"]
    assert {(one["from"], one["to"], one["kind"]) for one in lines(links.read_bytes())} == {
        ("form/1", "form/0", "form"),
        ("form/2", "form/0", "form"),
        ("form/2", "form/1", "form"),
    }
    _, shown = on_terminal("stories", news, "--series", "--quiet")
    assert "form/0" in shown or " 0" in shown
    assert wirecopy("stories", news, "--series", "--csv").stdout.startswith(b"series,title,articles")


def test_an_archive_has_the_stories_of_its_articles(news: Path, tmp_path: Path) -> None:
    archive = tmp_path / "news.db"
    wirecopy("add", archive, news)
    told = wirecopy("stories", archive)
    assert told.returncode == 0
    assert lines(told.stdout) == lines(wirecopy("stories", news).stdout)
    for wrong in ([archive, news], [archive, "--preset", "strict"]):
        assert wirecopy("stories", *wrong).returncode == 2


def test_closure_and_a_method_that_decides_are_for_evaluation(news: Path) -> None:
    by_words = lines(wirecopy("stories", news, "--rule", "closure").stdout)
    assert [len(one["articles"]) for one in by_words] == [3, 2, 3]
    method = "--decide", "method", "--method", "resemblance"
    by_method = lines(wirecopy("stories", news, "--rule", "closure", *method).stdout)
    assert {"news/0", "news/1"} <= {one["id"] for one in by_method[0]["articles"]}
    ran = wirecopy("stories", news, *method)
    assert ran.returncode == 2
    assert "only with --rule closure" in talk(ran)


def test_the_graph_has_an_edge_a_match_in_any_form(news: Path, tmp_path: Path) -> None:
    edges = lines(wirecopy("graph", news).stdout)
    found = lines(wirecopy("find", news).stdout)
    assert [(one["found"], one["query"], one["relation"]) for one in edges] == [
        (one["found"], one["query"], one["relation"]) for one in found
    ]
    assert edges[0] == {
        "found": "news/0",
        "query": "news/1",
        "relation": "identical",
        "words": 150,
        "method": "exact winnowing",
    }
    out = tmp_path / "graph.graphml"
    wirecopy("graph", news, "-o", out)
    graph = edges_of(out)
    assert graph == {(one["found"], one["query"]) for one in edges}
    as_json = json.loads(wirecopy("graph", news, "--json").stdout)
    assert {(one["source"], one["target"]) for one in as_json["links"]} == graph
    assert {one["id"] for one in as_json["nodes"]} == {end for edge in graph for end in edge}
    wirecopy("graph", news, "-o", tmp_path / "graph.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "graph.parquet").num_rows == len(edges)
    ran = wirecopy("find", news, "-o", out)
    assert ran.returncode == 2


def edges_of(path: Path) -> set[tuple[str | None, str | None]]:
    """The edges of a GraphML file."""
    space = "{http://graphml.graphdrawing.org/xmlns}"
    edges = ElementTree.parse(path).iter(f"{space}edge")
    return {(edge.get("source"), edge.get("target")) for edge in edges}


def test_the_graph_between_sources_counts_articles_words_and_delay(news: Path) -> None:
    edges = lines(wirecopy("graph", news, "--by", "source").stdout)
    assert edges == [
        {"found": "Courier", "query": "Echo", "articles": 1, "words": 100, "median_delay_seconds": 86400.0},
        {"found": "Echo", "query": "Courier", "articles": 1, "words": 150, "median_delay_seconds": 86400.0},
    ]
    _, shown = on_terminal("graph", news, "--by", "source")
    assert "median delay seconds" in shown
    assert "2 sources and 2 edges" in shown
