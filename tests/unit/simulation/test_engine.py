from datetime import timedelta

import msgspec
import pytest

from policyscaler.model import labels as well
from policyscaler.model.nodes import CONSOLIDATABLE, LAUNCHED, REGISTERED, Taint
from policyscaler.model.pools import Budget, Disruption
from policyscaler.simulation.market import Selection
from policyscaler.testing.invariants import Invariants
from tests.unit.simulation.standin import (
    START,
    StandIn,
    a_budget,
    a_pool,
    a_workload,
    a_world,
    running,
    step,
)

EMPTY_AFTER_30S = Disruption(consolidate_after=timedelta(seconds=30), policy="WhenEmpty")


def a_fleet(replicas=6, *, pool=None, planner=None, workload=None, minutes=3, **fields):
    """Returns a settled world with one workload on launched nodes, and its invariants."""
    pools = (pool or a_pool(disruption=EMPTY_AFTER_30S),)
    simulation = a_world(pools=pools, planner=planner, **fields)
    watcher = Invariants(simulation)
    simulation.world.observers.append(watcher)
    simulation.world.state.workloads.put(workload or a_workload(replicas=replicas))
    step(simulation, minutes=minutes)
    return simulation, watcher


def kinds(simulation):
    return [entry.kind for entry in simulation.world.timeline.entries]


def scale(simulation, replicas, name="web"):
    workload = simulation.world.state.workloads.get(("Deployment", "default", name))
    simulation.world.state.workloads.put(msgspec.structs.replace(workload, replicas=replicas))


def test_pending_pods_are_planned_for_together_and_run():
    simulation, watcher = a_fleet(15)
    assert len(running(simulation)) == 15
    assert kinds(simulation).count("launch") == 1
    assert simulation.engine.provisioning.planner.calls < 12
    assert watcher.violations == []


def test_pods_that_keep_coming_close_the_batch_after_ten_seconds():
    simulation = a_world()
    for i in range(24):
        simulation.world.state.workloads.put(a_workload(f"w{i}"))
        step(simulation, milliseconds=500)
    launches = [e for e in simulation.world.timeline.entries if e.kind == "launch"]
    assert launches[0].offset_seconds == 10


def test_a_launch_says_why_and_what_the_next_would_cost():
    simulation, _ = a_fleet(1)
    (entry,) = [e for e in simulation.world.timeline.entries if e.kind == "launch"]
    assert entry.message == (
        "metal.02 in zone-a, spot, for 1 pods at $0.0400/h: first of 4 offerings of 1 types in "
        "2 zones"
    )
    assert entry.data["pricePerHour"] == "0.04"


def test_an_empty_node_goes_after_its_quiet_time_and_two_decisions():
    simulation, watcher = a_fleet(3)
    (claim,) = simulation.claims.values()
    scale(simulation, 0)
    step(simulation, seconds=35)
    assert simulation.claims[claim.meta.name].has(CONSOLIDATABLE)
    assert "disruption" not in kinds(simulation)
    step(simulation, seconds=25)
    assert "disruption" in kinds(simulation)
    step(simulation, minutes=2)
    assert not simulation.nodes
    assert not simulation.claims
    assert not simulation.instances
    assert watcher.violations == []
    assert watcher.seen["disrupt"] == 1


def test_a_command_that_no_longer_holds_is_dropped():
    simulation, _ = a_fleet(3)
    scale(simulation, 0)
    step(simulation, seconds=44)
    scale(simulation, 3)
    step(simulation, minutes=5)
    assert "disruption" not in kinds(simulation)
    assert "validation" in kinds(simulation)
    assert len(running(simulation)) == 3


def test_capacity_errors_are_remembered_for_three_minutes():
    simulation = a_world()
    market = simulation.actors.provider.market
    spot = Selection(capacity_type="spot")
    market.run_out(spot, START + timedelta(hours=1))
    simulation.world.state.workloads.put(a_workload(replicas=1))
    step(simulation, minutes=2)
    (claim,) = simulation.claims.values()
    assert claim.meta.labels[well.CAPACITY_TYPE] == "on-demand"
    catalogue = simulation.engine.snapshots.take().catalogues[claim.node_class]
    away = {o.capacity_type for t in catalogue.types for o in t.offerings if not o.available}
    assert away == {"spot"}
    step(simulation, minutes=3)
    catalogue = simulation.engine.snapshots.take().catalogues[claim.node_class]
    assert all(o.available for t in catalogue.types for o in t.offerings)


