"""What a view makes of words: stopwords left out, stems, and where the sentences are then."""

from __future__ import annotations

import re

import pytest
import Stemmer  # type: ignore[import-not-found]
import stopwordsiso
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import text as twin

from wirecopy.errors import MismatchError
from wirecopy.model import Tokens
from wirecopy.statistics import Statistics
from wirecopy.text import View, encode, tokenise


def read(text: str, view: View) -> Tokens:
    return tokenise(*encode([text]), view, spans=True, words=True)


WORDS = [
    "the",
    "The",
    "of",
    "running",
    "relational",
    "Happily",
    "cats",
    "é",
    "İstanbul",
    "日本",
    "3.5",
    "skies",
    "a",
]
texts = st.lists(st.sampled_from([*WORDS, ". ", "! ", "\n\n", ", "]), max_size=25).map(" ".join)


@settings(max_examples=300)
@given(
    texts,
    st.sampled_from(["", "the of a", "日 running", "the,", "the,of , a"]),
    st.sampled_from(["", "first2", "porter", "english"]),
)
def test_a_view_drops_stopwords_then_cuts_stems(text: str, stopwords: str, stemmer: str) -> None:
    all_words = twin.split_words(text)
    starts = twin.sentence_starts(text, all_words, "", True)
    left_out = stopwords.replace(",", " ").split()
    kept = [number for number, word in enumerate(all_words) if word.folded not in left_out]

    def cut(word: str) -> str:
        if stemmer == "first2":
            return word[:2]
        return Stemmer.Stemmer(stemmer).stemWord(word) if stemmer else word

    expected = [cut(all_words[number].folded) for number in kept]
    tokens = read(text, View(sentences="", stopwords=stopwords, stemmer=stemmer))
    assert tokens.spell(0) == expected
    assert tokens.hashes.tolist() == [xxhash.xxh3_64_intdigest(word.encode()) for word in expected]
    assert tokens.starts is not None
    assert tokens.starts.tolist() == [all_words[number].start for number in kept]
    halves = [1 if all_words[number].half else 2 for number in kept]
    assert halves == ([2] * len(halves) if tokens.halves is None else tokens.halves.tolist())
    assert tokens.sentences is not None
    assert tokens.sentences.tolist() == [sum(number < start for number in kept) for start in starts]


@pytest.mark.parametrize("language", ["en", "de", "tr", "ru"])
def test_a_language_names_its_stopwords(language: str) -> None:
    words = sorted(word for word in stopwordsiso.stopwords(language) if re.fullmatch(r"\w+", word))
    assert len(words) > 100
    assert read(" ".join([*words, "zyxwv"]), View(stopwords=language)).spell(0) == ["zyxwv"]


@pytest.mark.parametrize("algorithm", ["porter", "english", "turkish", "german"])
def test_stems_are_snowballs(algorithm: str) -> None:
    second_opinion = Stemmer.Stemmer(algorithm)
    words = [
        "caresses",
        "ponies",
        "ties",
        "cats",
        "feed",
        "agreed",
        "plastered",
        "motoring",
        "sing",
        "conflated",
        "troubling",
        "sized",
        "hopping",
        "falling",
        "happy",
        "sky",
        "relational",
        "conditional",
        "valenci",
        "digitizer",
        "operator",
        "feudalism",
        "decisiveness",
        "hopefulness",
        "formaliti",
        "triplicate",
        "electrical",
        "goodness",
        "revival",
        "allowance",
        "inference",
        "airliner",
        "adjustable",
        "defensible",
        "replacement",
        "adoption",
        "effective",
        "probate",
        "controlling",
        "roll",
        "evlerinden",
        "gazeteler",
        "häuser",
        "abenteuerlichen",
    ]
    assert read(" ".join(words), View(stemmer=algorithm)).spell(0) == [
        second_opinion.stemWord(word) for word in words
    ]


def test_a_word_that_is_no_word_is_not_stemmed() -> None:
    endless = "running" * 100_000
    assert read(endless, View(stemmer="porter")).spell(0) == [endless]


def test_an_unknown_stemmer_is_refused() -> None:
    for stemmer in ("klingon", "first0", "firsts"):
        with pytest.raises(ValueError, match=f"expected a stemmer, .*, got {stemmer}"):
            read("a", View(stemmer=stemmer))


@pytest.mark.parametrize("stopwords", ["english", "xx", "EN", "the", "en-US"])
def test_stopwords_that_are_no_language_and_no_list_are_refused(stopwords: str) -> None:
    expected = f'one alone as "{stopwords},"), got {stopwords}; the languages are: af ar .* de .* zu'
    for view in (View(stopwords=stopwords), View(stopwords=stopwords, stemmer="porter")):
        with pytest.raises(ValueError, match=re.escape(expected).replace(re.escape(".*"), ".*")):
            read("a", view)


def test_statistics_know_their_view(tmp_path: object) -> None:
    from pathlib import Path

    view = View(stopwords="the,", stemmer="porter")
    statistics = Statistics.count([read("The cats", view)], view)
    assert statistics.frequencies(read("cat the dog", View()).hashes).tolist() == [1, 0, 0]
    path = Path(str(tmp_path)) / "words"
    statistics.save(path)
    assert Statistics.load(path, view).view == view
    with pytest.raises(MismatchError):
        Statistics.load(path, View(stopwords="the,"))
