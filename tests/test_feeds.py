"""Feeds: their entries are articles, with the linked page where it is in the input; nothing is fetched."""

import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from pages import ENTITIES, HEAD, PAGE, TEXT, ReadPages, record, response, told

from wirecopy import errors, extraction, sources
from wirecopy.model import Article, Page
from wirecopy.sources import web
from wirecopy.sources.entries import address_key, plain

pytestmark = pytest.mark.usefixtures("no_network")


def rss(*items: str, channel: str = "", declared: str = "") -> str:
    inner = "".join(f"<item>{item}</item>" for item in items)
    return (
        f"<?xml version='1.0' encoding='utf-8'?>{declared}<rss version='2.0'"
        " xmlns:content='http://purl.org/rss/1.0/modules/content/' xmlns:dc='http://purl.org/dc/elements/1.1/'>"
        f"<channel><title>The Courier</title><link>https://courier.example/</link>"
        f"<language>en-gb</language>{channel}{inner}</channel></rss>"
    )


def full(text: str = TEXT) -> str:
    return f"<content:encoded><![CDATA[{text}]]></content:encoded>"


def test_an_entry_with_its_text_is_a_page(tmp_path: Path) -> None:
    path = tmp_path / "a.rss"
    path.write_text(
        rss(
            "<title>High tide</title><link>/tide?x=1</link><guid isPermaLink='false'>g1</guid>"
            "<pubDate>Tue, 03 Mar 2026 10:00:00 +0100</pubDate><dc:creator>Ann Quay</dc:creator>"
            f"<description>Short.</description>{full()}"
        )
    )
    read = ReadPages(path)
    (page,) = read.pages
    assert (page.id, page.url) == ("https://courier.example/tide?x=1",) * 2
    assert (page.content.decode(), page.charset) == (TEXT, "utf-8")
    assert page.known == Article(
        id=page.id,
        text="",
        title="High tide",
        published="Tue, 03 Mar 2026 10:00:00 +0100",
        source="The Courier",
        author="Ann Quay",
        language="en-gb",
        url=page.url,
    )
    assert read.wheres == [f"{path}:1"]
    assert sum(work.source_bytes for work in read.work) == path.stat().st_size


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("A &amp;lt;b&amp;gt;bold&amp;lt;/b&amp;gt; step &amp;amp; more", "A bold step & more"),
        ("A &lt;b&gt;bold&lt;/b&gt; step", "A bold step"),
        ("<![CDATA[A <b>bold</b> step &amp; more]]>", "A bold step & more"),
        ("3 &lt; 5 &amp; AT&amp;T", "3 < 5 & AT&T"),
        ("&#x43;af\u00e9\n  noir", "Caf\u00e9 noir"),
    ],
)
def test_titles_are_plain_text(tmp_path: Path, title: str, expected: str) -> None:
    (tmp_path / "a.xml").write_text(rss(f"<title>{title}</title><link>/a</link>{full()}"))
    known = ReadPages(tmp_path).pages[0].known
    assert known
    assert known.title == expected


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        ("<pubDate>Tue, 03 Mar 2026 10:00:00 EST</pubDate>", "2026-03-03T10:00:00-05:00"),
        ("<pubDate>Tue, 03 Mar 2026 10:00:00 -0000</pubDate>", "2026-03-03T10:00:00+00:00"),
        ("<pubDate>Tue, 03 Mar 2026 10:00:00 CEST</pubDate>", "2026-03-03T10:00:00+02:00"),
        ("<pubDate>Tue, 03 Mar 2026 10:00:00 CST</pubDate>", "2026-03-03T10:00:00-06:00"),
        ("<pubDate>Tue, 03 Mar 2026 10:00:00 UT</pubDate>", "2026-03-03T10:00:00Z"),
        ("<pubDate>Tue, 03 Mar 2026 10:00:00</pubDate>", "2026-03-03T10:00:00"),
        ("<dc:date>2026-03-03T10:00:00+09:00</dc:date>", "2026-03-03T10:00:00+09:00"),
        ("<pubDate>2026-03-03</pubDate>", "2026-03-03"),
        ("<pubDate>yesterday</pubDate>", None),
        ("", None),
    ],
)
def test_dates_keep_their_zone(tmp_path: Path, element: str, expected: str | None) -> None:
    (tmp_path / "a.xml").write_text(rss(f"<link>/a</link>{element}{full()}"))
    assert told(tmp_path).published == expected


