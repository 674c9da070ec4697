"""What kind of file is what: by its name, and by its first bytes where the name says nothing."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from wirecopy.sources import feeds, sitemaps
from wirecopy.sources.opening import Stream
from wirecopy.sources.paths import File
from wirecopy.sources.unpacking import Damaged

SNIFFED = 64 << 10
"""How many bytes are looked at to tell the kind of a file: comments and other fields may come first."""

PAGE_KINDS = {"page", "warc", "xml", "json feed"}
"""The kinds of files that hold or name web pages."""

NAMING_ROOTS = feeds.ROOTS | sitemaps.ROOTS
"""The first elements of what names pages: feeds and sitemaps."""

_KINDS = {
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    **dict.fromkeys((".parquet", ".arrow", ".feather"), "arrow"),
    **dict.fromkeys((".txt", ".text", ".md"), "text"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "page"),
    **dict.fromkeys((".xml", ".rss", ".atom", ".rdf"), "xml"),
    ".warc": "warc",
    ".wacz": "wacz",
    **dict.fromkeys(
        (
            *(".png", ".jpg", ".jpeg", ".gif", ".webp", ".tif", ".tiff", ".bmp", ".ico", ".heic"),
            *(".mp3", ".mp4", ".m4a", ".wav", ".ogg", ".webm", ".avi", ".mov", ".mkv"),
            *(".zip", ".tar", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".jar"),
            *(".pdf", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".ods", ".epub"),
            *(".exe", ".dll", ".so", ".o", ".a", ".pyc", ".class", ".wasm", ".woff", ".woff2", ".ttf"),
            *(".sqlite", ".db", ".npy", ".npz", ".pkl", ".bin"),
        ),
        "binary",
    ),
}
"""The kind of a file by the end of its name; everything else is pages or text if it looks like it."""

_UNREAD = {
    "binary": "not a text: {suffix} files are not read",
    "wacz": "not read; unpack it (it is a ZIP file) and give the WARC files below archive/",
}

_MARK = re.compile(rb"\A(?:\xef\xbb\xbf|\xfe\xff|\xff\xfe)")
_PROLOG = re.compile(
    rb"\s*+(?>(?:<!--.*?-->|<\?.*?\?>)\s*)*+<(?:!doctype\s+)?([a-z][\w:.-]*)",
    re.IGNORECASE | re.DOTALL,
)
_JSON_FEED = re.compile(rb'\s*\{.*?"version"\s*:\s*"https?:\\?/\\?/jsonfeed\.org\\?/version', re.DOTALL)


_NAMING_KINDS = {"", "text", "page", "xml"}
"""The kinds, by their name, of files whose name may be the id of an article; records have ids of their own."""


def names_article(file: File) -> bool:
    """Whether the name of a file may be the id of an article, for all that can be told without opening it."""
    return not file.problem and _kind_by_name(file)[0] in _NAMING_KINDS


def _kind_by_name(file: File) -> tuple[str, str]:
    """What the name of a file says about its kind, and its compression, empty where it says nothing."""
    stem, suffix = os.path.splitext(file.path.name.lower())  # noqa: PTH122 - a name, not a path
    compression = suffix[1:] if suffix in (".gz", ".zst") else ""
    if compression:
        suffix = os.path.splitext(stem)[1]  # noqa: PTH122
    return _KINDS.get(suffix, ""), compression


def kind_of_file(file: File) -> tuple[str, str]:
    """The kind of a file, and its compression: "gz", "zst" or empty."""
    kind, compression = _kind_by_name(file)
    if kind in ("", "json") and not file.is_pipe and not file.problem:
        kind = kind_of(_head(file, compression)) or kind
    return kind or "text", compression


def root_of_file(file: File, compression: str) -> str:
    """The `root_name` of a file; empty if it is a pipe or cannot be read."""
    return "" if file.is_pipe or file.problem else root_name(_head(file, compression))


def _head(file: File, compression: str) -> bytes:
    with contextlib.suppress(OSError, Damaged), file.path.open("rb", buffering=0) as raw:
        return Stream(raw, compression or None, raw=True).peek(SNIFFED)
    return b""


def unread(kind: str, file: File) -> str:
    """Why a file of this kind is not read; empty if it is."""
    if kind == "binary" and is_sqlite(file.path):
        return no_articles(file.shown)
    return _UNREAD.get(kind, "").format(suffix=file.path.suffix)


SQLITE = b"SQLite format 3\0"
"""How an archive begins."""


def is_sqlite(path: Path) -> bool:
    """Whether there is a SQLite file at a path, as an archive is."""
    try:
        if not path.is_file():
            return False
        with path.open("rb", buffering=0) as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError:
        return False


def no_articles(shown: str) -> str:
    """Why a SQLite file is not read, and what to do if it is an archive."""
    return f"a SQLite file; the copies in an archive are found by wirecopy pairs {shown}"


def kind_of(head: bytes) -> str:
    """Which of the PAGE_KINDS has these first bytes; empty if none."""
    if head.startswith(b"WARC/"):
        return "warc"
    if _JSON_FEED.match(_bare(head)):
        return "json feed"
    root = root_name(head)
    return "page" if root == "html" else "xml" if root in NAMING_ROOTS else ""


def root_name(head: bytes) -> str:
    """The document type, or else the first element, of the markup with these first bytes; empty if they are no markup."""
    found = _PROLOG.match(_bare(head))
    return found[1].decode("ascii", "replace").lower() if found else ""


def _bare(head: bytes) -> bytes:
    """The bytes without byte order mark, and without zeros, so that UTF-16 reads well enough."""
    return _MARK.sub(b"", head.replace(b"\0", b""))
