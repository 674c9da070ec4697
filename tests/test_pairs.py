"""Candidate pairs are exactly those that the stated rule gives, on piles small enough to say so by hand."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import postings as twin

from wirecopy import _core
from wirecopy.model import Tokens

U64, I64, U32, U8 = np.uint64, np.int64, np.uint32, np.uint8


def word(number: int) -> int:
    """Fifteen words, each with four bits of its own."""
    return (number + 1) << 40 | number * 0x1111 + 0x800


def shingles(article: Sequence[int], every: int) -> list[tuple[int, int]]:
    """Start and end of every so many-th shingle: two words, or three where the first is odd."""
    spans = [(start, start + 2 + article[start] % 2) for start in range(0, len(article), every)]
    return [(start, end) for start, end in spans if end <= len(article)]


def key_of(words: Sequence[int]) -> int:
    """All keys in the first shard."""
    return sum(w * (7 + 1_000_002 * i) for i, w in enumerate(words)) & 0xFFFF_FFFF


@st.composite
def piles(draw: st.DrawFn) -> list[list[int]]:
    """Short articles that share passages: slices of one text, edited, with other words around."""
    words = st.integers(0, 14)
    shared = draw(st.lists(words, min_size=8, max_size=40))
    articles = []
    for _ in range(draw(st.integers(2, 12))):
        start = draw(st.integers(0, len(shared) - 1))
        part = shared[start : draw(st.integers(start, len(shared)))]
        for at in draw(st.lists(st.integers(0, 40), max_size=3)):
            part[at : at + 1] = [at % 15]
        articles.append(draw(st.lists(words, max_size=12)) + part + draw(st.lists(words, max_size=12)))
    return [[word(number) for number in article] for article in articles]


limits = st.builds(
    twin.Limits,
    st.integers(1, 8),
    st.integers(1, 3),
    st.integers(0, 16),
    st.integers(0, 4),
    st.integers(0, 17),
    st.integers(2, 6),
)
rules = st.builds(
    twin.Rule,
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(0, 20),
    st.integers(1, 10),
    st.floats(0.1, 1),
    st.floats(0.1, 1),
)


def pack(rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    return (
        np.array([value for row in rows for value in row], U64),
        np.cumsum([0] + [len(row) for row in rows]).astype(I64),
    )


def file(articles: Sequence[Sequence[int]], every: int, placed: bool = True) -> _core.Postings:
    spans = [shingles(article, every) for article in articles]
    keys = [
        [key_of(article[start:end]) for start, end in mine]
        for article, mine in zip(articles, spans, strict=True)
    ]
    starts, ends = (np.array([span[side] for mine in spans for span in mine], U32) for side in (0, 1))
    return _core.file(*pack(articles), *pack(keys), starts if placed else None, ends if placed else None)[0]


def file_slowly(
    articles: Sequence[Sequence[int]], ranks: Sequence[int], every: int, placed: bool = True
) -> dict[int, list[twin.Place]]:
    filed: dict[int, list[twin.Place]] = defaultdict(list)
    for article, rank in zip(articles, ranks, strict=True):
        for start, end in shingles(article, every):
            filed[key_of(article[start:end])].append(
                twin.place(article, rank, start, end) if placed else twin.placeless(rank)
            )
    return filed


def read_rows(answer: dict[str, NDArray[np.uint32]]) -> list[twin.Row]:
    """The evidence, with the holders of its common key in place of that key's number."""
    edges = np.cumsum([0, *answer["common_sizes"]]).tolist()
    holders = list(zip(answer["common_holders"].tolist(), answer["common_positions"].tolist(), strict=True))
    names: dict[int, str | tuple[tuple[int, int], ...]] = {2**32 - 1: "rare", _core.LINKED: "linked"}
    for number in range(len(edges) - 1):
        names[number] = tuple(holders[edges[number] : edges[number + 1]])
    columns = ("later", "earlier", "later_position", "earlier_position", "common")
    rows = zip(*(answer[name].tolist() for name in columns), strict=True)
    return [twin.Row(row[0], row[1], row[2], row[3], names[row[4]]) for row in rows]


