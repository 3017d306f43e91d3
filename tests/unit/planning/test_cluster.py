"""The cluster as planning sees it."""

import pytest

from policyscaler.model.labels import DO_NOT_DISRUPT, HOSTNAME, INSTANCE_TYPE
from policyscaler.model.nodes import DISRUPTION_REASON, Condition, Taint
from policyscaler.planning.cluster import view_cluster
from policyscaler.scheduling.taints import DISRUPTED
from policyscaler.testing.builders import (
    NOW,
    a_claim,
    a_daemon_set,
    a_node,
    a_pod,
    a_pool,
    a_snapshot,
    a_type,
    needs,
    owned_by,
    replicas,
)

M4, M8 = a_type("m4", price="0.20"), a_type("m8", "8", price="0.40")
POOL = a_pool("p")


def view(*objects, **fields):
    return view_cluster(a_snapshot(POOL, M4, M8, *objects, **fields), NOW)


def held(name="n1", kind=M4, *, claim=None, **fields):
    node = a_node(name, kind, pool="p", **fields)
    return [node, a_claim(node, **(claim or {}))]


def test_nodes_are_joined_with_claims_by_name_or_provider_id():
    by_name, by_id = a_node("a", M4, pool="p"), a_node("b", M4, pool="p")
    claims = [a_claim(by_name, name="c1"), a_claim(by_id, name="c2", node="")]
    seen = view(by_name, by_id, claims).nodes
    assert [(n.name, n.claim.meta.name) for n in seen] == [("a", "c1"), ("b", "c2")]


def test_nodes_without_claims_and_claims_without_nodes_are_nodes_too():
    alone = a_node("alone", pool="", allocatable={"cpu": "1"})
    coming = a_claim(a_node("to-come", M4, pool="p"), node="", conditions={})
    seen = view(alone, coming).nodes
    assert [(n.name, n.pool, n.initialized) for n in seen] == [
        ("alone", "", True),
        ("to-come", "p", False),
    ]


def test_a_claim_that_is_not_launched_counts_as_the_largest_it_may_become():
    claim = a_claim(
        a_node("c", pool="p"), node="", provider_id="", conditions={}, capacity={}, allocatable={},
        requests={"cpu": "3", "pods": "1"}, requirements=(needs("type In m4 m8 gone"), needs("zone In z1")),
    )  # fmt: skip
    seen = view(claim)
    assert seen.usage("p") == {"cpu": 8000, "memory": 16 * 2**30, "pods": 110, "nodes": 1}
    (room,) = seen.rooms()
    assert room.free == {"cpu": 3000, "pods": 1}
    assert room.labels["topology.kubernetes.io/zone"].allows("z1")
    assert room.labels["failure-domain.beta.kubernetes.io/zone"].allows("z1")


def test_what_is_free_is_less_pods_promises_and_daemons_to_come():
    bound = a_pod("bound", cpu="1", node="n1", unschedulable=False)
    promised = a_pod("promised", cpu="500m", nominated="n1")
    done = a_pod("done", cpu="1", node="n1", phase="Succeeded")
    seen = view(held(), bound, promised, done, a_daemon_set("d", cpu="200m"))
    (room,) = seen.rooms()
    assert room.free["cpu"] == 4000 - 1000 - 500 - 200
    assert room.free["pods"] == 110 - 3
    assert seen.pending == ()


@pytest.mark.parametrize(
    "fields", [{"unschedulable": True}, {"allocatable": {}}], ids=["cordoned", "not reported"]
)
def test_some_nodes_have_no_room(fields):
    node = a_node("n1", M4, pool="", **fields)
    assert view(node).rooms() == []


def test_nodes_may_be_left_out():
    assert [room.name for room in view(held("a"), held("b")).rooms(frozenset({"a"}))] == ["b"]


GOING = {"conditions": {DISRUPTION_REASON: Condition(type=DISRUPTION_REASON, status="True")}}


@pytest.mark.parametrize(
    ("node", "claim", "counts"),
    [
        ({"deleted": NOW}, {}, False),
        ({}, {"deleted": NOW}, False),
        ({"taints": (DISRUPTED,)}, {}, True),
        ({}, GOING, True),
    ],
    ids=["node deleted", "claim deleted", "tainted", "chosen"],
)
def test_pods_of_leaving_nodes_need_a_new_place(node, claim, counts):
    pods = replicas("web", 2, node="n1", unschedulable=False)
    daemon = a_pod("d", node="n1", owners=owned_by("DaemonSet", "d"))
    static = a_pod("s", node="n1", owners=owned_by("Node", "n1"))
    marked = a_pod("m", node="n1", annotations={DO_NOT_DISRUPT: "true"})
    seen = view(held(claim=claim, **node), pods, daemon, static, marked)
    assert [pod.meta.name for pod in seen.pending] == ["web-0", "web-1"]
    assert seen.rooms() == []
    assert bool(seen.usage("p")["nodes"]) is counts


@pytest.mark.parametrize(
    "fields",
    [
        {"unschedulable": False}, {"phase": "Failed"}, {"deleted": NOW}, {"scheduling_gates": ("g",)},
        {"owners": owned_by("DaemonSet", "d")}, {"owners": owned_by("Node", "n")},
    ],
    ids=["not tried yet", "failed", "being deleted", "gated", "daemon", "static"],
)  # fmt: skip
def test_pods_that_do_not_wait_for_a_node(fields):
    assert view(a_pod("web", **fields)).pending == ()


def test_a_nomination_is_void_without_its_node():
    assert [p.meta.name for p in view(a_pod("web", nominated="gone")).pending] == ["web"]


def test_a_starting_node_shows_what_its_claim_knows():
    node = a_node("n1", pool="", labels={"pool": "p"}, taints=(Taint(key="boot"),))
    claim = a_claim(
        node,
        conditions={},
        capacity={"cpu": "4"},
        allocatable={"cpu": "3"},
        startup_taints=(Taint(key="boot"),),
    )
    (seen,) = view(node, claim).nodes
    assert (seen.initialized, seen.capacity, seen.allocatable, seen.taints) == (
        False, {"cpu": 4000}, {"cpu": 3000}, (),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("node", "price"),
    [
        ({"pool": "p"}, 200_000),
        ({"pool": "gone"}, 0),
        ({"pool": "p", "labels": {INSTANCE_TYPE: "gone"}}, 0),
        ({"pool": "p", "labels": {"zone": "z9"}}, 0),
    ],
)
def test_prices_are_those_of_the_offering_that_a_node_is(node, price):
    seen = view(a_node("n1", M4, **node))
    assert seen.price_of(seen.nodes[0]) == price
    assert seen.nodes[0].labels[HOSTNAME] == "n1"


def test_the_age_of_a_node_is_that_of_its_claim():
    node = a_node("n1", M4, pool="p", created=None)
    assert view(node, a_claim(node, created=NOW)).nodes[0].created == NOW
    assert view(node).nodes[0].created is None


def test_a_terminating_pod_of_a_stateful_set_keeps_its_room():
    pods = [
        a_pod(kind, node="n1", deleted=NOW, owners=owned_by(kind, "x"))
        for kind in ("StatefulSet", "ReplicaSet")
    ]
    (node,) = view(held(), pods).nodes
    assert [pod.meta.name for pod in node.reschedulable] == ["StatefulSet"]
