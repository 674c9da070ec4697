"""Some records of files, written as they came: with all their fields, in the format that they had.

What is known by its place in a file (a line, a row, an element) is copied from there; a text or a page is a file of its own. Files are read
twice, so none of them can be a pipe.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from ..errors import UsageError
from ..files import open_whole
from . import read, resolve
from .fields import Fields
from .kinds import kind_of_file
from .opening import Stream
from .paths import File, Files
from .work import MAX_RECORD_BYTES

RECORDS = ("jsonl", "json", "csv", "tsv", "arrow")
ALONE = ("text", "page")
Keep = Callable[[str], bool]


def plan_copy(paths: Sequence[Path], out: Path) -> list[tuple[File, Path]]:
    """Where each file of some paths is written: a file to a file, a folder or several files to a folder.

    Raises UsageError where there is more than one kind of file, or one that cannot be written, or a pipe.
    """
    files = [file for argument in resolve(list(paths))[0] for file in argument.files if not file.problem]
    if any(file.is_pipe for file in files):
        raise UsageError("-: what is deduplicated is read twice; give a file")
    kinds = {file.path: kind_of_file(file) for file in files}
    names = sorted({kind for kind, _ in kinds.values()})
    if len(names) > 1:
        raise UsageError(f"expected one kind of files, got {', '.join(names)}: deduplicate them one by one")
    if names and names[0] not in (*RECORDS, *ALONE):
        raise UsageError(
            f"{names[0]} files cannot be written: expected JSON lines, JSON, CSV, Parquet, texts or pages"
        )
    if names and names[0] == "arrow" and any(path.suffix != ".parquet" for path in kinds):
        raise UsageError("of Arrow files only Parquet can be written")
    if len(paths) == 1 and paths[0].is_file() and names[0] in RECORDS and not out.is_dir():
        return [(files[0], out)]
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: a file, where several are to be written: name a folder")
    if out.is_dir() and any(out.iterdir()):
        raise UsageError(f"{out} holds other files: name a new folder")
    targets = [out / file.name for file in files]
    if len(set(targets)) < len(targets):
        raise UsageError("several files have one name: give the folder that they are below")
    return list(zip(files, targets, strict=True))


def copy_records(places: Sequence[tuple[File, Path]], fields: Fields, keep: Keep) -> int:
    """Write the records to keep, by their ids, from each file to its place; returns how many. Of records with one id the first counts."""
    seen: set[str] = set()
    number = 0
    for file, target in places:
        kind, compression = kind_of_file(file)
        kept = list(_kept(file, fields, keep, seen))
        number += len(kept)
        target.parent.mkdir(parents=True, exist_ok=True)
        if kind in ALONE:
            if kept:
                shutil.copyfile(file.path, target)
            continue
        lines = {int(where.rpartition(":")[2]) for where in kept}
        if kind == "arrow":
            _copy_table(file.path, target, lines)
            continue
        with _open_source(file, compression, fields) as source, _open_target(target) as out:
            if kind == "json":
                _copy_elements(source.read(), lines, out)
            elif kind == "jsonl":
                out.writelines(_ended(line) for at, line in enumerate(source, 1) if at in lines)
            else:
                _copy_rows(source, kind, lines, out)
    return number


def _kept(file: File, fields: Fields, keep: Keep, seen: set[str]) -> Iterator[str]:
    """The places of the records to keep."""
    for work in read([Files((file,))], fields=fields):
        batch = work()
        for row, name in enumerate(batch.ids):
            if name not in seen:
                seen.add(name)
                if keep(name):
                    yield batch.where(row) if batch.where else name


@contextmanager
def _open_source(file: File, compression: str, fields: Fields) -> Iterator[IO[bytes]]:
    with file.path.open("rb", buffering=0) as raw:
        yield io.BufferedReader(Stream(raw, compression, encoding=fields.encoding), 1 << 20)


@contextmanager
def _open_target(target: Path) -> Iterator[IO[bytes]]:
    """A file to write, compressed as its name says."""
    with open_whole(target, "wb") as out:
        if target.suffix == ".gz":
            import gzip

            with gzip.GzipFile("", "wb", 6, out, 0) as packed:
                yield cast(IO[bytes], packed)
        elif target.suffix == ".zst":
            import zstandard

            packer = zstandard.ZstdCompressor(write_checksum=True).stream_writer(out, closefd=False)
            with io.BufferedWriter(cast(Any, packer), 1 << 16) as buffered:
                yield buffered
        else:
            yield out


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n"


def _copy_elements(data: bytes, numbers: set[int], out: IO[bytes]) -> None:
    """Copy elements of a JSON array, by their numbers; or lines, if these are JSON lines after all."""
    text = data.decode("utf-8-sig")
    start = len(text) - len(text.lstrip())
    if not text[start:].startswith("["):
        if _is_one(text):
            out.write(data if numbers else b"")
        else:
            out.writelines(_ended(line) for at, line in enumerate(io.BytesIO(data), 1) if at in numbers)
        return
    decoder = json.JSONDecoder()
    space = re.compile(r"[\s,]*")
    place, number, parts = start + 1, 0, []
    while text[(place := space.match(text, place).end())] != "]":  # type: ignore[union-attr]
        _, end = decoder.raw_decode(text, place)
        number += 1
        if number in numbers:
            parts.append(text[place:end])
        place = end
    out.write(("[" + ",\n".join(parts) + "]\n").encode())


def _is_one(text: str) -> bool:
    """Whether a text is one JSON value, perhaps over many lines."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


class _Recorder:
    """Lines of a table, of which it remembers those that were read since it was asked last."""

    def __init__(self, source: IO[bytes]) -> None:
        self.lines = io.TextIOWrapper(source, "utf-8", "surrogateescape", newline="")
        self.read: list[str] = []
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self.lines.readline()
        if not line:
            raise StopIteration
        self.read.append(line)
        return line

    def take(self) -> tuple[int, bytes]:
        """The number of the first line since then, and all of them."""
        first, lines = self.number + 1, self.read
        self.number += len(lines)
        self.read = []
        return first, "".join(lines).encode("utf-8", "surrogateescape")


def _copy_rows(source: IO[bytes], kind: str, lines: set[int], out: IO[bytes]) -> None:
    """Copy rows of a table, by the lines in which they begin, behind its header."""
    from .csv_files import find_delimiter

    csv.field_size_limit(max(csv.field_size_limit(), MAX_RECORD_BYTES))
    head = source.peek(64 << 10)[: 64 << 10]  # type: ignore[attr-defined]
    recorder = _Recorder(source)
    rows = csv.reader(recorder, delimiter="\t" if kind == "tsv" else find_delimiter(head))
    next(rows)
    out.write(_ended(recorder.take()[1]))
    for _ in rows:
        first, raw = recorder.take()
        if first in lines:
            out.write(_ended(raw))


def _copy_table(path: Path, target: Path, rows: set[int]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table: Any = pq.read_table(path)
    kept = table.take(pa.array(sorted(row - 1 for row in rows), pa.int64()))
    with open_whole(target, "wb") as out:
        pq.write_table(kept, out)
