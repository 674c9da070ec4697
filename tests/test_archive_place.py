"""An archive is a file, whatever name leads to it: one writer, no change to a file that is gone, and readers where nothing can be written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from quality.faults import NotPossibleError, make_articles, small_disk, small_segments
from wirecopy import Archive
from wirecopy.archive import locking, segments
from wirecopy.archive.connection import FORMAT
from wirecopy.errors import ArchiveError

ARTICLES = make_articles(40)
WRITING = "another program is writing to it"
GONE = r"archive: moved, deleted or replaced since it was opened: nothing is written; .+"


@pytest.fixture(autouse=True)
def _segment_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test may change how large segments are, for itself alone."""
    for name in ("IN_STORE_BYTES", "FAN"):
        monkeypatch.setattr(segments, name, getattr(segments, name))


def ids(archive: Archive) -> set[str]:
    return {article.id for article in archive.articles()}


def require_sound(path: Path, number: int) -> None:
    with Archive.open(path) as archive:
        assert ids(archive) == {article["id"] for article in ARTICLES[:number]}
        assert archive.verify() == []


# One writer


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_writer_by_another_name_is_told_that_one_writes(link: Callable[..., None], tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    path, other = tmp_path / "archive", tmp_path / "other" / "name"
    Archive.open(path, create=True).close()
    link(path, other)
    with Archive.open(path) as writer, Archive.open(other) as second:
        writer.add(ARTICLES[:10])
        with pytest.raises(ArchiveError, match=WRITING):
            second.add(ARTICLES)
    require_sound(path, 10)


def test_by_a_link_the_index_is_that_of_the_file(tmp_path: Path) -> None:
    small_segments()
    (tmp_path / "other").mkdir()
    path, link = tmp_path / "archive", tmp_path / "other" / "link"
    link.symlink_to(path)
    with Archive.open(link, create=True) as archive:
        archive.add(ARTICLES)
    assert [one.name for one in link.parent.iterdir()] == ["link"]
    assert list(path.with_name("archive-index").glob("*.segment"))
    require_sound(path, 40)


def test_a_lock_file_that_was_deleted_lets_no_second_writer_in(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as writer, Archive.open(path) as second:
        writer.add(ARTICLES[:10])
        path.with_name("archive-lock").unlink()
        with pytest.raises(ArchiveError, match=WRITING):
            second.add(ARTICLES)
        writer.add(ARTICLES[:20])
        writer.close()
        second.add(ARTICLES)
    require_sound(path, 40)


def test_what_a_writer_lets_go_of_costs_readers_of_its_process_no_locks(tmp_path: Path) -> None:
    """SQLite's locks of a process are lost with any descriptor of the file; then another process would delete the log under it."""
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as reader:
        with Archive.open(path) as writer:
            writer.add(ARTICLES[:20])
        look = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM articles')"
        subprocess.run([sys.executable, "-c", look, path], check=True)
        assert path.with_name("archive-wal").exists()
        assert len(reader) == 20
    assert not path.with_name("archive-wal").exists()


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as reader, Archive.open(path) as writer:
        writer.add(ARTICLES[:2])
        writer.close()
        assert len(reader) == 2
    left = [locking.identify(int(one.name)) for one in Path("/dev/fd").iterdir()]
    assert locking.identify(path) not in left


# Its path


def test_a_relative_path_is_that_of_the_folder_it_was_opened_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_segments()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with Archive.open("archive", create=True) as archive, Archive.open("archive") as reader:
        archive.add(ARTICLES[:10])
        monkeypatch.chdir("elsewhere")
        archive.add(ARTICLES[:20])
        assert len(ids(reader)) == 20
        assert reader.info()["articles"] == 20
        assert reader.check(ARTICLES[4]["text"])[0].found
        archive.compact()
        assert str(archive.path) == "archive"
    assert not list(Path().iterdir())
    require_sound(tmp_path / "archive", 20)


@pytest.mark.parametrize("name", ["file:x.db", "file:x.db?mode=memory", ":memory:", "file:%41"])
def test_no_name_is_an_address_of_sqlite(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Archive.open(name, create=True) as archive:
        archive.add(ARTICLES[:10])
    assert (tmp_path / name).stat().st_size
    require_sound(tmp_path / name, 10)


# Gone


def move(path: Path) -> None:
    for one in list(path.parent.glob("archive*")):
        one.rename(one.with_name(one.name.replace("archive", "moved")))


def delete(path: Path) -> None:
    for one in path.parent.glob("archive*"):
        with suppress(IsADirectoryError):
            one.unlink()


def replace(path: Path) -> None:
    copy = path.with_name("copy")
    with Archive.open(copy, create=True) as archive:
        archive.add([{"id": "other", "text": "another article"}])
    copy.rename(path)


def delete_log(path: Path) -> None:
    path.with_name("archive-wal").unlink()


WRITES: list[Callable[[Archive], Any]] = [
    lambda archive: archive.add(ARTICLES),
    lambda archive: archive.observe(ARTICLES[30]),
    lambda archive: archive.remove(ARTICLES[0]["id"]),
    lambda archive: archive.learn(),
    lambda archive: archive.compact(),
]


@pytest.mark.parametrize("lose", [move, delete, replace, delete_log])
def test_a_writer_notices_that_its_file_is_gone_or_another(
    lose: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as archive:
        archive.add(ARTICLES[:10])
        lose(path)
        for write in WRITES:
            with pytest.raises(ArchiveError, match=GONE):
                write(archive)


@pytest.mark.parametrize("lose", [move, delete, replace])
def test_who_becomes_the_writer_notices_it_too(lose: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as archive:
        archive.add(ARTICLES[:10])
    with Archive.open(path) as archive:
        lose(path)
        with pytest.raises(ArchiveError, match=f"{GONE}|cannot be locked: No such file"):
            archive.add(ARTICLES)


def test_what_is_lost_while_it_is_written_is_not_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as archive:
        archive.add(ARTICLES[:10])
        replace_segments = type(archive._store).replace_segments

        def lose(*arguments: Any) -> None:
            replace_segments(*arguments)
            delete(path)

        with monkeypatch.context() as patched:
            patched.setattr(type(archive._store), "replace_segments", lose)
            with pytest.raises(ArchiveError, match=GONE):
                archive.add(ARTICLES)


def test_a_file_that_was_put_back_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as archive:
        archive.add(ARTICLES[:10])
        move(path)
        with pytest.raises(ArchiveError, match=GONE):
            archive.add(ARTICLES)
        for one in list(tmp_path.glob("moved*")):
            one.rename(one.with_name(one.name.replace("moved", "archive")))
        archive.add(ARTICLES)
    require_sound(path, 40)


def test_a_reader_does_not_take_another_file_for_its_own(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as archive:
        archive.add(ARTICLES[:10])
        replace(path)
        with pytest.raises(ArchiveError, match=GONE):
            ids(archive)


# Forks

FORKS = """
import os, sys
from quality.faults import make_articles
from wirecopy import Archive
from wirecopy.errors import ArchiveError

articles = make_articles(40)
archive = Archive.open(sys.argv[1], create=True)
archive.add(articles[:10])
reading = archive.articles()
next(reading)
if os.fork() == 0:
    calls = [
        lambda: archive.add(articles), lambda: archive.check(articles[0]["text"]), lambda: len(archive),
        lambda: list(archive.articles()), lambda: archive.verify(), archive.info, archive.pairs,
    ]
    for call in calls:
        try:
            call()
        except ArchiveError as error:
            assert "opened before this process was forked; open it again in this one" in str(error), error
        else:
            raise AssertionError("not noticed")
    with Archive.open(sys.argv[1]) as own:
        assert len(own) == 10
        try:
            own.add(articles)
        except ArchiveError as error:
            assert "another program is writing" in str(error), error
        else:
            raise AssertionError("a second writer")
    archive.close()
    sys.exit(7)
pid, status = os.wait()
assert os.waitstatus_to_exitcode(status) == 7
archive.add(articles[:20])
held, told = os.pipe()
if os.fork() == 0:
    os.close(told)
    os.read(held, 1)
    os._exit(0)
assert len(list(reading)) == 9
archive.close()
with Archive.open(sys.argv[1]) as again:
    again.add(articles)
"""


def test_a_fork_neither_reads_nor_writes_what_its_parent_opened(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    done = subprocess.run(
        [sys.executable, "-c", FORKS, path],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    require_sound(path, 40)


# Where nothing can be written


@contextmanager
def sealed(folder: Path, copy: Path) -> Iterator[Path]:
    """A folder's copy on a file system that is read-only."""
    with small_disk(folder, "16m") as disk:
        for one in copy.iterdir():
            (shutil.copytree if one.is_dir() else shutil.copy)(one, disk / one.name)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True, capture_output=True)
        yield disk


def require_readable(path: Path) -> None:
    with Archive.open(path) as archive:
        assert len(archive) == len(ids(archive)) == 40
        assert archive.check(ARTICLES[4]["text"])[0].found
        assert archive.verify() == []
        assert archive.pairs()
        assert archive.info()["articles"] == 40
        with pytest.raises(
            ArchiveError, match=r"cannot be written: .*; check that file and folder can be written"
        ):
            archive.remove(ARTICLES[0]["id"])


def test_an_archive_on_a_read_only_mount_can_be_read(tmp_path: Path) -> None:
    small_segments()
    home = tmp_path / "home"
    home.mkdir()
    with Archive.open(home / "archive", create=True) as archive:
        archive.add(ARTICLES)
    try:
        with sealed(tmp_path / "disk", home) as disk:
            require_readable(disk / "archive")
    except NotPossibleError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("made", range(1, FORMAT))
def test_an_older_archive_on_a_read_only_mount_says_what_to_do(made: int, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for path in (Path(__file__).parent / "formats").glob(f"{made}.archive*"):
        (shutil.copytree if path.is_dir() else shutil.copy)(path, home / path.name)
    try:
        with sealed(tmp_path / "disk", home) as disk:
            says = rf"of format {made}, where this version reads {FORMAT}, and cannot be written; copy it"
            with pytest.raises(ArchiveError, match=says):
                Archive.open(disk / f"{made}.archive")
    except NotPossibleError as error:
        pytest.skip(str(error))


def test_an_archive_on_a_read_only_mount_is_read_with_its_log_or_not_at_all(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with Archive.open(home / "archive", create=True) as archive:
        archive.add(ARTICLES)
        for name, ends in (("whole", ("", "-wal", "-shm")), ("logged", ("", "-wal"))):
            (tmp_path / name).mkdir()
            for end in ends:
                shutil.copy(f"{home}/archive{end}", tmp_path / name)
    try:
        with (
            sealed(tmp_path / "disk", tmp_path / "logged") as disk,
            pytest.raises(ArchiveError, match=r"it has a log, archive-wal, .*; copy both to a folder"),
        ):
            Archive.open(disk / "archive")
        with (
            sealed(tmp_path / "disk2", tmp_path / "whole") as disk,
            Archive.open(disk / "archive") as archive,
        ):
            assert len(ids(archive)) == 40
    except NotPossibleError as error:
        pytest.skip(str(error))


AS_NOBODY = """
import os, sys
from pathlib import Path
from test_archive_place import Archive, require_readable
Archive.open(sys.argv[1] + "-warm", create=True).close()
os.setgid(65534), os.setuid(65534)
require_readable(Path(sys.argv[1]))
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("mode", [0o644, 0o666])
def test_whoever_may_only_read_can_read(mode: int) -> None:
    home = Path(tempfile.mkdtemp())  # below tmp_path only its owner may look
    home.chmod(0o755)
    try:
        with Archive.open(home / "archive", create=True) as archive:
            archive.add(ARTICLES)
        (home / "archive").chmod(mode)
        root = Path(__file__).parents[1]
        done = subprocess.run(
            [sys.executable, "-B", "-c", AS_NOBODY, home / "archive"],
            cwd=root,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([*map(str, (root / "src", root, root / "tests"))]),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
    finally:
        shutil.rmtree(home)


def test_what_is_read_without_locks_is_not_read_once_it_has_changed(tmp_path: Path) -> None:
    try:
        with small_disk(tmp_path / "disk", "16m") as disk:
            sealed = tmp_path / "sealed"
            sealed.mkdir()
            with Archive.open(disk / "archive", create=True) as archive:
                archive.add(ARTICLES[:10])
            bound = subprocess.run(["mount", "--bind", disk, sealed], capture_output=True, text=True)
            if bound.returncode:
                raise NotPossibleError(f"no folder may be mounted twice here: {bound.stderr.strip()}")
            try:
                remount = ["mount", "-o", "remount,ro,bind", str(sealed)]
                subprocess.run(remount, capture_output=True, check=True)
                with Archive.open(sealed / "archive") as reader:
                    assert reader.check(ARTICLES[4]["text"])[0].found
                    with Archive.open(disk / "archive") as archive:
                        archive.add(ARTICLES)
                    with pytest.raises(
                        ArchiveError, match=r"changed while it was read without locks; open it again"
                    ):
                        reader.check(ARTICLES[4]["text"])
                with Archive.open(sealed / "archive") as reader:
                    assert len(ids(reader)) == 40
            finally:
                subprocess.run(["umount", "--lazy", str(sealed)], check=True)
    except NotPossibleError as error:
        pytest.skip(str(error))
