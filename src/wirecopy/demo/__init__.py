"""A made-up archive whose copies are known: some 300 articles of invented newspapers, as pages and as texts, and every
true pair, forms that were filled in anew among them.

`archive` writes the articles and knows the truth, `pages` sets them into the sites of the papers. All text is our own
and stands in files of this folder.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from pathlib import Path

from wirecopy.demo.archive import Newsroom, Printed, relation
from wirecopy.demo.pages import render
from wirecopy.measures import Rates, rate
from wirecopy.model import Match, Relation


@dataclass(frozen=True)
class Score:
    """How reported pairs compare with the true ones; `str` gives the last lines of a demo."""

    true_pairs: int
    reported: int
    found: int
    agreeing: int
    """Pairs found with the true relation, and the same article as query."""

    @property
    def _rates(self) -> Rates:
        return rate(self.found, self.reported, self.true_pairs)

    @property
    def precision(self) -> float:
        """Share of the reported pairs that are true, copies as copies and forms as forms."""
        return self._rates.precision

    @property
    def recall(self) -> float:
        """Share of the true pairs that are reported so."""
        return self._rates.recall

    def __str__(self) -> str:
        return (
            f"relation agrees for {self.agreeing} of {self.found} pairs found\n"
            f"precision {self.precision:.3f}  recall {self.recall:.3f}"
            f"  ({self.true_pairs} true pairs, {self.reported} reported)"
        )


@dataclass(frozen=True)
class Difference:
    """A pair whose relation is not the same from texts as from pages; None where it is no match there."""

    query: str
    found: str
    from_texts: Relation | None
    from_pages: Relation | None

    def __str__(self) -> str:
        return f"{self.query} {self.found}: {self.from_texts or 'no copy'} from the texts, {self.from_pages or 'no copy'} from the pages"


Truth = Mapping[tuple[str, str], Relation]
"""The relation of every true pair (query, found)."""


def write_archive(folder: Path, seed: int = 1) -> Path:
    """Write `pages/`, `articles.jsonl` and `truth.jsonl` into the folder, which is made if need be; return the folder.

    The id of an article is the path of its page below `pages/`. Pages of an earlier archive in the folder are deleted.
    """
    printed = sorted(Newsroom(seed).print_all(), key=_moment)
    truth = [
        {"query": query.article.id, "found": found.article.id, "relation": str(related)}
        for found, query in combinations(printed, 2)
        if (related := relation(query, found))
    ]
    fields = ("id", "source", "title", "author", "published", "language", "text")
    articles = [{name: getattr(item.article, name) for name in fields} for item in printed]
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "truth.jsonl").exists():
        for old in folder.glob("pages/*/*.html"):
            old.unlink()
    for name, content in render([item.article for item in printed]):
        _write(folder / "pages" / name, content)
    for name, records in (("articles.jsonl", articles), ("truth.jsonl", truth)):
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        _write(folder / name, "".join(lines).encode())
    return folder


def write_labelled(folder: Path, seed: int = 1, pages_a_site: int = 1000) -> Path:
    """Write labelled pages for `wirecopy train`, one folder for each site, each page with its text beside it; return the folder."""
    texts = {item.article.id: item.article for item in Newsroom(seed).print_all()}
    written: Counter[str] = Counter()
    for name, content in render(list(texts.values())):
        article = texts[name]
        written[article.source or ""] += 1
        if written[article.source or ""] <= pages_a_site:
            _write(folder / name, content)
            _write((folder / name).with_suffix(".txt"), article.text.encode())
    return folder


def _moment(item: Printed) -> datetime:
    return datetime.fromisoformat(item.article.published or "")


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def read_truth(folder: Path) -> Truth:
    """The true pairs of an archive that `write_archive` wrote."""
    records = map(json.loads, filter(None, (folder / "truth.jsonl").read_text("utf-8").split("\n")))
    return {(record["query"], record["found"]): Relation(record["relation"]) for record in records}


def differences(texts: Iterable[Match], pages: Iterable[Match]) -> list[Difference]:
    """The pairs whose relation differs between the matches in the texts and those in the pages, sorted."""
    from_texts, from_pages = _relations(texts), _relations(pages)
    both = (
        Difference(*pair, from_texts.get(pair), from_pages.get(pair))
        for pair in sorted(from_texts | from_pages)
    )
    return [one for one in both if one.from_texts != one.from_pages]


def score(matches: Iterable[Match], truth: Truth) -> Score:
    """Compare matches with the truth.

    A pair counts as found whichever of the two is called the query, and whatever kind of copy it is called; but a form
    that is called a copy is wrong, and so is a copy that is called a form.
    """
    reported = _relations(matches)
    is_form = {frozenset(pair): relation is Relation.FORM for pair, relation in truth.items()}
    return Score(
        true_pairs=len(is_form),
        reported=len(reported),
        found=sum(
            is_form.get(frozenset(pair)) is (relation is Relation.FORM) for pair, relation in reported.items()
        ),
        agreeing=sum(truth.get(pair) == relation for pair, relation in reported.items()),
    )


def _relations(matches: Iterable[Match]) -> dict[tuple[str, str], Relation]:
    return {(match.query, match.found): match.relation for match in matches}
