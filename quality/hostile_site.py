"""Every field, route and form of the service is hostile, and nothing of it runs: three hundred payloads, walked through in a real browser."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from quality.corpora import scratch
from quality.hostile import MARK, PAYLOADS, RUN, articles, listen, open_browser
from quality.report import Data, Result, digest

_WAYS_OUT = (
    *('">', "'>", "</textarea>", "</title>", "</style>", "</script>", "-->", "]]>", "</bdi>", "</mark>"),
    *("</option></select>", "`>", '" ', "' ", "\\\"'>"),
)
"""What ends the place where a payload stands, if that can be ended."""
_RUNNING = (
    f"<script async>{RUN}</script>",
    f"<img src=x onerror={RUN}>",
    f"<svg/onload={RUN}>",
    f"<iframe src=javascript:parent.{MARK}=1>",
    f"<details open ontoggle={RUN}>",
    f"<input autofocus onfocus={RUN}>",
    f"<a href=javascript:{RUN} autofocus onfocus={RUN}>x</a>",
    f"<form action=https://example.org/{MARK}><button autofocus onfocus={RUN}>x",
    f"<link rel=stylesheet href=https://example.org/{MARK}.css>",
    f"<img src=https://example.org/{MARK}.png>",
    f"<style>*{{background:url(https://example.org/{MARK})}}</style>",
    f"<meta http-equiv=refresh content=0;url=https://example.org/{MARK}>",
    "<base href=https://example.org/>",
    f"onmouseover={RUN} onfocus={RUN} autofocus style=position:fixed;inset:0 x=",
    f"<button form=say formaction=javascript:{RUN}>x</button>",
    f"<dialog open oncancel={RUN}><select autofocus onfocus={RUN}>",
)
"""What would run, or be asked for, behind it."""
SITE_PAYLOADS = (*PAYLOADS, *(f"{out}{run}" for run in _RUNNING for out in _WAYS_OUT))
"""Three hundred of them: those of reports, and every way out with everything that would run."""


def choose(many: int) -> tuple[str, ...]:
    """So many payloads, of all kinds."""
    step = len(SITE_PAYLOADS) / many
    return tuple(SITE_PAYLOADS[int(place * step)] for place in range(many))


@dataclass(frozen=True)
class Site:
    """A service that runs, of a hostile archive, and the token of who looks after it."""

    url: str
    token: str
    payloads: Sequence[str]


@contextmanager
def open_site(folder: Path, payloads: Sequence[str]) -> Iterator[Site]:
    """A service of an archive in which everything is hostile: articles, queues, labels, groups, judges, webhooks, what receivers say."""
    path = folder / "<img src=x onerror=pwned=1>.db"
    token = write_archive(path, payloads)
    command = [sys.executable, "-m", "wirecopy", "serve", str(path), "--port", "0", "--quiet", "--no-deliver"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            for line in process.stderr:
                if found := re.search(r"serving .* at (http://\S+)", line):
                    yield Site(found[1], token, payloads)
                    return
            raise AssertionError("the service did not start")
        finally:
            process.kill()


def write_archive(path: Path, payloads: Sequence[str]) -> str:
    """Write the archive, and return the token of who looks after it."""
    from wirecopy import Archive
    from wirecopy.archive.desk import Desk
    from wirecopy.archive.policies import Policy
    from wirecopy.evaluation.judging import make_queue
    from wirecopy.evaluation.pooling import Nominated
    from wirecopy.evaluation.tasks import Counts, Label, Task

    with Archive.open(path, create=True) as archive:
        archive.add(list(articles(payloads)))
    with Desk(path) as desk:
        for payload in payloads:
            task = Task(payload, (Label(payload, "1", Counts.COPY), Label("neither", payload, Counts.NO)))
            pair = Nominated(f"{payload}#/?", payload, payload, (payload,))
            queue, _ = make_queue(desk.queues, payload, task, [pair])
            [queued] = desk.queues.pairs(queue.number)
            for judge in (payload, f"{payload} again"):
                desk.queues.say(queue.number, queued, judge, payload)
        webhook, _ = desk.outbox.add(f"https://example.org/?{quote(payloads[0])}", Policy(source=payloads[0]))
        for _ in payloads[:20]:
            desk.outbox.post_test(webhook.id)
        for claim, payload in zip(desk.outbox.claim(20, 60, lambda _: 20), payloads, strict=False):
            desk.outbox.settle(claim, 500, payload)
        return desk.tokens.make(payloads[0][:200], ["admin"])[1]


def walk(page: Any, site: Site) -> Iterator[str]:
    """Go over all pages, with every payload in every place, and say where something ran or became an element."""
    page.goto(f"{site.url}/sign-in?next={quote(site.payloads[0])}")
    page.fill("#token", site.payloads[0])
    page.click("button.main")
    yield from complain(page)
    page.fill("#token", site.token)
    page.click("button.main")
    for number, payload in enumerate(site.payloads, 1):
        given = quote(payload, safe="")
        known = (
            f"/story?id={given}",
            f"/pair?query={quote(payload + '#/?', safe='')}&found={given}",
            f"/judge/{number}?pair=1&note={given}",
        )
        odd = (
            f"/judge/{number}/guide",
            f"/judge/{number}/agreement",
            f"/stories?after={given}",
            f"/webhooks?of={given}&after={given}",
            f"/judge/{number}?pair={given}&resolve={given}",
            f"/enter?key={given}&next={given}",
            f"/pair?query={given}&found=x",
            f"/{given}",
        )[number % 8]
        for address in (*known, odd):
            answer = page.goto(site.url + address)
            if not answer.ok and (address != odd or answer.status >= 500):
                yield f"{address}: {answer.status}"
            yield from complain(page)
        page.goto(site.url)
        page.fill("textarea", f"{payload} {next(articles([payload]))['text']}\n\n{payload}")
        page.click("button.main")
        page.wait_for_selector("main:not([aria-busy]) h1")
        if not page.locator(".check .sources li").count():
            yield f"{payload}: not found in the archive"
        yield from complain(page)
    for address in ("/", "/stories", "/judge", "/webhooks"):
        page.goto(site.url + address)
        yield from complain(page)


_STRANGE = """() => {
  const found = document.querySelector('img, iframe, object, embed, video, base, math, marquee, isindex, style, meta[http-equiv], ' +
    'script:not([nonce]):not([type]), link:not([href^="/assets/"]), form[action]:not([action^="/"]), [formaction], [srcdoc], dialog[open]');
  const handled = [...document.querySelectorAll('*')].find((one) => one.getAttributeNames().some((name) => name.startsWith('on') || name === 'style'));
  const leading = [...document.querySelectorAll('a[href]')].find((one) => !/^https?:$/.test(one.protocol));
  const strange = found || handled || leading;
  return window.pwned ? 'it ran' : strange ? strange.outerHTML.slice(0, 200) : null;
}"""


def complain(page: Any) -> Iterator[str]:
    """What ran in a page, or stands there as an element that we do not make."""
    found = page.evaluate(_STRANGE)
    if found:
        yield f"{page.url}: {found}"


def measure() -> Iterator[Result]:
    heard: list[str] = []
    pages: list[int] = []
    with scratch() as folder, open_browser() as browser, open_site(folder, SITE_PAYLOADS) as site:
        page = browser.new_page(viewport={"width": 1280, "height": 2000})
        listen(page, heard, site.url)
        page.on("load", lambda _: pages.append(1))
        heard += walk(page, site)
        heard = [one for one in heard if not is_expected(one)]
    data = Data("hostile service", f"{len(SITE_PAYLOADS)} payloads", "none needed", digest(SITE_PAYLOADS))
    yield Result(
        "service", data, {"payloads": len(SITE_PAYLOADS), "pages": len(pages), "ran": len(heard)}, heard
    )


def is_expected(said: str) -> bool:
    """Whether a browser says no more than that a page was refused, as it should be."""
    return bool(
        re.match(
            r"said Failed to load resource: the server responded with a status of (400|403|404|422)", said
        )
    )
