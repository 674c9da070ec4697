"""Whatever is scraped stays text: nothing runs, loads, or becomes an element."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from quality.hostile import PAYLOADS, ran, walk, write_hostile

from .conftest import Opened, settle
from .test_reading import heading

TRIED = PAYLOADS if os.environ.get("ALL_PAYLOADS") else PAYLOADS[:15]


def test_there_are_sixty_payloads() -> None:
    assert len(set(PAYLOADS)) == 60


def test_no_payload_in_any_field_runs(open_file: Opened, tmp_path: Path, chromium: object) -> None:
    report, *others = write_hostile(tmp_path, TRIED)
    page = open_file(report, viewport={"width": 1280, "height": 6000})
    assert walk(page) > 2 * len(TRIED)
    assert not ran(page)
    for other in others:
        page = open_file(other)
        assert walk(page) >= 3
        assert not ran(page)
    assert page.locator("svg.curve").count() == 3


def test_a_payload_in_the_address_runs_nothing(open_report: Opened) -> None:
    page = open_report()
    for hash_ in (
        "#story/%3Cimg src=x onerror=pwned=1%3E",
        "#pair/<script>pwned=1</script>/%",
        "#stories?q=<svg onload=pwned=1>&sort=__proto__&source=x",
        "#__proto__",
        "#constructor/x",
        "#%E0%A4%A",
    ):
        page.evaluate(
            "hash => { location.hash = hash; return new Promise((done) => setTimeout(done)); }", hash_
        )
        settle(page)
        assert heading(page) in (
            "Not found",
            "Stories",
            "Copies in " + heading(page).removeprefix("Copies in "),
        )
        assert not ran(page)


def test_the_page_may_not_write_markup_or_add_scripts(chromium: Any, reports: dict[str, Path]) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(reports["report"].as_uri())
    settle(page)
    for attempt in (
        "document.body.innerHTML = '<b>x</b>'",
        "document.createElement('script').text = 'pwned = 1'",
    ):
        with pytest.raises(Exception, match=r"TrustedHTML|TrustedScript"):
            page.evaluate(f"() => {{ {attempt}; }}")
    assert page.evaluate("document.querySelectorAll('script:not([type])').length") == 1
    context.close()
