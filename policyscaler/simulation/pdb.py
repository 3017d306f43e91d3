"""PodDisruptionBudgets, and evictions that respect them.

Source: the disruption controller and the Eviction sub-resource of the API server.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from policyscaler.model.pods import PENDING, Pod
from policyscaler.model.workloads import DisruptionBudget
from policyscaler.ports.observation import EVICT, Moment
from policyscaler.simulation.deployments import share
from policyscaler.simulation.podlife import PodLife
from policyscaler.simulation.state import ClusterState
from policyscaler.simulation.usage import OwnerKey, owner_key
from policyscaler.simulation.world import World


class Answer(Enum):
    """What the API server says to an eviction."""

    EVICTED = "evicted"
    GONE = "gone"
    BLOCKED = "blocked"
    SEVERAL_BUDGETS = "several budgets"


def budgets_of(state: ClusterState, pod: Pod) -> list[DisruptionBudget]:
    """Returns the budgets that speak of a pod, by name."""
    return [
        budget
        for (namespace, _), budget in sorted(state.disruption_budgets.items.items())
        if namespace == pod.meta.namespace
        and budget.selector is not None
        and budget.selector.matches(pod.meta.labels)
    ]


def expected_pods(state: ClusterState, budget: DisruptionBudget) -> int:
    """Returns how many pods the workloads behind a budget want.

    A minAvailable count needs no workload: it counts the pods that there are.
    """
    pods = covered_pods(state.pods.items.values(), budget)
    if budget.min_available and not budget.min_available.endswith("%"):
        return len(pods)
    scales: dict[OwnerKey, int] = {}
    for pod in pods:
        key, scale = _scale(state, pod)
        scales[key] = max(scales.get(key, 0), scale)
    return sum(scales.values())


def _scale(state: ClusterState, pod: Pod) -> tuple[OwnerKey, int]:
    """Returns the topmost workload behind a pod and how many pods it wants."""
    owner = owner_key(pod)
    workload = state.workloads.get(owner) if owner else None
    if owner is None or workload is None:
        return (owner or ("Pod", *pod.meta.key), 1)
    controller = workload.meta.controller
    top = (controller.kind, owner[1], controller.name) if controller else owner
    parent = state.workloads.get(top)
    return (top, parent.replicas) if parent else (owner, workload.replicas)


def covered_pods(pods: Iterable[Pod], budget: DisruptionBudget) -> list[Pod]:
    """Returns the pods that a budget speaks of and that may count as healthy."""
    selector = budget.selector
    if selector is None:
        return []
    return [
        pod
        for pod in pods
        if pod.meta.namespace == budget.meta.namespace
        and not pod.is_terminal
        and selector.matches(pod.meta.labels)
    ]


def disruptions_allowed(budget: DisruptionBudget, *, healthy: int, expected: int) -> int:
    """Returns how many pods may be evicted now.

    Args:
        budget: counts or percentages; both round up.
        healthy: covered pods that are ready and not being deleted.
        expected: how many the workloads want.
    """
    if expected <= 0:
        return 0
    return max(0, healthy - desired_healthy(budget, expected))


def desired_healthy(budget: DisruptionBudget, expected: int) -> int:
    """Returns how many pods must stay healthy."""
    if budget.max_unavailable:
        return max(0, expected - share(budget.max_unavailable, expected, up=True))
    if budget.min_available:
        return share(budget.min_available, expected, up=True)
    return 0


class Evictions:
    """The Eviction sub-resource."""

    def __init__(self, world: World, pods: PodLife) -> None:
        self._world = world
        self._pods = pods

    def evict(self, pod: Pod) -> Answer:
        """Evicts a pod gracefully if its budget allows."""
        current = self._world.state.pods.get(pod.meta.key)
        if current is None or current.meta.uid != pod.meta.uid:
            return Answer.GONE
        if current.phase != PENDING and current.is_active:
            budgets = budgets_of(self._world.state, current)
            if len(budgets) > 1:
                return Answer.SEVERAL_BUDGETS
            if budgets and not self._allows(budgets[0], current):
                return Answer.BLOCKED
        self._world.tell(Moment(what=EVICT, pod=current.meta.key, nodes=(current.node,)))
        self._pods.delete(current)
        return Answer.EVICTED

    def _allows(self, budget: DisruptionBudget, pod: Pod) -> bool:
        state = self._world.state
        if not pod.ready and budget.always_evict_unhealthy:
            return True
        pods = covered_pods(state.pods.items.values(), budget)
        healthy = sum(p.ready and p.meta.deleted is None for p in pods)
        expected = expected_pods(state, budget)
        if not pod.ready:
            desired = desired_healthy(budget, expected)
            return desired > 0 and healthy >= desired
        return disruptions_allowed(budget, healthy=healthy, expected=expected) > 0
