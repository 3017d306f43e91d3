"""Typed tree back to CEL: for people, with conversions made visible, or for celpy.

For celpy every function but those whose meaning it shares becomes a call of our own
implementation, and text is quoted so that its lexer cannot misread it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime, timedelta

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
from policyscaler.policy.functions import FUNCTIONS
from policyscaler.policy.signatures import Style
from policyscaler.policy.types import DOUBLE, STRING, ListType, MapType

NATIVE = frozenset({
    "contains", "startsWith", "endsWith", "size", "duration", "timestamp", "double",
})  # fmt: skip
"""Functions in which celpy and we agree; the differential fuzz holds them to it."""

CallText = Callable[[Call, list[str]], str]


def to_source(node: Typed) -> str:
    """Return CEL that means the same, with conversions and defaults written out."""
    return _text(node, _source_call)


def to_celpy(node: Typed) -> str:
    """Return CEL for celpy: our functions are called by the keys of their overloads."""
    return _text(node, _celpy_call)


def _text(node: Typed, call: CallText) -> str:
    match node:
        case Const():
            return _const(node.value, like_double=node.type == DOUBLE)
        case Var():
            return node.name
        case Get():
            return f"{_text(node.operand, call)}.{node.field}"
        case Has():
            return f"has({_text(node.operand, call)}.{node.field})"
        case Call():
            return call(node, [_text(argument, call) for argument in node.arguments])
        case _:
            return _compound(node, call)


def _compound(node: Logic | Choice | ListOf | MapOf | Loop, call: CallText) -> str:
    match node:
        case Logic():
            return f"({f' {node.operator} '.join(_text(o, call) for o in node.operands)})"
        case Choice():
            parts = [_text(part, call) for part in (node.condition, node.yes, node.no)]
            return "({} ? {} : {})".format(*parts)
        case ListOf():
            return f"[{', '.join(_text(item, call) for item in node.items)}]"
        case MapOf():
            pairs = [f"{_text(key, call)}: {_text(value, call)}" for key, value in node.entries]
            return f"{{{', '.join(pairs)}}}"
        case Loop():
            body = _text(node.body, call)
            return f"{_text(node.items, call)}.{node.macro}({node.variable}, {body})"


def _const(value: object, *, like_double: bool) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return quote(value)
        case timedelta() | datetime():
            return _moment(value)
        case tuple() | dict():
            return _collection(value)
        case _:
            return _number(value, like_double=like_double)


def _moment(value: timedelta | datetime) -> str:
    if isinstance(value, timedelta):
        return f"duration('{value // timedelta(microseconds=1)}us')"
    return f"timestamp('{value.isoformat()}')"


def _collection(value: tuple[object, ...] | dict[object, object]) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_const(item, like_double=False) for item in value)}]"
    pairs = [
        f"{_const(key, like_double=False)}: {_const(item, like_double=False)}"
        for key, item in value.items()
    ]
    return f"{{{', '.join(pairs)}}}"


def _number(value: object, *, like_double: bool) -> str:
    if isinstance(value, float):
        if not math.isfinite(value):
            return "(0.0 / 0.0)" if math.isnan(value) else f"({math.copysign(1.0, value)} / 0.0)"
        text = repr(value)
        text = text if "." in text or "e" in text else f"{text}.0"
    else:
        text = f"{value}.0" if like_double else str(value)
    return f"({text})" if text.startswith("-") else text


def quote(text: str) -> str:
    """Return a CEL string literal without any escape that a parser could read differently."""
    plain = all(" " <= character <= "~" and character not in "'\\" for character in text)
    if plain:
        return f"'{text}'"
    return (
        "'" + "".join(c if " " <= c <= "~" and c not in "'\\" else _escape(c) for c in text) + "'"
    )


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _operator(node: Call, arguments: list[str]) -> str:
    if node.name == "_[_]":
        return f"{arguments[0]}[{arguments[1]}]"
    sign = node.name.strip("_")
    if len(arguments) == 1:
        return f"{sign}({arguments[0]})"
    return f"({arguments[0]} {sign} {arguments[1]})"


def _source_call(node: Call, arguments: list[str]) -> str:
    style = FUNCTIONS[node.name].style
    if style is Style.OPERATOR:
        return _operator(node, arguments)
    if style is Style.METHOD:
        return f"{arguments[0]}.{node.name}({', '.join(arguments[1:])})"
    return f"{node.name}({', '.join(arguments)})"


def _celpy_call(node: Call, arguments: list[str]) -> str:
    if node.name == "_+_" and node.type == STRING:
        # celpy's concatenation gives a bare str that has no methods.
        return f"string({_operator(node, arguments)})"
    receiver = node.arguments[0].type
    is_collection = isinstance(receiver, ListType | MapType)
    # celpy takes negative positions in a list, and loses the sign of an infinity.
    is_wrong = (node.name == "_[_]" and isinstance(receiver, ListType)) or (
        node.name == "_/_" and receiver == DOUBLE
    )
    if is_wrong:
        return f"{celpy_name(node)}({', '.join(arguments)})"
    if FUNCTIONS[node.name].style is Style.OPERATOR or (node.name in NATIVE and not is_collection):
        return _source_call(node, arguments)
    return f"{celpy_name(node)}({', '.join(arguments)})"


def celpy_name(node: Call) -> str:
    """Return the name under which celpy calls an overload, one per type of the result."""
    kind = "".join(c if c.isalnum() else "_" for c in str(node.type))
    return f"{node.overload.key}_{kind}"
