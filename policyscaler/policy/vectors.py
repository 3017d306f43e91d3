"""Values during a column evaluation: one for all rows, or one per row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from policyscaler.policy.columns import (
    Array,
    Column,
    ColumnTable,
    Mask,
    Path,
    from_raw,
    is_coded,
    make_column,
    to_raw,
)
from policyscaler.policy.faults import EvalError
from policyscaler.policy.signatures import Implementation, ValueFault
from policyscaler.policy.types import BOOL, DOUBLE, Type

_MAX_ANSWERS = 4_096
_MAX_PAIRS = 1 << 20


@dataclass(slots=True)
class Fixed:
    """A value that is the same for every row, as closures give it; or a failure."""

    value: object
    failed: bool = False


@dataclass(slots=True)
class Vector:
    """A value per row, in the form of a `Column`.

    Attributes:
        error: True where the row failed; data there means nothing. None if no row did.
        source: The path of the column that this is, unchanged; "" key for entries.
    """

    data: Array
    vocabulary: tuple[object, ...] | None = None
    error: Mask | None = None
    source: Path | None = None


Operand: TypeAlias = Fixed | Vector


@dataclass(frozen=True, slots=True)
class Frame:
    """What a step works on."""

    table: ColumnTable
    bindings: Mapping[str, object]


Step: TypeAlias = Callable[[Frame], Operand]


def either(left: Mask | None, right: Mask | None) -> Mask | None:
    """Return the rows in one mask or the other."""
    if left is None:
        return right
    return left if right is None else left | right


def spread(operand: Operand, kind: Type, *, size: int) -> Vector:
    """Return an operand as a vector."""
    if isinstance(operand, Vector):
        return operand
    if operand.failed:
        vocabulary: tuple[object, ...] | None = () if is_coded(kind) else None
        return Vector(_zeros(kind, size), vocabulary, np.ones(size, np.bool_))
    if is_coded(kind):
        return Vector(np.zeros(size, np.int32), (operand.value,))
    column = make_column((operand.value,), kind)
    return Vector(cast("Array", np.broadcast_to(column.data, (size,))))


def _zeros(kind: Type, size: int) -> Array:
    return cast("Array", np.zeros(size, make_column((), kind).data.dtype))


def raw_operand(operand: Operand, kind: Type) -> Array:
    """Return the data of an operand for a kernel: an array, or one number as an array of one."""
    if isinstance(operand, Vector):
        return operand.data
    raw = to_raw(operand.value, kind)
    dtype = np.bool_ if kind == BOOL else np.float64 if kind == DOUBLE else np.int64
    return cast("Array", np.asarray(raw, dtype))


def apply_distinct(
    run: Implementation,
    operands: Sequence[Operand],
    *,
    kinds: Sequence[Type],
    result: Type,
    frame: Frame,
    key: str = "",
) -> Operand:
    """Call a function once for each distinct combination of its operands, and spread the answers.

    Args:
        run: Takes one value per operand; may raise ValueFault or EvalError.
        operands: Fixed or per row.
        kinds: Types of the operands.
        result: Type of what `run` returns.
        frame: Where answers about vocabularies are kept.
        key: Names the function if its answer depends on nothing else; "" keeps no answers.
    """
    if any(isinstance(operand, Fixed) and operand.failed for operand in operands):
        return Fixed(None, failed=True)
    vectors = [o for o in operands if isinstance(o, Vector)]
    if not vectors:  # they depend on the row in general, and not with these variables
        return _call_once(run, operands)
    error: Mask | None = None
    for vector in vectors:
        error = either(error, vector.error)
    known = _answer_key(operands, key)
    answers = frame.table.answers.get(known) if known else None
    if isinstance(answers, Column):
        return _gather(answers, vectors[0].data, error)
    codes, combinations = _combine(operands, kinds)
    answers = _answer(run, operands, combinations, result=result)
    if known:
        if len(frame.table.answers) >= _MAX_ANSWERS:
            frame.table.answers.clear()
        frame.table.answers[known] = answers
    return _gather(answers, codes, error)


def _call_once(run: Implementation, operands: Sequence[Operand]) -> Fixed:
    try:
        return Fixed(run(*(operand.value for operand in operands if isinstance(operand, Fixed))))
    except (ValueFault, EvalError):
        return Fixed(None, failed=True)


def _answer_key(operands: Sequence[Operand], key: str) -> tuple[object, ...] | None:
    """Return what the answers about one unchanged coded column are kept under, or None."""
    vectors = [operand for operand in operands if isinstance(operand, Vector)]
    if not key or len(vectors) != 1 or vectors[0].source is None or vectors[0].vocabulary is None:
        return None
    fixed = tuple(o.value if isinstance(o, Fixed) else None for o in operands)
    hashable = all(isinstance(value, str | int | float | tuple | None) for value in fixed)
    return (key, vectors[0].source, fixed, tuple(map(type, fixed))) if hashable else None


def _answer(
    run: Implementation,
    operands: Sequence[Operand],
    combinations: Sequence[tuple[object, ...]],
    *,
    result: Type,
) -> Column:
    answers: list[object] = []
    for combination in combinations:
        parts = iter(combination)
        values = [next(parts) if isinstance(o, Vector) else o.value for o in operands]
        try:
            answers.append(run(*values))
        except (ValueFault, EvalError):
            answers.append(None)
    return make_column(answers, result)


def _gather(answers: Column, codes: Array, error: Mask | None) -> Vector:
    if not len(answers.data):  # no row had a value to ask about
        nothing = cast("Array", np.zeros(len(codes), answers.data.dtype))
        return Vector(nothing, answers.vocabulary, error)
    failing = None if answers.missing is None else answers.missing[codes]
    return Vector(answers.data[codes], answers.vocabulary, either(error, failing))


def _combine(
    operands: Sequence[Operand], kinds: Sequence[Type]
) -> tuple[Array, list[tuple[object, ...]]]:
    """Return a code per row and the values of the vectors that each code stands for."""
    pairs = [
        _values_of(operand, kind)
        for operand, kind in zip(operands, kinds, strict=True)
        if isinstance(operand, Vector)
    ]
    codes, values = pairs[0]
    combinations: list[tuple[object, ...]] = [(value,) for value in values]
    for more, others in pairs[1:]:
        width = max(len(others), 1)
        joint = codes.astype(np.int64) * width + more.astype(np.int64)
        used, codes = _used(joint, max(len(combinations), 1) * width)
        combinations = [
            (*combinations[code // width], others[code % width])
            for code in used.tolist()
            if others and combinations
        ]
    return codes, combinations


def _used(joint: NDArray[np.int64], most: int) -> tuple[NDArray[np.int64], Array]:
    """Return the distinct codes in ascending order, and each row's place among them."""
    if most > _MAX_PAIRS:
        used, places = np.unique(joint, return_inverse=True)
        return used, places.astype(np.int32)
    counts = np.bincount(joint, minlength=most)
    used = np.flatnonzero(counts).astype(np.int64)
    lookup = np.zeros(most, np.int32)
    lookup[used] = np.arange(len(used), dtype=np.int32)
    return used, lookup[joint]


def _values_of(vector: Vector, kind: Type) -> tuple[Array, tuple[object, ...]]:
    if vector.vocabulary is not None:
        return vector.data, vector.vocabulary
    distinct, codes = np.unique(vector.data, return_inverse=True)
    return codes.astype(np.int32), tuple(from_raw(value, kind) for value in distinct)
