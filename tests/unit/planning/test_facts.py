"""What policy sees of pods, pools, nodes and the cluster."""

from datetime import timedelta

import pytest

from policyscaler.model.labels import POD_DELETION_COST
from policyscaler.model.meta import ObjectMeta
from policyscaler.model.nodes import INITIALIZED, Condition
from policyscaler.model.pools import Disruption
from policyscaler.model.workloads import Namespace
from policyscaler.planning.cluster import view_cluster
from policyscaler.planning.facts import (
    cluster_facts,
    eviction_cost,
    is_empty,
    node_facts,
    pod_facts,
    pool_facts,
    quiet_for,
    shape_facts,
    team_facts,
)
from policyscaler.scheduling.shapes import intern_shapes
from policyscaler.testing.builders import (
    NOW,
    a_claim,
    a_node,
    a_pod,
    a_pool,
    a_snapshot,
    a_term,
    a_type,
    owned_by,
)

LATER = NOW + timedelta(hours=2)
M4 = a_type("m4.large", price="0.20")


def shape(**fields):
    (found,) = intern_shapes([a_pod("web", **fields)])
    return shape_facts(found, NOW, LATER)


def test_shapes_are_in_the_units_of_people():
    facts = shape(
        cpu="1500m", memory="3Gi", owners=owned_by("ReplicaSet", "web"), labels={"app": "a"}
    )
    assert (facts["cpu"], facts["memory"], facts["memPerCpu"]) == (1.5, 3.0 * 2**30, 2.0)
    assert facts["requests"] == {"cpu": 1.5, "memory": 3.0 * 2**30, "pods": 1.0}
    assert (facts["owner"], facts["restartable"]) == ({"kind": "ReplicaSet"}, True)
    assert facts["pendingFor"] == timedelta(hours=2)
    assert shape_facts(intern_shapes([a_pod()])[0], None, LATER)["pendingFor"] == timedelta(0)


def test_a_pod_that_asks_for_no_cpu_has_no_ratio():
    assert shape(cpu="0", memory="1Gi")["memPerCpu"] == 0.0
    assert shape(owners=owned_by("Job", "x"))["restartable"] is False


def test_accelerators_of_all_makers_are_counted():
    assert (
        shape(requests={"cpu": 1000}, overhead={"nvidia.com/gpu": 2, "aws.amazon.com/neuron": 1})[
            "gpu"
        ]
        == 3
    )


@pytest.mark.parametrize(
    ("fields", "archs"),
    [
        ({}, ["amd64", "arm64"]),
        ({"must": ("arch In arm64",)}, ["arm64"]),
        ({"required_terms": (a_term("arch In arm64"), a_term("zone In z1"))}, ["amd64", "arm64"]),
    ],
)
def test_architectures_are_those_that_some_alternative_allows(fields, archs):
    assert shape(**fields)["archs"] == archs


@pytest.mark.parametrize(
    ("annotations", "priority", "cost"),
    [
        ({}, 0, 1.0),
        ({POD_DELETION_COST: str(2**27)}, 0, 2.0),
        ({POD_DELETION_COST: "-2147483648"}, 0, -10.0),
        ({POD_DELETION_COST: "much"}, 0, 1.0),
        ({}, 2**25, 2.0),
        ({}, 2_000_000_000, 10.0),
        ({}, -(2**26), -1.0),
    ],
)
def test_eviction_cost_is_karpenters(annotations, priority, cost):
    assert eviction_cost(a_pod(annotations=annotations, priority=priority)) == pytest.approx(
        cost, abs=0.001
    )


def seen(*pods, claim=None, node=None, **fields):
    """(node, view) of one node of a pool with these pods."""
    a = a_node("n1", M4, pool="p", **(node or {}))
    state = a_snapshot(a_pool("p"), M4, a, a_claim(a, **(claim or {})), pods, **fields)
    view = view_cluster(state, LATER)
    return view.nodes[0], view


def on(name, **fields):
    return a_pod(name, node="n1", unschedulable=False, phase="Running", **fields)


def test_daemons_static_pods_and_cheap_ones_leave_a_node_empty():
    cheap = on("cheap", priority=-(2**26))
    assert is_empty(
        seen(
            on("d", owners=owned_by("DaemonSet", "d")),
            on("s", owners=owned_by("Node", "n1")),
            cheap,
        )[0]
    )
    assert not is_empty(seen(on("web"))[0])


