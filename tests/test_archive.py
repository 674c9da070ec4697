"""An archive answers as `find` does on the articles that are in it, however they came there."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from archives import as_list, as_set, check_each, find_for_each, opened

import wirecopy
from quality.texts import Writer, join
from wirecopy import Archive, Article, Relation, methods
from wirecopy.demo import write_archive
from wirecopy.errors import ArchiveError, UsageError
from wirecopy.pile import weigh

Articles = list[dict[str, Any]]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Articles:
    folder = write_archive(tmp_path_factory.mktemp("demo"))
    return [json.loads(line) for line in (folder / "articles.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def live(demo: Articles) -> Articles:
    return [article for number, article in enumerate(demo) if number % 10]


@pytest.fixture(scope="module")
def queries(demo: Articles) -> Articles:
    """Some that are in the archive and some that are not."""
    return demo[::10][:14] + demo[1::29]


@pytest.fixture(scope="module")
def answers(live: Articles, queries: Articles) -> list[set[str]]:
    found = find_for_each(live, queries)
    assert sum(map(len, found)) > 20
    return found


@pytest.fixture(scope="module")
def pairs(live: Articles) -> list[dict[str, Any]]:
    found = wirecopy.find(live)
    assert len(found) > 100
    assert found.formulas
    return as_list(found)


# However it was built.


def add_whole(archive: Archive, articles: Articles) -> None:
    archive.add(articles)


def add_in_small_batches(archive: Archive, articles: Articles) -> None:
    archive.add(articles, batch_bytes=20_000)


def add_call_by_call(archive: Archive, articles: Articles) -> None:
    for start in range(0, len(articles), 37):
        archive.add(articles[start : start + 37])


def observe_each(archive: Archive, articles: Articles) -> None:
    archive.add(articles[:200])
    for article in articles[200:]:
        [observed] = archive.observe(article)
        assert observed.kept


def compact_in_between(archive: Archive, articles: Articles) -> None:
    archive.add(articles[:100], batch_bytes=3_000)
    archive.compact()
    archive.add(articles[100:], batch_bytes=9_000)


def remove_and_add_again(archive: Archive, articles: Articles) -> None:
    archive.add(articles)
    archive.remove([article["id"] for article in articles[50:180]])
    archive.add(articles)


def replace_other_contents(archive: Archive, articles: Articles) -> None:
    bodies = [article["text"] for article in articles[40:90]]
    archive.add(
        [{**one, "text": body} for one, body in zip(articles[:50], bodies, strict=True)] + articles[50:]
    )
    archive.add(articles, replace=True)


def add_too_much_and_remove(archive: Archive, articles: Articles) -> None:
    more = [{**article, "id": f"more {article['id']}"} for article in articles[::2]]
    archive.add([*more, *articles], batch_bytes=30_000)
    archive.remove([article["id"] for article in more])


WAYS: list[Callable[[Archive, Articles], None]] = [
    add_whole,
    add_in_small_batches,
    add_call_by_call,
    observe_each,
    compact_in_between,
    remove_and_add_again,
    replace_other_contents,
    add_too_much_and_remove,
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.replace("_", " "))
def test_an_archive_answers_as_find_does_however_it_was_built(
    way: Callable[[Archive, Articles], None],
    live: Articles,
    queries: Articles,
    answers: list[set[str]],
    pairs: list[dict[str, Any]],
    tmp_path: Path,
) -> None:
    seed = WAYS.index(way)
    shuffled = random.Random(seed).sample(live, len(live))
    with opened(tmp_path / "archive", threads=1 + seed % 2) as archive:
        way(archive, shuffled)
        assert len(archive) == len(live)
        archive.learn()
        assert check_each(archive, queries) == answers
        assert as_list(archive.pairs()) == pairs
        in_time = sorted(live, key=lambda one: (datetime.fromisoformat(one["published"]), one["id"]))
        assert [one.id for one in archive.articles()] == [one["id"] for one in in_time]


def test_the_order_of_what_is_found_does_not_depend_on_the_order_of_adding(
    live: Articles, queries: Articles, tmp_path: Path
) -> None:
    same_day = [{**article, "published": "2026-01-01"} for article in live]
    told = []
    for seed in range(3):
        with opened(tmp_path / str(seed), random.Random(seed).sample(same_day, len(live))) as archive:
            told.append([answer.to_dict() for answer in archive.check(queries)])
    assert told[0] == told[1] == told[2]


def test_of_a_big_family_of_one_day_the_first_by_id_are_named(tmp_path: Path) -> None:
    writer = Writer(14)
    words = writer.write(120)
    family = [
        {"id": f"{number:02}", "text": join(writer.edit(words, 0.02)), "published": "2026-01-01"}
        for number in range(40)
    ]
    query = {"id": "query", "text": join(words)}
    with opened(tmp_path / "archive", writer.random.sample(family, 40), method="winnowing") as archive:
        assert check_each(archive, [query]) == find_for_each(family, [query], method="winnowing")
        assert set(found(archive, query)) < {f"{number:02}" for number in range(20)}


def test_a_formula_does_not_crowd_out_a_family(tmp_path: Path) -> None:
    """Of pairs that only links support the closest are looked at: those that share boilerplate are not among them."""
    writer = Writer(15)
    story, formula = writer.write(55), writer.write(85)
    family = [{"id": f"a{number:02}", "text": join(writer.edit(story, 0.01))} for number in range(30)]
    others = [{"id": f"b{number:02}", "text": join(writer.write(150) + formula)} for number in range(30)]
    query = {"id": "query", "text": join(story + formula)}
    with opened(tmp_path / "archive", others + family) as archive:
        assert len(archive.formulas) == 1
        [expected] = find_for_each(others + family, [query])
        [answered] = check_each(archive, [query])
        assert expected <= answered, "and besides what is identical to it"
        assert {json.loads(one)["found"][0] for one in answered} == {"a"}


def test_a_text_checked_alone_or_among_others_has_the_same_answer(
    live: Articles, queries: Articles, tmp_path: Path
) -> None:
    with opened(tmp_path / "archive", live) as archive:
        together = archive.check(queries)
        assert together == [answer for query in queries for answer in archive.check(query)]
        assert [answer.query for answer in together] == [query["id"] for query in queries]


def test_what_is_added_twice_is_there_once(live: Articles, tmp_path: Path) -> None:
    with opened(tmp_path / "archive") as archive:
        first = archive.add(live, batch_bytes=50_000)
        assert (first.added, first.known, first.replaced, first.skipped) == (len(live), 0, 0, [])
        again = archive.add(live[::-1], batch_bytes=10_000)
        assert (again.added, again.known, again.replaced, again.skipped) == (0, len(live), 0, [])
        assert len(archive) == len(live)


def test_an_id_with_other_content_is_added_only_to_replace(tmp_path: Path) -> None:
    with opened(tmp_path / "archive", [{"id": "a", "text": "one two"}]) as archive:
        for change in ({"text": "one three"}, {"title": "One"}, {"published": "2020-01-01"}):
            other = {"id": "a", "text": "one two", **change}
            added = archive.add([other])
            assert (added.added, added.known, added.replaced) == (0, 0, 0)
            [skipped] = added.skipped
            assert "'a'" in skipped.reason
            assert "add it with replace=True" in skipped.reason
        added = archive.add([{"id": "a", "text": "one three", "title": "One"}], replace=True)
        assert (added.added, added.replaced) == (0, 1)
        [article] = archive.articles()
        assert article == Article("a", "one three", title="One")


@pytest.mark.parametrize("batch_bytes", [1, 4 << 20])
@pytest.mark.parametrize("replace", [False, True])
def test_of_a_repeated_id_the_first_counts_in_any_batches(
    batch_bytes: int, replace: bool, tmp_path: Path
) -> None:
    articles = [{"id": "a", "text": "first"}, {"id": "b", "text": "b"}, {"id": "a", "text": "second"}]
    with opened(tmp_path / "archive", [{"id": "a", "text": "zeroth"}] if replace else []) as archive:
        added = archive.add(articles, batch_bytes=batch_bytes, replace=replace)
        assert [one.text for one in archive.articles()] == ["first", "b"]
        assert [skipped.where for skipped in added.skipped] == ["record:3"]


def test_contents_that_differ_only_in_where_a_nul_stands_are_different(tmp_path: Path) -> None:
    with opened(tmp_path / "archive", [{"id": "a", "text": "b\0c", "title": "d"}]) as archive:
        for other in ({"text": "b", "title": "c\0d"}, {"text": "b\0c\0d", "title": ""}):
            assert archive.add([{"id": "a", **other}]).known == 0


# Every method.


@pytest.mark.parametrize("name", methods.names())
def test_every_method_can_be_an_archives_method(name: str, demo: Articles, tmp_path: Path) -> None:
    options: dict[str, Any] = {"method": name}
    if methods.get(name).weighs_words:
        options["statistics"] = weigh(demo, name)[0]
    live, queries = demo[::3], demo[1::50]
    with opened(tmp_path / "archive", **options) as archive:
        archive.add(live[40:], batch_bytes=40_000)
        archive.add([*live[:40], *demo[2::30]])
        archive.remove([article["id"] for article in demo[2::30]])
        archive.learn()
        expected = wirecopy.find(live, **options)
        assert as_list(archive.pairs()) == as_list(expected)
        assert check_each(archive, queries) == find_for_each(live, queries, **options)
    with Archive.open(tmp_path / "archive") as archive:
        assert as_list(archive.pairs()) == as_list(expected)


def test_several_methods_nominate_together(demo: Articles, tmp_path: Path) -> None:
    chosen: list[str | methods.Method] = [
        "minhash",
        "sentence_lengths",
        methods.get("winnowing", window_words=8),
    ]
    with opened(tmp_path / "archive", demo[::2], method=chosen) as archive:
        found = archive.pairs()
        assert as_list(found) == as_list(wirecopy.find(demo[::2], method=chosen))
        assert len({match.methods for match in found}) > 2
        queries = demo[1::40]
        assert check_each(archive, queries) == find_for_each(demo[::2], queries, method=chosen)


@pytest.mark.parametrize("preset", ["strict", "any-reuse"])
def test_an_archive_keeps_its_preset(preset: str, demo: Articles, tmp_path: Path) -> None:
    with opened(tmp_path / "archive", demo[::2], preset=preset) as archive:
        assert as_list(archive.pairs()) == as_list(wirecopy.find(demo[::2], preset=preset))
    with Archive.open(tmp_path / "archive") as archive:
        queries = demo[1::30]
        assert check_each(archive, queries) == find_for_each(demo[::2], queries, preset=preset)


# What may be in it.

CHINESE = "昨天清晨河边小镇的面包店门前起了一阵骚动，店主说刚出炉的面包全都不见了，邻居们说整夜听见狗叫。警察在巷子里查到下午也没有找到线索，傍晚孩子们在桥下发现了装面包的纸袋。"
THAI = "ชาวบ้านริมคลองเล่าว่าเมื่อเช้ามืดวันจันทร์มีเรือสินค้าลำหนึ่งลอยมาติดสะพานไม้เก่า แล้วจอดนิ่งอยู่นานหลายชั่วโมงจนเด็กนักเรียนต้องเดินอ้อมไปทางวัด"


@pytest.mark.parametrize("text", [CHINESE, THAI], ids=["Chinese", "Thai"])
def test_copies_in_a_script_without_spaces_are_found(text: str, tmp_path: Path) -> None:
    others = {"latin": Writer(1).text(90), "other": THAI if text == CHINESE else CHINESE}
    articles = [{"id": id, "text": body} for id, body in {"a": text, **others}.items()]
    queries = [{"id": "b", "text": f"2026. {text} !"}, {"id": "c", "text": text[: len(text) * 9 // 10]}]
    with opened(tmp_path / "archive", articles) as archive:
        assert check_each(archive, queries) == find_for_each(articles, queries)
        whole, part = archive.check(queries)
        assert [match.found for match in whole.matches] == [match.found for match in part.matches] == ["a"]
        [match] = part.matches
        [passage] = match.passages
        assert passage.text == queries[1]["text"][slice(*passage.query)]
        assert text[slice(*passage.found)] == passage.text


def test_an_empty_archive_finds_nothing(tmp_path: Path) -> None:
    text = Writer(1).text(30)
    with Archive.open(tmp_path / "archive", create=True) as archive:
        for _ in range(2):
            [answer] = archive.check(text)
            assert (answer.copied, answer.longest_words, answer.found) == (0, 0, [])
            assert answer.new == [(0, len(text) - 1)]
            assert len(archive) == len(archive.pairs()) == len(list(archive.articles())) == 0
            assert archive.remove(["nobody"]) == 0
            archive.learn()
            archive.compact()
        assert archive.check([]) == []
        assert archive.add([]).added == 0
        assert archive.verify() == []


ODD: dict[str, Articles] = {
    "empty texts": [{"id": "a", "text": ""}, {"id": "b", "text": ""}, {"id": "c", "text": " …\n"}],
    "one word": [{"id": "a", "text": "One"}, {"id": "b", "text": "one!"}, {"id": "c", "text": "two"}],
    "NUL": [
        {"id": "a\0", "text": "\0" + Writer(2).text(40)},
        {"id": "a", "text": Writer(2).text(40).replace(" ", " \0", 3), "title": "\0"},
    ],
    "lone surrogates": [
        {"id": "a\ud800", "text": Writer(3).text(40)},
        {"id": "b", "text": "\udfff" + Writer(3).text(40), "title": "\ud800", "source": "\ud801"},
    ],
    "long ids": [
        {"id": "a" * 100_000, "text": Writer(4).text(40)},
        {"id": "a" * 100_001, "text": Writer(4).text(40)},
    ],
    "ids that look like something else": [
        {"id": id, "text": Writer(5).text(40)}
        for id in ("1", "1.0", "'; --", " ", "%", "😀", "￮", "é", "e\u0301")
    ],
    "some dates": [
        {"id": id, "text": Writer(6).text(40), "published": date}
        for id, date in {
            "a": None,
            "b": "2020-01-02",
            "c": "soon",
            "d": "2020-01-02",
            "e": "1815-06-18",
        }.items()
    ],
    "a repeated word": [{"id": "a", "text": "spam " * 5000}, {"id": "b", "text": "Spam " * 4900}],
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_articles_are_kept_and_found(kind: str, tmp_path: Path) -> None:
    articles = ODD[kind]
    expected = wirecopy.find(articles)
    with opened(tmp_path / "archive") as archive:
        assert archive.add(articles[::-1]).added == len(articles)
        archive.learn()
        assert as_list(archive.pairs()) == as_list(expected)
        for query in (articles[0], {**articles[-1], "id": "query"}):
            assert check_each(archive, [query]) == find_for_each(articles, [query])
        [answer] = archive.check(articles[0]["text"])
        named = {"id": answer.query, "text": articles[0]["text"]}
        assert check_each(archive, [articles[0]["text"]]) == find_for_each(articles, [named])
        assert archive.add(articles).known == len(articles)
    with Archive.open(tmp_path / "archive") as archive:
        shown = {article.id: article.text for article in archive.articles()}
        assert shown == {readable(one["id"]): readable(one["text"]) for one in articles}
        assert archive.verify() == []
        assert archive.remove([article["id"] for article in articles]) == len(articles)
        assert len(archive) == 0


def readable(text: str) -> str:
    """A lone surrogate is no character: U+FFFD stands for it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def test_articles_of_one_moment_are_ordered_by_id(tmp_path: Path) -> None:
    text = Writer(7).text(60)
    ids = ["z", "é", "10", "😀", "9", "Z", "￮"]
    articles = [{"id": id, "text": text, "published": "2026-01-01"} for id in ids]
    with opened(tmp_path / "archive", articles) as archive:
        assert [one.id for one in archive.articles()] == sorted(ids)
        assert [match.found for match in archive.check(text)[0].matches] == sorted(ids)
        assert as_list(archive.pairs()) == as_list(wirecopy.find(articles))


