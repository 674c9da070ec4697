"""What is known about articles comes with them, from everything that holds it, if it is asked for."""

import dataclasses
import gzip
import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import KINDS, Read, micros, pipe
from records import jsonl

import wirecopy
from wirecopy import errors, sources
from wirecopy.model import ABOUT, UNDATED, Article, Articles, Page
from wirecopy.sources import Fields
from wirecopy.text import View, tokenise

ALL = Fields(about=ABOUT)
KNOWN = {
    "title": "Ferry 😀 sinks",
    "published": "5 Jan 2021 09:00 GMT",
    "source": "The Courier",
    "author": "Ann Writer; Ben Penman",
    "location": "Harbour",
    "language": "en",
    "url": "https://courier.test/1",
    "agency": "Wire",
}


def test_what_is_known_has_the_names_of_an_article() -> None:
    assert ("id", "text", *ABOUT) == tuple(field.name for field in dataclasses.fields(Article))


@pytest.mark.parametrize("kind", ["jsonl", "json", "csv", "parquet", "objects"])
def test_fields_that_no_record_holds_are_known(tmp_path: Path, kind: str) -> None:
    rows = [
        {"text": "A ferry sank."},
        {"text": "A mayor spoke.", "slug": "x", "day": "soon", "head": "Mayor"},
    ]
    inputs: Any = tmp_path / f"a.{kind}"
    if kind == "jsonl":
        inputs.write_bytes(jsonl(*rows))
    elif kind == "json":
        inputs.write_text(json.dumps(rows))
    elif kind == "csv":
        inputs.write_text("text,slug,day,head\nA ferry sank.,,,\nA mayor spoke.,x,soon,Mayor\n")
    elif kind == "parquet":
        pq.write_table(pa.table({name: [row.get(name) for row in rows] for name in rows[1]}), inputs)
    else:
        inputs = rows
    (tmp_path / "b.txt").write_text("A text is no record.")
    for batch_bytes in (1, 4 << 20):

        def missing(batch_bytes: int = batch_bytes, **names: Any) -> list[str]:
            return Read([inputs, tmp_path / "b.txt"], fields=Fields(**names), batch_bytes=batch_bytes).missing

        assert missing() == missing(id="slug", published="day", title="head", about=("title",)) == []
        assert missing(id="no", published="none", title="not", about=("title",)) == ["no", "none", "not"]
        assert missing(title="not") == []


@pytest.mark.parametrize("batch_bytes", [1, 4 << 20])
def test_all_that_is_known_comes_out_of_everything_that_holds_it(tmp_path: Path, batch_bytes: int) -> None:
    known, unknown, no_text = (
        {"text": "A ferry sank.", **KNOWN},
        {"text": "A mayor spoke."},
        {"title": "No text"},
    )
    (tmp_path / "a.jsonl").write_bytes(jsonl(known, unknown, no_text, known))
    (tmp_path / "b.json").write_text(json.dumps([known, 5, unknown, no_text, known]))
    cells = ",".join(KNOWN.values())
    commas = "," * (len(KNOWN) - 1)
    (tmp_path / "c.csv").write_text(f"{','.join(KNOWN)},text\n{cells},x\n{commas},y\n{cells},\n{cells},z\n")
    table = pa.Table.from_pylist([known, unknown, no_text, known])
    pq.write_table(table, tmp_path / "d.parquet")
    pyarrow.feather.write_feather(table, str(tmp_path / "e.arrow"))
    objects: list[Any] = [Article("p", "x", **KNOWN), Article("q", "y"), no_text, known]
    for inputs in [*sorted(tmp_path.iterdir()), table, objects]:
        read = Read(inputs, fields=ALL, batch_bytes=batch_bytes)
        assert read.about == {name: [value, "", value] for name, value in KNOWN.items()}
        assert list(read.about) == list(ABOUT)
        moment = micros(2021, 1, 5, 9)
        assert [published for _, _, published in read.rows] == [moment, UNDATED, moment]
        assert len(read.skipped) in (1, 2)


