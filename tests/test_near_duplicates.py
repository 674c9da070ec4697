"""The experiment of `benchmarks/pages.py`, small."""

import numpy as np
import pytest

from benchmarks import pages as experiment


def test_extraction_brings_pages_as_close_as_texts() -> None:
    collection = experiment.make_collection(120)
    ways = [way for way in experiment.WAYS if way.name in ("whole page", "crf (CE-BEST)", "labelled text")]
    whole, crf, labelled = (area for area, _ in experiment.measure(collection, ways).values())
    assert whole < 0.98
    assert labelled - crf <= experiment.WITHIN
    assert 1 - crf <= experiment.TENTH * (1 - whole)


def test_the_area_under_the_curve_counts_ties_half() -> None:
    scores = np.array([0.9, 0.4, 0.4, 0.0, 0.0])
    positive = np.array([True, True, False, False, True])
    pairs = [(yes, no) for yes in scores[positive] for no in scores[~positive]]
    slow = sum((yes > no) + (yes == no) / 2 for yes, no in pairs) / len(pairs)
    assert experiment.area(scores, positive)[0] == pytest.approx(slow)
