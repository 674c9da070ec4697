"""A job on a cluster of Spark gives the answer of find, whatever is killed in whichever stage: see tests/clusters.py."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from clusters import (
    KINDS,
    SETTINGS,
    STAGES,
    Chaos,
    answer_here,
    make_articles,
    make_bare_python,
    run_job,
    write_parquet,
)

from quality.report import Data, MissingError, Result, digest, say
from wirecopy.errors import WirecopyError
from wirecopy.spark.cluster import require_java, running

ARTICLES = 3000
ROUNDS = 2
"""Jobs for each kind of process: in each one is killed in every stage."""


def measure() -> Iterator[Result]:
    try:
        import pyspark  # noqa: F401

        require_java()
    except (ImportError, WirecopyError) as error:
        raise MissingError(f"Spark cannot run here: {error}") from None
    killed = differ = 0
    notes = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        articles = make_articles(folder / "demo", ARTICLES)
        expected = answer_here(articles)
        path = write_parquet(articles, folder / "articles.parquet")
        python = make_bare_python(folder / "python")
        (folder / "events").mkdir()
        settings = {**SETTINGS, "spark.eventLog.enabled": "false"}
        with running(python=str(python), settings=settings) as cluster:
            environment = {**cluster.environment, "PYSPARK_PYTHON": str(python)}
            for seed in range(ROUNDS):
                for kind in KINDS:
                    chaos = Chaos(cluster.processes, dict.fromkeys(STAGES, kind), seed)
                    got = run_job(
                        path, folder / f"{kind}-{seed}", environment, meanwhile=chaos, parts=2 + 5 * seed
                    )
                    killed += len(chaos.killed)
                    wrong = [part for part in expected if got[part] != expected[part]]
                    differ += bool(wrong)
                    notes += [f"    {kind}, seed {seed}: {part} differ" for part in wrong]
                    say(f"  {kind}: {len(chaos.killed)} killed, {'the same' if not wrong else 'DIFFERENT'}")
    size = f"{len(articles):,} articles, {ROUNDS * len(KINDS)} jobs"
    data = Data(
        "made-up articles for Spark", size, "find", digest([str(one["text"]) for one in articles[:100]])
    )
    yield Result(
        "kill -9 in every stage", data, {"processes killed": killed, "jobs that differ": differ}, notes
    )
