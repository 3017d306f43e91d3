"""The syntax tree of an expression: what was written, with exact spans, before any types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from policyscaler.policy.findings import Span


@dataclass(frozen=True, slots=True)
class Literal:
    """A bool, int, double or string written out."""

    value: bool | int | float | str
    span: Span


@dataclass(frozen=True, slots=True)
class Name:
    """A variable."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Select:
    """`operand.field`."""

    operand: Node
    field: str
    span: Span
    field_span: Span


@dataclass(frozen=True, slots=True)
class Index:
    """`operand[key]`."""

    operand: Node
    key: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Apply:
    """`name(arguments)`, or `receiver.name(arguments)`: functions and macros alike."""

    name: str
    receiver: Node | None
    arguments: tuple[Node, ...]
    span: Span
    name_span: Span


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator other than `&&`, `||` and `? :`, with one or two operands."""

    operator: str
    operands: tuple[Node, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Chain:
    """`a && b && c` or `a || b || c`, as one node of any length."""

    operator: str
    operands: tuple[Node, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Ternary:
    """`condition ? yes : no`."""

    condition: Node
    yes: Node
    no: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Items:
    """`[a, b]`."""

    items: tuple[Node, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Entries:
    """`{key: value}`."""

    entries: tuple[tuple[Node, Node], ...]
    span: Span


Node: TypeAlias = (
    Literal | Name | Select | Index | Apply | Operation | Chain | Ternary | Items | Entries
)
