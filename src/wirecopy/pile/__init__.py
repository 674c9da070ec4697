"""The whole job on a pile: read, nominate, learn boilerplate, compare.

Two passes over the words. The first files each batch's keys and forgets its words; the second reads again only the
articles that are candidates, a block of related pairs at a time. Texts and keys are what is held in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from .. import _core, methods, text
from ..boilerplate import Learnt
from ..comparison import DEFAULT_PRESET, Compared, Preset, compare_rows, get_preset
from ..errors import UsageError
from ..methods import Method, Sketches
from ..model import Articles, Boilerplate, Skipped, Tokens, View
from ..pairs import Holders, ask, collide, file, look_up
from ..sharing import Sharing
from ..sources import Fields, Work, read
from ..statistics import Statistics
from .collection import LEFT_OUT, Pile, Pool, open_pool
from .formulas import Learner
from .matches import Matches
from .opinions import Opinions, Receive, judge

__all__ = [
    "LEFT_OUT",
    "Filed",
    "Job",
    "Matches",
    "Opinions",
    "Pile",
    "Progress",
    "default_methods",
    "file_batch",
    "find",
    "is_directed",
    "open_pool",
    "tune",
    "unite",
    "weigh",
]

BLOCK_PAIRS = 512
MEMORY_A_BYTE = 1.9
"""Bytes held for each byte of input, measured on 182,000 news articles (benchmarks/run.py)."""

Progress = Callable[[str, int, int], None]
"""Called with a stage, how much of it is done and how much there is."""
Named = str | Method
Pairs = tuple[NDArray[np.uint32], NDArray[np.uint32]]
Filed = dict[Method, tuple[NDArray[np.int64], list[_core.Postings]]]
"""For each method, the words of a batch's articles and their postings."""
NO_LENGTHS, NO_PAIRS = np.empty(0, np.int64), np.empty(0, np.uint32)
EMPTY = Articles((), np.empty(0, np.uint8), np.zeros(1, np.int64), NO_LENGTHS)


@overload
def find(
    articles: Any,
    *,
    query: Any = None,
    preset: str = DEFAULT_PRESET,
    method: Named | Sequence[Named] | None = None,
    decide: Literal["alignment"] = "alignment",
    pairs: Literal["linked", "all"] = "linked",
    threads: int | None = None,
    fields: Fields | None = None,
    batch_bytes: int = 4 << 20,
    statistics: Statistics | None = None,
    top: int | None = None,
    progress: Progress | None = None,
    receive: Receive | None = None,
) -> Matches: ...
@overload
def find(
    articles: Any,
    *,
    query: Any = None,
    preset: str = DEFAULT_PRESET,
    method: Named | Sequence[Named] | None = None,
    decide: Literal["method"],
    pairs: Literal["linked", "all"] = "linked",
    threads: int | None = None,
    fields: Fields | None = None,
    batch_bytes: int = 4 << 20,
    statistics: Statistics | None = None,
    top: int | None = None,
    progress: Progress | None = None,
    receive: Receive | None = None,
) -> Opinions: ...
def find(
    articles: Any,
    *,
    query: Any = None,
    preset: str = DEFAULT_PRESET,
    method: Named | Sequence[Named] | None = None,
    decide: Literal["alignment", "method"] = "alignment",
    pairs: Literal["linked", "all"] = "linked",
    threads: int | None = None,
    fields: Fields | None = None,
    batch_bytes: int = 4 << 20,
    statistics: Statistics | None = None,
    top: int | None = None,
    progress: Progress | None = None,
    receive: Receive | None = None,
) -> Matches | Opinions:
    """All copies in a pile of articles, or, with `query`, what the articles of `query` share with the pile.

    `articles` are paths, texts, `Article`s, dicts, Arrow tables, or a list of such; so is `query`. With `pairs="linked"` the
    members of a family too big to pair all with all are linked to its earliest members; "all" writes out every pair.
    `decide="method"` gives the opinion of one published method in place of the comparison's. Methods that weigh words do
    so by `statistics`, of a reference collection, or else by those of the pile itself; with a query they rank the pile
    against it, the best `top` if given. `receive` is called with opinions as they come, which are then not kept: a big
    family has as many as its square. The answer is the same for any order of the input, number of threads and `batch_bytes`;
    of two records with one id, the one read first counts.
    """
    chosen = get_preset(preset)
    nominating = _get_methods(method, chosen)
    if decide not in ("alignment", "method"):
        raise UsageError(f"decide: expected 'alignment' or 'method', got {decide!r}")
    if pairs not in ("linked", "all"):
        raise UsageError(f"pairs: expected 'linked' or 'all', got {pairs!r}")
    if decide == "method" and (method is None or len(nominating) != 1):
        raise UsageError("decide='method' needs one method: name it")
    if decide == "method" and query is None and nominating[0].only_ranks:
        raise UsageError(
            f"{nominating[0].name} has no threshold and only ranks: give it a query, or a threshold"
        )
    if top is not None and (top < 1 or decide != "method" or query is None):
        raise UsageError(f"top: expected 1 or more, with decide='method' and a query, got {top}")
    if statistics is not None and not any(one.weighs_words for one in nominating):
        raise UsageError(f"statistics: {', '.join(one.name for one in nominating)} weighs no words")
    for one in nominating:
        if statistics is not None and one.weighs_words:
            statistics.require(one.view)
    reading = _reading(fields, any(one.view.title for one in nominating))
    asked = None
    if query is not None:
        work = read(query, fields=reading, batch_bytes=batch_bytes, unnamed="query")
        asked = [part() for part in work]
    work = read(articles, fields=reading, batch_bytes=batch_bytes)
    with open_pool(threads) as pool:
        report = progress or (lambda stage, done, total: None)
        job = Job(chosen, nominating, pairs == "linked", statistics, pool, report)
        if decide == "method":
            return job.judge(job.read(asked, work, [])[0], top, receive)
        ready = [one for one in nominating if not one.weighs_words and not is_directed(one)]
        return job.find(*job.read(asked, work, ready))


