"""The experiment of `benchmarks/pages.py`, small."""

from benchmarks.pages import TENTH, WITHIN
from wirecopy.evaluation.experiments import cedar as experiment
from wirecopy.evaluation.experiments.furniture import make_collection


def test_extraction_brings_pages_as_close_as_texts() -> None:
    collection = make_collection(120)
    ways = [way for way in experiment.WAYS if way.name in ("whole page", "crf (CE-BEST)", "labelled text")]
    whole, crf, labelled = (area for area, _ in experiment.measure(collection, ways).values())
    assert whole < 0.98
    assert labelled - crf <= WITHIN
    assert 1 - crf <= TENTH * (1 - whole)
