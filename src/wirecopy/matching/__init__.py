"""From articles to matches, over any collection: one path, whoever asks.

    file a batch → collide a shard → agree (by pair) → suspect (by common key) → learn → nominate
         → compare → learn from passages → compare again what that touches

`match` matches all articles of a collection with each other, `answer` some queries with the articles that a lookup finds; from the
evidence on, both take the same path. Every stage is a function of values. Words are not kept after their batch: candidates are read
again, a block of related pairs at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from ..methods import Method
from ..model import Articles, Boilerplate
from ..pairs import (
    LEFT_OUT,
    NO_NAMES,
    NOBODY,
    SHARDS,
    Agreement,
    Collided,
    Limits,
    Lookup,
    Nominated,
    Pairs,
    Queries,
    agree,
    collide,
    distinct,
    nominate,
    rule_of,
    suspect,
    tokenise_views,
    unite,
)
from ..sharing import Sharing
from ..statistics import Statistics
from . import learning
from .collection import Collection, Filing, Pool, Texts
from .matches import Matches

BLOCK_PAIRS = 512
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
class Learning:
    """What is known of a collection once its boilerplate is learnt.

    `nominated` are the candidates of each method, `pairs` those that boilerplate was learnt from, and `compared` is how these
    compared before the last boilerplate was known; `touched` says which articles may hold that. `words` are those of each article that
    was compared, by rank, -1 for others.
    """

    learnt: Learnt
    nominated: Mapping[Method, Pairs]
    pairs: Pairs
    compared: Compared
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
            else _concatenate([pairs, pair_all(one, collection, filing, known.learnt, pool)])
            for one, pairs in nominated.items()
        }
    later, earlier, by = unite(list(nominated.values()))
    compared, again = decide(plan, collection, (later, earlier), known, pool)
    compared = settle_pairs(compared, known.learnt, (collection, later), (collection, earlier))
    kept = np.flatnonzero(compared.relation >= 0)
    counts = {
        "articles": len(collection.ids),
        "collisions": known.collisions,
        "candidates": len(later),
        "comparisons": len(known.compared) + again,
        "matches": len(kept),
    }
    names = [one.name for one in nominated]
    pairs = later[kept], earlier[kept], by[kept], compared.take(kept)
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
    later, earlier, by = unite([_concatenate(pairs) for pairs in nominated.values()])
    articles = len(collection.ids)

    def texts(ranks: NDArray[np.uint32]) -> Texts:
        """The texts of articles, then, as ranks are sorted, those of queries."""
        body, offsets = collection.texts(ranks[ranks < articles])
        more, more_offsets = queries.texts(ranks[ranks >= articles] - np.uint32(articles))
        return np.concatenate([body, more]), np.concatenate([offsets[:-1], offsets[-1] + more_offsets])

    behind = later + np.uint32(articles)
    compared, _ = compare(get_preset(plan.preset), texts, (behind, earlier), learnt.known, pool)
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
    compared, _ = compare(
        get_preset(matches.preset), collection.texts, pairs, matches.learnt.known, pool, quiet=True
    )
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
    keyed = {
        one: _collide(one, collection, filing, pool, last=plan.linked)
        for one in plan.nominating
        if not one.is_directed
    }
    nominated = dict.fromkeys(plan.nominating, NO_PAIRS)
    names, shingles, collisions = {}, [NO_NAMES], 0
    formulas: list[Common] = []
    for one, (collided, agreement) in keyed.items():
        family = _core.components(len(collection.ids), *agreement.families)
        guilty, known = learning.convict(collection, suspect(collided, agreement, family, rule_of(one)))
        is_boilerplate = np.zeros(len(collided.commons.names), bool)
        is_boilerplate[list(guilty)] = True
        nominated[one] = nominate(collided.evidence, agreement, is_boilerplate)
        names[str(one)] = distinct(collided.commons.names[is_boilerplate])
        collisions += len(collided.evidence) + collided.weak
        if plan.learns_from(one):
            formulas += guilty.values()
            shingles.append(known.shingles)
    del keyed
    for one in plan.nominating:
        if one.is_directed:
            nominated[one] = share(one, filing, pool)
    known = replace(NOTHING, shingles=distinct(np.concatenate(shingles)))
    later, earlier, _ = unite([pairs for one, pairs in nominated.items() if plan.learns_from(one)])
    pairs = later, earlier
    compared, traces = compare(PRESETS[DEFAULT_PRESET], collection.texts, pairs, known, pool, trace=True)
    pool.progress("learning boilerplate", 0, 0)
    suspects = learning.suspect_passages(collection, pairs, compared)
    guilty, late = learning.convict(collection, suspects)
    fresh = np.setdiff1d(late.shingles, known.shingles)
    touched, words = np.zeros(len(collection.ids), bool), np.full(len(collection.ids), -1)
    for ranks, trace, counted in traces:
        words[ranks] = counted
        if len(fresh):
            touched[ranks] |= trace.may_hold(fresh)
    known = replace(known, shingles=distinct(np.concatenate([known.shingles, late.shingles])))
    described = learning.describe(collection, [*formulas, *guilty.values()], known)
    slots = np.diff(compared.slot_offsets)
    varying = forms.learn(compared.slots, np.repeat(later, slots), np.repeat(earlier, slots))
    learnt = Learnt(known, names, described, varying)
    pool.progress("learning boilerplate", 1, 1)
    return Learning(learnt, nominated, pairs, compared, touched, words, collisions)


def _collide(
    method: Method,
    collection: Collection,
    filing: Filing,
    pool: Pool,
    *,
    linked: bool = True,
    names: NDArray[np.uint64] | None = None,
    last: bool = True,
) -> tuple[Collided, Agreement]:
    """The collisions of a method's keys, and which pairs agree; common keys are numbered by their place in `names`, if given."""
    limits, ranks = Limits.of(method, linked=linked), filing.ranks
    filed, shards = filing.shards(method, last=last)
    words = np.zeros(len(collection.ids), np.uint32)
    words[ranks[ranks != LEFT_OUT]] = filed[ranks != LEFT_OUT]
    stage = f"nominating by {method.name}"
    parts = pool.map(lambda shard: collide(shard, ranks, limits, names), shards, stage, SHARDS)
    collided = Collided.join(list(parts))
    return collided, agree(collided.evidence, words, rule_of(method))


