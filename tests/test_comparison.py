"""Two articles compared: the kernel equals its slow twin on short texts, and holds its promises on all."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, event, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import align as twin
from reference import shingles as twin_shingles
from reference import text as twin_text

import wirecopy
from quality.texts import Writer, join
from wirecopy import _core
from wirecopy.comparison import PRESETS, Preset, Trace, get_preset
from wirecopy.errors import UsageError
from wirecopy.model import Boilerplate, Match, Relation, Tokens

U64, I64, U32, U8 = np.uint64, np.int64, np.uint32, np.uint8
Article = list[int]

SETTINGS = {
    name: twin.Settings(
        preset.seed_words,
        preset.bridged_words,
        preset.min_passage_words,
        preset.covered,
        preset.gap_words_a_word,
    )
    for name, preset in PRESETS.items()
}


def pack(articles: Sequence[Sequence[int]], light: twin.Light = frozenset()) -> Tokens:
    words = [word for article in articles for word in article]
    return Tokens(
        np.array(words, U64),
        np.cumsum([0] + [len(article) for article in articles]).astype(I64),
        np.array(twin.weights(words, light), U8) if light else None,
    )


def hash_all(shingles: Iterable[Sequence[int]]) -> NDArray[np.uint64]:
    return np.array([twin_shingles.smallness(shingle) for shingle in shingles], U64)


def run(
    articles: Sequence[Sequence[int]],
    pairs: Sequence[tuple[int, int]],
    settings_: twin.Settings | Sequence[twin.Settings],
    light: twin.Light = frozenset(),
    formulas: twin.Formulas = frozenset(),
    gap_words: int = 0,
) -> list[twin.Compared]:
    """The kernel's answer for some pairs, in the twin's words; of several settings the first that finds something decides."""
    tried = [settings_] if isinstance(settings_, twin.Settings) else settings_
    answer = _core.compare(
        pack(articles, light),
        np.array([query for query, _ in pairs], U32),
        np.array([found for _, found in pairs], U32),
        [Preset(**asdict(one), about="") for one in tried],
        Boilerplate(hash_all(formulas), gap_words),
    )
    columns = ("query_start", "query_end", "found_start", "found_end", "words", "changed")
    passages = [
        twin.Passage((a, b), (c, d), words, changed)
        for a, b, c, d, words, changed in zip(*(answer[name].tolist() for name in columns), strict=True)
    ]
    edges = answer["passage_offsets"].tolist()
    return [
        twin.Compared(
            bool(answer["identical"][i]),
            float(answer["query_covered"][i]),
            float(answer["found_covered"][i]),
            float(answer["resemblance"][i]),
            passages[edges[i] : edges[i + 1]],
        )
        for i in range(len(pairs))
    ]


def compare(query: Article, found: Article, settings_: twin.Settings) -> twin.Compared:
    return run([query, found], [(0, 1)], settings_)[0]


@st.composite
def related(draw: st.DrawFn, most: int = 40, letters: int = 12) -> tuple[Article, Article]:
    """Two articles of few distinct words, of which one is put together from pieces of the other, edited."""
    words = st.integers(1, draw(st.integers(1, letters)))
    one = draw(st.lists(words, max_size=most))
    other: Article = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(one)))
        piece = one[start : draw(st.integers(start, len(one)))]
        for at in draw(st.lists(st.integers(0, most), max_size=3)):
            piece[at : at + draw(st.integers(0, 2))] = draw(st.lists(words, max_size=2))
        other += piece + draw(st.lists(words, max_size=4))
    return (one, other[:most]) if draw(st.booleans()) else (other[:most], one)


any_settings = st.sampled_from(list(SETTINGS.values())) | st.builds(
    twin.Settings,
    st.integers(1, 4),
    st.integers(0, 8),
    st.integers(1, 8),
    st.sampled_from([0.5, 0.8, 0.9, 1.0]),
    st.integers(1, 8),
)


@settings(max_examples=1500)
@given(related(), any_settings)
def test_texts_under_forty_words_compare_as_the_twin_says(
    pair: tuple[Article, Article], settings_: twin.Settings
) -> None:
    assume(twin.fits(*pair, settings_.seed_words))
    expected = twin.compare(*pair, settings_)
    event(f"{min(len(expected.passages), 3)} passages")
    assert compare(*pair, settings_) == expected


any_light = st.sampled_from([frozenset(range(1, 13)), frozenset(range(1, 5)), frozenset({3})])


@settings(max_examples=600)
@given(related(), any_settings, any_light)
def test_characters_that_count_half_compare_as_the_twin_says(
    pair: tuple[Article, Article], settings_: twin.Settings, light: frozenset[int]
) -> None:
    assume(twin.fits(*pair, settings_.seed_words))
    expected = twin.compare(*pair, settings_, light)
    event(f"{min(len(expected.passages), 3)} passages")
    assert run(pair, [(0, 1)], settings_, light) == [expected]


@settings(max_examples=400)
@given(related(most=120, letters=40), any_settings)
@example(([1] * 120, [1] * 90), SETTINGS["any-reuse"])
@example(([1, 2] * 60, [2, 1] * 60), SETTINGS["syndication"])
def test_swapping_the_arguments_swaps_the_answer_and_nothing_else(
    pair: tuple[Article, Article], settings_: twin.Settings
) -> None:
    there, back = run(pair, [(0, 1), (1, 0)], settings_)
    assert back == twin.Compared(
        there.identical,
        there.found_covered,
        there.query_covered,
        there.resemblance,
        sorted(twin.Passage(one.found, one.query, one.words, one.changed) for one in there.passages),
    )


@settings(max_examples=500)
@given(related(most=150, letters=60), any_settings)
@example(([1] * 150, [1] * 140), SETTINGS["any-reuse"])
def test_passages_say_what_is_there(pair: tuple[Article, Article], settings_: twin.Settings) -> None:
    query, found = pair
    compared = compare(query, found, settings_)
    same = query == found and bool(query)
    assert compared.identical == same
    assert compared.resemblance == (twin.resemblance(query, found) if compared.passages else 0)
    assert compared.query_covered == (
        1.0 if same else twin.coverage(len(query), [one.query for one in compared.passages])
    )
    assert compared.found_covered == (
        1.0 if same else twin.coverage(len(found), [one.found for one in compared.passages])
    )
    for one in compared.passages:
        (a, b), (c, d) = one.query, one.found
        assert 0 <= a < b <= len(query)
        assert 0 <= c < d <= len(found)
        assert query[a] == found[c]
        assert query[b - 1] == found[d - 1]
        assert 2 * one.words <= twin.lcs(query[a:b], found[c:d])
        assert one.words + one.changed == max(b - a, d - c)
        covers = max((b - a) / len(query), (d - c) / len(found)) >= settings_.covered
        assert same or (1 + covers) * one.words >= settings_.min_passage_words


@settings(max_examples=300)
@given(related(most=150, letters=60), any_settings)
def test_no_two_words_are_in_two_passages_on_both_sides(
    pair: tuple[Article, Article], settings_: twin.Settings
) -> None:
    """Passages may share words of one side (a text that says a thing twice), but not the same words of both."""
    assume(twin.fits(*pair, settings_.seed_words))
    seen: set[tuple[int, int]] = set()
    for one in compare(*pair, settings_).passages:
        cells = {(i, j) for i in range(*one.query) for j in range(*one.found) if pair[0][i] == pair[1][j]}
        assert not cells & seen
        seen |= cells


@settings(max_examples=300)
@given(
    st.lists(st.lists(st.integers(1, 30), max_size=80), min_size=2, max_size=6), any_settings, st.randoms()
)
def test_a_pair_compares_the_same_in_any_batch(
    articles: list[Article], settings_: twin.Settings, draw: Any
) -> None:
    articles = [*articles, articles[0] + articles[1]]
    pairs = [(draw.randrange(len(articles)), draw.randrange(len(articles))) for _ in range(8)]
    together = run(articles, pairs, settings_)
    assert together == [compare(articles[query], articles[found], settings_) for query, found in pairs]


@settings(max_examples=200)
@given(
    st.lists(st.lists(st.integers(1, 30), max_size=30), min_size=4, max_size=8), any_settings, st.randoms()
)
def test_a_text_stitched_from_many_compares_with_each_as_if_alone(
    articles: list[Article], settings_: twin.Settings, draw: Any
) -> None:
    stitched: Article = []
    for _ in range(12):
        piece = draw.choice(articles)
        start = draw.randint(0, len(piece))
        stitched += piece[start:] + [draw.randint(1, 40) for _ in range(draw.randint(0, 30))]
    pairs = [(0, number) if draw.random() < 0.5 else (number, 0) for number in range(1, len(articles) + 1)]
    every = [stitched, *articles]
    alone = [compare(every[query], every[found], settings_) for query, found in pairs]
    assert run(every, pairs, settings_) == alone


def test_a_pair_compares_the_same_beside_an_article_in_another_script() -> None:
    query = [*range(1, 31), 901, 40, 902, 41, 903, *range(50, 80)]
    found = [*range(1, 31), 911, 40, 912, 41, 913, *range(50, 80)]
    alone = compare(query, found, SETTINGS["syndication"])
    other = [1001, 1002, 1003, 1004, 1005]
    beside = run([query, found, other], [(0, 1)], SETTINGS["syndication"], light=frozenset(other))
    assert beside == [alone]


@st.composite
def with_formulas(
    draw: st.DrawFn, most: int, letters: int
) -> tuple[tuple[Article, Article], frozenset[int], twin.Formulas]:
    """A related pair, the words that count half, and stretches of shingles of either article as formulas."""
    pair = draw(related(most, letters))
    light = draw(st.sampled_from([frozenset(), frozenset(), frozenset(range(1, 5))]))
    formulas: set[tuple[int, ...]] = set()
    for words in pair:
        spans = twin_shingles.spans(twin.weights(words, light), 5)
        for _ in range(draw(st.integers(0, 2))):
            start = draw(st.integers(0, len(spans)))
            stretch = spans[start : draw(st.integers(start, len(spans)))]
            formulas |= {tuple(words[slice(*span)]) for span in stretch}
    return pair, light, formulas


@st.composite
def copies(draw: st.DrawFn) -> tuple[tuple[Article, Article], frozenset[int], twin.Formulas]:
    """An article and a copy of it with many edits, some words of which are a formula."""
    dice = draw(st.randoms(use_true_random=False))
    one = [dice.randint(1, 60) for _ in range(dice.randint(10, 40))]
    edited = [dice.randint(1, 60) if dice.random() < 0.2 else word for word in one]
    start = dice.randrange(len(one))
    formula = one[start : start + dice.choice([0, 5, 9])]
    return (one, edited[dice.randrange(5) :]), frozenset(), set(twin.grams(formula, 5))


@settings(max_examples=1000)
@given(with_formulas(most=40, letters=12) | copies(), any_settings, st.integers(0, 8))
def test_formulas_are_left_out_as_the_twin_says(
    made: tuple[tuple[Article, Article], frozenset[int], twin.Formulas],
    settings_: twin.Settings,
    gap_words: int,
) -> None:
    check_formulas(*made, settings_, gap_words)


@settings(max_examples=150, deadline=None)
@given(with_formulas(most=150, letters=60), any_settings, st.integers(0, 8))
def test_formulas_that_are_the_substance_of_articles_count_as_the_twin_says(
    made: tuple[tuple[Article, Article], frozenset[int], twin.Formulas],
    settings_: twin.Settings,
    gap_words: int,
) -> None:
    check_formulas(*made, settings_, gap_words)


def check_formulas(
    pair: tuple[Article, Article],
    light: frozenset[int],
    formulas: twin.Formulas,
    settings_: twin.Settings,
    gap_words: int,
) -> None:
    marks = [twin.mark(side, light, formulas, gap_words) for side in pair]
    bare = [
        [word for word, marked in zip(side, row, strict=True) if not marked]
        for side, row in zip(pair, marks, strict=True)
    ]
    assume(twin.fits(*pair, settings_.seed_words))
    assume(twin.fits(bare[0], bare[1], settings_.seed_words))
    expected = twin.compare(*pair, settings_, light, formulas, gap_words)
    whole = twin.compare(*pair, settings_, light)
    event("as without formulas" if whole == expected else "formulas matter")
    there, back = run(pair, [(0, 1), (1, 0)], settings_, light, formulas, gap_words)
    assert there == expected
    assert (back.query_covered, back.found_covered) == (there.found_covered, there.query_covered)


several = st.lists(any_settings, min_size=1, max_size=4).map(
    lambda tried: sorted(tried, key=lambda one: -one.min_passage_words)
)


@settings(max_examples=600)
@given(
    with_formulas(most=40, letters=12) | copies(),
    several | st.lists(any_settings, min_size=1, max_size=4),
    st.integers(0, 8),
)
def test_settings_are_tried_until_one_finds_a_passage(
    made: tuple[tuple[Article, Article], frozenset[int], twin.Formulas],
    tried: list[twin.Settings],
    gap_words: int,
) -> None:
    pair, light, formulas = made
    marks = [twin.mark(side, light, formulas, gap_words) for side in pair]
    bare = [
        [word for word, marked in zip(side, row, strict=True) if not marked]
        for side, row in zip(pair, marks, strict=True)
    ]
    assume(all(twin.fits(*pair, one.seed_words) for one in tried))
    assume(all(twin.fits(bare[0], bare[1], one.seed_words) for one in tried))
    answers = [twin.compare(*pair, one, light, formulas, gap_words) for one in tried]
    place = next((place for place, one in enumerate(answers) if one.passages), None)
    assert run(pair, [(0, 1)], tried, light, formulas, gap_words) == [answers[-1 if place is None else place]]
    event("none finds a passage" if place is None else f"settings {place} find a passage")


@settings(max_examples=200)
@given(
    st.lists(st.lists(st.integers(1, 30), max_size=60), min_size=2, max_size=6),
    st.lists(any_settings, min_size=1, max_size=3),
    st.randoms(),
)
def test_each_pair_of_a_batch_has_the_settings_that_find_something(
    articles: list[Article], tried: list[twin.Settings], draw: Any
) -> None:
    articles = [*articles, articles[0] + articles[1], [word for article in articles for word in article]]
    pairs = [(draw.randrange(len(articles)), draw.randrange(len(articles))) for _ in range(12)]
    by_settings = [run(articles, pairs, one) for one in tried]
    expected = [
        next((one for one in answers if one.passages), answers[-1])
        for answers in zip(*by_settings, strict=True)
    ]
    assert run(articles, pairs, tried) == expected


@settings(max_examples=300)
@given(
    with_formulas(most=40, letters=12) | copies(),
    st.lists(st.integers(1, 12), max_size=20),
    st.sampled_from([(0, 1), (1, 0), (0, 0), (1, 2)]),
    st.sets(st.integers(0, 2**64 - 1), max_size=3),
)
def test_whoever_holds_a_shingle_is_among_those_that_may(
    made: tuple[tuple[Article, Article], frozenset[int], twin.Formulas],
    third: Article,
    pair: tuple[int, int],
    others: set[int],
) -> None:
    """A trace is 32 bits of each distinct shingle of an article that was compared."""
    sides, light, formulas = made
    articles = [*sides, third]
    row = [np.array([one], U32) for one in pair]
    boilerplate = Boilerplate(hash_all(formulas), 8)
    compare_ = [pack(articles, light), *row, [PRESETS["strict"]], boilerplate]
    answer = _core.compare(*compare_, trace=True)  # type: ignore[arg-type]
    held = [twin_shingles.traces(one, twin.weights(one, light)) for one in articles]
    edges = answer["trace_offsets"].tolist()
    traces = [answer["traces"][start:end].tolist() for start, end in itertools.pairwise(edges)]
    assert [sorted(set(one)) for one in traces] == [sorted(one) * (at in pair) for at, one in enumerate(held)]
    wanted = np.array(sorted({*hash_all(formulas).tolist(), *others}), U64)
    got = Trace(answer["traces"], answer["trace_offsets"]).may_hold(wanted).tolist()
    assert got == [twin_shingles.may_hold(mine, wanted.tolist()) for mine in traces]
    for at in pair:
        spelt = {
            tuple(articles[at][slice(*span)])
            for span in twin_shingles.spans(twin.weights(articles[at], light), 5)
        }
        assert got[at] or spelt.isdisjoint(formulas)
    event(f"{sum(got)} may hold one")
    untraced = _core.compare(*compare_)  # type: ignore[arg-type]
    assert (untraced["traces"].tolist(), untraced["trace_offsets"].tolist()) == ([], [0])


# Traces and shingles that differ in some of the bits that are looked at first.
bits = st.integers(0, 3).map(lambda bit: [0, 1, 1 << 16, 1 << 31][bit])
near = st.lists(bits, max_size=3).map(sum).map(lambda number: number % 2**32)


@settings(max_examples=400)
@given(
    st.lists(st.lists(near | st.integers(0, 2**32 - 1), max_size=5), max_size=4), st.lists(near), st.data()
)
def test_an_article_may_hold_what_has_the_bits_of_its_trace(
    articles: list[list[int]], shingles: list[int], data: st.DataObject
) -> None:
    above = data.draw(st.lists(st.integers(0, 2**32 - 1), min_size=len(shingles), max_size=len(shingles)))
    wanted = [high << 32 | low for high, low in zip(above, shingles, strict=True)]
    packed = np.array([trace for one in articles for trace in one], U32)
    offsets = np.cumsum([0, *map(len, articles)]).astype(I64)
    got = _core.may_hold(packed, offsets, np.array(wanted, U64)).tolist()
    assert got == [twin_shingles.may_hold(one, wanted) for one in articles]
    event(f"{'some' if any(got) else 'none'} may hold one")


@pytest.mark.parametrize("offsets", [[], [0], [0, 2], [1, 1], [0, -1, 1], [0, 2, 1]])
def test_traces_that_do_not_fit_are_refused(offsets: list[int]) -> None:
    with pytest.raises(ValueError, match="expected"):
        _core.may_hold(np.array([7], U32), np.array(offsets, I64), np.array([7], U64))


def formulas_of(*articles: Article) -> twin.Formulas:
    return {shingle for article in articles for shingle in twin.grams(article, 5)}


def test_a_passage_goes_on_across_a_formula_and_does_not_count_it() -> None:
    formula, story = list(range(1, 31)), list(range(100, 160))
    query, found = [*story[:30], *formula, *story[30:]], [*story, *range(200, 260)]
    (compared,) = run([query, found], [(0, 1)], SETTINGS["syndication"], formulas=formulas_of(formula))
    assert compared.passages == [twin.Passage((0, 90), (0, 60), 60, 0)]
    assert (compared.query_covered, compared.found_covered) == (1, 0.5)


def test_articles_that_are_nothing_but_boilerplate_match_if_they_cover_each_other() -> None:
    formula = list(range(1, 41))
    same, close, part = run(
        [formula, formula, [*formula[:35], 99], formula[:25]],
        [(0, 1), (0, 2), (0, 3)],
        SETTINGS["any-reuse"],
        formulas=formulas_of(formula),
    )
    assert same.identical
    assert not close.identical
    assert [one.words for one in close.passages] == [35]
    assert close.query_covered == 35 / 40
    assert not part.passages
    assert (part.query_covered, part.found_covered) == (0, 0)


@pytest.mark.parametrize(("words", "copied"), [(59, False), (60, True)])
def test_a_formula_of_sixty_words_can_be_what_articles_say(words: int, copied: bool) -> None:
    formula = list(range(1, words + 1))
    query, found = [*formula, *range(200, 250)], formula
    (compared,) = run([query, found], [(0, 1)], SETTINGS["syndication"], formulas=formulas_of(formula))
    assert bool(compared.passages) == copied
    assert compared.found_covered == float(copied)


def test_a_formula_makes_no_copy_of_articles_that_say_more_of_their_own() -> None:
    formula = list(range(1, 101))
    query, found = [*formula, *range(200, 320)], [*formula, *range(400, 520)]
    (compared,) = run([query, found], [(0, 1)], SETTINGS["syndication"], formulas=formulas_of(formula))
    assert not compared.passages


@pytest.mark.parametrize(("covering", "least"), [(True, 10), (False, 20)])
def test_half_the_words_do_if_they_are_the_whole_of_an_article(covering: bool, least: int) -> None:
    own = [] if covering else list(range(500, 600))
    for words, reported in ((least, True), (least - 1, False)):
        shared = list(range(1, words + 1))
        compared = compare([*shared, *range(200, 300)], [*shared, *own], SETTINGS["syndication"])
        assert [one.words for one in compared.passages] == [words] * reported


@pytest.mark.parametrize("gap", [10, 11, 20, 21])
def test_gaps_count_twice_where_characters_are_words(gap: int) -> None:
    one, other = list(range(1, 61)), list(range(101, 161))
    query, found = [*one, *range(500, 500 + gap), *other], [*one, *range(600, 600 + gap), *other]
    plain = compare(query, found, SETTINGS["syndication"])
    (characters,) = run([query, found], [(0, 1)], SETTINGS["syndication"], light=frozenset(range(1000)))
    assert len(plain.passages) == (1 if gap <= 10 else 2)
    assert len(characters.passages) == (1 if gap <= 20 else 2)
    if gap == 11:
        assert characters.passages == [twin.Passage((0, 131), (0, 131), 60, 6)]


@pytest.mark.parametrize("preset", PRESETS)
def test_identical_articles_are_one_passage_and_empty_ones_nothing(preset: str) -> None:
    article = list(range(1, 8))
    one, nothing = run([article, article, [], []], [(0, 1), (2, 3)], SETTINGS[preset])
    assert one == twin.Compared(True, 1, 1, 1, [twin.Passage((0, 7), (0, 7), 7, 0)])
    assert nothing == twin.Compared(False, 0, 0, 0, [])


HOSTILE = {
    "one word": ([7] * 200_000, [7] * 199_000),
    "two words": ([1, 2] * 100_000, [2, 1] * 99_000),
    "period of sixteen": (list(range(1, 17)) * 6_000, list(range(1, 17)) * 6_000 + [99]),
    "period of seventeen": (list(range(1, 18)) * 6_000, [99, *list(range(1, 18)) * 5_900]),
    "every other word": (
        [n for i in range(60_000) for n in (7, i + 10)],
        [n for i in range(60_000) for n in (7, 60_000 - i + 10)],
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("preset", PRESETS)
def test_hostile_texts_cost_no_more_than_their_length(name: str, preset: str) -> None:
    query, found = HOSTILE[name]
    there, back = run([query, found], [(0, 1), (1, 0)], SETTINGS[preset])
    assert (there.query_covered, there.found_covered) == (back.found_covered, back.query_covered)
    if "every" not in name:
        assert min(there.query_covered, there.found_covered) > 0.8


@pytest.mark.parametrize(
    "changes",
    [
        {"queries": [2]},
        {"founds": [2]},
        {"queries": [0, 1]},
        {"seed_words": 0},
        {"min_passage_words": 0},
        {"gap_words_a_word": 0},
    ],
)
def test_arguments_that_do_not_fit_are_refused(changes: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"queries": [0], "founds": [1], **changes}
    queries, founds = (np.array(arguments.pop(name), U32) for name in ("queries", "founds"))
    tokens, preset = Tokens(np.arange(6, dtype=U64), np.array([0, 3, 6], I64)), get_preset("syndication")
    with pytest.raises(ValueError, match="expected"):
        _core.compare(tokens, queries, founds, [get_preset("strict"), replace(preset, **arguments)])


def test_without_settings_nothing_can_be_compared() -> None:
    tokens, one = Tokens(np.arange(6, dtype=U64), np.array([0, 3, 6], I64)), np.array([0], U32)
    with pytest.raises(ValueError, match="expected settings"):
        _core.compare(tokens, one, one, [])


# Through the public face.


@pytest.fixture(scope="module")
def writer() -> Writer:
    return Writer(11)


def matched(query: str, found: str, preset: str = "syndication") -> Match:
    match = wirecopy.compare(query, found, preset=preset)
    assert match is not None
    return match


def test_passages_begin_and_end_at_word_edges(writer: Writer) -> None:
    for _ in range(50):
        words = writer.write(120)
        query, found = join(writer.edit(words, 0.03)), join(writer.write(40) + words[20:100])
        match = matched(query, found)
        for side, text in (("query", query), ("found", found)):
            spans = [(word.start, word.end) for word in twin_text.split_words(text)]
            for passage in match.passages:
                start, end = getattr(passage, side)
                assert start in {edge for edge, _ in spans}
                assert end in {edge for _, edge in spans}
        assert all(passage.text == query[slice(*passage.query)] for passage in match.passages)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_moved_paragraph_is_still_found(writer: Writer, preset: str) -> None:
    paragraphs = [writer.write(60) for _ in range(4)]
    query = join([word for i in (2, 0, 3, 1) for word in paragraphs[i]])
    found = join([word for paragraph in paragraphs for word in paragraph])
    match = matched(query, found, preset)
    assert match.relation is Relation.NEAR_DUPLICATE
    assert match.query_covered > 0.98
    assert len(match.passages) >= 3


@pytest.mark.parametrize("preset", PRESETS)
def test_edits_inside_a_passage_are_bridged_and_counted(writer: Writer, preset: str) -> None:
    words = [f"w{i}" for i in range(120)]
    edited = list(words)
    edited[30:31] = ["ein", "zwei"]
    edited[61:64] = ["drei"]
    edited[90] = "vier"
    match = matched(" ".join(edited), " ".join(words), preset)
    (passage,) = match.passages
    assert passage.words == 120 - 1 - 3 - 1
    assert passage.changed == 5
    assert match.relation is Relation.NEAR_DUPLICATE
    assert (match.query_covered, match.found_covered) == (1, 1)


@pytest.mark.parametrize(("preset", "least"), [("strict", 40), ("syndication", 20), ("any-reuse", 12)])
def test_a_passage_needs_the_words_of_its_preset(writer: Writer, preset: str, least: int) -> None:
    lone = [f"q{i}" for i in range(200)], [f"f{i}" for i in range(200)]
    for length, reported in ((least, True), (least - 1, False)):
        run_ = [f"r{i}" for i in range(length)]
        query, found = (" ".join(words[:100] + run_ + words[100:]) for words in lone)
        match = wirecopy.compare(query, found, preset=preset)
        assert (match is not None) == reported
        if match:
            assert match.relation is Relation.PARTIAL
            assert [passage.words for passage in match.passages] == [length]


def test_the_relation_follows_the_shares(writer: Writer) -> None:
    words = writer.write(200)
    whole = join(words)
    assert matched(whole, whole.upper().replace(".", " ;\n")).relation is Relation.IDENTICAL
    assert matched(whole, join(words[:170])).relation is Relation.NEAR_DUPLICATE
    assert matched(whole, join(words[:100])).relation is Relation.CONTAINS
    assert matched(join(words[50:150]), whole).relation is Relation.CONTAINED_IN
    assert matched(whole, join(words[:100] + writer.write(100))).relation is Relation.PARTIAL
    assert wirecopy.compare(whole, writer.text(200)) is None


def test_texts_without_words_and_with_one() -> None:
    assert wirecopy.compare("", "") is None
    assert wirecopy.compare("…", " \n") is None
    match = matched("One", "one!")
    assert (match.relation, match.resemblance) == (Relation.IDENTICAL, 1)
    assert [(passage.text, passage.words) for passage in match.passages] == [("One", 1)]
    assert wirecopy.compare("one", "two") is None
    assert wirecopy.compare("one", "") is None


def test_words_in_a_script_without_spaces_count_half() -> None:
    draw = random.Random(5)
    letters = [chr(0x4E00 + i) for i in range(3000)]
    query, found = ("".join(draw.choices(letters, k=300)) for _ in range(2))
    shared = "".join(draw.sample(letters, 40))
    match = matched(query[:90] + shared + query[90:], found[:30] + shared + found[30:])
    assert [passage.words for passage in match.passages] == [20]
    assert match.passages[0].text == shared
    assert (
        wirecopy.compare(query[:90] + shared[:38] + query[90:], found[:30] + shared[:38] + found[30:]) is None
    )


def test_bad_arguments_say_what_was_expected() -> None:
    with pytest.raises(UsageError, match=r"no preset named 'loose'; there are: strict"):
        wirecopy.compare("one", "two", preset="loose")
    with pytest.raises(UsageError, match="query: expected a text"):
        wirecopy.compare(3, "two")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="found: expected a text"):
        wirecopy.compare("two", {"id": "x"})
