"""What a text shares with an archive: the candidates that its keys give, compared, and what follows from that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _core, text
from ..boilerplate import Learnt
from ..comparison import RELATIONS, Compared, Passages, build_match, get_preset
from ..matching import Plan, compare, look_up, nominate_queries
from ..matching.collection import Pool, Texts
from ..model import Articles, Tokens
from ..pairs import Nominated, Queries, unite
from .answers import KNOWN, Answer, Found
from .families import Families, goes_by_words
from .index import NO_ROWS, Index
from .looking import Limits, Within

IS_CONTAINED = np.array([relation in KNOWN for relation in RELATIONS] + [False])
"""By the code of a relation, of which -1 is none."""


def check(plan: Plan, batch: Articles, index: Index, limits: Limits) -> list[Answer]:
    """The answer for each article of a batch, which is not compared with the article that has its own id."""
    learnt, store, within = index.learnt, index.store, Within(index, limits)
    looked_up = look_up(plan, batch, within, plan.all_weights)
    asked = [(one, some) for one in looked_up for some in nominate_queries(plan, one, learnt)]
    rows = np.unique(np.concatenate([NO_ROWS, *(some.founds for _, some in asked)]))
    pairs = [(some.queries, np.searchsorted(rows, some.founds).astype(np.uint32)) for _, some in asked]
    queries, founds, by = unite(pairs)
    bodies = store.texts(rows.tolist())
    compared = _compare(plan, batch, bodies, queries, founds, learnt)
    is_match = (compared.relation >= 0) & (compared.query_covered >= limits.min_share)
    candidates = Candidates(queries, rows[founds], is_match, [bodies[found] for found in founds.tolist()])
    is_contained = IS_CONTAINED[compared.relation]
    kin = _find_kin(Families(index, within), asked, candidates, batch, is_contained, limits.top, learnt)
    tokens = text.tokenise(batch.text, batch.offsets, spans=True)
    marks = _core.mark_boilerplate(tokens, learnt.known)
    compared, twins = _compare_twins(plan, batch, index, compared, candidates, kin, learnt)
    named = [*rows.tolist(), *dict.fromkeys(row for mine in twins for row, _, _ in mine)]
    about = dict(zip(named, store.articles(named), strict=True))
    moments = index.moments[index.places(np.array(named, np.uint64))].tolist() if named else []
    moment_of = dict(zip(named, moments, strict=True))
    names = [one.name for one in plan.nominating]
    answers = []
    for number, id in enumerate(batch.ids):
        mine = np.flatnonzero((queries == number) & is_match)
        body = str(batch.text[batch.offsets[number] : batch.offsets[number + 1]].data, "utf-8")
        found = []
        matched = zip(rows[founds[mine]].tolist(), mine.tolist(), mine.tolist(), strict=True)
        for row, pair, nominated in (*matched, *twins[number]):
            methods = dict.fromkeys(name for bit, name in enumerate(names) if by[nominated] >> bit & 1)
            match = build_match(compared, pair, id, about[row].id, body, tuple(methods))
            found.append((moment_of[row], Found(match, about[row])))
        found.sort(key=lambda one: (one[0], one[1].article.id))
        found.sort(key=lambda one: -sum(passage.words for passage in one[1].match.passages))
        passages = compared.take(mine).passages
        copied, new = tell_new(tokens, marks, number, passages)
        longest = int(passages.words.max(initial=0))
        given = [one for _, one in found[: limits.top]]
        counts = kin[number].articles, kin[number].contained
        articles, contained = len(mine) + counts[0], int(is_contained[mine].sum()) + counts[1]
        answers.append(Answer(id, copied, longest, articles, given, new, contained, kin[number].at_least))
    return answers


def _compare(
    plan: Plan,
    batch: Articles,
    bodies: Sequence[bytes],
    queries: NDArray[np.uint32],
    founds: NDArray[np.uint32],
    learnt: Learnt,
) -> Compared:
    """How articles of a batch compare with some texts, by their numbers."""

    def texts(ranks: NDArray[np.uint32]) -> Texts:
        """The texts of found articles, then, as ranks are sorted, those of the batch."""
        mine = ranks[ranks >= len(bodies)].astype(np.int64) - len(bodies)
        edges = zip(batch.offsets[mine].tolist(), batch.offsets[mine + 1].tolist(), strict=True)
        parts = [bodies[rank] for rank in ranks[ranks < len(bodies)].tolist()]
        parts += [batch.text.data[start:end] for start, end in edges]
        return np.frombuffer(b"".join(parts), np.uint8), np.cumsum([0, *map(len, parts)])

    behind = queries + np.uint32(len(bodies))
    return compare(get_preset(plan.preset), texts, (behind, founds), learnt.known, Pool(1))[0]


@dataclass(frozen=True)
class Candidates:
    """Pairs that were compared: the number of the query, the row of the article, whether they match, and the article's text."""

    queries: NDArray[np.uint32]
    rows: NDArray[np.uint64]
    is_match: NDArray[np.bool_]
    bodies: Sequence[bytes]


