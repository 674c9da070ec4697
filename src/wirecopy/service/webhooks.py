"""The routes of webhooks: who is told of what, and what became of the messages."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Any, Literal, TypedDict

import msgspec
from litestar import Router, delete, get, patch, post
from litestar.params import PathParameter, QueryParameter

from ..archive.outbox import STATES, Message, Webhook
from ..archive.policies import COPIES, Policy
from ..errors import UsageError
from .access import require
from .outbound import RefusedError, UnreachableError, check_address, read_place
from .problems import Problem
from .readers import Readers
from .settings import Settings
from .shapes import RelationName

State = Literal["waiting", "delivered", "dead", "removed"]
assert set(STATES) == set(State.__args__)  # type: ignore[attr-defined]
PAGE = 100
Id = Annotated[str, PathParameter(description="The id of a webhook, wh_…, or of a message, msg_….")]


class PolicyGiven(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a webhook wants to be told of: relation, share and words of a match; of which poster, source or author."""

    poster: str | None = None
    source: str | None = None
    author: str | None = None
    relations: tuple[RelationName, ...] = COPIES  # type: ignore[assignment]
    min_share: float = 0.0
    min_words: int = 0
    passages: bool = False
    link: str | None = None


class WebhookGiven(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A webhook to make."""

    url: str
    policy: PolicyGiven | None = None


class WebhookChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to change of a webhook; what is not given stays."""

    url: str | None = None
    policy: PolicyGiven | None = None
    enabled: bool | None = None


class PolicyShape(TypedDict):
    """What a webhook wants to be told of."""

    poster: str | None
    source: str | None
    author: str | None
    relations: list[RelationName]
    min_share: float
    min_words: int
    passages: bool
    link: str | None


class WebhookShape(TypedDict):
    """A webhook, without its secret; one that is disabled is told nothing, for a reason."""

    id: str
    url: str
    policy: PolicyShape
    made: str
    disabled: str | None
    reason: str | None


class MadeShape(WebhookShape):
    """A new webhook with its secret, which is not shown again."""

    secret: str


class WebhooksShape(TypedDict):
    """All webhooks."""

    webhooks: list[WebhookShape]


class SecretShape(TypedDict):
    """A new secret, which is not shown again."""

    secret: str


class MessageShape(TypedDict):
    """A message, and how far it is."""

    id: str
    webhook: str
    kind: str
    state: State
    attempts: int
    status: int | None
    made: str
    due: str | None
    tried: str | None
    error: str | None


class WholeMessageShape(MessageShape):
    """A message with what it says."""

    payload: dict[str, Any]


class MessagesShape(TypedDict):
    """Messages, the newest first; `next` is where to go on, null at the end."""

    messages: list[MessageShape]
    next: int | None


class PostedShape(TypedDict):
    """The id of the message that was posted."""

    message: str


class ReplayedShape(TypedDict):
    """How many messages will be sent again."""

    replayed: int


def _read(given: PolicyGiven) -> Policy:
    return Policy.from_dict(msgspec.structs.asdict(given))


async def _check(url: str, settings: Settings) -> None:
    """Raise a Problem for an address that nothing would be sent to."""
    try:
        await asyncio.to_thread(check_address, url, list(map(read_place, settings.deliver_to)))
    except (RefusedError, UnreachableError) as error:
        raise Problem(422, f"url: {error}") from None


def _tell(webhook: Webhook) -> WebhookShape:
    told: WebhookShape = webhook.to_dict()  # type: ignore[assignment]
    return told


def _tell_message(message: Message) -> MessageShape:
    """A message without what it says, which may be long."""
    told = message.to_dict()
    del told["payload"]
    return told  # type: ignore[return-value]


async def _require(readers: Readers, id: str) -> Webhook:
    found = await readers.desk(lambda desk: desk.outbox.get(id))
    if found is None:
        raise Problem(404, "there is no such webhook")
    return found


@get("/webhooks", operation_id="list_webhooks")
async def list_webhooks(readers: Readers) -> WebhooksShape:
    """List all webhooks."""
    return {"webhooks": list(map(_tell, await readers.desk(lambda desk: desk.outbox.webhooks())))}


@post("/webhooks", operation_id="make_webhook")
async def make_webhook(data: WebhookGiven, readers: Readers, settings: Settings) -> MadeShape:
    """Make a webhook; its secret is shown this once."""
    policy = _read(data.policy) if data.policy else Policy()
    await _check(data.url, settings)
    webhook, secret = await readers.desk(lambda desk: desk.outbox.add(data.url, policy))
    return {**_tell(webhook), "secret": secret}


@get("/webhooks/{id:str}", operation_id="get_webhook")
async def get_webhook(id: Id, readers: Readers) -> WebhookShape:
    """Say what a webhook is told of."""
    return _tell(await _require(readers, id))


@patch("/webhooks/{id:str}", operation_id="change_webhook")
async def change_webhook(id: Id, data: WebhookChange, readers: Readers, settings: Settings) -> WebhookShape:
    """Give a webhook another address or policy, or let it be told again, or no more."""
    policy = _read(data.policy) if data.policy else None
    if data.url is not None:
        await _check(data.url, settings)
    await _require(readers, id)
    change = partial(_change, id, data.url, policy, data.enabled)
    return _tell(await readers.desk(change))


def _change(id: str, url: str | None, policy: Policy | None, enabled: bool | None, desk: Any) -> Webhook:
    changed: Webhook = desk.outbox.change(id, url=url, policy=policy, enabled=enabled)
    return changed


@delete("/webhooks/{id:str}", operation_id="remove_webhook")
async def remove_webhook(id: Id, readers: Readers) -> None:
    """Forget a webhook and its messages."""
    await _require(readers, id)
    await readers.desk(lambda desk: desk.outbox.remove(id))


@post("/webhooks/{id:str}/secret", operation_id="rotate_secret")
async def rotate_secret(id: Id, readers: Readers) -> SecretShape:
    """Draw another secret; for a day messages are signed with the one before as well."""
    await _require(readers, id)
    return {"secret": await readers.desk(lambda desk: desk.outbox.rotate(id))}


@post("/webhooks/{id:str}/test", operation_id="test_webhook", status_code=202)
async def test_webhook(id: Id, readers: Readers) -> PostedShape:
    """Post a message that says nothing but that it is one."""
    await _require(readers, id)
    return {"message": await readers.desk(lambda desk: desk.outbox.post_test(id))}


@post("/webhooks/{id:str}/replay", operation_id="replay_dead", status_code=202)
async def replay_dead(id: Id, readers: Readers) -> ReplayedShape:
    """Send again all messages of a webhook that are dead."""
    await _require(readers, id)
    return {"replayed": await readers.desk(lambda desk: desk.outbox.replay(webhook=id))}


@get("/messages", operation_id="list_messages")
async def list_messages(
    readers: Readers,
    webhook: Annotated[str | None, QueryParameter(description="Only those of this webhook.")] = None,
    in_state: Annotated[
        State | None, QueryParameter(name="state", description="Only those in this state.")
    ] = None,
    before: Annotated[
        int | None, QueryParameter(ge=1, le=1 << 62, description="`next` of the page before.")
    ] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=PAGE, description="How many at most.")] = PAGE,
) -> MessagesShape:
    """List messages, the newest first, without what they say."""
    ask = {"webhook": webhook, "state": in_state, "before": before, "limit": limit + 1}
    found = await readers.desk(lambda desk: desk.outbox.messages(**ask))  # type: ignore[arg-type]
    more = found[limit - 1].number if len(found) > limit else None
    return {"messages": list(map(_tell_message, found[:limit])), "next": more}


@get("/messages/{id:str}", operation_id="get_message")
async def get_message(id: Id, readers: Readers) -> WholeMessageShape:
    """Say what a message says, and how far it is."""
    found = await readers.desk(lambda desk: desk.outbox.message(id))
    if found is None:
        raise Problem(404, "there is no such message")
    return found.to_dict()  # type: ignore[return-value]


@post("/messages/{id:str}/replay", operation_id="replay_message", status_code=202)
async def replay_message(id: Id, readers: Readers) -> ReplayedShape:
    """Send a message again, under the same id."""
    if await readers.desk(lambda desk: desk.outbox.message(id)) is None:
        raise Problem(404, "there is no such message")
    try:
        return {"replayed": await readers.desk(lambda desk: desk.outbox.replay(id=id))}
    except UsageError as error:
        raise Problem(409, str(error)) from None


router = Router(
    "/v1",
    guards=[require("admin")],
    route_handlers=[
        *(list_webhooks, make_webhook, get_webhook, change_webhook, remove_webhook),
        *(rotate_secret, test_webhook, replay_dead, list_messages, get_message, replay_message),
    ],
)
