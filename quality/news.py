"""The benchmark kit's corpora: news-like articles with four kinds of planted copies, at two sizes."""

from collections.abc import Iterator

import wirecopy
from quality.corpora import bench_corpus, bench_module
from quality.report import Data, MissingError, Result, digest, say

KINDS = ("exact", "near", "containment", "partial")


def measure() -> Iterator[Result]:
    scoring = bench_module("eval")
    measured = False
    for name in ("news20k", "news182k"):
        try:
            base = bench_corpus(name)
        except MissingError as missing:
            say(f"  {missing}")
            continue
        say(f"  {name}")
        corpus = base.with_suffix(".jsonl")
        matches = wirecopy.find([corpus])
        truth = scoring.load_truth(str(base))
        rows = [(int(query), int(found), relation) for query, found, relation, *_ in matches.rows()]
        score = scoring.score_pairs(truth, [(query, found) for query, found, _ in rows])
        planted = set(map(frozenset, zip(truth.a.tolist(), truth.b.tolist(), strict=True)))
        forms = [frozenset((query, found)) for query, found, relation in rows if relation == "form"]
        data = Data(
            f"{name} of ../shared/bench",
            f"{matches.counts['articles']:,} articles, {len(truth.a):,} planted pairs",
            "planted by ../shared/bench/make_corpus.py",
            digest([corpus]),
        )
        measures = {kind: score["recall"][kind] for kind in KINDS} | {
            "precision": score["precision"],
            "pairs across families": score["fp"],
            "planted pairs called form": sum(pair in planted for pair in forms) / len(planted),
            "other pairs called form": sum(pair not in planted for pair in forms),
        }
        yield Result(name, data, measures)
        measured = True
    if not measured:
        raise MissingError("no corpus of ../shared/bench is made yet: run its make_corpus.py")
