"""RSS, Atom and JSON feeds, as files: an entry is an article, with its text or a link to it."""

from __future__ import annotations

import codecs
import html
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urljoin

from wirecopy import _core
from wirecopy.errors import MissingExtra
from wirecopy.model import Article
from wirecopy.sources.entries import Entry, plain
from wirecopy.sources.fields import Unusable
from wirecopy.sources.opening import Stream
from wirecopy.text import mend

ROOTS = {"rss", "feed", "rdf:rdf", "channel"}

_MAX_TAGS = 100_000
_MAX_ATTRIBUTES = 200
"""feedparser needs seconds for more tags; for the attributes of one tag, the square of their number."""
_CDATA = re.compile(rb"<!\[CDATA\[.*?(?:\]\]>|\Z)", re.DOTALL)
_TAG = re.compile(rb"<[^<>]*")
_DECLARATION = re.compile(rb"\A\s*<\?xml\s[^<>]*>")
_PERSON = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)"
    rb"|<(?P<end>/?)(?:[^\s<>/:]*:)?(?P<name>author|creator|managingeditor|webmaster|publisher|owner)(?:[\s/][^<>]*)?>",
    re.DOTALL | re.IGNORECASE,
)
_MARKUP = re.compile(rb"<!\[CDATA\[(.*?)(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|<[^<>]*>", re.DOTALL)
_ROOT = re.compile(rb"<((?:rdf:)?(?:rss|feed|rdf|channel))(?=[\s>])", re.IGNORECASE)
_ENTRY = re.compile(rb"<(/?)(?:[\w.-]+:)?(?:item|entry)(?:\s[^<>]*)?>", re.IGNORECASE)
_ENDLESS = re.compile(rb"\S{256}")
_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\w{1,8});)")
_DATE = re.compile(rb"<[\w.-]+:date[\s>]", re.IGNORECASE)
_CHANGE = re.compile(rb"<[\w.-]+:(?:updated|modified)[\s>]", re.IGNORECASE)

_FULL_CONTENT = 250
_FULL_SUMMARY = 1000
"""A shorter text is taken for a summary where there is a link: shorter in an element meant for the text than in one meant for a summary."""
_CUT = ("[…]", "[...]", "[ … ]")


def read(data: bytes, shown: str) -> Iterator[Entry]:
    """Yields the entries of an RSS or Atom feed; raises Unusable, if the feed was cut after its whole entries."""
    data = _as_utf8(data)
    markup = _CDATA.sub(b"", data)
    _check(markup)
    data = _without_endless_names(data)
    try:
        import feedparser
    except ImportError:
        raise MissingExtra(f"{shown}: a feed", "pages") from None
    try:
        # Of bytes it would ask whether they are a file or an address; a stream is only read.
        feed = feedparser.parse(io.BytesIO(data), sanitize_html=False, resolve_relative_uris=False)
    except Exception as error:  # markup that is broken enough raises anything
        raise Unusable(f"not a feed: {error}") from None
    missing = _missing_end(markup) if feed.bozo else ""
    if not feed.entries and feed.bozo and not missing:
        raise Unusable(f"not a feed: {feed.get('bozo_exception', 'no entry in it')}")
    source = _title(feed.feed)
    base = feed.feed.get("link") or feed.feed.get("title_detail", {}).get("base") or ""
    tags = _ENTRY.findall(markup) if missing else []
    whole = len(feed.entries) - bool(tags and not tags[-1])  # a feed that is cut may end within an entry
    is_atom = feed.version.startswith("atom")
    # feedparser has dc:date, which is of publication, and atom:updated under one name.
    is_published = not is_atom and _DATE.search(markup) and not _CHANGE.search(markup)
    for number, entry in enumerate(feed.entries[: max(whole, 0)], 1):
        content = _longest(entry.get("content", ()))
        summary = entry.get("summary_detail", {})
        url = _joined(base, entry.get("link", ""))
        if not (content or url or is_atom):
            content = summary  # in RSS, where the description of an item without a link is its text
        yield _entry(
            f"{shown}:{number}",
            content=_markup(content) if content else "",
            summary=_markup(summary),
            title=_title(entry),
            published=_date(entry, "published") or (_date(entry, "updated") if is_published else None),
            changed=_date(entry, "updated"),
            source=source,
            author=_authors(entry),
            language=(content or summary).get("language") or feed.feed.get("language"),
            url=url,
            id=entry.get("id"),
        )
    if missing:
        raise Unusable(f"not a whole feed: no {missing} in it")


def read_json(data: bytes, shown: str) -> Iterator[Entry]:
    """Yields the entries of a JSON feed; raises Unusable."""
    try:
        feed = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Unusable(f"not a feed: {error}") from None
    items = feed.get("items") if isinstance(feed, dict) else None
    if not isinstance(items, list):
        raise Unusable("not a feed: no items in it")
    for number, item in enumerate(items, 1):
        entry = item if isinstance(item, dict) else {}
        authors = _listed(entry, "authors") or _listed(feed, "authors") or [entry.get("author")]
        yield _entry(
            f"{shown}:{number}",
            content=_string(entry, "content_html") or _paragraphs(_string(entry, "content_text")),
            summary=_paragraphs(_string(entry, "summary")),
            title=_string(entry, "title"),
            published=_date(entry, "date_published"),
            changed=_date(entry, "date_modified"),
            source=_string(feed, "title"),
            author="; ".join(filter(None, (_string(one, "name") for one in authors))),
            language=_string(entry, "language") or _string(feed, "language"),
            url=_joined(_string(feed, "home_page_url"), _string(entry, "url")),
            id=_string(entry, "id"),
        )


