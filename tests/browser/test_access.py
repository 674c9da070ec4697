"""A report for everyone: by ear, by keyboard, in the dark, on a phone, on paper, without a script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .conftest import Opened, press

VIEWS = {
    "overview": "",
    "stories": "#stories",
    "stories-none": "#stories?q=nothing-of-this-kind",
    "series": "#series",
    "matches": "#matches",
    "story": "#story/harbour%2Ffirst",
    "pair": "#pair/harbour%2Fmoved/harbour%2Ffirst?passage=2&hide=",
    "pair-arabic": "#pair/ar%2F1/ar%2F0",
    "about": "#about",
}


def complaints(page: Any) -> list[str]:
    """What axe finds wrong."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed: make develop"
    )
    response = axe.Axe().run(page).response
    assert len(response["passes"]) > 10
    found = response["violations"]
    return [
        f"{one['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:200]}"
        for one in found
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_report: Opened, scheme: str) -> None:
    page = open_report(color_scheme=scheme)
    for hash_ in VIEWS.values():
        page.evaluate(
            "hash => { location.hash = hash; return new Promise((done) => setTimeout(done)); }",
            hash_ or "#overview",
        )
        page.wait_for_selector("main:not([aria-busy]) h1")
        assert complaints(page) == [], hash_
    page.keyboard.press("?")
    assert complaints(page) == []
    for name in ("one", "empty", "check", "scores"):
        assert complaints(open_report(name=name, color_scheme=scheme)) == [], name


def test_the_dark_page_is_dark(open_report: Opened) -> None:
    light, dark = (
        open_report(color_scheme=scheme).evaluate(
            "getComputedStyle(document.documentElement).backgroundColor.match(/[0-9]+/g).map(Number)"
        )
        for scheme in ("light", "dark")
    )
    assert max(dark) < 60 < 200 < min(light)


@pytest.mark.parametrize("hash_", VIEWS.values(), ids=VIEWS)
def test_a_phone_needs_no_sideways_scrolling(open_report: Opened, hash_: str) -> None:
    page = open_report(hash_, viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_on_a_phone_the_columns_stand_above_each_other(open_report: Opened) -> None:
    page = open_report(VIEWS["pair"], viewport={"width": 390, "height": 844})
    query, found = (page.locator(f".pane.{side}").bounding_box() for side in ("query", "found"))
    assert found["y"] >= query["y"] + query["height"]
    assert query["x"] == found["x"]


def test_every_view_has_one_main_heading_and_the_title_says_which(open_report: Opened) -> None:
    titles = set()
    for hash_ in VIEWS.values():
        page = open_report(hash_)
        assert page.locator("h1").count() == 1
        titles.add(page.title())
    assert len(titles) == len(VIEWS) - 1  # the list with nothing in it is the same view


def test_the_keyboard_reaches_the_content_at_once(open_report: Opened) -> None:
    page = open_report()
    press(page, "Tab")
    assert page.locator(":focus").inner_text() == "To the content"
    press(page, "Enter")
    assert page.locator("main:focus").count() == 1
    assert "#main" not in page.url


def test_marks_are_seen_without_colours(open_report: Opened) -> None:
    page = open_report("#pair/harbour%2Fedited/harbour%2Ffirst", forced_colors="active")
    style = "one => getComputedStyle(one).borderBottomStyle"
    assert page.locator(".same").first.evaluate(style) == "solid"
    assert page.locator(".reworded").first.evaluate(style) == "dashed"


def test_nothing_moves_for_who_wants_no_motion(open_report: Opened) -> None:
    page = open_report("#stories", reduced_motion="reduce")
    moving = "[...document.querySelectorAll('*')].filter((one) => parseFloat(getComputedStyle(one).transitionDuration)).length"
    assert page.evaluate(moving) == 0


def test_a_pair_is_printed_whole(open_report: Opened, tmp_path: Path) -> None:
    page = open_report(VIEWS["pair"], viewport={"width": 1280, "height": 400})
    page.emulate_media(media="print")
    for side in ("query", "found"):
        assert page.locator(f".pane.{side}").evaluate("one => one.scrollHeight - one.clientHeight") == 0
    assert not page.locator("#top").is_visible()
    assert not page.locator(".toggle").first.is_visible()
    printed = page.pdf(path=tmp_path / "pair.pdf")
    assert printed.startswith(b"%PDF")
    assert printed.count(b"/Type /Page\n") in range(1, 4)


def test_on_paper_it_is_never_dark(open_report: Opened) -> None:
    page = open_report("#story/harbour%2Ffirst", color_scheme="dark")
    colour = "one => getComputedStyle(one).backgroundColor.match(/[0-9]+/g).map(Number)"
    mark = page.locator(".text mark").first
    assert max(mark.evaluate(colour)) < 130
    page.emulate_media(media="print", color_scheme="dark")
    assert min(mark.evaluate(colour)) > 130


def test_a_list_is_printed_as_it_stands_on_the_screen(open_report: Opened) -> None:
    page = open_report("#stories", viewport={"width": 1280, "height": 500})
    page.emulate_media(media="print")
    rows = page.locator(".rows li").count()
    assert page.locator(".rows").bounding_box()["height"] < rows * 100
    assert not page.locator(".facets").is_visible()


def test_without_a_script_the_summary_is_read(
    open_report: Opened, reports: dict[str, Path], chromium: Any
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(reports["report"].as_uri())
    assert "349" in page.locator("noscript").inner_text()
    context.close()