@pytest.mark.parametrize(
    ("element", "author", "agency"),
    [
        ("<dc:creator>Ada Quill</dc:creator><dc:creator>Ben Penn</dc:creator>", "Ada Quill; Ben Penn", None),
        ("<author>ada@c.example (Ada Quill)</author>", "Ada Quill", None),
        ("<author>Ada Quill &lt;ada@c.example&gt;</author>", "Ada Quill", None),
        (
            "<author>a@c.example (Ada Quill)</author><author>b@c.example (Ben Penn)</author>",
            "Ada Quill; Ben Penn",
            None,
        ),
        ("<author>ada@c.example</author>", None, None),
        ("<dc:creator>Ada Quill (The Courier</dc:creator>", "Ada Quill", None),
        ("<dc:creator>Reuters</dc:creator>", "Reuters", "Reuters"),
        ("<dc:creator>By Ada Quill (Berlin), Reuters</dc:creator>", "Ada Quill", "Reuters"),
    ],
)
def test_all_authors_are_told_and_agencies_known(
    tmp_path: Path, element: str, author: str | None, agency: str | None
) -> None:
    (tmp_path / "a.xml").write_text(rss(f"<link>/a</link>{element}{full()}"))
    article = told(tmp_path)
    assert (article.author, article.agency) == (author, agency)


@pytest.mark.parametrize(
    ("dates", "of_page", "of_text"),
    [
        ("<updated>2026-03-09T10:00Z</updated>", "2026-03-03T20:00:00+01:00", "2026-03-09T10:00Z"),
        (
            "<published>2026-03-02T10:00Z</published><updated>2026-03-09T10:00Z</updated>",
            *["2026-03-02T10:00Z"] * 2,
        ),
        # As WordPress tells of what was written a week before it was to come out.
        (
            "<published>2026-03-09T10:00Z</published><updated>2026-03-02T10:00Z</updated>",
            *["2026-03-09T10:00Z"] * 2,
        ),
        *(
            (f"<published>{date}</published>", "2026-03-03T20:00:00+01:00", None)
            for date in ("soon", "1" * 400)
        ),
    ],
)
def test_a_change_is_the_date_only_where_nothing_else_is(
    tmp_path: Path, dates: str, of_page: str, of_text: str | None
) -> None:
    entry = f'<entry><link href="https://courier.example/tide"/>{dates}<content type="html">{TEXT.replace("<", "&lt;")}</content></entry>'
    (tmp_path / "a.atom").write_text(f'<feed xmlns="http://www.w3.org/2005/Atom">{entry}</feed>')
    assert told(tmp_path).published == of_text
    page = tmp_path / "a.html"
    link = "<link rel=canonical href=https://courier.example/tide>"
    page.write_text(HEAD + link + TEXT)
    assert told(tmp_path).published == of_page
    page.write_text(link + TEXT)
    assert told(tmp_path).published == of_text


def test_what_a_feed_says_is_told_in_the_form_of_what_a_page_says(tmp_path: Path) -> None:
    item = {
        "id": "x",
        "url": "https://WWW.courier.example/a/../tide?utm_source=feed&id=5#top",
        "title": "Tide &amp; <b>time</b>\n\u202e\x1b" + "high " * 200,
        "authors": [{"name": "Quill, Ada"}, {"name": "By Ben Penn"}],
        "date_published": "Tue, 03 Mar 2026 19:30:00 MSK",
        "content_html": TEXT,
        "language": "EN_us",
    }
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": " The\u202e Courier"}
    path = tmp_path / "a.json"
    path.write_text(json.dumps({**feed, "items": [item]}))
    article = told(path)
    assert (article.title or "").startswith("Tide & time high high")
    assert len(article.title or "") <= 500
    assert (article.author, article.source) == ("Ada Quill; Ben Penn", "The Courier")
    assert (article.published, article.language) == ("2026-03-03T19:30:00+03:00", "en-US")
    assert article.url == "https://WWW.courier.example/tide?id=5"
    spoken = item | {
        "date_published": "\ud800",
        "date_modified": "2026-03-09 \ud800",
        "language": "English",
        "authors": [{"name": "Reuters"}],
        "url": "https://courier.example/b",
    }
    path.write_text(json.dumps({**feed, "items": [spoken]}))
    (tmp_path / "b.html").write_text(HEAD + "<link rel=canonical href=https://courier.example/b>" + TEXT)
    article = told(tmp_path)
    assert (article.language, article.author, article.agency) == ("de", "Ann Quay", "Reuters")
    assert article.published == "2026-03-03T20:00:00+01:00"


