"""Who is told of what: policies, messages that are posted with what caused them, and what becomes of them."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from archives import opened

from quality.texts import Writer, join
from wirecopy import Archive
from wirecopy.archive.desk import Desk
from wirecopy.archive.outbox import KEPT_DAYS, STATES, Claim, Outbox
from wirecopy.archive.policies import MATCHES, TEXT_CHARACTERS, Policy
from wirecopy.errors import ArchiveError, UsageError

SECOND = 1_000_000
DAY = 24 * 3600 * SECOND
NOW = 1_800_000_000_000_000
URL = "https://hooks.example.org/wirecopy"
WORDS = Writer(71).write(120)
OTHER = Writer(72).write(120)
FIRST = {"id": "first", "text": join(WORDS), "source": "Courier", "author": "Ada", "published": "2026-03-01"}
SECOND_ONE = {
    "id": "second",
    "text": join(OTHER),
    "source": "Echo",
    "author": "Bo",
    "published": "2026-03-01",
}
BOTH = {
    "id": "both",
    "text": join(WORDS[:60] + OTHER[:90]),
    "source": "Blog",
    "author": "Cy",
    "published": "2026-03-02",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with opened(tmp_path / "news.db", [FIRST, SECOND_ONE]):
        pass
    return tmp_path / "news.db"


@pytest.fixture
def desk(path: Path) -> Iterator[Desk]:
    with Desk(path) as one:
        yield one


def told(outbox: Outbox) -> list[dict[str, Any]]:
    """The payloads of all messages, the oldest first."""
    return [json.loads(one.payload) for one in reversed(outbox.messages())]


def observe(path: Path, record: Any = BOTH, **options: Any) -> Any:
    with Archive.open(path) as archive:
        return archive.observe(record, notify=True, **options)


def check(path: Path, text: Any = BOTH) -> Any:
    with Archive.open(path) as archive:
        [answer] = archive.check(text)
        return answer


def all_room(_: int) -> int:
    return 100


def claim_all(outbox: Outbox, now: int = NOW, seconds: float = 60) -> list[Claim]:
    return outbox.claim(100, seconds, all_room, now)


# Policies


@pytest.mark.parametrize(
    ("policy", "found"),
    [
        (Policy(), {"first", "second"}),
        (Policy(source="Courier"), {"first"}),
        (Policy(author="Bo"), {"second"}),
        (Policy(source="Herald"), set()),
        (Policy(poster="Blog"), {"first", "second"}),
        (Policy(poster="Cy"), {"first", "second"}),
        (Policy(poster="desk"), {"first", "second"}),
        (Policy(poster="Courier"), set()),
        (Policy(min_words=61), {"second"}),
        (Policy(min_share=0.7), {"second"}),
        (Policy(relations=("identical",)), set()),
        (Policy(relations=("partial", "identical"), source="Courier"), {"first"}),
    ],
)
def test_a_webhook_is_told_of_what_its_policy_says(
    desk: Desk, path: Path, policy: Policy, found: set[str]
) -> None:
    desk.outbox.add(URL, policy)
    observe(path, poster="desk")
    matches = [one for payload in told(desk.outbox) for one in payload["data"]["matches"]]
    assert {one["found"] for one in matches} == found
    assert len(desk.outbox.messages()) == bool(found)


def test_a_thin_payload_has_ids_relation_shares_and_a_link_and_nothing_of_the_text(
    desk: Desk, path: Path
) -> None:
    desk.outbox.add(URL, Policy(source="Courier", link="https://desk.example/pair?a={query}&b={found}"))
    [observed] = observe(path, BOTH | {"id": "both/1 &"})
    [match] = [one for one in observed.answer.matches if one.found == "first"]
    [payload] = told(desk.outbox)
    assert payload["type"] == "match.observed"
    assert payload["data"] == {
        "query": "both/1 &",
        "articles": 1,
        "matches": [
            {
                "found": "first",
                "relation": str(match.relation),
                "query_covered": match.query_covered,
                "found_covered": match.found_covered,
                "resemblance": match.resemblance,
                "words": match.words,
                "link": "https://desk.example/pair?a=both%2F1%20%26&b=first",
                "story": "first",
            }
        ],
    }
    assert WORDS[30] not in json.dumps(payload)


def test_passages_are_told_where_asked_for_with_their_texts(desk: Desk, path: Path) -> None:
    desk.outbox.add(URL, Policy(passages=True))
    desk.outbox.post(check(path))
    [payload] = told(desk.outbox)
    assert payload["type"] == "match.checked"
    passages = [one for match in payload["data"]["matches"] for one in match["passages"]]
    assert {one["words"] for one in passages} == {60, 90}
    assert all(one["text"] and one["found_text"] for one in passages)


def test_a_form_notifies_nobody_unless_asked(tmp_path: Path) -> None:
    body = "The river Altmar stood at {} centimetres at the bridge of Lindenau on {} morning, the harbour office said, and ships of up to {} tons may pass the lock until further notice, with a pilot of the port on board."
    forms = [
        body.format(100 + 13 * n, day, 900 + 70 * n) for n, day in enumerate(("Monday", "Tuesday", "Friday"))
    ]
    with opened(
        tmp_path / "forms.db", [{"id": str(n), "text": one} for n, one in enumerate(forms[:2])]
    ) as archive:
        outbox = Outbox(archive._store)
        outbox.add(URL, Policy())
        asking, _ = outbox.add(URL, Policy(relations=("form",)))
        [observed] = archive.observe({"id": "new", "text": forms[2]}, notify=True)
        assert observed.answer.form_of
        assert [one.webhook for one in outbox.messages()] == [asking.id]


def test_all_who_share_something_are_told_however_few_the_answer_names(tmp_path: Path) -> None:
    copies = [{"id": f"{n:03}", "text": join(WORDS), "source": f"paper {n}"} for n in range(30)]
    with opened(tmp_path / "many.db", copies) as archive:
        outbox = Outbox(archive._store)
        for n in range(30):
            outbox.add(URL, Policy(source=f"paper {n}"))
        [observed] = archive.observe(join(WORDS), notify=True, relations=["identical"])
        assert len(observed.answer.found) == 20
        assert len(outbox.messages()) == 30
        everybody, _ = outbox.add(URL, Policy())
        more = [{"id": f"more {n}", "text": join(WORDS)} for n in range(MATCHES)]
        archive.add(more)
        archive.observe({"id": "last", "text": join(WORDS)}, notify=True)
        [payload] = [json.loads(one.payload) for one in outbox.messages(webhook=everybody.id)]
        assert len(payload["data"]["matches"]) == MATCHES
        assert payload["data"]["articles"] == 131


@pytest.mark.parametrize(
    "given",
    [
        *([], "x", None, {"sources": "x"}, {"source": ""}, {"source": 3}, {"source": "a", "author": "b"}),
        *({"relations": []}, {"relations": ["copied"]}, {"relations": "form"}, {"relations": [[]]}),
        *({"min_share": 1.1}, {"min_share": True}, {"min_share": "1"}, {"min_share": float("nan")}),
        *({"min_words": -1}, {"min_words": 1.5}, {"min_words": 1 << 40}, {"passages": 1}),
        *({"link": "javascript:alert(1)"}, {"link": "https://a b"}, {"link": 3}, {"source": "x" * 501}),
    ],
)
def test_what_is_no_policy_is_refused(given: Any) -> None:
    with pytest.raises(UsageError):
        Policy.from_dict(given)


def test_a_policy_is_what_its_json_says() -> None:
    policy = Policy(
        author="Ada",
        relations=("form", "identical"),
        min_share=0.25,
        min_words=40,
        passages=True,
        link="https://x",
    )
    assert Policy.from_dict(json.loads(json.dumps(policy.to_dict()))) == policy
    assert "form" not in Policy().relations


# Posting


def test_nothing_is_posted_unless_asked_or_without_a_match(desk: Desk, path: Path) -> None:
    desk.outbox.add(URL, Policy())
    with Archive.open(path) as archive:
        archive.observe(BOTH)
        archive.observe(Writer(99).write(50), notify=True)
        archive.add(BOTH | {"id": "added"})
    assert desk.outbox.messages() == []
    with Archive.open(path) as archive, pytest.raises(UsageError, match="notify: not with"):
        archive.observe(BOTH, notify=True, decide="method")


def test_an_article_that_is_known_is_not_told_of_again(desk: Desk, path: Path) -> None:
    desk.outbox.add(URL, Policy())
    assert [one.status for one in observe(path) + observe(path)] == ["added", "known"]
    assert len(desk.outbox.messages()) == 1
    [refused] = observe(path, BOTH | {"text": join(WORDS)})
    assert refused.status == "skipped"
    assert len(desk.outbox.messages()) == 1
    [replaced] = observe(path, BOTH | {"text": join(WORDS)}, replace=True)
    assert replaced.status == "replaced"
    assert len(desk.outbox.messages()) == 2


def test_an_article_older_than_the_window_is_told_of_though_not_kept(tmp_path: Path) -> None:
    with opened(tmp_path / "w.db", [FIRST], window="10d") as archive:
        archive.add({"id": "new", "text": join(Writer(5).write(40)), "published": "2026-03-10"})
        outbox = Outbox(archive._store)
        outbox.add(URL, Policy())
        [late] = archive.observe(FIRST | {"id": "late", "published": "2026-02-01"}, notify=True)
        assert late.status == "late"
        assert [payload["data"]["query"] for payload in told(outbox)] == ["late"]


def test_a_disabled_webhook_is_posted_nothing(desk: Desk, path: Path) -> None:
    webhook, _ = desk.outbox.add(URL, Policy())
    desk.outbox.change(webhook.id, enabled=False)
    assert desk.outbox.post(check(path)) == []
    with pytest.raises(UsageError, match="disabled"):
        desk.outbox.post_test(webhook.id)


def test_a_post_changes_no_answer_and_no_index(desk: Desk, path: Path) -> None:
    desk.outbox.add(URL, Policy())
    with Archive.open(path) as reader:
        before = reader.check(BOTH)
        segments, change = reader._index.segments, reader._index._change
        desk.outbox.post(before[0])
        assert reader.check(BOTH) == before
        assert reader._index.segments is segments
        assert reader._index._change == change


KILLED = """
import os, signal, sys
from wirecopy import Archive
from wirecopy.archive.outbox import Outbox
path, moment = sys.argv[1:3]
execute, seen = Outbox._put, []
def put(self, *given):
    done = execute(self, *given)
    if moment == "within":
        os.kill(os.getpid(), signal.SIGKILL)
    return done
