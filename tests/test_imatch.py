"""I-Match in both forms equals its slow twin, and does what its papers say."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from reference import imatch as twin
from weighed import STOPWORDS, collections, fingerprints, sketch, weigh

from wirecopy import _core, methods
from wirecopy.errors import UsageError
from wirecopy.model import Tokens, View


def sha1(line: str) -> bytes:
    return hashlib.sha1(line.encode()).digest()[:16]


@settings(max_examples=250)
@given(
    collections,
    collections.filter(len),
    st.sampled_from(["range", "skip"]),
    st.tuples(st.sampled_from([0.0, 0.2, 0.29, 0.5]), st.sampled_from([0.5, 0.6, 0.99, 1.0])),
    st.integers(0, 3),
    st.integers(1, 4),
    st.integers(1, 5),
    st.sampled_from([0.1, 0.3, 0.8]),
    st.booleans(),
)
def test_fingerprints_and_decisions_are_the_twins(
    collection: list[list[str]],
    reference: list[list[str]],
    form: str,
    shares: tuple[float, float],
    skip: int,
    most: int,
    lexicons: int,
    left_out: float,
    stemmed: bool,
) -> None:
    method = methods.get(
        "imatch",
        form=form,
        low_share=shares[0],
        high_share=shares[1],
        skip_words=skip,
        hash_words=most,
        lexicons=lexicons,
        left_out_share=left_out,
        stopwords=" ".join(STOPWORDS) if stemmed else "",
        stemmer="first5" if stemmed else "",
    )

    def cut(article: list[str]) -> list[str]:
        return [word[:5] for word in article if word not in STOPWORDS] if stemmed else article

    frequencies = Counter(word for article in reference for word in set(cut(article)))

    def expect(article: list[str]) -> set[bytes]:
        found: set[bytes] = set()
        for number in range(lexicons):
            known = twin.in_lexicon(cut(article), number, left_out)
            if form == "range":
                chosen = twin.in_range(known, frequencies, len(reference), *shares)
            else:
                chosen = twin.after_skipping(known, frequencies, len(reference), skip, most)
            found |= twin.fingerprint(chosen)
        return found

    sketches = sketch(method, [" ".join(one) for one in collection], [" ".join(one) for one in reference])
    expected = [expect(article) for article in collection]
    got = fingerprints(sketches)
    assert list(map(set, got)) == expected
    assert list(map(len, got)) == list(map(len, expected))
    event(f"{form}, {max(map(len, expected), default=0)} fingerprints")

    pairs = np.array(list(itertools.product(range(len(collection)), repeat=2)), np.int64).reshape(-1, 2)
    scores = method.score(sketches.take(pairs[:, 0]), sketches.take(pairs[:, 1]))
    shared = [float(bool(expected[query] & expected[found])) for query, found in pairs.tolist()]
    for column in (scores.query_in_found, scores.found_in_query, scores.rank):
        assert column.tolist() == shared
    for way in method.accepts(scores):
        assert way.tolist() == [score == 1 for score in shared]


def test_the_range_keeps_distinct_words_in_alphabetical_order() -> None:
    reference = ["the vote"] * 30 + ["the envoys sign"] * 60 + ["the treaty"] * 9 + ["the typo"]
    method = methods.get("imatch", low_share=0.02, high_share=0.6)
    texts = ["The vote: the treaty, the typo! Envoys vote.", "envoys treaty vote", "envoys vote"]
    got = fingerprints(sketch(method, texts, reference))
    assert got == [[sha1("envoys treaty vote")]] * 2 + [[sha1("envoys vote")]]


def test_the_bounds_of_the_range_are_in_it() -> None:
    reference = ["low"] * 29 + ["high"] * 71
    inside = methods.get("imatch", low_share=0.29, high_share=0.71)
    outside = methods.get("imatch", low_share=0.3, high_share=0.7)
    assert fingerprints(sketch(inside, ["low high"], reference)) == [[sha1("high low")]]
    assert fingerprints(sketch(outside, ["low high"], reference)) == [[]]


LETTERS = [chr(ord("a") + i) * 2 for i in range(15)]


def falling(words: list[str]) -> list[str]:
    """A collection in which the first word is the rarest."""
    return [" ".join(words[i:]) for i in range(len(words))]


def test_two_rarest_words_are_skipped_and_the_next_ten_hashed_by_falling_idf() -> None:
    method = methods.get("imatch", form="skip", stopwords="")
    mixed = LETTERS[::2] + LETTERS[1::2]
    expected = [sha1(" ".join(LETTERS[2:12]))]
    assert fingerprints(sketch(method, [" ".join(mixed)], falling(LETTERS))) == [expected]


def test_words_of_equal_idf_go_by_the_alphabet() -> None:
    method = methods.get("imatch", form="skip", stopwords="")
    assert fingerprints(sketch(method, ["dd bb éé cc aa ee"])) == [[sha1("cc dd ee éé")]]


def test_what_is_left_is_hashed_and_nothing_left_has_no_key() -> None:
    method = methods.get("imatch", form="skip", stopwords="the,")
    texts = ["", "the", "aa", "aa bb", "aa bb cc", "aa bb cc cc the dd"]
    expected: list[list[bytes]] = [[], [], [], [], [sha1("cc")], [sha1("cc dd")]]
    assert fingerprints(sketch(method, texts, ["aa bb cc dd"])) == expected


def test_an_unknown_word_counts_as_in_one_article() -> None:
    method = methods.get("imatch", form="skip", stopwords="", skip_words=0)
    reference = ["bb often", "often"]
    assert fingerprints(sketch(method, ["often cc bb aa"], reference)) == [[sha1("aa bb cc often")]]


def test_each_form_reads_text_as_published() -> None:
    assert methods.get("imatch").view == View()
    assert methods.get("imatch", form="skip").view == View(stopwords="en", stemmer="first5")
    given_ = methods.get("imatch", form="skip", stopwords="", stemmer="porter").view
    assert given_ == View(stemmer="porter")


def test_a_lexicon_that_lacks_the_changed_word_finds_the_copy() -> None:
    words = [f"word{i}" for i in range(40)]
    texts = [" ".join(words), " ".join([*words, "sneaked"])]
    alone, several = (
        methods.get("imatch", high_share=1.0, lexicons=lexicons, left_out_share=0.3) for lexicons in (1, 12)
    )
    for method, expected in ((alone, 0), (several, 1)):
        sketches = sketch(method, texts)
        scores = method.score(sketches.take(np.array([0])), sketches.take(np.array([1])))
        assert scores.rank.tolist() == [expected]


def test_a_lexicon_leaves_out_its_share_of_the_words() -> None:
    words = [f"word{i}" for i in range(10_000)]
    for number in (1, 2):
        assert len(twin.in_lexicon(words, number, 0.3)) == pytest.approx(7_000, abs=150)
    assert twin.in_lexicon(words, 1, 0.3) != twin.in_lexicon(words, 2, 0.3)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"form": "middle"}, "expected form to be range or skip, got 'middle'"),
        ({"low_share": 0.5, "high_share": 0.4}, "expected 0 <= low_share <= high_share <= 1"),
        ({"low_share": -0.1}, "expected 0 <= low_share <= high_share <= 1"),
        ({"high_share": 1.5}, "expected 0 <= low_share <= high_share <= 1"),
        ({"high_share": float("nan")}, "expected 0 <= low_share <= high_share <= 1"),
        ({"skip_words": -1}, "expected skip_words of 0 or more"),
        ({"hash_words": 0}, "hash_words of 1 or more"),
        ({"lexicons": 0}, "expected 1 to 64 lexicons"),
        ({"lexicons": 65}, "expected 1 to 64 lexicons"),
        ({"left_out_share": 0.0}, "0 < left_out_share < 1"),
        ({"left_out_share": 1.0}, "0 < left_out_share < 1"),
        ({"stemmer": "klingon"}, "imatch: expected a stemmer"),
    ],
)
def test_parameters_out_of_range_are_refused(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        methods.get("imatch", **bad)


@pytest.mark.parametrize(
    "bad", [{"lexicons": 0}, {"lexicons": 65}, {"left_out_share": 2.0}, {"left_out_share": float("nan")}]
)
def test_what_makes_no_sense_is_refused(bad: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"lexicons": 1, "left_out_share": 0.3}
    word, ends, seen = np.array([1], np.uint64), np.array([0, 1]), weigh([1], 9)
    tokens = Tokens(word, ends, words=np.frombuffer(b"a", np.uint8), word_offsets=ends)
    assert len(_core.imatch(tokens, seen, **arguments)[0]) == 1
    with pytest.raises(ValueError, match="expected 1 to 64 lexicons"):
        _core.imatch(tokens, seen, **(arguments | bad))
    with pytest.raises(ValueError, match="expected a spelling and a frequency"):
        _core.imatch(tokens, weigh([], 9), **arguments)
