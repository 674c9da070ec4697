"""Who reads a page: a cookie that stands for a token, and forms that are taken only from our own pages.

A browser that signs in with a token is given a session: a secret in a cookie that no script can read, that only this host is sent, and only
from its own pages. Everyone else has a secret too, that stands for nobody. A form carries a number that is made of this secret, so that no
other site can send one, even in a browser that tells nothing of where a form comes from. That a browser says of where a form comes from is looked at before, for all requests (`access.is_cross_site`).
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl

from litestar import Request, Response

from ..archive.desk import Desk
from ..archive.tokens import SECRET_BYTES, hash_secret
from .access import Caller, name_cookie, read_session
from .problems import Problem

FORM_BYTES = 65_536
FORM_FIELDS = 20
"""Anybody may send a form that signs in, and who reads it answers nobody else meanwhile: ours are small, but for a text to be checked."""
SESSION_SECONDS = 12 * 3600
"""So long after signing in a person signs in again."""
Asked = Request[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who reads a page, None if they have not signed in, and the secret of their cookie."""

    secret: str
    caller: Caller | None

    @property
    def form(self) -> str:
        """The number that forms carry."""
        return sha256(b"form " + self.secret.encode()).hexdigest()[:32]

    @property
    def name(self) -> str:
        """What they are called, as a judge."""
        return self.caller.name if self.caller else ""

    def allows(self, scope: str) -> bool:
        """Whether they may do something."""
        return self.caller is not None and self.caller.allows(scope)

    def require(self, scope: str) -> None:
        """Raise a Problem: 401 for who has not signed in, 403 for who may not do something."""
        if self.caller is None:
            raise Problem(401, "Sign in first.")
        if not self.caller.allows(scope):
            raise Problem(403, f"Your token is not for this: it needs the scope {scope}.")

    def require_own(self, form: Mapping[str, Any]) -> None:
        """Raise a Problem for a form that was not sent from a page that this visitor was shown."""
        if not secrets.compare_digest(str(form.get("form", "")).encode(), self.form.encode()):
            raise Problem(
                403,
                "This form was not sent from a page of yours here: go back, reload the page, and send it again.",
            )


def find_visitor(request: Asked) -> Visitor:
    """Who asks for a page."""
    try:
        caller = request.scope["wirecopy"].caller()  # type: ignore[typeddict-item]
    except Problem:
        caller = None
    return Visitor(read_session(request.headers) or secrets.token_urlsafe(SECRET_BYTES), caller)


async def take_form(
    asked: Asked, visitor: Visitor, scope: str | None = None, most: int = FORM_BYTES
) -> Mapping[str, str]:
    """The fields of a form of up to so many bytes that this visitor may send, and sent from a page of theirs; raises a Problem."""
    if scope is not None:
        visitor.require(scope)
    content = await asked.body()
    if len(content) > most:
        raise Problem(413, f"expected at most {most:,} bytes")
    is_small = len(content) <= FORM_BYTES
    form = read_form(content) if is_small else await asyncio.to_thread(read_form, content)
    visitor.require_own(form)
    return form


def read_form(content: bytes) -> dict[str, str]:
    """The fields of a form, as browsers send it; raises a Problem for what is none of ours."""
    try:
        return dict(parse_qsl(content.decode(), keep_blank_values=True, max_num_fields=FORM_FIELDS))
    except ValueError:
        raise Problem(400, "expected a form of one of these pages") from None


def set_cookie(asked: Asked, response: Response[Any], secret: str, seconds: int | None = None) -> None:
    """Let a browser keep a secret, until it is closed or for so long; no script reads it, and no other site has it sent."""
    name = name_cookie(asked.headers)
    secure = name.startswith("__Host-")
    response.set_cookie(
        name, secret, max_age=seconds, path="/", secure=secure, httponly=True, samesite="strict"
    )


def keep(asked: Asked, visitor: Visitor, response: Response[Any]) -> None:
    """Set the cookie of who has none: forms are made for it."""
    if read_session(asked.headers) is None:
        set_cookie(asked, response, visitor.secret)


def sign_in(desk: Desk, secret: str) -> str | None:
    """The secret of a new session for whoever has a token; None if there is no such token, or it is over."""
    token = desk.tokens.all().get(hash_secret(secret.strip()))
    return desk.tokens.open_session(token.number, SESSION_SECONDS) if token and token.is_valid() else None


def stay_here(address: str) -> str:
    """An address to go on to, if it is one of this site; else that of the first page.

    To a browser what follows two slashes and more is another host, and a backslash is a slash.
    """
    inside = address.startswith("/") and not address.startswith("//")
    return address if inside and address.isprintable() and "\\" not in address else "/"
