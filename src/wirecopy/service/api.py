"""The routes of the archive: check a text, add articles and take them out, stories and pairs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from litestar import Request, Response, Router, post
from litestar.params import QueryParameter

from ..archive import Archive
from ..comparison import PRESETS
from .access import require
from .bodies import read_records
from .readers import Readers
from .shapes import AnswerShape, RelationName

Preset = Literal["strict", "syndication", "any-reuse"]
assert set(PRESETS) == set(Preset.__args__)  # type: ignore[attr-defined]
MOST_FOUND = 1000

Top = Annotated[int, QueryParameter(ge=1, le=MOST_FOUND, description="Name at most so many articles.")]
Share = Annotated[
    float, QueryParameter(ge=0, le=1, description="Name only articles that hold this share of the text.")
]
Since = Annotated[
    str | None, QueryParameter(description="Name only articles that were published then or later.")
]
Until = Annotated[
    str | None, QueryParameter(description="Name only articles that were published then or earlier.")
]
Source = Annotated[str | None, QueryParameter(description="Name only articles of this source.")]
NotSource = Annotated[str | None, QueryParameter(description="Name only articles of other sources.")]
Relations = Annotated[
    list[RelationName] | None,
    QueryParameter(name="relation", description="Name only articles of these relations."),
]
PresetName = Annotated[
    Preset | None, QueryParameter(description="What counts as copied, if not what the archive was made with.")
]


@post("/check", guards=[require("check")], status_code=200, operation_id="check")
async def check(
    request: Request[Any, Any, Any],
    readers: Readers,
    top: Top = 20,
    min_share: Share = 0.0,
    since: Since = None,
    until: Until = None,
    source: Source = None,
    not_source: NotSource = None,
    relations: Relations = None,
    preset: PresetName = None,
) -> Response[AnswerShape | list[AnswerShape]]:
    """Say what a text shares with the archive: JSON with one article or a list of them, a plain text, or a web page.

    The answer to a list is a list. An article is not compared with the one that has its id.
    """
    content = await request.body()
    limits: dict[str, Any] = {"top": top, "min_share": min_share, "since": since, "until": until}
    limits |= {"source": source, "not_source": not_source, "relations": relations, "preset": preset}

    def work(archive: Archive) -> bytes:
        records, is_list = read_records(request, content)
        told = [answer.to_dict() for answer in archive.check(records, **limits)]
        return msgspec.json.encode(told if is_list else told[0])

    return answer(await readers.ask(work))


def answer(content: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Response[Any]:
    """An answer that is JSON already."""
    return Response(content, media_type="application/json", status_code=status, headers=headers)


router = Router("/v1", route_handlers=[check])
