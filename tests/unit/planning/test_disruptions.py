"""What goes, in what order, and what is launched before."""

from datetime import timedelta

import pytest

from policyscaler.model.labels import DO_NOT_DISRUPT, POOL_HASH
from policyscaler.model.meta import LabelSelector, ObjectMeta
from policyscaler.model.nodes import Taint
from policyscaler.model.pools import Budget, Disruption
from policyscaler.model.workloads import DisruptionBudget
from policyscaler.planning.planner import PolicyPlanner
from policyscaler.policy.bundles import load_bundle
from policyscaler.testing.builders import (
    NOW,
    a_claim,
    a_node,
    a_pod,
    a_pool,
    a_snapshot,
    a_type,
    owned_by,
)

M2, M4, M8 = (
    a_type("m2", "2", price="0.10"),
    a_type("m4", price="0.20"),
    a_type("m8", "8", price="0.40"),
)
TYPES = (M2, M4, M8)
LATER = NOW + timedelta(hours=1)
ANY = (Budget(nodes="100%"),)
BUNDLE = load_bundle()


def pool_of(*budgets, policy="WhenEmptyOrUnderutilized", after=timedelta(0), **fields):
    rules = Disruption(budgets=budgets or ANY, policy=policy, consolidate_after=after)
    return a_pool("p", disruption=rules, **fields)


def held(name, kind=M4, *, cpu="", claim=None, pod=None, **fields):
    """A node with its claim and, unless cpu is empty, a pod on it."""
    node = a_node(name, kind, pool="p", **fields)
    found = [node, a_claim(node, **(claim or {}))]
    if cpu:
        found.append(
            a_pod(f"on-{name}", cpu=cpu, node=name, phase="Running", ready=True, unschedulable=False,
                  owners=owned_by("ReplicaSet", name), **(pod or {}))
        )  # fmt: skip
    return found


def decide(*objects, now=LATER, pool=None, types=TYPES, **fields):
    state = a_snapshot(pool or pool_of(), types, *objects, **fields)
    return PolicyPlanner(BUNDLE)(state, now)


def gone(plan):
    return [(command.reason, command.nodes) for command in plan.disruptions]


def gates(plan, node):
    (trace,) = [trace for trace in plan.trace.nodes if trace.node == node]
    return {gate.name: gate.message for gate in trace.gates if not gate.passed}


def test_empty_nodes_go_together_the_dearest_first():
    plan = decide(held("a"), held("b", M8), held("c"), pool=pool_of(Budget(nodes="2")))
    assert gone(plan) == [("Empty", ("a", "b"))]
    (command,) = plan.disruptions
    assert command.savings_micros_per_hour == 600_000
    assert [rule.rule for rule in command.rules] == ["empty"]
    assert "leave none for Empty" in gates(plan, "c")["budget"]


def test_a_node_is_quiet_before_it_goes():
    pool = pool_of(after=timedelta(minutes=90))
    assert gone(decide(held("a"), pool=pool)) == []
    assert gone(decide(held("a"), pool=pool, now=NOW + timedelta(minutes=90))) == [
        ("Empty", ("a",))
    ]
    recent = held("a", claim={"last_pod_event": NOW + timedelta(minutes=30)})
    assert gone(decide(recent, pool=pool, now=NOW + timedelta(minutes=91))) == []


def test_never_is_never():
    assert gone(decide(held("a"), pool=pool_of(after=None))) == []


def test_a_node_that_pending_pods_will_use_is_not_empty():
    assert gone(decide(held("a"), a_pod("new", cpu="1"))) == []


def test_a_node_whose_pods_may_all_be_thrown_away_is_empty():
    cheap = {"annotations": {"controller.kubernetes.io/pod-deletion-cost": str(-(2**27))}}
    assert gone(decide(held("a", cpu="1", pod=cheap))) == [("Empty", ("a",))]


def test_an_under_used_node_goes_when_its_pods_fit_elsewhere():
    plan = decide(held("a", cpu="1"), held("b", M4, cpu="2"))
    assert gone(plan) == [("Underutilized", ("a",))]
    (command,) = plan.disruptions
    assert command.replacements == ()
    assert command.moves == (("default", "on-a"),)


def test_or_when_one_cheaper_node_takes_them():
    plan = decide(held("a", M8, cpu="1"))
    (command,) = plan.disruptions
    assert [node.chosen.instance_type for node in command.replacements] == ["m2"]
    assert command.savings_micros_per_hour == 300_000
    assert {o.instance_type for o in command.replacements[0].offerings} == {"m2", "m4"}


@pytest.mark.parametrize(
    ("objects", "types", "why"),
    [
        ([held("a", M2, cpu="1")], TYPES, "nothing that its pods fit on is cheaper"),
        ([held("a", M8, cpu="7"), ], (M8,), "nothing that its pods fit on is cheaper"),
        (
            [held("a", M8, cpu="3"), a_pod("two", cpu="3", node="a", phase="Running", unschedulable=False)],
            (a_type("m8", "8", price="0.50", unavailable=("on-demand",)), M4), "it would take 2 nodes to replace it",
        ),
        ([held("a", M8, cpu="5")], (M4,), "1 pods would find no place"),
    ],
    ids=["already the cheapest", "the only type", "two for one", "no place"],
)  # fmt: skip
def test_what_is_no_improvement_is_not_made(objects, types, why):
    plan = decide(objects, types=types)
    assert gone(plan) == []
    assert gates(plan, "a") == {"replacement": why}


