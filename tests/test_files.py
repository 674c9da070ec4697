"""A file is written whole or not at all, whatever ends the writing, and what is no file is written as it comes."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from wirecopy import files
from wirecopy.files import open_whole

EARLIER = "all of the earlier answer\n"
BIG = 1 << 18
HALF = f"""
import signal, sys
from pathlib import Path
from wirecopy.files import open_whole
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
with open_whole(Path(sys.argv[1])) as out:
    out.write("half of an answer" * {BIG})
    out.flush()
    print("ready", flush=True)
    sys.stdin.read()
"""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts files and gives them away")
NOBODY = 65534


@pytest.fixture(params=["without a name", "with a name"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an earlier file; until it is whole, a file has no name there, as far as the system can, or a hidden one."""
    if request.param == "with a name":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    (tmp_path / "out").write_text(EARLIER)
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_takes_its_place_once_all_is_written(place: Path) -> None:
    for name in ("out", "new"):
        with open_whole(place / name) as out:
            out.write("new" * BIG)
            out.flush()
            assert not (place / "new").exists() or name == "out"
            assert (place / "out").read_text() == (EARLIER if name == "out" else "new" * BIG)
        assert (place / name).read_text() == "new" * BIG
    assert names(place) == ["new", "out"]


@pytest.mark.parametrize("error", [OSError("no room"), KeyboardInterrupt(), SystemExit(1), ValueError()])
def test_an_earlier_file_stays_if_anything_fails(error: BaseException, place: Path) -> None:
    def fail() -> None:
        with open_whole(place / "out") as out:
            out.write("half")
            raise error

    with pytest.raises(type(error)):
        fail()
    assert (place / "out").read_text() == EARLIER
    assert names(place) == ["out"]


def test_a_file_that_cannot_take_its_place_is_an_error_that_names_it(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_put_in_place", lambda *_: os.stat("/no such"))  # noqa: PTH116
    with pytest.raises(OSError, match="No such file") as raised, open_whole(place / "out") as out:
        out.write("new")
    assert raised.value.filename == str(place / "out")
    assert (place / "out").read_text() == EARLIER
    assert names(place) == ["out"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_is_left_of_a_process_that_was_ended(number: int, tmp_path: Path) -> None:
    (tmp_path / "out").write_text(EARLIER)
    command = [sys.executable, "-c", HALF, str(tmp_path / "out")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as ran:
        assert ran.stdout is not None
        assert ran.stdout.readline() == b"ready\n"
        ran.send_signal(number)
        ran.wait(60)
    assert ran.returncode
    assert (tmp_path / "out").read_text() == EARLIER
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_permissions_of_an_earlier_file_are_kept(mode: int, place: Path) -> None:
    (place / "out").chmod(mode)
    with open_whole(place / "out") as out:
        out.write("new")
    assert stat.S_IMODE((place / "out").stat().st_mode) == mode


def test_a_new_file_has_the_permissions_of_any_new_file(place: Path) -> None:
    (place / "other").touch()
    with open_whole(place / "new") as out:
        out.write("new")
    assert (place / "new").stat().st_mode == (place / "other").stat().st_mode


@as_root
def test_root_leaves_a_file_to_its_owner(place: Path) -> None:
    os.chown(place / "out", 1234, 2345)
    with open_whole(place / "out") as out:
        out.write("new")
    known = (place / "out").stat()
    assert (known.st_uid, known.st_gid) == (1234, 2345)


@pytest.mark.parametrize("there", [True, False])
def test_links_are_followed(there: bool, place: Path) -> None:
    (place / "far").mkdir()
    if there:
        (place / "far" / "answer").write_text(EARLIER)
    (place / "near").symlink_to("far/link")
    (place / "far" / "link").symlink_to("../far/answer")
    with open_whole(place / "near") as out:
        out.write("new")
    assert (place / "near").is_symlink()
    assert (place / "far" / "link").is_symlink()
    assert (place / "far" / "answer").read_text() == "new"
    assert names(place / "far") == ["answer", "link"]


def test_links_in_a_circle_are_an_error(place: Path) -> None:
    (place / "a").symlink_to("b")
    (place / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"), open_whole(place / "a"):
        pass


def test_a_pipe_is_written_as_it_is(place: Path) -> None:
    os.mkfifo(place / "pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((place / "pipe").read_text()))
    reader.start()
    with open_whole(place / "pipe") as out:
        out.write("new")
    reader.join()
    assert read == ["new"]
    assert stat.S_ISFIFO((place / "pipe").stat().st_mode)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_an_open_file_is_written_as_it_is(name: str, place: Path) -> None:
    """Whoever opened it, such as a shell, goes on writing to the same file."""
    (place / "link").symlink_to("/dev/stdout")
    command = "import sys; from pathlib import Path; from wirecopy.files import open_whole\n"
    command += "with open_whole(Path(sys.argv[1])) as out: out.write('new')"
    with (place / "out").open("w") as out:
        subprocess.run([sys.executable, "-c", command, name], stdout=out, cwd=place, check=True)
        assert os.fstat(out.fileno()).st_ino == (place / "out").stat().st_ino
    assert (place / "out").read_text() == "new"


def test_a_device_is_written_as_it_is(place: Path) -> None:
    (place / "null").symlink_to("/dev/null")
    with open_whole(place / "null") as out:
        out.write("new")
    assert (place / "null").is_char_device()


@pytest.fixture
def own_place(place: Path) -> Iterator[Path]:
    """The same, of a user to whom things are refused, and below folders that anyone may enter."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        shutil.copytree(place, home)
        if os.geteuid() == 0:
            for path in (Path(folder), home, home / "out"):
                os.chown(path, NOBODY, NOBODY)
        yield home
        home.chmod(0o755)


def as_user(work: Callable[[], None]) -> None:
    """Do something as a user to whom things are refused: root becomes one, in a process of its own."""
    if os.geteuid() != 0:
        work()
        return
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


def test_a_file_that_may_not_be_written_is_not_replaced(own_place: Path) -> None:
    (own_place / "out").chmod(0o444)

    def write() -> None:
        with pytest.raises(PermissionError), open_whole(own_place / "out"):
            pass

    as_user(write)
    assert (own_place / "out").read_text() == EARLIER


def test_where_the_folder_takes_no_file_the_file_itself_is_written(own_place: Path) -> None:
    own_place.chmod(0o555)

    def write() -> None:
        with pytest.raises(PermissionError):
            (own_place / "other").touch()
        with open_whole(own_place / "out") as out:
            out.write("new")

    as_user(write)
    assert (own_place / "out").read_text() == "new"


@as_root
def test_a_mounted_file_is_written_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "inside").write_text(EARLIER * 100)
    (tmp_path / "outside").write_text(EARLIER)
    command = "import sys; from pathlib import Path; from wirecopy.files import open_whole\n"
    command += "with open_whole(Path(sys.argv[1])) as out: out.write('new')"
    script = 'mount --bind outside inside || exit 77; exec "$0" -c "$1" inside'
    alone = ["unshare", "--mount"]
    if shutil.which(alone[0]) is None or subprocess.run([*alone, "true"], check=False).returncode:
        pytest.skip("no process may have mounts of its own here")
    ran = subprocess.run([*alone, "sh", "-c", script, sys.executable, command], cwd=tmp_path, check=False)
    if ran.returncode == 77:
        pytest.skip("no file may be mounted on another here")
    assert ran.returncode == 0
    assert (tmp_path / "outside").read_text() == "new"
    assert names(tmp_path) == ["inside", "outside"]
