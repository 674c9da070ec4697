"""Of a WARC file all intact records come out, and all damage is named with its place."""

import gzip
import io
import random
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard
from pages import END, PACK, PAGE, ReadPages, names, page, reasons, record, response, warc

from wirecopy import cli
from wirecopy.model import Page
from wirecopy.sources import web
from wirecopy.sources.unpacking import GZIP, ZSTD

KINDS = list(PACK)


@pytest.mark.parametrize("suffix", KINDS)
def test_a_cut_file_gives_all_records_before_the_cut(tmp_path: Path, suffix: str) -> None:
    data, records = warc(suffix, 256 << 10)
    path = tmp_path / f"a.warc{suffix}"
    assert len(records) >= 40
    for cut in range(1 << 10, len(data) + 1, 1 << 10):
        path.write_bytes(data[:cut])
        read = ReadPages(path)
        assert list(read.contents) == [one.id for one in records if one.is_page and one.end <= cut]
        torn = [one for one in records if one.start < cut < one.next]
        assert [where for where, _ in read.skipped] == [f"{path}:{one.start}" for one in torn]
        assert all("ends" in reason for _, reason in read.skipped)
        assert sum(work.source_bytes for work in read.work) == cut


@pytest.mark.parametrize("suffix", KINDS)
def test_zeros_harm_only_the_records_they_hit(tmp_path: Path, suffix: str) -> None:
    data, records = warc(suffix, 256 << 10)
    path = tmp_path / f"a.warc{suffix}"
    for at in range(0, len(data), 1999):
        zeroed = data[:at] + bytes(len(data[at : at + 1000])) + data[at + 1000 :]
        path.write_bytes(zeroed)
        read = ReadPages(path)
        # A gzip member ends with zeros of its own, which zeros do not harm.
        intact = [one for one in records if zeroed[one.start : one.end] == data[one.start : one.end]]
        assert list(read.contents) == [one.id for one in intact if one.is_page]
        touched = [one for one in records if zeroed[one.start : one.next] != data[one.start : one.next]]
        assert read.skipped
        for where, _ in read.skipped:
            name, _, offset = where.rpartition(":")
            assert name == str(path)
            assert any(one.start <= int(offset) < one.next for one in touched)


