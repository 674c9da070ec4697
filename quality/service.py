"""A service loses nothing that it has acknowledged, however often it is killed while it adds, observes, removes, checks, is told judgements and tells others: see tests/killing.py."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from killing import Life, conclude, live, prepare
from receivers import receiving

from quality.report import Data, MissingError, Result, digest, say
from quality.texts import Writer

KILLS = 200


def measure() -> Iterator[Result]:
    try:
        import litestar  # noqa: F401
    except ImportError:
        raise MissingError("the extra service is not installed: make develop") from None
    wrong: list[str] = []
    lives: list[Life] = []
    with tempfile.TemporaryDirectory() as folder, receiving() as receiver:
        archive = Path(folder) / "news.db"
        prepare(archive, receiver)
        for number in range(KILLS):
            lives.append(live(archive, number, receiver))
            wrong += lives[-1].wrong
            if not len(lives) % 20:
                say(
                    f"  {len(lives)} kills, {sum(len(one.acknowledged) for one in lives):,} articles acknowledged"
                )
        wrong += conclude(archive, lives, receiver)
        ids = receiver.ids
    data = Data(
        "made-up articles for services", f"{KILLS} kills", "made with them", digest([Writer(1).text(100)])
    )
    measures = {
        "kills": len(lives),
        "articles acknowledged": sum(len(one.acknowledged) for one in lives),
        "checks": sum(one.checks for one in lives),
        "judgements acknowledged": sum(len(one.judged) for one in lives),
        "messages delivered": len(set(ids)),
        "delivered again, under the same id": len(ids) - len(set(ids)),
        "lost or wrong": len(wrong),
    }
    yield Result("kill -9", data, measures, [f"    {line}" for line in wrong[:20]])
