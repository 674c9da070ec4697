"""Whatever is done to an archive, it holds what a plain dictionary would, for its writer and for a reader beside it."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from archives import as_list, as_set
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from texts import Writer, join

import wirecopy
from wirecopy import Archive, Article

WINDOW_DAYS = 10
FUTURE = "2999-01-01"


def make_pool() -> list[Article]:
    """Two contents for each of sixteen ids: copies, parts, a formula in most; some without date, one far ahead."""
    writer = Writer(1)
    stories = [writer.write(80) for _ in range(4)]
    formula = writer.write(30)
    pool = []
    for number in range(16):
        for version in range(2):
            story = stories[(number + version) % 4]
            words = writer.edit(story, 0.02) if number % 3 else writer.write(40) + story[:40]
            if number % 4:
                words += writer.write(20) + formula
            day = 1 + (number * 5 + version) % 28
            date = FUTURE if number == 15 else None if number in (3, 9) else f"2020-03-{day:02}"
            pool.append(Article(f"{number:02}", join(words), published=date, source=f"paper {number % 3}"))
    return pool


POOL = make_pool()
articles = st.integers(0, len(POOL) - 1).map(lambda number: POOL[number])


def day_of(article: Article) -> int | None:
    return None if article.published is None else int(article.published[-2:])


class Life(RuleBasedStateMachine):
    """The model: articles by id, and the day of the window's clock, which only articles of the past move."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.live: dict[str, Article] = {}
        self.clock = 0

    @initialize(windowed=st.booleans())
    def open(self, windowed: bool) -> None:
        self.windowed = windowed
        window = f"{WINDOW_DAYS}d" if windowed else None
        self.archive = Archive.open(self.folder / "archive", window=window)
        self.reader = Archive.open(self.folder / "archive", create=False)

    def teardown(self) -> None:
        if hasattr(self, "archive"):
            self.archive.close()
            self.reader.close()
        shutil.rmtree(self.folder)

    def is_late(self, article: Article) -> bool:
        day = day_of(article)
        dated = day is not None and article.published != FUTURE
        return self.windowed and dated and (day or 0) < self.clock - WINDOW_DAYS

    def take_in(self, given: list[Article], may_replace: bool) -> dict[str, int]:
        """What becomes of articles that come in one batch."""
        counts = dict.fromkeys(("added", "known", "replaced", "late", "skipped"), 0)
        fresh: dict[str, Article] = {}
        seen: set[str] = set()
        for article in given:
            there = self.live.get(article.id)
            if fresh.get(article.id, there) == article:
                counts["known"] += 1
            elif article.id in seen or (there and not may_replace):
                counts["skipped"] += 1
            else:
                fresh[article.id] = article
            seen.add(article.id)
        past = [day_of(one) or 0 for one in fresh.values() if one.published != FUTURE]
        self.clock = max([self.clock, *past])
        for id, article in fresh.items():
            if self.is_late(article):
                counts["late"] += 1
            else:
                counts["replaced" if id in self.live else "added"] += 1
                self.live[id] = article
        self.forget()
        return counts

    def forget(self) -> None:
        self.live = {id: one for id, one in self.live.items() if not self.is_late(one)}

    @rule(given=st.lists(articles, max_size=12), may_replace=st.booleans())
    def add(self, given: list[Article], may_replace: bool) -> None:
        added = self.archive.add(given, replace=may_replace)
        counts = {name: getattr(added, name) for name in ("added", "known", "replaced", "late")}
        assert {**counts, "skipped": len(added.skipped)} == self.take_in(given, may_replace)

    @rule(given=st.lists(articles, max_size=12, unique_by=lambda one: one.id))
    def add_in_small_batches(self, given: list[Article]) -> None:
        self.archive.add(given, batch_bytes=1)
        for article in given:
            self.take_in([article], False)

    @rule(article=articles)
    def observe(self, article: Article) -> None:
        before = dict(self.live)
        [observed] = self.archive.observe(article)
        counts = self.take_in([article], False)
        assert observed.kept == bool(counts["added"])
        assert observed.kept == (observed.reason == "")
        assert {match.found for match in observed.answer.matches} <= before.keys() - {article.id}

    @rule(ids=st.lists(articles.map(lambda one: one.id), max_size=6))
    def remove(self, ids: list[str]) -> None:
        gone = self.live.keys() & set(ids)
        assert self.archive.remove(ids) == len(gone)
        self.live = {id: one for id, one in self.live.items() if id not in gone}

    @rule(day=st.integers(1, 31))
    def expire(self, day: int) -> None:
        if self.windowed:
            gone = {
                id
                for id, one in self.live.items()
                if one.published not in (None, FUTURE) and (day_of(one) or 0) < day - WINDOW_DAYS
            }
            assert self.archive.expire(now=f"2020-03-{day:02}") == len(gone)
            self.live = {id: one for id, one in self.live.items() if id not in gone}

    @rule()
    def reopen(self) -> None:
        self.archive.close()
        self.archive = Archive.open(self.folder / "archive", create=False)

    @rule()
    def compact(self) -> None:
        self.archive.compact()

    @rule(article=articles, known=st.booleans())
    def check(self, article: Article, known: bool) -> None:
        query = article if known else replace(article, id="query")
        expected = as_set(wirecopy.find(list(self.live.values()), query=[query]))
        self.archive.learn()
        for archive in (self.archive, self.reader):
            [answer] = archive.check(query)
            assert as_set(answer.matches) == expected

    @rule()
    def pair(self) -> None:
        expected = wirecopy.find(list(self.live.values()))
        for archive in (self.archive, self.reader):
            found = archive.pairs()
            assert as_list(found) == as_list(expected)
            assert list(found.formulas) == list(expected.formulas)

    @invariant()
    def holds_what_the_dictionary_holds(self) -> None:
        if not hasattr(self, "archive"):
            return
        for archive in (self.archive, self.reader):
            assert len(archive) == len(self.live)
            assert {one.id: one for one in archive.articles()} == self.live
        assert self.reader.verify() == []


Life.TestCase.settings = settings(max_examples=12, stateful_step_count=30)
TestLife = Life.TestCase
