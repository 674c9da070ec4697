"""An archive outlives the version of wirecopy that made it: its tables, its checksums and its words may be read in other ways later."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from archives import as_list, check_each, find_for_each, opened
from formats.make import make_articles

import wirecopy
from quality.texts import Writer, join
from wirecopy import Archive, Article, _core
from wirecopy.archive import connection, digests, segments, writing
from wirecopy.archive.store import Store
from wirecopy.errors import MismatchError
from wirecopy.model import ABOUT
from wirecopy.pile import weigh

FORMATS = Path(__file__).parent / "formats"
LIVE = make_articles()[:-1]


def copy_of(number: int, folder: Path) -> Path:
    """A copy of the archive of a format, as its version of wirecopy left it."""
    for name in (f"{number}.archive", f"{number}.archive-index"):
        kept = FORMATS / name
        (shutil.copytree if kept.is_dir() else shutil.copy)(kept, folder / name)
    return folder / f"{number}.archive"


def ask(path: Path, question: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(question).fetchall()


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def as_dicts(articles: Sequence[Article]) -> dict[str, dict[str, str]]:
    named = ("id", "text", *ABOUT)
    return {
        one.id: {name: getattr(one, name) for name in named if getattr(one, name) is not None}
        for one in articles
    }


# Tables.


def test_the_first_migration_makes_the_tables_of_format_1_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "FORMAT", 1)
    with closing(Store(tmp_path / "made")) as store:
        store.prepare()
    for schema in (
        "SELECT type, name, tbl_name, sql FROM sqlite_schema",
        "PRAGMA application_id",
        "PRAGMA user_version",
    ):
        assert ask(tmp_path / "made", schema) == ask(FORMATS / "1.archive", schema)


def test_migrations_are_numbered_without_a_gap_and_give_every_field_a_column(tmp_path: Path) -> None:
    found = {file.name for file in connection.MIGRATIONS.iterdir()}
    assert found == {f"{number}.sql" for number in range(1, connection.FORMAT + 1)}
    Archive.open(tmp_path / "archive", create=True).close()
    way_out = "a new field of Article needs a migration that adds its column, NOT NULL DEFAULT '', and the view `article` anew"
    columns = [name for _, name, *_ in ask(tmp_path / "archive", "PRAGMA table_info(articles)")]
    assert set(ABOUT) <= set(columns), way_out
    shown = [name for _, name, *_ in ask(tmp_path / "archive", "PRAGMA table_info(article)")]
    assert set(ABOUT) <= set(shown), way_out


@pytest.mark.parametrize("number", range(1, connection.FORMAT))
def test_an_archive_of_an_older_format_goes_on_under_this_version(number: int, tmp_path: Path) -> None:
    path = copy_of(number, tmp_path)
    new = {"id": "new", "text": join(Writer(7).write(40) + Writer(8).write(20)), "author": "Bo Finch"}
    with Archive.open(path) as archive:
        assert as_dicts(list(archive.articles())) == {one["id"]: one for one in LIVE}
        assert (archive.info()["articles"], len(archive.formulas)) == (len(LIVE), 1)
        added = archive.add([*LIVE, new, {**LIVE[0], "author": "Nobody"}])
        assert (added.added, added.known, len(added.skipped)) == (1, len(LIVE), 1)
        articles = [*LIVE, new]
        assert archive.verify() == []
        assert as_list(archive.pairs()) == as_list(wirecopy.find(articles))
        queries = [articles[16], {"id": "query", "text": articles[17]["text"]}]
        assert check_each(archive, queries) == find_for_each(articles, queries)
        assert as_dicts(list(archive.articles())) == {one["id"]: one for one in articles}
        assert archive.add([{**LIVE[0], "author": "Nobody"}], replace=True).replaced == 1
        assert archive.remove("雪") == 1
        archive.compact()
        assert archive.verify() == []
    assert ask(path, "PRAGMA user_version") == [(connection.FORMAT,)]
    forms = "SELECT content_form, count(*) FROM articles GROUP BY 1"
    assert ask(path, forms) == ([(1, len(LIVE) - 2), (2, 2)] if number == 1 else [(2, len(LIVE))])


def test_whoever_only_reads_an_older_archive_brings_its_tables_up_to_date(tmp_path: Path) -> None:
    path = copy_of(1, tmp_path)
    with Archive.open(path) as archive:
        assert archive.info()["articles"] == len(LIVE)
    assert ask(path, "PRAGMA user_version") == [(connection.FORMAT,)]


@pytest.mark.parametrize("failing", ["ALTER TABLE", "PRAGMA user_version = 2"])
def test_a_migration_is_made_whole_or_not_at_all(
    failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copy_of(1, tmp_path)
    execute = Store.execute

    def interrupt(store: Store, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        done = execute(store, statement, values)
        if failing in statement:
            raise KeyboardInterrupt
        return done

    with monkeypatch.context() as patched:
        patched.setattr(Store, "execute", interrupt)
        with pytest.raises(KeyboardInterrupt):
            Archive.open(path)
    assert ask(path, "PRAGMA user_version") == [(1,)]
    with Archive.open(path) as archive:
        assert archive.add(LIVE).known == len(LIVE)


@pytest.mark.parametrize("name", ["text", *ABOUT])
@pytest.mark.parametrize("form", [1, 2])
def test_a_checksum_of_either_form_notices_every_field(form: int, name: str, tmp_path: Path) -> None:
    path = copy_of(1, tmp_path)
    with Archive.open(path) as archive:
        archive.compact()
        if form == 2:
            archive.remove([one["id"] for one in LIVE])
            archive.add(LIVE)
        assert archive.verify() == []
    change(path, f"UPDATE {'texts' if name == 'text' else 'articles'} SET {name} = 'x' WHERE row % 20 = 17")
    with Archive.open(path) as archive:
        [problem] = archive.verify()
    assert "changed since being added" in problem


def test_a_checksum_is_of_the_names_and_values_that_there_are() -> None:
    known = {"text": b"Of the harbour.", "title": b"Pass", "source": b"Lantern"}
    [made] = digests.digest([[known.get(name, b"") for name in digests.FIELDS]])
    whole = b"source 7 Lantern\ntext 15 Of the harbour.\ntitle 4 Pass\n"
    assert made.hex() == _core.blake3_hex([whole])[0]
    assert made.hex() == "6615051ddb3d08a5b86bf9b9f2a008e353c074066997c07c7bac34ade8c17258"


def test_the_same_value_in_another_field_is_another_content() -> None:
    none = [b""] * len(digests.FIELDS)
    named = [[*none[:place], b"x", *none[place + 1 :]] for place in range(len(none))]
    made = digests.digest([none, *named])
    assert len(set(made)) == len(made)


# A new field.

FIELD = """
DROP VIEW article;
ALTER TABLE articles ADD COLUMN section TEXT NOT NULL DEFAULT '';
CREATE VIEW article AS SELECT id, text, nullif(title, '') AS title, nullif(section, '') AS section
    FROM articles JOIN texts USING (row);
