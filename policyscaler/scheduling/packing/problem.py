"""What is to be packed: pools with their columns, and classes of pods with their options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from policyscaler.model import resources as res
from policyscaler.scheduling.offeringtable import Amounts, Mask, OfferingTable
from policyscaler.scheduling.pricetable import PriceTable, undominated
from policyscaler.scheduling.requirements import Requirements

PRIMARY = (res.CPU, res.MEMORY, res.PODS)
"""The resources that price tables know; any others are checked one candidate at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackPool:
    """A NodePool in columns.

    Attributes:
        tier: pools of a lower tier are preferred; equal weights share one.
        table: its catalogue.
        resources: the columns of `available`.
        available: per type and resource: allocatable less daemons, at least zero.
        min_values: distinct values that each label must keep, by key; empty when BestEffort.
    """

    tier: int
    table: OfferingTable
    resources: tuple[str, ...]
    available: Amounts
    min_values: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One way for a shape: a pool, what a node of it would have to be, and on which rows.

    Attributes:
        pool: index into the problem's pools.
        requirements: template and pod together.
        rows: the offerings that remain; some type of them holds one pod.
        prices: effective micro-dollars per hour per row: price and policy's adjustments.
    """

    pool: int
    requirements: Requirements
    rows: Mask
    prices: Amounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Pods of one shape that are to be packed.

    Attributes:
        shape: index into the caller's shapes.
        need: amount per resource of the problem.
        count: how many.
        options: preferred pools first; never empty.
    """

    shape: int
    need: tuple[int, ...]
    count: int
    options: tuple[Option, ...]


@dataclass(slots=True, kw_only=True)
class Assortment:
    """The types worth looking at while packing, of one set of types at one set of prices.

    Attributes:
        per_type: the cheapest price per type; NONE where it cannot be had.
        available: amounts of the types that no other beats, one row per type.
        prices: their prices.
        table: their plain price table, made when it is first asked for.
    """

    per_type: Amounts
    available: Amounts
    prices: Amounts
    table: PriceTable | None = None

    def plain_table(self) -> PriceTable:
        """Returns the table of unsmoothed prices."""
        if self.table is None:
            self.table = PriceTable(self.available, self.prices)
        return self.table


@dataclass(slots=True)
class Assortments:
    """Assortments by content: the same columns and prices share one, from one decision to the next."""

    known: dict[tuple[bytes, bytes], Assortment] = field(default_factory=dict)

    def of(self, available: Amounts, per_type: Amounts) -> Assortment:
        """Returns the assortment of types with these columns and cheapest prices."""
        key = (available.tobytes(), per_type.tobytes())
        found = self.known.get(key)
        if found is None:
            if len(self.known) >= _MOST_ASSORTMENTS:
                self.known.clear()
            kept = undominated(available, per_type)
            columns = np.ascontiguousarray(available[kept])
            found = self.known[key] = Assortment(
                per_type=per_type, available=columns, prices=per_type[kept]
            )
        return found


_MOST_ASSORTMENTS = 256
"""About 50 KiB each; a cluster has some dozens of kinds of demand at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Items and pools. `resources` are the columns of needs: cpu, memory, pods, then others."""

    resources: tuple[str, ...]
    pools: tuple[PackPool, ...]
    items: tuple[Item, ...]
    assortments: Assortments = field(default_factory=Assortments)


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedNode:
    """A node to open.

    Attributes:
        pool: index into the problem's pools.
        requirements: what it has been narrowed to; shared by nodes that are narrowed alike.
        base: the offerings that satisfy the requirements, whatever their size; shared likewise.
        prices: effective prices per row; shared likewise.
        types: per type whether it holds all pods of the node.
        price: effective price of the cheapest row that holds them.
        resources: the names of the amounts in `used`.
        used: amount per resource, daemons not included.
        content: (shape, count) in order of shapes.
    """

    pool: int
    requirements: Requirements
    base: Mask
    prices: Amounts
    types: Mask
    price: int
    resources: tuple[str, ...]
    used: tuple[int, ...]
    content: tuple[tuple[int, int], ...]

    def rows(self, table: OfferingTable) -> Mask:
        """Returns the offerings that hold all its pods; never empty."""
        return self.base & self.types[table.type_of_row]


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """All items on nodes; `name` tells which procedure made it."""

    name: str
    nodes: tuple[PackedNode, ...]

    @property
    def price(self) -> int:
        """The sum of the nodes' cheapest prices, micro-dollars per hour."""
        return sum(node.price for node in self.nodes)


def resource_axes(needs: list[Mapping[str, int]]) -> tuple[str, ...]:
    """Returns the resources to pack by: the three primary ones, then all others asked for."""
    others = {name for need in needs for name, amount in need.items() if amount > 0}
    return PRIMARY + tuple(sorted(others.difference(PRIMARY)))


def available_columns(
    table: OfferingTable, overhead: Mapping[str, Amounts], resources: tuple[str, ...]
) -> Amounts:
    """Returns per type and resource what daemons leave; a type that they overfill has nothing."""
    columns = np.empty((len(table.types), len(resources)), dtype=np.int64)
    for index, resource in enumerate(resources):
        columns[:, index] = table.allocatable(resource) - overhead.get(resource, np.int64(0))
    for resource, amounts in sorted(overhead.items()):
        if resource not in resources:
            columns[table.allocatable(resource) < amounts] = -1
    columns[(columns < 0).any(axis=1)] = 0
    return columns
