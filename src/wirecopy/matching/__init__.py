"""From articles to matches, over any collection: one path, whoever asks.

    file a batch → collide a shard → agree (by pair) → suspect (by common key) → learn → nominate
         → compare → learn from passages → compare again what that touches

`match` matches all articles of a collection with each other, `answer` some queries with the articles that a lookup finds; from the
evidence on, both take the same path. Every stage is a function of values. Words are not kept after their batch: candidates are read
again, a block of related pairs at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .. import _core, forms, methods, text
from ..boilerplate import NOTHING, Common, Learnt
from ..comparison import (
    DEFAULT_PRESET,
    NOT_COMPARED,
    PRESETS,
    Compared,
    Preset,
    Trace,
    compare_rows,
    get_preset,
    settle,
)
from ..errors import UsageError
from ..forms import NO_SLOTS, NOTHING_VARIES, SlotColumns
from ..methods import Method
from ..model import Articles, Boilerplate
from ..pairs import (
    LEFT_OUT,
    NO_NAMES,
    NOBODY,
    Lookup,
    Nominated,
    Pairs,
    Queries,
    distinct,
    tokenise_views,
    unite,
)
from ..sharing import Sharing
from ..statistics import Statistics
from . import learning
from .collection import Chunk, Collection, Filing, InMemory, Kept, Pool, Texts
from .matches import Matches
from .meeting import NO_PAIRS, concatenate, meet

BLOCK_PAIRS = 512
PAIRS_AT_ONCE = 1 << 14
"""So many compared pairs are looked at together."""
SLOT_BYTES = 120
"""Memory that a slot takes while it is learnt which vary."""
MOST_METHODS = 8
Named = str | Method


@dataclass(frozen=True)
class Plan:
    """What is done: the preset that decides, the methods that nominate, whether big families are linked, the statistics."""

    preset: str
    methods: tuple[Method, ...]
    linked: bool = True
    statistics: Statistics | None = None

    @property
    def nominating(self) -> list[Method]:
        """The methods that the preset needs: one with a shorter guarantee than others only if the preset asks for less than theirs."""
        longest = max((one.guaranteed_words or 0 for one in self.methods), default=0)
        asks_less = get_preset(self.preset).min_passage_words < longest
        return [one for one in self.methods if asks_less or self.learns_from(one)]

    def learns_from(self, method: Method) -> bool:
        """Whether boilerplate is learnt from a method: only from those with the longest guarantee, so that all presets learn the same."""
        longest = max((one.guaranteed_words or 0 for one in self.methods), default=0)
        return (method.guaranteed_words or longest) == longest

    @property
    def all_weights(self) -> dict[Method, Statistics]:
        """The statistics of each method that weighs words, if they were given."""
        weighing = [one for one in self.methods if one.weighs_words]
        return dict.fromkeys(weighing, self.statistics) if self.statistics else {}


def choose_methods(method: Named | Sequence[Named] | None, preset: str) -> tuple[Method, ...]:
    """The methods asked for and `exact`, so that no identical article is missed; by default, those that suit the preset.

    By default every common run of 20 words is found, and of `min_passage_words` if the preset asks for less.
    """
    exact = methods.get("exact")
    if method is None:
        winnowing = methods.get("winnowing")
        fewer = (winnowing.guaranteed_words or 0) - get_preset(preset).min_passage_words
        window = winnowing.window_words - max(0, fewer)  # type: ignore[attr-defined]
        return tuple(dict.fromkeys([exact, winnowing, methods.get("winnowing", window_words=window)]))
    named = [method] if isinstance(method, str | Method) else method
    if not 1 <= len(named) <= MOST_METHODS:
        raise UsageError(f"expected one to {MOST_METHODS} methods, got {len(named)}")
    return tuple(
        dict.fromkeys([*(methods.get(one) if isinstance(one, str) else one for one in named), exact])
    )


def choose_confirming(named: Named | None) -> list[Method]:
    """The method that confirms, if one is named, as a list; raises UsageError for one that decides nothing."""
    if named is None:
        return []
    [chosen] = choose_methods(named, DEFAULT_PRESET)[:1]
    if chosen.only_ranks:
        raise UsageError(f"{chosen.name} only ranks: to confirm, give it a threshold")
    return [chosen]


def check_statistics(methods: Sequence[Method], statistics: Statistics | None) -> None:
    """Raise UsageError if no method needs the statistics given, MismatchError if they were counted in another view."""
    if statistics is None:
        return
    weighing = [one for one in methods if one.weighs_words]
    if not weighing:
        raise UsageError(f"statistics: {', '.join(one.name for one in methods)} weighs no words")
    for one in weighing:
        statistics.require(one.view)


Traced = tuple[NDArray[np.uint32], Trace, NDArray[np.int64]]
"""The ranks of articles that were compared, their traces, and their words."""


@dataclass(frozen=True)
class Blocks:
    """Compared pairs as they were left: in each chunk the numbers of some pairs, then how these compare."""

    kept: Kept
    pairs: int

    def __len__(self) -> int:
        return self.pairs

    def __iter__(self) -> Iterator[tuple[NDArray[np.int64], Compared]]:
        """The numbers of some thousand pairs at a time, and how these compare."""
        numbers, parts, gathered = list[NDArray[np.int64]](), list[Compared](), 0
        for mine, *columns in self.kept:
            numbers.append(mine)
            parts.append(Compared.of(columns))
            gathered += len(mine)
            if gathered >= PAIRS_AT_ONCE:
                yield np.concatenate(numbers), Compared.join(parts)
                numbers, parts, gathered = [], [], 0
        if numbers:
            yield np.concatenate(numbers), Compared.join(parts)

    def join(self) -> Compared:
        """All pairs, in the order of their numbers."""
        return join_in_order(self)[1]


def join_in_order(
    parts: Iterable[tuple[NDArray[np.int64], Compared]],
) -> tuple[NDArray[np.int64], Compared]:
    """The numbers of some pairs, sorted, and how these compare."""
    every = list(parts)
    if not every:
        return np.empty(0, np.int64), NOT_COMPARED
    numbers, compared = (
        np.concatenate([mine for mine, _ in every]),
        Compared.join([part for _, part in every]),
    )
    del every
    if not (numbers[1:] < numbers[:-1]).any():
        return numbers, compared
    order = np.argsort(numbers, kind="stable")
    return numbers[order], compared.take(order)


@dataclass(frozen=True)
class Learning:
    """What is known of a collection once its boilerplate is learnt.

    `nominated` are the candidates of each method, `pairs` those that boilerplate was learnt from, and `compared` is how these
    compared before the last boilerplate was known; `touched` says which articles may hold that. `words` are those of each article that
    was compared, by rank, -1 for others.
    """

    learnt: Learnt
    nominated: Mapping[Method, Pairs]
    pairs: Pairs
    compared: Blocks
    touched: NDArray[np.bool_]
    words: NDArray[np.int64]
    collisions: int


def match(plan: Plan, collection: Collection, filing: Filing, pool: Pool) -> Matches:
    """The matches of all articles of a collection with each other."""
    return conclude(plan, collection, filing, learn(plan, collection, filing, pool), pool)


def conclude(plan: Plan, collection: Collection, filing: Filing, known: Learning, pool: Pool) -> Matches:
    """The matches of all articles of a collection that was learnt from, by this plan or by one that nominates with more methods."""
    linked_pairs = {one: known.nominated[one] for one in plan.nominating}
    nominated = linked_pairs
    if not plan.linked:
        nominated = {
            one: pairs
            if one.is_directed
            else concatenate([pairs, pair_all(one, collection, filing, known.learnt, pool)])
            for one, pairs in nominated.items()
        }
    later, earlier, by = unite(list(nominated.values()))
    kept, compared, again = decide(plan, collection, (later, earlier), known, pool)
    counts = {
        "articles": len(collection.ids),
        "collisions": known.collisions,
        "candidates": len(later),
        "comparisons": len(known.compared) + again,
        "matches": len(kept),
    }
    names = [one.name for one in nominated]
    pairs = later[kept], earlier[kept], by[kept], compared
    linked = None if plan.linked else _among(pairs[:2], unite(list(linked_pairs.values()))[:2])
    return Matches(
        collection, collection, *pairs, names, known.learnt, counts, plan.preset, linked, known.words
    )


def answer(
    plan: Plan,
    queries: Collection,
    looked_up: Sequence[tuple[NDArray[np.uint32], Queries]],
    collection: Collection,
    learnt: Learnt,
    pool: Pool,
) -> Matches:
    """The matches of queries with a collection whose boilerplate is known.

    `looked_up` are batches of queries, each looked up by one method, with the ranks of the queries of the batch.
    """
    nominated: dict[Method, list[Pairs]] = {one: [] for one in plan.nominating}
    for ranks, one in looked_up:
        for some in nominate_queries(plan, one, learnt):
            kept = ranks[some.queries] != LEFT_OUT
            nominated[one.method].append((ranks[some.queries[kept]], some.founds[kept]))
    later, earlier, by = unite([concatenate(pairs) for pairs in nominated.values()])
    articles = len(collection.ids)

    def texts(ranks: NDArray[np.uint32]) -> Texts:
        """The texts of articles, then, as ranks are sorted, those of queries."""
        body, offsets = collection.texts(ranks[ranks < articles])
        more, more_offsets = queries.texts(ranks[ranks >= articles] - np.uint32(articles))
        return np.concatenate([body, more]), np.concatenate([offsets[:-1], offsets[-1] + more_offsets])

    behind = later + np.uint32(articles)
    compared, _ = compare(get_preset(plan.preset), texts, (behind, earlier), learnt.known, pool, "answer")
    compared = settle_pairs(compared, learnt, (queries, later), (collection, earlier))
    kept = np.flatnonzero(compared.relation >= 0)
    work = {"candidates": len(later), "comparisons": len(later), "matches": len(kept)}
    counts = {"articles": articles + len(queries.ids), "collisions": 0, **work}
    names = [one.name for one in nominated]
    pairs = later[kept], earlier[kept], by[kept], compared.take(kept)
    return Matches(queries, collection, *pairs, names, learnt, counts, plan.preset)


def compare_more(matches: Matches, pairs: Pairs, pool: Pool) -> Compared:
    """How other pairs of articles of a collection that was matched with itself compare, by what is known of it."""
    collection = matches.found_side
    compared, _ = compare(get_preset(matches.preset), collection.texts, pairs, matches.learnt.known, pool)
    return settle_pairs(compared, matches.learnt, (collection, pairs[0]), (collection, pairs[1]))


def settle_pairs(
    compared: Compared,
    learnt: Learnt,
    query: tuple[Collection, NDArray[np.uint32]],
    found: tuple[Collection, NDArray[np.uint32]],
) -> Compared:
    """The compared pairs of articles of two collections, given by rank, once it is told which are forms."""

    def tell_apart(pairs: NDArray[np.int64]) -> forms.Apart:
        return forms.tell_apart(*(side.origins(ranks[pairs]) for side, ranks in (query, found)))

    return settle(compared, learnt.varying, tell_apart)


def look_up(
    plan: Plan, batch: Articles, lookup: Lookup, statistics: Mapping[Method, Statistics]
) -> list[Queries]:
    """The articles of a batch, looked up by each nominating method."""
    nominating = plan.nominating
    tokens, ids = tokenise_views(batch, nominating), batch.own_ids
    return [
        Queries.look_up(ids, tokens[one.view], one, statistics.get(one), lookup, linked=plan.linked)
        for one in nominating
    ]


def nominate_queries(plan: Plan, queries: Queries, learnt: Learnt) -> list[Nominated]:
    """The candidates of queries by one method; if big families are not linked, those by links and those by all pairs."""
    names = learnt.names.get(str(queries.method), NO_NAMES)
    return [queries.nominate(names, linked=linked) for linked in ([True] if plan.linked else [True, False])]


def learn(plan: Plan, collection: Collection, filing: Filing, pool: Pool) -> Learning:
    """What a collection teaches, which is the same for every preset, linked or not, and the candidates."""
    nominated = dict.fromkeys(plan.nominating, NO_PAIRS)
    names, shingles, collisions = {}, [NO_NAMES], 0
    formulas: list[Common] = []
    for one in plan.nominating:
        if not one.is_directed:
            keyed = _learn_keys(one, collection, filing, pool, last=plan.linked)
            nominated[one], names[str(one)] = keyed.pairs, keyed.names
            collisions += keyed.collisions
            if plan.learns_from(one):
                formulas += keyed.formulas
                shingles.append(keyed.known.shingles)
    for one in plan.nominating:
        if one.is_directed:
            nominated[one] = share(one, filing, pool)
    known = replace(NOTHING, shingles=distinct(np.concatenate(shingles)))
    later, earlier, _ = unite([pairs for one, pairs in nominated.items() if plan.learns_from(one)])
    pairs = later, earlier
    compared, traces = compare_blocks(
        PRESETS[DEFAULT_PRESET], collection.texts, pairs, known, pool, "compare", trace=True
    )
    pool.progress("learning boilerplate", 0, 0)
    suspects = _suspect_passages(collection, pairs, compared)
    guilty, late = learning.convict(collection, suspects)
    fresh = np.setdiff1d(late.shingles, known.shingles)
    touched, words = np.zeros(len(collection.ids), bool), np.full(len(collection.ids), -1)
    for ranks, trace, counted in traces:
        words[ranks] = counted
        if len(fresh):
            touched[ranks] |= trace.may_hold(fresh)
    known = replace(known, shingles=distinct(np.concatenate([known.shingles, late.shingles])))
    described = learning.describe(collection, [*formulas, *guilty.values()], known)
    learnt = Learnt(known, names, described, _learn_forms(pairs, compared, pool))
    pool.progress("learning boilerplate", 1, 1)
    return Learning(learnt, nominated, pairs, compared, touched, words, collisions)


def _suspect_passages(collection: Collection, pairs: Pairs, compared: Blocks) -> dict[int, Common]:
    """The passages that may be boilerplate, of pairs that share little else."""

    def choose() -> Iterator[tuple[NDArray[np.int64], Compared]]:
        for numbers, part in compared:
            rows = np.flatnonzero(learning.are_short(part))
            yield numbers[rows], part.without_slots().take(rows)

    numbers, short = join_in_order(choose())
    return learning.suspect_passages(collection, (pairs[0][numbers], pairs[1][numbers]), short)


def _learn_forms(pairs: Pairs, compared: Blocks, pool: Pool) -> NDArray[np.uint64]:
    """The names of slots that vary, sorted; a range of names at a time, as the pool asks for."""
    later, earlier = pairs
    parts = pool.cut_names(sum(len(part.slots) for _, part in compared) * SLOT_BYTES)
    varying = [NOTHING_VARIES]
    for part in range(parts):
        slots, queries, founds = [NO_SLOTS], [NOBODY], [NOBODY]
        for numbers, some in compared:
            pair = np.repeat(numbers, np.diff(some.slot_offsets))
            mine = some.slots
            if parts > 1:
                rows = np.flatnonzero(
                    (mine.name >> np.uint64(40)) * np.uint64(parts) >> np.uint64(24) == part
                )
                pair, mine = pair[rows], mine.take(rows)
            slots.append(mine)
            queries.append(later[pair])
            founds.append(earlier[pair])
        joined = SlotColumns.join(slots), np.concatenate(queries), np.concatenate(founds)
        varying.append(forms.learn(*joined))
    return np.concatenate(varying)


@dataclass(frozen=True)
class _Keyed:
    """What a method's keys teach: candidates, the names of common keys that are boilerplate, with one example each, and their shingles."""

    pairs: Pairs
    names: NDArray[np.uint64]
    formulas: Sequence[Common]
    known: Boilerplate
    collisions: int


