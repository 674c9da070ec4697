"""A text in a list goes by its place there, a row of a frame by the frame's index; in an archive, which outlives both, by its BLAKE3."""

import datetime
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import wirecopy
from wirecopy import Archive, _core
from wirecopy.errors import SourceError

TEXT = (
    "The harbour board of Wexmouth voted on Tuesday night to close the old fish market at the end of the "
    "year. Traders were told that the roof could no longer be repaired at a price the town could afford, "
    "and that a smaller hall would open beside the ferry pier in spring."
)
OTHER = "Rain is expected on all coasts tonight, with strong winds from the west and a chance of thunder."
HASH = _core.blake3_hex([TEXT.encode()])[0]


def pairs(found: Iterable[Any]) -> list[tuple[str, str]]:
    return [(one.query, one.found) for one in found]


def test_the_same_text_twice_in_a_list_is_two_articles() -> None:
    matches = wirecopy.find([TEXT, TEXT])
    assert [(match.query, match.found, match.relation) for match in matches] == [("1", "0", "identical")]
    assert not matches.skipped
    assert all(type(id) is str for id in pairs(matches)[0])


@pytest.mark.parametrize("made", [list, tuple, iter, lambda texts: dict(enumerate(texts)).values()])
def test_places_are_sorted_as_numbers(made: Callable[[list[str]], Any]) -> None:
    expected = [(str(later), str(earlier)) for later in range(12) for earlier in range(later)]
    assert pairs(wirecopy.find(made([TEXT] * 12))) == expected
    assert pairs(wirecopy.find(made([TEXT] * 12), threads=2, batch_bytes=1)) == expected
    assert pairs(wirecopy.opinions(made([TEXT] * 12), "resemblance")) == expected


def test_opinions_of_one_rank_are_sorted_by_number() -> None:
    ranked = wirecopy.opinions([TEXT] * 12, "resemblance", query=[OTHER, TEXT])
    assert pairs(ranked) == [("1", str(place)) for place in range(12)]


def test_a_list_of_one_and_an_empty_list_have_no_copies() -> None:
    assert len(wirecopy.find([TEXT])) == len(wirecopy.find([])) == 0
    assert wirecopy.find([TEXT]).articles == 1


def test_only_bare_texts_go_by_their_place(tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text(TEXT)
    given: list[Any] = [
        {"id": "b", "text": TEXT},
        TEXT,
        tmp_path,
        [TEXT, {"text": TEXT}],
        {"id": 5, "text": TEXT},
    ]
    found = wirecopy.find(given)
    order = ["1", "3", "5", "b", "file.txt", "record:4"]  # numbers of places first, then ids by code point
    assert pairs(found) == [(later, order[n]) for place, later in enumerate(order) for n in range(place)]


def test_numbers_are_sorted_before_ids_and_dates_before_both() -> None:
    given: list[Any] = ["!", "10", "2"]
    given = [{"id": id, "text": TEXT} for id in given] + [TEXT] * 2
    given.append({"id": "z", "text": TEXT, "published": "2026-03-01"})
    order = ["z", "3", "4", "!", "10", "2"]
    assert pairs(wirecopy.find(given)) == [
        (later, order[n]) for place, later in enumerate(order) for n in range(place)
    ]


@pytest.mark.parametrize("texts_first", [True, False])
def test_an_id_that_is_a_place_too_is_named(texts_first: bool) -> None:
    given: list[Any] = [TEXT, {"id": "0", "text": OTHER}]
    if not texts_first:
        given = [{"id": "1", "text": OTHER}, TEXT]
    [skipped] = wirecopy.find(given).skipped
    assert skipped.where == "record:2"
    assert skipped.reason.startswith("an article with the id ")


def test_a_query_meets_the_text_with_its_number() -> None:
    assert pairs(wirecopy.find([TEXT, OTHER], query=[TEXT, TEXT])) == [("0", "0"), ("1", "0")]
    assert pairs(wirecopy.find([TEXT, OTHER], query=[{"id": "0", "text": TEXT}])) == [("0", "0")]
    assert pairs(wirecopy.find([{"id": "0", "text": TEXT}], query=[TEXT])) == [("0", "0")]
    assert pairs(wirecopy.find([{"id": "0", "text": TEXT}], query=[{"id": "0", "text": TEXT}])) == []
    assert pairs(wirecopy.opinions([TEXT], "exact", query=[TEXT])) == [("0", "0")]
    assert pairs(wirecopy.opinions([{"id": "0", "text": TEXT}], "exact", query=[TEXT])) == [("0", "0")]


FRAMES: list[Any] = [
    pl.DataFrame({"text": [TEXT] * 12}),
    pa.table({"text": [TEXT] * 12}),
    pd.DataFrame({"text": [TEXT] * 12}),
    pd.concat([pd.DataFrame({"text": [TEXT] * 6})] * 2),  # an index that says everything twice says nothing
]


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: type(frame).__module__)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_row_without_id_goes_by_its_number(frame: Any, wrapped: bool) -> None:
    expected = [(later, earlier) for later in range(12) for earlier in range(later)]
    matches = wirecopy.find([frame] if wrapped else frame, batch_bytes=100)
    assert pairs(matches) == [(str(later), str(earlier)) for later, earlier in expected]
    for table in (matches.to_pandas(), matches.to_polars(), matches.to_arrow().to_pandas()):
        assert list(zip(table["query"], table["found"], strict=True)) == expected


