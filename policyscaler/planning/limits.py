"""Limits: which of the packed nodes may be launched, and what each may still become.

Pools limit capacity and the number of nodes, policies limit whatever their `amount` counts. A
packing does not know them beyond "no single machine may be larger than what is left"; here nodes
are admitted one after the other while there is room, and what is refused is packed again into
what remains. So a limit is used up to its last node and never overshot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from policyscaler.model import resources as res
from policyscaler.model.pools import NodePool
from policyscaler.policy.verdicts import LimitCharge
from policyscaler.scheduling.offeringtable import Amounts
from policyscaler.scheduling.packing.problem import PackedNode
from policyscaler.scheduling.templates import Template

POOL_LIMIT = "nodepool/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """One limit as seen by one node: what each row would take of it."""

    key: str
    amounts: Amounts


def pool_key(pool: str, resource: str) -> str:
    """Returns the key of a pool's limit on a resource."""
    return f"{POOL_LIMIT}{pool}/{resource}"


def remaining_of_pool(pool: NodePool, usage: Mapping[str, int]) -> dict[str, int]:
    """Returns what a pool's limits leave, by resource; may be negative."""
    return {name: limit - usage.get(name, 0) for name, limit in sorted(pool.limits.items())}


def caps_of(template: Template, charges: Sequence[LimitCharge]) -> list[Cap]:
    """Returns all limits that a node of this pool counts against.

    Args:
        template: the pool.
        charges: the policy limits of the node's opening shape.
    """
    rows = template.table.type_of_row
    caps = []
    for resource in sorted(template.pool.limits):
        amounts = (
            np.ones(len(rows), dtype=np.int64)
            if resource == res.NODES
            else template.table.capacity(resource)[rows]
        )
        caps.append(Cap(key=pool_key(template.pool.name, resource), amounts=amounts))
    return caps + [Cap(key=charge.key, amounts=charge.amounts) for charge in charges]


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A packed node that may be launched.

    Attributes:
        node: the packed node.
        row: what it will be.
        flexible: what it may become instead, best first, `row` included.
        caps: what it counts against.
        opener: its place in the order of packing.
    """

    node: PackedNode
    row: int
    flexible: Amounts
    caps: tuple[Cap, ...]
    opener: int


def admit(
    candidates: Sequence[Admitted], remaining: dict[str, int]
) -> tuple[list[Admitted], list[Admitted]]:
    """Splits nodes into those within the limits and those beyond, in their order.

    Args:
        candidates: in order of precedence.
        remaining: what each limit leaves, by key; reduced by what is admitted.
    """
    within, beyond = [], []
    for candidate in candidates:
        takes = {cap.key: int(cap.amounts[candidate.row]) for cap in candidate.caps}
        if all(remaining[key] >= amount for key, amount in takes.items() if key in remaining):
            for key, amount in takes.items():
                if key in remaining:
                    remaining[key] -= amount
            within.append(candidate)
        else:
            beyond.append(candidate)
    return within, beyond


def share_out(admitted: Sequence[Admitted], remaining: Mapping[str, int]) -> list[Admitted]:
    """Returns the nodes with what each may become cut so that no limit can be overshot.

    What is left of each limit is shared out evenly among the nodes that count against it: even
    if every one becomes its dearest row, the sum stays within.
    """
    sharers: dict[str, int] = {}
    for node in admitted:
        for cap in node.caps:
            sharers[cap.key] = sharers.get(cap.key, 0) + 1
    return [_with_share(node, sharers, remaining) if node.caps else node for node in admitted]


def _with_share(
    node: Admitted, sharers: Mapping[str, int], remaining: Mapping[str, int]
) -> Admitted:
    rows = node.flexible
    for cap in node.caps:
        if cap.key in remaining:
            share = max(0, remaining[cap.key]) // sharers[cap.key]
            rows = rows[cap.amounts[rows] <= int(cap.amounts[node.row]) + share]
    return replace(node, flexible=rows)
