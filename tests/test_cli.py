"""The command line: how every command explains itself and ends, and the small commands."""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from pathlib import Path

import pytest
from program import on_terminal, talk, wirecopy
from records import lines
from texts import Writer, join

from wirecopy import methods
from wirecopy.statistics import Statistics

COMMANDS = (
    *("find", "extract", "train", "weigh", "tune", "compare", "methods", "demo"),
    *("add", "check", "watch", "remove", "expire", "info", "verify", "compact", "pairs", "export"),
)
DECIDE = ("--decide", "method", "--method")


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_command_explains_itself(command: tuple[str, ...], flag: str) -> None:
    ran = wirecopy(*command, flag)
    assert ran.returncode == 0
    assert ran.stderr == b""
    assert "Usage" in ran.stdout.decode()
    if not command:
        assert all(name in ran.stdout.decode() for name in COMMANDS)


def test_the_version_is_that_of_the_package() -> None:
    ran = wirecopy("--version")
    assert (ran.returncode, ran.stdout.decode()) == (0, f"wirecopy {version('wirecopy')}\n")


def test_no_command_shows_the_help() -> None:
    ran = wirecopy()
    assert "Usage" in (ran.stdout + ran.stderr).decode()
    assert ran.returncode == 2


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["find"], 2, "PATH"),
        (["find", "nowhere.jsonl"], 1, "nowhere.jsonl"),
        (["find", ""], 1, "'': no such file or folder"),
        (["find", "p.jsonl", "--query", ""], 1, "'': no such file or folder"),
        (["find", "p.jsonl", "--preset", "lax"], 2, "lax"),
        (["find", "p.jsonl", "--threads", "0"], 2, "threads"),
        (["find", "p.jsonl", "--threads", "many"], 2, "--threads"),
        (["find", "p.jsonl", "--pairs", "some"], 2, "some"),
        (["find", "p.jsonl", "--method", "magic"], 2, "no method named 'magic'"),
        (["find", "p.jsonl", "--method", "winnowing:zeal=1"], 2, "no parameter zeal"),
        (["find", "p.jsonl", "--method", "winnowing:window_words"], 2, "expected parameter=value"),
        (["find", "p.jsonl", "--method", "winnowing:window_words=0"], 2, "from 1 to 65536"),
        (["find", "p.jsonl", "--parquet"], 2, "--output"),
        (["find", "p.jsonl", "--csv", "--jsonl"], 2, "one form at a time"),
        (["find", "p.jsonl", "--nonsense"], 2, "nonsense"),
        (
            ["find", "p.jsonl", "-o", "no/such/folder.jsonl"],
            1,
            "folder.jsonl: cannot be written: no such folder",
        ),
        (["find", "nowhere.jsonl", "-o", "."], 1, ".: cannot be written: a folder"),
        (["find", "nowhere.jsonl", "--boilerplate", "no/b"], 1, "no/b: cannot be written: no such folder"),
        (["find", "p.jsonl", "--publish-field", "when"], 2, "--published-field"),
        (["find", "p.jsonl", "--query", "nowhere.jsonl"], 1, "nowhere.jsonl"),
        (["find", "p.jsonl", "--decide", "vote"], 2, "vote"),
        (["find", "p.jsonl", "--decide", "method"], 2, "needs one method: name it"),
        (["find", "p.jsonl", *DECIDE, "document_image"], 2, "only ranks: give it a query, or a threshold"),
        (["find", "p.jsonl", *DECIDE, "exact", "--method", "cosine"], 2, "needs one method"),
        (["find", "p.jsonl", *DECIDE, "exact", "--top", "3"], 2, "top: expected 1 or more, with"),
        (["find", "p.jsonl", *DECIDE, "exact", "--query", "p.jsonl", "--top", "0"], 2, "--top"),
        (["find", "p.jsonl", *DECIDE, "cosine:stemmer=klingon"], 2, "expected a stemmer"),
        (["find", "p.jsonl", *DECIDE, "cosine:threshold=NaN"], 2, "expected 0 < threshold <= 1, got nan"),
        (["find", "p.jsonl", *DECIDE, "cosine", "--statistics", "nowhere"], 1, "nowhere"),
        (
            ["find", "p.jsonl", *DECIDE, "cosine", "--statistics", "p.jsonl"],
            1,
            "p.jsonl: expected statistics",
        ),
        (["find", "p.jsonl", *DECIDE, "cosine", "--statistics", "stems"], 1, "view of the statistics"),
        (["find", "p.jsonl", "--method", "cosine", "--statistics", "stems"], 1, "view of the statistics"),
        (["find", "p.jsonl", *DECIDE, "exact", "--verdicts", "no/v"], 1, "no/v: cannot be written"),
        (["weigh", "cosine", "p.jsonl"], 2, "--output"),
        (["weigh", "cosine", "-o", "words"], 2, "PATH"),
        (["weigh", "magic", "p.jsonl", "-o", "words"], 2, "no method named 'magic'"),
        (["weigh", "cosine:zeal=1", "p.jsonl", "-o", "words"], 2, "no parameter zeal"),
        (["weigh", "cosine", "nowhere.jsonl", "-o", "words"], 1, "nowhere.jsonl"),
        (["weigh", "cosine", "p.jsonl", "-o", "no/words"], 1, "no/words: cannot be written"),
        (["compare", "p.jsonl", "p.jsonl", "-o", "no/m.json"], 1, "cannot be written"),
        (["compare", "two.jsonl", "p.jsonl"], 1, "expected one text, got 2 articles"),
        (["compare", "p.jsonl"], 2, "FOUND"),
        (["compare", "p.jsonl", "nowhere.txt"], 1, "nowhere.txt"),
        (["compare", "p.jsonl", "latin.txt"], 1, "not UTF-8"),
        (["compare", "p.jsonl", "."], 1, "."),
        (["methods", "magic"], 2, "no method named 'magic'"),
        (["gather"], 2, "gather"),
        (["demo", "p.jsonl"], 1, "p.jsonl"),
    ],
)
def test_errors_end_with_their_code_and_a_sentence(
    arguments: list[str], code: int, said: str, tmp_path: Path
) -> None:
    (tmp_path / "p.jsonl").write_text('{"id": "a", "text": "x"}\n')
    (tmp_path / "two.jsonl").write_text('{"id": "a", "text": "x"}\n{"id": "b", "text": "y"}\n')
    (tmp_path / "latin.txt").write_bytes("café".encode("latin-1"))
    Statistics.count([], methods.get("codet").view).save(tmp_path / "stems")
    ran = wirecopy(*arguments, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (code, b""), ran.stderr
    assert said in talk(ran)


@pytest.mark.parametrize(
    "method", ["winnowing:window_words=many", "winnowing:window_words=2.5", "winnowing:window_words=99999"]
)
def test_a_parameter_of_the_wrong_type_is_wrong_usage(method: str, pile: Path) -> None:
    ran = wirecopy("find", pile, "--method", method)
    talk(ran)
    assert ran.returncode == 2


# compare, methods, demo


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("two")
    writer = Writer(26)
    (folder / "query.txt").write_text(join(writer.write(30) + words[:60] + writer.write(20)))
    (folder / "found.txt").write_text(join(words))
    return folder / "query.txt", folder / "found.txt"


def test_compare_shows_both_texts_side_by_side_in_colour(two: tuple[Path, Path]) -> None:
    code, shown = on_terminal("compare", *two)
    assert code == 0
    assert "\x1b[32m" in shown
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "query.txt" in plain
    assert "found.txt" in plain
    assert re.search(r"\S+( +\S+)+ {2,}\S+", plain), "two columns"
    assert "60 words" in plain


def test_compare_says_so_where_there_is_no_copy(two: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text(Writer(27).text(90))
    code, shown = on_terminal("compare", two[0], tmp_path / "other.txt")
    assert code == 0
    assert "no copy: no common passage of 20 words" in shown
    ran = wirecopy("compare", two[0], tmp_path / "other.txt")
    assert (ran.returncode, ran.stdout) == (0, b"null\n")


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_compare_writes_a_match_as_json(two: tuple[Path, Path], flags: list[str], tmp_path: Path) -> None:
    ran = wirecopy("compare", *two, *flags)
    (match,) = lines(ran.stdout)
    assert ran.returncode == 0
    assert match["relation"] == "partial"
    assert [passage["words"] for passage in match["passages"]] == [60]
    assert wirecopy("compare", *two, *flags, "-o", tmp_path / "m.json").stdout == b""
    assert lines((tmp_path / "m.json").read_bytes()) == [match]


def test_compare_reads_stdin(two: tuple[Path, Path]) -> None:
    ran = wirecopy("compare", "-", two[1], input=two[0].read_bytes())
    assert ran.returncode == 0
    assert lines(ran.stdout)[0]["relation"] == "partial"


def test_methods_are_listed_and_described() -> None:
    listed = wirecopy("methods")
    assert listed.returncode == 0
    for word in ("exact", "winnowing", "Schleimer", "window_words=16"):
        assert word in listed.stdout.decode()
    described = wirecopy("methods", "winnowing").stdout.decode()
    assert "Guarantees" in described
    assert "window_words = 16" in described
    assert [one["name"] for one in json.loads(wirecopy("methods", "--json").stdout)] == methods.names()
    assert json.loads(wirecopy("methods", "exact", "--json").stdout)["parameters"] == {}


def test_demo_writes_an_archive_and_scores_itself(tmp_path: Path) -> None:
    ran = wirecopy("demo", tmp_path / "archive", "--run")
    assert ran.returncode == 0
    last = ran.stdout.decode().splitlines()[-1]
    found = re.search(r"precision ([\d.]+)\s+recall ([\d.]+)", last)
    assert found, last
    assert float(found[1]) > 0.95
    assert float(found[2]) > 0.95
    assert re.search(
        r"^(the answer is the same as|\d+ pairs are not as) from the texts$", ran.stdout.decode(), re.M
    )
    assert (tmp_path / "archive" / "truth.jsonl").exists()
    talk(ran)
