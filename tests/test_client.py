"""`wirecopy.Client`: a served archive with the verbs and answers of `Archive`, whatever happens on the way."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from receivers import free_port, receiving
from services import Served, copy_archive, make_token, serving

import wirecopy
from wirecopy import Archive, Article, Client, Fields, client
from wirecopy.archive.desk import Desk
from wirecopy.archive.policies import Policy
from wirecopy.errors import NothingRead, ServiceError, UsageError


@pytest.fixture(scope="module")
def path(known: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_archive(known, tmp_path_factory.mktemp("client"))


@pytest.fixture(scope="module")
def token(path: Path) -> str:
    return make_token(path, "read", "check", "write")


@pytest.fixture(scope="module")
def served(path: Path, token: str) -> Iterator[Served]:
    with serving(path, "--no-deliver") as one:
        yield one


@pytest.fixture
def ask(served: Served, token: str) -> Iterator[Client]:
    with Client(served.url, token) as one:
        yield one


@pytest.fixture
def local(path: Path) -> Iterator[Archive]:
    with Archive.open(path) as one:
        yield one


# The same as Archive


@pytest.mark.parametrize(
    "options",
    [
        *(
            {},
            {"top": 1},
            {"min_share": 0.9},
            {"source": "Echo"},
            {"not_source": "Echo"},
            {"preset": "strict"},
        ),
        *({"relations": ["identical"]}, {"since": "2016-03-02", "until": "2016-03-03T12:00:00Z"}),
    ],
)
def test_an_answer_is_that_of_the_archive(
    ask: Client, local: Archive, records: list[dict[str, Any]], draft: Path, options: dict[str, Any]
) -> None:
    texts = [
        draft.read_text(),
        "Nothing of that sort.",
        Article("mine", records[0]["text"], title="T", url="https://x"),
    ]
    for given in (draft.read_text(), draft, texts, records[2], [{"text": records[0]["text"]}]):
        expected = local.check(given, **options)
        found = ask.check(given, **options)
        assert [one.to_dict(text=True) for one in found] == [one.to_dict(text=True) for one in expected]
        assert [one.found for one in found] == [one.found for one in expected]
        assert [one.matches for one in found] == [one.matches for one in expected]


def test_articles_are_got_added_observed_and_removed_as_in_an_archive(
    ask: Client, local: Archive, records: list[dict[str, Any]], tmp_path: Path
) -> None:
    whole = Article(
        "whole", "Tide tables.", "T", "2026-01-02", "Echo", "Ada", "Kiel", "en", "https://x/1", "dpa"
    )
    assert repr(ask.add([whole, {"id": "bad"}])) == "<Added: 1 added, 1 skipped>"
    assert ask.get("whole") == local.get("whole") == whole
    assert ("whole" in ask, "none" in ask, ask.get("none")) == (True, False, None)
    assert repr(ask.add(whole)) == "<Added: 0 added, 1 known>"
    other = {"id": "whole", "text": "Other tide tables."}
    assert "add it with replace=True" in ask.add([other]).skipped[0].reason
    assert ask.add([other], replace=True).replaced == 1
    with pytest.raises(NothingRead):
        ask.add([{"no": "text"}])
    [observed] = ask.observe({"id": "seen", "text": records[0]["text"], "published": "2016-04-01"})
    assert (observed.status, observed.answer.contained_in, observed.kept) == ("added", ["a", "c"], True)
    [again] = ask.observe({"id": "seen", "text": records[0]["text"], "published": "2016-04-01"})
    assert (again.status, again.reason) == ("known", "known")
    [bare] = ask.observe("A bare text of its own.", relations=["identical"])
    assert local.get(bare.answer.query) is not None
    file = tmp_path / "more.csv"
    file.write_text("id,text,when\nx 1,Some text of the file.,04/03/2026\n")
    dated = Fields(published="when", date_format="%d/%m/%Y")
    assert ask.add(file, fields=dated).added == 1
    moved = ask.get("x 1")
    assert moved is not None
    assert moved.published == "2026-03-04T00:00:00.000000Z"
    assert ask.remove(["whole", "seen", "x 1", bare.answer.query, "none"]) == 4
    assert ask.remove("whole") == 0


def test_ids_of_all_kinds_come_back_as_they_are(ask: Client) -> None:
    ids = ["a/b?c&d=e#f", "名 \u2028", "../x", "%41", "+", 'q"\\', "x" * 3000, "y" * 3000]
    assert ask.add([{"id": id, "text": f"Text {number}."} for number, id in enumerate(ids)]).added == len(ids)
    assert [getattr(ask.get(id), "id", None) for id in ids] == ids
    assert ask.remove(ids) == len(ids)


def test_stories_are_records(ask: Client, local: Archive) -> None:
    while local.stale_stories:  # the service tells them once it has answered
        time.sleep(0.01)
    told = list(ask.stories())
    expected, _ = local.list_stories(most=100)
    assert told == expected
    assert told
    assert [one.articles[0].parent for one in told] == [one.articles[0].parent for one in expected]
    assert (ask.story_of("c"), ask.story_of("none")) == (local.story_of("c"), None)
    assert ask.story("c") == local.story("c")


def test_many_articles_go_in_several_requests(ask: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "REQUEST_ARTICLES", 3)
    many = [{"id": f"n{number}", "text": f"Text number {number}."} for number in range(10)]
    assert ask.add(many).added == 10
    assert [one.query for one in ask.check(many)] == [one["id"] for one in many]
    monkeypatch.setattr(client, "REQUEST_BYTES", 30)
    assert [one.status for one in ask.observe(many)] == ["known"] * 10
    assert ask.remove(f"n{number}" for number in range(10)) == 10


def test_webhooks_are_told_where_asked(path: Path, ask: Client, records: list[dict[str, Any]]) -> None:
    with Desk(path) as desk:
        webhook, _ = desk.outbox.add("https://example.org", Policy(poster="test"))
        ask.check(records[0]["text"])
        assert desk.outbox.messages() == []
        ask.check(records[0]["text"], notify=True)
        ask.observe({"id": "told", "text": records[0]["text"]}, notify=True)
        assert [one.kind for one in desk.outbox.messages()] == ["match.observed", "match.checked"]
        ask.remove("told")
        desk.outbox.remove(webhook.id)


# What goes wrong


@pytest.mark.parametrize(
    "url", ["", "copies.example", "ftp://x", "http://", "http://x/?a", "http://u:p@x", "http://x/#a"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="url: expected"):
        Client(url)


def test_what_cannot_be_meant_is_refused() -> None:
    for given in ({"token": "wc_\n"}, {"timeout": 0}, {"retries": -1}):
        with pytest.raises(UsageError):
            Client("http://x", **given)


def test_errors_are_those_of_wirecopy_and_say_what_is_wrong(served: Served, path: Path, ask: Client) -> None:
    with pytest.raises(UsageError, match="preset"):
        ask.check("text", preset="none")
    with pytest.raises(UsageError, match="expected a date"):
        ask.check("text", since="yesterday")
    with (
        Client(served.url, "wc_none") as nobody,
        pytest.raises(ServiceError, match="not known here") as raised,
    ):
        nobody.check("text")
    assert raised.value.status == 401
    assert raised.value.request_id
    assert "wc_none" not in str(raised.value) + repr(nobody)
    with (
        Client(served.url, make_token(path, "read")) as reader,
        pytest.raises(ServiceError, match="scope write") as raised,
    ):
        reader.add(["text"])
    assert raised.value.status == 403
    assert isinstance(raised.value, wirecopy.WirecopyError)
    with pytest.raises((UsageError, ServiceError), match="bytes"):  # it may hang up before it is heard
        Client(served.url, ask._token, retries=1).check("word " * 2_000_000)


def test_nobody_there_is_said_after_some_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    with pytest.raises(ServiceError, match="cannot be reached: Connection refused") as raised:
        Client(f"http://127.0.0.1:{free_port()}").get("a")
    assert raised.value.status is None
    assert len(waits) == client.RETRIES
    assert waits == sorted(waits)


def test_what_speaks_no_json_is_no_service() -> None:
    with receiving() as other, pytest.raises(ServiceError, match="it answered 501"):
        Client(other.url, retries=0).get("a")


@contextmanager
def answering(*answers: tuple[int, dict[str, str], bytes]) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A service that gives these answers one after the other: its address, and the headers that came."""
    left, seen = list(answers), []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            seen.append({name.lower(): value for name, value in self.headers.items()})
            status, headers, body = left.pop(0)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.answer()

        def do_POST(self) -> None:
            self.answer()

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", seen
        finally:
            server.shutdown()