def test_the_index_of_a_pandas_frame_is_the_id() -> None:
    frame = pd.DataFrame({"text": [TEXT] * 3}, index=[10, 9, 2])
    matches = wirecopy.find(frame)
    assert pairs(matches) == [("9", "2"), ("10", "2"), ("10", "9")]
    assert matches.to_pandas()["query"].tolist() == [9, 10, 10]
    assert str(matches.to_pandas()["query"].dtype) == "int64"
    assert pairs(wirecopy.find(frame.iloc[::-1])) == pairs(matches)
    assert frame.loc[matches.to_pandas()["found"]].index.tolist() == [2, 2, 9]


def test_an_index_of_any_kind_is_given_back() -> None:
    days = [datetime.datetime(2026, 3, day) for day in (2, 1)]
    matches = wirecopy.find(pd.DataFrame({"text": [TEXT] * 2}, index=pd.DatetimeIndex(days)))
    assert pairs(matches) == [("2026-03-02 00:00:00", "2026-03-01 00:00:00")]
    assert matches.to_pandas()["query"].tolist() == [pd.Timestamp(days[0])]
    matches = wirecopy.find(pd.DataFrame({"text": [TEXT] * 2}, index=["b", "a"]))
    assert matches.to_pandas()[["query", "found"]].to_numpy().tolist() == [["b", "a"]]
    # Arrow has no type for these: they stay text.
    several = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])
    matches = wirecopy.find(pd.DataFrame({"text": [TEXT] * 2}, index=several))
    assert matches.to_arrow()["query"].to_pylist() == ["('b', 2)"]


def test_the_kind_of_the_columns_does_not_depend_on_what_is_found() -> None:
    frame = pd.DataFrame({"text": [TEXT, OTHER]})
    assert wirecopy.find(frame).to_arrow().schema.field("query").type == pa.int64()
    matches = wirecopy.find(frame, query=[{"id": "x", "text": TEXT}])
    assert matches.to_arrow().select(["query", "found"]).to_pylist() == [{"query": "x", "found": 0}]
    mixed = wirecopy.find(pd.DataFrame({"id": ["x", None], "text": [TEXT, TEXT]}))
    assert mixed.to_arrow().select(["query", "found"]).to_pylist() == [{"query": "x", "found": "1"}]
    assert wirecopy.find([TEXT, TEXT]).to_pandas()["query"].tolist() == ["1"]


def test_an_index_called_id_holds_ids() -> None:
    frame = pd.DataFrame({"text": [TEXT] * 2}, index=pd.Index([7, 5], name="id"))
    matches = wirecopy.find(frame)
    assert pairs(matches) == [("7", "5")]
    assert matches.to_pandas()["query"].tolist() == [7]
    assert pairs(wirecopy.find(frame, query=frame.loc[[5]])) == [("5", "7")]
    assert pairs(wirecopy.find(frame.rename_axis(None), query=frame.rename_axis(None).loc[[5]])) == [
        ("5", "5"),
        ("5", "7"),
    ]


def test_rows_of_several_frames_do_not_clash() -> None:
    frame = pl.DataFrame({"text": [TEXT]})
    assert pairs(wirecopy.find([frame, frame])) == [("table:1", "table2:1")]


def test_a_text_in_an_archive_goes_by_its_hash(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "news.db", create=True) as archive:
        added = archive.add([TEXT, OTHER, TEXT])
        assert (added.added, added.known, added.skipped) == (2, 1, [])
        assert HASH in archive
        added = archive.add([TEXT] * 3, batch_bytes=1)
        assert (added.added, added.known, added.skipped) == (0, 3, [])
        assert [one.status for one in archive.observe(["New.", "New."])] == ["added", "known"]
        assert [answer.query for answer in archive.check([TEXT, TEXT])] == [HASH, HASH]


@pytest.mark.parametrize("batch_bytes", [1, 4 << 20])
def test_one_id_with_two_contents_is_still_named(tmp_path: Path, batch_bytes: int) -> None:
    records = [{"id": "a", "text": text} for text in (TEXT, OTHER, TEXT, OTHER)]
    with Archive.open(tmp_path / "news.db", create=True) as archive:
        added = archive.add(records, batch_bytes=batch_bytes)
        assert (added.added, added.known, len(added.skipped)) == (1, 1, 2)
        # What is replaced is no longer known.
        added = archive.add(records[1:], batch_bytes=batch_bytes, replace=True)
        assert (added.replaced, added.known, len(added.skipped)) == (1, 1, 1)
        assert [article.text for article in archive.articles()] == [OTHER]


def test_a_str_alone_is_a_path_or_a_text_and_in_a_list_a_text(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text(TEXT)
    given = str(path)
    with Archive.open(tmp_path / "news.db", create=True) as archive:
        assert wirecopy.find(given).articles == 1
        assert len(wirecopy.find([TEXT], query=given)) == 1
        for take in (wirecopy.find, archive.add, lambda text: wirecopy.opinions(text, "exact")):
            with pytest.raises(SourceError, match="no such file or folder"):
                take("Rain.")
        assert archive.add(given).added == 1
        assert "file.txt" in archive
        assert archive.check(given)[0].articles == 0
        assert archive.observe(given)[0].answer.query == _core.blake3_hex([given.encode()])[0]
        assert archive.check(TEXT)[0].articles == archive.check([TEXT])[0].articles == 1
        assert archive.add([given]).known == 1
        assert archive.check(path)[0].query == "file.txt"
    assert wirecopy.compare(given, TEXT) is None
    assert len(wirecopy.find([given, TEXT])) == 0
