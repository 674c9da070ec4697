"""What is acknowledged stays: a sample of the kills, failing calls and damages that `make quality` goes through whole.

They prove the death of a process and errors that a disk admits to, not the loss of power.
"""

import os
import re
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import program
import pytest

import quality.archive_faults as archive_faults
import wirecopy
from quality.faults import (
    ADD_ARTICLES,
    WINDOW_DAYS,
    Answers,
    NotPossibleError,
    Nursery,
    make_articles,
    make_churn,
    require_whole,
    small_disk,
    small_segments,
    state_of,
    write_lines,
)
from wirecopy import Archive
from wirecopy.archive import index, segments
from wirecopy.archive.store import Store
from wirecopy.errors import ArchiveError


@pytest.fixture(autouse=True)
def _segment_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test may change how large segments are, for itself alone."""
    for name in ("IN_STORE_BYTES", "FAN"):
        monkeypatch.setattr(segments, name, getattr(segments, name))


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[archive_faults.Damaged]:
    sizes = segments.IN_STORE_BYTES, segments.FAN
    yield archive_faults.Damaged(tmp_path_factory.mktemp("damaged"))
    segments.IN_STORE_BYTES, segments.FAN = sizes


def ids(archive: Archive) -> list[str]:
    return [article.id for article in archive.articles()]


def sources(archive: Archive, query: str) -> list[str]:
    [answer] = archive.check(query)
    return sorted(match.found for match in answer.matches)


# Killed and let down


@pytest.mark.parametrize("kind", archive_faults.KINDS)
@pytest.mark.parametrize(("work", "every"), [("add", 10), ("stream", 40), ("forget", 50), ("anew", 20)])
def test_a_fault_at_every_so_manyth_call_loses_nothing(
    work: str, every: int, kind: str, tmp_path: Path
) -> None:
    try:
        tried = archive_faults.sweep(tmp_path, work=work, every=every, kinds=[kind])
    except NotPossibleError as error:
        pytest.skip(str(error))
    assert tried.failures == []
    assert tried.runs.total() > 100 / every


def test_an_archive_killed_again_and_again_is_as_it_was_acknowledged(tmp_path: Path) -> None:
    tried = archive_faults.kill_churns(tmp_path, kills=6, articles=400)
    assert tried.failures == []
    assert tried.kills == 6


def test_an_add_cut_short_before_it_learns_leaves_what_was_learnt_before_until_it_is_repeated(
    tmp_path: Path,
) -> None:
    [formula] = make_articles(1, seed=9, words=30)
    first, *rest = [one | {"text": f"{one['text']} {formula['text']}"} for one in make_articles(20)]
    dates = {one["id"]: one["published"] for one in (first, *rest)}
    answers = Answers(tmp_path / "sound", [first["text"]], dates)

    def stop_when_learning(stage: str, done: int, total: int) -> None:
        if stage != "adding":
            raise KeyboardInterrupt

    with Archive.open(tmp_path / "archive", create=True) as archive:
        archive.add([first])
        with pytest.raises(KeyboardInterrupt):
            archive.add(rest, progress=stop_when_learning)
        assert (len(archive), archive.info()["changed_since_learnt"], len(archive.formulas)) == (20, 19, 0)
        assert len(sources(archive, formula["text"])) == 20
        answers.require(archive, state_of([first, *rest]))
    with Archive.open(tmp_path / "archive") as archive:
        assert archive.add(rest).known == 19
        assert (archive.info()["changed_since_learnt"], len(archive.formulas)) == (0, 1)
        assert sources(archive, formula["text"]) == []
        answers.require(archive, state_of([first, *rest]))


def test_an_archive_whose_making_was_cut_short_is_made_by_the_next_that_may(tmp_path: Path) -> None:
    store = Store(tmp_path / "archive")
    store.prepare()
    store.close()
    with Archive.open(tmp_path / "archive", create=True, window="14d") as archive:
        archive.add([{"id": "one", "text": "some words of an article"}])
        assert ids(archive) == ["one"]
        assert archive.info()["window"] == "2w"


# In one process


@pytest.mark.parametrize("table", ["articles", "texts", "segments"])
def test_an_interrupted_change_leaves_nothing_of_itself(
    table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_segments()
    first, second = make_articles(20)[:10], make_articles(20)[10:]
    with Archive.open(tmp_path / "archive", create=True) as archive:
        archive.add(first)
        insert = Store.insert

        def interrupt(store: Store, into: str, *arguments: Any) -> None:
            insert(store, into, *arguments)
            if into == table:
                raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(Store, "insert", interrupt)
            with pytest.raises(KeyboardInterrupt):
                archive.add(second)
        require_whole(archive, [state_of(first)])
        archive.add(second)
        require_whole(archive, [state_of(first + second)])


def test_an_index_that_could_not_take_in_a_change_does_before_it_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    articles = make_articles(20)
    with Archive.open(tmp_path / "archive", create=True) as archive:
        archive.add(articles[:4])

        def fail(*_: object) -> None:
            raise ArchiveError("archive: cannot be read: disk I/O error; check the disk")

        with monkeypatch.context() as patched:
            patched.setattr(index.Index, "_take_in_rows", fail)
            with pytest.raises(ArchiveError):
                archive.add(articles[4:])
        assert len(archive) == 20
        require_whole(archive, [state_of(articles)])


def test_a_writer_that_could_not_begin_lets_go_of_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as archive, Archive.open(path) as other:
        with monkeypatch.context() as patched:
            patched.setattr(index.Index, "delete_files", lambda _: 1 // 0)
            with pytest.raises(ZeroDivisionError):
                archive.add(make_articles(1))
        assert other.add(make_articles(1)).added == 1


def test_a_note_of_who_writes_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    path.with_name("archive-lock").mkdir()
    with Archive.open(path, create=True) as archive, Archive.open(path) as second:
        assert archive.add(make_articles(1)).added == 1
        with pytest.raises(ArchiveError, match=r"another program is writing to it \(process unknown\)"):
            second.add(make_articles(1))


def test_a_full_disk_is_a_clear_error_reads_go_on_and_adding_resumes(tmp_path: Path) -> None:
    articles = make_articles(4000)
    query = articles[4]["text"]
    try:
        with small_disk(tmp_path / "disk", "8m") as disk:
            ballast = disk / "ballast"
            ballast.write_bytes(bytes(4 << 20))
            path = disk / "archive"
            with Archive.open(path, create=True) as archive, Archive.open(path) as reader:
                archive.add(articles[:100])
                expected = sources(archive, query)
                told: list[int] = []
                with pytest.raises(ArchiveError, match=r"(full|No space).*; make room on the disk"):
                    archive.add(articles, batch_bytes=50_000, progress=lambda *_: told.append(len(archive)))
                assert told
                for reading in (archive, reader):
                    assert set(ids(reading)) >= {article["id"] for article in articles[: told[-1]]}
                    assert set(sources(reading, query)) >= set(expected)
                with Archive.open(path) as late:
                    assert sources(late, query) == sources(archive, query)
                with pytest.raises(ArchiveError, match="; make room"):
                    archive.add(articles)
                ballast.unlink()
                archive.add(articles[: told[-1] + 200])
                require_whole(archive, [state_of(articles[: told[-1] + 200])])
            with Archive.open(path) as again:
                require_whole(again, [state_of(articles[: told[-1] + 200])])
    except NotPossibleError as error:
        pytest.skip(str(error))


def test_a_closed_archive_on_a_disk_without_any_room_says_what_it_needs(tmp_path: Path) -> None:
    articles = make_articles(50)
    try:
        with small_disk(tmp_path / "disk", "4m") as disk:
            with Archive.open(disk / "archive", create=True) as archive:
                archive.add(articles)
            with suppress(OSError), (disk / "ballast").open("wb", buffering=0) as ballast:
                while True:
                    ballast.write(bytes(1 << 12))
            with pytest.raises(ArchiveError, match=r"cannot be opened: .*; make room on the disk"):
                Archive.open(disk / "archive")
            with pytest.raises(ArchiveError, match=r"; make room on the disk"):
                Archive.open(disk / "another", create=True)
            (disk / "ballast").unlink()
            for name in ("archive", "another"):
                with Archive.open(disk / name, create=True) as archive:
                    archive.add(articles)
                    require_whole(archive, [state_of(articles)])
    except NotPossibleError as error:
        pytest.skip(str(error))


# Damaged


@pytest.mark.parametrize("kind", archive_faults.DAMAGE_KINDS)
def test_damage_to_a_segment_is_noticed_and_mended(kind: str, damaged: archive_faults.Damaged) -> None:
    for seed in range(6):
        damaged.run(archive_faults.Damage(kind, seed))


@pytest.mark.parametrize("first", ["verify", "ask", "compact"])
def test_an_index_that_is_gone_is_made_again(first: str, damaged: archive_faults.Damaged) -> None:
    path = damaged.copy()
    shutil.rmtree(path.with_name("archive-index"))
    damaged.require_mended(path, first)


def test_a_lock_file_that_is_gone_and_files_of_nobody_do_no_harm(damaged: archive_faults.Damaged) -> None:
    path = damaged.copy()
    path.with_name("archive-lock").unlink()
    folder = path.with_name("archive-index")
    for name in ("00000099.part", "00000099.segment"):
        (folder / name).write_bytes(b"unfinished")
    with Archive.open(path) as archive:
        require_whole(archive, [damaged.state])
        archive.remove("nobody")
        require_whole(archive, [damaged.state])
    assert not [path for path in folder.iterdir() if "99" in path.name]


@pytest.mark.parametrize("change", ["texts SET text = text || 'x'", "articles SET title = 'another'"])
def test_verify_notices_an_article_that_is_not_as_it_was_added(change: str, tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as archive:
        archive.add([article | {"title": "A title", "source": "gazette"} for article in make_articles(600)])
        assert archive.verify() == []
    with closing(sqlite3.connect(path)) as store, store:
        store.execute(f"UPDATE {change} WHERE row % 100 = 7")
    with Archive.open(path) as archive:
        assert archive.verify() == [f"{path}: 6 articles changed since being added; restore a backup"]


@pytest.fixture(scope="module")
def damaged_store(tmp_path_factory: pytest.TempPathFactory) -> archive_faults.DamagedStore:
    return archive_faults.DamagedStore(tmp_path_factory.mktemp("damaged-store"))


@pytest.mark.parametrize("kind", archive_faults.STORE_DAMAGE_KINDS)
def test_damage_to_the_store_gives_right_answers_or_a_clear_error(
    kind: str, damaged_store: archive_faults.DamagedStore
) -> None:
    for seed in range(8):
        damaged_store.run(archive_faults.StoreDamage(kind, seed))


ALTERED = {
    "text": "UPDATE texts SET text = text || 'x' WHERE row = 7",
    "title": "UPDATE articles SET title = 'another' WHERE row = 7",
    "moment": "UPDATE articles SET moment = moment + 1 WHERE row = 7",
    "kind": "UPDATE articles SET title = x'00ff' WHERE row = 7",
    "bytes": "UPDATE texts SET text = CAST(x'ff20ff' AS TEXT) WHERE row = 7",
    "lost text": "DELETE FROM texts WHERE row = 7",
}


@pytest.mark.parametrize("statement", ALTERED.values(), ids=ALTERED)
def test_no_altered_article_gets_out_in_silence(statement: str, tmp_path: Path) -> None:
    path = tmp_path / "archive"
    articles = make_articles(40)
    with Archive.open(path, create=True) as archive:
        archive.add([*articles, {"id": "copy", "text": articles[6]["text"]}])
    with closing(sqlite3.connect(path)) as store, store:
        store.execute(statement)
    exported = program.wirecopy("export", path)
    assert exported.returncode == 3
    assert "archive row 7: " in program.talk(exported)
    assert "1 record skipped" in program.talk(exported)
    assert len(exported.stdout.splitlines()) == 40
    assert articles[6]["id"].encode() not in exported.stdout
    asked: list[Callable[[Archive], object]] = [
        lambda archive: list(archive.articles()),
        lambda archive: archive.check(articles[6]["text"]),
        lambda archive: archive.pairs(),
        lambda archive: archive.backup(tmp_path / "copy"),
    ]
    for ask in asked:
        with Archive.open(path) as archive, pytest.raises(ArchiveError, match=r".+: .+; .+"):
            ask(archive)
    with Archive.open(path) as archive:
        assert archive.verify()


def test_an_article_that_took_the_row_of_another_does_not_stand_for_it(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as archive:
        archive.add(make_articles(40))
    content, found = re.subn(rb"(?<=[\x40-\x7f])\x07(?=\x10\0)", b"\x02", path.read_bytes())
    assert found == 1
    path.write_bytes(content)
    exported = program.wirecopy("export", path)
    assert exported.returncode == 3
    assert "archive: 39 articles and 40 of their ids are there" in program.talk(exported)
    assert len({*exported.stdout.splitlines()}) == len(exported.stdout.splitlines()) == 39
    with Archive.open(path) as archive, pytest.raises(ArchiveError, match=r"39 articles and 40 .+; restore"):
        list(archive.articles())


def test_altered_boilerplate_and_settings_are_noticed(tmp_path: Path) -> None:
    sound = tmp_path / "sound"
    with Archive.open(sound, create=True, window="52w") as archive:
        archive.add(make_articles(10))
    for number, statement in enumerate(
        [
            "UPDATE settings SET value = value + 1 WHERE name = 'window'",
            "UPDATE settings SET value = 'strict' WHERE name = 'preset'",
            "UPDATE settings SET value = 'x' WHERE name = 'change'",
            "UPDATE settings SET value = value + 1 WHERE name = 'clock'",
            "UPDATE settings SET value = value + 1 WHERE name = 'unlearnt'",
            "DELETE FROM settings WHERE name = 'clock'",
            "UPDATE settings SET value = 5 WHERE name = 'numbers_sum'",
            "UPDATE learnt SET value = x'0000000000000001'",
            "INSERT INTO formulas VALUES (9, 1, 'x', 'y', '{}')",
        ]
    ):
        path = tmp_path / str(number)
        shutil.copy(sound, path)
        with closing(sqlite3.connect(path)) as store, store:
            store.execute(statement)
        with Archive.open(path) as archive:
            with pytest.raises(ArchiveError, match=r"damaged: .+; restore it from a backup"):
                archive.check("one")
            assert number == 2 or len(list(archive.articles())) == 10


DATES = {
    "another": "UPDATE articles SET moment = moment + 1 WHERE row = 7",
    "none": "UPDATE articles SET moment = NULL WHERE row = 7",
    "none, and no checksum": "UPDATE articles SET moment = NULL, sum = NULL WHERE row = 1",
    "a text": "UPDATE articles SET moment = 'today' WHERE row = 7",
    "bytes": "UPDATE articles SET moment = x'00ff' WHERE row = 7",
    "bytes that are no text": "UPDATE articles SET id = CAST(x'ff20ff' AS TEXT) WHERE row = 7",
}


@pytest.mark.parametrize("statement", DATES.values(), ids=DATES)
def test_info_names_damage_instead_of_a_date_that_no_article_has(statement: str, tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as archive:
        archive.add(make_articles(10))
    with closing(sqlite3.connect(path)) as store, store:
        store.execute(statement)
    with (
        Archive.open(path) as archive,
        pytest.raises(ArchiveError, match=r".+: .+; restore it from a backup"),
    ):
        archive.info()


def test_settings_that_are_not_found_by_their_names_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, window="52w", create=True) as archive:
        archive.add(make_articles(10))
    content = path.read_bytes()
    assert content.count(b"made_with") == 1
    path.write_bytes(content.replace(b"made_with", b"zade_with"))
    shutil.rmtree(path.with_name("archive-index"))  # so that nothing beside it says what it was
    assert len(program.wirecopy("export", path).stdout.splitlines()) == 10
    with Archive.open(path) as archive:
        for ask in (archive.info, archive.pairs):
            with pytest.raises(ArchiveError, match=r"damaged: .+; restore it from a backup"):
                ask()
        assert len(list(archive.articles())) == 10


def test_a_clock_that_an_older_version_moved_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, window="52w", create=True) as archive:
        archive.add(make_articles(10))
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("UPDATE settings SET value = value + 1 WHERE name IN ('clock', 'change')")
    with Archive.open(path) as archive:
        assert archive.info()["articles"] == 10
        assert archive.add(make_articles(11)).added == 1


def test_a_clock_that_is_no_number_is_damage_whoever_wrote_it(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, window="52w", create=True) as archive:
        archive.add(make_articles(10))
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("DELETE FROM settings WHERE name = 'numbers_sum'")  # as older versions left it
        store.execute("UPDATE settings SET value = 'noon' WHERE name = 'clock'")
    with Archive.open(path) as archive:
        for ask in (archive.info, archive.expire):
            with pytest.raises(ArchiveError, match=r"damaged: .+; restore it from a backup"):
                ask()


def test_what_is_said_of_a_lost_page_is_a_few_lines(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as archive:
        archive.add([one | {"title": f"Title {place}."} for place, one in enumerate(make_articles(100))])
    content, half = path.read_bytes(), 2048
    start = content.index(b"Title 50.") // half * half
    path.write_bytes(content[:start] + bytes(half) + content[start + half :])
    with Archive.open(path) as archive:
        problems = archive.verify()
        assert 1 <= len(problems) < 12
        assert all(len(problem.splitlines()) == 1 for problem in problems)
        with pytest.raises(ArchiveError, match=r"^[^\n]+; nothing was copied: [^\n]+$"):
            archive.backup(tmp_path / "copy")


# One writer, many readers


def test_a_second_writer_is_told_so_while_readers_go_on(tmp_path: Path) -> None:
    articles = make_articles(ADD_ARTICLES)
    path, source = tmp_path / "archive", write_lines(tmp_path / "articles.jsonl", articles)
    with (
        Archive.open(path, create=True) as writer,
        Archive.open(path) as second,
        Nursery(tmp_path / "nursery") as nursery,
    ):
        writer.add(articles[:10])
        message = rf"archive: another program is writing to it \(process {os.getpid()}\); wait for it to end"
        for change in (
            lambda: second.add(articles),
            lambda: second.remove("none"),
            second.compact,
            second.learn,
        ):
            with pytest.raises(ArchiveError, match=message):
                change()
        ended = nursery.run("add", str(path), str(source), False)
        assert ended.code == 1
        assert "another program is writing to it" in ended.error
        assert len(second) == 10
        writer.add(articles[10:20])
        assert sources(second, articles[4]["text"]) == sources(writer, articles[4]["text"])
        assert len(second) == 20
        writer.close()
        assert second.add(articles).added == ADD_ARTICLES - 20


def test_a_reader_keeps_answering_right_whatever_the_writer_does(tmp_path: Path) -> None:
    small_segments()
    articles = make_articles(300)
    query = articles[4]["text"]
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as writer, Archive.open(path) as reader:

        def require_same(live: Sequence[dict[str, str]]) -> None:
            require_whole(reader, [state_of(live)])
            assert reader.check(query) == writer.check(query)
            assert [match.to_dict() for match in reader.pairs()] == [m.to_dict() for m in writer.pairs()]

        for start in range(0, 300, 50):
            writer.add(articles[start : start + 50])
            require_same(articles[: start + 50])
        writer.remove([article["id"] for article in articles[100:200]])
        require_same(articles[:100] + articles[200:])
        writer.compact()
        require_same(articles[:100] + articles[200:])
        shutil.rmtree(path.with_name("archive-index"))  # as if merged away: what is mapped stays
        require_same(articles[:100] + articles[200:])


def test_a_segment_merged_away_before_a_reader_opens_it_is_looked_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_segments()
    articles = make_articles(120)
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as writer:
        writer.add(articles[:40])
        with Archive.open(path) as reader:
            writer.add(articles[40:80])
            opened: list[int] = []

            def open_late(entry: segments.Entry, content: bytes | None, folder: Path) -> segments.Segment:
                opened.append(entry.number)
                if len(opened) == 1:
                    monkeypatch.setattr(index, "open_segment", segments.open_segment)
                    writer.add(articles[80:])
                    monkeypatch.setattr(index, "open_segment", open_late)
                return segments.open_segment(entry, content, folder)

            monkeypatch.setattr(index, "open_segment", open_late)
            assert sources(reader, articles[4]["text"]) == sources(writer, articles[4]["text"])
            assert len(opened) > 1
            assert reader.verify() == []
            require_whole(reader, [state_of(articles)])


def test_within_one_moment_a_segment_merged_away_is_made_again(tmp_path: Path) -> None:
    small_segments()
    articles = make_articles(120)
    path = tmp_path / "archive"
    with Archive.open(path, create=True) as writer, Archive.open(path) as reader:
        writer.add(articles[:40])
        writer.add(articles[40:80])
        with reader._store.snapshot():
            assert reader._store.setting("change")
            writer.add(articles[80:])
            assert len(reader) == 80
            assert [match.to_dict() for match in reader.pairs()] == [
                match.to_dict() for match in wirecopy.find(articles[:80])
            ]
        assert len(reader) == 120


def test_a_reader_beside_a_busy_writer_sees_whole_states_only(tmp_path: Path) -> None:
    number, seed = 400, 3
    steps = make_churn(number, seed)
    dates = {article["id"]: article["published"] for step in steps for article in step.articles}
    states: list[dict[str, str]] = [{}]
    for step in steps:
        states += step.states(states[-1], dates)
    path = tmp_path / "archive"
    Archive.open(path, create=True, window=f"{WINDOW_DAYS}d").close()
    with Nursery(tmp_path / "nursery") as nursery, Archive.open(path) as reader:
        ended: list[int] = []
        writing = threading.Thread(
            target=lambda: ended.append(nursery.run("churn", str(path), number, seed, 0).code)
        )
        writing.start()
        while writing.is_alive():
            found = {article.id: article.text for article in reader.articles()}
            assert found in states
            del states[: states.index(found)]
            assert reader.verify() == []
            reader.pairs()
            reader.check(steps[0].articles[0]["text"])
        writing.join()
        assert ended == [0]
        require_whole(reader, states[-1:])