def _learn_keys(method: Method, collection: Collection, filing: Filing, pool: Pool, *, last: bool) -> _Keyed:
    met = meet(method, collection, filing, pool, last=last)
    guilty, known = learning.convict(collection, met.suspects())
    is_boilerplate = np.zeros(len(met.names), bool)
    is_boilerplate[list(guilty)] = True
    pairs = met.nominate(is_boilerplate, pool)
    names = distinct(met.names[is_boilerplate])
    return _Keyed(pairs, names, list(guilty.values()), known, met.collisions)


def pair_all(method: Method, collection: Collection, filing: Filing, learnt: Learnt, pool: Pool) -> Pairs:
    """All candidates of a method, also those by keys that many articles hold, unless the key is boilerplate by its name."""
    names = learnt.names[str(method)]
    met = meet(method, collection, filing, pool, linked=False, names=names)
    return met.nominate(np.ones(len(names), bool), pool)


def share(method: Method, filing: Filing, pool: Pool) -> Pairs:
    """The pairs of which a probe of the later article is a key of the earlier."""
    sketches, order = filing.sketches(method)
    sharing = Sharing(method, sketches, order, pool.map_parts)
    parts = []
    for later, earlier in sharing.pairs(0, len(order), 1 << 20):
        parts.append((later, earlier))
        pool.progress(f"nominating by {method.name}", int(later.max(initial=0)), len(order))
    pool.progress(f"nominating by {method.name}", len(order), len(order))
    return concatenate(parts)


