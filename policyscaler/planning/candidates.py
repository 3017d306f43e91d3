"""Nodes that policy lets go, for which reasons, and what keeps the others.

The order of the gates is the order in which `explain node` tells them. Policy is asked first;
then come the checks that no policy can lift: do-not-disrupt and PDBs in graceful modes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from policyscaler.model import labels as well
from policyscaler.model.plan import Gate, RuleRef
from policyscaler.model.pools import DRIFTED, EMPTY, EXPIRED, UNDERUTILIZED, NodePool
from policyscaler.model.snapshot import ObjectKey
from policyscaler.planning.cluster import StateNode
from policyscaler.planning.drift import drift_reason
from policyscaler.planning.facts import node_facts
from policyscaler.planning.protection import blocked_pods, is_protected
from policyscaler.planning.workbench import Workbench
from policyscaler.policy.verdicts import RuleVerdict

REASONS: Final = (EXPIRED, EMPTY, DRIFTED, UNDERUTILIZED)
"""In the order in which commands are planned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A node with what policy says of it.

    Attributes:
        price: micro-dollars per hour, 0 when unknown.
        cost: what policy says it costs to disrupt the node; 1 where no policy says.
        reasons: the reasons for which policy lets it go, with the rules that say so.
        gates: what it passed and failed, in order.
        held: why it may not go gracefully whatever policy says, empty if nothing holds it.
    """

    node: StateNode
    pool: NodePool
    price: int
    cost: float
    reasons: dict[str, tuple[RuleRef, ...]]
    gates: tuple[Gate, ...]
    held: str

    @property
    def savings_ratio(self) -> float:
        """Price per unit of disruption: what goes first."""
        return self.price / self.cost

    def is_forceful(self, reason: str) -> bool:
        """Returns whether the reason asks neither budgets nor pods: expiry of v1 pools."""
        return reason == EXPIRED and not self.pool.graceful_expiry

    def may_go(self, reason: str) -> bool:
        """Returns whether policy and the safety checks let it go for a reason.

        A drifted node with a termination grace period may go although pods hold it: the period
        bounds their draining.
        """
        if reason not in self.reasons:
            return False
        bounded = reason == DRIFTED and self.node.claim and self.node.claim.termination_grace
        return not self.held or self.is_forceful(reason) or bool(bounded)


def find_candidates(bench: Workbench, now: datetime) -> list[Candidate]:
    """Returns every managed node that could be disrupted at all, by name."""
    blocked = blocked_pods(bench.view.snapshot)
    found = []
    for node in bench.view.nodes:
        pool = bench.view.snapshot.pools.get(node.pool)
        if node.claim is None or pool is None:
            continue
        found.append(_candidate(bench, node, pool, now, blocked=blocked))
    return found


def _candidate(
    bench: Workbench,
    node: StateNode,
    pool: NodePool,
    now: datetime,
    *,
    blocked: frozenset[ObjectKey],
) -> Candidate:
    gates = _state_gates(bench, node)
    reasons: dict[str, tuple[RuleRef, ...]] = {}
    cost = 1.0
    if all(gate.passed for gate in gates):
        drift = drift_reason(node, pool, bench.view.snapshot)
        facts = node_facts(node, bench.view, now, drift=drift, blocked=blocked)
        verdict = bench.rules.policies.disruption(
            facts, bench.rules.pool(pool.name), bench.rules.context
        )
        cost = verdict.cost if verdict.cost > 0 else 1.0
        gates += [_policy_gate(denial) for denial in (*verdict.denied, *verdict.errors)]
        reasons = {reason: tuple(rules) for reason, rules in sorted(verdict.eligible.items())}
        gates.append(_eligible_gate(reasons))
    held = _held(node, now, blocked)
    if held:
        gates.append(Gate(name="protected", passed=False, message=held))
    return Candidate(
        node=node, pool=pool, price=bench.view.price_of(node), cost=cost,
        reasons=reasons, gates=tuple(gates), held=held,
    )  # fmt: skip


def _state_gates(bench: Workbench, node: StateNode) -> list[Gate]:
    promised = len(bench.view.promised.get(node.name, ()))
    checks = (
        ("node", node.node is not None, "its node has not appeared yet", "its node is there"),
        ("initialized", node.initialized, "it is still starting", "it is initialized"),
        ("staying", not node.leaving, "it is leaving already", "it is not leaving"),
        (
            "promised",
            not promised,
            f"{promised} pods are promised to it",
            "no pod is promised to it",
        ),
    )
    return [
        Gate(name=name, passed=passed, message=good if passed else bad)
        for name, passed, bad, good in checks
    ]


def _policy_gate(denial: RuleVerdict) -> Gate:
    about = f" (keeps it from {', '.join(denial.reasons)})" if denial.reasons else ""
    text = denial.error or denial.message
    return Gate(name="policy", passed=False, message=f"{text}{about}", rule=denial.rule)


def _eligible_gate(reasons: dict[str, tuple[RuleRef, ...]]) -> Gate:
    if not reasons:
        return Gate(name="eligible", passed=False, message="no rule lets it go")
    listed = ", ".join(reason for reason in REASONS if reason in reasons)
    return Gate(
        name="eligible",
        passed=True,
        message=f"may go: {listed}",
        rule=next(iter(reasons.values()))[0],
    )


def _held(node: StateNode, now: datetime, blocked: frozenset[ObjectKey]) -> str:
    annotations = node.node.meta.annotations if node.node else {}
    if annotations.get(well.DO_NOT_DISRUPT) == "true":
        return "the node carries do-not-disrupt"
    for pod in node.pods:
        if is_protected(pod, now):
            return f"pod {pod.meta.full_name} carries do-not-disrupt"
        if pod.meta.key in blocked and pod.is_active and not pod.is_static:
            return f"a PodDisruptionBudget keeps pod {pod.meta.full_name}"
    return ""
