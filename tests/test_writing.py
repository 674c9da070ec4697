"""The writer's lock is held for each change, by those who ask for that: others write in between."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from archives import opened
from program import ids, wirecopy
from records import jsonl
from test_watch_cli import answered, watching

from quality.texts import Writer
from wirecopy import Archive
from wirecopy.errors import ArchiveError, BusyError


def article(id: str) -> dict[str, str]:
    return {"id": id, "text": Writer(sum(map(ord, id))).text(60)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with opened(tmp_path / "news.db", [article("a")]):
        pass
    return tmp_path / "news.db"


def test_two_write_in_turns_and_each_knows_what_the_other_wrote(path: Path) -> None:
    with Archive.open(path) as one, Archive.open(path) as other:
        for number in range(6):
            for archive, id in ((one, f"one {number}"), (other, f"other {number}")):
                with archive.writing():
                    [observed] = archive.observe({"id": id, "text": article(str(number))["text"]})
                assert observed.kept
                assert observed.answer.contained_in == ([f"one {number}"] if archive is other else [])
        with one.writing():
            assert one.remove(["other 1"]) == 1
        with other.writing():
            assert other.remove(["other 1"]) == 0
        assert set(one.ids()) == set(other.ids())
        assert len(one) == 12
        assert one.verify() == []


def test_within_it_nobody_else_writes_and_afterwards_anybody(path: Path) -> None:
    with Archive.open(path) as one, Archive.open(path) as other:
        with one.writing(), one.writing():
            one.add([article("b")])
            with pytest.raises(BusyError, match="another program is writing to it"), other.writing(wait=0.05):
                pass
        other.add([article("c")])  # the writer until it is closed
        with pytest.raises(ArchiveError, match="another program is writing to it"), one.writing():
            pass
        with other.writing():
            other.add([article("d")])
        with pytest.raises(BusyError):
            one.add([article("e")])
        assert set(one.ids()) == {"a", "b", "c", "d"}


def test_who_waits_writes_as_soon_as_the_other_is_done(path: Path) -> None:
    waits, done = threading.Event(), threading.Event()

    def second() -> None:
        with Archive.open(path) as other:
            waits.set()
            with other.writing(wait=60):
                other.add([article("c")])
        done.set()

    thread = threading.Thread(target=second)
    with Archive.open(path) as one:
        with one.writing():
            thread.start()
            assert waits.wait(60)
            one.add([article("b")])
            assert not done.is_set()
        thread.join(60)
        assert set(one.ids()) == {"a", "b", "c"}


def test_an_error_within_it_lets_others_write(path: Path) -> None:
    with Archive.open(path) as one, Archive.open(path) as other:
        with pytest.raises(ZeroDivisionError), one.writing():
            1 / 0  # noqa: B018
        assert other.add([article("b")]).added == 1


def test_what_is_left_to_tidy_is_done_then_and_answers_are_the_same(path: Path) -> None:
    with Archive.open(path) as one, Archive.open(path) as reader:
        with one.writing(tidy=False):
            for number in range(30):
                one.observe(article(f"x{number}"))
        assert one.segments == 31
        [before] = reader.check(article("x7")["text"])
        with one.writing():
            one.tidy()
        assert one.segments < 5
        assert one.info()["changed_since_learnt"] == 0
        assert reader.check(article("x7")["text"]) == [before]
        assert reader.verify() == []


COMMANDS: dict[str, Callable[[Path], Any]] = {
    "add": lambda path: wirecopy("add", path, "-", input=jsonl(article("c"))),
    "remove": lambda path: wirecopy("remove", path, "a"),
    "compact": lambda path: wirecopy("compact", path),
}


def test_commands_write_beside_a_watch(path: Path) -> None:
    with watching(path) as process:
        assert process.stdin is not None
        seen = {"a"}
        for number, (name, run) in enumerate(COMMANDS.items()):
            process.stdin.write(jsonl(article(f"w{number}")))
            process.stdin.flush()
            assert answered(process)["kept"], name
            ran = run(path)
            assert ran.returncode == 0, (name, ran.stderr)
            seen |= {f"w{number}", "c"}
        process.stdin.close()
        assert process.wait(60) == 0
    assert ids(path) == seen - {"a"}
