"""The same options mean the same everywhere; what is mistyped or swapped is noticed; exit codes say what came out."""

from __future__ import annotations

import csv
import os
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from program import PROGRAM, on_terminal, talk, wirecopy
from records import jsonl, lines

from quality.texts import Writer
from wirecopy.cli import SECTIONS, app

FIELDS = {
    *("text_field", "id_field", "published_field", "title_field", "source_field"),
    *("author_field", "language_field", "url_field", "date_format", "encoding"),
}


def options_of(command: str) -> dict[str, click.Option]:
    return {one.name or "": one for one in app.commands[command].params if isinstance(one, click.Option)}


def test_the_help_has_all_commands_by_task() -> None:
    assert sorted(name for names in SECTIONS.values() for name in names) == sorted(app.commands)
    shown = CliRunner().invoke(app, ["--help"]).stdout
    places = [shown.index(f"\n  {name} ") for names in SECTIONS.values() for name in names]
    assert places == sorted(places)


A_FORM_OF_ITS_OWN = {("extract", "html")}
"""What `extract` writes is pages for a person or texts, and `--html` says which, as `--jsonl` does; elsewhere it names a file."""


@pytest.mark.parametrize("command", sorted(app.commands))
def test_an_option_is_spelt_and_meant_as_in_every_other_command(command: str) -> None:
    mine = options_of(command)
    assert mine["quiet"].opts == ["-q", "--quiet"]
    if "output" in mine:
        assert mine["output"].opts == ["-o", "--output"]
    if FIELDS & set(mine):
        assert set(mine) >= FIELDS
    for other in app.commands:
        for name, option in options_of(other).items():
            if name in mine and not A_FORM_OF_ITS_OWN & {(command, name), (other, name)}:
                assert (mine[name].opts, mine[name].is_flag) == (option.opts, option.is_flag), (other, name)


def test_fields_can_be_named_wherever_articles_are_read() -> None:
    assert {name for name in app.commands if set(options_of(name)) >= FIELDS} == {
        *("find", "stories", "graph", "dedup", "show", "compare", "add", "check", "watch", "weigh", "tune"),
        *("report", "pool", "evaluate", "reproduce", "spark"),
    }