def decide(
    plan: Plan, collection: Collection, pairs: Pairs, known: Learning, pool: Pool
) -> tuple[NDArray[np.int64], Compared, int]:
    """The numbers of the candidates that match, how they compare without any boilerplate, and how many had to be compared for that.

    With the default preset, pairs that were compared while learning are compared again only if they may hold what was learnt since.
    """
    preset, texts, boilerplate = get_preset(plan.preset), collection.texts, known.learnt.known
    if plan.preset != DEFAULT_PRESET:
        redone, _ = compare_blocks(preset, texts, pairs, boilerplate, pool, "decide")
        return *_settle_blocks(redone, collection, pairs, known.learnt), len(redone)
    before, mine = (
        later.astype(np.uint64) << np.uint64(32) | earlier for later, earlier in (known.pairs, pairs)
    )
    places = np.searchsorted(before, mine)
    again = np.append(before, 0)[places] != mine
    again |= known.touched[pairs[0]] | known.touched[pairs[1]]
    numbers = np.flatnonzero(again)
    redone, _ = compare_blocks(
        preset, texts, (pairs[0][numbers], pairs[1][numbers]), boilerplate, pool, "decide"
    )
    now = np.full(len(before), -1)
    now[places[~again]] = np.flatnonzero(~again)
    del before, mine, places, again

    def decided() -> Iterator[tuple[NDArray[np.int64], Compared]]:
        for old, part in known.compared:
            rows = np.flatnonzero(now[old] >= 0)
            yield now[old[rows]], part.take(rows)
        for new, part in redone:
            yield numbers[new], part

    return *_settle_blocks(decided(), collection, pairs, known.learnt), len(redone)


