"""The things wirecopy speaks of, one frozen class each; see the table of words in ARCHITECTURE.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any, NamedTuple, Self, overload

import numpy as np
from numpy.typing import NDArray

from .escaping import ROWS, show_table

UNDATED = np.iinfo(np.int64).max
"""`published` of an article without a usable date: sorts after all dates."""


class Columns:
    """A table by columns: the fields of the dataclass that derives from this are arrays of one length."""

    __match_args__: tuple[str, ...] = ()
    """The names of the fields, as a dataclass has them."""

    @property
    def arrays(self) -> list[NDArray[Any]]:
        """The columns."""
        return [getattr(self, name) for name in self.__match_args__]

    def __len__(self) -> int:
        return len(self.arrays[0])

    def rows(self, some: slice = slice(None)) -> Iterator[tuple[Any, ...]]:
        """The rows, or some of them, as tuples of plain values."""
        return zip(*(column[some].tolist() for column in self.arrays), strict=True)

    def take(self, rows: Any) -> Self:
        """The rows of these numbers, or of this mask, in the order given."""
        return type(self)(*(column[rows] for column in self.arrays))

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """The rows of one or more tables, concatenated."""
        columns = zip(*(part.arrays for part in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))


class Relation(StrEnum):
    """How a query article relates to a found one."""

    IDENTICAL = "identical"
    NEAR_DUPLICATE = "near-duplicate"
    CONTAINS = "contains"
    CONTAINED_IN = "contained-in"
    PARTIAL = "partial"
    FORM = "form"


@dataclass(frozen=True, slots=True)
class Article:
    """The text taken out of a page, and what is known about it."""

    id: str
    text: str
    title: str | None = None
    published: str | None = None
    source: str | None = None
    author: str | None = None
    location: str | None = None
    language: str | None = None
    url: str | None = None
    agency: str | None = None

    def __repr__(self) -> str:
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        if isinstance(self.text, str):
            values["text"] = shorten(self.text, 60)
        return f"Article({', '.join(f'{name}={value!r}' for name, value in values.items() if value is not None)})"


ABOUT = tuple(one.name for one in fields(Article) if one.name not in ("id", "text"))
"""What is known about an article besides id and text; `published` as it is written."""
TOLD = ("title", "source", "published", "url")
"""What answers tell of both articles of a match, besides their ids."""
KEPT = (*TOLD, "agency")
"""What is kept of the articles of a pile, for those who tell of them."""


@dataclass(frozen=True, slots=True)
class Page:
    """Bytes as received, with address and time.

    `charset` is that of the HTTP header, `received` the time of download (ISO 8601). `known` holds what is known about the
    article from elsewhere, such as the feed that links to it; it overrides what the page says. `changed` is when the
    article was last changed, which is its date only where nothing says when it was published.
    """

    id: str
    content: bytes
    url: str | None = None
    received: str | None = None
    charset: str | None = None
    known: Article | None = None
    changed: str | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A run of text in a page that rendering does not break, with its label and the reasons for it.

    `score` is the log-odds of CONTENT from the block alone, before its neighbours count; `path` the tags around it;
    `reasons` what speaks most for or against it, each with its part of the score.
    """

    text: str
    content: bool
    score: float
    path: str
    reasons: Sequence[tuple[str, float]] = ()


@dataclass(frozen=True, slots=True)
class Extracted:
    """The article of a page; `status` is `ok`, `empty`, or why nothing was extracted.

    An article without a text still says what is known of the page. `blocks` are all blocks, if they were asked for.
    """

    article: Article
    status: str = "ok"
    blocks: Sequence[Block] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that could not be used: where it stands, and why it was left out; `more` of the same kind are not listed after it."""

    where: str
    reason: str
    more: int = 0

    def __str__(self) -> str:
        more = f" (and {self.more:,} more of this kind)" if self.more else ""
        return f"{self.where}: {self.reason}{more}"

    def kind(self, known: Collection[str]) -> str:
        """What the reason says of any such record; empty for a kind that is not `known`, where too many are."""
        kind = _kind(self.reason)
        return kind if kind in known or len(known) < MAX_KINDS else ""


LISTED = 1000
"""How many skipped records of a kind are listed; of a flood of them, more would fill the memory."""
MAX_KINDS = 100
"""So many kinds are told apart."""
_OF_ONE_RECORD = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\S*[\d./<>_]\S*""")


