"""What the papers count, counted: `python benchmarks/work.py`.

- Chang and Wang's collection, 182,067 articles: windows filed, seconds and bytes (theirs: 5,356,152 in 2,100 s).
- CoDet: nodes visited and similarities computed, with and without sorting words (theirs: 341 and 3.53 an article), and its
  two scenarios, n identical articles and n different ones.
- How the time of the methods grows that have no sketch, or no bound on what is common.
- How the time grows at settings of the papers at which nearly all articles share keys, beside the pairs that are reported.

Tables go to stdout, plots beside the benchmark kit's results. Needs the kit's corpora, as `benchmarks/run.py` does.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path
from statistics import median

import numpy as np
from run import ARTICLES, KIT, SCRATCH, set_up, table  # type: ignore[import-not-found]

from wirecopy import _core, methods, text
from wirecopy.methods import Sketches
from wirecopy.methods.codet import Codet
from wirecopy.sharing import Sharing
from wirecopy.sources import Fields, read
from wirecopy.statistics import Statistics

SIZES = (5_000, 10_000, 20_000, 60_000, 182_067)
SORTED_ONLY = 20_000
"""Beyond so many articles, similarities are counted with sorting only: without, all pairs share a node."""
COPIES = (1_000, 2_000, 4_000)
PAPERS = (
    *("codet:suffixes=3", "codet:sort_words=false", "resemblance:shingle_words=1"),
    *("resemblance:threshold=0.1", "cosine:threshold=0.5"),
)
ROUNDS = 3
TIME_TO_PAIRS = 1.2
"""When a pile doubles, time may grow so many times as much as the pairs that are reported."""
GROWING = ("full_fingerprint", "codet", "document_image:threshold=0.5", "cosine", "resemblance")
NODE_EXPONENT = 1.1
DATA: Path = SCRATCH / "data"
RESULTS: Path = SCRATCH / "results"
Points = Sequence[tuple[float, float]]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", choices=["lengths", "codet", "scenarios", "growth", "papers"], help="one part"
    )
    chosen = parser.parse_args().only
    if not (KIT / "run_peers.py").is_file():
        print(
            "nothing counted: the benchmark kit is not in ../shared/bench beside the project", file=sys.stderr
        )
        return 0
    set_up(ARTICLES)
    RESULTS.mkdir(exist_ok=True)
    parts = {
        "lengths": file_lengths,
        "codet": count_codet,
        "scenarios": time_scenarios,
        "growth": time_growth,
        "papers": time_papers,
    }
    return 0 if min(part() for name, part in parts.items() if chosen in (None, name)) else 1


def corpus(articles: int) -> Path:
    """The first so many articles of a corpus."""
    size = next(size for size, has in ARTICLES.items() if has >= articles)
    whole = DATA / f"news{size}.jsonl"
    if ARTICLES[size] == articles:
        return whole
    part = DATA / f"first{articles}.jsonl"
    if not part.exists():
        with whole.open("rb") as lines:
            part.write_bytes(b"".join(line for line, _ in zip(lines, range(articles), strict=False)))
    return part


def sketch(method: methods.Method, path: Path) -> Sketches:
    """All articles of a file, on two threads; statistics are the file's own."""
    batches = [work() for work in read(path, fields=Fields(), batch_bytes=4 << 20)]
    with ThreadPoolExecutor() as pool:
        statistics = None
        if method.weighs_words:
            tokens = pool.map(lambda batch: text.tokenise(batch.text, batch.offsets, method.view), batches)
            statistics = Statistics.count(tokens, method.view)

        def sketch_batch(number: int) -> Sketches:
            batch = batches[number]
            tokens = text.tokenise(batch.text, batch.offsets, method.view, words=method.spells_words)
            return method.sketch(tokens, statistics)

        return Sketches.join(list(pool.map(sketch_batch, range(len(batches)))))


