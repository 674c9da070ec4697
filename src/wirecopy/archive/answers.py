"""What an archive answers: for one text what was copied from where, for a stream what to do with an article."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, TypeVar

from ..escaping import ROWS, show_table
from ..model import (
    Article,
    Match,
    Opinion,
    Relation,
    Remarks,
    Skipped,
    Verdict,
    count,
    held_by_either,
    list_skipped,
    missing,
    tell,
)

KNOWN = (Relation.IDENTICAL, Relation.NEAR_DUPLICATE, Relation.CONTAINED_IN)
"""Relations of a query that is in the found article."""
WITHIN = (Relation.IDENTICAL, Relation.NEAR_DUPLICATE, Relation.CONTAINS)
"""Relations of a query that the found article is in."""


@dataclass(frozen=True, slots=True)
class Found:
    """An article of the archive that a text shares passages with; `article` is without its text.

    `story` is the id of the story that it is in, its own if it is in none with others; None if the archive has not told that yet.
    """

    match: Match
    article: Article
    story: str | None = None

    def to_dict(self, query: Article | None = None) -> dict[str, Any]:
        """The match and what is known of the article, as their public JSON object; with the `query`, of that too, and with texts."""
        about = {name: getattr(self.article, name) for name in ("published", "title", "source", "url")}
        told = about | {"story": self.story}
        return (
            self.match.to_dict(text=query is not None) | told | (tell(query, self.article) if query else {})
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """What a text shares with an archive: the articles found, the one with most copied words first, forms behind all others.

    `copied` is the share of the text's words, without boilerplate, that are in a passage of any of them, `longest_words` the number of
    equal words in the longest passage. `articles` is how many articles were found, and `contained_in_count` how many of them contain the
    text: what was compared and everything identical to it, even if only the `top` ones are given. `at_least` says that both may be more:
    a family too big to compare whole has members that are not identical to those that were compared. `new` are the spans of the text, in
    code points, that are neither copied nor boilerplate. Nothing is copied from the `form_of_count` articles that are the same form,
    filled in otherwise. `article` is the text's own, without the text.
    """

    query: str
    article: Article
    copied: float
    longest_words: int
    articles: int
    found: Sequence[Found]
    new: Sequence[tuple[int, int]]
    contained_in_count: int = 0
    at_least: bool = False
    form_of_count: int = 0

    def __repr__(self) -> str:
        shown = [*(match.found for match in self.matches[:3]), *["…"] * (self.articles > 3)]
        least = "at least " if self.at_least else ""
        found = f": {', '.join(shown)}" if shown else ""
        return f"<Answer to {self.query!r}: {self.copied:.0%} copied, {least}{count(self.articles)} found{found}>"

    def _repr_html_(self) -> str:
        rows = [
            (
                str(one.relation),
                one.query_covered,
                one.words,
                one.found,
                about.source or "",
                about.title or "",
            )
            for one, about in ((found.match, found.article) for found in self.found[:ROWS])
        ]
        heads = ("relation", "copied", "words", "found", "source", "title")
        return show_table(repr(self).strip("<>"), heads, rows, self.articles - len(rows))

    @property
    def matches(self) -> list[Match]:
        """The matches alone."""
        return [one.match for one in self.found]

    @property
    def stories(self) -> list[str]:
        """The ids of the stories of those given, without forms, each once."""
        found = (one.story for one in self.found if one.match.relation != Relation.FORM)
        return list(dict.fromkeys(story for story in found if story is not None))

    @property
    def contained_in(self) -> list[str]:
        """The ids of those given that contain the text: a reader of one of them may skip it."""
        return [match.found for match in self.matches if match.relation in KNOWN]

    @property
    def contains(self) -> list[str]:
        """The ids of those given that the text contains."""
        return [match.found for match in self.matches if match.relation in WITHIN]

    @property
    def form_of(self) -> list[str]:
        """The ids of the articles that are the same form, filled in otherwise: nothing is copied from them."""
        return [match.found for match in self.matches if match.relation == Relation.FORM]

    def to_dict(self, *, text: bool = False) -> dict[str, Any]:
        """The answer as its public JSON object; with `text`, its matches with texts and what is known of both articles."""
        return {
            "query": self.query,
            "copied": self.copied,
            "articles": self.articles,
            "contained_in_count": self.contained_in_count,
            "at_least": self.at_least,
            "longest_words": self.longest_words,
            "contained_in": self.contained_in,
            "contains": self.contains,
            "form_of": self.form_of,
            "form_of_count": self.form_of_count,
            "stories": self.stories,
            "new": [list(span) for span in self.new],
            "matches": [one.to_dict(self.article if text else None) for one in self.found],
        }


@dataclass(frozen=True, slots=True)
class Ranked:
    """What the method of an archive says of a text by itself: opinions by rank, and its verdict if its paper gives one."""

    query: str
    opinions: Sequence[Opinion]
    verdict: Verdict | None

    def to_dict(self) -> dict[str, Any]:
        """The same as its public JSON object."""
        return {
            "query": self.query,
            "opinions": [opinion.to_dict() for opinion in self.opinions],
            "verdict": self.verdict and self.verdict.to_dict(),
        }


Told = TypeVar("Told", bound="Answer | Ranked")


class Status(StrEnum):
    """What became of an article, named as the counts of `Added` are."""

    ADDED = "added"
    REPLACED = "replaced"
    KNOWN = "known"
    LATE = "late"
    SKIPPED = "skipped"


_REASONS = {Status.KNOWN: "known", Status.LATE: "older than the window"}


@dataclass(frozen=True, slots=True)
class Observed(Generic[Told]):
    """What was known about an article when it came, what became of it, and why if it was not kept.

    `ahead` is its date if that is too far ahead of now to be believed: it was kept, and the window stayed where it was.
    """

    answer: Told
    status: Status
    reason: str = ""
    ahead: str | None = None

    @classmethod
    def tell(cls, answer: Told, added: Added) -> Observed[Told]:
        """What was observed of one article: `added` counts it alone."""
        status = next(one for one in Status if getattr(added, one))
        refused = added.skipped[0].reason if added.skipped else ""
        reason = "; ".join([_REASONS.get(status, refused), *added.warnings])
        return cls(answer, status, reason, next(iter(added.ahead.values()), None))

    @property
    def kept(self) -> bool:
        """Whether the article is in the archive now, as it came."""
        return self.status in (Status.ADDED, Status.REPLACED)

    def to_dict(self) -> dict[str, Any]:
        """The same as its public JSON object."""
        told = {"status": str(self.status), "kept": self.kept, "reason": self.reason or None}
        return self.answer.to_dict() | told | {"ahead": self.ahead}


@dataclass(frozen=True, slots=True)
class Added:
    """What became of articles: `added`, `known` already, `late` for the window; and records that could not be used.

    `ahead` has the date of each article, by id, that is too far ahead of now to be believed: it was kept, and the window stayed where it was.
    `elsewhere` are the other ids under which the archive has, or with `rename` had, a file, by the id that the file has now.
    """

    added: int = 0
    known: int = 0
    replaced: int = 0
    late: int = 0
    skipped: Sequence[Skipped] = ()
    remarks: Remarks = field(default_factory=Remarks)
    held: Mapping[str, bool] = field(default_factory=dict)
    ahead: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    elsewhere: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __repr__(self) -> str:
        skipped = sum(1 + one.more for one in self.skipped)
        counts = {"known": self.known, "replaced": self.replaced, "late": self.late, "skipped": skipped}
        others = "".join(f", {number:,} {what}" for what, number in counts.items() if number)
        return f"<Added: {self.added:,} added{others}>"

    @property
    def unreadable_dates(self) -> int:
        """How many dates could not be read; they count as missing."""
        return self.remarks.unreadable_dates

    @property
    def missing_fields(self) -> Sequence[str]:
        """The fields that were asked for by name and that no record holds."""
        return missing(self.held)

    def __add__(self, other: Added) -> Added:
        return Added(
            self.added + other.added,
            self.known + other.known,
            self.replaced + other.replaced,
            self.late + other.late,
            list_skipped(self.skipped, other.skipped),
            self.remarks + other.remarks,
            held_by_either(self.held, other.held),
            {**self.ahead, **other.ahead},
            list(dict.fromkeys([*self.warnings, *other.warnings])),
            {**self.elsewhere, **other.elsewhere},
        )
