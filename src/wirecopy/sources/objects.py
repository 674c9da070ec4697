"""Python objects: texts, dicts and Articles, gathered into batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from wirecopy import _core
from wirecopy.model import Article
from wirecopy.sources.fields import Fields, Record, article_record, record
from wirecopy.sources.work import Work, parse_each, skip
from wirecopy.text import utf8

_OBJECTS_A_BATCH = 4096


class Batches:
    """Gathers objects until they are worth a batch; they are named `unnamed:N`, from 1 over all batches."""

    def __init__(self, fields: Fields, batch_bytes: int, unnamed: str) -> None:
        self.fields, self.batch_bytes, self.unnamed = fields, batch_bytes, unnamed
        self.count = 0
        self._items: list[tuple[str, Any]] = []
        self._size = 0

    def add(self, item: str | Mapping[Any, Any] | Article) -> Iterator[Work]:
        """Add one object; yields the batch if it is full now."""
        self.count += 1
        self._items.append((f"{self.unnamed}:{self.count}", item))
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


def _size(item: str | Mapping[Any, Any] | Article) -> int:
    if isinstance(item, str):
        return len(item)
    if isinstance(item, Article):
        return len(item.text) if isinstance(item.text, str) else 0
    return sum(len(value) for value in item.values() if isinstance(value, str))


def _record(fields: Fields, item: str | Mapping[Any, Any] | Article, where: str) -> Record:
    """The article in an object; the id of a text is its BLAKE3. Raises Unusable."""
    if isinstance(item, str):
        text = utf8(item)
        return Record(text, _core.blake3_hex([text])[0], where)
    if isinstance(item, Article):
        return article_record(item, fields, where)
    return record(item, fields, where)
