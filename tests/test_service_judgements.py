"""`/v1/judgements`: what people say of pairs, for programs; nobody is told what others said but who looks after the archive."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest
from records import lines
from services import Served, serving

from wirecopy import Archive
from wirecopy.archive.desk import Desk
from wirecopy.evaluation.judging import make_queue
from wirecopy.evaluation.pooling import Nominated
from wirecopy.evaluation.tasks import TASKS

PATH = "/v1/judgements"
Given = tuple[Served, dict[str, str], Path]


@pytest.fixture
def given(tmp_path: Path) -> Iterator[Given]:
    """A service with a queue of pairs, and the tokens of two judges and of who looks after it."""
    path = tmp_path / "news.db"
    with Archive.open(path, create=True) as archive:
        archive.add([{"id": one, "text": f"the text of {one}"} for one in "abcdef"])
    with Desk(path) as desk:
        pairs = [Nominated(one, "a", "1", ("codet",)) for one in "bcdef"]
        make_queue(desk.queues, "first", TASKS["cedar"], pairs)
        tokens = {name: desk.tokens.make(name, ["judge"])[1] for name in ("ann", "ben")}
        tokens |= {
            scope: desk.tokens.make(scope, [scope])[1] for scope in ("admin", "read", "write", "check")
        }
    with serving(path) as served:
        yield served, tokens, path


def judgement(query: str, label: str, **other: Any) -> dict[str, Any]:
    return {"queue": "first", "query": query, "found": "a", "label": label} | other


def test_a_judgement_is_stored_listed_exported_and_taken_back(given: Given) -> None:
    served, tokens, path = given
    reply = served.ask("POST", PATH, judgement("b", "identical"), token=tokens["ann"])
    assert reply.status == 201
    stored = reply.json()
    assert (stored["judge"], stored["label"], stored["group"]) == ("ann", "identical", "1")
    assert "nominated" not in stored
    assert served.ask("POST", PATH, judgement("b", "identical"), token=tokens["ann"]).json() == stored
    changed = served.ask("POST", PATH, judgement("b", "neither"), token=tokens["ann"]).json()
    assert changed["number"] > stored["number"]
    assert served.ask("GET", PATH, token=tokens["ann"]).json() == {"judgements": [changed], "next": None}
    exported = served.ask("GET", f"{PATH}/export", token=tokens["ann"], queue="first")
    assert exported.headers["content-type"] == "application/x-ndjson"
    assert lines(exported.content) == [
        {name: changed[name] for name in ("query", "found", "group", "judge", "label", "at")}
    ]
    assert served.ask("DELETE", f"{PATH}/{stored['number']}", token=tokens["ann"]).status == 404
    assert served.ask("DELETE", f"{PATH}/{changed['number']}", token=tokens["ben"]).status == 404
    assert served.ask("DELETE", f"{PATH}/{changed['number']}", token=tokens["ann"]).status == 204
    with Desk(path) as desk:
        assert desk.queues.all_said(1) == []


def test_judges_are_told_their_own_and_who_looks_after_it_all_page_by_page(given: Given) -> None:
    served, tokens, _ = given
    for name in ("ann", "ben"):
        for query in "bcdef":
            assert served.ask("POST", PATH, judgement(query, "neither"), token=tokens[name]).status == 201
    assert {one["judge"] for one in served.ask("GET", PATH, token=tokens["ben"]).json()["judgements"]} == {
        "ben"
    }
    exported = served.ask("GET", f"{PATH}/export", token=tokens["ben"], queue="first").content
    assert {one["judge"] for one in lines(exported)} == {"ben"}
    found: list[Any] = []
    cursor: dict[str, Any] | None = {}
    while cursor is not None:
        page = served.ask("GET", PATH, token=tokens["admin"], queue="first", limit=3, **cursor).json()
        found += page["judgements"]
        cursor = {"cursor": page["next"]} if page["next"] else None
    assert [(one["judge"], one["query"]) for one in found] == [
        (name, one) for name in ("ann", "ben") for one in "bcdef"
    ]
    assert len(lines(served.ask("GET", f"{PATH}/export", token=tokens["admin"], queue="first").content)) == 10


@pytest.mark.parametrize("scope", ["read", "write", "check"])
def test_who_may_not_judge_is_told_nothing(given: Given, scope: str) -> None:
    served, tokens, _ = given
    for method, path, content in (
        ("GET", PATH, None),
        ("GET", f"{PATH}/export?queue=first", None),
        ("POST", PATH, judgement("b", "neither")),
        ("DELETE", f"{PATH}/1", None),
    ):
        head, _, query = path.partition("?")
        options: dict[str, Any] = {"queue": "first"} if query else {}
        assert served.ask(method, head, content, token=tokens[scope], **options).status == 403
        assert served.ask(method, head, content, token="wc_none", **options).status == 401


def test_what_cannot_be_meant_is_a_problem(given: Given) -> None:
    served, tokens, path = given
    for content, status in (
        (judgement("b", "partial"), 422),
        (judgement("x", "neither"), 404),
        (judgement("b", "neither", queue="none"), 404),
        (judgement("b", "neither", judge="ben"), 400),
        ({"queue": "first"}, 400),
        ([], 400),
        (b"{", 400),
    ):
        reply = served.ask("POST", PATH, content, token=tokens["ann"])
        assert reply.status == status, content
        assert reply.headers["content-type"] == "application/problem+json"
    wrong: list[dict[str, Any]] = [{"cursor": "x"}, {"limit": 0}, {"limit": 1001}]
    for query in wrong:
        assert served.ask("GET", PATH, token=tokens["ann"], **query).status == 400, query
    assert served.ask("GET", PATH, token=tokens["ann"], queue="none").status == 404
    assert served.ask("GET", PATH, token=tokens["ann"], cursor="9" * 20).json()["judgements"] == []
    assert served.ask("DELETE", f"{PATH}/{'9' * 30}", token=tokens["ann"]).status in (400, 404)
    with Desk(path) as desk:
        assert desk.queues.all_said(1) == []


def judge_until_killed(served: Served, name: str, token: str, seed: int, told: dict[Any, Any]) -> None:
    """Say and take back until the service is gone; `told` has what was acknowledged, and of what was not, all that may stand."""
    chance = random.Random(f"{name} {seed}")
    numbers: dict[str, int] = {}
    try:
        while True:
            query, label = chance.choice("bcdef"), chance.choice(["identical", "near-duplicate", "neither"])
            before = told.get((name, query), {None})
            if query in numbers and chance.random() < 0.3:
                told[name, query] = before | {None}
                reply = served.ask("DELETE", f"{PATH}/{numbers.pop(query)}", token=token)
                told[name, query] = {None} if reply.status == 204 else {f"the answer {reply.status}"}
            else:
                told[name, query] = before | {label}
                reply = served.ask("POST", PATH, judgement(query, label), token=token)
                told[name, query] = {label} if reply.status == 201 else {f"the answer {reply.status}"}
                numbers[query] = reply.json()["number"]
    except (OSError, HTTPException, KeyError):
        return


def test_a_killed_service_loses_no_judgement_that_it_acknowledged(given: Given) -> None:
    """`KILLS=200` for longer."""
    _, tokens, path = given
    told: dict[Any, Any] = {}
    for seed in range(int(os.environ.get("KILLS", "2"))):
        with serving(path, "--quiet", "--no-deliver") as served:
            judges = [
                threading.Thread(target=judge_until_killed, args=(served, name, tokens[name], seed, told))
                for name in ("ann", "ben")
            ]
            for one in judges:
                one.start()
            threading.Event().wait(random.Random(seed).uniform(0.05, 0.5))
            served.process.kill()
            for one in judges:
                one.join()
        with Desk(path) as desk:
            stored = {(one.judge, one.query): one.label for one in desk.queues.all_said(1)}
            assert len(stored) == len(desk.queues.all_said(1))
        assert {pair: stored.get(pair) for pair, may in told.items() if stored.get(pair) not in may} == {}
        told = {pair: {stored.get(pair)} for pair in told}
    assert told
