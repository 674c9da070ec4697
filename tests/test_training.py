"""Models are trained on labelled pages, judged on sites they have not seen, and come out the same however it is asked."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sites import write_labelled, write_page

from wirecopy import Page, _core, cli, extract
from wirecopy.errors import SourceError
from wirecopy.extraction import extract_pages, training, validation
from wirecopy.extraction.labelled import LabelledPage, read_labelled


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nine sites of three builds, in English and German."""
    return write_labelled(tmp_path_factory.mktemp("labelled") / "papers", range(9))


@pytest.fixture(scope="module")
def pages(labelled: Path) -> list[LabelledPage]:
    return read_labelled(labelled)[0]


@pytest.fixture
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little pages need few trees."""
    monkeypatch.setattr(training, "TREES", (20, 20))


def train(*arguments: object) -> int:
    """Run the command in this process; its exit code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["wirecopy", "train", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
    return int(ended.value.code or 0)


def rows(shown: str) -> dict[tuple[str, str], list[str]]:
    """The scores of a table, by collection and model."""
    cells = [line.split("  ") for line in shown.splitlines()]
    named = [[cell.strip() for cell in line if cell.strip()] for line in cells]
    return {(line[0], line[1]): line[2:] for line in named[1:]}


# Labels.


def test_the_text_beside_a_page_labels_its_blocks(pages: list[LabelledPage]) -> None:
    for page in pages:
        site, number = page.id.removeprefix("site").split("/")
        written = write_page(int(site), int(number))
        assert page.labels.sum() == len(written.paragraphs)
        assert page.group == f"papers/site{site}"
        assert page.collection == "papers"


def test_headline_and_byline_are_no_text_whatever_the_text_beside_says(tmp_path: Path) -> None:
    shown = [
        ("h1", "Fish market to close next year"),
        ("p", "By Ada Quill, 3 March 2026, 19:30"),
        ('p class="byline"', "Ada Quill in Wexmouth"),
        (
            "p",
            "The harbour board voted on 3 March 2026 to close the old market. Traders were told on Tuesday night.",
        ),
        ("p", "A smaller hall opens in spring"),
    ]
    (tmp_path / "1.html").write_text(
        "".join(f"<{tag}>{text}</{tag.split()[0]}>" for tag, text in shown), "utf-8"
    )
    (tmp_path / "1.txt").write_text("\n".join(text for _, text in shown), "utf-8")
    ((page,), _) = read_labelled(tmp_path)
    assert page.labels.tolist() == [False, False, False, True, True]


def test_the_papers_mark_up_gives_the_labels_of_a_text_beside(
    tmp_path: Path, pages: list[LabelledPage]
) -> None:
    marked, skipped = read_labelled(write_labelled(tmp_path / "papers", range(9), marked=True))
    assert not skipped
    assert [page.id for page in marked] == [page.id for page in pages]
    for with_mark_up, with_text in zip(marked, pages, strict=True):
        assert np.array_equal(with_mark_up.labels, with_text.labels)


FIGURE_1 = """<html lang="en"><body><div>Home News Sport</div><h1><span class="CedarTitle">Paul nears Baja</span></h1>
<div>By <span class="CedarAuthor">Ada <span>Quill</span></span>, <span class="CedarSource">The Courier</span>,
<span class="CedarDate">October 23, 2006</span></div>
<p><span class="CedarLocation">MEXICO\nCITY</span>&mdash; <span class=\n"CedarContent">Hurricane Paul strengthened to a Category 2
storm off the western coast on Monday, and <span>was threatening</span> the south.</span></p>
<p><span class="CedarContent">Paul had winds of 100 mph and had shifted direction, moving to the west.</span></p>
<div class="inlinead">Half price at all our shops until Friday this week, and on Sunday too.</div></body></html>"""


def test_the_papers_mark_up_also_tells_title_author_date_location_and_source(tmp_path: Path) -> None:
    (tmp_path / "1.html").write_text(FIGURE_1, "utf-8")
    ((page,), _) = read_labelled(tmp_path)
    assert page.labels.tolist() == [False, False, False, True, True, False]
    assert validation.tell(page)[1] == {
        "title": "Paul nears Baja",
        "author": "Ada Quill",
        "published": "2006-10-23",
        "location": "MEXICO CITY",
        "source": "The Courier",
    }


def test_marks_break_no_word_and_are_not_mixed_up(tmp_path: Path) -> None:
    (tmp_path / "1.html").write_text(
        '<html lang="fr"><h1><span class="CedarTitle">e<span>Bay</span> falls</span></h1>'
        '<span class="CedarAuthor">Ada Quill</span> and <span class="CedarAuthor">Bo Reed</span>'
        '<span class="CedarDate">03/04/2024</span><span class="CedarSource"> </span><p>Cedar <![foo bar>'
        '<span class="CedarContent">The harbour board voted on Tuesday night to close the old market.</span>',
        "utf-8",
    )
    (tmp_path / "2.html").write_text("<p>Cedar Rapids <![foo bar> was quiet.", "utf-8")
    (tmp_path / "2.txt").write_text("Cedar Rapids was quiet.", "utf-8")
    about = {"id": "2", "title": "half a \ud800 character", "date": "2024-04-03"}
    (tmp_path / "meta.jsonl").write_text(json.dumps(about))
    found, skipped = read_labelled(tmp_path)
    assert [Path(one.where).name for one in skipped] == ["1.html"]
    (tmp_path / "1.html").write_text((tmp_path / "1.html").read_text().replace("<![foo bar>", ""))
    found, skipped = read_labelled(tmp_path)
    assert skipped == []
    assert [validation.tell(page)[1] for page in found] == [
        {"title": "eBay falls", "author": "Ada Quill; Bo Reed", "published": "2024-04-03"},
        {"title": "half a \ufffd character", "published": "2024-04-03"},
    ]


def test_a_text_beside_a_marked_page_counts(tmp_path: Path) -> None:
    (tmp_path / "1.html").write_text(FIGURE_1, "utf-8")
    (tmp_path / "1.txt").write_text(
        "Half price at all our shops until Friday this week, and on Sunday too.", "utf-8"
    )
    ((page,), _) = read_labelled(tmp_path)
    assert page.labels.tolist() == [False, False, False, False, False, True]
    assert validation.tell(page)[1]["title"] == "Paul nears Baja"


def test_marked_pages_may_be_in_any_encoding_and_hold_programs(tmp_path: Path) -> None:
    shown = "港口委员会周二晚上投票决定年底关闭旧鱼市场"
    marked = f'<meta charset=gbk><p>首页 新闻<p><span class="CedarContent">{shown}<script>首页 新闻</script></span>'
    (tmp_path / "1.html").write_bytes(marked.encode("gbk"))
    ((page,), _) = read_labelled(tmp_path)
    assert page.labels.tolist() == [False, True]


@pytest.mark.parametrize(
    "line",
    [
        "[1]",
        '{"site": "a"}',
        '{"id": "a", "flags": {"a": 1}}',
        '{"id": "a", "flags": [[1]]}',
        '{"id": "a", "site": ["b"]}',
        '{"id": "a", "authors": [{"age": 5}]}',
        '{"id": "a", "title": {}}',
        "[" * 100_000,
    ],
)
def test_meta_of_another_form_is_named_with_its_line(line: str, tmp_path: Path) -> None:
    write_labelled(tmp_path, range(1), pages=1)
    (tmp_path / "meta.jsonl").write_text("\ufeff" + '{"id": "x"}\n\n' + line + "\n", "utf-8")
    with pytest.raises(SourceError, match=r"meta\.jsonl:3: expected an object with the id of a page"):
        read_labelled(tmp_path)


def test_meta_may_be_sparse_and_odd(tmp_path: Path) -> None:
    write_labelled(tmp_path, range(1), pages=4)
    lines = [
        {"id": "site00/0", "site": 5, "flags": None, "title": "A \u2028 title", "authors": "Ada Quill"},
        {"id": "site00/1", "site": "\ud800", "authors": [{"name": "Ada Quill"}, "Bo Reed"], "date": None},
        {"id": "site00/2", "flags": "no_fulltext"},
    ]
    written = "\n\n".join(json.dumps(line, ensure_ascii=line is lines[1]) for line in lines)
    (tmp_path / "meta.jsonl").write_text(written, "utf-8")
    found, _ = read_labelled(tmp_path)
    assert [(page.id, page.group) for page in found[:2]] == [("site00/0", "5"), ("site00/1", "\ud800")]
    assert [page.id for page in found] == ["site00/0", "site00/1", "site00/3"]
    assert validation.tell(found[0])[1] == {"title": "A title", "author": "Ada Quill"}
    assert validation.tell(found[1])[1] == {"author": "Ada Quill; Bo Reed"}
    assert set(validation.part_by_site(found, 3)) == {"1-of-3", "2-of-3", "3-of-3"}


def test_names_that_are_no_unicode_are_learnt_from_like_others(tmp_path: Path, few_trees: None) -> None:
    papers = Path(os.fsdecode(os.fsencode(tmp_path) + b"/pl\xff"))
    write_labelled(papers, range(3), pages=2)
    (papers / "site00").rename(os.fsdecode(os.fsencode(papers) + b"/d\xff"))
    model = tmp_path / "model.json"
    assert train(papers, "--kind", "maxent", "--folds", 3, "--work", tmp_path / "work", "-o", model) == 0
    assert extract(write_page(20, 1).html, model=model).text


def test_what_is_known_of_an_article_is_held_against_what_its_page_says(
    tmp_path: Path, few_trees: None, capsys: pytest.CaptureFixture[str]
) -> None:
    papers = write_labelled(tmp_path / "papers", range(4), marked=True)
    for number, site in enumerate(("one", "two")):
        (papers / site).mkdir()
        (papers / site / "1.html").write_text(FIGURE_1, "utf-8")
        stated = f'<meta property="og:site_name" content="The {("Courier", "Echo")[number]}">'
        (papers / site / "2.html").write_text(stated + FIGURE_1, "utf-8")
    # The same figures are another day.
    dated = '<meta property="article:published_time" content="2026-05-03">'
    page = papers / "site00" / "0.html"
    page.write_text(page.read_text("utf-8").replace("<head>", "<head>" + dated), "utf-8")
    about = {"id": "site00/0", "title": "Quite another title", "date": "2026-03-05", "authors": ["Ada Quill"]}
    (papers / "meta.jsonl").write_text(json.dumps(about) + "\n")
    assert train(papers, "--no-train", "--quiet", "--folds", 2, "--kind", "maxent") == 0
    shown = capsys.readouterr().out
    table = [line.split() for line in shown[shown.index("field") :].splitlines()]
    assert table == [
        ["field", "pages", "right"],
        ["title", "5", "0.800"],
        ["author", "5", "0.800"],
        ["published", "5", "0.800"],
        ["location", "4", "1.000"],
        ["source", "4", "0.250"],
    ]


def test_meta_names_sites_and_leaves_pages_out(tmp_path: Path) -> None:
    write_labelled(tmp_path, range(1))
    (tmp_path / "html").mkdir()
    (tmp_path / "gold").mkdir()
    for number in range(4):
        (tmp_path / "site00" / f"{number}.html").rename(tmp_path / "html" / f"{number}.html")
        (tmp_path / "site00" / f"{number}.txt").rename(tmp_path / "gold" / f"{number}.txt")
    about = [
        {"id": "0", "site": "a.example"},
        {"id": "1", "site": "b.example"},
        {"id": "2", "flags": ["gold_not_in_page"]},
    ]
    (tmp_path / "meta.jsonl").write_text("".join(json.dumps(one) + "\n" for one in about))
    found, skipped = read_labelled(tmp_path)
    assert [(page.id, page.group) for page in found] == [
        ("0", "a.example"),
        ("1", "b.example"),
        ("3", f"{tmp_path.name}/html"),
    ]
    assert skipped == []


def test_a_page_that_cannot_be_used_is_named(
    tmp_path: Path, few_trees: None, capsys: pytest.CaptureFixture[str]
) -> None:
    home = write_labelled(tmp_path / "papers", range(3)) / "site00"
    (home / "empty.html").touch()
    (home / "empty.txt").touch()
    (home / "wild.html").write_text("<p>No label.")
    (home / "latin.html").write_text("<p>Caf&eacute;")
    (home / "latin.txt").write_bytes(b"Caf\xe9")
    assert train(tmp_path / "papers", "--no-train", "--quiet", "--kind", "maxent") == 3
    assert capsys.readouterr().err.splitlines() == [
        f"skipped: {home}/empty.html: no text in the page",
        f"skipped: {home}/latin.txt: not UTF-8",
        f"skipped: {home}/wild.html: not labelled: no wild.txt, no CedarContent",
        "3 records skipped",
    ]


# Models.


@pytest.mark.parametrize("kind", ["crf", "maxent"])
def test_a_model_finds_the_article_on_sites_it_has_not_seen(
    labelled: Path, tmp_path: Path, few_trees: None, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    model = tmp_path / "model.json"
    assert train(labelled, "--kind", kind, "--folds", 3, "-o", model) == 0
    shown = capsys.readouterr()
    found = rows(shown.out)
    count, _, _, f, _, text, empty = found["papers", kind]
    assert count == "36"
    assert float(f) > 0.97
    assert float(text) > 0.97
    assert empty == "0.0%"
    assert float(found["papers", "heuristic"][3]) < 0.5
    assert (
        found["the paper's own", kind]
        == {
            "crf": ["0.979", "0.995", "80%"],
            "maxent": ["0.960", "0.981", "58%"],
        }[kind]
    )
    assert "36 labelled pages of 9 sites" in shown.err
    new = write_page(20, 1)
    article = extract(new.html, model=model)
    assert article.text == new.text
    assert article.language == "en"
    written = json.loads(model.read_text())
    assert written["about"] == "trained on 36 pages of 9 sites: papers"


def test_a_model_of_one_folder_judges_another(
    tmp_path: Path, few_trees: None, capsys: pytest.CaptureFixture[str]
) -> None:
    english = write_labelled(tmp_path / "english", range(0, 12, 2), pages=2)
    german = write_labelled(tmp_path / "german", range(1, 12, 2), pages=2)
    assert train(english, german, "--leave-out", "--no-train", "--quiet") == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    found = rows(shown.out)
    assert {name for name, _ in found} == {
        "english",
        "german",
        "all pages",
        "mean of folders",
        "the paper's own",
    }
    assert float(found["german", "crf"][3]) > 0.95
    assert set(tmp_path.iterdir()) == {english, german}


def test_the_model_is_the_same_for_any_order_of_folders(
    tmp_path: Path, few_trees: None, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [
        write_labelled(tmp_path / name, range(start, start + 3), 2) for start, name in enumerate("bac")
    ]
    models = []
    for number, order in enumerate((folders, folders[::-1])):
        model = tmp_path / f"{number}.json"
        assert train(*order, "-o", model, "--folds", 2) == 0
        models.append((model.read_bytes(), capsys.readouterr().out))
    assert models[0] == models[1]


@pytest.mark.parametrize("kind", ["crf", "maxent"])
def test_the_model_is_the_same_for_any_order_of_pages(
    pages: list[LabelledPage], few_trees: None, kind: str
) -> None:
    there, back = (training.TRAINERS[kind](some, lambda _: None) for some in (pages, pages[::-1]))
    assert there == back


def test_the_score_of_a_block_is_the_weight_of_its_words(pages: list[LabelledPage]) -> None:
    model = training.train_maxent(pages)
    page = Page("", pages[0].path.read_bytes())
    (found,) = extract_pages([page], model=_core.Model(json.dumps(model)), with_blocks=True)
    assert len(found.blocks) == len(pages[0].labels)
    for block in found.blocks:
        weights = [model["words"].get(word, 0.0) for word in re.findall(r"\w+", block.text.lower())]
        assert block.score == pytest.approx(model["bias"] + sum(weights))


# Interruptions.


def test_an_interrupted_run_goes_on(pages: list[LabelledPage], tmp_path: Path, few_trees: None) -> None:
    parts = validation.part_by_site(pages, 3)
    straight = validation.cross_validate(pages, "crf", parts)

    def stop(what: str) -> None:
        if "part 2" in what:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        validation.cross_validate(pages, "crf", parts, tmp_path, stop)
    assert len(list(tmp_path.rglob("*.jsonl"))) == 1
    said: list[str] = []
    resumed = validation.cross_validate(pages, "crf", parts, tmp_path, said.append)
    assert [one for one in said if one.startswith("crf")] == [
        f"crf, part 1 of 3: answers are in {tmp_path}",
        *(one for one in said if "part 2 of 3: training" in one or "part 3 of 3: training" in one),
    ]
    for before, after in zip(straight, resumed, strict=True):
        assert before.text == after.text
        assert np.array_equal(before.labels, after.labels)
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize(
    "broken", ["", "{", '{"id": "site00/0"}\n', '{"id": "nobody", "text": "", "labels": []}\n']
)
def test_answers_that_were_spoilt_are_made_again(
    pages: list[LabelledPage], tmp_path: Path, broken: str
) -> None:
    parts = validation.part_by_site(pages, 3)
    first = validation.cross_validate(pages, "maxent", parts, tmp_path)
    spoilt = min(tmp_path.rglob("*.jsonl"))
    spoilt.write_text(broken)
    again = validation.cross_validate(pages, "maxent", parts, tmp_path)
    assert [one.text for one in again] == [one.text for one in first]
    assert spoilt.read_text() != broken


def test_answers_are_kept_for_other_scorers(
    labelled: Path, tmp_path: Path, few_trees: None, pages: list[LabelledPage]
) -> None:
    assert train(labelled, "--kind", "maxent", "--no-train", "--quiet", "--work", tmp_path) == 0
    files = list((tmp_path / "papers").iterdir())
    assert len(files) == 5
    records: list[dict[str, Any]] = [
        json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()
    ]
    assert sorted(record["id"] for record in records) == sorted(page.id for page in pages)
    assert all(record["text"] for record in records)


def test_other_pages_are_other_answers(labelled: Path, tmp_path: Path) -> None:
    copy = tmp_path / "papers"
    shutil.copytree(labelled, copy)
    ask = (copy, "--kind", "maxent", "--no-train", "--quiet", "--folds", 2, "--work", tmp_path / "work")
    assert train(*ask) == 0
    assert train(*ask) == 0
    assert len(list((tmp_path / "work" / "papers").iterdir())) == 2
    (copy / "site00" / "0.txt").write_text("Nothing of it.")
    assert train(*ask) == 0
    assert len(list((tmp_path / "work" / "papers").iterdir())) == 4


# Errors.


def complaint(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err.splitlines()[-1]


def test_one_site_cannot_be_cross_validated_but_learnt(
    tmp_path: Path, few_trees: None, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_labelled(tmp_path / "papers", range(1), pages=12)
    model = tmp_path / "model.json"
    assert train(folder, "-o", model) == 2
    said = complaint(capsys)
    assert "all pages are of one site, papers/site00" in said
    assert "--folds 0" in said
    assert not model.exists()
    assert train(folder, "-o", model, "--folds", 0) == 0
    new = write_page(0, 9)
    assert extract(new.html, model=model).text == new.text


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "name the file of the model with --output, or ask for figures only: --no-train"),
        (("--no-train", "-o", "m.json"), 2, "--no-train writes no model"),
        (("--no-train", "--folds", "0"), 2, "nothing to do"),
        (("--no-train", "--folds", "1"), 2, "--folds: expected 0, 2 or more, got 1"),
        (("--no-train", "--leave-out"), 2, "needs two folders or more"),
        (("-o", "no/such/folder/m.json"), 1, "no such folder"),
    ],
)
def test_what_cannot_be_meant_is_said_before_the_work(
    labelled: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int, said: str
) -> None:
    assert train(labelled, *arguments) == code
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize(("sites", "folds"), [(1, 0), (2, 2)])
def test_too_few_pages_are_said_to_be_too_few(
    sites: int, folds: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], few_trees: None
) -> None:
    folder = write_labelled(tmp_path / "few", range(sites), pages=1)
    assert train(folder, "-o", tmp_path / "m.json", "--folds", folds) == 1
    assert "1 page to learn from, and a crf needs two or more with an article" in complaint(capsys)
    assert not (tmp_path / "m.json").exists()


def test_two_pages_are_enough(tmp_path: Path, few_trees: None) -> None:
    folder = write_labelled(tmp_path / "few", range(1), pages=2)
    assert train(folder, "-o", tmp_path / "m.json", "--folds", 0) == 0


def test_progress_of_several_threads_comes_in_whole_lines(
    labelled: Path, tmp_path: Path, few_trees: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr(sys.stderr, "write", written.append)
    assert train(labelled, "-o", tmp_path / "m.json", "--folds", 0) == 0
    assert "first look, fold 1 of 3\n" in written
    assert all(part.endswith("\n") and part != "\n" for part in written)


def test_folders_of_one_name_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a" / "x").mkdir(parents=True)
    (tmp_path / "b" / "x").mkdir(parents=True)
    assert train(tmp_path / "a" / "x", tmp_path / "b" / "x", "--no-train") == 2
    assert "two folders are called x" in complaint(capsys)


def test_a_folder_without_labels_says_what_is_expected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.html").write_text("<p>Text.")
    assert train(tmp_path, "--no-train", "--quiet") == 1
    said = complaint(capsys)
    assert "no labelled page in 1 HTML file: expected NAME.html with NAME.txt beside it" in said
    assert "CedarContent" in said
    assert train(tmp_path / "a.html", "--no-train") == 1
    assert "expected a folder of labelled pages" in complaint(capsys)


@pytest.mark.parametrize("kind", ["crf", "maxent"])
def test_texts_that_are_not_in_their_pages_teach_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    folder = write_labelled(tmp_path / "papers", range(3), pages=1)
    for text in folder.rglob("*.txt"):
        text.write_text("Something else entirely, of another place.")
    assert train(folder, "--kind", kind, "--no-train", "--quiet") == 1
    assert "no block of" in complaint(capsys)


@pytest.mark.parametrize(
    ("kind", "package"), [("crf", "rapidfuzz.distance"), ("maxent", "sklearn.linear_model")]
)
def test_a_missing_extra_is_named(
    labelled: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    package: str,
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    assert train(labelled, "--kind", kind, "--no-train", "--quiet") == 1
    assert complaint(capsys).endswith("needs the extra 'train': pip install 'wirecopy[train]'")


def test_meta_that_is_none_is_named_with_its_line(tmp_path: Path) -> None:
    write_labelled(tmp_path, range(1), pages=1)
    (tmp_path / "meta.jsonl").write_text('{"id": "x"}\n{"site": "y"}\n')
    with pytest.raises(SourceError, match=r"meta\.jsonl:2: expected an object with the id"):
        read_labelled(tmp_path)
