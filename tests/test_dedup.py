"""One of each: records as they came, without those that a kept one covers."""

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
import zstandard
from program import talk, wirecopy
from records import jsonl, lines
from test_stories import reprints, write

import wirecopy as library
from quality.texts import Writer, join
from wirecopy.matching import compare_more
from wirecopy.matching.collection import open_pool

Record = dict[str, Any]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """An article, a copy of it, a longer one that holds it, a near copy of that, and two of nobody else."""
    writer = Writer(61)
    words = writer.write(120)
    longer = [*writer.write(30), *words, *writer.write(60)]
    texts = [words, words, longer, writer.edit(longer, 0.02), writer.write(100), writer.write(90)]
    return [
        {"id": f"r{n}", "text": join(one), "published": f"2024-03-{n + 1:02}", "note": f'"{n}", é', "n": n}
        for n, one in enumerate(texts)
    ]


def kept_ids(data: bytes) -> list[str]:
    return [one["id"] for one in lines(data)]


def test_json_lines_are_copied_byte_by_byte(records: list[Record], tmp_path: Path) -> None:
    given = [json.dumps(one, indent=None, separators=(" ,", ": ")).encode() for one in records]
    (tmp_path / "in.jsonl").write_bytes(b"\n".join(given))
    out, dropped = tmp_path / "out.jsonl", tmp_path / "dropped.jsonl"
    ran = wirecopy("dedup", tmp_path / "in.jsonl", "-o", out, "--dropped", dropped)
    assert ran.returncode == 0, talk(ran)
    assert "6 articles, 3 left out, 3 written to" in talk(ran)
    left = {one["article"]: one for one in lines(dropped.read_bytes())}
    assert set(left) == {"r0", "r1"} | ({"r2", "r3"} & set(left))
    keeper = ({"r2", "r3"} - set(left)).pop()
    assert all(one["kept"] == keeper and one["covered"] >= 0.8 for one in left.values())
    expected = [line for line, one in zip(given, records, strict=True) if one["id"] not in left]
    assert out.read_bytes() == b"\n".join(expected) + b"\n"


def test_the_earliest_is_kept_where_asked_but_not_what_another_holds_whole(
    records: list[Record], tmp_path: Path
) -> None:
    (tmp_path / "in.jsonl").write_bytes(jsonl(*records))
    wirecopy("dedup", tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl", "--keep", "earliest")
    assert kept_ids((tmp_path / "out.jsonl").read_bytes()) == ["r2", "r4", "r5"]


def test_every_format_comes_back_as_it_was(records: list[Record], tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(records, indent=2))
    table = pyarrow.Table.from_pylist(records)
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]))
    writer.writeheader()
    writer.writerows(records)
    (tmp_path / "a.csv").write_text(text.getvalue())
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(jsonl(*records)))
    (tmp_path / "a.jsonl.zst").write_bytes(zstandard.compress(jsonl(*records)))
    (tmp_path / "b.json").write_bytes(jsonl(*records))
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "c.jsonl").write_bytes(jsonl(*records))
    for name in ("a.json", "a.parquet", "a.csv", "a.jsonl.gz", "a.jsonl.zst", "b.json", "below"):
        out = tmp_path / f"out-{name}"
        ran = wirecopy("dedup", tmp_path / name, "-o", out, "--keep", "earliest")
        assert ran.returncode == 0, talk(ran)
    kept = [records[n] for n in (2, 4, 5)]
    assert json.loads((tmp_path / "out-a.json").read_bytes()) == kept
    back = pyarrow.parquet.read_table(tmp_path / "out-a.parquet")
    assert back.to_pylist() == kept
    assert back.schema == table.schema
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out-a.csv").read_text())))
    assert rows == [{name: str(value) for name, value in one.items()} for one in kept]
    assert lines(gzip.decompress((tmp_path / "out-a.jsonl.gz").read_bytes())) == kept
    packed = (
        zstandard.ZstdDecompressor().decompressobj().decompress((tmp_path / "out-a.jsonl.zst").read_bytes())
    )
    assert lines(packed) == kept
    assert lines((tmp_path / "out-b.json").read_bytes()) == kept
    assert lines((tmp_path / "out-below" / "c.jsonl").read_bytes()) == kept


