"""Articles come out of CSV and JSON files, Parquet, Arrow and what speaks it."""

import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from reading import KINDS, Read, micros
from records import jsonl

from wirecopy import errors
from wirecopy.model import UNDATED
from wirecopy.sources import Fields, csv_files


def test_csv_with_any_delimiter(tmp_path: Path) -> None:
    for name, delimiter in {"a.csv": ",", "b.csv": ";", "c.tsv": "\t", "d.csv": "|", "e.csv": "\t"}.items():
        quoted = f'"with {delimiter} and ""quotes""\nand lines"'
        rows = [["id", "text", "date"], ["1", quoted, "2021-01-05"], ["", "plain", ""]]
        (tmp_path / name).write_text("\r\n".join(delimiter.join(row) for row in rows))
        read = Read(tmp_path / name)
        assert read.rows == [
            ("1", f'with {delimiter} and "quotes"\nand lines', micros(2021, 1, 5)),
            (f"{tmp_path}/{name}:4", "plain", UNDATED),
        ]
        assert (read.skipped, read.unreadable_dates) == ([], 0)


@pytest.mark.parametrize("batch_bytes", [1, 4 << 20])
def test_bad_rows_are_named(tmp_path: Path, batch_bytes: int) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'id,text\n1,"two\nlines"\n2,a,b\n\n3,\n4,caf\xe9\n5,caf\xc3\xa9\n6\n')
    read = Read(path, batch_bytes=batch_bytes)
    assert read.texts == {"1": "two\nlines", "5": "café"}
    assert read.skipped == [
        (f"{path}:4", "3 fields where the header has 2; quote fields that hold the delimiter"),
        (f"{path}:6", "the text is empty"),
        (f"{path}:7", "not UTF-8; name its encoding, such as fields=Fields(encoding='latin1')"),
        (f"{path}:9", "1 fields where the header has 2; quote fields that hold the delimiter"),
    ]


UNCLOSED = "a quote that opens here is never closed; close it, or double it where it is part of a text"


@pytest.mark.parametrize(("name", "delimiter"), [("a.csv", ","), ("a.tsv", "\t")])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_an_unclosed_quote_costs_its_line_only(
    tmp_path: Path, name: str, delimiter: str, end: str, last: str
) -> None:
    path = tmp_path / name
    rows = ["id,text", '1,"one"', '2,"two', "3,three", "", '4,so ""four""']
    path.write_text(end.join(rows).replace(",", delimiter) + last, newline="")
    read = Read(path)
    assert read.texts == {"1": "one", "3": "three", "4": 'so ""four""'}
    assert read.skipped == [(f"{path}:3", UNCLOSED)]


def test_an_unclosed_quote_behind_one_of_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('title,text\n"one\ntwo","three\nx,four\n')
    read = Read(path)
    assert [text for _, text, _ in read.rows] == ["four"]
    assert read.skipped == [(f"{path}:2", UNCLOSED), (f"{path}:3", UNCLOSED)]
    path.write_text('title,"text\nx,four\n')
    assert Read(path).skipped == [(f"{path}:1", UNCLOSED)]


def test_a_table_made_of_unclosed_quotes_is_not_read_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = 0
    take = csv_files._Lines.__next__

    def count(lines: csv_files._Lines) -> str:
        nonlocal taken
        taken += 1
        return take(lines)

    monkeypatch.setattr(csv_files._Lines, "__next__", count)
    path = tmp_path / "a.csv"
    path.write_text("id,text\n" + 'a"b,"c\n' * 300 + "1,one\n" + 'a"b,"c\n' * 300)
    read = Read(path)
    assert read.texts == {"1": "one"}
    unclosed = [*range(2, 302), *range(303, 603)]
    assert read.skipped == [(f"{path}:{line}", UNCLOSED) for line in unclosed]
    assert taken < 4 * 601


