"""Writes a small archive in the format of the wirecopy that runs this: the fixture of `test_archive_formats.py`.

    python tests/formats/make.py tests/formats/5.archive

1.archive was written by 0.1.0 as it was when format 1 was the newest, 2.archive when format 2 was, 3.archive when format 3 was, 4.archive when format 4 was. Each later format gets an archive of its own, written before
the next migration is added; none is ever written again.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from quality.texts import Writer, join
from wirecopy import Archive
from wirecopy.archive import segments


def make_articles() -> list[dict[str, str]]:
    """Copies, a formula in many, and every field; all of it made up."""
    writer = Writer(1)
    story, formula = writer.write(60), writer.write(25)
    plain = [{"id": f"{number:02}", "text": join(writer.write(60) + formula)} for number in range(16)]
    about = {
        "title": "Snow closes “the pass” \0 again",
        "published": "2026-03-02T13:31:00Z",
        "source": "Evening Lantern",
        "author": "Ada Quill",
        "location": "Hollowmere",
        "language": "en",
        "url": "https://lantern.example/pass",
        "agency": "Northern Wire",
    }
    copies = [
        {"id": "first", "text": join(story), **about},
        {"id": "copy", "text": join(writer.edit(story, 0.03)), "published": "2026-03-04", "title": "Snow"},
        {"id": "part", "text": join(story[:30] + writer.write(40)), "published": "soon"},
    ]
    others = [{"id": "雪", "text": "昨天清晨河边小镇的面包店门前起了一阵骚动。"}, {"id": "empty", "text": ""}]
    return [*plain, *copies, *others, {"id": "gone", "text": join(story)}]


def main(path: Path) -> None:
    """Add in two calls, one segment a file and one in the store; replace and remove."""
    first, *rest = made = make_articles()
    with Archive.open(path, create=True) as archive:
        segments.IN_STORE_BYTES = 1 << 12
        archive.add([{**first, "text": "Other."}, *rest[:-2]])
        segments.IN_STORE_BYTES = 1 << 18
        archive.add(made, replace=True)
        archive.remove("gone")
        archive.learn()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
