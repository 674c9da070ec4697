"""Which matches are forms filled in anew: the words are the same, what they are filled with is not.

The core gives the *slots* of each passage (`rust/src/slots.rs`): places where something stands against something else, a value
(a figure or a date) against a value, or words against words. A slot's name is the equal words beside it. In a collection
names *vary* that are filled with `VALUES` values in as many articles, none of them in more than `COMMONEST` of these: an edit
has two values, and an edited original keeps one with most of its copies. Values that differ are *filled otherwise*, and words
that differ where the name varies; other words that differ are edits.

A match is a form if `PLACES` are filled otherwise, or `FEWER` where the collection knows one that varies or dates tell two occasions, or
one with a value that varies; and if these are `SHARE` of all that is filled: of them, and of the values that are the same. But not where

- the articles are identical, or have one address: that is a revision;
- nothing that is filled otherwise has `inner_words` equal words before and behind it: stamps and bylines stand at the edges;
- less than `FILLED` of what differs is filled otherwise: the text was rewritten;
- more than `FREE_WORDS` equal words come in a row, in either article: a form is filled all over;
- both are dated, less than `HALF_DAY` apart, and no words differ: the figures have advanced, which is an update.

How the constants were chosen: docs/forms.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from .model import UNDATED, Columns

VALUES = 4
COMMONEST = 0.4
PLACES = 3
FEWER = 2
SHARE = 0.35
FILLED = 0.2
FREE_WORDS = 70
HALF_DAY = 43_200_000_000
"""In microseconds: a daily report comes at about the same hour, two states of one event come within hours."""


@dataclass(frozen=True, slots=True)
class SlotRule:
    """What a slot is: its most words, how far outside a passage a value counts, how many equal words name it, or make it an inner one."""

    slot_words: int = 8
    edge_words: int = 3
    before_words: int = 2
    after_words: int = 1
    inner_words: int = 2


SLOTS = SlotRule()
NOTHING_VARIES = np.empty(0, np.uint64)


@dataclass(frozen=True, slots=True)
class SlotColumns(Columns):
    """Slots as columns: the number of the passage in its pair, whether it is a value, its name, what stands in both articles.

    `place` is in half words of the passage that are equal before it; a `long` one is other text, and counts only as a place that differs.
    """

    passage: NDArray[np.uint32]
    value: NDArray[np.uint8]
    name: NDArray[np.uint64]
    query: NDArray[np.uint64]
    found: NDArray[np.uint64]
    place: NDArray[np.uint32]
    inner: NDArray[np.uint8]
    long: NDArray[np.uint8]


_HASHES, _NUMBERS, _MARKS = np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.uint8)
NO_SLOTS = SlotColumns(_NUMBERS, _MARKS, _HASHES, _HASHES, _HASHES, _NUMBERS, _MARKS, _MARKS)


class Apart(NamedTuple):
    """Whether each pair of articles is dated and close in time, dated and far apart, and of one address."""

    close: NDArray[np.bool_]
    far: NDArray[np.bool_]
    one_address: NDArray[np.bool_]


TellApart = Callable[[NDArray[np.int64]], Apart]
"""Says that of some pairs, by their numbers."""


def learn(slots: SlotColumns, queries: NDArray[np.uint32], founds: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """The names that vary, sorted; each slot is of an article `queries` and an article `founds`."""
    short = np.flatnonzero(slots.long == 0)
    slots, queries, founds = slots.take(short), queries[short], founds[short]
    said = slots.query, slots.found
    return _core.varying_slots(slots.name, queries, founds, *said, least=VALUES, commonest=COMMONEST)


def are_filled(
    slots: SlotColumns, varying: NDArray[np.uint64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each slot is filled otherwise, and whether its name varies."""
    places = np.searchsorted(varying, slots.name)
    varies = np.append(varying, 0)[places] == slots.name if len(varying) else np.zeros(len(slots), bool)
    return (slots.long == 0) & ((slots.value == 1) | varies), varies


def may_be_forms(
    slots: SlotColumns,
    filled: NDArray[np.bool_],
    varies: NDArray[np.bool_],
    offsets: NDArray[np.int64],
    same: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Whether what each pair is filled with makes it a form, wherever that stands and whoever printed it when."""
    pairs = len(same)
    pair = np.repeat(np.arange(pairs), np.diff(offsets))

    def count(which: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(pair[which], minlength=pairs)

    other = count(filled)
    may_be = (other >= FEWER) | (count(filled & (slots.value == 1) & varies) >= 1)
    may_be &= (other >= SHARE * (other + same)) & (other >= FILLED * np.diff(offsets))
    return may_be & (count(filled & (slots.inner == 1)) >= 1)


def are_forms(
    slots: SlotColumns,
    filled: NDArray[np.bool_],
    varies: NDArray[np.bool_],
    offsets: NDArray[np.int64],
    places: Sequence[NDArray[np.int64]],
    words: NDArray[np.int64],
    tell: TellApart,
) -> NDArray[np.bool_]:
    """Whether each pair that may be a form is one: it has slots `offsets[i]:offsets[i + 1]` and so many equal `words`.

    `filled` and `varies` are what `are_filled` says; `places` are the equal words of its pair before each slot, as the passages come in
    the one article, and as they come in the other.
    """
    pairs = len(words)
    pair = np.repeat(np.arange(pairs), np.diff(offsets))
    is_value = slots.value == 1

    def count(which: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(pair[which], minlength=pairs)

    is_form = np.ones(pairs, bool)
    for one in places:
        is_form &= _measure_free(pair[filled], one[filled], words) <= FREE_WORDS
    left = np.flatnonzero(is_form)
    if len(left):
        apart = tell(left)
        worded = count(~is_value)[left] > 0
        clear = (count(filled)[left] >= PLACES) | (count(filled & varies)[left] >= 1) | apart.far
        is_form[left] = clear & ~apart.one_address & (worded | ~apart.close)
    return is_form


def _measure_free(
    pair: NDArray[np.int64], places: NDArray[np.int64], words: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The most equal words of each pair, which has so many, without one of these places of pairs among them."""
    every = np.arange(len(words))
    owners = np.concatenate([every, pair, every])
    places = np.concatenate([np.zeros_like(words), places, words])
    order = np.lexsort((places, owners))
    owners, places = owners[order], places[order]
    inside = owners[1:] == owners[:-1]
    free = np.zeros_like(words)
    np.maximum.at(free, owners[1:][inside], np.diff(places)[inside])
    return free


Origins = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The dates of articles in microseconds, and a number for the address of each, 0 where none is known."""


def tell_apart(query: Origins, found: Origins) -> Apart:
    """How far some articles and others are apart."""
    (one, here), (other, there) = query, found
    dated = (one != UNDATED) & (other != UNDATED)
    between = np.abs(np.where(dated, one, 0) - np.where(dated, other, 0))
    return Apart(dated & (between < HALF_DAY), dated & (between >= HALF_DAY), (here == there) & (here != 0))
