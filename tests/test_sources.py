"""Articles come out of everything that holds some, and what is no article is named."""

import gzip
import io
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from reading import Read, micros, pipe
from records import jsonl

from wirecopy import _core, errors, sources
from wirecopy.errors import UsageError
from wirecopy.model import ABOUT, UNDATED, Article
from wirecopy.sources import Fields
from wirecopy.sources.unpacking import unpack, window_of

# Folders and text files


def test_a_folder_of_good_and_bad_files(tmp_path: Path) -> None:
    (tmp_path / "sub" / ".hidden").mkdir(parents=True)
    (tmp_path / "sub" / ".hidden" / "x.txt").write_text("hidden")
    (tmp_path / ".DS_Store").write_bytes(b"\0")
    (tmp_path / "sub" / "a.txt").write_text("Nested.")
    (tmp_path / "binary.dat").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "bom.txt").write_bytes(b"\xef\xbb\xbfMarked.")
    (tmp_path / "broken.txt").write_bytes(bytes(range(128, 256)) * 10)
    (tmp_path / "latin.txt").write_bytes("Café".encode("latin1"))
    (tmp_path / "empty.txt").touch()
    (tmp_path / "huge").write_text("word " * 10_000_000)
    (tmp_path / "pages.wacz").write_text("not looked at")
    (tmp_path / "photo.JPG").write_text("not looked at")
    (tmp_path / "records.jsonl").write_bytes(b"{\n[]\n{}\n" + jsonl({"id": "r", "text": "Recorded."}))
    (tmp_path / "wide.txt").write_bytes("Wíde.".encode("utf-16"))
    (tmp_path / "wider.txt").write_bytes("Wíder.".encode("utf-32"))
    (tmp_path / "late-nul.txt").write_bytes(b"x" * 9000 + b"\0")
    read = Read(tmp_path)
    assert read.texts == {
        "bom.txt": "Marked.",
        "huge": "word " * 10_000_000,
        "late-nul.txt": "x" * 9000 + "\0",
        "latin.txt": "Café",
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
    assert reasons[f"{tmp_path}/broken.txt"] == (
        "not a text, or in an encoding that cannot be told; name it, such as fields=Fields(encoding='latin1')"
    )
    assert reasons[f"{tmp_path}/empty.txt"] == "empty"
    assert "give the WARC files" in reasons[f"{tmp_path}/pages.wacz"]
    assert reasons[f"{tmp_path}/photo.JPG"] == "not a text: .JPG files are not read"
    assert sum(work.source_bytes for work in read.work) == sources.total_bytes(tmp_path)


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
    for path in (tmp_path / "no.jsonl", f"{tmp_path}/*.txt", [tmp_path, tmp_path / "no"], ""):
        with pytest.raises(errors.SourceError, match=r"no such file or folder|matches no file"):
            sources.read(path)


def test_a_file_that_cannot_be_opened_is_skipped(tmp_path: Path) -> None:
    for name in ("gone.txt", "gone.jsonl", "gone.parquet"):
        (tmp_path / name).symlink_to(tmp_path / "nowhere")
    (tmp_path / "here.txt").write_text("Here.")
    read = Read(tmp_path)
    assert read.texts == {"here.txt": "Here."}
    assert [reason for _, reason in read.skipped] == ["cannot be opened: No such file or directory"] * 3


def test_a_link_to_itself_in_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "a.txt").write_text("A text.")
    read = Read(tmp_path)
    assert list(read.texts) == ["a.txt"]
    assert read.skipped == [(f"{tmp_path}/self", "cannot be opened: Too many levels of symbolic links")]


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


@pytest.mark.parametrize("pattern", ["**/*.txt", "**", "**/*", "*/../**/*.txt", "**/**/a.txt"])
def test_links_to_folders_are_not_followed_below_two_stars(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "sub" / ".hidden").mkdir(parents=True)
    for name in ("a.txt", "sub/a.txt", "sub/.hidden/a.txt"):
        (tmp_path / name).write_text(name)
    (tmp_path / "sub" / "up").symlink_to("..")
    (tmp_path / "sub" / "up2").symlink_to("..")
    read = Read(f"{tmp_path}/{pattern}")
    assert sorted(read.texts.values()) == ["a.txt", "sub/a.txt"]
    reason = "a link to a folder is not followed; give it as an argument"
    assert [(Path(where).name, why) for where, why in read.skipped] == [("up", reason), ("up2", reason)]
    assert Read(f"{tmp_path}/sub/up*/*.txt").texts == {"up/a.txt": "a.txt", "up2/a.txt": "a.txt"}


