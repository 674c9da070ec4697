"""Candidate pairs are exactly those that the stated rule gives, on piles small enough to say so by hand."""

from __future__ import annotations

import itertools
import pickle
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import postings as twin

from wirecopy import _core, pairs
from wirecopy.boilerplate import Rule
from wirecopy.methods import Keys
from wirecopy.model import Tokens
from wirecopy.pairs import LEFT_OUT, Agreement, Collided, Commons, Evidence, Filed, Limits, Strangers

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
def slices(draw: st.DrawFn) -> list[list[int]]:
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


@st.composite
def crowds(draw: st.DrawFn) -> list[list[int]]:
    """Short articles that all hold one text, most of them to its end, with few edits: its keys are common."""
    dice = draw(st.randoms(use_true_random=False))
    shared = [dice.randrange(15) for _ in range(draw(st.integers(4, 30)))]
    articles = []
    for _ in range(draw(st.integers(4, 12))):
        part = shared[: dice.choice([len(shared), len(shared), dice.randint(2, len(shared))])]
        for _ in range(dice.choice([0, 0, 1, 3])):
            part[dice.randrange(len(part))] = dice.randrange(15)
        lead, tail = ([dice.randrange(15) for _ in range(dice.choice([0, 0, 3, 18]))] for _ in range(2))
        articles.append(lead + part + tail)
    return [[word(number) for number in article] for article in articles]


def piles() -> st.SearchStrategy[list[list[int]]]:
    return slices() | crowds()


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


def file_all(articles: Sequence[Sequence[int]], every: int = 1, placed: bool = True) -> Filed:
    spans = [shingles(article, every) for article in articles]
    keys = [
        [key_of(article[start:end]) for start, end in mine]
        for article, mine in zip(articles, spans, strict=True)
    ]
    starts, ends = (np.array([span[side] for mine in spans for span in mine], U32) for side in (0, 1))
    places = (starts, ends) if placed else (None, None)
    words = np.array([len(article) for article in articles], U32)
    return Filed(words, _core.file(Tokens(*pack(articles)), Keys(*pack(keys), *places)))


def file(articles: Sequence[Sequence[int]], every: int = 1, placed: bool = True) -> _core.Postings:
    return file_all(articles, every, placed).shards[0]


def file_keys(articles: Sequence[Sequence[int]]) -> list[_core.Postings]:
    """Articles without words under these keys."""
    return _core.file(Tokens(*pack([[]] * len(articles))), Keys(*pack(articles)))


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


def all_names(articles: Sequence[Sequence[int]], every: int, limit: twin.Limits) -> list[int]:
    """All names that a common key of these articles may have, sorted."""
    found = set()
    for article in articles:
        for start, end in shingles(article, every):
            key, place = key_of(article[start:end]), twin.place(article, 0, start, end)
            found |= {key, *(twin.name_of(side, key, place, limit) for side in twin.SIDES)}
    return sorted(found)


def batch(
    articles: Sequence[Sequence[int]], cuts: Collection[int], every: int, placed: bool = True
) -> list[tuple[_core.Postings, int]]:
    """The articles filed in batches, with the number of the first of each."""
    edges = sorted({0, len(articles), *cuts})
    return [(file(articles[start:end], every, placed), start) for start, end in itertools.pairwise(edges)]


def collide(
    filed: Sequence[tuple[_core.Postings, int]],
    ranks: Sequence[int],
    limit: twin.Limits,
    known: Sequence[int] | None = None,
    level: str = "whole",
) -> Collided:
    names = None if known is None else np.array(known, U64)
    return pairs.collide(filed, np.array(ranks, U32), Limits(**asdict(limit)), names, level)


def read_rows(evidence: Evidence, names: Sequence[int] | NDArray[np.uint64] | None = None) -> list[twin.Row]:
    """The evidence with the names of common keys, or, if they are not given, their numbers."""
    rows = []
    for later, earlier, later_position, earlier_position, common in evidence.rows():
        number = common & ~_core.LINKED
        shown = None if number == _core.RARE else number if names is None else int(names[number])
        linked = bool(common & _core.LINKED)
        rows.append(twin.Row(later, earlier, later_position, earlier_position, shown, linked))
    return rows


