"""Under which names a record holds its text, its id and what is known about it, and how their values are read."""

from __future__ import annotations

import codecs
import datetime
import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wirecopy import _core
from wirecopy.errors import UsageError
from wirecopy.model import ABOUT, Article, Remarks
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

    Of `ABOUT`, only those in `about` are read: the others would cost memory. `date_format` is how dates are written, for `strptime`;
    one that is not written so is read in any known form, as all are without it. `encoding` is that of text files and
    records; without it, records are UTF-8, and a text file that is not is in what it looks like.
    """

    text: str | None = None
    id: str | None = None
    published: str | None = None
    title: str | None = None
    source: str | None = None
    author: str | None = None
    language: str | None = None
    url: str | None = None
    about: tuple[str, ...] = ()
    date_format: str | None = None
    encoding: str | None = None

    def check(self) -> None:
        """Raise UsageError for what cannot be read."""
        if not set(self.about) <= set(ABOUT):
            raise UsageError(f"about: expected names among {', '.join(ABOUT)}, got {', '.join(self.about)}")
        try:
            codecs.lookup(self.encoding or "utf-8")
        except LookupError:
            raise UsageError(
                f"encoding: expected one such as latin1 or cp1251, got {self.encoding!r}"
            ) from None
        form = self.date_format
        try:
            if form is not None:
                datetime.datetime.strptime(datetime.datetime(2001, 2, 3).strftime(form), form)
        except ValueError as error:
            raise UsageError(f"date_format: expected one such as %d/%m/%Y, got {form!r}: {error}") from None

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
        given = {name: getattr(self, name, None) for name in self.about}
        names = [ABOUT_NAMES[name] if own is None else (own,) for name, own in given.items()]
        return [*names, ("source",)] if "url" in self.about else names

    def known(self, columns: Sequence[Sequence[str]]) -> dict[str, Sequence[str]]:
        """`Articles.about`, from the columns of what stands under each of `about_names`.

        An address under `source` is the url of an article that has no other.
        """
        about = dict(zip(self.about, columns, strict=False))
        if "published" in about:
            about["published"] = self.plain_dates(about["published"])
        if "url" in about:
            about["url"] = [
                url or (source if "://" in source else "")
                for url, source in zip(about["url"], columns[-1], strict=True)
            ]
        return about

    def plain_dates(self, dates: Sequence[str]) -> Sequence[str]:
        """Dates that have the form of `date_format` in ISO 8601, others as they are."""
        return dates if self.date_format is None else [_plain_date(date, self.date_format) for date in dates]

    def moments(self, dates: Sequence[str]) -> NDArray[np.int64]:
        """Dates as microseconds since 1970 UTC, `UNDATED` for those that cannot be read."""
        return _core.moments(self.plain_dates(dates))

    def held(self, id: bool, published: bool, about: Mapping[str, Sequence[str]]) -> dict[str, bool]:
        """`Articles.held`, from whether some record has an id and a date, and what is known about them all."""
        others = {name: any(column) for name, column in about.items() if name != "published"}
        there = {"id": id, "published": published, **others}
        named = {getattr(self, name, None): held for name, held in there.items()}
        return {name: held for name, held in named.items() if name is not None}


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
    return _core.no_text([mend(name) for name in names], fields.text_names, what)


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


def remark(dates: Sequence[str], text: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Remarks:
    """What is odd about the articles of a batch, of which these dates cannot be read."""
    short = np.flatnonzero(np.diff(offsets) < _BLANK_BYTES).tolist()
    empty = sum(not bytes(text[offsets[row] : offsets[row + 1]]).strip() for row in short)
    return Remarks(len(dates), next(iter(dates), ""), empty)


_BLANK_BYTES = 100
"""A text of more bytes is not looked at for whether it is empty."""


def _plain_date(date: str, form: str) -> str:
    try:
        return datetime.datetime.strptime(date.strip(), form).isoformat()
    except ValueError:
        return date


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
