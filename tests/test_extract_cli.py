"""Articles out of pages on the command line: what is written in which form, and what becomes of pages without one."""

from __future__ import annotations

import contextlib
import gzip
import html.parser
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pages import record, response
from program import PROGRAM, on_terminal
from sites import write_labelled, write_page

import wirecopy as library
from wirecopy import cli
from wirecopy.extraction import labelled, training

FIELDS = [
    "id",
    "text",
    "title",
    "published",
    "source",
    "author",
    "location",
    "language",
    "url",
    "agency",
    "status",
]
STORY = """<!DOCTYPE html><html lang="en"><head><title>Ferry sold - The Courier</title>
<meta property="og:site_name" content="The Courier"><meta name="author" content="Ada Quill">
<meta property="article:published_time" content="2026-03-01T08:00:00Z"></head>
<body><h1>Ferry sold</h1><p>The council has sold the ferry.</p><p>Nobody had expected it.</p></body></html>"""


class Ran(NamedTuple):
    returncode: int
    stdout: bytes
    stderr: bytes


def extract(*arguments: object, cwd: Path | None = None, typed: bytes = b"") -> Ran:
    """Run the command in this process, by default with a model that takes every block."""
    model = () if "--model" in arguments else ("--model", "heuristic")
    out, err, stdin = (io.TextIOWrapper(io.BytesIO(data), "utf-8") for data in (b"", b"", typed))
    with pytest.MonkeyPatch.context() as patch, contextlib.chdir(cwd or "."):
        patch.setattr(sys, "argv", ["wirecopy", "extract", *map(str, arguments), *model])
        for name, stream in (("stdin", stdin), ("stdout", out), ("stderr", err)):
            patch.setattr(sys, name, stream)
        with pytest.raises(SystemExit) as ended:
            cli.main()
    written = []
    for stream in (out, err):
        stream.flush()
        written.append(stream.buffer.getvalue())
    return Ran(int(ended.value.code or 0), *written)


def lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.decode().split("\n")[:-1]]


