"""`show` and `compare` of two articles: the pair as `find` sees it, in any script, on a terminal, in a pipe and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from program import on_terminal, talk, wirecopy
from records import jsonl, lines
from rich.cells import cell_len

import wirecopy as library
from quality.texts import Writer, join
from wirecopy.alignment import KINDS

FOOTER = "Follow the Harbour Post on all your devices and never miss what matters on the coast."
WORDS = Writer(30, 3000).write(60)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pile, and an archive of it, in which two articles share a short text, and with many others a footer that is longer than it."""
    folder = tmp_path_factory.mktemp("place")
    writer = Writer(31, 3000)
    footer = f"{FOOTER} {writer.text(30)}"
    edited = [*WORDS[:30], "otherwise", "put", *WORDS[32:], *writer.write(12)]
    articles = [
        {"id": f"news/other-{number}", "text": f"{writer.text(80)}\n\n{footer}"} for number in range(12)
    ]
    articles += [
        {
            "id": "news/first",
            "text": f"{join(WORDS)}\n\n{footer}",
            "published": "2026-03-01",
            "title": "First",
        },
        {
            "id": "news/later",
            "text": f"{footer}\n\n{join(edited)}",
            "published": "2026-03-02",
            "source": "Echo",
        },
    ]
    (folder / "news.jsonl").write_bytes(jsonl(*articles))
    for name, preset in (("news.db", "syndication"), ("strict.db", "strict")):
        assert wirecopy("add", name, "news.jsonl", "--preset", preset, cwd=folder).returncode == 0
    return folder


def shown(*arguments: object, width: int = 100) -> list[str]:
    code, text = on_terminal("show", *arguments, "-q", width=width)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert code == 0, plain
    assert "\x1b" not in plain
    return [line.rstrip() for line in plain.replace("\r\n", "\n").splitlines()]


@pytest.mark.parametrize("within", ["news.jsonl", "news.db"])
@pytest.mark.parametrize("preset", ["strict", "syndication", "any-reuse"])
def test_a_pair_is_seen_as_find_sees_it(place: Path, within: str, preset: str) -> None:
    found = lines(wirecopy("find", place / "news.jsonl", "--preset", preset, "-q").stdout)
    (match,) = (one for one in found if (one["query"], one["found"]) == ("news/later", "news/first"))
    named = "later", "first", "--in", place / within, "--preset", preset
    (compared,) = lines(wirecopy("compare", *named).stdout)
    (told,) = lines(wirecopy("show", *named, "--json").stdout)
    assert compared == match | {"methods": []}
    assert {name: value for name, value in told.items() if name != "pieces"} == compared
    assert {one["kind"] for one in told["pieces"]} >= {"same", "reworded", "boilerplate"}


def test_boilerplate_that_is_known_decides(place: Path, tmp_path: Path) -> None:
    """Alone, the footer is most of what both have; beside others that have it, it does not count, which is said."""
    articles = {one["id"]: one["text"] for one in lines((place / "news.jsonl").read_bytes())}
    files = [tmp_path / "later.txt", tmp_path / "first.txt"]
    for file in files:
        file.write_text(articles[f"news/{file.stem}"])
    (alone,) = lines(wirecopy("compare", *files).stdout)
    (known,) = lines(wirecopy("compare", "later", "first", "--in", place / "news.jsonl").stdout)
    assert len(alone["passages"]) == 2
    assert len(known["passages"]) == 1
    assert any(line.startswith("compared by themselves") for line in shown(*files))
    assert not any(
        line.startswith("compared by themselves")
        for line in shown("later", "first", "--in", place / "news.db")
    )
    (beside,) = lines(wirecopy("compare", *files, "--in", place / "news.jsonl").stdout)
    assert len(beside["passages"]) == 1, "files are seen by what is known there, too"


def test_the_preset_is_that_of_the_archive(place: Path) -> None:
    short = " ".join([*WORDS[:30], *Writer(32, 3000).write(60)])
    by_archive, given = (
        lines(
            wirecopy("compare", "-", "first", "--in", place / "strict.db", *more, input=short.encode()).stdout
        )
        for more in ([], ["--preset", "syndication"])
    )
    assert by_archive == [None]
    assert given[0]["relation"] == "partial"
    assert any(
        "by the preset strict" in line for line in shown("later", "first", "--in", place / "strict.db")
    )


