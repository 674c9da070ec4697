"""JSON lines: what is read, which dates are known, and which lines are named."""

import gzip
import json
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from reading import Read, micros
from records import jsonl
from reference import jsonl as twin

from wirecopy import _core, sources
from wirecopy.model import UNDATED
from wirecopy.sources import Fields, work

# The kernel and its twin

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
    text, offsets, ids, published, other_dates, about, line_numbers, (bad, which, reasons) = _core.read_jsonl(
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
    assert (rows, bad.tolist()) == twin.read_jsonl(
        data, *NAMES, about_names, lambda date: int(_core.moments([date])[0])
    )
    assert len(which) == len(bad)
    assert set(which.tolist()) == set(range(len(reasons)))
    assert all(reasons)
    assert len(set(reasons)) == len(reasons)


@settings(max_examples=300, deadline=None)
@given(st.lists(json_lines() | TOKENS, max_size=4).map(b"\n".join))
def test_columns_are_what_json_loads_reads(data: bytes) -> None:
    names = ("text", "id", "x", "title")
    columns, line_numbers, (bad, which, reasons) = _core.read_columns(
        np.frombuffer(data, np.uint8), names, 1 << 20
    )
    expected, expected_bad = twin.read_columns(data, names)
    assert (line_numbers.tolist(), bad.tolist()) == ([line for line, _ in expected], expected_bad)
    assert set(which.tolist()) == set(range(len(reasons)))
    for number, (text, offsets) in enumerate(columns):
        for row, (_, values) in enumerate(expected):
            value, got = values[number], bytes(text[offsets[row] : offsets[row + 1]]).decode()
            if isinstance(value, str) or value is None:
                assert got == twin.whole(value or "")
            else:  # an array, an object, true or false, as it is written
                assert json.loads(got) == json.loads(got, object_pairs_hook=dict)
                assert (got in ("true", "false")) == isinstance(value, bool)
                assert isinstance(value, bool) or got[0] == ("{" if isinstance(value, twin.Pairs) else "[")


@settings(max_examples=500, deadline=None)
@given(ISH_DATES)
def test_iso_dates_are_read_as_the_twin_reads_them(text: str) -> None:
    expected = twin.iso_microseconds(text)
    assert expected in (None, _core.moments([text])[0])


@given(
    st.datetimes(datetime(1000, 1, 1)).map(lambda moment: moment.replace(microsecond=0)),
    st.sampled_from(["%d-%b-%Y", "%B %d, %Y", "%d.%m.%Y", "%Y/%m/%d", "%d %b %Y", "%A, %d %B %Y", "%Y%m%d"]),
    st.sampled_from([" %H:%M:%S", " %I:%M:%S %p", ", %H:%M:%S UTC", "T%H:%M:%SZ", " %H:%M:%S +0000"]),
)
def test_any_moment_in_a_common_form_is_read_back(moment: datetime, day: str, time: str) -> None:
    assume(not 2500 <= moment.year <= 2650)  # Thailand's years
    text = moment.strftime(day + time)
    assert (
        _core.moments([text.upper(), text]).tolist()
        == [(moment - datetime(1970, 1, 1)) // datetime.resolution] * 2
    )


@given(st.datetimes(), st.sampled_from(["T", " "]))
def test_what_datetime_writes_is_read(moment: datetime, separator: str) -> None:
    expected = (moment - datetime(1970, 1, 1)) // (datetime.resolution)
    assert _core.moments([moment.isoformat(separator)])[0] == expected


def test_an_rfc_2822_date_is_read(tmp_path: Path) -> None:
    dates = [
        "Tue, 05 Jan 2021 10:00:00 +0100",
        "5 Jan 2021 09:00:00 GMT",
        "Tue, 5 Jan 2021 04:00 EST (winter)",
    ]
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl(*({"text": "x", "date": date} for date in dates)))
    read = Read(path)
    assert [published for _, _, published in read.rows] == [micros(2021, 1, 5, 9)] * 3
    assert read.unreadable_dates == 0


def test_another_date_skips_nothing_and_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    odd = ["yesterday", "5/1/2021", 16098, True, [], {}, "Tue, 45 Jan 2021 10:00:00 +0100", "2021"]
    path.write_bytes(jsonl(*({"text": "x", "date": date} for date in [*odd, None, "", " "])))
    read = Read(path)
    assert [published for _, _, published in read.rows] == [UNDATED] * (len(odd) + 3)
    assert (read.unreadable_dates, read.remarks.example) == (len(odd), "yesterday")
    assert read.skipped == []


def test_old_newspapers_have_dates(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl({"text": "x", "date": "1842-10-09"}))
    assert Read(path).rows[0][2] == micros(1842, 10, 9)


# Files


def test_three_bad_lines_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        jsonl({"id": "a", "text": "one"})
        + b'{"id": "b", "text": "two"\n\n'
        + b'{"id": "c", "text": "caf\xe9"}\n'
        + jsonl({"id": "d", "headline": "x", "lead": "y"}, {"id": 5, "text": "five"})
    )
    read = Read(path)
    assert read.texts == {"a": "one", "5": "five"}
    assert read.skipped == [
        (f"{path}:2", "not JSON: expected ',' or '}' at byte 25 of the line"),
        (
            f"{path}:4",
            "not UTF-8 at byte 24 of the line; name its encoding, such as fields=Fields(encoding='latin1')",
        ),
        (f"{path}:5", "no text field: found keys id, headline, lead; name it with fields=Fields(text=…)"),
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
    path.write_bytes(jsonl({"id": id, "text": "x"}))
    assert "not a string or a number" in Read(path).skipped[0][1]


def test_windows_line_ends_and_a_byte_order_mark_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b"\xef\xbb\xbf" + jsonl({"id": 1, "text": "a"}, {"id": 2, "text": "b"}).replace(b"\n", b"\r\n")
    )
    assert Read(path).texts == {"1": "a", "2": "b"}
    path.write_bytes(b"\xff\xfe" + '{"id": 1, "text": "é"}\r\n'.encode("utf-16-le"))
    assert Read(path).texts == {"1": "é"}


def test_the_names_of_other_tools_are_known(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        jsonl(
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
    path.write_bytes(jsonl({"key": 7, "lead": "x", "text": "y", "day": "2021-01-05"}, {"text": "y"}))
    read = Read(path, fields=Fields(text="lead", id="key", published="day"))
    assert read.rows == [("7", "x", micros(2021, 1, 5))]
    assert read.skipped == [
        (
            f"{path}:2",
            "no text field 'lead': found keys text; did you mean fields=Fields(text='text')?",
        )
    ]


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
        jsonl(*good[:20]) + b"\n{broken\n\r\n" + jsonl(*good[20:]) + b'{"text": "the last has no line end"}'
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
        jsonl({"id": 1, "text": "a"}, {"text": "x" * 5000}, {"id": 3, "text": "c"}, {"text": "x" * 5000})
    )
    read = Read(path, batch_bytes=batch_bytes)
    assert read.texts == {"1": "a", "3": "c"}
    reason = "longer than 1000 bytes; cut it into records"
    assert read.skipped == [(f"{path}:2", reason), (f"{path}:4", reason)]
    assert sum(work.source_bytes for work in read.work) == path.stat().st_size


def test_a_record_of_50_mb_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl({"id": 1, "text": "x" * 50_000_000}, {"id": 2, "text": "y"}))
    assert {id: len(text) for id, text, _ in Read(path).rows} == {"1": 50_000_000, "2": 1}
