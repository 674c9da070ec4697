"""Articles come out of everything that holds some, and what is no article is named."""

import dataclasses
import gzip
import io
import json
import os
import random
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference import jsonl as twin

import wirecopy
from wirecopy import _core, errors, sources
from wirecopy.model import ABOUT, UNDATED, Article, Articles, Page
from wirecopy.sources import Fields, work
from wirecopy.text import View, tokenise

Row = tuple[str, str, int]


class Read:
    """Everything that a source holds, batches joined."""

    def __init__(self, inputs: Any, **options: Any) -> None:
        self.work = list(sources.read(inputs, **options))
        batches = [work() for work in self.work]
        self.rows: list[Row] = []
        self.about: dict[str, list[str]] = {}
        for batch in batches:
            assert batch.text.dtype == np.uint8
            assert batch.offsets.dtype == batch.published.dtype == np.int64
            assert len(batch.ids) == len(batch.published) == len(batch.offsets) - 1
            assert batch.offsets[0] == 0
            assert batch.offsets[-1] == len(batch.text)
            for name, column in batch.about.items():
                assert len(column) == len(batch)
                self.about[name] = [*self.about.get(name, []), *column]
            for row, id in enumerate(batch.ids):
                text = bytes(batch.text[batch.offsets[row] : batch.offsets[row + 1]]).decode()
                self.rows.append((id, text, int(batch.published[row])))
        self.skipped = [(skipped.where, skipped.reason) for batch in batches for skipped in batch.skipped]
        self.unreadable_dates = sum(batch.unreadable_dates for batch in batches)

    @property
    def texts(self) -> dict[str, str]:
        return {id: text for id, text, _ in self.rows}


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def micros(*when: int) -> int:
    return int(datetime(*when, tzinfo=UTC).timestamp()) * 10**6  # type: ignore[arg-type, misc]


# JSON lines: the kernel and its twin

NAMES = (("text", "body"), ("id",), ("published", "date"))

ISH_DATES = (
    st.from_regex(twin.DATE, fullmatch=True)
    | st.datetimes().map(str)
    | st.text("0123456789-:TZ+ .", max_size=30)
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | ISH_DATES
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)
KEYS = st.sampled_from(
    ["text", "body", "id", "published", "date", "title", "headline", "author", "x"]
) | st.text(max_size=3)
OBJECTS = st.lists(st.tuples(KEYS, VALUES), max_size=6)


@st.composite
def json_lines(draw: Callable[[Any], Any]) -> bytes:
    """An object, perhaps with repeated keys, perhaps with some bytes changed."""
    ascii = draw(st.booleans())
    pairs = [
        json.dumps(key, ensure_ascii=ascii) + ": " + json.dumps(value, ensure_ascii=ascii)
        for key, value in [("text", draw(st.text(max_size=12))), *draw(OBJECTS)]
    ]
    line = bytearray(("{" + ", ".join(draw(st.permutations(pairs))) + "}").encode("utf-8", "surrogatepass"))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        at = draw(st.integers(0, len(line)))
        line[at : at + draw(st.integers(0, 2))] = draw(st.binary(max_size=2) | SNIPPETS)
    return bytes(line)


WORDS = b"\\u \\ud83d \\udE00 e5 NaN -Infinity null true \xef\xbb\xbf \xed\xa0\x80".split(b" ")
SNIPPETS = st.sampled_from([*WORDS, *(bytes([byte]) for byte in b'"\\{}[],:-.0 \n\r\t\f\x7f')])
TOKENS = st.lists(SNIPPETS | st.sampled_from([b'{"text": "', b'"text"', b'"id"']), max_size=12).map(b"".join)


@settings(max_examples=600, deadline=None)
@given(
    st.lists(json_lines() | TOKENS, max_size=4).map(b"\n".join),
    st.sampled_from([(), (("title", "headline"),), (("title",), ("date", "x"), (), ("author", "title"))]),
)
@example(b'{"text": "a", "x": ' + b"[" * 127 + b"]" * 127 + b"}", ())
@example(b'{"text": "a", "x": ' + b"[" * 128 + b"]" * 128 + b"}", ())
@example(b'{"text": "\\ud800\\ud83d\\ude00\\udc00\\ud83d"}', ())
@example(b'{"text": "a\\u0000b", "id": -0.0E+1}', ())
@example(b'{"text": "a", "id": "", "date": ""}', ())
@example(b'{"title": "A \\"\\ud800", "text": "a"}\n{"text": "b", "title": 5}', (("title",),))
@example(b'{"text": "a", "x": ["\\ud800", "", 5, "b;", [], {"x": "y"}, null, "\\u0063"]}', (("x",), ("x",)))
def test_the_kernel_reads_what_json_loads_reads(
    data: bytes, about_names: tuple[tuple[str, ...], ...]
) -> None:
    text, offsets, ids, published, other_dates, about, line_numbers, bad = _core.read_jsonl(
        np.frombuffer(data, np.uint8), *NAMES, about_names, 1 << 20
    )
    assert [len(column) for column in about] == [len(ids)] * len(about_names)
    others = {row for row, _ in other_dates}
    rows = [
        twin.Row(
            int(line_numbers[row]),
            ids[row],
            bytes(text[offsets[row] : offsets[row + 1]]).decode(),
            int(published[row]),
            row in others,
            tuple(column[row] for column in about),
        )
        for row in range(len(ids))
    ]
    assert (rows, [line for line, _ in bad]) == twin.read_jsonl(data, *NAMES, about_names)


