"""The command line: how every command explains itself and ends, and the small commands."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner
from program import PROGRAM, hear_interrupts, ids, on_terminal, talk, wirecopy
from records import jsonl, lines
from reports import read_report

from quality.texts import Writer, join
from wirecopy import methods
from wirecopy.cli import app
from wirecopy.statistics import Statistics

COMMANDS = (
    *("find", "extract", "train", "weigh", "tune", "show", "compare", "methods", "demo", "spark"),
    *("pool", "evaluate", "reproduce", "report"),
    *("stories", "graph", "dedup", "serve", "token", "webhook", "judge"),
    *("add", "check", "watch", "remove", "expire", "info", "verify", "compact", "pairs", "export", "backup"),
)
DECIDE = ("--decide", "method", "--method")


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_every_command_explains_itself(command: tuple[str, ...]) -> None:
    """As a process of its own each is run by `test_readme.py`, for docs/cli.md."""
    ran, short = (CliRunner().invoke(app, [*command, flag]) for flag in ("--help", "-h"))
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert ran.stdout.startswith("Usage: ")
    assert short.output == ran.output
    if not command:
        assert all(name in ran.stdout for name in COMMANDS)
    page = (Path(__file__).parents[1] / "docs" / "cli.md").read_text("utf-8")
    assert f"$ {' '.join(('wirecopy', *command, '--help'))}\n" in page


def test_these_are_all_commands() -> None:
    assert app.commands.keys() == set(COMMANDS)


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
        (["find", "p.jsonl", "--decide", "method"], 2, "--decide method: needs one --method, got 0"),
        (
            ["find", "p.jsonl", *DECIDE, "document_image"],
            2,
            "document_image only ranks: give it a query, or a threshold",
        ),
        (["find", "p.jsonl", *DECIDE, "exact", "--method", "cosine"], 2, "needs one --method, got 2"),
        (
            ["find", "p.jsonl", *DECIDE, "exact", "--top", "3"],
            2,
            "--top: the best of a ranking, which needs --decide method and --query FILE",
        ),
        (
            ["find", "p.jsonl", "--query", "p.jsonl", "--top", "3"],
            2,
            "--top: the best of a ranking, which needs --decide method and --query FILE",
        ),
        (
            ["find", "p.jsonl", "--top", "3"],
            2,
            "--top: the best of a ranking, which needs --decide method and",
        ),
        (["find", "p.jsonl", *DECIDE, "exact", "--query", "p.jsonl", "--top", "0"], 2, "--top"),
        (["find", "p.jsonl", *DECIDE, "cosine:stemmer=klingon"], 2, "expected a stemmer"),
        (
            ["find", "p.jsonl", "--method", "dsc:stopwords=english"],
            2,
            'one alone as "english,"), got english',
        ),
        (
            ["weigh", "cosine:stopwords=xx", "p.jsonl", "-o", "words"],
            2,
            "expected stopwords, the code of a language",
        ),
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
        (["compare", "p.jsonl", "stems"], 1, "stems: not a text: a NUL at byte "),
        (["compare", "p.jsonl", "."], 1, "stems: not a text"),
        (["methods", "magic"], 2, "no method named 'magic'"),
        (["gather"], 2, "gather"),
        (["demo", "p.jsonl"], 1, "p.jsonl: a file; name a folder"),
        (["demo", "/proc/nowhere"], 1, "wirecopy: /proc/nowhere: No such file or directory"),
        (["find", "p.jsonl", "-o", "/proc/nowhere"], 1, "/proc/nowhere: cannot be written: No such file"),
        (["weigh", "cosine", "p.jsonl", "-o", ".full"], 1, ".full: cannot be written: No space left"),
        (["find", "p.jsonl", "--csv", "-o", ".full"], 1, ".full: cannot be written: No space left"),
        (
            ["find", "p.jsonl", "--parquet", "-o", ".full"],
            1,
            ".full: cannot be written: No space left",
        ),
        (["find", "p.jsonl", "--boilerplate", "/proc/b"], 1, "/proc/b: cannot be written: No such file"),
        (["extract", "latin.txt", "--model", "latin.txt"], 1, "latin.txt: not a model: not UTF-8"),
    ],
)
def test_errors_end_with_their_code_and_a_sentence(
    arguments: list[str], code: int, said: str, tmp_path: Path
) -> None:
    (tmp_path / "p.jsonl").write_text('{"id": "a", "text": "x"}\n')
    (tmp_path / "two.jsonl").write_text('{"id": "a", "text": "x"}\n{"id": "b", "text": "y"}\n')
    (tmp_path / "latin.txt").write_bytes("café".encode("latin-1"))
    (tmp_path / ".full").symlink_to("/dev/full")
    Statistics.count([], methods.get("codet").view).save(tmp_path / "stems")
    ran = wirecopy(*arguments, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (code, b""), ran.stderr
    assert said in talk(ran)
    assert (tmp_path / ".full").is_symlink()


@pytest.mark.parametrize(
    "method", ["winnowing:window_words=many", "winnowing:window_words=2.5", "winnowing:window_words=99999"]
)
def test_a_parameter_of_the_wrong_type_is_wrong_usage(method: str, pile: Path) -> None:
    ran = wirecopy("find", pile, "--method", method)
    talk(ran)
    assert ran.returncode == 2


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("find one.jsonl", "1 article, 0 candidates, 0 matches, 0 formulas left out as boilerplate"),
        ("find two.jsonl", "2 articles, 1 candidate, 1 match, 0 formulas left out as boilerplate"),
        ("find one.jsonl --method exact --decide method", "1 article\n"),
        ("weigh cosine one.jsonl -o words", "1 word of 1 article\n"),
        ("add new.db one.jsonl", "1 added; 1 article in new.db"),
        ("find undated.jsonl", "1 date cannot be read, such as "),
    ],
)
def test_one_thing_is_not_several(command: str, said: str, tmp_path: Path) -> None:
    text = Writer(64).text(60)
    (tmp_path / "one.jsonl").write_bytes(jsonl({"id": "a", "text": "x"}))
    (tmp_path / "two.jsonl").write_bytes(jsonl({"id": "a", "text": text}, {"id": "b", "text": text}))
    (tmp_path / "undated.jsonl").write_bytes(jsonl({"id": "a", "text": "x", "published": "of old"}))
    assert said in talk(wirecopy(*command.split(), cwd=tmp_path))


NARROW: tuple[dict[str, str], ...] = (
    {"PYTHONIOENCODING": "latin1"},
    {"PYTHONIOENCODING": "ascii:strict"},
    {"LC_ALL": "C", "PYTHONUTF8": "0"},
)
"""Environments in which Python would write something else than UTF-8."""


@pytest.mark.parametrize("narrow", NARROW, ids=str)
def test_data_are_utf8_in_any_locale(narrow: dict[str, str], tmp_path: Path) -> None:
    text = f"“Déjà vu” \N{GRINNING FACE} 中 {Writer(63).text(60)}"
    (tmp_path / "p.html").write_text(
        f"<html><title>“é”</title><body><article><p>{text}</p></article>", "utf-8"
    )
    (tmp_path / "two.jsonl").write_bytes(jsonl({"id": "ä“", "text": text}, {"id": "中", "text": text}))
    for arguments in (
        ["extract", "p.html"],
        ["extract", "p.html", "--jsonl"],
        ["find", "two.jsonl"],
        ["find", "two.jsonl", "--csv"],
    ):
        usual = wirecopy(*arguments, cwd=tmp_path)
        ran = wirecopy(*arguments, cwd=tmp_path, env={**os.environ, **narrow})
        talk(ran)
        assert (ran.returncode, ran.stdout) == (0, usual.stdout)
        assert "“" in ran.stdout.decode()
    assert wirecopy("add", "a.db", "two.jsonl", cwd=tmp_path).returncode == 0
    ran = wirecopy("remove", "a.db", "-", cwd=tmp_path, input="ä“\n".encode(), env={**os.environ, **narrow})
    assert "1 article removed" in talk(ran)


@pytest.mark.parametrize("narrow", NARROW, ids=str)
def test_a_terminal_shows_what_it_lacks_as_an_escape(
    narrow: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in narrow.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "p.html").write_text(
        f"<body><article><p>\u201cOh {Writer(63).text(60)}</p></article>", "utf-8"
    )
    code, shown = on_terminal("extract", tmp_path / "p.html", "--quiet")
    assert code == 0, shown
    assert "\\u201cOh" in shown


def test_a_name_that_is_not_utf8_can_be_written(words: list[str], tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")
    Path(name).write_text(join(words))
    ran = wirecopy("compare", name, name)
    assert json.loads(ran.stdout)["query"] == name, talk(ran)
    assert wirecopy("compare", name, name, "-o", tmp_path / "m.json").returncode == 0
    assert (tmp_path / "m.json").read_bytes() == ran.stdout


CLOSED = {
    "find own.jsonl": (0, 1),
    "find -": (3, 1),
    "find own.jsonl -o answer.csv": (0, 0),
    "add news.db own.jsonl": (0, 0),
    "check news.db -": (3, 1),
    "check news.db own.jsonl": (0, 1),
    "remove news.db -": (1, 3),
    "watch news.db": (1, 1),
    "pairs news.db": (0, 1),
    "export news.db": (0, 1),
    "verify news.db": (0, 0),
    "info news.db": (0, 1),
    "compare a.txt a.txt": (0, 1),
    "extract -": (3, 3),
    "methods": (0, 1),
    "--help": (0, 1),
    "find no-such-file": (1, 1),
    "no-such-command": (2, 2),
}
"""Exit codes with stdin closed, and with stdout closed: data that cannot be read or written is an error."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> Path:
    folder = tmp_path_factory.mktemp("desk")
    text = join(words[:200])
    (folder / "a.txt").write_text(text)
    (folder / "own.jsonl").write_bytes(jsonl({"id": "1", "text": text}, {"id": "2", "text": text}))
    wirecopy("add", "news.db", "own.jsonl", cwd=folder)
    return folder


