"""Pods as people speak of them: so many of this workload."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from policyscaler.model.pods import Pod
from policyscaler.model.snapshot import ObjectKey

TEMPLATE_HASH = "pod-template-hash"


def group_pods(keys: Iterable[ObjectKey], pods: Mapping[ObjectKey, Pod]) -> list[str]:
    """Returns `default/web ×15` for each workload, largest first, then by name.

    Args:
        keys: the pods.
        pods: what is known about them; a pod that is not in it stands for itself.
    """
    groups: dict[str, int] = {}
    for key in keys:
        name = workload_of(key, pods.get(key))
        groups[name] = groups.get(name, 0) + 1
    ordered = sorted(groups.items(), key=lambda item: (-item[1], item[0]))
    return [f"{name} ×{size}" if size > 1 else name for name, size in ordered]


def workload_of(key: ObjectKey, pod: Pod | None) -> str:
    """Returns `namespace/name` of what made a pod: a Deployment rather than its ReplicaSet."""
    owner = pod.meta.controller if pod is not None else None
    if pod is None or owner is None:
        return f"{key[0]}/{key[1]}"
    name = owner.name
    suffix = "-" + pod.meta.labels.get(TEMPLATE_HASH, "")
    if owner.kind == "ReplicaSet" and len(suffix) > 1:
        name = name.removesuffix(suffix)
    return f"{key[0]}/{name}"
