"""Clough and Stevenson's short answers: own words, copied, lightly and heavily revised."""

from collections.abc import Iterator

import wirecopy
from quality.corpora import read_jsonl, score, unpack
from quality.report import Data, Result, digest
from wirecopy.comparison import PRESETS


def measure() -> Iterator[Result]:
    folder = unpack("clough-stevenson")
    texts = {row["id"]: row for row in read_jsonl(folder / "articles.jsonl")}
    gold = read_jsonl(folder / "gold.jsonl")
    data = Data(
        "clough-stevenson",
        f"{len(gold)} answers with their source, {sum(row['label'] for row in gold)} of them copied",
        "19 people, who wrote as they were told",
        digest([folder / "articles.jsonl", folder / "gold.jsonl"]),
    )
    for preset in PRESETS:
        compared = (wirecopy.compare(texts[row["query"]], texts[row["found"]], preset=preset) for row in gold)
        result = [match.to_dict() for match in compared if match]
        told = score(folder / "gold.jsonl", result, score="query_covered")
        whole, classes = told.scores["copies"], {row["value"]: row for row in told.by if row["by"] == "class"}
        measures = {"AU-ROC": whole["auroc"]}
        measures |= {f"AU-ROC, {name}": classes[name]["auroc"] for name in ("cut", "light", "heavy")}
        measures |= {
            "standard error": whole["auroc_error"],
            "precision": whole["precision"],
            "recall": whole["recall"],
        }
        yield Result(preset, data, measures)
