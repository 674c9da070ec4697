"""Small articles for archives, and answers in a form that can be compared."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import wirecopy
from wirecopy import Archive, Match


def as_set(matches: Iterable[Match]) -> set[str]:
    """Matches in no order."""
    return {json.dumps(match.to_dict(), sort_keys=True) for match in matches}


def as_list(matches: Iterable[Match]) -> list[dict[str, Any]]:
    """Matches in their order."""
    return [match.to_dict() for match in matches]


def find_for_each(articles: Any, queries: Sequence[Any], **options: Any) -> list[set[str]]:
    """What `find` says of each query."""
    return [as_set(wirecopy.find(articles, query=[query], **options)) for query in queries]


def check_each(archive: Archive, queries: Sequence[Any]) -> list[set[str]]:
    """What an archive that has learnt its boilerplate says of each query."""
    return [as_set(answer.matches) for answer in archive.check(queries, top=None)]


@contextmanager
def opened(path: Path, articles: Any = (), **options: Any) -> Iterator[Archive]:
    """An archive with some articles, whose boilerplate is that of now."""
    with closing(Archive.open(path, create=True, **options)) as archive:
        archive.add(articles)
        archive.learn()
        yield archive
