"""An upper bound on the work of an expression, known at load because lists are bounded by type."""

from __future__ import annotations

from policyscaler.policy.core import Const, ListOf, Loop, MapOf, Typed, children
from policyscaler.policy.types import MAX_LIST_ITEMS, ListType, MapType

MAX_EVALUATION_COST = 100_000
"""Node visits of one evaluation as a closure."""
MAX_TICK_COST = 20_000_000
"""Node visits of one rule in one tick: two to four seconds at worst, in practice far less."""
MAX_INTERPRETED = 200
"""Evaluations of one rule in one tick that celpy's interpreter may be asked for."""
COLUMN_SHARE = 0.02
"""What a row costs as part of a column, against a row on its own."""


def evaluation_cost(node: Typed) -> int:
    """Return the most nodes that one evaluation can visit."""
    if isinstance(node, Loop):
        body = evaluation_cost(node.body) + 1
        return 1 + evaluation_cost(node.items) + most_items(node.items) * body
    return 1 + sum(evaluation_cost(child) for child in children(node))


def most_items(node: Typed) -> int:
    """Return the most items that a list or map can have."""
    if isinstance(node, Const):
        return len(node.value) if isinstance(node.value, tuple | dict) else 0
    if isinstance(node, ListOf):
        return len(node.items)
    if isinstance(node, MapOf):
        return len(node.entries)
    if isinstance(node.type, ListType | MapType):
        return min(node.type.bound, MAX_LIST_ITEMS)
    return 0
