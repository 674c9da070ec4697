"""What was found in a pile: columns that read as a sequence of matches, and turn into tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..boilerplate import Formula, Learnt
from ..comparison import RELATIONS, Compared, build_match
from ..errors import MissingExtra
from ..model import Match, Skipped, missing
from .collection import Pile

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


LINES = 1 << 16


@dataclass(frozen=True)
class Matches(Sequence[Match]):
    """The matches of a pile, in the order of their queries, then of what was found, in time.

    `skipped` lists the records that could not be used, `formulas` the boilerplate that was left out, `counts` how much
    work was done.
    """

    pile: Pile = field(repr=False)
    queries: NDArray[np.int64] = field(repr=False)
    founds: NDArray[np.int64] = field(repr=False)
    nominated: NDArray[np.uint8] = field(repr=False)
    compared: Compared = field(repr=False)
    methods: tuple[str, ...]
    learnt: Learnt = field(repr=False)
    counts: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.queries)

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
        query, found = int(self.queries[row]), int(self.founds[row])
        ids = self.pile.ids
        by = self._combinations[self.nominated[row]]
        return build_match(self.compared, row, ids[query], ids[found], self.pile.text_of(query), by)

    @property
    def formulas(self) -> Sequence[Formula]:
        """The boilerplate that was left out, the most common first."""
        return self.learnt.formulas

    @property
    def skipped(self) -> Sequence[Skipped]:
        """Records that could not be used."""
        return self.pile.skipped

    @property
    def unreadable_dates(self) -> int:
        """How many dates were in no form that is known; they count as missing."""
        return self.pile.unreadable_dates

    @property
    def missing_fields(self) -> Sequence[str]:
        """The fields that were asked for by name and that no record holds."""
        return missing(self.pile.held)

    @cached_property
    def _combinations(self) -> list[tuple[str, ...]]:
        """The names for each set of nominating methods."""
        return [
            tuple(name for bit, name in enumerate(self.methods) if value >> bit & 1)
            for value in range(1 << len(self.methods))
        ]

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Query, found, relation, both shares, resemblance, passages, methods of each match, without excerpts."""
        compared, ids = self.compared, self.pile.ids
        names = [str(relation) for relation in RELATIONS]
        passages, offsets = compared.passages.tolist(), compared.passage_offsets.tolist()
        shares = (compared.query_covered, compared.found_covered, compared.resemblance)
        columns = zip(
            self.queries.tolist(),
            self.founds.tolist(),
            compared.relation.tolist(),
            *(share.tolist() for share in shares),
            offsets,
            offsets[1:],
            self.nominated.tolist(),
            strict=False,
        )
        for query, found, relation, in_query, in_found, resemblance, start, end, by in columns:
            yield (
                *(ids[query], ids[found], names[relation], in_query, in_found, resemblance),
                *(passages[start:end], self._combinations[by]),
            )

    def json_lines(self) -> Iterator[str]:
        """Each match as a line of JSON, many lines at a time."""
        compared = self.compared
        for start in range(0, len(self), LINES):
            yield _core.match_lines(
                self.queries,
                self.founds,
                compared.relation,
                compared.query_covered,
                compared.found_covered,
                compared.resemblance,
                compared.passage_offsets,
                compared.passages.reshape(-1),
                self.nominated,
                start,
                min(start + LINES, len(self)),
                self.pile.ids,
                [json.dumps(relation) for relation in RELATIONS],
                [json.dumps(names) for names in self._combinations],
            )

    def to_arrow(self) -> pyarrow.Table:
        """The matches as an Arrow table; passages are a list of structs."""
        try:
            import pyarrow as pa
        except ImportError:
            raise MissingExtra("an Arrow table", "arrow") from None
        compared, ids = self.compared, self.pile.ids
        starts = [pa.array(column) for column in compared.passages.T.astype(np.int64)]
        span = pa.list_(pa.int64(), 2)
        spans = [
            pa.FixedSizeListArray.from_arrays(
                pa.array(compared.passages[:, pair].ravel().astype(np.int64)), type=span
            )
            for pair in ([0, 1], [2, 3])
        ]
        passages = pa.ListArray.from_arrays(
            pa.array(compared.passage_offsets, pa.int32()),
            pa.StructArray.from_arrays(
                [*spans, starts[4], starts[5]], ["query", "found", "words", "changed"]
            ),
        )
        return pa.table(
            {
                "query": [ids[number] for number in self.queries.tolist()],
                "found": [ids[number] for number in self.founds.tolist()],
                "relation": [str(RELATIONS[code]) for code in compared.relation.tolist()],
                "query_covered": compared.query_covered,
                "found_covered": compared.found_covered,
                "resemblance": compared.resemblance,
                "passages": passages,
                "methods": [list(self._combinations[by]) for by in self.nominated.tolist()],
            },
            schema=pa.schema(
                {
                    **dict.fromkeys(("query", "found", "relation"), pa.string()),
                    **dict.fromkeys(("query_covered", "found_covered", "resemblance"), pa.float64()),
                    "passages": passages.type,
                    "methods": pa.list_(pa.string()),
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
