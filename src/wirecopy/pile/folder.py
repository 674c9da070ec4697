"""A folder for work that is larger than memory: what each stage leaves, as files of chunks, and which stages are done.

    wirecopy-work.json      what the work is (its stamp), and of each stage that is done its folder and the size of each file
    wirecopy-piped-0        what came through a pipe, until it is read: only with the same can be gone on
    00/000000, 000001 …     the chunks of each bucket of a stage: number of columns, type and length of each, then the columns
    01.part/                a stage that was not finished: begun anew

A stage is in the list only once its files are on disk, whole and under their names; so what is listed can be relied on, whenever the
process was killed. A list with another stamp, or with files that are not as it says, is of no use: the work begins anew.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import secrets
import shutil
import weakref
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

import numpy as np

from .. import _core
from ..errors import WorkError
from ..files import BESIDE, open_whole
from ..matching import Plan
from ..matching.chunks import encode, read_heads
from ..matching.collection import Chunk, Kept, Pool, Progress, open_pool
from ..sources import Fields, read_pipe
from ..sources.paths import File, Files, cannot_open

UNKNOWN_MEMORY = 1 << 32
"""What is assumed to be free where the system does not say."""
LIST = "wirecopy-work.json"
LOCK = "wirecopy-work.lock"
SPOOLED = "wirecopy-piped-"
"""How the names of files begin that hold what came through a pipe."""
OURS = (BESIDE, SPOOLED)
FORMAT = 2
"""The number of the form of what stages leave, raised when that changes."""
WRITTEN_AT_ONCE = 1 << 24
"""Bytes of chunks that are gathered before they are written."""


@dataclass(frozen=True)
class OnDisk:
    """The chunks of one bucket of a stage; once they are dropped, there are none."""

    folder: Folder
    stage: str
    bucket: int

    @property
    def path(self) -> Path:
        """The file that holds them."""
        return self.folder.path / str(self.folder.done[self.stage]["folder"]) / f"{self.bucket:06}"

    def __len__(self) -> int:
        return int(self.folder.done[self.stage]["chunks"])

    @property
    def size(self) -> int:
        """How many bytes they are."""
        return int(self.folder.done[self.stage]["bytes"][self.bucket] or 0)

    def __iter__(self) -> Iterator[Chunk]:
        with naming(self.path):
            file = self.path.open("rb")
        with file:
            for _ in range(len(self)):
                with naming(self.path):
                    chunk = [_read_column(file, *head) for head in read_heads(file.read)]
                yield chunk

    def places(self) -> list[tuple[int, int]]:
        """Where the columns of each chunk begin in the file, and how many bytes they are."""
        places = []
        with naming(self.path), self.path.open("rb") as file:
            for _ in range(len(self)):
                size = sum(kind.itemsize * length for kind, length in read_heads(file.read))
                places.append((file.tell(), size))
                file.seek(size, os.SEEK_CUR)
        return places

    @cached_property
    def _descriptor(self) -> int:
        with naming(self.path):
            descriptor = os.open(self.path, os.O_RDONLY)
        weakref.finalize(self, os.close, descriptor)
        return descriptor

    def read_at(self, start: int, size: int) -> bytes:
        """Some bytes of the file, from any thread."""
        with naming(self.path):
            content = os.pread(self._descriptor, size, start)
            if len(content) != size:
                raise OSError(f"expected {size} bytes at {start}, got {len(content)}")
        return content

    def drop(self) -> None:
        """Remove the file once the stage that is under way is done."""
        self.folder.dropped.append(self)


def _read_column(file: IO[bytes], kind: np.dtype[Any], length: int) -> Any:
    column = np.empty(length, kind)
    if length and file.readinto(column.view(np.uint8)) != column.nbytes:  # type: ignore[attr-defined]
        raise OSError(f"expected {column.nbytes} bytes more")
    return column


class Folder:
    """A folder for work, opened by one process at a time.

    `began_anew` says that there was work in the folder which could not be gone on with.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stamp: Any = None
        self.done: dict[str, Any] = {}
        self.dropped: list[OnDisk] = []
        self.began_anew = False
        self._digests: dict[Path, str] = {}
        """Of what came through a pipe, by the file that it is in."""
        with naming(path):
            path.mkdir(parents=True, exist_ok=True)
            others = {one.name for one in path.iterdir() if not one.name.startswith(OURS)} - {LOCK}
            if others and LIST not in others:
                raise WorkError(f"{path}: expected an empty folder, or one with the list {LIST}")
            self._lock = (path / LOCK).open("wb")
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._lock.close()
                raise WorkError(
                    f"{path}: another process works here; wait for it, or name another folder"
                ) from None

    def begin(self, stamp: Mapping[str, Any]) -> None:
        """Go on with what is there, if it is the work that the stamp says, or begin anew."""
        self.stamp = json.loads(json.dumps(stamp))
        try:
            listed = json.loads((self.path / LIST).read_text("utf-8"))
            if listed["stamp"] == self.stamp and self._is_whole(listed["done"]):
                self.done = listed["done"]
            else:
                self.began_anew = True
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError):
            self.began_anew = True
        with naming(self.path):
            _remove_stages(self.path, keep={stage["folder"] for stage in self.done.values()})
        self._write_list()

    def spool(self, inputs: Sequence[Any]) -> list[Any]:
        """The inputs, of which those that come through a pipe are files in the folder, until they are read."""
        pipes = [file for one in inputs if isinstance(one, Files) for file in one.files if file.is_pipe]
        spooled = {file: self._spool(number, file) for number, file in enumerate(dict.fromkeys(pipes))}
        return [
            replace(one, files=tuple(spooled.get(file, file) for file in one.files))
            if isinstance(one, Files)
            else one
            for one in inputs
        ]

    def _spool(self, number: int, pipe: File) -> File:
        target = self.path / f"{SPOOLED}{number}{pipe.path.suffix}"
        digest, size = hashlib.blake2b(digest_size=16), 0
        with naming(self.path):
            out = target.open("wb")
        with out:
            try:
                for block in read_pipe(pipe):
                    with naming(self.path):
                        out.write(block)
                    digest.update(block)
                    size += len(block)
            except OSError as error:
                return replace(pipe, problem=cannot_open(error))
            with naming(self.path):
                out.flush()
        self._digests[target] = digest.hexdigest()
        return replace(pipe, path=target, size=size)

    def identify(self, inputs: Sequence[Any]) -> Any:
        """What the inputs are: as long as that is the same, they are. Those that are no files are never the same again."""
        files = [file for one in inputs for file in (one.files if isinstance(one, Files) else [one])]
        if not all(isinstance(file, File) for file in files):
            return secrets.token_hex(8)
        return [
            [file.name, file.shown, file.size, self._digests[file.path]]
            if file.path in self._digests
            else _identify(file)
            for file in files
        ]

    def _is_whole(self, done: Mapping[str, Any]) -> bool:
        """Whether all files are there as the list says."""
        return all(
            (self.path / stage["folder"] / f"{bucket:06}").stat().st_size == size
            for stage in done.values()
            for bucket, size in enumerate(stage["bytes"])
            if size is not None
        )

    def _write_list(self) -> None:
        with naming(self.path), open_whole(self.path / LIST, encoding="utf-8") as out:
            json.dump({"stamp": self.stamp, "done": self.done}, out)
        with naming(self.path):
            _sync(self.path)

    def kept(self, stage: str) -> list[OnDisk]:
        """The buckets of a stage that is done."""
        return [OnDisk(self, stage, bucket) for bucket in range(len(self.done[stage]["bytes"]))]

    def write(self, stage: str, buckets: int, results: Iterable[Sequence[Chunk]]) -> list[OnDisk]:
        """Write the results of a stage, a chunk for each bucket, and put it on the list; returns what is kept."""
        name = f"{len(self.done):02}"
        unfinished, chunks, gathered = self.path / f"{name}.part", 0, 0
        sizes, waiting = [0] * buckets, [list[bytes | memoryview]() for _ in range(buckets)]
        with naming(self.path):
            unfinished.mkdir()
        for one in results:
            for bucket, chunk in enumerate(one):
                content = encode(chunk)
                waiting[bucket] += content
                sizes[bucket] += (size := sum(map(len, content)))
                gathered += size
            chunks += 1
            if gathered > WRITTEN_AT_ONCE:
                _append(unfinished, waiting)
                gathered = 0
        _append(unfinished, waiting, last=True)
        with naming(self.path):
            _sync(unfinished)
            unfinished.rename(self.path / name)
            _sync(self.path)
        self.done[stage] = {"folder": name, "chunks": chunks, "bytes": sizes}
        dropped, self.dropped = self.dropped, []
        for old in dropped:
            self.done[old.stage]["bytes"][old.bucket] = None
        self._write_list()
        with naming(self.path):
            for path in [*(old.path for old in dropped), *self._digests]:
                path.unlink(missing_ok=True)
        return self.kept(stage)

    def close(self) -> None:
        """Let others work here."""
        self._lock.close()


