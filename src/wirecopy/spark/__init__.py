"""The same job on Spark, with the same answer: `wirecopy.spark.find` over a DataFrame of articles.

Needs the extra `spark`. What is done is told in docs/spark.md; the stages are those of `matching`, by the same kernels.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from ..comparison import DEFAULT_PRESET, PRESETS, get_relations
from ..errors import MissingExtra, UsageError, WorkError, refuse
from ..matching import Named, Plan, check_statistics, choose_methods
from ..model import KEPT
from ..sources import Fields
from ..statistics import Statistics

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ..grouping.stories import Stories
    from .engine import Job

__all__ = ["find", "open_files", "open_session", "run", "ship", "stories"]

SETTINGS = {"spark.sql.execution.arrow.maxRecordsPerBatch": "1000"}
"""What is set of a session while its frames are worked on: a row may be a chunk of many kilobytes."""


def find(articles: DataFrame, **options: Any) -> DataFrame:
    """All copies among the articles of a frame: a frame with the columns of `Matches.to_arrow`, in the same order.

    The options are those of `run`.
    """
    with run(articles, **options) as job:
        return job.matches


def open_session(master: str | None = None, remote: str | None = None) -> SparkSession:
    """A session where Spark runs, by default on this machine alone, or, with `remote`, of a Spark Connect server."""
    _require_spark()
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")  # of pandas' versions
    if remote:
        return SparkSession.builder.remote(remote).getOrCreate()
    builder = SparkSession.builder.appName("wirecopy").config("spark.ui.showConsoleProgress", "false")
    where = master or os.environ.get("MASTER") or "local[*]"
    if where.startswith("local"):
        builder = builder.config("spark.driver.host", "127.0.0.1").config(
            "spark.driver.bindAddress", "127.0.0.1"
        )
        builder = builder.config("spark.ui.enabled", "false")
    session = builder.master(where).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def open_files(session: SparkSession, paths: Sequence[str], is_lines: bool = False) -> DataFrame:
    """The records of Parquet files, or of files of JSON lines, as a frame: of records with one id, the first in the files counts."""
    _require_spark()
    from .reading import open_files

    return open_files(session, paths, is_lines)


def ship(session: SparkSession, wheel: str | None = None) -> str:
    """The name by which workers of a session find this package from now on, for the `package` of `run`; it is sent to them.

    `run` does that by itself; a `wheel` of the same version is sent where workers are of another platform.
    """
    _require_spark()
    from .shipping import ship

    return ship(session, wheel)


@contextmanager
def stories(
    articles: DataFrame, *, rule: Literal["anchored", "closure"] = "anchored", **options: Any
) -> Iterator[Stories]:
    """The stories of the articles of a frame, as long as the context lasts: they are told on the driver, which reads the articles that match.

    The other options are those of `run`.
    """
    with run(articles, **options) as job, job.stories(rule) as told:
        yield told


@contextmanager
def run(
    articles: DataFrame,
    *,
    work: str | None = None,
    preset: str = DEFAULT_PRESET,
    method: Named | Sequence[Named] | None = None,
    pairs: Literal["linked", "all"] = "linked",
    relations: Iterable[str] | None = None,
    statistics: Statistics | None = None,
    fields: Fields | None = None,
    order_by: Sequence[str] = (),
    parts: int | None = None,
    package: str | None = None,
    say: Callable[[str], object] = lambda line: None,
) -> Iterator[Job]:
    """The job of finding all copies among the articles of a frame, done: its `matches`, `formulas`, `skipped`, `counts`, `loads`.

    The frame has columns for id and text, and may have others that `wirecopy.find` knows. `work` is a folder that all workers reach: what stages
    leave stays there, `matches`, `formulas`, `skipped`, `counts` and `stages` among it; it may be left out where Spark runs on this machine
    alone. Of records with one id that differ, the first counts by the columns of `order_by`; without these they are refused. `preset`, `method`,
    `pairs`, `relations`, `statistics` and `fields` are those of `wirecopy.find`. `parts` is into how many parts keys are cut, and articles if that is
    less than their number asks for; `package` is the archive that workers have this package in, where it is sent to them by other means than
    `ship`: by default they are sent it, unless they are this machine's; `say` is told of each stage.
    """
    _require_spark()
    from .engine import Job
    from .reading import MOST_RANGES, ORDER
    from .shipping import provide

    refuse(
        (preset not in PRESETS, f"no preset named {preset!r}; there are: {', '.join(PRESETS)}"),
        (pairs not in ("linked", "all"), f"pairs: expected 'linked' or 'all', got {pairs!r}"),
        (
            parts is not None and not 1 <= parts <= MOST_RANGES,
            f"parts: expected 1 to {MOST_RANGES}, got {parts}",
        ),
    )
    missing = [one for one in order_by if one.partition(".")[0] not in articles.columns]
    refuse(
        (
            missing,
            f"order_by: no column {', '.join(map(repr, missing))}; there are: {', '.join(articles.columns)}",
        )
    )
    plan = Plan(preset, choose_methods(method, preset), pairs == "linked", statistics)
    check_statistics(plan.methods, statistics)
    directed = [one.name for one in plan.nominating if one.is_directed]
    refuse((directed, f"Spark: not with {', '.join(directed)}, which looks up what it does not file"))
    wanted = [str(one) for one in get_relations(relations)]
    known = fields or Fields()
    reading = replace(known, about=tuple(dict.fromkeys([*known.about, *KEPT])))
    session = articles.sparkSession
    order = [ORDER] if ORDER in articles.columns else list(order_by)
    with _settings(session):
        folder = work or _local_folder(session)
        _require_writable(session, folder)
        job = Job(session, plan, reading, folder, parts, provide(session, package), say)
        job.read(articles, order)
        job.find(wanted)
        yield job


def _require_spark() -> None:
    try:
        import pyarrow  # noqa: F401
        import pyspark.sql  # noqa: F401
    except ImportError:
        raise MissingExtra("Spark", "spark") from None


def _local_folder(session: SparkSession) -> str:
    """A folder for work where Spark runs on this machine alone; raises UsageError where it does not."""
    master = session.conf.get("spark.master", "") or ""
    if not master.startswith("local") or master.startswith("local-cluster"):
        raise UsageError("work: name a folder that all workers can reach, for what the stages leave")
    return tempfile.mkdtemp(prefix="wirecopy-spark-")


def _require_writable(session: SparkSession, folder: str) -> None:
    """Raise WorkError for a folder that workers cannot write into: better now than when all is read."""
    try:
        session.range(1).write.mode("overwrite").parquet(f"{folder}/tried")
    except Exception as error:  # of Py4J, gRPC or Spark, by how the session reaches its cluster
        said = [line.removeprefix(": ") for line in str(error).splitlines() if line.strip()]
        causes = [line.removeprefix("Caused by: ") for line in said if line.startswith("Caused by: ")]
        reason = (causes or said[1:] or said or [type(error).__name__])[-1 if causes else 0]
        raise WorkError(f"{folder}: the workers cannot write there: {reason}") from error


@contextmanager
def _settings(session: SparkSession) -> Iterator[None]:
    before = {name: session.conf.get(name, None) for name in SETTINGS}
    for name, value in SETTINGS.items():
        session.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                session.conf.unset(name)
            else:
                session.conf.set(name, old)