Outbox._put = put
with Archive.open(path) as archive:
    archive.observe({"id": "both", "text": sys.argv[3]}, notify=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(("moment", "posted"), [("within", 0), ("after", 1)])
def test_article_and_message_are_there_both_or_neither_when_killed(
    desk: Desk, path: Path, moment: str, posted: int
) -> None:
    desk.outbox.add(URL, Policy())
    ran = subprocess.run(
        [sys.executable, "-c", KILLED, path, moment, BOTH["text"]], check=False, env=os.environ
    )
    assert ran.returncode == -signal.SIGKILL
    assert len(desk.outbox.messages()) == posted
    with Archive.open(path) as archive:
        assert ("both" in archive) == bool(posted)
        assert archive.verify() == []


# Claiming


def test_a_claimed_message_is_nobody_elses_until_the_claim_is_over(desk: Desk, path: Path) -> None:
    webhook, secret = desk.outbox.add(URL, Policy())
    id = desk.outbox.post_test(webhook.id, NOW)
    [claim] = claim_all(desk.outbox)
    assert (claim.id, claim.url, claim.attempts, claim.secrets) == (id, URL, 1, (secret,))
    with Desk(path) as other:
        assert claim_all(other.outbox, NOW + 59 * SECOND) == []
        [again] = claim_all(other.outbox, NOW + 60 * SECOND)
        assert (again.id, again.attempts) == (id, 2)
        desk.outbox.settle(claim, 500, "too late to say so", NOW + DAY)
        assert other.outbox.next_due() == NOW + 120 * SECOND
        other.outbox.settle(again, 200)
    assert [one.state for one in desk.outbox.messages()] == ["delivered"]
    assert claim_all(desk.outbox, NOW + DAY) == []


def test_a_webhook_gets_as_many_as_it_has_room_for_and_the_longest_waiting_come_first(desk: Desk) -> None:
    ids = [desk.outbox.add(URL, Policy())[0] for _ in range(3)]
    for late, webhook in enumerate(ids):
        for n in range(5):
            desk.outbox.post_test(webhook.id, NOW + 10 * late + n)
    room = {ids[0].number: 0, ids[1].number: 2, ids[2].number: 9}
    claims = desk.outbox.claim(4, 60, room.__getitem__, NOW + 1000)
    assert [one.webhook for one in claims] == [ids[1].number] * 2 + [ids[2].number] * 2
    assert len(desk.outbox.claim(100, 60, room.__getitem__, NOW + 1000)) == 5


def test_a_secret_is_never_shown_again(desk: Desk, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    webhook, secret = desk.outbox.add(URL, Policy())
    rotated = desk.outbox.rotate(webhook.id)
    desk.outbox.post_test(webhook.id)
    [claim] = claim_all(desk.outbox, NOW + DAY * 10_000)
    shown = [
        repr(claim),
        json.dumps([one.to_dict() for one in desk.outbox.webhooks()]),
        repr(desk.outbox.webhooks()),
    ]
    shown += [json.dumps([one.to_dict() for one in desk.outbox.messages()])]
    with Archive.open(path) as archive:
        shown.append(json.dumps(archive.info()))
    with closing(sqlite3.connect(path)) as connection:
        for (view,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall():
            shown += [repr(row) for row in connection.execute(f"SELECT * FROM {view}")]
    assert not any(one in text for one in (secret, rotated) for text in shown)


def test_a_rotated_secret_signs_for_a_day_beside_the_new_one(desk: Desk) -> None:
    webhook, first = desk.outbox.add(URL, Policy())
    second = desk.outbox.rotate(webhook.id, NOW)
    desk.outbox.post_test(webhook.id, NOW)
    assert [one.secrets for one in claim_all(desk.outbox, NOW + DAY - 1)] == [(second, first)]
    assert [one.secrets for one in claim_all(desk.outbox, NOW + 2 * DAY)] == [(second,)]


def test_a_webhook_that_is_gone_is_disabled_and_what_waits_for_it_is_dead_and_replayable(desk: Desk) -> None:
    webhook, _ = desk.outbox.add(URL, Policy())
    for _ in range(3):
        desk.outbox.post_test(webhook.id, NOW)
    [claim] = desk.outbox.claim(1, 60, all_room, NOW)
    desk.outbox.settle(claim, 410, "the receiver answered 410", gone=True)
    assert [one.state for one in desk.outbox.messages()] == ["dead"] * 3
    after = desk.outbox.require(webhook.id)
    assert (after.disabled is not None, after.reason) == (True, "the receiver answered 410")
    assert desk.outbox.replay(now=NOW) == 0
    with pytest.raises(UsageError, match="disabled"):
        desk.outbox.replay(id=claim.id)
    desk.outbox.change(webhook.id, enabled=True)
    assert desk.outbox.replay(webhook=webhook.id, now=NOW) == 3
    assert {(one.id, one.attempts) for one in claim_all(desk.outbox)} == {
        (one.id, 1) for one in desk.outbox.messages()
    }


def test_one_message_is_replayed_under_its_id_also_if_it_was_delivered(desk: Desk) -> None:
    webhook, _ = desk.outbox.add(URL, Policy())
    id = desk.outbox.post_test(webhook.id, NOW)
    [claim] = claim_all(desk.outbox)
    desk.outbox.settle(claim, 200)
    assert desk.outbox.replay(id=id, now=NOW) == 1
    assert [one.id for one in claim_all(desk.outbox)] == [id]
    with pytest.raises(UsageError, match="no message"):
        desk.outbox.replay(id="msg_none")
    with pytest.raises(UsageError, match="no webhook"):
        desk.outbox.replay(webhook="wh_none")


def test_messages_are_listed_newest_first_by_webhook_and_state_and_page(desk: Desk) -> None:
    one, two = (desk.outbox.add(URL, Policy())[0] for _ in range(2))
    ids = [desk.outbox.post_test((one, two)[n % 2].id) for n in range(6)]
    first = desk.outbox.messages(limit=4)
    assert [message.id for message in first] == ids[:1:-1]
    assert [message.id for message in desk.outbox.messages(before=first[-1].number)] == ids[1::-1]
    assert [message.id for message in desk.outbox.messages(webhook=two.id)] == ids[::-2]
    assert desk.outbox.messages(state="dead") == []
    found = desk.outbox.message(ids[3])
    assert found is not None
    assert found.to_dict()["payload"]["data"] == {"webhook": two.id}
    desk.outbox.remove(two.id)
    assert [message.id for message in desk.outbox.messages()] == ids[-2::-2]
    assert desk.outbox.get(two.id) is None


# remove, expire, compact, backup, verify, info


def settle_all(outbox: Outbox, error: str) -> None:
    for claim in claim_all(outbox, NOW * 2):
        outbox.settle(claim, 500 if error else 200, error)


@pytest.mark.parametrize("state", ["waiting", "delivered", "dead"])
def test_remove_takes_an_article_out_of_every_message(desk: Desk, path: Path, state: str) -> None:
    for policy in (Policy(passages=True), Policy(source="Courier", passages=True)):
        desk.outbox.add(URL, policy)
    observe(path)
    if state != "waiting":
        settle_all(desk.outbox, "it failed" if state == "dead" else "")
    assert {one.state for one in desk.outbox.messages()} == {state}
    ids = [one.id for one in desk.outbox.messages()]
    with Archive.open(path) as archive:
        archive.remove("first")
    alone, shared = desk.outbox.messages()
    assert [alone.id, shared.id] == ids
    assert (alone.state, shared.state) == ("removed", state)
    data = json.loads(shared.payload)["data"]
    assert ([one["found"] for one in data["matches"]], data["removed"]) == (["second"], 1)
    with pytest.raises(UsageError, match="no message"):
        desk.outbox.replay(id=alone.id)
    assert_nowhere(path, "first", WORDS[10:20])


def test_remove_takes_the_name_of_a_story_out_too(desk: Desk, path: Path) -> None:
    desk.outbox.add(URL, Policy())
    with Archive.open(path) as archive:
        archive.add(FIRST | {"id": "reprint", "published": "2026-03-03"})
    desk.outbox.post(check(path))
    stories = {one["found"]: one["story"] for one in told(desk.outbox)[0]["data"]["matches"]}
    assert stories == {"first": "first", "reprint": "first", "second": "second"}
    with Archive.open(path) as archive:
        archive.remove("first")
    [payload] = told(desk.outbox)
    assert {one["found"]: one["story"] for one in payload["data"]["matches"]} == {
        "reprint": None,
        "second": "second",
    }
    assert_nowhere(path, "first", WORDS[10:20])


def test_a_message_has_a_bound_whatever_is_copied(tmp_path: Path) -> None:
    long = join(Writer(8).write(10_000))
    with opened(tmp_path / "long.db", [{"id": str(n), "text": long} for n in range(12)]) as archive:
        outbox = Outbox(archive._store)
        outbox.add(URL, Policy(passages=True))
        archive.observe({"id": "new", "text": long}, notify=True)
        [message] = outbox.messages()
    assert len(long) * 24 > 2 * TEXT_CHARACTERS
    assert len(message.payload) < 1.2 * TEXT_CHARACTERS + 50_000
    matches = json.loads(message.payload)["data"]["matches"]
    assert ["text" in one["passages"][0] for one in matches] == sorted(
        ("text" in one["passages"][0] for one in matches), reverse=True
    )
    assert "text" in matches[0]["passages"][0]


def test_removing_the_checked_text_itself_leaves_nothing_of_what_was_said_of_it(
    desk: Desk, path: Path
) -> None:
    desk.outbox.add(URL, Policy(passages=True))
    desk.outbox.post(check(path, BOTH | {"id": "draft-7"}))
    with Archive.open(path) as archive:
        assert archive.remove("draft-7") == 0
    assert [one.state for one in desk.outbox.messages()] == ["removed"]
    assert claim_all(desk.outbox, NOW * 2) == []
    assert_nowhere(path, "draft-7", OTHER[10:20])


def assert_nowhere(path: Path, id: str, words: list[str]) -> None:
    """No row of the outbox has an id or words of a text."""
    with closing(sqlite3.connect(path)) as connection:
        for table in ("messages", "mentions"):
            rows = connection.execute(f"SELECT * FROM {table}").fetchall()
            assert not [
                row for row in rows if f'"{id}"' in repr(row) or id in row or " ".join(words) in repr(row)
            ]


def test_a_damaged_payload_goes_whole(desk: Desk, path: Path) -> None:
    desk.outbox.add(URL, Policy())
    desk.outbox.post(check(path))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("""UPDATE messages SET payload = '{"data": [' """)
    with Archive.open(path) as archive:
        archive.remove("first")
    assert [(one.state, one.payload) for one in desk.outbox.messages()] == [("removed", "{}")]


def test_a_damaged_policy_is_said_to_be(desk: Desk, path: Path) -> None:
    desk.outbox.add(URL, Policy())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE webhooks SET policy = 'x'")
    with pytest.raises(ArchiveError, match="damaged: a webhook"):
        desk.outbox.webhooks()


def test_an_article_that_expires_was_news_and_stays_told(tmp_path: Path) -> None:
    with opened(tmp_path / "w.db", [FIRST], window="10d") as archive:
        outbox = Outbox(archive._store)
        outbox.add(URL, Policy())
        archive.observe(BOTH, notify=True)
        archive.expire(now="2026-06-01")
        assert len(archive) == 0
        assert [payload["data"]["query"] for payload in told(outbox)] == ["both"]


def test_compact_forgets_what_was_delivered_long_ago_and_info_counts_the_rest(desk: Desk, path: Path) -> None:
    webhook, _ = desk.outbox.add(URL, Policy())
    for state in ("delivered", "dead", "waiting"):
        desk.outbox.post_test(webhook.id, NOW - KEPT_DAYS * DAY - 1)
        if state != "waiting":
            [claim] = claim_all(desk.outbox, NOW - KEPT_DAYS * DAY - 1)
            desk.outbox.settle(claim, None, "failed" if state == "dead" else "")
    desk.outbox.post(check(path), now=NOW)
    assert desk.outbox.forget_old(NOW - DAY) == 0
    assert desk.outbox.forget_old(NOW) == 2
    assert {one.state for one in desk.outbox.messages()} == {"waiting"}
    with Archive.open(path) as archive:
        archive.compact()
        info = archive.info()
        assert archive.verify() == []
    assert info["webhooks"] == 1
    assert [info[f"messages_{state}"] for state in STATES] == [2, 0, 0, 0]


def test_a_backup_has_webhooks_and_messages_and_an_export_has_not(
    desk: Desk, path: Path, tmp_path: Path
) -> None:
    desk.outbox.add(URL, Policy())
    desk.outbox.post(check(path))
    with Archive.open(path) as archive:
        archive.backup(tmp_path / "copy.db")
        assert {one.id for one in archive.articles()} == {"first", "second"}
    with Desk(tmp_path / "copy.db") as copy:
        assert copy.outbox.webhooks() == desk.outbox.webhooks()
        assert copy.outbox.messages() == desk.outbox.messages()
        assert copy.outbox.count()["messages_waiting"] == 1


def test_several_processes_post_and_claim_beside_a_writer(desk: Desk, path: Path) -> None:
    webhook, _ = desk.outbox.add(URL, Policy())
    program = (
        "import sys\nfrom wirecopy.archive.desk import Desk\n"
        "with Desk(sys.argv[1]) as desk:\n"
        "    for _ in range(25): desk.outbox.post_test(sys.argv[2])\n"
        "    found = []\n"
        "    while some := desk.outbox.claim(5, 600, lambda _: 5): found += [one.id for one in some]\n"
        "    print(*found)\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program, path, webhook.id], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    with Archive.open(path) as archive:
        for n in range(10):
            archive.observe(BOTH | {"id": f"b{n}"}, notify=True)
    claimed = [id for one in started for id in one.communicate()[0].split()]
    claimed += [one.id for one in claim_all(desk.outbox, NOW * 2, 1) if one.attempts == 1]
    assert len(claimed) == len(set(claimed)) == 85
