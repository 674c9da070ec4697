"""Web pages out of everything that holds some; no address is ever fetched.

Pages are gathered into batches while files are read: by then their content is decoded, so that a batch's size is what
it takes in memory. Taking the articles out of a batch is the work that is left.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wirecopy import extraction
from wirecopy.model import Articles, Page, Skipped
from wirecopy.sources import http, warc
from wirecopy.sources.fields import Fields, Record, Unusable, utf8
from wirecopy.sources.opening import Stream
from wirecopy.sources.paths import File
from wirecopy.sources.unpacking import Damaged
from wirecopy.sources.work import Work, articles

MAX_PAGE_BYTES = 20_000_000
"""A larger page, as received or unpacked, is one skipped record."""

PAGE_KINDS = {"page", "warc"}
SNIFFED = 1 << 10
"""So many bytes tell the kind of a file."""

_PAGES_A_BATCH = 1024
_RECORD_TYPES = frozenset({"response", "resource"})


@dataclass(frozen=True, slots=True)
class Pages:
    """A batch of pages; page i stands at `wheres[i]`. `left_out` counts, by what they are, records that are no pages."""

    pages: Sequence[Page]
    wheres: Sequence[str]
    skipped: Sequence[Skipped] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageWork:
    """Pages that are read but not yet parsed, as `Work` is for articles."""

    batch: Pages
    source_bytes: int = 0

    def __call__(self) -> Pages:
        """The batch."""
        return self.batch

    def extract(self, fields: Fields) -> Work:
        """The work that ends with the articles of these pages."""
        return Work(lambda: _extract(self.batch, fields), self.source_bytes)


def _extract(batch: Pages, fields: Fields) -> Articles:
    records, places, skipped = [], [], list(batch.skipped)
    found = extraction.extract_pages(batch.pages) if batch.pages else []
    for where, extracted in zip(batch.wheres, found, strict=True):
        article = extracted.article
        if extracted.status != "ok":
            reason = "no article in the page" if extracted.status == "empty" else extracted.status
            skipped.append(Skipped(where, reason))
            continue
        records.append(Record(utf8(article.text), article.id, article.published or "", article.title or ""))
        places.append(where)
    return articles(records, skipped, fields.with_title, places.__getitem__)


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

    def read(self, raw: Any, kind: str, compression: str | None, file: File) -> Iterator[PageWork]:
        """The pages of an open file of one of the PAGE_KINDS; `compression` is as for `Stream`."""
        if kind == "warc":
            yield from self._read_warc(raw, compression, file)
            return
        try:
            page = Page(file.name, self._content(raw, compression, file))
        except (Unusable, Damaged) as problem:
            self.skip(file.shown, str(problem), file.size)
        else:
            yield from self.add(page, file.shown, file.size)

    def _read_warc(self, raw: Any, compression: str | None, file: File) -> Iterator[PageWork]:
        counted = 0
        size = None if file.is_pipe else file.size
        for record in warc.read(raw, compression, size, MAX_PAGE_BYTES + http.MAX_HEAD, _RECORD_TYPES):
            where = f"{file.shown}:{record.offset}" + (f"+{record.within}" if record.within else "")
            if isinstance(record, warc.Damage):
                self.skip(where, record.reason)
                continue
            try:
                page = self._page(record, where)
            except Unusable as problem:
                self.skip(where, str(problem))
                continue
            if page is not None:
                yield from self.add(page, where, record.offset - counted)
                counted = record.offset
        self._source_bytes += file.size - counted

    def _page(self, record: warc.Record, where: str) -> Page | None:
        """The page in a record, None if it holds something else; raises Unusable."""
        url = record.headers.get("warc-target-uri", "").strip("<> ")
        content_type = record.headers.get("content-type", "")
        is_http = record.headers["warc-type"].lower() == "response" and (
            not content_type or content_type.lower().startswith("application/http")
        )
        if record.block is None:
            # What it is can no longer be told from its block.
            if is_http or http.media_type(content_type)[0] in http.HTML_TYPES:
                raise Unusable(http.too_large(MAX_PAGE_BYTES))
            return None
        response = http.parse(record.block) if is_http else http.Response(200, {}, record.block)
        if response is None:
            raise Unusable("not an HTTP response")
        if response.status != 200:
            self._left_out[f"HTTP status {response.status}"] += 1
            return None
        kind, charset = http.media_type(response.headers.get("content-type", "") if is_http else content_type)
        if kind and kind not in http.HTML_TYPES:
            return None
        content = response.content(MAX_PAGE_BYTES, cut="warc-truncated" in record.headers)
        if not kind and root_name(content[:SNIFFED]) != "html":
            return None
        if not content:
            raise Unusable("empty")
        return Page(self._id(url, where), content, url or None, record.headers.get("warc-date"), charset)

    def _id(self, url: str, where: str) -> str:
        """The address, if it came for the first time."""
        if not url or hash(url) in self._addresses:
            return where
        self._addresses.add(hash(url))
        return url

    def finish(self) -> Iterator[PageWork]:
        """What is left when all files are read."""
        yield from self._flush()

    def _content(self, raw: Any, compression: str | None, file: File) -> bytes:
        if compression == "" and file.size > MAX_PAGE_BYTES:
            raise Unusable(http.too_large(MAX_PAGE_BYTES))
        return content(Stream(raw, compression, raw=True))

    def add(self, page: Page, where: str, source_bytes: int = 0) -> Iterator[PageWork]:
        """Take one page in; the batch that is full by it comes out."""
        self._pages.append(page)
        self._wheres.append(where)
        self._size += len(page.content)
        self._source_bytes += source_bytes
        if self._size >= self.batch_bytes or len(self._pages) >= _PAGES_A_BATCH:
            yield from self._flush()

    def skip(self, where: str, reason: str, source_bytes: int = 0) -> None:
        """Note a record that cannot be used."""
        self._skipped.append(Skipped(where, reason))
        self._source_bytes += source_bytes

    def _flush(self) -> Iterator[PageWork]:
        """What was gathered."""
        if self._pages or self._skipped or self._left_out or self._source_bytes:
            batch = Pages(self._pages, self._wheres, self._skipped, self._left_out)
            yield PageWork(batch, self._source_bytes)
            self._pages, self._wheres, self._skipped, self._left_out = [], [], [], Counter()
            self._size = self._source_bytes = 0


def kind_of(head: bytes) -> str:
    """Which of the PAGE_KINDS begins with these bytes; empty if none."""
    return "warc" if head.startswith(b"WARC/") else "page" if root_name(head) == "html" else ""


_PROLOG = re.compile(
    rb"(?:\xef\xbb\xbf|\xfe\xff|\xff\xfe)?\s*+(?>(?:<!--.*?-->|<\?.*?\?>)\s*)*+<(?:!doctype\s+)?([a-z][\w:.-]*)",
    re.IGNORECASE | re.DOTALL,
)


def root_name(head: bytes) -> str:
    """The document type, or else the first element, of markup that begins with these bytes; empty if it is none."""
    # UTF-16 without its zeros reads well enough.
    found = _PROLOG.match(head.replace(b"\0", b""))
    return found[1].decode("ascii", "replace").lower() if found else ""


def content(stream: Stream) -> bytes:
    """All bytes of a page; raises Unusable if there are none or too many, Damaged if the stream breaks off."""
    pieces = []
    size = 0
    while piece := stream.read(min(max(64 << 10, size), MAX_PAGE_BYTES + 1 - size)):
        pieces.append(piece)
        size += len(piece)
        if size > MAX_PAGE_BYTES:
            raise Unusable(http.too_large(MAX_PAGE_BYTES))
    if not size:
        raise Unusable("empty")
    return b"".join(pieces)
