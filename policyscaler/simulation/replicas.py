"""The ReplicaSet controller: so many equal pods, no more and no fewer.

Source: kube-controller-manager's ReplicaSet controller, its order of deletion included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from policyscaler.model import labels as well
from policyscaler.model.pods import Pod
from policyscaler.model.workloads import Workload
from policyscaler.simulation.clock import WorkQueue
from policyscaler.simulation.podlife import PodLife, owner_of
from policyscaler.simulation.state import WorkloadKey, workload_key
from policyscaler.simulation.usage import owner_key
from policyscaler.simulation.world import World

KIND: Final = "ReplicaSet"
_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)


class ReplicaSets:
    """Reconciles ReplicaSets when they or their pods change."""

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
        if old is not None and (new is None or old.is_active != new.is_active):
            owner = owner_key(old)
            if owner is not None and owner[0] == KIND:
                self._queue.add(owner)

    def _reconcile(self, key: WorkloadKey) -> None:
        owned = self._world.state.index.owned_by(key).values()
        workload = self._world.state.workloads.get(key)
        if workload is None:
            for pod in sorted(owned, key=lambda p: p.meta.key):
                self._pods.delete(pod)
            return
        for pod in [pod for pod in owned if pod.is_terminal]:
            self._world.state.pods.remove(pod.meta.key)
        active = [pod for pod in owned if pod.is_active]
        missing = workload.replicas - len(active)
        for _ in range(missing):
            self._create(workload)
        if missing < 0:
            for pod in deletion_order(active)[:-missing]:
                self._pods.delete(pod)

    def _create(self, workload: Workload) -> None:
        name, namespace = workload.meta.name, workload.meta.namespace
        ids = self._world.identities
        count = ids.birth("pod", namespace, name)
        self._pods.create(
            workload.template,
            name=f"{name}-{ids.suffix('pod', namespace, name, str(count))}",
            namespace=namespace,
            owner=owner_of(KIND, workload.meta),
        )


def deletion_order(pods: Iterable[Pod]) -> list[Pod]:
    """Returns pods in the order in which a scale-down takes them.

    Without a node first, then pending, not ready, the lower deletion cost, more of its kind on
    its node, and the younger one.
    """
    listed = list(pods)
    crowd = Counter(pod.node for pod in listed if pod.node)

    def rank(pod: Pod) -> tuple[bool, bool, bool, int, int, float, tuple[str, str]]:
        started = pod.started or pod.meta.created or _LONG_AGO
        return (
            bool(pod.node), pod.phase != "Pending", pod.ready, _deletion_cost(pod),
            -crowd[pod.node], -started.timestamp(), pod.meta.key,
        )  # fmt: skip

    return sorted(listed, key=rank)


def _deletion_cost(pod: Pod) -> int:
    text = pod.meta.annotations.get(well.POD_DELETION_COST, "0")
    return int(text) if text.lstrip("+-").isdigit() else 0
