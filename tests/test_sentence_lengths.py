"""Windows over sentence lengths equal their slow twin, and find what the paper says they find."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import sentence_lengths as twin

from wirecopy import _core, methods
from wirecopy.errors import UsageError
from wirecopy.methods import Keys, Sketches
from wirecopy.methods.sentence_lengths import DELIMITERS, SentenceLengths
from wirecopy.model import Tokens
from wirecopy.text import encode, tokenise

U64, I64, U32 = np.uint64, np.int64, np.uint32


def array(values: Sequence[int], kind: Any) -> NDArray[Any]:
    return np.array(values, kind)


def get(**parameters: Any) -> SentenceLengths:
    method = methods.get("sentence_lengths", **parameters)
    assert isinstance(method, SentenceLengths)
    return method


def pack(articles: Sequence[Sequence[int]]) -> Sketches:
    """Sketches of articles with these sentence lengths."""
    offsets = np.cumsum([0, *map(len, articles)]).astype(I64)
    return Sketches.of(array([length for article in articles for length in article], U32), offsets)


def write(lengths: Sequence[int], word: str = "w") -> str:
    return " ".join(" ".join([word] * length) + "." for length in lengths)


def sketch(method: SentenceLengths, *texts: str) -> Sketches:
    return method.sketch(tokenise(*encode(texts), method.view))


def rows(sketches: Sketches) -> list[list[int]]:
    bounds = zip(sketches.starts.tolist(), sketches.ends.tolist(), strict=True)
    return [sketches.columns[0][start:end].tolist() for start, end in bounds]


def row(keys: Keys, number: int) -> list[int]:
    values: list[int] = keys.values[keys.offsets[number] : keys.offsets[number + 1]].tolist()
    return values


def score(method: SentenceLengths, query: Sequence[int], found: Sequence[int]) -> tuple[float, float, float]:
    scores = method.score(pack([query]), pack([found]))
    return scores.query_in_found[0], scores.found_in_query[0], scores.rank[0]


def starts(lengths: Sequence[int], window: int, step: int, dynamic: bool = False) -> list[int]:
    """Where the filed windows start, from the kernel: its windows have the hashes of those at every sentence."""
    filed, _ = _core.window_hashes(pack([lengths]), window=window, step=step, dynamic=dynamic)
    every, _ = _core.window_hashes(pack([lengths]), window=window, step=1, dynamic=False)
    found, at = [], 0
    for value in filed.tolist():
        at = every.tolist().index(value, at)
        found.append(at)
        at += 1
    return found


# The feature string.


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("", []),
        ("?!", []),
        ("word", [1]),
        ("no delimiter at all", [4]),
        ("One two. Three! Four five six? Seven", [2, 1, 3, 1]),
        ("Really?! Yes.", [1, 1]),
        ("What ? ! … No", [1, 1]),
        ("... starts late. ", [2]),
        ("It rose 3.5 points.", [3, 2]),
        ("1,000 dogs, 2 cats; none: here", [6]),
        ("A line\n\nand another", [4]),
        ("東京。大阪市！", [2, 3]),
        ("ما هذا؟ لا شيء", [2, 2]),
    ],
)
def test_a_sentence_is_what_stands_between_two_delimiters(text: str, lengths: list[int]) -> None:
    assert rows(sketch(get(), text)) == [lengths]


def test_the_delimiters_can_be_chosen() -> None:
    text = "One two, three. Four; five, six"
    assert rows(sketch(get(delimiters=",;"), text)) == [[2, 2, 1, 1]]
    assert rows(sketch(get(delimiters=""), "Mr. Smith paid 3.5 dollars. He left.")) == [[5, 2]]


def test_a_sentence_that_stopwords_emptied_has_length_0() -> None:
    text = "The cat sat. On the. A the mat. On"
    assert rows(sketch(get(stopwords="the on a"), text)) == [[2, 0, 1, 0]]
    assert rows(sketch(get(stopwords="the on a cat sat mat"), text)) == [[0, 0, 0, 0]]
    assert rows(sketch(get(stopwords="en"), "The dog. It is. He was there.")) == [[1, 0, 0]]


a_text = st.lists(
    st.sampled_from(["the", "on", "cat", "Sat", "mat9"]) | st.sampled_from(".!?,;"), max_size=30
)


@given(
    st.lists(a_text, max_size=4),
    st.sampled_from([".", ".!?", ",;", DELIMITERS]),
    st.sampled_from(["", "the on"]),
)
def test_feature_strings_equal_the_twin(parts: list[list[str]], delimiters: str, stopwords: str) -> None:
    texts = [" ".join(part) for part in parts]
    got = rows(sketch(get(delimiters=delimiters, stopwords=stopwords), *texts))
    assert got == [twin.feature_string(text, delimiters, stopwords) for text in texts]


# Which windows are filed.


def test_the_last_window_ends_the_article() -> None:
    assert starts(range(11), 4, 2) == [0, 2, 4, 6, 7]
    assert starts(range(10), 4, 2) == [0, 2, 4, 6]
    assert starts(range(4), 4, 2) == [0]
    assert starts(range(3), 4, 2) == []
    assert starts([], 1, 1) == []


@pytest.mark.parametrize(
    ("n", "window", "step"), [*itertools.product((0, 7, 8, 9, 40, 41), (8, 9), (1, 2, 3, 8))]
)
def test_there_are_as_many_windows_as_the_counts_of_table_1_say(n: int, window: int, step: int) -> None:
    assert len(starts(range(n), window, step)) == (-(-(n - window) // step) + 1 if n >= window else 0)


def test_the_first_vectors_of_the_paper_are_0123_and_2345() -> None:
    filed, _ = _core.window_hashes(pack([range(10)]), window=4, step=2, dynamic=False)
    alone, _ = _core.window_hashes(pack([range(4), range(2, 6)]), window=4, step=1, dynamic=False)
    assert filed[:2].tolist() == alone.tolist()


def test_dynamic_jumping_leaves_out_what_repeats() -> None:
    filed = [
        _core.window_hashes(pack([[5] * 12]), window=4, step=1, dynamic=dynamic)[0]
        for dynamic in (False, True)
    ]
    assert [*map(len, filed)] == [9, 1]
    assert starts([1, 5, 5, 5, 5, 2], 3, 1) == [0, 1, 2, 3]
    assert starts([1, 5, 5, 5, 5, 2], 3, 1, True) == [0, 1]
    assert starts([1, 2, 1, 2, 1, 2, 3, 4], 3, 2, True) == [0, 4, 5]


windows_and_steps = st.integers(1, 5).flatmap(
    lambda window: st.tuples(st.just(window), st.integers(1, window))
)


@st.composite
def pairs(draw: st.DrawFn) -> list[tuple[list[int], list[int]]]:
    """Articles of few different lengths, or with long stretches of equal ones; many share a stretch."""
    dice = random.Random(draw(st.integers(0, 2**32)))
    kinds: list[Callable[[], list[int]]] = [
        lambda: [dice.randint(0, 1)],
        lambda: [dice.randint(1, 6)],
        lambda: [1] * dice.randint(1, 12),
        lambda: dice.choices([1, 2], k=2) * dice.randint(1, 5),
    ]

    def stretch(most: int) -> list[int]:
        some = dice.choice([*([kind] for kind in kinds), kinds])
        return [length for _ in range(dice.randint(0, most)) for length in dice.choice(some)()][: 4 * most]

    found = []
    for _ in range(draw(st.integers(0, 4))):
        shared = stretch(8) + stretch(8)
        other = list(shared)
        if other and dice.random() < 0.5:
            other[dice.randrange(len(other))] = dice.randint(0, 2)
        found.append((stretch(3) + shared + stretch(3), stretch(3) + other + stretch(3)))
    return found


@settings(max_examples=200)
@given(pairs(), windows_and_steps, st.booleans())
def test_keys_and_probes_are_the_windows_of_the_twin(
    articles: list[tuple[list[int], list[int]]], sizes: tuple[int, int], dynamic: bool
) -> None:
    window, step = sizes
    method = get(window_sentences=window, step_sentences=step, dynamic_jumping=dynamic)
    every = [side for pair in articles for side in pair]
    sketches = pack(every)
    meaning: dict[int, tuple[int, ...]] = {}
    for keys, way in ((method.keys(sketches), (step, dynamic)), (method.probes(sketches), (1, False))):
        for number, article in enumerate(every):
            filed = twin.filed(article, window, *way)
            vectors = twin.vectors(article, filed, window)
            step_, dynamic_ = way
            hashes, _ = _core.window_hashes(pack([article]), window=window, step=step_, dynamic=dynamic_)
            assert len(hashes) == len(filed)
            for value, vector in zip(hashes.tolist(), vectors, strict=True):
                assert meaning.setdefault(value, vector) == vector
            assert row(keys, number) == sorted(set(hashes.tolist()))
    assert len(set(meaning.values())) == len(meaning)


# What matches.


@settings(max_examples=700)
@given(pairs(), windows_and_steps, st.booleans(), st.integers(1, 5))
@example([([1] * 30, [1] * 30)], (2, 1), True, 2)
@example([([1, 2] * 8, [1, 2] * 9)], (3, 2), True, 3)
@example([([3, 1, 1, 9, 9, 9, 9, 9, 9, 1, 1, 2], [3, *[1] * 10, 2])], (2, 1), True, 3)
def test_scores_equal_the_twin(
    articles: list[tuple[list[int], list[int]]], sizes: tuple[int, int], dynamic: bool, contiguous: int
) -> None:
    window, step = sizes
    method = get(
        window_sentences=window,
        step_sentences=step,
        dynamic_jumping=dynamic,
        contiguous_windows=contiguous,
    )
    queries, founds = (pack([pair[side] for pair in articles]) for side in (0, 1))
    scores = method.score(queries, founds)
    ways = method.accepts(scores)
    keys, probes = method.keys(founds), method.probes(queries)
    for number, (query, found) in enumerate(articles):
        in_query, in_found = twin.match(query, found, window, step, dynamic, contiguous)
        filed = [len(twin.filed(side, window, step, dynamic)) for side in (query, found)]
        assert scores.rank[number] == len(in_query)
        assert scores.found_in_query[number] == len(in_found) / max(filed[1], 1)
        assert scores.query_in_found[number] == min(len(in_query) / max(filed[0], 1), 1)
        assert [way[number] for way in ways] == [bool(in_query)] * 2
        if in_query:
            assert set(row(probes, number)) & set(row(keys, number))
        event(f"{'some' if in_query else 'no'} match, {contiguous} contiguous")


def test_rows_may_be_taken_out_of_others() -> None:
    every = [[1, 2, 3, 4], [], [9, 1, 2, 3], [5, 5, 5]]
    method = get(window_sentences=3)
    order = array([2, 0, 1, 3], I64)
    taken = method.score(pack(every).take(order), pack(every).take(order[::-1].copy()))
    fresh = method.score(pack([every[i] for i in order]), pack([every[i] for i in order[::-1]]))
    assert taken.rank.tolist() == fresh.rank.tolist() == [0, 0, 0, 0]
    assert method.score(pack(every).take(order[:1]), pack(every).take(order[1:2])).rank.tolist() == [1]


def test_static_jumping_in_queries_would_miss_what_every_step_finds() -> None:
    query, found = [*range(10)], [*range(1, 10), 0]
    method = get(window_sentences=4, step_sentences=2)
    for one, other in ((query, found), (found, query)):
        assert score(method, one, other)[2] == 3
        sketches = [pack([one]), pack([other])]
        assert set(row(method.probes(sketches[0]), 0)) & set(row(method.keys(sketches[1]), 0))
        assert not set(row(method.keys(sketches[0]), 0)) & set(row(method.keys(sketches[1]), 0))


def test_matched_windows_are_those_of_the_query() -> None:
    method = get(window_sentences=2)
    twice, once = [7, 8, 1, 7, 8, 2], [3, 7, 8, 4]
    assert score(method, twice, once)[2] == 2
    assert score(method, once, twice)[2] == 1
    assert score(method, twice, once)[:2] == (2 / 5, 1 / 3)


def test_the_minimum_matching_length_is_that_of_equation_1() -> None:
    assert get().minimum_matching_sentences == 8
    small = get(window_sentences=8, step_sentences=1, contiguous_windows=9)
    large = get(window_sentences=16, step_sentences=2, contiguous_windows=1)
    assert small.minimum_matching_sentences == large.minimum_matching_sentences == 16


@given(windows_and_steps, st.integers(1, 5), st.data())
def test_a_match_spans_the_minimum_length_and_more_of_it_is_certain(
    sizes: tuple[int, int], contiguous: int, data: st.DataObject
) -> None:
    window, step = sizes
    method = get(window_sentences=window, step_sentences=step, contiguous_windows=contiguous)
    certain = window + step * contiguous - 1
    shared = data.draw(st.integers(0, certain + 3))
    before, after = data.draw(st.integers(0, 9)), data.draw(st.integers(0, 9))
    query = [*range(100, 107), *range(shared), *range(200, 207)]
    found = [*range(300, 300 + before), *range(shared), *range(400, 400 + after)]
    rank = score(method, query, found)[2]
    if shared >= certain:
        assert rank >= contiguous
    if rank and after >= step:
        assert shared >= method.minimum_matching_sentences


def test_t_counts_windows_at_one_offset_that_follow_each_other() -> None:
    found = [*range(20)]
    shifted = [*range(6), 77, *range(6, 12)]
    assert score(get(window_sentences=4), shifted, found)[2] == 6
    assert score(get(window_sentences=4, contiguous_windows=3), shifted, found)[2] == 6
    assert score(get(window_sentences=4, contiguous_windows=4), shifted, found)[2] == 0
    apart = [*range(4), 77, *range(5, 9)]
    assert score(get(window_sentences=4, contiguous_windows=2), apart, found)[2] == 0


def test_windows_that_dynamic_jumping_left_out_do_not_break_the_run() -> None:
    found = [1, 2, *[5] * 9, 3, 4]
    method = get(window_sentences=3, dynamic_jumping=True, contiguous_windows=5)
    assert starts(found, 3, 1, True) == [0, 1, 2, 10]
    four = get(window_sentences=3, dynamic_jumping=True, contiguous_windows=4)
    assert score(four, found, found)[1:] == (1, 4)
    assert score(four, [9, 9, *found, 9], found)[1:] == (1, 4)
    assert score(four, [1, 2, *[5] * 10, 3, 4], found)[2] == 0
    assert score(four, [1, 2, 5, 5, 5, 6, 6, 6, 6, 6, 5, 3, 4], found)[1:] == (1, 4)
    assert score(method, found, found)[2] == 0


@settings(max_examples=300)
@given(st.lists(st.integers(0, 3), max_size=40), windows_and_steps, st.booleans(), st.integers(1, 4))
def test_an_article_is_wholly_in_itself_if_it_files_enough(
    article: list[int], sizes: tuple[int, int], dynamic: bool, contiguous: int
) -> None:
    window, step = sizes
    method = get(
        window_sentences=window, step_sentences=step, dynamic_jumping=dynamic, contiguous_windows=contiguous
    )
    enough = len(twin.filed(article, window, step, dynamic)) >= contiguous
    assert score(method, article, article)[:2] == (enough, enough)


def test_a_query_stitched_from_parts_of_many_articles_finds_each() -> None:
    dice = random.Random(6)
    articles = [[dice.randint(3, 40) for _ in range(dice.randint(20, 60))] for _ in range(60)]
    parts = []
    for article in articles[:30]:
        start = dice.randint(0, len(article) - 14)
        parts.append(write(article[start : start + 14], "copied"))
    for parameters in ({}, {"contiguous_windows": 5}, {"step_sentences": 2}, {"dynamic_jumping": True}):
        method = get(**parameters)
        query = sketch(method, "\n\n".join(parts)).take(np.zeros(60, I64))
        scores = method.score(query, sketch(method, *map(write, articles)))
        assert np.flatnonzero(method.accepts(scores)[1]).tolist() == [*range(30)]
        assert (scores.query_in_found < 0.1).all()


def test_a_copy_with_every_word_replaced_is_found() -> None:
    dice = random.Random(7)
    article = [dice.randint(3, 40) for _ in range(30)]
    method = get(window_sentences=16)
    texts = sketch(method, write(article, "house"), write(article, "maison"))
    assert method.score(texts.take(array([0], I64)), texts.take(array([1], I64))).query_in_found.tolist() == [
        1
    ]


def test_texts_of_regular_length_match_whatever_they_say() -> None:
    assert score(get(), [7] * 20, [7] * 30) == (1, 1, 13)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("contiguous", [1, 5])
@pytest.mark.parametrize("pattern", [[3], [1, 2], [3, 3, 3, 1], [*[3] * 30, 1]])
def test_long_texts_that_repeat_are_matched_in_a_moment(
    pattern: list[int], contiguous: int, dynamic: bool
) -> None:
    """Their windows are equal 10^8 times and more: one by one, this takes minutes."""
    article = (pattern * 60_000)[:60_000]
    method = get(contiguous_windows=contiguous, dynamic_jumping=dynamic)
    enough = pattern != [3] or not dynamic or contiguous == 1
    assert score(method, article, article[5:])[1] == enough


# What is refused.


@pytest.mark.parametrize(
    "bad",
    [
        {name: value}
        for name in ("window_sentences", "step_sentences", "contiguous_windows")
        for value in (0, -1, 65537, 2**70)
    ]
    + [{"step_sentences": 9}],
)
def test_sizes_out_of_range_are_refused(bad: dict[str, int]) -> None:
    (value,) = bad.values()
    with pytest.raises(
        UsageError, match=f"window_sentences and .* from 1 to 65536 and step_.*, got .*{value}"
    ):
        get(**bad)


@pytest.mark.parametrize("bad", [{"window_sentences": "8"}, {"dynamic_jumping": 1}, {"delimiters": None}])
def test_parameters_of_another_type_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"expected \w+ to be of type"):
        get(**bad)


@pytest.mark.parametrize("delimiters", ["a", ".x", "5", "京"])
def test_delimiters_that_stand_inside_words_are_refused(delimiters: str) -> None:
    expected = "sentence_lengths: expected delimiters that stand between words, got"
    with pytest.raises(UsageError, match=re.escape(expected)):
        get(delimiters=delimiters)


def windows(window: int = 1, step: int = 1, dynamic: bool = False) -> dict[str, Any]:
    return {"window": window, "step": step, "dynamic": dynamic}


def sentences(starts: Sequence[int], sentence_offsets: Sequence[int], offsets: Sequence[int]) -> Tokens:
    return Tokens(
        array([], np.uint64),
        array(offsets, I64),
        sentences=array(starts, U32),
        sentence_offsets=array(sentence_offsets, I64),
    )


ROWS = pack([[1, 2, 3]])
BEYOND = replace(ROWS, ends=ROWS.ends + 1)
BACK = replace(ROWS, starts=ROWS.ends, ends=ROWS.starts)


@pytest.mark.parametrize(
    "call",
    [
        lambda: _core.window_hashes(ROWS, **windows(window=0)),
        lambda: _core.window_hashes(ROWS, **windows(step=0)),
        lambda: _core.window_hashes(ROWS, **windows(65537)),
        lambda: _core.window_hashes(ROWS, **windows(2, 3)),
        lambda: _core.window_hashes(BEYOND, **windows()),
        lambda: _core.match_windows(ROWS, ROWS, **windows(window=0), contiguous=1),
        lambda: _core.match_windows(ROWS, ROWS, **windows(step=0), contiguous=1),
        lambda: _core.match_windows(ROWS, ROWS, **windows(), contiguous=0),
        lambda: _core.match_windows(ROWS, pack([]), **windows(), contiguous=1),
        lambda: _core.match_windows(ROWS, BACK, **windows(), contiguous=1),
        lambda: _core.sentence_lengths(sentences([0, 2], [0, 2], [0, 1])),
        lambda: _core.sentence_lengths(sentences([2, 0], [0, 2], [0, 9])),
        lambda: _core.sentence_lengths(sentences([0], [0, 1], [0, 1, 2])),
        lambda: _core.sentence_lengths(sentences([0], [0, 2], [0, 1])),
        lambda: _core.sentence_lengths(sentences([], [0], [])),
    ],
)
def test_kernels_refuse_what_makes_no_sense(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="expected"):
        call()
