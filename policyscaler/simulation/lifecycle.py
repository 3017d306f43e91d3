"""The engine's claims from creation to initialization: launch, register, initialize, give up.

Source: reference behaviour of Karpenter's nodeclaim.lifecycle, v1.14.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import msgspec

from policyscaler.model import labels as well
from policyscaler.model.errors import InsufficientCapacity, LaunchRefused
from policyscaler.model.money import format_price
from policyscaler.model.nodes import INITIALIZED, LAUNCHED, REGISTERED, Node, NodeClaim
from policyscaler.model.plan import PlannedNode
from policyscaler.ports.observation import LAUNCH, Moment
from policyscaler.scheduling.taints import is_ephemeral
from policyscaler.simulation import claims as claiming
from policyscaler.simulation.clock import WorkQueue
from policyscaler.simulation.provider import LaunchResult, SimulatedProvider
from policyscaler.simulation.settings import LAUNCH_TIMEOUT, REGISTRATION_TIMEOUT
from policyscaler.simulation.snapshots import CapacityMemory
from policyscaler.simulation.world import World

_RETRY_FIRST = timedelta(seconds=1)
_RETRY_MAX = timedelta(seconds=60)


class Lifecycle:
    """Carries claims forward.

    Attributes:
        on_idle: called when no launch call is under way any more.
    """

    def __init__(
        self, world: World, *, provider: SimulatedProvider, memory: CapacityMemory
    ) -> None:
        self.on_idle: list[Callable[[], None]] = []
        self._world = world
        self._provider = provider
        self._memory = memory
        self._calling: dict[str, None] = {}
        self._by_machine: dict[str, str] = {}
        self._queue: WorkQueue[str] = WorkQueue(world.clock, self._reconcile)
        world.state.claims.watch(self._claim_changed)
        world.state.nodes.watch(self._node_changed)

    @property
    def is_launching(self) -> bool:
        """Whether a first launch call has not been answered yet: what is there is uncertain."""
        return bool(self._calling)

    def create(self, planned: PlannedNode) -> NodeClaim:
        """Creates a claim and launches it."""
        claim = claiming.new_claim(self._world, planned)
        name, uid = claim.meta.name, claim.meta.uid
        self._world.state.claims.put(claim)
        self._calling[name] = None
        clock = self._world.clock
        clock.after(
            self._world.settings.launch, lambda: self._launch(name, uid, retry=_RETRY_FIRST)
        )
        clock.after(LAUNCH_TIMEOUT, lambda: self._check_launched(name, uid))
        return claim

    def delete(self, name: str) -> bool:
        """Marks a claim as deleted; returns whether it was not before."""
        claim = self._world.state.claims.get(name)
        if claim is None or claim.meta.deleted is not None:
            return False
        meta = msgspec.structs.replace(claim.meta, deleted=self._world.now)
        self._world.state.claims.put(msgspec.structs.replace(claim, meta=meta))
        return True

    def claim_of_machine(self, provider_id: str) -> NodeClaim | None:
        """Returns the claim that a machine was launched for."""
        return self._world.state.claims.get(self._by_machine.get(provider_id, ""))

    def _launch(self, name: str, uid: str, *, retry: timedelta) -> None:
        claim = self._current(name, uid)
        if claim is None or claim.meta.deleted is not None:
            self._answered(name)
            return
        rows = claiming.rows_of_claim(claim)
        token = f"i-{self._world.identities.number('token', uid, *(r[0] for r in rows)):016x}"
        self._world.tell(Moment(what=LAUNCH, claim=name))
        try:
            result = self._provider.launch(claim.node_class, rows=rows, claim=name, token=token)
        except InsufficientCapacity as error:
            self._no_capacity(claim, error)
        except LaunchRefused as error:
            self._refused(claim, error, retry=retry)
        else:
            self._launched(claim, result)
        self._answered(name)

    def _answered(self, name: str) -> None:
        self._calling.pop(name, None)
        if not self._calling:
            for callback in self.on_idle:
                callback()

    def _launched(self, claim: NodeClaim, result: LaunchResult) -> None:
        name, uid = claim.meta.name, claim.meta.uid
        instance = self._provider.instances[result.provider_id]
        self._remember(name, result.exhausted)
        self._world.state.claims.put(claiming.launched(claim, instance, now=self._world.now))
        instance_type, zone, capacity_type = instance.triple
        price = self._provider.price_of(instance)
        self._world.note(
            "launched", f"nodeclaim/{name}",
            f"launched {instance_type} in {zone}, {capacity_type}, ${format_price(price)}/h",
            instanceType=instance_type, zone=zone, capacityType=capacity_type,
        )  # fmt: skip
        self._world.clock.after(REGISTRATION_TIMEOUT, lambda: self._check_registered(name, uid))

    def _no_capacity(self, claim: NodeClaim, error: InsufficientCapacity) -> None:
        self._remember(claim.meta.name, error.offerings)
        self._world.state.claims.remove(claim.meta.name)

    def _remember(self, name: str, rows: tuple[tuple[str, str, str], ...]) -> None:
        if rows:
            self._memory.remember(rows, self._world.now)
            self._world.note("capacity", f"nodeclaim/{name}", str(InsufficientCapacity(rows)))

    def _refused(self, claim: NodeClaim, error: LaunchRefused, *, retry: timedelta) -> None:
        name, uid = claim.meta.name, claim.meta.uid
        self._world.note("error", f"nodeclaim/{name}", f"launch failed: {error}; trying again")
        failed = claiming.with_condition(
            claim, LAUNCHED, status="Unknown", now=self._world.now, reason="LaunchFailed",
            message=str(error),
        )  # fmt: skip
        self._world.state.claims.put(failed)
        self._world.clock.after(
            retry, lambda: self._launch(name, uid, retry=min(2 * retry, _RETRY_MAX))
        )

    def _check_launched(self, name: str, uid: str) -> None:
        claim = self._current(name, uid)
        if claim is not None and not claim.has(LAUNCHED) and self.delete(name):
            self._world.note("error", f"nodeclaim/{name}", "not launched in time, given up")

    def _check_registered(self, name: str, uid: str) -> None:
        claim = self._current(name, uid)
        if claim is not None and not claim.has(REGISTERED) and self.delete(name):
            self._world.note("error", f"nodeclaim/{name}", "never registered, given up")

    def _current(self, name: str, uid: str) -> NodeClaim | None:
        claim = self._world.state.claims.get(name)
        return claim if claim is not None and claim.meta.uid == uid else None

    def _claim_changed(self, old: NodeClaim | None, new: NodeClaim | None) -> None:
        if new is None:
            if old is not None:
                self._by_machine.pop(old.provider_id, None)
            return
        if new.provider_id:
            self._by_machine[new.provider_id] = new.meta.name
        if not new.has(INITIALIZED):
            self._queue.add(new.meta.name)

    def _node_changed(self, _old: Node | None, new: Node | None) -> None:
        name = self._by_machine.get(new.provider_id, "") if new else ""
        if name:
            self._queue.add(name)

    def _reconcile(self, name: str) -> None:
        claim = self._world.state.claims.get(name)
        if claim is None or claim.meta.deleted is not None or not claim.provider_id:
            return
        node = self._node_of(claim)
        if node is None:
            return
        if not claim.has(REGISTERED):
            self._register(claim, node)
        elif not claim.has(INITIALIZED) and not waits_for(claim, node):
            self._initialize(claim, node)

    def _node_of(self, claim: NodeClaim) -> Node | None:
        nodes = self._world.state.nodes
        if claim.node:
            return nodes.get(claim.node)
        found = (n for n in nodes.items.values() if n.provider_id == claim.provider_id)
        return next(found, None)

    def _register(self, claim: NodeClaim, node: Node) -> None:
        now, name = self._world.now, claim.meta.name
        self._world.state.nodes.put(claiming.registered(node, claim))
        joined = msgspec.structs.replace(claim, node=node.meta.name)
        self._world.state.claims.put(
            claiming.with_condition(joined, REGISTERED, status="True", now=now)
        )
        self._world.note(
            "registered", f"nodeclaim/{name}", f"registered as {node.meta.name} {_age(claim, now)}"
        )

    def _initialize(self, claim: NodeClaim, node: Node) -> None:
        now = self._world.now
        labels = {**node.meta.labels, well.INITIALIZED: "true"}
        meta = msgspec.structs.replace(node.meta, labels=labels)
        self._world.state.nodes.put(msgspec.structs.replace(node, meta=meta))
        self._world.state.claims.put(
            claiming.with_condition(claim, INITIALIZED, status="True", now=now)
        )
        self._world.note(
            "ready", f"nodeclaim/{claim.meta.name}",
            f"{node.meta.name} takes pods {_age(claim, now)}",
        )  # fmt: skip


def waits_for(claim: NodeClaim, node: Node) -> str:
    """Returns what a registered node still lacks before it may count as initialized, or nothing."""
    if not node.ready:
        return "NodeNotReady"
    startup = {(t.key, t.effect) for t in claim.startup_taints}
    if any((t.key, t.effect) in startup for t in node.taints):
        return "StartupTaintsExist"
    if any(is_ephemeral(t) for t in node.taints):
        return "KnownEphemeralTaintsExist"
    if any(need and not node.allocatable.get(name) for name, need in claim.requests.items()):
        return "ResourceNotRegistered"
    return ""


def _age(claim: NodeClaim, now: datetime) -> str:
    created = claim.meta.created or now
    return f"{round((now - created).total_seconds())} s after it was asked for"
