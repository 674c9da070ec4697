"""The pages of the service in a browser: for everyone, in the dark, on a phone, and with the comforts of reports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from services import Served, serving

from wirecopy import Archive
from wirecopy.archive.desk import Desk
from wirecopy.archive.policies import Policy

from .conftest import Opened
from .news import told
from .test_access import complaints

QUERY, FOUND = "harbour/moved", "harbour/first"
PAIR = f"/pair?query={quote(QUERY)}&found={quote(FOUND)}"
PAGES = (
    *("/", "/stories", f"/story?id={quote(FOUND)}", PAIR, "/pair?query=ar/1&found=ar/0"),
    *("/judge", "/webhooks"),
)


@pytest.fixture(scope="module")
def articles() -> dict[str, str]:
    return {one["id"]: one["text"] for one in told()}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, chromium: Any) -> Iterator[Served]:
    """A service of an archive without tokens."""
    path: Path = tmp_path_factory.mktemp("site") / "news.db"
    with Archive.open(path, create=True) as archive:
        archive.add(list(told()))
    with Desk(path) as desk:
        webhook, _ = desk.outbox.add("https://example.org/hook", Policy(source="Harbour Post"))
        desk.outbox.post_test(webhook.id)
    with serving(path, "--no-deliver") as served:
        yield served


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_site: Opened, site: Served, articles: dict[str, str], scheme: str) -> None:
    page = open_site(site.url, color_scheme=scheme)
    for address in PAGES:
        page.goto(address)
        page.wait_for_selector("main:not([aria-busy]) h1")
        assert complaints(page) == [], address
        assert page.locator("h1").count() == 1
    check(page, articles[QUERY])
    assert complaints(page) == []


def test_all_sections_are_seen_on_a_phone_beside_signing_out_and_the_keys(
    open_site: Opened, tmp_path: Path
) -> None:
    path = tmp_path / "news.db"
    with Archive.open(path, create=True) as archive:
        archive.add(list(told()))
    with Desk(path) as desk:
        token = desk.tokens.make("ann", ["admin"])[1]
    with serving(path, "--no-deliver") as served:
        page = open_site(served.url, token, viewport={"width": 400, "height": 740})
        page.goto(PAIR)
        page.wait_for_selector("#keys")
        assert page.get_by_role("button", name="Sign out").is_visible()
        assert page.locator("#sections").evaluate("one => one.scrollWidth - one.clientWidth") == 0


def check(page: Any, text: str) -> None:
    """Paste a text, and have it checked."""
    page.goto("/")
    page.fill("textarea", text)
    page.click("button.main")
    page.wait_for_selector("main:not([aria-busy]) .check h1")


def test_a_phone_needs_no_sideways_scrolling(
    open_site: Opened, site: Served, articles: dict[str, str]
) -> None:
    page = open_site(site.url, viewport={"width": 360, "height": 740})
    for address in PAGES:
        page.goto(address)
        page.wait_for_selector("main:not([aria-busy]) h1")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, address
    check(page, articles[QUERY])
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_checked_text_has_the_comforts_of_a_report(
    open_site: Opened, site: Served, articles: dict[str, str]
) -> None:
    page = open_site(site.url)
    check(page, articles[QUERY])
    page.keyboard.press("n")
    assert page.locator("mark.current").count() == 1
    page.get_by_role("link", name="side by side").first.click()
    page.wait_for_selector(".pair .minimap")
    page.keyboard.press("Escape")
    page.wait_for_selector("mark.source-0")
    assert page.locator("#sections a[aria-current]").inner_text() == "Check"
    page.keyboard.press("?")
    assert page.locator("#help[open] kbd, #help[open] dt").count() > 3


def test_with_and_without_script_the_same_is_marked(
    open_site: Opened, site: Served, articles: dict[str, str]
) -> None:
    shown = []
    for script in (True, False):
        page = open_site(site.url, java_script_enabled=script)
        page.goto("/")
        page.fill("textarea", f"{articles[QUERY]}\n\nWhat nobody else has said until this very day.")
        page.click("button.main")
        if script:
            page.wait_for_selector(".check .tools")
        marks = [page.locator(".checked mark").all_text_contents()]
        page.goto(PAIR)
        if script:
            page.wait_for_selector(".minimap")
        for side in ("query", "found"):
            marks.append(page.locator(f".{side} .text").locator("mark, ins, del").all_text_contents())
        shown.append(marks)
    assert shown[0] == shown[1]
    assert all(shown[0])


def test_without_script_a_passage_leads_to_its_other_end(open_site: Opened, site: Served) -> None:
    page = open_site(site.url, java_script_enabled=False)
    page.goto(PAIR)
    page.locator(".query .label").first.click()
    assert page.url.endswith("#found-1")
    assert page.locator("#found-1:target").count() == 1


def test_what_is_written_from_right_to_left_turns_nothing_around_it(open_site: Opened, site: Served) -> None:
    page = open_site(site.url, java_script_enabled=False)
    page.goto("/pair?query=ar/1&found=ar/0")
    assert page.locator(".query .text").get_attribute("dir") == "rtl"
    assert page.locator("h1").evaluate("one => getComputedStyle(one).direction") == "ltr"
