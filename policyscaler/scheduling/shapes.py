"""Classes of equal pods: what one of them can do, all can.

Packing, policy and explanations work on shapes; 10,000 pods of a cluster are usually a few
hundred of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from policyscaler.model import resources as res
from policyscaler.model.pods import Pod, PodSpec
from policyscaler.model.requests import pod_requests
from policyscaler.model.resources import Resources
from policyscaler.model.snapshot import ObjectKey
from policyscaler.scheduling.requirements import Requirements, pod_alternatives

# Labels that differ from pod to pod of one workload and say nothing about where it can run.
_INDIVIDUAL_LABELS: Final = frozenset(
    {
        "apps.kubernetes.io/pod-index",
        "batch.kubernetes.io/controller-uid",
        "batch.kubernetes.io/job-completion-index",
        "batch.kubernetes.io/job-name",
        "controller-revision-hash",
        "controller-uid",
        "job-name",
        "pod-template-generation",
        "pod-template-hash",
        "statefulset.kubernetes.io/pod-name",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Equal pods.

    Attributes:
        name: for people: the workload's name, or the first pod's.
        pods: their keys, oldest first.
        requests: what one of them takes, one of `pods` included.
        alternatives: its requirement sets, one per OR-ed affinity term; never empty.
        labels: the pods' labels less those that differ from pod to pod.
        owner_kind: kind of the controlling owner, or empty.
    """

    name: str
    namespace: str
    pods: tuple[ObjectKey, ...]
    spec: PodSpec
    requests: Resources
    alternatives: tuple[Requirements, ...]
    labels: Mapping[str, str]
    owner_kind: str
    priority: int

    @property
    def count(self) -> int:
        """How many pods there are."""
        return len(self.pods)


def intern_shapes(pods: Iterable[Pod], *, apart: frozenset[ObjectKey] = frozenset()) -> list[Shape]:
    """Returns the shapes of pods in packing order: priority is not used, as in Karpenter.

    CPU descending, memory descending, then the age and key of the oldest pod; inside a shape
    pods are ordered by age and key.

    Args:
        pods: any number.
        apart: keys of pods that share no shape with the others.
    """
    groups: dict[tuple[object, ...], list[Pod]] = {}
    encoded: dict[int, bytes] = {}
    for pod in pods:
        key = (pod.meta.key in apart, *_signature(pod, encoded))
        groups.setdefault(key, []).append(pod)
    shapes = [_shape(sorted(members, key=_age_order)) for members in groups.values()]
    return [shape for _, shape in sorted(shapes, key=lambda pair: pair[0])]


def _signature(pod: Pod, encoded: dict[int, bytes]) -> tuple[object, ...]:
    text = encoded.get(id(pod.spec))
    if text is None:
        text = encoded[id(pod.spec)] = msgspec.json.encode(pod.spec, order="deterministic")
    labels = pod.meta.labels
    kept = tuple(sorted(item for item in labels.items() if item[0] not in _INDIVIDUAL_LABELS))
    owner = pod.meta.controller
    extra = (
        msgspec.json.encode((pod.allocated, pod.resize_infeasible), order="deterministic")
        if pod.allocated
        else b""
    )
    return (text, pod.meta.namespace, kept, owner.kind if owner else "", extra)


def _age_order(pod: Pod) -> tuple[float, str, str]:
    created = pod.meta.created.timestamp() if pod.meta.created else 0.0
    return (created, pod.meta.namespace, pod.meta.name)


def _shape(members: list[Pod]) -> tuple[tuple[object, ...], Shape]:
    first = members[0]
    owner = first.meta.controller
    requests = pod_requests(first)
    shape = Shape(
        name=owner.name if owner else first.meta.name,
        namespace=first.meta.namespace,
        pods=tuple(pod.meta.key for pod in members),
        spec=first.spec,
        requests=requests,
        alternatives=pod_alternatives(first.spec),
        labels={k: v for k, v in first.meta.labels.items() if k not in _INDIVIDUAL_LABELS},
        owner_kind=owner.kind if owner else "",
        priority=first.spec.priority or 0,
    )
    order = (-requests.get(res.CPU, 0), -requests.get(res.MEMORY, 0), *_age_order(first))
    return order, shape
