"""Stories are those of the slow twin, for made-up tables of matches and for piles of texts."""

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from reference import grouping as twin
from reference.grouping import Pair, Tie, Told

import wirecopy
from quality.piles import make_pile
from wirecopy.comparison import NOT_COMPARED, RELATIONS, Compared, Passages
from wirecopy.grouping import group
from wirecopy.grouping.stories import gather
from wirecopy.grouping.ties import BASES, Facts, Grouped
from wirecopy.matching import compare_more
from wirecopy.matching.collection import open_pool
from wirecopy.model import UNDATED, Relation

KINDS = ("near-duplicate", "contains", "contained-in", "partial", "form")
TABLES = 400


def tell(grouped: Grouped) -> Told:
    """What was grouped, as the twin tells it."""
    parent = [None if one < 0 else one for one in grouped.parent.tolist()]
    basis = [BASES[code] for code in grouped.basis.tolist()]
    series = {
        frozenset(np.flatnonzero(grouped.series == first).tolist())
        for first in set(grouped.series.tolist()) - {-1}
    }
    return Told(
        grouped.anchor.tolist(),
        grouped.version.tolist(),
        parent,
        [None if mine is None else one for mine, one in zip(parent, basis, strict=True)],
        grouped.rivals.tolist(),
        set(np.flatnonzero(grouped.is_collection).tolist()),
        set(np.flatnonzero(grouped.is_placeholder).tolist()),
        series,
    )


def spans_of(passages: Passages, side: str) -> tuple[tuple[int, int], ...]:
    starts, ends = (getattr(passages, f"{side}_{end}").tolist() for end in ("start", "end"))
    return tuple(zip(starts, ends, strict=True))


def read_ties(
    later: NDArray[np.uint32], earlier: NDArray[np.uint32], compared: Compared
) -> dict[Pair, Tie | None]:
    """The rows of compared pairs, as the twin has them."""
    ties: dict[Pair, Tie | None] = {}
    for row, pair in enumerate(zip(later.tolist(), earlier.tolist(), strict=True)):
        code = int(compared.relation[row])
        some = compared.passages.take(slice(*compared.passage_offsets[row : row + 2].tolist()))
        sides = spans_of(some, "query"), spans_of(some, "found")
        ties[pair] = Tie(str(RELATIONS[code]), int(some.words.sum()), *sides) if code >= 0 else None
    return ties


def make_compared(ties: list[Tie | None]) -> Compared:
    """The twin's ties, as compared pairs."""
    if not ties:
        return NOT_COMPARED
    rows, counts = [], []
    for tie in ties:
        spans = list(zip(tie.later_spans, tie.earlier_spans, strict=True)) if tie else []
        counts.append(len(spans))
        for number, (mine, theirs) in enumerate(spans):
            assert tie
            rows.append((*mine, *theirs, tie.words if not number else 0, 0, 0, 0))
    columns = np.array(rows, np.uint32).reshape(-1, 8).T
    codes = [RELATIONS.index(Relation(tie.relation)) if tie else -1 for tie in ties]
    offsets = np.concatenate([[0], np.cumsum(counts)])
    shares = np.full(len(ties), 0.5)
    none = np.zeros(len(ties), np.uint8)
    slots = np.zeros(len(ties) + 1, np.int64)
    passages = Passages(*columns)
    return Compared(
        np.array(codes, np.int8), shares, shares, shares, offsets, passages, none, slots, NOT_COMPARED.slots
    )


def make_table(
    dice: random.Random,
) -> tuple[list[Any], list[int], list[str], dict[Pair, Tie], dict[Pair, Tie]]:
    """Articles, what every pair of them shares, and the part of that which is given."""
    number = dice.randint(2, 14)
    text_of = [dice.randrange(number) if dice.random() < 0.3 else one for one in range(number)]
    published = sorted(dice.choice([1, 2, 3, 4, 5, 6, UNDATED]) for _ in range(number))
    lengths = [dice.choice([10, 19, 20, 60, 100]) for _ in range(number)]
    words = [lengths[text] for text in text_of]
    titles = [dice.choice(["", "one", "other"]) for _ in range(number)]
    density, kinds = dice.choice((0.2, 0.5, 0.9)), dice.choice((KINDS, KINDS[:3], KINDS[1:3] * 3 + KINDS))
    shared: dict[Pair, Tie | None] = {}
    every: dict[Pair, Tie] = {}
    for later in range(number):
        for earlier in range(later):
            one, other = text_of[later], text_of[earlier]
            if one == other:
                whole = ((0, lengths[one]),)
                every[later, earlier] = Tie("identical", lengths[one], whole, whole)
                continue
            texts = max(one, other), min(one, other)
            if texts not in shared:
                places = [
                    [(at, at + dice.randint(1, 30)) for at in (dice.randrange(60), dice.randrange(60))]
                    for _ in "ab"
                ]
                tie = Tie(dice.choice(kinds), dice.choice([20, 98, 99, 100, 101]), *map(tuple, places))
                shared[texts] = tie if dice.random() < density else None
            if same := shared[texts]:
                every[later, earlier] = same if one > other else same.turned()
    share = dice.choice((0.4, 0.8, 1.0))
    given = {pair: tie for pair, tie in every.items() if tie.relation == "identical" or dice.random() < share}
    return published, words, titles, every, given


@pytest.mark.parametrize("seed", range(8))
def test_made_up_matches_give_the_stories_of_the_twin(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(TABLES):
        published, words, titles, every, given = make_table(dice)
        numbers = {name: place for place, name in enumerate(("", "one", "other"))}
        facts = Facts(
            *(np.array(one, np.int64) for one in (published, words, [numbers[name] for name in titles]))
        )

        def ask(later: NDArray[np.uint32], earlier: NDArray[np.uint32], every: Any = every) -> Compared:
            pairs = zip(later.tolist(), earlier.tolist(), strict=True)
            return make_compared([every.get(pair) for pair in pairs])

        pairs = sorted(given)
        later, earlier = (np.array([pair[side] for pair in pairs], np.uint32) for side in (0, 1))
        grouped = group(facts, later, earlier, make_compared([given[pair] for pair in pairs]), ask)
        dates = [None if one == UNDATED else one for one in published]
        expected = twin.group(dates, words, titles, given, lambda *pair, every=every: every.get(pair))
        assert tell(grouped) == expected


@pytest.mark.parametrize("seed", range(20, 50))
def test_piles_of_texts_have_the_stories_of_the_twin(seed: int) -> None:
    matches = wirecopy.find(make_pile(seed))
    stories = wirecopy.stories(matches)
    with open_pool(1) as pool:
        facts = gather(matches, pool)

        def ask(later: int, earlier: int) -> Tie | None:
            pair = np.array([later], np.uint32), np.array([earlier], np.uint32)
            [tie] = read_ties(*pair, compare_more(matches, pair, pool)).values()
            return tie

        given = {
            pair: tie
            for pair, tie in read_ties(matches.queries, matches.founds, matches.compared).items()
            if tie
        }
        dates = [None if one == UNDATED else one for one in facts.published.tolist()]
        titles = [str(one or "") for one in facts.titles.tolist()]
        expected = twin.group(dates, facts.words.tolist(), titles, given, ask)
    assert tell(stories.grouped) == expected
