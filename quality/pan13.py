"""PAN 2013 text alignment: passages that its organisers put into web pages, verbatim and disguised."""

from collections.abc import Iterator

import wirecopy
from quality.corpora import read_jsonl, score, unpack
from quality.report import Data, Result, digest, say
from wirecopy.comparison import PRESETS


def measure() -> Iterator[Result]:
    folder = unpack("pan13-train")
    texts = {row["id"]: row for row in read_jsonl(folder / "articles.jsonl")}
    gold = read_jsonl(folder / "gold.jsonl")
    data = Data(
        "pan13-train",
        f"{len(texts):,} documents, {len(gold):,} pairs, {sum(len(row['passages']) for row in gold):,} passages",
        "PAN's organisers, who put the passages there",
        digest([folder / "articles.jsonl", folder / "gold.jsonl"]),
    )
    for preset in PRESETS:
        say(f"  {preset}")
        compared = (wirecopy.compare(texts[row["query"]], texts[row["found"]], preset=preset) for row in gold)
        result = [match.to_dict() for match in compared if match]
        reported = {(row["query"], row["found"]) for row in result}
        clean = [row for row in gold if row["class"].startswith("01")]
        innocent = {(row["query"], row["found"]) for row in clean}
        classes = {row["value"]: row for row in score(folder / "gold.jsonl", result).by}
        measures = {
            f"plagdet {name[:2]}": one["plagdet"]
            for name, one in classes.items()
            if not name.startswith("01")
        } | {
            f"granularity {name[:2]}": one["granularity"]
            for name, one in classes.items()
            if name.startswith("02")
        }
        measures["clean pairs reported"] = sum((row["query"], row["found"]) in reported for row in clean)
        forms = {(row["query"], row["found"]) for row in result if row["relation"] == "form"}
        measures["copied pairs called form"] = len(forms - innocent) / (len(gold) - len(clean))
        measures["F1 of pairs, 01 and 02"] = score(folder / "gold-pairs.jsonl", result).scores["copies"]["f1"]
        yield Result(preset, data, measures)
