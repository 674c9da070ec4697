"""Plain text: one file, one article."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wirecopy import _core
from wirecopy.model import Articles
from wirecopy.sources import work
from wirecopy.sources.fields import Fields, Record, Unusable
from wirecopy.sources.kinds import SQLITE, no_articles
from wirecopy.sources.opening import Stream
from wirecopy.sources.paths import File, cannot_open
from wirecopy.sources.work import Work, articles, parse_each, skip

_HEAD = 8 << 10
_NO_LETTERS = re.compile(r"[\0-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ufffd]")
_READABLE = 100
"""What is not UTF-8 is taken for text if one character in so many, or fewer, is none that a text has."""


def read(files: Sequence[File], compression: str, fields: Fields) -> Articles:
    """The articles in some files, of which nothing but the text is known."""

    def parse(file: File, where: str) -> Record:
        try:
            with file.path.open("rb", buffering=0) as raw:
                return Record(
                    content(Stream(raw, compression, encoding=fields.encoding), file.shown), file.name, where
                )
        except OSError as error:
            raise Unusable(cannot_open(error)) from None

    return parse_each(((file.shown, file) for file in files), parse, Fields(about=fields.about))


def read_stream(stream: Stream, name: str, shown: str, fields: Fields) -> Work:
    """The work in a stream that holds one article."""
    try:
        record = Record(content(stream, shown), name, shown)
    except Unusable as problem:
        return skip(shown, str(problem), stream.source_bytes)
    return Work(lambda: articles([record], (), Fields(about=fields.about)), stream.source_bytes)


def content(stream: Stream, shown: str) -> bytes:
    """The text of a stream, which is shown so, in UTF-8; raises Unusable if it is no text, Damaged if it ends early."""
    if stream.peek(6).startswith((b"PAR1", b"ARROW1")):
        raise Unusable(
            "Parquet or Arrow; give it as a file whose name ends with .parquet, .arrow or .feather"
        )
    if stream.peek(len(SQLITE)) == SQLITE:
        raise Unusable(no_articles(shown))
    text = stream.read_most(work.MAX_RECORD_BYTES)
    if len(text) > work.MAX_RECORD_BYTES:
        raise Unusable(f"larger than {work.MAX_RECORD_BYTES} bytes; cut it into articles")
    if not text:
        raise Unusable("empty")
    nul = text.find(b"\0", 0, _HEAD)
    try:
        if nul < 0:
            text.decode()
            return text
    except UnicodeDecodeError:
        pass
    guessed = _core.decode(text)
    if "\0" in guessed:
        raise Unusable(f"not a text: a NUL at byte {max(nul, 0)}")
    if len(_NO_LETTERS.findall(guessed)) * _READABLE > len(guessed):
        raise Unusable(
            "not a text, or in an encoding that cannot be told; name it, such as fields=Fields(encoding='latin1')"
        )
    return guessed.encode()
