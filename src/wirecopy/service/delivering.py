"""Messages on their way to webhooks: what is due is claimed, signed and sent, at least once, until it is delivered or dead.

One thread owns the outbox; others only send. Each webhook has room for a few messages at a time, one after a failure, so that a slow
receiver holds up nobody else. Several deliverers may run beside each other: a claim keeps the others from sending the same message. One that
dies while sending leaves its claims to the next, under the same ids. The rules are those of https://www.standardwebhooks.com.
"""

from __future__ import annotations

import logging
import queue
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from ..archive.desk import Desk
from ..archive.outbox import Claim
from ..errors import ArchiveError, MissingExtra
from .outbound import Place, RefusedError, Reply, UnreachableError, send

FIRST_SECONDS = 10
FACTOR = 4
MOST_SECONDS = 12 * 3600
ATTEMPTS = 13
"""A message is tried after 10 s, 40 s, 3 min, 11 min, 43 min, 3 h and 11 h, then five times every 12 h: for three days."""
JITTER = 0.1
"""By up to this share a wait is longer or shorter, so that not all come back at once."""
CLAIM_SECONDS = 120
"""How long a claim lasts: longer than sending takes, resolving the name included."""
AT_ONCE = 16
EACH = 4
"""How many messages are being sent at a time, and how many of one webhook; after a failure, one."""
LOOK_SECONDS = 1.0
"""How often to look for what other processes posted."""
FORGET_SECONDS = 3600
LEAVE_SECONDS = 5.0
"""How long to wait at the end for what is being sent."""
_SECOND = 1_000_000

log = logging.getLogger(__name__)
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of sending a message: a reply, or why there was none."""

    claim: Claim
    reply: Reply | None
    error: str

    @property
    def is_gone(self) -> bool:
        """Whether the receiver says that it is there no more, and is to be told nothing again."""
        return self.reply is not None and self.reply.status == 410


def wait_seconds(attempts: int, asked: float | None = None, jitter: float | None = None) -> float | None:
    """How long to wait after so many attempts that failed; None if that was the last.

    What the receiver asked for counts if it is longer, up to the longest wait.
    """
    if attempts >= ATTEMPTS:
        return None
    planned = float(min(FIRST_SECONDS * FACTOR ** (attempts - 1), MOST_SECONDS))
    moved = planned * (1 + (random.uniform(-JITTER, JITTER) if jitter is None else jitter))
    return max(moved, min(asked or 0.0, MOST_SECONDS))


def require_signing() -> None:
    """Raise MissingExtra if what signs messages is not installed."""
    if find_spec("standardwebhooks") is None:
        raise MissingExtra("delivering messages", "service")


def sign(claim: Claim, moment: float) -> dict[str, str]:
    """The headers of a message: its id, when it is sent, and a signature with each secret."""
    from standardwebhooks import Webhook

    at = datetime.fromtimestamp(int(moment), UTC)
    signatures = (Webhook(secret).sign(claim.id, at, claim.payload) for secret in claim.secrets)
    return {
        "Content-Type": "application/json",
        "User-Agent": "wirecopy",
        "webhook-id": claim.id,
        "webhook-timestamp": str(int(moment)),
        "webhook-signature": " ".join(signatures),
    }


def deliver(claim: Claim, deliver_to: Collection[Place], moment: float) -> Outcome:
    """Send a message once."""
    if not claim.secrets:
        return Outcome(claim, None, "its secret is damaged: rotate it")
    try:
        headers = sign(claim, moment)
        reply = send(claim.url, claim.payload.encode(), headers, deliver_to=deliver_to)
    except (RefusedError, UnreachableError) as error:
        return Outcome(claim, None, str(error))
    except Exception as error:  # a claim must not be left hanging by what nobody thought of
        log.warning("%s cannot be sent: %s", claim.id, type(error).__name__)
        return Outcome(claim, None, f"cannot be sent: {type(error).__name__}")
    is_done = 200 <= reply.status < 300
    return Outcome(claim, reply, "" if is_done else f"the receiver answered {reply.status}")


@dataclass
class Deliverer:
    """What delivers the messages of an archive, in threads of its own, from `start` to `stop`."""

    archive: Path
    deliver_to: Collection[Place] = ()
    clock: Clock = time.time
    _results: queue.SimpleQueue[Outcome | None] = field(default_factory=queue.SimpleQueue, init=False)
    _stopping: threading.Event = field(default_factory=threading.Event, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)
    _busy: Counter[int] = field(default_factory=Counter, init=False)
    _failing: set[int] = field(default_factory=set, init=False)

    def start(self) -> None:
        """Begin; raises MissingExtra if what signs messages is not installed."""
        require_signing()
        self._thread = threading.Thread(target=self._run, name="wirecopy-deliverer", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Let it look for messages now."""
        self._results.put(None)

    def stop(self) -> None:
        """End, after what is being sent if that does not take long; what is left is due again after a while."""
        self._stopping.set()
        self.wake()
        if self._thread is not None:
            self._thread.join(2 * LEAVE_SECONDS)
            self._thread = None

    def _run(self) -> None:
        pool = ThreadPoolExecutor(AT_ONCE, "wirecopy-delivery")
        try:
            with Desk(self.archive) as desk:
                self._work(desk, pool)
        except ArchiveError as error:
            log.error("messages are delivered no more: %s", error)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _work(self, desk: Desk, pool: ThreadPoolExecutor) -> None:
        forgotten = 0.0
        while not self._stopping.is_set():
            with _later("messages wait"):
                if abs(self.clock() - forgotten) > FORGET_SECONDS:
                    desk.outbox.forget_old(self._now())
                    forgotten = self.clock()
                self._claim(desk, pool)
            self._take(desk, LOOK_SECONDS)
        until = time.monotonic() + LEAVE_SECONDS
        while self._busy.total() and time.monotonic() < until:
            self._take(desk, until - time.monotonic())

    def _now(self) -> int:
        return int(self.clock() * _SECOND)

    def _claim(self, desk: Desk, pool: ThreadPoolExecutor) -> None:
        limit = AT_ONCE - self._busy.total()
        for claim in desk.outbox.claim(limit, CLAIM_SECONDS, self._room, self._now()):
            self._busy[claim.webhook] += 1
            pool.submit(self._deliver, claim)

    def _room(self, webhook: int) -> int:
        """How many more messages of a webhook may be sent now."""
        return (1 if webhook in self._failing else EACH) - self._busy[webhook]

    def _deliver(self, claim: Claim) -> None:
        self._results.put(deliver(claim, self.deliver_to, self.clock()))

    def _take(self, desk: Desk, seconds: float) -> None:
        """Note what came of a message, waiting for that up to so long."""
        with suppress(queue.Empty):
            outcome = self._results.get(timeout=max(0.0, seconds))
            if outcome is None:
                return
            webhook = outcome.claim.webhook
            self._busy[webhook] -= 1
            (self._failing.add if outcome.error else self._failing.discard)(webhook)
            with _later(f"what came of {outcome.claim.id} is not noted, and it is sent again"):
                settle(desk, outcome, self._now())


