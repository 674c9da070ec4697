"""WARC files: plain, gzip or zstd, a record a member or many; what is damaged is named, and all else is read.

A record is given out when its bytes are known to be there: at the end of its gzip member or zstd frame, which carry
checksums, or where it has neither, by its own digest. Behind damage, reading goes on at the next place where a record
begins: in a compressed file, the next member that unpacks to one.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wirecopy.sources import http
from wirecopy.sources.unpacking import (
    BLOCK,
    GZIP,
    ZSTD,
    Damaged,
    Gzip,
    Window,
    Zstd,
    skippable,
    too_long,
    window_of,
    zstd_decompressor,
)

MAX_HEAD = 64 << 10
_DICTIONARY_FRAME = 0x5D
_MAX_DICTIONARY = 16 << 20
_MAX_LENGTH = 1 << 40
"""Where the size of the file is not known, a longer record is none."""
_MAX_DISCARDED = 256 << 20
_MAX_RATIO = 64
"""More than this may be unpacked only to be thrown away as long as it came out of as much again, divided by the ratio."""
_MAX_GONE_BACK = 64 << 20
_MAX_FALSE_STARTS = 1000
"""So many places that look like the beginning of a member and are none: the file is made to waste time."""

_LINE_ENDS = re.compile(rb"[\r\n]+")
_START = re.compile(rb"WARC/(?:0\.\d{1,2}|1\.\d)\r?\n[A-Za-z-]{1,64}:")
_LONGEST_START = 80
_TAIL = re.compile(rb"(?:(?:\r\n){0,2}|\n{0,2})(?:WARC/|\Z)")
_MEMBER = re.compile(rb"\x1f\x8b\x08[\0-\x1f]|\x28\xb5\x2f\xfd")
_DIGEST = re.compile(r"(sha-?1|sha-?256|sha-?512|md5):\s*([A-Za-z0-9+/=]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Record:
    """A record, with the names of its headers in lower case; `block` is None if it is longer than the limit.

    In a compressed file `offset` is where the member begins, and `within` the record's place in the unpacked member.
    """

    offset: int
    within: int
    headers: dict[str, str]
    block: bytes | None


@dataclass(frozen=True, slots=True)
class Damage:
    """A place where there is no whole record, and why."""

    offset: int
    within: int
    reason: str


class _Bad(Exception):  # noqa: N818 - reads as what happened
    """The bytes that begin here are no record."""


class Reader:
    """Reads the records of some types in an open file, and finds its damages.

    `compression` is what the file's name says: "gz", "zst" or "", None if nothing; what its bytes say counts more.
    """

    def __init__(
        self, raw: Any, compression: str | None, size: int | None, limit: int, types: frozenset[str]
    ) -> None:
        # In a pipe one can only go back to what a reader ahead of itself has seen, which is a block.
        self.window = Window(raw.read, raw.seek) if raw.seekable() else Window(raw.read, kept=4 * BLOCK)
        self.compression = compression
        self.size, self.limit, self.types = size, limit, types
        self.decompressor: Any = None
        self.gone_back = 0
        self.seen = False
        """Whether there was a record or a damage."""
        self.lost = False
        """Whether there was no record since the last damage, so that what follows is still the same damage."""

    def read(self) -> Iterator[Record | Damage]:
        """Yields the records and damages in the order of the file."""
        at = 0
        while head := bytes(self.window.view(at, 5)):
            if length := skippable(self.window, at):
                end = at + length
                is_cut = end > self.size if self.size is not None else not self.window.view(end - 1, 1)
                if is_cut:
                    yield self._damage(at, 0, too_long(at, length))
                    at = self._next_member(at + 1)
                    continue
                if at == 0 and head[0] == _DICTIONARY_FRAME and length <= _MAX_DICTIONARY:
                    try:
                        dictionary = _dictionary(bytes(self.window.view(8, length - 8)))
                        self.decompressor = zstd_decompressor(dictionary)
                    except Damaged as damage:
                        yield self._damage(0, 0, damage)
                at = end
                continue
            packed = "gz" if head.startswith(GZIP) else "zst" if head.startswith(ZSTD) else ""
            if not packed and self.compression and not head.startswith(b"WARC/"):
                yield from self._lose(at, 0, f"a {self.compression} member", head)
                at = self._next_member(at + 1)
                self.lost = False
                continue
            self.compression = packed
            member = self._member(self.window, at, packed)
            try:
                yield from self._read_member(member)
            except Damaged as damage:
                if not self.lost:
                    yield self._damage(at, 0, damage)
                # What was cut short may have run on into its successor.
                again = self._may_go_back(member.end - at, at)
                at = self._next_member(at + 1 if again else max(at + 1, member.end))
                self.lost = False
            else:
                at = member.end
        if not self.seen:
            yield Damage(0, 0, "no WARC record in the file" if at else "empty")

    def _damage(self, offset: int, within: int, reason: object) -> Damage:
        self.seen = True
        return Damage(offset, within, str(reason))

    def _member(self, window: Window, at: int, packed: str) -> Gzip | Zstd | _Plain:
        if packed == "zst":
            self.decompressor = self.decompressor or zstd_decompressor()
            return Zstd(window, at, self.decompressor)
        return Gzip(window, at) if packed == "gz" else _Plain(window, at)

    def _lose(self, offset: int, within: int, expected: str, got: bytes) -> Iterator[Damage]:
        if not self.lost:
            self.lost = True
            end = " and the file ends" if len(got) < 5 else ""
            reason = f"no WARC record here: expected {expected}, got {repr(got)[1:]}{end}"
            yield self._damage(offset, within, reason)

    def _next_member(self, at: int) -> int:
        """Where the next compressed member begins that unpacks to a record; far behind the end if none does."""
        if not self.window.can_go_back:
            at = max(at, self.window.start)
        false_starts = 0
        while len(block := bytes(self.window.view(at, BLOCK))) >= 4:
            for found in _MEMBER.finditer(block):
                start = at + found.start()
                packed = "zst" if found[0] == ZSTD else "gz"
                beginning = window_of(bytes(self.window.view(start, BLOCK)))
                with contextlib.suppress(Damaged):
                    if next(iter(self._member(beginning, 0, packed)), b"").startswith(b"WARC/"):
                        return start
                false_starts += 1
                if false_starts > _MAX_FALSE_STARTS:
                    return _MAX_LENGTH
            at += len(block) - 3
        return _MAX_LENGTH

    def _read_member(self, member: Gzip | Zstd | _Plain) -> Iterator[Record | Damage]:
        buffer = _Unpacked(member)
        plain = isinstance(member, _Plain)
        while buffer.skip_line_ends():
            start = buffer.position
            offset, within = (start, 0) if plain else (member.start, start)
            beginning = buffer.peek(8)
            if not beginning.startswith(b"WARC/"):
                if plain and beginning.startswith((GZIP, ZSTD)):
                    member.end = start
                    return
                yield from self._lose(offset, within, "'WARC/'", buffer.peek(16))
                buffer.find_record()
                continue
            self.seen = True
            try:
                headers = buffer.read_head()
                length = self._length(headers, buffer, plain)
                block = self._block(buffer, headers, length, member)
            except _Bad as problem:
                self.lost = True
                yield Damage(offset, within, str(problem))
                buffer.find_record()
                continue
            self.lost = False
            if headers.get("warc-type", "").lower() in self.types:
                yield Record(offset, within, headers, block)
            if plain and not buffer.ends_well:
                self.lost = True
                yield Damage(offset, within, "the file ends in the middle of the line ends behind the record")
        member.end = max(member.end, buffer.position) if plain else member.end

    def _length(self, headers: dict[str, str], buffer: _Unpacked, plain: bool) -> int:
        said = headers.get("content-length", "").strip()
        if not (said.isascii() and said.isdigit()):
            raise _Bad(f"the record's Content-Length is {said[:40]!r}, not a number of bytes")
        length = int(said[:30])
        room = self.size - buffer.position if plain and self.size is not None else _MAX_LENGTH
        if length > room:
            raise _Bad(
                f"the file ends in the middle of the record: Content-Length {length}, {room} bytes left"
                if plain
                else f"the record's Content-Length {length} is absurd"
            )
        return length

    def _block(
        self, buffer: _Unpacked, headers: dict[str, str], length: int, member: Gzip | Zstd | _Plain
    ) -> bytes | None:
        """The block of a record, None if it is over the limit; the buffer then stands behind it. Raises _Bad."""
        if length > self.limit:
            if not buffer.skip(length):
                raise _Bad(f"the record ends early: Content-Length {length}")
            return None
        # This looks behind the block, and so finds out whether a member ends well.
        framed = buffer.is_framed(length)
        block = buffer.peek(length)
        # The checksum speaks for the last record of a member only: others are given out before it is reached.
        sure = framed and member.checked and buffer.is_exhausted
        digest = None if sure else _fits_digest(block, headers.get("warc-block-digest", ""))
        if len(block) < length:
            problem = f"the record ends early: Content-Length {length}, {len(block)} bytes are there"
        elif digest is False:
            problem = "the record's bytes do not match its WARC-Block-Digest"
        elif not (framed or digest) and (member.checked or _START.search(block)):
            problem = f"the record does not end where its Content-Length {length} says"
        else:
            buffer.skip(length)
            return block
        if (framed and len(block) == length) or not self._may_go_back(len(block), buffer.position):
            buffer.skip(len(block))
        raise _Bad(problem)

    def _may_go_back(self, size: int, position: int) -> bool:
        """Whether so many bytes that were read in vain may be searched for records; False once that was done too often."""
        self.gone_back += size
        return self.gone_back <= _MAX_GONE_BACK + 4 * position


class _Plain:
    """A part of the file that is not compressed, as a member."""

    checked = False

    def __init__(self, window: Window, start: int) -> None:
        self.start = self.end = start
        self._window = window

    def __iter__(self) -> Iterator[bytes]:
        while block := bytes(self._window.view(self.end, BLOCK)):
            self.end += len(block)
            yield block


class _Unpacked:
    """The unpacked bytes of a member, of which a part is in memory."""

    def __init__(self, member: Gzip | Zstd | _Plain) -> None:
        self.member = member
        self._pieces = iter(member)
        self._data = b""
        self._at = 0
        self._base = member.start if isinstance(member, _Plain) else 0
        self._discarded = 0
        self.is_exhausted = False
        """Whether all that is left of the member is in memory."""
        self.ends_well = True
        """Whether the line ends behind the last record are there."""

    @property
    def position(self) -> int:
        """How far it has been read: in the unpacked member, or in a file that is not compressed."""
        return self._base + self._at

    def peek(self, size: int) -> bytes:
        """The next `size` bytes, or fewer at the end; raises Damaged."""
        self._fill(size)
        return self._data[self._at : self._at + size]

    def skip_line_ends(self) -> bool:
        """Go on behind the line ends that come next; False if nothing follows them."""
        while self._fill(8):
            end = _LINE_ENDS.match(self._data, self._at)
            self._at = end.end() if end else self._at
            if self._at < len(self._data):
                return True
        return False

    def read_head(self) -> dict[str, str]:
        """The headers of the record that begins here. Raises _Bad; the buffer then stands behind `WARC/`."""
        size = 2 << 10
        while True:
            have = self._fill(size)
            end = http.BLANK_LINE.search(self._data, self._at, self._at + MAX_HEAD)
            if end or have < size or size >= MAX_HEAD:
                break
            size *= 4
        head = self._data[self._at : end.start()] if end else b""
        if not end or b"\0" in head:
            self._at += len(b"WARC/")
            problem = "holds zeros" if end else "has no end" if have >= MAX_HEAD else "ends in the middle"
            raise _Bad(f"the record's header {problem}")
        self._at = end.end()
        return http.headers(head, listed=False)

    def is_framed(self, length: int) -> bool:
        """Whether another record or the end follows a block of this length."""
        self._fill(length + 13)
        tail = self._data[self._at + length : self._at + length + 13]
        self.ends_well = len(tail) >= 4
        return bool(_TAIL.match(tail))

    def skip(self, size: int) -> bool:
        """Go on by `size` bytes; False if there were fewer. Raises Damaged."""
        while len(self._data) - self._at < size:
            size -= len(self._data) - self._at
            if not self._discard(b""):
                return False
        self._at += size
        return True

    def find_record(self) -> None:
        """Go on to where the next record seems to begin, or to the end; raises Damaged."""
        while not (found := _START.search(self._data, self._at)):
            if not self._discard(self._data[max(self._at, len(self._data) - _LONGEST_START) :]):
                self._at = len(self._data)
                return
        self._at = found.start()

    def _fill(self, size: int) -> int:
        """Read until `size` bytes or more are in memory, or the end is; returns how many are."""
        have = len(self._data) - self._at
        if have < size:
            parts = [self._data[self._at :]]
            for piece in self._pieces:
                parts.append(piece)
                have += len(piece)
                if have >= size:
                    break
            else:
                self.is_exhausted = True
            self._base += self._at
            self._data, self._at = b"".join(parts), 0
        return have

    def _discard(self, kept: bytes) -> bool:
        """Read the next piece, and forget all before it but `kept`, its last bytes; False at the end. Raises Damaged."""
        piece = next(self._pieces, None)
        if piece is None:
            return False
        self._base += len(self._data) - len(kept)
        self._data, self._at = kept + piece, 0
        self._discarded += len(piece)
        if self._discarded > _MAX_DISCARDED and self._base > _MAX_RATIO * (
            self.member.end - self.member.start
        ):
            raise Damaged(f"unpacks to {self._base >> 20} MB and more, of nothing that is read: left alone")
        return True


def _dictionary(frame: bytes) -> bytes:
    """The dictionary in the first frame of a .warc.zst, where it may be compressed itself; raises Damaged."""
    if not frame.startswith(ZSTD):
        return frame
    pieces: list[bytes] = []
    for piece in Zstd(window_of(frame), 0):
        pieces.append(piece)
        if sum(map(len, pieces)) > _MAX_DICTIONARY:
            raise Damaged(f"a zstd dictionary of more than {_MAX_DICTIONARY >> 20} MB")
    return b"".join(pieces)


def _fits_digest(block: bytes, digest: str) -> bool | None:
    """Whether a block has this digest; None if that cannot be told."""
    said = _DIGEST.match(digest)
    if not said:
        return None
    name = said[1].lower().replace("-", "")
    computed = hashlib.new(name, block, usedforsecurity=False).digest()
    if len(said[2]) == 2 * len(computed):
        return computed.hex() == said[2].lower()
    try:
        return base64.b32decode(said[2].upper()) == computed
    except binascii.Error:
        return None
