"""Words and sentences, slowly: the twin of `rust/src/text.rs`, `fold.rs` and `sentences.rs`."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# Default_Ignorable_Code_Point in the Unicode Character Database.
DEFAULT_IGNORABLE = [
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
]  # fmt: skip

# How the names of letters in scripts without spaces begin.
UNSPACED = re.compile(
    r"CJK UNIFIED|CJK COMPATIBILITY IDEOGRAPH|IDEOGRAPHIC|HANGZHOU|HIRAGANA|KATAKANA|HALFWIDTH KATAKANA|HENTAIGANA"
    r"|VERTICAL (KANA|IDEOGRAPHIC)|MASU MARK|BOPOMOFO|YI |TANGUT|NUSHU|KHITAN|THAI|LAO|KHMER|MYANMAR|TAI LE"
    r"|NEW TAI LUE|TAI THAM|TAI VIET|AHOM|BALINESE|JAVANESE (?!PANGRANGKEP)|OLD CHINESE"
)
# Ideographs that Python has no names for.
NAMELESS = [(0x17000, 0x187FF), (0x18B00, 0x18CFF), (0x18D00, 0x18D7F), (0x1B170, 0x1B2FF)]

# Folded letters that look like ASCII letters, small or capital (Unicode's confusables), of five scripts.
LOOKALIKES = dict(
    zip(
        "авгекмнорстухшѕіјѡѵһҽӏԁԍԛԝꙇ" "αβγεζηικμνορτυχϝϳϸϻᴦ" "ազհյոստցւքօ" "ƅƍƽƿȷɍɑɡɪɯʀʄʏʝᴄᴏᴑᴜᴠᴡᴢᶃᶌẝỿⱬꜱꞁꞙꞟꞵꟺꟾꬲꬵꬽꭇꭈꭎꭒꭓꭚꭤ"
        "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴ",
        "abrekmhopctyxwsijwvheldgqwi" "abyezhikmvoptuxfjpmr" "wqhjnusgifo" "bgspjragiwrfyjcoouvwzgyfyzslfubwleforruuxya"
        "drtiyajewmhyghzbrwsvslcpkdgb",
        strict=True,
    )
)  # fmt: skip

DIACRITICS = [
    (0x300, 0x36F), (0x483, 0x487), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0x2DE0, 0x2DFF),
    (0xA66F, 0xA69F), (0xFE20, 0xFE2F),
]  # fmt: skip

FULL_STOPS = ".．"
TERMINATORS = ".．!?…‥‼‽⁇⁈⁉⸮։؝؞؟۔܀܁܂߹।॥።፧፨᙮᠃᠉᥄᥅᱾᱿"
TERMINATORS_WITHOUT_SPACE = "。｡！？︒︕︖﹗﹖។៕။꘎꘏꓿"
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
BREAK = "(?:\r\n|\r(?!\n)|[\n\x85\u2028])"

ABBREVIATIONS = """
mr mrs ms messrs mx dr prof st ste sr jr rev hon pres gov sen rep reps sens gen col lt maj capt cmdr cpl sgt adm
brig supt insp det atty vs etc inc corp ltd co cos plc bros dept est govt assn intl natl univ ave blvd rd
ca cf al approx viz eg ie bzw usw vgl evtl ggf inkl exkl zzgl bspw sog geb gest hr fr frl dipl ing mio mrd abs tel
std mme mlle mm mgr env éd srta sra dra dña excmo ud uds ee uu sig sigg sigra dott avv on ecc exmo exma ltda cia
dhr mevr mw bijv blz enz bkz vb yy doç av şti öğr yrd г гг ул им др пр тыс млн млрд руб
"""
BEFORE_NUMBERS = """
no nos nr num núm nº vol fig figs art arts sec ch chap pp par para cap col ed issue ver jan feb mar apr jun jul aug
sep sept oct nov dec janv févr avr juil déc ene abr ago dic okt dez mrz gen mag giu lug ott fev set out
стр рис ст п
"""


@dataclass(frozen=True)
class Word:
    folded: str
    start: int
    end: int
    half: bool


def within(c: str, ranges: list[tuple[int, int]]) -> bool:
    return any(first <= ord(c) <= last for first, last in ranges)


def is_ignorable(c: str) -> bool:
    return unicodedata.category(c) == "Cf" or within(c, DEFAULT_IGNORABLE)


def is_mark(c: str) -> bool:
    first = unicodedata.normalize("NFKD", c)[0]
    category = unicodedata.category(c)[0]
    return category == "M" or (category == "L" and unicodedata.category(first)[0] == "M")


def is_single(c: str) -> bool:
    if unicodedata.category(c)[0] != "L" and unicodedata.category(c) != "Nl":
        return False
    return bool(UNSPACED.match(unicodedata.name(c, ""))) or within(c, NAMELESS)


def fold(word: str, diacritics: bool = True) -> str:
    if joint := re.search("[.,．，]", word):
        return (
            fold(word[: joint.start()], diacritics) + JOINTS[joint[0]] + fold(word[joint.end() :], diacritics)
        )
    seen = "".join(c for c in word if not is_ignorable(c))
    cased = unicodedata.normalize("NFKC", seen).casefold()
    dotless = re.sub("[iı]\u0307*", "i", cased)
    letters = ""
    for c in unicodedata.normalize("NFKD", dotless):
        if c.isascii() and not c.isalnum():
            continue
        if not diacritics and unicodedata.category(c) == "Mn" and within(c, DIACRITICS):
            continue
        letters += LOOKALIKES.get(c, c)
    return unicodedata.normalize("NFC", letters)


JOINTS = {".": ".", "．": ".", ",": ",", "，": ","}


def is_digit(c: str) -> bool:
    return unicodedata.category(c)[0] in "LN" and bool(re.fullmatch("[0-9]", fold(c)))


def joins_digits(text: str, at: int, delimiters: str) -> bool:
    """A full stop or comma between two digits, whatever invisible characters stand around it."""
    if text[at] not in JOINTS or any(
        wide in delimiters for wide in JOINTS if JOINTS[wide] == JOINTS[text[at]]
    ):
        return False
    before = [c for c in text[:at] if not is_ignorable(c)]
    after = [c for c in text[at + 1 :] if not is_ignorable(c)]
    return bool(before and after) and is_digit(before[-1]) and is_digit(after[0])


def split_words(text: str, diacritics: bool = True, delimiters: str = "") -> list[Word]:
    spans: list[tuple[int, int, bool]] = []
    joinable = False
    for at, c in enumerate(text):
        if is_ignorable(c):
            continue
        start, _, half = spans[-1] if joinable else (at, at, False)
        if is_mark(c) or (at > 0 and joins_digits(text, at, delimiters)):
            if joinable:
                spans[-1] = (start, at + 1, half)
        elif unicodedata.category(c)[0] in "LN" and unicodedata.name(c, "") != "HANGUL LETTER ARAEA":
            if joinable and not half and not is_single(c):
                spans[-1] = (start, at + 1, half)
            else:
                spans.append((at, at + 1, is_single(c)))
                joinable = True
        else:
            joinable = False
    return [Word(fold(text[start:end], diacritics), start, end, half) for start, end, half in spans]


def sentence_starts(text: str, words: list[Word], delimiters: str = "", diacritics: bool = True) -> list[int]:
    return [
        k
        for k in range(len(words))
        if k == 0 or ends_between(text, words[k - 1], words[k], delimiters, diacritics)
    ]


def ends_between(text: str, word: Word, following: Word, delimiters: str, diacritics: bool) -> bool:
    gap = "".join(c for c in text[word.end : following.start] if not is_ignorable(c))
    if delimiters:
        return any(c in delimiters for c in gap)
    if re.search(f"[\f\u2029{TERMINATORS_WITHOUT_SPACE}]|{BREAK}[{WHITE_SPACE}]*?{BREAK}", gap):
        return True
    marked = "".join("'" if unicodedata.category(c) in ("Pe", "Pf", "Pi") else c for c in gap)
    if not re.search(f"[{TERMINATORS}][{TERMINATORS}\"']*[{WHITE_SPACE}]", marked):
        return False
    first = unicodedata.category(text[following.start])
    if first == "Ll":
        return False
    if gap[0] in FULL_STOPS and sum(c in TERMINATORS for c in gap) == 1:
        letters = [unicodedata.category(c) for c in text[word.start : word.end] if not is_ignorable(c)]
        initial = letters[0] in ("Lu", "Ll", "Lt") and all(mark[0] == "M" for mark in letters[1:])
        return not (
            initial
            or word.folded in {fold(known, diacritics) for known in ABBREVIATIONS.split()}
            or (
                first[0] == "N"
                and word.folded in {fold(known, diacritics) for known in BEFORE_NUMBERS.split()}
            )
        )
    return True
