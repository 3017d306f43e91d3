from datetime import timedelta
from decimal import Decimal

import msgspec
import pytest

from policyscaler.model import labels as well
from policyscaler.model.errors import PolicyError
from policyscaler.model.meta import ObjectMeta
from policyscaler.model.nodes import NodeClaim
from policyscaler.model.pods import Pod
from policyscaler.simulation.market import Selection
from policyscaler.simulation.objects import Objects
from policyscaler.simulation.scenario import (
    Apply,
    Delete,
    Interrupt,
    PolicyChange,
    PriceChange,
    Scale,
    ScenarioEvent,
)
from policyscaler.simulation.script import Script
from tests.unit.simulation.standin import (
    REF,
    START,
    a_node,
    a_pool,
    a_spec,
    a_workload,
    a_world,
    running,
    step,
)


class Stage:
    """A world with a script, and what it said."""

    def __init__(self, replicas=3, refuses=False):
        self.simulation = a_world()
        self.policies = []

        def use(policies):
            if refuses:
                raise PolicyError("line 3 is wrong")
            self.policies.append(policies)

        self.objects = Objects(self.simulation, lambda node_class: node_class)
        self.script = Script(self.simulation, objects=self.objects, on_policies=use)
        self.objects.apply(a_workload(replicas=replicas))
        step(self.simulation, minutes=3)

    def do(self, action, **wait):
        self.script.do(action)
        step(self.simulation, **(wait or {"minutes": 3}))

    def said(self, kind):
        return [e.message for e in self.simulation.world.timeline.entries if e.kind == kind]


def test_events_repeat_as_often_as_they_should():
    stage = Stage()
    event = ScenarioEvent(
        at=timedelta(minutes=10),
        action=Scale(kind="Deployment", namespace="default", name="web", replicas=1),
        every=timedelta(minutes=10),
        times=3,
    )
    stage.script.schedule(event, end=START + timedelta(hours=2))
    step(stage.simulation, hours=3)
    assert stage.said("scenario") == ["scaled Deployment default/web to 1"] * 3


def test_events_without_a_number_repeat_until_the_end():
    stage = Stage()
    action = Scale(kind="Deployment", namespace="default", name="web", replicas=1)
    event = ScenarioEvent(at=timedelta(0), action=action, every=timedelta(minutes=30))
    stage.script.schedule(event, end=START + timedelta(hours=2))
    step(stage.simulation, hours=9)
    assert len(stage.said("scenario")) == 5


@pytest.mark.parametrize(
    ("kind", "name"), [("Deployment", "nobody"), ("Pod", "nobody"), ("Node", "nobody")]
)
def test_what_does_not_exist_is_said_and_nothing_else_happens(kind, name):
    stage = Stage()
    namespace = "" if kind == "Node" else "default"
    stage.do(Delete(kind=kind, namespace=namespace, name=name))
    (message,) = stage.said("error")
    assert "does not exist" in message
    assert len(running(stage.simulation)) == 3


def test_a_deleted_node_goes_the_way_of_its_claim():
    stage = Stage()
    (node,) = stage.simulation.nodes
    stage.do(Delete(kind="Node", namespace="", name=node))
    assert node not in stage.simulation.nodes
    assert len(running(stage.simulation)) == 3


def test_a_deleted_pool_takes_its_claims_along():
    stage = Stage()
    stage.do(Delete(kind="NodePool", namespace="", name="default"))
    assert not stage.simulation.claims
    assert not stage.simulation.instances


def test_a_node_that_nobody_manages_goes_with_its_pods():
    stage = Stage(replicas=0)
    stage.objects.apply(a_node("own"))
    stage.objects.apply(a_workload("other", replicas=1))
    step(stage.simulation, minutes=1)
    assert stage.simulation.pods
    stage.do(Delete(kind="Node", namespace="", name="own"))
    assert "own" not in stage.simulation.nodes
    assert {pod.node for pod in running(stage.simulation)} == set(stage.simulation.nodes)


