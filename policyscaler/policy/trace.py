"""Why an expression gave what it gave: every sub-expression with its value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from policyscaler.policy.closures import CannotLower, to_closure
from policyscaler.policy.core import Choice, Const, Get, Has, Loop, Typed, children
from policyscaler.policy.faults import EvalError


@dataclass(frozen=True, slots=True)
class TraceNode:
    """One sub-expression.

    Attributes:
        text: As it was written.
        value: What it gave, or the EvalError that it ended in.
        parts: What it was made from; for a choice only the branch that was taken.
    """

    text: str
    value: object
    parts: tuple[TraceNode, ...] = ()


def trace(node: Typed, text: str, bindings: Mapping[str, object]) -> TraceNode:
    """Evaluate an expression and everything in it.

    Macros are shown as one step: their condition has a value per item.
    """
    try:
        value: object = to_closure(node)(bindings)
    except EvalError as error:
        value = error.with_traceback(None)
    except CannotLower as error:
        value = EvalError(f"{error.construct} is not traced", error.span)
    parts = tuple(
        trace(child, text, bindings)
        for child in _shown(node, bindings)
        if not isinstance(child, Const)
    )
    return TraceNode(text[node.span.start : node.span.end], value, parts)


def _shown(node: Typed, bindings: Mapping[str, object]) -> tuple[Typed, ...]:
    match node:
        case Get() | Has():
            return ()
        case Loop():
            return (node.items,)
        case Choice():
            try:
                taken = node.yes if to_closure(node.condition)(bindings) else node.no
            except EvalError:
                return (node.condition,)
            return (node.condition, taken)
        case _:
            return children(node)


def render_trace(node: TraceNode, *, indent: int = 0) -> str:
    """Return the trace as indented lines: `text  =>  value`."""
    shown = (
        f"error: {node.value}" if isinstance(node.value, EvalError) else _shown_value(node.value)
    )
    lines = [f"{'   ' * indent}{node.text}  =>  {shown}"]
    lines += [render_trace(part, indent=indent + 1) for part in node.parts]
    return "\n".join(lines)


def _shown_value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
