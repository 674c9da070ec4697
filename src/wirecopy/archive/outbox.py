"""Who is told of what: webhooks, the messages that wait for them, and the articles that these mention.

A message is posted in the transaction of what caused it, and waits until it is delivered or dead. Whoever delivers claims it first: it is then due
again only after a while, so that nobody else sends it meanwhile, and nothing is lost with a process that dies. The SQL of these tables is here.
"""

from __future__ import annotations

import json
import secrets
from base64 import b64encode
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from ..errors import UsageError
from .answers import Answer
from .connection import Connection
from .policies import Policy, withdraw, write_payload
from .settings import show_moment
from .tokens import read_clock

STATES = ("waiting", "delivered", "dead", "removed")
"""What a message may be; it is removed if all that it said was of articles that were removed."""
ROTATED_SECONDS = 24 * 3600
"""How long a message is signed with the secret before the last as well, for a receiver that does not know the last yet."""
LONGEST_SECONDS = 24 * 3600
"""Longer than any message waits: one that seems to was given its time by a clock that was ahead, and is due."""
KEPT_DAYS = 30
"""How long a message is kept once nothing is to be done with it."""
NOTIFIED = 1000
"""The most articles that share something with a text whose webhooks are looked for, those with most copied words."""
SECRET_BYTES = 32
ID_BYTES = 16
URL_CHARACTERS = 2000
CHECKED, OBSERVED, TEST = "match.checked", "match.observed", "webhook.test"
_SECOND = 1_000_000
_WEBHOOK = "number, id, url, policy, made, disabled, reason"
_MESSAGE = "messages.number, messages.id, webhooks.id, kind, messages.made, state, attempts, due, tried, status, error, payload"
_MESSAGES = "messages JOIN webhooks ON webhooks.number = webhook"


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that is told of matches, all but its secret; moments are in microseconds."""

    number: int
    id: str
    url: str
    policy: Policy
    made: int
    disabled: int | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The same as a JSON object."""
        moments = {name: show_moment(getattr(self, name)) for name in ("made", "disabled")}
        told = {"id": self.id, "url": self.url, "policy": self.policy.to_dict()}
        return told | moments | {"reason": self.reason or None}


@dataclass(frozen=True, slots=True)
class Message:
    """What a webhook is told, and how far that is: `status` is what the receiver last said, `error` why that was no success."""

    number: int
    id: str
    webhook: str
    kind: str
    made: int
    state: str
    attempts: int
    due: int | None
    tried: int | None
    status: int | None
    error: str
    payload: str

    def to_dict(self) -> dict[str, Any]:
        """The same as a JSON object."""
        names = ("id", "webhook", "kind", "state", "attempts", "status")
        moments = {name: show_moment(getattr(self, name)) for name in ("made", "due", "tried")}
        told = {"error": self.error or None, "payload": json.loads(self.payload)}
        return {name: getattr(self, name) for name in names} | moments | told


@dataclass(frozen=True, slots=True)
class Claim:
    """A message that is this process's to send for a while, and what is needed for that."""

    number: int
    id: str
    webhook: int
    attempts: int
    payload: str
    url: str
    secrets: tuple[str, ...]

    def __repr__(self) -> str:  # what is logged must hold no secret
        return f"<Claim {self.id}, attempt {self.attempts}>"