@lru_cache(LISTED)
def _kind(reason: str) -> str:
    """A reason without what is said after its colon, and without what is quoted, numbers, names of files and addresses."""
    return _OF_ONE_RECORD.sub("…", reason).partition(": ")[0]


@dataclass(frozen=True, slots=True, eq=False)
class SkippedLines(Sequence[Skipped]):
    """Lines of a file that could not be used, very many perhaps: line `lines[i]` for the reason `reasons[which[i]]`."""

    path: str
    lines: NDArray[np.int64]
    which: NDArray[np.uint32]
    reasons: Sequence[str]

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, row: int) -> Skipped: ...
    @overload
    def __getitem__(self, row: slice) -> list[Skipped]: ...
    def __getitem__(self, row: int | slice) -> Skipped | list[Skipped]:
        if isinstance(row, slice):
            return [self[i] for i in range(*row.indices(len(self)))]
        return Skipped(f"{self.path}:{self.lines[row]}", self.reasons[self.which[row]])

    def listed(self) -> Iterator[Skipped]:
        """The first of each kind, the last of them with the number of those that are left out."""
        kinds = [_kind(reason) for reason in self.reasons]
        more: dict[int, int] = {}
        for kind in set(kinds):
            rows = np.flatnonzero(np.isin(self.which, [at for at, one in enumerate(kinds) if one == kind]))
            first = rows[:LISTED].tolist()
            more |= dict.fromkeys(first, 0) | dict.fromkeys(first[-1:], len(rows) - len(first))
        return (replace(self[row], more=more[row]) for row in sorted(more))


def list_skipped(*parts: Sequence[Skipped], tell: Callable[[Skipped], object] | None = None) -> list[Skipped]:
    """The skipped records, of each kind the first `LISTED`, the last of them with how many more there are; `tell` is told of all."""
    if tell:
        for one in chain(*parts):
            tell(one)
    listed: list[Skipped] = []
    of_kind: dict[str, tuple[int, int]] = {}
    for one in chain.from_iterable(
        part.listed() if isinstance(part, SkippedLines) else part for part in parts
    ):
        kind = one.kind(of_kind)
        number, last = of_kind.get(kind, (0, 0))
        if number < LISTED:
            of_kind[kind] = number + 1, len(listed)
            listed.append(one)
        else:
            listed[last] = replace(listed[last], more=listed[last].more + 1 + one.more)
    return listed


def held_by_either(one: Mapping[str, bool], other: Mapping[str, bool]) -> dict[str, bool]:
    """`Articles.held` of two batches taken together: for each field, whether a record of either holds it."""
    return {name: one.get(name, False) or other.get(name, False) for name in {**one, **other}}


def missing(held: Mapping[str, bool]) -> list[str]:
    """The fields that no record holds."""
    return [name for name, there in held.items() if not there]


@dataclass(frozen=True, slots=True)
class Remarks:
    """What is odd about articles that are used nevertheless: dates that could not be read, one of them, and texts without a letter."""

    unreadable_dates: int = 0
    example: str = ""
    empty_texts: int = 0

    def __add__(self, other: Remarks) -> Remarks:
        return Remarks(
            self.unreadable_dates + other.unreadable_dates,
            self.example or other.example,
            self.empty_texts + other.empty_texts,
        )


