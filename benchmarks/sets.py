"""The development sets that results are measured on: articles, and gold files of pairs, in a folder of their own.

A set is made when it is first asked for, from the demo, from `../shared/data` and from the corpora of `../shared/bench`; `MissingError` says what is
not at hand.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quality import languages
from quality.corpora import (
    ROOT,
    Row,
    bench_corpus,
    bench_module,
    data_module,
    read_jsonl,
    unpack,
    write_jsonl,
)
from quality.report import MissingError, digest
from wirecopy import demo

LABELS = ROOT / "quality" / "labels" / "forms.jsonl"
SHARED_SHARE = 0.02
"""Originals of which the smaller shares so much of its shingles are related: that their copies match as well is nobody's mistake."""


@dataclass(frozen=True)
class Gold:
    """Labels of pairs: who made them, and whether a form counts (`overlap`) or is no copy (`copies`).

    With `planted`, only pairs that hold an article whose id begins so are labelled.
    """

    name: str
    path: Path
    made_by: str
    view: str = "copies"
    planted: str = ""


@dataclass(frozen=True)
class Set:
    """Articles, with one or more golds."""

    articles: Path
    golds: tuple[Gold, ...]

    def describe(self) -> Row:
        """How many articles and pairs there are, who labelled them, and the digest of every byte."""
        with self.articles.open("rb") as lines:
            articles = sum(1 for _ in lines)
        told: Row = {"articles": articles, "golds": {}}
        for gold in self.golds:
            rows = read_jsonl(gold.path)
            told["golds"][gold.name] = {
                "pairs": sum(is_copy(row, gold.view) for row in rows),
                "made by": gold.made_by,
                "digest": digest([self.articles, gold.path]),
            }
        return told


def is_copy(row: Row, view: str) -> bool:
    """Whether a record of gold says that a pair is a copy, or, seen as overlap, a form."""
    label = row.get("label", row.get("relation", True))
    return label not in (False, "neither", "questionable", "background") and (
        label != "form" or view == "overlap"
    )


def _demo(folder: Path) -> Set:
    demo.write_archive(folder)
    truth = folder / "truth.jsonl"
    who = "the generator, which knows where every word comes from"
    return Set(
        folder / "articles.jsonl",
        (Gold("demo", truth, who), Gold("demo, forms count", truth, who, "overlap")),
    )


def _reuters(folder: Path) -> Set:
    home = unpack("reuters21578")
    who = "computed by overlap.py of ../shared/data, which counts every 5-word shingle; no human labels"
    return Set(
        home / "articles.jsonl",
        (
            Gold("Reuters overlap", home / "gold.jsonl", who, "overlap"),
            _labels("Reuters forms", "reuters21578", folder),
        ),
    )


def _labels(name: str, of: str, folder: Path) -> Gold:
    """The pairs that were read for forms, as gold: a copy or an update is a copy, a form and common background are none."""
    rows = (
        {
            "query": row["query"],
            "found": row["found"],
            "label": "neither" if row["label"] == "background" else row["label"],
        }
        for row in read_jsonl(LABELS)
        if row["set"] == of
    )
    return Gold(
        name, write_jsonl(folder / f"{of}-forms.jsonl", rows), "read by the project, drawn from what it finds"
    )


def _news(folder: Path) -> Set:
    base = bench_corpus("news20k")
    truth = bench_module("eval").load_truth(str(base))
    planted = set(zip(truth.a.tolist(), truth.b.tolist(), strict=True))
    families: dict[int, list[int]] = {}
    for article, family in enumerate(truth.family.tolist()):
        if family >= 0:
            families.setdefault(family, []).append(article)
    siblings = {
        (one, other) for some in families.values() for one in some for other in some if one < other
    } - planted
    rows: Iterable[Row] = (
        {"query": str(b), "found": str(a), "label": label}
        for pairs, label in ((planted, True), (siblings, "questionable"))
        for a, b in sorted(pairs)
    )
    gold = write_jsonl(folder / "gold.jsonl", rows)
    return Set(
        base.with_suffix(".jsonl"),
        (Gold("news20k", gold, "planted by make_corpus.py of ../shared/bench"),),
    )


def _answers(_: Path) -> Set:
    home = unpack("clough-stevenson")
    return Set(
        home / "articles.jsonl",
        (Gold("Clough–Stevenson", home / "gold.jsonl", "19 people, who wrote as they were told"),),
    )


