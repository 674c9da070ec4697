"""An archive that another machine serves, with the verbs and answers of `Archive`: `wirecopy.Client(url, token)`.

    client = wirecopy.Client("https://copies.example", "wc_…")
    for answer in client.check("a text …"):
        print(answer)

It speaks HTTP over connections that are kept open, from any number of threads. What went wrong on the way is asked again where that can do no
harm: a request that changes something carries a key by which the service knows it again.
"""

from __future__ import annotations

import dataclasses
import http.client
import json
import secrets
import select
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache
from queue import Empty, LifoQueue
from random import uniform
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints
from urllib.parse import urlencode, urlsplit

import numpy as np

from .archive.answers import Added, Answer, Found, Observed, Status
from .archive.reading import name_by_text, read_batches
from .errors import NothingRead, ServiceError, UsageError, refuse
from .grouping.records import Record, Story
from .model import ABOUT, TOLD, UNDATED, Article, Articles, Match, Skipped
from .sources import Fields, read
from .sources.fields import id_text

REQUEST_ARTICLES = 200
REQUEST_BYTES = 1 << 20
"""The most articles and bytes of text that are sent in one request, but for a larger article."""
ADDRESS_BYTES, ADDRESS_IDS = 4000, 100
"""How long an address with ids may be, and how many ids it holds at most."""
RETRIES = 4
FIRST_SECONDS = 0.2
MOST_SECONDS = 30.0
"""How long to wait before something is asked again, at first, and at most, even if the service asks for more."""
AGAIN = (429, 502, 503, 504)
_CUT_OFF = (http.client.HTTPException, OSError)
Object = dict[str, Any]
One = TypeVar("One")


