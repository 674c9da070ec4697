"""The pictures of the docs, taken of real reports and a running service: `make pictures`, where there is a Chromium.

What is shown is the demo archive, copies of one of its articles, and what the tests in `tests/browser` look at in Arabic, Hebrew, Chinese
and Thai.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from browser.news import OWN, told  # noqa: E402

import wirecopy  # noqa: E402
from wirecopy.demo import write_archive  # noqa: E402

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
WIDTH, MOST_BYTES = 1060, 150_000


class Picture(NamedTuple):
    """Which page, at which address inside it, and how high."""

    page: str
    hash: str
    height: int = 580


def pair(query: str, found: str) -> str:
    """The address of a pair of the story of what was found."""
    return f"#pair/{quote(query, safe='')}/{quote(found, safe='')}?in={quote(found, safe='')}"


PICTURES: Mapping[str, Picture] = {
    "overview": Picture("demo", "#overview", 760),
    "stories": Picture("demo", "#stories"),
    "story": Picture("more", "#story/wire%2F1", 620),
    "pair": Picture("more", pair("mercury/1", "wire/1"), 520),
    "moved": Picture("more", pair("post/1", "wire/1"), 520),
    "arabic": Picture("more", pair("ar/1", "ar/0"), 420),
    "hebrew": Picture("more", pair("he/1", "he/0"), 420),
    "chinese": Picture("more", pair("zh/1", "zh/0"), 420),
    "thai": Picture("more", pair("th/1", "th/0"), 420),
    "check": Picture("check", ""),
    "scores": Picture("scores", "", 1000),
}


def make_copies(original: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """An article, a copy with its first paragraph moved to the end, and one that is cut and edited, with a paragraph of its own."""
    _, first, *others = original["text"].split("\n\n")
    edited = [re.sub(r"\b(said|was|had)\b", "reportedly", one) for one in (first, *others[:-2])]
    texts = {"wire": [first, *others], "post": [*others, first], "mercury": [*edited, OWN]}
    sources = {"wire": "Meridian Wire", "post": "Harbour Post", "mercury": "City Mercury"}
    for hour, (name, parts) in enumerate(texts.items(), 8):
        about = {"id": f"{name}/1", "source": sources[name], "published": f"2026-04-01T{hour:02}:10:00Z"}
        yield about | {"text": "\n\n".join(parts), "title": original["title"]}


def choose_original(demo: Path) -> dict[str, Any]:
    """The article of the demo that is copied: the one with most paragraphs."""
    articles: list[dict[str, Any]] = [json.loads(line) for line in demo.open(encoding="utf-8")]
    return max(articles, key=lambda one: (one["text"].count("\n\n"), one["id"]))


def write_draft(text: str) -> str:
    """A text that copies two paragraphs of another."""
    paragraphs = text.split("\n\n")
    return "\n\n".join([paragraphs[2], "The rest of this nobody else has written yet.", paragraphs[4]])


def write_pages(folder: Path) -> dict[str, Path]:
    """The reports that are shown, by name."""
    from wirecopy.report import open_answers

    demo = write_archive(folder / "demo-archive") / "articles.jsonl"
    original = choose_original(demo)
    copies = list(make_copies(original))
    more = folder / "more.jsonl"
    scripts = [one for one in told() if one["id"][:2] in ("ar", "he", "zh", "th")]
    more.write_text("".join(json.dumps(one) + "\n" for one in [*copies, *scripts]), "utf-8")
    pages = {name: folder / f"{name}.html" for name in ("demo", "more", "check", "scores")}
    for name, place in (("demo", demo), ("more", more)):
        wirecopy.write_report(wirecopy.stories(place), pages[name], title="Copies in demo-archive")
    draft = write_draft(original["text"])
    with wirecopy.Archive.open(folder / "news.db", create=True) as archive:
        archive.add(demo)
        [answer] = archive.check([wirecopy.Article("draft.txt", draft)])
        known = archive.learnt.known
        with open_answers(
            pages["check"], archive.get, preset="syndication", boilerplate=known, made_from=["news.db"]
        ) as add:
            add(answer, draft)
    write_scores(folder, demo, pages["scores"])
    return pages


def write_scores(folder: Path, articles: Path, page: Path) -> None:
    """What a method by itself is worth on the demo archive."""
    from wirecopy.evaluation import evaluate, read_known, write_page

    ranked = folder / "ranked.jsonl"
    told = wirecopy.opinions(articles, wirecopy.methods.get("resemblance", threshold=0.05))
    ranked.write_text("".join(told.json_lines()), "utf-8")
    truth = articles.with_name("truth.jsonl")
    scores = evaluate(truth, ranked, known=read_known([articles]))
    write_page(scores, page, gold=truth.name, result=ranked.name)


SITE = {"pasted": ("/", 640), "judging": ("/judge/1", 560), "agreement": ("/judge/1/agreement", 560)}
"""Pages of the service: the address, and how high."""
JUDGES = {"ann": 7, "ben": 5, "cid": 3}
"""Who judges, and which of their judgements, counted through, are others."""


def write_judged(folder: Path) -> Path:
    """An archive with a queue of doubtful pairs, of which some are judged."""
    from wirecopy.archive.desk import Desk
    from wirecopy.evaluation.judging import make_queue
    from wirecopy.evaluation.pooling import choose_doubtful
    from wirecopy.evaluation.tasks import DEFAULT_TASK

    path = folder / "news.db"
    with wirecopy.Archive.open(path) as archive, Desk(path) as desk:
        queues = desk.queues
        matches = archive.pairs()
        relations = {(one.query, one.found): str(one.relation) for one in matches}
        queue, _ = make_queue(queues, "doubtful", DEFAULT_TASK, choose_doubtful(matches, 6))
        for judge, step in JUDGES.items():
            for place, pair in enumerate(queues.pairs(queue.number)[: 60 if judge != "cid" else 40], 1):
                other = "partial" if place % step == 0 else relations[pair.query, pair.found]
                if judge != "cid" or queues.is_disagreed(queue.number, pair, judge):
                    queues.say(queue.number, pair, judge, other)
    return path


@contextmanager
def serve(path: Path) -> Iterator[str]:
    """The address of a service of an archive."""
    command = [sys.executable, "-m", "wirecopy", "serve", str(path), "--port", "0", "--quiet", "--no-deliver"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        found = next(filter(None, (re.search(r" at (http://\S+)", line) for line in process.stderr)))
        yield found[1]
        process.terminate()


def take_site(browser: Any, url: str, name: str, draft: str, path: Path) -> int:
    """Take a picture of a page of the service, and return its size in bytes."""
    address, height = SITE[name]
    page = _open(browser, height)
    page.goto(url + address)
    if name == "pasted":
        page.fill("textarea", draft)
        page.click("button.main")
        page.wait_for_selector("main:not([aria-busy]) .sources")
    page.screenshot(path=path)
    page.close()
    return path.stat().st_size


def main() -> int:
    """Take all pictures, and say how large they are; the exit code."""
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        print(f"no picture: none of {', '.join(CHROMIUM)} is on the PATH", file=sys.stderr)
        return 1
    from playwright.sync_api import sync_playwright

    folder = ROOT / "docs" / "pictures"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        pages = write_pages(Path(scratch))
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        sizes = {name: take(browser, pages, one, folder / f"{name}.png") for name, one in PICTURES.items()}
        with serve(write_judged(Path(scratch))) as url:
            draft = write_draft(choose_original(Path(scratch) / "demo-archive" / "articles.jsonl")["text"])
            sizes |= {name: take_site(browser, url, name, draft, folder / f"{name}.png") for name in SITE}
        browser.close()
    for name, size in sizes.items():
        print(f"docs/pictures/{name}.png  {size:,} bytes" + "  TOO LARGE" * (size > MOST_BYTES))
    return int(max(sizes.values()) > MOST_BYTES)


def take(browser: Any, pages: Mapping[str, Path], one: Picture, path: Path) -> int:
    """Take one picture, and return its size in bytes."""
    page = _open(browser, one.height)
    page.goto(pages[one.page].as_uri() + one.hash)
    page.wait_for_selector("main:not([aria-busy]) h1")
    page.screenshot(path=path)
    page.close()
    return path.stat().st_size


def _open(browser: Any, height: int) -> Any:
    view = {"width": WIDTH, "height": height}
    return browser.new_page(viewport=view, color_scheme="light", reduced_motion="reduce", locale="en-GB")


if __name__ == "__main__":
    sys.exit(main())