def test_all_that_is_known_of_an_article_comes_back(tmp_path: Path) -> None:
    article = Article(
        "a",
        "Some text.\n",
        "Title",
        "Mon, 04 Jan 2021 10:00:00 GMT",
        "Gazette",
        "An Author",
        "London",
        "en",
        "https://example.org/a",
        "Agency",
    )
    with opened(tmp_path / "archive", [article, Article("b", "Other text.")]) as archive:
        assert list(archive.articles()) == [article, Article("b", "Other text.")]
        [found] = archive.check("some text")[0].found
        assert found.article == Article(**{**as_fields(article), "text": ""})


def as_fields(article: Article) -> dict[str, Any]:
    return {name: getattr(article, name) for name in Article.__slots__}


def test_a_megabyte_is_an_article_like_others(tmp_path: Path) -> None:
    writer = Writer(8)
    words = writer.write(170_000)
    articles = [{"id": "long", "text": join(words)}, {"id": "short", "text": writer.text(100)}]
    assert len(articles[0]["text"]) > 1_000_000
    part = {"id": "part", "text": join(writer.write(20) + words[90_000:90_200])}
    edited = {"id": "edited", "text": join(writer.edit(words, 0.02))}
    with opened(tmp_path / "archive", articles) as archive:
        assert check_each(archive, [part, edited]) == find_for_each(articles, [part, edited])
        relations = [answer.matches[0].relation for answer in archive.check([part, edited])]
        assert relations == [Relation.CONTAINED_IN, Relation.NEAR_DUPLICATE]


