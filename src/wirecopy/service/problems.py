"""What is said when something goes wrong: RFC 9457 problems, which hold no path, statement or stack of ours."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from ..errors import BusyError, SourceError, UsageError, WirecopyError
from .log import Log

PROBLEM = "application/problem+json"
AGAIN = {"Retry-After": "1"}
PLAIN = {404: "there is nothing at this address", 405: "this address is not asked in that way"}
"""What is said where no route has more to say."""


class Problem(Exception):  # noqa: N818 - what RFC 9457 calls it
    """An answer that says what is wrong; whoever raises it says nothing of what is inside."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})


def busy(detail: str) -> Problem:
    """Too much to do: come again."""
    return Problem(503, detail, AGAIN)


def write_problem(problem: Problem, request_id: str) -> bytes:
    """A problem as JSON."""
    told = {
        "type": "about:blank",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
        "request_id": request_id,
    }
    return msgspec.json.encode(told)


def as_problem(error: Exception, log: Log, request_id: str) -> Problem:
    """What is said of an error; one that nobody foresaw is logged, and a fault of ours to whoever asked."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, ValidationException):
        return Problem(400, _list_faults(error))
    if isinstance(error, HTTPException):
        headers = dict(error.headers or {})
        phrase = HTTPStatus(error.status_code).phrase
        detail = error.detail if error.status_code < 500 else phrase
        detail = PLAIN.get(error.status_code, detail) if detail == phrase else detail
        return Problem(error.status_code, detail, headers)
    if isinstance(error, RecursionError):  # of what reads JSON: nothing of ours goes so deep
        return Problem(400, "the body is nested too deeply")
    if isinstance(error, UsageError | SourceError):
        return Problem(422, str(error))
    if isinstance(error, BusyError):
        return busy("another program is writing to the archive")
    log.fault(error, request_id)
    if isinstance(error, WirecopyError):
        return Problem(
            503, "the archive cannot be used now; the log of the service says why", {"Retry-After": "30"}
        )
    return Problem(500, "a fault of the service; its log has more under this request_id")


def _list_faults(error: ValidationException) -> str:
    extra: Any = error.extra
    if isinstance(extra, list) and extra:
        return "; ".join(
            f"{one.get('key', '')}: {one.get('message', '')}" for one in extra if isinstance(one, dict)
        )
    return "the request is not as it should be"


def respond(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """The answer to a request that went wrong."""
    asked = request.scope["wirecopy"]  # type: ignore[typeddict-item]
    problem = as_problem(error, asked.log, asked.request_id)
    content = write_problem(problem, asked.request_id)
    return Response(content, media_type=PROBLEM, status_code=problem.status, headers=problem.headers)
