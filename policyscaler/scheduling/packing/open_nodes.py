"""Nodes under construction, in columns that grow."""

from __future__ import annotations

import numpy as np

from policyscaler.scheduling.offeringtable import Amounts
from policyscaler.scheduling.packing.problem import Item, PackedNode, Packing, Problem
from policyscaler.scheduling.packing.signatures import IMPOSSIBLE, Signatures
from policyscaler.scheduling.pricetable import NONE

_ROOM = 64


class OpenNodes:
    """The nodes of one packing.

    Attributes:
        count: how many there are.
        used: amount per node and primary resource, as columns of their own.
        signature: index of each node's signature.
        content: per node the count of pods per shape.
    """

    def __init__(self, problem: Problem, signatures: Signatures) -> None:
        self.problem, self.signatures = problem, signatures
        self.count = 0
        self.cpu = np.zeros(_ROOM, dtype=np.int64)
        self.memory = np.zeros(_ROOM, dtype=np.int64)
        self.pods = np.zeros(_ROOM, dtype=np.int64)
        self.signature = np.zeros(_ROOM, dtype=np.int32)
        self.used: list[list[int]] = []
        self.content: list[dict[int, int]] = []
        self.present: dict[int, int] = {}
        self.exact = len(problem.resources) > 3 or any(p.min_values for p in problem.pools)

    def open(self, signature: int) -> int:
        """Adds an empty node and returns its index."""
        index = self.count
        if index == len(self.cpu):
            self._grow()
        self.count += 1
        self.signature[index] = signature
        self.present[signature] = self.present.get(signature, 0) + 1
        self.used.append([0] * len(self.problem.resources))
        self.content.append({})
        return index

    def put(self, node: int, item: Item, joined: int, *, count: int = 1) -> None:
        """Puts pods on a node, which narrows the node to the joined signature."""
        used = self.used[node]
        for position, amount in enumerate(item.need):
            used[position] += amount * count
        self.cpu[node], self.memory[node], self.pods[node] = used[0], used[1], used[2]
        before = int(self.signature[node])
        if before != joined:
            self.signature[node] = joined
            self.present[joined] = self.present.get(joined, 0) + 1
            self.present[before] -= 1
            if not self.present[before]:
                del self.present[before]
        content = self.content[node]
        content[item.shape] = content.get(item.shape, 0) + count

    def would_hold(self, node: int, item: Item, joined: int) -> bool:
        """Returns whether one more pod really fits.

        Price tables know three resources; here all of them count, and minValues.
        """
        if not self.exact:
            return True
        used = tuple(a + b for a, b in zip(self.used[node], item.need, strict=True))
        return self.signatures.holds(joined, used)

    def joins(self, options: dict[int, int]) -> dict[int, int]:
        """Returns, per signature present, what it becomes with this item; impossible ones left out.

        Args:
            options: the item's signature per pool.
        """
        found: dict[int, int] = {}
        for signature in self.present:
            wanted = options.get(self.signatures.all[signature].pool)
            if wanted is None:
                continue
            joined = self.signatures.join(signature, wanted)
            if joined != IMPOSSIBLE:
                found[signature] = joined
        return found

    def prices_with(self, item: Item, joins: dict[int, int], weight: float) -> Amounts:
        """Returns per node the price of the cheapest type that holds one more pod of the item.

        NONE where it does not fit or may not go.
        """
        count = self.count
        prices = np.full(count, NONE, dtype=np.int64)
        for signature, joined in joins.items():
            table = self.signatures.table(joined, weight)
            if len(self.present) == 1:
                return table.prices(
                    self.cpu[:count] + item.need[0],
                    self.memory[:count] + item.need[1],
                    self.pods[:count] + item.need[2],
                )
            at = np.flatnonzero(self.signature[:count] == signature)
            prices[at] = table.prices(
                self.cpu[at] + item.need[0],
                self.memory[at] + item.need[1],
                self.pods[at] + item.need[2],
            )
        return prices

    def finish(self, name: str) -> Packing:
        """Returns the packing, each node with all offerings that hold it."""
        nodes = []
        for index in range(self.count):
            signature = int(self.signature[index])
            entry, used = self.signatures.all[signature], tuple(self.used[index])
            types = self.signatures.fitting_types(signature, used)
            nodes.append(
                PackedNode(
                    pool=entry.pool,
                    requirements=entry.requirements,
                    base=entry.rows,
                    prices=entry.prices,
                    types=types,
                    price=int(entry.assortment.per_type[types].min()),
                    resources=self.problem.resources,
                    used=used,
                    content=tuple(sorted(self.content[index].items())),
                )
            )
        return Packing(name=name, nodes=tuple(nodes))

    def _grow(self) -> None:
        extra = len(self.cpu)
        self.cpu = np.concatenate([self.cpu, np.zeros(extra, dtype=np.int64)])
        self.memory = np.concatenate([self.memory, np.zeros(extra, dtype=np.int64)])
        self.pods = np.concatenate([self.pods, np.zeros(extra, dtype=np.int64)])
        self.signature = np.concatenate([self.signature, np.zeros(extra, dtype=np.int32)])


def option_signatures(item: Item, signatures: Signatures) -> dict[int, int]:
    """Returns the item's signature per pool, preferred pools first."""
    found: dict[int, int] = {}
    for option in item.options:
        signature = signatures.of_option(option)
        if signature != IMPOSSIBLE:
            found.setdefault(option.pool, signature)
    return found
