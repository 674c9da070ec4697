"""Marks without script: they cover the text as it is, and say what the pieces say."""

from __future__ import annotations

import html
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quality.texts import Writer, join
from wirecopy.alignment import Kind, align
from wirecopy.escaping import clean_text
from wirecopy.service.marking import Source, find_links, mark_checked, mark_side

WORDS = Writer(41).write(160)
TEXT = "".join(f"{join(WORDS[start:end])}\n\n" for start, end in pairwise((0, 50, 100, 160)))
MOVED = "".join(f"{join(WORDS[start:end])}\n\n" for start, end in ((100, 160), (0, 50), (50, 100)))
TEXTS = {
    "same": (TEXT, TEXT),
    "moved": (MOVED, TEXT),
    "changed": (TEXT.replace(WORDS[20], "otherwise"), TEXT),
    "nothing": (join(Writer(1).write(50)), join(Writer(2).write(50))),
    "empty": ("", TEXT),
    "hostile": (f"{TEXT}<script>x</script>&amp;\x00\ud800'\"", f"<b>{TEXT}"),
    "wide": ("𝒳 " + TEXT + "🙂🙂", TEXT + "🙂"),
}


def plain(marked: str) -> str:
    """What is read of a marked text."""
    without = re.sub(r'<a class="label".*?</a>|<sup>.*?</sup>', "", marked)
    return html.unescape(re.sub("<[^>]*>", "", without))


@pytest.mark.parametrize("name", TEXTS)
def test_both_columns_hold_their_texts_and_every_tag_is_closed(name: str) -> None:
    query, found = TEXTS[name]
    pieces = align(query, found).pieces
    for text, side in ((query, "query"), (found, "found")):
        marked = mark_side(text, pieces, side)
        assert plain(marked) == clean_text(text)
        open_tags: list[str] = []
        for closing, tag in re.findall(r"<(/?)(\w+)", marked):
            if closing:
                assert open_tags.pop() == tag
            else:
                open_tags.append(tag)
        assert open_tags == []


def test_what_is_linked_leads_to_its_other_end_and_what_has_moved_says_so() -> None:
    pieces = align(MOVED, TEXT).pieces
    sides = [str(mark_side(text, pieces, side)) for text, side in ((MOVED, "query"), (TEXT, "found"))]
    ends = [
        (
            set(re.findall(r'id="(\w+-\d+)"', side)),
            {one.lstrip("#") for one in re.findall(r'href="#([^"]*)"', side)},
        )
        for side in sides
    ]
    assert ends[0] == (ends[1][1], ends[1][0])
    assert len(ends[0][0]) == len({link.number for link in find_links(pieces).values()}) > 1
    assert any("has moved" in side for side in sides)


def test_a_gap_stands_where_the_other_side_has_more() -> None:
    query = TEXT.replace(f" {WORDS[25]} ", " ")
    pieces = align(query, TEXT).pieces
    assert Kind.DROPPED in {piece.kind for piece in pieces}
    assert 'class="gap"' in mark_side(query, pieces, "query")
    assert '<del class="dropped">' in mark_side(TEXT, pieces, "found")


SPANS = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda pair: (min(pair), max(pair))), max_size=6
)


@given(st.text(max_size=60), st.lists(SPANS, max_size=4), SPANS)
def test_a_checked_text_is_read_as_it_is_whatever_is_marked(
    text: str, sources: list[list[tuple[int, int]]], fresh: list[tuple[int, int]]
) -> None:
    within = [
        [(min(start, len(text)), min(end, len(text))) for start, end in one] for one in [*sources, fresh]
    ]
    marked = mark_checked(
        text, [Source(f"<{one}>", spans) for one, spans in enumerate(within[:-1])], within[-1]
    )
    assert plain(marked) == clean_text(text)


def test_a_stretch_has_the_colour_of_the_best_source_and_names_all() -> None:
    marked = mark_checked("one two three", [Source("A&B", [(0, 7)]), Source("C", [(4, 13)])], [])
    assert re.findall(
        r'class="source-(\d)" data-of="([\d ]+)" title="([^"]*)"><sup>([^<]*)</sup>([^<]*)', marked
    ) == [
        ("0", "0", "A&amp;B", "1", "one "),
        ("0", "0 1", "A&amp;B, C", "1,2", "two"),
        ("1", "1", "C", "2", " three"),
    ]
    assert '<span class="new">new</span>' in mark_checked("old new", [Source("A", [(0, 3)])], [(4, 7)])
