"""What cannot be used: all of it is counted, a flood of it takes little room, three of a kind are named, and a file has all."""

import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from program import talk, wirecopy
from records import jsonl, lines

import wirecopy as library
from wirecopy import model
from wirecopy.model import Skipped, SkippedLines, list_skipped

REASONS = (
    "no text field: found keys a; name it with --text-field",
    "no text field: found keys b; name it with --text-field",
    "not JSON: a string without end at byte 9 of the line",
    "an article with the id 'a' was read before; give each its own",
    'an article with the id "b\'s" was read before; give each its own',
    "https://a.example/b.html is not in the input",
    "empty",
)
ANY_SKIPPED = st.lists(st.sampled_from(REASONS)).map(
    lambda reasons: [Skipped(f"a.jsonl:{line}", reason) for line, reason in enumerate(reasons, 1)]
)


def kinds(skipped: Sequence[Skipped]) -> Counter[str]:
    """How many records of each kind were skipped, told from how their reasons begin."""
    counts = Counter[str]()
    for one in skipped:
        counts["is not in the input" if "://" in one.reason else one.reason[:7]] += 1 + one.more
    return counts


@given(ANY_SKIPPED, st.integers(1, 4), st.data())
def test_the_first_of_each_kind_are_listed_and_all_are_counted(
    skipped: list[Skipped], listed: int, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(skipped)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "LISTED", listed)
        found = list_skipped(skipped)
        in_parts = list_skipped(list_skipped(skipped[:cut]), list_skipped(skipped[cut:]))
    seen = Counter[str]()
    first = []
    for one in skipped:
        [kind] = kinds([one])
        seen[kind] += 1
        if seen[kind] <= listed:
            first.append((one.where, one.reason))
    assert [(one.where, one.reason) for one in found] == first
    assert [(one.where, one.reason) for one in in_parts] == first
    assert kinds(found) == kinds(in_parts) == kinds(skipped)


@given(ANY_SKIPPED, st.integers(1, 4))
def test_lines_in_columns_are_listed_as_one_by_one(skipped: list[Skipped], listed: int) -> None:
    lines = np.array([int(one.where.partition(":")[2]) for one in skipped], np.int64)
    which = np.array([REASONS.index(one.reason) for one in skipped], np.uint32)
    columns = SkippedLines("a.jsonl", lines, which, REASONS)
    assert list(columns) == columns[:] == skipped
    told: list[Skipped] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "LISTED", listed)
        assert list_skipped(columns, tell=told.append) == list_skipped(skipped)
    assert told == skipped


def test_kinds_beyond_the_hundredth_are_one() -> None:
    words = ["".join(letters) for letters in np.random.default_rng(1).choice(list("abcdefgh"), (3000, 12))]
    found = list_skipped([Skipped(str(line), word) for line, word in enumerate(words)])
    assert len(found) == model.MAX_KINDS + model.LISTED
    assert found[-1].more == 3000 - len(found)
    assert str(found[-1]).endswith(f"{words[len(found) - 1]} (and 1,900 more of this kind)")


def test_python_has_a_list_that_does_not_grow_and_is_told_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "LISTED", 5)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{}\n" * 70 + jsonl(*({"id": n % 2, "text": "x"} for n in range(22))) + b"[]\n")
    places = [f"{path}:{line}" for line in [*range(1, 71), 93, *range(73, 93)]]
    told: list[Skipped] = []
    matches = library.find(path, skip=told.append, batch_bytes=40)
    assert [one.where for one in told] == places
    assert [one.more for one in matches.skipped] == [0, 0, 0, 0, 65, 0, 0, 0, 0, 0, 15]
    told.clear()
    with library.Archive.open(tmp_path / "news.db", create=True) as archive:
        added = archive.add(path, skip=told.append, batch_bytes=40, learn=False)
    assert [one.where for one in told] == places[:71], "equal articles are known"
    assert (added.added, sum(1 + one.more for one in added.skipped)) == (2, 71)
    assert len(added.skipped) == 6