@settings(max_examples=500, deadline=None)
@given(ISH_DATES)
def test_dates_are_read_as_the_twin_reads_them(text: str) -> None:
    expected = twin.iso_microseconds(text)
    assert _core.iso_microseconds([text])[0] == (UNDATED if expected is None else expected)


@given(st.datetimes(), st.sampled_from(["T", " "]))
def test_what_datetime_writes_is_read(moment: datetime, separator: str) -> None:
    expected = (moment - datetime(1970, 1, 1)) // (datetime.resolution)
    assert _core.iso_microseconds([moment.isoformat(separator)])[0] == expected


def test_an_rfc_2822_date_is_read(tmp_path: Path) -> None:
    dates = [
        "Tue, 05 Jan 2021 10:00:00 +0100",
        "5 Jan 2021 09:00:00 GMT",
        "Tue, 5 Jan 2021 04:00 EST (winter)",
    ]
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(*({"text": "x", "date": date} for date in dates)))
    read = Read(path)
    assert [published for _, _, published in read.rows] == [micros(2021, 1, 5, 9)] * 3
    assert read.unreadable_dates == 0


def test_another_date_skips_nothing_and_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    odd = ["yesterday", "5.1.2021", 1609837200, True, [], {}, "Tue, 45 Jan 2021 10:00:00 +0100", "2021"]
    path.write_bytes(lines(*({"text": "x", "date": date} for date in [*odd, None, "", " "])))
    read = Read(path)
    assert [published for _, _, published in read.rows] == [UNDATED] * (len(odd) + 3)
    assert read.unreadable_dates == len(odd)
    assert read.skipped == []


def test_old_newspapers_have_dates(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines({"text": "x", "date": "1842-10-09"}))
    assert Read(path).rows[0][2] == micros(1842, 10, 9)


# JSON lines: files


def test_three_bad_lines_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        lines({"id": "a", "text": "one"})
        + b'{"id": "b", "text": "two"\n\n'
        + b'{"id": "c", "text": "caf\xe9"}\n'
        + lines({"id": "d", "headline": "x", "lead": "y"}, {"id": 5, "text": "five"})
    )
    read = Read(path)
    assert read.texts == {"a": "one", "5": "five"}
    assert read.skipped == [
        (f"{path}:2", "not JSON: expected ',' or '}' at byte 25 of the line"),
        (f"{path}:4", "not UTF-8 at byte 24 of the line; convert the file, e.g. iconv -f latin1 -t utf-8"),
        (f"{path}:5", "no text field: found keys id, headline, lead; name it with --text-field"),
    ]


def test_ids_are_as_written_and_a_record_without_is_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'{"id": 1, "text": ""}\n{"id": 1.0, "text": ""}\n\n{"text": ""}\n{"id": null, "text": ""}\n'
    )
    assert [id for id, _, _ in Read(path).rows] == ["1", "1.0", f"{path}:4", f"{path}:5"]


@pytest.mark.parametrize("id", [True, [], {}])
def test_an_id_that_is_none_makes_a_bad_line(tmp_path: Path, id: Any) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines({"id": id, "text": "x"}))
    assert "not a string or a number" in Read(path).skipped[0][1]


def test_windows_line_ends_and_a_byte_order_mark_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b"\xef\xbb\xbf" + lines({"id": 1, "text": "a"}, {"id": 2, "text": "b"}).replace(b"\n", b"\r\n")
    )
    assert Read(path).texts == {"1": "a", "2": "b"}
    path.write_bytes(b"\xff\xfe" + '{"id": 1, "text": "é"}\r\n'.encode("utf-16-le"))
    assert Read(path).texts == {"1": "é"}


def test_the_names_of_other_tools_are_known(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        lines(
            {"id": "passim", "series": "gazette", "text": "a", "date": "1842-10-09"},
            {
                "id": "news-please",
                "maintext": "b",
                "date_publish": "2021-01-05 09:00:00",
                "source_domain": "x.test",
            },
            {
                "id": "trafilatura",
                "text": "c",
                "hostname": "x.test",
                "date": "2021-01-05",
                "body": "not this",
            },
        )
    )
    assert Read(path).rows == [
        ("passim", "a", micros(1842, 10, 9)),
        ("news-please", "b", micros(2021, 1, 5, 9)),
        ("trafilatura", "c", micros(2021, 1, 5)),
    ]


def test_the_user_names_the_fields(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines({"key": 7, "lead": "x", "text": "y", "day": "2021-01-05"}, {"text": "y"}))
    read = Read(path, fields=Fields(text="lead", id="key", published="day"))
    assert read.rows == [("7", "x", micros(2021, 1, 5))]
    assert read.skipped == [(f"{path}:2", "no text field 'lead': found keys text; name it with --text-field")]


