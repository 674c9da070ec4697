"""Sitemaps: what they say about saved pages, and never a way out of their folder; nothing is fetched."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from pages import ENTITIES, HEAD, PAGE, TEXT, ReadPages, record, response, told

from wirecopy.model import Article

pytestmark = pytest.mark.usefixtures("no_network")


def sitemap(*locations: str, kind: str = "url", declared: str = "") -> str:
    inner = "".join(f"<{kind}>{one if '<' in one else f'<loc>{one}</loc>'}</{kind}>" for one in locations)
    root = "urlset" if kind == "url" else "sitemapindex"
    return f"<?xml version='1.0'?>{declared}<{root} xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{inner}</{root}>"


NEWS = """<loc>https://courier.example/2026/tide.html</loc><lastmod>2026-03-09</lastmod>
<news:news><news:publication><news:name>The Courier</news:name><news:language>en</news:language></news:publication>
<news:publication_date>2026-03-01T10:00:00+01:00</news:publication_date><news:title>Tide &amp; time</news:title></news:news>
<image:image><image:loc>https://courier.example/a.jpg</image:loc><image:title>No</image:title></image:image>"""


@pytest.fixture
def mirror(tmp_path: Path) -> Callable[..., Path]:
    def write(*names: str) -> Path:
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(PAGE + name.encode())
        return tmp_path

    return write


@pytest.mark.parametrize(
    "encoding",
    [*("shift_jis", "EUC-JP", "big5", "utf-7", "gb18030", "iso-2022-jp", "windows-1251"), "utf-16", "utf-32"],
)
def test_a_sitemap_is_read_in_the_encoding_that_it_declares(
    mirror: Callable[..., Path], encoding: str
) -> None:
    title = "Прилив" if encoding == "windows-1251" else "潮水"
    folder = mirror("tide.html")
    written = sitemap(f"<loc>tide.html</loc><news:title>{title}</news:title>")
    declared = written.replace("?>", f" encoding='{encoding}'?>", 1)
    (folder / "sitemap.xml").write_bytes(declared.encode(encoding))
    read = ReadPages(folder)
    assert read.skipped == []
    assert [page.known and page.known.title for page in read.pages] == [title]


def test_a_byte_order_mark_counts_more_than_what_a_sitemap_declares(mirror: Callable[..., Path]) -> None:
    folder = mirror("tide.html")
    written = sitemap("<loc>tide.html</loc><news:title>潮水</news:title>")
    for marked in ("utf-8-sig", "utf-16"):
        declared = written.replace("?>", " encoding='shift_jis'?>", 1)
        (folder / "sitemap.xml").write_bytes(declared.encode(marked))
        assert [page.known and page.known.title for page in ReadPages(folder).pages] == ["潮水"]


@pytest.mark.parametrize(
    "name", ["nonsense", "hex", "rot13", "punycode", "idna", "unicode_escape", "undefined"]
)
def test_an_encoding_that_is_none_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "sitemap.xml").write_text(sitemap("a.html").replace("?>", f" encoding='{name}'?>", 1))
    reason = f"declares the encoding {name!r}, which is not known; convert it to UTF-8"
    assert ReadPages(tmp_path).skipped == [(f"{tmp_path}/sitemap.xml", reason)]


