"""Race wirecopy against other tools, its methods against each other, or itself at growing sizes.

    python benchmarks/run.py [--methods] [--growth]

The race is the benchmark kit's, in `../shared/bench` (or `$WIRECOPY_SHARED_DIR/bench`): every contestant is a process of its
own that reads the raw JSONL, rounds are interleaved, and only ratios within one run mean anything. What is missing of
the kit's venv and corpora is made by the kit. Nothing is written outside its scratch folder (`$WIRECOPY_BENCH_DIR`).
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
KIT = Path(os.environ.get("WIRECOPY_SHARED_DIR") or ROOT.parent / "shared") / "bench"
SCRATCH = Path(os.environ.get("WIRECOPY_BENCH_DIR") or Path.home() / ".cache" / "wirecopy-bench")
PEERS = ("gaoya_2w", "rensa_rlsh_2w", "exact_hash", "duckdb_cont_5w")
ARTICLES = {"20k": 20_000, "60k": 60_000, "182k": 182_067}
KINDS = ("exact", "near", "containment", "partial")
FLOORS = {"exact": 1.0, "near": 0.995, "containment": 0.99, "partial": 0.95, "precision": 0.99}
MEASURES = ("wall", "cpu", "peak_mb")
FAST_PEERS = ("gaoya_2w", "rensa_rlsh_2w")
"""The fastest tools that find pairs worth having."""
WALL, CPU = {"20k": 1 / 2, "182k": 1 / 3}, 1 / 2
"""The most time, as a share of that of the better of these: start-up weighs more on a small pile."""
METHODS = {
    "minhash_2w": "minhash:shingle_words=2",
    "minhash_5w": "minhash:shingle_words=5",
    "simhash_64": "simhash:bits=64,distance_bits=3",
    "resemblance_2w": "resemblance",
    "resemblance_2w_mod25": "resemblance:modulus=25",
    "document_image": "document_image:threshold=0.5",
}
"""How methods are asked to decide where not as they are: by the name in the table."""
METHOD_WALL = 3
"""The most time of a method at 182k, times that of gaoya_2w."""
UNLIMITED = ("full_fingerprint", "codet", "document_image", "cosine", "resemblance_2w")
METHOD_PEERS = ("gaoya_2w", "gaoya_5w", "rensa_rlsh_2w", "rensa_rlsh_5w", "simhash_2w")
FASTER = {
    "minhash_2w": (2, ("gaoya_2w", "rensa_rlsh_2w")),
    "minhash_5w": (2, ("gaoya_5w", "rensa_rlsh_5w")),
    "simhash_64": (5, ("simhash_2w",)),
}
"""How many times as fast as the fastest of these a method must be, with no less recall."""
WORK = ("collisions", "candidates", "comparisons")
GROWTH = {"collisions": 1.15, "candidates": 1.15, "comparisons": 1.15, "CPU time": 1.3}
"""How much more of each an article of a bigger pile may need."""

Record = dict[str, Any]
Target = tuple[str, float, str, bool]
"""What was promised: its name, what was measured, the limit, whether it holds."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="20k,182k", help="corpora to race on, by commas")
    parser.add_argument("--reps", type=int, help="rounds; 3 by default, 5 with --growth")
    parser.add_argument("--peers", default=",".join(PEERS), help="by commas; any of the kit's peer_list.py")
    parser.add_argument("--methods", action="store_true", help="each published method, deciding by itself")
    parser.add_argument(
        "--growth", action="store_true", help="wirecopy alone at 20k, 60k and 182k, interleaved"
    )
    options = parser.parse_args()
    if not (KIT / "run_peers.py").is_file():
        print(
            "no race: the benchmark kit is not in ../shared/bench beside the project. With it there, or with the folder "
            "that holds bench/ named in $WIRECOPY_SHARED_DIR, run this again.",
            file=sys.stderr,
        )
        return 0
    sizes = list(ARTICLES) if options.growth else options.sizes.split(",")
    if unknown := set(sizes) - set(ARTICLES):
        parser.error(f"no size {', '.join(sorted(unknown))}; there are: {', '.join(ARTICLES)}")
    try:
        set_up(sizes)
        if options.growth:
            held = [grow(options.reps or 5)]
        elif options.methods:
            held = [race_methods(size, options.reps or 1) for size in sizes]
        else:
            held = [race(size, options.peers.split(","), options.reps or 3) for size in sizes]
    except subprocess.CalledProcessError as error:
        print(f"stopped: {Path(error.cmd[1]).name} ended with exit code {error.returncode}", file=sys.stderr)
        return 1
    return 0 if all(held) else 1