class Outbox:
    """Webhooks and their messages. A change within another is part of it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _change(self) -> AbstractContextManager[None]:
        return nullcontext() if self._connection.is_in_snapshot else self._connection.change()

    # Webhooks

    def add(self, url: str, policy: Policy, now: int | None = None) -> tuple[Webhook, str]:
        """A new webhook and its secret, which is not shown again; whether the address may be used is for who delivers to say."""
        _require_address(url)
        made, id, secret = now or read_clock(), _draw("wh_"), _draw_secret()
        values = id, url, secret, write_payload(policy.to_dict()), made
        with self._change():
            self._connection.insert("webhooks", ("id", "url", "secret", "policy", "made"), [values])
            [(number,)] = self._connection.execute("SELECT last_insert_rowid()")
        return Webhook(number, id, url, policy, made), secret

    def webhooks(self) -> list[Webhook]:
        """All webhooks, the oldest first."""
        return self._read_webhooks("ORDER BY number")

    def get(self, id: str) -> Webhook | None:
        """The webhook with this id; None if there is none."""
        return next(iter(self._read_webhooks("WHERE id = ?", (id,))), None)

    def _read_webhooks(self, which: str, values: Sequence[Any] = ()) -> list[Webhook]:
        found = self._connection.read(f"SELECT {_WEBHOOK} FROM webhooks {which}", values)
        with self._connection.decoding("a webhook"):
            return [
                Webhook(number, id, url, Policy.from_dict(json.loads(policy)), *others)
                for number, id, url, policy, *others in found
            ]

    def is_for_anybody(self) -> bool:
        """Whether any webhook wants to be told of something."""
        return bool(self._connection.read("SELECT 1 FROM webhooks WHERE disabled IS NULL LIMIT 1"))

    def require(self, id: str) -> Webhook:
        """The webhook with this id; raises UsageError if there is none."""
        found = self.get(id)
        if found is None:
            raise UsageError(f"no webhook has the id {id!r:.80}")
        return found

    def change(
        self, id: str, *, url: str | None = None, policy: Policy | None = None, enabled: bool | None = None
    ) -> Webhook:
        """Give a webhook another address or policy, or let it be told again, or no more; returns it."""
        _require_address(url or "https://unchanged")
        with self._change():
            before = self.require(id)
            after = replace(before, url=url or before.url, policy=policy or before.policy)
            values = after.url, write_payload(after.policy.to_dict()), after.number
            self._connection.execute("UPDATE webhooks SET url = ?, policy = ? WHERE number = ?", values)
            if enabled:
                self._connection.execute(
                    "UPDATE webhooks SET disabled = NULL, reason = '' WHERE number = ?", (after.number,)
                )
            elif enabled is not None and before.disabled is None:
                self.disable(after.number, "by hand")
            return self.require(id)

    def disable(self, number: int, reason: str, now: int | None = None) -> None:
        """Let a webhook be told no more; what waits for it is dead, and can be replayed once it is enabled."""
        with self._change():
            values = now or read_clock(), reason, number
            self._connection.execute("UPDATE webhooks SET disabled = ?, reason = ? WHERE number = ?", values)
            self._connection.execute(
                "UPDATE messages SET state = 'dead', due = NULL, error = ? WHERE webhook = ? AND state = 'waiting'",
                (f"the webhook was disabled: {reason}", number),
            )

    def rotate(self, id: str, now: int | None = None) -> str:
        """A new secret of a webhook; for a day messages are signed with the one before as well."""
        secret, until = _draw_secret(), (now or read_clock()) + ROTATED_SECONDS * _SECOND
        with self._change():
            number = self.require(id).number
            [(stored,)] = self._connection.execute("SELECT secret FROM webhooks WHERE number = ?", (number,))
            both = f"{secret} {stored.split()[0]} {until}"
            self._connection.execute("UPDATE webhooks SET secret = ? WHERE number = ?", (both, number))
        return secret

    def remove(self, id: str) -> None:
        """Forget a webhook with all its messages."""
        with self._change():
            number = self.require(id).number
            self._forget("webhook = ?", (number,))
            self._connection.delete("webhooks", "number", [number])

    # Messages

    def post(
        self, answer: Answer, *, poster: str | None = None, kind: str = CHECKED, now: int | None = None
    ) -> list[str]:
        """Let webhooks be told of what a text shares with the archive, each by its policy; returns the ids of the messages.

        They are on disk when this returns, or within a change when that is.
        """
        chosen = [
            (webhook, found)
            for webhook in self._read_webhooks("WHERE disabled IS NULL ORDER BY number")
            if (found := webhook.policy.choose(answer, poster))
        ]
        if not chosen:
            return []
        with self._change():
            return [
                self._put(
                    webhook,
                    kind,
                    webhook.policy.tell(answer.query, found),
                    [
                        answer.query,
                        *(id for one in found for id in (one.match.found, one.story) if id is not None),
                    ],
                    now or read_clock(),
                )
                for webhook, found in chosen
            ]

    def post_test(self, id: str, now: int | None = None) -> str:
        """Post a message that says nothing but that it is one, to try a receiver; returns its id."""
        with self._change():
            return self._put(self.require(id), TEST, {"webhook": id}, [], now or read_clock())

    def _put(
        self, webhook: Webhook, kind: str, data: Mapping[str, Any], articles: Sequence[str], now: int
    ) -> str:
        if webhook.disabled is not None:
            raise UsageError(f"the webhook {webhook.id} is disabled: {webhook.reason}")
        id, payload = _draw("msg_"), {"type": kind, "timestamp": show_moment(now), "data": data}
        columns = ("id", "webhook", "kind", "made", "payload", "state", "attempts", "due")
        values = id, webhook.number, kind, now, write_payload(payload), "waiting", 0, now
        self._connection.insert("messages", columns, [values])
        [(number,)] = self._connection.execute("SELECT last_insert_rowid()")
        mentions = ((article, number) for article in dict.fromkeys(articles))
        self._connection.insert("mentions", ("article", "message"), mentions)
        return id

    def messages(
        self,
        *,
        webhook: str | None = None,
        state: str | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> list[Message]:
        """Messages, the newest first: of one webhook, in one state, with a number below one that was given before."""
        asked = {"webhooks.id = ?": webhook, "state = ?": state, "messages.number < ?": before}
        given = {one: value for one, value in asked.items() if value is not None}
        where = " AND ".join(given) or "1"
        query = f"SELECT {_MESSAGE} FROM {_MESSAGES} WHERE {where} ORDER BY messages.number DESC LIMIT ?"
        found = self._connection.read(query, (*given.values(), limit))
        return [Message(*row) for row in found]

    def message(self, id: str) -> Message | None:
        """The message with this id; None if there is none."""
        found = self._connection.read(f"SELECT {_MESSAGE} FROM {_MESSAGES} WHERE messages.id = ?", (id,))
        return Message(*found[0]) if found else None

    def replay(self, *, id: str | None = None, webhook: str | None = None, now: int | None = None) -> int:
        """Let a message be sent again, whatever became of it, or all dead ones, or those of one webhook; returns how many.

        Their ids stay. Raises UsageError for a message that there is not, or that says nothing any more, or whose webhook is disabled.
        """
        moment = now or read_clock()
        with self._change():
            if id is not None:
                found = self.message(id)
                if found is None or found.state == "removed":
                    raise UsageError(f"no message with the id {id!r:.80} can be sent again")
                if (of := self.require(found.webhook)).disabled is not None:
                    raise UsageError(f"the webhook {of.id} is disabled: {of.reason}; enable it first")
                numbers = [found.number]
            else:
                of_one = "AND webhooks.id = ?" if webhook is not None else ""
                query = f"SELECT messages.number FROM {_MESSAGES} WHERE state = 'dead' AND disabled IS NULL {of_one}"
                values = () if webhook is None else (self.require(webhook).id,)
                numbers = [number for (number,) in self._connection.read(query, values)]
            again = (
                "UPDATE messages SET state = 'waiting', attempts = 0, due = ?, error = '' WHERE number = ?"
            )
            for number in numbers:
                self._connection.execute(again, (moment, number))
        return len(numbers)

    # Delivering

    def claim(
        self, limit: int, seconds: float, room: Callable[[int], int], now: int | None = None
    ) -> list[Claim]:
        """Up to so many due messages, nobody else's for so many seconds; `room` says how many more of a webhook, by its number."""
        moment = now or read_clock()
        if limit < 1 or not self._find_due(limit, room, moment):
            return []
        with self._change():
            numbers = self._find_due(limit, room, moment)
            taking = "UPDATE messages SET due = ?, tried = ?, attempts = attempts + 1 WHERE number = ?"
            for number in numbers:
                self._connection.execute(taking, (moment + int(seconds * _SECOND), moment, number))
            columns = "messages.number, messages.id, webhook, attempts, payload, url, secret"
            found = self._connection.select(columns, _MESSAGES, "messages.number", numbers)
        return [
            Claim(number, id, webhook, attempts, payload, url, _valid_secrets(stored, moment))
            for number, id, webhook, attempts, payload, url, stored in found
        ]

    def _find_due(self, limit: int, room: Callable[[int], int], moment: int) -> list[int]:
        """The numbers of due messages, those of the webhook that waits longest first."""
        numbers: list[int] = []
        far = moment + LONGEST_SECONDS * _SECOND
        query = "SELECT number FROM messages WHERE state = 'waiting' AND webhook = ? AND (due <= ? OR due > ?) ORDER BY due LIMIT ?"
        for webhook, first, last in sorted(self._due(), key=lambda one: one[1]):
            is_due = first <= moment or last > far
            if is_due and (some := min(limit - len(numbers), room(webhook))) > 0:
                numbers += [
                    number for (number,) in self._connection.read(query, (webhook, moment, far, some))
                ]
        return numbers

    def _due(self) -> list[tuple[int, int, int]]:
        """When the first and the last waiting message of each webhook that has one are due."""
        due = "(SELECT {}(due) FROM messages WHERE state = 'waiting' AND webhook = webhooks.number)"
        query = (
            f"SELECT number, {due.format('min')}, {due.format('max')} FROM webhooks WHERE disabled IS NULL"
        )
        return [row for row in self._connection.read(query) if row[1] is not None]

    def next_due(self) -> int | None:
        """When the next message is due; None if none waits."""
        return min((first for _, first, _ in self._due()), default=None)

    def settle(
        self,
        claim: Claim,
        status: int | None,
        error: str = "",
        again: int | None = None,
        *,
        gone: bool = False,
    ) -> None:
        """Note what came of sending: delivered without an error; else it is due `again`, or dead; `gone` disables the webhook.

        One that was claimed by another since, or replayed, is left alone, unless it was delivered.
        """
        state = "waiting" if again is not None else "dead" if error else "delivered"
        with self._change():
            done = "UPDATE messages SET state = ?, due = ?, status = ?, error = ? WHERE number = ? AND state = 'waiting'"
            values = state, again, status, error, claim.number
            if error:
                self._connection.execute(f"{done} AND attempts = ?", (*values, claim.attempts))
            else:
                self._connection.execute(done, values)
            if gone:
                self.disable(claim.webhook, error)

    # What becomes of them

    def scrub(self, articles: Collection[str]) -> None:
        """Take out of all messages what they say of some articles; those that then say nothing are not sent any more."""
        found = self._connection.select("message, article", "mentions", "article", sorted(articles))
        numbers = sorted({number for number, _ in found})
        for number, payload in self._connection.select("number, payload", "messages", "number", numbers):
            rest, says_more = withdraw(payload, articles)
            self._connection.execute("UPDATE messages SET payload = ? WHERE number = ?", (rest, number))
            if not says_more:
                self._connection.execute(
                    "UPDATE messages SET state = 'removed', due = NULL WHERE number = ?", (number,)
                )
                self._connection.delete("mentions", "message", [number])
        self._connection.delete("mentions", "article", sorted(articles))

    def forget_old(self, now: int | None = None) -> int:
        """Forget messages of more than `KEPT_DAYS` days ago that nothing is to be done with; returns how many."""
        oldest = (now or read_clock()) - KEPT_DAYS * 24 * 3600 * _SECOND
        with self._change():
            return self._forget("state <> 'waiting' AND max(made, coalesce(tried, 0)) < ?", (oldest,))

    def _forget(self, which: str, values: Sequence[Any]) -> int:
        gone = [
            number
            for (number,) in self._connection.read(f"SELECT number FROM messages WHERE {which}", values)
        ]
        self._connection.delete("mentions", "message", gone)
        self._connection.delete("messages", "number", gone)
        return len(gone)

    def count(self) -> dict[str, int]:
        """How many webhooks there are, and how many messages in each state."""
        [(webhooks,)] = self._connection.read("SELECT count(*) FROM webhooks")
        states = dict(self._connection.read("SELECT state, count(*) FROM messages GROUP BY state"))
        return {"webhooks": webhooks, **{f"messages_{state}": states.get(state, 0) for state in STATES}}


def _require_address(url: str) -> None:
    if not isinstance(url, str) or len(url) > URL_CHARACTERS:
        raise UsageError(f"url: expected an address of up to {URL_CHARACTERS:,} characters")


def _draw(prefix: str) -> str:
    return prefix + secrets.token_hex(ID_BYTES)


def _draw_secret() -> str:
    return f"whsec_{b64encode(secrets.token_bytes(SECRET_BYTES)).decode()}"


def _valid_secrets(stored: str, now: int) -> tuple[str, ...]:
    """Those to sign with: the last, and the one before if it was replaced not long ago; none if that is damaged."""
    match stored.split():
        case [last]:
            return (last,)
        case [last, before, until] if until.isdecimal():
            return (last, before) if now < int(until) else (last,)
    return ()
