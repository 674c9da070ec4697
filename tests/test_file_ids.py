"""The id of a file is its path relative to the argument, with more folders in front where two arguments have files of one name."""

import itertools
import os
from pathlib import Path
from typing import Any

import pytest
from program import ids, talk, wirecopy
from reading import Read
from records import lines

from wirecopy import Archive, sources
from wirecopy import find as find_copies
from wirecopy.model import Page
from wirecopy.sources.paths import File

TEXT = (
    "The harbour board of Wexmouth voted on Tuesday night to close the old fish market at the end of the "
    "year. Traders were told that the roof could no longer be repaired at a price the town could afford, "
    "and that a smaller hall would open beside the ferry pier in spring."
)
PAGE = f"<html><body><h1>Fish market</h1><p>{TEXT}</p><p>{TEXT}</p></body></html>"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def names(*paths: Path) -> list[str]:
    """The ids of the articles in some arguments."""
    return [id for id, _, _ in Read(list(paths)).rows]


def test_files_of_one_name_in_two_folders_are_two_articles(tmp_path: Path) -> None:
    write(
        tmp_path, {"a/news.txt": TEXT, "a/sub/more.txt": "More.", "b/news.txt": TEXT, "c/only.txt": "Only."}
    )
    folders = [tmp_path / name for name in "abc"]
    read = Read(folders)
    assert list(read.texts) == ["a/news.txt", "a/sub/more.txt", "b/news.txt", "only.txt"]
    (match,) = find_copies(folders)
    assert (match.query, match.found, match.relation) == ("b/news.txt", "a/news.txt", "identical")
    assert names(tmp_path / "a", tmp_path / "c") == ["news.txt", "sub/more.txt", "only.txt"]


def test_names_do_not_depend_on_the_order_of_the_arguments(tmp_path: Path) -> None:
    files = ("x/p/1.txt", "y/p/1.txt", "z/q/1.txt", "z/q/2.txt", "c/p/1.txt", "c/3.txt")
    write(tmp_path, {name: name for name in files})
    arguments = [tmp_path / name for name in ("x/p", "y/p/1.txt", "z/q", "c")]
    expected = {
        "x/p/1.txt": "x/p/1.txt",
        "y/p/1.txt": "y/p/1.txt",
        "z/q/1.txt": "q/1.txt",
        "z/q/2.txt": "q/2.txt",
        "c/p/1.txt": "c/p/1.txt",
        "c/3.txt": "c/3.txt",
    }
    for order in itertools.permutations(arguments):
        read = Read(list(order))
        assert {text: id for id, text in read.texts.items()} == expected, order


def test_files_that_the_shell_has_found_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, {"x/1.txt": TEXT, "x/2.txt": "Two.", "y/1.txt": TEXT, "y/3.txt": "Three."})
    assert names(*sorted(tmp_path.glob("*/*.txt"))) == ["x/1.txt", "2.txt", "y/1.txt", "3.txt"]
    ran = wirecopy("find", "x/1.txt", "x/2.txt", "y/1.txt", "y/3.txt", "--quiet", cwd=tmp_path)
    assert (ran.returncode, talk(ran)) == (0, "")
    assert [(one["query"], one["found"]) for one in lines(ran.stdout)] == [("y/1.txt", "x/1.txt")]


def test_a_pattern_is_told_apart_by_the_folder_before_its_first_star(tmp_path: Path) -> None:
    write(tmp_path, {"a/1.txt": "One.", "b/1.txt": "Two."})
    assert names(tmp_path / "a/*.txt", tmp_path / "b/**/*.txt") == ["a/1.txt", "b/1.txt"]


def test_a_folder_has_its_name_however_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a/news.txt": "One.", "b/news.txt": "Two."})
    monkeypatch.chdir(tmp_path / "a")
    for here in (".", "../a", "../b/../a", str(tmp_path / "a"), "./news.txt"):
        assert names(Path(here), Path("../b")) == ["a/news.txt", "b/news.txt"], here


def test_a_file_given_twice_does_not_clash_with_itself(tmp_path: Path) -> None:
    write(tmp_path, {"a/news.txt": "One.", "b/other.txt": "Two."})
    (tmp_path / "link").symlink_to(tmp_path / "a")
    arguments = [tmp_path / "a", tmp_path / "a/news.txt", tmp_path / "link", tmp_path / "b"]
    assert names(*arguments) == ["news.txt"] * 3 + ["other.txt"]
    skipped = find_copies(arguments).skipped
    assert [one.where for one in skipped] == [str(arguments[1]), f"{arguments[2]}/news.txt"]


