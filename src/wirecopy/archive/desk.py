"""What any process may do beside the one writer of an archive: who may use the service, who is told of what, what people judge.

Its tables are not derived from articles and change no answer. Each change is one short transaction that waits for other writers of the
file and needs no writer's lock, so that commands work beside a running service; readers of the index find that no article changed.
"""

from __future__ import annotations

import os
from pathlib import Path

from .opening import open_store
from .outbox import Outbox
from .queues import Queues
from .tokens import Tokens


class Desk:
    """An own connection to the file of an archive, for one thread at a time."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Raises ArchiveError if there is no archive."""
        self.store = open_store(Path(path), False, None, None, None, None).store
        self.tokens = Tokens(self.store)
        self.outbox = Outbox(self.store)
        self.queues = Queues(self.store)

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; nothing is lost if that is forgotten."""
        self.store.close()
