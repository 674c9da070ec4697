"""Reads pages, and writes WARC files whose every byte is accounted for."""

import base64
import gzip
import hashlib
import random
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import zstandard

from wirecopy import sources


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


def warc(suffix: str, size: int, seed: int = 1) -> tuple[bytes, list[Written]]:
    """A WARC file of at least so many bytes, a page and a request in turn."""
    rng = random.Random(seed)
    data, records = b"", list[Written]()
    while len(data) < size:
        url = f"https://example.org/{len(records)}"
        is_page = len(records) % 2 == 0
        text = base64.b64encode(rng.randbytes(rng.randrange(1000, 7000)))
        page = record("response", url, response(b"<!doctype html><p>" + text))
        content = page if is_page else record("request", url, b"GET / HTTP/1.1\r\n\r\n")
        packed = PACK[suffix](content + b"\r\n\r\n")
        end = len(data) + len(packed) - (0 if suffix else 4)
        records.append(Written(url, len(data), end, len(data) + len(packed), is_page))
        data += packed
    return data, records