@pytest.mark.parametrize("name", ["all.jsonl", "all.csv", "photo.jpg", "all.jsonl.gz", "pages.warc"])
def test_files_whose_name_is_no_id_do_not_clash(tmp_path: Path, name: str) -> None:
    write(tmp_path, {f"a/{name}": "", "a/1.txt": "One.", f"b/{name}": "", "b/2.txt": "Two."})
    assert names(tmp_path / "a", tmp_path / "b") == ["1.txt", "2.txt"]


def test_stdin_keeps_its_name(tmp_path: Path) -> None:
    write(tmp_path, {"a/-": "A file called dash."})
    ran = wirecopy("add", "news.db", "-", "a", cwd=tmp_path, input=b"Through stdin.")
    assert (ran.returncode, ids(tmp_path / "news.db")) == (0, {"-", "a/-"})


def test_no_file_is_opened_to_name_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a/news.txt": "One.", "a/page": PAGE, "b/news.txt": "Two.", "b/page": PAGE})
    opened: list[object] = []
    monkeypatch.setattr(Path, "open", lambda path, *_, **__: opened.append(path))
    [[first, second]] = sources.resolve([tmp_path / "a", tmp_path / "b"])
    assert [file.name for file in (*first.files, *second.files)] == [
        *("a/news.txt", "a/page"),
        *("b/news.txt", "b/page"),
    ]
    assert not opened


def test_names_stay_when_they_are_told_apart_again(tmp_path: Path) -> None:
    write(tmp_path, {"a/news.txt": "One.", "b/news.txt": "Two."})
    [once] = sources.resolve([tmp_path / "a", tmp_path / "b"])
    assert sources.resolve(once) == [once]
    assert sources.resolve(once[:1]) == [once[:1]]


def test_paths_in_lists_within_lists_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, {"a/news.txt": "One.", "b/news.txt": "Two."})
    given: list[Any] = [[tmp_path / "a"], ({"id": "x", "text": "Three."}, [tmp_path / "b"])]
    assert list(Read(given).texts) == ["a/news.txt", "x", "b/news.txt"]
    assert set(Read({tmp_path / "a", tmp_path / "b"}).texts) == {"a/news.txt", "b/news.txt"}


def test_pages_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, {"a/index.html": PAGE, "b/index.html": PAGE})
    ran = wirecopy("extract", "a", "b", "--jsonl", cwd=tmp_path)
    assert ran.returncode == 0
    assert [one["id"] for one in lines(ran.stdout)] == ["a/index.html", "b/index.html"]
    pages = [page for work in sources.read_pages([tmp_path / "a", tmp_path / "b"]) for page in work().pages]
    assert [page.id for page in pages] == ["a/index.html", "b/index.html"]
    assert all(isinstance(page, Page) for page in pages)


def test_a_query_is_told_apart_from_the_pile(tmp_path: Path) -> None:
    write(tmp_path, {"a/news.txt": TEXT, "b/news.txt": TEXT})
    a, b = tmp_path / "a", tmp_path / "b"
    (match,) = find_copies(b, query=a / "news.txt")
    assert (match.query, match.found) == ("a/news.txt", "b/news.txt")
    assert [(one.query, one.found) for one in find_copies([a, b], query=a)] == [("a/news.txt", "b/news.txt")]
    assert len(find_copies(a, query=a / "news.txt")) == 0
    ran = wirecopy("find", "a", "b", "--query", "a/news.txt", "--quiet", cwd=tmp_path)
    assert [(one["query"], one["found"]) for one in lines(ran.stdout)] == [("a/news.txt", "b/news.txt")]


def test_texts_that_are_checked_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, {"a/news.txt": TEXT, "b/news.txt": TEXT})
    assert wirecopy("add", "news.db", "a", "b", cwd=tmp_path).returncode == 0
    assert ids(tmp_path / "news.db") == {"a/news.txt", "b/news.txt"}
    ran = wirecopy("check", "news.db", "a", "b", cwd=tmp_path)
    answers = [(one["query"], [match["found"] for match in one["matches"]]) for one in lines(ran.stdout)]
    assert answers == [("a/news.txt", ["b/news.txt"]), ("b/news.txt", ["a/news.txt"])]


