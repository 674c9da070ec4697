"""The whole job on a pile: read its articles, file them as they come, and match them, or let one method have its opinion.

Words are read twice. The first pass files the keys of each batch and forgets its words; the second reads only
candidates again. Texts and keys are held in memory.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import accumulate, pairwise
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from . import _core, text
from .addresses import number_addresses
from .comparison import DEFAULT_PRESET, PRESETS, get_relations
from .errors import NothingRead, refuse
from .forms import Origins
from .grouping.stories import Stories, tell_stories
from .matching import Named, Plan, answer, check_statistics, choose_methods, learn, look_up, match
from .matching.collection import Out, Pool, Progress, Texts, invert, open_pool, rank
from .matching.matches import Matches
from .matching.opinions import Opinions, Receive, opine_on_pairs, opine_on_queries, place_by_id
from .methods import Method, Sketches
from .model import KEPT, Article, Articles, Remarks, Skipped, held_by_either, list_skipped, missing
from .pairs import LEFT_OUT, NOBODY, Filed, Held, Shard, by_shard, file, sketch, tokenise
from .sharing import Sharing
from .sources import Fields, Work, read, resolve
from .statistics import Statistics

__all__ = ["MEMORY_A_BYTE", "Matches", "Opinions", "Pile", "Progress", "Stories"]
__all__ += ["find", "opinions", "stories", "tune", "weigh"]

MEMORY_A_BYTE = 1.9
"""Bytes of memory for each byte of input, measured on 182,000 news articles (benchmarks/run.py)."""
BATCH_BYTES = 4 << 20
Skip = Callable[[Skipped], object]
EMPTY = Articles((), np.empty(0, np.uint8), np.zeros(1, np.int64), np.empty(0, np.int64))


def find(
    articles: Any,
    *,
    query: Any = None,
    preset: str = DEFAULT_PRESET,
    method: Named | Sequence[Named] | None = None,
    pairs: Literal["linked", "all"] = "linked",
    relations: Iterable[str] | None = None,
    statistics: Statistics | None = None,
    about: bool = True,
    threads: int | None = None,
    fields: Fields | None = None,
    batch_bytes: int = BATCH_BYTES,
    progress: Progress | None = None,
    skip: Skip | None = None,
) -> Matches:
    """All copies in a pile of articles, or, with `query`, what the articles of `query` share with the pile.

    `articles` are paths, texts, `Article`s, dicts, Arrow tables, or a list of such; so is `query`, which does not belong to
    the pile. With `pairs="linked"` the members of a family too big to pair all with all are linked to its earliest
    members; "all" writes out every pair. Of the matches, those of some `relations` are given, by default all. Methods that weigh
    words do so by `statistics`, of a reference collection, or else by those of the pile itself. A bare text in a list has its place
    there as id, a row of a frame without ids its index: both are no identity, so that queries meet the article with their number.
    Titles, sources, dates, addresses and agencies are kept for tables and frames; without `about` they are not, which saves some memory.
    `skip` is called with every record that cannot be used. The answer is the same for any order of the input, number of threads and
    `batch_bytes`; of two
    records with one id, the one read first counts.
    """
    refuse(
        (threads is not None and threads < 1, f"threads: expected at least 1, got {threads}"),
        (batch_bytes < 1, f"batch_bytes: expected 1 or more, got {batch_bytes}"),
        (preset not in PRESETS, f"no preset named {preset!r}; there are: {', '.join(PRESETS)}"),
        (pairs not in ("linked", "all"), f"pairs: expected 'linked' or 'all', got {pairs!r}"),
    )
    plan = Plan(preset, choose_methods(method, preset), pairs == "linked", statistics)
    check_statistics(plan.methods, statistics)
    wanted = get_relations(relations)
    reading = _reading(fields, plan.methods, *(KEPT if about else ["url"]))
    titled = any(one.view.title for one in plan.methods)
    articles, *asked = resolve(articles) if query is None else resolve(articles, query)
    with open_pool(threads, progress) as pool:
        queries = read_queries(asked, reading, batch_bytes, pool, skip, titled)
        ready = [one for one in plan.nominating if not one.weighs_words and not one.is_directed]
        pile, filed = Pile.read(
            read(articles, fields=reading, batch_bytes=batch_bytes, numbered=True), pool, ready, skip, titled
        )
        pile = warn_of_few(pile, plan.methods, statistics)
        shelf = Shelf.fill(plan, pile, filed, pool)
        del filed
        if queries is None:
            return match(plan, pile, shelf, pool).of(wanted)
        looked_up = [
            (queries.ranks[first : first + len(batch)], one)
            for first, batch in zip(queries.firsts, queries.batches, strict=False)
            for one in look_up(plan, batch, shelf, shelf.statistics)
        ]
        learnt = learn(plan, pile, shelf, pool).learnt
        return answer(plan, queries, looked_up, pile, learnt, pool).of(wanted)


@runtime_checkable
class Storied(Protocol):
    """What tells its own stories, such as an archive."""

    def stories(self, *, rule: str, progress: Progress | None) -> Stories:
        """Its stories."""


def stories(
    articles: Any,
    *,
    rule: Literal["anchored", "closure"] = "anchored",
    threads: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Stories:
    """The stories of some articles: those that carry one text, with their versions and who most probably copied whom.

    `articles` are what `find` takes, with its `options`, or the `Matches` or `Opinions` of a pile, or an `Archive`. With `rule="closure"` all that is
    joined by matches, however far apart, is one story: for evaluation.
    """
    if isinstance(articles, Storied):
        refuse((options, f"an archive has its own {', '.join(options)}"))
        return articles.stories(rule=rule, progress=progress)
    if not isinstance(articles, Matches | Opinions):
        articles = find(articles, threads=threads, progress=progress, **options)
        options = {}
    refuse((options, f"matches are given: {', '.join(options)} cannot be asked for"))
    with open_pool(threads, progress) as pool:
        return tell_stories(articles, pool, rule)


def opinions(
    articles: Any,
    method: Named,
    *,
    query: Any = None,
    top: int | None = None,
    accepted: bool = False,
    statistics: Statistics | None = None,
    threads: int | None = None,
    fields: Fields | None = None,
    batch_bytes: int = BATCH_BYTES,
    progress: Progress | None = None,
    receive: Receive | None = None,
    skip: Skip | None = None,
) -> Opinions:
    """What one published method says by itself: the pairs of a pile that it accepts, or, with `query`, the pile ranked.

    Of a ranking only the `top` articles are given, if a number is given, and only those that the method `accepted`. Words are weighed by
    `statistics`, or else by those of the pile. `receive` is called with opinions as they come, which are then not kept: a big family has
    as many as its square; `skip` with every record that cannot be used.
    """
    chosen = choose_methods(method, DEFAULT_PRESET)[0]
    alone = query is None
    refuse(
        (threads is not None and threads < 1, f"threads: expected at least 1, got {threads}"),
        (batch_bytes < 1, f"batch_bytes: expected 1 or more, got {batch_bytes}"),
        (alone and chosen.only_ranks, f"{chosen.name} only ranks: give it a query, or a threshold"),
        (top is not None and (top < 1 or alone), f"top: expected 1 or more, with a query, got {top}"),
        (accepted and alone, "accepted: without a query only what is accepted is given anyway"),
    )
    check_statistics([chosen], statistics)
    reading = _reading(fields, [chosen])
    articles, *asked = resolve(articles) if query is None else resolve(articles, query)
    with open_pool(threads, progress) as pool:
        queries = read_queries(asked, reading, batch_bytes, pool, skip)
        pile, _ = Pile.read(
            read(articles, fields=reading, batch_bytes=batch_bytes, numbered=True), pool, skip=skip
        )
        pile = warn_of_few(pile, [chosen], statistics)
        weights = weigh_words(pile, chosen, statistics, pool)
        sketches = pile.sketch(chosen, weights, pool)
        if queries is None:
            return opine_on_pairs(chosen, pile, sketches, pile.order, pool, receive)
        sharing = Sharing(chosen, sketches, pile.order, pool.map_parts)
        query_sketches = sharing.leave_out(queries.sketch(chosen, weights, pool)).take(queries.order)
        return opine_on_queries(
            chosen,
            (queries, query_sketches),
            (pile, sharing.sketches),
            place_by_id(pile.sort_keys),
            pile.own(queries.own_ids),
            pool,
            top=top,
            accepted=accepted,
            receive=receive,
        )


def weigh(
    articles: Any,
    method: Named,
    *,
    threads: int | None = None,
    fields: Fields | None = None,
    batch_bytes: int = BATCH_BYTES,
    progress: Progress | None = None,
    skip: Skip | None = None,
) -> tuple[Statistics, Sequence[Skipped]]:
    """In how many articles of a collection each word occurs, words as the method reads them; and what was skipped, as for `find`."""
    chosen = choose_methods(method, DEFAULT_PRESET)[0]
    with open_pool(threads, progress) as pool:
        reading = _reading(fields, [chosen])
        pile, _ = Pile.read(
            read(articles, fields=reading, batch_bytes=batch_bytes, numbered=True), pool, skip=skip
        )
        return pile.weigh(chosen, pool), pile.skipped


def tune(
    articles: Any,
    method: Named,
    *,
    queries: int | None = None,
    statistics: Statistics | None = None,
    threads: int | None = None,
    fields: Fields | None = None,
    progress: Progress | None = None,
    skip: Skip | None = None,
) -> tuple[Sequence[Any], Sequence[Skipped]]:
    """Trials of a method's parameter on a collection, by its paper's own procedure; and what was skipped.

    The first `queries` articles in time are asked about, or all.
    """
    chosen = choose_methods(method, DEFAULT_PRESET)[0]
    with open_pool(threads, progress) as pool:
        work = read(articles, fields=_reading(fields, [chosen]), numbered=True)
        pile, _ = Pile.read(work, pool, skip=skip)
        weights = weigh_words(pile, chosen, statistics, pool)
        ranks = np.arange(len(pile.ids), dtype=np.uint32)
        tokens = text.tokenise(*pile.texts(ranks), chosen.view, words=chosen.spells_words)
        return chosen.tune(tokens, weights, ranks[:queries].astype(np.int64)), pile.skipped


def _reading(fields: Fields | None, methods: Iterable[Method], *about: str) -> Fields:
    """The fields to read, with the title if a method reads titles, and others."""
    fields = fields or Fields()
    title = ["title"] * any(one.view.title for one in methods)
    return replace(fields, about=tuple(dict.fromkeys([*fields.about, *title, *about])))


@dataclass(frozen=True)
class Pile:
    """Articles in memory, in batches, numbered in the order they were read; a `Collection` by rank."""

    batches: Sequence[Articles] = field(repr=False)
    order: NDArray[np.int64] = field(repr=False)
    """The number of the article at each rank."""
    skipped: Sequence[Skipped]
    warnings: Sequence[str] = ()
    addresses: Sequence[NDArray[np.int64]] = field(default=(), repr=False)
    """A number for the address of each article of each batch."""
    packed: Sequence[bytes] = field(default=(), repr=False)
    """What answers tell of the articles of each batch: the columns `KEPT`, pickled and compressed, for most is never asked for."""

    @classmethod
    def read(
        cls,
        work: Iterable[Work],
        pool: Pool,
        methods: Sequence[Method] = (),
        skip: Skip | None = None,
        titled: bool = True,
    ) -> tuple[Pile, list[dict[Method, Filed]]]:
        """The articles of a source, and what each batch is filed under by some methods; `skip` is told what is skipped.

        Titles that were read stay at hand if they are `titled`: some method reads them. Raises NothingRead if everything is skipped.
        """

        def take_in(part: Work) -> tuple[int, Articles, dict[Method, Filed], NDArray[np.int64], bytes]:
            batch = part()
            addresses = number_addresses(batch.about.get("url") or [""] * len(batch))
            is_told = "source" in batch.about
            told = zlib.compress(pickle.dumps([batch.about[name] for name in KEPT]), 1) if is_told else b""
            titles = batch.about.get("title") if titled else None
            batch = replace(batch, about={} if titles is None else {"title": titles})
            return part.source_bytes, batch, file(batch, methods, {}), addresses, told

        batches, filed, addresses, packed, done = [], [], [], [], 0
        skipped: list[Skipped] = []
        for source_bytes, batch, mine, places, told in pool.map(take_in, work):
            if batch.skipped:
                skipped = list_skipped(skipped, list_skipped(batch.skipped, tell=skip))
                batch = replace(batch, skipped=())
            batches.append(batch)
            filed.append(mine)
            addresses.append(places)
            packed.append(told)
            done += source_bytes
            pool.progress("reading", done, 0)
        if skipped and not any(map(len, batches)):
            raise NothingRead(skipped)
        return replace(cls.of(batches, skipped, skip), addresses=addresses, packed=packed), filed

    @classmethod
    def of(cls, batches: Sequence[Articles], skipped: Sequence[Skipped], skip: Skip | None) -> Pile:
        """The articles of some batches, and what else was skipped; an article with the id of an earlier one is skipped too."""
        seen, repeated, again, first = set[str](), [], list[Skipped](), 0
        for batch in batches:
            fresh = set(batch.ids)
            if len(fresh) != len(batch.ids) or not seen.isdisjoint(fresh):
                for row, name in enumerate(batch.ids):
                    if name in seen:
                        repeated.append(first + row)
                        where = batch.where(row) if batch.where else name
                        reason = f"an article with the id {name!r} was read before; give each its own"
                        again.append(Skipped(where, reason))
                    seen.add(name)
            seen |= fresh
            first += len(batch)
        keys = sort_keys(batches)
        published = np.concatenate([np.empty(0, np.int64), *(batch.published for batch in batches)])
        order = rank(published, lambda numbers: [keys[number] for number in numbers.tolist()])
        skipped = list_skipped(skipped, list_skipped(again, tell=skip))
        return cls(batches, order[~np.isin(order, repeated)] if repeated else order, skipped)

    @cached_property
    def firsts(self) -> list[int]:
        """The number of the first article of each batch, and behind these the number of articles."""
        return list(accumulate(map(len, self.batches), initial=0))

    @cached_property
    def ids(self) -> Sequence[str]:
        """The id at each rank."""
        return self._by_rank([name for batch in self.batches for name in batch.ids])

    @cached_property
    def own_ids(self) -> Sequence[str]:
        """The id at each rank, empty where it is only a number."""
        return self._by_rank([name for batch in self.batches for name in batch.own_ids])

    @property
    def sort_keys(self) -> Sequence[Any]:
        """What the id at each rank is sorted by."""
        return self._by_rank(sort_keys(self.batches))

    @cached_property
    def labels(self) -> Sequence[Any] | None:
        """The value at each rank of a frame's index, if these are the ids of all articles."""
        columns = [batch.labels for batch in self.batches if len(batch)]
        if not columns or any(column is None for column in columns):
            return None
        return self._by_rank([label for column in columns for label in column or ()])

    def _by_rank(self, values: Sequence[Out]) -> list[Out]:
        """The value at each rank, from that of each article by its number."""
        return [values[number] for number in self.order.tolist()]

    @cached_property
    def ranks(self) -> NDArray[np.uint32]:
        """The rank of each article by its number, `LEFT_OUT` for one that is skipped."""
        return invert(self.order, self.firsts[-1], LEFT_OUT)

    @property
    def remarks(self) -> Remarks:
        """What is odd about the articles."""
        return sum((batch.remarks for batch in self.batches), Remarks())

    @property
    def missing_fields(self) -> Sequence[str]:
        """The fields that were asked for by name and that no record has."""
        held: Mapping[str, bool] = {}
        for batch in self.batches:
            held = held_by_either(held, batch.held)
        return missing(held)

    @cached_property
    def _edges(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The number of the batch of each article, and where its text starts and ends there."""
        owners = np.repeat(np.arange(len(self.batches)), [len(batch) for batch in self.batches])
        starts = [batch.offsets[:-1] for batch in self.batches]
        ends = [batch.offsets[1:] for batch in self.batches]
        none = np.empty(0, np.int64)
        return owners, np.concatenate([none, *starts]), np.concatenate([none, *ends])

    def texts(self, ranks: NDArray[np.uint32]) -> Texts:
        """The texts at some ranks."""
        numbers = self.order[ranks]
        owners, starts, ends = (column[numbers] for column in self._edges)
        texts = [batch.text.data for batch in self.batches]
        parts = zip(owners.tolist(), starts.tolist(), ends.tolist(), strict=True)
        body = b"".join([texts[owner][start:end] for owner, start, end in parts])
        return np.frombuffer(body, np.uint8), np.concatenate([[0], np.cumsum(ends - starts)])

    @cached_property
    def _told(self) -> list[tuple[str, ...]]:
        """The values of `KEPT` of each article by number, unpacked."""
        told: list[tuple[str, ...]] = []
        for batch, packed in zip(self.batches, self.packed, strict=True):
            columns = pickle.loads(zlib.decompress(packed)) if packed else [[""] * len(batch)] * len(KEPT)
            told += zip(*columns, strict=True)
        return told

    def articles(self, ranks: NDArray[np.uint32]) -> list[Article]:
        """The articles at some ranks."""
        body, offsets = self.texts(ranks)
        texts = [str(body.data[start:end], "utf-8") for start, end in pairwise(offsets.tolist())]
        told = [self._told[number] for number in self.order[ranks].tolist()]
        return [
            Article(
                self.ids[rank],
                text,
                **{name: value or None for name, value in zip(KEPT, values, strict=True)},
            )
            for rank, text, values in zip(ranks.tolist(), texts, told, strict=True)
        ]

    def origins(self, ranks: NDArray[np.uint32]) -> Origins:
        """The dates and addresses of the articles at some ranks."""
        numbers = self.order[ranks]
        dates = np.concatenate([np.empty(0, np.int64), *(batch.published for batch in self.batches)])
        return dates[numbers], np.concatenate([np.empty(0, np.int64), *self.addresses])[numbers]

    def count_sources(self, ranks: NDArray[np.uint32]) -> Mapping[str, int]:
        """Nothing: sources are not read."""
        return {}

    def own(self, ids: Sequence[str]) -> NDArray[np.uint32]:
        """The rank of the article with each of some `own_ids`, `LEFT_OUT` where there is none."""
        wanted = set(ids) - {""}
        found = {name: place for place, name in enumerate(self.own_ids) if name in wanted} if wanted else {}
        return np.array([found.get(name, LEFT_OUT) for name in ids], np.uint32)

    def kept(self) -> list[Articles]:
        """The batches without the articles that are skipped."""
        kept = [np.flatnonzero(self.ranks[start:end] != LEFT_OUT) for start, end in pairwise(self.firsts)]
        batches = zip(self.batches, kept, strict=True)
        return [batch if len(mine) == len(batch) else batch.take(mine.tolist()) for batch, mine in batches]

    def weigh(self, method: Method, pool: Pool) -> Statistics:
        """In how many articles each word occurs, words as a method reads them."""
        kept = self.kept()
        read = partial(tokenise, method=method, words=False)
        return Statistics.count(pool.map(read, kept, "weighing words", len(kept)), method.view)

    def sketch(self, method: Method, statistics: Statistics | None, pool: Pool) -> Sketches:
        """What a method remembers of each article, by number."""
        batches = self.batches or [EMPTY]
        stage = f"sketching for {method.name}"
        parts = pool.map(lambda batch: sketch(batch, method, statistics), batches, stage, len(batches))
        return Sketches.join(list(parts))


def sort_keys(batches: Sequence[Articles]) -> list[Any]:
    """What the ids of all batches are sorted by: the ids themselves, unless some are only numbers; these come first, by number."""
    if all(batch.numbers is None for batch in batches):
        return [id for batch in batches for id in batch.ids]
    return [
        (1, 0, id) if number is None else (0, number, "")
        for batch in batches
        for id, number in zip(batch.ids, batch.numbers or [None] * len(batch), strict=True)
    ]


def read_queries(
    asked: Sequence[Any],
    fields: Fields,
    batch_bytes: int,
    pool: Pool,
    skip: Skip | None,
    titled: bool = True,
) -> Pile | None:
    """The articles that are asked about, from a list with one input; None if it has none."""
    if not asked:
        return None
    work = read(asked[0], fields=fields, batch_bytes=batch_bytes, unnamed="query", numbered=True)
    return Pile.read(work, pool, skip=skip, titled=titled)[0]


def weigh_words(pile: Pile, method: Method, statistics: Statistics | None, pool: Pool) -> Statistics | None:
    """The statistics that a method weighs words by: those given, or the pile's own; None if it weighs no words."""
    if not method.weighs_words:
        return None
    return pile.weigh(method, pool) if statistics is None else statistics


def warn_of_few(pile: Pile, methods: Sequence[Method], statistics: Statistics | None) -> Pile:
    """The pile with a warning for each method that weighs words by it although it is too small."""
    if statistics is not None:
        return pile
    warnings = (one.warn_of_few(len(pile.ids)) for one in methods)
    return replace(pile, warnings=tuple(filter(None, warnings)))


@dataclass(frozen=True)
class Shelf:
    """What the articles of a pile are filed under: a `Filing`, and a `Lookup` for queries."""

    pile: Pile
    pool: Pool
    statistics: Mapping[Method, Statistics]
    filed: dict[Method, list[Filed]] = field(repr=False)

    @classmethod
    def fill(cls, plan: Plan, pile: Pile, filed: Sequence[dict[Method, Filed]], pool: Pool) -> Shelf:
        """The shelf with what was filed while reading, and what methods that weigh words file: they need all words first."""
        weighing = [one for one in plan.nominating if one.weighs_words]
        statistics = {
            one: pile.weigh(one, pool) if plan.statistics is None else plan.statistics for one in weighing
        }
        later = [one for one in weighing if not one.is_directed]
        weighed = partial(file, methods=later, statistics=statistics)
        more = pool.map(weighed, pile.batches, "filing", len(pile.batches)) if later else ()
        every = [*filed, *more]
        keyed = [one for one in plan.nominating if not one.is_directed]
        batches = {one: [mine[one] for mine in every if one in mine] for one in keyed}
        return cls(pile, pool, statistics, batches)

    @property
    def ranks(self) -> NDArray[np.uint32]:
        """The rank of each article by its number."""
        return self.pile.ranks

    def shards(self, method: Method, *, last: bool) -> tuple[NDArray[np.uint32], Iterator[Shard]]:
        """The number of words of each article, and the postings of each shard, which leave the shelf the `last` time."""
        return by_shard(self.filed.pop(method) if last else self.filed[method])

    def sketches(self, method: Method) -> tuple[Sketches, NDArray[np.int64]]:
        """What a method remembers of each article, by number, and the number of the article at each rank."""
        return self.pile.sketch(method, self.statistics.get(method), self.pool), self.pile.order

    def look_up(
        self,
        method: Method,
        keys: NDArray[np.uint64],
        ids: Sequence[str],
        asking: Sequence[_core.Postings] | None = None,
    ) -> Held:
        """All holders of some keys, whoever is `asking`."""
        if method.is_directed:
            weighed = partial(file, methods=[method], statistics=self.statistics)
            files = self.pool.map(weighed, self.pile.batches, "filing", len(self.pile.batches))
            words, shards = by_shard([filed[method] for filed in files])
        else:
            words, shards = self.shards(method, last=False)
        found = [_core.look_up(shard, keys) for shard in shards]
        firsts = np.cumsum([0, *(len(numbers) for _, numbers in found)]).tolist()
        numbers = np.concatenate([NOBODY, *(numbers for _, numbers in found)])
        postings = [(postings, first) for (postings, _), first in zip(found, firsts, strict=False)]
        ranks = self.pile.ranks[numbers]
        everyone = np.arange(len(self.pile.ids), dtype=np.uint32)
        return Held(postings, ranks, words[numbers], self.pile.own(ids), everyone)
