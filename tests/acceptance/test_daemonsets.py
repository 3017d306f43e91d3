"""What DaemonSets take from nodes: cases F91 to F105 (F101 needs host ports, see cases.toml)."""

import pytest

from policyscaler.model import labels as well
from policyscaler.model.nodes import PREFER_NO_SCHEDULE, Taint
from policyscaler.model.pods import NodeSelectorTerm, PreferredTerm, Toleration
from policyscaler.testing.builders import (
    a_claim,
    a_container,
    a_daemon_set,
    a_node,
    a_pod,
    a_pool,
    a_term,
    a_type,
    owned_by,
    replicas,
)
from policyscaler.testing.expectations import expect_scheduled, expect_unschedulable, price, types
from policyscaler.testing.karpenter_fixture import fixture_f
from tests.acceptance.deciding import decided

M2, M4 = a_type("m2", "2"), a_type("m4", "4")
# One CPU for the daemon and 1.5 for the pod: m4 with it, m2 without.
APP = a_pod("app", cpu="1500m")
COUNTED, LEFT_OUT = "m4", "m2"


def daemon(**fields):
    return a_daemon_set("agent", **{"cpu": "1", **fields})


def a_daemon_pod(name="agent-x", **fields):
    return a_pod(
        name, **{"owners": owned_by("DaemonSet", "agent"), "unschedulable": False, **fields}
    )


def chosen(*objects, pool=None):
    (kind,) = types(decided(pool or a_pool(), M2, M4, APP, *objects))
    return kind


@pytest.mark.case("F91")
def test_a_daemon_is_part_of_the_load():
    agent = a_daemon_set("agent", cpu="2", memory="1Gi")
    plan = decided(a_pool(), fixture_f(), agent, a_pod("app", cpu="1", memory="1Gi"))
    assert types(plan) == ["default-instance-type"]


@pytest.mark.case("F92")
def test_a_startup_taint_does_not_keep_a_daemon_out():
    assert chosen(daemon(), pool=a_pool(startup_taints=(Taint(key="boot"),))) == COUNTED


@pytest.mark.case("F93")
def test_a_daemon_larger_than_every_type_leaves_no_room():
    plan = decided(a_pool(), fixture_f(), daemon(cpu="10000"), a_pod("app"))
    assert plan.launches == ()
    expect_unschedulable(plan, "app", constraint="daemonset")


@pytest.mark.case("F94")
@pytest.mark.parametrize(
    ("written", "live", "kind"), [("100m", "1", COUNTED), ("1", "100m", LEFT_OUT)]
)
def test_live_daemon_pods_count_as_they_are(written, live, kind):
    assert chosen(daemon(cpu=written), a_daemon_pod(cpu=live, node="elsewhere")) == kind


@pytest.mark.case("F95")
def test_a_templates_limits_stand_in_for_its_requests():
    assert chosen(daemon(containers=(a_container(limits={"cpu": "1"}),))) == COUNTED


@pytest.mark.parametrize(
    ("fields", "pool"),
    [
        ({}, a_pool(taints=(Taint(key="reserved"),))),
        ({"node_selector": {well.ZONE: "nowhere"}}, a_pool()),
        ({"node_selector": {"custom": "x"}}, a_pool()),
        ({"must": (f"{well.ARCH} In arm64",)}, a_pool()),
    ],
    ids=["F96 taint", "F96 zone", "F96 undefined label", "F96 never matching"],
)
def test_a_daemon_that_cannot_run_there_is_left_out(fields, pool):
    app = a_pod("app", cpu="1500m", tolerations=(Toleration(key="reserved", operator="Exists"),))
    assert types(decided(pool, M2, M4, app, daemon(**fields))) == [LEFT_OUT]


@pytest.mark.parametrize(
    ("fields", "labels"),
    [
        ({"node_selector": {"custom": "x"}}, {"custom": "x"}),
        ({"must": ("custom NotIn x",)}, {}),
        ({"must": ("custom DoesNotExist",)}, {}),
    ],
    ids=["F97 label of the pool", "F97 NotIn on nothing", "F97 DoesNotExist on nothing"],
)
def test_a_daemon_that_the_pools_labels_let_in(fields, labels):
    assert chosen(daemon(**fields), pool=a_pool(labels=labels)) == COUNTED


