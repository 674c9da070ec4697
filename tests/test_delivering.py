"""Messages on their way to webhooks: signed, at least once, again and again for three days, whatever receivers do."""

from __future__ import annotations

import json
import logging
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from archives import opened
from receivers import Receiver, free_port, receiving, sing, speaking, wait_for
from ssrf import FORMS
from standardwebhooks import Webhook, WebhookVerificationError

from wirecopy import Archive
from wirecopy.archive.desk import Desk
from wirecopy.archive.outbox import Message
from wirecopy.archive.policies import Policy
from wirecopy.service import delivering
from wirecopy.service.delivering import ATTEMPTS, JITTER, Deliverer, deliver_due, wait_seconds
from wirecopy.service.outbound import send

HOUR = 3600
SECOND = 1_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with opened(tmp_path / "news.db", ["one text of some words"]):
        pass
    return tmp_path / "news.db"


@pytest.fixture
def desk(path: Path) -> Iterator[Desk]:
    with Desk(path) as one:
        yield one


class Clock:
    """A clock that is set by hand, at first a little ahead, so that what is posted now is due."""

    def __init__(self) -> None:
        self.now = time.time() + 1

    def __call__(self) -> float:
        return self.now


def post(desk: Desk, receiver: Receiver | str, messages: int = 1) -> tuple[str, str]:
    """A webhook with so many messages: its id, and its secret."""
    url = receiver if isinstance(receiver, str) else receiver.url
    webhook, secret = desk.outbox.add(url, Policy())
    for _ in range(messages):
        desk.outbox.post_test(webhook.id)
    return webhook.id, secret


def only(desk: Desk) -> Message:
    [message] = desk.outbox.messages()
    return message


@contextmanager
def delivering_to(path: Path, *receivers: Receiver) -> Iterator[Deliverer]:
    deliverer = Deliverer(path, [one.place for one in receivers])
    deliverer.start()
    try:
        yield deliverer
    finally:
        deliverer.stop()


# One message


def test_a_message_is_signed_as_the_standard_says_and_its_receiver_can_tell(desk: Desk) -> None:
    with receiving() as receiver:
        _, secret = post(desk, receiver)
        assert deliver_due(desk, [receiver.place]) == {"delivered": 1}
    [(headers, body)] = receiver.received
    told = Webhook(secret).verify(body, headers)
    assert (told["type"], headers["webhook-id"]) == ("webhook.test", only(desk).id)
    assert headers["content-type"] == "application/json"
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(body.replace(b"test", b"text"), headers)
    assert (only(desk).state, only(desk).status, only(desk).attempts) == ("delivered", 200, 1)


