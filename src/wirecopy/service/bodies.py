"""Articles out of the body of a request: a text, JSON, or a web page. Nothing is fetched, and no name is taken for a file."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Request

from ..archive.reading import name_by_text
from ..extraction import extract
from ..model import ABOUT, Article, Page
from ..sources import Fields
from .problems import Problem

MOST_ARTICLES = 200
"""The most articles of one request."""
Record = dict[str, Any]


def read_records(request: Request[Any, Any, Any], content: bytes) -> tuple[list[Record], bool]:
    """The articles in a body, and whether it holds a list of them; raises a Problem for what is none. Without an id it is named by its text.

    For a text or a page the query of the request may say what else is known: `id`, `title`, `source`, `url` and the like.
    """
    records, is_list = _read(request, content)
    return [name_by_text(record, Fields()) for record in records], is_list


def _read(request: Request[Any, Any, Any], content: bytes) -> tuple[list[Record], bool]:
    kind, options = request.content_type
    if kind in ("text/plain", "text/html"):
        about = {name: request.query_params[name] for name in ("id", *ABOUT) if name in request.query_params}
        charset = options.get("charset")
        if kind == "text/plain":
            return [{"text": _decode(content, charset or "utf-8"), **about}], False
        return [_take_out(content, charset, about)], False
    if kind == "application/json":
        return _read_json(content)
    raise Problem(
        415,
        "expected application/json, text/plain or text/html",
        {"Accept": "application/json, text/plain, text/html"},
    )


def _decode(content: bytes, charset: str) -> str:
    try:
        return content.decode(charset)
    except (LookupError, ValueError):
        raise Problem(400, f"the text is not {charset[:40]}") from None


def _take_out(content: bytes, charset: str | None, about: Record) -> Record:
    """The article of a page, and what else is known of it."""
    found = extract(Page("", content, url=about.get("url"), charset=charset))
    if not found.text.strip():
        raise Problem(422, "no article was found in the page")
    told = {name: value for name in ABOUT if (value := getattr(found, name)) is not None}
    return {"text": found.text, **told, **about}


def _read_json(content: bytes) -> tuple[list[Record], bool]:
    try:
        given = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise Problem(400, "the body is not JSON") from None
    records = given if isinstance(given, list) else [given]
    if not records or len(records) > MOST_ARTICLES:
        raise Problem(422, f"expected 1 to {MOST_ARTICLES:,} articles, got {len(records):,}")
    for one in records:
        if not isinstance(one, dict):
            raise Problem(422, 'expected an article such as {"id": "…", "text": "…"}, or a list of them')
    return records, isinstance(given, list)


def to_record(article: Article) -> Record:
    """An article as its public JSON object: what is not known is left out."""
    values = {name: getattr(article, name) for name in ("id", "text", *ABOUT)}
    return {name: value for name, value in values.items() if value is not None}