@pytest.mark.parametrize("about", [(), ("title",), ("url",), ("author", "published")])
def test_what_is_not_asked_for_is_not_read(tmp_path: Path, about: tuple[str, ...]) -> None:
    known = {"id": "1", "text": "A ferry sank.", **KNOWN}
    (tmp_path / "a.jsonl").write_bytes(jsonl(known))
    (tmp_path / "b.json").write_text(json.dumps([known]))
    (tmp_path / "c.csv").write_text(f"{','.join(known)}\n{','.join(known.values())}\n")
    pq.write_table(pa.Table.from_pylist([known]), tmp_path / "d.parquet")
    page = Page("1", f"<title>{known['title']}</title><p>{'A ferry sank in the harbour. ' * 9}".encode())
    for inputs in [*sorted(tmp_path.iterdir()), known, Article("1", "x", **KNOWN), page, "A text."]:
        read = Read(inputs if inputs != "A text." else [inputs], fields=Fields(about=about))
        assert tuple(read.about) == about
        plain = Read(inputs if inputs != "A text." else [inputs])
        assert plain.about == {}
        assert (plain.rows, plain.skipped) == (read.rows, read.skipped)


def test_a_parquet_column_that_is_not_asked_for_is_left_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["A ferry sank."], "title": ["Ferry"]}), path, use_dictionary=False)
    title = pq.read_metadata(path).row_group(0).column(1)
    damaged = bytearray(path.read_bytes())
    end = title.data_page_offset + title.total_compressed_size
    damaged[title.data_page_offset : end] = b"\xff" * title.total_compressed_size
    path.write_bytes(damaged)
    assert Read(path).texts == {f"{path}:1": "A ferry sank."}
    asked = Read(path, fields=Fields(about=("title",)))
    assert (asked.rows, len(asked.skipped)) == ([], 1)


def test_a_name_that_is_none_of_an_article_is_refused() -> None:
    with pytest.raises(errors.UsageError, match=r"expected names among title, .*, got title, lead"):
        sources.read([], fields=Fields(about=("title", "lead")))


def test_of_texts_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("Title\n\nText.")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"Text."))
    read = Read([tmp_path, "A bare text."], fields=ALL)
    assert read.about == {name: ["", "", ""] for name in ABOUT}
    pipe(monkeypatch, b"A text.")
    assert Read("-", fields=ALL).about == {name: [""] for name in ABOUT}


def test_what_is_known_of_a_page_comes_with_its_article(tmp_path: Path) -> None:
    sentences = "The harbour ferry sank on Tuesday morning, and all who were on board swam to the shore. " * 4
    content = f"""<html lang="en"><head><title>Ferry sinks</title><meta property="og:site_name" content="The Courier">
        <meta name="author" content="Ann Writer"><meta property="article:published_time" content="2021-01-05T09:00Z">
        </head><body><article><h1>Ferry sinks</h1><p>{sentences}<p>{sentences}</article></body></html>"""
    page = Page("p", content.encode(), "https://courier.test/1")
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page.content
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {page.url}\r\nContent-Length: {len(http)}\r\n\r\n"
    (tmp_path / "a.warc").write_bytes(head.encode() + http + b"\r\n\r\n")
    article = wirecopy.extract(page)
    assert (article.source, article.author, article.language) == ("The Courier", "Ann Writer", "en")
    for inputs in (page, tmp_path / "a.warc"):
        assert Read(inputs, fields=ALL).about == {name: [getattr(article, name) or ""] for name in ABOUT}


