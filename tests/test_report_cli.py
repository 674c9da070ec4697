"""Reports from the command line: every command that finds something can write it as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from program import talk, wirecopy
from records import jsonl
from reports import Read, read_report, rebuild

from quality.texts import Writer, join


def check_texts(read: Read) -> None:
    """Every pair that is shown rebuilds both of its texts."""
    for entry in read.entries:
        for pair in entry["pairs"]:
            for side, name in enumerate((pair["query"], pair["found"])):
                assert rebuild(pair, side, entry["articles"][name]["text"]) == entry["articles"][name]["text"]


def test_a_pile_and_its_archive_give_the_same_report_but_for_what_a_pile_does_not_keep(
    pile: Path, known: Path, tmp_path: Path
) -> None:
    reads = []
    for place in (pile, known):
        ran = wirecopy("report", place, "-o", tmp_path / "report.html")
        assert ran.returncode == 0
        assert f"writing {tmp_path / 'report.html'}: about" in talk(ran)
        reads.append(read_report(tmp_path / "report.html"))
    for read, place in zip(reads, (pile, known), strict=True):
        check_texts(read)
        assert read.head["about"]["made_from"] == [str(place)]
        assert read.head["title"] == f"Copies in {place}"
    assert reads[0].index == reads[1].index
    assert reads[0].head["counts"] == reads[1].head["counts"]
    assert [one["pairs"] for one in reads[0].entries] == [one["pairs"] for one in reads[1].entries]


def test_what_an_archive_knows_of_its_articles_is_shown(tmp_path: Path) -> None:
    text = join(Writer(1).write(60))
    rows = [{"id": name, "text": text, "author": f"</b>{name}", "language": "eo"} for name in "ab"]
    (tmp_path / "news.jsonl").write_bytes(jsonl(*rows))
    assert wirecopy("add", tmp_path / "news.db", tmp_path / "news.jsonl").returncode == 0
    assert wirecopy("report", tmp_path / "news.db", "-o", tmp_path / "report.html", "-q").returncode == 0
    [row] = read_report(tmp_path / "report.html").entries
    assert {(one["author"], one["language"]) for one in row["articles"].values()} == {
        ("</b>a", "eo"),
        ("</b>b", "eo"),
    }


def test_an_archive_with_a_window_that_may_only_be_read_gives_a_report(pile: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    assert wirecopy("add", folder / "news.db", pile, "--window", "4d").returncode == 0
    for path in [*folder.rglob("*"), folder]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        ran = wirecopy("report", folder / "news.db", "-o", tmp_path / "report.html")
        assert ran.returncode == 0, talk(ran)
    finally:
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert read_report(tmp_path / "report.html").head["counts"]["articles"] < 10


@pytest.mark.parametrize(
    "command",
    [
        ["find", "PILE"],
        ["find", "PILE", "--relation", "identical", "--relation", "partial"],
        ["find", "PILE", "--query", "DRAFT"],
        ["pairs", "ARCHIVE"],
        ["stories", "PILE"],
        ["stories", "ARCHIVE", "--story", "c"],
        ["stories", "PILE", "--rule", "closure"],
    ],
    ids=" ".join,
)
def test_what_a_command_finds_is_shown_beside_its_answer(
    command: list[str], pile: Path, known: Path, draft: Path, tmp_path: Path
) -> None:
    places = {"PILE": str(pile), "ARCHIVE": str(known), "DRAFT": str(draft)}
    arguments = [places.get(one, one) for one in command]
    alone = wirecopy(*arguments)
    ran = wirecopy(*arguments, "--html", tmp_path / "page.html")
    assert (ran.returncode, ran.stdout) == (0, alone.stdout)
    read = read_report(tmp_path / "page.html")
    check_texts(read)
    shown = {id for entry in read.entries for id in entry["articles"]}
    assert {"a"} < shown
    assert read.head["about"]["options"] == {
        **({"relation": "identical, partial"} if "--relation" in command else {}),
        **({"rule": "closure"} if "--rule" in command else {}),
    }
    if "--story" in command:
        assert shown == {"a", "c"}
    if "--relation" in command or "--query" in command:
        assert {one["story"]["kind"] for one in read.entries} == {"matches"}


def test_checked_texts_are_shown_with_what_they_share_and_what_is_new(
    known: Path, draft: Path, records: list[dict[str, Any]], tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("Nobody \U0001f600 has written this. " + records[3]["text"])
    alone = wirecopy("check", known, draft, other)
    ran = wirecopy("check", known, draft, other, "--html", tmp_path / "page.html")
    assert (ran.returncode, ran.stdout) == (0, alone.stdout)
    read = read_report(tmp_path / "page.html")
    assert (read.head["view"], read.head["answers"], read.index) == ("check", 2, None)
    answers = [answer for block in read.blocks for answer in block["answers"]]
    assert [one["query"]["text"] for one in answers] == [draft.read_text(), other.read_text()]
    for answer in answers:
        for found in answer["found"]:
            pair = {"pieces": found["pieces"]}
            assert rebuild(pair, 0, answer["query"]["text"]) == answer["query"]["text"]
            assert rebuild(pair, 1, found["article"]["text"]) == found["article"]["text"]
    assert {found["article"]["id"] for found in answers[0]["found"]} >= {"a", "c"}
    units = other.read_text().encode("utf-16-le")
    start, end = answers[1]["new"][:2]
    assert units[2 * start : 2 * end].decode("utf-16-le").startswith("Nobody \U0001f600 has written")


def test_a_text_that_shares_nothing_is_shown_as_new(known: Path, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("Nobody has written this before.")
    ran = wirecopy("check", known, tmp_path / "new.txt", "--html", tmp_path / "page.html", "-q")
    assert ran.returncode == 0
    [block] = read_report(tmp_path / "page.html").blocks
    [answer] = block["answers"]
    assert (answer["copied"], answer["found"], answer["new"]) == (0.0, [], [0, 30])


def test_what_cannot_be_shown_is_refused_before_the_work(pile: Path, known: Path, tmp_path: Path) -> None:
    page, draft = tmp_path / "page.html", pile
    by_method = ["--method", "minhash", "--decide", "method"]
    for arguments in (
        ["find", pile, *by_method],
        ["stories", pile, *by_method, "--rule", "closure"],
        ["pairs", known, "--decide", "method"],
        ["check", known, draft, "--decide", "method"],
    ):
        ran = wirecopy(*arguments, "--html", page)
        assert ran.returncode == 2
        assert "--html: not with --decide method, which gives no passages to show" in talk(ran)
    ran = wirecopy("report", pile, "-o", pile)
    assert (ran.returncode, "it is one of the inputs" in talk(ran)) == (2, True)
    ran = wirecopy("report", pile, "-o", tmp_path / "no" / "page.html")
    assert (ran.returncode, "no such folder" in talk(ran)) == (1, True)
    ran = wirecopy("find", pile, "--html", page, "--csv", "-o", page)
    assert (ran.returncode, "two outputs are one file" in talk(ran)) == (2, True)
    assert not page.exists()


def test_records_that_were_skipped_are_counted_in_the_report(tmp_path: Path) -> None:
    (tmp_path / "news.jsonl").write_bytes(b'{"id": "a", "text": "one"}\n{"id": "b"}\n')
    ran = wirecopy("report", tmp_path / "news.jsonl", "-o", tmp_path / "report.html")
    assert ran.returncode == 3
    assert read_report(tmp_path / "report.html").head["counts"]["skipped"] == 1


def test_a_report_without_texts_is_smaller_and_holds_no_word(pile: Path, tmp_path: Path) -> None:
    whole, bare = tmp_path / "whole.html", tmp_path / "bare.html"
    assert wirecopy("report", pile, "-o", whole, "-q").returncode == 0
    assert wirecopy("report", pile, "-o", bare, "-q", "--without-texts", "--top", 1).returncode == 0
    read = read_report(bare)
    assert (read.head["about"]["texts"], read.head["about"]["top"]) == (False, 1)
    assert not any("text" in one for entry in read.entries for one in entry["articles"].values())
    assert bare.stat().st_size < whole.stat().st_size


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk is played by /dev/full")
def test_a_full_disk_is_named(pile: Path) -> None:
    ran = wirecopy("report", pile, "-o", "/dev/full")
    assert (ran.returncode, "/dev/full: cannot be written" in talk(ran)) == (1, True)


@pytest.mark.parametrize("command", ["show", "compare"])
def test_a_pair_is_shown_as_the_terminal_shows_it(
    command: str, pile: Path, records: list[dict[str, Any]], tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    ran = wirecopy(command, "b", "a", "--in", pile, "--json", "--html", page)
    assert ran.returncode == 0, talk(ran)
    assert ran.stdout == wirecopy(command, "b", "a", "--in", pile, "--json").stdout
    read = read_report(page)
    assert (read.head["view"], read.head["blocks"], read.index) == ("pair", 1, None)
    [block] = read.blocks
    [pair] = block["pairs"]
    assert (pair["query"], pair["found"], pair["relation"]) == ("b", "a", "partial")
    texts = {one["id"]: one["text"] for one in records}
    for side, name in enumerate("ba"):
        assert rebuild(pair, side, block["articles"][name]["text"]) == texts[name]


def test_two_texts_that_share_nothing_are_shown_all_the_same(tmp_path: Path) -> None:
    for name, text in (("one", "Nobody has \U0001f600 written this."), ("two", "Something else.")):
        (tmp_path / f"{name}.txt").write_text(text)
    ran = wirecopy("show", "one.txt", "two.txt", "--html", "page.html", cwd=tmp_path)
    assert ran.returncode == 0, talk(ran)
    [block] = read_report(tmp_path / "page.html").blocks
    [pair] = block["pairs"]
    assert pair["relation"] is None
    assert rebuild(pair, 0, block["articles"]["one.txt"]["text"]) == "Nobody has \U0001f600 written this."


def test_an_article_in_no_story_is_one_of_its_own_where_it_is_asked_for(pile: Path, tmp_path: Path) -> None:
    ran = wirecopy("stories", pile, "--story", "x1", "--html", tmp_path / "page.html", "-q")
    assert ran.returncode == 0, talk(ran)
    [row] = read_report(tmp_path / "page.html").entries
    assert (row["story"]["id"], list(row["articles"]), row["pairs"]) == ("x1", ["x1"], [])
