"""Whatever bytes are given, nothing breaks: each fuzzer of fuzz/ runs for a while, from the seeds that are kept there.

The kernels are built with libFuzzer by any stable Rust, without cargo-fuzz; the readers need atheris. What is found is kept
in target/found, and is to be mended, with its input as a seed.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from quality.corpora import scratch
from quality.report import Data, MissingError, Result, say

ROOT = Path(__file__).resolve().parents[1]
FUZZ, FOUND = ROOT / "fuzz", ROOT / "target" / "found"
SECONDS = int(os.environ.get("FUZZ_SECONDS", "60"))
INSTRUMENTED = (
    *("--cfg=fuzzing", "-Cpasses=sancov-module", "-Cllvm-args=-sanitizer-coverage-level=4"),
    *("-Cllvm-args=-sanitizer-coverage-inline-8bit-counters", "-Cllvm-args=-sanitizer-coverage-pc-table"),
)
"""What cargo-fuzz asks of the compiler, but for the address sanitizer: the kernels have no unsafe code."""
SET_UP = re.compile(r"host: (\S+)")


def measure() -> Iterator[Result]:
    for name, command, environment in (*kernels(), *readers()):
        say(f"  {name}, {SECONDS} s")
        yield run(name, command, environment)


def kernels() -> Iterator[tuple[str, Sequence[str], Mapping[str, str]]]:
    if missing := [tool for tool in ("cargo", "c++") if shutil.which(tool) is None]:
        raise MissingError(f"{' and '.join(missing)}, which the fuzzers of the kernels are built with")
    host = SET_UP.search(subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout)
    assert host
    target = ROOT / "target" / "fuzz"
    # With a target named, what runs while building is not instrumented.
    build = ["cargo", "build", "-q", "--release", "--locked", "--target", host[1]]
    environment = {"CARGO_TARGET_DIR": str(target), "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(INSTRUMENTED)}
    built = subprocess.run(build, cwd=FUZZ, env=os.environ | environment, stderr=subprocess.PIPE, text=True)
    if built.returncode:
        raise MissingError(f"a build of fuzz/: {built.stderr.strip().splitlines()[-1]}")
    for path in sorted((FUZZ / "targets").glob("*.rs")):
        yield path.stem, [str(target / host[1] / "release" / path.stem)], {}


def readers() -> Iterator[tuple[str, Sequence[str], Mapping[str, str]]]:
    if importlib.util.find_spec("atheris") is None:
        say(
            "  warc, feeds and sitemaps are left out: they need atheris; .venv/bin/pip install atheris==3.0.0"
        )
        return
    for name in ("feeds", "sitemaps", "warc"):
        yield name, [sys.executable, str(FUZZ / "readers.py"), name], {}


def run(name: str, command: Sequence[str], environment: Mapping[str, str]) -> Result:
    FOUND.mkdir(parents=True, exist_ok=True)
    seeds = FUZZ / "seeds" / name
    with scratch() as folder:
        options = (f"-max_total_time={SECONDS}", "-timeout=20", "-rss_limit_mb=2048", "-max_len=16384")
        said = ("-print_final_stats=1", f"-artifact_prefix={FOUND}/{name}-")
        ran = subprocess.run(
            [*command, *options, *said, str(folder), str(seeds)],
            env=os.environ | environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
    if ran.returncode:
        say(ran.stderr[-3000:])
    runs = re.search(r"number_of_executed_units:\s*(\d+)", ran.stderr)
    data = Data("seeds of the fuzzers", f"{len(list(seeds.iterdir()))} files", "none needed", "not pinned")
    return Result(name, data, {"broken": int(ran.returncode != 0), "runs": int(runs[1]) if runs else 0})
