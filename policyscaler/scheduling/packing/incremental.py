"""Least incremental price: put each pod where the cheapest type that still fits rises least.

A node is opened only if that is cheaper, ties go to the node opened first. Prices are smoothed:
most of the worth of a type's capacity is taken off (see `pricetable.smoothed`).
"""

from __future__ import annotations

import numpy as np

from policyscaler.scheduling.offeringtable import Amounts
from policyscaler.scheduling.packing.open_nodes import OpenNodes, option_signatures
from policyscaler.scheduling.packing.problem import Item, Packing, Problem
from policyscaler.scheduling.packing.signatures import Signatures
from policyscaler.scheduling.pricetable import NONE


class IncrementalPacker:
    """One run; `weight` is the share of the capacity's worth that is taken off prices."""

    def __init__(self, problem: Problem, signatures: Signatures, weight: float) -> None:
        self.problem, self.signatures, self.weight = problem, signatures, weight
        self.nodes = OpenNodes(problem, signatures)
        self.current = np.zeros(64, dtype=np.int64)

    def pack(self) -> Packing:
        """Returns the packing; items go in descending order of what they are worth."""
        options = [option_signatures(item, self.signatures) for item in self.problem.items]
        per_cpu, per_byte = self.signatures.duals()
        worth = [item.need[0] * per_cpu + item.need[1] * per_byte for item in self.problem.items]
        for index in sorted(range(len(worth)), key=lambda i: (-worth[i], i)):
            self._place(self.problem.items[index], options[index])
        return self.nodes.finish(f"incremental-{self.weight:g}")

    def _place(self, item: Item, options: dict[int, int]) -> None:
        nodes = self.nodes
        joins = nodes.joins(options)
        rise = nodes.prices_with(item, joins, self.weight) - self.current[: nodes.count]
        opening, opening_price = self._opening(item, options)
        for placed in range(item.count):
            node = self._cheapest_node(item, joins, rise, opening_price)
            if node < 0 and not nodes.exact:
                self._open_alike(item, opening, opening_price, left=item.count - placed)
                return
            if node < 0:
                node = nodes.open(opening)
                joins = nodes.joins(options)
                rise = self._with_room(rise, node)
            joined = joins[int(nodes.signature[node])]
            nodes.put(node, item, joined)
            joins.setdefault(joined, joined)
            used, table = nodes.used[node], self.signatures.table(joined, self.weight)
            now = table.price(used[0], used[1], used[2])
            self.current[node] = now
            rise[node] = (
                table.price(used[0] + item.need[0], used[1] + item.need[1], used[2] + item.need[2])
                - now
            )

    def _open_alike(self, item: Item, signature: int, opening_price: int, *, left: int) -> None:
        """Opens equal nodes for the pods that are left.

        No open node takes one for less than a new node costs, and nothing changes that while only
        new ones are filled: each takes as many as the first would. It is what placing the pods
        one by one would do.
        """
        table = self.signatures.table(signature, self.weight)
        prices = [table.price(*item.need[:3])]
        while len(prices) < left:
            needs = (amount * (len(prices) + 1) for amount in item.need[:3])
            prices.append(table.price(*needs))
            if prices[-1] - prices[-2] >= min(opening_price, NONE // 2):
                prices.pop()
                break
        while left:
            count = min(left, len(prices))
            node = self.nodes.open(signature)
            self._with_room(self.current, node)
            self.nodes.put(node, item, signature, count=count)
            self.current[node] = prices[count - 1]
            left -= count

    def _opening(self, item: Item, options: dict[int, int]) -> tuple[int, int]:
        """Returns the signature and price of a new node: the cheapest pool of the best tier."""
        pools = self.problem.pools
        tier = min(pools[pool].tier for pool in options)
        priced = [
            (
                self.signatures.table(signature, self.weight).price(*item.need[:3]),
                position,
                signature,
            )
            for position, (pool, signature) in enumerate(options.items())
            if pools[pool].tier == tier
        ]
        price, _, signature = min(priced)
        return signature, price

    def _cheapest_node(
        self, item: Item, joins: dict[int, int], rise: Amounts, opening_price: int
    ) -> int:
        while self.nodes.count and len(rise):
            node = int(rise.argmin())
            if rise[node] >= opening_price or rise[node] >= NONE // 2:
                return -1
            if self.nodes.would_hold(node, item, joins[int(self.nodes.signature[node])]):
                return node
            rise[node] = NONE
        return -1

    def _with_room(self, rise: Amounts, node: int) -> Amounts:
        if node >= len(self.current):
            grown = np.zeros(2 * len(self.current), dtype=np.int64)
            grown[: len(self.current)] = self.current
            self.current = grown
        if node < len(rise):
            return rise
        return np.concatenate([rise, np.full(max(64, node), NONE, dtype=np.int64)])


def pack_incremental(problem: Problem, signatures: Signatures, weight: float) -> Packing:
    """Returns the packing by least incremental price at one smoothing weight."""
    return IncrementalPacker(problem, signatures, weight).pack()
