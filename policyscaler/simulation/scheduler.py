"""The simulated kube-scheduler: binds pods to nodes, one after the other, or gives up on them.

It does not pre-empt. A pod that fits nowhere is marked unschedulable and tried again when
something changes that might help it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import msgspec

from policyscaler.model import resources as res
from policyscaler.model.nodes import Node
from policyscaler.model.pods import Pod, PodSpec
from policyscaler.model.resources import Resources
from policyscaler.model.snapshot import ObjectKey
from policyscaler.ports.observation import BIND, Moment
from policyscaler.simulation.clock import ZERO
from policyscaler.simulation.placement import (
    admits,
    host_ports,
    pinned_node,
    ports_collide,
    unsupported,
)
from policyscaler.simulation.scoring import score
from policyscaler.simulation.usage import scored_requests
from policyscaler.simulation.world import World

NAME: Final = "default-scheduler"
_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Scheduler:
    """Keeps the queue of pods without a node."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._active: dict[ObjectKey, None] = {}
        self._parked: dict[ObjectKey, None] = {}
        self._armed = False
        self._admitted: dict[str, tuple[Node, dict[int, tuple[PodSpec, bool]]]] = {}
        world.state.pods.watch(self._pod_changed)
        world.state.nodes.watch(self._node_changed)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if old is not None and old.node and (new is None or new.is_terminal):
            self._wake_all()
        if new is None or not _is_waiting(new):
            gone = new or old
            if gone is not None:
                self._active.pop(gone.meta.key, None)
                self._parked.pop(gone.meta.key, None)
            return
        if old is None or old.nominated != new.nominated or not _is_waiting(old):
            self._parked.pop(new.meta.key, None)
            self._active[new.meta.key] = None
            self._arm()

    def _node_changed(self, old: Node | None, new: Node | None) -> None:
        if new is None and old is not None:
            self._admitted.pop(old.meta.name, None)
        if new is not None:
            self._wake_all()

    def _wake_all(self) -> None:
        if self._parked:
            self._active.update(self._parked)
            self._parked.clear()
            self._arm()

    def _arm(self) -> None:
        if not self._armed:
            self._armed = True
            self._world.clock.after(ZERO, self._pass)

    def _pass(self) -> None:
        self._armed = False
        pods = [p for key in self._active if (p := self._world.state.pods.get(key)) is not None]
        self._active.clear()
        hopeless: dict[int, PodSpec] = {}
        for pod in sorted(pods, key=_queue_order):
            if id(pod.spec) in hopeless and not pod.nominated:
                self._give_up(pod)
                continue
            node = self._choose(pod)
            if node is not None:
                self._bind(pod, node)
            else:
                if not pod.nominated:
                    hopeless[id(pod.spec)] = pod.spec
                self._give_up(pod)

    def _choose(self, pod: Pod) -> Node | None:
        nodes = self._world.state.nodes
        if unsupported(pod.spec):
            return None
        wanted = nodes.get(pod.nominated) if pod.nominated else None
        if wanted is not None and self._fits(pod, wanted):
            return wanted
        pinned = pinned_node(pod.spec)
        if pinned is not None:
            only = nodes.get(pinned)
            return only if only is not None and self._fits(pod, only) else None
        fitting = [node for node in nodes.items.values() if self._fits(pod, node)]
        return self._best(pod, fitting) if fitting else None

    def _best(self, pod: Pod, nodes: list[Node]) -> Node:
        if len(nodes) == 1:
            return nodes[0]
        index, more = (
            self._world.state.index,
            scored_requests(self._world.state.index.requests(pod)),
        )
        loads = []
        for node in nodes:
            cpu, memory = index.scored(node.meta.name)
            loads.append((cpu + more[0], memory + more[1]))
        scores = score(nodes, pod.spec, loads=loads)
        top = max(scores)
        tied = [node for node, points in zip(nodes, scores, strict=True) if points == top]
        if len(tied) == 1:
            return tied[0]
        number = self._world.identities.number
        return max(tied, key=lambda n: number("tie", pod.meta.full_name, n.meta.name))

    def _fits(self, pod: Pod, node: Node) -> bool:
        if not self._is_admitted(pod.spec, node):
            return False
        index = self._world.state.index
        name = node.meta.name
        free = self._free(pod, node)
        if not res.fits(index.requests(pod), free):
            return False
        ports = host_ports(pod.spec)
        return not ports_collide(ports, index.on_node(name).values())

    def _free(self, pod: Pod, node: Node) -> Resources:
        index = self._world.state.index
        name = node.meta.name
        free = res.subtract(node.allocatable, index.used(name))
        for key, other in index.nominated_to(name).items():
            if key != pod.meta.key and (other.spec.priority or 0) >= (pod.spec.priority or 0):
                free = res.subtract(free, index.requests(other))
        return free

    def _is_admitted(self, spec: PodSpec, node: Node) -> bool:
        known = self._admitted.get(node.meta.name)
        if known is None or known[0] is not node:
            known = self._admitted[node.meta.name] = (node, {})
        verdict = known[1].get(id(spec))
        if verdict is None:
            verdict = known[1][id(spec)] = (spec, admits(node, spec))
        return verdict[1]

    def _bind(self, pod: Pod, node: Node) -> None:
        name = node.meta.name
        self._world.tell(Moment(what=BIND, pod=pod.meta.key, nodes=(name,)))
        self._world.state.pods.put(
            msgspec.structs.replace(pod, node=name, nominated="", unschedulable=False)
        )

    def _give_up(self, pod: Pod) -> None:
        self._parked[pod.meta.key] = None
        if not pod.unschedulable:
            self._world.state.pods.put(msgspec.structs.replace(pod, unschedulable=True))


def _is_waiting(pod: Pod) -> bool:
    return (
        not pod.node
        and pod.is_active
        and pod.spec.scheduler == NAME
        and not pod.spec.scheduling_gates
    )


def _queue_order(pod: Pod) -> tuple[int, datetime, ObjectKey]:
    return (-(pod.spec.priority or 0), pod.meta.created or _LONG_AGO, pod.meta.key)
