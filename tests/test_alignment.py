"""Two articles laid side by side: the kernel equals its slow twin, the pieces cover both texts, and say what a reader would."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from reference import align as twin_align
from reference import pieces as twin
from reference import shingles as twin_shingles

import wirecopy
from quality.texts import Writer, join
from wirecopy import _core
from wirecopy.alignment import KINDS, AlignedRows, Kind, Piece, Pieces, align, align_rows
from wirecopy.comparison import PRESETS, Preset
from wirecopy.model import Boilerplate
from wirecopy.text import encode, tokenise

SEPARATORS = (*[" "] * 12, ", ", ". ", ".\n\n", "; ", " “", "” ", " (", ") ", "\u3000", "\xa0– ", "…")
LATIN = ("news", "Zug", "été", "ﬁsh", "3.5", "Ωmega", "слово", "كلمة", "O’Neil", "𝐱𝐲")
HAN = tuple("新华社记者报道今天上午")


def spell(chooser: random.Random, word: str) -> str:
    """The word, now and then in another case."""
    return word.upper() if chooser.random() < 0.1 else word


def write(chooser: random.Random, words: Sequence[str]) -> str:
    """The words as a text, with marks and white space between and around them."""
    parts = [chooser.choice(["", "", "“", "\n", "- "])]
    for word in words:
        parts += [
            spell(chooser, word),
            "" if word in HAN and chooser.random() < 0.8 else chooser.choice(SEPARATORS),
        ]
    return "".join(parts)


def draw_pair(chooser: random.Random) -> tuple[str, str]:
    """Two texts of few distinct words, of which one is put together from pieces of the other, edited."""
    known = chooser.sample([*LATIN, *HAN], chooser.randint(2, 20))
    known += [f"w{number}" for number in range(chooser.choice([0, 0, 20, 60]))]
    one = chooser.choices(known, k=chooser.randint(0, 45))
    other: list[str] = []
    for _ in range(chooser.randint(0, 4)):
        start = chooser.randint(0, len(one))
        piece = one[start : chooser.randint(start, len(one))]
        for _ in range(chooser.randint(0, 3)):
            at = chooser.randint(0, len(piece))
            piece[at : at + chooser.randint(0, 2)] = chooser.choices(known, k=chooser.randint(0, 2))
        other += piece + chooser.choices(known, k=chooser.randint(0, 4))
    texts = write(chooser, one), write(chooser, other[:45])
    return texts if chooser.random() < 0.5 else texts[::-1]


def draw_settings(chooser: random.Random) -> twin_align.Settings:
    return twin_align.Settings(
        chooser.randint(1, 4),
        chooser.randint(0, 8),
        chooser.randint(1, 8),
        chooser.choice([0.5, 0.8, 1.0]),
        chooser.randint(1, 8),
    )


def lay_twin(
    texts: tuple[str, str],
    tried: Sequence[twin_align.Settings],
    formulas: set[tuple[int, ...]],
    minor_words: int,
) -> list[twin.Piece] | None:
    """The twin's pieces; None where the core bounds its work."""
    tokens = tokenise(*encode(texts), spans=True)
    assert tokens.starts is not None
    assert tokens.ends is not None
    sides = []
    for row, text in enumerate(texts):
        own = slice(*tokens.offsets[row : row + 2].tolist())
        words = tokens.hashes[own].tolist()
        halves = [2] * len(words) if tokens.halves is None else tokens.halves[own].tolist()
        spans = list(zip(tokens.starts[own].tolist(), tokens.ends[own].tolist(), strict=True))
        marks = twin_shingles.mark(words, halves, formulas, 2)
        sides.append(twin.Side(text, words, halves, spans, marks))
    if not all(twin_align.fits(sides[0].words, sides[1].words, one.seed_words) for one in tried):
        return None
    light = {word for side in sides for word, half in zip(side.words, side.halves, strict=True) if half == 1}
    whole = [twin.Side(one.text, one.words, one.halves, one.spans, [0] * len(one.words)) for one in sides]
    passages: list[twin.Passage] = []
    for settings in tried:
        passages = twin.find_passages(sides[0], sides[1], settings)
        words = sides[0].words, sides[1].words
        if words[0] == words[1]:
            sides = whole
        elif not passages and any(any(side.marks) for side in sides):
            compared = twin_align.compare_unmarked(*words, [side.marks for side in whole], settings, light)
            if twin_align.is_copy_with_formulas(
                compared, words, [side.marks for side in sides], settings, light
            ):
                sides, passages = whole, twin.find_passages(whole[0], whole[1], settings)
        if passages:
            break
    return twin.lay(sides[0], sides[1], passages, minor_words)