def test_two_stars_name_only_what_they_match(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One.")
    (tmp_path / "dangling.html").symlink_to("nowhere")
    (tmp_path / "dangling.txt").symlink_to("nowhere")
    read = Read(f"{tmp_path}/**/*.txt")
    assert list(read.texts) == ["a.txt"]
    assert [Path(where).name for where, _ in read.skipped] == ["dangling.txt"]


def test_many_stars_cost_no_more_than_two(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*"abcdefghijklmnopqrstuvwxyz")
    deep.mkdir(parents=True)
    (deep / "a.txt").write_text("One.")
    assert Read(f"{tmp_path}/{'**/*/' * 8}**/**/**/**/a.txt").rows[0][0].endswith("z/a.txt")


def test_a_pipe_that_is_named_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(path.write_bytes, jsonl({"id": 1, "text": "Piped."}))
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
        "b.jsonl": jsonl({"id": "l", "text": "A line."}),
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


@pytest.mark.parametrize("content", [random.Random(1).randbytes(600_000), b"x" * 600_000], ids=["noise", "x"])
@pytest.mark.parametrize("checksum", [False, True])
@pytest.mark.parametrize("sized", [False, True])
def test_zstd_frames_of_every_size_are_read_to_their_end(content: bytes, checksum: bool, sized: bool) -> None:
    compressor = zstandard.ZstdCompressor(1, write_checksum=checksum, write_content_size=sized)
    for size in (0, 1, *(blocks * (128 << 10) + more for blocks in range(1, 5) for more in (-1, 0, 1))):
        stream = compressor.compressobj()
        frame = compressor.compress(content[:size])
        streamed = stream.compress(content[:size]) + stream.flush()
        for packed, times in ((frame, 1), (streamed, 1), (frame + streamed + frame, 3)):
            pieces = list(unpack(window_of(packed), "zst"))
            assert b"".join(pieces) == content[:size] * times
            assert max(map(len, pieces), default=0) <= 256 << 10


def test_large_zstd_frames_without_a_checksum_are_whole(tmp_path: Path) -> None:
    halves = [jsonl(*({"id": f"{half}{n}", "text": "x" * 400} for n in range(400))) for half in "ab"]
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(b"".join(map(zstandard.compress, halves)))
    read = Read(path)
    assert read.skipped == []
    assert len(read.rows) == 800


@pytest.mark.parametrize(("suffix", "compress"), [("gz", gzip.compress), ("zst", zstandard.compress)])
def test_what_stands_before_the_damage_counts(
    tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]
) -> None:
    rng = random.Random(2)
    data = jsonl(*({"id": n, "text": rng.randbytes(2000).hex()} for n in range(500)))
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
    packed = bytearray(gzip.compress(jsonl(*({"id": n, "text": "x" * n} for n in range(2000)))))
    packed[-8] ^= 1
    (tmp_path / "a.jsonl.gz").write_bytes(packed)
    assert "damaged gzip data" in Read(tmp_path).skipped[0][1]


def gzip_again(data: bytes) -> bytes:
    return gzip.compress(gzip.compress(data))


