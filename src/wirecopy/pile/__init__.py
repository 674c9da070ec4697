"""The whole job on a pile: read its articles, file them as they come, and match them, or let one method have its opinion.

Words are read twice. The first pass files the keys of each batch and forgets its words; the second reads only
candidates again. Texts and keys are held in memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

import numpy as np

from .. import text
from ..boilerplate import Learnt
from ..comparison import DEFAULT_PRESET, PRESETS, get_relations
from ..errors import refuse
from ..grouping.stories import Stories, tell_stories
from ..matching import (
    Named,
    Plan,
    answer,
    check_statistics,
    choose_confirming,
    choose_methods,
    learn,
    look_up,
    match,
)
from ..matching.collection import Pool, Progress, open_pool
from ..matching.matches import Matches
from ..matching.opinions import Opinions, Receive, opine_on_pairs, opine_on_queries, place_by_id
from ..matching.opinions import confirm as confirm_by
from ..methods import Method
from ..model import KEPT, Skipped
from ..sharing import Sharing
from ..sources import Fields, read, resolve
from ..statistics import Statistics
from .articles import Pile, Skip
from .folder import HELD_BYTES, PROGRAM_BYTES, Folder, free_memory, open_work, remove_work, stamp
from .shelf import Shelf
from .stored import Stored

__all__ = ["DISK_A_BYTE", "Matches", "Opinions", "Pile", "Progress", "Shelf", "Stories"]
__all__ += [
    "estimate_held",
    "estimate_memory",
    "find",
    "free_memory",
    "learn_from",
    "opinions",
    "remove_work",
    "stories",
    "tune",
    "weigh",
]

MEMORY_A_BYTE = 1.9
"""Bytes of memory for each byte of input, measured on 182,000 news articles (benchmarks/run.py)."""
DISK_A_BYTE = 2.1
"""Bytes of disk for each byte of input, on the safe side: of such articles the most that was seen is 1.68 (benchmarks/larger.py)."""
ARTICLE_BYTES = 2_700
"""Bytes of input an article, of the same: by these articles are counted before they are read."""
BATCH_BYTES = 4 << 20
AnyPile = TypeVar("AnyPile", Pile, Stored)


def find(
    articles: Any,
    *,
    query: Any = None,
    preset: str = DEFAULT_PRESET,
    method: Named | Sequence[Named] | None = None,
    pairs: Literal["linked", "all"] = "linked",
    relations: Iterable[str] | None = None,
    confirm: Named | None = None,
    statistics: Statistics | None = None,
    about: bool = True,
    threads: int | None = None,
    fields: Fields | None = None,
    batch_bytes: int = BATCH_BYTES,
    progress: Progress | None = None,
    skip: Skip | None = None,
    work: str | os.PathLike[str] | None = None,
    memory: int | None = None,
) -> Matches:
    """All copies in a pile of articles, or, with `query`, what the articles of `query` share with the pile.

    `articles` are paths, texts, `Article`s, dicts, Arrow tables, or a list of such; so is `query`, which does not belong to
    the pile. With `pairs="linked"` the members of a family too big to pair all with all are linked to its earliest
    members; "all" writes out every pair. Of the matches, those of some `relations` are given, by default all; with `confirm`, only those whose
    articles are in one cluster of what that method accepts by itself. Methods that weigh words do so by `statistics`, of a reference collection, or else by those of the pile itself. A bare text in a list has its place
    there as id, a row of a frame without ids its index: both are no identity, so that queries meet the article with their number.
    Titles, sources, dates, addresses and agencies are kept for tables and frames; without `about` they are not, which saves some memory.
    `skip` is called with every record that cannot be used. With `work`, a folder, a pile may be larger than memory: texts and keys are
    kept there, in `memory` bytes as far as that goes, by default half of what is free; killed and asked again, it goes on. The matches
    read from the folder, which can be removed when they are no longer needed. The answer is the same for any order of the input, number
    of threads, `batch_bytes`, and in memory or in a folder; of two records with one id, the one read first counts.
    """
    refuse(
        (threads is not None and threads < 1, f"threads: expected at least 1, got {threads}"),
        (batch_bytes < 1, f"batch_bytes: expected 1 or more, got {batch_bytes}"),
        (preset not in PRESETS, f"no preset named {preset!r}; there are: {', '.join(PRESETS)}"),
        (pairs not in ("linked", "all"), f"pairs: expected 'linked' or 'all', got {pairs!r}"),
        (confirm is not None and query is not None, "confirm: not with a query, which is in no cluster"),
        (memory is not None and work is None, "memory: only with work, a folder for what does not fit"),
        (memory is not None and memory < 1, f"memory: expected 1 or more bytes, got {memory}"),
        (
            work is not None and query is not None,
            "work: not with a query; add the pile to an archive, and check it there",
        ),
        (
            work is not None and confirm is not None,
            "work: not with confirm, which holds all sketches in memory",
        ),
    )
    plan = Plan(preset, choose_methods(method, preset), pairs == "linked", statistics)
    confirming = choose_confirming(confirm)
    check_statistics([*plan.methods, *confirming], statistics)
    directed = [one.name for one in plan.nominating if one.is_directed]
    refuse(
        (
            work is not None and directed,
            f"work: not with {', '.join(directed)}, which looks up what it does not file",
        )
    )
    wanted = get_relations(relations)
    reading = _reading(fields, [*plan.methods, *confirming], *(KEPT if about else ["url"]))
    titled = any(one.view.title for one in (*plan.methods, *confirming))
    articles, *asked = resolve(articles) if query is None else resolve(articles, query)
    if work is not None:
        folder = Folder(Path(work))
        with open_work(folder, threads, progress, memory or free_memory() // 2) as pool:
            articles = folder.spool(articles)
            folder.begin(stamp(plan, folder.identify(articles), reading))
            source = read(articles, fields=reading, batch_bytes=batch_bytes, numbered=True)
            stored = Stored.read(plan, source, pool, skip, titled)
            pool.leave_room(len(stored.ids))
            stored = warn_of_few(stored, plan.methods, statistics)
            if folder.began_anew:
                said = f"{work}: what was there is of other articles, options or another version: begun anew"
                stored = replace(stored, warnings=(*stored.warnings, said))
            return match(plan, stored, stored, pool).of(wanted)
    with open_pool(threads, progress) as pool:
        queries = read_queries(asked, reading, batch_bytes, pool, skip, titled)
        ready = [one for one in plan.nominating if not one.weighs_words and not one.is_directed]
        pile, filed = Pile.read(
            read(articles, fields=reading, batch_bytes=batch_bytes, numbered=True), pool, ready, skip, titled
        )
        pile = warn_of_few(pile, [*plan.methods, *confirming], statistics)
        shelf = Shelf.fill(plan, pile, filed, pool)
        del filed
        if queries is None:
            matches = match(plan, pile, shelf, pool).of(wanted)
            for one in confirming:
                sketches = pile.sketch(one, weigh_words(pile, one, statistics, pool), pool)
                matches = confirm_by(matches, one, pile, sketches, pile.order, pool)
            return matches
        looked_up = [
            (queries.ranks[first : first + len(batch)], one)
            for first, batch in zip(queries.firsts, queries.batches, strict=False)
            for one in look_up(plan, batch, shelf, shelf.statistics)
        ]
        learnt = learn(plan, pile, shelf, pool).learnt
        return answer(plan, queries, looked_up, pile, learnt, pool).of(wanted)


def estimate_memory(size: int) -> int:
    """About how many bytes of memory `find` needs for so many bytes of input, if it works in no folder."""
    return int(size * MEMORY_A_BYTE) + PROGRAM_BYTES


def estimate_held(size: int) -> int:
    """About how many bytes of memory `find` needs in a folder for so many bytes of input, however little is asked for."""
    return size // ARTICLE_BYTES * HELD_BYTES + PROGRAM_BYTES


def learn_from(
    articles: Any,
    *,
    threads: int | None = None,
    fields: Fields | None = None,
    batch_bytes: int = BATCH_BYTES,
    progress: Progress | None = None,
) -> tuple[Pile, Learnt]:
    """The articles of a pile, and what they teach, which is what `find` knows of them with its own methods."""
    plan = Plan(DEFAULT_PRESET, choose_methods(None, DEFAULT_PRESET))
    with open_pool(threads, progress) as pool:
        reading = _reading(fields, plan.methods, *KEPT)
        work = read(*resolve(articles), fields=reading, batch_bytes=batch_bytes, numbered=True)
        pile, filed = Pile.read(work, pool, plan.nominating, titled=False)
        return pile, learn(plan, pile, Shelf.fill(plan, pile, filed, pool), pool).learnt


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


def warn_of_few(pile: AnyPile, methods: Sequence[Method], statistics: Statistics | None) -> AnyPile:
    """The pile with a warning for each method that weighs words by it although it is too small."""
    if statistics is not None:
        return pile
    warnings = (one.warn_of_few(len(pile.ids)) for one in methods)
    return replace(pile, warnings=tuple(filter(None, warnings)))
