"""HTTP responses, as WARC files keep them: what is a page, and its body whatever it is wrapped in; bombs stay small."""

import gzip
import os
import random
import subprocess
import sys
import zlib
from pathlib import Path

import brotli
import pytest
import zstandard
from pages import END, PACK, PAGE, ReadPages, names, page, reasons, record, response


@pytest.mark.parametrize(
    ("content_type", "charset"),
    [
        ("text/html charset=utf-8", "utf-8"),
        ('"text/html"', None),
        ('"text/html; charset=utf-8"', "utf-8"),
        (", text/html", None),
        ("text/html,text/html", None),
        ("; charset=utf-8", "utf-8"),
        ("charset=utf-8", "utf-8"),
    ],
)
def test_a_page_is_one_whatever_the_form_of_its_type(
    tmp_path: Path, content_type: str, charset: str | None
) -> None:
    (tmp_path / "a.warc").write_bytes(record("response", "u:1", response(PAGE, content_type=content_type)))
    (only,) = ReadPages(tmp_path).pages
    assert (only.content, only.charset) == (PAGE, charset)


def deflate(data: bytes) -> bytes:
    return zlib.compress(data)


def bare_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def chunked(data: bytes, size: int = 7) -> bytes:
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    return b"".join(b"%X; x=y\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"Content_Encoding": "gzip"}, gzip.compress(PAGE)),
        ({"Content_Encoding": "X-GZIP"}, gzip.compress(PAGE[:9]) + gzip.compress(PAGE[9:])),
        ({"Content_Encoding": "deflate"}, deflate(PAGE)),
        ({"Content_Encoding": "deflate"}, bare_deflate(PAGE)),
        ({"Content_Encoding": "br"}, brotli.compress(PAGE)),
        ({"Content_Encoding": "zstd"}, zstandard.compress(PAGE)),
        ({"Content_Encoding": "deflate, br , identity,gzip"}, gzip.compress(brotli.compress(deflate(PAGE)))),
        # Compressed once more than the headers say.
        ({"Content_Encoding": "gzip"}, gzip.compress(gzip.compress(PAGE))),
        ({}, zstandard.compress(gzip.compress(PAGE))),
        ({"Transfer_Encoding": "chunked"}, chunked(PAGE)),
        ({"Transfer_Encoding": "chunked", "Content_Encoding": "gzip"}, chunked(gzip.compress(PAGE))),
        # Crawlers take encodings off and leave the headers.
        ({"Transfer_Encoding": "chunked"}, PAGE),
        *(({"Content_Encoding": name}, PAGE) for name in ("gzip", "deflate", "br", "zstd")),
    ],
    ids=lambda given: None if isinstance(given, dict) else f"{len(given)} bytes",
)
def test_encodings_are_taken_off(tmp_path: Path, headers: dict[str, str], body: bytes) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(record("response", "u:1", response(body, **headers)) + END)
    read = ReadPages(path)
    assert read.skipped == []
    assert read.pages[0].content == PAGE


