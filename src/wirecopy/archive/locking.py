"""The lock of the one writer of an archive: on the SQLite file itself, so that it holds whatever name the file goes by.

It is flock(2), which SQLite does not use. A process that closes any descriptor of a file loses all its POSIX locks on that file, and by these
SQLite knows who reads: a descriptor is closed only where this process has no other of the same file, and else kept for the next lock.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock as Mutex
from weakref import WeakSet

from ..errors import ArchiveError, BusyError

Identity = tuple[int, int]
"""What a file is, whatever its name: its device and its number there."""

PAUSE_SECONDS, MOST_PAUSE_SECONDS = 0.002, 0.05
"""Between two tries of who waits for the lock, at first and at most; the system has no wait that ends."""

_kept: dict[Identity, list[int]] = {}
_held: WeakSet[Lock] = WeakSet()
_mutex = Mutex()


def identify(file: Path | str | int) -> Identity | None:
    """What a file is; None where there is none."""
    try:
        known = os.stat(file)  # noqa: PTH116 - before and after every change, and a Path is slower
    except OSError:
        return None
    return known.st_dev, known.st_ino


class Lock:
    """The lock of the one writer, held until it is released or its process ends."""

    def __init__(self, descriptor: int, identity: Identity) -> None:
        self._descriptor: int | None = descriptor
        self._identity = identity
        _held.add(self)

    def release(self) -> None:
        """Let go of the lock."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            _put_away(descriptor, self._identity)

    def forget(self) -> None:
        """Leave the lock to the process that this one was forked from."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def __del__(self) -> None:
        self.release()


def take_lock(file: Path, identity: Identity, shown: Path, wait: float = 0.0) -> Lock:
    """Take the lock of the one writer on a file, which goes by a name in messages; raises BusyError if another has it so many seconds."""
    note = file.with_name(file.name + "-lock")
    try:
        with opening():
            descriptor = (_kept.get(identity) or [-1]).pop()
            if descriptor < 0:
                descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        found = identify(descriptor)
        if found != identity:
            if found:
                _put_away(descriptor, found)
            raise ArchiveError(gone(shown))
        try:
            _wait_for(descriptor, wait)
        except OSError:
            _put_away(descriptor, identity)
            raise
    except BlockingIOError:
        raise BusyError(
            f"{shown}: another program is writing to it (process {_read(note)}); wait for it to end. Reading is possible"
        ) from None
    except OSError as error:
        raise ArchiveError(
            f"{shown}: cannot be locked: {error.strerror}; check that it is on a local disk and can be read"
        ) from error
    with suppress(OSError):  # who it is only helps the message above
        note.write_text(f"{os.getpid()}\n")
    return Lock(descriptor, identity)


def _wait_for(descriptor: int, wait: float) -> None:
    """Lock a file; raises BlockingIOError if another has it for so many seconds."""
    until, pause = time.monotonic() + wait, PAUSE_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            left = until - time.monotonic()
            if left <= 0:
                raise
            time.sleep(min(left, pause))
            pause = min(2 * pause, MOST_PAUSE_SECONDS)


@contextmanager
def locked(file: Path, identity: Identity, shown: Path) -> Iterator[None]:
    """Hold the lock of the one writer."""
    lock = take_lock(file, identity, shown)
    try:
        yield
    finally:
        lock.release()


def gone(shown: Path) -> str:
    """What is said of a file that is no longer what was opened."""
    return (
        f"{shown}: moved, deleted or replaced since it was opened: nothing is written; put it back, with its -wal, or open"
        " what is there now, and repeat what was not acknowledged"
    )


def _read(note: Path) -> str:
    try:
        return note.read_bytes()[:32].decode(errors="replace").strip() or "unknown"
    except OSError:
        return "unknown"


@contextmanager
def opening() -> Iterator[None]:
    """While a descriptor of an archive's file is opened, none is closed."""
    with _mutex:
        yield


def close_kept(identity: Identity) -> None:
    """Close the descriptors that were kept of a file, if this process has no other."""
    with _mutex:
        kept = _kept.get(identity)
        if not kept:
            return
        try:
            found = {int(path.name) for path in Path("/dev/fd").iterdir()}
        except OSError:
            return
        if all(identify(other) != identity for other in found - set(kept)):
            for descriptor in _kept.pop(identity):
                os.close(descriptor)


def _put_away(descriptor: int, identity: Identity) -> None:
    with _mutex:
        _kept.setdefault(identity, []).append(descriptor)
    close_kept(identity)


def _leave_to_parent() -> None:
    global _mutex  # another thread of the parent may hold it
    _mutex = Mutex()
    for lock in list(_held):
        lock.forget()
    for descriptors in _kept.values():
        for descriptor in descriptors:
            os.close(descriptor)
    _kept.clear()


os.register_at_fork(after_in_child=_leave_to_parent)