def set_up(sizes: Iterable[str]) -> None:
    """The kit's own venv, and the corpora, where they are missing."""
    if not (SCRATCH / "venvs" / "main" / "complete").exists():
        kit("setup_peers.py", "main")
    for size in sizes:
        if not (SCRATCH / "data" / f"news{size}.meta.json").exists():
            kit("make_corpus.py", "--n", str(ARTICLES[size]))


def kit(script: str, *arguments: str) -> None:
    environment = os.environ | {"WIRECOPY_BENCH_DIR": str(SCRATCH)}
    subprocess.run([sys.executable, str(KIT / script), *arguments], check=True, env=environment)


def run(
    size: str,
    peers: Sequence[str],
    reps: int,
    contestants: Mapping[str, str] = MappingProxyType({"wirecopy": ""}),
) -> list[Record]:
    """One call of the kit's race, of peers and of `find` with the options of each contestant; its records."""
    tag = f"make bench {time.time_ns()}"
    program = shlex.quote(str(Path(sys.executable).with_name("wirecopy")))
    commands = [
        f"{name}={program} find {{corpus}} {options} --jsonl -o {{out}}"
        for name, options in contestants.items()
    ]
    only = ["--only", ",".join(peers)] if peers else []
    arguments = [part for command in commands for part in ("--command", command)]
    kit("run_peers.py", "--size", size, *only, "--reps", str(reps), "--tag", tag, *arguments)
    records = map(json.loads, (SCRATCH / "results" / "peers.jsonl").read_text().splitlines())
    return [record for record in records if record["tag"] == tag]


def race(size: str, peers: Sequence[str], reps: int) -> bool:
    """Race on one corpus; whether all targets that could be measured hold."""
    print(f"\n== {size}: {ARTICLES[size]:,} articles, {reps} rounds ==", flush=True)
    rounds: dict[str, dict[int, Record]] = {}
    for record in run(size, peers, reps):
        rounds.setdefault(record["name"], {})[record["rep"]] = record
    ours = rounds["wirecopy"]

    def ratio(measure: str, names: Sequence[str]) -> float:
        """What wirecopy needs of the best of these, in the same round."""
        best = {rep: min(rounds[name][rep][measure] for name in names) for rep in ours}
        return float(median(ours[rep][measure] / best[rep] for rep in ours))

    print(
        f"\nmedian of {reps}; × is times what wirecopy needs; a development result, copies planted by the kit\n"
    )
    ratios = {name: [f"{1 / ratio(measure, [name]):.2f}" for measure in MEASURES] for name in rounds}
    show_rounds(rounds, ["wall ×", "CPU ×", "memory ×"], ratios)

    measured = ours[0]["score"]["recall"] | {"precision": ours[0]["score"]["precision"]}
    lines = [(name, measured[name], f"≥ {least}", measured[name] >= least) for name, least in FLOORS.items()]
    fast = [name for name in FAST_PEERS if name in rounds]
    limits = [
        ("wall, of the faster peer", "wall", fast, WALL.get(size)),
        ("CPU, of the leaner peer", "cpu", fast, CPU),
    ]
    if size == "182k":
        lean = [name for name in ("rensa_rlsh_2w",) if name in rounds]
        limits.append(("memory, of rensa_rlsh_2w", "peak_mb", lean, 1.0))
    for target, measure, names, limit in limits:
        if names and limit:
            value = ratio(measure, names)
            lines.append((target, value, f"≤ {limit:.2f}", value <= limit))
    return check(lines)


def race_methods(size: str, reps: int) -> bool:
    """Each method decides by itself on one corpus; whether all targets hold."""
    from wirecopy import methods

    print(
        f"\n== {size}: {ARTICLES[size]:,} articles, {reps} rounds, each method by its own rule ==", flush=True
    )
    known = {asked.partition(":")[0] for asked in METHODS.values()}
    asked = {name: name for name in methods.names() if name not in known} | METHODS
    options = {name: f"--method {method} --decide method" for name, method in asked.items()}
    rounds: dict[str, dict[int, Record]] = {}
    for record in run(size, METHOD_PEERS, reps, options):
        rounds.setdefault(record["name"], {})[record["rep"]] = record
    wall = {name: median(record["wall"] for record in mine.values()) for name, mine in rounds.items()}
    ratios = {name: [f"{wall[name] / wall['gaoya_2w']:.2f}"] for name in rounds}
    print("\nmedian; × is times gaoya_2w; a development result, copies planted by the kit\n")
    show_rounds(rounds, ["wall ×"], ratios)
    lines: list[Target] = []
    for name, (times, others) in FASTER.items():
        fastest = min(wall[other] for other in others)
        lines.append(
            (f"{name}, times as fast", fastest / wall[name], f"≥ {times}", fastest / wall[name] >= times)
        )
        recall, best = (
            [rounds[one][0]["score"]["recall"]["all"] for one in names] for names in ((name,), others)
        )
        lines.append((f"{name}, recall", recall[0], f"≥ {max(best):.3f}", recall[0] >= max(best)))
    if size == "182k":
        for name in set(asked) - set(UNLIMITED):
            ratio = wall[name] / wall["gaoya_2w"]
            lines.append((f"{name}, wall of gaoya_2w", ratio, f"≤ {METHOD_WALL}", ratio <= METHOD_WALL))
    return check(sorted(lines))