def test_what_other_tools_write_about_articles_is_known(tmp_path: Path) -> None:
    passim = {"id": "1", "text": "a", "series": "gazette", "date": "1842-10-09"}
    news_please = {
        "maintext": "b",
        "authors": ["Ann Writer", "Ben Penman"],
        "source_domain": "courier.test",
        "date_publish": "2021-01-05 09:00:00",
        "language": "en",
        "url": "https://courier.test/1",
    }
    trafilatura = {
        "text": "c",
        "author": "Ann Writer; Ben Penman",
        "hostname": "courier.test",
        "source-hostname": "The Courier",
        "source": "https://courier.test/1",
        "language": None,
    }
    bare = {"text": "d", "author": None, "sitename": "The Courier", "hostname": "courier.test", "url": "u"}
    newspaper: dict[str, Any] = {
        "text": "e",
        "authors": [],
        "meta_site_name": "The Courier",
        "publish_date": None,
        "link": "l",
    }
    records: list[dict[str, Any]] = [passim, news_please, trafilatura, bare, newspaper]
    (tmp_path / "a.jsonl").write_bytes(jsonl(*records))
    pq.write_table(
        pa.table({k: [one.get(k) for one in records] for one in records for k in one}), tmp_path / "b.parquet"
    )
    both = "Ann Writer; Ben Penman"
    for inputs in (tmp_path / "a.jsonl", tmp_path / "b.parquet", records):
        read = Read(inputs, fields=ALL)
        assert len(read.rows) == 5
        assert read.about["source"] == ["gazette", "courier.test", *["The Courier"] * 3]
        assert read.about["author"] == ["", both, both, "", ""]
        assert read.about["published"] == ["1842-10-09", "2021-01-05 09:00:00", "", "", ""]
        assert read.about["url"] == ["", "https://courier.test/1", "https://courier.test/1", "u", "l"]
        assert read.about["language"] == ["", "en", "", "", ""]


def test_the_name_of_a_source_is_no_address() -> None:
    asked = Fields(about=("url",))
    assert Read({"text": "x", "source": "The Courier"}, fields=asked).about == {"url": [""]}
    assert Read({"text": "x", "source": "https://a.test", "url": "b"}, fields=asked).about == {"url": ["b"]}


@pytest.mark.parametrize("name", ABOUT)
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *(
            (none, "")
            for none in (None, "", True, float("nan"), {"en": "Ferry"}, [], [5, None, {"name": "x"}])
        ),
        *((["Ann"], "Ann"), (["Ann", "", None, "Ben"], "Ann; Ben"), (["a\ud800"], "a\ufffd")),
        *((5, "5"), (1.5, "1.5"), (-0.0, "-0.0"), ("a\ud800 ", "a\ufffd ")),
    ],
)
def test_a_list_of_strings_is_joined_a_number_is_written_and_all_else_is_none(
    tmp_path: Path, name: str, value: Any, expected: str
) -> None:
    record = {"id": 1, "text": "x", name: value}
    (tmp_path / "a.jsonl").write_bytes(jsonl(record))
    (tmp_path / "b.json").write_text(json.dumps([record]))
    for inputs in (tmp_path / "a.jsonl", tmp_path / "b.json", record, Article("1", "x", **{name: value})):
        read = Read(inputs, fields=Fields(about=(name,)))
        assert (read.about, read.texts, read.skipped) == ({name: [expected]}, {"1": "x"}, [])


TITLED = Fields(about=("title",))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_arrow_titles_of_every_kind_of_text(kind: pa.DataType) -> None:
    titles = [b"Ferry", None, "naïve".encode(), b""]
    values = titles if kind == pa.binary() else [title and title.decode() for title in titles]
    column = pa.array(values, kind if not pa.types.is_dictionary(kind) else pa.string())
    table = pa.table({"title": column.cast(kind) if column.type != kind else column, "text": list("abcd")})
    assert Read(table, fields=TITLED).about["title"] == ["Ferry", "", "naïve", ""]
    assert Read(table.slice(2), fields=TITLED).about["title"] == ["naïve", ""]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([1, None]), ["1", ""]),
        (pa.array([1.5, float("nan")]), ["1.5", ""]),
        (pa.array([["Ann", None, "Ben"], []]), ["Ann; Ben", ""]),
        (pa.array([["Ann"], None], pa.large_list(pa.large_string())), ["Ann", ""]),
        (pa.array([True, None]), ["", ""]),
        (pa.array([{"en": "Ferry"}, None]), ["", ""]),
        (pa.nulls(2), ["", ""]),
        (pa.array([b"caf\xe9", b"tea"]), ["", "tea"]),
        (pa.array([date(2021, 1, 5), None]), ["2021-01-05", ""]),
        (pa.array([datetime(2021, 1, 5, 9), datetime(1842, 10, 9)]), ["2021-01-05T09:00", "1842-10-09"]),
        (pa.array([1609837200_123456789, None], pa.timestamp("ns")), ["2021-01-05T09:00:00.123456", ""]),
        (pa.array([1609837200, None], pa.timestamp("s", "Asia/Seoul")), ["2021-01-05T09:00Z", ""]),
    ],
    ids=lambda case: str(getattr(case, "type", "")),
)
def test_arrow_columns_of_every_kind_are_written_out(column: pa.Array, expected: list[str]) -> None:
    table = pa.table({"published": column, "author": column, "text": ["x", "y"]})
    read = Read(table, fields=Fields(about=("published", "author")))
    assert (read.about, len(read.rows)) == ({"published": expected, "author": expected}, 2)


