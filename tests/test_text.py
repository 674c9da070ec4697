"""What counts as a word, what words are the same, where they stand, and where sentences begin."""

from __future__ import annotations

import json
import struct
import unicodedata
from pathlib import Path

import numpy as np
import pytest
import xxhash
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference import text as twin

from wirecopy.model import Tokens
from wirecopy.text import TEXT_VERSION, View, encode, tokenise

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))


def read(text: str, view: View | None = None) -> Tokens:
    return tokenise(*encode([text]), view or View(), spans=True, words=True)


def words(text: str, view: View | None = None) -> list[str]:
    return read(text, view).spell(0)


def weights(text: str) -> list[int]:
    tokens = read(text)
    return [2] * len(tokens.hashes) if tokens.halves is None else tokens.halves.tolist()


def spans(text: str) -> list[str]:
    tokens = read(text)
    assert tokens.starts is not None
    assert tokens.ends is not None
    return [text[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True)]


def sentences(text: str, delimiters: str = "") -> list[str]:
    tokens = read(text, View(sentences=delimiters))
    assert tokens.sentences is not None
    assert tokens.starts is not None
    assert tokens.ends is not None
    first = tokens.sentences.tolist()
    last = [*first, len(tokens.hashes)][1:]
    return [text[tokens.starts[i] : tokens.ends[j - 1]] for i, j in zip(first, last, strict=True)]


TRICKY = (
    "aAbBiIkKsSzZ019 \t\n\r\f\0.,!?'\"-_()éÉßñöøæþðłđİıſﬁǆŉ½²⑴Ⅸ’“”«»—…\u00ad\u200b\u200d\u200e\u202e\ufeff\ufe0f\u034f"
    "\u0300\u0301\u0307\u0308\u0323\u0327\u0338\u0345аеёйьвЗБσςΣάΐϊϒგႠაԱևոռᏣꭰꮳ中文々〇㐀豈ー゛ガか\u3099ｶﾞﾟＡｂ１。！？"
    "กำาเ\u0e49\u0e31๑ລໍາខ្មែរ\u17b4။မြန်မာ가각\u1100\u1161\u11a8ㄱᄀㆍ\u119e\u3164हिंदीक्ष\u093c।العَرَبِيَّةُﷺﹰ\u0654\u0655שָׁלוֹם"
    "\u09c7\u09be\u0dd9\u0dcf\u0f71\u0f72\u2028\u2029\u0085\u00a0\u3000𝐀𝒶𐐀𞤀𠀀\ud7a3\ufffd"
)


def assigned(c: str) -> bool:
    return unicodedata.category(c) not in ("Cn", "Cs")


texts = st.lists(
    st.one_of(
        st.text(st.sampled_from(TRICKY), max_size=8),
        st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=4),
        st.sampled_from(
            [". ", ".\n", "! ", "\n\n", "\r\n", ".” ", "Mr", "No", "Dec", "z.B", "U.S", "3.5", " ", "?!"]
        ),
    ),
    max_size=12,
).map("".join)


@settings(max_examples=600, deadline=None)
@given(texts, st.booleans(), st.sampled_from(["", ".", "?!。\n", ".,;:"]))
@example("i\u0307\u0301 İ\u0301 \u0307i", True, "")
@example("=\u0338a a\u200b\u0301b", False, "")
@example("\u0e33 น\u0e33 นํา", True, "")
def test_the_kernel_reads_as_its_twin(text: str, diacritics: bool, delimiters: str) -> None:
    expected = twin.split_words(text, diacritics, delimiters or "")
    tokens = read(text, View(diacritics, delimiters))
    assert tokens.spell(0) == [word.folded for word in expected]
    assert tokens.hashes.tolist() == [xxhash.xxh3_64_intdigest(word.folded.encode()) for word in expected]
    assert tokens.starts is not None
    assert tokens.ends is not None
    assert tokens.starts.tolist() == [word.start for word in expected]
    assert tokens.ends.tolist() == [word.end for word in expected]
    halves = [1 if word.half else 2 for word in expected]
    assert halves == ([2] * len(halves) if tokens.halves is None else tokens.halves.tolist())
    assert (tokens.halves is None) == (1 not in halves)
    assert tokens.sentences is not None
    assert tokens.sentences.tolist() == twin.sentence_starts(text, expected, delimiters, diacritics)


