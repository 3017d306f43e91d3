"""The operators: arithmetic that cannot overflow silently, comparison, membership, indexing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from policyscaler.policy.signatures import Function, Overload, Style, ValueFault, function, overload
from policyscaler.policy.types import (
    BOOL,
    DOUBLE,
    DURATION,
    INT,
    MAX_LIST_ITEMS,
    MAX_STRING_LENGTH,
    STRING,
    TIMESTAMP,
    ListType,
    MapType,
    Scalar,
    T,
)

MIN_INT, MAX_INT = -(2**63), 2**63 - 1
_MICROSECOND = timedelta(microseconds=1)
_LISTS = ListType(T)


def checked_int(value: int) -> int:
    """Return the value if it fits in 64 bits."""
    if MIN_INT <= value <= MAX_INT:
        return value
    raise ValueFault("the result does not fit in 64 bits")


def checked_text(value: str) -> str:
    """Return the text if it is not longer than a string may be."""
    if len(value) <= MAX_STRING_LENGTH:
        return value
    raise ValueFault(
        f"a string of {len(value)} characters; at most {MAX_STRING_LENGTH} are allowed"
    )


def checked_items(value: Sequence[object]) -> tuple[object, ...]:
    """Return the items if the list is not longer than a list may be."""
    if len(value) <= MAX_LIST_ITEMS:
        return tuple(value)
    raise ValueFault(f"a list of {len(value)} items; at most {MAX_LIST_ITEMS} are allowed")


def _add_int(left: int, right: int) -> int:
    return checked_int(left + right)


def _subtract_int(left: int, right: int) -> int:
    return checked_int(left - right)


def _multiply_int(left: int, right: int) -> int:
    return checked_int(left * right)


def _divide_int(left: int, right: int) -> int:
    if right == 0:
        raise ValueFault(f"{left} / 0: division by zero")
    quotient = abs(left) // abs(right)  # CEL truncates, Python floors
    return checked_int(quotient if (left < 0) == (right < 0) else -quotient)


def _remainder_int(left: int, right: int) -> int:
    if right == 0:
        raise ValueFault(f"{left} % 0: division by zero")
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def _negate_int(value: int) -> int:
    return checked_int(-value)


def _add(left: float, right: float) -> float:
    return left + right


def _subtract(left: float, right: float) -> float:
    return left - right


def _multiply(left: float, right: float) -> float:
    return left * right


def _divide(left: float, right: float) -> float:
    """IEEE 754: no error, but an infinity or NaN."""
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def _negate(value: float) -> float:
    return -value


def _concatenate(left: str, right: str) -> str:
    return checked_text(left + right)


def _append(left: Sequence[object], right: Sequence[object]) -> tuple[object, ...]:
    return checked_items((*left, *right))


def _later(moment: datetime, by: timedelta) -> datetime:
    try:
        return (moment + by).astimezone(UTC)
    except OverflowError:
        raise ValueFault(f"{moment} + {by} is out of range") from None


def _delayed(by: timedelta, moment: datetime) -> datetime:
    return _later(moment, by)


def _earlier(moment: datetime, by: timedelta) -> datetime:
    return _later(moment, -by)


def _longer(left: timedelta, right: timedelta) -> timedelta:
    try:
        total = left + right
    except OverflowError:
        raise ValueFault(f"{left} + {right} is out of range") from None
    if MIN_INT <= total // _MICROSECOND <= MAX_INT:
        return total
    raise ValueFault(f"{left} + {right} is out of range")


def _shorter(left: timedelta, right: timedelta) -> timedelta:
    return _longer(left, -right)


def _between(left: datetime, right: datetime) -> timedelta:
    return left - right


def _equal(left: object, right: object) -> bool:
    return left == right


def _unequal(left: object, right: object) -> bool:
    return left != right


def _less(left: float, right: float) -> bool:
    return left < right


def _at_most(left: float, right: float) -> bool:
    return left <= right


def _greater(left: float, right: float) -> bool:
    return left > right


def _at_least(left: float, right: float) -> bool:
    return left >= right


def _not(value: bool) -> bool:  # noqa: FBT001 - it is the operand
    return not value


def _in_list(item: object, items: Sequence[object]) -> bool:
    return item in items


def _in_map(key: str, entries: Mapping[str, object]) -> bool:
    return entries.get(key) is not None


def _item(items: Sequence[object], position: int) -> object:
    if 0 <= position < len(items):
        return items[position]
    raise ValueFault(f"no item {position} in a list of {len(items)}")


def _entry(entries: Mapping[str, object], key: str) -> object:
    value = entries.get(key)
    if value is None:
        raise ValueFault(f"no key '{key}'")
    return value


def _operator(name: str, description: str, *overloads: Overload) -> Function:
    return function(name, Style.OPERATOR, overloads=overloads, description=description)


def _comparison(name: str, description: str, run: object) -> Function:
    kinds: tuple[Scalar, ...] = (INT, DOUBLE, STRING, DURATION, TIMESTAMP)
    overloads = tuple(overload((kind, kind), BOOL, run=run) for kind in kinds)
    return _operator(name, description, *overloads)


OPERATORS: tuple[Function, ...] = (
    _operator(
        "_+_", "Adds numbers, times and durations; joins strings and lists.",
        overload((INT, INT), INT, run=_add_int),
        overload((DOUBLE, DOUBLE), DOUBLE, run=_add),
        overload((STRING, STRING), STRING, run=_concatenate),
        overload((TIMESTAMP, DURATION), TIMESTAMP, run=_later),
        overload((DURATION, TIMESTAMP), TIMESTAMP, run=_delayed),
        overload((DURATION, DURATION), DURATION, run=_longer),
        overload((_LISTS, _LISTS), _LISTS, run=_append),
    ),
    _operator(
        "_-_", "Subtracts numbers, times and durations.",
        overload((INT, INT), INT, run=_subtract_int),
        overload((DOUBLE, DOUBLE), DOUBLE, run=_subtract),
        overload((TIMESTAMP, TIMESTAMP), DURATION, run=_between),
        overload((TIMESTAMP, DURATION), TIMESTAMP, run=_earlier),
        overload((DURATION, DURATION), DURATION, run=_shorter),
    ),
    _operator(
        "_*_", "Multiplies numbers.",
        overload((INT, INT), INT, run=_multiply_int),
        overload((DOUBLE, DOUBLE), DOUBLE, run=_multiply),
    ),
    _operator(
        "_/_", "Divides numbers; between ints it cuts towards zero, and by 0 is an error.",
        overload((INT, INT), INT, run=_divide_int),
        overload((DOUBLE, DOUBLE), DOUBLE, run=_divide),
    ),
    _operator("_%_", "The rest of a division of ints.", overload((INT, INT), INT, run=_remainder_int)),
    _operator(
        "-_", "The negative of a number.",
        overload((INT,), INT, run=_negate_int),
        overload((DOUBLE,), DOUBLE, run=_negate),
    ),
    _operator("!_", "Not.", overload((BOOL,), BOOL, run=_not)),
    _operator("_==_", "Equal.", overload((T, T), BOOL, run=_equal)),
    _operator("_!=_", "Not equal.", overload((T, T), BOOL, run=_unequal)),
    _comparison("_<_", "Less, earlier, shorter; strings by code point.", _less),
    _comparison("_<=_", "Less or equal.", _at_most),
    _comparison("_>_", "Greater, later, longer.", _greater),
    _comparison("_>=_", "Greater or equal.", _at_least),
    _operator(
        "_in_", "Whether a list holds the item, or a map the key.",
        overload((T, _LISTS), BOOL, run=_in_list),
        overload((STRING, MapType(T)), BOOL, run=_in_map),
    ),
    _operator(
        "_[_]", "The item of a list at a position from 0, or the value of a map under a key.",
        overload((_LISTS, INT), T, run=_item),
        overload((MapType(T), STRING), T, run=_entry),
    ),
)  # fmt: skip
