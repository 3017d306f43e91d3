"""Pods that a PodDisruptionBudget keeps where they are.

The sums are those of Kubernetes' disruption controller; what decides in the end is the Eviction
API, this only spares planning what would be refused.
"""

from __future__ import annotations

from collections.abc import Iterable

from policyscaler.model.pods import Pod
from policyscaler.model.snapshot import ObjectKey, Snapshot
from policyscaler.model.workloads import DisruptionBudget


def allowed_disruptions(budget: DisruptionBudget, pods: Iterable[Pod]) -> int:
    """Returns how many of the pods that a PDB selects may be evicted now.

    Args:
        budget: the PDB; percentages of pods are rounded up.
        pods: all that it selects.
    """
    members = [pod for pod in pods if not pod.is_terminal]
    expected = len(members)
    healthy = sum(pod.ready and not pod.is_terminating for pod in members)
    if budget.max_unavailable:
        desired = expected - _scaled(budget.max_unavailable, expected)
    else:
        desired = _scaled(budget.min_available or "0", expected)
    return max(0, healthy - max(0, desired))


def _scaled(text: str, total: int) -> int:
    if text.endswith("%"):
        return -(-int(text[:-1]) * total // 100)
    return int(text)


def blocked_pods(snapshot: Snapshot) -> frozenset[ObjectKey]:
    """Returns the pods that may not be evicted now: no disruption left, or two PDBs at once."""
    by_namespace: dict[str, list[Pod]] = {}
    for (namespace, _), pod in sorted(snapshot.pods.items()):
        by_namespace.setdefault(namespace, []).append(pod)
    matched: dict[ObjectKey, int] = {}
    blocked: set[ObjectKey] = set()
    for (namespace, _), budget in sorted(snapshot.disruption_budgets.items()):
        if budget.selector is None:
            continue
        pods = [
            p for p in by_namespace.get(namespace, ()) if budget.selector.matches(p.meta.labels)
        ]
        none_left = allowed_disruptions(budget, pods) < 1
        for pod in pods:
            matched[pod.meta.key] = matched.get(pod.meta.key, 0) + 1
            spared = budget.always_evict_unhealthy and not pod.ready
            if none_left and not spared:
                blocked.add(pod.meta.key)
    return frozenset(blocked | {key for key, count in matched.items() if count > 1})
