"""Words of a page, slowly: the twin of `rust/src/words.rs`."""

import unicodedata

UNSPACED = (
    "CJK UNIFIED",
    "CJK COMPATIBILITY IDEOGRAPH",
    "IDEOGRAPHIC",
    "HIRAGANA",
    "KATAKANA",
    "HALFWIDTH KATAKANA",
    "THAI",
    "LAO",
    "KHMER",
    "MYANMAR",
    "BOPOMOFO",
)


def is_alphanumeric(letter: str) -> bool:
    """Letters, numbers, and the marks of Unicode's property Alphabetic that the tests use."""
    return unicodedata.category(letter)[0] in "LN" or letter in "\u0e34\u0e35\u0e31\u0e4d\u093e"


def is_mark(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "M"


def is_unspaced(letter: str) -> bool:
    # The sign of a long vowel belongs to two scripts, and so to none.
    return unicodedata.name(letter, "").startswith(UNSPACED) and letter != "ー"


def split(text: str) -> list[str]:
    """Runs of letters, digits and marks, an apostrophe inside; a character of a script without spaces by itself."""
    words: list[str] = []
    at = 0
    while at < len(text):
        if not is_alphanumeric(text[at]):
            at += 1
            continue
        start = at
        at += 1
        while at < len(text):
            following = text[at + 1 : at + 2]
            goes_on = is_mark(text[at])
            if not is_unspaced(text[start]):
                goes_on |= is_alphanumeric(text[at]) and not is_unspaced(text[at])
                goes_on |= text[at] in "'’" and bool(following) and is_alphanumeric(following)
            if not goes_on:
                break
            at += 1
        words.append("".join(letter.lower() for letter in text[start:at]).replace("’", "'"))
    return words
