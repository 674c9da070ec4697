"""`wirecopy find --decide method` and `wirecopy weigh`: what methods say by themselves."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from program import on_terminal, talk, wirecopy
from records import jsonl, lines

from quality.texts import Writer, join
from wirecopy import find, methods, opinions
from wirecopy.cli.words import in_options
from wirecopy.cli.writing import summarise
from wirecopy.pile import weigh
from wirecopy.statistics import Statistics


@pytest.mark.parametrize("form", ["--jsonl", "--csv"])
def test_a_method_can_decide_alone(pile: Path, form: str) -> None:
    ran = wirecopy("find", pile, "--decide", "method", "--method", "exact", form)
    assert ran.returncode == 0, talk(ran)
    rows = lines(ran.stdout) if form == "--jsonl" else list(csv.DictReader(io.StringIO(ran.stdout.decode())))
    assert [(row["query"], row["found"]) for row in rows] == [("c", "a")]
    assert "passages" not in rows[0]


def test_what_a_result_warns_of_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    found = opinions(["one", "two"], "cosine")
    assert summarise(found, quiet=True) == 0
    [warning] = found.warnings
    assert capsys.readouterr() == ("", f"warning: {in_options(warning)}\n")


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
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown).split()[:4] == ["query", "found", "accepted", "relation"]
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
    reference.write_bytes(jsonl(*({"id": str(number), "text": writer.text(60)} for number in range(20))))
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
    expected = opinions([pile], method, statistics=statistics)
    assert lines(ran.stdout) == [one.to_dict() for one in expected]
    assert lines(ran.stdout) != [one.to_dict() for one in opinions([pile], method)]
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
    query.write_bytes(jsonl({"id": "new", "text": join(words[:80])}))
    decide = ("find", pile, "--query", query, "--method", "document_image", "--decide", "method", "-q")
    ranked = lines(wirecopy(*decide).stdout)
    assert [row["found"] for row in ranked[:3]] == ["a", "c", "b"]
    assert {row["relation"] for row in ranked} == {None}
    assert lines(wirecopy(*decide, "--top", 2).stdout) == ranked[:2]
    told = opinions([pile], "document_image", query=[query])
    assert ranked == [one.to_dict() for one in told]
    assert lines(wirecopy(*decide, "--accepted").stdout) == []
    by_csv = list(csv.DictReader(io.StringIO(wirecopy(*decide, "--csv").stdout.decode())))
    assert [row["rank"] for row in by_csv] == [str(row["rank"]) for row in ranked]
    assert {row["relation"] for row in by_csv} == {""}


def test_a_query_has_verdicts_of_its_own(pile: Path, tmp_path: Path, words: list[str]) -> None:
    query, out = tmp_path / "new.jsonl", tmp_path / "v.jsonl"
    query.write_bytes(jsonl({"id": "new", "text": join(words)}))
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
    assert options[-2].removeprefix("--") in talk(ran)


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