def mixed_lines() -> bytes:
    rng = random.Random(1)
    words = ["harbour", "ferry", "mayor", "naïve", "数字", "\n", '"', "strike"]
    good = [
        {
            "id": n,
            "text": " ".join(rng.choices(words, k=rng.randrange(40))),
            "date": f"2021-01-{n % 31 + 1:02}",
        }
        for n in range(60)
    ]
    return (
        lines(*good[:20]) + b"\n{broken\n\r\n" + lines(*good[20:]) + b'{"text": "the last has no line end"}'
    )


@pytest.mark.parametrize("batch_bytes", [1, 7, 100, 1000, 4 << 20])
def test_the_size_of_batches_changes_nothing(tmp_path: Path, batch_bytes: int) -> None:
    data = mixed_lines()
    for path, content in [
        (tmp_path / "a.jsonl", data),
        (tmp_path / "a.jsonl.gz", gzip.compress(data[:3000]) + gzip.compress(data[3000:])),
        (tmp_path / "a.jsonl.zst", zstandard.compress(data[:3000]) + zstandard.compress(data[3000:])),
    ]:
        path.write_bytes(content)
        whole, cut = Read(path), Read(path, batch_bytes=batch_bytes)
        assert (cut.rows, cut.skipped) == (whole.rows, whole.skipped)
        assert len(cut.rows) == 61
        assert cut.skipped == [(f"{path}:22", "not JSON: expected a key in quotes at byte 1 of the line")]
        assert sum(work.source_bytes for work in cut.work) == sources.total_bytes(path) == len(content)


def test_work_is_done_on_any_thread_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(mixed_lines())
    work = list(sources.read(path, batch_bytes=200))
    with ThreadPoolExecutor(4) as pool:
        batches = list(pool.map(lambda unit: unit(), reversed(work)))
    assert [id for batch in reversed(batches) for id in batch.ids] == [id for id, _, _ in Read(path).rows]


@pytest.mark.parametrize("batch_bytes", [1, 50, 4 << 20])
def test_a_record_without_end_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch_bytes: int
) -> None:
    monkeypatch.setattr(work, "MAX_RECORD_BYTES", 1000)
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        lines({"id": 1, "text": "a"}, {"text": "x" * 5000}, {"id": 3, "text": "c"}, {"text": "x" * 5000})
    )
    read = Read(path, batch_bytes=batch_bytes)
    assert read.texts == {"1": "a", "3": "c"}
    reason = "longer than 1000 bytes; cut it into records"
    assert read.skipped == [(f"{path}:2", reason), (f"{path}:4", reason)]
    assert sum(work.source_bytes for work in read.work) == path.stat().st_size


# Folders and text files


def test_a_folder_of_good_and_bad_files(tmp_path: Path) -> None:
    (tmp_path / "sub" / ".hidden").mkdir(parents=True)
    (tmp_path / "sub" / ".hidden" / "x.txt").write_text("hidden")
    (tmp_path / ".DS_Store").write_bytes(b"\0")
    (tmp_path / "sub" / "a.txt").write_text("Nested.")
    (tmp_path / "binary.dat").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "bom.txt").write_bytes(b"\xef\xbb\xbfMarked.")
    (tmp_path / "broken.txt").write_bytes("Café".encode("latin1"))
    (tmp_path / "empty.txt").touch()
    (tmp_path / "huge").write_text("word " * 10_000_000)
    (tmp_path / "pages.wacz").write_text("not looked at")
    (tmp_path / "photo.JPG").write_text("not looked at")
    (tmp_path / "records.jsonl").write_bytes(b"{\n[]\n{}\n" + lines({"id": "r", "text": "Recorded."}))
    (tmp_path / "wide.txt").write_bytes("Wíde.".encode("utf-16"))
    (tmp_path / "wider.txt").write_bytes("Wíder.".encode("utf-32"))
    (tmp_path / "late-nul.txt").write_bytes(b"x" * 9000 + b"\0")
    read = Read(tmp_path)
    assert read.texts == {
        "bom.txt": "Marked.",
        "huge": "word " * 10_000_000,
        "late-nul.txt": "x" * 9000 + "\0",
        "r": "Recorded.",
        "sub/a.txt": "Nested.",
        "wide.txt": "Wíde.",
        "wider.txt": "Wíder.",
    }
    assert [id for id, _, _ in read.rows] == list(read.texts)
    reasons = dict(read.skipped)
    assert list(reasons) == [
        f"{tmp_path}/{name}"
        for name in (
            *("binary.dat", "broken.txt", "empty.txt", "pages.wacz", "photo.JPG"),
            *("records.jsonl:1", "records.jsonl:2", "records.jsonl:3"),
        )
    ]
    assert reasons[f"{tmp_path}/binary.dat"] == "not a text: a NUL at byte 0"
    assert reasons[f"{tmp_path}/broken.txt"].startswith("not UTF-8 text at byte 3; convert it, e.g. iconv")
    assert reasons[f"{tmp_path}/empty.txt"] == "empty"
    assert "give the WARC files" in reasons[f"{tmp_path}/pages.wacz"]
    assert reasons[f"{tmp_path}/photo.JPG"] == "not a text: .JPG files are not read"
    assert sum(work.source_bytes for work in read.work) == sources.total_bytes(tmp_path)


def test_a_record_of_50_mb_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines({"id": 1, "text": "x" * 50_000_000}, {"id": 2, "text": "y"}))
    assert {id: len(text) for id, text, _ in Read(path).rows} == {"1": 50_000_000, "2": 1}


