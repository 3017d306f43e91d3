"""The decision: a snapshot, policies and an instant in, a plan out."""

from __future__ import annotations

from datetime import datetime

from policyscaler.model.plan import Plan, Trace
from policyscaler.model.snapshot import Snapshot
from policyscaler.planning.advice import pool_advice
from policyscaler.planning.cluster import view_cluster
from policyscaler.planning.disrupt import DisruptionPlanner
from policyscaler.planning.effort import DEFAULT_EFFORT, Effort, Memo
from policyscaler.planning.launches import LaunchPlanner
from policyscaler.planning.provision import provision
from policyscaler.planning.rules import Rulebook
from policyscaler.planning.starting import undeclared_taints
from policyscaler.planning.workbench import Workbench
from policyscaler.policy.evaluation import Policies


def decide(
    snapshot: Snapshot,
    policies: Policies,
    now: datetime,
    *,
    effort: Effort = DEFAULT_EFFORT,
    memo: Memo | None = None,
) -> Plan:
    """Returns what to do now: where pending pods go, what is launched, and what is removed.

    Equal arguments give equal plans, byte for byte, whatever the order of the snapshot's maps.

    Args:
        snapshot: the state.
        policies: the policies in force.
        now: the instant, in UTC.
        effort: bounds on the work, in counts.
        memo: caches from earlier decisions; may change speed only.

    Raises:
        InvariantViolation: a bug: even the baseline packing fails its check.
    """
    view = view_cluster(snapshot, now)
    rules = Rulebook(policies=policies, view=view, now=now)
    bench = Workbench(
        view=view,
        rules=rules,
        effort=effort,
        memo=memo or Memo(),
        launches=LaunchPlanner(default_grace=snapshot.default_termination_grace),
    )
    placed = provision(bench, view.pending)
    planner = DisruptionPlanner(bench, placed, now)
    commands = planner.plan()
    return Plan(
        launches=placed.launches,
        existing=placed.existing,
        unschedulable=placed.unschedulable,
        disruptions=commands,
        price_micros_per_hour=sum(n.chosen.price_micros_per_hour for n in placed.launches),
        findings=(*placed.findings, *undeclared_taints(view), *pool_advice(bench)),
        trace=Trace(
            shapes=placed.traces,
            nodes=planner.traces(),
            packings=placed.packings,
            chosen_packing=placed.chosen,
        ),
    )
