"""What commands write to: never to what they read, and a file whole or not at all."""

from __future__ import annotations

import csv
import io
import os
import re
import resource
from pathlib import Path

import pytest
from program import talk, wirecopy
from records import jsonl

from quality.texts import Writer

PAGE = "<html><body><article><p>{}</p></article></body></html>"


@pytest.fixture
def place(tmp_path: Path, known: Path, pile: Path) -> Path:
    """A folder with one of everything that is read."""
    for file, name in ((known, "news.db"), (pile, "own.jsonl"), (pile, "other.jsonl")):
        (tmp_path / name).write_bytes(file.read_bytes())
    (tmp_path / "news.db-index").mkdir()
    (tmp_path / "news.db-index" / "00000001.segment").write_bytes(b"kept")
    (tmp_path / "a.txt").write_text(Writer(60).text(60))
    (tmp_path / "pages" / "site").mkdir(parents=True)
    (tmp_path / "pages" / "site" / "p.html").write_text(PAGE.format(Writer(61).text(60)))
    (tmp_path / "pages" / "site" / "p.txt").write_text(Writer(61).text(60))
    (tmp_path / "html").mkdir()
    (tmp_path / "html" / "p.html").write_text(PAGE.format(Writer(61).text(60)))
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "p.txt").write_text(Writer(61).text(60))
    maps = tmp_path / "maps"
    maps.mkdir()
    for name in ("page", "child"):
        (maps / f"{name}.html").write_text(PAGE.format(Writer(62).text(60)))
        (maps / f"{name}.xml").write_text(f"<urlset><url><loc>{name}.html</loc></url></urlset>")
    (maps / "index").write_text("<sitemapindex><sitemap><loc>child.xml</loc></sitemap></sitemapindex>")
    (tmp_path / "link.jsonl").symlink_to("own.jsonl")
    os.link(tmp_path / "own.jsonl", tmp_path / "hard.jsonl")
    assert wirecopy("weigh", "cosine", "own.jsonl", "-o", "words", cwd=tmp_path).returncode == 0
    return tmp_path


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "command",
    [
        "export news.db -o news.db",
        "export news.db -o ./pages/../news.db",
        "export news.db -o news.db-index/00000001.segment",
        "pairs news.db --jsonl -o news.db",
        "pairs news.db --boilerplate news.db",
        "check news.db a.txt --jsonl -o a.txt",
        "check news.db a.txt --jsonl -o news.db",
        "find own.jsonl -o own.jsonl",
        "find own.jsonl -o link.jsonl",
        "find link.jsonl -o own.jsonl",
        "find own.jsonl -o hard.jsonl",
        "find *.jsonl -o other.jsonl",
        "find . -o own.jsonl",
        "find own.jsonl --boilerplate own.jsonl",
        "find own.jsonl --query other.jsonl -o other.jsonl",
        "find own.jsonl --method cosine --statistics words -o words",
        "find own.jsonl --decide method --method sentence_fingerprints --verdicts own.jsonl",
        "find - -o own.jsonl",
        "compare a.txt a.txt -o a.txt",
        "weigh cosine own.jsonl -o own.jsonl",
        "extract pages/site/p.html -o pages/site/p.html",
        "extract pages --html -o pages/site/p.html",
        "extract pages --model other.jsonl -o other.jsonl",
        "train pages --folds 0 -o pages/site/p.html",
        "train pages --folds 0 -o pages/site/p.txt",
        "train html --folds 0 -o gold/p.txt",
        "find maps/page.xml --jsonl -o maps/page.html",
        "find maps/index --jsonl -o maps/child.html",
        "find maps/index --jsonl -o maps/child.xml",
        "extract maps/*.xml --html -o maps/child.html",
        "find own.jsonl --skipped own.jsonl",
        "find own.jsonl --html own.jsonl",
        "stories own.jsonl -o own.jsonl",
        "stories own.jsonl --links own.jsonl",
        "stories news.db --html news.db",
        "graph own.jsonl -o own.jsonl",
        "report own.jsonl -o own.jsonl",
        "report news.db -o news.db",
        "dedup own.jsonl -o own.jsonl",
        "dedup own.jsonl -o new.jsonl --dropped own.jsonl",
        "pool own.jsonl -o own.jsonl",
        "pool own.jsonl --pool other.jsonl -o other.jsonl",
        "pool own.jsonl --judged other.jsonl -o own.jsonl",
        "pool own.jsonl --judged other.jsonl --disagreements own.jsonl",
        "pool own.jsonl --judged other.jsonl --task a.txt --jsonl -o a.txt",
        "evaluate own.jsonl other.jsonl -o own.jsonl",
        "evaluate own.jsonl other.jsonl --in pages -o pages/site/p.html",
        "evaluate own.jsonl other.jsonl --in news.db -o news.db",
        "evaluate own.jsonl other.jsonl --task a.txt -o a.txt",
        "reproduce cedar --corpus own.jsonl -o own.jsonl",
        "show 1 2 --in own.jsonl --html own.jsonl",
        "tune sentence_lengths own.jsonl -o own.jsonl",
    ],
)
def test_an_input_is_not_written_over(command: str, place: Path) -> None:
    before = contents(place)
    with (place / "own.jsonl").open("rb") as stdin:
        ran = wirecopy(*command.split(), cwd=place, stdin=stdin)
    assert ran.returncode == 2, ran.stderr
    assert f"{command.split()[-1].removeprefix('./')}: cannot be written: it is one of the inputs" in talk(
        ran
    )
    assert contents(place) == before


