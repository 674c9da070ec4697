"""Two articles compared, slowly: the twin of `rust/src/align.rs`.

Exact for articles in which no gram stands often and that share few runs (`fits` says so); the core bounds its work on
others. Passages may come out either way where two chains are equally good; the twin breaks ties as the core says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

Words = Sequence[int]


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


def resemblance(query: Words, found: Words, characters: bool = False) -> float:
    """Jaccard of distinct shingles of five words, or of ten characters that count half."""
    one, other = (set(grams(side, 10 if characters else 5)) for side in (query, found))
    return len(one & other) / len(one | other) if one | other else float(list(query) == list(found))


def lcs(one: Words, other: Words) -> int:
    """Length of the longest common subsequence."""
    if not one or not other:
        return 0
    if one[-1] == other[-1]:
        return 1 + lcs(one[:-1], other[:-1])
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, word in enumerate(one):
        for j, candidate in enumerate(other):
            table[i + 1][j + 1] = (
                table[i][j] + 1 if word == candidate else max(table[i][j + 1], table[i + 1][j])
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


def best_chains(all_runs: Sequence[Run], settings: Settings) -> list[tuple[int, list[int]]]:
    """For each run the best chain that ends with it: its worth, its runs from the last to the first.

    A chain is worth `gap_words_a_word` for every equal word less its gaps; of equal ones, the run nearest before goes on.
    """
    chains: list[tuple[int, list[int]]] = []
    for i, run in enumerate(all_runs):
        best = (run.length * settings.gap_words_a_word, [i])
        for before in reversed(range(i)):
            joined = join(all_runs[before], run)
            if joined is None or joined[1] > settings.bridged_words or chains[before][0] <= joined[1]:
                continue
            worth = chains[before][0] - joined[1] + joined[0].length * settings.gap_words_a_word
            if worth > best[0]:
                best = (worth, [i, *chains[before][1]])
        chains.append(best)
    return chains


def measure(query: Words, found: Words, chain: Sequence[Run]) -> Passage:
    """The passage of a chain; `words` counts each equal word, whatever its weight."""
    equal = 0
    for i, run in enumerate(chain):
        equal += run.length
        if i:
            before = chain[i - 1]
            equal += lcs(
                query[before.query + before.length : run.query],
                found[before.found + before.length : run.found],
            )
    spans = [(chain[0][side], chain[-1][side] + chain[-1].length) for side in (0, 1)]
    longer = max(end - start for start, end in spans)
    return Passage(spans[0], spans[1], equal, longer - equal)


def passages(query: Words, found: Words, settings: Settings, characters: bool = False) -> list[Passage]:
    """The chains worth reporting, the heaviest first; a run that is in an accepted one on both sides is not used again."""
    weight = 1 if characters else 2
    all_runs = runs(query, found, settings.seed_words)
    chains = best_chains(all_runs, settings)
    least = settings.min_passage_words * settings.gap_words_a_word // 4
    accepted: list[Passage] = []
    used: set[int] = set()
    for end in sorted(
        range(len(chains)), key=lambda i: (-chains[i][0], all_runs[i].found, all_runs[i].query)
    ):
        if chains[end][0] < least:
            break
        members: list[Run] = []
        for i in chains[end][1]:
            run = all_runs[i]
            inside = any(
                run.query < one.query[1]
                and one.query[0] < run.query + run.length
                and run.found < one.found[1]
                and one.found[0] < run.found + run.length
                for one in accepted
            )
            if i in used or inside:
                break
            used.add(i)
            if members and (joined := join(run, members[0])):
                members[0] = joined[0]
            members.insert(0, run)
        if members:
            passage = measure(query, found, members)
            share = max(
                (span[1] - span[0]) / len(side)
                for span, side in ((passage.query, query), (passage.found, found))
            )
            least_halves = 2 * settings.min_passage_words // (2 if share >= settings.covered else 1)
            if passage.words * weight >= least_halves:
                accepted.append(passage)
    return sorted(accepted)


def compare(query: Words, found: Words, settings: Settings, characters: bool = False) -> Compared:
    """Two articles of words, or of characters that count half; the longer one leads, so that sides do not matter."""
    if (len(query), list(query)) < (len(found), list(found)):
        turned = compare(found, query, settings, characters)
        return Compared(
            turned.identical,
            turned.found_covered,
            turned.query_covered,
            turned.resemblance,
            sorted(Passage(one.found, one.query, one.words, one.changed) for one in turned.passages),
        )
    if list(query) == list(found):
        whole = [Passage((0, len(query)), (0, len(query)), len(query), 0)] if query else []
        return Compared(True, 1.0, 1.0, resemblance(query, found, characters), whole)
    found_passages = passages(query, found, settings, characters)
    return Compared(
        False,
        coverage(len(query), [one.query for one in found_passages]),
        coverage(len(found), [one.found for one in found_passages]),
        resemblance(query, found, characters),
        found_passages,
    )


def coverage(words: int, spans: Sequence[tuple[int, int]]) -> float:
    covered = {i for start, end in spans for i in range(start, end)}
    return len(covered) / words if words else 0.0
