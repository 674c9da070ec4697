"""A backup is whole; a copy that is not is noticed; and what is in an archive can be got out whatever became of its methods."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from archives import as_list
from program import talk, wirecopy

from quality.faults import NotPossibleError, make_articles, small_disk, small_segments
from quality.texts import Writer
from wirecopy import Archive, _core
from wirecopy.archive import marks, segments
from wirecopy.errors import ArchiveError, MismatchError, UsageError
from wirecopy.pile import weigh

ARTICLES = make_articles(60)
MISSING = r"the last (\d+ changes|1 change) it was given are missing.*archive-wal; .*delete .*archive-index"


@pytest.fixture(autouse=True)
def _segment_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test may change how large segments are, for itself alone."""
    for name in ("IN_STORE_BYTES", "FAN"):
        monkeypatch.setattr(segments, name, getattr(segments, name))


def ids(archive: Archive) -> list[str]:
    return sorted(article.id for article in archive.articles())


def names(articles: Sequence[dict[str, str]]) -> list[str]:
    return sorted(article["id"] for article in articles)


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as store, store:
        store.execute(statement)
        store.execute("DELETE FROM settings WHERE name = 'made_with'")


# Backups


@pytest.mark.parametrize("in_files", [True, False])
def test_a_backup_is_one_file_that_answers_at_once(in_files: bool, tmp_path: Path) -> None:
    if in_files:
        small_segments()
    path, copy = tmp_path / "archive", tmp_path / "elsewhere" / "copy"
    copy.parent.mkdir()
    with Archive.open(path, create=True, window="52w") as archive:
        for start in range(0, 60, 20):
            archive.add(ARTICLES[start : start + 20])
        archive.remove(ARTICLES[3]["id"])
        told: list[tuple[str, int, int]] = []
        archive.backup(copy, progress=lambda *step: told.append(step))
        assert told[-1][0] == "copying"
        assert told[-1][1] == told[-1][2] > 0
        assert [one.name for one in copy.parent.iterdir()] == ["copy"]
        with Archive.open(copy) as second:
            assert second.verify() == []
            assert ids(second) == ids(archive)
            assert second.check(ARTICLES[4]["text"]) == archive.check(ARTICLES[4]["text"])
            assert as_list(second.pairs()) == as_list(archive.pairs())
            archive.add(ARTICLES[:4])
            assert second.add(ARTICLES[:4]).added == 1
            assert as_list(second.pairs()) == as_list(archive.pairs())
            assert second.verify() == []
        with Archive.open(copy) as again:
            assert again.verify() == []
            assert not in_files or again._store.segments_inside(1) == []


def test_a_backup_beside_a_busy_writer_is_of_one_moment(tmp_path: Path) -> None:
    small_segments()
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as archive:
        archive.add(ARTICLES[:5])
    done = threading.Event()

    def write() -> None:
        with Archive.open(path) as archive:
            for start in range(5, 60, 5):
                archive.add(ARTICLES[start : start + 5])
                archive.remove(ARTICLES[start]["id"])
                archive.add(ARTICLES[start : start + 1])
        done.set()

    writing = threading.Thread(target=write)
    writing.start()
    whole = [names(ARTICLES[:end]) for end in range(5, 61, 5)]
    whole += [
        sorted(set(one) - {ARTICLES[end]["id"]}) for end, one in zip(range(5, 60, 5), whole[1:], strict=True)
    ]
    number = 0
    with Archive.open(path) as reader:
        while number < 3 or not done.is_set():
            number += 1
            reader.backup(tmp_path / f"copy-{number}")
            with Archive.open(tmp_path / f"copy-{number}") as copy:
                assert ids(copy) in whole
                assert copy.verify() == []
    writing.join()


def test_a_backup_replaces_nothing_unless_told_to(tmp_path: Path) -> None:
    small_segments()
    path, copy = tmp_path / "archive", tmp_path / "copy"
    with Archive.open(copy, create=True) as other:
        other.add(ARTICLES[50:])
        other.remove(ARTICLES[51]["id"])
    before = copy.read_bytes()
    with Archive.open(path, create=True) as archive:
        archive.add(ARTICLES[:10])
        with pytest.raises(
            UsageError, match="copy: exists; name another file, or replace it with replace=True"
        ):
            archive.backup(copy)
        assert copy.read_bytes() == before
        for itself in (path, tmp_path / "." / "archive"):
            with pytest.raises(UsageError, match="the archive itself"):
                archive.backup(itself, replace=True)
        with pytest.raises(ArchiveError, match="a folder"):
            archive.backup(tmp_path)
        with pytest.raises(ArchiveError, match="no such folder"):
            archive.backup(tmp_path / "nowhere" / "copy")
        with Archive.open(copy), pytest.raises(ArchiveError, match="its log stands beside it"):
            archive.backup(copy, replace=True)
        archive.backup(copy, replace=True)
        with Archive.open(copy) as second:
            assert ids(second) == ids(archive)
            assert second.verify() == []
    assert not [one for one in tmp_path.iterdir() if "part" in one.name]


