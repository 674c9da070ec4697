"""Where articles come from: files and folders of many kinds, streams, Python objects, Arrow tables.

`read` gives out work: the cheap part, reading bytes and cutting them up, is done while it is iterated; the expensive
part, parsing, when the work is called, on any thread. What is no article is in the batch's `skipped`, with its place
and what to do about it.

In a list, or any other iterable, a str is a text and a Path is a path; a str by itself is a path.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wirecopy.errors import UsageError
from wirecopy.model import Article
from wirecopy.sources import arrow, csv_files, json_files, jsonl, objects, text_files
from wirecopy.sources.fields import Fields
from wirecopy.sources.opening import Damaged, Stream
from wirecopy.sources.paths import File, Files, cannot_open, find
from wirecopy.sources.work import Work, skip

__all__ = ["Fields", "Work", "read", "total_bytes"]

_KINDS = {
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    **dict.fromkeys((".parquet", ".arrow", ".feather"), "arrow"),
    **dict.fromkeys((".html", ".htm", ".xhtml", ".xml", ".rss", ".atom", ".warc", ".wacz"), "web"),
    **dict.fromkeys(
        (
            *(".png", ".jpg", ".jpeg", ".gif", ".webp", ".tif", ".tiff", ".bmp", ".ico", ".heic"),
            *(".mp3", ".mp4", ".m4a", ".wav", ".ogg", ".webm", ".avi", ".mov", ".mkv"),
            *(".zip", ".tar", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".jar"),
            *(".pdf", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".ods", ".epub"),
            *(".exe", ".dll", ".so", ".o", ".a", ".pyc", ".class", ".wasm", ".woff", ".woff2", ".ttf"),
            *(".sqlite", ".db", ".npy", ".npz", ".pkl", ".bin"),
        ),
        "binary",
    ),
}
"""The kind of a file by the end of its name; everything else is text if it looks like it."""

_UNREAD = {
    "binary": "not a text: {suffix} files are not read",
    "web": "web pages, feeds and WARC files are not yet supported; give their texts",
}

_FILES_A_BATCH = 256


def read(
    inputs: Any,
    *,
    fields: Fields = Fields(),  # noqa: B008 - frozen
    batch_bytes: int = 4 << 20,
    unnamed: str = "record",
) -> Iterator[Work]:
    """The articles of one or several inputs, as work that is still to be called.

    An input is a path (file, folder, glob, "-" for stdin), an Arrow table or anything with `__arrow_c_stream__`, an
    Article, a dict, or an iterable of these and of texts. A dict without an id is `unnamed:1` and so on. Raises
    SourceError for a path that does not exist.
    """
    if batch_bytes < 1:
        raise UsageError(f"batch_bytes: expected 1 or more, got {batch_bytes}")
    return _read(_resolve(inputs), fields, batch_bytes, unnamed)


def total_bytes(inputs: Any) -> int | None:
    """The size of all files of the inputs; None if they are not all regular files."""
    resolved = _resolve(inputs)
    items = resolved if isinstance(resolved, list) else [resolved]
    files = [file for item in items if isinstance(item, Files) for file in item.files]
    if not all(isinstance(item, Files) for item in items) or any(file.is_pipe for file in files):
        return None
    return sum(file.size for file in files)


def _resolve(inputs: Any) -> Any:
    """The inputs with all paths looked up, so that a wrong one is known before any work is done."""
    if isinstance(inputs, str | os.PathLike):
        return find(os.fspath(inputs))
    if isinstance(inputs, list | tuple):
        return [find(os.fspath(item)) if isinstance(item, os.PathLike) else item for item in inputs]
    return inputs


def _read(inputs: Any, fields: Fields, batch_bytes: int, unnamed: str) -> Iterator[Work]:
    batches = objects.Batches(fields, batch_bytes, unnamed)
    tables = 0
    for item in _flatten(inputs):
        if isinstance(item, str | Mapping | Article):
            yield from batches.add(item)
            continue
        yield from batches.flush()
        if isinstance(item, os.PathLike):
            item = find(os.fspath(item))
        if isinstance(item, Files):
            yield from _read_files(item.files, fields, batch_bytes)
        elif hasattr(item, "__arrow_c_stream__"):
            tables += 1
            yield from arrow.read_table(item, f"table{tables if tables > 1 else ''}", fields, batch_bytes)
        else:
            yield batches.unusable(item)
    yield from batches.flush()


def _flatten(inputs: Any) -> Iterator[Any]:
    single = (str, bytes, Mapping, Article, os.PathLike, Files)
    if (
        isinstance(inputs, single)
        or hasattr(inputs, "__arrow_c_stream__")
        or not isinstance(inputs, Iterable)
    ):
        yield inputs
    else:
        for item in inputs:
            yield from _flatten(item)


def _read_files(files: Iterable[File], fields: Fields, batch_bytes: int) -> Iterator[Work]:
    """Small texts travel together; every other file by itself."""
    group: list[File] = []
    for file in files:
        kind, compression = _kind(file.path.name)
        small_text = kind == "text" and not (compression or file.is_pipe or file.problem)
        if small_text:
            group.append(file)
        if group and (
            not small_text or len(group) == _FILES_A_BATCH or sum(file.size for file in group) >= batch_bytes
        ):
            yield _texts(group, "", fields)
            group = []
        if not small_text:
            yield from _read_file(file, kind, compression, fields, batch_bytes)
    if group:
        yield _texts(group, "", fields)


def _texts(files: list[File], compression: str, fields: Fields) -> Work:
    wanted = [(file.path, file.name, file.shown) for file in files]
    return Work(lambda: text_files.read(wanted, compression, fields), sum(file.size for file in files))


def _kind(name: str) -> tuple[str, str]:
    """The kind of a file and how it is compressed, by its name."""
    stem, suffix = os.path.splitext(name.lower())  # noqa: PTH122 - a name, not a path
    compression = suffix[1:] if suffix in (".gz", ".zst") else ""
    if compression:
        suffix = os.path.splitext(stem)[1]  # noqa: PTH122
    return _KINDS.get(suffix, "text"), compression


def _read_file(file: File, kind: str, compression: str, fields: Fields, batch_bytes: int) -> Iterator[Work]:
    problem = file.problem or _UNREAD.get(kind, "").format(suffix=file.path.suffix)
    if problem:
        yield skip(file.shown, problem, file.size)
        return
    if kind == "text" and not file.is_pipe:
        yield _texts([file], compression, fields)
        return
    try:
        if kind == "arrow":
            yield from arrow.read_file(file.path, compression, file.shown, fields, batch_bytes)
            return
        with _open(file) as raw:
            stream = Stream(raw, None if file.is_pipe else compression)
            yield from _read_stream(stream, file, kind, fields, batch_bytes)
    except OSError as error:
        yield skip(file.shown, cannot_open(error), file.size)
    except Damaged as damage:
        yield skip(file.shown, str(damage), file.size)


def _open(file: File) -> contextlib.AbstractContextManager[Any]:
    return (
        contextlib.nullcontext(sys.stdin.buffer)
        if file.name == "-" and file.is_pipe
        else file.path.open("rb", buffering=0)
    )


def _read_stream(stream: Stream, file: File, kind: str, fields: Fields, batch_bytes: int) -> Iterator[Work]:
    head = stream.peek(1 << 10).lstrip()
    if kind == "text":
        kind = "jsonl" if head.startswith(b"{") else "json" if re.match(rb"\[\s*[{\]]", head) else kind
    if kind == "text":
        yield text_files.read_stream(stream, file.name, file.shown, fields)
    elif not stream.peek(1):
        yield skip(file.shown, "empty")
    elif kind == "jsonl":
        yield from jsonl.read(stream, file.shown, fields, batch_bytes)
    elif kind == "json":
        yield from json_files.read(stream, file.shown, fields, batch_bytes)
    else:
        yield from csv_files.read(stream, file.shown, kind, fields, batch_bytes)