@pytest.mark.parametrize(
    "command", ["find", "find --decide method --method exact", "add", "check", "weigh", "tune", "extract"]
)
def test_three_of_a_kind_are_named_and_a_file_has_all(tmp_path: Path, command: str) -> None:
    kind = "html" if command == "extract" else "jsonl"
    folder, told = tmp_path / "in", tmp_path / "skipped.jsonl"
    folder.mkdir()
    for number in range(1, 8):
        (folder / f"{number}.{kind}").write_bytes(b"" if kind == "html" or number > 1 else b"{}\n" * 20)
    (folder / f"good.{kind}").write_bytes(
        b"<p>The tide was high at noon." if kind == "html" else jsonl({"id": "a", "text": "The tide."})
    )
    name, *options = command.split()
    others: dict[str, list[object]] = {
        "add": [tmp_path / "news.db", folder],
        "check": [tmp_path / "news.db", folder],
        "weigh": ["cosine", folder, "-o", tmp_path / "words"],
        "tune": ["document_image", folder],
    }
    given = others.get(name, [folder])
    if name == "check":
        wirecopy("add", tmp_path / "news.db", folder / "good.jsonl")
    for more in ([], ["--skipped", str(told)]):
        ran = wirecopy(name, *given, *options, *more)
        assert ran.returncode == 3, ran.stderr
        said = [line for line in talk(ran).splitlines() if "skipped" in line]
        empty = [f"skipped: {folder}/{number}.{kind}: empty" for number in (1, 2, 3, 4)]
        lists_all = "(--skipped FILE has all)"
        if kind == "html":
            expected = [*empty[:3], f"skipped: 4 more {lists_all}: empty", "7 records skipped"]
        else:
            bad = [
                f"skipped: {folder}/1.jsonl:{line}: no text field: the record is empty" for line in (1, 2, 3)
            ]
            of_lines = [*bad, f"skipped: 17 more {lists_all}: no text field"]
            expected = [*of_lines, *empty[1:], f"skipped: 3 more {lists_all}: empty", "26 records skipped"]
        assert said == expected
    wheres = [one["where"] for one in lines(told.read_bytes())]
    numbers = range(2 if kind == "jsonl" else 1, 8)
    assert wheres == [f"{folder}/1.jsonl:{line}" for line in range(1, 21) if kind == "jsonl"] + [
        f"{folder}/{number}.{kind}" for number in numbers
    ]


def test_the_file_is_no_input(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{}\n")
    for command in (["find", path], ["add", tmp_path / "news.db", path], ["extract", path]):
        ran = wirecopy(*command, "--skipped", path)
        assert ran.returncode == 2
        assert "it is one of the inputs" in talk(ran)
    assert path.read_bytes() == b"{}\n"


@pytest.mark.parametrize("command", ["find", "add", "check"])
def test_a_few_bytes_that_unpack_to_millions_of_bad_lines_take_little_memory(
    tmp_path: Path, command: str
) -> None:
    archive, path = tmp_path / "news.db", tmp_path / "bomb.jsonl.zst"
    path.write_bytes(zstandard.compress(b"{}\n" * 4_000_000))
    assert path.stat().st_size < 1500
    wirecopy("add", archive, "-", input=jsonl({"id": "a", "text": "The tide."}))
    program = """
import re, sys
from pathlib import Path
from wirecopy.cli import app
app(sys.argv[1:], standalone_mode=False)
print(int(re.search("VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) >> 10)
"""
    given = [path] if command == "find" else [archive, path]
    ran = subprocess.run(
        [sys.executable, "-c", program, command, *given],
        capture_output=True,
        check=True,
        text=True,
        timeout=120,
    )
    said = ran.stderr.splitlines()
    assert "4,000,000 records skipped" in said
    assert sum(line.startswith("skipped: ") for line in said) == 4
    assert int(ran.stdout.split()[-1]) < 300
