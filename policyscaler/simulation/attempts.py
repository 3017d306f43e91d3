"""Which pods had nodes launched for them that came up without taking them.

In a cluster this is kept with what else must outlive a restart and sits on no object.
"""

from __future__ import annotations

from collections.abc import Iterable

from policyscaler.model.nodes import INITIALIZED, NodeClaim
from policyscaler.model.pods import Pod
from policyscaler.model.snapshot import Attempts, ObjectKey
from policyscaler.simulation.world import World


class LaunchAttempts:
    """Counts launches per pod whose node was initialized; forgets pods that are bound or gone."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._launches: dict[ObjectKey, dict[str, None]] = {}
        self._came_up: set[str] = set()
        self.fruitless: dict[ObjectKey, Attempts] = {}
        world.state.claims.watch(self._claim_changed)
        world.state.pods.watch(self._pod_changed)

    def launched(self, pods: Iterable[ObjectKey], claim: str) -> None:
        """Takes down a launch; earlier ones that came up by now were for nothing."""
        for key in pods:
            earlier = self._launches.setdefault(key, {})
            count = sum(name in self._came_up for name in earlier)
            if count:
                self.fruitless[key] = Attempts(count=count + 1, latest=self._world.now)
            earlier[claim] = None

    def _claim_changed(self, old: NodeClaim | None, new: NodeClaim | None) -> None:
        if new is not None and new.has(INITIALIZED) and not (old and old.has(INITIALIZED)):
            self._came_up.add(new.meta.name)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if old is not None and (new is None or (new.node and not old.node)):
            self._launches.pop(old.meta.key, None)
            self.fruitless.pop(old.meta.key, None)