def read_commons(commons: Commons) -> list[list[tuple[int, int]]]:
    holders = list(zip(commons.holders.tolist(), commons.positions.tolist(), strict=True))
    return [holders[start:end] for start, end in itertools.pairwise(commons.offsets.tolist())]


def describe(rows: Sequence[twin.Row]) -> str:
    kinds = {("linked " if row.linked else "") + ("rare" if row.common is None else "common") for row in rows}
    return ", ".join(sorted(kinds)) or "no evidence"


@settings(max_examples=600)
@given(
    piles(), limits, st.integers(1, 4), st.integers(1, 3), st.booleans(), st.randoms(use_true_random=False)
)
def test_the_evidence_is_what_the_rule_says(
    articles: list[list[int]], limit: twin.Limits, every: int, cuts: int, placed: bool, order: Any
) -> None:
    ranks = list(range(len(articles)))
    order.shuffle(ranks)
    batches = batch(articles, [order.randint(0, len(articles)) for _ in range(cuts)], every, placed)
    answer = collide(batches, ranks, limit)
    expected = twin.collide(file_slowly(articles, ranks, every, placed), limit)
    names = answer.commons.names.tolist()
    assert answer.weak == expected.weak
    assert Counter(read_rows(answer.evidence, names)) == Counter(expected.rows)
    assert len(names) == len(expected.commons)
    assert dict(zip(names, read_commons(answer.commons), strict=True)) == expected.commons
    event(describe(expected.rows))


@settings(max_examples=600)
@given(piles(), limits, st.integers(1, 3), st.booleans(), st.booleans(), st.randoms(use_true_random=False))
def test_known_names_number_common_keys_and_all_holders_may_be_paired(
    articles: list[list[int]], limit: twin.Limits, every: int, placed: bool, linked: bool, dice: Any
) -> None:
    limit = limit if linked else replace(limit, links=None)
    ranks = list(range(len(articles)))
    dice.shuffle(ranks)
    known = [name for name in all_names(articles, every, limit) if dice.random() < 0.6]
    batches = batch(articles, [dice.randint(0, len(articles))], every, placed)
    answer = collide(batches, ranks, limit, known)
    expected = twin.collide(file_slowly(articles, ranks, every, placed), limit, known)
    assert answer.weak == expected.weak
    assert Counter(read_rows(answer.evidence, known)) == Counter(expected.rows)
    assert not len(answer.commons.names)
    assert not read_commons(answer.commons)
    event(f"{'linked' if linked else 'all'}: {describe(expected.rows)}")


