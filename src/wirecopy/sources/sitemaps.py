"""Sitemaps of pages that were saved beside them, as mirroring tools do; nothing is fetched.

A page is looked for below the sitemap's own folder and nowhere else.
"""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.parsers import expat

from wirecopy.model import Article
from wirecopy.sources.entries import Entry
from wirecopy.sources.fields import Unusable
from wirecopy.sources.opening import MARKS, Stream
from wirecopy.text import mend

ROOTS = {"urlset", "sitemapindex"}

MAX_BYTES = 50 << 20
"""The most that the protocol allows."""
_MAX_ELEMENTS = 1_000_000
_DECLARED = re.compile(rb"""\s*<\?xml\s[^<>]*?\bencoding\s*=\s*["']([A-Za-z][\w.-]{0,63})["']""", re.ASCII)
_PARSED = {"", "utf-8", "utf-16", "iso-8859-1", "us-ascii"}
_NO_CHARSETS = {
    "punycode",
    "idna",
    "unicode-escape",
    "unicode_escape",
    "raw-unicode-escape",
    "raw_unicode_escape",
}
_NAMES = {
    "loc": "url",
    "lastmod": "changed",
    "news:title": "title",
    "news:publication_date": "published",
    "news:language": "language",
    "news:name": "source",
}


def read(data: bytes, shown: str, folder: Path | None) -> Iterator[Entry]:
    """Yields the pages, or other sitemaps, that a sitemap names; raises Unusable at the place from which it is broken."""
    problem = ""
    parser = _Parser()
    try:
        parser.expat.Parse(_decoded(data), True)
    except expat.ExpatError as error:
        problem = f"not a whole sitemap: {error}"
    except (LookupError, ValueError):  # of an encoding that it declares in a way of its own
        problem = "not a whole sitemap: declares an encoding that is not known; convert it to UTF-8"
    for number, said in enumerate(parser.found, 1):
        url, changed = said.pop("url", ""), said.pop("changed", None)
        path, missing = None, f"{url} is not in the input" if url else "no address"
        try:
            path = _path(url, folder) if folder is not None else None
        except Unusable as outside:
            missing = str(outside)
        id = os.path.relpath(path, os.path.realpath(folder)) if path and folder else url
        known = Article(id, "", url=url if ":" in url else None, **said)
        yield Entry(f"{shown}:{number}", known, missing, path=path, changed=changed)
    if problem:
        raise Unusable(problem)


def _decoded(data: bytes) -> bytes | str:
    """What the parser can read: the bytes, or if it does not know the encoding that they declare, their text. Raises Unusable."""
    if data.startswith(MARKS):
        return Stream(io.BytesIO(data)).readall().decode("utf-8", "replace")
    declared = _DECLARED.match(data)
    name = declared[1].decode() if declared else ""
    if name.lower() in _PARSED:
        return data
    try:
        if codecs.lookup(name).name not in _NO_CHARSETS:
            return mend(data.decode(name, "replace"))
    except (LookupError, ValueError):
        pass
    raise Unusable(f"declares the encoding {name!r}, which is not known; convert it to UTF-8")


class _Parser:
    def __init__(self) -> None:
        self.found: list[dict[str, str]] = []
        """What each whole element says, by the names in `_NAMES`."""
        self._entry: dict[str, str] | None = None
        self._text: list[str] | None = None
        self._elements = 0
        self.expat = expat.ParserCreate()
        self.expat.buffer_text = True
        self.expat.EntityDeclHandler = self._refuse
        self.expat.StartElementHandler = self._start
        self.expat.EndElementHandler = self._end
        self.expat.CharacterDataHandler = self._characters

    def _refuse(self, *_: object) -> None:
        raise Unusable("declares entities, which no sitemap needs")

    def _start(self, name: str, _: object) -> None:
        self._elements += 1
        if self._elements > _MAX_ELEMENTS:
            raise Unusable(f"more than {_MAX_ELEMENTS:,} elements; cut it into several")
        if name in ("url", "sitemap"):
            self._entry = {}
        self._text = [] if name in _NAMES else None

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, name: str) -> None:
        if name in ("url", "sitemap") and self._entry is not None:
            self.found.append(self._entry)
            self._entry = None
        elif self._text is not None and name in _NAMES and self._entry is not None:
            self._entry.setdefault(_NAMES[name], "".join(self._text).strip())
        self._text = None


def _path(url: str, folder: Path) -> Path | None:
    """The saved file of an address; None if there is none. Raises Unusable if it is outside the folder."""
    from urllib.request import url2pathname  # slow to import, and rarely needed

    try:
        parts = urlsplit(url)
        scheme = parts.scheme.lower()
        path = unquote(parts.path)
        if scheme == "file":
            candidates = [url2pathname(parts.path)]
        elif scheme in ("http", "https"):
            # Mirrors have a folder for the host, or begin below it.
            below = path.strip("/") + (f"?{parts.query}" if parts.query else "")
            candidates = [f"./{below}", f"{parts.netloc}/{below}"]
        elif not scheme and path and not path.startswith("/"):
            candidates = [path]
        else:
            return None
        root = os.path.realpath(folder)
        for candidate in candidates:
            for ending in ("", ".html", "/index.html"):
                file = os.path.realpath(os.path.join(root, candidate + ending))  # noqa: PTH118
                if os.path.isfile(file):  # noqa: PTH113 - realpath has no twin in pathlib that is as lenient
                    if not file.startswith(root.rstrip(os.sep) + os.sep):
                        raise Unusable(f"{url} leads out of the sitemap's folder")
                    return Path(file)
    except (ValueError, OSError):
        pass
    return None
