"""A test collection by pooling (Varol and others 2011, section 4.1).

All methods nominate with permissive parameters; the union of their pairs, in groups of about the same size, is what people judge. A method
that comes later adds only the pairs that it alone nominates.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..comparison import RELATIONS, get_preset
from ..matching.collection import Progress
from ..methods import Method, get
from ..model import Relation, Skipped
from ..pile import Matches, Opinions, find, opinions
from ..sources import Fields
from ..sources.tables import read_rows
from .agreement import Settled
from .records import Skipping

ALIGNMENT = "alignment"
"""What nominates by comparing words: `find` with its most permissive preset."""
PERMISSIVE: Mapping[str, Mapping[str, Any]] = {
    "codet": {"threshold": 0.2},
    "cosine": {"threshold": 0.5},
    "document_image": {"threshold": 0.1},
    "dsc": {"contained": 0.3},
    "full_fingerprint": {"contained": 0.3},
    "imatch": {"form": "skip", "hash_words": 5},
    "minhash": {"threshold": 0.3},
    "resemblance": {"threshold": 0.2},
    "sentence_fingerprints": {"more_than": 0},
    "simhash": {"distance_bits": 8},
    "supershingles": {"min_common": 1},
}
"""With these a method nominates more than its paper would accept; CoDet's gives no numbers, so these are about half of what is asked there."""
CODET = ("codet", "full_fingerprint", "dsc", "imatch", "simhash")
"""The five methods of CoDet's pool."""
GROUPS = 20
NEAR = 0.1
"""A share covered is doubtful if it is so near to what the preset asks for."""
BARELY = 1.5
"""A match is doubtful if it has fewer equal words than so many times the shortest passage."""


@dataclass(frozen=True, slots=True)
class Nominated:
    """A pair to be judged: its group, and the methods that nominate it."""

    query: str
    found: str
    group: str
    nominated: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The pair as its public JSON object."""
        return asdict(self) | {"nominated": list(self.nominated)}


@dataclass(frozen=True, slots=True)
class Pool:
    """The pairs of a pool, by group; how many pairs each method nominated, and what was skipped of the articles."""

    pairs: Sequence[Nominated]
    counts: Mapping[str, int]
    skipped: Sequence[Skipped]


def permissive(name: str, **parameters: Any) -> Method:
    """The method of this name with its permissive parameters, but for those that are given."""
    return get(name, **{**PERMISSIVE.get(name, {}), **parameters})


def pool(
    articles: Sequence[Any],
    methods: Iterable[Method | str],
    *,
    known: Collection[frozenset[str]] = (),
    groups: int = GROUPS,
    threads: int | None = None,
    fields: Fields | None = None,
    progress: Progress | None = None,
) -> Pool:
    """The pairs that some methods nominate, those that are `known` left out, each with who nominated it.

    A method is one, or `alignment`. Articles are read once for each.
    """
    nominated: dict[frozenset[str], tuple[str, str, list[str]]] = {}
    counts: dict[str, int] = {}
    skipped: Sequence[Skipped] = ()
    for method in methods:
        common: dict[str, Any] = {"threads": threads, "fields": fields, "progress": progress}
        told: Opinions | Matches
        if isinstance(method, Method):
            name, told = method.name, opinions(articles, method, **common)
        else:
            name, told = ALIGNMENT, find(articles, preset="any-reuse", pairs="all", about=False, **common)
        pairs = [(one.query, one.found) for one in told]
        skipped = skipped or told.skipped
        counts[name] = counts.get(name, 0) + len(pairs)
        for query, found in pairs:
            by = nominated.setdefault(frozenset((query, found)), (query, found, []))[2]
            if name not in by:
                by.append(name)
    fresh = [(query, found, by) for pair, (query, found, by) in nominated.items() if pair not in known]
    return Pool(_deal(fresh, groups), counts, skipped)


def _deal(pairs: Iterable[tuple[str, str, Sequence[str]]], groups: int) -> list[Nominated]:
    """The pairs, each with who nominated it, in groups of about the same size that depend on nothing but their ids."""
    shuffled = sorted(pairs, key=lambda one: hashlib.blake2b(f"{one[0]}\0{one[1]}".encode()).digest())
    dealt = [
        Nominated(query, found, str(place % groups + 1), tuple(by))
        for place, (query, found, by) in enumerate(shuffled)
    ]
    return sorted(dealt, key=lambda one: (int(one.group), one.query, one.found))


def choose_doubtful(matches: Matches, groups: int = GROUPS) -> list[Nominated]:
    """The matches that lie near what decides their relation, dealt into groups; identical articles are never doubtful.

    Those are the ones with a share covered within `NEAR` of what the preset asks for, on either side, and those with fewer equal words
    than `BARELY` times its shortest passage.
    """
    preset, compared = get_preset(matches.preset), matches.compared
    shares = np.stack([compared.query_covered, compared.found_covered])
    near = (np.abs(shares - preset.covered) <= NEAR).any(axis=0)
    barely = matches.words < BARELY * preset.min_passage_words
    is_identical = compared.relation == RELATIONS.index(Relation.IDENTICAL)
    rows = np.flatnonzero((near | barely) & ~is_identical).tolist()
    queries, founds = matches.query_side.ids, matches.found_side.ids
    pairs = ((queries[matches.queries[row]], founds[matches.founds[row]], [ALIGNMENT]) for row in rows)
    return _deal(pairs, groups)


def read_pools(paths: Iterable[Path]) -> tuple[list[Nominated], list[Skipped]]:
    """The pairs of some pools, each once, with all who nominated it, and the records that are none."""
    skipping = Skipping()
    pairs: dict[frozenset[str], Nominated] = {}
    for path in paths:
        for rows in read_rows(path, ("query", "found", "group", "nominated")):
            skipping.read(rows)
            sides = [rows.columns.get(side) for side in ("query", "found")]
            empty = np.zeros(len(rows), bool)
            there = np.logical_and(*(one.is_there if one else empty for one in sides))
            skipping.tell(~there, rows.where, lambda _: "no pair: it needs 'query' and 'found'")
            alone = np.zeros(len(rows), bool)
            for row in np.flatnonzero(there).tolist():
                query, found, group, by = (
                    rows.columns[name][row] if name in rows.columns else ""
                    for name in ("query", "found", "group", "nominated")
                )
                if query == found:
                    alone[row] = True
                    continue
                first = pairs.setdefault(frozenset((query, found)), Nominated(query, found, group, ()))
                names = dict.fromkeys((*first.nominated, *by.translate(_BARE).split()))
                pairs[frozenset((query, found))] = replace(first, nominated=tuple(names))
            skipping.tell(alone, rows.where, lambda _: "an article is paired with itself")
    return list(pairs.values()), skipping.all()


_BARE = str.maketrans('[],"', "    ")


def collect(pairs: Iterable[Nominated], settled: Iterable[Settled]) -> list[dict[str, Any]]:
    """The test collection: each pair that is settled, with its label, how it was settled, and who nominated it."""
    nominated = {frozenset((one.query, one.found)): one.nominated for one in pairs}
    return [
        one.to_dict() | {"nominated": list(nominated[pair])}
        for one in settled
        if one.label is not None and (pair := frozenset((one.query, one.found))) in nominated
    ]
