"""What the one method of an archive says of a text by its own score and rule; no other rule is applied."""

from __future__ import annotations

import numpy as np

from ..errors import UsageError
from ..matching.opinions import give_verdicts, place_by_id, rank_found
from ..methods import Method, Sketches
from ..model import Articles
from ..pairs import LEFT_OUT, is_common, sketch
from .answers import Ranked
from .index import Index, batch_of
from .looking import Limits, Within
from .settings import Settings

BLOCK_ARTICLES = 1 << 10
"""The most found articles whose texts are in memory at a time."""


def choose_method(settings: Settings, path: object) -> Method:
    """The one method of an archive, not counting `exact`, which is beside every method; raises UsageError if there are more."""
    chosen = [one for one in settings.methods if one.name != "exact"] or list(settings.methods)
    if len(chosen) != 1:
        raise UsageError(
            f"a method decides by itself in an archive of one method; {path} has "
            f"{', '.join(one.name for one in chosen)}: make another with Archive.open(NEW, create=True, method=NAME)"
        )
    return chosen[0]


def opine(query: Articles, index: Index, limits: Limits, *, accepted: bool = False) -> Ranked:
    """The opinions on one article and each article of the archive that shares a key with it, but not that with its id."""
    settings, store = index.settings, index.store
    method = choose_method(settings, store.path)
    if method.compares_keys:
        raise UsageError(
            f"{method} leaves out the most frequent of all keys, which an archive does not count: "
            "use wirecopy.opinions"
        )
    statistics = settings.statistics if method.weighs_words else None
    mine = sketch(query, method, statistics)
    keys = np.unique(method.probes(mine).values)
    everyone, within = (Within(index, one) for one in (Limits(), limits))
    if method.leaves_out:
        keys = keys[~is_common(method, keys, everyone.look_up(method, keys, query.ids))]
    held = within.look_up(method, keys, query.ids)
    rows = np.unique(
        held.articles[held.ranks[(held.ranks != LEFT_OUT) & (held.ranks != held.own[0])]]
    ).tolist()
    ids: list[str] = []
    parts = [mine]
    for start in range(0, len(rows), BLOCK_ARTICLES):
        block = batch_of(store, rows[start : start + BLOCK_ARTICLES])
        ids += block.ids
        parts.append(sketch(block, method, statistics))
    sketches = Sketches.join(parts)
    if method.leaves_out:
        every = np.unique(method.keys(sketches).values)
        common = every[is_common(method, every, everyone.look_up(method, every, query.ids))]
        sketches = sketches.keep(~np.isin(sketches.columns[0], common))
    mine, found = sketches.take(np.arange(1)), sketches.take(np.arange(1, len(sketches)))
    scored = rank_found(method, mine, 0, found, place_by_id(ids), top=limits.top, accepted=accepted)
    verdicts = give_verdicts(method, query.ids, mine, found, np.array([LEFT_OUT], np.uint32))
    [id] = query.ids
    return Ranked(id, list(scored.tell(query.ids, ids, method.name)), verdicts[0] if verdicts else None)
