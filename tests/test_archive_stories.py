"""An archive keeps the stories of its articles in tables: whole once it has learnt, sane in between, and shown by any SQLite tool."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from archives import as_kept, as_told, kept_stories, opened
from program import on_terminal
from program import wirecopy as program
from records import jsonl, lines
from test_archive_formats import LIVE, copy_of
from test_forms import month

import wirecopy
from quality.piles import make_pile
from quality.texts import Writer, join
from wirecopy import Archive
from wirecopy.archive import Answer, telling, writing
from wirecopy.errors import ArchiveError
from wirecopy.pile import weigh

Row = dict[str, Any]
TEXT = Writer(3).write(100)


def row(id: str, words: Sequence[str], day: int | None = 1, **about: str) -> Row:
    date = {"published": f"2026-03-{day:02}T12:00:00Z"} if day else {}
    return {"id": id, "text": join(list(words)), **date, **about}


_writer = Writer(100)
OTHERS = [row(f"other{n}", _writer.write(80)) for n in range(300)]
"""Articles that share nothing."""


def edited(number: int, seed: int = 4, days: bool = True) -> list[Row]:
    """A text and edited reprints of it, a day apart."""
    writer = Writer(seed)
    text = writer.write(120)
    return [
        row(f"{place:02}", writer.edit(text, 0.03) if place else text, place % 28 + 1 if days else None)
        for place in range(number)
    ]


def require_kept(archive: Archive, **options: Any) -> None:
    """The tables say what `stories` says of the articles, and what is read from them is the same."""
    expected = wirecopy.stories(list(archive.articles()), **options) if len(archive) else None
    stages: list[str] = []
    told = archive.stories(progress=lambda stage, *_: stages.append(stage))
    assert set(stages) <= {"grouping"}, "matched again instead of read"
    assert archive.verify() == []
    if expected is None:
        assert (list(told), kept_stories(archive.path)) == ([], ([], [], []))
        return
    assert kept_stories(archive.path) == as_kept(expected)
    assert as_told(told) == as_told(expected)
    assert told.keep_one() == expected.keep_one()
    assert list(told.graph()) == list(expected.graph())
    assert archive.info()["stories"] == len(expected)


def require_sane(archive: Archive) -> None:
    """Nothing is told of articles that are gone, and whatever is told is whole."""
    ids = set(archive.ids())
    stories, versions, links = kept_stories(archive.path)
    assert {one[0] for one in stories} <= ids
    assert {id for one in versions for id in (one[0], one[2], one[5])} <= ids | {None}
    assert {id for one in links for id in one[:2]} <= ids
    assert archive.verify() == []
    for id in ids:
        assert archive.story_of(id) in ids


def ask(path: Path, question: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(question).fetchall()


# Whole, once it has learnt


@pytest.mark.parametrize("seed", range(12))
def test_after_an_add_the_views_say_what_stories_says(seed: int, tmp_path: Path) -> None:
    with opened(tmp_path / "archive", make_pile(seed)) as archive:
        require_kept(archive)


@pytest.mark.parametrize("seed", range(6))
def test_after_a_stream_that_forgets_it_is_the_same(seed: int, tmp_path: Path) -> None:
    pile = make_pile(seed)
    with Archive.open(tmp_path / "archive", create=True, window="4d") as archive:
        for number, one in enumerate(pile):
            archive.observe(one)
            if number % 7 == 6:
                archive.remove([pile[number - 3]["id"]])
                require_sane(archive)
        require_sane(archive)
        archive.learn()
        require_kept(archive)


@pytest.mark.parametrize(
    "articles",
    [
        [],
        [row("a", TEXT)],
        [row("a", TEXT), row("b", TEXT)],
        month(),
        edited(21),
        [row(f"{n:02}", TEXT, n % 28 + 1) for n in range(40)],
        edited(8, days=False),
        [
            row("a", ["no", "news", "record"], 1, title="One"),
            row("b", ["no", "news", "record"], 2, title="Two"),
        ],
        [row(id, TEXT[start:], 1) for id, start in (("a", 0), ("b", 40), ("c", 0))],
    ],
    ids=["none", "one", "two", "forms", "21 edited", "40 copies", "undated", "placeholders", "one moment"],
)
def test_every_kind_of_archive_keeps_its_stories(articles: list[Row], tmp_path: Path) -> None:
    with Archive.open(tmp_path / "archive", create=True) as archive:
        archive.add(articles)
        require_kept(archive)
        for one in articles[::2]:
            archive.remove(one["id"])
            require_sane(archive)
        archive.learn()
        require_kept(archive)


@pytest.mark.parametrize(
    ("method", "preset"),
    [
        (None, "strict"),
        (None, "any-reuse"),
        (("winnowing", "winnowing:window_words=8"), "syndication"),
        ("sentence_lengths", None),
        ("minhash", None),
        ("cosine", None),
    ],
)
def test_an_archive_keeps_the_stories_of_its_own_preset_and_methods(
    method: Any, preset: str | None, tmp_path: Path
) -> None:
    pile = make_pile(3)
    options: dict[str, Any] = {"preset": preset} if preset else {}
    if isinstance(method, tuple):
        method = [wirecopy.methods.get("winnowing"), wirecopy.methods.get("winnowing", window_words=8)]
    if method:
        options["method"] = method
    if method == "cosine":
        options["statistics"] = weigh(pile, "cosine")[0]
    with Archive.open(tmp_path / "archive", create=True, **options) as archive:
        archive.add(pile)
        require_kept(archive, **options)
        archive.observe(row("new", TEXT))
        archive.observe(row("newer", TEXT, 2))
        require_sane(archive)
        assert archive.story_of("newer") == "new"


def test_closure_is_read_from_the_tables_too(tmp_path: Path) -> None:
    with opened(tmp_path / "archive", make_pile(2)) as archive:
        stages: list[str] = []
        told = archive.stories(rule="closure", progress=lambda stage, *_: stages.append(stage))
        assert set(stages) == {"grouping"}
        assert as_told(told) == as_told(wirecopy.stories(list(archive.articles()), rule="closure"))


# In between


def test_a_stream_tells_of_each_article_as_it_comes(tmp_path: Path) -> None:
    articles = edited(12)
    with Archive.open(tmp_path / "archive", create=True) as archive:
        archive.add(OTHERS[:300])
        for place, one in enumerate(articles):
            [observed] = archive.observe(one)
            assert observed.answer.stories == (["00"] if place else [])
            assert archive.story_of(one["id"]) == "00"
        assert archive.info()["changed_since_learnt"] == len(articles)
        [story] = kept_stories(archive.path)[0]
        assert (story[0], story[3]) == ("00", len(articles))
        archive.observe(row("earlier", TEXT, 3))
        archive.observe(row("earliest", TEXT, 2))
        assert archive.story_of("earlier") == "earliest", (
            "whoever is dated before is the anchor, whenever it came"
        )


def test_an_add_that_does_not_learn_tells_of_what_came(tmp_path: Path) -> None:
    others = OTHERS[:300]
    with Archive.open(tmp_path / "archive", create=True) as archive:
        archive.add(others)
        archive.add(edited(10), learn=False, batch_bytes=1)
        assert archive.info()["changed_since_learnt"] == 10
        assert archive.stale_stories is None
        assert {archive.story_of(f"{n:02}") for n in range(10)} == {"00"}
        require_sane(archive)


def test_a_big_batch_that_does_not_learn_is_told_in_lots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "TOLD_ARTICLES", 3)
    monkeypatch.setattr(wirecopy.archive, "RELEARN_SHARE", 10)
    pile = make_pile(5)
    with Archive.open(tmp_path / "archive", create=True) as archive:
        archive.add(pile[:5])
        archive.add(pile[5:], learn=False)
        assert archive.info()["changed_since_learnt"] == len(pile) - 5
        require_sane(archive)
        archive.learn()
        require_kept(archive)


def test_an_article_that_is_replaced_leaves_its_story(tmp_path: Path) -> None:
    others = OTHERS[:100]
    with opened(tmp_path / "archive", [*edited(3), *others]) as archive:
        archive.observe(row("00", TEXT), replace=True)
        assert [archive.story_of(id) for id in ("00", "01", "02")] == ["00", "01", "01"]
        require_sane(archive)
        archive.add([row("01", TEXT, 2)], replace=True)
        assert [archive.story_of(id) for id in ("00", "01", "02")] == ["00", "00", "02"]
        require_kept(archive)


def test_a_family_stays_together_when_what_linked_it_is_gone(tmp_path: Path) -> None:
    others = OTHERS[:200]
    for number, articles in enumerate((edited(30), [row(f"{n:02}", TEXT, n % 28 + 1) for n in range(30)])):
        with opened(tmp_path / str(number), [*articles, *others]) as archive:
            order = [one["id"] for one in sorted(articles, key=lambda one: (one["published"], one["id"]))]
            for place in range(5):
                archive.remove(order[place])
                assert {archive.story_of(id) for id in order[place + 1 :]} == {order[place + 1]}
                require_sane(archive)


def test_a_change_mends_no_more_than_it_has_time_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "MOST_MENDED", 2)
    others = OTHERS[:200]
    with opened(tmp_path / "archive", [*edited(30), *others]) as archive:
        archive.remove(["00", "28"])
        require_sane(archive)
        archive.learn()
        require_kept(archive)


@pytest.mark.parametrize("articles", [edited(30), [row(f"{n:02}", TEXT, n % 28 + 1) for n in range(30)]])
def test_a_large_story_takes_in_who_comes_and_goes_on_without_who_goes(
    articles: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "MOST_RETOLD", 10)
    articles = sorted(articles, key=lambda one: (one["published"], one["id"]))
    known, coming = articles[:-8], articles[-8:]
    order = [one["id"] for one in articles]
    with opened(tmp_path / "archive", [*known, *OTHERS]) as archive:
        for one in coming:
            archive.observe(one)
            assert archive.story_of(one["id"]) == order[0]
            require_sane(archive)
        for place in range(6):
            archive.remove(order[place])
            assert {archive.story_of(id) for id in order[place + 1 :]} == {order[place + 1]}
            require_sane(archive)
        archive.observe({**articles[0], "id": "first", "published": "2025-01-01"})
        assert {archive.story_of(id) for id in order[6:]} == {"first"}, (
            "whoever comes before all is the anchor"
        )
        require_sane(archive)
        archive.learn()
        require_kept(archive)


@pytest.mark.parametrize("seed", range(4))
def test_a_stream_into_large_stories_is_sane_and_whole_once_learnt(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "MOST_RETOLD", 1)
    monkeypatch.setattr(wirecopy.archive, "RELEARN_SHARE", 10)
    pile = make_pile(seed)
    with Archive.open(tmp_path / "archive", create=True) as archive:
        for number, one in enumerate(pile):
            archive.observe(one)
            if number % 5 == 4:
                archive.remove([pile[number - 3]["id"]])
                require_sane(archive)
        archive.learn()
        require_kept(archive)


def test_where_much_goes_at_once_stories_are_told_anew(tmp_path: Path) -> None:
    with opened(tmp_path / "archive", make_pile(1)) as archive:
        archive.remove(archive.ids()[::2])
        require_kept(archive)


# Of an article that has expired


def windowed(path: Path, articles: Sequence[Row]) -> Archive:
    archive = Archive.open(path, create=True, window="10d")
    others = [{**one, "published": "2026-03-09T12:00:00Z"} for one in OTHERS[:200]]
    archive.add([*articles, *others])
    return archive


def test_the_id_of_an_expired_anchor_finds_its_story_while_a_member_lives(tmp_path: Path) -> None:
    articles = [row(id, TEXT, day) for id, day in (("a", 1), ("b", 2), ("c", 3), ("d", 8))]
    with windowed(tmp_path / "archive", articles) as archive:
        for day, lives in ((12, "b"), (13, "c"), (14, "d")):
            archive.expire(now=f"2026-03-{day}")
            assert {archive.story_of(one) for one in "abcd" if one <= lives} == {lives}
            story = archive.stories().of("a")
            assert story is not None
            assert story.id == lives
            require_sane(archive)
        archive.observe(row("e", TEXT, 9))
        archive.expire(now="2026-03-19")
        assert (archive.story_of("a"), archive.story_of("d")) == ("e", "e"), "whoever joined carries it on"
        archive.expire(now="2026-03-28")
        assert (archive.story_of("a"), archive.stories().of("a")) == (None, None)


def test_it_finds_the_earliest_if_the_story_fell_apart_and_then_the_other(tmp_path: Path) -> None:
    one, other = Writer(8).write(18), Writer(9).write(18)
    articles = [row("a", TEXT, 1), row("b", [*TEXT[:82], *one], 2), row("c", [*other, *TEXT[18:]], 4)]
    with windowed(tmp_path / "archive", articles) as archive:
        assert [archive.story_of(id) for id in "abc"] == ["a", "a", "a"]
        archive.expire(now="2026-03-12")
        assert [archive.story_of(id) for id in "abc"] == ["b", "b", "c"]
        archive.expire(now="2026-03-13")
        assert archive.story_of("a") == "c"
        archive.expire(now="2026-03-15")
        assert archive.story_of("a") is None
        assert ask(archive.path, "SELECT id FROM former UNION ALL SELECT line FROM heirs") == []


def test_it_is_not_found_after_remove(tmp_path: Path) -> None:
    articles = [row(id, TEXT, day) for id, day in (("a", 1), ("b", 2), ("c", 3), ("d", 8))]
    with windowed(tmp_path / "archive", articles) as archive:
        archive.expire(now="2026-03-12")
        archive.remove("b")
        assert (archive.story_of("a"), archive.story_of("b")) == ("c", None)
        archive.remove("a")
        assert archive.story_of("a") is None
        assert archive.stories().of("a") is None
        assert archive.story_of("c") == "c"


def test_an_id_that_comes_again_is_that_of_the_new_article(tmp_path: Path) -> None:
    articles = [row(id, TEXT, day) for id, day in (("a", 1), ("b", 2), ("c", 3))]
    with windowed(tmp_path / "archive", articles) as archive:
        archive.expire(now="2026-03-12")
        assert archive.story_of("a") == "b"
        archive.observe(row("a", Writer(1).write(80), 10))
        assert archive.story_of("a") == "a"
        archive.expire(now="2026-03-12T18:00:00Z")
        assert archive.story_of("a") == "a"
        archive.remove("a")
        assert archive.story_of("a") is None


def test_where_many_expire_at_once_the_anchors_are_found_all_the_same(tmp_path: Path) -> None:
    articles = [
        row(f"{n}{id}", Writer(n).write(80), day) for n in range(5) for id, day in (("a", 1), ("b", 5))
    ]
    with Archive.open(tmp_path / "archive", create=True, window="10d") as archive:
        archive.add(articles)
        archive.expire(now="2026-03-13")
        assert [archive.story_of(f"{n}a") for n in range(5)] == [f"{n}b" for n in range(5)]
        require_kept(archive)


# Stale, and made again


@pytest.mark.parametrize("number", [1, 2, 3])
def test_an_archive_made_before_is_filled_by_the_next_writer_and_says_so_until_then(
    number: int, tmp_path: Path
) -> None:
    path = copy_of(number, tmp_path)
    with Archive.open(path) as archive:
        assert "not told yet; the next to write" in str(archive.info()["stories_stale"])
        assert kept_stories(path) == ([], [], [])
        assert archive.story_of("first") is None
        if number > 2:  # older ones are refused: their words were read in another way
            [answer] = archive.check(LIVE[16])
            assert [one.story for one in answer.found] == [None, None]
            assert len(archive.stories()) == 1
        stages: list[str] = []
        archive.add([], progress=lambda stage, *_: stages.append(stage))
        assert "grouping" in stages
        assert archive.stale_stories is None
        require_kept(archive)


@pytest.mark.parametrize(
    "write",
    [
        lambda archive: archive.observe(row("new", TEXT)),
        lambda archive: archive.remove("nobody"),
        lambda archive: archive.compact(),
    ],
)
def test_whoever_writes_fills_it(write: Callable[[Archive], Any], tmp_path: Path) -> None:
    path = copy_of(3, tmp_path)
    with Archive.open(path) as archive:
        write(archive)
        assert archive.stale_stories is None
        assert archive.story_of("copy") == "first"
        require_sane(archive)


def test_an_add_cut_short_before_stories_are_told_says_so_and_the_next_writer_tells(tmp_path: Path) -> None:
    others = OTHERS[:100]

    def stop(stage: str, done: int, total: int) -> None:
        if stage == "grouping":
            raise KeyboardInterrupt

    with opened(tmp_path / "archive", others) as archive:
        with pytest.raises(KeyboardInterrupt):
            archive.add(edited(3), progress=stop)
        assert "3 articles came since" in str(archive.stale_stories)
        assert archive.story_of("01") is None
        require = archive.check(edited(1)[0])[0]
        assert {one.story for one in require.found} == {None}
    with Archive.open(tmp_path / "archive") as archive:
        archive.remove("nobody")
        assert archive.stale_stories is None
        assert archive.story_of("01") == "00"


DAMAGES = [
    "UPDATE members SET story = row + 1",
    "UPDATE members SET words = 'many'",
    "UPDATE members SET sum = 'none'",
    "DELETE FROM members WHERE row = (SELECT min(row) FROM members)",
    "UPDATE matches SET relation = 'nothing'",
    "UPDATE matches SET passages = x'00'",
    "UPDATE matches SET passages = substr(passages, 1, 31) || x'01' || substr(passages, 33)",
    "UPDATE matches SET query_covered = query_covered + 1e-9",
    "UPDATE matches SET resemblance = 'much'",
    "UPDATE matches SET nominated = nominated + 2",
    "UPDATE matches SET sum = 'none'",
    "UPDATE links SET kind = 'form'",
    "DELETE FROM members",
    "UPDATE members SET story = (SELECT max(story) FROM members)",
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_told_anew_and_keeps_nobody_from_anything(damage: str, tmp_path: Path) -> None:
    pile = [*edited(5), row("a", TEXT), row("b", TEXT[:60])]
    others = OTHERS[:200]
    path = tmp_path / "archive"
    with opened(path, [*pile, *others]) as archive:
        expected = as_told(archive.stories())
    works: list[Callable[[Archive], Any]] = [
        lambda archive: archive.check(pile[1]),
        lambda archive: archive.info(),
        lambda archive: archive.pairs(),
        lambda archive: list(archive.articles()),
        lambda archive: archive.story_of("01"),
        lambda archive: archive.observe(row("new", pile[0]["text"].split(), 20)),
        lambda archive: archive.remove("00"),
        lambda archive: archive.add([], replace=True),
    ]
    ask(path, damage)
    with Archive.open(path) as archive:
        assert as_told(archive.stories()) == expected
        for work in works:
            work(archive)
        archive.verify()
        assert archive.verify() == []
        archive.learn()
        require_kept(archive)


def test_verify_names_damaged_stories_and_tells_them_anew(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with opened(path, edited(5)):
        pass
    ask(path, "UPDATE members SET story = 2 WHERE row = 3")
    with Archive.open(path) as archive:
        [problem] = archive.verify()
        assert "stories damaged" in problem
        require_kept(archive)


def test_pairs_with_a_checksum_of_before_are_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with opened(path, [*edited(5), *OTHERS[:100]]) as archive:
        expected = as_told(archive.stories())
    with closing(sqlite3.connect(path)) as store, store:
        for *values, made in store.execute("SELECT * FROM matches").fetchall():
            before = zlib.crc32(repr(tuple(values)).encode())
            assert before != made
            store.execute("UPDATE matches SET sum = ? WHERE (query, found) = (?, ?)", (before, *values[:2]))
    with Archive.open(path) as archive:
        assert archive.verify() == []
        assert as_told(archive.stories()) == expected


def test_an_article_that_cannot_be_read_keeps_nobody_from_removing_others(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    others = OTHERS[:100]
    with opened(path, [*edited(5), *others]):
        pass
    ask(path, "UPDATE texts SET text = 'other' WHERE row = 3")
    with Archive.open(path) as archive:
        assert archive.remove(["00"]) == 1
        assert "00" not in archive
        with pytest.raises(ArchiveError, match="changed since"):
            archive.learn()
        assert archive.remove(["02"]) == 1
        assert archive.stale_stories is None
        archive.learn()
        require_kept(archive)


# Whoever reads


def test_a_reader_beside_the_writer_sees_stories_as_they_are_committed(tmp_path: Path) -> None:
    others = OTHERS[:100]
    first, second, *_ = edited(3)
    with (
        opened(tmp_path / "archive", [first, *others]) as archive,
        Archive.open(tmp_path / "archive") as reader,
    ):
        archive.observe(second)
        assert reader.story_of("01") == "00"
        [answer] = reader.check(second["text"])
        assert {one.story for one in answer.found} == {"00"}
        archive.remove("00")
        [answer] = reader.check(second["text"])
        assert [one.story for one in answer.found] == ["01"]


def test_an_article_that_is_removed_meanwhile_is_said_to_be_removed_not_damaged(tmp_path: Path) -> None:
    with (
        opened(tmp_path / "archive", [*edited(3), *OTHERS[:100]]) as archive,
        Archive.open(tmp_path / "archive") as reader,
    ):
        told = reader.stories()
        with reader.at_one_moment():
            held = reader.stories()
            archive.remove("01")
            assert [one.id for one in held[0].articles] == ["00", "01", "02"]
        for read in (list, lambda stories: stories.of("00"), lambda stories: list(stories.json_lines())):
            with pytest.raises(ArchiveError, match="removed since"):
                read(told)
        assert [one.id for one in reader.stories()[0].articles] == ["00", "02"]


def test_check_names_the_story_of_what_it_finds(tmp_path: Path) -> None:
    alone = Writer(77).write(80)
    with opened(tmp_path / "archive", [*edited(4), row("alone", alone)]) as archive:
        answers: list[Answer] = archive.check([edited(1)[0]["text"], join(alone), "nothing of it"])
        assert [answer.stories for answer in answers] == [["00"], ["alone"], []]
        assert {match["story"] for match in answers[0].to_dict()["matches"]} == {"00"}
        assert answers[0].to_dict()["stories"] == ["00"]


def test_forms_are_in_no_story_that_an_answer_names(tmp_path: Path) -> None:
    with opened(tmp_path / "archive", month(20)) as archive:
        [answer] = archive.check(month()[25])
        assert answer.form_of_count
        assert answer.stories == []


def test_a_backup_and_a_compacted_archive_have_the_stories(tmp_path: Path) -> None:
    with opened(tmp_path / "archive", make_pile(4)) as archive:
        expected = kept_stories(archive.path)
        archive.backup(tmp_path / "copy")
        archive.compact()
        assert kept_stories(archive.path) == kept_stories(tmp_path / "copy") == expected
    with Archive.open(tmp_path / "copy") as copy:
        require_kept(copy)


def test_an_archive_of_a_method_that_is_not_here_says_how_many_stories_it_has(tmp_path: Path) -> None:
    with opened(tmp_path / "archive", edited(4)):
        pass
    ask(
        tmp_path / "archive",
        "UPDATE settings SET value = replace(value, 'winnowing', 'lost') WHERE name = 'methods'",
    )
    ask(tmp_path / "archive", "DELETE FROM settings WHERE name = 'made_with'")
    with Archive.open(tmp_path / "archive") as archive:
        assert archive.info()["stories"] == 1
        assert archive.story_of("02") == "00"


# On the command line


def test_a_story_is_shown_by_the_id_of_its_expired_first_article(tmp_path: Path) -> None:
    articles = [row(id, TEXT, day) for id, day in (("a", 1), ("b", 2), ("c", 3))]
    with windowed(tmp_path / "archive", articles) as archive:
        archive.expire(now="2026-03-12")
    [told] = lines(program("stories", tmp_path / "archive", "--story", "a", "--quiet").stdout)
    assert [one["id"] for one in told["articles"]] == ["b", "c"]
    program("remove", tmp_path / "archive", "a", "--quiet")
    ran = program("stories", tmp_path / "archive", "--story", "a", "--quiet")
    assert ran.returncode == 1
    assert b"no article" in ran.stderr


def test_check_and_watch_name_stories_in_every_form(tmp_path: Path) -> None:
    path, query = tmp_path / "archive", tmp_path / "query.txt"
    first, second, third, *_ = edited(4)
    with opened(path, [first, second, row("alone", Writer(5).write(80))]):
        pass
    query.write_text(third["text"])
    [answer] = lines(program("check", path, query, "--quiet").stdout)
    assert answer["stories"] == ["00"]
    assert {match["story"] for match in answer["matches"]} == {"00"}
    head, *rows = program("check", path, query, "--csv", "--quiet").stdout.decode().splitlines()
    assert head.endswith(",story")
    assert {one.rpartition(",")[2] for one in rows} == {"00"}
    assert "\nstory: 00\n" in on_terminal("check", path, query)[1].replace("\r", "")
    [observed] = lines(program("watch", path, "--quiet", input=jsonl(third)).stdout)
    assert observed["stories"] == ["00"]
    assert "stories      1 of 3 articles" in program("info", path).stdout.decode()


def test_check_warns_of_stories_that_are_not_told_yet(tmp_path: Path) -> None:
    path, query = copy_of(3, tmp_path), tmp_path / "query.txt"
    query.write_text(LIVE[16]["text"])
    ran = program("check", path, query)
    assert b"warning: stories of" in ran.stderr
    assert b"not told yet; the next to write tells them" in ran.stderr
    assert b"not told yet" in program("info", path).stdout
    program("compact", path, "--quiet")
    assert program("check", path, query).stderr == b""