def _pan13(folder: Path) -> Set:
    home = unpack("pan13-train")
    every = (
        {"query": row["query"], "found": row["found"], "label": bool(row["passages"])}
        for row in read_jsonl(home / "gold.jsonl")
    )
    who = "PAN's organisers, who put the passages there"
    return Set(
        home / "articles.jsonl",
        (
            Gold("PAN13 verbatim", home / "gold-pairs.jsonl", who),
            Gold("PAN13 all classes", write_jsonl(folder / "every.jsonl", every), who),
        ),
    )


def _language(language: languages.Language) -> Callable[[Path], Set]:
    def make(folder: Path) -> Set:
        articles = read_jsonl(unpack(language.folder) / "articles.jsonl")
        copies, truth = languages.plant(articles, language)
        rows = [
            {"query": max(pair, key=languages.is_copy), "found": min(pair, key=languages.is_copy)}
            for pair in truth
        ]
        rows += _related(articles, rows, characters=language.units_a_word > 1)
        golds = [
            Gold(
                language.name,
                write_jsonl(folder / "gold.jsonl", rows),
                "copies planted by quality/languages.py",
                planted="copy ",
            )
        ]
        if language.name == "Korean":
            golds.append(_labels("Korean forms", language.folder, folder))
        return Set(write_jsonl(folder / "articles.jsonl", [*articles, *copies]), tuple(golds))

    return make


def _related(articles: list[Row], planted: list[Row], characters: bool) -> list[Row]:
    """Pairs of a copy with an article that its original shares text with, which are neither right nor wrong."""
    copies = {row["found"]: row["query"] for row in planted}
    shingles = {row["id"]: _shingles(row["text"], characters) for row in articles}
    holders: dict[Any, list[str]] = {}
    for original in copies:
        for shingle in shingles[original]:
            holders.setdefault(shingle, []).append(original)
    related = set()
    for other, mine in shingles.items():
        shared = Counter(original for shingle in mine for original in holders.get(shingle, ()))
        for original, number in shared.items():
            if original != other and number >= SHARED_SHARE * min(len(mine), len(shingles[original])):
                related |= {frozenset((copies[original], one)) for one in (other, copies.get(other, other))}
    return [
        {"query": max(pair), "found": min(pair), "label": "questionable"}
        for pair in sorted(related, key=sorted)
    ]


def _shingles(text: str, characters: bool) -> set[Any]:
    """Runs of 5 words, or of 10 characters where words are not parted, as overlap.py of ../shared/data has them."""
    overlap = data_module("overlap")
    words = overlap.words(text)
    made: set[Any] = overlap.shingles("".join(words) if characters else words, 10 if characters else 5)
    return made


def labelled_pages(name: str) -> Path:
    """A collection of labelled pages of ../shared/data, where it was unpacked as its README says."""
    home = (
        Path(os.environ.get("WIRECOPY_DATA_DIR") or Path.home() / ".cache" / "wirecopy-data")
        / "extraction"
        / name
    )
    if not home.is_dir():
        raise MissingError(
            f"no extraction/{name} in $WIRECOPY_DATA_DIR: unpack it as ../shared/data/README-extraction.md says"
        )
    return home


SETS: dict[str, Callable[[Path], Set]] = {
    "demo": _demo,
    "answers": _answers,
    "Korean": _language(languages.LANGUAGES[0]),
    "Turkish": _language(languages.LANGUAGES[1]),
    "Reuters": _reuters,
    "news20k": _news,
    "PAN13": _pan13,
    "Chinese": _language(languages.LANGUAGES[2]),
}
"""By name, the small ones first."""


def get(name: str, scratch: Path) -> Set:
    """The set of this name, made in a folder of its own unless it is there."""
    folder = scratch / name
    done = folder / "set.json"
    if not done.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        made = SETS[name](folder)
        rows: list[dict[str, Any]] = [{**vars(gold), "path": str(gold.path)} for gold in made.golds]
        done.write_text(json.dumps({"articles": str(made.articles), "golds": rows}), "utf-8")
    told = json.loads(done.read_text("utf-8"))
    golds = tuple(Gold(**{**row, "path": Path(row["path"])}) for row in told["golds"])
    return Set(Path(told["articles"]), golds)
