"""A snapshot seen the way planning needs it: nodes joined with claims, pods, prices and usage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from policyscaler.model import labels as well
from policyscaler.model import resources as res
from policyscaler.model.nodes import DISRUPTION_REASON, Node, NodeClaim, Taint
from policyscaler.model.offerings import Catalogue, InstanceType
from policyscaler.model.pods import Pod
from policyscaler.model.pools import NodePool
from policyscaler.model.requests import pod_requests
from policyscaler.model.resources import Resources
from policyscaler.model.snapshot import Snapshot
from policyscaler.planning.protection import stuck_pods
from policyscaler.scheduling.daemons import Daemon, daemons_of, node_overhead
from policyscaler.scheduling.existing import NodeRoom
from policyscaler.scheduling.requirements import of_node, with_aliases
from policyscaler.scheduling.taints import lasting


@dataclass(frozen=True, slots=True, kw_only=True)
class StateNode:
    """A node, a claim, or both joined by name or provider ID.

    Attributes:
        name: the node's name, or the claim's while there is no node.
        pool: its NodePool, empty when it has none.
        pods: bound to it, terminal ones left out.
        leaving: it is being deleted, or chosen to be: its pods need a new place.
        deleting: it is being deleted, and no longer counts against limits.
        initialized: fully there; nodes that no claim stands behind always are.
    """

    name: str
    node: Node | None
    claim: NodeClaim | None
    pool: str
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    capacity: Resources
    allocatable: Resources
    pods: tuple[Pod, ...]
    leaving: bool
    deleting: bool
    initialized: bool

    @property
    def created(self) -> datetime | None:
        """When the claim, or else the node, was made."""
        owner = self.claim or self.node
        return owner.meta.created if owner else None

    @property
    def reschedulable(self) -> tuple[Pod, ...]:
        """The pods that need a new home if it goes."""
        return tuple(pod for pod in self.pods if pod.is_reschedulable)


@dataclass(frozen=True, kw_only=True)
class ClusterView:
    """Everything that is derived from a snapshot once per decision."""

    snapshot: Snapshot
    nodes: tuple[StateNode, ...]
    daemons: tuple[Daemon, ...]
    pending: tuple[Pod, ...]
    promised: Mapping[str, tuple[Pod, ...]]
    types: Mapping[tuple[str, str], InstanceType] = field(default_factory=dict)

    def rooms(self, without: frozenset[str] = frozenset()) -> list[NodeRoom]:
        """Returns what is free on the nodes that stay.

        Args:
            without: names of nodes to leave out, as if they were gone.
        """
        return [room for room in self._rooms if room.name not in without]

    @cached_property
    def _rooms(self) -> tuple[NodeRoom, ...]:
        staying = (node for node in self.nodes if not node.leaving)
        return tuple(room for node in staying if (room := self._room(node)) is not None)

    def usage(self, pool: str) -> dict[str, int]:
        """Returns the capacity of a pool's nodes that count against its limits, and `nodes`."""
        members = [node for node in self.nodes if node.pool == pool and not node.deleting]
        return res.add(*(node.capacity for node in members), {res.NODES: len(members)})

    def price_of(self, node: StateNode) -> int:
        """Returns what a node costs per hour, 0 when its offering is unknown."""
        pool = self.snapshot.pools.get(node.pool)
        if pool is None:
            return 0
        kind = self.type_of(pool, node.labels.get(well.INSTANCE_TYPE, ""))
        zone, capacity = node.labels.get(well.ZONE), node.labels.get(well.CAPACITY_TYPE)
        for offering in kind.offerings if kind else ():
            if offering.zone == zone and offering.capacity_type == capacity:
                return offering.price_micros_per_hour
        return 0

    def type_of(self, pool: NodePool, name: str) -> InstanceType | None:
        """Returns an instance type of the pool's catalogue by name."""
        return self.types.get((pool.name, name))

    def _room(self, node: StateNode) -> NodeRoom | None:
        unschedulable = node.node is not None and node.node.unschedulable
        if unschedulable or not node.allocatable:
            return None
        held = (*node.pods, *self.promised.get(node.name, ()))
        running = [pod_requests(pod) for pod in node.pods if pod.is_daemon]
        coming = node_overhead(self.daemons, node.labels, node.taints, running)
        used = res.add(*(pod_requests(pod) for pod in held), coming)
        labels = node.labels if node.node is not None else with_aliases(node.labels)
        return NodeRoom(
            name=node.name, labels=of_node(labels), taints=node.taints,
            free=res.subtract(node.allocatable, used), initialized=node.initialized,
        )  # fmt: skip


def view_cluster(snapshot: Snapshot, now: datetime) -> ClusterView:
    """Returns the view of a snapshot: the same whatever the order of its maps.

    Args:
        snapshot: the state.
        now: the instant of the decision: some protections of pods end with time.
    """
    types = _types_by_pool(snapshot)
    by_node: dict[str, list[Pod]] = {}
    for _, pod in sorted(snapshot.pods.items()):
        if pod.node and not pod.is_terminal:
            by_node.setdefault(pod.node, []).append(pod)
    nodes = tuple(_state_nodes(snapshot, by_node, types))
    bare = ClusterView(
        snapshot=snapshot,
        nodes=nodes,
        daemons=tuple(daemons_of(snapshot.daemon_sets.values(), snapshot.pods.values())),
        pending=(),
        promised={},
        types=types,
    )
    promised, pending = _promises(bare, _unbound(snapshot))
    leaving = [node for node in nodes if node.leaving and node.pods]
    stuck = stuck_pods(snapshot, now) if leaving else frozenset()
    moving = [pod for node in leaving for pod in node.reschedulable if pod.meta.key not in stuck]
    return ClusterView(
        snapshot=snapshot, nodes=nodes, daemons=bare.daemons,
        pending=(*pending, *moving), promised=promised, types=types,
    )  # fmt: skip


