"""What is known to be present at a point of an expression, because something before asked.

`has(x.y) && x.y > 1` is safe because the right side counts only where the left is true. A path is
a tuple of steps from a variable; a step into a map is its key in brackets.
"""

from __future__ import annotations

from typing import TypeAlias

from policyscaler.policy.core import Call, Choice, Const, Get, Has, Logic, Typed, Var
from policyscaler.policy.types import MapType

Path: TypeAlias = tuple[str, ...]
Facts: TypeAlias = frozenset[Path]
NO_FACTS: Facts = frozenset()


def path_of(node: Typed) -> Path | None:
    """Return the path that a node reads, or None if it is computed."""
    match node:
        case Var():
            return (node.name,)
        case Get():
            return _longer(node.operand, node.field)
        case Call() if node.name == "_[_]":
            return entry_path(node.arguments[0], node.arguments[1])
        case _:
            return None


def entry_path(entries: Typed, key: Typed) -> Path | None:
    """Return the path of the entry of a map, or None if map or key is computed."""
    if not isinstance(entries.type, MapType):
        return None
    if isinstance(key, Const):
        return _longer(entries, f"[{key.value!r}]")
    by = path_of(key)
    return None if by is None else _longer(entries, f"[{'.'.join(by)}]")


def _longer(operand: Typed, step: str) -> Path | None:
    path = path_of(operand)
    return None if path is None else (*path, step)


def facts_when(node: Typed, *, outcome: bool) -> Facts:
    """Return the paths that are present wherever `node` has the given outcome."""
    match node:
        case Has() if outcome:
            path = _longer(node.operand, node.field)
            return NO_FACTS if path is None else frozenset({path})
        case Call() if node.name == "!_":
            return facts_when(node.arguments[0], outcome=not outcome)
        case Call() if node.name == "_in_" and outcome:
            path = entry_path(node.arguments[1], node.arguments[0])
            return NO_FACTS if path is None else frozenset({path})
        case Logic():
            parts = [facts_when(operand, outcome=outcome) for operand in node.operands]
            every = (node.operator == "&&") == outcome
            return frozenset().union(*parts) if every else parts[0].intersection(*parts[1:])
        case Choice():
            yes = facts_when(node.condition, outcome=True) | facts_when(node.yes, outcome=outcome)
            no = facts_when(node.condition, outcome=False) | facts_when(node.no, outcome=outcome)
            return yes & no
        case _:
            return NO_FACTS