@settings(max_examples=600)
@given(
    piles(), limits, st.integers(1, 4), st.integers(1, 3), st.booleans(), st.randoms(use_true_random=False)
)
def test_the_evidence_is_what_the_rule_says(
    articles: list[list[int]], limit: twin.Limits, every: int, cuts: int, placed: bool, order: Any
) -> None:
    ranks = list(range(len(articles)))
    order.shuffle(ranks)
    edges = sorted({0, len(articles), *(order.randint(0, len(articles)) for _ in range(cuts))})
    batches = [file(articles[start:end], every, placed) for start, end in itertools.pairwise(edges)]
    answer = _core.collide(batches, edges[:-1], np.array(ranks, U32), *astuple(limit))
    expected, weak = twin.collide(file_slowly(articles, ranks, every, placed), limit)
    assert answer["weak"] == weak
    assert Counter(read_rows(answer)) == Counter(expected)
    labels = {row.common if isinstance(row.common, str) else "common" for row in expected}
    event(", ".join(sorted(labels)) or "no evidence")


@given(st.lists(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 63).map(lambda s: s << 58), max_size=20)))
def test_the_first_six_bits_of_a_key_are_its_shard(articles: list[list[int]]) -> None:
    hashes, offsets = pack([[]] * len(articles))
    shards = _core.file(hashes, offsets, *pack(articles), None, None)
    keys = [key for article in articles for key in article]
    assert [len(shard) for shard in shards] == [sum(key >> 58 == i for key in keys) for i in range(64)]
    for number, shard in enumerate(shards):
        answer = _core.collide([shard], [0], np.arange(len(articles), dtype=U32), 99, 2, 12, 5, 8, 99)
        assert set(zip(answer["later"].tolist(), answer["earlier"].tolist(), strict=True)) == {
            (later, earlier)
            for later, earlier in itertools.product(range(len(articles)), repeat=2)
            if earlier < later
            and any(key >> 58 == number for key in {*articles[later]} & {*articles[earlier]})
        }


def test_an_article_that_is_left_out_is_in_no_pair() -> None:
    article = [word(i % 15) for i in range(30)]
    ranks = np.array([0, 2**32 - 1, 1], U32)
    answer = _core.collide([file([article] * 3, 1)], [0], ranks, 20, 4, 12, 2, 8, 8)
    assert set(zip(answer["later"].tolist(), answer["earlier"].tolist(), strict=True)) == {(1, 0)}


@settings(max_examples=400)
@given(piles(), limits, rules, st.integers(1, 3), st.data())
def test_suspects_and_candidates_are_what_the_rule_says(
    articles: list[list[int]], limit: twin.Limits, rule: twin.Rule, every: int, data: st.DataObject
) -> None:
    lengths = [len(article) for article in articles]
    answer = _core.collide([file(articles, every)], [0], np.arange(len(articles), dtype=U32), *astuple(limit))
    columns = {
        name: answer[name] for name in ("later", "earlier", "later_position", "earlier_position", "common")
    }
    edges = np.cumsum([0, *answer["common_sizes"]]).astype(I64)
    found = _core.suspect(
        **columns,
        common_holders=answer["common_holders"],
        common_positions=answer["common_positions"],
        common_offsets=edges,
        words=np.array(lengths, U32),
        boilerplate_articles=rule.boilerplate_articles,
        examples=rule.examples,
        agree_gap_words=rule.agree_gap_words,
        key_words=rule.key_words,
        agree_share=rule.agree_share,
        family_share=rule.family_share,
    )
    names = {2**32 - 1: "rare", _core.LINKED: "linked"}
    rows = [
        twin.Row(row[0], row[1], row[2], row[3], names.get(row[4], f"#{row[4]}"))
        for row in zip(*(column.tolist() for column in columns.values()), strict=True)
    ]
    holders = list(zip(answer["common_holders"].tolist(), answer["common_positions"].tolist(), strict=True))
    commons = [holders[start:end] for start, end in itertools.pairwise(edges)]

    agreed = twin.agreeing(rows, lengths, rule)
    assert [bool(mark) for mark in found["agreed"]] == [(row.later, row.earlier) in agreed for row in rows]
    assert sorted(found["order"].tolist()) == list(range(len(rows)))
    pairs = [(rows[i].later, rows[i].earlier) for i in found["order"]]
    assert pairs == sorted(pairs)

    ends = found["example_offsets"].tolist()
    examples = list(zip(found["example_ranks"].tolist(), found["example_positions"].tolist(), strict=True))
    got = {
        number: examples[start:end]
        for number, start, end in zip(found["commons"].tolist(), ends, ends[1:], strict=False)
    }
    assert got == twin.suspects(rows, commons, lengths, rule)
    event(f"{min(len(got), 2)} suspects")

    guilty = data.draw(st.sets(st.sampled_from(range(len(commons))))) if commons else set()
    later, earlier = _core.nominate(
        columns["later"],
        columns["earlier"],
        columns["common"],
        found["order"],
        found["agreed"],
        np.array(sorted(guilty), U32),
        answer["common_sizes"],
        limit.all_holders,
        limit.links,
    )
    sizes = [len(common) for common in commons]
    assert list(zip(later.tolist(), earlier.tolist(), strict=True)) == twin.nominate(
        rows, agreed, guilty, sizes, limit.all_holders, limit.links
    )


