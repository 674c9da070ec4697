"""Checksums of all that is kept of an article: they tell whether another is the same, and whether the disk has changed it.

A row says which form its checksum has. Form 2 is of the fields that are not empty, each with its name, so that a new field of
`Article` changes no checksum. Form 1 was of the text and the eight fields that there were, empty or not.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from .. import _core
from ..model import ABOUT, Articles

FORM = 2
"""The form of what is written now."""
FIELDS = tuple(sorted(("text", *ABOUT)))
_NAMES = tuple(name.encode() for name in FIELDS)
_TEXT = 6 + FIELDS.index("text")
"""Where the text goes in what `find_whole` is given."""
_FIELDS_OF_FORM_1 = ("title", "published", "source", "author", "location", "language", "url", "agency")


def digest(articles: Iterable[Sequence[bytes]], form: int = FORM) -> list[bytes]:
    """The checksum (BLAKE3) of each article, from the values of its `FIELDS`."""
    join = _join_form_1 if form == 1 else _join
    return [bytes.fromhex(found) for found in _core.blake3_hex([join(values) for values in articles])]


def sum_place(row: int, id: str, moment: int | None) -> int:
    """The checksum (CRC-32) of what is kept of an article beside its content."""
    return zlib.crc32(f"{row} {moment} {id}".encode())


def values_of(batch: Articles) -> Iterable[Sequence[bytes]]:
    """The values of the `FIELDS` of each article of a batch."""
    nothing = [""] * len(batch)
    columns = {name: [one.encode() for one in batch.about.get(name, nothing)] for name in ABOUT}
    columns["text"] = [bytes(batch.text.data[start:end]) for start, end in pairwise(batch.offsets.tolist())]
    return zip(*(columns[name] for name in FIELDS), strict=True)


def find_whole(
    found: Iterable[Sequence[Any]], bodies: Mapping[int, bytes], named: Mapping[str, int]
) -> Iterator[int]:
    """Those of some rows, with their texts, whose articles are as they were added.

    Each has a row, id, moment and sum, the form of its checksum and this, and the `FIELDS` but for the text. One without a sum is at its
    place if its id is `named` with its row.
    """
    by_form: dict[int, list[Sequence[Any]]] = {}
    for one in found:
        row, id, moment, made, form = one[:5]
        is_in_place = named.get(id) == row if made is None else made == sum_place(row, id, moment)
        if row in bodies and is_in_place:
            by_form.setdefault(form, []).append(one)
    for form, mine in by_form.items():
        contents = digest(((*one[6:_TEXT], bodies[one[0]], *one[_TEXT:]) for one in mine), form)
        for one, content in zip(mine, contents, strict=True):
            if content == one[5]:
                yield one[0]


def _join(values: Sequence[bytes], names: Sequence[bytes] = _NAMES) -> bytes:
    pairs = zip(names, values, strict=True)
    return b"".join([b"%b %d %b\n" % (name, len(value), value) for name, value in pairs if value])


def _join_form_1(values: Sequence[bytes]) -> bytes:
    known = dict(zip(FIELDS, values, strict=True))
    body = known.pop("text")
    about = [known.pop(name, b"") for name in _FIELDS_OF_FORM_1]
    lengths = str([len(str(one, "utf-8", "replace")) for one in about])
    # Whatever else there is makes it another article than any of form 1.
    return b"\0".join([lengths.encode(), body, *about]) + _join(
        [*known.values()], [name.encode() for name in known]
    )
