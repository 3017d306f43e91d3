import msgspec
import pytest

from policyscaler.model.meta import LabelSelector, ObjectMeta
from policyscaler.model.workloads import DisruptionBudget
from policyscaler.simulation.pdb import Answer, disruptions_allowed, expected_pods
from tests.unit.simulation.standin import a_budget, a_node, a_workload, a_world, running, step


@pytest.mark.parametrize(
    ("fields", "healthy", "expected", "allowed"),
    [
        pytest.param({"min_available": "2"}, 3, 3, 1, id="one above the minimum"),
        pytest.param({"min_available": "50%"}, 5, 5, 2, id="half of five is three"),
        pytest.param({"min_available": "100%"}, 5, 5, 0, id="all must stay"),
        pytest.param({"max_unavailable": "1"}, 5, 5, 1, id="one may go"),
        pytest.param({"max_unavailable": "30%"}, 5, 5, 2, id="30 % of five is two"),
        pytest.param({"max_unavailable": "1"}, 4, 5, 0, id="one is gone already"),
        pytest.param({"max_unavailable": "0"}, 5, 5, 0, id="none may go"),
        pytest.param({"max_unavailable": "1"}, 0, 0, 0, id="nothing is expected"),
        pytest.param({"min_available": "5"}, 3, 3, 0, id="never below zero"),
    ],
)
def test_disruptions_allowed(fields, healthy, expected, allowed):
    assert disruptions_allowed(a_budget(**fields), healthy=healthy, expected=expected) == allowed


def a_service(budget, replicas=4):
    simulation = a_world(pools=())
    simulation.world.state.nodes.put(a_node(cpu=16_000))
    simulation.world.state.workloads.put(a_workload(replicas=replicas))
    simulation.world.state.disruption_budgets.put(budget)
    step(simulation, minutes=1)
    return simulation


def test_evictions_go_on_as_replacements_become_ready():
    simulation = a_service(a_budget(max_unavailable="1"))
    evict = simulation.actors.evictions.evict
    first, second, *_ = running(simulation)
    assert evict(first) is Answer.EVICTED
    assert evict(second) is Answer.BLOCKED
    step(simulation, seconds=30)
    assert evict(first) is Answer.GONE
    assert evict(second) is Answer.EVICTED


def test_a_percentage_counts_what_the_deployment_wants_while_it_rolls():
    simulation = a_service(a_budget(max_unavailable="50%"))
    workload = simulation.world.state.workloads.get(("Deployment", "default", "web"))
    simulation.world.state.workloads.put(msgspec.structs.replace(workload, replicas=10))
    assert expected_pods(simulation.world.state, a_budget(max_unavailable="50%")) == 10


def test_two_budgets_for_one_pod_block_it():
    simulation = a_service(a_budget(max_unavailable="1"))
    second = DisruptionBudget(
        meta=ObjectMeta(name="second", namespace="default"), selector=LabelSelector()
    )
    simulation.world.state.disruption_budgets.put(second)
    assert simulation.actors.evictions.evict(running(simulation)[0]) is Answer.SEVERAL_BUDGETS


def test_a_budget_of_another_namespace_says_nothing():
    budget = a_budget(max_unavailable="0")
    elsewhere = msgspec.structs.replace(
        budget, meta=msgspec.structs.replace(budget.meta, namespace="other")
    )
    simulation = a_service(elsewhere)
    assert simulation.actors.evictions.evict(running(simulation)[0]) is Answer.EVICTED


@pytest.mark.parametrize(("always", "answer"), [(True, Answer.EVICTED), (False, Answer.BLOCKED)])
def test_an_unready_pod_goes_only_if_the_budget_says_so_or_is_met(always, answer):
    simulation = a_service(a_budget(min_available="4", always_evict_unhealthy=always))
    pod = running(simulation)[0]
    simulation.world.state.pods.put(msgspec.structs.replace(pod, ready=False))
    assert simulation.actors.evictions.evict(pod) is answer


def test_a_pending_pod_is_evicted_whatever_budgets_say():
    simulation = a_service(a_budget(max_unavailable="0"), replicas=20)
    pending = next(pod for pod in simulation.pods.values() if not pod.node)
    assert simulation.actors.evictions.evict(pending) is Answer.EVICTED
