"""What feeds and sitemaps say about pages, and how an address is recognised."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from urllib.parse import urlsplit

from wirecopy.model import Article, Page

_TRACKING = re.compile(r"(?:utm_\w*|fbclid|gclid)(?:=|$)", re.IGNORECASE)
_HEAD = 64 << 10
_LINK = re.compile(rb"<link\s[^<>]*>", re.IGNORECASE)
_CANONICAL = re.compile(rb"\brel\s*=\s*[\"']?(?:[\w-]+\s+){0,3}canonical\b", re.IGNORECASE)
_HREF = re.compile(rb"\bhref\s*=\s*[\"']?([^\"'<>\s]+)", re.IGNORECASE)
_TAG = re.compile(r"<(?:/?[a-zA-Z][^<>]*|!--[^<>]*--)>")


@dataclass(frozen=True, slots=True)
class Entry:
    """An article that a feed or sitemap names at `where`.

    `known` is what it says about the article, with an id for it if no page is found. The text is in `content`, an HTML
    fragment, if the feed has it, else in the linked page, whose file is `path`. `missing` is the reason for skipping an
    entry that has neither.
    """

    where: str
    known: Article
    missing: str
    content: str | None = None
    path: Path | None = None
    changed: str | None = None
    """When the page was last changed, which is not when it was published."""
    own: str = ""
    """Its id or else its title: distinguishes it from other entries with its link."""

    def is_same(self, other: Entry) -> bool:
        """Whether two entries with one link are one article: a live blog has many, each with its own text."""
        return not (self.content and other.content) or self.own == other.own or self.content == other.content

    def join(self, other: Entry) -> Entry:
        """Both as one; what both say is taken from this one."""
        names = [field.name for field in fields(Article)]
        known = {name: getattr(self.known, name) or getattr(other.known, name) for name in names}
        return replace(
            self,
            known=Article(**known),
            content=self.content or other.content,
            path=self.path or other.path,
            changed=self.changed or other.changed,
            own=self.own if self.content else other.own,
        )


class Entries:
    """All entries, of which a page of the input may be one."""

    def __init__(self) -> None:
        self._entries: dict[str, dict[str, Entry]] = {}
        """The entries of each page, by `own`; the first is the page's."""
        self._keys: dict[str, str] = {}
        """Of a page, by its path and by its address."""
        self._found: set[str] = set()

    def add(self, entry: Entry) -> None:
        """Add an entry; what several say about one article is taken from the first."""
        names = [str(entry.path)] if entry.path is not None else []
        names += [address_key(entry.known.url)] if entry.known.url else []
        key = next((self._keys[name] for name in names if name in self._keys), [*names, entry.where][0])
        of_page = self._entries.setdefault(key, {})
        first = next(iter(of_page), entry.own)
        own = first if first in of_page and of_page[first].is_same(entry) else entry.own
        of_page[own] = of_page[own].join(entry) if own in of_page else entry
        self._keys.update((name, key) for name in names if name not in self._keys)

    def paths(self) -> Iterator[Path]:
        """Yields the files of the entries that have one."""
        for of_page in self._entries.values():
            yield from (entry.path for entry in of_page.values() if entry.path is not None)

    def complete(self, page: Page, path: Path | None) -> Page:
        """The page with what its entry says; that is found by its file or address, or by the address in the page itself."""
        if not self._entries or page.known is not None:
            return page
        names = [os.path.realpath(path)] if path is not None else []
        address = page.url or _canonical(page.content)
        names += [address_key(address)] if address else []
        key = next((self._keys[name] for name in names if name in self._keys), None)
        if key is None:
            return page
        self._found.add(key)
        entry = next(iter(self._entries[key].values()))
        return replace(
            page,
            url=page.url or entry.known.url,
            known=replace(entry.known, id=page.id),
            changed=entry.changed,
        )

    def left(self) -> Iterator[Entry]:
        """Yields the entries of which no page was found, and forgets all."""
        entries = self._entries
        self._entries, self._keys = {}, {}
        for key, of_page in entries.items():
            if key not in self._found:
                yield from of_page.values()


def _canonical(content: bytes) -> str | None:
    links = (link[0] for link in _LINK.finditer(content, 0, _HEAD))
    address = next((_HREF.search(link) for link in links if _CANONICAL.search(link)), None)
    return html.unescape(address[1].decode("utf-8", "replace")) if address else None


def address_key(url: str) -> str:
    """Host, path and query of an address without tracking: the same for all addresses of one page."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url
    if parts.scheme.lower() not in ("", "http", "https"):
        return url
    host = parts.netloc.lower().rpartition("@")[2]
    host = host.removesuffix(":80").removesuffix(":443").removeprefix("www.")
    query = "&".join(part for part in parts.query.split("&") if part and not _TRACKING.match(part))
    return host + parts.path.rstrip("/") + (f"?{query}" if query else "")


def plain(markup: str) -> str:
    """A line of HTML as text, also if it was escaped twice."""
    text = html.unescape(_TAG.sub(" ", markup))
    return " ".join(html.unescape(_TAG.sub(" ", text)).split())