def _settle_blocks(
    blocks: Iterable[tuple[NDArray[np.int64], Compared]],
    collection: Collection,
    pairs: Pairs,
    learnt: Learnt,
) -> tuple[NDArray[np.int64], Compared]:
    """The numbers of the pairs of a collection that match, and how they compare once it is told which are forms."""
    later, earlier = pairs

    def settled() -> Iterator[tuple[NDArray[np.int64], Compared]]:
        for numbers, part in blocks:
            sides = (collection, later[numbers]), (collection, earlier[numbers])
            compared = settle_pairs(part, learnt, *sides)
            rows = np.flatnonzero(compared.relation >= 0)
            yield numbers[rows], compared.take(rows)

    return join_in_order(settled())


def compare(
    preset: Preset,
    texts: Callable[[NDArray[np.uint32]], Texts],
    pairs: Pairs,
    known: Boilerplate,
    pool: Pool,
    name: str = "",
    *,
    trace: bool = False,
) -> tuple[Compared, Iterable[Traced]]:
    """How pairs of articles compare, and, if asked for, the articles of each block of related pairs with their traces.

    Of a stage that has a `name` progress is told.
    """
    blocks, traces = compare_blocks(preset, texts, pairs, known, pool, name, trace=trace)
    return blocks.join(), traces


