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

from . import _core, boilerplate
from .methods import Keys, Method
from .model import Tokens

SHARDS = 256
ALL_HOLDERS = 20
"""Up to so many holders of a key are paired all with all."""
LINKS = 4
"""Earliest holders that each holder of a more common key is linked to."""
SETTLED_WORDS = 12
"""Context words, of eight on each side, that must agree for a collision to count by itself."""

Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs of ranks, rising by (later, earlier); the keys that are boilerplate; how many collisions there were."""

    later: NDArray[np.uint32]
    earlier: NDArray[np.uint32]
    commons: Sequence[boilerplate.Common]
    collisions: int


def file(tokens: Tokens, keys: Keys) -> _core.Postings:
    """The postings of a batch."""
    return _core.file(tokens.hashes, tokens.offsets, keys.values, keys.offsets, keys.starts, keys.ends)


def find_candidates(
    method: Method,
    postings: list[_core.Postings],
    firsts: list[int],
    ranks: NDArray[np.uint32],
    words: NDArray[np.uint32],
    *,
    linked: bool = True,
    apply: Map = map,
) -> Candidates:
    """Candidates of all batches; empties `postings`, which are the bulk of the memory.

    `firsts` is the number of each batch's first article, `ranks` the rank of each article (the largest uint32 leaves it
    out), `words` the number of words of the article at each rank. `apply` maps a function over shards.
    """
    window = (method.guaranteed_words or 1) - getattr(method, "shingle_words", 1) + 1
    settled = min(SETTLED_WORDS, window - 1)
    grouped = min(8, -(-(window - 1) // 2))
    most = np.iinfo(np.int64).max
    all_holders = ALL_HOLDERS if linked else most

    def collide(shard: int) -> dict[str, NDArray[Any]]:
        return _core.collide(
            postings, shard, firsts, ranks, all_holders, LINKS, settled, grouped, boilerplate.ARTICLES
        )

    shards = list(apply(collide, range(SHARDS)))
    postings.clear()
    bases = np.cumsum([0] + [len(shard["common_offsets"]) - 1 for shard in shards])
    for shard, base in zip(shards, bases, strict=False):
        shard["common"][shard["common"] != np.iinfo(np.uint32).max] += np.uint32(base)
    column = {
        name: np.concatenate([shard[name] for shard in shards])
        for name in shards[0]
        if name not in ("common_offsets", "weak")
    }
    sizes = np.concatenate([np.diff(shard["common_offsets"]) for shard in shards])
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    weak = sum(shard["weak"] for shard in shards)
    del shards
    answer = _core.nominate(
        *(column[name] for name in ("later", "earlier", "later_position", "earlier_position", "common")),
        column["common_holders"],
        column["common_positions"],
        offsets,
        words,
        boilerplate.ARTICLES if method.guaranteed_words else most,
        boilerplate.EXAMPLES,
        boilerplate.AGREE_GAP_WORDS,
        getattr(method, "shingle_words", 1) + settled,
        boilerplate.AGREE_SHARE,
    )
    edges = answer["example_offsets"].tolist()
    commons = [
        boilerplate.Common(
            int(offsets[number + 1] - offsets[number]),
            answer["example_ranks"][start:end],
            answer["example_positions"][start:end],
        )
        for number, start, end in zip(answer["boilerplate"].tolist(), edges, edges[1:], strict=False)
    ]
    return Candidates(answer["later"], answer["earlier"], commons, len(column["later"]) + weak)
