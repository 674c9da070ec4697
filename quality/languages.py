"""Copies planted in Korean, Turkish and Chinese news: is a script a problem, and do set phrases raise alarms?"""

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import wirecopy
from quality.corpora import Row, edit, read_jsonl, scratch, split_words, unpack, write_jsonl
from quality.report import Data, Result, digest, say
from wirecopy.measures import rate

COPIES = 500
LEAST_WORDS = 40
"""Originals are at least so long, twice the shortest passage that counts; a Chinese character is half a word."""


class Language(NamedTuple):
    name: str
    folder: str
    unit: str
    units_a_word: int
    split: Callable[[str], list[str]]


LANGUAGES = (
    Language("Korean", "korean", "words", 1, split_words),
    Language("Turkish", "turkish", "words", 1, split_words),
    Language("Chinese", "xinwenlianbo-zh", "characters", 2, list),
)


def measure() -> Iterator[Result]:
    for language in LANGUAGES:
        say(f"  {language.name}")
        path = unpack(language.folder) / "articles.jsonl"
        articles = read_jsonl(path)
        copies, truth = plant(articles, language)
        with scratch() as folder:
            pile = write_jsonl(folder / "pile.jsonl", [*articles, *copies])
            matches = list(wirecopy.find([pile]))
            made = digest([pile])
        pairs = {frozenset((match.query, match.found)) for match in matches}
        forms = {frozenset((match.query, match.found)) for match in matches if match.relation == "form"}
        data = Data(
            f"{language.folder} with {COPIES} planted copies",
            f"{len(articles):,} articles and {COPIES} copies with 2–15 % of the {language.unit} edited",
            "planted by this program",
            made,
        )
        measures = {
            "recall": share(pairs, list(truth)),
            "recall, scattered": share(pairs, [pair for pair, in_bursts in truth.items() if not in_bursts]),
            "recall, in bursts": share(pairs, [pair for pair, in_bursts in truth.items() if in_bursts]),
            "copies called form": len(forms & truth.keys()),
            "false alarms": len(false_alarms(pairs, truth)),
            "pairs among the originals": sum(not any(map(is_copy, pair)) for pair in pairs),
            "of them forms": sum(not any(map(is_copy, pair)) for pair in forms),
        }
        yield Result(language.name, data, measures)


def plant(articles: list[Row], language: Language) -> tuple[list[Row], dict[frozenset[str], bool]]:
    """Copies, edited here and there and in bursts by turns; and the pairs, with whether it was in bursts."""
    rng = random.Random(language.name)
    units = {row["id"]: language.split(row["text"]) for row in articles}
    pool = [unit for many in units.values() for unit in many if unit.strip()]
    least = LEAST_WORDS * language.units_a_word
    chosen = rng.sample([name for name, many in units.items() if len(many) >= least], COPIES)
    copies, truth = [], {}
    for number, name in enumerate(chosen):
        text = "".join(edit(units[name], rng.uniform(0.02, 0.15), number % 2 == 1, rng, pool))
        copies.append({"id": f"copy {number} {name}", "text": text})
        truth[frozenset((name, copies[-1]["id"]))] = number % 2 == 1
    return copies, truth


def is_copy(name: str) -> bool:
    return name.startswith("copy ")


def share(pairs: set[frozenset[str]], wanted: list[frozenset[str]]) -> float:
    return rate(sum(pair in pairs for pair in wanted), len(pairs), len(wanted)).recall


def false_alarms(pairs: set[frozenset[str]], truth: dict[frozenset[str], bool]) -> set[frozenset[str]]:
    """Pairs with a copy in them that were not planted, and that their originals do not form either."""
    original = {name: other for pair in truth for name in pair for other in pair - {name} if is_copy(name)}

    def of_originals(pair: frozenset[str]) -> frozenset[str]:
        return frozenset(original.get(name, name) for name in pair)

    known = {pair for pair in pairs if not any(map(is_copy, pair))}
    return {
        pair
        for pair in pairs
        if any(map(is_copy, pair)) and len(of_originals(pair)) == 2 and of_originals(pair) not in known
    }
