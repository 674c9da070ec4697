"""A request that is repeated under its Idempotency-Key is answered once: what was answered then is answered again."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any

from litestar import Request, Response

from .access import Caller
from .problems import AGAIN, Problem
from .readers import Readers

HEADER = "Idempotency-Key"
STALE_SECONDS = 60.0
"""A request that has no answer after so long was cut off, and is made again: what changes articles does no harm twice."""
_KEY = re.compile(r"[\x21-\x7e]{1,200}")


async def answer_once(
    request: Request[Any, Any, Any],
    content: bytes,
    caller: Caller,
    readers: Readers,
    work: Callable[[], Awaitable[Response[Any]]],
) -> Response[Any]:
    """The answer of some work, or that of the same request before; raises a Problem if the key is another's, or the answer not there yet."""
    key = request.headers.get(HEADER)
    if key is None:
        return await work()
    if not _KEY.fullmatch(key):
        raise Problem(400, f"{HEADER}: expected 1 to 200 visible characters of ASCII")
    asked = (
        f"{request.method} {request.url.path}?{request.url.query} {request.headers.get('content-type', '')}\n"
    )
    digest = sha256(asked.encode() + content).digest()
    before = await readers.desk(
        lambda desk: desk.tokens.claim_request(caller.number, key, digest, STALE_SECONDS)
    )
    if before is not None:
        if before.digest != digest:
            raise Problem(422, f"{HEADER}: another request was made with it")
        if before.status is None or before.content is None:
            raise Problem(409, f"{HEADER}: the request is being answered", AGAIN)
        headers = {"Idempotency-Replayed": "true"}
        return Response(
            before.content, media_type="application/json", status_code=before.status, headers=headers
        )
    try:
        done = await work()
    except BaseException:
        await readers.desk(lambda desk: desk.tokens.drop_request(caller.number, key))
        raise
    status, told = done.status_code or 200, bytes(done.content)
    await readers.desk(lambda desk: desk.tokens.answer_request(caller.number, key, status, told))
    return done
