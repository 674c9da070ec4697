"""One Chromium for all tests of a process, and pages in it that may say nothing, fetch nothing and run nothing but their own script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from quality.hostile import listen, open_browser
from quality.report import MissingError

from .news import write_reports

Opened = Callable[..., Any]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests in a browser as slow."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser of this machine; without one, what needs it is skipped."""
    with ExitStack() as stack:
        try:
            browser = stack.enter_context(open_browser())
        except MissingError as missing:
            pytest.skip(str(missing))
        yield browser


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory, chromium: Any) -> dict[str, Path]:
    """Reports of every kind, by what they are."""
    return write_reports(tmp_path_factory.mktemp("reports"))


@pytest.fixture
def open_file(chromium: Any) -> Iterator[Opened]:
    """Open a file at an address inside it; whatever the page says, asks for or is asked to allow fails the test."""
    heard: list[str] = []
    contexts = []

    def open_(path: Path, hash_: str = "", **options: Any) -> Any:
        options.setdefault("viewport", {"width": 1280, "height": 800})
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        listen(page, heard)
        page.goto(path.as_uri() + hash_)
        settle(page)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not heard


@pytest.fixture
def open_site(chromium: Any) -> Iterator[Opened]:
    """A browser of its own at a service, signed in with a token if one is given; whatever its pages say or fetch from elsewhere fails the test."""
    heard: list[str] = []
    contexts = []

    def open_(url: str, token: str | None = None, **options: Any) -> Any:
        options.setdefault("viewport", {"width": 1280, "height": 800})
        context = chromium.new_context(base_url=url, **options)
        contexts.append(context)
        context.set_default_timeout(15_000)
        context.on("page", lambda page: listen(page, heard, url))
        page = context.new_page()
        page.goto("/sign-in")
        if token is not None:
            page.fill("#token", token)
            page.click("button.main")
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
