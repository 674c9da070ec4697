"""A service under load, slow senders, hostile requests and kill -9: others are answered, and nothing that was acknowledged is lost."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fuzzing import DESCRIPTION, SCHEMATHESIS, fuzz
from killing import conclude, live, prepare
from receivers import receiving
from services import Served, copy_archive, make_token, serving

from quality.texts import Writer
from wirecopy.archive.tokens import SCOPES
from wirecopy.service.problems import Problem
from wirecopy.service.readers import Line

REQUESTS = 1000
"""At least so many are made with a token, and so many without."""
SLOW_SOCKETS = 1000
NEEDED = {
    **dict.fromkeys(("get_article", "list_stories", "get_story", "list_pairs", "metrics"), "read"),
    "check": "check",
    **dict.fromkeys(("add_articles", "put_article", "remove_articles", "observe"), "write"),
    **dict.fromkeys(
        ("list_webhooks", "make_webhook", "get_webhook", "change_webhook", "remove_webhook"), "admin"
    ),
    **dict.fromkeys(("test_webhook", "rotate_secret"), "admin"),
    **dict.fromkeys(("replay_dead", "list_messages", "get_message", "replay_message"), "admin"),
    **dict.fromkeys(("list_judgements", "add_judgement", "undo_judgement", "export_judgements"), "judge"),
}
"""The scope that each operation asks for."""


@pytest.fixture(scope="module")
def path(known: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_archive(known, tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def tokens(path: Path) -> dict[str, str]:
    return {scope: make_token(path, scope, name=scope) for scope in SCOPES}


@pytest.fixture(scope="module")
def served(path: Path, tokens: dict[str, str]) -> Iterator[Served]:
    """A service with a token for each scope."""
    with serving(path, "--no-deliver", "--rate", 100_000, "--seconds", 60, token=tokens["admin"]) as one:
        yield one


def operations() -> dict[str, tuple[str, str]]:
    """Method and path of each operation."""
    paths: dict[str, Any] = json.loads(DESCRIPTION.read_text("utf-8"))["paths"]
    found = {
        one["operationId"]: (method.upper(), re.sub(r"\{\w+\}", "1", path))
        for path, methods in paths.items()
        for method, one in methods.items()
    }
    return {**found, "metrics": ("GET", "/metrics")}


def test_every_operation_asks_for_its_scope(served: Served, tokens: dict[str, str]) -> None:
    asked = operations()
    assert asked.keys() <= NEEDED.keys()
    assert not any(line for line in served.said if "fault" in line)
    for name, (method, path) in asked.items():
        body = None if method == "GET" else {"id": "scoped", "text": "Rain."}
        for scope, token in tokens.items():
            status = served.ask(method, path, body, token=token, id="nobody").status
            allowed = scope in (NEEDED[name], "admin")
            assert (status != 403) is allowed, (name, scope, status)
            assert status not in (401, 500, 503), (name, scope, status)
        assert served.ask(method, path, body, token="wc_" + 32 * "x", id="nobody").status == 401, name
        anonymous = Served(served.process, served.url)
        assert anonymous.ask(method, path, body, id="nobody").status == 401, name


@pytest.mark.skipif(not SCHEMATHESIS.is_file(), reason="schemathesis is not installed: make develop")
@pytest.mark.parametrize("has_token", [True, False], ids=["with a token", "without"])
def test_no_request_breaks_it_and_answers_are_as_described(served: Served, has_token: bool) -> None:
    made, wrong = fuzz(served, REQUESTS, examples=12, has_token=has_token)
    assert not wrong, wrong
    assert made >= REQUESTS
    assert not [line for line in served.said if '"fault"' in line]


def test_no_token_is_in_the_log(served: Served, tokens: dict[str, str]) -> None:
    for token in tokens.values():
        served.ask("GET", f"/v1/{token}", token=token, headers={"X-Request-Id": token}, id=token)
    said = "".join(served.said)
    assert '"path": "/v1/wc_' in said
    assert not [token for token in tokens.values() if token[3:] in said]
    assert "Rain." not in said


def test_what_is_too_large_is_refused_before_it_is_read(known: Path, tmp_path: Path) -> None:
    with serving(copy_archive(known, tmp_path), "--body", 2000, "--seconds", 1) as served:
        reply = served.ask("POST", "/v1/check", b"x" * 2001, kind="text/plain")
        assert (reply.status, reply.json()["detail"]) == (413, "expected at most 2,000 bytes")
        head = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
        chunk = b"400\r\n" + 1024 * b"x" + b"\r\n"
        assert status_of(served, head + b"Transfer-Encoding: chunked\r\n\r\n" + 4 * chunk) == 413
        assert status_of(served, head + b"Content-Length: 10000000000\r\n\r\n") == 413
        # One that stops in the middle is let go, and takes nobody's place.
        assert status_of(served, head + b"Content-Length: 100\r\n\r\nonly this") == 408
        assert served.ask("POST", "/v1/check", b"x" * 2000, kind="text/plain").status == 200


def test_strangers_who_send_much_take_no_room_from_others(known: Path, tmp_path: Path) -> None:
    archive = copy_archive(known, tmp_path)
    token = make_token(archive, "check")
    head = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: "
    with serving(archive, "--body", 100_000, token=token) as served, ExitStack() as stack:
        assert status_of(served, head + b"99000\r\n\r\n") == 401
        for size in (b"100000", b"60000"):
            for _ in range(70):
                connection = stack.enter_context(socket.create_connection(served.place, timeout=60))
                with suppress(OSError):  # it is not read to its end
                    connection.sendall(head + size + b"\r\n\r\n" + 59_000 * b"x")
        assert served.ask("POST", "/v1/check", b"y" * 50_000, kind="text/plain").status == 200
        assert served.ask("POST", "/v1/check", b"y" * 50_000, kind="text/plain", token="wc_").status in (
            401,
            503,
        )


WITHOUT_COLLECTOR = "import gc; gc.disable(); from wirecopy.__main__ import main; main()"


def test_who_stops_in_the_middle_is_let_go_though_no_garbage_is_collected(
    known: Path, tmp_path: Path
) -> None:
    head = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
    halves = (b"Content-Length: 100\r\n\r\nhalf", b"Transfer-Encoding: chunked\r\n\r\n5\r\nha")
    program = (sys.executable, "-c", WITHOUT_COLLECTOR)
    with (
        serving(copy_archive(known, tmp_path), "--seconds", 1, program=program) as served,
        ExitStack() as stack,
    ):
        stopped = []
        for half in halves * 5:
            stopped.append(stack.enter_context(socket.create_connection(served.place, timeout=8)))
            stopped[-1].sendall(head + half)
        for connection in stopped:
            said = b"".join(iter(partial(connection.recv, 4096), b""))
            assert said.startswith(b"HTTP/1.1 408 ")


def status_of(served: Served, sent: bytes) -> int:
    """The status that is answered to some bytes."""
    with socket.create_connection(served.place, timeout=60) as connection:
        connection.sendall(sent)
        return int(connection.recv(4096).split()[1])


def test_who_asks_too_often_is_told_to_wait_and_others_are_not(known: Path, tmp_path: Path) -> None:
    archive = copy_archive(known, tmp_path)
    mine, theirs = (make_token(archive, "check", name=name) for name in ("mine", "theirs"))
    with serving(archive, "--rate", 5, token=mine) as served:
        replies = [served.ask("POST", "/v1/check", {"text": "Rain."}) for _ in range(40)]
        limited = [one for one in replies if one.status == 429]
        assert limited
        assert {one.status for one in replies} <= {200, 429}
        assert all(int(one.headers["retry-after"]) >= 1 for one in limited)
        assert served.ask("POST", "/v1/check", {"text": "Rain."}, token=theirs).status == 200


def test_too_many_at_once_are_refused_at_once_and_then_all_is_well(known: Path, tmp_path: Path) -> None:
    # A page of a megabyte takes a good while to check; three of them may be in at once.
    large = Writer(7).text(40_000).encode()
    with serving(copy_archive(known, tmp_path), "--threads", 1, "--waiting", 2) as served:

        def ask(_: int) -> Any:
            return served.ask("POST", "/v1/check", large, kind="text/plain")

        with ThreadPoolExecutor(24) as pool:
            replies = list(pool.map(ask, range(48)))
        assert {one.status for one in replies} == {200, 503}
        refused = [one for one in replies if one.status == 503]
        assert {one.headers["retry-after"] for one in refused} == {"1"}
        assert {one.json()["detail"] for one in refused} <= {
            "too many requests are waiting",
            "it took too long",
        }
        assert [ask(0).status for _ in range(3)] == [200, 200, 200]
        counted = served.ask("GET", "/metrics").content.decode()
        assert "wirecopy_read_waiting 0.0" in counted
        assert "wirecopy_read_running 0.0" in counted


def test_who_waits_too_long_gives_up_the_place() -> None:
    async def queue_up() -> None:
        line, held = Line("test", ["tool"], waiting=1, seconds=0.05), threading.Event()

        def hold(_: str) -> str:
            held.wait(60)
            return "held"

        running = asyncio.ensure_future(line.do(hold))
        await asyncio.sleep(0)
        waiting = asyncio.ensure_future(line.do(str.upper))
        await asyncio.sleep(0)
        assert (line.running, line.waiting, line.is_full) == (1, 1, True)
        with pytest.raises(Problem, match="too many requests are waiting"):
            await line.do(str.upper)
        for late in (running, waiting):
            with pytest.raises(Problem, match="it took too long") as refused:
                await late
            assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "1"})
        assert (line.running, line.waiting, line.is_full) == (1, 0, False)  # what runs keeps its thread
        held.set()
        while line.running:
            await asyncio.sleep(0.001)
        assert await line.do(str.upper) == "TOOL"
        await line.close()

    with ThreadPoolExecutor(1) as alone:  # a browser of other tests may have a loop in this thread
        alone.submit(asyncio.run, queue_up()).result()


def test_a_thousand_slow_sockets_stop_nobody(served: Served) -> None:
    head = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\n"
    body = head + b"Content-Type: text/plain\r\nContent-Length: 1000\r\n\r\nonly this"
    slow = []
    try:
        for number in range(SLOW_SOCKETS):
            connection = socket.create_connection(served.place, timeout=30)
            slow.append(connection)
            connection.sendall(head if number % 2 else body)
        for _ in range(5):
            assert served.ask("POST", "/v1/check", {"text": "Rain."}, timeout=20).status == 200
    finally:
        for connection in slow:
            connection.close()
    assert served.ask("GET", "/readyz").status == 200


def test_what_was_acknowledged_is_there_after_a_kill_and_is_told_in_the_end(tmp_path: Path) -> None:
    archive = tmp_path / "news.db"
    with receiving() as receiver:
        prepare(archive, receiver)
        lives = [live(archive, seed, receiver) for seed in range(4)]
        assert [line for one in lives for line in one.wrong] == []
        assert list(conclude(archive, lives, receiver)) == []
    assert sum(len(one.acknowledged) for one in lives) > 20
    for what in ("checks", "judged", "told"):
        assert any(getattr(one, what) for one in lives), what


def test_what_runs_is_ended_before_it_ends(known: Path, tmp_path: Path) -> None:
    archive = copy_archive(known, tmp_path)
    writer = Writer(8)
    given = [{"id": f"last {number}", "text": writer.text(300)} for number in range(200)]
    with serving(archive) as served, ThreadPoolExecutor(1) as pool:
        adding = pool.submit(served.ask, "POST", "/v1/articles", given)
        while not adding.done() and not adding.running():
            pass
        code = served.stop()
        try:
            reply = adding.result()
        except OSError:  # it came when nobody listened any more
            reply = None
    assert code == 0
    assert reply is None or reply.status == 503 or reply.json()["added"] == 200
    with serving(archive) as served:
        repeated = served.ask("POST", "/v1/articles", given).json()
        assert repeated["added"] + repeated["known"] == 200
        assert reply is None or reply.status == 503 or repeated["known"] == 200
