"""Answers as bytes of JSON; one that has not changed since it was last read is not sent again."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from litestar import Request, Response


def answer(content: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response[Any]:
    """An answer that is JSON already."""
    return Response(content, media_type="application/json", status_code=status, headers=dict(headers or {}))


def answer_if_changed(request: Request[Any, Any, Any], content: bytes) -> Response[Any]:
    """An answer with its ETag, or 304 without content if that is what was read before."""
    tag = f'"{sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    given = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    if tag in given or "*" in given:
        return Response(b"", status_code=304, headers=headers)
    return answer(content, headers=headers)
