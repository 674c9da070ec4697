"""Document images equal their slow twin, fit the paper's figures, and are tuned as the paper says."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import document_image as twin
from weighed import weigh

from quality.texts import Writer
from wirecopy import _core, methods
from wirecopy.errors import MismatchError, UsageError
from wirecopy.methods.document_image import DocumentImage, Trial
from wirecopy.model import Tokens
from wirecopy.statistics import Statistics
from wirecopy.text import encode, tokenise

PLAIN = DocumentImage(stopwords="", stemmer="")
"""The method on words as they are."""

TABLE_1 = {
    733: 7,
    805: 8,
    558: 5,
    533: 5,
    651: 6,
    349: 3,
    662: 6,
    642: 6,
    287: 2,
    300: 3,
    671: 6,
    316: 3,
    441: 4,
    472: 4,
    866: 8,
    820: 8,
    546: 5,
    931: 9,
    768: 7,
    874: 8,
    631: 6,
    736: 7,
}
"""The terms of the paper's 22 documents, and in how many sentences they were cut."""


class Collection:
    """Texts as a method reads them, and as its twin does."""

    def __init__(self, method: DocumentImage, texts: list[str]) -> None:
        self.method = method
        self.tokens = tokenise(*encode(texts), method.view, words=True)
        self.words = [self.tokens.spell(row) for row in range(len(texts))]
        spelt = itertools.chain(*self.words)
        self.hashes = dict(zip(spelt, self.tokens.hashes.tolist(), strict=True))
        halves = self.tokens.halves
        halves = np.full(len(self.tokens.hashes), 2) if halves is None else halves
        self.sentences = [
            twin.cut(words, halves[start:end].tolist(), method.sentence_words)
            for words, start, end in zip(
                self.words, self.tokens.offsets, self.tokens.offsets[1:], strict=False
            )
        ]
        collected = method.idf_over == "collection"
        self.over = list(itertools.chain(*self.sentences)) if collected else None
        self.statistics = Statistics.count([self.tokens], method.view) if collected else None

    def images(self, image_terms: int | None = None) -> list[set[str]]:
        terms = image_terms or self.method.image_terms
        return [twin.draw(sentences, terms, self.over) for sentences in self.sentences]


def draw(method: DocumentImage, texts: list[str]) -> list[set[str]]:
    """The images that the method makes, spelt."""
    collection = Collection(method, texts)
    sketches = method.sketch(collection.tokens, collection.statistics)
    spelling = {hash_: word for word, hash_ in collection.hashes.items()}
    rows = [sketches.columns[0][start:end].tolist() for start, end in bounds(sketches.offsets)]
    assert all(row == sorted(set(row)) for row in rows)
    return [{spelling[hash_] for hash_ in row} for row in rows]


def bounds(offsets: NDArray[np.int64]) -> list[tuple[int, int]]:
    return list(itertools.pairwise(offsets.tolist()))


few = st.sampled_from([["aa", "bb"], list("abcdef"), [f"w{i}" for i in range(30)], ["aa", "東", "京", "bb"]])