def test_large_zstd_frames_without_a_checksum_are_whole(tmp_path: Path) -> None:
    body = PAGE + b"x" * 150_000
    pages = {"file.html.zst": body, "file.warc.zst": record("response", "u:file", response(body)) + END}
    for name, content in pages.items():
        (tmp_path / name).write_bytes(zstandard.compress(content))
    block = response(zstandard.compress(body), Content_Encoding="zstd")
    (tmp_path / "body.warc").write_bytes(record("response", "u:body", block) + END)
    read = ReadPages(tmp_path)
    assert read.skipped == []
    assert read.contents == dict.fromkeys(("u:body", "file.html.zst", "u:file"), body)


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_a_broken_body_is_one_skipped_record_unless_it_is_known_to_be_cut(tmp_path: Path, name: str) -> None:
    rng = random.Random(3)
    text = b"<p>" + rng.randbytes(200_000).hex().encode()
    pack = {"gzip": gzip.compress, "deflate": deflate, "br": brotli.compress, "zstd": PACK[".zst"]}
    body = pack[name](text)
    short = response(body[: len(body) * 9 // 10], Content_Encoding=name)
    broken = response(body[:5000] + b"?" * 500 + body[5500:], Content_Encoding=name)
    path = tmp_path / "a.warc"
    path.write_bytes(
        record("response", "u:short", short)
        + END
        + record("response", "u:broken", broken)
        + END
        + record("response", "u:cut", short, WARC_Truncated="length")
        + END
        + page("good")
    )
    read = ReadPages(path)
    assert names(read) in (["u:cut", "good"], ["u:broken", "u:cut", "good"] if name == "br" else [])
    assert read.skipped[0][1].startswith(f"damaged content encoding {name}: ")
    assert text.startswith(read.contents["u:cut"])


@pytest.mark.parametrize(
    ("headers", "body", "reason"),
    [
        (
            {"Transfer_Encoding": "chunked"},
            chunked(PAGE)[:-5],
            "the body ends early: its last chunk is missing",
        ),
        (
            {"Transfer_Encoding": "chunked"},
            chunked(PAGE)[:-8],
            "the body ends early: its last chunk is missing",
        ),
        (
            {"Content_Length": str(len(PAGE) + 7)},
            PAGE,
            f"the body ends early: Content-Length {len(PAGE) + 7}, {len(PAGE)} bytes are there",
        ),
    ],
)
def test_a_body_that_ends_early_is_one_skipped_record_unless_it_is_known_to_be_cut(
    tmp_path: Path, headers: dict[str, str], body: bytes, reason: str
) -> None:
    path = tmp_path / "a.warc"
    block = response(body, **headers)
    path.write_bytes(
        record("response", "u:1", block) + END + record("response", "u:2", block, WARC_Truncated="time") + END
    )
    read = ReadPages(path)
    assert reasons(read) == [(0, reason)]
    assert names(read) == ["u:2"]
    assert PAGE.startswith(read.contents["u:2"])


@pytest.mark.parametrize(
    "headers",
    [
        # The length is that of the body as it was encoded; of a page with its end, some other.
        {"Content_Encoding": "gzip", "Content_Length": "5000"},
        {"Transfer_Encoding": "chunked", "Content_Length": "5000"},
        {"Content_Length": "10"},
        {"Content_Length": "9" * 5000},
        {"Content_Length": "5000, 5000"},
        {"Content_Length": "5000", "X_End": "</html>"},
    ],
    ids=str,
)
def test_a_length_that_says_nothing_is_no_damage(tmp_path: Path, headers: dict[str, str]) -> None:
    body = PAGE + headers.get("X_End", "").encode()
    (tmp_path / "a.warc").write_bytes(record("response", "u:1", response(body, **headers)) + END)
    read = ReadPages(tmp_path)
    assert read.skipped == []
    assert read.pages[0].content == body


def test_odd_encodings_are_named(tmp_path: Path) -> None:
    blocks = [
        response(b"x", Content_Encoding="exi"),
        response(b"x", Content_Encoding="gzip," * 5),
        response(b"1\r\nx\r\n" * 500_002, Transfer_Encoding="chunked"),
        response(b"2\r\nxy\r\nwhat\r\n", Transfer_Encoding="chunked"),
    ]
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(record("response", "u:1", block) + END for block in blocks))
    assert [reason for _, reason in reasons(ReadPages(path))] == [
        "the content encoding 'exi' is not read; known are gzip, deflate, br, zstd",
        "5 content encodings, more than the 4 that are read",
        "more than 500,000 chunks",
        "damaged chunked encoding at byte 7 of the body",
    ]


def test_without_brotli_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "brotli", None)
    path = tmp_path / "a.warc"
    block = response(brotli.compress(PAGE), Content_Encoding="br")
    path.write_bytes(record("response", "u:1", block) + END + page("good"))
    read = ReadPages(path)
    assert names(read) == ["good"]
    assert "pip install 'wirecopy[pages]'" in read.skipped[0][1]


BOMBS = r"""
import gzip, sys, zlib
from pathlib import Path
import brotli, zstandard
from pages import PACK, ReadPages, record, response

def bomb(kind, size, head=b""):
    packer = {
        "gzip": lambda: zlib.compressobj(1, wbits=31), "deflate": lambda: zlib.compressobj(1),
        "zstd": lambda: zstandard.ZstdCompressor(1).compressobj(), "br": lambda: brotli.Compressor(quality=1),
    }[kind]()
    feed = packer.process if kind == "br" else packer.compress
    parts = [feed(head), *(feed(bytes(1 << 20)) for _ in range(size >> 20))]
    return b"".join(parts) + (packer.finish() if kind == "br" else packer.flush())

def good(name):
    return PACK[".gz"](record("response", f"good {name}", response(b"<p>Good")) + b"\r\n\r\n")

def page(body, encoding):
    return PACK[".gz"](record("response", encoding, response(body, Content_Encoding=encoding)) + b"\r\n\r\n")

path = Path(sys.argv[1])
with path.open("wb") as file:
    for kind in ("gzip", "deflate", "br", "zstd"):
        file.write(page(bomb(kind, 60 << 20), kind) + good(kind))
    file.write(page(gzip.compress(bomb("gzip", 60 << 20)), "gzip, gzip") + good("twice"))
    for kind in ("gzip", "zstd"):
        head = record("response", kind, response(b""), Content_Length=str(300 << 20))
        file.write(bomb(kind, 300 << 20, head) + good(f"{kind} member"))
read = ReadPages(path)
# getrusage would count the process that started this one, too.
peak = Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]
print(len(read.pages), int(peak) >> 10)
print(*(reason for _, reason in read.skipped), sep="\n")
"""


def test_bombs_stay_small_and_harm_nobody_else(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", BOMBS, tmp_path / "a.warc.gz"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    first, *said = ran.stdout.splitlines()
    pages, megabytes = map(int, first.split())
    assert pages == 7
    assert megabytes < 300
    assert said[:5] == ["larger than 20,000,000 bytes, the limit for a page"] * 5
    assert "of nothing that is read" in said[5]
