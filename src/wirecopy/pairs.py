"""Candidate pairs of a collection, for any method: file keys, let them collide, join the collisions.

Articles are numbered by *rank*, their place in time: by `published`, then by id. The later article of a pair is the
query, the earlier one is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from . import boilerplate as boilerplate_rule
from .boilerplate import Common
from .methods import Keys, Method
from .model import Tokens

ALL_HOLDERS = 20
"""Up to so many holders of a key are paired all with all."""
LINKS = 2
"""Earliest holders that each holder of a more common key is linked to."""
SETTLED_WORDS = 12
"""Words around a key, of sixteen on each side, that must agree for its collision to count."""
MOST = np.iinfo(np.int64).max

Map = Callable[[Callable[[int], Any], Iterable[int]], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The collisions of all keys that the words around them support, one a row.

    `columns` are later, earlier, later_position, earlier_position and common (the number of a common key); `order` puts the rows by
    pair, `agreed` is 1 where the pair shares half of an article, `common_sizes` how many hold each common key, `common_names` what it
    is called in any collection. `suspects` are the common keys that may be boilerplate, by their numbers. `weak` is how many
    other collisions there were.
    """

    columns: dict[str, NDArray[np.uint32]]
    order: NDArray[np.uint32]
    agreed: NDArray[np.uint8]
    common_sizes: NDArray[np.int64]
    common_names: NDArray[np.uint64]
    all_holders: int
    suspects: dict[int, Common]
    weak: int

    def __len__(self) -> int:
        return len(self.order)

    def nominate(self, boilerplate: Sequence[int]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The candidates, (later, earlier), rising: pairs that agree or that a key outside `boilerplate` supports."""
        return _core.nominate(
            self.columns["later"],
            self.columns["earlier"],
            self.columns["common"],
            self.order,
            self.agreed,
            np.array(sorted(boilerplate), np.uint32),
            self.common_sizes,
            self.all_holders,
            LINKS,
        )


def file(tokens: Tokens, keys: Keys) -> list[_core.Postings]:
    """The postings of a batch, cut into shards by key range."""
    return _core.file(tokens.hashes, tokens.offsets, keys.values, keys.offsets, keys.starts, keys.ends)


def collide(
    method: Method,
    postings: list[list[_core.Postings]],
    firsts: Sequence[int],
    ranks: NDArray[np.uint32],
    words: NDArray[np.uint32],
    *,
    linked: bool = True,
    apply: Map = map,
) -> Evidence:
    """The evidence of all batches; empties `postings`, which are the bulk of the memory, as it goes.

    `firsts` is the number of each batch's first article, `ranks` the rank of each article (the largest uint32 leaves it
    out), `words` the number of words of the article at each rank. `apply` maps a function over shards.
    """
    shingle, settled, grouped = _context(method)
    all_holders = ALL_HOLDERS if linked else MOST
    articles = boilerplate_rule.ARTICLES if method.guaranteed_words else MOST

    waiting = [list(shard) for shard in zip(*postings, strict=True)] or [[]]
    postings.clear()

    def collide_shard(number: int) -> dict[str, Any]:
        shard, waiting[number] = waiting[number], []
        return _core.collide(shard, firsts, ranks, all_holders, LINKS, settled, shingle, grouped, articles)

    shards = list(apply(collide_shard, range(len(waiting))))
    first_common = 0
    for shard in shards:
        shard["common"][shard["common"] < _core.LINKED] += np.uint32(first_common)
        first_common += len(shard["common_sizes"])
    weak = sum(shard.pop("weak") for shard in shards)
    column = {name: np.concatenate([shard.pop(name) for shard in shards]) for name in list(shards[0])}
    sizes, names = column.pop("common_sizes"), column.pop("common_names")
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    holders, positions = column.pop("common_holders"), column.pop("common_positions")
    answer = _core.suspect(
        **column,
        common_holders=holders,
        common_positions=positions,
        common_offsets=offsets,
        words=words,
        boilerplate_articles=articles,
        examples=boilerplate_rule.EXAMPLES,
        agree_gap_words=boilerplate_rule.AGREE_GAP_WORDS,
        key_words=shingle + settled,
        agree_share=boilerplate_rule.AGREE_SHARE,
        family_share=boilerplate_rule.FAMILY_SHARE,
    )
    edges = answer["example_offsets"].tolist()
    suspects = {
        number: Common(
            holders[offsets[number] : offsets[number + 1]],
            answer["example_ranks"][start:end],
            answer["example_positions"][start:end],
        )
        for number, start, end in zip(answer["commons"].tolist(), edges, edges[1:], strict=False)
    }
    return Evidence(column, answer["order"], answer["agreed"], sizes, names, all_holders, suspects, weak)


def _context(method: Method) -> tuple[int, int, int]:
    """Words of a shingle, words around it that must agree, and words on one side that make holders one group."""
    shingle = (method.shingle_words if method.guaranteed_words else None) or 1
    window = (method.guaranteed_words or 1) - shingle + 1
    return shingle, min(SETTLED_WORDS, window - 1), -(-(window - 1) // 2)


@dataclass(frozen=True, slots=True)
class Holders:
    """Who holds some keys: which key, the article's number, the word at which it stands, its words, those around it."""

    which: NDArray[np.uint32]
    article: NDArray[np.uint32]
    position: NDArray[np.uint32]
    words: NDArray[np.uint8]
    left: NDArray[np.uint64]
    right: NDArray[np.uint64]

    @classmethod
    def join(cls, parts: Sequence[Holders]) -> Holders:
        """The holders of several parts of a collection."""
        parts = parts or [NO_HOLDERS]
        return cls(
            np.concatenate([part.which for part in parts]),
            np.concatenate([part.article for part in parts]),
            np.concatenate([part.position for part in parts]),
            np.concatenate([part.words for part in parts]),
            np.concatenate([part.left for part in parts]),
            np.concatenate([part.right for part in parts]),
        )


