"""Every method and the default on every development set: `python -m benchmarks.results [--write] [PATTERN …]`.

A cell is one run of `wirecopy find` as a process of its own: its CPU seconds, its peak memory, and how good what it finds is against each
gold of the set, as it is and with a threshold that is tuned on one half of the articles and measured on the other. Cells that
`benchmarks/results.json` has are not run again, so that a run can be stopped and continued; `--again` runs them anew. PATTERN chooses
cells by a part of their names, `--most N` stops after so many. `--write` makes docs/results.md and its figures from the cells.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import results_page, sets
from benchmarks.run import FAST_PEERS, KINDS, MEASURES, SCRATCH, set_up
from benchmarks.run import run as run_kit
from quality.corpora import bench_corpus, unpack
from quality.report import MissingError, rewrite
from wirecopy.evaluation import experiments
from wirecopy.evaluation.comparing import Compared, compare_pairs
from wirecopy.evaluation.halves import part
from wirecopy.evaluation.reading import read_gold, read_known, read_result
from wirecopy.evaluation.scoring import best_place
from wirecopy.files import open_whole
from wirecopy.measures import rate

ROOT = Path(__file__).resolve().parents[1]
CELLS = ROOT / "benchmarks" / "results.json"
DOCS, README = ROOT / "docs", ROOT / "README.md"
WIRECOPY = Path(sys.executable).with_name("wirecopy")
MOST_SECONDS, PAPER_SECONDS = 300, 1200
"""A run that takes more CPU time is stopped, and bigger piles are not tried then; an experiment of a paper has more."""
SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 60_000, 182_067)
Cell = dict[str, Any]

DEFAULT = "default"
PRESETS = ("--preset strict", "--preset any-reuse")
MATCH_SCORES = ("covered", "resemblance")
"""What a threshold of the default may be on: the larger share covered, or the share of all 5-word runs that both have."""
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "codet": ("", "threshold=0.2", "threshold=0.2,depth_words=3", "threshold=0.2,tree=false"),
    "cosine": ("", "threshold=0.5"),
    "document_image": ("threshold=0.1",),
    "dsc": ("", "contained=0.2", "contained=0.2,shingle_words=2"),
    "exact": ("",),
    "full_fingerprint": ("", "contained=0.2", "contained=0.2,shingle_words=6"),
    "imatch": ("", "form=skip", "form=skip,hash_words=5"),
    "minhash": ("", "threshold=0.2", "threshold=0.2,shingle_words=5"),
    "resemblance": ("", "threshold=0.1", "threshold=0.1,shingle_words=5"),
    "sentence_fingerprints": ("", "more_than=0", "more_than=0,common_share=0.1"),
    "sentence_lengths": ("", "window_sentences=4", "window_sentences=16"),
    "simhash": ("", "distance_bits=8", "bits=64,distance_bits=8"),
    "supershingles": ("", "min_common=1", "min_common=1,supershingle_length=6"),
    "winnowing": ("", "contained=0.1", "contained=0.1,window_words=8"),
}
"""What is tried of each method: as its paper has it, then laxer and otherwise, for a threshold to be tuned on. `document_image` only ranks."""
GROWING = {"document_image": "document_image:threshold=0.5"}
"""How a method is asked to decide where piles grow, if not as it is."""

LAUNCHER = """
import json, os, resource, sys
limit = int(sys.argv[1])
child = os.fork()
if not child:
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    os.execv(sys.argv[2], sys.argv[2:])
_, status, used = os.wait4(child, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""
"""A process counts the memory of the one that it was forked from, so a small one forks it."""


def options_of(contestant: str) -> list[str]:
    """The options of `find` for a contestant: the default, a preset, or a method that decides by itself."""
    if contestant == DEFAULT:
        return []
    return (
        contestant.split() if contestant.startswith("--") else ["--method", contestant, "--decide", "method"]
    )


def contestants() -> list[str]:
    """The default, the other presets, and each method as its paper has it and otherwise."""
    methods = [
        f"{name}:{given}" if given else name for name, all_given in SETTINGS.items() for given in all_given
    ]
    return [DEFAULT, *PRESETS, *methods]


def growing() -> list[str]:
    """The default and each method as it is measured on growing piles."""
    return [DEFAULT, *(GROWING.get(name, name) for name in SETTINGS)]


PAPERS: Mapping[str, tuple[str, Callable[[], Path], str]] = {
    "chang-wang, papers": (
        "PAN13",
        lambda: unpack("pan13-train") / "articles.jsonl",
        "--table 1 --table 2 --table 3 --table 4",
    ),
    "chang-wang": (
        "news182k",
        lambda: bench_corpus("news182k").with_suffix(".jsonl"),
        "--table 5 --table 6 --table 7",
    ),
    "yoon": ("news182k", lambda: bench_corpus("news182k").with_suffix(".jsonl"), ""),
    "uwamahoro": ("Reuters", lambda: unpack("reuters21578") / "articles.jsonl", ""),
    "codet": ("news20k", lambda: bench_corpus("news20k").with_suffix(".jsonl"), "--articles 5000"),
    "cedar": ("dragnet", lambda: sets.labelled_pages("dragnet"), ""),
}
"""The papers' experiments on corpora that were not made for them, at the papers' sizes where there are as many articles."""


def names() -> Iterator[str]:
    """All cells: `set / contestant`, the papers' experiments, then `growth / contestant / articles`, small sets and piles first."""
    for name in sets.SETS:
        yield from (f"{name} / {one}" for one in contestants())
    yield "race / 182k"
    yield from (f"made up / {one}" for one in experiments.names())
    yield from (f"paper / {one}" for one in PAPERS)
    for size in SIZES:
        yield from (f"growth / {one} / {size}" for one in growing())


def launch(command: Sequence[str], most_seconds: int) -> Cell:
    """CPU seconds and peak memory of a command, or that it was stopped."""
    told = subprocess.run(
        [sys.executable, "-ISc", LAUNCHER, str(most_seconds), *command],
        check=True,
        capture_output=True,
        text=True,
    )
    code, cpu, kilobytes = json.loads(told.stdout)
    if code == -signal.SIGXCPU:
        return {"stopped": most_seconds}
    if code not in (0, 3):
        raise RuntimeError(f"{' '.join(command)}: exit code {code}: {told.stderr[-500:]}")
    return {"cpu": round(cpu, 2), "peak_mb": round(kilobytes / 1000)}


def run_find(articles: Path, out: Path, options: Sequence[str]) -> Cell:
    """One run of `find`."""
    return launch(
        [str(WIRECOPY), "find", str(articles), *options, "--jsonl", "--quiet", "-o", str(out)], MOST_SECONDS
    )


def run_set(name: str, contestant: str, folder: Path) -> Cell:
    """What a contestant finds in a set, against each of its golds."""
    one = sets.get(name, SCRATCH / "sets")
    out = folder / "found.jsonl"
    cell = run_find(one.articles, out, options_of(contestant))
    if "stopped" not in cell:
        by = MATCH_SCORES if contestant == DEFAULT or contestant in PRESETS else ("",)
        cell["scores"] = {gold.name: score(one.articles, gold, out, by) for gold in one.golds}
    return cell


def score(articles: Path, gold: sets.Gold, result: Path, by: Sequence[str] = ("",)) -> Cell:
    """Precision, recall and F of the pairs: all of them, those of each half, and with the threshold that is best on the development half.

    `by` are the fields that a threshold is tried on; none is what a method ranks by.
    """
    told: Cell = {}
    for field in by:
        known = read_known([articles])
        truth = read_gold(gold.path, "pairs", known)
        pairs = compare_pairs(truth, read_result(result, "pairs", truth.ids, field), known)
        if gold.planted:
            pairs = _only(pairs, np.array([one.startswith(gold.planted) for one in truth.ids.names]))
        halves = part(pairs)
        named = {"all": pairs, "development": halves.development, "test": halves.test}
        told |= {name: _rates(some, gold) for name, some in named.items()}
        view = halves.development.view(gold.view)
        curve = view.curve()
        if not len(curve.thresholds):
            continue
        threshold = float(curve.thresholds[best_place(curve, int(view.true.sum()))])
        tuned = [_rates(half.at_least(threshold), gold) for half in (halves.development, halves.test)]
        if "tuned" not in told or tuned[0][2] > told["tuned"]["development"][2]:
            told["tuned"] = {"threshold": round(threshold, 4), "development": tuned[0], "test": tuned[1]}
            told["tuned"] |= {"by": field} if field else {}
    return told


def _only(pairs: Compared, planted: NDArray[np.bool_]) -> Compared:
    """The pairs that hold a planted article."""
    return pairs.where(*(planted[one.query] | planted[one.found] for one in (pairs.gold, pairs.result)))


def _rates(pairs: Compared, gold: sets.Gold) -> list[float]:
    return [round(one, 4) for one in rate(*pairs.view(gold.view).counts())]


def run_growth(contestant: str, size: int, folder: Path, cells: Mapping[str, Cell]) -> Cell:
    """One run on the first so many articles of the kit's 182,067; none where a smaller pile was stopped."""
    if any("stopped" in cells.get(f"growth / {contestant} / {less}", ()) for less in SIZES if less < size):
        return {"stopped": MOST_SECONDS}
    corpus = bench_corpus("news182k").with_suffix(".jsonl")
    pile = folder / "pile.jsonl"
    with corpus.open("rb") as lines, pile.open("wb") as out:
        out.writelines(line for line, _ in zip(lines, range(size), strict=False))
    return run_find(pile, folder / "found.jsonl", options_of(contestant))


def run_paper(paper: str, options: Sequence[str], folder: Path) -> Cell:
    """The tables and figures of a paper, and what they cost."""
    command = [
        str(WIRECOPY),
        "reproduce",
        paper,
        *options,
        "--json",
        "--quiet",
        "-o",
        str(folder / "tables.jsonl"),
    ]
    cell = launch(command, PAPER_SECONDS)
    lines = (folder / "tables.jsonl").read_text("utf-8").splitlines()
    return cell | {"tables": [json.loads(line) for line in lines]}


def run_race(size: str, rounds: int = 3) -> Cell:
    """Medians of wirecopy and of the fastest tools that find pairs worth having, in interleaved rounds of the kit."""
    set_up([size])
    records = run_kit(size, FAST_PEERS, rounds)
    rows = {}
    for name in ("wirecopy", *FAST_PEERS):
        mine = [record for record in records if record["name"] == name]
        found = mine[0]["score"]
        rows[name] = {measure: round(median(record[measure] for record in mine), 2) for measure in MEASURES}
        rows[name] |= {kind: round(found["recall"][kind], 4) for kind in KINDS} | {
            "precision": round(found["precision"], 4)
        }
    return {"rounds": rounds, "rows": rows}


def run_cell(name: str, cells: Mapping[str, Cell]) -> Cell:
    """The cell of this name."""
    kind, contestant, *rest = name.split(" / ")
    with TemporaryDirectory(prefix="wirecopy-") as folder:
        if kind == "growth":
            return run_growth(contestant, int(rest[0]), Path(folder), cells)
        if kind == "race":
            return run_race(contestant)
        if kind == "made up":
            return run_paper(contestant, (), Path(folder))
        if kind == "paper":
            corpus, path, options = PAPERS[contestant]
            paper = contestant.partition(",")[0]
            return run_paper(paper, ["--corpus", str(path()), *options.split()], Path(folder)) | {
                "corpus": corpus
            }
        return run_set(kind, contestant, Path(folder))


def read_cells() -> dict[str, Cell]:
    """The cells that were run, by name."""
    return dict(json.loads(CELLS.read_text("utf-8"))) if CELLS.is_file() else {}


def write_cells(cells: Mapping[str, Cell]) -> None:
    """Keep the cells, one a line."""
    lines = (
        f"{json.dumps(name)}: {json.dumps(cell, ensure_ascii=False)}" for name, cell in sorted(cells.items())
    )
    with open_whole(CELLS, encoding="utf-8") as out:
        out.write("{\n" + ",\n".join(lines) + "\n}\n")


def write_pages(cells: Mapping[str, Cell]) -> None:
    """Write docs/results.md with its pictures, and the figures that the README has of it."""
    for path, content in results_page.render(cells, SETTINGS, SIZES).items():
        (DOCS / path).write_text(content, "utf-8")
    if "race / 182k" in cells:
        README.write_text(rewrite(README.read_text("utf-8"), "race", results_page.race(cells)), "utf-8")


def main() -> int:
    """Run what is missing, and write the page if that is asked for; the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "patterns", nargs="*", metavar="PATTERN", help="only cells whose names hold one of these"
    )
    parser.add_argument("--most", type=int, default=10**9, metavar="N", help="run at most so many cells")
    parser.add_argument("--again", action="store_true", help="run also what has been run")
    parser.add_argument("--write", action="store_true", help="write docs/results.md, and run nothing")
    options = parser.parse_args()
    cells = read_cells()
    if options.write:
        write_pages(cells)
        return 0
    wanted = [
        name for name in names() if not options.patterns or any(one in name for one in options.patterns)
    ]
    missing = [name for name in wanted if options.again or name not in cells]
    for name in missing[: options.most]:
        print(name, file=sys.stderr, flush=True)
        try:
            cell = run_cell(name, cells)
        except MissingError as error:
            print(f"left out: {error}", file=sys.stderr)
            continue
        cells = read_cells() | {name: cell}
        described = f"set / {name.split(' / ')[0]}"
        if name.split(" / ")[0] in sets.SETS and described not in cells:
            cells[described] = sets.get(name.split(" / ")[0], SCRATCH / "sets").describe()
        write_cells(cells)
    print(f"{max(0, len(missing) - options.most)} of {len(wanted)} cells are left", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
