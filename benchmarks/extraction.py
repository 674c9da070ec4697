"""Content extraction on the labelled development pages: text, blocks, metadata, and the time it takes.

    python benchmarks/extraction.py [--figures] [--peers] [--metadata] [--torn] [--speed]

Without a part named, all. The pages and the scorer are those of `../shared/data` (or `$WIRECOPY_SHARED_DIR/data`), unpacked into
`$WIRECOPY_DATA_DIR/extraction`. Figures are cross-validated: five folds over sites, and each collection by a model of
the other six; answers are kept fold by fold under `$WIRECOPY_BENCH_DIR/extraction`, so that an interrupted run goes
on. All results are development results.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import Any

from wirecopy import _core
from wirecopy.extraction import extract_pages, load_model
from wirecopy.extraction.labelled import LabelledPage, read_labelled
from wirecopy.extraction.validation import (
    PAPER,
    Answer,
    answer,
    answer_all,
    cross_validate,
    part_by_collection,
    part_by_site,
    score,
    text_f,
)
from wirecopy.model import Page

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("WIRECOPY_SHARED_DIR") or ROOT.parent / "shared") / "data"
DATA = Path(os.environ.get("WIRECOPY_DATA_DIR") or Path.home() / ".cache" / "wirecopy-data") / "extraction"
SCRATCH = (
    Path(os.environ.get("WIRECOPY_BENCH_DIR") or Path.home() / ".cache" / "wirecopy-bench") / "extraction"
)

BEST = {
    "newspaper4k-news": 0.918,
    "dragnet": 0.914,
    "magic-article": 0.906,
    "fundus": 0.941,
    "wcxb-article": 0.927,
    "daniel-waddle": 0.909,
    "chinese-69": 0.895,
}
"""The collections, and what the best extractor reaches on each (README-extraction.md)."""
MEAN, BELOW, EMPTY = 0.915, 0.02, 0.01
METADATA = {
    "newspaper4k-news": {"date": 0.84, "title": 0.88, "author": 0.88},
    "fundus": {"date": 0.97, "title": 0.88, "author": 0.88},
}
KINDS = ("crf", "maxent", "heuristic")
PEERS = {"trafilatura": 1 / 10, "resiliparse": 2.0}
"""How much of each peer's CPU time wirecopy may take."""
INSTALL = "pip install trafilatura lxml_html_clean readability-lxml resiliparse"


def score_text(name: str, answers: Sequence[tuple[LabelledPage, str]]) -> dict[str, float]:
    """The scorer's own figures for the texts of one collection."""
    collection = answers[0][0].collection
    out = SCRATCH / f"{name}-{collection}.jsonl"
    out.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps({"id": page.id, "text": text}) + "\n" for page, text in answers)
    out.write_text("".join(lines), "utf-8")
    return run_scorer(collection, out)


def run_scorer(collection: str, out: Path, *options: str) -> dict[str, float]:
    scorer = SHARED / "score_extraction.py"
    command = [sys.executable, str(scorer), str(DATA / collection), str(out), *options]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[1:]
    return {name: float(value) for name, value in zip(printed[::2], printed[1::2], strict=True)}


def read_all() -> list[LabelledPage]:
    return [page for name in BEST for page in read_labelled(DATA / name)[0]]


def show_figures(kinds: Sequence[str]) -> bool:
    pages = read_all()
    print(f"{len(pages)} pages", file=sys.stderr)
    holds = True
    for kind in kinds:
        ways = {
            "five folds over sites": part_by_site(pages, 5),
            "each collection by the others": part_by_collection(pages),
        }
        for title, parts in ways.items():
            started = time.monotonic()
            if kind == "heuristic":
                answers, title = answer_all(pages, kind), "nothing is learnt"
            else:
                answers = cross_validate(pages, kind, parts, SCRATCH / "answers", talk)
            paper = ", ".join(f"{name} {value:.3f}" for name, value in PAPER.get(kind, {}).items())
            minutes = (time.monotonic() - started) / 60
            print(f"\n{kind}: {title} ({minutes:.1f} min; the paper's blocks: {paper or 'none given'})")
            holds &= show_table(f"{kind}-{parts[0]}", list(zip(pages, answers, strict=True)))
            if kind == "heuristic":
                break
    return holds


def show_peers() -> bool:
    """The text F of others on all pages, beside the cross-validated one of `crf`, which has not seen a page's site."""
    try:
        raced = peers()
    except ImportError as error:
        print(f"\npeers: not measured: {error}; {INSTALL}", file=sys.stderr)
        return True
    pages = read_all()
    crf = cross_validate(pages, "crf", part_by_site(pages, 5), SCRATCH / "answers", talk)
    texts = {"wirecopy": [one.text for one in crf]}
    contents = [_core.decode(page.path.read_bytes()) for page in pages]
    with ProcessPoolExecutor(2) as pool:
        for name in raced:
            talk(name)
            texts[name] = list(pool.map(partial(answer_by, name), contents, chunksize=20))
    print(f"\ntext F, {len(pages)} pages; wirecopy on sites it has not seen")
    print(f"{'':24}" + "".join(f"{one[:11]:>12}" for one in BEST) + f"{'mean':>8}")
    means = {}
    for name, found in texts.items():
        scores = []
        for one in BEST:
            some = [(page, text) for page, text in zip(pages, found, strict=True) if page.collection == one]
            scores.append(score_text(f"peer-{name}", some)["shF"])
        means[name] = mean(scores)
        print(f"{name:24}" + "".join(f"{value:12.3f}" for value in scores) + f"{means[name]:8.3f}")
    ours = means.pop("wirecopy")
    return promise("mean text F above the others'", ours, ours > max(means.values()))


