"""What the job costs on Spark: `python -m benchmarks.spark [--size 20k|182k] [--parts N] [--formula]`.

One run of `wirecopy spark` on this machine, beside `find` on the same articles, whose matches must be the same. Of Spark's own event log: CPU and what was
shuffled, by stage. Of our own table: what the parts of each stage were given, and how uneven that is. With `--formula`, 100,000 of the articles end with
one sentence, in 2,000 parts unless said otherwise. It needs the benchmark kit's corpora, as `benchmarks/run.py` does, and Java.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq

from benchmarks.run import ARTICLES, SCRATCH, check, set_up, table

PROGRAM = str(Path(sys.executable).with_name("wirecopy"))
TICK = os.sysconf("SC_CLK_TCK")
FORMULA_ARTICLES, FORMULA_PARTS = 100_000, 2000
FORMULA = (
    "This report was written by the staff of the evening desk and may be used by all members of the cooperative, "
    "who are asked to name it as their source wherever it is printed, read out or shown, and to keep it as it is."
)
SETTINGS = {
    "spark.eventLog.enabled": "true",
    "spark.driver.memory": "4g",
    "spark.sql.shuffle.partitions": "16",
    "spark.local.dir": "{folder}/local",
    "spark.eventLog.dir": "{folder}/log",
    "spark.eventLog.rolling.enabled": "false",
    "spark.eventLog.compress": "false",
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", choices=list(ARTICLES), default="182k")
    parser.add_argument("--parts", type=int)
    parser.add_argument("--formula", action="store_true")
    options = parser.parse_args()
    set_up([options.size])
    articles = ARTICLES[options.size]
    with TemporaryDirectory(prefix="wirecopy-", dir=SCRATCH) as name:
        folder = Path(name)
        source = SCRATCH / "data" / f"news{options.size}.jsonl"
        if options.formula:
            source = add_formula(source, folder / "formula.jsonl")
            options.parts = options.parts or FORMULA_PARTS
        began = time.process_time(), os.times()
        subprocess.run(
            [PROGRAM, "find", source, "--quiet", "--parquet", "-o", folder / "find.parquet"], check=True
        )
        plain = (
            os.times().children_user
            + os.times().children_system
            - began[1].children_user
            - began[1].children_system
        )
        wall, spent, peaks = run_spark(source, folder, options.parts)
        left = sum(path.stat().st_size for path in (folder / "out").rglob("*") if path.is_file())
        same = read_rows(folder / "find.parquet") == read_rows(folder / "out" / "matches")
        stages = pq.read_table(folder / "out" / "stages").to_pylist()
        shuffled, executor_cpu, failed = read_log(folder / "log")
    each = ", ".join(f"{what} {seconds:.1f} s" for what, seconds in spent.items())
    most = ", ".join(f"{what} {size:,.0f} MB" for what, size in peaks.items())
    print(
        f"\n{articles:,} articles: find {plain:.1f} s of CPU; Spark {sum(spent.values()):.1f} s in {wall:.0f} s: {each}"
    )
    print(
        f"tasks in the JVM {executor_cpu:.1f} s, {failed} of them failed; the most memory of one: {most}; "
        f"an article: shuffled {shuffled / articles:,.0f} bytes, left in OUT {left / articles:,.0f}"
    )
    heads = ("given to", "parts", "bytes an article", "largest / median", "seconds")
    rows = [
        (
            one["stage"],
            f"{one['parts']:,}",
            f"{one['bytes'] / articles:,.0f}",
            f"{one['largest'] / max(1, one['median']):.2f}",
            f"{one['seconds']:.1f}",
        )
        for one in stages
    ]
    print(
        f"\n{table(heads, rows)}\n\nBelow, a median is at least that of the parts of ordinary keys: where all parts are smaller, none holds others up."
    )
    ordinary = next(one["median"] for one in stages if one["stage"] == "linked: collide")
    uneven = [
        (f"{one['stage']}: largest / median", one["largest"] / max(one["median"], ordinary), "≤ 1.5")
        for one in stages
    ]
    return int(
        not check(
            [
                ("the matches of find", float(same), "1", same),
                *((name, value, limit, value <= 1.5) for name, value, limit in uneven),
            ]
        )
    )


def add_formula(source: Path, target: Path) -> Path:
    """The articles, the first of which end with one sentence."""
    with source.open(encoding="utf-8") as lines, target.open("w", encoding="utf-8") as out:
        for number, line in enumerate(lines):
            if number < FORMULA_ARTICLES:
                record = json.loads(line)
                line = (
                    json.dumps({**record, "text": f"{record['text']}\n\n{FORMULA}"}, ensure_ascii=False)
                    + "\n"
                )
            out.write(line)
    return target


def run_spark(source: Path, folder: Path, parts: int | None) -> tuple[float, Counter[str], dict[str, float]]:
    """Seconds of a run by the clock; of CPU, and the most MB of one process: of the JVM, of Python's workers, of the driver."""
    for name in ("log", "local", "conf"):
        (folder / name).mkdir()
    lines = (f"{name} {value.format(folder=folder)}\n" for name, value in SETTINGS.items())
    (folder / "conf" / "spark-defaults.conf").write_text("".join(lines))
    command = [PROGRAM, "spark", str(source), str(folder / "out"), "--master", "local[2]"]
    command += ["--parts", str(parts)] if parts else []
    environment = {**os.environ, "SPARK_CONF_DIR": str(folder / "conf")}
    began, spent = time.monotonic(), dict[int, tuple[str, float, float]]()
    with subprocess.Popen(command, env=environment, start_new_session=True) as process:
        while process.poll() is None:
            spent |= dict(look(process.pid))
            time.sleep(0.2)
    if process.returncode:
        raise SystemExit(f"wirecopy spark ended with {process.returncode}")
    sums, peaks = Counter[str](), dict[str, float]()
    for what, seconds, size in spent.values():
        sums[what] += seconds  # type: ignore[assignment]
        peaks[what] = max(size, peaks.get(what, 0.0))
    return time.monotonic() - began, sums, peaks


def look(session: int) -> Iterator[tuple[int, tuple[str, float, float]]]:
    """What each process of a session is, its CPU seconds so far, and its largest size in MB."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                head, _, rest = (entry / "stat").read_text().rpartition(")")
                fields = rest.split()
                if int(fields[3]) == session:
                    python = "(python" in head or int(entry.name) == session
                    kind = "the driver" if int(entry.name) == session else "workers" if python else "the JVM"
                    peak = re.search(r"VmHWM:\s+(\d+)", (entry / "status").read_text())
                    size = int(peak[1]) / 1024 if peak else 0.0
                    yield int(entry.name), (kind, (int(fields[11]) + int(fields[12])) / TICK, size)
            except (OSError, ValueError):  # it has ended
                continue


def read_rows(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows


def read_log(folder: Path) -> tuple[int, float, int]:
    """The bytes that were shuffled, the CPU seconds of tasks in the JVM, and how many tasks failed."""
    shuffled, spent, failed = 0, 0.0, 0
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                event = json.loads(line)
                if event.get("Event") != "SparkListenerTaskEnd":
                    continue
                metrics = event.get("Task Metrics") or {}
                shuffled += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
                spent += metrics.get("Executor CPU Time", 0) / 1e9
                failed += event["Task End Reason"]["Reason"] != "Success"
    return shuffled, spent, failed


if __name__ == "__main__":
    if shutil.which("java") is None:
        print("nothing measured: Spark needs Java 17 or newer", file=sys.stderr)
        sys.exit(0)
    sys.exit(main())