def test_a_table_without_text_is_named_once(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("title,lead\nx,y\nx,y\n")
    pq.write_table(pa.table({"title": ["x", "x"], "lead": ["y", "y"]}), tmp_path / "b.parquet")
    pq.write_table(pa.table({"text": [1, 2]}), tmp_path / "c.parquet")
    reason = "no text field: found columns title, lead; name it with fields=Fields(text=…)"
    assert Read(tmp_path).skipped == [
        (f"{tmp_path}/a.csv:1", reason),
        (f"{tmp_path}/b.parquet", reason),
        (
            f"{tmp_path}/c.parquet",
            "column 'text' is int64, not text; name another with fields=Fields(text=…)",
        ),
    ]


def test_a_json_file_is_an_array_an_object_or_lines(tmp_path: Path) -> None:
    array = tmp_path / "array.json"
    array.write_text('[\n{"id": 1.0, "text": "a", "date": NaN},\n 5, {"text": "b\\ud800"}, {"no": 1}]')
    read = Read(array)
    assert read.texts == {"1.0": "a", f"{array}:3": "b\ufffd"}
    assert [where for where, _ in read.skipped] == [f"{array}:2", f"{array}:4"]
    one = tmp_path / "one.json"
    one.write_text('{\n  "id": "x",\n  "text": "a"\n}')
    assert Read(one).texts == {"x": "a"}
    several = tmp_path / "several.json"
    several.write_bytes(
        jsonl({"id": 1, "text": "a"}, {"id": 2, "text": "x" * (2 << 20)}, {"id": 3, "text": "c"})
    )
    assert list(Read(several).texts) == ["1", "2", "3"]
    several.write_bytes(jsonl({"id": 2, "text": "x" * (2 << 20)}, {"id": 3, "text": "c"}))
    assert list(Read(several).texts) == ["2", "3"]
    broken = tmp_path / "broken.json"
    broken.write_text('[{"text": "a"},\n {"text": ]')
    assert Read(broken).skipped == [(f"{broken}:2", "not JSON: Expecting value at column 11")]
    broken.write_text("[" * 100_000)
    assert Read(broken).skipped == [(str(broken), "nested too deeply")]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("batch_bytes", [1, 40, 4 << 20])
def test_arrow_tables_of_every_kind_of_text(kind: pa.DataType, batch_bytes: int) -> None:
    texts = ["first", None, "", "naïve", "a longer text that fits no view", *(f"text {n}" for n in range(20))]
    values = [text and text.encode() for text in texts] if kind == pa.binary() else texts
    column = pa.array(values, kind if not pa.types.is_dictionary(kind) else pa.string())
    table = pa.table({"text": column.cast(kind) if column.type != kind else column, "id": range(len(texts))})
    read = Read(table.slice(0), batch_bytes=batch_bytes)
    assert read.texts == {str(n): text for n, text in enumerate(texts) if text is not None}
    assert read.skipped == [("table:2", "the text is null")]
    assert Read(table.slice(3, 2)).texts == {"3": "naïve", "4": "a longer text that fits no view"}


@pytest.mark.parametrize("batch_bytes", [1, 4 << 20])
def test_parquet_with_nulls(tmp_path: Path, batch_bytes: int) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table(
        {
            "id": pa.array(["a", "b", None], pa.large_string()),
            "text": pa.array(["one", None, "three"], pa.large_string()),
            "body": pa.array(["not this", None, None], pa.string()),
            "published": pa.array([datetime(1842, 10, 9), None, None], pa.timestamp("ns")),
            "date": pa.array([None, None, "2021-01-05T10:00+01:00"]),
            "unread": [[1], [2], [3]],
        }
    )
    pq.write_table(table, path)
    read = Read(path, batch_bytes=batch_bytes)
    assert read.rows == [("a", "one", micros(1842, 10, 9)), (f"{path}:3", "three", micros(2021, 1, 5, 9))]
    assert read.skipped == [(f"{path}:2", "the text is null")]
    assert sum(work.source_bytes for work in read.work) == path.stat().st_size
    pyarrow.feather.write_feather(table, str(tmp_path / "b.arrow"))
    assert Read(tmp_path / "b.arrow", batch_bytes=batch_bytes).rows[0] == read.rows[0]


def test_broken_text_in_arrow_is_a_bad_row() -> None:
    broken = pa.array([b"good", b"caf\xe9", b"fine"], pa.binary())
    text = pa.StringArray.from_buffers(3, broken.buffers()[1], broken.buffers()[2])
    for column in (text, broken):
        read = Read(pa.table({"text": column}))
        assert read.texts == {"table:1": "good", "table:3": "fine"}
        assert read.skipped == [("table:2", "not UTF-8 text at byte 3")]


def test_a_broken_id_or_date_in_arrow_is_none() -> None:
    broken = pa.array([b"1842-10-09", b"caf\xe9"], pa.binary())
    text = pa.StringArray.from_buffers(2, broken.buffers()[1], broken.buffers()[2])
    names = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), text)
    table = pa.table({"id": text, "date": text, "authors": names, "text": ["x", "y"]})
    read = Read(table, fields=Fields(about=("author", "published")))
    assert read.rows == [("1842-10-09", "x", micros(1842, 10, 9)), ("table:2", "y", UNDATED)]
    assert read.about == {"author": ["1842-10-09", ""], "published": ["1842-10-09", ""]}


def test_dates_and_zones_in_arrow() -> None:
    moments = [datetime(2021, 1, 5, 9, tzinfo=UTC), None]
    for kind in (pa.timestamp("s", "Asia/Seoul"), pa.timestamp("us"), pa.timestamp("ns", "UTC")):
        naive = [moment and moment.replace(tzinfo=None) for moment in moments]
        column = pa.array(naive if kind.tz is None else moments, kind)
        assert [row[2] for row in Read(pa.table({"text": ["a", "b"], "date": column})).rows] == [
            micros(2021, 1, 5, 9),
            UNDATED,
        ]
    read = Read(pa.table({"text": ["a", "b"], "date": pa.array([date(2021, 1, 5), None])}))
    assert [row[2] for row in read.rows] == [micros(2021, 1, 5), UNDATED]
    assert Read(pa.table({"text": ["a", None], "date": ["soon", "soon"]})).unreadable_dates == 1


class Frame:
    """A data frame of another library."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def test_whatever_speaks_arrow_is_a_table() -> None:
    table = pa.table({"id": [1, 2], "text": ["a", "b"]})
    assert (
        Read(Frame(table)).texts == Read(table).texts == Read(table.to_reader()).texts == {"1": "a", "2": "b"}
    )
    unnamed = pa.table({"text": ["a"]})
    assert list(Read([unnamed, Frame(unnamed)]).texts) == ["table:1", "table2:1"]
    with pytest.raises(errors.SourceError, match="expected a table"):
        Read(pa.chunked_array([["a", "b"]]))


def test_of_repeated_columns_the_first_counts() -> None:
    columns = [pa.array([text]) for text in ("a", "b", "c", "d")]
    assert Read(pa.Table.from_arrays(columns, ["text", "text", "id", "id"])).texts == {"c": "a"}


def test_without_pyarrow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "a.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(errors.MissingExtra, match="wirecopy\\[arrow\\]"):
        Read(tmp_path)


def test_a_broken_parquet_file_is_skipped(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["a" * 1000]}), tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(content[:-20])
    (tmp_path / "b.parquet").write_bytes(b"never was one")
    (tmp_path / "c.parquet").touch()
    read = Read(tmp_path)
    assert read.rows == []
    assert [where for where, _ in read.skipped] == [f"{tmp_path}/{name}.parquet" for name in "abc"]