def test_the_user_names_title_and_date(tmp_path: Path) -> None:
    record = {"id": 1, "title": "No", "headline": "Ferry sinks", "date": "No", "seen": "2021", "text": "x"}
    (tmp_path / "a.jsonl").write_bytes(jsonl(record))
    pq.write_table(pa.Table.from_pylist([record]), tmp_path / "b.parquet")
    named = Fields(title="headline", published="seen", about=("title", "published"))
    for inputs in (tmp_path / "a.jsonl", tmp_path / "b.parquet", record):
        assert Read(inputs, fields=named).about == {"title": ["Ferry sinks"], "published": ["2021"]}
        assert Read(inputs, fields=Fields(title="headline")).about == {}
    own = Article("1", "x", title="Its own", published="2022")
    assert Read(own, fields=named).about == {"title": ["Its own"], "published": ["2022"]}


def test_some_of_a_batch_are_taken_with_all_that_is_known() -> None:
    (unit,) = sources.read(
        [{"text": name, "title": name.upper()} for name in "abc"], fields=Fields(about=ABOUT)
    )
    taken = unit().take([2, 0])
    assert (taken.about["title"], taken.about["url"]) == (["C", "A"], ["", ""])
    assert texts((taken.text, taken.offsets)) == ["c", "a"]


def batch(*items: Any) -> Articles:
    (unit,) = sources.read(list(items), fields=TITLED)
    return unit()


def texts(read: tuple[Any, Any]) -> list[str]:
    text, offsets = read
    assert (text.dtype, offsets.dtype) == (np.uint8, np.int64)
    assert (offsets[0], offsets[-1]) == (0, len(text))
    return [bytes(text[offsets[row] : offsets[row + 1]]).decode() for row in range(len(offsets) - 1)]


@given(st.lists(st.tuples(st.none() | st.text(max_size=5), st.text(max_size=8)), min_size=1, max_size=6))
def test_titled_text_is_title_blank_line_text(pairs: list[tuple[str | None, str]]) -> None:
    articles = batch(*(Article(str(n), text, title) for n, (title, text) in enumerate(pairs)))
    before = texts((articles.text, articles.offsets))
    assert texts(articles.titled_text()) == [f"{title}\n\n{text}" if title else text for title, text in pairs]
    assert texts((articles.text, articles.offsets)) == before == [text for _, text in pairs]


def test_a_title_is_a_sentence() -> None:
    articles = batch({"title": "Ferry sinks", "text": "It sank. All swam."}, {"text": "It sank. All swam."})

    def sentences(delimiters: str, **separator: str) -> list[list[int]]:
        tokens = tokenise(*articles.titled_text(**separator), View(sentences=delimiters, title=True))
        assert tokens.sentences is not None
        assert tokens.sentence_offsets is not None
        return [part.tolist() for part in np.split(tokens.sentences, tokens.sentence_offsets[1:-1])]

    assert sentences("") == [[0, 2, 4], [0, 2]]
    assert sentences(".\n") == [[0, 2, 4], [0, 2]]
    assert sentences(".") == [[0, 4], [0, 2]]
    assert sentences(".", separator=".\n\n") == [[0, 2, 4], [0, 2]]


def test_titled_text_needs_titles_that_were_asked_for(tmp_path: Path) -> None:
    (unit,) = sources.read(["A text."])
    with pytest.raises(AssertionError, match="asked for"):
        unit().titled_text()
    (tmp_path / "empty.jsonl").touch()
    for unit in sources.read(tmp_path, fields=TITLED):
        assert texts(unit().titled_text()) == []
