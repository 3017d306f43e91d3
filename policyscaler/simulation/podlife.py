"""Making and deleting pods as the API server does it: admission, names, grace periods."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import msgspec

from policyscaler.model.meta import ObjectMeta, OwnerReference
from policyscaler.model.pods import Pod, PodSpec
from policyscaler.model.requests import with_defaults
from policyscaler.model.workloads import PodTemplate
from policyscaler.simulation.world import World

_API_VERSIONS: Final = {
    "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1", "Job": "batch/v1",
    "Deployment": "apps/v1", "CronJob": "batch/v1",
}  # fmt: skip
_SYSTEM_PRIORITIES: Final = {
    "system-node-critical": 2_000_001_000,
    "system-cluster-critical": 2_000_000_000,
}


def owner_of(kind: str, meta: ObjectMeta) -> OwnerReference:
    """Returns the reference that marks an object as managed by another."""
    return OwnerReference(
        kind=kind, name=meta.name, uid=meta.uid, controller=True,
        api_version=_API_VERSIONS.get(kind, ""),
    )  # fmt: skip


class PodLife:
    """Creates, deletes and ends pods."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._admitted: dict[tuple[str, int], tuple[PodSpec, PodSpec]] = {}
        world.state.limit_ranges.watch(lambda _old, _new: self._admitted.clear())
        world.state.priority_classes.watch(lambda _old, _new: self._admitted.clear())

    def create(
        self, template: PodTemplate, *, name: str, namespace: str, owner: OwnerReference
    ) -> Pod:
        """Creates a pod from a workload's template."""
        full_name = f"{namespace}/{name}"
        meta = ObjectMeta(
            name=name, namespace=namespace, labels=template.labels,
            annotations=template.annotations, owners=(owner,), created=self._world.now,
            uid=self._world.identities.uid("Pod", full_name),
        )  # fmt: skip
        pod = Pod(meta=meta, spec=self.admit(template.spec, namespace))
        return self._world.state.pods.put(pod)

    def admit(self, spec: PodSpec, namespace: str) -> PodSpec:
        """Returns a spec with the priority and the defaults of its namespace; equal ones shared."""
        known = self._admitted.get((namespace, id(spec)))
        if known is not None:
            return known[1]
        state = self._world.state
        ranges = [r for key, r in sorted(state.limit_ranges.items.items()) if key[0] == namespace]
        admitted = with_defaults(spec, tuple(ranges))
        if admitted.priority is None:
            admitted = msgspec.structs.replace(admitted, priority=self._priority(spec))
        self._admitted[namespace, id(spec)] = (spec, admitted)
        return admitted

    def _priority(self, spec: PodSpec) -> int:
        classes = self._world.state.priority_classes.items
        if spec.priority_class:
            known = classes.get(spec.priority_class)
            return known.value if known else _SYSTEM_PRIORITIES.get(spec.priority_class, 0)
        return max((c.value for c in classes.values() if c.is_default), default=0)

    def delete(self, pod: Pod, *, grace_seconds: int | None = None) -> None:
        """Deletes a pod: at once if nothing runs, else its kubelet stops it within the grace.

        Deleting it again may only shorten the grace.
        """
        state, now = self._world.state, self._world.now
        current = state.pods.get(pod.meta.key)
        if current is None or current.meta.uid != pod.meta.uid:
            return
        if not current.node or current.is_terminal or current.node not in state.nodes.items:
            state.pods.remove(current.meta.key)
            return
        grace = current.spec.termination_grace_seconds if grace_seconds is None else grace_seconds
        deadline = now + timedelta(seconds=grace)
        if current.meta.deleted is not None and current.meta.deleted <= deadline:
            return
        meta = msgspec.structs.replace(current.meta, deleted=deadline)
        state.pods.put(msgspec.structs.replace(current, meta=meta, ready=False))

    def end(self, pod: Pod, phase: str) -> None:
        """Marks a pod as Succeeded or Failed."""
        self._world.state.pods.put(
            msgspec.structs.replace(pod, phase=phase, ready=False, unschedulable=False)
        )
