"""Small articles for archives, and answers in a form that can be compared."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import wirecopy
from wirecopy import Archive, Match
from wirecopy.pile import Stories


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


Told = tuple[list[Any], list[Any], list[Any]]
"""Stories, their versions and their links, as the views of an archive have them."""


def kept_stories(path: Path) -> Told:
    """What any SQLite tool reads of an archive's stories."""
    with closing(sqlite3.connect(path)) as connection:
        views = ("story", "version", "link")
        stories, versions, links = (connection.execute(f"SELECT * FROM {view}").fetchall() for view in views)
        return stories, versions, sorted(links)


def as_kept(stories: Stories) -> Told:
    """Stories as the views of an archive that has just learnt must have them."""
    told: Told = [], [], sorted(tuple(link.to_dict().values()) for link in stories.links)
    for one in stories:
        counts = len(one.articles), len(one.versions), len(one.sources)
        told[0].append((one.id, one.title, one.kind, *counts, one.first_seen, one.last_seen))
        for member in one.articles:
            parent: list[Any] = list(member.parent.to_dict().values())[:-1] if member.parent else [None] * 7
            told[1].append((one.id, member.version, member.id, member.published, member.source, *parent))
    return told


def as_told(stories: Stories) -> list[Any]:
    """Stories in a form that can be compared: each of them, what joins them, and the series."""
    return [[one.to_dict() for one in some] for some in (stories, stories.links, stories.series)]


@contextmanager
def opened(path: Path, articles: Any = (), **options: Any) -> Iterator[Archive]:
    """An archive with some articles, whose boilerplate is that of now."""
    with closing(Archive.open(path, create=True, **options)) as archive:
        archive.add(articles)
        archive.learn()
        yield archive
