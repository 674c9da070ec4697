"""`find` in a folder, for piles larger than memory: the same answer, and it goes on where it was killed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import wirecopy
from quality import work_faults
from quality.archive_faults import KINDS
from quality.faults import NotPossibleError
from quality.texts import Writer, join
from wirecopy import Matches, cli, matching, methods
from wirecopy.demo import write_archive
from wirecopy.errors import UsageError, WorkError
from wirecopy.matching import collection, matches
from wirecopy.pile import folder, remove_work, stored

Records = Sequence[dict[str, Any]]
MB = 1 << 20


def told(matches: Matches) -> dict[str, Any]:
    """All that an answer says."""
    return {
        "lines": "".join(matches.json_lines()),
        "rows": list(matches.rows()),
        "formulas": matches.formulas,
        "counts": matches.counts,
        "skipped": matches.skipped,
        "remarks": matches.remarks,
        "warnings": matches.warnings,
        "missing": matches.missing_fields,
    }


def made_up() -> list[dict[str, Any]]:
    """Families, a formula, forms, reprints, a digest, an undated article and many of one date."""
    writer = Writer(23)
    formula, reprinted = writer.text(30), writer.text(120)
    texts = [writer.text(150) for _ in range(20)]
    texts += [join(writer.edit(text.split(), 0.05)) for text in texts[:10]]
    texts += [f"{writer.text(80)} {formula}" for _ in range(40)]
    texts += [f"{reprinted} {writer.text(number)}" for number in range(30)]
    words = writer.write(40)
    texts += [
        join(
            [*words[:10], str(7 * day), *words[10:20], str(31 + day), *words[20:30], f"{day}.5", *words[30:]]
        )
        for day in range(1, 13)
    ]
    texts += [" ".join([texts[0], texts[1], texts[2]]), texts[3], texts[3], ""]
    return [
        {
            "id": f"id-{number * 37 % 997}",
            "text": text,
            "title": f"On {number}",
            "published": "" if number % 11 == 0 else f"2024-03-{1 + number % 5 * (number % 2):02}",
            "url": f"https://example.org/{number // 2}",
        }
        for number, text in enumerate(texts)
    ]


@pytest.fixture(scope="module")
def pile() -> list[dict[str, Any]]:
    return made_up()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_archive(tmp_path_factory.mktemp("demo")) / "articles.jsonl"


@pytest.fixture(scope="module")
def in_memory(demo: Path) -> dict[str, Any]:
    answer = told(wirecopy.find(demo))
    relations = {json.loads(line)["relation"] for line in answer["lines"].splitlines()}
    assert len(relations) > 4
    assert len(answer["formulas"]) > 3
    return answer


@pytest.mark.parametrize(
    ("parts", "memory", "threads"), [(1, 1 << 30, 1), (7, 1, 2), (64, MB, 1), (500, 16 * MB, 2)]
)
def test_a_folder_gives_what_memory_gives(
    demo: Path,
    in_memory: dict[str, Any],
    parts: int,
    memory: int,
    threads: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stored, "PARTS", parts)
    matches = wirecopy.find(demo, work=tmp_path / "work", memory=memory, threads=threads)
    assert told(matches) == in_memory


def test_stories_of_a_folder_are_those_of_memory(pile: Records, tmp_path: Path) -> None:
    there = wirecopy.stories(wirecopy.find(pile, work=tmp_path / "work", memory=MB))
    here = wirecopy.stories(pile)
    assert [story.to_dict() for story in there] == [story.to_dict() for story in here]
    assert len(here) > 1


@pytest.mark.parametrize("pairs", ["linked", "all"])
@pytest.mark.parametrize("preset", ["strict", "syndication", "any-reuse"])
def test_every_preset_gives_the_same(pile: Records, preset: str, pairs: Any, tmp_path: Path) -> None:
    options: dict[str, Any] = {"preset": preset, "pairs": pairs, "batch_bytes": 5000}
    expected = told(wirecopy.find(pile, **options))
    assert len(expected["rows"]) > 20
    assert told(wirecopy.find(pile, work=tmp_path, memory=1, **options)) == expected


def test_forms_and_families_are_the_same_where_little_is_looked_at_at_a_time(
    pile: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks, ranges of names, matches and ids of one date, which are all in one go in so small a pile."""
    expected = told(wirecopy.find(pile))
    varying = wirecopy.find(pile).learnt.varying
    assert len(varying) > 1
    for name, module in (("PAIRS_AT_ONCE", matching), ("TIED_AT_ONCE", collection), ("LINES", matches)):
        monkeypatch.setattr(module, name, 7)
    monkeypatch.setattr(matching, "BLOCK_PAIRS", 5)
    found = wirecopy.find(pile, work=tmp_path, memory=1)
    assert told(found) == expected
    assert found.learnt.varying.tolist() == varying.tolist()
    assert told(wirecopy.find(pile)) == expected


