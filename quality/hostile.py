"""Every field of every article is hostile, and nothing of it runs: sixty payloads in a report, walked through in a real browser."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from quality.corpora import scratch
from quality.report import Data, MissingError, Result, digest
from quality.texts import Writer

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
MARK = "pwned"
RUN = f"window.{MARK}=1"

PAYLOADS = (
    f"<script>{RUN}</script>",
    f"</script><script>{RUN}</script>",
    f"<img src=x onerror={RUN}>",
    f"<svg onload={RUN}>",
    f"'\"><img src=x onerror={RUN}>",
    f"javascript:{RUN}",
    f"<!--<script>{RUN}</script>-->",
    f"<iframe srcdoc='<script>parent.{MARK}=1</script>'></iframe>",
    f"{{{{constructor.constructor('{RUN}')()}}}}",
    f"\u202e<script>{RUN}</script>\u202c",
    f"]]><script>{RUN}</script>",
    f"<style>@import 'https://example.org/{MARK}.css';</style>",
    f"<a href=javascript:{RUN}>here</a>",
    f"\\u003cscript\\u003e{RUN}\\u003c/script\\u003e",
    "__proto__",
    f"</title><script>{RUN}</script>",
    f"</style><script>{RUN}</script>",
    f"</noscript><script>{RUN}</script>",
    f"</textarea><script>{RUN}</script>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN}>'>",
    f"<body onload={RUN}>",
    f"<details open ontoggle={RUN}>",
    f"<input autofocus onfocus={RUN}>",
    f"<video><source onerror={RUN}></video>",
    f"<marquee onstart={RUN}>",
    f"<object data=javascript:{RUN}>",
    f"<embed src=javascript:{RUN}>",
    f"<form action=javascript:{RUN}><button>go</button></form>",
    f"<isindex type=image src=1 onerror={RUN}>",
    f"<math><mi xlink:href=javascript:{RUN}>x</mi></math>",
    f"<svg><script>{RUN}</script></svg>",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<svg><use href='data:image/svg+xml,<svg onload={RUN}>'/></svg>",
    f"<link rel=stylesheet href=https://example.org/{MARK}.css>",
    f"<link rel=prefetch href=https://example.org/{MARK}>",
    f"<meta http-equiv=refresh content='0;url=https://example.org/{MARK}'>",
    "<base href=https://example.org/>",
    f"<img src=https://example.org/{MARK}.png>",
    f"<div style='background:url(https://example.org/{MARK}.png)'>",
    f"<script src=https://example.org/{MARK}.js></script>",
    f"data:text/html,<script>{RUN}</script>",
    f"vbscript:{RUN}",
    f"JaVaScRiPt:{RUN}",
    f"java\tscript:{RUN}",
    f"\x01javascript:{RUN}",
    f"https://example.org/\"onmouseover='{RUN}'",
    f"https://user:pass@example.org/'><script>{RUN}</script>",
    f"//example.org/{MARK}",
    f"file:///etc/passwd#{MARK}",
    f"blob:null/{MARK}",
    f"&lt;script&gt;{RUN}&lt;/script&gt;",
    f"&#60;script&#62;{RUN}&#60;/script&#62;",
    f"%3Cscript%3E{RUN}%3C/script%3E",
    f"${{{RUN}}}",
    f"`;{RUN};`",
    f"';{RUN};//",
    f'";{RUN};//',
    f"\u2028{RUN}\u2029",
    "constructor",
    f"\ufeff<script\u00a0>{RUN}</script>\u2066\u2067\u200f",
)
"""Sixty of them; the first fifteen are tried by default."""

FIELDS = ("id", "title", "source", "author", "url", "agency", "language")


def articles(payloads: Sequence[str]) -> Iterator[dict[str, Any]]:
    """For each payload a story of two articles in which it is every field, and stands in the text; the copy moves a paragraph and changes words."""
    for number, payload in enumerate(payloads):
        writer = Writer(500 + number)
        parts = [writer.text(44) for _ in range(3)]
        about = dict.fromkeys(FIELDS, payload)
        for copy, text in enumerate(
            ([payload, *parts], [*parts[1:], payload, parts[0], f"new {payload} words"])
        ):
            yield {
                **about,
                "id": f"{payload}{'#/?' * copy}",
                "text": "\n\n".join(text),
                "published": f"2026-05-{1 + number % 28:02}T{copy:02}:00:00Z",
            }


def measure() -> Iterator[Result]:
    heard: list[str] = []
    views = 0
    with scratch() as folder, open_browser() as browser:
        for path in write_hostile(folder, PAYLOADS):
            page = browser.new_page(viewport={"width": 1280, "height": 6000})
            listen(page, heard)
            page.goto(path.as_uri())
            views += walk(page)
            heard += ["it ran"] * ran(page)
            page.close()
    data = Data("hostile articles", f"{len(PAYLOADS)} payloads", "none needed", digest(PAYLOADS))
    yield Result("reports", data, {"payloads": len(PAYLOADS), "views": views, "ran": len(heard)}, heard)


@contextmanager
def open_browser() -> Iterator[Any]:
    """The browser of this machine, driven by playwright."""
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        raise MissingError(
            f"no browser: none of {', '.join(CHROMIUM)} is on the PATH (Debian: apt-get install chromium)"
        )
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise MissingError("playwright is not installed: make develop") from None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def listen(page: Any, heard: list[str], home: str = "file:") -> None:
    """Note whatever the page says, opens, asks, or fetches from elsewhere."""

    def dismiss(dialog: Any) -> None:
        heard.append(f"asked {dialog.message}")
        dialog.dismiss()

    def note(asked: Any) -> None:
        if not asked.url.startswith(home):
            heard.append(f"fetched {asked.url}")

    page.on("console", lambda message: heard.append(f"said {message.text}"))
    page.on("pageerror", lambda error: heard.append(f"failed: {error}"))
    page.on("popup", lambda other: heard.append(f"opened {other.url}"))
    page.on("dialog", dismiss)
    page.on("request", note)


def write_hostile(folder: Path, payloads: Sequence[str]) -> list[Path]:
    """A report, answers for a hostile text, and scores of hostile pairs, in files whose names are hostile."""
    name = "<img src=x onerror=pwned=1>"
    source = folder / f"{name}.jsonl"
    source.write_text("".join(json.dumps(one) + "\n" for one in articles(payloads)), "utf-8")
    draft = folder / f"{name}.txt"
    draft.write_text("\n\n".join(one["text"] for one in list(articles(payloads))[:4]), "utf-8")
    archive, report, checked = folder / f"{name}.db", folder / "report.html", folder / "check.html"
    answers, scores = folder / "answers.jsonl", folder / "scores.html"
    gold, result = folder / f"{name}-gold.jsonl", folder / f"{name}-result.jsonl"
    write_pairs(gold, result, payloads, name)
    judged = "evaluate", gold, result, "--in", source, "--score", name
    for command in (
        ("add", archive, source),
        ("report", archive, "-o", report),
        ("check", archive, draft, "--html", checked, "-o", answers),
        (*judged, "--html", scores, "-o", folder / "scores.json"),
    ):
        subprocess.run([sys.executable, "-m", "wirecopy", *map(str, command), "-q"], check=True)
    return [report, checked, scores]


def write_pairs(gold: Path, result: Path, payloads: Sequence[str], score: str) -> None:
    """Gold that has each payload beside the next, in a class of that name, and a result that has its copies instead, scored by a hostile field."""
    ids = [[one["id"] for one in articles([payload])] for payload in payloads]
    true = [{"query": one[0], "found": other[0], "class": one[0]} for one, other in pairwise(ids)]
    found = [
        {"query": later, "found": earlier, "relation": "partial", score: 1 / (place + 1)}
        for place, (earlier, later) in enumerate(ids)
    ]
    found += [{**one, score: 0.5 / (place + 1)} for place, one in enumerate(true[::2])]
    for path, rows in ((gold, true), (result, found)):
        path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")


def walk(page: Any) -> int:
    """Go through every view that the page has links to, by its links; how many there were."""
    seen: set[str] = set()
    waiting = [""]
    while waiting:
        hash_ = waiting.pop()
        page.evaluate(
            "hash => { location.hash = hash; return new Promise((done) => setTimeout(done)); }", hash_
        )
        page.wait_for_selector("main:not([aria-busy]) h1")
        assert page.locator("h1").inner_text() not in ("Not found", "This could not be shown"), hash_
        found = page.locator("a[href^='#']").evaluate_all("all => all.map((one) => one.getAttribute('href'))")
        for one in found:
            if one.split("?")[0] not in seen and one != "#main":
                seen.add(one.split("?")[0])
                waiting.append(one)
    return len(seen)


def ran(page: Any) -> bool:
    """Whether something ran, or stands in the page as an element that we do not make."""
    found: bool = page.evaluate(
        "Boolean(window.pwned || document.querySelector('img, iframe, object, embed, video, form[action], base, link, math, marquee, [onload], [onerror]'))"
    )
    return found
