"""What a page says about its article: where each field is looked for, and in what form it is given."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirecopy import _core


class Metadata(NamedTuple):
    title: str | None
    author: str | None
    published: str | None
    location: str | None
    source: str | None
    language: str | None
    url: str | None
    agency: str | None


TEXT = "<p>The council met on a wet evening and spoke for two hours about the bridge, the ferry and the money.</p>"


def look(
    head: str = "",
    body: str = "",
    *,
    html: str = "<html lang=en>",
    url: str | None = None,
    received: int | None = None,
) -> Metadata:
    page = f"<!doctype html>{html}<head>{head}</head><body>{body}{TEXT}</body></html>"
    return Metadata(*_core.page_metadata(page.encode(), None, url, received))


def linked(**fields: object) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@type": "NewsArticle"} | fields)}</script>'


def meta(**names: str) -> str:
    return "".join(
        f'<meta property="{name.replace("__", ":")}" content="{content}">' for name, content in names.items()
    )


# JSON-LD


@pytest.mark.parametrize(
    "shape",
    [
        '{"@type":"NewsArticle","datePublished":"2023-05-01","author":{"@type":"Person","name":"Ada Miller"}}',
        '[{"@type":"Organization","name":"Other"},{"@type":["NewsArticle"],"datePublished":"2023-05-01","author":["Ada Miller"]}]',
        '{"@graph":[{"@type":"WebPage","@id":"p"},{"@type":"Article","datePublished":"2023-05-01","author":{"@id":"a"}},'
        '{"@type":"Person","@id":"a","name":"Ada Miller"}]}',
        '{"@type":"WebPage","mainEntity":{"@type":"https://schema.org/BlogPosting","datePublished":"2023-05-01",'
        '"author":{"givenName":"Ada","familyName":"Miller"}}}',
        '<!-- {"@type":"NewsArticle","datePublished":"2023-05-01","author":"Ada Miller",} -->',
        '//<![CDATA[\n{"@type":"NewsArticle","description":"two\nlines\tand a tab","datePublished":"2023-05-01","author":[{"name":"Ada Miller"},]};\n//]]>',
        r"{\"@type\":\"NewsArticle\",\"datePublished\":\"2023-05-01\",\"author\":\"Ada Miller\"}",
    ],
    ids=[
        "object",
        "array",
        "graph",
        "nested",
        "comment and comma",
        "control characters",
        "escaped throughout",
    ],
)
def test_json_ld_is_read_in_every_shape_it_comes_in(shape: str) -> None:
    found = look(f'<script type="application/ld+json">{shape}</script>')
    assert (found.published, found.author) == ("2023-05-01", "Ada Miller")


@pytest.mark.parametrize(
    "date", [1772566200, 1772566200.0, 1772566200000, [1772566200], {"@value": 1772566200}]
)
def test_json_ld_may_give_dates_as_numbers(date: object) -> None:
    found = look(linked(datePublished=date, dateModified="2026-03-09"))
    assert found.published == "2026-03-03T19:30:00Z"


def test_an_article_that_is_only_mentioned_is_not_the_pages_article() -> None:
    other = {"@type": "NewsArticle", "datePublished": "2020-01-01", "author": "Other Person"}
    found = look(
        linked(datePublished="2023-05-01", hasPart=[other])
        + f'<script type="application/ld+json">{json.dumps({"@type": "ItemList", "itemListElement": [other]})}</script>'
    )
    assert found.published == "2023-05-01"
    assert found.author is None


def test_scripts_that_cannot_be_read_are_passed_over() -> None:
    broken = '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": </script>'
    assert look(broken + meta(article__published_time="2023-05-01")).published == "2023-05-01"


# the order of places


def test_json_ld_goes_before_meta_and_meta_before_what_is_shown() -> None:
    stated = meta(article__published_time="2023-05-02T10:00:00Z", author="Berta Braun")
    shown = '<h1>A bridge for the town</h1><p class="byline">By Carla Conti</p><time datetime="2023-05-03">3 May</time>'
    first = look(linked(datePublished="2023-05-01", author={"name": "Ada Miller"}) + stated, shown)
    assert (first.published, first.author) == ("2023-05-01", "Ada Miller")
    second = look(stated, shown)
    assert (second.published, second.author) == ("2023-05-02T10:00:00Z", "Berta Braun")
    third = look("", shown)
    assert (third.published, third.author) == ("2023-05-03", "Carla Conti")


def test_the_first_publication_counts_and_not_the_last_change() -> None:
    changed = meta(article__modified_time="2023-06-09T10:00:00Z")
    shown = "<h1>A bridge for the town</h1><time class=updated datetime=2023-06-09>9 June</time><p>Published 1 May 2023</p>"
    assert look(changed, shown).published == "2023-05-01"
    assert look(changed).published == "2023-06-09T10:00:00Z", "better than nothing"


def test_a_date_beside_the_headline_goes_before_those_of_other_articles() -> None:
    near = "<h1>A bridge for the town</h1><div class=date>22 Dec 2023</div>"
    far = "<p>Filler about nothing at all, again and again.</p>" * 60 + "<time>16 Feb 2024</time>"
    assert look("", near + far).published == "2023-12-22"


def test_the_address_gives_the_day_where_nothing_else_does() -> None:
    assert look(url="https://example.org/news/2023/05/01/bridge").published == "2023-05-01"
    assert (
        look('<link rel=canonical href="https://example.org/n1/2023/0501/c1.html">').published == "2023-05-01"
    )
    assert look(url="https://example.org/20230501-bridge.html").published == "2023-05-01"
    assert look(url="https://example.org/covid-19-2-21/1234567").published is None


def test_dates_that_cannot_be_are_not_believed() -> None:
    assert (
        look(meta(article__published_time="1970-01-01T00:00:00Z", pubdate="2023-05-01")).published
        == "2023-05-01"
    )
    day = 86_400_000_000
    may_first = 19_478 * day
    head = meta(article__published_time="2023-05-09", pubdate="2023-05-02")
    assert look(head, received=may_first).published == "2023-05-02"
    assert look(head).published == "2023-05-09"


# dates


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2023-05-01T10:30:00+02:00", "2023-05-01T10:30:00+02:00"),
        ("2023-05-01T10:30:00.123-0500", "2023-05-01T10:30:00-05:00"),
        ("20230501T103000Z", "2023-05-01T10:30:00Z"),
        ("2023-05-01 10:30:00 +0200", "2023-05-01T10:30:00+02:00"),
        ("Mon, 01 May 2023 10:30:00 GMT", "2023-05-01T10:30:00Z"),
        ("Mon May 01 2023 10:30:00 GMT+0200 (CEST)", "2023-05-01T10:30:00+02:00"),
        ("May 1, 2023 at 10:30 p.m. EDT", "2023-05-01T22:30-04:00"),
        ("12:05 AM, May 1st, 2023", "2023-05-01T00:05"),
        ("10:30 - 12:45, 1 May 2023", "2023-05-01T10:30"),
        ("1. Mai 2023, 10.30 Uhr", "2023-05-01T10:30"),
        ("1er mai 2023 à 10h30", "2023-05-01T10:30"),
        ("1 de mayo de 2023", "2023-05-01"),
        ("1º de maio de 2023", "2023-05-01"),
        ("1 maggio 2023", "2023-05-01"),
        ("1 mei 2023", "2023-05-01"),
        ("1 maja 2023", "2023-05-01"),
        ("1. května 2023", "2023-05-01"),
        ("1 мая 2023 г. 10:30", "2023-05-01T10:30"),
        ("1 травня 2023", "2023-05-01"),
        ("1 Μαΐου 2023", "2023-05-01"),
        ("1 Mayıs 2023", "2023-05-01"),
        ("2023. május 1.", "2023-05-01"),
        ("1. toukokuuta 2023", "2023-05-01"),
        ("ngày 1 tháng 5 năm 2023", "2023-05-01"),
        ("1 พฤษภาคม 2566", "2023-05-01"),
        ("1 مايو 2023", "2023-05-01"),
        ("١ مايو ٢٠٢٣", "2023-05-01"),
        ("2023年5月1日 10:30", "2023-05-01T10:30"),
        ("2023년 5월 1일 오후 3:21", "2023-05-01T15:21"),
        ("2023년 5월 1일 오전 12:21", "2023-05-01T00:21"),
        ("2026/03/03 PM 7:30", "2026-03-03T19:30"),
        ("2026/03/03 AM 12:10", "2026-03-03T00:10"),
        ("2026/03/03 AM 11:10 PM", "2026-03-03T23:10"),
        ("2026-03-03 上午12:10", "2026-03-03T00:10"),
        ("2026-03-03 下午12:10", "2026-03-03T12:10"),
        ("2026年3月3日 午前7:30", "2026-03-03T07:30"),
        ("2026年3月3日 午後7:30", "2026-03-03T19:30"),
        ("01.05.2023 10:30", "2023-05-01T10:30"),
        ("01.05.23", "2023-05-01"),
        ("Ada MillerMay 1, 2023", "2023-05-01"),
        ("1682937000", "2023-05-01T10:30:00Z"),
        ("1682937000000", "2023-05-01T10:30:00Z"),
    ],
)
def test_dates_are_read_in_many_forms_and_languages(text: str, iso: str) -> None:
    assert _core.read_date(text, False) == iso


@pytest.mark.parametrize(
    "text",
    [
        "",
        "May",
        "2023",
        "30 February 2023",
        "31.31.2023",
        "version 1.2.3",
        "10.0.0.1",
        "at 10:30",
        "555-01-2023-7",
    ],
)
def test_what_is_no_date_is_not_read_as_one(text: str) -> None:
    assert _core.read_date(text, False) is None


def test_the_language_says_whether_the_month_comes_first() -> None:
    body = "<h1>A bridge for the town</h1><p>Posted 5/1/2023</p>"
    assert look("", body, html="<html lang=en-US>").published == "2023-05-01"
    assert look("", body, html="<html lang=en-GB>").published == "2023-01-05"
    assert look("", body, html="<html lang=fr>").published == "2023-01-05"
    assert look("", body.replace("5/1", "25/1"), html="<html lang=en-US>").published == "2023-01-25"


def test_a_moment_in_utc_is_given_in_the_zone_in_which_it_is_shown() -> None:
    stated = meta(article__published_time="2023-05-02T01:00:21Z")
    body = "<h1>A bridge for the town</h1><p>{}</p>"
    assert look(stated, body.format("May 1, 2023 9:00 PM")).published == "2023-05-01T21:00:21-04:00"
    assert look(stated, body.format("May 1, 2023 9:07 PM")).published == "2023-05-02T01:00:21Z", (
        "another moment"
    )
    assert look(stated, body.format("May 1, 2023")).published == "2023-05-02T01:00:21Z"
    assert look(stated, body.format("May 1, 2023 9:00 PM EDT")).published == "2023-05-01T21:00:21-04:00"
    assert look(stated, body.format("May 2, 2023 6:45")).published == "2023-05-02T06:45:21+05:45"


@pytest.mark.parametrize(
    "shown",
    [
        "<p>Published 3 March 2026 20:00 GMT</p><p>Updated 4 March 2026 01:00 GMT</p>",
        "<p>Published 3 March 2026 20:00</p><p>4 March 2026 01:00</p>",
        "<p>Updated 4 March 2026 01:00</p>",
        "<p>Mis à jour le 4 mars 2026 à 01:00</p>",
        "<p>Обновлено 4 марта 2026, 01:00</p>",
        "<p>수정 2026.03.04 01:00</p>",
        "<p>4 March 2026 01:00 GMT</p>",
        "<p>The match starts on March 4, 2026 at 03:30</p>",
    ],
)
def test_another_moment_that_is_shown_does_not_move_the_stated_one(shown: str) -> None:
    head = linked(datePublished="2026-03-03T20:00:00Z")
    assert look(head, f"<h1>A bridge for the town</h1>{shown}").published == "2026-03-03T20:00:00Z"


FORMS = (
    "{y:04}-{m:02}-{d:02}",
    "{y:04}/{m}/{d}",
    "{y:04}{m:02}{d:02}",
    "{d:02}.{m:02}.{y:04}",
    "{d}/{m}/{y:04}",
    "{y:04}年{m}月{d}日",
    "{y:04}년 {m}월 {d}일",
    "{english} {d}, {y:04}",
    "{english:.3} {d}, {y:04}",
    "{d} {english} {y:04}",
    "{d}. {german} {y:04}",
    "{d} de {spanish} de {y:04}",
    "{d} {russian} {y:04} г.",
    "{d} {polish} {y:04}",
    "{d} {turkish} {y:04}",
    "{d} {french} {y:04}",
)
NAMES = {
    "english": "January February March April May June July August September October November December",
    "german": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "spanish": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "russian": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "polish": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "turkish": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
    "french": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
}
AROUND = ("{}", "Published: {}", "{} | News", "  {}\n", "By Ada Miller, {}", "({})", "Monday, {}")
TIMES = {
    "": "",
    " 09:05": "T09:05",
    ", 21:59:58": "T21:59:58",
    " 09:05 +0530": "T09:05+05:30",
    " 23:00 UTC": "T23:00Z",
}


@settings(deadline=None)
@given(
    st.integers(0, (date(2100, 12, 31) - date(1990, 1, 1)).days),
    st.sampled_from(FORMS),
    st.sampled_from(AROUND),
    st.sampled_from(sorted(TIMES)),
)
def test_every_day_written_in_any_form_is_read_back(days: int, form: str, around: str, time: str) -> None:
    day = date(1990, 1, 1) + timedelta(days=days)
    months = {language: names.split()[day.month - 1] for language, names in NAMES.items()}
    text = around.format(form.format(y=day.year, m=day.month, d=day.day, **months) + time)
    assert _core.read_date(text, False) == day.isoformat() + TIMES[time], text


@given(st.text("0123456789 .:/-+年月日TZMayJune", max_size=60))
def test_whatever_is_read_as_a_date_is_one(text: str) -> None:
    found = _core.read_date(text, True)
    assert found is None or _core.moments([found])[0] is not None


# titles


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (
            "<title>A bridge for the town | The Harbour Post</title>"
            + meta(og__site_name="The Harbour Post"),
            "",
        ),
        (
            "<title>The Harbour Post - A bridge for the town</title>"
            + meta(og__site_name="The Harbour Post"),
            "",
        ),
        ("<title>A bridge for the town — Harbour — Post</title>", "<h1>A bridge for the town</h1>"),
        (
            "<title>A bridge for the town :: harbour news all day</title>",
            "<div><b>A bridge for the town</b></div>",
        ),
        ("<title>A bridge for the town - Post</title>" + meta(og__title="A bridge for the town"), ""),
        (meta(og__title="A bridge for the town - example.org", og__url="https://www.example.org/a"), ""),
        (
            "<title>Harbour</title>",
            "<h1>Harbour</h1><h1>A bridge for the town</h1>" + meta(og__title="A bridge for the town"),
        ),
        (
            meta(og__title="A bridge &amp;amp; ferry for the town"),
            "<h1>A bridge &amp; ferry for the <i>town</i></h1>",
        ),
    ],
)
def test_a_title_loses_the_name_of_the_site(head: str, body: str) -> None:
    assert (look(head, body).title or "").replace("& ferry ", "") == "A bridge for the town"


@pytest.mark.parametrize("headline", ["Storm", "A new bridge for the old town", "桥梁重新开放"])
def test_where_no_title_is_stated_the_first_heading_is_it(headline: str) -> None:
    site = meta(og__site_name="The Harbour Post")
    body = (
        f"<h1>The Harbour Post</h1><h1>{headline}</h1><p>The town has a bridge.</p><h1>Also on this page</h1>"
    )
    assert look(site, body).title == headline


def test_the_heading_goes_before_a_title_that_only_meta_states() -> None:
    head = meta(og__title="Town gets new bridge") + "<title>Town gets new bridge | Post</title>"
    assert look(head, "<h1>A new bridge for the old town</h1>").title == "A new bridge for the old town"


def test_two_statements_that_agree_go_before_the_heading() -> None:
    head = linked(headline="After the flood: a new bridge") + meta(og__title="After the flood: a new bridge")
    assert look(head, "<h1>A new bridge</h1>").title == "After the flood: a new bridge"


def test_titles_are_plain_text_of_bounded_length() -> None:
    assert (
        look(meta(og__title="A &lt;b&gt;bridge&lt;/b&gt;\n for&nbsp; the to&shy;wn")).title
        == "A bridge for the town"
    )
    assert len(look(meta(og__title="bridge " * 1000)).title or "") <= 500
    assert (
        look(meta(og__title="The town\u0092s \u009b31m bridge")).title == "The town\u2019s \u203a31m bridge"
    )
    assert look(meta(og__title="3 < 4 and 5 > 4")).title == "3 < 4 and 5 > 4"


@pytest.mark.parametrize(
    "unseen", ["\u0081", "\x1b", "\x7f", "\u202a", "\u202e", "\u2066", "\u2069", "\u061c", "\u00ad"]
)
def test_what_steers_a_terminal_or_the_direction_of_writing_is_in_no_field(unseen: str) -> None:
    name, site = f"Ada{unseen} Miller", f"The Har{unseen}bour Post"
    url = f"https://example.org/a{unseen}b"
    stated = look(
        meta(og__title=f"A br{unseen}idge for the town", author=name, og__site_name=site),
        url=url,
    )
    shown = look("", f"<h1>A br{unseen}idge for the town</h1><p>By {name}</p>", url=url)
    assert stated[:2] == shown[:2] == ("A bridge for the town", "Ada Miller")
    assert (stated.source, stated.url) == ("The Harbour Post", "https://example.org/ab")


# authors and agencies


@pytest.mark.parametrize(
    ("stated", "author"),
    [
        ("By Ada Miller", "Ada Miller"),
        ("by: Ada Miller and Ben O'Hara", "Ada Miller; Ben O'Hara"),
        ("Von Ada Müller und Jörg Weiß", "Ada Müller; Jörg Weiß"),
        ("Ada Miller, Ben Hara &amp; Carla Conti", "Ada Miller; Ben Hara; Carla Conti"),
        ("Miller, Ada", "Ada Miller"),
        ("Ada Miller, Senior Reporter", "Ada Miller"),
        ("Ada Miller and staff writers", "Ada Miller"),
        ("Ada Miller | ada@example.org", "Ada Miller"),
        ("Ada Miller (@adamiller) in Berlin", "Ada Miller"),
        ("https://example.org/author/ada", None),
        ("Von Miller", "Von Miller"),
        ("John E Smith", "John E Smith"),
        ("作者：李明", "李明"),
        ("The Harbour Post Staff", "The Harbour Post Staff"),
    ],
)
def test_a_byline_is_taken_apart_into_names(stated: str, author: str | None) -> None:
    assert look(meta(author=stated)).author == author


def test_a_person_goes_before_the_house_wherever_it_is_named() -> None:
    head = linked(author={"@type": "Organization", "name": "The Harbour Post"}) + meta(
        og__site_name="The Harbour Post"
    )
    body = "<h1>A bridge for the town</h1>"
    assert look(head, body).author == "The Harbour Post"
    assert look(head, body + '<p>By <a rel="author" href="/x">Ada Miller</a></p>').author == "Ada Miller"


@pytest.mark.parametrize(
    "shown",
    [
        "<p>By Ada Miller</p>",
        "<p>By</p><p>Ada Miller</p>",
        "<p>Published on May 1, 2023 by Ada Miller</p>",
        "<p>By Ada Miller May 1, 2023 10:30</p>",
        "<p>ByAda Miller</p>",
        "<span class=author-name>Ada Miller</span>",
        "<span itemprop=author itemscope><span itemprop=name>Ada Miller</span></span>",
        "<a href=/author/ada/>Ada Miller</a>",
        "<p>Filler.</p>" * 40 + "<p>Written by Ada Miller</p>",
    ],
)
def test_shown_bylines_are_found(shown: str) -> None:
    assert look("", "<h1>A bridge for the town</h1>" + shown).author == "Ada Miller"


def test_what_stands_in_place_of_a_name_is_not_one() -> None:
    shown = '<h1>A bridge for the town</h1><p class="author">Read full bio</p><p class="comment-author">Bob Commenter</p>'
    assert look("", shown).author is None


def test_an_agency_is_an_agency_and_author_only_where_nobody_else_is() -> None:
    assert look(meta(author="By JOHN SMITH, Associated Press"))[1::6] == ("JOHN SMITH", "AP")
    assert look(meta(author="Reuters"))[1::6] == ("Reuters", "Reuters")
    assert look(meta(author="dpa"), "<h1>A bridge for the town</h1><p>By Ada Miller</p>")[1::6] == (
        "Ada Miller",
        "dpa",
    )
    assert look(meta(author="Ada Miller")).agency is None


@pytest.mark.parametrize(
    ("text", "location", "agency"),
    [
        ("MEXICO CITY — The council met on Monday.", "MEXICO CITY", None),
        ("BERLIN (Reuters) - The council met on Monday.", "BERLIN", "Reuters"),
        ("PARIS, March 3 (AP) — The council met.", "PARIS", "AP"),
        ("KANSAS CITY, Mo. (AP) — The council met.", "KANSAS CITY, Mo.", "AP"),
        ("Berlin/Wien (dpa/APA) - Der Rat tagte am Montag.", "Berlin/Wien", "dpa"),
        ("Madrid, 3 mar (EFE).- El consejo se reunió.", "Madrid", "EFE"),
        ("(ANSA) - ROMA, 03 MAR - Il consiglio si è riunito.", "ROMA", "ANSA"),
        ("МОСКВА, 3 марта. /ТАСС/. Совет собрался.", "МОСКВА", "TASS"),
        ("МОСКВА, 5 янв - РИА Новости. Совет собрался.", "МОСКВА", "RIA Novosti"),
        ("新华社北京3月3日电 理事会星期一开会。", "北京", "Xinhua"),
        ("(서울=연합뉴스) 홍길동 기자 = 의회가 열렸다.", "서울", "Yonhap"),
        ("(Reuters) - The council met on Monday.", None, "Reuters"),
        ("Der Rat tagte am Montag.\nDas teilte er mit. (dpa)", None, "dpa"),
        ("A headline\nLONDON (AP) — The council met.", "LONDON", "AP"),
        ("The council met on Monday - and went on Tuesday.", None, None),
        ("TL;DR — it rained.", None, None),
        ("ALL OF THIS – IS SHOUTED", None, None),
        ("", None, None),
    ],
)
def test_datelines_say_where_and_from_whom(text: str, location: str | None, agency: str | None) -> None:
    assert _core.dateline(text) == (location, agency)


# site, language, address


def test_the_site_is_named_by_itself_its_publisher_or_its_host() -> None:
    publisher = linked(publisher={"name": "Post Media"})
    assert look(publisher + meta(og__site_name="The Harbour Post")).source == "The Harbour Post"
    assert look(publisher).source == "Post Media"
    assert look(url="https://www.example.org/a").source == "example.org"
    assert look(url="https://WWW.Example.org/a").source == "example.org"


def test_the_language_is_the_declared_one_else_that_of_the_words() -> None:
    assert look(html="<html lang=en_us>").language == "en-US"
    assert look(html="<html lang=zh-hant-tw>").language == "zh-Hant-TW"
    assert look(meta(og__locale="de_DE"), html="<html>").language == "de-DE"
    assert look(html="<html lang='{{lang}}'>").language == "en", "by the words of the text"


def test_the_address_is_absolute_and_tells_nothing_about_the_reader() -> None:
    def canonical(href: str, url: str | None = None) -> str | None:
        return look(f'<link rel="canonical" href="{href}">', url=url).url

    base = "https://example.org/news/a.html?utm_source=x"
    assert (
        canonical("https://example.org/b?id=7&amp;utm_medium=mail&amp;fbclid=1#top")
        == "https://example.org/b?id=7"
    )
    assert canonical("/b", base) == "https://example.org/b"
    assert canonical("b.html", base) == "https://example.org/news/b.html"
    assert canonical("//example.org/b", base) == "https://example.org/b"
    assert canonical("../b", base) == canonical("/x/../b", base) == "https://example.org/b"
    assert canonical("./b/c/./../d/..?x=/../y", base) == "https://example.org/news/b/?x=/../y"
    assert canonical("../../../b", base) == "https://example.org/b"
    assert canonical("/b?a=1&amp;section=2&region=3", base) == "https://example.org/b?a=1&section=2&region=3"
    listed = '<link rel="Alternate  canonical" href="/b">'
    assert look(listed, url=base).url == "https://example.org/b"
    assert canonical("/b") is None
    moved = '<base href="https://example.com/x/"><link rel="canonical" href="b.html">'
    assert look(moved, url=base).url == look(moved).url == "https://example.com/x/b.html"
    assert canonical("javascript:void(0)", base) == "https://example.org/news/a.html"
    assert canonical("https://example.org/", base) == "https://example.org/news/a.html", (
        "the front page is no article"
    )


# hostile pages


@pytest.mark.parametrize(
    "page",
    [
        '<script type="application/ld+json">' + "[" * 100_000 + "</script>",
        '<script type="application/ld+json">' + '{"@graph":' * 100 + "1" + "}" * 100 + "</script>",
        '<script type="application/ld+json">' + '{"@type":"Article","author":"A B"},' * 300_000 + "</script>",
        '<script type="application/ld+json">é</script>',
        "<meta name=author content=x><meta name=date content=y>" * 100_000,
        '<meta name="author" content="' + "and , ; by " * 100_000 + '">',
        '<meta property="og:title" content="' + "a - " * 500_000 + '">',
        "<h1>a" * 100_000,
        "<time datetime=1>1</time><p class=author>By" * 100_000,
        "<title>" + "aa" * 500 + "</title>" + "<p>" + ("a" * 300 + "<p>") * 20_000,
        "<p>作者：记者" * 100_000,
        '<link rel=canonical href="http:/é/é"><link rel=canonical href="é">',
        "<meta name=date content='" + "1/1/" * 100_000 + "'>",
    ],
    ids=range(13),
)
def test_hostile_pages_give_an_answer(page: str) -> None:
    found = Metadata(*_core.page_metadata(page.encode()))
    assert all(value is None or len(value) <= 2000 for value in found)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_torn_and_mixed_pages_never_fail(data: st.DataObject) -> None:
    whole = (
        linked(headline="A bridge", author=[{"name": "Ada Miller"}], datePublished="2023-05-01T10:00:00Z")
        + meta(og__title="A bridge | Post", author="By Ada Miller, dpa")
        + '<link rel=canonical href="/é/2023/05/01/x"><h1>A bridge é</h1><p class=byline>By Ada Miller May 1, 2023 9:00 PM</p>'
    )
    cut = data.draw(st.integers(0, len(whole)))
    noise = data.draw(st.text(max_size=20))
    page = whole[:cut] + noise + whole[data.draw(st.integers(0, len(whole))) :]
    found = _core.page_metadata(page.encode("utf-8", "surrogatepass"), None, "https://example.org/a/b")
    assert len(found) == 8
