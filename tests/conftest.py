"""What all tests share: hypothesis draws the same examples on every machine; extraction that is easy to foresee."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import settings

from wirecopy import extraction
from wirecopy.model import Article, Extracted, Page

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture
def plain_extraction(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Extraction that only takes the tags off, and notes how many pages it is given."""
    sizes = []

    def extract_pages(pages: Sequence[Page]) -> list[Extracted]:
        sizes.append(len(pages))
        return [extract(page) for page in pages]

    def extract(page: Page) -> Extracted:
        text = re.sub("<[^>]*>", "", page.content.decode("latin1")).strip()
        title = re.search("<title>(.*?)</title>", page.content.decode("latin1"))
        article = Article(page.id, text, title[1] if title else None, "2026-03-01")
        return Extracted(article, "too odd" if "odd" in text else "ok" if text else "empty")

    monkeypatch.setattr(extraction, "extract_pages", extract_pages)
    return sizes