def test_a_file_stitched_from_sixty_articles_names_them_all(tmp_path: Path) -> None:
    writer = Writer(9)
    paragraphs = {f"{number:03}": [writer.text(48) for _ in range(12)] for number in range(120)}
    articles = [{"id": id, "text": "\n\n".join(parts)} for id, parts in paragraphs.items()]
    stitched = [part for id in sorted(paragraphs)[::2] for part in paragraphs[id][3:9]]
    writer.random.shuffle(stitched)
    with opened(tmp_path / "archive", articles) as archive:
        query = {"id": "stitched", "text": "\n\n".join(stitched)}
        [answer] = archive.check(query, top=None)
        assert {match.found for match in answer.matches} == set(sorted(paragraphs)[::2])
        assert answer.copied > 0.98
        assert {match.relation for match in answer.matches} == {Relation.PARTIAL}
        assert [as_set(answer.matches)] == find_for_each(articles, [query])


# What is asked for.


@pytest.fixture(scope="module")
def family() -> Articles:
    """Fifty reprints of one text by one paper, then one by another, among other articles."""
    writer = Writer(10)
    words = writer.write(150)
    reprints = [
        {
            "id": f"{number:02}",
            "text": join(writer.edit(words, 0.01)),
            "source": "Gazette" if number < 50 else "Herald",
            "published": f"2026-01-{1 + number // 2:02}",
        }
        for number in range(51)
    ]
    others = [{"id": f"x{i}", "text": writer.text(150), "source": "Herald"} for i in range(30)]
    return reprints + others


