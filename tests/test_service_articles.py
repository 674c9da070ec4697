"""Articles, stories and pairs over HTTP: what is answered is on disk, and what the library says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from program import ids as ids_of
from program import wirecopy
from records import jsonl
from services import Served, copy_archive, make_token, serving

from quality.texts import Writer, join
from wirecopy import Archive


def article(id: str, words: int = 80, **about: str) -> dict[str, str]:
    return {"id": id, "text": Writer(sum(map(ord, id)) + 900).text(words), **about}


@pytest.fixture(scope="module")
def path(known: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_archive(known, tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def served(path: Path) -> Iterator[Served]:
    with serving(path) as one:
        yield one


ODD = ("/a/../b?c#d%2F", "https://x.example//y/", "雪 & \u2028", ".", "a\nb")


@pytest.mark.parametrize("id", ODD)
def test_an_article_is_added_read_and_taken_out_under_any_id(served: Served, path: Path, id: str) -> None:
    given = article(id, title="T", published="2026-03-01", source="S")
    added = served.ask("POST", "/v1/articles", given)
    assert added.json() == {
        "added": 1,
        "known": 0,
        "replaced": 0,
        "late": 0,
        "skipped": [],
        "ahead": {},
        "warnings": [],
    }
    with Archive.open(path) as archive:
        assert archive.get(id)
    assert served.ask("GET", "/v1/articles", id=id).json() == given
    assert served.ask("POST", "/v1/articles", given).json()["known"] == 1
    assert served.ask("DELETE", "/v1/articles", id=[id, "nobody"]).json() == {"removed": 1}
    assert served.ask("DELETE", "/v1/articles", id=id).json() == {"removed": 0}
    gone = served.ask("GET", "/v1/articles", id=id)
    assert (gone.status, gone.json()["detail"]) == (404, "no article has this id")


def test_adding_is_idempotent_by_id_and_content(served: Served) -> None:
    first, other = article("one"), {**article("one"), "text": "Other words."}
    assert served.ask("POST", "/v1/articles", [first, article("two")]).json()["added"] == 2
    refused = served.ask("POST", "/v1/articles", [first, other]).json()
    assert (refused["known"], len(refused["skipped"])) == (1, 1)
    refused = served.ask("POST", "/v1/articles", other).json()
    assert "with other content" in refused["skipped"][0]["reason"]
    assert served.ask("POST", "/v1/articles", other, replace="true").json()["replaced"] == 1
    assert served.ask("GET", "/v1/articles", id="one").json()["text"] == "Other words."
    reply = served.ask("PUT", "/v1/articles", {"text": first["text"]}, id="one")
    assert (reply.status, reply.json()["replaced"]) == (200, 1)
    reply = served.ask("PUT", "/v1/articles", {"text": first["text"]}, id="one")
    assert (reply.status, reply.json()["known"]) == (200, 1)
    reply = served.ask("PUT", "/v1/articles", b"Rain again.", kind="text/plain", id="put")
    assert (reply.status, reply.json()["added"]) == (201, 1)
    assert served.ask("PUT", "/v1/articles", [first, other], id="x").status == 422
    served.ask("DELETE", "/v1/articles", id=["one", "two", "put"])


def test_what_was_read_is_not_sent_again_until_it_changes(served: Served) -> None:
    served.ask("POST", "/v1/articles", article("tagged"))
    routes: dict[str, Any] = {
        "/v1/articles": {"id": "tagged"},
        "/v1/stories": {},
        "/v1/story": {"id": "a"},
        "/v1/pairs": {"article": "a"},
    }
    for path, query in routes.items():
        first = served.ask("GET", path, **query)
        tag = first.headers["etag"]
        again = served.ask("GET", path, headers={"If-None-Match": f'"other", W/{tag}'}, **query)
        assert (again.status, again.content, again.headers["etag"]) == (304, b"", tag), path
        assert served.ask("GET", path, headers={"If-None-Match": '"other"'}, **query).content == first.content
    served.ask("PUT", "/v1/articles", article("tagged", 20), id="tagged")
    before = served.ask("GET", "/v1/articles", id="tagged", headers={"If-None-Match": tag})
    assert before.status == 200
    served.ask("DELETE", "/v1/articles", id="tagged")


def test_observing_checks_then_adds(served: Served, path: Path) -> None:
    first = article("seen first", 100, published="2026-03-01")
    copy = {**first, "id": "seen copy", "published": "2026-03-02"}
    told = served.ask("POST", "/v1/observe", first).json()
    assert (told["status"], told["kept"], told["contained_in"], told["skip"]) == ("added", True, [], False)
    told = served.ask("POST", "/v1/observe", [copy], seen=["nobody", "seen first"]).json()[0]
    assert (told["contained_in"], told["skip"], told["skip_for"]) == (["seen first"], True, "seen first")
    assert served.ask("POST", "/v1/observe", copy).json()["status"] == "known"
    part = {"id": "seen part", "text": join(first["text"].split()[:40])}
    told = served.ask("POST", "/v1/observe", part, seen="x0").json()
    assert (told["skip"], told["skip_for"]) == (False, None)
    assert set(told["contained_in"]) == {"seen first", "seen copy"}
    with_text = served.ask("POST", "/v1/observe", {**part, "id": "p2"}, text="true", relation="contained-in")
    assert with_text.json()["matches"][0]["passages"][0]["text"]
    assert {"seen first", "seen copy", "seen part", "p2"} <= ids_of(path)
    served.ask("DELETE", "/v1/articles", id=["seen first", "seen copy", "seen part", "p2"])


def test_of_a_thousand_copies_the_one_that_was_seen_is_named(known: Path, tmp_path: Path) -> None:
    archive = copy_archive(known, tmp_path)
    one = article("many")
    with Archive.open(archive) as store:
        store.add([{**one, "id": f"copy {number}"} for number in range(60)])
    with serving(archive) as served:
        told = served.ask("POST", "/v1/observe", one, seen=["copy 57"]).json()
    assert (told["skip"], told["skip_for"], told["contained_in_count"]) == (True, "copy 57", 60)


def test_stories_are_those_of_the_library(served: Served, path: Path) -> None:
    with Archive.open(path) as archive:
        kept = {one.id: one.to_dict() for one in archive.stories()}
    assert kept
    found: dict[str, Any] = {}
    cursor: dict[str, Any] = {}
    pages = 0
    while True:
        page = served.ask("GET", "/v1/stories", limit=1, **cursor).json()
        found |= {one["id"]: one for one in page["stories"]}
        pages += 1
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    assert found == kept
    assert pages == len(kept)
    for id in ("a", "c"):
        assert served.ask("GET", "/v1/story", id=id).json() == kept["a"]
    alone = served.ask("GET", "/v1/story", id="x1").json()
    assert [one["id"] for one in alone["articles"]] == ["x1"]
    assert served.ask("GET", "/v1/story", id="nobody").status == 404
    for wrong in ("x", "٣", "9" * 20):
        assert served.ask("GET", "/v1/stories", cursor=wrong).status == 400


def test_pairs_are_those_of_the_library(served: Served, path: Path) -> None:
    told = served.ask("GET", "/v1/pairs", article="c").json()["pairs"]
    with Archive.open(path) as archive:
        assert told == [one.to_dict() for one in archive.check(archive.get("c"))[0].found]
    assert {one["found"] for one in told} == {"a", "b"}
    [pair] = served.ask("GET", "/v1/pairs", query="c", found="a").json()["pairs"]
    assert (pair["relation"], pair["query"], pair["found"]) == ("identical", "c", "a")
    assert pair["passages"]
    assert served.ask("GET", "/v1/pairs", query="x1", found="a").json() == {"pairs": []}
    wrong: list[tuple[dict[str, Any], int]] = [
        ({"query": "c", "found": "nobody"}, 404),
        ({"article": "nobody"}, 404),
        ({}, 400),
        ({"query": "c"}, 400),
        ({"article": "c", "query": "c", "found": "a"}, 400),
    ]
    for query, status in wrong:
        assert served.ask("GET", "/v1/pairs", **query).status == status, query


def test_pairs_are_of_the_one_shape_that_the_description_gives(served: Served) -> None:
    told = served.ask("GET", "/v1/openapi.json").json()
    shape = {"$ref": "#/components/schemas/PairsShape", "components": told["components"]}
    validator = jsonschema_rs.validator_for(shape)
    asked: list[dict[str, Any]] = [{"article": "c"}, {"query": "c", "found": "a"}]
    for query in asked:
        answer = served.ask("GET", "/v1/pairs", **query).json()
        assert answer["pairs"]
        assert not [error.message for error in validator.iter_errors(answer)], query


def test_a_key_makes_a_request_once(known: Path, tmp_path: Path) -> None:
    archive = copy_archive(known, tmp_path)
    token, other = make_token(archive, "admin"), make_token(archive, "write", name="other")
    with serving(archive, token=token) as served:
        key = {"Idempotency-Key": "k-1"}

        def add(**options: Any) -> Any:
            return served.ask("POST", "/v1/articles", article("keyed"), **{"headers": key, **options})

        first = add()
        assert first.json()["added"] == 1
        again = add()
        assert again.content == first.content
        assert again.headers["idempotency-replayed"] == "true"
        assert add(token=other).json()["known"] == 1
        refused = served.ask("POST", "/v1/articles", article("another"), headers=key)
        assert (refused.status, "another request was made with it" in refused.json()["detail"]) == (422, True)
        assert add(headers={"Idempotency-Key": "k " * 200}).status == 400
        failed = served.ask("POST", "/v1/articles", b"{", headers={"Idempotency-Key": "k-2"})
        assert failed.status == 400
        assert add(headers={"Idempotency-Key": "k-2"}).json()["known"] == 1
        # What is kept of an answer may tell of an article that is taken out.
        observed = {"Idempotency-Key": "k-3"}
        copy = {**article("keyed"), "id": "copy"}
        told = served.ask("POST", "/v1/observe", copy, headers=observed)
        assert told.json()["contained_in"] == ["keyed"]
        assert served.ask("DELETE", "/v1/articles", id="keyed").json() == {"removed": 1}
        later = served.ask("POST", "/v1/observe", copy, headers=observed)
        assert (later.json()["status"], later.json()["contained_in"]) == ("known", [])
        assert served.stop() == 0
    with serving(archive, token=token) as served:
        again = served.ask("POST", "/v1/observe", copy, headers=observed)
        assert again.content == later.content


def test_commands_and_the_service_write_in_turns(served: Served, path: Path) -> None:
    for number in range(3):
        assert served.ask("POST", "/v1/articles", article(f"http {number}")).json()["added"] == 1
        ran = wirecopy("add", path, "-", input=jsonl(article(f"command {number}")))
        assert ran.returncode == 0, ran.stderr
        told = served.ask("POST", "/v1/check", {**article(f"command {number}"), "id": "?"}).json()
        assert told["contained_in"] == [f"command {number}"]
    assert wirecopy("compact", path).returncode == 0
    assert served.ask("POST", "/v1/articles", article("http 9")).json()["added"] == 1
    gone = [f"{kind} {number}" for kind in ("http", "command") for number in (0, 1, 2, 9)]
    assert served.ask("DELETE", "/v1/articles", id=gone).json() == {"removed": 7}


def test_who_writes_all_the_time_makes_others_wait_and_then_try_again(served: Served, path: Path) -> None:
    with Archive.open(path) as other, other.writing(wait=30):
        reply = served.ask("POST", "/v1/articles", article("late"))
        assert (reply.status, reply.headers["retry-after"]) == (503, "1")
        assert reply.json()["detail"] == "another program is writing to the archive"
        assert served.ask("POST", "/v1/check", article("late")).status == 200  # reading goes on
    assert served.ask("POST", "/v1/articles", article("late")).json()["added"] == 1
    served.ask("DELETE", "/v1/articles", id="late")
