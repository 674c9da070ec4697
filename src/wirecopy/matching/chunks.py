"""Chunks as bytes: the number of columns, type and length of each, then the columns."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from .collection import Chunk

Head = tuple[np.dtype[Any], int]
_COLUMN = struct.Struct("<4sQ")
_COUNT = struct.Struct("<I")


def encode(chunk: Chunk) -> list[bytes | memoryview]:
    """A chunk as bytes, in parts."""
    heads = [_COLUMN.pack(column.dtype.str.encode("ascii").ljust(4), len(column)) for column in chunk]
    columns = [np.ascontiguousarray(column) for column in chunk]
    return [
        _COUNT.pack(len(chunk)) + b"".join(heads),
        *(one.data.cast("B") for one in columns if len(one)),
    ]


def read_heads(read: Callable[[int], bytes]) -> list[Head]:
    """The type and length of each column of a chunk, from what reads the next so many bytes."""
    (columns,) = _COUNT.unpack(read(_COUNT.size))
    heads = (_COLUMN.unpack(read(_COLUMN.size)) for _ in range(columns))
    return [(np.dtype(kind.rstrip(b" ").decode("ascii")), length) for kind, length in heads]


def decode(content: bytes | memoryview) -> Chunk:
    """The chunk that these bytes are; columns of bytes are views of them, others are copied to where the core can read them."""
    place = 0

    def read(size: int) -> bytes:
        nonlocal place
        place += size
        return bytes(content[place - size : place])

    columns = []
    for kind, length in read_heads(read):
        column = np.frombuffer(content, kind, length, place) if length else np.empty(0, kind)
        columns.append(column if kind.itemsize == 1 else column.copy())
        place += kind.itemsize * length
    return columns
