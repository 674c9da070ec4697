"""Pages as HTML: templates, what they may load, and how values are told to people.

A page is ours: what was read or typed in becomes text in it, escaped and isolated. Its policy allows the style and the scripts that it
names itself, by a number used once, and nothing from elsewhere; no script may write markup.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from litestar import Response

from ..escaping import clean_text, safe_address
from ..model import count
from ..report.articles import tell_direction
from ..report.page import SCRIPTS, as_json, template
from .problems import Problem

ASSETS = {
    "report.css": "text/css",
    "service.css": "text/css",
    "report.js": "text/javascript",
    "judge.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
"""What pages load, and as what."""
BASES = {
    "only": "no other earlier one is so close",
    "clear": "more equal words than with any other",
    "tied": "as many equal words as with others, of which it is the earliest",
    "same-time": "at the same time, so that which came first is not known",
    "undated": "undated, so that which came first is not known",
}
"""What speaks for an article's parent, in words."""
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d)\S*?(Z|[+-]\d\d:?\d\d)?)?")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", re.IGNORECASE)
_UTC = re.compile(r"(Z|[+-]00:?00)")


@cache
def read_asset(name: str) -> bytes:
    """The content of what a page loads; style and script of reports are theirs."""
    if name == "report.css":
        return template(name).encode()
    if name == "report.js":
        return "\n".join(map(template, SCRIPTS)).encode()
    return Path(__file__).with_name("assets").joinpath(name).read_bytes()


@cache
def address_of(name: str) -> str:
    """The address of what a page loads: another content, another address, so that browsers may keep it for good."""
    stamp = base64.urlsafe_b64encode(hashlib.sha256(read_asset(name)).digest()[:9]).decode()
    return f"/assets/{name}?v={stamp}"


def policy(nonce: str) -> str:
    """What a page may do: load what it names by this number, and send forms to where it came from."""
    rules = (
        "default-src 'none'",
        f"script-src 'nonce-{nonce}'",
        f"style-src 'nonce-{nonce}'",
        "img-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
    return "; ".join(rules)


HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Of every page. With `no-referrer` browsers would not say from where a form is sent, which tells a post of our own from another's."""


def tell_percent(share: float) -> str:
    """A share in words: all is said only of all, nothing only of nothing."""
    if 0 < share < 0.01:
        return "under 1 %"
    return f"{99 if 0.99 <= share < 1 else round(share * 100)} %"


def tell_date(date: str | None) -> str:
    """A date as people write it, in the zone it came in; what is no date stays as it is."""
    found = _DATE.fullmatch(date or "")
    if not found or not 1 <= int(found[2]) <= 12:
        return date or ""
    year, month, day, clock, zone = found.groups()
    where = f" {zone}" if zone and not _UTC.fullmatch(zone) else ""
    return f"{int(day)} {MONTHS[int(month) - 1]} {year}{f', {clock}{where}' if clock else ''}"


def tell_language(language: str | None) -> str | None:
    """The language of a text, where it is one that a browser can use."""
    return language if language and _LANGUAGE.fullmatch(language) else None


def _finish(value: Any) -> Any:
    """What stands in a page: no character that no page can hold."""
    return clean_text(value) if type(value) is str else value


TITLES = {403: "Not allowed", 404: "Not found", 413: "Too much at once"}
"""What pages say of what went wrong."""


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("wirecopy.service"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finish,
    )
    environment.filters |= {"percent": tell_percent, "date": tell_date, "site": safe_address, "json": as_json}
    environment.filters |= {
        "language": tell_language,
        "direction": tell_direction,
        "basis": BASES.__getitem__,
    }
    environment.globals |= {"count": count, "asset": address_of}
    return environment


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around every page: the archive's name, who reads it, and the number without which no form is taken."""

    archive: str
    name: str = ""
    sections: Mapping[str, str] | None = None
    form: str = ""
    signed_in: bool = False


def is_for_people(path: str, accepted: str) -> bool:
    """Whether an answer is to be a page: a browser shows it, and programs ask elsewhere."""
    return "text/html" in accepted and not path.startswith(("/v1/", "/metrics", "/livez", "/readyz"))


def render_problem(problem: Problem, frame: Frame, request_id: str) -> Response[str]:
    """A page that says what went wrong."""
    title = TITLES.get(problem.status, "This did not work")
    values = {"title": title, "detail": problem.detail, "request_id": request_id}
    return render("problem.html", frame, status=problem.status, headers=problem.headers, **values)


def render(
    name: str, frame: Frame, *, status: int = 200, headers: Mapping[str, str] | None = None, **values: Any
) -> Response[str]:
    """A page from a template, with its policy."""
    nonce = secrets.token_urlsafe(16)
    content = _templates().get_template(name).render(frame=frame, nonce=nonce, **values)
    return Response(
        content,
        status_code=status,
        media_type="text/html",
        headers={"Content-Security-Policy": policy(nonce), **HEADERS, **(headers or {})},
    )
