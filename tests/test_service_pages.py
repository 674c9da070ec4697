"""The pages of a service, as a browser without script has them: who is let in, what they show, what they refuse."""

from __future__ import annotations

import html
import http.client
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlencode, urljoin

import pytest
from services import Served, copy_archive, serving

from wirecopy import Archive
from wirecopy.archive.desk import Desk
from wirecopy.archive.policies import Policy
from wirecopy.evaluation.judging import make_queue
from wirecopy.evaluation.pooling import Nominated
from wirecopy.evaluation.tasks import DEFAULT_TASK

SCOPES = ("read", "check", "write", "judge", "admin")
SECTIONS = {"/": "check", "/stories": "read", "/judge": "judge", "/webhooks": "admin"}
SAME = {"Sec_Fetch_Site": "same-origin"}


@dataclass
class Page:
    """What a browser was given."""

    status: int
    headers: dict[str, str]
    content: str

    @property
    def form(self) -> str:
        """The number that its forms carry."""
        found = re.search(r'name="form" value="(\w+)"', self.content)
        return found[1] if found else ""

    @property
    def text(self) -> str:
        return html.unescape(re.sub("<[^>]*>", "", self.content))


@dataclass
class Browser:
    """One without script, which keeps cookies."""

    served: Served
    cookies: dict[str, str] = field(default_factory=dict)
    flags: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, form: dict[str, str] | None = None, **headers: str) -> Page:
        given = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        body = urlencode(form) if form is not None else None
        if body is not None:
            given["Content-Type"] = "application/x-www-form-urlencoded"
        connection = http.client.HTTPConnection(*self.served.place, timeout=60)
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, given)
        answer = connection.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        content = answer.read().decode()
        connection.close()
        if "set-cookie" in found:
            name, _, rest = found["set-cookie"].partition("=")
            value, _, self.flags[name] = rest.partition(";")
            self.cookies[name] = value.strip('"')
        return Page(answer.status, found, content)

    def get(self, path: str, **headers: str) -> Page:
        """A page, behind up to three redirections."""
        for _ in range(3):
            page = self.ask("GET", path, None, **headers)
            if page.status != 303:
                break
            path = urljoin(path, page.headers["location"])
        return page

    def post(self, path: str, form: dict[str, str], **headers: str) -> Page:
        return self.ask("POST", path, form, **SAME, **headers)

    def sign_in(self, token: str) -> Page:
        form = self.get("/sign-in").form
        return self.post("/sign-in", {"form": form, "token": token, "next": "/"})


@pytest.fixture(scope="module")
def path(known: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("pages") / "news.db"
    with Archive.open(known) as archive:
        archive.backup(place)
    with Desk(place) as desk:
        make_queue(
            desk.queues, "first", DEFAULT_TASK, [Nominated("c", "a", "1", ()), Nominated("b", "a", "1", ())]
        )
        webhook, _ = desk.outbox.add("https://example.org/hook", Policy())
        desk.outbox.post_test(webhook.id)
    return place


@pytest.fixture(scope="module")
def served(path: Path) -> Iterator[Served]:
    """A service without tokens, on this machine alone."""
    with serving(path, "--no-deliver") as one:
        yield one


@pytest.fixture(scope="module")
def tokens(
    path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, dict[str, str], Served]]:
    """A service with a token for each scope."""
    place = tmp_path_factory.mktemp("tokens") / "news.db"
    with Archive.open(path) as archive:
        archive.backup(place)
    with Desk(place) as desk:
        made = {scope: desk.tokens.make(f"who may {scope}", [scope])[1] for scope in SCOPES}
    with serving(place, "--no-deliver") as one:
        yield place, made, one


# What went wrong


