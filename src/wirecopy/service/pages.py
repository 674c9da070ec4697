"""Pages for people: check a text, read stories and pairs, look after webhooks, sign in. They work without script.

Each is a function from what was asked to a template's values; `rendering.py` makes the page, `sessions.py` knows who asks.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import quote

from litestar import MediaType, Response, Router, get, post
from litestar.di import Provide
from litestar.params import Parameter
from litestar.response import Redirect

from ..alignment import Kind, align, align_articles
from ..archive import Archive
from ..archive.desk import Desk
from ..archive.settings import show_moment
from ..model import Article, Relation
from ..report.page import pack
from ..report.views import tell_checked, tell_pair
from ..text import count_words, encode, mend, tokenise
from .marking import Source, mark_checked, mark_side
from .problems import Problem, as_problem
from .readers import Readers
from .rendering import ASSETS, HEADERS, Frame, read_asset, render, render_problem
from .sessions import (
    SESSION_SECONDS,
    Asked,
    Visitor,
    find_visitor,
    keep,
    set_cookie,
    sign_in,
    stay_here,
    take_form,
)
from .settings import Settings

SECTIONS = {
    "/": ("Check", "check"),
    "/stories": ("Stories", "read"),
    "/judge": ("Judge", "judge"),
    "/webhooks": ("Webhooks", "admin"),
}
"""The sections of the service: what each is called, and the scope that it needs."""
LISTED = 50
"""So many stories, or messages, stand on a page."""
TEXT_ID = "this text"


# Who asks


def frame_of(visitor: Visitor, settings: Settings) -> Frame:
    """What stands around a page for who asks."""
    sections = {address: words for address, (words, scope) in SECTIONS.items() if visitor.allows(scope)}
    signed_in = visitor.caller is not None and visitor.caller.via == "session"
    return Frame(settings.archive.name, visitor.name, sections, visitor.form, signed_in)


def show(asked: Asked, visitor: Visitor, settings: Settings, name: str, **values: Any) -> Response[str]:
    """A page for who asks, whose cookie is set if they have none."""
    response = render(name, frame_of(visitor, settings), **values)
    keep(asked, visitor, response)
    return response


def show_problem(asked: Asked, error: Exception) -> Response[Any]:
    """What went wrong, as a page; who has not signed in is asked to."""
    state = asked.scope["wirecopy"]  # type: ignore[typeddict-item]
    problem = as_problem(error, state.log, state.request_id)
    if problem.status == 401:
        here = f"{asked.url.path}?{asked.url.query}" if asked.url.query else asked.url.path
        onward = quote(here if asked.method == "GET" else "/", safe="")
        return Redirect(f"/sign-in?next={onward}", status_code=303)
    frame = frame_of(find_visitor(asked), asked.app.state.settings)
    return render_problem(problem, frame, state.request_id)


@get("/sign-in")
async def ask_token(request: Asked, visitor: Visitor, settings: Settings, next: str = "/") -> Response[Any]:
    """Where a person signs in."""
    if visitor.caller is not None:
        return Redirect(stay_here(next), status_code=303)
    return show(request, visitor, settings, "signing-in.html", problem="", next=stay_here(next))


@post("/sign-in")
async def take_token(request: Asked, visitor: Visitor, readers: Readers, settings: Settings) -> Response[Any]:
    """Sign in."""
    form = await take_form(request, visitor)
    onward = stay_here(form.get("next", "/"))
    secret = await readers.desk(lambda desk: sign_in(desk, form.get("token", "")))
    if secret is None:
        problem = "There is no such token, or it is over."
        return show(request, visitor, settings, "signing-in.html", status=403, problem=problem, next=onward)
    response = Redirect(onward, status_code=303)
    set_cookie(request, response, secret, SESSION_SECONDS)
    return response


@post("/sign-out")
async def sign_out(request: Asked, visitor: Visitor, readers: Readers) -> Response[Any]:
    """Sign out: the session is over, wherever its secret may be."""
    await take_form(request, visitor)
    await readers.desk(lambda desk: desk.tokens.close_session(visitor.secret))
    response = Redirect("/sign-in", status_code=303)
    set_cookie(request, response, "", 0)
    return response


@get("/enter")
async def enter(request: Asked, settings: Settings, key: str, next: str = "/") -> Response[Any]:
    """Let in the one person whom the service was opened for, by the address that only they were told."""
    if settings.key is None or not secrets.compare_digest(key.encode(), settings.key.encode()):
        raise Problem(403, "This address is over: open the one that wirecopy shows now.")
    response = Redirect(stay_here(next), status_code=303)
    set_cookie(request, response, settings.key)
    return response


# Checking


@get("/")
async def ask_text(request: Asked, visitor: Visitor, readers: Readers, settings: Settings) -> Response[Any]:
    """The box to paste a text into; who may not check goes to what they may."""
    if visitor.caller is not None and not visitor.allows("check"):
        first = next(iter(frame_of(visitor, settings).sections or ()), None)
        if first:
            return Redirect(first, status_code=303)
    visitor.require("check")
    articles = await readers.ask(len)
    return show(request, visitor, settings, "asking.html", articles=articles)


@post("/check", status_code=200)
async def show_checked(
    request: Asked, visitor: Visitor, readers: Readers, settings: Settings
) -> Response[Any]:
    """What a text shares with the archive."""
    form = await take_form(request, visitor, "check", settings.body_bytes)
    text = mend(form.get("text", "").replace("\r\n", "\n"))
    values = await readers.ask(lambda archive: check_text(archive, text, settings.archive.name))
    return show(request, visitor, settings, "checked.html", can_read=visitor.allows("read"), **values)


def check_text(archive: Archive, text: str, name: str) -> dict[str, Any]:
    """What the page of a checked text tells."""
    article = Article(TEXT_ID, text, title="Checked")
    with archive.at_one_moment():
        [answer] = archive.check([article])
        preset, known = archive.settings.preset, archive.learnt.known
        read = {one.match.found: archive.get(one.match.found) for one in answer.found}
        head, block = tell_checked(answer, text, read.get, preset=preset, boilerplate=known, made_from=[name])
        stories = [(id, _title_of(archive, id)) for id in answer.stories]
    sources = []
    for one in answer.found:
        found = read[one.match.found]
        same: tuple[tuple[int, int], ...] = ()
        if found and one.match.relation is not Relation.FORM:
            pieces = align(text, found.text, preset=preset, boilerplate=known).pieces
            same = tuple(piece.query for piece in pieces if piece.kind in (Kind.SAME, Kind.SPELLED))
        sources.append(Source(one.article.source or one.match.found, same))
    ranked = list(enumerate(answer.found))
    return {
        "answer": answer,
        "text": text,
        "marked": mark_checked(text, sources, answer.new),
        "copies": [(rank, one) for rank, one in ranked if one.match.relation is not Relation.FORM],
        "forms": [(rank, one) for rank, one in ranked if one.match.relation is Relation.FORM],
        "more": answer.articles - len(answer.found),
        "stories": stories,
        "head": head,
        "block": pack(block),
    }


def _title_of(archive: Archive, id: str) -> str:
    article = archive.get(id)
    return (article and article.title) or id


# Stories and pairs


@get("/stories")
async def list_stories(
    request: Asked, visitor: Visitor, readers: Readers, settings: Settings, after: str = ""
) -> Response[Any]:
    """The stories, some at a time."""
    visitor.require("read")
    before = int(after) if after.isdecimal() and len(after) < 16 else None
    told, onward = await readers.ask(lambda archive: archive.list_stories(before=before, most=LISTED))
    return show(request, visitor, settings, "stories.html", stories=told, next=onward, cursor=after)


@get("/story")
async def show_story(
    request: Asked, visitor: Visitor, readers: Readers, settings: Settings, id: str
) -> Response[Any]:
    """One story."""
    visitor.require("read")
    found = await readers.ask(lambda archive: archive.story(id))
    if found is None:
        raise Problem(404, "There is no such story, or it is no longer here.")
    sources = {one.id: one.source for one in found.articles}
    return show(request, visitor, settings, "story.html", story=found, sources=sources, links=[])


@get("/pair")
async def show_pair(
    request: Asked,
    visitor: Visitor,
    readers: Readers,
    settings: Settings,
    asked: Annotated[str, Parameter(query="query")],
    found: str,
) -> Response[Any]:
    """Two articles side by side."""
    visitor.require("read")
    values = await readers.ask(lambda archive: lay_pair(archive, asked, found, settings.archive.name))
    if values is None:
        raise Problem(404, "One of these articles is not here, or no longer.")
    return show(request, visitor, settings, "pair.html", **values)


def lay_pair(archive: Archive, query: str, found: str, name: str) -> dict[str, Any] | None:
    """What a page tells of two articles side by side; None if one of them is not there."""
    sides = [archive.get(query), archive.get(found)]
    if None in sides:
        return None
    mine, theirs = (replace(one, text=mend(one.text)) for one in sides if one)
    preset = archive.settings.preset
    pair = align_articles(mine, theirs, preset=preset, learnt=archive.learnt)
    head, block = tell_pair(pair, preset=preset, made_from=[name])
    return {
        "query": mine,
        "found": theirs,
        "match": pair.match,
        "words": count_words(tokenise(*encode([mine.text, theirs.text]))).tolist(),
        "marked": [mark_side(mine.text, pair.pieces, "query"), mark_side(theirs.text, pair.pieces, "found")],
        "head": head,
        "block": pack(block),
    }


# Webhooks


@get("/webhooks")
async def list_webhooks(
    request: Asked, visitor: Visitor, readers: Readers, settings: Settings, of: str = "", after: str = ""
) -> Response[Any]:
    """Webhooks, and what was sent to them."""
    visitor.require("admin")
    values = await readers.desk(lambda desk: take_messages(desk, of, after))
    return show(request, visitor, settings, "webhooks.html", of=of, cursor=after, **values)


@post("/webhooks/replay")
async def replay(request: Asked, visitor: Visitor, readers: Readers) -> Response[Any]:
    """Let a message be sent again."""
    form = await take_form(request, visitor, "admin")
    await readers.desk(lambda desk: desk.outbox.replay(id=form.get("message", "")))
    return Redirect("/webhooks", status_code=303)


def take_messages(desk: Desk, of: str, after: str) -> dict[str, Any]:
    """Webhooks and some messages, the newest first, as the page tells them."""
    before = int(after) if after.isdecimal() and len(after) < 16 else None
    found = desk.outbox.messages(webhook=of or None, before=before, limit=LISTED + 1)
    messages = [
        {name: getattr(one, name) for name in ("id", "webhook", "state", "attempts", "status", "error")}
        | {"made": show_moment(one.made)}
        for one in found[:LISTED]
    ]
    onward = str(found[LISTED - 1].number) if len(found) > LISTED else ""
    return {"webhooks": desk.outbox.webhooks(), "messages": messages, "next": onward}


# What pages load


@get("/assets/{name:str}", media_type=MediaType.TEXT)
async def load(name: str) -> Response[bytes]:
    """A style, a script, or the icon."""
    if name not in ASSETS:
        raise Problem(404, "There is no such file.")
    headers = HEADERS | {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(read_asset(name), media_type=ASSETS[name], headers=headers)


router = Router(
    "/",
    route_handlers=[
        *(
            ask_token,
            take_token,
            sign_out,
            enter,
            ask_text,
            show_checked,
            list_stories,
            show_story,
            show_pair,
        ),
        *(list_webhooks, replay, load),
    ],
    dependencies={"visitor": Provide(find_visitor, sync_to_thread=False)},
    exception_handlers={Exception: show_problem},
    include_in_schema=False,
)
