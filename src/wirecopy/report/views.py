"""Pages that show something else than stories: one pair of articles, scores with the pairs they tell of, or texts that were checked."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..alignment import KINDS, Pair, align_rows
from ..comparison import RELATIONS
from ..files import open_whole
from ..model import Article, Boilerplate, Match, count
from ..text import count_words, encode, mend, tokenise
from .articles import pack_one, pack_pieces, tell_article, to_units
from .overview import plain_head, tell_about
from .page import as_block, build_page, pack

if TYPE_CHECKING:
    from ..archive import Answer

BLOCK_ANSWERS = 8
"""So many checked texts are one block."""


def write_pair(path: Path, pair: Pair, *, preset: str, made_from: Sequence[str] = ()) -> int:
    """Write a page that shows two articles side by side, and return its size in bytes."""
    return _write(path, *tell_pair(pair, preset=preset, made_from=made_from))


def tell_pair(
    pair: Pair, *, preset: str, made_from: Sequence[str] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The head and the one block of a page that shows two articles side by side."""
    match = pair.match
    name = f"{pair.query.id} (query)" if pair.query.id == pair.found.id else pair.query.id
    pair = replace(pair, query=replace(pair.query, id=name))
    title = " beside ".join(one.title or one.id for one in (pair.query, pair.found))
    about = tell_about(preset, match.methods if match else (), made_from)
    head = plain_head("pair", title, about, {"articles": 2, "matches": int(match is not None)})
    if match:
        head["relations"][str(match.relation)] = 1
    return head | {"blocks": 1}, _tell_pairs([(pair, "")])


def write_scores(
    path: Path,
    title: str,
    content: str,
    pairs: Sequence[tuple[Pair, str]],
    *,
    preset: str,
    made_from: Sequence[str] = (),
) -> int:
    """Write a page of scores, told by `content` as HTML, with pairs to open, each with what is said of it; return its size in bytes."""
    about = tell_about(preset, (), made_from, limits=())
    head = plain_head("scores", title, about, {}) | {"blocks": 1}
    return _write(path, head, _tell_pairs(pairs), content)


def _tell_pairs(pairs: Sequence[tuple[Pair, str]]) -> dict[str, Any]:
    """A block of pairs, each with what is said of it."""
    told = [
        _tell_match(pair.match)
        | {"query": pair.query.id, "found": pair.found.id, "pieces": _pack(pair), "said": said}
        for pair, said in pairs
    ]
    sides = {one.id: one for pair, _ in pairs for one in (pair.query, pair.found)}
    articles = {id: _tell(replace(one, text=mend(one.text))) for id, one in sides.items()}
    return {"pairs": told, "articles": articles}


def _write(path: Path, head: dict[str, Any], block: dict[str, Any], content: str = "") -> int:
    """Write a page with one block."""
    with open_whole(path, "wb") as out:
        return sum(map(out.write, build_page(head, None, [as_block(0, pack(block))], content)))


def _pack(pair: Pair) -> list[int]:
    """The pieces of a pair, in UTF-16."""
    query, found = (to_units(one.text).tolist() for one in (pair.query, pair.found))
    return pack_one(
        [
            (
                KINDS.index(one.kind),
                *(query[edge] for edge in one.query),
                *(found[edge] for edge in one.found),
                one.passage + 1 << 2 | one.minor << 1 | one.moved,
            )
            for one in pair.pieces
        ]
    )


@contextmanager
def open_answers(
    path: Path,
    read: Callable[[str], Article | None],
    *,
    preset: str,
    methods: Sequence[str] = (),
    boilerplate: Boilerplate | None = None,
    made_from: Sequence[str] = (),
) -> Iterator[Callable[[Answer, str], None]]:
    """The function that takes the answers for checked texts, each with its text, as they come; the page is written once all are there.

    `read` gives an article of the archive with its text, by its id.
    """
    waiting: list[dict[str, Any]] = []
    counts = {"articles": 0, "matches": 0}
    relations = dict.fromkeys(map(str, RELATIONS), 0)
    with tempfile.TemporaryFile() as made:
        blocks = 0

        def flush() -> None:
            nonlocal blocks
            made.write(as_block(blocks, pack({"answers": waiting})))
            waiting.clear()
            blocks += 1

        def add(answer: Answer, text: str) -> None:
            waiting.append(_tell_answer(answer, text, read, preset, boilerplate))
            _count(answer, counts, relations)
            if len(waiting) == BLOCK_ANSWERS:
                flush()

        yield add
        if waiting:
            flush()
        head = _head_of_answers(counts, relations, blocks, preset, methods, made_from)
        made.seek(0)
        with open_whole(path, "wb") as out:
            out.writelines(build_page(head, None, made))


