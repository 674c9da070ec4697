"""Webhooks over HTTP: who is told of what, from making one to the message that its receiver verifies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from receivers import Receiver, receiving, sing, speaking, wait_for
from services import Served, copy_archive, make_token, serving
from ssrf import FORMS
from standardwebhooks import Webhook

from wirecopy.archive.desk import Desk

PUBLIC = "https://93.184.216.34/hook"


@pytest.fixture(scope="module")
def path(known: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_archive(known, tmp_path_factory.mktemp("webhooks"))


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


@pytest.fixture(scope="module")
def served(path: Path, receiver: Receiver) -> Iterator[Served]:
    with serving(path, "--deliver-to", f"127.0.0.1:{receiver.port}") as one:
        yield one


@pytest.fixture(autouse=True)
def afresh(request: pytest.FixtureRequest, path: Path, receiver: Receiver) -> Iterator[None]:
    """Each test begins without webhooks, and with a receiver that has received nothing."""
    receiver.received.clear()
    receiver.status = 200
    yield
    with Desk(path) as desk:
        for one in desk.outbox.webhooks():
            desk.outbox.remove(one.id)


def make(served: Served, receiver: Receiver, **policy: Any) -> dict[str, Any]:
    reply = served.ask("POST", "/v1/webhooks", {"url": receiver.url, "policy": policy})
    assert reply.status == 201, reply.json()
    made: dict[str, Any] = reply.json()
    return made


def test_a_checked_text_is_told_to_the_poster_and_to_the_source_of_what_it_matches(
    served: Served, receiver: Receiver, records: list[dict[str, Any]]
) -> None:
    source = make(served, receiver, source="Courier")
    poster = make(served, receiver, poster="local", passages=True, link=f"{served.url}/?id={{found}}")
    other = make(served, receiver, source="Echo", relations=["form"])
    draft = {"id": "draft", "text": records[0]["text"]}
    assert served.ask("POST", "/v1/check", draft).status == 200
    answer = served.ask("POST", "/v1/check", draft, notify="true", top=1)
    assert len(answer.json()["matches"]) == 1
    wait_for(lambda: len(receiver.received) == 2)
    told = {}
    for headers, body in receiver.received:
        for one in (source, poster, other):
            try:
                told[one["id"]] = Webhook(one["secret"]).verify(body, headers)["data"]
            except Exception:
                continue
    assert set(told) == {source["id"], poster["id"]}
    assert [one["found"] for one in told[source["id"]]["matches"]] == ["a", "b"]
    assert [one["found"] for one in told[poster["id"]]["matches"]] == ["a", "c", "b"]
    assert told[poster["id"]]["matches"][0]["passages"][0]["text"]
    assert told[poster["id"]]["matches"][1]["link"] == f"{served.url}/?id=c"
    messages = served.ask("GET", "/v1/messages").json()["messages"]
    assert {one["kind"] for one in messages} == {"match.checked"}
    assert "payload" not in messages[0]
    whole = served.ask("GET", f"/v1/messages/{messages[0]['id']}").json()
    assert whole["payload"]["data"]["query"] == "draft"
    metrics = served.ask("GET", "/metrics").content.decode()
    assert 'wirecopy_messages{state="dead"} 0.0' in metrics


def test_limits_of_who_asks_do_not_limit_who_is_told(
    served: Served, receiver: Receiver, records: list[dict[str, Any]]
) -> None:
    make(served, receiver, source="Courier")
    draft = {"id": "draft", "text": records[0]["text"]}
    reply = served.ask("POST", "/v1/check", draft, notify="true", source="Echo", min_share=0.9)
    assert [one["found"] for one in reply.json()["matches"]] == ["c"]
    wait_for(lambda: receiver.received)
    [payload] = [json.loads(body) for _, body in receiver.received]
    assert {one["found"] for one in payload["data"]["matches"]} == {"a", "b"}


def test_a_webhook_is_made_changed_tried_and_removed(served: Served, receiver: Receiver) -> None:
    made = make(served, receiver, min_words=30)
    id, secret = made["id"], made.pop("secret")
    assert served.ask("GET", f"/v1/webhooks/{id}").json() == made
    assert served.ask("GET", "/v1/webhooks").json() == {"webhooks": [made]}
    changed = served.ask(
        "PATCH", f"/v1/webhooks/{id}", {"policy": {"author": "Ada"}, "enabled": False}
    ).json()
    assert (changed["policy"]["author"], changed["policy"]["min_words"], changed["reason"]) == (
        "Ada",
        0,
        "by hand",
    )
    assert served.ask("POST", f"/v1/webhooks/{id}/test").status == 422
    assert served.ask("PATCH", f"/v1/webhooks/{id}", {"enabled": True}).json()["disabled"] is None
    fresh = served.ask("POST", f"/v1/webhooks/{id}/secret").json()["secret"]
    message = served.ask("POST", f"/v1/webhooks/{id}/test").json()["message"]
    wait_for(lambda: receiver.received)
    [(headers, body)] = receiver.received
    for one in (secret, fresh):
        assert Webhook(one).verify(body, headers)["type"] == "webhook.test"
    wait_for(lambda: served.ask("GET", f"/v1/messages/{message}").json()["state"] == "delivered")
    assert served.ask("POST", f"/v1/messages/{message}/replay").json() == {"replayed": 1}
    wait_for(lambda: receiver.ids == [message, message])
    assert served.ask("DELETE", f"/v1/webhooks/{id}").status == 204
    for method, route in (
        ("GET", id),
        ("DELETE", id),
        ("PATCH", id),
        ("POST", f"{id}/test"),
        ("POST", f"{id}/replay"),
    ):
        assert served.ask(method, f"/v1/webhooks/{route}", {} if method == "PATCH" else None).status == 404
    assert served.ask("GET", f"/v1/messages/{message}").status == 404
    shown = "".join(served.said)
    assert not any(one in shown for one in (secret, fresh, receiver.url, headers["webhook-signature"]))


def test_dead_messages_are_listed_page_by_page_and_replayed(served: Served, receiver: Receiver) -> None:
    receiver.status = 410
    id = make(served, receiver)["id"]
    for _ in range(3):
        served.ask("POST", f"/v1/webhooks/{id}/test")
    wait_for(lambda: served.ask("GET", f"/v1/webhooks/{id}").json()["disabled"])
    first = served.ask("GET", "/v1/messages", webhook=id, limit=1).json()
    assert first["next"]
    rest = served.ask("GET", "/v1/messages", webhook=id, before=first["next"]).json()
    found = first["messages"] + rest["messages"]
    assert rest["next"] is None
    assert {one["state"] for one in found} == {"dead"}
    receiver.status = 200
    receiver.received.clear()
    assert served.ask("POST", f"/v1/messages/{found[0]['id']}/replay").status == 409
    served.ask("PATCH", f"/v1/webhooks/{id}", {"enabled": True})
    assert served.ask("POST", f"/v1/webhooks/{id}/replay").json() == {"replayed": len(found)}
    wait_for(lambda: set(receiver.ids) == {one["id"] for one in found})


def test_no_form_is_taken_over_http_and_nobody_hears_of_it(served: Served) -> None:
    with speaking(sing) as canary:
        for form in FORMS:
            url = form.replace("{port}", str(canary.port))
            reply = served.ask("POST", "/v1/webhooks", {"url": url})
            assert reply.status in (400, 422), url
            assert "127.0.0.1" not in reply.json()["detail"]
        assert canary.received == []
    assert served.ask("GET", "/v1/webhooks").json() == {"webhooks": []}
    id = served.ask("POST", "/v1/webhooks", {"url": PUBLIC}).json()["id"]
    assert served.ask("PATCH", f"/v1/webhooks/{id}", {"url": "http://127.0.0.1:1024/"}).status == 422


@pytest.mark.parametrize(
    "given",
    [
        *(
            {},
            [],
            "x",
            {"url": 3},
            {"url": PUBLIC, "secret": "whsec_x"},
            {"url": PUBLIC, "deliver_to": ["127.0.0.1:80"]},
        ),
        *({"url": PUBLIC, "policy": {"sources": "x"}}, {"url": PUBLIC, "policy": {"relations": ["copy"]}}),
        *(
            {"url": PUBLIC, "policy": {"source": "a", "poster": "b"}},
            {"url": PUBLIC, "policy": {"min_share": 2}},
        ),
    ],
)
def test_what_is_no_webhook_is_a_problem(served: Served, given: Any) -> None:
    reply = served.ask("POST", "/v1/webhooks", given)
    assert reply.status in (400, 422)
    assert reply.headers["content-type"] == "application/problem+json"


def test_webhooks_are_for_admins_only(known: Path, tmp_path: Path) -> None:
    path = copy_archive(known, tmp_path)
    tokens = {scope: make_token(path, scope) for scope in ("read", "check", "write", "judge", "admin")}
    routes = [
        ("GET", "/v1/webhooks"),
        ("POST", "/v1/webhooks"),
        ("GET", "/v1/messages"),
        ("GET", "/v1/messages/msg_x"),
    ]
    routes += [(method, "/v1/webhooks/wh_x") for method in ("GET", "PATCH", "DELETE")]
    routes += [("POST", f"/v1/webhooks/wh_x/{verb}") for verb in ("secret", "test", "replay")]
    routes.append(("POST", "/v1/messages/msg_x/replay"))
    with serving(path, "--no-deliver") as served:
        for scope, token in tokens.items():
            for method, route in routes:
                content = {"url": PUBLIC} if method == "POST" else {} if method == "PATCH" else None
                status = served.ask(method, route, content, token=token).status
                assert (status == 403) == (scope != "admin"), (scope, method, route, status)
        assert served.ask("GET", "/v1/webhooks").status == 401
        id = served.ask("GET", "/v1/webhooks", token=tokens["admin"]).json()["webhooks"][0]["id"]
        served.ask("POST", f"/v1/webhooks/{id}/test", token=tokens["admin"])
        named = served.ask("GET", "/v1/messages", token=tokens["admin"]).json()["messages"]
        assert [one["state"] for one in named] == ["waiting"]
