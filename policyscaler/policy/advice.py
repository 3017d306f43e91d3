"""The sentences of type errors: what does not fit, and what to write instead."""

from __future__ import annotations

from collections.abc import Sequence

from policyscaler.policy.core import Call, Const, Get, Typed
from policyscaler.policy.findings import Span
from policyscaler.policy.signatures import Function, Style
from policyscaler.policy.types import (
    BOOL,
    DOUBLE,
    DURATION,
    INT,
    STRING,
    TIMESTAMP,
    ListType,
    ObjectType,
    Type,
)

_VERBS = {
    "_+_": "{} and {} cannot be added",
    "_-_": "{1} cannot be subtracted from {0}",
    "_*_": "{} and {} cannot be multiplied",
    "_/_": "{} cannot be divided by {}",
    "_%_": "{} % {} needs two ints",
    "-_": "{} has no negative",
    "!_": "! needs a bool, not {}",
    "_in_": "'in' needs a list of {0} or a map on the right, not {1}",
    "_[_]": "{} cannot be indexed by {}",
}
_NUMBERS = (INT, DOUBLE)
_ELSEWHERE = {
    "now": "the time is a variable: write now",
    "len": "write size(x)",
    "length": "write size(x)",
    "lower": "write x.lowerAscii()",
    "upper": "write x.upperAscii()",
    "reduce": "there is no reduce; write sum, min or max of a list",
    "any": "write list.exists(x, ...)",
    "every": "write list.all(x, ...)",
    "includes": "write x in list, or text.contains(part)",
    "dyn": "every value has a type; there is no dyn",
    "type": "every value has a known type; there is no type()",
    "uint": "there is no uint; write int(x)",
    "bytes": "there are no bytes",
    "bool": "compare instead, as in x == 'true'",
}
_NOWHERE = Span(0, 0)
_SMALLEST_MEMORY = 2.0**20


def no_overload(function: Function, arguments: Sequence[Typed]) -> str:
    """Say why no overload of a function or operator fits."""
    kinds = [str(argument.type) for argument in arguments]
    verb = _VERBS.get(function.name)
    if verb is not None:
        return verb.format(*kinds)
    if function.style is Style.OPERATOR:
        return f"{kinds[0]} and {kinds[1]} cannot be compared"
    signatures = sorted({_signature(function, o.parameters) for o in function.overloads})
    shown = "; ".join(signatures[:3])
    more = ", ..." if len(signatures) > 3 else ""
    return f"'{function.name}' does not take ({', '.join(kinds)}); it takes {shown}{more}"


def _signature(function: Function, parameters: Sequence[Type]) -> str:
    if function.style is Style.METHOD:
        return f"{parameters[0]}.{function.name}({', '.join(map(str, parameters[1:]))})"
    return f"{function.name}({', '.join(map(str, parameters))})"


def operands(arguments: Sequence[Typed]) -> str:
    """Suggest how operands of different types can meet."""
    kinds = [argument.type for argument in arguments]
    if DURATION in kinds and any(kind in _NUMBERS or kind == STRING for kind in kinds):
        return "write a duration as duration('20m')"
    if TIMESTAMP in kinds and STRING in kinds:
        return "write a time as timestamp('2026-12-01T00:00:00Z')"
    if STRING in kinds and any(kind in _NUMBERS for kind in kinds):
        return "write an amount as quantity('4Gi') or a number without quotes; string(x) makes text of a number"
    if BOOL in kinds and STRING in kinds:
        return "write true or false without quotes"
    if len(kinds) > 1 and isinstance(kinds[1], ListType) and kinds[1].item == kinds[0]:
        return "write x in list"
    return ""


def conversion(given: Type, wanted: Type) -> str:
    """Suggest how a value of one type becomes another."""
    if wanted == BOOL and given in _NUMBERS:
        return "compare it with something, as in x > 0"
    if wanted == BOOL and given == STRING:
        return "compare it with something, as in x == 'a'"
    if wanted == BOOL and isinstance(given, ObjectType):
        return "ask has(x), or read one of its fields"
    if wanted == INT and given == DOUBLE:
        return "write int(x)"
    if wanted == STRING and given in _NUMBERS:
        return "write string(x)"
    return operands((Const(None, given, _NOWHERE), Const(None, wanted, _NOWHERE)))


def no_fields(name: str, kind: Type) -> str:
    """Suggest what stands for a field of a value without fields."""
    if isinstance(kind, ListType):
        return "write list.exists(x, ...) or list.map(x, ...) for its items"
    if name in {"length", "size"}:
        return "write size(x)"
    return ""


def unknown_function(name: str) -> str:
    """Suggest what this language has for a function of another."""
    return _ELSEWHERE.get(name, "")


def call_form(name: str, *, method: bool) -> str:
    """Say how a function is called."""
    return f"write x.{name}(...)" if method else f"write {name}(x, ...)"


def doubt_about(call: Call) -> str:
    """Return a doubt about a comparison that has correct types, or ""."""
    if call.name not in {"_<_", "_<=_", "_>_", "_>=_", "_==_", "_!=_"}:
        return ""
    for side, other in (call.arguments, call.arguments[::-1]):
        value = other.value if isinstance(other, Const) else None
        is_small = isinstance(value, float | int) and 0 < value < _SMALLEST_MEMORY
        if is_small and unit_of(side) == "bytes":
            return f"memory is in bytes, {value:g} is almost nothing: did you mean quantity('{value:g}Gi')?"
    return ""


def unit_of(node: Typed) -> str:
    """Return the unit of a field, or ""."""
    if isinstance(node, Get) and isinstance(node.operand.type, ObjectType):
        return node.operand.type.fields[node.field].unit
    return ""
