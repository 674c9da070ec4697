"""CEDAR (Gibson, Wellner, Lubar 2008): near-duplicates among pages of many sites, with and without taking the articles out of them.

Pages of one story stand in the furniture of many sites. How well the resemblance of shingles tells the pairs of one story from all others is the area
under the ROC curve over all pairs; then a threshold is tuned on one half of the stories and measured on the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import _core, extraction
from ...errors import UsageError
from ...measures import Area, area, b_cubed, pairs_of_clusters, rate
from ...methods.resemblance import Resemblance
from ...model import Article
from ...pile import opinions
from . import Figure, Setting, Table, describe
from .furniture import Collection, furnish, make_collection, with_scripts

PAPER = "Gibson, Wellner, Lubar 2008"
TABLES = ("blocks", "1", "2", "3", "figure 3", "figure 4", "figure 5", "scripts", "edits")
MADE_UP = ("blocks", "scripts", "edits")
"""What needs pages of which all is known."""
CORPUS = "labelled pages"
PAGES, FEWER = 400, 200
"""How many pages there are; fewer where they are made anew for each row."""
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


BLOCKS = (
    ("maxent (CE-SIMPLE)", "maxent", (0.960, 0.981, 0.58)),
    ("crf (CE-BEST)", "crf", (0.979, 0.995, 0.80)),
)
"""Precision and recall of blocks, and the share of pages without a mistake."""


def run(setting: Setting) -> Iterator[Table]:
    """Yields tables 1 to 3, figures 3 to 5, how well blocks are told, and when two of the paper's findings show."""
    if setting.pages and setting.wanted and set(setting.wanted) <= set(MADE_UP):
        raise UsageError(f"{', '.join(setting.wanted)}: only of made-up pages; leave out the corpus")
    size = setting.articles or PAGES
    collection = (
        furnish(setting.pages, setting.seed) if setting.pages else make_collection(size, setting.seed)
    )
    about = f"on {describe(collection.articles, setting if setting.pages else replace(setting, named=''))}"
    sites = len({one.source for one in collection.articles})
    notes = [
        f"{about} in {sites} sites' furniture, {len(np.unique(collection.stories))} stories",
        "Published: 1,621 pages of 27 news sites; the paper's counts of duplicate pairs disagree (4,822 and 4,815).",
    ]
    if setting.pages:
        notes.append(
            "Made-up stories stand in the place of the articles of labelled pages, so furniture and scripts are real; what a model would extract is not known then."
        )
    if setting.wants("blocks") and not setting.pages:
        yield _by_block(collection, notes)
    if setting.wants("1", "2"):
        yield from _tables_by_way(collection, setting, notes)
    if setting.wants("figure 3"):
        yield _by_blocks(collection, setting, notes)
    if setting.wants("figure 4"):
        yield _by_share(collection, setting, notes)
    if setting.wants("figure 5"):
        yield _by_length(collection, setting, notes)
    if setting.wants("3"):
        yield _table_3(collection, setting, notes)
    if setting.wants("scripts") and not setting.pages:
        yield _scripts(setting)
    if setting.wants("edits") and not setting.pages:
        yield _edits(setting)


def _by_block(collection: Collection, notes: Sequence[str]) -> Table:
    """How many blocks are rightly told, and in how many pages all are. A block is content if it is a paragraph of the page's article."""
    rows = []
    for name, model, published in BLOCKS:
        found = extraction.extract_pages(collection.pages, model=model, with_blocks=True)
        said = [np.array([block.content for block in one.blocks], bool) for one in found]
        true = [
            np.array([block.text in set(article.text.split("\n\n")) for block in one.blocks], bool)
            for one, article in zip(found, collection.articles, strict=True)
        ]
        all_said, all_true = np.concatenate(said), np.concatenate(true)
        rates = rate(int((all_said & all_true).sum()), int(all_said.sum()), int(all_true.sum()))
        perfect = float(np.mean([np.array_equal(*one) for one in zip(said, true, strict=True)]))
        ours = rates.precision, rates.recall, perfect
        rows.append((name, *(cell for both in zip(ours, published, strict=True) for cell in both)))
    heads = ("extraction", "block P", "published", "block R", "published", "perfect pages", "published")
    said_of = (
        "Our models were trained on other sites' pages, and these are tidier than real ones; of 4,444 real pages, each by a model that has not seen its site, "
        "docs/extraction.md tells the same."
    )
    return Table("blocks", "Content extraction, by block", heads, rows, [*notes, said_of])


def read(collection: Collection, way: Way) -> Sequence[Article]:
    """The articles of a collection as a way of extraction sees them."""
    return collection.read(way.model, way.min_block_words)


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
        if collection.has(way.model)
    }
    return {name: under for name, under in measured.items() if under}


def _tables_by_way(collection: Collection, setting: Setting, notes: Sequence[str]) -> Iterator[Table]:
    setting.say("tables 1 and 2")
    measured = measure(collection)
    rows = {
        way.name: (way.name, f"{measured[way.name].area:.7f} ± {measured[way.name].error:.7f}", way.paper)
        for way in WAYS
        if way.name in measured
    }
    heads = ("extraction", "AU-ROC", "published")
    extracted = [name for name in rows if name == "heuristic" or name not in [way.name for way in WAYS[:6]]]
    if setting.wants("1"):
        yield Table(
            "1", "Content extraction, shingles of 2 words", heads, [rows[name] for name in extracted], notes
        )
    if setting.wants("2"):
        page, plain = measured["whole page"].area, measured["heuristic"].area
        shows = "shows here too" if page > plain else "does not show here: table `scripts` says when it would"
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
    models = [model for model in ("page", "heuristic", "crf") if collection.has(model)]
    lines = [_areas(collection, [Way("", model, "", 0, share, 6) for share in shares]) for model in models]
    rows = [(f"{share:.1%}", *values) for share, *values in zip(shares, *lines, strict=True)]
    heads = ("most frequent left out", "whole page", *models[1:])
    said = "Published: helps more than leaving out short blocks. Of extracted text it leaves out what copies share: in a small collection those are the frequent ones."
    return Figure(
        "figure 4", "AU-ROC by share of shingles left out, shingles of 6", heads, rows, [*notes, said]
    )


