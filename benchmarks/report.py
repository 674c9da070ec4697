"""What a report costs: `python benchmarks/report.py [--stories N] [--corpus FILE] [--keep FILE]`.

The collection is made up, from one seed: N stories (10,000), of 2 to 8 articles each, 5.016 on average. The first article of a story has
16 to 37 sentences of 7 to 19 words, four a paragraph (`quality/texts.py`: 20,000 words of two to four syllables, the common ones often).
Every other article comes from an earlier one of its story, hours later: a tenth is the same text; in all others a fifth of the sentences is
edited, by one word replaced, dropped or preceded by a new one; of these a sixth is cut at the end, a sixth extended, and a ninth
has its first two paragraphs moved to the end. With 40 sources, over a year. So 10,000 stories have 50,160 articles.

Measured is the whole command, `wirecopy report FILE -o report.html`, and the writing alone, each in a process of its own: seconds, and the
most memory the process has held. Nothing is written outside the scratch folder of `benchmarks/run.py`, unless --keep names a file.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from run import SCRATCH, Target, check  # type: ignore[import-not-found]

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from quality.texts import Writer  # noqa: E402

STORIES = 10_000
SIZES = (2, 3, 4, 5, 5, 6, 7, 8)
EXTRA = 160
"""So many stories of 10,000 have one article more, which makes 50,160."""
SECONDS, MEGABYTES = 60, 1000
"""What the writing may take, and hold."""
START = datetime(2024, 1, 1, tzinfo=UTC)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stories", type=int, default=STORIES, help="how many stories; 10,000 by default")
    parser.add_argument("--corpus", type=Path, help="measure on this file of articles instead")
    parser.add_argument("--keep", type=Path, help="leave the report there, for the browser to open")
    parser.add_argument("--write", nargs=2, type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.write:
        return write_alone(*asked.write)
    (SCRATCH / "data").mkdir(parents=True, exist_ok=True)
    corpus = asked.corpus or SCRATCH / "data" / f"stories{asked.stories}.jsonl"
    if not corpus.exists():
        write_corpus(corpus, asked.stories)
    report = asked.keep or SCRATCH / "report.html"
    return 0 if measure(corpus, report) else 1


def write_corpus(path: Path, stories: int) -> None:
    """Write the collection, the same for the same number of stories."""
    unfinished = path.with_suffix(".part")
    with unfinished.open("w", encoding="utf-8") as out:
        for row in make_articles(stories):
            out.write(json.dumps(row) + "\n")
    unfinished.rename(path)


def make_articles(stories: int, seed: int = 20) -> Iterator[dict[str, Any]]:
    """The articles of some stories, story by story."""
    writer = Writer(seed)
    dice = writer.random
    for story in range(stories):
        members = [
            (write_sentences(writer, dice.randint(16, 37)), START + timedelta(hours=dice.uniform(0, 8700)))
        ]
        for _ in range(SIZES[story % len(SIZES)] - 1 + (story * EXTRA % STORIES < EXTRA)):
            sentences, at = dice.choice(members)
            members.append((copy(writer, sentences), at + timedelta(hours=dice.uniform(0.1, 60))))
        for number, (sentences, at) in enumerate(members):
            parts = [f"{' '.join(words).capitalize()}." for words in sentences]
            yield {
                "id": f"s{story:05}/{number}",
                "title": " ".join(sentences[0][:7]).capitalize(),
                "text": "\n\n".join(" ".join(parts[start : start + 4]) for start in range(0, len(parts), 4)),
                "published": at.isoformat(timespec="seconds"),
                "source": f"paper{dice.randrange(40):02}",
            }


def write_sentences(writer: Writer, count: int) -> list[list[str]]:
    """So many new sentences."""
    return [writer.write(writer.random.randint(7, 19)) for _ in range(count)]


def copy(writer: Writer, sentences: list[list[str]]) -> list[list[str]]:
    """A copy of a text, most of them edited."""
    dice = writer.random
    kind = dice.randrange(20)
    if kind < 2:
        return sentences
    edited = [edit(writer, words) if dice.random() < 0.2 else words for words in sentences]
    if kind < 5:
        return edited[: int(len(edited) * dice.uniform(0.5, 0.9))]
    if kind < 8:
        return edited + write_sentences(writer, dice.randint(3, 15))
    return edited[8:] + edited[:8] if kind < 10 else edited


def edit(writer: Writer, words: list[str]) -> list[str]:
    """A sentence with one word replaced, dropped, or preceded by a new one."""
    at = writer.random.randrange(len(words))
    kind = writer.random.randrange(3)
    return words[:at] + (writer.write(1) if kind else []) + words[at + (kind < 2) :]


def write_alone(corpus: Path, report: Path) -> int:
    """Tell the stories of a file, then write the report on them; print how long that took, and how much memory, as JSON."""
    import wirecopy

    told = wirecopy.stories(corpus)
    before = held()
    started, worked = time.monotonic(), time.process_time()
    size = wirecopy.write_report(told, report)
    seconds, cpu = time.monotonic() - started, time.process_time() - worked
    counts = {"stories": len(told), "articles": int(told.sizes().sum()), "matches": len(told.matches)}
    print(
        json.dumps(
            {"seconds": seconds, "cpu": cpu, "before": before, "held": held(), "bytes": size, **counts}
        )
    )
    return 0


def held() -> float:
    """The most megabytes that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(corpus: Path, report: Path) -> bool:
    """Write the report in one process, then as the command does in another; whether all targets hold."""
    program = Path(sys.executable).with_name("wirecopy")
    alone = subprocess.run(
        [sys.executable, __file__, "--write", corpus, report], check=True, capture_output=True, text=True
    )
    told = json.loads(alone.stdout)
    again = report.with_suffix(".again.html")
    started = time.monotonic()
    subprocess.run([program, "report", corpus, "-o", again, "-q"], check=True)
    whole = time.monotonic() - started
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    text = corpus.stat().st_size / 1e6
    print(
        "\n{stories:,} stories of {articles:,} articles, {matches:,} matches among them;".format(**told),
        end=" ",
    )
    print(f"{text:,.0f} MB of articles, a report of {told['bytes'] / 1e6:,.1f} MB")
    print(f"writing it took {told['cpu']:.1f} s of CPU time; the whole command {whole:.1f} s, in which")
    print(f"finding the stories held {told['before']:,.0f} MB")
    again.unlink()
    lines: list[Target] = [
        ("writing, seconds", told["seconds"], f"≤ {SECONDS}", told["seconds"] <= SECONDS),
        ("the process, MB", most, f"≤ {MEGABYTES}", most <= MEGABYTES),
    ]
    held_all: bool = check(lines)
    return held_all


if __name__ == "__main__":
    sys.exit(main())
