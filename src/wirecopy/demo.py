"""A made-up archive whose copies are known: some 300 articles of invented newspapers, and every true pair.

Every word carries its provenance, a number that a copy keeps and an editor's word does not have. So the truth is
computed, not remembered: what two articles share is their words of common provenance, in stretches that bridge
small edits, and the relation follows from the shares. Boilerplate has no provenance and makes no pair. A copy that
would fall near a limit, where two honest readers could differ on the relation, is drawn again.

All sentences come from `demo_sentences.txt`. Only `random()` is drawn from the generator, the one stream that
Python promises to keep: a seed gives the same bytes everywhere.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import chain, combinations, count, cycle, islice, pairwise, product
from pathlib import Path
from typing import NamedTuple, TypeVar
from unicodedata import combining, normalize

from wirecopy.model import Article, Match, Relation

AGENCY = "meridian-wire"
PAPERS = (
    *("harbour-post", "valley-courier", "northern-ledger", "evening-lantern"),
    *("moorland-gazette", "city-mercury", "lakeside-tribune", "southern-star"),
)
TOPICS = ("council", "court", "business", "sport", "weather", "culture", "traffic", "school", "farm")
STORIES, STITCHED, QUOTATIONS, UNRELATED = 40, 12, 8, 116
COPIES = (1, 2, 3, 4, 3)
"""How often the stories are copied, in turn."""
FIRST_DAY = datetime(2026, 3, 2, 5)
DAY = 24 * 60

STRETCH_WORDS, BRIDGED_WORDS, COVERED = 20, 10, 0.8
"""What makes a pair, as the default preset defines it."""
CLEAR_STRETCH_WORDS, CLEAR_COVERED = 25, 0.04
"""How far a true pair stays from those limits."""
LONGEST_WORDS = 430
"""The longest copy, before boilerplate."""
DISTINCT_WORDS = 8
"""No run of so many words is written twice: stories share text by copying only."""

T = TypeVar("T")


class Word(NamedTuple):
    """A word as printed, and where it comes from."""

    text: str
    origin: int


Paragraph = tuple[Word, ...]


@dataclass(frozen=True)
class Story:
    """A text before any paper prints it, with the names that stay the same throughout."""

    topic: str
    cast: Mapping[str, str]
    paragraphs: tuple[Paragraph, ...]
    minute: int = 0


@dataclass(frozen=True)
class Printed:
    """An article of the archive and its own words, boilerplate left out."""

    article: Article
    words: Paragraph

    @cached_property
    def origins(self) -> frozenset[int]:
        """Where its words come from."""
        return frozenset(word.origin for word in self.words)


@dataclass(frozen=True)
class Score:
    """How reported pairs compare with the true ones; prints as the last lines of a demo."""

    true_pairs: int
    reported: int
    found: int
    agreeing: int
    """Pairs found with the true relation, and the same article as query."""

    @property
    def precision(self) -> float:
        """Share of the reported pairs that are true."""
        return self.found / self.reported if self.reported else 1.0

    @property
    def recall(self) -> float:
        """Share of the true pairs that are reported."""
        return self.found / self.true_pairs if self.true_pairs else 1.0

    def __str__(self) -> str:
        return (
            f"relation agrees for {self.agreeing} of {self.found} pairs found\n"
            f"precision {self.precision:.3f}  recall {self.recall:.3f}"
            f"  ({self.true_pairs} true pairs, {self.reported} reported)"
        )


Truth = Mapping[tuple[str, str], Relation]
"""The relation of every true pair (query, found)."""


def write_archive(folder: Path, seed: int = 1) -> Path:
    """Write `articles.jsonl` and `truth.jsonl` into the folder, which is made if need be; return the folder."""
    printed = sorted(_Newsroom(seed).print_all(), key=lambda item: item.article.published or "")
    pairs = ((query, found, _relation(query, found)) for found, query in combinations(printed, 2))
    truth = [
        {"query": query.article.id, "found": found.article.id, "relation": str(relation)}
        for query, found, relation in pairs
        if relation
    ]
    fields = ("id", "source", "title", "published", "language", "text")
    articles = [{name: getattr(item.article, name) for name in fields} for item in printed]
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in (("articles.jsonl", articles), ("truth.jsonl", truth)):
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (folder / name).write_bytes("".join(lines).encode())
    return folder


def read_truth(folder: Path) -> Truth:
    """The true pairs of an archive that `write_archive` wrote."""
    records = map(json.loads, (folder / "truth.jsonl").read_text("utf-8").splitlines())
    return {(record["query"], record["found"]): Relation(record["relation"]) for record in records}


def score(matches: Iterable[Match], truth: Truth) -> Score:
    """Compare matches with the truth; a pair counts as found whichever of the two is called the query."""
    reported = {(match.query, match.found): match.relation for match in matches}
    true_pairs = {frozenset(pair) for pair in truth}
    return Score(
        true_pairs=len(true_pairs),
        reported=len(reported),
        found=sum(frozenset(pair) in true_pairs for pair in reported),
        agreeing=sum(truth.get(pair) == relation for pair, relation in reported.items()),
    )


class _Overlap(NamedTuple):
    query_covered: float
    found_covered: float
    longest: int

    @property
    def clear(self) -> bool:
        return self.longest >= CLEAR_STRETCH_WORDS and all(
            abs(covered - COVERED) >= CLEAR_COVERED for covered in self[:2]
        )


def _overlap(query: Paragraph, found: Paragraph) -> _Overlap:
    places = {word.origin: place for place, word in enumerate(found)}
    stretches: list[list[tuple[int, int]]] = []
    for here, word in enumerate(query):
        there = places.get(word.origin)
        if there is None:
            continue
        last = stretches[-1][-1] if stretches else None
        near = last and here - last[0] <= BRIDGED_WORDS + 1 and 0 < there - last[1] <= BRIDGED_WORDS + 1
        if near:
            stretches[-1].append((here, there))
        else:
            stretches.append([(here, there)])
    passages = [stretch for stretch in stretches if len(stretch) >= STRETCH_WORDS]
    covered = (sum(passage[-1][side] - passage[0][side] + 1 for passage in passages) for side in (0, 1))
    return _Overlap(
        next(covered) / len(query), next(covered) / len(found), max(map(len, stretches), default=0)
    )


def _relation(query: Printed, found: Printed) -> Relation | None:
    if query.origins.isdisjoint(found.origins):
        return None
    if query.article.text == found.article.text:
        return Relation.IDENTICAL
    overlap = _overlap(query.words, found.words)
    match overlap.query_covered >= COVERED, overlap.found_covered >= COVERED:
        case True, True:
            return Relation.NEAR_DUPLICATE
        case True, False:
            return Relation.CONTAINED_IN
        case False, True:
            return Relation.CONTAINS
    return Relation.PARTIAL if overlap.longest >= STRETCH_WORDS else None


def _read_bank() -> dict[str, list[str]]:
    bank: dict[str, list[str]] = {}
    for line in Path(__file__).with_name("demo_sentences.txt").read_text("utf-8").splitlines():
        if line.startswith("@"):
            alternatives = bank[line[1:]] = []
        elif line and not line.startswith("#"):
            alternatives.append(line)
    return bank


class _Author:
    """Draws sentences, stories and the ways to copy them."""

    def __init__(self, seed: int) -> None:
        self.bank = _read_bank()
        self._random = random.Random(seed).random
        self._origins = count()
        self._written: set[tuple[str, ...]] = set()

    def between(self, low: int, high: int) -> int:
        return low + int(self._random() * (high - low + 1))

    def chance(self, share: float) -> bool:
        return self._random() < share

    def pick(self, items: Sequence[T]) -> T:
        return items[self.between(0, len(items) - 1)]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        return [item for _, _, item in sorted((self._random(), i, item) for i, item in enumerate(items))]

    def fill(self, template: str, cast: Mapping[str, str]) -> str:
        def draw(slot: re.Match[str]) -> str:
            return cast.get(slot[1]) or self.fill(self.pick(self.bank[slot[1]]), cast)

        return re.sub(r"\{(\w+)\}", draw, template)

    def words(self, texts: Iterable[str]) -> Paragraph:
        return tuple(Word(text, next(self._origins)) for text in texts)

    def sentence(
        self, templates: Iterator[str], cast: Mapping[str, str], before: Sequence[str] = ()
    ) -> list[str]:
        """The first of the templates, filled so that no run of words with those before it was ever written."""
        while True:
            text = self.fill(next(templates), cast)
            start = text[:1] == '"'
            new = (text[:start] + text[start].upper() + text[start + 1 :]).split()
            folded = [re.sub(r"\W", "", word).lower() for word in (*before[1 - DISTINCT_WORDS :], *new)]
            runs = set(zip(*(folded[i:] for i in range(DISTINCT_WORDS)), strict=False))
            if self._written.isdisjoint(runs):
                self._written |= runs
                return new

    def paragraphs(self, topic: str, cast: Mapping[str, str], number: int) -> tuple[Paragraph, ...]:
        own = self.shuffled(self.bank[topic])
        templates = cycle(own[:1] + self.shuffled(own[1:] + self.shuffled(self.bank["general"])[:16]))
        text: list[str] = []
        ends = [0]
        while len(ends) <= number:
            text += self.sentence(templates, cast, text)
            length = len(text) - ends[-1]
            if length >= 50 or (length >= 30 and self.chance(0.65)):
                ends.append(len(text))
        return tuple(self.words(text[start:end]) for start, end in pairwise(ends))

    def story(self, topic: str, paragraphs: tuple[int, int], latest_day: int) -> Story:
        cast = {name: self.fill(self.pick(self.bank[name]), {}) for name in self.bank if name.isupper()}
        text = self.paragraphs(topic, cast, self.between(*paragraphs))
        return Story(topic, cast, text, self.between(0, latest_day * DAY))

    def quotation(self) -> Paragraph:
        while True:
            said = self.sentence(cycle(['"{saying}," {verb_said} {expert}.']), {})
            if 25 <= len(said) <= 40:
                return self.words(said)

    def edited(
        self, paragraphs: Iterable[Paragraph], share: float, words: Sequence[str]
    ) -> tuple[Paragraph, ...]:
        """A share of the words replaced by an editor's, dropped, or with such a word put before them."""

        def edit(word: Word) -> Paragraph:
            if not self.chance(share):
                return (word,)
            if not words or self.chance(1 / 3):
                return ()
            mark = re.search(r"\W*$", word.text)
            if self.chance(1 / 2):
                return (*self.words([self.pick(words)]), word)
            return self.words([self.pick(words) + (mark[0] if mark else "")])

        return tuple(tuple(chain.from_iterable(map(edit, paragraph))) for paragraph in paragraphs)

    def reprint(self, story: Story) -> tuple[Paragraph, ...]:
        return story.paragraphs

    def restyle(self, story: Story) -> tuple[Paragraph, ...]:
        return self.edited(story.paragraphs, self.between(20, 120) / 1000, self.bank["editor"])

    def trim(self, story: Story) -> tuple[Paragraph, ...]:
        whole = story.paragraphs
        kept = self.between(2, max(2, len(whole) - 1))
        if self.chance(0.5):
            return whole[:kept]
        return tuple(whole[i] for i in sorted(self.shuffled(range(len(whole)))[:kept]))

    def extend(self, story: Story) -> tuple[Paragraph, ...]:
        own = self.paragraphs(story.topic, story.cast, self.between(1, 4))
        place = self.between(1, len(story.paragraphs))
        return (*story.paragraphs[:place], *own, *story.paragraphs[place:])

    def relead(self, story: Story) -> tuple[Paragraph, ...]:
        own = self.paragraphs(story.topic, story.cast, 1)
        return (*own, *story.paragraphs[self.between(1, 2) :])