def lay(
    texts: tuple[str, str],
    tried: Sequence[twin_align.Settings],
    formulas: set[tuple[int, ...]],
    minor_words: int,
) -> list[Piece]:
    text, offsets = encode(texts)
    known = np.array([twin_shingles.smallness(one) for one in formulas], np.uint64)
    pair = np.array([0], np.uint32), np.array([1], np.uint32)
    presets = [Preset(**asdict(one), about="") for one in tried]
    tokens = tokenise(text, offsets, spans=True)
    laid = _core.lay(tokens, text, offsets, *pair, presets, Boilerplate(known, 2), minor_words=minor_words)
    return list(AlignedRows(laid[6], Pieces(*laid[:6])).tell(0))


def draw_formulas(chooser: random.Random, texts: tuple[str, str]) -> set[tuple[int, ...]]:
    """A shingle or two of the texts, or none."""
    tokens = tokenise(*encode(texts))
    words, edges = tokens.hashes.tolist(), tokens.offsets.tolist()
    halves = [2] * len(words) if tokens.halves is None else tokens.halves.tolist()
    formulas: set[tuple[int, ...]] = set()
    for _ in range(chooser.choice([0, 0, 1, 3])):
        row = chooser.randrange(2)
        own = slice(*edges[row : row + 2])
        if spans := twin_shingles.spans(halves[own], twin_shingles.FORMULA_WORDS):
            start, end = chooser.choice(spans)
            formulas.add(tuple(words[own][start:end]))
    return formulas


PARTS = 10