def peers() -> dict[str, Callable[[str], str | None]]:
    """What gives the text of a page that is decoded already: not all read every encoding."""
    import trafilatura
    from lxml.html import document_fromstring
    from readability import Document
    from resiliparse.extract.html2text import extract_plain_text

    return {
        "trafilatura": lambda html: trafilatura.extract(html, include_comments=False),
        "trafilatura-precision": lambda html: trafilatura.extract(
            html, include_comments=False, favor_precision=True
        ),
        "readability-lxml": lambda html: " ".join(document_fromstring(Document(html).summary()).itertext()),
        "resiliparse": lambda html: extract_plain_text(html, main_content=True, comments=False),
    }


def answer_by(name: str, html: str) -> str:
    """What a peer makes of a page; nothing where it gives up."""
    try:
        return peers()[name](html) or ""
    except Exception:
        return ""


def talk(step: str) -> None:
    print(step, file=sys.stderr, flush=True)


def show_table(name: str, answers: Sequence[tuple[LabelledPage, Answer]]) -> bool:
    sets = {one: [pair for pair in answers if pair[0].collection == one] for one in BEST}
    blocks = {one: score(*unzip(pairs)) for one, pairs in sets.items()}
    texts = {
        one: score_text(name, [(page, answer.text) for page, answer in pairs]) for one, pairs in sets.items()
    }
    print("collection          text F   best    P     R   >=.95  empty | block P    R     F   perfect")
    for one, best in BEST.items():
        text, block = texts[one], blocks[one]
        print(
            f"{one:18} {text['shF']:7.3f} {best:6.3f} {text['shP']:5.3f} {text['shR']:5.3f} {text['ge95']:6.3f}"
            f" {text['empty']:6.3f} |   {block.precision:.3f} {block.recall:.3f} {block.f:.3f} {block.perfect:7.3f}"
        )
    overall = mean(text["shF"] for text in texts.values())
    pooled = score(*unzip(answers))
    print(
        f"{'all':18} {overall:7.3f} {mean(BEST.values()):6.3f} {'':18} {pooled.empty:6.3f} |   {pooled.precision:.3f}"
        f" {pooled.recall:.3f} {pooled.f:.3f} {pooled.perfect:7.3f}   (text: mean of the sets, blocks: all pages)"
    )
    if not name.startswith("crf"):
        return True
    return all(
        [
            promise(f"mean text F at least {MEAN}", overall, overall >= MEAN),
            promise(f"empty pages at most {EMPTY}", pooled.empty, pooled.empty <= EMPTY),
            *(
                promise(
                    f"{one} at least {best - BELOW:.3f}", texts[one]["shF"], texts[one]["shF"] >= best - BELOW
                )
                for one, best in BEST.items()
            ),
        ]
    )


def unzip(answers: Sequence[tuple[LabelledPage, Answer]]) -> tuple[list[LabelledPage], list[Answer]]:
    return [page for page, _ in answers], [answer for _, answer in answers]


def promise(what: str, measured: float, holds: bool) -> bool:
    print(f"{'holds ' if holds else 'MISSED'} {what}: {measured:.3f}")
    return holds


def read_pages(collection: str) -> list[Page]:
    return [
        Page(path.stem, path.read_bytes()) for path in sorted((DATA / collection / "html").glob("*.html"))
    ]


def show_metadata() -> bool:
    holds = True
    print("\nmetadata, without an address")
    for collection in (*METADATA, "wcxb-article", "daniel-waddle", "chinese-69"):
        out = SCRATCH / f"metadata-{collection}.jsonl"
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("w", encoding="utf-8") as lines:
            for extracted in extract_pages(read_pages(collection), model="heuristic", threads=2):
                article = extracted.article
                authors = (article.author or "").split("; ")
                record = {
                    "id": article.id,
                    "title": article.title,
                    "date": article.published,
                    "authors": authors,
                }
                lines.write(json.dumps(record) + "\n")
        found = run_scorer(collection, out, "--meta")
        for field in ("date", "title", "author"):
            limit = METADATA.get(collection, {}).get(field)
            if limit is not None:
                holds &= promise(
                    f"{collection} {field} at least {limit}", found[field], found[field] >= limit
                )
            elif field in found:
                print(f"       {collection} {field}: {found[field]:.3f}")
    return holds


TORN = (b"<script>", b"<style>", b"<!-- ", b"<textarea>", b"<iframe>", b"<title>", b'<div class="')
MOST_LOST = 0.02


