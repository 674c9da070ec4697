"""`wirecopy check`: what an archive says of a text, in every form."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from program import on_terminal, talk, wirecopy
from records import MATCH_FIELDS, jsonl, lines

from quality.texts import Writer, join
from wirecopy import find, methods, opinions


def test_check_writes_an_answer_a_line(known: Path, draft: Path, words: list[str]) -> None:
    ran = wirecopy("check", known, draft)
    (answer,) = lines(ran.stdout)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert list(answer) == [
        *("query", "copied", "articles", "contained_in_count", "at_least", "longest_words"),
        *("contained_in", "contains", "form_of", "form_of_count", "stories", "new", "matches"),
    ]
    assert (answer["query"], answer["copied"], answer["articles"]) == ("draft.txt", 0.5, 3)
    assert [match["found"] for match in answer["matches"]] == ["a", "c", "b"]
    match = answer["matches"][0]
    assert (match["published"], match["source"], match["title"]) == (
        "2016-03-01T12:00:00Z",
        "Courier",
        "On a",
    )
    [(start, end)] = [passage["query"] for passage in match["passages"]]
    assert re.findall(r"\w+", draft.read_text()[start:end].lower()) == words[:50]


def test_check_equals_find_with_a_query(known: Path, pile: Path, draft: Path) -> None:
    (answer,) = lines(wirecopy("check", known, draft).stdout)
    expected = [match.to_dict() for match in find(pile, query=draft)]
    assert sorted(
        ({name: match[name] for name in MATCH_FIELDS} for match in answer["matches"]),
        key=lambda m: str(m["found"]),
    ) == sorted(expected, key=lambda match: str(match["found"]))


def test_nothing_found_is_an_answer_too(known: Path) -> None:
    ran = wirecopy("check", known, "-", input=Writer(36).text(80).encode())
    assert ran.returncode == 0
    (answer,) = lines(ran.stdout)
    assert (answer["query"], answer["copied"], answer["matches"]) == ("-", 0.0, [])


def test_an_article_is_not_compared_with_its_own_id(known: Path, records: list[dict[str, Any]]) -> None:
    ran = wirecopy("check", known, "-", input=jsonl(*records[:1]))
    assert lines(ran.stdout)[0]["contained_in"] == ["c"]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--top", "1"), ["a"]),
        (("--min-share", "0.4"), ["a", "c"]),
        (("--since", "2016-03-02"), ["c", "b"]),
        (("--until", "2016-03-02"), ["a"]),
        (("--since", "2016-03-02", "--until", "2016-03-03"), ["b"]),
        (("--source", "Courier"), ["a", "b"]),
        (("--not-source", "Courier"), ["c"]),
        (("--preset", "strict"), ["a", "c"]),
    ],
)
def test_sources_are_limited(known: Path, draft: Path, options: tuple[str, ...], found: list[str]) -> None:
    (answer,) = lines(wirecopy("check", known, draft, *options).stdout)
    assert [match["found"] for match in answer["matches"]] == found


def test_the_best_alone_are_named_but_all_are_counted(known: Path, draft: Path) -> None:
    (answer,) = lines(wirecopy("check", known, draft, "--top", 1).stdout)
    assert (len(answer["matches"]), answer["articles"]) == (1, 3)


def test_check_in_every_form(known: Path, draft: Path, tmp_path: Path) -> None:
    (answer,) = lines(wirecopy("check", known, draft).stdout)
    assert wirecopy("check", known, draft, "-o", tmp_path / "a.jsonl").stdout == b""
    assert lines((tmp_path / "a.jsonl").read_bytes()) == [answer]
    table = wirecopy("check", known, draft, "--csv").stdout.decode()
    wirecopy("check", known, draft, "--output", tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == table
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [(row["query"], row["found"], row["copied"], row["found_source"]) for row in rows] == [
        *(("draft.txt", "a", "0.5", "Courier"), ("draft.txt", "c", "0.5", "Echo")),
        ("draft.txt", "b", "0.5", "Courier"),
    ]


@pytest.mark.parametrize("width", [80, 100, 140])
def test_a_terminal_gets_a_verdict_and_a_table(known: Path, draft: Path, width: int) -> None:
    code, shown = on_terminal("check", known, draft, width=width)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert code == 0
    assert plain.startswith("draft.txt: 50% copied from 3 articles, longest passage 50 words")
    for head in ("relation", "date", "source", "id"):
        assert head in plain
    assert "Courier" in plain
    assert max(map(len, plain.splitlines())) <= width
    assert "2016-03-01" in plain
    assert "{" not in plain


def test_a_terminal_is_told_that_nothing_was_copied(known: Path, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text(Writer(37).text(80))
    code, shown = on_terminal("check", known, tmp_path / "new.txt")
    assert (code, shown.strip()) == (0, "new.txt: nothing copied")


@pytest.fixture(scope="module")
def judging(tmp_path_factory: pytest.TempPathFactory, pile: Path) -> Path:
    """An archive whose one method gives verdicts."""
    path = tmp_path_factory.mktemp("judging") / "news.db"
    method = "sentence_fingerprints:exact_sentences=true"
    assert wirecopy("add", path, pile, "--method", method).returncode == 0
    return path


def test_the_method_of_an_archive_may_decide(
    judging: Path, pile: Path, records: list[dict[str, Any]], tmp_path: Path
) -> None:
    asked = tmp_path / "asked.jsonl"
    asked.write_bytes(jsonl({"id": "q", "title": "On c", "text": records[0]["text"]}))
    question = ("check", judging, asked, "--decide", "method")
    ran = wirecopy(*question)
    (judged,) = lines(ran.stdout)
    assert (ran.returncode, talk(ran)) == (0, "")
    method = methods.get("sentence_fingerprints", exact_sentences=True)
    expected = opinions(pile, method, query=asked)
    assert judged["opinions"] == [one.to_dict() for one in expected]
    assert [judged["verdict"]] == [verdict.to_dict() for verdict in expected.verdicts]
    assert (judged["query"], [one["found"] for one in judged["opinions"]]) == ("q", ["c", "a"])

    (best,) = lines(wirecopy(*question, "--top", 1).stdout)
    assert best == judged | {"opinions": judged["opinions"][:1]}
    rows = csv.DictReader(io.StringIO(wirecopy(*question, "--csv").stdout.decode()))
    assert [row["found"] for row in rows] == ["c", "a"]
    code, shown = on_terminal(*question, width=140)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert code == 0
    assert plain.startswith("q: 2 articles ranked, 2 accepted, a duplicate by 9 hits")
    assert "query_in_found" in plain
    code, shown = on_terminal(*question, "--since", "2030-01-01")
    assert (code, shown.strip()) == (0, "q: nothing ranked, no duplicate by 0 hits")


def test_check_reads_titles_where_the_method_does(judging: Path, pile: Path) -> None:
    ran = wirecopy("check", judging, pile)
    assert (ran.returncode, talk(ran)) == (0, "")
    assert [one["query"] for one in lines(ran.stdout) if one["contained_in"]] == ["a", "c"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--accepted", "--min-share", "0.1", "--preset", "strict"), "--min-share: not with --decide method"),
        (("--min-share", "0.1"), "not with --decide method"),
        (("--preset", "strict"), "not with --decide method"),
    ],
)
def test_where_the_method_of_an_archive_cannot_decide(
    known: Path, draft: Path, options: tuple[str, ...], said: str
) -> None:
    ran = wirecopy("check", known, draft, "--decide", "method", *options)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert said in talk(ran)


def test_texts_that_cannot_be_read_are_named_and_the_rest_is_checked(
    known: Path, draft: Path, tmp_path: Path
) -> None:
    (tmp_path / "noise.txt").write_bytes(bytes(range(128, 256)) * 10)
    ran = wirecopy("check", known, tmp_path / "noise.txt", draft)
    assert ran.returncode == 3
    assert [answer["query"] for answer in lines(ran.stdout)] == ["draft.txt"]
    assert "noise.txt: not a text, or in an encoding that cannot be told" in talk(ran)


def test_what_pages_say_does_not_steer_the_terminal(tmp_path: Path, words: list[str]) -> None:
    article = {"id": "a\x1b[2J", "text": join(words), "source": "\x1b]0;evil\x07", "published": "\x1b[31m"}
    wirecopy("add", tmp_path / "news.db", "-", input=jsonl(article))
    (tmp_path / "copy.txt").write_text(join(words))
    _, shown = on_terminal("check", tmp_path / "news.db", tmp_path / "copy.txt", width=140)
    assert "identical" in shown
    assert not {"\x1b[2J", "\x1b]0", "\x1b[31m"} & set(re.findall(r"\x1b.\d*\w?", shown))
