"""Keys that very many articles hold give in pieces exactly what they give in one place."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from wirecopy import _core, methods
from wirecopy.errors import UsageError
from wirecopy.matching import chunks, hot
from wirecopy.matching.collection import Chunk
from wirecopy.matching.hot import PACKED, Sent, Slices
from wirecopy.pairs import Collided, Limits, collide

U64, I64, U32, U8 = np.uint64, np.int64, np.uint32, np.uint8
WINNOWING = Limits.of(methods.get("winnowing"), linked=True)
BATCH = 7
"""Articles that are filed together."""


@dataclass(frozen=True)
class Run:
    """What an engine does with hot keys: how many batches' postings, slices and parts it has, and the bytes that each receives."""

    collided: list[Collided]
    received: dict[str, dict[int, int]]


def move(chunk: Chunk) -> Chunk:
    """What comes of a chunk that is sent as bytes."""
    return chunks.decode(b"".join(chunks.encode(chunk)))


class Boxes:
    """What was sent to each slice or part."""

    def __init__(self) -> None:
        self.boxes: dict[int, list[Chunk]] = defaultdict(list)

    def put(self, sent: Sent) -> None:
        for number, chunk in sent:
            self.boxes[number].append(move(chunk))

    def sizes(self) -> dict[int, int]:
        return {
            number: sum(column.nbytes for chunk in box for column in chunk)
            for number, box in self.boxes.items()
        }


def run(batches: Iterable[tuple[NDArray[Any], int]], slices: Slices, parts: int, limits: Limits) -> Run:
    """All steps, on packed postings with the rank of the first article of each batch."""
    ordinary, entries, keys, groups, heads = [], Boxes(), Boxes(), Boxes(), Boxes()
    for packed, first in batches:
        [rest], sent = hot.split([packed.view(U8)], first, slices)
        ordinary.append((_core.unpack(rest), first))
        entries.put(sent)
        articles = first + int((packed["row"] & 0xFFFFFF).max(initial=0)) + 1
    everyone = collide(ordinary, np.arange(articles, dtype=U32), limits)
    for number in sorted(entries.boxes):
        of_keys, of_groups = hot.summarise(number, entries.boxes[number], parts, limits)
        keys.put(of_keys)
        groups.put(of_groups)
    settled = [hot.settle_keys(box, limits) for _, box in sorted(keys.boxes.items())]
    common = np.sort(np.concatenate([np.empty(0, U64), *(one.common for one in settled)]))
    settled += [hot.settle_groups(box, common, limits) for _, box in sorted(groups.boxes.items())]
    for one in settled:
        heads.put(one.heads)
    pieces = [one.piece for one in settled]
    pieces += [hot.link(box, heads.boxes[number], limits) for number, box in sorted(entries.boxes.items())]
    pieces = [hot.Piece.of(move(one.chunk)) for one in pieces]
    names, left = hot.decide([one.support for one in pieces], limits)
    nothing = collide([], np.empty(0, U32), limits)
    collided = [everyone, replace(nothing, commons=left), *(one.conclude(names) for one in pieces)]
    boxes = {"slice": entries, "heads": heads, "keys": keys, "groups": groups}
    return Run(collided, {name: box.sizes() for name, box in boxes.items()})


Told = tuple[Counter[Any], int, dict[int, list[tuple[int, int]]]]


def tell(collided: Sequence[Collided]) -> Told:
    """The evidence with the names of common keys, how much is weak, and the holders of each common key by name."""
    rows, held = Counter[Any](), defaultdict[int, list[tuple[int, int]]](list)
    for one in collided:
        names = one.commons.names.tolist()
        for *row, common in one.evidence.rows():
            number = common & ~_core.LINKED
            name = None if number == _core.RARE else names[number]
            rows[(*row, name, bool(common & _core.LINKED))] += 1
        edges = one.commons.offsets.tolist()
        holders = list(zip(one.commons.holders.tolist(), one.commons.positions.tolist(), strict=True))
        for name, (start, end) in zip(names, itertools.pairwise(edges), strict=True):
            held[name] += holders[start:end]
    return rows, sum(one.weak for one in collided), {name: sorted(some) for name, some in held.items()}


def check(
    batches: Sequence[tuple[NDArray[Any], int]], slices: Slices, parts: int, limits: Limits
) -> tuple[Told, Run]:
    """That all pieces are the whole, whatever is in which; what the whole is."""
    articles = 1 + max(first + int((one["row"] & 0xFFFFFF).max(initial=0)) for one, first in batches)
    shard = [(_core.unpack(one.view(U8)), first) for one, first in batches]
    whole = tell([collide(shard, np.arange(articles, dtype=U32), limits)])
    ran = run(batches, slices, parts, limits)
    rows, weak, held = tell(ran.collided)
    assert rows == whole[0]
    assert weak == whole[1]
    assert held == whole[2]
    return whole, ran


