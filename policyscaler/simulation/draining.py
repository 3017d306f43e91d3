"""Which pods keep a drain waiting, in which order they go, and when they are made to.

Source: the vocabulary of Karpenter's pod package, v1.14.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from policyscaler.model.pods import Pod
from policyscaler.scheduling.taints import DISRUPTED, untolerated

_STUCK: Final = timedelta(minutes=1)
_CRITICAL: Final = ("system-cluster-critical", "system-node-critical")


def awaits_eviction(pod: Pod, now: datetime) -> bool:
    """Returns whether a drain must wait for a pod to go."""
    if pod.is_terminal or pod.is_static or untolerated((DISRUPTED,), pod.spec.tolerations) is None:
        return False
    return pod.meta.deleted is None or now - pod.meta.deleted <= _STUCK


def tier(pod: Pod) -> int:
    """Returns the turn in which a pod is evicted: ordinary, daemons, critical, critical daemons."""
    return 2 * (pod.spec.priority_class in _CRITICAL) + pod.is_daemon


def must_be_forced(pod: Pod, deadline: datetime | None, *, now: datetime) -> bool:
    """Returns whether a pod would outlive the deadline of its node."""
    if deadline is None:
        return False
    if pod.meta.deleted is not None:
        return pod.meta.deleted > deadline
    return now >= deadline - timedelta(seconds=pod.spec.termination_grace_seconds)