@settings(max_examples=600)
@given(
    piles(),
    limits,
    st.integers(1, 3),
    st.sampled_from(["key", *twin.SIDES]),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_one_level_of_keys_is_told_alone(
    articles: list[list[int]], limit: twin.Limits, every: int, level: str, named: bool, dice: Any
) -> None:
    ranks = list(range(len(articles)))
    dice.shuffle(ranks)
    names = all_names(articles, every, limit)
    known = [name for name in names if dice.random() < 0.6] if named else None
    batches = batch(articles, [dice.randint(0, len(articles))], every)
    answer = collide(batches, ranks, limit, known, level)
    expected = twin.collide(file_slowly(articles, ranks, every), limit, known, level)
    called = answer.commons.names.tolist() if known is None else known
    assert answer.weak == expected.weak
    assert Counter(read_rows(answer.evidence, called)) == Counter(expected.rows)
    commons = dict(zip(answer.commons.names.tolist(), read_commons(answer.commons), strict=True))
    assert commons == expected.commons
    event(f"{level}: {describe(expected.rows)}")


@given(piles(), limits, st.integers(1, 3))
def test_the_levels_of_keys_that_are_common_are_all_there_is_to_them(
    articles: list[list[int]], limit: twin.Limits, every: int
) -> None:
    limit, filed = replace(limit, all_holders=0), [(file(articles, every), 0)]
    answers = [
        collide(filed, range(len(articles)), limit, level=level) for level in ("whole", "key", *twin.SIDES)
    ]
    whole, *levels = [Counter(read_rows(one.evidence, one.commons.names)) for one in answers]
    assert whole == sum(levels, Counter())
    assert answers[0].weak == sum(one.weak for one in answers[1:])


@given(piles(), limits, st.integers(1, 3), st.sampled_from(twin.SIDES), st.booleans())
def test_a_key_is_called_by_the_words_on_one_side(
    articles: list[list[int]], limit: twin.Limits, every: int, side: str, placed: bool
) -> None:
    slowly = file_slowly(articles, range(len(articles)), every, placed)
    held = [(key, place) for key, places in slowly.items() for place in places]
    packed = np.concatenate(_core.pack([file(articles, every, placed)], 1)).view(
        np.dtype([("key", "<u8"), ("left", "<u8"), ("right", "<u8"), ("row", "<u4"), ("position", "<u4")])
    )
    rows = packed["row"] & 0xFFFFFF
    keys, left, right = (np.ascontiguousarray(packed[one]) for one in ("key", "left", "right"))
    words, names, cut_short = _core.name_sides(keys, left, right, Limits(**asdict(limit)), side)
    called = zip(packed["key"].tolist(), rows.tolist(), packed["position"].tolist(), strict=True)
    got = Counter(zip(called, names.tolist(), cut_short.tolist(), strict=True))
    assert got == Counter(
        (
            (key, place.rank, place.position),
            twin.name_of(side, key, place, limit),
            twin.is_cut_short(side, place, limit),
        )
        for key, place in held
    )
    assert len(set(zip(keys.tolist(), words.tolist(), strict=True))) == len(set(names.tolist()))


@settings(max_examples=300)
@given(piles(), limits, rules, st.integers(1, 3))
def test_all_pairs_are_those_that_are_linked_and_more(
    articles: list[list[int]], limit: twin.Limits, rule: twin.Rule, every: int
) -> None:
    ranks = list(range(len(articles)))
    filed = batch(articles, [], every)
    linked, every_one = (
        {(row.later, row.earlier) for row in read_rows(collide(filed, ranks, one).evidence)}
        for one in (limit, replace(limit, links=None))
    )
    assert linked <= every_one
    event(f"{'more' if linked < every_one else 'as many'} pairs")


def test_evidence_of_no_known_names_is_all_rare() -> None:
    limit = twin.Limits(2, None, 0, 2, 3, 2)
    article = [word(number % 15) for number in range(40)]
    rows = read_rows(collide(batch([article] * 4, [], 1), range(4), limit, []).evidence, [])
    assert {(row.later, row.earlier) for row in rows} == {*itertools.combinations(range(3, -1, -1), 2)}
    assert {(row.common, row.linked) for row in rows} == {(None, False)}


@given(st.lists(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 63).map(lambda s: s << 58), max_size=20)))
def test_the_first_six_bits_of_a_key_are_its_shard(articles: list[list[int]]) -> None:
    shards = file_keys(articles)
    keys = [key for article in articles for key in article]
    assert [len(shard) for shard in shards] == [sum(key >> 58 == i for key in keys) for i in range(64)]
    for number, shard in enumerate(shards):
        evidence = collide([(shard, 0)], range(len(articles)), twin.Limits(99, 2, 12, 5, 8, 99)).evidence
        assert {(row.later, row.earlier) for row in read_rows(evidence)} == {
            (later, earlier)
            for later, earlier in itertools.product(range(len(articles)), repeat=2)
            if earlier < later
            and any(key >> 58 == number for key in {*articles[later]} & {*articles[earlier]})
        }


def test_an_article_that_is_left_out_is_in_no_pair() -> None:
    article = [word(i % 15) for i in range(30)]
    ranks = [0, LEFT_OUT, 1]
    evidence = collide([(file([article] * 3), 0)], ranks, twin.Limits(20, 4, 12, 2, 8, 8)).evidence
    assert {(row.later, row.earlier) for row in read_rows(evidence)} == {(1, 0)}


