"""A pile of articles through `wirecopy.find`: what is found, what is left out, and always the same."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pytest

import wirecopy
from quality.texts import Writer, join
from wirecopy import Article, Relation, methods
from wirecopy.demo import write_archive
from wirecopy.errors import UsageError

Texts = dict[str, str]


def find(texts: Texts | Sequence[dict[str, Any]], **options: Any) -> wirecopy.Matches:
    articles = [{"id": k, "text": v} for k, v in texts.items()] if isinstance(texts, dict) else texts
    matches = wirecopy.find(articles, **options)
    assert isinstance(matches, wirecopy.Matches)
    return matches


def pairs(matches: wirecopy.Matches) -> set[tuple[str, str]]:
    return {(query, found) for query, found, *_ in matches.rows()}


# The same answer, always.


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = write_archive(tmp_path_factory.mktemp("demo"))
    return [json.loads(line) for line in (folder / "articles.jsonl").read_text("utf-8").splitlines()]


def everything(matches: wirecopy.Matches) -> str:
    return "".join(matches.json_lines()) + "".join(str(formula) for formula in matches.formulas)


@pytest.mark.slow
@pytest.mark.parametrize("pairs_", ["linked", "all"])
def test_any_order_any_threads_any_batches_give_the_same_bytes(
    demo: list[dict[str, Any]], pairs_: Literal["linked", "all"], tmp_path: Path
) -> None:
    expected = everything(find(demo, pairs=pairs_))
    assert expected.count("\n") > 100
    draw = random.Random(1)
    for number in range(20):
        shuffled = draw.sample(demo, len(demo))
        path = tmp_path / f"{number}.jsonl"
        path.write_text("".join(json.dumps(article) + "\n" for article in shuffled))
        for threads, batch_bytes in product((1, 2), (3_000, 50_000, 4 << 20)):
            answer = wirecopy.find([path], threads=threads, batch_bytes=batch_bytes, pairs=pairs_)
            assert everything(answer) == expected, (number, threads, batch_bytes)


def test_the_query_is_the_later_article_and_undated_ones_come_last() -> None:
    text = Writer(1).text(80)
    dates = {
        "d": "2021-01-01",
        "b": "Mon, 04 Jan 2021 10:00:00 GMT",
        "c": "2021-01-04",
        "a": None,
        "e": "soon",
    }
    matches = find([{"id": name, "text": text, "published": date} for name, date in dates.items()])
    order = ["d", "c", "b", "a", "e"]
    assert [(match.query, match.found) for match in matches] == [
        (order[later], order[earlier]) for later in range(5) for earlier in range(later)
    ]
    assert matches.unreadable_dates == 1


def test_articles_of_the_same_time_are_ordered_by_id_as_code_points() -> None:
    text = Writer(1).text(80)
    matches = find(dict.fromkeys(("é", "z", "Z", "10", "9", "😀", "￮"), text))
    assert [match.query for match in matches if match.found == "10"] == [
        *("9", "Z", "z", "é", "\uffee", "\U0001f600")
    ]


def test_a_match_does_not_depend_on_other_articles() -> None:
    words = Writer(1).write(60)
    found, query = (
        join([*words[:30], f"{s}1", words[30], f"{s}2", words[31], f"{s}3", *words[32:]]) for s in "yx"
    )
    alone = find({"a": found, "b": query})[0]
    beside = next(m for m in find({"a": found, "b": query, "c": found + " 東京"}) if m.query == "b")
    assert beside == alone


# What a pile may hold.


@pytest.mark.parametrize("articles", [[], [""], ["one"], ["", "…", "\n"], [{"id": "a", "text": ""}]])
def test_a_pile_without_pairs_has_no_matches(articles: list[Any]) -> None:
    matches = wirecopy.find(articles)
    assert len(matches) == 0
    assert list(matches) == []
    assert list(matches.json_lines()) == []


def test_one_word_texts_match_if_they_are_the_same() -> None:
    matches = find({"a": "One", "b": "one!", "c": "two", "d": "", "e": ""})
    assert [(m.query, m.found, m.relation) for m in matches] == [("b", "a", Relation.IDENTICAL)]


def test_a_repeated_id_is_a_skipped_record() -> None:
    text = Writer(2).text(60)
    matches = find([{"id": "a", "text": text}, {"id": "b", "text": text}, {"id": "a", "text": "other"}])
    assert pairs(matches) == {("b", "a")}
    assert [skipped.where for skipped in matches.skipped] == ["record:3"]


def test_which_of_two_articles_with_one_id_is_kept_is_the_first() -> None:
    text = Writer(2).text(60)
    matches = find([{"id": "a", "text": "other"}, {"id": "b", "text": text}, {"id": "a", "text": text}])
    assert pairs(matches) == set()
    assert len(matches.skipped) == 1


def test_texts_articles_and_dicts_are_all_taken() -> None:
    text = Writer(3).text(60)
    matches = wirecopy.find([text, Article("x", text, published="2020-01-01"), {"id": "y", "text": text}])
    assert len(matches) == 3
    assert {match.found for match in matches} >= {"x"}


def test_a_text_of_one_repeated_word_costs_no_more_than_others() -> None:
    matches = find({"a": "spam " * 200_000, "b": "Spam " * 199_000, "c": "eggs " * 1000})
    assert pairs(matches) == {("b", "a")}
    assert matches[0].relation is Relation.NEAR_DUPLICATE


def test_two_long_texts_are_compared_whole() -> None:
    writer = Writer(4)
    words = writer.write(160_000)
    edited = writer.edit(words, 0.02)
    texts = {"a": join(words), "b": join(edited[80_000:] + edited[:80_000])}
    assert min(map(len, texts.values())) > 1_000_000
    (match,) = find(texts)
    assert match.relation is Relation.NEAR_DUPLICATE
    assert match.query_covered > 0.98


def test_thousands_of_identical_short_texts_are_linked() -> None:
    matches = find({f"{number:04}": "Fire in the old mill." for number in range(5000)})
    assert {query for query, *_ in matches.rows()} == {f"{number:04}" for number in range(1, 5000)}
    assert {relation for _, _, relation, *_ in matches.rows()} == {"identical"}
    assert len(matches) < 8 * 5000
    assert not matches.formulas


@pytest.mark.parametrize("filler", ["\0", "\ud800", "\x1b[31m"])
def test_odd_characters_change_nothing_around_them(filler: str) -> None:
    words = Writer(5).write(60)
    text = join(words)
    odd = join([*words[:30], filler, *words[30:]])
    (match,) = find({"a": text, "b": odd})
    assert match.relation in (Relation.IDENTICAL, Relation.NEAR_DUPLICATE)
    for passage in match.passages:
        assert text[slice(*passage.found)].startswith(passage.text[:20])


SCRIPTS = {
    "Thai": "ชาวบ้านริมคลองเล่าว่าเมื่อเช้ามืดวันจันทร์มีเรือสินค้าลำหนึ่งลอยมาติดสะพานไม้เก่า แล้วจอดนิ่งอยู่นานหลายชั่วโมงจนเด็กนักเรียนต้องเดินอ้อมไปทางวัด",
    "Korean": "어제 아침 강가 마을의 빵집 앞에서 작은 소동이 있었다 주인은 새로 구운 빵이 모두 사라졌다고 말했고 이웃들은 밤새 개가 짖는 소리를 들었다고 전했다 "
    "경찰은 오후까지 골목을 살폈으나 아무런 흔적도 찾지 못했다 저녁이 되자 아이들이 다리 밑에서 빵 봉지를 발견했고 모두가 웃었다",
    "Chinese": "昨天清晨河边小镇的面包店门前起了一阵骚动，店主说刚出炉的面包全都不见了，邻居们说整夜听见狗叫。警察在巷子里查到下午也没有找到线索，傍晚孩子们在桥下发现了装面包的纸袋。",
    "Arabic": "قال صاحب المخبز الصغير عند النهر إن الخبز الطازج كله اختفى قبل شروق الشمس وذكر الجيران أنهم سمعوا نباح الكلاب طوال الليل "
    "وبحثت الشرطة في الأزقة حتى العصر فلم تجد أثرا وفي المساء وجد الأطفال الأكياس تحت الجسر فضحك الجميع",
    "Hindi": "नदी किनारे के छोटे कस्बे में कल सुबह बेकरी के सामने हलचल मच गई दुकानदार ने बताया कि ताज़ी रोटियाँ सब गायब थीं और पड़ोसियों ने "
    "कहा कि रात भर कुत्ते भौंकते रहे पुलिस ने दोपहर तक गलियाँ छानीं पर कोई सुराग नहीं मिला शाम को बच्चों को पुल के नीचे थैले मिले",
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_copies_in_any_script_are_found(script: str) -> None:
    text = SCRIPTS[script]
    cut = text[: len(text) * 9 // 10]
    texts = {
        "a": text,
        "b": "2024. " + text + " !",
        "c": cut,
        **{k: v for k, v in SCRIPTS.items() if k != script},
    }
    relations = {(m.query, m.found): m.relation for m in find(texts)}
    assert set(relations) == {("b", "a"), ("c", "a"), ("c", "b")}
    assert relations["b", "a"] is Relation.NEAR_DUPLICATE
    assert relations["c", "a"] in (Relation.NEAR_DUPLICATE, Relation.CONTAINED_IN)


HOMOGLYPHS = str.maketrans("aeopcxyi", "аеорсхуі")
DISGUISES: dict[str, Callable[[str], str]] = {
    "homoglyphs": lambda text: text.translate(HOMOGLYPHS),
    "zero-width characters": lambda text: "\u200b".join(text),
    "zero-width joiners": lambda text: text.replace("a", "a\u200d\u2060"),
    "soft hyphens": lambda text: text.replace("a", "a\u00ad"),
    "case": str.swapcase,
    "odd spaces": lambda text: text.replace(" ", "\u00a0\u2009"),
    "full-width letters": lambda text: "".join(chr(ord(c) + 0xFEE0) if c.isalpha() else c for c in text),
    "re-wrapped lines": lambda text: "\r\n".join(text.split()),
    "bidi marks": lambda text: "\u202b" + text.replace(" ", " \u200f") + "\u202c",
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_disguise_hides_no_copy(disguise: str) -> None:
    writer = Writer(6)
    originals = {f"{number:02}": writer.write(120) for number in range(50)}
    copies = {name: join(writer.edit(words, 0.03)) for name, words in originals.items()}
    plain = {name: join(words) for name, words in originals.items()}
    shown = find({**plain, **{f"copy-{name}": text for name, text in copies.items()}})
    hidden = find({**plain, **{f"copy-{name}": DISGUISES[disguise](text) for name, text in copies.items()}})
    assert pairs(shown) == {(f"copy-{name}", name) for name in originals}
    assert pairs(hidden) == pairs(shown)
    assert [row[2:6] for row in hidden.rows()] == [row[2:6] for row in shown.rows()]


# Families and boilerplate.


def test_a_big_family_is_connected_and_no_stranger_is_in_it() -> None:
    writer = Writer(7)
    text = writer.write(250)
    family = {f"family-{number:03}": join(writer.edit(text, 0.02)) for number in range(300)}
    others = {f"other-{number:03}": writer.text(250) for number in range(500)}
    matches = find({**family, **others})
    assert {name for pair in pairs(matches) for name in pair} == set(family)
    assert not matches.formulas
    assert len(set(components(pairs(matches)).values())) == 1
    assert len(matches) < 12 * 300


def components(links: set[tuple[str, str]]) -> dict[str, str]:
    names = {name for link in links for name in link}
    lowest = {name: name for name in names}
    changed = True
    while changed:
        changed = False
        for one, other in links:
            low = min(lowest[one], lowest[other])
            changed |= lowest[one] != low or lowest[other] != low
            lowest[one] = lowest[other] = low
    return lowest


def test_all_writes_out_every_pair_of_a_big_family() -> None:
    writer = Writer(8)
    text = writer.write(150)
    family = {f"{number:02}": join(writer.edit(text, 0.01)) for number in range(40)}
    assert len(find(family, pairs="all")) == 40 * 39 // 2
    linked = find(family, pairs="linked")
    assert len(linked) < 40 * 39 // 2
    assert pairs(linked) <= pairs(find(family, pairs="all"))


NAMES = [
    "mira",
    "tolan",
    "besk",
    "orvin",
    "salde",
    "quint",
    "herne",
    "pavo",
    "luthe",
    "wenda",
    "yarrow",
    "zeb",
]


def with_formula(
    writer: Writer, words: int, place: str, varying: bool, holders: int, articles: int = 80
) -> tuple[Texts, list[str]]:
    """A pile of different articles, some of which hold one formula; and the formula, as far as it is fixed."""
    formula = writer.write(words)
    texts = {}
    for number in range(articles):
        body = writer.write(writer.random.randint(80, 400))
        if number < holders:
            mine = list(formula)
            if varying:
                mine[words // 2 : words // 2 + 1] = [NAMES[number % 12], str(1000 + number)]
            at = {"head": 0, "middle": len(body) // 2, "end": len(body)}[place]
            body[at:at] = mine
        texts[f"{writer.random.randrange(10**9):09}"] = join(body)
    return texts, formula


@pytest.mark.parametrize("holders", [12, 25])
@pytest.mark.parametrize("varying", [False, True], ids=["fixed", "varying"])
@pytest.mark.parametrize("place", ["head", "middle", "end"])
@pytest.mark.parametrize("words", [8, 15, 25, 35, 80])
def test_a_formula_makes_no_match(words: int, place: str, varying: bool, holders: int) -> None:
    writer = Writer(words * 1000 + holders + 100 * varying + len(place))
    texts, formula = with_formula(writer, words, place, varying, holders)
    matches = find(texts)
    assert pairs(matches) == set()
    if words >= 35 or (words >= 20 and not varying):
        shown = (
            " ".join(matches.formulas[0].example.lower().replace(".", " ").split())
            if matches.formulas
            else ""
        )
        assert any(" ".join(formula[i : i + 6]) in shown for i in range(words - 5)), matches.formulas
        assert holders * 0.75 <= matches.formulas[0].articles <= holders


_FEW = pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="of a formula in halves of 12 words no key is in the eight articles that make one common, nor any passage",
)


@pytest.mark.parametrize("holders", [pytest.param(12, marks=_FEW), 25])
def test_a_formula_that_few_keys_show_makes_no_match(holders: int) -> None:
    texts, _ = with_formula(Writer(118_810, words=8000), 25, "middle", True, holders)
    assert pairs(find(texts)) == set()


def with_paragraph(seed: int, articles: int, own_words: int, words: int) -> Texts:
    """Articles that share a paragraph in their middle, among forty others."""
    writer = Writer(seed)
    paragraph, half = writer.write(words), own_words // 2
    texts = {f"{i:02}": join(writer.write(half) + paragraph + writer.write(half)) for i in range(articles)}
    return {**texts, **{f"z{i}": writer.text(200) for i in range(40)}}


def test_what_is_left_out_is_always_listed() -> None:
    matches = find(with_paragraph(258, articles=8, own_words=150, words=100))
    assert len(matches) or matches.formulas


@pytest.mark.parametrize("words", [200, 300])
def test_a_long_text_in_many_longer_articles_is_copying(words: int) -> None:
    matches = find(with_paragraph(words, articles=12, own_words=350, words=words))
    assert {name for pair in pairs(matches) for name in pair} == {f"{i:02}" for i in range(12)}


@pytest.mark.parametrize(("own_words", "words"), [(15, 25), (25, 35)])
def test_a_formula_makes_no_match_of_briefs_that_are_mostly_formula(own_words: int, words: int) -> None:
    writer = Writer(1)
    formula = writer.write(words)
    briefs = {f"{number:02}": join(writer.write(own_words) + formula) for number in range(25)}
    assert pairs(find({**briefs, **{f"z{i}": writer.text(200) for i in range(40)}})) == set()


def test_two_formulas_do_not_make_copies_of_briefs_that_hold_both() -> None:
    writer = Writer(14)
    notice, imprint = writer.write(29), writer.write(72)
    bodies = [(150, 150)] * 17 + [(40, 45)] * 3
    matches = find(
        {
            f"{number:02}": join(writer.write(before) + notice + writer.write(after) + imprint)
            for number, (before, after) in enumerate(bodies)
        }
    )
    assert len(matches.formulas) == 2
    assert pairs(matches) == set()


def test_a_formula_is_known_though_every_article_comes_twice() -> None:
    writer = Writer(15)
    formula = writer.write(30)
    texts = {f"{number:02}": join(writer.write(200) + formula) for number in range(20)}
    matches = find({f"{name}{copy}": text for name, text in texts.items() for copy in "ab"})
    assert [one.articles for one in matches.formulas] == [40]
    assert pairs(matches) == {(f"{name}b", f"{name}a") for name in texts}


@pytest.mark.parametrize("preset", ["strict", "syndication", "any-reuse"])
def test_a_quotation_that_three_articles_share_is_reported(preset: str) -> None:
    writer = Writer(9)
    quotation = writer.write(45 if preset == "strict" else 30)
    texts = {f"{number:02}": writer.write(200) for number in range(60)}
    for name in ("07", "21", "33"):
        texts[name][90:90] = quotation
    matches = find({name: join(words) for name, words in texts.items()}, preset=preset)
    assert pairs(matches) == {("21", "07"), ("33", "07"), ("33", "21")}
    assert {match.relation for match in matches} == {Relation.PARTIAL}
    assert not matches.formulas


@pytest.mark.parametrize("place", ["head", "end"])
def test_a_copied_paragraph_beside_a_formula_is_found_without_it(place: str) -> None:
    writer = Writer(10)
    formula, paragraph = writer.write(25), writer.write(60)
    texts = {}
    for number in range(40):
        body = writer.write(150)
        if number in (3, 17):
            at = 0 if place == "head" else len(body)
            body[at:at] = paragraph
        texts[f"{number:02}"] = join(formula + body if place == "head" else body + formula)
    matches = find(texts)
    assert pairs(matches) == {("17", "03")}
    (passage,) = matches[0].passages
    assert passage.words == 60
    assert matches[0].query_covered == round(60 / 210, 4)
    assert [one.articles for one in matches.formulas] == [40]


def test_formulas_are_counted_and_shown() -> None:
    writer = Writer(12)
    formula = writer.write(30)
    texts = {f"{number:02}": join(writer.write(200) + formula * (number < 15)) for number in range(50)}
    (shown,) = find(texts).formulas
    assert shown.articles == 15
    assert shown.article in texts
    assert shown.example in texts[shown.article]
    assert shown.example.lower().replace(".", "").split() == formula


# The answer as an object.


@pytest.fixture(scope="module")
def matches(demo: list[dict[str, Any]]) -> wirecopy.Matches:
    return find(demo)


def test_matches_are_a_sequence(matches: wirecopy.Matches) -> None:
    listed = list(matches)
    assert len(listed) == len(matches) > 100
    assert matches[0] == listed[0]
    assert matches[-1] == listed[-1]
    assert matches[3:9:2] == listed[3:9:2]
    assert matches[::-1] == listed[::-1]
    assert listed[5] in matches
    for row in (len(matches), -len(matches) - 1):
        with pytest.raises(IndexError):
            matches[row]


def test_a_match_shows_what_was_copied(matches: wirecopy.Matches) -> None:
    match = next(match for match in matches if match.relation is Relation.PARTIAL)
    shown = str(match)
    assert match.query in shown
    assert match.found in shown
    assert "is partly copied from" in shown
    assert " ".join(match.passages[0].text.split()[:8]) in shown
    assert f"{match.passages[0].words} words" in shown


def test_a_match_that_is_printed_does_not_steer_the_terminal() -> None:
    text = "\x1b[2J\u202e" + Writer(62).text(60).replace(" ", " \x1b[31m\x9b7m ", 5)
    match = wirecopy.compare({"id": "\x1b[7mq", "text": text}, {"id": "f\x07", "text": text})
    assert match
    assert str(match).startswith("[7mq is identical to f (")
    assert str(match).replace("\n", "").isprintable()


def test_json_lines_are_the_matches(matches: wirecopy.Matches) -> None:
    assert read_lines(matches) == [match.to_dict() for match in matches]


def test_rows_are_the_matches(matches: wirecopy.Matches) -> None:
    told = list(matches.tell())
    assert [match for match, _, _ in told] == list(matches)
    assert list(matches.rows()) == [match.to_row(query, found) for match, query, found in told]


def read_lines(matches: wirecopy.Matches) -> list[dict[str, Any]]:
    return [json.loads(line) for line in "".join(matches.json_lines()).splitlines()]


def test_tables_hold_the_same(matches: wirecopy.Matches) -> None:
    expected = [json.loads(line) for line in matches.json_lines(text=True)]
    assert matches.to_arrow().to_pylist() == expected
    assert matches.to_polars().to_dicts() == expected
    frame = matches.to_pandas()
    assert len(frame) == len(expected)
    assert frame["relation"].tolist() == [row["relation"] for row in expected]


def test_tables_of_nothing_have_the_same_columns(matches: wirecopy.Matches) -> None:
    nothing = wirecopy.find([])
    assert nothing.to_arrow().schema == matches.to_arrow().schema
    assert nothing.to_polars().columns == matches.to_polars().columns
    assert nothing.to_pandas().empty


def test_progress_is_a_callback(demo: list[dict[str, Any]]) -> None:
    calls: list[tuple[str, int, int]] = []
    find(demo, progress=lambda stage, done, total: calls.append((stage, done, total)), threads=1)
    stages = list(dict.fromkeys(stage for stage, *_ in calls))
    nominating = ["nominating by exact", "nominating by winnowing"]
    assert sorted(stages[1:3]) == nominating
    assert [stages[0], *stages[3:]] == ["reading", "comparing", "learning boilerplate"]
    for stage in stages[1:]:
        done, total = [call[1:] for call in calls if call[0] == stage][-1]
        assert done == total
    assert len([call for call in calls if call[0] in nominating]) > 100


@pytest.mark.parametrize("name", methods.names())
def test_every_stage_of_every_method_is_told_to_its_end(name: str, demo: list[dict[str, Any]]) -> None:
    for run in (find, wirecopy.opinions):
        calls: dict[str, tuple[int, int]] = {}
        told = lambda stage, done, total: calls.__setitem__(stage, (done, total))  # noqa: B023, E731
        only_ranks = name == "document_image" and run is not find
        run(demo[:40], method=name, progress=told, query=demo[40:42] if only_ranks else None)
        assert len(calls) >= 2
        assert all(done == total for stage, (done, total) in calls.items() if stage != "reading"), calls


def test_an_error_in_a_callback_is_not_swallowed(demo: list[dict[str, Any]]) -> None:
    def stop(stage: str, done: int, total: int) -> None:
        raise RuntimeError(stage)

    for threads in (1, 2):
        with pytest.raises(RuntimeError, match="reading"):
            find(demo, progress=stop, threads=threads)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "lax"}, "no preset named 'lax'; there are: strict, syndication, any-reuse"),
        ({"threads": 0}, "threads: expected at least 1, got 0"),
        ({"threads": -2}, "threads: expected at least 1, got -2"),
        ({"pairs": "some"}, "pairs: expected 'linked' or 'all', got 'some'"),
        ({"method": []}, "expected one to 8 methods, got 0"),
        ({"method": "magic"}, "no method named 'magic'"),
        ({"batch_bytes": 0}, "batch_bytes: expected 1 or more, got 0"),
    ],
)
def test_bad_options_say_what_was_expected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        wirecopy.find(["one", "two"], **options)


def test_a_lower_bar_finds_no_less() -> None:
    writer = Writer(13)
    texts: Texts = {}
    for number in range(60):
        words = writer.write(150)
        texts[f"a{number:02}"] = join(words)
        texts[f"b{number:02}"] = join(writer.write(60) + words[10 : 10 + number + 10] + writer.write(60))
    strict, default, any_ = (pairs(find(texts, preset=p)) for p in ("strict", "syndication", "any-reuse"))
    assert strict < default < any_
