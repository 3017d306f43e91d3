"""The Deployment controller: a ReplicaSet per template, and rolling updates between them.

Source: kube-controller-manager's Deployment controller, strategy RollingUpdate.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

import msgspec

from policyscaler.model.meta import ObjectMeta
from policyscaler.model.pods import Pod
from policyscaler.model.workloads import PodTemplate, Workload
from policyscaler.simulation.clock import WorkQueue
from policyscaler.simulation.podlife import owner_of
from policyscaler.simulation.replicas import KIND as REPLICA_SET
from policyscaler.simulation.state import WorkloadKey, workload_key
from policyscaler.simulation.usage import owner_key
from policyscaler.simulation.world import World

KIND: Final = "Deployment"
_HASH_LABEL: Final = "pod-template-hash"


class Deployments:
    """Reconciles Deployments when they, their ReplicaSets or their pods change."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._owned: dict[WorkloadKey, dict[WorkloadKey, None]] = {}
        self._queue: WorkQueue[WorkloadKey] = WorkQueue(world.clock, self._reconcile)
        world.state.workloads.watch(self._workload_changed)
        world.state.pods.watch(self._pod_changed)

    def _workload_changed(self, old: Workload | None, new: Workload | None) -> None:
        changed = new or old
        if changed is None:
            return
        if changed.kind == KIND:
            self._queue.add(workload_key(changed))
        owner = changed.meta.controller
        if changed.kind == REPLICA_SET and owner is not None and owner.kind == KIND:
            key = (KIND, changed.meta.namespace, owner.name)
            owned = self._owned.setdefault(key, {})
            if new is None:
                owned.pop(workload_key(changed), None)
            else:
                owned[workload_key(changed)] = None
            self._queue.add(key)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if old is not None and new is not None and old.ready == new.ready:
            return
        pod = new or old
        owner = owner_key(pod) if pod else None
        replica_set = self._world.state.workloads.get(owner) if owner else None
        controller = replica_set.meta.controller if replica_set else None
        if replica_set is not None and controller is not None and controller.kind == KIND:
            self._queue.add((KIND, replica_set.meta.namespace, controller.name))

    def _reconcile(self, key: WorkloadKey) -> None:
        workloads = self._world.state.workloads
        deployment = workloads.get(key)
        sets = [w for k in self._owned.get(key, {}) if (w := workloads.get(k)) is not None]
        if deployment is None:
            for replica_set in sets:
                workloads.remove(workload_key(replica_set))
            return
        current = [s for s in sets if _plain(s.template) == _plain(deployment.template)]
        olds = [s for s in sets if s not in current[:1]]
        running = [s for s in olds if s.replicas > 0 or self._pods_of(s)]
        if not current:
            self._create(deployment, replicas=0 if running else deployment.replicas)
        elif not running:
            self._scale(current[0], deployment.replicas)
            for old in olds:
                workloads.remove(workload_key(old))
        else:
            self._roll(deployment, current[0], olds=running)

    def _roll(self, deployment: Workload, current: Workload, *, olds: list[Workload]) -> None:
        wanted = deployment.replicas
        surge, unavailable = rolling_bounds(deployment)
        total = current.replicas + sum(old.replicas for old in olds)
        grown = min(wanted, current.replicas + max(0, wanted + surge - total))
        if grown != current.replicas:
            self._scale(current, grown)
            return
        new_not_ready = current.replicas - self._ready(current)
        room = total - (wanted - unavailable) - new_not_ready
        for old in olds:
            broken = min(room, old.replicas - self._ready(old))
            if broken > 0:
                self._scale(old, old.replicas - broken)
                return
        available = self._ready(current) + sum(self._ready(old) for old in olds)
        room = min(room, available - (wanted - unavailable))
        for old in olds:
            step = min(room, old.replicas)
            if step > 0:
                self._scale(old, old.replicas - step)
                room -= step

    def _pods_of(self, replica_set: Workload) -> list[Pod]:
        owned = self._world.state.index.owned_by(workload_key(replica_set))
        return [pod for pod in owned.values() if pod.is_active]

    def _ready(self, replica_set: Workload) -> int:
        return sum(pod.ready for pod in self._pods_of(replica_set))

    def _scale(self, replica_set: Workload, replicas: int) -> None:
        if replica_set.replicas != replicas:
            scaled = msgspec.structs.replace(replica_set, replicas=replicas)
            self._world.state.workloads.put(scaled)

    def _create(self, deployment: Workload, *, replicas: int) -> None:
        digest = template_hash(deployment.template)
        labels = {**deployment.template.labels, _HASH_LABEL: digest}
        name = f"{deployment.meta.name}-{digest}"
        meta = ObjectMeta(
            name=name, namespace=deployment.meta.namespace, labels=labels,
            owners=(owner_of(KIND, deployment.meta),), created=self._world.now,
            uid=self._world.identities.uid(REPLICA_SET, f"{deployment.meta.namespace}/{name}"),
        )  # fmt: skip
        template = msgspec.structs.replace(deployment.template, labels=labels)
        self._world.state.workloads.put(
            Workload(kind=REPLICA_SET, meta=meta, template=template, replicas=replicas,
                     selector=deployment.selector)
        )  # fmt: skip


def template_hash(template: PodTemplate) -> str:
    """Returns a short digest of a template, equal for equal templates."""
    text = msgspec.json.encode(template, order="deterministic")
    return blake2b(text, digest_size=5).hexdigest()


def rolling_bounds(deployment: Workload) -> tuple[int, int]:
    """Returns how many pods above and below the wanted number an update may go.

    Percentages round up for surge and down for unavailable; both zero would never move, so
    unavailable becomes 1 then.
    """
    surge = share(deployment.max_surge, deployment.replicas, up=True)
    unavailable = share(deployment.max_unavailable, deployment.replicas, up=False)
    return (surge, unavailable if surge or unavailable else 1)


def share(text: str, total: int, *, up: bool) -> int:
    """Returns a count, or a percentage of a total."""
    if not text.endswith("%"):
        return int(text)
    hundredths = int(text[:-1]) * total
    return -(-hundredths // 100) if up else hundredths // 100


def _plain(template: PodTemplate) -> PodTemplate:
    labels = {k: v for k, v in template.labels.items() if k != _HASH_LABEL}
    return msgspec.structs.replace(template, labels=labels)
