"""`wirecopy serve`: an archive over HTTP, in a process of its own."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from program import PROGRAM, talk, wirecopy
from services import Served, copy_archive, make_token, serving

from wirecopy import Archive

PAGE = """<html><head><title>A page</title></head><body><nav><a href="/">Home</a></nav><article><h1>A page</h1>
<p>{}</p></article><footer>All rights reserved.</footer></body></html>"""


@pytest.fixture(scope="module")
def path(known: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_archive(known, tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def served(path: Path) -> Iterator[Served]:
    """A service without tokens, on this machine alone."""
    with serving(path) as one:
        yield one


@pytest.fixture(scope="module")
def answers(path: Path, draft: Path) -> list[dict[str, Any]]:
    with Archive.open(path) as archive:
        return [answer.to_dict() for answer in archive.check(draft.read_text())]


def test_a_text_is_answered_as_the_library_does(served: Served, draft: Path, answers: list[Any]) -> None:
    reply = served.ask("POST", "/v1/check", draft.read_bytes(), kind="text/plain; charset=utf-8")
    assert reply.status == 200
    assert [reply.json()] == answers
    assert reply.json()["matches"][0]["passages"]
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_articles_come_as_json_one_or_a_list(served: Served, draft: Path, answers: list[Any]) -> None:
    one = {"id": "draft", "text": draft.read_text(), "date": "2026-01-01"}
    named = json.loads(
        json.dumps(answers[0]).replace(f'"query": "{answers[0]["query"]}"', '"query": "draft"')
    )
    assert served.ask("POST", "/v1/check", one).json() == named
    several = served.ask("POST", "/v1/check", [one, {"id": "other", "text": "Something else."}]).json()
    assert several[0] == named
    assert (several[1]["query"], several[1]["copied"]) == ("other", 0.0)


def test_a_page_is_taken_apart_first(served: Served, records: list[dict[str, Any]]) -> None:
    page = PAGE.format(records[0]["text"]).encode()
    reply = served.ask("POST", "/v1/check", page, kind="text/html", id="page").json()
    assert reply["query"] == "page"
    assert "a" in {one["found"] for one in reply["matches"]}
    empty = served.ask("POST", "/v1/check", b"<html><body></body></html>", kind="text/html")
    assert (empty.status, empty.json()["detail"]) == (422, "no article was found in the page")


def test_answers_keep_to_limits(served: Served, records: list[dict[str, Any]]) -> None:
    text = {"text": records[0]["text"]}
    found = [one["found"] for one in served.ask("POST", "/v1/check", text).json()["matches"]]
    assert found == ["a", "c", "b"]
    for query, left in (
        ({"top": 1}, ["a"]),
        ({"source": "Echo"}, ["c"]),
        ({"not_source": "Echo"}, ["a", "b"]),
        ({"relation": ["partial", "contains"]}, ["b"]),
        ({"since": "2016-03-02"}, ["c", "b"]),
        ({"until": "2016-03-02T00:00:00Z"}, ["a"]),
        ({"min_share": 0.9}, ["a", "c"]),
        ({"preset": "strict", "top": 2}, ["a", "c"]),
    ):
        told = served.ask("POST", "/v1/check", text, **query).json()
        assert [one["found"] for one in told["matches"]] == left, query


@pytest.mark.parametrize(
    ("content", "kind", "query", "status", "said"),
    [
        (b"{", "application/json", {}, 400, "the body is not JSON"),
        (b"[" * 100_000, "application/json", {}, 400, "the body is not JSON"),
        (b"[]", "application/json", {}, 422, "expected 1 to 200 articles, got 0"),
        (b"[1]", "application/json", {}, 422, "expected an article such as"),
        (b'{"title": "x"}', "application/json", {}, 422, "no text field"),
        (b"\xff", "text/plain", {}, 400, "the text is not utf-8"),
        (b"x", "text/plain; charset=klingon", {}, 400, "the text is not klingon"),
        (b"x", "application/pdf", {}, 415, "expected application/json, text/plain or text/html"),
        (b"x", "text/plain", {"top": "many"}, 400, "top: "),
        (b"x", "text/plain", {"since": "soon"}, 422, "expected a date"),
        (b"x", "text/plain", {"relation": "cousin"}, 400, "relation"),
    ],
)
def test_what_cannot_be_meant_is_a_problem(
    served: Served, content: bytes, kind: str, query: dict[str, Any], status: int, said: str
) -> None:
    reply = served.ask("POST", "/v1/check", content, kind=kind, **query)
    assert reply.status == status
    assert reply.headers["content-type"] == "application/problem+json"
    problem = reply.json()
    assert set(problem) == {"type", "title", "status", "detail", "request_id"}
    assert said in problem["detail"]
    assert problem["request_id"] == reply.headers["x-request-id"]
    assert (
        not any(one in problem["detail"] for one in ("/", "Traceback", "SELECT", ".py"))
        or "text/plain" in said
    )


def test_a_request_keeps_the_id_that_it_comes_with(served: Served) -> None:
    reply = served.ask("GET", "/nowhere", headers={"X-Request-Id": "mine-1"})
    assert (reply.status, reply.json()["request_id"]) == (404, "mine-1")
    reply = served.ask("GET", "/nowhere", headers={"X-Request-Id": "mine {1}"})
    assert reply.json()["request_id"] != "mine {1}"


def test_a_name_that_is_not_allowed_is_refused(served: Served) -> None:
    for host, status in (
        ("localhost", 200),
        ("LOCALHOST:1", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example:80", 421),
        ("a@127.0.0.1", 400),
        ("", 400),
    ):
        reply = served.ask("POST", "/v1/check", {"text": "Rain."}, headers={"Host": host})
        assert reply.status == status, host


def test_a_request_for_two_names_is_refused(served: Served) -> None:
    for names in (("localhost", "evil.example"), ("evil.example", "localhost")):
        hosts = "".join(f"Host: {name}\r\n" for name in names)
        with socket.create_connection(served.place, timeout=60) as connection:
            connection.sendall(f"GET / HTTP/1.1\r\n{hosts}\r\n".encode())
            assert connection.recv(4096).startswith(b"HTTP/1.1 400 "), names


def test_head_is_answered_as_get_is_without_the_content(served: Served) -> None:
    asked: list[tuple[str, dict[str, Any]]] = [
        ("/livez", {}),
        ("/", {}),
        ("/v1/articles", {"id": "a"}),
        ("/v1/articles", {"id": "?"}),
    ]
    for path, query in asked:
        whole, head = (served.ask(method, path, **query) for method in ("GET", "HEAD"))
        assert (head.status, head.content) == (whole.status, b""), path
        for name in ("content-type", "content-length", "etag"):
            if path != "/" or name != "content-length":
                assert head.headers.get(name) == whole.headers.get(name), (path, name)
    assert served.ask("HEAD", "/v1/check").status == 405


def test_a_body_that_is_nested_too_deeply_is_refused_by_every_route_that_reads_one(served: Served) -> None:
    for method, path in (
        *(("POST", f"/v1/{name}") for name in ("check", "articles", "observe", "judgements", "webhooks")),
        *(("PUT", "/v1/articles"), ("PATCH", "/v1/webhooks/wh_1")),
    ):
        for nested in (b"[" * 100_000, b'{"a":' * 100_000):
            reply = served.ask(method, path, nested, id="deep")
            assert reply.status in (400, 422), (method, path, reply.content)


def test_a_page_of_another_site_can_have_nothing_done(served: Served) -> None:
    own = f"http://{served.place[0]}:{served.place[1]}"
    for headers, status in (
        ({"Origin": own}, 200),
        ({"Origin": own, "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
    ):
        assert served.ask("POST", "/v1/check", {"text": "Rain."}, headers=headers).status == status, headers


def test_it_lives_is_ready_and_counts(served: Served) -> None:
    assert served.ask("GET", "/livez").content == b"ok\n"
    assert served.ask("GET", "/readyz").content == b"ok\n"
    counted = served.ask("GET", "/metrics").content.decode()
    assert 'wirecopy_requests_total{method="GET",route="/livez",status="200"}' in counted
    assert "wirecopy_articles 10.0" in counted


def test_the_description_is_served(served: Served) -> None:
    told = served.ask("GET", "/v1/openapi.json").json()
    assert told["openapi"].startswith("3.1")
    assert "/v1/check" in told["paths"]


def test_another_address_needs_a_token(known: Path, tmp_path: Path) -> None:
    archive = copy_archive(known, tmp_path)
    ran = wirecopy("serve", archive, "--host", "0.0.0.0", "--port", "0")
    assert ran.returncode == 2
    assert "the archive has no token" in talk(ran)
    token = make_token(archive, "check")
    with serving(archive, "--host", "0.0.0.0", token=token) as served:
        assert served.ask("POST", "/v1/check", {"text": "Rain."}, headers={"Host": "localhost"}).status == 200


def test_the_first_token_ends_the_open_house_and_a_revoked_one_is_none(known: Path, tmp_path: Path) -> None:
    archive = copy_archive(known, tmp_path)
    with serving(archive) as served:

        def ask(token: str | None = None) -> int:
            return served.ask("POST", "/v1/check", {"text": "Rain."}, token=token).status

        assert ask() == 200
        token = make_token(archive, "check")
        assert ask() == 401
        assert ask(token) == 200
        assert ask(token[:-1]) == 401
        assert ask(make_token(archive, "read", name="other")) == 403
        refused = served.ask("POST", "/v1/check", {"text": "Rain."})
        assert refused.headers["www-authenticate"].startswith("Bearer")
        assert wirecopy("token", archive, "revoke", "test").returncode == 0
        assert ask(token) == 401
        served.stop()
        assert not any(token[3:] in line for line in served.said)


def test_a_proxy_in_front_does_not_make_strangers_local(served: Served) -> None:
    reply = served.ask("POST", "/v1/check", {"text": "Rain."}, headers={"X-Forwarded-For": "192.0.2.1"})
    assert reply.status == 401


def test_a_port_that_is_taken_is_named(served: Served, path: Path) -> None:
    ran = wirecopy("serve", path, "--port", served.place[1])
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert "cannot listen there: Address already in use" in talk(ran)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_it_is_told(known: Path, tmp_path: Path, number: signal.Signals) -> None:
    with serving(copy_archive(known, tmp_path)) as served:
        assert served.ask("GET", "/readyz").status == 200
        assert served.stop(number) == 0
    assert not any("Traceback" in line or "panic" in line for line in served.said)


def test_there_must_be_an_archive(tmp_path: Path) -> None:
    ran = wirecopy("serve", tmp_path / "none.db", "--port", "0")
    assert (ran.returncode, ran.stdout) == (1, b"")
    assert "no archive there" in talk(ran)


def test_tokens_are_listed_without_what_they_are(known: Path, tmp_path: Path) -> None:
    archive = copy_archive(known, tmp_path)
    token = make_token(archive, "write", "read", name="press room")
    ran = wirecopy("token", archive, "new", "later", "--expires", "90d")
    assert ran.stdout.startswith(b"wc_")
    listed = json.loads(wirecopy("token", archive, "list", "--json").stdout)
    assert [(one["name"], one["scopes"]) for one in listed] == [
        ("press room", ["read", "write"]),
        ("later", ["read", "check"]),
    ]
    assert listed[1]["expires"] > listed[1]["made"]
    shown = wirecopy("token", archive, "list").stdout.decode()
    assert "press room" in shown
    assert token not in shown
    ran = wirecopy("token", archive, "revoke", "nobody")
    assert (ran.returncode, ran.stdout) == (2, b"")
    for wrong in (["--expires", "2001-01-01"], ["--expires", "soon"], ["--scope", "all"]):
        assert wirecopy("token", archive, "new", "x", *wrong).returncode == 2


def test_without_the_extra_it_says_what_to_install(known: Path, tmp_path: Path) -> None:
    (tmp_path / "litestar.py").write_text("raise ImportError('none')")
    ran = subprocess.run(
        [PROGRAM, "serve", str(known)], capture_output=True, env={"PYTHONPATH": str(tmp_path)}, check=False
    )
    assert ran.returncode == 1
    assert b"pip install 'wirecopy[service]'" in ran.stderr
