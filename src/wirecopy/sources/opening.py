"""A file as a stream of UTF-8: decompressed, and converted from UTF-16 or UTF-32 where a byte order mark says so."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from typing import Any

from wirecopy.sources.unpacking import Damaged, Window, unpack

BLOCK = 64 << 10

_WIDE = (
    # UTF-32's mark begins with UTF-16's.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class Ahead(io.RawIOBase):
    """A file of which `head`, its first bytes, can be seen before it is read."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.head = b""
        while len(self.head) < BLOCK and (block := file.read(BLOCK - len(self.head))):
            self.head += block
        self._rest = memoryview(self.head)

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Put the next bytes into the buffer; how many, 0 at the end."""
        view = memoryview(buffer).cast("B")
        if not self._rest:
            return int(self.file.readinto(view))
        count = min(len(view), len(self._rest))
        view[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


class Stream(io.RawIOBase):
    """The content of an open file. `compression` is "gz", "zst", "" for none, None to look at the first bytes.

    With `raw` it is only decompressed: whatever its byte order mark says, the bytes stay as they are.
    """

    def __init__(self, file: Any, compression: str | None = "", raw: bool = False) -> None:
        self.file = file
        self.source_bytes = 0
        head = self._take(4)
        while len(head) < 4 and (more := self._take(4 - len(head))):
            head += more
        if compression is None:
            compression = {b"\x1f\x8b": "gz", b"\x28\xb5": "zst"}.get(head[:2], "")
        self._rest = memoryview(b"")
        self._pieces: Iterator[bytes] | None = None
        self._damage: Damaged | None = None
        if compression:
            blocks = self._blocks(head)
            pieces = unpack(Window(lambda _: next(blocks, b"")), compression)
            self._pieces = pieces if raw else _to_utf8(pieces)
        elif raw:
            self._rest = memoryview(head)
        elif head.startswith(tuple(mark for mark, _ in _WIDE)):
            self._pieces = _to_utf8(self._blocks(head))
        else:
            self._rest = memoryview(head.removeprefix(codecs.BOM_UTF8))

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Put the next bytes into the buffer; how many, 0 at the end. Raises Damaged."""
        view = memoryview(buffer).cast("B")
        if self._damage is not None and not self._rest:
            raise self._damage
        while not self._rest and self._pieces is not None:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        if self._rest:
            count = min(len(view), len(self._rest))
            view[:count] = self._rest[:count]
            self._rest = self._rest[count:]
            return count
        try:
            count = int(self.file.readinto(view))
        except OSError as error:
            raise Damaged(
                f"cannot be read after byte {self.source_bytes}: {error.strerror or error}"
            ) from None
        self.source_bytes += count
        return count

    def peek(self, size: int) -> bytes:
        """The next bytes, at least `size` of them if there are as many, which stay to be read."""
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
            raise Damaged(
                f"cannot be read after byte {self.source_bytes}: {error.strerror or error}"
            ) from None
        self.source_bytes += len(block)
        return block

    def _blocks(self, head: bytes) -> Iterator[bytes]:
        yield head
        while block := self._take(BLOCK):
            yield block


def _to_utf8(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces without byte order mark, in UTF-8 if the mark is a wide one."""
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= 4:
            break
    for mark, encoding in _WIDE:
        if head.startswith(mark):
            yield from _narrow(head[len(mark) :], pieces, encoding)
            return
    yield head.removeprefix(codecs.BOM_UTF8)
    yield from pieces


def _narrow(head: bytes, pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        yield decoder.decode(head).encode()
        for piece in pieces:
            yield decoder.decode(piece).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeDecodeError as error:
        raise Damaged(f"not {encoding.upper()} as its byte order mark says: {error.reason}") from None
