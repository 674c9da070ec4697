"""Whatever a page's bytes are in, and whatever it says they are, the article's text is right, or at least defined."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirecopy import extraction
from wirecopy.model import Page

TEXTS = {
    "windows-1251": "Городской совет на вчерашнем заседании решил построить новый мост через реку, сообщил мэр.",
    "koi8-r": "Городской совет на вчерашнем заседании решил построить новый мост через реку, сообщил мэр.",
    "iso-8859-5": "Городской совет на вчерашнем заседании решил построить новый мост через реку, сообщил мэр.",
    "shift_jis": "市議会は昨日の会議で、川に新しい橋を架けることを決めたと市長が発表した。工事は来年の春に始まる予定です。",
    "euc-jp": "市議会は昨日の会議で、川に新しい橋を架けることを決めたと市長が発表した。工事は来年の春に始まる予定です。",
    "iso-2022-jp": "市議会は昨日の会議で、川に新しい橋を架けることを決めたと市長が発表した。工事は来年の春に始まる予定です。",
    "euc-kr": "시의회는 어제 회의에서 강에 새로운 다리를 놓기로 결정했다고 시장이 밝혔다. 공사는 내년 봄에 시작된다.",
    "gb18030": "市议会在昨天的会议上决定在河上建造一座新桥，市长宣布。工程将于明年春天开始，预计两年内完成。",
    "big5": "市議會在昨天的會議上決定在河上建造一座新橋，市長宣布。工程將於明年春天開始，預計兩年內完成。",
    "windows-1252": "Der Stadtrat beschloß gestern – nach langer Debatte – den Bau einer neuen Brücke über den Fluß für 3 € je Bürger.",
    "iso-8859-1": "Le conseil a décidé hier la construction d'un nouveau pont à péage, a annoncé le maire élu cet été.",
    "iso-8859-2": "Rada miasta podjęła wczoraj decyzję o budowie nowego mostu przez rzekę, ogłosił burmistrz, który się cieszył.",
    "windows-1250": "Městská rada včera rozhodla o stavbě nového mostu přes řeku, oznámil starosta, který měl radost. Žádné námitky.",
    "iso-8859-7": "Το δημοτικό συμβούλιο αποφάσισε χθες να χτίσει μια νέα γέφυρα στο ποτάμι, ανακοίνωσε ο δήμαρχος.",
    "windows-1254": "Belediye meclisi dün akşam nehrin üzerine yeni bir köprü yapılmasına karar verdi, dedi başkan. Çalışmalar ilkbaharda başlıyor.",
    "windows-1255": "מועצת העיר החליטה אתמול לבנות גשר חדש מעל הנהר, הודיע ראש העיר. העבודות יתחילו באביב הבא.",
    "windows-1256": "قرر مجلس المدينة أمس بناء جسر جديد فوق النهر كما أعلن رئيس البلدية وستبدأ الأعمال في الربيع المقبل",
    "windows-874": "สภาเมืองมีมติเมื่อวานนี้ให้สร้างสะพานใหม่ข้ามแม่น้ำ นายกเทศมนตรีประกาศ",
    "utf-8": "Der Stadtrat beschloß gestern – 市議会 – городской совет – den Bau einer neuen Brücke.",
}
PYTHON_NAMES = {"windows-874": "cp874"}
ENCODINGS = sorted(TEXTS)


def encode(text: str, encoding: str) -> bytes:
    return text.encode(PYTHON_NAMES.get(encoding, encoding))


def texts(content: bytes, charset: str | None = None) -> list[str]:
    (found,) = extraction.extract_pages(
        [Page("", content, charset=charset)], model="heuristic", with_blocks=True
    )
    return [block.text for block in found.blocks]


def page(encoding: str, head: str = "") -> bytes:
    return encode(f"{head}<title>News</title><p>{TEXTS[encoding]}</p><p>{TEXTS[encoding]}</p>", encoding)


def right(encoding: str) -> list[str]:
    return ["News", *[TEXTS[encoding]] * 2]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_header_says_it(encoding: str) -> None:
    assert texts(page(encoding), encoding) == right(encoding)
    assert texts(page(encoding), f" {encoding.upper()} ") == right(encoding)


@pytest.mark.parametrize(
    "declaration",
    [
        '<meta charset="{}">',
        "<META CHARSET={}>",
        "<meta http-equiv=Content-Type content='text/html; charset={}'>",
        '<!-- a comment first --><html><meta content="text/html;charset = {}" http-equiv=content-type>',
        '<?xml version="1.0" encoding="{}"?>',
    ],
)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_page_says_it(encoding: str, declaration: str) -> None:
    assert texts(page(encoding, declaration.format(encoding))) == right(encoding)


@pytest.mark.parametrize("encoding", sorted({*ENCODINGS} - {"iso-8859-1"}))
def test_nobody_says_it(encoding: str) -> None:
    assert texts(page(encoding)) == right(encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("marked", [True, False])
def test_utf_16_is_seen_with_and_without_its_mark(encoding: str, marked: bool) -> None:
    text = "<html><head><title>News</title></head>" + f"<p>{TEXTS['utf-8']}"
    content = ("\ufeff" * marked + text).encode(encoding)
    for charset in (None, "utf-16", "utf-8", "windows-1252", encoding.replace("-", "")):
        assert texts(content, charset) == ["News", TEXTS["utf-8"]]


def test_a_mark_counts_more_than_any_declaration() -> None:
    content = b"\xef\xbb\xbf" + f"<meta charset=shift_jis><p>{TEXTS['utf-8']}".encode()
    assert texts(content, "windows-1251") == [TEXTS["utf-8"]]


@pytest.mark.parametrize(
    "wrong", ["windows-1252", "shift_jis", "utf-16", "koi8-r", "gbk", "no-such-label", "", "\0é", "x" * 9999]
)
def test_what_is_valid_utf_8_is_utf_8_whatever_is_said(wrong: str) -> None:
    content = f"<meta charset='{wrong}'><p>{TEXTS['utf-8']}".encode()
    assert texts(content) == [TEXTS["utf-8"]]
    assert texts(content, wrong) == [TEXTS["utf-8"]]


@pytest.mark.parametrize(
    "encoding", ["windows-1251", "shift_jis", "euc-kr", "gb18030", "big5", "windows-1252"]
)
def test_a_declaration_that_the_bytes_contradict_is_not_believed(encoding: str) -> None:
    assert texts(page(encoding), "utf-8") == right(encoding)
    assert texts(page(encoding, "<meta charset=utf-8>")) == right(encoding)


@pytest.mark.parametrize(
    "encoding", ["windows-1251", "shift_jis", "euc-kr", "gb18030", "big5", "windows-1252"]
)
def test_a_label_that_does_not_exist_is_as_good_as_none(encoding: str) -> None:
    assert texts(page(encoding), "no-such-label") == right(encoding)


def test_a_header_with_an_unknown_label_leaves_the_word_to_the_page() -> None:
    content = page("iso-8859-2", "<meta charset=iso-8859-2>")
    assert texts(content, "no-such-label") == right("iso-8859-2")


def test_a_few_broken_bytes_do_not_change_the_encoding() -> None:
    text = TEXTS["utf-8"] * 20
    content = f"<p>{text}</p>".encode().replace(b"gestern", b"ges\xfftern", 1)
    for charset in (None, "utf-8"):
        assert texts(content, charset) == [text.replace("gestern", "ges\ufffdtern", 1)]


@pytest.mark.parametrize(
    "stray", [b"caf\xe9", b"<!-- \xe9 -->", b"<script>'\xff'</script>", "schlie\u00df".encode()[:-1]]
)
def test_a_stray_byte_does_not_change_utf_8_with_few_letters_that_show_it(stray: bytes) -> None:
    text = "Die Händler hörten am Dienstag, daß der Markt schließt."
    for head in (b"<meta charset=utf-8>", b""):
        assert texts(head + f"<p>{text}</p><p>".encode() + stray)[0] == text


def test_a_page_in_two_encodings_keeps_the_one_it_is_mostly_in() -> None:
    article = TEXTS["windows-1251"] * 10
    content = b"<meta charset=utf-8><p>" + article.encode() + b"</p><p>\xe9\xe8 menu</p>"
    assert texts(content)[0] == article
    content = b"<meta charset=windows-1251><p>" + article.encode("cp1251") + "</p><p>© menu</p>".encode()
    assert texts(content)[0] == article


def test_a_late_foreign_byte_is_detected_where_it_stands() -> None:
    content = b"<script>" + b"x" * 400_000 + b"</script><p>" + TEXTS["windows-1251"].encode("cp1251")
    assert texts(content) == [TEXTS["windows-1251"]]


def test_a_character_cut_by_the_end_of_what_is_looked_at_does_no_harm() -> None:
    for size in (1 << 18, (1 << 18) + 1):
        text = TEXTS["shift_jis"] * (size // 90)
        assert texts(b"<p>" + text.encode("shift_jis") + b"</p>") == [text]


@given(content=st.binary(max_size=300), charset=st.none() | st.sampled_from(ENCODINGS) | st.text(max_size=5))
def test_any_bytes_are_some_text(content: bytes, charset: str | None) -> None:
    first = texts(content, charset)
    assert first == texts(content, charset)
    assert all(text.encode() for text in first)