@dataclass(frozen=True, slots=True)
class Articles:
    """A batch of articles as columns: article i is `text[offsets[i]:offsets[i + 1]]`, UTF-8.

    `published` is in microseconds since 1970 UTC, `UNDATED` where there is no usable date. `about` holds those of
    `ABOUT` that were asked for, and no others: one string an article, empty where nothing is known.
    """

    ids: Sequence[str]
    text: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    published: NDArray[np.int64]
    skipped: Sequence[Skipped] = ()
    remarks: Remarks = field(default_factory=Remarks)
    where: Callable[[int], str] | None = None
    """The place of article i in its file, by i; None where places are not known."""
    about: Mapping[str, Sequence[str]] = field(default_factory=dict)
    held: Mapping[str, bool] = field(default_factory=dict)
    """For each field that was asked for by name, but the text, whether any record holds it."""
    numbers: Sequence[int | None] | None = None
    """The number of each article whose id is only that: its place in a list, or in the index of a frame; None if none has one."""
    labels: Sequence[Any] | None = None
    """The values of a frame's index, if these are the ids of all articles."""

    def __len__(self) -> int:
        return len(self.ids)

    def describe(self, row: int) -> Article:
        """The article of this row without its text."""
        return Article(
            self.ids[row], "", **{name: column[row] or None for name, column in self.about.items()}
        )

    @property
    def own_ids(self) -> Sequence[str]:
        """The ids that an article of another collection may have too, if it is the same; empty where an id is only a number."""
        if self.numbers is None:
            return self.ids
        return [id if number is None else "" for id, number in zip(self.ids, self.numbers, strict=True)]

    def take(self, rows: Sequence[int]) -> Articles:
        """The articles of these rows, in the order given."""
        parts = [self.text.data[self.offsets[row] : self.offsets[row + 1]] for row in rows]
        offsets = np.cumsum([0, *map(len, parts)]).astype(np.int64)
        return Articles(
            [self.ids[row] for row in rows],
            np.frombuffer(b"".join(parts), np.uint8),
            offsets,
            self.published[list(rows)],
            about={name: [column[row] for row in rows] for name, column in self.about.items()},
            numbers=None if self.numbers is None else [self.numbers[row] for row in rows],
            labels=None if self.labels is None else [self.labels[row] for row in rows],
        )

    def titled_text(self, separator: str = "\n\n") -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """`text` and `offsets` of the articles with title and separator prepended to each that has a title.

        The separator must end a sentence, or the title runs into the first one: a blank line does by the default rule,
        and where a view names the characters that end a sentence, it must hold one of them.
        """
        assert "title" in self.about or not len(self), "titles must be asked for"
        titles = self.about.get("title", ())
        if not any(titles):
            return self.text, self.offsets
        heads = [(title + separator).encode() if title else b"" for title in titles]
        bodies = [self.text.data[start:end] for start, end in pairwise(self.offsets.tolist())]
        offsets = self.offsets.copy()
        offsets[1:] += np.cumsum([len(head) for head in heads])
        text = b"".join(chain.from_iterable(zip(heads, bodies, strict=True)))
        return np.frombuffer(text, np.uint8), offsets