def remove_work(path: Path) -> None:
    """Remove what was written into a folder for work, and the folder if nothing else is in it.

    The list goes last: what is left of a folder when the process is killed is still known as one.
    """
    with naming(path, "the work is done; remove the folder"):
        _remove_stages(path, drop=OURS)
        for name in (LIST, LOCK):
            (path / name).unlink(missing_ok=True)
        if not any(path.iterdir()):
            path.rmdir()


def _remove_stages(path: Path, keep: Collection[str] = (), drop: str | tuple[str, ...] = BESIDE) -> None:
    for one in path.iterdir():
        if re.fullmatch(r"\d\d+(\.part)?", one.name) and one.name not in keep:
            shutil.rmtree(one)
        elif one.name.startswith(drop):
            one.unlink()


def _append(folder: Path, waiting: list[list[bytes | memoryview]], *, last: bool = False) -> None:
    """Write what waits for each bucket behind what its file has, and forget it; the last time, until it is on disk."""
    for bucket, content in enumerate(waiting):
        if content or last:
            with naming(folder.parent), (folder / f"{bucket:06}").open("ab", buffering=0) as file:
                for part in content:
                    left = memoryview(part)
                    while left:
                        left = left[file.write(left) :]
                if last:
                    os.fsync(file.fileno())
            content.clear()


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