def found(archive: Archive, text: Any, **options: Any) -> list[str]:
    [answer] = archive.check(text, **options)
    return [match.found for match in answer.matches]


def test_the_one_reprint_of_another_source_is_found_among_fifty(family: Articles, tmp_path: Path) -> None:
    query = {**family[0], "id": "query"}
    with opened(tmp_path / "archive", family) as archive:
        assert "50" not in found(archive, query)
        assert found(archive, query, not_source="Gazette") == ["50"]
        assert found(archive, query, source="Herald") == ["50"]
        assert found(archive, query, source="Nobody") == []
        assert set(found(archive, query, source="Gazette")) == set(found(archive, query))
        assert found(archive, query, source="Herald", not_source="Herald") == []
        assert found(archive, query, since="2026-01-26") == ["50"]
        assert found(archive, {**query, "id": "50"}, not_source="Gazette") == []


def test_filters_answer_as_find_does_on_what_they_leave(family: Articles, tmp_path: Path) -> None:
    query = {**family[7], "id": "query"}
    with opened(tmp_path / "archive", family) as archive:
        asked: list[tuple[dict[str, Any], Articles]] = [
            ({"since": "2026-01-20"}, [one for one in family if one.get("published", "0") >= "2026-01-20"]),
            ({"until": "2026-01-03"}, [one for one in family if one.get("published", "9") <= "2026-01-03"]),
            (
                {"since": "2026-01-10", "until": "2026-01-12T00:00:00Z"},
                [one for one in family if "2026-01-10" <= one.get("published", "9") <= "2026-01-12"],
            ),
            ({"not_source": "Gazette"}, [one for one in family if one["source"] != "Gazette"]),
        ]
        for options, left in asked:
            [answer] = archive.check(query, **options)
            assert [as_set(answer.matches)] == find_for_each(left, [query])
            assert answer.matches