def test_what_is_shown_is_marked_without_colour(place: Path) -> None:
    screen = shown("later", "first", "--in", place / "news.jsonl", width=1000)
    assert screen[0].startswith("news/later is ")
    body = "\n".join(screen)
    assert "── 1: 58 words, 2 changed ──" in body
    assert "── boilerplate ──" in body
    assert "── not in a passage ──" in body
    assert "[otherwise put]" in body
    assert "{Follow the Harbour Post" in body
    assert screen[-2:] == ["[ ]: not so in the other", "{ }: boilerplate, which does not count"]


def test_colour_is_used_where_there_is_some(place: Path) -> None:
    _, text = on_terminal("show", "later", "first", "--in", place / "news.db", "-q")
    assert "\x1b[32m" in text
    assert re.search(r"\x1b\[[0-9;]*2[0-9;]*m\{Follow", text), "boilerplate is grey"


def test_a_moved_paragraph_is_said_to_be_moved(tmp_path: Path) -> None:
    parts = [Writer(seed, 3000).text(40) for seed in range(3)]
    (tmp_path / "a.txt").write_text("\n\n".join(parts))
    (tmp_path / "b.txt").write_text("\n\n".join([*parts[1:], parts[0]]))
    screen = shown(tmp_path / "a.txt", tmp_path / "b.txt", width=200)
    heads = [line.split("  ")[0] for line in screen if line.startswith("──")]
    assert heads == ["── 1: 40 words, moved ──", "── 2: 80 words ──"]