def test_a_browser_is_told_in_a_page_what_went_wrong_and_a_program_as_a_problem(
    known: Path, tmp_path: Path
) -> None:
    place = copy_archive(known, tmp_path)
    with serving(place, "--no-deliver", "--body", 2000) as served:
        form = {"form": Browser(served).get("/").form, "text": "x" * 3000}
        asked: list[tuple[str, str, dict[str, str] | None, int, str]] = [
            ("GET", "/nowhere", None, 404, "There is nothing at this address"),
            ("GET", "/check", None, 405, "This address is not asked in that way"),
            ("POST", "/check", form, 413, "Expected at most 2,000 bytes"),
            ("POST", "/nowhere", form, 413, "Expected at most 2,000 bytes"),
        ]
        for method, path, given, status, said in asked:
            page = Browser(served).ask(method, path, given, **SAME, Accept="text/html,*/*;q=0.8")
            assert (page.status, page.headers["content-type"]) == (status, "text/html; charset=utf-8"), path
            assert said in page.text
            assert "script-src 'nonce-" in page.headers["content-security-policy"]
            assert page.headers["x-request-id"] in page.text
            told = Browser(served).ask(method, path, given, **SAME, Accept="*/*")
            assert (told.status, json.loads(told.content)["status"]) == (status, status), path
            assert json.loads(told.content)["request_id"] == told.headers["x-request-id"]
        for path in ("/v1/nowhere", "/v1/check", "/metrics/x"):
            page = Browser(served).ask("GET", path, None, Accept="text/html")
            assert page.headers["content-type"] == "application/problem+json", path


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"a=&" * 20_000, 400),
        (b"token=" + b"%41" * 30_000, 413),
        (b"token=\xff", 400),
        (b"token=%ff", 403),
        (b"", 403),
    ],
    ids=["many fields", "long", "no text", "no text either", "empty"],
)
def test_a_form_that_is_none_of_ours_is_refused_before_it_is_read(
    served: Served, content: bytes, status: int
) -> None:
    kind = "application/x-www-form-urlencoded"
    reply = served.ask("POST", "/sign-in", content, kind=kind, headers={"Sec-Fetch-Site": "same-origin"})
    assert reply.status == status


def test_a_long_text_is_checked_in_a_page_as_a_short_one_is(served: Served) -> None:
    browser, text = Browser(served), "größer & kleiner\n" * 10_000
    page = browser.post("/check", {"form": browser.get("/").form, "text": text})
    assert (page.status, "Nothing of this text was found" in page.text) == (200, True)


# What pages show


def test_a_pasted_text_is_shown_with_its_passages_coloured_by_source(served: Served, draft: Path) -> None:
    browser, text = Browser(served), draft.read_text()
    page = browser.post("/check", {"form": browser.get("/").form, "text": text.replace("\n", "\r\n")})
    assert page.status == 200
    found = re.search(r'<div class="text checked"[^>]*>(.*?)</div>', page.content, re.DOTALL)
    assert found
    shown = html.unescape(re.sub("<[^>]*>", "", re.sub("<sup>[^<]*</sup>", "", found[1])))
    assert shown == text
    with Archive.open(served_path(served)) as archive:
        [answer] = archive.check(text)
    assert f"{answer.copied:.0%}".replace("%", " %") in page.text
    for one in answer.found:
        assert f"{one.match.relation}:" in page.text
    assert 'class="source-0"' in found[1]


def served_path(served: Served) -> Path:
    """The archive that is served."""
    return Path(str(served.process.args[2]))  # type: ignore[index]


def test_stories_lead_to_a_story_and_that_to_pairs_side_by_side(served: Served, path: Path) -> None:
    browser = Browser(served)
    stories = browser.get("/stories")
    [link] = set(re.findall(r'href="(/story\?id=[^"]*)"', stories.content))
    story = browser.get(html.unescape(link))
    pairs = re.findall(r'href="(/pair\?[^"]*)"', story.content)
    assert pairs
    with Archive.open(path) as archive:
        for one in pairs:
            pair = browser.get(html.unescape(one))
            sides = re.findall(r'<div class="text" [^>]*>(.*?)</div>', pair.content, re.DOTALL)
            texts = [
                html.unescape(re.sub("<[^>]*>", "", re.sub('<a class="label".*?</a>', "", side)))
                for side in sides
            ]
            ids = [
                html.unescape(value) for value in re.findall(r"(?:query|found)=([^&\"]*)", html.unescape(one))
            ]
            assert texts == [archive.get(id).text for id in ids]  # type: ignore[union-attr]


def test_what_is_not_there_is_said(served: Served) -> None:
    browser = Browser(served)
    for address in (
        "/story?id=none",
        "/pair?query=a&found=none",
        "/judge/9",
        "/judge/1?pair=77",
        "/assets/none.js",
    ):
        page = browser.get(address)
        assert page.status == 404, address
        assert "<h1>Not found</h1>" in page.content
    assert browser.get("/story").status == 400


