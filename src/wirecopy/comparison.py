"""Two articles → Match: the one place that decides.

The core aligns words (`rust/src/align.rs`); here the passages become character spans and the shares become a relation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import UsageError
from .model import Article, Boilerplate, Match, Passage, Relation, Tokens
from .text import encode, tokenise

RELATIONS = tuple(Relation)
"""A relation's code is its place here."""


@dataclass(frozen=True, slots=True)
class Preset:
    """What counts as copied."""

    min_passage_words: int
    bridged_words: int
    covered: float
    seed_words: int
    gap_words_a_word: int
    about: str


PRESETS = {
    "strict": Preset(40, 30, 0.9, 3, 8, "legal and editorial use: every match would convince a stranger"),
    "syndication": Preset(20, 10, 0.8, 4, 4, "news archives"),
    "any-reuse": Preset(12, 30, 0.8, 3, 8, "research on text reuse, edited copies"),
}
DEFAULT_PRESET = "syndication"


def get_preset(name: str) -> Preset:
    """A preset by name."""
    try:
        return PRESETS[name]
    except KeyError:
        raise UsageError(f"no preset named {name!r}; there are: {', '.join(PRESETS)}") from None


@dataclass(frozen=True, slots=True)
class Compared:
    """Compared pairs as columns; pair i has passages `passage_offsets[i]:passage_offsets[i + 1]`.

    `passages` has the columns query start, query end, found start, found end (code points), words, changed.
    """

    relation: NDArray[np.int8]
    query_covered: NDArray[np.float64]
    found_covered: NDArray[np.float64]
    resemblance: NDArray[np.float64]
    passage_offsets: NDArray[np.int64]
    passages: NDArray[np.uint32]

    def take(self, rows: NDArray[np.int64]) -> Compared:
        """Some pairs, in the order given."""
        counts = np.diff(self.passage_offsets)[rows]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        passages = np.repeat(self.passage_offsets[rows] - offsets[:-1], counts) + np.arange(offsets[-1])
        return Compared(
            self.relation[rows],
            self.query_covered[rows],
            self.found_covered[rows],
            self.resemblance[rows],
            offsets,
            self.passages[passages],
        )

    @staticmethod
    def join(parts: Sequence[Compared]) -> Compared:
        """Several lots of pairs as one."""
        if not parts:
            share = np.empty(0)
            return Compared(
                np.empty(0, np.int8), share, share, share, np.zeros(1, np.int64), np.empty((0, 6), np.uint32)
            )
        counts = np.concatenate([np.diff(part.passage_offsets) for part in parts])
        return Compared(
            np.concatenate([part.relation for part in parts]),
            np.concatenate([part.query_covered for part in parts]),
            np.concatenate([part.found_covered for part in parts]),
            np.concatenate([part.resemblance for part in parts]),
            np.concatenate([[0], np.cumsum(counts)]),
            np.concatenate([part.passages for part in parts]),
        )


def compare_rows(
    tokens: Tokens,
    queries: NDArray[np.uint32],
    founds: NDArray[np.uint32],
    preset: Preset,
    boilerplate: Boilerplate | None = None,
) -> Compared:
    """Compare pairs of rows of a batch; `relation` is -1 for a pair that is no match."""
    assert tokens.starts is not None, "comparing needs spans"
    assert tokens.ends is not None
    answer = _core.compare(tokens, queries, founds, preset, boilerplate)
    offsets = answer["passage_offsets"]
    counts = np.diff(offsets)
    spans = [
        column[np.repeat(tokens.offsets[rows], counts) + answer[name] - last]
        for rows, side in ((queries, "query"), (founds, "found"))
        for name, column, last in ((f"{side}_start", tokens.starts, 0), (f"{side}_end", tokens.ends, 1))
    ]
    return Compared(
        relate(answer["identical"], answer["query_covered"], answer["found_covered"], counts, preset.covered),
        np.round(answer["query_covered"], 4),
        np.round(answer["found_covered"], 4),
        np.round(answer["resemblance"], 4),
        offsets,
        np.column_stack([*spans, answer["words"], answer["changed"]]).astype(np.uint32, copy=False),
    )


def relate(
    identical: NDArray[np.uint8],
    query_covered: NDArray[np.float64],
    found_covered: NDArray[np.float64],
    passages: NDArray[np.int64],
    covered: float,
) -> NDArray[np.int8]:
    """The relation's code for each pair, -1 for none."""
    query, found = query_covered >= covered, found_covered >= covered
    codes = {relation: np.int8(RELATIONS.index(relation)) for relation in Relation}
    conditions = [identical == 1, passages == 0, query & found, found, query]
    choices = [
        codes[Relation.IDENTICAL],
        np.int8(-1),
        codes[Relation.NEAR_DUPLICATE],
        codes[Relation.CONTAINS],
        codes[Relation.CONTAINED_IN],
    ]
    return np.select(conditions, choices, codes[Relation.PARTIAL]).astype(np.int8)


def compare(
    query: str | Article | Mapping[str, Any],
    found: str | Article | Mapping[str, Any],
    *,
    preset: str = DEFAULT_PRESET,
) -> Match | None:
    """What `query` shares with `found`, or None where there is no copy."""
    chosen = get_preset(preset)
    named = [name_text(side, role) for side, role in ((query, "query"), (found, "found"))]
    text, offsets = encode([text for _, text in named])
    tokens = tokenise(text, offsets, spans=True)
    compared = compare_rows(tokens, np.array([0], np.uint32), np.array([1], np.uint32), chosen)
    if compared.relation[0] < 0:
        return None
    return build_match(compared, 0, named[0][0], named[1][0], named[0][1])


def name_text(side: str | Article | Mapping[str, Any], role: str) -> tuple[str, str]:
    """Id and text of one side; a bare text goes by its role."""
    if isinstance(side, str):
        return role, side
    if isinstance(side, Article):
        return side.id, side.text
    if isinstance(side, Mapping) and isinstance(side.get("text"), str):
        return str(side.get("id", role)), side["text"]
    raise UsageError(
        f"{role}: expected a text, an Article or a dict with a 'text', got {type(side).__name__}"
    )


def build_match(
    compared: Compared, row: int, query: str, found: str, query_text: str, methods: tuple[str, ...] = ()
) -> Match:
    """One row of compared pairs as a Match."""
    rows = compared.passages[compared.passage_offsets[row] : compared.passage_offsets[row + 1]].tolist()
    return Match(
        query,
        found,
        RELATIONS[compared.relation[row]],
        float(compared.query_covered[row]),
        float(compared.found_covered[row]),
        float(compared.resemblance[row]),
        tuple(
            Passage((start, end), (found_start, found_end), words, changed, query_text[start:end])
            for start, end, found_start, found_end, words, changed in rows
        ),
        methods,
    )