@pytest.fixture
def story(tmp_path: Path) -> Path:
    path = tmp_path / "story.html"
    path.write_text(STORY)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of little pages."""
    folder = tmp_path_factory.mktemp("model")
    pages, _ = labelled.read_labelled(write_labelled(folder / "papers", range(9)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "TREES", (20, 20))
        (folder / "model.json").write_text(json.dumps(training.train_crf(pages)))
    return folder / "model.json"


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """Twelve pages of new sites; two have no article, one is no page."""
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number:02}.html").write_text(write_page(20 + number % 6, number).html)
    (folder / "03.html").write_text("<html><body></body></html>")
    (folder / "07.html").write_text("")
    return folder


# Forms.


def test_the_text_of_a_page_comes_under_its_title_and_byline(story: Path) -> None:
    ran = extract(story)
    assert ran.stdout.decode() == (
        "Ferry sold\nAda Quill · 2026-03-01T08:00:00Z · The Courier\n\n"
        "Ferry sold - The Courier\n\nFerry sold\n\nThe council has sold the ferry.\n\nNobody had expected it.\n"
    )
    assert ran.stderr.decode() == "1 page, 1 article\n"
    assert ran.returncode == 0


def test_of_several_pages_each_comes_under_its_id(story: Path) -> None:
    other = story.with_name("other.html")
    other.write_text("<p>Rain on all coasts.</p>")
    nothing = story.with_name("nothing.html")
    nothing.write_text("<html></html>")
    ran = extract(other, nothing, story, "--quiet")
    assert ran.returncode == 3
    shown = ran.stdout.decode()
    assert shown.startswith(
        "==> other.html <==\nRain on all coasts.\n\n==> nothing.html: empty <==\n==> story.html <==\nFerry sold\n"
    )
    assert ran.stderr.decode() == f"skipped: {nothing}: no article in the page\n1 record skipped\n"


def test_json_lines_have_the_fields_of_an_article(story: Path) -> None:
    (found,) = lines(extract(story, "--jsonl").stdout)
    assert list(found) == FIELDS
    assert found == found | {
        "id": "story.html",
        "title": "Ferry sold",
        "author": "Ada Quill",
        "published": "2026-03-01T08:00:00Z",
        "source": "The Courier",
        "language": "en",
        "url": None,
        "agency": None,
        "status": "ok",
    }


def test_a_page_without_an_article_is_a_record_with_its_status(papers: Path) -> None:
    ran = extract(papers, "--jsonl")
    found = lines(ran.stdout)
    assert ran.returncode == 3
    assert len(found) == 12
    assert {record["id"]: record["status"] for record in found if record["status"] != "ok"} == {
        "03.html": "empty",
        f"{papers}/07.html": "empty",
    }
    assert ran.stderr.decode().splitlines() == [
        f"skipped: {papers}/03.html: no article in the page",
        f"skipped: {papers}/07.html: empty",
        "2 records skipped",
        "11 pages, 10 articles",
    ]


def test_a_page_of_too_many_tags_leaves_the_others_alone(papers: Path) -> None:
    (papers / "05.html").write_bytes(b"<b>" * 1_000_001)
    found = lines(extract(papers, "--jsonl").stdout)
    assert "1000000" in re.sub("[^0-9]", "", next(one["status"] for one in found if one["id"] == "05.html"))
    assert sum(one["status"] == "ok" for one in found) == 9


def test_blocks_come_with_label_score_path_and_reasons(model: Path, tmp_path: Path) -> None:
    page = write_page(22, 1)
    (tmp_path / "a.html").write_text(page.html)
    (found,) = lines(extract(tmp_path / "a.html", "--blocks", "--jsonl", "--model", model).stdout)
    assert list(found) == [*FIELDS, "blocks"]
    assert found["text"] == page.text
    assert [block["text"] for block in found["blocks"] if block["content"]] == page.paragraphs
    assert found["blocks"][0]["text"] == "Site 22"
    assert list(found["blocks"][0]) == ["text", "content", "score", "path", "reasons"]
    assert found["blocks"][0]["path"] == "html/head/title"
    assert all(block["reasons"] for block in found["blocks"])
    table = extract(tmp_path / "a.html", "--blocks", "--model", model).stdout.decode()
    head, first, *_ = table.splitlines()
    assert head.split() == ["label", "score", "path", "text"]
    assert first.split()[0] == "-"
    assert table.count("CONTENT") == len(page.paragraphs)


def test_the_name_of_the_output_may_say_json_lines(story: Path, tmp_path: Path) -> None:
    ran = extract(story, "-o", tmp_path / "out.jsonl")
    assert ran.stdout == b""
    assert lines((tmp_path / "out.jsonl").read_bytes()) == lines(extract(story, "--jsonl").stdout)


def test_short_blocks_are_left_out_on_demand(story: Path) -> None:
    (found,) = lines(extract(story, "--jsonl", "--min-block-words", 6).stdout)
    assert found["text"] == "The council has sold the ferry."
    (found,) = lines(extract(story, "--jsonl", "--min-block-words", 99).stdout)
    assert (found["text"], found["status"]) == ("", "empty")


def test_models_take_more_or_less(story: Path, model: Path) -> None:
    story.write_text(STORY.replace("</head>", "<script>var tracking = 1</script></head>"))
    texts = [
        lines(extract(story, "--jsonl", "--model", one).stdout)[0]["text"] for one in ("page", "heuristic")
    ]
    assert ["tracking" in text for text in texts] == [True, False]


# The HTML file.

HOSTILE = """<html><head><title>&lt;script&gt;alert(1)&lt;/script&gt; "quoted' title</title>
<link rel=canonical href="javascript:alert(2)"><meta name=author content="&lt;img src=x onerror=alert(3)&gt;"></head>
<body><p class='"><script>alert(4)</script>'>One &lt;/p&gt;&lt;script src=//evil.example/x&gt;&lt;/script&gt; &amp;lt;b&amp;gt; two</p>
<a href="javascript:alert(5)" onclick="alert(6)">Link words</a><style>body { background: url(//evil.example) }</style>
<form action=//evil.example><input name=q></form><p>\x1b[31mred\x07 &#x202e;turned</p></body></html>"""


class Tags(html.parser.HTMLParser):
    """Notes every tag with its attributes, as a browser would see them."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def test_nothing_of_a_hostile_page_gets_into_the_html_but_text(tmp_path: Path) -> None:
    bad = tmp_path / 'x"><script>alert(7)<!--.html'.replace("/", "")
    bad.write_text(HOSTILE)
    (tmp_path / "b.html").write_text(STORY)
    out = tmp_path / "out" / "shown.html"
    out.parent.mkdir()
    ran = extract(bad, tmp_path / "b.html", "--html", "-o", out)
    assert ran.returncode == 0
    shown = out.read_text("utf-8")
    tags = Tags()
    tags.feed(shown)
    assert {tag for tag, _ in tags.seen} <= {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "h1",
        "h2",
        "p",
        "code",
        "nav",
        "ol",
        "li",
        "a",
        "bdi",
        "section",
        "dl",
        "dt",
        "dd",
        "div",
        "small",
        "em",
    }
    attributes = {(name, value) for tag, attrs in tags.seen if tag != "meta" for name, value in attrs.items()}
    assert {name for name, _ in attributes} <= {"lang", "href", "id", "class", "dir"}
    assert {value for name, value in attributes if name == "href"} == {"#page1", "#page2"}
    assert {value for name, value in attributes if name == "class"} <= {"content", "rest"}
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", shown)
    assert "One &lt;/p&gt;&lt;script src=//evil.example/x&gt;" in shown


def test_the_html_file_allows_itself_nothing(story: Path) -> None:
    shown = extract(story, "--html").stdout.decode()
    policy = re.search('Content-Security-Policy" content="([^"]*)"', shown)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy[1]
    assert shown.count("<style>") == 1
    assert "<nav>" not in shown, "one page needs no contents"
    assert "Ada Quill" in shown


def test_blocks_are_coloured_by_their_label(model: Path, tmp_path: Path) -> None:
    page = write_page(23, 1)
    (tmp_path / "a.html").write_text(page.html)
    shown = extract(tmp_path / "a.html", "--html", "--model", model).stdout.decode()
    green = re.findall('<div class="content"><p dir="auto">(.*?)</p>', shown)
    assert [html.unescape(text) for text in green] == page.paragraphs
    assert shown.count('<div class="rest">') > 5


def test_terminals_are_not_steered_by_pages(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(HOSTILE)
    for form in ([], ["--blocks"]):
        shown = extract(tmp_path / "a.html", *form).stdout.decode()
        assert "red" in shown
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", shown)


def test_data_do_not_steer_a_terminal_either(tmp_path: Path) -> None:
    hostile = "a\x1b]0;owned\x07b\x9b31m\u202e.html"
    for name in (hostile, "plain.html"):
        (tmp_path / name).write_text(STORY + "<p>A \x9b31mred\u202e word.</p>", "utf-8")
    for form in ("--jsonl", "--csv"):
        asked = ["extract" if form == "--jsonl" else "find", form, "--quiet"]
        _, shown = on_terminal(asked[0], tmp_path / hostile, tmp_path / "plain.html", *asked[1:])
        assert "plain.html" in shown
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", shown)
    ran = extract(tmp_path / hostile, "--jsonl")
    assert json.loads(ran.stdout)["id"] == hostile


def test_a_name_of_several_lines_is_said_on_one(tmp_path: Path) -> None:
    for name in ("a\nskipped: forged", "b"):
        (tmp_path / f"{name}.html").write_text("<html></html>")
    ran = extract(tmp_path, "--quiet")
    assert ran.stderr.decode().splitlines() == [
        f"skipped: {tmp_path}/a\\nskipped: forged.html: no article in the page",
        f"skipped: {tmp_path}/b.html: no article in the page",
        "2 records skipped",
    ]
    assert ran.stdout.decode().splitlines()[0] == "==> a\\nskipped: forged.html: empty <=="


@pytest.mark.parametrize(
    "text",
    [
        "The harbour board of Wexmouth voted on Tuesday night to close the old fish market at the end of the year. "
        "Traders were told that the roof could no longer be repaired at a price the town could afford.",
        "港口委员会周二晚上投票决定年底关闭旧鱼市场。商人们被告知，屋顶无法以城镇能够承受的价格修复。",
    ],
)
def test_a_text_without_any_markup_is_an_article(text: str) -> None:
    assert library.extract(text).text == text
    assert library.extract(f"{text}<br><br>{text} <b>Again.</b>").text == f"{text}\n\n{text} Again."


def test_an_address_that_is_none_brings_no_control_characters() -> None:
    page = library.Page("a", STORY.encode(), url="http://x.example/a b\x07\x1b[31m\ud800")
    assert library.extract(page).url == "http://x.example/a b[31m\ufffd"


def test_a_text_with_half_a_character_is_read_as_what_it_is() -> None:
    page = f'<meta charset="windows-1252">{STORY}<p>Wexmünde beschloß am Dienstag, den Markt zu schließen.</p>\ud800'
    assert "Wexmünde beschloß" in library.extract(page, model="heuristic").text


# Order, streams, ends.


@pytest.mark.parametrize("form", [["--jsonl"], ["--jsonl", "--blocks"], [], ["--html"]])
def test_the_answer_is_the_same_for_any_number_of_threads(papers: Path, form: list[str]) -> None:
    for number in range(6):
        (papers / f"big{number}.html").write_text(STORY + f"<p>{'More words. ' * 3000}</p>" * 15)
    one, four = (extract(papers, *form, "--threads", threads) for threads in (1, 4))
    assert one.stdout == four.stdout
    assert one.stderr == four.stderr
    assert one.returncode == four.returncode == 3


def test_pages_keep_the_order_of_the_input(papers: Path) -> None:
    given = [papers / f"{number:02}.html" for number in (9, 2, 11, 0)]
    assert [found["id"] for found in lines(extract(*given, "--jsonl").stdout)] == [
        path.name for path in given
    ]


def test_pages_come_out_of_warc_and_stdin(tmp_path: Path) -> None:
    archive = tmp_path / "crawl.warc.gz"
    parts = [
        record("response", "https://courier.example/ferry", response(STORY.encode())),
        record("response", "https://courier.example/gone", response(b"", "404 Not Found")),
        record("response", "https://courier.example/rain", response(b"<p>Rain.</p>")),
    ]
    archive.write_bytes(b"".join(gzip.compress(part + b"\r\n\r\n") for part in parts))
    ran = extract(archive, "--jsonl")
    assert [(found["id"], found["url"]) for found in lines(ran.stdout)] == [
        ("https://courier.example/ferry",) * 2,
        ("https://courier.example/rain",) * 2,
    ]
    assert ran.stderr.decode() == "2 pages, 2 articles, 1 left out: HTTP status 404\n"
    piped = extract("-", "--jsonl", typed=archive.read_bytes())
    assert piped.stdout == ran.stdout


def test_what_is_extracted_can_be_compared(papers: Path, tmp_path: Path, model: Path) -> None:
    (papers / "copy.html").write_text(write_page(20, 0).html)
    found = extract(papers, "--jsonl", "--quiet", "--model", model)
    ran = subprocess.run(
        [PROGRAM, "find", "-", "--quiet"], input=found.stdout, capture_output=True, timeout=60
    )
    pairs = [(match["query"], match["found"], match["relation"]) for match in lines(ran.stdout)]
    assert ("copy.html", "00.html", "identical") in pairs


def test_a_reader_that_leaves_early_is_no_error(papers: Path) -> None:
    for number in range(6):
        (papers / f"big{number}.html").write_text(STORY + f"<p>{'More words. ' * 3000}</p>" * 15)
    with subprocess.Popen(
        [PROGRAM, "extract", papers, "--model", "heuristic", "--quiet", "--jsonl"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read().decode()
        assert process.wait(60) == 0
    assert all(line.startswith("skipped: ") for line in said.splitlines())


def test_a_terminal_sees_a_table_in_colour(story: Path) -> None:
    _, shown = on_terminal("extract", story, "--blocks", "--model", "heuristic", width=80)
    plain = re.sub(r"\x1b\[[\d;]*m", "", shown)
    assert plain != shown
    assert plain.count("CONTENT") == 4
    assert max(map(len, plain.splitlines())) <= 80


# Errors.


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["no-such.html"], 1, "no-such.html: no such file or folder"),
        (
            ["story.html", "--model", "best"],
            2,
            "model: expected crf, maxent, heuristic, page or a file, got best",
        ),
        (["story.html", "--model", "story.html"], 1, "story.html: not a model"),
        (["story.html", "--html", "--jsonl"], 2, "one form at a time: got --html and --jsonl"),
        (["story.html", "--html", "--blocks"], 2, "one form at a time: got --html and --blocks"),
        (["story.html", "-o", "no/such/out"], 1, "no/such/out: cannot be written: no such folder"),
        ([], 2, "Missing argument 'PAGE...'"),
    ],
)
def test_what_cannot_be_done_is_said(story: Path, arguments: list[str], code: int, said: str) -> None:
    ran = extract(*arguments, cwd=story.parent)
    assert ran.returncode == code
    assert ran.stdout == b""
    assert said in ran.stderr.decode()


def test_a_text_is_no_page(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A text.")
    ran = extract(tmp_path, "--jsonl")
    assert ran.returncode == 3
    assert [found["status"][:14] for found in lines(ran.stdout)] == ["not a web page"]
    assert ran.stderr.decode().splitlines()[-1] == "no pages found"


# Python.


def test_python_extracts_too(model: Path) -> None:
    page = write_page(24, 1)
    article = library.extract(page.html, model=model)
    assert article.text == page.text
    given = library.Page("a", page.html.encode("utf-16"), url="https://courier.example/a")
    article = library.extract(given, model=model)
    assert (article.id, article.text, article.url) == ("a", page.text, "https://courier.example/a")
    assert library.extract(b"", model="heuristic").text == ""
    with pytest.raises(library.WirecopyError, match="page"):
        library.extract(b"<b>" * 1_000_001, model="heuristic")