def context(dice: np.random.Generator, words: int, varying: int) -> int:
    """So many words beside a key, the nearest the same for all, the others one of a few."""
    nibbles = [3] * words
    for _ in range(varying):
        if words:
            nibbles[dice.integers(words)] = int(dice.integers(1, 4))
    return sum(nibble << (4 * place) for place, nibble in enumerate(nibbles))


def make(dice: np.random.Generator, articles: int, keys: int, sides: int) -> NDArray[Any]:
    """Postings of articles that hold some of a few keys, some several times, beside one of a few lots of words."""
    beside = [0, *(context(dice, int(dice.choice([16, 16, 16, 9, 8, 7, 1])), 2) for _ in range(sides))]
    names = dice.integers(0, 2**63, keys, dtype=U64)
    rows = []
    for article in range(articles):
        for key in names[dice.random(keys) < dice.choice([0.3, 0.9])]:
            for position in range(int(dice.choice([1, 1, 1, 1, 2, 3, 10]))):
                left, right = (beside[i] for i in dice.integers(0, len(beside), 2))
                words = int(dice.choice([5, 5, 5, 9]))
                rows.append((key, left, right, article | words << 24, 3 * position))
    made = np.array(rows, PACKED) if rows else np.empty(0, PACKED)
    return made[dice.permutation(len(made))]


def file(postings: NDArray[Any], size: int = BATCH) -> list[tuple[NDArray[Any], int]]:
    """The postings in batches of so many articles."""
    articles = postings["row"] & 0xFFFFFF
    batches = []
    for first in range(0, int(articles.max(initial=0)) + 1, size):
        mine = postings[(articles >= first) & (articles < first + size)].copy()
        mine["row"] -= first
        batches.append((mine, first))
    return batches