def test_what_is_known_of_a_page_that_is_too_large_is_told() -> None:
    known = Article("p", "", "Tide", source="The Courier")
    (extracted,) = extraction.extract_pages([Page("p", b" " * (21 << 20), known=known)])
    assert extracted.status.startswith("larger than")
    assert (extracted.article.title, extracted.article.source) == ("Tide", "The Courier")


def test_atom(tmp_path: Path) -> None:
    (tmp_path / "a.atom").write_text(
        f"""<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de" xml:base="https://blatt.example/blog/">
        <title type="html">Das &lt;em&gt;Blatt&lt;/em&gt;</title>
        <entry xml:base="2026/"><title>1 &lt; 2</title><link rel="self" href="z"/><link href="a.html"/>
        <updated>2026-03-01T10:00:00-05:00</updated><author><name>B</name></author>
        <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">{TEXT}</div></content></entry>
        <entry><id>urn:2</id><content type="text">{"Ein Satz &lt; zwei. " * 30}</content></entry>
        <entry><id>urn:3</id><content type="image/png">aGVsbG8=</content></entry>
        </feed>"""
    )
    read = ReadPages(tmp_path)
    first, second = read.pages
    assert (first.id, first.content.decode().strip()) == ("https://blatt.example/blog/2026/a.html", TEXT)
    assert first.known
    assert (first.known.title, first.known.source) == ("1 < 2", "Das Blatt")
    assert (first.known.author, first.known.language) == ("B", "de")
    assert first.known.published == "2026-03-01T10:00:00-05:00"
    assert (second.id, second.url) == ("urn:2", None)
    assert second.content.startswith(b"<p>Ein Satz &lt; zwei. ")
    assert read.skipped == [(f"{tmp_path}/a.atom:3", "no text, and no link to a page")]


