"""`wirecopy watch`: each article of a stream or a folder is answered, and kept."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from program import PROGRAM, hear_interrupts, ids, on_terminal, talk, wirecopy
from records import jsonl, lines


@contextmanager
def watching(*arguments: object) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [PROGRAM, "watch", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hear_interrupts,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def answered(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.stderr.read().decode() if process.stderr else ""
    answer: dict[str, Any] = json.loads(line)
    return answer


def test_watch_answers_each_article_before_the_next_comes(
    records: list[dict[str, Any]], tmp_path: Path
) -> None:
    with watching(tmp_path / "news.db") as process:
        assert process.stdin is not None
        assert process.stderr is not None
        seen = []
        for record in records[:3]:
            process.stdin.write(jsonl(record))
            process.stdin.flush()
            seen.append(answered(process))
        process.stdin.close()
        said = process.stderr.read().decode()
        assert process.wait() == 0
    assert [(one["query"], one["contained_in"], one["kept"]) for one in seen] == [
        *(("a", [], True), ("b", [], True), ("c", ["a"], True))
    ]
    made, kept = said.splitlines(keepends=True)
    assert made == f"a new archive: {tmp_path / 'news.db'}\n"
    assert kept == f"3 articles kept; 3 articles in {tmp_path / 'news.db'}\n"
    assert ids(tmp_path / "news.db") == {"a", "b", "c"}


def test_a_bad_line_is_named_and_the_stream_goes_on(tmp_path: Path) -> None:
    given = b'{"id": "a", "text": "One."}\n\nbad\n{"id": "b"}\n{"id": "c", "text": "Two."}'
    ran = wirecopy("watch", tmp_path / "news.db", input=given)
    assert ran.returncode == 3
    assert [answer["query"] for answer in lines(ran.stdout)] == ["a", "c"]
    assert "skipped: -:3: " in talk(ran)
    assert "skipped: -:4: no text field" in talk(ran)
    assert "2 records skipped" in talk(ran)


def test_a_record_without_an_id_is_the_same_the_next_time(tmp_path: Path) -> None:
    one, two = b'{"text": "Rain on all coasts."}\n', b'{"text": "Sun at last."}\n'
    assert lines(wirecopy("watch", tmp_path / "news.db", input=one).stdout)[0]["kept"]
    again = lines(wirecopy("watch", tmp_path / "news.db", input=two + one).stdout)
    assert [(answer["kept"], answer["reason"]) for answer in again] == [(True, None), (False, "known")]


def test_a_correction_under_a_known_id_is_kept_if_asked_for(
    archive: Path, records: list[dict[str, Any]]
) -> None:
    given = jsonl(records[0] | {"text": "Corrected."})
    (answer,) = lines(wirecopy("watch", archive, input=given).stdout)
    assert not answer["kept"]
    assert "other content" in answer["reason"]
    (answer,) = lines(wirecopy("watch", archive, "--replace", input=given).stdout)
    assert answer["kept"]


def test_a_late_article_is_answered_and_not_kept(records: list[dict[str, Any]], tmp_path: Path) -> None:
    given = jsonl(records[2], records[9], records[0])
    ran = wirecopy("watch", tmp_path / "news.db", "--window", "2d", input=given)
    first, second, late = lines(ran.stdout)
    assert first["kept"]
    assert second["kept"]
    assert (late["kept"], late["reason"]) == (False, "older than the window")
    assert "2 articles kept, 1 not kept, 1 left the window; 1 article in" in talk(ran)


@pytest.mark.parametrize("where", ["stdin", "folder"])
def test_ctrl_c_ends_watching_without_complaint(
    where: str, records: list[dict[str, Any]], tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_bytes(jsonl(*records[:1]))
    more = [tmp_path / "in", "--every", 0.05] if where == "folder" else []
    with watching(tmp_path / "news.db", *more) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        if where == "stdin":
            process.stdin.write(jsonl(*records[:1]))
            process.stdin.flush()
        assert answered(process)["query"] == "a"
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
        said = process.stderr.read().decode()
    assert "1 article kept; 1 article in" in said
    assert "Traceback" not in said


def test_a_folder_is_watched_as_it_grows(records: list[dict[str, Any]], tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "one.jsonl").write_bytes(jsonl(*records[:1]))
    with watching(tmp_path / "news.db", folder, "--every", 0.05) as process:
        assert answered(process)["query"] == "a"
        (folder / "deep" / "copy.txt").write_text(records[0]["text"])
        copy = answered(process)
        assert (copy["query"], copy["contained_in"]) == ("deep/copy.txt", ["a"])
        with (folder / "one.jsonl").open("ab") as file:
            file.write(jsonl(*records[3:4]))
        assert answered(process)["query"] == "d"
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0


def test_a_folder_is_taken_once_and_what_was_known_is_no_news(pile: Path, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "articles.jsonl").write_bytes(pile.read_bytes())
    (folder / "bad.txt").write_bytes(b"\0")
    ran = wirecopy("watch", tmp_path / "news.db", folder, "--once")
    assert ran.returncode == 3
    assert len(lines(ran.stdout)) == 10
    assert "bad.txt: not a text: a NUL at byte 0" in talk(ran)
    ran = wirecopy("watch", tmp_path / "news.db", folder, "--once")
    assert (ran.returncode, ran.stdout) == (3, b"")
    assert "0 articles kept, 10 known already; 10 articles in" in talk(ran)


def test_watching_and_adding_a_folder_name_articles_alike(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for name in ("a.txt", "deep/b.txt"):
        (tmp_path / "in" / name).write_text(f"This is {name}.")
    assert wirecopy("watch", tmp_path / "news.db", tmp_path / "in", "--once").returncode == 0
    assert "0 added, 2 known already" in talk(wirecopy("add", tmp_path / "news.db", tmp_path / "in"))


def test_a_terminal_gets_a_line_an_article(pile: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "articles.jsonl").write_bytes(pile.read_bytes())
    code, shown = on_terminal("watch", tmp_path / "news.db", tmp_path / "in", "--once")
    assert code == 0
    assert shown.splitlines()[:4] == [
        f"a new archive: {tmp_path / 'news.db'}",
        "a: nothing copied",
        "b: 45% copied from 1 article, longest passage 50 words; most from a",
        "c: 100% copied from 2 articles, longest passage 90 words; identical to a",
    ]
