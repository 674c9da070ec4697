"""`wirecopy.spark`: the answer of `find`, for any partitioning and order of the input. On a cluster: test_spark_cluster.py."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import program
import pytest
from test_work import made_up

import wirecopy
from wirecopy import methods
from wirecopy.demo import write_archive
from wirecopy.errors import NothingRead, UsageError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytest.importorskip("pyspark", reason="the extra spark is not installed: make develop")
pytestmark = [
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java 17 or newer"),
    pytest.mark.xdist_group("spark"),
]

Records = Sequence[dict[str, Any]]


@pytest.fixture(scope="module")
def session() -> Iterator[SparkSession]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def pile() -> Records:
    return made_up()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_archive(tmp_path_factory.mktemp("demo")) / "articles.jsonl"


def frame_of(session: SparkSession, records: Records, parts: int = 2, by: str = "id") -> DataFrame:
    """The records as a frame in so many partitions, in another order than they are given."""
    import pyarrow as pa

    frame = session.createDataFrame(pa.Table.from_pylist(list(records)))
    return frame.orderBy(by).repartition(parts)


def check_same(
    frame: DataFrame,
    records: Any,
    work: Path,
    parts: int,
    *,
    rule: Literal["anchored", "closure"] | None = None,
    **options: Any,
) -> wirecopy.Matches:
    """Check that Spark says of a frame what `find` says of the records; returns that."""
    from wirecopy import spark

    expected = wirecopy.find(records, **options)
    with spark.run(frame, work=str(work), parts=parts, **options) as job:
        assert job.matches.toArrow().to_pylist() == expected.to_arrow().to_pylist()
        assert job.counts == expected.counts
        assert job.formulas == expected.formulas
        assert job.warnings == expected.warnings
        assert len(job.skipped) == len(expected.skipped)
        if rule:
            with job.stories(rule) as told:
                there = list(told.json_lines())
            assert there == list(wirecopy.stories(expected, rule=rule).json_lines())
    return expected


def test_a_demo_in_lines_has_the_same_matches_boilerplate_counts_and_stories(
    session: SparkSession, demo: Path, tmp_path: Path
) -> None:
    from wirecopy import spark

    lines = spark.open_files(session, [str(demo)], is_lines=True)
    expected = check_same(lines, demo, tmp_path, 7, rule="anchored")
    assert len(expected) > 400
    assert len(expected.formulas) > 3


def test_all_pairs_of_one_partition(session: SparkSession, pile: Records, tmp_path: Path) -> None:
    expected = check_same(
        frame_of(session, pile, 1), pile, tmp_path, 1, rule="closure", pairs="all", preset="any-reuse"
    )
    assert len(expected) > 20


def test_many_partitions_in_random_order(session: SparkSession, pile: Records, tmp_path: Path) -> None:
    check_same(frame_of(session, pile, 64, "text"), pile, tmp_path, 16, preset="strict", relations=["form"])


def test_keys_that_very_many_articles_hold_are_cut_without_any_change(
    session: SparkSession, pile: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wirecopy.spark import engine

    monkeypatch.setattr(engine, "SAMPLED_ARTICLES", 40)
    monkeypatch.setattr(engine, "LEAST_SAMPLED", 2)
    monkeypatch.setattr(engine, "HOT_SHARE", 100)
    method = ["winnowing", "minhash"]
    assert check_same(frame_of(session, pile), pile, tmp_path, 5, method=method, preset="any-reuse").formulas
    assert list((tmp_path / "hot-links").rglob("*.parquet"))


WEIGHING = [name for name in methods.names() if methods.get(name).weighs_words]


def test_a_method_that_weighs_words(session: SparkSession, pile: Records, tmp_path: Path) -> None:
    assert "codet" in WEIGHING
    assert check_same(frame_of(session, pile), pile, tmp_path, 2, method="codet")


def test_a_method_that_reads_titles(session: SparkSession, pile: Records, tmp_path: Path) -> None:
    assert methods.get("sentence_fingerprints").view.title
    assert check_same(frame_of(session, pile), pile, tmp_path, 3, method="sentence_fingerprints")


def test_records_that_cannot_be_used_are_skipped_with_their_reason(
    session: SparkSession, pile: Records, tmp_path: Path
) -> None:
    from wirecopy import spark

    odd = [{"id": None, "text": "without an id", "published": "soon"}, {"id": "no text", "text": None}]
    known = [{name: one.get(name) for name in ("id", "text", "published")} for one in (*pile, *odd)]
    frame = frame_of(session, known, 3)
    with spark.run(frame, work=str(tmp_path), parts=2) as job:
        reasons = sorted(one.reason for one in job.skipped)
        assert reasons == ["no id; where articles have no order, each needs its own", "the text is null"]
        assert job.counts["articles"] == len(pile)
    with pytest.raises(NothingRead, match="no id"):
        spark.find(frame.where("id is null"), work=str(tmp_path))


def test_of_records_with_one_id_the_first_counts_if_there_is_an_order(
    session: SparkSession, pile: Records, tmp_path: Path
) -> None:
    from wirecopy import spark

    again = [*pile, {**pile[3], "text": "another text under the id of the fourth"}, pile[5]]
    numbered = [{**one, "line": number} for number, one in enumerate(again)]
    frame = frame_of(session, numbered, 3)
    with pytest.raises(UsageError, match=r"order_by=\[column"):
        spark.find(frame, work=str(tmp_path))
    expected = wirecopy.find(again)
    with spark.run(frame, work=str(tmp_path), order_by=["line"], parts=2) as job:
        assert job.matches.toArrow().to_pylist() == expected.to_arrow().to_pylist()
        assert sorted(one.reason for one in job.skipped) == sorted(one.reason for one in expected.skipped)
    same = frame_of(session, [*pile, pile[5]], 3)
    with spark.run(same, work=str(tmp_path), parts=2) as job:
        assert job.counts == wirecopy.find(pile).counts
        assert len(job.skipped) == 1


def test_nothing_and_next_to_nothing(session: SparkSession, pile: Records, tmp_path: Path) -> None:
    for number in (0, 1):
        frame = session.createDataFrame(
            [(one["id"], one["text"]) for one in pile[:number]], "id string, text string"
        )
        check_same(frame, [{"id": one["id"], "text": one["text"]} for one in pile[:number]], tmp_path, 2)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"method": "sentence_lengths"}, "Spark: not with sentence_lengths"),
        ({"parts": 0}, "parts: expected 1 to 4095, got 0"),
        ({"preset": "lax"}, "no preset named 'lax'"),
        ({"pairs": "some"}, "pairs: expected 'linked' or 'all'"),
        ({"statistics": wirecopy.Statistics.count([])}, "weighs no words"),
        ({"fields": wirecopy.Fields(text="body")}, "no column 'body' for the text"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    session: SparkSession, pile: Records, options: dict[str, Any], reason: str
) -> None:
    from wirecopy import spark

    with pytest.raises(UsageError, match=reason):
        spark.find(frame_of(session, pile), **options)


def test_a_method_that_nominates_too_much_is_refused_with_the_number(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pile: Records
) -> None:
    from wirecopy import spark
    from wirecopy.spark import engine

    monkeypatch.setattr(engine, "MOST_CANDIDATES", 1)
    with pytest.raises(
        UsageError, match=r"winnowing: nominated \d+ candidates an article; more than 1 are not"
    ):
        spark.find(frame_of(session, pile), work=str(tmp_path), parts=1, pairs="all", preset="any-reuse")


def test_the_command_writes_what_find_writes(demo: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    out = tmp_path / "out"
    ran = program.wirecopy("spark", demo, out, "--stories", "--parts", "2", timeout=600)
    assert ran.returncode == 0, ran.stderr
    assert b"304 articles, 685 candidates, 515 matches, 19 formulas left out as boilerplate" in ran.stderr
    expected = wirecopy.find(demo)
    told = "".join(path.read_text() for path in sorted((out / "stories").glob("part-*")))
    assert told == "".join(wirecopy.stories(expected).json_lines())
    assert pq.read_table(out / "formulas").to_pylist() == [one.to_dict() for one in expected.formulas]
    assert pq.read_table(out / "counts").to_pylist() == [expected.counts]


def test_the_command_names_a_file_that_is_not_there(tmp_path: Path) -> None:
    ran = program.wirecopy("spark", tmp_path / "none.jsonl", tmp_path / "out")
    assert ran.returncode == 2
    assert b"none.jsonl: no such file or folder" in ran.stderr
