"""What the one method of an archive says of a text by its own score and rule; no rule of ours is applied."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from ..methods import Method, Sketches
from ..model import Articles, Opinion, Verdict
from ..pile.opinions import RELATIONS
from ..sharing import count_hits
from .answers import Judged
from .checking import Limits, find_common, read_words
from .index import Index
from .settings import Settings
from .store import Store

BLOCK_ARTICLES = 1 << 10
"""Found articles whose texts are in memory at a time."""


class Judge:
    """Judges texts, as of the moment that the store's snapshot and the index show."""

    def __init__(self, store: Store, settings: Settings, index: Index) -> None:
        if len(settings.methods) != 1:
            names = ", ".join(one.name for one in settings.methods)
            raise UsageError(
                f"a method decides by itself in an archive of one method; {store.path} has {names}: "
                "make another with wirecopy add NEW PATH --method NAME"
            )
        [self._method] = settings.methods
        if self._method.compares_keys:
            raise UsageError(
                f"{self._method} leaves out the most frequent of all keys, which an archive does not count: "
                "use wirecopy find --decide method"
            )
        self._leaves_out = type(self._method).common is not Method.common
        self._store = store
        self._statistics = settings.statistics if self._method.weighs_words else None
        self._index = index

    def judge(self, query: Articles, limits: Limits) -> Judged:
        """What it says of one article, which is not compared with its own id."""
        [id] = query.ids
        own = [row for (row,) in self._store.select("row", "articles", "id", [id])]
        asked = self._sketch(query)
        rows = self._find_candidates(asked, own, limits)
        ids: list[str] = []
        parts = [asked]
        for start in range(0, len(rows), BLOCK_ARTICLES):
            block = self._store.batch(rows[start : start + BLOCK_ARTICLES])
            ids += block.ids
            parts.append(self._sketch(block))
        sketches = Sketches.join(parts)
        if self._leaves_out:
            keys, which, holders = self._look_up(self._method.keys(sketches).values, own)
            common = keys[find_common(self._method, len(keys), which, holders)]
            sketches = sketches.keep(~np.isin(sketches.columns[0], common))
        return Judged(id, self._rank(id, ids, sketches, limits.top), self._give_verdict(id, sketches))

    def _sketch(self, batch: Articles) -> Sketches:
        return self._method.sketch(read_words(batch, self._method), self._statistics)

    def _look_up(
        self, keys: NDArray[np.uint64], own: list[int]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint64]]:
        """The distinct keys, and which of them each row holds, of the live articles but its own; as often as it does."""
        distinct = np.unique(keys)
        holders, rows, _ = self._index.look_up(0, distinct)
        others = (self._index.places(rows) >= 0) & ~np.isin(rows, np.array(own, np.uint64))
        return distinct, holders.which[others], rows[others]

    def _find_candidates(self, asked: Sketches, own: list[int], limits: Limits) -> list[int]:
        """The rows within the limits that hold a probe of the text that is not too common."""
        keys, which, rows = self._look_up(self._method.probes(asked).values, own)
        if self._leaves_out:
            rows = rows[~find_common(self._method, len(keys), which, rows)[which]]
        found = np.unique(rows)
        kept, _ = limits.take(found, self._index, self._store)
        return sorted(row for (row,) in self._store.select("row", "texts", "row", found[kept].tolist()))

    def _rank(self, id: str, ids: list[str], sketches: Sketches, top: int | None) -> list[Opinion]:
        """Opinions on all that have a rank above 0, the best first."""
        found = np.arange(1, len(sketches))
        scores = self._method.score(sketches.take(np.zeros_like(found)), sketches.take(found))
        there, back = self._method.accepts(scores)
        order = sorted(np.flatnonzero(scores.rank > 0).tolist(), key=lambda at: (-scores.rank[at], ids[at]))
        in_found, in_query, rank = (
            column.round(4).tolist() for column in (scores.query_in_found, scores.found_in_query, scores.rank)
        )
        relations = [RELATIONS[number] for number in (there + 2 * back).tolist()]
        by = (self._method.name,)
        return [
            Opinion(id, ids[at], relations[at], in_found[at], in_query[at], rank[at], by)
            for at in order[:top]
        ]

    def _give_verdict(self, id: str, sketches: Sketches) -> Verdict | None:
        """On the text against all candidates, whatever their rank."""
        if not self._method.gives_verdicts:
            return None
        hits = count_hits(sketches, np.arange(len(sketches)) > 0)[:1]
        return Verdict(id, int(hits[0]), bool(self._method.verdict(hits)[0]))
