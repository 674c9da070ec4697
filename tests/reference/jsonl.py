"""JSON lines by `json.loads`, dates by `datetime`."""

import datetime
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

UNDATED = 2**63 - 1
MAX_DEPTH = 128


class Row(NamedTuple):
    line: int
    id: str
    text: str
    published: int
    other_date: bool
    about: tuple[str, ...]


class Written(str):
    """A number as it is written."""


class Pairs(list[Any]):
    """An object with all its pairs, repeated keys too."""


def read_jsonl(
    data: bytes,
    text: Sequence[str],
    id: Sequence[str],
    published: Sequence[str],
    about: Sequence[Sequence[str]],
    moment: Callable[[str], int],
) -> tuple[list[Row], list[int]]:
    """The rows, and the numbers of the bad lines; `moment` reads dates."""
    rows, bad = [], []
    for number, line in enumerate(data.split(b"\n")):
        if line.strip(b" \t\r"):
            row = read_line(number, line, text, id, published, about, moment)
            if row is None:
                bad.append(number)
            else:
                rows.append(row)
    return rows, bad


def read_line(
    number: int,
    line: bytes,
    text: Sequence[str],
    id: Sequence[str],
    published: Sequence[str],
    about: Sequence[Sequence[str]],
    moment: Callable[[str], int],
) -> Row | None:
    record = read_object(line)
    if record is None:
        return None
    text_value, id_value, date = (first(record, names) for names in (text, id, published))
    if type(text_value) is not str or not isinstance(id_value, str | None):
        return None
    dated, other = UNDATED, True
    if date is None or isinstance(date, str):
        dated = moment(whole(date or ""))
        other = dated == UNDATED and (date or "").strip(" \t\n\r\f") != ""
    return Row(
        number,
        whole(id_value or ""),
        whole(text_value),
        dated,
        other,
        tuple(known(first(record, names)) for names in about),
    )


def read_columns(data: bytes, names: Sequence[str]) -> tuple[list[tuple[int, tuple[Any, ...]]], list[int]]:
    """The line and the values under these names of each record, and the numbers of the bad lines; None where a record has nothing."""
    rows, bad = [], []
    for number, line in enumerate(data.split(b"\n")):
        if line.strip(b" \t\r"):
            record = read_object(line)
            if record is None:
                bad.append(number)
            else:
                rows.append((number, tuple(record.get(name) for name in names)))
    return rows, bad


def read_object(line: bytes) -> dict[str, Any] | None:
    """The object of a line, numbers as they are written; None if it is none."""
    try:
        pairs = json.loads(
            line.decode("utf-8"),
            parse_int=Written,
            parse_float=Written,
            parse_constant=lambda _: None,
            object_pairs_hook=Pairs,
        )
    except (ValueError, RecursionError):
        return None
    return dict(pairs) if isinstance(pairs, Pairs) and depth(pairs) <= MAX_DEPTH else None


def first(record: dict[str, Any], names: Sequence[str]) -> Any:
    return next((record[name] for name in names if record.get(name) is not None), None)


def known(value: Any) -> str:
    if type(value) is list:
        return "; ".join(whole(item) for item in value if type(item) is str and item != "")
    return whole(value) if isinstance(value, str) else ""


def whole(text: str) -> str:
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)


def depth(value: Any) -> int:
    if isinstance(value, Pairs):
        return 1 + max((depth(item) for _, item in value), default=0)
    if isinstance(value, list):
        return 1 + max((depth(item) for item in value), default=0)
    return 0


DATE = re.compile(
    r"(?P<year>\d{4})(?P<dash>-?)(?P<month>\d\d)(?P=dash)(?P<day>\d\d)"
    r"(?P<time>[Tt ](?P<hour>\d\d)((?P<colon>:?)(?P<minute>\d\d)((?P=colon)(?P<second>\d\d)([.,](?P<fraction>\d+))?)?)?"
    r"( ?(?P<utc>[Zz])| ?(?P<sign>[+-])(?P<zone_hour>\d\d)(:?(?P<zone_minute>\d\d))?)?)?",
    re.ASCII,
)


def iso_microseconds(text: str) -> int | None:
    found = DATE.fullmatch(text.strip(" \t\n\r\f"))
    if not found:
        return None
    part = {name: int(value or 0) for name, value in found.groupdict().items() if name in NUMBERS}
    try:
        day = datetime.date(part["year"], part["month"], part["day"])
    except ValueError:
        return None
    micros = int((found["fraction"] or "").ljust(6, "0")[:6])
    of_day = ((part["hour"] * 60 + part["minute"]) * 60 + part["second"]) * 10**6 + micros
    midnight_after = part["hour"] == 24 and of_day == 24 * 3600 * 10**6
    if part["minute"] > 59 or part["second"] > 60 or (part["hour"] > 23 and not midnight_after):
        return None
    if part["zone_hour"] > 23 or part["zone_minute"] > 59:
        return None
    zone = (part["zone_hour"] * 60 + part["zone_minute"]) * 60 * 10**6
    days = day.toordinal() - datetime.date(1970, 1, 1).toordinal()
    return days * 24 * 3600 * 10**6 + of_day - (-zone if found["sign"] == "-" else zone)


NUMBERS = {"year", "month", "day", "hour", "minute", "second", "zone_hour", "zone_minute"}