def file_lengths() -> bool:
    """The windows of Chang and Wang's largest collection."""
    rows = []
    for window, step, dynamic in ((8, 1, False), (8, 1, True), (8, 2, False), (16, 1, False)):
        method = methods.get(
            "sentence_lengths", window_sentences=window, step_sentences=step, dynamic_jumping=dynamic
        )
        start = time.perf_counter()
        sketches = sketch(method, corpus(182_067))
        windows, _ = _core.window_hashes(sketches, window=window, step=step, dynamic=dynamic)
        with ThreadPoolExecutor() as pool:
            Sharing(method, sketches, np.arange(len(sketches)), pool.map)
        seconds = time.perf_counter() - start
        filed = len(method.keys(sketches).values) * 12
        rows.append(
            [
                f"{window} / {step}{' / jumping' if dynamic else ''}",
                f"{len(windows):,}",
                f"{seconds:.1f}",
                f"{filed:,}",
            ]
        )
    print("\nsentence_lengths on 182,067 articles; a window is filed as 8 bytes of key and 4 of article\n")
    print(table(["WS / SW", "windows", "seconds", "bytes"], rows))
    return True


def count_codet() -> bool:
    """Nodes visited and similarities computed."""
    rows, visited = [], []
    for articles in SIZES:
        counts = []
        for sort_words in (True, False):
            method = Plain(sort_words=sort_words)
            if not sort_words and articles > SORTED_ONLY:
                counts.append("-")
                continue
            sketches = sketch(method, corpus(articles))
            if sort_words:
                visited.append((float(articles), float(sketches.columns[1].sum())))
            counts.append(f"{count_pairs(method, sketches) / articles:.1f}")
        rows.append([f"{articles:,}", f"{visited[-1][1]:,.0f}", *counts])
    exponent = fit(visited)
    print("\ncodet: nodes visited, and similarities computed an article (paper: 341 unsorted, 3.53 sorted)\n")
    print(table(["articles", "node visits", "sorted", "unsorted"], rows))
    print(f"\nnode visits grow with exponent {exponent:.3f} (limit {NODE_EXPONENT})")
    plot("codet-nodes.svg", "CoDet: nodes visited", "nodes", {"codet": visited})
    return exponent <= NODE_EXPONENT


@dataclass(frozen=True)
class Plain(Codet):
    """CoDet that computes the similarity of all articles that share a node, as in the paper."""

    elements = methods.Method.elements
    least_shared = methods.Method.least_shared


def count_pairs(method: methods.Method, sketches: Sketches) -> int:
    sharing = Sharing(method, sketches, np.arange(len(sketches)))
    return sum(len(later) for later, _ in sharing.pairs(0, len(sketches), 1 << 20))


def time_scenarios() -> bool:
    """CoDet on n identical articles, and on n that share nothing: all pairs, decided by the method."""
    rows, plotted = [], {}
    for scenario in ("identical", "different"):
        points: list[tuple[float, float]] = []
        for articles in COPIES:
            path = DATA / f"{scenario}{articles}.jsonl"
            with path.open("w") as out:
                for number in range(articles):
                    first = 0 if scenario == "identical" else 40 * number
                    mine = [spell(first + place) for place in range(40)]
                    sentences = ". ".join(
                        " ".join(mine[start : start + 8]).capitalize() for start in range(0, 40, 8)
                    )
                    out.write(json.dumps({"id": str(number), "text": f"{sentences}."}) + "\n")
            cpu, peak, pairs = decide("codet", path)
            points.append((articles, cpu))
            rows.append([scenario, f"{articles:,}", f"{pairs:,}", f"{cpu:.2f}", f"{peak:.0f}"])
        plotted[scenario] = points
    print(
        "\ncodet on n articles (paper: time n² and memory n if they are identical, both n if they differ)\n"
    )
    print(table(["articles", "n", "pairs", "CPU s", "peak MB"], rows))
    plot("codet-scenarios.svg", "CoDet: identical and different articles", "CPU seconds", plotted)
    return True


