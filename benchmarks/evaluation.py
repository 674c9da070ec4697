"""Ten million pairs of gold against ten million of a result: `python -m benchmarks.evaluation`.

Promised: at most 60 s and 2 GB. Pairs are of two million made-up articles in families of ten; one in ten of the result is none.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.run import check

SECONDS, MEGABYTES = 60, 2000
BLOCK = 1 << 18


def write(folder: Path, pairs: int, seed: int = 1) -> tuple[Path, Path]:
    """Gold, of which few pairs are there twice, and a result, as files of JSON lines."""
    rng, articles = np.random.default_rng(seed), pairs // 5
    first = rng.integers(0, articles // 10, pairs) * 10
    query, found = first + rng.integers(0, 5, pairs), first + 5 + rng.integers(0, 5, pairs)
    _, distinct = np.unique(query * articles + found, return_index=True)
    query, found = query[distinct], found[distinct]
    wrong = np.where(rng.random(len(query)) < 0.9, found, rng.integers(0, articles, len(query)))
    scores = rng.random(len(query)).round(4)
    paths = folder / "gold.jsonl", folder / "result.jsonl"
    for path, other, with_score in zip(paths, (found, wrong), (False, True), strict=True):
        with path.open("w") as out:
            for start in range(0, len(query), BLOCK):
                columns = (column[start : start + BLOCK].tolist() for column in (query, other, scores))
                for one, two, score in zip(*columns, strict=True):
                    more = f', "score": {score}' if with_score else ""
                    out.write(f'{{"query": "article-{one}", "found": "article-{two}"{more}}}\n')
    return paths


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--pairs", type=int, default=25_000_000, help="drawn; about 0.4 of them are different"
    )
    options = parser.parse_args()
    with TemporaryDirectory(prefix="wirecopy-") as folder:
        gold, result = write(Path(folder), options.pairs)
        program = Path(sys.executable).with_name("wirecopy")
        start = time.perf_counter()
        child = subprocess.Popen([program, "evaluate", gold, result, "-q", "-o", Path(folder, "scores.json")])
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
    memory = used.ru_maxrss / 1000
    lines = [
        ("seconds", wall, f"≤ {SECONDS}", wall <= SECONDS),
        ("MB", memory, f"≤ {MEGABYTES}", memory <= MEGABYTES),
    ]
    return 0 if check(lines) and child.returncode in (0, 3) else 1


if __name__ == "__main__":
    sys.exit(main())
