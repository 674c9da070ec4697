"""The job on a real cluster of Spark, whose workers do not have this package, and that is not left in peace."""

from __future__ import annotations

import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="the extra spark is not installed")

from clusters import (
    KINDS,
    SETTINGS,
    STAGES,
    Chaos,
    Slow,
    answer_here,
    make_articles,
    make_bare_python,
    processes_below,
    read_events,
    run_job,
    write_parquet,
)
from program import hear_interrupts
from pyspark.cloudpickle import dumps

from wirecopy import __version__, _core
from wirecopy.errors import UsageError, WirecopyError
from wirecopy.spark.cluster import Cluster, require_java, running
from wirecopy.spark.shipping import archive_package, entering

try:
    require_java()
    without_java = ""
except WirecopyError as error:
    without_java = str(error)
pytestmark = pytest.mark.xdist_group("spark")  # they share a cluster
needs_java = pytest.mark.skipif(bool(without_java), reason=without_java or "there is Java")
SLOW_HOST = "127.0.0.2"


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has all that this one has, but for wirecopy."""
    return make_bare_python(tmp_path_factory.mktemp("bare") / "python")


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return archive_package(tmp_path_factory.mktemp("archive"))


# The package


def test_an_archive_of_the_package_has_its_core_and_no_caches_and_is_the_same_each_time(
    archive: Path, tmp_path: Path
) -> None:
    again = archive_package(tmp_path)
    names = zipfile.ZipFile(archive).namelist()
    assert (again.name, again.read_bytes()) == (archive.name, archive.read_bytes())
    assert re.fullmatch(rf"wirecopy-{re.escape(__version__)}-[0-9a-f]{{12}}\.zip", archive.name)
    assert {"wirecopy/__init__.py", "wirecopy/spark/stages.py"} <= {*names}
    assert any(name.startswith("wirecopy/_core.") and name.endswith(".so") for name in names)
    assert not [name for name in names if "__pycache__" in name or not name.startswith("wirecopy/")]


def test_the_archive_of_a_wheel_is_that_of_what_is_in_it(archive: Path, tmp_path: Path) -> None:
    wheel = tmp_path / f"wirecopy-{__version__}-cp311-abi3-manylinux_2_28_x86_64.whl"
    wheel.write_bytes(archive.read_bytes())
    with zipfile.ZipFile(wheel, "a") as content:
        content.writestr(f"wirecopy-{__version__}.dist-info/METADATA", "Name: wirecopy\n")
    assert archive_package(tmp_path, wheel).name == archive.name


def test_a_wheel_of_another_version_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "wirecopy-0.0.9-cp311-abi3-manylinux_2_28_x86_64.whl"
    zipfile.ZipFile(wheel, "w").close()
    with pytest.raises(UsageError, match=f"expected a wheel of wirecopy {re.escape(__version__)}"):
        archive_package(tmp_path, wheel)


def enter_there(python: Path, folder: Path, package: str | None, before: str = "") -> str:
    """What a worker that starts in a folder says of the package that it finds."""
    sent = pickle.dumps(dumps(entering(package)))  # type: ignore[no-untyped-call]
    program = f"import pickle\n{before}\nprint(pickle.loads(pickle.loads({sent!r}))())"
    done = subprocess.run(
        [python, "-c", program], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert not done.returncode, done.stderr
    return done.stdout.strip()


def unpack(archive: Path, folder: Path, version: str = __version__) -> Path:
    with zipfile.ZipFile(archive) as content:
        content.extractall(folder)
    init = folder / "wirecopy" / "__init__.py"
    init.write_text(init.read_text("utf-8").replace(f'"{__version__}"', f'"{version}"'), "utf-8")
    return folder


def test_a_worker_finds_the_package_in_an_archive_only(
    bare_python: Path, archive: Path, tmp_path: Path
) -> None:
    unpack(archive, tmp_path / "sent")
    assert enter_there(bare_python, tmp_path, "sent") == ""
    assert "No module named 'wirecopy'" in enter_there(bare_python, tmp_path, None)
    assert enter_there(bare_python, tmp_path, "lost") == "no archive named 'lost'"


def test_another_version_on_a_worker_is_named(bare_python: Path, archive: Path, tmp_path: Path) -> None:
    unpack(archive, tmp_path / "sent", "0.0.9")
    assert enter_there(bare_python, tmp_path, "sent") == f"0.0.9 with text version {_core.TEXT_VERSION}"


def test_what_was_sent_goes_before_another_version_that_is_loaded(
    bare_python: Path, archive: Path, tmp_path: Path
) -> None:
    unpack(archive, tmp_path / "installed", "0.0.9")
    unpack(archive, tmp_path / "sent")
    loads = "import sys; sys.path.insert(0, 'installed'); import wirecopy.text; assert wirecopy.__version__ == '0.0.9'"
    assert enter_there(bare_python, tmp_path, "sent", loads) == ""


# The cluster


def start_cluster(tmp_path: Path, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "wirecopy.spark.cluster", "--workers", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, **environment},
        preexec_fn=hear_interrupts,
    )


def listening(processes: set[int]) -> set[str]:
    """The addresses at which some processes listen, as Linux writes them."""
    sockets = set()
    for process in processes:
        for path in Path(f"/proc/{process}/fd").iterdir():
            try:
                sockets.add(str(path.readlink()))
            except OSError:
                continue
    found = set()
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                found.add(fields[1].rpartition(":")[0])
    return found


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGKILL])
def test_a_cluster_listens_on_loopback_only_and_ends_with_what_started_it(
    way: signal.Signals, tmp_path: Path
) -> None:
    with start_cluster(tmp_path) as process:
        assert process.stdout
        said = ""
        while "Ctrl-C ends it" not in said:
            line = process.stdout.readline()
            assert line, process.stderr.read() if process.stderr else ""
            said += line
        mine = set(processes_below([process.pid]))
        addresses = listening(mine)
        process.send_signal(way)
    assert len(mine) >= 4  # two programs, each behind a shell
    assert addresses
    assert all(re.fullmatch("[0-9A-F]{6}7F|0{16}F{4}0{4}[0-9A-F]{6}7F", one) for one in addresses), addresses
    assert "spark://127.0.0.1:" in said
    pause = threading.Event()
    for _ in range(1200):
        left = [one for one in mine if _is_alive(one)]
        if not left:
            break
        pause.wait(0.05)
    assert not left


def _is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_without_java_it_is_said_what_is_missing(tmp_path: Path) -> None:
    with start_cluster(tmp_path, JAVA_HOME=str(tmp_path)) as process:
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 1
    assert f"no java in JAVA_HOME={tmp_path}: Spark needs Java 17 or newer" in said


def test_an_old_java_is_named(tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    java.chmod(0o755)
    with start_cluster(tmp_path, JAVA_HOME=str(tmp_path)) as process:
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 1
    assert f"{java} is Java 11: Spark needs Java 17 or newer" in said


# The job


@dataclass(frozen=True)
class Bench:
    """A cluster whose workers do not have this package, articles, and what `find` says of them."""

    cluster: Cluster
    articles: Path
    expected: dict[str, Any]
    events: Path
    python: Path

    def run(self, work: Path, **options: Any) -> dict[str, Any]:
        environment = {**self.cluster.environment, "PYSPARK_PYTHON": str(self.python)}
        return run_job(self.articles, work / "work", environment, parts=3, **options)


@pytest.fixture(scope="session")
def bench(bare_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("spark")
    articles = make_articles(folder / "demo", 500)
    expected = answer_here(articles)
    assert expected["formulas"]
    assert expected["stories"]
    (folder / "events").mkdir()
    settings = {**SETTINGS, "spark.eventLog.dir": f"file:{folder / 'events'}"}
    with running(connect=True, python=str(bare_python), settings=settings) as cluster:
        path = write_parquet(articles, folder / "articles.parquet")
        yield Bench(cluster, path, expected, folder / "events", bare_python)


@needs_java
@pytest.mark.slow
def test_on_a_cluster_that_does_not_have_the_package_the_answer_is_that_of_find_though_a_host_is_slow(
    bench: Bench, tmp_path: Path
) -> None:
    cannot = subprocess.run([bench.python, "-c", "import wirecopy"], capture_output=True, check=False)
    assert b"No module named 'wirecopy'" in cannot.stderr
    before = {*bench.events.iterdir()}
    slow = Slow(bench.cluster.processes, SLOW_HOST, "linked-collided")
    try:
        assert bench.run(tmp_path, meanwhile=slow) == bench.expected
    finally:
        slow.release()
    assert slow.stopped
    [log] = {*bench.events.iterdir()} - before
    ended = [one for one in read_events([log]) if one["Event"] == "SparkListenerTaskEnd"]
    given_up = {
        task_of(one)
        for one in ended
        if one["Task Info"]["Host"] == SLOW_HOST and one["Task End Reason"]["Reason"] == "TaskKilled"
    }
    done_again = {
        task_of(one)
        for one in ended
        if one["Task Info"]["Speculative"] and one["Task End Reason"]["Reason"] == "Success"
        if one["Task Info"]["Host"] != SLOW_HOST
    }
    assert given_up & done_again


def task_of(event: dict[str, Any]) -> tuple[int, int]:
    """What all attempts of a task have in common."""
    return event["Stage ID"], event["Task Info"]["Index"]


@needs_java
@pytest.mark.slow
def test_processes_that_are_killed_in_every_stage_change_nothing(bench: Bench, tmp_path: Path) -> None:
    kinds = {stage: KINDS[place % len(KINDS)] for place, stage in enumerate(STAGES)}
    chaos = Chaos(bench.cluster.processes, kinds, seed=1)
    assert bench.run(tmp_path, meanwhile=chaos) == bench.expected
    assert dict(chaos.killed) == kinds


@needs_java
@pytest.mark.slow
def test_over_spark_connect_the_answer_is_the_same(bench: Bench, tmp_path: Path) -> None:
    assert bench.cluster.remote
    got = run_job(bench.articles, tmp_path / "work", {"REMOTE": bench.cluster.remote}, parts=2, partitions=5)
    assert got == bench.expected


@needs_java
@pytest.mark.slow
def test_a_worker_without_the_package_is_named_with_the_way_out(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"MismatchError: wirecopy on the worker .*PYSPARK_PYTHON"):
        run_job(
            bench.articles, tmp_path / "work", {"MASTER": "local[1]", "PYSPARK_PYTHON": str(bench.python)}
        )
