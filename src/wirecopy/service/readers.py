"""Who works on the archive for the service: threads with an `Archive` each that read, one that writes, one for the desk.

Checks are work for the processor, so as many run at once as there are cores, a few wait, and all others are refused at once: a long line
would only make everybody late. A place in the line is given up after the time limit; what runs is not stopped, and keeps its thread.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Generic, TypeVar

from ..archive import Archive
from ..archive.desk import Desk
from ..errors import ArchiveError
from .log import Log
from .problems import busy
from .settings import Settings

Out = TypeVar("Out")
Tool = TypeVar("Tool")
WRITES_WAITING = 64
"""How many changes may wait: one takes some milliseconds."""
DESK_WAITING = 256
TIDY_WRITES = 50
"""After so many changes the archive is put in order, even if more are waiting."""


class Line(Generic[Tool]):
    """Some threads, each with a tool that no other uses meanwhile, and a line of bounded length before them."""

    def __init__(self, name: str, tools: list[Tool], waiting: int, seconds: float) -> None:
        self._free = deque(tools)
        self._number = len(tools)
        self._waiting: deque[asyncio.Future[Tool]] = deque()
        self._most_waiting = waiting
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(len(tools), f"wirecopy-{name}")

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """How many work."""
        return self._number - len(self._free)

    @property
    def is_full(self) -> bool:
        """Whether who comes now would be refused."""
        return not self._free and len(self._waiting) >= self._most_waiting

    async def do(self, work: Callable[[Tool], Out]) -> Out:
        """The result of some work with a tool; raises a Problem if too many wait, or it takes too long."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._seconds
        tool = self._free.popleft() if self._free else await self._wait(until - loop.time())
        job = self._threads.submit(work, tool)
        job.add_done_callback(lambda _: loop.call_soon_threadsafe(self._give_back, tool))
        done = asyncio.wrap_future(job)
        try:
            return await asyncio.wait_for(asyncio.shield(done), until - loop.time())
        except TimeoutError:
            done.add_done_callback(lambda one: one.cancelled() or one.exception())  # it is nobody's now
            raise busy("it took too long") from None

    async def _wait(self, seconds: float) -> Tool:
        if len(self._waiting) >= self._most_waiting:
            raise busy("too many requests are waiting")
        place: asyncio.Future[Tool] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            return await asyncio.wait_for(asyncio.shield(place), seconds)
        except (TimeoutError, asyncio.CancelledError) as error:
            if place.done() and not place.cancelled():  # it came in the same moment
                self._give_back(place.result())
            else:
                place.cancel()
                self._waiting.remove(place)
            if isinstance(error, TimeoutError):
                raise busy("it took too long") from None
            raise

    def _give_back(self, tool: Tool) -> None:
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(tool)
                return
        self._free.append(tool)

    async def close(self) -> None:
        """Let what runs and waits end."""
        while self.running or self.waiting:
            await asyncio.sleep(0.01)
        self._threads.shutdown()


class Readers:
    """The archive as the service uses it."""

    def __init__(self, settings: Settings, log: Log) -> None:
        self._settings = settings
        self._log = log
        self._archives = [Archive.open(settings.archive, threads=1) for _ in range(settings.threads)]
        for archive in self._archives:
            with archive.at_one_moment():  # so that the first to ask does not wait for the index to be opened
                pass
        self._writer = Archive.open(settings.archive)
        self._desk = Desk(settings.archive)
        self._untidied = 0
        self.is_stopping = False
        """Whether the service is about to end."""
        self.reading = Line("reader", self._archives, settings.most_waiting, settings.seconds)
        self.writing = Line("writer", [self._writer], WRITES_WAITING, settings.seconds)
        self.at_desk = Line("desk", [self._desk], DESK_WAITING, settings.seconds)

    async def ask(self, work: Callable[[Archive], Out]) -> Out:
        """What some work reads of the archive."""
        return await self.reading.do(work)

    async def desk(self, work: Callable[[Desk], Out]) -> Out:
        """What some short work at the desk gives."""
        return await self.at_desk.do(work)

    async def write(self, work: Callable[[Archive], Out]) -> Out:
        """What some change of the archive gives; it is on disk then. To put the archive in order, nobody waits but the next to write."""
        loop = asyncio.get_running_loop()
        told: asyncio.Future[Out] = loop.create_future()

        def change(archive: Archive) -> None:
            with archive.writing(wait=self._settings.write_seconds, tidy=False):
                result = work(archive)
            loop.call_soon_threadsafe(_tell, told, result)
            self._tidy(archive)

        job = asyncio.ensure_future(self.writing.do(change))
        job.add_done_callback(partial(_pass_on, told))
        return await told

    def _tidy(self, archive: Archive) -> None:
        """Put the archive in order, once nobody waits to write, or many have written."""
        self._untidied += 1
        if self.writing.waiting and self._untidied < TIDY_WRITES:
            return
        try:
            with archive.writing(wait=self._settings.write_seconds):
                archive.tidy()
            self._untidied = 0
        except ArchiveError as error:
            self._log.fault(error)

    async def close(self) -> None:
        """Let all work end, and close the archive."""
        for line in (self.reading, self.writing, self.at_desk):
            await line.close()
        for archive in (*self._archives, self._writer):
            archive.close()
        self._desk.close()


def _tell(told: asyncio.Future[Out], result: Out) -> None:
    if not told.done():
        told.set_result(result)


def _pass_on(told: asyncio.Future[Out], job: asyncio.Future[None]) -> None:
    """Let whoever waits know that it went wrong."""
    error = job.exception()
    if error is not None and not told.done():
        told.set_exception(error)