@st.composite
def collections(draw: st.DrawFn, most: int = 6) -> list[str]:
    """Texts of few words, so that weights tie; some hold characters that count half, some copy each other."""
    vocabulary = draw(few)
    texts = draw(st.lists(st.lists(st.sampled_from(vocabulary), max_size=60), max_size=most))
    if len(texts) > 1 and draw(st.booleans()):
        texts[-1] = texts[0][: len(texts[0]) // 2] + texts[-1]
    return [" ".join(words) for words in texts]


drawn_methods = st.builds(
    DocumentImage,
    sentence_words=st.integers(1, 12),
    image_terms=st.integers(1, 8),
    idf_over=st.sampled_from(["document", "collection"]),
    stopwords=st.sampled_from(["", "aa w3"]),
    stemmer=st.just(""),
    threshold=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
)


@settings(max_examples=250)
@given(drawn_methods, collections())
@example(PLAIN, [])
@example(PLAIN, ["", "…", "one"])
def test_images_and_similarities_are_those_of_the_twin(method: DocumentImage, texts: list[str]) -> None:
    collection = Collection(method, texts)
    images = collection.images()
    assert draw(method, texts) == images
    sketches = method.sketch(collection.tokens, collection.statistics)
    pairs = list(itertools.product(range(len(texts)), repeat=2))
    query, found = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    scores = method.score(sketches.take(query), sketches.take(found))
    expected = [twin.jaccard(images[q], images[f]) for q, f in pairs]
    assert scores.rank.tolist() == [float(similarity) for similarity in expected]
    assert scores.query_in_found.tolist() == scores.found_in_query.tolist() == scores.rank.tolist()
    accepted = [0 < Fraction(method.threshold).limit_denominator(10) <= one for one in expected]
    for way in method.accepts(scores):
        assert way.tolist() == accepted
    for (q, f), taken in zip(pairs, accepted, strict=True):
        if taken:
            sizes = np.array([float(len(images[side])) for side in (q, f)])
            assert len(images[q] & images[f]) >= method.least_shared(sizes).mean() - 1e-9
    event(f"{method.idf_over}, {'some' if any(accepted) else 'none'} accepted")


@pytest.mark.parametrize(("terms", "sentences"), TABLE_1.items())
def test_table_1_counts_the_sentences(terms: int, sentences: int) -> None:
    offsets = _core.cut_pieces(Tokens(np.zeros(terms, np.uint64), np.array([0, terms])), 100)
    sizes = np.diff(offsets).tolist()
    assert len(sizes) == sentences
    assert sum(sizes) == terms
    assert min(sizes) >= 100
    assert max(sizes) - min(sizes) <= 1
    assert sizes == sorted(sizes, reverse=True)
    words = [f"w{number}" for number in range(terms)]
    assert sizes == [len(sentence) for sentence in twin.cut(words, [2] * terms, 100)]


def test_table_1_has_22_documents() -> None:
    assert len(TABLE_1) == 22
    assert sum(TABLE_1.values()) == 126
    assert sum(TABLE_1) == 13592


@pytest.mark.parametrize(
    ("terms", "sentences"), [(0, 0), (1, 1), (99, 1), (100, 1), (199, 1), (200, 2), (299, 2)]
)
def test_a_hundred_words_are_the_least(terms: int, sentences: int) -> None:
    offsets = _core.cut_pieces(Tokens(np.zeros(terms, np.uint64), np.array([0, terms])), 100)
    assert len(offsets) - 1 == sentences


def test_the_heaviest_terms_of_each_sentence_make_the_image() -> None:
    # Three sentences. In the first, a (tf 2, df 2) weighs 1.301 · 0.176 = 0.229, b and c 0.477. In the second d (tf 2)
    # weighs 1.301 · 0.477 = 0.621, e 0.477, a 0.176. In the third h weighs 0.621, f and g 0.477, and f is first.
    text = "a a b c   a d d e   f g h h"
    method = dataclasses.replace(PLAIN, sentence_words=4, image_terms=2)
    assert draw(method, [text]) == [set("bcdehf")]
    assert draw(dataclasses.replace(method, image_terms=1), [text]) == [set("bdh")]
    assert draw(dataclasses.replace(method, image_terms=9), [text]) == [set("abcdefgh")]


def test_one_sentence_leaves_it_to_occurrences_and_order() -> None:
    method = dataclasses.replace(PLAIN, image_terms=2)
    assert draw(method, ["x y y z"]) == [{"x", "y"}]
    assert draw(method, ["z z x y y y"]) == [{"z", "y"}]


def test_weights_over_a_collection_count_its_sentences() -> None:
    # a is in both sentences of the first article and in no other: df 2 of 4, but 1 of 3 articles.
    # x is in the second and the third article: df 2 as well. p, q, r, s have df 1.
    texts = ["a p a q", "x r", "x s"]
    method = dataclasses.replace(PLAIN, sentence_words=2, image_terms=1, idf_over="collection")
    collection = Collection(method, texts)
    assert collection.statistics is not None
    assert collection.statistics.articles == 4
    asked = np.array([collection.hashes[word] for word in "axp"], np.uint64)
    assert collection.statistics.frequencies(asked).tolist() == [2, 2, 1]
    assert draw(method, texts) == [{"p", "q"}, {"r"}, {"s"}]


def test_what_ties_on_paper_ties_here() -> None:
    # N 16: ten occurrences at df 12 and one at df 9 weigh the same, 2 · log10(16/12) = log10(16/9), which floating point
    # denies in the seventeenth digit. More occurrences decide.
    texts = ["y " + "x " * 10]
    for number in range(1, 16):
        words = ["x"] * (number <= 11) + ["y"] * (4 <= number <= 11)
        texts.append(" ".join(words + [f"w{number}"] * (11 - len(words))))
    method = dataclasses.replace(PLAIN, sentence_words=11, image_terms=1, idf_over="collection")
    collection = Collection(method, texts)
    asked = np.array([collection.hashes[word] for word in "xy"], np.uint64)
    assert collection.statistics is not None
    assert collection.statistics.articles == 16
    assert collection.statistics.frequencies(asked).tolist() == [12, 9]
    assert draw(method, texts)[0] == {"x"}


def test_characters_that_count_half_make_half_as_many_sentences() -> None:
    tokens = tokenise(*encode(["東京都" * 100, "word " * 300]))
    offsets = _core.cut_pieces(tokens, 100)
    assert np.diff(offsets).tolist() == [300, 100, 100, 100]


def test_an_article_without_terms_does_not_count_in_the_collection() -> None:
    """With N = 15, one occurrence of a term in one sentence outweighs ten of a term in four; with N above 16 it does not."""
    method = DocumentImage(idf_over="collection", image_terms=1, stemmer="")
    texts = ["comet " + "harbour " * 10, *["harbour"] * 3, *(f"word{number}" for number in range(11))]
    for more in ([], ["", "the of", "…"]):
        statistics = Collection(method, texts + more).statistics
        assert statistics is not None
        assert statistics.articles == 15
        assert draw(method, texts + more)[0] == {"comet"}


def test_words_are_stems_without_stopwords() -> None:
    text = "A house for the cats, which were jumping; and the cat JUMPS over it."
    assert draw(DocumentImage(), [text]) == [{"hous", "cat", "jump"}]
    assert draw(DocumentImage(image_terms=2), [text]) == [{"cat", "jump"}]


def test_a_query_ranks_a_collection() -> None:
    writer = Writer(5)
    words = writer.write(400)
    texts = [
        writer.text(400),
        " ".join(writer.edit(words, 0.3)),
        " ".join(words),
        " ".join(writer.edit(words, 0.1)),
    ]
    method = DocumentImage()
    sketches = method.sketch(Collection(method, texts).tokens)
    query = method.sketch(Collection(method, [" ".join(words)]).tokens)
    rank = method.score(query.take(np.zeros(4, np.int64)), sketches).rank
    assert np.argsort(-rank).tolist() == [2, 3, 1, 0]
    assert rank[2] == 1


def test_it_only_ranks_unless_it_has_a_threshold() -> None:
    assert DocumentImage().only_ranks
    assert not DocumentImage(threshold=0.3).only_ranks
    assert not DocumentImage().weighs_words
    assert DocumentImage(idf_over="collection").weighs_words


def test_weights_over_a_collection_need_its_statistics() -> None:
    method = DocumentImage(idf_over="collection")
    tokens = Collection(DocumentImage(), ["some words of a text"]).tokens
    with pytest.raises(UsageError, match="document_image: expected Statistics to weigh words by, got none"):
        method.sketch(tokens)
    with pytest.raises(MismatchError, match="view"):
        method.sketch(tokens, Statistics.count([tokens], DocumentImage().view))
    with pytest.raises(MismatchError, match="view"):
        method.sketch(tokens, Statistics.count([tokens], dataclasses.replace(method, sentence_words=50).view))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"sentence_words": 0}, "expected sentence_words and image_terms from 1 to 65536, got 0 and 30"),
        ({"sentence_words": 70_000}, "expected sentence_words"),
        ({"image_terms": 0}, "expected sentence_words and image_terms"),
        ({"image_terms": -5}, "expected sentence_words and image_terms"),
        ({"idf_over": "pile"}, "expected idf_over to be document or collection, got 'pile'"),
        ({"threshold": -0.1}, "expected 0 <= threshold <= 1, got -0.1"),
        ({"threshold": 1.1}, "expected 0 <= threshold <= 1"),
        ({"threshold": float("nan")}, "expected 0 <= threshold <= 1"),
        ({"image_terms": 2.5}, "of type int"),
    ],
)
def test_parameters_out_of_range_are_refused(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        methods.get("document_image", **bad)


def tune(method: DocumentImage, texts: list[str], queries: list[int]) -> list[Trial]:
    collection = Collection(method, texts)
    return method.tune(collection.tokens, collection.statistics, np.array(queries, np.int64))


@settings(max_examples=100)
@given(drawn_methods, st.integers(1, 45), collections(8), st.data())
def test_tuning_is_that_of_the_twin(
    method: DocumentImage, sentence_words: int, texts: list[str], data: st.DataObject
) -> None:
    method = dataclasses.replace(method, sentence_words=sentence_words)
    rows = st.integers(0, len(texts) - 1)
    queries = data.draw(st.lists(rows, unique=True)) if texts else []
    trials = tune(method, texts, queries)
    collection = Collection(method, texts)
    sizes = [size for size in (5, 10, 20, 30, 40) if size < sentence_words] + [sentence_words]
    images = [collection.images(size) for size in sizes]
    expected = twin.tune([set(words) for words in collection.words], images, queries)
    assert [trial.image_terms for trial in trials] == sizes
    assert [(trial.discordant, trial.tied) for trial in trials] == expected
    assert [trial.equal for trial in trials] == [pairs == (0, 0) for pairs in expected]
    words = max(1, sum(map(len, collection.words)))
    assert [trial.image_share for trial in trials] == [sum(map(len, sized)) / words for sized in images]
    fewest = min(map(sum, expected))
    assert [trial.chosen for trial in trials].index(True) == [*map(sum, expected)].index(fewest)
    assert sum(trial.chosen for trial in trials) == 1
    event(f"{'equal' if fewest == 0 else 'unequal'}")


def write_collection(articles: int) -> list[str]:
    writer = Writer(8, words=3000)
    source = writer.write(450)
    return [
        " ".join(
            writer.edit(source, 0.03 * number)[: writer.random.randint(150, 450)] + writer.write(20 * number)
        )
        for number in range(articles)
    ]


def test_the_order_of_the_rows_does_not_matter() -> None:
    texts = write_collection(9)
    trials = tune(PLAIN, texts, [0, 3, 7])
    order = list(range(9))
    random.Random(2).shuffle(order)
    assert tune(PLAIN, [texts[row] for row in order], [order.index(query) for query in (7, 0, 3)]) == trials
    assert [trial.image_terms for trial in trials] == [5, *range(10, 101, 10)]
    assert 0 < trials[0].image_share < trials[-1].image_share <= 1


def test_many_queries_are_compared_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = write_collection(8)
    at_once = tune(PLAIN, texts, list(range(8)))
    monkeypatch.setattr("wirecopy.methods.document_image.PAIRS", 20)
    assert tune(PLAIN, texts, list(range(8))) == at_once
    assert sum(trial.discordant for trial in at_once)


COPIES = [
    "a a a b b b c c c d d d e e e f f g g h i j k l",
    "a a a b b b c c c d d d e e e f f g g h i j k z",
    "a a a b b b c c c d d d e e e x x y y v w j k z",
    "a a a b b b c c c p p p q q q x x y y v w s t z",
]
"""Each shares less with the first; the five most frequent words do not tell the first three apart."""


def test_the_smallest_image_that_keeps_all_rankings_is_chosen() -> None:
    method = dataclasses.replace(PLAIN, sentence_words=24)
    trials = tune(method, COPIES, [0])
    assert [(trial.image_terms, trial.discordant, trial.tied) for trial in trials] == [
        (5, 0, 1),
        (10, 0, 0),
        (20, 0, 0),
        (24, 0, 0),
    ]
    assert [trial.image_terms for trial in trials if trial.chosen] == [10]
    assert [trial.image_share for trial in trials] == [20 / 96, 40 / 96, 48 / 96, 48 / 96]


def test_without_equal_rankings_the_image_with_the_fewest_wrong_pairs_is_chosen() -> None:
    # One sentence each. All words: 3/12, 2/12, 1/22. Images of five: 0, 0, 1/9. Images of ten: 3/10, 0, 1/19.
    texts = [
        "a a a b b b c c d d e e f g h i j k l",
        "f g h",
        "k l",
        "a " + " ".join(f"w{number}" for number in range(10)),
    ]
    trials = tune(dataclasses.replace(PLAIN, sentence_words=10), texts, [0])
    assert [(trial.image_terms, trial.discordant, trial.tied) for trial in trials] == [(5, 2, 1), (10, 1, 0)]
    assert [trial.equal for trial in trials] == [False, False]
    assert [trial.chosen for trial in trials] == [False, True]


def test_images_that_share_nothing_do_not_count_as_equal() -> None:
    texts = [
        "a a b b c c d d e e x y z",
        "f f g g h h i i j j x y z",
        "k k l l m m n n o o x y w",
        "p p q q r r s s t t x v u",
    ]
    trials = tune(dataclasses.replace(PLAIN, sentence_words=13), texts, [0])
    assert [(trial.image_terms, trial.discordant, trial.tied) for trial in trials] == [
        (5, 0, 3),
        (10, 0, 0),
        (13, 0, 0),
    ]
    assert [trial.image_terms for trial in trials if trial.chosen] == [10]


@pytest.mark.parametrize("queries", [[-1], [3], [0, 99]])
def test_queries_outside_the_collection_are_refused(queries: list[int]) -> None:
    with pytest.raises(UsageError, match="expected queries among 3 articles"):
        tune(PLAIN, ["a", "b", "c"], queries)


def test_tuning_counts_the_collection_where_no_statistics_are_given() -> None:
    method = dataclasses.replace(PLAIN, idf_over="collection", sentence_words=40)
    collection = Collection(method, write_collection(6))
    queries = np.array([1, 2], np.int64)
    assert method.tune(collection.tokens, None, queries) == method.tune(
        collection.tokens, collection.statistics, queries
    )


@settings(max_examples=300)
@given(st.integers(1, 9), st.integers(0, 5), st.data())
def test_discordant_pairs_are_those_of_the_twin(width: int, rows: int, data: st.DataObject) -> None:
    values = st.lists(st.integers(0, 5), min_size=width * rows, max_size=width * rows)
    expected, got = data.draw(values), data.draw(values)
    counts = _core.count_discordant(np.array(expected, float), np.array(got, float), width)
    chunks = [slice(first, first + width) for first in range(0, width * rows, width)]
    answers = [
        twin.compare([*map(Fraction, expected[chunk])], [*map(Fraction, got[chunk])]) for chunk in chunks
    ]
    assert list(zip(*(part.tolist() for part in counts), strict=True)) == answers


WORDS, OFFSETS = np.array([1, 2, 3], np.uint64), np.array([0, 3], np.int64)
TOKENS = Tokens(WORDS, OFFSETS)
SIZES: dict[str, Any] = {"piece_words": 2, "image_terms": 2}


@pytest.mark.parametrize("offsets", [[], [0], [0, 2], [0, 4], [1, 3], [0, 4, 3], [-1, 3], [0, -1, 3]])
@pytest.mark.parametrize(
    "call",
    [
        lambda o: _core.cut_pieces(Tokens(WORDS, o), 2),
        lambda o: _core.make_images(Tokens(WORDS, o), **SIZES),
        lambda o: _core.make_images(Tokens(WORDS, o), weigh([1, 1, 1], 3), **SIZES),
    ],
)
def test_offsets_that_do_not_fit_are_refused(
    call: Callable[[NDArray[np.int64]], object], offsets: list[int]
) -> None:
    with pytest.raises(ValueError, match="expected"):
        call(np.array(offsets, np.int64))


@pytest.mark.parametrize(
    "call",
    [
        lambda: _core.cut_pieces(TOKENS, 0),
        lambda: _core.cut_pieces(TOKENS, 2**20),
        lambda: _core.cut_pieces(Tokens(WORDS, OFFSETS, np.ones(2, np.uint8)), 2),
        lambda: _core.make_images(TOKENS, **{**SIZES, "piece_words": 0}),
        lambda: _core.make_images(TOKENS, **{**SIZES, "image_terms": 0}),
        lambda: _core.make_images(Tokens(WORDS, OFFSETS, np.ones(4, np.uint8)), **SIZES),
        lambda: _core.make_images(TOKENS, weigh([1, 1], 3), **SIZES),
        lambda: _core.count_discordant(np.ones(4), np.ones(3), 2),
        lambda: _core.count_discordant(np.ones(3), np.ones(3), 2),
    ],
)
def test_arguments_that_make_no_sense_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="expected"):
        call()


def test_tokens_of_no_articles_have_no_images() -> None:
    tokens = Tokens(np.empty(0, np.uint64), np.zeros(1, np.int64))
    assert len(PLAIN.sketch(tokens)) == 0
    assert all(trial.equal for trial in PLAIN.tune(tokens, None, np.empty(0, np.int64)))
