"""Two articles → Match: the one place that decides.

The core aligns words (`rust/src/align.rs`); here passages become spans of characters, and shares become a relation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core, forms
from .addresses import number_addresses
from .errors import UsageError
from .forms import NO_SLOTS, NOTHING_VARIES, Origins, SlotColumns, TellApart
from .model import Article, Boilerplate, Columns, Match, Passage, Relation, Slots, Tokens
from .text import encode, mend, tokenise

RELATIONS = tuple(Relation)
"""A relation's code is its place here."""


@dataclass(frozen=True, slots=True)
class Preset:
    """What counts as copied. Where nothing does, the next `stricter` preset is tried, which bridges longer gaps."""

    min_passage_words: int
    bridged_words: int
    covered: float
    seed_words: int
    gap_words_a_word: int
    about: str
    stricter: Preset | None = None

    @property
    def tried(self) -> list[Preset]:
        """The presets that are tried in turn: this one, then the stricter ones."""
        return [self, *(self.stricter.tried if self.stricter else ())]


_STRICT = Preset(40, 30, 0.9, 3, 8, "legal and editorial use: every match would convince a stranger")
_SYNDICATION = Preset(20, 10, 0.8, 4, 4, "news archives", _STRICT)
PRESETS = {
    "strict": _STRICT,
    "syndication": _SYNDICATION,
    "any-reuse": Preset(12, 30, 0.8, 3, 8, "research on text reuse, edited copies", _SYNDICATION),
}
DEFAULT_PRESET = "syndication"
LAXEST_PRESET = min(PRESETS, key=lambda name: PRESETS[name].min_passage_words)


def get_preset(name: str) -> Preset:
    """The preset of this name; raises UsageError if there is none."""
    try:
        return PRESETS[name]
    except KeyError:
        raise UsageError(f"no preset named {name!r}; there are: {', '.join(PRESETS)}") from None


def get_relations(names: Iterable[str] | None) -> tuple[Relation, ...]:
    """The relations of these names, all for None; raises UsageError if there is none of a name."""
    if names is None:
        return RELATIONS
    wanted = [names] if isinstance(names, str) else list(names)
    if unknown := [name for name in wanted if name not in RELATIONS]:
        raise UsageError(f"no relation named {unknown[0]!r}; there are: {', '.join(RELATIONS)}")
    return tuple(Relation(name) for name in wanted)


