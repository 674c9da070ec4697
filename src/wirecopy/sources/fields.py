"""Under which names a record holds its text, its id and what is known about it, and how their values are read."""

from __future__ import annotations

import datetime
import math
import numbers
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wirecopy import _core
from wirecopy.model import ABOUT, UNDATED, Article
from wirecopy.text import mend, utf8

TEXT_NAMES = ("text", "maintext", "body", "content")
"""`text` is passim's and trafilatura's, `maintext` news-please's."""

ABOUT_NAMES: Mapping[str, tuple[str, ...]] = {name: (name,) for name in ABOUT} | {
    "published": ("published", "date", "date_publish", "date_published", "publish_date"),
    "source": (
        "source-hostname",
        "source",
        "series",
        "sitename",
        "hostname",
        "source_domain",
        "meta_site_name",
    ),
    "author": ("author", "authors", "byline"),
    "location": ("location", "dateline"),
    "language": ("language", "lang"),
    "url": ("url", "link"),
}
"""The names under which each of `ABOUT` may stand.

Of published, `date` is passim's and trafilatura's, `date_publish` news-please's, `date_published` JSON Feed's, `publish_date`
newspaper's. Of source, `series` is passim's, `source_domain` news-please's, `meta_site_name` newspaper's; trafilatura's
JSON has the name of the site as `source-hostname` and the address of the page as `source`, its other forms say
`sitename`, `hostname` and `url`. `authors` is news-please's and newspaper's, a list of names.
"""


@dataclass(frozen=True, slots=True)
class Fields:
    """The names of fields that the user gave; None stands for the known names, of which the first that a record has is taken.

    Of `ABOUT`, only those in `about` are read: the others would cost memory.
    """

    text: str | None = None
    id: str | None = None
    published: str | None = None
    title: str | None = None
    about: tuple[str, ...] = ()

    @property
    def text_names(self) -> tuple[str, ...]:
        """The names under which the text may stand."""
        return TEXT_NAMES if self.text is None else (self.text,)

    @property
    def id_names(self) -> tuple[str, ...]:
        """The name under which the id may stand."""
        return ("id" if self.id is None else self.id,)

    @property
    def published_names(self) -> tuple[str, ...]:
        """The names under which the date may stand."""
        return ABOUT_NAMES["published"] if self.published is None else (self.published,)

    @property
    def about_names(self) -> list[tuple[str, ...]]:
        """The names under which each of `about` may stand, and last `source`, which `known` needs where `about` has `url`."""
        if not self.about:
            return []
        known = {**ABOUT_NAMES, "published": self.published_names}
        if self.title is not None:
            known["title"] = (self.title,)
        names = [known[name] for name in self.about]
        return [*names, ("source",)] if "url" in self.about else names

    def known(self, columns: Sequence[Sequence[str]]) -> dict[str, Sequence[str]]:
        """`Articles.about`, from the columns of what stands under each of `about_names`.

        An address under `source` is the url of an article that has no other.
        """
        about = dict(zip(self.about, columns, strict=False))
        if "url" in about:
            about["url"] = [
                url or (source if "://" in source else "")
                for url, source in zip(about["url"], columns[-1], strict=True)
            ]
        return about

    def held(self, id: bool, published: bool, about: Mapping[str, Sequence[str]]) -> dict[str, bool]:
        """`Articles.held`, from whether some record has an id and a date, and what is known about them all."""
        named = {self.id: id, self.published: published}
        if "title" in about:
            named[self.title] = any(about["title"])
        return {name: there for name, there in named.items() if name is not None}


class Unusable(Exception):  # noqa: N818 - reads as what happened
    """A record that is no article; the message says why."""


class Number(str):
    """A number as it is written."""

    __slots__ = ()


class Record(NamedTuple):
    """What is read of the record at `where`.

    `published` is empty where it has none; `about` has one value for each of `Fields.about_names`; `number` is that of
    `Articles.numbers`.
    """

    text: bytes
    id: str
    where: str
    published: str = ""
    about: Sequence[str] = ()
    number: int | None = None


def record(values: Mapping[Any, Any], fields: Fields, where: str) -> Record:
    """The article in a mapping of names to values; without an id, that is `where`. Raises Unusable."""
    text_name, text = _first(values, fields.text_names)
    if text is None:
        raise Unusable(no_text([str(name) for name in values], fields))
    if not isinstance(text, str) or isinstance(text, Number):
        raise Unusable(f"field '{text_name}' is {kind(text)}, not a string")
    id_name, id_value = _first(values, fields.id_names)
    return Record(
        utf8(text),
        id_text(id_name, id_value) or where,
        where,
        date_text(_first(values, fields.published_names)[1]),
        [about_text(_first(values, names)[1]) for names in fields.about_names],
    )


def article_record(article: Article, fields: Fields, where: str) -> Record:
    """The record of an Article, whose fields have their own names; raises Unusable."""
    values = {name: getattr(article, name) for name in ("id", "text", *ABOUT)}
    return record(values, Fields(about=fields.about), where)


