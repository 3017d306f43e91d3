"""Instants at which decisions change although no object does are not slept through."""

from datetime import timedelta

import msgspec

from policyscaler.model import labels as well
from policyscaler.model.pools import Budget, Disruption
from policyscaler.simulation.deadlines import Deadlines
from tests.unit.simulation.standin import START, a_pool, a_workload, a_world, running, step


def rings(simulation, hours):
    """Returns at which offsets from now in minutes a deadline rang."""
    since, seen = simulation.now, []
    Deadlines(simulation.world, lambda: seen.append((simulation.now - since).seconds // 60))
    return seen, lambda: step(simulation, hours=hours)


def test_windows_of_budgets_open_and_close_on_time():
    simulation = a_world(pools=())
    seen, run = rings(simulation, hours=3)
    window = Budget(nodes="0", schedule="0 9,10 * * *", duration=timedelta(minutes=20))
    simulation.world.state.pools.put(a_pool(disruption=Disruption(budgets=(window,))))
    run()
    assert seen == [60, 80, 120, 140]


def test_a_window_that_was_taken_back_is_forgotten():
    simulation = a_world(pools=())
    seen, run = rings(simulation, hours=3)
    window = Budget(nodes="0", schedule="0 9,10 * * *", duration=timedelta(minutes=1))
    simulation.world.state.pools.put(a_pool(disruption=Disruption(budgets=(window,))))
    simulation.world.state.pools.put(a_pool())
    run()
    assert seen == []


def test_ages_end_and_protections_run_out():
    simulation = a_world(pools=(a_pool(expire_after=timedelta(minutes=90)),))
    seen, run = rings(simulation, hours=1)
    protected = a_workload(replicas=1, annotations={well.DO_NOT_DISRUPT: "30m"})
    simulation.world.state.workloads.put(protected)
    run()
    (pod,) = running(simulation)
    assert seen == [(pod.started + timedelta(minutes=30) - START).seconds // 60]
    step(simulation, hours=1)
    assert seen[1:] == [90]


def test_the_disruption_loop_looks_when_a_window_closes():
    window = Budget(nodes="1", schedule="0 8 * * *", duration=timedelta(minutes=65))
    pool = a_pool(
        disruption=Disruption(consolidate_after=timedelta(0), policy="WhenEmpty", budgets=(window,))
    )
    simulation = a_world(pools=(pool,))
    step(simulation, minutes=1)

    def allowed(snapshot, now, decide=simulation.engine.disruption.planner):
        plan = decide(snapshot, now)
        is_open = now - START < timedelta(minutes=65)
        return msgspec.structs.replace(plan, disruptions=()) if is_open else plan

    simulation.engine.use(allowed)
    workload = a_workload(replicas=1)
    simulation.world.state.workloads.put(workload)
    step(simulation, minutes=5)
    simulation.world.state.workloads.put(msgspec.structs.replace(workload, replicas=0))
    step(simulation, minutes=58)
    assert len(simulation.nodes) == 1
    step(simulation, minutes=4)
    assert not simulation.nodes
