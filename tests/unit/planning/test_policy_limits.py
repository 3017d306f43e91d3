"""Policy limits and replacement rules, as planning keeps them."""

import pytest

from policyscaler.model.nodes import Taint
from policyscaler.model.pods import Toleration
from policyscaler.planning.decide import decide
from policyscaler.planning.effort import Effort
from policyscaler.planning.rules import charges_of
from policyscaler.policy.evaluation import Policies
from policyscaler.testing.builders import (
    NOW,
    a_claim,
    a_container,
    a_daemon_set,
    a_node,
    a_pod,
    a_pool,
    a_snapshot,
    a_type,
    owned_by,
    replicas,
)
from policyscaler.testing.expectations import expect_unschedulable, types
from tests.acceptance.deciding import a_policy, decided

M4 = a_type("m4", price="0.20")


def a_limit(most, amount="1.0", by="'all'"):
    return a_policy(f'limits: [{{name: cap, by: "{by}", amount: "{amount}", max: "{most}"}}]')


def test_a_limit_is_used_up_to_its_last_launch():
    plan = decided(
        a_pool("p"), a_type("m1", "1"), replicas("w", 5, cpu="1"), policies=[a_limit("3.0")]
    )
    assert len(plan.launches) == 3
    expect_unschedulable(
        plan, "w-4", constraint="policy",
        mentions=["own/cap/all 3, used 3 (launches of this decision 3), smallest launch 1"],
    )  # fmt: skip


def test_a_launch_carries_what_it_was_charged_at_its_dearest():
    plan = decided(
        a_pool("p"), M4, a_type("m8", "8"), a_pod(), policies=[a_limit("9.0", "offering.cpu")]
    )
    (node,) = plan.launches
    assert node.annotations["policyscaler.dev/charge.0"] == "own/cap/all=8000000"


def test_what_claims_were_charged_is_not_charged_again():
    node = a_node("n1", M4, pool="p")
    claim = a_claim(node, annotations={"policyscaler.dev/charge.0": "own/cap/all=2000000"})
    full = a_pod("full", cpu="4", node="n1", unschedulable=False)
    plan = decided(
        a_pool("p"), M4, node, claim, full, replicas("w", 2, cpu="4"), policies=[a_limit("3.0")]
    )
    assert len(plan.launches) == 1


@pytest.mark.parametrize(
    ("text", "charged"),
    [
        ("a/b/c=5", {"a/b/c": 5}),
        ("a/b/x=y=7", {"a/b/x=y": 7}),
        ("a/b/c=-7", {"a/b/c": -7}),
        ("a/b/c", {}),
        ("a/b/c=much", {}),
    ],
)
def test_charges_are_read_from_annotations(text, charged):
    claim = a_claim(a_node("n"), annotations={"policyscaler.dev/charge.0": text, "other": "a=1"})
    assert charges_of(claim) == charged


def test_a_limit_that_fails_leaves_no_room_and_says_so():
    plan = decided(
        a_pool("p"), M4, a_pod("web"), policies=[a_limit("1.0", by="string(1 / (shape.count - 1))")]
    )
    expect_unschedulable(
        plan, "web", constraint="policy", mentions=["leaves no room, because it failed"]
    )


def test_rounds_are_bounded():
    pool = a_pool("p", "type In m1", limits={"cpu": "2"})
    state = a_snapshot(pool, a_type("m1", "1"), replicas("w", 5, cpu="1"))
    plan = decide(state, Policies.compile(()), NOW, effort=Effort(limit_rounds=1))
    assert len(plan.launches) == 2
    assert plan.unschedulable
    assert decide(state, Policies.compile(()), NOW, effort=Effort(limit_rounds=0)).launches == ()


def test_a_replacement_that_a_rule_refuses_is_not_made():
    m8 = a_type("m8", "8", price="0.40")
    node = a_node("n1", m8)
    pod = a_pod(
        "web",
        cpu="1",
        node="n1",
        phase="Running",
        unschedulable=False,
        owners=owned_by("ReplicaSet", "web"),
    )
    rule = a_policy(
        "disruption: {replace: [{name: halve, expr: 'replacement.price * 3.0 < current.price', message: saves too little}]}"
    )
    world = (a_pool(), m8, M4, node, a_claim(node), pod)
    assert len(decided(world).disruptions) == 1
    plan = decided(world, policies=[rule])
    assert plan.disruptions == ()
    (trace,) = plan.trace.nodes
    assert "own/halve: saves too little" in trace.gates[-1].message


def test_the_newest_live_pod_of_a_daemon_counts():
    live = [
        a_pod(
            f"agent-{n}",
            cpu=cpu,
            node=f"x{n}",
            owners=owned_by("DaemonSet", "agent"),
            created=NOW.replace(hour=hour),
        )
        for n, (cpu, hour) in enumerate([("100m", 1), ("2500m", 5), ("200m", 3)])
    ]
    ended = a_pod("agent-z", cpu="9", phase="Failed", owners=owned_by("DaemonSet", "agent"))
    plan = decided(
        a_pool(), M4, a_type("m8", "8"), a_daemon_set("agent"), live, ended, a_pod("w", cpu="2")
    )
    assert types(plan) == ["m8"]


def test_a_daemons_own_resource_keeps_types_out_that_lack_it():
    rare = a_daemon_set(
        "rare",
        containers=(a_container(requests={"example.com/x": "1"}),),
        tolerations=(Toleration(operator="Exists"),),
    )
    plan = decided(a_pool(taints=()), M4, a_type("mx", "4", capacity={"example.com/x": "1"}, price="0.90"), rare,
                   replicas("w", 2))  # fmt: skip
    assert types(plan) == ["mx"]
    alone = decided(
        a_pool(taints=(Taint(key="t"),)),
        M4,
        rare,
        a_pod("w", tolerations=(Toleration(operator="Exists"),)),
    )
    expect_unschedulable(alone, "w")
