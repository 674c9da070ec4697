"""Python objects: texts, dicts and Articles, gathered into batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wirecopy import _core
from wirecopy.model import Article, Articles, Skipped
from wirecopy.sources.fields import Fields, Record, Unusable, article_record, record
from wirecopy.sources.work import Work, articles, skip
from wirecopy.text import utf8

_OBJECTS_A_BATCH = 4096


class Batches:
    """Gathers objects until they are worth a batch. Objects count from 1, over all batches."""

    def __init__(self, fields: Fields, batch_bytes: int, unnamed: str) -> None:
        self.fields, self.batch_bytes, self.unnamed = fields, batch_bytes, unnamed
        self.count = 0
        self._items: list[Any] = []
        self._size = 0

    def add(self, item: str | Mapping[Any, Any] | Article) -> Iterator[Work]:
        """Take one object in; the batch that is full by it comes out."""
        self._items.append(item)
        self.count += 1
        self._size += _size(item)
        if self._size >= self.batch_bytes or len(self._items) >= _OBJECTS_A_BATCH:
            yield from self.flush()

    def flush(self) -> Iterator[Work]:
        """What was gathered."""
        if self._items:
            items, first = self._items, self.count - len(self._items) + 1
            self._items, self._size = [], 0
            yield Work(lambda: read(items, first, self.fields, self.unnamed))

    def unusable(self, item: object) -> Work:
        """The complaint about an object that is no article."""
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


def read(items: Sequence[Any], first: int, fields: Fields, unnamed: str) -> Articles:
    """The articles in some texts, mappings and Articles; a record without id is `unnamed:N`, a text its BLAKE3."""
    return mappings(items, [f"{unnamed}:{number}" for number in range(first, first + len(items))], fields)


def mappings(items: Sequence[Any], wheres: Sequence[str], fields: Fields) -> Articles:
    """The articles in some objects; `wheres` names them in complaints, and those without id."""
    records, skipped = [], []
    for where, item in zip(wheres, items, strict=True):
        try:
            if isinstance(item, str):
                text = utf8(item)
                records.append(Record(text, _core.blake3_hex([text])[0], where))
            elif isinstance(item, Article):
                records.append(article_record(item, fields, where))
            else:
                records.append(record(item, fields, where))
        except Unusable as problem:
            skipped.append(Skipped(where, str(problem)))
    return articles(records, skipped, fields)
