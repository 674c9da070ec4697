"""What the fuzzers of the readers begin with, and what they found, in `fuzz/seeds`: as it is, cut and changed."""

import random
import re
from pathlib import Path

import pytest

from fuzz.readers import TARGETS

SEEDS = Path(__file__).parents[1] / "fuzz" / "seeds"
CHANGED = 8

pytestmark = pytest.mark.usefixtures("no_network")


@pytest.mark.parametrize("target", TARGETS)
def test_readers_hold_for_their_seeds(target: str) -> None:
    seeds = sorted((SEEDS / target).iterdir())
    assert seeds
    rng = random.Random(1)
    for path in seeds:
        seed = path.read_bytes()
        TARGETS[target](seed)
        for _ in range(CHANGED):
            TARGETS[target](change(seed, rng))


def change(data: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        data = rng.choice(
            (
                data[:at],
                data[:at] + rng.randbytes(1) + data[at:],
                data[:at] + rng.randbytes(1) + data[at + 1 :],
            )
        )
    return data


def test_every_folder_of_seeds_has_a_target() -> None:
    kernels = {path.stem for path in (SEEDS.parent / "targets").glob("*.rs")}
    assert {path.name for path in SEEDS.iterdir()} == kernels | set(TARGETS)


def test_no_seed_names_a_file_of_a_machine() -> None:
    """Whoever fuzzes goes where the seeds point."""
    folders = rb"(?i)(?<![\w.-])/(bin|dev|etc|home|opt|proc|root|run|srv|sys|tmp|users|usr|var)/"
    seeds = [path for path in SEEDS.rglob("*") if path.is_file()]
    assert not [path for path in seeds if re.search(folders, path.read_bytes())]
