"""Two articles compared, slowly: the twin of `rust/src/align.rs`.

Exact for articles in which no gram stands often and that share few runs (`fits` says so); the core bounds its work on
others. Passages may come out either way where two chains are equally good; the twin breaks ties as the core says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from . import shingles

Words = Sequence[int]
Light = AbstractSet[int]
"""The words that count half: characters of a script without spaces."""
Formulas = AbstractSet[tuple[int, ...]]
SHINGLE_WORDS = 5
SUBSTANCE_WORDS = 60


@dataclass(frozen=True)
class Settings:
    seed_words: int
    bridged_words: int
    min_passage_words: int
    covered: float
    gap_words_a_word: int


class Run(NamedTuple):
    """Equal words: query and found place, length."""

    query: int
    found: int
    length: int


class Passage(NamedTuple):
    query: tuple[int, int]
    found: tuple[int, int]
    words: int
    changed: int


class Compared(NamedTuple):
    identical: bool
    query_covered: float
    found_covered: float
    resemblance: float
    passages: list[Passage]


def grams(words: Words, length: int) -> list[tuple[int, ...]]:
    return [tuple(words[i : i + length]) for i in range(len(words) - length + 1)]


def fits(query: Words, found: Words, seed_words: int) -> bool:
    """Whether the core's bounds play no part: no gram more than 16 times, no more than 48 runs."""
    often = [Counter(grams(side, seed_words)).most_common(1) for side in (query, found)]
    return all(count[0][1] <= 16 for count in often if count) and len(runs(query, found, seed_words)) <= 48


def weights(words: Words, light: Light) -> list[int]:
    return [1 if word in light else 2 for word in words]


def round_up(halves: int) -> int:
    return (halves + 1) // 2


def resemblance(query: Words, found: Words, light: Light = frozenset()) -> float:
    """Jaccard of distinct shingles of five words; an article is like itself, nothing is like one without words."""
    if list(query) == list(found):
        return float(bool(query))
    one, other = (
        {tuple(side[start:end]) for start, end in shingles.spans(weights(side, light), SHINGLE_WORDS)}
        for side in (query, found)
    )
    return len(one & other) / len(one | other) if one | other else 0.0