def test_rows_come_as_json_lines_and_csv() -> None:
    assert {name for name in app.commands if {"jsonl", "csv", "raw", "output"} <= set(options_of(name))} == {
        *("find", "stories", "graph", "check", "pairs", "tune", "pool")
    }
    assert {name for name in app.commands if "jsonl" in options_of(name)} == {
        *("find", "stories", "graph", "check", "pairs", "tune", "pool", "watch", "extract")
    }


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an archive of three articles, one of them again as a text, and files that are none."""
    place = tmp_path_factory.mktemp("place")
    texts = [Writer(number).text(80) for number in range(4)]
    records = [
        {"id": f"n{number}", "text": text, "date": "03/04/2021"} for number, text in enumerate(texts[:3])
    ]
    (place / "news.jsonl").write_bytes(jsonl(*records))
    (place / "copy.jsonl").write_bytes(jsonl({"id": "copy", "text": texts[0]}))
    (place / "own.jsonl").write_bytes(jsonl({"id": "own", "text": texts[3]}))
    (place / "half.jsonl").write_bytes(jsonl({"id": "half", "text": f"{texts[1]} {texts[3]}"}, {"id": "x"}))
    (place / "wrong.jsonl").write_bytes(jsonl(*({"article_body": "x", "headline": "y"} for _ in range(9))))
    (place / "latin.jsonl").write_bytes('{"text": "café"}\n'.encode("latin1"))
    assert wirecopy("add", "news.db", "news.jsonl", "-q", cwd=place).returncode == 0
    return place


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("check news.db own.jsonl --fail-over 0.5", 0, ""),
        ("check news.db copy.jsonl --fail-over 0.5", 4, "1 text copied by more than 50%\n"),
        ("check news.db copy.jsonl own.jsonl --fail-over 0.5 -q", 4, ""),
        ("check news.db half.jsonl --fail-over 0.9", 3, "skipped: half.jsonl:2: "),
        ("check news.db half.jsonl --fail-over 0", 4, "1 text copied by more than 0%"),
        ("check news.db copy.jsonl --fail-over 2", 2, "--fail-over"),
        (
            "check news.db copy.jsonl --fail-over 0 --decide method",
            2,
            "--fail-over: not with --decide method",
        ),
    ],
)
def test_a_text_that_is_copied_too_much_has_its_exit_code(
    command: str, code: int, said: str, place: Path
) -> None:
    ran = wirecopy(*command.split(), cwd=place)
    assert ran.returncode == code, talk(ran)
    assert said in talk(ran) if said else talk(ran) == ""


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (
            "find news.db",
            3,
            "skipped: news.db: a SQLite file; the copies in an archive are found by wirecopy pairs news.db",
        ),
        (
            "check copy.jsonl news.db",
            2,
            "copy.jsonl is no archive, news.db may be one: wirecopy check news.db copy.jsonl",
        ),
        (
            "add news.jsonl news.db",
            2,
            "news.jsonl is no archive, news.db may be one: wirecopy add news.db news.jsonl",
        ),
        ("find news.jsonl -o out.xlsx", 2, "out.xlsx: expected .csv, .tsv, .jsonl or .parquet, got .xlsx"),
        ("find news.jsonl -o out.jsonl.gz", 2, "expected .csv, .tsv, .jsonl or .parquet, got .gz"),
        ("find wrong.jsonl --text-field articlebody", 3, "did you mean --text-field article_body?"),
        ("find wrong.jsonl", 3, "did you mean --text-field article_body?"),
        ("find latin.jsonl", 3, "name its encoding, such as --encoding latin1"),
        ("find news.jsonl --encoding latin99", 2, "expected one such as latin1 or cp1251, got 'latin99'"),
        ("find news.jsonl --date-format %Q", 2, "expected one such as %d/%m/%Y, got '%Q'"),
        (
            "find news.jsonl",
            0,
            "3 dates cannot be read, such as '03/04/2021': counted as missing; name their form",
        ),
        ("find nowhere.jsonl", 1, "nowhere.jsonl"),
    ],
)
@pytest.mark.parametrize("width", [80, 120])
def test_a_mistake_is_told_with_the_way_out(
    command: str, code: int, said: str, width: int, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    ended, shown = on_terminal(*command.split(), width=width)
    assert ended == code, shown
    assert said in shown
    assert "Traceback" not in shown
    assert not list(place.glob("out*"))


def test_the_name_of_the_output_says_its_form(place: Path, tmp_path: Path) -> None:
    for name in ("a.csv", "a.tsv", "a.jsonl", "a", "a.CSV"):
        done = wirecopy("check", "news.db", "copy.jsonl", "-o", tmp_path / name, cwd=place)
        assert done.returncode == 0, talk(done)
    rows = [
        list(csv.reader((tmp_path / name).open(), delimiter=sign))
        for name, sign in (("a.csv", ","), ("a.tsv", "\t"))
    ]
    assert rows[0] == rows[1]
    assert rows[0][1][:3] == ["copy", "n0", "identical"]
    assert (tmp_path / "a.CSV").read_bytes() == (tmp_path / "a.csv").read_bytes()
    assert (tmp_path / "a").read_bytes() == (tmp_path / "a.jsonl").read_bytes()
    assert lines((tmp_path / "a").read_bytes())[0]["query"] == "copy"


def test_the_shell_completes_commands_and_options() -> None:
    for words, expected in (("wirecopy che", "check"), ("wirecopy check --fai", "--fail-over")):
        asked = {
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
            "_WIRECOPY_COMPLETE": "bash_complete",
        }
        ran = subprocess.run([PROGRAM], capture_output=True, check=True, env={**os.environ, **asked})
        assert ran.stdout.decode() == f"plain,{expected}\n"
