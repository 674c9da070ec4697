"""No argument makes the core panic, whatever binding it is given to: each answers, or says what is wrong.

The bindings are found in the core itself, and each is called as it is meant to be; one with a parameter for which `calls.py`
knows no value fails. From that call one thing at a time is put wrong, in every way, down to the fields of what is
handed over; then all things together are drawn anew, with the right types.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest
from calls import BINDINGS, COMPOSED, OWN, ROW, SETS, TOKENS, Call, get
from numpy.typing import NDArray

from wirecopy import _core

U64, I64, U32, U8 = np.uint64, np.int64, np.uint32, np.uint8
ALL = [*BINDINGS, *COMPOSED]
DRAWS = 300
"""How often all arguments of a binding are drawn anew."""
COSTLY = {(name, "articles") for name in ("components", "find_bridges", "hold_common", "Index")}
"""Numbers of articles, which are given room each; in tests there is none for 2^31 of them."""

# One thing wrong.

STRANGERS: list[Any] = [
    None,
    True,
    0,
    -1,
    2.5,
    "text",
    b"text",
    [],
    (),
    {},
    [None],
    object(),
    TOKENS,
    SETS,
    ROW,
]
NUMBERS = [-(2**63), -1, 0, 1, 2, 3, 9, 64, 65, 160, 161, 4096, 4097, 65535, 65536, 65537]
NUMBERS += [
    2**20,
    2**31 - 1,
    2**31,
    2**32 - 2,
    2**32 - 1,
    2**32,
    2**33,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
    2**64,
]
FLOATS = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 5e-324, 1e300, -1e300]
STRINGS = [
    "",
    "\0",
    "\ud800",
    "é海\u0301",
    "x" * 9999,
    "{",
    "[" * 9999,
    "-1",
    "9" * 99,
    "2024-13-99T99:99",
    "<p",
    "the,",
]
BYTES = [
    b"",
    b"\0",
    b"\xff\xfe",
    b"\xff" * 99,
    b"<" * 9999,
    b"<p>" * 999,
    b"&#xFFFFFFFF;",
    b"<!--",
    b"\x1b$B",
]
KINDS: list[Any] = [
    np.bool_,
    U8,
    np.int8,
    np.uint16,
    np.int32,
    U32,
    I64,
    U64,
    np.float32,
    np.float64,
    object,
    ">u8",
    "U3",
]


def extremes(kind: np.dtype[Any]) -> list[Any]:
    """Values at the edges of a type of number."""
    if kind.kind == "b":
        return [False, True]
    if kind.kind == "f":
        return FLOATS[:-2] + ([1e300, -1e300] if kind.itemsize == 8 else [3e38, -3e38])
    limits = np.iinfo(kind)
    return sorted({number for number in NUMBERS if limits.min <= number <= limits.max} | {int(limits.max)})


def break_array(values: NDArray[Any]) -> Iterator[Any]:
    yield from (values.astype(kind) for kind in KINDS if kind != values.dtype)
    yield from (values[:0], values[:1], values[:-1], values[1:], np.append(values, values[-1:]), values[::-1])
    yield from (np.concatenate([values, values]), np.repeat(values, 2)[::2], values[::-1].copy())
    yield from (values.reshape(1, -1), values.tolist(), values.tobytes(), values.data, np.sort(values))
    yield from (np.full_like(values, value) for value in extremes(values.dtype))
    for place in (*range(min(64, len(values))), *range(max(64, len(values) - 8), len(values))):
        for value in (*extremes(values.dtype), min(len(values), 127), values.item(place - 1)):
            changed = values.copy()
            changed[place] = value
            yield changed


def broken(value: Any) -> Iterator[Any]:
    """All that a value may be mistaken for: other things, and the same with one thing in it wrong."""
    yield from STRANGERS
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            for wrong in broken(getattr(value, field.name)):
                yield replace(value, **{field.name: wrong})
    elif isinstance(value, np.ndarray):
        yield from break_array(value)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from NUMBERS
    elif isinstance(value, float):
        yield from (*FLOATS, *NUMBERS)
    elif isinstance(value, str):
        yield from (*STRINGS, *(value[:end] for end in range(len(value))), value * 2)
    elif isinstance(value, bytes):
        yield from (
            *BYTES,
            *(value[:end] for end in range(len(value))),
            *(value[at:] for at in range(len(value))),
        )
    elif isinstance(value, dict):
        for name in value:
            yield {other: value[other] for other in value if other != name}
            yield from ({**value, name: wrong} for wrong in broken(value[name]))
    elif isinstance(value, (list, tuple)):
        kind = type(value)
        yield from (value[:-1], value[1:], value * 2, value[::-1], kind(reversed(value)), iter(value))
        for place in {0, 1, len(value) - 1} & {*range(len(value))}:
            for wrong in broken(value[place]):
                yield kind([*value[:place], wrong, *value[place + 1 :]])


# All things anew.


def draw(dice: random.Random, value: Any) -> Any:
    """Something of the same type, or a value as it is."""
    if dice.random() < 0.3:
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{one.name: draw(dice, getattr(value, one.name)) for one in fields(value)})
    if isinstance(value, np.ndarray):
        return draw_array(dice, value)
    if isinstance(value, bool):
        return dice.random() < 0.5
    if isinstance(value, int):
        return dice.choice(NUMBERS) if dice.random() < 0.3 else dice.randrange(8)
    if isinstance(value, float):
        return dice.choice(FLOATS) if dice.random() < 0.3 else dice.random()
    if isinstance(value, (str, bytes)):
        start = dice.randrange(len(value) + 1)
        some: list[Any] = [
            value[start:],
            value[:start],
            value[:start] * 3,
            *(STRINGS if isinstance(value, str) else BYTES),
        ]
        return dice.choice(some) + dice.choice(some)
    if isinstance(value, dict):
        return {name: draw(dice, one) for name, one in value.items() if dice.random() < 0.95}
    if isinstance(value, (list, tuple)):
        same = isinstance(value, tuple) or dice.random() < 0.5
        some = [*value] if same or not value else dice.choices(value, k=dice.randrange(len(value) + 2))
        return type(value)(draw(dice, one) for one in some)
    return value


def draw_array(dice: random.Random, values: NDArray[Any]) -> NDArray[Any]:
    """The same with a few numbers changed; or small ones, as many as there were or not, often rising."""
    edges = extremes(values.dtype)
    if len(values) and dice.random() < 0.4:
        changed = values.copy()
        for place in dice.choices(range(len(values)), k=dice.randint(1, 3)):
            changed[place] = dice.choice([*edges, dice.choice(values.tolist())])
        return changed
    size = len(values) if dice.random() < 0.6 else dice.randrange(9)
    odd = dice.choice([0, 0, 0, 0.1, 0.5])
    if values.dtype.kind == "f":
        drawn = [dice.choice(edges) if dice.random() < odd else dice.random() for _ in range(size)]
        return np.array(drawn, values.dtype)
    most = min(dice.choice([1, 3, 7, len(values)]), 127)
    numbers = [dice.choice(edges) if dice.random() < odd else dice.randint(0, most) for _ in range(size)]
    if dice.random() < (0.7 if values.dtype == I64 else 0.3):
        numbers.sort()
        if numbers and dice.random() < 0.5:
            numbers[0] = 0
    return np.array(numbers, object).astype(values.dtype)


# What must hold.


def accepts_or_refuses(binding: str, call: Call, arguments: dict[str, Any]) -> None:
    """Any answer, or a ValueError, TypeError or OverflowError that says something."""
    said = "an answer"
    try:
        call.function(**arguments)
    except (ValueError, TypeError, OverflowError) as error:
        said = str(error)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic is no Exception
        pytest.fail(f"{binding}: {type(error).__name__}: {error}\n{arguments}")
    assert said, f"{binding} refuses without a word: {arguments}"


def is_cheap(binding: str, arguments: dict[str, Any]) -> bool:
    """Whether nothing is asked for that there is no room for."""
    counts = [arguments[name] for of, name in COSTLY if of == binding]
    return not any(isinstance(count, int) and 2**20 < count < 2**32 for count in counts)


def test_the_suite_sees_the_core() -> None:
    public = {name for name, value in vars(_core).items() if callable(value) and not name.startswith("_")}
    assert {name.partition(".")[0] for name in BINDINGS} == public - {"Part"}
    assert OWN.keys() <= BINDINGS.keys()
    assert {"winnow", "compare", "Index.pairs", "Segment.look_up", "Postings.__len__"} <= BINDINGS.keys()


@pytest.mark.parametrize("binding", ALL)
def test_a_call_as_it_is_meant_is_answered(binding: str) -> None:
    call = get(binding)
    call.function(**call.arguments)


@pytest.mark.parametrize("binding", ALL)
def test_one_wrong_argument_makes_nothing_panic(binding: str) -> None:
    call = get(binding)
    for name, value in call.arguments.items():
        accepts_or_refuses(binding, call, {one: call.arguments[one] for one in call.arguments if one != name})
        for wrong in broken(value):
            arguments = call.arguments | {name: wrong}
            if is_cheap(binding, arguments):
                accepts_or_refuses(binding, call, arguments)
    accepts_or_refuses(binding, call, call.arguments | {"other": 1})


@pytest.mark.parametrize("binding", ALL)
def test_arguments_drawn_together_make_nothing_panic(binding: str) -> None:
    call, dice = get(binding), random.Random(binding)
    for _ in range(DRAWS if call.arguments else 0):
        arguments = {name: draw(dice, value) for name, value in call.arguments.items()}
        if is_cheap(binding, arguments):
            accepts_or_refuses(binding, call, arguments)
