"""Arithmetic and comparison on whole arrays, with the meaning of `operators` to the last bit.

A kernel takes arrays or scalars in raw form and returns the result and a mask of the rows that
fail, or None if none does.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from policyscaler.policy.columns import Array, Mask, to_raw
from policyscaler.policy.types import BOOL, DOUBLE, DURATION, INT, TIMESTAMP, Type

Result: TypeAlias = tuple[Array, Mask | None]


class Kernel(Protocol):
    """A function over whole arrays."""

    def __call__(self, *values: Array) -> Result:
        """Return the result and the rows that fail."""


_Ints: TypeAlias = NDArray[np.int64]
_Doubles: TypeAlias = NDArray[np.float64]

_FIRST = cast("int", to_raw(datetime.min.replace(tzinfo=UTC), TIMESTAMP))
_LAST = cast("int", to_raw(datetime.max.replace(tzinfo=UTC), TIMESTAMP))
_MIN_INT = np.int64(-(2**63))
_NEAR_OVERFLOW = 2.0**62
_TOO_LARGE = 2.0**63


def find_kernel(name: str, kinds: tuple[Type, ...]) -> Kernel | None:
    """Return the kernel of a function for arguments of these types, if it has one."""
    if not all(kind in _PLAIN for kind in kinds):
        return None
    kernel = (_DOUBLE if kinds[0] == DOUBLE else _WHOLE).get(name)
    if kernel is None or (BOOL in kinds and name not in {"_==_", "_!=_", "!_"}):
        return None
    moves = TIMESTAMP in kinds and DURATION in kinds and name in {"_+_", "_-_"}
    return _on_calendar(kernel) if moves else kernel


def _on_calendar(kernel: Kernel) -> Kernel:
    """Let a kernel fail where the time it gives is before the year 1 or after 9999."""

    def run(*values: Array) -> Result:
        moment, failing = kernel(*values)
        outside = (moment < _FIRST) | (moment > _LAST)
        return moment, _failing(outside if failing is None else outside | failing)

    return run


def _failing(mask: Mask) -> Mask | None:
    return mask if mask.any() else None


def _add_whole(left: _Ints, right: _Ints) -> Result:
    total = np.add(left, right)
    return total, _failing(((left ^ total) & (right ^ total)) < 0)


def _subtract_whole(left: _Ints, right: _Ints) -> Result:
    rest = np.subtract(left, right)
    return rest, _failing(((left ^ right) & (left ^ rest)) < 0)


def _multiply_whole(left: _Ints, right: _Ints) -> Result:
    product = np.multiply(left, right)
    doubtful = np.abs(left.astype(np.float64) * right) >= _NEAR_OVERFLOW
    if not doubtful.any():
        return product, None
    both = np.broadcast_arrays(left, right)
    exact = both[0].astype(object) * both[1].astype(object)
    limit = int(_MIN_INT)
    return product, _failing((exact < limit) | (exact >= -limit))


def _quotient(left: _Ints, right: _Ints) -> tuple[_Ints, _Ints, Mask | None]:
    """Divide towards zero; return quotient, divisor made safe, and the failing rows."""
    failing = (right == 0) | ((left == _MIN_INT) & (right == -1))
    divisor = np.where(failing, np.int64(1), right)
    floor = left // divisor
    inexact = (floor * divisor != left) & ((left < 0) != (divisor < 0))
    return floor + inexact, divisor, _failing(failing)


def _divide_whole(left: _Ints, right: _Ints) -> Result:
    quotient, _, failing = _quotient(left, right)
    return quotient, failing


def _remainder_whole(left: _Ints, right: _Ints) -> Result:
    quotient, divisor, _ = _quotient(left, right)
    rest = np.where(right == -1, np.int64(0), left - quotient * divisor)
    return rest, _failing(right == 0)


def _negate_whole(value: _Ints) -> Result:
    return np.negative(value), _failing(value == _MIN_INT)


def _absolute_whole(value: _Ints) -> Result:
    return np.abs(value), _failing(value == _MIN_INT)


def _int_of_double(value: _Doubles) -> Result:
    failing = ~((value >= -_TOO_LARGE) & (value < _TOO_LARGE))  # NaN compares false
    return np.trunc(np.where(failing, 0.0, value)).astype(np.int64), _failing(failing)


def _double_of_int(value: _Ints) -> Result:
    return value.astype(np.float64), None


def _round(value: _Doubles) -> Result:
    size = np.abs(value)
    whole = np.floor(size)
    return np.copysign(np.where(size - whole >= 0.5, whole + 1.0, whole), value), None


def _ceiling(value: _Doubles) -> Result:
    return np.ceil(value) + 0.0, None  # + 0.0: no negative zero


def _floor(value: _Doubles) -> Result:
    return np.floor(value) + 0.0, None


def _least(*values: Array) -> Result:
    least = values[0]
    for value in values[1:]:
        least = cast("Array", np.where(value < least, value, least))
    return least, None


def _greatest(*values: Array) -> Result:
    greatest = values[0]
    for value in values[1:]:
        greatest = cast("Array", np.where(value > greatest, value, greatest))
    return greatest, None


class _Ufunc(Protocol):
    def __call__(self, *values: Array) -> Array: ...


def _safe(ufunc: np.ufunc) -> Kernel:
    """Make a kernel of a numpy function that never fails."""
    compute = cast("_Ufunc", ufunc)

    def run(*values: Array) -> Result:
        return compute(*values), None

    return run


_PLAIN = frozenset({BOOL, INT, DOUBLE, DURATION, TIMESTAMP})
_COMPARISONS: Mapping[str, np.ufunc] = {
    "_<_": np.less, "_<=_": np.less_equal, "_>_": np.greater, "_>=_": np.greater_equal,
    "_==_": np.equal, "_!=_": np.not_equal,
}  # fmt: skip
_ON_WHOLE = {
    "_+_": _add_whole, "_-_": _subtract_whole, "_*_": _multiply_whole, "_/_": _divide_whole,
    "_%_": _remainder_whole, "-_": _negate_whole, "abs": _absolute_whole, "min": _least,
    "max": _greatest, "double": _double_of_int, "!_": _safe(np.logical_not),
}  # fmt: skip
_ON_DOUBLE = {
    "_+_": _safe(np.add), "_-_": _safe(np.subtract), "_*_": _safe(np.multiply),
    "_/_": _safe(np.divide), "-_": _safe(np.negative), "abs": _safe(np.absolute),
    "ceil": _ceiling, "floor": _floor, "round": _round, "min": _least, "max": _greatest,
    "int": _int_of_double,
}  # fmt: skip
_SAME = {name: _safe(ufunc) for name, ufunc in _COMPARISONS.items()}
_WHOLE = cast("Mapping[str, Kernel]", {**_SAME, **_ON_WHOLE})
_DOUBLE = cast("Mapping[str, Kernel]", {**_SAME, **_ON_DOUBLE})
