"""Whatever is scraped, typed or asked of the service stays text: nothing runs, loads, or becomes an element."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from quality.hostile import listen
from quality.hostile_site import SITE_PAYLOADS, choose, is_expected, open_site, walk

TRIED = SITE_PAYLOADS if os.environ.get("ALL_PAYLOADS") else choose(30)


def test_there_are_three_hundred_payloads() -> None:
    assert len(set(SITE_PAYLOADS)) == 300
    assert len(set(choose(30))) == 30


def test_no_payload_in_any_field_route_or_form_runs(chromium: Any, tmp_path: Path) -> None:
    heard: list[str] = []
    with open_site(tmp_path, TRIED) as site:
        page = chromium.new_page(viewport={"width": 1280, "height": 2000})
        listen(page, heard, site.url)
        assert list(walk(page, site)) == []
        page.close()
    assert [one for one in heard if not is_expected(one)] == []