def test_a_file_that_the_archive_has_under_another_id_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"a/news.txt": TEXT, "a/sub/more.txt": "More.", "b/news.txt": "Other."})
    add = ("add", "news.db", "a")
    assert wirecopy(*add, cwd=tmp_path).returncode == 0
    ran = wirecopy(*add, "b", cwd=tmp_path)
    assert ran.returncode == 0
    assert talk(ran) == (
        "2 files in news.db under another id too, such as a/news.txt, there as news.txt: ids depend on the "
        "arguments. To keep the new id only, repeat the command with --rename\n"
        "3 added; 5 articles in news.db\n"
    )
    ran = wirecopy(*add, "b", "--rename", cwd=tmp_path)
    assert (ran.returncode, talk(ran)) == (
        0,
        "0 added, 3 known already, 2 removed under another id; 3 articles in news.db\n",
    )
    assert ids(tmp_path / "news.db") == {"a/news.txt", "a/sub/more.txt", "b/news.txt"}
    assert talk(wirecopy(*add, "b", cwd=tmp_path)) == "0 added, 3 known already; 3 articles in news.db\n"
    assert "1 added, 1 removed under another id" in talk(
        wirecopy("add", "news.db", "b/news.txt", "--rename", cwd=tmp_path)
    )
    assert ids(tmp_path / "news.db") == {"a/news.txt", "a/sub/more.txt", "news.txt"}


def test_only_the_same_file_is_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    write(folder, {"a/news.txt": TEXT, "b/news.txt": TEXT, "c/story.txt": TEXT, "d/e/one.txt": "One."})
    with Archive.open(tmp_path / "news.db", create=True) as archive:
        archive.add([{"id": "news.txt", "text": "Another."}, {"id": "story.txt", "text": TEXT}, "Bare."])
        assert not archive.add([folder / "a", folder / "b"], rename=True).elsewhere
        # Both ids come from one command: neither is the earlier one.
        assert not archive.add([folder / "d", folder / "d/e"], rename=True).elsewhere
        assert "one.txt" in archive
        assert "e/one.txt" in archive
        added = archive.add(folder / "c" / "story.txt")
        assert (added.known, added.elsewhere) == (1, {})
        assert archive.add(folder).elsewhere == {
            "c/story.txt": ["story.txt"],
            "d/e/one.txt": ["one.txt", "e/one.txt"],
        }
        archive.add(folder, rename=True)
        left = {article.id for article in archive.articles() if article.text != "Bare."}
        assert left == {"news.txt", "a/news.txt", "b/news.txt", "c/story.txt", "d/e/one.txt"}


def test_a_record_without_id_is_known_from_another_folder(tmp_path: Path) -> None:
    write(tmp_path, {"a/all.jsonl": f'{{"text": "{TEXT}"}}\n'})
    assert wirecopy("add", tmp_path / "news.db", "a/all.jsonl", cwd=tmp_path).returncode == 0
    ran = wirecopy("add", tmp_path / "news.db", "all.jsonl", cwd=tmp_path / "a")
    assert "such as all.jsonl:1, there as a/all.jsonl:1" in talk(ran)


def test_names_that_are_no_utf8_are_told_apart(tmp_path: Path) -> None:
    for folder in (b"\xff", b"b"):
        os.mkdir(os.path.join(os.fsencode(tmp_path), folder))  # noqa: PTH102, PTH118
        with open(os.path.join(os.fsencode(tmp_path), folder, b"1.txt"), "w") as file:  # noqa: PTH118, PTH123
            file.write("Text.")
    assert sorted(names(*tmp_path.iterdir())) == ["b/1.txt", "\ufffd/1.txt"]


def test_a_link_to_itself_is_told_apart_without_complaint(tmp_path: Path) -> None:
    write(tmp_path, {"a/1.txt": "One.", "b/2.txt": "Two."})
    for folder in "ab":
        (tmp_path / folder / "loop.txt").symlink_to("loop.txt")
    files = [file for one in sources.resolve([tmp_path / "a", tmp_path / "b"])[0] for file in one.files]
    assert [file.name for file in files] == ["1.txt", "loop.txt", "2.txt", "loop.txt"]
    assert all(isinstance(file, File) for file in files)
