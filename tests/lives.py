"""Lives of an archive: whatever is done to it, it holds what a plain dictionary would, for its writer and for a reader beside it.

`make test` lives a few of them, `make quality` two thousand.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from archives import as_kept, as_list, as_set, as_told, kept_stories
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import wirecopy
from quality.texts import Writer, join
from wirecopy import Archive, Article
from wirecopy.archive import segments
from wirecopy.archive import settings as archive_settings
from wirecopy.errors import ArchiveError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)
START = datetime(2026, 3, 15, 12, tzinfo=UTC)
WINDOWS = {
    None: timedelta(days=10),
    "2h": timedelta(hours=2),
    "30h": timedelta(hours=30),
    "10d": timedelta(days=10),
}
"""Each window with how long it is; without one, how far dates are apart all the same."""


def make_texts() -> list[tuple[str, str]]:
    """Two texts for each of sixteen ids: copies, parts, a formula in most."""
    writer = Writer(1)
    stories = [writer.write(80) for _ in range(4)]
    formula = writer.write(30)

    def make(number: int, version: int) -> str:
        story = stories[(number + version) % 4]
        words = writer.edit(story, 0.02) if number % 3 else writer.write(40) + story[:40]
        return join(words + writer.write(20) + formula if number % 4 else words)

    return [(make(number, 0), make(number, 1)) for number in range(16)]


TEXTS = make_texts()


@dataclass(frozen=True)
class When:
    """A moment, told from one that the archive is at: now, its clock, or an edge of what it keeps or believes."""

    anchor: str
    eighths: int = 0
    """Of the window."""
    moments: int = 0
    """The shortest times that are told apart."""


edges = st.builds(When, st.sampled_from(["clock", "cut", "believed"]), moments=st.integers(-1, 1))
spread = st.builds(When, st.just("now"), st.integers(-12, 6))
far = st.sampled_from([When("now", 10_000), When("now", -1000)])
moments = st.one_of(spread, spread, edges, far)


@dataclass(frozen=True)
class Coming:
    """An article to come: one of two texts of an id at some time, or as the archive has it."""

    number: int
    version: int
    when: When | None
    again: bool

    @property
    def id(self) -> str:
        return f"{self.number:02}"


comings = st.builds(
    Coming,
    st.integers(0, len(TEXTS) - 1),
    st.integers(0, 1),
    st.one_of(moments, moments, moments, st.none()),
    st.sampled_from([False, False, True]),
)
ids = st.integers(0, len(TEXTS) - 1).map("{:02}".format)


def moment_of(article: Article) -> datetime | None:
    return None if article.published is None else datetime.fromisoformat(article.published)


@dataclass(frozen=True)
class Held:
    """The model: articles by id, the clock of the window, and the ids of what was removed and did not come again."""

    live: dict[str, Article]
    clock: datetime | None = None
    removed: frozenset[str] = frozenset()


class Life(RuleBasedStateMachine):
    """An archive, a reader beside it, and copies of it; the wall clock is what the test says."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.held = Held({})
        self.copies: list[tuple[Path, Held]] = []
        self.names = 0
        self.now = START
        self.before = archive_settings.wall_clock, segments.IN_STORE_BYTES
        archive_settings.wall_clock = lambda: (self.now - EPOCH) // MOMENT

    @initialize(window=st.sampled_from(list(WINDOWS)), in_files=st.booleans())
    def make(self, window: str | None, in_files: bool) -> None:
        self.window, self.length = window, WINDOWS[window]
        if in_files:
            segments.IN_STORE_BYTES = 0
        self.path = self.new_path()
        Archive.open(self.path, create=True, window=window).close()
        self.open(self.path)

    def teardown(self) -> None:
        archive_settings.wall_clock, segments.IN_STORE_BYTES = self.before
        if hasattr(self, "archive"):
            self.close()
        shutil.rmtree(self.folder)

    def open(self, path: Path) -> None:
        self.archive, self.reader = (Archive.open(path) for _ in range(2))

    def close(self) -> None:
        self.archive.close()
        self.reader.close()

    def new_path(self) -> Path:
        self.names += 1
        return self.folder / f"archive {self.names}"

    # The model

    def find_moment(self, when: When) -> datetime:
        clock = self.held.clock or self.now
        anchors = {
            "now": self.now,
            "clock": clock,
            "cut": clock - self.length,
            "believed": self.now + self.lead,
        }
        moved = anchors[when.anchor] + when.eighths * self.length / 8 + when.moments * MOMENT
        return min(moved, datetime(9000, 1, 1, tzinfo=UTC))

    @property
    def lead(self) -> timedelta:
        return min(timedelta(days=1), self.length / 4)

    def make_article(self, coming: Coming) -> Article:
        there = self.held.live.get(coming.id)
        if coming.again and there:
            return there
        date = self.find_moment(coming.when).isoformat() if coming.when else None
        text = TEXTS[coming.number][coming.version]
        return Article(coming.id, text, published=date, source=f"paper {coming.number % 3}")

    def is_late(self, article: Article, clock: datetime | None) -> bool:
        moment = moment_of(article)
        if self.window is None or clock is None or moment is None:
            return False
        return moment < clock - self.length

    def is_believed(self, moment: datetime | None) -> bool:
        return moment is not None and moment <= self.now + self.lead

    def take_in(self, given: list[Article], may_replace: bool) -> dict[str, Any]:
        """What becomes of articles that come in one batch."""
        told: dict[str, Any] = dict.fromkeys(("added", "known", "replaced", "late", "skipped"), 0)
        live, fresh, seen = self.held.live, dict[str, Article](), set[str]()
        for article in given:
            there = live.get(article.id)
            if fresh.get(article.id, there) == article:
                told["known"] += 1
            elif article.id in seen or (there and not may_replace):
                told["skipped"] += 1
            else:
                fresh[article.id] = article
            seen.add(article.id)
        dates = [self.held.clock, *map(moment_of, fresh.values())]
        believed = [one for one in dates if one is not None and (one == dates[0] or self.is_believed(one))]
        clock = max(believed, default=None) if self.window else None
        kept = {id: one for id, one in fresh.items() if not self.is_late(one, clock)}
        told["late"] = len(fresh) - len(kept)
        told["replaced"] = len(kept.keys() & live.keys())
        told["added"] = len(kept) - told["replaced"]
        dated = {id for id, one in kept.items() if one.published}
        told["ahead"] = {id for id in dated if self.window and not self.is_believed(moment_of(kept[id]))}
        removed = self.held.removed - kept.keys()
        self.held = Held({**live, **kept}, clock if kept else self.held.clock, removed)
        return told

    def forget(self) -> int:
        """Let go of what has left the window, as each command does at its end; returns how many."""
        left = {id: one for id, one in self.held.live.items() if not self.is_late(one, self.held.clock)}
        gone = len(self.held.live) - len(left)
        self.held = replace(self.held, live=left)
        return gone

    # What is done

    @rule(eighths=st.integers(-4, 12))
    def let_time_pass(self, eighths: int) -> None:
        """Or set the wall clock back, as happens to computers."""
        self.now += eighths * self.length / 8

    @rule(given=st.lists(comings, max_size=12), may_replace=st.booleans())
    def add(self, given: list[Coming], may_replace: bool) -> None:
        articles = list(map(self.make_article, given))
        added = self.archive.add(articles, replace=may_replace)
        told = {name: getattr(added, name) for name in ("added", "known", "replaced", "late")}
        told |= {"skipped": len(added.skipped), "ahead": set(added.ahead)}
        assert told == self.take_in(articles, may_replace)
        self.forget()

    @rule(given=st.lists(comings, max_size=8, unique_by=lambda one: one.number))
    def add_in_small_batches(self, given: list[Coming]) -> None:
        articles = list(map(self.make_article, given))
        self.archive.add(articles, batch_bytes=1)
        for article in articles:
            self.take_in([article], False)
        self.forget()

    @rule(coming=comings)
    def observe(self, coming: Coming) -> None:
        article, before = self.make_article(coming), dict(self.held.live)
        [observed] = self.archive.observe(article)
        told = self.take_in([article], False)
        self.forget()
        assert observed.kept == bool(told["added"])
        assert observed.kept == (observed.reason == "")
        assert bool(observed.ahead) == bool(told["ahead"])
        assert {match.found for match in observed.answer.matches} <= before.keys() - {article.id}

    @rule(ids=st.lists(ids, max_size=6))
    def remove(self, ids: list[str]) -> None:
        gone = self.held.live.keys() & set(ids)
        assert self.archive.remove(ids) == len(gone)
        left = {id: one for id, one in self.held.live.items() if id not in gone}
        self.held = replace(self.held, live=left, removed=self.held.removed | set(ids))

    @precondition(lambda self: self.window)
    @rule(when=st.one_of(st.none(), moments))
    def expire(self, when: When | None) -> None:
        if when:
            self.held = replace(self.held, clock=self.find_moment(when))
        now = self.held.clock.isoformat() if when and self.held.clock else None
        gone = self.forget()
        assert self.archive.expire(now=now) == gone

    @rule()
    def compact(self) -> None:
        self.archive.compact()

    # Where it is

    @rule()
    def reopen(self) -> None:
        self.close()
        self.open(self.path)

    @rule()
    def move(self) -> None:
        """Together with its index, while nobody has it open."""
        self.close()
        path = self.new_path()
        for end in ("", "-index"):
            if Path(f"{self.path}{end}").exists():
                Path(f"{self.path}{end}").rename(f"{path}{end}")
        self.path = path
        self.open(path)

    @rule()
    def open_by_a_relative_path(self) -> None:
        """It stays the same archive when the process goes elsewhere."""
        self.close()
        (self.folder / "elsewhere").mkdir(exist_ok=True)
        with chdir(self.folder):
            self.open(Path(self.path.name))
        with chdir(self.folder / "elsewhere"):
            self.holds_what_the_model_holds()
            self.archive.compact()
        assert not list((self.folder / "elsewhere").iterdir())

    @rule()
    def copy(self) -> None:
        path = self.new_path()
        self.reader.backup(path)
        self.copies.append((path, self.held))

    @precondition(lambda self: self.copies)
    @rule(number=st.integers(0, 3))
    def go_on_with_a_copy(self, number: int) -> None:
        """What is done to one is not done to the other."""
        self.close()
        self.copies.append((self.path, self.held))
        self.path, self.held = self.copies.pop(number % (len(self.copies) - 1))
        self.open(self.path)

    @rule(coming=comings)
    def fork(self, coming: Coming) -> None:
        """A child that goes on with what its parent opened is told so; one that opens the archive itself sees the same."""
        article = self.make_article(coming)

        def read_again() -> str:
            with Archive.open(self.path) as mine:
                return str({one.id for one in mine.articles()} == self.held.live.keys())

        for archive in (self.archive, self.reader):
            said = in_child(lambda: str(archive.check(article)))  # noqa: B023
            assert said.startswith("ArchiveError: "), said
            assert "fork" in said
            said = in_child(lambda: str(archive.add([article])))  # noqa: B023
            assert said.startswith("ArchiveError: "), said
            assert "fork" in said or "another program is writing" in said, said
        assert in_child(read_again) == "True"

    # What it says

    @rule(coming=comings, known=st.booleans())
    def check(self, coming: Coming, known: bool) -> None:
        article = self.make_article(coming)
        query = article if known else replace(article, id="query")
        expected = as_set(wirecopy.find(list(self.held.live.values()), query=[query]))
        self.archive.learn()
        for archive in (self.archive, self.reader):
            [answer] = archive.check(query)
            assert as_set(answer.matches) == expected

    @rule()
    def pair(self) -> None:
        expected = wirecopy.find(list(self.held.live.values()))
        for archive in (self.archive, self.reader):
            found = archive.pairs()
            assert as_list(found) == as_list(expected)
            assert list(found.formulas) == list(expected.formulas)

    @rule()
    def tell_stories(self) -> None:
        """Once it has learnt, its tables say what `stories` does, whatever was done before."""
        self.archive.learn()
        expected = wirecopy.stories(list(self.held.live.values()))
        assert kept_stories(self.path) == as_kept(expected)
        for archive in (self.archive, self.reader):
            assert as_told(archive.stories()) == as_told(expected)

    @invariant()
    def tells_of_nothing_that_is_gone(self) -> None:
        if not hasattr(self, "archive"):
            return
        stories, versions, links = kept_stories(self.path)
        named = {one[0] for one in stories} | {id for one in versions for id in (one[0], one[2], one[5])}
        assert named | {id for one in links for id in one[:2]} <= self.held.live.keys() | {None}
        assert {one[2] for one in versions} == {id for one in versions for id in (one[0], one[2])}
        assert set(self.reader._store.former().values()) <= self.held.live.keys()
        assert self.reader.stale_stories is None
        for id in map("{:02}".format, range(len(TEXTS))):
            story = self.reader.story_of(id)
            assert story in self.held.live or (story is None and id not in self.held.live)
            assert story is None or id not in self.held.removed

    @invariant()
    def holds_what_the_model_holds(self) -> None:
        if not hasattr(self, "archive"):
            return
        clock = self.held.clock and self.held.clock.strftime("%Y-%m-%dT%H:%M:%SZ")
        for archive in (self.archive, self.reader):
            assert len(archive) == len(self.held.live)
            assert {one.id: one for one in archive.articles()} == self.held.live
            assert archive.info()["clock"] == clock
        assert self.reader.verify() == []


def in_child(work: Callable[[], str]) -> str:
    """What some work says in a forked process, or with which error it ends."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        try:
            said = work()
        except ArchiveError as error:
            said = f"ArchiveError: {error}"
        except BaseException as error:
            said = repr(error)
        os.write(theirs, said.encode()[:1000])
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return said