@pytest.mark.parametrize("batch_bytes", [1, 10, 4 << 20])
def test_many_small_files_travel_together(tmp_path: Path, batch_bytes: int) -> None:
    for n in range(600):
        (tmp_path / f"{n:03}.txt").write_text(f"Article {n}")
    read = Read(tmp_path, batch_bytes=batch_bytes)
    assert read.rows == [(f"{n:03}.txt", f"Article {n}", UNDATED) for n in range(600)]
    assert (len(read.work) < 10) == (batch_bytes > 10)


def test_ids_of_texts_are_relative_to_the_argument(tmp_path: Path) -> None:
    (tmp_path / "x" / "y").mkdir(parents=True)
    path = tmp_path / "x" / "y" / "a.txt"
    path.write_text("Text.")
    assert Read(tmp_path).rows[0][0] == "x/y/a.txt"
    assert Read(str(tmp_path / "x")).rows[0][0] == "y/a.txt"
    assert Read(path).rows[0][0] == "a.txt"
    assert Read(f"{tmp_path}/*/y/*.txt").rows[0][0] == "x/y/a.txt"
    assert Read(f"{tmp_path}/x/**/*.txt").rows[0][0] == "y/a.txt"


def test_a_path_that_is_not_there_is_an_error_at_once(tmp_path: Path) -> None:
    for path in (tmp_path / "no.jsonl", f"{tmp_path}/*.txt", [tmp_path, tmp_path / "no"]):
        with pytest.raises(errors.SourceError, match=r"no such file or folder|matches no file"):
            sources.read(path)


def test_a_file_that_cannot_be_opened_is_skipped(tmp_path: Path) -> None:
    for name in ("gone.txt", "gone.jsonl", "gone.parquet"):
        (tmp_path / name).symlink_to(tmp_path / "nowhere")
    (tmp_path / "here.txt").write_text("Here.")
    read = Read(tmp_path)
    assert read.texts == {"here.txt": "Here."}
    assert [reason for _, reason in read.skipped] == ["cannot be opened: No such file or directory"] * 3


def test_pipes_and_linked_folders_in_a_folder_are_named(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "loop").symlink_to(tmp_path / "x")
    os.mkfifo(tmp_path / "x" / "pipe.txt")
    (tmp_path / "x" / "text.txt").write_text("Here.")
    read = Read(tmp_path / "x")
    assert read.texts == {"text.txt": "Here."}
    assert [(Path(where).name, reason) for where, reason in read.skipped] == [
        ("loop", "a link to a folder is not followed; give it as an argument"),
        ("pipe.txt", "not a regular file"),
    ]


def test_a_pipe_that_is_named_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(path.write_bytes, lines({"id": 1, "text": "Piped."}))
        assert Read(path).texts == {"1": "Piped."}


def test_a_text_given_as_a_path_gets_advice() -> None:
    with pytest.raises(errors.SourceError, match="put it into a list"):
        sources.read("A ferry sank. " * 1000)
    with pytest.raises(errors.UsageError, match="batch_bytes"):
        sources.read([], batch_bytes=0)


# Compression


@pytest.mark.parametrize(("suffix", "compress"), [("gz", gzip.compress), ("zst", zstandard.compress)])
def test_compressed_files_are_read_as_plain_ones(
    tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]
) -> None:
    table = io.BytesIO()
    pq.write_table(pa.table({"id": ["p"], "text": ["In a column."]}), table)
    for name, content in {
        "a.txt": b"\xef\xbb\xbfA text.",
        "b.jsonl": lines({"id": "l", "text": "A line."}),
        "c.json": b'[{"id": "e", "text": "An element."}]',
        "d.csv": b"id,text\nc,A cell.\n",
        "e.parquet": table.getvalue(),
        "f": "Wíde.".encode("utf-16"),
    }.items():
        (tmp_path / f"{name}.{suffix}").write_bytes(compress(content))
    (tmp_path / f"z.png.{suffix}").write_bytes(b"")
    read = Read(tmp_path)
    assert read.texts == {
        f"a.txt.{suffix}": "A text.",
        "l": "A line.",
        "e": "An element.",
        "c": "A cell.",
        "p": "In a column.",
        f"f.{suffix}": "Wíde.",
    }
    assert len(read.skipped) == 1


