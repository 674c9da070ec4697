"""One text reprinted 5,000 times among 20,000 other articles: all found, nobody else, and no explosion of pairs."""

import random
from collections.abc import Iterator
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
    rng = random.Random(5000)
    # An article of middling length without a copy of its own would do as well; this text is strange to all others.
    original = {"id": "original", "date": "2020-12-31", "text": novel_text(articles, rng)}
    words = split_words(original["text"])
    pool = [word for row in articles[:200] for word in split_words(row["text"])]
    reprints = [
        {
            "id": f"reprint {number}",
            "date": f"2021-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
            "text": "".join(edit(words, rng.uniform(0, 0.05), False, rng, pool)),
        }
        for number in range(REPRINTS)
    ]
    with scratch() as folder:
        without = write_jsonl(folder / "without.jsonl", [original, *articles])
        pile = write_jsonl(folder / "with.jsonl", [original, *articles, *reprints])
        out = folder / "out.jsonl"
        rounds = []
        for number in range(ROUNDS):
            say(f"  round {number + 1} of {ROUNDS}")
            rounds.append((run_find(without, out), run_find(pile, out)))
        matches = read_jsonl(out)
        made = digest([pile])
    root = connected((row["query"], row["found"]) for row in matches)
    ours = root("original")
    data = Data(
        f"{name} with {REPRINTS:,} reprints of one text",
        f"{len(articles):,} articles, 1 original, {REPRINTS:,} reprints with up to 5 % of the words edited",
        "planted by this program",
        made,
    )
    measures = {
        "reprints connected": sum(root(row["id"]) == ours for row in reprints),
        "strangers among them": sum(root(str(row["id"])) == ours for row in articles),
        "pairs written for the family": sum(root(row["query"]) == ours for row in matches),
        "wall time, times without": median(big.wall / small.wall for small, big in rounds),
        "CPU time, times without": median(big.cpu / small.cpu for small, big in rounds),
    }
    yield Result("5,000 reprints", data, measures)


def novel_text(articles: list[Row], rng: random.Random) -> str:
    """A text of 400 words in sentences of 5 words each from another article: no run of it is long enough to be a copy."""
    runs = []
    while len(runs) < 80:
        words = rng.choice(articles)["text"].split()
        start = rng.randrange(max(1, len(words) - 5))
        runs.append(" ".join(words[start : start + 5]))
    return " ".join(runs)
