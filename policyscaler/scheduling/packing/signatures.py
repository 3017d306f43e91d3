"""What a node under construction can still become.

A signature is a pool, the requirements so far and the offerings that satisfy them. Most pods
ask for nothing special, so thousands of nodes share a handful of signatures; each has one price
table, and joining two is remembered.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from policyscaler.model.labels import WELL_KNOWN
from policyscaler.scheduling import requirements as req
from policyscaler.scheduling.offeringtable import Amounts, Mask
from policyscaler.scheduling.packing.problem import Assortment, Option, PackPool, Problem
from policyscaler.scheduling.pricetable import (
    NONE,
    PriceTable,
    cheapest_per_type,
    resource_duals,
    smoothed,
)

IMPOSSIBLE: Final = -1


@dataclass(slots=True, kw_only=True)
class Signature:
    """One signature, with the types of it that are worth looking at while packing."""

    pool: int
    requirements: req.Requirements
    rows: Mask
    prices: Amounts
    assortment: Assortment
    smooth: dict[float, PriceTable] = field(default_factory=dict)


class Signatures:
    """All signatures of one problem, by index, and what joining two of them gives."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.all: list[Signature] = []
        self._index: dict[tuple[object, ...], int] = {}
        self._joined: dict[tuple[int, int], int] = {}
        self._options: dict[int, int] = {}
        self._duals: tuple[float, float] | None = None

    def of_option(self, option: Option) -> int:
        """Returns the signature of a node opened for an option, IMPOSSIBLE if no row is left."""
        known = self._options.get(id(option))
        if known is None:
            known = self._options[id(option)] = self._intern(
                option.pool, option.requirements, option.rows, option.prices
            )
        return known

    def join(self, signature: int, other: int) -> int:
        """Returns the signature of a node that satisfies both, or IMPOSSIBLE."""
        if signature == other:
            return signature
        known = self._joined.get((signature, other))
        if known is None:
            known = self._joined[signature, other] = self._join(signature, other)
        return known

    def table(self, signature: int, weight: float) -> PriceTable:
        """Returns the table of prices, smoothed by a weight from 0 (plain) to 1."""
        entry = self.all[signature]
        if not weight:
            return entry.assortment.plain_table()
        table = entry.smooth.get(weight)
        if table is None:
            types = entry.assortment
            prices = smoothed(types.prices, types.available, self.duals(), weight)
            table = entry.smooth[weight] = PriceTable(types.available, prices)
        return table

    def holds(self, signature: int, used: tuple[int, ...]) -> bool:
        """Returns whether a node that uses this much is possible, minValues included."""
        entry = self.all[signature]
        need = np.array(used, dtype=np.int64)
        if not bool((entry.assortment.available >= need).all(axis=1).any()):
            return False
        pool = self.problem.pools[entry.pool]
        if not pool.min_values:
            return True
        types = self.fitting_types(signature, used)
        return min_values_met(pool, entry.rows & types[pool.table.type_of_row])

    def fitting_types(self, signature: int, used: tuple[int, ...]) -> Mask:
        """Returns all types of a signature that hold this much."""
        entry = self.all[signature]
        available = self.problem.pools[entry.pool].available
        fits = entry.assortment.per_type < NONE
        for column, amount in enumerate(used):
            fits &= available[:, column] >= amount
        return fits

    def duals(self) -> tuple[float, float]:
        """Returns what a milli-CPU and a byte are worth under this problem's demand."""
        if self._duals is None:
            items = self.problem.items
            demand = (
                sum(item.need[0] * item.count for item in items),
                sum(item.need[1] * item.count for item in items),
            )
            parts = [signature.assortment for signature in self.all[:_DUAL_SIGNATURES]]
            available = np.concatenate([part.available for part in parts])
            prices = np.concatenate([part.prices for part in parts])
            self._duals = resource_duals(prices, available, demand)
        return self._duals

    def _join(self, signature: int, other: int) -> int:
        first, second = self.all[signature], self.all[other]
        if first.pool != second.pool:
            return IMPOSSIBLE
        undefined = self.problem.pools[first.pool].table.keys | WELL_KNOWN
        if not req.compatible(first.requirements, second.requirements, undefined=undefined):
            return IMPOSSIBLE
        merged = req.merge(first.requirements, second.requirements)
        prices = (
            first.prices
            if first.prices is second.prices
            else np.maximum(first.prices, second.prices)
        )
        return self._intern(first.pool, merged, first.rows & second.rows, prices)

    def _intern(self, pool: int, wanted: req.Requirements, rows: Mask, prices: Amounts) -> int:
        if not rows.any():
            return IMPOSSIBLE
        key = (pool, frozenset(wanted.items()), rows.tobytes(), prices.tobytes())
        index = self._index.get(key)
        if index is None:
            index = self._index[key] = len(self.all)
            columns = self.problem.pools[pool]
            per_type = cheapest_per_type(rows, prices, columns.table.first_row)
            self.all.append(
                Signature(
                    pool=pool,
                    requirements=wanted,
                    rows=rows,
                    prices=prices,
                    assortment=self.problem.assortments.of(columns.available, per_type),
                )
            )
        return index


_DUAL_SIGNATURES: Final = 8
"""The first signatures belong to the largest pods; their types set what resources are worth."""


def min_values_met(pool: PackPool, rows: Mask) -> bool:
    """Returns whether the rows keep as many distinct values per label as the pool demands."""
    return all(
        len(pool.table.values_of(key, rows)) >= minimum for key, minimum in pool.min_values.items()
    )


def has_price(price: int) -> bool:
    """Returns whether a table's answer is a price at all."""
    return price < NONE // 2