def test_after_a_rotation_old_and_new_secret_verify(desk: Desk) -> None:
    with receiving() as receiver:
        webhook, old = post(desk, receiver)
        new = desk.outbox.rotate(webhook)
        deliver_due(desk, [receiver.place])
    [(headers, body)] = receiver.received
    for secret in (old, new):
        Webhook(secret).verify(body, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook("whsec_" + "A" * 43).verify(body, headers)


def garbage(connected: socket.socket) -> None:
    connected.recv(65536)
    connected.sendall(b"\x00\xff" * 100)


def endless(connected: socket.socket) -> None:
    connected.recv(65536)
    connected.sendall(b"HTTP/1.1 500 Oh\r\n\r\n")
    while True:
        connected.sendall(b"x" * 65536)


@pytest.mark.parametrize(
    ("receiver", "error", "status"),
    [
        (receiving(status=500), "the receiver answered 500", 500),
        (receiving(status=404), "the receiver answered 404", 404),
        (receiving(status=302, headers={"Location": "http://127.0.0.1/"}), "the receiver answered 302", 302),
        (speaking(garbage), "no answer in HTTP", None),
        (speaking(endless), "the receiver answered 500", 500),
        (speaking(lambda _: time.sleep(2)), "no answer within 0.3 seconds", None),
        (receiving(seconds=2), "no answer within 0.3 seconds", None),
    ],
    ids=["500", "404", "redirect", "garbage", "endless", "silent", "slow"],
)
def test_what_fails_is_tried_again_later_under_the_same_id(
    desk: Desk, receiver: Any, error: str, status: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivering, "send", partial(send, seconds=0.3))
    clock = Clock()
    with receiver as bad:
        post(desk, bad)
        assert deliver_due(desk, [bad.place], clock) == {"failed": 1}
        first = only(desk)
        assert (first.state, first.status, first.attempts) == ("waiting", status, 1)
        assert error in first.error
        assert first.due is not None
        assert 8 * SECOND < first.due - clock.now * SECOND < 12 * SECOND
        assert deliver_due(desk, [bad.place], clock) == {}
        clock.now += 12
        assert deliver_due(desk, [bad.place], clock) == {"failed": 1}
        assert len(set(bad.ids if bad.received[0][0] else [first.id])) == 1
        assert len(bad.received) == 2


def test_a_receiver_that_comes_up_is_told(desk: Desk) -> None:
    clock, port = Clock(), free_port()
    post(desk, Receiver(port))
    assert deliver_due(desk, [("127.0.0.1", port)], clock) == {"failed": 1}
    assert only(desk).error == "cannot be reached: Connection refused"
    with receiving(port=port) as receiver:
        clock.now += 12
        assert deliver_due(desk, [receiver.place], clock) == {"delivered": 1}
        assert receiver.ids == [only(desk).id]
    assert only(desk).error == ""


def test_a_receiver_that_is_gone_for_good_is_told_nothing_more(desk: Desk) -> None:
    with receiving(status=410) as receiver:
        webhook, _ = post(desk, receiver, 3)
        deliver_due(desk, [receiver.place])
        found = desk.outbox.require(webhook)
        assert (found.disabled is not None, found.reason) == (True, "the receiver answered 410")
        assert {one.state for one in desk.outbox.messages()} == {"dead"}
        told = len(receiver.received)
        receiver.status = 200
        desk.outbox.change(webhook, enabled=True)
        assert desk.outbox.replay() == 3
        assert deliver_due(desk, [receiver.place]) == {"delivered": 3}
        assert len(receiver.received) == told + 3
        assert set(receiver.ids) == {one.id for one in desk.outbox.messages()}


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [("3600", HOUR, HOUR + 1), ("1", 8, 12), ("999999999", 12 * HOUR, 12 * HOUR + 1)],
)
def test_a_receiver_that_asks_for_time_gets_it_within_bounds(
    desk: Desk, asked: str, least: float, most: float
) -> None:
    clock = Clock()
    with receiving(status=503, headers={"Retry-After": asked}) as receiver:
        post(desk, receiver)
        deliver_due(desk, [receiver.place], clock)
    due = only(desk).due
    assert due is not None
    assert least - 0.01 <= due / SECOND - clock.now <= most


# Three days


def test_a_message_is_tried_for_three_days_and_is_then_dead_and_can_be_replayed(desk: Desk) -> None:
    random.seed(5)
    clock = Clock()
    started, tried = clock.now, []
    with receiving(status=500) as receiver:
        post(desk, receiver)
        while (due := desk.outbox.next_due()) is not None:
            clock.now = max(clock.now, due / SECOND)
            assert deliver_due(desk, [receiver.place], clock) == {"failed": 1}
            tried.append(clock.now - started)
        assert len(receiver.received) == len(tried) == ATTEMPTS
        assert len(set(receiver.ids)) == 1
    assert 68 * HOUR < tried[-1] < 82 * HOUR
    waits = [later - sooner for sooner, later in pairwise(tried)]
    assert waits[:7] == sorted(waits[:7])
    assert max(waits) < 12 * HOUR * (1 + JITTER)
    assert (only(desk).state, only(desk).due) == ("dead", None)
    with receiving() as receiver:
        desk.outbox.change(only(desk).webhook, url=receiver.url)
        assert desk.outbox.replay(id=only(desk).id) == 1
        assert deliver_due(desk, [receiver.place]) == {"delivered": 1}


def test_a_clock_that_was_ahead_and_is_set_back_makes_no_message_wait_for_it(desk: Desk) -> None:
    clock = Clock()
    with receiving(status=500) as receiver:
        webhook, _ = desk.outbox.add(receiver.url, Policy())
        clock.now += 400 * 24 * HOUR
        desk.outbox.post_test(webhook.id, int(clock.now * SECOND))
        assert deliver_due(desk, [receiver.place], clock) == {"failed": 1}
        assert deliver_due(desk, [receiver.place], clock) == {}
        clock.now -= 400 * 24 * HOUR
        receiver.status = 200
        assert deliver_due(desk, [receiver.place], clock) == {"delivered": 1}


def test_waits_differ_so_that_not_all_come_back_at_once() -> None:
    for attempts in range(1, ATTEMPTS):
        plain = wait_seconds(attempts, jitter=0.0)
        waits = {wait_seconds(attempts) for _ in range(50)}
        assert plain is not None
        assert len(waits) > 40
        assert all(one is not None and abs(one / plain - 1) <= JITTER + 1e-9 for one in waits)
    assert wait_seconds(ATTEMPTS) is None


FAKED = """
import sys, time
from wirecopy.archive.desk import Desk
from wirecopy.service.delivering import deliver_due
with Desk(sys.argv[1]) as desk:
    print(int(time.time()), *deliver_due(desk, [("127.0.0.1", int(sys.argv[2]))]).elements())
"""


