"""Lists of resources: plain mappings from a resource's name to an integer amount.

Amounts are milli-CPU for `cpu` and whole units (bytes, counts) for everything else. A resource
that is not listed is zero. Every function returns a new mapping.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from policyscaler.model.quantities import format_resource

Resources: TypeAlias = Mapping[str, int]

CPU: Final = "cpu"
MEMORY: Final = "memory"
PODS: Final = "pods"
EPHEMERAL_STORAGE: Final = "ephemeral-storage"
NODES: Final = "nodes"


def add(*lists: Resources) -> dict[str, int]:
    """Returns the sum of all lists."""
    total: dict[str, int] = {}
    for resources in lists:
        for name, amount in resources.items():
            total[name] = total.get(name, 0) + amount
    return total


def subtract(minuend: Resources, subtrahend: Resources) -> dict[str, int]:
    """Returns the difference; may hold negative amounts."""
    rest = dict(minuend)
    for name, amount in subtrahend.items():
        rest[name] = rest.get(name, 0) - amount
    return rest


def maximum(lists: Iterable[Resources]) -> dict[str, int]:
    """Returns the element-wise maximum; empty for no lists."""
    top: dict[str, int] = {}
    for resources in lists:
        for name, amount in resources.items():
            if amount > top.get(name, 0):
                top[name] = amount
    return top


def at_least_zero(resources: Resources) -> dict[str, int]:
    """Returns the list with negative amounts raised to zero."""
    return {name: max(0, amount) for name, amount in resources.items()}


def fits(requests: Resources, available: Resources) -> bool:
    """Returns whether the requests fit into what is available.

    A node with any negative amount takes nothing more, and a request of zero always fits.
    """
    if any(amount < 0 for amount in available.values()):
        return False
    return all(amount <= available.get(name, 0) for name, amount in requests.items())


def exceeded(used: Resources, limits: Resources) -> tuple[str, ...]:
    """Returns the names of the limited resources of which more is used than allowed, sorted."""
    return tuple(sorted(name for name, limit in limits.items() if used.get(name, 0) > limit))


def describe(resources: Resources) -> str:
    """Returns `cpu 1930m, memory 7Gi` with cpu and memory first and zero amounts left out."""
    first = {CPU: 0, MEMORY: 1}
    names = sorted(resources, key=lambda name: (first.get(name, 2), name))
    return ", ".join(f"{n} {format_resource(n, resources[n])}" for n in names if resources[n])
