"""How a function is declared: names, overloads, arguments checked at load, and its meaning.

A function has exactly one implementation, a plain Python function over values, which closures,
columns (on the distinct values) and the interpreter all call. numpy kernels exist beside it for
arithmetic and comparison alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol, cast

from policyscaler.policy.types import LANGUAGE_VERSION, Type


class ValueFault(Exception):
    """A value that an operation cannot work with: a division by zero, a missing key.

    Raised by implementations with a message that names the value; the engines add the place.
    """


class Implementation(Protocol):
    """The meaning of an overload; arguments have the declared types."""

    def __call__(self, *arguments: object) -> object:
        """Compute the result, or raise ValueFault."""


class Style(StrEnum):
    """How a function is written."""

    OPERATOR = "operator"
    GLOBAL = "function"
    METHOD = "method"
    BOTH = "function or method"


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature of a function.

    Attributes:
        name: The function's name.
        parameters: Types of the arguments, the receiver first.
        result: Type of the result.
        implementation: What it computes.
        key: Unique and stable; the name under which the interpreter calls it.
        checks: Argument position to a function that names the fault of a constant, or "".
    """

    name: str
    parameters: tuple[Type, ...]
    result: Type
    implementation: Implementation = field(compare=False, repr=False)
    key: str
    checks: Mapping[int, Callable[[str], str]] = field(
        default_factory=dict, compare=False, repr=False
    )


@dataclass(frozen=True, slots=True)
class Function:
    """A function or operator of the language, as the reference documentation shows it."""

    name: str
    style: Style
    overloads: tuple[Overload, ...]
    description: str
    example: str = ""
    since: str = LANGUAGE_VERSION


def overload(
    parameters: tuple[Type, ...],
    result: Type,
    *,
    run: object,
    checks: Mapping[int, Callable[[str], str]] = MappingProxyType({}),
) -> Overload:
    """Return an overload that still lacks its name; `function` adds it.

    Args:
        parameters: Types of the arguments, the receiver first.
        result: Type of the result.
        run: The implementation; its Python signature must fit the parameters.
        checks: Checks of constant arguments, by position.
    """
    return Overload("", parameters, result, cast("Implementation", run), "", checks)


def function(
    name: str, style: Style, *, overloads: tuple[Overload, ...], description: str, example: str = ""
) -> Function:
    """Return the declaration of a function, its overloads named and keyed."""
    # Signs by their number: `_==_` and `_!=_` must not end up under one key.
    stem = "".join(c if c.isalnum() or c == "_" else f"x{ord(c):x}" for c in name)
    named = tuple(
        Overload(name, o.parameters, o.result, o.implementation, f"{stem}_{number}", o.checks)
        for number, o in enumerate(overloads)
    )
    return Function(name, style, named, description, example)
