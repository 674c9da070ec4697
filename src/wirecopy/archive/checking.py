"""What a text shares with an archive: the candidates that its keys give, compared, and what follows from that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _core, forms, text
from ..comparison import RELATIONS, Passages, build_match, get_preset, settle
from ..matching import Plan, compare, look_up, nominate_queries
from ..matching.collection import Pool, Texts
from ..model import Articles, Relation, Tokens
from ..pairs import unite
from ..sources.addresses import number_addresses
from .answers import Answer, Found
from .index import NO_MOMENTS, NO_ROWS, Index
from .looking import Limits, Within

FORM = RELATIONS.index(Relation.FORM)


def check(plan: Plan, batch: Articles, index: Index, limits: Limits) -> list[Answer]:
    """The answer for each article of a batch, which is not compared with the article that has its own id."""
    learnt, store = index.learnt, index.store
    looked_up = look_up(plan, batch, Within(index, limits), plan.all_weights)
    nominated = [nominate_queries(plan, one, learnt) for one in looked_up]
    rows = np.unique(np.concatenate([NO_ROWS, *(rows for _, rows in nominated)]))
    pairs = [(query, np.searchsorted(rows, found).astype(np.uint32)) for query, found in nominated]
    queries, founds, by = unite(pairs)
    bodies = store.texts(rows.tolist())

    def texts(ranks: NDArray[np.uint32]) -> Texts:
        """The texts of found articles, then, as ranks are sorted, those of the batch."""
        mine = ranks[ranks >= len(rows)].astype(np.int64) - len(rows)
        edges = zip(batch.offsets[mine].tolist(), batch.offsets[mine + 1].tolist(), strict=True)
        parts = [bodies[rank] for rank in ranks[ranks < len(rows)].tolist()]
        parts += [batch.text.data[start:end] for start, end in edges]
        return np.frombuffer(b"".join(parts), np.uint8), np.cumsum([0, *map(len, parts)])

    behind = queries + np.uint32(len(rows))
    compared, _ = compare(get_preset(plan.preset), texts, (behind, founds), learnt.known, Pool(1))
    about = store.articles(rows.tolist())
    moments = index.moments[index.places(rows)] if len(rows) else NO_MOMENTS

    def tell_apart(pairs: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        mine, theirs = queries[pairs].tolist(), founds[pairs].tolist()
        urls = batch.about.get("url") or [""] * len(batch)
        query = batch.published[mine], number_addresses(urls[number] for number in mine)
        found = moments[theirs], number_addresses(about[rank].url or "" for rank in theirs)
        return forms.tell_apart(query, found)

    compared = settle(compared, learnt.varying, tell_apart)
    is_match = (compared.relation >= 0) & (compared.query_covered >= limits.min_share)
    tokens = text.tokenise(batch.text, batch.offsets, spans=True)
    marks = _core.mark_boilerplate(tokens, learnt.known)
    moment_of = dict(zip((article.id for article in about), moments.tolist(), strict=True))
    names = [one.name for one in plan.nominating]
    named_codes = [RELATIONS.index(relation) for relation in limits.relations]
    answers = []
    for number, id in enumerate(batch.ids):
        mine = np.flatnonzero((queries == number) & is_match)
        body = str(batch.text[batch.offsets[number] : batch.offsets[number + 1]].data, "utf-8")
        found = []
        named = mine[np.isin(compared.relation[mine], named_codes)]
        for row, rank, bits in zip(named.tolist(), founds[named].tolist(), by[named].tolist(), strict=True):
            methods = dict.fromkeys(name for bit, name in enumerate(names) if bits >> bit & 1)
            match = build_match(compared, row, id, about[rank].id, body, tuple(methods))
            found.append(Found(match, about[rank]))
        found.sort(key=lambda one: (moment_of[one.article.id], one.article.id))
        found.sort(key=lambda one: -sum(passage.words for passage in one.match.passages))
        passages = compared.take(mine[compared.relation[mine] != FORM]).passages
        copied, new = tell_new(tokens, marks, number, passages)
        longest = int(passages.words.max(initial=0))
        forms_found = int(np.sum(compared.relation[named] == FORM))
        answers.append(Answer(id, copied, longest, len(found), found[: limits.top], new, forms_found))
    return answers


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
