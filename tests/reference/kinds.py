"""Which words are values and what they say, slowly: the twin of `rust/src/kinds.rs`.

It reads words from left to right and tells what a value is by patterns on the text, where the core looks at hashes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction

from .text import Word, fold, is_ignorable

ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
ORDINALS = ["first", "second", "third", "fourth", "fifth"]
SPELT = (
    {word: number for number, word in enumerate(ONES)}
    | {word: 10 * number for number, word in enumerate(TENS, 2)}
    | {word: number for number, word in enumerate(ORDINALS, 1)}
    | {"nil": 0, "hundred": 100, "thousand": 1000}
)
MONTHS = """january jan ocak|february feb şubat|march mar mart|april apr nisan|may mayıs|june jun haziran|july jul temmuz|
august aug ağustos|september sep sept eylül|october oct ekim|november nov kasım|december dec aralık"""
WEEKDAYS = """monday mon pazartesi|tuesday tue salı|wednesday wed çarşamba|thursday thu perşembe|friday fri cuma|
saturday sat cumartesi|sunday sun pazar"""
MONTH, WEEKDAY = (
    {fold(name): number for number, names in enumerate(listed.split("|"), 1) for name in names.split()}
    for listed in (MONTHS, WEEKDAYS)
)
HAN = {c: value for value, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
SCALE = {"十": 1, "百": 2, "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8}
MEASURES = (
    "年月日个個名人例次国國点點岁位项條条家届号號期级時时分秒架艘所座场場支批轮天周亩吨元度万萬亿億成倍"
)
ARTICLES = "个個次位条條项"
MOST_WORDS = 8

Value = tuple[object, ...]


def sort(text: str, word: Word) -> str:
    """digits, spelt, month, weekday, han, or nothing."""
    written = text[word.start : word.end]
    if digit(written[0]) is not None:
        return "digits"
    if written[0] in HAN or written[0] in SCALE:
        return "han"
    if word.folded in SPELT:
        return "" if written[0].isupper() and written.lower() in ORDINALS else "spelt"
    if written[0].isupper():
        return "month" * (word.folded in MONTH) or "weekday" * (word.folded in WEEKDAY)
    return ""


def digit(c: str) -> int | None:
    if unicodedata.category(c) == "Nd":
        return unicodedata.digit(c)
    return int(fold(c)) if re.fullmatch("[0-9]", fold(c)) else None


def read_digits(written: str) -> str:
    """The digits a word begins with; a comma is a point unless three digits and no more follow it."""
    seen = ""
    for c in written:
        if is_ignorable(c):
            continue
        value = digit(c)
        if value is None and c not in ".,．，":
            break
        seen += str(value) if value is not None else {"．": ".", "，": ","}.get(c, c)
    first, *others = seen.split(",")
    return first + "".join(("" if len(part.split(".")[0]) == 3 else ".") + part for part in others)


def amount(digits: str, power: int = 0) -> Value:
    """A number as it is, however it is written; with several points, a list of numbers."""
    parts = digits.split(".")
    if len(parts) > 2:
        return ("list", *(Fraction(part or "0") * 10**power for part in parts))
    return ("number", Fraction(digits) * 10**power)


def read_han(written: str) -> int:
    if not any(c in SCALE for c in written):
        return int("".join(str(HAN[c]) for c in written))
    for big in ("亿億", "万萬"):
        places = [at for at, c in enumerate(written) if c in big]
        if places:
            before, after = written[: places[-1]], written[places[-1] + 1 :]
            whole = read_han(before) if before else 1
            scale = int(10 ** SCALE[written[places[-1]]])
            return max(1, whole) * scale + (read_han(after) if after else 0)
    total, digits = 0, ""
    for c in written:
        if c in SCALE:
            total += int(digits or "1") * 10 ** SCALE[c]
            digits = ""
        else:
            digits += str(HAN[c])
    return total + int(digits or "0")


def bytes_of(text: str, word: Word) -> int:
    return len(text[word.start : word.end].encode())


def goes_on(text: str, words: Sequence[Word], sorts: Sequence[str], at: int) -> bool:
    """Whether word `at` goes on with what the word before it says."""
    before, after = sorts[at - 1], sorts[at]
    glue = text[words[at - 1].end : words[at].start]
    glued = len(glue) <= 1 and not glue.isspace()
    short = [bytes_of(text, one) <= 4 for one in (words[at - 1], words[at])]
    month_next = at + 1 < len(sorts) and sorts[at + 1] == "month"
    is_year = list(sorts[max(0, at - 2) : at + 1]) == ["month", "digits", "digits"]
    if is_year and bytes_of(text, words[at]) == 4:
        return len(glue) <= 2
    return {
        ("han", "han"): not glue,
        ("digits", "digits"): glued,
        ("digits", "spelt"): glued,
        ("spelt", "digits"): glued,
        ("spelt", "spelt"): glued,
        ("digits", "han"): glued and text[words[at].start] in SCALE,
        ("spelt", "han"): glued and text[words[at].start] in SCALE,
        ("digits", "month"): len(glue) <= 2 and short[0],
        ("month", "digits"): len(glue) <= 2 and short[1],
        ("weekday", "month"): len(glue) <= 2,
        ("weekday", "digits"): len(glue) <= 2 and short[1] and month_next,
    }.get((before, after), False)


def value(text: str, words: Sequence[Word], sorts: Sequence[str]) -> Value | None:
    """What some words say together."""
    written = text[words[0].start : words[-1].end]
    if sorts[0] == "han":
        behind = text[words[-1].end : words[-1].end + 1]
        measured = bool(behind) and behind in MEASURES and not (written == "一" and behind in ARTICLES)
        numbered = text[: words[0].start].endswith("第")
        return (amount(str(read_han(written))),) if len(words) > 1 or measured or numbered else None
    parts: list[Value | tuple[str, int]] = []
    for at, (word, kind) in enumerate(zip(words, sorts, strict=True)):
        here = text[word.start : word.end]
        glue = text[words[at - 1].end : word.start] if at else ""
        if kind in ("month", "weekday"):
            parts.append((kind, MONTH[word.folded] if kind == "month" else WEEKDAY[word.folded]))
        elif kind == "han":
            digits, power = parts[-1]
            parts[-1] = (str(digits), int(str(power)) + SCALE[here[0]])
        elif kind == "spelt":
            number = SPELT[word.folded]
            tens = at and sorts[at - 1] == "spelt" and words[at - 1].folded in TENS
            if tens and number < 10:
                parts[-1] = (str(int(str(parts[-1][0])) + number), 0)
            else:
                parts.append((str(number), 0))
        elif glue in ("٫", "٬") and sorts[at - 1] == "digits":
            digits, power = parts[-1]
            parts[-1] = (f"{digits}{'.' if glue == '٫' else ''}{read_digits(here)}", int(str(power)))
        else:
            parts.append((read_digits(here), 0))
    said = [
        part if part[0] in ("month", "weekday") else amount(str(part[0]), int(str(part[1]))) for part in parts
    ]
    return tuple(sorted(said, key=repr)) if "month" in sorts else tuple(said)


def kinds(text: str, words: Sequence[Word]) -> list[tuple[int, Value | None]]:
    """Of each word: 0 for a plain one, 1 where a value begins, 2 where it goes on; and what the value says."""
    sorts = [sort(text, word) for word in words]
    told: list[tuple[int, Value | None]] = []
    at = 0
    while at < len(words):
        end = at + 1
        while sorts[at] and end < len(words) and end - at < MOST_WORDS and goes_on(text, words, sorts, end):
            end += 1
        said = value(text, words[at:end], sorts[at:end]) if sorts[at] else None
        kinds_here = [0] * (end - at) if said is None else [1, *[2] * (end - at - 1)]
        told += [(kind, said) for kind in kinds_here]
        at = end
    return told