def _types_by_pool(snapshot: Snapshot) -> dict[tuple[str, str], InstanceType]:
    by_catalogue: dict[int, Mapping[str, InstanceType]] = {}
    found = {}
    for name, pool in sorted(snapshot.pools.items()):
        catalogue = snapshot.catalogues.get(pool.node_class, Catalogue(name=""))
        named = by_catalogue.setdefault(id(catalogue), {t.name: t for t in catalogue.types})
        found.update({(name, type_name): kind for type_name, kind in named.items()})
    return found


def _unbound(snapshot: Snapshot) -> list[Pod]:
    return [
        pod
        for _, pod in sorted(snapshot.pods.items())
        if not pod.node
        and pod.is_active
        and pod.unschedulable
        and not pod.is_daemon
        and not pod.is_static
        and not pod.spec.scheduling_gates
    ]


def _promises(
    view: ClusterView, pods: Iterable[Pod]
) -> tuple[dict[str, tuple[Pod, ...]], list[Pod]]:
    """Splits pods into those whose nomination still holds, by node, and those without a place.

    A nomination is void as soon as the node is gone or has no room left, so that a pod whose
    room was taken by others is planned for again at once.
    """
    unbound = list(pods)
    pending = [pod for pod in unbound if not pod.nominated]
    nominated = [pod for pod in unbound if pod.nominated]
    if not nominated:
        return {}, pending
    free = {room.name: dict(room.free) for room in view.rooms()}
    promised: dict[str, list[Pod]] = {}
    for pod in sorted(nominated, key=lambda p: (-(p.spec.priority or 0), p.meta.key)):
        need = pod_requests(pod)
        if pod.nominated in free and res.fits(need, free[pod.nominated]):
            free[pod.nominated] = res.subtract(free[pod.nominated], need)
            promised.setdefault(pod.nominated, []).append(pod)
        else:
            pending.append(pod)
    return {name: tuple(held) for name, held in sorted(promised.items())}, pending


def _state_nodes(
    snapshot: Snapshot,
    by_node: Mapping[str, list[Pod]],
    types: Mapping[tuple[str, str], InstanceType],
) -> Iterable[StateNode]:
    claim_of = {claim.node: claim for _, claim in sorted(snapshot.claims.items()) if claim.node}
    by_provider = {c.provider_id: c for _, c in sorted(snapshot.claims.items()) if c.provider_id}
    joined = set()
    for name, node in sorted(snapshot.nodes.items()):
        claim = claim_of.get(name) or by_provider.get(node.provider_id or "-")
        if claim is not None:
            joined.add(claim.meta.name)
        yield _from_node(node, claim, tuple(by_node.get(name, ())))
    for name, claim in sorted(snapshot.claims.items()):
        if name not in joined:
            yield _from_claim(claim, types)


def _from_node(node: Node, claim: NodeClaim | None, pods: tuple[Pod, ...]) -> StateNode:
    initialized = claim is None or node.meta.labels.get(well.INITIALIZED) == "true"
    startup = claim.startup_taints if claim else ()
    taints = lasting(node.taints, startup, initialized=initialized)
    return StateNode(
        name=node.meta.name,
        node=node,
        claim=claim,
        pool=(claim.pool if claim else "") or node.meta.labels.get(well.NODEPOOL, ""),
        labels=node.meta.labels,
        taints=taints,
        # A node that has just joined does not know its size yet; its claim does.
        capacity=node.capacity or (claim.capacity if claim else {}),
        allocatable=node.allocatable or (claim.allocatable if claim else {}),
        pods=pods,
        leaving=_is_leaving(node, claim),
        deleting=_is_deleting(node, claim),
        initialized=initialized,
    )


def _is_leaving(node: Node | None, claim: NodeClaim | None) -> bool:
    chosen = claim is not None and claim.has(DISRUPTION_REASON)
    tainted = node is not None and any(t.key == well.DISRUPTED_TAINT for t in node.taints)
    return chosen or tainted or _is_deleting(node, claim)


def _is_deleting(node: Node | None, claim: NodeClaim | None) -> bool:
    return any(owner is not None and owner.meta.deleted is not None for owner in (node, claim))


def _from_claim(claim: NodeClaim, types: Mapping[tuple[str, str], InstanceType]) -> StateNode:
    """A claim whose node has not appeared: what it will be is known once it is launched.

    Before that it counts as the largest machine it may become, and has room only for what it
    was made for.
    """
    labels = dict(claim.meta.labels)
    for wanted in claim.requirements:
        if wanted.operator == "In" and len(wanted.values) == 1:
            labels.setdefault(wanted.key, wanted.values[0])
    capacity, allocatable = claim.capacity, claim.allocatable
    if not capacity:
        possible = [
            types[claim.pool, name].capacity
            for wanted in claim.requirements
            if wanted.key == well.INSTANCE_TYPE and wanted.operator == "In"
            for name in wanted.values
            if (claim.pool, name) in types
        ]
        capacity = res.maximum(possible)
    return StateNode(
        name=claim.meta.name, node=None, claim=claim, pool=claim.pool, labels=labels,
        taints=claim.taints, capacity=capacity, allocatable=allocatable or claim.requests,
        pods=(), leaving=_is_leaving(None, claim),
        deleting=_is_deleting(None, claim), initialized=False,
    )  # fmt: skip