ARTICLE = b'{"id": "a", "text": "b"}'


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_service_that_is_busy_is_asked_again_when_it_says(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    plain: tuple[int, dict[str, str], bytes] = (status, {}, b"{}")
    busy = (status, {"Retry-After": "7"}, b"{}"), (status, {"Retry-After": "9999"}, b"{}"), plain
    with answering(*busy, (200, {}, ARTICLE)) as (url, seen):
        assert Client(url).get("a") == Article("a", "b")
    assert waits[:2] == [7.0, client.MOST_SECONDS]
    assert 0 < waits[2] < 2
    assert len(seen) == 4
    with answering(*[plain] * 3) as (url, seen), pytest.raises(ServiceError, match="answered") as raised:
        Client(url, retries=2).get("a")
    assert (raised.value.status, len(seen)) == (status, 3)


@pytest.mark.parametrize("status", [400, 401, 403, 409, 500, 501])
def test_what_would_not_change_is_not_asked_again(status: int) -> None:
    with (
        answering((status, {}, b'{"detail": "no"}')) as (url, seen),
        pytest.raises(wirecopy.WirecopyError, match="no"),
    ):
        Client(url).add(["text"])
    assert len(seen) == 1


def test_a_change_carries_one_key_however_often_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    added = b'{"added": 1, "known": 0, "replaced": 0, "late": 0, "skipped": [], "ahead": {}, "warnings": []}'
    under_way = (409, {"Retry-After": "1"}, b"{}")
    with (
        answering((503, {}, b"{}"), under_way, (200, {}, added), (200, {}, added)) as (url, seen),
        Client(url) as one,
    ):
        assert one.add(["text"]).added == 1
        assert one.add(["text"]).added == 1
    keys = [headers["idempotency-key"] for headers in seen]
    assert keys[0] == keys[1] == keys[2] != keys[3]
    with answering((200, {}, b"[]")) as (url, seen), Client(url) as one:
        assert one.check([]) == []
        assert one.check("text") == []
    assert ["idempotency-key" in headers for headers in seen] == [False]


@contextmanager
def cutting(place: tuple[str, int], *cut: str) -> Iterator[str]:
    """What stands before a service and cuts connections off: each of the first ones `before` it was asked or `after` it answered."""
    plan = list(cut)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    mine, _ = server.accept()
                except OSError:
                    return
                threading.Thread(
                    target=pass_on, args=(mine, plan.pop(0) if plan else ""), daemon=True
                ).start()

        def pass_on(mine: socket.socket, how: str) -> None:
            with mine, suppress(OSError):
                asked = mine.recv(1 << 20)
                if how == "before":
                    return
                with socket.create_connection(place) as theirs:
                    theirs.sendall(asked)
                    threading.Thread(target=copy, args=(mine, theirs), daemon=True).start()
                    while chunk := theirs.recv(1 << 20):
                        if how == "after":
                            mine.shutdown(socket.SHUT_RDWR)
                            return
                        mine.sendall(chunk)

        def copy(source: socket.socket, target: socket.socket) -> None:
            with suppress(OSError):
                while chunk := source.recv(1 << 20):
                    target.sendall(chunk)

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            server.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("cut", [["before"], ["after"], ["before", "after", "after"]])
def test_what_is_cut_off_on_the_way_is_done_once(
    served: Served, token: str, path: Path, records: list[dict[str, Any]], cut: list[str]
) -> None:
    id = f"cut {'-'.join(cut)}"
    with Desk(path) as desk:
        webhook, _ = desk.outbox.add("https://example.org", Policy())
        with cutting(served.place, *cut) as url, Client(url, token) as one:
            [observed] = one.observe({"id": id, "text": records[0]["text"]}, notify=True)
            assert observed.status == "added"
            [answer] = one.check(records[0]["text"], notify=True)
            assert answer.contained_in
        assert [message.kind for message in desk.outbox.messages(webhook=webhook.id)] == [
            "match.checked",
            "match.observed",
        ]
        desk.outbox.remove(webhook.id)
    with Client(served.url, token) as one:
        assert one.remove(id) == 1


def test_an_answer_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ServiceError, match="no answer in time"):
            Client(url, timeout=0.1, retries=1).get("a")


