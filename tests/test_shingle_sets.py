"""`full_fingerprint`, `dsc` and `resemblance` compare shingle sets as their papers say."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import shingle_sets as twin

from wirecopy import _core, methods
from wirecopy.errors import UsageError
from wirecopy.methods import Method, Sketches
from wirecopy.model import Tokens
from wirecopy.text import encode, tokenise

U64, I64, U8 = np.uint64, np.int64, np.uint8

Article = tuple[list[int], list[int]]


@st.composite
def batches(draw: st.DrawFn) -> list[Article]:
    """Articles as (word hashes, weights); words repeat, some are halves."""
    weight = draw(st.sampled_from([st.just(2), st.just(1), st.sampled_from([1, 2])]))
    word = draw(st.sampled_from([st.integers(1, 3), st.integers(0, 2**64 - 1)]))
    articles = draw(st.lists(st.lists(st.tuples(word, weight), max_size=25), max_size=4))
    return [([w for w, _ in article], [h for _, h in article]) for article in articles]


def pack(articles: list[Article]) -> Tokens:
    return Tokens(
        np.array([word for words, _ in articles for word in words], U64),
        np.cumsum([0] + [len(words) for words, _ in articles]).astype(I64),
        np.array([weight for _, weights in articles for weight in weights], U8),
    )


def spell(text: Any, offsets: Any) -> Tokens:
    """Articles of one word each."""
    return Tokens(offsets[1:].astype(U64), np.arange(len(offsets)), words=text, word_offsets=offsets)


def rows(values: Any, offsets: Any) -> list[list[int]]:
    return [values[start:end].tolist() for start, end in itertools.pairwise(offsets.tolist())]


@settings(max_examples=400)
@given(batches(), st.integers(1, 5), st.integers(1, 4), st.sampled_from([1, 2, 25]), st.booleans())
def test_sets_of_shingles_equal_their_twin(
    articles: list[Article], length: int, step: int, modulus: int, whole: bool
) -> None:
    got = _core.shingle_sets(pack(articles), length, step_words=step, modulus=modulus, whole=whole)
    for row, (words, weights) in zip(rows(*got), articles, strict=True):
        hashes = {twin.digest(s, length) for s in twin.cut(words, length, step, weights, whole=whole)}
        assert row == sorted(one for one in hashes if one % modulus == 0)


@settings(max_examples=300)
@given(st.lists(st.text("abé東𝕏\u0301", max_size=12), max_size=4), st.integers(1, 5), st.sampled_from([1, 3]))
def test_sets_of_characters_equal_their_twin(texts: list[str], length: int, modulus: int) -> None:
    got = rows(*_core.character_sets(spell(*encode(texts)), length, modulus))
    for row, text in zip(got, texts, strict=True):
        hashes = {twin.hash_characters(s, length) for s in twin.cut(list(text), length)}
        assert row == sorted(one for one in hashes if one % modulus == 0)


def test_large_sets_are_sorted_whatever_their_values() -> None:
    draw = random.Random(1)
    for high in (2**64, 2**40, 50):
        for size in (31, 32, 33, 1000, 9000):
            values = [draw.randrange(high) for _ in range(size)]
            got = rows(*_core.distinct(np.array(values, U64), np.array([0, size], I64)))
            assert got == [sorted(set(values))]


def test_shared_values_of_large_sets_are_counted() -> None:
    draw = random.Random(2)
    for many, few in ((900, 900), (900, 3), (1, 900), (500, 0), (5000, 700)):
        one, other = (sorted(draw.sample(range(many + few), size)) for size in (many, few))
        sides = [Sketches.of(np.array(side, U64), np.array([0, len(side)], I64)) for side in (one, other)]
        counts = _core.count_shared(sides[0], sides[1])
        assert [int(count[0]) for count in counts] == [len({*one} & {*other}), many, few]


def make_corpus(seed: int, size: int = 8) -> list[str]:
    """Short articles of few words that copy each other; some are empty or shorter than a shingle."""
    draw = random.Random(seed)
    words = [
        "the",
        "of",
        "president",
        "presidents",
        "said",
        "minister",
        "vote",
        "tax",
        "a",
        "7",
        "prime",
        "economy",
    ]
    sources = [[draw.choice(words) for _ in range(draw.randint(5, 30))] for _ in range(2)]
    texts = ["", "tax", "tax vote", "the of"]
    for _ in range(size):
        text = list(draw.choice(sources))
        for _ in range(draw.randint(0, 3)):
            text[draw.randrange(len(text))] = draw.choice(words)
        texts.append(" ".join(text[draw.choice([0, 0, 1, 3, 5]) :]))
    return texts


def judge(method: Method, texts: list[str]) -> tuple[Sketches, list[tuple[int, int]], Any, Any]:
    """The sketches, all pairs, their scores and what is accepted."""
    sketches = method.sketch(tokenise(*encode(texts), method.view, words=method.spells_words))
    pairs = [(query, found) for query in range(len(texts)) for found in range(len(texts))]
    query, found = (sketches.take(np.array(side)) for side in zip(*pairs, strict=True))
    scores = method.score(query, found)
    return sketches, pairs, scores, method.accepts(scores)


def assert_shares_keys(
    method: Method, sketches: Sketches, pairs: list[tuple[int, int]], accepted: Any
) -> None:
    """Accepted pairs share as many keys as the method says of the contained article, or in the mean of both."""
    keys = [set(row) for row in rows(method.keys(sketches).values, method.keys(sketches).offsets)]
    least = method.least_shared(np.array([float(len(row)) for row in keys]))
    for number, (query, found) in enumerate(pairs):
        shared = len(keys[query] & keys[found])
        sides = [side for side, way in zip((query, found), accepted, strict=True) if way[number]]
        if sides:
            needed = least[[query, found]].mean() if method.mutual else least[sides].max()
            assert shared >= max(1, needed - 1e-9)


STOPWORDS = "the of"


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", ["full_fingerprint", "dsc"])
@pytest.mark.parametrize("parameters", [{}, {"shingle_words": 2, "contained": 0.5}, {"shingle_words": 1}])
def test_containment_equals_its_twin(name: str, seed: int, parameters: dict[str, Any]) -> None:
    texts = make_corpus(seed)
    method: Any = methods.get(name, stopwords=STOPWORDS, **parameters)
    step = 3 if name == "dsc" else 1
    sketches, pairs, scores, accepted = judge(method, texts)
    sets = [twin.cut(twin.read(text, STOPWORDS, 5), method.shingle_words, step) for text in texts]
    assert (sketches.ends - sketches.starts).tolist() == [len(one) for one in sets]
    for number, (query, found) in enumerate(pairs):
        there, back = (
            twin.containment(sets[query], sets[found]),
            twin.containment(sets[found], sets[query]),
        )
        assert scores.query_in_found[number] == float(there)
        assert scores.found_in_query[number] == float(back)
        assert scores.rank[number] == max(float(there), float(back))
        least = Fraction(str(method.contained))
        assert [bool(way[number]) for way in accepted] == [there >= least, back >= least]
    assert_shares_keys(method, sketches, pairs, accepted)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"shingle_words": 1, "threshold": 0.6},
        {"shingle_words": 4, "threshold": 0.35},
        {"shingle_words": 1, "modulus": 2},
        {"shingle_characters": 3, "modulus": 2},
        {"shingle_characters": 6, "threshold": 0.5},
    ],
)
def test_resemblance_equals_its_twin(seed: int, parameters: dict[str, Any]) -> None:
    texts = make_corpus(seed)
    method: Any = methods.get("resemblance", **parameters)
    assert method.spells_words == ("shingle_characters" in parameters)
    sketches, pairs, scores, accepted = judge(method, texts)
    if method.shingle_characters:
        size, digest = method.shingle_characters, twin.hash_characters
        articles = [list("".join(twin.read(text))) for text in texts]
    else:
        size, digest = method.shingle_words, twin.hash_spelt
        articles = [twin.read(text) for text in texts]
    sets = [
        {s for s in twin.cut(article, size) if digest(s, size) % method.modulus == 0} for article in articles
    ]
    assert rows(sketches.columns[0], sketches.offsets) == [
        sorted(digest(s, size) for s in one) for one in sets
    ]
    for number, (query, found) in enumerate(pairs):
        expected = twin.resemblance(sets[query], sets[found])
        assert {column[number] for column in (scores.query_in_found, scores.found_in_query, scores.rank)} == {
            float(expected)
        }
        assert [bool(way[number]) for way in accepted] == [expected >= Fraction(str(method.threshold))] * 2
    assert_shares_keys(method, sketches, pairs, accepted)


@pytest.mark.parametrize(
    ("shingle_words", "expected"), [(1, Fraction(3, 5)), (2, Fraction(1, 2)), (3, Fraction(3, 7))]
)
def test_the_roses_of_broder_resemble_each_other(shingle_words: int, expected: Fraction) -> None:
    """The example of Broder 1997, section 2: 60 %, 50 % and 42.85 %."""
    texts = ["a rose is a rose is a rose", "a rose is a flower which is a rose"]
    _, _, scores, _ = judge(methods.get("resemblance", shingle_words=shingle_words), texts)
    assert scores.rank[1] == float(expected)


def test_a_rose_has_three_shingles_of_four_words() -> None:
    method = methods.get("full_fingerprint", stopwords="", stemmer="")
    sketches, *_ = judge(method, ["a rose is a rose is a rose"])
    assert len(sketches.columns[0]) == 3


def test_the_share_is_reached_where_it_is_equal() -> None:
    """Six of ten shingles are 60 %, two of five are 0.4: rounding does not decide."""
    words = [f"w{i}" for i in range(200)]
    for shared, total in ((6, 10), (60, 100), (3, 5), (5, 10), (59, 100)):
        texts = [" ".join(words[:total]), " ".join(words[:shared])]
        method = methods.get("full_fingerprint", shingle_words=1, stemmer="", stopwords="")
        *_, accepted = judge(method, texts)
        assert bool(accepted[0][1]) == (shared / total >= 0.6)
    for percent in range(1, 101):
        method = methods.get("resemblance", shingle_words=1, threshold=percent / 100)
        texts = [" ".join(words[:100]), " ".join(words[:percent]), " ".join(words[: percent - 1])]
        *_, accepted = judge(method, texts)
        assert accepted[0][:3].tolist() == [True, True, False]


def test_dsc_takes_the_shingles_at_words_0_3_6() -> None:
    words = [f"w{i}" for i in range(12)]
    method = methods.get("dsc", stopwords="", stemmer="")
    sketches, *_ = judge(method, [" ".join(words)])
    expected = sorted(twin.hash_spelt(words[start : start + 4], 4) for start in (0, 3, 6))
    assert sketches.columns[0].tolist() == expected


def test_one_word_at_the_head_hides_a_copy_from_dsc_but_not_from_full_fingerprint() -> None:
    words = [f"w{i}" for i in range(120)]
    texts = [" ".join(words), " ".join(["zebra", *words]), " ".join(["zebra", "oxide", "violin", *words])]
    for name, expected in (("dsc", [True, False, True]), ("full_fingerprint", [True, True, True])):
        *_, accepted = judge(methods.get(name), texts)
        assert accepted[0][:3].tolist() == expected


def test_stopwords_and_endings_do_not_count_in_the_papers_reading() -> None:
    texts = [
        "The ministers of finance presented their economical plans on Monday",
        "ministry finance presents economy plans Monday",
    ]
    for name in ("full_fingerprint", "dsc"):
        *_, accepted = judge(methods.get(name), texts)
        assert accepted[0][1]
        *_, accepted = judge(methods.get(name, stopwords="", stemmer=""), texts)
        assert not accepted[0][1]


@settings(max_examples=200)
@given(
    st.lists(st.sets(st.integers(0, 30)), max_size=8),
    st.sampled_from(["0", "0.05", "0.1", "0.2", "0.5", "0.75", "0.99"]),
    st.sampled_from([0, 1, 2, 3, 5]),
)
def test_common_shingles_are_left_out_as_the_twin_says(
    articles: list[set[int]], share: str, most_articles: int
) -> None:
    sets: list[set[tuple[int, ...]]] = [{(word,) for word in article} for article in articles]
    shingles = sorted(set().union(*sets))
    holders = np.array([sum(shingle in one for one in sets) for shingle in shingles], I64)
    method = methods.get("resemblance", leave_out_share=float(share), most_articles=most_articles)
    mask = method.common(holders * 3, holders)
    got = {shingle for shingle, left_out in zip(shingles, mask.tolist(), strict=True) if left_out}
    assert got == twin.too_common(sets, share, most_articles)


def test_ties_at_the_edge_of_the_share_stay() -> None:
    method = methods.get("resemblance", leave_out_share=0.05)
    holders = np.array([9, 7, 7] + [1] * 17, I64)
    assert method.common(holders, holders).tolist() == [True] + [False] * 19
    method = methods.get("resemblance", leave_out_share=0.1)
    assert method.common(holders, holders).tolist() == [True] + [False] * 19
    method = methods.get("resemblance", leave_out_share=0.15)
    assert method.common(holders, holders).tolist() == [True] * 3 + [False] * 17
    assert not method.common(np.full(20, 5, I64), np.full(20, 5, I64)).any()
    assert len(method.common(np.empty(0, I64), np.empty(0, I64))) == 0


def test_a_shingle_in_1000_articles_goes_and_one_in_999_stays() -> None:
    method = methods.get("resemblance", most_articles=1000)
    assert method.common(np.array([5000, 1000, 9000], I64), np.array([999, 1000, 1001], I64)).tolist() == [
        False,
        True,
        True,
    ]


def test_what_is_left_out_does_not_count_in_the_resemblance() -> None:
    method = methods.get("resemblance", shingle_words=1, leave_out_share=0.3)
    texts = ["a b c d", "a b e f", "a b g h"]
    sketches, *_ = judge(method, texts)
    keys, holders = np.unique(sketches.columns[0], return_counts=True)
    common = keys[method.common(holders, holders)]
    kept = sketches.keep(~np.isin(sketches.columns[0], common))
    assert len(common) == 2
    assert method.score(kept, kept.take(np.array([1, 2, 0]))).rank.tolist() == [0, 0, 0]


def test_characters_find_a_copy_that_is_spaced_otherwise() -> None:
    texts = ["the minister said no", "The minis ter saidno!"]
    *_, accepted = judge(methods.get("resemblance", shingle_characters=4, threshold=1.0), texts)
    assert accepted[0].all()
    *_, accepted = judge(methods.get("resemblance"), texts)
    assert not accepted[0][1]


@pytest.mark.parametrize("name", ["full_fingerprint", "dsc", "resemblance"])
def test_short_articles_are_one_shingle_and_empty_ones_resemble_nothing(name: str) -> None:
    sketches, _, scores, accepted = judge(methods.get(name), ["tax", "tax", "vote", "", "..."])
    assert (sketches.ends - sketches.starts).tolist() == [1, 1, 1, 0, 0]
    expected = np.kron(np.eye(5), 1)
    expected[0, 1] = expected[1, 0] = 1
    expected[3, 3] = expected[4, 4] = 0
    assert scores.rank.reshape(5, 5).tolist() == expected.tolist()
    assert accepted[0].reshape(5, 5).tolist() == (expected > 0).tolist()


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("full_fingerprint", {"shingle_words": 0}),
        ("full_fingerprint", {"shingle_words": 65537}),
        ("full_fingerprint", {"contained": 0.0}),
        ("full_fingerprint", {"contained": 1.01}),
        ("full_fingerprint", {"contained": float("nan")}),
        ("full_fingerprint", {"stemmer": "none such"}),
        ("dsc", {"step_words": 0}),
        ("dsc", {"step_words": 2**40}),
        ("dsc", {"shingle_words": 0}),
        ("dsc", {"stemmer": "first0"}),
        ("resemblance", {"shingle_words": 0}),
        ("resemblance", {"shingle_characters": -1}),
        ("resemblance", {"threshold": 0}),
        ("resemblance", {"threshold": 1.5}),
        ("resemblance", {"leave_out_share": 1.0}),
        ("resemblance", {"leave_out_share": -0.1}),
        ("resemblance", {"most_articles": -1}),
        ("resemblance", {"modulus": 0}),
        ("resemblance", {"modulus": 2**64}),
    ],
)
def test_parameters_out_of_range_are_refused(name: str, bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=f"{name}: expected .*, got "):
        methods.get(name, **bad)


@pytest.mark.parametrize(
    "call",
    [
        lambda: _core.shingle_sets(Tokens(np.zeros(3, U64), np.array([0, 2], I64)), 1),
        lambda: _core.shingle_sets(Tokens(np.zeros(3, U64), np.array([0, 3], I64), np.ones(2, U8)), 1),
        lambda: _core.shingle_sets(Tokens(np.zeros(3, U64), np.array([0, 3], I64)), 0),
        lambda: _core.shingle_sets(Tokens(np.zeros(3, U64), np.array([0, 3], I64)), 1, step_words=0),
        lambda: _core.shingle_sets(Tokens(np.zeros(3, U64), np.array([0, 3], I64)), 1, modulus=0),
        lambda: _core.character_sets(spell(np.zeros(3, U8), np.array([0, 2], I64)), 1, 1),
        lambda: _core.character_sets(spell(np.zeros(3, U8), np.array([0, 3], I64)), 0, 1),
        lambda: _core.character_sets(spell(np.zeros(3, U8), np.array([0, 3], I64)), 1, 0),
    ],
)
def test_arguments_that_make_no_sense_are_refused(call: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        call()
