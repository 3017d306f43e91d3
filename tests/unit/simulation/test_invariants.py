"""Each invariant must notice what it is there for: a watcher that sees nothing proves nothing."""

from datetime import timedelta

import msgspec
import pytest

from policyscaler.model import labels as well
from policyscaler.model.errors import InvariantViolation
from policyscaler.model.nodes import Taint
from policyscaler.model.pools import Budget, Disruption
from policyscaler.ports.observation import BIND, DISRUPT, EVICT, LAUNCH, SETTLED, Moment
from policyscaler.simulation.safety import Safety
from policyscaler.testing.invariants import Invariants
from tests.unit.simulation.standin import (
    a_budget,
    a_node,
    a_pool,
    a_workload,
    a_world,
    running,
    step,
)


@pytest.fixture
def simulation():
    simulation = a_world()
    simulation.world.state.workloads.put(a_workload(replicas=2))
    step(simulation, minutes=3)
    return simulation


def found(simulation, *moments):
    watcher = Invariants(simulation)
    for moment in moments:
        watcher.observe(moment)
    return " ".join(watcher.violations)


def test_a_healthy_world_breaks_nothing(simulation):
    (pod, _), (node,) = running(simulation), simulation.nodes
    assert not found(
        simulation, Moment(what=SETTLED), Moment(what=EVICT, pod=pod.meta.key),
        Moment(what=DISRUPT, nodes=(node,), reason="Empty"),
    )  # fmt: skip


@pytest.mark.parametrize("watch", [Invariants, Safety])
def test_a_pool_over_its_limit_is_noticed_once(simulation, watch):
    simulation.world.state.pools.put(a_pool(limits={"cpu": 1000}))
    watcher = watch(simulation)
    for _ in range(3):
        watcher.observe(Moment(what=SETTLED))
    (violation,) = watcher.violations
    assert "NodePool default" in violation
    assert "limit" in violation


def test_an_eviction_against_a_budget_is_noticed(simulation):
    simulation.world.state.disruption_budgets.put(a_budget(min_available="2"))
    text = found(simulation, Moment(what=EVICT, pod=running(simulation)[0].meta.key))
    assert "breaks PodDisruptionBudget default/web" in text


def test_the_eviction_of_a_protected_pod_is_noticed(simulation):
    pod = running(simulation)[0]
    for value, broken in (("true", True), ("1h", True), ("1s", False), ("rubbish", False)):
        meta = msgspec.structs.replace(pod.meta, annotations={well.DO_NOT_DISRUPT: value})
        simulation.world.state.pods.put(msgspec.structs.replace(pod, meta=meta))
        text = found(simulation, Moment(what=EVICT, pod=pod.meta.key))
        assert ("do-not-disrupt" in text) is broken


@pytest.mark.parametrize(
    ("budget", "broken"),
    [
        (Budget(nodes="0"), True),
        (Budget(nodes="1"), False),
        (Budget(nodes="0", reasons=("Drifted",)), False),
        (Budget(nodes="0", schedule="0 8 * * *", duration=timedelta(hours=1)), True),
        (Budget(nodes="0", schedule="0 9 * * *", duration=timedelta(hours=1)), False),
    ],
)
def test_more_disruptions_than_the_budget_allows_are_noticed(simulation, budget, broken):
    simulation.world.state.pools.put(a_pool(disruption=Disruption(budgets=(budget,))))
    moment = Moment(what=DISRUPT, nodes=tuple(simulation.nodes), reason="Empty")
    assert bool(found(simulation, moment)) is broken
    assert not found(simulation, msgspec.structs.replace(moment, forceful=True))


def test_a_second_launch_for_a_claim_is_noticed(simulation):
    (claim,) = simulation.claims
    assert "again" in found(simulation, Moment(what=LAUNCH, claim=claim))
    assert "does not exist" in found(simulation, Moment(what=LAUNCH, claim="nobody"))


def test_a_machine_without_a_claim_is_noticed_after_a_while(simulation):
    (claim,) = simulation.claims
    simulation.world.state.claims.remove(claim)
    watcher = Invariants(simulation)
    watcher.observe(Moment(what=SETTLED))
    assert watcher.violations == []
    step(simulation, minutes=17)
    watcher.observe(Moment(what=SETTLED))
    (violation,) = watcher.violations
    assert "instance sim:///" in violation


def test_a_binding_against_taints_or_room_is_noticed(simulation):
    pod = running(simulation)[0]
    state = simulation.world.state
    state.nodes.put(a_node("tainted", taints=(Taint(key="x"),)))
    state.nodes.put(a_node("tiny", cpu=10))
    for node, word in (("tainted", "tolerate"), ("tiny", "overfull"), ("nowhere", "no node")):
        assert word in found(simulation, Moment(what=BIND, pod=pod.meta.key, nodes=(node,)))


def test_findings_can_be_raised(simulation):
    watcher = Invariants(simulation)
    watcher.raise_if_broken()
    watcher.observe(Moment(what=LAUNCH, claim="nobody"))
    with pytest.raises(InvariantViolation, match="nobody"):
        watcher.raise_if_broken()