def test_rss_1_and_json_feeds(tmp_path: Path) -> None:
    (tmp_path / "a.rdf").write_text(
        f"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>C</title></channel><item>
        <title>T</title><link>https://c.example/1</link><dc:date>2026-03-01T10:00Z</dc:date>
        <description>{TEXT.replace("<", "&lt;") * 3}</description></item></rdf:RDF>"""
    )
    items = [
        {
            "id": "x",
            "url": "/2",
            "content_html": TEXT,
            "title": "U",
            "date_published": "2026-03-02T00:00:00Z",
        },
        {"id": "y", "content_text": "A line.\n\nAnother & one. " * 30, "authors": [{"name": "D"}, 5]},
        {"id": "z", "summary": "Short."},
        7,
    ]
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": "J", "home_page_url": "https://j.example"}
    (tmp_path / "b.json").write_text(json.dumps({**feed, "language": "en", "items": items}))
    read = ReadPages(tmp_path)
    assert list(read.contents) == ["https://c.example/1", "https://j.example/2", "y"]
    known = [page.known for page in read.pages if page.known]
    assert [(one.title, one.source, one.author, one.language) for one in known] == [
        ("T", "C", None, None),
        ("U", "J", None, "en"),
        (None, "J", "D", "en"),
    ]
    assert read.pages[2].content.startswith(b"<p>A line.</p>\n<p>Another &amp; one. A line.</p>")
    assert [where for where, _ in read.skipped] == [f"{tmp_path}/b.json:3", f"{tmp_path}/b.json:4"]


SHORT = "<title>Tide</title><link>https://www.courier.example/tide/?utm_source=feed&amp;id=5</link><description>S.</description>"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.warc", record("response", "http://courier.example/tide?id=5#top", response(PAGE)) + b"\r\n\r\n"),
        ("a.html", b"<link rel=canonical href='https://courier.example/tide?fbclid=x&amp;id=5'>" + PAGE),
        ("a.html", b'<head><LINK href="https://courier.example/tide?id=5" rel="canonical"/>' + PAGE),
        ("a.html", b'<link rel="alternate canonical" href="https://courier.example/tide?id=5">' + PAGE),
    ],
)
@pytest.mark.parametrize("feed", ["0.rss", "z.rss", "z.xml.gz"])
def test_the_linked_page_is_the_article(tmp_path: Path, name: str, content: bytes, feed: str) -> None:
    packed = gzip.compress(rss(SHORT).encode()) if feed.endswith("gz") else rss(SHORT).encode()
    (tmp_path / feed).write_bytes(packed)
    (tmp_path / name).write_bytes(content)
    read = ReadPages(tmp_path)
    assert read.skipped == []
    (page,) = read.pages
    assert page.content.endswith(PAGE)
    assert page.known
    assert (page.known.id, page.known.title, page.known.source) == (page.id, "Tide", "The Courier")


@pytest.mark.parametrize("feed", ["feed/index.html", "feed.html.gz", "feed", "z.unknown"])
@pytest.mark.parametrize("first", [True, False])
def test_a_feed_is_known_before_pages_are_read_whatever_its_name(
    tmp_path: Path, feed: str, first: bool
) -> None:
    page = tmp_path / "2026" / "a" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_bytes(b"<link rel=canonical href='https://courier.example/2026/a/'>" + PAGE)
    data = rss(f"<title>Tide</title><link>https://courier.example/2026/a</link>{full()}").encode()
    path = tmp_path / feed
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(data) if feed.endswith(".gz") else data)
    for inputs in (tmp_path, [path, page] if first else [page, path]):
        (only,) = ReadPages(inputs).pages
        assert only.content.endswith(PAGE)
        assert only.known
        assert only.known.title == "Tide"


def test_a_summary_without_its_page_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.rss").write_text(rss(SHORT, full(TEXT + "[…]") + "<link>/b</link>"))
    (tmp_path / "b.html").write_bytes(PAGE)
    read = ReadPages(tmp_path)
    assert [page.known for page in read.pages] == [None]
    url = "https://www.courier.example/tide/?utm_source=feed&id=5"
    assert read.skipped == [
        (f"{tmp_path}/a.rss:1", f"only a summary; the linked page {url} is not in the input"),
        (
            f"{tmp_path}/a.rss:2",
            "only a summary; the linked page https://courier.example/b is not in the input",
        ),
    ]


def test_without_a_link_the_text_that_is_there_is_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.rss").write_text(
        rss(
            "<link>javascript:void(0)</link><guid>1</guid><description>&lt;p&gt;A ferry sank.</description>",
            "<guid isPermaLink='false'>2</guid><description>A ferry [...]</description>",
            "<guid isPermaLink='false'>3</guid>",
            "<link>/b</link>",
        )
    )
    items = [
        {"id": "5", "content_text": "A ferry sank."},
        {"id": "6", "summary": "A ferry."},
        {"id": "7", "url": "https://j.example/7", "content_text": "A ferry."},
    ]
    feed = {"version": "https://jsonfeed.org/version/1.1", "items": items}
    (tmp_path / "b.json").write_text(json.dumps(feed))
    read = ReadPages(tmp_path)
    assert read.contents == {"1": b"<p>A ferry sank.", "5": b"<p>A ferry sank.</p>"}
    assert [(Path(where).name, reason) for where, reason in read.skipped] == [
        ("a.rss:2", "only a summary, and no link to a page"),
        ("a.rss:3", "no text, and no link to a page"),
        ("a.rss:4", "no text; the linked page https://courier.example/b is not in the input"),
        ("b.json:2", "only a summary, and no link to a page"),
        ("b.json:3", "only a summary; the linked page https://j.example/7 is not in the input"),
    ]


def test_an_article_comes_once_and_the_page_counts_before_the_feed(tmp_path: Path) -> None:
    item = f"<title>%s</title><link>https://courier.example/tide</link>{full()}"
    (tmp_path / "1.rss").write_text(rss(item % "First"))
    (tmp_path / "2.rss").write_text(rss(item % "Second"))
    (page,) = ReadPages(tmp_path).pages
    assert page.known
    assert (page.known.title, page.content.decode()) == ("First", TEXT)
    (tmp_path / "a.warc").write_bytes(record("response", "https://courier.example/tide", response(PAGE)))
    (page,) = ReadPages(tmp_path).pages
    assert page.known
    assert (page.known.title, page.content) == ("First", PAGE)


@pytest.mark.parametrize("own", ["guid", "title"])
def test_entries_of_a_live_blog_share_a_link_and_are_articles_each(tmp_path: Path, own: str) -> None:
    link = "https://courier.example/live"
    items = [f"<{own}>{n}</{own}><link>{link}</link>{full(f'<p>At {n} o clock.' + TEXT)}" for n in "123"]
    path = tmp_path / "a.rss"
    path.write_text(rss(*items))
    # The feed of another day has the first entry again, edited.
    (tmp_path / "b.rss").write_text(rss(items[0].replace("o clock", "sharp"), items[2]))
    read = ReadPages(tmp_path)
    assert list(read.contents) == [link, f"{path}:2", f"{path}:3"]
    assert [page.content[3:7] for page in read.pages] == [b"At 1", b"At 2", b"At 3"]
    (tmp_path / "a.warc").write_bytes(record("response", link, response(PAGE)))
    assert ReadPages(tmp_path).contents == {link: PAGE}


def test_feeds_come_through_pipes_and_without_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    feed = rss(f"<link>/a</link>{full()}").encode()
    for pack in (bytes, gzip.compress, zstandard.compress):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(feed))))
        assert list(ReadPages("-").contents) == ["https://courier.example/a"]
    for name in ("feed", "index.html"):
        (tmp_path / name).write_bytes(feed)
        assert list(ReadPages(tmp_path / name).contents) == ["https://courier.example/a"]


@pytest.mark.parametrize("name", ["feed", "feed.html", "feed.xml"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_a_feed_is_known_behind_comments_and_by_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, pack: Callable[[bytes], bytes]
) -> None:
    head, _, rest = rss(f"<link>/a</link>{full()}").partition("?>")
    data = pack(f"{head}?><!-- {'licence ' * 5000}-->{rest}".encode())
    (tmp_path / name).write_bytes(data)
    assert list(ReadPages(tmp_path).contents) == ["https://courier.example/a"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert list(ReadPages("-").contents) == ["https://courier.example/a"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_json_feed_is_known_by_a_version_anywhere_in_its_beginning(tmp_path: Path, encoding: str) -> None:
    item = {"id": "x", "content_html": TEXT}
    feed = {"description": "long " * 1000, "version": "https://jsonfeed.org/version/1.1", "items": [item]}
    (tmp_path / "a.json").write_bytes(json.dumps(feed).encode(encoding))
    assert ReadPages(tmp_path).contents == {"x": TEXT.encode()}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("declared", ["", "utf-8", "utf-16", "utf-16le"])
@pytest.mark.parametrize("title", ["Tide", "Café"])  # without an accent, UTF-16 may be UTF-8
def test_a_byte_order_mark_says_how_a_feed_is_encoded(
    tmp_path: Path, encoding: str, declared: str, title: str
) -> None:
    said = f"<?xml version='1.0' encoding='{declared}'?>" if declared else "<?xml version='1.0'?>"
    body = rss(f"<title>{title}</title><link>/a</link>{full()}").partition("?>")[2]
    mark = "\ufeff" if encoding[-3:] in ("-le", "-be") else ""
    if (encoding, declared[:6]) != ("utf-8-sig", "utf-16"):  # no telling which is right
        (tmp_path / "a.xml").write_bytes(f"{mark}{said}{body}".encode(encoding))
        (page,) = ReadPages(tmp_path).pages
        assert page.known
        assert (page.known.title, page.content.decode()) == (title, TEXT)


def test_find_reads_feeds(tmp_path: Path, plain_extraction: list[int]) -> None:
    (tmp_path / "a.rss").write_text(rss(f"<link>/a</link>{full()}", SHORT))
    batches = [work() for work in sources.read(tmp_path)]
    assert [id for batch in batches for id in batch.ids] == ["https://courier.example/a"]
    assert [skipped.where for batch in batches for skipped in batch.skipped] == [f"{tmp_path}/a.rss:2"]


def test_hostile_feeds_are_refused_or_harmless(tmp_path: Path) -> None:
    (tmp_path / "attributes.rss").write_text(rss(f"<a {' '.join(f'a{n}=1' for n in range(20_000))}/>"))
    (tmp_path / "cut.rss").write_text(rss(f"<link>/cut</link>{full()}")[:-10])
    image = f"<img src={'a=b' * 500}>"
    (tmp_path / "data.rss").write_text(rss(f"<link>/data</link>{full(TEXT + image)}"))
    (tmp_path / "entities.rss").write_text(
        rss(f"<link>/e</link>{full()}<title>&a11;</title>", declared=ENTITIES)
    )
    secret = tmp_path / ".secret"
    secret.write_text("nobody may read this")
    (tmp_path / "external.rss").write_text(
        rss(
            f"<link>/x</link>{full()}<title>&x;</title>",
            declared=f"<!DOCTYPE rss [<!ENTITY x SYSTEM '{secret.as_uri()}'>]>",
        )
    )
    (tmp_path / "characters.rss").write_text(rss("<title>&#x110000;</title>") + "<")
    (tmp_path / "nothing.rss").write_text("<rss>" + "<" * 1000)
    (tmp_path / "tags.rss").write_text(rss("<a>" * 100_000))
    read = ReadPages(tmp_path)
    assert {"https://courier.example/cut", "https://courier.example/data"} <= set(read.contents)
    assert "nobody may read" not in repr(read.pages)
    reasons = {Path(where).name: reason for where, reason in read.skipped}
    assert "more than 200 attributes" in reasons["attributes.rss"]
    assert "more than 100,000 tags" in reasons["tags.rss"]
    assert "not a whole feed" in reasons["nothing.rss"]
    assert "not a feed" in reasons["characters.rss"]
    assert not any("root:" in str(page.known) or "aaaa" in str(page.known) for page in read.pages)


def test_of_a_cut_feed_the_whole_entries_come_out(tmp_path: Path) -> None:
    items = [f"<title>{n}</title><link>/{n}</link><description>S.</description>{full()}" for n in range(4)]
    data = rss(*items)
    whole = [end for end in range(len(data)) if data.endswith("</item>", 0, end)]
    for cut in range(data.index("<channel>"), len(data), 67):
        (tmp_path / "a.rss").write_text(data[:cut])
        read = ReadPages(tmp_path)
        assert len(read.pages) == sum(end <= cut for end in whole)
        assert read.skipped == [(f"{tmp_path}/a.rss", "not a whole feed: no </rss> in it")]
    for end in (whole[1], whole[1] + 20):
        (tmp_path / "a.rss").write_text(data[:end])
        assert len(ReadPages(tmp_path).pages) == 2
    # Of a feed that is whole but not well-formed, nothing is missing.
    (tmp_path / "a.rss").write_text(data.replace("S.", "S & T <br> &eacute;") + "<!-- made -->")
    read = ReadPages(tmp_path)
    assert (len(read.pages), read.skipped) == (4, [])


ENDLESS = "a" * 60_000


@pytest.mark.parametrize(
    "person",
    [
        f"<author>{ENDLESS}</author>",
        f"<author>{'a.' * 30_000}@</author>",
        f"<author><![CDATA[{ENDLESS}]]></author>",
        f"<author>{'&#97;' * 60_000}</author>",
        f"<author>{'aaaaaaaa<b c=d/>' * 8_000}</author>",
        f"<author>{'aaaaaaaa<!-- > -->' * 8_000}</author>",
        f"<author>{'aaaaaaaa<b></author></b>' * 8_000}</author>",
        f"<author><![CDATA[{'<!--' * 100_000}]]></author>",
        "<author>&endless;</author>",
        f"<dc:creator>{ENDLESS}</dc:creator>",
        f"<x:creator xmlns:x='http://purl.org/dc/elements/1.1/'>{ENDLESS}</x:creator>",
        f"<managingEditor >{ENDLESS}</managingEditor>",
        f"<webMaster>{ENDLESS}</webMaster>",
        f"<dc:publisher>{ENDLESS}</dc:publisher>",
    ],
    ids=lambda person: person[:30],
)
def test_an_endless_name_is_left_out_and_costs_no_square(tmp_path: Path, person: str) -> None:
    declared = f'<!DOCTYPE rss [<!ENTITY endless "{ENDLESS}">]>' if "&endless" in person else ""
    good = f"<dc:creator>{'Ann Quay, ' * 100}</dc:creator><link>/b</link>{full()}"
    feed = rss(f"<link>/a</link>{person}{full('<author>' + TEXT)}", good, channel=person, declared=declared)
    (tmp_path / "a.rss").write_text(feed)
    read = ReadPages(tmp_path)
    assert read.skipped == []
    first, second = (page.known for page in read.pages)
    assert first
    assert second
    assert not first.author
    assert second.author == " ".join(["Ann Quay,"] * 100)
    assert "<author>" in read.pages[0].content.decode()


def test_a_feed_that_declares_entities_keeps_its_authors(tmp_path: Path) -> None:
    person = "<dc:creator>Smith &amp; Jones&#33;</dc:creator>"
    feed = rss(f"<link>/a</link>{person}{full()}", declared='<!DOCTYPE rss [<!ENTITY a "b">]>')
    (tmp_path / "a.rss").write_text(feed)
    (page,) = ReadPages(tmp_path).pages
    assert page.known
    assert page.known.author == "Smith & Jones!"


@pytest.mark.parametrize("name", ["a10:updated", "dcterms:modified"])
def test_a_change_is_none_of_publication_in_rss_either(tmp_path: Path, name: str) -> None:
    spaces = 'xmlns:a10="http://www.w3.org/2005/Atom" xmlns:dcterms="http://purl.org/dc/terms/"'
    item = f"<link>https://c.example/a</link><{name} {spaces}>2026-03-09T10:00:00Z</{name}>"
    (tmp_path / "a.rss").write_text(rss(item))
    page = f'{HEAD}<link rel="canonical" href="https://c.example/a"><p>{TEXT}'
    (tmp_path / "page.html").write_text(page)
    assert told(tmp_path).published == "2026-03-03T20:00:00+01:00"


def test_other_xml_is_named_for_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "MAX_PAGE_BYTES", 5000)
    (tmp_path / "a.xml").write_text("<?xml version='1.0'?><!-- x --><opml version='2.0'/>")
    (tmp_path / "b.xml").write_text("text")
    (tmp_path / "c.xml").touch()
    (tmp_path / "d.xml").write_text("<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><p>Page")
    (tmp_path / "e.rss").write_text(rss(full("x" * 6000)))
    read = ReadPages(tmp_path)
    assert list(read.contents) == ["d.xml"]
    expected = "expected a feed, a sitemap or a page in XML, got "
    assert [reason for _, reason in read.skipped] == [
        expected + "<opml>",
        expected + "'text'",
        "empty",
        "larger than 5,000 bytes, the limit for a feed",
    ]


def test_without_feedparser_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.rss").write_text(rss(full()))
    monkeypatch.setitem(sys.modules, "feedparser", None)
    with pytest.raises(errors.MissingExtra, match="pages"):
        ReadPages(tmp_path)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://www.a.example/x/", "https://A.example:443/x#y", True),
        ("https://a.example/?utm_medium=1&gclid=2", "https://a.example", True),
        ("https://a.example/x?id=1&b=2", "https://a.example/x?id=1&utm_campaign=z&b=2", True),
        ("https://a.example/x?id=1", "https://a.example/x?id=2", False),
        ("https://a.example/X", "https://a.example/x", False),
        ("https://b.example/x", "https://a.example/x", False),
        ("urn:uuid:1", "urn:uuid:2", False),
        ("http://[", "http://]", False),
    ],
)
def test_addresses_of_one_page_are_recognised(one: str, other: str, same: bool) -> None:
    assert (address_key(one) == address_key(other)) is same


def test_markup_becomes_plain_text_in_linear_time() -> None:
    assert plain("<<b>a</b> < b > c<!-- x --> &lt;i&gt;d") == "< a < b > c d"
    assert plain("<a" * 500_000)[:4] == "<a<a"
