"""HTTP responses as crawlers store them: head, and the body with its encodings taken off, up to a limit."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from wirecopy.errors import MissingExtra
from wirecopy.sources.fields import Unusable
from wirecopy.sources.unpacking import GZIP, MAX_LAYERS, ZSTD, Damaged, packed_as, unpack, window_of

MAX_HEAD = 256 << 10
_MAX_CHUNKS = 500_000
_MAX_FEED = 4 << 10
"""Brotli is fed so little at a time; what it makes of that is limited."""

HTML_TYPES = {"text/html", "application/xhtml+xml"}

_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})(?!\d)")
BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_CHUNK = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\n]{0,4096})?\r?\n")
_LENGTH = re.compile(r"\d{1,15}")
_TAIL = 256
_END = re.compile(rb"</html\s*>\s*\Z", re.IGNORECASE)
_TYPE = re.compile(r"[^\s\"',;=/]+/[^\s\"',;]+")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\s\"';,]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Response:
    """A stored response; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def content(self, limit: int, cut: bool = False) -> bytes:
        """The body without its encodings; raises Unusable.

        With `cut`, the body is known to be incomplete, and what there is of it is returned.
        """
        body, early = self.body, ""
        length = self.headers.get("content-length", "")
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            body, early = _joined(body, cut)
        elif _LENGTH.fullmatch(length) and int(length) > len(body):
            early = f"the body ends early: Content-Length {length}, {len(body)} bytes are there"
        encodings = [name.strip().lower() for name in self.headers.get("content-encoding", "").split(",")]
        encodings = [name for name in encodings if name not in ("", "identity", "none", "utf-8")]
        if len(encodings) > MAX_LAYERS:
            raise Unusable(f"{len(encodings)} content encodings, more than the {MAX_LAYERS} that are read")
        # An encoding knows its own end, and where a crawler took it off, the length is still that of the encoded body.
        if early and not (cut or encodings or _END.search(body[-_TAIL:])):
            raise Unusable(early)
        for name in reversed(encodings):
            body = _decoded(body, name, limit, cut)
        layers = 0
        while again := packed_as(body):  # once more than the headers say
            layers += 1
            if layers > MAX_LAYERS:
                raise Unusable(f"compressed more than {MAX_LAYERS} times over")
            body = _decoded(body, {"gz": "gzip", "zst": "zstd"}[again], limit, cut)
        if len(body) > limit:
            raise Unusable(too_large(limit))
        return body


def parse(block: bytes) -> Response | None:
    """The response in a block; None if the block is no HTTP response."""
    status = _STATUS.match(block)
    if not status:
        return None
    end = BLANK_LINE.search(block, 0, MAX_HEAD)
    head = block[: end.start() if end else MAX_HEAD]
    return Response(int(status[1]), headers(head), block[end.end() :] if end else b"")


def headers(head: bytes, listed: bool = True) -> dict[str, str]:
    """The headers below a first line, by name in lower case; a repeated one has all its values, or if not `listed` the first."""
    found: dict[str, str] = {}
    if b"\n " in head or b"\n\t" in head:
        head = re.sub(rb"\r?\n[ \t]+", b" ", head)
    for line in head.decode("utf-8", "replace").split("\n")[1:]:
        name, colon, value = line.partition(":")
        if colon:
            name, value = name.strip().lower(), value.strip()
            if name not in found:
                found[name] = value
            elif listed:
                found[name] += f", {value}"
    return found


def media_type(content_type: str) -> tuple[str, str | None]:
    """The media type and the charset in a Content-Type header, which may have quotes or lack its semicolon."""
    kind, charset = _TYPE.search(content_type), _CHARSET.search(content_type)
    return kind[0].lower() if kind else "", charset and charset[1]


def too_large(limit: int, what: str = "a page") -> str:
    """The reason why something larger than the limit is skipped."""
    return f"larger than {limit:,} bytes, the limit for {what}"


def _joined(body: bytes, cut: bool) -> tuple[bytes, str]:
    """The chunks of a body concatenated, and what is wrong with its end, if anything.

    A body without chunks is returned as it is: crawlers often concatenate them, and leave the header.
    """
    parts, at = [], 0
    while chunk := _CHUNK.match(body, at):
        size = int(chunk[1], 16)
        if not size:
            break
        parts.append(body[chunk.end() : chunk.end() + size])
        at = chunk.end() + size
        at += 2 if body.startswith(b"\r\n", at) else 1 if body.startswith(b"\n", at) else 0
        if len(parts) > _MAX_CHUNKS:
            raise Unusable(f"more than {_MAX_CHUNKS:,} chunks")
    if at == 0 and not chunk:
        return body, ""
    if not chunk and at < len(body) and not cut:
        raise Unusable(f"damaged chunked encoding at byte {at} of the body")
    return b"".join(parts), "" if chunk else "the body ends early: its last chunk is missing"


def _decoded(body: bytes, name: str, limit: int, cut: bool) -> bytes:
    name = name.removeprefix("x-")
    if name not in _DECODERS:
        raise Unusable(f"the content encoding {name[:40]!r} is not read; known are {', '.join(_DECODERS)}")
    parts, size = [], 0
    try:
        for part in _DECODERS[name](body):
            parts.append(part)
            size += len(part)
            if size > limit:
                raise Unusable(too_large(limit))
    except Damaged as damage:
        if not parts and (not body or body.lstrip().startswith(b"<")):
            return body  # decoded by the crawler, which left the header
        if not cut:
            raise Unusable(f"damaged content encoding {name}: {damage}") from None
    return b"".join(parts)


def _unpack(compression: str, magic: bytes, body: bytes) -> Iterator[bytes]:
    if not body.startswith(magic):
        raise Damaged(f"expected {magic.hex(' ')} at its beginning, got {body[:4].hex(' ')}")
    yield from unpack(window_of(body), compression)


def _inflate(body: bytes) -> Iterator[bytes]:
    """Yields the pieces of deflate data, in the standard's wrapper or, as some servers send it, without."""
    wrapped = len(body) > 1 and body[0] & 15 == 8 and int.from_bytes(body[:2], "big") % 31 == 0
    stream = zlib.decompressobj(wbits=15 if wrapped else -15)
    rest = body
    while not stream.eof:
        try:
            piece = stream.decompress(rest, 1 << 20)
        except zlib.error as error:
            raise Damaged(str(error)) from None
        rest = stream.unconsumed_tail
        if piece:
            yield piece
        elif not rest and not stream.eof:
            raise Damaged("it ends in the middle")


def _unbrotli(body: bytes) -> Iterator[bytes]:
    try:
        import brotli
    except ImportError:
        raise Unusable(str(MissingExtra("a page in Brotli encoding", "pages"))) from None
    stream = brotli.Decompressor()
    at = 0
    try:
        while not stream.is_finished():
            feed = b""
            if stream.can_accept_more_data():
                feed = body[at : at + _MAX_FEED]
                at += len(feed)
                if not feed:
                    raise Damaged("it ends in the middle")
            yield stream.process(feed, output_buffer_limit=1 << 20)
    except brotli.error as error:
        raise Damaged(str(error)) from None


_DECODERS: dict[str, Callable[[bytes], Iterable[bytes]]] = {
    "gzip": partial(_unpack, "gz", GZIP),
    "deflate": _inflate,
    "br": _unbrotli,
    "zstd": partial(_unpack, "zst", ZSTD),
}
