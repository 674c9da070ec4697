"""`wirecopy judge`: queues from pools, pairs and doubt; judgements in and out; and a page for one person."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from program import PROGRAM, hear_interrupts, talk, wirecopy
from records import jsonl, lines

from wirecopy import Archive, demo, find
from wirecopy.archive.desk import Desk
from wirecopy.comparison import PRESETS
from wirecopy.evaluation.pooling import BARELY, NEAR, choose_doubtful


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the demo archive as an archive, and a pool of it."""
    folder = tmp_path_factory.mktemp("judge")
    demo.write_archive(folder)
    with Archive.open(folder / "news.db", create=True) as archive:
        archive.add(folder / "articles.jsonl")
    return folder


@pytest.fixture
def path(news: Path, tmp_path: Path) -> Path:
    with Archive.open(news / "news.db") as archive:
        archive.backup(tmp_path / "news.db")
    return tmp_path / "news.db"


@pytest.fixture
def pool(path: Path) -> Path:
    with Archive.open(path) as archive:
        ids = archive.ids()
    pairs = [{"query": one, "found": ids[0], "group": str(place % 2)} for place, one in enumerate(ids[1:7])]
    (path.parent / "pool.jsonl").write_bytes(jsonl(*pairs))
    return path.parent / "pool.jsonl"


def judge(*arguments: object, code: int = 0) -> str:
    ran = wirecopy("judge", *arguments)
    assert ran.returncode == code, ran.stderr
    return talk(ran)


def said(path: Path, *options: object) -> list[dict[str, Any]]:
    judge(path, "--export", path.parent / "said.jsonl", "-q", *options)
    return lines((path.parent / "said.jsonl").read_bytes())


def test_doubtful_are_those_near_what_decides_and_no_other(news: Path) -> None:
    matches = find(news / "articles.jsonl")
    preset = PRESETS[matches.preset]
    expected = {
        (one.query, one.found)
        for one in matches
        if one.relation != "identical"
        and (
            min(abs(one.query_covered - preset.covered), abs(one.found_covered - preset.covered)) <= NEAR
            or one.words < BARELY * preset.min_passage_words
        )
    }
    chosen = choose_doubtful(matches, 5)
    assert {(one.query, one.found) for one in chosen} == expected
    assert 10 < len(chosen) < len(matches)
    assert {one.group for one in chosen} == set("12345")


def test_a_queue_of_doubtful_pairs_is_named_so_and_made_once(path: Path) -> None:
    first = judge(path, "--doubtful", "--export", path.parent / "said.jsonl")
    found = re.search(r"queue doubtful: (\d+) pairs added, \1 in all", first)
    assert found
    again = judge(path, "--doubtful", "--export", path.parent / "said.jsonl")
    assert f"queue doubtful: 0 pairs added, {found[1]} in all" in again


def test_judgements_go_in_and_come_out_as_they_are(path: Path, pool: Path) -> None:
    pairs = lines(pool.read_bytes())
    given = [
        one | {"judge": "ann", "label": "contains", "at": f"2026-03-01T10:00:{place:02}.000000Z"}
        for place, one in enumerate(pairs)
    ]
    turned = [
        {
            "query": one["found"],
            "found": one["query"],
            "judge": "ben",
            "label": "contains",
            "at": "2026-03-02",
        }
        for one in pairs[:2]
    ]
    wrong = [
        given[0] | {"label": "containment"},
        {"query": "x", "found": "y", "judge": "ann", "label": "partial"},
        given[0] | {"judge": ""},
    ]
    (path.parent / "in.jsonl").write_bytes(jsonl(*given, *turned, *wrong))
    told = judge(path, "--pool", pool, "--import", path.parent / "in.jsonl", code=3)
    assert "8 judgements added, 0 known or older" in told
    assert "nobody knows the label 'containment'" in told
    assert "not in the pool" in told
    assert "no 'judge'" in told
    out = said(path)
    fields = ("query", "found", "group", "judge", "label", "at")
    assert out[:6] == [{name: one[name] for name in fields} for one in given]
    assert [(one["query"], one["label"]) for one in out[6:]] == [
        (one["query"], "contained-in") for one in pairs[:2]
    ]
    assert "0 judgements added, 8 known or older" in judge(path, "--import", path.parent / "said.jsonl")
    ran = wirecopy(
        "pool", pool, "--judged", path.parent / "said.jsonl", "-o", path.parent / "collection.jsonl"
    )
    assert ran.returncode == 0, ran.stderr
    assert (
        wirecopy("evaluate", path.parent / "collection.jsonl", path.parent / "said.jsonl", "-q").returncode
        == 0
    )


def test_a_queue_keeps_its_task(path: Path, pool: Path) -> None:
    judge(path, "--pool", pool, "--task", "codet", "--export", path.parent / "said.jsonl")
    judge(path, "--pool", pool, "--export", path.parent / "said.jsonl")
    assert "another task" in judge(path, "--pool", pool, "--task", "cedar", "--export", "x.jsonl", code=2)
    with Desk(path) as desk:
        [queue] = desk.queues.all()
    assert json.loads(queue.task)["name"] == "codet"
    assert queue.name == "pool"


def test_what_cannot_be_meant_is_said(path: Path, pool: Path) -> None:
    assert "make one with --pool FILE or --doubtful" in judge(path, code=2)
    assert "one of them" in judge(path, "--pool", pool, "--doubtful", code=2)
    assert "only for a new queue" in judge(path, "--task", "cedar", code=2)
    for name in ("one", "two"):
        judge(path, "--pool", pool, "--queue", name, "--export", path.parent / "said.jsonl")
    assert "which queue is meant? name one of one, two" in judge(path, code=2)
    assert "no such queue: name one of one, two" in judge(path, "--queue", "three", code=2)
    assert "no archive there" in judge(path.parent / "none.db", "--doubtful", code=1)


@pytest.fixture
def opened(path: Path, pool: Path) -> Iterator[str]:
    """The address that one person is told."""
    command = [PROGRAM, "judge", str(path), "--pool", str(pool), "--judge", "ann"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hear_interrupts
    ) as process:
        assert process.stdout
        yield process.stdout.readline().strip()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def ask(address: str, path: str, cookie: str = "", method: str = "GET", body: str | None = None) -> Any:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
    headers = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    answer.content = answer.read().decode()  # type: ignore[attr-defined]
    return answer


def test_one_person_judges_at_an_address_that_nobody_else_knows(opened: str, path: Path) -> None:
    entered = urlsplit(opened)
    assert entered.hostname == "127.0.0.1"
    for address in ("/judge/1", "/", "/stories", "/v1/judgements"):
        assert ask(opened, address).status in (303, 401), address
    assert ask(opened, "/enter?key=wrong").status == 403
    first = ask(opened, f"{entered.path}?{entered.query}")
    assert (first.status, first.headers["location"]) == (303, "/judge/1")
    cookie = first.headers["set-cookie"].split(";")[0]
    page = ask(opened, "/judge/1", cookie)
    assert page.status == 200
    form = re.search(r'name="form" value="(\w+)"', page.content)
    assert form
    assert ask(opened, "/judge/1/say", cookie, "POST", f"form={form[1]}&pair=1&label=partial").status == 303
    [stored] = said(path)
    assert (stored["judge"], stored["label"]) == ("ann", "partial")
    for hidden in ("/webhooks", "/judge/1/agreement"):  # what others judged is not for who judges
        assert ask(opened, hidden, cookie).status == 403
