"""What `make quality` brought to light. What is not mended yet is marked, and loses its mark when it is."""

import pytest

import wirecopy
from quality.texts import Writer
from wirecopy import text


def words(of: str) -> list[str]:
    return text.tokenise(*text.encode([of]), words=True).spell(0)


@pytest.mark.parametrize("hidden", ["１，０００", "３．５", "1,\u200b000", "3\u200b.5"])
def test_a_number_in_disguise_is_the_same_number(hidden: str) -> None:
    plain = hidden.replace("\u200b", "").translate({full: full - 0xFEE0 for full in range(0xFF01, 0xFF5F)})
    assert words(hidden) == words(plain)


@pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="lookalikes are taken after case folding, when the capital's shape is gone",
)
@pytest.mark.parametrize(("hidden", "plain"), [("Νew", "New"), ("Υork", "York")])
def test_a_capital_is_taken_for_the_capital_it_looks_like(hidden: str, plain: str) -> None:
    assert words(hidden) == words(plain)


def test_three_paragraphs_that_six_articles_took_from_a_seventh_are_copies() -> None:
    writer = Writer(7)
    taken = [writer.write(60) for _ in range(3)]
    pile = [
        {
            "id": "original",
            "text": " ".join(
                writer.write(200) + [word for some in taken for word in some] + writer.write(200)
            ),
        }
    ]
    for number in range(6):
        own = [writer.write(150) for _ in range(4)]
        mixed = [
            word
            for mine, theirs in zip(own, [*writer.random.sample(taken, 3), []], strict=True)
            for word in mine + theirs
        ]
        pile.append({"id": f"copy {number}", "text": " ".join(mixed)})
    found = {frozenset((match.query, match.found)) for match in wirecopy.find(pile)}
    assert all(frozenset(("original", f"copy {number}")) in found for number in range(6))


@pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="a formula is learnt from keys that twelve words around them settle",
)
def test_a_byline_of_thirteen_words_with_a_name_and_a_date_is_boilerplate() -> None:
    writer = Writer(13)
    pile = []
    for number in range(30):
        name, day = f"Ann{number} Smith{number}", writer.random.randint(1, 28)
        byline = f"By {name}, staff writer of the Valley Courier, published {day} March 2026"
        pile.append({"id": str(number), "text": f"{byline}\n\n{' '.join(writer.write(100))}"})
    story = writer.write(60)
    pile += [{"id": "a", "text": " ".join(story)}, {"id": "b", "text": f"{byline}\n\n{' '.join(story)}"}]
    [match] = [match for match in wirecopy.find(pile) if {match.query, match.found} == {"a", "b"}]
    assert match.query_covered == match.found_covered == 1.0
