"""Formulas where it is hard to tell them from what articles say: in briefs, and in articles that come twice."""

import random

import wirecopy

RNG = random.Random(1)


def write(words: int) -> str:
    return " ".join(f"w{RNG.randrange(10**6)}" for _ in range(words))


def test_two_formulas_do_not_make_copies_of_briefs_that_hold_both() -> None:
    notice, imprint = write(29), write(72)
    bodies = [(150, 150)] * 17 + [(40, 45)] * 3
    texts = [f"{write(before)}. {notice}. {write(after)}. {imprint}" for before, after in bodies]
    matches = wirecopy.find({"id": number, "text": text} for number, text in enumerate(texts))
    assert len(matches.formulas) == 2
    assert list(matches) == []


def test_a_formula_is_known_though_every_article_comes_twice() -> None:
    formula = write(30)
    texts = [f"{write(200)}. {formula}" for _ in range(20)]
    matches = wirecopy.find(
        {"id": f"{number}-{copy}", "text": text} for number, text in enumerate(texts) for copy in "ab"
    )
    assert len(matches.formulas) == 1
    assert len(matches) == len(texts)