@settings(max_examples=400)
@given(piles(), limits, rules, st.integers(1, 3), st.data())
def test_suspects_and_candidates_are_what_the_rule_says(
    articles: list[list[int]], limit: twin.Limits, rule: twin.Rule, every: int, data: st.DataObject
) -> None:
    lengths = [len(article) for article in articles]
    collided = collide([(file(articles, every), 0)], range(len(articles)), limit)
    rows, commons = read_rows(collided.evidence), dict(enumerate(read_commons(collided.commons)))
    agreement, got = settle(collided, lengths, rule)
    check_settled(rows, commons, lengths, rule, agreement, got)
    event(f"{min(len(got), 2)} suspects")

    guilty = data.draw(st.sets(st.sampled_from(range(len(commons))))) if commons else set()
    is_guilty = np.array([number in guilty for number in range(len(commons))], bool)
    assert limit.links is not None
    later, earlier = _core.nominate(collided.evidence, agreement, is_guilty, limit.links)
    agreed = twin.agreeing(rows, lengths, rule)
    strangers = pairs.find_strangers(collided.evidence, agreement)
    assert list(strangers.rows()) == twin.strangers(rows, agreed)
    expected = twin.nominate(rows, agreed, guilty, limit.links)
    assert list(zip(later.tolist(), earlier.tolist(), strict=True)) == expected
    event("some are only linked" if any(row.linked for row in rows) else "none is linked")


@settings(max_examples=200)
@given(piles(), limits, rules, st.integers(1, 3), st.sets(st.integers(0, 12), max_size=4))
def test_ranges_of_later_articles_tell_what_all_evidence_tells(
    articles: list[list[int]], limit: twin.Limits, rule: twin.Rule, every: int, edges: set[int]
) -> None:
    collided = collide([(file(articles, every), 0)], range(len(articles)), limit)
    lengths, chosen = np.array([len(article) for article in articles], U32), Rule(**asdict(rule))
    none = np.zeros(len(collided.commons.names), bool)

    def tell(evidence: Evidence) -> list[list[Any]]:
        """The pairs of families, the strangers and the candidates."""
        agreement = pairs.agree(evidence, lengths, chosen)
        strangers = pairs.find_strangers(evidence, agreement)
        columns = agreement.families, strangers.arrays, pairs.nominate(evidence, agreement, none)
        return [list(zip(*(column.tolist() for column in mine), strict=True)) for mine in columns]

    ranges = pairs.cut(collided.evidence, np.array(sorted(edges), U32))
    assert len(ranges) == len(edges) + 1
    told = [tell(evidence) for evidence in ranges]
    assert [sorted(itertools.chain(*parts)) for parts in zip(*told, strict=True)] == tell(collided.evidence)
    event(f"{sum(map(bool, map(len, ranges)))} ranges with evidence")


def settle(
    collided: Collided, lengths: Sequence[int], rule: twin.Rule
) -> tuple[Agreement, Mapping[int, list[tuple[int, int]]]]:
    """Who agrees, and which common keys may be boilerplate, with their examples."""
    chosen = Rule(**asdict(rule))
    agreement = pairs.agree(collided.evidence, np.array(lengths, U32), chosen)
    family = _core.components(len(lengths), *agreement.families)
    strangers = pairs.find_strangers(collided.evidence, agreement)
    found = pairs.suspect(strangers, family, collided.commons, chosen)
    for number, common in found.items():
        mine = slice(*collided.commons.offsets[number : number + 2].tolist())
        assert common.holders.tolist() == collided.commons.holders[mine].tolist()
    return agreement, {
        number: list(zip(common.rows.tolist(), common.places.tolist(), strict=True))
        for number, common in found.items()
    }


def check_settled(
    rows: Sequence[twin.Row],
    commons: Mapping[int, twin.Holders],
    lengths: Sequence[int],
    rule: twin.Rule,
    agreement: Agreement,
    got: Mapping[int, twin.Holders],
) -> None:
    agreed = twin.agreeing(rows, lengths, rule)
    assert [bool(mark) for mark in agreement.agreed] == [(row.later, row.earlier) in agreed for row in rows]
    assert sorted(agreement.order.tolist()) == list(range(len(rows)))
    by_pair = [(rows[i].later, rows[i].earlier) for i in agreement.order]
    assert by_pair == sorted(by_pair)
    close = twin.families(rows, lengths, rule)
    assert list(zip(*(side.tolist() for side in agreement.families), strict=True)) == close
    family = twin.components(len(lengths), close)
    assert got == twin.suspects(rows, commons, agreed, family, rule)


