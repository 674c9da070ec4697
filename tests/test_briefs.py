"""Short articles that are mostly formula."""

import random

import pytest

import wirecopy


@pytest.mark.xfail(strict=True, reason="formulas that are most of both articles count as their substance")
def test_two_formulas_do_not_make_copies_of_briefs_that_hold_both() -> None:
    rng = random.Random(1)

    def write(words: int) -> str:
        return " ".join(f"w{rng.randrange(10**6)}" for _ in range(words))

    notice, imprint = write(29), write(72)
    bodies = [(150, 150)] * 17 + [(40, 45)] * 3
    texts = [f"{write(before)}. {notice}. {write(after)}. {imprint}" for before, after in bodies]
    matches = wirecopy.find({"id": number, "text": text} for number, text in enumerate(texts))
    assert len(matches.formulas) == 2
    assert list(matches) == []
