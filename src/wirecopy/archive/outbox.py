"""Who is told of what: webhooks, the messages that wait for them, and the articles that these mention."""

from __future__ import annotations

from .connection import Connection


class Outbox:
    """Webhooks and their messages."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
