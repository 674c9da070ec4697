"""Files of gold and results as columns: pairs, clusters, passages and verdicts.

What cannot be meant is skipped and named with its line: no id, an id that no article has, an article paired with itself, a pair for the second
time or the other way round, a label that nobody knows, a score that is no number.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..archive import Archive
from ..errors import SourceError, UsageError, refuse
from ..measures import Span
from ..sources import Fields, read
from ..sources.kinds import is_sqlite
from ..sources.tables import Column, Rows, read_rows
from .records import (
    NOBODY,
    RELATION_CODES,
    Gathering,
    Ids,
    Kind,
    Known,
    Pairs,
    Skipping,
    Table,
    as_column,
    named_fields,
)
from .tasks import Counts, Task, known_labels

SCORES = ("score", "rank", "covered")
"""What pairs are ranked by, the first that a result has; `covered` is the larger of the shares covered."""
_SHARES = ("query_covered", "found_covered")
MOST_JOINED = 20_000_000
"""So many pairs at most are made of the clusters of a result."""


ABOUT = ("source", "language")
"""What pairs are scored by, where articles say it."""
_ARTICLES = 1 << 12


def read_known(within: Sequence[Path], fields: Fields | None = None) -> Known:
    """The ids of all articles of some paths and archives, with their sources and languages."""

    def batches() -> Iterator[tuple[Sequence[str], Mapping[str, Sequence[str]]]]:
        files = [path for path in within if not is_sqlite(path)]
        for work in read(files, fields=replace(fields or Fields(), about=ABOUT)) if files else ():
            batch = work()
            yield batch.ids, batch.about
        for path in filter(is_sqlite, within):
            with Archive.open(path, create=False) as archive:
                articles = archive.articles()
                while some := list(islice(articles, _ARTICLES)):
                    about = {name: [getattr(one, name) or "" for one in some] for name in ABOUT}
                    yield [one.id for one in some], about

    return named_fields(batches())


def kind_of(path: Path) -> Kind:
    """What a file of gold holds, by the fields of its first records."""
    names = ("label", "passages", "cluster", "story", "duplicate")
    rows = next((rows for rows in read_rows(path, names) if len(rows)), None)
    held = rows.columns if rows else {}
    if "passages" in held and "label" not in held:
        return "passages"
    if "cluster" in held or "story" in held:
        return "clusters"
    return "verdicts" if "duplicate" in held else "pairs"


def read_gold(path: Path, kind: Kind, known: Known | None = None, task: Task | None = None) -> Table:
    """The gold in a file; with `known` articles, an id that none of them has is named and skipped."""
    if kind in ("clusters", "verdicts"):
        return _read_articles(path, kind, known.ids if known else Ids(), known is None)
    if kind == "passages":
        return _read_passages(path, Ids())
    ids = known.ids if known else Ids()
    table = _read_pairs(path, ids, known is None, known_labels(task), "")
    assert table.pairs is not None
    return table


def read_result(path: Path, kind: Kind, ids: Ids, score: str = "") -> Table:
    """The result in a file, of articles that are numbered already; others get numbers of their own.

    Clusters and stories are all pairs that they join, where gold has pairs; pairs are what they are, where gold has clusters.
    """
    if kind == "passages":
        return _read_passages(path, ids)
    if kind == "verdicts":
        return _read_articles(path, kind, ids, True)
    if str(path) == "-":
        refuse((kind == "clusters", "clusters are read twice: give a file"))
        return _read_pairs(path, ids, True, None, score)
    names = ("query", "articles", "story", "cluster")
    rows = next((rows for rows in read_rows(path, names) if len(rows)), None)
    held = rows.columns if rows else {}
    if "query" in held or (kind == "pairs" and not held):
        return _read_pairs(path, ids, True, None, score)
    is_nested = "articles" in held and held["articles"][0].startswith("[")
    table = _read_stories(path, ids) if is_nested else _read_articles(path, "clusters", ids, True)
    return table if kind == "clusters" else replace(table, kind="pairs", pairs=_join_clusters(path, table))


def _join_clusters(path: Path, table: Table) -> Pairs:
    """All pairs of articles that are in one cluster."""
    assert table.articles is not None
    assert table.clusters is not None
    order = np.argsort(table.clusters, kind="stable")
    articles = table.articles[order]
    _, firsts, sizes = np.unique(table.clusters[order], return_index=True, return_counts=True)
    starts = np.repeat(firsts, sizes)
    before = np.arange(len(articles)) - starts
    many = int(before.sum())
    refuse(
        (
            many > MOST_JOINED,
            f"{path}: its clusters join {many:,} pairs, more than {MOST_JOINED:,}; give gold as clusters",
        )
    )
    found = np.repeat(starts - np.cumsum(before) + before, before) + np.arange(many)
    told = np.zeros(many, np.uint8), np.full(many, NOBODY), np.zeros(many), np.ones(many, bool)
    counts, lines = np.full(many, Counts.COPY, np.uint8), np.zeros(many, np.int64)
    return Pairs(np.repeat(articles, before), articles[found], counts, *told, lines)


# Pairs


def _read_pairs(path: Path, ids: Ids, new: bool, labels: Mapping[str, Counts] | None, score: str) -> Table:
    """The pairs of a file; those of gold have `labels`, those of a result a score."""
    is_gold = labels is not None
    names = ["query", "found", "relation", "label", "class", "group", "accepted"]
    names += [score] if score and score != "covered" else ["score", "rank"]
    names += [*_SHARES, "nominated"] if is_gold else _SHARES
    skipping, gathered, records, group_ids = Skipping(), Gathering(), 0, Ids()
    scored_by, is_scored, has_sides = score, not score, False
    for rows in read_rows(path, list(dict.fromkeys(names))):
        skipping.read(rows)
        records += len(rows)
        if not len(rows):
            continue
        has_sides |= "query" in rows.columns and "found" in rows.columns
        query, found = (_number(rows, side, ids, new) for side in ("query", "found"))
        kept = _check_sides(rows, query, found, skipping)
        counts = np.full(len(rows), Counts.COPY, np.uint8)
        relation = _codes(rows, "relation", RELATION_CODES, 0)
        if labels is not None:
            counts, relation, kept = _read_labels(rows, relation, labels, skipping, kept)
        accepted = np.ones(len(rows), bool)
        if "accepted" in rows.columns:
            accepted = _codes(rows, "accepted", {"true": 1, "yes": 1, "True": 1, "1": 1}, 0) == 1
        scored_by = scored_by or next((one for one in SCORES if _has_score(rows, one)), "")
        is_scored |= _has_score(rows, scored_by)
        group_name = "class" if "class" in rows.columns else "group"
        groups = rows.columns.get(group_name)
        group = group_ids.number(groups) if groups else np.full(len(rows), NOBODY)
        value = _score(rows, scored_by)
        if not is_gold:
            kept &= _check_scores(rows, scored_by, value, skipping, kept)
        value = np.nan_to_num(value, posinf=0.0, neginf=0.0)
        gathered.add(Pairs(query, found, counts, relation, group, value, accepted, rows.lines).take(kept))
    if records and not has_sides:
        raise SourceError(f"{path}: no record has the ids of two articles, 'query' and 'found'")
    if records and not is_scored:
        raise UsageError(f"{path}: no record has the field {score!r} to rank pairs by")
    pairs, repeated = _once(path, gathered.all(), ids, skipping if is_gold else None)
    if is_gold:
        skipping.empty(path, records)
    return Table(
        *("pairs", ids, skipping.all(), pairs, group_ids.names),
        score_name=scored_by,
        records=records,
        repeated=repeated,
    )


def _number(rows: Rows, name: str, ids: Ids, new: bool) -> NDArray[np.uint32]:
    column = rows.columns.get(name)
    if column is None:
        return np.full(len(rows), NOBODY)
    numbers = ids.number(column, new=new)
    return np.where(column.is_there, numbers, NOBODY)


def _check_sides(
    rows: Rows, query: NDArray[np.uint32], found: NDArray[np.uint32], skipping: Skipping
) -> NDArray[np.bool_]:
    kept = np.ones(len(rows), bool)
    for side, numbers in (("query", query), ("found", found)):
        column = rows.columns.get(side)
        there = column.is_there if column else np.zeros(len(rows), bool)
        kept &= skipping.tell(~there & kept, rows.where, _saying(f"no '{side}'"))
        unknown = (numbers == NOBODY) & kept
        kept &= skipping.tell(unknown, rows.where, _saying("no article has the id {!r}", column))
    alone = _saying("{!r} is paired with itself", rows.columns.get("query"))
    return kept & skipping.tell(kept & (query == found), rows.where, alone)


def _saying(reason: str, column: Column | None = None) -> Callable[[int], str]:
    """The reason for each row, with its value of the column where the braces are."""
    return lambda row: reason.format(column[row] if column else "")


_UNKNOWN, _NOTHING = 255, 253


def _read_labels(
    rows: Rows,
    relation: NDArray[np.uint8],
    labels: Mapping[str, Counts],
    skipping: Skipping,
    kept: NDArray[np.bool_],
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.bool_]]:
    """What each gold pair counts as, by its label, else by its relation, else as a copy; its relation; and which of those kept may stay."""
    codes = {label: int(one) for label, one in labels.items()} | {"": _NOTHING}
    by_label, by_relation = (_codes(rows, name, codes, _UNKNOWN) for name in ("label", "relation"))
    for missing, column in ((by_label, "label"), (by_relation, "relation")):
        if column not in rows.columns:
            missing[:] = _NOTHING
    counts = np.where(by_label == _NOTHING, by_relation, by_label)
    counts = np.where(counts == _NOTHING, Counts.COPY, counts).astype(np.uint8)
    told = _codes(rows, "label", RELATION_CODES, 0)
    relation = np.where(told > 0, told, np.where(counts == Counts.NO, 0, relation)).astype(np.uint8)
    if "nominated" in rows.columns:
        kept &= skipping.tell(
            kept & rows.columns["nominated"].is_there & (by_label == _NOTHING) & (by_relation == _NOTHING),
            rows.where,
            _saying("not judged: a pool is gold once it has labels"),
        )
    way_out = f"expected {', '.join(labels)}, or give task=read_task(FILE)"
    columns = rows.columns.get("label"), rows.columns.get("relation")

    def reason(row: int) -> str:
        said = next((column[row] for column in columns if column and column[row]), "")
        return f"nobody knows the label {said!r}: {way_out}"

    return counts, relation, kept & skipping.tell(kept & (counts == _UNKNOWN), rows.where, reason)


def _codes(rows: Rows, name: str, codes: Mapping[str, int], other: int) -> NDArray[np.uint8]:
    """The code of each value of a column of which few are different."""
    column = rows.columns.get(name)
    if column is None:
        return np.full(len(rows), other, np.uint8)
    _, first, places = np.unique(column.hashes(), return_index=True, return_inverse=True)
    return np.array([codes.get(column[row], other) for row in first.tolist()], np.uint8)[places]


def _has_score(rows: Rows, name: str) -> bool:
    return any(one in rows.columns for one in (_SHARES if name == "covered" else [name]))


def _score(rows: Rows, name: str) -> NDArray[np.float64]:
    """The score of each row; 0 where there is none, and no number where what stands there is none."""
    columns = _score_columns(rows, name)
    if not columns:
        return np.zeros(len(rows))
    best: NDArray[np.float64] = np.fmax.reduce([column.numbers() for column in columns])
    return np.where(np.logical_or.reduce([column.is_there for column in columns]), best, 0.0)


def _score_columns(rows: Rows, name: str) -> list[Column]:
    return [rows.columns[one] for one in (_SHARES if name == "covered" else [name]) if one in rows.columns]


def _check_scores(
    rows: Rows, name: str, value: NDArray[np.float64], skipping: Skipping, kept: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Name the rows whose score is no finite number; return which others there are."""
    columns = _score_columns(rows, name)

    def reason(row: int) -> str:
        written = next((column[row] for column in columns if column[row]), "")
        return f"{name}: expected a finite number, got {written!r}"

    return skipping.tell(kept & ~np.isfinite(value), rows.where, reason)