def test_a_claim_without_any_capacity_goes_and_its_pods_are_planned_for_again():
    simulation = a_world()
    simulation.actors.provider.market.run_out(Selection(), START + timedelta(minutes=4))
    simulation.world.state.workloads.put(a_workload(replicas=1))
    step(simulation, minutes=3)
    assert not simulation.claims
    step(simulation, minutes=10)
    assert len(running(simulation)) == 1


def test_a_launch_that_fails_is_tried_again():
    simulation = a_world()
    simulation.actors.provider.fail_launches(3, silently=False)
    simulation.world.state.workloads.put(a_workload(replicas=1))
    step(simulation, seconds=4)
    (claim,) = simulation.claims.values()
    assert claim.conditions[LAUNCHED].status == "Unknown"
    step(simulation, minutes=2)
    assert len(running(simulation)) == 1
    assert list(simulation.claims) == [claim.meta.name]


def test_a_claim_that_is_not_launched_in_five_minutes_is_given_up():
    simulation = a_world()
    simulation.actors.provider.fail_launches(1000, silently=False)
    simulation.world.state.workloads.put(a_workload(replicas=1))
    step(simulation, minutes=2)
    first = set(simulation.claims)
    step(simulation, minutes=4)
    assert not first & set(simulation.claims)


def test_a_machine_that_never_registers_is_given_up_after_fifteen_minutes():
    simulation, watcher = a_world(), None
    watcher = Invariants(simulation)
    simulation.world.observers.append(watcher)
    simulation.actors.provider.fail_launches(1, silently=True)
    simulation.world.state.workloads.put(a_workload(replicas=1))
    step(simulation, minutes=14)
    (silent,) = simulation.claims.values()
    assert silent.has(LAUNCHED)
    assert not silent.has(REGISTERED)
    step(simulation, minutes=4)
    assert silent.meta.name not in simulation.claims
    assert len(running(simulation)) == 1
    assert watcher.violations == []


def test_startup_taints_delay_pods_until_their_agent_has_removed_them():
    pool = a_pool(startup_taints=(Taint(key="agent"),))
    simulation, _ = a_fleet(1, pool=pool, minutes=0)
    step(simulation, seconds=50)
    assert not running(simulation)
    step(simulation, seconds=30)
    assert len(running(simulation)) == 1


def test_pods_are_nominated_to_the_node_planned_for_them():
    simulation, _ = a_fleet(2, minutes=0)
    step(simulation, seconds=36)
    (node,) = simulation.nodes
    assert {pod.nominated for pod in simulation.pods.values()} == {node}


def test_an_interrupted_node_is_replaced_before_it_is_taken():
    simulation, watcher = a_fleet(4)
    (claim,) = simulation.claims.values()
    simulation.actors.provider.interrupt(claim.provider_id)
    step(simulation, seconds=110)
    assert len(running(simulation)) == 4
    step(simulation, minutes=2)
    (other,) = simulation.claims.values()
    assert other.meta.name != claim.meta.name
    where = [c.meta.labels[key] for c in (claim, other) for key in (well.ZONE,)]
    assert where == ["zone-a", "zone-b"]  # the offering that was taken is not asked for again
    assert simulation.engine.interruption.count == 1
    assert watcher.violations == []


def test_an_expired_node_goes_and_its_pods_move():
    pool = a_pool(expire_after=timedelta(minutes=10))
    simulation, watcher = a_fleet(4, pool=pool)
    (first,) = simulation.claims
    step(simulation, minutes=12)
    assert first not in simulation.claims
    assert len(running(simulation)) == 4
    assert simulation.engine.commands.counts == {"Expired": 1}
    assert watcher.violations == []


