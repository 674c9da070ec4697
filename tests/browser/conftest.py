"""One Chromium for all tests of a process, and pages in it that may say nothing, fetch nothing and run nothing but their own script."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .news import write_reports

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
Opened = Callable[..., Any]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser of this machine, driven by playwright."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make develop")
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        pytest.skip(
            f"no browser: none of {', '.join(CHROMIUM)} is on the PATH (Debian: apt-get install chromium)"
        )
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory, chromium: Any) -> dict[str, Path]:
    """Reports of every kind, by what they are."""
    return write_reports(tmp_path_factory.mktemp("reports"))


@pytest.fixture
def open_file(chromium: Any) -> Iterator[Opened]:
    """Open a file at an address inside it; whatever the page says, asks for or is asked to allow fails the test."""
    heard: list[str] = []
    contexts = []

    def dismiss(dialog: Any) -> None:
        heard.append(f"asked {dialog.message}")
        dialog.dismiss()

    def note(asked: Any) -> None:
        if not asked.url.startswith("file:"):
            heard.append(f"fetched {asked.url}")

    def open_(path: Path, hash_: str = "", **options: Any) -> Any:
        options.setdefault("viewport", {"width": 1280, "height": 800})
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda message: heard.append(f"said {message.text}"))
        page.on("pageerror", lambda error: heard.append(f"failed: {error}"))
        page.on("popup", lambda other: heard.append(f"opened {other.url}"))
        page.on("dialog", dismiss)
        page.on("request", note)
        page.goto(path.as_uri() + hash_)
        settle(page)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not heard


@pytest.fixture
def open_report(open_file: Opened, reports: dict[str, Path]) -> Opened:
    """Open a report by its name."""
    return lambda hash_="", name="report", **options: open_file(reports[name], hash_, **options)


def settle(page: Any) -> None:
    """Wait until the view that the address asks for stands there."""
    page.wait_for_selector("main:not([aria-busy]) h1")


def press(page: Any, *keys: str) -> None:
    """Press keys one after the other, and wait for what they lead to."""
    for key in keys:
        page.keyboard.press(key)
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        settle(page)
