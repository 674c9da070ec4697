"""What a text shares with an archive: the candidates that its keys give, compared, and what follows from that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _core, forms, text
from ..addresses import number_addresses
from ..boilerplate import Learnt
from ..comparison import RELATIONS, Compared, Passages, build_match, get_preset, settle
from ..errors import ArchiveError
from ..matching import Plan, compare, look_up, nominate_queries
from ..matching.collection import Pool, Texts
from ..model import Article, Articles, Relation, Tokens
from ..pairs import Nominated, Queries, unite
from .answers import KNOWN, Answer, Found
from .families import Families, goes_by_words
from .index import NO_ROWS, Index
from .looking import Limits, Within
from .told import AlteredError, Shared

IS_CONTAINED = np.array([relation in KNOWN for relation in RELATIONS])
"""By the code of a relation."""
FORM = RELATIONS.index(Relation.FORM)
NO_QUERY = np.iinfo(np.uint32).max


@dataclass(frozen=True)
class Examined:
    """What texts share with an archive: pairs of the number of a query and the row of an article, and how these compare.

    The query of a pair that is no match is `NO_QUERY`. `about` has the articles without their texts, and their moments, by row.
    """

    batch: Articles
    queries: NDArray[np.uint32]
    rows: NDArray[np.uint64]
    compared: Compared
    by: NDArray[np.uint16]
    bodies: Sequence[bytes]
    about: Mapping[int, tuple[Article, int]]
    kin: Sequence[Kin]

    def shared(self, rows: Sequence[int]) -> Shared:
        """The matches of the queries, which have these rows now, with articles that came before them."""
        mine = np.append(np.array(rows, np.int64), -1)[np.minimum(self.queries, len(rows))]
        kept = np.flatnonzero(self.rows.astype(np.int64) < mine)
        founds, by = self.rows[kept].astype(np.int64), self.by[kept].astype(np.int64)
        return Shared(mine[kept], founds, by, self.compared.take(kept))


def check(plan: Plan, batch: Articles, index: Index, limits: Limits) -> list[Answer]:
    """The answer for each article of a batch, which is not compared with the article that has its own id."""
    return answer(plan, examine(plan, batch, index, limits), index, limits)


def examine(plan: Plan, batch: Articles, index: Index, limits: Limits) -> Examined:
    """What each article of a batch shares with an archive, but for the article that has its own id."""
    learnt, within = index.learnt, Within(index, limits)
    looked_up = look_up(plan, batch, within, plan.all_weights)
    asked = [(one, some) for one in looked_up for some in nominate_queries(plan, one, learnt)]
    rows = np.unique(np.concatenate([NO_ROWS, *(some.founds for _, some in asked)]))
    pairs = [(some.queries, np.searchsorted(rows, some.founds).astype(np.uint32)) for _, some in asked]
    queries, founds, by = unite(pairs)
    bodies = index.store.texts(rows.tolist())
    compared = _compare(plan, batch, bodies, queries, founds, learnt)
    about = _describe(index, rows.tolist())
    settled = _settle(compared, batch, queries, rows[founds], about, learnt)
    is_match = (settled.relation >= 0) & (settled.query_covered >= limits.min_share)
    candidates = Candidates(queries, rows[founds], is_match, [bodies[found] for found in founds.tolist()])
    families, own = Families(index, within), within.rows_of(batch.own_ids)
    kin = _find_kin(families, asked, candidates, own, compared, settled.relation, limits.top, learnt)
    every, named, found_bodies = np.where(is_match, queries, NO_QUERY), candidates.rows, candidates.bodies
    if any(one.rows for one in kin):
        twins = _compare_twins(plan, batch, index, compared, candidates, kin, learnt)
        about |= _describe(index, [row for row in dict.fromkeys(twins.rows.tolist()) if row not in about])
        named, both = np.concatenate([named, twins.rows]), np.concatenate([queries, twins.queries])
        settled = _settle(twins.compared, batch, both, named, about, learnt)
        every = np.concatenate([every, twins.queries])
        by, found_bodies = np.concatenate([by, by[twins.pairs]]), [*found_bodies, *twins.bodies]
    return Examined(batch, every, named, settled, by, found_bodies, about, kin)


def answer(plan: Plan, examined: Examined, index: Index, limits: Limits) -> list[Answer]:
    """The answer for each article that was examined."""
    batch, every, named = examined.batch, examined.queries, examined.rows
    settled, about, kin = examined.compared, examined.about, examined.kin
    tokens = text.tokenise(batch.text, batch.offsets, spans=True)
    marks = _core.mark_boilerplate(tokens, index.learnt.known)
    names = [one.name for one in plan.nominating]
    methods = {
        by: tuple(dict.fromkeys(name for bit, name in enumerate(names) if by >> bit & 1))
        for by in set(examined.by.tolist())
    }
    wanted = np.array([relation in limits.relations for relation in RELATIONS])[settled.relation]
    pairs, are_forms = settled.pairs, settled.relation == FORM
    words = np.bincount(pairs, settled.passages.words, len(settled)).tolist()
    is_form, copying = are_forms.tolist(), np.where(are_forms, NO_QUERY, every)[pairs]

    told = [about[row] for row in named.tolist()]

    def sort_key(pair: int) -> tuple[bool, float, int, str]:
        article, moment = told[pair]
        return is_form[pair], -words[pair], moment, article.id

    answers = []
    for number, id in enumerate(batch.ids):
        mine = np.flatnonzero(every == number)
        body = str(batch.text[batch.offsets[number] : batch.offsets[number + 1]].data, "utf-8")
        chosen = sorted(mine[wanted[mine]].tolist(), key=sort_key)[: limits.top]
        stories = _name_stories(index, named[chosen].tolist(), about)
        given = []
        for pair in chosen:
            article, _ = told[pair]
            sides = (id, body), (article.id, examined.bodies[pair].decode())
            match = build_match(settled, pair, *sides, methods[int(examined.by[pair])])
            given.append(Found(match, article, stories.get(int(named[pair]))))
        passages = settled.passages.take(copying == number)
        copied, new = tell_new(tokens, marks, number, passages)
        longest = int(passages.words.max(initial=0))
        counts = np.bincount(settled.relation[mine], minlength=len(RELATIONS)) + kin[number].counts
        summed = int(counts.sum()), given, new, int(counts[IS_CONTAINED].sum()), kin[number].at_least
        answers.append(Answer(id, batch.describe(number), copied, longest, *summed, int(counts[FORM])))
    return answers


def _name_stories(
    index: Index, rows: Sequence[int], about: Mapping[int, tuple[Article, int]]
) -> dict[int, str]:
    """The ids of the stories of some articles, by row; of none if that is not told, or not as it was written."""
    last = index.told_row
    if last is None or not rows:
        return {}
    try:
        stories = index.store.stories_of([row for row in rows if row <= last])
        others = {first for first in stories.values() if first not in about}
        ids = index.store.named(sorted(others)) | {row: article.id for row, (article, _) in about.items()}
    except (AlteredError, ArchiveError):
        return {}
    return {row: ids[first] for row, first in stories.items()}


def _describe(index: Index, rows: Sequence[int]) -> dict[int, tuple[Article, int]]:
    """By row, an article without its text, and its moment."""
    moments = index.moments[index.places(np.array(rows, np.uint64))].tolist() if rows else []
    return dict(zip(rows, zip(index.store.articles(rows), moments, strict=True), strict=True))


def _settle(
    compared: Compared,
    batch: Articles,
    queries: NDArray[np.uint32],
    rows: NDArray[np.uint64],
    about: Mapping[int, tuple[Article, int]],
    learnt: Learnt,
) -> Compared:
    """What was compared once forms are told, by the dates and addresses of the articles too; each pair is of a query and a row."""

    def tell_apart(pairs: NDArray[np.int64]) -> forms.Apart:
        mine, theirs = queries[pairs].tolist(), [about[row] for row in rows[pairs].tolist()]
        urls = batch.about.get("url") or [""] * len(batch)
        query = batch.published[mine], number_addresses(urls[number] for number in mine)
        moments = np.array([moment for _, moment in theirs], np.int64)
        return forms.tell_apart(
            query, (moments, number_addresses(article.url or "" for article, _ in theirs))
        )

    return settle(compared, learnt.varying, tell_apart)


def _may_be_forms(compared: Compared, learnt: Learnt) -> NDArray[np.bool_]:
    """Whether each pair is a form unless dates or addresses say otherwise: then each of the articles identical to it must be asked."""

    def tell_apart(pairs: NDArray[np.int64]) -> forms.Apart:
        no = np.zeros(len(pairs), bool)
        return forms.Apart(close=no, far=~no, one_address=no)

    may_be: NDArray[np.bool_] = settle(compared, learnt.varying, tell_apart).relation == FORM
    return may_be


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
    """What is identical to an article that matches a query and was not compared.

    `rows` are those that may be named, each with the pair that it compares as; `counts` how many others there are, by relation.
    `at_least` says that there may be more.
    """

    counts: NDArray[np.int64]
    rows: Sequence[tuple[int, int]] = ()
    at_least: bool = False


def _find_kin(
    families: Families,
    asked: Sequence[tuple[Queries, Nominated]],
    candidates: Candidates,
    own: Sequence[int | None],
    compared: Compared,
    relation: NDArray[np.int8],
    top: int | None,
    learnt: Learnt,
) -> list[Kin]:
    """What is identical to the matches of each query and was not compared; those that are not named are related as their like.

    `own` is the row of the article with each query's id. Of what is identical to an article that may be a form all may be named, as not all need be forms.
    """
    kin = [Kin(np.zeros(len(RELATIONS), np.int64))] * len(own)
    linked = {
        (query, row)
        for _, some in asked
        for query, row in zip(some.links[0].tolist(), some.links[1].tolist(), strict=True)
    }
    all_may = not all(goes_by_words(one.method) for one, _ in asked)
    if not candidates.is_match.any() or not (linked or all_may):
        return kin
    matched = np.flatnonzero(candidates.is_match)
    pairs = zip(candidates.queries[matched].tolist(), candidates.rows[matched].tolist(), strict=True)
    queries = {pair[0] for pair in pairs if all_may or pair in linked}
    if not queries:
        return kin
    may_be_form = _may_be_forms(compared, learnt)
    for query in queries:
        every = np.flatnonzero(candidates.queries == query)
        matching = every[candidates.is_match[every]]
        pair_of = dict(zip(candidates.rows[matching].tolist(), matching.tolist(), strict=True))
        mine = [pair_of[row] for row in families.sort(candidates.rows[matching])]
        found = families.keys([candidates.bodies[pair] for pair in every.tolist()])
        keys = dict(zip(every.tolist(), found, strict=True))
        itself = own[query]
        of_forms = {keys[pair] for pair in mine if may_be_form[pair]}
        most = {key: None if key in of_forms else top for key in found if key is not None}
        twins = [families.twins(key, itself, some) for key, some in most.items()]
        counts = np.zeros(len(RELATIONS), np.int64)
        rows: list[tuple[int, int]] = []
        for one in twins:
            same = [pair for pair in mine if keys[pair] == one.key]
            if same and one.count > len(same):
                known = set(candidates.rows[same].tolist())
                named = [row for row in families.sort(one.rows)[: most[one.key]] if row not in known]
                counts[relation[same[0]]] += one.count - len(same) - len(named)
                rows += [(row, same[0]) for row in named]
        known_rows = np.unique(np.append(candidates.rows[every], np.array([itself or 0], np.uint64)))
        left_out = families.are_left_out(query, asked, candidates.rows[matching], known_rows, twins, learnt)
        kin[query] = Kin(counts, rows, left_out)
    return kin


@dataclass(frozen=True)
class Likened:
    """Articles that are identical to compared ones: the query and the row of each, the pair that was nominated, its text.

    `compared` is how the pairs compare that were nominated, and then these.
    """

    queries: NDArray[np.uint32]
    rows: NDArray[np.uint64]
    pairs: NDArray[np.int64]
    bodies: Sequence[bytes]
    compared: Compared


def _compare_twins(
    plan: Plan,
    batch: Articles,
    index: Index,
    compared: Compared,
    candidates: Candidates,
    kin: Sequence[Kin],
    learnt: Learnt,
) -> Likened:
    """How the rows that may be named compare: as what they are identical to; only a text with other marks between words is aligned again."""
    queries, rows, pairs = zip(
        *((query, row, pair) for query, one in enumerate(kin) for row, pair in one.rows), strict=True
    )
    distinct = list(dict.fromkeys(rows))
    body_of = dict(zip(distinct, index.store.texts(distinct), strict=True))
    bodies = [body_of[row] for row in rows]
    differs = [place for place, pair in enumerate(pairs) if bodies[place] != candidates.bodies[pair]]
    order = np.array([*range(len(compared)), *pairs], np.int64)
    if differs:
        places = np.arange(len(differs), dtype=np.uint32)
        mine = np.array([queries[place] for place in differs], np.uint32)
        more = _compare(plan, batch, [bodies[place] for place in differs], mine, places, learnt)
        order[len(compared) + np.array(differs)] = len(compared) + places
        compared = Compared.join([compared, more])
    like = np.array(queries, np.uint32), np.array(rows, np.uint64), np.array(pairs, np.int64)
    return Likened(*like, bodies, compared.take(order))


_YES = np.ones(1, bool)


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
    told = covered | is_formula
    formulas = int(np.count_nonzero(is_formula))
    copied = (int(np.count_nonzero(told)) - formulas) / max(1, len(told) - formulas)
    edge = np.flatnonzero(np.diff(np.concatenate([_YES, told, _YES])))
    spans = zip(edge[::2], edge[1::2], strict=True)
    return round(copied, 4), [(int(starts[start]), int(ends[end - 1])) for start, end in spans]
