"""A .json file: one object, an array of objects, or JSON lines after all."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from wirecopy.model import Articles
from wirecopy.sources import jsonl
from wirecopy.sources.fields import Fields, Number, Record, Unusable, kind, record
from wirecopy.sources.opening import Stream
from wirecopy.sources.unpacking import Damaged
from wirecopy.sources.work import Work, parse_each, skip

_FIRST_LINE = 1 << 20


def read(stream: Stream, path: str, fields: Fields, batch_bytes: int) -> Iterator[Work]:
    """The work in a JSON file; the elements of an array are numbered from 1, like lines."""
    if _is_object(stream.peek(_FIRST_LINE).lstrip().partition(b"\n")[0]):
        yield from jsonl.read(stream, path, fields, batch_bytes)
        return
    try:
        data = stream.read_most(sys.maxsize - 1)
    except Damaged as damage:
        yield skip(path, str(damage), stream.source_bytes)
        return
    yield Work(lambda: _parse(data, path, fields), stream.source_bytes)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _parse(data: bytes, path: str, fields: Fields) -> Articles:
    try:
        value = json.loads(data, parse_int=Number, parse_float=Number, parse_constant=lambda _: None)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and data.lstrip().startswith(b"{"):
            return jsonl.parse(np.frombuffer(data, np.uint8), 1, path, fields)
        return skip(f"{path}:{error.lineno}", f"not JSON: {error.msg} at column {error.colno}")()
    except UnicodeDecodeError as error:
        return skip(
            path,
            f"not UTF-8 at byte {error.start}; name its encoding, such as fields=Fields(encoding='latin1')",
        )()
    except RecursionError:
        return skip(path, "nested too deeply")()
    records = value if isinstance(value, list) else [value]
    items = ((f"{path}:{number}", item) for number, item in enumerate(records, 1))
    return parse_each(items, partial(_record, fields), fields)


def _record(fields: Fields, item: Any, where: str) -> Record:
    if not isinstance(item, Mapping):
        raise Unusable(f"not a JSON object but {kind(item)}")
    return record(item, fields, where)
