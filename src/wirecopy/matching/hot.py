"""Keys that very many articles hold, collided in pieces that together are exactly what `pairs.collide` gives of them in one place.

On a cluster all postings of a key go to one part. A formula in every article would make parts of its keys as large as all ordinary ones
together, so such *hot* keys take another way: which keys are hot only decides what it costs, and a sample may tell.

1. `split`, by batch: postings of ordinary keys go where they went; the others, as *entries*, to slices by key and article (`Slices`).
2. `summarise`, by slice: who holds a key, or a key with the same words on one side (a *group*). If up to `all_holders` articles of the
   slice do, all their entries, else the number of articles and the entries of the earliest, the *heads*.
3. `settle_keys`, by part of the summaries: a key with up to `all_holders` holders in all slices is collided here, all its entries are. The
   earliest holders of a more common one are its heads everywhere: the entries that are here are linked to them, and slices that have
   more are sent them.
4. `settle_groups`, by part of the summaries: the same of the groups of those keys that turned out to be common.
5. `link`, by slice: the entries that are nowhere else are linked to the heads that the slice was sent.
6. `decide`, in one place, of a few numbers from each piece: which keys are common, which depends on all their links. Then
   `Piece.conclude`, by piece.

Each collision of two entries is looked at in one piece only, where its later one is. A name stands in the common keys of several pieces,
with other holders in each. All entries of a key in one article are in one slice; slices and parts may be of any number and size.

Cost: a slice receives its entries, and of each group that more than `all_holders` of its own articles hold, few heads. Summaries are at
most three rows an entry, of 42 bytes each where an entry has 33, spread by a hash of the key and the words on that side: a group that is
everywhere sends few rows from each slice. One that few articles of each slice hold sends all its rows to one part, so parts differ the
more the fewer such groups there are. For families that are linked (`Limits.links`), and for common keys that are not known beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import UsageError
from ..model import Columns
from ..pairs import (
    LEFT_OUT,
    NO_NAMES,
    NOBODY,
    Collided,
    Commons,
    Evidence,
    Limits,
    collide,
    distinct,
    join_evidence,
)
from .collection import Chunk

LEVELS = ("right", "left", "key")
"""What holders of a key may have in common with it, by number: the words on one side, or nothing."""
KEY = LEVELS.index("key")
PACKED = np.dtype([("key", "<u8"), ("left", "<u8"), ("right", "<u8"), ("row", "<u4"), ("position", "<u4")])
"""A packed posting; above the `ROW_BITS` of its row are the words of its shingle."""
ROW_BITS = 24
_MIXING = np.uint64(0x9E37_79B9_7F4A_7C15)
_HALF = np.uint64(32)

Sent = list[tuple[int, Chunk]]
"""Chunks, each with the number of the slice or part that it goes to, rising; nothing goes to the others."""


class _Table(Columns):
    """Columns whose types are known, so that there may be no rows."""

    types: ClassVar[tuple[type, ...]] = ()

    @classmethod
    def read(cls, chunks: Iterable[Chunk]) -> Self:
        """The rows of chunks."""
        return cls.join([cls(*(np.empty(0, kind) for kind in cls.types)), *(cls(*one) for one in chunks)])


@dataclass(frozen=True, slots=True)
class Entries(_Table):
    """Postings of articles by rank; `words` are those of the shingle, `left` and `right` those around it, four bits each."""

    types: ClassVar[tuple[type, ...]] = (np.uint64, np.uint64, np.uint64, np.uint32, np.uint32, np.uint8)
    key: NDArray[np.uint64]
    left: NDArray[np.uint64]
    right: NDArray[np.uint64]
    rank: NDArray[np.uint32]
    position: NDArray[np.uint32]
    words: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Summary(Entries):
    """Entries of one level of a key from one slice, and how many articles of that slice hold it: all their entries, or of the earliest."""

    types: ClassVar[tuple[type, ...]] = (*Entries.types, np.uint8, np.uint32, np.uint32)
    level: NDArray[np.uint8]
    slice: NDArray[np.uint32]
    holders: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Heads(Entries):
    """Entries of the earliest holders of one level of a key, and whether that is known to be common."""

    types: ClassVar[tuple[type, ...]] = (*Entries.types, np.uint8, np.bool_)
    level: NDArray[np.uint8]
    common: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Held(_Table):
    """Holders of common keys: the name of the key, the rank, and where the article has it first."""

    types: ClassVar[tuple[type, ...]] = (np.uint64, np.uint32, np.uint32)
    name: NDArray[np.uint64]
    rank: NDArray[np.uint32]
    position: NDArray[np.uint32]


@dataclass(frozen=True)
class Slices:
    """Which keys are hot, sorted, and how their entries are cut into slices; both may be estimates.

    `starts` is how many entries there should be of all keys before each, and of all keys; `size` how many a slice should have.
    """

    keys: NDArray[np.uint64]
    starts: NDArray[np.int64] = field(repr=False)
    size: int

    @classmethod
    def of(cls, keys: NDArray[np.uint64], entries: NDArray[np.int64], size: int) -> Slices:
        """Slices of about so many entries, for distinct keys with about so many each."""
        if size < 1:
            raise UsageError(f"expected slices of 1 entry or more, got {size}")
        order = np.argsort(keys)
        return cls(keys[order], np.concatenate([[0], np.cumsum(np.maximum(entries[order], 1))]), size)

    def __len__(self) -> int:
        return max(1, -(-int(self.starts[-1]) // self.size))

    def find(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Which of some keys are hot, and the place of each of these among the hot ones."""
        return _find(self.keys, keys)

    def place(self, places: NDArray[np.intp], ranks: NDArray[np.uint32]) -> NDArray[np.int64]:
        """The slices of entries of the keys at these places; those of a key are spread by a hash of the article over its share."""
        share = np.diff(self.starts)[places].astype(np.uint64)
        spread = (ranks.astype(np.uint64) * _MIXING >> _HALF) * share >> _HALF
        return (self.starts[places] + spread.astype(np.int64)) // self.size


