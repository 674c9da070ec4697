"""What was found: a sequence of matches, held as columns, that can be turned into tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..boilerplate import Formula, Learnt
from ..comparison import DEFAULT_PRESET, RELATIONS, Compared, build_match
from ..errors import MissingExtra
from ..escaping import ROWS, show_table
from ..model import TOLD_HEADS, Article, Match, Relation, Remarks, Skipped, count, tell
from .collection import Collection

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


LINES = 1 << 14
TOLD_AT_ONCE = 1 << 11
"""So many matches have their articles read at a time."""


@dataclass(frozen=True)
class Sides:
    """The two collections that are matched: queries, and what is found. A collection matched with itself is both."""

    query_side: Collection = field(repr=False)
    found_side: Collection = field(repr=False)

    @property
    def _sides(self) -> Sequence[Collection]:
        same = self.query_side is self.found_side
        return [self.found_side] if same else [self.query_side, self.found_side]

    @property
    def articles(self) -> int:
        """How many articles both sides have together."""
        return sum(len(side.ids) for side in self._sides)

    @property
    def warnings(self) -> Sequence[str]:
        """Reasons why the answer may not be what was expected."""
        return self.found_side.warnings

    @property
    def skipped(self) -> Sequence[Skipped]:
        """Records that could not be used."""
        return [one for side in self._sides for one in side.skipped]

    @property
    def unreadable_dates(self) -> int:
        """How many dates could not be read; they count as missing."""
        return self.remarks.unreadable_dates

    @property
    def remarks(self) -> Remarks:
        """What is odd about the articles."""
        return sum((side.remarks for side in self._sides), Remarks())

    @property
    def _left_out(self) -> str:
        """How many records were skipped, for people."""
        skipped = sum(1 + one.more for one in self.skipped)
        return f"; {count(skipped, 'record')} skipped" if skipped else ""

    @property
    def missing_fields(self) -> Sequence[str]:
        """The fields that were asked for by name and that no record of either side has."""
        first, *others = (side.missing_fields for side in self._sides)
        return [name for name in first if all(name in other for other in others)]


@dataclass(frozen=True)
class Matches(Sides, Sequence[Match]):
    """Matches, sorted by the query's place in time, then by that of what was found.

    `skipped` are the records that could not be used, `formulas` is the boilerplate that was left out, `counts` says how much
    work was done.
    """

    queries: NDArray[np.uint32] = field(repr=False)
    founds: NDArray[np.uint32] = field(repr=False)
    nominated: NDArray[np.uint16] = field(repr=False)
    compared: Compared = field(repr=False)
    methods: Sequence[str]
    learnt: Learnt = field(repr=False)
    counts: Mapping[str, int]
    preset: str = DEFAULT_PRESET
    linked: NDArray[np.bool_] | None = field(default=None, repr=False)
    """Which of them are there also where big families are linked; None if all are."""
    counted: NDArray[np.int64] | None = field(default=None, repr=False)
    """The words of articles that are known, by rank, -1 for others; None if none are."""

    def __len__(self) -> int:
        return len(self.queries)

    def __repr__(self) -> str:
        by_relation = ", ".join(
            f"{number:,} {relation}" for relation, number in self.count_relations().items()
        )
        return f"<Matches: {len(self):,} among {count(self.articles)}{by_relation and f': {by_relation}'}{self._left_out}>"

    def _repr_html_(self) -> str:
        rows = [
            (
                str(one.relation),
                one.query_covered,
                one.found_covered,
                one.words,
                one.query,
                one.found,
                query.title or "",
            )
            for one, query, _ in self.tell(range(min(ROWS, len(self))))
        ]
        heads = ("relation", "of query", "of found", "words", "query", "found", "title")
        return show_table(repr(self).strip("<>"), heads, rows, len(self) - len(rows))

    @overload
    def __getitem__(self, row: int) -> Match: ...
    @overload
    def __getitem__(self, row: slice) -> list[Match]: ...
    def __getitem__(self, row: int | slice) -> Match | list[Match]:
        if isinstance(row, slice):
            return [self[i] for i in range(*row.indices(len(self)))]
        if not -len(self) <= row < len(self):
            raise IndexError(f"match {row} of {len(self)}")
        row %= len(self)
        query, found = (
            (side.ids[ranks[row]], str(side.texts(ranks[row : row + 1])[0].data, "utf-8"))
            for side, ranks in ((self.query_side, self.queries), (self.found_side, self.founds))
        )
        return build_match(self.compared, row, query, found, self.combinations[self.nominated[row]])

    def tell(self, rows: Iterable[int] | None = None) -> Iterator[tuple[Match, Article, Article]]:
        """The matches of some rows, by default of all, each with both articles."""
        every = np.arange(len(self)) if rows is None else np.fromiter(rows, np.int64)
        for start in range(0, len(every), TOLD_AT_ONCE):
            some = every[start : start + TOLD_AT_ONCE]
            queries = _articles(self.query_side, self.queries[some])
            founds = _articles(self.found_side, self.founds[some])
            for row, query, found in zip(some.tolist(), queries, founds, strict=True):
                sides = (query.id, query.text), (found.id, found.text)
                by = self.combinations[self.nominated[row]]
                yield build_match(self.compared, row, *sides, by), query, found

    def of(self, relations: Iterable[Relation]) -> Matches:
        """Those of some relations alone."""
        codes = [RELATIONS.index(relation) for relation in relations]
        return self.where(np.isin(self.compared.relation, codes))

    def where(self, mask: NDArray[np.bool_]) -> Matches:
        """Those for which the mask holds."""
        kept = np.flatnonzero(mask)
        return replace(
            self,
            queries=self.queries[kept],
            founds=self.founds[kept],
            nominated=self.nominated[kept],
            compared=self.compared.take(kept),
            counts={**self.counts, "matches": len(kept)},
            linked=None if self.linked is None else self.linked[kept],
        )

    def count_relations(self) -> dict[Relation, int]:
        """How many matches there are of each relation that occurs."""
        counts = np.bincount(self.compared.relation, minlength=len(RELATIONS)).tolist()
        return {relation: number for relation, number in zip(RELATIONS, counts, strict=True) if number}

    @property
    def formulas(self) -> Sequence[Formula]:
        """The boilerplate that was left out, the most common first."""
        return self.learnt.formulas

    @cached_property
    def combinations(self) -> list[tuple[str, ...]]:
        """The names of the methods in each set of them; a set is a number with a bit for each method."""
        return [
            tuple(dict.fromkeys(name for bit, name in enumerate(self.methods) if value >> bit & 1))
            for value in range(1 << len(self.methods))
        ]

    @property
    def _slots(self) -> Sequence[NDArray[np.int64]]:
        """How many slots of each match are filled with the same, and with something else."""
        passages = self.compared.passages
        columns = passages.same, passages.other
        return [np.bincount(self.compared.pairs, one, len(self)).astype(np.int64) for one in columns]

    @property
    def words(self) -> NDArray[np.int64]:
        """How many equal words the passages of each match have."""
        return np.bincount(self.compared.pairs, self.compared.passages.words, len(self)).astype(np.int64)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The columns `MATCH_HEADS` of each match."""
        return (match.to_row(query, found) for match, query, found in self.tell())

    def json_lines(self, *, text: bool = False) -> Iterator[str]:
        """The matches as lines of JSON, many lines at a time; with `text`, what is known of the articles and the texts of passages too."""
        if text:
            for match, query, found in self.tell():
                yield json.dumps(match.to_dict(text=True) | tell(query, found), ensure_ascii=False) + "\n"
            return
        queries, founds = np.zeros((2, len(self)), np.uint32)
        columns = queries, founds, self.compared, self.nominated
        relations = [json.dumps(relation) for relation in RELATIONS]
        methods = [json.dumps(names) for names in self.combinations]
        for start in range(0, len(self), LINES):
            end = min(start + LINES, len(self))
            query_ids, queries[start:end] = _names(self.query_side, self.queries[start:end])
            found_ids, founds[start:end] = _names(self.found_side, self.founds[start:end])
            yield _core.match_lines(*columns, start, end, query_ids, found_ids, relations, methods)

    def to_arrow(self) -> pyarrow.Table:
        """The matches as an Arrow table; passages are a list of structs.

        Where the ids of a side are the values of a frame's index, these values are given back, if Arrow has a type for them.
        """
        try:
            import pyarrow as pa
        except ImportError:
            raise MissingExtra("an Arrow table", "arrow") from None
        compared, passages = self.compared, self.compared.passages

        def name(side: Collection, ranks: NDArray[np.uint32]) -> pa.Array:
            if side.labels:
                with suppress(pa.ArrowException, TypeError, ValueError):
                    return pa.array(side.labels).take(pa.array(ranks))
            return pa.array([side.ids[rank] for rank in ranks.tolist()], pa.string())

        def spans(*sides: NDArray[np.uint32]) -> pa.FixedSizeListArray:
            flat = pa.array(np.column_stack(sides).ravel().astype(np.int64))
            return pa.FixedSizeListArray.from_arrays(flat, type=pa.list_(pa.int64(), 2))

        query = spans(passages.query_start, passages.query_end)
        found = spans(passages.found_start, passages.found_end)

        def slots(*columns: NDArray[Any]) -> pa.StructArray:
            counts = [pa.array(column.astype(np.int64)) for column in columns]
            return pa.StructArray.from_arrays(counts, ["same", "other"])

        counts = [pa.array(column.astype(np.int64)) for column in (passages.words, passages.changed)]
        told: dict[str, list[str | None]] = {name: [] for name in TOLD_HEADS}
        texts: dict[str, list[str]] = {"text": [], "found_text": []}
        for match, *sides in self.tell():
            for head, value in tell(*sides).items():
                told[head].append(value)
            for passage in match.passages:
                texts["text"].append(passage.text)
                texts["found_text"].append(passage.found_text)
        structs = pa.StructArray.from_arrays(
            [
                *(query, found, *counts, slots(passages.same, passages.other)),
                *(pa.array(column, pa.large_string()) for column in texts.values()),
            ],
            ["query", "found", "words", "changed", "slots", *texts],
        )
        of_matches = slots(*self._slots)
        lists = pa.ListArray.from_arrays(pa.array(compared.passage_offsets, pa.int32()), structs)
        query_names, found_names = name(self.query_side, self.queries), name(self.found_side, self.founds)
        return pa.table(
            {
                "query": query_names,
                "found": found_names,
                "relation": [str(RELATIONS[code]) for code in compared.relation.tolist()],
                "query_covered": compared.query_covered,
                "found_covered": compared.found_covered,
                "resemblance": compared.resemblance,
                "slots": of_matches,
                "passages": lists,
                "methods": [list(self.combinations[by]) for by in self.nominated.tolist()],
                **told,
            },
            schema=pa.schema(
                {
                    "query": query_names.type,
                    "found": found_names.type,
                    "relation": pa.string(),
                    **dict.fromkeys(("query_covered", "found_covered", "resemblance"), pa.float64()),
                    "slots": of_matches.type,
                    "passages": lists.type,
                    "methods": pa.list_(pa.string()),
                    **dict.fromkeys(TOLD_HEADS, pa.string()),
                }
            ),
        )

    def to_pandas(self) -> pandas.DataFrame:
        """The matches as a pandas frame."""
        frame: pandas.DataFrame = self.to_arrow().to_pandas()
        return frame

    def to_polars(self) -> polars.DataFrame:
        """The matches as a polars frame."""
        import polars

        frame = polars.from_arrow(self.to_arrow())
        assert isinstance(frame, polars.DataFrame)
        return frame


def _articles(side: Collection, ranks: NDArray[np.uint32]) -> list[Article]:
    """The articles at some ranks, which may repeat: each is read once."""
    distinct, places = np.unique(ranks, return_inverse=True)
    articles = side.articles(distinct)
    return [articles[place] for place in places.tolist()]


def _names(side: Collection, ranks: NDArray[np.uint32]) -> tuple[list[str], NDArray[np.uint32]]:
    """The ids at some ranks, which may repeat, each once; and the place of each rank among them."""
    distinct, places = np.unique(ranks, return_inverse=True)
    return [side.ids[rank] for rank in distinct.tolist()], places.astype(np.uint32)
