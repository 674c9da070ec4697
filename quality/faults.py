"""What an archive, and work in a folder, have to survive: processes that are killed, calls that fail, a full disk, damaged files.

Work on an archive is done by a process of its own, which says what it was told is on disk; strace ends it at a chosen system call,
or lets the call fail. What is left is compared with what was said. This proves the death of a process, not the loss of
power: what the kernel had taken is still there afterwards, and what a disk loses of it when the current goes is not shown.
"""

import contextlib
import ctypes
import json
import os
import random
import re
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import wirecopy
from quality.texts import vocabulary
from wirecopy import Archive, cli
from wirecopy.archive import Found, marks, segments
from wirecopy.boilerplate import Learnt
from wirecopy.errors import MismatchError, WirecopyError
from wirecopy.pile import stored

ROOT = Path(__file__).resolve().parents[1]
Row = dict[str, str]
State = dict[str, str]
"""The live articles: text by id."""

LINE_BYTES = 1024
ADD_ARTICLES, ADD_BATCHES = 200, 4
CALLS = (
    *("openat", "mkdir", "mkdirat", "write", "pwrite64", "writev", "fsync", "fdatasync", "ftruncate"),
    *("fallocate", "rename", "renameat", "renameat2", "unlink", "unlinkat"),
)
"""System calls that write, or open or make what is to be written."""
CLEAR = re.compile(r".+: .+; .+")
"""An error that says where, what and the way out."""


class NotPossibleError(Exception):
    """This machine does not let a process be traced, or a file system be mounted; says why."""


class FaultError(AssertionError):
    """The archive is not as it has to be."""


def require(holds: object, what: str) -> None:
    if not holds:
        raise FaultError(what)


# Articles


