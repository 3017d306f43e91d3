"""What must hold in every run of the engine, whatever befalls it.

Written against the objects alone, independently of the code that is watched. Attach one to a run
as an observer and ask it for `violations` afterwards.

* a pool's limits are never exceeded, machines on their way included;
* no PodDisruptionBudget is broken by a voluntary eviction;
* a do-not-disrupt pod is never evicted gracefully;
* disruptions stay inside their pool's budgets;
* no instance without claim, no node without instance, no launched claim without instance;
* a claim is never launched twice;
* bound pods fit their nodes and tolerate their taints.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final

from policyscaler.model import labels as well
from policyscaler.model import resources as res
from policyscaler.model.cron import Schedule
from policyscaler.model.durations import parse_go_duration
from policyscaler.model.errors import ConfigError, InvariantViolation
from policyscaler.model.nodes import DISRUPTION_REASON, INITIALIZED, LAUNCHED, Node, NodeClaim
from policyscaler.model.pods import RUNNING, Pod
from policyscaler.model.pools import Budget, NodePool
from policyscaler.model.requests import pod_requests
from policyscaler.model.workloads import DisruptionBudget
from policyscaler.ports.observation import (
    BIND,
    DISRUPT,
    EVICT,
    LAUNCH,
    SETTLED,
    ClusterView,
    Moment,
)
from policyscaler.scheduling.taints import untolerated

_ORPHAN_PATIENCE: Final = timedelta(minutes=16)  # one minute past the registration time-out


class Invariants:
    """Watches a run.

    Attributes:
        violations: one sentence for each thing that must never happen and did; each once.
        seen: how many moments of each kind were checked, to prove that anything was.
    """

    def __init__(self, view: ClusterView) -> None:
        self.violations: list[str] = []
        self.seen: Counter[str] = Counter()
        self._view = view
        self._told: set[str] = set()
        self._orphans: dict[str, datetime] = {}
        self._launched: dict[str, str] = {}

    def observe(self, moment: Moment) -> None:
        """Checks what is about to happen, and the whole whenever it has settled."""
        self.seen[moment.what] += 1
        checks: dict[str, Callable[[Moment], None]] = {
            BIND: self._check_binding,
            EVICT: self._check_eviction,
            DISRUPT: self._check_budgets,
            LAUNCH: self._check_launch,
            SETTLED: self._check_whole,
        }
        checks[moment.what](moment)

    def raise_if_broken(self) -> None:
        """Raises when anything was found.

        Raises:
            InvariantViolation: with all findings.
        """
        if self.violations:
            raise InvariantViolation("; ".join(self.violations))

    def _broken(self, what: str) -> None:
        if what not in self._told:
            self._told.add(what)
            self.violations.append(f"{self._view.now.isoformat()}: {what}")

    def _check_whole(self, _moment: Moment) -> None:
        self._check_limits()
        self._check_orphans()

    def _check_limits(self) -> None:
        for name, pool in sorted(self._view.pools.items()):
            if not pool.limits:
                continue
            members = [
                c for c in self._view.claims.values() if c.pool == name and not _is_leaving(c)
            ]
            used = res.add(*(c.capacity for c in members), {res.NODES: len(members)})
            for resource in res.exceeded(used, pool.limits):
                self._broken(f"NodePool {name} is over its limit of {resource}")

    def _check_eviction(self, moment: Moment) -> None:
        pod = self._view.pods[moment.pod]
        if _is_protected(pod, self._view.now):
            self._broken(f"pod {pod.meta.full_name} is evicted in spite of do-not-disrupt")
        if pod.phase != RUNNING or not pod.ready:
            return
        for _, budget in sorted(self._view.disruption_budgets.items()):
            if _covers(budget, pod) and self._spare(budget) < 1:
                self._broken(
                    f"evicting {pod.meta.full_name} breaks PodDisruptionBudget "
                    f"{budget.meta.full_name}"
                )

    def _spare(self, budget: DisruptionBudget) -> int:
        covered = [pod for pod in self._view.pods.values() if _covers(budget, pod)]
        healthy = sum(pod.ready and pod.is_active for pod in covered)
        expected = self._view.expected_pods(budget)
        if budget.max_unavailable:
            return healthy - (expected - _share(budget.max_unavailable, expected))
        return healthy - _share(budget.min_available or "0", expected)

    def _check_budgets(self, moment: Moment) -> None:
        if moment.forceful:
            return
        nodes = set(moment.nodes)
        going = Counter(c.pool for c in self._view.claims.values() if c.node in nodes)
        for name, more in sorted(going.items()):
            pool = self._view.pools.get(name)
            if pool is None:
                continue
            members = [
                c for c in self._view.claims.values() if c.pool == name and c.has(INITIALIZED)
            ]
            leaving = sum(_is_leaving(c) and c.node not in nodes for c in members)
            allowed = _allowed(pool, moment.reason, total=len(members), now=self._view.now)
            if leaving + more > allowed:
                self._broken(
                    f"{leaving + more} nodes of NodePool {name} go at once, {moment.reason} "
                    f"allows {allowed}"
                )

    def _check_launch(self, moment: Moment) -> None:
        claim = self._view.claims.get(moment.claim)
        machines = [i.id for i in self._view.instances.values() if i.claim == moment.claim]
        if claim is None:
            self._broken(f"a machine is launched for {moment.claim}, which does not exist")
        elif machines:
            self._broken(f"{moment.claim} is launched again and has {machines[0]} already")

    def _check_binding(self, moment: Moment) -> None:
        pod = self._view.pods[moment.pod]
        node = self._view.nodes.get(moment.nodes[0])
        if node is None:
            self._broken(f"pod {pod.meta.full_name} is bound to no node")
            return
        taint = untolerated(node.taints, pod.spec.tolerations)
        if taint is not None:
            self._broken(f"pod {pod.meta.full_name} does not tolerate {taint} of its node")
        self._check_room(node, pod)

    def _check_room(self, node: Node, pod: Pod) -> None:
        name = node.meta.name
        there = [p for p in self._view.pods.values() if p.node == name and not p.is_terminal]
        used = res.add(pod_requests(pod), *(pod_requests(p) for p in there))
        for resource, amount in sorted(used.items()):
            if amount > node.allocatable.get(resource, 0):
                self._broken(f"node {name} is overfull with {pod.meta.full_name}: {resource}")

    def _check_orphans(self) -> None:
        view, claims = self._view, self._view.claims
        machines = {i.claim for i in view.instances.values()}
        present = {f"instance {i.id}": i.claim in claims for i in view.instances.values()}
        for node in view.nodes.values():
            if well.NODEPOOL in node.meta.labels:
                present[f"node {node.meta.name}"] = node.provider_id in view.instances
        for name, claim in claims.items():
            if claim.has(LAUNCHED):
                present[f"claim {name}"] = name in machines
        self._age(present)

    def _age(self, present: Mapping[str, bool]) -> None:
        """Tells of what has been without its other half for too long."""
        now = self._view.now
        alone = [subject for subject, is_paired in sorted(present.items()) if not is_paired]
        self._orphans = {subject: self._orphans.get(subject, now) for subject in alone}
        for subject, since in self._orphans.items():
            if now - since > _ORPHAN_PATIENCE:
                self._broken(f"{subject} has no counterpart since {since.isoformat()}")


def _is_leaving(claim: NodeClaim) -> bool:
    return claim.meta.deleted is not None or claim.has(DISRUPTION_REASON)


def _covers(budget: DisruptionBudget, pod: Pod) -> bool:
    return (
        budget.meta.namespace == pod.meta.namespace
        and budget.selector is not None
        and not pod.is_terminal
        and budget.selector.matches(pod.meta.labels)
    )


def _is_protected(pod: Pod, now: datetime) -> bool:
    text = pod.meta.annotations.get(well.DO_NOT_DISRUPT, "")
    if text == "true":
        return pod.is_active
    try:
        duration = parse_go_duration(text)
    except ConfigError:
        return False
    recent = pod.started is None or now - pod.started < duration
    return pod.is_active and duration > timedelta(0) and recent


def _share(text: str, total: int) -> int:
    return -(-int(text[:-1]) * total // 100) if text.endswith("%") else int(text)


def _allowed(pool: NodePool, reason: str, *, total: int, now: datetime) -> int:
    """Returns how many nodes of a pool may go at once for a reason; all without a budget."""
    shares = [
        _share(budget.nodes, total)
        for budget in pool.disruption.budgets
        if (not budget.reasons or reason in budget.reasons) and _is_open(budget, now)
    ]
    return min(shares, default=total)


def _is_open(budget: Budget, now: datetime) -> bool:
    if not budget.schedule or budget.duration is None:
        return True
    opened = Schedule.parse(budget.schedule).next_after(now - budget.duration)
    return opened is not None and opened <= now
