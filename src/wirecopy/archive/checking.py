"""What a text shares with an archive: the holders of its keys, the words of those, the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .. import _core, text
from ..comparison import Compared, build_match, compare_rows, get_preset
from ..errors import UsageError
from ..methods import Method
from ..model import UNDATED, Article, Articles, Tokens
from ..pairs import ALL_HOLDERS, ask, file
from ..pile import LEFT_OUT, is_directed, unite
from .answers import Answer, Source
from .index import Index
from .settings import Settings
from .store import Store


class Limits:
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

    def take(
        self, rows: NDArray[np.uint64], index: Index, store: Store
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Which of some rows are live and may be named, and the moment of each."""
        places = index.places(rows)
        moments = np.where(places >= 0, index.moments[places] if len(index.moments) else 0, 0)
        kept = (places >= 0) & (moments >= self.since) & (moments <= self.until)
        if self.names_source:
            known = dict(store.select("row, source", "articles", "row", rows[kept].tolist()))
            kept &= np.array([self.takes(known.get(row)) for row in rows.tolist()], bool)
        return kept, moments


class Checker:
    """Answers for batches of articles, as of the moment that the store's snapshot and the index show."""

    def __init__(self, store: Store, settings: Settings, index: Index) -> None:
        self._store = store
        self._settings = settings
        self._index = index

    def check(self, batch: Articles, limits: Limits, preset: str) -> list[Answer]:
        """The answers for a batch of articles."""
        nominated = [self._nominate(number, batch, limits) for number in range(len(self._settings.methods))]
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
            get_preset(preset),
            learnt.known,
        )
        about = dict(zip(rows.tolist(), self._store.articles(rows.tolist()), strict=True))
        times = self._index.moments[self._index.places(rows[founds])].tolist() if len(rows) else []
        marks = _core.mark_boilerplate(tokens, learnt.known)
        articles = [about[row] for row in rows[founds].tolist()]
        return [
            self._answer(number, batch, tokens, marks, compared, queries, articles, times, by, limits)
            for number in range(len(batch))
        ]

    def _nominate(
        self, number: int, batch: Articles, limits: Limits
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """The candidates of a method: query and row, in order."""
        method = self._settings.methods[number]
        tokens = read_words(batch, method)
        sketches = method.sketch(tokens, self._settings.statistics if method.weighs_words else None)
        keys = method.probes(sketches)
        asked = file(tokens, keys)
        distinct = _core.distinct_keys(asked)
        holders, rows, words = self._index.look_up(number, distinct)
        many = np.bincount(holders.which, minlength=1) > ALL_HOLDERS
        ranks, order = self._rank(rows, limits, many[holders.which])
        if is_directed(method):
            live = self._index.places(rows) >= 0
            common = find_common(method, len(distinct), holders.which[live], rows[live])
            ranks[common[holders.which]] = LEFT_OUT
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
        self, rows: NDArray[np.uint64], limits: Limits, many: NDArray[np.bool_]
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """The rank of each of some rows by `published`, then id, among those that are live and within the limits.

        Ids are looked up only for holders of a key that `many` hold: for the others it does not matter who was first.
        """
        distinct, inverse = np.unique(rows, return_inverse=True)
        kept, moments = limits.take(distinct, self._index, self._store)
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
        limits: Limits,
    ) -> Answer:
        """What is answered for one article of a batch."""
        assert tokens.starts is not None
        assert tokens.ends is not None
        names = [one.name for one in self._settings.methods]
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


def read_words(batch: Articles, method: Method) -> Tokens:
    """The words of a batch in a method's view."""
    texts = batch.titled_text() if method.view.title else (batch.text, batch.offsets)
    return text.tokenise(*texts, method.view, words=method.spells_words)


def find_common(
    method: Method, keys: int, which: NDArray[np.uint32], rows: NDArray[np.uint64]
) -> NDArray[np.bool_]:
    """Which of so many keys the paper leaves out as too common, by the rows that hold each, as often as they do."""
    order = np.lexsort((rows, which))
    which, rows = which[order], rows[order]
    is_first = np.append(True, (which[1:] != which[:-1]) | (rows[1:] != rows[:-1]))[: len(rows)]
    articles = np.bincount(which[is_first], minlength=keys)
    return method.common(np.bincount(which, minlength=keys), articles)