def test_every_character_reads_as_in_the_twin() -> None:
    texts = [
        f"x{c}y {c}"
        for c in filter(assigned, map(chr, range(0x40000)))
        if not ("一" < c < "\u9fff" or "가" < c < "힣" or "\ue000" < c < "\uf8ff" or c > "\U00020010")
    ]
    tokens = tokenise(*encode(texts), spans=True, words=True)
    assert tokens.starts is not None
    assert tokens.ends is not None
    assert tokens.halves is not None
    for i, text in enumerate(texts):
        mine = slice(tokens.offsets[i], tokens.offsets[i + 1])
        columns = (
            tokens.spell(i),
            *(part[mine].tolist() for part in (tokens.starts, tokens.ends, tokens.halves)),
        )
        expected = [(w.folded, w.start, w.end, 1 if w.half else 2) for w in twin.split_words(text)]
        assert list(zip(*columns, strict=True)) == expected, f"U+{ord(text[1]):04X}"


@given(st.lists(texts, max_size=5), st.booleans())
@settings(deadline=None)
def test_a_batch_reads_as_its_texts_one_by_one(batch: list[str], diacritics: bool) -> None:
    view = View(diacritics, "")
    together = tokenise(*encode(batch), view, spans=True, words=True)
    alone = [read(text, view) for text in batch]
    assert together.hashes.tolist() == [h for tokens in alone for h in tokens.hashes.tolist()]
    assert np.diff(together.offsets).tolist() == [len(tokens.hashes) for tokens in alone]
    assert together.sentences is not None
    assert together.sentences.tolist() == [
        s for tokens in alone if tokens.sentences is not None for s in tokens.sentences.tolist()
    ]
    assert together.sentence_offsets is not None
    assert len(together.sentence_offsets) == len(batch) + 1


@given(texts)
@settings(deadline=None)
def test_a_span_folds_to_its_word(text: str) -> None:
    for span, word in zip(spans(text), words(text), strict=True):
        assert words(span) == [word]


def test_hashes_are_those_of_the_vectors() -> None:
    for vector in VECTORS["words"]:
        tokens = read(vector["word"])
        assert [f"{h:016x}" for h in tokens.hashes.tolist()] == [vector["hash"]]
        assert words(vector["word"]) == [vector["folded"]]
    for vector in VECTORS["shingles"]:
        hashes = tokenise(*encode([" ".join(vector["words"])])).hashes.tolist()
        digest = xxhash.xxh3_64_intdigest(
            struct.pack(f"<{len(hashes)}Q", *hashes), seed=vector["shingle_words"]
        )
        assert f"{digest:016x}" == vector["hash"]


