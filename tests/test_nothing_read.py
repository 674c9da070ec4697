"""Where nothing can be read as an article, that is an error that says what to do, and not an answer about zero articles."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from program import talk
from program import wirecopy as run

import wirecopy
from wirecopy import Archive, Article, Fields
from wirecopy.errors import NothingRead, SourceError, UsageError

TEXT = (
    "The harbour board of Wexmouth voted on Tuesday night to close the old fish market at the end of the "
    "year. Traders were told that the roof could no longer be repaired at a price the town could afford, "
    "and that a smaller hall would open beside the ferry pier in spring."
)
COLUMNS = {"slug": ["a", "b"], "article_body": [TEXT, TEXT]}
ROWS = [{"slug": "a", "article_body": TEXT}, {"slug": "b", "article_body": TEXT}]
TABLES: list[Callable[[dict[str, list[str]]], Any]] = [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table]


@pytest.mark.parametrize("make", TABLES)
def test_an_unknown_text_column_is_an_error_with_the_columns_and_a_guess(make: Any) -> None:
    with pytest.raises(NothingRead) as error:
        wirecopy.find(make(COLUMNS))
    assert str(error.value) == (
        "no article could be read: table: no text field: found columns slug, article_body; "
        "did you mean fields=Fields(text='article_body')?"
    )
    assert wirecopy.find(make(COLUMNS), fields=Fields(text="article_body")).articles == 2


def test_dicts_without_a_text_are_an_error_that_counts_them() -> None:
    with pytest.raises(
        NothingRead, match=r"record:1: no text field: found keys slug, article_body; did you mean"
    ) as error:
        wirecopy.find(ROWS)
    assert str(error.value).endswith("fields=Fields(text='article_body')? (1 more skipped too)")
    assert [one.where for one in error.value.skipped] == ["record:1", "record:2"]
    assert isinstance(error.value, wirecopy.WirecopyError)


@pytest.mark.parametrize(
    ("asked", "guess"),
    [
        (None, "article_body"),
        ("articlebody", "article_body"),
        ("artikel_body", "article_body"),
        ("zzz", "article_body"),
    ],
)
def test_the_guess_is_near_what_was_asked_for(asked: str | None, guess: str) -> None:
    with pytest.raises(NothingRead, match=rf"did you mean fields=Fields\(text='{guess}'\)\?"):
        wirecopy.find(ROWS, fields=Fields(text=asked))


def test_a_name_that_is_known_is_guessed_and_where_none_is_near_nothing() -> None:
    with pytest.raises(
        NothingRead, match=r"no text field 'story': .*did you mean fields=Fields\(text='body'"
    ):
        wirecopy.find([{"title": "x", "body": TEXT}], fields=Fields(text="story"))
    with pytest.raises(NothingRead, match="found keys title, lead; name it with"):
        wirecopy.find([{"title": "x", "lead": 5}])


def test_every_function_that_reads_a_pile_refuses_one_without_articles(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "news.db", create=True) as archive:
        told: list[Any] = []
        with pytest.raises(NothingRead):
            archive.add(ROWS, skip=told.append)
        assert (len(told), len(archive)) == (2, 0)
        for ask in (archive.check, archive.observe, archive.opinions):
            with pytest.raises(UsageError, match=r"did you mean fields=Fields\(text='article_body'\)"):
                ask(ROWS)
    with pytest.raises(NothingRead):
        wirecopy.opinions(ROWS, "exact")
    with pytest.raises(NothingRead, match="query:1"):
        wirecopy.find([TEXT], query=ROWS)


def test_one_article_is_enough_and_nothing_given_is_no_error(tmp_path: Path) -> None:
    assert len(wirecopy.find([*ROWS, TEXT]).skipped) == 2
    empty: list[Any] = [[], iter([]), tmp_path, pl.DataFrame({"text": []}, schema={"text": pl.String})]
    for nothing in empty:
        assert wirecopy.find(nothing).articles == 0
    with Archive.open(tmp_path / "news.db", create=True) as archive:
        assert archive.add([]).added == 0
        archive.add([{"id": "a", "text": "One."}])
        assert len(archive.add([{"id": "a", "text": "Another."}]).skipped) == 1


def test_a_dict_of_texts_says_how_texts_have_ids(tmp_path: Path) -> None:
    texts = {"agency": TEXT, "courier": TEXT}
    way_out = r"no text field: found keys agency, courier; .*\[Article\(id, text\) for id, text in texts.items\(\)\]"
    with Archive.open(tmp_path / "news.db", create=True) as archive:
        for take in (wirecopy.find, archive.add, archive.check, archive.observe):
            with pytest.raises(wirecopy.WirecopyError, match=way_out):
                take(texts)
    [match] = wirecopy.find([Article(id, text) for id, text in texts.items()])
    assert (match.query, match.found) == ("courier", "agency")
    assert wirecopy.find({"text": TEXT}).articles == 1
    with pytest.raises(NothingRead, match="field 'text' is an array"):
        wirecopy.find({"id": ["a"], "text": [TEXT]})


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_lazy_frame_is_collected(wrapped: bool) -> None:
    lazy = pl.LazyFrame({"text": [TEXT, TEXT], "n": [1, 2]}).filter(pl.col("n") > 0)
    matches = wirecopy.find([lazy] if wrapped else lazy)
    assert matches.to_polars()["query"].to_list() == [1]


@pytest.mark.parametrize("series", [pd.Series([TEXT]), pl.Series([TEXT])], ids=["pandas", "polars"])
def test_a_series_says_what_to_give(series: Any) -> None:
    with pytest.raises(SourceError, match="give a frame, or a list of texts"):
        wirecopy.find(series)
    assert wirecopy.find(series.to_list()).articles == 1


def test_the_command_line_names_examples_and_its_own_option(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in ROWS))
    for arguments in (["find", path], ["add", tmp_path / "news.db", path]):
        ran = run(*arguments)
        assert ran.returncode == 3
        assert "did you mean --text-field article_body?\n" in talk(ran)
        assert talk(ran).endswith("2 records skipped\nno articles found\n")
        assert "Fields" not in talk(ran)
