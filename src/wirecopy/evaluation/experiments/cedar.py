"""CEDAR (Gibson, Wellner, Lubar 2008): near-duplicates among pages of many sites, with and without taking the articles out of them.

Pages of one story stand in the furniture of many sites. How well the resemblance of shingles tells the pairs of one story from all others is the area
under the ROC curve over all pairs; then a threshold is tuned on one half of the stories and measured on the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from itertools import cycle, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import _core, extraction
from ...demo.archive import FIRST_DAY, TOPICS, Author, Paper, Paragraph, Story
from ...demo.pages import DESIGNS, Site
from ...measures import Area, area, b_cubed, pairs_of_clusters
from ...methods.resemblance import Resemblance
from ...model import Article, Page
from ...pile import opinions
from . import Figure, Setting, Table, describe

PAPER = "Gibson, Wellner, Lubar 2008"
TABLES = ("1", "2", "3", "figure 3", "figure 4", "figure 5")
PAGES = 400
COPIES = (1, 5, 2, 8, 1, 3, 6, 1, 4, 2)
"""How many pages tell the stories, in turn."""
IDENTICAL = 0.7
"""The share of reprints without a change; the paper has 3591 identical pairs and 1231 near-duplicates."""
STEPS = tuple(number / 20 for number in range(1, 20))

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Way:
    """A way to come from pages to shingles, and what the paper measured; without a model it is the labelled text."""

    name: str
    model: str = ""
    paper: str = ""
    min_block_words: int = 0
    leave_out_share: float = 0.0
    shingle_words: int = 2


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
TUNED = (
    (Way("heuristic, 5 % of shingles", "heuristic", leave_out_share=0.05), (0.35, 0.890, 0.869)),
    (Way("heuristic, MinBlock 8", "heuristic", min_block_words=8), (0.4, 0.889, 0.889)),
    (
        Way("heuristic, 5 % and MinBlock 9", "heuristic", min_block_words=9, leave_out_share=0.05),
        (0.35, 0.917, 0.917),
    ),
    (Way("maxent (CE-SIMPLE)", "maxent"), (0.4, 0.985, 0.985)),
    (Way("crf (CE-BEST)", "crf"), (0.4, 0.985, 0.985)),
    (Way("labelled text"), (0.4, 0.985, 0.985)),
)
"""Table 3: the tuned threshold, B³ F and pairwise F; five of its rows repeat B³ as pairwise."""


@dataclass(frozen=True)
class Collection:
    """Pages, their labelled articles, and the number of the story that each tells."""

    pages: Sequence[Page]
    articles: Sequence[Article]
    stories: NDArray[np.int64]


def run(setting: Setting) -> Iterator[Table]:
    """Yields tables 1 to 3 and figures 3 to 5."""
    collection = make_collection(setting.articles or PAGES, setting.seed)
    notes = [
        f"on {describe(collection.articles, replace(setting, named=''))} in {len({one.source for one in collection.articles})} sites' furniture, "
        f"{len(np.unique(collection.stories))} stories",
        "Published: 1,621 pages of 27 news sites; the paper's counts of duplicate pairs disagree (4,822 and 4,815).",
    ]
    if setting.corpus:
        notes.append(
            "The corpus named is not used: the experiment needs pages with their labelled texts and stories."
        )
    if setting.wants("1", "2"):
        yield from _tables_by_way(collection, setting, notes)
    if setting.wants("figure 3"):
        yield _by_blocks(collection, setting, notes)
    if setting.wants("figure 4"):
        yield _by_share(collection, setting, notes)
    if setting.wants("figure 5"):
        yield _by_length(collection, setting, notes)
    if setting.wants("3"):
        rows = [(way.name, *_tune(collection, way, setting), published) for way, published in TUNED]
        flat = [
            (name, threshold, told[0], cubed, told[1], pairs, told[2])
            for name, threshold, cubed, pairs, told in rows
        ]
        heads = ("extraction", "T", "published", "B³ F", "published", "pairwise F", "published")
        said = "Tuned on the development half, measured on the other; no story is in both. Five of the paper's rows repeat B³ as pairwise."
        yield Table("3", "Clusters at a tuned threshold", heads, flat, [*notes, said])


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


def resemblances(articles: Sequence[Article], leave_out_share: float, shingle_words: int = 2) -> Floats:
    """The resemblance of all pairs, in the order of `np.triu_indices`."""
    method = Resemblance(threshold=1e-6, leave_out_share=leave_out_share, shingle_words=shingle_words)
    numbers = {article.id: number for number, article in enumerate(articles)}
    scores = np.zeros((len(articles), len(articles)))
    for opinion in opinions(list(articles), method):
        pair = sorted((numbers[opinion.query], numbers[opinion.found]))
        scores[pair[0], pair[1]] = opinion.rank
    upper: Floats = scores[np.triu_indices(len(articles), 1)]
    return upper


def same_story(collection: Collection) -> NDArray[np.bool_]:
    """Whether the two pages of each pair tell one story, in the order of `np.triu_indices`."""
    first, second = np.triu_indices(len(collection.stories), 1)
    same: NDArray[np.bool_] = collection.stories[first] == collection.stories[second]
    return same


def measure(collection: Collection, ways: Sequence[Way] = WAYS) -> dict[str, Area]:
    """Area and standard error, by the name of the way."""
    same = same_story(collection)
    measured = {
        way.name: area(same, resemblances(read(collection, way), way.leave_out_share, way.shingle_words))
        for way in ways
    }
    return {name: under for name, under in measured.items() if under}


def _tables_by_way(collection: Collection, setting: Setting, notes: Sequence[str]) -> Iterator[Table]:
    setting.say("tables 1 and 2")
    measured = measure(collection)
    rows = {
        way.name: (way.name, f"{measured[way.name].area:.7f} ± {measured[way.name].error:.7f}", way.paper)
        for way in WAYS
    }
    heads = ("extraction", "AU-ROC", "published")
    extracted = [name for name in rows if name == "heuristic" or name not in [way.name for way in WAYS[:6]]]
    if setting.wants("1"):
        yield Table(
            "1", "Content extraction, shingles of 2 words", heads, [rows[name] for name in extracted], notes
        )
    if setting.wants("2"):
        page, plain = measured["whole page"].area, measured["heuristic"].area
        shows = (
            "shows here too"
            if page > plain
            else "does not show here, perhaps as our pages have less script and style in common"
        )
        said = f"Published: the whole page does better than the heuristic; that {shows}."
        yield Table(
            "2", "Filters instead of extraction", heads, [rows[way.name] for way in WAYS[:6]], [*notes, said]
        )


def _areas(collection: Collection, ways: Sequence[Way]) -> list[str]:
    """The area of each way; pages are read once for each model and block length."""
    same = same_story(collection)
    articles = cache(lambda model, words: read(collection, Way("", model, min_block_words=words)))
    under = (
        area(
            same,
            resemblances(articles(way.model, way.min_block_words), way.leave_out_share, way.shingle_words),
        )
        for way in ways
    )
    return [f"{one.area:.5f}" if one else "" for one in under]


def _by_blocks(collection: Collection, setting: Setting, notes: Sequence[str]) -> Table:
    setting.say("figure 3")
    lengths = (1, 2, 3, 5, 8, 10, 12, 15, 20)
    lines = [
        _areas(collection, [Way("", model, "", words, 0.0, 6) for words in lengths])
        for model in ("page", "heuristic")
    ]
    rows = list(zip(lengths, *lines, strict=True))
    heads = ("least words of a block", "whole page", "heuristic")
    said = "Published: better up to 10 words, worse from 17 on."
    return Figure("figure 3", "AU-ROC by least words of a block, shingles of 6", heads, rows, [*notes, said])


def _by_share(collection: Collection, setting: Setting, notes: Sequence[str]) -> Table:
    setting.say("figure 4")
    shares = (0.0, 0.01, 0.025, 0.05, 0.075, 0.1)
    lines = [
        _areas(collection, [Way("", model, "", 0, share, 6) for share in shares])
        for model in ("page", "heuristic", "crf")
    ]
    rows = [(f"{share:.1%}", *values) for share, *values in zip(shares, *lines, strict=True)]
    heads = ("most frequent left out", "whole page", "heuristic", "crf")
    said = "Published: helps more than leaving out short blocks. Of extracted text it leaves out what copies share: in a small collection those are the frequent ones."
    return Figure(
        "figure 4", "AU-ROC by share of shingles left out, shingles of 6", heads, rows, [*notes, said]
    )


def _by_length(collection: Collection, setting: Setting, notes: Sequence[str]) -> Table:
    setting.say("figure 5")
    same = same_story(collection)
    articles = read(collection, Way("", "crf"))
    areas = [area(same, resemblances(articles, 0.0, words)) or Area(0.0, 0.0) for words in range(1, 11)]
    rows = [
        (words, *(f"{value:.7f}" for value in (one.area, one.area - one.error, one.area + one.error)))
        for words, one in enumerate(areas, 1)
    ]
    best = 1 + int(np.argmax([one.area for one in areas]))
    clear = areas[0].area - areas[0].error > areas[3].area
    said = (
        "Published: two words do best, and one does better than four by more than the error. "
        f"Here {best} is best, and that one does better than four {'shows too' if clear else 'does not show'}."
    )
    heads = ("words of a shingle", "AU-ROC", "less its error", "plus its error")
    return Figure("figure 5", "AU-ROC by length of shingles, crf", heads, rows, [*notes, said])


def _tune(collection: Collection, way: Way, setting: Setting) -> tuple[float, float, float]:
    """The threshold with the best pairwise F on half of the stories, and B³ F and pairwise F of clusters on the others."""
    setting.say(way.name)
    articles = len(collection.stories)
    first, second = np.triu_indices(articles, 1)
    scores = resemblances(read(collection, way), way.leave_out_share, way.shingle_words)
    stories = np.unique(collection.stories)
    chosen = np.random.default_rng(setting.seed).permutation(stories)[: len(stories) // 2]
    in_development = np.isin(collection.stories, chosen)

    def measure_half(half: NDArray[np.bool_], threshold: float) -> tuple[float, float]:
        joined = (scores >= threshold) & half[first] & half[second]
        answer = _components(articles, first[joined], second[joined])[half]
        truth = collection.stories[half]
        return b_cubed(truth, answer).f, pairs_of_clusters(truth, answer).f

    best = max(STEPS, key=lambda threshold: (measure_half(in_development, threshold)[1], threshold))
    return best, *measure_half(~in_development, best)


def _components(articles: int, first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.uint32]:
    return _core.components(articles, first.astype(np.uint32), second.astype(np.uint32))
