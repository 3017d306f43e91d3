"""Which pods are where, what they take, and who made them: kept up to date change by change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeVar

from policyscaler.model import resources as res
from policyscaler.model.pods import Pod, PodSpec
from policyscaler.model.requests import pod_requests
from policyscaler.model.resources import Resources
from policyscaler.model.snapshot import ObjectKey

T = TypeVar("T")
OwnerKey = tuple[str, str, str]
"""(kind, namespace, name) of a controller."""

# What kube-scheduler's scoring (not its filter) takes for a pod that requests nothing.
_SCORED_CPU: Final = 100
_SCORED_MEMORY: Final = 200 * 1024 * 1024


def owner_key(pod: Pod) -> OwnerKey | None:
    """Returns the controller of a pod, or None."""
    owner = pod.meta.controller
    return (owner.kind, pod.meta.namespace, owner.name) if owner else None


class PodIndex:
    """Pods by node, by owner and by nomination, and the sums of their requests per node."""

    def __init__(self) -> None:
        self._by_node: dict[str, dict[ObjectKey, Pod]] = {}
        self._by_owner: dict[OwnerKey, dict[ObjectKey, Pod]] = {}
        self._nominated: dict[str, dict[ObjectKey, Pod]] = {}
        self._used: dict[str, dict[str, int]] = {}
        self._scored: dict[str, tuple[int, int]] = {}
        self._requests: dict[ObjectKey, tuple[PodSpec, Resources]] = {}

    def on_node(self, node: str) -> Mapping[ObjectKey, Pod]:
        """Returns the pods bound to a node, terminal ones too."""
        return self._by_node.get(node, {})

    def owned_by(self, owner: OwnerKey) -> Mapping[ObjectKey, Pod]:
        """Returns the pods of a controller."""
        return self._by_owner.get(owner, {})

    def nominated_to(self, node: str) -> Mapping[ObjectKey, Pod]:
        """Returns the pods without a node for which room is kept on this one."""
        return self._nominated.get(node, {})

    def used(self, node: str) -> Resources:
        """Returns what the pods on a node take, terminal ones excluded."""
        return self._used.get(node, {})

    def scored(self, node: str) -> tuple[int, int]:
        """Returns (milli-CPU, memory) as the scheduler's scoring counts them."""
        return self._scored.get(node, (0, 0))

    def requests(self, pod: Pod) -> Resources:
        """Returns the effective requests of a pod."""
        known = self._requests.get(pod.meta.key)
        if known is not None and known[0] is pod.spec:
            return known[1]
        requests = pod_requests(pod)
        self._requests[pod.meta.key] = (pod.spec, requests)
        return requests

    def update(self, old: Pod | None, new: Pod | None) -> None:
        """Takes in one change of a pod."""
        if old is not None:
            self._count(old, sign=-1)
            self._file(old, None)
        if new is not None:
            self._file(new, new)
            self._count(new, sign=1)
        elif old is not None:
            self._requests.pop(old.meta.key, None)

    def _file(self, pod: Pod, value: Pod | None) -> None:
        key = pod.meta.key
        _place(self._by_node, pod.node or None, key=key, value=value)
        _place(self._by_owner, owner_key(pod), key=key, value=value)
        waiting = pod.nominated if pod.nominated and not pod.node else None
        _place(self._nominated, waiting, key=key, value=value)

    def _count(self, pod: Pod, *, sign: int) -> None:
        if not pod.node or pod.is_terminal:
            return
        requests = self.requests(pod)
        used = self._used.setdefault(pod.node, {})
        for name, amount in requests.items():
            used[name] = used.get(name, 0) + sign * amount
        cpu, memory = self._scored.get(pod.node, (0, 0))
        more = scored_requests(requests)
        self._scored[pod.node] = (cpu + sign * more[0], memory + sign * more[1])


def scored_requests(requests: Resources) -> tuple[int, int]:
    """Returns (milli-CPU, memory) of a pod as scoring counts them."""
    return (requests.get(res.CPU) or _SCORED_CPU, requests.get(res.MEMORY) or _SCORED_MEMORY)


def _place(
    table: dict[T, dict[ObjectKey, Pod]], bucket: T | None, *, key: ObjectKey, value: Pod | None
) -> None:
    if bucket is None:
        return
    if value is not None:
        table.setdefault(bucket, {})[key] = value
        return
    pods = table.get(bucket)
    if pods is not None:
        pods.pop(key, None)
        if not pods:
            del table[bucket]
