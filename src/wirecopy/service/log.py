"""What a service says of its work: one line on stderr for each request, without texts, ids of articles, tokens or addresses' queries."""

from __future__ import annotations

import json
import re
import sys
import time
import traceback
from typing import Any, TextIO

from ..model import one_line

_SECRET = re.compile(r"(wc_|whsec_)[A-Za-z0-9_+/=-]{8,}")


def hide(text: str) -> str:
    """A text without tokens and secrets."""
    return _SECRET.sub(r"\1…", text)


class Log:
    """Lines for a person on a terminal, else JSON objects."""

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        self._stream = stream or sys.stderr
        self._quiet = quiet
        self._is_plain = self._stream.isatty()

    def say(self, message: str, **values: Any) -> None:
        """Say that something happened."""
        self._write({"message": message, **values})

    def request(self, **values: Any) -> None:
        """Say what was asked, and how that went."""
        if not self._quiet:
            self._write(values)

    def fault(self, error: BaseException, request_id: str | None = None) -> None:
        """Say what went wrong inside, and where."""
        where = [f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-6:]]
        self._write(
            {"fault": f"{type(error).__name__}: {error}", "where": " ".join(where), "request_id": request_id}
        )

    def _write(self, values: dict[str, Any]) -> None:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        if self._is_plain:
            line = f"{at} " + " ".join(str(value) for value in values.values() if value is not None)
        else:
            line = json.dumps({"at": at, **values}, ensure_ascii=False)
        try:
            self._stream.write(hide(one_line(line)) + "\n")
            self._stream.flush()
        except (OSError, ValueError):  # nobody reads it
            pass