def test_parts_that_nobody_asked_for_are_left_out() -> None:
    tokens = tokenise(*encode(["one two"]))
    assert (tokens.starts, tokens.ends, tokens.sentences, tokens.words, tokens.halves) == (None,) * 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n\t", []),
        ("word", ["word"]),
        ("a\0b", ["a", "b"]),
        ("don't re-use snake_case", ["don", "t", "re", "use", "snake", "case"]),
        ("\ud800x\udfff", ["x"]),
        ("STRASSE Straße", ["strasse", "strasse"]),
        ("प्रधानमंत्री ने कहा", ["प्रधानमंत्री", "ने", "कहा"]),
        ("قَالَ الرَّئِيس", ["قَالَ", "الرَّئِيس"]),
        ("대한민국 정부는", ["대한민국", "정부는"]),
        ("日本語ニュース", list("日本語ニュース")),
        ("人民网 2024年", ["人", "民", "网", "2024", "年"]),
        ("กี่ที่น้ำ", ["กี่", "ที่", "น้ํา"]),
        ("ខ្មែរ", ["ខ្", "មែ", "រ"]),
        ("བོད་ཡིག", ["བོད", "ཡིག"]),
        ("AI技術", ["ai", "技", "術"]),
        ("\u0301a =\u0338b", ["a", "b"]),
    ],
)
def test_words_of_any_script(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("İstanbul", "istanbul"),
        ("ISPARTA", "ısparta"),
        ("Ｗｉｒｅ", "wire"),
        ("𝐖𝐢𝐫𝐞", "wire"),
        ("ﬁnance", "finance"),
        ("gov\u00adern\u00adment", "government"),
        ("go\u200bv\u200der\ufeffnment\u2060", "government"),
        ("\u202egovernment\u202c", "government"),
        ("cafe\u0301", "café"),
        ("p\u0430ym\u0435nt", "payment"),  # Cyrillic а, е
        ("ΡΑΡΑ", "papa"),  # Greek capitals
        ("ɡɑme", "game"),
        ("caf\u0435\u0301", "café"),
        ("ﾃﾞｼﾞﾀﾙ", "デジタル"),
        ("ｶﾞ", "か\u3099".translate({0x304B: "カ"})),
        ("각", "\u1100\u1161\u11a8"),
    ],
)
def test_the_same_word_in_disguise(one: str, other: str) -> None:
    assert words(one) == words(other)


@pytest.mark.parametrize(
    "kept_apart",
    [
        ["resume", "résumé"],
        ["l0", "10", "lo", "1o"],
        ["o", "ö", "ø", "ő"],
        ["n", "ñ", "η"],
        ["мир", "мор", "мёр", "мер"],
        ["весь", "весть", "вес", "все", "всё"],
        ["σε", "οε", "νέα", "νεα", "για", "υια"],
        ["שלום", "סלום"],
        ["على", "علي", "الى", "إلى"],
        ["कल", "काल", "कला", "कली"],
        ["kar", "kâr", "sıkıldım", "acı", "açı"],
    ],
)
def test_different_words_stay_different(kept_apart: list[str]) -> None:
    assert len({tuple(words(word)) for word in kept_apart}) == len(kept_apart)


@pytest.mark.parametrize(
    "alphabet",
    [
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
        "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
        "абвгдђежзијклљмнњопрстћуфхцчџш",
        "абвгдеёжзийклмноөпрстуүфхцчшщъыьэюя",
        "αβγδεζηθικλμνξοπρστυφχψωάέήίόύώϊϋΐΰ",
        "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ",
        "אבגדהוזחטיכלמנסעפצקרשתךםןףץ",
        "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئىة",
        "अआइईउऊऋएऐओऔकखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह",
        "aáàâãäåăąæbcćčçdďđðeéèêëěęfgğhiíìîïjklłmnńñňoóòôõöøőœpqrřsśšştťþuúùûüůűvwxyýÿzźżž",
        "abcçdefgğhijklmnoöprsştuüvyz",
    ],
)
def test_folding_keeps_the_letters_of_an_alphabet_apart(alphabet: str) -> None:
    assert len({tuple(words(letter)) for letter in alphabet}) == len(alphabet)


@pytest.mark.parametrize("dot", "ㆍ·・･‧•∙⋅")
def test_every_middle_dot_separates_words(dot: str) -> None:
    """Korean keyboards give ㆍ, a letter by its category, where others give ·."""
    text = f"정치{dot}경제{dot} 3{dot}1운동 A{dot}나 {dot}끝"
    assert words(text) == ["정치", "경제", "3", "1운동", "a", "나", "끝"]
    assert spans(text) == ["정치", "경제", "3", "1운동", "A", "나", "끝"]


def test_the_vowel_that_looks_like_a_middle_dot_is_a_letter() -> None:
    assert words("ᄒᆞᆫ글") == ["ᄒᆞᆫ글"]


def test_diacritics_can_be_ignored() -> None:
    view = View(diacritics=False)
    assert words("Café crème brûlée ΕΛΛΆΔΑ Ёлка", view) == words("Cafe creme brulee ΕΛΛΑΔΑ Елка", view)
    assert words("हिंदी عَرَب がか", view) == words("हिंदी عَرَب がか")


