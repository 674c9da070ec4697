"""The command line: what it writes where, how it ends, and what it says when something is wrong."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from program import PROGRAM, on_terminal
from texts import Writer, join

from wirecopy import find, methods
from wirecopy.pile import weigh
from wirecopy.statistics import Statistics

COMMANDS = (
    *("find", "extract", "train", "weigh", "tune", "compare", "methods", "demo"),
    *("add", "check", "watch", "remove", "expire", "info", "verify", "compact", "pairs", "export"),
)
DECIDE = ("--decide", "method", "--method")


def wirecopy(
    *arguments: object, cwd: Path | None = None, **options: Any
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [PROGRAM, *map(str, arguments)],
        capture_output=True,
        cwd=cwd,
        check=False,
        timeout=120,
        **options,
    )


def talk(ran: subprocess.CompletedProcess[bytes]) -> str:
    assert b"Traceback" not in ran.stderr, ran.stderr.decode()
    return ran.stderr.decode()


def lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


@pytest.fixture(scope="module")
def words() -> list[str]:
    return Writer(21).write(90)


@pytest.fixture(scope="module")
def pile(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> Path:
    """Ten articles, of which c copies a, and b a part of it."""
    writer = Writer(22)
    texts = {"a": words, "b": writer.write(60) + words[20:70], "c": words, "d": writer.write(80)}
    texts |= {f"x{number}": writer.write(100) for number in range(6)}
    path = tmp_path_factory.mktemp("pile") / "articles.jsonl"
    write_jsonl(path, [{"id": name, "text": join(text)} for name, text in texts.items()])
    return path


def write_jsonl(path: Path, records: Sequence[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


# What comes out, and where.


def test_find_writes_json_lines_to_a_pipe(pile: Path) -> None:
    ran = wirecopy("find", pile)
    assert ran.returncode == 0
    assert [(m["query"], m["found"], m["relation"]) for m in lines(ran.stdout)] == [
        *(("b", "a", "partial"), ("c", "a", "identical"), ("c", "b", "partial"))
    ]
    assert list(lines(ran.stdout)[0]) == [
        *(
            "query",
            "found",
            "relation",
            "query_covered",
            "found_covered",
            "resemblance",
            "passages",
            "methods",
        )
    ]
    assert "10 articles" in talk(ran)
    assert "MB of memory" in talk(ran)


def test_quiet_says_nothing(pile: Path) -> None:
    ran = wirecopy("find", pile, "--quiet")
    assert ran.returncode == 0
    assert ran.stderr == b""
    assert len(lines(ran.stdout)) == 3


def test_the_same_in_every_form(pile: Path, tmp_path: Path) -> None:
    import pyarrow.parquet

    expected = lines(wirecopy("find", pile).stdout)
    for name, flag in (("m.jsonl", "--jsonl"), ("m.csv", "--csv"), ("m.parquet", "--parquet")):
        for options in ([flag, "-o", tmp_path / name], ["--output", tmp_path / f"by-{name}"]):
            ran = wirecopy("find", pile, *options)
            assert (ran.returncode, ran.stdout) == (0, b"")
    for prefix in ("", "by-"):
        assert lines((tmp_path / f"{prefix}m.jsonl").read_bytes()) == expected
        assert pyarrow.parquet.read_table(tmp_path / f"{prefix}m.parquet").to_pylist() == expected
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
    assert "10 articles, 3 candidates, 3 matches" in shown


def test_a_terminal_gets_a_table_without_progress_when_quiet(pile: Path) -> None:
    code, shown = on_terminal("find", pile, "--quiet", width=120)
    assert code == 0
    check_table(shown)


def check_table(shown: str) -> None:
    assert "longest passage" in shown
    assert "identical" in shown
    assert "{" not in shown.splitlines()[-2]


def test_a_table_fits_a_terminal_of_eighty_columns(pile: Path) -> None:
    _, shown = on_terminal("find", pile, "--quiet", width=80)
    for head in ("relation", "of query", "of found", "words"):
        assert head in shown


@pytest.mark.parametrize("flags", [["--quiet"], []])
def test_no_articles_are_no_mistake_but_said(tmp_path: Path, flags: list[str]) -> None:
    ran = wirecopy("find", tmp_path, *flags)
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert "no articles found" in talk(ran)


def test_a_query_file_limits_the_answer_to_its_articles(pile: Path, tmp_path: Path, words: list[str]) -> None:
    write_jsonl(tmp_path / "new.jsonl", [{"id": "new", "text": join(words)}])
    matches = lines(wirecopy("find", pile, "--query", tmp_path / "new.jsonl").stdout)
    assert {(match["query"], match["found"]) for match in matches} == {
        *(("new", "a"), ("new", "b"), ("new", "c"))
    }


@pytest.mark.parametrize("form", ["--jsonl", "--csv"])
def test_a_method_can_decide_alone(pile: Path, form: str) -> None:
    ran = wirecopy("find", pile, "--decide", "method", "--method", "exact", form)
    assert ran.returncode == 0, talk(ran)
    rows = lines(ran.stdout) if form == "--jsonl" else list(csv.DictReader(io.StringIO(ran.stdout.decode())))
    assert [(row["query"], row["found"]) for row in rows] == [("c", "a")]
    assert "passages" not in rows[0]


@pytest.mark.parametrize("flags", [["--parquet"], []])
def test_the_opinions_of_a_method_are_no_parquet_file(pile: Path, tmp_path: Path, flags: list[str]) -> None:
    out, verdicts = tmp_path / "m.parquet", tmp_path / "v.jsonl"
    decide = ("--decide", "method", "--method", "sentence_fingerprints")
    ran = wirecopy("find", pile, *decide, *flags, "-o", out, "--verdicts", verdicts)
    assert ran.returncode == 2
    assert "JSON lines, CSV or a table" in talk(ran)
    assert not out.exists()
    assert not verdicts.exists()


def test_the_opinions_of_a_method_are_a_table_on_a_terminal(pile: Path) -> None:
    code, shown = on_terminal("find", pile, "--decide", "method", "--method", "exact", "--quiet", width=120)
    assert code == 0
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown).split()[:3] == ["query", "found", "relation"]
    assert "near-duplicate" in shown


@pytest.mark.parametrize(
    ("given", "name", "parameters"),
    [
        ("cosine:threshold=0.3,stemmer=porter", "cosine", {"threshold": 0.3, "stemmer": "porter"}),
        ("sentence_fingerprints:common_share=0", "sentence_fingerprints", {"common_share": 0}),
        (
            "document_image:idf_over=collection,threshold=0.1",
            "document_image",
            {"idf_over": "collection", "threshold": 0.1},
        ),
    ],
)
def test_statistics_from_weigh_give_what_they_give_in_python(
    pile: Path, tmp_path: Path, given: str, name: str, parameters: dict[str, Any]
) -> None:
    reference, out, verdicts = tmp_path / "reference.jsonl", tmp_path / "words", tmp_path / "verdicts.jsonl"
    writer = Writer(28)
    write_jsonl(reference, [{"id": str(number), "text": writer.text(60)} for number in range(20)])
    ran = wirecopy("weigh", given, reference, "-o", out)
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert "words of 20 articles" in talk(ran)
    method = methods.get(name, **parameters)
    statistics, skipped = weigh([reference], method)
    assert not skipped
    loaded = Statistics.load(out, method.view)
    assert (loaded.words.tolist(), loaded.counts.tolist()) == (
        *(statistics.words.tolist(), statistics.counts.tolist()),
    )
    decide = ["--method", given, "--decide", "method", "--statistics", out]
    ran = wirecopy("find", pile, *decide, *(["--verdicts", verdicts] if method.gives_verdicts else []))
    assert ran.returncode == 0, talk(ran)
    expected = find([pile], method=method, decide="method", statistics=statistics)
    assert lines(ran.stdout) == list(expected.rows())
    assert lines(ran.stdout) != list(find([pile], method=method, decide="method").rows())
    assert verdicts.exists() == method.gives_verdicts
    assert not method.gives_verdicts or lines(verdicts.read_bytes()) == [
        {"article": one.article, "hits": one.hits, "duplicate": one.duplicate} for one in expected.verdicts
    ]
    nominated = wirecopy("find", pile, "--method", given, "--statistics", out)
    assert lines(nominated.stdout) == [
        match.to_dict() for match in find([pile], method=method, statistics=statistics)
    ]


def test_a_query_ranks_the_pile_and_top_cuts(pile: Path, tmp_path: Path, words: list[str]) -> None:
    query = tmp_path / "new.jsonl"
    write_jsonl(query, [{"id": "new", "text": join(words[:80])}])
    decide = ("find", pile, "--query", query, "--method", "document_image", "--decide", "method", "-q")
    ranked = lines(wirecopy(*decide).stdout)
    assert [row["found"] for row in ranked[:3]] == ["a", "c", "b"]
    assert {row["relation"] for row in ranked} == {None}
    assert lines(wirecopy(*decide, "--top", 2).stdout) == ranked[:2]
    assert ranked == list(
        find([pile], query=[query], method="document_image", decide="method").rows(),
    )
    by_csv = list(csv.DictReader(io.StringIO(wirecopy(*decide, "--csv").stdout.decode())))
    assert [row["rank"] for row in by_csv] == [str(row["rank"]) for row in ranked]
    assert {row["relation"] for row in by_csv} == {""}


def test_a_query_has_verdicts_of_its_own(pile: Path, tmp_path: Path, words: list[str]) -> None:
    query, out = tmp_path / "new.jsonl", tmp_path / "v.jsonl"
    write_jsonl(query, [{"id": "new", "text": join(words)}])
    method = "sentence_fingerprints:exact_sentences=true"
    decide = ("--method", method, "--decide", "method", "--verdicts", out, "-q")
    assert wirecopy("find", pile, "--query", query, *decide).returncode == 0
    assert lines(out.read_bytes()) == [{"article": "new", "hits": 8, "duplicate": True}]
    assert wirecopy("find", pile, *decide).returncode == 0
    assert [row["article"] for row in lines(out.read_bytes()) if row["duplicate"]] == ["a", "c"]


@pytest.mark.parametrize(
    "options",
    [
        ["--method", "exact", "--decide", "method", "--verdicts", "v"],
        ["--verdicts", "v"],
        ["--method", "exact", "--decide", "method", "--boilerplate", "b"],
        ["--method", "exact", "--decide", "method", "--statistics", "words"],
    ],
    ids=" ".join,
)
def test_options_that_have_no_effect_are_refused_or_said(
    pile: Path, tmp_path: Path, options: list[str]
) -> None:
    weigh([pile], "exact")[0].save(tmp_path / "words")
    ran = wirecopy("find", pile, *options, "-q", cwd=tmp_path)
    assert options[-2] in talk(ran)


@pytest.mark.parametrize("options", [[], ["--method", "exact", "--decide", "method"]], ids=str)
def test_a_query_file_without_articles_finds_nothing(pile: Path, tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "new.jsonl").write_text("not json\n")
    ran = wirecopy("find", pile, "--query", tmp_path / "new.jsonl", *options)
    assert (ran.returncode, ran.stdout) == (3, b"")


def test_a_method_that_had_no_articles_to_decide_on_says_so(tmp_path: Path) -> None:
    assert "no articles found" in talk(wirecopy("find", tmp_path, "--method", "exact", "--decide", "method"))


def test_skipped_records_are_named_by_methods_that_decide_and_by_weigh(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": "a", "text": "x"}\nbad\n{"id": "a", "text": "y"}\n')
    for command in (
        ("find", path, "--method", "exact", "--decide", "method", "-q"),
        ("weigh", "cosine", path, "-o", tmp_path / "words", "-q"),
    ):
        ran = wirecopy(*command)
        assert (ran.returncode, ran.stdout) == (3, b"")
        assert "p.jsonl:2" in talk(ran)
        assert "p.jsonl:3: an article with the id 'a'" in talk(ran)
    assert Statistics.load(tmp_path / "words").words.size > 0


def test_options_reach_the_engine(pile: Path) -> None:
    assert len(lines(wirecopy("find", pile, "--preset", "strict", "--threads", 1).stdout)) == 3
    exact = lines(wirecopy("find", pile, "--method", "exact", "--pairs", "all").stdout)
    assert [match["methods"] for match in exact] == [["exact"]]
    both = lines(wirecopy("find", pile, "--method", "winnowing:window_words=8", "--method", "exact").stdout)
    assert [match["methods"] for match in both] == [["winnowing"], ["winnowing", "exact"], ["winnowing"]]


def test_other_field_names_are_named(tmp_path: Path, words: list[str]) -> None:
    path = tmp_path / "p.jsonl"
    write_jsonl(
        path,
        [
            {"name": name, "body": join(words), "when": when}
            for name, when in (("a", "2020"), ("b", "2019-01-01"))
        ],
    )
    ran = wirecopy("find", path, "--text-field", "body", "--id-field", "name", "--published-field", "when")
    assert ran.returncode == 0
    assert [(match["query"], match["found"]) for match in lines(ran.stdout)] == [("a", "b")]


def test_boilerplate_goes_to_its_file(tmp_path: Path) -> None:
    writer = Writer(23)
    formula = writer.write(30)
    path, out = tmp_path / "p.jsonl", tmp_path / "formulas.jsonl"
    write_jsonl(
        path, [{"id": str(number), "text": join(writer.write(150) + formula)} for number in range(30)]
    )
    ran = wirecopy("find", path, "--boilerplate", out)
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert "1 formulas left out" in talk(ran)
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
    (tmp_path / "broken.txt").write_bytes(text.encode() + b" \xff\xfe\xc3(")
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


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["find"], 2, "PATH"),
        (["find", "nowhere.jsonl"], 1, "nowhere.jsonl"),
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


def write_family(folder: Path) -> Path:
    """An answer of more than a pipe holds."""
    text = Writer(25).text(60)
    write_jsonl(folder / "p.jsonl", [{"id": f"{number:04}", "text": text} for number in range(3000)])
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


# The other commands.


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_command_explains_itself(command: tuple[str, ...], flag: str) -> None:
    ran = wirecopy(*command, flag)
    assert ran.returncode == 0
    assert ran.stderr == b""
    assert "Usage" in ran.stdout.decode()
    if not command:
        assert all(name in ran.stdout.decode() for name in COMMANDS)


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


def test_the_version_is_that_of_the_package() -> None:
    ran = wirecopy("--version")
    assert (ran.returncode, ran.stdout.decode()) == (0, f"wirecopy {version('wirecopy')}\n")


def test_no_command_shows_the_help() -> None:
    ran = wirecopy()
    assert "Usage" in (ran.stdout + ran.stderr).decode()
    assert ran.returncode == 2