def lcs(one: Words, other: Words, light: Light = frozenset()) -> int:
    """Halves in the heaviest common subsequence."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, (word, weight) in enumerate(zip(one, weights(one, light), strict=True)):
        for j, candidate in enumerate(other):
            table[i + 1][j + 1] = max(
                table[i][j + 1],
                table[i + 1][j],
                table[i][j] + weight * (word == candidate),
            )
    return table[-1][-1]


def runs(query: Words, found: Words, seed_words: int) -> list[Run]:
    """All maximal runs of equal words, along each diagonal, that are long enough; by place in the query."""
    maximal = []
    for shift in range(-len(query), len(found)):
        length = 0
        for i in range(len(query) + 1):
            j = i + shift
            equal = i < len(query) and 0 <= j < len(found) and query[i] == found[j]
            if equal:
                length += 1
            else:
                if length >= seed_words:
                    maximal.append(Run(i - length, j - length, length))
                length = 0
    return sorted(maximal)


def join(one: Run, other: Run) -> tuple[Run, int] | None:
    """What `other` adds behind `one`, and the longer gap; None where it adds nothing or is not behind."""
    if other.query <= one.query or other.found <= one.found:
        return None
    for cut in range(other.length):
        rest = Run(other.query + cut, other.found + cut, other.length - cut)
        gaps = rest.query - one.query - one.length, rest.found - one.found - one.length
        if min(gaps) >= 0:
            return rest, max(gaps)
    return None


def best_chains(
    all_runs: Sequence[Run], settings: Settings, bridged_words: int
) -> list[tuple[int, list[int]]]:
    """For each run the best chain that ends with it: its worth, its runs from the last to the first.

    A chain is worth `gap_words_a_word` for every equal word less its gaps; of equal ones, the run nearest before goes on.
    """
    chains: list[tuple[int, list[int]]] = []
    for i, run in enumerate(all_runs):
        best = (run.length * settings.gap_words_a_word, [i])
        for before in reversed(range(i)):
            joined = join(all_runs[before], run)
            if joined is None or joined[1] > bridged_words or chains[before][0] <= joined[1]:
                continue
            worth = chains[before][0] - joined[1] + joined[0].length * settings.gap_words_a_word
            if worth > best[0]:
                best = (worth, [i, *chains[before][1]])
        chains.append(best)
    return chains


def measure(query: Words, found: Words, chain: Sequence[Run], light: Light) -> tuple[Passage, int]:
    """The passage of a chain, and its equal words in halves."""
    equal = 0
    for i, run in enumerate(chain):
        equal += sum(weights(query[run.query : run.query + run.length], light))
        if i:
            before = chain[i - 1]
            equal += lcs(
                query[before.query + before.length : run.query],
                found[before.found + before.length : run.found],
                light,
            )
    spans = [(chain[0][side], chain[-1][side] + chain[-1].length) for side in (0, 1)]
    longer = max(
        sum(weights(side[start:end], light)) for side, (start, end) in zip((query, found), spans, strict=True)
    )
    return Passage(spans[0], spans[1], round_up(equal), round_up(longer - equal)), equal


def passages(
    query: Words, found: Words, settings: Settings, light: Light, bridged_words: int
) -> list[Passage]:
    """The passages alone, by their place in the query."""
    return [passage for passage, _ in chained(query, found, settings, light, bridged_words)]


def chained(
    query: Words, found: Words, settings: Settings, light: Light, bridged_words: int
) -> list[tuple[Passage, list[Run]]]:
    """The chains worth reporting, the heaviest first; one that would overlap an accepted one on both sides is cut."""
    if list(query) == list(found):
        whole, halves = Passage((0, len(query)), (0, len(query)), 0, 0), sum(weights(query, light))
        run = Run(0, 0, len(query))
        return (
            [(whole._replace(words=round_up(halves)), [run])] if halves >= settings.min_passage_words else []
        )
    all_runs = runs(query, found, settings.seed_words)
    chains = best_chains(all_runs, settings, bridged_words)
    least = settings.min_passage_words * settings.gap_words_a_word // 4
    accepted: list[tuple[Passage, list[Run]]] = []
    used: set[int] = set()
    for end in sorted(
        range(len(chains)), key=lambda i: (-chains[i][0], all_runs[i].found, all_runs[i].query)
    ):
        if chains[end][0] < least:
            break
        members: list[Run] = []
        last = all_runs[end]
        for i in chains[end][1]:
            run = all_runs[i]
            inside = any(
                run.query < one.query[1]
                and one.query[0] < last.query + last.length
                and run.found < one.found[1]
                and one.found[0] < last.found + last.length
                for one, _ in accepted
            )
            if i in used or inside:
                break
            used.add(i)
            if members and (joined := join(run, members[0])):
                members[0] = joined[0]
            members.insert(0, run)
        if members:
            passage, equal = measure(query, found, members, light)
            share = max(
                (span[1] - span[0]) / len(side)
                for span, side in ((passage.query, query), (passage.found, found))
            )
            least_halves = 2 * settings.min_passage_words // (2 if share >= settings.covered else 1)
            if equal >= least_halves:
                accepted.append((passage, members))
    return sorted(accepted)


def compare(
    query: Words,
    found: Words,
    settings: Settings,
    light: Light = frozenset(),
    formulas: Formulas = frozenset(),
    gap_words: int = 0,
) -> Compared:
    """Two articles without their formulas, or with them if without they share nothing and are copies for all that."""
    marks = [mark(side, light, formulas, gap_words) for side in (query, found)]
    without = compare_unmarked(query, found, marks, settings, light)
    if without.passages or not any(map(any, marks)):
        return without
    whole = compare_unmarked(query, found, [[0] * len(query), [0] * len(found)], settings, light)
    return whole if is_copy_with_formulas(whole, (query, found), marks, settings, light) else without


def mark(words: Words, light: Light, formulas: Formulas, gap_words: int) -> list[int]:
    """1 for each word of a formula."""
    return shingles.mark(words, weights(words, light), set(formulas), gap_words)


def is_copy_with_formulas(
    whole: Compared,
    articles: tuple[Words, Words],
    marks: Sequence[Sequence[int]],
    settings: Settings,
    light: Light,
) -> bool:
    """They cover each other, and half of what one has outside formulas; or both are mostly formula and one is covered."""
    equal = 2 * sum(one.words for one in whole.passages)
    agreeing = mostly = 0
    for words, marked in zip(articles, marks, strict=True):
        halves = list(zip(weights(words, light), marked, strict=True))
        formula, rest = (sum(weight for weight, is_ in halves if is_ == which) for which in (1, 0))
        agreeing += 2 * max(0, equal - formula) >= rest
        mostly += sum(marked) >= SUBSTANCE_WORDS and 2 * sum(marked) > len(words)
    covered = [share >= settings.covered for share in (whole.query_covered, whole.found_covered)]
    return (all(covered) and agreeing > 0) or (any(covered) and mostly == 2)


def compare_unmarked(
    query: Words,
    found: Words,
    marks: Sequence[Sequence[int]],
    settings: Settings,
    light: Light,
) -> Compared:
    """The words that are not marked, compared; the longer article leads, so that sides do not matter."""
    if list(query) == list(found):
        words = round_up(sum(weights(query, light)))
        whole = [Passage((0, len(query)), (0, len(query)), words, 0)] if query else []
        share = float(bool(query))
        return Compared(bool(query), share, share, share, whole)
    numbers = [[i for i, marked in enumerate(side) if not marked] for side in marks]
    kept = [[side[i] for i in left] for side, left in zip((query, found), numbers, strict=True)]
    if (len(kept[0]), kept[0]) < (len(kept[1]), kept[1]):
        turned = compare_unmarked(found, query, marks[::-1], settings, light)
        return Compared(
            turned.identical,
            turned.found_covered,
            turned.query_covered,
            turned.resemblance,
            sorted(Passage(one.found, one.query, one.words, one.changed) for one in turned.passages),
        )
    bridged_words = settings.bridged_words * (1 if light.isdisjoint([*query, *found]) else 2)
    found_passages = passages(kept[0], kept[1], settings, light, bridged_words)
    return Compared(
        False,
        coverage(len(kept[0]), [one.query for one in found_passages]),
        coverage(len(kept[1]), [one.found for one in found_passages]),
        resemblance(query, found, light) if found_passages else 0.0,
        [
            one._replace(
                query=(numbers[0][one.query[0]], numbers[0][one.query[1] - 1] + 1),
                found=(numbers[1][one.found[0]], numbers[1][one.found[1] - 1] + 1),
            )
            for one in found_passages
        ],
    )


def coverage(words: int, spans: Sequence[tuple[int, int]]) -> float:
    covered = {i for start, end in spans for i in range(start, end)}
    return len(covered) / words if words else 0.0
