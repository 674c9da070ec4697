"""What is told of stories, one frozen class each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..model import Relation, count, one_line

_NAMES = {"since": "from", "later": "from", "earlier": "to"}
"""What JSON calls the fields that Python cannot name so."""


def _plain(value: Any) -> Any:
    """A value of a record as JSON has it."""
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value.value if isinstance(value, Relation) else value


class Record:
    """What can be told as a JSON object."""

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()

    @classmethod
    def json_names(cls) -> list[str]:
        """What JSON calls its fields."""
        return [_NAMES.get(name, name) for name in cls.__match_args__]

    def to_dict(self) -> dict[str, Any]:
        """The record as its public JSON object."""
        values = (_plain(getattr(self, name)) for name in self.__match_args__)
        return dict(zip(self.json_names(), values, strict=True))


@dataclass(frozen=True, slots=True)
class Parent(Record):
    """The earlier article that one most probably comes from, and what that rests on.

    `basis` is `only` (no other earlier article is so close), `clear` (it has more equal words than any other), `tied` (others have as
    many), `same-time` or `undated` (dates do not say which came first). `rivals` are the other articles that it may come from.
    """

    article: str
    relation: Relation
    covered: float
    parent_covered: float
    words: int
    basis: str
    rivals: int
    after_seconds: float | None


@dataclass(frozen=True, slots=True)
class Member(Record):
    """An article of a story."""

    id: str
    published: str | None
    source: str | None
    title: str | None
    url: str | None
    agency: str | None
    version: int
    parent: Parent | None


@dataclass(frozen=True, slots=True)
class Change(Record):
    """What a version changed of an earlier one, in words; `revised` says that it stands at the same address."""

    since: int
    added: int
    cut: int
    reworded: int
    moved: int
    revised: bool


@dataclass(frozen=True, slots=True)
class Version(Record):
    """Articles with identical text; `change` is None for the first, and for one whose parent is in no other version."""

    number: int
    articles: tuple[str, ...]
    words: int
    first_seen: str | None
    last_seen: str | None
    change: Change | None


@dataclass(frozen=True, slots=True)
class Origin(Record):
    """Where a story most probably comes from: the agency that is credited, or else its first article.

    `basis` is `credited`, or what speaks for the first article: `earliest`, `same-time`, `undated`. An agency is `present` if the
    story has an article of its own, which then is `article`.
    """

    agency: str | None
    article: str | None
    basis: str
    present: bool


@dataclass(frozen=True, slots=True)
class Cohesion(Record):
    """How well a story holds together.

    `weakest` is the least share that a member has in common with its parent, or that with it, `pair` is who these are; `bridges` is how
    many ties between versions there are without which the story would fall apart.
    """

    weakest: float
    pair: tuple[str, str] | None
    bridges: int


@dataclass(frozen=True, slots=True)
class Story(Record):
    """Articles that carry the same text, in the order of time; `id` is that of the first, the anchor."""

    id: str
    title: str | None
    kind: str
    articles: tuple[Member, ...]
    versions: tuple[Version, ...]
    sources: tuple[str, ...]
    first_seen: str | None
    last_seen: str | None
    origin: Origin
    cohesion: Cohesion

    def __str__(self) -> str:
        counts = f"{count(len(self.articles))}, {count(len(self.versions), 'version')}"
        return one_line(f"{self.id}: {self.title or 'no title'} ({counts})")


@dataclass(frozen=True, slots=True)
class Series(Record):
    """Articles in one form; `slots` is the most places that two of them fill otherwise."""

    id: str
    title: str | None
    articles: tuple[str, ...]
    sources: tuple[str, ...]
    first_seen: str | None
    last_seen: str | None
    slots: int


@dataclass(frozen=True, slots=True)
class Dropped(Record):
    """An article that is left out, the kept one that covers it, and the share of it that this covers."""

    article: str
    kept: str
    covered: float


@dataclass(frozen=True, slots=True)
class Kept(Record):
    """One of each: the ids of the articles that are kept, and what is left out, both by time."""

    articles: tuple[str, ...]
    dropped: tuple[Dropped, ...]

    def __repr__(self) -> str:
        return f"<Kept: {count(len(self.articles))}, {len(self.dropped):,} left out>"


@dataclass(frozen=True, slots=True)
class Link(Record):
    """What joins two stories: they share a part, are forms filled in anew, one collects the other, or continues it.

    It goes from the later to the earlier, and from what collects to what is collected. `articles` of both take part, two of which have
    so many equal `words`.
    """

    later: str
    earlier: str
    kind: str
    articles: int
    words: int