class _Newsroom:
    """Prints stories and their copies, dressed in each paper's boilerplate."""

    def __init__(self, seed: int) -> None:
        self.author = _Author(seed)
        self.printed: list[Printed] = []
        self._minutes: set[int] = set()
        self._ids: set[str] = set()
        parts = product(("head", "middle", "close"), PAPERS)
        self._wanted = {part: cycle(self.author.shuffled((True, True, False))) for part in parts}

    def print_all(self) -> list[Printed]:
        author = self.author
        topics, papers = cycle(TOPICS), cycle(PAPERS)
        stories = [author.story(topic, (4, 7), 15) for topic in islice(topics, STORIES)]
        kinds = cycle([author.reprint, author.restyle, author.trim, author.extend, author.relead])
        for story, copies in zip(stories, cycle(COPIES), strict=False):
            original = AGENCY if author.chance(0.7) else next(papers)
            self._print(original, story, story.paragraphs, plain=author.chance(0.6))
            others = [paper for paper in PAPERS if paper != original]
            for paper, kind in zip(author.shuffled(others)[:copies], kinds, strict=False):
                self._print_copy(paper, story, kind)
        for paper in islice(papers, STITCHED):
            self._print_stitched(paper, stories)
        for _ in range(QUOTATIONS):
            said = author.quotation()
            for topic, paper in islice(zip(topics, papers, strict=False), 3):
                story = author.story(topic, (3, 6), 20)
                place = author.between(1, len(story.paragraphs))
                self._print(paper, story, (*story.paragraphs[:place], said, *story.paragraphs[place:]))
        for topic, paper in islice(zip(topics, papers, strict=False), UNRELATED):
            story = author.story(topic, (2, 8), 20)
            self._print(paper, story, story.paragraphs)
        for language, topic in (("tr", "turkish"), ("zh", "chinese")):
            self._print_foreign(language, topic, papers)
        return self.printed

    def _print_copy(self, paper: str, story: Story, kind: Callable[[Story], tuple[Paragraph, ...]]) -> None:
        author = self.author
        ways = [author.restyle, author.trim, author.extend, author.relead, author.reprint]
        for way in chain([kind] * 9, cycle(ways)):
            text = way(story)
            if way != author.reprint and author.chance(0.3):
                text = author.edited(text, 0.03, author.bank["editor"])
            if self._clear(text):
                break
        self._print(paper, story, text, 15, plain=way == author.reprint and author.chance(0.7))

    def _print_stitched(self, paper: str, stories: Sequence[Story]) -> None:
        author = self.author
        while True:
            parts = author.shuffled(stories)[: author.between(2, 3)]
            latest = max(parts, key=lambda part: part.minute)
            text = author.paragraphs(latest.topic, latest.cast, author.between(1, 2))
            for part in parts:
                start = author.between(0, len(part.paragraphs) - 2)
                text += part.paragraphs[start : start + author.between(1, 3)]
            if self._clear(text):
                break
        self._print(paper, latest, text, 3 * DAY)

    def _print_foreign(self, language: str, topic: str, papers: Iterator[str]) -> None:
        author = self.author
        sentences, titles = author.bank[topic], author.bank[f"title_{topic}"]
        each = len(sentences) // len(titles)
        for i, title in enumerate(titles):
            split = list if language == "zh" else str.split
            text = tuple(author.words(split(sentence)) for sentence in sentences[i * each : (i + 1) * each])
            story = Story(topic, {"title": title, "language": language}, text, author.between(0, 15 * DAY))
            self._print(AGENCY, story, text, plain=True)
            self._print(next(papers), story, author.edited(text, 0.04, ()), 15, plain=True)

    def _clear(self, text: Sequence[Paragraph]) -> bool:
        words = tuple(chain.from_iterable(text))
        origins = {word.origin for word in words}
        kin = (printed for printed in self.printed if not origins.isdisjoint(printed.origins))
        return len(words) <= LONGEST_WORDS and all(_overlap(words, printed.words).clear for printed in kin)

    def _print(
        self, paper: str, story: Story, text: Sequence[Paragraph], delay: int = 0, *, plain: bool = False
    ) -> None:
        author, cast = self.author, story.cast
        minute = story.minute + (author.between(delay, delay + 2 * DAY) if delay else 0)
        minute = next(free for free in count(minute) if free not in self._minutes)
        self._minutes.add(minute)
        published = FIRST_DAY + timedelta(minutes=minute)
        title = cast.get("title") or author.fill(author.pick(author.bank[f"title_{story.topic}"]), cast)
        glue = "" if cast.get("language") == "zh" else " "
        paragraphs = [glue.join(word.text for word in paragraph) for paragraph in text if paragraph]
        article = Article(
            id=self._id(f"{paper}/{published:%Y-%m-%d}", title),
            source=paper,
            title=title[:1].upper() + title[1:],
            published=f"{published.isoformat()}Z",
            language=cast.get("language", "en"),
            text="\n\n".join(
                paragraphs if plain or paper == AGENCY else self._dress(paper, paragraphs, published)
            ),
        )
        self.printed.append(Printed(article, tuple(chain.from_iterable(text))))

    def _id(self, start: str, title: str) -> str:
        plain = "".join(letter for letter in normalize("NFKD", title.lower()) if not combining(letter))
        slug = "-".join(re.findall(r"[a-z0-9]+", plain)[:5]) or "report"
        names = chain([f"{start}-{slug}"], (f"{start}-{slug}-{number}" for number in count(2)))
        name = next(name for name in names if name not in self._ids)
        self._ids.add(name)
        return name

    def _dress(self, paper: str, paragraphs: list[str], published: datetime) -> list[str]:
        author = self.author
        reporters = author.bank["last"][PAPERS.index(paper) :: len(PAPERS)]
        cast = {
            "date": f"{published.day} {author.bank['month'][published.month - 1]} {published.year}",
            "reporter": f"{author.pick(author.bank['first'])} {author.pick(reporters)}",
        }
        places = {"head": 0, "middle": author.between(1, len(paragraphs) - 1), "close": len(paragraphs)}
        dressed = list(paragraphs)
        for part, place in reversed(places.items()):
            if next(self._wanted[part, paper]):
                formula = author.fill(author.pick(author.bank[f"{part} {paper}"]), cast)
                dressed = [*dressed[:place], formula, *dressed[place:]]
        return dressed
