"""What one version changed of another: counted as by the slow twin, and adding up to both texts."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import changes as twin

from wirecopy import _core
from wirecopy.model import Tokens

Words = list[int]


def count_changes(query: Words, found: Words) -> tuple[int, ...]:
    offsets = np.cumsum([0, len(query), len(found)])
    tokens = Tokens(np.array([*query, *found], np.uint64), offsets)
    columns = _core.count_changes(tokens, np.array([0], np.uint32), np.array([1], np.uint32))
    return tuple(int(column[0]) for column in columns)


@st.composite
def versions(draw: st.DrawFn) -> tuple[Words, Words]:
    """Two texts, of which one may be made of pieces of the other, in another order."""
    found = draw(st.lists(st.integers(0, draw(st.sampled_from([2, 10, 200]))), max_size=80))
    query: Words = []
    for _ in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, len(found)))
        query += found[start : start + draw(st.integers(0, 40))]
        query += draw(st.lists(st.integers(0, 250), max_size=6))
    return query, found


@settings(max_examples=1000)
@given(versions())
def test_what_changed_is_what_the_twin_says_and_adds_up_to_both_texts(texts: tuple[Words, Words]) -> None:
    query, found = texts
    added, cut, reworded, moved = count_changes(query, found)
    assert (added, cut, reworded, moved) == twin.count_changes(query, found)
    assert 0 <= len(query) - added - reworded - moved <= len(found) - cut - reworded
    assert count_changes(query, query) == (0, 0, 0, 0)


def test_words_that_change_are_counted_where_they_stand() -> None:
    words, new = list(range(1, 201)), list(range(1001, 1101))
    assert count_changes(words[:50] + new[:3] + words[53:], words) == (0, 0, 3, 0)
    longer = words[:50] + new[:5] + words[50:]
    assert count_changes(longer, words) == (5, 0, 0, 0)
    assert count_changes(words, longer) == (0, 5, 0, 0)
    both = words[:50] + new[:5] + words[52:150] + words[160:] + words[150:160] + new[50:60]
    assert count_changes(both, words) == (13, 0, 2, 10)
    assert count_changes(words, words) == (0, 0, 0, 0)
    assert count_changes(new, words) == (0, 100, 100, 0)
    assert count_changes([], words) == (0, 200, 0, 0)


def test_pairs_of_a_batch_are_counted_each_for_itself() -> None:
    tokens = Tokens(np.array([1, 2, 3, 1, 2, 3, 4, 5], np.uint64), np.array([0, 3, 5, 8]))
    rows = np.array([0, 1, 2], np.uint32), np.array([1, 0, 2], np.uint32)
    assert [column.tolist() for column in _core.count_changes(tokens, *rows)] == [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 0],
        [0, 0, 0],
    ]