def run_closed(command: str, closed: str, desk: Path) -> subprocess.CompletedProcess[bytes]:
    given = (desk / "own.jsonl").read_bytes()
    script = f'exec "$0" {command} {closed}'
    return subprocess.run(
        ["sh", "-c", script, PROGRAM], capture_output=True, cwd=desk, input=given, check=False, timeout=120
    )


@pytest.mark.parametrize("command", CLOSED)
def test_closed_streams_are_no_reason_for_a_traceback(command: str, desk: Path) -> None:
    no_stdin, no_stdout = (run_closed(command, closed, desk) for closed in ("<&-", ">&-"))
    assert (no_stdin.returncode, no_stdout.returncode) == CLOSED[command], talk(no_stdin) + talk(no_stdout)
    open_, no_stderr = (run_closed(command, closed, desk) for closed in ("", "2>&-"))
    assert (no_stderr.returncode, no_stderr.stdout) == (open_.returncode, open_.stdout)
    assert run_closed(command, "<&- >&- 2>&-", desk).returncode < 4
    assert ids(desk / "news.db") == {"1", "2"}


def test_an_answer_that_nobody_can_get_is_named(desk: Path) -> None:
    ran = run_closed("find own.jsonl -q", ">&-", desk)
    assert talk(ran) == "wirecopy: stdout: cannot be written: Bad file descriptor\n"


