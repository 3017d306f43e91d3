"""Functions over lists and maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from policyscaler.policy.signatures import Function, Style, function, overload
from policyscaler.policy.text_functions import INDEX_OF, LAST_INDEX_OF
from policyscaler.policy.types import (
    BOOL,
    DOUBLE,
    DURATION,
    INT,
    STRING,
    TIMESTAMP,
    ListType,
    MapType,
    T,
)

_LISTS = ListType(T)
_ORDERED = (INT, DOUBLE, STRING, DURATION, TIMESTAMP)


def _size(value: Sequence[object]) -> int:
    return len(value)


def _entries(value: Mapping[str, object]) -> int:
    return sum(item is not None for item in value.values())


def _is_sorted(items: Sequence[float]) -> bool:
    return all(left <= right for left, right in pairwise(items))


def _sorted(items: Sequence[float]) -> tuple[float, ...]:
    return tuple(sorted(items))


def _distinct(items: Sequence[object]) -> tuple[object, ...]:
    kept: list[object] = []
    for item in items:
        if item not in kept:
            kept.append(item)
    return tuple(kept)


def _index(items: Sequence[object], item: object) -> int:
    return next((position for position, other in enumerate(items) if other == item), -1)


def _last_index(items: Sequence[object], item: object) -> int:
    found = _index(items[::-1], item)
    return -1 if found < 0 else len(items) - 1 - found


LIST_FUNCTIONS: tuple[Function, ...] = (
    function(
        "size", Style.BOTH, description="Characters of a text, items of a list, entries of a map.",
        overloads=(
            overload((STRING,), INT, run=_size),
            overload((_LISTS,), INT, run=_size),
            overload((MapType(T),), INT, run=_entries),
        ),
    ),
    function(
        "indexOf", Style.METHOD, description="Position of the first such part or item, or -1.",
        overloads=(INDEX_OF, overload((_LISTS, T), INT, run=_index)),
    ),
    function(
        "lastIndexOf", Style.METHOD, description="Position of the last such part or item, or -1.",
        overloads=(LAST_INDEX_OF, overload((_LISTS, T), INT, run=_last_index)),
    ),
    function(
        "isSorted", Style.METHOD, description="Whether no item is less than the one before.",
        overloads=tuple(overload((ListType(kind),), BOOL, run=_is_sorted) for kind in _ORDERED),
    ),
    function(
        "sort", Style.METHOD, description="The items in ascending order.",
        overloads=tuple(
            overload((ListType(kind),), ListType(kind), run=_sorted) for kind in _ORDERED
        ),
    ),
    function(
        "distinct", Style.METHOD, description="The items without repetitions, in their order.",
        overloads=(overload((_LISTS,), _LISTS, run=_distinct),),
    ),
)  # fmt: skip