GO_ON = (
    "make room on the disk or check that the folder can be written, and go on with the same command: "
    "stages that are done are kept"
)


@contextmanager
def naming(path: Path, advice: str = GO_ON) -> Iterator[None]:
    """What the system refuses of a folder for work, as a WorkError with advice."""
    try:
        yield
    except OSError as error:
        raise WorkError(f"{path}: {error.strerror or error}; {advice}") from error


class WorkPool(Pool):
    """Threads that leave what stages give in a folder, and do not do again what is there."""

    def __init__(self, threads: int, progress: Progress | None, folder: Folder, memory: int) -> None:
        super().__init__(threads, progress)
        self.folder = folder
        self.memory = memory

    def leave_room(self, articles: int) -> None:
        """Work in what is left of the memory beside what is held of so many articles: in a quarter of it at least."""
        self.memory = max(self.memory // 4, self.memory - HELD_BYTES * articles)

    def cut(self, articles: int) -> np.ndarray[Any, np.dtype[np.uint32]]:
        """The first ranks of the ranges but that of the first: as many as the memory asks for."""
        ranges = -(-articles * EVIDENCE_BYTES * self.threads // max(1, self.memory // 4))
        edges = np.linspace(0, articles, max(1, min(ranges, MOST_RANGES)) + 1).astype(np.uint32)
        return np.unique(edges[1:-1])

    def cut_names(self, size: int) -> int:
        """In how many ranges slots are learnt from that take so many bytes."""
        return max(1, min(-(-size // max(1, self.memory // 4)), MOST_RANGES))

    def done(self, name: str) -> Sequence[Kept] | None:
        """What a stage left in files, if it is done."""
        return self.folder.kept(name) if name in self.folder.done else None

    def keep(self, name: str, buckets: int, results: Iterable[Sequence[Chunk]]) -> Sequence[Kept]:
        """The results of a stage that has a name, in files."""
        return self.folder.write(name, buckets, results) if name else super().keep(name, buckets, results)


EVIDENCE_BYTES = 1300
"""Memory that the evidence of an article takes while it is agreed on: 13 rows an article in 182,000, and four times that to be safe."""
MOST_RANGES = 500
PROGRAM_BYTES = 60_000_000
HELD_BYTES = 250
"""Memory that an article takes whatever is asked for: what is known of it, and what is found."""


@contextmanager
def open_work(
    folder: Folder, threads: int | None, progress: Progress | None, memory: int
) -> Iterator[WorkPool]:
    """A pool of N threads that works in a folder, in so many bytes of memory; then others may work there."""
    try:
        with open_pool(threads, progress, partial(WorkPool, folder=folder, memory=memory)) as pool:
            assert isinstance(pool, WorkPool)
            yield pool
    finally:
        folder.close()


def free_memory() -> int:
    """How many bytes of memory this machine has to spare, as far as it says so."""
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        line = next(line for line in lines if line.startswith("MemAvailable:"))
        return int(line.split()[1]) * 1024
    return UNKNOWN_MEMORY


def stamp(plan: Plan, inputs: Any, fields: Fields) -> dict[str, Any]:
    """What the work is: only with the same can it be gone on with. `inputs` are as `Folder.identify` says."""
    statistics = plan.statistics
    weighed = statistics and [
        zlib.crc32(column.tobytes()) for column in (statistics.words, statistics.counts)
    ]
    return {
        "version": [version("wirecopy"), _core.TEXT_VERSION, FORMAT],
        "plan": [plan.preset, list(map(str, plan.methods)), plan.linked, weighed],
        "fields": repr(fields),
        "inputs": inputs,
    }


def _identify(file: File) -> list[Any]:
    with suppress(OSError):
        status = file.path.stat()
        return [str(file.path.resolve()), file.name, file.shown, status.st_size, status.st_mtime_ns]
    return [str(file.path), file.name, file.shown]
