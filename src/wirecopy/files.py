"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

BESIDE = ".wirecopy-"
"""How the names of files begin that are still to take the place of others."""
_MOST_LINKS = 40
"""Links to links that are followed, as many as Linux follows."""
_NO_ROOM_BESIDE = (errno.EACCES, errno.EPERM, errno.EROFS)
_NEEDS_NAME = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT)
"""How systems say that they have no files without names."""


@contextmanager
def open_whole(path: Path, mode: str = "w", **options: Any) -> Iterator[IO[Any]]:
    """A file to write that takes the place of an earlier one once all is written; until then, and if anything fails, that one stays.

    Links are followed, and permissions kept; another hard link keeps the earlier file. What cannot be replaced is written as it is:
    devices, pipes, open files such as /dev/stdout, and a file whose folder takes no other. Options are those of `open`; an OSError of
    opening or of putting the file in place names `path`.
    """
    with _naming(path):
        target = _follow(path)
        earlier = _permissions(target) if target else None
        beside = _open_beside(target, earlier is not None) if target else None
    if target is None or beside is None:
        with path.open(mode, **options) as out:
            yield out
        return
    descriptor, name = beside
    try:
        with os.fdopen(descriptor, mode, **options) as out:
            with _naming(path):
                if earlier:
                    _keep_permissions(descriptor, earlier)
            yield out
            out.flush()
            with _naming(path):
                os.fsync(descriptor)
                name = name or _give_name(descriptor, target.parent)
                _put_in_place(name, target)
    finally:
        if name:
            with suppress(FileNotFoundError):
                name.unlink()


def _follow(path: Path) -> Path | None:
    """The file that a path names behind all links, whether or not it is there; None for what cannot be replaced."""
    if path.exists() and not path.is_file():
        return None
    for _ in range(_MOST_LINKS):
        folder = path.parent.resolve()
        if folder.is_relative_to("/proc") or folder == Path("/dev/fd"):
            return None
        path = folder / path.name
        if not path.is_symlink():
            return path
        path = folder / path.readlink()
    return None


def _permissions(target: Path) -> os.stat_result | None:
    """Those of a file, if it is there; raises OSError if it may not be written, which says that it may not be replaced either."""
    try:
        earlier = os.open(target, os.O_WRONLY)
    except FileNotFoundError:
        return None
    try:
        return os.fstat(earlier)
    finally:
        os.close(earlier)


def _keep_permissions(descriptor: int, earlier: os.stat_result) -> None:
    with suppress(PermissionError):  # only root gives files away
        os.fchown(descriptor, earlier.st_uid, earlier.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(earlier.st_mode))


def _open_beside(target: Path, is_there: bool) -> tuple[int, Path | None] | None:
    """A new file in the folder of another: its descriptor, and its name if it has one; None if only the other can be written.

    Where the system can, it has no name, so that nothing of it is left when the process is killed.
    """
    folder = target.parent
    try:
        if hasattr(os, "O_TMPFILE") and Path("/proc/self/fd").is_dir():
            try:
                return os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o666), None
            except OSError as error:
                if error.errno not in _NEEDS_NAME:
                    raise
        name = _new_name(folder)
        return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), name
    except OSError as error:
        if is_there and error.errno in _NO_ROOM_BESIDE:
            return None
        raise


def _new_name(folder: Path) -> Path:
    return folder / f"{BESIDE}{secrets.token_hex(8)}"


def _give_name(descriptor: int, folder: Path) -> Path:
    """Name an open file that has none."""
    name = _new_name(folder)
    # With a folder, though it does not matter here, Python asks the system to follow the link in /proc.
    os.link(f"/proc/self/fd/{descriptor}", name, src_dir_fd=descriptor)
    return name


def _put_in_place(name: Path, target: Path) -> None:
    try:
        name.replace(target)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        # A file that is mounted, into a container for instance, can be written but not replaced.
        with name.open("rb") as whole, target.open("wb") as out:
            shutil.copyfileobj(whole, out)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
