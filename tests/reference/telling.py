"""Stories as JSON objects, one after the other, slowly. The twin of `wirecopy.grouping.telling`, written from docs/stories.md.

Articles are numbers in the order of time, and what was grouped is a table of plain values for each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Pair = tuple[int, int]


@dataclass(frozen=True)
class Known:
    """What is known of one article; its parent with relation, both shares, equal words, basis and rivals."""

    id: str
    published: str | None
    source: str | None
    title: str | None
    url: str | None
    agency: str | None
    moment: int | None
    address: int | None
    words: int
    anchor: int
    version: int
    parent: tuple[int, str, float, float, int, str, int] | None
    is_collection: bool


def tell(
    articles: Sequence[Known], ties: Sequence[Pair], changes: Mapping[Pair, Sequence[int]], least: int = 2
) -> list[dict[str, Any]]:
    """All stories of so many articles or more: `ties` are the pairs of versions that share something, `changes` what one changed of another."""
    stories: dict[int, list[int]] = {}
    for number, one in enumerate(articles):
        stories.setdefault(one.anchor, []).append(number)
    return [
        tell_one(articles, members, [pair for pair in ties if {*pair} <= {*members}], changes)
        for _, members in sorted(stories.items())
        if len(members) >= least
    ]


def tell_one(
    articles: Sequence[Known], members: list[int], ties: Sequence[Pair], changes: Mapping[Pair, Sequence[int]]
) -> dict[str, Any]:
    versions = sorted({articles[one].version for one in members})
    numbers = {version: number for number, version in enumerate(versions, 1)}
    inside = {version: [one for one in members if articles[one].version == version] for version in versions}
    told_versions = []
    for version in versions:
        change = None
        if parent := articles[version].parent:
            before = articles[parent[0]].version
            added, cut, reworded, moved = changes[version, before]
            places = [
                {articles[one].address for one in inside[which]} - {None} for which in (version, before)
            ]
            change = {
                "from": numbers[before],
                "added": added,
                "cut": cut,
                "reworded": reworded,
                "moved": moved,
                "revised": bool(places[0] & places[1]),
            }
        told_versions.append(
            {
                "number": numbers[version],
                "articles": [articles[one].id for one in inside[version]],
                "words": articles[version].words,
                **seen(articles, inside[version]),
                "change": change,
            }
        )
    first = articles[members[0]]
    return {
        "id": first.id,
        "title": first.title,
        "kind": "collection" if first.is_collection else "story",
        "articles": [tell_member(articles, one, numbers) for one in members],
        "versions": told_versions,
        "sources": list(dict.fromkeys(source for one in members if (source := articles[one].source))),
        **seen(articles, members),
        "origin": tell_origin(articles, members),
        "cohesion": tell_cohesion(articles, members, ties),
    }


def tell_member(articles: Sequence[Known], number: int, numbers: Mapping[int, int]) -> dict[str, Any]:
    one = articles[number]
    parent = None
    if one.parent:
        earlier, relation, covered, parent_covered, words, basis, rivals = one.parent
        moments = one.moment, articles[earlier].moment
        parent = {
            "article": articles[earlier].id,
            "relation": relation,
            "covered": covered,
            "parent_covered": parent_covered,
            "words": words,
            "basis": basis,
            "rivals": rivals,
            "after_seconds": None if None in moments else (moments[0] - moments[1]) / 1_000_000,  # type: ignore[operator]
        }
    about = {name: getattr(one, name) for name in ("id", "published", "source", "title", "url", "agency")}
    return {**about, "version": numbers[one.version], "parent": parent}


def seen(articles: Sequence[Known], members: Sequence[int]) -> dict[str, Any]:
    dated = [articles[one].published for one in members if articles[one].moment is not None]
    return {"first_seen": dated[0] if dated else None, "last_seen": dated[-1] if dated else None}


def tell_origin(articles: Sequence[Known], members: Sequence[int]) -> dict[str, Any]:
    credited = [agency for one in members if (agency := articles[one].agency)]
    if credited:
        most = max(Counter(credited).values())
        agency = next(one for one in credited if credited.count(one) == most)
        own = [articles[one].id for one in members if names(agency, articles[one].source or "")]
        return {
            "agency": agency,
            "article": own[0] if own else None,
            "basis": "credited",
            "present": bool(own),
        }
    first, *others = (articles[one].moment for one in members)
    basis = "undated" if first is None else "same-time" if first in others else "earliest"
    return {"agency": None, "article": articles[members[0]].id, "basis": basis, "present": True}


def names(agency: str, source: str) -> bool:
    """Whether the words of an agency's name stand in a source, one after the other or as one."""

    def words(name: str) -> list[str]:
        spaced = "".join(one if one.isalnum() or one == "_" else " " for one in name.casefold())
        return spaced.split()

    name, place = words(agency), words(source)
    runs = [place[at : at + len(name)] for at in range(len(place))]
    return bool(name) and (name in runs or "".join(name) in place)


def tell_cohesion(articles: Sequence[Known], members: Sequence[int], ties: Sequence[Pair]) -> dict[str, Any]:
    weakest, pair = 1.0, None
    for one in members:
        if parent := articles[one].parent:
            share = max(parent[2:4])
            if pair is None or share < weakest:
                weakest, pair = share, [articles[one].id, articles[parent[0]].id]
    return {"weakest": weakest, "pair": pair, "bridges": sum(find_bridges(ties))}


def find_bridges(pairs: Sequence[Pair]) -> list[bool]:
    """Whether each pair is all that joins its two: whether these are apart without it."""
    return [
        other not in reach(one, [*pairs[:place], *pairs[place + 1 :]])
        for place, (one, other) in enumerate(pairs)
    ]


def reach(start: int, pairs: Sequence[Pair]) -> set[int]:
    reached = {start}
    while more := {node for pair in pairs if {*pair} & reached for node in pair} - reached:
        reached |= more
    return reached
