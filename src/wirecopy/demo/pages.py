"""Articles set into the sites of invented newspapers.

A design is a file of `designs/`: after a line `@name` stands the HTML of a part, `page` is the whole. `$name` is a value, in
which everything that means something to HTML is escaped; `${name_json}` the same as a string of JSON that may
stand in a script. `$name` of a part that is repeated (`teasers` for the part `teaser`) is markup. Parts named `insert` are put between
paragraphs. What a site says on every page is drawn from `furniture.txt` once, by the id of its paper.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from html import escape
from importlib import resources
from pathlib import PurePosixPath
from string import Template
from zlib import crc32

from wirecopy.demo.archive import AGENCY, FOREIGN, PAPERS, Paper
from wirecopy.demo.bank import Draw, read_bank
from wirecopy.model import Article

TEASERS, LINKS, RELATED = 6, 10, 3
"""How many other articles a page shows: the latest with their first sentences, their titles, some of the same kind."""
ZONES = {-6: "CST", -5: "EST", 0: "GMT", 1: "CET", 3: "TSİ", 8: "北京时间", 10: "AEST"}


class Markup(str):
    """HTML as it is, not to be escaped."""


class Values(dict[str, str]):
    """The values of a template, by name, each escaped for where it stands."""

    def __getitem__(self, name: str) -> str:
        """The value escaped for HTML, or for `name_json` as a JSON string that may stand in a script."""
        plain = name.removesuffix("_json")
        value = super().__getitem__(plain)
        if plain != name:
            return re.sub("[<>&]", lambda found: rf"\u{ord(found[0]):04x}", json.dumps(value))
        return value if isinstance(value, Markup) else escape(value)


@dataclass(frozen=True)
class Site:
    """The web site of a paper: a design, and furniture that is the same on every page."""

    paper: Paper
    design: str

    def render(self, article: Article, others: Sequence[Article]) -> bytes:
        """The page of an article, with teasers for the others, which are given latest first."""
        draw = Draw(crc32(article.id.encode()), _bank())
        others = [other for other in others if other.id != article.id]
        related = draw.shuffled(others[TEASERS:])[:RELATED]
        values = self._furniture | self._about(article)
        cast = {"author": values["author"], "name": self.paper.name}
        for name in ("advert", "offer", "caption", "bio", "poll"):
            values[name] = draw.fill(draw.pick(draw.bank[name]), cast)
        values["section"] = draw.pick(self._sections)
        values["teasers"] = self._repeat("teaser", values, map(self._about, others[:TEASERS]))
        values["links"] = self._repeat("link", values, map(self._about, others[:LINKS]))
        values["related"] = self._repeat("related", values, map(self._about, related))
        values["comments"] = self._repeat("comment", values, self._comments(draw, int(values["unix"])))
        values["body"] = self._body(draw, article, values)
        [encoding] = self._parts.get("encoding", ["utf-8"])
        [page] = self._parts["page"]
        return _fill(page, values).encode(encoding.strip(), "xmlcharrefreplace")

    @cached_property
    def _parts(self) -> Mapping[str, Sequence[str]]:
        text = resources.files(__package__).joinpath("designs", f"{self.design}.html").read_text("utf-8")
        parts: dict[str, list[str]] = {}
        _, *pieces = re.split(r"^@(\w+)\n", text, flags=re.MULTILINE)
        for part, markup in zip(pieces[::2], pieces[1::2], strict=True):
            parts.setdefault(part, []).append(markup.rstrip("\n"))
        return parts

    @cached_property
    def _sections(self) -> Sequence[str]:
        draw = Draw(crc32(self.paper.id.encode()), _bank())
        return draw.shuffled(draw.bank["section"])[:9]

    @cached_property
    def _furniture(self) -> dict[str, str]:
        draw = Draw(crc32(self.paper.id.encode()), _bank())
        names = ("cookie", "newsletter", "membership", "about", "legal", "tagline")
        cast = {"name": self.paper.name}
        furniture = {name: draw.fill(draw.pick(draw.bank[name]), cast) for name in names}
        furniture |= {"ticker": "   +++   ".join(draw.fill(one, cast) for one in draw.bank["ticker"][:4])}
        site = {
            "site": self.paper.name,
            "site_id": self.paper.id,
            "home": f"https://www.{self.paper.id}.example",
            "zone": ZONES[self.paper.hours],
        }
        menu = [{"item": item, "item_id": item.lower()} for item in self._sections]
        return furniture | site | {"menu": self._repeat("item", site, menu)}

    def _about(self, article: Article) -> dict[str, str]:
        """What the site says of an article, on its own page and on others."""
        assert article.published
        moment = datetime.fromisoformat(article.published)
        month = read_bank("sentences.txt")["month"][moment.month - 1]
        return {
            "title": article.title or "",
            "lead": _lead(article.text),
            "author": article.author or "",
            "author_id": re.sub(r"\W+", "-", (article.author or "").lower()),
            "language": article.language or "en",
            "link": PurePosixPath(article.id).name,
            "path": f"{moment:%Y/%m/%d}/{PurePosixPath(article.id).stem}",
            "iso": article.published,
            "utc": f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
            "unix": str(int(moment.timestamp())),
            "day": f"{moment.day} {month} {moment.year}",
            "day_us": f"{month} {moment.day}, {moment.year}",
            "day_tr": f"{moment.day} Mart {moment.year}",  # all days of the archive are in March
            "day_zh": f"{moment.year}年{moment.month}月{moment.day}日",
            "clock": f"{moment:%H:%M}",
            "clock_us": f"{moment.hour % 12 or 12}:{moment:%M} {'pm' if moment.hour >= 12 else 'am'}",
        }

    def _comments(self, draw: Draw, published: int) -> Iterator[dict[str, str]]:
        for number, remark in enumerate(draw.shuffled(draw.bank["remark"])[: draw.between(2, 7)], 1):
            yield {
                "alias": draw.fill(draw.pick(draw.bank["alias"]), {}),
                "remark": draw.fill(remark, {}),
                "ago": f"{number + draw.between(0, 2)} hours ago",
                "number": str(published % 10**6 + number),
            }

    def _body(self, draw: Draw, article: Article, values: Mapping[str, str]) -> Markup:
        [part] = self._parts["paragraph"]
        paragraphs = [_fill(part, {**values, "text": text}) for text in article.text.split("\n\n")]
        for insert in self._parts.get("insert", ()):
            paragraphs.insert(draw.between(1, max(1, len(paragraphs) - 1)), _fill(insert, values))
        return Markup("\n".join(paragraphs))

    def _repeat(self, part: str, values: Mapping[str, str], items: Iterable[Mapping[str, str]]) -> Markup:
        markup = self._parts.get(part, ())
        return Markup("\n".join(_fill(one, {**values, **item}) for one in markup for item in items))


def _fill(part: str, values: Mapping[str, str]) -> Markup:
    return Markup(Template(part).substitute(Values(values)))


@lru_cache
def _bank() -> Mapping[str, Sequence[str]]:
    return {**read_bank("sentences.txt"), **read_bank("furniture.txt")}


def _lead(text: str) -> str:
    """The first sentence of the first long paragraph: short ones may be the paper's own."""
    paragraphs = text.split("\n\n")
    long = next((one for one in paragraphs if len(one) > 150), paragraphs[0])
    sentence = re.match(r".+?(?:。|(?<![A-Z])[.?!]\"?(?=\s|$))", long)
    return sentence[0] if sentence else long


DESIGNS = ("modern", "boxes", "tables", "blog", "plain", "comments", "teasers", "application", "agency")
"""The designs in English, in the order of the papers."""
SITES = tuple(map(Site, (*PAPERS, AGENCY, *FOREIGN), (*DESIGNS, "turkish", "chinese")))


def render(articles: Sequence[Article]) -> Iterator[tuple[str, bytes]]:
    """The id and the page of each article of an archive; teasers are of what the same paper printed last."""
    for site in SITES:
        own = [article for article in articles if article.source == site.paper.name]
        for article in own:
            yield article.id, site.render(article, own[::-1])
