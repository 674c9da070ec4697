"""Which words are figures and dates, and what they say: as the twin has it, and however they are written."""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from reference import kinds as twin
from reference import text as twin_text

from wirecopy.model import View
from wirecopy.text import encode, tokenise


def kinds(text: str) -> list[int]:
    found = tokenise(*encode([text]), kinds=True).kinds
    assert found is not None
    return [int(kind) for kind in found]


def values(text: str) -> list[int]:
    """What each value of a text says."""
    tokens = tokenise(*encode([text]), kinds=True)
    assert tokens.kinds is not None
    assert tokens.values is not None
    return [int(value) for value in tokens.values[tokens.kinds == 1]]


def chinese(number: int) -> str:
    """A number under 100 million in Chinese numerals."""
    if number >= 10_000:
        rest = chinese(number % 10_000) if number % 10_000 else ""
        return chinese(number // 10_000) + "万" + ("零" if rest and number % 10_000 < 1000 else "") + rest
    said, zero = "", False
    for power, scale in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // power % 10
        zero = zero or (digit == 0 and bool(said))
        if digit:
            said += "零" * zero + "零一二三四五六七八九"[digit] + scale
            zero = False
    return said or "零"


pieces = st.sampled_from(
    [
        *(
            "12",
            "12,500",
            "3.50",
            "1,5",
            "12.03.2021",
            "1987",
            "40pct",
            "3rd",
            "007",
            "0",
            "１２",
            "٣",
            "१२",
            "①",
        ),
        *(
            "twenty",
            "five",
            "Eleven",
            "first",
            "Second",
            "nil",
            "hundred",
            "March",
            "march",
            "May",
            "Mon",
            "Ekim",
        ),
        *("万", "亿", "人", "年", "第", "一", "个", "个人", "十", "word", "Tide", "b", "ŞUBAT"),
    ]
) | st.integers(1, 99_999_999).map(chinese)
glue = st.sampled_from([" ", "", "-", "/", ":", ", ", "  ", "   ", ".", "٫", "٬", "\n\n"])


@settings(max_examples=1500)
@given(st.lists(st.tuples(pieces, glue), max_size=14))
def test_values_are_what_the_twin_says(parts: list[tuple[str, str]]) -> None:
    text = "".join(piece + sign for piece, sign in parts)
    expected = twin.kinds(text, twin_text.split_words(text))
    assert kinds(text) == [kind for kind, _ in expected]
    said = [value for kind, value in expected if kind == 1]
    event(f"{min(len(said), 5)} values")
    found = values(text)
    for i, one in enumerate(said):
        for j, other in enumerate(said):
            assert (found[i] == found[j]) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12,500 people", "1.25万人"),
        ("12,500", "12500"),
        ("3.50", "3.5"),
        ("3,5", "3.5"),
        ("007", "7"),
        ("40% of it", "40 per cent"),
        ("150cm", "150 cm"),
        ("eleven", "11"),
        ("Twenty-five", "25"),
        ("1st", "1"),
        ("１２．５", "12.5"),
        ("٣٫٥", "3.5"),
        ("٢٠٢٤", "2024"),
        ("१२", "12"),
        ("二十四人", "24"),
        ("二〇二一年", "2021"),
        ("三亿五千万", "350,000,000"),
        ("一百零五", "105"),
        ("3万", "30000"),
        ("9 October", "October 09"),
        ("Monday, 3 March 2024", "Mon 3 Mar 2024"),
        ("12 Ekim 2020", "October 12, 2020"),
    ],
)
def test_a_value_is_the_same_however_it_is_written(one: str, other: str) -> None:
    assert len(values(one)) == 1
    assert values(one) == values(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we may march on", [0, 0, 0, 0]),
        ("in May", [0, 1]),
        ("6-3/16 points", [1, 2, 2, 0]),
        ("12 34", [1, 1]),
        ("一个", [0, 0]),
        ("第一", [0, 1]),
        ("on Monday 12 people", [0, 1, 1, 0]),
        ("on Monday 12 May", [0, 1, 2, 2]),
        ("", []),
    ],
)
def test_what_is_a_value_and_what_goes_on_with_it(text: str, expected: list[int]) -> None:
    assert kinds(text) == expected


def test_a_list_of_many_figures_is_cut_into_values_of_eight() -> None:
    assert kinds("-".join("1" * 20)) == [*[1, *[2] * 7] * 2, 1, 2, 2, 2]


def test_words_have_no_kinds_unless_asked_for() -> None:
    assert tokenise(*encode(["12 people"])).kinds is None


def test_stems_have_no_kinds() -> None:
    with pytest.raises(ValueError, match="whole words"):
        tokenise(*encode(["12 people"]), View(stemmer="porter"), kinds=True)