@pytest.mark.case("F98")
def test_a_daemon_for_one_type_burdens_that_type_only():
    agent = daemon(node_selector={well.INSTANCE_TYPE: "m2"})
    plan = decided(a_pool(), M2, M4, a_type("m3", "3"), agent, a_pod("app", cpu="2500m"))
    assert types(plan) == ["m3"]
    assert plan.launches[0].requests["cpu"] == 2500
    assert types(decided(a_pool(), M2, agent, a_pod("app", cpu="900m"))) == ["m2"]


@pytest.mark.case("F99")
def test_the_host_name_that_live_daemon_pods_carry_is_ignored():
    live = a_daemon_pod(cpu="1", node="n1", must=(f"{well.HOSTNAME} In n1",))
    assert chosen(daemon(), live) == COUNTED


@pytest.mark.parametrize(
    ("fields", "pool"),
    [
        ({"required_terms": (a_term("arch In arm64"), a_term("arch In amd64"))}, a_pool()),
        ({"preferred_terms": (PreferredTerm(weight=1, term=a_term("zone In no")),)}, a_pool()),
        ({}, a_pool(taints=(Taint(key="soft", effect=PREFER_NO_SCHEDULE),))),
    ],
    ids=["F100 several terms", "F100 preference", "F100 soft taint"],
)
def test_a_daemon_that_may_run_there_counts(fields, pool):
    assert chosen(daemon(**fields), pool=pool) == COUNTED


@pytest.mark.case("F102")
def test_a_daemon_is_counted_once_for_a_node():
    plan = decided(a_pool(), fixture_f(), daemon(), replicas("app", 2, cpu="1"))
    (node,) = plan.launches
    assert node.requests == {"cpu": 3000, "pods": 3}


def held(*pods, **fields):
    """A four-CPU node with its claim and these pods."""
    node = a_node("n1", M4, **fields)
    return [node, a_claim(node), *pods]


@pytest.mark.case("F103")
@pytest.mark.parametrize(
    ("labels", "place"), [({}, "n1"), ({"custom": "x"}, "m4")], ids=["without", "with the label"]
)
def test_a_real_node_without_the_daemons_label_owes_it_nothing(labels, place):
    agent = daemon(node_selector={"custom": "x"})
    plan = decided(a_pool(), M4, held(labels=labels), agent, a_pod("app", cpu="3500m"))
    expect_scheduled(plan, "app", on=place)


@pytest.mark.case("F104")
def test_daemons_larger_than_expected_do_not_make_room():
    live = a_daemon_pod(cpu="2500m", node="n1", must=())
    stray = a_daemon_pod("stray", cpu="500m", node="n1", owners=owned_by("DaemonSet", "gone"))
    plan = decided(a_pool(), M4, held(live, stray), daemon(cpu="1"), a_pod("fits", cpu="1"))
    expect_scheduled(plan, "fits", on="n1")
    plan = decided(a_pool(), M4, held(live, stray), daemon(cpu="1"), a_pod("not", cpu="1100m"))
    expect_scheduled(plan, "not", on="m4")


@pytest.mark.case("F105")
@pytest.mark.parametrize("label", [well.REGISTERED, well.INITIALIZED])
def test_a_daemon_that_waits_for_the_node_counts_once(label):
    agent = daemon(node_selector={label: "true"})
    assert chosen(agent) == COUNTED
    young = a_node("n1", M4, pool="", labels={well.NODEPOOL: "default"})
    claim = a_claim(young, conditions={})
    inflight = a_claim(young, conditions={}, node="")
    for objects in ([young, claim], [inflight], held(), held(a_daemon_pod(cpu="1", node="n1"))):
        large = decided(a_pool(), M4, objects, agent, a_pod("app", cpu="3100m"))
        assert large.existing == ()
        expect_scheduled(
            decided(a_pool(), M4, objects, agent, a_pod("app", cpu="3")), "app", on="n1"
        )


def test_small_nodes_multiply_what_daemons_cost():
    small, large = a_type("s2", "1900m", price="0.085"), a_type("s16", "15800m", price="0.68")
    plan = decided(a_pool(), small, large, daemon(), replicas("w", 40, cpu="700m"))
    assert (types(plan), price(plan)) == (["s16", "s16"], "1.36")


def test_an_empty_term_of_a_daemon_matches_nothing_beside_others():
    terms = (NodeSelectorTerm(), a_term("zone In nowhere"))
    assert chosen(daemon(required_terms=terms)) == LEFT_OUT
