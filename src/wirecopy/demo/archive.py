"""The newsroom: stories, the ways to copy them, and what two articles truly share.

Every word carries its provenance, a number that a copy keeps and an editor's word does not have. So the truth is
computed, not remembered: what two articles share is their words of common provenance, in stretches that bridge
small edits, and the relation follows from the shares. Boilerplate has no provenance and makes no pair. A copy that
would fall near a limit, where two honest readers could differ on the relation, is drawn again. A form is filled in for one
occasion after another: its own words keep their provenance, what fills it is new, and articles on two occasions are no copies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from functools import cached_property
from itertools import chain, count, cycle, islice, pairwise, product
from typing import NamedTuple
from unicodedata import combining, normalize

from wirecopy.demo.bank import Draw, read_bank
from wirecopy.model import Article, Relation


@dataclass(frozen=True)
class Paper:
    """An invented newspaper, with its time zone and language."""

    id: str
    name: str
    hours: int = 0
    """How far its clock is ahead of UTC."""
    language: str = "en"


AGENCY = Paper("meridian-wire", "Meridian Wire")
PAPERS = (
    Paper("harbour-post", "Harbour Post"),
    Paper("valley-courier", "Valley Courier", 1),
    Paper("northern-ledger", "Northern Ledger", -5),
    Paper("evening-lantern", "Evening Lantern"),
    Paper("moorland-gazette", "Moorland Gazette"),
    Paper("city-mercury", "City Mercury", 1),
    Paper("lakeside-tribune", "Lakeside Tribune", -6),
    Paper("southern-star", "Southern Star", 10),
)
FOREIGN = (
    Paper("kuzkoy-postasi", "Kuzköy Postası", 3, "tr"),
    Paper("qingshi-ribao", "青石日报", 8, "zh"),
)
CORRESPONDENTS = {"tr": ("Sevgi Karaca", "Orhan Tekeli", "Melike Uzun"), "zh": ("江月明", "沈知秋", "韩立冬")}
TOPICS = ("council", "court", "business", "sport", "weather", "culture", "traffic", "school", "farm")
STORIES, STITCHED, QUOTATIONS, UNRELATED = 40, 12, 8, 83
COPIES = (1, 2, 3, 4, 3)
"""How many copies are made of each story, in turn."""
FIRST_DAY = datetime(2026, 3, 2, 5, tzinfo=UTC)
DAY = 24 * 60

STRETCH_WORDS, BRIDGED_WORDS, COVERED = 20, 10, 0.8
"""What makes a pair, in the default preset: the shortest passage, the edits that it may bridge, the share for a relation."""
CLEAR_STRETCH_WORDS, CLEAR_COVERED = 25, 0.04
"""How far a true pair stays from those limits."""
LONGEST_WORDS = 430
"""The longest copy, before boilerplate."""
DISTINCT_WORDS = 8
"""No run of this many words is written twice but in a form, so that stories share text by copying only."""


@dataclass(frozen=True)
class Form:
    """A report in set words: who prints it, on which days of the archive, and at which minute of them."""

    name: str
    paper: Paper
    minute: int
    days: tuple[int, ...]


FORMS = (
    Form("forecast", PAPERS[4], 0, (0, 1, 2, 5, 8, 11, 14, 18)),
    Form("exchange", AGENCY, 11 * 60, (0, 1, 3, 4, 8, 10, 15, 17)),
    Form("district", PAPERS[3], 17 * 60, (1, 4, 6, 9, 12, 13, 16, 18)),
)


class Word(NamedTuple):
    """A word as printed, and where it comes from."""

    text: str
    origin: int


Paragraph = tuple[Word, ...]


@dataclass(frozen=True)
class Story:
    """A text before any paper prints it; `cast` are the names that stay the same throughout it and its copies."""

    topic: str
    cast: Mapping[str, str]
    paragraphs: tuple[Paragraph, ...]
    minute: int = 0
    occasion: str | None = None
    """What a form was filled in for; the same for its reprints and corrections."""


@dataclass(frozen=True)
class Printed:
    """An article of the archive and its own words, boilerplate left out."""

    article: Article
    words: Paragraph
    occasion: str | None = None

    @cached_property
    def origins(self) -> frozenset[int]:
        """The origins of its words."""
        return frozenset(word.origin for word in self.words)


class Overlap(NamedTuple):
    """The share of each of two texts that passages of common provenance cover, and the words of the longest passage."""

    query_covered: float
    found_covered: float
    longest: int

    @classmethod
    def of(cls, query: Paragraph, found: Paragraph) -> Overlap:
        """The overlap of two texts."""
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
        ours, theirs = (sum(words[-1][side] - words[0][side] + 1 for words in passages) for side in (0, 1))
        return cls(ours / len(query), theirs / len(found), max(map(len, stretches), default=0))

    @property
    def clear(self) -> bool:
        """Whether it is far enough from every limit that its relation is beyond doubt."""
        nearest = min(abs(covered - COVERED) for covered in (self.query_covered, self.found_covered))
        return self.longest >= CLEAR_STRETCH_WORDS and nearest >= CLEAR_COVERED


def relation(query: Printed, found: Printed) -> Relation | None:
    """The true relation of two articles; None if they share nothing."""
    if query.origins.isdisjoint(found.origins):
        return None
    if query.article.text == found.article.text:
        return Relation.IDENTICAL
    overlap = Overlap.of(query.words, found.words)
    if query.occasion != found.occasion and overlap.longest >= STRETCH_WORDS:
        return Relation.FORM
    match overlap.query_covered >= COVERED, overlap.found_covered >= COVERED:
        case True, True:
            return Relation.NEAR_DUPLICATE
        case True, False:
            return Relation.CONTAINED_IN
        case False, True:
            return Relation.CONTAINS
    return Relation.PARTIAL if overlap.longest >= STRETCH_WORDS else None


class Author(Draw):
    """Draws sentences, stories and the ways to copy them."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, read_bank("sentences.txt"))
        self._origins = count()
        self._written: set[tuple[str, ...]] = set()

    def words(self, texts: Iterable[str]) -> Paragraph:
        """The texts as words of new origin."""
        return tuple(Word(text, next(self._origins)) for text in texts)

    def sentence(
        self, templates: Iterator[str], cast: Mapping[str, str], before: Sequence[str] = ()
    ) -> list[str]:
        """A sentence from the first template that gives a new one: no run of words in it, or with those before, was ever written."""
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
        """As many new paragraphs on a topic as `number` says."""
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
        """A new story of between `paragraphs[0]` and `paragraphs[1]` paragraphs, printed by the latest day."""
        cast = {name: self.fill(self.pick(self.bank[name]), {}) for name in self.bank if name.isupper()}
        text = self.paragraphs(topic, cast, self.between(*paragraphs))
        return Story(topic, cast, text, self.between(0, latest_day * DAY))

    def filling(self, form: Form, day: int, words: Sequence[Paragraph], names: Mapping[str, str]) -> Story:
        """The words of a form filled in for a day: those with a slot are drawn and new, the others the form's own."""
        minute = day * DAY + form.minute + self.between(0, 30)
        cast = {**names, "weekday": self.bank["weekday"][(FIRST_DAY + timedelta(minutes=minute)).weekday()]}

        def fill(word: Word) -> Paragraph:
            return self.words(self.fill(word.text, cast).split()) if "{" in word.text else (word,)

        text = tuple(tuple(chain.from_iterable(map(fill, paragraph))) for paragraph in words)
        return Story(form.name, cast, text, minute, f"{form.name} {day}")

    def corrected(self, story: Story) -> Story:
        """The same with one figure put right."""
        figures = [word for word in chain(*story.paragraphs) if re.search(r"\d", word.text)]
        wrong = self.pick(figures)
        *before, last, after = re.split(r"(\d)(?=\D*$)", wrong.text)
        other = self.pick([digit for digit in "123456789" if digit != last])
        right = self.words(["".join((*before, other, after))])
        text = tuple(
            tuple(chain.from_iterable(right if word == wrong else (word,) for word in paragraph))
            for paragraph in story.paragraphs
        )
        return replace(story, paragraphs=text, minute=story.minute + self.between(60, 240))

    def quotation(self) -> Paragraph:
        """What somebody said, long enough to be a passage."""
        while True:
            said = self.sentence(cycle(['"{saying}," {verb_said} {expert}.']), {})
            if 25 <= len(said) <= 40:
                return self.words(said)

    def edited(
        self, paragraphs: Iterable[Paragraph], share: float, words: Sequence[str]
    ) -> tuple[Paragraph, ...]:
        """The paragraphs with a share of their words dropped, replaced by an editor's word, or put behind one.

        Without an editor's `words` all of them are dropped.
        """

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
        """The story as it is."""
        return story.paragraphs

    def restyle(self, story: Story) -> tuple[Paragraph, ...]:
        """The story with words changed throughout."""
        return self.edited(story.paragraphs, self.between(20, 120) / 1000, self.bank["editor"])

    def trim(self, story: Story) -> tuple[Paragraph, ...]:
        """Some paragraphs of the story."""
        whole = story.paragraphs
        kept = self.between(2, max(2, len(whole) - 1))
        if self.chance(0.5):
            return whole[:kept]
        return tuple(whole[i] for i in sorted(self.shuffled(range(len(whole)))[:kept]))

    def extend(self, story: Story) -> tuple[Paragraph, ...]:
        """The story with paragraphs of the paper's own."""
        own = self.paragraphs(story.topic, story.cast, self.between(1, 4))
        place = self.between(1, len(story.paragraphs))
        return (*story.paragraphs[:place], *own, *story.paragraphs[place:])

    def relead(self, story: Story) -> tuple[Paragraph, ...]:
        """The story with a new beginning."""
        own = self.paragraphs(story.topic, story.cast, 1)
        return (*own, *story.paragraphs[self.between(1, 2) :])


