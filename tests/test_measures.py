"""Measures of clusterings, by hand and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from wirecopy.measures import adjusted_rand, b_cubed

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
