"""What a webhook wants to be told of, and what it is told: the payload of a message, made of an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import quote

from ..comparison import RELATIONS
from ..errors import UsageError, refuse
from ..model import Match, Relation
from .answers import Answer, Found

COPIES = tuple(str(one) for one in RELATIONS if one != Relation.FORM)
"""What a webhook is told of unless it asks for more: a form is no copy."""
MATCHES = 100
"""The most articles that one message names, of those with most copied words; how many there are it says."""
TEXT_CHARACTERS = 500_000
"""The most characters of passages' texts in one message; where there are more, the passages of further articles are without texts."""
NAME_CHARACTERS = 500
LINK_CHARACTERS = 2000
_LINK = re.compile(r"https?://[^\s<>\"\\^`]+")


@dataclass(frozen=True, slots=True)
class Policy:
    """What a webhook wants to be told of.

    One that is for a `poster` is told of what is posted under that name: the poster that is named when a text is checked or
    observed, or its source or author. One for a `source` or an `author` is told of matches with their articles; one for none of them, of all
    matches. Of these it is told if their relation is one of `relations`, if at least `min_share` of either article is in the other, and if they have
    `min_words` equal words in common. With `passages` it is told these too, with their texts. `link` is the address of a page
    to look at, in which {query} and {found} stand for the ids.
    """

    poster: str | None = None
    source: str | None = None
    author: str | None = None
    relations: tuple[str, ...] = COPIES
    min_share: float = 0.0
    min_words: int = 0
    passages: bool = False
    link: str | None = None

    def __post_init__(self) -> None:
        named = [name for name in ("poster", "source", "author") if getattr(self, name) is not None]
        refuse(
            (len(named) > 1, f"{' and '.join(named)}: a webhook is for one of them; make one for each"),
            *((not _is_name(getattr(self, name)), f"{name}: expected a name") for name in named),
            *_complain(self.relations, self.min_share, self.min_words, self.passages, self.link),
        )

    @classmethod
    def from_dict(cls, given: Any) -> Policy:
        """The policy of a JSON object; raises UsageError for what is none."""
        if not isinstance(given, Mapping):
            raise UsageError("policy: expected an object")
        known = [one.name for one in fields(cls)]
        unknown = [str(name)[:40] for name in given if name not in known]
        refuse((unknown, f"policy: expected {', '.join(known)}, got {', '.join(unknown)}"))
        values = {name: value for name, value in given.items() if value is not None}
        if isinstance(values.get("relations"), list):
            values["relations"] = tuple(values["relations"])
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """The policy as a JSON object."""
        return {one.name: _plain(getattr(self, one.name)) for one in fields(self)}

    def choose(self, answer: Answer, poster: str | None) -> list[Found]:
        """Those of the articles found that it wants to be told of."""
        article = answer.article
        if self.poster is not None and self.poster not in (poster, article.source, article.author):
            return []
        return [one for one in answer.found if self._wants(one)]

    def _wants(self, found: Found) -> bool:
        match, article = found.match, found.article
        return (
            self.source in (None, article.source)
            and self.author in (None, article.author)
            and str(match.relation) in self.relations
            and max(match.query_covered, match.found_covered) >= self.min_share
            and match.words >= self.min_words
        )

    def tell(self, query: str, found: Sequence[Found]) -> dict[str, Any]:
        """What is said of some articles found: ids, relation, shares and a link; with passages if it wants them."""
        matches, room = [], TEXT_CHARACTERS
        for one in found[:MATCHES]:
            room -= sum(len(passage.text) + len(passage.found_text) for passage in one.match.passages)
            matches.append(self._tell_one(one.match, text=room >= 0) | {"story": one.story})
        return {"query": query, "articles": len(found), "matches": matches}

    def _tell_one(self, match: Match, *, text: bool) -> dict[str, Any]:
        names = ["found", "relation", "query_covered", "found_covered", "resemblance"]
        told = match.to_dict(text=text)
        told |= {"words": match.words, "link": self._link(match)}
        return {name: told[name] for name in [*names, "words", "link", *["passages"] * self.passages]}

    def _link(self, match: Match) -> str | None:
        ids = {"{query}": match.query, "{found}": match.found}
        return self.link and re.sub(r"\{(?:query|found)\}", lambda name: quote(ids[name[0]], ""), self.link)


def withdraw(payload: str, articles: Collection[str]) -> tuple[str, bool]:
    """The payload of a message without what it says of some articles, and whether anything is left to be told."""
    try:
        told = json.loads(payload)
        data = told["data"]
        matches = [
            one | {"story": None if one.get("story") in articles else one.get("story")}
            for one in data["matches"]
            if data["query"] not in articles and one["found"] not in articles
        ]
        if matches:
            gone = data.get("removed", 0) + len(data["matches"]) - len(matches)
            return write_payload(told | {"data": data | {"matches": matches, "removed": gone}}), True
        return write_payload(
            {"type": told["type"], "timestamp": told["timestamp"], "data": {"removed": 1}}
        ), False
    except (ValueError, LookupError, TypeError, AttributeError):  # damaged: then all of it goes
        return "{}", False


def write_payload(told: Mapping[str, Any]) -> str:
    """A payload as it is stored, signed and sent: a lone surrogate, which no UTF-8 has, is escaped as all that is not ASCII."""
    return json.dumps(told, separators=(",", ":"))


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= len(value) <= NAME_CHARACTERS


def _complain(
    relations: object, min_share: object, min_words: object, passages: object, link: object
) -> list[tuple[object, str]]:
    known = [str(one) for one in RELATIONS]
    are_known = isinstance(relations, tuple) and relations and all(one in known for one in relations)
    is_share = isinstance(min_share, int | float) and not isinstance(min_share, bool) and 0 <= min_share <= 1
    is_count = isinstance(min_words, int) and not isinstance(min_words, bool) and 0 <= min_words < 1 << 31
    is_link = isinstance(link, str) and len(link) <= LINK_CHARACTERS and _LINK.fullmatch(link)
    return [
        (not are_known, f"relations: expected some of {', '.join(known)}"),
        (not is_share, "min_share: expected a share from 0 to 1"),
        (not is_count, "min_words: expected a number of words"),
        (not isinstance(passages, bool), "passages: expected true or false"),
        (link is not None and not is_link, "link: expected an address that begins with http:// or https://"),
    ]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