def test_when_empty_moves_no_pods():
    pool = pool_of(policy="WhenEmpty")
    assert gone(decide(held("a", M8, cpu="1"), pool=pool)) == []


def test_nothing_is_consolidated_while_pods_still_come():
    plan = decide(held("a", M8, cpu="1"), a_pod("new", cpu="7500m"))
    assert plan.launches
    assert gone(plan) == []


def test_pods_do_not_move_to_nodes_inside_their_own_quiet_time():
    pool = pool_of(after=timedelta(minutes=30))
    fresh = held("b", M4, cpu="1", claim={"last_pod_event": LATER})
    plan = decide(held("a", M2, cpu="1"), fresh, pool=pool)
    assert gone(plan) == []


def test_a_drifted_node_is_replaced_one_at_a_time_the_oldest_first():
    old = {"annotations": {POOL_HASH: "older"}, "created": NOW - timedelta(1)}
    young = {"annotations": {POOL_HASH: "older"}}
    plan = decide(held("a", cpu="3", claim=young), held("b", cpu="3", claim=old))
    assert gone(plan) == [("Drifted", ("b",))]
    assert len(plan.disruptions[0].replacements) == 1


def test_drift_waits_for_a_budget():
    drifted = {"annotations": {POOL_HASH: "older"}}
    pool = pool_of(Budget(nodes="0", reasons=("Drifted",)))
    plan = decide(held("a", cpu="1", claim=drifted), pool=pool, types=(M4,))
    assert gone(plan) == []
    assert "leave none for Drifted" in gates(plan, "a")["budget"]


OLD = {"expire_after": timedelta(minutes=30)}


def test_expired_nodes_go_whatever_budgets_and_pods_say():
    pool = pool_of(Budget(nodes="0"))
    marked = {"annotations": {DO_NOT_DISRUPT: "true"}}
    plan = decide(
        held("a", cpu="1", claim=OLD, pod=marked), held("b", cpu="1", claim=OLD), pool=pool
    )
    assert gone(plan) == [("Expired", ("a",)), ("Expired", ("b",))]
    assert all(command.forceful and not command.replacements for command in plan.disruptions)


def test_graceful_expiry_asks_budgets_and_pods_and_launches_first():
    pool = pool_of(graceful_expiry=True)
    marked = {"annotations": {DO_NOT_DISRUPT: "true"}}
    plan = decide(
        held("a", cpu="3", claim=OLD, pod=marked), held("b", cpu="3", claim=OLD), pool=pool
    )
    assert gone(plan) == [("Expired", ("b",))]
    (command,) = plan.disruptions
    assert not command.forceful
    assert len(command.replacements) == 1
    assert "carries do-not-disrupt" in gates(plan, "a")["protected"]


BUDGET = DisruptionBudget(
    meta=ObjectMeta(name="pdb", namespace="default"), selector=LabelSelector(), max_unavailable="0"
)


@pytest.mark.parametrize(
    ("pod", "node", "why"),
    [
        ({"annotations": {DO_NOT_DISRUPT: "true"}}, {}, "pod default/on-a carries do-not-disrupt"),
        ({"annotations": {DO_NOT_DISRUPT: "2h"}, "started": NOW}, {}, "carries do-not-disrupt"),
        ({}, {"annotations": {DO_NOT_DISRUPT: "true"}}, "the node carries do-not-disrupt"),
        ({"labels": {"app": "x"}}, {}, "a PodDisruptionBudget keeps pod default/on-a"),
    ],
    ids=["pod", "pod for a time", "node", "PDB"],
)
def test_what_is_held_stays(pod, node, why):
    budgets = {BUDGET.meta.key: BUDGET} if "labels" in pod else {}
    plan = decide(held("a", M8, cpu="1", pod=pod, **node), disruption_budgets=budgets)
    assert gone(plan) == []
    assert why in gates(plan, "a")["protected"]


def test_a_grace_period_bounds_what_pods_may_hold_up_for_drift():
    marked = {"annotations": {DO_NOT_DISRUPT: "true"}}
    drifted = {"annotations": {POOL_HASH: "older"}, "termination_grace": timedelta(hours=1)}
    plan = decide(held("a", cpu="1", claim=drifted, pod=marked))
    assert [reason for reason, _ in gone(plan)] == ["Drifted"]


@pytest.mark.parametrize(
    ("objects", "gate"),
    [
        ([*held("a", claim={"deleted": NOW})], "staying"),
        ([*held("a"), a_pod("soon", cpu="1", nominated="a")], "promised"),
        ([a_claim(a_node("a", M4, pool="p"), node="", conditions={})], "node"),
        (
            [a_node("a", pool="", labels={"pool": "p"}), a_claim(a_node("a", M4, pool="p"))],
            "initialized",
        ),
    ],
    ids=["leaving", "promised", "no node", "starting"],
)
def test_nodes_that_are_not_up_for_it(objects, gate):
    plan = decide(objects)
    assert gone(plan) == []
    assert gate in gates(plan, "a")


def test_nodes_of_no_claim_or_no_pool_are_left_alone():
    assert decide(a_node("a", M4, pool="p")).trace.nodes == ()
    other = a_node("b", M4, pool="gone")
    assert decide(other, a_claim(other)).trace.nodes == ()


def test_the_trace_says_why_a_node_goes():
    plan = decide(held("a"), held("b", M4, cpu="3500m", taints=(Taint(key="x"),)))
    assert {trace.node: trace.reason for trace in plan.trace.nodes} == {"a": "Empty", "b": ""}
