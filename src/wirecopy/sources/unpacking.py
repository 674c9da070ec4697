"""Gzip members and zstd frames, one at a time and a bounded piece at a time, so that no input blows up in memory."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from wirecopy.sources.fields import Unusable

BLOCK = 256 << 10
_PIECE = 256 << 10
"""About the most that a piece holds; where data is damaged, its last piece is lost."""
_MAX_FEED = 64 << 10
_ZSTD_BLOCK = 128 << 10
"""The most that a block of a zstd frame unpacks to."""
_MAX_WINDOW = 1 << 31

MAX_LAYERS = 4
"""How many times over something may be compressed."""

GZIP = b"\x1f\x8b\x08"
ZSTD = b"\x28\xb5\x2f\xfd"


class Damaged(Unusable):
    """The stream cannot be read further; everything before was given out."""


class Window:
    """A file of which a part is in memory. `read(size)` returns its next bytes; without `seek`, one can go back by `kept` bytes."""

    def __init__(
        self, read: Callable[[int], bytes], seek: Callable[[int], object] | None = None, kept: int = 0
    ) -> None:
        self._read, self._seek, self._kept = read, seek, kept
        self.can_go_back = seek is not None
        self.start = 0
        """Where the part in memory begins; without `seek`, what is before it is gone."""
        self._data = b""

    def view(self, offset: int, size: int) -> memoryview:
        """The `size` bytes from `offset` on, or fewer at the end of the file."""
        at = offset - self.start
        if at < 0 or at + size > len(self._data):
            self._load(offset, size)
            at = offset - self.start
        return memoryview(self._data)[at : at + size]

    def _load(self, offset: int, size: int) -> None:
        at = offset - self.start
        if not 0 <= at <= len(self._data):
            if self._seek is not None:
                self._seek(offset)
                self._data, self.start, at = b"", offset, 0
            assert at >= 0, "there is no way back"
            while at > len(self._data) and (block := self._read(BLOCK)):
                gone = max(len(self._data) - self._kept, 0)
                self._data = self._data[gone:] + block
                self.start += gone
                at -= gone
            if at > len(self._data):
                return  # behind the end; what is held can still be seen
        kept = min(at, self._kept, len(self._data))
        parts = [self._data[at - kept :]]
        have = len(parts[0]) - kept
        while have < size and (block := self._read(max(BLOCK, size - have))):
            parts.append(block)
            have += len(block)
        self._data, self.start = b"".join(parts), offset - kept


def window_of(data: bytes) -> Window:
    """A window over bytes, as if they were a file."""
    return _window_over(iter((data,)))


class Gzip:
    """The pieces of the gzip member at `start`; `end` is how far it has been read. Raises Damaged."""

    name = "gzip"
    checked = True
    """Whether damage cannot go unnoticed."""

    def __init__(self, window: Window, start: int) -> None:
        self.start = self.end = start
        self._window = window

    def __iter__(self) -> Iterator[bytes]:
        member = zlib.decompressobj(wbits=31)
        # What is left over of an input is copied, so the inputs of small members must be small.
        size = 4 << 10
        while not member.eof:
            packed = self._window.view(self.end, size)
            if not packed:
                raise _cut(self)
            try:
                piece = member.decompress(packed, _PIECE)
            except zlib.error as error:
                raise _damaged(self, error) from None
            left = member.unused_data if member.eof else member.unconsumed_tail
            self.end += len(packed) - len(left)
            size = min(2 * size, _MAX_FEED)
            if piece:
                yield piece


class Zstd:
    """The pieces of the zstd frame at `start`; `end` is how far it has been read. Raises Damaged.

    Blocks say how much they can unpack to, which the library does not let us limit.
    """

    name = "zstd"

    def __init__(self, window: Window, start: int, decompressor: Any = None) -> None:
        self.start = self.end = start
        self.checked = False
        self._window, self._decompressor = window, decompressor

    def __iter__(self) -> Iterator[bytes]:
        import zstandard  # only where it is needed: it is slow to import

        frame = (self._decompressor or zstd_decompressor()).decompressobj()
        for packed in self._blocks():
            try:
                piece = frame.decompress(packed)
            except zstandard.ZstdError as error:
                raise _damaged(self, error) from None
            if piece:
                yield piece
        if not frame.eof:
            raise _damaged(self, "the frame does not end with its last block")

    def _blocks(self) -> Iterator[bytes]:
        """Yields the frame in parts, each of which unpacks to one piece."""
        part = [self._take(5)]
        descriptor = part[0][4]
        if part[0][:4] != ZSTD or descriptor & 8:
            raise _damaged(self, "not a zstd frame")
        single, self.checked = descriptor >> 5 & 1, bool(descriptor & 4)
        content_size = (single, 2, 4, 8)[descriptor >> 6]
        part.append(self._take((not single) + (0, 1, 2, 4)[descriptor & 3] + content_size))
        size, last = 0, False
        while not last:
            try:
                header = self._take(3)
                bits = int.from_bytes(header, "little")
                last, kind, block_size = bool(bits & 1), bits >> 1 & 3, bits >> 3
                if kind == 3 or block_size > _ZSTD_BLOCK:
                    raise _damaged(self, "no zstd block here")
                # The library takes nothing more once its frame is at its end: the checksum comes with the last block.
                checksum = 4 if last and self.checked else 0
                part.append(header + self._take((1 if kind == 1 else block_size) + checksum))
            except Damaged:
                yield b"".join(part)
                raise
            size += _ZSTD_BLOCK if kind == 2 else block_size
            if last or size > _PIECE - _ZSTD_BLOCK:
                yield b"".join(part)
                part, size = [], 0

    def _take(self, size: int) -> bytes:
        taken = bytes(self._window.view(self.end, size))
        self.end += len(taken)
        if len(taken) < size:
            raise _cut(self)
        return taken


def zstd_decompressor(dictionary: bytes = b"") -> Any:
    """The library's object that unpacks frames, one at a time; raises Damaged if the dictionary is not one."""
    import zstandard

    try:
        known = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        return zstandard.ZstdDecompressor(dict_data=known, max_window_size=_MAX_WINDOW)
    except zstandard.ZstdError as error:
        raise Damaged(f"damaged zstd dictionary: {error}") from None