def weigh(
    articles: Any,
    method: Named,
    *,
    threads: int | None = None,
    fields: Fields | None = None,
    batch_bytes: int = 4 << 20,
    progress: Progress | None = None,
) -> tuple[Statistics, Sequence[Skipped]]:
    """In how many articles of a collection each word occurs, words as the method reads them; and what was skipped."""
    [weighing] = _get_methods(method, get_preset(DEFAULT_PRESET))
    with open_pool(threads) as pool:
        report = progress or (lambda stage, done, total: None)
        job = Job(get_preset(DEFAULT_PRESET), [weighing], True, None, pool, report)
        reading = _reading(fields, weighing.view.title)
        work = read(articles, fields=reading, batch_bytes=batch_bytes)
        pile = job.read(None, work, [])[0]
        return job.weigh(pile, weighing), pile.skipped


def tune(
    articles: Any,
    method: Named,
    *,
    queries: int | None = None,
    statistics: Statistics | None = None,
    fields: Fields | None = None,
) -> tuple[Sequence[Any], Sequence[Skipped]]:
    """Trials of a method's parameter on a collection, by its paper's own procedure; and what was skipped.

    The first `queries` articles in time are asked about, or all.
    """
    [tuned] = _get_methods(method, get_preset(DEFAULT_PRESET))
    with open_pool(None) as pool:
        job = Job(get_preset(DEFAULT_PRESET), [tuned], True, statistics, pool, lambda *_: None)
        pile = job.read(None, read(articles, fields=fields or Fields(), batch_bytes=4 << 20), [])[0]
        weights = job.weigh(pile, tuned) if tuned.weighs_words else None
        _, order = pile.rank()
        tokens = text.tokenise(*pile.texts(order.tolist()), tuned.view, words=tuned.spells_words)
        return tuned.tune(tokens, weights, np.arange(len(order))[:queries]), pile.skipped


def default_methods(preset: Preset) -> list[Method]:
    """What nominates: every common run of `min_passage_words` words, or of 20 where that is less, and equal articles."""
    winnowing = methods.find_class("winnowing")()
    window = winnowing.guaranteed_words or 0
    fewer = max(0, window - preset.min_passage_words)
    return [methods.get("exact"), methods.get("winnowing", window_words=winnowing.window_words - fewer)]  # type: ignore[attr-defined]


def _reading(fields: Fields | None, title: bool) -> Fields:
    """The fields with what is read beside text, id and date: the title, or nothing."""
    return replace(fields or Fields(), about=("title",) if title else ())


def _get_methods(method: Named | Sequence[Named] | None, preset: Preset) -> list[Method]:
    if method is None:
        return default_methods(preset)
    chosen = [method] if isinstance(method, str | Method) else method
    if not 1 <= len(chosen) <= 8:
        raise UsageError(f"expected one to eight methods, got {len(chosen)}")
    return list(dict.fromkeys(methods.get(one) if isinstance(one, str) else one for one in chosen))


