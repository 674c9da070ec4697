"""What a report says of the whole, of collections and series, and of who carries what."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from reports import Read, cut, pieces, read_report

import wirecopy
from quality.texts import Writer, join

WRITER = Writer(50)
TEXTS = [WRITER.write(120) for _ in range(8)]


def report(articles: Sequence[Any], path: Path, **options: Any) -> Read:
    wirecopy.write_report(wirecopy.stories(articles, threads=1), path, **options)
    return read_report(path)


def article(id: str, words: Sequence[str], published: str | None = None, source: str | None = None) -> Any:
    return {"id": id, "text": join(words), "published": published, "source": source}


def test_copies_are_counted_by_time_and_between_sources(tmp_path: Path) -> None:
    articles = [
        article("a", TEXTS[0], "2024-05-01T10:00:00Z", "Wire"),
        article("b", TEXTS[0], "2024-05-03T10:00:00Z", "Post"),
        article("c", TEXTS[0], "2024-05-03T12:00:00+02:00", "Wire"),
        article("d", TEXTS[1], "2024-05-03", "Post"),
        article("e", TEXTS[2], None, "Post"),
    ]
    head = report(articles, tmp_path / "report.html").head
    nothing = dict.fromkeys(("collections", "series", "skipped"), 0)
    assert head["counts"] == {
        "articles": 5,
        "matches": 3,
        "stories": 1,
        "versions": 1,
        "sources": 2,
        **nothing,
    }
    assert head["relations"]["identical"] == 3
    assert head["sources"] == ["Post", "Wire"]
    assert head["copied"] == {"sources": [0, 1], "counts": [[0, 1], [0, 0]]}
    over_time = head["over_time"]
    assert over_time["unit"] == "hour"
    assert (over_time["from"][0], len(over_time["from"])) == ("2024-05-01T10:00", 49)
    assert (sum(over_time["articles"]), sum(over_time["copies"]), over_time["copies"][-1]) == (4, 2, 2)


@pytest.mark.parametrize(
    ("dates", "unit", "first", "steps"),
    [
        (("2024-05-01", "2024-05-20"), "day", "2024-05-01", 20),
        (("2024-01-01", "2024-12-20"), "week", "2024-01-01", 51),
        (("1990-06-15", "2020-06-15"), "month", "1990-06-01", 361),
        (("1890-06-15", "2020-06-15"), "year", "1890-01-01", 131),
        (("0001-01-01", "2020-06-15"), "year", "0001-01-01", 2),
        (("2024-05-01T05:20:00Z",), "hour", "2024-05-01T05:00", 1),
    ],
)
def test_steps_of_time_suit_the_span(
    dates: tuple[str, ...], unit: str, first: str, steps: int, tmp_path: Path
) -> None:
    articles = [article(str(number), TEXTS[number], date) for number, date in enumerate(dates)]
    over_time = report(articles, tmp_path / "report.html").head["over_time"]
    assert (over_time["unit"], over_time["from"][0], len(over_time["from"])) == (unit, first, steps)


def test_heat_says_how_many_carry_each_part_of_the_first_article(tmp_path: Path) -> None:
    words = TEXTS[0]
    articles = [
        article("a", words, "2024-05-01"),
        article("b", words, "2024-05-02"),
        article("c", words[:60], "2024-05-03"),
        article("d", words[:60], "2024-05-04"),
        article("e", words[24:] + TEXTS[1][:40], "2024-05-05"),
    ]
    [row] = [one for one in report(articles, tmp_path / "report.html").entries if one["heat"]]
    heat = row["heat"]
    text = row["articles"]["a"]["text"]
    assert heat["article"] == "a"
    spans = [tuple(heat["spans"][at : at + 3]) for at in range(0, len(heat["spans"]), 3)]
    assert all(end == start for (_, end, _), (start, _, _) in pairwise(spans))
    assert [count for _, _, count in spans][:3] == [3, 4, 2]
    assert cut(text, (0, spans[0][1])).split()[:2] == text.split()[:2]
    assert len(cut(text, spans[0][:2]).split()) == 24


def test_heat_leaves_out_what_the_others_say_otherwise(tmp_path: Path) -> None:
    words = TEXTS[0]
    changed = [*words[:30], "elsewhere", "altogether", *words[32:]]
    read = report(
        [article("a", words, "2024-05-01"), article("b", changed, "2024-05-02")], tmp_path / "report.html"
    )
    [row] = read.of_kind("story")
    [first, second] = [tuple(row["heat"]["spans"][at : at + 2]) for at in (0, 3)]
    text = row["articles"]["a"]["text"]
    assert cut(text, (first[1], second[0])).split() == text.split()[30:32]


def test_a_digest_is_a_collection_with_what_it_collects(tmp_path: Path) -> None:
    articles = [article(str(number), TEXTS[number], f"2024-05-0{number + 1}") for number in range(4)]
    digest = [word for number in range(4) for word in TEXTS[number]]
    read = report([*articles, article("digest", digest, "2024-05-09")], tmp_path / "report.html")
    [row] = read.of_kind("collection")
    assert (row["story"]["id"], len(row["story"]["articles"])) == ("digest", 1)
    assert {(pair["query"], pair["found"], pair["relation"]) for pair in row["pairs"]} == {
        ("digest", str(number), "contains") for number in range(4)
    }
    assert set(row["articles"]) == {"digest", "0", "1", "2", "3"}
    assert {(link["story"], link["kind"], link["outgoing"]) for link in row["links"]} == {
        (str(number), "collects", True) for number in range(4)
    }
    assert read.head["counts"]["collections"] == 1
    assert [one["story"]["kind"] for one in read.entries] == ["collection"]


def test_forms_are_a_series_each_beside_the_first(tmp_path: Path) -> None:
    form = (
        "High water at the bar of {} comes at {} and at {}, the gauge at the old bridge showed {} centimetres, "
        "the wind is {} and {} boats are expected in the harbour before the tide turns in the evening."
    )
    places = [("Wex", "7.03", "19.31", 198, "east", 11), ("Pell", "6.12", "18.40", 212, "west", 14)]
    places += [("Horn", "9.55", "21.02", 187, "north", 9), ("Callis", "5.44", "17.21", 203, "south", 21)]
    articles = [
        {"id": str(number), "text": form.format(*values), "published": f"2024-05-0{number + 1}"}
        for number, values in enumerate(places)
    ]
    read = report(articles, tmp_path / "report.html")
    [row] = read.of_kind("series")
    assert row["story"]["articles"] == ["0", "1", "2", "3"]
    assert [(pair["query"], pair["found"], pair["relation"]) for pair in row["pairs"]] == [
        (str(number), "0", "form") for number in (1, 2, 3)
    ]
    assert all(pair["slots"]["other"] > 2 for pair in row["pairs"])
    assert read.head["counts"]["series"] == 1
    assert read.index["relations"] == [1 << 5]


def test_stories_that_share_a_part_are_linked_to_their_rows(tmp_path: Path) -> None:
    part = TEXTS[5][:50]
    articles = [
        article("a", TEXTS[0] + part, "2024-05-01"),
        article("b", TEXTS[0] + part, "2024-05-02"),
        article("c", TEXTS[1] + part, "2024-05-03"),
        article("d", TEXTS[1] + part, "2024-05-04"),
        article("e", TEXTS[2] + part, "2024-05-05"),
    ]
    read = report(articles, tmp_path / "report.html")
    [one, other] = read.of_kind("story")
    rows = {id: row for row, id in enumerate(read.index["id"][:2])}
    linked = {(link["story"], link["row"], link["outgoing"]) for link in one["links"]}
    assert linked == {("c", rows["c"], False), ("e", None, False)}
    assert {(link["story"], link["row"], link["outgoing"]) for link in other["links"]} == {
        ("a", rows["a"], True),
        ("e", None, False),
    }


def test_boilerplate_is_counted_and_greyed(tmp_path: Path) -> None:
    end = WRITER.write(25)
    articles = [
        article(f"{number}", WRITER.write(60) + end, f"2024-05-{number + 1:02}") for number in range(20)
    ]
    articles.append(article("copy", [*articles[3]["text"].split(), "more"], "2024-06-01"))
    articles[-1]["text"] = articles[3]["text"] + " One sentence more."
    read = report(articles, tmp_path / "report.html")
    assert read.head["boilerplate_count"] == len(read.head["boilerplate"]) == 1
    assert read.head["boilerplate"][0]["articles"] >= 20
    [row] = read.of_kind("story")
    [pair] = row["pairs"]
    greyed = [piece for piece in pieces(pair) if piece.kind == "boilerplate"]
    assert any(
        end[5] in cut(row["articles"]["copy"]["text"], piece.sides[0]).lower().split() for piece in greyed
    )


def test_words_are_counted_as_in_passages(tmp_path: Path) -> None:
    chinese = (
        "港务局星期二晚上投票决定在年底关闭旧鱼市场商人们被告知屋顶已经无法修复市政府答应在桥边建一个新的市场"
    )
    read = report([{"id": name, "text": chinese} for name in "ab"], tmp_path / "report.html")
    [row] = read.entries
    assert (
        {one["words"] for one in row["articles"].values()} == {len(chinese) // 2} == set(read.index["words"])
    )
    assert row["pairs"][0]["words"] == len(chinese) // 2
