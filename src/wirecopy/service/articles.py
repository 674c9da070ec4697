"""The routes of articles: add them, get one, take some out; observe one, which is to check it and then to add it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import msgspec
from litestar import Request, Response, Router, delete, get, post, put
from litestar.params import QueryParameter

from ..archive import Added, Archive, Observed
from ..archive.answers import KNOWN
from .access import Caller, require
from .answering import answer, answer_if_changed
from .api import Notify, Relations, Text
from .bodies import Record, read_records, to_record
from .idempotency import answer_once
from .problems import Problem
from .readers import Readers
from .shapes import AddedShape, ArticleShape, ObservedShape, RemovedShape

MOST_IDS = 100
"""In an address; longer ones are refused by many a proxy."""

Asked = Request[Any, Any, Any]
Id = Annotated[str, QueryParameter(description="The id of an article.")]
Ids = Annotated[
    list[str], QueryParameter(name="id", min_items=1, max_items=MOST_IDS, description="The ids of articles.")
]
Replace = Annotated[
    bool, QueryParameter(description="An id that is there with other content: take the new one.")
]
Seen = Annotated[
    list[str] | None,
    QueryParameter(max_items=MOST_IDS, description="The ids of articles that the reader has read already."),
]


@get("/articles", guards=[require("read")], operation_id="get_article")
async def get_article(request: Asked, readers: Readers, id: Id) -> Response[ArticleShape]:
    """The article with this id and its text."""
    found = await readers.ask(lambda archive: archive.get(id))
    if found is None:
        raise Problem(404, "no article has this id")
    return answer_if_changed(request, msgspec.json.encode(to_record(found)))


@post("/articles", guards=[require("write")], status_code=200, operation_id="add_articles")
async def add_articles(
    request: Asked, readers: Readers, caller: Caller, replace: Replace = False
) -> Response[AddedShape]:
    """Add an article or a list of them: JSON, a plain text, or a web page. They are on disk when this answers.

    What the archive has already is not added again; an id that it has with other content is skipped, or replaced.
    """
    content = await request.body()

    async def work() -> Response[Any]:
        records, _ = await readers.ask(lambda _: read_records(request, content))
        added = await readers.write(lambda archive: archive.add(records, replace=replace, learn=False))
        return answer(msgspec.json.encode(tell_added(added)))

    return await answer_once(request, content, caller, readers, work)


@put("/articles", guards=[require("write")], operation_id="put_article")
async def put_article(request: Asked, readers: Readers, id: Id) -> Response[AddedShape]:
    """Put an article under this id, in the place of what is there: 201 if nothing was, else 200."""
    content = await request.body()
    records, _ = await readers.ask(lambda _: read_records(request, content))
    if len(records) != 1:
        raise Problem(422, f"expected one article, got {len(records)}")
    named = [{**records[0], "id": id}]
    added = await readers.write(lambda archive: archive.add(named, replace=True, learn=False))
    return answer(msgspec.json.encode(tell_added(added)), 201 if added.added else 200)


@delete("/articles", guards=[require("write")], status_code=200, operation_id="remove_articles")
async def remove_articles(readers: Readers, ids: Ids) -> Response[RemovedShape]:
    """Take articles out, by their ids, also out of stories, and of what webhooks were or will be told."""
    removed = await readers.write(lambda archive: archive.remove(ids))
    return answer(msgspec.json.encode({"removed": removed}))


@post("/observe", guards=[require("write")], status_code=200, operation_id="observe")
async def observe(
    request: Asked,
    readers: Readers,
    caller: Caller,
    relations: Relations = None,
    replace: Replace = False,
    seen: Seen = None,
    notify: Notify = False,
    text: Text = False,
) -> Response[ObservedShape | list[ObservedShape]]:
    """Check an article, or a list of them, against all that came before it, then add it.

    Given the ids that a reader has `seen`, `skip` says whether one of these contains it, and `skip_for` which. The answer to a list
    is a list.
    """
    content = await request.body()

    async def work() -> Response[Any]:
        records, is_list = await readers.ask(lambda _: read_records(request, content))

        def change(archive: Archive) -> bytes:
            told = []
            for record in records:
                within = find_seen(archive, record, seen) if seen else None
                options: dict[str, Any] = {"relations": relations, "replace": replace, "notify": notify}
                [observed] = archive.observe(record, **options, poster=caller.name)
                told.append(tell_observed(observed, within, text=text))
            return msgspec.json.encode(told if is_list else told[0])

        return answer(await readers.write(change))

    return await answer_once(request, content, caller, readers, work)


def find_seen(archive: Archive, record: Record, seen: Sequence[str]) -> str | None:
    """The first of some articles that contains this one, whatever else does."""
    [answer] = archive.check(record, top=None, relations=[str(relation) for relation in KNOWN])
    return next((id for id in seen if id in set(answer.contained_in)), None)


def tell_observed(observed: Observed[Any], within: str | None, *, text: bool) -> dict[str, Any]:
    """What was observed of an article, and whether a reader may skip it."""
    told = observed.to_dict() | (observed.answer.to_dict(text=True) if text else {})
    return told | {"skip": within is not None, "skip_for": within}


def tell_added(added: Added) -> dict[str, Any]:
    """What became of articles."""
    counts = {name: getattr(added, name) for name in ("added", "known", "replaced", "late")}
    skipped = [asdict(one) for one in added.skipped]
    return counts | {"skipped": skipped, "ahead": dict(added.ahead), "warnings": list(added.warnings)}


router = Router("/v1", route_handlers=[get_article, add_articles, put_article, remove_articles, observe])
