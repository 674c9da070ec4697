"""What a check costs over HTTP: `python benchmarks/service.py [--size 20k|182k] [--no-peer]`.

- `/v1/check` of texts of about 3 kB by wrk (Debian: `apt-get install wrk`) on the same cores, beside the same checks in this process: requests a
  second, latencies, CPU of the service a request.
- Four times as many connections: what is accepted is not slower than twice as slow, memory stays, and all is normal again after five seconds. The
  latency of what is accepted is that of a probe which asks beside wrk: wrk itself mixes it with that of refusals.
- The nearest thing that is run elsewhere: MinHash LSH of datasketch behind FastAPI, as the documentation of both shows it. It gives ids of candidates
  only, without passages. It has an environment of its own in the kit's scratch folder.

It needs the benchmark kit's corpora, as `benchmarks/run.py` does.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from archive import DATA, make  # type: ignore[import-not-found]
from run import ARTICLES, KIT, SCRATCH, check, set_up, table  # type: ignore[import-not-found]

from wirecopy import Archive

PROGRAM = Path(sys.executable).with_name("wirecopy")
TEXTS, STEP = 370, 97
"""So many texts are asked about, every so-manieth of those that are about 3 kB long."""
BYTES = range(2500, 3500)
PORT, PEER_PORT = 8479, 8478
CONNECTIONS, TIMES = 8, 4
SECONDS, WARM_SECONDS, NORMAL_SECONDS = 10, 4, 5
TICK = os.sysconf("SC_CLK_TCK")
RESULT = re.compile(r"RESULT requests=(\d+) seconds=([\d.]+) refused=(\d+) p50=([\d.]+) p99=([\d.]+)")
SCRIPT = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "text/plain; charset=utf-8"
local at = 0
function request()
  at = at %% #bodies + 1
  return wrk.format(nil, "%s", nil, bodies[at])
end
function done(summary, latency, requests)
  io.write(string.format("RESULT requests=%%d seconds=%%.3f refused=%%d p50=%%.3f p99=%%.3f\\n", summary.requests,
    summary.duration / 1e6, summary.errors.status, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
"""
PEER = """
import json
from datasketch import MinHash, MinHashLSH
from fastapi import FastAPI, Request

def shingles(text):
    words = text.lower().split()
    return {" ".join(words[at : at + 5]).encode() for at in range(max(1, len(words) - 4))}

def sketch(text):
    made = MinHash(num_perm=128)
    made.update_batch(shingles(text))
    return made

lsh = MinHashLSH(threshold=0.5, num_perm=128)
with open("ARTICLES") as file, lsh.insertion_session() as session:
    for line in file:
        article = json.loads(line)
        session.insert(article["id"], sketch(article["text"]))
app = FastAPI()

@app.post("/check")
async def check(request: Request):
    return {"candidates": lsh.query(sketch((await request.body()).decode()))}
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", choices=list(ARTICLES), default="182k")
    parser.add_argument("--archive", type=Path, help="one that holds these articles already")
    parser.add_argument("--no-peer", action="store_true")
    asked = parser.parse_args()
    if not shutil.which("wrk"):
        print("nothing measured: wrk is not installed (Debian: apt-get install wrk)", file=sys.stderr)
        return 0
    if not (KIT / "run_peers.py").is_file():
        print(
            "nothing measured: the benchmark kit is not in ../shared/bench beside the project",
            file=sys.stderr,
        )
        return 0
    set_up([asked.size])
    path = asked.archive or make(asked.size)
    texts = list(read_texts(DATA / f"news{asked.size}.jsonl"))
    mine = measure_in_process(path, texts)
    rows = [("in this process, one thread", f"{1000 / mine['wall']:.0f}", "", "", f"{mine['cpu']:.2f}")]
    with serving(path) as (process, connection):
        load(PORT, "/v1/check", texts, CONNECTIONS, WARM_SECONDS)
        before = cpu(process)
        calm = load(PORT, "/v1/check", texts, CONNECTIONS, SECONDS, connection)
        spent = 1000 * (cpu(process) - before) / calm["requests"]
        rows.append(("wirecopy serve", *show(calm), f"{spent:.2f}"))
        small = memory(process)
        flood = load(PORT, "/v1/check", texts, TIMES * CONNECTIONS, SECONDS, connection)
        large = memory(process)
        rows.append((f"the same, {TIMES} times the connections", *show(flood), ""))
        time.sleep(NORMAL_SECONDS)
        again = load(PORT, "/v1/check", texts, CONNECTIONS, SECONDS, connection)
        rows.append((f"{NORMAL_SECONDS} seconds later", *show(again), ""))
    if not asked.no_peer:
        with peer(DATA / f"news{asked.size}.jsonl") as process:
            load(PEER_PORT, "/check", texts, CONNECTIONS, WARM_SECONDS)
            before = cpu(process)
            other = load(PEER_PORT, "/check", texts, CONNECTIONS, SECONDS)
            spent = 1000 * (cpu(process) - before) / other["requests"]
            rows.append(("datasketch LSH, FastAPI: candidates only", *show(other), f"{spent:.2f}"))
    heads = [f"checks of 3 kB against {asked.size}", "a second", "p50 ms", "p99 ms", "CPU ms"]
    print(f"\n{table(heads, rows)}")
    print(f"\nrefused under {TIMES} times the load: {flood['refused']:,.0f} of {flood['requests']:,.0f}")
    slower, recovered = flood["probed"] / calm["probed"], again["p99"] / calm["p99"]
    return int(
        not check(
            [
                ("requests a second", calm["rate"], "≥ 350", calm["rate"] >= 350),
                ("p99 ms", calm["p99"], "≤ 40", calm["p99"] <= 40),
                (f"p99 of what is accepted, {TIMES} times the load / normal", slower, "≤ 2", slower <= 2),
                ("memory, after / before that", large / small, "≤ 1.2", large <= 1.2 * small),
                (f"p99 {NORMAL_SECONDS} s later / normal", recovered, "≤ 1.5", recovered <= 1.5),
            ]
        )
    )


def show(measured: dict[str, float]) -> tuple[str, str, str]:
    return f"{measured['rate']:.0f}", f"{measured['p50']:.1f}", f"{measured['p99']:.1f}"


def read_texts(source: Path) -> Iterator[str]:
    number = 0
    with source.open(encoding="utf-8") as lines:
        for place, line in enumerate(lines):
            if place % STEP:
                continue
            text = json.loads(line)["text"]
            if len(text.encode()) in BYTES:
                yield text
                number += 1
            if number == TEXTS:
                return


def measure_in_process(path: Path, texts: Sequence[str]) -> dict[str, float]:
    """Milliseconds of a check in this process, by the clock and of CPU."""
    with Archive.open(path) as archive:
        for text in texts:
            archive.check(text)
        wall, spent = time.perf_counter(), time.process_time()
        for text in texts:
            archive.check(text)
        each = 1000 / len(texts)
        return {"wall": (time.perf_counter() - wall) * each, "cpu": (time.process_time() - spent) * each}


@contextmanager
def serving(path: Path) -> Iterator[tuple[int, http.client.HTTPConnection]]:
    """A service, its process, and a connection of a probe."""
    command = [PROGRAM, "serve", path, "--port", str(PORT), "--quiet", "--no-deliver", "--rate", "1000000"]
    with run_until_killed(command, PORT, "/livez") as process:
        yield process, http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)


@contextmanager
def peer(articles: Path) -> Iterator[int]:
    folder = SCRATCH / "venvs" / "service-peer"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "datasketch", "fastapi", "uvicorn"], check=True)
    (folder / "peer.py").write_text(PEER.replace('"ARTICLES"', repr(str(articles))))
    command = [
        python,
        "-m",
        "uvicorn",
        "peer:app",
        "--app-dir",
        folder,
        "--port",
        str(PEER_PORT),
        "--log-level",
        "error",
    ]
    with run_until_killed(command, PEER_PORT, "/docs") as process:
        yield process


@contextmanager
def run_until_killed(command: Sequence[Any], port: int, path: str) -> Iterator[int]:
    with subprocess.Popen(list(map(str, command)), stderr=subprocess.DEVNULL) as process:
        try:
            while True:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
                try:
                    connection.request("GET", path)
                    if connection.getresponse().status == 200:
                        break
                except OSError:
                    if process.poll() is not None:
                        raise
                    time.sleep(0.2)
                finally:
                    connection.close()
            yield process.pid
        finally:
            process.kill()


def load(
    port: int,
    path: str,
    texts: Sequence[str],
    connections: int,
    seconds: int,
    probe: http.client.HTTPConnection | None = None,
) -> dict[str, float]:
    """What wrk measures with so many connections; `probed` is the p99 of what a probe was answered with 200 meanwhile."""
    script = SCRATCH / "service.lua"
    bodies = "".join(f"bodies[{number}] = {quote(text)}\n" for number, text in enumerate(texts, 1))
    script.write_text("local bodies = {}\n" + bodies + SCRIPT % path)
    command = [
        "wrk",
        "-t1",
        f"-c{connections}",
        f"-d{seconds}",
        "--timeout",
        "30s",
        "-s",
        str(script),
        f"http://127.0.0.1:{port}",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        accepted = list(ask_until_done(probe, path, texts, process)) if probe else []
        said, _ = process.communicate()
    found = RESULT.search(said)
    assert found, said
    requests, taken, refused, p50, p99 = map(float, found.groups())
    measured = {
        "requests": requests,
        "refused": refused,
        "rate": (requests - refused) / taken,
        "p50": p50,
        "p99": p99,
    }
    return measured | {"probed": float(np.percentile(accepted, 99)) if accepted else 0.0}


def ask_until_done(
    probe: http.client.HTTPConnection, path: str, texts: Sequence[str], process: subprocess.Popen[str]
) -> Iterator[float]:
    """The milliseconds of each request of a probe that is accepted, one after the other, as long as a process runs."""
    number = 0
    while process.poll() is None:
        number += 1
        began = time.perf_counter()
        probe.request("POST", path, texts[number % len(texts)].encode(), {"Content-Type": "text/plain"})
        answer = probe.getresponse()
        answer.read()
        if answer.status == 200:
            yield 1000 * (time.perf_counter() - began)
        else:
            time.sleep(0.01)


def quote(text: str) -> str:
    """A text as Lua writes it."""
    plain = range(32, 127)
    return (
        '"'
        + "".join(chr(one) if one in plain and one not in b'"\\' else f"\\{one:03}" for one in text.encode())
        + '"'
    )


def cpu(process: int) -> float:
    """The CPU seconds of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory(process: int) -> float:
    """The MB that a process has in memory."""
    told = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", told)[1]) / 1024  # type: ignore[index]


if __name__ == "__main__":
    sys.exit(main())