UNDIRECTED = [name for name in methods.names() if not methods.get(name).is_directed]


@pytest.mark.parametrize("name", UNDIRECTED)
def test_every_undirected_method_gives_the_same(pile: Records, name: str, tmp_path: Path) -> None:
    expected = told(wirecopy.find(pile, method=name))
    assert expected["rows"]
    found = wirecopy.find(pile, method=name, work=tmp_path, memory=MB, batch_bytes=9000)
    assert told(found) == expected


def test_whoever_has_no_id_or_one_twice_is_named_as_in_memory(pile: Records, tmp_path: Path) -> None:
    texts = [one["text"] for one in pile]
    assert told(wirecopy.find(texts, work=tmp_path / "texts", memory=1)) == told(wirecopy.find(texts))
    again = [*pile, {**pile[3], "text": "another"}, {"id": "no text"}, {**pile[5], "published": "soon"}]
    found = wirecopy.find(again, work=tmp_path / "again", memory=MB, batch_bytes=2000)
    assert told(found) == told(wirecopy.find(again))
    assert len(found.skipped) == 3
    heard: list[wirecopy.Skipped] = []
    wirecopy.find(again, work=tmp_path / "heard", skip=heard.append)
    assert len(heard) == 3


def test_nothing_and_next_to_nothing_are_found_in_a_folder_too(tmp_path: Path) -> None:
    for number, articles in enumerate(([], ["one"], ["the same words again"] * 2)):
        assert told(wirecopy.find(articles, work=tmp_path / str(number))) == told(wirecopy.find(articles))


def test_labels_of_a_frame_come_back(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    texts = [join(Writer(5).write(50))] * 3
    frame = pandas.DataFrame({"text": texts}, index=[30, -10, 20])
    expected = wirecopy.find(frame).to_arrow()
    assert expected["query"].to_pylist() == [20, 30, 30]
    assert wirecopy.find(frame, work=tmp_path).to_arrow().equals(expected)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "sentence_lengths"}, "work: not with sentence_lengths"),
        ({"query": ["a text"]}, "work: not with a query"),
        ({"confirm": "minhash"}, "work: not with confirm"),
        ({"memory": 0}, "memory: expected 1 or more bytes"),
    ],
)
def test_what_a_folder_cannot_do_is_refused_by_name(
    options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=said):
        wirecopy.find(["one", "two"], work=tmp_path, **options)
    with pytest.raises(UsageError, match="memory: only with work"):
        wirecopy.find(["one", "two"], memory=MB)


# Going on.


