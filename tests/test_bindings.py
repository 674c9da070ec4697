"""The core takes Tokens, Sketches and the like as they are, and says what is wrong with anything else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from weighed import weigh

from wirecopy import _core
from wirecopy.comparison import PRESETS
from wirecopy.methods import Sketches
from wirecopy.model import Boilerplate, Tokens
from wirecopy.text import DEFAULT_VIEW, encode

HASHES, OFFSETS, ROW = np.arange(4, dtype=np.uint64), np.array([0, 4]), np.zeros(1, np.uint32)
TOKENS, SKETCHES, PRESET = Tokens(HASHES, OFFSETS), Sketches.of(HASHES, OFFSETS), PRESETS["strict"]
SEEN = weigh([1] * 4, 9)


@pytest.mark.parametrize("tokens", [None, 7, "text", HASHES, SKETCHES, SimpleNamespace(hashes=HASHES)])
def test_what_is_no_tokens_is_refused(tokens: Any) -> None:
    with pytest.raises(TypeError, match="expected Tokens with its "):
        _core.whole_hashes(tokens)


@pytest.mark.parametrize("sketches", [None, TOKENS, replace(SKETCHES, columns=())])
def test_what_is_no_sketches_is_refused(sketches: Any) -> None:
    with pytest.raises(TypeError, match="expected Sketches with its columns"):
        _core.count_shared(SKETCHES, sketches)


@pytest.mark.parametrize(
    "call",
    [
        lambda: _core.whole_hashes(replace(TOKENS, hashes=HASHES.astype(np.int64))),
        lambda: _core.whole_hashes(replace(TOKENS, halves=[2, 2, 2, 2])),  # type: ignore[arg-type]
        lambda: _core.count_shared(SKETCHES, replace(SKETCHES, columns=(ROW,))),
        lambda: _core.count_collisions(SKETCHES, SKETCHES),
        lambda: _core.make_vectors(TOKENS, HASHES, 0.5),  # type: ignore[arg-type]
        lambda: _core.make_vectors(TOKENS, SimpleNamespace(articles=-1, frequencies=None), 0.5),  # type: ignore[arg-type]
        lambda: _core.make_vectors(TOKENS, SimpleNamespace(articles=9, frequencies=None), 0.5),  # type: ignore[arg-type]
        lambda: _core.make_vectors(TOKENS, SimpleNamespace(articles=9, frequencies=str), 0.5),  # type: ignore[arg-type]
        lambda: _core.mark_boilerplate(TOKENS, PRESET),  # type: ignore[arg-type]
        lambda: _core.mark_boilerplate(TOKENS, Boilerplate(HASHES, -1)),
        lambda: _core.compare(TOKENS, ROW, ROW, PRESET),  # type: ignore[arg-type]
        lambda: _core.compare(TOKENS, ROW, ROW, [None]),  # type: ignore[list-item]
        lambda: _core.compare(TOKENS, ROW, ROW, [replace(PRESET, covered="all")]),  # type: ignore[arg-type]
        lambda: _core.tokenise(*encode(["a"]), None, spans=False, words=False),  # type: ignore[arg-type]
        lambda: _core.tokenise(
            *encode(["a"]),
            replace(DEFAULT_VIEW, stemmer=5),  # type: ignore[arg-type]
            spans=False,
            words=False,
        ),
    ],
)
def test_attributes_of_another_type_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError):
        call()


def test_arrays_with_gaps_are_refused() -> None:
    gaps = np.arange(8, dtype=np.uint64)[::2]
    for call in (
        lambda: _core.whole_hashes(Tokens(gaps, OFFSETS)),
        lambda: _core.count_shared(SKETCHES, Sketches.of(gaps, OFFSETS)),
        lambda: _core.mark_boilerplate(TOKENS, Boilerplate(gaps, 0)),
    ):
        with pytest.raises((TypeError, ValueError), match="contiguous"):
            call()


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda: _core.character_sets(TOKENS, 1, 1), "words"),
        (lambda: _core.simhash(TOKENS, SEEN, skip_words=0, bits=64), "words"),
        (lambda: _core.imatch(TOKENS, SEEN, lexicons=1, left_out_share=0.3), "words"),
        (lambda: _core.sentence_digests(TOKENS), "words"),
        (lambda: _core.sentence_lengths(TOKENS), "sentences"),
        (lambda: _core.plant(TOKENS, SEEN, suffixes=1, depth=5, sort=True, tree=True), "sentences"),
    ],
)
def test_parts_that_were_not_asked_for_are_missed(call: Callable[[], object], part: str) -> None:
    with pytest.raises(ValueError, match=f"expected Tokens with {part}, got them without"):
        call()
