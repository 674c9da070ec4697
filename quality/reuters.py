"""Reuters newswire of 1987 against every pair that shares half of its shingles."""

from collections import Counter
from collections.abc import Iterator

import wirecopy
from quality.corpora import Row, read_jsonl, score, unpack
from quality.report import Data, Result, digest, table

RELATIONS = ("identical", "near-duplicate", "contains", "contained-in", "partial", "form")
TURNED = {"contains": "contained-in", "contained-in": "contains"}


def measure() -> Iterator[Result]:
    folder = unpack("reuters21578")
    gold = read_jsonl(folder / "gold.jsonl")
    matches = [match.to_dict() for match in wirecopy.find([folder / "articles.jsonl"])]
    # What counts is computed overlap, which knows no forms.
    scores = score(folder / "gold.jsonl", matches).scores
    found = relations(gold, matches)
    listed = {frozenset((row["query"], row["found"])) for row in gold}
    beyond = Counter(
        row["relation"].replace("contained-in", "contains")
        for row in matches
        if frozenset((row["query"], row["found"])) not in listed
    )
    contained = sum(n for (want, got), n in found.items() if want in TURNED and got != "form")
    data = Data(
        "reuters21578",
        f"{len(read_jsonl(folder / 'articles.jsonl')):,} articles, {len(gold)} pairs",
        "computed by ../shared/data/overlap.py, which counts every 5-word shingle; no human labels",
        digest([folder / "articles.jsonl", folder / "gold.jsonl"]),
    )
    measures = {
        "recall": scores.get("overlap", scores["copies"])["recall"],
        "identical agrees": found["identical", "identical"]
        / sum(row["relation"] == "identical" for row in gold),
        "containment agrees": sum(found[one, one] for one in TURNED) / contained,
        "pairs beyond the reference": sum(beyond.values()),
    } | {f"beyond: {relation}": beyond[relation] for relation in RELATIONS if beyond[relation]}
    yield Result("syndication", data, measures, [confusion(found)])


def relations(gold: list[Row], matches: list[Row]) -> Counter[tuple[str, str]]:
    """How often each relation of the reference was reported as each, seen from the reference's query.

    The reference counts shingles and knows no forms: a pair of its that is called one is found.
    """
    reported = {(row["query"], row["found"]): row["relation"] for row in matches}
    reported |= {(found, query): TURNED.get(one, one) for (query, found), one in reported.items()}
    return Counter((row["relation"], reported.get((row["query"], row["found"]), "none")) for row in gold)


def confusion(found: Counter[tuple[str, str]]) -> str:
    heads = ("in the reference, reported as", *RELATIONS, "none")
    return table(heads, [(want, *(str(found[want, got]) for got in heads[1:])) for want in RELATIONS[:4]])
