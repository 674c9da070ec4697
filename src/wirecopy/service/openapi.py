"""The description of the service, OpenAPI 3.1: `openapi.json` beside this, which is made from the routes by `make docs`."""

from __future__ import annotations

from importlib import resources
from typing import Any

from litestar import Response, Router, get
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme

from ..model import ABOUT
from .bodies import MOST_ARTICLES
from .problems import PROBLEM

FILE = resources.files(__package__).joinpath("openapi.json")
_TEXT: dict[str, Any] = {"type": "string"}
_ARTICLE = {
    "type": "object",
    "required": ["text"],
    "properties": dict.fromkeys(("id", "text", *ABOUT), _TEXT),
    "description": "An article; `date` is read as `published`, and the names that passim, trafilatura and news-please write are known.",
}
_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "request_id"],
    "properties": {
        **dict.fromkeys(("type", "title", "detail", "request_id"), _TEXT),
        "status": {"type": "integer"},
    },
    "description": "What went wrong (RFC 9457).",
}
_ONE = {"$ref": "#/components/schemas/Article"}
_SOME = {"oneOf": [_ONE, {"type": "array", "items": _ONE, "minItems": 1, "maxItems": MOST_ARTICLES}]}
_PAGE = {"text/plain": {"schema": _TEXT}, "text/html": {"schema": _TEXT}}
BODIES = {
    **{
        name: {"application/json": {"schema": _SOME}, **_PAGE}
        for name in ("check", "add_articles", "observe")
    },
    "put_article": {"application/json": {"schema": _ONE}, **_PAGE},
}
"""What the operations that read their body themselves take."""


def configure(version: str) -> OpenAPIConfig:
    """What Litestar is told of the description."""
    return OpenAPIConfig(
        title="wirecopy",
        version=version,
        description="Check texts against an archive of articles. Errors are RFC 9457 problems; ids are query parameters.",
        use_handler_docstrings=True,
        components=Components(
            security_schemes={"token": SecurityScheme(type="http", scheme="bearer", description="wc_…")}
        ),
        security=[{"token": []}],
        render_plugins=[],
    )


def describe(made: dict[str, Any]) -> dict[str, Any]:
    """A description as Litestar makes it, with the bodies that routes read themselves, and problems for all that goes wrong."""
    schemas = made["components"].setdefault("schemas", {})
    schemas |= {"Article": _ARTICLE, "Problem": _PROBLEM}
    wrong = {
        "description": "What went wrong",
        "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for path in made["paths"].values():
        for operation in path.values():
            kept = {code: one for code, one in operation["responses"].items() if int(code) < 400}
            if operation["operationId"] == "put_article":
                kept["201"] = {**kept["200"], "description": "Nothing was there under this id"}
            operation["responses"] = {**kept, "default": wrong}
            if (name := operation["operationId"]) in BODIES:
                operation["requestBody"] = {"required": True, "content": BODIES[name]}
    return made


@get("/openapi.json", include_in_schema=False, sync_to_thread=False)
def read_description() -> Response[Any]:
    """The description of the service."""
    return Response(FILE.read_bytes(), media_type="application/json")


router = Router("/v1", route_handlers=[read_description])
