"""Web pages come out of files, folders and pipes, and articles out of the pages."""

import gzip
import io
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard
from pages import ReadPages

from wirecopy import sources
from wirecopy.model import ABOUT, UNDATED, Page
from wirecopy.sources import Fields, web

PAGE = b"<!DOCTYPE html><title>Tide</title><p>High tide at noon.</p>"


def test_html_files_are_pages_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    wide = "<html>Wíde".encode("utf-16")
    for name, content in {
        "a.html": PAGE,
        "b.HTM": b"\xef\xbb\xbf<p>Marked",
        "c.xhtml": wide,
        "sub/d.html.gz": gzip.compress(b"<p>Caf\xe9"),
        "e.htm.zst": zstandard.compress(wide),
        "f.html": gzip.compress(PAGE),
        "g.html": zstandard.compress(PAGE),
        "h": gzip.compress(PAGE),
    }.items():
        (tmp_path / name).write_bytes(content)
    read = ReadPages(tmp_path)
    assert read.contents == {
        "a.html": PAGE,
        "b.HTM": b"\xef\xbb\xbf<p>Marked",
        "c.xhtml": wide,
        "e.htm.zst": wide,
        **dict.fromkeys(("f.html", "g.html", "h"), PAGE),
        "sub/d.html.gz": b"<p>Caf\xe9",
    }
    assert read.skipped == []
    assert read.wheres[0] == f"{tmp_path}/a.html"
    assert sum(work.source_bytes for work in read.work) == sources.total_bytes(tmp_path)


@pytest.mark.parametrize("name", ["story", "story.php", "story?page=2", "x.shtml"])
@pytest.mark.parametrize(
    "start",
    [
        b"<!DOCTYPE html>",
        b"<html lang=en>",
        b"\xef\xbb\xbf \n<HTML>",
        b"<?xml version='1.0'?>\n<!-- <rss> -->\n<!-- --><html xmlns='x'>",
        "\ufeff<html>".encode("utf-16-le"),
        b"<!--" + b" saved by hand" * 4000 + b"--><html>",
    ],
)
def test_a_page_is_known_by_its_beginning(tmp_path: Path, name: str, start: bytes) -> None:
    (tmp_path / name).write_bytes(start + b"<p>Text")
    assert list(ReadPages(tmp_path).contents) == [name]


def test_a_text_is_no_page(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(PAGE)
    (tmp_path / "b").write_text("Text.")
    (tmp_path / "c.jsonl").write_text("{}")
    (tmp_path / "d.png").write_text("x")
    (tmp_path / "e").write_bytes(b"<!---->" * 100 + b"x")
    read = ReadPages(tmp_path)
    assert read.pages == []
    assert [reason[:14] for _, reason in read.skipped] == ["not a web page"] * 3 + ["not a text: .p"] + [
        "not a web page"
    ]


def test_a_page_that_is_too_large_is_one_skipped_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "MAX_PAGE_BYTES", 100_000)
    (tmp_path / "a.html").write_bytes(b"x" * 100_001)
    (tmp_path / "b.html.gz").write_bytes(gzip.compress(b"x" * 100_001))
    (tmp_path / "c.html.zst").write_bytes(zstandard.compress(b"x" * 50_000_000))
    (tmp_path / "d.html").write_bytes(b"x" * 100_000)
    (tmp_path / "e.html").touch()
    (tmp_path / "f.html.gz").write_bytes(gzip.compress(PAGE)[:-9])
    read = ReadPages(tmp_path)
    assert list(read.contents) == ["d.html"]
    too_large = "larger than 100,000 bytes, the limit for a page"
    assert [reason for _, reason in read.skipped][:4] == [too_large] * 3 + ["empty"]
    assert "ends in the middle" in read.skipped[4][1]


def test_pages_travel_together(tmp_path: Path) -> None:
    for n in range(300):
        (tmp_path / f"{n:03}.html").write_text(f"<p>{n}")
    assert len(ReadPages(tmp_path).work) == 1
    assert len(ReadPages(tmp_path, batch_bytes=1).work) == 300
    assert ReadPages(tmp_path).contents == ReadPages(tmp_path, batch_bytes=100).contents


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_html_on_stdin_is_a_page(
    monkeypatch: pytest.MonkeyPatch, pack: Any, plain_extraction: list[int]
) -> None:
    def type_in(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(content))))

    type_in(PAGE)
    assert ReadPages("-").contents == {"-": PAGE}
    type_in(PAGE)
    assert [batch.ids for batch in (work() for work in sources.read("-"))] == [["-"]]
    type_in(b"Text.")
    assert ReadPages("-").skipped == [("-", "not a web page: expected HTML, a feed, a sitemap or WARC")]


def test_pages_may_be_given_as_such(plain_extraction: list[int]) -> None:
    page = Page("p", PAGE, "https://example.org/tide")
    assert ReadPages([page]).pages == [page]
    assert ReadPages(page).pages == [page]
    assert ReadPages([{}, "text"]).skipped[0] == ("record:1", "a dict is no page; give a path or a Page")
    assert [id for work in sources.read([page, "A text."]) for id in work().ids][1:] == ["p"]


def test_articles_come_out_of_pages_among_other_files(tmp_path: Path, plain_extraction: list[int]) -> None:
    (tmp_path / "a.html").write_bytes(PAGE)
    (tmp_path / "b.txt").write_text("A text.")
    (tmp_path / "c.html").write_text("<p></p>")
    (tmp_path / "d.html").write_text("<p>odd</p>")
    (tmp_path / "e").write_bytes(PAGE)
    batches = [work() for work in sources.read(tmp_path, fields=Fields(about=ABOUT))]
    assert [id for batch in batches for id in batch.ids] == ["b.txt", "a.html", "e"]
    assert bytes(batches[-1].text) == b"TideHigh tide at noon." * 2
    assert [batch.about["title"] for batch in batches] == [[""], ["Tide", "Tide"]]
    assert batches[-1].about["published"] == ["2026-03-01", "2026-03-01"]
    assert UNDATED not in batches[-1].published
    assert batches[-1].where
    assert batches[-1].where(1) == f"{tmp_path}/e"
    assert [str(skipped) for skipped in batches[-1].skipped] == [
        f"{tmp_path}/c.html: no article in the page",
        f"{tmp_path}/d.html: too odd",
    ]
    assert plain_extraction == [4], "one batch, one call"
