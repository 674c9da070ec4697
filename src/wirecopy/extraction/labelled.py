"""Labelled pages: a page, its text, and which of its blocks that text covers.

A page's text is laid over its words, and a block is CONTENT if more than half of its words are covered by runs of three and
more that both have in order (docs/extraction.md).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wirecopy import _core
from wirecopy.errors import MissingExtra, SourceError
from wirecopy.extraction import MAX_PAGE_BYTES, MAX_PAGE_TAGS
from wirecopy.model import Skipped, count

RUN_WORDS = 3

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page whose article is known: `gold` is its text, `labels` which blocks that covers.

    `group` is its site: no group is in training and in validation at once. `known` is its title, author and so on, as
    they were written.
    """

    id: str
    path: Path
    group: str
    collection: str
    values: NDArray[np.float32]
    words: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    gold: NDArray[np.uint64]
    labels: Flags
    known: Mapping[str, str]

    def look_again(self, likely: NDArray[np.float32], again: float) -> NDArray[np.float32]:
        """The values of the second look, for the blocks that get one: those whose `likely` is `again` or more."""
        page = self.path.read_bytes()
        values, _, _ = _core.look_at(page, None, likely, again, MAX_PAGE_BYTES, MAX_PAGE_TAGS)
        return values.reshape(-1, len(_core.feature_names(True)))


def labelled_files(folder: Path) -> Iterator[Path]:
    """Yields the files that `read_labelled` may read in a folder: pages, their texts, and what is known of them."""
    yield folder / "meta.jsonl"
    for path in _pages_below(folder):
        yield from (path, *_texts_of(path))


def _pages_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in (".html", ".htm"))


def _texts_of(page: Path) -> list[Path]:
    return [page.with_suffix(".txt"), page.parent.parent / "gold" / f"{page.stem}.txt"]


@dataclass(frozen=True, slots=True)
class PageText:
    """A page as received, its site, and the text of its article."""

    id: str
    site: str
    content: bytes
    text: str


def read_texts(folder: Path) -> Iterator[PageText]:
    """Yields the pages below a folder that have their text in a file, as `read_labelled` finds them, without labelling their blocks."""
    about = _read_meta(folder / "meta.jsonl")
    for path in _pages_below(folder):
        id = _id(path, folder)
        said = about.get(id, _About())
        text = next((one for one in _texts_of(path) if one.exists()), None)
        if text and not UNUSABLE & said.flags:
            site = said.site or path.parent.relative_to(folder).as_posix()
            yield PageText(id, site, path.read_bytes(), text.read_text("utf-8", "replace"))


def _id(page: Path, folder: Path) -> str:
    return page.relative_to(folder).with_suffix("").as_posix().removeprefix("html/")


def read_labelled(folder: Path) -> tuple[list[LabelledPage], list[Skipped]]:
    """The labelled pages below a folder, and the skipped ones: `NAME.html` with `NAME.txt` beside it, or with the paper's mark-up.

    `html/NAME.html` with `gold/NAME.txt` is taken too. `meta.jsonl` in the folder may say `id`, `site`, `flags`, `title`,
    `date` and `authors`; without it, the folder a page stands in is its site. Raises SourceError if no page is labelled.
    """
    if not folder.is_dir():
        raise SourceError(f"{folder}: expected a folder of labelled pages")
    about = _read_meta(folder / "meta.jsonl")
    paths = _pages_below(folder)
    with ThreadPoolExecutor() as pool:
        read = list(pool.map(lambda path: _read_page(path, folder, about), paths))
    pages = [page for page in read if isinstance(page, LabelledPage)]
    skipped = [page for page in read if isinstance(page, Skipped)]
    if not pages:
        raise SourceError(
            f"{folder}: no labelled page in {count(len(paths), 'HTML file')}: expected NAME.html with NAME.txt beside it, or"
            ' <span class="CedarContent"> in the page' + (f"; {skipped[0]}" if skipped else "")
        )
    return pages, skipped


UNUSABLE = {"gold_not_in_page", "gold<200ch", "no_fulltext", "gold_not_visible"}
"""Flags of pages that do not hold their text: nothing can be learnt from these."""


@dataclass(frozen=True, slots=True)
class _About:
    """What `meta.jsonl` says of a page; what it does not say is empty."""

    site: str = ""
    flags: frozenset[str] = frozenset()
    known: dict[str, str] = field(default_factory=dict)