def _by_length(collection: Collection, setting: Setting, notes: Sequence[str]) -> Table:
    setting.say("figure 5")
    same = same_story(collection)
    model = "crf" if collection.has("crf") else ""
    articles = collection.read(model)
    areas = [area(same, resemblances(articles, 0.0, words)) or Area(0.0, 0.0) for words in range(1, 11)]
    rows = [
        (words, *(f"{value:.7f}" for value in (one.area, one.area - one.error, one.area + one.error)))
        for words, one in enumerate(areas, 1)
    ]
    best = 1 + int(np.argmax([one.area for one in areas]))
    clear = areas[0].area > areas[3].area + areas[3].error
    said = (
        "Published: two words do best, and one does better than four by more than the error. "
        f"Here {best} is best, and that one does better than four {'shows too' if clear else 'does not show: table `edits` says when it does'}."
    )
    heads = ("words of a shingle", "AU-ROC", "less its error", "plus its error")
    return Figure(
        "figure 5", f"AU-ROC by length of shingles, {model or 'labelled text'}", heads, rows, [*notes, said]
    )


def _table_3(collection: Collection, setting: Setting, notes: Sequence[str]) -> Table:
    rows = []
    for way, published in TUNED:
        if collection.has(way.model):
            ours = _tune(collection, way, setting)
            rows.append((way.name, *(cell for both in zip(ours, published, strict=True) for cell in both)))
    heads = ("extraction", "T", "published", "B³ F", "published", "pairwise F", "published")
    said = "Tuned on the development half, measured on the other; no story is in both. Five of the paper's rows repeat B³ as pairwise."
    return Table("3", "Clusters at a tuned threshold", heads, rows, [*notes, said])


SCRIPTS = (
    ("none", 0),
    ("of its site", 1000),
    ("the same on all pages", 1000),
    ("of its own", 1000),
    ("of its story", 60),
    ("of its story", 200),
    ("of its story", 1000),
)
"""What a script may hold, and how many words of it."""


def _scripts(setting: Setting) -> Table:
    """The whole page against the heuristic, which leaves out scripts, by what the scripts of pages hold."""
    collection = make_collection(min(setting.articles or FEWER, FEWER), setting.seed)
    (plain,) = (under.area for under in measure(collection, [Way("", "heuristic")]).values())
    rows = []
    for kind, words in SCRIPTS:
        setting.say(f"scripts: {kind}")
        scripted = (
            with_scripts(collection, partial(_script, collection, kind, words)) if words else collection
        )
        (page,) = (under.area for under in measure(scripted, [Way("", "page")]).values())
        rows.append((kind, words, page, plain, "yes" if page > plain else ""))
    heads = ("scripts hold words", "words", "whole page", "heuristic", "whole page better")
    notes = [
        f"on {describe(collection.articles, setting)}",
        "Published: whole page .943, heuristic .911, said without a reason. Scripts that belong to a site, to all or to one page make unlike pages alike or like "
        "ones unlike, so leaving them out can only help. The finding shows where scripts hold what tells the story (its headline, keywords, text for advertisers or readers), "
        "or if leaving scripts out takes text along, as it may from pages with tags that do not close.",
    ]
    return Table("scripts", "When the whole page does better than the heuristic", heads, rows, notes)


def _script(collection: Collection, kind: str, words: int, page: int) -> str:
    named = {
        "of its site": collection.articles[page].source,
        "the same on all pages": "",
        "of its own": collection.articles[page].id,
        "of its story": str(collection.stories[page]),
    }[kind]
    drawn = np.random.default_rng(list(f"{kind} {named}".encode()))
    return " ".join(f"v{number}" for number in drawn.integers(0, 3000, words).tolist())


def _edits(setting: Setting) -> Table:
    """The area by length of shingles, where reprints change more and more of their words."""
    lengths = (1, 2, 4, 6, 8)
    rows = []
    for share in (0.1, 0.2, 0.3, 0.4):
        setting.say(f"edits: {share:.0%}")
        collection = make_collection(min(setting.articles or FEWER, FEWER), setting.seed, (share, share), 0.3)
        same = same_story(collection)
        areas = [area(same, resemblances(collection.articles, 0.0, words)) for words in lengths]
        shown = [f"{one.area:.5f} ± {one.error:.5f}" if one else "" for one in areas]
        one, four = areas[0], areas[2]
        clear = one is not None and four is not None and one.area > four.area + four.error
        rows.append((f"{share:.0%}", *shown, "yes" if clear else ""))
    heads = (
        "words changed",
        *(f"{words} word{'s' * (words > 1)}" for words in lengths),
        "one better than four",
    )
    notes = [
        f"on {describe(collection.articles, setting)}, and as many for each row; seven reprints in ten are edited",
        "Published: two words do best, and one does better than four by more than the error. A changed word takes with it as many shingles as these have words, so the "
        "longer ones lose: the finding shows where near-duplicates are reworded throughout, a fifth of their words and more, beyond the error later; not where paragraphs are cut.",
    ]
    return Table("edits", "When one word does better than four", heads, rows, notes)


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
