"""What an archive costs: `python benchmarks/archive.py [--only add|check|readers|growth|stream|families]`.

- add: 182,067 articles from JSON lines, durably, beside `find` on the same file; bytes an article.
- check: open and first memory; 1,000 checks of articles in one process; one file stitched from parts of 180 articles.
- readers: 50 open readers that ask 50 questions a second together, beside a writer that adds 100 articles a second.
- growth: the median check at 20,000, 60,000 and 182,067 articles.
- stream: 30 days of 1,000 articles through a window of 7 days; disk and memory by day, answers as of an archive made afresh.
- families: checks of 100,000 articles with one formula of 40 words in each, and of 60,000 identical texts beside 40,000 others; also
  after each of some articles that come one at a time. Made-up words, which need no kit.

The others need the benchmark kit's corpora, as `benchmarks/run.py` does. Archives go to the kit's scratch folder.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from run import ARTICLES, KIT, SCRATCH, Target, check, kit, set_up, table  # type: ignore[import-not-found]

import wirecopy
from wirecopy import Archive

DATA: Path = SCRATCH / "data"
ARCHIVES: Path = SCRATCH / "archives"
CHECKS = 1000
ROUNDS = 5
STITCHED, PARAGRAPHS = 180, 6
READERS, QUESTIONS, ADDED, SECONDS = 50, 50, 100, 20
PROCESSES = 5
"""Into so many processes the readers are put, ten in each."""
WINDOW_DAYS = 7
FAMILY, COPIES, STREAMED = 100_000, 60_000, 200


def main() -> int:
    parts = {
        "add": measure_add,
        "check": measure_check,
        "readers": measure_readers,
        "growth": measure_growth,
        "stream": measure_stream,
        "families": measure_families,
    }
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=list(parts), help="one part")
    parser.add_argument("--reader", nargs=3, metavar=("ARCHIVE", "SIZE", "SEED"), help=argparse.SUPPRESS)
    parser.add_argument("--writer", nargs=1, metavar="ARCHIVE", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.reader:
        return be_readers(Path(asked.reader[0]), asked.reader[1], int(asked.reader[2]))
    if asked.writer:
        return be_writer(Path(asked.writer[0]))
    ARCHIVES.mkdir(parents=True, exist_ok=True)
    if asked.only == "families":
        return 0 if measure_families() else 1
    if not (KIT / "run_peers.py").is_file():
        print(
            "nothing measured: the benchmark kit is not in ../shared/bench beside the project",
            file=sys.stderr,
        )
        return 0
    set_up(ARTICLES)
    held = [part() for name, part in parts.items() if asked.only in (None, name)]
    return 0 if all(held) else 1


def corpus(size: str) -> Path:
    return DATA / f"news{size}.jsonl"


def run_program(*arguments: object) -> float:
    """Seconds that a run of wirecopy takes, start-up included."""
    program = Path(sys.executable).with_name("wirecopy")
    started = time.monotonic()
    subprocess.run([str(program), *map(str, arguments)], check=True, capture_output=True)
    return time.monotonic() - started


def remove(archive: Path) -> None:
    for path in archive.parent.glob(archive.name + "*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def make(size: str) -> Path:
    """An archive of a whole corpus, made once."""
    archive = ARCHIVES / f"news{size}.archive"
    ARCHIVES.mkdir(parents=True, exist_ok=True)
    if not archive.exists():
        run_program("add", archive, corpus(size), "--quiet")
    return archive


def measure_add() -> bool:
    archive = ARCHIVES / "news182k.archive"
    rounds = []
    for _ in range(3):
        remove(archive)
        found = run_program("find", corpus("182k"), "-q", "-o", os.devnull)
        rounds.append((run_program("add", archive, corpus("182k"), "-q"), found))
    with Archive.open(archive) as opened:
        info = opened.info()
    index, stored = info["index_bytes_an_article"], info["store_bytes_an_article"]
    shown = [[f"{added:.1f}", f"{found:.1f}", f"{added / found:.2f}"] for added, found in rounds]
    print(f"\n{ARTICLES['182k']:,} articles, {index} bytes of index and {stored} of store an article\n")
    print(table(["add s", "find s", "add / find"], shown))
    ratio = median(added / found for added, found in rounds)
    return bool(
        check(
            [
                ("add, times find", ratio, "≤ 3", ratio <= 3),
                ("bytes of index an article", index, "≤ 1500", index <= 1500),
            ]
        )
    )


def questions(size: str, number: int, seed: int) -> list[dict[str, Any]]:
    """Articles of a corpus under other ids."""
    lines = corpus(size).read_text("utf-8").splitlines()
    chosen = random.Random(seed).sample(lines, number)
    return [{**json.loads(line), "id": f"question {place}"} for place, line in enumerate(chosen)]


def time_checks(archive: Archive, asked: Sequence[Any]) -> Any:
    """Milliseconds of each check."""
    times = []
    for one in asked:
        started = time.perf_counter()
        archive.check(one)
        times.append(time.perf_counter() - started)
    return np.array(times) * 1000


def measure_check() -> bool:
    path = make("182k")
    program = (
        "import resource, sys, time, wirecopy; started = time.perf_counter();"
        "archive = wirecopy.Archive.open(sys.argv[1]); took = time.perf_counter() - started;"
        "print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)"
    )
    opened = subprocess.run(
        [sys.executable, "-c", program, str(path)], check=True, capture_output=True, text=True
    )
    open_seconds, open_mb = map(float, opened.stdout.split())
    asked = questions("182k", CHECKS, 1)
    with Archive.open(path) as archive:
        time_checks(archive, asked)
        rounds = [np.percentile(time_checks(archive, asked), [50, 99]) for _ in range(ROUNDS)]
        p50, p99 = np.median(rounds, axis=0)
        stitched, named = stitch()
        archive.check(stitched, top=None)
        times, found = [], set()
        for _ in range(ROUNDS):
            started = time.perf_counter()
            [answer] = archive.check(stitched, top=None)
            times.append((time.perf_counter() - started) * 1000)
            found = {match.found for match in answer.matches}
    words = len(stitched.split())
    print(
        f"\n{CHECKS:,} checks with passages, median of {ROUNDS} rounds; a file of {words:,} words stitched from "
        f"{PARAGRAPHS} paragraphs of each of {STITCHED} articles"
    )
    took = median(times)
    return bool(
        check(
            [
                ("check, median ms", p50, "≤ 3", p50 <= 3),
                ("check, 99th percentile ms", p99, "≤ 15", p99 <= 15),
                ("stitched file, articles named", len(named & found), f"= {STITCHED}", named <= found),
                ("stitched file, ms", took, "≤ 156", took <= 156),
                ("open, seconds", open_seconds, "≤ 1", open_seconds <= 1),
                ("resident before the first check, MB", open_mb, "≤ 300", open_mb <= 300),
            ]
        )
    )


def stitch() -> tuple[str, set[str]]:
    """Paragraphs of many articles in one text, and the ids of these."""
    chooser = random.Random(2)
    lines = corpus("182k").read_text("utf-8").splitlines()
    chooser.shuffle(lines)
    parts: list[str] = []
    named: set[str] = set()
    for line in lines:
        article = json.loads(line)
        paragraphs = [one for one in article["text"].split("\n\n") if len(one.split()) >= 25]
        if len(paragraphs) >= PARAGRAPHS:
            parts += chooser.sample(paragraphs, PARAGRAPHS)
            named.add(str(article["id"]))
        if len(named) == STITCHED:
            break
    return "\n\n".join(parts), named


def measure_readers() -> bool:
    """Readers and a writer on a copy of the archive, in processes of their own."""
    original, path = make("182k"), ARCHIVES / "readers.archive"
    remove(path)
    shutil.copy(original, path)
    shutil.copytree(f"{original}-index", f"{path}-index")
    me = [sys.executable, str(Path(__file__).resolve())]
    readers = [
        subprocess.Popen([*me, "--reader", str(path), "182k", str(seed)], stdout=subprocess.PIPE, text=True)
        for seed in range(PROCESSES)
    ]
    writer = subprocess.Popen([*me, "--writer", str(path)], stdout=subprocess.PIPE, text=True)
    times = [json.loads(reader.communicate()[0]) for reader in readers]
    added = int(writer.communicate()[0])
    every = np.array([took for mine in times for took in mine])
    p50, p99 = np.percentile(every, [50, 99])
    remove(path)
    print(
        f"\n{len(every):,} questions of {READERS} readers in {SECONDS} s beside a writer that added {added:,} articles; from when "
        "a question was due to its answer"
    )
    return bool(
        check(
            [
                ("check beside a writer, median ms", p50, "≤ 6", p50 <= 6),
                ("check beside a writer, 99th percentile ms", p99, "≤ 30", p99 <= 30),
                (
                    "articles added a second",
                    added / SECONDS,
                    f"≥ {ADDED * 0.95:.0f}",
                    added >= ADDED * SECONDS * 0.95,
                ),
            ]
        )
    )


def be_readers(path: Path, size: str, seed: int) -> int:
    """Some open readers of one process that take turns; prints the milliseconds of each answer."""
    readers = [Archive.open(path) for _ in range(READERS // PROCESSES)]
    rate = QUESTIONS / PROCESSES
    asked = questions(size, int(rate * (SECONDS + 10)), seed)
    for reader, one in zip(readers * 20, asked[: 20 * len(readers)], strict=False):
        reader.check(one)
    times = []
    begin = time.monotonic()
    for number, one in enumerate(asked[: int(rate * SECONDS)]):
        due = begin + (number + seed / PROCESSES) / rate
        time.sleep(max(0, due - time.monotonic()))
        readers[number % len(readers)].check(one)
        times.append((time.monotonic() - due) * 1000)
    print(json.dumps(times))
    return 0


def be_writer(path: Path) -> int:
    """Adds articles at a steady pace while the readers ask; prints how many."""
    asked = questions("60k", ADDED * (SECONDS + 10), 9)
    with Archive.open(path) as archive:
        begin, added, a_time = time.monotonic(), 0, 20
        while (elapsed := time.monotonic() - begin) < SECONDS:
            if added < elapsed * ADDED:
                batch = asked[added : added + a_time]
                added += archive.add(
                    [{**one, "id": f"new {added + at}"} for at, one in enumerate(batch)], learn=False
                ).added
            else:
                time.sleep(0.01)
    print(added)
    return 0


def measure_growth() -> bool:
    rows, medians = [], {}
    archives = {size: Archive.open(make(size)) for size in ARTICLES}
    asked = questions("20k", CHECKS, 4)
    for archive in archives.values():
        time_checks(archive, asked)
    rounds: dict[str, list[Any]] = {size: [] for size in ARTICLES}
    for _ in range(ROUNDS):
        for size, archive in archives.items():
            rounds[size].append(np.percentile(time_checks(archive, asked), [50, 99]))
    for size, archive in archives.items():
        p50, p99 = np.median(rounds[size], axis=0)
        medians[size] = p50
        rows.append([size, f"{p50:.2f}", f"{p99:.2f}", f"{archive.info()['index_bytes_an_article']}"])
        archive.close()
    print(f"\nthe same {CHECKS:,} articles of the smallest, sizes interleaved, median of {ROUNDS} rounds\n")
    print(table(["articles", "median ms", "99th percentile ms", "index bytes / article"], rows))
    grown = medians["182k"] / medians["20k"]
    return bool(check([("median check, 182k / 20k", grown, "≤ 2", grown <= 2)]))


def measure_stream() -> bool:
    """30 days through a window; every day the archive answers as one made afresh of its live articles."""
    source = DATA / "stream30d1000.jsonl"
    if not source.exists():
        kit("make_stream.py", "--days", "30", "--per-day", "1000")
    days: dict[str, list[Any]] = {}
    for line in source.read_text("utf-8").splitlines():
        article = json.loads(line)
        days.setdefault(article["published"][:10], []).append(article)
    path, fresh = ARCHIVES / "stream.archive", ARCHIVES / "fresh.archive"
    remove(path)
    rows, same, disk, memory = [], True, [], []
    with Archive.open(path, create=True, window=f"{WINDOW_DAYS}d") as archive:
        for number, (day, articles) in enumerate(days.items(), 1):
            started = time.monotonic()
            archive.add(articles)
            took = time.monotonic() - started
            archive.learn()
            live = [wirecopy.Article(one.id, one.text, published=one.published) for one in archive.articles()]
            remove(fresh)
            with Archive.open(fresh, create=True) as other:
                other.add(live)
                other.learn()
                same &= [match.to_dict() for match in archive.pairs()] == [
                    match.to_dict() for match in other.pairs()
                ]
                for one in articles[:: len(articles) // 20]:
                    ours, theirs = (
                        sorted(json.dumps(match.to_dict()) for match in which.check(one)[0].matches)
                        for which in (archive, other)
                    )
                    same &= ours == theirs
            info = archive.info()
            memory.append(int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6)
            disk.append((info["index_bytes"] + info["store_bytes"]) / 1e6)
            rows.append(
                [
                    day,
                    f"{len(live):,}",
                    f"{took:.2f}",
                    f"{info['segments']}",
                    f"{disk[-1]:.1f}",
                    f"{memory[-1]:.0f}",
                ]
            )
            print(f"day {number}: {rows[-1]}", file=sys.stderr, flush=True)
    remove(fresh)
    print("\n" + table(["day", "live", "add s", "segments", "disk MB", "memory MB"], rows))
    settled = slice(WINDOW_DAYS + 1, None)
    disk_grown, memory_grown = (max(one[settled]) / one[WINDOW_DAYS + 1] for one in (disk, memory))
    lines: list[Target] = [
        ("disk, most after day 8 / day 9", disk_grown, "≤ 1.25", disk_grown <= 1.25),
        ("memory, most after day 8 / day 9", memory_grown, "≤ 1.25", memory_grown <= 1.25),
        ("answers as of an archive made afresh, every day", float(same), "= 1", same),
    ]
    return bool(check(lines))


def measure_families() -> bool:
    """Texts that share what very many articles have: each check takes no longer, and every count is true."""
    writer = random.Random(7)
    known = ["".join(writer.choices("abcdefghijklmnoprstuvz", k=writer.randint(2, 9))) for _ in range(30_000)]

    def write(words: int) -> str:
        return " ".join(writer.choices(known, k=words))

    formula, text = write(40), write(200)
    piles = {
        "a formula in each": [f"{write(writer.randint(60, 240))} {formula}" for _ in range(FAMILY)],
        "60,000 identical": [text] * COPIES
        + [write(writer.randint(60, 240)) for _ in range(FAMILY - COPIES)],
    }
    lines: list[Target] = []
    for name, texts in piles.items():
        path = ARCHIVES / "families.archive"
        remove(path)
        days = [f"2026-{1 + day // 28:02}-{1 + day % 28:02}" for day in range(100)]
        records = [
            {"id": f"{number:06}", "text": one, "published": writer.choice(days)}
            for number, one in enumerate(texts)
        ]
        writer.shuffle(records)
        asked = [(one, texts.count(one)) for one in (texts[0], texts[-1])] * 10
        asked += [(one, texts.count(one)) for one in writer.sample(texts, CHECKS - 20)]
        with Archive.open(path, create=True) as archive:
            archive.add(records)
        with Archive.open(path) as archive:
            first = time_checks(archive, [texts[0]])[0]
            wrong = 0
            rounds = []
            for _ in range(ROUNDS):
                times = []
                for one, number in asked:
                    started = time.perf_counter()
                    [answer] = archive.check(one)
                    times.append((time.perf_counter() - started) * 1000)
                    wrong += (answer.articles, answer.contained_in_count, answer.at_least) != (
                        number,
                        number,
                        False,
                    )
                rounds.append(np.percentile(times, [50, 99]))
            p50, p99 = np.median(rounds, axis=0)
            grown = []
            for number, (one, _) in enumerate(asked[:STREAMED]):
                archive.observe({"id": f"new {number}", "text": f"{write(90)} {formula}"})
                grown += time_checks(archive, [one]).tolist()
        remove(path)
        lines += [
            (f"{name}: first check, ms", first, "", True),
            (f"{name}: check, median ms", p50, "≤ 3", p50 <= 3),
            (f"{name}: check, 99th percentile ms", p99, "≤ 15", p99 <= 15),
            (f"{name}: counts that are not true", wrong, "= 0", wrong == 0),
        ]
        for which, limit, value in zip(
            ("median", "99th percentile"), (3, 15), np.percentile(grown, [50, 99]), strict=True
        ):
            lines.append((f"{name}: check in a stream, {which} ms", value, f"≤ {limit}", value <= limit))
    print(
        f"\n{FAMILY:,} articles, {CHECKS:,} checks, median of {ROUNDS} rounds; {STREAMED} checks, each after one article more"
    )
    return bool(check(lines))


if __name__ == "__main__":
    sys.exit(main())