def test_three_days_go_by_under_faketime(desk: Desk, path: Path) -> None:
    if not shutil.which("faketime"):
        pytest.skip("no faketime here (Debian: apt install faketime)")
    started = time.time()
    with receiving(status=503) as receiver:
        post(desk, receiver)
        said = []
        for hours in (0, 1, 6, 24, 40, 56, 72):
            command = [
                "faketime",
                "-f",
                f"+{hours}h",
                sys.executable,
                "-c",
                FAKED,
                str(path),
                str(receiver.port),
            ]
            ran = subprocess.run(command, capture_output=True, text=True, check=True)
            now, *outcome = ran.stdout.split()
            assert abs(int(now) - started - hours * HOUR) < 60
            said.append(outcome)
        assert said == [["failed"]] * 7
        stamps = [int(headers["webhook-timestamp"]) for headers, _ in receiver.received]
        assert 72 * HOUR <= stamps[-1] - stamps[0] < 73 * HOUR
        assert len(set(receiver.ids)) == 1
        assert only(desk).attempts == 7
        receiver.status = 204
        command[2] = "+86h"
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[1:] == [
            "delivered"
        ]


# Many


def test_what_any_process_posts_is_delivered_soon(desk: Desk, path: Path) -> None:
    with receiving() as receiver, delivering_to(path, receiver) as deliverer:
        webhook, _ = post(desk, receiver)
        wait_for(lambda: len(receiver.received) == 1)
        started = time.monotonic()
        desk.outbox.post_test(webhook)
        deliverer.wake()
        wait_for(lambda: len(receiver.received) == 2)
        assert time.monotonic() - started < delivering.LOOK_SECONDS
        wait_for(lambda: desk.outbox.count()["messages_delivered"] == 2)


def test_slow_receivers_do_not_hold_up_others(desk: Desk, path: Path) -> None:
    with receiving(seconds=6) as slow, receiving() as quick:
        for _ in range(3):
            post(desk, slow, 20)
        post(desk, quick, 60)
        with delivering_to(path, slow, quick):
            wait_for(lambda: len(quick.received) == 60, 5)
            wait_for(lambda: len(slow.received) == 3 * delivering.EACH, 5)
            slow.seconds = 0


def test_a_webhook_that_fails_gets_one_message_at_a_time(desk: Desk, path: Path) -> None:
    together = []
    lock, inside = threading.Lock(), [0]

    def refuse(connected: socket.socket) -> None:
        with lock:
            inside[0] += 1
            together.append(inside[0])
        connected.recv(65536)
        time.sleep(0.05)
        with lock:
            inside[0] -= 1
        connected.sendall(b"HTTP/1.1 500 no\r\n\r\n")

    with speaking(refuse) as bad:
        post(desk, bad, 12)
        with delivering_to(path, bad):
            wait_for(lambda: len(together) == 12)
    assert max(together[: delivering.EACH]) > 1
    assert set(together[delivering.EACH :]) == {1}


def test_two_deliverers_send_each_message_once(desk: Desk, path: Path) -> None:
    with receiving() as receiver:
        post(desk, receiver, 100)
        with delivering_to(path, receiver), delivering_to(path, receiver), delivering_to(path, receiver):
            wait_for(lambda: desk.outbox.count()["messages_delivered"] == 100)
        assert sorted(receiver.ids) == sorted(one.id for one in desk.outbox.messages())


SERVING = """
import sys, time
from pathlib import Path
from wirecopy.service import delivering
delivering.CLAIM_SECONDS = 0.3
deliverer = delivering.Deliverer(Path(sys.argv[1]), [("127.0.0.1", int(sys.argv[2]))])
deliverer.start()
print("ready", flush=True)
time.sleep(60)
"""


def test_killed_deliverers_lose_nothing_and_repeats_carry_the_same_id(desk: Desk, path: Path) -> None:
    random.seed(11)
    with receiving(seconds=0.02) as receiver:
        webhook, _ = desk.outbox.add(receiver.url, Policy())
        posted = []
        for _ in range(6):
            posted += [desk.outbox.post_test(webhook.id) for _ in range(15)]
            command = [sys.executable, "-c", SERVING, str(path), str(receiver.port)]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
                assert process.stdout is not None
                process.stdout.readline()
                told = len(receiver.received)
                wait_for(lambda told=told: len(receiver.received) > told)  # type: ignore[misc]
                time.sleep(random.random() * 0.05)
                process.send_signal(signal.SIGKILL)
        with delivering_to(path, receiver):
            wait_for(lambda: desk.outbox.count()["messages_delivered"] == len(posted))
        assert set(receiver.ids) == set(posted)
        assert len(receiver.ids) >= len(posted)
        by_id: dict[str, set[bytes]] = {}
        for headers, body in receiver.received:
            by_id.setdefault(headers["webhook-id"], set()).add(body)
        assert all(len(bodies) == 1 for bodies in by_id.values())


