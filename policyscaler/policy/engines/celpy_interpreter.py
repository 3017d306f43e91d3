"""celpy's interpreter, for what cannot be lowered and as the oracle of the differential fuzz.

Never its compiled runner: that one keeps results in module globals and exposes Python attributes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Protocol, TypeAlias, cast

from celpy import celtypes
from celpy.celtypes import Value
from celpy.evaluation import CELEvalError

from policyscaler.policy.core import Call, Typed, walk
from policyscaler.policy.engines.celpy_parser import environment
from policyscaler.policy.faults import EvalError
from policyscaler.policy.signatures import Overload, ValueFault
from policyscaler.policy.types import ListType, MapType, ObjectType, Type
from policyscaler.policy.unparse import celpy_name, to_celpy


class _Function(Protocol):
    def __call__(self, *arguments: Value | CELEvalError) -> Value | CELEvalError: ...


Interpreted: TypeAlias = Callable[[Mapping[str, object]], object]
_FAILURES = (CELEvalError, TypeError, ValueError, LookupError, ArithmeticError, RecursionError)
"""Its own error, and what it lets escape from Python on some values."""
_RECURSION = 2_500
"""celpy visits several Python frames a level; its own value."""


class _View(celtypes.MapType):
    """An object or map that is converted field by field, when a field is read."""

    def __init__(self, value: object, kind: ObjectType | MapType) -> None:
        super().__init__()
        self.viewed = value
        self._kind = kind

    def _kinds(self) -> Mapping[str, Type]:
        if isinstance(self._kind, ObjectType):
            return {name: field.type for name, field in self._kind.fields.items()}
        return dict.fromkeys(cast("Mapping[str, object]", self.viewed), self._kind.value)

    def _read(self, key: object) -> object:
        if isinstance(self.viewed, Mapping):
            return self.viewed.get(str(key))
        return getattr(self.viewed, str(key), None)

    def __getitem__(self, key: celtypes.Value) -> celtypes.Value:
        value = self._read(key)
        if value is None:
            raise KeyError(key)
        return to_celpy_value(value, self._kinds()[str(key)])

    def get(  # type: ignore[override] # celpy reads fields so
        self, key: celtypes.Value, default: celtypes.Value | None = None
    ) -> celtypes.Value | None:
        try:
            return self[key]
        except KeyError:
            if default is None:
                raise
            return default

    def __contains__(self, key: object) -> bool:
        return self._read(key) is not None

    def __iter__(self) -> Iterator[celtypes.Value]:
        return iter([celtypes.StringType(key) for key in sorted(self._kinds()) if key in self])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def keys(self) -> list[celtypes.Value]:  # type: ignore[override] # celpy iterates it once
        return list(self)


def to_celpy_value(value: object, kind: Type) -> celtypes.Value:
    """Return a value of the language as celpy's interpreter needs it."""
    if isinstance(kind, ObjectType | MapType):
        return _View(value, kind)
    if isinstance(kind, ListType):
        items = cast("tuple[object, ...]", value)
        return celtypes.ListType([to_celpy_value(item, kind.item) for item in items])
    return cast("celtypes.Value", _WRAP[str(kind)](value))


class _Wrap(Protocol):
    def __call__(self, value: object, /) -> object: ...


def _unchanged(value: object) -> object:
    return value


_WRAP = cast("Mapping[str, _Wrap]", {
    "bool": celtypes.BoolType,
    "int": celtypes.IntType,
    "double": celtypes.DoubleType,
    "string": celtypes.StringType,
    "duration": celtypes.DurationType,
    "timestamp": celtypes.TimestampType,
    "semver": _unchanged,
})  # fmt: skip
_BARE: tuple[tuple[type, _Wrap], ...] = cast("tuple[tuple[type, _Wrap], ...]", (
    (celtypes.BoolType, bool), (bool, bool), (int, int), (float, float), (str, str),
))  # fmt: skip
_EPOCH = datetime.fromtimestamp(0, UTC)


def from_celpy_value(value: object) -> object:
    """Return a value of celpy as one of the language."""
    for kind, bare in _BARE:
        if isinstance(value, kind):
            return bare(value)
    if isinstance(value, timedelta):
        return timedelta(days=value.days, seconds=value.seconds, microseconds=value.microseconds)
    if isinstance(value, datetime):
        return _EPOCH + (value - _EPOCH)
    return _from_collection(value)


def _from_collection(value: object) -> object:
    if isinstance(value, _View):
        return value.viewed
    if isinstance(value, dict):
        return {str(key): from_celpy_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return tuple(from_celpy_value(item) for item in value)
    return value


def _adapted(overload: Overload, result: Type) -> _Function:
    """Return an implementation as celpy calls it: an argument may be an error, and so may the result."""

    def call(*arguments: Value | CELEvalError) -> Value | CELEvalError:
        for argument in arguments:
            if isinstance(argument, CELEvalError):
                return argument
        try:
            value = overload.implementation(*map(from_celpy_value, arguments))
        except ValueFault as fault:
            return CELEvalError(str(fault))
        return to_celpy_value(value, result)

    return call


def to_interpreter(node: Typed, types: Mapping[str, Type]) -> Interpreted:
    """Return a function from the variables to the value; it raises EvalError.

    Args:
        node: A checked expression.
        types: Types of the variables that it reads.
    """
    calls = [part for part in walk(node) if isinstance(part, Call)]
    functions = {celpy_name(call): _adapted(call.overload, call.type) for call in calls}
    tree = environment().compile(to_celpy(node))
    program = environment().program(
        tree,
        functions=functions,  # type: ignore[arg-type] # its alias for functions is wider than ours
    )
    span = node.span

    def run(bindings: Mapping[str, object]) -> object:
        activation = {
            name: to_celpy_value(bindings[name], kind)
            for name, kind in types.items()
            if bindings.get(name) is not None
        }
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _RECURSION))
        try:
            value = from_celpy_value(program.evaluate(activation))
        except _FAILURES as error:
            raise EvalError(_reason(error), span) from None
        finally:
            sys.setrecursionlimit(limit)
        return value

    return run


def _reason(error: Exception) -> str:
    # celpy puts whole activations into some messages.
    text = str(error.args[0]) if error.args else "the interpreter failed"
    return text.split("\n", 1)[0][:200]