def test_undated_articles_are_after_all_dates_and_within_no_dates(tmp_path: Path) -> None:
    text = Writer(11).text(60)
    articles = [{"id": "undated", "text": text}, {"id": "dated", "text": text, "published": "2020-01-01"}]
    with opened(tmp_path / "archive", articles) as archive:
        assert found(archive, text) == ["dated", "undated"]
        assert found(archive, text, since="2019-01-01") == ["dated"]
        assert found(archive, text, until="2021-01-01") == ["dated"]


def test_only_the_best_are_given_if_asked_for(tmp_path: Path) -> None:
    writer = Writer(12)
    words = writer.write(200)
    articles = [
        {"id": str(size), "text": join(writer.write(60) + words[:size] + writer.write(60))}
        for size in (30, 120, 60, 90)
    ]
    with opened(tmp_path / "archive", articles) as archive:
        query = join(words)
        assert found(archive, query) == ["120", "90", "60", "30"]
        assert found(archive, query, top=2) == ["120", "90"]
        assert found(archive, query, min_share=0.4) == ["120", "90"]
        assert found(archive, query, min_share=0.4, top=1) == ["120"]
        assert found(archive, query, min_share=1) == []
        assert archive.check(query, top=1)[0].copied == archive.check(query)[0].copied == 0.6
        assert archive.check(query)[0].longest_words == 120


