"""Articles out of the labelled web pages by the model that ships: it has seen these pages, so this pins the whole way
from bytes to text and metadata, not how good it is on others (`benchmarks/extraction.py` measures that)."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from quality.corpora import data_module
from quality.report import Data, MissingError, Result, digest
from wirecopy.extraction import extract_pages
from wirecopy.model import Article, Page

COLLECTIONS = (
    "newspaper4k-news",
    "dragnet",
    "magic-article",
    "fundus",
    "wcxb-article",
    "daniel-waddle",
    "chinese-69",
)
SAMPLE = 150
DATA = Path(os.environ.get("WIRECOPY_DATA_DIR") or Path.home() / ".cache" / "wirecopy-data") / "extraction"


def measure() -> Iterator[Result]:
    for collection in COLLECTIONS:
        folder = DATA / collection
        if not folder.is_dir():
            raise MissingError(f"{folder}: unpack the labelled pages as README-extraction.md says")
        scorer = data_module("score_extraction")
        gold: Mapping[str, tuple[dict[str, Any], str]] = scorer.load(str(folder), sample=SAMPLE)
        files = [folder / "html" / f"{name}.html" for name in gold]
        pages = [Page(file.stem, file.read_bytes()) for file in files]
        found = {one.article.id: one.article for one in extract_pages(pages, threads=2)}
        texts = [scorer.score_text(found[name].text, text) for name, (_, text) in gold.items()]
        measures = {"text F": mean(texts, "shF"), "empty": mean(texts, "empty")}
        said = [scorer.score_meta(plain(found[name]), meta) for name, (meta, _) in gold.items()]
        measures |= {
            field: mean(said, field)
            for field in ("date", "title", "author")
            if any(field in one for one in said)
        }
        data = Data(
            collection,
            f"{len(gold)} pages",
            "the collectors, see README-extraction.md",
            digest([*files, *(text for _, text in gold.values())]),
        )
        yield Result(collection, data, measures)


def plain(article: Article) -> dict[str, Any]:
    return {"title": article.title, "date": article.published, "authors": (article.author or "").split("; ")}


def mean(rows: list[dict[str, float]], name: str) -> float:
    known = [row[name] for row in rows if name in row]
    return sum(known) / len(known)
