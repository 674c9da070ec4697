"""What was learnt of an archive's articles, as the values that its store keeps of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..boilerplate import GAP_WORDS, Formula, Learnt
from ..model import Boilerplate

SHINGLES, VARYING = "shingles", "varying slots"
"""What the shingles of boilerplate and the slots that vary are called among what was learnt, where all other names are those of methods."""
Named = tuple[str, bytes]
"""A name and its 64-bit numbers."""
Row = tuple[int, int, str, str, str]
"""A formula: its place, in how many articles it is, an example, an article that has it, and its sources as JSON."""


def pack(learnt: Learnt) -> tuple[list[Named], list[Row]]:
    """What was learnt, and its formulas, as values to store."""
    values = {SHINGLES: learnt.known.shingles, VARYING: learnt.varying, **learnt.names}
    return [(name, one.astype("<u8").tobytes()) for name, one in values.items()], [
        (place, one.articles, one.example, one.article, json.dumps(dict(one.sources)))
        for place, one in enumerate(learnt.formulas)
    ]


def unpack(stored: Iterable[Named], rows: Iterable[Any]) -> Learnt:
    """What was learnt, from the values that are stored and the formulas in their order."""
    values = {name: np.frombuffer(value, "<u8").astype(np.uint64) for name, value in stored}
    formulas = [
        Formula(articles, example, article, json.loads(sources))
        for _, articles, example, article, sources in rows
    ]
    shingles = values.pop(SHINGLES, np.empty(0, np.uint64))
    varying = values.pop(VARYING, np.empty(0, np.uint64))
    return Learnt(Boilerplate(shingles, GAP_WORDS), values, formulas, varying)
