"""Who asks, and whether they may: tokens and their scopes, sessions of browsers, the site that a request comes from.

Without any token in the archive a service that only this machine can reach lets everybody in; the first token ends that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hmac import compare_digest
from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler

from ..archive.desk import Desk
from ..archive.tokens import SCOPES, Token, hash_secret
from .problems import Problem
from .settings import Settings

SAFE = ("GET", "HEAD", "OPTIONS")
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks; `number` is that of the token, 0 for whoever is on this machine while there is none."""

    number: int
    name: str
    scopes: frozenset[str]
    via: str
    """`token`, `session` or `local`."""

    def allows(self, scope: str) -> bool:
        """Whether the caller may do something."""
        return scope in self.scopes or "admin" in self.scopes


PERSON = frozenset(("read", "check", "judge"))
LOCAL = Caller(0, "local", frozenset(SCOPES), "local")


class Access:
    """What the archive knows of who may ask, as of its last commit; for the thread of the event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._desk = Desk(settings.archive)
        self._tokens: dict[bytes, Token] = {}
        self._by_number: dict[int, Token] = {}

    def refresh(self) -> None:
        """Take in what was made or revoked since."""
        if self._desk.store.has_changed():
            self._tokens = self._desk.tokens.all()
            self._by_number = {token.number: token for token in self._tokens.values()}

    @property
    def has_tokens(self) -> bool:
        """Whether the archive has a token that is valid."""
        self.refresh()
        return any(token.is_valid() for token in self._tokens.values())

    def identify(self, headers: Mapping[str, str]) -> Caller:
        """Who asks, by the headers of a request; raises a Problem with 401."""
        self.refresh()
        given = headers.get("authorization")
        if given is not None:
            kind, _, secret = given.partition(" ")
            token = self._tokens.get(hash_secret(secret.strip())) if kind.lower() == "bearer" else None
            return _name(token, "token")
        session = read_session(headers)
        key = self._settings.key
        if session is not None and key is not None and compare_digest(session.encode(), key.encode()):
            return Caller(0, self._settings.person or "local", PERSON, "session")
        if session is not None:
            number = self._desk.tokens.token_of_session(session)
            if number:
                return _name(self._by_number.get(number), "session")
        if self._is_open() and not any(name in headers for name in _FORWARDED):
            return LOCAL
        raise _unknown("a token is needed: Authorization: Bearer wc_…")

    def _is_open(self) -> bool:
        """Whether everybody on this machine may do everything."""
        return not self._settings.is_for_others and self._settings.key is None and not self._tokens

    def close(self) -> None:
        """Close the archive."""
        self._desk.close()


def _name(token: Token | None, via: str) -> Caller:
    if token is None or not token.is_valid():
        raise _unknown("the token is not known here, was revoked, or has expired")
    return Caller(token.number, token.name, frozenset(token.scopes), via)


def _unknown(detail: str) -> Problem:
    return Problem(401, detail, {"WWW-Authenticate": 'Bearer realm="wirecopy"'})


def name_cookie(headers: Mapping[str, str]) -> str:
    """The name of the cookie of a session: by https `__Host-`, by plain http on this machine with the port, as all ports share cookies."""
    host = headers.get("host", "")
    name, _, port = host.rpartition(":") if not host.endswith("]") and ":" in host else (host, "", "80")
    is_local = name == "localhost" or name == "[::1]" or name.startswith("127.")
    return f"wirecopy-{port}" if is_local else "__Host-wirecopy"


def read_session(headers: Mapping[str, str]) -> str | None:
    """The secret of a session in the cookies of a request."""
    wanted = name_cookie(headers)
    for part in headers.get("cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == wanted and value:
            return value
    return None


def is_cross_site(method: str, headers: Mapping[str, str]) -> bool:
    """Whether a page of another site has a browser make this request, which would change something in the name of who uses it.

    A token in a header is given by no browser on its own.
    """
    if method in SAFE or "authorization" in headers:
        return False
    fetched = headers.get("sec-fetch-site")
    if fetched is not None:
        return fetched not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2].lower() != headers.get("host", "").lower()


def require(scope: str) -> Callable[[ASGIConnection[Any, Any, Any, Any], BaseRouteHandler], None]:
    """A guard that lets only those in who may do something."""

    def guard(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        caller = connection.scope["wirecopy"].caller()  # type: ignore[typeddict-item]
        if not caller.allows(scope):
            raise Problem(403, f"the token is not for this: it needs the scope {scope}")

    guard.scope = scope  # type: ignore[attr-defined]
    return guard
