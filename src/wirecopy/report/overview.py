"""What a report says of the whole: counts, copies over time, who copies whom, boilerplate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..comparison import RELATIONS
from ..grouping.ties import BASES, Grouped
from ..matching.collection import Collection
from ..matching.matches import Matches
from ..model import UNDATED
from .listing import Listing

FORMAT = 1
"""Of what is embedded in a page."""
COUNTED = ("articles", "matches", "stories", "versions", "collections", "series", "sources", "skipped")
READ_AT_ONCE = 1 << 14
"""So many articles are asked for at a time, without their texts."""
MOST_SOURCES = 12
"""Sources in the table of who copies whom."""
MOST_FORMULAS = 100
MOST_STEPS = 400
"""Of more steps of time, only those in which something was published are told."""
_UNITS = {
    "hour": ("h", 72),
    "day": ("D", 120),
    "week": ("D", 106),
    "month": ("M", 400),
    "year": ("Y", 10_000),
}
"""How NumPy calls the steps of time, and up to how many of them there may be; a longer time has longer ones."""
_MONDAY = -3
"""The day, counted from 1 January 1970, on which a week began."""
LIMITS = (
    "Copies are found by their words: what was translated, or told anew in other words, is not found.",
    "Who copied whom is told by dates and by what is shared; the basis of each claim stands beside it.",
)


def tell_about(
    preset: str,
    methods: Sequence[str],
    made_from: Sequence[str],
    options: Mapping[str, str] | None = None,
    *,
    texts: bool = True,
    limits: Sequence[str] = LIMITS,
    top: int | None = None,
) -> dict[str, Any]:
    """How a page came about, and what it cannot say."""
    from importlib.metadata import version  # which takes long to load

    return {
        "version": version("wirecopy"),
        "made_from": list(made_from),
        "preset": preset,
        "methods": list(methods),
        "options": dict(options or {}),
        "texts": texts,
        "limits": list(limits),
        "top": top,
    }


def plain_head(view: str, title: str, about: Mapping[str, Any], counts: Mapping[str, int]) -> dict[str, Any]:
    """The head of a page, where nothing is told of the whole but these counts."""
    return {
        "format": FORMAT,
        "title": title,
        "view": view,
        "about": about,
        "counts": {name: counts.get(name, 0) for name in COUNTED},
        "relations": dict.fromkeys(map(str, RELATIONS), 0),
        "over_time": {"unit": "day", "from": [], "articles": [], "copies": []},
        "sources": [],
        "copied": {"sources": [], "counts": []},
        "boilerplate": [],
        "boilerplate_count": 0,
    }


@dataclass(frozen=True)
class Overview:
    """What is known of all articles of a report, in the order of their numbers."""

    listing: Listing

    @property
    def _matches(self) -> Matches:
        return self.listing.matches

    @property
    def _grouped(self) -> Grouped | None:
        return self.listing.stories.grouped if self.listing.stories else None

    @cached_property
    def source_of(self) -> Sequence[str | None]:
        """The source of each article."""
        return [name for side in self.listing.sides for name in _read_sources(side)]

    @cached_property
    def sources(self) -> dict[str, int]:
        """All sources, those with most articles first, each with its place."""
        counts = Counter(filter(None, self.source_of))
        in_order = sorted(counts, key=lambda name: (-counts[name], name))
        return {name: place for place, name in enumerate(in_order)}

    @cached_property
    def _copies(self) -> NDArray[np.int64]:
        """The articles that come from another: those with a parent, or queries that share something with a pile."""
        if self._grouped is not None:
            return np.flatnonzero(self._grouped.parent >= 0)
        return np.unique(self._matches.queries).astype(np.int64) + self._behind

    @property
    def _behind(self) -> int:
        """How many articles come before the first query, where queries are no part of a pile."""
        sides = self.listing.sides
        return len(sides[0].ids) if len(sides) > 1 else 0

    def counts(self) -> dict[str, int]:
        """How much of everything there is."""
        listed, grouped = self.listing.counts, self._grouped
        versions = 0
        if grouped is not None:
            sizes = np.bincount(grouped.anchor, minlength=len(grouped.anchor))[grouped.anchor]
            versions = len(np.unique(grouped.version[sizes > 1]))
        return {
            "articles": self._matches.articles,
            "matches": len(self._matches),
            "stories": listed["story"],
            "versions": versions,
            "collections": listed["collection"],
            "series": listed["series"],
            "sources": len(self.sources),
            "skipped": sum(1 + one.more for one in self._matches.skipped),
        }

    def relations(self) -> dict[str, int]:
        """How many matches are of each relation."""
        counts = self._matches.count_relations()
        return {str(relation): counts.get(relation, 0) for relation in RELATIONS}

    def over_time(self) -> dict[str, Any]:
        """How many articles were published in each step of time, and how many of them are copies."""
        parts = [side.origins(np.arange(len(side.ids), dtype=np.uint32))[0] for side in self.listing.sides]
        moments = np.concatenate(parts)
        dated = moments != UNDATED
        is_copy = np.zeros(len(moments), bool)
        is_copy[self._copies] = True
        unit, steps = _choose_steps(moments[dated])
        firsts, articles = np.unique(steps, return_counts=True)
        copies = np.bincount(np.searchsorted(firsts, steps), is_copy[dated], len(firsts)).astype(int)
        if len(firsts) and firsts[-1] - firsts[0] < MOST_STEPS:
            every = np.arange(firsts[0], firsts[-1] + 1)
            counts = np.zeros((2, len(every)), int)
            counts[:, firsts - firsts[0]] = articles, copies
            firsts, (articles, copies) = every, counts
        return {
            "unit": unit,
            "from": _starts(unit, firsts),
            "articles": articles.tolist(),
            "copies": copies.tolist(),
        }

    def copied(self) -> dict[str, Any]:
        """How often each of the largest sources carries what another had before."""
        names = list(self.sources)[:MOST_SOURCES]
        if len(names) < 2:
            return {"sources": [], "counts": []}
        counts = np.zeros((len(names), len(names)), int)
        for later, earlier in self._copied_pairs():
            places = [self.sources.get(self.source_of[one] or "", len(names)) for one in (later, earlier)]
            if max(places) < len(names) and places[0] != places[1]:
                counts[places[0], places[1]] += 1
        return {"sources": list(range(len(names))), "counts": counts.tolist()}

    def _copied_pairs(self) -> Iterator[tuple[int, int]]:
        """Each article that has a parent which is earlier by its date, with that; each query with what it shares something with."""
        grouped, matches = self._grouped, self._matches
        if grouped is None:
            return zip(
                (matches.queries.astype(int) + self._behind).tolist(), matches.founds.tolist(), strict=True
            )
        later = self._copies[grouped.basis[self._copies] < BASES.index("same-time")]
        return zip(later.tolist(), grouped.parent[later].tolist(), strict=True)

    def boilerplate(self) -> list[dict[str, Any]]:
        """The boilerplate that was left out, the most common first."""
        return [
            {"example": one.example, "articles": one.articles, "sources": len(one.sources)}
            for one in self._matches.formulas[:MOST_FORMULAS]
        ]

    def head(self, title: str, about: Mapping[str, Any]) -> dict[str, Any]:
        """All of it, as the page has it."""
        return plain_head("report", title, about, self.counts()) | {
            "relations": self.relations(),
            "over_time": self.over_time(),
            "sources": list(self.sources),
            "copied": self.copied(),
            "boilerplate": self.boilerplate(),
            "boilerplate_count": len(self._matches.formulas),
        }


def _read_sources(side: Collection) -> Iterator[str | None]:
    for start in range(0, len(side.ids), READ_AT_ONCE):
        some = np.arange(start, min(start + READ_AT_ONCE, len(side.ids)), dtype=np.uint32)
        yield from (one.source for one in side.describe(some))


def _choose_steps(moments: NDArray[np.int64]) -> tuple[str, NDArray[np.int64]]:
    """The unit of time in which these moments, in microseconds, make a picture, and the number of each one's step."""
    if not len(moments):
        return "day", moments
    times = moments.astype("datetime64[us]")
    for unit, (short, most) in _UNITS.items():
        steps = times.astype(f"datetime64[{short}]").astype(np.int64)
        if unit == "week":
            steps = (steps - _MONDAY) // 7
        if steps.max() - steps.min() < most:
            break
    return unit, steps


def _starts(unit: str, steps: NDArray[np.int64]) -> list[str]:
    """When each step begins."""
    begin = (steps * 7 + _MONDAY if unit == "week" else steps).astype(f"datetime64[{_UNITS[unit][0]}]")
    return [str(one) for one in begin.astype("datetime64[m]" if unit == "hour" else "datetime64[D]")]
