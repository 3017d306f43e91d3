import pytest

from policyscaler.model import labels as well
from policyscaler.model.meta import LabelSelector, ObjectMeta
from policyscaler.model.nodes import Taint
from policyscaler.model.pods import (
    Container,
    HostPort,
    NodeSelectorTerm,
    Pod,
    PodAffinityTerm,
    PodSpec,
    PreferredTerm,
    Toleration,
    TopologySpread,
)
from policyscaler.model.requirements import NodeSelectorRequirement
from tests.unit.simulation.standin import GIB, START, a_node, a_spec, a_world, step


def a_pod(name="a", nominated="", **spec):
    meta = ObjectMeta(name=name, namespace="default", uid=name, created=START)
    return Pod(meta=meta, spec=a_spec(**spec), nominated=nominated)


def term(key, operator, *values):
    wanted = NodeSelectorRequirement(key=key, operator=operator, values=values)
    return NodeSelectorTerm(expressions=(wanted,))


def place(*pods, nodes):
    """Returns where each pod is bound, empty for nowhere."""
    simulation = a_world(pools=())
    for node in nodes:
        simulation.world.state.nodes.put(node)
    for pod in pods:
        simulation.world.state.pods.put(pod)
    step(simulation, seconds=1)
    return [simulation.pods[pod.meta.key].node for pod in pods]


SPOTTY = Taint(key="spot", value="yes")
WITH_LABEL = a_node("labelled", labels={"disk": "ssd", "size": "8"})


@pytest.mark.parametrize(
    ("spec", "node", "fits"),
    [
        pytest.param({}, a_node(), True, id="a plain pod fits a plain node"),
        pytest.param({"cpu": 4001}, a_node(), False, id="too much cpu"),
        pytest.param({}, a_node(taints=(SPOTTY,)), False, id="a taint keeps it away"),
        pytest.param(
            {"tolerations": (Toleration(key="spot", operator="Exists"),)},
            a_node(taints=(SPOTTY,)), True, id="a toleration lets it in",
        ),
        pytest.param({}, a_node(unschedulable=True), False, id="a cordoned node takes nothing"),
        pytest.param({"node_selector": {"disk": "ssd"}}, a_node(), False, id="label is missing"),
        pytest.param({"node_selector": {"disk": "ssd"}}, WITH_LABEL, True, id="label is there"),
        pytest.param(
            {"required_terms": (term("disk", "In", "hdd"), term("size", "Gt", "4"))},
            WITH_LABEL, True, id="terms are alternatives",
        ),
        pytest.param(
            {"required_terms": (term("size", "Lt", "8"),)}, WITH_LABEL, False, id="Lt is strict"
        ),
        pytest.param(
            {"required_terms": (term("disk", "DoesNotExist"),)}, WITH_LABEL, False,
            id="DoesNotExist",
        ),
        pytest.param(
            {"spread": (TopologySpread(topology_key=well.ZONE),)}, a_node(), False,
            id="a hard spread is not guessed at",
        ),
        pytest.param(
            {"spread": (TopologySpread(topology_key=well.ZONE, hard=False),)}, a_node(), True,
            id="a soft spread is left aside",
        ),
        pytest.param(
            {"pod_affinity": (PodAffinityTerm(topology_key=well.ZONE, selector=LabelSelector()),)},
            a_node(), False, id="required pod affinity is not guessed at",
        ),
    ],
)  # fmt: skip
def test_filters(spec, node, fits):
    assert place(a_pod(**spec), nodes=[node]) == [node.meta.name if fits else ""]


def test_a_pod_that_fits_nowhere_is_marked_and_tried_again_when_a_node_comes():
    simulation = a_world(pools=())
    state = simulation.world.state
    state.pods.put(a_pod())
    step(simulation, seconds=1)
    assert state.pods.get(("default", "a")).unschedulable
    state.nodes.put(a_node())
    step(simulation, seconds=1)
    assert state.pods.get(("default", "a")).node == "fixed"
    assert not state.pods.get(("default", "a")).unschedulable


def test_the_least_used_node_is_taken():
    holder = a_pod("holder", cpu=3000, memory=12 * GIB)
    where = place(holder, a_pod("b"), nodes=[a_node("one"), a_node("two")])
    assert set(where) == {"one", "two"}


def test_a_wish_for_a_node_counts():
    wish = PreferredTerm(weight=100, term=term("disk", "In", "ssd"))
    pods = [a_pod(f"p{i}", preferred_terms=(wish,)) for i in range(3)]
    assert place(*pods, nodes=[a_node("other"), WITH_LABEL]) == ["labelled"] * 3


def test_a_soft_taint_repels_while_there_is_another_node():
    soft = Taint(key="x", effect="PreferNoSchedule")
    nodes = [a_node("soft", taints=(soft,)), a_node("plain")]
    assert place(a_pod(), nodes=nodes) == ["plain"]
    assert place(a_pod(), nodes=nodes[:1]) == ["soft"]


def test_higher_priority_goes_first():
    pods = [a_pod("a", cpu=4000), a_pod("b", cpu=4000, priority=10)]
    assert place(*pods, nodes=[a_node()]) == ["", "fixed"]


def test_a_nomination_is_honoured_and_its_room_is_kept_from_others():
    nominated = a_pod("z", cpu=4000, nominated="two")
    rival = a_pod("a", cpu=4000)
    nodes = [a_node("one", cpu=1000), a_node("two")]
    assert place(rival, nominated, nodes=nodes) == ["", "two"]


def test_a_pod_of_higher_priority_may_take_nominated_room():
    nominated = a_pod("z", cpu=4000, nominated="two")
    rival = a_pod("a", cpu=4000, priority=5)
    assert place(rival, nominated, nodes=[a_node("two")]) == ["two", ""]


def test_host_ports_are_not_shared():
    port = HostPort(port=80)
    spec = PodSpec(containers=(Container(name="c", host_ports=(port,)),))
    pods = [Pod(meta=ObjectMeta(name=n, namespace="default", uid=n), spec=spec) for n in "ab"]
    assert sorted(place(*pods, nodes=[a_node()])) == ["", "fixed"]


def test_gated_and_foreign_pods_are_left_alone():
    simulation = a_world(pools=())
    simulation.world.state.nodes.put(a_node())
    for pod in (a_pod("a", scheduling_gates=("wait",)), a_pod("b", scheduler="other")):
        simulation.world.state.pods.put(pod)
    step(simulation, seconds=1)
    assert all(not pod.node and not pod.unschedulable for pod in simulation.pods.values())
