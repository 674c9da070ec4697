"""CoDet equals its slow twin and the paper's figure, and refuses what makes no sense."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from reference import codet as twin
from weighed import weigh

from quality.texts import Writer
from wirecopy import _core, methods
from wirecopy.errors import MismatchError, UsageError
from wirecopy.methods import Method, Sketches
from wirecopy.methods.codet import MOST, Codet
from wirecopy.model import Tokens
from wirecopy.statistics import Statistics
from wirecopy.text import encode, tokenise

Documents = list[list[list[str]]]

PLAIN = {"stopwords": "", "stemmer": ""}
VOCABULARY = ["a", "ab", "b", "c", "tenletters", "tenletterz", "zebra", "zebras", "é", "ж", "9"]
"""Some have their first eight bytes in common, some sort after z."""

sentences = st.lists(st.sampled_from(VOCABULARY), max_size=7)
few = st.lists(st.sampled_from(VOCABULARY[:3]), max_size=4)
documents = st.lists(st.lists(sentences | few, max_size=5), max_size=5)


def write(document: Sequence[Sequence[str]]) -> str:
    return "\n\n".join(" ".join(sentence) for sentence in document)


def count(method: Method, texts: Sequence[str]) -> Statistics:
    return Statistics.count([tokenise(*encode(texts), method.view)], method.view)


def sketch(method: Method, texts: Sequence[str], reference: Sequence[str] | None = None) -> Sketches:
    statistics = count(method, texts if reference is None else reference)
    return method.sketch(tokenise(*encode(texts), method.view, words=True), statistics)


def score_all(method: Method, sketches: Sketches) -> tuple[list[list[float]], list[list[bool]]]:
    """How far article i is in article j by the method, and whether it says so."""
    size = len(sketches)
    query, found = (side.ravel() for side in np.indices((size, size)))
    scores = method.score(sketches.take(query), sketches.take(found))
    ways = method.accepts(scores)
    assert scores.query_in_found.tolist() == scores.found_in_query.reshape(size, size).T.ravel().tolist()
    assert ways[0].tolist() == ways[1].reshape(size, size).T.ravel().tolist()
    assert scores.rank.tolist() == np.maximum(scores.query_in_found, scores.found_in_query).tolist()
    return scores.query_in_found.reshape(size, size).tolist(), ways[0].reshape(size, size).tolist()


def similarities(sketches: Sketches, query: int, found: int) -> tuple[float, float, float]:
    """CS of two articles and SCS of each."""
    one, other = (sketches.take(np.array([row])) for row in (query, found))
    shared, alone, other_alone = _core.containment_similarities(one, other)
    return float(shared[0]), float(alone[0]), float(other_alone[0])


def process(document: list[list[str]], stopwords: str, stemmer: str) -> list[list[str]]:
    """Stopwords out, then the first five characters."""
    length = 5 if stemmer == "first5" else 99
    return [[word[:length] for word in sentence if word not in stopwords.split()] for sentence in document]


@settings(max_examples=400)
@given(
    documents,
    st.none() | documents,
    st.integers(1, 3),
    st.integers(1, 6),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["", "b zebra"]),
    st.sampled_from(["", "first5"]),
    st.sampled_from([0.0, 0.3, 0.45, 1.0, 1.2]),
)
def test_nodes_scores_and_decisions_are_those_of_the_tree(
    corpus: Documents,
    reference: Documents | None,
    suffixes: int,
    depth: int,
    sort: bool,
    tree: bool,
    stopwords: str,
    stemmer: str,
    threshold: float,
) -> None:
    method = Codet(suffixes, depth, sort, tree, threshold, stopwords, stemmer)
    texts = [write(document) for document in corpus]
    sketches = sketch(method, texts, None if reference is None else [write(one) for one in reference])

    processed = [process(document, stopwords, stemmer) for document in corpus]
    known = processed if reference is None else [process(one, stopwords, stemmer) for one in reference]
    idf = twin.idfs(known, {word[:length] for word in VOCABULARY for length in (5, 99)})
    inserted = [twin.paths(document, idf, suffixes, depth, sort=sort) for document in processed]
    if tree:
        expected = twin.by_tree(inserted, idf)
        for one, row in zip(inserted, expected, strict=True):
            assert row == pytest.approx([twin.similarity(one, other, idf) for other in inserted])
    else:
        expected = [[twin.similarity(one, other, idf, tree=False) for other in inserted] for one in inserted]

    nodes = [
        sketches.columns[0][start:end].tolist()
        for start, end in zip(sketches.starts, sketches.ends, strict=True)
    ]
    prefixes = [
        {path[:length] for path in one for length in range(1 if tree else len(path), len(path) + 1)}
        for one in inserted
    ]
    for i in range(len(corpus)):
        for j in range(len(corpus)):
            assert len(set(nodes[i]) & set(nodes[j])) == len(prefixes[i] & prefixes[j])
    ratios, accepted = score_all(method, sketches)
    met = 0
    for i, row in enumerate(expected):
        for j, shared in enumerate(row):
            ratio = shared / expected[i][i] if expected[i][i] else 0.0
            assert ratios[i][j] == pytest.approx(ratio, rel=1e-9)
            if abs(ratio - threshold) > 1e-9:
                assert accepted[i][j] == (ratio > threshold)
            met += i < j and ratio > 0
    event(f"{'some' if met else 'none'} meet, tree {tree}, sorted {sort}")


@given(documents, st.integers(1, 3), st.integers(1, 6), st.booleans())
def test_a_node_knows_its_visits_depth_and_impact(
    corpus: Documents, suffixes: int, depth: int, sort: bool
) -> None:
    method = Codet(suffixes, depth, sort, **PLAIN)  # type: ignore[arg-type]
    sketches = sketch(method, [write(document) for document in corpus])
    idf = twin.idfs(corpus, VOCABULARY)
    got = list(zip(*(column.tolist() for column in sketches.columns[1:]), strict=True))
    for row, (start, end) in enumerate(pairwise(sketches.offsets.tolist())):
        root = twin.Node()
        for path in twin.paths(corpus[row], idf, suffixes, depth, sort=sort):
            for node in root.walk(path):
                node.documents.append(row)
        waiting, expected = [root], []
        while waiting:
            children = list(waiting.pop().children.values())
            expected += [(len(n.documents), n.depth, n.depth * idf[n.label]) for n in children]
            waiting += children
        for mine, theirs in zip(sorted(got[start:end]), sorted(expected), strict=True):
            assert mine == pytest.approx(theirs)


FIGURE = [
    "NASDAQ starts day with an increase. Shares gain 2%.",
    "NASDAQ starts day with a decrease. Shares lose 2%.",
    "Shares lose 2%.",
]


def test_figure_1() -> None:
    method = Codet(depth_words=MOST, sort_words=False, **PLAIN)  # type: ignore[arg-type]
    sketches = sketch(method, FIGURE)
    assert similarities(sketches, 0, 1) == pytest.approx((15.0547, 45.3366, 43.9503), abs=5e-5)
    assert similarities(sketches, 2, 1) == pytest.approx((6.8109, 6.8109, 43.9503), abs=5e-5)
    ratios, accepted = score_all(method, sketches)
    assert ratios[2][1] == 1
    assert accepted[2][1]
    assert not accepted[1][2]


def test_the_contribution_of_a_node_is_its_depth_times_the_idf_of_its_word() -> None:
    sketches = sketch(Codet(depth_words=MOST, sort_words=False, **PLAIN), FIGURE)  # type: ignore[arg-type]
    second = set(
        sketches.columns[3][: sketches.ends[0]][sketches.columns[2][: sketches.ends[0]] == 2].tolist()
    )
    starts, gain = 2 * (log(3 / 2) + 1), 2 * (log(3) + 1)
    assert sorted(second) == pytest.approx([starts, gain])


def test_two_sentences_share_their_longest_common_prefix() -> None:
    method = Codet(sort_words=False, **PLAIN)  # type: ignore[arg-type]
    sketches = sketch(method, ["John is happy.", "John is sad."])
    assert similarities(sketches, 0, 1) == pytest.approx((3, 6 + 3 * log(2), 6 + 3 * log(2)))


@pytest.mark.parametrize(
    ("parameters", "words"), [({"suffixes": 3}, 6 + 5 + 4), ({"depth_words": 3}, 3), ({"depth_words": 9}, 6)]
)
def test_suffixes_and_depth_of_the_papers_sentence(parameters: dict[str, int], words: int) -> None:
    chosen: dict[str, Any] = {"depth_words": MOST, "sort_words": False, **PLAIN} | parameters
    sketches = sketch(Codet(**chosen), ["NASDAQ starts day with an increase."])
    assert len(sketches.columns[0]) == words


def test_the_rarest_words_come_first_and_equally_rare_ones_by_the_alphabet() -> None:
    method = Codet(depth_words=2, **PLAIN)  # type: ignore[arg-type]
    common = "the shares of the bank"
    texts = [f"The {b} shares of {a} the bank." for a, b in [("zinc", "alloy"), ("alloy", "zinc")]] + [common]
    sketches = sketch(method, texts)
    assert score_all(method, sketches)[0][0][1] == 1
    assert len(sketches.columns[0]) == 2 + 2 + 2
    assert sketches.columns[3][:4].tolist() == pytest.approx([log(3 / 2) + 1, 2 * (log(3 / 2) + 1)] * 2)


def test_equal_sentences_count_once_and_common_prefixes_pairwise() -> None:
    method = Codet(sort_words=False, **PLAIN)  # type: ignore[arg-type]
    once, twice = "Red fox.", "Red fox.\n\nred fox!"
    several = "Red fox.\n\nRed dog.\n\nRed cat."
    sketches = sketch(method, [once, twice, several])
    red, fox, other = 1, 2, 2 * (log(3) + 1)
    assert similarities(sketches, 0, 1) == pytest.approx((red + fox, red + fox, red + fox))
    assert similarities(sketches, 0, 2) == pytest.approx(
        (3 * red + fox, red + fox, 9 * red + fox + 2 * other)
    )
    ratios, accepted = score_all(method, sketches)
    assert ratios[0][2] == pytest.approx(5 / 3)
    assert accepted[0][2]


def test_only_a_ratio_above_the_threshold_is_accepted() -> None:
    texts = ["Red fox.", "Red dog.", "Red dog."]
    for threshold, accepted in [(1.0, False), (0.999, True)]:
        assert score_all(Codet(threshold=threshold), sketch(Codet(), texts))[1][1][2] is accepted


def test_without_a_tree_a_sentence_counts_whole_or_not_at_all() -> None:
    texts = ["Banks lend money.", "Banks lend gold.", "Banks lend money. Rain fell."]
    method = Codet(tree=False, sort_words=False, **PLAIN)  # type: ignore[arg-type]
    sketches = sketch(method, texts)
    ratios, _ = score_all(method, sketches)
    assert ratios[0][1] == 0
    assert ratios[0][2] == 1
    assert sketches.columns[3][0] == pytest.approx(1 + 2 + 3 * (log(3 / 2) + 1))
    with_tree = Codet(sort_words=False, **PLAIN)  # type: ignore[arg-type]
    assert score_all(with_tree, sketch(with_tree, texts))[0][0][1] > 0


def write_news(articles: int) -> list[list[list[str]]]:
    """Sentences that begin with common words, as most do."""
    writer = Writer(11, words=3000)
    return [
        [[*writer.write(2), *writer.random.choices(writer.words, k=6)] for _ in range(8)]
        for _ in range(articles)
    ]


def test_sorting_words_saves_most_similarities() -> None:
    corpus = write_news(80)
    idf = twin.idfs(corpus, {word for document in corpus for sentence in document for word in sentence})
    computed = {}
    for sort in (True, False):
        inserted = [twin.paths(document, idf, 1, 5, sort=sort) for document in corpus]
        computed[sort] = sum(twin.count_similarities(inserted, idf))
        method = Codet(sort_words=sort, **PLAIN)  # type: ignore[arg-type]
        keys = method.keys(sketch(method, [write(document) for document in corpus]))
        rows = [set(keys.values[start:end].tolist()) for start, end in pairwise(keys.offsets.tolist())]
        candidates = sum(bool(rows[i] & rows[j]) for i in range(len(rows)) for j in range(i))
        assert candidates == computed[sort]
    assert 0 < computed[True] * 10 < computed[False]


def test_texts_without_words_have_no_nodes_and_are_in_nothing() -> None:
    method = Codet()
    sketches = sketch(method, ["", "…", "The of and.", "Profit", "Profit."])
    assert method.keys(sketches).offsets.tolist() == [0, 0, 0, 0, 1, 2]
    ratios, accepted = score_all(method, sketches)
    assert [row[0] for row in ratios] == ratios[0] == [0] * 5
    assert ratios[3][4] == 1
    assert accepted[3][4]
    assert not any(accepted[0])
    assert len(sketch(method, [])) == 0


@pytest.mark.parametrize(
    "bad",
    [
        {"suffixes": 0},
        {"suffixes": MOST + 1},
        {"depth_words": 0},
        {"depth_words": 2**40},
        {"threshold": -0.1},
        {"threshold": float("nan")},
        {"threshold": float("inf")},
    ],
)
def test_parameters_out_of_range_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="expected suffixes and depth_words from 1 to 1000 and a finite"):
        methods.get("codet", **bad)


def test_an_unknown_stemmer_is_refused() -> None:
    with pytest.raises(UsageError, match="codet: expected a stemmer"):
        methods.get("codet", stemmer="nonesuch")


def test_statistics_of_another_view_are_refused() -> None:
    method = Codet()
    tokens = tokenise(*encode(["Profit rose."]), method.view, words=True)
    with pytest.raises(MismatchError):
        method.sketch(tokens, count(Codet(stemmer=""), ["Profit rose."]))


def array(values: Sequence[float], kind: Any) -> Any:
    return np.array(values, kind)


BATCH: dict[str, tuple[list[int], Any]] = {
    "hashes": ([5, 6, 7], np.uint64),
    "offsets": ([0, 1, 3], np.int64),
    "sentences": ([0, 0, 1], np.uint32),
    "sentence_offsets": ([0, 1, 3], np.int64),
    "words": ([97, 98, 99, 100], np.uint8),
    "word_offsets": ([0, 1, 2, 4], np.int64),
    "frequencies": ([0, 1, 9], np.uint32),
}


def plant(batch: dict[str, Any], articles: int = 9, suffixes: int = 1, depth: int = 5) -> Any:
    columns = {name: array(batch.get(name, values), kind) for name, (values, kind) in BATCH.items()}
    statistics = weigh(columns.pop("frequencies"), articles)
    return _core.plant(Tokens(**columns), statistics, suffixes=suffixes, depth=depth, sort=True, tree=True)


@pytest.mark.parametrize(
    "bad",
    [
        {"hashes": [5, 6]},
        {"offsets": []},
        {"offsets": [0, 4, 3]},
        {"offsets": [0, 3]},
        {"sentences": [0, 1, 0]},
        {"sentences": [0, 0, 9]},
        {"sentence_offsets": [0, 3]},
        {"sentence_offsets": [0, 1, 4]},
        {"words": [97]},
        {"word_offsets": [0, 1, 4]},
        {"word_offsets": [0, 3, 2, 4]},
        {"frequencies": [1, 1]},
        {"frequencies": [1, 1, 10]},
    ],
)
def test_batches_that_do_not_fit_are_refused(bad: dict[str, Any]) -> None:
    assert len(plant({})[0]) == 3
    with pytest.raises(ValueError, match="expected"):
        plant(bad)


@pytest.mark.parametrize(("suffixes", "depth"), [(0, 5), (1, 0), (MOST + 1, 5), (1, MOST + 1)])
def test_sizes_out_of_range_are_refused(suffixes: int, depth: int) -> None:
    with pytest.raises(ValueError, match="expected suffixes and depth"):
        plant({}, suffixes=suffixes, depth=depth)


def side(
    nodes: int = 2, visits: int = 2, depths: int = 2, impacts: int = 2, rows: tuple[Any, Any] = ([0], [2])
) -> Sketches:
    columns = (
        np.arange(nodes, dtype=np.uint64),
        np.ones(visits, np.uint32),
        np.ones(depths, np.uint32),
        np.ones(impacts),
    )
    return Sketches(columns, *(array(edge, np.int64) for edge in rows))


@pytest.mark.parametrize(
    "bad",
    [
        {"nodes": 1},
        {"visits": 1},
        {"depths": 1},
        {"impacts": 1},
        {"rows": ([0, 0], [2, 2])},
        {"rows": ([-1], [2])},
        {"rows": ([2], [0])},
        {"rows": ([0], [])},
    ],
)
def test_sides_that_do_not_fit_are_refused(bad: dict[str, Any]) -> None:
    assert _core.containment_similarities(side(), side())[0].tolist() == [2]
    for sides in ((side(), side(**bad)), (side(**bad), side())):
        with pytest.raises(ValueError, match="expected"):
            _core.containment_similarities(*sides)
