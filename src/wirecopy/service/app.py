"""The service as one application: its routes, what they are given, and what becomes of errors."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Litestar, Request, Response
from litestar.datastructures import State
from litestar.di import Provide
from litestar.openapi.config import OpenAPIConfig

from . import api, articles, judging, metrics, openapi, pages, stories, webhooks
from .access import Access, Caller
from .delivering import Deliverer
from .gate import Gate
from .log import Log
from .outbound import read_place
from .problems import respond
from .readers import Readers
from .rendering import is_for_people
from .settings import Settings

ROUTERS = (
    *(api.router, articles.router, stories.router, judging.api, webhooks.router),
    *(metrics.router, openapi.router, pages.router, judging.router),
)


class Service:
    """All that a running service holds: open it in the process that answers."""

    def __init__(self, settings: Settings, log: Log) -> None:
        self.settings = settings
        self.log = log
        self.access = Access(settings)
        self.readers = Readers(settings, log)
        self.metrics = metrics.Metrics()
        self.metrics.watch(self.readers)
        self.app = build_app(settings, self.readers, self.metrics)
        self.gate = Gate(self.app, settings, self.access, self.readers, self.metrics, log)
        self.deliverer = Deliverer(settings.archive, list(map(read_place, settings.deliver_to)))
        if settings.deliver:
            self.deliverer.start()

    async def close(self) -> None:
        """Let all work end."""
        await self.readers.close()
        await asyncio.to_thread(self.deliverer.stop)
        self.access.close()


def build_app(
    settings: Settings,
    readers: Readers | None = None,
    counted: metrics.Metrics | None = None,
    describe: OpenAPIConfig | None = None,
) -> Litestar:
    """The routes; `readers` may be missing where they are only described."""
    given: dict[str, Any] = {"readers": readers, "settings": settings, "metrics": counted}
    provided = {name: _provide(value) for name, value in given.items()}
    return Litestar(
        list(ROUTERS),
        dependencies={**provided, "caller": Provide(get_caller, sync_to_thread=False)},
        exception_handlers={Exception: _tell},
        openapi_config=describe,
        logging_config=None,
        request_max_body_size=None,
        debug=False,
        state=State({"settings": settings}),
    )


def _tell(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """What went wrong, for programs or for people."""
    for_people = is_for_people(request.url.path, request.headers.get("accept", ""))
    return pages.show_problem(request, error) if for_people else respond(request, error)


def _provide(value: Any) -> Provide:
    def give() -> Any:
        return value

    return Provide(give, sync_to_thread=False)


def get_caller(request: Request[Any, Any, Any]) -> Caller:
    """Who asks."""
    caller: Caller = request.scope["wirecopy"].caller()  # type: ignore[typeddict-item]
    return caller
