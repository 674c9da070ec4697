"""From text to words: how a text is read before it is compared.

A word is a run of letters, marks and numbers. In scripts that set no spaces (Han, kana, Thai, Khmer and the like)
each letter with its marks is a word, and counts half. Words are compared in a *matching view*: without case,
width, ligatures, invisible characters and letters that only look different. Offsets always point into
the original text, in code points; this module is the only one that converts them.

A sentence ends at a blank line, or at a terminator (. ! ? … and those of other scripts) that white space and a
word not in lower case follow; not at decimals, initials and common abbreviations. Or a method names the
characters that end one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from wirecopy import _core
from wirecopy.model import Tokens, View

__all__ = [
    "DEFAULT_VIEW",
    "TEXT_VERSION",
    "View",
    "count_words",
    "encode",
    "find_words",
    "mend",
    "tokenise",
    "utf8",
]

TEXT_VERSION: str = _core.TEXT_VERSION
"""The version of the Unicode tables, the folding, the abbreviations and the hash; data of another version is refused."""


def encode(texts: Iterable[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The texts concatenated in UTF-8, and the offset of each; a lone surrogate becomes U+FFFD, one code point for one."""
    encoded = [utf8(text) for text in texts]
    return np.frombuffer(b"".join(encoded), np.uint8), np.cumsum([0, *map(len, encoded)], dtype=np.int64)


_SURROGATES = re.compile("[\ud800-\udfff]")


def mend(text: str) -> str:
    """The text with each lone surrogate, which is half a character, replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def utf8(text: str) -> bytes:
    """The text in UTF-8, with U+FFFD for lone surrogates."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return mend(text).encode()


DEFAULT_VIEW = View()


def tokenise(
    text: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    view: View = DEFAULT_VIEW,
    *,
    spans: bool = False,
    words: bool = False,
    kinds: bool = False,
) -> Tokens:
    """The words of the texts `text[offsets[i]:offsets[i + 1]]`.

    With `spans`, also where they stand, with `words`, how they are spelt, with `kinds`, which are figures and dates, and what these say.
    """
    return Tokens(*_core.tokenise(text, offsets, view, spans=spans, words=words, kinds=kinds))


def count_words(tokens: Tokens) -> NDArray[np.int64]:
    """How many words each article has; a character of a script without spaces is half a word."""
    if tokens.halves is None:
        return np.diff(tokens.offsets)
    halves = np.concatenate([[0], np.cumsum(tokens.halves, dtype=np.int64)])
    counted: NDArray[np.int64] = np.diff(halves[tokens.offsets]) // 2
    return counted


def find_words(tokens: Tokens, rows: NDArray[np.uint32], places: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """For each row and place in it, in code points: the number of the word that starts there."""
    assert tokens.starts is not None, "finding words needs spans"
    numbers = [
        np.searchsorted(tokens.starts[tokens.offsets[row] : tokens.offsets[row + 1]], place)
        for row, place in zip(rows.tolist(), places.tolist(), strict=True)
    ]
    return np.array(numbers, np.uint32)