def compare_blocks(
    preset: Preset,
    texts: Callable[[NDArray[np.uint32]], Texts],
    pairs: Pairs,
    known: Boilerplate,
    pool: Pool,
    name: str = "",
    *,
    trace: bool = False,
) -> tuple[Blocks, Iterable[Traced]]:
    """The same, a block of related pairs at a time."""
    later, earlier = pairs
    if not len(later):
        return Blocks(InMemory(), 0), []
    component = _core.components(int(later.max(initial=0)) + 1, later, earlier)
    related = np.argsort(component[later], kind="stable")
    blocks = [related[start : start + BLOCK_PAIRS] for start in range(0, len(related), BLOCK_PAIRS)]

    def compare_block(block: NDArray[np.int64]) -> list[Chunk]:
        ranks = distinct(np.concatenate([later[block], earlier[block]]))
        tokens = text.tokenise(*texts(ranks), spans=True, kinds=True)
        queries, founds = (np.searchsorted(ranks, side[block]).astype(np.uint32) for side in pairs)
        by_found = np.argsort(founds, kind="stable")
        rows = queries[by_found], founds[by_found]
        compared, left = compare_rows(tokens, *rows, preset, known, trace=trace)
        chunk = [block[by_found], *compared.columns]
        traced = [ranks, text.count_words(tokens), left.shingles, left.offsets]
        return [chunk, traced] if trace else [chunk]

    stage = "comparing" if name else ""
    done, *traces = pool.scatter(
        name,
        compare_block,
        blocks,
        1 + trace,
        stage=stage,
        total=len(later),
        size=lambda chunk: len(chunk[0]),
    )
    traced = ((ranks, Trace(*left), words) for kept in traces for ranks, words, *left in kept)
    return Blocks(done, len(later)), traced


def _among(pairs: Pairs, others: Pairs) -> NDArray[np.bool_]:
    """Whether each pair is among others."""
    mine, theirs = (later.astype(np.uint64) << np.uint64(32) | earlier for later, earlier in (pairs, others))
    return np.isin(mine, theirs)
