"""What people see on a terminal of 80 and of 120 columns, and what answers tell of articles besides their ids."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from program import on_terminal, talk, wirecopy
from records import jsonl, lines
from rich.cells import cell_len

import wirecopy as library
from quality.texts import Writer
from wirecopy.cli.naming import Ids, find_meant

LONG = "https://www.example.org/{}/2026/03/{:02}/a-story-that-goes-on-and-on.html"
ZH = "长江是中华民族的母亲河，也是中华民族发展的重要支撑。十年来，从国家到沿江省市，把修复长江生态环境摆在压倒性位置，共抓大保护、不搞大开发。"
ZH_EDITED = ZH.replace("重要支撑", "坚实根基")


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three stories, each printed twice: one again in other words, one in Chinese, one with a title that is a formula."""
    writer = Writer(90)
    story, other = writer.write(120), writer.text(90)
    edited = [*story[:50], "otherwise", "put", *story[52:]]
    folder = tmp_path_factory.mktemp("news")
    articles = [
        (LONG.format("courier", 1), "Harbour closes early", "Courier", "2026-03-01", " ".join(story)),
        (LONG.format("echo", 2), "Harbour to close", "Echo", "2026-03-02", " ".join(edited)),
        (LONG.format("courier", 3), "母亲河焕发新活力", "新闻联播", "2026-03-03", ZH),
        (LONG.format("echo", 4), "万里长江", "新闻联播", "2026-03-04", ZH_EDITED),
        (LONG.format("courier", 5), "Rain", "Courier", "2026-03-05", other),
        (LONG.format("echo", 6), "=Rain\x1b[2J again", "Echo", "2026-03-06", other),
    ]
    names = ("id", "title", "source", "published", "text")
    (folder / "news.jsonl").write_bytes(jsonl(*(dict(zip(names, one, strict=True)) for one in articles)))
    assert wirecopy("add", folder / "news.db", folder / "news.jsonl").returncode == 0
    return folder


def show(*arguments: object, width: int) -> list[str]:
    code, shown = on_terminal(*arguments, width=width)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert code == 0, plain
    assert "\x1b" not in plain
    return [line.rstrip() for line in plain.splitlines()]


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("command", [("find", "news.jsonl"), ("pairs", "news.db")])
def test_a_table_tells_titles_sources_and_dates(command: tuple[str, str], news: Path, width: int) -> None:
    shown = show(command[0], news / command[1], "--quiet", width=width)
    matches = [line for line in shown if re.search(r" 2026-03-0\d ", line)]
    assert [line.split()[0] for line in matches[:5]] == [
        *("identical", "90", "near-duplicate", "118", "near-duplicate")
    ], "the closest relation first, then the most words"
    assert all(cell_len(line) <= width for line in shown[:-2])
    assert "Harbour to close" in matches[2]
    assert "Echo" in matches[2]
    assert "万里长江" in matches[4]
    assert not any("https" in line for line in matches), "what all ids have in common is not shown"
    assert "3 matches: 1 identical, 2 near-duplicate" in shown
    assert len([line for line in shown if "“" in line]) == (3 if width == 120 else 0)


@pytest.mark.parametrize("width", [80, 120])
def test_the_ids_of_a_table_are_understood_by_compare(news: Path, width: int) -> None:
    shown = show("find", news / "news.jsonl", "--quiet", width=width)
    ids = [line.split()[-1] for line in shown if " 2026-03-0" in line]
    for place in ("news.jsonl", "news.db"):
        for query, found in zip(ids[::2], ids[1::2], strict=True):
            (match,) = lines(wirecopy("compare", query, found, "--in", news / place).stdout)
            assert match["relation"] in ("identical", "near-duplicate")