def split(
    packed: Sequence[NDArray[np.uint8]], first: int, slices: Slices
) -> tuple[list[NDArray[np.uint8]], Sent]:
    """The packed postings of a batch, part by part, without those of hot keys, and the entries of these by slice.

    `first` is the rank of the batch's first article; the others follow.
    """
    ordinary: list[NDArray[np.uint8]] = []
    hot, buckets = list[Entries](), [np.empty(0, np.int64)]
    for part in packed:
        postings = part.view(PACKED)
        rows, places = slices.find(postings["key"])
        if not len(rows):
            ordinary.append(part)
            continue
        mine, is_ordinary = postings[rows], np.ones(len(postings), bool)
        is_ordinary[rows] = False
        ordinary.append(postings[is_ordinary].view(np.uint8))
        ranks = (mine["row"] & np.uint32((1 << ROW_BITS) - 1)) + np.uint32(first)
        words = (mine["row"] >> np.uint32(ROW_BITS)).astype(np.uint8)
        hot.append(Entries(mine["key"], mine["left"], mine["right"], ranks, mine["position"], words))
        buckets.append(slices.place(places, ranks))
    return ordinary, _send(Entries.read(one.arrays for one in hot), np.concatenate(buckets))


def summarise(number: int, chunks: Iterable[Chunk], parts: int, limits: Limits) -> tuple[Sent, Sent]:
    """Summaries of the slice with this number, by part: those of keys, for `settle_keys`, and those of groups, for `settle_groups`."""
    entries = _few(Entries.read(chunks))
    right, left, keys = (_summarise(number, entries, level, limits) for level in range(len(LEVELS)))
    groups = Summary.join([right[0], left[0]]), np.concatenate([right[1], left[1]])
    spread = [(names >> _HALF) * np.uint64(parts) >> _HALF for names in (keys[1] * _MIXING, groups[1])]
    return _send(keys[0], spread[0]), _send(groups[0], spread[1])