@pytest.mark.parametrize("part", range(PARTS))
def test_five_thousand_pairs_are_laid_as_the_twin_says(part: int) -> None:
    kinds: set[str] = set()
    laid = 0
    for number in range(5000 // PARTS):
        chooser = random.Random(part * 1_000_003 + number)
        texts = draw_pair(chooser)
        tried = [draw_settings(chooser) for _ in range(chooser.randint(1, 2))]
        asked = texts, tried, draw_formulas(chooser, texts), chooser.randint(2, 6)
        expected = lay_twin(*asked)
        if expected is None:
            continue
        pieces = lay(*asked)
        assert [(str(one.kind), *one[1:]) for one in pieces] == [tuple(one) for one in expected], asked
        assert rebuild(texts, pieces) == texts
        laid += 1
        kinds |= {str(one.kind) for one in pieces}
    assert laid > 0.8 * 5000 / PARTS
    assert kinds == set(KINDS)


def rebuild(texts: tuple[str, str], pieces: Sequence[Piece]) -> tuple[str, str]:
    """Both texts, put together from the spans of their pieces, which must follow each other."""
    sides = []
    for text, side in zip(texts, ("query", "found"), strict=True):
        spans = sorted(span for one in pieces for span in [getattr(one, side)] if span[0] < span[1])
        assert all(one[1] == other[0] for one, other in pairwise(spans))
        sides.append("".join(text[start:end] for start, end in spans))
    return sides[0], sides[1]


LONG, OTHER, MINE, THEIRS = (Writer(seed, 3000).text(48) for seed in range(4))
SHORT = Writer(5, 3000).text(12) + " "


def tell(query: str, found: str, **options: Any) -> list[tuple[str, str, str]]:
    """The pieces of two texts as their kind and what both have of it; minor and moved ones are named as such."""
    pieces = align(query, found, **options).pieces
    assert rebuild((query, found), pieces) == (query, found)
    return [
        (
            " ".join(["moved"] * one.moved + ["minor"] * one.minor + [str(one.kind)]),
            query[slice(*one.query)],
            found[slice(*one.found)],
        )
        for one in pieces
    ]


def test_word_changes_inside_a_sentence_are_marked_as_words() -> None:
    start, end = (
        "The mayor said that the bridge over the river would be closed for ",
        "from Monday on, until all cracks were mended and every bolt was tight.",
    )
    assert tell(f"{start}six weeks {end}", f"{start}two months {end}") == [
        ("same", start, start),
        ("reworded", "six weeks ", "two months "),
        ("same", end, end),
    ]
    assert tell(f"{start}about two months {end}", f"{start}two months {end}") == [
        ("same", start, start),
        ("inserted", "about ", ""),
        ("same", f"two months {end}", f"two months {end}"),
    ]
    assert [kind for kind, *_ in tell(f"{start}months {end}", f"{start}two months {end}")] == [
        "same",
        "dropped",
        "same",
    ]


def test_what_only_one_has_outside_of_passages_is_added_or_cut() -> None:
    assert tell(f"A new lead.\n\n{LONG}", f"{LONG}\n\nAn old end.") == [
        ("added", "A new lead.\n\n", ""),
        ("same", LONG, f"{LONG}\n\n"),
        ("cut", "", "An old end."),
    ]


def test_a_paragraph_moved_from_top_to_bottom_is_moved() -> None:
    rest = f"{OTHER} {MINE}"
    there, back = (
        tell(f"{LONG}\n\n{rest}", f"{rest}\n\n{LONG}"),
        tell(f"{rest}\n\n{LONG}", f"{LONG}\n\n{rest}"),
    )
    assert there == [("moved same", f"{LONG}\n\n", LONG), ("same", rest, f"{rest}\n\n")]
    assert back == [("same", f"{rest}\n\n", rest), ("moved same", LONG, f"{LONG}\n\n")]


def test_a_moved_sentence_too_short_for_a_passage_is_minor() -> None:
    told = tell(f"{SHORT}{LONG} {OTHER}", f"{LONG} {OTHER} {SHORT}")
    assert [kind for kind, *_ in told] == ["moved minor same", "same"]
    assert told[0][1] == SHORT
    shorter = " ".join(SHORT.split()[:7]) + ". "
    assert [kind for kind, *_ in tell(f"{shorter}{LONG}", f"{LONG} {shorter}")] == ["added", "same", "cut"]


def test_a_short_sentence_that_is_still_in_place_is_minor_and_not_moved() -> None:
    kinds = [kind for kind, *_ in tell(f"{LONG} {MINE} {SHORT}", f"{LONG} {THEIRS} {SHORT}")]
    assert kinds == ["same", "cut", "added", "minor same"]


def test_one_equal_word_alone_between_changed_ones_is_taken_as_changed() -> None:
    half = len(LONG) // 2 - 10
    start, end = LONG[: LONG.rindex(" ", 0, half) + 1], LONG[LONG.rindex(" ", 0, half) + 1 :]
    told = tell(f"{start}one two of four five {end}", f"{start}six seven of eight nine {end}")
    assert told[1] == ("reworded", "one two of four five ", "six seven of eight nine ")
    told = tell(f"{start}one two of the four five {end}", f"{start}six seven of the eight nine {end}")
    assert [kind for kind, *_ in told] == ["same", "reworded", "same", "reworded", "same"]


def test_what_was_put_in_begins_where_a_sentence_does_if_it_may() -> None:
    first, last = LONG[: LONG.index(". ") + 2], LONG[LONG.index(". ") + 2 :]
    told = tell(f"{first}The ship sank. The {last}", f"{first}The {last}")
    assert told[1] == ("inserted", "The ship sank. ", "")
    told = tell(f"{first}The {last}", f"{first}The ship sank. The {last}")
    assert told[1] == ("dropped", "", "The ship sank. ")


def test_other_marks_and_cases_are_spelling_and_other_white_space_is_the_same() -> None:
    query = f"{LONG} “He said so,” she wrote to the Times on Monday evening."
    found = f'{LONG}\n\n"He said so", SHE\twrote to\nthe Times on Monday evening.'
    assert [piece for piece in tell(query, found) if piece[0] != "same"] == [
        ("spelled", "“He ", '"He '),
        ("spelled", "so,” she ", 'so", SHE\t'),
    ]


def test_a_text_that_says_a_thing_twice_has_its_second_copy_alone() -> None:
    told = tell(LONG, f"{LONG}\n\n{OTHER}\n\n{LONG}")
    assert [(kind, bool(mine), bool(theirs)) for kind, mine, theirs in told] == [
        ("moved same", False, True),
        ("same", True, True),
        ("cut", False, True),
    ]


def test_boilerplate_is_told_of_each_side_and_cuts_what_it_stands_in() -> None:
    formula = "Sign up for our daily newsletter and never miss a story again."
    tokens = tokenise(*encode([formula]))
    known = Boilerplate(
        _core.common_shingles(tokens, *[np.zeros(1, np.uint32)] * 2, reach_words=99, least=1), 8
    )
    first, last = LONG[: LONG.index(". ") + 2], LONG[LONG.index(". ") + 2 :]
    told = tell(f"{first}{formula} {last}", LONG, boilerplate=known)
    assert told == [("same", first, first), ("boilerplate", f"{formula} ", ""), ("same", last, last)]
    told = tell(f"{LONG} {formula}", f"{formula} {LONG}", boilerplate=known)
    assert sorted(kind for kind, *_ in told) == ["boilerplate", "boilerplate", "same"]
    assert tell(f"{formula}", f"{formula}", boilerplate=known) == [("same", formula, formula)]


def test_texts_that_share_nothing_are_added_and_cut_whole() -> None:
    assert tell(LONG, OTHER) == [("cut", "", OTHER), ("added", LONG, "")]
    assert tell("", "") == []
    assert tell("", LONG) == [("cut", "", LONG)]
    assert tell("… – …", "!") == [("cut", "", "!"), ("added", "… – …", "")]
    assert align(LONG, OTHER).passages == ()


@pytest.mark.parametrize("preset", PRESETS)
def test_passages_are_those_of_the_match(preset: str) -> None:
    """Also where boilerplate was learnt, and where a stricter preset was tried."""
    writer = Writer(6, 3000)
    formula = writer.text(24)
    articles = []
    for number in range(40):
        words = writer.write(300)
        copied = writer.edit(words, 0.05)[: writer.random.choice([30, 60, 400])]
        articles += [{"id": f"{number}-a", "text": f"{join(words)}\n\n{formula}"}]
        articles += [{"id": f"{number}-b", "text": f"{formula}\n\n{join(writer.write(40) + copied)}"}]
    matches = wirecopy.find(articles, preset=preset)
    assert len(matches) >= 15
    assert matches.formulas
    texts = {str(one["id"]): one["text"] for one in articles}
    for match in matches:
        query, found = texts[match.query], texts[match.found]
        aligned = align(query, found, preset=preset, boilerplate=matches.learnt.known)
        assert aligned.passages == tuple((one.query, one.found) for one in match.passages)
        assert rebuild((query, found), aligned.pieces) == (query, found)
        assert {one.passage for one in aligned.pieces} - {-1} == set(range(len(match.passages)))
        for number, passage in enumerate(match.passages):
            own = [
                one
                for one in aligned.pieces
                if one.passage == number and one.kind in (Kind.SAME, Kind.SPELLED)
            ]
            equal = sum(len(query[slice(*one.query)].split()) for one in own)
            assert passage.words - passage.changed <= equal <= passage.words


def test_many_pairs_at_once_are_laid_as_each_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirecopy.alignment.BLOCK_PAIRS", 7)
    texts = [text for seed in range(20) for text in draw_pair(random.Random(seed))] + [
        LONG,
        f"{OTHER} {LONG}",
    ]
    chooser = random.Random(1)
    queries, founds = (np.array(chooser.choices(range(len(texts)), k=100), np.uint32) for _ in range(2))
    rows = align_rows(*encode(texts), queries, founds)
    assert len(rows) == 100
    for row, (query, found) in enumerate(zip(queries.tolist(), founds.tolist(), strict=True)):
        assert rows.tell(row) == align(texts[query], texts[found]).pieces
    flat = [number for numbers in rows.numbers() for number in numbers]
    assert flat == [number for numbers in rows.pieces.rows() for number in numbers]
    assert len(align_rows(*encode(texts), queries[:0], founds[:0])) == 0


def test_places_can_be_code_units_of_utf16() -> None:
    query, found = f"😀 𝐱 {LONG} Naïve 😀", f"{LONG} 新闻 😀😀 naïve"
    text, offsets = encode([query, found])
    pair = np.array([0], np.uint32), np.array([1], np.uint32)
    points, units = (align_rows(text, offsets, *pair, utf16=utf16).tell(0) for utf16 in (False, True))
    assert [(one.kind, one.passage, one.moved) for one in points] == [
        (one.kind, one.passage, one.moved) for one in units
    ]
    for one, other in zip(points, units, strict=True):
        for whole, span, wide in ((query, one.query, other.query), (found, one.found, other.found)):
            coded = whole.encode("utf-16-le")[2 * wide[0] : 2 * wide[1]]
            assert coded.decode("utf-16-le") == whole[slice(*span)]


@pytest.mark.parametrize("seed", range(50))
def test_swapping_the_texts_swaps_the_pieces(seed: int) -> None:
    query, found = draw_pair(random.Random(seed))
    turned = {Kind.INSERTED: Kind.DROPPED, Kind.ADDED: Kind.CUT}
    turned |= {other: one for one, other in turned.items()}
    there = {(one.kind, one.query, one.found, one.moved, one.minor) for one in align(query, found).pieces}
    back = {
        (turned.get(one.kind, one.kind), one.found, one.query, one.moved, one.minor)
        for one in align(found, query).pieces
    }
    assert there == back


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("word " * 50_000, "word " * 40_000),
        ("a b " * 30_000, "b a c " * 20_000),
        (" ".join(f"{LONG} w{number}" for number in range(300)), " ".join([LONG] * 300)),
        ("新" * 50_000, "新闻" * 30_000),
    ],
    ids=["one word", "two words", "one text again and again", "one character"],
)
def test_texts_that_repeat_themselves_are_laid_too(query: str, found: str) -> None:
    assert rebuild((query, found), align(query, found).pieces) == (query, found)