def settle(desk: Desk, outcome: Outcome, now: int) -> None:
    """Note what came of a message: it is delivered, tried again later, or dead."""
    claim, error = outcome.claim, outcome.error
    status, asked = (outcome.reply.status, outcome.reply.retry_after) if outcome.reply else (None, None)
    wait = wait_seconds(claim.attempts, asked) if error and not outcome.is_gone else None
    again = None if wait is None else now + int(wait * _SECOND)
    desk.outbox.settle(claim, status, error, again, gone=outcome.is_gone)
    log.info("%s attempt %d: %s", claim.id, claim.attempts, error or "delivered")


def deliver_due(desk: Desk, deliver_to: Collection[Place] = (), clock: Clock = time.time) -> Counter[str]:
    """Send what is due now, each once, but no more to a webhook that fails; returns how many were `delivered`, and how many `failed`.

    Raises MissingExtra if what signs messages is not installed.
    """
    require_signing()
    counts: Counter[str] = Counter()
    failing: set[int] = set()

    def room(webhook: int) -> int:
        return 0 if webhook in failing else EACH

    with ThreadPoolExecutor(AT_ONCE, "wirecopy-delivery") as pool:
        while claims := desk.outbox.claim(AT_ONCE, CLAIM_SECONDS, room, int(clock() * _SECOND)):
            for outcome in pool.map(lambda claim: deliver(claim, deliver_to, clock()), claims):
                settle(desk, outcome, int(clock() * _SECOND))
                counts["failed" if outcome.error else "delivered"] += 1
                failing |= {outcome.claim.webhook} if outcome.error else set()
    return counts


@contextmanager
def _later(what: str) -> Iterator[None]:
    """Go on after what a full disk, or another who writes for long, keeps from being done now; or what nobody thought of."""
    try:
        yield
    except ArchiveError as error:
        log.warning("%s: %s", what, error)
    except Exception as error:
        log.warning("%s: %s", what, type(error).__name__)
