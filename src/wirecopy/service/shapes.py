"""What the answers of the service look like, for its description: the JSON objects of the library, field by field."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

RelationName = Literal["identical", "near-duplicate", "contains", "contained-in", "partial", "form"]


class ProblemShape(TypedDict):
    """What went wrong (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    request_id: str


class SlotsShape(TypedDict):
    """What equal words are filled with: how many figures and dates are the same, and how many places are filled otherwise."""

    same: int
    other: int


class PassageShape(TypedDict):
    """A stretch of shared text: a span in each article, in code points."""

    query: list[int]
    found: list[int]
    words: int
    changed: int
    slots: SlotsShape
    text: NotRequired[str]
    found_text: NotRequired[str]


class MatchShape(TypedDict):
    """How two articles compare."""

    query: str
    found: str
    relation: RelationName
    query_covered: float
    found_covered: float
    resemblance: float
    slots: SlotsShape
    passages: list[PassageShape]
    methods: list[str]


class FoundShape(MatchShape):
    """A match with an article of the archive, and what is known of that."""

    published: str | None
    title: str | None
    source: str | None
    url: str | None
    story: str | None


class AnswerShape(TypedDict):
    """What a text shares with the archive."""

    query: str
    copied: float
    articles: int
    contained_in_count: int
    at_least: bool
    longest_words: int
    contained_in: list[str]
    contains: list[str]
    form_of: list[str]
    form_of_count: int
    stories: list[str]
    new: list[list[int]]
    matches: list[FoundShape]
