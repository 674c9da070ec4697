"""Forty pairs to be judged, and those who judge them."""

from __future__ import annotations

from pathlib import Path

from program import wirecopy
from records import jsonl

from quality.texts import Writer
from wirecopy.archive.desk import Desk
from wirecopy.evaluation.judging import read_said

PAIRS = 40
GROUPS = 4
METHODS = ("codet", "simhash")
LABELS = (
    *(
        "identical",
        "near-duplicate",
        "contains",
        "contained-in",
        "partial",
        "form",
        "neither",
        "questionable",
    ),
)
JUDGES = ("ann-lindqvist", "ben-okafor", "cid-marchetti")


def write_archive(folder: Path) -> tuple[Path, dict[str, str]]:
    """An archive with a queue of forty pairs, and a token for each judge and for who looks after it."""
    writer = Writer(77)
    first = writer.text(60)
    articles = [{"id": "wire/0", "title": "The wire", "source": "Meridian Wire", "text": first}]
    for number in range(1, PAIRS + 1):
        own = writer.text(40)
        text = f"{first}\n\n{own}" if number % 3 else own
        articles.append({"id": f"post/{number}", "title": f"Post {number}", "source": "Post", "text": text})
    (folder / "articles.jsonl").write_bytes(jsonl(*articles))
    pool = [
        {
            "query": f"post/{number}",
            "found": "wire/0",
            "group": f"{number % GROUPS + 1}",
            "nominated": list(METHODS),
        }
        for number in range(1, PAIRS + 1)
    ]
    (folder / "pool.jsonl").write_bytes(jsonl(*pool))
    path = folder / "news.db"
    for command in (
        ("add", path, folder / "articles.jsonl", "-q"),
        ("judge", path, "--pool", folder / "pool.jsonl", "--export", folder / "none.jsonl", "-q"),
    ):
        ran = wirecopy(*command)
        assert ran.returncode == 0, ran.stderr
    scopes = dict.fromkeys(JUDGES, "judge") | {"admin": "admin", "reader": "read", "checker": "check"}
    with Desk(path) as desk:
        return path, {name: desk.tokens.make(name, [scope])[1] for name, scope in scopes.items()}


def read_stored(path: Path) -> list[dict[str, str]]:
    """The judgements of an archive, as its file has them."""
    with Desk(path) as desk:
        [queue] = desk.queues.all()
        return [one._asdict() for one in read_said(desk.queues.all_said(queue.number))]