def _once(path: Path, pairs: Pairs, ids: Ids, skipping: Skipping | None) -> tuple[Pairs, int]:
    """The pairs, each once, and how many stood there again; these are bad in gold, and in a result the best counts."""
    keys = pairs.keys()
    keys.sort()
    again = np.append(False, keys[1:] == keys[:-1])[: len(keys)]
    if not again.any():
        return pairs, 0
    keys = pairs.keys()
    order = np.argsort(keys, kind="stable") if skipping else np.lexsort((-pairs.score, keys))
    rest, first_of = order[again], order[np.maximum.accumulate(np.where(again, 0, np.arange(len(order))))]
    if skipping:
        other_of = np.arange(len(order))
        other_of[order] = first_of
        repeated = np.zeros(len(order), bool)
        repeated[rest] = True

        def reason(row: int) -> str:
            other = other_of[row]
            names = f"{ids.names[pairs.query[row]]!r} and {ids.names[pairs.found[row]]!r}"
            how = "repeated" if pairs.query[row] == pairs.query[other] else "the other way round"
            return f"{how}: {names} stand on line {pairs.line[other]} already"

        skipping.tell(repeated, lambda row: f"{path}:{pairs.line[row]}", reason)
    return pairs.take(np.sort(order[~again])), len(rest)


