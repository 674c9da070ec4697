"""An archive is opened as what it was made as, or refused with what was expected, what came, and the way out."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wirecopy
from quality.texts import Writer
from wirecopy import Archive, methods
from wirecopy.errors import ArchiveError, MismatchError, UsageError
from wirecopy.pile import weigh

ARTICLES = [{"id": str(seed), "text": Writer(seed).text(60)} for seed in range(5)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Archive.open(tmp_path / "archive", create=True, window="7d") as archive:
        archive.add(ARTICLES)
    return tmp_path / "archive"


def test_what_it_was_made_with_may_be_named_or_left_out(path: Path) -> None:
    made_with: list[dict[str, Any]] = [
        {},
        {"window": "7d"},
        {"window": "1w"},
        {"window": "168h"},
        {"preset": "syndication"},
        {"method": ["exact", "winnowing"]},
        {"method": ["exact", methods.get("winnowing", window_words=16)]},
        {"method": "winnowing"},
        {"method": ["winnowing", "exact"]},
    ]
    for options in made_with:
        with Archive.open(path, **options) as archive:
            assert len(archive) == 5


@pytest.mark.parametrize(
    ("options", "expected", "got"),
    [
        ({"method": "minhash"}, "winnowing:", "minhash:"),
        ({"method": "exact"}, "exact, winnowing:", "got exact"),
        (
            {"method": ["exact", methods.get("winnowing", window_words=9)]},
            "window_words=16",
            "window_words=9",
        ),
        ({"preset": "strict"}, "expected syndication", "got strict"),
        ({"window": "14d"}, "expected 1w", "got 14d"),
    ],
)
def test_another_setting_is_refused(options: dict[str, Any], expected: str, got: str, path: Path) -> None:
    with pytest.raises(MismatchError) as refused:
        Archive.open(path, **options)
    message = str(refused.value)
    assert str(path) in message
    assert re.search(f"expected .*{re.escape(expected.removeprefix('expected '))}.*; ", message)
    assert got in message
    assert "wirecopy export" in message
    with Archive.open(path) as archive:
        assert len(archive) == 5


def test_other_statistics_are_refused(tmp_path: Path) -> None:
    mine, others = (weigh(pile, "cosine")[0] for pile in (ARTICLES, ARTICLES[1:]))
    with Archive.open(tmp_path / "archive", create=True, method="cosine", statistics=mine) as archive:
        archive.add(ARTICLES)
    for same in (None, mine, weigh(ARTICLES[::-1], "cosine")[0]):
        Archive.open(tmp_path / "archive", statistics=same).close()
    silent = weigh([*ARTICLES, {"id": "silent", "text": ""}], "cosine")[0]
    assert np.array_equal(silent.counts, mine.counts)
    for other in (others, silent, weigh(ARTICLES, "codet")[0]):
        with pytest.raises(
            MismatchError, match=r"statistics of .* expected those it was made with, got others"
        ):
            Archive.open(tmp_path / "archive", statistics=other)


def test_a_method_that_weighs_words_needs_statistics_and_others_want_none(tmp_path: Path) -> None:
    statistics = weigh(ARTICLES, "cosine")[0]
    with pytest.raises(UsageError, match="cosine weighs words"):
        Archive.open(tmp_path / "archive", create=True, method="cosine")
    with pytest.raises(UsageError, match="weighs no words"):
        Archive.open(tmp_path / "archive", create=True, statistics=statistics)
    with pytest.raises(MismatchError, match="view of the statistics"):
        Archive.open(tmp_path / "archive", create=True, method="codet", statistics=statistics)
    assert not (tmp_path / "archive").exists()


@pytest.mark.parametrize(
    "option",
    [
        {"preset": "lax"},
        {"method": "magic"},
        {"method": [methods.get("winnowing", window_words=size) for size in range(1, 10)]},
        {"window": "soon"},
        {"threads": 0},
    ],
)
def test_what_there_is_not_makes_no_archive(option: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        Archive.open(tmp_path / "archive", create=True, **option)
    assert not list(tmp_path.iterdir())


def change(path: Path, statement: str) -> None:
    store = sqlite3.connect(path)
    with store:
        store.execute(statement)
    store.close()


def test_a_newer_format_is_refused(path: Path) -> None:
    change(path, "PRAGMA user_version = 99")
    with pytest.raises(
        MismatchError, match=r"format of .*archive: expected up to \d+, got 99; .*a newer one"
    ):
        Archive.open(path)


def other_database(path: Path) -> None:
    change(path, "CREATE TABLE other (one)")


def other_application(path: Path) -> None:
    change(path, "CREATE TABLE other (one)")
    change(path, "PRAGMA application_id = 1")


def text_file(path: Path) -> None:
    path.write_text("not an archive, and long enough to have a header of some sort\n" * 9)


def cut_short(path: Path) -> None:
    with Archive.open(path, create=True) as archive:
        archive.add(ARTICLES)
    path.write_bytes(path.read_bytes()[:50])


def folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [other_database, other_application, text_file, cut_short, folder])
def test_what_is_no_archive_is_refused_and_left_as_it_is(make: Any, tmp_path: Path) -> None:
    path = tmp_path / "archive"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(ArchiveError, match=re.escape(str(path))):
        Archive.open(path)
    assert (path.read_bytes() if path.is_file() else None) == before


def test_no_archive_is_made_unless_wanted(tmp_path: Path) -> None:
    for options in ({}, {"window": "7d"}, {"create": False}):
        with pytest.raises(
            ArchiveError,
            match=r"archive: no archive there; make one with Archive.open\('.*/archive', create=True\)",
        ):
            Archive.open(tmp_path / "archive", **options)
    with pytest.raises(ArchiveError, match="no folder"):
        Archive.open(tmp_path / "nowhere" / "archive", create=True)
    assert not list(tmp_path.iterdir())


def test_an_empty_file_becomes_an_archive_if_that_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "archive").touch()
    with pytest.raises(ArchiveError, match="no archive there; make one with"):
        Archive.open(tmp_path / "archive")
    assert not (tmp_path / "archive").stat().st_size
    with Archive.open(tmp_path / "archive", create=True) as archive:
        assert archive.add(ARTICLES).added == 5


def test_any_name_will_do(tmp_path: Path) -> None:
    for name in ("a b", "ä", "%20?x#y", "a'b", ".hidden"):
        with Archive.open(tmp_path / name, create=True) as archive:
            archive.add(ARTICLES)
            assert len(archive.check(ARTICLES[0]["text"])[0].matches) == 1
            assert len(wirecopy.find(archive.articles())) == 0


def test_a_closed_archive_says_so_and_holds_nothing(path: Path) -> None:
    closed = Archive.open(path)
    closed.close()
    closed.close()
    calls: list[Callable[[], object]] = [
        lambda: len(closed),
        lambda: closed.check("one two"),
        lambda: list(closed.articles()),
        closed.pairs,
        closed.info,
        closed.verify,
        closed.learn,
        lambda: closed.add(["one two"]),
        lambda: closed.observe("one two"),
        lambda: closed.remove("0"),
    ]
    for call in calls:
        with pytest.raises(ArchiveError, match="closed"):
            call()
    with Archive.open(path) as archive:
        assert archive.remove([0, "1", "nobody"]) == 2


def test_info_says_how_much_there_is(path: Path) -> None:
    with Archive.open(path) as archive:
        archive.add([{"id": "dated", "text": "one", "published": "2020-01-02T03:04:05Z"}])
        info = archive.info()
    assert info["articles"] == 6
    assert info["first"] == info["last"] == "2020-01-02T03:04:05Z"
    assert info["window"] == "1w"
    assert info["preset"] == "syndication"
    assert len(info["methods"]) == 2
    assert info["index_bytes"] > 0
    assert info["store_bytes"] > 0
