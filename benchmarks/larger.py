"""A pile larger than memory: `find --work` beside `find`, and on ten times as many articles: `python benchmarks/larger.py [--write]`.

1.8 million articles are ten corpora of the benchmark kit with seeds of their own, or as many as `--corpora` says; ids begin with the seed. Time
is CPU time, the least of some rounds, but of one alone for the large pile; memory is the most that the process held, disk the most that its folder did.
`--write` puts the figures into docs/using.md. Needs the kit, as `benchmarks/run.py` does, and 15 GB of disk.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from run import ARTICLES, KIT, ROOT, SCRATCH, check, kit, set_up, table  # type: ignore[import-not-found]

SEEDS = range(101, 111)
DATA: Path = SCRATCH / "data"
ENDINGS = (".jsonl", ".meta.json", ".parquet", ".truth.parquet", ".passages.parquet", ".family.npy")
"""Of the files of a corpus of the kit."""
MB = 1_000_000
ROUNDS = 3
PAGE = ROOT / "docs" / "using.md"
BEGIN, END = "<!-- measured: larger -->\n", "<!-- end -->"
LIMITS = {
    "CPU in a folder, of find": 1.6,
    "peak in a folder, MB": 250.0,
    "CPU an article, large of 182k": 1.15,
    "peak of the large pile, MB": 1000.0,
}
LOOK_SECONDS = 0.2
"""How often it is looked how large the folder is."""


@dataclass(frozen=True)
class Cost:
    """What a run took: CPU seconds, MB of memory and of disk, and the digest of what it found."""

    articles: int
    cpu: float
    peak: float
    disk: float
    digest: str


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="put the figures into docs/using.md")
    parser.add_argument(
        "--corpora",
        type=int,
        default=len(SEEDS),
        help="of 182,067 articles each in the large pile; ten by default",
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"on 182k articles; {ROUNDS} by default")
    options = parser.parse_args()
    if not (KIT / "run_peers.py").is_file():
        print(
            "nothing measured: the benchmark kit is not in ../shared/bench beside the project",
            file=sys.stderr,
        )
        return 0
    set_up(["182k"])
    pile, articles = [DATA / "news182k.jsonl"], ARTICLES["182k"]
    rounds = [(measure(pile, articles), measure(pile, articles, "200MB")) for _ in range(options.rounds)]
    if len({one.digest for both in rounds for one in both}) > 1:
        sys.exit("a folder gives other bytes")
    memory, folder = (min(column, key=lambda one: one.cpu) for column in zip(*rounds, strict=True))
    larger = make_larger(SEEDS[: options.corpora])
    large = measure(larger, len(larger) * articles, "1GB")
    runs = {
        "`find`": (pile, memory),
        "`find --work --memory 200MB`": (pile, folder),
        "`find --work --memory 1GB`": (larger, large),
    }
    measured = {
        "CPU in a folder, of find": folder.cpu / memory.cpu,
        "peak in a folder, MB": max(there.peak for _, there in rounds),
        "CPU an article, large of 182k": (large.cpu / large.articles) / (folder.cpu / folder.articles),
        "peak of the large pile, MB": large.peak,
    }
    rows = [
        [
            name,
            f"{cost.articles:,}",
            f"{cost.cpu:.1f}",
            f"{cost.cpu / cost.articles * 1e6:.1f}",
            f"{cost.peak:,.0f}",
            f"{cost.disk:,.0f}",
            f"{cost.disk * MB / sum(path.stat().st_size for path in paths):.2f}",
        ]
        for name, (paths, cost) in runs.items()
    ]
    heads = ["", "articles", "CPU s", "µs an article", "memory, MB", "disk, MB", "disk a byte of input"]
    shown = table(heads, rows)
    print(f"\n{shown}")
    if options.write:
        page = PAGE.read_text("utf-8")
        before, rest = page.split(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}{shown}\n{END}{rest.split(END, 1)[1]}", "utf-8")
    lines = [(name, value, f"≤ {LIMITS[name]:g}", value <= LIMITS[name]) for name, value in measured.items()]
    return 0 if check(lines) else 1


def measure(pile: Sequence[Path], articles: int, memory: str = "") -> Cost:
    """Find what is copied in a pile, in memory, or in a folder with so much memory."""
    with tempfile.TemporaryDirectory(dir=SCRATCH) as scratch:
        out, work = Path(scratch) / "out.jsonl", Path(scratch) / "work"
        options = ["--work", str(work), "--memory", memory] if memory else []
        program = str(Path(sys.executable).with_name("wirecopy"))
        command = [program, "find", *map(str, pile), "--jsonl", "--quiet", "-o", str(out), *options]
        process = subprocess.Popen(command)
        disk = 0
        while True:
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            disk = max(disk, size_of(work))
            time.sleep(LOOK_SECONDS)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        with out.open("rb") as found:
            digest = hashlib.file_digest(found, "sha256").hexdigest()
    cost = Cost(articles, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / MB, disk / MB, digest)
    print(f"{articles:,} articles {memory or 'in memory'}: {cost}", file=sys.stderr, flush=True)
    return cost


def size_of(folder: Path) -> int:
    """The bytes of all files in a folder, as far as they are still there."""
    size = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                size += (Path(path) / name).stat().st_blocks * 512
            except FileNotFoundError:
                continue
    return size


def make_larger(seeds: Sequence[int]) -> list[Path]:
    """Corpora of these seeds, with ids that begin with the seed."""
    parts = [DATA / f"larger-{seed}.jsonl" for seed in seeds]
    for seed, part in zip(seeds, parts, strict=True):
        if not part.exists():
            made = DATA / f"raw-{seed}.jsonl"
            kit("make_corpus.py", "--n", str(ARTICLES["182k"]), "--seed", str(seed), "--name", made.stem)
            prefix_ids(made, part, seed)
            for ending in ENDINGS:
                made.with_suffix(ending).unlink()
    return parts


def prefix_ids(source: Path, target: Path, seed: int) -> None:
    unfinished = target.with_suffix(".part")
    with source.open("rb") as lines, unfinished.open("wb") as out:
        for line in lines:
            name, rest = line.removeprefix(b'{"id":').split(b",", 1)
            out.write(b'{"id":"%d-%s",%s' % (seed, name, rest))
    unfinished.rename(target)


if __name__ == "__main__":
    sys.exit(main())