def _read_meta(path: Path) -> dict[str, _About]:
    if not path.exists():
        return {}
    try:
        lines = path.read_text("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise SourceError(f"{path}: not UTF-8") from None
    about = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            about[_word(record["id"])] = _About(
                _word(record.get("site")),
                frozenset(_words(record.get("flags"))),
                {
                    "title": _word(record.get("title")),
                    "author": "; ".join(_words(record.get("authors"))),
                    "published": _word(record.get("date")),
                },
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise SourceError(
                f"{path}:{number}: expected an object with the id of a page, and of site, title, date, authors and flags"
                f" words or lists of them, got {line[:60]}"
            ) from None
    return about


def _word(value: object) -> str:
    if not isinstance(value, str | int | float | None):
        raise TypeError
    return "" if value is None else str(value)


def _words(value: object) -> list[str]:
    """The words in a list, or the single word instead of one; an object stands for its `name`."""
    values = value if isinstance(value, list) else [value]
    words = [_word(one["name"] if isinstance(one, dict) else one) for one in values]
    return [word for word in words if word]


def _read_page(path: Path, folder: Path, about: dict[str, _About]) -> LabelledPage | Skipped | None:
    id = _id(path, folder)
    said = about.get(id, _About())
    if UNUSABLE & said.flags:
        return None
    try:
        content = path.read_bytes()
        gold_path = next((one for one in _texts_of(path) if one.exists()), None)
        marked = _read_marks(content)
        content_marked = marked.pop("text", None)
        text = gold_path.read_text("utf-8") if gold_path else content_marked
        if text is None:
            return Skipped(str(path), f"not labelled: no {path.stem}.txt, no CedarContent")
        values, words, offsets = _core.look_at(content, None, None, 0.0, MAX_PAGE_BYTES, MAX_PAGE_TAGS)
    except UnicodeDecodeError:
        return Skipped(str(gold_path), "not UTF-8")
    except (OSError, ValueError, AssertionError) as error:  # the last of markup that html.parser gives up on
        return Skipped(str(path), str(error))
    if len(offsets) < 2:
        return Skipped(str(path), "no text in the page")
    gold = _core.split_words(text)
    values = values.reshape(len(offsets) - 1, -1)
    labels = label_blocks(words, offsets, gold, _is_body(values))
    home = Path(os.path.realpath(folder))
    group = said.site or (home.name / path.parent.relative_to(folder)).as_posix()
    return LabelledPage(id, path, group, home.name, values, words, offsets, gold, labels, said.known | marked)


class _Marks(HTMLParser):
    """Collects the text of the elements in the paper's mark-up: `CedarContent`, `CedarTitle` and so on."""

    def __init__(self) -> None:
        super().__init__()
        self.in_program = False
        self.open: list[str | None] = []
        self.parts: dict[str, list[list[str]]] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.in_program = tag in ("script", "style")
        if tag in ("p", "br", "div", "li", "td"):
            self.handle_data("\n")
        if tag == "span":
            mark = next((name for name in (dict(attrs).get("class") or "").split() if name in MARKS), None)
            self.open.append(mark)
            if mark:
                self.parts.setdefault(mark, []).append([])

    def handle_endtag(self, tag: str) -> None:
        self.in_program = False
        if tag == "span" and self.open:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        for mark in {mark for mark in self.open if mark and not self.in_program}:
            self.parts[mark][-1].append(data)


MARKS = {
    "CedarContent": "text",
    "CedarTitle": "title",
    "CedarAuthor": "author",
    "CedarDate": "published",
    "CedarLocation": "location",
    "CedarSource": "source",
}
"""The paper's mark-up (figure 1), and what it marks in our words."""


def _read_marks(content: bytes) -> dict[str, str]:
    """The marked text in a page, by field."""
    if b"Cedar" not in content:
        return {}
    text = _core.decode(content)
    if not any(mark in text for mark in MARKS):
        return {}
    parser = _Marks()
    parser.feed(text)
    marked = {}
    for mark, runs in parser.parts.items():
        found = [run for parts in runs if (run := "".join(parts).strip())]
        if found:
            marked[MARKS[mark]] = ("; " if mark == "CedarAuthor" else "\n").join(found)
    return marked


_PLACES = {name: place for place, (name, _) in enumerate(_core.feature_names(False))}
BYLINE_WORDS = 15
BYLINE_BLOCKS = 8


def _is_body(values: NDArray[np.float32]) -> Flags:
    """Whether each block may be text: all but those in the head, the headline and the byline.

    A byline is a short block soon after the headline that has a date, or a name that bylines have.
    """

    def column(name: str) -> NDArray[np.float32]:
        return values[:, _PLACES[name]]

    after = column("from headline")
    near = (after > 0) & (after <= BYLINE_BLOCKS)
    short = (column("words") <= BYLINE_WORDS) & (column("sentence ends") <= 1)
    named = (column("named byline") > 0) & (column("named byline") <= 2)
    byline = near & short & (named | (column("has date") > 0))
    body: Flags = (column("in head") == 0) & (after != 0) & ~byline
    return body


def label_blocks(
    words: NDArray[np.uint64], offsets: NDArray[np.int64], gold: NDArray[np.uint64], body: Flags
) -> Flags:
    """Whether each block is in the body, and the article's text covers more than half of it.

    Collections disagree about headlines and bylines: here they are not text, whatever the text beside the page says.
    """
    try:
        from rapidfuzz.distance import LCSseq
    except ImportError:
        raise MissingExtra("labelling pages by their texts", "train") from None

    covered = np.zeros(len(words) + 1, np.int64)
    words = np.where(np.repeat(body, np.diff(offsets)), words, np.arange(len(words), dtype=np.uint64))
    query, found = (shingles(one, RUN_WORDS).tolist() for one in (words, gold))
    for run in LCSseq.opcodes(query, found) if query and found else ():
        if run.tag == "equal":
            covered[run.src_start] += 1
            covered[run.src_end + RUN_WORDS - 1] -= 1
    is_covered = np.cumsum(covered[:-1]) > 0
    sums = np.concatenate([[0], np.cumsum(is_covered)])
    shared: Flags = 2 * np.diff(sums[offsets]) > np.diff(offsets)
    return shared


def shingles(words: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    """The hashes of all runs of `size` words."""
    mixed = np.zeros(max(0, len(words) - size + 1), np.uint64)
    for place in range(size):
        mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + words[place : len(words) - size + 1 + place]
    return mixed
