"""What a text shares with an archive: the candidates that its keys give, compared, and what follows from that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _core, text
from ..comparison import Compared, build_match, get_preset
from ..matching import Plan, compare, look_up, nominate_queries
from ..matching.collection import Pool, Texts
from ..model import Article, Articles, Tokens
from ..pairs import Lookup, unite
from .answers import Answer, Found
from .index import NO_ROWS, Index
from .looking import Limits
from .store import Store


def check(
    plan: Plan, batch: Articles, lookup: Lookup, store: Store, index: Index, limits: Limits
) -> list[Answer]:
    """The answers for a batch of articles, which are not compared with their own ids."""
    learnt = index.learnt
    looked_up = look_up(plan, batch, lookup, plan.all_weights)
    nominated = [nominate_queries(plan, one, learnt) for one in looked_up]
    rows = np.unique(np.concatenate([NO_ROWS, *(rows for _, rows in nominated)]))
    pairs = [(query, np.searchsorted(rows, found).astype(np.uint32)) for query, found in nominated]
    queries, founds, by = unite(pairs)
    bodies = store.texts(rows.tolist())

    def texts(ranks: NDArray[np.uint32]) -> Texts:
        """Those of found articles, then, as ranks rise, of the batch."""
        mine = ranks[ranks >= len(rows)].astype(np.int64) - len(rows)
        edges = zip(batch.offsets[mine].tolist(), batch.offsets[mine + 1].tolist(), strict=True)
        parts = [bodies[rank] for rank in ranks[ranks < len(rows)].tolist()]
        parts += [batch.text.data[start:end] for start, end in edges]
        return np.frombuffer(b"".join(parts), np.uint8), np.cumsum([0, *map(len, parts)])

    behind = queries + np.uint32(len(rows))
    compared, _ = compare(get_preset(plan.preset), texts, (behind, founds), learnt.known, Pool(1))
    tokens = text.tokenise(batch.text, batch.offsets, spans=True)
    marks = _core.mark_boilerplate(tokens, learnt.known)
    about = store.articles(rows.tolist())
    moments = index.moments[index.places(rows)].tolist() if len(rows) else []
    names = [one.name for one in plan.nominating]
    answers = []
    for number in range(len(batch)):
        mine = np.flatnonzero(
            (queries == number) & (compared.relation >= 0) & (compared.query_covered >= limits.min_share)
        )
        found = [(about[rank], moments[rank]) for rank in founds[mine].tolist()]
        methods = [
            tuple(dict.fromkeys(name for bit, name in enumerate(names) if bits >> bit & 1))
            for bits in by[mine].tolist()
        ]
        answers.append(
            tell(
                batch,
                number,
                Words.of(tokens, marks, number),
                compared.take(mine),
                found,
                methods,
                limits.top,
            )
        )
    return answers


@dataclass(frozen=True)
class Words:
    """Where the words of a text start and end, and which of them are boilerplate."""

    starts: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    is_formula: NDArray[np.bool_]

    @classmethod
    def of(cls, tokens: Tokens, marks: NDArray[np.uint8], row: int) -> Words:
        """Those of one row of a batch."""
        assert tokens.starts is not None
        assert tokens.ends is not None
        words = slice(*tokens.offsets[row : row + 2].tolist())
        return cls(tokens.starts[words], tokens.ends[words], marks[words] == 1)


def tell(
    batch: Articles,
    number: int,
    words: Words,
    compared: Compared,
    found: Sequence[tuple[Article, int]],
    methods: Sequence[tuple[str, ...]],
    top: int | None,
) -> Answer:
    """What is answered for one article of a batch, from its matches with what was found."""
    body = str(batch.text[batch.offsets[number] : batch.offsets[number + 1]].data, "utf-8")
    passages, edges = compared.passages, len(words.starts) + 1
    opened, closed = (
        np.bincount(np.searchsorted(words.starts, side.astype(words.starts.dtype)), minlength=edges)
        for side in (passages.query_start, passages.query_end)
    )
    covered = np.cumsum(opened - closed)[:-1] > 0
    matches = [
        (build_match(compared, row, batch.ids[number], article.id, body, methods[row]), moment, article)
        for row, (article, moment) in enumerate(found)
    ]
    matches.sort(key=lambda one: (-sum(passage.words for passage in one[0].passages), one[1], one[0].found))
    longest = int(passages.words.max(initial=0))
    copied = int(np.sum(covered & ~words.is_formula)) / max(1, int(np.sum(~words.is_formula)))
    edge = np.flatnonzero(np.diff(np.concatenate([[True], covered | words.is_formula, [True]])))
    new = [
        (int(words.starts[start]), int(words.ends[end - 1]))
        for start, end in zip(edge[::2], edge[1::2], strict=True)
    ]
    told = [Found(match, article) for match, _, article in matches]
    return Answer(batch.ids[number], round(copied, 4), longest, len(told), told[:top], new)
