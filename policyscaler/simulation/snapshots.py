"""What the planner is given to see of the simulated world, and what the engine remembers for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeAlias

from policyscaler.model.plan import Plan
from policyscaler.model.snapshot import Snapshot
from policyscaler.simulation.attempts import LaunchAttempts
from policyscaler.simulation.market import Market, Triple
from policyscaler.simulation.settings import CAPACITY_ERROR_MEMORY
from policyscaler.simulation.world import World

Planner: TypeAlias = Callable[[Snapshot, datetime], Plan]


class CapacityMemory:
    """Offerings that had no capacity a short while ago."""

    def __init__(self) -> None:
        self._until: dict[Triple, datetime] = {}

    def remember(self, rows: Iterable[Triple], now: datetime) -> datetime:
        """Takes offerings for unavailable for a while; returns until when."""
        until = now + CAPACITY_ERROR_MEMORY
        for row in rows:
            self._until[row] = until
        return until

    def unavailable(self, now: datetime) -> frozenset[Triple]:
        """Returns the offerings that are taken for unavailable."""
        self._until = {row: until for row, until in self._until.items() if until > now}
        return frozenset(self._until)


class Snapshots:
    """Freezes the world into what a decision may depend on."""

    def __init__(
        self, world: World, *, market: Market, memory: CapacityMemory, attempts: LaunchAttempts
    ) -> None:
        self._world = world
        self._attempts = attempts
        self._market = market
        self._memory = memory

    def take(self) -> Snapshot:
        """Returns the present state."""
        state = self._world.state
        unavailable = self._memory.unavailable(self._world.now)
        catalogues = {}
        for ref in self._market.catalogues:
            catalogue = self._market.catalogue(ref, unavailable)
            if catalogue is not None:
                catalogues[ref] = catalogue
        return Snapshot(
            pools=dict(state.pools.items),
            node_classes=dict(state.node_classes.items),
            catalogues=catalogues,
            nodes=dict(state.nodes.items),
            claims=dict(state.claims.items),
            pods=dict(state.pods.items),
            daemon_sets=dict(state.daemon_sets.items),
            disruption_budgets=dict(state.disruption_budgets.items),
            namespaces=dict(state.namespaces.items),
            priority_classes=dict(state.priority_classes.items),
            storage_classes=dict(state.storage_classes.items),
            volumes=dict(state.volumes.items),
            volume_claims=dict(state.volume_claims.items),
            fruitless_launches=dict(self._attempts.fruitless),
        )
