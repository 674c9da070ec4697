"""A service under requests of every shape for as long as that takes: `python quality/soak.py [--requests N]`, 50,000 by default; or, with
`--minutes 60`, under a steady load of all that it does, as `steady.py` says.

Of the requests half come with a token and half without. Exit code 1 if one is answered with 500 or more, or not as the description says, or if
memory, open files or threads go on growing once a fifth of the requests is made. Of the minutes the last third is held against the second sixth.
"""

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)
sys.path.append(str(ROOT / "tests"))

from fuzzing import fuzz  # noqa: E402
from services import Served, make_token, serving  # noqa: E402

from quality.steady import live  # noqa: E402
from quality.texts import Writer  # noqa: E402
from wirecopy import Archive  # noqa: E402

PARTS = 10
MOST = {"MB": (1.25, 0), "files": (1.1, 0), "threads": (1, 6)}
"""So many times as much as after the second part there may be at the end, and so many more: memory is also what the archive has grown by,
and Python starts up to six threads to look up names, one when all are busy."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=50_000, metavar="N")
    parser.add_argument("--minutes", type=float, metavar="N", help="a steady load of all it does, instead")
    given = parser.parse_args()
    requests = given.requests
    if given.minutes:
        return live_for(given.minutes)
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "news.db"
        writer = Writer(1)
        with Archive.open(archive, create=True) as store:
            store.add([{"id": f"{number}", "text": writer.text(200)} for number in range(2000)])
        token = make_token(archive, "admin")
        with serving(archive, "--quiet", "--no-deliver", "--rate", 1_000_000, token=token) as served:
            return soak(served, requests)


def live_for(minutes: float) -> int:
    with tempfile.TemporaryDirectory() as folder:
        wrong = live(Path(folder), minutes)
    print("\n".join(wrong) or f"{minutes:g} minutes: nothing grew, nothing was lost")
    return int(bool(wrong))


def soak(served: Served, requests: int) -> int:
    made, sizes = 0, []
    for part in range(PARTS):
        done, wrong = fuzz(served, requests // PARTS, examples=60, has_token=part % 2 == 0)
        made += done
        sizes.append(measure(served.process.pid))
        print(
            f"{made:,} requests: " + ", ".join(f"{number:,.0f} {what}" for what, number in sizes[-1].items()),
            flush=True,
        )
        if wrong or (faults := [line for line in served.said if '"fault"' in line]):
            print(wrong or "\n".join(faults))
            return 1
    grown = [what for what, (times, more) in MOST.items() if sizes[-1][what] > times * sizes[1][what] + more]
    print(
        f"{made:,} requests, none answered with 500 or more, or not as described"
        + f"; grown: {grown}" * bool(grown)
    )
    return int(bool(grown))


def measure(process: int) -> dict[str, float]:
    """The memory, open files and threads of a process."""
    told = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    files = len(list(Path(f"/proc/{process}/fd").iterdir()))
    return {"MB": int(told["VmRSS"].split()[0]) / 1024, "files": files, "threads": int(told["Threads"])}


if __name__ == "__main__":
    sys.exit(main())
