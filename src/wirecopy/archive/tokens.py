"""Who may use the service of an archive: tokens, the sessions of browsers, and the answers of requests that may be repeated.

A token has 192 random bits and is shown once; the store has its SHA-256, which needs no salt at that length.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ..errors import UsageError, refuse
from ..model import count
from .connection import Connection
from .reading import read_moment
from .settings import parse_window, show_moment

SCOPES = ("read", "check", "write", "judge", "admin")
"""What a token may be for; admin is all."""
PREFIX = "wc_"
SECRET_BYTES = 24
NAME_CHARACTERS = 200
REQUEST_SECONDS = 24 * 3600
"""How long the answer of a request is kept for a repeated one."""
_TOKEN = "number, name, scopes, made, expires, revoked"


@dataclass(frozen=True, slots=True)
class Token:
    """A token as the archive knows it, which is all but the token itself; moments are in microseconds."""

    number: int
    name: str
    scopes: tuple[str, ...]
    made: int
    expires: int | None = None
    revoked: int | None = None

    def allows(self, scope: str) -> bool:
        """Whether it is for something."""
        return scope in self.scopes or "admin" in self.scopes

    def is_valid(self, now: int | None = None) -> bool:
        """Whether it is neither revoked nor expired."""
        return self.revoked is None and (self.expires is None or self.expires > (now or read_clock()))

    def to_dict(self) -> dict[str, Any]:
        """The same as a JSON object."""
        moments = {name: show_moment(getattr(self, name)) for name in ("made", "expires", "revoked")}
        return {"number": self.number, "name": self.name, "scopes": list(self.scopes), **moments}


@dataclass(frozen=True, slots=True)
class Request:
    """A request that was made under a key: a digest of what was asked, and its answer, None while there is none."""

    digest: bytes
    made: int
    status: int | None
    content: bytes | None


def read_clock() -> int:
    """Now, in microseconds."""
    return time.time_ns() // 1000


def read_expiry(given: str | None) -> int | None:
    """Until when a token is valid, given as a date or as a time from now ("90d"); raises UsageError."""
    if given is None:
        return None
    try:
        return read_clock() + (parse_window(given) or 0)
    except UsageError:
        return read_moment(given)


def hash_secret(secret: str) -> bytes:
    """What the store has of a secret."""
    return sha256(secret.encode()).digest()


class Tokens:
    """Tokens, sessions and requests."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def make(
        self, name: str, scopes: Collection[str], expires: int | None = None, now: int | None = None
    ) -> tuple[Token, str]:
        """A new token and its secret, which cannot be shown again; raises UsageError for what no token can have."""
        now, kept = now or read_clock(), tuple(scope for scope in SCOPES if scope in scopes)
        refuse(
            (not name.strip() or len(name) > NAME_CHARACTERS, "name: expected 1 to 200 characters"),
            (
                not scopes or set(scopes) - set(SCOPES),
                f"scopes: expected some of {', '.join(SCOPES)}, got {', '.join(scopes)}",
            ),
            (expires is not None and expires <= now, "expires: expected a moment to come"),
        )
        secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
        values = name, hash_secret(secret), " ".join(kept), now, expires
        connection = self._connection
        with connection.change():
            connection.insert("tokens", ("name", "hash", "scopes", "made", "expires"), [values])
            [(number,)] = connection.execute("SELECT last_insert_rowid()")
        return Token(number, name, kept, now, expires), secret

    def all(self) -> dict[bytes, Token]:
        """All tokens by the hash of their secrets, also those that are no longer valid, the oldest first."""
        found = self._connection.read(f"SELECT hash, {_TOKEN} FROM tokens ORDER BY number")
        with self._connection.decoding("a token"):
            return {
                key: Token(number, name, tuple(scopes.split()), *moments)
                for key, number, name, scopes, *moments in found
            }

    def revoke(self, which: int | str, now: int | None = None) -> Token:
        """Let a token, named by its number or by a name that no other has, be valid no more, nor its sessions; returns it.

        Raises UsageError if none is meant, or several.
        """
        connection = self._connection
        with connection.change():
            meant = [one for one in self.all().values() if which in (one.number, str(one.number))]
            if not meant:
                meant = [one for one in self.all().values() if one.name == which and one.revoked is None]
            if len(meant) != 1:
                raise UsageError(
                    f"expected the number of a token, got {which!r}, which {count(len(meant), 'token')} have"
                )
            number = meant[0].number
            connection.execute(
                "UPDATE tokens SET revoked = ? WHERE number = ? AND revoked IS NULL",
                (now or read_clock(), number),
            )
            connection.delete("sessions", "token", [number])
        return meant[0]

    # Sessions

    def open_session(self, token: int, seconds: float, now: int | None = None) -> str:
        """A new secret that stands for a token for so long; sessions that are over are forgotten."""
        now, secret = now or read_clock(), secrets.token_urlsafe(SECRET_BYTES)
        connection = self._connection
        with connection.change():
            connection.execute("DELETE FROM sessions WHERE expires <= ?", (now,))
            row = hash_secret(secret), token, now + int(seconds * 1e6)
            connection.insert("sessions", ("hash", "token", "expires"), [row])
        return secret

    def token_of_session(self, secret: str, now: int | None = None) -> int | None:
        """The number of the token that a session stands for, 0 for nobody's; None if there is no such session or it is over."""
        query = "SELECT token FROM sessions WHERE hash = ? AND expires > ?"
        found = self._connection.read(query, (hash_secret(secret), now or read_clock()))
        return int(found[0][0]) if found else None

    def close_session(self, secret: str) -> None:
        """End a session."""
        with self._connection.change():
            self._connection.delete("sessions", "hash", [hash_secret(secret)])

    # Requests

    def claim_request(
        self, token: int, key: str, digest: bytes, stale_seconds: float, now: int | None = None
    ) -> Request | None:
        """Note that a request with a key is being answered, and return None; or the one that was made before under this key.

        One that has no answer after so many seconds was cut off, and is made again.
        """
        now, connection = now or read_clock(), self._connection
        with connection.change():
            connection.execute("DELETE FROM requests WHERE made < ?", (now - int(REQUEST_SECONDS * 1e6),))
            query = "SELECT digest, made, status, content FROM requests WHERE token = ? AND key = ?"
            found = connection.execute(query, (token, key)).fetchone()
            if found:
                before = Request(*found)
                is_stale = before.status is None and before.made + stale_seconds * 1e6 < now
                if not (is_stale and before.digest == digest):
                    return before
            row = token, key, digest, now
            connection.insert("requests", ("token", "key", "digest", "made"), [row], "INSERT OR REPLACE")
        return None

    def answer_request(self, token: int, key: str, status: int, content: bytes) -> None:
        """Keep the answer of a request for a repeated one."""
        with self._connection.change():
            self._connection.execute(
                "UPDATE requests SET status = ?, content = ? WHERE token = ? AND key = ?",
                (status, content, token, key),
            )

    def drop_request(self, token: int, key: str) -> None:
        """Forget a request that came to nothing, so that it can be made again."""
        with self._connection.change():
            self._connection.execute("DELETE FROM requests WHERE token = ? AND key = ?", (token, key))

    def forget_requests(self) -> None:
        """Forget all answers, within a change: they may tell of articles that are gone."""
        self._connection.execute("DELETE FROM requests WHERE status IS NOT NULL")
