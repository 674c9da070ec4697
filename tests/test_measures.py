"""Each measure, by the worked example of its paper and against scikit-learn or what it is defined as."""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    adjusted_rand_score,
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)
from sklearn.metrics.cluster import pair_confusion_matrix

import wirecopy
from quality.corpora import data_module, read_jsonl, unpack
from quality.report import MissingError
from wirecopy.measures import (
    Span,
    adjusted_rand,
    area,
    area_error,
    average_precision,
    b_cubed,
    bootstrap,
    discordant,
    pairs_of_clusters,
    plagdet,
    rate,
    sweep,
    wilson,
)

CLUSTERS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30)


def test_b_cubed_by_hand() -> None:
    # Two true clusters of three and two; the answer joins one of the second to the first.
    rates = b_cubed(["a", "a", "a", "b", "b"], [1, 1, 1, 1, 2])
    assert rates.precision == pytest.approx((3 * 3 / 4 + 1 / 4 + 1) / 5)
    assert rates.recall == pytest.approx((3 + 2 * 1 / 2) / 5)
    assert rates.f == pytest.approx(2 * rates.precision * rates.recall / (rates.precision + rates.recall))


def test_the_truth_itself_is_perfect_and_names_do_not_matter() -> None:
    assert b_cubed([1, 1, 2], ["x", "x", "y"]) == (1, 1, 1)
    assert adjusted_rand([1, 1, 2], ["x", "x", "y"]) == 1
    assert b_cubed([], []) == (1, 1, 1)
    assert adjusted_rand([], []) == 1


def test_singles_have_all_precision_and_little_recall() -> None:
    rates = b_cubed([1] * 10, np.arange(10))
    assert rates.precision == 1
    assert rates.recall == pytest.approx(0.1)


@given(CLUSTERS)
def test_adjusted_rand_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    truth, answer = zip(*pairs, strict=True)
    assert adjusted_rand(truth, answer) == pytest.approx(adjusted_rand_score(truth, answer), abs=1e-12)


@given(CLUSTERS)
def test_b_cubed_is_what_its_definition_says(pairs: list[tuple[int, int]]) -> None:
    def share(of: int, within: int) -> float:
        shares = []
        for one in pairs:
            mine = [other for other in pairs if other[within] == one[within]]
            shares.append(sum(other[of] == one[of] for other in mine) / len(mine))
        return sum(shares) / len(shares)

    rates = b_cubed(*zip(*pairs, strict=True))
    assert rates.precision == pytest.approx(share(0, 1))
    assert rates.recall == pytest.approx(share(1, 0))


def test_clusterings_of_different_items_are_refused() -> None:
    with pytest.raises(ValueError, match="as many items"):
        b_cubed([1, 2], [1])


def test_b_cubed_is_that_of_bagga_and_baldwins_example() -> None:
    truth = [1] * 5 + [2] * 2 + [3] * 5
    one, other = [1] * 5 + [2] * 7, [1] * 5 + [2] * 2 + [1] * 5
    assert b_cubed(truth, one)[:2] == pytest.approx(((5 + 2 * 2 / 7 + 5 * 5 / 7) / 12, 1))
    assert b_cubed(truth, one).precision == pytest.approx(0.76, abs=0.005)
    assert b_cubed(truth, other)[:2] == pytest.approx((7 / 12, 1))


@given(CLUSTERS)
def test_pairs_of_clusters_are_counted_as_by_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    truth, answer = zip(*pairs, strict=True)
    (_, wrong), (missed, right) = pair_confusion_matrix(truth, answer)
    assert pairs_of_clusters(truth, answer) == rate(right, right + wrong, right + missed)


# Rankings

SCORED = st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.25, 0.5, 0.5, 0.75, 1.0])), min_size=2)


@given(SCORED, st.integers(0, 5), st.integers(0, 50))
def test_rankings_are_measured_as_by_scikit_learn(
    cases: list[tuple[bool, float]], more: int, less: int
) -> None:
    labels, scores = map(list, zip(*cases, strict=True))
    every, all_scores = [*labels, *[True] * more, *[False] * less], [*scores, *[0.0] * (more + less)]
    under, precision = area(labels, scores, (more, less)), average_precision(labels, scores, (more, less))
    if len(set(every)) < 2:
        assert under is None
    else:
        assert under is not None
        assert under.area == pytest.approx(roc_auc_score(every, all_scores))
    if any(every):
        assert precision == pytest.approx(average_precision_score(every, all_scores))
    else:
        assert precision is None


def test_the_error_of_an_area_is_that_of_hanley_and_mcneils_example() -> None:
    # 58 normal and 51 abnormal images, in five ratings: the area is 0.893, its error 0.032 (their tables I and II).
    normal, abnormal = (33, 6, 6, 11, 2), (3, 2, 2, 11, 33)
    ratings = [np.repeat(range(5), counts) for counts in (normal, abnormal)]
    under = area([False] * 58 + [True] * 51, np.concatenate(ratings))
    assert under is not None
    assert under.area == pytest.approx(0.893, abs=0.0005)
    assert under.error == pytest.approx(0.032, abs=0.0006)
    assert area_error(1.0, 51, 58) == 0