@dataclass(frozen=True, slots=True)
class Passages(Columns):
    """Passages as columns: where each starts and ends in both articles (in code points), and how many words are equal and changed.

    `same` are the figures and dates that both have, `other` the places that are filled otherwise.
    """

    query_start: NDArray[np.uint32]
    query_end: NDArray[np.uint32]
    found_start: NDArray[np.uint32]
    found_end: NDArray[np.uint32]
    words: NDArray[np.uint32]
    changed: NDArray[np.uint32]
    same: NDArray[np.uint32]
    other: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Compared:
    """Compared pairs as columns; pair i has passages `passage_offsets[i]:passage_offsets[i + 1]`, and of slots the like.

    `slots` are there only until `settle` has told forms by them.

    `relation` is an index into `RELATIONS`, or -1 for a pair that is no match; `tried` is how many stricter presets were tried.
    """

    relation: NDArray[np.int8]
    query_covered: NDArray[np.float64]
    found_covered: NDArray[np.float64]
    resemblance: NDArray[np.float64]
    passage_offsets: NDArray[np.int64]
    passages: Passages
    tried: NDArray[np.uint8]
    slot_offsets: NDArray[np.int64]
    slots: SlotColumns

    def __len__(self) -> int:
        return len(self.relation)

    @property
    def pairs(self) -> NDArray[np.int64]:
        """The number of the pair that each passage belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.passage_offsets))

    @property
    def columns(self) -> list[NDArray[Any]]:
        """All arrays, in order; `of` puts them together again."""
        shares = self.relation, self.query_covered, self.found_covered, self.resemblance
        lists = self.passage_offsets, *self.passages.arrays, self.tried, self.slot_offsets, *self.slots.arrays
        return [*shares, *lists]

    @classmethod
    def of(cls, columns: Sequence[NDArray[Any]]) -> Compared:
        """The pairs whose `columns` these are."""
        relation, in_query, in_found, resemblance, offsets, *lists = columns
        passages, (tried, slot_offsets, *slots) = Passages(*lists[:8]), lists[8:]
        shares = in_query, in_found, resemblance
        return cls(relation, *shares, offsets, passages, tried, slot_offsets, SlotColumns(*slots))

    def without_slots(self) -> Compared:
        """The same pairs, for whoever does not ask for slots."""
        return replace(self, slot_offsets=np.zeros_like(self.slot_offsets), slots=NO_SLOTS)

    def take(self, rows: NDArray[np.int64]) -> Compared:
        """The pairs with these numbers, in this order."""
        columns = {name: getattr(self, name)[rows] for name in PAIR_COLUMNS}
        offsets, passages = _take_lists(self.passage_offsets, rows)
        slot_offsets, slots = _take_lists(self.slot_offsets, rows)
        return Compared(
            **columns,
            passage_offsets=offsets,
            passages=self.passages.take(passages),
            slot_offsets=slot_offsets,
            slots=self.slots.take(slots),
        )

    @staticmethod
    def join(parts: Sequence[Compared]) -> Compared:
        """The pairs of all parts, concatenated."""
        if len(parts) < 2:
            return parts[0] if parts else NOT_COMPARED
        columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in PAIR_COLUMNS}
        return Compared(
            **columns,
            passage_offsets=_join_offsets([part.passage_offsets for part in parts]),
            passages=Passages.join([part.passages for part in parts]),
            slot_offsets=_join_offsets([part.slot_offsets for part in parts]),
            slots=SlotColumns.join([part.slots for part in parts]),
        )


def _take_lists(
    offsets: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The offsets of some lists, concatenated, and the places of their values."""
    if offsets[-1] == 0:
        return np.zeros(len(rows) + 1, np.int64), _NO_PLACES
    counts = np.diff(offsets)[rows]
    taken = np.concatenate([_NO_LISTS, np.cumsum(counts)])
    return taken, np.repeat(offsets[rows] - taken[:-1], counts) + np.arange(taken[-1])


def _join_offsets(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part) for part in parts]))])


PAIR_COLUMNS = ("relation", "query_covered", "found_covered", "resemblance", "tried")
"""The columns of `Compared` with one value a pair."""
_NO_SHARES, _NO_PASSAGES = np.empty(0), Passages(*[np.empty(0, np.uint32)] * 8)
_NO_PAIRS = np.empty(0, np.int8), _NO_SHARES, _NO_SHARES, _NO_SHARES
_NO_LISTS, _NO_PLACES = np.zeros(1, np.int64), np.empty(0, np.int64)
NOT_COMPARED = Compared(*_NO_PAIRS, _NO_LISTS, _NO_PASSAGES, np.empty(0, np.uint8), _NO_LISTS, NO_SLOTS)


