"""Cost, limits and lost launches as people report them: cases S27 to S33."""

from datetime import timedelta

import pytest

from policyscaler.model.meta import ObjectMeta
from policyscaler.model.nodes import Taint
from policyscaler.model.pods import Toleration
from policyscaler.model.workloads import Namespace
from policyscaler.testing.builders import NOW, a_claim, a_node, a_pod, a_pool, a_type, replicas
from policyscaler.testing.expectations import (
    expect_scheduled,
    expect_unschedulable,
    machines,
    named,
    price,
    refusals_of,
    types,
)
from tests.acceptance.deciding import a_policy, decided

M4 = a_type("m4", "4", price="0.20")


def held(name, kind, **fields):
    """A node with its claim; fields of the node, `claim` those of the claim."""
    claim = fields.pop("claim", {})
    node = a_node(name, kind, **fields)
    return [node, a_claim(node, **claim)]


@pytest.mark.case("S27")
def test_filling_one_node_does_not_end_on_a_dear_giant():
    c8 = a_type("c8", "7800m", memory="32Gi", price="0.40", spot="0.10")
    c32 = a_type("c32", "31500m", memory="128Gi", price="1.60", spot="0.40", unavailable=("spot",))
    plan = decided(a_pool("p", "ct In spot on-demand"), c8, c32, replicas("w", 10, cpu="3"))
    assert machines(plan) == ["p c8 spot"] * 5
    assert price(plan) == "0.5"


CAPPED = (
    a_type("m4", price="0.20", overhead={"cpu": "200m"}),
    a_type("m8", "8", memory="32Gi", price="0.40", overhead={"cpu": "200m"}),
)


@pytest.mark.case("S28")
def test_the_preferred_pool_is_used_up_to_its_limit():
    used = a_type("used", "96", memory="384Gi")
    pools = (a_pool("reserved", "type In m4 m8", weight=50, limits={"cpu": "100"}),
             a_pool("default", "type In m4 m8"))  # fmt: skip
    old = [*held("old", used, pool="reserved"), a_pod("busy", cpu="96", node="old")]
    plan = decided(pools, CAPPED, used, old, replicas("w", 3, cpu="1800m"))
    assert machines(plan) == ["default m4 on-demand", "reserved m4 on-demand"]
    assert sorted(len(node.pods) for node in plan.launches if node.pool == "reserved") == [2]


@pytest.fixture
def frozen():
    """Twenty-four old nodes that fill their pool's limit and that it would no longer launch."""
    t2 = a_type("t2", "2", memory="8Gi", labels={"cpu": "2"})
    t4 = a_type("t4", "4", price="0.20", labels={"cpu": "4"})
    nodes = [thing for number in range(24) for thing in held(f"n{number:02}", t2)]
    pods = [a_pod(f"p{number}", cpu="1200m", node=f"n{number:02}") for number in range(24)]
    return [a_pool("default", "cpu Gte 4", limits={"cpu": "48"}), t2, t4, nodes, pods]


@pytest.mark.case("S29")
def test_a_limit_smaller_than_the_smallest_node_is_told_with_numbers(frozen):
    plan = decided(frozen, a_pod("roll", cpu="1500m"))
    expect_unschedulable(
        plan, "roll", constraint="limits",
        mentions=["limit cpu 48", "used 48", "smallest allowed node 4", "limit of 52"],
    )  # fmt: skip


@pytest.mark.case("S29")
def test_drifted_nodes_of_a_frozen_pool_stay_and_empty_ones_may_go(frozen):
    *rest, pods = frozen
    plan = decided(rest, pods)
    assert plan.disruptions == ()
    (advice,) = [finding.message for finding in plan.findings if finding.severity == "warning"]
    assert "limit cpu 48 remain 0, less than the smallest node's 4" in advice
    assert advice.endswith("24 drifted nodes are stuck")
    trace = next(trace for trace in plan.trace.nodes if trace.node == "n00")
    assert any("may go: Drifted" in gate.message for gate in trace.gates)
    assert trace.gates[-1].message == "1 pods would find no place"
    (command,) = decided(rest, pods[1:]).disruptions
    assert (command.reason, command.nodes, command.replacements) == ("Empty", ("n00",), ())


QUOTA = a_policy(
    """
match: {pools: "orElse(pool.labels['team'], '') == 'a'"}
limits:
  - {name: team-a, by: "'a'", amount: offering.cpu, max: "20.0"}
"""
)


def charged(cores):
    return {"annotations": {"policyscaler.dev/charge.0": f"own/team-a/a={cores}000000"}}