# Connections and threads


def count_opened(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    opened = []
    connect = socket.create_connection

    def note(*arguments: Any, **options: Any) -> socket.socket:
        opened.append(arguments)
        return connect(*arguments, **options)

    monkeypatch.setattr(socket, "create_connection", note)
    return lambda: len(opened)


def test_connections_are_kept_open_and_opened_anew_when_they_were_closed(
    path: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = count_opened(monkeypatch)
    with serving(path, "--no-deliver") as first, Client(first.url, token) as one:
        port = first.place[1]
        for _ in range(5):
            assert one.get("a") is not None
        assert number() == 1
        first.stop()
        with serving(path, "--no-deliver", "--port", port):
            assert one.get("a") is not None
            assert number() == 2


def test_several_threads_ask_at_once(served: Served, token: str, records: list[dict[str, Any]]) -> None:
    with Client(served.url, token) as one, ThreadPoolExecutor(8) as pool:
        asked = [records[number % 3]["text"] for number in range(60)]
        told = list(pool.map(lambda text: one.check(text)[0], asked))
    assert [answer.to_dict() for answer in told[:3]] == [answer.to_dict() for answer in told[3:6]]
    assert {len(answer.found) for answer in told} == {3}


def test_a_client_is_used_behind_a_path_and_again_after_close(served: Served, token: str) -> None:
    one = Client(served.url + "/", token)
    assert one.get("a") is not None
    one.close()
    assert one.get("a") is not None
    one.close()
    with Client(served.url + "/behind", token) as behind:
        assert behind.get("a") is None