class Newsroom:
    """Prints stories and their copies, dressed in each paper's boilerplate."""

    def __init__(self, seed: int) -> None:
        self.author = Author(seed)
        self.desk = Draw(seed + (1 << 32), self.author.bank)
        self.printed: list[Printed] = []
        self._minutes: set[int] = set()
        self._ids: set[str] = set()
        parts = product(("head", "middle", "close"), PAPERS)
        self._wanted = {part: cycle(self.author.shuffled((True, True, False))) for part in parts}

    def print_all(self) -> list[Printed]:
        """Print the whole archive, and return it."""
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
        for paper, topic in zip(FOREIGN, ("turkish", "chinese"), strict=True):
            self._print_foreign(paper, topic)
        for form in FORMS:
            self._print_form(form)
        return self.printed

    def _print_copy(self, paper: Paper, story: Story, kind: Callable[[Story], tuple[Paragraph, ...]]) -> None:
        author = self.author
        ways = [author.restyle, author.trim, author.extend, author.relead, author.reprint]
        for way in chain([kind] * 9, cycle(ways)):
            text = way(story)
            if way != author.reprint and author.chance(0.3):
                text = author.edited(text, 0.03, author.bank["editor"])
            if self._clear(text):
                break
        self._print(paper, story, text, 15, plain=way == author.reprint and author.chance(0.7))

    def _print_stitched(self, paper: Paper, stories: Sequence[Story]) -> None:
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

    def _print_foreign(self, paper: Paper, topic: str) -> None:
        author = self.author
        sentences, titles = author.bank[topic], author.bank[f"title_{topic}"]
        each = len(sentences) // len(titles)
        for i, title in enumerate(titles):
            split = list if paper.language == "zh" else str.split
            text = tuple(author.words(split(sentence)) for sentence in sentences[i * each : (i + 1) * each])
            story = Story(
                topic, {"title": title, "language": paper.language}, text, author.between(0, 15 * DAY)
            )
            self._print(AGENCY, story, text, plain=True)
            self._print(paper, story, author.edited(text, 0.04, ()), 15, plain=True)

    def _print_form(self, form: Form) -> None:
        """Print the form on each of its days; a paper reprints one of these, another edits one, and one is corrected."""
        author = self.author
        words = [author.words(line.split()) for line in author.bank[f"form_{form.name}"]]
        towns = author.shuffled(author.bank["town"])
        stories = [
            author.filling(form, day, words, {"DISTRICT": town, "direction": author.fill("{direction}", {})})
            for day, town in zip(form.days, towns, strict=False)
        ]
        reprinted, edited, corrected = author.shuffled(stories)[:3]
        others = author.shuffled(paper for paper in PAPERS if paper != form.paper)
        for story in stories:
            self._print(form.paper, story, story.paragraphs)
        self._print(others[0], reprinted, reprinted.paragraphs, 15, plain=True)
        self._print(others[1], edited, author.edited(edited.paragraphs, 0.03, author.bank["editor"]), 15)
        story = author.corrected(corrected)
        self._print(form.paper, story, story.paragraphs)

    def _clear(self, text: Sequence[Paragraph]) -> bool:
        words = tuple(chain.from_iterable(text))
        origins = {word.origin for word in words}
        kin = (printed for printed in self.printed if not origins.isdisjoint(printed.origins))
        return len(words) <= LONGEST_WORDS and all(Overlap.of(words, printed.words).clear for printed in kin)

    def _print(
        self, paper: Paper, story: Story, text: Sequence[Paragraph], delay: int = 0, *, plain: bool = False
    ) -> None:
        """Print a text as an article; one dressed in boilerplate is signed, too, so that more than boilerplate sets it apart."""
        author, cast = self.author, story.cast
        minute = story.minute + (author.between(delay, delay + 2 * DAY) if delay else 0)
        minute = next(free for free in count(minute) if free not in self._minutes)
        self._minutes.add(minute)
        published = (FIRST_DAY + timedelta(minutes=minute)).astimezone(timezone(timedelta(hours=paper.hours)))
        title = cast.get("title") or author.fill(author.pick(author.bank[f"title_{story.topic}"]), cast)
        language = cast.get("language", "en")
        dressed = paper in PAPERS and not plain
        glue = "" if language == "zh" else " "
        paragraphs = [glue.join(word.text for word in paragraph) for paragraph in text if paragraph]
        reporter = self._reporter(author if dressed else self.desk, paper, language)
        if dressed:
            first, last = reporter.lower().split()
            paragraphs[-1] += f" ({first[0]}{last[:2]})"
            paragraphs = self._dress(paper, paragraphs, published, reporter)
        article = Article(
            id=self._id(f"{paper.id}/{published:%Y-%m-%d}", title),
            source=paper.name,
            title=title[:1].upper() + title[1:],
            author=reporter,
            published=published.isoformat(),
            language=language,
            text="\n\n".join(paragraphs),
        )
        self.printed.append(Printed(article, tuple(chain.from_iterable(text)), story.occasion))

    def _reporter(self, draw: Draw, paper: Paper, language: str) -> str:
        if language != "en":
            return draw.pick(CORRESPONDENTS[language])
        staff = draw.bank["last"]
        if paper in PAPERS:
            staff = staff[PAPERS.index(paper) :: len(PAPERS)]
        return f"{draw.pick(draw.bank['first'])} {draw.pick(staff)}"

    def _id(self, start: str, title: str) -> str:
        plain = "".join(letter for letter in normalize("NFKD", title.lower()) if not combining(letter))
        slug = "-".join(re.findall(r"[a-z0-9]+", plain)[:5]) or "report"
        names = chain([f"{start}-{slug}.html"], (f"{start}-{slug}-{number}.html" for number in count(2)))
        name = next(name for name in names if name not in self._ids)
        self._ids.add(name)
        return name

    def _dress(self, paper: Paper, paragraphs: list[str], published: datetime, reporter: str) -> list[str]:
        author = self.author
        day = f"{published.day} {author.bank['month'][published.month - 1]} {published.year}"
        cast = {"date": day, "reporter": reporter}
        places = {"head": 0, "middle": author.between(1, len(paragraphs) - 1), "close": len(paragraphs)}
        dressed = list(paragraphs)
        for part, place in reversed(places.items()):
            if next(self._wanted[part, paper]):
                formula = author.fill(author.pick(author.bank[f"{part} {paper.id}"]), cast)
                dressed = [*dressed[:place], formula, *dressed[place:]]
        return dressed
