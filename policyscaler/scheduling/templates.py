"""NodePools made ready for scheduling: what a new node of each can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from policyscaler.model.labels import WELL_KNOWN
from policyscaler.model.pools import NodePool
from policyscaler.model.resources import NODES, Resources
from policyscaler.scheduling import requirements as req
from policyscaler.scheduling.daemons import Daemon, template_overhead
from policyscaler.scheduling.offeringtable import Amounts, Mask, OfferingTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A NodePool with its columns.

    Attributes:
        pool: the pool.
        tier: 0 for the highest weight, equal weights share one.
        table: the offerings of its NodeClass.
        requirements: of every node of the pool.
        undefined: labels that a new node may come to have without the pool naming them.
        matching: rows that satisfy the pool's requirements, available or not.
        overhead: what daemons take, per resource and type.
        min_values: distinct values that labels must keep, by key.
    """

    pool: NodePool
    tier: int
    table: OfferingTable
    requirements: req.Requirements
    undefined: frozenset[str]
    matching: Mask
    overhead: Mapping[str, Amounts]
    min_values: Mapping[str, int]

    @property
    def launchable(self) -> Mask:
        """Rows that match and can be had now."""
        return self.matching & self.table.available

    def within(self, remaining: Resources) -> Mask:
        """Returns the rows whose type's whole capacity is within what limits leave.

        Source: Karpenter compares limits with the capacity of machines, not with requests.
        """
        rows = np.ones(len(self.table), dtype=bool)
        if remaining.get(NODES, 1) < 1:
            return np.zeros_like(rows)
        for resource, amount in sorted(remaining.items()):
            if resource != NODES:
                rows = rows & (self.table.capacity(resource) <= amount)[self.table.type_of_row]
        return rows


def make_template(
    pool: NodePool, table: OfferingTable, daemons: Sequence[Daemon], *, tier: int
) -> Template:
    """Returns the template of one pool."""
    requirements = req.of_pool(pool)
    return Template(
        pool=pool,
        tier=tier,
        table=table,
        requirements=requirements,
        undefined=table.keys | WELL_KNOWN,
        matching=table.mask_all(requirements),
        overhead=template_overhead(daemons, requirements, pool.taints, table),
        min_values={
            key: wanted.min_values
            for key, wanted in sorted(requirements.items())
            if wanted.min_values is not None
        },
    )


def preference_order(pools: Sequence[NodePool]) -> list[tuple[int, NodePool]]:
    """Returns pools with their tiers: by weight, then name, both descending.

    Source: Karpenter's order; between equal weights the order only matters at equal cost.
    """
    ordered = sorted(pools, key=lambda pool: pool.name, reverse=True)
    ordered.sort(key=lambda pool: -pool.weight)
    weights = sorted({pool.weight for pool in pools}, reverse=True)
    return [(weights.index(pool.weight), pool) for pool in ordered]
