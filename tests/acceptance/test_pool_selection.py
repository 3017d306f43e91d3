"""Which pods are planned for, when, and on which pool: cases C45 to C63."""

from datetime import timedelta

import msgspec
import pytest

from policyscaler.model import labels as well
from policyscaler.model.nodes import PREFER_NO_SCHEDULE, NodeClassRef, Taint
from policyscaler.planning.hashes import pool_hash
from policyscaler.testing.builders import (
    NOW,
    a_claim,
    a_node,
    a_pod,
    a_pool,
    a_snapshot,
    a_type,
    replicas,
)
from policyscaler.testing.expectations import (
    expect_scheduled,
    expect_unschedulable,
    machines,
    node_of,
)
from policyscaler.testing.karpenter_fixture import fixture_f
from tests.acceptance.deciding import decide_on, decided
from tests.unit.simulation.standin import a_workload, a_world, step

SOFT = Taint(key="soft", effect=PREFER_NO_SCHEDULE)
HARD = Taint(key="hard")


def launch_offsets(simulation):
    return [e.offset_seconds for e in simulation.world.timeline.entries if e.kind == "launch"]


@pytest.mark.case("C45")
def test_a_lone_pod_waits_for_the_idle_second_only():
    simulation = a_world()
    simulation.world.state.workloads.put(a_workload())
    step(simulation, seconds=12)
    assert launch_offsets(simulation) == [1]


@pytest.mark.case("C46")
def test_a_known_pod_does_not_hold_the_window_open_and_new_ones_do():
    simulation = a_world()
    pods = simulation.world.state.pods
    simulation.world.state.workloads.put(a_workload())
    step(simulation, milliseconds=500)
    for pod in list(pods.items.values()):
        pods.put(msgspec.structs.replace(pod, meta=msgspec.structs.replace(pod.meta, generation=2)))
    step(simulation, seconds=5)
    assert launch_offsets(simulation) == [1]


@pytest.mark.case("C46")
def test_new_pods_restart_the_idle_second_up_to_ten_in_all():
    simulation = a_world()
    for number in range(24):
        simulation.world.state.workloads.put(a_workload(f"w{number}"))
        step(simulation, milliseconds=500)
    assert launch_offsets(simulation)[0] == 10


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"deleted": NOW}, "is being deleted"),
        ({"ready": False}, "is not ready"),
        ({"replicas": 3}, "is static"),
        ({"node_class": NodeClassRef(group="g", kind="K", name="gone")}, "is not there"),
    ],
    ids=["C47 deleting", "C48 not ready", "C58 static", "C59 no catalogue"],
)
def test_a_pool_that_cannot_launch_is_named_and_left_out(fields, reason):
    broken = a_pool("broken", **fields)
    plan = decided(broken, a_type("m4"), a_pod("web"))
    expect_unschedulable(plan, "web", constraint="not-ready", mentions=["broken", reason])
    beside = decided(broken, a_pool("works"), a_type("m4"), a_pod("web"))
    expect_scheduled(beside, "web", on="works")


@pytest.mark.case("C59")
def test_a_class_without_types_is_skipped_too():
    other = NodeClassRef(group="machines.example", kind="MachineClass", name="other")
    empty = a_pool("empty", weight=50, node_class=other)
    snapshot = a_snapshot(empty, a_pool("works"), a_type("m4"), a_pod("web"))
    catalogues = {**snapshot.catalogues, other: msgspec.structs.replace(
        next(iter(snapshot.catalogues.values())), types=(), digest="empty"
    )}  # fmt: skip
    plan = decide_on(msgspec.structs.replace(snapshot, catalogues=catalogues))
    expect_scheduled(plan, "web", on="works")


@pytest.mark.case("C49")
def test_a_pod_names_its_pool():
    plan = decided(
        a_pool("one"), a_pool("two"), a_type("m4"),
        a_pod("mine", node_selector={well.NODEPOOL: "one"}),
        a_pod("nobodys", node_selector={well.NODEPOOL: "unknown"}),
    )  # fmt: skip
    expect_scheduled(plan, "mine", on="one")
    expect_unschedulable(plan, "nobodys", constraint="requirements", mentions=["one", "two"])


SELECTED = [
    (well.ZONE, "test-zone-2", True),
    (well.ZONE, "unknown", False),
    (well.INSTANCE_TYPE, "default-instance-type", True),
    (well.INSTANCE_TYPE, "unknown", False),
    (well.ARCH, "arm64", True),
    (well.ARCH, "unknown", False),
    (well.OS, "windows", True),
    (well.OS, "unknown", False),
    (well.CAPACITY_TYPE, "spot", True),
    (well.CAPACITY_TYPE, "unknown", False),
    ("undefined.example/label", "x", False),
]


@pytest.mark.parametrize(("key", "value", "fine"), SELECTED)
@pytest.mark.parametrize("through", ["C50 selector", "C51 affinity"])
def test_labels_of_machines_are_selected(through, key, value, fine):
    wanted = (
        {"node_selector": {key: value}} if "C50" in through else {"must": (f"{key} In {value}",)}
    )
    plan = decided(a_pool(), fixture_f(), a_pod("web", **wanted))
    if not fine:
        expect_unschedulable(plan, "web", constraint="requirements", mentions=[key])
        return
    entry = next(entry for entry in node_of(plan, "web").requirements if entry.key == key)
    assert entry.operator == "In"
    assert entry.values == (value,)