"""

LIFE = """
import sqlite3, sys
from formats.make import make_articles
from wirecopy import Archive, Article

live, new = make_articles()[:-1], {"id": "new", "text": "Of the harbour.", "section": "Region"}
for path in sys.argv[1:]:
    with Archive.open(path) as archive:
        assert {one.section for one in archive.articles()} == {None}
        added = archive.add([*live, new, {**live[3], "section": "Region"}])
        assert (added.added, added.known, len(added.skipped)) == (1, len(live), 1), added
        assert archive.add([{**live[3], "section": "Region"}], replace=True).replaced == 1
        [article] = [one for one in archive.articles() if one.id == "new"]
        assert article == Article("new", "Of the harbour.", section="Region")
        assert archive.verify() == []
    with sqlite3.connect(path) as store:
        assert store.execute("SELECT section FROM article WHERE id = 'new'").fetchone() == ("Region",)
        store.execute("UPDATE articles SET section = 'x' WHERE id IN ('first', 'new')")
    with Archive.open(path) as archive:
        [problem] = archive.verify()
        assert "2 articles changed" in problem, problem
"""


def test_a_field_more_is_one_line_and_one_migration(tmp_path: Path) -> None:
    """What whoever adds a field to `Article` does, done to a copy of the package: old archives of either checksum go on."""
    package = tmp_path / "wirecopy"
    shutil.copytree(Path(wirecopy.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    model = package / "model.py"
    line = "    agency: str | None = None\n"
    source = model.read_text("utf-8")
    assert source.count(line) == 1
    model.write_text(source.replace(line, line + "    section: str | None = None\n"), "utf-8")
    (package / "archive" / "migrations" / f"{connection.FORMAT + 1}.sql").write_text(FIELD)
    with opened(tmp_path / "now", LIVE):
        pass
    done = subprocess.run(
        [sys.executable, "-c", LIFE, copy_of(1, tmp_path), tmp_path / "now"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path(__file__).parent}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


# Words read in another way.


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """An archive whose words were read in another way: from the end."""
    path, other = tmp_path / "archive", tmp_path / "other"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(segments, "IN_STORE_BYTES", 1 << 12)
        for place, step in ((path, 1), (other, -1)):
            with opened(place, [{**one, "text": one["text"][::step]} for one in LIVE], window="52w"):
                pass
    shutil.copytree(f"{other}-index", f"{path}-index", dirs_exist_ok=True)
    with closing(sqlite3.connect(path)) as store:
        store.execute("ATTACH ? AS other", (str(other),))
        with store:
            for table in ("segments", "learnt", "formulas"):
                store.execute(f"DELETE FROM {table}")
                store.execute(f"INSERT INTO {table} SELECT * FROM other.{table}")
            store.execute("DELETE FROM settings WHERE name = 'learnt_sum'")
            store.execute("UPDATE settings SET value = 'old' WHERE name = 'text_version'")
    return path


def test_readers_of_words_read_in_another_way_are_refused_with_the_way_out(old: Path) -> None:
    version = re.escape(_core.TEXT_VERSION)
    refused = rf"text version of .*archive: expected {version}, got old; .*wirecopy compact .*archive"
    with Archive.open(old) as archive:
        calls: list[Callable[[], object]] = [lambda: archive.check("one"), archive.pairs, archive.verify]
        for call in calls:
            with pytest.raises(MismatchError, match=refused):
                call()
        assert len(archive) == len(LIVE)
        assert "first" in archive
        assert as_dicts(list(archive.articles())) == {one["id"]: one for one in LIVE}
        assert archive.info()["articles"] == len(LIVE)
        assert archive.formulas


WRITERS: list[Callable[[Archive], object]] = [
    lambda archive: archive.add([]),
    lambda archive: archive.observe(LIVE[0]),
    lambda archive: archive.remove("nobody"),
    lambda archive: archive.expire(),
    lambda archive: archive.learn(),
    lambda archive: archive.compact(),
]


def require_as_new(archive: Archive) -> None:
    """It answers as `find` does, and its boilerplate is that of now."""
    queries = [*LIVE[:2], LIVE[-3], {"id": "query", "text": LIVE[16]["text"]}]
    matches = wirecopy.find(LIVE)
    assert as_list(archive.pairs()) == as_list(matches)
    assert list(archive.formulas) == list(matches.formulas)
    assert check_each(archive, queries) == find_for_each(LIVE, queries)
    assert archive.verify() == []


@pytest.mark.parametrize("write", WRITERS)
def test_the_next_writer_files_all_articles_anew(
    write: Callable[[Archive], object], old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "ANEW_ARTICLES", 5)
    with Archive.open(old) as reader, Archive.open(old) as archive:
        write(archive)
        require_as_new(archive)
        require_as_new(reader)
    numbers = [number for (number,) in ask(old, "SELECT number FROM segments WHERE content IS NULL")]
    left = sorted(path.name for path in old.with_name("archive-index").glob("*.segment"))
    assert left == [f"{number:08}.segment" for number in sorted(numbers)]


def test_the_first_answer_of_a_stream_knows_the_boilerplate_of_now(old: Path) -> None:
    writer = Writer(1)
    writer.write(60)
    formula = join(writer.write(25))
    with Archive.open(old) as archive:
        [observed] = archive.observe({"id": "query", "text": formula})
        assert observed.answer.found == []


def test_filing_anew_tells_how_far_it_is(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "ANEW_ARTICLES", 5)
    told: list[tuple[str, int, int]] = []
    with Archive.open(old, threads=1) as archive:
        archive.add([], progress=lambda *step: told.append(step))
    filing = [done for stage, done, total in told if stage == "filing" and total == len(LIVE)]
    assert filing == sorted(filing)
    assert filing[-1] == len(LIVE)
    assert len(filing) > 4


@pytest.mark.parametrize("at", [1, 3])
def test_filing_anew_that_was_cut_short_begins_again(
    at: int, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "ANEW_ARTICLES", 5)
    monkeypatch.setattr(segments, "IN_STORE_BYTES", 1)

    def interrupt(stage: str, done: int, total: int) -> None:
        if stage == "filing" and done >= 5 * at:
            raise KeyboardInterrupt

    before = ask(old, "SELECT number FROM segments")
    with Archive.open(old) as archive:
        with pytest.raises(KeyboardInterrupt):
            archive.add([], progress=interrupt)
        assert ask(old, "SELECT number FROM segments") == before
        with pytest.raises(MismatchError):
            archive.check("one two")
    with Archive.open(old) as archive:
        archive.remove("nobody")
        require_as_new(archive)


def test_an_archive_with_statistics_is_refused_to_writers_too(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with opened(path, LIVE, method="cosine", statistics=weigh(LIVE, "cosine")[0]):
        pass
    change(path, "UPDATE settings SET value = 'old' WHERE name = 'text_version'")
    with Archive.open(path) as archive:
        for call in (lambda: archive.check("one two"), lambda: archive.add([]), archive.compact):
            with pytest.raises(MismatchError, match=r"got old; .*wirecopy weigh.*Archive.open"):
                call()
        assert len(list(archive.articles())) == archive.info()["articles"] == len(LIVE)
