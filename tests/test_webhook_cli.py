"""`wirecopy webhook` and `wirecopy watch --notify`: who is told of matches, from the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from program import PROGRAM, on_terminal, talk, wirecopy
from receivers import Receiver, free_port, receiving
from records import jsonl
from standardwebhooks import Webhook

from wirecopy.archive.desk import Desk
from wirecopy.cli import app
from wirecopy.errors import UsageError, WirecopyError

PUBLIC = "https://93.184.216.34/hook"


def run(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    """What the program does, in this process: there are many of these."""
    ran = CliRunner().invoke(app, list(map(str, arguments)), standalone_mode=False)
    code = ran.return_value or 0
    said = ran.stderr_bytes or b""
    if ran.exception is not None:
        assert isinstance(ran.exception, WirecopyError | click.ClickException), ran.exception
        code = 2 if isinstance(ran.exception, UsageError | click.UsageError) else 1
        said += str(ran.exception).encode()
    return subprocess.CompletedProcess(list(map(str, arguments)), code, ran.stdout_bytes, said)


def new(archive: Path, url: str, *options: object) -> tuple[str, str]:
    """A new webhook: its id and its secret."""
    ran = run("webhook", archive, "new", url, *options)
    assert ran.returncode == 0, talk(ran)
    return talk(ran).split(";")[0].split()[-1], ran.stdout.decode().strip()


def read(archive: Path, *command: object) -> list[dict[str, Any]]:
    ran = run("webhook", archive, *command, "--json")
    assert ran.returncode == 0, talk(ran)
    found: list[dict[str, Any]] = json.loads(ran.stdout)
    return found


def test_a_webhook_is_made_listed_and_removed_and_its_secret_shown_once(archive: Path) -> None:
    options = (
        "--source",
        "Courier",
        "--min-share",
        0.3,
        "--min-words",
        40,
        "--passages",
        "--link",
        "https://x/{found}",
    )
    id, secret = new(archive, PUBLIC, *options, "--relation", "identical", "--relation", "form")
    assert id.startswith("wh_")
    Webhook(secret)
    [told] = read(archive, "list")
    assert (told["id"], told["url"], told["disabled"]) == (id, PUBLIC, None)
    assert told["policy"] == {
        "poster": None,
        "source": "Courier",
        "author": None,
        "relations": ["identical", "form"],
        "min_share": 0.3,
        "min_words": 40,
        "passages": True,
        "link": "https://x/{found}",
    }
    code, shown = on_terminal("webhook", archive, "list", width=140)
    assert (code, "source Courier" in shown, secret in shown) == (0, True, False)
    assert secret not in json.dumps(told)
    assert talk(run("webhook", archive, "remove", id)) == "1 webhook removed\n"
    assert read(archive, "list") == []
    assert "no webhook has the id" in talk(run("webhook", archive, "remove", id))


@pytest.mark.parametrize(
    "given",
    [
        *(["ftp://example.org"], ["http://user@example.org"], ["http://127.1/"], ["not an address"]),
        *([PUBLIC, "--source", "a", "--author", "b"], [PUBLIC, "--link", "x"], [PUBLIC, "--min-share", "2"]),
    ],
)
def test_what_cannot_be_meant_is_refused(archive: Path, given: list[str]) -> None:
    ran = run("webhook", archive, "new", *given)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert read(archive, "list") == []
    assert talk(ran)


def test_an_address_inside_is_taken_with_a_warning(archive: Path) -> None:
    ran = run("webhook", archive, "new", "http://127.0.0.1:9000/")
    assert ran.returncode == 0
    assert "warning: not a public address: messages go there only with --deliver-to" in talk(ran)


def test_messages_are_tried_listed_replayed_and_delivered_by_hand(archive: Path) -> None:
    with receiving(status=500) as receiver:
        id, secret = new(archive, receiver.url)
        message = run("webhook", archive, "test", id).stdout.decode().strip()
        place = f"127.0.0.1:{receiver.port}"
        refused = run("webhook", archive, "deliver")
        assert (refused.returncode, talk(refused)) == (1, "0 messages delivered, 1 message failed\n")
        [told] = read(archive, "messages", "--state", "waiting", "--webhook", id)
        assert (told["id"], told["attempts"], told["error"][:20]) == (message, 1, "not a public address")
        assert receiver.received == []
        assert "1 message to be sent again" in talk(run("webhook", archive, "replay", message))
        assert run("webhook", archive, "deliver", "--deliver-to", place).returncode == 1
        receiver.status = 410
        run("webhook", archive, "replay", message)
        run("webhook", archive, "deliver", "--deliver-to", place)
        assert [one["reason"] for one in read(archive, "list")] == ["the receiver answered 410"]
        assert "is disabled" in talk(run("webhook", archive, "test", id))
        assert run("webhook", archive, "enable", id).returncode == 0
        assert "1 message to be sent again" in talk(run("webhook", archive, "replay", id))
        receiver.status = 200
        rotated = run("webhook", archive, "rotate", id).stdout.decode().strip()
        delivered = run("webhook", archive, "deliver", "--deliver-to", place)
        assert (delivered.returncode, talk(delivered)) == (0, "1 message delivered\n")
        assert set(receiver.ids) == {message}
        headers, body = receiver.received[-1]
        for one in (secret, rotated):
            Webhook(one).verify(body, headers)
        code, shown = on_terminal("webhook", archive, "messages", width=160)
        assert (code, "delivered" in shown) == (0, True)
        assert run("webhook", archive, "disable", id).returncode == 0
        assert talk(run("webhook", archive, "replay", "--all")) == "0 messages to be sent again\n"
        assert run("webhook", archive, "replay").returncode == 2
    info = json.loads(run("info", archive, "--json").stdout)
    assert (info["webhooks"], info["messages_delivered"], info["messages_dead"]) == (1, 1, 0)
    assert secret not in json.dumps(info)
    assert "webhooks     1; messages: 0 waiting, 1 delivered, 0 dead" in run("info", archive).stdout.decode()


def watch(
    archive: Path, records: list[dict[str, Any]], *options: object
) -> subprocess.CompletedProcess[bytes]:
    return wirecopy("watch", archive, *options, input=jsonl(*records))


def test_watch_tells_webhooks_and_delivers_itself(tmp_path: Path, records: list[dict[str, Any]]) -> None:
    path = tmp_path / "news.db"
    assert watch(path, records[:1]).returncode == 0
    with receiving() as receiver:
        _, secret = new(path, receiver.url, "--source", "Courier")
        ran = watch(path, records[1:], "--notify", "--deliver-to", f"127.0.0.1:{receiver.port}")
        assert ran.returncode == 0, talk(ran)
        assert "not delivered" not in talk(ran)
        told = [Webhook(secret).verify(body, headers) for headers, body in receiver.received]
    assert {one["data"]["query"]: {match["found"] for match in one["data"]["matches"]} for one in told} == {
        "b": {"a"},
        "c": {"a", "b"},
    }
    assert {one["type"] for one in told} == {"match.observed"}


def test_watch_says_what_it_could_not_deliver_and_posts_nothing_unless_asked(
    tmp_path: Path, records: list[dict[str, Any]]
) -> None:
    path = tmp_path / "news.db"
    watch(path, records[:1])
    new(path, Receiver(free_port()).url)
    assert watch(path, records[1:2]).returncode == 0
    with Desk(path) as desk:
        assert desk.outbox.messages() == []
    ran = watch(path, records[2:3], "--notify")
    assert ran.returncode == 0
    assert "1 message not delivered yet" in talk(ran)
    for wrong in (
        ("--deliver-to", "127.0.0.1:80"),
        ("--notify", "--decide", "method"),
        ("--notify", "--deliver-to", "x"),
    ):
        assert watch(path, [], *wrong).returncode == 2, wrong


def test_two_watches_and_a_hand_do_not_send_twice(tmp_path: Path, records: list[dict[str, Any]]) -> None:
    path = tmp_path / "news.db"
    watch(path, records[:1])
    copies = [records[0] | {"id": f"copy {n}"} for n in range(20)]
    with receiving(seconds=0.05) as receiver:
        new(path, receiver.url)
        place = ("--deliver-to", f"127.0.0.1:{receiver.port}")
        started = [
            subprocess.Popen(
                [PROGRAM, "watch", path, "--notify", *place], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
            )
            for _ in range(2)
        ]
        for process, some in zip(started, (copies[:10], copies[10:]), strict=True):
            assert process.stdin is not None
            process.stdin.write(jsonl(*some))
            process.stdin.close()
        run("webhook", path, "deliver", *place)
        assert [process.wait(60) for process in started] == [0, 0]
        run("webhook", path, "deliver", *place)
        with Desk(path) as desk:
            assert desk.outbox.count()["messages_delivered"] == 20
        assert len(receiver.ids) == len(set(receiver.ids)) == 20
