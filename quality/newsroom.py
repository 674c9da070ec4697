"""A made-up newsroom whose stories are known: what makes stories hard to tell apart, from a seed.

- 320 stories with 1 to 14 reprints: exact, edited (2 to 10 % of the words), cut at the end, extended, or of a reprint instead of the original;
- 120 stories that develop: 2 to 7 updates, each of the last: a paragraph before, behind or within, or one replaced; every second is reprinted;
- 60 digests of 4 to 8 briefs, each brief an article of its own with reprints; a third comes before its briefs, a third is reprinted;
- 25 live blogs: 4 to 9 states, each the last with an entry in front, among these whole briefs of others;
- 30 series: a form filled in anew on 8 to 30 days, every fourth with a reprint on the day;
- 400 articles that take 1 to 3 paragraphs of others as background;
- 900 articles of nobody else.

Reprints come within hours or days, with a source each. Truth: the story of each article, and the article that it was written from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from quality.texts import Writer, join

Row = dict[str, Any]
Words = list[str]
START = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass
class Newsroom:
    """Articles as they are written, and the truth about them."""

    seed: int = 1
    rows: list[Row] = field(default_factory=list)
    story: dict[str, str] = field(default_factory=dict)
    parent: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.writer = Writer(self.seed)
        self.dice = self.writer.random
        self.words: dict[str, Words] = {}

    def file(self, words: Words, at: datetime, parent: str | None = None, story: str | None = None) -> str:
        """Write an article; its story is that of its parent, unless it is given or begins here."""
        name = f"n{len(self.rows):05}"
        self.words[name] = words
        self.story[name] = story or (self.story[parent] if parent else name)
        if parent:
            self.parent[name] = parent
        row: Row = {"id": name, "text": join(words), "published": at.isoformat()}
        row |= {"source": f"paper{self.dice.randrange(40):02}", "title": " ".join(words[:6])}
        self.rows.append(row)
        return name

    def sometime(self) -> datetime:
        return START + timedelta(seconds=self.dice.randrange(300 * 86_400))

    def after(self, name: str) -> datetime:
        number = int(name[1:])
        hours = self.dice.choice((self.dice.uniform(0.2, 12), self.dice.uniform(1, 120)))
        return datetime.fromisoformat(self.rows[number]["published"]) + timedelta(hours=hours)

    def paragraphs(self, count: int) -> Words:
        return [word for _ in range(count) for word in self.writer.write(48)]

    def reprint(self, name: str) -> str:
        words = self.words[name]
        kind = self.dice.randrange(4)
        if kind:
            words = self.writer.edit(words, self.dice.uniform(0.02, 0.1))
        if kind == 2:
            words = words[: int(len(words) * self.dice.uniform(0.45, 0.9))]
        elif kind == 3:
            words = words + self.writer.write(self.dice.randint(20, len(words)))
        return self.file(words, self.after(name), name)

    def family(self, name: str, reprints: int) -> None:
        everyone = [name]
        for _ in range(reprints):
            everyone.append(self.reprint(name if self.dice.random() < 0.8 else self.dice.choice(everyone)))

    def develop(self) -> None:
        name = self.file(self.paragraphs(self.dice.randint(4, 8)), self.sometime())
        for step in range(self.dice.randint(2, 7)):
            words = list(self.words[name])
            place = 48 * self.dice.randrange(1, max(2, len(words) // 48))
            new = self.writer.write(48)
            if self.dice.random() < 0.35 and len(words) > 150:
                words[place : place + 48] = new
            else:
                words[place:place] = new
            name = self.file(words, self.after(name), name)
            if step % 2:
                self.file(self.writer.edit(words, 0.03), self.after(name), name)

    def collect(self) -> None:
        early = self.dice.random() < 1 / 3
        at = self.sometime()
        briefs = []
        for _ in range(self.dice.randint(4, 8)):
            hours = self.dice.uniform(1, 20) * (1 if early else -1)
            briefs.append(
                self.file(self.writer.write(self.dice.randint(50, 120)), at + timedelta(hours=hours))
            )
            self.family(briefs[-1], self.dice.choice((0, 0, 1, 3)))
        words = [word for brief in briefs for word in self.words[brief]]
        name = self.file(words, at)
        if self.dice.random() < 1 / 3:
            self.file(self.writer.edit(words, 0.02), self.after(name), name)

    def live(self) -> None:
        words, name, at = self.writer.write(60), None, self.sometime()
        for _ in range(self.dice.randint(4, 9)):
            entry = self.writer.write(self.dice.randint(40, 90))
            if self.dice.random() < 0.4:
                entry = self.words[self.file(entry, at - timedelta(minutes=20))]
            words = entry + words
            name = self.file(words, at, name)
            at += timedelta(minutes=self.dice.randint(20, 90))

    def repeat(self) -> None:
        form, at = self.writer.write(self.dice.randint(50, 110)), self.sometime()
        slots = set(range(4, len(form) - 3, self.dice.randint(7, 12)))
        for day in range(self.dice.randint(8, 30)):
            filled = [str(self.dice.randint(10, 9999)) if n in slots else word for n, word in enumerate(form)]
            name = self.file(filled, at + timedelta(days=day))
            if day % 4 == 3:
                self.file(filled, self.after(name), name)

    def fill(self) -> None:
        for _ in range(320):
            name = self.file(self.paragraphs(self.dice.randint(3, 10)), self.sometime())
            self.family(name, min(14, int(self.dice.expovariate(0.4)) + 1))
        for write, count in ((self.develop, 120), (self.collect, 60), (self.live, 25), (self.repeat, 30)):
            for _ in range(count):
                write()
        known = list(self.words)
        for _ in range(400):
            taken = self.words[self.dice.choice(known)]
            start = self.dice.randrange(max(1, len(taken) - 60))
            part = taken[start : start + 48 * self.dice.randint(1, 3)]
            mine = self.paragraphs(self.dice.randint(3, 8))
            place = 48 * self.dice.randrange(len(mine) // 48)
            self.file(mine[:place] + part + mine[place:], self.sometime())
        for _ in range(900):
            self.file(self.paragraphs(self.dice.randint(2, 9)), self.sometime())


def make_newsroom(seed: int = 1) -> Newsroom:
    """All articles of a newsroom, and their truth."""
    room = Newsroom(seed)
    room.fill()
    return room