@pytest.mark.parametrize("width", [80, 120])
def test_check_shows_what_is_found_in_two_lines(news: Path, tmp_path: Path, width: int) -> None:
    (tmp_path / "draft.txt").write_text(ZH)
    shown = show("check", news / "news.db", tmp_path / "draft.txt", width=width)
    assert shown[0].startswith("draft.txt: 100% copied from 2 articles")
    assert all(cell_len(line) <= width for line in shown)
    assert "母亲河焕发新活力" in shown[2]
    assert "“长江是中华民族的母亲河" in shown[3]


@pytest.mark.parametrize("width", [80, 120])
def test_compare_sets_passages_beside_each_other_and_marks_what_changed(news: Path, width: int) -> None:
    shown = show("compare", "2026/03/02/…", "2026/03/01/…", "--in", news / "news.jsonl", "-q", width=width)
    assert any("── 1: 118 words, 2 changed" in line for line in shown)
    assert "[otherwise put]" in " ".join(" ".join(line[: width // 2].split()) for line in shown)
    assert all(cell_len(line) <= width for line in shown)


@pytest.mark.parametrize("width", [80, 120])
def test_compare_wraps_chinese_by_its_width(news: Path, width: int) -> None:
    shown = show("compare", "2026/03/04/…", "2026/03/03/…", "--in", news / "news.db", "-q", width=width)
    assert all(cell_len(line) <= width for line in shown)
    body = "".join(shown)
    assert "不搞大开发。" in body, "the end is there"
    assert "[坚实根基]" in re.sub(r"\s", "", body)
    assert "[重要支撑]" in re.sub(r"\s", "", body)


SCRIPTS = {
    "zh": ZH,
    "ko": "최 부상은 이날 오전 평양발 고려항공 편을 이용해 베이징 서우두 공항에 도착했다. 최종 목적지를 묻는 취재진의 질문에 아무런 답을 하지 않고 "
    "대기하던 차를 타고 공항을 빠져나갔다. 북한은 정상회담 무산 가능성까지 거론하며 강경한 태도를 보이고 있다고 외교 소식통이 말했다.",
    "tr": "Bankacılık Düzenleme ve Denetleme Kurulu, Çukurova Grubu ile imzalanan sözleşmenin ana unsurlarının geçen yılın şubat ayı "
    "başından beri yayında olduğunu hatırlattı. İmzalanan sözleşmeye göre hisselerin üçüncü şahıslara satışı ocak ayı sonuna kadar grup "
    "tarafından gerçekleştirilecek, bunun için ayrıca izin alınacak.",
}


@pytest.mark.parametrize("width", [80, 120])
def test_folders_in_three_scripts_are_looked_at(tmp_path: Path, width: int) -> None:
    for name, text in SCRIPTS.items():
        for paper, body in (("first", text), ("second", text)):
            (tmp_path / paper).mkdir(exist_ok=True)
            (tmp_path / paper / f"{name}.txt").write_text(body)
    folders = tmp_path / "first", tmp_path / "second"
    shown = show("find", *folders, "--quiet", width=width)
    assert "3 matches: 3 identical" in shown
    ids = [line.split()[-1] for line in shown if line.endswith(".txt") and "--in" not in line]
    assert sorted(ids) == sorted(f"{paper}/{name}.txt" for paper in ("first", "second") for name in SCRIPTS)
    for name, text in SCRIPTS.items():
        within = [one for folder in folders for one in ("--in", folder)]
        compared = show("compare", f"second/{name}.txt", f"first/{name}.txt", *within, "-q", width=width)
        assert all(cell_len(line) <= width for line in compared[1:-1])
        left = re.sub(r"\s", "", "".join(halves(line, width)[0] for line in compared))
        assert re.sub(r"\s", "", text) in left, "whole, whatever its script"


def halves(line: str, width: int) -> list[str]:
    """The two columns of a line."""
    cut = next((at for at in range(len(line) + 1) if cell_len(line[:at]) >= width // 2), len(line))
    return [line[:cut], line[cut:]]


def test_an_id_that_is_not_clear_or_not_there_is_named(news: Path) -> None:
    ran = wirecopy("compare", "a-story-that-goes-on-and-on.html", "x", "--in", news / "news.jsonl")
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert "write more of the id" in talk(ran)
    ran = wirecopy("compare", "nothing", "x", "--in", news / "news.db")
    assert ran.returncode == 1
    assert "nothing: no article of" in talk(ran)


def test_nothing_found_is_said(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(Writer(ord(name)).text(80))
    assert show("find", tmp_path, "--quiet", width=80) == ["nothing found: no copies among 2 articles"]


def test_short_ids_are_clear() -> None:
    every = [
        f"https://x.org/{paper}/{day:02}/story.html" for paper in ("echo", "courier") for day in range(30)
    ]
    for width in (8, 12, 40):
        names = Ids(lambda: every).shorten(every[:4], width)
        assert all(find_meant(name, every) == [id] for id, name in names.items())
    alone = every[:30]
    assert Ids(lambda: alone).shorten(alone[:2], 40) == {alone[0]: "00/story.html", alone[1]: "01/story.html"}


HEADS = [f"{side}_{name}" for side in ("query", "found") for name in ("title", "source", "published", "url")]


def test_csv_tells_of_both_articles_and_what_they_share(news: Path) -> None:
    table = wirecopy("find", news / "news.jsonl", "--csv", "-q").stdout.decode()
    rows = list(csv.DictReader(io.StringIO(table, newline="")))
    assert list(rows[0])[11:] == [*HEADS, "text", "found_text"]
    assert rows[0]["query_title"] == "Harbour to close"
    assert (rows[0]["found_source"], rows[0]["found_published"]) == ("Courier", "2026-03-01")
    assert "otherwise put" in rows[0]["text"]
    assert "otherwise put" not in rows[0]["found_text"]
    assert rows[2]["query_title"].startswith("'=Rain"), "no formula"
    raw = wirecopy("find", news / "news.jsonl", "--csv", "--raw", "-q").stdout.decode()
    assert "'=Rain" not in raw
    assert "=Rain" in raw


def test_json_lines_tell_it_with_text_only(news: Path) -> None:
    lean = lines(wirecopy("find", news / "news.jsonl", "-q").stdout)
    full = lines(wirecopy("find", news / "news.jsonl", "-q", "--text").stdout)
    assert full == lines(wirecopy("pairs", news / "news.db", "-q", "--text").stdout)
    assert [list(one)[-8:] for one in full] == [HEADS] * 3
    for one in full:
        for head in HEADS:
            del one[head]
        for passage in one["passages"]:
            assert passage.pop("text") != ""
            assert passage.pop("found_text") != ""
    assert full == lean
    answer = lines(wirecopy("check", news / "news.db", news / "news.jsonl", "--text").stdout)[0]
    assert answer["matches"][0]["query_title"] == "Harbour closes early"
    assert answer["matches"][0]["found_title"] == "Harbour to close"
    assert "otherwise put" in answer["matches"][0]["passages"][0]["found_text"]
    ran = wirecopy("find", news / "news.jsonl", "--csv", "--text")
    assert ran.returncode == 2


def test_frames_tell_it_always(news: Path) -> None:
    matches = library.find(news / "news.jsonl")
    frame = matches.to_polars()
    assert frame.columns[-8:] == HEADS
    assert frame["query_source"].to_list() == ["Echo", "新闻联播", "Echo"]
    passage = frame["passages"][1][0]
    assert (passage["text"][:9], passage["found_text"][:9]) == (ZH[:9], ZH[:9])
    assert matches[1].passages[0].found_text == passage["found_text"]
    assert library.find(news / "news.jsonl", about=False).to_polars()["query_source"].to_list() == [None] * 3
    with library.Archive.open(news / "news.db") as archive:
        assert archive.pairs().to_polars()[HEADS].equals(frame[HEADS])