def no_text(names: Sequence[str], fields: Fields, what: str = "keys") -> str:
    """Why a record with these names has no text, and what to do."""
    null = next((name for name in fields.text_names if name in names), None)
    if null is not None:
        return f"field '{null}' is null"
    wanted = f"no text field '{fields.text}'" if fields.text is not None else "no text field"
    if not names:
        return f"{wanted}: the record is empty"
    shown = ", ".join(mend(name)[:40] for name in names[:12])
    return advise(f"{wanted}: found {what} {shown}{', …' if len(names) > 12 else ''}", fields)


_FOUND = re.compile(r"no text field.*?: found (?:keys|columns) (.+)", re.DOTALL)


def advise(reason: str, fields: Fields) -> str:
    """A reason with what to do about it, if it says which names there are but none that holds the text."""
    found = _FOUND.fullmatch(reason)
    if found is None:
        return reason
    guess = _guess(found[1], fields.text_names)
    return f"{reason}; {f'did you mean {guess!r}? ' if guess else ''}name it with fields=Fields(text=…)"


@lru_cache(1000)
def _guess(found: str, wanted: Sequence[str]) -> str | None:
    """That of the names found, with commas between them, that may stand for one that is wanted."""
    from difflib import get_close_matches  # slow to import, and rarely needed

    names = found.removesuffix(", …").split(", ")
    known = [name for name in names if name in TEXT_NAMES]
    close = [near for one in wanted for near in get_close_matches(one, names, 1, 0.75)]
    akin = [name for name in names if {*wanted, *TEXT_NAMES} & set(re.split(r"[\W_]+", name.casefold()))]
    return next(iter([*close, *known, *akin]), None)


def id_text(name: str, value: Any) -> str:
    """An id as text: a string as it is, a number in decimals, empty for none; raises Unusable."""
    if value is None:
        return ""
    if isinstance(value, str):
        return mend(value)
    if isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_):
        return str(int(value)) if isinstance(value, numbers.Integral) else repr(float(value))
    raise Unusable(f"field '{name}' is {kind(value)}, not a string or a number")


def date_text(value: Any) -> str:
    """A date as text, empty for none."""
    if value is None:
        return ""
    if isinstance(value, datetime.date):
        return value.isoformat()
    return mend(str(value))


def about_text(value: Any) -> str:
    """A value other than the date as text: a list as its strings joined, numbers and dates written out, all else empty."""
    if isinstance(value, list | tuple):
        return "; ".join(
            mend(item) for item in value if isinstance(item, str) and item and not isinstance(item, Number)
        )
    if isinstance(value, datetime.date):
        return value.isoformat()
    try:
        return id_text("", value)
    except Unusable:
        return ""


def moments(dates: Sequence[str]) -> tuple[NDArray[np.int64], int]:
    """Dates as microseconds since 1970 UTC, and how many of them could not be read."""
    published = _core.iso_microseconds(dates)
    others = [
        (row, dates[row]) for row in np.flatnonzero(published == UNDATED).tolist() if dates[row].strip()
    ]
    return with_others(published, others)


def with_others(
    published: NDArray[np.int64], others: Sequence[tuple[int, str]]
) -> tuple[NDArray[np.int64], int]:
    """`published` with those of the other dates that are RFC 2822, given with their rows, and how many are not."""
    if not others:
        return published, 0
    filled = published.copy()
    for row, date in others:
        filled[row] = rfc2822_microseconds(date)
    return filled, sum(int(filled[row]) == UNDATED for row, _ in others)


_RFC2822 = re.compile(
    r"\s*(?:[A-Za-z]{3}\s*,?\s+)?\d{1,2}\s+[A-Za-z]{3}\s+\d{4}\s+\d{2}:\d{2}(?::\d{2})?"
    r"(?:\s+(?:[+-]\d{4}|[A-Za-z]{1,5}))?(?:\s*\([^)]*\))?\s*",
    re.ASCII,
)
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def rfc2822_microseconds(date: str) -> int:
    """The moment of an RFC 2822 date, in UTC where its zone is missing or unknown; `UNDATED` for anything else."""
    # The parser of the standard library guesses at anything; only the real form is given to it.
    if not _RFC2822.fullmatch(date):
        return UNDATED
    from email.utils import parsedate_to_datetime  # slow to import, and rarely needed

    try:
        moment = parsedate_to_datetime(date)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=datetime.UTC)
        return (moment - _EPOCH) // datetime.timedelta(microseconds=1)
    except (ValueError, TypeError, OverflowError, IndexError):
        return UNDATED


def kind(value: Any) -> str:
    """What a value is, in the words of JSON."""
    for types, word in (
        (Number, "a number"),
        (str, "a string"),
        ((bool, np.bool_), "true or false"),
        (numbers.Number, "a number"),
        (Mapping, "an object"),
        ((list, tuple), "an array"),
    ):
        if isinstance(value, types):
            return word
    return f"a {type(value).__name__}"


def is_missing(value: Any) -> bool:
    """Whether a value means that there is none: None, or the NaN and infinities that Python writes for missing numbers."""
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _first(values: Mapping[Any, Any], names: Sequence[str]) -> tuple[str, Any]:
    """The first of the names that has a value, and the value; None where none of them has."""
    for name in names:
        value = values.get(name)
        if not is_missing(value):
            return name, value
    return names[0], None
