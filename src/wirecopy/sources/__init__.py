"""Where articles come from: files and folders of many kinds, streams, web pages, Python objects, Arrow tables.

`read` gives out work: the cheap part, reading bytes and cutting them up, is done while it is iterated; the expensive
part, parsing, when the work is called, on any thread. What is no article is in the batch's `skipped`, with its place
and what to do about it. `read_pages` gives out web pages in the same way; `read` takes the articles out of them.

In a list, or any other iterable, a str is a text and a Path is a path; a str by itself is a path.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from wirecopy.errors import UsageError
from wirecopy.model import Article, Page
from wirecopy.sources import arrow, csv_files, json_files, jsonl, objects, sitemaps, text_files
from wirecopy.sources.fields import Fields
from wirecopy.sources.kinds import (
    NAMING_ROOTS,
    PAGE_KINDS,
    SNIFFED,
    kind_of,
    kind_of_file,
    names_article,
    root_of_file,
    unread,
)
from wirecopy.sources.opening import Ahead, Stream
from wirecopy.sources.paths import File, Files, cannot_open, find, tell_apart
from wirecopy.sources.unpacking import Damaged
from wirecopy.sources.web import Pages, PageWork, Web
from wirecopy.sources.work import Work, skip

__all__ = [
    "Fields",
    "PageWork",
    "Pages",
    "Work",
    "files_read",
    "read",
    "read_pages",
    "read_pipe",
    "resolve",
    "total_bytes",
]

_NO_PAGE = "not a web page: expected HTML, a feed, a sitemap or WARC"

_FILES_A_BATCH = 256
_PIPED_AT_ONCE = 1 << 20


def read(
    inputs: Any,
    *,
    fields: Fields = Fields(),  # noqa: B008 - frozen
    batch_bytes: int = 4 << 20,
    unnamed: str = "record",
    numbered: bool = False,
) -> Iterator[Work]:
    """Yields the articles of one or several inputs, as work that is still to be called.

    An input is a path (file, folder, glob, "-" for stdin), an Arrow table or anything with `__arrow_c_stream__`, a polars LazyFrame,
    an Article, a dict, or an iterable of these and of texts. A dict without an id is `unnamed:1` and so on, a row of a table `table:1`,
    a text its BLAKE3. With `numbered` a text is its place in the list, from 0, and a row of a table that is the only input what the
    table's index says. Raises SourceError for a path that does not exist.
    """
    if batch_bytes < 1:
        raise UsageError(f"batch_bytes: expected 1 or more, got {batch_bytes}")
    fields.check()
    return _read(resolve(inputs)[0], fields, batch_bytes, unnamed, numbered)


def read_pages(inputs: Any, *, batch_bytes: int = 4 << 20) -> Iterator[PageWork]:
    """Yields the web pages of one or several inputs, as work that is still to be called.

    An input is a path (file, folder, glob, "-" for stdin), a Page, or an iterable of these. Raises SourceError for a
    path that does not exist.
    """
    if batch_bytes < 1:
        raise UsageError(f"batch_bytes: expected 1 or more, got {batch_bytes}")
    return _read_pages(resolve(inputs)[0], batch_bytes)


def total_bytes(inputs: Any) -> int | None:
    """The size of all files of the inputs together; None if some input is not a regular file or folder."""
    [items] = resolve(inputs)
    files = [file for item in items if isinstance(item, Files) for file in item.files]
    if not all(isinstance(item, Files) for item in items) or any(file.is_pipe for file in files):
        return None
    return sum(file.size for file in files)


def files_read(path: Path) -> Iterator[Path]:
    """Yields the files that are read if a path is an input, also those that only a sitemap names. Raises SourceError."""
    files = find(os.fspath(path)).files
    yield from (file.path for file in files)
    web = Web(1)
    for file in files:
        kind, compression = kind_of_file(file)
        if kind in ("xml", "page") and root_of_file(file, compression) in sitemaps.ROOTS:
            web.learn(file, kind, compression)
    yield from web.named_files()


def resolve(*inputs: Any) -> list[list[Any]]:
    """Each of several inputs as a list that can be read, with the files of all paths, so that a wrong path is known before any work is done.

    Different files have different names, also if they belong to different inputs: `tell_apart`. A path that an iterator gives out is
    looked up when its turn comes.
    """
    lists = [
        [find(os.fspath(item)) if isinstance(item, os.PathLike) else item for item in items]
        for items in ([find(one)] if isinstance(one, str) else _flatten(one, Collection) for one in inputs)
    ]
    files = [item for items in lists for item in items if isinstance(item, Files)]
    told = iter(tell_apart(files, names_article))
    return [[next(told) if isinstance(item, Files) else item for item in items] for items in lists]


def _read(
    inputs: list[Any], fields: Fields, batch_bytes: int, unnamed: str, numbered: bool
) -> Iterator[Work]:
    if (
        len(inputs) == 1
        and isinstance(inputs[0], Mapping)
        and (reason := objects.are_texts(inputs[0], fields))
    ):
        yield skip(f"{unnamed}:1", reason)
        return
    batches = objects.Batches(fields, batch_bytes, unnamed, numbered)
    web = _web(inputs, batch_bytes)
    tables = 0
    for place, item in enumerate(_flatten(inputs)):
        if isinstance(item, str | Mapping | Article):
            yield from batches.add(item, place)
            continue
        yield from batches.flush()
        if isinstance(item, os.PathLike):
            item = find(os.fspath(item))
        if isinstance(item, Files):
            yield from _read_files(item.files, fields, batch_bytes, web)
        elif isinstance(item, Page):
            yield from _extract(web.add(item, item.id), fields)
        elif hasattr(item, "__arrow_c_stream__"):
            tables += 1
            name = f"table{tables if tables > 1 else ''}"
            alone = len(inputs) == 1 and item is inputs[0]
            yield from arrow.read_table(item, name, fields, batch_bytes, numbered and alone)
        else:
            yield batches.unusable(item)
    yield from batches.flush()
    yield from _extract(web.finish(), fields)


def _read_pages(inputs: list[Any], batch_bytes: int) -> Iterator[PageWork]:
    web = _web(inputs, batch_bytes)
    for number, item in enumerate(_flatten(inputs), 1):
        if isinstance(item, os.PathLike):
            item = find(os.fspath(item))
        if isinstance(item, Files):
            for file in item.files:
                yield from _read_web(file, *kind_of_file(file), web)
        elif isinstance(item, Page):
            yield from web.add(item, item.id)
        else:
            web.skip(f"record:{number}", f"a {type(item).__name__} is no page; give a path or a Page")
    yield from web.finish()


def _web(inputs: list[Any], batch_bytes: int) -> Web:
    """A reader of pages that has learnt what all feeds and sitemaps among the inputs say."""
    web = Web(batch_bytes)
    for item in inputs:
        for file in item.files if isinstance(item, Files) else ():
            kind, compression = kind_of_file(file)
            # Mirrors keep a feed as feed/index.html.
            if kind in ("xml", "json feed") or (
                kind == "page" and root_of_file(file, compression) in NAMING_ROOTS
            ):
                web.learn(file, kind, compression)
    return web


def _extract(pages: Iterable[PageWork], fields: Fields) -> Iterator[Work]:
    return (work.extract(fields) for work in pages)


def _flatten(inputs: Any, kinds: Any = Iterable) -> Iterator[Any]:
    """Yields what is in an input, and in what is in it, as far as these are of some kinds; a polars LazyFrame is collected."""
    if hasattr(inputs, "collect_schema") and not hasattr(inputs, "__arrow_c_stream__"):
        inputs = inputs.collect()
    single = (str, bytes, Mapping, Article, Page, os.PathLike, Files)
    if isinstance(inputs, single) or hasattr(inputs, "__arrow_c_stream__") or not isinstance(inputs, kinds):
        yield inputs
    else:
        for item in inputs:
            yield from _flatten(item, kinds)


def _read_files(files: Iterable[File], fields: Fields, batch_bytes: int, web: Web) -> Iterator[Work]:
    """Yields the work in files: texts and pages in batches of many, every other file by itself."""
    group: list[File] = []
    for file in files:
        kind, compression = kind_of_file(file)
        if kind in PAGE_KINDS and not (file.is_pipe or file.problem):
            yield from _extract(_read_web(file, kind, compression, web), fields)
            continue
        small_text = kind == "text" and not (compression or file.is_pipe or file.problem)
        if small_text:
            group.append(file)
        if group and (
            not small_text or len(group) == _FILES_A_BATCH or sum(file.size for file in group) >= batch_bytes
        ):
            yield _texts(group, "", fields)
            group = []
        if not small_text:
            yield from _read_file(file, kind, compression, fields, batch_bytes, web)
    if group:
        yield _texts(group, "", fields)


def _texts(files: list[File], compression: str, fields: Fields) -> Work:
    return Work(lambda: text_files.read(files, compression, fields), sum(file.size for file in files))


def _read_file(
    file: File, kind: str, compression: str, fields: Fields, batch_bytes: int, web: Web
) -> Iterator[Work]:
    problem = file.problem or unread(kind, file)
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
            if file.is_pipe and (page_kind := _kind_in(raw)):
                yield from _extract(web.read(raw, page_kind, None, file), fields)
                return
            stream = Stream(raw, None if file.is_pipe else compression, encoding=fields.encoding)
            yield from _read_stream(stream, file, kind, fields, batch_bytes)
    except OSError as error:
        yield skip(file.shown, cannot_open(error), file.size)
    except Damaged as damage:
        yield skip(file.shown, str(damage), file.size)


def _read_web(file: File, kind: str, compression: str, web: Web) -> Iterator[PageWork]:
    """Yields the pages of a file, which is skipped if it holds none."""
    if file.problem:
        web.skip(file.shown, file.problem, file.size)
        return
    try:
        with _open(file) as raw:
            if file.is_pipe:
                kind = _kind_in(raw) or kind
            if kind in PAGE_KINDS:
                yield from web.read(raw, kind, None if file.is_pipe else compression, file)
            else:
                web.skip(file.shown, unread(kind, file) or _NO_PAGE, file.size)
    except OSError as error:
        web.skip(file.shown, cannot_open(error), file.size)


@contextlib.contextmanager
def _open(file: File) -> Iterator[Any]:
    if file.is_pipe and str(file.path) == "-":
        yield Ahead(sys.stdin.buffer)
    else:
        with file.path.open("rb", buffering=0) as raw:
            yield Ahead(raw) if file.is_pipe else raw


def read_pipe(file: File) -> Iterator[bytes]:
    """Yields what comes through a pipe, some bytes at a time; raises OSError."""
    with _open(file) as raw:
        while block := raw.read(_PIPED_AT_ONCE):
            yield block


def _kind_in(pipe: Ahead) -> str:
    """Which of the PAGE_KINDS comes through a pipe; empty if none."""
    try:
        return kind_of(Stream(io.BytesIO(pipe.head), None, raw=True).peek(SNIFFED))
    except Damaged:
        return ""


def _read_stream(stream: Stream, file: File, kind: str, fields: Fields, batch_bytes: int) -> Iterator[Work]:
    head = stream.peek(1 << 10).lstrip()
    if kind == "text":
        kind = "jsonl" if head.startswith(b"{") else "json" if re.match(rb"\[\s*[{\]]", head) else kind
    if kind == "text" and csv_files.is_table(stream.peek(1 << 10), fields):
        kind = "csv"
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
