"""The demo archive: made-up newspapers whose every true pair is known."""

from collections.abc import Iterator

import wirecopy
from quality.corpora import scratch
from quality.report import Data, Result, digest
from wirecopy import demo

SEEDS = (1, 2, 3)


def measure() -> Iterator[Result]:
    for seed in SEEDS:
        with scratch() as folder:
            demo.write_archive(folder, seed)
            matches = wirecopy.find([folder / "articles.jsonl"])
            truth = demo.read_truth(folder)
            score = demo.score(matches, truth)
            data = Data(
                f"demo archive, seed {seed}",
                f"{matches.counts['articles']} articles, {len(truth)} true pairs",
                "the generator, which knows where every word comes from",
                digest([folder / "articles.jsonl", folder / "truth.jsonl"]),
            )
            measures = {
                "recall": score.recall,
                "precision": score.precision,
                "relation agrees": score.agreeing / max(1, score.found),
            }
            yield Result(f"seed {seed}", data, measures)
