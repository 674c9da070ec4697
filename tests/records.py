"""Records as JSON lines, and back."""

import json
from typing import Any

MATCH_FIELDS = (
    *("query", "found", "relation", "query_covered", "found_covered", "resemblance"),
    *("slots", "passages", "methods"),
)
"""What `find` writes of a match, in this order."""


def jsonl(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]
