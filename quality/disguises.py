"""Copies hidden from a machine but not from a reader: each disguise must be found as often as the plain copies."""

import random
import textwrap
from collections.abc import Callable, Iterator

import wirecopy
from quality.corpora import Row, edit, made_up, read_jsonl, scratch, split_words, unpack, write_jsonl
from quality.report import Data, MissingError, Result, digest, say

COPIES, OTHERS = 500, 2000
LEAST_WORDS = 60

# Chosen from Unicode's list of confusable characters, not from the tables of the folding that is measured here.
LOOKALIKES = {
    **dict(zip("aceijopsxyhAKMOTBCEHPX", "асеіјорѕхуһАКМОТВСЕНРХ", strict=True)),
    **dict(zip("ovZINY", "ονΖΙΝΥ", strict=True)),
}
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff"
SPACES = "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t"


def homoglyphs(text: str, rng: random.Random) -> str:
    return "".join(LOOKALIKES.get(letter, letter) if rng.random() < 0.5 else letter for letter in text)


def zero_width(text: str, rng: random.Random) -> str:
    return "".join(letter + (rng.choice(ZERO_WIDTH) if rng.random() < 0.2 else "") for letter in text)


def soft_hyphens(text: str, rng: random.Random) -> str:
    return "".join(
        letter + ("\u00ad" if letter.isalpha() and after.isalpha() and rng.random() < 0.3 else "")
        for letter, after in zip(text, [*text[1:], " "], strict=True)
    )


def case(text: str, rng: random.Random) -> str:
    return rng.choice([str.upper, str.lower, str.title, str.swapcase])(text)


def odd_spaces(text: str, rng: random.Random) -> str:
    return "".join(rng.choice(SPACES) * rng.randint(1, 3) if letter.isspace() else letter for letter in text)


def full_width(text: str, rng: random.Random) -> str:
    return "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text)


def rewrapped(text: str, rng: random.Random) -> str:
    return "\r\n".join(
        textwrap.wrap(text, rng.randint(20, 120), break_long_words=False, break_on_hyphens=False)
    )


DISGUISES: dict[str, Callable[[str, random.Random], str]] = {
    "plain": lambda text, rng: text,
    "homoglyphs": homoglyphs,
    "zero-width": zero_width,
    "soft hyphens": soft_hyphens,
    "case": case,
    "odd spaces": odd_spaces,
    "full width": full_width,
    "re-wrapped": rewrapped,
}


def measure() -> Iterator[Result]:
    name, articles = originals()
    rng = random.Random(500)
    pool = [word for row in articles for word in split_words(row["text"])]
    copies = [
        (
            row["id"],
            "".join(edit(split_words(row["text"]), rng.uniform(0.02, 0.15), number % 2 == 1, rng, pool)),
        )
        for number, row in enumerate(articles[:COPIES])
    ]
    data = Data(
        f"{name} with {COPIES} planted copies",
        f"{len(articles):,} articles and {COPIES} copies with 2–15 % of the words edited, the same under each disguise",
        "planted by this program",
        digest(
            text
            for row in [*({"id": i, "text": t} for i, t in copies), *articles]
            for text in (row["id"], row["text"])
        ),
    )
    plain: set[str] = set()
    for disguise, hide in DISGUISES.items():
        say(f"  {disguise}")
        rng = random.Random(disguise)
        hidden = [{"id": f"copy of {of}", "text": hide(text, rng)} for of, text in copies]
        found = find_copies([*articles, *hidden])
        plain = plain or found
        measures = {
            "recall": len(found) / COPIES,
            "found of the plain ones found": len(found & plain) / len(plain),
        }
        yield Result(disguise, data, measures)


def originals() -> tuple[str, list[Row]]:
    try:
        articles = read_jsonl(unpack("reuters21578") / "articles.jsonl")
        name = "reuters21578"
    except MissingError:
        articles, name = made_up(COPIES + OTHERS), "made-up articles"
    long = [row for row in articles if len(row["text"].split()) >= LEAST_WORDS]
    return name, random.Random(1987).sample(long, COPIES + OTHERS)


def find_copies(articles: list[Row]) -> set[str]:
    """The originals that are reported with their copy, as a copy: a disguise that made a form of it would have helped."""
    with scratch() as folder:
        pile = write_jsonl(
            folder / "pile.jsonl", ({"id": row["id"], "text": row["text"]} for row in articles)
        )
        matches = wirecopy.find([pile])
        pairs = {frozenset((match.query, match.found)) for match in matches if match.relation != "form"}
    return {row["id"] for row in articles if {row["id"], f"copy of {row['id']}"} in pairs}
