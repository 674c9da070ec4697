"""Near-duplicates on pages: CEDAR's tables 1 and 2 as an experiment, `python -m benchmarks.pages`.

The same made-up articles, as they are and lightly edited, are set into the furniture of 27 made-up sites. Every pair of
pages gets its resemblance by 2-word shingles, from what each way of extraction takes out of them; how well that tells
pairs of one story from all others is the area under the ROC curve. Pairs without a common shingle score 0, and ties
count half; the standard error is Hanley and McNeil's.

Gibson, Wellner, Lubar, "Identification of Duplicate News Stories in Web Pages", 2008: 1621 pages of 27 sites.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import cycle, islice

import numpy as np
from numpy.typing import NDArray

import wirecopy
from benchmarks.run import check, table
from wirecopy import extraction, methods
from wirecopy.demo.archive import FIRST_DAY, TOPICS, Author, Paper, Paragraph, Story
from wirecopy.demo.pages import DESIGNS, Site
from wirecopy.measures import Area, area
from wirecopy.model import Article, Page

COPIES = (1, 5, 2, 8, 1, 3, 6, 1, 4, 2)
"""How many pages tell the stories, in turn."""
IDENTICAL = 0.7
"""The share of reprints without a change; the paper has 3591 identical pairs and 1231 near-duplicates."""
WITHIN, TENTH = 0.005, 0.1
"""How far from the labelled text's area extraction may be; and of the whole page's distance from 1, the most that may be left."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Way:
    """A way to come from pages to shingles, and what the paper measured; without a model it is the labelled text."""

    name: str
    model: str = ""
    paper: str = ""
    min_block_words: int = 0
    leave_out_share: float = 0.0


WAYS = (
    Way("whole page", "page", "0.94275 ± 0.00233"),
    Way("whole page, MinBlock 5", "page", "0.95883 ± 0.00200", 5),
    Way("whole page, 7.5 % of shingles", "page", "0.99751 ± 0.00005", 0, 0.075),
    Way("heuristic", "heuristic", "0.91076 ± 0.00283"),
    Way("heuristic, 7.5 % of shingles", "heuristic", "0.99500 ± 0.00072", 0, 0.075),
    Way("heuristic, 5 % and MinBlock 12", "heuristic", "0.99994 ± 0.00008", 12, 0.05),
    Way("maxent (CE-SIMPLE)", "maxent", "0.9999922 ± 0.0000284"),
    Way("crf (CE-BEST)", "crf", "0.9999933 ± 0.0000272"),
    Way("labelled text", "", "0.9999935 ± 0.0000259"),
)


@dataclass(frozen=True)
class Collection:
    """Pages, their labelled articles, and the number of the story that each tells."""

    pages: Sequence[Page]
    articles: Sequence[Article]
    stories: NDArray[np.int64]


def make_collection(pages: int, seed: int = 1) -> Collection:
    """So many pages of three sites a design; a story is never twice on one site."""
    author = Author(seed)
    sites = [
        Site(Paper(f"{town.lower().replace(' ', '-')}-{kind.lower()}", f"{town} {kind}"), design)
        for town, kind, design in zip(
            author.shuffled(author.bank["town"]),
            cycle(("News", "Times", "Echo", "Observer", "Chronicle")),
            DESIGNS * 3,
            strict=False,
        )
    ]
    printed = list(islice(_print(author, sites), pages))
    by_site: dict[Site, list[Article]] = {site: [] for site in sites}
    for site, article, _ in printed:
        by_site[site].append(article)
    return Collection(
        [Page(article.id, site.render(article, by_site[site][::-1])) for site, article, _ in printed],
        [article for _, article, _ in printed],
        np.array([story for *_, story in printed]),
    )


def _print(author: Author, sites: Sequence[Site]) -> Iterator[tuple[Site, Article, int]]:
    for number, (topic, copies) in enumerate(zip(cycle(TOPICS), cycle(COPIES), strict=False)):
        story = author.story(topic, (5, 9), 15)
        for site in author.shuffled(sites)[:copies]:
            paragraphs = story.paragraphs if author.chance(IDENTICAL) else _edit(author, story)
            title = author.fill(author.pick(author.bank[f"title_{topic}"]), story.cast)
            published = FIRST_DAY + timedelta(minutes=story.minute + author.between(0, 600))
            article = Article(
                id=f"{site.paper.id}/{number}.html",
                text="\n\n".join(" ".join(word.text for word in paragraph) for paragraph in paragraphs),
                title=title[:1].upper() + title[1:],
                published=published.isoformat(),
                source=site.paper.name,
                author=author.fill("{first} {last}", {}),
                language="en",
            )
            yield site, article, number


def _edit(author: Author, story: Story) -> tuple[Paragraph, ...]:
    """Words changed here and there, and at times up to a third of the paragraphs left out, or as many added."""
    most = len(story.paragraphs) // 3
    paragraphs = author.edited(story.paragraphs, author.between(10, 150) / 1000, author.bank["editor"])
    if author.chance(1 / 3):
        return paragraphs[: -author.between(1, most)]
    if author.chance(1 / 3):
        return (*paragraphs, *author.paragraphs(story.topic, story.cast, author.between(1, most)))
    return paragraphs


def read(collection: Collection, way: Way) -> Sequence[Article]:
    """The articles of a collection as a way of extraction sees them."""
    if not way.model:
        return collection.articles
    found = extraction.extract_pages(collection.pages, model=way.model, min_block_words=way.min_block_words)
    return [replace(one.article, published=None) for one in found]


def resemblances(articles: Sequence[Article], leave_out_share: float) -> Floats:
    """The resemblance of all pairs, in the order of `np.triu_indices`."""
    method = methods.get("resemblance", threshold=1e-6, leave_out_share=leave_out_share)
    numbers = {article.id: number for number, article in enumerate(articles)}
    scores = np.zeros((len(articles), len(articles)))
    for opinion in wirecopy.opinions(list(articles), method):
        pair = sorted((numbers[opinion.query], numbers[opinion.found]))
        scores[pair[0], pair[1]] = opinion.rank
    upper: Floats = scores[np.triu_indices(len(articles), 1)]
    return upper


def measure(collection: Collection, ways: Sequence[Way] = WAYS) -> dict[str, Area]:
    """Area and standard error, by the name of the way."""
    first, second = np.triu_indices(len(collection.stories), 1)
    same = collection.stories[first] == collection.stories[second]
    measured = {
        way.name: area(same, resemblances(read(collection, way), way.leave_out_share)) for way in ways
    }
    return {name: under for name, under in measured.items() if under}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    collection = make_collection(options.pages, options.seed)
    sites = len({article.source for article in collection.articles})
    measured = measure(collection)
    print(f"\n== {options.pages} made-up pages of {sites} sites, near-duplicates by 2-word shingles ==\n")
    rows = [
        [way.name, f"{measured[way.name][0]:.7f} ± {measured[way.name][1]:.7f}", way.paper] for way in WAYS
    ]
    print(table(["extraction", "AU-ROC", "the paper's"], rows))
    whole, labelled = measured["whole page"][0], measured["labelled text"][0]
    under = measured["crf (CE-BEST)"][0]
    left = (1 - under) / (1 - whole)
    lines = [
        ("crf, below the labelled text", labelled - under, f"≤ {WITHIN}", labelled - under <= WITHIN),
        ("crf, distance from 1, of the whole page's", left, f"≤ {TENTH}", left <= TENTH),
    ]
    return 0 if check(lines) else 1


if __name__ == "__main__":
    sys.exit(main())
