"""The whole job on a pile: read, nominate, learn boilerplate, compare.

Two passes over the words. The first files each batch's keys and forgets its words; the second reads again only the
articles that are candidates, a block of related pairs at a time. Texts and keys are what is held in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import _core, methods, text
from ..comparison import DEFAULT_PRESET, Compared, Preset, compare_rows, get_preset
from ..errors import UsageError
from ..model import Articles, Boilerplate
from ..pairs import collide, file
from ..sources import Fields, Work, read
from .collection import Pile, Pool, open_pool
from .formulas import Learner
from .matches import Matches

__all__ = ["Matches", "Progress", "find"]

DEFAULT_METHODS = ("exact", "winnowing")
"""Together they had the best recall on the development data; see docs/quality.md."""
BLOCK_PAIRS = 512
MEMORY_A_BYTE = 1.9
"""Bytes held for each byte of input, measured on 182,000 news articles (benchmarks/run.py)."""

Progress = Callable[[str, int, int], None]
"""Called with a stage, how much of it is done and how much there is."""
Named = str | methods.Method


def find(
    articles: Any,
    *,
    preset: str = DEFAULT_PRESET,
    method: Named | Sequence[Named] = DEFAULT_METHODS,
    pairs: Literal["linked", "all"] = "linked",
    threads: int | None = None,
    fields: Fields | None = None,
    batch_bytes: int = 4 << 20,
    progress: Progress | None = None,
) -> Matches:
    """All copies in a pile of articles.

    `articles` are paths, texts, `Article`s, dicts, Arrow tables, or a list of such. With `pairs="linked"` the members of a
    family too big to pair all with all are linked to its earliest members; "all" writes out every pair. The answer is
    the same for any order of the input, number of threads and `batch_bytes`.
    """
    chosen = [method] if isinstance(method, str | methods.Method) else method
    nominating = [methods.get(one) if isinstance(one, str) else one for one in chosen]
    if not nominating or len(nominating) > 8:
        raise UsageError(f"expected one to eight methods, got {len(nominating)}")
    if pairs not in ("linked", "all"):
        raise UsageError(f"pairs: expected 'linked' or 'all', got {pairs!r}")
    work = read(articles, fields=fields or Fields(), batch_bytes=batch_bytes)
    report = progress or (lambda stage, done, total: None)
    with open_pool(threads) as pool:
        return _find(work, nominating, get_preset(preset), pairs == "linked", pool, report)


def _find(
    work: Iterable[Work],
    nominating: Sequence[methods.Method],
    preset: Preset,
    linked: bool,
    pool: Pool,
    progress: Progress,
) -> Matches:
    pile, filed, lengths = _read(work, nominating, pool, progress)
    ranks, order = pile.rank()
    words = lengths[order].astype(np.uint32)
    progress("nominating", 0, 1)
    evidence = [
        collide(one, postings, pile.firsts, ranks, words, linked=linked, apply=pool.map)
        for one, postings in zip(nominating, filed, strict=True)
    ]
    learner = Learner(pile, order)
    convicted = [learner.learn(one.suspects) for one in evidence]
    later, earlier, by = _unite([one.nominate(mine) for one, mine in zip(evidence, convicted, strict=True)])
    candidates, collisions = len(later), sum(len(one) + one.weak for one in evidence)
    del evidence
    progress("nominating", 1, 1)
    compared, kept = _compare(pile, order, later, earlier, learner.known, preset, pool, progress)
    later, earlier, by = later[kept], earlier[kept], by[kept]
    holders = learner.learn_passages(later, earlier, compared)
    if len(holders):
        again = np.isin(later, holders) | np.isin(earlier, holders)
        redone, kept = _compare(
            pile, order, later[again], earlier[again], learner.known, preset, pool, progress
        )
        numbers = np.concatenate([np.flatnonzero(~again), np.flatnonzero(again)[kept]])
        by_time = np.argsort(numbers)
        compared = Compared.join([compared.take(np.flatnonzero(~again)), redone]).take(by_time)
        later, earlier, by = (column[numbers[by_time]] for column in (later, earlier, by))
    return Matches(
        pile,
        order[later],
        order[earlier],
        by,
        compared,
        tuple(one.name for one in nominating),
        learner.formulas,
        {
            "articles": len(order),
            "collisions": collisions,
            "candidates": candidates,
            "matches": len(later),
        },
    )


def _read(
    work: Iterable[Work], nominating: Sequence[methods.Method], pool: Pool, progress: Progress
) -> tuple[Pile, list[list[list[_core.Postings]]], NDArray[np.int64]]:
    """The pile, its postings for each method, and each article's number of words."""

    def take_in(part: Work) -> tuple[int, Articles, NDArray[np.int64], list[list[_core.Postings]]]:
        batch = part()
        tokens = text.tokenise(batch.text, batch.offsets)
        postings = [file(tokens, one.keys(one.sketch(tokens))) for one in nominating]
        return part.source_bytes, batch, np.diff(tokens.offsets), postings

    pile, lengths, done = Pile(), [np.empty(0, np.int64)], 0
    filed: list[list[list[_core.Postings]]] = [[] for _ in nominating]
    for source_bytes, batch, words, postings in pool.map(take_in, work):
        pile.add(batch)
        lengths.append(words)
        for mine, new in zip(filed, postings, strict=True):
            mine.append(new)
        done += source_bytes
        progress("reading", done, 0)
    return pile, filed, np.concatenate(lengths)