@pytest.mark.case("S31")
def test_a_quota_over_several_pools_goes_to_the_higher_priority():
    labels = {"team": "a"}
    gpu = Toleration(key="gpu", operator="Exists")
    web_pool = a_pool("a-web", labels={**labels, "pool": "a-web"})
    gpu_pool = a_pool("a-gpu", labels={**labels, "pool": "a-gpu"}, taints=(Taint(key="gpu"),))
    used = [
        *held("w", a_type("w12", "12"), pool="a-web", claim=charged(12)),
        *held("g", CAPPED[0], pool="a-gpu", claim=charged(4)),
    ]
    busy = [a_pod(f"on-{node}", cpu=cpu, node=node) for node, cpu in (("w", "12"), ("g", "3800m"))]
    low = a_pod("low", cpu="3", created=NOW - timedelta(minutes=5))
    high = a_pod("high", cpu="3", priority=100, tolerations=(gpu,), node_selector={"pool": "a-gpu"})
    plan = decided(web_pool, gpu_pool, CAPPED[0], used, busy, low, high, policies=[QUOTA])
    assert machines(plan) == ["a-gpu m4 on-demand"]
    expect_scheduled(plan, "high", on="a-gpu")
    expect_unschedulable(
        plan, "low", constraint="policy",
        mentions=["team-a", "20, used 20 (a-gpu 4, a-web 12, launches of this decision 4)"],
    )  # fmt: skip


AGENT = Taint(key="net/agent-not-ready")


@pytest.mark.case("S32")
@pytest.mark.parametrize("pod", [{"nominated": "n1"}, {}], ids=["nominated", "not nominated"])
def test_a_declared_startup_taint_keeps_nobody_from_a_starting_node(pod):
    pool = a_pool("p", startup_taints=(AGENT,))
    labels = {"karpenter.sh/registered": "true", "karpenter.sh/nodepool": "p"}
    node = a_node("n1", M4, pool="", labels=labels, taints=(AGENT,))
    claim = a_claim(node, conditions={}, startup_taints=(AGENT,))
    plan = decided(pool, M4, node, claim, a_pod("web-0", cpu="1", **pod))
    assert (plan.launches, plan.findings) == ((), ())


@pytest.mark.case("S32")
def test_an_undeclared_taint_holds_further_launches_while_the_pod_is_promised_its_node():
    labels = {"karpenter.sh/registered": "true", "karpenter.sh/nodepool": "p"}
    node = a_node("n1", M4, pool="", labels=labels, taints=(AGENT,))
    world = [a_pool("p"), M4, node, a_claim(node, conditions={})]
    held_back = decided(world, a_pod("web-0", cpu="1", nominated="n1"))
    assert held_back.launches == ()
    (finding,) = held_back.findings
    assert finding.severity == "warning"
    assert "net/agent-not-ready:NoSchedule appeared on starting node n1" in finding.message
    assert "startupTaints of pool p" in finding.message
    expect_scheduled(decided(world, a_pod("web-0", cpu="1")), "web-0", on="m4")


@pytest.mark.case("S33")
def test_a_nomination_is_void_once_others_have_filled_the_node():
    late = a_pod("late", cpu="3", node="n1", unschedulable=False)
    wait = a_pod("wait", cpu="2", nominated="n1")
    plan = decided(a_pool("p"), M4, held("n1", M4, pool="p"), late, wait)
    assert types(plan) == ["m4"]
    expect_scheduled(plan, "wait", on="m4")


def test_a_nomination_that_holds_keeps_the_room_from_others():
    wait = a_pod("wait", cpu="2", nominated="n1")
    plan = decided(a_pool("p"), M4, held("n1", M4, pool="p"), wait, a_pod("other", cpu="3"))
    assert named(plan) == {"other": "p-1"}


def test_of_two_promises_that_do_not_fit_together_the_higher_priority_keeps_its_own():
    first = a_pod("first", cpu="3", nominated="n1")
    second = a_pod("second", cpu="3", nominated="n1", priority=10)
    plan = decided(a_pool("p"), M4, held("n1", M4, pool="p"), first, second)
    assert named(plan) == {"first": "p-1"}


def test_a_quota_by_the_team_of_a_namespace():
    policy = a_policy(
        """
limits:
  - {name: nodes, when: team.name != '', by: team.name, amount: "1.0", max: "1.0"}
"""
    )
    spaces = {
        name: Namespace(meta=ObjectMeta(name=name, labels={"team": "x"}, created=NOW))
        for name in ("one", "two")
    }
    pods = [a_pod(f"in-{name}", cpu="3", namespace=name) for name in ("one", "two")]
    plan = decided(
        a_pool("p"), M4, pods, a_pod("free", cpu="3"), policies=[policy], namespaces=spaces
    )
    assert len(plan.launches) == 2
    assert "free" not in {name for entry in plan.unschedulable for _, name in entry.pods}
    (entry,) = plan.unschedulable
    assert refusals_of(plan, entry.pods[0][1])[0].constraint == "policy"
