"""Pods that stay where they are: do-not-disrupt, and PodDisruptionBudgets.

The sums are those of Kubernetes' disruption controller; what decides in the end is the Eviction
API, this only spares planning what would be refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from policyscaler.model import labels as well
from policyscaler.model.durations import parse_go_duration
from policyscaler.model.errors import DurationError
from policyscaler.model.pods import Pod
from policyscaler.model.snapshot import ObjectKey, Snapshot
from policyscaler.model.workloads import DisruptionBudget


def is_protected(pod: Pod, now: datetime) -> bool:
    """Returns whether do-not-disrupt is in force on an active pod.

    "true" always is; a duration is from the pod's start, and a pod that has not started is
    protected to be safe. Anything else is ignored, as Karpenter does; `validate` calls it an error.
    """
    text = pod.meta.annotations.get(well.DO_NOT_DISRUPT, "")
    if not text or not pod.is_active:
        return False
    if text == "true":
        return True
    try:
        duration = parse_go_duration(text)
    except DurationError:
        return False
    if duration <= timedelta(0):
        return False
    return pod.started is None or now - pod.started < duration


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


def stuck_pods(snapshot: Snapshot, now: datetime) -> frozenset[ObjectKey]:
    """Returns the pods that will not leave their node by draining, however long it takes.

    They carry do-not-disrupt, or a PDB never allows an eviction, or two PDBs select them. No
    capacity is launched for them ahead of time: it would stand empty. Source: Karpenter's
    "currently reschedulable".
    """
    budgets = [
        budget
        for _, budget in sorted(snapshot.disruption_budgets.items())
        if budget.selector is not None
    ]
    stuck = set()
    for key, pod in sorted(snapshot.pods.items()):
        if not pod.node or not pod.is_active:
            continue
        about = [
            budget
            for budget in budgets
            if budget.meta.namespace == pod.meta.namespace
            and budget.selector is not None
            and budget.selector.matches(pod.meta.labels)
        ]
        barred = len(about) > 1 or any(_never_allows(budget, pod) for budget in about)
        if barred or is_protected(pod, now):
            stuck.add(key)
    return frozenset(stuck)


def _never_allows(budget: DisruptionBudget, pod: Pod) -> bool:
    if budget.always_evict_unhealthy and not pod.ready:
        return False
    return budget.max_unavailable in ("0", "0%") or budget.min_available == "100%"