def test_what_was_altered_is_not_copied_over_a_sound_backup(tmp_path: Path) -> None:
    path, copy = tmp_path / "archive", tmp_path / "copy"
    with Archive.open(path, create=True) as archive:
        archive.add(ARTICLES)
        archive.backup(copy)
    before = copy.read_bytes()
    change(path, "UPDATE texts SET text = text || 'x' WHERE row = 7")
    altered = r"archive: 1 article changed since.*; nothing was copied: wirecopy export"
    with Archive.open(path) as archive, pytest.raises(ArchiveError, match=altered):
        archive.backup(copy, replace=True)
    assert copy.read_bytes() == before
    assert not list(tmp_path.glob("*part*"))


def test_a_backup_on_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    try:
        with small_disk(tmp_path / "disk", "2m") as disk, Archive.open(path, create=True) as archive:
            archive.add(ARTICLES[:5])
            archive.backup(disk / "copy")
            before = (disk / "copy").read_bytes()
            archive.add(make_articles(4000, seed=7), learn=False)
            with pytest.raises(ArchiveError, match=r"/copy: cannot be written: .*; make room on the disk"):
                archive.backup(disk / "copy", replace=True)
            assert (disk / "copy").read_bytes() == before
            assert [one.name for one in disk.iterdir()] == ["copy"]
    except NotPossibleError as error:
        pytest.skip(str(error))


def test_the_command_copies_and_says_so(tmp_path: Path) -> None:
    path, copy = tmp_path / "news.db", tmp_path / "copy.db"
    with Archive.open(path, create=True) as archive:
        archive.add(ARTICLES)
        done = wirecopy("backup", "news.db", "copy.db", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, b"")
        assert talk(done).splitlines()[-1] == "copied; 60 articles in copy.db"
        again = wirecopy("backup", path, copy)
        assert again.returncode == 2
        assert "exists" in talk(again)
        assert wirecopy("backup", path, copy, "--force", "--quiet").returncode == 0
    assert wirecopy("verify", copy).returncode == 0
    assert wirecopy("backup", tmp_path / "none.db", copy, "--force").returncode == 1
    assert not (tmp_path / "none.db").exists()


# Copies without the log