SCRIPTS = {
    "english": " ".join(WORDS),
    "chinese": "长江是中华民族的母亲河，也是中华民族发展的重要支撑。十年来，从国家到沿江省市，把修复长江生态环境摆在压倒性位置，共抓大保护、不搞大开发。",
    "thai": "เรือข้ามฟากระหว่างเมืองกับหมู่เกาะจะจอดอยู่ที่ท่าจนถึงวันศุกร์ สำนักงานท่าเรือกล่าวเมื่อวันจันทร์ว่าพายุได้ทำลายท่าเทียบเรือสองแห่ง",
    "arabic": "قال مكتب الميناء يوم الإثنين إن العبّارة بين المدينة والجزر ستبقى راسية حتى يوم الجمعة بسبب الأضرار التي لحقت بالأرصفة خلال الليل وقالت إن سفنها الأخرى قيد الإصلاح",
    "hindi": "बंदरगाह कार्यालय ने सोमवार को कहा कि शहर और द्वीपों के बीच की नौका शुक्रवार तक बंदरगाह में ही रहेगी क्योंकि रात के तूफ़ान ने तीन में से दो घाट तोड़ दिए थे और गोताखोरों को दरारें मिलीं",
    "marks": " ".join(f"{word}\u0301\u0323 e\u0301te\u0301" for word in WORDS[:30]),
    "emoji": " ".join(f"{word} 🚢👩‍🚀🇳🇴" for word in WORDS[:30]),
}


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_is_wrapped_by_its_width_and_whole(script: str, width: int, tmp_path: Path) -> None:
    text = SCRIPTS[script]
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for file in files:
        file.write_text(text)
    screen = shown(*files, width=width)
    body = [line.replace("\u200e", "") for line in screen]
    assert all(cell_len(line) <= width for line in body)
    start = next(number for number, line in enumerate(body) if line.startswith("── 1"))
    left = "".join(cut(line, (width - 2) // 2) for line in body[start + 1 :])
    assert re.sub(r"\s", "", text) in re.sub(r"\s", "", left)


def cut(line: str, width: int) -> str:
    """The characters of a line that stand within a width."""
    end = next((at for at in range(1, len(line) + 1) if cell_len(line[:at]) > width), len(line) + 1)
    return line[: end - 1]


def test_a_terminal_that_reads_from_right_to_left_keeps_the_columns_apart(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(SCRIPTS["arabic"])
    screen = shown(tmp_path / "a.txt", tmp_path / "b.txt")
    both = [line for line in screen if re.search(r"[\u0600-\u06ff].*  .*[\u0600-\u06ff]", line)]
    assert both
    assert all(line.count("\u200e") == 2 for line in both)


HOSTILE = "\x1b]0;owned\x07\x1b[2J\x1b[31m\r\n\u202e\u2066\x9b5m\x00\x08"


@pytest.mark.parametrize("command", ["show", "compare"])
def test_no_text_steers_the_terminal(command: str, tmp_path: Path) -> None:
    hostile = [word + HOSTILE if number % 9 == 0 else word for number, word in enumerate(WORDS)]
    article = {"id": f"x{HOSTILE}", "title": HOSTILE, "source": f"[bold]{HOSTILE}", "text": " ".join(hostile)}
    (tmp_path / "news.jsonl").write_bytes(jsonl(article, {"id": "b", "text": " ".join(WORDS)}))
    code, text = on_terminal(command, "x…", "b", "--in", tmp_path / "news.jsonl", "-q", width=200)
    assert code == 0
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", text)
    assert set(re.findall(r"\x1b.{4}", re.sub(r"\x1b\[(?:[0-9]+;)*[0-9]*m", "", text))) == set()
    piped = wirecopy("show", "x…", "b", "--in", tmp_path / "news.jsonl").stdout
    assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", piped)


def test_in_a_pipe_and_in_a_file_it_is_text_without_colour(place: Path, tmp_path: Path) -> None:
    named = "later", "first", "--in", place / "news.db"
    ran = wirecopy("show", *named)
    assert (ran.returncode, talk(ran)) == (0, "")
    text = ran.stdout.decode()
    assert "\x1b" not in text
    assert "[otherwise put]" in text
    assert max(map(cell_len, text.splitlines())) <= 140
    assert wirecopy("show", *named, "-o", tmp_path / "pair.txt").stdout == b""
    assert (tmp_path / "pair.txt").read_text() == text


def pieces_of(told: dict[str, Any], side: str) -> Iterator[tuple[int, int]]:
    return (tuple(one[side]) for one in told["pieces"])


def test_json_has_the_match_and_its_pieces(place: Path) -> None:
    (told,) = lines(wirecopy("show", "later", "first", "--in", place / "news.db", "--json").stdout)
    texts = {one["id"]: one["text"] for one in lines((place / "news.jsonl").read_bytes())}
    for side in ("query", "found"):
        text = texts[told[side]]
        assert "".join(text[start:end] for start, end in sorted(pieces_of(told, side))) == text
    assert {one["kind"] for one in told["pieces"]} <= set(KINDS)
    assert {one["passage"] for one in told["pieces"]} == {None, 0}
    assert list(told["pieces"][0]) == ["kind", "query", "found", "passage", "moved", "minor"]


def test_two_that_share_nothing_are_shown_and_said_to_be_no_copy(tmp_path: Path) -> None:
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for seed, file in enumerate(files):
        file.write_text(Writer(seed, 3000).text(30))
    screen = shown(*files)
    assert screen[0] == "no copy: no common passage of 20 words"
    assert sum(line.startswith("──") for line in screen) == 1
    told = json.loads(wirecopy("show", *files, "--json").stdout)
    assert (told["relation"], told["passages"], told["query_covered"]) == (None, [], 0.0)
    assert [one["kind"] for one in told["pieces"]] == ["cut", "added"]


def test_what_is_longer_than_the_terminal_is_paged(tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\nsed 's/^/paged: /'\n")
    pager.chmod(0o755)
    for name, words in (("long", 2000), ("short", 30)):
        (tmp_path / f"{name}.txt").write_text(Writer(7, 3000).text(words))
    code, text = on_terminal("show", *[tmp_path / "long.txt"] * 2, pager=str(pager))
    assert code == 0
    assert all(line.startswith("paged: ") for line in text.splitlines())
    _, text = on_terminal("show", *[tmp_path / "short.txt"] * 2, pager=str(pager))
    assert "paged" not in text


def test_words_that_are_only_spelled_otherwise_are_marked_if_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(" ".join(WORDS))
    (tmp_path / "b.txt").write_text(" ".join([*WORDS[:20], WORDS[20].upper(), *WORDS[21:]]))
    files = tmp_path / "a.txt", tmp_path / "b.txt"
    assert f"[{WORDS[20].upper()}]" not in "\n".join(shown(*files))
    assert f"[{WORDS[20].upper()}]" in "\n".join(shown(*files, "--spelling"))


def test_an_id_that_is_not_there_is_named(place: Path) -> None:
    ran = wirecopy("show", "nothing", "first", "--in", place / "news.jsonl")
    assert ran.returncode == 1
    assert "nothing: no article of" in talk(ran)
    ran = wirecopy("show", "other-1…", "first", "--in", place / "news.db")
    assert ran.returncode == 2
    assert "write more of the id" in talk(ran)


def test_an_archive_tells_what_it_has_learnt(place: Path) -> None:
    with library.Archive.open(place / "news.db") as archive:
        assert len(archive.learnt.known.shingles)
        assert archive.learnt.formulas == archive.formulas