@dataclass(frozen=True, slots=True)
class View:
    """How a method reads text.

    Without `diacritics`, é and e are the same. `sentences` is None for a method that ignores sentences, the empty string for
    the default rule, or the characters that end a sentence. `stopwords` are left out: the code of a language (`en`), or words
    with spaces or commas between them (`the of`; one alone as `the,`). `stemmer` cuts the other words: `first5`, or the name of
    a Snowball algorithm (`porter`). With `title`, the title, where known, is read before the text (`Articles.titled_text`).
    Document frequencies are counted over even pieces of articles, of `piece_words` words or somewhat more; with 0, over
    whole articles.
    """

    diacritics: bool = True
    sentences: str | None = None
    stopwords: str = ""
    stemmer: str = ""
    title: bool = False
    piece_words: int = 0


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of a batch: article i has words `offsets[i]:offsets[i + 1]`.

    `hashes` are the word hashes of the view. `halves` is the length of each word in half words: 1 for a character of a
    script without spaces, else 2; None if all are 2. `starts` and `ends` are offsets of code points in the article's text.
    `sentences` are the numbers of the words that begin a sentence, article i has `sentence_offsets[i]:sentence_offsets[i + 1]`
    of them; a sentence that consists of stopwords begins where the next does. Word j of the batch is spelt
    `words[word_offsets[j]:word_offsets[j + 1]]`, UTF-8. `kinds` is 1 for a word that is a figure or date, or the first of one, 2 for
    one that goes on with it, else 0, and `values` a hash of what it says, however it is written. Parts that were not asked for are None.
    """

    hashes: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    halves: NDArray[np.uint8] | None = None
    starts: NDArray[np.uint32] | None = None
    ends: NDArray[np.uint32] | None = None
    sentences: NDArray[np.uint32] | None = None
    sentence_offsets: NDArray[np.int64] | None = None
    words: NDArray[np.uint8] | None = None
    word_offsets: NDArray[np.int64] | None = None
    kinds: NDArray[np.uint8] | None = None
    values: NDArray[np.uint64] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def spell(self, row: int) -> list[str]:
        """The words of the article in this row, as text."""
        assert self.words is not None, "spelling needs words"
        assert self.word_offsets is not None
        edges = self.word_offsets[self.offsets[row] : self.offsets[row + 1] + 1].tolist()
        return [str(self.words.data[start:end], "utf-8") for start, end in pairwise(edges)]


@dataclass(frozen=True, slots=True)
class Boilerplate:
    """What a comparison leaves out: the words of these 5-word shingles, and of gaps of up to `gap_words` words between them."""

    shingles: NDArray[np.uint64]
    gap_words: int


class Slots(NamedTuple):
    """What equal words are filled with: how many figures and dates are the `same`, and how many places are filled with something `other`."""

    same: int = 0
    other: int = 0


NO_SLOTS = Slots()


@dataclass(frozen=True, slots=True)
class Passage:
    """One stretch of shared text: a span of code points in each article."""

    query: tuple[int, int]
    found: tuple[int, int]
    words: int
    changed: int
    text: str = field(default="", repr=False, compare=False)
    """The text of the passage in the query article."""
    slots: Slots = NO_SLOTS
    found_text: str = field(default="", repr=False, compare=False)
    """The text of the passage in the found article."""


@dataclass(frozen=True, slots=True)
class Match:
    """Two articles of which one copies the other; `query` is the later, or the one that was asked about."""

    query: str
    found: str
    relation: Relation
    query_covered: float
    found_covered: float
    resemblance: float
    passages: tuple[Passage, ...]
    methods: tuple[str, ...] = ()

    @property
    def slots(self) -> Slots:
        """Those of all passages together."""
        return Slots(*(sum(counts) for counts in zip(*(one.slots for one in self.passages), strict=True)))

    def to_dict(self, *, text: bool = False) -> dict[str, Any]:
        """The match as its public JSON object; with `text`, each passage with its texts."""
        return {
            "query": self.query,
            "found": self.found,
            "relation": str(self.relation),
            "query_covered": self.query_covered,
            "found_covered": self.found_covered,
            "resemblance": self.resemblance,
            "slots": self.slots._asdict(),
            "passages": [
                {
                    "query": list(p.query),
                    "found": list(p.found),
                    "words": p.words,
                    "changed": p.changed,
                    "slots": p.slots._asdict(),
                    **({"text": p.text, "found_text": p.found_text} if text else {}),
                }
                for p in self.passages
            ],
            "methods": list(self.methods),
        }

    @property
    def words(self) -> int:
        """How many equal words its passages have."""
        return sum(passage.words for passage in self.passages)

    def to_row(self, query: Article, found: Article) -> tuple[Any, ...]:
        """The match of two articles as a row with the columns `MATCH_HEADS`; its texts are those of all passages, on one line."""
        shares = self.query_covered, self.found_covered, self.resemblance
        counts = self.words, len(self.passages), *self.slots
        sides = [one.text for one in self.passages], [one.found_text for one in self.passages]
        texts = (" … ".join(" ".join(text.split()) for text in side) for side in sides)
        named = self.query, self.found, str(self.relation)
        return *named, *shares, *counts, " ".join(self.methods), *tell(query, found).values(), *texts

    def _repr_html_(self) -> str:
        said, *_ = str(self).splitlines()
        rows = [(one.words, one.changed, one.text, one.found_text) for one in self.passages[:ROWS]]
        heads = ("words", "changed", self.query, self.found)
        return show_table(said, heads, rows, len(self.passages) - len(rows))

    def __str__(self) -> str:
        verb = {
            Relation.IDENTICAL: "is identical to",
            Relation.NEAR_DUPLICATE: "is a near-duplicate of",
            Relation.CONTAINS: "contains",
            Relation.CONTAINED_IN: "is contained in",
            Relation.PARTIAL: "is partly copied from",
            Relation.FORM: "is a form filled in anew, like",
        }[self.relation]
        lines = [
            f"{self.query} {verb} {self.found}"
            f" ({self.query_covered:.0%} of the query, {self.found_covered:.0%} of the found article)"
        ]
        for passage in self.passages:
            changed = f", {passage.changed} changed" if passage.changed else ""
            lines.append(f"  {count(passage.words, 'word')}{changed}: {shorten(passage.text)}")
        return clean("\n".join(lines))


TOLD_HEADS = tuple(f"{side}_{name}" for side in ("query", "found") for name in TOLD)
MATCH_HEADS = (
    *("query", "found", "relation", "query_covered", "found_covered", "resemblance"),
    *("words", "passages", "slots_same", "slots_other", "methods", *TOLD_HEADS, "text", "found_text"),
)


def tell(query: Article, found: Article) -> dict[str, str | None]:
    """What answers tell of the two articles of a match, under `TOLD_HEADS`."""
    values = (getattr(article, name) for article in (query, found) for name in TOLD)
    return dict(zip(TOLD_HEADS, values, strict=True))


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a method by itself says of two articles; `relation` is None where it does not accept them, or only ranks."""

    query: str
    found: str
    relation: Relation | None
    query_in_found: float
    found_in_query: float
    rank: float
    methods: tuple[str, ...]

    @property
    def accepted(self) -> bool:
        """Whether the method holds one to be a copy of the other."""
        return self.relation is not None

    def to_dict(self) -> dict[str, Any]:
        """The opinion as its public JSON object."""
        return {
            "query": self.query,
            "found": self.found,
            "accepted": self.accepted,
            "relation": self.relation and str(self.relation),
            "query_in_found": self.query_in_found,
            "found_in_query": self.found_in_query,
            "rank": self.rank,
            "methods": list(self.methods),
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a method says of one article against all others: how many `hits` it has there, and if it is thus a duplicate."""

    article: str
    hits: int
    duplicate: bool

    def to_dict(self) -> dict[str, Any]:
        """The verdict as its public JSON object."""
        return {"article": self.article, "hits": self.hits, "duplicate": self.duplicate}


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def clean(text: str, instead: str = "") -> str:
    """The text with `instead` for each character that steers a terminal or turns the direction of what follows."""
    return _CONTROLS.sub(instead, text)


def one_line(text: str) -> str:
    """The text as `clean` gives it, on one line: a line feed is written as a backslash and an n."""
    return clean(text.replace("\n", "\\n"))


def count(number: int, noun: str = "article", plural: str = "") -> str:
    """A number with its noun: "1 article", "2 articles"; `plural` where an s does not make it."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def shorten(text: str, width: int = 160) -> str:
    """The text on one line, its middle replaced by … where it is longer than `width`; words are left whole."""
    line = " ".join(text.split())
    if len(line) <= width:
        return line
    head = re.sub(r"(?<=\s)\S{,30}\Z", "", line[: width * 2 // 3 + 1])
    tail = re.sub(r"\A\S{,30}(?=\s)", "", line[-width // 3 - 1 :])
    return f"{head.rstrip()} … {tail.lstrip()}"
