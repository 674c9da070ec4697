"""The same articles in any order give the same bytes."""

import hashlib
import random
from collections.abc import Iterator

from quality.corpora import news_or_made_up, run_find, scratch, write_jsonl
from quality.report import Data, Result, digest, say

ARTICLES, SHUFFLES = 20000, 5


def measure() -> Iterator[Result]:
    name, articles = news_or_made_up(ARTICLES)
    answers = set()
    with scratch() as folder:
        pile = write_jsonl(folder / "pile.jsonl", articles)
        made = digest([pile])
        for seed in range(SHUFFLES + 1):
            say(f"  order {seed + 1} of {SHUFFLES + 1}")
            out, formulas = folder / "out.jsonl", folder / "formulas.jsonl"
            run_find(pile, out, "--threads", str(1 + seed % 2), "--boilerplate", str(formulas))
            answers.add(hashlib.sha256(out.read_bytes() + formulas.read_bytes()).hexdigest())
            random.Random(seed).shuffle(articles)
            write_jsonl(pile, articles)
    size = f"{len(articles):,} articles, as they are and in {SHUFFLES} other orders"
    data = Data(f"{name}, shuffled", size, "none needed", made)
    measures = {"different answers": len(answers)}
    yield Result("matches and boilerplate, 1 and 2 threads by turns", data, measures)
