"""The archive: articles that a text can be checked against, that grows and forgets, and loses nothing it has acknowledged.

One SQLite file is the store of record (`store.py`, `connection.py`); index segments beside it (`segments.py`) are derived from it.
`index.py` brings both together for one process, `checking.py` and `opining.py` answer from it, `writing.py` changes it.
One process writes at a time, any number read.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

from .. import matching
from ..boilerplate import Formula, Learnt
from ..comparison import LAXEST_PRESET, get_relations
from ..errors import ArchiveError, UsageError, WirecopyError, refuse
from ..grouping.records import Story
from ..grouping.stories import Stories, tell_stories
from ..matching.collection import Pool, Progress, open_pool
from ..matching.matches import Matches
from ..matching.opinions import Opinions, Receive, opine_on_pairs
from ..matching.opinions import confirm as confirm_by
from ..methods import Method
from ..model import ABOUT, TOLD, Article, Articles, Skipped, count
from ..sources import Fields, read
from ..sources.fields import id_text
from ..statistics import Statistics
from .answers import Added, Answer, Found, Observed, Ranked, Status
from .backup import back_up
from .checking import Examined, answer, check, examine
from .describing import describe, find_stale
from .index import Index
from .locking import Lock, take_lock
from .looking import TOP, Limits
from .opening import Opened, open_store
from .opining import choose_method, opine
from .outbox import NOTIFIED, OBSERVED
from .reading import name_by_text, read_batches, read_moment
from .settings import Settings
from .stock import Stock
from .tables import tell
from .told import AlteredError
from .writing import Writer

__all__ = ["Added", "Answer", "Archive", "Found", "Observed", "Ranked", "Status"]

DECIDING = ("alignment", "method")
RELEARN_SHARE = 0.05
"""In a stream boilerplate is learnt anew once this share of the articles has come or gone: the cost stays in proportion."""


class Archive:
    """An archive on disk; open it with `Archive.open`. For one thread at a time; a second archive of the same path is another reader."""

    def __init__(self, path: Path, opened: Opened, threads: int | None) -> None:
        """Use `Archive.open`."""
        self.path = path
        self.threads = threads
        self.missing = opened.missing
        """What it has lost, in words, such as what was in its log; None if nothing."""
        self._store = opened.store
        self._settings = opened.settings
        self._lock: Lock | None = None
        self._tidies = True

    @property
    def settings(self) -> Settings:
        """What it was made with; raises MismatchError if that cannot be used here."""
        if isinstance(self._settings, WirecopyError):
            raise self._settings
        return self._settings

    @cached_property
    def _index(self) -> Index:
        return Index(self._store, self.settings, self.missing)

    @cached_property
    def _writer(self) -> Writer:
        return Writer(self._index)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        create: bool = False,
        method: str | Method | Sequence[str | Method] | None = None,
        preset: str | None = None,
        window: str | None = None,
        statistics: Statistics | None = None,
        threads: int | None = None,
    ) -> Archive:
        """The archive at `path`; if there is none and `create` is true, a new one with the methods, preset and window given.

        Raises ArchiveError if there is none and none is to be made, MismatchError if it was made with others than those given. With a
        `window` ("14d") only articles published within it are kept. An archive whose methods are not here is opened all the same: `articles`, `backup` and `info` work, all else is refused.
        """
        refuse((threads is not None and threads < 1, f"threads: expected at least 1, got {threads}"))
        return cls(Path(path), open_store(Path(path), create, method, preset, window, statistics), threads)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the archive; nothing is lost if that is forgotten."""
        self._store.close()
        self._let_go()

    def __repr__(self) -> str:
        try:
            holds = count(len(self))
        except WirecopyError:
            holds = "closed, or cannot be read"
        return f"<Archive {str(self.path)!r}: {holds}>"

    def __len__(self) -> int:
        return self._store.count()

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and bool(self._store.rows_of([id]))

    # Reading

    def check(
        self,
        articles: Any,
        *,
        top: int | None = TOP,
        min_share: float = 0.0,
        since: str | None = None,
        until: str | None = None,
        source: str | None = None,
        not_source: str | None = None,
        relations: Iterable[str] | None = None,
        preset: str | None = None,
        fields: Fields | None = None,
    ) -> list[Answer]:
        """What each text shares with the archive: the articles found, with passages, and how much is copied.

        A str is a text; anything else is read as by `find`. Articles are given if they hold `min_share` of the text, were published
        between `since` and `until`, are of (or not of) one `source` and of some `relations`; of these, the `top` ones, or all with None.
        Articles that are identical to one that was compared are counted and given too. An article is not compared with the one that
        has its id.
        """
        batches = list(read_batches(articles, fields, (*TOLD, "author"), "query"))
        wanted = get_relations(relations)
        limits = Limits(top, min_share, read_moment(since), read_moment(until), source, not_source, wanted)
        return [answer for batch in batches for answer in self._check(batch, limits, preset)]

    def _check(self, batch: Articles, limits: Limits, preset: str | None = None) -> list[Answer]:
        with self._index.at_one_moment():
            return check(self.settings.plan(preset), batch, self._index, limits)

    def _examine(self, batch: Articles, limits: Limits) -> tuple[Answer, Examined]:
        """The answer for one article, and what it is made of."""
        plan = self.settings.plan()
        with self._index.at_one_moment():
            examined = examine(plan, batch, self._index, limits)
            [told] = answer(plan, examined, self._index, limits)
        return told, examined

    def opinions(
        self,
        articles: Any,
        *,
        top: int | None = None,
        accepted: bool = False,
        since: str | None = None,
        until: str | None = None,
        source: str | None = None,
        not_source: str | None = None,
        fields: Fields | None = None,
    ) -> list[Ranked]:
        """What the one method of an archive says of each text by its own score and rule, as `wirecopy.opinions` does.

        Raises UsageError if there are more methods. Ranked are the articles that share a key with the text, or only those that are
        `accepted`, within limits as for `check`.
        """
        limits = Limits(top, 0.0, read_moment(since), read_moment(until), source, not_source)
        ranked: list[Ranked] = []
        for batch in list(read_batches(articles, fields, ("title",), "query")):
            with self._index.at_one_moment():
                each = (batch.take([row]) for row in range(len(batch)))
                ranked += [opine(one, self._index, limits, accepted=accepted) for one in each]
        return ranked

    def pairs(
        self,
        *,
        preset: str | None = None,
        pairs: Literal["linked", "all"] = "linked",
        relations: Iterable[str] | None = None,
        confirm: matching.Named | None = None,
        progress: Progress | None = None,
    ) -> Matches:
        """All copies among the live articles, as `find` finds them; `matches.formulas` is the boilerplate."""
        wanted, confirming = get_relations(relations), matching.choose_confirming(confirm)
        weighing, statistics = [one for one in confirming if one.weighs_words], self.settings.statistics
        way_out = "confirm with another method, or make the archive with statistics"
        refuse(
            *(
                (statistics is None, f"{one.name} weighs words, by no statistics here: {way_out}")
                for one in weighing
            )
        )
        matching.check_statistics(weighing, statistics if weighing else None)
        refuse((pairs not in ("linked", "all"), f"pairs: expected 'linked' or 'all', got {pairs!r}"))
        plan = self.settings.plan(preset, linked=pairs == "linked")
        with self._stock(progress) as (stock, pool):
            matches = matching.match(plan, stock, stock, pool).of(wanted)
            for one in confirming:
                matches = confirm_by(matches, one, stock, *stock.sketches(one), pool)
            return matches

    def stories(self, *, rule: str = "anchored", progress: Progress | None = None) -> Stories:
        """The stories of the live articles, as `wirecopy.stories` tells them; if nothing has changed since they were kept, from there.

        The id of an article that has expired and began a story finds what is left of it.
        """
        with self._stock(progress) as (stock, pool):
            told = self._writer.teller.read(stock, pool, rule)
            if told is None:
                told = tell_stories(matching.match(self.settings.plan(), stock, stock, pool), pool, rule)
            return dataclasses.replace(told, former=self._store.former())

    def story(self, id: str | int) -> Story | None:
        """The story that an article is in, as it is kept, without reading others; None where `story_of` is."""
        with self._index.at_one_moment():
            named = self.story_of(id)
            rows = self._store.rows_of([named]) if named is not None else {}
            return next(iter(self._tell_some(list(rows.values()))), None)

    def list_stories(self, *, before: int | None = None, most: int = 20) -> tuple[list[Story], int | None]:
        """Some stories as they are kept, those that began last first, and what to give as `before` for the next; None if there are no more."""
        refuse((most < 1, f"most: expected at least 1, got {most}"))
        with self._index.at_one_moment():
            rows = self._store.list_stories(before, most + 1)
            return self._tell_some(rows[:most]), rows[most - 1] if len(rows) > most else None

    def _tell_some(self, rows: Sequence[int]) -> list[Story]:
        """The stories that some articles began, as they are kept; those that are damaged are left out."""
        try:
            told = self._writer.teller.read_some(rows)
        except (AlteredError, LookupError):
            return [] if len(rows) < 2 else [story for row in rows for story in self._tell_some([row])]
        found = (told.of(id) for id in self._store.ids_of(rows))
        return [story for story in found if story is not None]

    def story_of(self, id: str | int) -> str | None:
        """The id of the story that an article is in, its own if it is in none with others; None if there is none, or it is not told yet.

        An article that has expired and began a story is in what is left of it, the earliest if that fell apart.
        """
        with self._store.snapshot():
            named = id_text("id", id)
            rows = self._store.rows_of([self._store.former([named]).get(named, named)])
            last = self._store.setting("told_row")
            told = [row for row in rows.values() if last is not None and row <= last]
            try:
                stories = self._store.stories_of(told)
            except AlteredError:
                return None
            return next(iter(self._store.named(list(stories.values())).values()), None)

    def opinions_on_pairs(
        self, *, progress: Progress | None = None, receive: Receive | None = None
    ) -> Opinions:
        """The pairs of live articles that the one method of an archive accepts, as `wirecopy.opinions` does."""
        method = choose_method(self.settings, self.path)
        refuse((method.only_ranks, f"{method.name} only ranks: give it texts, or a threshold"))
        with self._stock(progress) as (stock, pool):
            return opine_on_pairs(method, stock, *stock.sketches(method), pool, receive)

    @contextmanager
    def _stock(self, progress: Progress | None) -> Iterator[tuple[Stock, Pool]]:
        """The live articles of one moment, and the threads that work on them."""
        with open_pool(self.threads, progress) as pool, self._index.at_one_moment():
            yield Stock(self._index, pool), pool

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Let all that is asked meanwhile see the articles of one moment, whatever others add or remove."""
        with self._index.at_one_moment():
            yield

    def get(self, id: str | int) -> Article | None:
        """The article with this id and its text, or None if there is none; it is compared with its checksums, as all that is read."""
        with self._store.snapshot():
            rows = list(self._store.rows_of([id_text("id", id)]).values())
            return next(iter(self._store.whole_articles(rows)), None)

    def articles(self, *, skip: Callable[[Skipped], object] | None = None) -> Iterator[Article]:
        """All live articles of one moment, sorted by date, the undated last, whatever is done to the archive meanwhile.

        Each is compared with its checksums. One that is damaged is left out and told to `skip`; without that, ArchiveError is raised.
        """
        with self._store.beside() as store, store.snapshot():
            yield from store.all_articles(skip)

    def ids(self) -> list[str]:
        """The ids of all articles."""
        return list(self._store.all_ids())

    def select(self, is_meant: Callable[[str], bool]) -> list[Article]:
        """The articles whose ids are meant, with their texts."""
        with self._store.snapshot():
            rows = [row for id, row in self._store.all_ids().items() if is_meant(id)]
            return self._store.whole_articles(rows)

    @property
    def learnt(self) -> Learnt:
        """What its articles taught when it last learnt, which is what `check` goes by."""
        return self._store.learnt()

    @property
    def formulas(self) -> Sequence[Formula]:
        """The boilerplate as it was last learnt, the most common first."""
        return self.learnt.formulas

    @property
    def stale_stories(self) -> str | None:
        """Why the stories that it keeps are not those of the articles that it has, in words; None if they are."""
        with self._store.snapshot():
            return find_stale(self._store)

    @property
    def segments(self) -> int:
        """How many segments its index has."""
        return len(self._store.entries())

    def info(self) -> dict[str, Any]:
        """The size of the archive, and what it was made with. Raises ArchiveError if any of that is damaged."""
        return describe(self._store, self.missing)

    def backup(
        self, path: str | os.PathLike[str], *, replace: bool = False, progress: Progress | None = None
    ) -> None:
        """Copy the archive to a file, whole and of one moment, whatever is written meanwhile; the index is in it.

        Every article is compared with its checksum: raises ArchiveError, and leaves no copy, if one was altered. Raises UsageError if
        there is a file already, unless `replace`.
        """
        back_up(self._store, Path(path), replace=replace, progress=progress)

    # Writing

    @contextmanager
    def writing(
        self, *, wait: float = 0.0, tidy: bool = True, progress: Progress | None = None
    ) -> Iterator[None]:
        """Be the one writer for the changes that are made meanwhile, and let others write afterwards; waits so many seconds for another.

        Without, the first change makes this the writer until it is closed. Changes put the archive in order when they are made, which
        may take long now and then; unless they are to `tidy`, that is left to `tidy`. Raises ArchiveError if another writes all the while.
        """
        claimed, tidies = self._claim(progress, wait), self._tidies
        self._tidies = tidy
        try:
            yield
        finally:
            self._tidies = tidies
            if claimed:
                self._let_go()

    def _let_go(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()

    def _claim(self, progress: Progress | None = None, wait: float = 0.0) -> bool:
        """Become the one writer, and file articles anew if they must be; returns False if it is the writer already."""
        if self._lock is not None:
            return False
        if self.missing:
            raise ArchiveError(self.missing)
        writer = self._writer
        lock = take_lock(self._store.file, self._store.identity, self.path, wait)
        try:
            with open_pool(self.threads) as pool:
                writer.begin(pool, progress)
        except BaseException:
            lock.release()
            raise
        self._lock = lock
        return True

    def add(
        self,
        articles: Any,
        *,
        replace: bool = False,
        rename: bool = False,
        learn: bool = True,
        fields: Fields | None = None,
        batch_bytes: int = 4 << 20,
        progress: Progress | None = None,
        skip: Callable[[Skipped], object] | None = None,
    ) -> Added:
        """Add articles from any source; returns how many were added, known, late, replaced and skipped.

        What is returned, or told to `progress`, is on disk. An article that the archive has is not added again, so an interrupted `add`
        can simply be repeated. An id that it has with other content is skipped, or replaced with `replace`. At the end the boilerplate
        is learnt anew; without `learn`, as in a stream, only once a twentieth of the articles have changed. A file that the archive has
        under another id too, from other arguments, is in `elsewhere`; with `rename` only the new id stays. `skip` is called with every
        record that cannot be used; raises NothingRead if that is all.
        """
        self._claim(progress)
        reading = dataclasses.replace(fields or Fields(), about=ABOUT)
        with open_pool(self.threads) as pool:
            work = read(articles, fields=reading, batch_bytes=batch_bytes)
            total = self._writer.add_all(work, pool, replace, progress, skip)
        if rename and total.elsewhere:
            self._writer.remove({one for ids in total.elsewhere.values() for one in ids})
        self._tidy(progress, 0 if learn else RELEARN_SHARE)
        return total

    def observe(
        self,
        article: Any,
        *,
        decide: Literal["alignment", "method"] = "alignment",
        relations: Iterable[str] | None = None,
        replace: bool = False,
        notify: bool = False,
        poster: str | None = None,
        fields: Fields | None = None,
    ) -> list[Observed[Any]]:
        """Check each article against all that came before it, then add it: for streams. Returns the answers, which are not revised.

        An answer names articles of some `relations`, by default all. With `decide="method"` it is the opinion of the archive's method. The id of a record without one is the BLAKE3 of its text,
        as for a bare text. With `notify` webhooks are told what it shares with others, whatever the `relations`, each by its policy: messages
        are posted with the article, in one transaction, for whoever delivers them. `poster` is who posted it, beside its source and author.
        """
        refuse(
            (decide not in DECIDING, f"decide: expected {' or '.join(DECIDING)}, got {decide!r}"),
            (notify and decide == "method", "notify: not with decide='method', which gives no matches"),
        )
        limits = Limits(relations=get_relations(relations))
        if self._claim():
            self._tidy()
        observed = []
        for batch in read_batches(name_by_text(article, fields or Fields()), fields, ABOUT, "record"):
            for row in range(len(batch)):
                one = batch.take([row])
                told: Answer | Ranked
                told, examined = (
                    self._examine(one, limits) if decide == "alignment" else (self.opinions(one)[0], None)
                )
                post = self._prepare_post(one, told, poster) if notify else None
                observed.append(Observed.tell(told, self._writer.add_one(one, replace, examined, post)))
        self._tidy()
        return observed

    def _prepare_post(
        self, batch: Articles, told: Answer | Ranked, poster: str | None
    ) -> Callable[[], object] | None:
        """What posts messages on an article that was observed, of all that it shares with others, also if not all of that is told here."""
        outbox = self._writer.outbox
        if not isinstance(told, Answer) or not told.articles or not outbox.is_for_anybody():
            return None
        is_whole = len(told.found) == told.articles
        whole = told if is_whole else self._check(batch, Limits(top=NOTIFIED))[0]
        return partial(outbox.post, whole, poster=poster, kind=OBSERVED)

    def remove(self, ids: str | Iterable[str | int]) -> int:
        """Remove articles by their ids; returns how many there were."""
        self._claim()
        removed = self._writer.remove({id_text("id", id) for id in ([ids] if isinstance(ids, str) else ids)})
        self._tidy()
        return removed

    def expire(self, *, now: str | None = None) -> int:
        """Remove the articles that have left the window; returns how many.

        The window ends at its clock: the newest date that was added, or `now` if that is given and until a newer date comes. An earlier
        `now` sets a clock back that was wrong.
        """
        if self.settings.window is None:
            raise UsageError(f"{self.path} has no window: nothing in it expires")
        self._claim()
        gone = self._writer.expire(read_moment(now))
        self._tidy()
        return gone

    def learn(self, *, progress: Progress | None = None) -> Learnt:
        """Learn the boilerplate of the live articles by the rule of `find`, and tell their stories; returns the boilerplate."""
        self._claim(progress)
        # Of every method, as any preset may be asked for; what is learnt is the same for all.
        plan = self.settings.plan(LAXEST_PRESET)
        with self._stock(progress) as (stock, pool):
            known = matching.learn(plan, stock, stock, pool)
            telling = tell(matching.conclude(self.settings.plan(), stock, stock, known, pool), stock, pool)
        with self._writer.changing():
            self._store.set_learnt(known.learnt)
            self._writer.teller.write(telling)
        return self._index.learnt

    def compact(self, *, progress: Progress | None = None) -> None:
        """Merge all segments of each slice of time, forget removals, learn boilerplate, and give room back to the disk."""
        self._claim(progress)
        self._writer.compact(progress)
        self.learn(progress=progress)
        self._writer.shrink(progress)

    def verify(self) -> list[str]:
        """Read everything and compare it with its checksums; returns what was wrong. Damaged segments are made again."""
        problems = [*filter(None, [self.missing]), *self._store.find_damage()]
        try:
            problems = [*self._index.find_damage(), *problems]
        except ArchiveError as error:
            problems.append(str(error))
        untold = self._store.find_untold()
        problems += [f"{self.path}: stories damaged, to be told anew: {what}" for what in untold]
        if self._index.mended or untold:
            try:
                self._claim()
                self._writer.put_back()
                if untold:
                    self.learn()
            except ArchiveError as error:
                problems.append(f"what was made again is not written yet: {error}")
        return problems

    def tidy(self) -> None:
        """Remove what has expired, merge segments, and learn boilerplate if a twentieth of the articles has changed."""
        self._claim()
        self._tidy()

    def _tidy(self, progress: Progress | None = None, relearn_share: float = RELEARN_SHARE) -> None:
        """Put the archive in order, unless that is left for later; learn if more than this share of the articles has changed."""
        if not self._tidies:
            return
        self._writer.tidy()
        if self._store.setting("unlearnt", 0) > relearn_share * len(self._index.rows):
            self.learn(progress=progress)
        elif not self._writer.tell_new():
            with suppress(ArchiveError):  # what cannot be read now keeps nobody from writing
                self.learn(progress=progress)
