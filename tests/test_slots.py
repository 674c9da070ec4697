"""What passages are filled with: the kernel equals its slow twin, and swapping the articles swaps the answer."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from reference import align
from reference import slots as twin

from wirecopy import _core
from wirecopy.comparison import PRESETS
from wirecopy.forms import SLOTS, SlotColumns, SlotRule
from wirecopy.model import Tokens

PRESET = PRESETS["any-reuse"]
SETTINGS = align.Settings(
    PRESET.seed_words, PRESET.bridged_words, PRESET.min_passage_words, PRESET.covered, PRESET.gap_words_a_word
)
RULE = twin.Rule(**{one.name: getattr(SLOTS, one.name) for one in fields(SlotRule)})
Word = tuple[int, int]
"""A word and its kind: 0 for a plain one, 1 where a value begins, 2 where it goes on."""
VALUES = 30
"""Words from here on are, or belong to, values."""


def side(words: list[Word]) -> twin.Side:
    """The twin's view: each value is its first word's place, where it ends, and what it says, its words added up."""
    values: list[tuple[int, int, int] | None] = [None] * len(words)
    for first, (_, kind) in enumerate(words):
        if kind == 1:
            end = first + 1
            while end < len(words) and words[end][1] == 2:
                end += 1
            said = sum(word for word, _ in words[first:end])
            values[first:end] = [(first, end, said)] * (end - first)
    return twin.Side([word for word, _ in words], values)


def pack(articles: list[list[Word]], light: align.Light) -> Tokens:
    sides = [side(words) for words in articles]
    words = [word for one in sides for word in one.words]
    values = [
        word if value is None else value[2]
        for one in sides
        for word, value in zip(one.words, one.values, strict=True)
    ]
    return Tokens(
        np.array(words, np.uint64),
        np.cumsum([0, *map(len, articles)]).astype(np.int64),
        np.array(align.weights(words, light), np.uint8) if light else None,
        kinds=np.array([kind for article in articles for _, kind in article], np.uint8),
        values=np.array(values, np.uint64),
    )


def ask(
    query: list[Word], found: list[Word], light: align.Light = frozenset()
) -> tuple[list[int], SlotColumns]:
    rows = np.array([0], np.uint32), np.array([1], np.uint32)
    answer: dict[str, Any] = _core.compare(pack([query, found], light), *rows, [PRESET], slots=SLOTS)
    columns = SlotColumns(*(answer[f"slot_{one.name}"] for one in fields(SlotColumns)))
    return answer["same"].tolist(), columns


def normal(words: list[Word]) -> list[Word]:
    """Values that go on with something, plain words plain."""
    kept: list[Word] = []
    for word, kind in words:
        goes_on = kind == 2 and bool(kept) and kept[-1][1] > 0
        kept.append((word, 0 if word < VALUES else 2 if goes_on else 1))
    return kept


plain = st.tuples(st.integers(10, 29), st.just(0))
valued = st.tuples(st.integers(VALUES, VALUES + 6), st.sampled_from([1, 1, 2]))


@st.composite
def filled(draw: st.DrawFn) -> tuple[list[Word], list[Word]]:
    """An article and another with some of its words replaced, left out or added."""
    one = draw(st.lists(st.one_of(plain, plain, plain, valued), min_size=14, max_size=45))
    other = list(one)
    for at in draw(st.lists(st.integers(0, 44), max_size=7)):
        other[at : at + draw(st.integers(0, 3))] = draw(
            st.lists(st.one_of(plain, valued, valued), max_size=3)
        )
    return normal(one), normal(other)


@settings(max_examples=1500)
@given(filled(), st.sampled_from([frozenset[int](), frozenset(range(10, 20)), frozenset(range(10, 60))]))
def test_slots_are_what_the_twin_says(pair: tuple[list[Word], list[Word]], light: frozenset[int]) -> None:
    query, found = (side(words) for words in pair)
    assume(
        list(query.words) != list(found.words) and align.fits(query.words, found.words, SETTINGS.seed_words)
    )
    turned = (len(query.words), list(query.words)) < (len(found.words), list(found.words))
    long, short = (found, query) if turned else (query, found)
    bridged = SETTINGS.bridged_words * (1 if light.isdisjoint([*query.words, *found.words]) else 2)
    chains = align.chained(long.words, short.words, SETTINGS, light, bridged)
    expected = []
    for passage, chain in chains:
        others = [one for one, _ in chains if one is not passage]
        free = [
            (
                max([span[1] for span in taken if span[1] <= mine[0]], default=0),
                min([span[0] for span in taken if span[0] >= mine[1]], default=len(words)),
            )
            for mine, taken, words in (
                (passage.query, [one.query for one in others], long.words),
                (passage.found, [one.found for one in others], short.words),
            )
        ]
        expected.append((passage, twin.find(long, short, chain, free, RULE, light)))
    expected.sort(key=lambda one: (one[0].found, one[0].query) if turned else (one[0].query, one[0].found))
    same, columns = ask(*pair, light)
    assert same == [counted for _, (counted, _) in expected]
    slots = [(number, slot) for number, (_, (_, mine)) in enumerate(expected) for slot in mine]
    event(f"{min(len(slots), 4)} slots")
    found_slots = list(columns.rows())
    assert [(row[0], row[1], row[5], row[6], row[7]) for row in found_slots] == [
        (number, slot.value, slot.place, slot.inner, slot.long) for number, slot in slots
    ]
    names = [(row[2], slot.name) for row, (_, slot) in zip(found_slots, slots, strict=True)]
    assert all((one == other) == (mine == theirs) for one, mine in names for other, theirs in names)
    for row, (_, slot) in zip(found_slots, slots, strict=True):
        if slot.value:
            assert (row[3], row[4]) == ((slot.found, slot.query) if turned else (slot.query, slot.found))
        assert row[3] != row[4]


@settings(max_examples=500)
@given(filled())
def test_swapping_the_articles_swaps_the_slots(pair: tuple[list[Word], list[Word]]) -> None:
    same, there = ask(*pair)
    turned, back = ask(*pair[::-1])
    assert sorted(same) == sorted(turned)

    def tell(slots: SlotColumns, query: int, found: int) -> list[tuple[int, ...]]:
        return sorted((row[1], row[2], row[query], row[found], *row[5:]) for row in slots.rows())

    assert tell(there, 3, 4) == tell(back, 4, 3)


def test_kinds_must_fit_the_words() -> None:
    tokens = pack([[(1, 0)] * 30, [(1, 0)] * 31], frozenset())
    rows = np.array([0], np.uint32), np.array([1], np.uint32)
    short = Tokens(tokens.hashes, tokens.offsets, kinds=np.zeros(3, np.uint8), values=tokens.values)
    with pytest.raises(ValueError, match="61 words"):
        _core.compare(short, *rows, [PRESET], slots=SLOTS)
    with pytest.raises(ValueError, match="without"):
        _core.compare(Tokens(tokens.hashes, tokens.offsets), *rows, [PRESET], slots=SLOTS)