KILLED = """
import os, signal, sys
from quality.faults import make_articles
from wirecopy import Archive
articles = make_articles(60)
with Archive.open(sys.argv[1], create=True) as archive:
    archive.add(articles[:20])
if len(sys.argv) > 2:
    archive = Archive.open(sys.argv[1])
    archive.add(articles[:50])
    archive.remove(articles[0]["id"])
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """An archive whose writer was killed: 20 articles are in its file, 29 more changes of it in its log."""
    path = tmp_path / "killed" / "archive"
    path.parent.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", KILLED, path, "kill"], cwd=Path(__file__).parents[1], check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert path.with_name("archive-wal").stat().st_size
    return path


def copy_of(path: Path, folder: Path, *ends: str) -> Path:
    folder.mkdir()
    for end in ends:
        one = Path(f"{path}{end}")
        (shutil.copytree if one.is_dir() else shutil.copy)(one, folder / one.name)
    return folder / path.name


def test_an_archive_without_its_log_says_what_is_missing_and_the_way_out(
    killed: Path, tmp_path: Path
) -> None:
    path = copy_of(killed, tmp_path / "copy", "", "-index")
    with Archive.open(path) as archive:
        [problem] = archive.verify()
        assert "are missing, with 30 articles: its log was lost" in problem
        calls: list[Callable[[], Any]] = [
            lambda: archive.check("one"),
            archive.pairs,
            archive.learn,
            lambda: archive.add(ARTICLES),
            lambda: archive.remove("none"),
        ]
        for call in calls:
            with pytest.raises(ArchiveError, match=MISSING):
                call()
        assert archive.info()["missing"] == problem
        assert ids(archive) == names(ARTICLES[:20])
        archive.backup(tmp_path / "backup")
    exported = wirecopy("export", path)
    assert exported.returncode == 3
    assert "warning: " in talk(exported)
    assert "missing" in talk(exported)
    assert len(exported.stdout.splitlines()) == 20
    assert wirecopy("verify", path).returncode == 1
    assert "missing" in wirecopy("info", path).stdout.decode()
    shutil.rmtree(path.with_name("archive-index"))
    with Archive.open(path) as archive:
        archive.add(ARTICLES)
        assert archive.verify() == []


def test_an_archive_whose_tables_are_in_its_log_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as archive:
        archive.add(ARTICLES)
        copy = copy_of(path, tmp_path / "copy", "", "-index")
    with pytest.raises(
        ArchiveError, match=r"empty, but .*archive-index holds a mark of its articles; restore it"
    ):
        Archive.open(copy)


@pytest.mark.parametrize(
    "ends",
    [("", "-wal", "-index"), ("", "-wal", "-shm", "-index"), ("", "-wal"), ("", "-wal", "-index", "-lock")],
)
def test_a_copy_with_its_log_is_whole_and_raises_no_alarm(
    ends: tuple[str, ...], killed: Path, tmp_path: Path
) -> None:
    path = copy_of(killed, tmp_path / "copy", *ends)
    with Archive.open(path) as archive:
        assert archive.verify() == []
        assert ids(archive) == names(ARTICLES[1:50])
        archive.add(ARTICLES)
        assert archive.verify() == []


def test_an_archive_that_was_closed_is_whole_without_a_log(killed: Path, tmp_path: Path) -> None:
    with Archive.open(killed) as archive:
        assert len(archive) == 49
    for number, ends in enumerate([("",), ("", "-index")]):
        with Archive.open(copy_of(killed, tmp_path / str(number), *ends)) as copy:
            assert copy.verify() == []
            assert len(copy) == 49


def test_the_index_of_another_archive_raises_no_alarm(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    for number in (60, 10):
        with Archive.open(path, create=True) as archive:
            for start in range(0, number, 10):
                archive.add(ARTICLES[start : start + 10])
        with Archive.open(path) as archive:
            assert archive.verify() == []
            assert len(archive) == number
        path.unlink()


def test_a_mark_that_cannot_be_read_or_written_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    mark = path.with_name("archive-index") / marks.NAME
    with Archive.open(path, create=True) as archive:
        archive.add(ARTICLES[:10])
        for content in (b"", b"torn", bytes(59), b"\xff" * 59):
            mark.write_bytes(content)
            with Archive.open(path) as reader:
                assert reader.verify() == []
        mark.unlink()
        mark.mkdir()
        archive.add(ARTICLES)
    with Archive.open(path) as archive:
        assert archive.verify() == []
        assert len(archive) == 60


def test_a_reader_beside_a_writer_never_takes_the_store_for_behind(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as archive:
        for article in ARTICLES[:20]:
            archive.observe(article)
            with Archive.open(path) as reader:
                assert reader.info()["missing"] is None
                reader.check("one")


# Whatever became of its methods


def lose_method(path: Path) -> None:
    with Archive.open(path, create=True) as archive:
        archive.add(ARTICLES)
    change(
        path,
        """UPDATE settings SET value = '[["exact", {}], ["lost", {"size": 3}]]' WHERE name = 'methods'""",
    )


def lose_parameter(path: Path) -> None:
    with Archive.open(path, create=True) as archive:
        archive.add(ARTICLES)
    change(path, "UPDATE settings SET value = replace(value, 'window_words', 'other') WHERE name = 'methods'")


def read_words_otherwise(path: Path) -> None:
    with Archive.open(path, create=True) as archive:
        archive.add(ARTICLES)
    change(path, "UPDATE settings SET value = 'old' WHERE name = 'text_version'")


def weigh_words_otherwise(path: Path) -> None:
    statistics = weigh(ARTICLES, "cosine")[0]
    with Archive.open(path, create=True, method="cosine", statistics=statistics) as archive:
        archive.add(ARTICLES)
    change(path, "UPDATE settings SET value = 'old' WHERE name = 'text_version'")


def damage_statistics(path: Path) -> None:
    weigh_words_otherwise(path)
    change(path, f"UPDATE settings SET value = '{_core.TEXT_VERSION}' WHERE name = 'text_version'")
    change(path, "UPDATE settings SET value = x'00' WHERE name = 'statistics'")


@pytest.mark.parametrize(
    "lose", [lose_method, lose_parameter, read_words_otherwise, weigh_words_otherwise, damage_statistics]
)
def test_export_backup_and_info_always_work(lose: Callable[[Path], None], tmp_path: Path) -> None:
    path, copy = tmp_path / "archive", tmp_path / "copy"
    lose(path)
    exported = wirecopy("export", path)
    assert (exported.returncode, talk(exported)) == (0, "")
    found = [json.loads(line) for line in exported.stdout.splitlines()]
    assert {one["id"]: one["text"] for one in found} == {one["id"]: one["text"] for one in ARTICLES}
    info = wirecopy("info", path, "--json")
    assert info.returncode == 0
    assert json.loads(info.stdout)["articles"] == 60
    assert wirecopy("info", path).returncode == 0
    assert wirecopy("backup", path, copy).returncode == 0
    with Archive.open(copy) as archive:
        assert ids(archive) == names(ARTICLES)
    for refused in (("check", path, "-"), ("pairs", path), ("verify", path)):
        done = wirecopy(*refused, input=Writer(1).text(30).encode())
        assert done.returncode == 1
        assert "; " in talk(done)


def test_a_method_that_is_not_here_is_named_with_the_way_out(tmp_path: Path) -> None:
    lose_method(tmp_path / "archive")
    with Archive.open(tmp_path / "archive") as archive:
        assert archive.info()["methods"] == ["exact", "lost (not here)"]
        writes: list[Callable[[], Any]] = [
            lambda: archive.add(ARTICLES),
            lambda: archive.remove("none"),
            archive.compact,
        ]
        reads: list[Callable[[], Any]] = [lambda: archive.check("one"), archive.pairs, archive.verify]
        for call in reads + writes:
            with pytest.raises(
                MismatchError, match=r"methods of .*: expected exact, lost, got .*lost.*; .*wirecopy export"
            ):
                call()
    with pytest.raises(MismatchError, match="methods of"):
        Archive.open(tmp_path / "archive", method="winnowing")
