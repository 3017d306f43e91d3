from datetime import timedelta

import msgspec

from policyscaler.model.nodes import INITIALIZED
from policyscaler.model.snapshot import Attempts
from policyscaler.simulation.attempts import LaunchAttempts
from policyscaler.simulation.claims import with_condition
from tests.unit.simulation.standin import START, a_pool, a_workload, a_world, step


def a_running_world():
    simulation = a_world(pools=(a_pool(),))
    attempts = LaunchAttempts(simulation.world)
    simulation.world.state.workloads.put(a_workload(replicas=1))
    step(simulation, seconds=1)
    return simulation, attempts, next(iter(simulation.pods))


def come_up(simulation, name):
    state = simulation.world.state
    claim = next(iter(simulation.claims.values()))
    meta = msgspec.structs.replace(claim.meta, name=name)
    fresh = msgspec.structs.replace(claim, meta=meta, node="", provider_id="", conditions={})
    state.claims.put(with_condition(fresh, INITIALIZED, status="True", now=simulation.now))


def test_a_second_launch_after_a_node_came_up_is_counted():
    simulation, attempts, key = a_running_world()
    attempts.launched([key], "first")
    attempts.launched([key], "second")
    assert attempts.fruitless == {}
    step(simulation, seconds=2)
    come_up(simulation, "second")
    attempts.launched([key], "third")
    assert attempts.fruitless == {key: Attempts(count=2, latest=START + timedelta(seconds=3))}


def test_a_pod_that_is_bound_is_forgotten():
    simulation, attempts, key = a_running_world()
    attempts.launched([key], "first")
    step(simulation, seconds=2)
    come_up(simulation, "first")
    attempts.launched([key], "second")
    assert key in attempts.fruitless
    step(simulation, minutes=3)
    assert simulation.pods[key].node
    assert attempts.fruitless == {}