def test_prices_are_multiplied_exactly_and_set():
    stage = Stage(replicas=0)
    market = stage.simulation.actors.provider.market
    row = ("metal.02", "zone-a", "spot")
    only = Selection(instance_type=row[0], zone=row[1], capacity_type=row[2])
    stage.do(PriceChange(offerings=only, factor=Decimal("1.00001")))
    assert market.price(row, 0) == 40_000  # 40,000.4 rounded half even
    stage.do(PriceChange(offerings=only, price=7))
    assert market.price(row, 0) == 7
    assert stage.said("scenario")[0] == ("prices of 1 offerings (metal.02/zone-a/spot) changed")


@pytest.mark.parametrize(
    ("action", "interrupted"),
    [
        (Interrupt(random=5), 1),
        (Interrupt(node_selector=((well.CAPACITY_TYPE, "spot"),)), 1),
        (Interrupt(node_selector=((well.CAPACITY_TYPE, "on-demand"),)), 0),
        (Interrupt(node="nobody"), 0),
    ],
)
def test_machines_to_interrupt_are_found(action, interrupted):
    stage = Stage()
    stage.do(action)
    assert stage.simulation.engine.interruption.count == interrupted
    assert bool(stage.said("error")) is not bool(interrupted)


def test_a_node_is_interrupted_by_its_name():
    stage = Stage()
    (node,) = stage.simulation.nodes
    stage.do(Interrupt(node=node))
    assert stage.simulation.engine.interruption.count == 1


def test_a_broken_policy_leaves_the_old_one_in_force():
    stage = Stage(refuses=True)
    stage.do(PolicyChange(policies=(), label="p.yaml"))
    assert stage.said("error") == ["p.yaml is refused, the old policies stay: line 3 is wrong"]
    good = Stage()
    good.do(PolicyChange(policies=(), label="p.yaml"))
    assert good.policies == [()]


def test_an_applied_object_keeps_its_identity():
    stage = Stage()
    pools = stage.simulation.world.state.pools
    before = pools.get("default")
    changed = a_pool(weight=5)
    stage.do(Apply(objects=(changed,), label="pool.yaml"))
    after = pools.get("default")
    assert (after.weight, after.meta.uid) == (5, before.meta.uid)
    assert after.meta.generation == before.meta.generation + 1


def test_a_change_that_an_api_server_refuses_changes_nothing_and_stops_nothing():
    stage = Stage(replicas=0)
    pools = stage.simulation.world.state.pools
    before = pools.get("default")
    static = msgspec.structs.replace(before, replicas=2)
    stage.do(Apply(objects=(static, a_pool("second")), label="pools.yaml"))
    assert pools.get("default") == before
    assert pools.get("second") is not None
    entries = stage.simulation.world.timeline.entries
    assert ["replicas cannot be added" in e.message for e in entries if e.kind == "error"] == [True]


def test_a_running_fleet_is_taken_over():
    stage = Stage(replicas=0)
    labels = {
        well.NODEPOOL: "default", well.INSTANCE_TYPE: "metal.02", well.ZONE: "zone-a",
        well.CAPACITY_TYPE: "spot", well.REGISTERED: "true", well.INITIALIZED: "true",
    }  # fmt: skip
    claim = NodeClaim(
        meta=ObjectMeta(name="old", labels=labels), pool="default", node_class=REF,
        node="old-node", provider_id="sim:///old",
    )  # fmt: skip
    pod = Pod(
        meta=ObjectMeta(name="p", namespace="default"), spec=a_spec(), node="old-node",
        phase="Running", ready=True,
    )  # fmt: skip
    for value in (claim, a_node("old-node", labels=labels, provider_id="sim:///old"), pod):
        stage.objects.apply(value)
    assert stage.simulation.instances["sim:///old"].claim == "old"
    assert stage.simulation.pods["default", "p"].started == stage.simulation.now
    stage.do(Delete(kind="NodeClaim", namespace="", name="old"))
    assert "old-node" not in stage.simulation.nodes
    assert not stage.simulation.instances