@dataclass(frozen=True)
class Job:
    """What is done with a pile: by which methods and preset, on which threads."""

    preset: Preset
    methods: Sequence[Method]
    linked: bool
    statistics: Statistics | None
    pool: Pool
    progress: Progress

    def read(
        self, asked: Sequence[Articles] | None, work: Iterable[Work], ready: Sequence[Method]
    ) -> tuple[Pile, list[Filed]]:
        """The pile, and what its batches are filed under by the methods that are `ready`."""

        def take_in(part: Work) -> tuple[int, Articles, Filed]:
            batch = part()
            return part.source_bytes, batch, file_batch(batch, ready, {})

        def all_work() -> Iterable[Work]:
            for batch in asked or ():
                yield Work(lambda batch=batch: batch)  # type: ignore[misc]
            yield from work

        pile, filed, done = Pile(asked), [], 0
        for source_bytes, batch, postings in self.pool.map(take_in, all_work()):
            pile.add(batch)
            filed.append(postings)
            done += source_bytes
            self.progress("reading", done, 0)
        return pile, filed

    def weigh(self, pile: Pile, method: Method) -> Statistics:
        """The statistics for a method: those given, or the pile's own."""
        if self.statistics is not None:
            return self.statistics
        self.progress("weighing", 0, 1)
        batches = pile.without_queries()
        tokens = self.pool.map(lambda batch: _tokenise(batch, method.view), batches)
        statistics = Statistics.count(tokens, method.view)
        self.progress("weighing", 1, 1)
        return statistics

    def file_weighed(self, pile: Pile, filed: list[Filed]) -> None:
        """Files the keys of the methods that weigh words beside the others."""
        weighing = (one for one in self.methods if one.weighs_words and not is_directed(one))
        statistics = {one: self.weigh(pile, one) for one in weighing}
        work = self.pool.map(lambda batch: file_batch(batch, list(statistics), statistics), pile.batches)
        for mine, more in zip(filed, work, strict=True):
            mine |= more

    def sketch(self, pile: Pile, method: Method) -> Sketches:
        """What a method remembers of all articles."""
        statistics = self.weigh(pile, method) if method.weighs_words else None

        def sketch_batch(batch: Articles) -> Sketches:
            return method.sketch(_tokenise(batch, method.view, words=method.spells_words), statistics)

        return Sketches.join(list(self.pool.map(sketch_batch, pile.batches or [EMPTY])))

    def find(self, pile: Pile, filed: list[Filed]) -> Matches:
        """The matches of a pile, or of its queries, which know the pile's boilerplate and do not add to it."""
        self.progress("nominating", 0, 1)
        self.file_weighed(pile, filed)
        ranks, order = pile.rank()
        asked = pile.asked or 0
        articles = len(order) - asked
        filing = [one for one in self.methods if not is_directed(one)]
        questions = [_Question.ask(pile, filed, one) for one in filing] if pile.asked is not None else []
        in_pile = np.where(ranks < articles, ranks, np.uint32(LEFT_OUT))
        matches = self.match(pile, filed, in_pile, order[:articles])
        if pile.asked is None:
            return matches
        own = np.full(len(ranks), LEFT_OUT, np.uint32)
        own[list(pile.own)] = in_pile[list(pile.own.values())]
        nominated: dict[Method, Pairs] = {
            one.method: one.nominate(in_pile, order, own, matches.learnt, linked=self.linked)
            for one in questions
        }
        for one in self.methods:
            if is_directed(one):
                later, earlier = self._share(one, pile, order)
                chosen = (later >= articles) & (earlier < articles) & (earlier != own[order[later]])
                nominated[one] = later[chosen], earlier[chosen]
        return self._answer(matches, [nominated[one] for one in self.methods], order)

    def _answer(self, matches: Matches, nominated: Sequence[Pairs], order: NDArray[np.int64]) -> Matches:
        """The matches of queries with what was nominated for them, with what is known of the pile."""
        later, earlier, by = unite(nominated)
        compared, kept = self.compare(matches.pile, order, (later, earlier), matches.learnt.known)
        work = {"candidates": len(later), "comparisons": len(later), "matches": len(kept)}
        counts = {**matches.counts, "articles": len(order), **work}
        return Matches(
            matches.pile,
            order[later[kept]],
            order[earlier[kept]],
            by[kept],
            compared,
            self.names,
            matches.learnt,
            counts,
        )

    def match(
        self,
        pile: Pile,
        filed: list[Filed],
        ranks: NDArray[np.uint32],
        order: NDArray[np.int64],
    ) -> Matches:
        """The matches of all articles that have a rank."""
        learner = Learner(pile, order)
        nominated, names, collisions = self.nominate(pile, filed, ranks, order, learner)
        later, earlier, by = unite(nominated)
        candidates = comparisons = len(later)
        self.progress("nominating", 1, 1)
        compared, kept = self.compare(pile, order, (later, earlier), learner.known)
        later, earlier, by = later[kept], earlier[kept], by[kept]
        holders = learner.learn_passages(later, earlier, compared)
        if len(holders):
            again = np.isin(later, holders) | np.isin(earlier, holders)
            comparisons += int(again.sum())
            redone, kept = self.compare(pile, order, (later[again], earlier[again]), learner.known)
            numbers = np.concatenate([np.flatnonzero(~again), np.flatnonzero(again)[kept]])
            by_time = np.argsort(numbers)
            compared = Compared.join([compared.take(np.flatnonzero(~again)), redone]).take(by_time)
            later, earlier, by = (column[numbers[by_time]] for column in (later, earlier, by))
        counts = {
            "articles": len(order),
            "collisions": collisions,
            "candidates": candidates,
            "comparisons": comparisons,
            "matches": len(later),
        }
        learnt = Learnt(learner.known, names, learner.formulas)
        return Matches(pile, order[later], order[earlier], by, compared, self.names, learnt, counts)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the methods."""
        return tuple(one.name for one in self.methods)

    def nominate(
        self,
        pile: Pile,
        filed: list[Filed],
        ranks: NDArray[np.uint32],
        order: NDArray[np.int64],
        learner: Learner,
    ) -> tuple[list[Pairs], dict[str, NDArray[np.uint64]], int]:
        """The candidates of each method, the names of common keys that are boilerplate, and how many keys collided."""
        evidence = {}
        for one in self.methods:
            if is_directed(one):
                continue
            mine = [batch.pop(one) for batch in filed]
            words = np.concatenate([NO_LENGTHS, *(lengths for lengths, _ in mine)])[order].astype(np.uint32)
            postings = [shards for _, shards in mine]
            del mine
            evidence[one] = collide(
                one, postings, pile.firsts, ranks, words, linked=self.linked, apply=self.pool.map
            )
        convicted = {one: learner.learn(mine.suspects) for one, mine in evidence.items()}
        nominated = {one: mine.nominate(convicted[one]) for one, mine in evidence.items()}
        for one in self.methods:
            if is_directed(one):
                nominated[one] = self._share(one, pile, order)
        collisions = sum(len(mine) + mine.weak for mine in evidence.values())
        names = {one.name: _distinct(mine.common_names[convicted[one]]) for one, mine in evidence.items()}
        return [nominated[one] for one in self.methods], names, collisions

    def _share(self, method: Method, pile: Pile, order: NDArray[np.int64]) -> Pairs:
        """The pairs of which the later article's probes are keys of the earlier."""
        shared = list(
            Sharing(method, self.sketch(pile, method), order, self.pool.map).pairs(0, len(order), 1 << 20)
        )
        later, earlier = zip(*shared, strict=True) if shared else ((), ())
        return np.concatenate([NO_PAIRS, *later]), np.concatenate([NO_PAIRS, *earlier])

    def compare(
        self, pile: Pile, order: NDArray[np.int64], pairs: Pairs, known: Boilerplate
    ) -> tuple[Compared, NDArray[np.int64]]:
        """Compare all candidates, related pairs together; the matches, and which candidates they are."""
        later, earlier = pairs
        component = _core.components(len(order), later, earlier)
        related = np.argsort(component[later], kind="stable")
        blocks = [related[start : start + BLOCK_PAIRS] for start in range(0, len(related), BLOCK_PAIRS)]

        def compare_block(block: NDArray[np.int64]) -> tuple[NDArray[np.int64], Compared]:
            ranks = _distinct(np.concatenate([later[block], earlier[block]]))
            tokens = text.tokenise(*pile.texts(order[ranks].tolist()), spans=True)
            queries, founds = (
                np.searchsorted(ranks, side[block]).astype(np.uint32) for side in (later, earlier)
            )
            by_found = np.argsort(founds, kind="stable")
            compared = compare_rows(tokens, queries[by_found], founds[by_found], self.preset, known)
            matched = np.flatnonzero(compared.relation >= 0)
            return block[by_found][matched], compared.take(matched)

        parts, numbers, done = [], [np.empty(0, np.int64)], 0
        for kept, compared in self.pool.map(compare_block, blocks):
            parts.append(compared)
            numbers.append(kept)
            done += BLOCK_PAIRS
            self.progress("comparing", min(done, len(later)), len(later))
        kept = np.concatenate(numbers)
        by_time = np.argsort(kept, kind="stable")
        return Compared.join(parts).take(by_time), kept[by_time]

    def judge(self, pile: Pile, top: int | None, receive: Receive | None) -> Opinions:
        """The opinions of the one method: of every pair, or of each query and every article."""
        [method] = self.methods
        sketches = self.sketch(pile, method)
        _, order = pile.rank(with_own=False)
        return judge(method, pile, order, sketches, top, self.pool, self.progress, receive)