def test_what_is_known_of_a_page(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    block = response(b"<p>Caf\xe9", content_type='Text/HTML; Charset="iso-8859-1"')
    path.write_bytes(record("response", "<https://example.org/>", block) + END)
    (page,) = ReadPages(path).pages
    assert page == Page(
        "https://example.org/",
        b"<p>Caf\xe9",
        "https://example.org/",
        "2026-03-01T12:00:00Z",
        "iso-8859-1",
    )


def test_an_address_that_comes_again_gets_its_place_as_id(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(page("x") + page("y") + page("x"))
    (tmp_path / "b.warc").write_bytes(page("x"))
    read = ReadPages(tmp_path)
    again = [f"{path}:{2 * len(page('x'))}", f"{tmp_path}/b.warc:0"]
    assert list(read.contents) == ["https://example.org/x", "https://example.org/y", *again]
    assert {one.url for one in read.pages} == {"https://example.org/x", "https://example.org/y"}
    assert read.wheres[2:] == again


@pytest.mark.parametrize("suffix", KINDS)
def test_only_pages_are_pages(tmp_path: Path, suffix: str) -> None:
    http = "application/http; msgtype=response"
    records = [
        record("warcinfo", "", b"software: none", Content_Type="application/warc-fields"),
        page("html"),
        record("response", "u:xhtml", response(PAGE, content_type="application/xhtml+xml")),
        record("response", "u:typeless", response(PAGE, content_type="")),
        record("response", "u:typeless-text", response(b"Text", content_type="")),
        record("response", "u:image", response(b"\x89PNG", content_type="image/png")),
        record("response", "u:gone", response(PAGE, "404 Not Found")),
        record("response", "u:moved", response(PAGE, "301 Moved")),
        record("response", "dns:example.org", b"x", Content_Type="text/dns"),
        record("response", "u:odd", PAGE),
        record("response", "u:empty", response(b"")),
        record("resource", "file:a.html", PAGE, Content_Type="text/html; charset=koi8-r"),
        record("resource", "file:a.css", b"a {}", Content_Type="text/css"),
        record("resource", "file:b", PAGE, Content_Type=""),
        record("revisit", "u:again", response(b""), Content_Type=http),
        record("metadata", "u:about", PAGE, Content_Type="text/html"),
        record("request", "u:asked", b"GET / HTTP/1.0"),
    ]
    path = tmp_path / f"a.warc{suffix}"
    path.write_bytes(b"".join(PACK[suffix](one + END) for one in records))
    read = ReadPages(path)
    assert names(read) == ["html", "u:xhtml", "u:typeless", "file:a.html", "file:b"]
    assert read.pages[3].charset == "koi8-r"
    assert [reason for _, reason in read.skipped] == ["not an HTTP response", "empty"]
    assert read.left_out == {"HTTP status 404": 1, "HTTP status 301": 1}


@pytest.mark.parametrize(
    "repeated", ["WARC-Type: response", "WARC-Type: x", "Content-Type: application/http", "Content-Length: 1"]
)
@pytest.mark.parametrize("suffix", KINDS)
def test_of_a_repeated_header_of_a_record_the_first_counts(
    tmp_path: Path, repeated: str, suffix: str
) -> None:
    doubled = page("a").replace(b"\r\n\r\n", f"\r\n{repeated}\r\n\r\n".encode(), 1)
    (tmp_path / f"a.warc{suffix}").write_bytes(PACK[suffix](doubled) + PACK[suffix](page("b")))
    read = ReadPages(tmp_path)
    assert (names(read), read.skipped) == (["a", "b"], [])
    assert list(read.contents) == ["https://example.org/a", "https://example.org/b"]


@pytest.mark.parametrize("suffix", KINDS)
def test_whatever_is_done_to_a_file_only_true_pages_come_out(tmp_path: Path, suffix: str) -> None:
    rng = random.Random(11)
    data, _ = warc(suffix, 16 << 10)
    path = tmp_path / f"a.warc{suffix}"
    path.write_bytes(data)
    true = set(ReadPages(path).contents.values())
    for _ in range(150):
        torn = bytearray(data)
        for _ in range(rng.randrange(1, 5)):
            at, other = rng.randrange(len(torn)), rng.randrange(len(torn))
            junk = [
                b"",
                rng.randbytes(9),
                b"WARC/1.0\r\n",
                GZIP + b"\0",
                ZSTD,
                bytes(torn[other : other + 500]),
            ]
            torn[at : at + rng.choice([0, 1, 300])] = rng.choice(junk)
        path.write_bytes(torn)
        read = ReadPages(path)
        assert {page.content for page in read.pages} <= true
        assert read.skipped or len(read.pages) >= len(true)


def test_an_empty_file_and_one_that_is_no_warc(tmp_path: Path) -> None:
    for name, data in {
        "a.warc": b"",
        "b.warc": b"{}\n" * 1000,
        "c.warc.gz": b"<html>" * 1000,
        "d.warc.gz": gzip.compress(b"text") * 1000,
        "e.warc.zst": zstandard.compress(b"text"),
        "f.warc": b"\r\n" * 100,
        "g.warc.gz": b"\x1f\x8b\x08\0" * 100_000,
        "h.warc": b"WARC/1.0\r\n",
    }.items():
        (tmp_path / name).write_bytes(data)
    read = ReadPages(tmp_path)
    assert read.pages == []
    said = [(Path(where).name, reason) for where, reason in read.skipped]
    assert said[0] == ("a.warc:0", "empty")
    assert said[1] == (
        "b.warc:0",
        "no WARC record here: expected 'WARC/', got '{}\\n{}\\n{}\\n{}\\n{}\\n{'",
    )
    assert [name for name, _ in said[2:]] == [
        "c.warc.gz:0",
        "d.warc.gz:0",
        "e.warc.zst:0",
        "f.warc:0",
        "g.warc.gz:0",
        "h.warc:0",
    ]
    assert said[5][1] == "no WARC record in the file"


def test_a_warc_without_pages_is_fine(tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(record("warcinfo", "", b"") + END)
    read = ReadPages(tmp_path)
    assert (read.pages, read.skipped) == ([], [])


@pytest.mark.parametrize("length", [str(1 << 60), "9" * 5000, "-1", "", "12x", "\u0663", "0x10"])
@pytest.mark.parametrize("suffix", KINDS)
def test_an_absurd_length_harms_its_record_only(tmp_path: Path, suffix: str, length: str) -> None:
    path = tmp_path / f"a.warc{suffix}"
    parts = [page("a"), page("b", Content_Length=length), page("c"), page("d")]
    packed = [PACK[suffix](part) for part in parts]
    path.write_bytes(b"".join(packed))
    read = ReadPages(path)
    assert names(read) == ["a", "c", "d"]
    ((offset, reason),) = reasons(read)
    assert offset == len(packed[0])
    assert "Content-Length" in reason


@pytest.mark.parametrize("wrong", [-30, -1, 1, 30, 700])
@pytest.mark.parametrize("suffix", KINDS)
@pytest.mark.parametrize("digest", [{}, {"WARC_Block_Digest": ""}])
def test_a_wrong_length_harms_its_record_only(
    tmp_path: Path, suffix: str, wrong: int, digest: dict[str, str]
) -> None:
    path = tmp_path / f"a.warc{suffix}"
    length = len(response(PAGE)) + wrong
    parts = [page("a"), page("b", Content_Length=str(length), **digest), page("c"), page("d")]
    path.write_bytes(b"".join(PACK[suffix](part) for part in parts))
    read = ReadPages(path)
    # Without checksum or digest, a record that is too short is one with garbage behind it.
    doubtful = not suffix and digest and wrong < 30
    assert [name for name in names(read) if name != "b" or not doubtful] == ["a", "c", "d"]
    if not doubtful:
        assert reasons(read)[0][0] == len(PACK[suffix](parts[0]))


def test_headers_without_end_are_limited(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(page("a") + b"WARC/1.0\r\n" + b"X: y\r\n" * 100_000 + page("b"))
    read = ReadPages(path)
    assert names(read) == ["a", "b"]
    assert reasons(read) == [(len(page("a")), "the record's header has no end")]


@pytest.mark.parametrize("suffix", KINDS)
def test_records_that_claim_each_other_cost_no_square(tmp_path: Path, suffix: str) -> None:
    nest = b"".join(
        b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 2000000\r\n\r\n" for _ in range(60_000)
    )
    path = tmp_path / f"a.warc{suffix}"
    path.write_bytes(PACK[suffix](nest) + PACK[suffix](page("good")))
    read = ReadPages(path)
    assert names(read)[-1] == "good"
    assert len(read.skipped) < 30_000, "not every one of them was looked into"


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_garbage_between_members_is_named_and_left_out(tmp_path: Path, suffix: str) -> None:
    first, second, third = (PACK[suffix](page(name)) for name in "abc")
    path = tmp_path / f"a.warc{suffix}"
    path.write_bytes(first + b"garbage" * 50_000 + second + third[: len(third) // 2] + first[:-1] + third)
    read = ReadPages(path)
    assert names(read) == ["a", "b", "c"]
    start = len(first) + 350_000 + len(second)
    assert [offset for offset, _ in reasons(read)] == [len(first), start]


def test_a_wrong_checksum_makes_a_bad_record(tmp_path: Path) -> None:
    members = [bytearray(PACK[".gz"](page(name))) for name in "abc"]
    members[1][-8] ^= 1
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(members))
    read = ReadPages(path)
    assert names(read) == ["a", "c"]
    ((offset, reason),) = reasons(read)
    assert offset == len(members[0])
    assert reason.startswith("damaged gzip data after byte")


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_many_records_may_share_a_member(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.warc{suffix}"
    inner = b"".join(page(str(n), **({"Content_Length": "7"} if n == 3 else {})) for n in range(100))
    path.write_bytes(PACK[suffix](inner) + PACK[suffix](page("last")))
    read = ReadPages(path)
    assert names(read) == [*(str(n) for n in range(100) if n != 3), "last"]
    start = sum(len(page(str(n))) for n in range(3))
    assert [where for where, _ in read.skipped] == [f"{path}:0+{start}"]
    assert read.wheres[1] == f"{path}:0+{len(page('0'))}"


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_of_a_long_member_only_the_end_is_lost(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.warc{suffix}"
    long, records = warc("", 1 << 20)
    torn = bytearray(PACK[suffix](long))
    torn[-1 if suffix == ".zst" else -8] ^= 1
    path.write_bytes(torn + PACK[suffix](page("last")))
    read = ReadPages(path)
    ids = [one.id for one in records if one.is_page]
    assert list(read.contents)[:-1] == ids[: len(read.pages) - 1]
    assert len(read.pages) > len(ids) * 2 // 3
    assert names(read)[-1] == "last"
    assert [where for where, _ in read.skipped][-1].startswith(f"{path}:0")


@pytest.mark.parametrize("packed", [False, True])
def test_zstd_with_a_dictionary(tmp_path: Path, packed: bool) -> None:
    rng = random.Random(5)
    dictionary = zstandard.ZstdCompressionDict(rng.randbytes(5000) + page("x"))
    packer = zstandard.ZstdCompressor(dict_data=dictionary)
    payload = dictionary.as_bytes()
    payload = zstandard.compress(payload) if packed else payload
    frame = b"\x5d\x2a\x4d\x18" + len(payload).to_bytes(4, "little") + payload
    other = b"\x50\x2a\x4d\x18" + (9).to_bytes(4, "little") + b"skip this"
    path = tmp_path / "a.warc.zst"
    path.write_bytes(frame + packer.compress(page("a")) + other + packer.compress(page("b")))
    read = ReadPages(path)
    assert (names(read), read.skipped) == (["a", "b"], [])
    path.write_bytes(packer.compress(page("a")))
    assert "damaged zstd data" in ReadPages(path).skipped[0][1]


@pytest.mark.parametrize(
    "dictionary",
    [
        (0xEC30A437).to_bytes(4, "little") + b"\1\2\3\4" * 20,
        zstandard.compress(b"x" * 1000)[:-3],
        zstandard.compress(bytes(17 << 20)),
    ],
)
def test_a_damaged_dictionary_is_named_and_the_rest_is_read(tmp_path: Path, dictionary: bytes) -> None:
    path = tmp_path / "a.warc.zst"
    frame = b"\x5d\x2a\x4d\x18" + len(dictionary).to_bytes(4, "little") + dictionary
    path.write_bytes(frame + zstandard.compress(page("a")))
    (tmp_path / "b.warc").write_bytes(page("b"))
    read = ReadPages(tmp_path)
    assert names(read) == ["a", "b"]
    ((where, reason),) = read.skipped
    assert where == f"{path}:0"
    assert "zstd d" in reason


@pytest.mark.parametrize("piped", [False, True])
@pytest.mark.parametrize("length", [0xFFFFFF, 0xFFFFFFFF])
def test_zstd_data_to_be_skipped_swallows_no_more_than_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piped: bool, length: int
) -> None:
    first, second, third = (PACK[".zst"](page(name)) for name in "abc")
    frame = b"\x5e\x2a\x4d\x18" + length.to_bytes(4, "little") + b"abc"
    path = tmp_path / "a.warc.zst"
    for behind, expected in (
        (second + third, ["a", "b", "c"]),
        (b"", ["a"]),
        (b"x" * 300_000 + third, ["a", "c"]),
    ):
        data = first + frame + behind
        path.write_bytes(data)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        read = ReadPages("-" if piped else path)
        assert names(read) == expected
        ((offset, reason),) = reasons(read)
        assert offset == len(first)
        assert reason.startswith("the file ends in the middle of ")


@pytest.mark.parametrize("behind", [b"", zstandard.compress(b"The second half.")])
def test_a_page_that_ends_in_data_to_be_skipped_is_damaged(tmp_path: Path, behind: bytes) -> None:
    frame = b"\x5e\x2a\x4d\x18" + (0xFFFFFF).to_bytes(4, "little") + b"abc"
    (tmp_path / "a.html.zst").write_bytes(zstandard.compress(PAGE) + frame + behind)
    read = ReadPages(tmp_path)
    assert read.pages == []
    assert "to be skipped, from byte" in read.skipped[0][1]
    whole = b"\x5e\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
    (tmp_path / "a.html.zst").write_bytes(zstandard.compress(PAGE) + whole)
    assert ReadPages(tmp_path).contents == {"a.html.zst": PAGE}


def test_kinds_may_be_mixed_and_names_may_be_wrong(tmp_path: Path) -> None:
    data = b"".join(
        PACK[suffix](page(suffix + "1") + page(suffix + "2")) for suffix in ("", ".gz", "", ".zst")
    )
    for name in ("a.warc", "b.warc.gz", "c.warc.zst", "d"):
        path = tmp_path / name
        path.write_bytes(data)
        read = ReadPages(path)
        assert (len(read.pages), read.skipped) == (8, [])


@pytest.mark.parametrize("suffix", KINDS)
def test_a_warc_through_a_pipe(monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    first, second, third = (PACK[suffix](page(name)) for name in "abc")

    def pipe(data: bytes) -> ReadPages:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return ReadPages("-")

    assert names(pipe(first + second + third)) == ["a", "b", "c"]
    read = pipe(first + second[:-20] + third)
    assert names(read) == ["a", "c"]
    assert [where for where, _ in read.skipped] == [f"-:{len(first)}"]


def test_lenient_line_ends_and_versions(tmp_path: Path) -> None:
    block = response(PAGE)
    loose = b"WARC/0.18\nWARC-Type: response\nwarc-target-uri: u:\n 1\nContent-Length: %d\n\n%s\n\n"
    path = tmp_path / "a.warc"
    path.write_bytes(loose % (len(block), block) + page("a"))
    read = ReadPages(path)
    assert (names(read), read.skipped) == (["u: 1", "a"], [])


def test_a_page_above_the_limit_is_one_skipped_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "MAX_PAGE_BYTES", 1000)
    huge = [
        record("response", "u:1", response(b"<p>" + b"x" * 1000)) + END,
        record("response", "u:2", response(b"<p>" + b"x" * 1_000_000)) + END,
        record("resource", "u:3", b"x" * 1_000_000, Content_Type="image/png") + END,
    ]
    for suffix in KINDS:
        path = tmp_path / f"a.warc{suffix}"
        path.write_bytes(b"".join(PACK[suffix](part) for part in [*huge, page("good")]))
        read = ReadPages(path)
        assert names(read) == ["good"]
        assert [reason for _, reason in read.skipped] == ["larger than 1,000 bytes, the limit for a page"] * 2


def test_damage_ends_find_with_exit_code_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], plain_extraction: Any
) -> None:
    data, records = warc(".gz", 32 << 10)
    path = tmp_path / "a.warc.gz"
    path.write_bytes(data[:-100])
    monkeypatch.setattr(sys, "argv", ["wirecopy", "find", str(path)])
    with pytest.raises(SystemExit) as exit_:
        cli.main()
    assert exit_.value.code == 3
    said = capsys.readouterr().err
    assert f"skipped: {path}:{records[-1].start}: the gzip data ends in the middle" in said
    assert f"{len([one for one in records[:-1] if one.is_page])} articles" in said
