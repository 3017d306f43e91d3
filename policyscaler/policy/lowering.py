"""Lowering to columns: a checked expression becomes steps over whole arrays.

What does not depend on the row is computed once, by a closure. Errors travel as masks beside the
values, so `false && <error>` is false row by row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol, cast

import numpy as np

from policyscaler.policy.closures import CannotLower, to_closure
from policyscaler.policy.columns import Column, Mask, Path, is_coded
from policyscaler.policy.core import (
    Call,
    Choice,
    Get,
    Has,
    ListOf,
    Logic,
    Loop,
    MapOf,
    Typed,
    Var,
    field_path,
    reads_variable,
)
from policyscaler.policy.faults import EvalError
from policyscaler.policy.kernels import find_kernel
from policyscaler.policy.types import ListType, MapType, ObjectType, Type
from policyscaler.policy.vectors import (
    Fixed,
    Frame,
    Operand,
    Step,
    Vector,
    apply_distinct,
    either,
    raw_operand,
    spread,
)

_ITEMS = "\0items"


def to_columns(node: Typed, row: str) -> Step:
    """Return the steps of an expression over rows.

    Args:
        node: A checked expression.
        row: Its row variable.

    Raises:
        CannotLower: Naming the construct that needs one row at a time.
    """
    return _Lowering(row).lower(node)


class _Lower(Protocol):
    def __call__(self, node: Typed, /) -> Step: ...


class _Lowering:
    def __init__(self, row: str) -> None:
        self._row = row
        lowerings = {
            Var: self._var,
            Get: self._get,
            Has: self._has,
            Call: self._call,
            Logic: self._logic,
            Choice: self._choice,
            ListOf: self._list,
            MapOf: self._map,
            Loop: self._loop,
        }
        self._lowerings = cast("Mapping[type, _Lower]", lowerings)

    def lower(self, node: Typed) -> Step:
        if not reads_variable(node, self._row):
            return _once(node)
        return self._lowerings[type(node)](node)

    def _path(self, node: Typed) -> Path | None:
        path = field_path(node)
        return path[1:] if path is not None and path[0] == self._row else None

    # ── fields ──────────────────────────────────────────────────────────────────────────────────

    def _var(self, node: Var) -> Step:
        raise CannotLower(f"'{node.name}' as a whole", node.span)

    def _get(self, node: Get) -> Step:
        path = self._path(node)
        kind = node.type.item if isinstance(node.type, ListType) else node.type
        if path is None or isinstance(kind, ObjectType | MapType):
            raise CannotLower(f"'{node.field}' as a whole", node.span)
        return lambda frame: _read(frame.table.columns[path], path)

    def _has(self, node: Has) -> Step:
        parent = self._path(node.operand)
        if parent is None:
            raise CannotLower("has() of a computed object", node.span)
        path = (*parent, node.field)

        def run(frame: Frame) -> Operand:
            column = frame.table.columns.get(path)
            there = frame.table.present.get(path)
            if column is not None and column.missing is not None:
                there = ~column.missing
            owner = frame.table.present.get(parent)
            if there is None:
                there = np.ones(frame.table.size, np.bool_)
            return Vector(there, None, None if owner is None else ~owner)

        return run

    def _entry(self, node: Call, path: Path) -> Step:
        """Read, or ask for, an entry of a map of the row."""
        asks = node.name == "_in_"
        key_node = node.arguments[0 if asks else 1]
        if reads_variable(key_node, self._row):
            raise CannotLower("an entry of a map under a computed key", node.span)
        find_key = _once(key_node)

        def run(frame: Frame) -> Operand:
            key = find_key(frame)
            if not isinstance(key, Fixed) or key.failed:
                return Fixed(None, failed=True)
            column = frame.table.entries[path].get(cast("str", key.value))
            if column is None:
                return Fixed(value=False) if asks else Fixed(None, failed=True)
            if not asks:
                return _read(column, (*path, "", cast("str", key.value)))
            return Fixed(value=True) if column.missing is None else Vector(~column.missing)

        return run

    # ── calls ───────────────────────────────────────────────────────────────────────────────────

    def _call(self, node: Call) -> Step:
        for argument in node.arguments:
            if isinstance(argument.type, MapType) and reads_variable(argument, self._row):
                path = self._path(argument)
                if path is None or node.name not in {"_in_", "_[_]"}:
                    raise CannotLower(f"'{node.name}' of a map as a whole", node.span)
                return self._entry(node, path)
        arguments = [self.lower(argument) for argument in node.arguments]
        kinds = tuple(argument.type for argument in node.arguments)
        kernel = find_kernel(node.name, kinds)
        if kernel is None:
            return self._distinct(node, arguments, kinds)
        compute = kernel

        def run(frame: Frame) -> Operand:
            operands = [argument(frame) for argument in arguments]
            error: Mask | None = None
            for operand in operands:
                if isinstance(operand, Vector):
                    error = either(error, operand.error)
                elif operand.failed:
                    return operand
            raw = [raw_operand(o, kind) for o, kind in zip(operands, kinds, strict=True)]
            data, failing = compute(*raw)
            if data.ndim == 0:  # every operand turned out to be the same for all rows
                return Vector(
                    np.broadcast_to(cast("Mask", data), (frame.table.size,)),
                    None,
                    either(error, failing),
                )
            return Vector(data, None, either(error, failing))

        return run

    def _distinct(self, node: Call, arguments: list[Step], kinds: tuple[Type, ...]) -> Step:
        implementation, key, result = node.overload.implementation, node.overload.key, node.type
        _require_hashable(node)

        def run(frame: Frame) -> Operand:
            operands = [argument(frame) for argument in arguments]
            return apply_distinct(
                implementation, operands, kinds=kinds, result=result, frame=frame, key=key
            )

        return run

    def _list(self, node: ListOf) -> Step:
        items = [self.lower(item) for item in node.items]
        kinds = [item.type for item in node.items]
        _require_hashable(node)

        def together(*values: object) -> object:
            return values

        def run(frame: Frame) -> Operand:
            operands = [item(frame) for item in items]
            return apply_distinct(together, operands, kinds=kinds, result=node.type, frame=frame)

        return run

    def _map(self, node: MapOf) -> Step:
        raise CannotLower("a map built from fields of the row", node.span)

    def _loop(self, node: Loop) -> Step:
        if reads_variable(node.body, self._row):
            raise CannotLower(f"'{node.macro}' whose body reads '{self._row}'", node.span)
        _require_hashable(node)
        items, kind = self.lower(node.items), node.items.type
        each = to_closure(replace(node, items=Var(_ITEMS, kind, node.items.span)))

        def run(frame: Frame) -> Operand:
            def over(*held: object) -> object:
                return each({**frame.bindings, _ITEMS: held[0]})

            return apply_distinct(over, [items(frame)], kinds=[kind], result=node.type, frame=frame)

        return run

    # ── logic ───────────────────────────────────────────────────────────────────────────────────

    def _logic(self, node: Logic) -> Step:
        # What is the same for every row comes first: it may settle the matter.
        ordered = sorted(node.operands, key=lambda operand: reads_variable(operand, self._row))
        steps = [self.lower(operand) for operand in ordered]
        return lambda frame: _decide(steps, frame, decisive=node.operator == "||")

    def _choice(self, node: Choice) -> Step:
        condition, yes, no = map(self.lower, (node.condition, node.yes, node.no))
        kind = node.type
        _require_hashable(node)

        def run(frame: Frame) -> Operand:
            chosen = condition(frame)
            if isinstance(chosen, Fixed):
                if chosen.failed:
                    return chosen
                return yes(frame) if chosen.value else no(frame)
            size = frame.table.size
            sides = spread(yes(frame), kind, size=size), spread(no(frame), kind, size=size)
            return _choose(chosen, *sides)

        return run


def _once(node: Typed) -> Step:
    """Return a step that computes what is the same for every row."""
    closure = to_closure(node)

    def run(frame: Frame) -> Operand:
        try:
            return Fixed(closure(frame.bindings))
        except EvalError:
            return Fixed(None, failed=True)

    return run


def _require_hashable(node: Typed) -> None:
    """Refuse results that no vocabulary can hold."""
    if isinstance(node.type, MapType | ObjectType):
        raise CannotLower("a map or an object as a value", node.span)


def _read(column: Column, path: Path) -> Vector:
    return Vector(
        column.data, column.vocabulary, column.missing, path if is_coded(column.type) else None
    )


def _decide(steps: list[Step], frame: Frame, *, decisive: bool) -> Operand:
    """Combine outcomes: `open_` marks the rows that no operand has settled yet."""
    open_: Mask | None = None
    failing: Mask | None = None
    failed = False
    for step in steps:
        operand = step(frame)
        if isinstance(operand, Fixed):
            if operand.failed:
                failed = True
            elif operand.value is decisive:
                return operand
            continue
        opposite = operand.data.astype(np.bool_, copy=False)
        if decisive:
            opposite = ~opposite
        undecided = opposite if operand.error is None else opposite | operand.error
        open_ = undecided if open_ is None else open_ & undecided
        failing = either(failing, operand.error)
        if not open_.any():
            break
    if open_ is None:
        return Fixed(None, failed=True) if failed else Fixed(not decisive)
    settled = ~open_ if decisive else open_
    if failed:
        return Vector(settled, None, open_)
    if failing is None:
        return Vector(settled)
    return Vector(settled, None, open_ & failing)


def _choose(condition: Vector, yes: Vector, no: Vector) -> Vector:
    where = condition.data.astype(np.bool_, copy=False)
    other, vocabulary = no.data, yes.vocabulary
    if vocabulary is not None and no.vocabulary:  # empty: all rows of that side have failed
        other, vocabulary = no.data + len(vocabulary), vocabulary + no.vocabulary
    error = condition.error
    if yes.error is not None or no.error is not None:
        none = np.zeros(len(where), np.bool_)
        left = none if yes.error is None else yes.error
        right = none if no.error is None else no.error
        error = either(error, np.where(where, left, right))
    return Vector(np.where(where, yes.data, other), vocabulary, error)
