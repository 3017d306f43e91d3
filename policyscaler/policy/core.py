"""The typed tree: what the checker makes of a syntax tree and every engine works from.

Operators and functions are one node kind (`Call`) that carries its resolved overload; conversions
from int to double are explicit calls; `orElse` and method syntax are gone. So an engine needs to
know ten node kinds and no typing rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from policyscaler.policy.findings import Span
from policyscaler.policy.signatures import Overload
from policyscaler.policy.types import Type


@dataclass(frozen=True, slots=True)
class Const:
    """A value known at load."""

    value: object
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Var:
    """A variable of the site, or of a macro."""

    name: str
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Get:
    """A field of an object; absent is an error."""

    operand: Typed
    field: str
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Has:
    """Whether a field of an object is present; an absent object is an error."""

    operand: Typed
    field: str
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """An operator or function, with the overload that fits its arguments."""

    overload: Overload
    arguments: tuple[Typed, ...]
    type: Type
    span: Span

    @property
    def name(self) -> str:
        """The function's name, `_+_` style for operators."""
        return self.overload.name


@dataclass(frozen=True, slots=True)
class Logic:
    """`&&` or `||` over any number of operands; a decisive operand outweighs errors."""

    operator: str
    operands: tuple[Typed, ...]
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Choice:
    """`condition ? yes : no`."""

    condition: Typed
    yes: Typed
    no: Typed
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list built from values."""

    items: tuple[Typed, ...]
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class MapOf:
    """A map built from values."""

    entries: tuple[tuple[Typed, Typed], ...]
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Loop:
    """A macro over a list or the keys of a map.

    Attributes:
        macro: all, exists, exists_one, map or filter.
        body: The condition, or the value for `map`.
    """

    macro: str
    variable: str
    items: Typed
    body: Typed
    type: Type
    span: Span


Typed: TypeAlias = Const | Var | Get | Has | Call | Logic | Choice | ListOf | MapOf | Loop


def children(node: Typed) -> tuple[Typed, ...]:
    """Return the direct sub-expressions, in the order they are written."""
    match node:
        case Const() | Var():
            return ()
        case Get() | Has():
            return (node.operand,)
        case Call():
            return node.arguments
        case Logic():
            return node.operands
        case _:
            return _compound_children(node)


def _compound_children(node: Choice | ListOf | MapOf | Loop) -> tuple[Typed, ...]:
    match node:
        case Choice():
            return (node.condition, node.yes, node.no)
        case ListOf():
            return node.items
        case MapOf():
            return tuple(part for entry in node.entries for part in entry)
        case Loop():
            return (node.items, node.body)


def walk(node: Typed) -> Iterator[Typed]:
    """Yield the node and everything in it, each parent before its children."""
    yield node
    for child in children(node):
        yield from walk(child)


def reads_variable(node: Typed, name: str) -> bool:
    """Tell whether the value depends on a variable of the site."""
    if isinstance(node, Var):
        return node.name == name
    if isinstance(node, Loop) and node.variable == name:
        return reads_variable(node.items, name)
    return any(reads_variable(child, name) for child in children(node))


def field_path(node: Typed) -> tuple[str, ...] | None:
    """Return `("offering", "gpu", "count")` for a chain of fields from a variable, else None."""
    names: list[str] = []
    while isinstance(node, Get):
        names.append(node.field)
        node = node.operand
    if not isinstance(node, Var):
        return None
    return (node.name, *reversed(names))