@dataclass(frozen=True, slots=True)
class Trace:
    """32 bits of each shingle of articles that were compared: enough to tell which of them may hold boilerplate learnt later."""

    shingles: NDArray[np.uint32]
    offsets: NDArray[np.int64]

    def may_hold(self, boilerplate: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether each article may hold one of these shingles: never False for one that does."""
        return _core.may_hold(self.shingles, self.offsets, boilerplate)


def compare_rows(
    tokens: Tokens,
    queries: NDArray[np.uint32],
    founds: NDArray[np.uint32],
    preset: Preset,
    boilerplate: Boilerplate | None = None,
    *,
    alone: bool = False,
    trace: bool = False,
) -> tuple[Compared, Trace]:
    """How pairs of rows of a batch compare by a preset, and, if asked for, the traces of the rows.

    For a pair without a passage the next stricter preset is tried, unless the first is to decide `alone`: so every match of a
    stricter preset is one of a laxer preset too. Where the kinds of words are known, the pairs have slots.
    """
    assert tokens.starts is not None, "comparing needs spans"
    assert tokens.ends is not None
    presets = [preset] if alone else preset.tried
    rule = forms.SLOTS if tokens.kinds is not None else None
    answer = _core.compare(tokens, queries, founds, presets, boilerplate, slots=rule, trace=trace)
    offsets = answer["passage_offsets"]
    counts = np.diff(offsets)
    query, found = (np.repeat(tokens.offsets[rows], counts) for rows in (queries, founds))
    in_query, in_found = answer["query_covered"], answer["found_covered"]
    compared = Compared(
        relate(answer["identical"], in_query, in_found, counts, preset.covered),
        in_query.round(4),
        in_found.round(4),
        answer["resemblance"].round(4),
        offsets,
        Passages(
            tokens.starts[query + answer["query_start"]],
            tokens.ends[query + answer["query_end"] - 1],
            tokens.starts[found + answer["found_start"]],
            tokens.ends[found + answer["found_end"] - 1],
            answer["words"],
            answer["changed"],
            answer["same"],
            np.zeros_like(answer["same"]),
        ),
        answer["tried"],
        answer["slot_offsets"],
        SlotColumns(*(answer[f"slot_{one.name}"] for one in fields(SlotColumns))),
    )
    return compared, Trace(answer["traces"], answer["trace_offsets"])


def relate(
    identical: NDArray[np.uint8],
    query_covered: NDArray[np.float64],
    found_covered: NDArray[np.float64],
    passages: NDArray[np.int64],
    covered: float,
) -> NDArray[np.int8]:
    """The code of each pair's relation, -1 for none."""
    query, found = query_covered >= covered, found_covered >= covered
    related: NDArray[np.int8] = _RELATED[query.view(np.uint8) * np.uint8(2) + found.view(np.uint8)]
    related[passages == 0] = -1
    related[identical == 1] = RELATIONS.index(Relation.IDENTICAL)
    return related


_RELATED = np.array(
    [
        RELATIONS.index(relation)
        for relation in (Relation.PARTIAL, Relation.CONTAINS, Relation.CONTAINED_IN, Relation.NEAR_DUPLICATE)
    ],
    np.int8,
)
"""The code of the relation of a pair with passages: of neither side covered, the found one, the query, both."""


def settle(compared: Compared, varying: NDArray[np.uint64], tell: TellApart) -> Compared:
    """The same without slots, once they have told which pairs are forms, and what each passage is filled with.

    `varying` are the names of slots that vary in the collection; `tell` is asked only about pairs that may be forms.
    """
    passages, slots = compared.passages, compared.slots
    if not len(slots):
        return compared
    filled, varies = forms.are_filled(slots, varying)
    same = np.bincount(compared.pairs, passages.same, len(compared)).astype(np.int64)
    likely = np.flatnonzero(forms.may_be_forms(slots, filled, varies, compared.slot_offsets, same))
    relation = compared.relation.copy()
    if len(likely):
        is_form = _are_forms(compared.take(likely), varying, lambda some: tell(likely[some]))
        relation[likely[is_form]] = RELATIONS.index(Relation.FORM)
    other = np.bincount(_passage_of(compared)[filled], minlength=len(passages)).astype(np.uint32)
    return replace(compared.without_slots(), relation=relation, passages=replace(passages, other=other))


def _passage_of(compared: Compared) -> NDArray[np.int64]:
    """The number of the passage that each slot is in."""
    firsts = np.repeat(compared.passage_offsets[:-1], np.diff(compared.slot_offsets))
    return firsts + compared.slots.passage


def _are_forms(compared: Compared, varying: NDArray[np.uint64], tell: TellApart) -> NDArray[np.bool_]:
    """Whether each pair that may be a form is one."""
    passages, slots, pairs = compared.passages, compared.slots, compared.pairs
    of_pair = np.concatenate([[0], np.cumsum(passages.words, dtype=np.int64)])[compared.passage_offsets]
    passage = _passage_of(compared)

    def count_before(order: NDArray[np.int64]) -> NDArray[np.int64]:
        """The equal words of its pair before each slot, where passages come in this order."""
        words = passages.words[order].astype(np.int64)
        before = np.empty(len(passages), np.int64)
        before[order] = np.cumsum(words) - words - of_pair[pairs]
        return before[passage] + slots.place // 2

    by_found = np.lexsort((passages.query_start, passages.found_end, passages.found_start, pairs))
    return forms.are_forms(
        slots,
        *forms.are_filled(slots, varying),
        compared.slot_offsets,
        [count_before(order) for order in (np.arange(len(passages)), by_found)],
        np.diff(of_pair),
        tell,
    )


def compare(
    query: str | Article | Mapping[str, Any],
    found: str | Article | Mapping[str, Any],
    *,
    preset: str = DEFAULT_PRESET,
) -> Match | None:
    """The match of `query` with `found`, or None if neither copies the other.

    A form is told by the two alone, with the dates and addresses that they have; by `find` it may be told by others of its kind too.
    """
    return compare_knowing(query, found, get_preset(preset))


def compare_knowing(
    query: str | Article | Mapping[str, Any],
    found: str | Article | Mapping[str, Any],
    preset: Preset,
    boilerplate: Boilerplate | None = None,
    varying: NDArray[np.uint64] = NOTHING_VARIES,
) -> Match | None:
    """The match of two articles of a collection whose boilerplate is known, and in which slots of these names vary."""
    named = [name_text(side, role) for side, role in ((query, "query"), (found, "found"))]
    text, offsets = encode([text for _, text in named])
    tokens = tokenise(text, offsets, spans=True, kinds=True)
    pair = np.array([0], np.uint32), np.array([1], np.uint32)
    compared, _ = compare_rows(tokens, *pair, preset, boilerplate)
    origins = [get_origin(side) for side in (query, found)]
    compared = settle(compared, varying, lambda _: forms.tell_apart(*origins))
    if compared.relation[0] < 0:
        return None
    return build_match(compared, 0, *named)


def name_text(side: str | Article | Mapping[str, Any], role: str) -> tuple[str, str]:
    """The id and the text of one side; the id of a bare text is its role."""
    if isinstance(side, str):
        return role, side
    if isinstance(side, Article):
        return side.id, side.text
    if isinstance(side, Mapping) and isinstance(side.get("text"), str):
        return str(side.get("id", role)), side["text"]
    raise UsageError(
        f"{role}: expected a text, an Article or a dict with a 'text', got {type(side).__name__}"
    )


def get_origin(side: str | Article | Mapping[str, Any]) -> Origins:
    """The date and address of one side, as far as they are known."""
    if isinstance(side, str):
        return get_origin({})
    about = side if isinstance(side, Mapping) else {"published": side.published, "url": side.url}
    published, url = (str(about.get(name) or "") for name in ("published", "url"))
    return _core.moments([mend(published)]), number_addresses([url])


def build_match(
    compared: Compared,
    row: int,
    query: tuple[str, str],
    found: tuple[str, str],
    methods: tuple[str, ...] = (),
) -> Match:
    """The Match of one row of compared pairs; `query` and `found` are the id and the text of each."""
    passages = compared.passages.rows(slice(*compared.passage_offsets[row : row + 2].tolist()))
    return Match(
        query[0],
        found[0],
        RELATIONS[compared.relation[row]],
        float(compared.query_covered[row]),
        float(compared.found_covered[row]),
        float(compared.resemblance[row]),
        tuple(
            Passage(
                (start, end),
                (begin, stop),
                words,
                changed,
                query[1][start:end],
                Slots(same, other),
                found[1][begin:stop],
            )
            for start, end, begin, stop, words, changed, same, other in passages
        ),
        methods,
    )
