"""Reads pages, and writes WARC files whose every byte is accounted for."""

import base64
import gzip
import hashlib
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import zstandard

import wirecopy
from wirecopy import sources
from wirecopy.model import Article

PAGE = b"<!doctype html><p>High tide at noon."
TEXT = "<p>" + "The tide was high at noon, and the boats went out. " * 10 + "</p>"
HEAD = '<html lang="de"><meta property="article:published_time" content="2026-03-03T20:00:00+01:00"><meta name=author content="Ann Quay">'
ENTITIES = "<!DOCTYPE rss [<!ENTITY a0 'aaaaaaaaaa'>{}]>".format(
    "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 12))
)


class ReadPages:
    """Everything that a source of pages holds, batches joined."""

    def __init__(self, inputs: Any, **options: Any) -> None:
        self.work = list(sources.read_pages(inputs, **options))
        batches = [work() for work in self.work]
        self.pages = [page for batch in batches for page in batch.pages]
        self.wheres = [where for batch in batches for where in batch.wheres]
        assert len(self.wheres) == len(self.pages)
        self.left_out = sum((Counter(batch.left_out) for batch in batches), Counter[str]())
        self.skipped = [(skipped.where, skipped.reason) for batch in batches for skipped in batch.skipped]

    @property
    def contents(self) -> dict[str, bytes]:
        assert len({page.id for page in self.pages}) == len(self.pages)
        return {page.id: page.content for page in self.pages}


def told(path: Path) -> Article:
    """The article of the one page there."""
    (page,) = ReadPages(path).pages
    return wirecopy.extract(page)


def names(read: ReadPages) -> list[str]:
    """The last parts of addresses."""
    return [one.rpartition("/")[2] for one in read.contents]


def reasons(read: ReadPages) -> list[tuple[int, str]]:
    """Where in the file something was skipped, and why."""
    return [(int(where.rpartition(":")[2]), reason) for where, reason in read.skipped]


class Written(NamedTuple):
    """A record in a WARC file: from `start`, its content up to `end`, the line ends behind it up to `next`."""

    id: str
    start: int
    end: int
    next: int
    is_page: bool


PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": lambda data: gzip.compress(data, 1, mtime=0),
    ".zst": zstandard.ZstdCompressor(1, write_checksum=True).compress,
}


def record(kind: str, url: str, block: bytes, **headers: str) -> bytes:
    """A record without the line ends behind it; a header that is empty is left out."""
    digest = base64.b32encode(hashlib.sha1(block).digest()).decode()
    named = {
        "WARC-Type": kind,
        "WARC-Target-URI": url,
        "WARC-Date": "2026-03-01T12:00:00Z",
        "WARC-Block-Digest": f"sha1:{digest}",
        "Content-Type": f"application/http; msgtype={kind}",
        "Content-Length": str(len(block)),
    } | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = ["WARC/1.0", *(f"{name}: {value}" for name, value in named.items() if value)]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block


def response(
    body: bytes, status: str = "200 OK", content_type: str = "text/html; charset=utf-8", **headers: str
) -> bytes:
    """The block of a response record."""
    named = {"Content-Type": content_type} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in named.items() if value)]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


END = b"\r\n\r\n"


def page(name: str, **headers: str) -> bytes:
    """A whole record of a page."""
    return record("response", f"https://example.org/{name}", response(PAGE), **headers) + END


def warc(suffix: str, size: int, seed: int = 1) -> tuple[bytes, list[Written]]:
    """A WARC file of at least so many bytes, a page and a request in turn."""
    rng = random.Random(seed)
    data, records = b"", list[Written]()
    while len(data) < size:
        url = f"https://example.org/{len(records)}"
        is_page = len(records) % 2 == 0
        text = base64.b64encode(rng.randbytes(rng.randrange(1000, 7000)))
        answer = record("response", url, response(b"<!doctype html><p>" + text))
        content = answer if is_page else record("request", url, b"GET / HTTP/1.1\r\n\r\n")
        packed = PACK[suffix](content + END)
        end = len(data) + len(packed) - (0 if suffix else 4)
        records.append(Written(url, len(data), end, len(data) + len(packed), is_page))
        data += packed
    return data, records
