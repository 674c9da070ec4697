"""What is done, and what is filed, goes to another process and gives the same answer there."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import wirecopy
from quality.texts import Writer, join
from wirecopy import methods, pairs
from wirecopy.matching import Plan, match
from wirecopy.matching.collection import open_pool
from wirecopy.methods import Method
from wirecopy.model import Articles
from wirecopy.pairs import Filed, Limits
from wirecopy.pile import Pile, Shelf
from wirecopy.sources import read
from wirecopy.statistics import Statistics
from wirecopy.text import encode, tokenise

METHODS = [methods.get(name) for name in methods.names()]


def weigh(method: Method, texts: Sequence[str]) -> Statistics:
    view = method.view
    return Statistics.count([tokenise(*encode(texts), view)], view)


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    """Articles with a formula, of which some are copies."""
    writer = Writer(5)
    formula, story = writer.write(40), writer.write(150)
    texts = [writer.write(90) + formula for _ in range(12)]
    texts += [writer.edit(story, 0.03) for _ in range(25)]
    texts += [writer.write(60) + story[20:60] for _ in range(3)] + [writer.write(80) for _ in range(10)]
    return [{"id": f"{number:03}", "text": join(text)} for number, text in enumerate(texts)]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_plan_pickles(method: Method, records: list[dict[str, Any]]) -> None:
    statistics = weigh(method, [record["text"] for record in records]) if method.weighs_words else None
    plan = Plan("any-reuse", (method,), linked=False, statistics=statistics)
    batch = Articles(["a"], *encode(["One two three. " * 9]), np.zeros(1, np.int64), about={"title": [""]})
    used = pairs.file(batch, plan.methods, plan.all_weights)[method]
    again = pickle.loads(pickle.dumps(plan))
    assert (again.preset, again.methods, again.linked) == (plan.preset, plan.methods, plan.linked)
    filed = pairs.file(batch, again.methods, again.all_weights)[method]
    assert pickle.dumps(filed) == pickle.dumps(used)


def test_statistics_pickle_also_once_they_were_used() -> None:
    tokens = tokenise(*encode(["one two", "two three", "two"]))
    statistics = Statistics.count([tokens])
    fresh = pickle.loads(pickle.dumps(statistics))
    expected = statistics.frequencies(tokens.hashes).tolist()
    used = pickle.loads(pickle.dumps(statistics))
    assert expected == [1, 3, 3, 1, 3]
    for one in (fresh, used):
        assert one.frequencies(tokens.hashes).tolist() == expected
        assert (one.articles, one.view) == (statistics.articles, statistics.view)


def nominate(
    plan: Plan, filed: Mapping[Method, Sequence[Filed]], ranks: NDArray[np.uint32]
) -> dict[Method, tuple[list[int], list[int]]]:
    """The candidates of each method, boilerplate and all."""
    found = {}
    for method in plan.methods:
        limits = Limits.of(method, linked=plan.linked)
        shards = [pairs.collide(shard, ranks, limits) for shard in pairs.by_shard(filed[method])[1]]
        evidence = pairs.join_evidence([shard.evidence for shard in shards], [0] * len(shards))
        words = np.concatenate([batch.words for batch in filed[method]])[np.argsort(ranks)]
        agreement = pairs.agree(evidence, words, pairs.rule_of(method))
        later, earlier = pairs.nominate(evidence, agreement, np.empty(0, bool))
        found[method] = (later.tolist(), earlier.tolist())
    return found


def test_another_process_files_and_nominates_as_this_one_does(records: list[dict[str, Any]]) -> None:
    chosen = tuple(methods.get(name) for name in ("winnowing", "exact", "simhash"))
    statistics = weigh(chosen[2], [record["text"] for record in records])
    plan = Plan("syndication", chosen, statistics=statistics)
    with (
        open_pool(1) as pool,
        ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as elsewhere,
    ):
        pile, _ = Pile.read(read(records, batch_bytes=5000), pool)
        batches = [batch.take(range(len(batch))) for batch in pile.batches]
        here = [pairs.file(batch, plan.methods, plan.all_weights) for batch in batches]
        work = [elsewhere.submit(pairs.file, batch, plan.methods, plan.all_weights) for batch in batches]
        there = [filed.result() for filed in work]
        mine, theirs = ({one: [batch[one] for batch in filed] for one in chosen} for filed in (here, there))
        expected = nominate(plan, mine, pile.ranks)
        assert sum(len(later) for later, _ in expected.values()) > 100
        assert elsewhere.submit(nominate, plan, mine, pile.ranks).result() == expected
        again = pickle.loads(pickle.dumps(plan))
        matches = match(again, pile, Shelf(pile, pool, again.all_weights, theirs), pool)
    found = wirecopy.find(records, method=chosen, statistics=statistics)
    assert len(found) > 100
    assert "".join(matches.json_lines()) == "".join(found.json_lines())
    assert matches.formulas == found.formulas