RUN_AS_MODULE = "import runpy; runpy.run_module('wirecopy', run_name='__main__')"


@pytest.mark.parametrize("module", ["click", "numpy", "wirecopy._core", "wirecopy.pile", "wirecopy.cli.show"])
def test_ctrl_c_while_the_program_loads_is_no_traceback(module: str) -> None:
    program = f"""
import os, signal, sys
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            try:
                os.kill(os.getpid(), signal.SIGINT)
                for _ in range(1000): pass
            except KeyboardInterrupt as error:  # as Python does where a class or a hook is at work
                raise RuntimeError("interrupted within") from error
sys.meta_path.insert(0, Interrupted())
from wirecopy.__main__ import main
main()
"""
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=False,
        timeout=120,
        preexec_fn=hear_interrupts,
    )
    assert (ran.returncode, talk(ran)) == (130, "wirecopy: interrupted\n")


@pytest.mark.parametrize("start", ["from wirecopy.__main__ import main; main()", RUN_AS_MODULE])
def test_ctrl_c_at_the_first_import_of_the_program_is_no_traceback(start: str) -> None:
    """What it consists of itself is there by then, so that its first lines are as far as it can hear."""
    program = f"""
import os, sys
own = ("__future__", "wirecopy", "wirecopy.__main__", "wirecopy.errors")
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name not in own and "wirecopy" in sys.modules and sys.meta_path[0] is self:
            del sys.meta_path[0]
            os.kill(os.getpid(), 2)
            for _ in range(1000): pass
sys.meta_path.insert(0, Interrupted())
{start}
"""
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=False,
        timeout=120,
        preexec_fn=hear_interrupts,
    )
    assert (ran.returncode, talk(ran)) == (130, "wirecopy: interrupted\n")