@pytest.mark.parametrize(("suffix", "compress"), [("gz", gzip.compress), ("zst", zstandard.compress)])
def test_what_stands_before_the_damage_counts(
    tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]
) -> None:
    rng = random.Random(2)
    data = lines(*({"id": n, "text": rng.randbytes(2000).hex()} for n in range(500)))
    for name in ("a.jsonl", "b.csv", "c.txt", "d.json"):
        content = b"text\n" + b"x\n" * 1000 + data if name == "b.csv" else data
        packed = compress(content)
        (tmp_path / f"{name}.{suffix}").write_bytes(packed[: len(packed) // 2])
    read = Read(tmp_path)
    good = [int(id) for id, _, _ in read.rows if id.isdigit()]
    assert good[:200] == list(range(200))
    assert not any(id == f"c.txt.{suffix}" for id, _, _ in read.rows)
    damaged = [where for where, reason in read.skipped if "ends in the middle" in reason]
    assert damaged[0] == f"{tmp_path}/a.jsonl.{suffix}:{damaged[0].rpartition(':')[2]}"
    assert len(damaged) == 4


def test_garbage_is_not_gzip(tmp_path: Path) -> None:
    for name in ("a.txt.gz", "b.jsonl.gz", "c.csv.zst", "d.parquet.zst"):
        (tmp_path / name).write_bytes(b"this was never compressed")
    read = Read(tmp_path)
    assert read.rows == []
    assert ["damaged" in reason for _, reason in read.skipped] == [True] * 4


def test_damage_in_the_middle_is_noticed(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(lines(*({"id": n, "text": "x" * n} for n in range(2000)))))
    packed[-8] ^= 1
    (tmp_path / "a.jsonl.gz").write_bytes(packed)
    assert "damaged gzip data" in Read(tmp_path).skipped[0][1]


# Tables and JSON files


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
        (f"{path}:7", "not UTF-8; convert the file, e.g. iconv -f latin1 -t utf-8"),
        (f"{path}:9", "1 fields where the header has 2; quote fields that hold the delimiter"),
    ]


def test_a_table_without_text_is_named_once(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("title,lead\nx,y\nx,y\n")
    pq.write_table(pa.table({"title": ["x", "x"], "lead": ["y", "y"]}), tmp_path / "b.parquet")
    pq.write_table(pa.table({"text": [1, 2]}), tmp_path / "c.parquet")
    reason = "no text field: found columns title, lead; name it with --text-field"
    assert Read(tmp_path).skipped == [
        (f"{tmp_path}/a.csv:1", reason),
        (f"{tmp_path}/b.parquet", reason),
        (f"{tmp_path}/c.parquet", "column 'text' is int64, not text; name another with --text-field"),
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
        lines({"id": 1, "text": "a"}, {"id": 2, "text": "x" * (2 << 20)}, {"id": 3, "text": "c"})
    )
    assert list(Read(several).texts) == ["1", "2", "3"]
    several.write_bytes(lines({"id": 2, "text": "x" * (2 << 20)}, {"id": 3, "text": "c"}))
    assert list(Read(several).texts) == ["2", "3"]
    broken = tmp_path / "broken.json"
    broken.write_text('[{"text": "a"},\n {"text": ]')
    assert Read(broken).skipped == [(f"{broken}:2", "not JSON: Expecting value at column 11")]
    broken.write_text("[" * 100_000)
    assert Read(broken).skipped == [(str(broken), "nested too deeply")]


KINDS = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.dictionary(pa.int32(), pa.string()),
    pa.binary(),
]


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


# Streams and Python objects


def pipe(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("inputs", ["-", [Path("-")]])
def test_stdin_is_json_lines_or_one_text(monkeypatch: pytest.MonkeyPatch, inputs: Any) -> None:
    pipe(monkeypatch, b'\n{"text": "a"}\n{"id": 2, "text": "b"}\nbroken\n')
    read = Read(inputs)
    assert read.texts == {"-:2": "a", "2": "b"}
    assert read.skipped[0][0] == "-:4"
    pipe(monkeypatch, gzip.compress(b'[{"id": 1, "text": "a"}]'))
    assert Read(inputs).texts == {"1": "a"}
    pipe(monkeypatch, b"[Harbour] A ferry sank.")
    assert Read(inputs).texts == {"-": "[Harbour] A ferry sank."}
    pipe(monkeypatch, b"")
    assert Read(inputs).skipped == [("-", "empty")]
    assert sources.total_bytes(inputs) is None


def test_texts_dicts_and_articles_may_be_mixed() -> None:
    items = [
        "A bare text.",
        {"id": 7, "body": "From a dict.", "date": date(2021, 1, 5)},
        Article("x", "From an article.", published="2021-01-05T09:00"),
        {"text": "Without id.", "date": float("nan")},
        {"id": np.int64(8), "text": "b", "published": datetime(2021, 1, 5, 10, tzinfo=UTC)},
    ]
    read = Read(iter(items))
    assert read.rows == [
        (_core.blake3_hex([b"A bare text."])[0], "A bare text.", UNDATED),
        ("7", "From a dict.", micros(2021, 1, 5)),
        ("x", "From an article.", micros(2021, 1, 5, 9)),
        ("record:4", "Without id.", UNDATED),
        ("8", "b", micros(2021, 1, 5, 10)),
    ]
    assert (read.skipped, read.unreadable_dates) == ([], 0)
    assert Read(items, batch_bytes=1).rows == read.rows
    assert Read(items[1]).texts == {"7": "From a dict."}


def test_objects_that_are_no_articles_are_named() -> None:
    without: Any = None
    items: list[Any] = [
        {"title": "x"},
        {"text": 5},
        {"text": "x", "id": True},
        3,
        Article("a", without),
        b"x",
        "fine",
    ]
    read = Read(items)
    assert len(read.rows) == 1
    assert read.skipped == [
        ("record:1", "no text field: found keys title; name it with --text-field"),
        ("record:2", "field 'text' is a number, not a string"),
        ("record:3", "field 'id' is true or false, not a string or a number"),
        ("record:4", "a int is no article; give a text, a dict or an Article"),
        ("record:5", "field 'text' is null"),
        ("record:6", "a bytes is no article; give a text, a dict or an Article"),
    ]


def test_paths_tables_and_objects_may_be_mixed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("From a file.")
    read = Read(
        [{"id": "d", "text": "x"}, tmp_path, pa.table({"text": ["y"]}), ["nested text"], tmp_path / "a.txt"]
    )
    assert [text for _, text, _ in read.rows] == ["x", "From a file.", "y", "nested text", "From a file."]
    assert sources.total_bytes([tmp_path, tmp_path / "a.txt"]) == 24
    assert sources.total_bytes([tmp_path, "text"]) is None


def test_lone_surrogates_become_replacement_characters() -> None:
    read = Read(["a\ud800\udc00b", {"id": "\udcff", "text": "\udfff"}])
    assert [text for _, text, _ in read.rows] == ["a\ufffd\ufffdb", "\ufffd"]
    assert read.rows[1][0] == "\ufffd"


def test_blake3_is_blake3() -> None:
    assert _core.blake3_hex([b""]) == ["af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"]


# What is known about articles

ALL = Fields(about=ABOUT)
KNOWN = {
    "title": "Ferry 😀 sinks",
    "published": "5 Jan 2021 09:00 GMT",
    "source": "The Courier",
    "author": "Ann Writer; Ben Penman",
    "location": "Harbour",
    "language": "en",
    "url": "https://courier.test/1",
    "agency": "Wire",
}


def test_what_is_known_has_the_names_of_an_article() -> None:
    assert ("id", "text", *ABOUT) == tuple(field.name for field in dataclasses.fields(Article))


@pytest.mark.parametrize("batch_bytes", [1, 4 << 20])
def test_all_that_is_known_comes_out_of_everything_that_holds_it(tmp_path: Path, batch_bytes: int) -> None:
    known, unknown, no_text = (
        {"text": "A ferry sank.", **KNOWN},
        {"text": "A mayor spoke."},
        {"title": "No text"},
    )
    (tmp_path / "a.jsonl").write_bytes(lines(known, unknown, no_text, known))
    (tmp_path / "b.json").write_text(json.dumps([known, 5, unknown, no_text, known]))
    cells = ",".join(KNOWN.values())
    commas = "," * (len(KNOWN) - 1)
    (tmp_path / "c.csv").write_text(f"{','.join(KNOWN)},text\n{cells},x\n{commas},y\n{cells},\n{cells},z\n")
    table = pa.Table.from_pylist([known, unknown, no_text, known])
    pq.write_table(table, tmp_path / "d.parquet")
    pyarrow.feather.write_feather(table, str(tmp_path / "e.arrow"))
    objects: list[Any] = [Article("p", "x", **KNOWN), Article("q", "y"), no_text, known]
    for inputs in [*sorted(tmp_path.iterdir()), table, objects]:
        read = Read(inputs, fields=ALL, batch_bytes=batch_bytes)
        assert read.about == {name: [value, "", value] for name, value in KNOWN.items()}
        assert list(read.about) == list(ABOUT)
        moment = micros(2021, 1, 5, 9)
        assert [published for _, _, published in read.rows] == [moment, UNDATED, moment]
        assert len(read.skipped) in (1, 2)


@pytest.mark.parametrize("about", [(), ("title",), ("url",), ("author", "published")])
def test_what_is_not_asked_for_is_not_read(tmp_path: Path, about: tuple[str, ...]) -> None:
    known = {"id": "1", "text": "A ferry sank.", **KNOWN}
    (tmp_path / "a.jsonl").write_bytes(lines(known))
    (tmp_path / "b.json").write_text(json.dumps([known]))
    (tmp_path / "c.csv").write_text(f"{','.join(known)}\n{','.join(known.values())}\n")
    pq.write_table(pa.Table.from_pylist([known]), tmp_path / "d.parquet")
    page = Page("1", f"<title>{known['title']}</title><p>{'A ferry sank in the harbour. ' * 9}".encode())
    for inputs in [*sorted(tmp_path.iterdir()), known, Article("1", "x", **KNOWN), page, "A text."]:
        read = Read(inputs if inputs != "A text." else [inputs], fields=Fields(about=about))
        assert tuple(read.about) == about
        plain = Read(inputs if inputs != "A text." else [inputs])
        assert plain.about == {}
        assert (plain.rows, plain.skipped) == (read.rows, read.skipped)


def test_a_parquet_column_that_is_not_asked_for_is_left_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["A ferry sank."], "title": ["Ferry"]}), path, use_dictionary=False)
    title = pq.read_metadata(path).row_group(0).column(1)
    damaged = bytearray(path.read_bytes())
    end = title.data_page_offset + title.total_compressed_size
    damaged[title.data_page_offset : end] = b"\xff" * title.total_compressed_size
    path.write_bytes(damaged)
    assert Read(path).texts == {f"{path}:1": "A ferry sank."}
    asked = Read(path, fields=Fields(about=("title",)))
    assert (asked.rows, len(asked.skipped)) == ([], 1)


