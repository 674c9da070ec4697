"""What a service counts of itself, for Prometheus, and whether it lives and is ready."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from litestar import Response, Router, get
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from ..archive.outbox import STATES
from .access import require
from .problems import Problem
from .readers import Line, Readers

SECONDS = (0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24)
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")


class Metrics:
    """Counts of requests by route, and what there is to do."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "wirecopy_requests", "Requests", ("method", "route", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "wirecopy_request_seconds",
            "Seconds of a request",
            ("route",),
            buckets=SECONDS,
            registry=self.registry,
        )

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        named = method if method in METHODS else "other"
        self._requests.labels(named, route, status).inc()
        self._seconds.labels(route).observe(seconds)

    def watch(self, readers: Readers) -> None:
        """Tell, whenever asked, how much there is to do."""
        for name, line in (("read", readers.reading), ("write", readers.writing), ("desk", readers.at_desk)):
            for what in ("waiting", "running"):
                gauge = Gauge(f"wirecopy_{name}_{what}", f"Requests {what} to {name}", registry=self.registry)
                gauge.set_function(partial(_read, line, what))
        self._articles = Gauge("wirecopy_articles", "Articles in the archive", registry=self.registry)
        self._messages = Gauge(
            "wirecopy_messages", "Messages to webhooks", ("state",), registry=self.registry
        )

    def write(self, articles: int, messages: Mapping[str, int]) -> bytes:
        """All of it, as Prometheus reads it, with so many articles, and messages in each state."""
        self._articles.set(articles)
        for state in STATES:
            self._messages.labels(state).set(messages[f"messages_{state}"])
        return generate_latest(self.registry)


def _read(line: Line[Any], what: str) -> float:
    return float(getattr(line, what))


@get("/livez", include_in_schema=False, media_type="text/plain", sync_to_thread=False)
def live() -> str:
    """Whether it runs at all."""
    return "ok\n"


@get("/readyz", include_in_schema=False, media_type="text/plain")
async def ready(readers: Readers) -> str:
    """Whether it can answer: the archive can be read, and it is not about to end."""
    if readers.is_stopping:
        raise Problem(503, "the service is stopping", {"Retry-After": "5"})
    await readers.desk(lambda desk: desk.store.count())
    return "ok\n"


@get("/metrics", guards=[require("read")], include_in_schema=False)
async def measure(readers: Readers, metrics: Metrics) -> Response[Any]:
    """What is counted."""
    counts = await readers.desk(lambda desk: (desk.store.count(), desk.outbox.count()))
    return Response(metrics.write(*counts), media_type=CONTENT_TYPE_LATEST)


router = Router("/", route_handlers=[live, ready, measure])