def test_webhooks_and_what_was_sent_are_listed_and_sent_again(served: Served, path: Path) -> None:
    browser = Browser(served)
    page = browser.get("/webhooks")
    [message] = re.findall(r'name="message" value="([^"]*)"', page.content)
    assert "https://example.org/hook" in page.text
    with Desk(path) as desk:
        [claim] = desk.outbox.claim(1, 60, lambda _: 1)
        desk.outbox.settle(claim, 500, "it said 500")
        assert "it said 500" in browser.get("/webhooks").text
        assert browser.post("/webhooks/replay", {"form": page.form, "message": message}).status == 303
        assert [one.state for one in desk.outbox.messages()] == ["waiting"]
    assert browser.post("/webhooks/replay", {"form": page.form, "message": "msg_none"}).status == 422


def test_every_page_has_a_strict_policy_and_loads_only_what_it_names(served: Served) -> None:
    browser = Browser(served)
    nonces = set()
    for address in (
        "/",
        "/stories",
        "/judge",
        "/judge/1",
        "/judge/1/agreement",
        "/webhooks",
        "/story?id=none",
    ):
        page = browser.get(address)
        policy = page.headers["content-security-policy"]
        [nonce] = set(re.findall(r"'nonce-([\w-]+)'", policy))
        nonces.add(nonce)
        assert "unsafe" not in policy
        for rule in (
            *("default-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"),
            *("require-trusted-types-for 'script'", "trusted-types 'none'"),
        ):
            assert rule in policy.split("; ")
        assert page.headers["cache-control"] == "no-store"
        loaded = re.findall(r'<(?:script|link)[^>]*? (?:src|href)="([^"]*)"', page.content)
        assert loaded
        for one in loaded:
            asset = browser.get(html.unescape(one))
            assert asset.status == 200
            assert "immutable" in asset.headers["cache-control"]
        assert not re.search(r"<script(?![^>]*(nonce=|type=))", page.content)
        assert not re.search(r"<[^>]* (on\w+|style)=", page.content)
    assert len(nonces) == 7


# Who is let in


def test_who_has_no_token_is_asked_to_sign_in_and_then_goes_on(
    tokens: tuple[Path, dict[str, str], Served],
) -> None:
    _, made, served = tokens
    browser = Browser(served)
    refused = browser.ask("GET", "/story?id=a%20b")
    assert (refused.status, refused.headers["location"]) == (
        303,
        f"/sign-in?next={quote('/story?id=a%20b', safe='')}",
    )
    page = browser.get("/story?id=a%20b")
    onward = html.unescape(re.search(r'name="next" value="([^"]*)"', page.content)[1])  # type: ignore[index]
    assert onward == "/story?id=a%20b"
    wrong = browser.post("/sign-in", {"form": page.form, "token": "wc_wrong", "next": onward})
    assert wrong.status == 403
    assert "no such token" in wrong.text
    right = browser.post("/sign-in", {"form": page.form, "token": f" {made['read']} ", "next": onward})
    assert (right.status, right.headers["location"]) == (303, onward)
    assert made["read"] not in str(browser.cookies)


@pytest.mark.parametrize(
    "elsewhere",
    ["//example.org", "///example.org", "https://example.org/", "/\\example.org", "x", "/\n/example.org", ""],
)
def test_nobody_is_led_elsewhere_by_signing_in(
    tokens: tuple[Path, dict[str, str], Served], elsewhere: str
) -> None:
    _, made, served = tokens
    browser = Browser(served)
    form = browser.get("/sign-in").form
    done = browser.post("/sign-in", {"form": form, "token": made["check"], "next": elsewhere})
    assert done.headers["location"] == "/"


@pytest.mark.parametrize("scope", SCOPES)
def test_each_sees_the_sections_that_their_token_is_for(
    tokens: tuple[Path, dict[str, str], Served], scope: str
) -> None:
    _, made, served = tokens
    browser = Browser(served)
    assert browser.sign_in(made[scope]).status == 303
    allowed = {address for address, needed in SECTIONS.items() if scope in (needed, "admin")}
    more = {
        "/judge/1": "judge",
        "/judge/1/guide": "judge",
        "/judge/1/agreement": "admin",
        "/pair?query=a&found=b": "read",
    }
    for address, needed in (SECTIONS | more).items():
        page = browser.ask("GET", address)
        first = next(iter(allowed), None)
        if address == "/" and scope not in ("check", "admin") and first:
            assert (page.status, page.headers["location"]) == (303, min(allowed)), address
            continue
        assert page.status == (200 if scope in (needed, "admin") else 403), address
        links = set(re.findall(r'<a href="(/\w*)"', page.content.split("</nav>")[0]))
        assert links == allowed