def cut(dice: np.random.Generator, postings: NDArray[Any], share: float, slices: int) -> Slices:
    """About so many slices of the entries of so many keys."""
    keys, counts = np.unique(postings["key"], return_counts=True)
    hot_ones = dice.random(len(keys)) < share
    total = max(1, int(counts[hot_ones].sum()))
    return Slices.of(keys[hot_ones], counts[hot_ones].astype(I64), -(-total // slices))


limits = st.builds(
    Limits,
    st.integers(0, 8),
    st.integers(0, 3),
    st.integers(0, 16),
    st.integers(0, 9),
    st.sampled_from([0, 1, 2, 8, 15, 16, 17]),
    st.integers(1, 12),
)


@settings(max_examples=400)
@given(
    st.integers(0, 2**32),
    st.integers(1, 40),
    st.integers(1, 4),
    st.integers(0, 4),
    limits,
    st.sampled_from([0, 0.5, 1]),
    st.integers(1, 9),
    st.integers(1, 7),
)
def test_pieces_are_the_whole(
    seed: int, articles: int, keys: int, sides: int, limit: Limits, share: float, slices: int, parts: int
) -> None:
    dice = np.random.default_rng(seed)
    postings = make(dice, articles, keys, sides)
    (rows, weak, held), ran = check(file(postings), cut(dice, postings, share, slices), parts, limit)
    event(f"{'some' if held else 'no'} common keys")
    event(f"{'some are' if any(row[-1] for row in rows) else 'none is'} linked")
    event(f"{'some' if weak else 'none'} weak")
    event(f"{'some' if ran.received['heads'] else 'no'} heads")


@pytest.mark.parametrize("articles", [7, 8, 9, 20, 21, 22, 40, 41, 150])
@pytest.mark.parametrize("slices", [1, 2, 9])
def test_keys_and_groups_of_every_size_are_cut_exactly(articles: int, slices: int) -> None:
    for seed in range(12):
        dice = np.random.default_rng([articles, slices, seed])
        postings = make(dice, articles, 3, int(dice.integers(0, 6)))
        check(file(postings), cut(dice, postings, 0.8, slices), 5, WINNOWING)


@pytest.mark.parametrize("method", methods.names())
def test_the_limits_of_every_method_are_kept(method: str) -> None:
    chosen = methods.get(method)
    limit = Limits.of(chosen, linked=True)
    for seed in range(4):
        dice = np.random.default_rng(seed)
        postings = make(dice, 60, 3, 3)
        if not chosen.guaranteed_words:
            for name in ("left", "right", "position"):
                postings[name] = 0
            postings["row"] &= 0xFFFFFF
        check(file(postings), cut(dice, postings, 1, 5), 3, limit)


def test_which_keys_are_hot_changes_nothing() -> None:
    postings = make(np.random.default_rng(7), 60, 5, 3)
    keys, counts = np.unique(postings["key"], return_counts=True)
    told = []
    for wanted in itertools.product([False, True], repeat=len(keys)):
        mask = np.array(wanted)
        slices = Slices.of(keys[mask], counts[mask].astype(I64), 50)
        told.append(check(file(postings), slices, 3, WINNOWING)[0])
    assert all(one == told[0] for one in told)
    assert told[0][2]


def test_a_slice_may_be_far_larger_than_was_estimated() -> None:
    dice = np.random.default_rng(3)
    postings = make(dice, 60, 3, 2)
    keys = np.unique(postings["key"])
    check(file(postings), Slices.of(keys, np.zeros(len(keys), I64), 1), 3, WINNOWING)
    check(file(postings), Slices.of(keys, np.full(len(keys), 10**9), 10**6), 3, WINNOWING)


def test_nothing_is_left_of_nothing() -> None:
    slices = Slices.of(np.array([5], U64), np.array([9]), 3)
    assert len(slices) == 3
    assert hot.split([np.empty(0, U8)], 0, slices)[1] == []
    assert hot.summarise(0, [], 3, WINNOWING) == ([], [])
    settled = [hot.settle_keys([], WINNOWING), hot.settle_groups([], np.empty(0, U64), WINNOWING)]
    pieces = [*(one.piece for one in settled), hot.link([], [], WINNOWING)]
    names, commons = hot.decide([one.support for one in pieces], WINNOWING)
    assert [len(names), len(commons.names), len(commons.holders)] == [0, 0, 0]
    assert tell([one.conclude(names) for one in pieces]) == (Counter(), 0, {})


def test_all_pairs_and_slices_of_nothing_are_refused() -> None:
    postings = make(np.random.default_rng(1), 9, 1, 1)
    with pytest.raises(UsageError, match="expected links"):
        check(
            file(postings), cut(np.random.default_rng(1), postings, 1, 2), 1, replace(WINNOWING, links=None)
        )
    with pytest.raises(UsageError, match="1 entry or more"):
        Slices.of(np.empty(0, U64), np.empty(0, I64), 0)


# At size: a hundred thousand articles with one formula, on 2,000 parts.

ARTICLES, FORMULA, OTHERS, PARTS, FILED = 100_000, 50, 54, 2_000, 10_000
"""Articles, the keys of the formula, other keys of each article, parts, articles that are filed together."""


def write_formula(keys: NDArray[np.uint64]) -> list[tuple[NDArray[Any], int]]:
    """The postings of the formula in all articles, by batch."""
    made = np.empty(FILED * FORMULA, PACKED)
    made["key"] = np.tile(keys, FILED)
    made["left"] = made["right"] = 0x1111111111111111
    made["row"] = np.repeat(np.arange(FILED, dtype=U32), FORMULA) | U32(5 << 24)
    made["position"] = np.tile(np.arange(FORMULA, dtype=U32) * U32(8), FILED)
    return [(made, first) for first in range(0, ARTICLES, FILED)]


@pytest.mark.slow
def test_a_formula_in_every_article_makes_no_part_large() -> None:
    dice = np.random.default_rng(23)
    ordinary = np.bincount(dice.integers(0, PARTS, ARTICLES * OTHERS), minlength=PARTS) * PACKED.itemsize
    median = float(np.median(ordinary))
    keys = np.sort(dice.integers(0, 2**63, FORMULA, dtype=U64))
    batches = write_formula(keys)
    sampled = np.full(FORMULA, len(batches) * int((batches[0][0]["key"] == keys[0]).sum()))
    slices = Slices.of(keys, sampled, int(median) // 36)
    ran = run(batches, slices, len(slices), WINNOWING)

    received = Counter(ran.received["slice"])
    received.update(ran.received["heads"])
    of_parts = Counter(ran.received["groups"])
    of_parts.update(ran.received["keys"])
    assert max(ordinary) <= 1.5 * median
    assert max(received.values()) <= 1.5 * median
    assert max(of_parts.values()) <= 1.5 * median
    assert ARTICLES * PACKED.itemsize > 30 * median, "a key in one part would be as large as thirty"

    shard = [(_core.unpack(one.view(U8)), first) for one, first in batches]
    whole = collide(shard, np.arange(ARTICLES, dtype=U32), WINNOWING)
    evidence = sum(len(one.evidence) for one in ran.collided)
    assert (evidence, sum(one.weak for one in ran.collided)) == (len(whole.evidence), whole.weak)
    assert {name for one in ran.collided for name in one.commons.names.tolist()} == set(
        whole.commons.names.tolist()
    )
    assert sum(len(one.commons.holders) for one in ran.collided) == len(whole.commons.holders)
