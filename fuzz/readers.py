"""What must hold of the readers whatever bytes they are given: no exception, and a place and a reason for all that is skipped.

`python fuzz/readers.py TARGET [libFuzzer's options and folders]` fuzzes one, and needs atheris; `tests/test_seeds.py` goes
over the seeds.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path


@cache
def _folder() -> Path:
    """A folder in which a sitemap finds one page."""
    folder = Path(tempfile.mkdtemp(prefix="wirecopy-fuzz-"))
    (folder / "a.html").write_text("<html><p>The tide was high at noon.</p></html>")
    return folder


def read(kind: str, data: bytes) -> None:
    """Read bytes as a file of pages of this kind, and take the articles out of them."""
    from wirecopy.sources import Fields
    from wirecopy.sources.kinds import kind_of
    from wirecopy.sources.paths import File
    from wirecopy.sources.web import Web

    web = Web(1 << 20)
    file = File(_folder() / f"given.{kind}", f"given.{kind}", f"given.{kind}", len(data))
    kind = "json feed" if kind == "xml" and kind_of(data) == "json feed" else kind
    for compression in ("", None):
        works = [*web.read(io.BytesIO(data), kind, compression, file), *web.finish()]
        for batch in (work.extract(Fields())() for work in works):
            assert all(skipped.where and skipped.reason for skipped in batch.skipped)
            bytes(batch.text).decode()


TARGETS: dict[str, Callable[[bytes], None]] = {
    "warc": partial(read, "warc"),
    "feeds": partial(read, "xml"),
    "sitemaps": partial(read, "xml"),
}


def main() -> None:
    """Fuzz the target named first; what follows is for libFuzzer."""
    import atheris

    with atheris.instrument_imports(include=["wirecopy", "feedparser"]):
        import wirecopy.sources.feeds
        import wirecopy.sources.web  # noqa: F401
    target = TARGETS[sys.argv.pop(1)]
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