@dataclass(frozen=True)
class Piece:
    """What was found in one place. The first `undecided` common keys are keys of which only all pieces can say if they are common.

    `heads` are holders of these that have evidence here, and perhaps elsewhere too; they are not among the holders here.
    """

    collided: Collided
    undecided: int
    heads: Held

    @property
    def chunk(self) -> Chunk:
        """All arrays; `of` puts them together again."""
        commons = self.collided.commons
        numbers: NDArray[Any] = np.array([self.collided.weak, self.undecided])
        holders: Chunk = [commons.holders, commons.positions, commons.offsets, commons.names]
        return [*self.collided.evidence.arrays, *holders, numbers, *self.heads.arrays]

    @classmethod
    def of(cls, chunk: Chunk) -> Piece:
        """The piece whose `chunk` this is."""
        weak, undecided = chunk[9].tolist()
        return cls(Collided(Evidence(*chunk[:5]), Commons(*chunk[5:9]), weak), undecided, Held(*chunk[10:]))

    @property
    def support(self) -> Chunk:
        """What `decide` has to know: undecided keys, how many holders have evidence here, and the heads that do."""
        commons = self.collided.commons
        return [
            commons.names[: self.undecided],
            np.diff(commons.offsets[: self.undecided + 1]),
            *self.heads.arrays,
        ]

    def conclude(self, names: NDArray[np.uint64]) -> Collided:
        """The evidence and the common keys, once it is known which keys are common: `names`, sorted."""
        evidence, commons = self.collided.evidence, self.collided.commons
        kept = np.arange(len(commons.names)) >= self.undecided
        kept[_find(names, commons.names[: self.undecided])[0]] = True
        numbers = np.append(np.where(kept, np.cumsum(kept) - 1, _core.RARE), _core.RARE).astype(np.uint32)
        number, linked = evidence.common & np.uint32(_core.RARE), evidence.common & np.uint32(_core.LINKED)
        common = numbers[np.minimum(number, np.uint32(len(kept)))] | linked
        sizes = np.diff(commons.offsets)
        held = np.repeat(kept, sizes)
        offsets = np.concatenate([[0], np.cumsum(sizes[kept])])
        decided = Commons(commons.holders[held], commons.positions[held], offsets, commons.names[kept])
        return Collided(replace(evidence, common=common), decided, self.collided.weak)


@dataclass(frozen=True)
class Settled:
    """What a part of the summaries gives: its piece, the sorted keys that have more than few holders, and heads by slice."""

    piece: Piece
    common: NDArray[np.uint64]
    heads: Sent


def settle_keys(chunks: Iterable[Chunk], limits: Limits) -> Settled:
    """What becomes of the keys of one part of the summaries."""
    return _settle([_settle_level(Summary.read(chunks), KEY, limits)])


def settle_groups(chunks: Iterable[Chunk], common: NDArray[np.uint64], limits: Limits) -> Settled:
    """What becomes of the groups of one part of the summaries; `common` are those that `settle_keys` found in all parts, sorted."""
    summary = Summary.read(chunks)
    summary = summary.take(_find(common, summary.key)[0])
    sides = [summary.take(summary.level == level) for level in range(KEY)]
    return _settle([_settle_level(side, level, limits) for level, side in enumerate(sides)])


def link(chunks: Iterable[Chunk], heads: Iterable[Chunk], limits: Limits) -> Piece:
    """What becomes of the entries of one slice, given all heads that were sent to it, of keys and of groups."""
    entries, everyone = _few(Entries.read(chunks)), Heads.read(heads)
    parts = []
    for level in (KEY, *range(KEY)):
        mine = everyone.take(everyone.level == level)
        names, head_names = _name(entries, level, limits)[1], _name(mine, level, limits)[1]
        groups = distinct(head_names)
        rows, numbers = _find(groups, names)
        asking = ~np.isin(_pair(numbers, entries.rank[rows]), _pair(_find(groups, head_names)[1], mine.rank))
        rows, names = rows[asking], names[rows[asking]]
        known = distinct(head_names[mine.common]) if level != KEY else groups
        collided = _ask(entries.take(rows), mine, limits, LEVELS[level], known)
        members = Held(
            np.concatenate([names, head_names]),
            np.concatenate([entries.rank[rows], mine.rank]),
            np.concatenate([entries.position[rows], mine.position]),
        )
        is_head = np.arange(len(members)) >= len(rows)
        if level == KEY:
            parts.append(_support(collided, members, is_head, known))
        else:
            parts.append(Piece(_report(collided, members.take(~is_head), known), 0, Held.read([])))
    return _join(parts)