def make_articles(number: int, seed: int | str = 6, words: int = 60, hours: float = 1) -> list[Row]:
    """Made-up articles, one an hour; every fifth has most of an earlier one, which makes some of it boilerplate in a few seeds."""
    rng = random.Random(seed)
    known = vocabulary(rng, 20_000)
    texts: list[list[str]] = []
    for place in range(number):
        if place % 5 == 4:
            earlier = rng.choice(texts[-200:])
            texts.append(earlier[: words * 2 // 3] + rng.choices(known, k=words // 3))
        else:
            texts.append(rng.choices(known, k=words))
    return [
        {"id": f"{seed}-{place:06}", "published": _hour(place * hours), "text": " ".join(text)}
        for place, text in enumerate(texts)
    ]


def _hour(hours: float) -> str:
    return (datetime(2024, 1, 1) + timedelta(minutes=int(hours * 60))).isoformat() + "Z"


def state_of(articles: Sequence[Row]) -> State:
    return {article["id"]: article["text"] for article in articles}


def write_lines(path: Path, articles: Sequence[Row]) -> Path:
    """JSON lines of one length, so that bytes that were read say how many articles these are."""
    lines = (json.dumps(article).ljust(LINE_BYTES - 1) + "\n" for article in articles)
    path.write_text("".join(lines), "utf-8")
    require(path.stat().st_size == LINE_BYTES * len(articles), "an article is longer than its line")
    return path


# Work that is interrupted; each piece of it says on stdout what it was told is on disk


def small_segments(fan: int = 3) -> None:
    """Every segment is a file, and so many of a size are merged."""
    segments.IN_STORE_BYTES = 0
    segments.FAN = fan


class Step(NamedTuple):
    """A step of a churn."""

    kind: str
    articles: Sequence[Row] = ()
    now: str = ""

    def run(self, archive: Archive) -> None:
        ids = [article["id"] for article in self.articles]
        if self.kind == "add":
            archive.add(list(self.articles))
        elif self.kind == "replace":
            archive.add(list(self.articles), replace=True)
        elif self.kind == "observe":
            archive.observe(list(self.articles))
        elif self.kind == "remove":
            archive.remove(ids)
        elif self.kind == "expire":
            archive.expire(now=self.now)
        else:
            archive.compact()

    def states(self, before: State, dates: Mapping[str, str]) -> list[State]:
        """What may be there from before the step until after it, dates being those of all articles."""
        if self.kind in ("add", "replace", "observe"):
            whole = before | state_of(self.articles)
            newest = max(dates[id] for id in whole)
            return [before, whole, _within(whole, newest, dates)]
        if self.kind == "remove":
            gone = {article["id"] for article in self.articles}
            return [before, {id: text for id, text in before.items() if id not in gone}]
        if self.kind == "expire":
            return [before, _within(before, self.now, dates)]
        return [before]


WINDOW_DAYS = 20


def _within(state: State, now: str, dates: Mapping[str, str]) -> State:
    first = datetime.fromisoformat(now) - timedelta(days=WINDOW_DAYS)
    return {id: text for id, text in state.items() if datetime.fromisoformat(dates[id]) >= first}


def make_churn(number: int, seed: int) -> list[Step]:
    """The life of an archive: articles come in batches for twice its window; after each some are replaced, removed, expire, or it is compacted.

    Every fourth ends with a formula, one of eight, each of which is in use for an eighth of the time.
    """
    rng = random.Random(seed)
    hours = 24 * 2 * WINDOW_DAYS / number
    articles = make_articles(number, seed, hours=hours)
    formulas = [one["text"] for place, one in enumerate(make_articles(9, f"{seed}", words=30)) if place != 4]
    for place, article in enumerate(articles):
        if place % 4 == 0:
            article["text"] += " " + formulas[8 * place // number]
    steps = []
    for start in range(0, number, number // 40):
        batch = articles[start : start + number // 40]
        steps.append(Step("add", batch))
        kind = rng.choice(["remove", "replace", "expire", "expire", "compact"])
        if kind == "remove":
            steps.append(Step(kind, rng.sample(batch, 3)))
        elif kind == "replace":
            changed = [article | {"text": article["text"] + " corrected"} for article in rng.sample(batch, 3)]
            steps.append(Step(kind, changed))
        else:
            steps.append(Step(kind, now=_hour(hours * (start + number // 10))))
    return [*steps, Step("compact")]


def make_forgetting(articles: Sequence[Row]) -> list[Step]:
    """Some articles are removed, others expire, and it is compacted."""
    return [Step("remove", articles[40:160:3]), Step("expire", now=_hour(24 * 25)), Step("compact")]


STREAMED = 8


def make_streaming(articles: Sequence[Row]) -> list[Step]:
    """The last articles come one by one, each a copy of an earlier one, and others go: removed, and as the window has moved on."""
    fresh, old = articles[-STREAMED:], articles[30:-STREAMED]
    copies = [one | {"text": old[place]["text"]} for place, one in enumerate(fresh)]
    removed = [Step("remove", [one]) for one in old[: STREAMED // 4]]
    return [*(Step("observe", [one]) for one in copies), *removed]


def add_file(archive: str, source: str, again: bool) -> None:
    """Add a file in four batches."""
    size = ADD_ARTICLES // ADD_BATCHES * LINE_BYTES

    def add(opened: Archive) -> None:
        opened.add(source, batch_bytes=size, progress=lambda stage, done, total: _say(done=done // size))
        _say(done=ADD_BATCHES)

    _bear(archive, add, again)


def forget(archive: str, source: str, again: bool) -> None:
    """Go through a forgetting of the articles of a file."""
    with Path(source).open(encoding="utf-8") as lines:
        steps = make_forgetting([json.loads(line) for line in lines])

    def run(opened: Archive) -> None:
        for place, step in enumerate(steps):
            step.run(opened)
            _say(done=place + 1)

    _bear(archive, run, again)


def stream(archive: str, source: str, again: bool) -> None:
    """Let the last articles of a file come one by one, and others go."""
    with Path(source).open(encoding="utf-8") as lines:
        steps = make_streaming([json.loads(line) for line in lines])

    def run(opened: Archive) -> None:
        for place, step in enumerate(steps):
            step.run(opened)
            _say(done=2 * (place + 1))

    _bear(archive, run, again)


def file_anew(archive: str, source: str, again: bool) -> None:
    """File the articles of an archive anew, whose words were read in another way."""

    def run(opened: Archive) -> None:
        opened.learn()
        _say(done=1)

    _bear(archive, run, again)


def _bear(archive: str, work: Callable[[Archive], None], again: bool) -> None:
    """Work on an archive. After an error look at what is there and, if asked to, do the work once more."""
    small_segments()
    with Archive.open(
        archive, create=True, threads=1
    ) as opened:  # strace stops at every call of every thread
        try:
            work(opened)
        except WirecopyError as error:
            _say(error=str(error))
            _say(seen=[article.id for article in opened.articles()], length=count_indexed(opened))
            if not again:
                raise
            work(opened)


def count_indexed(archive: Archive) -> int:
    """How many articles the index has; before they are filed anew, how many there are."""
    try:
        archive._index.catch_up()
    except MismatchError:
        return len(archive)
    return len(archive._index.rows)


def churn(archive: str, number: int, seed: int, first: int) -> None:
    """Live through a churn from a step on."""
    small_segments()
    with Archive.open(archive, create=True, window=f"{WINDOW_DAYS}d") as opened:
        for place, step in enumerate(make_churn(number, seed)):
            if place >= first:
                step.run(opened)
                _say(step=place)


def grow(archive: str, source: str, batch_articles: int) -> None:
    """Add a large file, and compact."""
    with Archive.open(archive) as opened:
        size = batch_articles * LINE_BYTES
        opened.add(source, batch_bytes=size, progress=lambda stage, done, total: _say(done=done // size))
        _say(compacting=True)
        opened.compact()


def find_in_folder(pile: str, work: str, out: str, parts: int) -> None:
    """Find what is copied in a file, in a folder, keys in so many parts."""
    stored.PARTS = parts
    options = ["--work", work, "--memory", "1MB", "--threads", "1", "--jsonl", "--quiet", "-o", out]
    cli.app.main(["find", pile, *options], standalone_mode=False)


WORK: dict[str, Callable[..., None]] = {
    "add": add_file,
    "forget": forget,
    "stream": stream,
    "anew": file_anew,
    "churn": churn,
    "grow": grow,
    "find": find_in_folder,
}


def _say(**what: object) -> None:
    os.write(1, (json.dumps(what) + "\n").encode())


# Processes that do it


class Ended(NamedTuple):
    """How a process ended: its exit code or minus the signal, what it said, and its standard error."""

    code: int
    said: list[dict[str, Any]]
    error: str

    @property
    def done(self) -> int:
        """How many of its parts it was told are on disk."""
        return max((one["done"] for one in self.said if "done" in one), default=0)


class Nursery:
    """A process that has all imported and forks one for each piece of work, so that each starts at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from quality import faults; faults.serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
            text=True,
        )

    def __enter__(self) -> "Nursery":
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def run(self, *work: object, trace: Sequence[str] = (), kill_after: float | None = None) -> Ended:
        """Do work by its name and arguments, under strace with these options, or killed after so many seconds."""
        assert self._process.stdin
        assert self._process.stdout
        said, error = self._folder / "said", self._folder / "error"
        self._process.stdin.write(json.dumps([str(said), str(error), *work]) + "\n")
        self._process.stdin.flush()
        pid = int(self._process.stdout.readline())
        with _traced(pid, trace) if trace else contextlib.nullcontext():
            os.kill(pid, signal.SIGCONT)
            if kill_after is not None:
                select.select([self._process.stdout], [], [], kill_after)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            code = int(self._process.stdout.readline())
        lines = said.read_text("utf-8").splitlines()
        return Ended(code, [json.loads(line) for line in lines], error.read_text("utf-8"))


@contextlib.contextmanager
def _traced(pid: int, options: Sequence[str]) -> Iterator[None]:
    if not shutil.which("strace"):
        os.kill(pid, signal.SIGKILL)
        raise NotPossibleError("strace is not installed (Debian: apt-get install strace)")
    command = ["strace", "-f", *options, "-p", str(pid)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as strace:
        assert strace.stderr
        lines = []
        for line in strace.stderr:
            lines.append(line)
            if "attached" in line:
                break
        else:
            os.kill(pid, signal.SIGKILL)
            raise NotPossibleError(f"strace may not trace here: {''.join(lines).strip()}")
        yield
        strace.stderr.read()


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of that size, in memory."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if not shutil.which("mount"):
        raise NotPossibleError("mount is not installed")
    tried = subprocess.run(mount, capture_output=True, text=True)
    if tried.returncode:
        raise NotPossibleError(f"no file system may be mounted here: {tried.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


PR_SET_PTRACER, PR_SET_PTRACER_ANY = 0x59616D61, 2**64 - 1
"""Where only parents may trace, a process can say that anyone may trace it; elsewhere this does nothing."""


def serve() -> None:
    """Fork a process for each line of stdin, stopped until it is told to go on; print its number, then how it ended."""
    for line in sys.stdin:
        said, error, name, *arguments = json.loads(line)
        if pid := os.fork():
            os.waitpid(pid, os.WUNTRACED)
            print(pid, flush=True)
            _, status = os.waitpid(pid, 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        for place, path in ((1, said), (2, error)):
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
            os.dup2(file, place)
        ctypes.CDLL(None).prctl(PR_SET_PTRACER, ctypes.c_ulong(PR_SET_PTRACER_ANY), 0, 0, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(_as_the_program_does(partial(WORK[name], *arguments)))


def _as_the_program_does(work: Callable[[], None]) -> int:
    try:
        work()
    except WirecopyError as error:
        print(f"wirecopy: {error}", file=sys.stderr, flush=True)
        return 1
    except BaseException:
        traceback.print_exc()
        return 70
    return 0


def paths_of(archive: Path) -> list[Path]:
    """All files that an archive may have."""
    beside = [
        archive.with_name(archive.name + end) for end in ("-wal", "-shm", "-journal", "-lock", "-index")
    ]
    names = (f"{number:08}.{end}" for number in range(1, 25) for end in ("segment", "part"))
    return [archive.parent, archive, *beside, *(beside[-1] / name for name in (marks.NAME, *names))]


def trace_options(archive: Path, log: Path, faults: Sequence[str] = ()) -> list[str]:
    return trace_paths(paths_of(archive.resolve()), log, faults)


def trace_paths(
    paths: Sequence[Path], log: Path, faults: Sequence[str] = (), calls: Sequence[str] = CALLS
) -> list[str]:
    """Options of strace for the calls that concern these paths, with these faults."""
    options = [f"--trace={','.join(f'?{call}' for call in calls)}", "-o", str(log)]
    for path in paths:
        options += ["-P", str(path)]
    return options + [part for fault in faults for part in ("-e", f"inject={fault}")]


def traced_calls(log: Path) -> list[str]:
    """The system calls in a trace, in order."""
    return re.findall(r"^(?:\d+ +)?(\w+)\(", log.read_text(), re.MULTILINE)


# What is left


class Answers:
    """What archives with certain articles have to answer: by an archive that nothing happened to, and by `find`.

    `check` goes by the boilerplate that was learnt last: by that of fewer articles, if an archive was let down before it learnt anew.
    """

    def __init__(self, folder: Path, queries: Sequence[str], dates: Mapping[str, str]) -> None:
        self._folder = folder
        self._queries = queries
        self._dates = dates
        self._known: dict[tuple[frozenset[tuple[str, str]], tuple[bytes, ...]], tuple[Any, Any, Any]] = {}

    def require(self, archive: Archive, state: State) -> None:
        """Raise FaultError unless the archive answers like that."""
        learnt = archive._store.learnt()
        key = frozenset(state.items()), _bytes_of(learnt)
        if key not in self._known:
            self._known[key] = self._ask_sound(state, learnt)
        checks, pairs, formulas = self._known[key]
        require(self._check(archive) == checks, "check answers otherwise")
        found = archive.pairs()
        require([match.to_dict() for match in found] == pairs, "pairs answers otherwise")
        require(list(found.formulas) == formulas, "pairs learns otherwise")
        is_stale = archive.info()["changed_since_learnt"] > 0
        require(is_stale or list(archive.formulas) == formulas, "learnt otherwise")

    def _ask_sound(self, state: State, learnt: Learnt) -> tuple[Any, Any, Any]:
        """What a new archive answers by what was learnt, and what `find` does."""
        articles = [{"id": id, "text": text, "published": self._dates[id]} for id, text in state.items()]
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        with Archive.open(self._folder / "sound", create=True) as sound:
            sound.add(articles)
            with sound._writer.changing():
                sound._store.set_learnt(learnt)
            checks = self._check(sound)
        if not articles:
            return checks, [], []
        found = wirecopy.find(articles)
        return checks, [match.to_dict() for match in found], list(found.formulas)

    def _check(self, archive: Archive) -> list[Any]:
        """What is found; not in which stories, which are told whole only once all is learnt: see `require_stories`."""
        answers = [answer for query in self._queries for answer in archive.check(query)]
        return [
            replace(one, found=[Found(each.match, each.article) for each in one.found]).to_dict()
            for one in answers
        ]


def require_stories(archive: Archive) -> None:
    """Raise FaultError unless the archive, once it has learnt, keeps the stories of its articles, for any SQLite tool to show."""
    archive.learn()
    told = wirecopy.stories(list(archive.articles()))
    members = [
        (story.id, one.version, one.id, one.parent and one.parent.article)
        for story in told
        for one in story.articles
    ]
    links = sorted((one.later, one.earlier, one.kind, one.articles, one.words) for one in told.links)
    with contextlib.closing(sqlite3.connect(archive.path)) as store:
        kept = store.execute("SELECT story, number, article, parent FROM version").fetchall()
        joined = store.execute("SELECT later, earlier, kind, articles, words FROM link").fetchall()
    require(kept == members, "keeps other stories")
    require(sorted(joined) == links, "keeps other links")
    require(
        [one.to_dict() for one in archive.stories()] == [one.to_dict() for one in told], "tells otherwise"
    )


def _bytes_of(learnt: Learnt) -> tuple[bytes, ...]:
    names = (part for name, held in sorted(learnt.names.items()) for part in (name.encode(), held.tobytes()))
    return learnt.known.shingles.tobytes(), *names


def require_whole(archive: Archive, allowed: Sequence[State]) -> State:
    """Raise FaultError unless exactly what is allowed is there, all of it whole and indexed once; that."""
    found = {article.id: article.text for article in archive.articles()}
    if found not in allowed:
        sizes = ", ".join(str(len(state)) for state in allowed)
        raise FaultError(f"expected one of {sizes} articles, got {len(found)}")
    for counted in (len(archive), count_indexed(archive)):
        require(counted == len(found), f"{counted} articles counted, {len(found)} there")
    problems = archive.verify()
    require(not problems, f"not sound: {problems}")
    with contextlib.closing(sqlite3.connect(archive.path)) as store:
        for table in ("articles", "texts"):
            [(rows,)] = store.execute(f"SELECT count(*) FROM {table}")
            require(rows == len(found), f"{rows} rows in {table} for {len(found)} articles")
    rows = sorted(row for segment in archive._index.segments for row in segment.rows.tolist())
    require(len(set(rows)) == len(rows), "an article is in two segments")
    return found