def test_a_folder_of_texts_becomes_a_folder(records: list[Record], tmp_path: Path) -> None:
    for one in records:
        place = tmp_path / "in" / one["id"][:1] / f"{one['id']}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(one["text"])
    ran = wirecopy("dedup", tmp_path / "in", "-o", tmp_path / "out")
    assert ran.returncode == 0, talk(ran)
    copied = sorted((tmp_path / "out").rglob("*.txt"))
    assert len(copied) == 3
    for path in copied:
        assert path.read_bytes() == (tmp_path / "in" / path.relative_to(tmp_path / "out")).read_bytes()
    assert wirecopy("dedup", tmp_path / "in", "-o", tmp_path / "out").returncode == 2


def test_what_cannot_be_written_back_is_refused(records: list[Record], tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(jsonl(*records))
    (tmp_path / "in.txt").write_text(records[0]["text"])
    wirecopy("add", tmp_path / "news.db", tmp_path / "in.jsonl")
    out = tmp_path / "out"
    for wrong, said in (
        ([tmp_path / "in.jsonl", tmp_path / "in.txt"], "one kind of files"),
        (["-"], "read twice"),
        ([tmp_path / "news.db"], "is an archive"),
    ):
        ran = wirecopy("dedup", *wrong, "-o", out, input=b"")
        assert ran.returncode == 2
        assert said in talk(ran)
        assert not out.exists()


def test_all_days_of_a_form_are_kept() -> None:
    writer = Writer(62)
    form, slots = writer.write(80), range(5, 75, 12)
    days = [
        [str(writer.random.randint(100, 9999)) if n in slots else word for n, word in enumerate(form)]
        for _ in range(30)
    ]
    records = [
        {"id": f"{day:02}", "text": join(words), "published": f"2024-03-{day + 1:02}"}
        for day, words in enumerate(days)
    ]
    assert len(library.stories(records).keep_one().articles) == 30


def test_a_late_reprint_of_a_form_does_not_cost_what_was_filled_in_since() -> None:
    writer = Writer(65)
    form, slots = writer.write(80), range(5, 75, 12)
    days = [
        join([str(writer.random.randint(100, 9999)) if n in slots else word for n, word in enumerate(form)])
        for _ in range(12)
    ]
    records = [
        {"id": f"{day:02}", "text": text, "published": f"2024-03-{day + 1:02}T08:00:00Z", "source": "Wire"}
        for day, text in enumerate(days)
    ]
    # Hours before the report of the day: of the reprint that is an update, of the report of an earlier day a form.
    late = {"id": "late", "text": days[3], "published": "2024-03-07T02:00:00Z", "source": "Courier"}
    matches = {(one.query, one.found): str(one.relation) for one in library.find([*records, late])}
    assert matches["06", "late"] == "near-duplicate"
    assert matches["06", "03"] == "form"
    kept = library.stories([*records, late]).keep_one()
    assert [(one.article, one.kept) for one in kept.dropped] == [("late", "03")]


@pytest.mark.parametrize("keep", ["longest", "earliest"])
def test_whatever_is_left_out_is_covered_by_something_kept_and_nothing_kept_by_another(keep: str) -> None:
    records = write([*reprints(150), *reprints(40, seed=63), Writer(64).write(100)])
    matches = library.find(records)
    stories = library.stories(matches)
    kept = stories.keep_one(keep)
    assert len(kept.articles) + len(kept.dropped) == len(records)
    ranks = {id: rank for rank, id in enumerate(stories.ids)}
    inside = set(kept.articles)
    assert all(one.kept in inside and one.article not in inside for one in kept.dropped)
    pairs = [(ranks[one.article], ranks[one.kept]) for one in kept.dropped]
    pairs += [(one, other) for one in map(ranks.get, kept.articles) for other in map(ranks.get, kept.articles) if one > other]  # type: ignore[operator,misc]  # fmt: skip
    with open_pool(1) as pool:
        sides = [np.array(side, np.uint32) for side in zip(*pairs, strict=True)]
        compared = compare_more(matches, (sides[0], sides[1]), pool)
    left_out = len(kept.dropped)
    assert (compared.query_covered[:left_out] >= 0.8).all()
    shares = np.maximum(compared.query_covered, compared.found_covered)[left_out:]
    assert (shares < 0.8).all()
    assert not library.stories([one for one in records if one["id"] in inside]).keep_one(keep).dropped


def test_closure_keeps_nothing() -> None:
    with pytest.raises(library.WirecopyError, match="not by closure"):
        library.stories(write(reprints(3)), rule="closure").keep_one()
