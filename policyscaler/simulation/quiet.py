"""How long nodes have been quiet: the time of their last pod event, and condition Consolidatable.

Source: Karpenter's nodeclaim.podevents and nodeclaim.disruption controllers, v1.14.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from policyscaler.model.nodes import CONSOLIDATABLE, INITIALIZED, NodeClaim
from policyscaler.model.pods import Pod
from policyscaler.model.pools import NodePool
from policyscaler.simulation import claims as claiming
from policyscaler.simulation.clock import WorkQueue
from policyscaler.simulation.settings import POD_EVENT_PAUSE, VALIDATION_DELAY
from policyscaler.simulation.world import World


class Quiet:
    """Keeps last pod events and the Consolidatable conditions of claims.

    Attributes:
        nearly: called when a node has been quiet for all but the time that validation takes.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.nearly: list[Callable[[], None]] = []
        self._claim_by_node: dict[str, str] = {}
        self._queue: WorkQueue[str] = WorkQueue(world.clock, self._reconcile)
        world.state.pods.watch(self._pod_changed)
        world.state.claims.watch(self._claim_changed)
        world.state.pools.watch(self._pool_changed)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if new is None or not new.node or new.is_daemon:
            return
        is_event = (
            old is None
            or not old.node
            or new.is_terminal != old.is_terminal
            or new.is_terminating != old.is_terminating
        )
        claim = self._world.state.claims.get(self._claim_by_node.get(new.node, ""))
        if claim is None or not is_event:
            return
        now, last = self._world.now, claim.last_pod_event
        if last is None or now - last >= POD_EVENT_PAUSE:
            self._world.state.claims.put(msgspec.structs.replace(claim, last_pod_event=now))

    def _claim_changed(self, old: NodeClaim | None, new: NodeClaim | None) -> None:
        if new is None:
            if old is not None:
                self._claim_by_node.pop(old.node, None)
            return
        if new.node:
            self._claim_by_node[new.node] = new.meta.name
        if (
            old is None
            or old.last_pod_event != new.last_pod_event
            or old.has(INITIALIZED) != new.has(INITIALIZED)
        ):
            self._queue.add(new.meta.name)

    def _pool_changed(self, _old: NodePool | None, new: NodePool | None) -> None:
        for claim in self._world.state.claims.items.values():
            if new is not None and claim.pool == new.name:
                self._queue.add(claim.meta.name)

    def _reconcile(self, name: str) -> None:
        claim = self._world.state.claims.get(name)
        pool = self._world.state.pools.get(claim.pool) if claim else None
        if claim is None or pool is None:
            return
        after = pool.disruption.consolidate_after
        initialized = claim.conditions.get(INITIALIZED)
        if after is None or initialized is None or initialized.status != "True":
            self._set(claim, quiet=False)
            return
        since = claim.last_pod_event or initialized.since or self._world.now
        due = since + after
        self._set(claim, quiet=due <= self._world.now)
        if due > self._world.now:
            self._world.clock.at(due, lambda: self._queue.add(name))
            early = max(due - VALIDATION_DELAY, self._world.now)
            self._world.clock.at(early, self._tell)

    def _tell(self) -> None:
        for callback in self.nearly:
            callback()

    def _set(self, claim: NodeClaim, *, quiet: bool) -> None:
        if claim.has(CONSOLIDATABLE) == quiet:
            return
        if quiet:
            changed = claiming.with_condition(
                claim, CONSOLIDATABLE, status="True", now=self._world.now
            )
        else:
            changed = claiming.without_condition(claim, CONSOLIDATABLE)
        self._world.state.claims.put(changed)
