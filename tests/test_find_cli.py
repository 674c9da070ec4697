"""`wirecopy find`: what it writes where, and what it says of records that cannot be used."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from program import PROGRAM, on_terminal, talk, wirecopy
from records import MATCH_FIELDS, jsonl, lines

from quality.texts import Writer, join

# What comes out, and where.


def test_find_writes_json_lines_to_a_pipe(pile: Path) -> None:
    ran = wirecopy("find", pile)
    assert ran.returncode == 0
    assert [(m["query"], m["found"], m["relation"]) for m in lines(ran.stdout)] == [
        *(("b", "a", "partial"), ("c", "a", "identical"), ("c", "b", "partial"))
    ]
    assert tuple(lines(ran.stdout)[0]) == MATCH_FIELDS
    assert "10 articles" in talk(ran)
    assert "MB of memory" in talk(ran)


def test_quiet_says_nothing(pile: Path) -> None:
    ran = wirecopy("find", pile, "--quiet")
    assert ran.returncode == 0
    assert ran.stderr == b""
    assert len(lines(ran.stdout)) == 3


def test_the_same_in_every_form(pile: Path, tmp_path: Path) -> None:
    import pyarrow.parquet

    expected, full = (lines(wirecopy("find", pile, *flags).stdout) for flags in ([], ["--text"]))
    for name, flag in (("m.jsonl", "--jsonl"), ("m.csv", "--csv"), ("m.parquet", "--parquet")):
        for options in ([flag, "-o", tmp_path / name], ["--output", tmp_path / f"by-{name}"]):
            ran = wirecopy("find", pile, *options)
            assert (ran.returncode, ran.stdout) == (0, b"")
    for prefix in ("", "by-"):
        assert lines((tmp_path / f"{prefix}m.jsonl").read_bytes()) == expected
        assert pyarrow.parquet.read_table(tmp_path / f"{prefix}m.parquet").to_pylist() == full
        rows = list(csv.DictReader(io.StringIO((tmp_path / f"{prefix}m.csv").read_text())))
        assert [(row["query"], row["found"], row["relation"]) for row in rows] == [
            (match["query"], match["found"], match["relation"]) for match in expected
        ]
        assert [int(row["words"]) for row in rows] == [
            sum(passage["words"] for passage in match["passages"]) for match in expected
        ]
    assert list(csv.DictReader(io.StringIO(wirecopy("find", pile, "--csv").stdout.decode()))) == rows


def test_stdin_is_a_pile(pile: Path) -> None:
    ran = wirecopy("find", "-", "-q", input=pile.read_bytes())
    assert ran.returncode == 0
    assert ran.stdout == wirecopy("find", pile, "-q").stdout


def test_a_terminal_gets_a_table(pile: Path) -> None:
    code, shown = on_terminal("find", pile, width=120)
    assert code == 0
    check_table(shown)
    assert "10 articles, 3 candidates, 0 formulas" in shown


def test_a_terminal_gets_a_table_without_progress_when_quiet(pile: Path) -> None:
    code, shown = on_terminal("find", pile, "--quiet", width=120)
    assert code == 0
    check_table(shown)


def check_table(shown: str) -> None:
    assert "identical" in shown
    assert "3 matches: 1 identical, 2 partial" in shown
    assert "{" not in shown


def test_a_table_fits_a_terminal_of_eighty_columns(pile: Path) -> None:
    _, shown = on_terminal("find", pile, "--quiet", width=80)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert plain[0].split() == ["relation", "date", "source", "title", "id"]
    assert max(map(len, plain[:-1])) <= 80


@pytest.mark.parametrize("flags", [["--quiet"], []])
def test_no_articles_are_no_mistake_but_said(tmp_path: Path, flags: list[str]) -> None:
    ran = wirecopy("find", tmp_path, *flags)
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert "no articles found" in talk(ran)


def test_a_query_file_limits_the_answer_to_its_articles(pile: Path, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "new.jsonl").write_bytes(jsonl({"id": "new", "text": join(words)}))
    matches = lines(wirecopy("find", pile, "--query", tmp_path / "new.jsonl").stdout)
    assert {(match["query"], match["found"]) for match in matches} == {
        *(("new", "a"), ("new", "b"), ("new", "c"))
    }


@pytest.mark.parametrize("options", [[], ["--method", "exact", "--decide", "method"]], ids=str)
def test_a_query_file_without_articles_finds_nothing(pile: Path, tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "new.jsonl").write_text("not json\n")
    ran = wirecopy("find", pile, "--query", tmp_path / "new.jsonl", *options)
    assert (ran.returncode, ran.stdout) == (3, b"")


def test_options_reach_the_engine(pile: Path) -> None:
    assert len(lines(wirecopy("find", pile, "--preset", "strict", "--threads", 1).stdout)) == 3
    exact = lines(wirecopy("find", pile, "--method", "exact", "--pairs", "all").stdout)
    assert [match["methods"] for match in exact] == [["exact"]]
    both = lines(wirecopy("find", pile, "--method", "winnowing:window_words=8", "--method", "exact").stdout)
    assert [match["methods"] for match in both] == [["winnowing"], ["winnowing", "exact"], ["winnowing"]]


def test_other_field_names_are_named(tmp_path: Path, words: list[str]) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(
        jsonl(
            *(
                {"name": name, "body": join(words), "when": when}
                for name, when in (("a", "2020"), ("b", "2019-01-01"))
            )
        )
    )
    ran = wirecopy("find", path, "--text-field", "body", "--id-field", "name", "--published-field", "when")
    assert ran.returncode == 0
    assert [(match["query"], match["found"]) for match in lines(ran.stdout)] == [("a", "b")]


@pytest.mark.parametrize("command", ["find", "add", "check"])
def test_a_field_that_no_record_has_is_named(tmp_path: Path, command: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"slug": "a", "text": "x"}\n{"slug": "b", "text": "y"}\n')
    (tmp_path / "note.txt").write_text("A text has an id whatever is asked for.")
    archive = [tmp_path / "archive"] if command != "find" else []
    assert wirecopy("add", tmp_path / "archive", path).returncode == 0
    arguments = (command, *archive, path, tmp_path / "note.txt", "--id-field")
    said = talk(wirecopy(*arguments, "nosuch", "--published-field", "when"))
    assert "no record has the field 'nosuch'\nno record has the field 'when'\n" in said
    assert "no record has" not in talk(wirecopy(*arguments, "slug"))


def test_boilerplate_goes_to_its_file(tmp_path: Path) -> None:
    writer = Writer(23)
    formula = writer.write(30)
    path, out = tmp_path / "p.jsonl", tmp_path / "formulas.jsonl"
    path.write_bytes(
        jsonl(*({"id": str(number), "text": join(writer.write(150) + formula)} for number in range(30)))
    )
    ran = wirecopy("find", path, "--boilerplate", out)
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert "1 formula left out" in talk(ran)
    (shown,) = lines(out.read_bytes())
    assert set(shown) == {"articles", "example", "article"}
    assert shown["articles"] == 30
    assert shown["example"].lower().replace(".", "").split() == formula


# What goes wrong.


def test_a_folder_of_odd_files_is_read_and_each_bad_record_named(tmp_path: Path, words: list[str]) -> None:
    writer = Writer(24)
    text, other = join(words), writer.text(90)
    (tmp_path / "good.txt").write_text(text)
    (tmp_path / "binary.dat").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "broken.txt").write_bytes(bytes(range(128, 256)) * 10)
    long = (other + " ") * 90_000
    (tmp_path / "long.txt").write_text(long.replace("\n", " ")[: 50 << 20])
    (tmp_path / "records.jsonl").write_text(
        json.dumps({"id": "one", "text": text})
        + "\nnot json\n"
        + json.dumps({"id": "two", "title": "no text"})
        + "\n"
        + json.dumps({"id": "three", "text": writer.text(50)})
        + '\n{"id": "four", "text": "cut o\n'
        + json.dumps({"id": "five", "text": other})
        + "\n"
    )
    ran = wirecopy("find", tmp_path)
    assert ran.returncode == 3, ran.stderr
    found = {(match["query"], match["found"]) for match in lines(ran.stdout)}
    assert ("one", "good.txt") in found
    assert any({"five", "long.txt"} == set(pair) for pair in found)
    skipped = [line for line in talk(ran).splitlines() if line.startswith("skipped: ")]
    files = ("binary.dat", "picture.png", "empty.txt", "broken.txt")
    for place in (*files, "records.jsonl:2", "records.jsonl:3", "records.jsonl:5"):
        assert sum(re.search(re.escape(place) + r"\b", line) is not None for line in skipped) == 1, place
    assert all(line.count(": ") >= 2 for line in skipped), "a place and a reason"
    assert f"{len(skipped)} records skipped" in talk(ran)


def test_skipped_records_are_named_even_when_quiet(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": "a", "text": "x"}\nbad\n{"id": "a", "text": "y"}\n')
    ran = wirecopy("find", path, "-q")
    assert ran.returncode == 3
    assert "p.jsonl:2" in talk(ran)
    assert "p.jsonl:3: an article with the id 'a'" in talk(ran)
    assert "2 records skipped" in talk(ran)
    path.write_text('{"id": "a", "text": "x"}\nbad\n')
    assert "1 record skipped\n" in talk(wirecopy("find", path, "-q"))


def test_a_repeated_id_is_named_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}\n')
    assert "p.jsonl:2" in talk(wirecopy("find", path, "-q"))


def test_a_repeated_id_is_named_with_its_place_in_every_kind_of_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [{"id": "1", "text": "a"}, {"id": "1", "text": "b"}]
    Path("a.json").write_text(json.dumps(rows))
    Path("b.csv").write_text("id,text\n1,a\n")
    pq.write_table(pa.Table.from_pylist(rows), "c.parquet")
    pa.feather.write_feather(pa.Table.from_pylist(rows), "d.arrow")
    Path("e").mkdir()
    Path("e", "1").write_text("a")
    said = talk(
        wirecopy(
            "find", "a.json", "b.csv", "c.parquet", "d.arrow", "e", "e/1", "-q", "--skipped", "skipped.jsonl"
        )
    )
    places = ["a.json:2", "b.csv:2", "c.parquet:1", "c.parquet:2", "d.arrow:1", "d.arrow:2", "e/1", "e/1"]
    reason = "an article with the id '1' was read before; give each its own"
    assert lines(Path("skipped.jsonl").read_bytes()) == [
        {"where": place, "reason": reason} for place in places
    ]
    assert said.endswith("\n8 records skipped\n")


def write_family(folder: Path) -> Path:
    """An answer of more than a pipe holds."""
    text = Writer(25).text(60)
    (folder / "p.jsonl").write_bytes(jsonl(*({"id": f"{number:04}", "text": text} for number in range(3000))))
    return folder / "p.jsonl"


def test_a_reader_that_leaves_early_is_told_nothing(tmp_path: Path) -> None:
    path = write_family(tmp_path)
    for command in (f"find {path}", f"find {path} --csv"):
        ran = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {PROGRAM} {command} | head -1"],
            capture_output=True,
            check=False,
            timeout=120,
        )
        assert ran.stdout.count(b"\n") == 1
        assert "Exception" not in talk(ran)
        assert "Broken" not in talk(ran)


def test_a_reader_that_leaves_early_gets_exit_code_0(tmp_path: Path) -> None:
    path = write_family(tmp_path)
    command = f"set -o pipefail; {PROGRAM} find {path} | head -1"
    assert (
        subprocess.run(["bash", "-c", command], capture_output=True, check=False, timeout=120).returncode == 0
    )