def _entry(
    where: str,
    *,
    content: str,
    summary: str,
    url: str,
    id: str | None,
    changed: str | None,
    **known: str | None,
) -> Entry:
    # Without a page to go to, what is meant for the text is all there is.
    leasts = ((content, _FULL_CONTENT if url else 1), (summary, _FULL_SUMMARY))
    text = next((text for text, least in leasts if _is_full(text, least)), None)
    there = "only a summary" if plain(content) or plain(summary) else "no text"
    about = {name: mend(value) for name, value in known.items() if value}
    return Entry(
        where,
        Article(mend(url or id or where), "", url=mend(url) or None, **about),
        f"{there}; the linked page {url} is not in the input" if url else f"{there}, and no link to a page",
        text,
        changed=changed,
        own=id or known.get("title") or where,
    )


def _check(markup: bytes) -> None:
    if markup.count(b"<") > _MAX_TAGS:
        raise Unusable(f"a feed of more than {_MAX_TAGS:,} tags; cut it into several")
    if any(tag[0].count(b"=") > _MAX_ATTRIBUTES for tag in _TAG.finditer(markup)):
        raise Unusable(
            f"a feed with a tag of more than {_MAX_ATTRIBUTES} attributes, which is made to waste time"
        )


def _as_utf8(data: bytes) -> bytes:
    """The feed in UTF-8, if its byte order mark says UTF-16 or UTF-32; feedparser would believe its declaration first."""
    if not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        return data
    return _DECLARATION.sub(b"", Stream(io.BytesIO(data)).readall())


def _missing_end(markup: bytes) -> str:
    """The last tag of a feed if it is missing, else empty; a feed that is only not well-formed has it."""
    root = _ROOT.search(markup)
    if not root or re.search(rb"</%b\s*>" % re.escape(root[1]), markup, re.IGNORECASE):
        return ""
    return f"</{root[1].decode()}>"


def _without_endless_names(data: bytes) -> bytes:
    """The feed without people's names that are one endless word: feedparser, looking for an e-mail address, takes quadratic time."""
    parts, copied = [], 0
    start: int | None = None
    has_entities = b"<!ENTITY" in data
    for tag in _PERSON.finditer(data):
        if not tag["name"] or tag[0].endswith(b"/>"):
            continue
        if not tag["end"]:
            start = tag.end()
            continue
        if start is None:  # it would end what is still open before it
            parts.append(data[copied : tag.start()])
            copied = tag.end()
        elif _is_endless(data[start : tag.start()], has_entities):
            parts.append(data[copied:start])
            copied = tag.start()
        start = None
    return b"".join([*parts, data[copied:]])


def _is_endless(name: bytes, has_entities: bool) -> bool:
    # What an entity stands for may be endless.
    longest = _ENDLESS.search(_MARKUP.sub(rb"\1", name))
    return longest is not None or (has_entities and _ENTITY.search(name) is not None)


def _is_full(markup: str, least: int) -> bool:
    text = plain(markup)
    return len(text) >= least and not text.endswith(_CUT)


def _longest(contents: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    texts = [
        one for one in contents if one.get("type", "text/html").startswith(("text/", "application/xhtml"))
    ]
    return max(texts, key=lambda one: len(one.get("value", "")), default=None)


def _markup(detail: Mapping[str, Any]) -> str:
    value: str = detail.get("value", "")
    return _paragraphs(value) if detail.get("type") == "text/plain" else value


def _paragraphs(text: str) -> str:
    """A plain text as HTML."""
    return "\n".join(f"<p>{html.escape(part)}</p>" for part in re.split(r"\n\s*\n", text) if part.strip())


def _title(holder: Mapping[str, Any]) -> str:
    detail = holder.get("title_detail", {})
    value: str = detail.get("value", "")
    return " ".join(value.split()) if detail.get("type") == "text/plain" else plain(value)


def _joined(base: str, link: str) -> str:
    """The absolute address of a link, empty if that is not of a page."""
    try:
        address = urljoin(base, link.strip()) if link.strip() else ""
    except ValueError:
        return ""
    return address if address.lower().startswith(("http://", "https://")) else ""


def _date(entry: Mapping[str, Any], name: str) -> str | None:
    """A date as it is written, None if it cannot be read; CST, which has three meanings, is the American zone in RSS."""
    # feedparser's own `get` gives one date for the other.
    said = dict.get(entry, name) if isinstance(entry, dict) else None
    said = re.sub(r"\bCST\s*\Z", "-0600", mend(said)) if isinstance(said, str) else ""
    return said if _core.read_date(said, False) else None


def _authors(entry: Mapping[str, Any]) -> str:
    names = [one.get("name") or "" for one in entry.get("authors", ())]
    # One that is alone is also there as written: feedparser tears `ada@c.example (Ada Quill)` into `ada@c.exam` and a rest.
    return "; ".join(filter(None, map(_name, names if len(names) > 1 else [entry.get("author") or ""])))


def _name(author: str) -> str:
    """The name of an author without the address beside it: `ada@c.example (Ada Quill)`, or `ple (Ada Quill`."""
    name = " ".join(word for word in author.split() if "@" not in word)
    before, bracket, inside = name.partition("(")
    is_torn = ")" not in inside and " " not in before.strip()
    return inside.rstrip(")") if bracket and (not before or is_torn) else name


def _string(holder: Any, name: str) -> str:
    value = holder.get(name) if isinstance(holder, dict) else None
    return value if isinstance(value, str) else ""


def _listed(holder: Any, name: str) -> list[Any]:
    value = holder.get(name) if isinstance(holder, dict) else None
    return value if isinstance(value, list) else []