def spell(number: int) -> str:
    """A word of five letters, another for each number."""
    return "".join(chr(ord("a") + number // 26**place % 26) for place in range(5))


def time_growth() -> bool:
    """How the CPU time of the methods without a bound grows."""
    rows, plotted = [], {}
    for asked in GROWING:
        points = []
        for articles in SIZES[:3]:
            cpu, peak, _ = decide(asked, corpus(articles))
            points.append((float(articles), cpu))
        plotted[asked.partition(":")[0]] = points
        rows.append([asked, *(f"{cpu:.2f}" for _, cpu in points), f"{fit(points):.2f}", f"{peak:.0f}"])
    print("\nCPU seconds of the methods without a limit, and the exponent they grow with\n")
    print(table(["method", *(f"{articles:,}" for articles in SIZES[:3]), "exponent", "peak MB"], rows))
    plot("methods-growth.svg", "Methods without a limit", "CPU seconds", plotted)
    return True


def time_papers() -> bool:
    """How CPU time grows, median of rounds, beside the pairs that are reported."""
    rows, fine = [], True
    for asked in PAPERS:
        rounds = [[decide(asked, corpus(articles)) for articles in SIZES[:3]] for _ in range(ROUNDS)]
        cpu = [median(one[0] for one in size) for size in zip(*rounds, strict=True)]
        pairs = [one[2] for one in rounds[0]]
        slower, more = ([after / before for before, after in pairwise(one)] for one in (cpu, pairs))
        ratios = [time / pairs for time, pairs in zip(slower, more, strict=True)]
        fine &= max(ratios) <= TIME_TO_PAIRS
        cells = [f"{one:.2f}" for one in cpu], [f"{one:,}" for one in pairs]
        grown = [[f"{one:.2f}" for one in column] for column in (slower, more, ratios)]
        verdict = "yes" if max(ratios) <= TIME_TO_PAIRS else "no"
        rows.append([asked, *(" ".join(column) for column in (*cells, *grown)), verdict])
    sizes = " ".join(f"{articles // 1000}k" for articles in SIZES[:3])
    print(f"\nCPU seconds and pairs at {sizes}, how they grow, and time to pairs (limit {TIME_TO_PAIRS})\n")
    print(table(["method", "CPU s", "pairs", "time ×", "pairs ×", "time to pairs", "within"], rows))
    return fine


def decide(asked: str, path: Path) -> tuple[float, float, int]:
    """A method decides on a file by itself: CPU seconds, peak MB, pairs."""
    out = RESULTS / "work.jsonl"
    program = Path(sys.executable).with_name("wirecopy")
    options = ["--method", asked, "--decide", "method", "--quiet", "--output", str(out)]
    command = [str(program), "find", str(path), *options]
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    with out.open("rb") as lines:
        pairs = sum(1 for _ in lines)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000, pairs


def fit(points: Points) -> float:
    """The exponent of the power law through the points, by least squares of the logarithms."""
    x, y = (np.log([point[axis] for point in points]) for axis in (0, 1))
    return float(np.polyfit(x, y, 1)[0])


def plot(name: str, title: str, unit: str, series: Mapping[str, Points]) -> None:
    """Lines on logarithmic scales, as an SVG beside the kit's results."""
    width, height, margin = 640, 420, 60
    points = [point for mine in series.values() for point in mine]
    bounds = [
        (math.log10(min(point[axis] for point in points)), math.log10(max(point[axis] for point in points)))
        for axis in (0, 1)
    ]

    def place(value: float, axis: int) -> float:
        low, high = bounds[axis]
        share = (math.log10(value) - low) / max(high - low, 1e-9)
        inner = (width, height)[axis] - 2 * margin
        return margin + share * inner if axis == 0 else height - margin - share * inner

    shapes = [f'<text x="{width / 2}" y="24" text-anchor="middle">{escape(title)}</text>']
    shapes.append(
        f'<text x="{margin}" y="44" font-size="11">{escape(unit)}, by articles; both logarithmic</text>'
    )
    for number, (label, mine) in enumerate(series.items()):
        colour = f"hsl({number * 137 % 360} 70% 40%)"
        line = " ".join(f"{place(x, 0):.1f},{place(y, 1):.1f}" for x, y in mine)
        shapes.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for x, y in mine:
            shapes.append(f'<circle cx="{place(x, 0):.1f}" cy="{place(y, 1):.1f}" r="3" fill="{colour}"/>')
            shapes.append(
                f'<text x="{place(x, 0):.1f}" y="{height - margin + 18}" font-size="10" text-anchor="middle">{x:,.0f}</text>'
            )
        x, y = mine[-1]
        shapes.append(
            f'<text x="{place(x, 0) + 6:.1f}" y="{place(y, 1):.1f}" font-size="11" fill="{colour}">'
            f"{escape(label)} {y:,.4g} (n^{fit(mine):.2f})</text>"
        )
    path = RESULTS / name
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + 160} {height}" font-family="sans-serif">'
        + "".join(shapes)
        + "</svg>\n"
    )
    print(f"plotted: {path}")


if __name__ == "__main__":
    sys.exit(main())