def test_quiet_is_since_the_last_event_else_since_it_was_up_else_since_it_was_made():
    assert quiet_for(
        seen(claim={"last_pod_event": NOW + timedelta(minutes=50)})[0], LATER
    ) == timedelta(minutes=70)
    up = Condition(type=INITIALIZED, status="True", since=NOW + timedelta(minutes=10))
    assert quiet_for(seen(claim={"conditions": {INITIALIZED: up}})[0], LATER) == timedelta(
        minutes=110
    )
    starting = Condition(type=INITIALIZED, status="False", since=LATER)
    assert quiet_for(seen(claim={"conditions": {INITIALIZED: starting}})[0], LATER) == timedelta(
        hours=2
    )
    assert quiet_for(seen()[0], NOW - timedelta(1)) == timedelta(0)


def test_a_node_tells_what_it_is_and_what_is_on_it():
    node, view = seen(on("web", cpu="1", memory="4Gi"), on("d", owners=owned_by("DaemonSet", "d")),
                      claim={"expire_after": timedelta(hours=9), "termination_grace": timedelta(1)})  # fmt: skip
    facts = node_facts(
        node, view, LATER, drift="NodePoolDrifted", blocked=frozenset({("default", "web")})
    )
    assert facts["requested"] == {"cpu": 0.25, "memory": 0.25}
    assert (facts["type"], facts["family"], facts["price"]) == ("m4.large", "m4", 0.2)
    assert (facts["drifted"], facts["driftReason"]) == (True, "NodePoolDrifted")
    assert (facts["lifetime"], facts["terminationGracePeriod"]) == (
        timedelta(hours=9),
        timedelta(1),
    )
    assert (facts["ready"], facts["initialized"], facts["doNotDisrupt"]) == (True, True, False)
    (pod,) = facts["pods"]
    assert (pod["name"], pod["pdbBlocked"], pod["evictionCost"]) == ("web", True, 1.0)


def test_facts_that_a_node_lacks_are_absent():
    node, view = seen(node={"allocatable": {}, "annotations": {"karpenter.sh/do-not-disrupt": "true"}},
                      claim={"allocatable": {}})  # fmt: skip
    facts = node_facts(node, view, LATER, drift="", blocked=frozenset())
    assert not {"driftReason", "lifetime", "terminationGracePeriod"} & facts.keys()
    assert facts["requested"] == {"cpu": 0.0, "memory": 0.0}
    assert facts["doNotDisrupt"] is True


def test_pods_tell_their_owner_and_how_long_they_run():
    facts = pod_facts(
        on("web", owners=owned_by("Job", "j"), started=NOW, priority=7), LATER, frozenset()
    )
    assert (facts["owner"], facts["runtime"], facts["priority"]) == (
        {"kind": "Job", "name": "j"},
        timedelta(hours=2),
        7,
    )
    assert pod_facts(on("bare"), LATER, frozenset())["owner"] == {"kind": "", "name": ""}


def test_pools_leave_out_what_is_never():
    pool = a_pool(
        "p", limits={"cpu": "9"}, expire_after=None, disruption=Disruption(consolidate_after=None)
    )
    facts = pool_facts(pool, 3)
    assert "expireAfter" not in facts
    assert facts["disruption"] == {"consolidationPolicy": "WhenEmptyOrUnderutilized"}
    assert (facts["limits"], facts["nodes"]) == ({"cpu": 9.0}, 3)
    usual = pool_facts(a_pool("p"), 0)
    assert usual["expireAfter"] == timedelta(hours=720)
    assert usual["disruption"]["consolidateAfter"] == timedelta(0)


def test_a_team_is_what_its_namespace_says():
    space = Namespace(meta=ObjectMeta(name="shop", labels={"team": "a"}, annotations={"x": "y"}))
    _, view = seen(namespaces={"shop": space})
    assert team_facts(view, "shop")["name"] == "a"
    assert team_facts(view, "other") == {
        "name": "",
        "labels": {},
        "annotations": {},
    }


def test_the_cluster_in_sums():
    _, view = seen(a_pod("new"))
    assert cluster_facts(view) == {
        "nodes": 1, "pendingPods": 1, "cpu": 4.0, "memory": 16.0 * 2**30, "pricePerHour": 0.2,
    }  # fmt: skip
    empty = view_cluster(a_snapshot(), NOW)
    assert cluster_facts(empty)["cpu"] == 0.0