def show_torn(pages_a_set: int = 40) -> bool:
    """What is left of the article when something is torn open right above it and never closed, by the model that ships."""
    chooser = random.Random(3)
    model = load_model("crf")
    whole: list[tuple[LabelledPage, bytes, int, float]] = []
    for name in BEST:
        pages = read_labelled(DATA / name)[0]
        for page in chooser.sample(pages, min(len(pages), pages_a_set)):
            content = page.path.read_bytes()
            at = begins_at(content, (DATA / name / "gold" / f"{page.id}.txt").read_text("utf-8"))
            found = text_f(page.gold, _core.split_words(answer(page, model).text))
            if at and found > 0.6:
                whole.append((page, content, at, found))
    print(f"\ntorn above the article, {len(whole)} pages: text F, and pages that lose more than 0.2")
    print(f"  {'nothing':12} {mean(found for *_, found in whole):.3f}")
    worst = 0.0
    for torn in TORN:
        broken = [Page("", content[:at] + torn + content[at:]) for _, content, at, _ in whole]
        texts = [one.article.text for one in extract_pages(broken, threads=2)]
        left = [text_f(one[0].gold, _core.split_words(text)) for one, text in zip(whole, texts, strict=True)]
        lost = mean(found < one[3] - 0.2 for one, found in zip(whole, left, strict=True))
        print(f"  {torn.decode():12} {mean(left):.3f}  {lost:.3f}")
        worst = max(worst, lost)
    return promise(f"at most {MOST_LOST} of the pages lost", worst, worst <= MOST_LOST)


def begins_at(content: bytes, gold: str) -> int:
    """Where the tag ends that comes before the one the article's first paragraph stands in; 0 if that is not found."""
    body = content.lower().find(b"<body")
    for line in gold.split("\n"):
        start = line.strip()[:25].encode()
        at = content.find(start, max(0, body)) if len(line.strip()) > 60 else -1
        inside = content.rfind(b"<", 0, at) > content.rfind(b">", 0, at)
        in_script = content.rfind(b"<script", 0, at) > content.rfind(b"</script", 0, at)
        if at > 0 and not inside and not in_script:
            return content.rfind(b">", 0, content.rfind(b"<", 0, at)) + 1
    return 0


def extractors() -> dict[str, Callable[[bytes], Any]]:
    """What is raced, each with text and metadata where it gives them."""
    import trafilatura
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    load_model("crf")
    return {
        "wirecopy": lambda html: extract_pages([Page("", html)]),
        "resiliparse": lambda html: extract_plain_text(
            bytes_to_str(html, detect_encoding(html)), main_content=True, comments=False
        ),
        "trafilatura": lambda html: trafilatura.bare_extraction(
            html, include_comments=False, with_metadata=True
        ),
    }


def show_speed(pages_a_set: int = 40, rounds: int = 3) -> bool:
    """CPU time of each, page by page in turns, so that the machine's moods fall on all alike."""
    try:
        raced = extractors()
    except ImportError as error:
        print(f"\nspeed: not measured: {error}; {INSTALL}", file=sys.stderr)
        return True
    chooser = random.Random(5)
    pages = [page.content for name in BEST for page in chooser.sample(read_pages(name), pages_a_set)]
    times: dict[str, list[float]] = {name: [] for name in raced}
    for extract in raced.values():
        extract(pages[0])
    for _ in range(rounds):
        spent = dict.fromkeys(raced, 0.0)
        for page in pages:
            for name, extract in raced.items():
                before = cpu()
                extract(page)
                spent[name] += cpu() - before
        for name, seconds in spent.items():
            times[name].append(seconds * 1000 / len(pages))
    holds = True
    print(
        f"\nCPU a page, text and metadata (resiliparse: text only), {len(pages)} pages, median of {rounds} rounds"
    )
    mine = median(times["wirecopy"])
    for name, spent_on in times.items():
        print(f"  {name:12} {median(spent_on):7.2f} ms")
    for name, most in PEERS.items():
        ratio = median(a / b for a, b in zip(times["wirecopy"], times[name], strict=True))
        holds &= promise(f"{mine:.2f} ms is at most {most:g} times {name}'s", ratio, ratio <= most)
    return holds


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--figures", action="store_true")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--metadata", action="store_true")
    parser.add_argument("--torn", action="store_true")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only these models (default: all)")
    asked = parser.parse_args()
    every = not (asked.figures or asked.peers or asked.metadata or asked.torn or asked.speed)
    if not (SHARED / "score_extraction.py").exists() or not all((DATA / name).is_dir() for name in BEST):
        print(f"no labelled pages in {DATA}, or no scorer in {SHARED}: nothing measured", file=sys.stderr)
        return 0
    holds = [
        show_figures(asked.kind or KINDS) if every or asked.figures else True,
        show_peers() if every or asked.peers else True,
        show_metadata() if every or asked.metadata else True,
        show_torn() if every or asked.torn else True,
        show_speed() if every or asked.speed else True,
    ]
    return 0 if all(holds) else 1


if __name__ == "__main__":
    sys.exit(main())
