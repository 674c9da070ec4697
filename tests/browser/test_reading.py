"""What a reader sees: the overview, the lists with their facets, a story, what is checked, and the way between them."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from .conftest import Opened, press, settle

STORY = "#story/harbour%2Ffirst"


def texts(page: Any, selector: str) -> list[str]:
    return [" ".join(one.split()) for one in page.locator(selector).all_inner_texts()]


def heading(page: Any) -> str:
    return " ".join(page.locator("h1").inner_text().split())


def shown(page: Any) -> int:
    """How many rows the list says that it has."""
    return int(page.locator(".told").inner_text().split()[0])


def test_the_overview_counts_and_leads_on(open_report: Opened) -> None:
    page = open_report()
    figures = dict(zip(texts(page, ".figures dt"), texts(page, ".figures dd"), strict=True))
    assert figures["Articles"] == "349"
    assert figures["Stories"] == page.locator("#sections a[href='#stories'] .number").inner_text()
    assert {"identical", "near-duplicate"} <= {one.split()[0] for one in texts(page, ".bars tbody th")}
    assert page.locator(".chart rect.copies").count() > 10
    page.locator(".matrix td.some a").first.click()
    settle(page)
    assert heading(page) == "Stories"
    assert 0 < shown(page) < int(figures["Stories"])


def test_a_bar_leads_to_the_stories_of_its_day(open_report: Opened) -> None:
    page = open_report()
    page.locator(".chart a").nth(4).click()
    settle(page)
    assert page.locator("#date-from").input_value() == page.locator("#date-to").input_value() == "2026-03-06"
    assert all("6 Mar 2026" in one for one in texts(page, ".rows .from"))


def test_boilerplate_that_was_left_out_is_listed(open_report: Opened) -> None:
    page = open_report()
    page.locator("details summary").click()
    assert "press code of honour" in page.locator(".formulas").inner_text()


def test_nothing_found_is_said(open_report: Opened) -> None:
    page = open_report(name="empty")
    assert page.locator("main").inner_text().endswith("No copies were found among 12 articles.")
    page.locator("#sections a[href='#stories']").click()
    settle(page)
    assert page.locator("main").inner_text().endswith("No copies were found among 12 articles.")


def test_search_narrows_the_list_and_the_address_follows(open_report: Opened) -> None:
    page = open_report("#stories")
    everything = shown(page)
    page.locator("#search").fill("HARBOUR Council first")
    assert shown(page) == 1
    assert texts(page, ".rows .title") == ["Council votes <b>on</b> the harbour"]
    assert page.url.endswith("#stories?q=HARBOUR+Council+first")
    assert page.locator("#status").text_content() == f"1 of {everything} stories"
    page.locator("#search").fill("no such thing")
    assert page.locator(".rows.none").count() == 1
    page.get_by_role("button", name="Show all again").click()
    assert shown(page) == everything


def test_facets_say_what_they_would_leave(open_report: Opened) -> None:
    page = open_report("#stories")
    everything = shown(page)
    for facet in ("With a match that is", "Carried by"):
        group = page.locator("fieldset", has=page.locator(f"legend:text-is('{facet}')"))
        choice = group.locator(".choice").nth(1)
        name, promised = (
            choice.locator("span").first.inner_text(),
            int(choice.locator(".number").inner_text()),
        )
        choice.locator("input").check()
        assert shown(page) == promised < everything
        assert name in unquote(page.url.replace("+", " "))
        assert page.locator(":focus").get_attribute("type") == "checkbox"
        page.locator(":focus").uncheck()
        assert shown(page) == everything


def test_sizes_and_dates_are_facets(open_report: Opened) -> None:
    page = open_report("#stories")
    page.locator("#size-5").click()
    assert {int(one.split()[0]) for one in texts(page, ".rows .many:nth-child(3)")} == {5, 30}
    assert page.locator("#size-5").get_attribute("aria-pressed") == "true"
    page.locator("#size-2").click()
    page.locator("#date-from").fill("2026-04-01")
    page.locator("#date-from").dispatch_event("change")
    assert shown(page) == 5
    page.locator("#date-to").fill("2026-04-02")
    page.locator("#date-to").dispatch_event("change")
    assert shown(page) == 1


def test_the_order_of_the_list_can_be_chosen(open_report: Opened) -> None:
    page = open_report("#stories")
    page.get_by_label("Order").select_option("latest")
    assert texts(page, ".rows .from")[0].endswith("3 Apr 2026, 10:00")
    page.get_by_label("Order").select_option("first")
    assert texts(page, ".rows .from")[0].endswith("2 Mar 2026, 16:02")


def test_only_rows_in_sight_are_made_and_all_can_be_reached(open_report: Opened) -> None:
    page = open_report("#stories", viewport={"width": 1280, "height": 500})
    assert page.locator(".rows li").count() < 30 < shown(page)
    press(page, *["j"] * shown(page))
    assert page.locator(":focus").evaluate("one => one.parentElement.ariaPosInSet") == str(shown(page))
    assert page.locator(".rows li").count() < 35


@pytest.mark.parametrize("name", ["stories", "series", "matches"])
def test_a_link_opens_the_same_list(open_report: Opened, name: str) -> None:
    page = open_report(f"#{name}?sort=words&q=the")
    assert page.locator("#search").input_value() == "the"
    assert page.get_by_label("Order").input_value() == "words"


def test_j_and_k_go_through_the_list_that_was_chosen(open_report: Opened) -> None:
    page = open_report("#stories?size=5&sort=first")
    listed = texts(page, ".rows .title")
    press(page, "j", "j", "k", "j", "Enter")
    assert heading(page) == listed[1]
    press(page, "j")
    assert heading(page) == listed[2]
    press(page, "k", "k")
    assert heading(page) == listed[0]
    assert page.locator(".turns").inner_text().split("\n")[1] == f"1 of {len(listed)}"
    press(page, "Escape")
    assert page.url.endswith("#stories?size=5&sort=first")
    press(page, "Escape")
    assert page.url.endswith("#overview")


def test_back_in_a_list_one_is_where_one_left_it(open_report: Opened) -> None:
    page = open_report("#stories", viewport={"width": 1280, "height": 500})
    press(page, *["j"] * 20)
    title = page.locator(":focus .title").inner_text()
    press(page, "Enter", "Escape")
    assert page.locator(":focus .title").inner_text() == title
    press(page, "Enter", "j", "j")
    title = heading(page)
    press(page, "Escape")
    assert page.locator(":focus .title").inner_text() == title
    page.go_back()
    settle(page)
    assert heading(page) == title


def test_slash_searches_from_anywhere(open_report: Opened) -> None:
    page = open_report(STORY)
    page.keyboard.press("/")
    page.wait_for_function("() => document.activeElement.id === 'search'")
    page.keyboard.type("market")
    assert page.url.endswith("#stories?q=market")
    page.keyboard.press("Escape")
    assert page.locator("#search:focus").count() == 0


def test_question_mark_shows_the_keys(open_report: Opened) -> None:
    page = open_report()
    page.keyboard.press("?")
    assert page.locator("dialog[open] kbd").all_inner_texts() == [
        "j",
        "k",
        "n",
        "p",
        "m",
        "d",
        "l",
        "/",
        "?",
        "Esc",
    ]
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


def test_a_story_says_who_came_first_and_on_what_that_rests(open_report: Opened) -> None:
    page = open_report(STORY)
    assert heading(page) == "Council votes <b>on</b> the harbour"
    told = " ".join(page.locator("main").inner_text().split())
    assert "Credited to Reuters, whose own article is not among these articles." in told
    assert (
        "most probably from Meridian Wire (only: no other earlier article is so close), 2 hours later."
        in told
    )
    assert "tied: others have as many equal words, this is the earliest of them" in told
    assert "Weakest tie 90 % in common between City Mercury and Meridian Wire" in told
    assert "44 moved" in texts(page, ".delta.moved")[0]
    assert page.locator(".tree > li > ol > li").count() == 2
    assert page.locator(".track i").count() == 4


def test_the_heat_says_how_many_carry_each_part(open_report: Opened) -> None:
    page = open_report(STORY)
    everywhere, some = page.locator(".text .heat-5"), page.locator(".text .heat-3")
    assert everywhere.first.get_attribute("title") == "in 3 of 3 other articles"
    assert some.last.get_attribute("title") == "in 2 of 3 other articles"


def test_any_article_of_a_story_leads_to_it(open_report: Opened) -> None:
    page = open_report("#story/harbour%2Fshouted")
    assert heading(page) == "Council votes <b>on</b> the harbour"
    assert heading(open_report("#story/no-such")) == "Not found"


def test_of_many_reprints_a_few_are_listed_and_the_others_when_asked_for(open_report: Opened) -> None:
    page = open_report("#story/wide%2F00")
    assert "undated: which came first is not known" in page.locator("main").inner_text()
    assert page.locator(".members li").count() == 12
    page.get_by_role("button", name="Show 18 more").click()
    assert page.locator(".members li").count() == 30


def test_a_collection_says_what_it_holds(open_report: Opened) -> None:
    page = open_report("#collections")
    assert texts(page, ".rows .title") == ["The day in brief"]
    press(page, "j", "Enter")
    held = page.locator("section", has=page.locator("h2:text-is('What it holds')"))
    assert held.locator("li").count() == 2
    held.get_by_role("link", name="side by side").first.click()
    settle(page)
    assert page.locator(".lead b").inner_text() == "contains"
    press(page, "Escape")
    assert heading(page) == "The day in brief"


def test_a_series_is_no_story(open_report: Opened) -> None:
    page = open_report("#series")
    page.locator(".rows a").first.click()
    settle(page)
    assert "#series/" in page.url
    assert page.locator(".lead").inner_text().startswith("11 articles from 3 sources")
    page.get_by_role("link", name="side by side").first.click()
    settle(page)
    assert page.locator(".lead b").inner_text() == "form"
    assert page.locator("#sections [aria-current]").inner_text().startswith("Series")


def test_links_lead_to_other_stories(open_report: Opened) -> None:
    page = open_report("#matches")
    page.locator(".rows a").first.click()
    page.get_by_role("link", name="side by side").nth(5).wait_for()


def test_a_report_on_queries_has_matches_and_no_stories(open_report: Opened) -> None:
    page = open_report(name="queries")
    assert page.locator(".lead").inner_text().endswith("matches were found.")
    assert [one.split()[0] for one in texts(page, "#sections a")] == ["Overview", "Matches", "About"]
    page.keyboard.press("/")
    page.wait_for_function("() => document.activeElement.id === 'search'")
    assert heading(page) == "Matches"
    page.keyboard.press("Escape")
    press(page, "j", "Enter")
    page.get_by_role("link", name="side by side").first.click()
    settle(page)
    assert page.locator("#sections [aria-current]").inner_text().startswith("Matches")
    press(page, "Escape", "Escape")
    assert heading(page) == "Matches"


def test_scraped_names_are_isolated_from_what_stands_around_them(open_report: Opened) -> None:
    page = open_report("#stories?q=ar/0")
    for selector in (".rows .title", ".rows .from"):
        assert (
            page.locator(f"{selector} > bdi").first.evaluate("one => getComputedStyle(one).unicodeBidi")
            == "isolate"
        )
    row = page.locator(".rows .from").first
    assert row.inner_text() == "ar 0 and 1 more · 3 Apr 2026, 10:00"
    page = open_report("#story/ar%2F0")
    assert page.locator("h1 > bdi").count() == 1


def test_what_cannot_be_followed_is_no_link(open_report: Opened) -> None:
    page = open_report(STORY)
    links = page.locator("main a:not([href^='#'])")
    assert [one.get_attribute("href") for one in links.all()] == ["https://example.org/harbour"]
    assert links.get_attribute("rel") == "noreferrer noopener"


def test_about_says_how_it_was_made(open_report: Opened) -> None:
    page = open_report("#about")
    facts = dict(zip(texts(page, ".facts dt"), texts(page, ".facts dd"), strict=True))
    assert facts["wirecopy"] == "0.1.0"
    assert facts["Preset"] == "syndication"
    assert facts["Methods"] == "exact, winnowing"


def test_texts_that_were_left_out_are_said_to_be(open_report: Opened) -> None:
    page = open_report(STORY, name="bare")
    assert "This report was written without texts." in page.locator("main").inner_text()
    page.get_by_role("link", name="side by side").first.click()
    settle(page)
    assert texts(page, ".pane .note") == ["This text is not in the report."] * 2
    assert page.locator(".minimap .band").count() > 0


class Slow(ThreadingHTTPServer):
    """Serves a file whose end it holds back until it is told to go on."""

    def __init__(self, content: bytes, first: int) -> None:
        self.parts, self.go_on = (content[:first], content[first:]), threading.Event()
        super().__init__(("127.0.0.1", 0), SlowAnswer)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class SlowAnswer(BaseHTTPRequestHandler):
    server: Slow

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.server.parts[0])
        self.server.go_on.wait(20)
        self.wfile.write(self.server.parts[1])

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_list_is_read_and_a_story_waited_for_while_the_file_still_comes(
    chromium: Any, reports: dict[str, Path]
) -> None:
    content = reports["report"].read_bytes()
    server = Slow(content, content.index(b'id="block-1"') + 500)
    page = chromium.new_page()
    page.goto(f"http://127.0.0.1:{server.server_port}/#stories", wait_until="commit")
    settle(page)
    page.locator(".rows a").first.click()
    page.wait_for_selector(".story")
    page.evaluate("() => { location.hash = address('story', [index.id[40]]); }")
    page.wait_for_selector("main[aria-busy]")
    server.go_on.set()
    page.wait_for_function("() => document.querySelector('.turns')?.textContent.includes('41 of')")
    page.close()
    server.shutdown()
    server.server_close()


def test_a_file_that_was_cut_short_says_so(
    open_file: Opened, reports: dict[str, Path], tmp_path: Path
) -> None:
    content = reports["report"].read_bytes()
    short = tmp_path / "short.html"
    short.write_bytes(content[: content.index(b'id="block-1"') - 60])
    page = open_file(short, "#stories")
    page.evaluate("() => { location.hash = address('story', [index.id[40]]); }")
    page.wait_for_selector("h1:text-is('This could not be shown')")
    assert "cut short" in page.locator(".lead").inner_text()


def test_checked_texts_are_listed_and_opened(open_report: Opened) -> None:
    page = open_report(name="check")
    assert texts(page, ".answers tbody tr") == ["draft.txt 85 % 6", "clean.txt 0 % 0"]
    page.get_by_role("link", name="draft.txt").click()
    settle(page)
    press(page, "j")
    assert "all of it is new" in page.locator(".lead").inner_text()
    press(page, "k", "Escape")
    assert heading(page) == "Checked texts"


def test_a_checked_text_shows_where_it_was_found_and_what_is_new(open_report: Opened) -> None:
    page = open_report(name="one")
    assert page.locator(".lead b").inner_text() == "85 % copied"
    assert len(texts(page, ".sources > li")) == 6
    assert (
        page.locator(".checked .new")
        .first.inner_text()
        .startswith("Nobody but this paper says that the salmon")
    )
    assert page.locator(".checked mark").first.locator("sup").inner_text() == "1,2,3"
    press(page, "d")
    assert page.locator(".checked.only-new").count() == 1
    press(page, "n", "n", "p")
    assert page.locator(".checked mark.current").count() == 1
    page.get_by_role("link", name="side by side").first.click()
    settle(page)
    assert heading(page) == "draft.txt beside Meridian Wire"
    press(page, "Escape")
    assert heading(page) == "draft.txt"