def _cut(member: Gzip | Zstd) -> Damaged:
    return Damaged(
        f"the {member.name} data ends in the middle, at byte {member.end}; get the whole file again"
    )


def _damaged(member: Gzip | Zstd, reason: object) -> Damaged:
    return Damaged(f"damaged {member.name} data after byte {member.end}: {reason}")


def unpack(window: Window, compression: str) -> Iterator[bytes]:
    """Yields the unpacked pieces of all members ("gz") or frames ("zst") of a file; raises Damaged."""
    at = 0
    decompressor = zstd_decompressor() if compression == "zst" else None
    while head := window.view(at, 1):
        if compression == "gz" and at and head[0] == 0:
            # Zeros after a member are padding.
            block = bytes(window.view(at, BLOCK))
            at += len(block) - len(block.lstrip(b"\0"))
        elif compression == "zst" and (length := skippable(window, at)):
            if not window.view(at + length - 1, 1):
                raise too_long(at, length)
            at += length
        else:
            member = Gzip(window, at) if compression == "gz" else Zstd(window, at, decompressor)
            yield from member
            at = member.end


def packed_as(head: bytes) -> str:
    """The compression that these first bytes tell, "gz" or "zst"; empty if none."""
    return "gz" if head.startswith(GZIP) else "zst" if head.startswith(ZSTD) else ""


def unpack_all(packed: Iterator[bytes], compression: str) -> Iterator[bytes]:
    """Yields the pieces of what was compressed, also if that was done twice, as by a server and again by who saved it."""
    pieces = packed
    for _ in range(MAX_LAYERS):
        pieces = unpack(_window_over(pieces), compression)
        head = b""
        while len(head) < len(ZSTD) and (piece := next(pieces, b"")):
            head += piece
        pieces = chain([head], pieces)
        compression = packed_as(head)
        if not compression:
            yield from pieces
            return
    raise Damaged(f"compressed more than {MAX_LAYERS} times over; unpack it")


def _window_over(pieces: Iterator[bytes]) -> Window:
    return Window(lambda _: next(pieces, b""))


def skippable(window: Window, at: int) -> int:
    """The length, by its own header, of the skippable zstd frame that begins here; 0 if none does."""
    head = bytes(window.view(at, 8))
    if len(head) < 8 or head[1:4] != b"\x2a\x4d\x18" or head[0] >> 4 != 5:
        return 0
    return 8 + int.from_bytes(head[4:], "little")


def too_long(at: int, length: int) -> Damaged:
    """What is wrong with a skippable frame that goes on behind the end of the file."""
    return Damaged(
        f"the file ends in the middle of {length} bytes of zstd data to be skipped, from byte {at} on"
    )
