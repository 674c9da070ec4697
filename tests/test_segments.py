"""A segment gives back what was filed, for any articles; and nothing at all once a byte of it is wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import assume, event, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import crowds
from reference import segments as twin
from reference.segments import Filed, Held

from wirecopy import _core
from wirecopy.methods import Keys
from wirecopy.model import Tokens
from wirecopy.pairs import Limits

U64, I64, U32, U8 = np.uint64, np.int64, np.uint32, np.uint8
BLOCK = 1 << 20
HUGE = 2**64 - 1


def pack(rows: Sequence[Sequence[int]], kind: Any = U64) -> tuple[NDArray[Any], NDArray[np.int64]]:
    flat = [value for row in rows for value in row]
    return np.array(flat, kind), np.cumsum([0, *map(len, rows)]).astype(I64)


def file(articles: Sequence[Filed], placed: bool) -> list[_core.Postings]:
    keys, offsets = pack([[key for key, *_ in article.keys] for article in articles])
    starts, ends = (
        np.array([key[side] for article in articles for key in article.keys], U32) for side in (1, 2)
    )
    places = (starts, ends) if placed else (None, None)
    return _core.file(Tokens(*pack([article.words for article in articles])), Keys(keys, offsets, *places))


def encode(articles: Sequence[Filed], placed: bool) -> bytes:
    rows = np.array([article.row for article in articles], U64)
    words = np.array([len(article.words) for article in articles], U32)
    return _core.encode_segment(file(articles, placed), rows, words)


class Opened:
    """The bytes of a segment behind their checksums."""

    def __init__(self, content: bytes, sums: NDArray[np.uint64] | None = None) -> None:
        self.bytes = np.frombuffer(content, U8)
        self.seal = _core.Segment(_core.block_sums(self.bytes) if sums is None else sums)

    def articles(self) -> tuple[list[int], list[int]]:
        rows, words = self.seal.articles(self.bytes)
        return rows.tolist(), words.tolist()

    def look_up(self, keys: Sequence[int]) -> dict[int, Sequence[Held]]:
        postings, articles = self.seal.look_up(self.bytes, np.array(keys, U64))
        return read([postings], articles)

    def encode_shard(self, number: int) -> bytes:
        """A segment of one shard alone, whose rows are the numbers of articles."""
        rows = np.arange(len(self.articles()[0]), dtype=U64)
        shards = [*EMPTY[:number], self.seal.shard(self.bytes, number), *EMPTY[number + 1 :]]
        return _core.encode_segment(shards, rows, np.zeros(len(rows), U32))

    def shard(self, number: int) -> dict[int, Sequence[Held]]:
        return dict(twin.decode(self.encode_shard(number)).holders)

    def merge(self, kept: Sequence[bool] | None = None) -> bytes:
        keep = np.ones(len(self.articles()[0]), bool) if kept is None else np.array(kept, bool)
        return _core.merge_segments([(self.seal, self.bytes, keep)])

    def everything(self) -> object:
        return self.articles(), [self.encode_shard(number) for number in range(64)]


EMPTY = file([], True)


@dataclass(frozen=True)
class Asked:
    postings: Sequence[_core.Postings]
    own: NDArray[np.uint32]
    first: int


def read(shards: Sequence[_core.Postings], articles: NDArray[np.uint32]) -> dict[int, Sequence[Held]]:
    """Who holds what of some postings, whose articles are places among numbers that rise."""
    keys = _core.distinct_keys(shards)
    found: dict[int, Sequence[Held]] = {}
    for number in sorted({key >> 58 for key in keys.tolist()}):
        mine, places = _core.look_up([(one, 0) for one in shards], keys[keys >> U64(58) == number])
        numbers = articles[places]
        assert np.all(np.diff(numbers.astype(I64)) > 0)
        content = _core.encode_segment(
            [*EMPTY[:number], mine, *EMPTY[number + 1 :]], numbers.astype(U64), np.zeros(len(numbers), U32)
        )
        part = twin.decode(content)
        found |= {
            key: [one._replace(article=part.rows[one.article]) for one in held]
            for key, held in part.holders.items()
        }
    assert sum(map(len, shards)) == sum(map(len, found.values()))
    return found


keys = (
    st.sampled_from([0, 1, HUGE, HUGE - 1, 2**63, 2**63 - 1])
    | st.tuples(st.integers(0, 63), st.integers(0, 2)).map(lambda key: key[0] << 58 | key[1])
    | st.integers(0, HUGE)
)


@st.composite
def filed(draw: st.DrawFn, most_keys: int = 12) -> Filed:
    """An article whose keys may stand anywhere in it, several times, and be as long as all of it."""
    words = draw(st.lists(st.integers(0, HUGE), max_size=40))
    words *= draw(st.sampled_from([1, 1, 7, 13]))
    spans = st.tuples(st.integers(0, len(words)), st.integers(0, len(words))).map(sorted)
    held = draw(st.lists(st.tuples(keys, spans), max_size=most_keys))
    held += draw(st.lists(st.sampled_from(held), max_size=4)) if held else []
    return Filed(draw(st.integers(0, HUGE)), words, [(key, start, end) for key, (start, end) in held])


piles = st.lists(filed(), max_size=6)


@settings(max_examples=300)
@given(piles, st.booleans(), st.lists(keys, max_size=20))
def test_a_segment_gives_back_what_was_filed(articles: list[Filed], placed: bool, others: list[int]) -> None:
    content, expected = encode(articles, placed), twin.encode(articles, placed=placed)
    assert twin.decode(content) == expected
    segment = Opened(content)
    assert segment.articles() == (expected.rows, expected.words)
    near = {(key + step) % 2**64 for key in expected.holders for step in (-1, 0, 1)}
    asked = sorted(near.union(others))
    assert segment.look_up(asked) == expected.look_up(asked)
    postings, numbers = _core.look_up([(one, 0) for one in file(articles, placed)], np.array(asked, U64))
    assert read([postings], numbers) == expected.look_up(asked)
    for number in range(64):
        assert segment.shard(number) == expected.shard(number)
    event(f"{min(3, len(expected.holders))} keys in {min(2, len(articles))} articles")


@settings(max_examples=200)
@given(piles, st.booleans(), st.sampled_from([1, 2, 7, 64, 500]))
def test_packed_postings_are_those_of_the_keys_of_each_part(
    articles: list[Filed], placed: bool, parts: int
) -> None:
    def records(content: bytes) -> list[bytes]:
        return sorted(content[start : start + 32] for start in range(0, len(content), 32))

    packed = _core.pack(file(articles, placed), parts)
    expected = twin.pack(articles, parts, placed=placed)
    assert [records(part.tobytes()) for part in packed] == [records(part) for part in expected]
    again = [_core.unpack(part) for part in packed]
    assert [len(one) * 32 for one in again] == [len(part) for part in packed]
    assert [part.tobytes() for part in _core.pack(again, parts)] == [part.tobytes() for part in packed]
    event(f"{min(3, sum(map(bool, map(len, packed))))} parts with keys")


@pytest.mark.parametrize("length", [1, 31, 33])
def test_bytes_that_are_no_packed_postings_are_refused(length: int) -> None:
    with pytest.raises(ValueError, match="expected packed postings of 32 bytes"):
        _core.unpack(np.zeros(length, U8))
    with pytest.raises(ValueError, match="expected 1 to 65536 parts"):
        _core.pack(EMPTY, 0)


def random_pile(seed: int, articles: int, keys_each: int, longest: int = 60) -> list[Filed]:
    """Articles that share keys, which crowd in some places."""
    dice = random.Random(seed)
    known = [dice.getrandbits(64) >> dice.choice([0, 0, 0, 20, 58]) for _ in range(articles * keys_each)]
    pile = []
    for number in range(articles):
        words = [dice.getrandbits(64) for _ in range(dice.randrange(longest))]
        held = []
        for _ in range(keys_each):
            start, end = sorted((dice.randint(0, len(words)), dice.randint(0, len(words))))
            held.append((dice.choice(known), start, end))
        pile.append(Filed(number * 3, words, held))
    return pile


@pytest.mark.parametrize(("articles", "keys_each"), [(1, 0), (1, 511), (2, 512), (257, 5), (300, 60)])
@pytest.mark.parametrize("placed", [True, False])
def test_a_segment_of_any_size_gives_back_what_was_filed(articles: int, keys_each: int, placed: bool) -> None:
    pile = random_pile(articles, articles, keys_each)
    segment, expected = Opened(encode(pile, placed)), twin.encode(pile, placed=placed)
    assert segment.articles() == (expected.rows, expected.words)
    asked = sorted({*expected.holders, *(key ^ 1 for key in expected.holders), 0, HUGE})
    assert segment.look_up(asked) == expected.look_up(asked)
    assert [segment.shard(number) for number in range(64)] == [expected.shard(n) for n in range(64)]


@pytest.mark.parametrize("position", [255, 256, 65_535, 65_536, 2**24 - 1, 2**24])
def test_a_position_may_be_as_far_on_as_a_text_is_long(position: int) -> None:
    words = np.zeros(position + 3, U64)
    place, end = np.array([position], U32), np.array([position + 2], U32)
    one = np.array([0, 1], I64)
    tokens = Tokens(words, np.array([0, len(words)], I64))
    shards = _core.file(tokens, Keys(np.array([9], U64), one, place, end))
    segment = Opened(_core.encode_segment(shards, np.array([7], U64), np.array([len(words)], U32)))
    around = int("1" * 16, 16)
    assert segment.look_up([9]) == {9: [Held(0, position, 2, around, 1)]}
    assert segment.articles() == ([7], [position + 3])


# Merging.


@settings(max_examples=150)
@given(st.lists(st.tuples(piles, st.randoms(use_true_random=False)), max_size=4), st.booleans())
def test_merged_segments_are_those_of_the_kept_articles_filed_afresh(
    parts: list[tuple[list[Filed], Any]], placed: bool
) -> None:
    opened = [Opened(encode(articles, placed)) for articles, _ in parts]
    kept = [[dice.random() < 0.6 for _ in articles] for articles, dice in parts]
    merged = _core.merge_segments(
        [(one.seal, one.bytes, np.array(keep, bool)) for one, keep in zip(opened, kept, strict=True)]
    )
    left = [
        article
        for (articles, _), keep in zip(parts, kept, strict=True)
        for article, stays in zip(articles, keep, strict=True)
        if stays
    ]
    assert merged == encode(left, placed)
    event(f"{sum(map(sum, kept))} of {sum(map(len, kept))} articles")


def test_large_segments_are_merged_as_small_ones_are() -> None:
    piles_ = [random_pile(seed, articles, 40) for seed, articles in enumerate((300, 5, 0, 120))]
    kept = [[number % 3 > 0 for number in range(len(pile))] for pile in piles_]
    opened = [Opened(encode(pile, True)) for pile in piles_]
    merged = _core.merge_segments(
        [(one.seal, one.bytes, np.array(keep, bool)) for one, keep in zip(opened, kept, strict=True)]
    )
    left = [article for pile in piles_ for number, article in enumerate(pile) if number % 3]
    assert merged == encode(left, True)


def test_merging_in_steps_or_at_once_is_the_same() -> None:
    whole = random_pile(1, 90, 30)
    first, second, third = (Opened(encode(whole[i : i + 30], True)) for i in (0, 30, 60))
    keep = np.ones(30, bool)
    pair = Opened(_core.merge_segments([(one.seal, one.bytes, keep) for one in (first, second)]))
    stepwise = _core.merge_segments(
        [(pair.seal, pair.bytes, np.ones(60, bool)), (third.seal, third.bytes, keep)]
    )
    assert stepwise == encode(whole, True)


def test_the_order_of_an_articles_keys_does_not_matter() -> None:
    [article] = random_pile(3, 1, 300, longest=600)
    shuffled = random.Random(1).sample(article.keys, len(article.keys))
    assert encode([article], True) == encode([Filed(article.row, article.words, shuffled)], True)


# Articles numbered by time.


def encode_ranked(articles: Sequence[Filed], places: Sequence[int], placed: bool = True) -> bytes:
    rows = np.array([article.row for article in articles], U64)
    words = np.array([len(article.words) for article in articles], U32)
    return _core.encode_segment(file(articles, placed), rows, words, np.array(places, U32))


def in_order(articles: Sequence[Filed], places: Sequence[int]) -> list[Filed]:
    return [article for _, article in sorted(zip(places, articles, strict=True), key=lambda one: one[0])]


@settings(max_examples=150)
@given(piles, st.randoms(use_true_random=False), st.booleans())
def test_a_ranked_segment_is_that_of_the_articles_in_their_order(
    articles: list[Filed], dice: random.Random, placed: bool
) -> None:
    places = dice.sample(range(len(articles)), len(articles))
    content = encode_ranked(articles, places, placed)
    assert twin.decode(content) == twin.encode(in_order(articles, places), placed=placed)
    segment = Opened(content)
    assert segment.seal.is_ranked(segment.bytes)
    assert not Opened(encode(articles, placed)).seal.is_ranked(Opened(encode(articles, placed)).bytes)


@settings(max_examples=100)
@given(st.lists(piles, max_size=3), st.randoms(use_true_random=False))
def test_segments_merge_into_a_ranked_one_of_the_kept_articles(
    parts: list[list[Filed]], dice: random.Random
) -> None:
    opened = [Opened(encode(articles, True)) for articles in parts]
    kept = [[dice.random() < 0.6 for _ in articles] for articles in parts]
    left = [
        one
        for articles, keep in zip(parts, kept, strict=True)
        for one, stays in zip(articles, keep, strict=True)
        if stays
    ]
    places = dice.sample(range(len(left)), len(left))
    merged = _core.merge_segments(
        [(one.seal, one.bytes, np.array(keep, bool)) for one, keep in zip(opened, kept, strict=True)],
        np.array(places, U32),
    )
    assert merged == encode_ranked(left, places)


few_words = st.lists(st.integers(1, 3), min_size=1, max_size=30)


@st.composite
def crowded(draw: st.DrawFn) -> Filed:
    """An article with few keys, each many times, among few words."""
    words = [word << 12 for word in draw(few_words)]
    held = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, len(words) - 1)), max_size=24))
    return Filed(draw(st.integers(0, HUGE)), words, [(key, start, start + 1) for key, start in held])


@settings(max_examples=300)
@given(
    st.lists(crowded(), max_size=14),
    crowded(),
    st.sets(st.integers(0, 13)),
    st.integers(0, 3),
    st.integers(0, 9),
)
def test_of_a_key_with_many_holders_the_earliest_that_matter_are_read(
    articles: list[Filed], query: Filed, gone: set[int], all_holders: int, grouped: int
) -> None:
    segment = Opened(encode_ranked(articles, range(len(articles))))
    expected = twin.encode(articles, placed=True)
    asked = twin.encode([query], placed=True).holders
    kept = [number not in gone for number in range(len(articles))]
    keep = np.array(kept, bool)
    limits = Limits(all_holders, 2, 12, 5, grouped, 6)
    keys_ = np.array(sorted(expected.holders), U64)
    postings, numbers = segment.seal.earliest(segment.bytes, keys_, file([query], True), keep, limits)
    found = read([postings], numbers)
    for key, held in expected.holders.items():
        live = {number for number, stays in enumerate(kept) if stays}
        matter = crowds.earliest(held, asked.get(key, ()), live, all_holders + 2, grouped)
        assert list(found.get(key, ())) == [one for one in held if one.article in matter]
        every = sorted({one.article for one in held})
        assert segment.seal.holders(segment.bytes, key).tolist() == every
        count, first = segment.seal.tally(segment.bytes, key, keep, 3)
        assert (count, first.tolist()) == (len(live & {*every}), sorted(live & {*every})[:3])
        for number in range(len(articles)):
            mine = segment.seal.repeats(segment.bytes, np.array([key], U64), number)
            assert mine.tolist() == [sum(one.article == number for one in held)]
    counts = [len(held) for _, held in sorted(expected.holders.items())]
    assert segment.seal.count(segment.bytes, keys_).tolist() == counts
    rare, places, many = segment.seal.look_up_rare(segment.bytes, keys_, 4)
    assert many.tolist() == [key for key, held in sorted(expected.holders.items()) if len(held) > 4]
    assert read([rare], places) == {key: held for key, held in expected.holders.items() if len(held) <= 4}


some = st.sets(st.integers(0, 7))
any_limits = st.tuples(st.integers(0, 14), st.integers(0, 2), st.integers(0, 17)).map(
    lambda words: crowds.Limits(0, None, *words, common_holders=6)
)


@st.composite
def rewritten(draw: st.DrawFn) -> list[Filed]:
    """Versions of one article, cut and with a few words changed, which hold keys where the first does."""
    text = [word << 12 for word in draw(st.lists(st.integers(1, 3), min_size=1, max_size=40))]
    spans = st.tuples(st.integers(0, 2), st.integers(0, len(text) - 1), st.integers(1, 4))
    keys = draw(st.lists(spans, min_size=1, max_size=4))
    versions = []
    for _ in range(draw(st.integers(1, 5))):
        words = list(text)
        for at in draw(st.lists(st.integers(0, len(text) - 1), max_size=5)):
            words[at] = draw(st.integers(1, 3)) << 12
        cut = draw(st.integers(0, len(text) - 1))
        kept = [(key, start - cut, min(start + length, len(text)) - cut) for key, start, length in keys]
        versions.append(Filed(draw(st.integers(0, HUGE)), words[cut:], [one for one in kept if one[1] >= 0]))
    return versions


def between(left: Sequence[int], right: Sequence[int]) -> Filed:
    """A key with these words before it, the nearest first, and these behind."""
    words = [word << 12 for word in (*reversed(left), 3, *right)]
    return Filed(1, words, [(0, len(left), len(left) + 1)])


NOTHING_MARKED: tuple[set[int], set[int], set[int]] = (set(), set(), set())
SAME, OTHER = [1] * 16, [2] * 16
TWO_CHANGED = [1, 1, 1, 2, 1, 1, 1, 2, *[1] * 8]
THREE_CHANGED = [1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 1, 2, 1, 1, 1]


@settings(max_examples=600)
@example([between([], [])] * 2, NOTHING_MARKED, {1, 2}, crowds.Limits(0, None, 0, 1, 3, 6))
@example(
    [between(SAME, SAME), between(TWO_CHANGED, OTHER)],
    NOTHING_MARKED,
    set(),
    crowds.Limits(0, None, 14, 1, 3, 6),
)
@example(
    [between(SAME, SAME), between(THREE_CHANGED, OTHER)],
    NOTHING_MARKED,
    set(),
    crowds.Limits(0, None, 13, 1, 3, 6),
)
@given(
    st.lists(crowded(), min_size=1, max_size=8) | rewritten(),
    st.tuples(some, some, some),
    st.sets(st.integers(0, 80)),
    any_limits,
)
def test_another_article_has_evidence_if_the_twin_finds_one(
    articles: list[Filed], marked: tuple[set[int], set[int], set[int]], named: set[int], limits: crowds.Limits
) -> None:
    *articles, query = articles
    gone, counted, known = marked
    expected, asked = twin.encode(articles, placed=True), twin.encode([query], placed=True).holders
    sides = [(key, side, one) for key, held in asked.items() for one in held for side in crowds.SIDES]
    names = sorted({*asked, *(crowds.name(*one, limits.grouped_words) for one in sides)})
    boilerplate = {name for number, name in enumerate(names) if number in named}
    rows = {articles[number].row for number in known if number < len(articles)}
    kept = set(range(len(articles))) - gone
    segment, shards = Opened(encode(articles, True)), file([query], True)
    found = segment.seal.holds_another(
        segment.bytes,
        _core.postings_at(shards, 0, np.arange(40, dtype=U32), _core.distinct_keys(shards)),
        Limits(**asdict(limits)),
        kept=np.array([number in kept for number in range(len(articles))], bool),
        counted=np.array([number in counted for number in range(len(articles))], bool),
        rows=np.array(sorted(rows), U64),
        boilerplate=np.array(sorted(boilerplate), U64),
    )
    assert found == crowds.holds_another(expected, asked, kept, counted, rows, boilerplate, limits)
    event(f"{'another' if found else 'none'}, {min(2, len(boilerplate))} names")


@pytest.mark.parametrize("place", [0, 255, 256, 257, 511, 599])
def test_another_article_is_found_wherever_in_a_crowd_it_stands(place: int) -> None:
    others, same = between(OTHER, OTHER), between(SAME, SAME)
    articles = [replace(same if number == place else others, row=number) for number in range(600)]
    segment, shards = Opened(encode(articles, True)), file([same], True)
    asking = _core.postings_at(shards, 0, np.array([16], U32), _core.distinct_keys(shards))
    nobody, everybody, no_names = np.zeros(600, bool), np.ones(600, bool), np.empty(0, U64)
    for rows in ([], [place]):
        found = segment.seal.holds_another(
            segment.bytes,
            asking,
            Limits(0, None, 12, 1, 3, 6),
            kept=everybody,
            counted=nobody,
            rows=np.array(rows, U64),
            boilerplate=no_names,
        )
        assert found == (not rows)


@settings(max_examples=300)
@given(
    st.lists(crowded(), max_size=8), crowded(), st.sets(st.integers(0, 7)), st.integers(0, 12), st.booleans()
)
def test_whether_another_article_has_evidence_is_what_all_pairs_say(
    articles: list[Filed], query: Filed, counted: set[int], settled: int, named: bool
) -> None:
    segment, limits = Opened(encode(articles, True)), Limits(0, None, settled, 1, 3, 6)
    shards = file([query], True)
    keys_ = _core.distinct_keys(shards)
    names = keys_ if named else np.empty(0, U64)
    asked = Asked(shards, np.array([2**32 - 1], U32), len(articles))
    everyone = [(one, 0) for one in file(articles, True)]
    columns, *_ = _core.collide(
        everyone, np.arange(len(articles), dtype=U32), limits, queries=cast(Any, asked), known=names
    )
    pairs_found = {
        earlier
        for earlier, common in zip(columns[1].tolist(), columns[4].tolist(), strict=True)
        if common & ~_core.LINKED == _core.RARE
    }
    marks = np.array([number in counted for number in range(len(articles))], bool)
    mine = _core.postings_at(shards, 0, np.arange(40, dtype=U32), keys_)
    others = pairs_found - counted

    def ask(known: set[int]) -> bool:
        rows = np.array(sorted({articles[number].row for number in known}), U64)
        return segment.seal.holds_another(
            segment.bytes, mine, limits, kept=everybody, counted=marks, rows=rows, boilerplate=names
        )

    everybody = np.ones(len(articles), bool)
    repeats = [
        [key for key, *_ in article.keys].count(key) for article in [*articles, query] for key in range(3)
    ]
    assume(max(repeats) <= 8)
    assert ask(set()) == bool(others)
    assert not ask(others)
    event(f"{'some' if others else 'no'} others")


@pytest.mark.parametrize("places", [[0, 1], [0, 0, 1], [1, 2, 3]])
def test_places_that_are_no_order_are_refused(places: list[int]) -> None:
    refused(lambda: encode_ranked(SMALL, places))


# Damage.


def refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"expected|damaged"):
        call()


def refuse_all(segment: Opened, articles: int) -> None:
    refused(segment.articles)
    refused(lambda: segment.look_up([0, HUGE]))
    refused(lambda: segment.seal.shard(segment.bytes, 5))
    refused(
        lambda: _core.merge_segments([(segment.seal, segment.bytes, np.ones(articles, bool))]),
    )


SMALL = random_pile(2, 3, 9)


@pytest.mark.parametrize("placed", [True, False])
def test_every_flipped_byte_of_a_small_segment_is_noticed(placed: bool) -> None:
    content = encode(SMALL, placed)
    sums = _core.block_sums(np.frombuffer(content, U8))
    for at in range(len(content)):
        bad = bytearray(content)
        bad[at] ^= 1 << at % 8
        refuse_all(Opened(bytes(bad), sums), 3)


def test_a_segment_that_is_too_short_or_too_long_is_refused() -> None:
    content = encode(SMALL, True)
    sums = _core.block_sums(np.frombuffer(content, U8))
    for length in range(len(content)):
        refuse_all(Opened(content[:length], sums), 3)
    for more in (b"\0", b"\xff" * 9, content, b"\0" * BLOCK):
        refuse_all(Opened(content + more, sums), 3)


@pytest.mark.parametrize("change", [b"", b"\0", b"\0" * 100])
def test_another_length_is_refused_even_where_the_checksums_fit(change: bytes) -> None:
    content = encode(SMALL, True)
    other = content + change if change else content[:-1]
    refuse_all(Opened(other), 3)


@pytest.fixture(scope="module")
def big() -> tuple[bytes, object]:
    """A segment of several blocks, and all that is in it."""
    dice = np.random.default_rng(1)
    articles, each = 4000, 40
    values = dice.integers(0, 2**64 - 1, articles * each, U64)
    words = dice.integers(0, 2**64 - 1, articles * 60, U64)
    starts = dice.integers(0, 40, articles * each, U32)
    edges = np.arange(articles + 1)
    keys_ = Keys(values, edges * each, starts, (starts + 8).astype(U32))
    shards = _core.file(Tokens(words, edges * 60), keys_)
    rows = np.arange(articles, dtype=U64)
    content = _core.encode_segment(shards, rows, np.full(articles, 60, U32))
    assert len(content) > 3 * BLOCK
    return content, Opened(content).everything()


def test_damage_of_a_block_is_noticed_before_anything_in_it_is_used(big: tuple[bytes, Any]) -> None:
    content, (articles, shards) = big
    sums = _core.block_sums(np.frombuffer(content, U8))
    dice = random.Random(4)
    places = [0, BLOCK - 1, BLOCK, 2 * BLOCK - 1, len(content) - 1]
    for at in [*places, *(dice.randrange(len(content)) for _ in range(6))]:
        bad = bytearray(content)
        bad[at] ^= 1 << dice.randrange(8)
        segment = Opened(bytes(bad), sums)
        complaints = []
        for number in range(64):
            try:
                assert segment.encode_shard(number) == shards[number]
            except ValueError as error:
                complaints.append(str(error))
        try:
            assert segment.articles() == articles
        except ValueError as error:
            complaints.append(str(error))
        assert set(complaints) == {f"damaged at byte {at // BLOCK * BLOCK}"}
        refused(segment.merge)


def test_blocks_that_change_places_are_noticed(big: tuple[bytes, Any]) -> None:
    content, _ = big
    sums = _core.block_sums(np.frombuffer(content, U8))
    swapped = content[:BLOCK] + content[2 * BLOCK : 3 * BLOCK] + content[BLOCK : 2 * BLOCK]
    refused(Opened(swapped + content[3 * BLOCK :], sums).everything)
    for shorter in (content[:-BLOCK], content[:BLOCK], content[:-1]):
        refused(Opened(shorter, sums).articles)


# Wrong arguments.


def opened(articles: Sequence[Filed] = SMALL) -> Opened:
    return Opened(encode(articles, True))


def merge(*kept: Sequence[bool]) -> bytes:
    return _core.merge_segments(
        [(one.seal, one.bytes, np.array(keep, bool)) for keep in kept for one in [opened()]]
    )


NOBODY, THREE = np.empty(0, U64), np.arange(3, dtype=U64)


@pytest.mark.parametrize(
    "call",
    [
        lambda: opened().seal.shard(opened().bytes, 64),
        lambda: opened().seal.shard(opened().bytes, 2**63),
        lambda: opened().seal.articles(np.empty(0, U8)),
        lambda: _core.Segment(NOBODY).articles(opened().bytes),
        lambda: _core.Segment(NOBODY).articles(np.empty(0, U8)),
        lambda: _core.Segment(np.zeros(2, U64)).articles(opened().bytes),
        lambda: merge([True]),
        lambda: merge([True] * 4),
        lambda: merge([True] * 3, []),
        lambda: _core.encode_segment(file(SMALL, True), THREE, np.zeros(2, U32)),
        lambda: _core.encode_segment(file(SMALL, True), THREE[:2], np.zeros(2, U32)),
        lambda: _core.encode_segment(file(SMALL, True), NOBODY, np.empty(0, U32)),
        lambda: _core.encode_segment(file(SMALL, True)[::-1], THREE, np.zeros(3, U32)),
        lambda: _core.encode_segment(file(SMALL, True)[:63], THREE, np.zeros(3, U32)),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], object]) -> None:
    refused(call)


def test_a_column_with_gaps_in_memory_is_refused() -> None:
    segment = opened()
    with pytest.raises(TypeError, match="contiguous"):
        segment.seal.look_up(segment.bytes, np.arange(20, dtype=U64)[::2])


def test_no_segments_merge_into_an_empty_one() -> None:
    assert _core.merge_segments([]) == encode([], True)
    assert merge([False] * 3) == encode([], True)