def _unite(
    nominated: Sequence[tuple[NDArray[np.uint32], NDArray[np.uint32]]],
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint8]]:
    """The candidates of all methods, rising by (later, earlier), with a bit for each method that nominated."""
    joined = [later.astype(np.uint64) << np.uint64(32) | earlier for later, earlier in nominated]
    pairs = _distinct(np.concatenate(joined))
    by = np.zeros(len(pairs), np.uint8)
    for bit, mine in enumerate(joined):
        by[np.searchsorted(pairs, mine)] |= np.uint8(1 << bit)
    return (pairs >> np.uint64(32)).astype(np.uint32), pairs.astype(np.uint32), by


def _distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Sorted, each once; np.unique hashes, which is slow for many."""
    values = np.sort(values)
    return values[np.concatenate([[True], values[1:] != values[:-1]])] if len(values) else values


def _compare(
    pile: Pile,
    order: NDArray[np.int64],
    later: NDArray[np.uint32],
    earlier: NDArray[np.uint32],
    known: Boilerplate,
    preset: Preset,
    pool: Pool,
    progress: Progress,
) -> tuple[Compared, NDArray[np.int64]]:
    """Compare all candidates, related pairs together; the matches, and which candidates they are."""
    component = _core.components(len(order), later, earlier)
    related = np.argsort(component[later], kind="stable")
    blocks = [related[start : start + BLOCK_PAIRS] for start in range(0, len(related), BLOCK_PAIRS)]

    def compare_block(block: NDArray[np.int64]) -> tuple[NDArray[np.int64], Compared]:
        ranks = _distinct(np.concatenate([later[block], earlier[block]]))
        tokens = text.tokenise(*pile.texts(order[ranks].tolist()), spans=True)
        queries, founds = (np.searchsorted(ranks, side[block]).astype(np.uint32) for side in (later, earlier))
        by_found = np.argsort(founds, kind="stable")
        compared = compare_rows(tokens, queries[by_found], founds[by_found], preset, known)
        matched = np.flatnonzero(compared.relation >= 0)
        return block[by_found][matched], compared.take(matched)

    parts, numbers, done = [], [np.empty(0, np.int64)], 0
    for kept, compared in pool.map(compare_block, blocks):
        parts.append(compared)
        numbers.append(kept)
        done += BLOCK_PAIRS
        progress("comparing", min(done, len(later)), len(later))
    kept = np.concatenate(numbers)
    by_time = np.argsort(kept, kind="stable")
    return Compared.join(parts).take(by_time), kept[by_time]
