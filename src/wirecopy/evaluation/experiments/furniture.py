"""Pages of one story in many sites' furniture: of made-up sites, or of labelled pages whose articles are taken out.

`Collection` gives what each way of extraction sees of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import cycle, islice

import numpy as np
from numpy.typing import NDArray

from ... import _core, extraction
from ...demo.archive import FIRST_DAY, TOPICS, Author, Paper, Paragraph, Story
from ...demo.pages import DESIGNS, Site
from ...errors import UsageError
from ...extraction.labelled import PageText, shingles
from ...model import Article, Page

COPIES = (1, 5, 2, 8, 1, 3, 6, 1, 4, 2)
"""How many pages tell the stories, in turn."""
IDENTICAL = 0.7
"""The share of reprints without a change; the paper has 3591 identical pairs and 1231 near-duplicates."""
CHANGED = (0.01, 0.15)
"""The least and the largest share of words that an edited reprint changes."""
SITES = 27
"""So many sites the paper has; of labelled pages those of the sites with most are taken."""
RUN_WORDS = 3


@dataclass(frozen=True)
class Collection:
    """Pages, their labelled articles, and the number of the story that each tells.

    `blocks` has for each model the blocks of each page, where there are no bytes to extract from.
    """

    pages: Sequence[Page]
    articles: Sequence[Article]
    stories: NDArray[np.int64]
    blocks: Mapping[str, Sequence[Sequence[str]]] | None = None

    def read(self, model: str, min_block_words: int = 0) -> Sequence[Article]:
        """The articles as a model sees them; without one, as they are labelled."""
        if not model:
            return self.articles
        if self.blocks is not None:
            kept = (
                [one for one in blocks if len(one.split()) >= min_block_words]
                for blocks in self.blocks[model]
            )
            return [
                Article(article.id, "\n\n".join(some))
                for article, some in zip(self.articles, kept, strict=True)
            ]
        found = extraction.extract_pages(self.pages, model=model, min_block_words=min_block_words)
        return [replace(one.article, published=None) for one in found]

    def has(self, model: str) -> bool:
        """Whether it can be read with a model."""
        return not model or self.blocks is None or model in self.blocks


def make_collection(
    pages: int, seed: int = 1, changed: tuple[float, float] = CHANGED, identical: float = IDENTICAL
) -> Collection:
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
    printed = list(islice(_print(author, sites, changed, identical), pages))
    by_site: dict[Site, list[Article]] = {site: [] for site in sites}
    for site, article, _ in printed:
        by_site[site].append(article)
    return Collection(
        [Page(article.id, site.render(article, by_site[site][::-1])) for site, article, _ in printed],
        [article for _, article, _ in printed],
        np.array([story for *_, story in printed]),
    )


def _print(
    author: Author, sites: Sequence[Site], changed: tuple[float, float], identical: float
) -> Iterator[tuple[Site, Article, int]]:
    for number, (topic, copies) in enumerate(zip(cycle(TOPICS), cycle(COPIES), strict=False)):
        story = author.story(topic, (5, 9), 15)
        for site in author.shuffled(sites)[:copies]:
            paragraphs = story.paragraphs if author.chance(identical) else _edit(author, story, changed)
            title = author.fill(author.pick(author.bank[f"title_{topic}"]), story.cast)
            published = FIRST_DAY + timedelta(minutes=story.minute + author.between(0, 600))
            article = Article(
                id=f"{site.paper.id}/{number}.html",
                text=_join(paragraphs),
                title=title[:1].upper() + title[1:],
                published=published.isoformat(),
                source=site.paper.name,
                author=author.fill("{first} {last}", {}),
                language="en",
            )
            yield site, article, number


def _join(paragraphs: Sequence[Paragraph]) -> str:
    return "\n\n".join(" ".join(word.text for word in paragraph) for paragraph in paragraphs)


def _edit(author: Author, story: Story, changed: tuple[float, float]) -> tuple[Paragraph, ...]:
    """Words changed here and there, and at times up to a third of the paragraphs left out, or as many added."""
    most = len(story.paragraphs) // 3
    least, largest = (int(1000 * share) for share in changed)
    paragraphs = author.edited(story.paragraphs, author.between(least, largest) / 1000, author.bank["editor"])
    if author.chance(1 / 3):
        return paragraphs[: -author.between(1, most)]
    if author.chance(1 / 3):
        return (*paragraphs, *author.paragraphs(story.topic, story.cast, author.between(1, most)))
    return paragraphs


def furnish(labelled: Sequence[PageText], seed: int = 1) -> Collection:
    """Made-up stories in the place of the articles of labelled pages, of the sites with most of these; a story is never twice on one site."""
    by_site = Counter(one.site for one in labelled)
    often = [site for site, number in by_site.most_common(SITES) if number > 1]
    if len(often) < 2:
        raise UsageError("expected labelled pages of two or more sites, each with two or more pages")
    author = Author(seed)
    rooms = {site: author.shuffled([one for one in labelled if one.site == site]) for site in often}
    pages: list[PageText] = []
    articles: list[Article] = []
    stories = []
    for number, (topic, copies) in enumerate(zip(cycle(TOPICS), cycle(COPIES), strict=False)):
        if not rooms:
            break
        story = author.story(topic, (5, 9), 15)
        for site in author.shuffled(list(rooms))[:copies]:
            is_same = author.chance(IDENTICAL)
            paragraphs = story.paragraphs if is_same else _edit(author, story, CHANGED)
            pages.append(rooms[site].pop())
            articles.append(Article(pages[-1].id, _join(paragraphs), source=site))
            stories.append(number)
        rooms = {site: left for site, left in rooms.items() if left}
    told = [article.text.split("\n\n") for article in articles]
    blocks = {
        model: [_replace(page, model, story) for page, story in zip(pages, told, strict=True)]
        for model in ("page", "heuristic")
    }
    return Collection((), articles, np.array(stories), blocks)


def _replace(page: PageText, model: str, story: Sequence[str]) -> list[str]:
    """The blocks of a page as a model takes them, a story in the place of its article."""
    (found,) = extraction.extract_pages([Page(page.id, page.content)], model=model, with_blocks=True)
    gold = shingles(_core.split_words(page.text), RUN_WORDS)
    is_told, blocks = False, []
    for block in found.blocks:
        runs = shingles(_core.split_words(block.text), RUN_WORDS)
        if not len(runs) or 2 * np.isin(runs, gold).sum() <= len(runs):
            blocks.append(block.text)
        elif not is_told:
            blocks += story
            is_told = True
    return blocks if is_told else [*blocks, *story]


def with_scripts(collection: Collection, written: Callable[[int], str]) -> Collection:
    """The same pages, each with a script, by its number."""
    pages = [
        replace(
            page,
            content=page.content.replace(b"</head>", f"<script>{written(at)}</script></head>".encode(), 1),
        )
        for at, page in enumerate(collection.pages)
    ]
    return replace(collection, pages=pages)
