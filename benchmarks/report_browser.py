"""How soon a large report can be read: `python benchmarks/report_browser.py [--report FILE]`.

The report is that of `benchmarks/report.py --keep FILE`, by default `report.html` in its scratch folder. It is opened from disk in headless
Chromium, at full speed and with the processor slowed down four times: until the list of stories stands there, then twenty of its stories and a
pair of each, all over the file, each until its view stands there. Said are the slowest of three openings, and of all stories and pairs.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from run import SCRATCH, Target, check  # type: ignore[import-not-found]

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
SLOWED = 4
LIST, LIST_SLOWED, STORY, PAIR = 1.0, 3.0, 0.5, 0.3
"""Seconds that each may take; stories and pairs at full speed."""
OPENINGS, OPENED = 3, 20

STARTED = """addEventListener("DOMContentLoaded", () => { window.wholeAt = performance.now(); });
new MutationObserver((_, observer) => {
  if (!document.querySelector(".rows a")) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.listedAt = performance.now(); }));
}).observe(document, { childList: true, subtree: true });"""
"""Notes when the list stands there and was painted."""
GO = """([hash, selector]) => new Promise((done) => {
  const started = performance.now();
  const observer = new MutationObserver(() => {
    if (!document.querySelector(`main:not([aria-busy]) ${selector}`)) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => done((performance.now() - started) / 1000)));
  });
  observer.observe(document.getElementById("main"), { childList: true, subtree: true, attributes: true });
  location.hash = hash;
})"""
"""Goes to a view, and says after how many seconds it was painted."""
FIND_PAIR = "document.querySelector(\"main a[href^='#pair/']\")?.getAttribute('href')"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--report", type=Path, default=SCRATCH / "report.html", help="the report to open")
    report = parser.parse_args().report
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None or not report.is_file():
        missing = f"none of {', '.join(CHROMIUM)} is on the PATH" if path is None else f"no {report}"
        print(f"nothing measured: {missing}; benchmarks/report.py --keep FILE writes one", file=sys.stderr)
        return 0
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        listed, stories, pairs = measure(browser, report)
        listed_slowed, stories_slowed, pairs_slowed = measure(browser, report, SLOWED)
        browser.close()
    print(f"\n{report.stat().st_size / 1e6:,.1f} MB; with the processor {SLOWED} times slower: ", end="")
    print(f"a story {max(stories_slowed):.2f} s, a pair {max(pairs_slowed):.2f} s")
    lines: list[Target] = [
        ("list, seconds", listed, f"≤ {LIST}", listed <= LIST),
        (f"list at ×{SLOWED}, seconds", listed_slowed, f"≤ {LIST_SLOWED}", listed_slowed <= LIST_SLOWED),
        ("a story, seconds", max(stories), f"≤ {STORY}", max(stories) <= STORY),
        ("a pair, seconds", max(pairs), f"≤ {PAIR}", max(pairs) <= PAIR),
    ]
    held: bool = check(lines)
    return 0 if held else 1


def measure(browser: Any, report: Path, slowed: int = 1) -> tuple[float, list[float], list[float]]:
    """Seconds until the list was shown, at worst, then for each story and each pair that was opened."""
    shown = []
    for _ in range(OPENINGS):
        page = browser.new_page()
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slowed})
        page.add_init_script(STARTED)
        page.goto(f"{report.resolve().as_uri()}#stories", wait_until="commit")
        page.wait_for_function("() => window.listedAt && window.wholeAt", timeout=120_000)
        shown.append(page.evaluate("window.listedAt") / 1000)
        if len(shown) < OPENINGS:
            page.close()
    opened = list(open_some(page))
    page.close()
    return max(shown), [story for story, _ in opened], [pair for _, pair in opened]


def open_some(page: Any) -> Iterator[tuple[float, float]]:
    """Seconds for stories from all over the file, none of which shares a block with another, and for a pair of each."""
    ids = page.evaluate(f"index.id.filter((_, row) => row % Math.ceil(index.id.length / {OPENED}) === 0)")
    for one in ids:
        story = page.evaluate(GO, [page.evaluate("(id) => address('story', [id])", one), ".story"])
        yield story, page.evaluate(GO, [page.evaluate(FIND_PAIR), ".pair .text"])


if __name__ == "__main__":
    sys.exit(main())