# Clusters and verdicts


def _read_articles(path: Path, kind: Kind, ids: Ids, new: bool) -> Table:
    """The cluster of each article, or whether it is a duplicate."""
    value_names = ("cluster", "story") if kind == "clusters" else ("duplicate", "label")
    names = ("id", "article", *value_names, "hits", "score")
    skipping, clusters, records = Skipping(), Ids(), 0
    articles, values, scores, lines = (
        [np.empty(0, kind)] for kind in (np.uint32, np.uint32, float, np.int64)
    )
    scored_by = ""
    for rows in read_rows(path, names):
        skipping.read(rows)
        records += len(rows)
        name = next((one for one in ("id", "article") if one in rows.columns), "id")
        number = _number(rows, name, ids, new)
        column = rows.columns.get(name)
        unknown = _saying("no article has the id {!r}" if column else "no 'id'", column)
        kept = skipping.tell(number == NOBODY, rows.where, unknown)
        of = next((one for one in value_names if one in rows.columns), value_names[0])
        value: NDArray[Any] = np.full(len(rows), NOBODY)
        if of in rows.columns and kind == "clusters":
            value = np.where(rows.columns[of].is_there, clusters.number(rows.columns[of]), NOBODY)
        elif of in rows.columns:
            plain = {
                name: int(one) for name, one in known_labels().items() if one in (Counts.NO, Counts.COPY)
            }
            value = _codes(rows, of, plain, 255).astype(np.uint32)
            value[value == 255] = NOBODY
        said = rows.columns.get(of)
        unknown = _saying(f"nobody knows the {of} {{!r}}" if said else f"no '{of}'", said)
        kept &= skipping.tell(kept & (value == NOBODY), rows.where, unknown)
        scored_by = scored_by or next((one for one in ("score", "hits") if one in rows.columns), "")
        score_of = _score(rows, scored_by)
        kept &= _check_scores(rows, scored_by, score_of, skipping, kept)
        articles.append(number[kept])
        values.append(value[kept])
        scores.append(score_of[kept])
        lines.append(rows.lines[kept])
    every, score, line = (np.concatenate(parts) for parts in (articles, scores, lines))
    value = np.concatenate(values)
    distinct, first = np.unique(every, return_index=True)
    if len(distinct) < len(every):
        again = np.ones(len(every), bool)
        again[first] = False
        skipping.tell(
            again,
            lambda row: f"{path}:{line[row]}",
            lambda row: f"repeated: {ids.names[every[row]]!r} has a line already",
        )
        first.sort()
        every, value, score = every[first], value[first], score[first]
    skipping.empty(path, records)
    return Table(
        *(kind, ids, skipping.all()),
        articles=every,
        clusters=value if kind == "clusters" else None,
        duplicate=value == Counts.COPY if kind == "verdicts" else None,
        scores=score if scored_by else None,
        score_name=scored_by,
        records=records,
    )


