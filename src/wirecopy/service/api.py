"""The routes of the archive: check a text, add articles and take them out, stories and pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from litestar import Request, Response, Router, post
from litestar.params import QueryParameter

from ..archive import Answer, Archive
from ..archive.outbox import NOTIFIED
from ..comparison import PRESETS
from .access import Caller, require
from .answering import answer
from .bodies import Record, read_records
from .idempotency import answer_once
from .readers import Readers
from .shapes import AnswerShape, RelationName

Preset = Literal["strict", "syndication", "any-reuse"]
assert set(PRESETS) == set(Preset.__args__)  # type: ignore[attr-defined]
MOST_FOUND = 1000
LIMITS = ("min_share", "since", "until", "source", "not_source", "relations")

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
Text = Annotated[
    bool, QueryParameter(description="With the texts of passages, and what is known of the text.")
]
Notify = Annotated[bool, QueryParameter(description="Tell webhooks what was found, each by its policy.")]
PresetName = Annotated[
    Preset | None, QueryParameter(description="What counts as copied, if not what the archive was made with.")
]


@post("/check", guards=[require("check")], status_code=200, operation_id="check")
async def check(
    request: Request[Any, Any, Any],
    readers: Readers,
    caller: Caller,
    top: Top = 20,
    min_share: Share = 0.0,
    since: Since = None,
    until: Until = None,
    source: Source = None,
    not_source: NotSource = None,
    relations: Relations = None,
    preset: PresetName = None,
    text: Text = False,
    notify: Notify = False,
) -> Response[AnswerShape | list[AnswerShape]]:
    """Say what a text shares with the archive: JSON with one article or a list of them, a plain text, or a web page.

    The answer to a list is a list. An article is not compared with the one that has its id.
    """
    content = await request.body()
    limits: dict[str, Any] = {"top": top, "min_share": min_share, "since": since, "until": until}
    limits |= {"source": source, "not_source": not_source, "relations": relations, "preset": preset}

    def work(archive: Archive) -> tuple[bytes, list[Answer]]:
        records, is_list = read_records(request, content)
        answers = archive.check(records, **limits)
        told = [one.to_dict(text=text) for one in answers]
        found = find_notified(archive, records, answers, limits) if notify else []
        return msgspec.json.encode(told if is_list else told[0]), found

    if not notify:
        return answer((await readers.ask(work))[0])

    async def tell() -> Response[Any]:
        told, found = await readers.ask(work)
        await readers.desk(lambda desk: [desk.outbox.post(one, poster=caller.name) for one in found])
        return answer(told)

    return await answer_once(request, content, caller, readers, tell)


def find_notified(
    archive: Archive, records: list[Record], answers: list[Answer], limits: Mapping[str, Any]
) -> list[Answer]:
    """What webhooks may be told of some articles: all that they share with others, also if less was asked for."""
    is_limited = any(limits[name] for name in LIMITS)
    if not is_limited and all(len(one.found) == one.articles for one in answers):
        return answers
    return archive.check(records, top=NOTIFIED, preset=limits["preset"])


router = Router("/v1", route_handlers=[check])
