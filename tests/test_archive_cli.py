"""The other commands of an archive, and what all of them say when something is wrong."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from program import PROGRAM, ids, on_terminal, talk, wirecopy
from records import jsonl, lines

from quality.texts import Writer, join
from wirecopy import Archive

# remove, expire, info, verify, compact


def test_remove_takes_articles_out(archive: Path) -> None:
    ran = wirecopy("remove", archive, "a", "b")
    assert ran.returncode == 0
    assert f"2 articles removed; 8 articles in {archive}" in talk(ran)
    assert not {"a", "b"} & ids(archive)


def test_remove_reads_ids_from_stdin_and_names_those_it_does_not_know(archive: Path) -> None:
    ran = wirecopy("remove", archive, "-", input=b"a\nnobody\n")
    assert ran.returncode == 3
    assert "1 article removed" in talk(ran)
    assert f"skipped: nobody: no article of {archive} has this id" in talk(ran)


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e", "\r"])
def test_an_id_may_hold_what_ends_lines_elsewhere(end: str, tmp_path: Path) -> None:
    path, whole, writer = tmp_path / "news.db", f"a{end}b", Writer(34)
    with Archive.open(path, create=True) as archive:
        archive.add([{"id": id, "text": writer.text(30)} for id in ("a", "b", whole, "c")])
    ran = wirecopy("remove", path, "-", input=f"{whole}\nc".encode())
    assert ran.returncode == 0, ran.stderr
    assert ids(path) == {"a", "b"}


def test_ids_are_read_from_a_windows_file_and_one_may_end_in_a_carriage_return(tmp_path: Path) -> None:
    path, writer = tmp_path / "news.db", Writer(34)
    with Archive.open(path, create=True) as archive:
        archive.add([{"id": id, "text": writer.text(30)} for id in ("a", "b", "b\r", "c", "d")])
    assert wirecopy("remove", path, "-", input=b"a\r\nb\r\n").returncode == 0
    assert ids(path) == {"b", "c", "d"}
    assert wirecopy("remove", path, "c\r").returncode == 3
    assert ids(path) == {"b", "c", "d"}


def test_ids_are_not_removed_for_an_empty_stdin(archive: Path) -> None:
    ran = wirecopy("remove", archive, "-", input=b"")
    assert (ran.returncode, len(ids(archive))) == (0, 10)


def test_articles_expire_with_the_window(records: list[dict[str, Any]], tmp_path: Path) -> None:
    path = tmp_path / "news.db"
    wirecopy("add", path, "-", "--window", "1w", input=jsonl(*records[:5]))
    assert "0 articles expired; 5 articles in" in talk(wirecopy("expire", path))
    ran = wirecopy("expire", path, "--now", "2016-03-10")
    assert ran.returncode == 0
    assert "2 articles expired; 3 articles in" in talk(ran)


def test_info_says_what_there_is(known: Path) -> None:
    ran = wirecopy("info", known)
    shown = ran.stdout.decode()
    assert (ran.returncode, ran.stderr) == (0, b"")
    for row in (
        r"articles +10",
        r"published +2016-03-01T12:00:00Z to 2016-03-10T12:00:00Z",
        r"window +none",
        r"methods +exact, winnowing:.*window_words=16",
        r"preset +syndication",
        r"store +.* an article",
        r"index +.* an article, \d+ segment",
        r"boilerplate +0 formulas, up to date",
    ):
        assert re.search(f"^{row}", shown, re.MULTILINE), row
    info = json.loads(wirecopy("info", known, "--json").stdout)
    assert (info["articles"], info["boilerplate"]) == (10, [])


def test_info_lists_the_boilerplate_by_source(tmp_path: Path) -> None:
    writer = Writer(38)
    formula = writer.write(30)
    given = [
        {
            "id": str(number),
            "text": join(writer.write(150) + formula),
            "source": "Echo" if number < 5 else "Post",
        }
        for number in range(20)
    ]
    wirecopy("add", tmp_path / "news.db", "-", input=jsonl(*given))
    shown = wirecopy("info", tmp_path / "news.db").stdout.decode()
    assert re.search(rf"20 +Post 15, Echo 5 +{formula[0]} {formula[1]}", shown, re.IGNORECASE), shown
    (listed,) = json.loads(wirecopy("info", tmp_path / "news.db", "--json").stdout)["boilerplate"]
    assert (listed["articles"], listed["sources"]) == (20, {"Post": 15, "Echo": 5})


def test_info_says_how_stale_the_boilerplate_is(archive: Path, tmp_path: Path) -> None:
    many = [{"id": f"{number}", "text": Writer(number).text(30)} for number in range(50)]
    wirecopy("add", archive, "-", input=jsonl(*many))
    wirecopy("remove", archive, "a")
    assert "1 article came or went since it was learnt" in wirecopy("info", archive).stdout.decode()


def test_verify_finds_nothing_wrong_where_nothing_is(known: Path) -> None:
    ran = wirecopy("verify", known)
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert "nothing wrong: 10 articles, 1 segment read" in talk(ran)


def test_verify_names_what_was_wrong_and_mends_it(tmp_path: Path) -> None:
    path = tmp_path / "news.db"
    writer = Writer(39)
    given = jsonl(*({"id": str(number), "text": writer.text(300)} for number in range(400)))
    wirecopy("add", path, "-", input=given)
    (file,) = (tmp_path / "news.db-index").glob("*.segment")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 255
    file.write_bytes(data)
    ran = wirecopy("verify", path)
    assert ran.returncode == 1
    assert re.fullmatch(r"segment \d+: damaged, made again from the articles\n", ran.stdout.decode())
    assert "1 problem: 400 articles" in talk(ran)
    assert wirecopy("verify", path).returncode == 0


def test_compact_says_what_it_saved(archive: Path, draft: Path) -> None:
    before = wirecopy("check", archive, draft).stdout
    ran = wirecopy("compact", archive)
    assert ran.returncode == 0
    assert re.search(r"10 articles; .* before, .* now", talk(ran))
    assert wirecopy("check", archive, draft).stdout == before


# pairs and export


def test_pairs_are_those_that_find_gives(known: Path, pile: Path, tmp_path: Path) -> None:
    ran = wirecopy("pairs", known)
    assert ran.stdout == wirecopy("find", pile).stdout
    assert "10 articles, 3 candidates, 3 matches, 0 formulas left out" in talk(ran)
    for options in (("--csv",), ("--preset", "strict")):
        assert wirecopy("pairs", known, *options).stdout == wirecopy("find", pile, *options).stdout
    for name in ("m.csv", "m.parquet", "m.jsonl"):
        for command in (("pairs", known), ("find", pile)):
            assert wirecopy(*command, "-o", tmp_path / f"{command[0]}-{name}").returncode == 0
        assert (tmp_path / f"pairs-{name}").read_bytes() == (tmp_path / f"find-{name}").read_bytes()
    wirecopy("pairs", known, "--boilerplate", tmp_path / "formulas.jsonl")
    assert (tmp_path / "formulas.jsonl").read_bytes() == b""


def test_pairs_on_a_terminal_are_a_table(known: Path) -> None:
    code, shown = on_terminal("pairs", known, width=120)
    assert code == 0
    assert "3 matches: 1 identical, 2 partial" in shown
    assert "identical" in shown


def test_an_archive_is_copied_through_a_pipe(known: Path, tmp_path: Path) -> None:
    command = f"{PROGRAM} export {known} | {PROGRAM} add {tmp_path / 'copy.db'} - --quiet"
    assert subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], check=False).returncode == 0
    for command in ("export", "pairs"):
        assert wirecopy(command, tmp_path / "copy.db").stdout == wirecopy(command, known).stdout


def test_what_is_exported_is_what_was_added(tmp_path: Path) -> None:
    odd = {
        "id": "a b\u2028c",
        "text": "Zwölf \u0000 Boxkämpfer\r\n\tjagen\ufeff 𝒱iktor\u2029 quer. ",
        "title": ' "Deich", \\ neu ',
        "published": "Wed, 02 Mar 2016 07:30:00 +0100",
        "source": "Küstenbote",
        "author": "A. B.; C. D.",
        "location": "Wexmouth",
        "language": "de",
        "url": "https://example.org/?a=1&b=2#c",
        "agency": "dpa",
    }
    bare = dict.fromkeys(odd) | {"id": "bare", "text": "x", "published": "some day"}
    assert wirecopy("add", tmp_path / "news.db", "-", input=jsonl(odd, bare)).returncode == 0
    ran = wirecopy("export", tmp_path / "news.db", "-o", tmp_path / "out.jsonl")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    assert lines((tmp_path / "out.jsonl").read_bytes()) == [odd, bare]


def test_a_reader_that_leaves_early_is_told_nothing(tmp_path: Path) -> None:
    given = jsonl(*({"id": str(number), "text": Writer(number).text(200)} for number in range(300)))
    wirecopy("add", tmp_path / "news.db", "-", input=given)
    command = f"set -o pipefail; {PROGRAM} export {tmp_path / 'news.db'} | head -1"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, check=False, timeout=120)
    assert (ran.returncode, ran.stdout.count(b"\n"), ran.stderr) == (0, 1, b"")


# What goes wrong.

READING = ("check x.txt", "info", "verify", "pairs", "export", "remove x", "expire", "compact")


@pytest.mark.parametrize("command", READING)
def test_where_there_is_no_archive_it_is_said_how_to_make_one(command: str, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("x")
    name, *rest = command.split()
    ran = wirecopy(name, "news.db", *rest, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (1, b"")
    assert talk(ran) == "wirecopy: news.db: no archive there; make one with wirecopy add news.db PATH...\n"
    assert not (tmp_path / "news.db").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["add", "news.db"], 2, "PATH"),
        (["add", "news.db", "nowhere.txt"], 1, "nowhere.txt: no such file or folder"),
        (["add", "no/news.db", "x.txt"], 1, "no/news.db: no folder no"),
        (["add", "x.txt", "x.txt"], 1, "x.txt: "),
        (["add", "new.db", "x.txt", "--window", "soon"], 2, "expected a number of m, h, d or w, such as 14d"),
        (["add", "new.db", "x.txt", "--method", "magic"], 2, "no method named 'magic'"),
        (["add", "new.db", "x.txt", "--preset", "lax"], 2, "lax"),
        (["add", "new.db", "x.txt", "--statistics", "nowhere"], 1, "nowhere"),
        (
            ["add", "news.db", "x.txt", "--method", "exact"],
            1,
            "methods of news.db: expected exact, winnowing:",
        ),
        (["add", "news.db", "x.txt", "--window", "14d"], 1, "window of news.db: expected none, got 14d"),
        (
            ["add", "news.db", "x.txt", "--preset", "strict"],
            1,
            "preset of news.db: expected syndication, got strict",
        ),
        (["check", "news.db"], 2, "TEXT"),
        (["check", "news.db", "nowhere.txt"], 1, "nowhere.txt: no such file or folder"),
        (["check", "news.db", "x.txt", "--since", "Tuesday"], 2, "expected a date such as 2026-03-01"),
        (["check", "news.db", "x.txt", "--min-share", "2"], 2, "--min-share"),
        (["check", "news.db", "x.txt", "--top", "0"], 2, "--top"),
        (["check", "news.db", "x.txt", "--jsonl", "--csv"], 2, "one form at a time"),
        (["check", "news.db", "x.txt", "-o", "a.parquet"], 2, "JSON lines, CSV or a table"),
        (["check", "news.db", "x.txt", "-o", "no/a.jsonl"], 1, "no/a.jsonl: cannot be written"),
        (["watch", "news.db", "x.txt"], 1, "x.txt: expected a folder, or - for stdin"),
        (["watch", "news.db", "nowhere"], 1, "nowhere: expected a folder"),
        (["watch", "news.db", "--window", "14d"], 1, "window of news.db: expected none, got 14d"),
        (["remove", "news.db"], 2, "ID"),
        (["expire", "news.db"], 2, "news.db has no window: nothing in it expires"),
        (["pairs", "news.db", "--parquet"], 2, "--output"),
        (["info", "other.db"], 1, "expected an archive of wirecopy, got another SQLite file"),
        (["info", "x.txt"], 1, "x.txt: cannot be opened: file is not a database"),
        (["info", "."], 1, ".: a folder; name the file of an archive"),
        (["add", ".", "x.txt"], 1, ".: a folder; name the file of an archive"),
    ],
)
def test_errors_end_with_their_code_and_a_sentence(
    arguments: list[str], code: int, said: str, known: Path, tmp_path: Path
) -> None:
    import sqlite3

    (tmp_path / "x.txt").write_text("Just a text. " * 50)
    (tmp_path / "news.db").write_bytes(known.read_bytes())
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE a (b)")
    other.close()
    ran = wirecopy(*arguments, cwd=tmp_path, stdin=subprocess.DEVNULL)
    assert (ran.returncode, ran.stdout) == (code, b""), ran.stderr
    assert said in talk(ran)


@pytest.mark.parametrize("command", ["add - ", "watch", "remove a", "compact"])
def test_a_second_writer_is_told_to_wait_and_readers_are_not(
    command: str, archive: Path, draft: Path
) -> None:
    name, *rest = command.split()
    with Archive.open(archive) as writer:
        writer.add([{"id": "new", "text": "Rain."}])
        ran = wirecopy(name, archive, *rest, "--wait", 0.1, input=b'{"id": "z", "text": "z"}\n')
        assert (ran.returncode, ran.stdout) == (1, b"")
        assert "another program is writing to it (process " in talk(ran)
        for reading in (
            ("check", archive, draft),
            ("info", archive),
            ("export", archive),
            ("pairs", archive),
        ):
            assert wirecopy(*reading).returncode == 0
