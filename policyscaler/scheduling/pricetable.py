"""The cheapest type for a need, in constant time.

For one set of types it answers "what does the cheapest one cost that has at least this much cpu,
memory and pods" from a table over the amounts at which the answer can change. Types that another
one beats in everything are dropped first: they change no answer.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

import numpy as np

from policyscaler.scheduling.offeringtable import Amounts, Mask

NONE: Final = 1 << 50
"""The price of what no type can hold: above any real one, and sums of it stay in 64 bits."""

_MAX_CELLS: Final = 2_000_000
_FEW_PODS: Final = 6


def undominated(columns: Amounts, prices: Amounts) -> Amounts:
    """Returns the indexes of the types that no other beats, cheapest first.

    Args:
        columns: available amounts, one row per type, one column per resource.
        prices: per type; NONE for a type that cannot be had.
    """
    order = np.lexsort((*(-columns[:, i] for i in range(columns.shape[1] - 1, -1, -1)), prices))
    order = order[prices[order] < NONE]
    kept = np.empty((len(order), columns.shape[1]), dtype=np.int64)
    chosen: list[int] = []
    for index in order.tolist():
        row = columns[index]
        count = len(chosen)
        if count and bool((kept[:count] >= row).all(axis=1).any()):
            continue
        kept[count] = row
        chosen.append(index)
    return np.array(chosen, dtype=np.int64)


class PriceTable:
    """Cheapest prices by need. Amounts are milli-CPU, bytes and pods.

    Attributes:
        cpu: the distinct amounts of cpu of the types, ascending; likewise `memory`, `pods`.
        cells: price by position of the need in these lists; the last of each axis is NONE.
    """

    def __init__(self, available: Amounts, prices: Amounts) -> None:
        self.cpu, self.memory = np.unique(available[:, 0]), np.unique(available[:, 1])
        pods, self.pods = self._pods_axis(available[:, 2])
        shape = (len(self.cpu) + 1, len(self.memory) + 1, len(self.pods) + 1)
        cells = np.full(shape, NONE, dtype=np.int64)
        at = (
            np.searchsorted(self.cpu, available[:, 0]),
            np.searchsorted(self.memory, available[:, 1]),
            np.searchsorted(self.pods, pods),
        )
        np.minimum.at(cells, at, prices)
        for axis in range(3):
            cells = np.flip(np.minimum.accumulate(np.flip(cells, axis), axis), axis)
        self.cells: Amounts = np.ascontiguousarray(cells)
        self._cpu, self._memory = self.cpu.tolist(), self.memory.tolist()
        self._pods = self.pods.tolist()

    def _pods_axis(self, pods: Amounts) -> tuple[Amounts, Amounts]:
        axis = np.unique(pods)
        if len(self.cpu) * len(self.memory) * len(axis) <= _MAX_CELLS:
            return pods, axis
        # Too fine a table: limits on pods are rounded down to a few steps, which may overlook a
        # type but never promises room that is not there.
        steps = axis[np.linspace(0, len(axis) - 1, _FEW_PODS).astype(np.int64)]
        return steps[np.searchsorted(steps, pods, side="right") - 1], np.unique(steps)

    def prices(self, cpu: Amounts, memory: Amounts, pods: Amounts) -> Amounts:
        """Returns the cheapest prices for needs, NONE where no type is large enough."""
        return self.cells[
            self.cpu.searchsorted(cpu),
            self.memory.searchsorted(memory),
            self.pods.searchsorted(pods),
        ]

    def price(self, cpu: int, memory: int, pods: int) -> int:
        """Returns the cheapest price for one need."""
        return int(
            self.cells[
                bisect_left(self._cpu, cpu),
                bisect_left(self._memory, memory),
                bisect_left(self._pods, pods),
            ]
        )


def smoothed(
    prices: Amounts, available: Amounts, duals: tuple[float, float], weight: float
) -> Amounts:
    """Returns prices less a share of what the types' capacity is worth.

    Packing by plain prices opens many small nodes, because the next size up always looks dear;
    with most of the capacity's worth taken off, a larger node pays as soon as it will be filled.

    Args:
        prices: micro-dollars per hour per type.
        available: amounts per type, columns cpu, memory first.
        duals: worth of a milli-CPU and of a byte, in micro-dollars per hour.
        weight: the share, 0 to 1.
    """
    worth = np.rint(duals[0] * available[:, 0] + duals[1] * available[:, 1])
    return prices - np.rint(weight * worth).astype(np.int64)


def resource_duals(
    prices: Amounts, available: Amounts, demand: tuple[int, int]
) -> tuple[float, float]:
    """Returns what a milli-CPU and a byte are worth at the cheapest fractional cover of a demand.

    It is the dual of the linear programme "cover cpu and memory with types at least price": the
    largest worth of the demand at which no type is worth more than it costs. The function to
    maximise is concave in one unknown, so a ternary search finds it.
    """
    cpu, memory = available[:, 0].astype(np.float64), available[:, 1].astype(np.float64)
    usable = (cpu > 0) & (memory > 0) & (prices < NONE)
    if not usable.any():
        return 0.0, 0.0
    cpu, memory, price = cpu[usable], memory[usable], prices[usable].astype(np.float64)

    def worth_of_byte(per_cpu: float) -> float:
        return float(((price - per_cpu * cpu) / memory).min())

    low, high = 0.0, float((price / cpu).min())
    for _ in range(60):
        third = (high - low) / 3
        left, right = low + third, high - third
        if demand[0] * left + demand[1] * worth_of_byte(left) < demand[0] * right + demand[
            1
        ] * worth_of_byte(right):
            low = left
        else:
            high = right
    per_cpu = (low + high) / 2
    return per_cpu, max(0.0, worth_of_byte(per_cpu))


def cheapest_per_type(rows: Mask, prices: Amounts, first_row: Amounts) -> Amounts:
    """Returns per type the cheapest price of its rows in the mask, NONE where it has none."""
    if not len(rows):
        return np.zeros(0, dtype=np.int64)
    return np.minimum.reduceat(np.where(rows, prices, NONE), first_row)
