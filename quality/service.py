"""A service loses nothing that it has acknowledged, however often it is killed while it adds, observes, removes and checks: see tests/killing.py."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from killing import live

from quality.report import Data, MissingError, Result, digest, say
from quality.texts import Writer
from wirecopy import Archive

KILLS = 200


def measure() -> Iterator[Result]:
    try:
        import litestar  # noqa: F401
    except ImportError:
        raise MissingError("the extra service is not installed: make develop") from None
    first = {"id": "first", "text": Writer(1).text(100)}
    wrong: list[str] = []
    acknowledged = checks = 0
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "news.db"
        with Archive.open(archive, create=True) as store:
            store.add([first])
        for number in range(KILLS):
            life = live(archive, number)
            wrong += life.wrong
            acknowledged += len(life.acknowledged)
            checks += life.checks
            if not (number + 1) % 20:
                say(f"  {number + 1} kills, {acknowledged:,} articles acknowledged")
    data = Data("made-up articles for services", f"{KILLS} kills", "made with them", digest([first["text"]]))
    measures = {
        "kills": KILLS,
        "articles acknowledged": acknowledged,
        "checks": checks,
        "lost or wrong": len(wrong),
    }
    yield Result("kill -9", data, measures, [f"    {line}" for line in wrong[:20]])