def pair_all(method: Method, collection: Collection, filing: Filing, learnt: Learnt, pool: Pool) -> Pairs:
    """All candidates of a method, also those by keys that many articles hold, unless the key is boilerplate by its name."""
    names = learnt.names[str(method)]
    collided, agreement = _collide(method, collection, filing, pool, linked=False, names=names)
    return nominate(collided.evidence, agreement, np.ones(len(names), bool))


def share(method: Method, filing: Filing, pool: Pool) -> Pairs:
    """The pairs of which a probe of the later article is a key of the earlier."""
    sketches, order = filing.sketches(method)
    sharing = Sharing(method, sketches, order, pool.map_parts)
    parts = []
    for later, earlier in sharing.pairs(0, len(order), 1 << 20):
        parts.append((later, earlier))
        pool.progress(f"nominating by {method.name}", int(later.max(initial=0)), len(order))
    pool.progress(f"nominating by {method.name}", len(order), len(order))
    return _concatenate(parts)


def decide(
    plan: Plan, collection: Collection, pairs: Pairs, known: Learning, pool: Pool
) -> tuple[Compared, int]:
    """How all candidates compare without any boilerplate, and how many had to be compared for that.

    With the default preset, pairs that were compared while learning are compared again only if they may hold what was learnt since.
    """
    preset, boilerplate = get_preset(plan.preset), known.learnt.known
    if plan.preset != DEFAULT_PRESET:
        return compare(preset, collection.texts, pairs, boilerplate, pool)[0], len(pairs[0])
    before, mine = (
        later.astype(np.uint64) << np.uint64(32) | earlier for later, earlier in (known.pairs, pairs)
    )
    places = np.searchsorted(before, mine)
    again = np.append(before, 0)[places] != mine
    again |= known.touched[pairs[0]] | known.touched[pairs[1]]
    redone, _ = compare(preset, collection.texts, (pairs[0][again], pairs[1][again]), boilerplate, pool)
    places[again] = len(before) + np.arange(len(redone))
    return Compared.join([known.compared, redone]).take(places), len(redone)


def compare(
    preset: Preset,
    texts: Callable[[NDArray[np.uint32]], Texts],
    pairs: Pairs,
    known: Boilerplate,
    pool: Pool,
    *,
    trace: bool = False,
    quiet: bool = False,
) -> tuple[Compared, list[Traced]]:
    """How pairs of articles compare, and, if asked for, the articles of each block of related pairs with their traces."""
    later, earlier = pairs
    if not len(later):
        return NOT_COMPARED, []
    component = _core.components(int(later.max(initial=0)) + 1, later, earlier)
    related = np.argsort(component[later], kind="stable")
    blocks = [related[start : start + BLOCK_PAIRS] for start in range(0, len(related), BLOCK_PAIRS)]

    def compare_block(block: NDArray[np.int64]) -> tuple[NDArray[np.int64], Compared, Traced]:
        ranks = distinct(np.concatenate([later[block], earlier[block]]))
        tokens = text.tokenise(*texts(ranks), spans=True, kinds=True)
        queries, founds = (np.searchsorted(ranks, side[block]).astype(np.uint32) for side in pairs)
        by_found = np.argsort(founds, kind="stable")
        rows = queries[by_found], founds[by_found]
        compared, left = compare_rows(tokens, *rows, preset, known, trace=trace)
        return block[by_found], compared, (ranks, left, text.count_words(tokens))

    parts, numbers, traces, done = [], [np.empty(0, np.int64)], list[Traced](), 0
    for block, compared, traced in pool.map(compare_block, blocks):
        parts.append(compared)
        numbers.append(block)
        if trace:
            traces.append(traced)
        done += len(block)
        if not quiet:
            pool.progress("comparing", done, len(later))
    order = np.concatenate(numbers)
    joined = Compared.join(parts)
    if not (order[1:] < order[:-1]).any():
        return joined, traces
    return joined.take(np.argsort(order, kind="stable")), traces


NO_PAIRS: Pairs = NOBODY, NOBODY


def _among(pairs: Pairs, others: Pairs) -> NDArray[np.bool_]:
    """Whether each pair is among others."""
    mine, theirs = (later.astype(np.uint64) << np.uint64(32) | earlier for later, earlier in (pairs, others))
    return np.isin(mine, theirs)


def _concatenate(parts: Sequence[Pairs]) -> Pairs:
    later, earlier = zip(*[NO_PAIRS, *parts], strict=True)
    return np.concatenate(later), np.concatenate(earlier)