@dataclass(frozen=True)
class Kin:
    """What is identical to an article that matches a query and was not compared: how many, and how many contain the query.

    `rows` are those that may be named, each with the pair that it compares as. `at_least` says that there may be others.
    """

    articles: int = 0
    contained: int = 0
    rows: Sequence[tuple[int, int]] = ()
    at_least: bool = False


def _find_kin(
    families: Families,
    asked: Sequence[tuple[Queries, Nominated]],
    candidates: Candidates,
    batch: Articles,
    is_contained: NDArray[np.bool_],
    top: int | None,
    learnt: Learnt,
) -> list[Kin]:
    """What is identical to the matches of each query and was not compared."""
    kin = [Kin()] * len(batch)
    linked = {
        (query, row)
        for _, some in asked
        for query, row in zip(some.links[0].tolist(), some.links[1].tolist(), strict=True)
    }
    all_may = not all(goes_by_words(one.method) for one, _ in asked)
    matched = np.flatnonzero(candidates.is_match & (bool(linked) or all_may))
    pairs = zip(candidates.queries[matched].tolist(), candidates.rows[matched].tolist(), strict=True)
    queries = {pair[0] for pair in pairs if all_may or pair in linked}
    own = families.rows_of([batch.own_ids[query] for query in queries])
    for query in queries:
        every = np.flatnonzero(candidates.queries == query)
        matching = every[candidates.is_match[every]]
        pair_of = dict(zip(candidates.rows[matching].tolist(), matching.tolist(), strict=True))
        mine = [pair_of[row] for row in families.sort(candidates.rows[matching])]
        found = families.keys([candidates.bodies[pair] for pair in every.tolist()])
        keys = dict(zip(every.tolist(), found, strict=True))
        itself = own.get(batch.own_ids[query])
        twins = [families.twins(key, itself, top) for key in dict.fromkeys(found) if key is not None]
        articles = contained = 0
        rows: list[tuple[int, int]] = []
        for one in twins:
            same = [pair for pair in mine if keys[pair] == one.key]
            if same and one.count > len(same):
                articles += one.count - len(same)
                contained += (one.count - len(same)) * bool(is_contained[same[0]])
                known = set(candidates.rows[same].tolist())
                rows += [(row, same[0]) for row in families.sort(one.rows)[:top] if row not in known]
        compared = np.unique(np.append(candidates.rows[every], np.array([itself or 0], np.uint64)))
        left_out = families.are_left_out(query, asked, candidates.rows[mine], compared, twins, learnt)
        kin[query] = Kin(articles, contained, rows, left_out)
    return kin


def _compare_twins(
    plan: Plan,
    batch: Articles,
    index: Index,
    compared: Compared,
    candidates: Candidates,
    kin: Sequence[Kin],
    learnt: Learnt,
) -> tuple[Compared, list[list[tuple[int, int, int]]]]:
    """What was compared and, behind it, what is identical to it with other marks between the words; and by query the rows of these.

    Each row with the pair that it compares as, and the pair that was nominated. Only a text that differs is aligned again.
    """
    rows = list(dict.fromkeys(row for one in kin for row, _ in one.rows))
    bodies = index.store.texts(rows)
    place = {row: number for number, row in enumerate(rows)}
    queries: list[int] = []
    founds: list[int] = []
    twins = []
    for query, one in enumerate(kin):
        mine = []
        for row, pair in one.rows:
            same = bodies[place[row]] == candidates.bodies[pair]
            mine.append((row, pair if same else len(compared) + len(queries), pair))
            if not same:
                queries.append(query)
                founds.append(place[row])
        twins.append(mine)
    if not queries:
        return compared, twins
    more = _compare(plan, batch, bodies, np.array(queries, np.uint32), np.array(founds, np.uint32), learnt)
    return Compared.join([compared, more]), twins


def tell_new(
    tokens: Tokens, marks: NDArray[np.uint8], row: int, passages: Passages
) -> tuple[float, list[tuple[int, int]]]:
    """How much of a text is copied, as a share of its words that are not boilerplate, and the spans that are neither."""
    assert tokens.starts is not None
    assert tokens.ends is not None
    words = slice(*tokens.offsets[row : row + 2].tolist())
    starts, ends, is_formula = tokens.starts[words], tokens.ends[words], marks[words] == 1
    opened, closed = (
        np.bincount(np.searchsorted(starts, side.astype(starts.dtype)), minlength=len(starts) + 1)
        for side in (passages.query_start, passages.query_end)
    )
    covered = np.cumsum(opened - closed)[:-1] > 0
    copied = int(np.sum(covered & ~is_formula)) / max(1, int(np.sum(~is_formula)))
    edge = np.flatnonzero(np.diff(np.concatenate([[True], covered | is_formula, [True]])))
    spans = zip(edge[::2], edge[1::2], strict=True)
    return round(copied, 4), [(int(starts[start]), int(ends[end - 1])) for start, end in spans]
