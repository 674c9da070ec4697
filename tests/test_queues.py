"""What people judge, as the archive keeps it: who is given which pair, and that nothing said is lost or counted twice."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from wirecopy import Archive
from wirecopy.archive.desk import Desk
from wirecopy.archive.queues import Queue, Queued, Queues, Said
from wirecopy.errors import UsageError

IDS = "abcdefgh"
PAIRS = [Queued(0, one, "a", "1") for one in IDS[1:]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Archive.open(tmp_path / "news.db", create=True) as archive:
        archive.add([{"id": one, "text": f"the text of {one}"} for one in IDS])
    return tmp_path / "news.db"


@pytest.fixture
def queues(path: Path) -> Iterator[Queues]:
    with Desk(path) as desk:
        yield desk.queues


@pytest.fixture
def queue(queues: Queues) -> Queue:
    return queues.make("one", "{}", PAIRS)[0]


def told(queues: Queues, queue: Queue) -> list[tuple[str, str, str]]:
    """Who said what of which query, in order."""
    return [(one.judge, one.query, one.label) for one in queues.all_said(queue.number)]


def judge(queues: Queues, queue: Queue, who: str, label: str, **options: bool) -> str | None:
    """Let someone judge the next pair; its query, or None if there was none."""
    turn = queues.turn(queue.number, who, **options)
    if turn is None:
        return None
    queues.say(queue.number, turn.pair, who, label)
    return turn.pair.query


def test_a_queue_keeps_the_order_of_its_pairs_and_takes_each_once(queues: Queues) -> None:
    queue, added = queues.make("one", "{}", [*PAIRS[:3], Queued(0, "a", "b", "2"), Queued(0, "c", "c", "")])
    assert (queue.pairs, added) == (3, 3)
    queue, added = queues.make("one", "{}", PAIRS)
    assert (queue.pairs, added) == (7, 4)
    assert [one.query for one in queues.pairs(queue.number)] == list(IDS[1:])
    assert queues.all() == [queue]
    assert queues.get("another") is None


def test_a_queue_has_one_task(queues: Queues, queue: Queue) -> None:
    with pytest.raises(UsageError, match="another task"):
        queues.make("one", '{"name": "other"}', [])
    assert queues.all() == [queue]


def test_everyone_is_given_all_pairs_in_order_until_two_have_judged_them(
    queues: Queues, queue: Queue
) -> None:
    assert [judge(queues, queue, "ann", "x") for _ in range(8)] == [*IDS[1:], None]
    assert [judge(queues, queue, "ben", "x") for _ in range(3)] == ["b", "c", "d"]
    assert queues.count_open(queue.number, "cid") == (4, 0)
    assert [judge(queues, queue, "cid", "x") for _ in range(5)] == [*"efgh", None]
    assert judge(queues, queue, "ben", "x") is None


def test_a_third_is_given_what_two_disagree_on(queues: Queues, queue: Queue) -> None:
    for who, labels in (("ann", "xxyyxxx"), ("ben", "xyyxxxx")):
        for label in labels:
            judge(queues, queue, who, label)
    assert queues.count_open(queue.number, "ann") == (0, 0)
    assert queues.count_open(queue.number, "cid") == (0, 2)
    turn = queues.turn(queue.number, "cid")
    assert turn
    assert turn.resolving
    assert [judge(queues, queue, "cid", "y", resolving=True) for _ in range(3)] == ["c", "e", None]
    assert judge(queues, queue, "dot", "y") is None


def test_a_resolver_is_given_nothing_that_is_not_disagreed_on(queues: Queues, queue: Queue) -> None:
    judge(queues, queue, "ann", "x")
    assert queues.turn(queue.number, "cid", resolving=True) is None
    turn = queues.turn(queue.number, "cid")
    assert turn
    assert not turn.resolving


def test_what_is_skipped_comes_last_in_the_order_of_skipping(queues: Queues, queue: Queue) -> None:
    assert [judge(queues, queue, "ann", label) for label in ("", "", "x")] == ["b", "c", "d"]
    assert [judge(queues, queue, "ann", "x") for _ in range(7)] == [*"efgh", "b", "c", None]
    assert ("ann", "b", "") not in told(queues, queue)
    assert judge(queues, queue, "ben", "x") == "b"  # what ann skipped is not last for ben


def test_skipping_the_last_one_again_goes_round(queues: Queues, queue: Queue) -> None:
    for _ in range(5):
        judge(queues, queue, "ann", "x")
    assert [judge(queues, queue, "ann", "") for _ in range(5)] == ["g", "h", "g", "h", "g"]


def test_undo_takes_back_the_last_and_gives_it_again(queues: Queues, queue: Queue) -> None:
    for label in ("x", "", "y"):
        judge(queues, queue, "ann", label)
    for query, label in (("d", "y"), ("c", ""), ("b", "x")):
        last = queues.last(queue.number, "ann")
        assert last
        assert (last.query, last.label) == (query, label)
        assert queues.undo(last.number, "ann") == last
        turn = queues.turn(queue.number, "ann")
        assert turn
        assert turn.pair.query == query
    assert queues.last(queue.number, "ann") is None
    assert told(queues, queue) == []


def test_nobody_takes_back_what_another_said_or_what_is_taken_back(queues: Queues, queue: Queue) -> None:
    judge(queues, queue, "ann", "x")
    [one] = queues.all_said(queue.number)
    assert queues.undo(one.number, "ben") is None
    assert queues.undo(one.number) == one
    assert queues.undo(one.number, "ann") is None


def test_saying_the_same_twice_is_saying_it_once(queues: Queues, queue: Queue) -> None:
    [pair, *_] = queues.pairs(queue.number)
    first = queues.say(queue.number, pair, "ann", "x")
    assert first.before is None
    assert queues.say(queue.number, pair, "ann", "x") == (first.number, "x")
    assert queues.say(queue.number, pair, "ann", "") == (first.number, "x")  # a stale tab skips
    assert queues.say(queue.number, pair, "ann", "y").before == "x"
    assert told(queues, queue) == [("ann", "b", "y")]


def test_pairs_of_articles_that_are_gone_are_left_out(queues: Queues, queue: Queue, path: Path) -> None:
    with Archive.open(path) as archive:
        archive.remove(["b", "d"])
    assert queues.count_open(queue.number, "ann") == (5, 0)
    assert [judge(queues, queue, "ann", "x") for _ in range(6)] == [*"cefgh", None]


def test_judgements_from_elsewhere_are_taken_once_and_the_later_stands(queues: Queues, queue: Queue) -> None:
    b, c = queues.pairs(queue.number)[:2]
    said = [(b, "ann", "y", 5), (b, "ann", "x", 3), (c, "ann", "x", 4)]
    assert queues.say_all(queue.number, said) == (3, 0)
    assert queues.say_all(queue.number, said) == (0, 3)
    assert told(queues, queue) == [("ann", "c", "x"), ("ann", "b", "y")]


def test_judgements_are_read_page_by_page_and_by_person(queues: Queues, queue: Queue) -> None:
    for who in ("ann", "ben"):
        for _ in range(4):
            judge(queues, queue, who, "x")
    found: list[Said] = []
    while page := queues.said(queue=queue.number, after=found[-1].number if found else 0, most=3):
        found += page
    assert found == queues.all_said(queue.number)
    assert {one.judge for one in queues.said(judge="ben")} == {"ben"}
    assert not queues.said(queue=queue.number + 1)


def test_people_in_many_threads_lose_and_double_nothing(path: Path, queues: Queues, queue: Queue) -> None:
    """Each person has three tabs, which judge, undo and skip at the same time."""
    acknowledged: dict[tuple[str, str], str] = {}
    guard = threading.Lock()

    def work(who: str, seed: int) -> None:
        chance = random.Random(seed)
        with Desk(path) as desk:
            for _ in range(25):
                turn = desk.queues.turn(queue.number, who)
                if turn is None:
                    break
                label = chance.choice("xy")
                with (
                    guard
                ):  # what is stored and what is noted are one step, as for a person who sees both tabs
                    if chance.random() < 0.2 and (last := desk.queues.last(queue.number, who)):
                        if desk.queues.undo(last.number, who):
                            acknowledged.pop((who, last.query), None)
                    else:
                        desk.queues.say(queue.number, turn.pair, who, label)
                        acknowledged[who, turn.pair.query] = label

    threads = [
        threading.Thread(target=work, args=(who, seed)) for seed, who in enumerate(["ann", "ben", "cid"] * 3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stored = told(queues, queue)
    assert {(who, query): label for who, query, label in stored} == acknowledged
    assert len(stored) == len(acknowledged)