@settings(max_examples=500)
@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 5), st.floats(0.1, 0.9), st.floats(0.1, 0.9))
def test_strangers_of_one_family_count_once(
    seed: int, least: int, examples: int, agree_share: float, family_share: float
) -> None:
    dice = random.Random(seed)
    words = [dice.randint(0, 40) for _ in range(10)]
    rule = twin.Rule(least, examples, 5, 4, agree_share, family_share)
    rows = []
    for _ in range(dice.randint(0, 60)):
        earlier, later = sorted(dice.sample(range(10), 2))
        common, linked = dice.choice([None, None, 0, 0, 1]), dice.random() < 0.3
        rows.append(twin.Row(later, earlier, dice.randrange(40), dice.randrange(40), common, linked))
    commons = [[(rank, dice.randrange(40)) for rank in range(10)] for _ in range(2)]
    numbers = [(_core.RARE if row.common is None else row.common) | _core.LINKED * row.linked for row in rows]
    a, b, c, d = (np.array([row[i] for row in rows], U32) for i in range(4))
    holders, positions = (
        np.array([one[side] for common in commons for one in common], U32) for side in (0, 1)
    )
    collided = Collided(
        Evidence(a, b, c, d, np.array(numbers, U32)),
        Commons(holders, positions, np.array([0, 10, 20], I64), np.array([7, 8], U64)),
        0,
    )
    agreement, got = settle(collided, words, rule)
    check_settled(rows, dict(enumerate(commons)), words, rule, agreement, got)
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


# Who holds some keys.

few_keys = st.lists(st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=4), max_size=3)


def number(batches: Sequence[Sequence[Sequence[int]]]) -> tuple[list[tuple[_core.Postings, int]], list[Any]]:
    """Batches of articles filed under keys, and who holds what."""
    firsts = itertools.accumulate(map(len, batches), initial=0)
    filed = [(file_keys(one)[0], first) for one, first in zip(batches, firsts, strict=False)]
    articles = itertools.chain.from_iterable(batches)
    return filed, [(number, key) for number, held in enumerate(articles) for key in held]


@settings(max_examples=300)
@given(few_keys, st.sets(st.integers(0, 6)), st.sets(st.integers(0, 11)))
def test_holders_are_counted_as_often_as_they_hold_a_key(
    batches: list[list[list[int]]], keys: set[int], left_out: set[int]
) -> None:
    filed, held = number(batches)
    articles = sum(map(len, batches))
    ranks = np.array([LEFT_OUT if one in left_out else articles - one for one in range(articles)], U32)
    got = _core.count_holders(filed, ranks, np.array(sorted(keys), U64))
    expected = twin.count_holders(held, left_out, sorted(keys))
    assert tuple(column.tolist() for column in got) == expected
    event(f"{'some are' if any(expected[0]) else 'none is'} held")


@settings(max_examples=300)
@given(few_keys, st.integers(0, 5))
def test_who_holds_a_common_key_is_known(batches: list[list[list[int]]], most: int) -> None:
    filed, held = number(batches)
    articles = sum(map(len, batches))
    expected = twin.hold_common(held, articles, most)
    assert _core.hold_common(filed, articles, most).tolist() == expected
    event(f"{'some' if any(expected) else 'none'} of them, {'all' if all(expected) else 'not all'}")


@settings(max_examples=200)
@given(few_keys, st.sets(st.integers(0, 6)))
def test_holders_are_found_whatever_the_batches(batches: list[list[list[int]]], keys: set[int]) -> None:
    filed, held = number(batches)
    wanted = sorted(keys)
    postings, numbers = _core.look_up(filed, np.array(wanted, U64))
    expected = [(article, key) for article, key in held if key in keys]
    assert numbers.tolist() == sorted({article for article, _ in expected})
    assert len(postings) == len(expected)
    assert _core.distinct_keys([postings]).tolist() == sorted({key for _, key in expected})
    for key in wanted:
        mine, of_key = _core.look_up([(postings, 0)], np.array([key], U64))
        assert numbers[of_key].tolist() == sorted({article for article, one in expected if one == key})
        assert len(mine) == sum(one == key for _, one in expected)


