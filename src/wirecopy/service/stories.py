"""The routes of stories and pairs: some stories, one, who shares what with an article, what two articles share."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import Request, Response, Router, get
from litestar.params import QueryParameter

from ..alignment import align_articles
from ..archive import Archive
from .access import require
from .answering import answer_if_changed
from .api import MOST_FOUND, PresetName
from .bodies import to_record
from .problems import Problem
from .readers import Readers
from .shapes import PairsShape, StoriesShape, StoryShape

MOST_STORIES = 100

Asked = Request[Any, Any, Any]
Cursor = Annotated[
    str | None, QueryParameter(description="Where to go on: what was given as `next`.", max_length=20)
]
Limit = Annotated[int, QueryParameter(ge=1, le=MOST_STORIES, description="At most so many stories.")]
StoryId = Annotated[str, QueryParameter(description="The id of a story, or of any article in it.")]
ArticleId = Annotated[
    str | None, QueryParameter(description="The id of an article: all that share something with it.")
]
QueryId = Annotated[str | None, QueryParameter(name="query", description="The id of the one article.")]
FoundId = Annotated[str | None, QueryParameter(name="found", description="The id of the other article.")]
Top = Annotated[int, QueryParameter(ge=1, le=MOST_FOUND, description="Name at most so many articles.")]


@get("/stories", guards=[require("read")], operation_id="list_stories")
async def list_stories(
    request: Asked, readers: Readers, cursor: Cursor = None, limit: Limit = 20
) -> Response[StoriesShape]:
    """Stories as the archive keeps them, those that began last first; `next` is where to go on, null at the end."""
    if cursor is not None and not (cursor.isascii() and cursor.isdecimal() and int(cursor) < 1 << 63):
        raise Problem(400, "cursor: expected what was given as next")
    before = None if cursor is None else int(cursor)

    def work(archive: Archive) -> bytes:
        told, after = archive.list_stories(before=before, most=limit)
        onward = None if after is None else str(after)
        return msgspec.json.encode({"stories": [one.to_dict() for one in told], "next": onward})

    return answer_if_changed(request, await readers.ask(work))


@get("/story", guards=[require("read")], operation_id="get_story")
async def get_story(request: Asked, readers: Readers, id: StoryId) -> Response[StoryShape]:
    """The story that an article is in, which is itself alone if it shares its text with no other."""
    found = await readers.ask(lambda archive: archive.story(id))
    if found is None:
        raise Problem(404, "no article has this id, or its story is not told yet")
    return answer_if_changed(request, msgspec.json.encode(found.to_dict()))


@get("/pairs", guards=[require("read")], operation_id="list_pairs")
async def list_pairs(
    request: Asked,
    readers: Readers,
    article: ArticleId = None,
    mine: QueryId = None,
    theirs: FoundId = None,
    preset: PresetName = None,
    top: Top = 100,
) -> Response[PairsShape]:
    """What an `article` shares with others, or what two articles share, the `query` and the `found` one, with passages."""
    if (article is None) == (mine is None) or (mine is None) != (theirs is None):
        raise Problem(400, "expected article, or query and found")

    def work(archive: Archive) -> bytes:
        if mine is not None and theirs is not None:
            told = compare_two(archive, mine, theirs, preset)
        else:
            told = find_pairs(archive, article or "", preset, top)
        return msgspec.json.encode({"pairs": told})

    return answer_if_changed(request, await readers.ask(work))


def find_pairs(archive: Archive, id: str, preset: str | None, top: int) -> list[dict[str, Any]]:
    """What an article of the archive shares with others; raises a Problem if there is none."""
    with archive.at_one_moment():
        mine = archive.get(id)
        if mine is None:
            raise Problem(404, "no article has this id")
        [told] = archive.check(to_record(mine), top=top, preset=preset)
    return [one.to_dict() for one in told.found]


def compare_two(archive: Archive, query: str, found: str, preset: str | None) -> list[dict[str, Any]]:
    """What two articles of the archive share, by what it takes for boilerplate; raises a Problem if there is none."""
    with archive.at_one_moment():
        mine, theirs = archive.get(query), archive.get(found)
        if mine is None or theirs is None:
            raise Problem(404, "no article has this id")
        chosen = preset or archive.settings.preset
        pair = align_articles(mine, theirs, preset=chosen, learnt=archive.learnt)
    return [] if pair.match is None else [pair.match.to_dict()]


router = Router("/v1", route_handlers=[list_stories, get_story, list_pairs])