def test_an_interrupt_while_the_program_loads_is_no_traceback() -> None:
    program = """
import sys
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
from wirecopy.__main__ import main
main()
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False, timeout=120)
    assert (ran.returncode, talk(ran)) == (130, "wirecopy: interrupted\n")


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


def test_compare_lets_no_text_steer_the_terminal(words: list[str], tmp_path: Path) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J\r\n\u202e"
    (tmp_path / "a\x1b[7m.txt").write_text(hostile * 3 + join(words), newline="")
    (tmp_path / "b.txt").write_text(join(words), newline="")
    code, shown = on_terminal("compare", tmp_path / "a\x1b[7m.txt", tmp_path / "b.txt", width=200)
    assert code == 0
    assert not re.search(r"[\x07\u202e]", shown)
    assert set(re.findall(r"\x1b(?!\[[0-9;]*m).{3}|\x1b\[7m", shown)) == set()
    # Colour begins where the passage does, however much before it is not shown.
    assert f"\x1b[32m{words[0]}".lower() in shown.lower()


@pytest.mark.parametrize("name", ["y[/].txt", "[bold]q.txt", "[link=x]:smile:.txt"])
def test_compare_shows_file_names_as_they_are(name: str, two: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)  # a slash in mark-up is one in a path
    (tmp_path / name).write_bytes(two[0].read_bytes())
    code, shown = on_terminal("compare", tmp_path / name, two[1], width=300)
    assert code == 0
    head = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()[0]
    assert f"{tmp_path / name} " in head
    assert f"{two[1]} " in head


def test_complaints_do_not_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "a\x1b[7m.jsonl").write_text("{")
    for arguments in (["find", tmp_path], ["compare", tmp_path / "a\x1b[7m.jsonl", tmp_path]):
        said = talk(wirecopy(*arguments))
        assert "a[7m.jsonl" in said
        assert "\x1b" not in said


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
    assert "── 1: " in ran.stdout.decode(), "one copy in full"
    assert "look next:\n  wirecopy find" in talk(ran)
    assert re.search(
        r"^(the answer is the same as|\d+ pairs are not as) from the texts$", ran.stdout.decode(), re.M
    )
    assert (tmp_path / "archive" / "truth.jsonl").exists()
    report = tmp_path / "archive" / "report.html"
    assert f"open {report} in a browser" in talk(ran)
    assert read_report(report).head["counts"]["stories"] > 40