def test_an_endless_encoding_is_named_too(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text(sitemap("a.html").replace("?>", f" encoding='big5{'W' * 99}'?>", 1))
    reason = "not a whole sitemap: declares an encoding that is not known; convert it to UTF-8"
    assert ReadPages(tmp_path).skipped == [(f"{tmp_path}/sitemap.xml", reason)]


@pytest.mark.parametrize("given", ["", "sitemap.xml", "sitemap.xml.gz"])
def test_what_a_sitemap_says_about_a_saved_page(mirror: Callable[..., Path], given: str) -> None:
    folder = mirror("2026/tide.html")
    packed = given.endswith("gz")
    data = sitemap(NEWS).encode()
    (folder / (given or "sitemap.xml")).write_bytes(gzip.compress(data) if packed else data)
    read = ReadPages(folder / given)
    assert read.skipped == []
    (page,) = read.pages
    assert (page.id, page.url) == ("2026/tide.html", "https://courier.example/2026/tide.html")
    assert page.content == PAGE + b"2026/tide.html"
    assert page.changed == "2026-03-09"
    assert page.known == Article(
        "2026/tide.html",
        "",
        "Tide & time",
        "2026-03-01T10:00:00+01:00",
        "The Courier",
        language="en",
        url=page.url,
    )


def test_a_date_in_a_sitemap_that_cannot_be_read_is_none(mirror: Callable[..., Path]) -> None:
    folder = mirror("2026/tide.html")
    news = NEWS.replace("2026-03-01T10:00:00+01:00", "morgen")
    (folder / "sitemap.xml").write_text(sitemap(news))
    assert told(folder).published == "2026-03-09", "when it was changed"
    (folder / "2026/tide.html").write_text(HEAD + TEXT)
    assert told(folder).published == "2026-03-03T20:00:00+01:00"


def test_where_a_saved_page_may_be(mirror: Callable[..., Path]) -> None:
    folder = mirror(
        "a.html",
        "b/index.html",
        "c.html",
        "d?x=1.html",
        "courier.example/e.html",
        "f g.html",
        "h.html",
        "i.html",
        "index.html",
    )
    (folder / "sitemap.xml").write_text(
        sitemap(
            "https://courier.example/a.html",
            "https://courier.example/b/",
            "https://courier.example/c",
            "https://courier.example/d?x=1",
            "https://courier.example/e.html",
            "https://courier.example/f%20g.html",
            "h.html",
            (folder / "i.html").as_uri(),
            "https://courier.example/",
        )
    )
    alone = ReadPages(folder / "sitemap.xml")
    assert alone.skipped == []
    assert len(alone.pages) == 9
    together = ReadPages(folder)
    assert together.skipped == []
    assert together.contents == alone.contents
    assert all(page.known for page in together.pages)
    assert [page.id for page in together.pages if not page.url] == ["h.html"]


def test_two_names_of_one_saved_page_are_one_page(mirror: Callable[..., Path]) -> None:
    folder = mirror("one/a.html", "two/a.html")
    (folder / "one" / "sitemap.xml").write_text(sitemap("a.html", "https://courier.example/a", "./a.html"))
    (folder / "two" / "sitemap.xml").write_text(sitemap("a.html"))
    maps = [folder / "one" / "sitemap.xml", folder / "two" / "sitemap.xml"]
    assert [page.content[len(PAGE) :] for page in ReadPages(maps).pages] == [b"one/a.html", b"two/a.html"]
    assert list(ReadPages(folder).contents) == ["one/a.html", "two/a.html"]


def test_a_sitemap_never_leads_out_of_its_folder(mirror: Callable[..., Path]) -> None:
    folder = mirror("out.html", "in/here.html", "in2/x.html")
    (folder / "in" / "link.html").symlink_to(folder / "out.html")
    (folder / "in" / "folder").symlink_to(folder / "in2")
    elsewhere = folder.parent / "elsewhere.html"
    elsewhere.write_bytes(PAGE)
    locations = [
        "../out.html",
        "https://courier.example/../out.html",
        "https://courier.example/%2e%2e/out.html",
        (folder / "out.html").as_uri(),
        "link.html",
        "folder/x.html",
        "../in2/x.html",
        f"{folder}/out.html",
        elsewhere.as_uri(),
        "https://courier.example/a%00b",
        "https://courier.example/" + "x" * 5000,
        "http://[",
        "gopher://courier.example/here.html",
    ]
    (folder / "in" / "sitemap.xml").write_text(sitemap("here.html", *locations, "<loc/>"))
    read = ReadPages(folder / "in" / "sitemap.xml")
    assert list(read.contents) == ["here.html"]
    assert [where for where, _ in read.skipped] == [f"{folder}/in/sitemap.xml:{n}" for n in range(2, 16)]
    outside = [reason for _, reason in read.skipped if reason.endswith("leads out of the sitemap's folder")]
    assert len(outside) == 8
    assert read.skipped[-2][1] == "gopher://courier.example/here.html is not in the input"
    assert read.skipped[-1][1] == "no address"


def test_an_index_leads_to_its_sitemaps(mirror: Callable[..., Path]) -> None:
    folder = mirror("a.html", "b.html")
    (folder / "one.xml").write_text(sitemap("a.html"))
    (folder / "two.xml.gz").write_bytes(gzip.compress(sitemap("b.html").encode()))
    index = sitemap("https://courier.example/one.xml", "two.xml.gz", "three.xml", "index.xml", kind="sitemap")
    (folder / "index.xml").write_text(index)
    for given in (folder, folder / "index.xml"):
        read = ReadPages(given)
        assert sorted(read.contents) == ["a.html", "b.html"]
        assert read.skipped == [(f"{folder}/index.xml:3", "three.xml is not in the input")]


@pytest.mark.parametrize("given", ["0.xml", "index.html"])
def test_indexes_may_be_chained_and_go_in_circles(mirror: Callable[..., Path], given: str) -> None:
    folder = mirror("a.html")
    (folder / "index.html").write_text(sitemap("1.xml", "index.html", kind="sitemap"))
    for n in range(1500):
        (folder / f"{n}.xml").write_text(sitemap("0.xml", f"{n + 1}.xml", kind="sitemap"))
    (folder / "1500.xml").write_text(sitemap("a.html"))
    read = ReadPages(folder / given)
    assert (list(read.contents), read.skipped) == (["a.html"], [])


def test_what_an_index_names_and_is_no_sitemap_is_named(mirror: Callable[..., Path]) -> None:
    folder = mirror("a.html", "b.html")
    (folder / "one.xml").write_text(sitemap("a.html"))
    (folder / "index.xml").write_text(sitemap("b.html", "one.xml", kind="sitemap"))
    read = ReadPages(folder / "index.xml")
    assert list(read.contents) == ["a.html"]
    assert read.skipped == [(f"{folder}/index.xml:1", "b.html is a page, not a sitemap")]


def test_a_sitemap_knows_pages_by_address_too(mirror: Callable[..., Path]) -> None:
    folder = mirror()
    (folder / "sitemap.xml").write_text(sitemap(NEWS))
    page = record("response", "http://courier.example/2026/tide.html", response(PAGE)) + b"\r\n\r\n"
    (folder / "a.warc").write_bytes(page)
    (only,) = ReadPages(folder).pages
    assert only.known
    assert only.known.title == "Tide & time"


def test_bad_sitemaps_are_named(mirror: Callable[..., Path]) -> None:
    folder = mirror("a.html")
    (folder / "1.xml").write_text(sitemap("a.html", "b.html")[:-5])
    (folder / "2.xml").write_text(sitemap("&a11;", declared=ENTITIES.replace("rss", "urlset")))
    (folder / "3.xml").write_text("<urlset>" + "<a>" * 1_000_001)
    (folder / "4.xml").write_text(sitemap("photo.jpg"))
    (folder / "photo.jpg").write_bytes(b"x")
    read = ReadPages([folder / f"{n}.xml" for n in range(1, 5)])
    assert list(read.contents) == ["a.html"]
    reasons = {Path(where).name: reason for where, reason in read.skipped}
    assert reasons["1.xml"].startswith("not a whole sitemap: ")
    assert reasons["1.xml:2"] == "b.html is not in the input"
    assert reasons["2.xml"] == "declares entities, which no sitemap needs"
    assert reasons["3.xml"] == "more than 1,000,000 elements; cut it into several"
    assert reasons["4.xml:1"] == "photo.jpg is no page"
