"""Sentence fingerprints equal their slow twin, and do what Yoon, Jang, Kim, Park 2012 say."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st
from reference import sentence_fingerprints as twin
from weighed import fingerprints, sketch, weigh

from wirecopy import _core, methods
from wirecopy.errors import UsageError
from wirecopy.methods import Scores, Sketches
from wirecopy.model import Tokens
from wirecopy.text import encode, tokenise

VOCABULARY = [
    "école",
    "treaty",
    "zürich",
    "東",
    "senate",
    "vote",
    "żółw",
    "governor",
    "governorship",
    "governors",
]

sentences = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=5)
articles = st.lists(sentences, max_size=5)
collections = st.lists(articles, max_size=6)


def prose(article: twin.Article) -> str:
    return " ".join(" ".join(sentence).capitalize() + "." for sentence in article)


@settings(max_examples=300)
@given(
    collections,
    collections,
    st.sampled_from([0.0, 0.2, 0.29, 0.5, 0.6, 0.99, 1.0]),
    st.booleans(),
    st.integers(0, 3),
)
@example([[["vote"], ["vote"]], [["vote"]]], [], 0.6, False, 1)
def test_fingerprints_scores_and_decisions_are_the_twins(
    collection: list[twin.Article],
    reference: list[twin.Article],
    share: float,
    exact: bool,
    more_than: int,
) -> None:
    method = methods.get(
        "sentence_fingerprints",
        common_share=share,
        exact_sentences=exact,
        more_than=more_than,
    )
    sketches = sketch(method, [prose(one) for one in collection], [prose(one) for one in reference])
    common = twin.common_words(reference, share)
    expected = [twin.fingerprints(article, common, exact=exact) for article in collection]
    assert fingerprints(sketches) == expected
    event("some common" if common and not exact else "none common")

    pairs = np.array(list(itertools.product(range(len(collection)), repeat=2)), np.int64).reshape(-1, 2)
    scores = method.score(sketches.take(pairs[:, 0]), sketches.take(pairs[:, 1]))
    there = [twin.collide(expected[query], expected[found]) for query, found in pairs.tolist()]
    back = [twin.collide(expected[found], expected[query]) for query, found in pairs.tolist()]
    sizes = [max(1, len(fingerprints)) for fingerprints in expected]
    assert scores.query_in_found.tolist() == [n / sizes[q] for n, (q, _) in zip(there, pairs, strict=True)]
    assert scores.found_in_query.tolist() == [n / sizes[f] for n, (_, f) in zip(back, pairs, strict=True)]
    assert scores.rank.tolist() == [max(pair) for pair in zip(there, back, strict=True)]
    accepted = [rank > more_than for rank in scores.rank.tolist()]
    assert [way.tolist() for way in method.accepts(scores)] == [accepted, accepted]


@given(
    collections,
    collections.filter(len),
    st.integers(1, 3),
    st.integers(0, 2),
)
def test_the_verdict_counts_collisions_with_the_whole_table(
    targets: list[twin.Article], sources: list[twin.Article], most_occurrences: int, more_than: int
) -> None:
    method = methods.get(
        "sentence_fingerprints", most_occurrences=most_occurrences, more_than=more_than, common_share=1.0
    )
    texts = [prose(one) for one in sources]
    table_keys = method.keys(sketch(method, texts))
    values, occurrences = np.unique(table_keys.values, return_counts=True)
    table = values[~method.common(occurrences, np.ones_like(occurrences))]
    probes = method.probes(sketch(method, [prose(one) for one in targets], texts))
    collides = np.concatenate([[0], np.cumsum(np.isin(probes.values, table))])
    verdicts = method.verdict(collides[probes.offsets[1:]] - collides[probes.offsets[:-1]])

    spelt = [twin.fingerprints(article, set()) for article in sources]
    expected = twin.build_table(spelt, most_occurrences)
    assert verdicts is not None
    assert verdicts.tolist() == [
        twin.decide(twin.fingerprints(target, set()), expected, more_than) for target in targets
    ]


FIGURE_4 = [
    "U.S. to Reveal Some Rules on Security for Internet",
    "U.S. to Reveal Security Rules for Internet",
    "U.S. to Reveal Rules on Internet Security",
]


def test_the_three_headlines_of_figure_4_have_one_fingerprint() -> None:
    method = methods.get("sentence_fingerprints", common_share=1.0, common_words="to some on for")
    expected = hashlib.md5(b"internet reveal rules s security u").digest()
    assert fingerprints(sketch(method, FIGURE_4)) == [[expected]] * 3


def test_a_headline_with_some_differs_where_some_is_not_common() -> None:
    method = methods.get("sentence_fingerprints", common_share=1.0, common_words="to on for")
    one, *others = fingerprints(sketch(method, FIGURE_4))
    assert others[0] == others[1] != one


def test_the_exact_variant_knows_neither_common_words_nor_another_order() -> None:
    method = methods.get("sentence_fingerprints", common_words="to some on for", exact_sentences=True)
    expected = hashlib.md5(b"u s to reveal rules on internet security").digest()
    got = fingerprints(sketch(method, FIGURE_4))
    assert got[2] == [expected]
    assert len({one for (one,) in got}) == 3


def test_the_exact_variant_needs_no_statistics() -> None:
    method = methods.get("sentence_fingerprints", exact_sentences=True)
    tokens = tokenise(*encode(FIGURE_4), method.view, words=True)
    assert fingerprints(method.sketch(tokens)) == fingerprints(sketch(method, FIGURE_4))


def test_words_in_more_than_three_fifths_of_the_articles_are_common() -> None:
    reference = [f"{'senate' if i < 61 else 'envoys'} {'vote' if i < 60 else 'treaty'}" for i in range(100)]
    method = methods.get("sentence_fingerprints")
    got = fingerprints(sketch(method, ["Senate vote treaty."], reference))
    assert got == [[hashlib.md5(b"treaty vote").digest()]]


def test_a_share_of_one_cuts_nothing() -> None:
    method = methods.get("sentence_fingerprints", common_share=1.0)
    assert fingerprints(sketch(method, ["Vote vote."] * 5)) == [[hashlib.md5(b"vote vote").digest()]] * 5


def test_a_sentence_without_words_has_no_fingerprint() -> None:
    method = methods.get("sentence_fingerprints", common_words="the of")
    texts = ["", "…", "The. Of the. The.", "The. Vote. Of.", "Vote"]
    vote = hashlib.md5(b"vote").digest()
    assert fingerprints(sketch(method, texts)) == [[], [], [], [vote], [vote]]


def test_three_hundred_occurrences_stay_and_one_more_goes() -> None:
    method = methods.get("sentence_fingerprints")
    occurrences, holders = np.array([299, 300, 301]), np.array([299, 1, 1])
    assert method.common(occurrences, holders).tolist() == [False, False, True]


def test_repeats_are_kept_as_occurrences() -> None:
    method = methods.get("sentence_fingerprints", common_share=1.0)
    keys = method.keys(sketch(method, ["Vote now. Vote now! Vote now."]))
    assert len(keys.values) == 3
    assert len(set(keys.values.tolist())) == 1


def test_three_collisions_suffice_and_two_do_not() -> None:
    method = methods.get("sentence_fingerprints")
    verdict = method.verdict(np.array([0, 1, 2, 3, 4]))
    assert verdict is not None
    assert verdict.tolist() == [False, False, False, True, True]
    shares, counts = np.array([1.0, 0.1]), np.array([2.0, 3.0])
    assert [way.tolist() for way in method.accepts(Scores(shares, shares, counts))] == [[False, True]] * 2


def test_a_repeated_sentence_counts_each_time_it_stands_there() -> None:
    method = methods.get("sentence_fingerprints", common_share=1.0)
    sketches = sketch(method, ["Vote now. Vote now. Vote now.", "Vote now. Treaty signed."])
    scores = method.score(sketches.take(np.array([0])), sketches.take(np.array([1])))
    assert (scores.query_in_found[0], scores.found_in_query[0], scores.rank[0]) == (1, 0.5, 3)
    assert [way.tolist() for way in method.accepts(scores)] == [[True], [True]]


def test_all_128_bits_count() -> None:
    method = methods.get("sentence_fingerprints", more_than=0)
    first, last = np.array([7, 7, 8], np.uint64), np.array([1, 2, 1], np.uint64)
    sketches = Sketches.of(first, np.array([0, 1, 2, 3]), last)
    scores = method.score(sketches.take(np.array([0, 0, 0])), sketches)
    assert scores.rank.tolist() == [1, 0, 0]


def test_the_title_is_a_sentence_like_the_others() -> None:
    method = methods.get("sentence_fingerprints", common_share=1.0)
    (row,) = fingerprints(sketch(method, ["Envoys sign treaty\n\nThe senate voted. It rained."]))
    assert row[0] == hashlib.md5(b"envoys sign treaty").digest()
    assert len(row) == 3


@pytest.mark.parametrize(
    "bad",
    [
        {"common_share": -0.1},
        {"common_share": 1.1},
        {"common_share": float("nan")},
        {"most_occurrences": 0},
        {"more_than": -1},
    ],
)
def test_parameters_out_of_range_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="sentence_fingerprints: expected common_share from 0 to 1"):
        methods.get("sentence_fingerprints", **bad)


SPELT = Tokens(
    np.array([1, 2, 3], np.uint64),
    np.array([0, 3]),
    words=np.frombuffer(b"abc", np.uint8),
    word_offsets=np.array([0, 1, 2, 3]),
)


@pytest.mark.parametrize(
    ("sentences", "sentence_offsets", "frequencies"),
    [
        ([0, 4], [0, 2], [1, 1, 1]),
        ([2, 1], [0, 2], [1, 1, 1]),
        ([0], [0, 2], [1, 1, 1]),
        ([0], [0, 1, 1], [1, 1, 1]),
        ([0], [0, 1], [1, 1]),
    ],
)
def test_sentences_that_do_not_fit_are_refused(
    sentences: list[int], sentence_offsets: list[int], frequencies: list[int]
) -> None:
    tokens = replace(
        SPELT, sentences=np.array(sentences, np.uint32), sentence_offsets=np.array(sentence_offsets)
    )
    with pytest.raises(ValueError, match="expected"):
        _core.sentence_digests(tokens, weigh(frequencies, 3))