@pytest.mark.case("C52")
@pytest.mark.parametrize("pool", [a_pool(), a_pool(labels={well.HOSTNAME: "n1"})])
def test_a_host_name_never_causes_a_node(pool):
    plan = decided(pool, a_type("m4"), a_pod("web", node_selector={well.HOSTNAME: "n1"}))
    expect_unschedulable(plan, "web", constraint="requirements", mentions=[well.HOSTNAME])


@pytest.mark.case("C53")
def test_restricted_labels_are_refused_before_anything_else():
    pod = a_pod("web", node_selector={"karpenter.sh/unknown": "x"})
    plan = decided(a_pool("p", labels={"karpenter.sh/unknown": "x"}), a_type("m4"), pod)
    expect_unschedulable(plan, "web", constraint="requirements", mentions=["restricted"])


@pytest.mark.case("C53")
@pytest.mark.parametrize("key", ["app.kubernetes.io/tier", "node-restriction.kubernetes.io/x"])
def test_other_kubernetes_labels_are_for_the_pool_to_decide(key):
    pod = a_pod("web", node_selector={key: "a"})
    expect_scheduled(decided(a_pool("p", labels={key: "a"}), a_type("m4"), pod), "web", on="p")
    expect_unschedulable(decided(a_pool("p"), a_type("m4"), pod), "web", mentions=[key])


@pytest.mark.case("C54")
def test_the_pool_that_has_the_label():
    plan = decided(
        a_pool("zz"), a_pool("aa", labels={"tier": "gold"}), a_type("m4"),
        a_pod("web", node_selector={"tier": "gold"}),
    )  # fmt: skip
    expect_scheduled(plan, "web", on="aa")


@pytest.mark.case("C55")
def test_a_soft_taint_is_avoided_while_it_can_be():
    soft, plain = a_pool("soft", taints=(SOFT,), weight=90), a_pool("plain")
    types = (a_type("m2", "2"), a_type("m4"))
    expect_scheduled(decided(soft, plain, types, a_pod("web")), "web", on="plain")
    small = a_pool("plain", "type In m2")
    large = decided(soft, small, types, a_pod("web", cpu="3"))
    expect_scheduled(large, "web", on="soft")
    hard = a_pool("plain", taints=(HARD,))
    expect_scheduled(decided(soft, hard, types, a_pod("web")), "web", on="soft")


@pytest.mark.case("C56")
def test_the_heaviest_pool_takes_all_that_do_not_ask_for_another():
    pools = (a_pool("a", weight=20), a_pool("b", weight=100), a_pool("c"))
    plan = decided(
        pools, a_type("m4"), replicas("web", 30, cpu="1"),
        a_pod("picky", node_selector={well.NODEPOOL: "a"}),
    )  # fmt: skip
    expect_scheduled(plan, *(f"web-{number}" for number in range(30)), on="b")
    expect_scheduled(plan, "picky", on="a")


@pytest.mark.case("C57")
def test_equal_weights_go_by_name_from_the_end():
    pools = (a_pool("alpha"), a_pool("gamma"), a_pool("beta"))
    assert machines(decided(pools, a_type("m4"), a_pod())) == ["gamma m4 on-demand"]


@pytest.mark.case("C57")
def test_but_price_comes_first():
    pools = (a_pool("alpha", "type In m4"), a_pool("gamma", "type In g8"))
    plan = decided(pools, a_type("m4"), a_type("g8", price="1.20"), a_pod())
    assert machines(plan) == ["alpha m4 on-demand"]


@pytest.mark.case("C60")
def test_a_launch_carries_the_hash_of_the_pool_it_was_decided_on():
    before = a_pool("p", labels={"version": "1"})
    after = a_pool("p", labels={"version": "2"})
    plan = decided(before, a_type("m4"), a_pod())
    assert plan.launches[0].annotations[well.POOL_HASH] == pool_hash(before)
    assert pool_hash(before) != pool_hash(after)


@pytest.mark.case("C61")
def test_the_pods_of_a_leaving_node_and_pending_ones_share_one_new_node():
    kind = a_type("m4")
    leaving = a_node("old", kind, deleted=NOW)
    bound = replicas("bound", 3, node="old", unschedulable=False, phase="Running")
    plan = decided(a_pool(), kind, leaving, a_claim(leaving), bound, replicas("new", 2))
    (node,) = plan.launches
    assert len(node.pods) == 5
    assert plan.existing == ()


def inflight(kind, **fields):
    """A claim that is launched and whose node has not appeared."""
    return a_claim(a_node("p-1", kind), node="", conditions={}, **fields)


@pytest.mark.case("C62")
def test_a_second_look_before_the_pods_are_bound_launches_nothing():
    kind = a_type("m4")
    planned = replicas("web", 2, cpu="1", nominated="p-1")
    plan = decided(a_pool(), kind, inflight(kind), planned, a_pod("late", cpu="1"))
    assert plan.launches == ()
    expect_scheduled(plan, "late", on="p-1")
    full = decided(a_pool(), kind, inflight(kind), planned, a_pod("large", cpu="3"))
    expect_scheduled(full, "large", on="m4")


@pytest.mark.case("C63")
@pytest.mark.parametrize(
    ("own", "default", "expected"), [(None, 98, 98), (223, 47, 223), (None, None, None)]
)
def test_the_grace_period_of_a_claim_is_its_pools_or_the_default(own, default, expected):
    hours = {None: None, **{n: timedelta(hours=n) for n in (47, 98, 223)}}
    pool = a_pool(termination_grace=hours[own])
    plan = decided(pool, a_type("m4"), a_pod(), default_termination_grace=hours[default])
    assert plan.launches[0].termination_grace == hours[expected]
