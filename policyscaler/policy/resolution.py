"""Which overload of a function fits its arguments, and what must be converted for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from policyscaler.policy.core import Call, Const, ListOf, Typed
from policyscaler.policy.findings import Span
from policyscaler.policy.functions import FUNCTIONS
from policyscaler.policy.signatures import Function
from policyscaler.policy.types import (
    DOUBLE,
    INT,
    NOTHING,
    ListType,
    MapType,
    Type,
    TypeParameter,
    join_types,
)

_TO_DOUBLE = FUNCTIONS["double"].overloads[0]


def resolve(function: Function, arguments: Sequence[Typed], *, span: Span) -> Call | None:
    """Return the call of the overload that fits with the fewest conversions, or None.

    Args:
        function: What is called.
        arguments: The arguments, the receiver first.
        span: Where the call stands.
    """
    best: tuple[int, Call] | None = None
    for overload in function.overloads:
        if len(overload.parameters) != len(arguments):
            continue
        binding: dict[str, Type] = {}
        pairs = list(zip(overload.parameters, arguments, strict=True))
        if not all(_unify(parameter, argument.type, binding) for parameter, argument in pairs):
            continue
        converted = [coerce(argument, _bind(parameter, binding)) for parameter, argument in pairs]
        fitting = tuple(argument for argument in converted if argument is not None)
        if len(fitting) < len(converted):
            continue
        cost = sum(new is not old for new, old in zip(fitting, arguments, strict=True))
        if best is None or cost < best[0]:
            best = (cost, Call(overload, fitting, _bind(overload.result, binding), span))
    return best[1] if best else None


def _unify(parameter: Type, argument: Type, binding: dict[str, Type]) -> bool:
    if isinstance(parameter, TypeParameter):
        bound = binding.get(parameter.name)
        joined = argument if bound is None else join_types(bound, argument)
        if joined is not None:
            binding[parameter.name] = joined
        return joined is not None
    if isinstance(parameter, ListType):
        if not isinstance(argument, ListType):
            return False
        return argument.item == NOTHING or _unify(parameter.item, argument.item, binding)
    if isinstance(parameter, MapType):
        return isinstance(argument, MapType) and _unify(parameter.value, argument.value, binding)
    return join_types(parameter, argument) == parameter


def _bind(parameter: Type, binding: dict[str, Type]) -> Type:
    if isinstance(parameter, TypeParameter):
        return binding.get(parameter.name, NOTHING)
    if isinstance(parameter, ListType):
        return ListType(_bind(parameter.item, binding))
    if isinstance(parameter, MapType):
        return MapType(_bind(parameter.value, binding))
    return parameter


def coerce(node: Typed, wanted: Type) -> Typed | None:
    """Return `node` as a value of the wanted type, or None if it cannot be one.

    An int becomes a double; so do the items of a list that is written out.
    """
    if node.type == wanted:
        return node
    if node.type == INT and wanted == DOUBLE:
        if isinstance(node, Const) and isinstance(node.value, int):
            return Const(float(node.value), DOUBLE, node.span)
        return Call(_TO_DOUBLE, (node,), DOUBLE, node.span)
    if isinstance(node, ListOf) and isinstance(wanted, ListType):
        items = [coerce(item, wanted.item) for item in node.items]
        fitting = tuple(item for item in items if item is not None)
        if len(fitting) == len(items):
            return replace(node, items=fitting, type=ListType(wanted.item, len(items)))
    return None
