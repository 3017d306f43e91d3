"""Lowering to Python closures: one object at a time, two microseconds a node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, TypeAlias, cast

from policyscaler.policy.core import (
    Call,
    Choice,
    Const,
    Get,
    Has,
    ListOf,
    Logic,
    Loop,
    MapOf,
    Typed,
    Var,
)
from policyscaler.policy.faults import EvalError
from policyscaler.policy.findings import Span
from policyscaler.policy.operators import checked_items
from policyscaler.policy.signatures import ValueFault

Scope: TypeAlias = Mapping[str, object]
Closure: TypeAlias = Callable[[Scope], object]


class _Lower(Protocol):
    def __call__(self, node: Typed, /) -> Closure: ...


class CannotLower(Exception):
    """A construct that an engine does not know.

    Args:
        construct: What it is, in the words of the language.
        span: Where.
    """

    def __init__(self, construct: str, span: Span) -> None:
        super().__init__(construct)
        self.construct = construct
        self.span = span


def to_closure(node: Typed) -> Closure:
    """Return a function from the variables to the value; it raises EvalError.

    Raises:
        CannotLower: The expression builds a map from values that are not constants.
    """
    return _LOWERINGS[type(node)](node)


def read_field(value: object, name: str) -> object:
    """Return a field of an object given as a mapping or as attributes; None if it is absent."""
    if isinstance(value, Mapping):
        return value.get(name)
    return getattr(value, name, None)


def _const(node: Const) -> Closure:
    value = node.value
    return lambda _: value


def _var(node: Var) -> Closure:
    name, span = node.name, node.span

    def run(scope: Scope) -> object:
        value = scope.get(name)
        if value is None:
            raise EvalError(f"'{name}' was not given", span)
        return value

    return run


def _get(node: Get) -> Closure:
    operand, name, span = to_closure(node.operand), node.field, node.span

    def run(scope: Scope) -> object:
        value = read_field(operand(scope), name)
        if value is None:
            raise EvalError(f"'{name}' is absent", span)
        return value

    return run


def _has(node: Has) -> Closure:
    operand, name = to_closure(node.operand), node.field
    return lambda scope: read_field(operand(scope), name) is not None


def _call(node: Call) -> Closure:
    arguments = tuple(to_closure(argument) for argument in node.arguments)
    implementation, span = node.overload.implementation, node.span
    if len(arguments) == 2:
        first, second = arguments

        def run_two(scope: Scope) -> object:
            try:
                return implementation(first(scope), second(scope))
            except ValueFault as fault:
                raise EvalError(str(fault), span) from None

        return run_two

    def run(scope: Scope) -> object:
        try:
            return implementation(*(argument(scope) for argument in arguments))
        except ValueFault as fault:
            raise EvalError(str(fault), span) from None

    return run


def _logic(node: Logic) -> Closure:
    operands = tuple(to_closure(operand) for operand in node.operands)
    decisive = node.operator == "||"

    def run(scope: Scope) -> object:
        failure: EvalError | None = None
        for operand in operands:
            try:
                if operand(scope) is decisive:
                    return decisive
            except EvalError as error:
                failure = failure or error
        if failure is not None:
            raise failure
        return not decisive

    return run


def _choice(node: Choice) -> Closure:
    condition, yes, no = to_closure(node.condition), to_closure(node.yes), to_closure(node.no)
    return lambda scope: yes(scope) if condition(scope) else no(scope)


def _list(node: ListOf) -> Closure:
    items = tuple(to_closure(item) for item in node.items)
    return lambda scope: tuple(item(scope) for item in items)


def _map(node: MapOf) -> Closure:
    raise CannotLower("a map built from values that are not constants", node.span)


def _loop(node: Loop) -> Closure:
    items, body, name = to_closure(node.items), to_closure(node.body), node.variable
    finish, span = _MACROS[node.macro], node.span

    def run(scope: Scope) -> object:
        held = items(scope)
        inner = dict(scope)

        def outcomes() -> Iterable[tuple[object, object]]:
            for item in _iterate(held):
                inner[name] = item
                try:
                    yield item, body(inner)
                except EvalError as error:
                    yield item, error

        try:
            return finish(outcomes())
        except ValueFault as fault:
            raise EvalError(str(fault), span) from None

    return run


def _iterate(held: object) -> Iterable[object]:
    if isinstance(held, Mapping):
        return sorted(key for key, value in held.items() if value is not None)
    return cast("Iterable[object]", held)


_Outcomes: TypeAlias = Iterable[tuple[object, object]]


def _decide(outcomes: _Outcomes, *, decisive: bool) -> bool:
    failure: EvalError | None = None
    for _, outcome in outcomes:
        if outcome is decisive:
            return decisive
        if isinstance(outcome, EvalError):
            failure = failure or outcome
    if failure is not None:
        raise failure
    return not decisive


def _all(outcomes: _Outcomes) -> object:
    return _decide(outcomes, decisive=False)


def _exists(outcomes: _Outcomes) -> object:
    return _decide(outcomes, decisive=True)


def _sound(outcomes: _Outcomes) -> Iterable[tuple[object, object]]:
    for item, outcome in outcomes:
        if isinstance(outcome, EvalError):
            raise outcome
        yield item, outcome


def _exists_one(outcomes: _Outcomes) -> object:
    return sum(outcome is True for _, outcome in _sound(outcomes)) == 1


def _mapped(outcomes: _Outcomes) -> object:
    return checked_items([outcome for _, outcome in _sound(outcomes)])


def _filtered(outcomes: _Outcomes) -> object:
    return checked_items([item for item, outcome in _sound(outcomes) if outcome is True])


_MACROS: Mapping[str, Callable[[_Outcomes], object]] = {
    "all": _all,
    "exists": _exists,
    "exists_one": _exists_one,
    "map": _mapped,
    "filter": _filtered,
}
_LOWERINGS = cast("Mapping[type, _Lower]", {
    Const: _const,
    Var: _var,
    Get: _get,
    Has: _has,
    Call: _call,
    Logic: _logic,
    Choice: _choice,
    ListOf: _list,
    MapOf: _map,
    Loop: _loop,
})  # fmt: skip
