"""Matches and opinions become the JSON lines that Python's own writer would give."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from wirecopy import _core
from wirecopy.comparison import Compared, Passages
from wirecopy.forms import NO_SLOTS
from wirecopy.matching.opinions import Scored

NAMES = ["identical", "partial", None]
JSON_NAMES = [json.dumps(name) for name in NAMES]
METHODS = [["winnowing"], ["exact", "winnowing"]]
JSON_METHODS = [json.dumps(names) for names in METHODS]
U32 = np.uint32

ids = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), min_size=1, max_size=3)
shares = st.floats(0, 1).map(lambda share: round(share, 4)) | st.floats(0, 1e9)
counts = st.integers(0, 2**32 - 1)


def columns(kind: Any, rows: Sequence[Sequence[Any]], types: Sequence[Any]) -> Any:
    return kind(*(np.array([row[at] for row in rows], one) for at, one in enumerate(types)))


def pack(rows: Sequence[tuple[int, float, float, float, list[tuple[int, ...]]]]) -> Compared:
    passages = columns(Passages, [one for row in rows for one in row[4]], [U32] * 8)
    offsets = np.cumsum([0, *(len(row[4]) for row in rows)]).astype(np.int64)
    relations = np.array([row[0] for row in rows], np.int8)
    in_query, in_found, resemblance = (np.array([row[at] for row in rows], float) for at in (1, 2, 3))
    tried = np.zeros(len(relations), np.uint8)
    return Compared(
        relations, in_query, in_found, resemblance, offsets, passages, tried, 0 * offsets, NO_SLOTS
    )


@settings(max_examples=300)
@given(ids, ids, st.data())
def test_lines_are_what_json_says_of_matches(
    query_ids: list[str], found_ids: list[str], data: st.DataObject
) -> None:
    passages = st.lists(st.tuples(*[counts] * 8), max_size=3)
    places = [st.integers(0, len(side) - 1) for side in (query_ids, found_ids)]
    match = st.tuples(st.integers(0, 1), shares, shares, shares, passages)
    rows = data.draw(st.lists(st.tuples(*places, match, st.integers(0, 1)), max_size=5))
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(rows))] * 2)))
    queries, founds = (np.array([row[at] for row in rows], U32) for at in (0, 1))
    nominated = np.array([row[3] for row in rows], np.uint16)
    compared = pack([row[2] for row in rows])
    ends = (start, end, query_ids, found_ids, JSON_NAMES, JSON_METHODS)
    lines = _core.match_lines(queries, founds, compared, nominated, *ends)
    assert [json.loads(line) for line in lines.split("\n")[:-1]] == [
        {
            "query": query_ids[query],
            "found": found_ids[found],
            "relation": NAMES[relation],
            "query_covered": query_covered,
            "found_covered": found_covered,
            "resemblance": resemblance,
            "slots": {
                "same": sum(one[6] for one in found_passages),
                "other": sum(one[7] for one in found_passages),
            },
            "passages": [
                {
                    "query": [a, b],
                    "found": [c, d],
                    "words": words,
                    "changed": changed,
                    "slots": {"same": same, "other": other},
                }
                for a, b, c, d, words, changed, same, other in found_passages
            ],
            "methods": METHODS[methods],
        }
        for query, found, (
            relation,
            query_covered,
            found_covered,
            resemblance,
            found_passages,
        ), methods in rows[start:end]
    ]
    event(f"{min(2, end - start)} of {min(2, len(rows))} rows")


@settings(max_examples=300)
@given(ids, ids, st.data())
def test_lines_are_what_json_says_of_opinions(
    query_ids: list[str], found_ids: list[str], data: st.DataObject
) -> None:
    places = [st.integers(0, len(side) - 1) for side in (query_ids, found_ids)]
    rows = data.draw(st.lists(st.tuples(*places, st.integers(0, 2), shares, shares, shares), max_size=5))
    scored = columns(Scored, rows, [U32, U32, np.uint8, float, float, float])
    lines = _core.opinion_lines(scored, query_ids, found_ids, JSON_NAMES, JSON_METHODS[0])
    assert [json.loads(line) for line in lines.split("\n")[:-1]] == [
        {
            "query": query_ids[query],
            "found": found_ids[found],
            "accepted": NAMES[relation] is not None,
            "relation": NAMES[relation],
            "query_in_found": in_found,
            "found_in_query": in_query,
            "rank": rank,
            "methods": METHODS[0],
        }
        for query, found, relation, in_found, in_query, rank in rows
    ]


ONE = np.zeros(1, U32)
COMPARED = pack([(0, 1.0, 1.0, 1.0, [(0, 1, 0, 1, 1, 0, 0, 0)])])
SCORED = columns(Scored, [(0, 0, 1, 1, 1, 1)], [U32, U32, np.uint8, float, float, float])


def match_lines(compared: Compared = COMPARED, **changes: Any) -> str:
    arguments = {
        "queries": ONE,
        "founds": ONE,
        "nominated": ONE.astype(np.uint16),
        "start": 0,
        "end": 1,
        "query_ids": ["a"],
        "found_ids": ["b"],
        "relation_names": JSON_NAMES,
        "method_names": JSON_METHODS,
    }
    return _core.match_lines(compared=compared, **{**arguments, **changes})


def opinion_lines(scored: Scored = SCORED, names: Sequence[str] = ("a",)) -> str:
    return _core.opinion_lines(scored, list(names), ["b"], JSON_NAMES, "[]")


def test_lines_of_one_row_each() -> None:
    assert match_lines().count("\n") == opinion_lines().count("\n") == 1


EMPTY_PASSAGES = {one.name: replace(COMPARED.passages, **{one.name: ONE[:0]}) for one in fields(Passages)}


@pytest.mark.parametrize(
    "call",
    [
        lambda: match_lines(queries=ONE[:0]),
        lambda: match_lines(founds=ONE + U32(1)),
        lambda: match_lines(nominated=np.full(1, 2, np.uint16)),
        lambda: match_lines(start=1, end=0),
        lambda: match_lines(end=2),
        lambda: match_lines(query_ids=[]),
        lambda: match_lines(replace(COMPARED, relation=np.full(1, -1, np.int8))),
        lambda: match_lines(replace(COMPARED, resemblance=np.empty(0))),
        lambda: match_lines(replace(COMPARED, passage_offsets=np.zeros(1, np.int64))),
        lambda: match_lines(replace(COMPARED, passage_offsets=np.array([0, 2]))),
        lambda: match_lines(replace(COMPARED, passage_offsets=np.array([1, 0]))),
        *(
            lambda passages=passages: match_lines(replace(COMPARED, passages=passages))
            for passages in EMPTY_PASSAGES.values()
        ),
        lambda: opinion_lines(names=()),
        lambda: opinion_lines(replace(SCORED, relation=np.full(1, 3, np.uint8))),
        lambda: opinion_lines(replace(SCORED, query=ONE[:0])),
        lambda: opinion_lines(replace(SCORED, rank=np.empty(0))),
    ],
)
def test_columns_that_do_not_fit_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="expected"):
        call()
