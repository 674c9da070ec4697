"""The archive: articles that a text can be checked against, that grows and forgets, and loses nothing it has acknowledged.

One SQLite file is the store of record (`store.py`); index segments beside it (`segments.py`) are derived from it. `index.py`
brings both together for one process. One process writes at a time, any number read.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core, text
from ..boilerplate import Formula, Learnt
from ..comparison import Compared, build_match, compare_rows, get_preset
from ..errors import ArchiveError, UsageError
from ..methods import Method
from ..model import ABOUT, UNDATED, Article, Articles, Skipped, Tokens
from ..pairs import ALL_HOLDERS, Holders, ask, file
from ..pile import LEFT_OUT, Filed, Job, Matches, Progress, file_batch, is_directed, open_pool, unite
from ..sources import Fields, read
from ..sources.fields import id_text
from ..statistics import Statistics
from .answers import Added, Answer, Observed, Source
from .index import Index
from .segments import Damaged, Segment, choose_merge, make_segment, merge_parts, write_segment
from .settings import SECOND, Settings, show_window
from .stock import Stock
from .store import Store

__all__ = ["Added", "Answer", "Archive", "Observed", "Source"]

DAY = 86_400 * SECOND
RELEARN_SHARE = 0.05
"""Boilerplate is learnt anew once so many of the articles have come or gone since: the cost stays in proportion."""
REMOVALS_KEPT = 1000
"""A reader that is more changes behind starts again."""


class Archive:
    """An archive on disk; open it with `Archive.open`. For one thread at a time; a second archive of the same path is another reader."""

    def __init__(self, path: Path, store: Store, settings: Settings, threads: int | None) -> None:
        """Use `Archive.open`."""
        self.path = path
        self.settings = settings
        self.threads = threads
        self._store = store
        self._folder = path.with_name(path.name + "-index")
        self._lock_file: int | None = None
        self._index = Index(store, settings, self._folder, self._file_rows)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        create: bool = True,
        method: str | Method | Sequence[str | Method] | None = None,
        preset: str | None = None,
        window: str | None = None,
        statistics: Statistics | None = None,
        threads: int | None = None,
    ) -> Archive:
        """The archive at `path`; made, if there is none and `create` is true, with the methods, preset and window given.

        An archive that is there must have been made with what is given, or MismatchError is raised. With a `window` ("14d") only
        articles published within it are kept.
        """
        place = Path(path)
        if threads is not None and threads < 1:
            raise UsageError(f"threads: expected at least 1, got {threads}")
        if not place.exists() and not create:
            raise ArchiveError(f"{place}: no archive there; make one with wirecopy add {place} PATH...")
        if place.is_dir():
            raise ArchiveError(f"{place}: a folder; name the file of an archive")
        if not place.parent.is_dir():
            raise ArchiveError(f"{place}: no folder {place.parent}")
        fresh = Settings.choose(method, preset, window, statistics) if not place.exists() else None
        store = Store(place)
        try:
            if store.is_new:
                with _locked(place):
                    store.prepare()
                    if store.setting("methods") is None:
                        with store.change():
                            (fresh or Settings.choose(method, preset, window, statistics)).save(store)
            settings = Settings.load(store)
            settings.require(place, method, preset, window, statistics)
            return cls(place, store, settings, threads)
        except BaseException:
            store.close()
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it; nothing is lost if that is forgotten."""
        self._store.close()
        if self._lock_file is not None:
            os.close(self._lock_file)
            self._lock_file = None

    def __len__(self) -> int:
        self._refresh()
        return len(self._index.rows)

    def __contains__(self, id: object) -> bool:
        return bool(self._store.select("row", "articles", "id", [id]))

    # Reading

    def _refresh(self) -> None:
        if self._store.has_changed() or self._index.is_behind:
            self._index.refresh()

    @contextmanager
    def _at_one_moment(self) -> Iterator[None]:
        """All reads see one moment, and the index is that of it, whatever is committed beside."""
        self._refresh()
        while True:
            with self._store.snapshot():
                if self._index.is_current():
                    yield
                    return
            self._index.refresh()

    def check(
        self,
        articles: Any,
        *,
        top: int | None = None,
        min_share: float = 0.0,
        since: str | None = None,
        until: str | None = None,
        source: str | None = None,
        not_source: str | None = None,
        preset: str | None = None,
        fields: Fields | None = None,
    ) -> list[Answer]:
        """What each text shares with the archive: passages, sources, how much is copied.

        A str is a text; else as for `find`. Only the `top` sources are given, those that hold `min_share` of the text, published
        between `since` and `until`, of (or not of) one `source`. An article is not compared with its own id.
        """
        batches = list(_batches(articles, replace(fields or Fields(), about=("title",)), "query"))
        limits = _Limits(top, min_share, _moment(since), _moment(until), source, not_source)
        return [answer for batch in batches for answer in self.check_batch(batch, limits, preset)]

    def check_batch(
        self, batch: Articles, limits: _Limits | None = None, preset: str | None = None
    ) -> list[Answer]:
        """The answers for a batch of articles."""
        limits = limits or _Limits()
        with self._at_one_moment():
            nominated = [
                self._nominate(number, batch, limits) for number in range(len(self.settings.methods))
            ]
            rows = np.unique(np.concatenate([np.empty(0, np.uint64), *(rows for _, rows in nominated)]))
            texts = dict(self._store.select("row, CAST(text AS BLOB)", "texts", "row", rows.tolist()))
            rows = np.array([row for row in rows.tolist() if row in texts], np.uint64)
            pairs = [
                (query[here], np.searchsorted(rows, found[here]).astype(np.uint32))
                for query, found in nominated
                for here in [np.isin(found, rows)]
            ]
            queries, founds, by = unite(pairs)
            tokens = _tokenise(batch, [texts[row] for row in rows.tolist()])
            learnt = self._index.learnt
            compared = compare_rows(
                tokens,
                queries,
                (founds + len(batch)).astype(np.uint32),
                get_preset(preset or self.settings.preset),
                learnt.known,
            )
            about = dict(zip(rows.tolist(), self._store.articles(rows.tolist()), strict=True))
            times = self._index.moments[self._index.places(rows[founds])].tolist() if len(rows) else []
        marks = _core.mark_boilerplate(
            tokens.hashes, tokens.offsets, tokens.halves, learnt.known.shingles, learnt.known.gap_words
        )
        articles = [about[row] for row in rows[founds].tolist()]
        return [
            self._answer(number, batch, tokens, marks, compared, queries, articles, times, by, limits)
            for number in range(len(batch))
        ]

    def _nominate(
        self, number: int, batch: Articles, limits: _Limits
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """The candidates of a method: query and row, in order."""
        method = self.settings.methods[number]
        tokens = _view_tokens(batch, method)
        sketches = method.sketch(tokens, self.settings.statistics if method.weighs_words else None)
        keys = method.probes(sketches)
        asked = file(tokens, keys)
        distinct = _core.distinct_keys(asked)
        holders, rows, words = self._index.look_up(number, distinct)
        many = np.bincount(holders.which, minlength=1) > ALL_HOLDERS
        ranks, order = self._rank(rows, limits, many[holders.which])
        if is_directed(method):
            ranks[_common(method, len(distinct), holders, rows)[holders.which]] = LEFT_OUT
        own = np.full(len(batch), LEFT_OUT, np.uint32)
        mine = dict(self._store.select("id, row", "articles", "id", list(batch.ids)))
        where = {row: rank for rank, row in enumerate(order.tolist())}
        for place, id in enumerate(batch.ids):
            if id in mine:
                own[place] = where.get(mine[id], LEFT_OUT)
        found_words = np.zeros(len(order), np.uint32)
        alive = ranks != LEFT_OUT
        found_words[ranks[alive]] = words[alive]
        boilerplate = self._index.learnt.names.get(method.name, np.empty(0, np.uint64))
        query, rank = ask(
            method,
            asked,
            distinct,
            replace(holders, article=ranks),
            query_words=np.diff(tokens.offsets).astype(np.uint32),
            own=own,
            found_words=found_words,
            boilerplate=boilerplate,
            linked=not is_directed(method),
        )
        return query, order[rank]

    def _rank(
        self, rows: NDArray[np.uint64], limits: _Limits, many: NDArray[np.bool_]
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """The rank of each of some rows by `published`, then id, among those that are live and within the limits.

        Ids are looked up only for holders of a key that `many` hold: for the others it does not matter who was first.
        """
        distinct, inverse = np.unique(rows, return_inverse=True)
        places = self._index.places(distinct)
        moments = np.where(places >= 0, self._index.moments[places] if len(self._index.moments) else 0, 0)
        kept = (places >= 0) & (moments >= limits.since) & (moments <= limits.until)
        if limits.names_source:
            known = dict(self._store.select("row, source", "articles", "row", distinct[kept].tolist()))
            kept &= np.array([limits.takes(known.get(row)) for row in distinct.tolist()], bool)
        chosen = np.flatnonzero(kept)
        chosen = chosen[np.argsort(moments[chosen], kind="stable")]
        times = moments[chosen]
        matters = np.zeros(len(distinct), bool)
        matters[inverse[many]] = True
        chosen = chosen[np.lexsort((matters[chosen], times))]
        same = (times[1:] == times[:-1]) & matters[chosen[1:]] & matters[chosen[:-1]]
        tied = np.flatnonzero(np.concatenate([[False], same]) | np.concatenate([same, [False]]))
        if len(same) and len(tied):
            rows_tied = distinct[chosen[tied]].tolist()
            ids = dict(self._store.select("row, id", "articles", "row", rows_tied))
            by_id = sorted(
                zip(times[tied].tolist(), map(ids.get, rows_tied), chosen[tied].tolist(), strict=True)
            )
            chosen[tied] = [at for *_, at in by_id]
        ranks = np.full(len(distinct), LEFT_OUT, np.uint32)
        ranks[chosen] = np.arange(len(chosen), dtype=np.uint32)
        return ranks[inverse], distinct[chosen]

    def _answer(
        self,
        number: int,
        batch: Articles,
        tokens: Tokens,
        marks: NDArray[np.uint8],
        compared: Compared,
        queries: NDArray[np.uint32],
        about: Sequence[Article],
        times: Sequence[int],
        by: NDArray[np.uint8],
        limits: _Limits,
    ) -> Answer:
        """What is answered for one article of a batch."""
        assert tokens.starts is not None
        assert tokens.ends is not None
        names = [one.name for one in self.settings.methods]
        body = str(batch.text[batch.offsets[number] : batch.offsets[number + 1]].data, "utf-8")
        words = slice(*tokens.offsets[number : number + 2].tolist())
        starts, ends, formula = tokens.starts[words], tokens.ends[words], marks[words] == 1
        rows = np.flatnonzero(
            (queries == number) & (compared.relation >= 0) & (compared.query_covered >= limits.min_share)
        )
        mine = compared.take(rows)
        edges = np.searchsorted(starts, mine.passages[:, :2].astype(starts.dtype))
        depth = np.bincount(edges[:, 0], minlength=len(starts) + 1) - np.bincount(
            edges[:, 1], minlength=len(starts) + 1
        )
        covered = np.cumsum(depth)[:-1] > 0
        found = []
        for place, row in enumerate(rows.tolist()):
            methods = tuple(name for bit, name in enumerate(names) if by[row] >> bit & 1)
            match = build_match(mine, place, batch.ids[number], about[row].id, body, methods)
            copied_words = sum(passage.words for passage in match.passages)
            found.append((-copied_words, times[row], match.found, Source(match, about[row])))
        sources = [source for *_, source in sorted(found, key=lambda one: one[:3])]
        longest = max((passage.words for source in sources for passage in source.match.passages), default=0)
        copied = int(np.sum(covered & ~formula)) / max(1, int(np.sum(~formula)))
        fresh = np.flatnonzero(np.diff(np.concatenate([[True], covered | formula, [True]])))
        new = [
            (int(starts[start]), int(ends[end - 1]))
            for start, end in zip(fresh[::2], fresh[1::2], strict=True)
        ]
        return Answer(batch.ids[number], round(copied, 4), longest, len(sources), sources[: limits.top], new)

    def pairs(self, *, preset: str | None = None, progress: Progress | None = None) -> Matches:
        """All copies among the live articles, as `find` gives them; `matches.formulas` is the boilerplate."""
        with open_pool(self.threads) as pool, self._at_one_moment():
            index, methods = self._index, self.settings.methods
            directed = [one for one in methods if is_directed(one)]
            stock = Stock(self._store, index.segments, index.rows)
            shards = index.sound(lambda segment: stock.shards(segment, methods, directed))
            report = progress or (lambda stage, done, total: None)
            chosen = get_preset(preset or self.settings.preset)
            job = Job(chosen, methods, True, self.settings.statistics, pool, report)
            report("nominating", 0, 1)
            return job.match(stock, shards, *stock.rank())

    def articles(self) -> Iterator[Article]:
        """All live articles of one moment, the earliest first, the undated last, whatever is done to the archive meanwhile."""
        self._refresh()
        store = Store(self.path)
        try:
            with store.snapshot():
                ordered = store.execute("SELECT row FROM articles ORDER BY moment IS NULL, moment, id")
                order = [row for (row,) in ordered]
                for start in range(0, len(order), 500):
                    rows = order[start : start + 500]
                    for article, body in zip(store.articles(rows), store.texts(rows), strict=True):
                        yield replace(article, text=body.decode())
        finally:
            store.close()

    @property
    def formulas(self) -> Sequence[Formula]:
        """The boilerplate as it was last learnt, the most common first."""
        self._refresh()
        return self._index.learnt.formulas

    def info(self) -> dict[str, Any]:
        """How much there is, and how it is kept."""
        self._refresh()
        index, store = self._index, self._store
        articles = len(index.rows)
        dated = index.moments[index.moments != UNDATED]
        held = sum(segment.entry.bytes for segment in index.segments)
        stored = self.path.stat().st_size
        wal = self.path.with_name(self.path.name + "-wal")
        return {
            "articles": articles,
            "first": _show_moment(dated.min()) if len(dated) else None,
            "last": _show_moment(dated.max()) if len(dated) else None,
            "methods": [str(one) for one in self.settings.methods],
            "preset": self.settings.preset,
            "window": show_window(self.settings.window),
            "segments": len(index.segments),
            "index_bytes": held,
            "index_bytes_an_article": round(held / max(1, articles)),
            "store_bytes": stored + (wal.stat().st_size if wal.exists() else 0),
            "store_bytes_an_article": round(stored / max(1, articles)),
            "formulas": len(index.learnt.formulas),
            "changed_since_learnt": store.setting("unlearnt", 0),
        }

    # Writing

    def _claim(self) -> None:
        """Become the one writer."""
        if self._lock_file is not None:
            return
        self._lock_file = _take_lock(self.path)
        try:
            self._store.prepare()
            self._refresh()
            self._index.delete_files()
            self._put_back()
        except BaseException:
            os.close(self._lock_file)
            self._lock_file = None
            raise

    def add(
        self,
        articles: Any,
        *,
        replace: bool = False,
        fields: Fields | None = None,
        batch_bytes: int = 4 << 20,
        progress: Progress | None = None,
    ) -> Added:
        """Add articles from any source; when this returns, or `progress` is called, what it speaks of is on disk.

        What is in already is not added twice, so an interrupted `add` can simply be repeated. An id that is there with
        other content is skipped, or replaced if asked for.
        """
        self._claim()
        reading = _with_about(fields or Fields())
        total, done, seen = Added(), 0, set[str]()

        def take_in(part: Any) -> tuple[int, Articles, Filed, list[bytes]]:
            batch = part()
            return part.source_bytes, batch, self._file(batch), _digest(batch)

        with open_pool(self.threads) as pool:
            work = read(articles, fields=reading, batch_bytes=batch_bytes)
            for source_bytes, batch, filed, contents in pool.map(take_in, work):
                total += self._add_batch(batch, filed, contents, replace, seen)
                done += source_bytes
                if progress:
                    progress("adding", done, 0)
        self._tidy(progress)
        return total

    def observe(self, article: Any, *, replace: bool = False, fields: Fields | None = None) -> list[Observed]:
        """Check each article against all that came before it, then add it: for streams. The answers are not revised."""
        self._claim()
        observed = []
        for batch in _batches(article, _with_about(fields or Fields()), "record"):
            for row in range(len(batch)):
                one = batch.take([row])
                [answer] = self.check_batch(one)
                added = self._add_batch(one, self._file(one), _digest(one), replace, set())
                reason = (
                    "older than the window"
                    if added.late
                    else "known"
                    if added.known
                    else added.skipped[0].reason
                    if added.skipped
                    else ""
                )
                observed.append(Observed(answer, bool(added.added or added.replaced), reason))
        self._tidy()
        return observed

    def remove(self, ids: str | Iterable[str | int]) -> int:
        """Remove articles by their ids; how many there were."""
        self._claim()
        wanted = {id_text("id", id) for id in ([ids] if isinstance(ids, str) else ids)}
        with self._changing():
            rows = [row for (row,) in self._store.select("row", "articles", "id", sorted(wanted))]
            self._remove_rows(rows)
        self._tidy()
        return len(rows)

    def expire(self, *, now: str | None = None) -> int:
        """Remove the articles that have left the window; how many there were. `now` is the clock, else the newest article is."""
        if self.settings.window is None:
            raise UsageError(f"{self.path} has no window: nothing in it expires")
        self._claim()
        gone = self._expire(_moment(now))
        self._tidy()
        return gone

    def learn(self, *, progress: Progress | None = None) -> Learnt:
        """Learn the boilerplate of the live articles, by `find`'s rule."""
        self._claim()
        matches = self.pairs(progress=progress)
        learnt, store = matches.learnt, self._store
        with self._changing():
            store.execute("DELETE FROM learnt")
            store.execute("DELETE FROM formulas")
            values = {"shingles": learnt.known.shingles, **learnt.names}
            store.insert(
                "learnt", ((name, value.astype("<u8").tobytes()) for name, value in values.items()), 2
            )
            store.insert(
                "formulas",
                (
                    (place, one.articles, one.example, one.article, json.dumps(dict(one.sources)))
                    for place, one in enumerate(learnt.formulas)
                ),
                5,
            )
            store.set("unlearnt", 0)
            store.set("learnt_change", store.setting("change", 0))
        self._index.refresh()
        return self._index.learnt

    def compact(self, *, progress: Progress | None = None) -> None:
        """Make one segment of all of a slice, forget removals, learn boilerplate, and give room back to the disk."""
        self._claim()
        for mine in map(self._slice, self._slices()):
            live = sum(len(np.intersect1d(segment.rows, self._index.rows)) for segment in mine)
            if len(mine) > 1 or live < sum(segment.entry.articles for segment in mine):
                self._merge(mine)
        self.learn(progress=progress)
        with self._store.errors("written"):
            self._store.execute("VACUUM")
            self._store.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def verify(self) -> list[str]:
        """Read everything and compare it with its checksums; what was wrong. Damaged segments are made again."""
        self._refresh()
        store, index = self._store, self._index
        with store.errors("read"):
            problems = [
                f"{self.path}: {row[0]}" for row in store.execute("PRAGMA integrity_check") if row[0] != "ok"
            ]
            orphans = store.execute(
                "SELECT count(*) FROM articles LEFT JOIN texts USING (row) WHERE text IS NULL"
            )
            if lost := orphans.fetchone()[0]:
                problems.append(f"{self.path}: {lost} articles without text")
            if altered := self._count_altered():
                problems.append(
                    f"{self.path}: {altered} articles are not as they were added; restore a backup"
                )

        def read_all(segment: Segment) -> None:
            for part in segment.parts:
                for shard in range(64):
                    part.seal.shard(part.content, shard)

        before = set(index.mended)
        index.refresh()
        index.sound(read_all)
        filed = np.sort(
            np.concatenate([np.empty(0, np.uint64), *(segment.rows for segment in index.segments)])
        )
        if len(missing := np.setdiff1d(index.rows, filed)):
            problems.append(f"{self.path}: {len(missing)} articles are in no segment")
        problems += [
            f"segment {number}: damaged, made again from the articles" for number in index.mended | before
        ]
        if index.mended:
            try:
                self._claim()
                self._put_back()
            except ArchiveError as error:
                problems.append(f"segments that were made again are not written yet: {error}")
        return problems

    # Inside

    def _count_altered(self) -> int:
        """How many articles have another content than their checksums say."""
        columns = ", ".join(f"coalesce(CAST({name} AS BLOB), x'')" for name in ("content", "text", *ABOUT))
        found = self._store.execute(f"SELECT {columns} FROM articles JOIN texts USING (row)")
        altered = 0
        while some := found.fetchmany(500):
            whole = [_join(body, [one.decode(errors="replace") for one in about]) for _, body, *about in some]
            digests = _core.blake3_hex(whole)
            altered += sum(digest != row[0].hex() for digest, row in zip(digests, some, strict=True))
        return altered

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """A change of the archive: counted, committed, taken in."""
        self._index.is_behind = True
        with self._store.change():
            self._store.set("change", self._store.setting("change", 0) + 1)
            yield
        self._index.refresh()

    def _file(self, batch: Articles) -> Filed:
        """What a batch is filed under by each method."""
        weights = {one: self.settings.statistics for one in self.settings.methods if one.weighs_words}
        return file_batch(batch, self.settings.methods, weights)

    def _encode(self, filed: Filed, rows: Sequence[int]) -> list[bytes]:
        """The parts of a segment of these rows."""
        numbers = np.array(rows, np.uint64)
        return [
            _core.encode_segment(shards, numbers, lengths.astype(np.uint32))
            for lengths, shards in (filed[method] for method in self.settings.methods)
        ]

    def _file_rows(self, number: int, slice_: int | None, first_row: int, last_row: int) -> Segment:
        """A segment made again from the store."""
        with self._store.snapshot():
            known = self._store.execute(
                "SELECT row, id, moment, title FROM articles WHERE row BETWEEN ? AND ? ORDER BY row",
                (first_row, last_row),
            ).fetchall()
            known = [one for one in known if self.settings.slice_of(one[2]) == slice_]
            rows = [row for row, *_ in known]
            bodies = self._store.texts(rows)
        offsets = np.cumsum([0, *map(len, bodies)]).astype(np.int64)
        batch = Articles(
            [id for _, id, *_ in known],
            np.frombuffer(b"".join(bodies), np.uint8),
            offsets,
            np.zeros(len(rows), np.int64),
            about={"title": [title for *_, title in known]},
        )
        return make_segment(number, slice_, first_row, last_row, self._encode(self._file(batch), rows))

    def _add_batch(
        self, batch: Articles, filed: Filed, contents: Sequence[bytes], replace: bool, seen: set[str]
    ) -> Added:
        """Add a batch in one change; `seen` are the ids that were read before, and takes in these."""
        store = self._store
        known = {
            id: (row, content)
            for id, row, content in store.select("id, row, content", "articles", "id", list(batch.ids))
        }
        fresh, skipped, already = [], list(batch.skipped), 0
        for row, id in enumerate(batch.ids):
            there = known.get(id)
            if id in seen:
                skipped.append(
                    _repeated(batch, row, f"an article with the id {id!r} was read before; give each its own")
                )
            elif there and there[1] == contents[row]:
                already += 1
            elif there and not replace:
                skipped.append(
                    _repeated(
                        batch, row, f"the archive has the id {id!r} with other content; add it with --replace"
                    )
                )
            else:
                fresh.append(row)
            seen.add(id)
        cut = self._cut(batch.published[fresh])
        kept = [row for row in fresh if batch.published[row] >= cut]
        replaced = [known[batch.ids[row]][0] for row in kept if batch.ids[row] in known]
        late = len(fresh) - len(kept)
        if kept:
            self._insert(batch, filed, contents, kept, replaced)
        return Added(len(kept) - len(replaced), already, len(replaced), late, skipped, batch.unreadable_dates)

    def _insert(
        self,
        batch: Articles,
        filed: Filed,
        contents: Sequence[bytes],
        kept: Sequence[int],
        replaced: Sequence[int],
    ) -> None:
        store, settings = self._store, self.settings
        moments = [None if moment == UNDATED else moment for moment in batch.published.tolist()]
        slices = {row: settings.slice_of(moments[row]) for row in kept}
        first = _next(store, "articles")
        rows = {row: first + place for place, row in enumerate(kept)}
        number = _next(store, "segments")
        entries: list[tuple[Any, ...]] = []
        by_slice = sorted(kept, key=lambda row: (slices[row] is not None, slices[row] or 0, row))
        for slice_, group in groupby(by_slice, key=slices.__getitem__):
            mine = list(group)
            its = filed if len(mine) == len(batch) else self._file(batch.take(mine))
            its_rows = [rows[row] for row in mine]
            made = make_segment(
                number + len(entries), slice_, its_rows[0], its_rows[-1], self._encode(its, its_rows)
            )
            entries.append(write_segment(made, self._folder))
        edges = batch.offsets.tolist()
        data = batch.text.data
        added = time.time_ns() // 1000
        columns = [batch.about.get(name) or [""] * len(batch) for name in ABOUT]
        with self._changing():
            self._remove_rows(replaced)
            store.insert(
                "articles",
                (
                    (
                        rows[row],
                        batch.ids[row],
                        moments[row],
                        contents[row],
                        added,
                        *(column[row] for column in columns),
                    )
                    for row in kept
                ),
                5 + len(ABOUT),
            )
            store.insert(
                "texts", ((rows[row], str(data[edges[row] : edges[row + 1]], "utf-8")) for row in kept), 2
            )
            store.insert("segments", entries, 8)
            store.set("unlearnt", store.setting("unlearnt", 0) + len(kept))
            if settings.window is not None:
                store.set("clock", self._clock(batch.published[list(kept)]))

    def _remove_rows(self, rows: Sequence[int]) -> None:
        store = self._store
        change = store.setting("change", 0)
        for table in ("articles", "texts"):
            store.delete(table, "row", rows)
        store.insert("removals", ((row, change) for row in rows), 2)
        store.set("unlearnt", store.setting("unlearnt", 0) + len(rows))

    def _clock(self, moments: NDArray[np.int64]) -> int | None:
        """The window's clock once these have come: the newest date that is at most a day ahead of the wall clock."""
        before: int | None = self._store.setting("clock")
        believed = moments[moments <= time.time_ns() // 1000 + DAY]
        newest = int(believed.max()) if len(believed) else None
        return max((one for one in (before, newest) if one is not None), default=None)

    def _cut(self, moments: NDArray[np.int64]) -> int:
        """What was published before is no longer kept."""
        clock = self._clock(moments) if self.settings.window is not None else None
        return np.iinfo(np.int64).min if clock is None else clock - (self.settings.window or 0)

    def _expire(self, now: int | None = None) -> int:
        cut = self._cut(np.empty(0, np.int64)) if now is None else now - (self.settings.window or 0)
        rows = self._index.rows[self._index.moments < cut].tolist()
        if rows:
            with self._changing():
                self._remove_rows(rows)
        return len(rows)

    def _slices(self) -> list[int | None]:
        return list(dict.fromkeys(segment.entry.slice for segment in self._index.segments))

    def _slice(self, slice_: int | None) -> list[Segment]:
        """The segments of a slice of time, the first rows first."""
        return [segment for segment in self._index.segments if segment.entry.slice == slice_]

    def _tidy(self, progress: Progress | None = None) -> None:
        """Let go of what has expired, drop and merge segments, learn boilerplate when enough has changed."""
        if self.settings.window is not None:
            self._expire()
        live = self._index.rows
        if sum(segment.entry.articles for segment in self._index.segments) > len(live):
            for segment in self._index.segments:
                if 2 * np.isin(segment.rows, live).sum() < segment.entry.articles:
                    self._merge([segment])
        for slice_ in self._slices():
            while count := choose_merge([one.entry.articles for one in self._slice(slice_)]):
                self._merge(self._slice(slice_)[-count:])
        if self._store.setting("unlearnt", 0) > RELEARN_SHARE * len(live):
            self.learn(progress=progress)

    def _merge(self, segments: Sequence[Segment]) -> None:
        """One segment in place of several of a slice, without what is no longer live; none if nothing is."""
        live = self._index.rows
        entries: list[tuple[Any, ...]] = []
        if any(np.isin(segment.rows, live).any() for segment in segments):
            first, last = segments[0].entry, segments[-1].entry
            number = _next(self._store, "segments")
            try:
                parts = merge_parts(segments, live)
                made = make_segment(number, first.slice, first.first_row, last.last_row, parts)
            except Damaged:
                made = self._file_rows(number, first.slice, first.first_row, last.last_row)
            entries.append(write_segment(made, self._folder))
        with self._changing():
            self._store.delete("segments", "number", [segment.entry.number for segment in segments])
            self._store.insert("segments", entries, 8)
            oldest = self._store.setting("change") - REMOVALS_KEPT
            if oldest > 0:
                self._store.execute("DELETE FROM removals WHERE change <= ?", (oldest,))
                self._store.set("removals_since", oldest)
        self._index.delete_files()

    def _put_back(self) -> None:
        """Write the segments that had to be made again."""
        for segment in [one for one in self._index.segments if one.entry.number in self._index.mended]:
            self._merge([segment])


class _Limits:
    """Which sources an answer may name."""

    def __init__(
        self,
        top: int | None = None,
        min_share: float = 0.0,
        since: int | None = None,
        until: int | None = None,
        source: str | None = None,
        not_source: str | None = None,
    ) -> None:
        if top is not None and top < 1:
            raise UsageError(f"top: expected 1 or more, got {top}")
        if not 0 <= min_share <= 1:
            raise UsageError(f"min_share: expected 0 to 1, got {min_share}")
        self.top = top
        self.min_share = min_share
        self.since = np.iinfo(np.int64).min if since is None else since
        # An article without a date is within no range of dates.
        self.until = until if until is not None else UNDATED if since is None else UNDATED - 1
        self.names_source = source is not None or not_source is not None
        self._source = source
        self._not_source = not_source

    def takes(self, source: str | None) -> bool:
        """Whether an article of this source may be named."""
        wanted = self._source is None or source == self._source
        return wanted and (self._not_source is None or source != self._not_source)


def _batches(given: Any, fields: Fields, unnamed: str) -> Iterator[Articles]:
    """What is asked about: a batch as it is, else the batches of any source; raises UsageError for a record that cannot be used."""
    if isinstance(given, Articles):
        yield given
        return
    one = isinstance(given, str | Article | Mapping)
    for part in read([given] if one else given, fields=fields, unnamed=unnamed):
        batch = part()
        for skipped in batch.skipped:
            raise UsageError(str(skipped))
        yield batch


def _with_about(fields: Fields) -> Fields:
    return replace(fields, about=ABOUT)


def _tokenise(batch: Articles, founds: Sequence[bytes]) -> Tokens:
    """The words of a batch and, behind it, of what was found."""
    texts = [batch.text[batch.offsets[0] : batch.offsets[-1]].tobytes(), *founds]
    offsets = np.concatenate(
        [
            batch.offsets - batch.offsets[0],
            batch.offsets[-1] - batch.offsets[0] + np.cumsum([*map(len, founds)], dtype=np.int64),
        ]
    )
    return text.tokenise(np.frombuffer(b"".join(texts), np.uint8), offsets.astype(np.int64), spans=True)


def _view_tokens(batch: Articles, method: Method) -> Tokens:
    """The words of a batch in a method's view."""
    texts = batch.titled_text() if method.view.title else (batch.text, batch.offsets)
    return text.tokenise(*texts, method.view, words=method.spells_words)


def _common(method: Method, keys: int, holders: Holders, rows: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which of so many keys the paper leaves out as too common, by who holds them."""
    pairs = np.unique(np.column_stack([holders.which.astype(np.uint64), rows]), axis=0)
    articles = np.bincount(pairs[:, 0].astype(np.int64), minlength=keys)
    return method.common(np.bincount(holders.which, minlength=keys), articles)


def _digest(batch: Articles) -> list[bytes]:
    """The BLAKE3 of all that is kept of each article."""
    columns = [batch.about.get(name) or [""] * len(batch) for name in ABOUT]
    edges = batch.offsets.tolist()
    whole = [
        _join(batch.text.data[start:end], about)
        for start, end, *about in zip(edges, edges[1:], *columns, strict=False)
    ]
    return [bytes.fromhex(digest) for digest in _core.blake3_hex(whole)]


def _join(body: bytes | memoryview, about: Sequence[str]) -> bytes:
    return b"\0".join([str([*map(len, about)]).encode(), body, *(one.encode() for one in about)])


def _repeated(batch: Articles, row: int, reason: str) -> Skipped:
    return Skipped(batch.where(row) if batch.where else batch.ids[row], reason)


def _next(store: Store, table: str) -> int:
    """The next number of a table whose numbers are never used again."""
    with store.errors("read"):
        found = store.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return int(found[0]) + 1 if found else 1


def _moment(date: str | None) -> int | None:
    if date is None:
        return None
    found = int(_core.iso_microseconds([date])[0])
    if found == UNDATED:
        raise UsageError(f"expected a date such as 2026-03-01 or 2026-03-01T12:00:00Z, got {date!r}")
    return found


def _show_moment(moment: Any) -> str:
    return str(np.datetime64(int(moment), "us").astype("datetime64[s]")) + "Z"


def _take_lock(path: Path) -> int:
    """Hold the lock of the one writer until the file is closed."""
    place = path.with_name(path.name + "-lock")
    try:
        lock = os.open(place, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            who = os.pread(lock, 32, 0).decode(errors="replace").strip()
            os.close(lock)
            raise
    except BlockingIOError:
        raise ArchiveError(
            f"{path}: another program is writing to it (process {who or 'unknown'}); wait for it to end. Reading is possible"
        ) from None
    except OSError as error:
        raise ArchiveError(
            f"{place}: cannot be locked: {error.strerror}; make room on the disk or check that the file can be written"
        ) from error
    with suppress(OSError):  # who it is only helps the message above
        os.ftruncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
    return lock


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = _take_lock(path)
    try:
        yield
    finally:
        os.close(lock)
