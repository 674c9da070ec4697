"""The candidates of a query are exactly those that the stated rule gives, and other queries change nothing about them."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import asking as twin
from reference import postings as places
from test_pairs import U32, U64, file, file_slowly, key_of, limits, piles, rules, shingles, word

from wirecopy import _core

LEFT_OUT = 2**32 - 1


def split_by_query(
    queries: Sequence[Sequence[int]], every: int, placed: bool
) -> list[dict[int, list[places.Place]]]:
    asked: list[dict[int, list[places.Place]]] = [defaultdict(list) for _ in queries]
    for key, held in file_slowly(queries, range(len(queries)), every, placed).items():
        for place in held:
            asked[place.rank][key].append(place)
    return asked


def ask(
    queries: Sequence[Sequence[int]],
    articles: Sequence[Sequence[int]],
    ranks: Sequence[int],
    own: Sequence[int],
    boilerplate: set[int],
    limit: places.Limits,
    rule: places.Rule,
    every: int,
    placed: bool = True,
    cut: int = 0,
) -> list[tuple[int, int]]:
    """The candidates, of articles in two batches; one with the rank `LEFT_OUT` takes no part."""
    asked = [file(queries, every, placed)]
    keys = _core.distinct_keys(asked)
    batches = [file(articles[:cut], every, placed), file(articles[cut:], every, placed)]
    which, article, position, size, left, right = _core.look_up(batches, [0, cut], keys)
    by_rank = np.array([*ranks, LEFT_OUT], U32)
    words = np.zeros(len(articles), U32)
    for rank, one in zip(ranks, articles, strict=True):
        if rank != LEFT_OUT:
            words[rank] = len(one)
    query, found = _core.ask(
        asked,
        keys,
        which,
        by_rank[article],
        position,
        size,
        left,
        right,
        query_words=np.array([len(one) for one in queries], U32),
        own=np.array(own, U32),
        found_words=words,
        boilerplate=np.array(sorted(boilerplate), U64),
        all_holders=limit.all_holders,
        links=limit.links,
        settled_words=limit.settled_words,
        shingle_words=limit.shingle_words,
        grouped_words=limit.grouped_words,
        agree_gap_words=rule.agree_gap_words,
        key_words=rule.key_words,
        agree_share=rule.agree_share,
    )
    return list(zip(query.tolist(), found.tolist(), strict=True))


def names(articles: Sequence[Sequence[int]], every: int, limit: places.Limits) -> list[int]:
    """All names that a common key of these articles may have."""
    found = set()
    for article in articles:
        for start, end in shingles(article, every):
            key, place = key_of(article[start:end]), places.place(article, 0, start, end)
            found.add(key)
            for side in ("right", "left"):
                found.add(twin.name(key, side, getattr(place, side)[: limit.grouped_words]))
    return sorted(found)


@settings(max_examples=400)
@given(
    piles(),
    limits,
    rules,
    st.integers(1, 3),
    st.integers(0, 3),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_the_candidates_of_a_query_are_what_the_rule_says(
    pile: list[list[int]],
    limit: places.Limits,
    rule: places.Rule,
    every: int,
    asking: int,
    placed: bool,
    dice: Any,
) -> None:
    queries, articles = pile[:asking], pile[asking:]
    ranks = list(range(len(articles)))
    dice.shuffle(ranks)
    left_out = {rank for rank in ranks if dice.random() < 0.1}
    own = [dice.choice([LEFT_OUT, *ranks]) for _ in queries]
    known = names(pile, every, limit)
    boilerplate = {name for name in known if dice.random() < 0.6} if dice.random() < 0.7 else set()
    shown = [LEFT_OUT if rank in left_out else rank for rank in ranks]
    got = ask(
        queries,
        articles,
        shown,
        own,
        boilerplate,
        limit,
        rule,
        every,
        placed,
        dice.randint(0, len(articles)),
    )
    filed = {
        key: [place for place in held if place.rank not in left_out]
        for key, held in file_slowly(articles, ranks, every, placed).items()
    }
    lengths = {rank: len(article) for rank, article in zip(ranks, articles, strict=True)}
    expected = [
        (number, rank)
        for number, mine in enumerate(split_by_query(queries, every, placed))
        for rank in twin.ask(
            mine,
            filed,
            len(queries[number]),
            [lengths[rank] for rank in sorted(lengths)],
            None if own[number] == LEFT_OUT else own[number],
            boilerplate,
            limit,
            rule,
        )
    ]
    assert got == expected
    event(f"{'some' if got else 'no'} candidates, {'some' if boilerplate else 'no'} boilerplate")


@settings(max_examples=200)
@given(piles(), limits, rules, st.integers(1, 3), st.integers(2, 5))
def test_a_query_asked_alone_and_among_others_has_the_same_candidates(
    pile: list[list[int]], limit: places.Limits, rule: places.Rule, every: int, asking: int
) -> None:
    queries, articles = pile[:asking], pile[asking:]
    ranks = list(range(len(articles)))
    own = [LEFT_OUT] * len(queries)
    together = ask(queries, articles, ranks, own, set(), limit, rule, every)
    alone = [
        (number, rank)
        for number, query in enumerate(queries)
        for _, rank in ask([query], articles, ranks, own[:1], set(), limit, rule, every)
    ]
    assert together == alone
    twice = ask([*queries, *queries], articles, ranks, own * 2, set(), limit, rule, every)
    assert [rank for query, rank in twice if query < len(queries)] == [rank for _, rank in together]


def test_the_names_of_common_keys_are_those_that_a_pile_gives_them() -> None:
    """They are kept in archives: what `collide` calls boilerplate must be what `ask` knows by that name."""
    limit = places.Limits(2, 1, 0, 2, 3, 2)
    article = [word(number % 15) for number in range(40)]
    others = [[word((number * step) % 15) for number in range(30)] for step in (2, 4, 7)]
    pile = [article, article, article, article, *others]
    answer = _core.collide([file(pile, 1)], [0], np.arange(len(pile), dtype=U32), *astuple(limit))
    assert len(answer["common_names"]) > 40
    assert set(answer["common_names"].tolist()) <= set(names(pile, 1, limit))


@settings(max_examples=200)
@given(
    st.lists(st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=3), min_size=1, max_size=3),
    st.sets(st.integers(0, 6)),
)
def test_holders_are_found_whatever_the_batches(batches: list[list[list[int]]], keys: set[int]) -> None:
    def pack(articles: list[list[int]]) -> _core.Postings:
        words = np.empty(0, U64), np.zeros(len(articles) + 1, np.int64)
        offsets = np.cumsum([0, *map(len, articles)]).astype(np.int64)
        return _core.file(
            *words, np.array([key for one in articles for key in one], U64), offsets, None, None
        )[0]

    firsts = np.cumsum([0, *map(len, batches)])[:-1].tolist()
    which, article, *_ = _core.look_up([pack(one) for one in batches], firsts, np.array(sorted(keys), U64))
    everyone = [article for batch in batches for article in batch]
    assert sorted(zip(which.tolist(), article.tolist(), strict=True)) == sorted(
        (place, number)
        for place, key in enumerate(sorted(keys))
        for number, held in enumerate(everyone)
        for one in held
        if one == key
    )


# Wrong arguments.

NONE, ONE, TWO = np.empty(0, U32), np.zeros(1, U32), np.zeros(2, U32)


def call(**changes: Any) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """A question about one article that holds one key, with something changed."""
    postings = [file([[word(2), word(2)]], 1)]
    arguments: dict[str, Any] = {
        "asked": postings,
        "keys": _core.distinct_keys(postings),
        "which": ONE,
        "rank": ONE,
        "position": ONE,
        "words": np.full(1, 2, np.uint8),
        "left": np.zeros(1, U64),
        "right": np.zeros(1, U64),
        "query_words": np.full(1, 2, U32),
        "own": np.full(1, LEFT_OUT, U32),
        "found_words": np.full(1, 2, U32),
        "boilerplate": np.empty(0, U64),
        "all_holders": 20,
        "links": 2,
        "settled_words": 12,
        "shingle_words": 5,
        "grouped_words": 8,
        "agree_gap_words": 50,
        "key_words": 17,
        "agree_share": 0.7,
    }
    return _core.ask(**{**arguments, **changes})


def test_a_question_that_fits_is_answered() -> None:
    query, rank = call()
    assert (query.tolist(), rank.tolist()) == ([0], [0])


@pytest.mark.parametrize(
    "changes",
    [
        {"which": TWO},
        {"rank": NONE},
        {"position": TWO},
        {"words": np.empty(0, np.uint8)},
        {"left": np.empty(0, U64)},
        {"right": np.zeros(2, U64)},
        {"which": np.ones(1, U32)},
        {"rank": np.ones(1, U32)},
        {"keys": np.empty(0, U64)},
        {"keys": np.zeros(1, U64)},
        {"query_words": NONE},
        {"own": NONE},
        {"own": TWO},
        {"query_words": NONE, "own": NONE},
        {"found_words": NONE},
    ],
    ids=lambda changes: " ".join(changes),
)
def test_columns_that_do_not_fit_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="expected"):
        call(**changes)


numbers = st.integers(0, 3) | st.sampled_from([2**31, 2**32 - 1, 2**32 - 2])
columns = st.lists(numbers, max_size=4).map(lambda values: np.array(values, U32))


def accepts_or_refuses(work: Callable[[], object]) -> None:
    """Any answer or a ValueError; a panic is a BaseException and passes through."""
    with contextlib.suppress(ValueError):
        work()


@settings(max_examples=400)
@given(
    st.lists(st.lists(st.integers(0, 2).map(word), max_size=8), max_size=3),
    st.fixed_dictionaries(
        {},
        optional={
            **dict.fromkeys(("which", "rank", "position", "query_words", "own", "found_words"), columns),
            **dict.fromkeys(
                ("links", "settled_words", "shingle_words", "agree_gap_words", "key_words"), numbers
            ),
            **dict.fromkeys(("all_holders", "grouped_words"), numbers | st.just(2**63)),
            "agree_share": st.floats(),
        },
    ),
)
def test_no_argument_makes_the_kernel_panic(queries: list[list[int]], changes: dict[str, Any]) -> None:
    asked = [file(queries, 1)]
    accepts_or_refuses(lambda: call(**changes))
    accepts_or_refuses(lambda: call(asked=asked, keys=_core.distinct_keys(asked), **changes))
    lengths = {
        "query_words": np.full(len(queries), 4, U32),
        "own": np.full(len(queries), LEFT_OUT, U32),
        "found_words": np.arange(4, dtype=U32),
    }
    accepts_or_refuses(
        lambda: call(**{**changes, **lengths, "asked": asked, "keys": _core.distinct_keys(asked)})
    )
