"""How many articles an archive holds of a text: everything identical is counted and named, whatever its number; what is not, is said."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from archives import opened
from program import wirecopy
from records import lines

from quality.texts import Writer, join
from wirecopy import Archive, Relation
from wirecopy.archive import Answer, index

WORDS = Writer(31).write(120)
TEXT = join(WORDS)
QUERY = {"id": "query", "text": TEXT}
Record = dict[str, Any]


def copies(number: int, **about: Any) -> list[Record]:
    """Identical articles, of which no two have the same text."""
    return [{"id": f"c{place:05}", "text": f"{TEXT}{'.' * (place % 7)}", **about} for place in range(number)]


def edited(number: int) -> list[Record]:
    writer = Writer(32)
    return [{"id": f"e{place:03}", "text": join(writer.edit(WORDS, 0.03))} for place in range(number)]


def others(number: int) -> list[Record]:
    writer = Writer(33)
    return [{"id": f"o{place:03}", "text": writer.text(80)} for place in range(number)]


def ask(archive: Archive, query: Any = QUERY, **limits: Any) -> Answer:
    [answer] = archive.check(query, **limits)
    return answer


def counts(answer: Answer) -> tuple[int, int, bool]:
    return answer.articles, answer.contained_in_count, answer.at_least


def named(answer: Answer) -> list[str]:
    return [match.found for match in answer.matches]


@pytest.fixture(params=[256, 0], ids=["few read whole", "all read as crowds"])
def many_holders(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(index, "MANY_HOLDERS", request.param)
    return int(request.param)


@pytest.mark.parametrize("number", [1, 19, 20, 21, 22, 60, 700])
def test_all_copies_are_counted_and_the_earliest_named(
    number: int, many_holders: int, tmp_path: Path
) -> None:
    with opened(tmp_path / "archive", others(30) + copies(number)[::-1]) as archive:
        answer = ask(archive)
        assert counts(answer) == (number, number, False)
        assert named(answer) == [f"c{place:05}" for place in range(min(number, 20))]
        assert {match.relation for match in answer.matches} == {Relation.IDENTICAL}
        assert named(ask(archive, top=5)) == named(answer)[:5]
        assert sorted(named(ask(archive, top=None))) == [one["id"] for one in copies(number)]


def test_what_is_named_without_being_compared_is_told_as_if_it_were(tmp_path: Path) -> None:
    punctuated = [{"id": f"p{place}", "text": "“ " * place + TEXT.upper()} for place in range(30)]
    with opened(tmp_path / "archive", punctuated) as archive:
        for match in ask(archive, top=None).matches:
            text = next(one["text"] for one in punctuated if one["id"] == match.found)
            [passage] = match.passages
            assert re.findall(r"\w+", text[slice(*passage.found)].lower()) == WORDS
            assert passage.text == TEXT[slice(*passage.query)]
            assert set(match.methods) == {"exact", "winnowing"}


def test_what_is_said_of_copies_does_not_depend_on_the_order_of_adding(
    many_holders: int, tmp_path: Path
) -> None:
    """The earliest copy and an article before it are the nearest by passages; the second is a candidate only as identical."""
    longer = {"id": "longer", "text": join([*WORDS, *Writer(39).write(40)]), "published": "2020-01-01"}
    articles = [longer, *copies(30)]
    told = []
    for place, order in enumerate((articles, articles[::-1])):
        with opened(tmp_path / str(place), order) as archive:
            told.append(ask(archive, top=None).to_dict())
    assert told[0] == told[1]
    methods = {match["found"]: match["methods"] for match in told[0]["matches"]}
    assert (methods["c00001"], methods["c00029"]) == (["exact"], methods["c00000"])


def test_a_part_or_an_edit_of_a_text_is_in_all_its_copies(many_holders: int, tmp_path: Path) -> None:
    part = {"id": "part", "text": join(WORDS[:60])}
    whole = {"id": "whole", "text": join([*Writer(34).write(200), *WORDS])}
    edit = {"id": "edit", "text": join([*WORDS[:50], "changed", *WORDS[51:]])}
    with opened(tmp_path / "archive", copies(300)) as archive:
        assert counts(ask(archive, part)) == (300, 300, False)
        assert counts(ask(archive, whole)) == (300, 0, False)
        assert counts(ask(archive, edit)) == (300, 300, False)
        assert counts(ask(archive, part, min_share=1.0)) == (300, 300, False)
        assert counts(ask(archive, whole, min_share=0.9)) == (0, 0, False)
        assert counts(ask(archive, part, preset="strict")) == (300, 300, False)


def test_copies_with_edits_are_counted_at_least(many_holders: int, tmp_path: Path) -> None:
    with opened(tmp_path / "few", edited(20)) as archive:
        assert counts(ask(archive)) == (20, 20, False)
    with opened(tmp_path / "many", edited(300)) as archive:
        answer = ask(archive)
        assert answer.at_least
        assert 2 <= answer.articles == answer.contained_in_count < 300
        assert "copied from at least" in say(answer)


def say(answer: Answer) -> str:
    from wirecopy.cli.show import say_verdict

    return say_verdict(answer)


def test_one_that_is_not_identical_makes_a_count_a_lower_bound(many_holders: int, tmp_path: Path) -> None:
    longer = {"id": "z", "text": join([*WORDS, *Writer(35).write(40)])}
    with opened(tmp_path / "archive", [*copies(300), longer]) as archive:
        assert counts(ask(archive)) == (300, 300, True)
        archive.remove("z")
        assert counts(ask(archive)) == (300, 300, False)
        archive.add(longer | {"published": "2020-01-01"})
        answer = ask(archive)
        assert (answer.articles, answer.at_least) == (301, False), "the earliest is compared"


def test_a_formula_makes_no_count_a_lower_bound(many_holders: int, tmp_path: Path) -> None:
    writer = Writer(36)
    formula = join(writer.write(40))
    articles = [{"id": f"f{place:03}", "text": f"{writer.text(90)} {formula}"} for place in range(300)]
    with opened(tmp_path / "archive", articles) as archive:
        assert len(archive.formulas) == 1
        for place in (0, 1, 150, 299):
            copied = {"id": "copy", "text": articles[place]["text"]}
            assert (counts(ask(archive, copied)), named(ask(archive, copied))) == (
                (1, 1, False),
                [articles[place]["id"]],
            )
        assert counts(ask(archive, {"id": "own", "text": f"{writer.text(90)} {formula}"})) == (0, 0, False)


def test_limits_are_those_of_the_count(many_holders: int, tmp_path: Path) -> None:
    articles = [
        one | {"published": f"2026-01-{1 + place % 20:02}", "source": "Echo" if place % 3 else "Courier"}
        for place, one in enumerate(copies(300))
    ] + [{"id": "undated", "text": TEXT}]
    with opened(tmp_path / "archive", articles) as archive:
        assert counts(ask(archive)) == (301, 301, False)
        assert named(ask(archive, top=None))[-1] == "undated"
        for limits in (
            {"since": "2026-01-03"},
            {"until": "2026-01-03"},
            {"since": "2026-01-02", "until": "2026-01-02"},
            {"source": "Echo"},
            {"not_source": "Echo"},
            {"source": "Courier", "since": "2026-01-19"},
            {"source": "nobody"},
        ):
            expected = [
                one["id"]
                for one in articles
                if ("since" not in limits or one.get("published", "") >= limits["since"])
                and ("until" not in limits or ("published" in one and one["published"] <= limits["until"]))
                and limits.get("source") in (None, one.get("source"))
                and ("not_source" not in limits or one.get("source") != limits["not_source"])
            ]
            answer = ask(archive, top=None, **limits)
            assert sorted(named(answer)) == sorted(expected), limits
            assert counts(answer) == (len(expected), len(expected), False)


def test_no_filter_finds_fewer_than_a_filter(tmp_path: Path) -> None:
    sources = ["Echo", "Courier"]
    articles = [one | {"source": sources[place % 2]} for place, one in enumerate(copies(40))]
    with opened(tmp_path / "archive", articles) as archive:
        found = {source: ask(archive, source=source).articles for source in sources}
        assert ask(archive).articles == sum(found.values()) == 40


def test_the_query_itself_does_not_count(many_holders: int, tmp_path: Path) -> None:
    with opened(tmp_path / "archive", copies(300)) as archive:
        for own in ("c00000", "c00007", "c00299"):
            answer = ask(archive, {"id": own, "text": TEXT})
            assert counts(answer) == (299, 299, False)
            assert own not in named(answer)
            assert len(answer.found) == 20


def test_what_was_removed_or_expired_does_not_count(many_holders: int, tmp_path: Path) -> None:
    articles = [one | {"published": f"2026-01-{1 + place % 20:02}"} for place, one in enumerate(copies(400))]
    with opened(tmp_path / "archive", articles, window="30d") as archive:
        assert ask(archive).articles == 400
        archive.remove([one["id"] for one in articles[:5]])
        assert (ask(archive).articles, named(ask(archive))[0]) == (395, "c00020")
        archive.expire(now="2026-02-05")
        left = [one for one in articles[5:] if one["published"] >= "2026-01-06"]
        assert counts(ask(archive)) == (len(left), len(left), False)
        archive.compact()
        assert counts(ask(archive)) == (len(left), len(left), False)
    with Archive.open(tmp_path / "archive") as reopened:
        assert counts(ask(reopened)) == (len(left), len(left), False)


def test_a_stream_counts_as_it_grows(many_holders: int, tmp_path: Path) -> None:
    with opened(tmp_path / "archive", copies(280)) as archive:
        for place in range(280, 300):
            [seen] = archive.observe({"id": f"n{place}", "text": TEXT + "!"})
            assert counts(seen.answer) == (place, place, False)
        assert archive.info()["segments"] > 1
        with Archive.open(tmp_path / "archive") as reader:
            assert counts(ask(reader)) == (300, 300, False)


def test_texts_asked_together_are_answered_as_each_alone(many_holders: int, tmp_path: Path) -> None:
    queries = [
        QUERY,
        {"id": "c00003", "text": TEXT},
        *edited(3),
        {"id": "part", "text": join(WORDS[20:70])},
        {"id": "none", "text": Writer(37).text(50)},
    ]
    with opened(tmp_path / "archive", copies(270) + edited(60)[3:]) as archive:
        assert archive.check(queries) == [ask(archive, query) for query in queries]


def test_an_archive_that_does_not_file_whole_texts_counts_at_least(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    Archive.open(path, create=True).close()
    with sqlite3.connect(path) as store:
        [(methods,)] = store.execute("SELECT value FROM settings WHERE name = 'methods'").fetchall()
        left = [one for one in json.loads(methods) if one[0] != "exact"]
        store.execute("UPDATE settings SET value = ? WHERE name = 'methods'", [json.dumps(left)])
        store.execute("DELETE FROM settings WHERE name = 'made_with'")  # as archives from before format 3
    store.close()
    with opened(path, copies(40)) as archive:
        assert [one.name for one in archive.settings.methods] == ["winnowing"]
        assert counts(ask(archive)) == (2, 2, True)
    with opened(tmp_path / "few", copies(20), method="winnowing") as archive:
        assert counts(ask(archive)) == (20, 20, False)


@pytest.mark.parametrize("method", ["minhash", "full_fingerprint", "sentence_lengths", "exact"])
def test_so_it_is_with_other_methods(method: str, many_holders: int, tmp_path: Path) -> None:
    with opened(tmp_path / "archive", others(20) + copies(300), method=method) as archive:
        assert counts(ask(archive)) == (300, 300, False)


def test_a_method_that_goes_by_sentences_counts_what_is_identical_in_words(tmp_path: Path) -> None:
    """Without its full stops a text has other sentences, and none of the keys by which the query finds the others."""
    writer = Writer(38)
    sentences = [writer.text(12).capitalize() + "." for _ in range(12)]
    whole = " ".join(sentences)
    bare = [{"id": f"b{place}", "text": whole.replace(".", "").lower()} for place in range(3)]
    query = {"id": "query", "text": " ".join([*sentences[:11], writer.text(12).capitalize() + "."])}
    with opened(
        tmp_path / "archive", [{"id": "a", "text": whole}, *bare], method="sentence_lengths"
    ) as archive:
        assert named(ask(archive, query)) == ["a", "b0", "b1", "b2"]
        assert counts(ask(archive, query)) == (4, 4, False)


def test_the_command_line_says_how_many(tmp_path: Path) -> None:
    pile, draft, path = tmp_path / "pile.jsonl", tmp_path / "draft.txt", tmp_path / "archive"
    pile.write_text("".join(json.dumps(one) + "\n" for one in copies(30) + edited(40)))
    draft.write_text(TEXT)
    assert wirecopy("add", path, pile).returncode == 0
    [answer] = lines(wirecopy("check", path, draft).stdout)
    assert (answer["articles"] >= 30, answer["at_least"], len(answer["matches"])) == (True, True, 20)
    assert answer["contained_in_count"] >= 30 > len(answer["contained_in"])
    [more] = lines(wirecopy("check", path, draft, "--top", "25").stdout)
    assert len(more["matches"]) == 25
    head, *rows = wirecopy("check", path, draft, "--csv").stdout.decode().splitlines()
    assert ",copied,articles,contained_in_count,form_of_count,at_least,story" in head
    assert len(rows) == 20
    assert f",{answer['articles']},{answer['contained_in_count']},{answer['form_of_count']},yes" in rows[0]