def _read_stories(path: Path, ids: Ids) -> Table:
    """The clusters that stories are, one a line with the articles that carry it."""
    skipping, stories, records = Skipping(), Ids(), 0
    articles: list[str] = []
    names: list[str] = []
    for rows in read_rows(path, ("id", "articles")):
        skipping.read(rows)
        records += len(rows)
        bad = np.zeros(len(rows), bool)
        for row in range(len(rows)):
            try:
                members = [str(one["id"]) for one in json.loads(rows.columns["articles"][row])]
            except (ValueError, TypeError, KeyError):
                bad[row] = True
                continue
            articles += members
            names += [rows.columns["id"][row] if "id" in rows.columns else str(records + row)] * len(members)
        skipping.tell(bad, rows.where, lambda _: "articles: expected a list of objects with an id")
    numbers, first = np.unique(ids.number(as_column(articles)), return_index=True)
    return Table(
        *("clusters", ids, skipping.all()),
        articles=numbers,
        clusters=stories.number(as_column(names))[first],
        records=records,
    )


# Passages


def _read_passages(path: Path, ids: Ids) -> Table:
    skipping, records = Skipping(), 0
    passages: dict[tuple[int, int], Sequence[Span]] = {}
    classes: dict[tuple[int, int], str] = {}
    for rows in read_rows(path, ("query", "found", "passages", "class", "relation")):
        skipping.read(rows)
        records += len(rows)
        query, found = (_number(rows, side, ids, True) for side in ("query", "found"))
        kept = _check_sides(rows, query, found, skipping)
        written, named = rows.columns.get("passages"), rows.columns.get("class")
        bad = np.zeros(len(rows), bool)
        for row in np.flatnonzero(kept).tolist():
            pair = int(query[row]), int(found[row])
            spans = _spans(written[row] if written else "")
            bad[row] = spans is None
            if spans is not None:
                passages[pair] = list(dict.fromkeys([*passages.get(pair, ()), *spans]))
                if named:
                    classes[pair] = named[row]
        skipping.tell(
            bad,
            rows.where,
            lambda _: "passages: expected a list of {query: [start, end], found: [start, end]}",
        )
    skipping.empty(path, records)
    return Table("passages", ids, skipping.all(), passages=passages, classes=classes, records=records)


def _spans(written: str) -> list[Span] | None:
    """The passages in a JSON array; None if they are none."""
    try:
        return [(*_ends(one["query"]), *_ends(one["found"])) for one in json.loads(written or "[]")]
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError):
        return None


def _ends(written: list[float]) -> tuple[int, int]:
    """Where a passage starts and ends; raises ValueError, TypeError or ArithmeticError for what is no such thing."""
    start, end = map(int, written)
    if min(start, end) < 0 or [start, end] != written:
        raise ValueError("no passage")
    return start, end
