"""Which offerings a node may become, best first.

Nodes that were narrowed alike share one order of rows, worked out once; what differs is only
which types are large enough.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from policyscaler.model.plan import ChosenOffering
from policyscaler.scheduling.offeringtable import Amounts, Mask, OfferingTable
from policyscaler.scheduling.packing.problem import PackedNode

MAX_TYPES: Final = 60
"""How many instance types a claim keeps: enough for a fleet request to find capacity."""


class Ranking:
    """The rows of one kind of node in order of effective price, price and name."""

    def __init__(self, table: OfferingTable, node: PackedNode) -> None:
        self.table, self.node = table, node
        chosen = np.flatnonzero(node.base)
        order = np.lexsort((chosen, table.prices[chosen], node.prices[chosen]))
        self.rows: Amounts = chosen[order]
        self.types: Amounts = table.type_of_row[self.rows]
        _, first = np.unique(self.types, return_index=True)
        self.type_order: Amounts = self.types[np.sort(first)]
        self._cuts: dict[bytes, Amounts] = {}

    def best(self, types: Mask) -> int:
        """Returns the best row among the types."""
        best_type = self.type_order[int(types[self.type_order].argmax())]
        return int(self.rows[int((self.types == best_type).argmax())])

    def cut(self, types: Mask) -> Amounts:
        """Returns the rows of the best MAX_TYPES of the types, best first."""
        fitting = self.type_order[types[self.type_order]][:MAX_TYPES]
        key = fitting.tobytes()
        rows = self._cuts.get(key)
        if rows is None:
            kept = np.zeros(len(types), dtype=bool)
            kept[fitting] = True
            rows = self._cuts[key] = self.rows[kept[self.types]]
        return rows


class Rankings:
    """All rankings of one decision, and the offerings of plans, each made once."""

    def __init__(self) -> None:
        self._rankings: dict[tuple[int, int], Ranking] = {}
        self._offerings: dict[tuple[int, int], ChosenOffering] = {}

    def of(self, table: OfferingTable, node: PackedNode) -> Ranking:
        """Returns the ranking of nodes that were narrowed like this one."""
        key = (id(node.base), id(node.prices))
        ranking = self._rankings.get(key)
        if ranking is None:
            # The ranking holds the node, so that the ids in the key stay taken.
            ranking = self._rankings[key] = Ranking(table, node)
        return ranking

    def offering(self, table: OfferingTable, row: int) -> ChosenOffering:
        """Returns one row as an offering of a plan."""
        found = self._offerings.get((id(table), row))
        if found is None:
            kind, offering = table.rows[row]
            found = self._offerings[id(table), row] = ChosenOffering(
                instance_type=kind.name, zone=offering.zone, capacity_type=offering.capacity_type,
                price_micros_per_hour=offering.price_micros_per_hour,
            )  # fmt: skip
        return found