@settings(max_examples=200)
@given(piles(), limits, st.integers(1, 3), st.booleans(), st.randoms(use_true_random=False))
def test_what_was_looked_up_has_the_evidence_of_its_keys(
    articles: list[list[int]], limit: twin.Limits, every: int, placed: bool, dice: Any
) -> None:
    """In memory and in a segment alike."""
    filed = batch(articles, [dice.randint(0, len(articles))], every, placed)
    slowly = file_slowly(articles, range(len(articles)), every, placed)
    some = [key for key in sorted(slowly) if dice.random() < 0.6]
    keys = np.array(some, U64)
    whole = file_all(articles, every, placed)
    content = np.frombuffer(
        _core.encode_segment(whole.shards, np.arange(len(articles), dtype=U64), whole.words), U8
    )
    expected = twin.collide({key: slowly[key] for key in some}, limit)
    for postings, numbers in (
        _core.look_up(filed, keys),
        _core.Segment(_core.block_sums(content)).look_up(content, keys),
    ):
        found = collide([(postings, 0)], numbers.tolist(), limit)
        assert Counter(read_rows(found.evidence, found.commons.names)) == Counter(expected.rows)
        assert found.weak == expected.weak
    event(describe(expected.rows))


@settings(max_examples=200)
@given(piles(), limits, st.integers(1, 3), st.booleans())
def test_what_is_filed_pickles_and_collides_as_before(
    articles: list[list[int]], limit: twin.Limits, every: int, placed: bool
) -> None:
    cut = len(articles) // 2
    before = [file_all(part, every, placed) for part in (articles[:cut], articles[cut:])]
    after = pickle.loads(pickle.dumps(before))
    for one, other in zip(before, after, strict=True):
        assert one.words.tolist() == other.words.tolist()
        assert list(map(len, one.shards)) == list(map(len, other.shards))
    for shard, same in zip(pairs.by_shard(before)[1], pairs.by_shard(after)[1], strict=True):
        found, again = (collide(filed, range(len(articles)), limit) for filed in (shard, same))
        assert [column.tolist() for column in found.evidence.arrays] == [
            column.tolist() for column in again.evidence.arrays
        ]
        assert (read_commons(found.commons), found.weak) == (read_commons(again.commons), again.weak)


# Wrong arguments.

NONE, ONE, TWO = np.array([], U32), np.array([0], U32), np.array([0, 1], U32)
EVIDENCE = Evidence(ONE, ONE, ONE, ONE, ONE)
COMMONS = Commons(ONE, ONE, np.array([0, 1], I64), np.array([7], U64))
AGREEMENT = Agreement(ONE, np.zeros(1, U8), (NONE, NONE))
RULE, LIMITS = Rule(1, 1, 1, 5), Limits(20, 4, 12, 2, 8, 8)
ALL = np.ones(1, bool)
NO_KEYS, KEY = np.array([], U64), np.array([7], U64)


def file_words(words: Sequence[Sequence[int]], keys: Sequence[Sequence[int]], *places: Any) -> object:
    return _core.file(Tokens(*pack(words)), Keys(*pack(keys), *places))


def find_strangers(*, agreed: NDArray[np.uint8] = AGREEMENT.agreed, **changes: Any) -> object:
    """The columns of evidence, with some of them changed."""
    return _core.find_strangers(replace(EVIDENCE, **changes), replace(AGREEMENT, agreed=agreed))


def suspect(
    *,
    number: NDArray[np.uint32] = ONE,
    rank: NDArray[np.uint32] = ONE,
    family: NDArray[np.uint32] = ONE,
    **changes: Any,
) -> object:
    """The columns of strangers and of common keys, with some of them changed."""
    return _core.suspect(Strangers(number, rank), family, replace(COMMONS, **changes), RULE)


def nominate(evidence: Evidence, order: NDArray[np.uint32] = ONE, marks: int = 1) -> object:
    return _core.nominate(evidence, replace(AGREEMENT, order=order, agreed=np.zeros(marks, U8)), ALL, 4)