def test_a_name_that_is_none_of_an_article_is_refused() -> None:
    with pytest.raises(errors.UsageError, match=r"expected names among title, .*, got title, lead"):
        sources.read([], fields=Fields(about=("title", "lead")))


def test_of_texts_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("Title\n\nText.")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"Text."))
    read = Read([tmp_path, "A bare text."], fields=ALL)
    assert read.about == {name: ["", "", ""] for name in ABOUT}
    pipe(monkeypatch, b"A text.")
    assert Read("-", fields=ALL).about == {name: [""] for name in ABOUT}


def test_what_is_known_of_a_page_comes_with_its_article(tmp_path: Path) -> None:
    sentences = "The harbour ferry sank on Tuesday morning, and all who were on board swam to the shore. " * 4
    content = f"""<html lang="en"><head><title>Ferry sinks</title><meta property="og:site_name" content="The Courier">
        <meta name="author" content="Ann Writer"><meta property="article:published_time" content="2021-01-05T09:00Z">
        </head><body><article><h1>Ferry sinks</h1><p>{sentences}<p>{sentences}</article></body></html>"""
    page = Page("p", content.encode(), "https://courier.test/1")
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page.content
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {page.url}\r\nContent-Length: {len(http)}\r\n\r\n"
    (tmp_path / "a.warc").write_bytes(head.encode() + http + b"\r\n\r\n")
    article = wirecopy.extract(page)
    assert (article.source, article.author, article.language) == ("The Courier", "Ann Writer", "en")
    for inputs in (page, tmp_path / "a.warc"):
        assert Read(inputs, fields=ALL).about == {name: [getattr(article, name) or ""] for name in ABOUT}