@settings(max_examples=500)
@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 5), st.floats(0.1, 0.9), st.floats(0.1, 0.9))
def test_strangers_of_one_family_count_once(
    seed: int, least: int, examples: int, agree_share: float, family_share: float
) -> None:
    dice = random.Random(seed)
    words = [dice.randint(5, 40) for _ in range(10)]
    rule = twin.Rule(least, examples, 5, 4, agree_share, family_share)
    rows = []
    for _ in range(dice.randint(0, 60)):
        earlier, later = sorted(dice.sample(range(10), 2))
        common = dice.choice(["rare", "linked", "#0", "#0", "#1"])
        rows.append(twin.Row(later, earlier, dice.randrange(40), dice.randrange(40), common))
    commons = [[(rank, dice.randrange(40)) for rank in range(10)] for _ in range(2)]
    holders = [holder for common in commons for holder in common]
    numbers = {"rare": 2**32 - 1, "linked": _core.LINKED, "#0": 0, "#1": 1}
    columns = [np.array([row[i] for row in rows], U32) for i in range(4)]
    found = _core.suspect(
        columns[0],
        columns[1],
        columns[2],
        columns[3],
        np.array([numbers[str(row.common)] for row in rows], U32),
        np.array([rank for rank, _ in holders], U32),
        np.array([position for _, position in holders], U32),
        np.array([0, 10, 20], I64),
        np.array(words, U32),
        *astuple(rule),
    )
    ends = found["example_offsets"].tolist()
    named = list(zip(found["example_ranks"].tolist(), found["example_positions"].tolist(), strict=True))
    got = {
        number: named[start:end]
        for number, start, end in zip(found["commons"].tolist(), ends, ends[1:], strict=False)
    }
    assert got == twin.suspects(rows, commons, words, rule)
    event(f"{len(got)} suspects")


@given(
    st.integers(1, 12).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))))
    )
)
def test_components_name_the_earliest_article(drawn: tuple[int, list[tuple[int, int]]]) -> None:
    articles, links = drawn
    later, earlier = (np.array([link[side] for link in links], U32) for side in (0, 1))
    assert _core.components(articles, later, earlier).tolist() == twin.components(articles, links)


NONE, ONE, TWO = np.array([], U32), np.array([0], U32), np.array([0, 1], U32)
ZERO = np.array([0], I64)


def suspect(**changes: object) -> object:
    arguments: dict[str, object] = {
        **dict.fromkeys(("later", "earlier", "later_position", "earlier_position", "common"), ONE),
        "common_holders": ONE,
        "common_positions": ONE,
        "common_offsets": np.array([0, 1], I64),
        "words": np.array([5], U32),
        "boilerplate_articles": 1,
        "examples": 1,
        "agree_gap_words": 5,
        "key_words": 1,
        "agree_share": 0.9,
        "family_share": 0.9,
    }
    return _core.suspect(**{**arguments, **changes})  # type: ignore[arg-type]


SIX = Tokens(np.arange(6, dtype=U64), np.array([0, 6], I64))


