"""The guarantee: a common run of `guaranteed_words` words is always nominated, and reported by `any-reuse`."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest
import xxhash
from reference import shingles as twin

import wirecopy
from quality.texts import vocabulary
from wirecopy import methods
from wirecopy.methods.winnowing import Winnowing
from wirecopy.text import encode, tokenise

PAIRS = 10_000
PLACES = ("start", "middle", "end")


def plant(
    draw: random.Random, sides: Sequence[Sequence[str]], run: list[str], number: int, join: str
) -> list[str]:
    """Two texts that share the run and nothing else, at each of the nine combinations of places in turn."""
    texts = []
    for words, place in zip(sides, (PLACES[number % 3], PLACES[number // 3 % 3]), strict=True):
        before, after = (draw.choices(words, k=draw.randint(1, 80)) for _ in range(2))
        texts.append(
            join.join((before if place != "start" else []) + run + (after if place != "end" else []))
        )
    return texts


def make_pairs(seed: int, pairs: int, run_words: int) -> list[list[str]]:
    """Pairs of texts over disjoint halves of a vocabulary, so that nothing but the run is in both."""
    draw = random.Random(seed)
    words = vocabulary(draw, 60_000)
    ours, theirs, runs = words[:20_000], words[20_000:40_000], words[40_000:]
    made = []
    for number in range(pairs):
        run = draw.choices(runs, k=run_words)
        made.append(plant(draw, (ours, theirs), run, number, " "))
    return made


def make_han_pairs(seed: int, pairs: int, run_words: int) -> list[list[str]]:
    """The same in Han, where a character counts half: twice as many of them."""
    draw = random.Random(seed)
    letters = [chr(0x4E00 + i) for i in range(18_000)]
    ours, theirs, runs = letters[:6000], letters[6000:12_000], letters[12_000:]
    made = []
    for number in range(pairs):
        run = draw.choices(runs, k=2 * run_words)
        made.append(plant(draw, (ours, theirs), run, number, ""))
    return made


def share_a_key(method: Winnowing, pairs: list[list[str]]) -> list[bool]:
    keys = method.keys(method.sketch(tokenise(*encode([text for pair in pairs for text in pair]))))
    edges = keys.offsets.tolist()
    rows = [set(keys.values[edges[i] : edges[i + 1]].tolist()) for i in range(len(edges) - 1)]
    return [bool(rows[i] & rows[i + 1]) for i in range(0, len(rows), 2)]


def check(pairs: list[list[str]], method: Winnowing) -> None:
    assert all(share_a_key(method, pairs))
    articles = [
        {"id": f"{number:05}{side}", "text": text}
        for number, pair in enumerate(pairs)
        for side, text in zip("ab", pair, strict=True)
    ]
    found = wirecopy.find(articles, preset="any-reuse", method=method)
    expected = [(f"{number:05}b", f"{number:05}a") for number in range(len(pairs))]
    reported = {(query, other) for query, other, *_ in found.rows()}
    assert [pair for pair in expected if pair not in reported] == []
    assert not found.formulas


def test_the_default_guarantees_twenty_words() -> None:
    method = methods.get("winnowing")
    assert method.guaranteed_words == 20


def test_ten_thousand_runs_of_twenty_words_are_nominated_and_reported() -> None:
    check(make_pairs(1, PAIRS, 20), Winnowing())


def test_runs_of_forty_han_characters_are_nominated_and_reported() -> None:
    check(make_han_pairs(2, 2000, 20), Winnowing())


@pytest.mark.parametrize(
    ("shingle_words", "window_words"), [(5, 8), (5, 24), (3, 10), (8, 5), (10, 40), (1, 12), (12, 1)]
)
@pytest.mark.parametrize("make", [make_pairs, make_han_pairs])
def test_other_sizes_keep_their_own_guarantee(
    shingle_words: int, window_words: int, make: Callable[[int, int, int], list[list[str]]]
) -> None:
    method = Winnowing(shingle_words, window_words)
    check(make(3, 450, method.guaranteed_words), method)


def test_runs_in_a_mixture_of_scripts_are_nominated_and_reported() -> None:
    """Words and characters by turns: the run weighs twenty words, whatever it is made of."""
    draw = random.Random(4)
    words = vocabulary(draw, 3000)
    sides = tuple([chr(first + i) for i in range(0x1000)] for first in (0x6000, 0x8000))
    pairs = []
    for number in range(1000):
        run: list[str] = []
        halves = 0
        while halves < 40:
            half = draw.random() < 0.5
            run.append(chr(0x4E00 + draw.randrange(3000)) if half else draw.choice(words))
            halves += 1 if half else 2
        pairs.append(plant(draw, sides, run, number, " "))
    check(pairs, Winnowing())


@pytest.mark.parametrize("partners", [6])
def test_runs_around_a_popular_phrase_are_nominated_however_many_there_are(partners: int) -> None:
    """The phrase's key is the smallest, so that each run has no other; thirty strangers hold the phrase as well."""
    found = find_around_popular_phrase(partners)
    assert found == {f"e{number}" for number in range(partners)}


def test_runs_around_a_popular_phrase_are_nominated() -> None:
    assert find_around_popular_phrase(3) == {"e0", "e1", "e2"}


def find_around_popular_phrase(partners: int) -> set[str]:
    draw = random.Random(5)
    words = vocabulary(draw, 30_000)
    hashes = {word: xxhash.xxh3_64_intdigest(word.encode()) for word in words}
    phrases = [draw.sample(words, 5) for _ in range(30_000)]
    phrase, *guards = sorted(phrases, key=lambda one: twin.smallness([hashes[word] for word in one]))

    def write(count: int) -> list[str]:
        return draw.choices(words, k=count)

    def guard(run: list[str]) -> list[str]:
        """Between phrases of small keys, so that no other key of the run is kept."""
        return write(30) + guards.pop(0) + run + guards.pop(0) + write(30)

    runs = [write(7) + phrase + write(8) for _ in range(partners)]
    texts = {f"d{number:02}": write(60) + phrase + write(60) for number in range(30)}
    texts |= {f"e{number}": guard(run) for number, run in enumerate(runs)}
    texts["z"] = [word for run in runs for word in guard(run)]
    articles = [{"id": name, "text": " ".join(text)} for name, text in texts.items()]
    matches = wirecopy.find(articles, preset="any-reuse", method="winnowing")
    return {found for query, found, *_ in matches.rows() if query == "z"}