# What is refused, and what is said


def test_no_webhook_that_came_to_point_inside_is_delivered_to(desk: Desk) -> None:
    with speaking(sing) as canary:
        for form in FORMS:
            post(desk, form.replace("{port}", str(canary.port)))
        clock = Clock()
        assert deliver_due(desk, clock=clock) == {"failed": len(FORMS)}
        assert canary.received == []
        messages = desk.outbox.messages(limit=len(FORMS) + 1)
        assert {(one.state, one.attempts, one.status) for one in messages} == {("waiting", 1, None)}
        post(desk, canary)
        clock.now += 12
        assert deliver_due(desk, [canary.place], clock)["delivered"] > 0
        assert canary.received


def test_no_secret_address_or_payload_is_logged(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with receiving() as good, receiving(status=500) as bad:
        secrets = [post(desk, one)[1] for one in (good, bad)]
        deliver_due(desk, [good.place, bad.place])
    said = caplog.text
    assert len(caplog.records) == 2
    signatures = [headers["webhook-signature"] for one in (good, bad) for headers, _ in one.received]
    assert not any(part in said for part in [*secrets, *signatures, "/hook", "webhook.test"])
    assert all(one.id in said for one in desk.outbox.messages())


def test_a_damaged_secret_fails_that_message_and_no_other(desk: Desk) -> None:
    with receiving() as receiver:
        post(desk, receiver)
        with desk.store.change():
            desk.store.execute("UPDATE webhooks SET secret = 'whsec_!'")
        post(desk, receiver)
        assert deliver_due(desk, [receiver.place]) == {"delivered": 1, "failed": 1}
    assert {one.error for one in desk.outbox.messages()} == {"", "cannot be sent: EmptyWebhookSecretError"}


@pytest.mark.parametrize("secret", ["", "whsec_a b", "whsec_a b c d", "whsec_a b soon"])
def test_nothing_is_sent_unsigned(desk: Desk, path: Path, secret: str) -> None:
    with receiving() as receiver:
        post(desk, receiver)
        with desk.store.change():
            desk.store.execute("UPDATE webhooks SET secret = ?", (secret,))
        with delivering_to(path, receiver):
            post(desk, receiver)
            wait_for(lambda: desk.outbox.count()["messages_delivered"])
            wait_for(
                lambda: (
                    {one.error for one in desk.outbox.messages()} == {"", "its secret is damaged: rotate it"}
                )
            )
    assert len(receiver.received) == 1


def test_no_more_is_sent_by_hand_to_a_webhook_that_fails(desk: Desk) -> None:
    with receiving(status=500) as bad, receiving() as good:
        post(desk, bad, 50)
        post(desk, good, 50)
        counts = deliver_due(desk, [bad.place, good.place])
    assert counts["delivered"] == 50
    assert counts["failed"] == len(bad.received) <= delivering.EACH


def test_old_messages_are_forgotten_by_whoever_delivers(desk: Desk, path: Path) -> None:
    with receiving() as receiver:
        webhook, _ = desk.outbox.add(receiver.url, Policy())
        desk.outbox.post_test(webhook.id, 1)
        [claim] = desk.outbox.claim(1, 1, lambda _: 1, 2)
        desk.outbox.settle(claim, 200)
        with delivering_to(path, receiver):
            wait_for(lambda: not desk.outbox.messages())


def test_a_deliverer_of_no_archive_says_so_and_ends(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    deliverer = Deliverer(tmp_path / "none.db")
    deliverer.start()
    deliverer.stop()
    assert "messages are delivered no more" in caplog.text


def test_payloads_are_the_bytes_that_were_signed_whatever_an_id_is_made_of(desk: Desk, path: Path) -> None:
    with receiving() as receiver:
        _, secret = desk.outbox.add(receiver.url, Policy(passages=True))
        with Archive.open(path) as archive:
            archive.add({"id": "名\u2028\U0001f4f0\x00", "text": "größer " * 40})
            archive.observe({"id": 'q"\\', "text": "größer " * 40}, notify=True)
        deliver_due(desk, [receiver.place])
    [(headers, body)] = receiver.received
    told = Webhook(secret).verify(body, headers)
    assert json.loads(body) == told
    assert (told["data"]["query"], told["data"]["matches"][0]["found"]) == ('q"\\', "名\u2028\U0001f4f0\x00")