def show_rounds(
    rounds: Mapping[str, Mapping[int, Record]], heads: Sequence[str], ratios: Mapping[str, Sequence[str]]
) -> None:
    """A table of contestants, fastest first: medians, ratios, recall by kind and precision."""
    rows = []
    for name, mine in sorted(rounds.items(), key=lambda one: median(r["wall"] for r in one[1].values())):
        wall, cpu, peak = (median(record[measure] for record in mine.values()) for measure in MEASURES)
        score = next(iter(mine.values()))["score"]
        shares = (*(score["recall"][kind] for kind in KINDS), score["precision"])
        shown = ("-" if share is None else f"{share:.3f}" for share in shares)
        rows.append([name, f"{wall:.2f}", f"{cpu:.2f}", f"{peak:.0f}", *ratios[name], *shown])
    print(table(["tool", "wall s", "CPU s", "peak MB", *heads, *KINDS, "precision"], rows))


def grow(reps: int) -> bool:
    """What an article costs in piles of 20,000, 60,000 and 182,067."""
    work = {size: count_work(size) for size in ARTICLES}
    rounds: dict[str, list[Record]] = {size: [] for size in ARTICLES}
    for number in range(reps):
        for size in list(ARTICLES)[:: -1 if number % 2 else 1]:
            rounds[size] += run(size, (), 1)
    rows, lines = [], []
    for size, articles in ARTICLES.items():
        cpu, wall, peak = (median(one[name] for one in rounds[size]) for name in ("cpu", "wall", "peak_mb"))
        costs = [work[size][name] / articles for name in WORK] + [cpu / articles * 1e6]
        if size == "20k":
            base = costs
        grown = [cost / first for cost, first in zip(costs, base, strict=True)]
        lines += [
            (f"{name} an article, {size} / 20k", ratio, f"≤ {limit}", ratio <= limit)
            for (name, limit), ratio in zip(GROWTH.items(), grown, strict=True)
            if size != "20k"
        ]
        shown = (f"{cost:.2f}" for cost in costs)
        rows.append(
            [size, f"{wall:.2f}", f"{cpu:.2f}", f"{peak:.0f}", *shown, *(f"{ratio:.2f}" for ratio in grown)]
        )
    heads = [
        "articles",
        "wall s",
        "CPU s",
        "peak MB",
        *(f"{name} / article" for name in WORK),
        "CPU µs / article",
    ]
    print(f"\nmedian of {reps}, sizes interleaved; × is times an article at 20k\n")
    print(table([*heads, *(f"{name} ×" for name in GROWTH)], rows))
    return check(lines)


def count_work(size: str) -> dict[str, int]:
    """How much work `find` did, by its own counts; the same in every run.

    A collision is one key in two articles. Nearly all are accidents that more articles make more likely, and are settled
    where they stand by the words filed beside the key; pairs that come through are candidates. Whoever calls every pair that shares a
    key a candidate must judge by the collisions, which grow beyond the limit. Keys so long that they do not (11 words) lose
    edited copies: 7 of Reuters' 841, 1 of 25 in Chinese.
    """
    program = "import json, sys, wirecopy; print(json.dumps(dict(wirecopy.find(sys.argv[1]).counts)))"
    corpus = str(SCRATCH / "data" / f"news{size}.jsonl")
    answer = subprocess.run(
        [sys.executable, "-c", program, corpus], check=True, stdout=subprocess.PIPE, text=True
    )
    counts: dict[str, int] = json.loads(answer.stdout)
    return counts


def check(lines: Sequence[Target]) -> bool:
    rows = [(name, f"{value:.3f}", limit, "ok" if ok else "MISSED") for name, value, limit, ok in lines]
    print(f"\n{table(['target', 'measured', 'limit', 'ok'], rows)}")
    return all(ok for *_, ok in lines)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown that reads well in a terminal too."""
    cells = [list(heads), *map(list, rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    rule = ["-" * widths[0], *(f"{'-' * (width - 1)}:" for width in widths[1:])]
    lines = [cells[0], rule, *cells[1:]]
    return "\n".join(
        f"| {' | '.join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True)))} |"
        for line in lines
    )


if __name__ == "__main__":
    sys.exit(main())