def test_what_other_tools_write_about_articles_is_known(tmp_path: Path) -> None:
    passim = {"id": "1", "text": "a", "series": "gazette", "date": "1842-10-09"}
    news_please = {
        "maintext": "b",
        "authors": ["Ann Writer", "Ben Penman"],
        "source_domain": "courier.test",
        "date_publish": "2021-01-05 09:00:00",
        "language": "en",
        "url": "https://courier.test/1",
    }
    trafilatura = {
        "text": "c",
        "author": "Ann Writer; Ben Penman",
        "hostname": "courier.test",
        "source-hostname": "The Courier",
        "source": "https://courier.test/1",
        "language": None,
    }
    bare = {"text": "d", "author": None, "sitename": "The Courier", "hostname": "courier.test", "url": "u"}
    newspaper: dict[str, Any] = {
        "text": "e",
        "authors": [],
        "meta_site_name": "The Courier",
        "publish_date": None,
        "link": "l",
    }
    records: list[dict[str, Any]] = [passim, news_please, trafilatura, bare, newspaper]
    (tmp_path / "a.jsonl").write_bytes(lines(*records))
    pq.write_table(
        pa.table({k: [one.get(k) for one in records] for one in records for k in one}), tmp_path / "b.parquet"
    )
    both = "Ann Writer; Ben Penman"
    for inputs in (tmp_path / "a.jsonl", tmp_path / "b.parquet", records):
        read = Read(inputs, fields=ALL)
        assert len(read.rows) == 5
        assert read.about["source"] == ["gazette", "courier.test", *["The Courier"] * 3]
        assert read.about["author"] == ["", both, both, "", ""]
        assert read.about["published"] == ["1842-10-09", "2021-01-05 09:00:00", "", "", ""]
        assert read.about["url"] == ["", "https://courier.test/1", "https://courier.test/1", "u", "l"]
        assert read.about["language"] == ["", "en", "", "", ""]


def test_the_name_of_a_source_is_no_address() -> None:
    asked = Fields(about=("url",))
    assert Read({"text": "x", "source": "The Courier"}, fields=asked).about == {"url": [""]}
    assert Read({"text": "x", "source": "https://a.test", "url": "b"}, fields=asked).about == {"url": ["b"]}


@pytest.mark.parametrize("name", ABOUT)
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *(
            (none, "")
            for none in (None, "", True, float("nan"), {"en": "Ferry"}, [], [5, None, {"name": "x"}])
        ),
        *((["Ann"], "Ann"), (["Ann", "", None, "Ben"], "Ann; Ben"), (["a\ud800"], "a\ufffd")),
        *((5, "5"), (1.5, "1.5"), (-0.0, "-0.0"), ("a\ud800 ", "a\ufffd ")),
    ],
)
def test_a_list_of_strings_is_joined_a_number_is_written_and_all_else_is_none(
    tmp_path: Path, name: str, value: Any, expected: str
) -> None:
    record = {"id": 1, "text": "x", name: value}
    (tmp_path / "a.jsonl").write_bytes(lines(record))
    (tmp_path / "b.json").write_text(json.dumps([record]))
    for inputs in (tmp_path / "a.jsonl", tmp_path / "b.json", record, Article("1", "x", **{name: value})):
        read = Read(inputs, fields=Fields(about=(name,)))
        assert (read.about, read.texts, read.skipped) == ({name: [expected]}, {"1": "x"}, [])