def test_a_replacement_is_initialized_before_the_old_node_is_tainted():
    pool = a_pool(disruption=Disruption(consolidate_after=timedelta(seconds=30)))
    simulation, watcher = a_fleet(12, pool=pool, planner=StandIn(consolidates=True))
    (old,) = simulation.claims.values()
    scale(simulation, 3)
    for _ in range(300):
        step(simulation, seconds=1)
        node = simulation.nodes.get(old.node)
        tainted = node is None or any(t.key == well.DISRUPTED_TAINT for t in node.taints)
        if tainted:
            break
        assert len(running(simulation)) == 3
    others = [c for name, c in simulation.claims.items() if name != old.meta.name]
    assert [c.has("Initialized") for c in others] == [True]
    step(simulation, minutes=3)
    assert len(running(simulation)) == 3
    assert list(simulation.claims) == [c.meta.name for c in others]
    assert watcher.violations == []


def test_a_replacement_that_never_comes_leaves_everything_as_it_was():
    pool = a_pool(disruption=Disruption(consolidate_after=timedelta(seconds=30)))
    simulation, watcher = a_fleet(12, pool=pool, planner=StandIn(consolidates=True))
    (old,) = simulation.claims.values()
    scale(simulation, 3)
    step(simulation, seconds=30)
    simulation.actors.provider.market.run_out(Selection(), START + timedelta(hours=1))
    step(simulation, minutes=2)
    assert "rollback" in kinds(simulation)
    assert not any(t.key == well.DISRUPTED_TAINT for t in simulation.nodes[old.node].taints)
    assert len(running(simulation)) == 3
    assert watcher.violations == []


def test_a_protected_pod_keeps_its_expired_node_until_it_ends():
    workload = a_workload(replicas=1, annotations={well.DO_NOT_DISRUPT: "true"})
    pool = a_pool(expire_after=timedelta(minutes=10))
    simulation, watcher = a_fleet(pool=pool, workload=workload)
    (first,) = simulation.claims.values()
    step(simulation, hours=3)
    assert first.node in simulation.nodes
    assert len(running(simulation)) == 1
    assert watcher.violations == []


def test_a_grace_period_ends_every_drain():
    workload = a_workload(replicas=1, annotations={well.DO_NOT_DISRUPT: "true"})
    pool = a_pool(expire_after=timedelta(minutes=10), termination_grace=timedelta(minutes=5))
    simulation, watcher = a_fleet(pool=pool, workload=workload)
    (first,) = simulation.claims.values()
    step(simulation, minutes=11)
    assert first.node in simulation.nodes
    step(simulation, minutes=6)
    assert first.node not in simulation.nodes
    assert len(running(simulation)) == 1
    assert watcher.violations == []


def test_a_drain_waits_for_budgets_of_pods():
    pool = a_pool(expire_after=timedelta(minutes=10))
    simulation = a_fleet(4, pool=pool)[0]
    simulation.world.state.disruption_budgets.put(a_budget(max_unavailable="1"))
    watcher = Invariants(simulation)
    simulation.world.observers.append(watcher)
    least = 4
    for _ in range(12 * 60):
        step(simulation, seconds=1)
        least = min(least, len(running(simulation)))
    assert least == 3
    assert watcher.seen["evict"] == 4
    assert watcher.violations == []


@pytest.mark.parametrize(("nodes", "at_once"), [("1", 1), ("50%", 3), ("0", 0)])
def test_budgets_bound_how_many_nodes_go_at_once(nodes, at_once):
    budgets = (Budget(nodes=nodes),)
    pool = a_pool(
        disruption=Disruption(consolidate_after=timedelta(0), policy="WhenEmpty", budgets=budgets)
    )
    simulation, watcher = a_fleet(0, pool=pool, minutes=0)
    for i in range(6):
        simulation.world.state.workloads.put(a_workload(f"w{i}", cpu=1200, memory=5 * 2**30))
        step(simulation, minutes=2)
    assert len(simulation.nodes) == 6
    for i in range(6):
        scale(simulation, 0, f"w{i}")
    most = 0
    for _ in range(300):
        step(simulation, seconds=1)
        going = [n for n in simulation.nodes.values() if n.meta.deleted is not None]
        most = max(most, len(going))
    assert most == at_once
    assert watcher.violations == []
