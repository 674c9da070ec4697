"""What any process may do beside the one writer of an archive: tokens, sessions, requests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from archives import opened

from wirecopy import Archive
from wirecopy.archive.desk import Desk
from wirecopy.archive.tokens import SCOPES, hash_secret
from wirecopy.errors import ArchiveError, UsageError

DAY = 24 * 3600 * 1_000_000
NOW = 1_800_000_000_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with opened(tmp_path / "news.db", ["one text of some words"]):
        pass
    return tmp_path / "news.db"


@pytest.fixture
def desk(path: Path) -> Iterator[Desk]:
    with Desk(path) as one:
        yield one


def test_a_desk_needs_an_archive(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="no archive there"):
        Desk(tmp_path / "none.db")
    assert not list(tmp_path.iterdir())


def test_a_token_is_shown_once_and_stored_as_a_hash(desk: Desk, path: Path) -> None:
    token, secret = desk.tokens.make("blog", ["check", "read"])
    assert secret.startswith("wc_")
    assert len(secret) == 35
    assert token.scopes == ("read", "check")
    assert desk.tokens.all() == {hash_secret(secret): token}
    desk.close()
    kept = b"".join(file.read_bytes() for file in path.parent.glob("news.db*") if file.is_file())
    assert hash_secret(secret) in kept
    assert secret.encode() not in kept
    assert secret[3:].encode() not in kept


def test_a_token_is_for_its_scopes_and_admin_is_for_all(desk: Desk) -> None:
    for scope in SCOPES:
        token, _ = desk.tokens.make("one", [scope])
        assert {one for one in SCOPES if token.allows(one)} == (set(SCOPES) if scope == "admin" else {scope})


def test_a_token_expires_and_can_be_revoked_by_number_or_name(desk: Desk) -> None:
    kept, _ = desk.tokens.make("a", ["read"], NOW + DAY, now=NOW)
    assert kept.is_valid(NOW + DAY - 1)
    assert not kept.is_valid(NOW + DAY)
    desk.tokens.make("b", ["read"])
    for which in (kept.number, "b"):
        gone = desk.tokens.revoke(which)
        assert next(one for one in desk.tokens.all().values() if one.number == gone.number).revoked
    with pytest.raises(UsageError, match="expected the number of a token"):
        desk.tokens.revoke("nobody")
    desk.tokens.make("twice", ["read"])
    desk.tokens.make("twice", ["read"])
    with pytest.raises(UsageError, match="2 tokens"):
        desk.tokens.revoke("twice")


@pytest.mark.parametrize(
    ("name", "scopes", "expires"),
    [
        ("", ["read"], None),
        ("x" * 201, ["read"], None),
        ("a", [], None),
        ("a", ["write", "all"], None),
        ("a", ["read"], 1),
    ],
)
def test_what_no_token_can_have_is_refused(
    desk: Desk, name: str, scopes: list[str], expires: int | None
) -> None:
    with pytest.raises(UsageError):
        desk.tokens.make(name, scopes, expires)
    assert not desk.tokens.all()


def test_a_session_stands_for_its_token_until_it_is_over_closed_or_the_token_revoked(desk: Desk) -> None:
    token, _ = desk.tokens.make("a", ["read"])
    first, second, third = (desk.tokens.open_session(token.number, 60, now=NOW) for _ in range(3))
    assert desk.tokens.token_of_session(first, NOW + 59_000_000) == token.number
    assert desk.tokens.token_of_session(first, NOW + 60_000_000) is None
    desk.tokens.close_session(second)
    assert desk.tokens.token_of_session(second, NOW) is None
    desk.tokens.revoke(token.number)
    assert desk.tokens.token_of_session(third, NOW) is None


def test_a_request_is_answered_once_for_each_token_and_key(desk: Desk) -> None:
    claim = desk.tokens.claim_request
    assert claim(1, "k", b"asked", 60, NOW) is None
    assert claim(2, "k", b"asked", 60, NOW) is None
    running = claim(1, "k", b"asked", 60, NOW + 1)
    assert running
    assert running.status is None
    desk.tokens.answer_request(1, "k", 200, b"{}")
    done = claim(1, "k", b"another", 60, NOW + 2)
    assert done
    assert (done.digest, done.status, done.content) == (b"asked", 200, b"{}")
    assert claim(1, "k", b"another", 60, NOW + DAY + 1) is None


def test_a_request_that_was_cut_off_is_made_again_and_only_the_same(desk: Desk) -> None:
    claim = desk.tokens.claim_request
    assert claim(1, "k", b"asked", 60, NOW) is None
    assert claim(1, "k", b"another", 60, NOW + 61_000_000) is not None
    assert claim(1, "k", b"asked", 60, NOW + 61_000_000) is None
    desk.tokens.drop_request(1, "k")
    assert claim(1, "k", b"another", 60, NOW) is None


def test_a_desk_works_beside_the_writer_and_no_reader_takes_anything_in(path: Path) -> None:
    with Archive.open(path) as writer, Archive.open(path) as reader:
        writer.add(["another text"])  # the writer until it is closed
        [before] = reader.check("one text of some words")
        index = reader._index
        taken_in: list[int] = []
        index._take_in_rows = lambda: taken_in.append(1)  # type: ignore[method-assign]
        with Desk(path) as desk:
            desk.tokens.make("a", ["read"])
            assert reader.check("one text of some words")[0] == before
        assert not taken_in
        writer.add(["a third text"])


def test_desks_of_many_threads_wait_for_each_other(path: Path) -> None:
    def work() -> None:
        with Desk(path) as one:
            for _ in range(10):
                one.tokens.make("a", ["read"])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Desk(path) as desk:
        assert len(desk.tokens.all()) == 40