def decide(supports: Iterable[Chunk], limits: Limits) -> tuple[NDArray[np.uint64], Commons]:
    """Of the `support` of all pieces: the sorted names of the keys that are common, and those of their holders that stand in no piece."""
    named, counted, heads = [NO_NAMES], [np.empty(0, np.int64)], [Held.read([])]
    for names, counts, *held in supports:
        named.append(names)
        counted.append(counts)
        heads.append(Held(*held))
    holders = _first(Held.join(heads))
    every = np.concatenate([*named, holders.name])
    names, numbers = np.unique(every, return_inverse=True)
    totals = np.zeros(len(names), np.int64)
    np.add.at(totals, numbers, np.concatenate([*counted, np.ones(len(holders), np.int64)]))
    common = names[totals >= limits.common_holders]
    return common, _list(holders, common)


# Levels of keys.


@dataclass(frozen=True)
class _Grouped:
    """Rows sorted by group and holder: their `order`, then of each its group, and which holder of it it is; of each group its first row."""

    order: NDArray[np.intp]
    group: NDArray[np.intp]
    holder: NDArray[np.intp]
    firsts: NDArray[np.intp]

    @classmethod
    def of(cls, entries: Entries, words: NDArray[np.uint64]) -> _Grouped:
        order = np.lexsort((entries.position, entries.rank, words, entries.key))
        new_group = _differ(entries.key[order]) | _differ(words[order])
        new_holder = new_group | _differ(entries.rank[order])
        firsts, group, holder = np.flatnonzero(new_group), np.cumsum(new_group) - 1, np.cumsum(new_holder) - 1
        return cls(order, group, holder - holder[firsts][group], firsts)

    @property
    def sizes(self) -> NDArray[np.intp]:
        """How many holders each group has."""
        lasts: NDArray[np.intp] = np.append(self.firsts[1:], len(self.group))[: len(self.firsts)] - 1
        return self.holder[lasts] + 1


def _few(entries: Entries) -> Entries:
    """The entries sorted by key, article and place, few of each key in an article."""
    grouped = _Grouped.of(entries, np.zeros(len(entries), np.uint64))
    ordered = entries.take(grouped.order)
    rows = np.arange(len(ordered))
    starts = np.flatnonzero(_differ(ordered.key) | _differ(ordered.rank))
    nth = rows - starts[np.searchsorted(starts, rows, side="right") - 1]
    return ordered.take(nth < _core.REPEATS)


def _name(
    entries: Entries, level: int, limits: Limits
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.bool_]]:
    """The words that make holders of a key one group, what the key is called with them, and whether they are too few."""
    if level == KEY:
        return np.zeros(len(entries), np.uint64), entries.key, np.zeros(len(entries), bool)
    return _core.name_sides(entries.key, entries.left, entries.right, limits, LEVELS[level])


def _heads(level: int, limits: Limits) -> int:
    """How many of the earliest holders the others may be linked to: a key skips as many as it links to."""
    if limits.links is None:
        raise UsageError(
            "hot keys are collided in pieces only where big families are linked: expected links, got None"
        )
    return max(1, 2 * limits.links if level == KEY else limits.links)


def _summarise(
    number: int, entries: Entries, level: int, limits: Limits
) -> tuple[Summary, NDArray[np.uint64]]:
    """The summary of one level, and the name of each row's group."""
    words, names, cut_short = _name(entries, level, limits)
    # Without words it depends on the group's first entry, which may be in another slice.
    alive = np.flatnonzero(~cut_short | (words == 0))
    grouped = _Grouped.of(entries.take(alive), words[alive])
    holders = grouped.sizes[grouped.group]
    kept = (holders <= limits.all_holders) | (grouped.holder < _heads(level, limits))
    rows, holders = alive[grouped.order[kept]], holders[kept].astype(np.uint32)
    of = np.full(len(rows), level, np.uint8), np.full(len(rows), number, np.uint32)
    return Summary(*[*entries.take(rows).arrays, *of, holders]), names[rows]


