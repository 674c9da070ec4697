"""What every request goes through before it is routed: whom it is for, where it comes from, how much it is, who asks, how often.

The body is read here, whole and within limits, so that no slow sender takes a place in line, and what is refused costs little.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Iterable, Mapping
from typing import Any

from litestar.types import ASGIApp, Message, Receive, Send

from .access import SAFE, Access, Caller, is_cross_site
from .limits import Rates
from .log import Log
from .metrics import Metrics
from .problems import PROBLEM, Problem, as_problem, busy, write_problem
from .readers import Readers
from .rendering import Frame, is_for_people, render_problem
from .settings import Settings

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]/@?#]+)(:\d+)?")
HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
    b"cross-origin-resource-policy": b"same-origin",
}
"""What is said with every answer that does not say it otherwise."""
REFUSED_SECONDS = 0.25
"""How long one waits for a refusal when too many are there: whoever comes again at once, whatever is said, costs little so."""
HELD_BODIES = 32
"""All bodies together may have so many times the bytes of the largest one."""
STRANGER_BYTES = 65_536
HELD_STRANGERS = 128
"""What is read of whom nobody knows, enough for a form that signs in, and of how many such at once: they take no room from others."""
OPEN = ("/livez", "/readyz")
"""What tells nothing, to anybody."""


class Asked:
    """What is known of a request: `scope["wirecopy"]`."""

    def __init__(self, request_id: str, log: Log, client: str) -> None:
        self.request_id = request_id
        self.log = log
        self.client = client
        self.known: Caller | Problem | None = None
        self.held = 0
        """The bytes of its body."""

    @property
    def is_known(self) -> bool:
        """Whether it is somebody who may ask."""
        return isinstance(self.known, Caller)

    def caller(self) -> Caller:
        """Who asks; raises a Problem if that is nobody who may."""
        if isinstance(self.known, Caller):
            return self.known
        raise self.known or Problem(401, "a token is needed: Authorization: Bearer wc_…")


class Gate:
    """The service as granian sees it."""

    def __init__(
        self, app: ASGIApp, settings: Settings, access: Access, readers: Readers, metrics: Metrics, log: Log
    ) -> None:
        self._readers = readers
        self._app = app
        self._settings = settings
        self._access = access
        self._metrics = metrics
        self._log = log
        self._rates = Rates(settings.rate)
        self._frame = Frame(settings.archive.name)
        self._held = {True: 0, False: 0}
        """The bytes of all bodies, of those who are known and of strangers."""
        self.is_stopping = False
        self.running = 0

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        began = time.perf_counter()
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        given = headers.get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        client = (scope.get("client") or ("", 0))[0]
        asked = Asked(request_id, self._log, client)
        scope["wirecopy"] = asked
        method = scope["method"]
        if method == "HEAD":  # the same answer, of which granian sends the head
            scope["method"] = "GET"
        status = 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if status == 503 and not self.is_stopping:
                    self._release(asked)
                    await asyncio.sleep(REFUSED_SECONDS)
                message["headers"] = _complete(message["headers"], request_id)
            await send(message)

        self.running += 1
        try:
            try:
                content = await self._admit(scope, headers, receive, asked)
                await self._app(scope, _give(content, receive), answer)
            except Exception as error:
                if status:  # too late to say it
                    self._log.fault(error, request_id)
                else:
                    problem = as_problem(error, self._log, request_id)
                    for_people = is_for_people(scope["path"], headers.get("accept", ""))
                    await _refuse(problem, self._frame if for_people else None, request_id, answer)
                    # Its traceback holds what it was raised in, and so the connection, until the collector runs.
                    problem.__traceback__ = problem.__context__ = None
        finally:
            self._release(asked)
            self.running -= 1
            taken = time.perf_counter() - began
            route = str(scope.get("path_template") or "none")
            self._metrics.count(method, route, status, taken)
            self._log.request(
                method=method,
                path=scope["path"],
                status=status,
                ms=round(taken * 1000, 1),
                caller=asked.known.number if isinstance(asked.known, Caller) else None,
                request_id=request_id,
            )

    async def _admit(self, scope: Any, headers: Mapping[str, str], receive: Receive, asked: Asked) -> bytes:
        """The body of a request that is let in; raises a Problem."""
        if scope["path"] not in OPEN:
            if self.is_stopping:
                raise Problem(503, "the service is stopping", {"Retry-After": "5", "Connection": "close"})
            self._require_host(scope["headers"], headers)
            if is_cross_site(scope["method"], headers):
                raise Problem(403, "a page of another site may not do this")
            try:
                asked.known = self._access.identify(headers)
                key = f"token {asked.known.number}"
            except Problem as problem:
                asked.known = problem.with_traceback(None)
                key = f"address {asked.client}"
            self._rates.count(key)
        if scope["method"] in SAFE:
            return b""
        content = await self._read(headers, receive, asked)
        if scope["path"] == "/v1/check" and self._readers.reading.is_full:
            raise busy("too many requests are waiting")
        return content

    def _require_host(self, given: Iterable[tuple[bytes, bytes]], headers: Mapping[str, str]) -> None:
        found = _HOST.fullmatch(headers.get("host", ""))
        if not found or sum(name.lower() == b"host" for name, _ in given) > 1:
            raise Problem(400, "the header Host is missing, or none, or there are two")
        if found[1].lower().rstrip(".") not in self._settings.allowed_hosts:
            raise Problem(421, "this service does not answer under that name")

    def _release(self, asked: Asked) -> None:
        """Let others have the room of a body."""
        self._held[asked.is_known] -= asked.held
        asked.held = 0

    async def _read(self, headers: Mapping[str, str], receive: Receive, asked: Asked) -> bytes:
        most = self._settings.body_bytes
        room = HELD_BODIES * most
        too_large = Problem(413, f"expected at most {most:,} bytes", {"Connection": "close"})
        if not asked.is_known:
            most, room = min(most, STRANGER_BYTES), HELD_STRANGERS * STRANGER_BYTES
        if isinstance(asked.known, Problem):
            unknown = asked.known
            too_large = Problem(unknown.status, unknown.detail, unknown.headers | {"Connection": "close"})
        announced = headers.get("content-length", "0")
        if not announced.isdecimal() or int(announced) > most:
            raise too_large if announced.isdecimal() else Problem(400, "Content-Length is no number")
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._settings.seconds):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        raise Problem(400, "the request was cut off")
                    parts.append(message["body"])
                    size += len(parts[-1])
                    asked.held = size
                    self._held[asked.is_known] += len(parts[-1])
                    if size > most:
                        raise too_large
                    if self._held[asked.is_known] > room:
                        raise busy("too much is being sent")
                    if not message["more_body"]:
                        return b"".join(parts)
        except TimeoutError:
            raise Problem(408, "the body took too long to come", {"Connection": "close"}) from None


def _give(content: bytes, receive: Receive) -> Receive:
    """What gives a body that was read, and then waits for the end of the connection."""
    is_given = False

    async def give() -> Any:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": content, "more_body": False}

    return give


def _complete(headers: Any, request_id: str) -> list[tuple[bytes, bytes]]:
    found = [(bytes(name).lower(), bytes(value)) for name, value in headers]
    names = {name for name, _ in found}
    found += [(name, value) for name, value in HEADERS.items() if name not in names]
    return [*found, (b"x-request-id", request_id.encode())]


async def _refuse(problem: Problem, frame: Frame | None, request_id: str, send: Send) -> None:
    """Say what went wrong, as a page if there is a frame for one."""
    if frame is None:
        content, headers = write_problem(problem, request_id), {"content-type": PROBLEM, **problem.headers}
    else:
        page = render_problem(problem, frame, request_id)
        content, headers = page.content.encode(), {"content-type": "text/html; charset=utf-8", **page.headers}
    headers |= {"content-length": str(len(content))}
    told = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": told})
    await send({"type": "http.response.body", "body": content, "more_body": False})