@pytest.mark.parametrize("compress", [gzip_again, lambda data: zstandard.compress(gzip.compress(data))])
def test_what_was_compressed_twice_is_unpacked_twice(
    tmp_path: Path, compress: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = f"<html><body><p>{'The tide was high at noon, and the boats went out. ' * 10}</p></body></html>"
    contents = {
        "page.html": page.encode(),
        "lines.jsonl": jsonl({"id": "l", "text": "A line."}),
        "note.txt": b"A text.",
        "unnamed": page.encode(),
    }
    suffix = "gz" if compress is gzip_again else "zst"
    for name, content in contents.items():
        (tmp_path / f"{name}.{suffix}").write_bytes(compress(content))
    (tmp_path / "saved.html").write_bytes(compress(page.encode()))
    read = Read(tmp_path)
    assert read.skipped == []
    texts = {id.partition(".")[0]: text[:8] for id, text, _ in read.rows}
    pages = dict.fromkeys(("page", "saved", "unnamed"), "The tide")
    assert texts == pages | {"l": "A line.", "note": "A text."}
    pipe(monkeypatch, compress(page.encode()))
    assert [text[:8] for _, text, _ in Read("-").rows] == ["The tide"]


def test_what_was_compressed_again_and_again_is_named(tmp_path: Path) -> None:
    data = b"<html><p>The tide was high."
    for _ in range(5):
        data = gzip.compress(data)
    (tmp_path / "a.html.gz").write_bytes(data)
    (tmp_path / "b.txt.gz").write_bytes(data)
    read = Read(tmp_path)
    assert read.rows == []
    reason = "compressed more than 4 times over; unpack it"
    assert sorted(read.skipped) == [(f"{tmp_path}/{name}.gz", reason) for name in ("a.html", "b.txt")]


BOMBS = {
    "lines.jsonl.zst": (b'{"text": "', b"a", b'"}\n{"id": "last", "text": "It is read."}\n'),
    "blanks.jsonl.zst": (b"", b" ", b""),
    "array.json.zst": (b"[", b"{},", b"{}]"),
    "text.txt.zst": (b"", b"a ", b""),
    "row.csv.zst": (b"id,text\n1,", b"a ", b""),
    "quoted.csv.zst": (b'id,text\n1,"', b"a\n", b""),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_few_bytes_that_unpack_to_a_giant_record_take_little_memory(tmp_path: Path, name: str) -> None:
    start, unit, end = BOMBS[name]
    path = tmp_path / name
    stream = zstandard.ZstdCompressor(1).compressobj()
    with path.open("wb") as out:
        out.write(stream.compress(start))
        for _ in range(400):
            out.write(stream.compress(unit * ((1 << 20) // len(unit))))
        out.write(stream.compress(end) + stream.flush())
    program = """
import re, sys
from pathlib import Path
from wirecopy import sources
batches = [work() for work in sources.read(sys.argv[1])]
print(int(re.search("VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) >> 10)
print(*(id for batch in batches for id in batch.ids))
print(*(skipped for batch in batches for skipped in batch.skipped), sep="\\n")
"""
    ran = subprocess.run(
        [sys.executable, "-c", program, path], capture_output=True, check=True, text=True, timeout=120
    )
    megabytes, ids, *skipped = ran.stdout.splitlines()
    assert int(megabytes) < 300
    assert ids == ("last" if name == "lines.jsonl.zst" else "")
    assert len(skipped) == 1
    assert "MB and more in one piece" in skipped[0]
    assert "unpack the file first" in skipped[0]


def test_a_large_file_of_many_records_may_be_as_dense_as_it_likes(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.zst"
    stream = zstandard.ZstdCompressor(1).compressobj()
    block = jsonl({"text": "The tide was high. " * 3000}) * 20
    with path.open("wb") as out:
        out.writelines(stream.compress(block) for _ in range(40))
        out.write(stream.flush())
    assert path.stat().st_size * 64 < 40 * len(block) > 32 << 20
    batches = [work() for work in sources.read([path])]
    assert sum(map(len, batches)) == 800
    assert not any(batch.skipped for batch in batches)


# Streams and Python objects


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


@pytest.mark.parametrize(
    ("table", "fields"),
    [
        ("id,text\n1,one\n2,two\n", {}),
        ('"date";"text";"id"\r\n2021-01-05;one;1\r\n;two;2', {}),
        ("\ufefftext\ttitle\tid\none\tx\t1\ntwo\ty\t2\n", {}),
        ("slug|story\n1|one\n2|two\n", {"id": "slug", "text": "story"}),
    ],
)
def test_a_table_on_stdin_is_known_by_its_header(
    monkeypatch: pytest.MonkeyPatch, table: str, fields: dict[str, Any]
) -> None:
    for data in (table.encode(), gzip.compress(table.encode()), table.lstrip("\ufeff").encode("utf-16")):
        pipe(monkeypatch, data)
        assert Read("-", fields=sources.Fields(**fields)).texts == {"1": "one", "2": "two"}


@pytest.mark.parametrize(
    "text", ["text", "text, id", "text and id\n", "title,lead\nx,y", "content,of,a,box\n", "\r,"]
)
def test_a_text_on_stdin_is_not_taken_for_a_table(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    pipe(monkeypatch, text.encode())
    assert Read("-").texts == {"-": text}


def test_parquet_and_arrow_are_read_from_files_with_a_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = io.BytesIO()
    pq.write_table(pa.table({"id": ["p"], "text": ["In a column."]}), table)
    pipe(monkeypatch, table.getvalue())
    (tmp_path / "file").write_bytes(b"ARROW1\0\0")
    reason = "Parquet or Arrow; give it as a file whose name ends with .parquet, .arrow or .feather"
    assert Read([Path("-"), tmp_path]).skipped == [("-", reason), (f"{tmp_path}/file", reason)]


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
        ("record:1", "no text field: found keys title; name it with fields=Fields(text=…)"),
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


# Encodings


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("latin1", "Der Gemeinderat hat über die Brücke beschlossen; die Bürger müssen länger fahren."),
        ("cp1251", "Совет города решил продать старый паром, который ходил через пролив двадцать лет."),
        ("shift_jis", "町議会は古い渡し船を売ることを決めた。海峡を二十年渡ってきた船である。"),
        ("utf-16-le", "The council has sold the old ferry, which crossed the sound for twenty years."),
    ],
)
def test_a_text_file_is_in_what_it_looks_like(tmp_path: Path, encoding: str, text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(text.encode(encoding))
    assert Read(path).texts == {"a.txt": text}


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.csv.gz", "a.txt"])
def test_an_encoding_that_is_named_is_that_of_records_and_texts(tmp_path: Path, name: str) -> None:
    record = '{"id": "x", "text": "Çok güzel şey"}'
    content = {"a.json": f"[{record}]", "a.jsonl": record, "a.txt": "Çok güzel şey"}.get(
        name, "id,text\nx,Çok güzel şey\n"
    )
    data = content.encode("cp1254")
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    assert list(Read(path, fields=Fields(encoding="cp1254")).texts.values()) == ["Çok güzel şey"]


def test_what_is_not_in_the_named_encoding_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "caf\xe9"}\n')
    assert Read(path, fields=Fields(encoding="ascii")).skipped[0][1].startswith("not ASCII as was said: ")


def test_a_byte_order_mark_counts_more_than_the_named_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Çok".encode("utf-8-sig"))
    assert Read(path, fields=Fields(encoding="latin1")).texts == {"a.txt": "Çok"}


# Dates in a form that is named, and fields under other names


@pytest.mark.parametrize("kind", ["jsonl", "json", "csv", "table", "dict"])
def test_dates_are_read_by_the_form_that_is_named(tmp_path: Path, kind: str) -> None:
    rows = [
        {"text": f"text {number}", "date": date}
        for number, date in enumerate(["03/04/2021", "2021-05-06", "soon"])
    ]
    path = tmp_path / f"a.{kind}"
    if kind == "jsonl":
        path.write_bytes(jsonl(*rows))
    elif kind == "json":
        path.write_text(json.dumps(rows))
    else:
        path.write_text("text,date\n" + "".join(f"{row['text']},{row['date']}\n" for row in rows))
    given = {"table": pa.Table.from_pylist(rows), "dict": rows}.get(kind, path)
    unknown = Read(given)
    assert [unknown.rows[0][2], unknown.remarks.example] == [UNDATED, "03/04/2021"]
    read = Read(given, fields=Fields(date_format="%d/%m/%Y", about=("published",)))
    assert [published for _, _, published in read.rows] == [micros(2021, 4, 3), micros(2021, 5, 6), UNDATED]
    assert read.about["published"] == ["2021-04-03T00:00:00", "2021-05-06", "soon"]
    assert (read.unreadable_dates, read.remarks.example) == (1, "soon")


@pytest.mark.parametrize(
    "bad", [Fields(date_format="%Q"), Fields(date_format="%"), Fields(encoding="latin99")]
)
def test_a_form_or_encoding_that_there_is_not_is_refused(bad: Fields) -> None:
    with pytest.raises(UsageError, match="expected one such as"):
        sources.read(["text"], fields=bad)


def test_every_field_can_stand_under_another_name(tmp_path: Path) -> None:
    names = {
        name: f"my_{name}"
        for name in ("text", "id", "published", "title", "source", "author", "language", "url")
    }
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl({own: f"a {name}" for name, own in names.items()}))
    read = Read(path, fields=Fields(**names, about=ABOUT))
    known = {name: ["a " + name] for name in names if name not in ("id", "text")}
    assert read.about == {"location": [""], "agency": [""], **known}
    assert (read.texts, read.missing) == ({"a id": "a text"}, [])
    assert Read(path, fields=Fields(text="my_text", author="writer", about=ABOUT)).missing == ["writer"]


def test_empty_texts_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl(*({"text": text} for text in ("", " \n", "a", "\u3000"))))
    assert Read(path).remarks.empty_texts == 2
    assert Read([{"text": ""}, "a"]).remarks.empty_texts == 1
