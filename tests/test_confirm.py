"""`--confirm METHOD`: only what stands in one cluster of another method's own decisions."""

from pathlib import Path
from typing import Any

import pytest
from program import talk, wirecopy
from records import jsonl, lines

import wirecopy as library
from quality.corpora import connected
from wirecopy import demo


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("confirm")
    demo.write_archive(folder)
    assert wirecopy("add", folder / "news.db", folder / "articles.jsonl").returncode == 0
    return folder


def pairs(matches: Any) -> list[tuple[str, str]]:
    return [(match.query, match.found) for match in matches]


@pytest.mark.parametrize("name", ["resemblance", "sentence_fingerprints", "codet", "sentence_lengths"])
def test_only_pairs_in_one_cluster_of_the_other_method_are_left(place: Path, name: str) -> None:
    articles = place / "articles.jsonl"
    cluster = connected(pairs(library.opinions(articles, name)))
    every = pairs(library.find(articles))
    expected = [pair for pair in every if cluster(pair[0]) == cluster(pair[1])]
    assert pairs(library.find(articles, confirm=name)) == expected
    assert 0 < len(expected) < len(every)


def test_the_command_line_says_the_same_of_files_and_of_an_archive(place: Path) -> None:
    expected = pairs(
        library.find(place / "articles.jsonl", confirm="resemblance", relations=["identical", "partial"])
    )
    options = ("--confirm", "resemblance", "--relation", "identical", "--relation", "partial", "-q")
    for command in (("find", place / "articles.jsonl"), ("pairs", place / "news.db")):
        told = lines(wirecopy(*command, *options).stdout)
        assert [(row["query"], row["found"]) for row in told] == expected


def test_every_preset_and_all_pairs_can_be_confirmed(place: Path) -> None:
    articles = place / "articles.jsonl"
    found = {
        preset: set(pairs(library.find(articles, preset=preset, pairs="all", confirm="dsc")))
        for preset in ("strict", "syndication", "any-reuse")
    }
    assert found["strict"] <= found["syndication"] <= found["any-reuse"]


def test_what_cannot_confirm_is_refused(place: Path, tmp_path: Path) -> None:
    articles = place / "articles.jsonl"
    query = tmp_path / "query.jsonl"
    query.write_bytes(jsonl({"id": "q", "text": "Nobody has written this."}))
    for arguments, said in {
        ("--confirm", "document_image"): "document_image only ranks",
        ("--confirm", "dsc", "--query", query): "--confirm: not with --query",
        ("--confirm", "dsc", "--decide", "method", "--method", "dsc"): "--confirm: not with --decide method",
        ("--confirm", "dcs"): "no method named",
    }.items():
        done = wirecopy("find", articles, *arguments)
        assert (done.returncode, said in talk(done)) == (2, True), done.stderr
    with pytest.raises(library.WirecopyError, match="not with a query"):
        library.find(articles, query=query, confirm="dsc")
    done = wirecopy("pairs", place / "news.db", "--confirm", "codet")
    assert done.returncode == 2
    assert "statistics" in talk(done)


def test_nothing_is_confirmed_of_nothing() -> None:
    assert len(library.find([], confirm="dsc")) == 0
