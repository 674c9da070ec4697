"""The candidates of a query are exactly those that the stated rule gives, and other queries change nothing about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import postings as twin
from test_pairs import (
    U32,
    U64,
    all_names,
    batch,
    collide,
    describe,
    file,
    file_all,
    file_slowly,
    limits,
    piles,
    read_rows,
    rules,
    word,
)

from wirecopy import _core, methods, pairs
from wirecopy.boilerplate import Rule
from wirecopy.pairs import LEFT_OUT, Evidence, Filed, Held, Limits, Queries

METHOD = methods.get("winnowing")


def ask(
    queries: Sequence[Sequence[int]],
    articles: Sequence[Sequence[int]],
    ranks: Sequence[int],
    own: Sequence[int],
    every: int = 1,
    placed: bool = True,
    cuts: Collection[int] = (),
) -> Queries:
    """The queries, looked up in articles that were filed in some batches; one with the rank `LEFT_OUT` takes no part."""
    filed = file_all(queries, every, placed)
    batches = batch(articles, cuts, every, placed)
    postings, numbers = _core.look_up(batches, _core.distinct_keys(filed.shards))
    words = np.array([len(article) for article in articles], U32)
    held = Held(
        [(postings, 0)],
        np.array(ranks, U32)[numbers],
        words[numbers],
        np.array(own, U32),
        np.arange(len(articles)),
    )
    return Queries(METHOD, filed, held)


def collide_queries(
    asked: Queries, limit: twin.Limits, known: Collection[int] = (), level: str = "whole"
) -> tuple[Evidence, int, object]:
    names = np.array(sorted(known), U64)
    chosen = Limits(**asdict(limit))
    columns, weak, commons = _core.collide(
        asked.held.postings, asked.held.ranks, chosen, queries=asked, known=names, level=level
    )
    return Evidence(*columns), weak, [column.tolist() for column in commons]


def nominate(
    asked: Queries,
    words: Sequence[int],
    limit: twin.Limits,
    rule: twin.Rule,
    known: Collection[int] = (),
) -> list[tuple[int, int]]:
    """The candidates, by rank; `words` are those of articles and queries."""
    evidence, _, _ = collide_queries(asked, limit, known)
    agreement = pairs.agree(evidence, np.array(words, U32), Rule(**asdict(rule)))
    links = 2 if limit.links is None else limit.links
    later, earlier = _core.nominate(evidence, agreement, np.ones(len(known), bool), links)
    return list(zip(later.tolist(), earlier.tolist(), strict=True))


@settings(max_examples=600)
@given(
    piles(),
    limits,
    rules,
    st.integers(1, 3),
    st.integers(0, 3),
    st.booleans(),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_the_candidates_of_a_query_are_what_the_rule_says(
    pile: list[list[int]],
    limit: twin.Limits,
    rule: twin.Rule,
    every: int,
    asking: int,
    placed: bool,
    linked: bool,
    dice: Any,
) -> None:
    limit = limit if linked else replace(limit, links=None)
    queries, articles = pile[:asking], pile[asking:]
    ranks = list(range(len(articles)))
    dice.shuffle(ranks)
    left_out = {rank for rank in ranks if dice.random() < 0.1}
    own = [dice.choice([LEFT_OUT, *ranks]) for _ in queries]
    names = all_names(pile, every, limit)
    known = {name for name in names if dice.random() < 0.6} if dice.random() < 0.7 else set()
    shown = [LEFT_OUT if rank in left_out else rank for rank in ranks]
    cuts = [dice.randint(0, len(articles))]
    asked = ask(queries, articles, shown, own, every, placed, cuts)
    filed = {
        key: [place for place in held if place.rank not in left_out]
        for key, held in file_slowly(articles, ranks, every, placed).items()
    }
    first = len(articles)
    behind = range(first, len(pile))
    expected = twin.collide_queries(
        file_slowly(queries, behind, every, placed),
        filed,
        dict(zip(behind, own, strict=True)),
        limit,
        known,
    )
    if linked:
        level = dice.choice(["key", *twin.SIDES])
        slowly = file_slowly(queries, behind, every, placed)
        alone = twin.collide_queries(slowly, filed, dict(zip(behind, own, strict=True)), limit, known, level)
        evidence, weak, _ = collide_queries(asked, limit, known, level)
        assert Counter(read_rows(evidence, sorted(known))) == Counter(alone.rows)
        assert weak == alone.weak
    evidence, weak, commons = collide_queries(asked, limit, known)
    assert Counter(read_rows(evidence, sorted(known))) == Counter(expected.rows)
    assert (weak, commons) == (expected.weak, [[], [], [], []])

    by_rank = dict(zip(ranks, map(len, articles), strict=True))
    words = [*(by_rank[rank] for rank in sorted(ranks)), *map(len, queries)]
    agreed = twin.agreeing(expected.rows, words, rule)
    links = 2 if limit.links is None else limit.links
    candidates = nominate(asked, words, limit, rule, known)
    assert candidates == twin.nominate(expected.rows, agreed, known, links)
    event(f"{'linked' if linked else 'all'}: {describe(expected.rows)}")
    event(f"{'some' if candidates else 'no'} candidates, {'some' if known else 'no'} boilerplate")


@settings(max_examples=200)
@given(piles(), limits, rules, st.integers(1, 3), st.integers(2, 5))
def test_a_query_asked_alone_and_among_others_has_the_same_candidates(
    pile: list[list[int]], limit: twin.Limits, rule: twin.Rule, every: int, asking: int
) -> None:
    queries, articles = pile[:asking], pile[asking:]
    ranks, first = range(len(articles)), len(articles)

    def nominated(some: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
        asked = ask(some, articles, ranks, [LEFT_OUT] * len(some), every)
        words = [len(one) for one in (*articles, *some)]
        return [(query - first, found) for query, found in nominate(asked, words, limit, rule)]

    together = nominated(queries)
    alone = [(number, rank) for number, query in enumerate(queries) for _, rank in nominated([query])]
    assert together == alone
    twice = nominated([*queries, *queries])
    assert [(query, rank) for query, rank in twice if query < len(queries)] == together


@settings(max_examples=200)
@given(piles(), limits, st.integers(1, 3), st.booleans())
def test_a_query_has_the_evidence_of_an_article_that_comes_last(
    pile: list[list[int]], limit: twin.Limits, every: int, linked: bool
) -> None:
    """Where no key is so common that one holder more matters."""
    limit = replace(limit if linked else replace(limit, links=None), all_holders=len(pile))
    articles, last = pile[:-1], len(pile) - 1
    asked = ask(pile[-1:], articles, range(last), [LEFT_OUT], every)
    evidence, _, _ = collide_queries(asked, limit)
    rows = read_rows(collide(batch(pile, [], every), range(len(pile)), limit, []).evidence, [])
    assert Counter(read_rows(evidence, [])) == Counter(row for row in rows if row.later == last)


@settings(max_examples=100)
@given(piles(), st.integers(1, 3), st.booleans())
def test_candidates_go_by_what_the_collection_calls_them(
    pile: list[list[int]], every: int, linked: bool
) -> None:
    """The Python face: all stages together, with the limits and the rule of a method."""
    queries, articles = pile[:1], pile[1:]
    asked = ask(queries, articles, range(len(articles)), [LEFT_OUT], every)
    asked = replace(asked, held=replace(asked.held, articles=100 + asked.held.articles))
    nominated = asked.nominate(np.empty(0, U64), linked=linked)
    query, found = nominated.queries, nominated.founds
    limit = twin.Limits(**asdict(Limits.of(METHOD, linked=linked)))
    rows = twin.collide_queries(
        file_slowly(queries, [len(articles)], every),
        file_slowly(articles, range(len(articles)), every),
        {},
        limit,
        (),
    ).rows
    rule = twin.Rule(**asdict(pairs.rule_of(METHOD)))
    words = [len(one) for one in (*articles, *queries)]
    expected = twin.nominate(rows, twin.agreeing(rows, words, rule), (), pairs.LINKS)
    assert list(zip(query.tolist(), found.tolist(), strict=True)) == [(0, 100 + one) for _, one in expected]
    event(f"{'some' if expected else 'no'} candidates")


# Wrong arguments.

ARTICLE = [word(2), word(2)]


def call(
    queries: Sequence[Sequence[int]] = (ARTICLE,),
    own: NDArray[np.uint32] | None = None,
    first: int = 1,
    ranks: Sequence[int] = (0,),
    limit: Limits | None = None,
) -> list[tuple[Any, ...]]:
    """A question about one article that holds one key, with something changed."""
    asked = ask(queries, [ARTICLE], ranks, [])
    held = replace(asked.held, own=np.full(len(queries), LEFT_OUT, U32) if own is None else own)
    held = replace(held, articles=range(first))  # type: ignore[arg-type]
    chosen = limit or Limits(20, 2, 12, 5, 8, 8)
    columns, _, _ = _core.collide(held.postings, held.ranks, chosen, queries=replace(asked, held=held))
    return list(Evidence(*columns).rows())


def test_a_question_that_fits_is_answered() -> None:
    assert call() == [(1, 0, 0, 0, _core.RARE)]
    assert call(first=2**32 - 2) == [(2**32 - 2, 0, 0, 0, _core.RARE)]


@pytest.mark.parametrize(
    "changes",
    [
        {"own": np.empty(0, U32)},
        {"queries": [[], ARTICLE], "own": np.zeros(1, U32)},
        {"queries": [[], ARTICLE], "first": 2**32 - 1},
    ],
)
def test_queries_without_a_rank_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="expected a rank for each query"):
        call(**changes)


def test_only_postings_are_looked_up() -> None:
    asked = ask([ARTICLE], [ARTICLE], [0], [LEFT_OUT])
    limit = Limits(20, 2, 12, 5, 8, 8)
    wrong = replace(asked, filed=Filed(asked.filed.words, [None]))  # type: ignore[list-item]
    with pytest.raises(TypeError, match="expected Queries with its postings"):
        _core.collide([(file([ARTICLE]), 0)], asked.held.ranks, limit, queries=wrong)
