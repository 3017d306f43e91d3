"""Limits of pools: cases E82 to E90 (E84 and E88 need pod anti-affinity, see cases.toml)."""

import pytest

from policyscaler.testing.builders import (
    NOW,
    a_claim,
    a_container,
    a_node,
    a_pod,
    a_pool,
    needs,
    replicas,
)
from policyscaler.testing.expectations import expect_scheduled, expect_unschedulable, named, types
from policyscaler.testing.karpenter_fixture import VENDOR_A, fake_type, fixture_f
from tests.acceptance.deciding import decided

SMALL = next(kind for kind in fixture_f() if kind.name == "small-instance-type")


def held(name, kind, **fields):
    """A node of the pool with its claim."""
    node = a_node(name, kind, pool="p", **fields)
    return [node, a_claim(node)]


@pytest.mark.case("E82")
def test_a_limit_that_is_exceeded_already_launches_nothing():
    large = fake_type("large", "100", memory="400Gi")
    full = a_pod("full", cpu="99", node="old", unschedulable=False)
    pool = a_pool("p", limits={"cpu": "20"})
    plan = decided(pool, fixture_f(), large, held("old", large), full, a_pod("web", cpu="1"))
    assert plan.launches == ()
    expect_unschedulable(plan, "web", constraint="limits", mentions=["limit cpu 20", "used 100"])


@pytest.mark.case("E83")
def test_a_limit_may_be_met_exactly():
    plan = decided(a_pool("p", limits={"cpu": "2"}), fixture_f(), a_pod("web", cpu="1750m"))
    assert types(plan) == ["small-instance-type"]


@pytest.mark.case("E85")
def test_a_pod_larger_than_the_limit_stays_pending():
    plan = decided(a_pool("p", limits={"cpu": "2"}), fixture_f(), a_pod("web", cpu="2100m"))
    expect_unschedulable(plan, "web", constraint="limits", mentions=["limit cpu 2", "node 4"])


@pytest.mark.case("E86")
def test_a_limit_on_pods_counts_what_a_type_can_take():
    pod = a_pod("web", containers=(a_container(requests={VENDOR_A: "1"}),))
    plan = decided(a_pool("p", limits={"pods": "1"}), fixture_f(), pod)
    expect_unschedulable(plan, "web", constraint="limits", mentions=["limit pods 1", "node 5"])


@pytest.mark.case("E87")
def test_nothing_more_once_the_limit_is_reached():
    bound = a_pod("first", cpu="1750m", node="n1", unschedulable=False)
    pool = a_pool("p", limits={"cpu": "2"})
    again = a_pod("again", cpu="1750m")
    plan = decided(pool, fixture_f(), held("n1", SMALL), bound, again)
    expect_unschedulable(plan, "again", constraint="limits", mentions=["used 2"])


@pytest.mark.parametrize("count", [3, 7])
def test_a_limit_on_nodes_holds_within_one_batch(count):
    pool = a_pool("p", "type In single-pod-instance-type", limits={"nodes": "2"})
    plan = decided(pool, fixture_f(), replicas("web", count))
    assert len(plan.launches) == 2
    assert sorted(named(plan).values()) == ["-"] * (count - 2) + ["p-1", "p-2"]
    (entry,) = plan.unschedulable
    assert entry.refusals[0].constraint == "limits"
    assert "limit of 2 nodes" in entry.refusals[0].message


def test_nodes_that_are_there_count_against_a_limit_on_nodes():
    pool = a_pool("p", "type In single-pod-instance-type", limits={"nodes": "2"})
    single = next(kind for kind in fixture_f() if kind.name.startswith("single"))
    bound = a_pod("old", node="n1", unschedulable=False)
    plan = decided(pool, fixture_f(), held("n1", single), bound, replicas("web", 3))
    assert len(plan.launches) == 1


@pytest.mark.case("E89")
def test_what_limits_do_not_name_is_unlimited():
    pool = a_pool("p", limits={"memory": "64Gi"}, requirements=(needs("arch In amd64"),))
    plan = decided(pool, fixture_f(), replicas("web", 20, cpu="1"))
    expect_scheduled(plan, *(f"web-{number}" for number in range(20)))


@pytest.mark.case("E90")
@pytest.mark.parametrize("fields", [{"deleted": NOW}], ids=["being deleted"])
def test_nodes_that_are_leaving_do_not_count(fields):
    pool = a_pool("p", limits={"cpu": "2"})
    leaving = held("n1", SMALL, **fields)
    plan = decided(pool, fixture_f(), leaving, a_pod("web", cpu="1750m"))
    expect_scheduled(plan, "web", on="small-instance-type")


def test_whatever_the_launches_become_the_limit_holds():
    pool = a_pool("p", "arch In amd64", limits={"cpu": "10"})
    plan = decided(pool, fixture_f(), replicas("web", 9, cpu="1500m"))
    largest = {kind.name: kind.capacity["cpu"] for kind in fixture_f()}
    worst = sum(max(largest[o.instance_type] for o in node.offerings) for node in plan.launches)
    assert 8_000 <= worst <= 10_000
    assert plan.unschedulable


def test_two_limits_at_once_are_told_apart():
    pool = a_pool("p", limits={"cpu": "100", "memory": "1Gi"})
    plan = decided(pool, fixture_f(), a_pod("web"))
    expect_unschedulable(plan, "web", constraint="limits", mentions=["limit memory 1Gi"])
