"""A service that runs: granian in this one process, until it is told to end."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import NoReturn

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server

from ..errors import UsageError
from .app import Service
from .log import Log
from .settings import Settings

HEADER_MILLISECONDS = 10_000
"""How long the head of a request may take to come."""
CONNECTIONS = 8192
"""How many may be open at once; a slow one costs a descriptor and little else."""
SPARE_FILES = 256
END_SECONDS = 30.0
"""How long what runs may take to end."""


def serve(settings: Settings, log: Log, ready: Callable[[str], object]) -> NoReturn:
    """Serve an archive until SIGTERM or Ctrl-C, then end what runs, and the process; `ready` is called with the address once it can be asked.

    Raises UsageError if others than this machine are to ask and the archive has no token, or the port is taken.
    """
    settings.check()
    asyncio.run(_serve(_choose_port(settings), log, ready))
    # All is closed. A thread of granian may be left, and aborts if Python ends before it: emmett-framework/granian#693.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


async def _serve(settings: Settings, log: Log, ready: Callable[[str], object]) -> None:
    service = Service(settings, log)
    try:
        if settings.is_for_others and not service.access.has_tokens:
            named = settings.host if not settings.is_local else settings.public or ", ".join(settings.hosts)
            raise UsageError(
                f"{named}: others than this machine could ask, and the archive has no token: "
                f"make one first, with wirecopy token {settings.archive} new"
            )
        await _answer(service, ready)
    finally:
        await service.close()


async def _answer(service: Service, ready: Callable[[str], object]) -> None:
    settings = service.settings
    server = Server(
        service.gate,
        settings.host,
        settings.port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        websockets=False,
        backlog=2048,
        backpressure=_raise_files(CONNECTIONS),
        http1_settings=HTTP1Settings(header_read_timeout=HEADER_MILLISECONDS),
        log_enabled=False,
    )
    loop, ending = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ending.set)
    serving = asyncio.ensure_future(server.serve())
    waiting = asyncio.ensure_future(ending.wait())
    await _until_open(settings, serving)
    ready(settings.address)
    await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    service.readers.is_stopping = service.gate.is_stopping = True
    with suppress(TimeoutError):
        async with asyncio.timeout(END_SECONDS):
            while service.gate.running:
                await asyncio.sleep(0.01)
    server.stop()  # type: ignore[no-untyped-call]
    await serving


async def _until_open(settings: Settings, serving: asyncio.Future[None]) -> None:
    """Wait until somebody can connect."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)
    while not serving.done():
        with suppress(OSError):
            _, writer = await asyncio.open_connection(host, settings.port)
            writer.close()
            return
        await asyncio.sleep(0.01)
    await serving


def _choose_port(settings: Settings) -> Settings:
    """The settings with a port that is free; raises UsageError if the one that is asked for is not."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((settings.host, settings.port))
        except OSError as error:
            raise UsageError(
                f"{settings.host}:{settings.port}: cannot listen there: {error.strerror}"
            ) from error
        return replace(settings, port=tried.getsockname()[1])


def _raise_files(wanted: int) -> int:
    """How many connections can be open at once; as many descriptors as this process may have are asked for."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted + SPARE_FILES if hard == resource.RLIM_INFINITY else min(hard, wanted + SPARE_FILES)
    if soft < most:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return max(64, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - SPARE_FILES)
