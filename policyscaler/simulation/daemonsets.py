"""The DaemonSet controller: a pod on every node that its template fits.

Source: kube-controller-manager's DaemonSet controller, with the tolerations that it adds.
"""

from __future__ import annotations

from typing import Final

import msgspec

from policyscaler.model import labels as well
from policyscaler.model.nodes import NO_EXECUTE, NO_SCHEDULE, Node
from policyscaler.model.pods import NodeSelectorTerm, Pod, PodSpec, Toleration
from policyscaler.model.requirements import NodeSelectorRequirement
from policyscaler.model.snapshot import ObjectKey
from policyscaler.model.workloads import DaemonSet
from policyscaler.simulation.clock import WorkQueue
from policyscaler.simulation.placement import admits, pinned_node
from policyscaler.simulation.podlife import PodLife, owner_of
from policyscaler.simulation.usage import owner_key
from policyscaler.simulation.world import World

KIND: Final = "DaemonSet"
_ADDED: Final = tuple(
    Toleration(key=key, operator="Exists", effect=effect)
    for key, effect in (
        (well.NOT_READY_TAINT, NO_EXECUTE),
        (well.UNREACHABLE_TAINT, NO_EXECUTE),
        ("node.kubernetes.io/disk-pressure", NO_SCHEDULE),
        ("node.kubernetes.io/memory-pressure", NO_SCHEDULE),
        ("node.kubernetes.io/pid-pressure", NO_SCHEDULE),
        (well.UNSCHEDULABLE_TAINT, NO_SCHEDULE),
    )
)


class DaemonSets:
    """Reconciles DaemonSets when they, their pods or nodes change."""

    def __init__(self, world: World, pods: PodLife) -> None:
        self._world = world
        self._pods = pods
        self._queue: WorkQueue[tuple[ObjectKey, str]] = WorkQueue(world.clock, self._reconcile)
        world.state.daemon_sets.watch(self._set_changed)
        world.state.nodes.watch(self._node_changed)
        world.state.pods.watch(self._pod_changed)

    def _set_changed(self, old: DaemonSet | None, new: DaemonSet | None) -> None:
        changed = new or old
        if changed is not None:
            for node in self._world.state.nodes.items:
                self._queue.add((changed.meta.key, node))

    def _node_changed(self, _old: Node | None, new: Node | None) -> None:
        if new is not None:
            for key in self._world.state.daemon_sets.items:
                self._queue.add((key, new.meta.name))

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if old is None or (new is not None and not new.is_terminal):
            return
        owner = owner_key(old)
        node = old.node or pinned_node(old.spec)
        if owner is not None and owner[0] == KIND and node:
            self._queue.add(((owner[1], owner[2]), node))

    def _reconcile(self, item: tuple[ObjectKey, str]) -> None:
        key, name = item
        state = self._world.state
        node, daemon_set = state.nodes.get(name), state.daemon_sets.get(key)
        pod = self._pod_on(key, name)
        if pod is not None and pod.is_terminal:
            state.pods.remove(pod.meta.key)
            pod = None
        if node is None or daemon_set is None:
            if pod is not None and daemon_set is None:
                self._pods.delete(pod)
            return
        spec = daemon_spec(daemon_set.template.spec, name)
        if pod is None and node.meta.deleted is None and admits(node, spec):
            self._create(daemon_set, node, spec=spec)

    def _pod_on(self, key: ObjectKey, node: str) -> Pod | None:
        owned = self._world.state.index.owned_by((KIND, *key)).values()
        return next((p for p in owned if (p.node or pinned_node(p.spec)) == node), None)

    def _create(self, daemon_set: DaemonSet, node: Node, *, spec: PodSpec) -> None:
        meta = daemon_set.meta
        suffix = self._world.identities.suffix("daemon", *meta.key, node.meta.name)
        count = self._world.identities.birth("daemon", *meta.key, node.meta.name)
        self._pods.create(
            msgspec.structs.replace(daemon_set.template, spec=spec),
            name=f"{meta.name}-{suffix}{count or ''}",
            namespace=meta.namespace,
            owner=owner_of(KIND, meta),
        )


def daemon_spec(spec: PodSpec, node: str) -> PodSpec:
    """Returns the spec of a daemon's pod for one node.

    The node's name goes into every term of the affinity, so that only this node will do.
    """
    field = NodeSelectorRequirement(key="metadata.name", operator="In", values=(node,))
    terms = spec.required_terms or (NodeSelectorTerm(),)
    pinned = tuple(msgspec.structs.replace(term, fields=(field,)) for term in terms)
    return msgspec.structs.replace(
        spec, required_terms=pinned, tolerations=(*spec.tolerations, *_ADDED)
    )
