"""Whatever is done to an archive, wherever it is and whatever the time, it holds what a plain dictionary would: see tests/lives.py."""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test
from lives import TEXTS, Life

from quality.report import Data, Result, digest, say

SEQUENCES, STEPS, A_SEED = 2000, 25, 50
SETTINGS = settings(
    max_examples=A_SEED,
    stateful_step_count=STEPS,
    phases=[Phase.generate],
    deadline=None,
    derandomize=False,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def live(number: int) -> tuple[Counter[str], list[str]]:
    """Live the sequences of a seed, up to the first that diverges: how many windows of each kind were lived, and what went wrong."""
    lived: Counter[str] = Counter()

    class Counted(Life):
        def teardown(self) -> None:
            lived[str(getattr(self, "window", None) or "none")] += 1
            super().teardown()

    try:
        run_state_machine_as_test(seed(number)(Counted), settings=SETTINGS)
    except Exception as error:
        told = [
            f"    {line}"
            for note in (repr(error), *getattr(error, "__notes__", ()))
            for line in note.split("\n")
        ]
        return lived, ["\n".join([f"Seed {number}:", "", *told])]
    return lived, []


def measure() -> Iterator[Result]:
    lived: Counter[str] = Counter()
    wrong: list[str] = []
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        for number, (mine, failed) in enumerate(pool.map(live, range(SEQUENCES // A_SEED)), 1):
            lived += mine
            wrong += failed
            if not number % 10:
                say(f"  {lived.total():,} sequences")
    kinds = ", ".join(f"{window} {count:,}" for window, count in sorted(lived.items()))
    data = Data(
        "made-up articles for lives",
        f"two texts for each of {len(TEXTS)} ids, in sequences of up to {STEPS} steps",
        "a plain dictionary and a clock",
        digest([str(TEXTS)]),
    )
    measures = {"sequences": lived.total(), "diverged": len(wrong)}
    yield Result("lives", data, measures, [f"Sequences by window: {kinds}.", *wrong])
