"""What people judge: queues of pairs, and what was said of them."""

from __future__ import annotations

from .connection import Connection


class Queues:
    """Queues of pairs and their judgements."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
