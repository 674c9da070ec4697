"""Web pages out of everything that holds some; no address is ever fetched.

Pages are gathered into batches while files are read: by then their content is decoded, so that a batch's size is what
it takes in memory. Taking the articles out of a batch is the work that is left.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wirecopy import extraction
from wirecopy.extraction import MAX_PAGE_BYTES
from wirecopy.model import Articles, Page, Skipped
from wirecopy.sources import feeds, http, sitemaps, warc
from wirecopy.sources.entries import Entries, Entry
from wirecopy.sources.fields import Fields, Unusable, article_record
from wirecopy.sources.kinds import SNIFFED, kind_of_file, root_name
from wirecopy.sources.opening import Stream
from wirecopy.sources.paths import File, cannot_open
from wirecopy.sources.work import Work, articles
from wirecopy.text import utf8

_PAGES_A_BATCH = 1024
_RECORD_TYPES = frozenset({"response", "resource"})


@dataclass(frozen=True, slots=True)
class Pages:
    """A batch of pages; page i stands at `wheres[i]`. `left_out` is how many records were no pages, by what they are."""

    pages: Sequence[Page]
    wheres: Sequence[str]
    skipped: Sequence[Skipped] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageWork:
    """Pages that are read but not yet parsed: what `Work` is for articles."""

    batch: Pages
    source_bytes: int = 0

    def __call__(self) -> Pages:
        """The pages."""
        return self.batch

    def extract(self, fields: Fields) -> Work:
        """The work that parses these pages into articles."""
        return Work(lambda: _extract(self.batch, fields), self.source_bytes)


def _extract(batch: Pages, fields: Fields) -> Articles:
    records, skipped = [], list(batch.skipped)
    found = extraction.extract_pages(batch.pages) if batch.pages else []
    for where, extracted in zip(batch.wheres, found, strict=True):
        if extracted.status == "ok":
            records.append(article_record(extracted.article, fields, where))
        else:
            reason = "no article in the page" if extracted.status == "empty" else extracted.status
            skipped.append(Skipped(where, reason))
    return articles(records, skipped, Fields(about=fields.about))


class Web:
    """Reads files of pages and gathers what is in them into batches."""

    def __init__(self, batch_bytes: int) -> None:
        self.batch_bytes = batch_bytes
        self._pages: list[Page] = []
        self._wheres: list[str] = []
        self._skipped: list[Skipped] = []
        self._left_out: Counter[str] = Counter()
        self._size = 0
        self._source_bytes = 0
        self._addresses: set[int] = set()
        self._entries = Entries()
        self._learned: set[str] = set()
        self._sitemaps: deque[Entry] = deque()
        """Named by an index, and still to be learnt."""

    def learn(self, file: File, kind: str, compression: str) -> None:
        """Take in what a feed or sitemap, if it can be read now, says about pages that are read later."""
        if file.problem or file.is_pipe:
            return
        with contextlib.suppress(OSError), file.path.open("rb", buffering=0) as raw:
            if self._learn_file(raw, kind, compression, file) is None:
                self._learned.add(os.path.realpath(file.path))
        self._learn_named()

    def _learn_file(self, raw: Any, kind: str, compression: str | None, file: File) -> bytes | None:
        """Take in a feed or sitemap, and skip it if it cannot be used; returns the content if it is a page."""
        try:
            data = _content(raw, kind, compression, file)
            return None if self._learn(data, kind, file) else data
        except Unusable as problem:
            self.skip(file.shown, str(problem))
            return None

    def named_files(self) -> Iterator[Path]:
        """The sitemaps that were learnt, and the pages that they name."""
        yield from map(Path, self._learned)
        yield from self._entries.paths()

    def _learn_named(self) -> None:
        """Take in the sitemaps that indexes name, and those that these name; an index may name itself."""
        while self._sitemaps:
            entry = self._sitemaps.popleft()
            assert entry.path is not None
            if str(entry.path) in self._learned:
                continue
            child = File(entry.path, entry.known.id, str(entry.path))
            try:
                with entry.path.open("rb", buffering=0) as raw:
                    if self._learn_file(raw, "xml", kind_of_file(child)[1], child) is None:
                        self._learned.add(str(entry.path))
                    else:
                        self.skip(entry.where, f"{child.name} is a page, not a sitemap")
            except OSError as error:
                self.skip(entry.where, cannot_open(error))

    def read(self, raw: Any, kind: str, compression: str | None, file: File) -> Iterator[PageWork]:
        """Yields batches with the pages of an open file of one of the PAGE_KINDS; `compression` is as for `Stream`."""
        if kind == "warc":
            yield from self._read_warc(raw, compression, file)
            return
        self._source_bytes += file.size
        if self._learned and os.path.realpath(file.path) in self._learned:
            return
        data = self._learn_file(raw, kind, compression, file)
        self._learn_named()
        if data is not None and len(data) > MAX_PAGE_BYTES:
            self.skip(file.shown, http.too_large(MAX_PAGE_BYTES))
        elif data is not None:
            yield from self.add(Page(file.name, data), file.shown, file.path)

    def _learn(self, data: bytes, kind: str, file: File) -> bool:
        """Take in a feed or sitemap; returns False if it is a page after all. Raises Unusable."""
        root = root_name(data[:SNIFFED])
        if root in sitemaps.ROOTS:
            for entry in sitemaps.read(data, file.shown, None if file.is_pipe else file.path.parent):
                if root == "urlset":
                    self._entries.add(entry)
                elif entry.path is None:
                    self.skip(entry.where, entry.missing)
                else:
                    self._sitemaps.append(entry)
        elif root in feeds.ROOTS or kind == "json feed":
            if len(data) > MAX_PAGE_BYTES:
                raise Unusable(http.too_large(MAX_PAGE_BYTES, "a feed"))
            for entry in (feeds.read_json if kind == "json feed" else feeds.read)(data, file.shown):
                self._entries.add(entry)
        elif kind == "page" or root == "html":
            return False
        else:
            got = f"<{root}>" if root else repr(data[:16])[1:]
            raise Unusable(f"expected a feed, a sitemap or a page in XML, got {got}")
        return True

    def _read_warc(self, raw: Any, compression: str | None, file: File) -> Iterator[PageWork]:
        size, limit = None if file.is_pipe else file.size, MAX_PAGE_BYTES + http.MAX_HEAD
        counted = 0
        try:
            for record in warc.Reader(raw, compression, size, limit, _RECORD_TYPES).read():
                where = f"{file.shown}:{record.offset}" + (f"+{record.within}" if record.within else "")
                self._source_bytes += record.offset - counted
                counted = record.offset
                try:
                    page = self._page(record, where)
                except Unusable as problem:
                    self.skip(where, str(problem))
                else:
                    yield from self.add(page, where) if page is not None else ()
                if len(self._skipped) >= _PAGES_A_BATCH:
                    yield from self._flush()
        except OSError as error:
            self.skip(f"{file.shown}:{counted}", f"cannot be read further: {error.strerror or error}")
        self._source_bytes += file.size - counted

    def _page(self, record: warc.Record | warc.Damage, where: str) -> Page | None:
        """The page in a record, None if the record holds something else; raises Unusable."""
        if isinstance(record, warc.Damage):
            raise Unusable(record.reason)
        url = record.headers.get("warc-target-uri", "").strip("<> ")
        kind, charset = http.media_type(record.headers.get("content-type", ""))
        is_http = record.headers["warc-type"].lower() == "response" and kind in ("", "application/http")
        if record.block is None:
            # What it is can no longer be told from its block.
            if is_http or kind in http.HTML_TYPES:
                raise Unusable(http.too_large(MAX_PAGE_BYTES))
            return None
        response = http.parse(record.block) if is_http else http.Response(200, {}, record.block)
        if response is None:
            raise Unusable("not an HTTP response")
        if response.status != 200:
            self._left_out[f"HTTP status {response.status}"] += 1
            return None
        if is_http:
            kind, charset = http.media_type(response.headers.get("content-type", ""))
        if kind and kind not in http.HTML_TYPES:
            return None
        content = response.content(MAX_PAGE_BYTES, cut="warc-truncated" in record.headers)
        if not kind and root_name(content[:SNIFFED]) != "html":
            return None
        if not content:
            raise Unusable("empty")
        return Page(self._id(url, where), content, url or None, record.headers.get("warc-date"), charset)

    def _id(self, url: str, where: str) -> str:
        """The address if this is its first page, else `where`."""
        if not url or hash(url) in self._addresses:
            return where
        self._addresses.add(hash(url))
        return url

    def finish(self) -> Iterator[PageWork]:
        """Yields what is left when all files are read: also entries of feeds and sitemaps whose page was not among them."""
        for entry in self._entries.left():
            known = replace(entry.known, id=self._id(entry.known.id, entry.where))
            try:
                if entry.path is not None:
                    data, charset = _saved(entry.path), None
                elif entry.content is not None:
                    data, charset = utf8(entry.content), "utf-8"
                    # Dates in a text without its page are only mentioned there.
                    known = replace(known, published=known.published or entry.changed)
                else:
                    raise Unusable(entry.missing)
            except Unusable as problem:
                self.skip(entry.where, str(problem))
            else:
                page = Page(known.id, data, known.url, None, charset, known, entry.changed)
                yield from self.add(page, entry.where)
        yield from self._flush()

    def add(self, page: Page, where: str, path: Path | None = None) -> Iterator[PageWork]:
        """Add one page, with the path of its file if it has one of its own; yields the batch if it is full now."""
        self._pages.append(self._entries.complete(page, path))
        self._wheres.append(where)
        self._size += len(page.content)
        if self._size >= self.batch_bytes or len(self._pages) >= _PAGES_A_BATCH:
            yield from self._flush()

    def skip(self, where: str, reason: str, source_bytes: int = 0) -> None:
        """Add a record that cannot be used."""
        self._skipped.append(Skipped(where, reason))
        self._source_bytes += source_bytes

    def _flush(self) -> Iterator[PageWork]:
        """Yields what was gathered, if anything."""
        if self._pages or self._skipped or self._left_out or self._source_bytes:
            batch = Pages(self._pages, self._wheres, self._skipped, self._left_out)
            yield PageWork(batch, self._source_bytes)
            self._pages, self._wheres, self._skipped, self._left_out = [], [], [], Counter()
            self._size = self._source_bytes = 0


def _content(raw: Any, kind: str, compression: str | None, file: File) -> bytes:
    """All bytes of a page, feed or sitemap; raises Unusable if there are none or too many, or if they end early."""
    limit, what = (MAX_PAGE_BYTES, "a page") if kind == "page" else (sitemaps.MAX_BYTES, "a sitemap")
    if compression == "" and file.size > limit:
        raise Unusable(http.too_large(limit, what))
    # Compressed pages are saved as .html, too.
    data = Stream(raw, compression or None, raw=True).read_most(limit)
    if len(data) > limit:
        raise Unusable(http.too_large(limit, what))
    if not data:
        raise Unusable("empty")
    return data


def _saved(path: Path) -> bytes:
    """The content of the page in a file that a sitemap names; raises Unusable."""
    try:
        file = File(path, path.name, path.name, path.stat().st_size)
        kind, compression = kind_of_file(file)
        if kind != "page":
            raise Unusable(f"{path.name} is no page")
        with path.open("rb", buffering=0) as raw:
            return _content(raw, kind, compression, file)
    except OSError as error:
        raise Unusable(cannot_open(error)) from None