def test_a_cookie_is_kept_from_scripts_and_other_sites_and_ends(
    tokens: tuple[Path, dict[str, str], Served],
) -> None:
    path, made, served = tokens
    browser = Browser(served)
    port = served.place[1]
    browser.sign_in(made["read"])
    [name] = browser.cookies
    assert name == f"wirecopy-{port}"
    flags = browser.flags[name].lower()
    assert "httponly" in flags
    assert "samesite=strict" in flags
    assert "path=/" in flags
    assert browser.ask("GET", "/stories").status == 200
    secret = browser.cookies[name]
    signed_out = browser.post("/sign-out", {"form": browser.get("/stories").form})
    assert signed_out.status == 303
    stolen = Browser(served, {name: secret})
    assert stolen.ask("GET", "/stories").headers["location"].startswith("/sign-in")
    with Desk(path) as desk:
        token = next(one for one in desk.tokens.all().values() if one.allows("read"))
        over = desk.tokens.open_session(token.number, -1)
        still = desk.tokens.open_session(token.number, 60)
    assert Browser(served, {name: over}).ask("GET", "/stories").status == 303
    assert Browser(served, {name: still}).ask("GET", "/stories").status == 200


def test_by_another_name_than_this_machine_the_cookie_needs_tls(path: Path, tmp_path: Path) -> None:
    with Archive.open(path) as archive:
        archive.backup(tmp_path / "news.db")
    with Desk(tmp_path / "news.db") as desk:
        _, token = desk.tokens.make("one", ["read"])
    with serving(tmp_path / "news.db", "--allow-host", "copies.example") as served:
        browser = Browser(served)
        page = browser.get("/sign-in", Host="copies.example")
        browser.post("/sign-in", {"form": page.form, "token": token, "next": "/"}, Host="copies.example")
        [name] = browser.cookies
        assert name == "__Host-wirecopy"
        assert "secure" in browser.flags[name].lower()
        assert "domain" not in browser.flags[name].lower()
        form = browser.get("/stories", Host="copies.example").form
        assert browser.post("/sign-out", {"form": form}, Host="copies.example").status == 303
        assert browser.cookies[name] == ""
        assert {"secure", "max-age=0"} <= set(browser.flags[name].lower().replace(" ", "").split(";"))


def test_a_new_session_has_a_new_secret(tokens: tuple[Path, dict[str, str], Served]) -> None:
    _, made, served = tokens
    browser = Browser(served)
    browser.get("/sign-in")
    before = dict(browser.cookies)
    browser.sign_in(made["read"])
    assert browser.cookies.keys() == before.keys()
    assert browser.cookies != before


# What is refused

FORMS = {
    "/check": {"text": "some words"},
    "/judge/1/say": {"pair": "1", "label": "partial"},
    "/judge/1/skip": {"pair": "1"},
    "/judge/1/undo": {"number": "1"},
    "/webhooks/replay": {"message": "msg_x"},
    "/sign-in": {"token": "wc_x", "next": "/"},
    "/sign-out": {},
}
FOREIGN = (
    {"Sec_Fetch_Site": "cross-site"},
    {"Sec_Fetch_Site": "same-site"},
    {"Origin": "https://example.org"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
)


@pytest.mark.parametrize("address", FORMS)
def test_no_form_of_another_site_is_taken(served: Served, path: Path, address: str) -> None:
    browser = Browser(served)
    form = browser.get("/").form
    for headers in FOREIGN:
        assert browser.ask("POST", address, FORMS[address] | {"form": form}, **headers).status == 403, headers
    for wrong in ({}, {"form": ""}, {"form": "x" * 32}, {"form": Browser(served).get("/").form}):
        assert browser.post(address, FORMS[address] | wrong).status == 403, wrong
    with Desk(path) as desk:
        assert desk.queues.all_said(1) == []


def test_a_label_that_the_task_has_not_is_refused(served: Served, path: Path) -> None:
    browser = Browser(served)
    form = browser.get("/judge").form or browser.get("/").form
    for values, status in (
        ({"pair": "1", "label": "containment"}, 422),
        ({"pair": "1"}, 422),
        ({"pair": "9", "label": "partial"}, 404),
        ({"pair": "x", "label": "partial"}, 404),
        ({"pair": "9" * 40, "label": "partial"}, 404),
    ):
        assert browser.post("/judge/1/say", values | {"form": form}).status == status, values
    assert browser.post("/judge/7/say", {"form": form, "pair": "1", "label": "partial"}).status == 404
    with Desk(path) as desk:
        assert desk.queues.all_said(1) == []
