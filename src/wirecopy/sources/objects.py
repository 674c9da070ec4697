"""Python objects: texts, dicts and Articles, gathered into batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from wirecopy import _core
from wirecopy.model import Article
from wirecopy.sources.fields import Fields, Record, article_record, no_text, record
from wirecopy.sources.work import Work, parse_each, skip
from wirecopy.text import utf8

_OBJECTS_A_BATCH = 4096


class Batches:
    """Gathers objects until they are worth a batch; they are named `unnamed:N`, from 1 over all batches.

    The id of a text is its BLAKE3, or, with `numbered`, its place.
    """

    def __init__(self, fields: Fields, batch_bytes: int, unnamed: str, numbered: bool) -> None:
        self.fields, self.batch_bytes, self.unnamed, self.numbered = fields, batch_bytes, unnamed, numbered
        self.count = 0
        self._items: list[tuple[str, Any]] = []
        self._size = 0

    def add(self, item: str | Mapping[Any, Any] | Article, place: int) -> Iterator[Work]:
        """Add one object, which is at this place of the input; yields the batch if it is full now."""
        self.count += 1
        number = place if self.numbered and isinstance(item, str) else None
        self._items.append((f"{self.unnamed}:{self.count}", (item, number)))
        self._size += _size(item)
        if self._size >= self.batch_bytes or len(self._items) >= _OBJECTS_A_BATCH:
            yield from self.flush()

    def flush(self) -> Iterator[Work]:
        """Yields what was gathered, if anything."""
        if self._items:
            work = Work(partial(parse_each, self._items, partial(_record, self.fields), self.fields))
            self._items, self._size = [], 0
            yield work

    def unusable(self, item: object) -> Work:
        """Work that skips an object which is no article."""
        self.count += 1
        return skip(
            f"{self.unnamed}:{self.count}",
            f"a {type(item).__name__} is no article; give a text, a dict or an Article",
        )


def are_texts(given: Mapping[Any, Any], fields: Fields) -> str | None:
    """Why a dict that may be meant as texts by their ids is no article, and what to do; None if it may be one."""
    if given.keys() & set(fields.text_names) or not all(isinstance(value, str) for value in given.values()):
        return None
    advice = "; texts by their ids are [Article(id, text) for id, text in texts.items()]"
    return no_text([str(name) for name in given], fields) + advice


def _size(item: str | Mapping[Any, Any] | Article) -> int:
    if isinstance(item, str):
        return len(item)
    if isinstance(item, Article):
        return len(item.text) if isinstance(item.text, str) else 0
    return sum(len(value) for value in item.values() if isinstance(value, str))


def _record(
    fields: Fields, numbered: tuple[str | Mapping[Any, Any] | Article, int | None], where: str
) -> Record:
    """The article in an object; the id of a text is its number, or its BLAKE3 if it has none. Raises Unusable."""
    item, number = numbered
    if isinstance(item, str):
        text = utf8(item)
        id = _core.blake3_hex([text])[0] if number is None else str(number)
        return Record(text, id, where, number=number)
    if isinstance(item, Article):
        return article_record(item, fields, where)
    return record(item, fields, where)
