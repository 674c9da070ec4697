"""Reports in which every field is hostile, and a walk through all that they show: for the tests, and for `quality/report_payloads.py`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from quality.texts import Writer

from .news import run

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


def write_hostile(folder: Path, payloads: Sequence[str]) -> list[Path]:
    """A report, and answers for a hostile text, in files whose names are hostile."""
    name = "<img src=x onerror=pwned=1>"
    source = folder / f"{name}.jsonl"
    source.write_text("".join(json.dumps(one) + "\n" for one in articles(payloads)), "utf-8")
    draft = folder / f"{name}.txt"
    draft.write_text("\n\n".join(one["text"] for one in list(articles(payloads))[:4]), "utf-8")
    archive, report, checked = folder / f"{name}.db", folder / "report.html", folder / "check.html"
    run("add", archive, source)
    run("report", archive, "-o", report)
    run("check", archive, draft, "--html", checked, "-o", folder / "answers.jsonl")
    return [report, checked]


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