def tell_checked(
    answer: Answer,
    text: str,
    read: Callable[[str], Article | None],
    *,
    preset: str,
    boilerplate: Boilerplate | None = None,
    made_from: Sequence[str] = (),
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The head and the one block of a page that shows one checked text."""
    counts, relations = {"articles": 0, "matches": 0}, dict.fromkeys(map(str, RELATIONS), 0)
    _count(answer, counts, relations)
    head = _head_of_answers(counts, relations, 1, preset, (), made_from)
    return head, {"answers": [_tell_answer(answer, text, read, preset, boilerplate)]}


def _count(answer: Answer, counts: dict[str, int], relations: dict[str, int]) -> None:
    counts["articles"] += 1
    counts["matches"] += len(answer.found)
    for one in answer.found:
        relations[str(one.match.relation)] += 1


def _head_of_answers(
    counts: Mapping[str, int],
    relations: Mapping[str, int],
    blocks: int,
    preset: str,
    methods: Sequence[str],
    made_from: Sequence[str],
) -> dict[str, Any]:
    against = f" against {made_from[0]}" if made_from else ""
    title = f"{count(counts['articles'], 'text')} checked{against}"
    head = plain_head("check", title, tell_about(preset, methods, made_from), counts)
    head |= {"relations": relations, "blocks": blocks}
    return head | {"answers": counts["articles"], "block_answers": BLOCK_ANSWERS}


def _tell(article: Article) -> dict[str, Any]:
    """An article as the page has it; one that was lost has no text."""
    [words] = count_words(tokenise(*encode([article.text]))).tolist()
    length = int(to_units(article.text)[-1])
    return {"id": article.id} | tell_article(article, words, length, bool(article.text))


def _tell_match(match: Match | None) -> dict[str, Any]:
    """What a page knows of a match, but its articles; of none, that nothing is shared."""
    if match is None:
        return dict.fromkeys(("query_covered", "found_covered", "resemblance"), 0.0) | {
            "relation": None,
            "words": 0,
            "slots": {"same": 0, "other": 0},
        }
    return {
        "relation": str(match.relation),
        "query_covered": match.query_covered,
        "found_covered": match.found_covered,
        "resemblance": match.resemblance,
        "words": match.words,
        "slots": match.slots._asdict(),
    }


def _align(
    query: str, founds: Sequence[str], preset: str, boilerplate: Boilerplate | None
) -> Iterator[list[int]]:
    """The pieces of a text and each of some others."""
    rows = np.arange(1, len(founds) + 1, dtype=np.uint32)
    text, offsets = encode([query, *founds])
    pairs = np.zeros_like(rows), rows
    return pack_pieces(align_rows(text, offsets, *pairs, preset=preset, boilerplate=boilerplate, utf16=True))


def _tell_answer(
    answer: Answer,
    text: str,
    read: Callable[[str], Article | None],
    preset: str,
    boilerplate: Boilerplate | None,
) -> dict[str, Any]:
    """An answer as the page has it; what was removed from the archive meanwhile is named, and not shown."""
    founds = [read(one.match.found) or one.article for one in answer.found]
    pieces = _align(text, [one.text for one in founds], preset, boilerplate)
    units = to_units(text)
    return {
        "query": _tell(replace(answer.article, text=text)),
        "copied": answer.copied,
        "articles": answer.articles,
        "contained_in_count": answer.contained_in_count,
        "at_least": answer.at_least,
        "form_of_count": answer.form_of_count,
        "found": [
            _tell_match(one.match)
            | {"article": _tell(article), "story": one.story, "pieces": some if article.text else []}
            for one, article, some in zip(answer.found, founds, pieces, strict=True)
        ],
        "new": [int(units[edge]) for span in answer.new for edge in span],
    }