@pytest.mark.parametrize(
    "call",
    [
        lambda: _core.file(*pack([[1, 2]]), *pack([[1], [2]]), None, None),
        lambda: _core.file(*pack([[1, 2]]), *pack([[1]]), ONE, None),
        lambda: _core.file(*pack([[1, 2]]), *pack([[1]]), None, ONE),
        lambda: _core.file(*pack([[1, 2]]), *pack([[1]]), TWO, TWO),
        lambda: _core.file(*pack([[1, 2]]), *pack([[1]]), ONE, np.array([3], U32)),
        lambda: _core.file(*pack([[1, 2]]), *pack([[1]]), np.array([2], U32), np.array([1], U32)),
        lambda: _core.collide([], [0], NONE, 20, 4, 12, 2, 8, 8),
        lambda: _core.collide([file([[2, 2]], 1)], [], ONE, 20, 4, 12, 2, 8, 8),
        lambda: _core.collide([file([[2, 2]], 1)], [0], NONE, 20, 4, 12, 2, 8, 8),
        lambda: _core.collide([file([[2, 2]], 1)], [7], ONE, 20, 4, 12, 2, 8, 8),
        lambda: suspect(later=TWO),
        lambda: suspect(earlier=NONE),
        lambda: suspect(later_position=TWO),
        lambda: suspect(common=NONE),
        lambda: suspect(words=NONE),
        lambda: suspect(common_holders=np.array([1], U32)),
        lambda: suspect(common_holders=TWO),
        lambda: suspect(common_offsets=np.array([], I64)),
        lambda: suspect(common_offsets=np.array([0, 2], I64)),
        lambda: suspect(common_offsets=np.array([0, -1], I64)),
        lambda: suspect(common_positions=NONE),
        lambda: suspect(common=np.array([1], U32)),
        lambda: suspect(common=np.array([_core.LINKED - 1], U32)),
        lambda: _core.nominate(ONE, TWO, ONE, ONE, np.zeros(1, U8), NONE, ZERO, 20, 4),
        lambda: _core.nominate(ONE, ONE, ONE, np.array([1], U32), np.zeros(1, U8), NONE, ZERO, 20, 4),
        lambda: _core.nominate(ONE, ONE, ONE, ONE, np.zeros(0, U8), NONE, ZERO, 20, 4),
        lambda: _core.components(1, np.array([1], U32), ONE),
        lambda: _core.components(0, ONE, ONE),
        lambda: _core.components(2, ONE, NONE),
        lambda: _core.common_shingles(SIX, TWO, ONE, reach_words=9, least=1),
        lambda: _core.common_shingles(SIX, ONE, TWO, reach_words=9, least=1),
        lambda: _core.common_shingles(SIX, np.array([1], U32), ONE, reach_words=9, least=1),
    ],
)
def test_columns_that_do_not_fit_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="expected"):
        call()


sizes = st.integers(0, 4) | st.sampled_from([2**31, 2**62])
ranks_ = st.lists(st.integers(0, 5) | st.sampled_from([2**32 - 1, 2**32 - 2]), max_size=6).map(
    lambda r: np.array(r, U32)
)


def accepts_or_refuses(call: Callable[[], object]) -> None:
    """Any answer or a ValueError or OverflowError; a panic is a BaseException and passes through."""
    with contextlib.suppress(ValueError, OverflowError):
        call()


@settings(max_examples=500)
@given(
    st.lists(st.lists(st.integers(0, 3), max_size=8), max_size=5),
    ranks_,
    ranks_,
    ranks_,
    sizes,
    sizes,
    sizes,
    sizes,
)
def test_no_argument_makes_the_kernels_panic(
    articles: list[list[int]],
    one: NDArray[np.uint32],
    other: NDArray[np.uint32],
    third: NDArray[np.uint32],
    all_holders: int,
    links: int,
    settled: int,
    grouped: int,
) -> None:
    hashes, offsets = pack(articles)
    accepts_or_refuses(lambda: _core.file(hashes, offsets, hashes, offsets, one, other))
    batch = file(articles, 1)
    accepts_or_refuses(
        lambda: _core.collide(
            [batch, batch],
            [0, links],
            one,
            all_holders,
            links,
            settled % 2**32,
            links % 2**32,
            grouped,
            links,
        )
    )
    count = min(len(one), len(other), len(third))
    one, other, third = one[:count], other[:count], third[:count]
    marks = (third % 2).astype(U8)
    accepts_or_refuses(
        lambda: _core.nominate(one, other, third, third, marks, other, offsets, all_holders, links)
    )
    accepts_or_refuses(lambda: _core.components(grouped % 8, one, other))
    accepts_or_refuses(
        lambda: suspect(
            later=one,
            earlier=other,
            later_position=third,
            earlier_position=third,
            common=np.full(count, _core.LINKED, U32),
            words=third,
            agree_gap_words=grouped % 2**32,
            key_words=settled % 2**32,
        )
    )
    accepts_or_refuses(
        lambda: suspect(
            later=one,
            earlier=other,
            later_position=third,
            earlier_position=third,
            common=third,
            common_holders=other,
            common_positions=third,
            common_offsets=np.array([0, count // 2, count // 2, count, count], I64),
            words=np.arange(6, dtype=U32),
            boilerplate_articles=links,
            examples=all_holders,
        )
    )