@given(SCORED)
def test_a_sweep_says_what_is_reported_at_each_threshold(cases: list[tuple[bool, float]]) -> None:
    curve = sweep(*zip(*cases, strict=True))
    assert curve.thresholds.tolist() == sorted({score for _, score in cases}, reverse=True)
    for threshold, hits, reported in zip(*curve, strict=True):
        labels = [label for label, score in cases if score >= threshold]
        assert (hits, reported) == (sum(labels), len(labels))
    true = sum(label for label, _ in cases)
    told = [rate(int(hits), int(reported), true) for _, hits, reported in zip(*curve, strict=True)]
    assert np.column_stack(curve.rates(true)) == pytest.approx(np.array(told))


@given(SCORED.filter(lambda cases: any(label for label, _ in cases)))
def test_precision_and_recall_along_a_sweep_are_those_of_scikit_learn(
    cases: list[tuple[bool, float]],
) -> None:
    labels, scores = zip(*cases, strict=True)
    precision, recall, thresholds = precision_recall_curve(labels, scores)
    curve = sweep(labels, scores)
    assert curve.thresholds[::-1] == pytest.approx(thresholds)
    assert curve.rates(sum(labels))[0][::-1] == pytest.approx(precision[:-1])
    assert curve.rates(sum(labels))[1][::-1] == pytest.approx(recall[:-1])


@given(SCORED.filter(lambda cases: len({label for label, _ in cases}) == 2))
def test_a_roc_curve_runs_where_that_of_scikit_learn_does(cases: list[tuple[bool, float]]) -> None:
    labels, scores = zip(*cases, strict=True)
    false, true, _ = roc_curve(labels, scores, drop_intermediate=False)
    curve = sweep(labels, scores)
    assert curve.hits / sum(labels) == pytest.approx(true[1:])
    assert (curve.reported - curve.hits) / (len(labels) - sum(labels)) == pytest.approx(false[1:])


def test_nothing_has_no_sweep() -> None:
    assert [len(part) for part in sweep([], [])] == [0, 0, 0]
    assert area([], []) is None
    assert average_precision([], []) is None
    assert discordant([], []) == (0, 0)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12))
def test_discordant_pairs_are_counted(items: list[tuple[int, int]]) -> None:
    pairs = list(combinations(items, 2))
    swapped = sum((one[0] - other[0]) * (one[1] - other[1]) < 0 for one, other in pairs)
    level = sum(one[0] != other[0] and one[1] == other[1] for one, other in pairs)
    assert discordant([one for one, _ in items], [other for _, other in items]) == (swapped, level)


# How far a share may be off


def test_wilsons_interval_is_that_of_his_formula() -> None:
    # 81 of 263, a standard example (Newcombe 1998, table I).
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0, 0.1611), abs=5e-5)
    assert wilson(29, 29) == pytest.approx((0.8830, 1), abs=5e-5)
    assert wilson(0, 0) == (0, 1)


def share(counts: Any) -> Any:
    return counts[:, 0] / counts[:, 1]


def test_a_bootstrap_of_single_cases_is_about_wilsons_interval() -> None:
    counts = np.array([[1, 1]] * 81 + [[0, 1]] * 182)
    assert bootstrap(counts, share) == pytest.approx(wilson(81, 263), abs=0.01)


def test_families_make_an_interval_wider_than_as_many_single_cases() -> None:
    single = bootstrap(np.array([[1, 1]] * 50 + [[0, 1]] * 50), share)
    family = bootstrap(np.array([[10, 10]] * 5 + [[0, 10]] * 5), share)
    assert single is not None
    assert family is not None
    assert family.high - family.low > 2 * (single.high - single.low)


def test_one_family_has_no_interval() -> None:
    assert bootstrap(np.array([[3, 9]]), share) is None


# Passages


def test_plagdet_by_hand() -> None:
    true: dict[str, list[Span]] = {"p": [(0, 100, 0, 100)], "q": [(0, 50, 0, 50)], "r": []}
    # The first is found in two halves, the second not at all, and a passage is reported where there is none.
    found: dict[str, list[Span]] = {"p": [(0, 50, 0, 50), (50, 100, 50, 100)], "r": [(0, 9, 0, 9)]}
    rates = plagdet(true, {**found, "unknown": [(0, 9, 0, 9)]})
    assert rates.recall == pytest.approx(1 / 2)
    assert rates.precision == pytest.approx(2 / 3)
    assert rates.granularity == 2
    assert rates.plagdet == pytest.approx(2 * (1 / 3) / (7 / 6) / math.log2(3))
    assert plagdet({"p": []}, {}) == (1, 1, 1, 1)
    assert plagdet(true, {}).plagdet == 0


def test_plagdet_is_that_of_the_organisers_on_their_data() -> None:
    try:
        scoring = data_module("score_pairs")
        folder = unpack("pan13-train")
    except (MissingError, OSError) as missing:
        pytest.skip(str(missing))
    gold = read_jsonl(folder / "gold.jsonl")[::40]
    named = {row[side] for row in gold for side in ("query", "found")}
    texts = {row["id"]: row for row in read_jsonl(folder / "articles.jsonl") if row["id"] in named}
    compared = (
        wirecopy.compare(texts[row["query"]], texts[row["found"]], preset="any-reuse") for row in gold
    )
    found = [match.to_dict() for match in compared if match]
    expected = scoring.score_passages(gold, found)
    rates = plagdet(spans(gold), spans(found))
    assert expected["cases"] > 50
    assert rates._asdict() == pytest.approx({name: expected[name] for name in rates._fields})


def spans(rows: Sequence[dict[str, Any]]) -> dict[Any, list[Span]]:
    return {
        (row["query"], row["found"]): list({(*one["query"], *one["found"]) for one in row["passages"]})
        for row in rows
    }
