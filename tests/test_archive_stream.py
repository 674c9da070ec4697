"""Articles that come and go: what a window keeps and drops, what a stream is told, what a reader sees."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from archives import as_list, as_set, opened

import wirecopy
from quality.texts import Writer, join
from wirecopy import Archive, Relation
from wirecopy.archive import Status
from wirecopy.errors import ArchiveError, UsageError

WRITER = Writer(1)
STORY = WRITER.write(60)


def article(id: str, published: str | None = None, text: str | None = None) -> dict[str, Any]:
    return {"id": id, "text": WRITER.text(30) if text is None else text, "published": published}


def ids(archive: Archive) -> list[str]:
    return [one.id for one in archive.articles()]


# The window.


@pytest.fixture
def week(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path / "archive", window="7d") as archive:
        yield archive


def test_an_article_older_than_the_window_is_answered_but_not_kept(week: Archive) -> None:
    week.add([article("new", "2020-03-20", join(STORY))])
    late = article("late", "2020-03-12", join(STORY))
    [observed] = week.observe(late)
    assert not observed.kept
    assert observed.reason == "older than the window"
    assert observed.answer.contained_in == ["new"]
    added = week.add([{**late, "id": "late too"}])
    assert (added.added, added.late) == (0, 1)
    assert ids(week) == ["new"]


def test_the_edge_of_the_window_is_within_it(week: Archive) -> None:
    week.add([article("clock", "2020-03-20T12:00:00Z")])
    assert week.add([article("edge", "2020-03-13T12:00:00Z")]).added == 1
    assert week.add([article("beyond", "2020-03-13T11:59:59.999999Z")]).late == 1
    week.add([article("a moment later", "2020-03-20T12:00:00.000001Z")])
    assert ids(week) == ["clock", "a moment later"]


def test_late_articles_are_not_kept_whether_they_come_alone_or_with_newer_ones(tmp_path: Path) -> None:
    articles = [article(f"{day:02}", f"2020-03-{day:02}") for day in range(1, 31)]
    for number, (order, batch_bytes) in enumerate([(1, 1), (1, 4 << 20), (-1, 1), (-1, 4 << 20)]):
        with opened(tmp_path / str(number), window="7d") as archive:
            archive.add(articles[::order], batch_bytes=batch_bytes)
            assert ids(archive) == [f"{day:02}" for day in range(23, 31)]


@pytest.fixture
def noon(monkeypatch: pytest.MonkeyPatch) -> datetime:
    """The wall clock, which stands still."""
    now = datetime(2020, 3, 20, 12, tzinfo=UTC)
    monkeypatch.setattr("wirecopy.archive.settings.wall_clock", lambda: int(now.timestamp()) * 1_000_000)
    return now


def at(moment: datetime) -> str:
    return moment.isoformat()


def test_a_wrong_time_zone_does_not_empty_a_short_window(tmp_path: Path, noon: datetime) -> None:
    with opened(tmp_path / "archive", window="6h") as archive:
        archive.add([article("early", at(noon - timedelta(hours=5))), article("now", at(noon))])
        added = archive.add([article("zone", at(noon + timedelta(hours=13)))])
        assert (added.added, dict(added.ahead)) == (1, {"zone": "2020-03-21T01:00:00Z"})
        assert ids(archive) == ["early", "now", "zone"]
        assert archive.expire() == 0
        [observed] = archive.observe(article("zone too", at(noon + timedelta(hours=13))))
        assert (observed.kept, observed.ahead, observed.reason) == (True, "2020-03-21T01:00:00Z", "")
        assert observed.to_dict()["ahead"] == "2020-03-21T01:00:00Z"
        assert archive.info()["clock"] == "2020-03-20T12:00:00Z"


@pytest.mark.parametrize(
    ("window", "lead"),
    [
        ("4m", timedelta(minutes=1)),
        ("2h", timedelta(minutes=30)),
        ("1d", timedelta(hours=6)),
        ("4d", timedelta(days=1)),
        ("8w", timedelta(days=1)),
    ],
)
def test_a_date_is_believed_up_to_a_day_or_a_quarter_of_the_window_ahead(
    window: str, lead: timedelta, tmp_path: Path, noon: datetime
) -> None:
    moment = timedelta(microseconds=1)
    with opened(tmp_path / "archive", [article("now", at(noon))], window=window) as archive:
        added = archive.add([article("beyond", at(noon + lead + moment)), article("undated")])
        assert list(added.ahead) == ["beyond"]
        [observed] = archive.observe(article("edge", at(noon + lead)))
        assert observed.ahead is None
        first = noon + lead - parse(window)
        assert archive.add([article("late", at(first - moment)), article("kept", at(first))]).late == 1
        assert ids(archive) == ["kept", "now", "edge", "beyond", "undated"]


def parse(window: str) -> timedelta:
    names = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
    return timedelta(**{names[window[-1]]: int(window[:-1])})


def test_any_date_of_the_past_is_believed(tmp_path: Path) -> None:
    with opened(tmp_path / "archive", window="5m") as archive:
        for date in ("1815-06-18", "1969-12-31", "2020-03-20"):
            added = archive.add([article(date, date)])
            assert (added.added, dict(added.ahead)) == (1, {})
            assert ids(archive) == [date]


def test_a_date_that_is_not_believed_moves_nothing_when_its_time_has_come(
    week: Archive, noon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = noon + timedelta(days=30)
    week.add([article("old", at(noon)), article("ahead", at(soon))])
    later = soon + timedelta(days=1)
    monkeypatch.setattr("wirecopy.archive.settings.wall_clock", lambda: int(later.timestamp()) * 1_000_000)
    assert week.expire() == 0
    week.add([article("older", at(noon - timedelta(days=2)))])
    assert ids(week) == ["older", "old", "ahead"]
    assert dict(week.add([article("believed", at(soon))]).ahead) == {}
    assert ids(week) == ["ahead", "believed"]


def test_without_a_window_no_date_is_doubted(tmp_path: Path) -> None:
    with opened(tmp_path / "archive") as archive:
        assert dict(archive.add([article("a", "2999-01-01")]).ahead) == {}
        assert archive.info()["clock"] is None


def test_dates_more_than_a_day_ahead_are_kept_and_do_not_move_the_clock(week: Archive) -> None:
    week.add([article("old", "2020-03-20"), article("ahead", "2999-01-01")])
    assert ids(week) == ["old", "ahead"]
    week.add([article("older", "2020-03-14")])
    assert ids(week) == ["older", "old", "ahead"]
    today = datetime.now(UTC)
    week.add([article("soon", (today + timedelta(hours=36)).isoformat())])
    assert ids(week) == ["older", "old", "soon", "ahead"]
    week.add([article("tonight", (today + timedelta(hours=12)).isoformat())])
    assert ids(week) == ["tonight", "soon", "ahead"]


def test_undated_articles_never_expire(week: Archive) -> None:
    week.add([article("undated"), article("unreadable", "soon"), article("old", "2020-03-01")])
    week.add([article("new", "2020-06-01")])
    assert ids(week) == ["new", "undated", "unreadable"]
    assert week.expire(now="2900-01-01") == 1
    assert ids(week) == ["undated", "unreadable"]


def test_no_article_sets_the_clock_back(week: Archive, tmp_path: Path) -> None:
    week.add([article("new", "2020-03-20")])
    week.remove("new")
    assert week.add([article("old", "2020-03-01")]).late == 1
    assert week.add([{**article("new"), "published": "2020-03-15"}]).added == 1
    week.close()
    with Archive.open(tmp_path / "archive") as again:
        assert again.add([article("old", "2020-03-01")]).late == 1


def test_an_article_that_is_skipped_does_not_move_the_clock(week: Archive) -> None:
    week.add([article("a", "2020-03-10")])
    added = week.add([article("a", "2020-04-10"), article("b", "2020-03-09")])
    assert (added.added, added.late, len(added.skipped)) == (1, 0, 1)
    assert ids(week) == ["b", "a"]


def test_expiry_by_a_given_clock(week: Archive) -> None:
    week.add([article(f"{day:02}", f"2020-03-{day:02}") for day in range(10, 17)])
    assert week.expire() == 0
    assert week.expire(now="2020-03-20") == 3
    assert ids(week) == ["13", "14", "15", "16"]
    with pytest.raises(UsageError, match="date"):
        week.expire(now="tomorrow")


def test_a_clock_that_was_set_stays_and_goes_on_from_there(week: Archive, tmp_path: Path) -> None:
    week.add([article("10", "2020-03-10")])
    assert week.expire(now="2020-03-20") == 1
    assert week.info()["clock"] == "2020-03-20T00:00:00Z"
    assert week.expire() == 0
    assert week.add([article("11", "2020-03-11"), article("13", "2020-03-13")]).late == 1
    week.close()
    with Archive.open(tmp_path / "archive") as again:
        assert again.add([article("12", "2020-03-12")]).late == 1
        again.add([article("21", "2020-03-21")])
        assert again.info()["clock"] == "2020-03-21T00:00:00Z"
        assert ids(again) == ["21"]


def test_there_is_a_way_back_from_a_wrong_clock(week: Archive) -> None:
    week.add([article("15", "2020-03-15")])
    assert week.expire(now="2999-01-01") == 1
    added = week.add([article("16", "2020-03-16")])
    assert added.late == 1
    [warning] = added.warnings
    assert "ends 2999-01-01T00:00:00Z, ahead of now: set its clock with Archive.open(" in warning
    [observed] = week.observe(article("16", "2020-03-16"))
    assert observed.reason == f"older than the window; {warning}"
    assert week.expire(now="2020-03-16") == 0
    added = week.add([article("16", "2020-03-16"), article("9", "2020-03-09"), article("8", "2020-03-08")])
    assert (added.added, added.late, list(added.warnings)) == (2, 1, [])
    week.add([article("17", "2020-03-17")])
    assert ids(week) == ["16", "17"]


def test_nothing_expires_without_a_window(tmp_path: Path) -> None:
    with opened(tmp_path / "archive", [article("a", "1815-06-18"), article("b", "2020-01-01")]) as archive:
        assert len(archive) == 2
        with pytest.raises(UsageError, match="no window"):
            archive.expire()


@pytest.mark.parametrize("window", ["", "7", "d", "0d", "-1d", "7 days", "1y", "9999999d"])
def test_a_window_that_is_none_is_refused(window: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="window: expected a number of m, h, d or w"):
        Archive.open(tmp_path / "archive", create=True, window=window)
    assert not (tmp_path / "archive").exists()


def catalogue(path: Path) -> list[tuple[int, int, str]]:
    with sqlite3.connect(path) as store:
        return store.execute("SELECT number, articles, kept FROM segment ORDER BY number").fetchall()


def test_expiry_drops_whole_segments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirecopy.archive.segments.IN_STORE_BYTES", 1 << 12)
    path, writer = tmp_path / "archive", Writer(2)
    days = [
        [{"id": f"{day}-{n}", "text": writer.text(120), "published": f"2020-03-{day:02}"} for n in range(40)]
        for day in range(1, 25)
    ]
    held = []
    with opened(path, window="8d") as archive:
        for day in days:
            archive.add(day)
            rows = catalogue(path)
            files = list((tmp_path / "archive-index").glob("*.segment"))
            assert len(files) == sum(kept == "file" for *_, kept in rows)
            assert sum(articles for _, articles, _ in rows) == len(archive)
            held.append((len(rows), len(files)))
        assert max(held[9:]) == min(held[9:]) == (9, 9)
        before = catalogue(path)
        archive.expire(now="2020-03-29")
        after = catalogue(path)
        assert set(after) < set(before)
        assert len(after) == len(list((tmp_path / "archive-index").glob("*.segment"))) == 4
        live = [one for day in days[20:] for one in day]
        assert len(archive) == len(live)
        assert as_list(archive.pairs()) == as_list(wirecopy.find(live))
        assert archive.verify() == []


# A stream.


def test_the_answer_is_that_of_the_moment(tmp_path: Path) -> None:
    text = join(STORY)
    with opened(tmp_path / "archive") as archive:
        observed = archive.observe([article(id, text=text) for id in "abc"])
        assert [one.answer.contained_in for one in observed] == [[], ["a"], ["a", "b"]]
        assert [one.kept for one in observed] == [True] * 3
        [first] = archive.check(article("a", text=text))
        assert first.contained_in == ["b", "c"]


def test_a_stream_is_told_what_contains_what_and_what_is_new(tmp_path: Path) -> None:
    writer = Writer(3)
    story, own = writer.write(60), writer.write(40)
    with opened(tmp_path / "archive") as archive:
        archive.observe(article("whole", text=join(story)))
        [part] = archive.observe(article("part", text=join(story[:40])))
        assert part.answer.contained_in == ["whole"]
        assert part.answer.contains == []
        assert part.answer.new == []
        longer = f"«{' '.join(own[:20])}» — {' '.join(story)} 😀 {' '.join(own[20:])}."
        [more] = archive.observe(article("longer", text=longer))
        assert set(more.answer.contains) == {"whole", "part"}
        assert more.answer.contained_in == []
        assert [longer[start:end] for start, end in more.answer.new] == [
            " ".join(own[:20]),
            " ".join(own[20:]),
        ]
        assert more.answer.copied == 0.6
        [same] = archive.observe(article("same", text=longer))
        assert same.answer.contained_in[0] == same.answer.contains[0] == "longer"
        assert same.answer.matches[0].relation is Relation.IDENTICAL
        assert same.answer.copied == 1


def test_all_of_a_text_is_new_where_nothing_is_known(tmp_path: Path) -> None:
    with opened(tmp_path / "archive") as archive:
        for text, new in (("", []), (" … ", []), (" One, two! ", [(1, 9)]), ("東京", [(0, 2)])):
            [observed] = archive.observe(article(f"id {text}", text=text))
            assert observed.answer.new == new
            assert observed.kept


def test_boilerplate_is_neither_copied_nor_new(tmp_path: Path) -> None:
    writer = Writer(4)
    formula = writer.write(30)
    pile = [article(f"{number:02}", text=join(writer.write(150) + formula)) for number in range(20)]
    own = writer.write(48)
    with opened(tmp_path / "archive", pile) as archive:
        [answer] = archive.check(join(own + formula))
        assert (answer.found, answer.copied) == ([], 0)
        [(start, end)] = answer.new
        assert join(own + formula)[start:end] == join(own).rstrip(".")
        assert archive.formulas[0].articles == 20


@pytest.mark.parametrize("at_once", [20, 4])
def test_add_learns_boilerplate_that_few_of_the_articles_have(at_once: int, tmp_path: Path) -> None:
    writer = Writer(6)
    formula = writer.write(30)
    pile = [article(f"{number:03}") for number in range(420)]
    few = [article(f"few {number:02}", text=join(writer.write(150) + formula)) for number in range(20)]
    query = join(writer.write(48) + formula)
    with Archive.open(tmp_path / "archive", create=True) as archive:
        archive.add(pile)
        for start in range(0, 20, at_once):
            archive.add(few[start : start + at_once])
        assert archive.info()["changed_since_learnt"] == 0
        assert [one.articles for one in archive.formulas] == [20]
        assert archive.check(query)[0].copied == 0
        assert as_list(archive.check({"id": "query", "text": query})[0].matches) == as_list(
            wirecopy.find([*pile, *few], query=[{"id": "query", "text": query}])
        )


def test_what_is_not_kept_says_why(tmp_path: Path) -> None:
    with opened(tmp_path / "archive", window="7d") as archive:
        one = article("a", "2020-03-20", join(STORY))
        [first] = archive.observe(one)
        told = first.to_dict()
        assert (told["status"], told["kept"], told["reason"]) == ("added", True, None)
        [again] = archive.observe(one)
        assert (again.status, again.kept, again.reason) == (Status.KNOWN, False, "known")
        assert again.answer.found == []
        [other] = archive.observe({**one, "text": join(STORY[::-1])})
        assert (other.status, other.kept) == (Status.SKIPPED, False)
        assert "other content" in other.reason
        [late] = archive.observe(article("b", "2020-03-01"))
        assert (late.status, late.kept, late.reason) == (Status.LATE, False, "older than the window")
        [replaced] = archive.observe({**one, "text": join(STORY[::-1])}, replace=True)
        assert (replaced.status, replaced.kept, replaced.reason) == (Status.REPLACED, True, "")
        assert len(archive) == 1


def test_the_answer_as_json(tmp_path: Path) -> None:
    with opened(
        tmp_path / "archive", [{**article("a", "2020-01-01", join(STORY)), "source": "Gazette"}]
    ) as archive:
        [answer] = archive.check({"id": "q", "text": join(STORY)})
    shown = answer.to_dict()
    assert {name: shown[name] for name in ("query", "copied", "articles", "longest_words", "new")} == {
        "query": "q",
        "copied": 1.0,
        "articles": 1,
        "longest_words": 60,
        "new": [],
    }
    [match] = shown["matches"]
    assert match == {
        **answer.matches[0].to_dict(),
        "published": "2020-01-01",
        "title": None,
        "source": "Gazette",
        "url": None,
        "story": "a",
    }


# Readers.


def test_a_reader_sees_what_was_committed_at_its_next_call(tmp_path: Path) -> None:
    text = join(STORY)
    with opened(tmp_path / "archive") as writer, Archive.open(tmp_path / "archive") as reader:
        assert len(reader) == 0
        writer.add([article("a", "2020-01-01", text)])
        assert [match.found for match in reader.check(text)[0].matches] == ["a"]
        writer.add([article("b", "2020-01-02", text)])
        assert len(reader.pairs()) == 1
        writer.add([{**article("a", "2020-01-01"), "text": join(STORY[::-1])}], replace=True)
        assert [match.found for match in reader.check(text)[0].matches] == ["b"]
        writer.remove("b")
        assert reader.check(text)[0].matches == []
        assert ids(reader) == ["a"]
        assert reader.info()["articles"] == 1


def test_a_reader_works_on_across_merges_expiry_and_compaction(tmp_path: Path) -> None:
    writer = Writer(5)
    stories = [writer.write(90) for _ in range(6)]
    made = [
        {
            "id": f"{number:03}",
            "text": join(writer.edit(stories[number % 6], 0.05)),
            "published": f"2020-03-{1 + number // 6:02}",
        }
        for number in range(180)
    ]
    with opened(tmp_path / "archive", window="14d") as archive:
        readers = [Archive.open(tmp_path / "archive") for _ in range(3)]
        for step, start in enumerate(range(0, 180, 18)):
            archive.add(made[start : start + 18], batch_bytes=2_000)
            if step % 3 == 1:
                archive.compact()
            if step % 4 == 2:
                archive.remove([one["id"] for one in made[start : start + 5]])
            archive.learn()
            query = join(stories[step % 6])
            expected = as_set(archive.check(query)[0].matches)
            assert expected
            for reader in readers[: 1 + step % 3]:
                assert as_set(reader.check(query)[0].matches) == expected
                assert ids(reader) == ids(archive)
                assert as_list(reader.pairs()) == as_list(archive.pairs())
        for reader in readers:
            assert reader.verify() == []
            reader.close()


@pytest.mark.parametrize("change", ["remove", "replace", "compact"])
def test_an_answer_is_of_one_moment_whatever_is_committed_meanwhile(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = join(STORY)
    made = [article(id, text=text) for id in "abcd"]
    with opened(tmp_path / "archive", made) as writer, Archive.open(tmp_path / "archive") as reader:
        assert len(reader) == 4
        has_changed = reader._store.has_changed

        def change_behind_its_back() -> bool:
            known = has_changed()
            if change == "compact":
                writer.compact()
            else:
                writer.remove("b")
                if change == "replace":
                    writer.add([article("b", text="Nothing of the sort.")])
            return known

        monkeypatch.setattr(reader._store, "has_changed", change_behind_its_back)
        left = [one for one in made if change == "compact" or one["id"] != "b"]
        assert as_list(reader.pairs()) == as_list(wirecopy.find(left))
        assert [match.found for match in reader.check(text)[0].matches] == [one["id"] for one in left]


def test_a_reader_far_behind_starts_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirecopy.archive.writing.REMOVALS_KEPT", 3)
    with opened(tmp_path / "archive") as writer, Archive.open(tmp_path / "archive") as reader:
        writer.add([article(f"{number:02}") for number in range(40)])
        assert len(reader) == 40
        for number in range(30):
            writer.remove(f"{number:02}")
        assert ids(reader) == [f"{number:02}" for number in range(30, 40)]
        assert reader.verify() == []


def test_there_is_one_writer(tmp_path: Path) -> None:
    with opened(tmp_path / "archive", [article("a")]) as writer, Archive.open(tmp_path / "archive") as second:
        for change in (
            lambda: second.add([article("b")]),
            lambda: second.observe(article("b")),
            lambda: second.remove("a"),
            second.compact,
            second.learn,
        ):
            with pytest.raises(ArchiveError, match="another program is writing to it"):
                change()
        assert ids(second) == ids(writer) == ["a"]
        writer.close()
        assert second.add([article("b")]).added == 1


def test_records_of_a_stream_without_ids_are_named_by_their_texts(tmp_path: Path) -> None:
    first, second = (Writer(seed).text(60) for seed in (31, 32))
    with Archive.open(tmp_path / "archive", create=True) as archive:
        observed = [archive.observe({"text": text})[0] for text in (first, second, first)]
        assert [one.kept for one in observed] == [True, True, False]
        assert len({one.answer.query for one in observed}) == len(archive) == 2