@pytest.mark.parametrize("second", ["x.jsonl", "./x.jsonl", "pages/../x.jsonl"])
@pytest.mark.parametrize("there", [True, False])
def test_two_outputs_are_not_written_to_one_file(second: str, there: bool, place: Path) -> None:
    if there:
        (place / "x.jsonl").touch()
    ran = wirecopy("find", "own.jsonl", "-o", "x.jsonl", "--boilerplate", second, cwd=place)
    assert ran.returncode == 2
    assert "x.jsonl: cannot be written: two outputs are one file" in talk(ran)
    assert not (place / "x.jsonl").exists() or not (place / "x.jsonl").stat().st_size


@pytest.mark.parametrize(
    "command",
    [
        *("find loop -o answer.jsonl", "extract loop -o answer.jsonl", "find own.jsonl -o loop/self"),
        *(
            "add news.db loop",
            "add loop/self own.jsonl",
            "watch news.db loop --once",
            "check loop/self a.txt",
        ),
        *("train loop/self -o model", "info loop/self"),
    ],
)
def test_a_link_to_itself_is_named(command: str, place: Path) -> None:
    (place / "loop").mkdir()
    (place / "loop" / "self").symlink_to("self")
    (place / "answer.jsonl").touch()
    ran = wirecopy(*command.split(), cwd=place)
    assert ran.returncode in (1, 3), talk(ran)
    assert "self" in talk(ran)


def test_a_device_may_be_written_twice_and_an_answer_again(place: Path) -> None:
    ran = wirecopy("find", "own.jsonl", "-o", "/dev/null", "--boilerplate", "/dev/null", cwd=place)
    assert ran.returncode == 0, ran.stderr
    for _ in range(2):
        assert wirecopy("find", "own.jsonl", "-o", "answer.jsonl", cwd=place).returncode == 0


