"""The scores of a result in a browser: curves, and the worst mistakes side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .conftest import Opened, press, settle
from .test_access import complaints
from .test_reading import heading

FIRST_MISS = "#pair/ar%2F1/he%2F0"


def test_a_mistake_opens_side_by_side_and_back_is_where_one_was(open_report: Opened) -> None:
    page = open_report(name="scores")
    assert heading(page) == "ranked.jsonl against truth.jsonl"
    link = page.locator(f"a[href='{FIRST_MISS}']")
    link.click()
    settle(page)
    assert page.locator(".pane").count() == 2
    assert "Missed: gold: identical; result: not reported." in page.locator(".said").inner_text()
    assert page.locator(".pane.query .text").get_attribute("dir") == "rtl"
    assert complaints(page) == []
    press(page, "Escape")
    assert page.url.endswith("#scores")
    assert page.locator(":focus").get_attribute("href") == FIRST_MISS


def test_one_goes_through_all_mistakes_by_key(open_report: Opened) -> None:
    page = open_report(name="scores")
    press(page, "j")
    assert (
        "False alarm: gold: not named; result: near-duplicate; score 1." in page.locator(".said").inner_text()
    )
    seen = {page.url}
    many = page.locator(".trail .turns").inner_text().split(" of ")[1].split()[0]
    for _ in range(int(many) - 1):
        press(page, "j")
        seen.add(page.url)
    assert len(seen) == int(many) == 22
    press(page, "j", "k")
    assert page.url != max(seen)
    assert page.locator(".pane").count() == 2


def test_a_pair_that_is_no_mistake_is_not_there(open_report: Opened) -> None:
    page = open_report("#pair/x/y", name="scores")
    assert heading(page) == "Not found"
    page.get_by_role("link", name="To the overview").click()
    settle(page)
    assert heading(page) == "ranked.jsonl against truth.jsonl"


def test_curves_are_drawn_in_the_colours_of_the_page(open_report: Opened) -> None:
    colours = set()
    for scheme in ("light", "dark"):
        page = open_report(name="scores", color_scheme=scheme)
        assert page.locator("svg.curve").count() == 3
        style = "one => [getComputedStyle(one).stroke, getComputedStyle(one).fill]"
        stroke, fill = page.locator(".curve path.line-1").first.evaluate(style)
        assert fill == "none"
        colours.add(stroke)
        assert page.locator(".curve .ground").first.evaluate("one => getComputedStyle(one).fill") == "none"
    assert len(colours) == 2


def test_scores_are_read_on_a_phone_on_paper_and_without_a_script(
    open_report: Opened, reports: dict[str, Path], chromium: Any
) -> None:
    page = open_report(name="scores", viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page = open_report(name="scores", color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator("#top").is_visible()
    assert page.locator(".curve").first.is_visible()
    assert page.pdf().startswith(b"%PDF")
    context = chromium.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(reports["scores"].as_uri())
    assert plain.locator("h1").inner_text() == "ranked.jsonl against truth.jsonl"
    assert plain.locator("svg.curve").count() == 3
    assert plain.get_by_text("the 20 worst of").is_visible()
    context.close()
