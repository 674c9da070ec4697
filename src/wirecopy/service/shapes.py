"""What the answers of the service look like, for its description: the JSON objects of the library, field by field."""

from typing import Literal, NotRequired, TypedDict

RelationName = Literal["identical", "near-duplicate", "contains", "contained-in", "partial", "form"]


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


class ArticleShape(TypedDict):
    """An article; what is not known of it is left out."""

    id: str
    text: str
    title: NotRequired[str]
    published: NotRequired[str]
    source: NotRequired[str]
    author: NotRequired[str]
    location: NotRequired[str]
    language: NotRequired[str]
    url: NotRequired[str]
    agency: NotRequired[str]


class SkippedShape(TypedDict):
    """A record that could not be used, and why."""

    where: str
    reason: str
    more: int


class AddedShape(TypedDict):
    """What became of articles: how many were added, known already, replaced, too old for the window."""

    added: int
    known: int
    replaced: int
    late: int
    skipped: list[SkippedShape]
    ahead: dict[str, str]
    warnings: list[str]


class RemovedShape(TypedDict):
    """How many articles there were."""

    removed: int


class ObservedShape(AnswerShape):
    """What was known about an article when it came, what became of it, and whether a reader may skip it."""

    status: Literal["added", "replaced", "known", "late", "skipped"]
    kept: bool
    reason: str | None
    ahead: str | None
    skip: bool
    skip_for: str | None


class ParentShape(TypedDict):
    """The earlier article that one most probably comes from."""

    article: str
    relation: RelationName
    covered: float
    parent_covered: float
    words: int
    basis: Literal["only", "clear", "tied", "same-time", "undated"]
    rivals: int
    after_seconds: float | None


class MemberShape(TypedDict):
    """An article of a story."""

    id: str
    published: str | None
    source: str | None
    title: str | None
    url: str | None
    agency: str | None
    version: int
    parent: ParentShape | None


ChangeShape = TypedDict(
    "ChangeShape",
    {"from": int, "added": int, "cut": int, "reworded": int, "moved": int, "revised": bool},
)


class VersionShape(TypedDict):
    """Articles with identical text."""

    number: int
    articles: list[str]
    words: int
    first_seen: str | None
    last_seen: str | None
    change: ChangeShape | None


class OriginShape(TypedDict):
    """Where a story most probably comes from."""

    agency: str | None
    article: str | None
    basis: str
    present: bool


class CohesionShape(TypedDict):
    """How well a story holds together."""

    weakest: float
    pair: list[str] | None
    bridges: int


class StoryShape(TypedDict):
    """Articles that carry the same text, in the order of time."""

    id: str
    title: str | None
    kind: Literal["story", "collection"]
    articles: list[MemberShape]
    versions: list[VersionShape]
    sources: list[str]
    first_seen: str | None
    last_seen: str | None
    origin: OriginShape
    cohesion: CohesionShape


class StoriesShape(TypedDict):
    """Some stories, and where to go on."""

    stories: list[StoryShape]
    next: str | None


class PairShape(MatchShape):
    """What two articles share; of those of one article, also what is known of the other."""

    published: NotRequired[str | None]
    title: NotRequired[str | None]
    source: NotRequired[str | None]
    url: NotRequired[str | None]
    story: NotRequired[str | None]


class PairsShape(TypedDict):
    """Pairs of articles."""

    pairs: list[PairShape]
