"""Plain text: one file, one article."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wirecopy.model import Articles, Skipped
from wirecopy.sources import work
from wirecopy.sources.fields import Fields, Record, Unusable
from wirecopy.sources.opening import Stream
from wirecopy.sources.paths import cannot_open
from wirecopy.sources.unpacking import Damaged
from wirecopy.sources.work import Work, articles, skip

_HEAD = 8 << 10


def read(files: Sequence[tuple[Path, str, str]], compression: str, fields: Fields) -> Articles:
    """The articles in some files, given as path, id, and name in a complaint; nothing is known about them."""
    records, skipped = [], []
    for path, name, shown in files:
        try:
            with path.open("rb", buffering=0) as file:
                records.append(Record(content(Stream(file, compression)), name, shown))
        except (Unusable, Damaged) as problem:
            skipped.append(Skipped(shown, str(problem)))
        except OSError as error:
            skipped.append(Skipped(shown, cannot_open(error)))
    return articles(records, skipped, Fields(about=fields.about))


def read_stream(stream: Stream, name: str, shown: str, fields: Fields) -> Work:
    """The article that a stream is."""
    try:
        text = content(stream)
    except (Unusable, Damaged) as problem:
        return skip(shown, str(problem), stream.source_bytes)
    return Work(
        lambda: articles([Record(text, name, shown)], (), Fields(about=fields.about)), stream.source_bytes
    )


def content(stream: Stream) -> bytes:
    """The text of a stream in UTF-8; raises Unusable if it is none, Damaged if it breaks off."""
    if stream.peek(6).startswith((b"PAR1", b"ARROW1")):
        raise Unusable(
            "Parquet or Arrow; give it as a file whose name ends with .parquet, .arrow or .feather"
        )
    pieces = []
    size = 0
    while piece := stream.read(max(64 << 10, size)):
        pieces.append(piece)
        size += len(piece)
        if size > work.MAX_RECORD_BYTES:
            raise Unusable(f"larger than {work.MAX_RECORD_BYTES} bytes; cut it into articles")
    text = b"".join(pieces)
    if not text:
        raise Unusable("empty")
    nul = text.find(b"\0", 0, _HEAD)
    if nul >= 0:
        raise Unusable(f"not a text: a NUL at byte {nul}")
    try:
        text.decode()
    except UnicodeDecodeError as error:
        raise Unusable(
            f"not UTF-8 text at byte {error.start}; convert it, e.g. iconv -f latin1 -t utf-8"
        ) from None
    return text