def _settle(levels: Sequence[tuple[Piece, NDArray[np.uint64], Heads, NDArray[np.int64]]]) -> Settled:
    pieces, common, heads, slices = zip(*levels, strict=True)
    sent = _send(Heads.join(heads), np.concatenate(slices))
    return Settled(_join(pieces), distinct(np.concatenate(common)), sent)


def _settle_level(
    summary: Summary, level: int, limits: Limits
) -> tuple[Piece, NDArray[np.uint64], Heads, NDArray[np.int64]]:
    """The piece of one level, the keys of big groups, and heads, each with the slice that it goes to."""
    words, names, cut_short = _name(summary, level, limits)
    grouped = _Grouped.of(summary, words)
    summary, names, group, firsts = (
        summary.take(grouped.order),
        names[grouped.order],
        grouped.group,
        grouped.firsts,
    )
    totals = _count(summary, group, len(firsts))
    alive = (totals > 1) & ~cut_short[grouped.order][firsts]
    is_big = alive & (totals > limits.all_holders)
    few = summary.take((alive & ~is_big)[group])
    settled = _collide(few, limits, "whole" if level == KEY else LEVELS[level])

    complete, is_head = summary.holders <= limits.all_holders, grouped.holder < _heads(level, limits)
    is_common = is_big & (totals >= limits.common_holders) if level != KEY else is_big
    here = is_big[group] & (complete | is_head)
    known = distinct(names[firsts[is_common]])
    linked = _collide(summary.take(here), replace(limits, all_holders=0), LEVELS[level], known)
    members = Held(names[here], summary.rank[here], summary.position[here])
    if level == KEY:
        piece = _support(linked, members, is_head[here], known)
    else:
        piece = Piece(_report(linked, members, known), 0, Held.read([]))

    asking = np.unique(_pair(group, summary.slice)[is_big[group] & ~complete])
    needing = (asking >> _HALF).astype(np.intp)
    lengths = np.bincount(group[is_head], minlength=len(firsts))[needing]
    rows = np.repeat(firsts[needing] - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
    entries = [getattr(summary, name)[rows] for name in Entries.__match_args__]
    heads = Heads(*[*entries, np.full(len(rows), level, np.uint8), is_common[group[rows]]])
    slices = np.repeat((asking & np.uint64(LEFT_OUT)).astype(np.int64), lengths)
    return (
        _join([piece, Piece(settled, 0, Held.read([]))]),
        distinct(summary.key[firsts[is_big]]),
        heads,
        slices,
    )


def _count(summary: Summary, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
    """How many articles of all slices hold each group."""
    _, rows = np.unique(_pair(group, summary.slice), return_index=True)
    totals = np.zeros(groups, np.int64)
    np.add.at(totals, group[rows], summary.holders[rows])
    return totals


# The kernel.


@dataclass(frozen=True)
class _Asked:
    """Entries that are looked up."""

    postings: Sequence[_core.Postings]
    own: NDArray[np.uint32]
    first: int


def _file(entries: Entries) -> tuple[_core.Postings, NDArray[np.uint32]]:
    """The entries as postings, and the rank of each article that is numbered in them."""
    articles, rows = np.unique(entries.rank, return_inverse=True)
    if len(articles) > 1 << ROW_BITS:
        raise UsageError(
            f"expected up to {1 << ROW_BITS} articles in one piece, got {len(articles)}; cut hot keys into more slices"
        )
    packed = np.empty(len(entries), PACKED)
    for name in ("key", "left", "right", "position"):
        packed[name] = getattr(entries, name)
    packed["row"] = rows.astype(np.uint32) | entries.words.astype(np.uint32) << np.uint32(ROW_BITS)
    return _core.unpack(packed.view(np.uint8)), articles


def _collide(
    entries: Entries, limits: Limits, level: str, known: NDArray[np.uint64] | None = None
) -> Collided:
    """The evidence among entries."""
    postings, articles = _file(entries)
    numbers = np.arange(len(articles), dtype=np.uint32)
    found = collide([(postings, 0)], numbers, limits, known, level)
    evidence, commons = found.evidence, found.commons
    ranked = replace(evidence, later=articles[evidence.later], earlier=articles[evidence.earlier])
    return Collided(ranked, replace(commons, holders=articles[commons.holders]), found.weak)


def _ask(entries: Entries, heads: Entries, limits: Limits, level: str, known: NDArray[np.uint64]) -> Collided:
    """The evidence between entries and heads, which are all earlier."""
    (asking, later), (postings, earlier) = _file(entries), _file(heads)
    queries = _Asked([asking], np.full(len(later), LEFT_OUT, np.uint32), len(earlier))
    ranks, limits = np.arange(len(earlier), dtype=np.uint32), replace(limits, all_holders=0)
    columns, weak, _ = _core.collide(
        [(postings, 0)], ranks, limits, queries=queries, known=known, level=level
    )
    found = Evidence(*columns)
    ranked = replace(
        found, later=later[found.later - np.uint32(len(earlier))], earlier=earlier[found.earlier]
    )
    return Collided(ranked, _list(Held.read([]), known), weak)


# Common keys.


def _first(held: Held) -> Held:
    """The holders sorted by name and rank, each where it has the key first."""
    held = held.take(np.lexsort((held.position, held.rank, held.name)))
    return held.take(_differ(held.name) | _differ(held.rank))


def _list(held: Held, names: NDArray[np.uint64]) -> Commons:
    """The common keys with these sorted names, and their holders."""
    held = _first(held.take(_find(names, held.name)[0]))
    sizes = np.bincount(_find(names, held.name)[1], minlength=len(names))
    return Commons(held.rank, held.position, np.concatenate([[0], np.cumsum(sizes)]), names)


def _report(collided: Collided, members: Held, known: NDArray[np.uint64]) -> Collided:
    """The evidence with the holders of the common keys that it has the numbers of."""
    return replace(collided, commons=_list(members, known))


def _support(
    collided: Collided, members: Held, is_head: NDArray[np.bool_], known: NDArray[np.uint64]
) -> Piece:
    """The links of keys, with those of their holders that have evidence; heads may have some in several pieces."""
    evidence = collided.evidence
    number = evidence.common & np.uint32(_core.RARE)
    supported = np.concatenate([_pair(number, evidence.later), _pair(number, evidence.earlier)])
    rows, numbers = _find(known, members.name)
    has = np.zeros(len(members), bool)
    has[rows] = np.isin(_pair(numbers, members.rank[rows]), supported)
    heads = _first(members.take(has & is_head))
    return Piece(_report(collided, members.take(has & ~is_head), known), len(known), heads)


def _join(pieces: Sequence[Piece]) -> Piece:
    """Several pieces as one; undecided keys stand in the first of them."""
    commons = [one.collided.commons for one in pieces]
    firsts = list(accumulate((len(one.names) for one in commons), initial=0))
    evidence = join_evidence([one.collided.evidence for one in pieces], firsts)
    sizes = np.concatenate([np.diff(one.offsets) for one in commons])
    joined = Commons(
        np.concatenate([NOBODY, *(one.holders for one in commons)]),
        np.concatenate([NOBODY, *(one.positions for one in commons)]),
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([NO_NAMES, *(one.names for one in commons)]),
    )
    collided = Collided(evidence, joined, sum(one.collided.weak for one in pieces))
    return Piece(collided, pieces[0].undecided, Held.join([one.heads for one in pieces]))


# Arrays.


def _send(table: _Table, buckets: NDArray[Any]) -> Sent:
    """The rows of each bucket."""
    order = np.argsort(buckets, kind="stable")
    table, buckets = table.take(order), buckets[order]
    firsts = np.flatnonzero(_differ(buckets))
    ends = np.append(firsts[1:], len(buckets))
    spans = zip(firsts.tolist(), ends.tolist(), strict=False)
    return [(int(buckets[start]), [column[start:end] for column in table.arrays]) for start, end in spans]


def _differ(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which values are not the same as the one before."""
    return np.append(True, values[1:] != values[:-1])[: len(values)]


def _pair(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.uint64]:
    """Two numbers below 2^32 in one."""
    return one.astype(np.uint64) << _HALF | other.astype(np.uint64)


def _find(values: NDArray[Any], wanted: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which of the wanted are among some sorted values, and where there."""
    if not len(values):
        return np.empty(0, np.intp), np.empty(0, np.intp)
    places = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
    rows = np.flatnonzero(values[places] == wanted)
    return rows, places[rows]