TO_READ_BYTES = 33_000
"""What SQLite needs beside an archive to read it."""


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one of everything that gives an answer; those of its archive are large."""
    folder, writer = tmp_path_factory.mktemp("crowd"), Writer(63)
    shared, formula = writer.text(400), writer.text(60)
    same = [{"id": f"{n:02}", "text": f"{shared} {writer.text(300)}"} for n in range(20)]
    (folder / "own.jsonl").write_bytes(jsonl(*same))
    letters = [{"id": f"{n}", "text": f"{writer.text(90)} {formula} {writer.text(90)}"} for n in range(40)]
    (folder / "letters.jsonl").write_bytes(jsonl(*letters))
    (folder / "twice.jsonl").write_bytes(
        jsonl(*letters, *({**one, "id": f"{one['id']}a"} for one in letters))
    )
    (folder / "text.txt").write_text(f"{shared} {writer.text(300)}")
    for number in range(4):
        text, rest = writer.text(300), writer.text(20)
        for site in ("pages", "labelled"):
            page = folder / site / "site" / f"{number}.html"
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(PAGE.format(text).replace("<article>", f"<nav><p>{rest}</p></nav><article>"))
        page.with_suffix(".txt").write_text(text)
    assert wirecopy("add", "news.db", "own.jsonl", cwd=folder).returncode == 0
    assert wirecopy("find", "own.jsonl", "-o", "pairs.jsonl", cwd=folder).returncode == 0
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "find own.jsonl -o",
        "find own.jsonl --csv -o",
        "find own.jsonl --parquet -o",
        "find letters.jsonl -o /dev/null --boilerplate",
        "find own.jsonl --decide method --method resemblance -o",
        "find own.jsonl -o /dev/null --decide method --method sentence_fingerprints --verdicts",
        "pairs news.db -o",
        "check news.db own.jsonl -o",
        "compare text.txt text.txt -o",
        "export news.db -o",
        "extract pages -o",
        "extract pages --jsonl -o",
        "extract pages --blocks -o",
        "extract pages --html -o",
        "weigh cosine own.jsonl -o",
        "train labelled --folds 0 --kind maxent -o",
        "find own.jsonl -o /dev/null --html",
        "stories twice.jsonl -o",
        "stories own.jsonl --csv -o",
        "stories own.jsonl --parquet -o",
        "stories own.jsonl -o /dev/null --html",
        "stories own.jsonl -o /dev/null --links",
        "graph own.jsonl --csv -o",
        "graph own.jsonl --json -o",
        "graph own.jsonl --graphml -o",
        "report own.jsonl -o",
        "dedup twice.jsonl -o",
        "pool own.jsonl --method alignment -o",
        "evaluate pairs.jsonl pairs.jsonl --in own.jsonl --json -o",
        "reproduce chang-wang --articles 200 -o",
    ],
)
def test_on_a_full_disk_an_earlier_answer_stays(command: str, crowd: Path, tmp_path: Path) -> None:
    answer = tmp_path / "answer"
    assert wirecopy(*command.split(), answer, cwd=crowd).returncode == 0
    room = max(answer.stat().st_size // 2, TO_READ_BYTES if "news.db" in command else 0)
    assert room < answer.stat().st_size
    answer.write_text("whole\n")
    ran = wirecopy(
        *command.split(),
        answer,
        cwd=crowd,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
    )
    assert ran.returncode == 1
    assert f"{answer}: cannot be written: File too large" in talk(ran)
    assert answer.read_text() == "whole\n"
    assert list(tmp_path.iterdir()) == [answer]


def test_on_a_full_disk_an_earlier_figure_stays(tmp_path: Path) -> None:
    figure = tmp_path / "3.svg"
    figure.write_text("whole\n")
    ran = wirecopy(
        *("reproduce", "uwamahoro", "--table", "3", "--figures", tmp_path, "-o", "/dev/null", "-q"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600)),
    )
    assert (ran.returncode, talk(ran)) == (1, f"wirecopy: {tmp_path}: cannot be written: File too large\n")
    assert figure.read_text() == "whole\n"
    assert list(tmp_path.iterdir()) == [figure]


@pytest.mark.parametrize("command", ["extract pages/site/p.html pages", "check news.db pages --jsonl"])
def test_a_new_file_in_a_folder_that_is_read_is_no_input(command: str, place: Path) -> None:
    ran = wirecopy(*command.split(), "-o", "pages/new.html", cwd=place)
    assert "new.html" not in talk(ran)
    assert (place / "pages" / "new.html").stat().st_size


@pytest.mark.parametrize("command", ["verify", "info", "export", "add"])
def test_an_archive_that_was_emptied_says_so(command: str, place: Path) -> None:
    (place / "news.db").write_bytes(b"")
    ran = wirecopy(command, "news.db", *(["a.txt"] if command == "add" else []), cwd=place)
    assert ran.returncode == 1
    assert re.search(
        r"news\.db: empty, but \S*news\.db-index holds 1 segment of its articles; restore it", talk(ran)
    )
    assert (place / "news.db").read_bytes() == b""
    assert (place / "news.db-index" / "00000001.segment").exists()


FORMULAS = {
    "=1+1": "'=1+1",
    "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0",
    "-2+3": "'-2+3",
    "@SUM(A1)": "'@SUM(A1)",
    "\t=1": "'\t=1",
    "\r=1": "'\r=1",
    "\n=1": "'\n=1",
    "-0.5": "-0.5",
    "+4e-7": "+4e-7",
    "a=1": "a=1",
    "'quoted": "'quoted",
}
"""What is written for each id."""


@pytest.fixture
def formulas(tmp_path: Path, words: list[str]) -> Path:
    records = [{"id": id, "text": " ".join(words[:80]), "title": "=2*3"} for id in FORMULAS]
    (tmp_path / "pile.jsonl").write_bytes(jsonl(*records))
    (tmp_path / "asked.jsonl").write_bytes(jsonl({"id": "=asked", "text": " ".join(words[:80])}))
    wirecopy("add", "news.db", "pile.jsonl", cwd=tmp_path)
    wirecopy("add", "exact.db", "pile.jsonl", "--method", "exact", cwd=tmp_path)
    return tmp_path


def cells(answer: bytes) -> set[str]:
    return {cell for row in csv.reader(io.StringIO(answer.decode(), newline="")) for cell in row}


@pytest.mark.parametrize(
    "command",
    [
        *("find pile.jsonl", "find pile.jsonl --method exact --decide method"),
        *("pairs news.db --pairs all", "pairs exact.db --decide method"),
        *("check news.db asked.jsonl", "check exact.db asked.jsonl --decide method"),
        *("stories pile.jsonl", "stories news.db", "graph pile.jsonl", "graph news.db"),
        *("pool pile.jsonl --method exact", "pool pile.jsonl --method alignment"),
    ],
)
def test_no_cell_of_csv_is_a_formula_unless_asked_for(command: str, formulas: Path) -> None:
    ran = wirecopy(*command.split(), "--csv", cwd=formulas)
    quoted, raw = cells(ran.stdout), cells(wirecopy(*command.split(), "--csv", "--raw", cwd=formulas).stdout)
    assert set(FORMULAS) <= raw, talk(ran)
    assert quoted == {FORMULAS.get(cell, f"'{cell}" if cell.startswith("=") else cell) for cell in raw}


def test_raw_is_for_csv_only(formulas: Path) -> None:
    ran = wirecopy("find", "pile.jsonl", "--raw", cwd=formulas)
    assert (ran.returncode, talk(ran)) == (2, "wirecopy: --raw: only with --csv\n")
    assert wirecopy("find", "pile.jsonl", "--raw", "-o", "answer.csv", cwd=formulas).returncode == 0
