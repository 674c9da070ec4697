"""What tests share: hypothesis draws the same examples on every machine; extraction that is easy to foresee; ten
articles and an archive of them, for the command line."""

import re
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from program import wirecopy
from records import jsonl

from quality.texts import Writer, join
from wirecopy import extraction
from wirecopy.model import Article, Extracted, Page

SLOW = {
    *("test_add_cli", "test_archive", "test_archive_cli", "test_archive_faults"),
    *("test_archive_formats", "test_archive_life", "test_archive_opinions", "test_archive_stream"),
    *("test_check_cli", "test_cli", "test_comparison", "test_demo"),
    *("test_demo_pages", "test_docs", "test_extract_cli", "test_find_cli"),
    *("test_hostile_pages", "test_jsonl", "test_one_path", "test_opinions"),
    *("test_opinions_cli", "test_output_cli", "test_pairs", "test_queries"),
    *("test_readme", "test_segments", "test_shingles", "test_training"),
    *("test_watch_cli", "test_evaluate", "test_pool", "test_confirm"),
    *("test_judge_cli", "test_service_judgements", "test_service_pages"),
    *(
        "test_service",
        "test_service_articles",
        "test_service_faults",
        "test_writing",
        "test_delivering",
        "test_receiver",
        "test_webhook_cli",
        "test_webhooks",
        "test_spark",
        "test_hot",
    ),
}
"""Files of tests that take more than some seconds; `make quick` leaves them out. In other files a slow test has the mark itself."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow; what has to run in one process, one after the other, comes first, so that the others run beside it."""
    for item in items:
        if item.path.stem in SLOW:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever wants to fetch something fails."""

    def connect(*_: Any) -> None:
        raise AssertionError("nothing may be fetched")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket, "getaddrinfo", connect)


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


@pytest.fixture(scope="session")
def words() -> list[str]:
    return Writer(31).write(90)


@pytest.fixture(scope="session")
def records(words: list[str]) -> list[dict[str, Any]]:
    """Ten articles a day apart, of which c copies a, and b a part of it."""
    writer = Writer(32)
    texts = {"a": words, "b": writer.write(60) + words[20:70], "c": words, "d": writer.write(80)}
    texts |= {f"x{number}": writer.write(100) for number in range(6)}
    return [
        {
            "id": name,
            "text": join(text),
            "title": f"On {name}",
            "published": f"2016-03-{day:02}T12:00:00Z",
            "source": "Courier" if name in "ab" else "Echo",
        }
        for day, (name, text) in enumerate(texts.items(), 1)
    ]


@pytest.fixture(scope="session")
def pile(tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]]) -> Path:
    path = tmp_path_factory.mktemp("pile") / "articles.jsonl"
    path.write_bytes(jsonl(*records))
    return path


@pytest.fixture(scope="session")
def known(pile: Path) -> Path:
    """An archive that is only read."""
    path = pile.with_name("known.db")
    assert wirecopy("add", path, pile).returncode == 0
    return path


@pytest.fixture
def archive(pile: Path, tmp_path: Path) -> Path:
    """An archive to change."""
    path = tmp_path / "news.db"
    assert wirecopy("add", path, pile).returncode == 0
    return path


@pytest.fixture(scope="session")
def draft(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> Path:
    """A text of which half is copied from a."""
    path = tmp_path_factory.mktemp("draft") / "draft.txt"
    path.write_text(join(Writer(33).write(50) + words[:50]))
    return path
