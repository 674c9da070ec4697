"""One text reprinted 5,000 times among 20,000 other articles: all found, nobody else, and no explosion of pairs."""

import random
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from quality.corpora import (
    Row,
    connected,
    edit,
    news_or_made_up,
    read_jsonl,
    run_find,
    scratch,
    split_words,
    write_jsonl,
)
from quality.report import Data, Result, digest, say

REPRINTS, OTHERS, ROUNDS = 5000, 20000, 3


def measure() -> Iterator[Result]:
    name, articles = news_or_made_up(OTHERS)
    with scratch() as folder:
        without, out = write_jsonl(folder / "without.jsonl", articles), folder / "out.jsonl"
        run_find(without, out)
        original = choose(articles, out)
        reprints = reprint(original, articles)
        pile = write_jsonl(folder / "with.jsonl", [*articles, *reprints])
        rounds = []
        for number in range(ROUNDS):
            say(f"  round {number + 1} of {ROUNDS}")
            rounds.append((run_find(without, out), run_find(pile, out)))
        matches = read_jsonl(out)
        made = digest([pile])
    root = connected((row["query"], row["found"]) for row in matches if row["relation"] != "form")
    family = root(str(original["id"]))
    data = Data(
        f"{name} with {REPRINTS:,} reprints of one article",
        f"{len(articles):,} articles, {REPRINTS:,} reprints with up to 5 % of the words edited",
        "planted by this program",
        made,
    )
    measures = {
        "reprints connected": sum(root(row["id"]) == family for row in reprints),
        "strangers among them": sum(root(str(row["id"])) == family for row in articles) - 1,
        "pairs written for the family": sum(root(row["query"]) == family for row in matches),
        "wall time, times without": median(big.wall / small.wall for small, big in rounds),
        "CPU time, times without": median(big.cpu / small.cpu for small, big in rounds),
    }
    yield Result("5,000 reprints", data, measures)


def choose(articles: list[Row], found: Path) -> Row:
    """The first article of middling length that has no copy yet."""
    matched = {row[side] for row in read_jsonl(found) for side in ("query", "found")}
    return next(
        row for row in articles if 300 <= len(row["text"].split()) <= 500 and str(row["id"]) not in matched
    )


def reprint(original: Row, articles: list[Row]) -> list[Row]:
    rng = random.Random(5000)
    words = split_words(original["text"])
    pool = [word for row in articles[:200] for word in split_words(row["text"])]
    return [
        {
            "id": f"reprint {number}",
            "date": f"2024-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
            "text": "".join(edit(words, rng.uniform(0, 0.05), False, rng, pool)),
        }
        for number in range(REPRINTS)
    ]
