"""A file as a stream of UTF-8: decompressed, and converted from UTF-16 or UTF-32 where a byte order mark says so."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from itertools import chain
from typing import Any

from wirecopy.sources.unpacking import Damaged, packed_as, unpack_all

BLOCK = 64 << 10
_DENSE = 32 << 20
_MAX_RATIO = 64
"""A record of more than so many bytes is taken out of compressed data only if that has a 64th of them: text has a third to a tenth."""

_WIDE = (
    # UTF-32's mark begins with UTF-16's.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


MARKS = (codecs.BOM_UTF8, *(mark for mark, _ in _WIDE))
"""Byte order marks."""


class _Held(io.RawIOBase):
    """A file of which some bytes were read already; these come first."""

    def __init__(self, file: Any, held: bytes = b"") -> None:
        self.file = file
        self._rest = memoryview(held)

    def readable(self) -> bool:
        """Return True, as `io` asks of what can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Copy the next bytes into the buffer and return how many: 0 at the end."""
        view = memoryview(buffer).cast("B")
        if not self._rest:
            return int(self.file.readinto(view))
        count = min(len(view), len(self._rest))
        view[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


class Ahead(_Held):
    """A file of which `head`, its first bytes, can be seen before it is read."""

    def __init__(self, file: Any) -> None:
        self.head = b""
        while len(self.head) < BLOCK and (block := file.read(BLOCK - len(self.head))):
            self.head += block
        super().__init__(file, self.head)


class Stream(_Held):
    """The content of an open file. `compression` is "gz", "zst", "" for none, None to look at the first bytes.

    With `raw` it is only decompressed: whatever its byte order mark says, the bytes stay as they are. Without a mark it is
    in `encoding`; None leaves it as it is.
    """

    def __init__(
        self, file: Any, compression: str | None = "", raw: bool = False, encoding: str | None = None
    ) -> None:
        super().__init__(file)
        self.source_bytes = 0
        head = self._take(4)
        while len(head) < 4 and (more := self._take(4 - len(head))):
            head += more
        if compression is None:
            compression = packed_as(head)
        self._pieces: Iterator[bytes] | None = None
        self._damage: Damaged | None = None
        self._is_packed = bool(compression)
        if compression:
            pieces = unpack_all(self._blocks(head), compression)
            self._pieces = pieces if raw else _to_utf8(pieces, encoding)
        elif raw:
            self._rest = memoryview(head)
        elif encoding or head.startswith(MARKS[1:]):
            self._pieces = _to_utf8(self._blocks(head), encoding)
        else:
            self._rest = memoryview(head.removeprefix(codecs.BOM_UTF8))

    def readinto(self, buffer: Any) -> int:
        """Copy the next bytes into the buffer and return how many: 0 at the end. Raises Damaged."""
        if self._damage is not None and not self._rest:
            raise self._damage
        while not self._rest and self._pieces is not None:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        if self._rest:
            return super().readinto(buffer)
        try:
            count = super().readinto(buffer)
        except OSError as error:
            raise self._unreadable(error) from None
        self.source_bytes += count
        return count

    def read_most(self, limit: int) -> bytes:
        """All bytes that are left, or the next `limit` + 1 if there are more. Raises Damaged."""
        pieces = []
        size = 0
        while size <= limit and (piece := self.read(min(max(BLOCK, size), limit + 1 - size))):
            pieces.append(piece)
            size += len(piece)
            if reason := self.too_dense(size):
                raise Damaged(reason)
        return b"".join(pieces)

    def too_dense(self, size: int) -> str:
        """Why so many bytes, to be held in memory at once, are not believed to have been compressed; empty if they are."""
        if not self._is_packed or size <= max(_DENSE, _MAX_RATIO * self.source_bytes):
            return ""
        return (
            f"unpacks to {size >> 20} MB and more in one piece, out of {self.source_bytes:,} bytes: not read; "
            "if that is meant, unpack the file first"
        )

    def peek(self, size: int) -> bytes:
        """The next `size` bytes, or fewer at the end; they stay to be read."""
        head = b""
        try:
            while len(head) < size and (more := self.read(size - len(head))):
                head += more
        except Damaged as damage:
            if not head:
                raise
            self._damage = damage
        self._rest = memoryview(head + bytes(self._rest))
        return head

    def _take(self, size: int) -> bytes:
        try:
            block: bytes = self.file.read(size)
        except OSError as error:
            raise self._unreadable(error) from None
        self.source_bytes += len(block)
        return block

    def _unreadable(self, error: OSError) -> Damaged:
        return Damaged(f"cannot be read after byte {self.source_bytes}: {error.strerror or error}")

    def _blocks(self, head: bytes) -> Iterator[bytes]:
        yield head
        while block := self._take(BLOCK):
            yield block


def _to_utf8(pieces: Iterator[bytes], encoding: str | None) -> Iterator[bytes]:
    """The pieces without byte order mark, converted to UTF-8 if that mark is UTF-16's or UTF-32's, or from `encoding`."""
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= 4:
            break
    for mark, wide in _WIDE:
        if head.startswith(mark):
            yield from _narrow(chain([head[len(mark) :]], pieces), wide, "its byte order mark says")
            return
    if encoding and not head.startswith(codecs.BOM_UTF8):
        yield from _narrow(chain([head], pieces), encoding, "was said")
        return
    yield head.removeprefix(codecs.BOM_UTF8)
    yield from pieces


def _narrow(pieces: Iterator[bytes], encoding: str, says: str) -> Iterator[bytes]:
    try:
        yield from codecs.iterencode(codecs.iterdecode(pieces, encoding), "utf-8")
    except UnicodeDecodeError as error:
        raise Damaged(f"not {encoding.upper()} as {says}: {error.reason}") from None