TITLED = Fields(about=("title",))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_arrow_titles_of_every_kind_of_text(kind: pa.DataType) -> None:
    titles = [b"Ferry", None, "naïve".encode(), b""]
    values = titles if kind == pa.binary() else [title and title.decode() for title in titles]
    column = pa.array(values, kind if not pa.types.is_dictionary(kind) else pa.string())
    table = pa.table({"title": column.cast(kind) if column.type != kind else column, "text": list("abcd")})
    assert Read(table, fields=TITLED).about["title"] == ["Ferry", "", "naïve", ""]
    assert Read(table.slice(2), fields=TITLED).about["title"] == ["naïve", ""]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([1, None]), ["1", ""]),
        (pa.array([1.5, float("nan")]), ["1.5", ""]),
        (pa.array([["Ann", None, "Ben"], []]), ["Ann; Ben", ""]),
        (pa.array([["Ann"], None], pa.large_list(pa.large_string())), ["Ann", ""]),
        (pa.array([True, None]), ["", ""]),
        (pa.array([{"en": "Ferry"}, None]), ["", ""]),
        (pa.nulls(2), ["", ""]),
        (pa.array([b"caf\xe9", b"tea"]), ["", "tea"]),
        (pa.array([date(2021, 1, 5), None]), ["2021-01-05", ""]),
        (pa.array([datetime(2021, 1, 5, 9), datetime(1842, 10, 9)]), ["2021-01-05T09:00", "1842-10-09"]),
        (pa.array([1609837200_123456789, None], pa.timestamp("ns")), ["2021-01-05T09:00:00.123456", ""]),
        (pa.array([1609837200, None], pa.timestamp("s", "Asia/Seoul")), ["2021-01-05T09:00Z", ""]),
    ],
    ids=lambda case: str(getattr(case, "type", "")),
)
def test_arrow_columns_of_every_kind_are_written_out(column: pa.Array, expected: list[str]) -> None:
    table = pa.table({"published": column, "author": column, "text": ["x", "y"]})
    read = Read(table, fields=Fields(about=("published", "author")))
    assert (read.about, len(read.rows)) == ({"published": expected, "author": expected}, 2)


def test_the_user_names_title_and_date(tmp_path: Path) -> None:
    record = {"id": 1, "title": "No", "headline": "Ferry sinks", "date": "No", "seen": "2021", "text": "x"}
    (tmp_path / "a.jsonl").write_bytes(lines(record))
    pq.write_table(pa.Table.from_pylist([record]), tmp_path / "b.parquet")
    named = Fields(title="headline", published="seen", about=("title", "published"))
    for inputs in (tmp_path / "a.jsonl", tmp_path / "b.parquet", record):
        assert Read(inputs, fields=named).about == {"title": ["Ferry sinks"], "published": ["2021"]}
        assert Read(inputs, fields=Fields(title="headline")).about == {}
    own = Article("1", "x", title="Its own", published="2022")
    assert Read(own, fields=named).about == {"title": ["Its own"], "published": ["2022"]}


def test_some_of_a_batch_are_taken_with_all_that_is_known() -> None:
    (unit,) = sources.read(
        [{"text": name, "title": name.upper()} for name in "abc"], fields=Fields(about=ABOUT)
    )
    taken = unit().take([2, 0])
    assert (taken.about["title"], taken.about["url"]) == (["C", "A"], ["", ""])
    assert texts((taken.text, taken.offsets)) == ["c", "a"]


def batch(*items: Any) -> Articles:
    (unit,) = sources.read(list(items), fields=TITLED)
    return unit()


def texts(read: tuple[Any, Any]) -> list[str]:
    text, offsets = read
    assert (text.dtype, offsets.dtype) == (np.uint8, np.int64)
    assert (offsets[0], offsets[-1]) == (0, len(text))
    return [bytes(text[offsets[row] : offsets[row + 1]]).decode() for row in range(len(offsets) - 1)]


@given(st.lists(st.tuples(st.none() | st.text(max_size=5), st.text(max_size=8)), min_size=1, max_size=6))
def test_titled_text_is_title_blank_line_text(pairs: list[tuple[str | None, str]]) -> None:
    articles = batch(*(Article(str(n), text, title) for n, (title, text) in enumerate(pairs)))
    before = texts((articles.text, articles.offsets))
    assert texts(articles.titled_text()) == [f"{title}\n\n{text}" if title else text for title, text in pairs]
    assert texts((articles.text, articles.offsets)) == before == [text for _, text in pairs]


def test_a_title_is_a_sentence() -> None:
    articles = batch({"title": "Ferry sinks", "text": "It sank. All swam."}, {"text": "It sank. All swam."})

    def sentences(delimiters: str, **separator: str) -> list[list[int]]:
        tokens = tokenise(*articles.titled_text(**separator), View(sentences=delimiters, title=True))
        assert tokens.sentences is not None
        assert tokens.sentence_offsets is not None
        return [part.tolist() for part in np.split(tokens.sentences, tokens.sentence_offsets[1:-1])]

    assert sentences("") == [[0, 2, 4], [0, 2]]
    assert sentences(".\n") == [[0, 2, 4], [0, 2]]
    assert sentences(".") == [[0, 4], [0, 2]]
    assert sentences(".", separator=".\n\n") == [[0, 2, 4], [0, 2]]


def test_titled_text_needs_titles_that_were_asked_for(tmp_path: Path) -> None:
    (unit,) = sources.read(["A text."])
    with pytest.raises(AssertionError, match="asked for"):
        unit().titled_text()
    (tmp_path / "empty.jsonl").touch()
    for unit in sources.read(tmp_path, fields=TITLED):
        assert texts(unit().titled_text()) == []