SIX = Tokens(np.arange(6, dtype=U64), np.array([0, 6], I64))
POSTINGS = file([[2, 2]])


@pytest.mark.parametrize(
    "call",
    [
        lambda: file_words([[1, 2]], [[1], [2]]),
        lambda: file_words([[1, 2]], [[1]], ONE, None),
        lambda: file_words([[1, 2]], [[1]], None, ONE),
        lambda: file_words([[1, 2]], [[1]], TWO, TWO),
        lambda: file_words([[1, 2]], [[1]], ONE, np.array([3], U32)),
        lambda: file_words([[1, 2]], [[1]], np.array([2], U32), np.array([1], U32)),
        lambda: _core.collide([(POSTINGS, 0)], NONE, LIMITS),
        lambda: _core.collide([(POSTINGS, 7)], ONE, LIMITS),
        lambda: _core.collide([(POSTINGS, 0)], ONE, LIMITS, level="both"),
        lambda: _core.name_sides(NO_KEYS, NO_KEYS, KEY, LIMITS, "left"),
        lambda: _core.name_sides(NO_KEYS, KEY, NO_KEYS, LIMITS, "right"),
        lambda: _core.name_sides(KEY, KEY, KEY, LIMITS, "whole"),
        lambda: _core.count_holders([(POSTINGS, 0)], NONE, np.empty(0, U64)),
        lambda: _core.count_holders([(POSTINGS, 2**63)], ONE, np.empty(0, U64)),
        lambda: _core.hold_common([(POSTINGS, 1)], 1, 1),
        lambda: _core.hold_common([], 2**32, 1),
        lambda: _core.look_up([(POSTINGS, 2**32)], _core.distinct_keys([POSTINGS])),
        lambda: _core.agree(replace(EVIDENCE, later=TWO), ONE, RULE),
        lambda: _core.agree(replace(EVIDENCE, later_position=NONE), ONE, RULE),
        lambda: _core.agree(EVIDENCE, NONE, RULE),
        lambda: find_strangers(later=TWO),
        lambda: find_strangers(earlier=NONE),
        lambda: find_strangers(common=NONE),
        lambda: find_strangers(agreed=np.zeros(2, U8)),
        lambda: suspect(number=TWO),
        lambda: suspect(number=np.array([1], U32)),
        lambda: suspect(number=np.zeros(2, U32), rank=np.array([1, 0], U32), family=TWO),
        lambda: suspect(rank=np.array([1], U32)),
        lambda: suspect(family=NONE),
        lambda: suspect(holders=np.array([1], U32)),
        lambda: suspect(holders=TWO),
        lambda: suspect(offsets=np.array([], I64)),
        lambda: suspect(offsets=np.array([0, 2], I64)),
        lambda: suspect(offsets=np.array([0, -1], I64)),
        lambda: suspect(positions=NONE),
        lambda: nominate(replace(EVIDENCE, earlier=TWO)),
        lambda: nominate(replace(EVIDENCE, common=NONE)),
        lambda: nominate(EVIDENCE, np.array([1], U32)),
        lambda: nominate(EVIDENCE, TWO),
        lambda: nominate(EVIDENCE, marks=0),
        lambda: _core.components(1, np.array([1], U32), ONE),
        lambda: _core.components(0, ONE, ONE),
        lambda: _core.components(2, ONE, NONE),
        lambda: _core.components(2**32, ONE, ONE),
        lambda: _core.common_shingles(SIX, TWO, ONE, reach_words=9, least=1),
        lambda: _core.common_shingles(SIX, ONE, TWO, reach_words=9, least=1),
        lambda: _core.common_shingles(SIX, np.array([1], U32), ONE, reach_words=9, least=1),
    ],
)
def test_columns_that_do_not_fit_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="expected"):
        call()


def test_columns_that_fit_are_taken() -> None:
    assert [column.tolist() for column in _core.agree(EVIDENCE, ONE, RULE)] == [[0], [1], [0], [0]]
    find_strangers()
    suspect()
    nominate(EVIDENCE)
