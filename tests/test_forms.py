"""A form filled in anew is no copy: told in a pile, by a query, in an archive; reprints and revisions of one are copies."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from program import on_terminal, talk
from program import wirecopy as program
from records import jsonl, lines

import wirecopy
from wirecopy import Archive, Relation, forms
from wirecopy.addresses import canonical, number_addresses
from wirecopy.comparison import PRESETS
from wirecopy.errors import UsageError
from wirecopy.forms import NO_SLOTS, SlotColumns
from wirecopy.model import Slots

Record = dict[str, Any]
WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def report(day: int) -> str:
    """The market report of a day."""
    dice = random.Random(day)

    def price(low: int, high: int) -> str:
        return f"{dice.randrange(low, high)}.{dice.randrange(10, 99)}"

    return (
        f"Wheat on the Pellmouth exchange closed at {price(180, 260)} crowns a tonne on {WEEK[day % 7]}, "
        f"{dice.choice(('up', 'down'))} {price(1, 9)} from the session before. Volume was {dice.randrange(1000, 9000)} lots, "
        f"against {dice.randrange(1000, 9000)} the day before. Corn was quoted at {price(120, 190)} and barley at "
        f"{price(90, 150)}, traders said. Open interest stood at {dice.randrange(20_000, 60_000)} contracts at the end of "
        "trading, the exchange said in its daily report."
    )


def correct(text: str) -> str:
    """The text with one figure put right."""
    first, second = text.split(" lots", 1)
    head, _, volume = first.rpartition(" ")
    return f"{head} {int(volume) + 1} lots{second}"


def month(days: int = 30) -> list[Record]:
    return [
        {"id": f"day{day:02}", "text": report(day), "published": f"2024-03-{day + 1:02}"}
        for day in range(days)
    ]


def relations(matches: Any) -> Counter[str]:
    return Counter(str(match.relation) for match in matches)


def told(matches: Any) -> dict[tuple[str, str], tuple[str, Slots]]:
    return {(one.query, one.found): (str(one.relation), one.slots) for one in matches}


@pytest.mark.parametrize("pairs", ["linked", "all"])
@pytest.mark.parametrize("preset", PRESETS)
def test_the_report_of_each_day_is_a_form_of_the_others(preset: str, pairs: Any) -> None:
    matches = wirecopy.find(month(), preset=preset, pairs=pairs)
    assert relations(matches) == {"form": len(matches)}
    assert len(matches) == 30 * 29 // 2 if pairs == "all" else len(matches) >= 29
    assert all(match.slots.other >= 5 and match.passages for match in matches)


def test_a_reprint_of_one_is_a_copy_and_so_is_one_corrected_figure() -> None:
    reprint = {"id": "reprint", "text": f"{report(7)} Our staff.", "published": "2024-03-09"}
    corrected = {"id": "corrected", "text": correct(report(7)), "published": "2024-03-08T01:00"}
    late = {"id": "late", "text": correct(report(7)), "published": "2024-04-20"}
    matches = wirecopy.find([*month(), reprint, corrected, late], pairs="all")
    copies = ("reprint", "corrected", "late")
    of_day = {one.query: one for one in matches if one.found == "day07" and one.query in copies}
    assert {id: str(match.relation) for id, match in of_day.items()} == dict.fromkeys(
        copies, "near-duplicate"
    )
    assert of_day["corrected"].slots == (7, 1)
    days = {f"day{n:02}" for n in range(30)}
    assert relations(one for one in matches if {one.query, one.found} <= days) == {"form": 30 * 29 // 2}


def test_the_same_address_is_a_revision_however_many_figures_changed() -> None:
    articles = month()
    articles[3]["url"] = "https://www.courier.example/markets?utm_source=feed"
    articles[9]["url"] = "http://Courier.example/markets/#today"
    matches = told(wirecopy.find(articles, pairs="all"))
    assert matches["day09", "day03"] == ("near-duplicate", Slots(0, matches["day09", "day03"][1].other))
    assert matches["day09", "day04"][0] == "form"


def toll(id: str, dead: int, hurt: int, moment: str | None = None) -> Record:
    text = (
        f"At least {dead} people were killed and {hurt} were hurt when a ferry sank off the old harbour, the coast guard "
        "said. Boats searched through the night and the town opened its halls to those who were brought ashore."
    )
    return {"id": id, "text": text, "published": moment}


def test_figures_that_advanced_within_hours_are_an_update() -> None:
    first = toll("first", 12, 30, "2024-03-01T08:00")
    (match,) = wirecopy.find([first, toll("later", 15, 41, "2024-03-01T11:00")])
    assert (match.relation, match.slots) == (Relation.NEAR_DUPLICATE, (0, 2))
    (match,) = wirecopy.find([first, toll("another", 15, 41, "2024-05-01T11:00")])
    assert match.relation == Relation.FORM


def test_a_toll_that_rose_is_no_form_without_dates_either() -> None:
    first, later = toll("first", 12, 30), toll("later", 15, 41)
    (match,) = wirecopy.find([first, later])
    assert (match.relation, match.slots) == (Relation.NEAR_DUPLICATE, (0, 2))
    compared = wirecopy.compare(later["text"], first["text"])
    assert compared is not None
    assert compared.relation == Relation.NEAR_DUPLICATE


def test_the_report_of_each_day_comes_at_about_the_same_hour() -> None:
    hours = ("08:05", "08:01", "07:58", "08:03")
    reports = [
        {"id": f"day{day}", "text": report(day), "published": f"2024-03-0{day + 1}T{hour}"}
        for day, hour in enumerate(hours)
    ]
    assert relations(wirecopy.find(reports)) == {"form": 6}


@pytest.mark.parametrize("kind", [dict, lambda **about: wirecopy.Article(**about)])
def test_two_texts_with_dates_and_addresses_are_told_by_these_too(kind: Any) -> None:
    def tell(query: Record, found: Record) -> str | None:
        match = wirecopy.compare(kind(id="a", text=report(1), **query), kind(id="b", text=report(2), **found))
        return str(match.relation) if match else None

    assert tell({}, {}) == "form"
    page = "https://news.example/market"
    assert tell({"url": page}, {"url": f"{page}?utm_source=feed"}) == "near-duplicate"
    assert tell({"url": page}, {"url": f"{page}/2"}) == "form"


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("2024-03-01T08:00", "2024-05-01T08:00"),
        ("Fri, 01 Mar 2024 08:00:00 GMT", "Wed, 01 May 2024 08:00:00 GMT"),
        (datetime(2024, 3, 1, tzinfo=UTC), datetime(2024, 5, 1, tzinfo=UTC)),
        ("in March", "\ud800"),
    ],
)
def test_two_texts_have_the_dates_that_they_have_in_a_pile(first: Any, later: Any) -> None:
    one, other = {**toll("one", 12, 30), "published": first}, {**toll("other", 15, 41), "published": later}
    (found,) = wirecopy.find([one, other])
    match = wirecopy.compare(other, one)
    assert match is not None
    assert match.relation == found.relation
    assert match.relation == (Relation.NEAR_DUPLICATE if first == "in March" else Relation.FORM)


def test_two_texts_alone_are_a_form_where_they_are_filled_all_over() -> None:
    match = wirecopy.compare(report(1), report(2))
    assert match is not None
    assert match.relation == Relation.FORM
    assert "form" in str(match)
    assert match.query_covered > 0.9
    assert match.to_dict()["slots"] == {"same": match.slots.same, "other": match.slots.other}
    turned = wirecopy.compare(report(2), report(1))
    assert turned is not None
    assert (turned.relation, turned.slots) == (match.relation, match.slots)


def test_identical_articles_are_never_a_form() -> None:
    matches = wirecopy.find([*month(), {"id": "again", "text": report(4)}], pairs="all")
    assert told(matches)["again", "day04"] == ("identical", Slots(8, 0))


def write(rng: random.Random, count: int) -> str:
    return " ".join("".join(rng.choices("abcdefghijklmnop", k=6)) for _ in range(count))


def test_identical_articles_have_the_same_values_whichever_is_asked_about() -> None:
    rest = write(random.Random(1), 30)
    one, other = f"Won 6-3/16 and 7 on 12 May {rest}", f"Won 6 3 16 and 7 on 12. May {rest}"
    for query, found, same in ((one, one, 3), (one, other, 2), (other, one, 2)):
        match = wirecopy.compare(query, found)
        assert match is not None
        assert (match.relation, match.slots) == (Relation.IDENTICAL, (same, 0))


@pytest.mark.parametrize("preset", PRESETS)
def test_moved_passages_are_told_the_same_whichever_is_asked_about(preset: str) -> None:
    """Filled at one end only, each passage has 45 words to spare: in one article they come together, in the other they do not."""
    rng = random.Random(1)
    start, end = ([write(rng, 5) for _ in range(6)] for _ in range(2))
    spare = write(rng, 45), write(rng, 45)

    def fill(parts: list[str]) -> str:
        return " ".join(f"{part} {rng.randrange(1000, 9999)}" for part in parts)

    def texts() -> list[str]:
        return [f"{fill(start)} {spare[0]}", f"{spare[1]} {fill(end)}"]

    one, other = f" {write(rng, 60)} ".join(texts()), f" {write(rng, 60)} ".join(texts()[::-1])
    there, back = wirecopy.compare(one, other, preset=preset), wirecopy.compare(other, one, preset=preset)
    assert there is not None
    assert back is not None
    assert (there.slots, back.slots) == ((0, 12), (0, 12))
    assert there.relation == back.relation == Relation.PARTIAL


def test_words_that_a_family_varies_make_a_form_where_no_figure_does() -> None:
    names = [f"{one}{two}" for one in ("Ash", "Bar", "Cor", "Den", "El") for two in ("by", "row", "holm")]
    articles = [
        {
            "id": name,
            "text": f"Yesterday the young mayor of {name} opened the new hall of the district on the old square with a speech in "
            f"which thanks went to the builders from {names[-at]} who had worked through the winter, and to the school of "
            f"{name * 2} for its choir and its band.",
        }
        for at, name in enumerate(names)
    ]
    assert relations(wirecopy.find(articles, pairs="all"))["form"] == len(names) * (len(names) - 1) // 2
    assert relations(wirecopy.find(articles[:2])) == {"near-duplicate": 1}


ARABIC = "١٢٣٤٥٦٧٨٩٠"


@pytest.mark.parametrize(
    "write",
    [
        lambda n: "".join(ARABIC[int(digit) - 1] for digit in str(n)),
        lambda n: "".join("零一二三四五六七八九"[int(digit)] for digit in str(n)),
        lambda n: "".join(chr(0xFF10 + int(digit)) for digit in str(n)),
    ],
    ids=["Arabic-Indic", "Chinese", "full width"],
)
def test_figures_of_any_script_fill_a_form_and_are_the_same_in_another(write: Any) -> None:
    def text(figures: list[Any]) -> str:
        parts = [
            "今日新增借书证",
            "张图书馆共接待读者",
            "人次其中儿童读者为",
            "人次当天下午举办讲座",
            "场参加市民共有",
            "人次",
        ]
        return "".join(f"{part}{figure}" for part, figure in zip(parts, [*figures, ""], strict=False))

    one, other = [4180, 960, 712, 315], [2255, 715, 338, 124]
    match = wirecopy.compare(text([write(n) for n in one]), text([write(n) for n in other]))
    assert match is not None
    assert (match.relation, match.slots) == (Relation.FORM, (0, 4))
    match = wirecopy.compare(text([write(n) for n in one]), text(one))
    assert match is not None
    assert match.relation != Relation.FORM
    assert match.slots.same == 4


def test_a_text_of_figures_only_is_compared() -> None:
    figures = [str(n) for n in random.Random(3).sample(range(1000), 60)]
    other = [*figures[:30], "5000", *figures[31:]]
    match = wirecopy.compare(" ".join(figures), " ".join(other))
    assert match is not None
    assert (match.relation, match.slots) == (Relation.NEAR_DUPLICATE, (59, 1))


@pytest.mark.parametrize("batch_bytes", [1, 700, 1 << 20])
def test_the_order_of_articles_and_batches_makes_no_difference(batch_bytes: int) -> None:
    articles = month()
    expected = "".join(wirecopy.find(articles).json_lines())
    random.Random(batch_bytes).shuffle(articles)
    assert "".join(wirecopy.find(articles, batch_bytes=batch_bytes, threads=2).json_lines()) == expected


def test_a_query_and_a_check_tell_forms_as_the_pile_does(tmp_path: Path) -> None:
    articles = month()
    query = {**articles.pop(12), "url": "https://courier.example/a"}
    articles[2]["url"] = "https://courier.example/a"
    asked = told(wirecopy.find(articles, query=[query]))
    found = Counter(relation for relation, _ in asked.values())
    assert found["form"] == len(asked) - (("day12", "day02") in asked)
    with Archive.open(tmp_path / "archive", create=True) as archive:
        archive.add(articles)
        (answer,) = archive.check([query])
        assert told(answer.matches) == asked
        assert "".join(archive.pairs().json_lines()) == "".join(wirecopy.find(articles).json_lines())


def test_a_check_counts_no_form_as_copied(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "archive", create=True) as archive:
        archive.add(month(29))
        (answer,) = archive.check([month(30)[29]])
        assert (answer.copied, answer.longest_words, answer.contained_in, answer.contains) == (0, 0, [], [])
        assert answer.new == [(0, len(report(29)) - 1)]
        assert answer.form_of
        assert answer.form_of_count == answer.articles == len(answer.form_of)
        assert answer.to_dict()["form_of"] == answer.form_of
        (reprint,) = archive.check([{"id": "reprint", "text": report(5), "published": "2024-03-07"}])
        assert (reprint.copied, reprint.contained_in) == (1, ["day05"])
        assert "day05" not in reprint.form_of
        last = month(30)[29]
        (observed,) = archive.observe({"id": "new", "text": last["text"], "published": last["published"]})
        assert observed.answer.form_of


def test_what_a_check_says_of_many_identical_articles_is_the_same_whatever_is_named(tmp_path: Path) -> None:
    """They are forms of the query, but for one of the same hour, and one with the address of the query: an update and a revision."""
    reprints = [
        {"id": f"copy{n:02}", "text": report(1), "published": f"2024-01-{n + 1:02}"} for n in range(28)
    ]
    reprints[20]["url"] = "https://courier.example/a"
    query = {
        "id": "new",
        "text": report(9),
        "published": "2024-01-25T03:00",
        "url": "http://courier.example/a",
    }
    with Archive.open(tmp_path / "archive", create=True) as archive:
        archive.add(reprints)
        answers = [archive.check([query], top=top)[0] for top in (None, 100, 10, 1)]
    assert [match.found for match in answers[0].matches if match.relation != Relation.FORM] == [
        "copy20",
        "copy24",
    ]
    said = {(one.copied, one.articles, one.contained_in_count, one.form_of_count) for one in answers}
    assert said == {(1.0, 28, 2, 26)}
    assert [len(one.found) for one in answers] == [28, 28, 10, 1]


def test_forms_do_not_crowd_a_copy_out_of_what_is_named(tmp_path: Path) -> None:
    brief = write(random.Random(2), 30)
    with Archive.open(tmp_path / "archive", create=True) as archive:
        archive.add([*month(20), {"id": "brief", "text": brief}])
        (answer,) = archive.check([{"id": "new", "text": f"{report(20)} {brief}"}], top=1)
    assert (answer.contains, answer.form_of) == (["brief"], [])
    assert answer.form_of_count > 10


def test_relations_may_be_chosen(tmp_path: Path) -> None:
    articles = [*month(), {"id": "again", "text": report(4)}]
    assert relations(wirecopy.find(articles, relations=["identical"])) == {"identical": 1}
    assert set(relations(wirecopy.find(articles, relations=["form"]))) == {"form"}
    assert relations(wirecopy.find(articles, query=[articles[-1]], relations=["partial"])) == {}
    with Archive.open(tmp_path / "archive", create=True) as archive:
        archive.add(articles)
        assert relations(archive.pairs(relations=["identical"])) == {"identical": 1}
        (answer,) = archive.check([{"id": "x", "text": report(4)}], relations=["identical"])
        assert relations(answer.matches) == {"identical": 2}
        assert (answer.copied, answer.contained_in_count) == (1, 2)
        assert answer.articles == 2 + answer.form_of_count > 2
        with pytest.raises(UsageError, match="no relation named 'copy'"):
            archive.check("text", relations=["copy"])
    with pytest.raises(UsageError, match="no relation named 'copy'"):
        wirecopy.find(articles, relations=["copy"])


@pytest.mark.slow
def test_the_command_line_writes_the_relations_that_are_asked_for(tmp_path: Path) -> None:
    pile, asked, path = tmp_path / "pile.jsonl", tmp_path / "asked.jsonl", tmp_path / "archive"
    pile.write_bytes(jsonl(*month(12), {"id": "again", "text": report(4)}))
    asked.write_bytes(jsonl({"id": "new", "text": report(4)}))
    assert program("add", path, pile).returncode == 0
    watched = tmp_path / "watched"
    assert program("add", watched, pile).returncode == 0
    some = ("--relation", "identical", "--relation", "partial")

    def relations_of(*command: object, **given: Any) -> set[str]:
        said = lines(program(*command, *some, **given).stdout)
        return {match["relation"] for one in said for match in one.get("matches", [one])}

    assert relations_of("find", pile) == {"identical"}
    assert relations_of("find", pile, "--query", asked) == {"identical"}
    assert relations_of("pairs", path) == {"identical"}
    assert relations_of("check", path, asked) == {"identical"}
    assert relations_of("watch", watched, input=asked.read_bytes()) == {"identical"}
    for command in (("find", pile), ("pairs", path), ("check", path, asked), ("watch", watched)):
        ran = program(*command, "--relation", "copy", input=b"")
        assert (ran.returncode, "'copy' is not one of 'identical'" in talk(ran)) == (2, True)
        ran = program(*command, *some, "--decide", "method", input=b"")
        assert (ran.returncode, "--relation: not with --decide method" in talk(ran)) == (2, True)
    _, shown = on_terminal("check", path, asked, *some, width=140)
    assert "new: 100% copied from 2 articles, longest passage 57 words, form of 11 articles" in shown
    assert "… and 11 more; name more with --top N or without --relation" in shown


def test_an_archive_without_learnt_forms_tells_them_by_two_texts_alone(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "archive", create=True) as archive:
        archive.add(month(2), learn=False)
        assert not len(archive._index.learnt.varying)
        (answer,) = archive.check([month(3)[2]])
        assert answer.form_of


@pytest.mark.parametrize("fillings", [1000, 5000])
def test_many_fillings_of_one_form_cost_in_proportion(fillings: int) -> None:
    """Comparisons and slots are counted: each filling meets few others, whatever their number."""
    matches = wirecopy.find([{"id": f"{n:05}", "text": report(n)} for n in range(fillings)])
    passages = matches.compared.passages
    assert matches.count_relations()[Relation.FORM] > 0.9 * len(matches) > 0.9 * fillings
    assert matches.counts["comparisons"] <= 12 * fillings
    assert int(passages.same.sum() + passages.other.sum()) <= 10 * matches.counts["comparisons"]


def slots(*rows: tuple[int, int, int]) -> SlotColumns:
    """Values of these names, and what both articles have there."""
    names, queries, founds = (np.array(column, np.uint64) for column in zip(*rows, strict=True))
    zero, marks = np.zeros(len(rows), np.uint32), np.zeros(len(rows), np.uint8)
    return SlotColumns(zero, marks + 1, names, queries, founds, zero, marks, marks)


def test_a_name_varies_from_four_values_in_as_many_articles_on() -> None:
    def learn(*rows: tuple[int, int, int, int, int]) -> list[int]:
        sides = (np.array([row[at] for row in rows], np.uint32) for at in (3, 4))
        return [int(name) for name in forms.learn(slots(*(row[:3] for row in rows)), *sides)]

    assert learn((7, 10, 11, 0, 1), (7, 12, 13, 2, 3)) == [7]
    assert learn((7, 10, 11, 0, 1), (7, 12, 11, 2, 3)) == []  # three values
    assert learn((7, 10, 11, 0, 1), (7, 12, 13, 0, 1)) == []  # two articles
    assert learn((7, 10, 11, 0, 1), (8, 12, 13, 2, 3)) == []  # two names
    many = [(7, 10, 20 + n, 0 + n, 100 + n) for n in range(9)]
    assert learn(*many) == []  # one value in half of the articles
    assert forms.learn(NO_SLOTS, np.empty(0, np.uint32), np.empty(0, np.uint32)).tolist() == []


@given(st.lists(st.tuples(*(st.integers(0, most) for most in (2, 3, 3, 4, 4))), max_size=25))
def test_what_varies_is_what_counting_says(rows: list[tuple[int, int, int, int, int]]) -> None:
    said: dict[int, set[tuple[int, int]]] = {}
    for name, query, found, one, other in rows:
        said.setdefault(name, set()).update([(query, one), (found, other)])
    expected = []
    for name, holders in sorted(said.items()):
        values = Counter(value for value, _ in holders)
        articles = len({article for _, article in holders})
        if min(len(values), articles) >= forms.VALUES and max(values.values()) <= forms.COMMONEST * articles:
            expected.append(name)
    sides = (np.array([row[at] for row in rows], np.uint32) for at in (3, 4))
    columns = slots(*(row[:3] for row in rows)) if rows else NO_SLOTS
    assert forms.learn(columns, *sides).tolist() == expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://www.Courier.example/a/b/?utm_source=x&id=7&fbclid=1#top", "courier.example/a/b?id=7"),
        ("http://courier.example/a/b?id=7", "courier.example/a/b?id=7"),
        ("courier.example/a", "courier.example/a"),
        ("//courier.example/a", "courier.example/a"),
        ("courier.example/to?u=https://echo.example/b", "courier.example/to?u=https://echo.example/b"),
        ("https://courier.example/", ""),
        ("https://courier.example/?p=3", "courier.example/?p=3"),
        ("", ""),
    ],
)
def test_addresses_are_the_same_however_they_are_written(address: str, expected: str) -> None:
    assert canonical(address) == expected


def test_an_article_without_an_address_has_none() -> None:
    assert number_addresses(["", "https://courier.example/"]).tolist() == [0, 0]
    one, other = number_addresses(["https://a.example/1", "http://a.example/1/"]).tolist()
    assert one == other != 0


def test_an_address_has_one_number_in_every_process() -> None:
    """Work that one process leaves is gone on with by others."""
    asked = (
        "from wirecopy.addresses import number_addresses as n; print(n(['a.example/1', '', 'a.example/é']))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", asked],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1