_NOBODY = np.empty(0, np.uint32)
NO_HOLDERS = Holders(
    _NOBODY, _NOBODY, _NOBODY, _NOBODY.astype(np.uint8), _NOBODY.astype(np.uint64), _NOBODY.astype(np.uint64)
)


def look_up(
    postings: Sequence[Sequence[_core.Postings]], firsts: Sequence[int], keys: NDArray[np.uint64]
) -> Holders:
    """The holders of some keys, which rise, among the postings of all batches."""
    shards = zip(*postings, strict=True)
    return Holders.join([Holders(*_core.look_up(list(shard), firsts, keys)) for shard in shards])


def ask(
    method: Method,
    asked: Sequence[_core.Postings],
    keys: NDArray[np.uint64],
    holders: Holders,
    *,
    query_words: NDArray[np.uint32],
    own: NDArray[np.uint32],
    found_words: NDArray[np.uint32],
    boilerplate: NDArray[np.uint64],
    linked: bool = True,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The candidates of some queries, (query, rank), rising, from the holders of their distinct keys.

    The holders' articles are ranks, the largest uint32 leaves one out; `own` is the rank of the article that a query itself is, or
    that. `boilerplate` are the names of common keys that are nothing else, rising.
    """
    shingle, settled, grouped = _context(method)
    return _core.ask(
        asked,
        keys,
        holders.which,
        holders.article,
        holders.position,
        holders.words,
        holders.left,
        holders.right,
        query_words=query_words,
        own=own,
        found_words=found_words,
        boilerplate=boilerplate,
        all_holders=ALL_HOLDERS if linked else MOST,
        links=LINKS,
        settled_words=settled,
        shingle_words=shingle,
        grouped_words=grouped,
        agree_gap_words=boilerplate_rule.AGREE_GAP_WORDS,
        key_words=shingle + settled,
        agree_share=boilerplate_rule.AGREE_SHARE,
    )
