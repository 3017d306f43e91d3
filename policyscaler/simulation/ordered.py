"""The StatefulSet controller: pods with stable names, one after the other unless parallel.

Source: kube-controller-manager's StatefulSet controller, strategy RollingUpdate.
"""

from __future__ import annotations

from typing import Final

import msgspec

from policyscaler.model.pods import Pod
from policyscaler.model.workloads import Workload
from policyscaler.simulation.clock import WorkQueue
from policyscaler.simulation.deployments import template_hash
from policyscaler.simulation.podlife import PodLife, owner_of
from policyscaler.simulation.state import WorkloadKey, workload_key
from policyscaler.simulation.usage import owner_key
from policyscaler.simulation.world import World

KIND: Final = "StatefulSet"
_REVISION: Final = "controller-revision-hash"
_NAME_LABEL: Final = "statefulset.kubernetes.io/pod-name"


class StatefulSets:
    """Reconciles StatefulSets when they or their pods change."""

    def __init__(self, world: World, pods: PodLife) -> None:
        self._world = world
        self._pods = pods
        self._queue: WorkQueue[WorkloadKey] = WorkQueue(world.clock, self._reconcile)
        world.state.workloads.watch(self._workload_changed)
        world.state.pods.watch(self._pod_changed)

    def _workload_changed(self, old: Workload | None, new: Workload | None) -> None:
        changed = new or old
        if changed is not None and changed.kind == KIND:
            self._queue.add(workload_key(changed))

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        pod = new or old
        owner = owner_key(pod) if pod else None
        if owner is not None and owner[0] == KIND:
            self._queue.add(owner)

    def _reconcile(self, key: WorkloadKey) -> None:
        owned = {ordinal_of(pod): pod for pod in self._world.state.index.owned_by(key).values()}
        workload = self._world.state.workloads.get(key)
        if workload is None:
            for _, pod in sorted(owned.items()):
                self._pods.delete(pod)
            return
        for ordinal in [o for o, pod in owned.items() if pod.is_terminal]:
            self._world.state.pods.remove(owned.pop(ordinal).meta.key)
        self._step(workload, owned)

    def _step(self, workload: Workload, owned: dict[int, Pod]) -> None:
        for ordinal in range(workload.replicas):
            pod = owned.get(ordinal)
            if pod is None:
                self._create(workload, ordinal)
            if not workload.parallel and (pod is None or not pod.ready):
                return
        for ordinal in sorted((o for o in owned if o >= workload.replicas), reverse=True):
            pod = owned[ordinal]
            if not pod.is_terminating:
                self._pods.delete(pod)
            if not workload.parallel:
                return
        self._update(workload, owned)

    def _update(self, workload: Workload, owned: dict[int, Pod]) -> None:
        if any(not pod.ready for pod in owned.values()):
            return
        digest = template_hash(workload.template)
        for ordinal in sorted(owned, reverse=True):
            if owned[ordinal].meta.labels.get(_REVISION, digest) != digest:
                self._pods.delete(owned[ordinal])
                return

    def _create(self, workload: Workload, ordinal: int) -> None:
        name = f"{workload.meta.name}-{ordinal}"
        labels = {
            **workload.template.labels, _NAME_LABEL: name,
            _REVISION: template_hash(workload.template),
        }  # fmt: skip
        self._pods.create(
            msgspec.structs.replace(workload.template, labels=labels),
            name=name,
            namespace=workload.meta.namespace,
            owner=owner_of(KIND, workload.meta),
        )


def ordinal_of(pod: Pod) -> int:
    """Returns the number at the end of a pod's name, or -1."""
    number = pod.meta.name.rpartition("-")[2]
    return int(number) if number.isdigit() else -1