def test_an_article_is_not_its_own_source(live: Articles, tmp_path: Path) -> None:
    with opened(tmp_path / "archive", [{"id": "a", "text": "One two"}, *live]) as archive:
        assert found(archive, {"id": "a", "text": "One two"}) == []
        assert found(archive, {"id": "b", "text": "One two"}) == ["a"]
        assert found(archive, {"id": "a", "text": live[0]["text"]}) != []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top": 0}, "top: expected 1 or more, got 0"),
        ({"min_share": 1.5}, "min_share: expected 0 to 1, got 1.5"),
        ({"since": "yesterday"}, "expected a date such as .* got 'yesterday'"),
        ({"until": ""}, "expected a date"),
        ({"preset": "lax"}, "no preset named 'lax'"),
    ],
)
def test_bad_options_say_what_was_expected(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with opened(tmp_path / "archive") as archive, pytest.raises(UsageError, match=message):
        archive.check("one two", **options)


@pytest.mark.parametrize("query", [[{"id": "a"}], [7], [{"id": "a", "text": 7}]])
def test_a_query_that_is_no_article_is_refused(query: Any, tmp_path: Path) -> None:
    with opened(tmp_path / "archive") as archive:
        with pytest.raises(UsageError):
            archive.check(query)
        with pytest.raises(UsageError):
            archive.observe(query)


# The store as others see it.


def test_any_sqlite_tool_can_look_at_the_articles(live: Articles, tmp_path: Path) -> None:
    with opened(tmp_path / "archive", live):
        pass
    with sqlite3.connect(tmp_path / "archive") as store:
        rows = store.execute("SELECT id, text, title, source, url FROM article ORDER BY id").fetchall()
        assert rows == sorted((one["id"], one["text"], one["title"], one["source"], None) for one in live)
        assert dict(store.execute("SELECT name, value FROM setting"))["preset"] == "syndication"
        assert store.execute("SELECT sum(articles) FROM segment").fetchone() == (len(live),)
        formulas = store.execute("SELECT articles, example FROM formula").fetchall()
    assert formulas == [(one.articles, one.example) for one in wirecopy.find(live).formulas]


def test_matches_outlive_a_change_of_the_archive_or_say_so(tmp_path: Path) -> None:
    text = Writer(13).text(60)
    with opened(tmp_path / "archive", [{"id": id, "text": text} for id in "abc"]) as archive:
        matches = archive.pairs()
        assert matches[0].passages[0].text
        archive.remove("b")
        assert len("".join(matches.json_lines()).splitlines()) == 3
        with pytest.raises(ArchiveError, match="removed since"):
            list(matches)
    with pytest.raises(ArchiveError, match="closed"):
        list(matches)


def test_articles_can_be_removed_while_they_are_read(live: Articles, tmp_path: Path) -> None:
    with opened(tmp_path / "archive", live[:40]) as archive:
        for article in archive.articles():
            archive.remove(article.id)
        assert len(archive) == 0


def test_formulas_are_those_of_find(live: Articles, tmp_path: Path) -> None:
    with opened(tmp_path / "archive", live) as archive:
        assert list(archive.formulas) == list(wirecopy.find(live).formulas)
        archive.remove([article["id"] for article in live])
        archive.learn()
        assert not archive.formulas
