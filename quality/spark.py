"""The job on Spark gives what `find` gives: matches, boilerplate, counts and stories, for any number of partitions and parts, in random order."""

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import wirecopy
from quality import work
from quality.corpora import scratch
from quality.report import Data, MissingError, Result, digest, say
from wirecopy import Matches

PARTITIONS = (1, 2, 7, 64)
FEW = (7,)
LEFT_OUT = ("news182k",)
"""What `benchmarks/spark.py` compares, once."""


def measure() -> Iterator[Result]:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingError("the extra spark is not installed: make develop") from None
    if shutil.which("java") is None:
        raise MissingError("Spark needs Java 17 or newer")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "3g",
    }
    settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        for name, pile, ways in work.cases():
            if name in LEFT_OUT:
                continue
            say(f"  {name}")
            with scratch() as folder:
                try:
                    path = pile(folder)
                except MissingError as missing:
                    say(f"    {missing}")
                    continue
                asked = [dict(one) for one in {json.dumps(way): way for *_, way in ways}.values()]
                yield compare(name, path, asked, session, folder)
    finally:
        session.stop()


def compare(name: str, pile: Path, asked: Sequence[dict[str, Any]], session: Any, folder: Path) -> Result:
    """How many ways to ask Spark give something else than `find`."""
    from pyspark.sql import functions

    from wirecopy import spark

    lines = spark.open_files(session, [str(pile)], is_lines=True)
    tried, articles, notes = 0, 0, []
    for number, options in enumerate(asked):
        found = wirecopy.find(pile, **options)
        expected, articles = tell(found), found.counts["articles"]
        for partitions in PARTITIONS if not number else FEW:
            shuffled = lines.orderBy(functions.rand(number)).repartition(partitions)
            place = folder / "spark"
            with spark.run(shuffled, work=str(place), parts=partitions, **options) as job:
                rows = job.matches.toArrow().to_pylist()
                with job.stories("anchored") as told:
                    there = tell_rows(rows, job.formulas, job.counts, told.json_lines())
            shutil.rmtree(place)
            tried += 1
            if there != expected:
                notes.append(
                    f"{name}, {options}, {partitions} partitions: sha256 {there}, of find {expected}."
                )
        say(f"    {options or 'as it is'}: {len(notes)} of {tried} other answers")
    data = Data(f"{name}, on Spark", f"{articles:,} articles", "find", digest([pile]))
    return Result(name, data, {"tried": tried, "other answers": len(notes)}, notes)


def tell(found: Matches) -> str:
    """The digest of all that `find` says."""
    rows = found.to_arrow().to_pylist()
    return tell_rows(rows, found.formulas, found.counts, wirecopy.stories(found).json_lines())


def tell_rows(rows: Any, formulas: Any, counts: Any, stories: Iterator[str]) -> str:
    whole = hashlib.sha256()
    whole.update(json.dumps([rows, [one.to_dict() for one in formulas], sorted(counts.items())]).encode())
    for lines in stories:
        whole.update(lines.encode())
    return whole.hexdigest()
