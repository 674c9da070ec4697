"""The demo's pages: what stands in them, what is taken out of them, and what can be learnt from them."""

import hashlib
import json
import sys
from collections import Counter
from dataclasses import replace
from datetime import datetime
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wirecopy
from wirecopy import cli, extraction
from wirecopy.demo import differences, write_archive, write_labelled
from wirecopy.demo.pages import SITES, Site
from wirecopy.extraction import training
from wirecopy.model import Article, Extracted, Page

DIGEST = "64c7fe19711085e67e888740b9c57dc6f30c8c2f9b8ff0c99f84dc283e45d76c"
"""Of all pages of seed 1; it changes only when the demo is meant to change."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_archive(tmp_path_factory.mktemp("archive"))


@pytest.fixture(scope="module")
def articles(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "articles.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def pages(folder: Path, articles: list[dict[str, Any]]) -> list[Page]:
    return [Page(one["id"], (folder / "pages" / one["id"]).read_bytes()) for one in articles]


@pytest.fixture(scope="module")
def whole(pages: list[Page]) -> list[Extracted]:
    """Every block of the pages."""
    return extraction.extract_pages(pages, model="heuristic", with_blocks=True)


def test_a_seed_gives_the_same_pages_everywhere(pages: list[Page]) -> None:
    assert hashlib.sha256(b"".join(page.content for page in pages)).hexdigest() == DIGEST


def test_every_article_has_its_page_and_there_are_no_others(
    folder: Path, articles: list[dict[str, Any]]
) -> None:
    names = {path.relative_to(folder / "pages").as_posix() for path in folder.glob("pages/**/*.*")}
    assert names == {article["id"] for article in articles}


def test_pages_of_another_seed_do_not_stay_behind(tmp_path: Path) -> None:
    write_archive(tmp_path, seed=1)
    write_archive(tmp_path, seed=2)
    lines = (tmp_path / "articles.jsonl").read_text("utf-8").splitlines()
    names = {path.relative_to(tmp_path / "pages").as_posix() for path in tmp_path.glob("pages/**/*.*")}
    assert names == {json.loads(line)["id"] for line in lines}


def test_a_page_holds_its_article_paragraph_by_paragraph(
    whole: list[Extracted], articles: list[dict[str, Any]]
) -> None:
    for extracted, article in zip(whole, articles, strict=True):
        blocks = iter([block.text for block in extracted.blocks])
        assert all(paragraph in blocks for paragraph in article["text"].split("\n\n")), article["id"]


def test_most_of_a_page_is_not_its_article(whole: list[Extracted], articles: list[dict[str, Any]]) -> None:
    for extracted, article in zip(whole, articles, strict=True):
        assert len(extracted.article.text) > 1.4 * len(article["text"]), article["id"]


def test_papers_have_designs_of_their_own(whole: list[Extracted], articles: list[dict[str, Any]]) -> None:
    skeletons: dict[str, Counter[str]] = {}
    for extracted, article in zip(whole, articles, strict=True):
        paths = Counter({block.path: 1 for block in extracted.blocks})
        skeletons.setdefault(article["source"], Counter()).update(paths)
    common = [frozenset(paths) for paths in skeletons.values()]
    assert len(set(common)) == len(SITES) >= 8


def test_pages_show_first_sentences_of_other_articles(
    whole: list[Extracted], articles: list[dict[str, Any]]
) -> None:
    texts = {article["id"]: article["text"] for article in articles}
    shown: Counter[str] = Counter()
    for extracted, article in zip(whole, articles, strict=True):
        others = [text for id, text in texts.items() if id != article["id"] and text != article["text"]]
        long = [block.text for block in extracted.blocks if len(block.text.split()) > 12]
        shown[article["source"]] += any(
            text in other and text not in article["text"] for text in long for other in others
        )
    assert sum(number > 0 for number in shown.values()) >= 6


def test_old_pages_are_not_in_utf_8(pages: list[Page]) -> None:
    contents = {page.id.partition("/")[0]: page.content for page in pages}
    for paper, encoding in {"northern-ledger": "windows-1252", "qingshi-ribao": "gb18030"}.items():
        assert b"charset=" in contents[paper]
        contents[paper].decode(encoding)
        with pytest.raises(UnicodeDecodeError):
            contents[paper].decode("utf-8")


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.paper.id)
def test_markup_in_an_article_stays_text(site: Site) -> None:
    evil = "</script><script>alert(\"1\")</script> & <b>'bold'</b> $title ${text} &amp;"
    article = Article(
        "x/1.html", f"{evil}\n\nMore.", evil, "2026-03-03T04:05:00+01:00", "x", "A & B", language="en"
    )
    other = replace(article, id="x/2.html")
    page = Page("", site.render(article, [other] * 8))
    assert b"<script>alert" not in page.content
    (extracted,) = extraction.extract_pages([page], model="heuristic", with_blocks=True)
    assert [block.text for block in extracted.blocks].count(evil) >= 2, "headline and paragraph"


def test_pages_say_what_the_texts_say(whole: list[Extracted], articles: list[dict[str, Any]]) -> None:
    for extracted, article in zip(whole, articles, strict=True):
        said = extracted.article
        assert (said.title, said.author, said.source) == (
            article["title"],
            article["author"],
            article["source"],
        )
        assert said.published
        published, known = (datetime.fromisoformat(one) for one in (said.published, article["published"]))
        assert (published, published.date()) == (known, known.date())
        assert (said.language or "").partition("-")[0] == article["language"]


@pytest.mark.parametrize(
    "torn",
    [
        b"<script>",
        b"<script>var a = 1;",
        b"<style>",
        b"<!-- ",
        b"<textarea>",
        b"<iframe>",
        b"<title>",
        b'<a b="',
    ],
)
def test_what_is_torn_above_the_headline_costs_no_article(torn: bytes, pages: list[Page]) -> None:
    broken = [replace(page, content=page.content.replace(b"<h1", torn + b"<h1", 1)) for page in pages]
    found, expected = (extraction.extract_pages(one) for one in (broken, pages))
    texts = [(one.article.text, other.article.text) for one, other in zip(found, expected, strict=True)]
    assert sum(one != other for one, other in texts) <= 3
    assert all(len(one) > len(other) / 2 for one, other in texts)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_answer_from_pages_is_that_from_texts(seed: int, tmp_path: Path) -> None:
    folder = write_archive(tmp_path, seed)
    texts, pages = (wirecopy.find([folder / name]) for name in ("articles.jsonl", "pages"))
    assert list(map(str, differences(texts, pages))) == []


@pytest.mark.parametrize("seed", [6, 7, 8])
def test_the_answer_from_pages_is_nearly_that_from_texts(seed: int, tmp_path: Path) -> None:
    folder = write_archive(tmp_path, seed)
    texts, pages = (wirecopy.find([folder / name]) for name in ("articles.jsonl", "pages"))
    assert not pages.skipped
    assert len(list(differences(texts, pages))) <= 0.03 * len(texts)


def test_a_model_learns_from_the_pages_of_other_papers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(training, "TREES", (40, 40))
    labelled, model = write_labelled(tmp_path / "papers", pages_a_site=10), tmp_path / "model.json"
    held_out = ("city-mercury", "moorland-gazette", "southern-star")
    for paper in held_out:
        (labelled / paper).rename(tmp_path / paper)
    monkeypatch.setattr(sys, "argv", ["wirecopy", "train", str(labelled), "--folds", "2", "-o", str(model)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert not ended.value.code
    assert "64 labelled pages of 8 sites" in capsys.readouterr().err
    paths = sorted(path for paper in held_out for path in (tmp_path / paper).glob("*.html"))
    found = extraction.extract_pages([Page(path.name, path.read_bytes()) for path in paths], model=model)
    alike = [
        SequenceMatcher(None, path.with_suffix(".txt").read_text("utf-8"), one.article.text, False).ratio()
        for path, one in zip(paths, found, strict=True)
    ]
    assert len(alike) == 30
    assert np.mean(alike) > 0.9