def run(*arguments: Any, under: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """The command, with few parts: a file each, which is synced."""
    command = [*under, sys.executable, "-m", "wirecopy", "find", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    )


def stages(work: Path) -> dict[str, int]:
    """The stages that are done, each with the moment when it was written."""
    listed = json.loads((work / folder.LIST).read_text("utf-8"))
    return {name: (work / stage["folder"]).stat().st_ino for name, stage in listed["done"].items()}


@pytest.fixture(scope="module")
def file(pile: Records, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("file") / "pile.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in pile), "utf-8")
    return path


@pytest.fixture(scope="module")
def expected(file: Path) -> tuple[int, str, str]:
    return outcome(run(file, "--jsonl", "--quiet"))


def outcome(done: subprocess.CompletedProcess[str]) -> tuple[int, str, str]:
    return done.returncode, done.stdout, done.stderr


STRACE = pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")


def faulty(fault: str, tmp_path: Path) -> list[str]:
    """A way to run a command whose system calls fail, or kill it."""
    return ["strace", "-f", "-qq", "-o", str(tmp_path / "trace"), "-e", f"inject={fault}"]


@STRACE
@pytest.mark.parametrize("when", [3, 4, 8, 12])
def test_killed_it_goes_on_with_the_stages_that_are_done(
    file: Path, expected: tuple[int, str, str], when: int, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    options = (file, "--jsonl", "--quiet", "--work", work, "--memory", "1MB", "--threads", 1)
    killed = run(*options, under=faulty(f"rename:signal=KILL:when={when}", tmp_path))
    assert killed.returncode == -9
    assert not killed.stdout
    done = len(stages(work))
    assert done == when // 2 - 1
    trace = tmp_path / "mkdir"
    again = run(*options, under=["strace", "-f", "-qq", "-o", str(trace), "-e", "trace=mkdir"])
    assert outcome(again) == expected
    assert not work.exists()
    begun = [int(number) for number in re.findall(r"/(\d+)\.part", trace.read_text("utf-8"))]
    assert begun == list(range(done, 6))


@STRACE
def test_a_process_that_hashes_otherwise_goes_on_with_forms_and_addresses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    articles = [{**one, "url": f"https://example.org/{number % 3}"} for number, one in enumerate(made_up())]
    lines = "".join(wirecopy.find(articles).json_lines())
    assert '"form"' in lines
    assert lines != "".join(wirecopy.find([{**one, "url": ""} for one in articles]).json_lines())
    path, work = tmp_path / "pile.jsonl", tmp_path / "work"
    path.write_text("".join(json.dumps(one) + "\n" for one in articles), "utf-8")
    options = (path, "--jsonl", "--quiet", "--work", work, "--threads", 1)
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    assert run(*options, under=faulty("rename:signal=KILL:when=6", tmp_path)).returncode == -9
    assert "read" in stages(work)
    monkeypatch.setenv("PYTHONHASHSEED", "2")
    assert run(*options).stdout == lines


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_at_every_tenth_call_is_said_and_gone_on_from(kind: str, tmp_path: Path) -> None:
    try:
        tried = work_faults.sweep(tmp_path, every=10, kinds=[kind])
    except NotPossibleError as error:
        pytest.skip(str(error))
    assert tried.failures == []
    assert tried.runs.total() >= 20


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on(tmp_path: Path) -> None:
    tried = work_faults.kill(tmp_path, kills=3, piles=1)
    assert tried.failures == []
    assert tried.runs["killed"] == 3


@pytest.mark.slow
def test_a_full_disk_is_said_and_what_is_done_is_kept(tmp_path: Path) -> None:
    try:
        tried = work_faults.fill_disk(tmp_path, piles=1)
    except NotPossibleError as error:
        pytest.skip(str(error))
    assert tried.failures == []
    assert tried.runs["full"] >= 1


def test_stages_that_are_done_are_not_done_again(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = told(wirecopy.find(file, work=tmp_path, memory=MB))
    before = stages(tmp_path)
    assert "read" in before
    assert "compare" in before

    def never(*_: Any) -> Any:
        raise AssertionError("a stage was done again")

    monkeypatch.setattr(folder.Folder, "write", never)
    assert told(wirecopy.find(file, work=tmp_path, memory=3 * MB, threads=1)) == expected
    assert stages(tmp_path) == before


def test_other_articles_options_or_files_begin_anew_and_say_so(file: Path, tmp_path: Path) -> None:
    work, copied = tmp_path / "work", tmp_path / "copied.jsonl"
    shutil.copy(file, copied)
    first = wirecopy.find(copied, work=work)
    assert first.warnings == ()
    more = copied.read_bytes() + b'{"id": "more", "text": "more"}\n'
    for changed, content in (
        (copied, more),
        (work / "00" / "000001", b"short"),
        (work / folder.LIST, b"{}"),
    ):
        changed.write_bytes(content)
        found = wirecopy.find(copied, work=work)
        assert "begun anew" in found.warnings[0]
        assert told(found) | {"warnings": ()} == told(wirecopy.find(copied))
    assert "begun anew" in wirecopy.find(copied, work=work, preset="strict").warnings[0]


def test_what_another_version_left_is_begun_anew(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = told(wirecopy.find(file, work=tmp_path))
    monkeypatch.setattr(folder, "version", lambda _: "0.0.1")
    again = wirecopy.find(file, work=tmp_path)
    assert "another version: begun anew" in again.warnings[0]
    assert told(again) | {"warnings": ()} == expected


def test_a_folder_with_other_things_or_another_process_in_it_is_refused(file: Path, tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("dear", "utf-8")
    with pytest.raises(WorkError, match="expected an empty folder"):
        wirecopy.find(file, work=tmp_path)
    work = tmp_path / "work"
    opened = folder.Folder(work)
    with pytest.raises(WorkError, match="another process works here"):
        wirecopy.find(file, work=work)
    opened.close()
    wirecopy.find(file, work=work)
    (work / "letter").write_text("dear", "utf-8")
    wirecopy.find(file, work=work, preset="strict")
    folder.remove_work(work)
    assert [one.name for one in work.iterdir()] == ["letter"]


@STRACE
def test_what_is_piped_in_again_is_gone_on_with_if_it_is_the_same(
    file: Path, expected: tuple[int, str, str], tmp_path: Path
) -> None:
    work = tmp_path / "work"

    def pipe(content: bytes, under: Sequence[str] = ()) -> subprocess.CompletedProcess[bytes]:
        command = [*under, sys.executable, "-m", "wirecopy", "find", "-", "--jsonl", "--work", str(work)]
        return subprocess.run([*command, "--threads", "1"], input=content, capture_output=True)

    content = file.read_bytes()
    assert pipe(content, faulty("rename:signal=KILL:when=1", tmp_path)).returncode == -9
    assert [one.read_bytes() for one in work.glob("wirecopy-piped-*")] == [content]
    assert pipe(content, faulty("rename:signal=KILL:when=8", tmp_path)).returncode == -9
    assert not list(work.glob("wirecopy-piped-*"))
    before = stages(work)
    assert "read" in before
    trace = tmp_path / "mkdir"
    again = pipe(content, ["strace", "-f", "-qq", "-o", str(trace), "-e", "trace=mkdir"])
    assert again.stdout.decode() == expected[1]
    assert b"begun anew" not in again.stderr
    assert f"/{len(before):02}.part" in trace.read_text("utf-8")
    assert "/00.part" not in trace.read_text("utf-8")
    assert pipe(content, faulty("rename:signal=KILL:when=8", tmp_path)).returncode == -9
    other = pipe(content[: content.index(b"\n") + 1])
    assert other.returncode == 0
    assert b"begun anew" in other.stderr
    assert not work.exists()


def test_the_command_says_what_it_needs_and_reads_stdin(
    file: Path, expected: tuple[int, str, str], tmp_path: Path
) -> None:
    work = tmp_path / "work"
    done = run(file, "--jsonl", "--work", work, "--memory", "200MB")
    assert done.stdout == expected[1]
    assert f"MB of disk in {work}" in done.stderr.splitlines()[0]
    assert "about 200 MB of memory" in done.stderr.splitlines()[0]
    command = [sys.executable, "-m", "wirecopy", "find", "-", "--jsonl", "--quiet", "--work", str(work)]
    piped = subprocess.run(command, input=file.read_bytes(), capture_output=True)
    assert piped.stdout.decode() == expected[1]
    assert not work.exists()
    for wrong in (("--memory", "200MB"), ("--work", work, "--memory", "much")):
        assert run(file, *wrong).returncode == 2
    by_method = run(file, "--work", work, "--decide", "method", "--method", "minhash")
    assert by_method.returncode == 2
    assert "--work: not with --decide method" in by_method.stderr


TOLD: list[tuple[str, ...]] = [
    ("find", "--jsonl"),
    ("stories", "--jsonl"),
    ("stories", "--series", "--csv"),
    ("graph", "--json"),
    ("graph", "--by", "source", "--csv"),
    ("dedup",),
    ("report",),
]
"""Commands that look for copies, each with the form of what it writes."""


def tell(*arguments: Any) -> tuple[int, str]:
    """The exit code of a command and what it says on both streams."""
    done = CliRunner().invoke(cli.app, [str(one) for one in arguments], standalone_mode=False)
    if done.exception:
        raise done.exception
    return done.return_value or 0, done.output


@pytest.mark.parametrize("command", TOLD, ids=" ".join)
def test_every_command_writes_in_a_folder_what_it_writes_in_memory(
    demo: Path, command: tuple[str, ...], tmp_path: Path
) -> None:
    name, *form = command
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    if name == "report":
        here, there = here.with_suffix(".html"), there.with_suffix(".html")
    work = tmp_path / "work"
    tell(name, demo, *form, "--quiet", "-o", here)
    _, said = tell(name, demo, *form, "-o", there, "--work", work, "--memory", "2MB")
    assert f"MB of disk in {work}" in said
    assert there.read_bytes() == here.read_bytes()
    assert len(there.read_bytes()) > 100
    assert not work.exists()


def test_what_is_held_of_every_article_is_said_where_it_is_more_than_was_asked_for(
    file: Path, tmp_path: Path
) -> None:
    asked = ("find", file, "-o", tmp_path / "found.jsonl", "--work", tmp_path / "work")
    assert "--memory 5MB: about 60 MB are needed" in tell(*asked, "--memory", "5MB")[1]
    assert "are needed" not in tell(*asked, "--memory", "100MB")[1]


@pytest.mark.parametrize("command", TOLD, ids=" ".join)
def test_every_command_chooses_a_folder_by_itself_where_the_pile_would_not_fit(
    file: Path, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, *form = command
    seen: list[Path] = []

    def note(work: Path) -> None:
        seen.append(work)
        remove_work(work)

    monkeypatch.setattr(cli.working, "free_memory", lambda: 1000)
    monkeypatch.setattr(cli.working, "remove_work", note)
    output = tmp_path / "told.jsonl"
    _, said = tell(name, file, *form, "-o", output)
    assert f"working in {tmp_path / 'told.work'}, as with --work" in said
    assert seen == [tmp_path / "told.work"]
    assert [one.name for one in tmp_path.iterdir()] == ["told.jsonl"]


def test_a_folder_that_is_not_needed_or_of_no_use_is_not_chosen(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "told.jsonl"
    assert "working in" not in tell("find", file, "-o", output)[1]
    monkeypatch.setattr(cli.working, "free_memory", lambda: 1000)
    by_method = ("--decide", "method", "--method", "minhash")
    assert "working in" not in tell("find", file, "--query", file, "-o", output)[1]
    assert "working in" not in tell("find", file, "-o", output, *by_method)[1]
    assert "working in" not in tell("stories", file, "-o", output, "--rule", "closure", *by_method)[1]
    assert "working in" not in tell("stories", file, "-o", output, "--method", "sentence_lengths")[1]
    monkeypatch.chdir(tmp_path)
    assert "working in wirecopy.work" in tell("stories", file, "-o", "/dev/null")[1]


@pytest.mark.parametrize("name", ["find", "stories", "graph", "dedup", "report"])
def test_a_folder_is_refused_by_name_to_what_cannot_use_it(name: str, file: Path, tmp_path: Path) -> None:
    work, output = tmp_path / "work", tmp_path / "told"
    for wrong, said in (
        (("--memory", "1MB"), "--memory: only with --work DIR"),
        (("--work", work, "--memory", "much"), "expected a size such as 200MB"),
        (("--work", work, "--method", "sentence_lengths"), "work: not with sentence_lengths"),
    ):
        with pytest.raises(UsageError, match=said):
            tell(name, file, "-o", output, *wrong)
    if name in ("find", "stories"):
        by_method = ("--decide", "method", "--method", "minhash", "--work", work)
        closed = ("--rule", "closure") if name == "stories" else ()
        with pytest.raises(UsageError, match="--work: not with --decide method"):
            tell(name, file, *by_method, *closed)
    assert not work.exists()


def test_an_archive_is_not_worked_on_in_a_folder(file: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    with wirecopy.Archive.open(archive, create=True) as opened:
        opened.add(file)
    for name in ("stories", "graph", "report"):
        with pytest.raises(UsageError, match="--work: not with an archive"):
            tell(name, archive, "-o", tmp_path / "told", "--work", tmp_path / "work")


def test_a_folder_that_cannot_be_removed_is_said_and_the_answer_is_there(
    file: Path, expected: tuple[int, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(work: Path) -> None:
        raise WorkError(f"{work}: Input/output error; the work is done; remove the folder")

    monkeypatch.setattr(cli.working, "remove_work", refuse)
    output = tmp_path / "found.jsonl"
    code, said = tell("find", file, "-o", output, "--work", tmp_path / "work")
    assert code == expected[0]
    assert "the work is done; remove the folder" in said
    assert output.read_text("utf-8") == expected[1]


def test_stories_of_a_folder_take_options_of_find(pile: Records, tmp_path: Path) -> None:
    expected = [story.to_dict() for story in wirecopy.stories(pile, preset="strict")]
    told = wirecopy.stories(pile, preset="strict", work=tmp_path, memory=MB)
    assert [story.to_dict() for story in told] == expected
    assert (tmp_path / folder.LIST).exists()