class Client:
    """An archive that is served at an address; usable from several threads."""

    def __init__(
        self, url: str, token: str | None = None, *, timeout: float = 30.0, retries: int = RETRIES
    ) -> None:
        """`timeout` is how many seconds to wait for an answer, `retries` how often to ask again what went wrong on the way."""
        parts = urlsplit(url)
        refuse(
            (
                parts.scheme not in ("http", "https")
                or not parts.hostname
                or parts.query
                or parts.fragment
                or parts.username,
                f"url: expected an address such as https://copies.example, got {url!r:.200}",
            ),
            (
                token is not None and not (token.isascii() and token.isprintable()),
                "token: expected one such as wc_…",
            ),
            (timeout <= 0, f"timeout: expected seconds, got {timeout}"),
            (retries < 0, f"retries: expected 0 or more, got {retries}"),
        )
        self.url = url.rstrip("/")
        self.timeout = timeout
        self.retries = retries
        self._parts = parts
        self._token = token
        self._idle: LifoQueue[http.client.HTTPConnection] = LifoQueue()

    def __repr__(self) -> str:
        return f"<Client {self.url!r}>"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections that are kept open; the client can be used again."""
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                return

    # Reading

    def check(
        self,
        articles: Any,
        *,
        top: int = 20,
        min_share: float = 0.0,
        since: str | None = None,
        until: str | None = None,
        source: str | None = None,
        not_source: str | None = None,
        relations: Iterable[str] | None = None,
        preset: str | None = None,
        notify: bool = False,
        fields: Fields | None = None,
    ) -> list[Answer]:
        """What each text shares with the archive, as `Archive.check` says; with `notify` webhooks are told of it.

        Articles of an answer have what it tells of them: title, source, date and address.
        """
        limits: Object = {"top": top, "min_share": min_share, "since": since, "until": until}
        limits |= {"source": source, "not_source": not_source, "relation": relations and list(relations)}
        limits |= {"preset": preset, "notify": notify or None, "text": True}
        answers = []
        for batch in read_batches(articles, fields, ABOUT, "query"):
            for records in _portions(batch, fields):
                told = self._post("/v1/check", records, limits)
                answers += list(map(read_answer, told))
        return answers

    def get(self, id: str | int) -> Article | None:
        """The article with this id and its text, or None if there is none."""
        found = self._ask("GET", "/v1/articles", {"id": id_text("id", id)}, missing=True)
        return None if found is None else _read(Article, found)

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self.get(id) is not None

    def stories(self) -> Iterator[Story]:
        """The stories that the archive keeps, those that began last first, read page by page."""
        yield from (_read(Story, one) for one in self._pages("/v1/stories", "stories"))

    def story(self, id: str | int) -> Story | None:
        """The story that an article is in, itself alone if it shares its text with no other; None if there is none, or it is not told yet."""
        found = self._ask("GET", "/v1/story", {"id": id_text("id", id)}, missing=True)
        return None if found is None else _read(Story, found)

    def story_of(self, id: str | int) -> str | None:
        """The id of the story that an article is in, its own if it is in none with others; None if there is none, or it is not told yet."""
        found = self.story(id)
        return found.id if found else None

    def _pages(self, path: str, name: str) -> Iterator[Any]:
        cursor = None
        while True:
            page = self._ask("GET", path, {"cursor": cursor})
            yield from page[name]
            cursor = page["next"]
            if cursor is None:
                return

    # Writing

    def add(self, articles: Any, *, replace: bool = False, fields: Fields | None = None) -> Added:
        """Add articles from any source, as `Archive.add` does; returns what became of them.

        What was sent before something went wrong is in; to repeat all of it does no harm. Raises NothingRead if no record can be used.
        """
        total, number = Added(), 0
        for part in read(articles, fields=dataclasses.replace(fields or Fields(), about=ABOUT)):
            batch = part()
            number += len(batch)
            total += Added(skipped=batch.skipped, remarks=batch.remarks, held=batch.held)
            for records in _portions(batch, fields):
                total += read_added(
                    self._post("/v1/articles", records, {"replace": replace or None}, keyed=True)
                )
        if total.skipped and not number:
            raise NothingRead(total.skipped)
        return total

    def observe(
        self,
        article: Any,
        *,
        relations: Iterable[str] | None = None,
        replace: bool = False,
        notify: bool = False,
        fields: Fields | None = None,
    ) -> list[Observed[Answer]]:
        """Check each article against all that came before it, then add it, as `Archive.observe` does."""
        asked = {
            "relation": relations and list(relations),
            "replace": replace or None,
            "notify": notify or None,
        }
        observed = []
        for batch in read_batches(name_by_text(article, fields or Fields()), fields, ABOUT, "record"):
            for records in _portions(batch, fields):
                told = self._post("/v1/observe", records, asked | {"text": True}, keyed=True)
                observed += list(map(read_observed, told))
        return observed

    def remove(self, ids: str | Iterable[str | int]) -> int:
        """Remove articles by their ids; returns how many there were, at most: fewer if a request was cut off and made again."""
        named = [id_text("id", id) for id in ([ids] if isinstance(ids, str) else ids)]
        return sum(self._ask("DELETE", "/v1/articles", {"id": some})["removed"] for some in _short(named))

    # Asking

    def _post(
        self, path: str, records: list[Object], asked: Mapping[str, Any], *, keyed: bool = False
    ) -> Any:
        content = json.dumps(records, ensure_ascii=False).encode("utf-8", "surrogatepass")
        return self._ask("POST", path, asked, content, keyed=keyed or bool(asked.get("notify")))

    def _ask(
        self,
        method: str,
        path: str,
        asked: Mapping[str, Any] | None = None,
        content: bytes | None = None,
        *,
        keyed: bool = False,
        missing: bool = False,
    ) -> Any:
        """The JSON that is answered, or None for what is not there, if that may be `missing`; raises ServiceError or UsageError."""
        given = {name: _write(value) for name, value in (asked or {}).items() if value is not None}
        target = f"{self._parts.path.rstrip('/')}{path}" + (
            f"?{urlencode(given, doseq=True)}" if given else ""
        )
        headers = {"Accept": "application/json", "User-Agent": "wirecopy"}
        if content is not None:
            headers["Content-Type"] = "application/json"
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if keyed:
            headers["Idempotency-Key"] = secrets.token_urlsafe(18)
        for left in range(self.retries, -1, -1):
            try:
                status, wait, body = self._exchange(method, target, content, headers)
            except _CUT_OFF as error:
                if not left:
                    large = (
                        f", and does it take {len(content):,} bytes"
                        if content and len(content) > REQUEST_BYTES
                        else ""
                    )
                    raise ServiceError(f"{self.url}: {_say(error)}; is it served there{large}?") from error
                self._sleep(left, None)
                continue
            is_under_way = status == 409 and keyed and wait is not None  # what was cut off here goes on there
            if (status in AGAIN or is_under_way) and left:
                self._sleep(left, wait)
                continue
            if status == 404 and missing:
                return None
            return _understand(self.url, status, body)
        raise AssertionError("unreachable")

    def _sleep(self, left: int, asked: float | None) -> None:
        """Wait before asking again: longer each time, and as long as the service asks, within bounds."""
        planned = FIRST_SECONDS * 2 ** (self.retries - left)
        time.sleep(min(MOST_SECONDS, max(planned * uniform(0.8, 1.2), asked or 0.0)))

    def _exchange(
        self, method: str, target: str, content: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, float | None, bytes]:
        """Ask once: the status, how long to wait if that is said, and the body."""
        connection = self._take()
        try:
            with suppress(BrokenPipeError):  # who will not hear all of it may have said why
                connection.request(method, target, content, dict(headers))
            answer = connection.getresponse()
            body = answer.read()
        except BaseException:
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        else:
            self._idle.put(connection)
        return answer.status, _read_wait(answer.getheader("Retry-After")), body

    def _take(self) -> http.client.HTTPConnection:
        """A connection that is open, or a new one."""
        while True:
            try:
                connection = self._idle.get_nowait()
            except Empty:
                return self._open()
            if not _is_closed(connection):
                return connection
            connection.close()

    def _open(self) -> http.client.HTTPConnection:
        assert self._parts.hostname
        place = self._parts.hostname, self._parts.port
        if self._parts.scheme == "http":
            return http.client.HTTPConnection(*place, timeout=self.timeout)
        return http.client.HTTPSConnection(*place, timeout=self.timeout, context=_context())


@cache
def _context() -> ssl.SSLContext:
    return ssl.create_default_context()


def _is_closed(connection: http.client.HTTPConnection) -> bool:
    """Whether the other side has closed a connection that was idle: then there is something to read, namely its end."""
    if connection.sock is None:
        return True
    return bool(select.select([connection.sock], [], [], 0)[0])


def _write(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _read_wait(written: str | None) -> float | None:
    return float(written) if written and written.isascii() and written.isdigit() else None


def _say(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be reached: {error.strerror}"
    return f"cannot be reached: {str(error) or type(error).__name__}"


def _understand(url: str, status: int, body: bytes) -> Any:
    """The JSON of an answer; raises what the service says went wrong."""
    try:
        told = json.loads(body) if body else None
    except ValueError:
        told = None
    if 200 <= status < 300 and (told is not None or not body):
        return told
    problem = told if isinstance(told, dict) else {}
    detail, request_id = problem.get("detail") or f"it answered {status}", problem.get("request_id")
    if status in (400, 413, 415, 422):
        raise UsageError(str(detail))
    raise ServiceError(f"{url}: {detail}", status, request_id)


# What is told, read back


def read_answer(told: Mapping[str, Any]) -> Answer:
    """The answer that a JSON object tells."""
    found = [_read_found(one) for one in told["matches"]]
    query = told["query"]
    about = _about(told["matches"][0], "query_") if told["matches"] else {}
    counts = {name: told[name] for name in ("contained_in_count", "at_least", "form_of_count")}
    new = [(start, end) for start, end in told["new"]]
    shares = told["copied"], told["longest_words"], told["articles"]
    return Answer(query, Article(query, "", **about), *shares, found, new, **counts)


def _about(told: Mapping[str, Any], side: str) -> Object:
    return {name: told.get(f"{side}{name}") for name in TOLD}


def _read_found(told: Mapping[str, Any]) -> Found:
    return Found(_read(Match, told), Article(told["found"], "", **_about(told, "")), told["story"])


def read_observed(told: Mapping[str, Any]) -> Observed[Answer]:
    """What was observed of an article, of its JSON object."""
    return Observed(read_answer(told), Status(told["status"]), told["reason"] or "", told["ahead"])


def read_added(told: Mapping[str, Any]) -> Added:
    """What became of articles, of its JSON object."""
    counts = {name: told[name] for name in ("added", "known", "replaced", "late")}
    skipped = [_read(Skipped, one) for one in told["skipped"]]
    return Added(**counts, skipped=skipped, ahead=told["ahead"], warnings=told["warnings"])


def _read(kind: type[One], told: Any) -> One:
    """A record of the JSON object that it is told as."""
    return cast(One, _reader(cast(Any, kind))(told))


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """A function that makes a value of this type of what JSON has for it."""
    arguments = get_args(kind)
    if get_origin(kind) in (Union, UnionType):
        [inner] = [_reader(one) for one in arguments if one is not type(None)]
        return lambda told: None if told is None else inner(told)
    if get_origin(kind) is tuple:
        each = _reader(arguments[0])  # all are alike
        return lambda told: tuple(map(each, told))
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        types, names = get_type_hints(kind), cast(Any, kind).__match_args__
        keys = kind.json_names() if issubclass(kind, Record) else names
        readers = {name: (key, _reader(types[name])) for name, key in zip(names, keys, strict=True)}
        return lambda told: kind(
            **{name: read(told[key]) for name, (key, read) in readers.items() if key in told}
        )
    if isinstance(kind, type) and issubclass(kind, str) and kind is not str:
        return kind
    return lambda told: told


# What is sent


def _short(ids: Iterable[str]) -> Iterator[list[str]]:
    """Ids, as many at a time as an address may hold that proxies let through."""
    some: list[str] = []
    size = 0
    for id in ids:
        length = len(urlencode({"id": id}, errors="surrogatepass"))
        if len(some) == ADDRESS_IDS or (some and size + length > ADDRESS_BYTES):
            yield some
            some, size = [], 0
        some.append(id)
        size += length + 1
    if some:
        yield some


def _portions(batch: Articles, given: Fields | None) -> Iterator[list[Object]]:
    """The articles of a batch as JSON objects, as many at a time as one request takes."""
    records: list[Object] = []
    size = 0
    for row, id in enumerate(batch.ids):
        start, end = batch.offsets[row : row + 2].tolist()
        if records and (size + end - start > REQUEST_BYTES or len(records) == REQUEST_ARTICLES):
            yield records
            records, size = [], 0
        about = {name: column[row] for name, column in batch.about.items() if column[row]}
        if given is not None and given.date_format and batch.published[row] != UNDATED:
            about["published"] = (
                f"{np.datetime64(int(batch.published[row]), 'us')}Z"  # the service knows no such format
            )
        records.append({"id": id, "text": str(batch.text[start:end].data, "utf-8"), **about})
        size += end - start
    if records:
        yield records