def _tokenise(batch: Articles, view: View, *, words: bool = False) -> Tokens:
    """The words of a batch in a method's view."""
    texts = batch.titled_text() if view.title else (batch.text, batch.offsets)
    return text.tokenise(*texts, view, words=words)


def is_directed(method: Method) -> bool:
    """Whether an article is looked up under other keys than it is filed under."""
    return type(method).probes is not Method.probes


def file_batch(
    batch: Articles, chosen: Sequence[Method], statistics: Mapping[Method, Statistics | None]
) -> Filed:
    """What a batch is filed under by some methods; each view is read once."""
    spelt = {one.view for one in chosen if one.spells_words}
    views = dict.fromkeys(one.view for one in chosen)
    tokens = {view: _tokenise(batch, view, words=view in spelt) for view in views}
    filed = {}
    for one in chosen:
        mine = tokens[one.view]
        filed[one] = np.diff(mine.offsets), file(mine, one.keys(one.sketch(mine, statistics.get(one))))
    return filed


@dataclass(frozen=True)
class _Question:
    """What the queries of a pile are looked up under by one method, and who of the pile holds it."""

    method: Method
    asked: Sequence[tuple[int, int, list[_core.Postings], NDArray[np.uint64], Holders]]
    """Of each batch of queries the number of the first and how many, their postings, distinct keys, and the holders of these."""
    words: NDArray[np.int64]
    """How many words each article has."""

    @classmethod
    def ask(cls, pile: Pile, filed: list[Filed], method: Method) -> _Question:
        """Look the queries up, before the postings of the pile are used up."""
        mine = [batch[method] for batch in filed]
        words = np.concatenate([NO_LENGTHS, *(lengths for lengths, _ in mine)])
        rest = [shards for _, shards in mine[pile.question_batches :]]
        asked = []
        for number, (lengths, shards) in enumerate(mine[: pile.question_batches]):
            keys = _core.distinct_keys(shards)
            holders = look_up(rest, pile.firsts[pile.question_batches :], keys)
            asked.append((pile.firsts[number], len(lengths), shards, keys, holders))
        return cls(method, asked, words)

    def nominate(
        self,
        ranks: NDArray[np.uint32],
        order: NDArray[np.int64],
        own: NDArray[np.uint32],
        learnt: Learnt,
        *,
        linked: bool,
    ) -> Pairs:
        """The candidates, (rank of the query, rank); `ranks` are of the pile's articles, `own` is by number."""
        places = np.full(len(ranks), LEFT_OUT, np.uint32)
        places[order] = np.arange(len(order), dtype=np.uint32)
        words = self.words.astype(np.uint32)
        pairs = []
        for first, count, shards, keys, holders in self.asked:
            these = slice(first, first + count)
            query, rank = ask(
                self.method,
                shards,
                keys,
                replace(holders, article=ranks[holders.article]),
                query_words=words[these],
                own=own[these],
                found_words=words[order],
                boilerplate=learnt.names[self.method.name],
                linked=linked,
            )
            query = places[these][query]
            pairs.append((query[query != LEFT_OUT], rank[query != LEFT_OUT]))
        later, earlier = zip(*pairs, strict=True) if pairs else ((), ())
        return np.concatenate([NO_PAIRS, *later]), np.concatenate([NO_PAIRS, *earlier])


def unite(nominated: Sequence[Pairs]) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint8]]:
    """The candidates of all methods, rising by (later, earlier), with a bit for each method that nominated."""
    joined = [later.astype(np.uint64) << np.uint64(32) | earlier for later, earlier in nominated]
    pairs = _distinct(np.concatenate(joined))
    by = np.zeros(len(pairs), np.uint8)
    for bit, mine in enumerate(joined):
        by[np.searchsorted(pairs, mine)] |= np.uint8(1 << bit)
    return (pairs >> np.uint64(32)).astype(np.uint32), pairs.astype(np.uint32), by


def _distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Sorted, each once; np.unique hashes, which is slow for many."""
    values = np.sort(values)
    return values[np.concatenate([[True], values[1:] != values[:-1]])] if len(values) else values
