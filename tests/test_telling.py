"""Stories by columns are those of the slow twin, as records and byte for byte as JSON, whatever stands in their articles."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import changes
from reference import telling as twin

import wirecopy
from quality.piles import make_pile
from quality.texts import Writer, join
from wirecopy import Archive, _core
from wirecopy.grouping.stories import STORY_HEADS, Stories
from wirecopy.grouping.ties import BASES, FORM
from wirecopy.model import UNDATED, Relation
from wirecopy.text import tokenise

RELATIONS = [str(relation) for relation in Relation]
SOURCES = [None, "", "Courier", "www.reuters.com", "dpa", "The Associated Press"]
AGENCIES = [None, None, "Reuters", "dpa", "Associated Press", "…"]
TITLES = [
    *(
        None,
        "",
        'a "quoted" \\ title',
        "line\nbreak\ttab\r\f\b",
        "\0\x01\x1f\x7f\x85\u2028\u2029",
        "</script>",
    ),
    *(
        "海の日本語",
        "한국어 제목",
        "عنوان عربي",
        "שלום",
        "ภาษาไทย",
        "हिन्दी",
        "Ελληνικά",
        "e\u0301 \U0001f600 \ufeff\U0010ffff",
    ),
    "half a character: \ud83d \udc00",
]


def dress(records: list[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """Records with anything in their other fields; some moments are microseconds apart."""
    dice = random.Random(seed)
    dressed = []
    for one in records:
        about = {
            "source": dice.choice(SOURCES),
            "agency": dice.choice(AGENCIES),
            "title": dice.choice(TITLES),
        }
        if one["published"] and dice.random() < 0.5:
            about["published"] = f"{one['published']}T00:00:00.{dice.choice((0, 1, 2, 40, 999)):06}Z"
        if dice.random() < 0.1:
            about["published"] = "at noon"
        dressed.append({**one, **about, "id": f"{one['id']}{dice.choice(['', ' é', chr(0xD800), '海'])}"})
    return dressed


def tell(stories: Stories, least: int = 2) -> list[dict[str, Any]]:
    """Stories as the twin tells them, of what was grouped."""
    grouped, collection = stories.grouped, stories.matches.found_side
    ranks = np.arange(stories.articles, dtype=np.uint32)
    dates, addresses = collection.origins(ranks)
    tokens = tokenise(*collection.texts(ranks))
    texts = [
        tokens.hashes[start:end].tolist()
        for start, end in zip(tokens.offsets, tokens.offsets[1:], strict=False)
    ]
    ties = list(grouped.ties.rows())
    known = []
    for rank, one in enumerate(collection.articles(ranks)):
        parent: tuple[Any, ...] | None = None
        if grouped.parent[rank] >= 0:
            how: tuple[Any, ...] = "identical", 1.0, 1.0, len(texts[rank])
            if (tie := int(grouped.tie[rank])) >= 0:
                _, _, relation, covered, parent_covered, words, *_ = ties[tie]
                how = RELATIONS[relation], covered, parent_covered, words
            rest = BASES[grouped.basis[rank]], int(grouped.rivals[rank])
            parent = (int(grouped.parent[rank]), *how, *rest)
        about = one.id, one.published, one.source, one.title, one.url, one.agency
        places = int(grouped.anchor[rank]), int(grouped.version[rank])
        moment = None if dates[rank] == UNDATED else int(dates[rank])
        address = int(addresses[rank]) or None
        is_collection = bool(grouped.is_collection[rank])
        known.append(twin.Known(*about, moment, address, len(texts[rank]), *places, parent, is_collection))
    pairs = [(one, other) for one, other, relation, *_ in ties if relation != FORM]
    versions = {(place, known[one.parent[0]].version) for place, one in enumerate(known) if one.parent}
    changed = {pair: changes.count_changes(*(texts[one] for one in pair)) for pair in versions}
    return twin.tell(known, pairs, changed, least)


def every_kind(seed: int, folder: Path) -> Iterator[Stories]:
    """The stories of a pile by both rules, by a method that decides by itself, and of an archive."""
    records = dress(make_pile(seed), seed)
    yield wirecopy.stories(records)
    yield wirecopy.stories(records, rule="closure")
    yield wirecopy.stories(
        wirecopy.opinions(records, wirecopy.methods.get("resemblance", threshold=0.2)), rule="closure"
    )
    with Archive.open(folder / "archive", create=True) as archive:
        archive.add(records)
        with archive.at_one_moment():
            yield archive.stories()


@pytest.mark.parametrize("seed", range(100, 125))
def test_stories_of_every_kind_are_told_as_the_twin_tells_them(seed: int, tmp_path: Path) -> None:
    for stories in every_kind(seed, tmp_path):
        expected = tell(stories)
        assert [one.to_dict() for one in stories] == expected
        lines = "".join(stories.json_lines())
        assert lines == "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in expected)
        shuffled = random.Random(seed).sample(range(len(stories)), len(stories))
        assert [one.to_dict() for one in stories.tell(shuffled)] == [expected[row] for row in shuffled]
        assert stories[: len(stories)] == [stories.of(one["articles"][-1]["id"]) for one in expected]
        rows = [dict(zip(STORY_HEADS, row, strict=True)) for row in stories.rows()]
        assert rows == stories.to_arrow().to_pylist()
        members = [(story["id"], one) for story in expected for one in story["articles"]]
        assert [(row["story"], row["article"], row["version"], row["title"]) for row in rows] == [
            (story, one["id"], one["version"], one["title"]) for story, one in members
        ]


def test_a_collection_and_an_article_alone_are_told_as_the_twin_tells_them() -> None:
    writer = Writer(3)
    briefs, alone = [writer.write(80) for _ in range(3)], writer.write(90)
    digest = [word for brief in briefs for word in brief]
    texts = [*briefs, *briefs, digest, digest, alone]
    records = [
        {"id": str(n), "text": join(words), "published": "2024-03-01"} for n, words in enumerate(texts)
    ]
    stories = wirecopy.stories(dress(records, 3))
    expected = tell(stories)
    assert "collection" in {one["kind"] for one in expected}
    assert [one.to_dict() for one in stories] == expected
    [single] = tell(stories, least=1)[len(expected) :]
    assert single["cohesion"]["pair"] is None
    story = stories.of(single["id"])
    assert story
    assert story.to_dict() == single


def test_they_are_told_so_however_many_are_read_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    stories = wirecopy.stories(dress(make_pile(7), 7))
    whole = "".join(stories.json_lines())
    assert len(stories) > 2
    monkeypatch.setattr("wirecopy.grouping.stories.READ_AT_ONCE", 1)
    assert "".join(stories.json_lines()) == whole
    assert len(list(stories.json_lines())) == len(stories)


def test_no_stories_are_no_lines() -> None:
    assert list(wirecopy.stories(["One text.", "Another."]).json_lines()) == []


pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20)


@settings(max_examples=500)
@given(pairs)
def test_bridges_are_those_of_the_twin(drawn: list[tuple[int, int]]) -> None:
    distinct = sorted({(max(pair), min(pair)) for pair in drawn if pair[0] != pair[1]})
    sides = (np.array([pair[side] for pair in distinct], np.uint32) for side in (0, 1))
    assert _core.find_bridges(10, *sides).tolist() == twin.find_bridges(distinct)


def test_a_long_chain_of_ties_is_all_bridges() -> None:
    chain = np.arange(200_000, dtype=np.uint32)
    assert _core.find_bridges(len(chain), chain[1:], chain[:-1]).all()


# Any columns, not only those of stories.

texts = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
whole = st.integers(-(2**63), 2**63 - 1)


@st.composite
def columns(draw: st.DrawFn, rows: int, deep: int = 0) -> tuple[Any, list[Any]]:
    """A column of so many rows as the core takes it, and the value of each row."""
    kind = draw(
        st.sampled_from(
            ["texts", "whole", "real", "truth", *(["lists", "maybe", "records"] if deep < 3 else [])]
        )
    )
    if kind == "texts":
        table = draw(st.lists(texts, max_size=4))
        places = draw(st.lists(st.integers(-1, len(table) - 1), min_size=rows, max_size=rows))
        return (table, np.array(places, np.int64)), [None if at < 0 else table[at] for at in places]
    if kind == "lists":
        sizes = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
        offsets = np.cumsum([0, *sizes])
        column, values = draw(columns(sum(sizes), deep + 1))
        return (offsets, column), [
            values[end - size : end] for size, end in zip(sizes, offsets[1:], strict=True)
        ]
    if kind == "maybe":
        present = draw(st.lists(st.booleans(), min_size=rows, max_size=rows))
        column, values = draw(columns(rows, deep + 1))
        told = [value if one else None for one, value in zip(present, values, strict=True)]
        return (np.array(present, bool), column), told
    if kind == "records":
        names = draw(
            st.lists(
                st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
                min_size=1,
                max_size=3,
                unique=True,
            )
        )
        fields = {name: draw(columns(rows, deep + 1)) for name in names}
        told = [{name: values[row] for name, (_, values) in fields.items()} for row in range(rows)]
        return {name: column for name, (column, _) in fields.items()}, told
    elements, types = {
        "whole": (whole, np.int64),
        "real": (st.floats() | st.integers(-(10**18), 10**18).map(lambda one: one / 1e6), np.float64),
        "truth": (st.booleans(), np.bool_),
    }[kind]
    values = draw(st.lists(elements, min_size=rows, max_size=rows))
    return np.array(values, types), [None if one != one else one for one in values]


@settings(max_examples=500)
@given(st.integers(0, 4).flatmap(columns))
def test_lines_of_any_columns_are_what_json_writes(drawn: tuple[Any, list[Any]]) -> None:
    column, values = drawn
    assert _core.json_lines(column) == "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in values)


def test_columns_that_are_too_deep_are_refused() -> None:
    column: Any = np.zeros(1, np.int64)
    for _ in range(40):
        column = {"deeper": column}
    with pytest.raises(ValueError, match="deep"):
        _core.json_lines(column)
