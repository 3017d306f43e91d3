"""Functions over numbers: conversion, rounding, extremes, quantities."""

from __future__ import annotations

import math
from collections.abc import Sequence

from policyscaler.model.errors import QuantityError
from policyscaler.model.quantities import NANO, parse_quantity
from policyscaler.policy.operators import MAX_INT, MIN_INT, checked_int
from policyscaler.policy.signatures import Function, Style, ValueFault, function, overload
from policyscaler.policy.types import DOUBLE, DURATION, INT, STRING, TIMESTAMP, ListType, Scalar

_MAX_ARGUMENTS = 6
_ORDERED: tuple[Scalar, ...] = (INT, DOUBLE, STRING, DURATION, TIMESTAMP)


def _int_of_double(value: float) -> int:
    if math.isnan(value) or not MIN_INT <= value <= MAX_INT or value == float(2**63):
        raise ValueFault(f"int({value}): not a 64-bit integer")
    return int(value)


def _int_of_text(text: str) -> int:
    digits = text.removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdigit() and len(text) <= 20 and text[:1] != "+"):
        raise ValueFault(f"int('{text[:40]}'): not an integer")
    return checked_int(int(text))


def _same(value: object) -> object:
    return value


def _double_of_int(value: int) -> float:
    return float(value)


def _double_of_text(text: str) -> float:
    compact = text.strip() == text and "_" not in text
    try:
        return float(text) if compact else _no_double(text)
    except ValueError:
        return _no_double(text)


def _no_double(text: str) -> float:
    raise ValueFault(f"double('{text[:40]}'): not a number")


def _quantity(text: str) -> float:
    try:
        return parse_quantity(text) / NANO
    except QuantityError as error:
        raise ValueFault(str(error)) from None


def _absolute_int(value: int) -> int:
    return checked_int(abs(value))


def _absolute(value: float) -> float:
    return abs(value)


def _ceiling(value: float) -> float:
    return float(math.ceil(value)) if math.isfinite(value) else value


def _floor(value: float) -> float:
    return float(math.floor(value)) if math.isfinite(value) else value


def _round(value: float) -> float:
    """Round half away from zero, as CEL's math.round does."""
    if not math.isfinite(value):
        return value
    whole = math.floor(abs(value))
    return math.copysign(float(whole + (abs(value) - whole >= 0.5)), value)


def _least(*values: float) -> float:
    return min(values)


def _greatest(*values: float) -> float:
    return max(values)


def least_item(items: Sequence[float]) -> float:
    """Return the least item of a list that is not empty."""
    if not items:
        raise ValueFault("the min of an empty list")
    return min(items)


def greatest_item(items: Sequence[float]) -> float:
    """Return the greatest item of a list that is not empty."""
    if not items:
        raise ValueFault("the max of an empty list")
    return max(items)


def _total_int(items: Sequence[int]) -> int:
    return checked_int(sum(items))


def _total(items: Sequence[float]) -> float:
    total = 0.0
    for item in items:  # in order, so that every engine rounds alike
        total += item
    return total


def _extreme(name: str, description: str, *, run: object, run_list: object) -> Function:
    repeated = tuple(
        overload((kind,) * count, kind, run=run)
        for count in range(2, _MAX_ARGUMENTS + 1)
        for kind in (INT, DOUBLE, DURATION, TIMESTAMP)
    )
    lists = tuple(overload((ListType(kind),), kind, run=run_list) for kind in _ORDERED)
    return function(name, Style.BOTH, overloads=(*repeated, *lists), description=description)


NUMBER_FUNCTIONS: tuple[Function, ...] = (
    function(
        "int", Style.GLOBAL, description="To a whole number; a double is cut towards zero.",
        overloads=(
            overload((INT,), INT, run=_same),
            overload((DOUBLE,), INT, run=_int_of_double),
            overload((STRING,), INT, run=_int_of_text),
        ),
        example="int(ceil(1.2))",
    ),
    function(
        "double", Style.GLOBAL, description="To a floating-point number.",
        overloads=(
            overload((INT,), DOUBLE, run=_double_of_int),
            overload((DOUBLE,), DOUBLE, run=_same),
            overload((STRING,), DOUBLE, run=_double_of_text),
        ),
    ),
    function(
        "quantity", Style.GLOBAL, description="A Kubernetes quantity as a number in base units.",
        overloads=(overload((STRING,), DOUBLE, run=_quantity),), example="quantity('4Gi')",
    ),
    function(
        "abs", Style.GLOBAL, description="The distance from zero.",
        overloads=(overload((INT,), INT, run=_absolute_int), overload((DOUBLE,), DOUBLE, run=_absolute)),
    ),
    function(
        "ceil", Style.GLOBAL, description="The next whole number upwards, as a double.",
        overloads=(overload((DOUBLE,), DOUBLE, run=_ceiling),),
    ),
    function(
        "floor", Style.GLOBAL, description="The next whole number downwards, as a double.",
        overloads=(overload((DOUBLE,), DOUBLE, run=_floor),),
    ),
    function(
        "round", Style.GLOBAL, description="The nearest whole number, halves away from zero.",
        overloads=(overload((DOUBLE,), DOUBLE, run=_round),),
    ),
    _extreme(
        "min", "The least of two to six values, or of a list.", run=_least, run_list=least_item
    ),
    _extreme(
        "max", "The greatest of two to six values, or of a list.", run=_greatest,
        run_list=greatest_item,
    ),
    function(
        "sum", Style.BOTH, description="The sum of a list; 0 for an empty one.",
        overloads=(
            overload((ListType(DOUBLE),), DOUBLE, run=_total),
            overload((ListType(INT),), INT, run=_total_int),
        ),
        example="sum(node.pods.map(p, p.priority))",
    ),
)  # fmt: skip