def test_characters_of_scripts_without_spaces_weigh_half() -> None:
    assert weights("AI 技術 ﾃﾞ ที่ ๑๒ 한국") == [2, 1, 1, 1, 1, 2, 2]


def test_spans_point_into_the_original_text() -> None:
    text = "“Ｗｉｒｅ”\u200b so\u00adft\u00ad 𝐀 中\u3099文 cafe\u0301!"
    assert spans(text) == ["Ｗｉｒｅ", "so\u00adft", "𝐀", "中\u3099", "文", "cafe\u0301"]


def test_a_surrogate_counts_as_one_code_point() -> None:
    tokens = read("\ud83d\ude00 a")
    assert tokens.starts is not None
    assert tokens.starts.tolist() == [3]


@pytest.mark.parametrize("unit", ["word ", "word", "слово ", "字", "e\u0301", "\u0301", "\u200b", ". ", "İ"])
def test_fifty_megabytes_on_one_line(unit: str) -> None:
    size = 50_000_000 if unit == "word " else 5_000_000
    text = unit * (size // len(unit.encode()))
    tokens = tokenise(*encode([text]), View(sentences=""), spans=True)
    assert len(tokens.hashes) in (0, 1, len(text), text.count(" "))


def test_bad_utf8_names_its_row() -> None:
    text = np.frombuffer(b"good\xffbad", np.uint8)
    with pytest.raises(ValueError, match="row 1"):
        tokenise(text, np.array([0, 4, 8], np.int64))
    with pytest.raises(ValueError, match="row 0"):
        tokenise(np.frombuffer("é".encode(), np.uint8), np.array([0, 1, 2], np.int64))


@pytest.mark.parametrize("offsets", [[], [1, 4], [0, 3], [0, 3, 2, 4], [0, 5], [-1, 4]])
def test_offsets_that_do_not_fit_are_refused(offsets: list[int]) -> None:
    with pytest.raises(ValueError, match="expected offsets"):
        tokenise(np.frombuffer(b"good", np.uint8), np.array(offsets, np.int64))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four… Five", ["One", "Two", "Three", "Four", "Five"]),
        ("It rose 3.5 per cent. Then 1.000 more.", ["It rose 3.5 per cent", "Then 1.000 more"]),
        ("J. R. R. Tolkien met Mr. Smith. They ate.", ["J. R. R. Tolkien met Mr. Smith", "They ate"]),
        ("The U.S. Senate vs. Acme Corp. Today.", ["The U.S. Senate vs. Acme Corp. Today"]),
        ("See No. 5 on Dec. 3. He said no. The end.", ["See No. 5 on Dec. 3", "He said no", "The end"]),
        (
            "Das gilt z.B. für Dr. Müller bzw. Frau Kaya. Ja.",
            ["Das gilt z.B. für Dr. Müller bzw. Frau Kaya", "Ja"],
        ),
        ("“Why?” she asked. “Go.” He went.", ["Why?” she asked", "Go", "He went"]),
        ("Visit example.com. today", ["Visit example.com. today"]),
        ("A headline\n\nthe text\nwraps", ["A headline", "the text\nwraps"]),
        ("今日は雨。明日は「晴れ」？はい", ["今日は雨", "明日は「晴れ", "はい"]),
        ("यह है। वह था।", ["यह है", "वह था"]),
        ("هل جاء؟ نعم.", ["هل جاء", "نعم"]),
        ("... !!", []),
    ],
)
def test_sentences_by_the_default_rule(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_sentences_between_delimiters() -> None:
    assert sentences("Really?! Yes. At 3.5, no", ".?!") == ["Really", "Yes", "At 3", "5, no"]
    assert sentences("a, b; c", ",;") == ["a", "b", "c"]
    assert sentences("?!", "?!") == []


def test_a_delimiter_that_stands_in_words_is_refused() -> None:
    with pytest.raises(ValueError, match="delimiters"):
        sentences("text", ".a")


def test_the_text_version_names_unicode() -> None:
    assert "Unicode" in TEXT_VERSION
